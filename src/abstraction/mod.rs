//! Predicate abstraction: from a program to a boolean program, and back with a trace.
//!
//! A program is seen through *predicates*, conditions on its variables. The boolean program that
//! [`build`] makes of it has a variable for each and every execution of the program, and more: if
//! nothing wrong can happen in it, nothing can in the program. An execution of it is tried on
//! the program ([`path`]); where that is impossible, [`discovery`] finds predicates which exclude it. This is
//! the loop of SLAM (Ball, Rajamani, *The SLAM project*, POPL 2002), which
//! [`crate::refinement`] turns.
//!
//! Everything is about terms of exact numbers; no BDD is made here.

mod affine;
mod blocks;
pub mod build;
mod chance;
mod combinations;
pub mod discovery;
mod draft;
mod edges;
pub mod lasso;
mod lemmas;
mod material;
pub mod path;
mod pool;
pub mod predicate;
pub mod reading;
mod relation;
mod samples;
mod scene;
pub mod spelling;
mod summary;
pub mod symbols;
pub mod text;
mod vocabulary;

pub use draft::Origin;
pub(crate) use summary::{Invariant, Literal};
pub use summary::{Seconds, Summary};
