//! Repeating heads by relations, after a finished `post*`.
//!
//! An infinite execution either leaves infinitely many frames unpopped: then it goes through
//! infinitely many *entries*, and so through one again with the same values; or from some
//! time on it stays in one frame, with calls that return: then it goes through a cycle
//! inside that frame. For the first kind, what waits for an entry already relates the values
//! with which the waiting frame was entered to those of the next one: the bodies are
//! summarised. For the second, the loops of each frame are closed.

use super::{Repeating, Sets};
use crate::acceleration::Budget;
use crate::analysis::DataVariable;
use crate::bdd::Bdd;
use crate::bits::{self, BitSet};
use crate::relations::{
    Components, Elimination, Paths, Relation, Relations, staying_paths, steps_within,
};
use crate::saturation::{PostStar, PostTarget as Target};
use crate::spds::copies::{Copies, Copy};
use crate::spds::{EntryId, Head, Interface, Right, RuleId, Spds};
use crate::watch::{Abort, Stop, Watch};
use rustc_hash::FxHashMap;

#[derive(Clone)]
pub struct Search<'a> {
    spds: &'a Spds,
    copies: &'a Copies<'a>,
    watch: &'a Watch,
    relations: Relations<'a>,
    paths: usize,
    post_star: &'a PostStar<'a>,
    /// The variables that remember acceptance, which play no part in a state.
    memory: Vec<DataVariable>,
    /// These and others that are left out of sight.
    hidden: Vec<DataVariable>,
}

impl<'a> Search<'a> {
    pub fn new(post_star: &'a PostStar<'a>, copies: &'a Copies<'a>, budget: Budget) -> Self {
        let spds = post_star.spds();
        let memory = spds.memory.map_or(Vec::new(), |(a, b)| vec![a, b]);
        Search {
            spds,
            copies,
            watch: post_star.watch(),
            relations: Relations {
                copies,
                node_limit: Some(budget.nodes(copies.data_variables())),
            },
            paths: budget.paths,
            post_star,
            hidden: memory.clone(),
            memory,
        }
    }

    /// False if certainly no reachable cycle accepts: none does even if globals are left out
    /// of sight, which leaves more to be possible and less to be computed.
    pub fn may_repeat(&self) -> Result<bool, Abort> {
        let mut search = self.clone();
        search.hidden.extend(self.spds.globals.clone());
        Ok(search.recursive_entry()?.is_some() || search.loops()?.is_some())
    }

    /// Some head on an accepting cycle, with valuations; `None` if there is none.
    pub fn repeating(&self) -> Result<Option<Repeating>, Abort> {
        let found = match self.recursive_entry()? {
            Some((entry, keys)) => Some(self.on_cycle(entry, &keys)?),
            None => self.loops()?,
        };
        Ok(found.map(|(head, set)| Repeating {
            sets: Sets::from_iter([(head, set)]),
            closed: false,
        }))
    }

    /// An entry that leads to itself, and the keys that do.
    fn recursive_entry(&self) -> Result<Option<(EntryId, Bdd)>, Abort> {
        let (spds, bdds) = (self.spds, self.copies.bdds);
        let width = self.copies.data_variables();
        let entries = spds.entries.indices();
        let keys: Vec<BitSet> = entries
            .map(|entry| {
                let mut key = BitSet::new(width as usize);
                let interface = spds.interface(entry);
                let seen = interface.key.iter().filter(|v| !self.hidden.contains(v));
                seen.for_each(|v| bits::insert(&mut key, *v));
                key
            })
            .collect();
        let variables = keys.iter().map(|key| &**key).collect();
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
        let mut found = graph.cycles(false, |_| self.accepting())?;
        Ok(found
            .pop()
            .map(|(entry, keys)| (EntryId(entry as u32), keys)))
    }

