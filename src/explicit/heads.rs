//! The heads of the product of a program and a Büchi automaton, and how they follow.
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

use super::TooLarge;
use super::buchi::Marks;
use super::cycle::MarkedEdge;
use super::product::{Control, Exit, Head, Move, Product};
use crate::interpreter::Waiting;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The number of a head among the reachable ones.
type HeadId = usize;

/// All executions of frames that were entered in the same head.
#[derive(Default)]
struct Frames {
    /// How they were left, and the marks seen from the entry to the pop, its step included.
    exits: FxHashSet<(Exit, Marks)>,
    /// Who waits for them: the head that its frame was entered in, how it waits, and the
    /// marks seen from that entry to the call, its step included.
    waiting: FxHashSet<(HeadId, Waiting, Marks)>,
    /// Whether such a frame can be the lowest one.
    lowest: bool,
}

struct Exploration<'a> {
    product: &'a Product<'a>,
    allowed: usize,
    heads: IndexSet<Head, FxBuildHasher>,
    /// By the head they were entered in.
    frames: FxHashMap<HeadId, Frames>,
    /// Path edges: the head a frame was entered in, a head it can come to, and the marks
    /// seen on some way there.
    seen: FxHashSet<(HeadId, HeadId, Marks)>,
    todo: Vec<(HeadId, HeadId, Marks)>,
}

/// The graph of the reachable heads: how many there are, and its edges. Fails if there are
/// more than `allowed` path edges or more than `allowed` edges.
pub fn head_graph(
    product: &Product<'_>,
    allowed: usize,
) -> Result<(usize, Vec<MarkedEdge>), TooLarge> {
    let mut exploration = Exploration {
        product,
        allowed,
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
    let edges = exploration.edges()?;
    Ok((exploration.heads.len(), edges))
}

impl Exploration<'_> {
    fn reach(&mut self, entry: HeadId, head: Head, marks: Marks) -> Result<(), TooLarge> {
        let head = self.heads.insert_full(head).0;
        if self.seen.insert((entry, head, marks)) {
            self.todo.push((entry, head, marks));
        }
        match self.seen.len() > self.allowed {
            true => Err(TooLarge),
            false => Ok(()),
        }
    }

    fn enter(&mut self, head: Head) -> Result<HeadId, TooLarge> {
        let entry = self.heads.insert_full(head.clone()).0;
        self.reach(entry, head, 0)?;
        Ok(entry)
    }

    fn explore(&mut self, entry: HeadId, head: HeadId, before: Marks) -> Result<(), TooLarge> {
        for (next, marks) in self.product.moves(&self.heads[head])? {
            let marks = before | marks;
            match next {
                Move::Step(next) => self.reach(entry, next, marks)?,
                Move::Push(callee, waiting) => {
                    let callee = self.enter(callee)?;
                    let frames = self.frames.entry(callee).or_default();
                    if frames.waiting.insert((entry, waiting.clone(), marks)) {
                        let exits: Vec<_> = frames.exits.iter().cloned().collect();
                        for (exit, inside) in exits {
                            self.resume(entry, &waiting, &exit, marks | inside)?;
                        }
                    }
                }
                Move::Pop(exit) => {
                    let frames = self.frames.entry(entry).or_default();
                    if frames.lowest {
                        let end = Head {
                            control: Control::Terminated(exit.globals.clone()),
                            state: exit.state,
                        };
                        self.reach(entry, end, marks)?;
                    }
                    let frames = self.frames.entry(entry).or_default();
                    if frames.exits.insert((exit.clone(), marks)) {
                        let waiting: Vec<_> = frames.waiting.iter().cloned().collect();
                        for (caller, waiting, before) in waiting {
                            self.resume(caller, &waiting, &exit, before | marks)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn resume(
        &mut self,
        entry: HeadId,
        waiting: &Waiting,
        exit: &Exit,
        marks: Marks,
    ) -> Result<(), TooLarge> {
        for head in self.product.resumed(waiting, exit)? {
            self.reach(entry, head, marks)?;
        }
        Ok(())
    }

    /// The edges between all heads, once the summaries are complete. The step of the lowest
    /// frame to *terminated* is left out: nothing leads back from there.
    fn edges(&self) -> Result<Vec<MarkedEdge>, TooLarge> {
        let mut edges = FxHashSet::default();
        for (source, head) in self.heads.iter().enumerate() {
            for (next, marks) in self.product.moves(head)? {
                match next {
                    Move::Step(target) => {
                        edges.insert((source, self.number(&target), marks));
                    }
                    Move::Push(callee, waiting) => {
                        let callee = self.number(&callee);
                        edges.insert((source, callee, marks));
                        let exits = self.frames.get(&callee).map(|frames| &frames.exits);
                        for (exit, inside) in exits.into_iter().flatten() {
                            for target in self.product.resumed(&waiting, exit)? {
                                edges.insert((source, self.number(&target), marks | inside));
                            }
                        }
                    }
                    Move::Pop(_) => {}
                }
                if edges.len() > self.allowed {
                    return Err(TooLarge);
                }
            }
        }
        Ok(edges.into_iter().collect())
    }

    fn number(&self, head: &Head) -> HeadId {
        let number = self.heads.get_index_of(head);
        number.expect("what follows a reachable head is reachable")
    }
}
