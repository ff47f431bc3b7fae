//! `post*` (Moped, Algorithm 2): everything reachable from the start, or from any regular
//! set of configurations.
//!
//! The P-automaton's states are the control location, those of the given stacks (for the
//! start: one, below the lowest frame), and one state for each entry. An edge leads from a
//! head to one of the latter two; its BDD relates the current valuation of the head to the
//! key of the entry it belongs to: these are Bebop's path edges. A pop turns an edge into a
//! *summary* of its entry, which is joined with everything that waits for that entry; or the
//! frames of the given stack come back to life.
//!
//! The edge with the smallest rank is looked at next, so that callees are finished before
//! callers go on. Every edge and summary is looked at once for each increment.
//!
//! Summaries keep their increments with a stamp. An increment depends only on summaries
//! with smaller stamps: that is what makes the unfolding of a summary into an execution end.
//! Where deep recursion was closed it depends on them through any number of frames, and says
//! through which.

use super::edges::{Edge, Edges};
use super::shortcuts::{EdgeView, Link, LoopShortcuts, RecursionShortcuts};
use super::stacks::{StackState, Stacks};
use crate::bdd::{Bdd, Bdds};
use crate::index::IndexVec;
use crate::spds::{EntryId, Head, InterfaceId, Right, RuleId, Spds};
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;

/// What an edge leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The frame was there from the beginning; this is below it.
    Stack(StackState),
    /// The frame was pushed.
    Entry(EntryId),
}

/// What a push left waiting for its entry.
struct Waiting {
    rule: RuleId,
    target: Target,
    /// Over the key's next variables, what the frame keeps, and its own edge's key.
    total: Bdd,
}

/// What was found at once about how frames of one entry are popped.
pub struct Increment {
    pub stamp: u64,
    /// Over the key's next and the handed current variables.
    pub set: Bdd,
    /// If it follows from older summaries of the entry by closing a recursion: through which
    /// frames.
    pub links: Option<Box<[Link]>>,
}

/// Everything known about how frames of one entry are popped.
#[derive(Default)]
pub struct Summary {
    /// In the order found.
    pub increments: Vec<Increment>,
    total: Option<Bdd>,
    waiting: Vec<u32>,
}

/// For each entry, how its frames are popped.
pub type EntrySummaries = IndexVec<EntryId, Summary>;

impl Summary {
    /// The union of all increments; `None` if no frame of this entry was ever popped.
    pub fn total(&self) -> Option<&Bdd> {
        self.total.as_ref()
    }
}

pub struct PostStar<'a> {
    spds: &'a Spds,
    bdds: &'a Bdds,
    watch: &'a Watch,
    edges: Edges<'a, Target>,
    waiting: Vec<Waiting>,
    waiting_of: FxHashMap<(RuleId, Target), u32>,
    summaries: EntrySummaries,
    stamp: u64,
    stacks: Stacks,
    loops: Option<Box<dyn LoopShortcuts + 'a>>,
    recursion: Option<Box<dyn RecursionShortcuts + 'a>>,
    /// Whether a recursion was closed.
    is_deep: bool,
    /// Whether the lowest frame was popped.
    terminated: bool,
    /// Valuations that are looked for at any head, and whether they were met.
    wanted: Option<Bdd>,
    met: bool,
}

impl<'a> PostStar<'a> {
    /// The automaton of the start configurations.
    pub fn new(spds: &'a Spds, bdds: &'a Bdds, watch: &'a Watch) -> Result<Self, Stop> {
        let start = (spds.start, spds.start_set.clone(), StackState(0));
        Self::from_configurations(spds, bdds, watch, Stacks::lowest(), [start])
    }

    /// The automaton of configurations with these heads, valuations, and stacks below.
    pub fn from_configurations(
        spds: &'a Spds,
        bdds: &'a Bdds,
        watch: &'a Watch,
        stacks: Stacks,
        heads: impl IntoIterator<Item = (Head, Bdd, StackState)>,
    ) -> Result<Self, Stop> {
        let mut post_star = PostStar {
            spds,
            bdds,
            watch,
            edges: Edges::new(&spds.ranks),
            waiting: Vec::new(),
            waiting_of: FxHashMap::default(),
            summaries: spds.entries.iter().map(|_| Summary::default()).collect(),
            stamp: 0,
            stacks,
            loops: None,
            recursion: None,
            is_deep: false,
            terminated: false,
            wanted: None,
            met: false,
        };
        for (head, set, below) in heads {
            post_star.add(head, Target::Stack(below), &set)?;
        }
        Ok(post_star)
    }

