//! Computes relations, by the procedure of section 3 of *Analyzing Recursive Programs using a
//! Fixed-point Calculus* (La Torre, Madhusudan, Parlato, PLDI 2009).
//!
//! A relation is computed with some others held *fixed*. The rest is divided into strongly
//! connected components. One without a cycle is its formula. One that is monotone is solved in
//! any order ([`super::semi_naive`]). Any other is iterated round by round as it is written:
//! with the relation fixed at its present value, whatever its formula uses is computed afresh,
//! by the same procedure. A value is kept together with those of the fixed relations that it
//! depends on, and used again while these are the same; that changes nothing, since each value
//! follows from them.
//!
//! Values of formulas are kept in the same way. What is renamed is renamed again only where it
//! has changed, and a join whose parts have grown is joined with what is new of them.

use super::atoms::{Atoms, Renaming};
use super::early_end::Goal;
use super::equations::{Equations, Kind as RelationKind, RelationId};
use super::graph::{Graph, Strategy};
use super::join::Join;
use super::plan::{Application, Kind, NodeId, Plan};
use super::tree::Fixpoint;
use crate::bdd::{Bdd, OutOfNodes};
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Why a relation has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A limit has passed.
    Stop(Stop),
    /// It has the same value after these two rounds, and others between.
    Unsettled(RelationId, [usize; 2]),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stop(stop)
    }
}

impl From<OutOfNodes> for Failure {
    fn from(error: OutOfNodes) -> Self {
        Failure::Stop(error.into())
    }
}

/// What it took to compute a relation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    pub rounds: u64,
    /// The most BDD nodes of any of its values; only if that is measured.
    pub peak_nodes: usize,
    pub time: Duration,
}

/// A component to be computed with some relations fixed.
pub(super) struct Component {
    pub members: Vec<usize>,
    is_cyclic: bool,
    pub strategy: Strategy,
    /// The fixed relations that its values depend on.
    context: Vec<usize>,
    /// The members that others, or whoever asks, want to know.
    asked: Vec<usize>,
}

type Context = Vec<(usize, Bdd)>;
/// What is asked for, and what is fixed.
type Division = (Vec<usize>, Vec<usize>);

pub struct Evaluator<'a> {
    pub(super) equations: &'a Equations,
    pub(super) plan: &'a Plan,
    pub(super) graph: Graph,
    pub(super) atoms: Atoms<'a>,
    pub(super) watch: &'a Watch,
    /// Present values.
    pub(super) values: Vec<Bdd>,
    /// Whether those of supplied relations are made.
    is_made: Vec<bool>,
    /// Values that were computed, and what they depend on.
    known: Vec<Option<(Context, Bdd)>>,
    components: FxHashMap<Division, Rc<Vec<Component>>>,
    /// Values of nodes, and of the relations they depend on.
    nodes: Vec<Option<(Box<[Bdd]>, Bdd)>>,
    renamings: FxHashMap<NodeId, Rc<Renaming>>,
    /// What was renamed last, and what it became.
    renamed: FxHashMap<NodeId, (Bdd, Bdd)>,
    /// The values of a join's changing parts, and what they were joined to.
    joined: FxHashMap<NodeId, (Vec<Bdd>, Bdd)>,
    cubes: FxHashMap<(NodeId, usize, usize), Bdd>,
    pub efforts: Vec<Effort>,
    pub(super) measures: bool,
    /// The query that is asked, if one witness decides it.
    pub(super) goal: Option<Goal>,
}

impl<'a> Evaluator<'a> {
    /// The plan has all relations that will be asked for. If `measures`, the largest value of
    /// each is noted, at some cost in time.
    pub fn new(
        equations: &'a Equations,
        plan: &'a Plan,
        atoms: Atoms<'a>,
        watch: &'a Watch,
        measures: bool,
    ) -> Self {
        let relations = equations.relations.len();
        Evaluator {
            equations,
            plan,
            graph: Graph::of(equations),
            values: vec![atoms.bdds.constant(false); relations],
            atoms,
            watch,
            is_made: vec![false; relations],
            known: vec![None; relations],
            components: FxHashMap::default(),
            nodes: vec![None; plan.nodes.len()],
            renamings: FxHashMap::default(),
            renamed: FxHashMap::default(),
            joined: FxHashMap::default(),
            cubes: FxHashMap::default(),
            efforts: vec![Effort::default(); relations],
            measures,
            goal: None,
        }
    }

