//! Cycles by relations: the transitive closure, one head at a time.
//!
//! Moped saturates the head graph with the relations of all paths (section 4.2). Here the
//! heads of a component are eliminated in turn: the relation of all paths from a head back
//! to itself is closed by squaring; if it relates a valuation to itself, there is a cycle;
//! otherwise the paths into the head and out of it are joined over its closure, and the
//! head is gone. Relations are over all data variables, current and next, with frame
//! conditions, and come in pairs: all paths, and those that accept.
//!
//! Few rounds even where a cycle of sets takes 2ⁿ, but relations can be large.

use super::Sets;
use super::graph::{HeadGraph, RoughEdge};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::spds::Head;
use crate::spds::copies::{Copy, Renaming};
use crate::watch::Stop;
use rustc_hash::FxHashMap;

/// The relation of some paths from one head to another.
#[derive(Clone)]
struct Paths {
    all: Bdd,
    accepting: Bdd,
}

struct Elimination<'a> {
    graph: &'a HeadGraph<'a>,
    next_to_entry: Renaming,
    current_to_entry: Renaming,
    entry: Bdd,
    identity: Bdd,
}

/// A head on an accepting cycle with the valuations on it, or with `all` one on every such
/// cycle; empty if there is none.
pub fn repeating(graph: &HeadGraph<'_>, sets: &Sets, all: bool) -> Result<Sets, Stop> {
    let mut repeating = Sets::default();
    let elimination = Elimination::new(graph)?;
    let mut edges: FxHashMap<(Head, Head), Paths> = FxHashMap::default();
    let mut heads: Vec<_> = sets.keys().copied().collect();
    heads.sort_unstable();
    for head in &heads {
        for edge in graph.edges_from(*head) {
            let Some(after) = sets.get(&edge.to) else {
                continue;
            };
            let paths = elimination.edge(&edge, &sets[head], after)?;
            elimination.add(&mut edges, (edge.from, edge.to), paths)?;
        }
    }
    // Heads that are no configurations first, so that what is found is one; then those with
    // few neighbours: eliminating them adds little.
    while !heads.is_empty() {
        graph.watch.check()?;
        graph.bdds.safe_point();
        let degree = |head: &Head| edges.keys().filter(|(a, b)| a == head || b == head).count();
        let cost = |head: &Head| (!graph.spds.is_internal(*head), degree(head), *head);
        let Some(at) = (0..heads.len()).min_by_key(|i| cost(&heads[*i])) else {
            break;
        };
        let head = heads.remove(at);
        if let Some(found) = elimination.eliminate(&mut edges, head)? {
            repeating.insert(head, found);
            if !all {
                break;
            }
        }
    }
    Ok(repeating)
}

impl<'a> Elimination<'a> {
    fn new(graph: &'a HeadGraph<'a>) -> Result<Self, Stop> {
        let copies = graph.copies;
        let (bdds, all) = (graph.bdds, 0..copies.data_variables());
        let level = |copy| move |v: u32| copies.level(v, copy);
        let pairs = |from, to| all.clone().map(level(from)).zip(all.clone().map(level(to)));
        let mut identity = bdds.constant(true);
        for variable in all.clone().rev() {
            let current = copies.variable(variable, Copy::Current);
            let same = bdds.equivalent(&current, &copies.variable(variable, Copy::Next))?;
            identity = bdds.and(&same, &identity)?;
        }
        Ok(Elimination {
            graph,
            next_to_entry: copies.renaming(pairs(Copy::Next, Copy::Entry))?,
            current_to_entry: copies.renaming(pairs(Copy::Current, Copy::Entry))?,
            entry: copies.cube(all.clone().map(level(Copy::Entry)))?,
            identity,
        })
    }

    fn compose(&self, first: &Bdd, second: &Bdd) -> BddResult {
        let bdds = self.graph.bdds;
        let first = self.next_to_entry.apply(bdds, first)?;
        let second = self.current_to_entry.apply(bdds, second)?;
        bdds.and_exists(&first, &second, &self.entry)
    }

    fn join(&self, first: &Paths, second: &Paths) -> Result<Paths, OutOfNodes> {
        let bdds = self.graph.bdds;
        let early = self.compose(&first.accepting, &second.all)?;
        let late = self.compose(&first.all, &second.accepting)?;
        Ok(Paths {
            all: self.compose(&first.all, &second.all)?,
            accepting: bdds.or(&early, &late)?,
        })
    }

