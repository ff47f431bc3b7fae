//! Frames and blocks: what begins to live, and what ends.

use super::choices::What;
use super::code::{Code, Home, Register, Slot};
use super::compile;
use super::library::Meaning;
use super::machine::{Frame, Machine};
use super::object::Role;
use super::shape::LeafKind;
use super::stop::{Beyond, EndKind, Step, Undefined};
use super::value::{Cause, Handle, Scalar, Source, Value};
use super::{Choices, Kind, Options};
use crate::source::Span;
use crate::typing::c::tree::{
    FunctionId, Initial, ObjectId, Program, Role as FunctionRole, Signature, Storage, Type, TypeId,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Elements of longer arrays are chosen when they are read: each that is chosen is shown.
const EARLY: u32 = 1 << 12;

impl<'a> Machine<'a> {
    /// The program before its first step.
    pub fn new(program: &'a Program, options: Options, choices: &'a mut dyn Choices) -> Self {
        let memory =
            super::memory::Memory::new(&program.types, program.objects.len(), options.memory);
        let mut machine = Machine {
            program,
            options,
            choices,
            memory,
            registers: Vec::new(),
            slots: Vec::new(),
            stack: Vec::new(),
            frames: Vec::new(),
            temporaries: Vec::new(),
            on_stack: Vec::new(),
            causes: FxHashMap::default(),
            codes: Vec::new(),
            meanings: Meaning::all(program),
            steps: 0,
            end: None,
            overflows: Vec::new(),
            outcome: None,
            has_used_lost: false.into(),
            called: None,
        };
        machine.codes.resize_with(program.functions.len(), || None);
        if let Err(kind) = machine.start() {
            machine.stop(kind);
        }
        machine
    }

    fn start(&mut self) -> Step<()> {
        self.static_objects()?;
        let code = Rc::new(compile::initialisers(self.program));
        self.push_frame(self.options.entry, code, true)?;
        while !self.frames.is_empty() {
            self.proceed(&mut 0)?;
        }
        self.stack.clear();
        self.parameters()?;
        self.run(0);
        Ok(())
    }

    /// Objects that live as long as the program, with texts; other initial values come later.
    fn static_objects(&mut self) -> Step<()> {
        let program = self.program;
        for (index, object) in program.objects.iter().enumerate() {
            let id = ObjectId(index as u32);
            let Storage::Static { defined } = object.storage else {
                continue;
            };
            let Some(size) = program.types.size(object.qualified.id) else {
                continue;
            };
            let source = (!defined).then(|| self.source(Cause::Extern(id)));
            let role = Role::Declared(id);
            let handle =
                self.memory
                    .declare(&program.types, role, object.qualified.id, size, source)?;
            self.memory.statics[index] = Some(handle);
            if let Initial::Text(units) = &object.initial {
                self.write_text(handle, object.qualified.id, units)?;
            }
        }
        Ok(())
    }

    fn write_text(&mut self, handle: Handle, type_id: TypeId, units: &[u32]) -> Step<()> {
        let shape = self.memory.shapes.of(&self.program.types, type_id);
        let Some(LeafKind::Scalar(scalar)) = shape.leaves.first().map(|leaf| leaf.kind) else {
            return Ok(());
        };
        let available = self.memory.object(handle)?.size / shape.size.max(1);
        for (index, unit) in units.iter().take(available as usize).enumerate() {
            let value = Value::Integer(scalar.wrap(i64::from(*unit)));
            let place = Value::Address(handle, index as u32 * shape.size);
            self.write(place, scalar, value)?;
        }
        Ok(())
    }

    /// The entry is called with any values; `main` with at least one argument.
    fn parameters(&mut self) -> Step<()> {
        let entry = self.options.entry;
        let function = &self.program.functions[entry.0 as usize];
        let Some(body) = &function.body else {
            return Err(Beyond::Refused(entry).into());
        };
        let is_main = self.program.names.text(function.name) == "main";
        for (index, parameter) in body.parameters.iter().enumerate() {
            let object = &self.program.objects[parameter.0 as usize];
            let type_id = object.qualified.id;
            let source = self.source(Cause::Parameter(*parameter));
            let value = match Scalar::of(&self.program.types, type_id) {
                Some(scalar) if is_main && index == 0 && scalar != Scalar::Pointer => {
                    let what = What::Initial {
                        cause: source.cause,
                        number: source.number,
                        bit: 0,
                    };
                    let high = (1_i128 << (scalar.bits() - 1)) - 1;
                    let kind = Kind::Integer { low: 1, high };
                    self.choose_of(what, scalar, kind, object.span)
                }
                Some(scalar) => self.determine(source, 0, scalar, object.span),
                None => self.any_record(*parameter, source)?,
            };
            self.stack.push(value);
        }
        let arguments = body.parameters.len();
        self.enter(entry, arguments, false, true)
    }

    /// What is passed for a parameter that is a record: any value of it.
    fn any_record(&mut self, parameter: ObjectId, source: Source) -> Step<Value> {
        let types = &self.program.types;
        let type_id = self.program.objects[parameter.0 as usize].qualified.id;
        let size = types.size(type_id).ok_or(Beyond::Incomplete)?;
        let role = Role::Declared(parameter);
        let handle = self
            .memory
            .declare(types, role, type_id, size, Some(source))?;
        self.temporaries.push(handle);
        Ok(Value::Address(handle, 0))
    }

    fn code(&mut self, function: FunctionId) -> Rc<Code> {
        let known = &mut self.codes[function.0 as usize];
        match known {
            Some(code) => code.clone(),
            None => {
                let code = compile::function(self.program, function).unwrap_or_default();
                known.insert(Rc::new(code)).clone()
            }
        }
    }

    fn push_frame(&mut self, function: FunctionId, code: Rc<Code>, is_used: bool) -> Step<()> {
        if self.frames.len() >= self.options.frames {
            return Err(EndKind::Exhausted);
        }
        let frame = Frame {
            function,
            next: 0,
            registers: self.registers.len(),
            slots: self.slots.len(),
            stack: self.stack.len(),
            temporaries: self.temporaries.len(),
            on_stack: self.on_stack.len(),
            is_used,
            code,
        };
        let registers = frame.registers + frame.code.registers.len();
        self.registers.resize(registers, Value::Integer(0));
        self.slots
            .resize(frame.slots + frame.code.slots.len(), None);
        self.frames.push(frame);
        Ok(())
    }

    /// Calls a function with a body; its arguments are on the stack.
    pub(super) fn enter(
        &mut self,
        function: FunctionId,
        arguments: usize,
        has_pointer: bool,
        is_used: bool,
    ) -> Step<()> {
        let code = self.code(function);
        let program = self.program;
        let Some(body) = &program.functions[function.0 as usize].body else {
            return Err(Beyond::Refused(function).into());
        };
        let first = self.stack.len() - arguments;
        let (registers, slots) = (self.registers.len(), self.slots.len());
        // The arguments are still needed, but they are no part of the new frame's stack.
        self.push_frame(function, code.clone(), is_used)?;
        for (index, parameter) in body.parameters.iter().enumerate().take(arguments) {
            let value = self.stack[first + index];
            match code.homes.get(parameter) {
                Some(Home::Register(register)) => {
                    self.registers[registers + *register as usize] = value;
                }
                Some(Home::Slot(slot)) => {
                    let handle = self.parameter(*parameter, value)?;
                    self.slots[slots + *slot as usize] = Some(handle);
                }
                Some(Home::Static) | None => {}
            }
        }
        self.stack.truncate(first - usize::from(has_pointer));
        let height = self.stack.len();
        if let Some(frame) = self.frames.last_mut() {
            frame.stack = height;
        }
        Ok(())
    }

    /// A parameter that is an object in memory.
    fn parameter(&mut self, id: ObjectId, value: Value) -> Step<Handle> {
        let object = &self.program.objects[id.0 as usize];
        let type_id = object.qualified.id;
        let types = &self.program.types;
        let size = types.size(type_id).ok_or(Beyond::Incomplete)?;
        let role = Role::Declared(id);
        let handle = self.memory.declare(types, role, type_id, size, None)?;
        let place = Value::Address(handle, 0);
        match Scalar::of(types, type_id) {
            Some(scalar) => self.write(place, scalar, value)?,
            None => self.copy_record(place, value, type_id, object.span)?,
        }
        Ok(handle)
    }

    /// Returns from the frame on top.
    pub(super) fn leave(&mut self, value: Option<Value>) -> Step<()> {
        let program = self.program;
        let Some(frame) = self.frames.last() else {
            return Err(EndKind::Ended);
        };
        let function = frame.function;
        let is_main = program
            .names
            .text(program.functions[function.0 as usize].name)
            == "main";
        let is_last = self.frames.len() == 1;
        let (is_used, next) = (frame.is_used, frame.next);
        let mut span = frame.code.spans.get(next - 1).copied().unwrap_or_default();
        if let Some(caller) = self.frames.iter().rev().nth(1) {
            // What is missing is needed where the function was called.
            let call = caller.code.spans.get(caller.next - 1);
            span = call.copied().unwrap_or(span);
        }
        if program.functions[function.0 as usize].noreturn && !(is_last && self.steps == 0) {
            return Err(Undefined::Return.into());
        }
        let result = self.signature(function).map(|signature| signature.result);
        let is_record = result.is_some_and(|id| program.types.record(id).is_some());
        let value = match (value, result) {
            (Some(value), _) => value,
            (None, Some(result)) if is_used && !is_main && !is_last => {
                self.any_value(What::Missing(function), function, result, span)?
            }
            (None, _) => {
                // Nobody asks for it, but those of other calls are counted.
                if is_record {
                    self.source(Cause::Missing(function));
                }
                Value::Integer(0)
            }
        };
        let Some(frame) = self.frames.pop() else {
            return Err(EndKind::Ended);
        };
        for index in frame.slots..self.slots.len() {
            if let Some(handle) = self.slots[index] {
                self.memory.release(handle);
            }
        }
        // What adds the events of a rule to a call allocates for the caller.
        if program.functions[function.0 as usize].role != FunctionRole::Wrapper {
            for handle in self.on_stack.split_off(frame.on_stack) {
                self.memory.release(handle);
            }
        }
        if !is_record {
            self.forget(frame.temporaries);
        }
        self.registers.truncate(frame.registers);
        self.slots.truncate(frame.slots);
        self.stack.truncate(frame.stack);
        self.stack.push(value);
        // The frame of initial values ends before the first step.
        if is_last && self.steps > 0 {
            self.frames.push(frame);
            return Err(EndKind::Ended);
        }
        Ok(())
    }

    pub(super) fn signature(&self, function: FunctionId) -> Option<&'a Signature> {
        let program: &'a Program = self.program;
        let type_id = program.functions[function.0 as usize].type_id;
        program.types.signature(type_id)
    }

    /// Any value of a type, chosen now; of a record, when it is read.
    pub(super) fn any_value(
        &mut self,
        what: What,
        function: FunctionId,
        type_id: TypeId,
        span: Span,
    ) -> Step<Value> {
        match (
            Scalar::of(&self.program.types, type_id),
            self.program.types.get(type_id),
        ) {
            (Some(scalar), _) => Ok(self.choose(what, scalar, span)),
            (None, Type::Record(_)) => {
                let source = self.source(match what {
                    What::Missing(_) => Cause::Missing(function),
                    _ => Cause::Result(function),
                });
                let record = self.temporary(type_id, Some(source))?;
                if let (Value::Address(handle, _), true) = (record, self.choices.decides_early()) {
                    self.decide_early(handle, span)?;
                }
                Ok(record)
            }
            (None, _) => Ok(Value::Integer(0)),
        }
    }

    /// The function that is called through the pointer below the arguments.
    pub(super) fn callee(&self, type_id: TypeId, arguments: usize) -> Step<FunctionId> {
        let pointer = self.stack[self.stack.len() - arguments - 1];
        let Value::Function(function) = pointer else {
            return Err(match pointer {
                Value::Stranger {
                    uninitialised: false,
                    ..
                } => Beyond::Stranger.into(),
                Value::Stranger { .. } => Undefined::Uninitialised.into(),
                Value::Lost => Beyond::OtherType.into(),
                _ => Undefined::Call.into(),
            });
        };
        let types = &self.program.types;
        let own = self.program.functions[function.0 as usize].type_id;
        let body = &self.program.functions[function.0 as usize].body;
        let fits = body
            .as_ref()
            .is_none_or(|body| body.parameters.len() <= arguments);
        match fits && types.compatible(own, type_id) {
            true => Ok(function),
            false => Err(Undefined::Call.into()),
        }
    }

    pub(super) fn enter_block(
        &mut self,
        code: &Code,
        block: u32,
        (registers, slots): (usize, usize),
        cause: fn(ObjectId) -> Cause,
    ) -> Step<()> {
        let block = &code.blocks[block as usize];
        for register in &block.registers {
            let object = code.registers[*register as usize].object;
            let value = match object {
                Some(object) => Value::Undetermined(self.source(cause(object))),
                None => Value::Integer(0),
            };
            self.registers[registers + *register as usize] = value;
        }
        for slot in &block.slots {
            let info = &code.slots[*slot as usize];
            let Some(size) = info.size else {
                continue;
            };
            let source = self.source(cause(info.object));
            let (types, role) = (&self.program.types, Role::Declared(info.object));
            let handle = self
                .memory
                .declare(types, role, info.type_id, size, Some(source))?;
            let old = self.slots[slots + *slot as usize].replace(handle);
            if let Some(old) = old {
                self.memory.release(old);
            }
        }
        Ok(())
    }

    pub(super) fn leave_block(&mut self, code: &Code, block: u32, slots: usize) {
        for slot in &code.blocks[block as usize].slots {
            if let Some(handle) = self.slots[slots + *slot as usize].take() {
                self.memory.release(handle);
            }
        }
    }

    /// The object's value is arbitrary from now on.
    pub(super) fn declare(
        &mut self,
        code: &Code,
        object: ObjectId,
        (registers, slots): (usize, usize),
    ) -> Step<()> {
        let source = self.source(Cause::Local(object));
        match code.homes.get(&object) {
            Some(Home::Register(register)) => {
                self.registers[registers + *register as usize] = Value::Undetermined(source);
            }
            Some(Home::Slot(slot)) => {
                if let Some(handle) = self.slots[slots + *slot as usize] {
                    self.memory.object(handle)?.reset(Some(source));
                }
            }
            Some(Home::Static) | None => {}
        }
        Ok(())
    }

    /// Chooses what is arbitrary of an object.
    pub(super) fn decide(
        &mut self,
        code: &Code,
        object: ObjectId,
        (registers, slots): (usize, usize),
        span: Span,
    ) -> Step<()> {
        match code.homes.get(&object) {
            Some(Home::Register(register)) => {
                let index = registers + *register as usize;
                if let Value::Undetermined(source) = self.registers[index] {
                    let scalar = code.registers[*register as usize].scalar;
                    self.registers[index] = self.determine(source, 0, scalar, span);
                }
            }
            Some(Home::Slot(slot)) => {
                if let Some(handle) = self.slots[slots + *slot as usize] {
                    self.decide_early(handle, span)?;
                }
            }
            Some(Home::Static) | None => {}
        }
        Ok(())
    }

    pub(super) fn decide_early(&mut self, handle: Handle, span: Span) -> Step<()> {
        let object = self.memory.object(handle)?;
        let (shape, size) = (object.shape.clone(), object.size);
        let each = shape.size.max(1);
        if size / each > EARLY {
            return Ok(());
        }
        for start in (0..size).step_by(each as usize) {
            self.read_leaves(Value::Address(handle, start), &shape.leaves, span)?;
        }
        Ok(())
    }

    /// The array of variable size, which may live already.
    pub(super) fn declare_variable(
        &mut self,
        code: &Code,
        (slot, extent): (Slot, u32),
        (registers, slots): (usize, usize),
    ) -> Step<()> {
        let info = code.slots[slot as usize];
        let size = self.extent(&code.extents[extent as usize], registers);
        // A negative length has become one of at least half of all numbers.
        let most = 1_i128 << (self.memory.pointer_size * 8 - 1);
        let factors = &code.extents[extent as usize].factors;
        let mut lengths = factors.iter().map(|factor| self.length(*factor, registers));
        if lengths.any(|length| !(1..most).contains(&length)) {
            return Err(Undefined::Length.into());
        }
        let size = u64::try_from(size).map_err(|_| EndKind::Exhausted)?;
        if let Some(old) = self.slots[slots + slot as usize].take() {
            self.memory.release(old);
        }
        let source = self.source(Cause::Local(info.object));
        let (types, role) = (&self.program.types, Role::Declared(info.object));
        let handle = self
            .memory
            .declare(types, role, info.type_id, size, Some(source))?;
        self.slots[slots + slot as usize] = Some(handle);
        Ok(())
    }

    /// A size that depends on registers.
    pub(super) fn extent(&self, extent: &super::code::Extent, registers: usize) -> i128 {
        let product = extent
            .factors
            .iter()
            .map(|factor| self.length(*factor, registers));
        product.fold(i128::from(extent.size), i128::saturating_mul)
    }

    pub(super) fn length(&self, register: Register, registers: usize) -> i128 {
        match self.registers[registers + register as usize] {
            Value::Integer(length) => i128::from(length as u64),
            Value::Lost => {
                self.has_used_lost.set(true);
                0
            }
            _ => 0,
        }
    }

    /// Temporary records above this height are no longer needed.
    pub(super) fn forget(&mut self, height: usize) {
        for handle in self.temporaries.drain(height..) {
            self.memory.release(handle);
        }
    }
}
