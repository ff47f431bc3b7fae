//! Which branch of a program's statement a trace takes.

use crate::interpreter::{View, values_of};
use crate::program::{Action, Expression, PointId, Program};
use crate::trace::{Location, Step};

/// How the execution goes on at an `if`, a `while` or a `do`: with several guards, the one
/// taken as it is written, or `else`; otherwise whether the condition came out true.
pub fn branch(program: &Program, step: &Step, next: &Step) -> Option<String> {
    let view = View::of(step)?;
    let Location::At(to) = next.location else {
        return None;
    };
    let to = PointId(to);
    let may_be_true = |condition: &Expression| {
        let procedure = program.point(view.at).procedure;
        values_of(program, procedure, *condition, &view.valuation).may_be(true)
    };
    let taken = |arms: &[(Expression, PointId)]| {
        let mut arms = arms.iter();
        arms.position(|(condition, target)| *target == to && may_be_true(condition))
    };
    match &program.point(view.at).action {
        Action::Branch { arms, .. } if arms.len() == 1 => Some(taken(arms).is_some().to_string()),
        Action::Branch { arms, .. } => Some(guard(program, view.at, taken(arms))),
        Action::Select { arms, otherwise } => match (arms.len(), otherwise) {
            (1, None) => Some("true".to_owned()),
            _ => Some(guard(program, view.at, taken(arms))),
        },
        _ => None,
    }
}

fn guard(program: &Program, point: PointId, taken: Option<usize>) -> String {
    let guards = program.guards_of(point);
    match taken.and_then(|taken| guards.get(taken)) {
        Some(guard) => program.source.text(guard.1).trim().to_owned(),
        None => "else".to_owned(),
    }
}