    /// The value of a relation, over the tracks of its parameters.
    pub fn relation(&mut self, relation: RelationId) -> Result<Bdd, Failure> {
        let index = relation.0 as usize;
        self.solve(&[index], &[])?;
        self.current(index)
    }

    /// The present value of a relation. What a program supplies is made when it is first needed.
    pub(super) fn current(&mut self, relation: usize) -> Result<Bdd, Failure> {
        if let RelationKind::Supplied(supplied) = self.equations.relations[relation].kind
            && !self.is_made[relation]
            && let Some(program) = self.atoms.program
        {
            self.values[relation] = program.relation(supplied)?;
            self.is_made[relation] = true;
        }
        Ok(self.values[relation].clone())
    }

    /// Gives present values to whatever the roots depend on, while some relations are fixed; or
    /// ends early, where that decides the query that is asked.
    pub(super) fn solve(&mut self, roots: &[usize], fixed: &[usize]) -> Result<(), Failure> {
        let components = self.components(roots, fixed);
        for component in components.iter() {
            self.watch.check()?;
            let is_supplied = |member: &usize| self.equations.relations[*member].body.is_none();
            if component.members.iter().all(is_supplied) {
                continue;
            }
            let context: Context = component
                .context
                .iter()
                .map(|fixed| (*fixed, self.values[*fixed].clone()))
                .collect();
            let known = |member: &usize| match &self.known[*member] {
                Some((of, value)) if *of == context => Some((*member, value.clone())),
                _ => None,
            };
            let known: Option<Vec<_>> = component.asked.iter().map(known).collect();
            if let Some(known) = known {
                for (member, value) in known {
                    self.values[member] = value;
                }
                continue;
            }
            let start = Instant::now();
            self.compute(component, fixed)?;
            if self.goal.as_ref().is_some_and(|goal| goal.is_reached) {
                return Ok(());
            }
            for member in &component.asked {
                self.efforts[*member].time += start.elapsed();
                self.measure(*member);
                let value = self.values[*member].clone();
                self.known[*member] = Some((context.clone(), value));
            }
        }
        Ok(())
    }

    fn components(&mut self, roots: &[usize], fixed: &[usize]) -> Rc<Vec<Component>> {
        let key = (roots.to_vec(), fixed.to_vec());
        if let Some(known) = self.components.get(&key) {
            return known.clone();
        }
        let found = self.graph.components(roots, fixed);
        let mut of = vec![usize::MAX; self.graph.successors.len()];
        let mut contexts: Vec<Vec<usize>> = Vec::new();
        for (index, members) in found.iter().enumerate() {
            for member in members {
                of[*member] = index;
            }
            let mut context = Vec::new();
            for next in members.iter().flat_map(|m| &self.graph.successors[*m]) {
                match fixed.contains(next) {
                    true => context.push(*next),
                    false if of[*next] < index => context.extend(&contexts[of[*next]]),
                    false => {}
                }
            }
            context.sort_unstable();
            context.dedup();
            contexts.push(context);
        }
        let mut is_asked = vec![false; of.len()];
        for root in roots {
            is_asked[*root] = true;
        }
        for (from, successors) in self.graph.successors.iter().enumerate() {
            for to in successors {
                is_asked[*to] |= of[from] != usize::MAX && of[from] != of[*to];
            }
        }
        let components = found.into_iter().zip(contexts).map(|(members, context)| {
            let strategy = self.graph.strategy(&members);
            let is_cyclic = self.graph.is_cyclic(&members);
            let all = strategy != Strategy::Nested || !is_cyclic;
            let asked = members.iter().copied();
            Component {
                is_cyclic,
                strategy,
                context,
                asked: asked.filter(|member| all || is_asked[*member]).collect(),
                members,
            }
        });
        let components = Rc::new(components.collect::<Vec<_>>());
        self.components.insert(key, components.clone());
        components
    }

