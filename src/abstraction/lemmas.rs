//! Lemmas: what a step cannot do to truth values, learnt from paths that must not come back.
//!
//! The relation of a step may have more than is possible, where it is given by parts or by clauses. A path
//! that is impossible for all that the predicates say could go that way for ever. So it is followed in the boolean
//! program, as one question to the solver, whose model has all truth values on the way; and each step is
//! tried on the program, by itself, between its values. If it cannot be made, the fewest values that exclude it
//! are a lemma on that step, and the question is asked again. In the end the path is excluded, or every step
//! of it is possible by itself: then it is for other predicates to exclude it. There are finitely many
//! clauses over the same predicates, so that one of the two is certain.

use super::build::{Abstract, Workshop};
use super::draft::{Meaning, Origin, Place};
use super::path::{Event, Path};
use super::predicate::Predicates;
use crate::limits::abstraction::{LEMMAS, PATH_CONFLICTS, RELATION_CONFLICTS};
use crate::program::{Action, Expression, Moment, Operation, PointId, Target, VariableId};
use crate::sat::{Answer, Prover};
use crate::terms::translate::translate;
use crate::terms::{Sort, Term, Terms};
use crate::watch::{Abort, Stop};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A truth value before or after a step, and whether it is true. From round to round values change their
/// places, but not what they stand for: it is the first one, or a later one, that stands for a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Literal {
    is_after: bool,
    term: Term,
    nth: usize,
    is_true: bool,
}

/// What is known of steps: clauses, by the condition under which a step is taken.
#[derive(Debug, Default)]
pub struct Lemmas {
    clauses: FxHashMap<Term, IndexSet<Vec<Literal>, FxBuildHasher>>,
}

impl Lemmas {
    /// Adds one; false if it is there.
    fn add(&mut self, condition: Term, clause: Vec<Literal>) -> bool {
        self.clauses.entry(condition).or_default().insert(clause)
    }

    /// What is known of a step, as conditions over the values before and after it.
    pub fn of(&self, condition: Term, before: &[Place], after: &[Place]) -> Vec<Vec<Operation>> {
        let clauses = self.clauses.get(&condition).into_iter().flatten();
        let spelled = clauses.filter_map(|clause| {
            let mut operations = vec![Operation::Constant(false)];
            for literal in clause {
                let side = if literal.is_after { after } else { before };
                let mut alike = side.iter().filter(|(_, term)| *term == literal.term);
                let (place, _) = alike.nth(literal.nth)?;
                operations.push(match literal.is_after {
                    true => Operation::ReadNext(*place),
                    false => Operation::Read(*place),
                });
                operations.extend((!literal.is_true).then_some(Operation::Not));
                operations.push(Operation::Or);
            }
            Some(operations)
        });
        spelled.collect()
    }
}

/// The literals of a step that say what values it has.
fn literals(meaning: &Meaning, passage: &[bool]) -> Vec<Literal> {
    let sides = [(&meaning.before, false), (&meaning.after, true)];
    let places = sides.into_iter().flat_map(|(side, is_after)| {
        side.iter().enumerate().map(move |(place, (_, term))| {
            let alike = side[..place].iter().filter(|(_, other)| other == term);
            (is_after, *term, alike.count())
        })
    });
    let values = places.zip(passage);
    let literals = values.map(|((is_after, term, nth), is_true)| Literal {
        is_after,
        term,
        nth,
        is_true: *is_true,
    });
    literals.collect()
}

