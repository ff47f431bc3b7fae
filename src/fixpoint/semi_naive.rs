//! Monotone cycles: least fixed points from what is new in each round alone, and greatest ones,
//! or those through `let`s that are used negatively, from whole values.
//!
//! What is new of a conjunction follows from what is new of one of its parts and all of the
//! others; of a disjunction, from what is new of any part. Each tuple is new once, so that the
//! work of a round depends on what it finds. Among what is new, the smallest values of a counter
//! (the last parameter that is a number) have their turn first, and then control points that
//! come first in their procedures, so that values meet before they go on together.

use super::domain::Leaf;
use super::equations::RelationId;
use super::evaluate::{Evaluator, Failure};
use super::levels::Track;
use super::plan::{Kind, NodeId};
use super::program::ProgramRelations;
use crate::bdd::Bdd;
use crate::components::components;
use rustc_hash::FxHashMap;

/// What is new in a round.
struct Round<'r> {
    /// Of each relation of the component.
    new: &'r FxHashMap<usize, Bdd>,
    /// Of each node, as far as it is known.
    nodes: FxHashMap<NodeId, Bdd>,
    /// Whole values of conjuncts, kept up to date, since making them anew would cost more
    /// than a round.
    whole: &'r mut FxHashMap<NodeId, Bdd>,
}

