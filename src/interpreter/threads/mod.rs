//! The concrete meaning of programs with threads, on top of the single steps of one thread.
//!
//! A [`Configuration`] has the stacks of all threads and says which of them is running. It is
//! followed by the running thread's own [`steps`] and by the [`switches`] to another thread.
//! What a thread begins with, where the program leaves that open, is chosen when it runs for
//! the first time: until then nobody can tell, and so there are fewer configurations.
//!
//! A configuration takes as much room as all its frames; what follows it, a copy each.

mod naming;
pub mod replay;
#[cfg(test)]
mod tests;

pub use naming::{Origin, name_threads};

use super::assignment::{Choice, for_each_choice};
use super::step::{Outcome, TooMany, Wish, at_most, failure, resumptions, some_successors};
use super::{Valuation, View, Waiting};
use crate::program::{Action, NewThread, PointId, ProcedureId, Program, ThreadStart, VariableId};
use crate::trace::failure::Failure;
use crate::trace::{Location, Step, Thread};

/// A state of the whole program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The number of the thread that is running.
    pub running: u32,
    /// By number. Thread 0 always has a place, as one that ended if there is none.
    threads: Vec<ThreadState>,
    /// The globals, with 0 for those that each thread has its own of.
    shared: Box<[u64]>,
    /// Whether the program is in *error*: the running thread failed where it is.
    pub failed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ThreadState {
    origin: Origin,
    /// Its copies of the globals of which it has its own, in their order. `None` before it runs,
    /// if they will be those that thread 0 has left, or any.
    own: Option<Box<[u64]>>,
    control: Control,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Control {
    /// It has never run; `None` for any value.
    Fresh {
        at: PointId,
        locals: Box<[Option<u64>]>,
    },
    /// The frame on top is the last one.
    Frames(Vec<Frame>),
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    at: PointId,
    locals: Box<[u64]>,
    returns: Option<Box<[u64]>>,
}

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How often the running thread changes.
    Switches,
    /// How often it changes to one of a smaller number, and one.
    Rounds,
}

impl Measure {
    /// What an execution has that does nothing yet.
    pub fn least(self) -> u32 {
        match self {
            Measure::Switches => 0,
            Measure::Rounds => 1,
        }
    }

    /// What a change of the running thread costs.
    pub fn cost(self, from: u32, to: u32) -> u32 {
        u32::from(match self {
            Measure::Switches => is_switch(from, to),
            Measure::Rounds => begins_round(from, to),
        })
    }
}

/// Whether a change of the running thread is a context switch: all are, but for the one to the
/// first thread that runs after thread 0.
pub fn is_switch(from: u32, to: u32) -> bool {
    from != to && from != 0
}

/// Whether a change of the running thread begins a round.
pub fn begins_round(from: u32, to: u32) -> bool {
    to < from
}

/// The globals of which each thread has its own.
fn own_globals(program: &Program) -> &[u32] {
    let threads = program.threads.as_ref();
    threads.map_or(&[][..], |threads| &threads.own)
}

/// Whether the running thread is exclusive.
fn is_exclusive(program: &Program, globals: &[u64]) -> bool {
    let threads = program.threads.as_ref();
    threads.is_some_and(|threads| globals[threads.exclusive as usize] != 0)
}

/// The globals, with the thread's own ones in place.
fn with_own(program: &Program, shared: &[u64], own: &[u64]) -> Vec<u64> {
    let mut globals = shared.to_vec();
    for (index, value) in own_globals(program).iter().zip(own) {
        globals[*index as usize] = *value;
    }
    globals
}

/// What a thread has its own of, among all globals.
fn own_of(program: &Program, globals: &[u64]) -> Box<[u64]> {
    let own = own_globals(program).iter();
    own.map(|index| globals[*index as usize]).collect()
}

/// What a frame that was pushed by nobody begins with: parameters as given, the others open, but for
/// the hidden ones, which nothing reads before it sets them.
fn first_locals(
    program: &Program,
    procedure: ProcedureId,
    arguments: impl Iterator<Item = Option<u64>>,
) -> Box<[Option<u64>]> {
    let shown = program.shown_locals(procedure).len();
    let all = program.procedure(procedure).locals.len();
    let open = arguments.chain(std::iter::repeat(None)).take(shown);
    open.chain(std::iter::repeat(Some(0))).take(all).collect()
}

