//! The Büchi automaton that watches a program: the product, one letter at a time.
//!
//! The automaton's state is a few more data variables. Each step of the execution reads the
//! letter of the configuration it leaves, so a rule's relation is conjoined with the edges
//! whose labels hold at its head. What a label says about control is known there; what it
//! says about variables becomes a BDD. Many heads have the same letter.
//!
//! If the automaton is not weak, each frame also remembers whether an accepting state was
//! *seen*, counted on arrival in a configuration: so a call that returns tells whether the
//! automaton accepted in between.

use super::copies::{Copies, Copy};
use super::proposition::{is_silent, known_at, truth_at};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::property::Temporal;
use crate::rules::{Head, Layout, Rules};
use ltl2ba_rs::{Class, Label};
use rustc_hash::FxHashMap;

/// How many bits the states of an automaton take, and whether frames must remember.
pub fn extend_layout(mut layout: Layout, temporal: &Temporal) -> Layout {
    let states = temporal.forbidden.states.max(1);
    layout.state_bits = u32::BITS - (states - 1).leading_zeros();
    layout.remembers = temporal.forbidden.class() == Class::General;
    layout
}

pub struct Observer<'a, 'b> {
    temporal: &'a Temporal,
    layout: Layout,
    copies: &'a Copies<'b>,
    /// From what is known of each proposition at a place to the index of its letter.
    known: FxHashMap<Vec<u8>, u32>,
    /// For each letter, the automaton's steps over current and next variables.
    letters: Vec<Bdd>,
}

impl<'a, 'b> Observer<'a, 'b> {
    /// `layout` is from [`extend_layout`].
    pub fn new(temporal: &'a Temporal, layout: Layout, copies: &'a Copies<'b>) -> Self {
        Observer {
            temporal,
            layout,
            copies,
            known: FxHashMap::default(),
            letters: Vec::new(),
        }
    }

    /// The automaton's steps from a configuration at this head, as an index for
    /// [`Observer::letter`]: equal letters have equal indices.
    pub fn letter_at(&mut self, rules: &Rules<'_>, head: Head) -> Result<u32, OutOfNodes> {
        let is_silent = is_silent(rules, &self.temporal.silent, head);
        let mut key = known_at(rules, &self.temporal.atoms, head);
        key.push(u8::from(is_silent));
        if let Some(letter) = self.known.get(&key) {
            return Ok(*letter);
        }
        let letter = self.letters.len() as u32;
        let steps = match is_silent {
            true => self.stay()?,
            false => self.steps_at(rules, head)?,
        };
        self.letters.push(steps);
        self.known.insert(key, letter);
        Ok(letter)
    }

    pub fn letter(&self, letter: u32) -> &Bdd {
        &self.letters[letter as usize]
    }

    /// The states in which runs start, over current variables.
    pub fn initial(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let mut initial = bdds.constant(false);
        for state in &self.temporal.forbidden.initial {
            initial = bdds.or(&initial, &self.state(*state, Copy::Current)?)?;
        }
        Ok(initial)
    }

    /// The accepting states.
    pub fn accepting(&self, copy: Copy) -> BddResult {
        let automaton = &self.temporal.forbidden;
        let bdds = self.copies.bdds;
        let mut accepting = bdds.constant(false);
        for state in (0..automaton.states).filter(|state| automaton.is_accepting(*state)) {
            accepting = bdds.or(&accepting, &self.state(state, copy)?)?;
        }
        Ok(accepting)
    }

    fn state(&self, state: u32, copy: Copy) -> BddResult {
        let literals = (0..self.layout.state_bits).map(|bit| {
            let level = self.copies.level(self.layout.state_bit(bit), copy);
            (level, state >> bit & 1 == 1)
        });
        self.copies.bdds.minterm(literals)
    }

    /// No letter is read.
    fn stay(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let mut stay = bdds.constant(true);
        for bit in (0..self.layout.state_bits).map(|bit| self.layout.state_bit(bit)) {
            let [now, next] =
                [Copy::Current, Copy::Next].map(|copy| self.copies.variable(bit, copy));
            stay = bdds.and(&stay, &bdds.equivalent(&now, &next)?)?;
        }
        Ok(stay)
    }

    fn steps_at(&self, rules: &Rules<'_>, head: Head) -> BddResult {
        let bdds = self.copies.bdds;
        let atoms = self
            .temporal
            .atoms
            .iter()
            .map(|atom| truth_at(rules, self.copies, atom, head));
        let atoms = atoms.collect::<Result<Vec<_>, _>>()?;
        let mut steps = bdds.constant(false);
        for edge in &self.temporal.forbidden.edges {
            let from = self.state(edge.source, Copy::Current)?;
            let to = self.state(edge.target, Copy::Next)?;
            let states = bdds.and(&from, &to)?;
            let step = bdds.and(&states, &self.label(&edge.label, &atoms)?)?;
            steps = bdds.or(&steps, &step)?;
        }
        Ok(steps)
    }

    fn label(&self, label: &Label, atoms: &[Bdd]) -> BddResult {
        let bdds = self.copies.bdds;
        let mut sum = bdds.constant(false);
        for cube in &label.cubes {
            let mut product = bdds.constant(true);
            for literal in &cube.literals {
                let atom = &atoms[literal.proposition as usize];
                product = match literal.positive {
                    true => bdds.and(&product, atom)?,
                    false => bdds.difference(&product, atom)?,
                };
            }
            sum = bdds.or(&sum, &product)?;
        }
        Ok(sum)
    }
}
