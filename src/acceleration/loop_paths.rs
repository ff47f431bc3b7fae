//! The single paths from a head back to itself, or from a frame's entry to that of a frame
//! above it: what acceleration closes one by one. All other heads of the component are
//! eliminated.

use crate::relations::enter;
use crate::relations::{
    Components, Elimination, Paths, Relation, Relations, Summaries, stay, steps_within,
};
use crate::spds::{EntryId, Head, Right, Spds};
use crate::watch::{Abort, Watch};

/// Where ways from a head back to itself are looked for.
pub struct LoopPaths<'a> {
    pub spds: &'a Spds,
    pub relations: Relations<'a>,
    pub watch: &'a Watch,
    pub path_limit: usize,
    pub components: &'a Components,
    pub summaries: &'a Summaries<'a>,
}

impl LoopPaths<'_> {
    /// The ways from a head back to itself inside `heads`: its component, or a part of it.
    pub fn within(&self, head: Head, heads: &[Head]) -> Result<Vec<Relation>, Abort> {
        let mut graph = self.graph(heads, &[]);
        for (from, head) in heads.iter().enumerate() {
            self.add_steps(&mut graph, from, *head, heads)?;
        }
        let Ok(at) = heads.binary_search(&head) else {
            return Ok(Vec::new());
        };
        let ways = graph.reduce_to(at)?;
        Ok(ways.into_iter().map(|way| way.all).collect())
    }

    /// The ways from a frame's entry to the entry of a frame above it, through pushes that
    /// are not popped; the components must be those with pushes.
    pub fn above(&self, entry: EntryId) -> Result<Vec<Relation>, Abort> {
        let (spds, relations) = (self.spds, &self.relations);
        let head = spds.entry(entry).head;
        let heads = self.components.with(head);
        // A frame that has just been entered is not one that comes back to its first head.
        let entered = heads.len();
        let mut graph = self.graph(heads, &[head]);
        let nodes = heads.iter().copied().enumerate();
        for (from, head) in nodes.chain([(entered, head)]) {
            self.add_steps(&mut graph, from, head, heads)?;
            for id in spds.rules_from(head) {
                let Right::Push { entry: pushed, .. } = spds.rule(id).right else {
                    continue;
                };
                let to = match pushed == entry {
                    true => Ok(entered),
                    false => heads.binary_search(&spds.entry(pushed).head),
                };
                if let Ok(to) = to {
                    let all = enter(spds, relations, id)?;
                    let accepting = None;
                    graph.add(from, to, Paths { all, accepting })?;
                }
            }
        }
        let ways = graph.reduce_to(entered)?;
        Ok(ways.into_iter().map(|way| way.all).collect())
    }

    /// A graph without edges on some heads, to be taken out in turn, and others.
    fn graph(&self, heads: &[Head], others: &[Head]) -> Elimination<'_> {
        let variables = heads.iter().chain(others);
        let variables = variables.map(|head| self.spds.variables(*head)).collect();
        let mut graph = Elimination::new(self.relations, self.watch, self.path_limit, variables);
        let turns = heads
            .iter()
            .map(|head| self.components.turn(self.spds, *head));
        graph.take_in_turn(turns.chain(others.iter().map(|_| 0)).collect());
        graph
    }

    /// Adds the steps from a head to one of `heads`.
    fn add_steps(
        &self,
        graph: &mut Elimination<'_>,
        from: usize,
        head: Head,
        heads: &[Head],
    ) -> Result<(), Abort> {
        for (id, to) in steps_within(self.spds, head, heads) {
            if let Some(all) = stay(self.spds, &self.relations, id, self.summaries)? {
                let accepting = None;
                graph.add(from, to, Paths { all, accepting })?;
            }
        }
        Ok(())
    }
}
