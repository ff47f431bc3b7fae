//! The choices of a trace, as answers to what an execution of the C program asks.
//!
//! A choice is known by what is chosen and where, and those that are alike come in the order in
//! which the trace makes them; a value that nobody has written, also by how often its object began to have none,
//! because it may be asked for in one round of a loop and not in another. So what a reduced program has left out leaves no gap: what is asked for
//! and was not chosen does not matter. Linear in the trace.

use super::Original;
use super::part::Parts;
use crate::execution::{Cause, Choice, Choices, Kind, Request, What};
use crate::lower::c::{Occasion, PointKind, Pointed, Scalar};
use crate::program::{Action, PointId, Target, VariableId};
use crate::source::Span;
use crate::trace::{Step, Trace};
use crate::typing::c::tree::{FunctionId, ObjectId};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
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
    /// A part of what had no value, for the same reason so many times before: which bit of it is the
    /// first, and how wide it is, because the members of a union begin together.
    Initial(Cause, u32, u64, Width),
    /// The order of the addresses of different objects.
    Order(Span),
    /// Whether memory cannot be allocated.
    Refusal(Span),
}

/// What a scalar may hold: integers of so many bits, or pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Width {
    Integer(u32),
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

/// How often values were left open for one reason, in the stem and in all.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    stem: u32,
    all: u32,
}

impl Count {
    /// The one in the trace that this one is: those of the cycle come again and again.
    fn fold(self, number: u32) -> u32 {
        let round = self.all - self.stem;
        match number < self.all || round == 0 {
            true => number,
            false => self.stem + (number - self.stem) % round,
        }
    }
}

