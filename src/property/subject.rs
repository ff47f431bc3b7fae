//! What properties speak of: programs and pushdown systems.

use super::{Atom, Property, PropertyError};
use crate::trace::Step;
use ltl2ba_rs::Proposition;

pub trait Subject {
    /// A configuration of a trace.
    /// What a proposition of a formula means.
    fn proposition(&self, proposition: &Proposition) -> Result<Atom, PropertyError>;

    /// What quoted text means, or the name of a proposition in a HOA file.
    fn text(&self, text: &str) -> Result<Atom, PropertyError>;

    /// The property that a place, named by the user, is not reached.
    fn reach(&self, text: &str) -> Result<Property, PropertyError>;

    /// The property that no assertion fails.
    fn assertions(&self) -> Result<Property, PropertyError>;

    /// Whether a proposition is true of a configuration.
    fn holds(&self, atom: &Atom, step: &Step) -> bool;
}
