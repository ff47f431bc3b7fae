//! Nodes from nodes: disjunctions, negations, and joins by bucket elimination.
//!
//! The parts of a join that speak of one quantified variable are joined by themselves as long
//! as others are left, so that what a relation says about few variables is known before it
//! meets the rest. A disjunction inside of a join is distributed where its cases are about
//! different things and relations that change. Cubic in the parts of a join.

use super::equations::RelationId;
use super::join::Join;
use super::levels::Track;
use super::plan::{Kind, Node, NodeId, Planner};

/// How many joins a disjunction inside of a join may become.
const MOST_DISTRIBUTED: usize = 8;

impl Planner<'_> {
    pub(super) fn add(&mut self, kind: Kind, support: Vec<Track>, uses: Vec<RelationId>) -> NodeId {
        let (mut support, mut uses) = (support, uses);
        support.sort_unstable();
        support.dedup();
        uses.sort_unstable();
        uses.dedup();
        self.plan.nodes.push(Node {
            kind,
            support: support.into(),
            uses: uses.into(),
        });
        NodeId(self.plan.nodes.len() as u32 - 1)
    }

    pub(super) fn constant(&mut self, value: bool) -> NodeId {
        self.add(Kind::Constant(value), Vec::new(), Vec::new())
    }

    pub(super) fn together(&self, parts: &[NodeId]) -> (Vec<Track>, Vec<RelationId>) {
        let nodes = parts.iter().map(|part| self.plan.node(*part));
        let support = nodes.clone().flat_map(|node| node.support.iter().copied());
        let uses = nodes.flat_map(|node| node.uses.iter().copied());
        (support.collect(), uses.collect())
    }

    pub(super) fn or(&mut self, parts: Vec<NodeId>) -> NodeId {
        match parts[..] {
            [] => self.constant(false),
            [one] => one,
            _ => {
                let (support, uses) = self.together(&parts);
                self.add(Kind::Or(parts.into()), support, uses)
            }
        }
    }

    pub(super) fn not(&mut self, part: NodeId) -> NodeId {
        match self.plan.node(part).kind {
            Kind::Not(inner) => inner,
            Kind::Constant(value) => self.constant(!value),
            _ => {
                let (support, uses) = self.together(&[part]);
                self.add(Kind::Not(part), support, uses)
            }
        }
    }

    /// The conjunction of parts, without some tracks.
    pub(super) fn join(&mut self, parts: Vec<NodeId>, quantified: &[Track]) -> NodeId {
        let is = |part: &NodeId, value| matches!(self.plan.node(*part).kind, Kind::Constant(v) if v == value);
        if parts.iter().any(|part| is(part, false)) {
            return self.constant(false);
        }
        let parts: Vec<_> = parts.into_iter().filter(|part| !is(part, true)).collect();
        let used = |track: &Track| {
            let mut nodes = parts.iter().map(|part| self.plan.node(*part));
            nodes.any(|node| node.support.binary_search(track).is_ok())
        };
        let quantified: Vec<_> = quantified.iter().copied().filter(used).collect();
        match parts[..] {
            [] => return self.constant(true),
            [one] if quantified.is_empty() => return one,
            _ => {}
        }
        if let Some(distributed) = self.distribute(&parts, &quantified) {
            return distributed;
        }
        let parts = self.restricted(parts);
        if let Some((rest, quantified)) = self.eliminate(&parts, &quantified) {
            return self.join(rest, &quantified);
        }
        let (mut support, uses) = self.together(&parts);
        support.retain(|track| !quantified.contains(track));
        let join = Join::new(parts, quantified, &self.plan.nodes, self.dimensions);
        self.add(Kind::Join(join), support, uses)
    }

    /// With what is known of one track of a changing relation joined to it, if there is more to
    /// be joined: a set of points, say, keeps out most of what is new before it meets the rest.
    fn restricted(&mut self, parts: Vec<NodeId>) -> Vec<NodeId> {
        let node = |part: NodeId| self.plan.node(part);
        let is_filter = |part: NodeId| node(part).uses.is_empty() && node(part).support.len() == 1;
        let is_changing =
            |part: NodeId| matches!(node(part).kind, Kind::Apply(_)) && !node(part).uses.is_empty();
        let (filters, others): (Vec<NodeId>, Vec<NodeId>) =
            parts.iter().partition(|part| is_filter(**part));
        if others.len() < 2 {
            return parts;
        }
        let speaks = |part: NodeId, filter: NodeId| {
            let track = &node(filter).support[0];
            is_changing(part) && node(part).support.contains(track)
        };
        let groups = others.iter().map(|part| {
            let mine = filters.iter().filter(|filter| speaks(*part, **filter));
            [*part].into_iter().chain(mine.copied()).collect()
        });
        let groups: Vec<Vec<NodeId>> = groups.collect();
        let is_left = |filter: &NodeId| !others.iter().any(|part| speaks(*part, *filter));
        let left: Vec<NodeId> = filters.iter().copied().filter(is_left).collect();
        let joined = groups.into_iter().map(|group| match group[..] {
            [one] => one,
            _ => {
                let (support, uses) = self.together(&group);
                let join = Join::new(group, Vec::new(), &self.plan.nodes, self.dimensions);
                self.add(Kind::Join(join), support, uses)
            }
        });
        joined.chain(left).collect()
    }

    /// Bucket elimination: the parts that speak of some quantified track, joined by themselves,
    /// if others are left. The track is the one for which the fewest bits come together.
    fn eliminate(
        &mut self,
        parts: &[NodeId],
        quantified: &[Track],
    ) -> Option<(Vec<NodeId>, Vec<Track>)> {
        let support = |part: &NodeId| &self.plan.node(*part).support;
        let bucket = |track: Track| {
            let mut scope: Vec<Track> = parts
                .iter()
                .filter(|part| support(part).contains(&track))
                .flat_map(|part| support(part).iter().copied())
                .collect();
            scope.sort_unstable();
            scope.dedup();
            scope
        };
        let is_inside = |part: &NodeId, scope: &[Track]| {
            let mut tracks = support(part).iter();
            tracks.all(|track| scope.binary_search(track).is_ok())
        };
        let buckets = quantified.iter().filter_map(|track| {
            let mine = parts.iter().filter(|part| support(part).contains(track));
            let scope = bucket(*track);
            let inside = parts.iter().filter(|part| is_inside(part, &scope)).count();
            let bits = scope.iter().map(|track| self.dimensions.bits(track.pool));
            let bits: u32 = bits.sum();
            (mine.count() > 1 && inside < parts.len()).then_some((bits, scope))
        });
        let (_, scope) = buckets.min()?;
        let (inside, rest): (Vec<NodeId>, Vec<NodeId>) =
            parts.iter().partition(|part| is_inside(part, &scope));
        let is_used = |track: &Track| rest.iter().any(|part| support(part).contains(track));
        let (kept, gone): (Vec<Track>, Vec<Track>) = quantified
            .iter()
            .partition(|track| is_used(track) || !scope.contains(track));
        let joined = self.join(inside, &gone);
        let mut all = vec![joined];
        all.extend(rest);
        Some((all, kept))
    }

    /// A disjunction of joins, if one part is a disjunction of changing relations about
    /// different tracks: then each case can begin with what it is about.
    fn distribute(&mut self, parts: &[NodeId], quantified: &[Track]) -> Option<NodeId> {
        let cases = |part: &NodeId| match &self.plan.node(*part).kind {
            Kind::Or(cases) if !self.plan.node(*part).uses.is_empty() => {
                let mut supports = cases.iter().map(|case| &self.plan.node(*case).support);
                let first = supports.next()?;
                let differ = supports.any(|support| support != first);
                let is_alone = parts.len() == 1;
                let few = cases.len() <= MOST_DISTRIBUTED && differ;
                (is_alone || few).then(|| cases.to_vec())
            }
            _ => None,
        };
        if parts.len() == 1 && quantified.is_empty() {
            return None;
        }
        let (place, cases) = (0..)
            .zip(parts)
            .find_map(|(place, part)| Some((place, cases(part)?)))?;
        let mut joins = Vec::new();
        for case in cases {
            let mut parts = parts.to_vec();
            parts[place] = case;
            let flat = self.flattened(parts);
            joins.push(self.join(flat, quantified));
        }
        Some(self.or(joins))
    }

    /// With the parts of joins that quantify nothing in the place of these.
    pub(super) fn flattened(&self, parts: Vec<NodeId>) -> Vec<NodeId> {
        let mut flat = Vec::new();
        for part in parts {
            match &self.plan.node(part).kind {
                Kind::Join(join) if join.quantified.is_empty() => flat.extend(&join.parts),
                _ => flat.push(part),
            }
        }
        flat
    }
}
