//! The check that a list of steps is an execution of threads.
//!
//! Each step must follow from the one before by a step of the same thread, or be a context switch:
//! then the thread goes on as it was left, or begins as it may. Of each thread the real stack is
//! kept. A call is folded only within a context; what it stands on is replayed once. Linear
//! in the steps, and in the number of threads.

use super::super::View;
use super::super::replay::{Mismatch, Replay, Stack};
use super::super::step::{Outcome, Wish, choose};
use super::{Origin, begins_round, is_exclusive, is_switch, name_threads, own_globals, own_of};
use crate::program::{Action, Cell, PointId, Program, ThreadStart};
use crate::trace::{Location, SegmentId, Step, Thread, Trace};

/// What there is to say of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// How often the running thread changes, not counting the change from thread 0.
    pub switches: u64,
    /// One, and one more for each change to a thread of a smaller number.
    pub rounds: u64,
    /// All threads at its end, by number.
    pub threads: Vec<Thread>,
}

/// Checks that the stem is an execution from the start on; there must be no cycle.
pub fn replay(program: &Program, trace: &Trace) -> Result<Replayed, Mismatch> {
    let mut created: Vec<Vec<View>> = Vec::new();
    for (i, steps) in trace.segments.iter().enumerate() {
        let replay = Replay {
            program,
            trace,
            segments: i,
            created: &created,
            failure: None,
        };
        let steps: Vec<&Step> = steps.iter().collect();
        let creators = replay.run(&steps).map_err(|index| Mismatch {
            segment: Some(SegmentId(i as u32)),
            index,
        })?;
        created.push(creators);
    }
    let replay = Replay {
        program,
        trace,
        segments: created.len(),
        created: &created,
        failure: trace.failure.as_ref(),
    };
    run(&replay, &trace.stem).map_err(|index| Mismatch {
        segment: None,
        index,
    })
}

/// A thread of the execution, as far as it was followed.
struct ThreadReplay<'s> {
    origin: Origin,
    resumption: Resumption<'s>,
    stack: Stack<'s>,
}

/// How a thread goes on when it runs.
enum Resumption<'s> {
    /// It begins, with these parameters; `None` for any value.
    Declared(PointId, &'s [Option<u64>]),
    /// It begins as this view creates it.
    Created(View),
    At(&'s Step),
    /// There is no such thread.
    Nowhere,
}

/// Fails with the index of the step that does not follow.
fn run<'s>(replay: &Replay<'s>, steps: &'s [Step]) -> Result<Replayed, usize> {
    let program = replay.program;
    let mut threads = declared(program);
    let first = steps
        .first()
        .filter(|first| is_first(program, first, &threads));
    let Some(first) = first.filter(|_| replay.trace.cycle.is_empty()) else {
        return Err(0);
    };
    let (mut switches, mut rounds) = (0, 1);
    threads[first.thread as usize].resumption = Resumption::At(first);
    for (i, pair) in steps.windows(2).enumerate() {
        let (before, after) = (&pair[0], &pair[1]);
        let (from, to) = (before.thread, after.thread);
        if from == to {
            let stack = &mut threads[from as usize].stack;
            // Nothing happens any more where a thread has ended.
            if before.is_stopped() || !replay.follows(before, after, None, stack) {
                return Err(i + 1);
            }
            let created = std::mem::take(&mut stack.created);
            threads.extend(created.into_iter().filter_map(|view| begun(program, view)));
        } else {
            if !may_leave(program, before) || !goes_on(program, &threads, before, after) {
                return Err(i + 1);
            }
            switches += u64::from(is_switch(from, to));
            rounds += u64::from(begins_round(from, to));
        }
        threads[to as usize].resumption = Resumption::At(after);
    }
    if steps.last().is_some_and(|last| last.folded.is_some()) {
        return Err(steps.len() - 1);
    }
    Ok(Replayed {
        switches,
        rounds,
        threads: name_threads(program, threads.iter().map(|thread| thread.origin)),
    })
}

/// The threads that are there from the start, by number.
fn declared(program: &Program) -> Vec<ThreadReplay<'_>> {
    let Some(threads) = &program.threads else {
        return Vec::new();
    };
    let entry = |procedure| program.procedure(procedure).entry();
    let first = ThreadReplay {
        origin: Origin::of_procedure(program, program.entry),
        resumption: match threads.init {
            Some(init) => Resumption::Declared(entry(init), &[]),
            None => Resumption::Nowhere,
        },
        stack: Stack::default(),
    };
    let others = threads
        .declared
        .iter()
        .map(|start: &ThreadStart| ThreadReplay {
            origin: Origin::of_procedure(program, start.procedure),
            resumption: Resumption::Declared(entry(start.procedure), &start.arguments),
            stack: Stack::default(),
        });
    std::iter::once(first).chain(others).collect()
}