#[derive(Debug, Default)]
struct State {
    queues: FxHashMap<Key, Queue>,
    /// How often values were left open, by the reason.
    causes: FxHashMap<Cause, Count>,
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
            causes: FxHashMap::default(),
        };
        if let Some(first) = trace.stem.first() {
            reader.globals(first);
        }
        let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
        let mut state = State::default();
        for (at, step) in steps.iter().enumerate() {
            if at == trace.stem.len() {
                state.add(&mut reader);
                state.end_stem();
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
        state.add(&mut reader);
        if !has_cycle {
            state.end_stem();
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
        let key = state.key_of(request);
        let entry = state.queues.get_mut(&key).and_then(Queue::take);
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
    fn add(&mut self, reader: &mut Reader<'_>) {
        for (key, entry) in reader.entries.drain(..) {
            self.queues.entry(key).or_default().entries.push(entry);
        }
        for (cause, count) in &reader.causes {
            self.causes.entry(*cause).or_default().all = *count;
        }
    }

    fn end_stem(&mut self) {
        self.queues.values_mut().for_each(Queue::end_stem);
        for count in self.causes.values_mut() {
            count.stem = count.all;
        }
    }

    /// What does not matter: 0, or a pointer that is nobody's.
    fn any(&mut self, request: &Request) -> Choice {
        match (request.kind, request.what) {
            (Kind::Pointer, What::Initial { cause, .. })
                if cause.is_uninitialised() || matches!(cause, Cause::Parameter(_)) =>
            {
                self.strangers += 1;
                Choice::Number(self.strangers.into())
            }
            _ => Choice::Number(0),
        }
    }

    fn key_of(&self, request: &Request) -> Key {
        match request.what {
            What::Input(function) => Key::Input(function, request.span),
            What::Missing(function) => Key::Missing(function, request.span),
            What::Initial { cause, number, bit } => {
                let width = match request.kind {
                    Kind::Pointer => Width::Pointer,
                    // The first parameter of `main` is positive.
                    Kind::Integer { low: 1, high } => Width::Integer(bits(2 * high + 1)),
                    Kind::Integer { low, high } => Width::Integer(bits(high - low)),
                };
                let count = self.causes.get(&cause).copied().unwrap_or_default();
                Key::Initial(cause, count.fold(number), bit, width)
            }
            What::Order => Key::Order(request.span),
            What::Failure => Key::Refusal(request.span),
        }
    }
}

/// How many bits numbers up to this one have.
fn bits(most: i128) -> u32 {
    i128::BITS - most.leading_zeros()
}

/// Reads choices off the steps of a trace.
struct Reader<'a> {
    original: Original<'a>,
    parts: &'a Parts<'a>,
    entries: Vec<(Key, Entry)>,
    /// The last point at each depth.
    above: FxHashMap<u64, u32>,
    /// How often values were left open, by the reason.
    causes: FxHashMap<Cause, u32>,
}

impl Reader<'_> {
    /// What globals begin with that nobody defines.
    fn globals(&mut self, first: &Step) {
        let globals = (0..self.original.origin.globals.len() as u32).map(VariableId::Global);
        let undefined = globals.filter(|cell| {
            let part = self.part(first, *cell);
            part.is_some_and(|part| self.parts.is_undefined(part.object))
        });
        let undefined: Vec<VariableId> = undefined.collect();
        self.initial((0, first), &undefined, Cause::Extern);
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
                if self.parts.returns_record(*function) {
                    let parts = cells.iter().copied().zip(bits.iter().copied());
                    return self.open(Cause::Result(*function), (at, after), parts);
                }
                for cell in cells {
                    self.push(Key::Input(*function, origin.span), (at, after), *cell);
                }
            }
            PointKind::Choice { cells, occasion } => {
                let cause = match occasion {
                    Occasion::Start => Cause::Parameter,
                    Occasion::Block => Cause::Block,
                    Occasion::Jump => Cause::Jump,
                    Occasion::Declaration => Cause::Local,
                    Occasion::Call => Cause::Havoc,
                };
                self.initial((at, after), cells, cause);
            }
            PointKind::Fresh { cells, bits, call } => {
                let parts = cells.iter().copied().zip(bits.iter().copied());
                self.open(Cause::Heap(*call), (at, after), parts);
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

    /// Objects begin to have no value, but what is in their cells after a step.
    fn initial(
        &mut self,
        after: (usize, &Step),
        cells: &[VariableId],
        cause: fn(ObjectId) -> Cause,
    ) {
        let mut objects: IndexMap<ObjectId, Vec<(VariableId, u64)>, FxBuildHasher> =
            IndexMap::default();
        for cell in cells {
            if let Some(part) = self.part(after.1, *cell) {
                let parts = objects.entry(part.object).or_default();
                parts.push((*cell, part.bit));
            }
        }
        for (object, parts) in objects {
            self.open(cause(object), after, parts.into_iter());
        }
    }

    /// Something begins to have no value: what its cells hold after a step, each with its first bit.
    fn open(
        &mut self,
        cause: Cause,
        after: (usize, &Step),
        parts: impl Iterator<Item = (VariableId, u64)>,
    ) {
        let before = self.causes.entry(cause).or_default();
        let number = *before;
        *before += 1;
        for (cell, bit) in parts {
            if let Some(width) = self.width(after.1, cell) {
                self.push(Key::Initial(cause, number, bit, width), after, cell);
            }
        }
    }

    /// What may be in a cell.
    fn width(&self, step: &Step, cell: VariableId) -> Option<Width> {
        let procedure = self.original.program.point(PointId(step.at()?)).procedure;
        Some(match self.original.origin.cell(procedure, cell).scalar {
            Scalar::Truth => Width::Integer(1),
            Scalar::Integer(width) => Width::Integer(width.bits.into()),
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
        let results = call.targets.iter().zip(bits).filter_map(|pair| match pair {
            (Target::Cell(cell), bit) => Some((*cell, *bit)),
            _ => None,
        });
        if self.parts.returns_record(function) {
            return self.open(Cause::Missing(function), (at, after), results);
        }
        for (cell, _) in results {
            self.push(Key::Missing(function, span), (at, after), cell);
        }
    }
}
