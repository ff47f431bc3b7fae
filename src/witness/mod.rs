//! From "reachable" to an execution that a person can follow.
//!
//! 1. [`search`]: a breadth-first search over heads, with complete summaries as single
//!    steps, finds a shortest folded path (Bebop, section 3.2).
//!    Where it is very long, the rounds of loops are folded, too ([`rounds`]).
//! 2. [`segments`]: each summary used is unfolded into a path of its own, down to the last;
//!    where recursion is very deep, some of these paths ([`nesting`]).
//! 3. [`walk`]: a walker follows it and gives every variable a value: the interpreter for a
//!    program ([`concrete`]), or a search for values that fit a rule ([`system`]).
//! 4. [`unfold`]: puts segments in the place of folded calls, as far as is wanted.
//!
//! The paths speak of live variables only; everything concrete is the interpreter's work.

pub mod concrete;
mod known;
pub mod lasso;
pub mod nesting;
mod pick;
pub mod relevance;
mod rings;
pub mod rounds;
pub mod search;
pub mod segments;
pub mod system;
pub mod unfold;
pub mod walk;

pub use lasso::find_lasso;
pub use rounds::Folding;
pub use search::{Goal, Search};
pub use segments::{AbstractTrace, find};
pub use walk::concretize;
