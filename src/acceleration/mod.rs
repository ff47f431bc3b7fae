//! Deep loops and deep recursion over wide integers.
//!
//! A loop over counters of n bits takes 2ⁿ rounds of images. Each *single path* round the
//! loop is a simple relation, though, and one that squaring closes in n steps: any number of
//! rounds along this path. Applied in turn to the set at the loop's head, these closures are
//! complete after very few rounds. (Squaring the union of all paths is not the same: what
//! lies between the first and the last square can be huge.) Where two paths can only be taken
//! in turn, they are closed together.
//!
//! What a closure adds is reachable, and everything else still follows the rules: so results
//! do not change, only the number of rounds. Where a closure grows too large, or a loop has
//! too many paths, it is left to plain rounds.

mod loop_paths;
mod loops;
mod nesting;
mod powers;
mod recursion;
mod summaries;
mod ways;

pub use loops::Accelerator;
pub use nesting::{Nesting, Nestings};
pub use powers::Rounds;
pub use recursion::Recursion;
pub use ways::{Way, Ways};

use crate::limits::acceleration as limits;

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// After how many rounds at one head acceleration is worth a try.
    pub patience: u32,
    /// The nodes of one relation, at least; more if there are many variables.
    pub nodes: usize,
    /// The paths round one loop.
    pub paths: usize,
}

impl Budget {
    /// From the first round.
    pub const ALWAYS: Budget = Budget {
        patience: 0,
        nodes: limits::RELATION_NODES,
        paths: limits::LOOP_PATHS,
    };

    /// The nodes of one relation over so many variables: those that are worth it grow with
    /// them, not faster.
    pub fn nodes(&self, variables: u32) -> usize {
        self.nodes
            .max(limits::NODES_A_VARIABLE * variables as usize)
    }

    /// The nodes of one relation after so many rounds at a head: as long as there were few,
    /// plain rounds are cheap, and a large relation is worth less.
    fn nodes_after(&self, rounds: u32, variables: u32) -> usize {
        let earned = match self.patience {
            0 => usize::MAX,
            _ => limits::NODES_A_ROUND.saturating_mul(rounds as usize),
        };
        self.nodes(variables).min(earned)
    }

    /// Where plain iteration takes many rounds; sooner if there are integers of several
    /// bits, which are what makes loops deep.
    pub fn auto(wide: bool) -> Self {
        Budget {
            patience: match wide {
                true => limits::WIDE_PATIENCE,
                false => limits::PATIENCE,
            },
            ..Budget::ALWAYS
        }
    }
}
