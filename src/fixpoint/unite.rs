//! Equations that say twice what can be said once.
//!
//! An algorithm that is written as rounds hands what it finds from one relation to the next, and
//! keeps what was found before beside what is new. In a monotone cycle, of which only the value
//! counts, three things can be said with less:
//!
//! * **A slice that alone is looked at.** If a relation keeps its slice c ([`super::slices`]), and
//!   is applied with the number c in that place only, then nobody asks for its other tuples. It
//!   loses that place, and what only keeps the slice says nothing any more.
//! * **Relations that are the same.** If one disjunct of S applies N to the parameters of S, and
//!   one disjunct of N applies S to the parameters of N, then each holds where the other one does.
//!   The formula of N takes the place of its application there, and everywhere else N is S.
//! * **A relation that is used once**, as a disjunct of another one: its formula takes its place.
//!
//! `efopt.mu` becomes one relation that way, as `ef.mu` is. Linear in the formulas for each
//! relation that goes.

use super::domain::Leaf;
use super::equations::{Argument, Equations, Formula, FormulaId, LeafRef, RelationId, Scalar};
use super::graph::{Graph, Strategy};
use super::slices::Slice;
use super::tree::Fixpoint;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// Shorter equations with the same values of what is asked for, if there are any.
pub fn united(equations: &Equations, asked: &[RelationId]) -> Option<Equations> {
    let mut uniting = Uniting {
        equations: equations.clone(),
        asked: asked.iter().map(|id| id.0 as usize).collect(),
        needed: Vec::new(),
    };
    let mut has_changed = false;
    while uniting.shorten() {
        has_changed = true;
    }
    has_changed.then_some(uniting.equations)
}

struct Uniting {
    equations: Equations,
    asked: Vec<usize>,
    /// The relations that matter.
    needed: Vec<usize>,
}

/// What stands for a variable: another one, or a number if it has but one leaf.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Variable(u32),
    Number(i128),
}

/// Two relations that are the same.
struct Twins {
    stays: usize,
    goes: usize,
    /// Where the one that stays applies the other one.
    place: FormulaId,
}

impl Uniting {
    /// One change for the better, if there is any.
    fn shorten(&mut self) -> bool {
        let graph = Graph::of(&self.equations);
        let components = graph.components(&self.asked, &[]);
        self.needed = components.iter().flatten().copied().collect();
        let cycles = components.into_iter().filter(|members| {
            graph.is_cyclic(members) && graph.strategy(members) == Strategy::SemiNaive
        });
        cycles.into_iter().any(|mut members| {
            let is_least = |member: &usize| {
                self.equations.relations[*member].fixpoint() == Some(Fixpoint::Least)
            };
            members.retain(is_least);
            self.narrow(&members) || self.unite(&members) || self.insert(&members)
        })
    }

    /// The disjuncts of a relation's formula, none of them a conjunction of one part.
    fn disjuncts(&self, relation: usize) -> Vec<FormulaId> {
        let mut open = Vec::from_iter(self.equations.relations[relation].body);
        let mut found = Vec::new();
        while let Some(formula) = open.pop() {
            for disjunct in self.equations.disjuncts(formula) {
                match self.conjuncts(disjunct)[..] {
                    [only] if only != disjunct => open.push(only),
                    _ => found.push(disjunct),
                }
            }
        }
        found
    }

    /// The parts of nested conjunctions, but for what is always true.
    fn conjuncts(&self, root: FormulaId) -> Vec<FormulaId> {
        let mut parts = self.equations.flattened(root, |formula| match formula {
            Formula::And(parts) => Some(&parts[..]),
            _ => None,
        });
        let is_true =
            |part: &FormulaId| matches!(self.equations.formula(*part), Formula::Constant(true));
        parts.retain(|part| !is_true(part));
        parts
    }

    /// Takes from a relation the place in which it has always the same number.
    fn narrow(&mut self, members: &[usize]) -> bool {
        for relation in members.iter().copied() {
            let disjuncts = self.disjuncts(relation);
            let slice = |part: &FormulaId| self.equations.kept_slice(relation, *part);
            let Some(slice) = disjuncts.iter().find_map(slice) else {
                continue;
            };
            let known = &self.equations.relations[relation];
            let place = known.parameter_leaves().nth(slice.place);
            if let Some((LeafRef { variable, .. }, Leaf::Number { low, high })) = place
                && known.variables[variable as usize].leaves.len() == 1
                && (low..=high).contains(&slice.value)
                && self.is_seen_in(relation, slice)
            {
                self.take(relation, variable, slice);
                return true;
            }
        }
        false
    }

