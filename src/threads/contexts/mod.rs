//! Executions of recursive threads, context after context (Qadeer and Rehof, TACAS 2005), with
//! symbolic data.
//!
//! A *node* of the tree of schedules is a thread that runs as the next context after those
//! above it. Its `post*` begins with the stacks in which the thread was last left, and with
//! the globals as the context before has left them. Sets of global configurations are never
//! made: the [`history`] of the globals at each switch is part of all valuations, and ties
//! together the automata of threads that belong to one execution. So control, schedule and
//! created threads are explicit, values symbolic, and only what some execution within the
//! bound comes to is ever computed.
//!
//! Why not one relation for all schedules, with the threads that ran as data (Getafix, section
//! 5.1)? Its frontiers mix the histories of all schedules, and each round of the fixed point
//! goes through all of them; here a node is finished once and for all, and its automaton is
//! shared by everything below it. The price is one `post*` a schedule: with n threads there
//! are (n - 1) times as many with each switch, fewer where threads are alike.

mod begin;
mod created;
mod history;
mod modular;
mod saturation;
mod schedule;

pub use history::Room;
pub use schedule::{Schedule, ThreadBegin};

use crate::analysis::{Analyses, order};
use crate::bdd::{Bdd, Bdds};
use crate::program::{PointId, Program, Threads};
use crate::rules::{Meaning, Rules, Subject};
use crate::spds::copies::{Copies, Order};
use crate::spds::{EntryId, Head, Spds, encode};
use crate::threads::{Measure, Settings, Sizes};
use crate::watch::{Abort, Watch};
use created::Created;
use history::History;
use rustc_hash::{FxHashMap, FxHashSet};
use saturation::{Place, Saturation, Waiting};

/// An entry in one context, with the threads created before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameId(u32);

/// What an edge leads to; `None` below the lowest frame.
pub type Target = Option<FrameId>;

struct Frame {
    entry: EntryId,
    waiting: Vec<Waiting>,
}

/// A point that was looked for and reached.
pub struct Hit {
    /// The last context.
    pub node: u32,
    pub point: PointId,
    /// Whether the assertion there fails.
    pub fails: bool,
    created: Created,
    set: Bdd,
}

/// A context.
struct Node {
    parent: Option<u32>,
    /// Of the running thread; 0 for the one that runs before the others.
    thread: u32,
    /// How many contexts of threads other than 0 are before it.
    depth: u32,
    /// How often the running thread has changed to one with a smaller number, and once more.
    rounds: u32,
    /// Created before it.
    created: Created,
    edges: Vec<(Place, Bdd)>,
    /// For each list of created threads, where and how the thread may be left; once it is
    /// needed.
    left: Option<FxHashMap<Created, Departures>>,
}

/// A context that is to be looked at, and the edges that it begins with.
type Candidate = (Node, Vec<(Place, Bdd)>);

/// How a thread may be left.
#[derive(Default)]
struct Departures {
    /// Without the shared globals, which the history has.
    edges: Vec<(Head, Target, Bdd)>,
    /// The histories.
    histories: Option<Bdd>,
}

/// The tree of schedules, and all there is of automata.
pub struct Contexts<'a> {
    program: &'a Program,
    threads: &'a Threads,
    rules: &'a Rules<'a>,
    spds: &'a Spds,
    bdds: &'a Bdds,
    watch: &'a Watch,
    history: History<'a>,
    measure: Measure,
    /// How many switches there may be at most, as far as created threads need to know.
    most_switches: u32,
    nodes: Vec<Node>,
    frames: Vec<Frame>,
    frame_of: FxHashMap<(u32, EntryId, Created), FrameId>,
    /// Where each list of created threads was made longer, and which one.
    lists: Vec<(Created, PointId)>,
    list_of: FxHashMap<(Created, PointId), Created>,
    /// The points that are looked for, and the assertions that are to fail.
    reaching: FxHashSet<PointId>,
    failing: FxHashSet<PointId>,
    /// The nodes to begin the next layer with.
    next: Vec<u32>,
    /// The contexts of the last layer that were not looked at, the first of them last.
    left_out: Vec<Candidate>,
    has_begun: bool,
}

