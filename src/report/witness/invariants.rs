//! Invariants of loops as the content of a witness: what is true whenever the condition of a loop is
//! about to be evaluated, as a C expression over the variables that are declared there.

use super::{Place, quoted};
use crate::abstraction::{Invariant, Literal};
use crate::lower::c::{Lowered, loop_heads};
use crate::typing::c::tree::Program;
use std::fmt::Write as _;

/// Writes the invariants of the loops of a program.
pub fn write(text: &mut String, typed: &Program, lowered: &Lowered, invariants: &[Invariant]) {
    let program = &lowered.program;
    let mut content = String::new();
    for head in loop_heads(typed, lowered) {
        let Some(invariant) = invariants.iter().find(|one| one.point == head.point) else {
            continue;
        };
        let is_said = |clause: &&Vec<Literal>| {
            let mut cells = clause.iter().flat_map(|literal| &literal.cells);
            cells.all(|cell| head.sees(typed, lowered, *cell))
        };
        let said = invariant.clauses.iter().filter(is_said);
        let clauses: Vec<String> = said.map(|clause| spelled(clause)).collect();
        if clauses.is_empty() {
            continue;
        }
        let position = program.source.position(head.span.start);
        let procedure = program.point(head.point).procedure;
        let place = Place {
            file: program.source.file_of(head.span.start),
            line: position.line,
            column: position.column,
            function: program.names.text(program.procedure(procedure).name),
        };
        let value = clauses.join(" && ");
        let _ = write!(
            content,
            "  - invariant:\n      type: loop_invariant\n      location:\n        file_name: {}\n        \
             line: {}\n        column: {}\n        function: {}\n      value: {}\n      format: \
             c_expression\n",
            quoted(place.file),
            place.line,
            place.column,
            quoted(place.function),
            quoted(&value)
        );
    }
    match content.is_empty() {
        true => text.push_str("  content: []\n"),
        false => {
            text.push_str("  content:\n");
            text.push_str(&content);
        }
    }
}

/// A clause in parentheses.
fn spelled(clause: &[Literal]) -> String {
    let literals = clause.iter().map(|literal| match literal.is_true {
        true => format!("({})", literal.text),
        false => format!("!({})", literal.text),
    });
    let literals: Vec<String> = literals.collect();
    match &literals[..] {
        [only] => only.clone(),
        _ => format!("({})", literals.join(" || ")),
    }
}
