//! Passes that make an automaton smaller or change its kind of acceptance.

pub(crate) mod degeneralize;
pub(crate) mod emptiness;
pub(crate) mod prune;
pub(crate) mod simulation;
pub(crate) mod weak;
