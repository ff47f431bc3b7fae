//! A boolean program while it is made: points in the order of the source, with links that are
//! resolved at its end.

use super::build::{Abstract, Interface};
use super::predicate::Predicates;
use super::vocabulary::Vocabulary;
use crate::limits::abstraction::WAYS_TO_A_GOAL;
use crate::names::Names;
use crate::program::{
    Action, Call, Cell, Domain, Expressions, Language, Operation, Overflow, Point, PointId,
    Procedure, ProcedureId, Program, Target, Value, VariableId,
};
use crate::source::{Source, Span};
use crate::syntax::boolean::identifier;
use crate::terms::Term;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a point of the boolean program is in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A goal: nothing happens here.
    Goal(PointId),
    /// A choice between edges,
    Fork(PointId),
    /// and one of them, by its number.
    Edge(PointId, usize),
    Call(PointId),
    /// The same after the return of a call.
    ForkResumed(PointId),
    Resumed(PointId, usize),
    /// The program has failed by the edge before it.
    Failed,
    /// The procedure is being left.
    Leaving,
}

/// Where a point leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// To where a point of the program begins.
    Point(PointId),
    /// To what is made next.
    Next,
    Leave,
    RunOff,
    Failure,
    End,
    Made(PointId),
}

/// Where a truth value is in the boolean program, and what it stands for.
pub type Place = (VariableId, Term);

/// What a step of the program is in terms: when it is taken, the truth values before it, and those that it
/// changes.
#[derive(Clone, Debug)]
pub struct Meaning {
    pub condition: Term,
    pub before: Vec<Place>,
    pub after: Vec<Place>,
}

/// What a step does to truth values.
#[derive(Clone, Debug)]
pub struct Move {
    /// What may change.
    pub changed: Vec<VariableId>,
    /// Over the values before and after.
    pub constrain: Option<Vec<Operation>>,
}

impl Move {
    /// Something more must hold.
    pub fn require(&mut self, condition: Option<Vec<Operation>>) {
        self.constrain = match (self.constrain.take(), condition) {
            (Some(one), Some(other)) => Some([one, other, vec![Operation::And]].concat()),
            (one, other) => one.or(other),
        };
    }
}

enum Draft {
    Goto(Vec<Link>),
    Move(Move, Link),
    Call(ProcedureId, Vec<VariableId>, Vec<VariableId>, Link),
    Return(Vec<VariableId>),
    Fail,
    /// No execution goes on.
    Stuck,
    End,
    Exit,
}

/// A boolean program in the making.
pub struct Drafts<'p> {
    program: &'p Program,
    names: Names,
    globals: Vec<Cell>,
    procedures: Vec<Procedure>,
    drafts: Vec<(Draft, Origin, ProcedureId)>,
    /// Where each point of the program begins.
    begins: Vec<Option<PointId>>,
    /// Where each procedure is left, and where control runs off its end.
    leaves: Vec<[PointId; 2]>,
    /// How many predicates, and how many arguments at most, each procedure has.
    sizes: Vec<[u32; 2]>,
    goals: Vec<PointId>,
    /// Whether each way into a goal gets one of its own.
    divided: bool,
    expressions: Expressions,
    meanings: FxHashMap<Origin, Meaning>,
}

impl<'p> Drafts<'p> {
    pub fn new(
        vocabulary: &Vocabulary<'p>,
        predicates: &Predicates,
        interfaces: &[Interface],
        divided: bool,
    ) -> Self {
        let program = vocabulary.program;
        let mut names = Names::default();
        let mut cell = |text: &str| Cell::boolean(names.intern(text));
        let of = |id| format!("{{{}}}", &predicates.get(id).text);
        let globals = predicates
            .of(None)
            .into_iter()
            .map(|id| cell(&of(id)))
            .collect();
        let called = |procedure: ProcedureId| {
            let points = program.procedure(procedure).points.clone();
            let points = &program.points[points.start as usize..points.end as usize];
            points.iter().filter_map(|point| match &point.action {
                Action::Call(call) => Some(&interfaces[call.callee.0 as usize]),
                _ => None,
            })
        };
        let mut procedures = Vec::new();
        let mut sizes = Vec::new();
        for (id, interface) in program.procedure_ids().zip(interfaces) {
            let own = interface.predicates.iter();
            let mut locals: Vec<Cell> = own.map(|predicate| cell(&of(*predicate))).collect();
            let most =
                |count: &dyn Fn(&Interface) -> usize| called(id).map(count).max().unwrap_or(0);
            let arguments = most(&|callee: &Interface| callee.parameters);
            let results = most(&|callee: &Interface| callee.returned.len());
            sizes.push([locals.len() as u32, arguments as u32]);
            locals.extend((1..=arguments).map(|k| cell(&format!("{{argument {k}}}"))));
            locals.extend((1..=results).map(|k| cell(&format!("{{result {k}}}"))));
            procedures.push(Procedure {
                name: crate::names::Names::default().intern(""),
                span: Span::default(),
                locals,
                declarations: Vec::new(),
                parameters: interface.parameters as u32,
                saved: 0,
                returns: vec![Domain::Boolean; interface.returned.len()].into(),
                return_shapes: Box::default(),
                enforce: None,
                points: 0..0,
            });
        }
        for (procedure, id) in procedures.iter_mut().zip(program.procedure_ids()) {
            procedure.name = names.intern(&identifier(vocabulary.procedure_name(id)));
        }
        Drafts {
            program,
            names,
            globals,
            procedures,
            drafts: Vec::new(),
            begins: vec![None; program.points.len()],
            leaves: Vec::new(),
            sizes,
            goals: Vec::new(),
            divided,
            expressions: Expressions::default(),
            meanings: FxHashMap::default(),
        }
    }

