//! Symbolic pushdown systems (Moped, section 2.1): control explicit, data in BDDs.
//!
//! A *head* is what a rule begins with: a control location and a top symbol, here one
//! plain index, with a valuation of data variables. Each head has its own set of data
//! variables that an edge for it may depend on; all others are arbitrary there.
//!
//! Rules have at most two symbols on the right. There are no frame conditions: a relation
//! mentions only what its step reads or sets, everything else passes through untouched
//! (disjunctive image computation, section 6.1).
//!
//! A push leads to an *entry*, the first head of the pushed frame. The entry's *key* are
//! the data variables whose values it takes from the caller. Those that no rule of the
//! frame changes are *rigid*: they have no entry copy, since their current value is the
//! value at entry, and they are part of every head of the frame.

mod assembly;
pub mod copies;
mod encode;
mod expression;
mod image;
mod interface;
pub mod number;
mod observer;
mod product;
mod proposition;
pub mod relation;
mod transfer;
mod transfers;

pub use crate::rules::{EntryId, Head};
pub use encode::encode;
pub use expression::{Term, evaluate};
pub use observer::{Observer, extend_layout};
pub use proposition::{truth_at, truth_in};
pub use relation::Relations;

use crate::bdd::Bdd;
use crate::bits::BitRows;
use crate::index::{IndexVec, Ranges, indices};
use crate::rules::{self, DataVariable};
use copies::Renaming;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

/// What a rule does to data: conjunction with `relation`, then `forget` is quantified, then
/// what was set is renamed from next to current. Many rules share one.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Over current and next variables.
    pub relation: Bdd,
    /// The current variables that have lost their meaning: set by the step, or dead after.
    pub forget: Bdd,
    /// From next to current, for the variables that the step sets. For a push, whose next
    /// variables are the callee's key, from below to current.
    pub set: Option<Renaming>,
    /// The way back.
    pub unset: Option<Renaming>,
    /// The current variables that have any value after the step; for a push, in the frame
    /// below.
    pub arbitrary: Bdd,
    /// The next variables that the relation gives values to.
    pub set_next: Bdd,
    /// In rising order: the variables that matter after a step and do not keep their values,
    /// set or arbitrary; for a push, those of the frame below.
    pub changed: Box<[DataVariable]>,
    /// For a push: the variables of the frame below that the relation gives values to.
    pub below: Bdd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferId(pub u32);

/// An index into [`Spds::interfaces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterfaceId(pub u32);

/// An index into [`Spds::resumes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumeId(pub u32);

indices!(RuleId, TransferId, InterfaceId, ResumeId);

#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub from: Head,
    pub transfer: TransferId,
    pub right: Right,
    /// No step of the execution by itself, but part of the one before.
    pub internal: bool,
    /// The rule it was made from; out of range for one by which stopped executions stay.
    pub origin: rules::RuleId,
}

/// The right side of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Right {
    /// Nothing: the frame is gone, and hands over what the interface says.
    Pop { interface: InterfaceId },
    /// One symbol.
    Step(Head),
    /// Two symbols: the pushed frame begins at the entry, and the frame below it will go on
    /// at `saved`.
    Push {
        entry: EntryId,
        saved: Head,
        /// The symbol of the frame below while it waits: in a program, that of the call.
        below: Head,
        /// What is forgotten when that frame goes on.
        resume: ResumeId,
    },
}

/// The state `(p', γ')` of the P-automaton for a pushed frame.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub head: Head,
    pub interface: InterfaceId,
}

