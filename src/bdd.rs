//! Binary decision diagrams: the one module that names the library (OxiDD).
//!
//! A narrow interface, so that another library could take its place. Every operation that
//! makes nodes can run out of them and says so; and so it does once the work is cancelled:
//! no loop over BDDs outlasts that, whether it asks the [`Watch`] or not. What must hold for
//! speed:
//!
//! * All variables are there from the start, and the whole work runs inside one
//!   [`Bdds::session`]: the library then takes its locks without contention and keeps its
//!   free list at hand.
//! * Variables are renamed by a conjunction with a cached equality and quantification, not
//!   by substitution, which walks all levels.
//! * Garbage is collected at safe points only, and rarely, because each collection empties
//!   the cache of results. The library also collects by itself when nearly full, and
//!   operations do not wait for that: so one that fails is tried once more after a
//!   collection before it counts as failed.

use crate::limits::bdd::{
    BYTES_PER_NODE, COLLECTED_NODES, COUNTED_VARIABLES, MANY_LIVE_NODES, MEASURED_NODES,
    PARALLEL_NODES,
};
use crate::watch::{Abort, Stop, Watch};
use oxidd::bdd::{BDDFunction, BDDManagerRef};
pub use oxidd::util::num::Natural;
use oxidd::util::{OptBool, SatCountCache};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, HasLevel, HasWorkers,
    Manager, ManagerRef, Node, WorkerPool,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cell::Cell;
use std::fmt;

/// A Boolean function. Cheap to copy and to compare.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(BDDFunction);

/// A BDD variable, which is also its level: 0 is on top.
pub type Level = u32;

/// The node table is full, even after a garbage collection; or the work is to be given up,
/// which [`Watch::check`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfNodes;

impl fmt::Display for OutOfNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Stop::OutOfNodes.fmt(f)
    }
}

impl std::error::Error for OutOfNodes {}

impl From<OutOfNodes> for Stop {
    fn from(_: OutOfNodes) -> Self {
        Stop::OutOfNodes
    }
}

impl From<OutOfNodes> for Abort {
    fn from(_: OutOfNodes) -> Self {
        Abort::Stop(Stop::OutOfNodes)
    }
}

pub type BddResult = Result<Bdd, OutOfNodes>;

/// A BDD as a list. A reference is 0 for false, 1 for true, or a node's index plus 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeList {
    /// The topmost first: the level, and references for where that is false and where it is
    /// true, to later nodes only.
    pub nodes: Vec<(Level, u32, u32)>,
    pub root: u32,
}

/// When garbage is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// As rarely as memory allows.
    Rare,
    /// Each time the number of nodes has doubled, so that the peak of live nodes is known.
    Measured,
}

pub struct Bdds {
    manager: BDDManagerRef,
    variables: Vec<Bdd>,
    truth: Bdd,
    falsity: Bdd,
    collection: Collection,
    /// Nodes left by the last collection.
    live: Cell<usize>,
    peak_live: Cell<usize>,
    /// How many operations may be made, and how many of them are left.
    most_operations: Cell<u64>,
    operations_left: Cell<u64>,
    /// How many nodes there may be; those that nobody refers to do not count.
    most_nodes: Cell<usize>,
    /// How many operations there are until nodes are counted again.
    uncounted: Cell<usize>,
    watch: Watch,
}

impl Bdds {
    /// A manager with `levels` variables that may use up to `memory` bytes.
    pub fn new(levels: u32, memory: u64, collection: Collection) -> Result<Self, OutOfNodes> {
        Self::with_jobs(levels, memory, collection, 1)
    }

    /// A manager whose large operations may run on several threads.
    pub fn with_jobs(
        levels: u32,
        memory: u64,
        collection: Collection,
        jobs: u32,
    ) -> Result<Self, OutOfNodes> {
        let capacity = (memory / BYTES_PER_NODE).clamp(1 << 12, (1 << 31) - 1) as usize;
        // The cache is paid for at once, and again at each collection.
        let cache = match levels {
            0..=16 => 1 << 13,
            17..=64 => 1 << 16,
            _ => 1 << 20,
        };
        let cache = cache.min(capacity.next_power_of_two());
        let manager = oxidd::bdd::new_manager(capacity, cache, jobs);
        split(&manager, Some(0));
        let (truth, falsity, variables) = manager.with_manager_exclusive(|manager| {
            let variables = manager.add_vars(levels);
            let variables: Result<Vec<_>, _> = variables
                .map(|variable| BDDFunction::var(manager, variable).map(Bdd))
                .collect();
            let truth = Bdd(BDDFunction::t(manager));
            let falsity = Bdd(BDDFunction::f(manager));
            variables.map(|variables| (truth, falsity, variables))
        })?;
        Ok(Bdds {
            manager,
            variables,
            truth,
            falsity,
            collection,
            live: Cell::new(0),
            peak_live: Cell::new(0),
            most_operations: Cell::new(u64::MAX),
            operations_left: Cell::new(u64::MAX),
            most_nodes: Cell::new(usize::MAX),
            uncounted: Cell::new(0),
            watch: Watch::default(),
        })
    }

