//! An execution of the boolean program, tried on the program.
//!
//! Only its way counts: which edges it takes. Along these, each variable is a term over what
//! is unknown at the beginning and what is chosen on the way, and each step has the condition under
//! which it is taken. If all can be true at once, a model is an execution; otherwise some of the
//! steps exclude each other.

use super::build::{Abstract, Workshop};
use super::draft::Origin;
use super::edges::{Edge, To};
use super::symbols::Frame;
use crate::interpreter::Waiting;
use crate::interpreter::replay::why_it_fails;
use crate::interpreter::step::failure_to_return;
use crate::limits::abstraction::PATH_CONFLICTS;
use crate::program::{PointId, ProcedureId, VariableId};
use crate::sat::{Answer, Prover};
use crate::terms::{Assignment, Node, Sort, Term, Unknown};
use crate::trace::failure::Failure;
use crate::trace::{Location, Step, Trace, Valuation};
use crate::watch::Abort;
use rustc_hash::FxHashMap;

/// What happens on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An edge of a point, by its number; at a call, to the callee.
    Edge(PointId, usize),
    /// The callee is left, and its caller goes on by one of the edges of the call.
    Resumed(PointId, usize),
    /// No step: a predicate, by its term, is true or false where the path is.
    Claim(Term, bool),
}

impl Event {
    /// The point whose step it is.
    pub fn point(self) -> Option<PointId> {
        match self {
            Event::Edge(point, _) | Event::Resumed(point, _) => Some(point),
            Event::Claim(..) => None,
        }
    }
}

/// A way through the program.
#[derive(Clone, Debug)]
pub struct Path {
    pub events: Vec<Event>,
}

impl Path {
    /// The way of a trace of the boolean program, which has nothing folded.
    pub fn of(trace: &Trace, boolean: &Abstract) -> Option<Path> {
        let last = trace.stem.len().checked_sub(1)?;
        Path::from(&trace.stem[..last], boolean, &|_| Vec::new())
    }

    /// What happens when these steps of the boolean program are left, and what is claimed of
    /// each before.
    pub fn from(
        steps: &[Step],
        boolean: &Abstract,
        claims: &dyn Fn(&Step) -> Vec<Event>,
    ) -> Option<Path> {
        let mut events = Vec::new();
        for step in steps {
            if step.folded.is_some() {
                return None;
            }
            events.extend(claims(step));
            match boolean.origins[step.at()? as usize] {
                Origin::Edge(point, edge) => events.push(Event::Edge(point, edge)),
                Origin::Resumed(point, edge) => events.push(Event::Resumed(point, edge)),
                Origin::Goal(_)
                | Origin::Fork(_)
                | Origin::Call(_)
                | Origin::ForkResumed(_)
                | Origin::Failed
                | Origin::Leaving => {}
            }
        }
        Some(Path { events })
    }
}

/// What is found out about a path.
pub enum Trial {
    /// It is an execution.
    Execution(Box<Trace>),
    /// These events, by their places, exclude each other.
    Excluded(Vec<usize>),
}

/// A frame along a path.
pub(super) struct Activation {
    procedure: ProcedureId,
    /// Ghosts included.
    locals: Vec<Term>,
    /// Whether what it returns is fixed.
    returns: bool,
}

/// A configuration along a path.
pub(super) struct Moment {
    pub location: Location,
    pub depth: u64,
    pub globals: Vec<Term>,
    pub locals: Vec<Term>,
    pub returns: Option<Vec<Term>>,
    /// At a call that is entered: what the frame that waits has.
    below: Vec<Term>,
}

/// A path as it is followed: one condition for each event.
pub(super) struct Walk<'w, 'p> {
    pub workshop: &'w mut Workshop<'p>,
    globals: Vec<Term>,
    frames: Vec<Activation>,
    /// What the callee will get.
    arguments: Vec<Term>,
    pub conditions: Vec<Term>,
    pub moments: Vec<Moment>,
}

/// Tries a path of the boolean program, or, if it is `single`, one of the program itself: then its edges
/// are those of the program.
pub fn try_path(
    workshop: &mut Workshop<'_>,
    path: &Path,
    single: bool,
    wanted: &dyn Fn(&Failure) -> bool,
) -> Result<Trial, Abort> {
    let watch = workshop.watch.clone();
    let mut walk = Walk::new(workshop);
    for event in &path.events {
        watch.check()?;
        match single {
            true => walk.step(*event),
            false => walk.follow(*event),
        }
    }
    let mut prover = Prover::new(&watch, PATH_CONFLICTS);
    let terms = &walk.workshop.terms;
    let answer = prover.solve(terms, &walk.conditions)?;
    let trial = match answer {
        Answer::Satisfiable(model) => {
            let mut trace = walk.trace(&model, walk.moments.len());
            trace.failure = walk.failure(&trace, path, &model, wanted);
            Trial::Execution(Box::new(trace))
        }
        Answer::Unsatisfiable(core) => {
            let chosen: Vec<Term> = core.iter().map(|place| walk.conditions[*place]).collect();
            let minimal = prover.minimal_core(terms, &chosen)?.unwrap_or_default();
            Trial::Excluded(minimal.iter().map(|place| core[*place]).collect())
        }
    };
    (0..prover.calls()).for_each(|_| walk.workshop.calls.count());
    Ok(trial)
}

