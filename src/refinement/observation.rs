//! What the propositions of a temporal property are in the boolean program.
//!
//! A proposition on values becomes a predicate, which the boolean program tracks exactly; one on control
//! is about the places of its points. A step of the program is several in the boolean
//! program, of which the automaton reads one: so that the same number of steps is counted.

use super::Loop;
use crate::abstraction::build::Abstract;
use crate::abstraction::path::Event;
use crate::abstraction::predicate::{Predicate, PredicateId};
use crate::abstraction::spelling::spell;
use crate::program::{Domain, Operation, PointId, ProcedureId, Program, VariableId};
use crate::property::{Atom, Temporal};
use crate::terms::Term;
use crate::trace::Step;
use rustc_hash::FxHashMap;

/// A proposition, as the boolean program sees it.
enum Seen {
    /// It speaks of control.
    Control(Atom),
    /// The truth value of a predicate, at these points or at any.
    Value {
        of: Truth,
        procedure: Option<ProcedureId>,
        points: Option<Vec<PointId>>,
    },
}

enum Truth {
    Constant(bool),
    /// A predicate, or its negation: then it is not the same.
    Predicate(PredicateId, bool),
}

/// The propositions of a property.
pub struct Observation {
    seen: Vec<Seen>,
    silent: Vec<PointId>,
}

impl Observation {
    /// Adds the predicates that a property speaks of; nothing if there is one that cannot be told by
    /// predicates.
    pub fn new(turn: &mut Loop<'_>, temporal: &Temporal) -> Option<Self> {
        let seen = temporal.atoms.iter().map(|atom| Seen::new(turn, atom));
        Some(Observation {
            seen: seen.collect::<Option<_>>()?,
            silent: temporal.silent.clone(),
        })
    }

    /// The property of a boolean program.
    pub fn property(&self, temporal: &Temporal, boolean: &Abstract) -> Temporal {
        let atoms = self.seen.iter().map(|seen| seen.atom(boolean));
        let is_read = |point: &PointId| self.silent.binary_search(point).is_err();
        let points = (0..).map(PointId).zip(&boolean.places);
        let mut read: Vec<PointId> = points
            .filter(|(point, _)| is_read(point))
            .map(|(_, place)| *place)
            .collect();
        read.sort_unstable();
        let all = (0..boolean.program.points.len() as u32).map(PointId);
        Temporal {
            atoms: atoms.collect(),
            silent: all
                .filter(|point| read.binary_search(point).is_err())
                .collect(),
            warnings: Vec::new(),
            ..temporal.clone()
        }
    }

    /// What an execution of the boolean program says of values, where the automaton reads them.
    pub fn claims(
        &self,
        turn: &Loop<'_>,
        boolean: &Abstract,
        points: &FxHashMap<PointId, PointId>,
        step: &Step,
    ) -> Vec<Event> {
        let at = step.at().map(|at| points.get(&PointId(at)).copied());
        let point = match at {
            // Between two steps, or where nothing is read.
            Some(None) => return Vec::new(),
            Some(Some(point)) if self.silent.binary_search(&point).is_ok() => return Vec::new(),
            Some(point) => point,
            None => None,
        };
        let mut claims = Vec::new();
        for seen in &self.seen {
            let Seen::Value {
                of: Truth::Predicate(id, _),
                procedure,
                points,
            } = seen
            else {
                continue;
            };
            let top = point.map(|point| turn.program.point(point).procedure);
            let is_there = procedure.is_none_or(|own| top == Some(own));
            let is_asked = points.as_ref().is_none_or(|points| {
                point.is_some_and(|point| points.binary_search(&point).is_ok())
            });
            if is_there && is_asked {
                let value = step.valuation.get(boolean.variables[id.0 as usize]);
                claims.push(Event::Claim(turn.predicates.term(*id), value != 0));
            }
        }
        claims
    }
}

/// The points of the program, by their places in the boolean program.
pub fn points_by_place(boolean: &Abstract) -> FxHashMap<PointId, PointId> {
    let places = boolean.places.iter().copied();
    places.zip((0..).map(PointId)).collect()
}