impl Workshop<'_> {
    /// Learns why a path is impossible, as far as single steps tell: how many lemmas are new.
    pub fn learn(
        &mut self,
        boolean: &Abstract,
        predicates: &Predicates,
        path: &Path,
    ) -> Result<usize, Stop> {
        let mut track = Track::new(self, boolean, predicates);
        if !path.events.iter().all(|event| track.follow(*event)) {
            return Ok(0);
        }
        let Track {
            mut terms,
            mut prover,
            passages,
            ..
        } = track;
        let mut steps: FxHashMap<Origin, Prover> = FxHashMap::default();
        let mut new = 0;
        while new < LEMMAS {
            self.watch.check()?;
            let model = match prover.solve(&terms, &[]) {
                Ok(Answer::Satisfiable(model)) => model,
                Ok(Answer::Unsatisfiable(_)) | Err(Abort::OverBudget) => break,
                Err(Abort::Stop(stop)) => return Err(stop),
            };
            let mut learnt: Vec<(Origin, Vec<usize>, Vec<bool>)> = Vec::new();
            for passage in &passages {
                let meaning = &boolean.meanings[&passage.origin];
                let values = terms.evaluate(&passage.values, &model);
                let values: Vec<bool> = values.into_iter().map(|value| value != 0).collect();
                let is_refuted = learnt.iter().any(|(origin, core, known)| {
                    let mut blamed = core.iter();
                    *origin == passage.origin && blamed.all(|one| known[*one] == values[*one])
                });
                if is_refuted {
                    continue;
                }
                let places = meaning.before.iter().chain(&meaning.after);
                let mut assumed = vec![meaning.condition];
                for ((_, term), is_true) in places.zip(&values) {
                    assumed.push(match is_true {
                        true => *term,
                        false => self.terms.not(*term),
                    });
                }
                let step = steps
                    .entry(passage.origin)
                    .or_insert_with(|| Prover::new(&self.watch, RELATION_CONFLICTS));
                match step.minimal_core(&self.terms, &assumed) {
                    Ok(Some(core)) => {
                        let core = core.into_iter().filter_map(|place| place.checked_sub(1));
                        learnt.push((passage.origin, core.collect(), values));
                    }
                    Ok(None) | Err(Abort::OverBudget) => {}
                    Err(Abort::Stop(stop)) => return Err(stop),
                }
            }
            if learnt.is_empty() {
                break;
            }
            let mut grew = false;
            for (origin, core, values) in learnt {
                let meaning = &boolean.meanings[&origin];
                let all = literals(meaning, &values);
                let clause: Vec<Literal> = core
                    .iter()
                    .map(|place| Literal {
                        is_true: !all[*place].is_true,
                        ..all[*place]
                    })
                    .collect();
                if !self.lemmas.add(meaning.condition, clause) {
                    continue;
                }
                grew = true;
                new += 1;
                // Wherever the path takes this step.
                for passage in passages.iter().filter(|passage| passage.origin == origin) {
                    let known = core.iter().map(|place| match values[*place] {
                        true => passage.values[*place],
                        false => terms.not(passage.values[*place]),
                    });
                    let together: Vec<Term> = known.collect();
                    prover.exclude(&terms, &together);
                }
            }
            if !grew {
                break;
            }
        }
        let calls = prover.calls() + steps.values().map(Prover::calls).sum::<u64>();
        (0..calls).for_each(|_| self.calls.count());
        Ok(new)
    }
}

/// A step of a path that is one of the program: its truth values before it, then those after it.
struct Passage {
    origin: Origin,
    values: Vec<Term>,
}

/// A path as it is followed in the boolean program.
struct Track<'t> {
    boolean: &'t Abstract,
    predicates: &'t Predicates,
    /// Over truth values of the boolean program, and nothing of the program.
    terms: Terms,
    prover: Prover,
    at: PointId,
    globals: Vec<Term>,
    /// The locals of each frame; of all but the lowest the call that waits below.
    frames: Vec<(Vec<Term>, Option<PointId>)>,
    passages: Vec<Passage>,
}

impl<'t> Track<'t> {
    fn new(workshop: &Workshop<'_>, boolean: &'t Abstract, predicates: &'t Predicates) -> Self {
        let mut track = Track {
            boolean,
            predicates,
            terms: Terms::default(),
            prover: Prover::new(&workshop.watch, PATH_CONFLICTS),
            at: boolean.program.entry_point(),
            globals: Vec::new(),
            frames: Vec::new(),
            passages: Vec::new(),
        };
        track.globals = track.anything(boolean.program.globals.len());
        track.enter(&[], None);
        track
    }

    fn anything(&mut self, count: usize) -> Vec<Term> {
        (0..count)
            .map(|_| self.terms.unknown(Sort::Truth))
            .collect()
    }

    /// A new frame, where control is.
    fn enter(&mut self, arguments: &[Term], below: Option<PointId>) {
        let procedure = self.boolean.program.point(self.at).procedure;
        let count = self.boolean.program.procedure(procedure).locals.len();
        let mut locals = self.anything(count);
        locals[..arguments.len()].copy_from_slice(arguments);
        self.frames.push((locals, below));
    }

    fn read(&self, variable: VariableId) -> Term {
        match (variable, self.frames.last()) {
            (VariableId::Global(index), _) => self.globals[index as usize],
            (VariableId::Local(index), Some((locals, _))) => locals[index as usize],
            (VariableId::Local(_), None) => unreachable!("there is a frame while there are steps"),
        }
    }

    fn write(&mut self, variable: VariableId, value: Term) {
        match (variable, self.frames.last_mut()) {
            (VariableId::Global(index), _) => self.globals[index as usize] = value,
            (VariableId::Local(index), Some((locals, _))) => locals[index as usize] = value,
            (VariableId::Local(_), None) => {}
        }
    }

