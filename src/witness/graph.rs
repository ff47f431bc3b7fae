//! The graph that paths are searched in: heads, rules, and the summaries of calls that return,
//! with the stamps by which their unfolding ends.

use super::path::{CallUse, Values};
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, BddResult, Bdds};
use crate::index::IndexVec;
use crate::saturation::EntrySummaries;
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, Right, RuleId, Spds};
use crate::watch::{Stop, Watch};
use std::cell::RefCell;

pub struct SummaryGraph<'a> {
    pub spds: &'a Spds,
    pub bdds: &'a Bdds,
    pub copies: &'a Copies<'a>,
    pub watch: &'a Watch,
    pub summaries: &'a EntrySummaries,
    /// Of the rules into this head only these are taken, if that is said.
    last_rules: Option<(Head, &'a [RuleId])>,
    /// For each entry, the unions of its first increments.
    unions: RefCell<IndexVec<EntryId, Vec<Bdd>>>,
}

impl<'a> SummaryGraph<'a> {
    /// `summaries` must be complete: those of a finished `post*`.
    pub fn new(
        spds: &'a Spds,
        copies: &'a Copies<'a>,
        watch: &'a Watch,
        summaries: &'a EntrySummaries,
    ) -> Self {
        SummaryGraph {
            spds,
            bdds: copies.bdds,
            copies,
            watch,
            summaries,
            last_rules: None,
            unions: RefCell::new(IndexVec::filled(Vec::new(), summaries.len())),
        }
    }

    /// Lets paths come to a head by these rules alone.
    pub fn entering(self, head: Head, rules: &'a [RuleId]) -> Self {
        SummaryGraph {
            last_rules: Some((head, rules)),
            ..self
        }
    }

    /// The rules of a head that paths may take, in rule order.
    pub fn rules_from(&self, head: Head) -> impl Iterator<Item = RuleId> {
        let spds = self.spds;
        spds.rules_from(head).filter(move |id| {
            let Some((last, rules)) = self.last_rules else {
                return true;
            };
            !matches!(spds.rule(*id).right, Right::Step(to) if to == last) || rules.contains(id)
        })
    }

    /// The union of an entry's summaries with smaller stamps.
    pub fn summary_before(&self, entry: EntryId, stamp: u64) -> Result<Option<Bdd>, Stop> {
        let increments = &self.summaries[entry].increments;
        let count = increments.partition_point(|increment| increment.stamp < stamp);
        if count == 0 {
            return Ok(None);
        }
        if count == increments.len() {
            return Ok(self.summaries[entry].total().cloned());
        }
        let unions = &mut self.unions.borrow_mut()[entry];
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

    /// The smallest of some members of a summary increment, which may be related to what the
    /// caller keeps, and the values after its return.
    pub fn smallest_use(
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
    pub fn member(&self, call: &CallUse) -> BddResult {
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
