//! Propositions as BDDs: where one is true, once it is known where control is.

use super::copies::{Copies, Copy};
use super::expression::{May, Term, evaluate};
use crate::analysis::Layout;
use crate::bdd::BddResult;
use crate::program::{Domain, PointId, ProcedureId, Program, VariableId, When};
use crate::property::Atom;

/// Where a configuration is, as far as propositions tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    At(PointId),
    Error,
    Terminated,
}

impl Place {
    pub fn is_in(self, program: &Program, procedure: ProcedureId) -> bool {
        match self {
            Place::At(point) => program.point(point).procedure == procedure,
            Place::Error | Place::Terminated => false,
        }
    }

    /// Whether a proposition that speaks of control only is true.
    pub fn shows(self, program: &Program, atom: &Atom) -> bool {
        match (atom, self) {
            (Atom::Terminated, Place::Terminated) | (Atom::Error, Place::Error) => true,
            (Atom::At(points), Place::At(point)) => points.contains(&point),
            (Atom::In(procedure), place) => place.is_in(program, *procedure),
            _ => false,
        }
    }
}

/// Where a proposition is true at a place, over current variables.
pub fn proposition_at(
    program: &Program,
    layout: &Layout,
    copies: &Copies<'_>,
    atom: &Atom,
    place: Place,
) -> BddResult {
    let bdds = copies.bdds;
    let Atom::Expression { operations, locals } = atom else {
        return Ok(bdds.constant(place.shows(program, atom)));
    };
    let read = |variable: VariableId, _: When| {
        let (procedure, variable) = match variable {
            VariableId::Global(_) => (program.entry, variable),
            VariableId::Local(index) => {
                let (procedure, local) = locals[index as usize];
                (procedure, VariableId::Local(local))
            }
        };
        let domain = program.cell(procedure, variable).domain;
        let is_global = matches!(variable, VariableId::Global(_));
        match is_global || place.is_in(program, procedure) {
            true => {
                let bits = layout.cell(procedure, variable);
                Some(copies.term(bits, domain, Copy::Current))
            }
            // A truth value of a procedure that is not on top is false, and so is a
            // comparison with a number of one.
            false if domain == Domain::Boolean => {
                Some(Term::Truth(May::certain(bdds.constant(false))))
            }
            false => None,
        }
    };
    evaluate(bdds, operations, read)?.be_one(bdds)
}
