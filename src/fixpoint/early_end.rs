//! The early end of a query: one witness is enough.
//!
//! A query that uses a relation under an even number of negations, and is true of what has been
//! found of that relation so far, stays true if the relation can only grow. Two kinds do:
//! * the least fixed points of a monotone cycle;
//! * the *kept slice* of a relation `R` that is iterated round by round: the tuples with the
//!   value c in one place, where one disjunct of the body is `R(x, …, c, …, z)`, the parameters
//!   themselves but for that place. Whatever else the body says, a tuple of the slice stays. If
//!   all other disjuncts are about the slice alone, or about nothing that changes, `R` settles:
//!   domains are finite, so the slice does, and the rest follows from it in one round more. So
//!   the end that is not waited for does come.
//!
//! Looking whether a goal is reached costs a join with what is new, each round.

use super::equations::{Argument, Formula, FormulaId, RelationId};
use super::evaluate::{Evaluator, Failure};
use super::graph::Strategy;
use super::slices::Slice;

/// A query that is asked, and the relations of which it needs one witness.
pub(super) struct Goal {
    query: usize,
    members: Vec<usize>,
    /// What else its formula uses.
    others: Vec<usize>,
    pub is_reached: bool,
}

impl Evaluator<'_> {
    /// The value of a relation without parameters.
    pub fn query(&mut self, relation: RelationId) -> Result<bool, Failure> {
        self.goal = self.goal_of(relation.0 as usize);
        if let Some(goal) = &self.goal {
            let others = goal.others.clone();
            self.solve(&others, &[])?;
        }
        let value = self.relation(relation)?;
        let is_reached = self.goal.take().is_some_and(|goal| goal.is_reached);
        Ok(is_reached || self.atoms.bdds.is_true(&value))
    }

    /// Whether the query that is asked is true of what has been found of these relations.
    pub(super) fn reaches_goal(&mut self, members: &[usize]) -> Result<bool, Failure> {
        let query = match &self.goal {
            Some(goal) if goal.members == members => goal.query,
            _ => return Ok(false),
        };
        let value = self.body(query)?;
        let is_reached = self.atoms.bdds.is_true(&value);
        if let Some(goal) = &mut self.goal {
            goal.is_reached = is_reached;
        }
        Ok(is_reached)
    }

    /// The query that is asked, if one witness among these relations decides it.
    pub(super) fn goal_query(&self, members: &[usize]) -> Option<usize> {
        let goal = self.goal.as_ref()?;
        (goal.members == members).then_some(goal.query)
    }

    /// Notes that the query that is asked has its witness.
    pub(super) fn reach_goal(&mut self) {
        if let Some(goal) = &mut self.goal {
            goal.is_reached = true;
        }
    }

    /// A query's goal, if it has one: it depends on one cycle only, and evenly.
    fn goal_of(&self, query: usize) -> Option<Goal> {
        let components = self.graph.components(&[query], &[]);
        let used = |members: &&Vec<usize>| {
            let mut uses = self.graph.successors[query].iter();
            uses.any(|to| members.contains(to)) && self.graph.is_cyclic(members)
        };
        let mut cycles = components.iter().filter(used);
        let (cycle, None) = (cycles.next()?, cycles.next()) else {
            return None;
        };
        let uses = self.graph.successors[query].iter().copied();
        let (used, others): (Vec<_>, Vec<_>) = uses.partition(|to| cycle.contains(to));
        let behind = self.graph.components(&others, &[]);
        let are_separate = !behind.iter().flatten().any(|other| cycle.contains(other));
        if !are_separate || !self.graph.is_even(query, cycle) {
            return None;
        }
        let members = match (self.graph.strategy(cycle), &used[..]) {
            (Strategy::SemiNaive, _) => cycle.clone(),
            (Strategy::Nested, [relation]) => {
                let slice = self.kept_slice(*relation, cycle)?;
                self.uses_only(query, *relation, &slice).then_some(used)?
            }
            _ => return None,
        };
        Some(Goal {
            query,
            members,
            others,
            is_reached: false,
        })
    }

    /// The kept slice of a relation that is iterated, if it has one and settles.
    fn kept_slice(&self, relation: usize, cycle: &[usize]) -> Option<Slice> {
        let uses = &self.graph.successors[relation];
        let inner = self.graph.components(uses, &[relation]);
        let is_monotone = |members: &Vec<usize>| {
            !self.graph.is_cyclic(members) || self.graph.strategy(members) != Strategy::Nested
        };
        if self.graph.is_let(relation) || !inner.iter().all(is_monotone) {
            return None;
        }
        let known = &self.equations.relations[relation];
        let disjuncts = self.equations.disjuncts(known.body?);
        let kept = |part: &FormulaId| self.equations.kept_slice(relation, *part);
        let slice = disjuncts.iter().find_map(kept)?;
        let is_about_slice =
            |part: &&FormulaId| self.equations.is_in_slice(relation, slice, **part);
        let is_constant = |part: &FormulaId| {
            let mut used = self.applications(*part);
            !used.any(|(used, _)| cycle.contains(&used))
        };
        let mut rest = disjuncts.iter().filter(|part| !is_about_slice(part));
        rest.all(|part| kept(part).is_some() || is_constant(part))
            .then_some(slice)
    }

    /// Whether a relation's formula uses another one in a slice only.
    fn uses_only(&self, from: usize, relation: usize, slice: &Slice) -> bool {
        let body = self.equations.relations[from].body;
        let mut used = body.into_iter().flat_map(|body| self.applications(body));
        used.all(|(used, arguments)| {
            used != relation || arguments[slice.place] == Argument::Number(slice.value)
        })
    }

    /// All applications in a formula.
    fn applications(&self, root: FormulaId) -> impl Iterator<Item = (usize, &[Argument])> {
        let mut open = vec![root];
        std::iter::from_fn(move || {
            while let Some(id) = open.pop() {
                let formula = self.equations.formula(id);
                open.extend(formula.parts().into_iter().map(|(part, _)| part));
                if let Formula::Apply {
                    relation,
                    arguments,
                } = formula
                {
                    return Some((relation.0 as usize, &**arguments));
                }
            }
            None
        })
    }
}
