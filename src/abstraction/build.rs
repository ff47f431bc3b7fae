//! A boolean program that has every execution of a program, seen through predicates (C2BP).
//!
//! Its variables are the predicates; procedures, calls and control stay what they are. A point
//! becomes a choice between its edges, and an edge one assignment under a constraint: the relation
//! of [`super::relation`] between the predicates before and after it. Of the predicates of a
//! procedure, those on parameters and globals are parameters; those on returned values,
//! globals and what parameters were at the entry are returned. Before a call, what is passed is
//! computed into variables of the caller's own; after it, what was returned tells what is
//! true of what the call may have changed, and the rest stays.

use super::blocks::Block;
use super::draft::{Drafts, Meaning, Origin};
use super::edges::{Edge, Steps, steps};
use super::lemmas::Lemmas;
use super::predicate::{Predicate, PredicateId, Predicates};
use super::relation::{Question, Relation};
use super::samples::Samples;
use super::scene::Scene;
use super::symbols::{Frame, Role, Symbols};
use super::vocabulary::Vocabulary;
use crate::limits::abstraction::{PATTERNS, RELATION_CONFLICTS};
use crate::program::{Call, PointId, ProcedureId, Program, VariableId};
use crate::terms::{Node, Sort, Term, Terms, Unknown};
use crate::watch::{Gauge, Stop, Watch};
use rustc_hash::FxHashMap;

/// What is kept between rounds: the program as terms, and relations that were computed.
pub struct Workshop<'p> {
    pub program: &'p Program,
    pub vocabulary: Vocabulary<'p>,
    pub terms: Terms,
    pub symbols: Symbols,
    /// By point.
    pub steps: Vec<Steps>,
    /// By point: the edges of the boolean program, unless it is inside one.
    pub(super) blocks: Vec<Option<Vec<Block>>>,
    /// At a call, by point and global: what a global was that the callee may have changed.
    earlier: FxHashMap<PointId, FxHashMap<Unknown, Term>>,
    relations: FxHashMap<(Term, Vec<Term>, Vec<Term>), Relation>,
    /// Impossible combinations of truth values, and those that are known to be possible.
    pub(super) combinations: FxHashMap<Vec<Term>, bool>,
    /// What random executions came to, once that is asked for.
    pub(super) samples: Option<Samples>,
    /// What was learnt from paths, beyond these relations.
    pub(super) lemmas: Lemmas,
    pub watch: Watch,
    /// Questions to the solver.
    pub calls: Gauge,
}

/// What is looked for.
pub struct Goals<'g> {
    pub point: &'g dyn Fn(PointId) -> bool,
    /// A failure at a point; the second says whether an assertion fails.
    pub failure: &'g dyn Fn(PointId, bool) -> bool,
    /// Whether each way into a failure is a goal of its own. Then points have copies, of which nothing
    /// may depend on where they are.
    pub divided: bool,
    /// Clauses that may be false, in the order of their points.
    pub probes: &'g [Probe],
}

/// A clause over predicates that are in scope at a point.
#[derive(Clone, Debug)]
pub struct Probe {
    pub point: PointId,
    pub clause: Vec<(PredicateId, bool)>,
}

/// A boolean program, and what its points are.
pub struct Abstract {
    pub program: Program,
    /// By point.
    pub origins: Vec<Origin>,
    /// Where it is to be found out whether control can come.
    pub goals: Vec<PointId>,
    /// By point of the program, where it is in the boolean program before anything happens there:
    /// what is between two of these is one step of the program.
    pub places: Vec<PointId>,
    /// By predicate, the variable that it is; if that is a local, of its scope.
    pub variables: Vec<VariableId>,
    /// What the steps of the program are in terms.
    pub(super) meanings: FxHashMap<Origin, Meaning>,
}

/// The predicates of a procedure in the boolean program.
pub struct Interface {
    /// Those on its variables: parameters first.
    pub predicates: Vec<PredicateId>,
    pub parameters: usize,
    /// Those that are returned, by their place in `predicates`.
    pub returned: Vec<usize>,
}

impl<'p> Workshop<'p> {
    pub fn new(program: &'p Program, watch: &Watch, calls: Gauge) -> Self {
        let mut terms = Terms::default();
        let symbols = Symbols::new(program, &mut terms);
        let points = (0..program.points.len() as u32).map(PointId);
        let steps: Vec<Steps> = points
            .map(|point| steps(program, &symbols, &mut terms, point))
            .collect();
        let mut workshop = Workshop {
            program,
            vocabulary: Vocabulary::new(program),
            terms,
            symbols,
            steps,
            blocks: Vec::new(),
            earlier: FxHashMap::default(),
            relations: FxHashMap::default(),
            combinations: FxHashMap::default(),
            samples: None,
            lemmas: Lemmas::default(),
            watch: watch.clone(),
            calls,
        };
        workshop.lay_blocks(&|_| true);
        workshop
    }

    pub fn interface(&self, predicates: &Predicates, procedure: ProcedureId) -> Interface {
        let mut all = predicates.of(Some(procedure));
        let is_passed = |id: &PredicateId| self.is_passed(procedure, predicates.get(*id));
        all.sort_by_key(|id| !is_passed(id));
        let parameters = all.iter().filter(|id| is_passed(id)).count();
        let is_returned = |place: &usize| self.is_returned(procedure, predicates.get(all[*place]));
        Interface {
            returned: (0..all.len()).filter(is_returned).collect(),
            parameters,
            predicates: all,
        }
    }

