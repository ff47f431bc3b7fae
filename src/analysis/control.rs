//! Which code of a program threads can come to, and what goes round in circles there: by calls,
//! jumps and constant conditions alone, whatever the values of variables. Linear time.
//!
//! What follows a call is come to if the callee's exit is; declared threads begin if what runs
//! before them can end. A *cycle of control* is made of steps, of calls and of creations. A
//! program is *finite* if no procedure can call itself and threads are not created again and again:
//! then so many frames and threads are all there can be.

use crate::components::cyclic_components;
use crate::index::IndexVec;
use crate::program::{
    Action, Expression, Operation, Point, PointId, ProcedureId, Program, Threads,
};

/// What is known of the control of a program.
#[derive(Debug)]
pub struct Control {
    /// The points that are come to.
    reached: IndexVec<PointId, bool>,
    /// Whether some procedure can call itself, directly or not.
    is_recursive: bool,
    /// A point on a cycle that creates a thread, or calls or creates what does.
    creation: Option<PointId>,
}

impl Control {
    /// What there is to be known of a program.
    pub fn of(program: &Program) -> Self {
        let reached = Reach::of(program);
        let edges = Edges::of(program, &reached);
        let creation = edges.creation_on_a_cycle(program);
        Control {
            is_recursive: is_recursive(program, &reached),
            reached,
            creation,
        }
    }

    /// Whether some thread can come to a point.
    pub fn reaches(&self, point: PointId) -> bool {
        self.reached[point]
    }

    /// Whether an assertion is at a point that some thread can come to, and is not always true.
    pub fn may_fail(&self, program: &Program, point: PointId) -> bool {
        match &program.point(point).action {
            Action::Assert { condition, .. } => {
                self.reaches(point) && constant(program, *condition) != Some(true)
            }
            _ => false,
        }
    }

    /// Whether so many frames and threads are all there can be.
    pub fn is_finite(&self) -> bool {
        !self.is_recursive && self.creation.is_none()
    }

    /// A point that creates threads, or calls or creates what does, and that control can come to
    /// again and again.
    pub fn creation_on_a_cycle(&self) -> Option<PointId> {
        self.creation
    }
}

/// The points that are come to, found with a worklist.
struct Reach<'a> {
    program: &'a Program,
    reached: IndexVec<PointId, bool>,
    worklist: Vec<PointId>,
    /// For each procedure what follows the calls of it that were met.
    waiting: IndexVec<ProcedureId, Vec<PointId>>,
}

impl Reach<'_> {
    fn of(program: &Program) -> IndexVec<PointId, bool> {
        let mut reach = Reach {
            program,
            reached: IndexVec::filled(false, program.points.len()),
            worklist: Vec::new(),
            waiting: IndexVec::filled(Vec::new(), program.procedures.len()),
        };
        reach.add(program.entry_point());
        reach.run();
        if let Some(threads) = &program.threads
            && reach.threads_begin(threads)
        {
            for start in &threads.declared {
                reach.add(program.procedure(start.procedure).entry());
            }
            reach.run();
        }
        reach.reached
    }

    /// Whether what runs before the threads can end.
    fn threads_begin(&self, threads: &Threads) -> bool {
        let ends = |(point, reached): (&Point, &bool)| {
            *reached && matches!(point.action, Action::EndThread { .. })
        };
        let Some(init) = threads.init else {
            return true;
        };
        let exit = self.program.procedure(init).exit();
        let mut points = self.program.points.iter().zip(&self.reached);
        self.reached[exit] || points.any(ends)
    }

    fn add(&mut self, point: PointId) {
        if !std::mem::replace(&mut self.reached[point], true) {
            self.worklist.push(point);
        }
    }

    fn run(&mut self) {
        while let Some(point) = self.worklist.pop() {
            let procedure = self.program.point(point).procedure;
            match &self.program.point(point).action {
                Action::Call(call) => {
                    let callee = self.program.procedure(call.callee);
                    self.add(callee.entry());
                    match self.reached[callee.exit()] {
                        true => self.add(call.next),
                        false => self.waiting[call.callee].push(call.next),
                    }
                }
                Action::Exit => {
                    for next in std::mem::take(&mut self.waiting[procedure]) {
                        self.add(next);
                    }
                }
                Action::StartThread { thread, next } => {
                    self.add(self.program.begin_of(thread));
                    self.add(*next);
                }
                _ => for_each_step(self.program, point, |next| self.add(next)),
            }
        }
    }
}

/// The points of the same procedure that one step may lead to, as far as constant conditions
/// tell.
fn for_each_step(program: &Program, point: PointId, mut visit: impl FnMut(PointId)) {
    let is = |condition: &Expression, value: bool| constant(program, *condition) == Some(value);
    let procedure = program.procedure_of(point);
    if procedure.enforce.is_some_and(|enforce| is(&enforce, false)) {
        return;
    }
    match &program.point(point).action {
        Action::Branch { arms, otherwise } => {
            for (condition, target) in arms {
                if !is(condition, false) {
                    visit(*target);
                }
                if is(condition, true) {
                    return;
                }
            }
            visit(*otherwise);
        }
        Action::Assert { condition, .. } | Action::Assume { condition, .. }
            if is(condition, false) => {}
        Action::Assign {
            constrain: Some(condition),
            ..
        } if is(condition, false) => {}
        action => action.for_each_successor(procedure.exit(), visit),
    }
}

