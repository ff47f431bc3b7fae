//! C programs made smaller before anything is searched (F-Soft, section 4): ranges, constants, slices.
//!
//! The interval of every cell at every point (`ranges`, of expressions: `evaluation`) tells which branches
//! cannot be taken, which parts of expressions are constants (`rewrite`), and how many bits a cell
//! needs (`narrowing`). What the property does not depend on is left out (`slice`, by `live`). The result
//! has the same verdict: the same goals can be reached, it ends or goes on for ever as the program does, and
//! observed cells have the same values. Points and cells keep their numbers, so that what is said of
//! them elsewhere stays true; only the bits of a cell may be fewer, which its origin tells.

pub(crate) mod cells;
mod evaluation;
pub(crate) mod live;
mod narrowing;
mod range;
mod ranges;
mod rewrite;
mod slice;
mod widening;

use crate::lower::c::{CellOrigin, Lowered, Origin, Scalar, Width};
use crate::program::{PointId, ProcedureId, Program, VariableId};
use live::Live;
use narrowing::Narrowing;
use ranges::Ranges;

/// How often a program is sliced before it is taken as it is.
const SLICES: u32 = 10;

/// What must stay as it is.
pub struct Goals<'g> {
    /// Points whose being reached is asked for, beside failing assertions; in rising order.
    pub points: &'g [PointId],
    /// Cells whose values are looked at wherever they are in scope, by procedure.
    pub observed: &'g dyn Fn(ProcedureId, VariableId) -> bool,
    /// Whether executions matter that go on for ever.
    pub infinite: bool,
    /// Whether every step counts: then none is left out, but may set nothing any more.
    pub steps: bool,
}

/// Makes a C program smaller.
pub fn reduce(lowered: &mut Lowered, goals: &Goals<'_>) {
    let program = &mut lowered.program;
    if simplify(program, goals, None) {
        slice(program, goals);
        simplify(program, goals, Some(&mut lowered.origin));
    }
}

/// Leaves out what does not matter.
fn slice(program: &mut Program, goals: &Goals<'_>) {
    if !goals.infinite && !goals.steps {
        slice::cut(program, goals);
    }
    for _ in 0..SLICES {
        if !slice::slice(program, goals) {
            break;
        }
    }
}

/// By ranges: constants and branches, and if the origin of cells is given, their width. False if the
/// program is too large for that.
fn simplify(program: &mut Program, goals: &Goals<'_>, origin: Option<&mut Origin>) -> bool {
    let live = Live::new(program, goals.observed);
    let Some(ranges) = Ranges::new(program, &live) else {
        return false;
    };
    let narrowing = match origin {
        Some(_) => Narrowing::new(program, &ranges, &live, goals.observed),
        None => Narrowing::none(program),
    };
    let rewritten = rewrite::rewrite(program, &ranges, &narrowing);
    for (point, action) in program.points.iter_mut().zip(rewritten.actions) {
        point.action = action;
    }
    program.expressions = rewritten.expressions;
    narrowing.apply(program);
    if let Some(origin) = origin {
        note(program, &narrowing, origin);
    }
    true
}

/// Says what narrower cells mean: a natural number means what it did, one with a sign has it elsewhere.
fn note(program: &Program, narrowing: &Narrowing, origin: &mut Origin) {
    let note = |cell: &mut CellOrigin, procedure, variable| {
        let width = narrowing.width(procedure, variable);
        if let (Some(width), Scalar::Integer(_)) = (width.filter(|w| w.signed), cell.scalar) {
            cell.scalar = Scalar::Integer(Width {
                bits: width.bits,
                signed: true,
            });
        }
    };
    for (cell, index) in origin.globals.iter_mut().zip(0..) {
        note(cell, program.entry, VariableId::Global(index));
    }
    for (cells, procedure) in origin.locals.iter_mut().zip((0..).map(ProcedureId)) {
        for (cell, index) in cells.iter_mut().zip(0..) {
            note(cell, procedure, VariableId::Local(index));
        }
    }
}