    fn here(&self) -> PointId {
        PointId(self.drafts.len() as u32)
    }

    fn current(&self) -> ProcedureId {
        ProcedureId(self.leaves.len() as u32)
    }

    fn push(&mut self, draft: Draft, origin: Origin) {
        let procedure = self.current();
        self.drafts.push((draft, origin, procedure));
    }

    /// Begins a procedure.
    pub fn begin(&mut self, procedure: ProcedureId) {
        self.procedures[procedure.0 as usize].points = self.here().0..0;
    }

    /// What always holds in it.
    pub fn enforce(&mut self, operations: Vec<Operation>) {
        let enforce = self.expressions.add(operations);
        let current = self.current();
        self.procedures[current.0 as usize].enforce = Some(enforce);
    }

    /// A point of the program begins.
    pub fn at(&mut self, at: PointId) {
        self.begins[at.0 as usize] = Some(self.here());
    }

    /// It is a goal, for values of which a condition holds.
    pub fn goal(&mut self, at: PointId, condition: Option<Vec<Operation>>) {
        let moves = Move {
            changed: Vec::new(),
            constrain: condition,
        };
        self.push(Draft::Move(moves, Link::Next), Origin::Goal(at));
        self.goals.push(self.here());
        self.push(Draft::Goto(vec![Link::Next]), Origin::Goal(at));
    }

    /// Goals that are reached if conditions are true here.
    pub fn probe(&mut self, at: PointId, conditions: Vec<Vec<Operation>>) {
        let first = self.here().0 + 1;
        let count = conditions.len() as u32;
        let branches = (0..=count).map(|branch| Link::Made(PointId(first + 2 * branch)));
        self.push(Draft::Goto(branches.collect()), Origin::Fork(at));
        for condition in conditions {
            let moves = Move {
                changed: Vec::new(),
                constrain: Some(condition),
            };
            self.push(Draft::Move(moves, Link::Next), Origin::Goal(at));
            self.goals.push(self.here());
            self.push(Draft::Stuck, Origin::Goal(at));
        }
    }

    /// A choice between branches, if there is one: then its number.
    pub fn fork(&mut self, origin: Origin, branches: usize) -> Option<usize> {
        match branches {
            0 => self.push(Draft::Stuck, origin),
            1 => return None,
            _ => self.push(Draft::Goto(vec![Link::End; branches]), origin),
        }
        Some(self.drafts.len() - 1)
    }

    /// A branch of a fork begins.
    pub fn branch(&mut self, fork: Option<usize>, branch: usize) {
        let here = self.here();
        if let Some((Draft::Goto(targets), ..)) = fork.map(|fork| &mut self.drafts[fork]) {
            targets[branch] = Link::Made(here);
        }
    }

    pub fn step(&mut self, origin: Origin, moves: &Move, next: Link) {
        match next {
            Link::Failure => {
                self.push(Draft::Move(moves.clone(), Link::Next), origin);
                self.goals.push(self.here());
                self.push(Draft::Fail, Origin::Failed);
            }
            Link::End => {
                self.push(Draft::Move(moves.clone(), Link::Next), origin);
                self.push(Draft::End, Origin::Leaving);
            }
            _ => self.push(Draft::Move(moves.clone(), next), origin),
        }
    }

    pub fn callee(&self, at: PointId) -> ProcedureId {
        match &self.program.point(at).action {
            Action::Call(call) => call.callee,
            _ => unreachable!("it is asked of calls"),
        }
    }

    /// Says what a step is in terms.
    pub fn mean(&mut self, origin: Origin, meaning: Meaning) {
        self.meanings.insert(origin, meaning);
    }

