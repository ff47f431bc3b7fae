//! What is known about rules before any state is looked at.
//!
//! The results decide which variables the symbolic engine carries along, and in which
//! order it works. Leaving a variable out is sound because nothing that is asked later
//! can depend on it; each file says why.

pub mod carried;
pub mod control;
pub mod frames;
mod liveness;
pub mod meetings;
mod mod_ref;
pub mod order;
#[cfg(test)]
mod tests;

pub use crate::rules::{DataVariable, Observed};
pub use carried::Carried;
pub use frames::Frames;
pub use liveness::{Liveness, pass};
pub use mod_ref::{Modified, Referenced};

use crate::rules::Rules;

/// All that the encoding of rules is made from.
#[derive(Debug)]
pub struct Analyses {
    pub frames: Frames,
    pub modified: Modified,
    pub liveness: Liveness,
    pub carried: Carried,
}

impl Analyses {
    /// `observed` are variables that matter everywhere, whatever the rules do.
    pub fn of(rules: &Rules<'_>, observed: &[Observed]) -> Self {
        let frames = Frames::of(rules);
        let modified = Modified::of(rules, &frames);
        let liveness = Liveness::of(rules, &frames, &modified, observed);
        let carried = Carried::of(rules, &frames, &modified, &liveness);
        Analyses {
            frames,
            modified,
            liveness,
            carried,
        }
    }
}
