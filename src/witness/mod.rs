//! From "reachable" to an execution that a person can follow.
//!
//! 1. [`search`]: a breadth-first search over heads, with complete summaries as single
//!    steps, finds a shortest folded path (Bebop, section 3.2).
//!    Where it is very long, the rounds of loops are folded, too ([`fold`]).
//! 2. [`segments`]: each summary used is unfolded into a path of its own, down to the last;
//!    where recursion is very deep, some of these paths ([`fold`]).
//! 3. [`walk`]: follows it, rule by rule, and gives every variable a value that fits.
//! 4. [`fold::unfold`]: puts segments in the place of folded calls, as far as is wanted.
//!
//! The paths speak of live variables only.

pub mod fold;
mod follow;
pub mod graph;
mod known;
pub mod lasso;
pub mod path;
mod pick;
pub mod query;
pub mod relevance;
mod rings;
pub mod search;
pub mod segments;
mod values;
pub mod walk;

pub use fold::Folding;
pub use follow::Walker;
pub use graph::SummaryGraph;
pub use lasso::find_lasso;
pub use search::Search;
pub use segments::{AbstractTrace, find};
pub use walk::concretize;
