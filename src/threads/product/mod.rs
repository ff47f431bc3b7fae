//! Finite programs with threads: all configurations, layer by layer.
//!
//! The running thread's control is explicit, everything else is symbolic: for each thread and
//! head there is the set of configurations in which this thread runs and is there. Inside a
//! context these sets are saturated, head by head; at a switch the running thread's head is
//! encoded, and the configurations are divided among the others by where these are; a thread whose
//! next step concerns nobody else takes it first (`handover`). A layer is
//! what one more switch (or round) makes new; the search is complete when nothing is. A
//! configuration is explored once, in the first layer that has it.
//!
//! The cost is that of the sets: one image for each step of the program, thread and increment.

mod handover;
mod kind;
mod live;
mod moves;
mod path;
mod plan;
mod population;
mod search;
#[cfg(test)]
mod tests;
mod trace;

pub use plan::Plan;
pub use search::Product;

use super::Settings;
use crate::error::Error;
use crate::property::Property;
use crate::watch::Stop;

/// Runs `work` on a search for what the properties ask for.
pub fn with_product<T>(
    plan: &Plan<'_>,
    properties: &[Property],
    settings: &Settings<'_>,
    work: impl FnOnce(&mut Product<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let bdds = settings.bdds(plan.levels).map_err(Stop::from)?;
    let result = bdds.session(|| {
        let mut product = Product::new(plan, &bdds, properties, settings);
        work(&mut product)
    });
    // An operation that was cancelled fails as if nodes had run out.
    if let Err(Error::Stopped(_)) = result {
        settings.watch.check()?;
    }
    result
}
