//! The choices of a trace, as answers to what an execution of the C program asks.
//!
//! A choice is known by what is chosen and where, and those that are alike come in the order in
//! which the trace makes them. So what a reduced program has left out leaves no gap: what is asked for
//! and was not chosen does not matter. Linear in the trace.

use super::Original;
use super::part::Parts;
use crate::execution::{Cause, Choice, Choices, Kind, Request, What};
use crate::lower::c::{PointKind, Pointed, Scalar};
use crate::program::{Action, PointId, Target, VariableId};
use crate::source::Span;
use crate::trace::{Step, Trace};
use crate::typing::c::tree::{FunctionId, ObjectId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The address of a stranger whose number does not count.
const ANYONE: u64 = 4096;

/// What is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The scalar that a call without body gives.
    Input(FunctionId, Span),
    /// The scalar that a call gives although its function has not returned one.
    Missing(FunctionId, Span),
    /// A part of what a call gives: which bit of it is the first.
    Result(FunctionId, u64),
    /// A part of an object: which bit of it is the first, and how wide it is, because the members
    /// of a union begin together.
    Initial(ObjectId, u64, Width),
    /// A part of memory that a call has allocated, as so many times before.
    Fresh(Span, u32, u64),
    /// The order of the addresses of different objects.
    Order(Span),
    /// Whether memory cannot be allocated.
    Refusal(Span),
}

/// What a scalar may hold: integers of so many values, or pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Width {
    Integer(i128),
    BitField,
    Pointer,
}

/// A choice of the trace.
#[derive(Clone, Copy, Debug)]
struct Entry {
    answer: Choice,
    source: Source,
}

/// Where the trace makes a choice: the step after it, and the cell that has it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub step: usize,
    pub cell: VariableId,
}

/// An answer that was given.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub request: Request,
    pub answer: Choice,
    /// None if the trace does not say.
    pub source: Option<Source>,
}

#[derive(Debug, Default)]
struct Queue {
    /// Those of the stem, then those of the cycle, which come again and again.
    entries: Vec<Entry>,
    stem: usize,
    next: usize,
}

impl Queue {
    fn take(&mut self) -> Option<Entry> {
        if self.next == self.entries.len() && self.stem < self.entries.len() {
            self.next = self.stem;
        }
        let entry = self.entries.get(self.next).copied()?;
        self.next += 1;
        Some(entry)
    }
}

/// The choices of a trace, and those that were made so far.
#[derive(Debug, Default)]
pub struct Script {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    queues: FxHashMap<Key, Queue>,
    made: Vec<Made>,
    strangers: u64,
}

/// Answers as the script says.
pub struct Prompter<'s>(pub &'s Script);

impl Choices for Prompter<'_> {
    fn choose(&mut self, request: &Request) -> Choice {
        self.0.answer(request)
    }

    fn decides_early(&self) -> bool {
        true
    }
}

impl Script {
    pub fn of(original: Original<'_>, parts: &Parts<'_>, trace: &Trace) -> Self {
        let mut reader = Reader {
            original,
            parts,
            entries: Vec::new(),
            above: FxHashMap::default(),
            allocated: FxHashMap::default(),
        };
        if let Some(first) = trace.stem.first() {
            reader.globals(first);
        }
        let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
        let mut state = State::default();
        for (at, step) in steps.iter().enumerate() {
            if at == trace.stem.len() {
                state.add(&mut reader.entries);
                state.queues.values_mut().for_each(Queue::end_stem);
            }
            let after = match at + 1 < steps.len() {
                true => Some(at + 1),
                false => (!trace.cycle.is_empty()).then_some(trace.stem.len()),
            };
            if let Some(after) = after {
                reader.step(step, (after, steps[after]));
            }
        }
        let has_cycle = !trace.cycle.is_empty();
        state.add(&mut reader.entries);
        if !has_cycle {
            state.queues.values_mut().for_each(Queue::end_stem);
        }
        Script {
            state: RefCell::new(state),
        }
    }

    /// What was chosen since this was asked last.
    pub fn take_made(&self) -> Vec<Made> {
        std::mem::take(&mut self.state.borrow_mut().made)
    }