/// What is searched, and how far.
pub struct Search<'a> {
    pub program: &'a Program,
    pub threads: &'a Threads,
    /// As far as created threads need to know.
    pub most_switches: u32,
    pub room: Room,
    pub settings: Settings<'a>,
}

/// Makes the symbolic model of a program's threads, and runs `work` on it.
pub fn with_contexts<T>(
    search: &Search<'_>,
    work: impl FnOnce(&mut Contexts<'_>) -> Result<T, Abort>,
) -> Result<T, Abort> {
    let subject = Subject::Program(search.program);
    let rules = subject.rules(subject.layout(), true);
    let analyses = Analyses::of(&rules, &[]);
    let list = order::interleaved_bits(&rules);
    let count = search.room.copies();
    let levels = rules.layout.len() * count;
    let Settings { measure, watch, .. } = search.settings;
    let bdds = search.settings.bdds(levels)?;
    bdds.session(|| {
        let order = Order::new(&rules.layout.order(list.as_deref()));
        let copies = Copies::new(&bdds, order, count);
        let spds = encode(&rules, &analyses, &copies, None, watch)?;
        let history = History::new(&copies, &rules.layout, search.threads, search.room);
        work(&mut Contexts {
            program: search.program,
            threads: search.threads,
            rules: &rules,
            spds: &spds,
            bdds: &bdds,
            watch,
            history,
            measure,
            most_switches: search.most_switches,
            nodes: Vec::new(),
            frames: Vec::new(),
            frame_of: FxHashMap::default(),
            lists: vec![(Created(0), PointId(0))],
            list_of: FxHashMap::default(),
            reaching: FxHashSet::default(),
            failing: FxHashSet::default(),
            next: Vec::new(),
            left_out: Vec::new(),
            has_begun: false,
        })
    })
}

impl Contexts<'_> {
    /// Looks for these points, and for these assertions to fail.
    pub fn look_for(&mut self, reaching: FxHashSet<PointId>, failing: FxHashSet<PointId>) {
        (self.reaching, self.failing) = (reaching, failing);
    }

    /// Explores all executions with one switch, or round, more than before (at first: with none,
    /// or one), until `enough` says so of a hit. What was hit, in the order found.
    pub fn layer(&mut self, mut enough: impl FnMut(&Hit) -> bool) -> Result<Vec<Hit>, Abort> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return self.begin(enough);
        }
        let (mut nodes, mut hits) = (Vec::new(), Vec::new());
        for parent in std::mem::take(&mut self.next) {
            nodes.extend(self.children(parent, true)?);
        }
        self.explore(nodes, &mut hits, &mut enough)?;
        Ok(hits)
    }

    /// What else is hit within the same bound: what was found first need not be the shortest. Of
    /// the contexts that were left out, so many are looked at as there are already.
    pub fn further(&mut self) -> Result<Vec<Hit>, Abort> {
        let mut hits = Vec::new();
        let most = 2 * self.nodes.len();
        while self.nodes.len() < most
            && let Some((node, starts)) = self.left_out.pop()
        {
            self.saturate(node, starts, &mut hits)?;
        }
        Ok(hits)
    }

    /// Whether no schedule goes on after the last layer.
    pub fn is_complete(&self) -> bool {
        self.has_begun && self.next.is_empty()
    }

    pub fn sizes(&self) -> Sizes {
        let edges = self.nodes.iter().map(|node| node.edges.len());
        Sizes {
            rules: self.spds.rules.len(),
            edges: edges.sum(),
            reached_points: 0,
            bdd_variables: self.rules.layout.len() * self.history.room().copies(),
            operations: self.bdds.operations(),
            peak_live_nodes: self.bdds.peak_live_nodes(),
        }
    }

    /// The thread that runs before the others, and the first contexts.
    fn begin(&mut self, mut enough: impl FnMut(&Hit) -> bool) -> Result<Vec<Hit>, Abort> {
        let mut hits = Vec::new();
        let free = self.bdds.not(&self.history.exclusive)?;
        let first = self.threads.init.map(|init| {
            let head = Head(self.program.procedure(init).entry().0);
            ((head, Created(0), None), free.clone())
        });
        let mut nodes = Vec::new();
        match first {
            Some(start) => {
                let node = Node::new(None, 0, 0, 1, Created(0));
                let node = self.saturate(node, vec![start], &mut hits)?;
                if hits.iter().any(&mut enough) {
                    return Ok(hits);
                }
                nodes.extend(self.children(node, false)?);
            }
            None => {
                let histories = self.history.leave(&free, 0)?;
                for thread in 1..=self.threads.declared.len() as u32 {
                    let node = Node::new(None, thread, 0, 1, Created(0));
                    if self.is_like_an_earlier_one(&node) {
                        continue;
                    }
                    let begins = self.begins(thread, Created(0), &histories, 0)?;
                    nodes.push((node, vec![begins]));
                }
            }
        }
        self.explore(nodes, &mut hits, &mut enough)?;
        Ok(hits)
    }

    /// Looks at nodes, and at those after them that are in the same layer.
    fn explore(
        &mut self,
        mut open: Vec<Candidate>,
        hits: &mut Vec<Hit>,
        enough: &mut impl FnMut(&Hit) -> bool,
    ) -> Result<(), Abort> {
        open.reverse();
        while let Some((node, starts)) = open.pop() {
            let seen = hits.len();
            let node = self.saturate(node, starts, hits)?;
            if hits[seen..].iter().any(&mut *enough) {
                self.left_out = open;
                return Ok(());
            }
            self.next.push(node);
            if self.measure == Measure::Rounds {
                let children = self.children(node, false)?;
                open.extend(children.into_iter().rev());
            }
        }
        Ok(())
    }

    fn saturate(
        &mut self,
        node: Node,
        starts: Vec<(Place, Bdd)>,
        hits: &mut Vec<Hit>,
    ) -> Result<u32, Abort> {
        let most = self.most_created(&node);
        self.saturate_creating(node, starts, most, hits)
    }

    fn saturate_creating(
        &mut self,
        node: Node,
        starts: Vec<(Place, Bdd)>,
        most: u32,
        hits: &mut Vec<Hit>,
    ) -> Result<u32, Abort> {
        let id = self.nodes.len() as u32;
        self.nodes.push(node);
        let mut saturation = Saturation::new(self, id, most);
        for (place, set) in starts {
            saturation.add(place, &set)?;
        }
        saturation.run()?;
        let edges = saturation.edges();
        hits.append(&mut saturation.hits);
        self.nodes[id as usize].edges = edges;
        Ok(id)
    }

    /// How many threads may have been created after a context so that each can still run.
    fn most_created(&self, node: &Node) -> u32 {
        match self.measure {
            Measure::Rounds => u32::MAX,
            Measure::Switches => {
                let started = self.started(node);
                let left = self.most_switches.saturating_sub(node.depth);
                // After the thread that runs before all others there is one context more.
                started + left + u32::from(node.thread == 0)
            }
        }
    }

    /// How many of the created threads have run, the one of this node counted.
    fn started(&self, node: &Node) -> u32 {
        let declared = self.threads.declared.len() as u32;
        let mut threads: Vec<_> = self
            .path(node)
            .map(|node| node.thread)
            .filter(|thread| *thread > declared)
            .collect();
        threads.sort_unstable();
        threads.dedup();
        threads.len() as u32
    }

    /// A node and those above it.
    fn path<'n>(&'n self, node: &'n Node) -> impl Iterator<Item = &'n Node> {
        let parent = |node: &&'n Node| node.parent.map(|at| &self.nodes[at as usize]);
        std::iter::successors(Some(node), parent)
    }

    /// The contexts that may follow a node: those in the next layer, or in the same one.
    fn children(&mut self, parent: u32, next_layer: bool) -> Result<Vec<Candidate>, Abort> {
        self.leave(parent)?;
        let node = &self.nodes[parent as usize];
        let (running, rounds) = (node.thread, node.rounds);
        let depth = node.depth + u32::from(running != 0);
        if !self.history.has_room(depth) {
            return Err(Abort::OverBudget);
        }
        let mut lists: Vec<_> = node.left.iter().flatten().map(|(list, _)| *list).collect();
        lists.sort_unstable();
        let mut children = Vec::new();
        for created in lists {
            let departures = self.nodes[parent as usize].departures(created);
            let Some(histories) = departures.and_then(|all| all.histories.clone()) else {
                continue;
            };
            let threads = self.threads.declared.len() as u32 + self.created_count(created);
            for thread in (1..=threads).filter(|thread| *thread != running) {
                let is_back = running != 0 && thread < running;
                if self.measure == Measure::Rounds && is_back != next_layer {
                    continue;
                }
                let child = Node::new(
                    Some(parent),
                    thread,
                    depth,
                    rounds + u32::from(is_back),
                    created,
                );
                if self.is_like_an_earlier_one(&child) || !self.can_all_run(&child) {
                    continue;
                }
                let starts = self.starts(&child, &histories)?;
                if !starts.is_empty() {
                    children.push((child, starts));
                }
            }
        }
        Ok(children)
    }

    /// Whether the threads that were created can all still run.
    fn can_all_run(&self, node: &Node) -> bool {
        self.created_count(node.created) <= self.most_created(node)
    }

    /// Whether a thread begins before another one, of a smaller number, that is declared just
    /// as it is. Then the two can change places.
    fn is_like_an_earlier_one(&self, node: &Node) -> bool {
        let declared = &self.threads.declared;
        let index = node.thread as usize - 1;
        let Some(start) = declared
            .get(index)
            .filter(|_| self.measure == Measure::Switches)
        else {
            return false;
        };
        let has_run = |thread: usize| self.last_run(node, thread as u32 + 1).is_some();
        if has_run(index) {
            return false;
        }
        (0..index).any(|other| declared[other] == *start && !has_run(other))
    }

    /// The last context before a node in which a thread ran, and the one after that.
    fn last_run<'n>(&'n self, node: &'n Node, thread: u32) -> Option<(u32, &'n Node)> {
        let mut after = node;
        while let Some(at) = after.parent {
            let before = &self.nodes[at as usize];
            if before.thread == thread {
                return Some((at, after));
            }
            after = before;
        }
        None
    }

    /// Finds how a node's thread may be left.
    fn leave(&mut self, at: u32) -> Result<(), Abort> {
        if self.nodes[at as usize].left.is_some() {
            return Ok(());
        }
        let edges = std::mem::take(&mut self.nodes[at as usize].edges);
        let node = &self.nodes[at as usize];
        let is_init = node.thread == 0;
        let context = node.depth + u32::from(!is_init);
        if !self.history.has_room(context) {
            self.nodes[at as usize].edges = edges;
            return Err(Abort::OverBudget);
        }
        let bdds = self.bdds;
        let mut lists: FxHashMap<Created, Departures> = FxHashMap::default();
        for ((head, created, target), set) in edges {
            let has_ended = self.spds.bottom == Some(head);
            let is_point = matches!(self.rules.meaning(head), Meaning::Symbol(_)) && !is_init;
            if !(has_ended || is_point) {
                continue;
            }
            let mut set = self.history.leave(&set, context)?;
            if is_init {
                set = self.history.leave_own(&set)?;
            }
            if bdds.is_false(&set) {
                continue;
            }
            let left = lists.entry(created).or_default();
            let history = bdds.exists(&set, &self.spds.all_current_and_entry)?;
            left.histories = Some(match &left.histories {
                None => history,
                Some(histories) => bdds.or(histories, &history)?,
            });
            left.edges.push((head, target, set));
        }
        self.nodes[at as usize].left = Some(lists);
        Ok(())
    }

    /// The frame of an entry in a context.
    fn frame(&mut self, node: u32, entry: EntryId, created: Created) -> FrameId {
        let next = FrameId(self.frames.len() as u32);
        let frame = *self.frame_of.entry((node, entry, created)).or_insert(next);
        if frame == next {
            self.frames.push(Frame {
                entry,
                waiting: Vec::new(),
            });
        }
        frame
    }
}

impl Node {
    fn new(parent: Option<u32>, thread: u32, depth: u32, rounds: u32, created: Created) -> Self {
        Node {
            parent,
            thread,
            depth,
            rounds,
            created,
            edges: Vec::new(),
            left: None,
        }
    }

    /// How its thread may be left with a list of created threads.
    fn departures(&self, created: Created) -> Option<&Departures> {
        self.left.as_ref()?.get(&created)
    }
}
