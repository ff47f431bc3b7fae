//! What people and scripts see.

pub mod configurations;
#[cfg(feature = "cli")]
pub mod diagnostics;
#[cfg(feature = "cli")]
mod excerpt;
mod failure;
mod folded;
pub mod graph;
mod harmless;
pub mod json;
mod pushdown;
mod steps;
pub mod text;
mod trace;
mod values;

use crate::check::{Finding, Statistics};
use crate::program::Program;
use crate::property::Request;
use crate::pushdown::System;

/// Why a property was left undecided, or a trace was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Timeout,
    Memory,
    Interrupted,
}

impl Reason {
    /// As scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Timeout => "timeout",
            Reason::Memory => "memory",
            Reason::Interrupted => "interrupted",
        }
    }

    /// For people, with what to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Reason::Timeout => "out of time: --timeout gives more",
            Reason::Memory => "out of memory: --memory gives more",
            Reason::Interrupted => "interrupted",
        }
    }
}

/// What was checked.
#[derive(Clone, Copy)]
pub enum Checked<'a> {
    Program(&'a Program),
    System(&'a System),
}

/// All there is to report about one run.
pub struct Results<'a> {
    pub input: &'a str,
    /// `None` if the run ended before it was read.
    pub checked: Option<Checked<'a>>,
    pub list: Vec<ReportedResult<'a>>,
    /// With `--stats`.
    pub measured: Option<Measured>,
}

pub struct ReportedResult<'a> {
    pub request: &'a Request,
    pub finding: Finding,
    /// Why the verdict or the trace is missing.
    pub reason: Option<Reason>,
}

pub struct Measured {
    pub statistics: Statistics,
    /// Seconds a phase, in the order they were entered; one that was entered again is
    /// added up.
    pub phases: Vec<(&'static str, f64)>,
}
