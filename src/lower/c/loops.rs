//! The loops of a C program: where each has its head in the lowered program, and which cells have a
//! name there that C understands.
//!
//! The head of a loop is where its condition is about to be evaluated: of `do`, that is after its body. Linear
//! in the program.

use super::Lowered;
use super::observation::extents;
use super::term::Scalar;
use crate::program::{PointId, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{FunctionId, ObjectId, Origin, Program, StatementKind};

/// A loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopHead {
    /// Where its condition is about to be evaluated.
    pub point: PointId,
    /// Its statement: `while (x)`.
    pub span: Span,
    /// Where the condition stands, or what is in its place.
    at: u32,
    function: FunctionId,
}

/// The loops, in the order of the source. One that was lowered several times is left out.
pub fn loop_heads(typed: &Program, lowered: &Lowered) -> Vec<LoopHead> {
    let program = &lowered.program;
    let places = &lowered.origin.loops;
    let mut found = Vec::new();
    for (id, point) in places {
        let statement = &typed.statements[id.0 as usize];
        let condition = match statement.kind {
            StatementKind::While { condition, .. } | StatementKind::Do { condition, .. } => {
                Some(condition)
            }
            StatementKind::For { condition, .. } => condition,
            _ => None,
        };
        let at = match condition {
            Some(condition) => typed.expressions[condition.0 as usize].span.start,
            None => lowered.origin.point(*point).span.start,
        };
        let is_only = places.iter().filter(|(other, _)| other == id).count() == 1;
        let procedure = program.point(*point).procedure;
        let function = lowered.origin.functions[procedure.0 as usize];
        found.extend(function.filter(|_| is_only).map(|function| LoopHead {
            point: *point,
            span: statement.span,
            at,
            function,
        }));
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
        let object = &typed.objects[id.0 as usize];
        let Some(name) = object.name.filter(|_| object.origin == Origin::Variable) else {
            return false;
        };
        let shown = program.variable_name(procedure, variable);
        let rest = shown.strip_prefix(typed.names.text(name));
        let is_named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let at = self.at;
        let extents = extents(typed, self.function);
        let is_there = |other: &ObjectId| {
            let extent = extents.get(other);
            extent.is_some_and(|extent| extent.start <= at && at <= extent.end)
        };
        let of_the_name = |other: &&ObjectId| typed.objects[other.0 as usize].name == Some(name);
        let seen = extents.keys().filter(of_the_name).filter(|id| is_there(id));
        let innermost = seen.max_by_key(|other| extents[*other].start);
        // Another file, or a rule, may have a global of the same name.
        let mut globals = typed.objects.iter().filter(|one| one.function.is_none());
        let is_global = object.function.is_none()
            && globals.all(|one| one.name != Some(name) || std::ptr::eq(one, object));
        is_named
            && match innermost {
                Some(other) => *other == id,
                None => is_global,
            }
    }
}
