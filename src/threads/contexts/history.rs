//! Copies of the globals that remember what they were at each context switch, and what
//! created threads began with.
//!
//! No step changes such a copy, and no frame has its own: an edge of a thread's P-automaton
//! speaks of the copies that were written before it, all others are arbitrary there. So two
//! edges of different threads, or of different frames of one thread, belong to one execution
//! where their conjunction is not empty.

use crate::bdd::{Bdd, BddResult, Bdds, Level};
use crate::program::{Domain, Threads};
use crate::rules::{DataVariable, Layout};
use crate::spds::Term;
use crate::spds::copies::{COPIES, Copies, Copy};

/// How many copies there are of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The globals at the beginning of each context.
    pub contexts: u32,
    /// The first frames of created threads.
    pub created: u32,
}

impl Room {
    /// How many copies every variable has.
    pub fn copies(self) -> u32 {
        COPIES + self.contexts + self.created
    }
}

pub struct History<'a> {
    copies: &'a Copies<'a>,
    room: Room,
    /// The globals that all threads share, the exclusive bit among them.
    pub shared: Vec<DataVariable>,
    /// The globals of which each thread has its own.
    pub own: Vec<DataVariable>,
    locals: u32,
    /// Where the running thread is exclusive.
    pub exclusive: Bdd,
}

impl<'a> History<'a> {
    pub fn new(copies: &'a Copies<'a>, layout: &Layout, threads: &Threads, room: Room) -> Self {
        let bit = |global: u32| layout.global(global).start;
        let (own, shared) = (0..layout.globals).partition::<Vec<_>, _>(|g| threads.is_own(*g));
        History {
            copies,
            room,
            shared: shared.into_iter().map(bit).collect(),
            own: own.into_iter().map(bit).collect(),
            locals: layout.locals,
            exclusive: copies.variable(bit(threads.exclusive), Copy::Current),
        }
    }

    pub fn room(&self) -> Room {
        self.room
    }

    pub fn bdds(&self) -> &'a Bdds {
        self.copies.bdds
    }

    /// The copy of a global at the beginning of a context.
    pub fn at_switch(&self, variable: DataVariable, context: u32) -> Level {
        self.copies.further(variable, context)
    }

    /// The copy of a local, or of an own global, with which a created thread began.
    pub fn at_creation(&self, variable: DataVariable, created: u32) -> Level {
        let index = self.room.contexts + created;
        self.copies.further(variable, index)
    }

    /// The copy of a variable that steps read.
    pub fn current(&self, variable: DataVariable) -> Level {
        self.copies.level(variable, Copy::Current)
    }

    /// A truth value that steps read.
    pub fn term(&self, variable: DataVariable) -> Term {
        let bits = variable..variable + 1;
        self.copies.term(bits, Domain::Boolean, Copy::Current)
    }

    /// Makes the running thread not exclusive.
    pub fn not_exclusive(&self, set: &Bdd) -> BddResult {
        let bdds = self.bdds();
        let set = bdds.exists(set, &self.exclusive)?;
        bdds.difference(&set, &self.exclusive)
    }

    /// Writes the shared globals down as those at the beginning of a context, and forgets them.
    pub fn leave(&self, set: &Bdd, context: u32) -> BddResult {
        let bdds = self.bdds();
        let set = bdds.difference(set, &self.exclusive)?;
        let shared = self.shared.iter();
        let pairs = shared.map(|v| (self.current(*v), self.at_switch(*v, context)));
        self.copies.renaming(pairs)?.apply(bdds, &set)
    }

    /// Writes the own globals down, too: for those that all threads begin with.
    pub fn leave_own(&self, set: &Bdd) -> BddResult {
        let own = self.own.iter();
        let pairs = own.map(|v| (self.current(*v), self.at_switch(*v, 0)));
        self.copies.renaming(pairs)?.apply(self.bdds(), set)
    }

    /// "The shared globals are those at the beginning of a context."
    pub fn arrive(&self, context: u32) -> BddResult {
        let shared = self.shared.iter();
        self.equal(shared.map(|v| (self.current(*v), self.at_switch(*v, context))))
    }

    /// "The own globals are those that were written down before all threads."
    pub fn own_from_start(&self) -> BddResult {
        let own = self.own.iter();
        self.equal(own.map(|v| (self.current(*v), self.at_switch(*v, 0))))
    }

    /// "The own globals, and these locals, are those that a thread was created with."
    pub fn as_created(&self, created: u32, locals: u32) -> BddResult {
        let variables = (0..locals.min(self.locals)).chain(self.own.iter().copied());
        self.equal(variables.map(|v| (self.current(v), self.at_creation(v, created))))
    }

    fn equal(&self, pairs: impl Iterator<Item = (Level, Level)>) -> BddResult {
        let bdds = self.bdds();
        let mut equal = bdds.constant(true);
        for (left, right) in pairs {
            let same = bdds.equivalent(&bdds.variable(left), &bdds.variable(right))?;
            equal = bdds.and(&equal, &same)?;
        }
        Ok(equal)
    }

    /// All variables that steps read, and that entries had, but for the shared globals.
    pub fn all_but_shared(&self) -> BddResult {
        let all = 0..self.copies.data_variables();
        let others = all.clone().filter(|v| !self.shared.contains(v));
        let entry = all.map(|v| self.copies.level(v, Copy::Entry));
        self.copies
            .cube(others.map(|v| self.current(v)).chain(entry))
    }

    /// Some globals, by number, that steps read.
    pub fn cube_of(&self, globals: impl Iterator<Item = u32>) -> BddResult {
        let levels = globals.map(|global| self.current(self.locals + global));
        self.copies.cube(levels)
    }

    /// Whether there is a copy left for the beginning of a context.
    pub fn has_room(&self, context: u32) -> bool {
        context < self.room.contexts
    }

    /// Whether there is a copy left for a created thread.
    pub fn can_create(&self, created: u32) -> bool {
        created < self.room.created
    }
}
