//! Shortest paths through heads, by rings.
//!
//! Ring `k` holds the heads that are first reached after `k` steps, where a call that
//! returns is one step, and so is one that does not. Once a ring meets the goal, the rings
//! are cut down backwards to what lies on a shortest path, and the path is picked forwards:
//! at each step the first rule and then the smallest values. So the result is determined.
//!
//! Cost: one image and one pre-image for each rule and ring that the path could use.

use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::bits;
use crate::saturation::{Stop, Summary, Watch};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, Right, Rule, RuleId, Spds};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The current values of all data variables; those that do not matter are 0.
pub type Values = Box<[bool]>;

/// A path: where it begins, and its steps.
#[derive(Debug)]
pub struct Path {
    pub head: Head,
    pub values: Values,
    pub moves: Vec<Move>,
}

/// One step of a path, internal rules included.
#[derive(Debug)]
pub struct Move {
    pub rule: RuleId,
    /// Where it leads.
    pub head: Head,
    pub values: Values,
    /// For a push that was popped again, how.
    pub call: Option<CallUse>,
}

/// One member of a summary: the values a frame was entered with and those it handed over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallUse {
    pub entry: EntryId,
    /// Of the increment it belongs to.
    pub stamp: u64,
    pub key: Values,
    /// In the order of the interface's handed variables.
    pub handed: Values,
}

pub struct Query<'q> {
    pub head: Head,
    /// Over current variables.
    pub set: Bdd,
    /// Only summaries with smaller stamps are used.
    pub before_stamp: u64,
    /// Whether the path may push frames that are not popped.
    pub may_enter: bool,
    pub goal: &'q Goal<'q>,
}

/// Which valuations of a head are a goal, if any.
pub type Goal<'q> = dyn Fn(Head) -> Result<Option<Bdd>, Stop> + 'q;

type Sets = FxHashMap<Head, Bdd>;
type Ring = Vec<(Head, Bdd)>;