impl<'w, 'p> Walk<'w, 'p> {
    /// At the start of the program.
    pub fn new(workshop: &'w mut Workshop<'p>) -> Self {
        let mut walk = Walk {
            globals: Vec::new(),
            frames: Vec::new(),
            arguments: Vec::new(),
            conditions: Vec::new(),
            moments: Vec::new(),
            workshop,
        };
        walk.begin();
        walk
    }

    /// New variables like these.
    fn fresh(&mut self, like: &[Term]) -> Vec<Term> {
        let sorts: Vec<Sort> = like
            .iter()
            .map(|term| self.workshop.terms.sort(*term))
            .collect();
        sorts
            .into_iter()
            .map(|sort| self.workshop.terms.unknown(sort))
            .collect()
    }

    /// A new frame with these parameters.
    fn activate(&mut self, procedure: ProcedureId, arguments: &[Term]) -> Activation {
        let like = self.workshop.symbols.locals(procedure).to_vec();
        let mut locals = self.fresh(&like);
        let frame = Frame::of(self.workshop.program, procedure);
        let parameters = self.workshop.program.procedure(procedure).parameters;
        for i in 0..parameters {
            let value = arguments
                .get(i as usize)
                .copied()
                .unwrap_or(locals[i as usize]);
            locals[i as usize] = value;
            if let VariableId::Local(ghost) = frame.entry(i) {
                locals[ghost as usize] = value;
            }
        }
        Activation {
            procedure,
            locals,
            returns: false,
        }
    }

    fn begin(&mut self) {
        let like = self.workshop.symbols.globals().to_vec();
        self.globals = self.fresh(&like);
        let entry = self.workshop.program.entry;
        let frame = self.activate(entry, &[]);
        self.frames.push(frame);
        self.note(Location::At(self.workshop.program.entry_point().0));
    }

    /// Notes the configuration.
    fn note(&mut self, location: Location) {
        let is_at = matches!(location, Location::At(_));
        let program = self.workshop.program;
        let moment = match self.frames.last().filter(|_| is_at) {
            Some(frame) => {
                let procedure = program.procedure(frame.procedure);
                let cells = procedure.locals.len();
                let at_exit = location == Location::At(procedure.exit().0);
                let ghosts = cells + procedure.parameters as usize;
                Moment {
                    location,
                    depth: self.frames.len() as u64 - 1,
                    globals: self.globals.clone(),
                    locals: frame.locals[..cells].to_vec(),
                    returns: (at_exit && frame.returns).then(|| frame.locals[ghosts..].to_vec()),
                    below: Vec::new(),
                }
            }
            None => Moment {
                location,
                depth: 0,
                globals: self.globals.clone(),
                locals: Vec::new(),
                returns: None,
                below: Vec::new(),
            },
        };
        self.moments.push(moment);
    }

    /// What the variables of the frame on top are.
    fn state(&self) -> FxHashMap<Unknown, Term> {
        let symbols = &self.workshop.symbols;
        let terms = &self.workshop.terms;
        let mut state = FxHashMap::default();
        let globals = symbols.globals().iter().zip(&self.globals);
        let frame = self.frames.last();
        let locals = frame
            .into_iter()
            .flat_map(|frame| symbols.locals(frame.procedure).iter().zip(&frame.locals));
        for (own, value) in globals.chain(locals) {
            if let Node::Unknown(unknown) = terms.get(*own) {
                state.insert(unknown, *value);
            }
        }
        state
    }