    /// A head on a cycle through an entry with one of these keys. An entry's key is not all
    /// of its valuation; but a push on the cycle, in a frame that was itself entered on it,
    /// has the whole: from a key on the cycle, by pushes, to a frame that pushes this key.
    fn on_cycle(&self, entry: EntryId, keys: &Bdd) -> Result<(Head, Bdd), Abort> {
        let (spds, bdds) = (self.spds, self.copies.bdds);
        let key = self.smallest(keys, &spds.interface(entry).key)?;
        let again = self.in_copy(&key, &spds.interface(entry).key, Copy::Next)?;
        // What is reached after each number of pushes, by whether the path has accepted.
        let counts = spds.memory.is_none();
        let mut reached: FxHashMap<(EntryId, bool), Bdd> = FxHashMap::default();
        let mut ring = vec![((entry, counts), key)];
        while !ring.is_empty() {
            self.watch.check()?;
            let mut next: Vec<((EntryId, bool), Bdd)> = Vec::new();
            for ((from, accepted), set) in &ring {
                for (rule, target, waiting) in self.post_star.waiting() {
                    let Right::Push { entry: to, .. } = spds.rule(rule).right else {
                        continue;
                    };
                    if target != Target::Entry(*from) {
                        continue;
                    }
                    for accepts in [false, true] {
                        let part = self.accepting_part(waiting, accepts)?;
                        let Some(part) = part else { continue };
                        let accepted = *accepted || accepts;
                        let pushes = self.nested(&part, *from, to)?;
                        let pushes = bdds.and(&pushes.bdd, set)?;
                        let closes = bdds.and(&pushes, &again)?;
                        if to == entry && accepted && !bdds.is_false(&closes) {
                            let keys = self.over_keys(&closes, to, Copy::Next)?;
                            return self.pushing(rule, *from, &keys, &again, accepts);
                        }
                        let current = self.copies.cube(
                            (0..self.copies.data_variables())
                                .map(|v| self.copies.level(v, Copy::Current)),
                        )?;
                        let after = bdds.exists(&pushes, &current)?;
                        let key = &spds.interface(to).key;
                        let pairs = key.iter().map(|v| {
                            let level = |copy| self.copies.level(*v, copy);
                            (level(Copy::Next), level(Copy::Current))
                        });
                        let after = self.copies.renaming(pairs)?.apply(bdds, &after)?;
                        let known = reached.entry((to, accepted));
                        let known = known.or_insert_with(|| bdds.constant(false));
                        if let Some(fresh) = bdds.grow(known, &after)? {
                            next.push(((to, accepted), fresh));
                        }
                    }
                }
            }
            ring = next;
        }
        // The closure has a cycle that the pushes do not have.
        Err(Abort::OverBudget)
    }

    /// What waits and has accepted in its frame, or all of it.
    fn accepting_part(&self, waiting: &Bdd, accepts: bool) -> Result<Option<Bdd>, Abort> {
        Ok(match (self.spds.memory, accepts) {
            (_, false) => Some(waiting.clone()),
            (None, true) => None,
            (Some((seen, _)), true) => {
                let seen = self.copies.variable(seen, Copy::Current);
                Some(self.copies.bdds.and(waiting, &seen)?)
            }
        })
    }

    fn over_keys(&self, closes: &Bdd, entry: EntryId, copy: Copy) -> Result<Bdd, Abort> {
        let key = &self.spds.interface(entry).key;
        let levels = key.iter().map(|v| self.copies.level(*v, copy));
        Ok(self
            .copies
            .bdds
            .exists(closes, &self.copies.cube(levels)?)?)
    }

    /// One member of a set of valuations of these variables.
    fn smallest(&self, set: &Bdd, variables: &[DataVariable]) -> Result<Bdd, Abort> {
        let member = self.copies.smallest(set, Copy::Current)?;
        let literals = variables.iter().map(|v| {
            let level = self.copies.level(*v, Copy::Current);
            (level, member[*v as usize])
        });
        Ok(self.copies.bdds.minterm(literals)?)
    }

    fn in_copy(&self, set: &Bdd, variables: &[DataVariable], copy: Copy) -> Result<Bdd, Abort> {
        let pairs = variables.iter().map(|v| {
            let level = |copy| self.copies.level(*v, copy);
            (level(Copy::Current), level(copy))
        });
        Ok(self.copies.renaming(pairs)?.apply(self.copies.bdds, set)?)
    }

    /// The valuations in which the head of a push, in a frame with one of these keys, pushes
    /// a frame with the key `pushed` (in next copies).
    fn pushing(
        &self,
        rule: RuleId,
        frame: EntryId,
        keys: &Bdd,
        pushed: &Bdd,
        accepts: bool,
    ) -> Result<(Head, Bdd), Abort> {
        let (spds, copies) = (self.spds, self.copies);
        let bdds = copies.bdds;
        let rule = spds.rule(rule);
        let interface = spds.interface(frame);
        let moved = interface.key.iter().copied();
        let moved: Vec<_> = moved
            .filter(|v| interface.rigid.binary_search(v).is_err())
            .collect();
        let keys = self.in_copy(keys, &moved, Copy::Entry)?;
        let mut set = bdds.constant(false);
        for (head, target, edge) in self.post_star.edges() {
            if head == rule.from && target == Target::Entry(frame) {
                set = bdds.or(&set, &bdds.and(edge, &keys)?)?;
            }
        }
        if let Some((seen, _)) = spds.memory.filter(|_| accepts) {
            set = bdds.and(&set, &copies.variable(seen, Copy::Current))?;
        }
        let relation = bdds.and(&spds.transfer(rule).relation, pushed)?;
        let set = bdds.and(&set, &relation)?;
        let all = 0..copies.data_variables();
        let others = all.flat_map(|v| [(v, Copy::Next), (v, Copy::Entry)]);
        let others = others.chain(self.memory.iter().map(|v| (*v, Copy::Current)));
        let others = others.map(|(v, copy)| copies.level(v, copy));
        let set = bdds.exists(&set, &copies.cube(others)?)?;
        Ok((rule.from, bdds.exists(&set, &spds.transfer(rule).below)?))
    }