/// How values pass between a frame and the one below it. Many entries share one.
///
/// The *key* are the variables a frame takes over when it is pushed, the *handed* ones
/// those it leaves behind when it is popped.
#[derive(Clone, Debug)]
pub struct Interface {
    pub key: Box<[DataVariable]>,
    pub handed: Box<[DataVariable]>,
    /// The part of the key that no rule of the frame changes.
    pub rigid: Box<[DataVariable]>,
    /// What is known of other current variables when a frame is entered.
    pub initial: Bdd,
    /// The key, from next variables to current and, unless rigid, entry ones.
    pub enter: Renaming,
    /// The key, from next variables to current ones only, and back.
    pub enter_current: Renaming,
    pub key_to_next: Renaming,
    /// The key as an edge has it (rigid ones current, others entry) to next variables: what
    /// makes an edge that pops into a summary.
    pub leave: Renaming,
    pub key_next: Bdd,
    /// The current variables that are not in the key.
    pub not_key: Bdd,
    /// The current variables that are not handed over.
    pub not_handed: Bdd,
    /// The rigid variables: their current copies equal their entry copies.
    pub rigid_equal: Bdd,
    /// The handed variables: their current copies equal their entry copies, ...
    pub handed_equal: Bdd,
    /// ... and renamings of them.
    pub handed_to_next: Renaming,
    pub handed_to_entry: Renaming,
    pub handed_entry_to_next: Renaming,
    pub handed_entry_to_current: Renaming,
    pub handed_next: Bdd,
}

/// A symbolic pushdown system over one set of BDD variables.
pub struct Spds {
    pub rules: IndexVec<RuleId, Rule>,
    /// Which rules are those of each head.
    by_head: Ranges<Head>,
    transfers: IndexVec<TransferId, Transfer>,
    pub entries: IndexVec<EntryId, Entry>,
    interfaces: IndexVec<InterfaceId, Interface>,
    /// What a push's `resume` names: the next copy of the callee's key, and the current
    /// copy of what the callee hands over but the frame below does not need.
    resumes: IndexVec<ResumeId, Bdd>,
    /// Every data variable's current and entry copies.
    pub all_current: Bdd,
    pub all_entry: Bdd,
    pub all_current_and_entry: Bdd,
    /// The data variables of the program's globals.
    pub globals: std::ops::Range<DataVariable>,
    /// For each head, its place in the order of work: smaller first.
    pub ranks: IndexVec<Head, u32>,
    /// For each head, its place in the order of work against the direction of the rules.
    pub backward_ranks: IndexVec<Head, u32>,
    /// For each head, the data variables its valuations speak of.
    variables: BitRows<Head>,
    pub start: Head,
    /// The valuations of the start head in which executions begin.
    pub start_set: Bdd,
    /// Where control is once the lowest frame is popped, if that matters, ...
    pub bottom: Option<Head>,
    /// ... and the current variables that do not matter there.
    pub bottom_forget: Bdd,
    /// Heads at which the program has stopped, and stays for ever.
    pub stopped: Vec<Head>,
    /// In a product: the valuations in which the automaton accepts, ...
    pub accepting: Option<Bdd>,
    /// ... and the variables that remember, in the frame on top and of the one popped last.
    pub memory: Option<(DataVariable, DataVariable)>,
}

impl Spds {
    pub fn heads(&self) -> usize {
        self.ranks.len()
    }

    /// The data variables that matter at a head, as a bit set.
    pub fn variables(&self, head: Head) -> &[u64] {
        self.variables.row(head)
    }

    pub fn rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule]
    }

    pub fn transfer(&self, rule: &Rule) -> &Transfer {
        &self.transfers[rule.transfer]
    }

    pub fn entry(&self, entry: EntryId) -> &Entry {
        &self.entries[entry]
    }

    /// How values pass into and out of the frames of an entry.
    pub fn interface(&self, entry: EntryId) -> &Interface {
        self.interface_of(self.entry(entry).interface)
    }

    pub fn interface_of(&self, id: InterfaceId) -> &Interface {
        &self.interfaces[id]
    }

    /// Whether a head is no configuration of its own, but part of the step that led to it.
    pub fn is_internal(&self, head: Head) -> bool {
        let mut rules = self.rules_from(head);
        rules.next().is_some_and(|rule| self.rule(rule).internal)
    }

    /// The rules of a head, in rule order.
    pub fn rules_from(&self, head: Head) -> impl Iterator<Item = RuleId> + use<> {
        self.by_head.of(head).map(RuleId)
    }
}
