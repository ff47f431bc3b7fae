//! What the names of a syntax tree mean, and the type of every expression.
//!
//! The result is a typed tree: resolved, with every conversion written out, so that who makes
//! control points of it and who executes it need no rule of the language's types.

pub mod c;
