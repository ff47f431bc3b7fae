//! What is asked, as the user wrote it and as the engines take it.

mod label;
mod proposition;
mod remopla;
mod run;
mod temporal;

pub use proposition::{Atom, find_procedure, resolve_condition, resolve_proposition, resolve_text};
pub use temporal::{Temporal, TemporalError};

use label::labelled_points;

use crate::program::{PointId, Program};

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

/// A property of one program.
#[derive(Clone, Debug)]
pub enum Property {
    /// Can control come to one of these points?
    Reach(Vec<PointId>),
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

/// What a request speaks of in a program; `automaton` is the text of the file that a
/// request of kind [`Kind::Never`] names.
pub fn resolve(
    program: &Program,
    request: &Request,
    automaton: Option<&str>,
) -> Result<Property, TemporalError> {
    let boxed = |temporal| Property::Temporal(Box::new(temporal));
    match request.kind {
        Kind::Assertions => Ok(Property::Assertions),
        Kind::Terminates => Ok(Property::Terminates),
        Kind::Ltl => Temporal::from_formula(program, &request.text).map(boxed),
        Kind::Never => Temporal::from_hoa(program, automaton.unwrap_or("")).map(boxed),
        Kind::Reach => match labelled_points(program, &request.text) {
            Ok(points) => Ok(Property::Reach(points)),
            Err(error) => Err(TemporalError::Proposition(0..0, error)),
        },
    }
}
