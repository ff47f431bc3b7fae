//! How each formula is to be computed: operations on relations over tracks.
//!
//! Negations are pushed inwards, conjunctions and the quantifiers around them become joins
//! ([`super::combine`]). Each variable gets tracks by its depth; parameters come first, so that
//! all relations have theirs in the same places. What a quantifier or an equation ranges over is
//! made explicit where nothing else guarantees it. Linear in the formulas, but for the order of
//! joins, which is quadratic in their parts.

use super::domain::{Leaf, length};
use super::equations::{
    Argument, Equations, Formula, FormulaId, LeafRef, Relation, RelationId, Scalar, Variable,
};
use super::join::Join;
use super::levels::{Dimensions, Pool, Track, Tracks, pool};
use super::tree::Comparison;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    /// The tracks it speaks of, in rising order.
    pub support: Box<[Track]>,
    /// The defined relations it depends on, in rising order.
    pub uses: Box<[RelationId]>,
}

#[derive(Debug)]
pub enum Kind {
    Constant(bool),
    Compare(Comparison, Operand, Operand),
    Same(Track, Track),
    /// The values of a variable.
    Valid(Range),
    Apply(Application),
    Not(NodeId),
    Or(Box<[NodeId]>),
    Iff(NodeId, NodeId),
    Join(Join),
}

/// A number: the code on a track, if there is one, and a constant.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub track: Option<Track>,
    pub offset: i128,
}

/// The leaves of a variable on their tracks, and where states begin.
#[derive(Clone, Debug)]
pub struct Range {
    pub leaves: Box<[(Track, Leaf)]>,
    pub states: Box<[u32]>,
}

#[derive(Debug)]
pub struct Application {
    pub relation: RelationId,
    pub links: Box<[Link]>,
    /// For each link a track to pass by, where the way there is not free.
    pub detours: Box<[Option<Track>]>,
}

impl Application {
    /// The tracks of parameters that some tracks are given for, and nothing else is.
    pub fn parameters_of(&self, tracks: &[Track]) -> Vec<Track> {
        let given = |link: &Link| match link.given {
            Given::Leaf(track, leaf) if leaf == link.parameter.1 => Some(track),
            _ => None,
        };
        let links = self.links.iter();
        let mine = links.filter(|link| {
            let track = given(link);
            let twins = self.links.iter().filter(|other| given(other) == track);
            track.is_some_and(|track| tracks.contains(&track)) && twins.count() == 1
        });
        mine.map(|link| link.parameter.0).collect()
    }
}

/// From a leaf of a parameter to what is given for it.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub parameter: (Track, Leaf),
    pub given: Given,
}

#[derive(Clone, Copy, Debug)]
pub enum Given {
    Leaf(Track, Leaf),
    Number(i128),
}

/// The plan of one relation.
#[derive(Debug, Default)]
pub struct RelationPlan {
    pub parameters: Vec<Range>,
    /// `None` for what is supplied.
    pub body: Option<NodeId>,
}

#[derive(Debug, Default)]
pub struct Plan {
    pub nodes: Vec<Node>,
    /// For each relation; of one that is not needed there is nothing to be done.
    relations: Vec<RelationPlan>,
    pub tracks: Tracks,
    /// Pairs of which the first is to be above the second in the order of BDD variables.
    pub above: Vec<(Track, Track)>,
}