    /// Lets deep loops be closed in few rounds.
    pub fn shorten_loops(&mut self, loops: impl LoopShortcuts + 'a) {
        self.loops = Some(Box::new(loops));
    }

    /// Lets deep recursion be closed in few rounds.
    pub fn shorten_recursion(&mut self, recursion: impl RecursionShortcuts + 'a) {
        self.recursion = Some(Box::new(recursion));
    }

    /// Saturates until one of these valuations is met at any head; true if one is.
    pub fn run_until(&mut self, wanted: Bdd) -> Result<bool, Stop> {
        for edge in self.edges.as_slice() {
            self.met |= !self.bdds.is_false(&self.bdds.and(&edge.total, &wanted)?);
        }
        self.wanted = Some(wanted);
        self.run(|_| false)?;
        Ok(self.met)
    }

    /// Saturates; stops early once `enough` says so of a head that was reached.
    pub fn run(&mut self, enough: impl FnMut(Head) -> bool) -> Result<(), Stop> {
        self.run_rounds(u64::MAX, enough)
    }

    /// Saturates for at most so many rounds; stops early once `enough` says so of a head that
    /// was reached.
    pub fn run_rounds(
        &mut self,
        most: u64,
        mut enough: impl FnMut(Head) -> bool,
    ) -> Result<(), Stop> {
        let mut seen = 0;
        let end = self.rounds().saturating_add(most);
        while self.rounds() < end {
            let edges = self.edges.as_slice();
            if edges[seen..].iter().any(|new| enough(new.head)) || self.met {
                return Ok(());
            }
            seen = edges.len();
            match self.edges.take_next(self.bdds, self.watch)? {
                Some((edge, new)) => self.look_at(edge, new)?,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    pub fn is_reached(&self, head: Head) -> bool {
        self.edges.has_edge(head)
    }

    /// Every head that was reached, in rising order.
    pub fn reached_heads(&self) -> Vec<Head> {
        let mut heads: Vec<_> = (self.edges.as_slice().iter())
            .map(|edge| edge.head)
            .collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// The valuations in which a head was reached. `entry` is the cube of all entry copies.
    pub fn reached_set(&self, head: Head, entry: &Bdd) -> Result<Bdd, Stop> {
        let mut set = self.bdds.constant(false);
        for edge in self.edges.of(head) {
            set = self.bdds.or(&set, &self.bdds.exists(&edge.total, entry)?)?;
        }
        Ok(set)
    }

    /// The edges: heads, what they lead to, and their valuations, over current variables and
    /// the key of the entry (rigid ones current, others in entry copies).
    pub fn edges(&self) -> impl Iterator<Item = (Head, Target, &Bdd)> {
        let edges = self.edges.as_slice().iter();
        edges.map(|edge| (edge.head, edge.target, &edge.total))
    }

    /// The edges from entries: the push that left a frame waiting, what that frame leads
    /// to, and its valuations, over the entry's key in next variables, the current
    /// variables that the frame keeps, and the key of what it leads to.
    pub fn waiting(&self) -> impl Iterator<Item = (RuleId, Target, &Bdd)> {
        let waiting = self.waiting.iter();
        waiting.map(|waiting| (waiting.rule, waiting.target, &waiting.total))
    }

    /// How many edges were looked at, again and again.
    pub fn rounds(&self) -> u64 {
        self.edges.rounds()
    }

    /// Whether a recursion was closed. Then there may be no traces but very long ones.
    pub fn is_deep(&self) -> bool {
        self.is_deep
    }

    pub fn spds(&self) -> &'a Spds {
        self.spds
    }

    pub fn watch(&self) -> &'a Watch {
        self.watch
    }

    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    pub fn summaries(&self) -> &EntrySummaries {
        &self.summaries
    }

    pub fn edge_count(&self) -> usize {
        self.edges.as_slice().len()
    }

    pub fn terminates_somehow(&self) -> bool {
        self.terminated
    }

    fn look_at(&mut self, edge: u32, mut new: Bdd) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let &Edge { head, target, .. } = self.edges.get(edge);
        if let Some(further) = self.close_loop(edge, &new)? {
            new = bdds.or(&new, &further)?;
        }
        if let Some(further) = self.close_keys(edge, &new)? {
            new = bdds.or(&new, &further)?;
        }
        for id in spds.rules_from(head) {
            let rule = spds.rule(id);
            let after = spds.transfer(rule).image(bdds, &new)?;
            if bdds.is_false(&after) {
                continue;
            }
            match rule.right {
                Right::Step(to) => self.add(to, target, &after)?,
                Right::Push { entry, .. } => self.push(id, entry, target, after)?,
                Right::Pop { interface } => match target {
                    Target::Stack(below) => self.uncover(interface, below, &after)?,
                    Target::Entry(entry) => self.pop(entry, &after)?,
                },
            }
        }
        Ok(())
    }

    /// Adds to an edge all that the loop at its head leads to from `new`.
    fn close_loop(&mut self, at: u32, new: &Bdd) -> Result<Option<Bdd>, Stop> {
        let Some(loops) = &mut self.loops else {
            return Ok(None);
        };
        let edge = edge_view(self.edges.get(at), new);
        let further = loops.around(edge, &self.summaries, self.stamp)?;
        self.widen(at, further)
    }

    /// Adds to the edge of an entry all frames of the same entry that are pushed on it.
    fn close_keys(&mut self, at: u32, new: &Bdd) -> Result<Option<Bdd>, Stop> {
        let edge = self.edges.get(at);
        let (Some(recursion), Target::Entry(entry)) = (&mut self.recursion, edge.target) else {
            return Ok(None);
        };
        if edge.head != self.spds.entry(entry).head {
            return Ok(None);
        }
        let further = recursion.enter(entry, edge_view(edge, new), &self.summaries)?;
        self.is_deep |= further.is_some();
        self.widen(at, further)
    }

    /// Adds to an edge that is being looked at.
    fn widen(&mut self, edge: u32, further: Option<Bdd>) -> Result<Option<Bdd>, Stop> {
        if let Some(further) = &further {
            self.edges.widen(self.bdds, edge, further)?;
            self.meet(further)?;
        }
        Ok(further)
    }

    /// The last frame above a given stack was popped.
    fn uncover(
        &mut self,
        interface: InterfaceId,
        below: StackState,
        after: &Bdd,
    ) -> Result<(), Stop> {
        if self.stacks.is_accepting(below) {
            self.stop(below, after)?;
        }
        if self.stacks.edges(below).is_empty() {
            return Ok(());
        }
        let (spds, bdds) = (self.spds, self.bdds);
        let not_handed = &spds.interface_of(interface).not_handed;
        let handed = bdds.exists(after, not_handed)?;
        for i in 0..self.stacks.edges(below).len() {
            let edge = &self.stacks.edges(below)[i];
            let resumed = bdds.and_exists(&handed, &edge.frame, &edge.forget)?;
            let (saved, to) = (edge.saved, edge.to);
            self.add(saved, Target::Stack(to), &resumed)?;
        }
        Ok(())
    }

    /// The lowest frame was popped.
    fn stop(&mut self, below: StackState, after: &Bdd) -> Result<(), Stop> {
        self.terminated = true;
        match self.spds.bottom {
            None => Ok(()),
            Some(bottom) => {
                let left = self.bdds.exists(after, &self.spds.bottom_forget)?;
                self.add(bottom, Target::Stack(below), &left)
            }
        }
    }

    /// Adds to the edge from `head` to `target`.
    fn add(&mut self, head: Head, target: Target, set: &Bdd) -> Result<(), Stop> {
        self.meet(set)?;
        self.edges.add(self.bdds, head, target, set)
    }

    /// Notes whether valuations that are looked for are among these.
    fn meet(&mut self, set: &Bdd) -> Result<(), Stop> {
        if let Some(wanted) = &self.wanted
            && !self.bdds.is_false(set)
        {
            self.met |= !self.bdds.is_false(&self.bdds.and(set, wanted)?);
        }
        Ok(())
    }

    fn push(&mut self, id: RuleId, entry: EntryId, target: Target, after: Bdd) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let new = match self.waiting_of.get(&(id, target)) {
            None => {
                let at = self.waiting.len() as u32;
                self.waiting.push(Waiting {
                    rule: id,
                    target,
                    total: after.clone(),
                });
                self.waiting_of.insert((id, target), at);
                self.summaries[entry].waiting.push(at);
                after
            }
            Some(at) => {
                let total = &mut self.waiting[*at as usize].total;
                match bdds.grow(total, &after)? {
                    Some(new) => new,
                    None => return Ok(()),
                }
            }
        };
        let key = bdds.exists(&new, &spds.all_current_and_entry)?;
        let entered = spds.interface(entry).enter.apply(bdds, &key)?;
        let entry_head = spds.entry(entry).head;
        self.add(entry_head, Target::Entry(entry), &entered)?;
        if let Some(summary) = self.summaries[entry].total.clone() {
            self.resume(id, target, &summary, &new)?;
        }
        Ok(())
    }