    /// The caller's variables for what it passes, ...
    pub fn arguments(&self, procedure: ProcedureId, count: usize) -> Vec<VariableId> {
        let [first, _] = self.sizes[procedure.0 as usize];
        (0..count as u32)
            .map(|k| VariableId::Local(first + k))
            .collect()
    }

    /// ... and for what it gets back.
    pub fn results(&self, procedure: ProcedureId, count: usize) -> Vec<VariableId> {
        let [first, arguments] = self.sizes[procedure.0 as usize];
        let first = first + arguments;
        (0..count as u32)
            .map(|k| VariableId::Local(first + k))
            .collect()
    }

    pub fn call(
        &mut self,
        at: PointId,
        callee: ProcedureId,
        arguments: Vec<VariableId>,
        results: Vec<VariableId>,
    ) {
        let draft = Draft::Call(callee, arguments, results, Link::Next);
        self.push(draft, Origin::Call(at));
    }

    /// Ends a procedure.
    pub fn leave(
        &mut self,
        procedure: ProcedureId,
        arbitrary: Vec<VariableId>,
        returned: Vec<VariableId>,
    ) {
        let begin = self.procedures[procedure.0 as usize].points.start;
        for goal in self.goals.clone() {
            if goal.0 >= begin && self.divided {
                self.divide(begin as usize, goal.0 as usize);
            }
        }
        let run_off = self.here();
        if !arbitrary.is_empty() {
            let moves = Move {
                changed: arbitrary,
                constrain: None,
            };
            self.push(Draft::Move(moves, Link::Next), Origin::Leaving);
        }
        let leave = self.here();
        self.push(Draft::Return(returned), Origin::Leaving);
        self.push(Draft::Exit, Origin::Leaving);
        self.procedures[procedure.0 as usize].points.end = self.here().0;
        self.leaves.push([leave, run_off]);
    }

    /// Where a link leads that stays in the procedure.
    fn target(&self, link: Link, at: usize) -> Option<usize> {
        match link {
            Link::Point(point) => self.begins[point.0 as usize].map(|begin| begin.0 as usize),
            Link::Made(point) => Some(point.0 as usize),
            Link::Next => Some(at + 1),
            Link::Leave | Link::RunOff | Link::Failure | Link::End => None,
        }
    }

    /// Where a point leads that only leads there.
    fn only_target(&self, at: usize) -> Option<usize> {
        match &self.drafts[at].0 {
            Draft::Goto(targets) => match targets[..] {
                [target] => self.target(target, at),
                _ => None,
            },
            Draft::Move(moves, next) if moves.changed.is_empty() && moves.constrain.is_none() => {
                self.target(*next, at)
            }
            _ => None,
        }
    }

    /// Makes a goal of its own of each way into a goal, as far as these differ before the last
    /// steps that nothing hangs on: then each has a trace, and they are excluded in one round.
    fn divide(&mut self, begin: usize, goal: usize) {
        let end = self.drafts.len();
        // How each point that only leads to the goal comes there.
        let mut ways: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        ways.insert(goal, vec![goal]);
        loop {
            let mut grew = false;
            for at in begin..end {
                let way = self.only_target(at).and_then(|next| ways.get(&next));
                if let Some(way) = way.filter(|_| !ways.contains_key(&at)) {
                    let longer = [&[at], &way[..]].concat();
                    grew |= ways.insert(at, longer).is_none();
                }
            }
            if !grew {
                break;
            }
        }
        let mut entries: Vec<(usize, usize, usize)> = Vec::new();
        for at in (begin..end).filter(|at| !ways.contains_key(at)) {
            let links: Vec<Link> = match &self.drafts[at].0 {
                Draft::Goto(targets) => targets.clone(),
                Draft::Move(_, next) => vec![*next],
                _ => Vec::new(),
            };
            for (place, link) in links.into_iter().enumerate() {
                let target = self
                    .target(link, at)
                    .filter(|target| ways.contains_key(target));
                entries.extend(target.map(|target| (at, place, target)));
            }
        }
        if entries.len() > WAYS_TO_A_GOAL {
            return;
        }
        for (at, place, target) in entries.into_iter().skip(1) {
            let first = self.here();
            for copied in &ways[&target] {
                let origin = self.drafts[*copied].1;
                if *copied != goal {
                    self.push(Draft::Goto(vec![Link::Next]), origin);
                    continue;
                }
                self.goals.push(self.here());
                match &self.drafts[goal].0 {
                    Draft::Fail => self.push(Draft::Fail, origin),
                    _ => self.push(
                        Draft::Goto(vec![Link::Made(PointId(goal as u32 + 1))]),
                        origin,
                    ),
                }
            }
            match &mut self.drafts[at].0 {
                Draft::Goto(targets) => targets[place] = Link::Made(first),
                Draft::Move(_, next) => *next = Link::Made(first),
                _ => {}
            }
        }
    }

