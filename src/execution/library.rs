//! Functions with a meaning of their own, those without body, and what gcc computes itself.

use super::Externs;
use super::arithmetic;
use super::choices::{Kind, What};
use super::machine::Machine;
use super::object::Role;
use super::stop::{Beyond, EndKind, Failure, Step, Undefined};
use super::value::{Cause, Handle, Scalar, Value};
use crate::source::Span;
use crate::typing::c::tree::{self, Builtin, FunctionId, Origin, Program, Storage};

/// What a call of a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// What its body says.
    Body,
    /// Any value.
    Input,
    /// Cuts the execution off if its argument is 0.
    Assume,
    /// Fails if its argument is 0.
    Assert,
    Fail,
    /// The program ends.
    End,
    /// Nothing that can be seen.
    Nothing,
    Malloc,
    Calloc,
    Free,
    Alloca,
    Memset,
    Memcpy,
    Memmove,
    /// It writes through an argument, or calls one.
    Beyond,
    /// It is not known.
    Extern,
}

/// Functions of C's library that do more than return a value.
const BEYOND: &str = "asprintf atexit bcopy bsearch bzero fgets fread frexp fscanf getline gets gmtime_r \
    localtime_r longjmp mbstowcs modf on_exit pthread_create pthread_join qsort qsort_r read \
    realloc recv scanf setjmp _setjmp sigaction siglongjmp signal sigsetjmp snprintf sprintf \
    sscanf stpcpy strcat strcpy strftime strncat strncpy strtod strtof strtok strtok_r \
    strtol strtoll strtoul strtoull swab vasprintf vscanf vsnprintf vsprintf vsscanf wcscpy \
    wcstombs wmemcpy";

impl Meaning {
    /// Those of all functions.
    pub fn all(program: &Program) -> Vec<Self> {
        let functions = program.functions.iter();
        let meanings = functions.map(|function| {
            let name = program.names.text(function.name);
            let has_body = function.body.is_some();
            match function.role {
                // What rules do at its events comes first.
                tree::Role::Wrapper => Meaning::Body,
                _ => Meaning::of(name, has_body, function.noreturn),
            }
        });
        meanings.collect()
    }

    fn of(name: &str, has_body: bool, noreturn: bool) -> Self {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        match plain {
            "reach_error" | "__VERIFIER_error" => Meaning::Fail,
            _ if has_body => Meaning::Body,
            "__VERIFIER_assume" => Meaning::Assume,
            "assert" => Meaning::Assert,
            "__assert_fail" => Meaning::Fail,
            "abort" | "exit" | "_Exit" => Meaning::End,
            "printf" | "puts" | "putchar" => Meaning::Nothing,
            "malloc" => Meaning::Malloc,
            "calloc" => Meaning::Calloc,
            "free" => Meaning::Free,
            "alloca" => Meaning::Alloca,
            "memset" => Meaning::Memset,
            "memcpy" => Meaning::Memcpy,
            "memmove" => Meaning::Memmove,
            _ if name.starts_with("__VERIFIER_nondet_") => Meaning::Input,
            _ if name.starts_with("__VERIFIER_atomic_") => Meaning::Nothing,
            _ if noreturn => Meaning::End,
            _ if name.starts_with("pthread_") || BEYOND.split(' ').any(|other| other == plain) => {
                Meaning::Beyond
            }
            _ => Meaning::Extern,
        }
    }
}