    fn resume(
        &mut self,
        id: RuleId,
        target: Target,
        summary: &Bdd,
        waiting: &Bdd,
    ) -> Result<(), Stop> {
        if let Right::Push { saved, resume, .. } = self.spds.rule(id).right {
            let resumed = self.spds.resumed(self.bdds, resume, summary, waiting)?;
            self.add(saved, target, &resumed)?;
        }
        Ok(())
    }

    fn pop(&mut self, entry: EntryId, after: &Bdd) -> Result<(), Stop> {
        let bdds = self.bdds;
        let popped = self.spds.interface(entry).leave.apply(bdds, after)?;
        let summary = &self.summaries[entry];
        let new = match &summary.total {
            None => popped,
            Some(total) => bdds.difference(&popped, total)?,
        };
        if bdds.is_false(&new) {
            return Ok(());
        }
        self.summarise(entry, new, None)?;
        if let Some(further) = self.close_summaries(entry)? {
            self.is_deep = true;
            let links = links(self.spds, &self.waiting).into();
            self.summarise(entry, further, Some(links))?;
        }
        Ok(())
    }

    /// What follows from the summaries of an entry through frames that wait for their like.
    fn close_summaries(&mut self, entry: EntryId) -> Result<Option<Bdd>, Stop> {
        let Some(recursion) = &mut self.recursion else {
            return Ok(None);
        };
        let links = || links(self.spds, &self.waiting);
        recursion.leave(entry, &self.summaries, &links)
    }

