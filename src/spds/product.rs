//! The product with an observer's automaton: what it does along each kind of rule.
//!
//! Every step of the execution moves the automaton; internal rules do not. If frames
//! remember acceptance, a frame begins with what holds in the state it is entered in, adds
//! to it with each state it arrives in, hands it over when it is popped, and takes over what
//! the frame above has seen.

use super::copies::{Copies, Copy};
use super::observer::Observer;
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::rules::{DataVariable, Head, Layout, Rules};
use rustc_hash::FxHashMap;

/// What a rule does with the memory of accepting states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// A step in a frame: seen before, or in the state arrived in.
    Step = 0,
    /// A push: the frame below keeps its own.
    Push = 1,
    /// A pop: handed over.
    Pop = 2,
    /// The internal step after a pop: seen by either frame, or in the state arrived in.
    Return = 3,
}

/// What the automaton does along the rules, if there is one.
pub struct Product<'a, 'b> {
    copies: &'a Copies<'b>,
    layout: &'a Layout,
    pub observer: Option<Observer<'a, 'b>>,
    /// The automaton's moves for each letter and kind of rule.
    moves: FxHashMap<u64, Bdd>,
}

impl<'a, 'b> Product<'a, 'b> {
    pub fn new(
        copies: &'a Copies<'b>,
        layout: &'a Layout,
        observer: Option<Observer<'a, 'b>>,
    ) -> Self {
        Product {
            copies,
            layout,
            observer,
            moves: FxHashMap::default(),
        }
    }

    /// What the memory of a frame is when it is entered.
    pub fn initial_memory(&self) -> BddResult {
        let bdds = self.copies.bdds;
        match (&self.observer, self.layout.seen()) {
            (Some(observer), Some(seen)) => bdds.equivalent(
                &self.copies.variable(seen, Copy::Current),
                &observer.accepting(Copy::Current)?,
            ),
            _ => Ok(bdds.constant(true)),
        }
    }

    /// The number of the automaton's part of a rule that leaves `head`; see
    /// [`Product::moves`].
    pub fn watch(
        &mut self,
        rules: &Rules<'_>,
        head: Head,
        memory: Memory,
    ) -> Result<Option<u64>, OutOfNodes> {
        let Some(observer) = &mut self.observer else {
            return Ok(None);
        };
        let bdds = self.copies.bdds;
        let is_return = memory == Memory::Return;
        let letter = match is_return {
            true => 0,
            false => observer.letter_at(rules, head)?,
        };
        let number = u64::from(letter) << 2 | memory as u64;
        if self.moves.contains_key(&number) {
            return Ok(Some(number));
        }
        // An internal step does not move the automaton.
        let mut relation = match is_return {
            true => bdds.constant(true),
            false => observer.letter(letter).clone(),
        };
        if let (Some(seen), Some(returned)) = (self.layout.seen(), self.layout.seen_returned()) {
            let now = self.copies.variable(seen, Copy::Current);
            let popped = self.copies.variable(returned, Copy::Current);
            let changed = match memory {
                Memory::Push => None,
                Memory::Step => Some((seen, bdds.or(&now, &observer.accepting(Copy::Next)?)?)),
                Memory::Pop => Some((returned, now)),
                Memory::Return => {
                    let both = bdds.or(&now, &popped)?;
                    Some((seen, bdds.or(&both, &observer.accepting(Copy::Current)?)?))
                }
            };
            if let Some((variable, value)) = changed {
                let next = self.copies.variable(variable, Copy::Next);
                relation = bdds.and(&relation, &bdds.equivalent(&next, &value)?)?;
            }
        }
        self.moves.insert(number, relation);
        Ok(Some(number))
    }

    /// The relation with a number that [`Product::watch`] gave.
    pub fn moves(&self, number: u64) -> &Bdd {
        &self.moves[&number]
    }

    /// The variables that the automaton's part of a rule sets.
    pub fn set_by(&self, memory: Memory) -> Vec<DataVariable> {
        let layout = self.layout;
        let states = layout.state_range();
        match memory {
            Memory::Step => states.chain(layout.seen()).collect(),
            Memory::Push => states.collect(),
            Memory::Pop => states.chain(layout.seen_returned()).collect(),
            Memory::Return => layout.seen().into_iter().collect(),
        }
    }
}