    fn take(&mut self, relation: usize, parameter: u32, slice: Slice) {
        let count = self.equations.relations[relation].variables.len() as u32;
        let given: Vec<Given> = (0..count)
            .map(|variable| match variable.cmp(&parameter) {
                Ordering::Less => Given::Variable(variable),
                Ordering::Equal => Given::Number(slice.value),
                Ordering::Greater => Given::Variable(variable - 1),
            })
            .collect();
        self.rewrite(relation, |formula| with_given(formula, &given));
        let narrowed = &mut self.equations.relations[relation];
        narrowed.variables.remove(parameter as usize);
        narrowed.parameters -= 1;
        let above = std::mem::take(&mut narrowed.above);
        narrowed.above = above_of(&above, &given);
        for user in self.needed.clone() {
            self.rewrite(user, |formula| match formula {
                Formula::Apply {
                    relation: applied,
                    arguments,
                } if applied.0 as usize == relation => {
                    let mut arguments = arguments.to_vec();
                    arguments.remove(slice.place);
                    Formula::Apply {
                        relation: *applied,
                        arguments: arguments.into(),
                    }
                }
                _ => formula.clone(),
            });
        }
        self.tidy(relation);
    }

    /// Leaves out of a relation's formula what adds nothing to it.
    fn tidy(&mut self, relation: usize) {
        let own = self.equations.relations[relation].parameter_leaves();
        let own: Vec<_> = own.map(|(leaf, _)| Argument::Leaf(leaf)).collect();
        let mut parts = Vec::new();
        for disjunct in self.disjuncts(relation) {
            let conjuncts = self.conjuncts(disjunct);
            let is_false = |part: &FormulaId| {
                matches!(self.equations.formula(*part), Formula::Constant(false))
            };
            let is_idle = self.equations.applied(disjunct, relation) == Some(&own[..])
                || conjuncts.iter().any(is_false);
            if !is_idle {
                parts.push(self.of_parts(conjuncts, true));
            }
        }
        self.equations.relations[relation].body = Some(self.of_parts(parts, false));
    }

    /// Whether a relation is applied in one of its slices only.
    fn is_seen_in(&self, relation: usize, slice: Slice) -> bool {
        let is_slice = |arguments: &[Argument]| {
            arguments.get(slice.place) == Some(&Argument::Number(slice.value))
        };
        !self.asked.contains(&relation) && self.applications(relation).into_iter().all(is_slice)
    }

    /// With which arguments a relation is applied.
    fn applications(&self, relation: usize) -> Vec<&[Argument]> {
        let bodies = self.needed.iter();
        let bodies = bodies.filter_map(|one| self.equations.relations[*one].body);
        let formulas = bodies.flat_map(|body| self.reachable(body, &FxHashMap::default()));
        formulas
            .filter_map(|id| self.equations.applied(id, relation))
            .collect()
    }

    fn unite(&mut self, members: &[usize]) -> bool {
        let pairs = members.iter().flat_map(|stays| {
            let others = members.iter().filter(move |goes| *goes != stays);
            others.map(|goes| (*stays, *goes))
        });
        let mut pairs = pairs.filter(|(_, goes)| !self.asked.contains(goes));
        let Some(twins) = pairs.find_map(|(stays, goes)| self.twins(stays, goes)) else {
            return false;
        };
        self.put(twins.goes, twins.stays, twins.place);
        for relation in self.needed.clone() {
            self.rewrite(relation, |formula| match formula {
                Formula::Apply {
                    relation,
                    arguments,
                } if relation.0 as usize == twins.goes => Formula::Apply {
                    relation: RelationId(twins.stays as u32),
                    arguments: arguments.clone(),
                },
                _ => formula.clone(),
            });
        }
        self.tidy(twins.stays);
        true
    }

    /// Whether two relations are the same.
    fn twins(&self, stays: usize, goes: usize) -> Option<Twins> {
        self.handed_on(goes, stays)?;
        let place = self.handed_on(stays, goes)?;
        Some(Twins { stays, goes, place })
    }

