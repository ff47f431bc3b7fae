//! From the syntax tree to the program form: what names mean, and the static rules.
//!
//! The tree is walked once. Whatever breaks a rule is reported and the walk goes on, so that
//! one run finds everything; a program comes out only if there was no error.

mod body;
pub mod c;
mod declarations;
pub mod expression;
mod layout;
mod points;
mod pushdown;
pub mod remopla;
mod scope;
#[cfg(test)]
mod tests;
mod threads;
mod unknown;

pub use pushdown::{condition, proposition, pushdown_system};
pub use remopla::{RemoplaOptions, remopla};
pub use threads::Start;

use crate::diagnostic::{Diagnostic, did_you_mean, listed, nearest};
use crate::program::{Cell, Language, Overflow, ProcedureId, Program};
use crate::source::Source;
use crate::syntax;
use body::Lowering;
use std::sync::Arc;
use threads::Hidden;

/// The boolean program in `source`, if there is no error in it; and all diagnostics, in the order
/// of the source.
pub fn boolean_program(
    source: Arc<Source>,
    start: &Start<'_>,
) -> (Option<Program>, Vec<Diagnostic>) {
    let (mut tree, collector) = syntax::boolean::parse(&source);
    let hidden = Hidden::new(&mut tree, start);
    let mut lowering = Lowering::new(&tree, collector, hidden);
    lowering.declare_globals_and_procedures();
    for (index, procedure) in tree.procedures.iter().enumerate() {
        source.give_meaning(procedure.identifier.start);
        lowering.procedure(ProcedureId(index as u32));
    }
    let (entry, threads) = lowering.threads(&source, start);
    let Lowering {
        collector,
        procedures,
        mut points,
        expressions,
        ..
    } = lowering;
    let program = match entry {
        Some(entry) if !collector.has_errors() && !tree.incomplete => Some(Program {
            source,
            globals: tree
                .globals
                .iter()
                .map(|global| global.name)
                .chain(hidden.map(|hidden| hidden.exclusive))
                .map(Cell::boolean)
                .collect(),
            declarations: Vec::new(),
            enumerations: Vec::new(),
            constants: Vec::new(),
            language: Language::BooleanProgram,
            overflow: Overflow::default(),
            names: tree.names,
            procedures,
            guards: points.take_guards(),
            points: points.list,
            labels: points.labels,
            expressions,
            entry,
            threads,
            rule: None,
        }),
        _ => None,
    };
    (program, collector.finish())
}

/// `option` stands before the name of an entry procedure where it is said.
fn no_entry(
    source: &Source,
    tree: &syntax::boolean::Tree,
    entry: &str,
    option: &str,
) -> Diagnostic {
    let message = format!("there is no procedure `{entry}` to begin with");
    // A program that lacks its `main` has mistyped it; any other name comes from the option.
    no_procedure(source, tree, entry, message, |near| match entry {
        "main" => "did you mean `main` here?".to_owned(),
        _ => did_you_mean(format_args!("{option}{near}")),
    })
}

/// The caller, not the text, names a procedure that there is not: the place is the one that was
/// meant, if there is one that `hint` can speak of, and otherwise the whole text.
fn no_procedure(
    source: &Source,
    tree: &syntax::boolean::Tree,
    name: &str,
    message: String,
    hint: impl FnOnce(&str) -> String,
) -> Diagnostic {
    let known = tree.procedures.iter().take(10_000).map(|p| p.identifier);
    let names: Vec<_> = known.clone().map(|known| tree.text(known)).collect();
    match nearest(name, names.iter().copied()) {
        Some(near) => {
            let place = known.into_iter().find(|known| tree.text(*known) == near);
            let place = place.map_or(source.whole(), |known| tree.span(known));
            Diagnostic::error(place, message).with_hint(hint(near))
        }
        None => {
            let all = || format!("the procedures are {}", listed(&names, 10));
            let hint = (!names.is_empty()).then(all);
            Diagnostic::error(source.whole(), message).with_hint_if_any(hint)
        }
    }
}
