//! Sets that flow along edges: the solver of inclusion constraints (Andersen).
//!
//! A worklist of new elements. Some constraints wait for elements of a node, and are told of each
//! one once: they may add edges. Cubic in the worst case, as good as linear on what is met.

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

#[derive(Default)]
pub struct Flow {
    sets: Vec<BTreeSet<u32>>,
    successors: Vec<Vec<u32>>,
    edges: FxHashSet<(u32, u32)>,
    watchers: Vec<Vec<u32>>,
    /// Elements that the successors of a node have not got yet.
    pending: Vec<(u32, u32)>,
    /// What constraints are to be told.
    news: Vec<(u32, u32)>,
}

impl Flow {
    /// Makes room for a node.
    pub fn grow(&mut self, node: u32) {
        let size = node as usize + 1;
        if self.sets.len() < size {
            self.sets.resize_with(size, BTreeSet::new);
            self.successors.resize_with(size, Vec::new);
            self.watchers.resize_with(size, Vec::new);
        }
    }

    pub fn add(&mut self, node: u32, element: u32) {
        if self.sets[node as usize].insert(element) {
            self.pending.push((node, element));
        }
    }

    /// What is in one is in the other.
    pub fn connect(&mut self, from: u32, to: u32) {
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.successors[from as usize].push(to);
        for element in self.sets[from as usize].clone() {
            self.add(to, element);
        }
    }

    /// A constraint is told of all elements of a node.
    pub fn watch(&mut self, node: u32, constraint: u32) {
        self.watchers[node as usize].push(constraint);
        let elements = self.sets[node as usize].iter();
        self.news
            .extend(elements.map(|element| (constraint, *element)));
    }

    /// Lets elements flow until a constraint must be told of one.
    pub fn next(&mut self) -> Option<(u32, u32)> {
        loop {
            if let Some(news) = self.news.pop() {
                return Some(news);
            }
            let (node, element) = self.pending.pop()?;
            for index in 0..self.successors[node as usize].len() {
                self.add(self.successors[node as usize][index], element);
            }
            let watchers = self.watchers[node as usize].iter();
            self.news
                .extend(watchers.map(|constraint| (*constraint, element)));
        }
    }

    pub fn set(&self, node: u32) -> &BTreeSet<u32> {
        &self.sets[node as usize]
    }

    /// All edges, in their order.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let nodes = (0..).zip(&self.successors);
        nodes.flat_map(|(from, to)| to.iter().map(move |to| (from, *to)))
    }
}
