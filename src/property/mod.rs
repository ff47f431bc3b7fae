//! What is asked, as the user wrote it and as the engines take it.

mod label;
mod proposition;
mod temporal;

pub use proposition::{Atom, resolve_proposition, resolve_text};
pub use temporal::{Temporal, TemporalError};

use label::labelled_points;

use crate::program::{PointId, Program};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Reach,
    Assertions,
}

impl Kind {
    /// As scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reach => "reach",
            Kind::Assertions => "assertions",
        }
    }
}

/// A property as given on the command line.
#[derive(Clone, Debug)]
pub struct Request {
    pub kind: Kind,
    /// The label as given, or the name of the kind.
    pub text: String,
}

/// A property of one program.
#[derive(Clone, Debug)]
pub enum Property {
    /// Can control come to one of these points?
    Reach(Vec<PointId>),
    /// Can an assertion fail?
    Assertions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    pub message: String,
    pub hint: Option<String>,
}

/// Finds what a request speaks of in a program.
pub fn resolve(program: &Program, request: &Request) -> Result<Property, PropertyError> {
    match request.kind {
        Kind::Assertions => Ok(Property::Assertions),
        Kind::Reach => labelled_points(program, &request.text).map(Property::Reach),
    }
}