    fn answer(&self, request: &Request) -> Choice {
        let mut state = self.state.borrow_mut();
        let key = key_of(request);
        let queue = key.and_then(|key| state.queues.get_mut(&key));
        let entry = queue.and_then(Queue::take);
        let answer = match entry {
            Some(entry) => entry.answer,
            None => state.any(request),
        };
        let source = entry.map(|entry| entry.source);
        state.made.push(Made {
            request: *request,
            answer,
            source,
        });
        answer
    }
}

impl Queue {
    fn end_stem(&mut self) {
        self.stem = self.entries.len();
    }
}

impl State {
    fn add(&mut self, entries: &mut Vec<(Key, Entry)>) {
        for (key, entry) in entries.drain(..) {
            self.queues.entry(key).or_default().entries.push(entry);
        }
    }

    /// What does not matter: 0, or a pointer that is nobody's.
    fn any(&mut self, request: &Request) -> Choice {
        match (request.kind, request.what) {
            (
                Kind::Pointer,
                What::Initial {
                    cause: Cause::Local | Cause::Heap { .. } | Cause::Parameter,
                    ..
                },
            ) => {
                self.strangers += 1;
                Choice::Number(self.strangers.into())
            }
            _ => Choice::Number(0),
        }
    }
}

fn key_of(request: &Request) -> Option<Key> {
    match request.what {
        What::Input(function) => Some(Key::Input(function, request.span)),
        What::Missing(function) => Some(Key::Missing(function, request.span)),
        What::Initial {
            object,
            offset,
            bit,
            cause,
            ..
        } => {
            let first = u64::from(offset) * 8 + u64::from(bit.unwrap_or(0));
            match (object, cause) {
                (Some(object), cause) => {
                    let width = match request.kind {
                        Kind::Pointer => Width::Pointer,
                        Kind::Integer { .. } if bit.is_some() => Width::BitField,
                        // The first parameter of `main` is positive.
                        Kind::Integer { low: 1, high } if cause == Cause::Parameter => {
                            Width::Integer(2 * high + 1)
                        }
                        Kind::Integer { low, high } => Width::Integer(high - low),
                    };
                    Some(Key::Initial(object, first, width))
                }
                (None, Cause::Heap { call, number }) => Some(Key::Fresh(call, number, first)),
                (None, Cause::Result(function)) => Some(Key::Result(function, first)),
                _ => None,
            }
        }
        What::Order => Some(Key::Order(request.span)),
        What::Failure => Some(Key::Refusal(request.span)),
    }
}

/// Reads choices off the steps of a trace.
struct Reader<'a> {
    original: Original<'a>,
    parts: &'a Parts<'a>,
    entries: Vec<(Key, Entry)>,
    /// The last point at each depth.
    above: FxHashMap<u64, u32>,
    /// How often each call has allocated memory.
    allocated: FxHashMap<Span, u32>,
}

