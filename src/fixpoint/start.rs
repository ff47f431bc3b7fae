//! The relations that a program with threads supplies besides: where each thread may start, what
//! `init` leaves, where threads may be left, and how they end. Linear in the points.

use super::domain::Leaf;
use super::initial::Initial;
use super::levels::{Pool, Track, pool};
use super::program::{ProgramRelations, points_of};
use crate::bdd::{Bdd, BddResult, NodeList};
use crate::program::VariableId;
use crate::rules::{Head, Right};
use crate::spds::copies::Copy;

impl ProgramRelations<'_> {
    /// "The running thread is exclusive", in a copy of the globals.
    fn exclusive(&self, copy: Copy) -> Bdd {
        let bdds = self.copies.bdds;
        match self.threads {
            Some(threads) => {
                let bit = self.rules.layout.global(threads.exclusive).start;
                bdds.variable(self.copies.level(bit, copy))
            }
            None => bdds.constant(false),
        }
    }

    /// The states that each thread may start in, whatever the globals.
    pub(super) fn start(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let declared = self.threads.map_or(&[][..], |threads| &threads.declared);
        let (low, high) = (1, declared.len() as i128);
        let pool = pool(Leaf::Number { low, high });
        let bits = self.levels.of(Track { pool, index: 0 });
        let mut all = bdds.constant(false);
        for (code, start) in declared.iter().enumerate() {
            let weights = (0..bits.len()).rev();
            let number = bits.iter().zip(weights);
            let number = number.map(|(level, weight)| (*level, code >> weight & 1 == 1));
            let arguments = (0..).zip(&start.arguments);
            let arguments = arguments.filter_map(|(local, value)| {
                let cell = VariableId::Local(local);
                let bit = self.rules.layout.cell(start.procedure, cell).start;
                Some((self.copies.level(bit, Copy::Current), (*value)? != 0))
            });
            let entry = self.program.procedure(start.procedure).entry().0;
            let data = bdds.minterm(arguments)?;
            let data = bdds.and(&data, &self.nothing_else(self.scope(entry), [0; 2])?)?;
            let state = self.tree(&points_of(1), vec![(vec![entry], data)])?;
            all = bdds.or(&all, &bdds.and(&bdds.minterm(number)?, &state)?)?;
        }
        Ok(all)
    }

    /// The globals that threads may start with: those that `init` may leave, or any.
    pub(super) fn start_globals(&self) -> BddResult {
        let free = self.copies.bdds.not(&self.exclusive(Copy::Current))?;
        let left = self.initially(Pool::Globals, |initial| &initial.globals)?;
        self.copies.bdds.and(&free, &left)
    }

    /// The points that `init` comes to.
    pub(super) fn init_reaches(&self) -> BddResult {
        match self.initial {
            Some(_) => self.initially(Pool::Point, |initial| &initial.points),
            None => Ok(self.copies.bdds.constant(false)),
        }
    }

    /// What is known of `init`; everything if there is none.
    fn initially(&self, pool: Pool, list: impl FnOnce(&Initial) -> &NodeList) -> BddResult {
        let bdds = self.copies.bdds;
        let Some(initial) = self.initial else {
            return Ok(bdds.constant(true));
        };
        let levels = self.levels.of(Track { pool, index: 0 });
        bdds.import(list(initial), |bit| levels[bit as usize])
    }

    /// The states in which a thread may be left.
    pub(super) fn may_switch(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let track = |pool| Track { pool, index: 0 };
        let states = self.states([Pool::Point, Pool::Locals, Pool::Globals].map(track))?;
        let error = self.set(0, [self.error()])?;
        let states = bdds.difference(&states, &error)?;
        bdds.difference(&states, &self.exclusive(Copy::Current))
    }

    /// The last steps of lowest frames: from exit points to *terminated*.
    pub(super) fn end(&self) -> BddResult {
        let bdds = self.copies.bdds;
        let exclusive = self.threads.map(|threads| {
            let bits = self.rules.layout.global(threads.exclusive);
            bits.start
        });
        let globals = self.rules.layout.global_range();
        let kept = self.unchanged(globals.filter(|bit| Some(*bit) != exclusive))?;
        let free = bdds.difference(&kept, &self.exclusive(Copy::Next))?;
        let ended = bdds.and(
            &free,
            &self.nothing_else(self.scope(self.error() + 1), [1; 2])?,
        )?;
        let mut leaves = Vec::new();
        for procedure in &self.program.procedures {
            let exit = procedure.exit().0;
            let rules = self.rules.rules_from(Head(exit)).iter();
            for rule in rules.filter(|rule| rule.right == Right::Pop) {
                let scope = self.nothing_else(self.scope(exit), [0; 2])?;
                let data = bdds.and(&ended, &self.effect(rule.effect, false)?)?;
                leaves.push((vec![exit, self.error() + 1], bdds.and(&data, &scope)?));
            }
        }
        self.tree(&points_of(2), leaves)
    }
}
