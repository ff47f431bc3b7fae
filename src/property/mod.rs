//! What is asked, as the user wrote it and as the engines take it.

mod label;
mod proposition;
mod remopla;
mod run;
mod subject;
mod system;
mod temporal;

pub use proposition::{Atom, find_procedure, resolve_condition};
pub use subject::Subject;
pub use temporal::{Temporal, TemporalError};

use crate::program::PointId;
use crate::pushdown::{StateId, SymbolId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ltl,
    /// An automaton of forbidden executions.
    Never,
    Reach,
    Assertions,
    Terminates,
}

impl Kind {
    /// As scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ltl => "ltl",
            Kind::Never => "never",
            Kind::Reach => "reach",
            Kind::Assertions => "assertions",
            Kind::Terminates => "terminates",
        }
    }
}

/// A property as given on the command line or in a property file.
#[derive(Clone, Debug)]
pub struct Request {
    pub kind: Kind,
    /// The label or formula as given, the automaton's file, or the name of the kind.
    pub text: String,
    /// From a property file.
    pub name: Option<String>,
}

/// A property of one program or pushdown system.
#[derive(Clone, Debug)]
pub enum Property {
    /// Can control come to one of these points?
    Reach(Vec<PointId>),
    /// Can one of these symbols come to be on top of the stack, in this state or in any?
    OnTop {
        symbols: Vec<SymbolId>,
        state: Option<StateId>,
    },
    /// Can an assertion fail?
    Assertions,
    /// Does every execution end?
    Terminates,
    Temporal(Box<Temporal>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    pub message: String,
    pub hint: Option<String>,
}

impl PropertyError {
    pub fn new(message: impl Into<String>, hint: Option<String>) -> Self {
        PropertyError {
            message: message.into(),
            hint,
        }
    }
}

/// What a request speaks of; `automaton` is the text of the file that a request of kind
/// [`Kind::Never`] names.
pub fn resolve(
    subject: &impl Subject,
    request: &Request,
    automaton: Option<&str>,
) -> Result<Property, TemporalError> {
    let boxed = |temporal| Property::Temporal(Box::new(temporal));
    let wrong = |error| TemporalError::Proposition(0..0, error);
    match request.kind {
        Kind::Assertions => subject.assertions().map_err(wrong),
        Kind::Terminates => Ok(Property::Terminates),
        Kind::Ltl => Temporal::from_formula(subject, &request.text).map(boxed),
        Kind::Never => Temporal::from_hoa(subject, automaton.unwrap_or("")).map(boxed),
        Kind::Reach => subject.reach(&request.text).map_err(wrong),
    }
}