pub struct Search<'a> {
    pub spds: &'a Spds,
    pub bdds: &'a Bdds,
    pub copies: &'a Copies<'a>,
    watch: &'a Watch,
    summaries: &'a [Summary],
    /// For each entry, the unions of its first increments.
    unions: RefCell<Vec<Vec<Bdd>>>,
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
            unions: RefCell::new(vec![Vec::new(); summaries.len()]),
        }
    }

    /// A shortest path from the query's set to its goal, and the goal's head last; `None`
    /// if there is none.
    pub fn shortest(&self, query: &Query<'_>) -> Result<Option<Path>, Stop> {
        let Some((rings, last)) = self.rings(query)? else {
            return Ok(None);
        };
        let on_path = self.cut_back(query, &rings, last)?;
        self.pick(query, &on_path).map(Some)
    }

    fn is_internal(&self, head: Head) -> bool {
        let mut rules = self.spds.rules_from(head);
        rules.next().is_some_and(|r| self.spds.rule(r).internal)
    }

    /// The union of an entry's summaries with smaller stamps.
    fn summary_before(&self, entry: EntryId, stamp: u64) -> Result<Option<Bdd>, Stop> {
        let increments = &self.summaries[entry.0 as usize].increments;
        let count = increments.partition_point(|(s, _)| *s < stamp);
        if count == 0 {
            return Ok(None);
        }
        if count == increments.len() {
            return Ok(self.summaries[entry.0 as usize].total().cloned());
        }
        let unions = &mut self.unions.borrow_mut()[entry.0 as usize];
        while unions.len() < count {
            let (_, next) = &increments[unions.len()];
            let union = match unions.last() {
                None => next.clone(),
                Some(before) => self.bdds.or(before, next)?,
            };
            unions.push(union);
        }
        Ok(Some(unions[count - 1].clone()))
    }

    /// The rings up to the first that meets the goal, and what of it does.
    fn rings(&self, query: &Query<'_>) -> Result<Option<(Vec<Ring>, Sets)>, Stop> {
        let mut reached = Sets::default();
        let mut ring = Sets::default();
        self.extend(&mut reached, &mut ring, query.head, &query.set)?;
        let mut rings = Vec::new();
        while !ring.is_empty() {
            self.watch.check()?;
            self.bdds.safe_point();
            let mut sorted: Ring = ring.into_iter().collect();
            sorted.sort_unstable_by_key(|(head, _)| *head);
            let mut hits = Sets::default();
            for (head, set) in &sorted {
                if let Some(goal) = (query.goal)(*head)? {
                    let hit = self.bdds.and(set, &goal)?;
                    if !self.bdds.is_false(&hit) {
                        hits.insert(*head, hit);
                    }
                }
            }
            ring = Sets::default();
            if hits.is_empty() {
                for (head, set) in &sorted {
                    if !self.is_internal(*head) {
                        self.expand(query, *head, set, &mut reached, &mut ring)?;
                    }
                }
                rings.push(sorted);
            } else {
                rings.push(sorted);
                return Ok(Some((rings, hits)));
            }
        }
        Ok(None)
    }

    fn expand(
        &self,
        query: &Query<'_>,
        head: Head,
        set: &Bdd,
        reached: &mut Sets,
        ring: &mut Sets,
    ) -> Result<(), Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        for id in spds.rules_from(head) {
            let rule = spds.rule(id);
            match rule.right {
                Right::Pop { .. } => {}
                Right::Step(to) => {
                    let after = spds.transfer(rule).image(bdds, set)?;
                    self.extend(reached, ring, to, &after)?;
                }
                Right::Push {
                    entry,
                    saved,
                    resume,
                } => {
                    if query.may_enter {
                        let after = spds.pushed(bdds, rule, entry, set)?;
                        self.extend(reached, ring, spds.entry(entry).head, &after)?;
                    }
                    if let Some(summary) = self.summary_before(entry, query.before_stamp)? {
                        let after = spds.returned(bdds, rule, resume, &summary, set)?;
                        self.extend(reached, ring, saved, &after)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what is new to a ring, and follows internal rules at once.
    fn extend(
        &self,
        reached: &mut Sets,
        ring: &mut Sets,
        head: Head,
        set: &Bdd,
    ) -> Result<(), Stop> {
        let bdds = self.bdds;
        let new = match reached.get(&head) {
            None => set.clone(),
            Some(known) => bdds.difference(set, known)?,
        };
        if bdds.is_false(&new) {
            return Ok(());
        }
        for sets in [&mut *reached, &mut *ring] {
            let known = sets.entry(head).or_insert_with(|| bdds.constant(false));
            *known = bdds.or(known, &new)?;
        }
        if self.is_internal(head) {
            for id in self.spds.rules_from(head) {
                let rule = self.spds.rule(id);
                if let Right::Step(to) = rule.right {
                    let after = self.spds.transfer(rule).image(bdds, &new)?;
                    self.extend(reached, ring, to, &after)?;
                }
            }
        }
        Ok(())
    }

    /// For each ring, the part from which the last ring's `hits` are reached in time.
    fn cut_back(
        &self,
        query: &Query<'_>,
        rings: &[Ring],
        hits: Sets,
    ) -> Result<Vec<Sets>, Stop> {
        let mut kept = vec![Sets::default(); rings.len()];
        let mut later = hits;
        for (i, ring) in rings.iter().enumerate().rev() {
            self.watch.check()?;
            self.bdds.safe_point();
            let mut now = Sets::default();
            if i + 1 == rings.len() {
                now = std::mem::take(&mut later);
            } else {
                for (head, set) in ring.iter().filter(|(head, _)| !self.is_internal(*head)) {
                    let before = self.before(query, *head, &later)?;
                    self.keep(&mut now, *head, set, &before)?;
                }
                kept[i + 1] = std::mem::take(&mut later);
            }
            for (head, set) in ring.iter().filter(|(head, _)| self.is_internal(*head)) {
                let before = self.before(query, *head, &now)?;
                self.keep(&mut now, *head, set, &before)?;
            }
            later = now;
        }
        kept[0] = later;
        Ok(kept)
    }

    fn keep(&self, kept: &mut Sets, head: Head, set: &Bdd, before: &Bdd) -> Result<(), Stop> {
        let both = self.bdds.and(set, before)?;
        if !self.bdds.is_false(&both) {
            kept.insert(head, both);
        }
        Ok(())
    }

    /// The valuations of `head` from which one step leads into `later`.
    fn before(&self, query: &Query<'_>, head: Head, later: &Sets) -> Result<Bdd, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let mut before = bdds.constant(false);
        let mut add = |set: BddResult| -> Result<(), Stop> {
            before = bdds.or(&before, &set?)?;
            Ok(())
        };
        for id in spds.rules_from(head) {
            let rule = spds.rule(id);
            match rule.right {
                Right::Pop { .. } => {}
                Right::Step(to) => {
                    if let Some(set) = later.get(&to) {
                        add(spds.transfer(rule).preimage(bdds, set))?;
                    }
                }
                Right::Push { entry, saved, .. } => {
                    if query.may_enter
                        && let Some(set) = later.get(&spds.entry(entry).head)
                    {
                        add(spds.pushing(bdds, rule, entry, set))?;
                    }
                    if let Some(set) = later.get(&saved)
                        && let Some(summary) = self.summary_before(entry, query.before_stamp)?
                    {
                        add(spds.returning(bdds, rule, entry, &summary, set))?;
                    }
                }
            }
        }
        Ok(before)
    }

    /// Walks forwards: first rule, then smallest values.
    fn pick(&self, query: &Query<'_>, kept: &[Sets]) -> Result<Path, Stop> {
        let mut head = query.head;
        let first = self.smallest(&kept[0][&head], Copy::Current);
        let mut moves: Vec<Move> = Vec::with_capacity(kept.len());
        let mut values = first.clone();
        let mut ring = 0;
        loop {
            let internal = self.is_internal(head);
            if !internal {
                ring += 1;
                if ring == kept.len() {
                    break;
                }
            }
            let step = self.pick_move(query, head, &values, &kept[ring])?;
            let step = step.expect("what was kept has a successor that was kept");
            head = step.head;
            values = step.values.clone();
            moves.push(step);
        }
        Ok(Path {
            head: query.head,
            values: first,
            moves,
        })
    }

    fn pick_move(
        &self,
        query: &Query<'_>,
        head: Head,
        values: &Values,
        later: &Sets,
    ) -> Result<Option<Move>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        // Only what matters at the head: a step may set the rest to anything.
        let here = self.minterm(values, bits::members(spds.variables(head)))?;
        let to_set = |to: Head, after: Bdd| -> Result<Option<Bdd>, Stop> {
            let Some(later) = later.get(&to) else {
                return Ok(None);
            };
            let both = bdds.and(&after, later)?;
            Ok((!bdds.is_false(&both)).then_some(both))
        };
        for id in spds.rules_from(head) {
            let rule = spds.rule(id);
            let plain = match rule.right {
                Right::Pop { .. } => continue,
                Right::Step(to) if later.contains_key(&to) => {
                    Some((to, spds.transfer(rule).image(bdds, &here)?))
                }
                Right::Step(_) => continue,
                Right::Push { entry, .. } if query.may_enter => {
                    let to = spds.entry(entry).head;
                    Some((to, spds.pushed(bdds, rule, entry, &here)?))
                }
                Right::Push { .. } => None,
            };
            if let Some((to, after)) = plain
                && let Some(set) = to_set(to, after)?
            {
                return Ok(Some(Move {
                    rule: id,
                    head: to,
                    values: self.smallest(&set, Copy::Current),
                    call: None,
                }));
            }
            if let Some(step) = self.pick_returned_call(query, id, rule, &here, later)? {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// A push that pops again: of the oldest increment possible, the smallest member.
    fn pick_returned_call(
        &self,
        query: &Query<'_>,
        id: RuleId,
        rule: &Rule,
        here: &Bdd,
        later: &Sets,
    ) -> Result<Option<Move>, Stop> {
        let (spds, bdds) = (self.spds, self.bdds);
        let Right::Push { entry, saved, .. } = rule.right else {
            return Ok(None);
        };
        let Some(later) = later.get(&saved) else {
            return Ok(None);
        };
        let waiting = spds.transfer(rule).image(bdds, here)?;
        let wanted = bdds.and(&waiting, later)?;
        let increments = &self.summaries[entry.0 as usize].increments;
        for (stamp, increment) in increments {
            if *stamp >= query.before_stamp {
                break;
            }
            let uses = bdds.and(increment, &wanted)?;
            if bdds.is_false(&uses) {
                continue;
            }
            let key = self.smallest(&uses, Copy::Next);
            // The current copies are what the caller kept and what was handed over.
            let values = self.smallest(&uses, Copy::Current);
            let handed = &spds.interface(entry).handed;
            let handed = handed.iter().map(|v| values[*v as usize]).collect();
            return Ok(Some(Move {
                rule: id,
                head: saved,
                values,
                call: Some(CallUse {
                    entry,
                    stamp: *stamp,
                    key,
                    handed,
                }),
            }));
        }
        Ok(None)
    }

    /// One copy's values in the smallest member of a set that is not empty.
    pub fn smallest(&self, set: &Bdd, copy: Copy) -> Values {
        let member = self.bdds.smallest(set).unwrap_or_default();
        (0..self.copies.data_variables())
            .map(|variable| member.get(self.copies.level(variable, copy) as usize) == Some(&Some(true)))
            .collect()
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
