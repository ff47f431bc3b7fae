//! Straight-line code as one step of the boolean program.
//!
//! Between two of its steps predicates must tell everything that matters; inside one, nothing is lost.
//! `i++; k++;` as one step keeps `i == k`, where two would need `i == k + 1`, too. A point joins the
//! block before it if control comes there by one edge only, goes on by one edge only, failures aside, and nobody
//! looks at it: it has no label, is no goal and no call. Linear in the edges.

use super::build::Workshop;
use super::edges::{Edge, To};
use crate::limits::abstraction::BLOCK_POINTS;
use crate::program::{Action, PointId, ProcedureId};
use crate::terms::Term;

/// An edge of the boolean program: edges of the program, one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    /// What they do together.
    pub edge: Edge,
    /// The points, and the number of the edge at each.
    pub parts: Vec<(PointId, usize)>,
}

impl Block {
    /// The point of its last edge.
    pub fn last(&self) -> PointId {
        self.parts[self.parts.len() - 1].0
    }
}

impl Workshop<'_> {
    /// An edge of the boolean program from a point where a block begins.
    pub(super) fn edge(&self, at: PointId, number: usize) -> &Edge {
        match &self.blocks[at.0 as usize] {
            Some(blocks) => &blocks[number].edge,
            None => &self.steps[at.0 as usize].edges[number],
        }
    }

    /// The edges of the program that it consists of.
    pub(super) fn parts(&self, at: PointId, number: usize) -> Vec<(PointId, usize)> {
        match &self.blocks[at.0 as usize] {
            Some(blocks) => blocks[number].parts.clone(),
            None => vec![(at, number)],
        }
    }

    /// Lays out blocks that end before these points.
    pub fn lay_blocks(&mut self, is_seen: &dyn Fn(PointId) -> bool) {
        let inner = self.inner_points(is_seen);
        let mut blocks: Vec<Option<Vec<Block>>> = Vec::with_capacity(inner.len());
        for at in (0..inner.len() as u32).map(PointId) {
            let edges = self.steps[at.0 as usize].edges.clone();
            let own = (!inner[at.0 as usize]).then(|| {
                let mut own = Vec::new();
                for (number, edge) in edges.into_iter().enumerate() {
                    let parts = vec![(at, number)];
                    self.extend(Block { edge, parts }, &inner, &mut own);
                }
                own
            });
            blocks.push(own);
        }
        self.blocks = blocks;
    }

    /// The points that join the block before them.
    fn inner_points(&self, is_seen: &dyn Fn(PointId) -> bool) -> Vec<bool> {
        let program = self.program;
        // How many edges lead to each, and how long the straight way is that they end.
        let mut ways = vec![0; program.points.len()];
        let mut from = vec![None; program.points.len()];
        for (steps, at) in self.steps.iter().zip((0..).map(PointId)) {
            for edge in &steps.edges {
                if let To::Point(target) = edge.to {
                    ways[target.0 as usize] += 1;
                    from[target.0 as usize] = Some(at);
                }
            }
            let resumed = steps.passing.iter().flat_map(|passing| &passing.resumed);
            for edge in resumed {
                if let To::Point(target) = edge.to {
                    // After a call something begins.
                    ways[target.0 as usize] += 2;
                }
            }
        }
        for (label, _) in &program.labels {
            ways[label.0 as usize] = 0;
        }
        for id in program.procedure_ids() {
            let procedure = program.procedure(id);
            ways[procedure.entry().0 as usize] = 0;
            ways[procedure.exit().0 as usize] = 0;
        }
        let mut inner = vec![false; ways.len()];
        let mut length = vec![0; ways.len()];
        for at in (0..ways.len() as u32).map(PointId) {
            let steps = &self.steps[at.0 as usize];
            let on = |edge: &&Edge| !matches!(edge.to, To::Error { .. });
            let is_straight = steps.edges.iter().filter(on).count() == 1;
            let is_call = matches!(program.point(at).action, Action::Call(_));
            // Blocks are laid forwards: an edge from behind begins one.
            let before = from[at.0 as usize].filter(|from| *from < at);
            if let (1, Some(before)) = (ways[at.0 as usize], before) {
                let longer = length[before.0 as usize] + 1;
                let joins = is_straight && !is_call && !is_seen(at) && longer < BLOCK_POINTS;
                inner[at.0 as usize] = joins;
                length[at.0 as usize] = if joins { longer } else { 0 };
            }
        }
        inner
    }

    /// Goes on with a block as long as it is one.
    fn extend(&mut self, block: Block, inner: &[bool], found: &mut Vec<Block>) {
        let mut waiting = vec![block];
        while let Some(block) = waiting.pop() {
            let target = match block.edge.to {
                To::Point(target) if inner[target.0 as usize] => target,
                _ => {
                    found.push(block);
                    continue;
                }
            };
            let procedure = self.program.point(target).procedure;
            let next = self.steps[target.0 as usize].edges.clone();
            for (number, edge) in next.iter().enumerate().rev() {
                let edge = self.joined(procedure, &block.edge, edge);
                if edge.condition != Term::FALSE {
                    let mut parts = block.parts.clone();
                    parts.push((target, number));
                    waiting.push(Block { edge, parts });
                }
            }
        }
    }

    /// Two edges, one after the other.
    fn joined(&mut self, procedure: ProcedureId, first: &Edge, second: &Edge) -> Edge {
        let replacement = self.replacement(procedure, first);
        let values = second.updates.values().copied();
        let terms: Vec<Term> = [second.condition].into_iter().chain(values).collect();
        let terms = self.terms.substitute(&terms, &replacement);
        let mut updates = first.updates.clone();
        for (variable, value) in second.updates.keys().zip(&terms[1..]) {
            updates.insert(*variable, *value);
        }
        Edge {
            condition: self.terms.and(first.condition, terms[0]),
            updates,
            to: second.to,
        }
    }
}
