//! Sets of configurations: `post*` and `pre*` of any regular set, exact on all variables of
//! all frames (Moped, section 7).
//!
//! ```text
//! text ─▶ syntax ─▶ resolve ─▶ compile ─▶ saturation ─▶ automaton ─▶ membership, count
//!                      ▲           ▲
//!                   Language     Model
//! ```
//!
//! A set is written as a regular expression over stack symbols ([`mod@syntax`]) and becomes a
//! P-automaton; its saturation is one, too. What a symbol is and what it means comes from
//! the language: [`program`] has it for programs, [`system`] for pushdown systems.

mod automaton;
mod compile;
mod control;
mod cover;
mod description;
mod diagram;
mod formula;
mod language;
mod legend;
mod membership;
mod model;
mod positions;
mod program;
mod range;
mod resolve;
pub mod syntax;
mod system;
mod token;
mod trim;

pub use automaton::{PAutomaton, post, pre};
pub use compile::{SetAutomaton, compile};
pub use description::{
    AutomatonDescription, Condition, EdgeDescription, StateDescription, describe,
};
pub use diagram::Diagram;
pub use language::{Language, SymbolText};
pub use membership::{Count, count, meets};
pub use model::{Model, with_model};
pub use program::ProgramNames;
pub use resolve::{ConfigurationSet, resolve};
pub use system::SystemNames;