impl Machine<'_> {
    /// Calls a function that has no body, with the arguments on the stack.
    pub(super) fn library(
        &mut self,
        function: FunctionId,
        arguments: usize,
        is_used: bool,
        span: Span,
    ) -> Step<Value> {
        let first = self.stack.len() - arguments;
        let argument = |machine: &Self, index: usize| {
            let value = machine.stack.get(first + index);
            value.copied().unwrap_or(Value::Integer(0))
        };
        let number = |machine: &Self, index: usize| match argument(machine, index) {
            Value::Integer(value) => value as u64,
            _ => 0,
        };
        let meaning = self.meanings[function.0 as usize];
        let looks_at_arguments = match meaning {
            Meaning::Extern => self.options.externs == Externs::Havoc,
            Meaning::Body | Meaning::Input | Meaning::Nothing | Meaning::Fail | Meaning::End => {
                false
            }
            _ => true,
        };
        if looks_at_arguments && self.lost_above(arguments) {
            self.has_used_lost.set(true);
        }
        match meaning {
            Meaning::Body => Ok(Value::Integer(0)),
            Meaning::Input => self.input(function, span),
            Meaning::Assume | Meaning::Assert => {
                let is_assumption = meaning == Meaning::Assume;
                match argument(self, 0) {
                    Value::Integer(0) | Value::Null if is_assumption => Err(EndKind::CutOff),
                    Value::Integer(0) | Value::Null => Err(EndKind::Failed(Failure::Assertion)),
                    _ => Ok(Value::Integer(0)),
                }
            }
            Meaning::Fail => Err(EndKind::Failed(Failure::Call(function))),
            Meaning::End => Err(EndKind::Ended),
            Meaning::Nothing if is_used => self.input(function, span),
            Meaning::Nothing => Ok(Value::Integer(0)),
            Meaning::Malloc => self.malloc(number(self, 0), false, span),
            Meaning::Calloc => {
                let size = number(self, 0).saturating_mul(number(self, 1));
                self.malloc(size, true, span)
            }
            Meaning::Alloca => {
                let source = self.source(Cause::Heap(span));
                let role = Some(Role::Stack);
                let handle = self.memory.allocate(number(self, 0), role, Some(source))?;
                self.on_stack.push(handle);
                Ok(Value::Address(handle, 0))
            }
            Meaning::Free => {
                self.free(argument(self, 0))?;
                Ok(Value::Integer(0))
            }
            Meaning::Memset => {
                let size = size(number(self, 2))?;
                if size > 0 {
                    let byte = number(self, 1) as u8;
                    self.fill(argument(self, 0), size, i64::from(byte))?;
                }
                Ok(argument(self, 0))
            }
            Meaning::Memcpy | Meaning::Memmove => {
                let [to, from] = [argument(self, 0), argument(self, 1)];
                let size = size(number(self, 2))?;
                let may_overlap = meaning == Meaning::Memmove;
                if !may_overlap && overlap(to, from, size) {
                    return Err(Undefined::Overlap.into());
                }
                if size > 0 {
                    self.copy(to, from, size, span)?;
                }
                Ok(to)
            }
            Meaning::Beyond => Err(Beyond::Library(function).into()),
            Meaning::Extern => match self.options.externs {
                Externs::Pure => self.input(function, span),
                Externs::Refuse => Err(Beyond::Refused(function).into()),
                Externs::Havoc => {
                    self.havoc(first, span)?;
                    self.input(function, span)
                }
            },
        }
    }

    fn input(&mut self, function: FunctionId, span: Span) -> Step<Value> {
        match self.signature(function).map(|signature| signature.result) {
            Some(result) => self.any_value(What::Input(function), function, result, span),
            None => Ok(Value::Integer(0)),
        }
    }

    fn malloc(&mut self, size: u64, is_zero: bool, span: Span) -> Step<Value> {
        if self.options.malloc_may_fail {
            let kind = Kind::Integer { low: 0, high: 1 };
            let fails = self.choose_of(What::Failure, Scalar::Bool, kind, span);
            if fails == Value::Integer(1) {
                return Ok(Value::Null);
            }
        }
        let source = (!is_zero).then(|| self.source(Cause::Heap(span)));
        let handle = self.memory.allocate(size, None, source)?;
        Ok(Value::Address(handle, 0))
    }

    fn free(&mut self, pointer: Value) -> Step<()> {
        match pointer {
            Value::Null | Value::Stranger { .. } => Ok(()),
            Value::Address(handle, 0) => match self.memory.find(handle).map(|object| object.role) {
                Some(Role::Heap(_)) => {
                    self.memory.release(handle);
                    Ok(())
                }
                _ => Err(Undefined::Free.into()),
            },
            _ => Err(Undefined::Free.into()),
        }
    }

    /// Globals, and what the arguments point to, may have been changed.
    fn havoc(&mut self, first: usize, span: Span) -> Step<()> {
        for (index, object) in self.program.objects.iter().enumerate() {
            let is_global = matches!(object.storage, Storage::Static { .. })
                && object.function.is_none()
                && object.origin == Origin::Variable
                && !object.qualified.qualifiers.constant;
            if let (true, Some(handle)) = (is_global, self.memory.statics[index]) {
                self.change(handle, span)?;
            }
        }
        for index in first..self.stack.len() {
            if let Value::Address(handle, _) = self.stack[index]
                && self.memory.find(handle).is_some()
            {
                self.change(handle, span)?;
            }
        }
        Ok(())
    }

    /// An object has any value from now on.
    fn change(&mut self, handle: Handle, span: Span) -> Step<()> {
        let Role::Declared(id) = self.memory.object(handle)?.role else {
            let source = self.source(Cause::Heap(span));
            self.memory.object(handle)?.reset(Some(source));
            return Ok(());
        };
        let source = self.source(Cause::Havoc(id));
        self.memory.object(handle)?.reset(Some(source));
        match self.choices.decides_early() {
            true => self.decide_early(handle, span),
            false => Ok(()),
        }
    }

    /// What gcc computes; the arguments are on the stack and have these types.
    pub(super) fn builtin(&mut self, builtin: Builtin, types: [Scalar; 3]) -> Step<Value> {
        match builtin {
            Builtin::Unreachable => Err(Undefined::Unreachable.into()),
            Builtin::Trap => Err(EndKind::Ended),
            Builtin::Population
            | Builtin::Parity
            | Builtin::FindFirstSet
            | Builtin::LeadingZeros
            | Builtin::TrailingZeros => {
                let value = self.integer();
                Ok(Value::Integer(arithmetic::count(builtin, types[0], value)?))
            }
            Builtin::AddOverflow | Builtin::SubtractOverflow | Builtin::MultiplyOverflow => {
                let place = self.pop();
                let right = types[1].number(self.integer());
                let left = types[0].number(self.integer());
                let exact = arithmetic::exact(builtin, left, right);
                let wrapped = types[2].wrap((low_bits(builtin, left, right, exact)) as i64);
                self.write(place, types[2], Value::Integer(wrapped))?;
                Ok(Value::Integer(i64::from(types[2].number(wrapped) != exact)))
            }
        }
    }
}

/// The exact result modulo 2 to the 64.
fn low_bits(builtin: Builtin, left: i128, right: i128, exact: i128) -> u64 {
    match builtin {
        Builtin::MultiplyOverflow => (left as u64).wrapping_mul(right as u64),
        _ => exact as u64,
    }
}

/// A number of bytes that an object can have.
fn size(bytes: u64) -> Step<u32> {
    u32::try_from(bytes).map_err(|_| Undefined::OutOfBounds.into())
}

fn overlap(to: Value, from: Value, size: u32) -> bool {
    match (to, from) {
        (Value::Address(one, to), Value::Address(other, from)) => {
            one == other && size > 0 && to.abs_diff(from) < size
        }
        _ => false,
    }
}
