//! The concrete meaning of C programs: executes the typed tree, step by step.
//!
//! It is written from the language alone and shares nothing with the lowering, so that it can say
//! whether a trace is an execution. Functions are made [instructions](code) when they are called
//! first ([`compile`]); the [`machine`] runs them with stacks of its own, so that neither nested
//! expressions nor deep recursion need the stack of the host. What is undetermined is asked of
//! [`Choices`]; with the same answers it is the same execution. A step costs a few
//! instructions, each of constant time but those for whole records and arrays.

mod access;
mod arithmetic;
mod call;
pub mod choices;
mod code;
mod compile;
mod fingerprint;
mod leap;
mod library;
pub mod machine;
mod memory;
mod object;
mod path;
mod pointer;
mod shape;
pub mod stop;
mod undetermined;
mod value;
pub mod view;

pub use choices::{Choice, Choices, Kind, Listed, Random, Request, What};
pub use code::{StepKind, StepPoint};
pub use machine::{Machine, Outcome};
pub use stop::{Beyond, End, EndKind, Failure, Undefined};
pub use value::Cause;
pub use view::{Shown, State};

use crate::typing::c::tree::FunctionId;

/// What signed overflow does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The result is taken modulo the type's width.
    #[default]
    Wrap,
    /// It fails.
    Error,
    /// It cuts the execution off.
    Block,
}

/// What a function without body does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Externs {
    /// It returns any value and changes nothing.
    #[default]
    Pure,
    /// It may also change globals and what its arguments point to.
    Havoc,
    /// It is outside.
    Refuse,
}

/// How a program is executed.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where it begins.
    pub entry: FunctionId,
    /// What signed overflow does.
    pub overflow: Overflow,
    /// Whether what overflows and is undefined counts as undefined even where overflow fails.
    pub undefined_first: bool,
    /// What functions without body do.
    pub externs: Externs,
    /// Whether `malloc` may return null.
    pub malloc_may_fail: bool,
    /// How many frames there may be.
    pub frames: usize,
    /// How many bytes objects may have together.
    pub memory: u64,
}

impl Options {
    /// The usual ones, from this function on.
    pub fn new(entry: FunctionId) -> Self {
        Options {
            entry,
            overflow: Overflow::default(),
            undefined_first: false,
            externs: Externs::default(),
            malloc_may_fail: false,
            frames: 1_000_000,
            memory: 1 << 31,
        }
    }
}