/// Every way to fill what is open, at most `allowed`.
fn filled(
    cells: impl Iterator<Item = (Option<u64>, Choice)>,
    allowed: usize,
) -> Result<Vec<Vec<u64>>, TooMany> {
    let choice = |(value, any): (Option<u64>, Choice)| value.map_or(any, Choice::only);
    let choices: Vec<Choice> = cells.map(choice).collect();
    let mut all = Vec::new();
    for_each_choice(&choices, &mut |values| {
        all.push(values.to_vec());
        all.len() <= allowed
    });
    at_most(all, allowed)
}

/// Everything that executions may begin with, at most `allowed`. None without threads.
pub fn starts(program: &Program, allowed: usize) -> Result<Vec<Configuration>, TooMany> {
    let Some(threads) = &program.threads else {
        return Ok(Vec::new());
    };
    let fresh = |procedure, arguments: &[Option<u64>]| ThreadState {
        origin: Origin::of_procedure(program, procedure),
        own: None,
        control: Control::Fresh {
            at: program.procedure(procedure).entry(),
            locals: first_locals(program, procedure, arguments.iter().copied()),
        },
    };
    let zeroth = match threads.init {
        Some(init) => fresh(init, &[]),
        None => ThreadState {
            origin: Origin::of_procedure(program, program.entry),
            own: None,
            control: Control::Ended,
        },
    };
    let declared = |start: &ThreadStart| fresh(start.procedure, &start.arguments);
    let declared = threads.declared.iter().map(declared);
    let states: Vec<ThreadState> = std::iter::once(zeroth).chain(declared).collect();
    let globals = program.globals.iter().zip(0..).map(|(cell, i)| {
        let is_open = i != threads.exclusive && !threads.is_own(i);
        ((!is_open).then_some(0), Choice::any(cell.domain))
    });
    let mut starts = Vec::new();
    for shared in filled(globals, allowed)? {
        let before = Configuration {
            running: 0,
            threads: states.clone(),
            shared: shared.into(),
            failed: false,
        };
        let firsts = match threads.init {
            Some(_) => 0..1,
            None => 1..states.len() as u32,
        };
        for first in firsts {
            starts.extend(before.run(program, first, allowed)?);
        }
        starts = at_most(starts, allowed)?;
    }
    Ok(starts)
}

/// The steps of the running thread, at most `allowed`.
pub fn steps(
    program: &Program,
    before: &Configuration,
    allowed: usize,
) -> Result<Vec<Configuration>, TooMany> {
    let (Some(view), false) = (before.view(program), before.failed) else {
        return Ok(Vec::new());
    };
    let wish = Hidden::at(program, view.at);
    let most = allowed.saturating_add(1);
    let outcomes = some_successors(program, &view, &wish, most);
    let mut after = Vec::new();
    for outcome in at_most(outcomes, allowed)? {
        before.follow(program, outcome, allowed, &mut after)?;
    }
    at_most(after, allowed)
}

/// The changes to another running thread, at most `allowed`.
pub fn switches(
    program: &Program,
    before: &Configuration,
    allowed: usize,
) -> Result<Vec<Configuration>, TooMany> {
    let is_alone = before.running == 0 && !before.has_ended();
    if before.failed || is_alone || is_exclusive(program, &before.shared) {
        return Ok(Vec::new());
    }
    let mut after = Vec::new();
    for thread in 1..before.threads.len() as u32 {
        if thread != before.running {
            after.extend(before.run(program, thread, allowed)?);
        }
    }
    at_most(after, allowed)
}

