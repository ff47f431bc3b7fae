//! One thread of a known schedule as a program without threads.
//!
//! Once it is known when a thread runs and what the others leave in the globals meanwhile, the
//! others need not be there: between two steps the thread may make a *switch*, by which the
//! globals that it must have come to become those that it goes on with. One more global
//! counts what the thread has still to do: switches, and the creation of threads that matter.
//! A shortest trace of this program to its goal is the thread's part of an execution.
//!
//! Each point of a procedure becomes a few: one *here* that control comes to and that stands
//! for the configuration, and from there the statement itself, the switch, the creation of a
//! thread, the goal. What waits at an exit keeps its return values in further locals until it
//! really leaves. The first frame has a copy of its procedure, which begins where the thread
//! does. Linear in the program, and in the schedule.

mod builder;
mod condition;
mod copy;

use super::contexts::Schedule;
use crate::program::{Action, PointId, ProcedureId, Program};
use crate::trace::{Location, Step, Trace, Valuation};
use builder::Builder;

/// What a point is for; of the procedure that it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    /// Where the thread begins.
    Begin,
    /// Control is at a point.
    Here(PointId),
    /// Control is at the exit, and return values are fixed.
    Returned,
    /// The procedure's `enforce` holds: at a point, or at the exit with return values.
    Enforced(PointId),
    EnforcedReturned,
    /// The statement.
    Statement(PointId),
    /// The return from a call, whose caller's `enforce` must hold.
    Back(PointId),
    /// The statement that creates a thread which matters.
    Create(PointId),
    /// Another thread runs in between: at a point, or at the exit with return values.
    Switch(PointId),
    SwitchReturned,
    /// The exit is left.
    Leave,
    /// What is looked for may be here.
    Goal(PointId),
    GoalReturned,
    /// The thread ends here, as it should.
    End(PointId),
    EndReturned,
    /// It was found.
    Found,
    /// It was found when the thread had ended.
    Ended,
}

/// What a thread has to do, in this order.
enum Event {
    Create(u32),
    Switch(Box<[Option<bool>]>, Box<[Option<bool>]>),
}

/// The program of one thread.
pub struct Solo<'a> {
    original: &'a Program,
    thread: u32,
    pub program: Program,
    /// Where it has done all it has to.
    pub goals: Vec<PointId>,
    roles: Vec<Role>,
    /// The procedure of the first frame.
    root: ProcedureId,
    /// The threads that it creates and that matter, in order.
    creates: Vec<u32>,
}

/// A configuration of the thread, and what its next step creates.
pub struct SoloStep {
    pub step: Step,
    /// If it creates a thread: which one, if that matters.
    pub creates: Option<Option<u32>>,
}

impl<'a> Solo<'a> {
    /// The program of a thread of a schedule, if the thread runs.
    pub fn new(original: &'a Program, schedule: &'a Schedule, thread: u32) -> Option<Self> {
        let (_, begin) = schedule.threads.iter().find(|(id, _)| *id == thread)?;
        let contexts = schedule.contexts.iter().enumerate();
        let own: Vec<_> = contexts.filter(|(_, c)| c.thread == thread).collect();
        let (last, _) = own.last()?;
        let mut events = Vec::new();
        for (turn, (i, context)) in own.iter().enumerate() {
            events.extend(context.creates.iter().copied().map(Event::Create));
            if let Some((_, next)) = own.get(turn + 1) {
                let out = schedule.contexts.get(i + 1)?.begin.clone();
                events.push(Event::Switch(out, next.begin.clone()));
            }
        }
        let mut leaves = schedule
            .contexts
            .get(last + 1)
            .map(|next| next.begin.clone());
        if thread == 0
            && let Some(leaves) = &mut leaves
        {
            // All threads begin with what it leaves in their own globals, too.
            let begins = schedule.threads.iter().find(|(id, _)| *id == 1);
            for (value, own) in leaves
                .iter_mut()
                .zip(begins.iter().flat_map(|(_, b)| &b.own))
            {
                *value = value.or(*own);
            }
        }
        let begin_globals = own.first().map(|(_, context)| context.begin.clone())?;
        let builder = Builder::new(original, schedule, events, leaves, thread == 0);
        Some(builder.build(thread, begin, &begin_globals))
    }

    /// The steps of each of the thread's contexts, from a trace without folds.
    pub fn turns(&self, trace: &Trace) -> Vec<Vec<SoloStep>> {
        let mut turns: Vec<Vec<SoloStep>> = vec![Vec::new()];
        let mut created = self.creates.iter().copied();
        for step in &trace.stem {
            let Some(point) = step.at().map(PointId) else {
                continue;
            };
            let role = self.roles[point.0 as usize];
            let (location, returns) = match role {
                Role::Here(at) => (Location::At(at.0), None),
                Role::Returned => {
                    let procedure = self.program.procedure_of(point);
                    let first = procedure.locals.len() - procedure.returns.len();
                    let returns = step.valuation.locals()[first..].into();
                    let exit = self.original_exit(point);
                    (Location::At(exit.0), Some(returns))
                }
                Role::Ended => (Location::Terminated, None),
                Role::Statement(at) | Role::Create(at) => {
                    let action = &self.original.point(at).action;
                    if let Action::StartThread { .. } = action
                        && let Some(last) = turns.last_mut().and_then(|turn| turn.last_mut())
                    {
                        let is_kept = matches!(role, Role::Create(_));
                        last.creates = Some(is_kept.then(|| created.next()).flatten());
                    }
                    continue;
                }
                Role::Switch(_) | Role::SwitchReturned => {
                    turns.push(Vec::new());
                    continue;
                }
                _ => continue,
            };
            let globals = self.original.globals.len();
            let mut values = step.valuation.globals()[..globals].to_vec();
            let locals = match location {
                Location::At(at) => self.original.procedure_of(PointId(at)).locals.len(),
                _ => 0,
            };
            if let (Location::Terminated, Some(threads)) = (location, &self.original.threads) {
                values[threads.exclusive as usize] = 0;
            }
            let valuation = Valuation::new(&values, &step.valuation.locals()[..locals]);
            let depth = match location {
                Location::Terminated => 0,
                _ => step.depth,
            };
            let mut made = Step::new(location, depth, valuation);
            made.thread = self.thread;
            made.returns = returns;
            if let Some(turn) = turns.last_mut() {
                turn.push(SoloStep {
                    step: made,
                    creates: None,
                });
            }
        }
        turns
    }

    /// The exit of the procedure that a point stands in, or was copied from.
    fn original_exit(&self, point: PointId) -> PointId {
        let id = self.program.point(point).procedure;
        let original = match (id.0 as usize) < self.original.procedures.len() {
            true => id,
            false => self.root,
        };
        self.original.procedure(original).exit()
    }
}
