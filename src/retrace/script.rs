//! The choices of a trace, as answers to what an execution of the C program asks.
//!
//! A choice is known by what is chosen and where, and those that are alike come in the order in
//! which the trace makes them; a value that nobody has written, also by how often its object began to have none,
//! because it may be asked for in one round of a loop and not in another. So what a reduced program has left out leaves no gap: what is asked for
//! and was not chosen does not matter. Linear in the trace.

use super::Original;
use super::part::Parts;
use super::row::Row;
use crate::execution::{Cause, Choice, Choices, Kind, Request, What};
use crate::lower::c::{Occasion, PointKind, Scalar};
use crate::program::{Action, PointId, Target, VariableId};
use crate::source::Span;
use crate::trace::{Fold, Step, Trace};
use crate::typing::c::tree::{FunctionId, ObjectId, Program, Role};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::RefCell;

/// What is chosen, but for values that nobody has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The scalar that a call without body gives.
    Input(FunctionId, Span),
    /// The scalar that a call gives although its function has not returned one.
    Missing(FunctionId, Span),
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

impl Made {
    /// The function without body whose result it is, if it is one.
    pub fn input(&self, typed: &Program) -> Option<FunctionId> {
        let What::Input(function) = self.request.what else {
            return None;
        };
        // What a rule watches is no input of the program.
        let role = typed.functions[function.0 as usize].role;
        (role == Role::Program).then_some(function)
    }
}

/// The choices of a trace, and those that were made so far.
#[derive(Debug, Default)]
pub struct Script {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    read: Choosing,
    /// What was chosen where nobody had written anything.
    initial: FxHashMap<(Cause, u32, u64, Width), Entry>,
    /// How many of each kind were asked for.
    asked: FxHashMap<Key, u64>,
    made: Vec<Made>,
    strangers: u64,
}

/// The choices of a part of a trace, in their order.
#[derive(Debug, Default)]
struct Choosing {
    entries: FxHashMap<Key, Row<Entry>>,
    /// The numbers of values that began to be open, by the reason: those that come again have the
    /// same.
    causes: FxHashMap<Cause, Row<u32>>,
}

impl Choosing {
    /// Adds a part so many times.
    fn repeat(&mut self, part: Choosing, times: u64) {
        for (key, row) in part.entries {
            self.entries.entry(key).or_default().repeat(row, times);
        }
        for (cause, row) in part.causes {
            self.causes.entry(cause).or_default().repeat(row, times);
        }
    }
}

