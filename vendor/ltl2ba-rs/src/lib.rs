//! Linear temporal logic to Büchi automata.
//!
//! ```
//! use ltl2ba_rs::{Options, hoa, parse, translate};
//!
//! let parsed = parse("G (request -> F grant)")?;
//! let automaton = translate(&parsed.formula, &Options::default())?;
//! assert_eq!((automaton.states, automaton.edges.len()), (2, 4));
//! let text = automaton.to_hoa("G (request -> F grant)");
//! assert_eq!(hoa::read(&text)?, automaton);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The way of a formula
//!
//! | step | where | after |
//! |---|---|---|
//! | text to formula, with Spin's and Spot's spellings | [`parse`] | |
//! | negation normal form, simplification | `logic::normal_form`, `logic::junctions`, `logic::temporal`, `logic::implication` | Somenzi, Bloem 2000; Etessami, Holzmann 2000 |
//! | delaying suspendable subformulas | `logic::suspension` | Babiak and others 2013 |
//! | tableau: a transition-based generalised automaton | `tableau` | Couvreur 1999; Duret-Lutz |
//! | pruning by components | `reduce::prune` | |
//! | simulation, forwards and backwards | `reduce::simulation`, `buchi` | Babiak and others 2013 |
//! | minimal weak automata for obligations | `reduce::weak`, `reduce::emptiness` | Dax and others 2007; Löding 2001 |
//! | degeneralisation, component by component | `reduce::degeneralize` | Babiak and others 2013 |
//! | HOA, never claims, drawings; HOA back in | [`Automaton::to_hoa`], [`hoa::read`] | Babiak and others 2015 |
//!
//! `translate` is the outline of it all. Labels are Boolean functions throughout (`bdd`) and
//! sums of cubes in the public [`Automaton`]; nothing enumerates valuations.
//!
//! # Oracles
//!
//! [`evaluate`] and [`truth`] give the truth of a formula on a lasso word by definition and [`accepts`]
//! tells whether an automaton accepts such a word. Neither shares code with the translator;
//! the tests compare the two sides on many thousands of words.
//!
//! # Invariants
//!
//! * The same formula and options give the same automaton, byte for byte, everywhere: no
//!   limit is a time and no result depends on the order of a hash table.
//! * No input overflows the stack: arenas are walked by number, BDD operations recurse once
//!   a variable and variables are bounded.
//! * Whoever reads text (`syntax`, `format`) knows nothing of reductions; reductions know
//!   nothing of formulas.

mod syntax;

mod logic;

mod bdd;
mod components;
mod graph;

mod tableau;

mod buchi;
mod reduce;

mod options;
mod translate;

mod automaton;
mod format;
mod label;

mod accepts;
mod evaluate;

pub use accepts::accepts;
pub use automaton::{Automaton, Class, Edge, Marks};
pub use evaluate::{Lasso, evaluate, truth};
pub use label::{Cube, Label, Literal};
pub use options::{Options, TranslateError};
pub use syntax::error::{ParseError, Warning, underlined};
pub use syntax::formula::{Binary, Formula, Node, NodeId, Unary};
pub use syntax::parser::{MAX_WARNINGS, Parsed, parse, split_operators};
pub use syntax::proposition::{Kind, Proposition, Span};
pub use translate::{degeneralized, translate, translate_generalized};

/// The Hanoi Omega-Automata format; writing is [`Automaton::to_hoa`].
pub mod hoa {
    pub use crate::format::hoa_error::HoaError;
    pub use crate::format::hoa_read::read;
}
