//! Shortest paths through heads, by rings.
//!
//! Ring `k` holds the heads that are first reached after `k` steps, where a call that
//! returns is one step, and so is one that does not. Once a ring meets the goal, the rings
//! are cut down backwards to what lies on a shortest path, and the path is picked forwards:
//! at each step the first rule and then the smallest values. So the result is determined.
//!
//! A path may have to *accept*: in a product, to visit an accepting state before its end,
//! itself or inside a call that returns. Then heads are told apart by whether that has
//! happened.
//!
//! Where that takes too many rings, the rounds of loops are folded ([`super::rounds`]).
//!
//! Cost: one image and one pre-image for each rule and ring that the path could use.

use super::nesting::KnownNestings;
use super::rings::TooManyRings;
use super::rounds::{Folding, Jumps, KnownWays, Sample};
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::bits;
use crate::cycles::Sets;
use crate::relations::Components;
use crate::saturation::Summary;
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, RuleId, Spds};
use crate::watch::{Abort, Stop, Watch};
use rustc_hash::FxHashMap;
use std::cell::{Cell, OnceCell, RefCell};

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
    pub(super) fn is_folded(&self) -> bool {
        let mut moves = self.moves.iter();
        moves.any(|step| matches!(step.by, By::Rounds(_)))
    }
}

/// One step of a path, internal rules included, or many rounds of a loop.
#[derive(Debug)]
pub struct Move {
    pub by: By,
    /// Where it leads.
    pub head: Head,
    pub values: Values,
}

/// How a path goes on.
#[derive(Debug)]
pub enum By {
    Rule(RuleId),
    /// By a push that was popped again.
    Call(RuleId, CallUse),
    /// By going round a loop any number of times, along one of its ways: only until these
    /// rounds have been counted.
    Way(usize),
    /// By going round a loop many times. The first sample is the first round, and the last
    /// sample the last.
    Rounds(Vec<Sample>),
}

impl Move {
    /// The member of a summary that it uses, if it does.
    pub fn call(&self) -> Option<&CallUse> {
        match &self.by {
            By::Call(_, call) => Some(call),
            By::Rule(_) | By::Way(_) | By::Rounds(_) => None,
        }
    }

    /// The rule that it begins with; `None` where rounds are folded.
    pub fn rule(&self) -> Option<RuleId> {
        match self.by {
            By::Rule(rule) | By::Call(rule, _) => Some(rule),
            By::Way(_) | By::Rounds(_) => None,
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
    pub fn handed(&self, spds: &Spds) -> (Vec<u64>, Values) {
        let mut variables = vec![0; bits::words(self.key.len())];
        let mut values = vec![false; self.key.len()];
        let handed = &spds.interface(self.entry).handed;
        for (variable, value) in handed.iter().zip(&self.handed) {
            bits::insert(&mut variables, *variable);
            values[*variable as usize] = *value;
        }
        (variables, values.into())
    }
}

pub struct Query<'q> {
    pub head: Head,
    /// Over current variables.
    pub set: Bdd,
    /// Only summaries with smaller stamps are used.
    pub before_stamp: u64,
    /// Whether the path may push frames that are not popped.
    pub may_enter: bool,
    /// The path stays in these sets.
    pub within: Option<&'q Sets>,
    /// The path must accept before it reaches the goal.
    pub accepting: bool,
    /// The path has at least one step.
    pub moves_on: bool,
    /// The path must make this call.
    pub through: Option<&'q Through>,
    /// The path may go round loops any number of times in one step.
    pub jumps: Option<&'q Jumps<'q>>,
    pub goal: &'q Goal<'q>,
}

/// A call that returns.
pub struct Through {
    pub push: RuleId,
    pub call: CallUse,
    /// The call as a summary with one member.
    pub member: Bdd,
}

impl Query<'_> {
    /// Whether something must have happened on the path: it must have accepted, or made a
    /// call.
    pub(super) fn demands(&self) -> bool {
        self.accepting || self.through.is_some()
    }
}

/// Which valuations of a head are a goal, if any.
pub type Goal<'q> = dyn Fn(Head) -> Result<Option<Bdd>, Stop> + 'q;

/// A head, and whether the path to it has accepted, or made the call it must make.
pub(super) type Node = (Head, bool);
pub(super) type NodeSets = FxHashMap<Node, Bdd>;