    /// From now on no operation succeeds once the work is cancelled, and whoever watches it
    /// sees how many nodes there are.
    pub fn watched_by(mut self, watch: &Watch) -> Self {
        self.watch = watch.clone();
        self
    }

    /// From now on no operation succeeds once there were so many: work is counted so that what
    /// an attempt finds is the same from run to run.
    pub fn limited_to(self, operations: u64) -> Self {
        self.most_operations.set(operations);
        self.operations_left.set(operations);
        self
    }

    /// From now on so many operations may be made, as long as there are not so many nodes more.
    pub fn grow_at_most(&self, nodes: usize, operations: u64) {
        let most = self.total_nodes().saturating_add(nodes);
        self.most_nodes.set(most);
        self.uncounted.set(0);
        let most = self.operations().saturating_add(operations);
        let left = most - self.operations();
        self.most_operations.set(most);
        self.operations_left.set(left);
    }

    /// Runs `work` with the manager held: see the top of this file.
    pub fn session<T>(&self, work: impl FnOnce() -> T) -> T {
        self.manager.with_manager_shared(|_| work())
    }

    pub fn constant(&self, value: bool) -> Bdd {
        if value { &self.truth } else { &self.falsity }.clone()
    }

    pub fn variable(&self, level: Level) -> Bdd {
        self.variables[level as usize].clone()
    }

    pub fn is_false(&self, f: &Bdd) -> bool {
        *f == self.falsity
    }

    pub fn is_true(&self, f: &Bdd) -> bool {
        *f == self.truth
    }

    fn retry<T>(
        &self,
        operation: impl Fn() -> Result<T, oxidd::util::OutOfMemory>,
    ) -> Result<T, OutOfNodes> {
        let left = self.operations_left.get().checked_sub(1);
        self.operations_left.set(left.ok_or(OutOfNodes)?);
        if self.watch.has_requests() {
            self.answer_requests()?;
        }
        self.look_at_nodes()?;
        operation().or_else(|_| {
            self.collect();
            operation().map_err(|_| OutOfNodes)
        })
    }

    /// Fails if there are too many nodes. To count them takes as long as there are variables, so
    /// that is not done for each operation.
    fn look_at_nodes(&self) -> Result<(), OutOfNodes> {
        let most_nodes = self.most_nodes.get();
        if most_nodes == usize::MAX {
            return Ok(());
        }
        if let Some(left) = self.uncounted.get().checked_sub(1) {
            self.uncounted.set(left);
            return Ok(());
        }
        self.uncounted.set(self.variables.len() / COUNTED_VARIABLES);
        if self.total_nodes() > most_nodes {
            self.collect();
            if self.total_nodes() > most_nodes {
                self.uncounted.set(0);
                return Err(OutOfNodes);
            }
        }
        Ok(())
    }

    #[cold]
    fn answer_requests(&self) -> Result<(), OutOfNodes> {
        if self.watch.wants_nodes() {
            self.watch.see_nodes(self.total_nodes());
        }
        match self.watch.is_cancelled() {
            true => Err(OutOfNodes),
            false => Ok(()),
        }
    }

    pub fn not(&self, f: &Bdd) -> BddResult {
        self.retry(|| f.0.not()).map(Bdd)
    }

    pub fn and(&self, f: &Bdd, g: &Bdd) -> BddResult {
        self.retry(|| f.0.and(&g.0)).map(Bdd)
    }

    pub fn or(&self, f: &Bdd, g: &Bdd) -> BddResult {
        if self.is_false(f) {
            return Ok(g.clone());
        }
        self.retry(|| f.0.or(&g.0)).map(Bdd)
    }

    pub fn xor(&self, f: &Bdd, g: &Bdd) -> BddResult {
        self.retry(|| f.0.xor(&g.0)).map(Bdd)
    }

    pub fn equivalent(&self, f: &Bdd, g: &Bdd) -> BddResult {
        self.retry(|| f.0.equiv(&g.0)).map(Bdd)
    }

    pub fn implies(&self, f: &Bdd, g: &Bdd) -> BddResult {
        self.retry(|| f.0.imp(&g.0)).map(Bdd)
    }

    /// `f` and not `g`.
    pub fn difference(&self, f: &Bdd, g: &Bdd) -> BddResult {
        if self.is_false(g) {
            return Ok(f.clone());
        }
        self.retry(|| g.0.imp_strict(&f.0)).map(Bdd)
    }

