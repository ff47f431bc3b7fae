//! Repeating heads by relations, after a finished `post*`.
//!
//! An infinite execution either leaves infinitely many frames unpopped: then it goes through
//! infinitely many *entries*, and so through one again with the same values; or from some
//! time on it stays in one frame, with calls that return: then it goes through a cycle
//! inside that frame. For the first kind, what waits for an entry already relates the values
//! with which the waiting frame was entered to those of the next one: the bodies are
//! summarised. For the second, the loops of each frame are closed.

use super::Budget;
use super::elimination::{Elimination, Paths};
use super::frame::{FrameComponents, stay, without};
use super::relation::{Failure, Relation, Relations};
use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::bits;
use crate::cycles::{Repeating, Sets};
use crate::saturation::{PostStar, PostTarget as Target, Watch};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, Interface, Right, RuleId, Spds};

struct Search<'a> {
    spds: &'a Spds,
    copies: &'a Copies<'a>,
    watch: &'a Watch,
    relations: Relations<'a>,
    paths: usize,
    post_star: &'a PostStar<'a>,
    /// The variables that remember acceptance, which play no part in a state.
    memory: Vec<DataVariable>,
}

/// Some head on an accepting cycle, with valuations; `None` if there is none.
pub fn repeating_heads<'a>(
    spds: &'a Spds,
    copies: &'a Copies<'a>,
    watch: &'a Watch,
    post_star: &'a PostStar<'a>,
    budget: Budget,
) -> Result<Option<Repeating>, Failure> {
    let search = Search {
        spds,
        copies,
        watch,
        relations: Relations {
            copies,
            node_limit: budget.nodes,
        },
        paths: budget.paths,
        post_star,
        memory: spds.memory.map_or(Vec::new(), |(a, b)| vec![a, b]),
    };
    let found = match search.recursion()? {
        Some(found) => Some(found),
        None => search.loops()?,
    };
    Ok(found.map(|(head, set)| Repeating {
        sets: Sets::from_iter([(head, set)]),
        closed: false,
    }))
}