    /// The disjunct by which all that another relation holds of belongs to a relation, too.
    fn handed_on(&self, to: usize, from: usize) -> Option<FormulaId> {
        let parameters = 0..self.equations.relations[to].parameters;
        let own: Vec<_> = parameters.map(Given::Variable).collect();
        let is_whole = |part: &FormulaId| {
            let arguments = self.equations.applied(*part, from);
            let given = arguments.and_then(|arguments| self.given(to, arguments, from));
            given.as_ref() == Some(&own)
        };
        self.disjuncts(to).into_iter().find(is_whole)
    }

    /// What is given for the parameters of a relation that another one applies, if each is a
    /// number or a variable of the same domain.
    fn given(&self, from: usize, arguments: &[Argument], to: usize) -> Option<Vec<Given>> {
        let [from, to] = [from, to].map(|one| &self.equations.relations[one]);
        let mut arguments = arguments.iter();
        let parameters = to.variables[..to.parameters as usize].iter();
        let given = parameters.map(|parameter| {
            let leaves = 0..parameter.leaves.len() as u32;
            let given: Vec<_> = arguments.by_ref().take(leaves.len()).collect();
            match given[..] {
                [Argument::Number(number)] => Some(Given::Number(*number)),
                [Argument::Leaf(LeafRef { variable, .. }), ..] => {
                    let whole = leaves.map(|leaf| {
                        Argument::Leaf(LeafRef {
                            variable: *variable,
                            leaf,
                        })
                    });
                    let has_domain = from.variables[*variable as usize].domain == parameter.domain;
                    let is_whole = has_domain && given.into_iter().copied().eq(whole);
                    is_whole.then_some(Given::Variable(*variable))
                }
                _ => None,
            }
        });
        given.collect()
    }

    /// Puts a relation's formula in the place where alone it is used.
    fn insert(&mut self, members: &[usize]) -> bool {
        let goes = |goes: &usize| !self.asked.contains(goes) && self.applications(*goes).len() == 1;
        for goes in members.iter().copied().filter(goes).collect::<Vec<_>>() {
            for stays in members.iter().copied().filter(|stays| *stays != goes) {
                let place = self.disjuncts(stays).into_iter().find(|part| {
                    let arguments = self.equations.applied(*part, goes);
                    let given = arguments.and_then(|given| self.given(stays, given, goes));
                    let is_variable = |given: &Given| matches!(given, Given::Variable(_));
                    given.is_some_and(|given| given.iter().all(is_variable))
                });
                if let Some(place) = place {
                    self.put(goes, stays, place);
                    self.tidy(stays);
                    return true;
                }
            }
        }
        false
    }

    /// Puts a relation's formula where another one applies it to variables.
    fn put(&mut self, goes: usize, stays: usize, place: FormulaId) {
        let arguments = self.equations.applied(place, goes).unwrap_or_default();
        let Some(mut given) = self.given(stays, arguments, goes) else {
            return;
        };
        let gone = self.equations.relations[goes].clone();
        let there = &mut self.equations.relations[stays];
        for bound in &gone.variables[gone.parameters as usize..] {
            given.push(Given::Variable(there.variables.len() as u32));
            there.variables.push(bound.clone());
        }
        there.above.extend(above_of(&gone.above, &given));
        if let (Some(body), Some(there)) = (gone.body, there.body) {
            let change = |formula: &Formula| with_given(formula, &given);
            let inserted = self.copied(body, FxHashMap::default(), change);
            let places = FxHashMap::from_iter([(place, inserted)]);
            let body = self.copied(there, places, Formula::clone);
            self.equations.relations[stays].body = Some(body);
        }
    }

    /// Changes the formulas that a relation's is made of.
    fn rewrite(&mut self, relation: usize, change: impl Fn(&Formula) -> Formula) {
        if let Some(body) = self.equations.relations[relation].body {
            let body = self.copied(body, FxHashMap::default(), change);
            self.equations.relations[relation].body = Some(body);
        }
    }

    /// A conjunction or disjunction.
    fn of_parts(&mut self, parts: Vec<FormulaId>, are_all: bool) -> FormulaId {
        let formula = match (&parts[..], are_all) {
            ([only], _) => return *only,
            ([], value) => Formula::Constant(value),
            (_, true) => Formula::And(parts.into()),
            (_, false) => Formula::Or(parts.into()),
        };
        self.add(formula)
    }

