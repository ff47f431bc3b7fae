//! The loops of a C program: where each has its head in the lowered program, and which cells have a
//! name there that C understands.
//!
//! The head of `while` and `for` is where the condition is about to be evaluated: the place among
//! the points of that head to which control comes back. Linear in the program.

use super::Lowered;
use super::observation::extents;
use super::term::Scalar;
use crate::program::{PointId, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{FunctionId, ObjectId, Program, StatementKind};

/// A loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopHead {
    /// Where its condition is about to be evaluated.
    pub point: PointId,
    /// Its statement: `while (x)`.
    pub span: Span,
    function: FunctionId,
}

/// The loops, in the order of the source.
pub fn loop_heads(typed: &Program, lowered: &Lowered) -> Vec<LoopHead> {
    let program = &lowered.program;
    let heads = program.loop_heads();
    let mut found = Vec::new();
    for statement in &typed.statements {
        if !matches!(
            statement.kind,
            StatementKind::While { .. } | StatementKind::For { .. }
        ) {
            continue;
        }
        let span = statement.span;
        let is_inside = |point: &&PointId| {
            let at = lowered.origin.point(**point).span.start;
            span.start <= at && at < span.end
        };
        let mut own = heads.iter().filter(is_inside);
        // A loop inside the condition, or in code that was taken apart, has several.
        let (Some(point), None) = (own.next(), own.next()) else {
            continue;
        };
        let procedure = program.point(*point).procedure;
        found.extend(
            lowered.origin.functions[procedure.0 as usize].map(|function| LoopHead {
                point: *point,
                span,
                function,
            }),
        );
    }
    found.sort_by_key(|head| head.span.start);
    found
}

impl LoopHead {
    /// Whether the name of a cell means that cell at the head, in C: an integer that is declared
    /// there, and not hidden.
    pub fn sees(&self, typed: &Program, lowered: &Lowered, variable: VariableId) -> bool {
        let program = &lowered.program;
        let procedure = program.point(self.point).procedure;
        if let VariableId::Local(local) = variable
            && local as usize >= program.procedure(procedure).locals.len()
        {
            return false;
        }
        let cell = lowered.origin.cell(procedure, variable);
        let Some(id) = cell
            .object
            .filter(|_| !matches!(cell.scalar, Scalar::Pointer(_)))
        else {
            return false;
        };
        let Some(name) = typed.objects[id.0 as usize].name else {
            return false;
        };
        let shown = program.variable_name(procedure, variable);
        let rest = shown.strip_prefix(typed.names.text(name));
        let is_named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let at = lowered.origin.point(self.point).span.start;
        let extents = extents(typed, self.function);
        let is_there = |other: &ObjectId| {
            let extent = extents.get(other);
            extent.is_some_and(|extent| extent.start <= at && at <= extent.end)
        };
        let of_the_name = |other: &&ObjectId| typed.objects[other.0 as usize].name == Some(name);
        let seen = extents.keys().filter(of_the_name).filter(|id| is_there(id));
        let innermost = seen.max_by_key(|other| extents[*other].start);
        let is_global = typed.objects[id.0 as usize].function.is_none();
        is_named
            && match innermost {
                Some(other) => *other == id,
                None => is_global,
            }
    }
}
