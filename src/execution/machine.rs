//! Runs instructions: an operand stack, registers and objects of frames, and memory.

use super::arithmetic;
use super::choices::Choices;
use super::code::{Code, Instruction, Leap, StepPoint};
use super::library::Meaning;
use super::memory::Memory;
use super::stop::{Beyond, End, EndKind, Failure, Step, Undefined};
use super::value::{Cause, Handle, Value};
use super::{Options, Overflow};
use crate::source::Span;
use crate::typing::c::tree::{FunctionId, Program, Unary};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;

/// A program that is being executed.
pub struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) options: Options,
    pub(super) choices: &'a mut dyn Choices,
    pub(super) memory: Memory,
    pub(super) registers: Vec<Value>,
    pub(super) slots: Vec<Option<Handle>>,
    pub(super) stack: Vec<Value>,
    pub(super) frames: Vec<Frame>,
    /// Records on the stack.
    pub(super) temporaries: Vec<Handle>,
    /// What lives until its function returns.
    pub(super) on_stack: Vec<Handle>,
    /// How often values were left open, by the reason.
    pub(super) causes: FxHashMap<Cause, u32>,
    pub(super) codes: Vec<Option<Rc<Code>>>,
    pub(super) meanings: Vec<Meaning>,
    pub(super) steps: u64,
    pub(super) end: Option<End>,
    pub(super) overflows: Vec<Span>,
    /// How the last condition came out.
    pub(super) outcome: Option<Outcome>,
    /// Whether a step was made that depends on what is lost.
    pub(super) has_used_lost: Cell<bool>,
    /// The function that was called last.
    pub(super) called: Option<FunctionId>,
}

/// How a condition comes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Whether it is true.
    Truth(bool),
    /// Of a `switch`: the `case` or `default` that it goes to.
    Case(Option<Span>),
}

/// A call that has not returned.
#[derive(Debug)]
pub struct Frame {
    pub(super) function: FunctionId,
    pub(super) code: Rc<Code>,
    /// The next instruction.
    pub(super) next: usize,
    /// Where its part of each stack begins.
    pub(super) registers: usize,
    pub(super) slots: usize,
    pub(super) stack: usize,
    pub(super) temporaries: usize,
    pub(super) on_stack: usize,
    /// Whether the caller uses the value.
    pub(super) is_used: bool,
}

/// Why instructions of a frame are left.
pub(super) enum Event {
    Paused,
    /// The arguments are on the stack, perhaps above a pointer to the function.
    Call {
        function: FunctionId,
        arguments: usize,
        has_pointer: bool,
        is_used: bool,
    },
    Return(Option<Value>),
}