/// Which of the rounds are made that a trace has folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    All,
    /// Each of those that it has samples of, once.
    Samples,
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
    /// None if something is folded whose choices are not known.
    pub fn of(
        original: Original<'_>,
        parts: &Parts<'_>,
        trace: &Trace,
        rounds: Rounds,
    ) -> Option<Self> {
        let mut reader = Reader {
            original,
            parts,
            rounds,
            open: vec![Choosing::default()],
            initial: FxHashMap::default(),
            births: FxHashMap::default(),
            above: FxHashMap::default(),
        };
        if let Some(first) = trace.stem.first() {
            reader.globals(first);
        }
        reader.read(trace)?;
        Some(Script {
            state: RefCell::new(State {
                read: reader.open.pop()?,
                initial: reader.initial,
                ..State::default()
            }),
        })
    }

    /// Begins again.
    pub fn rewind(&self) {
        let state = &mut *self.state.borrow_mut();
        state.asked.clear();
        state.made.clear();
        state.strangers = 0;
    }

    /// What was chosen since this was asked last.
    pub fn take_made(&self) -> Vec<Made> {
        std::mem::take(&mut self.state.borrow_mut().made)
    }

    /// Whether something was chosen since then.
    pub fn has_made(&self) -> bool {
        !self.state.borrow().made.is_empty()
    }

    fn answer(&self, request: &Request) -> Choice {
        let mut state = self.state.borrow_mut();
        let entry = state.entry(request);
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

impl State {
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

    /// The choice of the trace that answers a request, if there is one.
    fn entry(&mut self, request: &Request) -> Option<Entry> {
        let key = match request.what {
            What::Initial { cause, number, bit } => {
                let width = match request.kind {
                    Kind::Pointer => Width::Pointer,
                    // The first parameter of `main` is positive.
                    Kind::Integer { low: 1, high } => Width::Integer(bits(2 * high + 1)),
                    Kind::Integer { low, high } => Width::Integer(bits(high - low)),
                };
                let number = self.read.causes.get(&cause)?.get(number.into())?;
                return self.initial.get(&(cause, number, bit, width)).copied();
            }
            What::Input(function) => Key::Input(function, request.span),
            What::Missing(function) => Key::Missing(function, request.span),
            What::Order => Key::Order(request.span),
            What::Failure => Key::Refusal(request.span),
        };
        let entries = self.read.entries.get(&key)?;
        let asked = self.asked.entry(key).or_default();
        let entry = entries.get(*asked);
        *asked += 1;
        entry
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
    rounds: Rounds,
    /// What was read so far: of the trace, and of the parts of it that are repeated.
    open: Vec<Choosing>,
    initial: FxHashMap<(Cause, u32, u64, Width), Entry>,
    /// How often values were left open, by the reason.
    births: FxHashMap<Cause, u32>,
    /// The last point at each depth.
    above: FxHashMap<u64, u32>,
}

/// Folded rounds are read no deeper inside each other.
const DEEPEST: usize = 64;

/// What is still to be read.
enum Task<'t> {
    /// Steps from one on, over so many frames. If they are shown: the number of the first of all.
    Steps(&'t [Step], usize, u64, Option<usize>),
    /// Two steps, each over so many frames, that are not in one list; the number of the second, if
    /// it is shown.
    Join([(&'t Step, u64); 2], Option<usize>),
    /// What comes now is repeated,
    Open,
    /// so many times.
    Close(u64),
}

impl Reader<'_> {
    fn read(&mut self, trace: &Trace) -> Option<()> {
        let (stem, cycle) = (&trace.stem[..], &trace.cycle[..]);
        let mut tasks = Vec::new();
        if let (Some(first), Some(last)) = (cycle.first(), cycle.last()) {
            let number = Some(stem.len());
            tasks.push(Task::Close(u64::MAX));
            tasks.push(Task::Join([(last, 0), (first, 0)], number));
            tasks.push(Task::Steps(cycle, 0, 0, number));
            tasks.push(Task::Open);
            let before = stem.last();
            tasks.extend(before.map(|before| Task::Join([(before, 0), (first, 0)], number)));
        }
        tasks.push(Task::Steps(stem, 0, 0, Some(0)));
        while let Some(task) = tasks.pop() {
            match task {
                Task::Open if self.open.len() > DEEPEST => return None,
                Task::Open => self.open.push(Choosing::default()),
                Task::Close(times) => {
                    let part = self.open.pop()?;
                    self.open.last_mut()?.repeat(part, times);
                }
                Task::Join([from, to], number) => {
                    self.lifted(from, (to, number.unwrap_or(usize::MAX)));
                }
                Task::Steps(steps, at, below, first) => {
                    let [step, next, ..] = &steps[at.min(steps.len())..] else {
                        continue;
                    };
                    let number = first.map(|first| first + at + 1);
                    tasks.push(Task::Steps(steps, at + 1, below, first));
                    match step.folded {
                        None => tasks.push(Task::Join([(step, below), (next, below)], number)),
                        Some(Fold::Call(id)) => {
                            let callee = trace.segments.get(id.0 as usize)?;
                            let above = below + step.depth + 1;
                            let (entry, exit) = (callee.first()?, callee.last()?);
                            tasks.push(Task::Join([(exit, above), (next, below)], number));
                            tasks.push(Task::Steps(callee, 0, above, None));
                            tasks.push(Task::Join([(step, below), (entry, above)], None));
                        }
                        Some(Fold::Rounds(id)) => {
                            for (sample, steps) in trace.samples(id).rev() {
                                tasks.push(Task::Close(match self.rounds {
                                    Rounds::All => sample.rounds,
                                    Rounds::Samples => 1,
                                }));
                                tasks.push(Task::Steps(steps, 0, below + step.depth, None));
                                tasks.push(Task::Open);
                            }
                        }
                        Some(Fold::Nested(_) | Fold::Returned(_)) => return None,
                    }
                }
            }
        }
        Some(())
    }

    /// Reads a step, and the one after it with its number, each over so many frames.
    fn lifted(&mut self, (step, below): (&Step, u64), ((after, under), at): ((&Step, u64), usize)) {
        if below == 0 && under == 0 {
            return self.step(step, (at, after));
        }
        let [mut step, mut after] = [step.clone(), after.clone()];
        step.lift(below);
        after.lift(under);
        self.step(&step, (at, &after));
    }

    /// What globals begin with that nobody defines.
    fn globals(&mut self, first: &Step) {
        let globals = (0..self.original.origin.globals.len() as u32).map(VariableId::Global);
        let undefined = globals.filter(|cell| {
            let part = self.parts.at(first, *cell);
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

    fn push(&mut self, key: Key, (step, after): (usize, &Step), cell: VariableId) {
        if let (Some(entry), Some(part)) = (self.entry((step, after), cell), self.open.last_mut()) {
            part.entries.entry(key).or_default().push(entry);
        }
    }

    fn entry(&self, (step, after): (usize, &Step), cell: VariableId) -> Option<Entry> {
        let answer = self.parts.value(after, cell)?;
        let source = Source { step, cell };
        Some(Entry { answer, source })
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
            if let Some(part) = self.parts.at(after.1, *cell) {
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
        let before = self.births.entry(cause).or_default();
        let number = *before;
        *before += 1;
        if let Some(part) = self.open.last_mut() {
            part.causes.entry(cause).or_default().push(number);
        }
        for (cell, bit) in parts {
            if let (Some(width), Some(entry)) = (self.width(after.1, cell), self.entry(after, cell))
            {
                self.initial.insert((cause, number, bit, width), entry);
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