impl Search<'_> {
    /// An entry that leads to itself.
    fn recursion(&self) -> Result<Option<(Head, Bdd)>, Failure> {
        let (spds, bdds) = (self.spds, self.copies.bdds);
        let width = self.copies.data_variables();
        let keys: Vec<Vec<u64>> = (0..spds.entries.len() as u32)
            .map(|entry| {
                let mut key = vec![0; (width as usize).div_ceil(64).max(1)];
                let interface = spds.interface(EntryId(entry));
                interface
                    .key
                    .iter()
                    .for_each(|v| bits::insert(&mut key, *v));
                key
            })
            .collect();
        let variables = keys.iter().map(Vec::as_slice).collect();
        let mut graph = Elimination::new(self.relations, self.watch, self.paths, variables);
        for (rule, target, waiting) in self.post_star.waiting() {
            if let Target::Entry(from) = target
                && let Right::Push { entry: to, .. } = spds.rule(rule).right
            {
                let paths = Paths {
                    all: self.nested(waiting, from, to)?,
                    accepting: match spds.memory {
                        None => None,
                        Some((seen, _)) => {
                            let seen = self.copies.variable(seen, Copy::Current);
                            Some(self.nested(&bdds.and(waiting, &seen)?, from, to)?)
                        }
                    },
                };
                graph.add(from.0 as usize, to.0 as usize, paths)?;
            }
        }
        let found = graph.find_cycle(|_| self.accepting())?;
        Ok(found.map(|(entry, set)| (spds.entry(EntryId(entry as u32)).head, set)))
    }

    /// From the key of a frame to the key of one that is pushed on it.
    fn nested(&self, waiting: &Bdd, from: EntryId, to: EntryId) -> Result<Relation, Failure> {
        let (spds, copies) = (self.spds, self.copies);
        let from: &Interface = spds.interface(from);
        let is_rigid = |v: &DataVariable| from.rigid.binary_search(v).is_ok();
        let lost = (0..copies.data_variables()).filter(|v| !is_rigid(v));
        let lost = copies.cube(lost.map(|v| copies.level(v, Copy::Current)))?;
        let keys = copies.bdds.exists(waiting, &lost)?;
        let moved = from.key.iter().filter(|v| !is_rigid(v));
        let pairs = moved.map(|v| {
            (
                copies.level(*v, Copy::Entry),
                copies.level(*v, Copy::Current),
            )
        });
        let keys = copies.renaming(pairs)?.apply(copies.bdds, &keys)?;
        Ok(Relation {
            bdd: keys,
            changed: spds.interface(to).key.clone(),
        })
    }

    /// A head that leads to itself in its frame.
    fn loops(&self) -> Result<Option<(Head, Bdd)>, Failure> {
        for component in &FrameComponents::of(self.spds).members {
            let is_reached = |head: &&Head| self.post_star.is_reached(**head);
            let heads: Vec<Head> = component.iter().filter(is_reached).copied().collect();
            let found = self.loop_in(&heads)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn loop_in(&self, heads: &[Head]) -> Result<Option<(Head, Bdd)>, Failure> {
        let spds = self.spds;
        let variables = heads.iter().map(|head| spds.variables(*head)).collect();
        let mut graph = Elimination::new(self.relations, self.watch, self.paths, variables);
        for (from, head) in heads.iter().enumerate() {
            for id in spds.rules_from(*head) {
                if let Some((to, paths)) = self.ways(id)?
                    && let Ok(to) = heads.binary_search(&to)
                {
                    graph.add(from, to, paths)?;
                }
            }
        }
        let wanted = |node: usize| {
            let head = heads[node];
            if spds.is_internal(head) {
                // No configuration by itself; its cycle goes through another head.
                return Ok(self.copies.bdds.constant(false));
            }
            let reached = self.post_star.reached_set(head, &spds.all_entry)?;
            let memory = self.memory.iter();
            let memory = memory.map(|v| self.copies.level(*v, Copy::Current));
            let reached = self
                .copies
                .bdds
                .exists(&reached, &self.copies.cube(memory)?)?;
            Ok(self.copies.bdds.and(&reached, &self.accepting()?)?)
        };
        let found = graph.find_cycle(wanted)?;
        Ok(found.map(|(node, set)| (heads[node], set)))
    }

    /// Where a state must be on a cycle that counts, as far as that depends on states alone.
    fn accepting(&self) -> Result<Bdd, crate::saturation::Stop> {
        Ok(match &self.spds.accepting {
            // Of a weak automaton a whole cycle accepts, or nothing of it does.
            Some(accepting) if self.spds.memory.is_none() => accepting.clone(),
            _ => self.copies.bdds.constant(true),
        })
    }

    /// The ways along one rule inside its frame.
    fn ways(&self, id: RuleId) -> Result<Option<(Head, Paths)>, Failure> {
        let (spds, bdds) = (self.spds, self.copies.bdds);
        let relations = &self.relations;
        let total = |entry: EntryId| {
            self.post_star.summaries()[entry.0 as usize]
                .total()
                .cloned()
        };
        let Some((relation, to)) = stay(spds, relations, id, &total)? else {
            return Ok(None);
        };
        let all = without(relations, relation, &self.memory)?;
        let (Some((_, returned)), Some(accepting)) = (spds.memory, &spds.accepting) else {
            let accepting = None;
            return Ok(Some((to, Paths { all, accepting })));
        };
        let mut some = Relation {
            bdd: bdds.and(&all.bdd, accepting)?,
            changed: all.changed.clone(),
        };
        if let Right::Push { entry, .. } = spds.rule(id).right
            && let Some(summary) = total(entry)
        {
            // Or in the frame that was pushed and popped meanwhile.
            let seen = self.copies.variable(returned, Copy::Current);
            let inside = bdds.and(&summary, &seen)?;
            let inside = |_: EntryId| Some(inside.clone());
            if let Some((relation, _)) = stay(spds, relations, id, &inside)? {
                let relation = without(relations, relation, &self.memory)?;
                some = relations.union(&some, &relation)?;
            }
        }
        let accepting = Some(some);
        Ok(Some((to, Paths { all, accepting })))
    }
}
