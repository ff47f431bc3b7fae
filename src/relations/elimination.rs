//! Paths through a graph of relations, node by node.
//!
//! Nodes are taken out in turn: each way into a node, any number of rounds from it back to
//! itself, and each way out become one way past it. Different ways are kept apart, since a
//! single path has a simple closure and a union of paths may not. The closure of several
//! paths is made from the closures of each: multiplied in turn until nothing changes.

use super::relation::{Growth, Relation, Relations};
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, Bdds};
use crate::bits;
use crate::limits::relations::{CLOSURE_TURNS, TURNS_BEFORE_SQUARES};
use crate::watch::{Abort, Stop, Watch};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// Some paths from one node to another.
#[derive(Clone, PartialEq)]
pub struct Paths {
    pub all: Relation,
    /// Those on which the automaton accepts; `None` if that is the same.
    pub accepting: Option<Relation>,
}

pub struct Elimination<'a> {
    relations: Relations<'a>,
    watch: &'a Watch,
    /// More ways from one node to another than this are put together.
    path_limit: usize,
    /// For each node, its variables.
    variables: Vec<&'a [u64]>,
    edges: IndexMap<(usize, usize), Vec<Paths>, FxBuildHasher>,
    /// The nodes that are left.
    nodes: Vec<usize>,
    /// Nodes that must go before all others.
    first: Vec<usize>,
    /// For each node, when its turn is: smaller first.
    turns: Vec<u32>,
}

impl<'a> Elimination<'a> {
    pub fn new(
        relations: Relations<'a>,
        watch: &'a Watch,
        path_limit: usize,
        variables: Vec<&'a [u64]>,
    ) -> Self {
        Elimination {
            relations,
            watch,
            path_limit,
            nodes: (0..variables.len()).collect(),
            turns: vec![0; variables.len()],
            variables,
            edges: IndexMap::default(),
            first: Vec::new(),
        }
    }

    /// Lets these nodes be taken out before all others, so that no cycle is found at them.
    pub fn take_first(&mut self, nodes: Vec<usize>) {
        self.first = nodes;
    }

    /// Says when each node's turn is. The head of a loop must stay until those of the loops
    /// inside are gone: otherwise rounds of the outer loop become ways round an inner one.
    pub fn take_in_turn(&mut self, turns: Vec<u32>) {
        self.turns = turns;
    }

