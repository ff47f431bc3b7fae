//! Propositions as BDDs: where one is true, once it is known which head is on top.

use super::copies::{Copies, Copy};
use super::expression::{DualRail, Term, evaluate};
use crate::bdd::BddResult;
use crate::program::{Domain, Moment, PointId, ProcedureId, VariableId};
use crate::property::Atom;
use crate::rules::{Head, Meaning, Rules};

/// What is known of propositions at a head before any value is: where it is the same, so is
/// [`truth_at`] of each of them.
pub fn known_at(rules: &Rules<'_>, atoms: &[Atom], head: Head) -> Vec<u8> {
    let frame = rules.frame_of(head);
    let mut known = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Expression { locals, .. } => {
                let is_on_top = |(of, _): &(ProcedureId, u32)| u8::from(frame == Some(*of));
                known.extend(locals.iter().map(is_on_top));
            }
            Atom::Observed { .. } => known.push(u8::from(is_in_scope(rules, atom, head))),
            Atom::Conditions(_) => {
                let frame = frame.map_or(u32::MAX, |frame| frame.0);
                known.extend(frame.to_le_bytes());
            }
            control => known.push(u8::from(shows(rules, control, head))),
        }
    }
    known
}

/// Whether a head is only a part of a step.
pub fn is_silent(rules: &Rules<'_>, silent: &[PointId], head: Head) -> bool {
    match rules.meaning(head) {
        Meaning::Symbol(symbol) => silent.binary_search(&PointId(symbol)).is_ok(),
        _ => false,
    }
}

/// Whether a proposition that speaks of control only is true.
fn shows(rules: &Rules<'_>, atom: &Atom, head: Head) -> bool {
    match (atom, rules.meaning(head)) {
        (Atom::Terminated, Meaning::Empty) | (Atom::Error, Meaning::Error) => true,
        (Atom::At(points), Meaning::Symbol(symbol)) => points.iter().any(|p| p.0 == symbol),
        (Atom::OnTop(symbols), Meaning::Symbol(symbol)) => symbols.iter().any(|s| s.0 == symbol),
        (Atom::In(procedure), _) => rules.frame_of(head) == Some(*procedure),
        _ => false,
    }
}

/// Whether the variables of a C expression are in scope.
fn is_in_scope(rules: &Rules<'_>, atom: &Atom, head: Head) -> bool {
    atom.is_in_scope(match rules.meaning(head) {
        Meaning::Symbol(symbol) => Some(PointId(symbol)),
        _ => None,
    })
}

/// Where a proposition is true at a head, over current variables.
pub fn truth_at(rules: &Rules<'_>, copies: &Copies<'_>, atom: &Atom, head: Head) -> BddResult {
    match atom {
        Atom::Observed { .. } if !is_in_scope(rules, atom, head) => Ok(copies.bdds.constant(false)),
        Atom::Expression { .. } | Atom::Observed { .. } | Atom::Conditions(_) => {
            truth_in(rules, copies, atom, rules.frame_of(head))
        }
        control => Ok(copies.bdds.constant(shows(rules, control, head))),
    }
}

/// Where a proposition that speaks of values is true while a frame of a kind is on top.
pub fn truth_in(
    rules: &Rules<'_>,
    copies: &Copies<'_>,
    atom: &Atom,
    frame: Option<ProcedureId>,
) -> BddResult {
    let bdds = copies.bdds;
    let anywhere = ProcedureId(0);
    let term = |frame: ProcedureId, variable: VariableId| {
        let bits = rules.layout.cell(frame, variable);
        copies.term(bits, rules.domain(frame, variable), Copy::Current)
    };
    let evaluated = match atom {
        Atom::Conditions(conditions) => {
            let frame = frame.unwrap_or(anywhere);
            let read = |variable, _: Moment| Some(term(frame, variable));
            evaluate(bdds, &conditions[frame.0 as usize], read)?
        }
        Atom::Expression { operations, locals }
        | Atom::Observed {
            truth: operations,
            locals,
            ..
        } => {
            let read = |variable: VariableId, _: Moment| {
                let VariableId::Local(index) = variable else {
                    return Some(term(anywhere, variable));
                };
                let (of, local) = locals[index as usize];
                let local = VariableId::Local(local);
                match rules.domain(of, local) {
                    _ if frame == Some(of) => Some(term(of, local)),
                    // A truth value of a procedure that is not on top is false, and so is a
                    // comparison with a number of one.
                    Domain::Boolean => Some(Term::Truth(DualRail::certain(bdds.constant(false)))),
                    _ => None,
                }
            };
            evaluate(bdds, operations, read)?
        }
        _ => return Ok(bdds.constant(false)),
    };
    evaluated.be_one(bdds)
}