    fn resolve(&self, link: Link, at: usize) -> PointId {
        let procedure = self.drafts[at].2;
        match link {
            Link::Point(point) => self.begins[point.0 as usize].unwrap_or(PointId(at as u32)),
            Link::Made(point) => point,
            Link::Next | Link::Failure | Link::End => PointId(at as u32 + 1),
            Link::Leave => self.leaves[procedure.0 as usize][0],
            Link::RunOff => self.leaves[procedure.0 as usize][1],
        }
    }

    pub fn finish(mut self) -> Abstract {
        let mut points = Vec::with_capacity(self.drafts.len());
        let drafts = std::mem::take(&mut self.drafts);
        let mut expressions = std::mem::take(&mut self.expressions);
        let never = expressions.add([Operation::Constant(false)]);
        self.drafts = drafts;
        for at in 0..self.drafts.len() {
            let link = |link: Link| self.resolve(link, at);
            let mut read = |variables: &[VariableId]| {
                let reads = variables.iter();
                let reads = reads.map(|variable| expressions.add([Operation::Read(*variable)]));
                reads.collect::<Box<[_]>>()
            };
            let cells = |variables: &[VariableId]| -> Box<[Target]> {
                variables
                    .iter()
                    .map(|variable| Target::Cell(*variable))
                    .collect()
            };
            let action = match &self.drafts[at].0 {
                Draft::Goto(targets) => Action::Goto {
                    targets: targets.iter().map(|target| link(*target)).collect(),
                },
                Draft::Move(moves, next) => {
                    let constrain = moves.constrain.as_ref();
                    let constrain = constrain.map(|one| expressions.add(one.iter().copied()));
                    match (moves.changed.as_slice(), constrain) {
                        ([], None) => Action::Goto {
                            targets: [link(*next)].into(),
                        },
                        ([], Some(condition)) => Action::Assume {
                            condition,
                            next: link(*next),
                        },
                        (changed, constrain) => Action::Assign {
                            targets: cells(changed),
                            values: vec![Value::Any; changed.len()].into(),
                            constrain,
                            next: link(*next),
                        },
                    }
                }
                Draft::Call(callee, arguments, results, next) => Action::Call(Box::new(Call {
                    callee: *callee,
                    arguments: read(arguments),
                    assignments: Box::default(),
                    targets: cells(results),
                    next: link(*next),
                })),
                Draft::Return(values) => Action::Return {
                    values: read(values),
                    assignments: Box::default(),
                },
                Draft::Fail => Action::Assert {
                    condition: never,
                    next: PointId(at as u32),
                },
                Draft::Stuck => Action::Assume {
                    condition: never,
                    next: PointId(at as u32),
                },
                Draft::End => Action::EndThread {
                    assignments: Box::default(),
                },
                Draft::Exit => Action::Exit,
            };
            points.push(Point {
                procedure: self.drafts[at].2,
                span: Span::default(),
                implicit: true,
                saved: 0,
                action,
            });
        }
        let mut labels = Vec::new();
        for (point, name) in &self.program.labels {
            // A goal is labelled where its impossible combinations are left behind.
            let begin = self.begins[point.0 as usize];
            if let Some(begin) = begin {
                let after = PointId(begin.0 + 1);
                let is_goal = self.goals.contains(&after)
                    && self.drafts[begin.0 as usize].1 == Origin::Goal(*point);
                let at = if is_goal { after } else { begin };
                let text = identifier(self.program.names.text(*name));
                labels.push((at, self.names.intern(&text)));
            }
        }
        labels.sort_by_key(|(point, _)| *point);
        let origins = self.drafts.iter().map(|(_, origin, _)| *origin).collect();
        let begins = self.program.points.iter().zip(&self.begins);
        let places = begins.map(|(point, begin)| {
            let [leave, _] = self.leaves[point.procedure.0 as usize];
            begin.unwrap_or(leave)
        });
        Abstract {
            origins,
            places: places.collect(),
            variables: Vec::new(),
            goals: self.goals,
            meanings: self.meanings,
            program: Program {
                source: Arc::new(Source::new("abstraction.bp", Vec::new())),
                names: self.names,
                globals: self.globals,
                declarations: Vec::new(),
                enumerations: Vec::new(),
                constants: Vec::new(),
                language: Language::BooleanProgram,
                overflow: Overflow::Error,
                procedures: self.procedures,
                points,
                labels,
                guards: Vec::new(),
                expressions,
                entry: self.program.entry,
                threads: None,
                rule: None,
            },
        }
    }
}