    fn bdds(&self) -> &'a Bdds {
        self.relations.copies.bdds
    }

    pub fn add(&mut self, from: usize, to: usize, paths: Paths) -> Result<(), Abort> {
        if self.relations.is_empty(&paths.all) {
            return Ok(());
        }
        let ways = self.edges.entry((from, to)).or_default();
        if ways
            .iter()
            .any(|way| way.all == paths.all && way.accepting.is_none())
        {
            return Ok(());
        }
        ways.push(paths);
        if ways.len() > self.path_limit {
            let mut ways = std::mem::take(ways).into_iter();
            if let Some(mut union) = ways.next() {
                for way in ways {
                    union = self.union(&union, &way)?;
                }
                self.edges.insert((from, to), vec![union]);
            }
        }
        Ok(())
    }

    fn union(&self, a: &Paths, b: &Paths) -> Result<Paths, Abort> {
        let accepting = match (&a.accepting, &b.accepting) {
            (None, None) => None,
            (some, other) => Some(self.relations.union(
                some.as_ref().unwrap_or(&a.all),
                other.as_ref().unwrap_or(&b.all),
            )?),
        };
        Ok(Paths {
            all: self.relations.union(&a.all, &b.all)?,
            accepting,
        })
    }

    /// First `a`, then `b`, which leads to `to`.
    fn join(&self, a: &Paths, b: &Paths, to: usize) -> Result<Paths, Abort> {
        let relations = &self.relations;
        let variables = self.variables[to];
        let accepting = match (&a.accepting, &b.accepting) {
            (None, None) => None,
            (early, late) => {
                let early = early.as_ref().unwrap_or(&a.all);
                let late = late.as_ref().unwrap_or(&b.all);
                let early = relations.compose(early, &b.all, variables)?;
                let late = relations.compose(&a.all, late, variables)?;
                Some(relations.union(&early, &late)?)
            }
        };
        Ok(Paths {
            all: relations.compose(&a.all, &b.all, variables)?,
            accepting,
        })
    }

    /// Takes all nodes out but one; the ways from it back to itself.
    pub fn reduce_to(mut self, node: usize) -> Result<Vec<Paths>, Abort> {
        while let Some(next) = self.cheapest(Some(node)) {
            self.eliminate(next, None)?;
        }
        Ok(self.edges.swap_remove(&(node, node)).unwrap_or_default())
    }

    /// Takes all nodes out, until one is found on an accepting cycle or, with `all`, to the
    /// end: those that are on one, with their valuations there as far as `wanted` has them. On
    /// each such cycle there is at least one of them.
    pub fn cycles(
        mut self,
        all: bool,
        wanted: impl Fn(usize) -> Result<Bdd, Stop>,
    ) -> Result<Vec<(usize, Bdd)>, Abort> {
        let bdds = self.bdds();
        let mut found = Vec::new();
        while let Some(node) = self.cheapest(None) {
            let mut closure = None;
            if let Some(around) = self.edges.get(&(node, node))
                && self.may_repeat(around, node)?
            {
                let closed = closure.insert(self.closure(around, node)?);
                let cycles = self.cycles_through(node, around, closed)?;
                let cycles = bdds.and(&cycles, &wanted(node)?)?;
                if !bdds.is_false(&cycles) {
                    found.push((node, cycles));
                    if !all {
                        break;
                    }
                }
            }
            self.eliminate(node, closure)?;
        }
        Ok(found)
    }

    /// The valuations of a node on a cycle of ways round it whose first way accepts: so an
    /// execution need not go round before it is seen to.
    fn cycles_through(&self, node: usize, ways: &[Paths], closed: &Paths) -> Result<Bdd, Abort> {
        let (bdds, relations) = (self.bdds(), &self.relations);
        if closed.accepting.is_none() {
            return Ok(relations.loops(&closed.all)?);
        }
        let mut found = bdds.constant(false);
        for way in ways {
            let accepting = way.accepting.as_ref().unwrap_or(&way.all);
            found = bdds.or(&found, &relations.loops(accepting)?)?;
            let longer = relations.compose(accepting, &closed.all, self.variables[node])?;
            found = bdds.or(&found, &relations.loops(&longer)?)?;
        }
        Ok(found)
    }

    /// False if certainly no cycle is made from these ways. What none of them changes is
    /// left out of sight, which leaves more to be possible and less to be computed.
    fn may_repeat(&self, ways: &[Paths], node: usize) -> Result<bool, Abort> {
        let is_kept = |v: &DataVariable| {
            ways.iter()
                .all(|way| way.all.changed.binary_search(v).is_err())
        };
        let hidden: Vec<_> = bits::members(self.variables[node])
            .filter(is_kept)
            .collect();
        let is_simpler = !hidden.is_empty() || ways.iter().any(|way| way.accepting.is_some());
        if !is_simpler {
            return Ok(true);
        }
        let mut rough: Vec<Paths> = Vec::with_capacity(ways.len());
        for way in ways {
            let all = self.relations.hide(&way.all, hidden.iter().copied())?;
            rough.push(Paths {
                all,
                accepting: None,
            });
        }
        let closure = self.closure(&rough, node)?;
        Ok(!self.bdds().is_false(&self.relations.loops(&closure.all)?))
    }

    /// One or more of these ways from a node back to itself, in any order.
    fn closure(&self, ways: &[Paths], node: usize) -> Result<Paths, Abort> {
        let mut closures = Vec::with_capacity(ways.len());
        for way in ways {
            closures.push(self.close(way, node)?);
        }
        let mut ways = closures.iter();
        let Some(mut all) = ways.next().cloned() else {
            return Err(Abort::OverBudget);
        };
        for closure in ways {
            let after = self.join(&all, closure, node)?;
            all = self.union(&self.union(&all, closure)?, &after)?;
        }
        if closures.len() == 1 {
            return Ok(all);
        }
        let mut growth = Growth::default();
        for turn in 0..CLOSURE_TURNS {
            let mut grew = false;
            for closure in &closures {
                self.watch.check()?;
                let more = self.union(&all, &self.join(&all, closure, node)?)?;
                grew |= more != all;
                all = more;
            }
            if !grew {
                return Ok(all);
            }
            if turn >= TURNS_BEFORE_SQUARES {
                // Ways that must be taken in turn.
                all = self.union(&all, &self.join(&all, &all, node)?)?;
                self.relations.check_growth(&mut growth, &all.all)?;
            }
        }
        Err(Abort::OverBudget)
    }

    /// One or more times the same way, by squaring.
    fn close(&self, way: &Paths, node: usize) -> Result<Paths, Abort> {
        let mut closed = way.clone();
        let mut growth = Growth::default();
        loop {
            self.watch.check()?;
            let more = self.union(&closed, &self.join(&closed, &closed, node)?)?;
            if more == closed {
                return Ok(closed);
            }
            closed = more;
            self.relations.check_growth(&mut growth, &closed.all)?;
        }
    }

    /// The node whose elimination adds least: those without a loop of their own first.
    fn cheapest(&self, but: Option<usize>) -> Option<usize> {
        let degree = |node: usize| {
            let ways = |at: &dyn Fn(&(usize, usize)) -> bool| -> usize {
                let edges = self.edges.iter().filter(|(between, _)| at(between));
                edges.map(|(_, ways)| ways.len()).sum()
            };
            let into = ways(&|(from, to)| *to == node && *from != node);
            let out = ways(&|(from, to)| *from == node && *to != node);
            into * out
        };
        let loops = |node: usize| self.edges.get(&(node, node)).is_some_and(|w| !w.is_empty());
        let nodes = self.nodes.iter().copied();
        nodes.filter(|node| Some(*node) != but).min_by_key(|node| {
            let later = !self.first.contains(node);
            (later, self.turns[*node], loops(*node), degree(*node), *node)
        })
    }

    /// Takes a node out. `closure` is that of the ways round it, if it is known.
    fn eliminate(&mut self, node: usize, closure: Option<Paths>) -> Result<(), Abort> {
        self.watch.check()?;
        self.bdds().safe_point();
        self.nodes.retain(|other| *other != node);
        let around = self.edges.swap_remove(&(node, node)).unwrap_or_default();
        let (mut into, mut out) = (Vec::new(), Vec::new());
        let mut keys: Vec<_> = self.edges.keys().copied().collect();
        keys.sort_unstable();
        for (from, to) in keys {
            if from != node && to != node {
                continue;
            }
            for way in self.edges.swap_remove(&(from, to)).unwrap_or_default() {
                match to == node {
                    true => into.push((from, way)),
                    false => out.push((to, way)),
                }
            }
        }
        if into.is_empty() || out.is_empty() {
            return Ok(());
        }
        let closure = match closure {
            None if !around.is_empty() => Some(self.closure(&around, node)?),
            known => known,
        };
        for (from, first) in &into {
            let first = match &closure {
                Some(closure) => self.union(first, &self.join(first, closure, node)?)?,
                None => first.clone(),
            };
            for (to, second) in &out {
                let paths = self.join(&first, second, *to)?;
                self.add(*from, *to, paths)?;
            }
        }
        Ok(())
    }
}
