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
pub use supplied::missing;

use crate::diagnostic::Diagnostic;
use crate::source::Source;
use supplied::SUPPLIED;

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

/// The names that a text defines, as far as it can be read.
#[derive(Debug, Default)]
pub struct Names {
    pub parameters: Vec<String>,
    /// The supplied ones, too.
    pub relations: Vec<String>,
    pub queries: Vec<String>,
}

impl Names {
    pub fn of(source: &Source) -> Self {
        let (file, _) = syntax::parse(source);
        let mut names = Names::default();
        let supplied = SUPPLIED.iter().map(|entry| entry.name.to_owned());
        names.relations.extend(supplied);
        for item in file.items {
            let list = match item.content {
                tree::Content::Parameter(_) => &mut names.parameters,
                tree::Content::Relation(_) => &mut names.relations,
                tree::Content::Query(_) => &mut names.queries,
                tree::Content::Type(_) => continue,
            };
            list.push(item.name.text);
        }
        names
    }
}