    /// A condition holds, with these values after the step.
    fn require(&mut self, condition: Expression, after: &[(VariableId, Term)]) {
        let operations = self.boolean.program.expressions.operations(condition);
        let mut terms = std::mem::take(&mut self.terms);
        let value = translate(&mut terms, operations, &mut |_, variable, when| {
            let mut new = after.iter().filter(|_| when == Moment::After);
            let new = new.find(|(changed, _)| *changed == variable);
            new.map_or_else(|| self.read(variable), |(_, value)| *value)
        });
        self.terms = terms;
        self.prover.assert(&self.terms, value.term);
    }

    /// Goes on to this event and past it; false if control cannot come there.
    fn follow(&mut self, event: Event) -> bool {
        let wanted = match event {
            Event::Edge(at, number) => Origin::Edge(at, number),
            Event::Resumed(at, number) => Origin::Resumed(at, number),
            Event::Claim(term, is_true) => {
                self.claim(term, is_true);
                return true;
            }
        };
        loop {
            let origin = self.boolean.origins[self.at.0 as usize];
            let is_step = matches!(origin, Origin::Edge(..) | Origin::Resumed(..));
            if is_step && origin != wanted {
                return false;
            }
            if !is_step {
                match self.pass(wanted) {
                    true => continue,
                    false => return false,
                }
            }
            let procedure = self.boolean.program.point(self.at).procedure;
            if let Some(enforce) = self.boolean.program.procedure(procedure).enforce {
                self.require(enforce, &[]);
            }
            let meaning = &self.boolean.meanings[&origin];
            let before: Vec<Term> = meaning.before.iter().map(|one| self.read(one.0)).collect();
            // Where nothing follows, the path ends.
            self.pass(wanted);
            let after = meaning.after.iter().map(|one| self.read(one.0));
            let values = before.into_iter().chain(after).collect();
            self.passages.push(Passage { origin, values });
            // What is claimed of a frame is claimed when it is there.
            if let Origin::Call(_) = self.boolean.origins[self.at.0 as usize] {
                self.pass(wanted);
            }
            return true;
        }
    }

    /// Takes one step of the boolean program, towards a wanted one; false if there is none.
    fn pass(&mut self, wanted: Origin) -> bool {
        let program = &self.boolean.program;
        let from = self.at;
        match &program.point(from).action {
            Action::Goto { targets } => {
                let is_wanted =
                    |target: &&PointId| self.boolean.origins[target.0 as usize] == wanted;
                let target = match &targets[..] {
                    [target] => Some(target),
                    several => several.iter().find(is_wanted),
                };
                let Some(target) = target else { return false };
                self.at = *target;
            }
            Action::Assume { condition, next } => {
                self.require(*condition, &[]);
                self.at = *next;
            }
            Action::Assign {
                targets,
                constrain,
                next,
                ..
            } => {
                let changed = targets.iter().filter_map(cell);
                let changed: Vec<VariableId> = changed.collect();
                let values = self.anything(changed.len());
                let after: Vec<(VariableId, Term)> = changed.into_iter().zip(values).collect();
                if let Some(constrain) = constrain {
                    self.require(*constrain, &after);
                }
                for (variable, value) in after {
                    self.write(variable, value);
                }
                self.at = *next;
            }
            Action::Call(call) => {
                let arguments = self.values(&call.arguments);
                self.at = program.procedure(call.callee).entry();
                self.enter(&arguments, Some(from));
            }
            Action::Return { values, .. } => {
                let returned = self.values(values);
                let Some((_, Some(below))) = self.frames.pop() else {
                    return false;
                };
                let Action::Call(call) = &program.point(below).action else {
                    return false;
                };
                for (variable, value) in call.targets.iter().filter_map(cell).zip(returned) {
                    self.write(variable, value);
                }
                self.at = call.next;
            }
            _ => return false,
        }
        self.at != from
    }

    fn values(&self, expressions: &[Expression]) -> Vec<Term> {
        let read = |expression: &Expression| match self
            .boolean
            .program
            .expressions
            .operations(*expression)
        {
            [Operation::Read(variable)] => self.read(*variable),
            _ => unreachable!("variables are passed and returned"),
        };
        expressions.iter().map(read).collect()
    }

    /// A truth value of the program is this one here, if it is a predicate.
    fn claim(&mut self, term: Term, is_true: bool) {
        let procedure = self.boolean.program.point(self.at).procedure;
        let scopes = [None, Some(procedure)];
        let ids = scopes.map(|scope| self.predicates.of(scope));
        let mut ids = ids.into_iter().flatten();
        if let Some(id) = ids.find(|id| self.predicates.term(*id) == term) {
            let value = self.read(self.boolean.variables[id.0 as usize]);
            let claimed = match is_true {
                true => value,
                false => self.terms.not(value),
            };
            self.prover.assert(&self.terms, claimed);
        }
    }
}

fn cell(target: &Target) -> Option<VariableId> {
    match target {
        Target::Cell(variable) => Some(*variable),
        Target::Discard | Target::Element { .. } => None,
    }
}
