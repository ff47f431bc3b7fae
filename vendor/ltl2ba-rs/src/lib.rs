//! LTL to Büchi automata.

mod accepts;
mod automaton;
mod bdd;
mod buchi;
mod components;
mod evaluate;
mod format;
mod graph;
mod label;
mod logic;
mod options;
mod reduce;
mod syntax;
mod tableau;
mod translate;

pub use accepts::accepts;
pub use automaton::{Automaton, Class, Edge, Marks};
pub use evaluate::{Lasso, evaluate};
pub use format::hoa_error::HoaError;
pub use label::{Cube, Label, Literal};
pub use options::{Options, TranslateError};
pub use syntax::error::{ParseError, Warning};
pub use syntax::formula::{Binary, Formula, Node, NodeId, Unary};
pub use syntax::parser::{MAX_WARNINGS, Parsed, parse, split_operators};
pub use syntax::proposition::{Kind, Proposition, Span};
pub use translate::{degeneralized, translate, translate_generalized};

/// The Hanoi Omega-Automata format; writing is [`Automaton::to_hoa`].
pub mod hoa {
    pub use crate::format::hoa_error::HoaError;
    pub use crate::format::hoa_read::read;
}