impl Evaluator<'_> {
    /// The least values of the relations of a component.
    pub(super) fn semi_naive(&mut self, members: &[usize]) -> Result<(), Failure> {
        let bdds = self.atoms.bdds;
        for member in members {
            self.values[*member] = bdds.constant(false);
        }
        let mut new: FxHashMap<usize, Bdd> = FxHashMap::default();
        for member in members {
            new.insert(*member, self.body(*member)?);
        }
        let mut whole = FxHashMap::default();
        for member in members {
            let body = self.plan.relation(RelationId(*member as u32)).body;
            if let Some(body) = body {
                self.begin(body, members, &mut whole)?;
            }
        }
        let places: Vec<Option<Track>> = members.iter().map(|m| self.place(*m)).collect();
        let ranks = match places.iter().any(Option::is_some) {
            true => self.atoms.program.map_or(1, ProgramRelations::ranks),
            false => 1,
        };
        let counters: Vec<Option<Track>> = members.iter().map(|m| self.counter(*m)).collect();
        let mut waiting = new;
        while !waiting.values().all(|value| bdds.is_false(value)) {
            let stages = self.first_stages(members, &counters, &waiting)?;
            for rank in 0..ranks {
                let mut new = FxHashMap::default();
                for ((member, place), stage) in members.iter().zip(&places).zip(&stages) {
                    let mut mine = bdds.and(stage, &waiting[member])?;
                    if let (Some(track), Some(program)) = (place, self.atoms.program)
                        && ranks > 1
                    {
                        mine = bdds.and(&program.rank(*track, rank)?, &mine)?;
                    }
                    new.insert(*member, mine);
                }
                if !new.values().all(|value| bdds.is_false(value)) {
                    self.add(members, &new, &mut waiting)?;
                    if self.reaches_goal(members)? {
                        return Ok(());
                    }
                    self.follow(members, &new, &mut waiting, &mut whole)?;
                }
            }
        }
        Ok(())
    }

    /// The track that counts the stages of a relation: that of the last parameter that is a
    /// number.
    fn counter(&self, member: usize) -> Option<Track> {
        let relation = self.plan.relation(RelationId(member as u32));
        let mut parameters = relation.parameters.iter().rev();
        parameters.find_map(|range| match &*range.leaves {
            [(track, Leaf::Number { .. })] => Some(*track),
            _ => None,
        })
    }

    /// The first of the stages in which something waits, in each relation.
    fn first_stages(
        &self,
        members: &[usize],
        counters: &[Option<Track>],
        waiting: &FxHashMap<usize, Bdd>,
    ) -> Result<Vec<Bdd>, Failure> {
        let (bdds, levels) = (self.atoms.bdds, self.atoms.levels);
        let mut first: Option<u64> = None;
        for (member, counter) in members.iter().zip(counters) {
            let mut set = waiting[member].clone();
            if bdds.is_false(&set) {
                continue;
            }
            let mut code = 0;
            for level in counter.iter().flat_map(|track| levels.of(*track)) {
                let low = bdds.difference(&set, &bdds.variable(*level))?;
                let is_high = bdds.is_false(&low);
                code = code << 1 | u64::from(is_high);
                if !is_high {
                    set = low;
                }
            }
            first = Some(first.map_or(code, |first| first.min(code)));
        }
        let code = first.unwrap_or(0);
        let stages = counters.iter().map(|counter| {
            let bits = counter.iter().flat_map(|track| levels.of(*track));
            let literals = bits
                .rev()
                .zip(0..)
                .map(|(level, weight)| (*level, code >> weight & 1 == 1));
            bdds.minterm(literals)
        });
        Ok(stages.collect::<Result<_, _>>()?)
    }

    /// The track of the control point that a relation is computed along: that of the last state
    /// among its parameters.
    fn place(&self, member: usize) -> Option<Track> {
        let relation = self.plan.relation(RelationId(member as u32));
        let leaves = relation.parameters.iter().flat_map(|range| &*range.leaves);
        let mut points = leaves.filter(|(_, leaf)| *leaf == Leaf::Point);
        points.next_back().map(|(track, _)| *track)
    }

    /// Adds some of what waits to the values.
    fn add(
        &mut self,
        members: &[usize],
        new: &FxHashMap<usize, Bdd>,
        waiting: &mut FxHashMap<usize, Bdd>,
    ) -> Result<(), Failure> {
        let bdds = self.atoms.bdds;
        self.watch.check()?;
        bdds.safe_point();
        for member in members {
            let new = &new[member];
            if bdds.is_false(new) {
                continue;
            }
            self.values[*member] = bdds.or(&self.values[*member], new)?;
            let rest = bdds.difference(&waiting[member], new)?;
            waiting.insert(*member, rest);
            self.efforts[*member].rounds += 1;
            self.measure(*member);
        }
        Ok(())
    }

    /// Adds what follows from what is new to what waits.
    fn follow(
        &mut self,
        members: &[usize],
        new: &FxHashMap<usize, Bdd>,
        waiting: &mut FxHashMap<usize, Bdd>,
        whole: &mut FxHashMap<NodeId, Bdd>,
    ) -> Result<(), Failure> {
        let bdds = self.atoms.bdds;
        let mut round = Round {
            new,
            nodes: FxHashMap::default(),
            whole,
        };
        for member in members {
            let body = self.plan.relation(RelationId(*member as u32)).body;
            let Some(body) = body else {
                continue;
            };
            let found = self.new_of(body, &mut round)?;
            let found = bdds.difference(&found, &self.values[*member])?;
            let all = bdds.or(&waiting[member], &found)?;
            waiting.insert(*member, all);
        }
        Ok(())
    }

    /// Notes the values of conjuncts that have to be kept up to date.
    fn begin(
        &mut self,
        node: NodeId,
        members: &[usize],
        whole: &mut FxHashMap<NodeId, Bdd>,
    ) -> Result<(), Failure> {
        let plan = self.plan;
        let changes = |id: NodeId| {
            let mut uses = plan.node(id).uses.iter();
            uses.any(|used| members.contains(&(used.0 as usize)))
        };
        match &plan.node(node).kind {
            Kind::Or(parts) => {
                for part in parts.iter().filter(|part| changes(**part)) {
                    self.begin(*part, members, whole)?;
                }
            }
            Kind::Join(join) => {
                let changing: Vec<_> = join.parts.iter().filter(|part| changes(**part)).collect();
                for part in &changing {
                    let is_complex = matches!(plan.node(**part).kind, Kind::Or(_) | Kind::Join(_));
                    if changing.len() > 1 && is_complex {
                        let value = self.value(**part)?;
                        whole.insert(**part, value);
                    }
                    self.begin(**part, members, whole)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// At least what is new of a node, and at most its value.
    fn new_of(&mut self, id: NodeId, round: &mut Round<'_>) -> Result<Bdd, Failure> {
        if let Some(known) = round.nodes.get(&id) {
            return Ok(known.clone());
        }
        let (plan, bdds) = (self.plan, self.atoms.bdds);
        let node = plan.node(id);
        let changes = |id: NodeId| {
            let mut uses = plan.node(id).uses.iter();
            uses.any(|used| round.new.contains_key(&(used.0 as usize)))
        };
        if !changes(id) {
            return Ok(bdds.constant(false));
        }
        let found = match &node.kind {
            Kind::Apply(application) => {
                let new = &round.new[&(application.relation.0 as usize)];
                self.renamed(id, application, new)?
            }
            Kind::Or(parts) => {
                let mut all = bdds.constant(false);
                for part in parts {
                    all = bdds.or(&all, &self.new_of(*part, round)?)?;
                }
                all
            }
            Kind::Join(join) => {
                let changing = (0..).zip(&join.parts).filter(|(_, part)| changes(**part));
                let changing: Vec<(usize, NodeId)> =
                    changing.map(|(place, part)| (place, *part)).collect();
                let mut found = Vec::new();
                for (place, part) in changing {
                    let new = self.new_of(part, round)?;
                    if !bdds.is_false(&new) {
                        found.push((place, new));
                    }
                }
                let mut all = bdds.constant(false);
                for (place, new) in &found {
                    let joined = self.join(id, join, Some((*place, new)), round.whole)?;
                    all = bdds.or(&all, &joined)?;
                }
                all
            }
            _ => self.value(id)?,
        };
        if let Some(whole) = round.whole.get_mut(&id) {
            *whole = bdds.or(whole, &found)?;
        }
        round.nodes.insert(id, found.clone());
        Ok(found)
    }

    /// The least or the greatest values of the relations of a component, from their start.
    pub(super) fn kleene(&mut self, members: &[usize]) -> Result<(), Failure> {
        for member in members {
            self.values[*member] = self.start(*member)?;
        }
        let lets: Vec<Vec<usize>> = (0..self.graph.successors.len())
            .map(|from| {
                let successors = self.graph.successors[from].iter().copied();
                let is_let = |to: &usize| members.contains(to) && self.graph.is_let(*to);
                successors.filter(is_let).collect()
            })
            .collect();
        let roots = members.iter().copied();
        let roots = roots.filter(|member| self.graph.is_let(*member));
        let lets: Vec<usize> = components(&lets, roots).into_iter().flatten().collect();
        loop {
            self.watch.check()?;
            self.atoms.bdds.safe_point();
            for member in &lets {
                self.values[*member] = self.body(*member)?;
            }
            let mut changed = false;
            for member in members.iter().filter(|member| !lets.contains(member)) {
                self.efforts[*member].rounds += 1;
                let value = self.body(*member)?;
                changed |= value != self.values[*member];
                self.values[*member] = value;
                self.measure(*member);
            }
            if !changed {
                return Ok(());
            }
        }
    }
}