    /// Whether a call tells a predicate of its callee: one on parameters and globals.
    pub fn is_passed(&self, procedure: ProcedureId, predicate: &Predicate) -> bool {
        let frame = Frame::of(self.program, procedure);
        predicate.cells().iter().all(|variable| match variable {
            VariableId::Global(_) => true,
            VariableId::Local(local) => {
                matches!(frame.role(*local), Role::Parameter(_) | Role::Entry(_))
            }
        })
    }

    /// Whether a return tells a predicate of the callee: one on what the caller knows, and on
    /// something that the call decides.
    pub fn is_returned(&self, procedure: ProcedureId, predicate: &Predicate) -> bool {
        let frame = Frame::of(self.program, procedure);
        let cells = predicate.cells();
        let is_known = |variable: &VariableId| match variable {
            VariableId::Global(_) => true,
            VariableId::Local(local) => match frame.role(*local) {
                Role::Parameter(one) => self.symbols.is_unchanged(procedure, one),
                Role::Entry(_) | Role::Returned(_) => true,
                Role::Local => false,
            },
        };
        let is_decided = |variable: &VariableId| match variable {
            VariableId::Global(global) => self.symbols.may_change(procedure, *global),
            VariableId::Local(local) => matches!(frame.role(*local), Role::Returned(_)),
        };
        cells.iter().all(is_known) && cells.iter().any(is_decided)
    }

    /// The boolean program.
    pub fn build(&mut self, predicates: &Predicates, goals: &Goals<'_>) -> Result<Abstract, Stop> {
        let program = self.program;
        let interfaces: Vec<Interface> = program
            .procedure_ids()
            .map(|id| self.interface(predicates, id))
            .collect();
        let mut drafts = Drafts::new(&self.vocabulary, predicates, &interfaces, goals.divided);
        for procedure in program.procedure_ids() {
            let mut scene = Scene {
                workshop: self,
                predicates,
                interfaces: &interfaces,
                procedure,
                goals,
                drafts: &mut drafts,
                together: Vec::new(),
            };
            scene.procedure()?;
        }
        let mut boolean = drafts.finish();
        let globals = predicates.of(None).into_iter();
        let globals = globals.zip((0..).map(VariableId::Global));
        let locals = interfaces.iter().flat_map(|interface| {
            let own = interface.predicates.iter().copied();
            own.zip((0..).map(VariableId::Local))
        });
        let mut variables: Vec<(PredicateId, VariableId)> = globals.chain(locals).collect();
        variables.sort_unstable_by_key(|(id, _)| *id);
        boolean.variables = variables.into_iter().map(|(_, one)| one).collect();
        Ok(boolean)
    }

    pub(super) fn relation(
        &mut self,
        condition: Term,
        before: &[Term],
        after: &[Term],
    ) -> Result<Relation, Stop> {
        let key = (condition, before.to_vec(), after.to_vec());
        if let Some(known) = self.relations.get(&key) {
            return Ok(known.clone());
        }
        let question = Question {
            condition,
            before,
            after,
            patterns: PATTERNS,
            conflicts: RELATION_CONFLICTS,
        };
        let (relation, calls) = question.answer(&mut self.terms, &self.watch)?;
        (0..calls).for_each(|_| self.calls.count());
        self.relations.insert(key, relation.clone());
        Ok(relation)
    }

    /// What globals were before a call that may change them.
    pub fn earlier(&mut self, at: PointId, call: &Call) -> FxHashMap<Unknown, Term> {
        if let Some(known) = self.earlier.get(&at) {
            return known.clone();
        }
        let mut earlier = FxHashMap::default();
        for (global, index) in self.symbols.globals().to_vec().into_iter().zip(0..) {
            if self.symbols.may_change(call.callee, index)
                && let Node::Unknown(unknown) = self.terms.get(global)
            {
                let sort: Sort = self.terms.sort(global);
                earlier.insert(unknown, self.terms.unknown(sort));
            }
        }
        self.earlier.insert(at, earlier.clone());
        earlier
    }

    /// What stands for the variables of a callee in its caller: parameters, and what they were at
    /// the entry, are the arguments; what is returned are the results.
    pub fn passed(
        &self,
        callee: ProcedureId,
        arguments: &[Term],
        results: &[Term],
    ) -> FxHashMap<Unknown, Term> {
        let frame = Frame::of(self.program, callee);
        let mut passed = FxHashMap::default();
        let mut put = |variable: VariableId, term: Term| {
            let own = self.symbols.term(callee, variable);
            if let Node::Unknown(unknown) = self.terms.get(own) {
                passed.insert(unknown, term);
            }
        };
        for (argument, i) in arguments.iter().zip(0..) {
            put(VariableId::Local(i), *argument);
            put(frame.entry(i), *argument);
        }
        for (result, i) in results.iter().zip(0..) {
            put(frame.returned(i), *result);
        }
        passed
    }

    /// The updates of an edge, by variables of terms.
    pub fn replacement(&self, procedure: ProcedureId, edge: &Edge) -> FxHashMap<Unknown, Term> {
        let updates = edge.updates.iter();
        let pairs = updates.filter_map(|(variable, term)| {
            match self.terms.get(self.symbols.term(procedure, *variable)) {
                Node::Unknown(unknown) => Some((unknown, *term)),
                _ => None,
            }
        });
        pairs.collect()
    }
}