impl Reader<'_> {
    /// What globals begin with that nobody defines.
    fn globals(&mut self, first: &Step) {
        for index in 0..self.original.origin.globals.len() as u32 {
            let cell = VariableId::Global(index);
            let part = self.parts.global(index);
            if part.is_some_and(|part| self.parts.is_undefined(part.object)) {
                self.initial(first, 0, cell);
            }
        }
    }

    fn step(&mut self, step: &Step, (at, after): (usize, &Step)) {
        let Some(point) = step.at() else {
            return;
        };
        self.above.insert(step.depth, point);
        let origin = self.original.origin.point(PointId(point));
        match &origin.kind {
            PointKind::Input {
                function,
                cells,
                bits,
            } => {
                let is_record = self.parts.returns_record(*function);
                for (cell, bit) in cells.iter().zip(bits) {
                    let key = match is_record {
                        true => Key::Result(*function, *bit),
                        false => Key::Input(*function, origin.span),
                    };
                    self.push(key, (at, after), *cell);
                }
            }
            PointKind::Choice { cells } => {
                for cell in cells {
                    self.initial(after, at, *cell);
                }
            }
            PointKind::Fresh { cells, bits, call } => {
                let before = self.allocated.entry(*call).or_default();
                let number = *before;
                *before += 1;
                for (cell, bit) in cells.iter().zip(bits) {
                    self.push(Key::Fresh(*call, number, *bit), (at, after), *cell);
                }
            }
            PointKind::Order { cell, comparison } => {
                self.push(Key::Order(*comparison), (at, after), *cell);
            }
            PointKind::Refusal { cell, call } => {
                self.push(Key::Refusal(*call), (at, after), *cell);
            }
            _ => self.missing(PointId(point), step, (at, after)),
        }
    }

    /// What a cell holds.
    fn number(&self, step: &Step, cell: VariableId) -> Option<Choice> {
        let procedure = self.original.program.point(PointId(step.at()?)).procedure;
        let origin = self.original.origin.cell(procedure, cell);
        match origin.scalar {
            Scalar::Pointer(codes) => {
                let pointed = self
                    .original
                    .origin
                    .pointed(codes, step.valuation.find(cell)?)?;
                Some(match pointed {
                    Pointed::Null => Choice::Number(0),
                    // One that is compared with no other.
                    Pointed::Stranger(number) => Choice::Number(number.unwrap_or(ANYONE).into()),
                    Pointed::Function(function) => Choice::Function(function),
                    Pointed::Object(object, unit) => {
                        let bit = self.parts.unit(object, unit)?;
                        Choice::Object(object, u32::try_from(bit / 8).ok()?)
                    }
                })
            }
            Scalar::Truth | Scalar::Integer(_) => {
                let bits = step.valuation.find(cell)?;
                Some(Choice::Number(origin.value(bits)))
            }
        }
    }

    fn push(&mut self, key: Key, (step, after): (usize, &Step), cell: VariableId) {
        if let Some(answer) = self.number(after, cell) {
            let source = Source { step, cell };
            self.entries.push((key, Entry { answer, source }));
        }
    }

    fn initial(&mut self, after: &Step, at: usize, cell: VariableId) {
        let Some((part, width)) = self.part(after, cell).zip(self.width(after, cell)) else {
            return;
        };
        let width = match part.is_bit_field {
            true => Width::BitField,
            false => width,
        };
        let key = Key::Initial(part.object, part.bit, width);
        self.push(key, (at, after), cell);
    }

    /// What may be in a cell.
    fn width(&self, step: &Step, cell: VariableId) -> Option<Width> {
        let procedure = self.original.program.point(PointId(step.at()?)).procedure;
        Some(match self.original.origin.cell(procedure, cell).scalar {
            Scalar::Truth => Width::Integer(1),
            Scalar::Integer(width) => Width::Integer((1 << width.bits) - 1),
            Scalar::Pointer(_) => Width::Pointer,
        })
    }

    fn part(&self, step: &Step, cell: VariableId) -> Option<super::part::Part> {
        let procedure = self.original.program.point(PointId(step.at()?)).procedure;
        self.parts.part(procedure, cell)
    }

    /// The result of a call that returns without one.
    fn missing(&mut self, point: PointId, step: &Step, (at, after): (usize, &Step)) {
        let program = self.original.program;
        let procedure = program.procedure_of(point);
        let is_missing = point == procedure.exit()
            && !procedure.returns.is_empty()
            && step.returns.as_ref().is_none_or(|values| values.is_empty())
            && after.depth + 1 == step.depth;
        let function = self.original.origin.functions[program.point(point).procedure.0 as usize];
        let caller = self.above.get(&after.depth).copied().map(PointId);
        let (Some(function), Some(caller), true) = (function, caller, is_missing) else {
            return;
        };
        let Action::Call(call) = &program.point(caller).action else {
            return;
        };
        let span = self.original.origin.point(caller).span;
        let bits = &self.original.origin.results[call.callee.0 as usize];
        let is_record = self.parts.returns_record(function);
        for (target, bit) in call.targets.iter().zip(bits) {
            let key = match is_record {
                true => Key::Result(function, *bit),
                false => Key::Missing(function, span),
            };
            if let Target::Cell(cell) = target {
                self.push(key, (at, after), *cell);
            }
        }
    }
}
