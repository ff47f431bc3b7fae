//! A fixed-point calculus over finite domains: algorithms as formulas (La Torre, Madhusudan,
//! Parlato, *Analyzing Recursive Programs using a Fixed-point Calculus*, PLDI 2009).
//!
//! A `.mu` file defines relations by equations; a program supplies those that it consists of.
//!
//! ```text
//! text ─▶ syntax ─▶ resolve ─▶ equations ─▶ graph: cycles, which are monotone
//!                                  │
//!        program: supplied BDDs    ▼
//!                   └────────▶ plan ─▶ evaluate ─▶ tuples
//! ```
//!
//! Control is explicit where formulas go along it (`explicit`): a relation is one BDD of data for
//! each row of points. Elsewhere it is part of the BDDs, with its bits above those of the data: a
//! set of states at few points is a small BDD, and operations on it touch nothing else. [`naive`]
//! is the same on plain sets, for tests.

mod atoms;
mod combine;
pub mod domain;
mod early_end;
pub mod equations;
pub mod evaluate;
mod explicit;
mod frontier;
pub mod graph;
mod in_place;
mod initial;
mod join;
mod levels;
mod live;
pub mod naive;
mod pieces;
mod plan;
mod program;
mod resolve;
mod returns;
mod routes;
mod semi_naive;
mod shipped;
mod slices;
mod solve;
mod start;
mod supplied;
mod syntax;
mod token;
mod tree;
mod tuples;
mod unite;

pub use equations::{Equations, RelationId};
pub use program::Targets;
pub use resolve::Vocabulary;
pub use shipped::{SHIPPED, shipped};
pub use solve::{Session, Task, with_session};

use crate::diagnostic::Diagnostic;
use crate::source::Source;

/// The equations of a text, with values for some of its parameters; or what is wrong with it.
pub fn read(
    source: &Source,
    vocabulary: Vocabulary,
    values: &[(String, i128)],
) -> Result<Equations, Vec<Diagnostic>> {
    let (file, mut errors) = syntax::parse(source);
    let (mut equations, wrong) = resolve::resolve(&file, vocabulary, values);
    errors.extend(wrong);
    errors.extend(graph::check(&mut equations));
    errors.sort_by_key(|error| error.span);
    match errors.is_empty() {
        true => Ok(equations),
        false => Err(errors),
    }
}

/// The names of the parameters of a text, as far as it can be read.
pub fn parameters(source: &Source) -> Vec<String> {
    let (file, _) = syntax::parse(source);
    let is_parameter = |item: &tree::Item| matches!(item.content, tree::Content::Parameter(_));
    let items = file.items.into_iter().filter(is_parameter);
    items.map(|item| item.name.text).collect()
}