impl Plan {
    /// The plan of the relations that some roots depend on.
    pub fn of(equations: &Equations, dimensions: &Dimensions, needed: &[usize]) -> Self {
        let mut plan = Plan::default();
        let count = equations.relations.len();
        plan.relations.resize_with(count, RelationPlan::default);
        for index in needed {
            let relation = &equations.relations[*index];
            let planned = Planner::plan(&mut plan, equations, dimensions, relation);
            plan.relations[*index] = planned;
        }
        plan
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn relation(&self, id: RelationId) -> &RelationPlan {
        &self.relations[id.0 as usize]
    }
}

/// The ranges of a relation's parameters: by kind from the first track on.
pub fn parameters(relation: &Relation, next: &mut Tracks) -> Vec<Range> {
    let variables = &relation.variables[..relation.parameters as usize];
    variables
        .iter()
        .map(|variable| allocate(variable, next))
        .collect()
}

fn allocate(variable: &Variable, next: &mut Tracks) -> Range {
    let leaves = variable.leaves.iter().map(|leaf| {
        let pool = pool(*leaf);
        (fresh(pool, next), *leaf)
    });
    Range {
        leaves: leaves.collect(),
        states: variable.states.clone().into(),
    }
}

fn fresh(pool: Pool, next: &mut Tracks) -> Track {
    let count = next.entry(pool).or_default();
    *count += 1;
    Track {
        pool,
        index: *count - 1,
    }
}

pub(super) struct Planner<'a> {
    pub(super) plan: &'a mut Plan,
    equations: &'a Equations,
    pub(super) dimensions: &'a Dimensions,
    relation: &'a Relation,
    ranges: FxHashMap<u32, Range>,
    /// The next free track of each kind.
    next: Tracks,
}

impl<'a> Planner<'a> {
    fn plan(
        plan: &'a mut Plan,
        equations: &'a Equations,
        dimensions: &'a Dimensions,
        relation: &'a Relation,
    ) -> RelationPlan {
        let mut planner = Planner {
            plan,
            equations,
            dimensions,
            relation,
            ranges: FxHashMap::default(),
            next: Tracks::default(),
        };
        let parameters = parameters(relation, &mut planner.next);
        planner.note_tracks();
        planner.ranges = (0..).zip(parameters.iter().cloned()).collect();
        let variables: Vec<u32> = (0..relation.parameters).collect();
        let body = relation
            .body
            .map(|body| planner.lower_guarded(body, &variables));
        planner.note_order();
        RelationPlan { parameters, body }
    }

    /// What the relation asks of the order.
    fn note_order(&mut self) {
        for (upper, lower) in &self.relation.above {
            let ranges = [upper, lower].map(|variable| self.ranges.get(variable));
            if let [Some(upper), Some(lower)] = ranges {
                let pairs = upper.leaves.iter().flat_map(|(upper, _)| {
                    let lower = lower.leaves.iter();
                    lower.map(move |(lower, _)| (*upper, *lower))
                });
                self.plan.above.extend(pairs);
            }
        }
    }

    fn note_tracks(&mut self) {
        for (pool, count) in &self.next {
            let most = self.plan.tracks.entry(*pool).or_default();
            *most = (*most).max(*count);
        }
    }

