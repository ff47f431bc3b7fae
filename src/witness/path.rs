//! Paths through heads: what a search finds, and what a walker follows.
//!
//! A path speaks of live variables only. A call that returns is one move, which names the
//! member of the summary that it uses; many rounds of a loop may be one move, too.

use crate::bits::{self, BitSet};
use crate::spds::{EntryId, Head, RuleId, Spds};

/// The current values of all data variables; those that do not matter are 0.
pub type Values = Box<[bool]>;

/// A path: where it begins, and its steps.
#[derive(Debug)]
pub struct Path {
    pub head: Head,
    pub values: Values,
    pub moves: Vec<Move>,
}

impl Path {
    /// Where it ends.
    pub fn end(&self) -> (Head, &[bool]) {
        match self.moves.last() {
            Some(last) => (last.head, &last.values),
            None => (self.head, &self.values),
        }
    }

    /// Whether some of its rounds are folded.
    pub fn is_folded(&self) -> bool {
        let mut moves = self.moves.iter();
        moves.any(|step| matches!(step.by, Transition::Rounds(_)))
    }
}

/// One step of a path, internal rules included, or many rounds of a loop.
#[derive(Debug)]
pub struct Move {
    pub by: Transition,
    /// Where it leads.
    pub head: Head,
    pub values: Values,
}

/// How a path goes on.
#[derive(Debug)]
pub enum Transition {
    Rule(RuleId),
    /// Transition a push that was popped again.
    Call(RuleId, CallUse),
    /// Transition going round a loop any number of times, along one of its ways: only until these
    /// rounds have been counted.
    Way(usize),
    /// Transition going round a loop many times. The first sample is the first round, and the last
    /// sample the last.
    Rounds(Vec<Sample>),
}

/// A round that stands for itself and those after it.
#[derive(Debug)]
pub struct Sample {
    pub path: Path,
    /// How many these are, itself counted.
    pub rounds: u64,
}

impl Move {
    /// The rule that it begins with; `None` where rounds are folded.
    pub fn rule(&self) -> Option<RuleId> {
        match self.by {
            Transition::Rule(rule) | Transition::Call(rule, _) => Some(rule),
            Transition::Way(_) | Transition::Rounds(_) => None,
        }
    }
}

/// One member of a summary: the values a frame was entered with and those it handed over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallUse {
    pub entry: EntryId,
    /// Of the increment it belongs to.
    pub stamp: u64,
    /// Tells apart the calls nested inside each other, of which there may be two alike;
    /// 0 for all others.
    pub place: u32,
    pub key: Values,
    /// In the order of the interface's handed variables.
    pub handed: Values,
}

impl CallUse {
    /// Which variables were handed over, and their values among all.
    pub fn handed(&self, spds: &Spds) -> (BitSet, Values) {
        let mut variables = BitSet::new(self.key.len());
        let mut values = vec![false; self.key.len()];
        let handed = &spds.interface(self.entry).handed;
        for (variable, value) in handed.iter().zip(&self.handed) {
            bits::insert(&mut variables, *variable);
            values[*variable as usize] = *value;
        }
        (variables, values.into())
    }
}