pub struct Search<'a> {
    pub spds: &'a Spds,
    pub bdds: &'a Bdds,
    pub copies: &'a Copies<'a>,
    pub(super) watch: &'a Watch,
    pub(super) summaries: &'a [Summary],
    /// Paths with more steps than this are not looked for.
    pub(super) most_steps: usize,
    /// For each entry, the unions of its first increments.
    unions: RefCell<Vec<Vec<Bdd>>>,
    /// Whether and when rounds are folded.
    pub(super) folding: Option<Folding>,
    /// Variables that nested calls are told apart by.
    pub(super) flags: Vec<u64>,
    /// The loops inside frames, once asked for.
    pub(super) loops: OnceCell<Components>,
    /// Those through pushes.
    pub(super) recursions: OnceCell<Components>,
    /// The entry with each head.
    pub(super) entries: OnceCell<FxHashMap<Head, EntryId>>,
    /// Those found so far.
    pub(super) ways: RefCell<KnownWays>,
    pub(super) nestings: RefCell<KnownNestings>,
    /// The last place that was given to a nested call.
    pub(super) place: Cell<u32>,
}

/// How a search by rings ended.
pub(super) enum Found {
    Path(Path),
    Nothing,
    /// There are more rings than were allowed.
    TooFar,
}

impl<'a> Search<'a> {
    /// `summaries` must be complete: those of a finished `post*`.
    pub fn new(
        spds: &'a Spds,
        copies: &'a Copies<'a>,
        watch: &'a Watch,
        summaries: &'a [Summary],
    ) -> Self {
        Search {
            spds,
            bdds: copies.bdds,
            copies,
            watch,
            summaries,
            most_steps: usize::MAX,
            unions: RefCell::new(vec![Vec::new(); summaries.len()]),
            folding: None,
            flags: Vec::new(),
            loops: OnceCell::new(),
            recursions: OnceCell::new(),
            entries: OnceCell::new(),
            ways: RefCell::default(),
            nestings: RefCell::default(),
            place: Cell::default(),
        }
    }

    /// Lets longer paths not be looked for.
    pub fn up_to(self, most_steps: usize) -> Self {
        Search { most_steps, ..self }
    }

    pub(super) fn is_limited(&self) -> bool {
        self.most_steps < usize::MAX
    }

    /// Lets calls where one of these variables changes be shown, however deep they are nested.
    pub fn noting(self, flags: Vec<u64>) -> Self {
        Search { flags, ..self }
    }

    /// Lets the rounds of loops be folded where a path is too long.
    pub fn folding(self, folding: Option<Folding>) -> Self {
        Search { folding, ..self }
    }

    /// The query for any path from the start.
    pub fn from_start<'q>(&self, goal: &'q Goal<'q>) -> Query<'q> {
        Query {
            head: self.spds.start,
            set: self.spds.start_set.clone(),
            before_stamp: u64::MAX,
            may_enter: true,
            within: None,
            accepting: false,
            moves_on: false,
            through: None,
            jumps: None,
            goal,
        }
    }

    /// A shortest path from the query's set to its goal, and the goal's head last; `None`
    /// if there is none. A path on which rounds are folded need not be a shortest.
    pub fn shortest(&self, query: &Query<'_>) -> Result<Option<Path>, Stop> {
        if let Some(folding) = self.folding {
            match self.search(query, folding.rings)? {
                Found::Path(path) => return Ok(Some(path)),
                Found::Nothing => return Ok(None),
                Found::TooFar => {}
            }
            match self.with_folded_rounds(query, &[]) {
                // Real steps are better, as long as they can be shown.
                Ok(Some(path)) if path.is_folded() && self.steps(&path) < folding.steps => {}
                Ok(found) => return Ok(found),
                Err(Abort::OverBudget) => {}
                Err(Abort::Stop(stop)) => return Err(stop),
            }
        }
        match self.search(query, usize::MAX)? {
            Found::Path(path) => Ok(Some(path)),
            Found::Nothing | Found::TooFar => Ok(None),
        }
    }

    /// The same, by so many rings at most.
    pub(super) fn search(&self, query: &Query<'_>, most: usize) -> Result<Found, Stop> {
        match self.rings(query, most)? {
            Ok(Some((rings, last))) => {
                let on_path = self.cut_back(query, &rings, last)?;
                self.pick(query, &on_path).map(Found::Path)
            }
            Ok(None) => Ok(Found::Nothing),
            Err(TooManyRings) => Ok(Found::TooFar),
        }
    }