/// What can be seen of a configuration in a trace.
pub fn to_step(program: &Program, configuration: &Configuration) -> Step {
    let globals = configuration.globals(program);
    let running = configuration.thread();
    let frames = match &running.control {
        Control::Frames(frames) if !configuration.failed => &frames[..],
        _ => &[],
    };
    let (location, depth, valuation, returns) = match frames.split_last() {
        Some((top, below)) => (
            Location::At(top.at.0),
            below.len() as u64,
            Valuation::new(&globals, &top.locals),
            top.returns.clone(),
        ),
        None => {
            let location = match configuration.failed {
                true => Location::Error,
                false => Location::Terminated,
            };
            (location, 0, Valuation::new(&globals, &[]), None)
        }
    };
    Step {
        thread: configuration.running,
        returns,
        ..Step::new(location, depth, valuation)
    }
}

impl Configuration {
    fn thread(&self) -> &ThreadState {
        &self.threads[self.running as usize]
    }

    fn thread_mut(&mut self) -> &mut ThreadState {
        &mut self.threads[self.running as usize]
    }

    /// Whether the running thread has ended.
    pub fn has_ended(&self) -> bool {
        self.thread().control == Control::Ended
    }

    /// How many threads and frames there are.
    pub fn size(&self) -> usize {
        let frames = |thread: &ThreadState| match &thread.control {
            Control::Frames(frames) => frames.len(),
            Control::Fresh { .. } | Control::Ended => 1,
        };
        self.threads.iter().map(frames).sum()
    }

    /// Where the running thread is, unless it has ended; in *error*, where it failed.
    pub fn at(&self) -> Option<PointId> {
        match &self.thread().control {
            Control::Frames(frames) => frames.last().map(|top| top.at),
            Control::Fresh { .. } | Control::Ended => None,
        }
    }

    /// What the running thread sees, unless it has ended.
    pub fn view(&self, program: &Program) -> Option<View> {
        let Control::Frames(frames) = &self.thread().control else {
            return None;
        };
        let top = frames.last()?;
        Some(View {
            at: top.at,
            valuation: Valuation::new(&self.globals(program), &top.locals),
            returns: top.returns.clone(),
        })
    }

    /// Why the program is in *error*, if it is.
    pub fn failure(&self, program: &Program) -> Option<Failure> {
        let view = self.view(program).filter(|_| self.failed)?;
        failure(program, &view, &|_| true)
    }

    /// All threads there are, by number.
    pub fn named_threads(&self, program: &Program) -> Vec<Thread> {
        name_threads(program, self.threads.iter().map(|thread| thread.origin))
    }

    /// As the running thread sees them.
    fn globals(&self, program: &Program) -> Vec<u64> {
        let own = self.thread().own.as_deref();
        with_own(program, &self.shared, own.unwrap_or_default())
    }

    fn set_globals(&mut self, program: &Program, globals: &[u64]) {
        self.thread_mut().own = Some(own_of(program, globals));
        self.shared = globals.into();
        for index in own_globals(program) {
            self.shared[*index as usize] = 0;
        }
    }

    /// Every way in which `thread` becomes the running one: one, unless it has never run.
    fn run(
        &self,
        program: &Program,
        thread: u32,
        allowed: usize,
    ) -> Result<Vec<Configuration>, TooMany> {
        let mut after = self.clone();
        after.running = thread;
        let Control::Fresh { at, locals } = &self.threads[thread as usize].control else {
            return Ok(vec![after]);
        };
        let own = self.threads[thread as usize].own.as_deref();
        let own = own.or(self.threads[0].own.as_deref());
        let own_cells = own_globals(program).iter().zip(0..).map(|(index, i)| {
            let domain = program.globals[*index as usize].domain;
            (own.map(|own| own[i]), Choice::any(domain))
        });
        let cells = &program.procedure_of(*at).locals;
        let locals = locals.iter().zip(cells);
        let locals = locals.map(|(value, cell)| (*value, Choice::any(cell.domain)));
        let own_count = own_globals(program).len();
        let begin = |values: Vec<u64>| {
            let (own, locals) = values.split_at(own_count);
            let mut after = after.clone();
            after.thread_mut().own = Some(own.into());
            after.thread_mut().control = Control::Frames(vec![Frame {
                at: *at,
                locals: locals.into(),
                returns: None,
            }]);
            after
        };
        let all = filled(own_cells.chain(locals), allowed)?;
        Ok(all.into_iter().map(begin).collect())
    }