impl<'a> Machine<'a> {
    /// How the execution ended, if it has.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// How many steps were taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Where signed computations have overflowed since this was asked last.
    pub fn take_overflows(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.overflows)
    }

    /// How the condition that was evaluated last since this was asked came out.
    pub fn take_outcome(&mut self) -> Option<Outcome> {
        self.outcome.take()
    }

    /// The function that was called last since this was asked, with body or without.
    pub fn take_called(&mut self) -> Option<FunctionId> {
        self.called.take()
    }

    /// The step that comes next.
    pub fn next_step(&self) -> Option<StepPoint> {
        let frame = self.frames.last().filter(|_| self.end.is_none())?;
        match frame.code.instructions.get(frame.next)? {
            Instruction::Step(step) => frame.code.steps.get(*step as usize).copied(),
            _ => None,
        }
    }

    /// Where the next step is: in which function, at which of its instructions, over how many frames.
    pub fn site(&self) -> Option<(FunctionId, usize, usize)> {
        let frame = self.frames.last().filter(|_| self.end.is_none())?;
        Some((frame.function, frame.next, self.frames.len() - 1))
    }

    /// Takes up to so many steps; fewer if the execution ends before.
    pub fn run(&mut self, steps: u64) -> Option<End> {
        let mut budget = steps;
        while self.end.is_none() {
            match self.proceed(&mut budget) {
                Ok(true) => {}
                Ok(false) => break,
                Err(kind) => self.stop(kind),
            }
        }
        self.end
    }

    pub(super) fn stop(&mut self, kind: EndKind) {
        let span = self.frames.last().map_or(Span::default(), |frame| {
            let at = frame.next.saturating_sub(1);
            frame.code.spans.get(at).copied().unwrap_or_default()
        });
        self.end = Some(End { kind, span });
    }

    /// Runs the frame on top until it calls, returns or has no steps left.
    pub(super) fn proceed(&mut self, budget: &mut u64) -> Step<bool> {
        let Some(frame) = self.frames.last() else {
            return Err(EndKind::Ended);
        };
        let (code, mut next) = (frame.code.clone(), frame.next);
        let bases = (frame.registers, frame.slots);
        let event = self.segment(&code, &mut next, bases, budget);
        if let Some(frame) = self.frames.last_mut() {
            frame.next = next;
        }
        match event? {
            Event::Paused => Ok(false),
            Event::Call {
                function,
                arguments,
                has_pointer,
                is_used,
            } => {
                self.enter(function, arguments, has_pointer, is_used)?;
                Ok(true)
            }
            Event::Return(value) => {
                self.leave(value)?;
                Ok(true)
            }
        }
    }

    fn segment(
        &mut self,
        code: &Code,
        next: &mut usize,
        (registers, slots): (usize, usize),
        budget: &mut u64,
    ) -> Step<Event> {
        loop {
            let instruction = code.instructions[*next];
            let here = *next;
            *next += 1;
            match instruction {
                Instruction::Step(_) => {
                    if *budget == 0 {
                        *next = here;
                        return Ok(Event::Paused);
                    }
                    *budget -= 1;
                    self.steps += 1;
                }
                Instruction::Push(number) => self.stack.push(Value::Integer(number)),
                Instruction::Load(register) => {
                    let index = registers + register as usize;
                    let mut value = self.registers[index];
                    if let Value::Undetermined(source) = value {
                        let info = code.registers[register as usize];
                        value = self.determine(source, 0, info.scalar, code.spans[here]);
                        self.registers[index] = value;
                    }
                    self.stack.push(value);
                }
                Instruction::Keep(register) => {
                    self.registers[registers + register as usize] = self.top();
                }
                Instruction::Set(register) => {
                    self.registers[registers + register as usize] = self.pop();
                }
                Instruction::Binary(operator, scalar) => {
                    if self.lost_above(2) {
                        let result = self.binary_of_lost(operator, scalar);
                        self.stack.push(result);
                        continue;
                    }
                    let (right, left) = (self.integer(), self.integer());
                    let outcome = arithmetic::binary(operator, scalar, left, right);
                    if outcome == Err(Undefined::DivisionOverflow) {
                        // It is both: what overflow does counts if it fails.
                        self.note_overflow(code.spans[here]);
                        if self.options.overflow == Overflow::Error && !self.options.undefined_first
                        {
                            self.overflow(code.spans[here])?;
                        }
                    }
                    let (result, overflows) = outcome?;
                    if overflows {
                        self.overflow(code.spans[here])?;
                    }
                    self.stack.push(Value::Integer(result));
                }
                Instruction::Jump(to) => *next = to as usize,
                Instruction::JumpIfFalse(to) => {
                    let holds = self.truth();
                    self.outcome = Some(Outcome::Truth(holds));
                    if !holds {
                        *next = to as usize;
                    }
                }
                Instruction::JumpIfTrue(to) => {
                    let holds = self.truth();
                    self.outcome = Some(Outcome::Truth(holds));
                    if holds {
                        *next = to as usize;
                    }
                }
                Instruction::Wrap(_) if self.lost_above(1) => {}
                Instruction::Wrap(scalar) => {
                    let value = self.integer();
                    self.stack.push(Value::Integer(scalar.wrap(value)));
                }
                Instruction::Read(scalar) => {
                    let place = self.pop();
                    let value = self.read(place, scalar, code.spans[here])?;
                    self.stack.push(value);
                }
                Instruction::Write(scalar) => {
                    let value = self.pop();
                    let place = self.pop();
                    self.write(place, scalar, value)?;
                    self.stack.push(value);
                }
                Instruction::Pop => {
                    self.pop();
                }
                Instruction::Leap(leap) => {
                    let leap = &code.jumps[leap as usize];
                    *next = self.leap(code, leap, (registers, slots), code.spans[here])?;
                }
                Instruction::Switch(switch) => {
                    let switch = &code.switches[switch as usize];
                    let value = switch.scalar.number(self.integer());
                    let after = switch.cases.partition_point(|case| case.0 <= value);
                    let found = switch.cases[..after].last().filter(|case| value <= case.1);
                    let leap = found.map_or(switch.otherwise, |case| case.2);
                    let leap = &code.jumps[leap as usize];
                    self.outcome = Some(Outcome::Case(leap.case));
                    *next = self.leap(code, leap, (registers, slots), code.spans[here])?;
                }
                Instruction::Local(slot) => {
                    let handle = self.slots[slots + slot as usize];
                    let address = handle.map_or(Value::Wild, |handle| Value::Address(handle, 0));
                    self.stack.push(address);
                }
                Instruction::Enter(block) => {
                    self.enter_block(code, block, (registers, slots), Cause::Block)?;
                }
                Instruction::Leave(block) => self.leave_block(code, block, slots),
                Instruction::Declare(object) => {
                    let bases = (registers, slots);
                    self.declare(code, object, bases)?;
                    if self.choices.decides_early() {
                        self.decide(code, object, bases, code.spans[here])?;
                    }
                }
                Instruction::Prepare(object) => {
                    self.declare(code, object, (registers, slots))?;
                }
                Instruction::DeclareVariable(slot, extent) => {
                    self.declare_variable(code, (slot, extent), (registers, slots))?;
                }
                Instruction::Height(register) => {
                    let height = self.stack.len() as i64;
                    self.registers[registers + register as usize] = Value::Integer(height);
                }
                Instruction::Call {
                    function,
                    arguments,
                    is_used,
                } => {
                    let arguments = arguments as usize;
                    self.called = Some(function);
                    if self.meanings[function.0 as usize] == Meaning::Body {
                        return Ok(Event::Call {
                            function,
                            arguments,
                            has_pointer: false,
                            is_used,
                        });
                    }
                    let value = self.library(function, arguments, is_used, code.spans[here])?;
                    self.stack.truncate(self.stack.len() - arguments);
                    self.stack.push(value);
                }
                Instruction::CallPointer {
                    type_id,
                    arguments,
                    is_used,
                } => {
                    let arguments = arguments as usize;
                    let function = self.callee(type_id, arguments)?;
                    self.called = Some(function);
                    if self.meanings[function.0 as usize] == Meaning::Body {
                        return Ok(Event::Call {
                            function,
                            arguments,
                            has_pointer: true,
                            is_used,
                        });
                    }
                    let value = self.library(function, arguments, is_used, code.spans[here])?;
                    self.stack.truncate(self.stack.len() - arguments - 1);
                    self.stack.push(value);
                }
                Instruction::Return => return Ok(Event::Return(Some(self.pop()))),
                Instruction::ReturnNothing => return Ok(Event::Return(None)),
                other => self.other(code, other, registers, code.spans[here])?,
            }
        }
    }

    /// Instructions that neither change control nor are many.
    fn other(
        &mut self,
        code: &Code,
        instruction: Instruction,
        registers: usize,
        span: Span,
    ) -> Step<()> {
        let is_unary = matches!(instruction, Instruction::Truth | Instruction::Unary(..));
        if is_unary && self.lost_above(1) {
            let may_overflow = matches!(
                instruction,
                Instruction::Unary(Unary::Minus, scalar) if scalar.is_signed()
            );
            if may_overflow && self.options.overflow != Overflow::Wrap {
                self.has_used_lost.set(true);
            }
            return Ok(());
        }
        let value = match instruction {
            Instruction::PushNull => Value::Null,
            Instruction::PushFunction(function) => Value::Function(function),
            Instruction::Duplicate => self.top(),
            Instruction::Static(object) => Value::Address(self.memory.static_object(object)?, 0),
            Instruction::ReadBits(field) => {
                let place = self.pop();
                self.read_bits(place, code.fields[field as usize], span)?
            }
            Instruction::WriteBits(field) => {
                let field = code.fields[field as usize];
                let value = self.integer();
                let place = self.pop();
                self.write_bits(place, field, value)?
            }
            Instruction::ReadRecord(type_id) => {
                let place = self.pop();
                self.read_record(place, type_id, span)?
            }
            Instruction::WriteRecord(type_id) => {
                let record = self.pop();
                let place = self.pop();
                self.copy_record(place, record, type_id, span)?;
                record
            }
            Instruction::Zero(type_id) => {
                let place = self.pop();
                let size = match self.program.types.size(type_id) {
                    Some(size) => size as u32,
                    None => self.size_at(place)?,
                };
                return self.fill(place, size, 0);
            }
            Instruction::Forget => {
                let base = self.frames.last().map_or(0, |frame| frame.temporaries);
                self.forget(base);
                return Ok(());
            }
            Instruction::Truth => Value::Integer(i64::from(self.truth())),
            Instruction::Unary(Unary::Not, _) => Value::Integer(i64::from(!self.truth())),
            Instruction::Unary(operator, scalar) => {
                let (result, overflows) = arithmetic::unary(operator, scalar, self.integer());
                if overflows {
                    self.overflow(span)?;
                }
                Value::Integer(result)
            }
            Instruction::Builtin(builtin, types) => {
                self.builtin(builtin, code.builtins[types as usize])?
            }
            Instruction::Outside(outside) => return Err(Beyond::Tree(outside).into()),
            Instruction::Abort(text) => return Err(EndKind::Failed(Failure::Rule(text))),
            Instruction::Halt => return Err(EndKind::CutOff),
            other => {
                if self.lost_above(2) {
                    self.has_used_lost.set(true);
                }
                self.pointer_instruction(code, other, registers, span)?
            }
        };
        self.stack.push(value);
        Ok(())
    }

    /// Leaves blocks and enters others; where control goes on.
    fn leap(&mut self, code: &Code, leap: &Leap, bases: (usize, usize), span: Span) -> Step<usize> {
        let height = match leap.height {
            Some(register) => self.registers[bases.0 + register as usize],
            None => Value::Integer(self.frames.last().map_or(0, |frame| frame.stack as i64)),
        };
        if let Value::Integer(height) = height {
            self.stack.truncate(height as usize);
        }
        for block in &leap.left {
            self.leave_block(code, *block, bases.1);
        }
        for block in &leap.entered {
            self.enter_block(code, *block, bases, Cause::Jump)?;
            if self.choices.decides_early() {
                for object in &code.blocks[*block as usize].objects {
                    self.decide(code, *object, bases, span)?;
                }
            }
        }
        Ok(leap.target as usize)
    }

    #[inline]
    pub(super) fn top(&self) -> Value {
        self.stack.last().copied().unwrap_or(Value::Null)
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Null)
    }

    /// The integer on the stack.
    #[inline]
    pub(super) fn integer(&mut self) -> i64 {
        match self.pop() {
            Value::Integer(value) => value,
            Value::Lost => {
                self.has_used_lost.set(true);
                0
            }
            _ => 0,
        }
    }

    /// Whether the scalar on the stack is not 0 or null.
    #[inline]
    fn truth(&mut self) -> bool {
        match self.pop() {
            Value::Integer(0) | Value::Null => false,
            Value::Lost => {
                self.has_used_lost.set(true);
                true
            }
            _ => true,
        }
    }

    pub(super) fn overflow(&mut self, span: Span) -> Step<()> {
        self.note_overflow(span);
        match self.options.overflow {
            Overflow::Wrap => Ok(()),
            Overflow::Error => Err(EndKind::Failed(Failure::Overflow)),
            Overflow::Block => Err(EndKind::CutOff),
        }
    }

    fn note_overflow(&mut self, span: Span) {
        if self.overflows.last() != Some(&span) {
            self.overflows.push(span);
        }
    }
}