    /// The union of an entry's summaries with smaller stamps.
    pub(super) fn summary_before(&self, entry: EntryId, stamp: u64) -> Result<Option<Bdd>, Stop> {
        let increments = &self.summaries[entry.0 as usize].increments;
        let count = increments.partition_point(|increment| increment.stamp < stamp);
        if count == 0 {
            return Ok(None);
        }
        if count == increments.len() {
            return Ok(self.summaries[entry.0 as usize].total().cloned());
        }
        let unions = &mut self.unions.borrow_mut()[entry.0 as usize];
        while unions.len() < count {
            let next = &increments[unions.len()].set;
            let union = match unions.last() {
                None => next.clone(),
                Some(before) => self.bdds.or(before, next)?,
            };
            unions.push(union);
        }
        Ok(Some(unions[count - 1].clone()))
    }

    /// A set of valuations at a node, divided by whether the path has accepted once it
    /// leaves the node.
    pub(super) fn divide(
        &self,
        query: &Query<'_>,
        node: Node,
        set: &Bdd,
    ) -> Result<[Bdd; 2], Stop> {
        let falsity = || self.bdds.constant(false);
        if !query.accepting || node.1 {
            let whole = set.clone();
            return Ok(match node.1 {
                true => [falsity(), whole],
                false => [whole, falsity()],
            });
        }
        match &self.spds.accepting {
            // Without an automaton every head counts as accepting.
            None => Ok([falsity(), set.clone()]),
            Some(accepting) => Ok([
                self.bdds.difference(set, accepting)?,
                self.bdds.and(set, accepting)?,
            ]),
        }
    }

    /// The part of a summary in which the called frame has accepted, or has not.
    pub(super) fn summary_part(
        &self,
        query: &Query<'_>,
        summary: &Bdd,
        accepted: bool,
    ) -> Result<Bdd, Stop> {
        let Some((_, returned)) = self.spds.memory.filter(|_| query.accepting) else {
            return Ok(match accepted {
                true => self.bdds.constant(false),
                false => summary.clone(),
            });
        };
        let memory = self.copies.variable(returned, Copy::Current);
        Ok(match accepted {
            true => self.bdds.and(summary, &memory)?,
            false => self.bdds.difference(summary, &memory)?,
        })
    }

    /// The smallest of some members of a summary increment, which may be related to what the
    /// caller keeps, and the values after its return.
    pub(super) fn smallest_use(
        &self,
        entry: EntryId,
        stamp: u64,
        uses: &Bdd,
    ) -> Result<(CallUse, Values), Stop> {
        let interface = self.spds.interface(entry);
        let key = self.smallest(uses, Copy::Next)?;
        // Of this key: there may be others, with other values handed over.
        let uses = self.bdds.and(uses, &self.key(entry, &key)?)?;
        // The current copies are what the caller kept and what was handed over.
        let values = self.smallest(&uses, Copy::Current)?;
        let handed = interface.handed.iter().map(|v| values[*v as usize]);
        let call = CallUse {
            entry,
            stamp,
            place: 0,
            key,
            handed: handed.collect(),
        };
        Ok((call, values))
    }

    /// A member of a summary as a set.
    pub(super) fn member(&self, call: &CallUse) -> BddResult {
        let handed = self.spds.interface(call.entry).handed.iter();
        let handed = handed.map(|v| self.copies.level(*v, Copy::Current));
        let handed = self.bdds.minterm(handed.zip(call.handed.iter().copied()))?;
        self.bdds.and(&handed, &self.key(call.entry, &call.key)?)
    }

    fn key(&self, entry: EntryId, key: &[bool]) -> BddResult {
        self.bdds
            .minterm(self.spds.interface(entry).key.iter().map(|v| {
                let level = self.copies.level(*v, Copy::Next);
                (level, key[*v as usize])
            }))
    }

    /// One copy's values in the smallest member of a set that is not empty.
    pub fn smallest(&self, set: &Bdd, copy: Copy) -> Result<Values, Stop> {
        if self.copies.is_weighed() {
            return Ok(self.copies.smallest(set, copy)?);
        }
        let member = self.bdds.smallest(set).unwrap_or_default();
        Ok((0..self.copies.data_variables())
            .map(|variable| {
                member.get(self.copies.level(variable, copy) as usize) == Some(&Some(true))
            })
            .collect())
    }

    /// The valuations in which these variables have these values.
    pub fn minterm(
        &self,
        values: &[bool],
        variables: impl Iterator<Item = DataVariable>,
    ) -> BddResult {
        self.bdds.minterm(variables.map(|variable| {
            let value = values[variable as usize];
            (self.copies.level(variable, Copy::Current), value)
        }))
    }
}