    fn compute(&mut self, component: &Component, fixed: &[usize]) -> Result<(), Failure> {
        if !component.is_cyclic {
            for member in &component.members {
                self.efforts[*member].rounds += 1;
                self.values[*member] = self.body(*member)?;
            }
            return Ok(());
        }
        match component.strategy {
            Strategy::SemiNaive => {
                let is_done = fixed.is_empty() && self.explicit(&component.members)?;
                match is_done {
                    true => Ok(()),
                    false => self.semi_naive(&component.members),
                }
            }
            Strategy::Kleene => self.kleene(&component.members),
            Strategy::Nested => {
                let mut values = Vec::new();
                for member in &component.asked {
                    let value = match self.graph.is_let(*member) {
                        true => self.text(*member, fixed)?,
                        false => self.iterate(*member, fixed)?,
                    };
                    values.push((*member, value));
                }
                for (member, value) in values {
                    self.values[member] = value;
                }
                Ok(())
            }
        }
    }

    /// The value of a relation's formula under present values.
    pub(super) fn body(&mut self, relation: usize) -> Result<Bdd, Failure> {
        match self.plan.relation(RelationId(relation as u32)).body {
            Some(body) => self.value(body),
            None => Ok(self.atoms.bdds.constant(false)),
        }
    }

    /// A `let` in a cycle: the value of its text.
    fn text(&mut self, relation: usize, fixed: &[usize]) -> Result<Bdd, Failure> {
        let uses = self.graph.successors[relation].clone();
        self.solve(&uses, fixed)?;
        self.body(relation)
    }

    /// Where the iteration of a relation starts.
    pub(super) fn start(&self, relation: usize) -> Result<Bdd, Failure> {
        let bdds = self.atoms.bdds;
        match self.equations.relations[relation].fixpoint() {
            Some(Fixpoint::Greatest) => {
                let mut all = bdds.constant(true);
                let plan = self.plan.relation(RelationId(relation as u32));
                for range in &plan.parameters {
                    all = bdds.and(&all, &self.atoms.valid(range)?)?;
                }
                Ok(all)
            }
            _ => Ok(bdds.constant(false)),
        }
    }

    /// Section 3's procedure: round after round, until the value does not change.
    // A BDD is hashed by the number of its node, which stays as long as the BDD does.
    #[expect(clippy::mutable_key_type)]
    fn iterate(&mut self, relation: usize, fixed: &[usize]) -> Result<Bdd, Failure> {
        let mut fixed = fixed.to_vec();
        fixed.push(relation);
        fixed.sort_unstable();
        let uses = self.graph.successors[relation].clone();
        let mut value = self.start(relation)?;
        let mut earlier: FxHashMap<Bdd, usize> = FxHashMap::default();
        for round in 0.. {
            self.watch.check()?;
            self.atoms.bdds.safe_point();
            earlier.insert(value.clone(), round);
            self.values[relation] = value.clone();
            self.solve(&uses, &fixed)?;
            self.efforts[relation].rounds += 1;
            let next = self.body(relation)?;
            if next == value {
                break;
            }
            if let Some(first) = earlier.get(&next) {
                let rounds = [*first, round + 1];
                return Err(Failure::Unsettled(RelationId(relation as u32), rounds));
            }
            value = next;
            self.values[relation] = value.clone();
            self.measure(relation);
            if self.reaches_goal(&[relation])? {
                break;
            }
        }
        Ok(value)
    }

    /// Notes the size of a present value.
    pub(super) fn measure(&mut self, relation: usize) {
        if self.measures {
            let nodes = self.atoms.bdds.node_count(&self.values[relation]);
            let most = &mut self.efforts[relation].peak_nodes;
            *most = nodes.max(*most);
        }
    }

