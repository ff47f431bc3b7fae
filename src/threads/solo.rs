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

use super::contexts::{Schedule, ThreadBegin};
use crate::program::{
    Action, Call, Cell, Domain, Expression, NewThread, Operation, Point, PointId, Procedure,
    ProcedureId, Program, Target, Value, VariableId,
};
use crate::trace::{Location, Step, Trace, Valuation};
use rustc_hash::FxHashMap;

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

/// What the thread itself may do at the exit with return values, ...
const RETURNING: [Role; 2] = [Role::Leave, Role::EndReturned];
/// ... and what else may happen there.
const RETURNED: [Role; 2] = [Role::SwitchReturned, Role::GoalReturned];

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
pub struct Made {
    pub step: Step,
    /// If it creates a thread: which one, if that matters.
    pub creates: Option<Option<u32>>,
}

struct Builder<'a> {
    original: &'a Program,
    schedule: &'a Schedule,
    events: Vec<Event>,
    /// The globals that the thread leaves in the end, unless it comes to the goal.
    leaves: Option<Box<[Option<bool>]>>,
    /// Whether it must end.
    must_end: bool,
    /// The global that counts events.
    progress: VariableId,
    program: Program,
    roles: Vec<Role>,
    switch: Option<Expression>,
    at_goal: Expression,
    /// "The thread has left the globals as it should": without having ended, or by ending.
    left: Expression,
    at_end: Expression,
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
    pub fn turns(&self, trace: &Trace) -> Vec<Vec<Made>> {
        let mut turns: Vec<Vec<Made>> = vec![Vec::new()];
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
                turn.push(Made {
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

impl<'a> Builder<'a> {
    fn new(
        original: &'a Program,
        schedule: &'a Schedule,
        events: Vec<Event>,
        leaves: Option<Box<[Option<bool>]>>,
        must_end: bool,
    ) -> Self {
        let mut expressions = original.expressions.clone();
        let progress = VariableId::Global(original.globals.len() as u32);
        let bits = (usize::BITS - (events.len() + 1).leading_zeros()).max(1) as u8;
        let mut globals = original.globals.clone();
        globals.push(Cell {
            name: original.procedure(original.entry).name,
            domain: Domain::Integer { bits },
        });
        let is_done = counts(progress, events.len(), false);
        let at_goal = expressions.add(is_done.clone());
        let exclusive = original.threads.as_ref().map(|threads| threads.exclusive);
        let end = leaves.iter().flat_map(|globals| {
            let known = globals
                .iter()
                .zip(0..)
                .filter(|(_, i)| Some(*i) != exclusive);
            conditions(known, VariableId::Global, Operation::Read)
        });
        let at_end = expressions.add(is_done.iter().copied().chain(end));
        let all = leaves.iter().flat_map(|globals| {
            conditions(globals.iter().zip(0..), VariableId::Global, Operation::Read)
        });
        let left = expressions.add(is_done.into_iter().chain(all));
        let program = Program {
            source: original.source.clone(),
            names: original.names.clone(),
            globals,
            declarations: Vec::new(),
            enumerations: Vec::new(),
            constants: Vec::new(),
            language: original.language,
            overflow: original.overflow,
            procedures: Vec::new(),
            points: Vec::new(),
            labels: Vec::new(),
            guards: Vec::new(),
            expressions,
            entry: ProcedureId(original.procedures.len() as u32),
            threads: None,
        };
        let mut builder = Builder {
            original,
            schedule,
            events,
            leaves,
            must_end,
            progress,
            program,
            roles: Vec::new(),
            switch: None,
            at_goal,
            left,
            at_end,
        };
        builder.switch = builder.switch();
        builder
    }

    /// "One of the switches happens that are due": over old and new globals.
    fn switch(&mut self) -> Option<Expression> {
        let mut all: Vec<Operation> = Vec::new();
        for (event, number) in self.events.iter().zip(0..) {
            let Event::Switch(out, begin) = event else {
                continue;
            };
            let is_first = all.is_empty();
            all.extend(counts(self.progress, number, false));
            all.extend(counts(self.progress, number + 1, true));
            all.push(Operation::And);
            let out = out.iter().zip(0..);
            all.extend(conditions(out, VariableId::Global, Operation::Read));
            let begin = begin.iter().zip(0..);
            all.extend(conditions(begin, VariableId::Global, Operation::ReadNext));
            all.extend((!is_first).then_some(Operation::Or));
        }
        (!all.is_empty()).then(|| self.program.expressions.add(all))
    }

    fn build(mut self, thread: u32, begin: &ThreadBegin, globals: &[Option<bool>]) -> Solo<'a> {
        let creates = self.events.iter().filter_map(|event| match event {
            Event::Create(thread) => Some(*thread),
            Event::Switch(..) => None,
        });
        let creates = creates.collect();
        let mut goals = Vec::new();
        for id in self.original.procedure_ids() {
            goals.extend(self.procedure(id, None));
        }
        let root = self.original.point(begin.at).procedure;
        let condition = self.begins(begin, globals);
        goals.extend(self.procedure(root, Some((begin.at, condition))));
        Solo {
            original: self.original,
            thread,
            program: self.program,
            goals,
            roles: self.roles,
            root,
            creates,
        }
    }

    /// "The thread begins like this."
    fn begins(&mut self, begin: &ThreadBegin, globals: &[Option<bool>]) -> Expression {
        let mut all = counts(self.progress, 0, false);
        let both = globals
            .iter()
            .zip(&begin.own)
            .map(|(shared, own)| shared.or(*own));
        let mut known: Vec<_> = both.collect();
        if let Some(threads) = &self.original.threads {
            known[threads.exclusive as usize] = Some(false);
        }
        all.extend(conditions(
            known.iter().zip(0..),
            VariableId::Global,
            Operation::Read,
        ));
        let locals = begin.locals.iter().zip(0..);
        all.extend(conditions(locals, VariableId::Local, Operation::Read));
        self.program.expressions.add(all)
    }

    /// Copies a procedure; the first frame's begins at a point under a condition. Where it has
    /// what is looked for.
    fn procedure(&mut self, id: ProcedureId, root: Option<(PointId, Expression)>) -> Vec<PointId> {
        let original = self.original;
        let procedure = original.procedure(id);
        let first = self.program.points.len() as u32;
        let roles = self.roles_of(id, root.is_some());
        let places = roles.iter().zip(first..);
        let at: FxHashMap<_, _> = places.map(|(role, i)| (*role, PointId(i))).collect();
        // The exit comes last, and has no role.
        let exit = PointId(first + roles.len() as u32);
        let copy = Copying {
            id: ProcedureId(self.program.procedures.len() as u32),
            procedure,
            at: &at,
            exit,
            root,
        };
        for role in &roles {
            let action = self.action(&copy, *role);
            self.add(&copy, *role, action);
        }
        self.add(&copy, Role::Leave, Action::Exit);
        let mut locals = procedure.locals.clone();
        let returned = procedure.returns.iter().map(|domain| Cell {
            name: procedure.name,
            domain: *domain,
        });
        locals.extend(returned);
        self.program.procedures.push(Procedure {
            name: procedure.name,
            span: procedure.span,
            locals,
            declarations: Vec::new(),
            parameters: procedure.parameters,
            saved: 0,
            returns: procedure.returns.clone(),
            return_shapes: procedure.return_shapes.clone(),
            enforce: None,
            points: first..exit.0 + 1,
        });
        let found = [Role::Found, Role::Ended];
        found
            .iter()
            .filter_map(|role| at.get(role).copied())
            .collect()
    }

    fn add(&mut self, copy: &Copying<'_>, role: Role, action: Action) {
        self.program.points.push(Point {
            procedure: copy.id,
            span: copy.procedure.span,
            implicit: false,
            action,
        });
        self.roles.push(role);
    }

    fn roles_of(&self, id: ProcedureId, is_root: bool) -> Vec<Role> {
        let original = self.original;
        let procedure = original.procedure(id);
        let mut roles = Vec::new();
        if is_root {
            roles.push(Role::Begin);
        }
        let exit = procedure.exit();
        for point in procedure.points.clone().map(PointId) {
            // The first point of a procedure is where calls begin: *here*.
            roles.push(Role::Here(point));
            if self.switch.is_some() {
                roles.push(Role::Switch(point));
            }
            if self.is_goal(point) {
                roles.push(Role::Goal(point));
            }
            let action = &original.point(point).action;
            let ends = matches!(action, Action::EndThread { .. });
            if self.leaves.is_some() && (ends || point == exit && is_root) {
                roles.push(Role::End(point));
            }
            if procedure.enforce.is_some() {
                roles.push(Role::Enforced(point));
            }
            roles.push(Role::Statement(point));
            match action {
                Action::Call(_) if procedure.enforce.is_some() => roles.push(Role::Back(point)),
                Action::StartThread { .. } if !self.creations(point).is_empty() => {
                    roles.push(Role::Create(point));
                }
                _ => {}
            }
        }
        roles.extend([Role::Returned, Role::Leave]);
        if procedure.enforce.is_some() {
            roles.push(Role::EnforcedReturned);
        }
        if self.switch.is_some() {
            roles.push(Role::SwitchReturned);
        }
        if self.leaves.is_some() && !self.must_end {
            roles.push(Role::GoalReturned);
        }
        if self.leaves.is_some() && is_root {
            roles.push(Role::EndReturned);
        }
        roles.extend([Role::Found, Role::Ended]);
        roles
    }

    /// Whether the thread may be done at a point.
    fn is_goal(&self, point: PointId) -> bool {
        match self.leaves {
            Some(_) => !self.must_end,
            None => point == self.schedule.goal,
        }
    }

    /// The events in which a statement creates a thread: their numbers, and the threads.
    fn creations(&self, site: PointId) -> Vec<(usize, &'a ThreadBegin)> {
        let threads = &self.schedule.threads;
        let begin = |thread: u32| threads.iter().find(|(id, _)| *id == thread);
        let events = self.events.iter().enumerate();
        let events = events.filter_map(|(number, event)| match event {
            Event::Create(thread) => Some((number, &begin(*thread)?.1)),
            Event::Switch(..) => None,
        });
        events
            .filter(|(_, begin)| begin.site == Some(site))
            .collect()
    }

    fn action(&mut self, copy: &Copying<'_>, role: Role) -> Action {
        let enforce = copy.procedure.enforce;
        match role {
            Role::Begin => match copy.root {
                Some((at, condition)) => assume(condition, copy.here(at)),
                None => copy.goto([Role::Found]),
            },
            Role::Here(point) => match enforce {
                None => copy.goto(self.steps(point).into_iter().chain(self.others(point))),
                Some(_) => {
                    let enforced = std::iter::once(Role::Enforced(point));
                    copy.goto(enforced.chain(self.others(point)))
                }
            },
            Role::Returned => match enforce {
                None => copy.goto(RETURNING.into_iter().chain(RETURNED)),
                Some(_) => copy.goto([Role::EnforcedReturned].into_iter().chain(RETURNED)),
            },
            Role::Enforced(point) => copy.select(enforce, self.steps(point)),
            Role::EnforcedReturned => copy.select(enforce, RETURNING),
            Role::Back(point) => match (&self.original.point(point).action, enforce) {
                (Action::Call(call), Some(enforce)) => assume(enforce, copy.here(call.next)),
                _ => copy.goto([Role::Found]),
            },
            Role::Statement(point) => self.statement(copy, point),
            Role::Create(point) => self.create(copy, point),
            Role::Leave => Action::Return {
                values: self.kept_returns(copy),
                assignments: Box::default(),
            },
            Role::Switch(point) => self.make_switch(copy.here(point)),
            Role::SwitchReturned => self.make_switch(copy.to(Role::Returned)),
            Role::Goal(point) => {
                let condition = self.goal(point);
                assume(condition, copy.to(Role::Found))
            }
            Role::GoalReturned => assume(self.left, copy.to(Role::Found)),
            Role::End(_) | Role::EndReturned => assume(self.at_end, copy.to(Role::Ended)),
            Role::Found => copy.goto([Role::Found]),
            Role::Ended => copy.goto([Role::Ended]),
        }
    }

    /// What the thread itself may do at a point.
    fn steps(&self, point: PointId) -> [Role; 4] {
        let fails = self.schedule.fails && self.leaves.is_none();
        let goal = if fails {
            Role::Goal(point)
        } else {
            Role::End(point)
        };
        [
            Role::Statement(point),
            Role::Create(point),
            Role::End(point),
            goal,
        ]
    }

    /// What else may happen at a point.
    fn others(&self, point: PointId) -> [Role; 2] {
        let fails = self.schedule.fails && self.leaves.is_none();
        let goal = if fails {
            Role::Switch(point)
        } else {
            Role::Goal(point)
        };
        [Role::Switch(point), goal]
    }

    /// The values that a `return` has fixed.
    fn kept_returns(&mut self, copy: &Copying<'_>) -> Box<[Expression]> {
        let first = copy.procedure.locals.len() as u32;
        let locals = (first..).take(copy.procedure.returns.len());
        let reads = locals.map(|local| Operation::Read(VariableId::Local(local)));
        let expressions = &mut self.program.expressions;
        reads.map(|read| expressions.add([read])).collect()
    }

    fn make_switch(&self, next: PointId) -> Action {
        let globals = (0..self.original.globals.len() as u32).filter(|global| {
            let threads = self.original.threads.as_ref();
            threads.is_none_or(|threads| !threads.is_own(*global))
        });
        let targets = globals.map(VariableId::Global).chain([self.progress]);
        let targets: Box<[_]> = targets.map(Target::Cell).collect();
        Action::Assign {
            values: targets.iter().map(|_| Value::Any).collect(),
            targets,
            constrain: self.switch,
            next,
        }
    }

    /// What is asked where the thread may be done.
    fn goal(&mut self, point: PointId) -> Expression {
        if self.leaves.is_some() {
            return self.left;
        }
        let action = &self.original.point(point).action;
        let (true, Action::Assert { condition, .. }) = (self.schedule.fails, action) else {
            return self.at_goal;
        };
        let mut fails = counts(self.progress, self.events.len(), false);
        fails.extend_from_slice(self.original.expressions.operations(*condition));
        fails.extend([Operation::Not, Operation::And]);
        self.program.expressions.add(fails)
    }

    fn create(&mut self, copy: &Copying<'_>, site: PointId) -> Action {
        let Action::StartThread { thread, next } = &self.original.point(site).action else {
            return copy.goto([Role::Found]);
        };
        let mut all: Vec<Operation> = Vec::new();
        for (number, begin) in self.creations(site) {
            let is_first = all.is_empty();
            all.extend(counts(self.progress, number, false));
            all.extend(counts(self.progress, number + 1, true));
            all.push(Operation::And);
            let own = begin.own.iter().zip(0..);
            all.extend(conditions(own, VariableId::Global, Operation::Read));
            match thread {
                NewThread::Copy { .. } => {
                    let locals = begin.locals.iter().zip(0..);
                    all.extend(conditions(locals, VariableId::Local, Operation::Read));
                }
                NewThread::Call { arguments, .. } => {
                    for (argument, value) in arguments.iter().zip(&begin.locals) {
                        let Some(value) = value else {
                            continue;
                        };
                        all.extend_from_slice(self.original.expressions.operations(*argument));
                        all.extend((!value).then_some(Operation::Not));
                        all.push(Operation::And);
                    }
                }
            }
            all.extend((!is_first).then_some(Operation::Or));
        }
        Action::Assign {
            targets: Box::new([Target::Cell(self.progress)]),
            values: Box::new([Value::Any]),
            constrain: Some(self.program.expressions.add(all)),
            next: copy.here(*next),
        }
    }

    fn statement(&mut self, copy: &Copying<'_>, point: PointId) -> Action {
        let here = |point: &PointId| copy.here(*point);
        let arms = |arms: &[(Expression, PointId)]| {
            let arms = arms.iter();
            arms.map(|(condition, to)| (*condition, copy.here(*to)))
                .collect()
        };
        match &self.original.point(point).action {
            Action::Goto { targets } => Action::Goto {
                targets: targets.iter().map(here).collect(),
            },
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => Action::Assign {
                targets: targets.clone(),
                values: values.clone(),
                constrain: *constrain,
                next: here(next),
            },
            Action::Havoc { variables, next } => Action::Havoc {
                variables: variables.clone(),
                next: here(next),
            },
            Action::Branch {
                arms: all,
                otherwise,
            } => Action::Branch {
                arms: arms(all),
                otherwise: here(otherwise),
            },
            Action::Select {
                arms: all,
                otherwise,
            } => Action::Select {
                arms: arms(all),
                otherwise: otherwise.as_ref().map(here),
            },
            Action::Assert { condition, next } | Action::Assume { condition, next } => {
                assume(*condition, here(next))
            }
            Action::Call(call) => Action::Call(Box::new(Call {
                callee: call.callee,
                arguments: call.arguments.clone(),
                assignments: call.assignments.clone(),
                targets: call.targets.clone(),
                next: match copy.at.get(&Role::Back(point)) {
                    Some(back) => *back,
                    None => here(&call.next),
                },
            })),
            Action::Return {
                values,
                assignments,
            } => {
                let first = copy.procedure.locals.len() as u32;
                let kept = (first..).map(|local| Target::Cell(VariableId::Local(local)));
                let kept = kept.zip(values.iter().map(|value| Value::Of(*value)));
                let all = kept.chain(assignments.iter().copied());
                let (targets, values): (Vec<_>, Vec<_>) = all.unzip();
                Action::Assign {
                    targets: targets.into(),
                    values: values.into(),
                    constrain: None,
                    next: copy.to(Role::Returned),
                }
            }
            Action::StartThread { next, .. } => Action::Goto {
                targets: Box::new([here(next)]),
            },
            // Off the end: there is nothing to return.
            Action::Exit => Action::Goto {
                targets: Box::new([copy.exit]),
            },
            // Where the thread is to end it does so elsewhere; otherwise nothing comes of it.
            Action::EndThread { .. } => copy.goto([Role::Statement(point)]),
        }
    }
}

/// A procedure that is being copied.
struct Copying<'c> {
    id: ProcedureId,
    procedure: &'c Procedure,
    at: &'c FxHashMap<Role, PointId>,
    exit: PointId,
    root: Option<(PointId, Expression)>,
}

impl Copying<'_> {
    /// The point of a role that is there; the exit for one that is not.
    fn to(&self, role: Role) -> PointId {
        self.at.get(&role).copied().unwrap_or(self.exit)
    }

    fn here(&self, point: PointId) -> PointId {
        self.to(Role::Here(point))
    }

    /// The points of those of these roles that are there.
    fn points(&self, roles: impl IntoIterator<Item = Role>) -> Vec<PointId> {
        let points = roles.into_iter().filter_map(|role| self.at.get(&role));
        let mut points: Vec<_> = points.copied().collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// To any of these that are there.
    fn goto(&self, roles: impl IntoIterator<Item = Role>) -> Action {
        Action::Goto {
            targets: self.points(roles).into(),
        }
    }

    /// To any of these that are there, where the `enforce` holds.
    fn select(&self, enforce: Option<Expression>, roles: impl IntoIterator<Item = Role>) -> Action {
        let points = self.points(roles);
        let arms = enforce.map(|enforce| points.into_iter().map(|to| (enforce, to)).collect());
        Action::Select {
            arms: arms.unwrap_or_default(),
            otherwise: None,
        }
    }
}

fn assume(condition: Expression, next: PointId) -> Action {
    Action::Assume { condition, next }
}

/// "So many events have happened": before a step, or after it.
fn counts(progress: VariableId, number: usize, after: bool) -> Vec<Operation> {
    let read = match after {
        true => Operation::ReadNext(progress),
        false => Operation::Read(progress),
    };
    vec![
        read,
        Operation::Number(number as u64),
        Operation::NumbersEqual,
    ]
}

/// "And these variables have these values", to be put behind a condition.
fn conditions<'v>(
    values: impl Iterator<Item = (&'v Option<bool>, u32)>,
    variable: fn(u32) -> VariableId,
    read: fn(VariableId) -> Operation,
) -> Vec<Operation> {
    let known = values.filter_map(|(value, i)| Some(((*value)?, i)));
    let operations = known.flat_map(|(value, i)| {
        let not = (!value).then_some(Operation::Not);
        let read = std::iter::once(read(variable(i)));
        read.chain(not).chain([Operation::And])
    });
    operations.collect()
}
