//! The SAT solver: `batsat`, or `cadical`, if that feature is on.
//!
//! Either is asked in the same way. In unit tests what one of them refuses, [`audit`] must refuse, too.

#[cfg(test)]
mod audit;
#[cfg(not(feature = "cadical"))]
mod batsat;
#[cfg(feature = "cadical")]
mod cadical;

use super::gates::Literal;
use crate::watch::{Abort, Watch};

/// The answer to one question about clauses.
pub enum Outcome {
    Satisfiable,
    /// Which assumptions are to blame.
    Unsatisfiable(Vec<Literal>),
}

/// Clauses, and what decides about them.
pub trait Backend {
    /// A variable that is no other: 0, 1, and so on.
    fn variable(&mut self) -> u32;

    /// At least one of these is true.
    fn clause(&mut self, literals: &[Literal]);

    /// Whether all clauses and assumptions can be true, found out with so many conflicts at most.
    fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Outcome, Abort>;

    /// In the last model.
    fn value(&self, variable: u32) -> bool;
}

/// The solver of this build, with no clauses.
pub fn new(watch: &Watch) -> Box<dyn Backend> {
    #[cfg(not(feature = "cadical"))]
    let solver = batsat::Batsat::new(watch);
    #[cfg(feature = "cadical")]
    let solver = cadical::Cadical::new(watch);
    #[cfg(test)]
    let solver = audit::Audited::new(solver);
    Box::new(solver)
}
