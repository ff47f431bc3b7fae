//! The heads of the product of a machine and a Büchi automaton, and how they follow.
//!
//! First the product is explored by path edges, as in Bebop: an entered head, a head its
//! frame can come to, and the marks seen in between. They yield the summaries: how frames
//! that were entered in some head can be left, and with which marks. Then the heads are
//! joined to a graph: by steps within a frame, by calls into the entered frame, and by
//! calls over the entered frame to where its summaries lead.
//!
//! Each infinite run of the product is an infinite path in this graph and the other way
//! round: take the configurations after which the stack never gets lower; from one to the
//! next either the frame makes a step, or it calls and returns, or it calls for good
//! (Bouajjani, Esparza, Maler, *Reachability analysis of pushdown automata*, 1997).
//! So some run sees all marks infinitely often iff some cycle of the graph has them all.
//!
//! Path edges are as many as pairs of heads, times the sets of marks.

use super::buchi::Marks;
use super::cycle::MarkedEdge;
use super::machine::{Machine, Step};
use super::product::{Exit, Head, Product};
use crate::watch::Abort;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The number of a head among the reachable ones.
type HeadId = usize;

/// Who waits for a frame to be popped.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Waiting<Frame> {
    /// The head that its own frame was entered in.
    entry: HeadId,
    frame: Frame,
    /// The marks seen from that entry to the push, its step included.
    marks: Marks,
}

/// All executions of frames that were entered in the same head.
struct Frames<M: Machine> {
    /// How they were left, and the marks seen from the entry to the pop, its step included.
    exits: FxHashSet<(Exit<M::Exit>, Marks)>,
    waiting: FxHashSet<Waiting<M::Frame>>,
    /// Whether such a frame can be the lowest one.
    lowest: bool,
}

impl<M: Machine> Default for Frames<M> {
    fn default() -> Self {
        Frames {
            exits: FxHashSet::default(),
            waiting: FxHashSet::default(),
            lowest: false,
        }
    }
}

struct Exploration<'a, M: Machine> {
    product: &'a Product<'a, M>,
    heads: IndexSet<Head<M::View>, FxBuildHasher>,
    /// By the head they were entered in.
    frames: FxHashMap<HeadId, Frames<M>>,
    /// Path edges: the head a frame was entered in, a head it can come to, and the marks
    /// seen on some way there.
    seen: FxHashSet<(HeadId, HeadId, Marks)>,
    todo: Vec<(HeadId, HeadId, Marks)>,
}

/// The graph of the reachable heads.
pub struct HeadGraph<View> {
    pub heads: IndexSet<Head<View>, FxBuildHasher>,
    pub edges: Vec<MarkedEdge>,
}

/// Fails if there are more path edges than the budget allows, or more edges.
pub fn head_graph<M: Machine>(product: &Product<'_, M>) -> Result<HeadGraph<M::View>, Abort> {
    let exploration = explore(product)?;
    let edges = exploration.edges()?;
    Ok(HeadGraph {
        heads: exploration.heads,
        edges,
    })
}

/// The reachable heads alone.
pub fn reachable_heads<M: Machine>(
    product: &Product<'_, M>,
) -> Result<impl Iterator<Item = Head<M::View>>, Abort> {
    Ok(explore(product)?.heads.into_iter())
}

fn explore<'a, M: Machine>(product: &'a Product<'a, M>) -> Result<Exploration<'a, M>, Abort> {
    let mut exploration = Exploration {
        product,
        heads: IndexSet::default(),
        frames: FxHashMap::default(),
        seen: FxHashSet::default(),
        todo: Vec::new(),
    };
    for start in product.starts()? {
        let entry = exploration.enter(start)?;
        exploration.frames.entry(entry).or_default().lowest = true;
    }
    while let Some((entry, head, marks)) = exploration.todo.pop() {
        exploration.explore(entry, head, marks)?;
    }
    Ok(exploration)
}

impl<M: Machine> Exploration<'_, M> {
    fn reach(&mut self, entry: HeadId, head: Head<M::View>, marks: Marks) -> Result<(), Abort> {
        let head = self.heads.insert_full(head).0;
        if self.seen.insert((entry, head, marks)) {
            self.todo.push((entry, head, marks));
        }
        self.product.budget.allow(self.seen.len())
    }

    fn enter(&mut self, head: Head<M::View>) -> Result<HeadId, Abort> {
        let entry = self.heads.insert_full(head.clone()).0;
        self.reach(entry, head, 0)?;
        Ok(entry)
    }

    fn explore(&mut self, entry: HeadId, head: HeadId, before: Marks) -> Result<(), Abort> {
        for (next, marks) in self.product.moves(&self.heads[head])? {
            let marks = before | marks;
            match next {
                Step::Next(next) => self.reach(entry, next, marks)?,
                Step::Push(callee, frame) => {
                    let callee = self.enter(callee)?;
                    let waiting = Waiting {
                        entry,
                        frame,
                        marks,
                    };
                    let frames = self.frames.entry(callee).or_default();
                    if frames.waiting.insert(waiting.clone()) {
                        let exits: Vec<_> = frames.exits.iter().cloned().collect();
                        for (exit, inside) in exits {
                            self.resume(&waiting, &exit, inside)?;
                        }
                    }
                }
                Step::Pop(exit) => {
                    let frames = self.frames.entry(entry).or_default();
                    if frames.lowest {
                        self.reach(entry, self.product.below(&exit), marks)?;
                    }
                    let frames = self.frames.entry(entry).or_default();
                    if frames.exits.insert((exit.clone(), marks)) {
                        let waiting: Vec<_> = frames.waiting.iter().cloned().collect();
                        for waiting in waiting {
                            self.resume(&waiting, &exit, marks)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn resume(
        &mut self,
        waiting: &Waiting<M::Frame>,
        exit: &Exit<M::Exit>,
        inside: Marks,
    ) -> Result<(), Abort> {
        for head in self.product.resumed(&waiting.frame, exit)? {
            self.reach(waiting.entry, head, waiting.marks | inside)?;
        }
        Ok(())
    }

    /// The edges between all heads, once the summaries are complete. The step of the lowest
    /// frame to what is below is left out: nothing leads back from there.
    fn edges(&self) -> Result<Vec<MarkedEdge>, Abort> {
        let mut edges = FxHashSet::default();
        for (source, head) in self.heads.iter().enumerate() {
            for (next, marks) in self.product.moves(head)? {
                match next {
                    Step::Next(target) => {
                        edges.insert((source, self.number(&target), marks));
                    }
                    Step::Push(callee, frame) => {
                        let callee = self.number(&callee);
                        edges.insert((source, callee, marks));
                        let exits = self.frames.get(&callee).map(|frames| &frames.exits);
                        for (exit, inside) in exits.into_iter().flatten() {
                            for target in self.product.resumed(&frame, exit)? {
                                edges.insert((source, self.number(&target), marks | inside));
                            }
                        }
                    }
                    Step::Pop(_) => {}
                }
                self.product.budget.allow(edges.len())?;
            }
        }
        Ok(edges.into_iter().collect())
    }

    fn number(&self, head: &Head<M::View>) -> HeadId {
        let number = self.heads.get_index_of(head);
        number.expect("what follows a reachable head is reachable")
    }
}
