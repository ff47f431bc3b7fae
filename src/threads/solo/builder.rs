//! Makes the program of one thread, procedure by procedure, role by role.

use super::condition::{assume, conditions, counts};
use super::copy::ProcedureCopy;
use super::{Event, Role, Solo};
use crate::program::{
    Action, Cell, Domain, Expression, NewThread, Operation, Point, PointId, Procedure, ProcedureId,
    Program, Target, Value, VariableId,
};
use crate::threads::contexts::{Schedule, ThreadBegin};
use rustc_hash::FxHashMap;

/// What the thread itself may do at the exit with return values, ...
const RETURNING: [Role; 2] = [Role::Leave, Role::EndReturned];
/// ... and what else may happen there.
const RETURNED: [Role; 2] = [Role::SwitchReturned, Role::GoalReturned];

pub struct Builder<'a> {
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

impl<'a> Builder<'a> {
    pub fn new(
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
        let name = original.procedure(original.entry).name;
        globals.push(Cell::new(name, Domain::Integer { bits }));
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
            rule: None,
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

    pub fn build(mut self, thread: u32, begin: &ThreadBegin, globals: &[Option<bool>]) -> Solo<'a> {
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
        let copy = ProcedureCopy {
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
        let returned = procedure.returns.iter();
        let returned = returned.map(|domain| Cell::new(procedure.name, *domain));
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

    fn add(&mut self, copy: &ProcedureCopy<'_>, role: Role, action: Action) {
        self.program.points.push(Point {
            procedure: copy.id,
            span: copy.procedure.span,
            implicit: false,
            saved: 0,
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

    fn action(&mut self, copy: &ProcedureCopy<'_>, role: Role) -> Action {
        let enforce = copy.procedure.enforce;
        match role {
            Role::Begin => match copy.root {
                Some((at, condition)) => assume(condition, copy.here(at)),
                None => copy.goto([Role::Found]),
            },
            Role::Here(point) => match enforce {
                None => copy.goto(self.steps(point).chain(self.others(point))),
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
            Role::Statement(point) => copy.statement(self.original, point),
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

    /// Whether the thread is to fail in the end.
    fn fails(&self) -> bool {
        self.schedule.fails && self.leaves.is_none()
    }

    /// What the thread itself may do at a point.
    fn steps(&self, point: PointId) -> impl Iterator<Item = Role> + use<> {
        let goal = self.fails().then_some(Role::Goal(point));
        let steps = [
            Role::Statement(point),
            Role::Create(point),
            Role::End(point),
        ];
        steps.into_iter().chain(goal)
    }

    /// What else may happen at a point.
    fn others(&self, point: PointId) -> impl Iterator<Item = Role> + use<> {
        let goal = (!self.fails()).then_some(Role::Goal(point));
        std::iter::once(Role::Switch(point)).chain(goal)
    }

    /// The values that a `return` has fixed.
    fn kept_returns(&mut self, copy: &ProcedureCopy<'_>) -> Box<[Expression]> {
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

    fn create(&mut self, copy: &ProcedureCopy<'_>, site: PointId) -> Action {
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
}