    /// The node of a formula or of its negation, and the variables that have values of their
    /// domains wherever it holds. (Formulas are not deep.)
    fn lower(&mut self, id: FormulaId, negated: bool) -> (NodeId, FxHashSet<u32>) {
        let equations = self.equations;
        match equations.formula(id) {
            Formula::Constant(value) => (self.constant(*value != negated), FxHashSet::default()),
            Formula::Not(part) => self.lower(*part, !negated),
            Formula::And(_) if !negated => self.lower_and(id, negated, &[]),
            Formula::Or(_) if negated => self.lower_and(id, negated, &[]),
            Formula::And(parts) | Formula::Or(parts) => {
                let lowered: Vec<_> = parts.iter().map(|p| self.lower(*p, negated)).collect();
                let mut guarded = lowered.first().map(|(_, guarded)| guarded.clone());
                for (_, other) in &lowered {
                    if let Some(guarded) = &mut guarded {
                        guarded.retain(|variable| other.contains(variable));
                    }
                }
                let parts = lowered.into_iter().map(|(node, _)| node).collect();
                (self.or(parts), guarded.unwrap_or_default())
            }
            Formula::Iff(left, right) => {
                let (left, _) = self.lower(*left, false);
                let (right, _) = self.lower(*right, negated);
                let (support, uses) = self.together(&[left, right]);
                let node = self.add(Kind::Iff(left, right), support, uses);
                (node, FxHashSet::default())
            }
            Formula::Quantified {
                exists,
                variables,
                body,
            } => {
                // "For all" is "not exists not".
                let (node, guarded) = self.lower_and(*body, !*exists, variables);
                match negated == *exists {
                    true => (self.not(node), FxHashSet::default()),
                    false => (node, guarded),
                }
            }
            Formula::Apply {
                relation,
                arguments,
            } => {
                let guarded = self.guarded_by(*relation, arguments);
                let node = self.apply(*relation, arguments);
                match negated {
                    true => (self.not(node), FxHashSet::default()),
                    false => (node, guarded),
                }
            }
            Formula::Compare(comparison, left, right) => {
                let (comparison, left, right) = match (negated, comparison) {
                    (false, _) => (*comparison, left, right),
                    (true, Comparison::Equal) => (Comparison::Unequal, left, right),
                    (true, Comparison::Unequal) => (Comparison::Equal, left, right),
                    (true, Comparison::Less) => (Comparison::LessEqual, right, left),
                    (true, Comparison::LessEqual) => (Comparison::Less, right, left),
                };
                (self.compare(comparison, left, right), FxHashSet::default())
            }
            Formula::Same(left, right) => {
                let (left, right) = (self.track(*left).0, self.track(*right).0);
                let node = match left == right {
                    true => self.constant(true),
                    false => self.add(Kind::Same(left, right), vec![left, right], Vec::new()),
                };
                let node = if negated { self.not(node) } else { node };
                (node, FxHashSet::default())
            }
        }
    }

    fn bind(&mut self, variables: &[u32]) {
        for variable in variables {
            let range = allocate(&self.relation.variables[*variable as usize], &mut self.next);
            self.ranges.insert(*variable, range);
        }
        self.note_tracks();
    }

    /// A formula, or its negation, under "exists", as one join: conjunctions in it are taken
    /// apart, and so are those under further quantifiers, which become its own.
    fn lower_and(
        &mut self,
        id: FormulaId,
        negated: bool,
        quantified: &[u32],
    ) -> (NodeId, FxHashSet<u32>) {
        let before = self.next.clone();
        let equations = self.equations;
        self.bind(quantified);
        let mut quantified = quantified.to_vec();
        let mut guarded = FxHashSet::default();
        let mut nodes = Vec::new();
        let mut positive = Vec::new();
        let mut open = vec![(id, negated)];
        while let Some((part, negated)) = open.pop() {
            match equations.formula(part) {
                Formula::Not(inner) => open.push((*inner, !negated)),
                Formula::And(parts) if !negated => {
                    open.extend(parts.iter().rev().map(|part| (*part, negated)));
                }
                Formula::Or(parts) if negated => {
                    open.extend(parts.iter().rev().map(|part| (*part, negated)));
                }
                Formula::Quantified {
                    exists,
                    variables,
                    body,
                } if *exists != negated && self.is_open(part) => {
                    self.bind(variables);
                    quantified.extend(variables);
                    open.push((*body, negated));
                }
                _ => {
                    let (node, others) = self.lower(part, negated);
                    guarded.extend(others);
                    nodes.push(node);
                    if !negated {
                        positive.push(part);
                    }
                }
            }
        }
        self.spread(&positive, &mut guarded);
        let unguarded = quantified.iter().copied();
        let unguarded = unguarded.filter(|v| !guarded.contains(v) && !self.is_full(*v));
        for variable in unguarded.collect::<Vec<_>>() {
            let node = self.valid(variable);
            nodes.push(node);
        }
        let tracks = quantified.iter().flat_map(|v| &self.ranges[v].leaves);
        let tracks: Vec<_> = tracks.map(|(track, _)| *track).collect();
        let node = self.join(nodes, &tracks);
        self.next = before;
        (node, guarded)
    }