    fn add(&mut self, formula: Formula) -> FormulaId {
        let formulas = &mut self.equations.formulas;
        formulas.push(formula);
        FormulaId(formulas.len() as u32 - 1)
    }

    /// The formulas of which one is made, each behind its parts, without those that are known.
    fn reachable(
        &self,
        root: FormulaId,
        known: &FxHashMap<FormulaId, FormulaId>,
    ) -> Vec<FormulaId> {
        let mut seen = FxHashSet::default();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if !known.contains_key(&id) && seen.insert(id) {
                let parts = self.equations.formula(id).parts();
                open.extend(parts.into_iter().map(|(part, _)| part));
            }
        }
        let mut all: Vec<_> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// A copy of a formula, with others in the place of those that are known.
    fn copied(
        &mut self,
        root: FormulaId,
        mut known: FxHashMap<FormulaId, FormulaId>,
        change: impl Fn(&Formula) -> Formula,
    ) -> FormulaId {
        for id in self.reachable(root, &known) {
            let changed = change(self.equations.formula(id));
            let copy = self.add(with_parts(changed, |part| known[&part]));
            known.insert(id, copy);
        }
        known[&root]
    }
}

/// A formula with something in the place of each variable.
fn with_given(formula: &Formula, given: &[Given]) -> Formula {
    let argument = |argument: &Argument| match argument {
        Argument::Leaf(leaf) => match given[leaf.variable as usize] {
            Given::Variable(variable) => Argument::Leaf(LeafRef { variable, ..*leaf }),
            Given::Number(number) => Argument::Number(number),
        },
        Argument::Number(number) => Argument::Number(*number),
    };
    let scalar = |scalar: &Scalar| match scalar.leaf.map(|leaf| argument(&Argument::Leaf(leaf))) {
        Some(Argument::Leaf(leaf)) => Scalar {
            leaf: Some(leaf),
            ..*scalar
        },
        Some(Argument::Number(number)) => Scalar {
            leaf: None,
            offset: number + scalar.offset,
        },
        None => *scalar,
    };
    let variable = |variable: &u32| match given[*variable as usize] {
        Given::Variable(variable) => Some(variable),
        Given::Number(_) => None,
    };
    match formula {
        Formula::Quantified {
            exists,
            variables,
            body,
        } => Formula::Quantified {
            exists: *exists,
            variables: variables.iter().filter_map(variable).collect(),
            body: *body,
        },
        Formula::Apply {
            relation,
            arguments,
        } => Formula::Apply {
            relation: *relation,
            arguments: arguments.iter().map(argument).collect(),
        },
        Formula::Compare(comparison, left, right) => {
            let (left, right) = (scalar(left), scalar(right));
            match (left.leaf, right.leaf) {
                (None, None) => Formula::Constant(comparison.of_numbers(left.offset, right.offset)),
                _ => Formula::Compare(*comparison, left, right),
            }
        }
        Formula::Same(left, right) => {
            let leaves = [left, right].map(|leaf| argument(&Argument::Leaf(*leaf)));
            match leaves {
                [Argument::Leaf(left), Argument::Leaf(right)] => Formula::Same(left, right),
                _ => formula.clone(),
            }
        }
        _ => formula.clone(),
    }
}

/// What is asked of the order, with something in the place of each variable.
fn above_of(above: &[(u32, u32)], given: &[Given]) -> Vec<(u32, u32)> {
    let pairs = above.iter().filter_map(|(upper, lower)| {
        match [given[*upper as usize], given[*lower as usize]] {
            [Given::Variable(upper), Given::Variable(lower)] => Some((upper, lower)),
            _ => None,
        }
    });
    pairs.collect()
}

/// A formula of other parts.
fn with_parts(formula: Formula, part: impl Fn(FormulaId) -> FormulaId) -> Formula {
    let all = |parts: Box<[FormulaId]>| parts.iter().map(|one| part(*one)).collect();
    match formula {
        Formula::Not(inner) => Formula::Not(part(inner)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Iff(left, right) => Formula::Iff(part(left), part(right)),
        Formula::Quantified {
            exists,
            variables,
            body,
        } => Formula::Quantified {
            exists,
            variables,
            body: part(body),
        },
        leaf => leaf,
    }
}
