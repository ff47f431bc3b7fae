//! Which relation uses which, under how many negations; cycles, and which of them are monotone.
//!
//! Linear in the formulas, but for the ways through `let`s, which are followed once for each
//! relation.

use super::equations::{Equations, Formula};
use super::tree::Fixpoint;
use crate::components::{components, is_cyclic};
use crate::diagnostic::{Diagnostic, listed};
use rustc_hash::FxHashSet;

/// Uses of relations by relations.
#[derive(Debug)]
pub struct Graph {
    /// For each relation those that its body uses.
    pub successors: Vec<Vec<usize>>,
    /// The same with parity: whether under an odd number of negations. Both may be there.
    parities: Vec<Vec<(usize, bool)>>,
    fixpoints: Vec<Option<Fixpoint>>,
}

/// How the relations of a cycle may be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// From what is new alone.
    SemiNaive,
    /// In any order, each time from whole values.
    Kleene,
    /// Round by round, exactly as it is written.
    Nested,
}

impl Graph {
    pub fn of(equations: &Equations) -> Self {
        let parities: Vec<Vec<(usize, bool)>> = equations
            .relations
            .iter()
            .map(|relation| {
                let mut found = FxHashSet::default();
                let mut open: Vec<_> = relation.body.iter().map(|body| (*body, false)).collect();
                let mut seen = FxHashSet::default();
                while let Some((id, odd)) = open.pop() {
                    if !seen.insert((id, odd)) {
                        continue;
                    }
                    let formula = equations.formula(id);
                    if let Formula::Apply { relation, .. } = formula {
                        found.insert((relation.0 as usize, odd));
                    }
                    for (part, negated) in formula.parts() {
                        match negated {
                            Some(negated) => open.push((part, odd ^ negated)),
                            None => open.extend([(part, false), (part, true)]),
                        }
                    }
                }
                let mut found: Vec<_> = found.into_iter().collect();
                found.sort_unstable();
                found
            })
            .collect();
        let successors = parities.iter().map(|uses| {
            let mut uses: Vec<_> = uses.iter().map(|(to, _)| *to).collect();
            uses.dedup();
            uses
        });
        Graph {
            successors: successors.collect(),
            fixpoints: equations
                .relations
                .iter()
                .map(super::equations::Relation::fixpoint)
                .collect(),
            parities,
        }
    }

    pub fn is_let(&self, relation: usize) -> bool {
        self.fixpoints[relation] == Some(Fixpoint::Let)
    }

    /// How the relations of a component with a cycle may be computed.
    pub fn strategy(&self, members: &[usize]) -> Strategy {
        let is_member = |relation: usize| members.contains(&relation);
        let mut fixpoints = members
            .iter()
            .map(|member| self.fixpoints[*member])
            .filter(|fixpoint| *fixpoint != Some(Fixpoint::Let));
        let first = fixpoints.next();
        let is_uniform = fixpoints.all(|fixpoint| Some(fixpoint) == first);
        if !is_uniform {
            return Strategy::Nested;
        }
        if members.iter().all(|member| self.is_even(*member, members)) {
            return match first {
                Some(Some(Fixpoint::Greatest)) => Strategy::Kleene,
                _ => Strategy::SemiNaive,
            };
        }
        let iterated = members.iter().filter(|member| !self.is_let(**member));
        let mut iterated = iterated.copied();
        match iterated.any(|member| self.reaches_oddly(member, &is_member)) {
            true => Strategy::Nested,
            false => Strategy::Kleene,
        }
    }

    /// Whether a relation uses others under an even number of negations only.
    pub fn is_even(&self, from: usize, others: &[usize]) -> bool {
        let mut uses = self.parities[from].iter();
        !uses.any(|(to, odd)| *odd && others.contains(to))
    }

    /// Whether a relation uses another one, through `let`s alone, under an odd number of
    /// negations.
    fn reaches_oddly(&self, from: usize, is_member: &impl Fn(usize) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![(from, false)];
        while let Some((relation, odd)) = open.pop() {
            for (to, negated) in &self.parities[relation] {
                let next = (*to, odd ^ negated);
                if !is_member(*to) || !seen.insert(next) {
                    continue;
                }
                match self.is_let(*to) {
                    true => open.push(next),
                    false if next.1 => return true,
                    false => {}
                }
            }
        }
        false
    }

    /// The relations that can be reached from some, without passing those that are `cut`; the
    /// components come in the order in which they can be computed.
    pub fn components(&self, roots: &[usize], cut: &[usize]) -> Vec<Vec<usize>> {
        let successors: Vec<Vec<usize>> = (0..self.successors.len())
            .map(|from| match cut.contains(&from) {
                true => Vec::new(),
                false => {
                    let successors = self.successors[from].iter().copied();
                    successors.filter(|to| !cut.contains(to)).collect()
                }
            })
            .collect();
        let roots = roots.iter().copied().filter(|root| !cut.contains(root));
        components(&successors, roots)
    }

    pub fn is_cyclic(&self, members: &[usize]) -> bool {
        is_cyclic(&self.successors, members)
    }
}

/// A cycle of `let`s alone means nothing: its errors. Cycles that are not monotone are
/// computed, but get a warning.
pub fn check(equations: &mut Equations) -> Vec<Diagnostic> {
    let graph = Graph::of(equations);
    let all = 0..equations.relations.len();
    let lets: Vec<Vec<usize>> = all
        .clone()
        .map(|from| match graph.is_let(from) {
            true => {
                let successors = graph.successors[from].iter().copied();
                successors.filter(|to| graph.is_let(*to)).collect()
            }
            false => Vec::new(),
        })
        .collect();
    let names = |members: &[usize]| {
        let mut members = members.to_vec();
        members.sort_unstable();
        let relations = members.iter().map(|member| &equations.relations[*member]);
        let names: Vec<_> = relations.clone().map(|relation| &relation.name).collect();
        let first = relations.map(|relation| relation.span).next();
        (listed(&names, names.len()), first.unwrap_or_default())
    };
    let mut errors = Vec::new();
    for members in components(&lets, all.clone()) {
        if is_cyclic(&lets, &members) {
            let (names, span) = names(&members);
            let message = format!("a cycle of `let`s alone has no meaning: {names}");
            let hint = "make one of them `mu` or `nu`";
            errors.push(Diagnostic::error(span, message).with_hint(hint));
        }
    }
    let mut warnings = Vec::new();
    for mut members in components(&graph.successors, all) {
        if graph.is_cyclic(&members) && graph.strategy(&members) == Strategy::Nested {
            members.retain(|member| !graph.is_let(*member));
            let (names, span) = names(&members);
            let message = format!("this cycle is not monotone: {names}");
            let hint = "its relations are computed round by round, exactly as they are written";
            warnings.push(Diagnostic::warning(span, message).with_hint(hint));
        }
    }
    equations.warnings.extend(warnings);
    errors
}