    /// Adds new summaries, and lets go on what waits for them.
    fn summarise(
        &mut self,
        entry: EntryId,
        new: Bdd,
        links: Option<Box<[Link]>>,
    ) -> Result<(), Stop> {
        let bdds = self.bdds;
        let summary = &mut self.summaries[entry];
        summary.total = Some(match &summary.total {
            None => new.clone(),
            Some(total) => bdds.or(total, &new)?,
        });
        self.stamp += 1;
        summary.increments.push(Increment {
            stamp: self.stamp,
            set: new.clone(),
            links,
        });
        for i in 0..summary.waiting.len() {
            let at = self.summaries[entry].waiting[i] as usize;
            let Waiting { rule, target, .. } = self.waiting[at];
            let waiting = self.waiting[at].total.clone();
            self.resume(rule, target, &new, &waiting)?;
        }
        Ok(())
    }
}

/// An edge as shortcuts see it.
fn edge_view<'e>(edge: &'e Edge<Target>, new: &'e Bdd) -> EdgeView<'e> {
    EdgeView {
        head: edge.head,
        rounds: edge.rounds,
        total: &edge.total,
        new,
    }
}

/// The frames that wait for others, in which they were pushed.
fn links(spds: &Spds, waiting: &[Waiting]) -> Vec<Link> {
    let links = waiting.iter().filter_map(|waiting| {
        let (Right::Push { entry: upper, .. }, Target::Entry(lower)) =
            (spds.rule(waiting.rule).right, waiting.target)
        else {
            return None;
        };
        Some(Link {
            lower,
            upper,
            push: waiting.rule,
            waiting: waiting.total.clone(),
        })
    });
    links.collect()
}