    fn union(&self, a: &Paths, b: &Paths) -> Result<Paths, OutOfNodes> {
        let bdds = self.graph.bdds;
        Ok(Paths {
            all: bdds.or(&a.all, &b.all)?,
            accepting: bdds.or(&a.accepting, &b.accepting)?,
        })
    }

    fn add(
        &self,
        edges: &mut FxHashMap<(Head, Head), Paths>,
        between: (Head, Head),
        paths: Paths,
    ) -> Result<(), OutOfNodes> {
        if self.graph.bdds.is_false(&paths.all) {
            return Ok(());
        }
        let paths = match edges.get(&between) {
            Some(known) => self.union(known, &paths)?,
            None => paths,
        };
        edges.insert(between, paths);
        Ok(())
    }

    /// The relation of one edge. A set of pairs is a set, too: the values after the step go
    /// into entry copies, and the graph's own pre-image does the rest.
    fn edge(&self, edge: &RoughEdge, before: &Bdd, after: &Bdd) -> Result<Paths, Stop> {
        let (graph, bdds, copies) = (self.graph, self.graph.bdds, self.graph.copies);
        let spds = graph.spds;
        let is_memory = |v: u32| spds.memory.is_some_and(|(a, b)| v == a || v == b);
        let variables = bits::members(spds.variables(edge.to)).filter(|v| !is_memory(*v));
        let variables: Vec<_> = variables.collect();
        let mut target = after.clone();
        for variable in &variables {
            let current = copies.variable(*variable, Copy::Current);
            let entry = copies.variable(*variable, Copy::Entry);
            target = bdds.and(&target, &bdds.equivalent(&current, &entry)?)?;
        }
        let to_next = variables
            .iter()
            .map(|v| (copies.level(*v, Copy::Entry), copies.level(*v, Copy::Next)));
        let to_next = copies.renaming(to_next)?;
        let finish = |set: Bdd| -> Result<Bdd, Stop> {
            let set = bdds.and(&set, before)?;
            Ok(to_next.apply(bdds, &set)?)
        };
        Ok(Paths {
            all: finish(graph.before(edge, &target)?)?,
            accepting: finish(graph.before_accepting(edge, &target)?)?,
        })
    }

    /// Takes a head out of the graph; the valuations on an accepting cycle through it, if
    /// there are any.
    fn eliminate(
        &self,
        edges: &mut FxHashMap<(Head, Head), Paths>,
        head: Head,
    ) -> Result<Option<Bdd>, Stop> {
        let bdds = self.graph.bdds;
        let around = match edges.remove(&(head, head)) {
            Some(paths) => Some(self.close(paths)?),
            None => None,
        };
        let mut found = None;
        if let Some(around) = &around {
            let cycle = bdds.and(&around.accepting, &self.identity)?;
            if !bdds.is_false(&cycle) {
                let next = 0..self.graph.copies.data_variables();
                let next = next.map(|v| self.graph.copies.level(v, Copy::Next));
                let next = self.graph.copies.cube(next)?;
                found = Some(bdds.exists(&cycle, &next)?);
            }
        }
        let mut into: Vec<(Head, Paths)> = Vec::new();
        let mut out: Vec<(Head, Paths)> = Vec::new();
        let mut keys: Vec<_> = edges.keys().copied().collect();
        keys.sort_unstable();
        for (from, to) in keys {
            if from != head && to != head {
                continue;
            }
            if let Some(paths) = edges.remove(&(from, to)) {
                match to == head {
                    true => into.push((from, paths)),
                    false => out.push((to, paths)),
                }
            }
        }
        for (from, first) in &into {
            let first = match &around {
                Some(around) => self.union(first, &self.join(first, around)?)?,
                None => first.clone(),
            };
            for (to, second) in &out {
                let paths = self.join(&first, second)?;
                self.add(edges, (*from, *to), paths)?;
            }
        }
        Ok(found)
    }

    /// One or more rounds, by squaring.
    fn close(&self, mut paths: Paths) -> Result<Paths, Stop> {
        loop {
            self.graph.watch.check()?;
            self.graph.bdds.safe_point();
            let more = self.union(&paths, &self.join(&paths, &paths)?)?;
            if more.all == paths.all && more.accepting == paths.accepting {
                return Ok(paths);
            }
            paths = more;
        }
    }
}