/// The edges between points that are come to.
struct Edges {
    successors: IndexVec<PointId, Vec<PointId>>,
    predecessors: IndexVec<PointId, Vec<PointId>>,
}

impl Edges {
    fn of(program: &Program, reached: &IndexVec<PointId, bool>) -> Self {
        let mut successors = IndexVec::filled(Vec::new(), reached.len());
        for point in reached.indices().filter(|point| reached[*point]) {
            let edges = &mut successors[point];
            let mut add = |to: PointId| {
                if reached[to] {
                    edges.push(to);
                }
            };
            match &program.point(point).action {
                Action::Call(call) => add(program.procedure(call.callee).entry()),
                Action::StartThread { thread, .. } => add(program.begin_of(thread)),
                _ => {}
            }
            for_each_step(program, point, add);
        }
        let mut predecessors = IndexVec::filled(Vec::new(), reached.len());
        for (from, edges) in successors.enumerate() {
            edges.iter().for_each(|to| predecessors[*to].push(from));
        }
        Edges {
            successors,
            predecessors,
        }
    }

    /// The first point on a cycle that creates a thread, or calls or creates what does.
    fn creation_on_a_cycle(&self, program: &Program) -> Option<PointId> {
        let action = |point: PointId| &program.point(point).action;
        let creates = |point: &PointId| matches!(action(*point), Action::StartThread { .. });
        // The points that lead to a creation.
        let mut worklist: Vec<_> = program.point_ids().filter(creates).collect();
        if worklist.is_empty() {
            return None;
        }
        let mut leads = IndexVec::<PointId, _>::filled(false, program.points.len());
        while let Some(point) = worklist.pop() {
            if !std::mem::replace(&mut leads[point], true) {
                worklist.extend(&self.predecessors[point]);
            }
        }
        let mut on_cycles = cyclic_components(self.successors.as_slice()).concat();
        on_cycles.sort_unstable();
        let again = |point: &PointId| match action(*point) {
            Action::StartThread { .. } => true,
            Action::Call(call) => leads[program.procedure(call.callee).entry()],
            _ => false,
        };
        on_cycles.into_iter().find(again)
    }
}

/// Whether some procedure can call itself, directly or not.
fn is_recursive(program: &Program, reached: &IndexVec<PointId, bool>) -> bool {
    let mut callees = IndexVec::<ProcedureId, _>::filled(Vec::new(), program.procedures.len());
    for (point, _) in program.points.iter().zip(reached).filter(|(_, r)| **r) {
        if let Action::Call(call) = &point.action {
            callees[point.procedure].push(call.callee);
        }
    }
    !cyclic_components(callees.as_slice()).is_empty()
}

/// The value of a condition that is the same whatever the variables are, if that is plain.
fn constant(program: &Program, condition: Expression) -> Option<bool> {
    let mut stack: Vec<Option<bool>> = Vec::new();
    for operation in program.expressions.operations(condition) {
        let value = match operation {
            Operation::Constant(value) => Some(*value),
            Operation::Read(_) | Operation::ReadNext(_) | Operation::Choose => None,
            Operation::Not => stack.pop()?.map(|value| !value),
            Operation::IfThenElse => {
                let (no, yes) = (stack.pop()?, stack.pop()?);
                match stack.pop()? {
                    Some(true) => yes,
                    Some(false) => no,
                    None => yes.filter(|_| yes == no),
                }
            }
            operation => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                match (operation, a, b) {
                    (Operation::And, Some(false), _) | (Operation::And, _, Some(false)) => {
                        Some(false)
                    }
                    (Operation::Or, Some(true), _) | (Operation::Or, _, Some(true)) => Some(true),
                    (Operation::Implies, Some(false), _) | (Operation::Implies, _, Some(true)) => {
                        Some(true)
                    }
                    (Operation::Schoose, Some(true), _) => Some(true),
                    (Operation::Schoose, Some(false), Some(true)) => Some(false),
                    (Operation::And, Some(a), Some(b)) => Some(a & b),
                    (Operation::Or, Some(a), Some(b)) => Some(a | b),
                    (Operation::Xor, Some(a), Some(b)) => Some(a ^ b),
                    (Operation::Equal, Some(a), Some(b)) => Some(a == b),
                    (Operation::Implies, Some(a), Some(b)) => Some(!a | b),
                    (
                        Operation::And
                        | Operation::Or
                        | Operation::Xor
                        | Operation::Equal
                        | Operation::Implies
                        | Operation::Schoose,
                        ..,
                    ) => None,
                    // Nothing is said of numbers.
                    _ => return None,
                }
            }
        };
        stack.push(value);
    }
    stack.pop()?
}
