//! What is asked, as the user wrote it and as the engines take it.

mod assertion;
mod c;
mod file;
mod label;
mod naming;
mod proposition;
mod prp;
mod remopla;
mod request;
mod run;
mod subject;
mod system;
mod temporal;

pub use assertion::{assertions, spelling};
pub use file::{SpecificationError, parse_specification};
pub use naming::{InC, Naming};
pub use proposition::{Atom, find_procedure, resolve_condition};
pub use prp::parse_checks;
pub(crate) use request::OTHERS;
pub(crate) use request::Origin;
pub use request::{Kind, Request, resolve};
pub use temporal::{Temporal, TemporalError};

use crate::program::PointId;
use crate::pushdown::step::state_of;
use crate::pushdown::{StateId, SymbolId};
use crate::trace::failure::{Failure, Reason};
use crate::trace::{Location, Step, Trace};
use std::fmt;

/// A property of one program or pushdown system.
#[derive(Clone, Debug)]
pub enum Property {
    /// Can control come to one of these points?
    Reach(Vec<PointId>),
    /// Can one of these symbols come to be on top of the stack, in this state or in any?
    OnTop {
        /// Which symbols.
        symbols: Vec<SymbolId>,
        /// In which state, if not in any.
        state: Option<StateId>,
    },
    /// Can an assertion fail, or anything else?
    Assertions,
    /// Can the assertion at one of these points fail?
    Assertion(Vec<PointId>),
    /// Can a number not fit, an index lie outside, or a divisor be 0?
    OtherFailures,
    /// Does every execution end?
    Terminates,
    /// Does every execution satisfy a formula, or none an automaton?
    Temporal(Box<Temporal>),
    /// What is not decided at all.
    Unsupported,
}

impl Property {
    /// Whether the last configuration of a finite trace is one that is asked for.
    pub fn asks_for(&self, trace: &Trace) -> bool {
        let Some(last) = trace.stem.last() else {
            return false;
        };
        match (self, last.location) {
            (Property::Reach(points), Location::At(point)) => points.contains(&PointId(point)),
            (Property::OnTop { symbols, state }, Location::At(symbol)) => {
                let here = state_of(last.valuation.globals());
                symbols.contains(&SymbolId(symbol)) && state.is_none_or(|state| state == here)
            }
            (Property::Assertions, location) => location == Location::Error,
            (Property::Assertion(points), Location::Error) => {
                let before = trace.stem.iter().rev().nth(1);
                let at = before.and_then(Step::at).map(PointId);
                at.is_some_and(|at| points.contains(&at)) && self.names(trace.failure.as_ref())
            }
            (Property::OtherFailures, Location::Error) => self.names(trace.failure.as_ref()),
            _ => false,
        }
    }

    /// Whether it asks for one kind of failure only.
    pub fn is_one_failure(&self) -> bool {
        matches!(self, Property::Assertion(_) | Property::OtherFailures)
    }

    /// Whether a program that fails for this reason fails as the property asks.
    pub fn names(&self, failure: Option<&Failure>) -> bool {
        let is_assertion = failure.is_some_and(|failure| failure.reason == Reason::Assertion);
        match self {
            Property::Assertion(_) => is_assertion,
            Property::OtherFailures => failure.is_some() && !is_assertion,
            _ => true,
        }
    }
}

/// Why a name, or a condition, means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    pub message: String,
    pub hint: Option<String>,
}

/// The message, and in parentheses the hint.
impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{} ({hint})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for PropertyError {}

impl PropertyError {
    pub fn new(message: impl Into<String>, hint: Option<String>) -> Self {
        PropertyError {
            message: message.into(),
            hint,
        }
    }
}
