//! `post*` of one thread within one context.
//!
//! As in [`crate::saturation`], an edge leads from a head to the entry that its frame was
//! pushed at, and relates the head's valuations to the entry's key. Frames that were pushed in
//! an earlier context wait in the automaton of that context, which grows no more; only entries
//! of this context get new frames that wait. Which threads have been created is part of the
//! control location, so that heads, entries and summaries are told apart by it.

use super::{Contexts, Created, FrameId, Hit, Target};
use crate::bdd::Bdd;
use crate::program::{Action, PointId};
use crate::rules::Meaning;
use crate::saturation::Edges;
use crate::spds::{EntryId, Head, Right, RuleId};
use crate::watch::Abort;
use rustc_hash::FxHashMap;

/// A frame that waits for the one above it.
pub struct Waiting {
    pub rule: RuleId,
    pub target: Target,
    /// Over the key's next variables, what the frame keeps, and its own edge's key.
    pub total: Bdd,
}

/// The control part of an edge: head, created threads, what it leads to.
pub type Place = (Head, Created, Target);

pub struct Saturation<'c, 'a> {
    contexts: &'c mut Contexts<'a>,
    node: u32,
    /// How many more threads may be created that are yet to run.
    most_created: u32,
    edges: Edges<'a, (Created, Target)>,
    /// How frames of an entry are popped, for each list of created threads.
    summaries: FxHashMap<FrameId, Vec<(Created, Bdd)>>,
    /// The frames of this context's entries that wait.
    waiting_of: FxHashMap<(RuleId, FrameId, Target), usize>,
    pub hits: Vec<Hit>,
}

impl<'c, 'a> Saturation<'c, 'a> {
    pub fn new(contexts: &'c mut Contexts<'a>, node: u32, most_created: u32) -> Self {
        Saturation {
            node,
            most_created,
            edges: Edges::new(&contexts.spds.ranks),
            contexts,
            summaries: FxHashMap::default(),
            waiting_of: FxHashMap::default(),
            hits: Vec::new(),
        }
    }

    /// Everything reachable, edge by edge.
    pub fn run(&mut self) -> Result<(), Abort> {
        let (bdds, watch) = (self.contexts.bdds, self.contexts.watch);
        while let Some((at, new)) = self.edges.take_next(bdds, watch)? {
            let edge = self.edges.get(at);
            let (created, target) = edge.target;
            self.look_at((edge.head, created, target), &new)?;
        }
        Ok(())
    }

    /// The edges there are now, in the order in which they were found.
    pub fn edges(&self) -> Vec<(Place, Bdd)> {
        let edges = self.edges.as_slice().iter();
        let edges = edges.map(|edge| {
            let (created, target) = edge.target;
            ((edge.head, created, target), edge.total.clone())
        });
        edges.collect()
    }

    fn look_at(&mut self, (head, created, target): Place, new: &Bdd) -> Result<(), Abort> {
        let (spds, bdds) = (self.contexts.spds, self.contexts.bdds);
        let error = self.contexts.rules.error;
        for id in spds.rules_from(head) {
            let rule = spds.rule(id);
            let after = spds.transfer(rule).image(bdds, new)?;
            if bdds.is_false(&after) {
                continue;
            }
            match rule.right {
                Right::Step(to) if Some(to) == error => {
                    let point = PointId(head.0);
                    if self.contexts.failing.contains(&point) {
                        let set = bdds.and(new, &spds.transfer(rule).relation)?;
                        self.hit(point, true, created, set);
                    }
                }
                Right::Step(to) => {
                    self.add((to, created, target), &after)?;
                    self.create(id, (head, created, target), to, new)?;
                }
                Right::Push { entry, .. } => self.push(id, entry, created, target, after)?,
                Right::Pop { .. } => match target {
                    None => self.end(created, &after)?,
                    Some(frame) => self.pop(frame, created, &after)?,
                },
            }
        }
        Ok(())
    }

    /// Besides the step by which a created thread is forgotten, since it never runs, the one by
    /// which it is kept.
    fn create(
        &mut self,
        id: RuleId,
        (head, created, target): Place,
        to: Head,
        new: &Bdd,
    ) -> Result<(), Abort> {
        let Meaning::Symbol(point) = self.contexts.rules.meaning(head) else {
            return Ok(());
        };
        let point = PointId(point);
        let program = self.contexts.program;
        let Action::StartThread { thread, .. } = &program.point(point).action else {
            return Ok(());
        };
        let count = self.contexts.created_count(created);
        if count >= self.most_created {
            return Ok(());
        }
        if !self.contexts.history.can_create(count) {
            return Err(Abort::OverBudget);
        }
        let begins = self.contexts.begins_as(point, thread, count)?;
        let bdds = self.contexts.bdds;
        let spds = self.contexts.spds;
        let kept = bdds.and(new, &begins)?;
        let after = spds.transfer(spds.rule(id)).image(bdds, &kept)?;
        let list = self.contexts.create(created, point);
        self.add((to, list, target), &after)
    }

