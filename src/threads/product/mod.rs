//! Finite programs with threads: all configurations, layer by layer.
//!
//! The running thread's control is explicit, everything else is symbolic: for each thread and
//! head there is the set of configurations in which this thread runs and is there. Inside a
//! context these sets are saturated, head by head; at a switch the running thread's head is
//! encoded, and the configurations are divided among the others by where these are. A layer is
//! what one more switch (or round) makes new; the search is complete when nothing is. A
//! configuration is explored once, in the first layer that has it.
//!
//! The cost is that of the sets: one image for each step of the program, thread and increment.

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
pub use search::{Layer, Product};

use crate::bdd::{Bdds, Collection};
use crate::error::Error;
use crate::property::Property;
use crate::threads::Measure;
use crate::watch::{Stop, Watch};

/// How a search is done.
pub struct Settings<'a> {
    /// What layers are made by.
    pub measure: Measure,
    /// Bytes that BDD nodes may take.
    pub memory: u64,
    /// How many BDD operations may be made; more count as running out of nodes.
    pub operations: u64,
    /// How many threads may work on one operation.
    pub jobs: u32,
    /// When garbage is collected.
    pub collection: Collection,
    /// Sees how far the search has come, and may stop it.
    pub watch: &'a Watch,
}

/// Runs `work` on a search for what the properties ask for.
pub fn with_product<T>(
    plan: &Plan<'_>,
    properties: &[Property],
    settings: &Settings<'_>,
    work: impl FnOnce(&mut Product<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    let Settings {
        memory,
        operations,
        jobs,
        collection,
        watch,
        ..
    } = *settings;
    let bdds = Bdds::with_jobs(plan.levels, memory, collection, jobs)
        .map_err(Stop::from)?
        .watched_by(watch)
        .limited_to(operations);
    let result = bdds.session(|| {
        let mut product = Product::new(plan, &bdds, properties, settings);
        work(&mut product)
    });
    // An operation that was cancelled fails as if nodes had run out.
    if let Err(Error::Stopped(_)) = result {
        watch.check()?;
    }
    result
}
