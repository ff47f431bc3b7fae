//! derny: a model checker for recursive programs.
pub mod bits;
pub mod diagnostic;
pub mod names;
pub mod source;

pub mod syntax;

pub mod lower;
pub mod property;
pub mod program;

pub mod analysis;
pub mod explicit;
pub mod interpreter;

pub mod bdd;
pub mod cycles;
pub mod saturation;
pub mod spds;
pub mod witness;

pub mod check;
pub mod cli;
pub mod generate;
pub mod report;