    /// The value of a node under present values. (Nodes are not deep.)
    pub(super) fn value(&mut self, id: NodeId) -> Result<Bdd, Failure> {
        let plan = self.plan;
        let node = plan.node(id);
        let is_same = |(used, value): (&RelationId, &Bdd)| self.values[used.0 as usize] == *value;
        if let Some((of, value)) = &self.nodes[id.0 as usize]
            && node.uses.iter().zip(of).all(is_same)
        {
            return Ok(value.clone());
        }
        let bdds = self.atoms.bdds;
        let value = match &node.kind {
            Kind::Constant(value) => bdds.constant(*value),
            Kind::Compare(comparison, left, right) => {
                self.atoms.compare(*comparison, left, right)?
            }
            Kind::Same(left, right) => self.atoms.same([(*left, *right)])?,
            Kind::Valid(range) => self.atoms.valid(range)?,
            Kind::Apply(application) => self.apply(id, application)?,
            Kind::Not(part) => bdds.not(&self.value(*part)?)?,
            Kind::Or(parts) => {
                let mut all = bdds.constant(false);
                for part in parts {
                    all = bdds.or(&all, &self.value(*part)?)?;
                }
                all
            }
            Kind::Iff(left, right) => {
                let (left, right) = (self.value(*left)?, self.value(*right)?);
                bdds.equivalent(&left, &right)?
            }
            Kind::Join(join) => self.grown(id, join)?,
        };
        let uses = node
            .uses
            .iter()
            .map(|used| self.values[used.0 as usize].clone());
        self.nodes[id.0 as usize] = Some((uses.collect(), value.clone()));
        Ok(value)
    }

    /// What an application makes of a set of its relation's tuples.
    pub(super) fn renamed(
        &mut self,
        id: NodeId,
        application: &Application,
        value: &Bdd,
    ) -> Result<Bdd, Failure> {
        let renaming = match self.renamings.get(&id) {
            Some(known) => known.clone(),
            None => {
                let made = Rc::new(self.atoms.renaming(application)?);
                self.renamings.insert(id, made.clone());
                made
            }
        };
        Ok(renaming.apply(self.atoms.bdds, value)?)
    }

    /// An application of a present value: only what has changed since the last time is renamed.
    /// No two tuples become one, so that what is gone can be taken away.
    fn apply(&mut self, id: NodeId, application: &Application) -> Result<Bdd, Failure> {
        let value = self.current(application.relation.0 as usize)?;
        let bdds = self.atoms.bdds;
        let result = match self.renamed.get(&id).cloned() {
            None => self.renamed(id, application, &value)?,
            Some((before, result)) => {
                let added = bdds.difference(&value, &before)?;
                let gone = bdds.difference(&before, &value)?;
                if before != value && gone == before {
                    self.renamed(id, application, &value)?
                } else {
                    let added = self.renamed(id, application, &added)?;
                    let gone = self.renamed(id, application, &gone)?;
                    bdds.or(&bdds.difference(&result, &gone)?, &added)?
                }
            }
        };
        self.renamed.insert(id, (value, result.clone()));
        Ok(result)
    }