    /// Adds what a step of the running thread leads to.
    fn follow(
        &self,
        program: &Program,
        outcome: Outcome,
        allowed: usize,
        found: &mut Vec<Configuration>,
    ) -> Result<(), TooMany> {
        let mut after = self.clone();
        let Control::Frames(frames) = &mut after.thread_mut().control else {
            return Ok(());
        };
        let top = frames.pop();
        match outcome {
            Outcome::Next(view) => after.push(program, &view),
            Outcome::Enter(view, waiting) => {
                frames.push(Frame {
                    at: waiting.at,
                    locals: waiting.locals,
                    returns: None,
                });
                after.push(program, &view);
            }
            Outcome::Create(view, begins) => {
                after.push(program, &view);
                let created = top.and_then(|top| created(program, top.at, &begins));
                after.threads.extend(created);
            }
            Outcome::End(globals) => after.end(program, globals),
            Outcome::Leave { globals, returns } => match frames.pop() {
                None => after.end(program, globals),
                Some(below) => {
                    let waiting = Waiting {
                        at: below.at,
                        locals: below.locals,
                    };
                    let returns = returns.as_deref();
                    for outcome in resumptions(program, &waiting, &globals, returns, allowed)? {
                        if let Outcome::Next(view) = outcome {
                            let mut after = after.clone();
                            after.push(program, &view);
                            found.push(after);
                        }
                    }
                    return Ok(());
                }
            },
            Outcome::Error(_) => {
                frames.extend(top);
                after.failed = true;
            }
        }
        found.push(after);
        Ok(())
    }

    /// Puts a frame on top of the running thread's stack.
    fn push(&mut self, program: &Program, view: &View) {
        self.set_globals(program, view.valuation.globals());
        if let Control::Frames(frames) = &mut self.thread_mut().control {
            frames.push(Frame {
                at: view.at,
                locals: view.valuation.locals().into(),
                returns: view.returns.clone(),
            });
        }
    }

    fn end(&mut self, program: &Program, globals: Vec<u64>) {
        self.set_globals(program, &when_ended(program, globals));
        self.thread_mut().control = Control::Ended;
    }
}

/// A thread that ends is no longer exclusive.
pub(super) fn when_ended(program: &Program, mut globals: Vec<u64>) -> Vec<u64> {
    if let Some(threads) = &program.threads {
        globals[threads.exclusive as usize] = 0;
    }
    globals
}

/// The thread that the step from a point creates.
fn created(program: &Program, at: PointId, begins: &View) -> Option<ThreadState> {
    let Action::StartThread { thread, .. } = &program.point(at).action else {
        return None;
    };
    let values = begins.valuation.locals().iter().map(|value| Some(*value));
    let locals = match thread {
        NewThread::Copy { .. } => values.collect(),
        NewThread::Call { callee, arguments } => {
            first_locals(program, *callee, values.take(arguments.len()))
        }
    };
    Some(ThreadState {
        origin: Origin::of_creation(program, thread),
        own: Some(own_of(program, begins.valuation.globals())),
        control: Control::Fresh {
            at: begins.at,
            locals,
        },
    })
}

/// Wants 0 where it does not matter: in the hidden locals of a frame that is pushed, and in all
/// locals but the parameters of a thread that is created, which are chosen when it first runs.
struct Hidden {
    /// The first of these locals.
    pushed: u32,
    created: u32,
}

impl Hidden {
    fn at(program: &Program, at: PointId) -> Self {
        let (mut pushed, mut created) = (u32::MAX, u32::MAX);
        match &program.point(at).action {
            Action::Call(call) => pushed = program.shown_locals(call.callee).len() as u32,
            Action::StartThread {
                thread: NewThread::Call { callee, .. },
                ..
            } => created = program.procedure(*callee).parameters,
            _ => {}
        }
        Hidden { pushed, created }
    }
}

impl Wish for Hidden {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        match variable {
            VariableId::Local(index) if index >= self.pushed => Some(0),
            _ => None,
        }
    }

    fn created(&self, local: u32) -> Option<u64> {
        (local >= self.created).then_some(0)
    }
}