    /// Whether a formula speaks of a variable that it does not bind.
    fn is_open(&self, id: FormulaId) -> bool {
        let mut bound: FxHashSet<u32> = FxHashSet::default();
        let mut used = FxHashSet::default();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let formula = self.equations.formula(id);
            open.extend(formula.parts().into_iter().map(|(part, _)| part));
            let leaves = match formula {
                Formula::Quantified { variables, .. } => {
                    bound.extend(variables);
                    Vec::new()
                }
                Formula::Apply { arguments, .. } => {
                    let leaves = arguments.iter().filter_map(|argument| match argument {
                        Argument::Leaf(leaf) => Some(*leaf),
                        Argument::Number(_) => None,
                    });
                    leaves.collect()
                }
                Formula::Compare(_, left, right) => {
                    left.leaf.into_iter().chain(right.leaf).collect()
                }
                Formula::Same(left, right) => vec![*left, *right],
                _ => Vec::new(),
            };
            used.extend(leaves.into_iter().map(|leaf| leaf.variable));
        }
        used.iter().any(|variable| !bound.contains(variable))
    }

    /// What is equal to a value of its domain is one.
    fn spread(&self, parts: &[FormulaId], guarded: &mut FxHashSet<u32>) {
        let mut equal: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut open: Vec<_> = parts.to_vec();
        while let Some(part) = open.pop() {
            let pair = match self.equations.formula(part) {
                Formula::And(parts) => {
                    open.extend(parts);
                    continue;
                }
                Formula::Same(left, right) => Some((*left, *right)),
                Formula::Compare(Comparison::Equal, left, right)
                    if left.offset == 0 && right.offset == 0 =>
                {
                    left.leaf.zip(right.leaf)
                }
                _ => None,
            };
            if let Some((left, right)) = pair
                && left.leaf == right.leaf
            {
                let key = (
                    left.variable.min(right.variable),
                    left.variable.max(right.variable),
                );
                *equal.entry(key).or_default() += 1;
            }
        }
        let variable = |index: u32| &self.relation.variables[index as usize];
        equal.retain(|(one, other), count| {
            let (one, other) = (variable(*one), variable(*other));
            one.domain == other.domain && *count as usize >= one.leaves.len()
        });
        for _ in 0..equal.len() {
            for (one, other) in equal.keys() {
                if guarded.contains(one) || guarded.contains(other) {
                    guarded.extend([*one, *other]);
                }
            }
        }
    }

    /// The variables that are whole arguments of their own domain.
    fn guarded_by(&self, relation: RelationId, arguments: &[Argument]) -> FxHashSet<u32> {
        let relation = self.equations.relation(relation);
        let mut guarded = FxHashSet::default();
        let mut rest = arguments;
        for parameter in &relation.variables[..relation.parameters as usize] {
            let (mine, others) = rest.split_at(parameter.leaves.len().min(rest.len()));
            rest = others;
            let Some(Argument::Leaf(LeafRef { variable, leaf: 0 })) = mine.first() else {
                continue;
            };
            let is_whole = self.relation.variables[*variable as usize].domain == parameter.domain;
            let is_row = (0..).zip(mine).all(|(leaf, argument)| {
                *argument
                    == Argument::Leaf(LeafRef {
                        variable: *variable,
                        leaf,
                    })
            });
            if is_whole && is_row {
                guarded.insert(*variable);
            }
        }
        guarded
    }

    /// The node of a formula where some variables have values of their domains. Cases that
    /// guarantee that by themselves are left as they are.
    fn lower_guarded(&mut self, id: FormulaId, variables: &[u32]) -> NodeId {
        let equations = self.equations;
        if let Formula::Or(parts) = equations.formula(id) {
            let parts = parts.iter();
            let parts = parts.map(|part| self.lower_guarded(*part, variables));
            let parts = parts.collect();
            return self.or(parts);
        }
        let (node, guarded) = self.lower(id, false);
        self.guard(node, &guarded, variables)
    }

    /// Makes sure that variables have values of their domains.
    fn guard(&mut self, node: NodeId, guarded: &FxHashSet<u32>, variables: &[u32]) -> NodeId {
        let missing = variables.iter().copied();
        let missing = missing.filter(|v| !guarded.contains(v) && !self.is_full(*v));
        let missing: Vec<_> = missing.collect();
        if missing.is_empty() {
            return node;
        }
        let mut parts = vec![node];
        for variable in missing {
            let valid = self.valid(variable);
            parts.push(valid);
        }
        let flat = self.flattened(parts);
        self.join(flat, &[])
    }

    /// Whether every code is a value of a variable's domain.
    fn is_full(&self, variable: u32) -> bool {
        let range = &self.ranges[&variable];
        let is_full = |leaf: &Leaf| match leaf {
            Leaf::Number { low, high } => *high >= *low && length(*low, *high).is_power_of_two(),
            Leaf::Point => false,
            Leaf::Locals | Leaf::Globals => true,
        };
        range.states.is_empty() && range.leaves.iter().all(|(_, leaf)| is_full(leaf))
    }

    fn valid(&mut self, variable: u32) -> NodeId {
        let range = self.ranges[&variable].clone();
        let support = range.leaves.iter().map(|(track, _)| *track).collect();
        self.add(Kind::Valid(range), support, Vec::new())
    }

    fn track(&self, leaf: LeafRef) -> (Track, Leaf) {
        self.ranges[&leaf.variable].leaves[leaf.leaf as usize]
    }

    fn operand(&self, scalar: &Scalar) -> Operand {
        match scalar.leaf.map(|leaf| self.track(leaf)) {
            Some((track, Leaf::Number { low, .. })) => Operand {
                track: Some(track),
                offset: low + scalar.offset,
            },
            _ => Operand {
                track: None,
                offset: scalar.offset,
            },
        }
    }

    fn compare(&mut self, comparison: Comparison, left: &Scalar, right: &Scalar) -> NodeId {
        let (left, right) = (self.operand(left), self.operand(right));
        if left.track == right.track {
            // Both are constants, or the same number with something added.
            return self.constant(comparison.of_numbers(left.offset, right.offset));
        }
        let support = left.track.into_iter().chain(right.track).collect();
        self.add(Kind::Compare(comparison, left, right), support, Vec::new())
    }

    fn apply(&mut self, relation: RelationId, arguments: &[Argument]) -> NodeId {
        let called = self.equations.relation(relation);
        let parameters = parameters(called, &mut Tracks::default());
        let leaves = parameters.iter().flat_map(|range| range.leaves.iter());
        let mut support = Vec::new();
        let links = leaves.zip(arguments).map(|(parameter, argument)| Link {
            parameter: *parameter,
            given: match argument {
                Argument::Number(number) => Given::Number(*number),
                Argument::Leaf(leaf) => {
                    let (track, leaf) = self.track(*leaf);
                    support.push(track);
                    Given::Leaf(track, leaf)
                }
            },
        });
        let links: Vec<_> = links.collect();
        // A parameter that stands where another is to go must pass by a free track.
        let moves = |link: &&Link| !matches!(link.given, Given::Leaf(track, leaf) if (track, leaf) == link.parameter);
        let aims: FxHashSet<Track> = links
            .iter()
            .filter(moves)
            .filter_map(|link| match link.given {
                Given::Leaf(track, _) => Some(track),
                Given::Number(_) => None,
            })
            .collect();
        let before = self.next.clone();
        // The called relation may have more parameters than are in sight here.
        for link in &links {
            let next = self.next.entry(link.parameter.0.pool).or_default();
            *next = (*next).max(link.parameter.0.index + 1);
        }
        let detours: Vec<_> = links
            .iter()
            .map(|link| {
                let (track, _) = link.parameter;
                let is_in_the_way = moves(&link) && aims.contains(&track);
                is_in_the_way.then(|| fresh(track.pool, &mut self.next))
            })
            .collect();
        self.note_tracks();
        self.next = before;
        let uses = called.fixpoint().map(|_| relation).into_iter().collect();
        let application = Application {
            relation,
            links: links.into(),
            detours: detours.into(),
        };
        self.add(Kind::Apply(application), support, uses)
    }
}