    /// From the key of a frame to the key of one that is pushed on it.
    fn nested(&self, waiting: &Bdd, from: EntryId, to: EntryId) -> Result<Relation, Abort> {
        let (spds, copies) = (self.spds, self.copies);
        let from: &Interface = spds.interface(from);
        let is_rigid = |v: &DataVariable| from.rigid.binary_search(v).is_ok();
        let is_seen = |v: &DataVariable| !self.hidden.contains(v);
        let lost = (0..copies.data_variables()).filter(|v| !is_rigid(v));
        let lost = lost.map(|v| copies.level(v, Copy::Current));
        let hidden = self.hidden.iter().flat_map(|v| {
            let all = [Copy::Current, Copy::Next, Copy::Entry];
            all.map(|copy| copies.level(*v, copy))
        });
        let keys = copies
            .bdds
            .exists(waiting, &copies.cube(lost.chain(hidden))?)?;
        let moved = from.key.iter().filter(|v| !is_rigid(v) && is_seen(v));
        let pairs = moved.map(|v| {
            (
                copies.level(*v, Copy::Entry),
                copies.level(*v, Copy::Current),
            )
        });
        let pushed = spds.interface(to).key.iter().copied();
        Ok(Relation {
            bdd: copies.renaming(pairs)?.apply(copies.bdds, &keys)?,
            changed: pushed.filter(is_seen).collect(),
        })
    }

    /// A head that leads to itself in its frame.
    fn loops(&self) -> Result<Option<(Head, Bdd)>, Abort> {
        let components = Components::within_frames(self.spds);
        for component in &components.members {
            let is_reached = |head: &&Head| self.post_star.is_reached(**head);
            let heads: Vec<Head> = component.iter().filter(is_reached).copied().collect();
            let found = self.loop_in(&components, &heads)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn loop_in(
        &self,
        components: &Components,
        heads: &[Head],
    ) -> Result<Option<(Head, Bdd)>, Abort> {
        let spds = self.spds;
        let variables = heads.iter().map(|head| spds.variables(*head)).collect();
        let mut graph = Elimination::new(self.relations, self.watch, self.paths, variables);
        for (from, head) in heads.iter().enumerate() {
            for (id, to) in steps_within(spds, *head, heads) {
                let total = |entry: EntryId| self.summary(entry);
                let paths = staying_paths(spds, &self.relations, id, &total, &self.hidden)?;
                if let Some(paths) = paths {
                    graph.add(from, to, paths)?;
                }
            }
        }
        let turns = heads.iter().map(|head| components.turn(spds, *head));
        graph.take_in_turn(turns.collect());
        // No configurations by themselves: a cycle goes through others.
        let is_internal = |node: &usize| spds.is_internal(heads[*node]);
        graph.take_first((0..heads.len()).filter(is_internal).collect());
        let wanted = |node: usize| {
            let head = heads[node];
            let reached = self.post_star.reached_set(head, &spds.all_entry)?;
            let hidden = self.hidden.iter();
            let memory = hidden.map(|v| self.copies.level(*v, Copy::Current));
            let reached = self
                .copies
                .bdds
                .exists(&reached, &self.copies.cube(memory)?)?;
            Ok(self.copies.bdds.and(&reached, &self.accepting()?)?)
        };
        let mut found = graph.cycles(false, wanted)?;
        Ok(found.pop().map(|(node, set)| (heads[node], set)))
    }

    fn summary(&self, entry: EntryId) -> Option<Bdd> {
        let summaries = self.post_star.summaries();
        summaries[entry].total().cloned()
    }

    /// Where a state must be on a cycle that counts, as far as that depends on states alone.
    fn accepting(&self) -> Result<Bdd, Stop> {
        Ok(match &self.spds.accepting {
            // Of a weak automaton a whole cycle accepts, or nothing of it does.
            Some(accepting) if self.spds.memory.is_none() => accepting.clone(),
            _ => self.copies.bdds.constant(true),
        })
    }
}