impl Seen {
    fn new(turn: &mut Loop<'_>, atom: &Atom) -> Option<Self> {
        let (operations, locals, points) = match atom {
            Atom::Expression { operations, locals } => (operations, locals, None),
            Atom::Observed {
                truth,
                locals,
                scope,
                ..
            } => (truth, locals, scope.clone()),
            Atom::OnTop(_) | Atom::Conditions(_) => return None,
            control => return Some(Seen::Control(control.clone())),
        };
        let mut procedures: Vec<ProcedureId> = locals.iter().map(|(of, _)| *of).collect();
        procedures.sort_unstable();
        procedures.dedup();
        let program = turn.program;
        let procedure = match procedures[..] {
            [] => None,
            [only] => Some(only),
            // What belongs to several frames would be another predicate in each.
            _ => return None,
        };
        let owner = procedure.unwrap_or(program.entry);
        let inside = |variable: VariableId| match variable {
            VariableId::Local(index) => VariableId::Local(locals[index as usize].1),
            global => global,
        };
        let operations: Vec<Operation> = operations
            .iter()
            .map(|operation| match *operation {
                Operation::Read(variable) => Operation::Read(inside(variable)),
                Operation::ReadElement { first, count, when } => Operation::ReadElement {
                    first: inside(first),
                    count,
                    when,
                },
                other => other,
            })
            .collect();
        // Outside its procedure it is false, or speaks of another one.
        let is_inside = |point: &PointId| Some(program.point(*point).procedure) == procedure;
        let never_outside = points
            .as_ref()
            .is_some_and(|points| points.iter().all(is_inside));
        if procedure.is_some() && !never_outside {
            let outside = outside(program, owner, &operations)?;
            let predicate = Predicate::new(owner, outside, String::new());
            if turn.term(&predicate) != Term::FALSE {
                return None;
            }
        }
        let text = spell(&turn.workshop.vocabulary, owner, &operations)?;
        let predicate = Predicate::new(owner, operations, text);
        let term = turn.term(&predicate);
        let scope = predicate.scope;
        turn.add(vec![predicate]);
        let terms = &mut turn.workshop.terms;
        let of = match turn.predicates.find(scope, term, terms) {
            Some((id, is_same)) => Truth::Predicate(id, is_same),
            None => Truth::Constant(terms.constant(term)? != 0),
        };
        Some(Seen::Value {
            of,
            procedure,
            points,
        })
    }

    fn atom(&self, boolean: &Abstract) -> Atom {
        let place = |point: PointId| boolean.places[point.0 as usize];
        let (of, procedure, points) = match self {
            Seen::Control(Atom::At(points)) => {
                return Atom::At(points.iter().map(|point| place(*point)).collect());
            }
            Seen::Control(atom) => return atom.clone(),
            Seen::Value {
                of,
                procedure,
                points,
            } => (of, procedure, points),
        };
        let own = procedure.map(|procedure| {
            let points = boolean.program.procedure(procedure).points.clone();
            points.map(PointId).collect::<Vec<_>>()
        });
        let points = points.as_ref().map(|points| {
            let mut places: Vec<PointId> = points.iter().map(|point| place(*point)).collect();
            places.sort_unstable();
            places
        });
        let mut locals = Vec::new();
        let truth = match of {
            Truth::Constant(value) => vec![Operation::Constant(*value)],
            Truth::Predicate(id, is_same) => {
                let variable = match (boolean.variables[id.0 as usize], procedure) {
                    (VariableId::Local(local), Some(procedure)) => {
                        locals.push((*procedure, local));
                        VariableId::Local(0)
                    }
                    (variable, _) => variable,
                };
                let mut truth = vec![Operation::Read(variable)];
                truth.extend((!is_same).then_some(Operation::Not));
                truth
            }
        };
        Atom::Observed {
            value: truth.clone(),
            truth,
            locals,
            scope: points.or(own),
        }
    }
}

/// An expression where the frame of another procedure is on top: truth values of its own are false, and
/// numbers have no value. Nothing for elements of arrays.
fn outside(
    program: &Program,
    owner: ProcedureId,
    operations: &[Operation],
) -> Option<Vec<Operation>> {
    let nothing = [
        Operation::Number(1),
        Operation::Number(0),
        Operation::Divide,
    ];
    let replaced = |operation: &Operation| match operation {
        Operation::Read(variable @ VariableId::Local(_)) => {
            match program.cell(owner, *variable).domain {
                Domain::Boolean => Some(vec![Operation::Constant(false)]),
                _ => Some(nothing.to_vec()),
            }
        }
        Operation::ReadElement {
            first: VariableId::Local(_),
            ..
        } => None,
        other => Some(vec![*other]),
    };
    let parts: Option<Vec<Vec<Operation>>> = operations.iter().map(replaced).collect();
    Some(parts?.concat())
}