    /// Adds to a set: what of `more` is new in it, if anything is.
    pub fn grow(&self, set: &mut Bdd, more: &Bdd) -> Result<Option<Bdd>, OutOfNodes> {
        let new = self.difference(more, set)?;
        if self.is_false(&new) {
            return Ok(None);
        }
        *set = self.or(set, &new)?;
        Ok(Some(new))
    }

    pub fn if_then_else(&self, c: &Bdd, f: &Bdd, g: &Bdd) -> BddResult {
        self.retry(|| c.0.ite(&f.0, &g.0)).map(Bdd)
    }

    /// `cube` is a conjunction of variables, from [`Bdds::cube`].
    pub fn exists(&self, f: &Bdd, cube: &Bdd) -> BddResult {
        if self.is_true(cube) {
            return Ok(f.clone());
        }
        self.retry(|| f.0.exists(&cube.0)).map(Bdd)
    }

    /// There are values of `cube` for which both `f` and `g` hold.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> BddResult {
        if self.is_true(g) {
            return self.exists(f, cube);
        }
        self.retry(|| f.0.apply_exists(BooleanOperator::And, &g.0, &cube.0))
            .map(Bdd)
    }

    /// The conjunction of variables.
    pub fn cube(&self, levels: impl IntoIterator<Item = Level>) -> BddResult {
        self.minterm(levels.into_iter().map(|level| (level, true)))
    }

    /// The conjunction of literals.
    pub fn minterm(&self, literals: impl IntoIterator<Item = (Level, bool)>) -> BddResult {
        let mut literals: Vec<_> = literals.into_iter().collect();
        // From the bottom up, each conjunction adds one node.
        literals.sort_unstable_by_key(|(level, _)| std::cmp::Reverse(*level));
        let mut result = self.constant(true);
        for (level, value) in literals {
            let variable = self.variable(level);
            let literal = if value {
                variable
            } else {
                self.not(&variable)?
            };
            result = self.and(&literal, &result)?;
        }
        Ok(result)
    }

    /// The values, level by level, of the member of `f` that is smallest when levels are
    /// compared from the top; `None` where the value does not matter. `None` if `f` is
    /// empty.
    pub fn smallest(&self, f: &Bdd) -> Option<Vec<Option<bool>>> {
        let cube = f.0.pick_cube(|_, _, _| false)?;
        let value = |value: OptBool| match value {
            OptBool::None => None,
            OptBool::False => Some(false),
            OptBool::True => Some(true),
        };
        Some(cube.into_iter().map(value).collect())
    }

    /// Whether the valuation, given for every level, is a member of `f`.
    pub fn contains(&self, f: &Bdd, valuation: &[bool]) -> bool {
        let values = valuation.iter().enumerate();
        f.0.eval(values.map(|(level, value)| (level as u32, *value)))
    }

    /// The topmost variable that `f` depends on, and what is left of `f` where it is false
    /// and where it is true; `None` if `f` is constant.
    pub fn branch(&self, f: &Bdd) -> Option<(Level, Bdd, Bdd)> {
        let (yes, no) = f.0.cofactors()?;
        let level =
            f.0.with_manager_shared(|manager, edge| match manager.get_node(edge) {
                Node::Inner(node) => node.level(),
                Node::Terminal(_) => Level::MAX,
            });
        Some((level, Bdd(no), Bdd(yes)))
    }

    /// The inner nodes of `f`; `None` if there are more than `most`.
    // A BDD is hashed by the number of its node, which stays as long as the BDD does.
    #[expect(clippy::mutable_key_type)]
    pub fn nodes(&self, f: &Bdd, most: usize) -> Option<NodeList> {
        let mut nodes: Vec<(Level, Bdd, Bdd, Bdd)> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![f.clone()];
        while let Some(node) = todo.pop() {
            if let Some((level, no, yes)) = self.branch(&node)
                && seen.insert(node.clone())
            {
                if nodes.len() == most {
                    return None;
                }
                todo.extend([yes.clone(), no.clone()]);
                nodes.push((level, node, no, yes));
            }
        }
        nodes.sort_by_key(|(level, ..)| *level);
        let numbers = nodes.iter().map(|(_, node, ..)| node).zip(2..);
        let numbers: FxHashMap<&Bdd, u32> = numbers.collect();
        let reference = |f: &Bdd| match numbers.get(f) {
            Some(number) => *number,
            None => u32::from(self.is_true(f)),
        };
        let listed = nodes.iter();
        let listed = listed.map(|(level, _, no, yes)| (*level, reference(no), reference(yes)));
        Some(NodeList {
            nodes: listed.collect(),
            root: reference(f),
        })
    }

    /// The BDD of a list whose levels stand for others.
    pub fn import(&self, list: &NodeList, level: impl Fn(Level) -> Level) -> BddResult {
        let mut made = vec![self.constant(false); list.nodes.len() + 2];
        made[1] = self.constant(true);
        for (index, (at, no, yes)) in list.nodes.iter().enumerate().rev() {
            let variable = self.variable(level(*at));
            let [no, yes] = [no, yes].map(|reference| &made[*reference as usize]);
            made[index + 2] = self.if_then_else(&variable, yes, no)?;
        }
        Ok(made[list.root as usize].clone())
    }

    /// How many valuations of `variables` variables satisfy `f`, which depends on no others.
    pub fn count(&self, f: &Bdd, variables: u32) -> Natural {
        let mut cache = SatCountCache::<Natural, FxBuildHasher>::default();
        f.0.sat_count(variables, &mut cache)
    }

    pub fn node_count(&self, f: &Bdd) -> usize {
        f.0.node_count()
    }

    /// Nodes in the table, garbage included.
    pub fn total_nodes(&self) -> usize {
        self.manager.with_manager_shared(|m| m.num_inner_nodes())
    }

    /// Operations asked for so far.
    pub fn operations(&self) -> u64 {
        self.most_operations.get() - self.operations_left.get()
    }

    /// The largest number of nodes that a collection has left; where that is measured, after one
    /// more, which takes as long as there are nodes.
    pub fn peak_live_nodes(&self) -> usize {
        if let Collection::Measured = self.collection {
            self.collect();
        }
        self.peak_live.get()
    }

    /// A place where nothing is under way: collects garbage if it is time.
    pub fn safe_point(&self) {
        let live = self.live.get();
        let (nodes, most) = match self.collection {
            Collection::Measured => (self.total_nodes(), (2 * live).max(MEASURED_NODES)),
            Collection::Rare => {
                let growth = if live < MANY_LIVE_NODES { 4 } else { 2 };
                let nodes = self
                    .manager
                    .with_manager_shared(|m| m.approx_num_inner_nodes());
                (nodes, (growth * live).max(COLLECTED_NODES))
            }
        };
        if nodes >= most {
            self.collect();
        }
    }

    pub fn collect(&self) {
        self.manager.with_manager_shared(|m| m.gc());
        self.live.set(self.total_nodes());
        split(
            &self.manager,
            (self.live.get() < PARALLEL_NODES).then_some(0),
        );
        self.peak_live
            .set(self.peak_live.get().max(self.live.get()));
    }
}