    /// The value of a join: where its parts have only grown since the last time, from what is
    /// new of each.
    fn grown(&mut self, id: NodeId, join: &Join) -> Result<Bdd, Failure> {
        let (plan, bdds) = (self.plan, self.atoms.bdds);
        let given = FxHashMap::default();
        let changing = (0..).zip(&join.parts);
        let changing = changing.filter(|(_, part)| !plan.node(**part).uses.is_empty());
        let changing: Vec<(usize, NodeId)> = changing.map(|(i, part)| (i, *part)).collect();
        let is_negated = |part: NodeId| matches!(plan.node(part).kind, Kind::Not(_));
        if changing.is_empty() || changing.iter().any(|(_, part)| is_negated(*part)) {
            return self.join(id, join, None, &given);
        }
        let mut values = Vec::new();
        for (_, part) in &changing {
            values.push(self.value(*part)?);
        }
        let mut result = None;
        if let Some((before, joined)) = self.joined.get(&id).cloned() {
            let mut new = Vec::new();
            let mut has_only_grown = true;
            for (before, value) in before.iter().zip(&values) {
                has_only_grown &= bdds.is_false(&bdds.difference(before, value)?);
                if !has_only_grown {
                    break;
                }
                new.push(bdds.difference(value, before)?);
            }
            if has_only_grown {
                let mut all = joined;
                for ((place, _), new) in changing.iter().zip(&new) {
                    if !bdds.is_false(new) {
                        let found = self.join(id, join, Some((*place, new)), &given)?;
                        all = bdds.or(&all, &found)?;
                    }
                }
                result = Some(all);
            }
        }
        let result = match result {
            Some(result) => result,
            None => self.join(id, join, None, &given)?,
        };
        self.joined.insert(id, (values, result.clone()));
        Ok(result)
    }

    fn cube(
        &mut self,
        key: (NodeId, usize, usize),
        join: &Join,
        first: Option<usize>,
    ) -> Result<Bdd, Failure> {
        if let Some(known) = self.cubes.get(&key) {
            return Ok(known.clone());
        }
        let step = &join.order(first)[key.2];
        let cube = self.atoms.cube(&step.quantified)?;
        self.cubes.insert(key, cube.clone());
        Ok(cube)
    }

    /// The conjunction of a join's parts without what it quantifies: each as soon as no later
    /// part speaks of it. It may begin with another value of one part, and others may be given.
    pub(super) fn join(
        &mut self,
        id: NodeId,
        join: &Join,
        first: Option<(usize, &Bdd)>,
        given: &FxHashMap<NodeId, Bdd>,
    ) -> Result<Bdd, Failure> {
        let (plan, bdds) = (self.plan, self.atoms.bdds);
        let which = first.map(|(part, _)| part);
        let mut all = bdds.constant(true);
        for (number, step) in join.order(which).iter().enumerate() {
            let cube = self.cube((id, which.unwrap_or(usize::MAX), number), join, which)?;
            let part = join.parts[step.part];
            if let (0, Some((_, value))) = (number, first) {
                all = bdds.exists(value, &cube)?;
            } else if let (Kind::Not(inner), false) = (&plan.node(part).kind, number == 0) {
                let value = self.value(*inner)?;
                all = bdds.exists(&bdds.difference(&all, &value)?, &cube)?;
            } else {
                let value = match given.get(&part) {
                    Some(value) => value.clone(),
                    None => self.value(part)?,
                };
                all = bdds.and_exists(&value, &all, &cube)?;
            }
            if bdds.is_false(&all) {
                break;
            }
        }
        Ok(all)
    }
}

impl Evaluator<'_> {
    pub(super) fn levels(&self) -> &super::levels::Levels {
        self.atoms.levels
    }

    /// What a relation took, and the size of its last value.
    pub(super) fn effort(&self, relation: RelationId) -> (Effort, usize) {
        let index = relation.0 as usize;
        let nodes = match &self.known[index] {
            Some((_, value)) => self.atoms.bdds.node_count(value),
            None => self.atoms.bdds.node_count(&self.values[index]),
        };
        (self.efforts[index], nodes)
    }

    /// Whether numbers are a tuple of a value.
    pub(super) fn contains(
        &self,
        plan: &super::plan::RelationPlan,
        value: &Bdd,
        tuple: &[i128],
    ) -> bool {
        let mut valuation = vec![false; self.atoms.levels.count as usize];
        let leaves = plan.parameters.iter().flat_map(|range| &*range.leaves);
        for ((track, leaf), number) in leaves.zip(tuple) {
            let super::domain::Leaf::Number { low, .. } = leaf else {
                continue;
            };
            let code = number - low;
            for (level, weight) in self.atoms.levels.of(*track).iter().rev().zip(0..) {
                valuation[*level as usize] = code >> weight & 1 == 1;
            }
        }
        self.atoms.bdds.contains(value, &valuation)
    }
}