    fn hit(&mut self, point: PointId, fails: bool, created: Created, set: Bdd) {
        self.hits.push(Hit {
            node: self.node,
            point,
            fails,
            created,
            set,
        });
    }

    /// Adds to an edge.
    pub fn add(&mut self, place: Place, set: &Bdd) -> Result<(), Abort> {
        let bdds = self.contexts.bdds;
        let (head, created, target) = place;
        let point = PointId(head.0);
        let is_looked_for =
            head.0 < self.contexts.rules.symbols && self.contexts.reaching.contains(&point);
        if is_looked_for
            && !bdds.is_false(set)
            && self.edges.find(head, (created, target)).is_none()
        {
            self.hit(point, false, created, set.clone());
        }
        self.edges.add(bdds, head, (created, target), set)?;
        Ok(())
    }

    fn push(
        &mut self,
        id: RuleId,
        entry: EntryId,
        created: Created,
        target: Target,
        after: Bdd,
    ) -> Result<(), Abort> {
        let (spds, bdds) = (self.contexts.spds, self.contexts.bdds);
        let frame = self.contexts.frame(self.node, entry, created);
        let waiting = &mut self.contexts.frames[frame.0 as usize].waiting;
        let new = match self.waiting_of.get(&(id, frame, target)) {
            None => {
                self.waiting_of.insert((id, frame, target), waiting.len());
                waiting.push(Waiting {
                    rule: id,
                    target,
                    total: after.clone(),
                });
                after
            }
            Some(at) => match bdds.grow(&mut waiting[*at].total, &after)? {
                Some(new) => new,
                None => return Ok(()),
            },
        };
        let key = bdds.exists(&new, &spds.all_current_and_entry)?;
        let entered = spds.interface(entry).enter.apply(bdds, &key)?;
        self.add((spds.entry(entry).head, created, Some(frame)), &entered)?;
        let summaries = self.summaries.get(&frame).cloned().unwrap_or_default();
        for (left, summary) in summaries {
            self.resume(id, left, target, &summary, &new)?;
        }
        Ok(())
    }

    fn resume(
        &mut self,
        id: RuleId,
        created: Created,
        target: Target,
        summary: &Bdd,
        waiting: &Bdd,
    ) -> Result<(), Abort> {
        let spds = self.contexts.spds;
        if let Right::Push { saved, resume, .. } = spds.rule(id).right {
            let resumed = spds.resumed(self.contexts.bdds, resume, summary, waiting)?;
            self.add((saved, created, target), &resumed)?;
        }
        Ok(())
    }

    fn pop(&mut self, frame: FrameId, created: Created, after: &Bdd) -> Result<(), Abort> {
        let (spds, bdds) = (self.contexts.spds, self.contexts.bdds);
        let entry = self.contexts.frames[frame.0 as usize].entry;
        let popped = spds.interface(entry).leave.apply(bdds, after)?;
        let summaries = self.summaries.entry(frame).or_default();
        let new = match summaries.iter_mut().find(|(left, _)| *left == created) {
            None => {
                summaries.push((created, popped.clone()));
                popped
            }
            Some((_, total)) => match bdds.grow(total, &popped)? {
                Some(new) => new,
                None => return Ok(()),
            },
        };
        for i in 0..self.contexts.frames[frame.0 as usize].waiting.len() {
            let waiting = &self.contexts.frames[frame.0 as usize].waiting[i];
            let (rule, target, total) = (waiting.rule, waiting.target, waiting.total.clone());
            self.resume(rule, created, target, &new, &total)?;
        }
        Ok(())
    }

    /// The lowest frame was popped: the thread has ended, and is not exclusive any more.
    fn end(&mut self, created: Created, after: &Bdd) -> Result<(), Abort> {
        let (spds, bdds) = (self.contexts.spds, self.contexts.bdds);
        let Some(bottom) = spds.bottom else {
            return Ok(());
        };
        let left = bdds.exists(after, &spds.bottom_forget)?;
        let left = self.contexts.history.not_exclusive(&left)?;
        self.add((bottom, created, None), &left)
    }
}