/// The thread that the step from a view creates.
fn begun<'s>(program: &Program, creator: View) -> Option<ThreadReplay<'s>> {
    let Action::StartThread { thread, .. } = &program.point(creator.at).action else {
        return None;
    };
    Some(ThreadReplay {
        origin: Origin::of_creation(program, thread),
        resumption: Resumption::Created(creator),
        stack: Stack::default(),
    })
}

/// Whether an execution may begin with a step: thread 0 runs first, if there is one.
fn is_first(program: &Program, step: &Step, threads: &[ThreadReplay<'_>]) -> bool {
    let has_init =
        matches!(threads.first(), Some(first) if !matches!(first.resumption, Resumption::Nowhere));
    let globals = step.valuation.globals();
    has_init == (step.thread == 0)
        && globals.len() == program.globals.len()
        && !is_exclusive(program, globals)
        && match threads
            .get(step.thread as usize)
            .map(|thread| &thread.resumption)
        {
            Some(Resumption::Declared(at, arguments)) => begins_at(program, *at, arguments, step),
            _ => false,
        }
}

/// Whether another thread may run after a step.
fn may_leave(program: &Program, before: &Step) -> bool {
    let is_alone = before.thread == 0 && before.location != Location::Terminated;
    before.location != Location::Error
        && before.folded.is_none()
        && !is_alone
        && !is_exclusive(program, before.valuation.globals())
}

/// Whether a step is what the thread that runs now goes on with: shared globals are as they were,
/// its own ones, its stack and locals as it has left them.
fn goes_on(program: &Program, threads: &[ThreadReplay<'_>], before: &Step, after: &Step) -> bool {
    let Some(thread) = threads
        .get(after.thread as usize)
        .filter(|_| after.thread > 0)
    else {
        return false;
    };
    let (old, new) = (before.valuation.globals(), after.valuation.globals());
    let is_own = |i: usize| own_globals(program).binary_search(&(i as u32)).is_ok();
    let keeps = |(i, (old, new)): (usize, (&u64, &u64))| old == new || is_own(i);
    if old.len() != new.len() || !old.iter().zip(new).enumerate().all(keeps) {
        return false;
    }
    let own = own_of(program, new);
    match &thread.resumption {
        Resumption::Declared(at, arguments) => {
            let as_left = match threads[0].resumption {
                Resumption::At(last) => own_of(program, last.valuation.globals()) == own,
                _ => true,
            };
            as_left && begins_at(program, *at, arguments, after)
        }
        Resumption::Created(creator) => {
            own_of(program, creator.valuation.globals()) == own
                && is_begin(after)
                && choose(program, creator, &Begins(after), |outcome| match outcome {
                    Outcome::Create(_, begins) => {
                        after.at() == Some(begins.at.0)
                            && after.valuation.locals() == begins.valuation.locals()
                    }
                    _ => false,
                })
                .is_some()
        }
        Resumption::At(last) => {
            own_of(program, last.valuation.globals()) == own
                && last.location == after.location
                && last.depth == after.depth
                && last.valuation.locals() == after.valuation.locals()
                && last.returns == after.returns
        }
        Resumption::Nowhere => false,
    }
}

/// Whether a step is the first of a frame at the bottom.
fn is_begin(step: &Step) -> bool {
    step.depth == 0 && step.returns.is_none()
}

/// Whether a declared thread may begin with a step.
fn begins_at(program: &Program, at: PointId, arguments: &[Option<u64>], step: &Step) -> bool {
    let cells = &program.procedure_of(at).locals;
    let locals = step.valuation.locals();
    let fits = |(value, cell): (&u64, &Cell)| u128::from(*value) < cell.domain.size();
    is_begin(step)
        && step.location == Location::At(at.0)
        && locals.len() == cells.len()
        && locals.iter().zip(cells).all(fits)
        && (arguments.iter().zip(locals)).all(|(given, value)| given.is_none_or(|v| v == *value))
}

/// Wants that a created thread begins with a step.
struct Begins<'a>(&'a Step);

impl Wish for Begins<'_> {
    fn created(&self, local: u32) -> Option<u64> {
        self.0.valuation.locals().get(local as usize).copied()
    }
}