/// Lets operations be divided among threads down to this level; `None` for a level that suits
/// the number of threads.
fn split(manager: &BDDManagerRef, depth: Option<u32>) {
    manager.with_manager_shared(|m| m.workers().set_split_depth(depth));
}

impl From<oxidd::util::OutOfMemory> for OutOfNodes {
    fn from(_: oxidd::util::OutOfMemory) -> Self {
        OutOfNodes
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.0.node_count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of functions of 24 variables, made by some operations of each kind from fixed
    /// random numbers.
    fn sizes(bdds: &Bdds) -> Vec<usize> {
        bdds.session(|| {
            let mut chance = 88_172_645_463_325_252_u64;
            let mut below = |bound: u64| {
                chance ^= chance << 13;
                chance ^= chance >> 7;
                chance ^= chance << 17;
                (chance % bound) as usize
            };
            let mut known: Vec<Bdd> = (0..24).map(|level| bdds.variable(level)).collect();
            let cube = bdds.minterm((0..24).step_by(5).map(|level| (level, true)));
            let cube = cube.expect("small");
            for _ in 0..400 {
                let f = known[below(known.len() as u64)].clone();
                let g = known[known.len() - 1 - below(12)].clone();
                let made = match below(5) {
                    0 => bdds.and(&f, &g),
                    1 => bdds.or(&f, &g),
                    2 => bdds.xor(&f, &g),
                    3 => bdds.and_exists(&f, &g, &cube),
                    _ => bdds.difference(&f, &g),
                };
                known.push(made.expect("there is memory enough"));
                bdds.safe_point();
            }
            known.iter().map(|f| bdds.node_count(f)).collect()
        })
    }

    #[test]
    fn several_threads_find_the_same_functions() {
        let one = Bdds::new(24, 1 << 26, Collection::Rare).expect("small");
        let several = Bdds::with_jobs(24, 1 << 26, Collection::Rare, 4).expect("small");
        split(&several.manager, None);
        let sizes = sizes(&one);
        assert!(sizes.iter().any(|size| *size > 100), "{sizes:?}");
        assert_eq!(sizes, self::sizes(&several));
    }
}