    /// Takes an edge in a state, where what it chooses is new.
    fn take(
        &mut self,
        edge: &Edge,
        mut state: FxHashMap<Unknown, Term>,
        more: &[Term],
    ) -> Vec<Term> {
        let values = edge.updates.values().copied();
        let mut terms: Vec<Term> = [edge.condition].into_iter().chain(values).collect();
        terms.extend(more);
        for unknown in self.workshop.terms.unknowns_in(terms.iter().copied()) {
            let own = self.workshop.terms.term_of(unknown);
            let sort = self.workshop.terms.sort(own);
            let terms = &mut self.workshop.terms;
            state.entry(unknown).or_insert_with(|| terms.unknown(sort));
        }
        let mut found = self.workshop.terms.substitute(&terms, &state);
        let more = found.split_off(1 + edge.updates.len());
        self.conditions.push(found[0]);
        for (variable, value) in edge.updates.keys().zip(&found[1..]) {
            match variable {
                VariableId::Global(index) => self.globals[*index as usize] = *value,
                VariableId::Local(index) => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.locals[*index as usize] = *value;
                    }
                }
            }
        }
        more
    }

    pub fn follow(&mut self, event: Event) {
        match event {
            Event::Resumed(..) => self.step(event),
            Event::Edge(at, index) => {
                let begin = self.conditions.len();
                for (at, index) in self.workshop.parts(at, index) {
                    self.step(Event::Edge(at, index));
                }
                let own = self.conditions.split_off(begin);
                let terms = &mut self.workshop.terms;
                let all = own.into_iter().fold(Term::TRUE, |a, b| terms.and(a, b));
                self.conditions.push(all);
            }
            Event::Claim(term, is_true) => {
                let here = self.workshop.terms.substitute(&[term], &self.state());
                let claimed = match is_true {
                    true => here[0],
                    false => self.workshop.terms.not(here[0]),
                };
                self.conditions.push(claimed);
            }
        }
    }

    /// Takes a single edge of the program.
    fn step(&mut self, event: Event) {
        let (Event::Edge(at, index) | Event::Resumed(at, index)) = event else {
            return;
        };
        let steps = self.workshop.steps[at.0 as usize].clone();
        let program = self.workshop.program;
        let edge = match event {
            Event::Edge(..) => {
                let edge = steps.edges[index].clone();
                let arguments = steps.passing.as_ref().map_or(&[][..], |p| &p.arguments);
                self.arguments = self.take(&edge, self.state(), arguments);
                edge
            }
            Event::Resumed(..) | Event::Claim(..) => {
                let Some(passing) = &steps.passing else {
                    unreachable!("only calls are resumed");
                };
                let callee = self.frames.pop();
                let mut state = self.state();
                if let Some(callee) = callee {
                    let frame = Frame::of(program, callee.procedure);
                    for (result, i) in passing.results.iter().zip(0..) {
                        if let (Node::Unknown(unknown), VariableId::Local(ghost)) =
                            (self.workshop.terms.get(*result), frame.returned(i))
                        {
                            state.insert(unknown, callee.locals[ghost as usize]);
                        }
                    }
                }
                let edge = passing.resumed[index].clone();
                self.take(&edge, state, &[]);
                edge
            }
        };
        match edge.to {
            To::Point(target) => {
                let returns = matches!(
                    program.point(at).action,
                    crate::program::Action::Return { .. }
                );
                if let Some(frame) = self.frames.last_mut() {
                    frame.returns = returns;
                }
                self.note(Location::At(target.0));
            }
            To::Callee => {
                if let (Some(moment), Some(frame)) = (self.moments.last_mut(), self.frames.last()) {
                    moment.below =
                        frame.locals[..program.procedure(frame.procedure).locals.len()].to_vec();
                }
                if let crate::program::Action::Call(call) = &program.point(at).action {
                    let arguments = std::mem::take(&mut self.arguments);
                    let frame = self.activate(call.callee, &arguments);
                    self.frames.push(frame);
                    self.note(Location::At(program.procedure(call.callee).entry().0));
                }
            }
            To::Error { .. } => self.note(Location::Error),
            To::Caller | To::End => self.note(Location::Terminated),
        }
    }

    /// Why a path that was followed to its end leads to *error*, if it does.
    pub fn failure(
        &self,
        trace: &Trace,
        path: &Path,
        model: &Assignment,
        wanted: &dyn Fn(&Failure) -> bool,
    ) -> Option<Failure> {
        let program = self.workshop.program;
        let mut events = path.events.iter().rev();
        let last_step = events.find(|event| event.point().is_some());
        if let (Some(Event::Resumed(at, _)), [.., exit, last]) = (last_step, &trace.stem[..])
            && last.location == Location::Error
            && let Some(frame) = self.frames.last()
        {
            let cells = program.procedure(frame.procedure).locals.len();
            let locals = self.workshop.terms.evaluate(&frame.locals[..cells], model);
            let waiting = Waiting {
                at: *at,
                locals: locals.iter().map(|value| *value as u64).collect(),
            };
            let (globals, returns) = (exit.valuation.globals(), exit.returns.as_deref());
            return failure_to_return(program, &waiting, globals, returns);
        }
        why_it_fails(program, trace, wanted)
    }

    /// The execution of a model, up to so many configurations.
    pub fn trace(&self, model: &Assignment, count: usize) -> Trace {
        let value = |terms: &[Term]| -> Vec<u64> {
            let values = self.workshop.terms.evaluate(terms, model);
            values.into_iter().map(|value| value as u64).collect()
        };
        let last = count - 1;
        let steps = self.moments[..count].iter().enumerate().map(|(i, moment)| {
            let valuation = Valuation::new(&value(&moment.globals), &value(&moment.locals));
            let mut step = Step::new(moment.location, moment.depth, valuation);
            step.returns = moment.returns.as_ref().map(|returns| value(returns).into());
            step.rule = step.at().filter(|_| i < last);
            step.below = value(&moment.below).into();
            step
        });
        Trace {
            stem: steps.collect(),
            ..Trace::default()
        }
    }
}
