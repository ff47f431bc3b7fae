//! Predicates: conditions on the variables of one procedure, or on globals alone.

use super::symbols::Symbols;
use crate::program::{Operation, ProcedureId, Program, VariableId};
use crate::terms::translate::translate;
use crate::terms::{Term, Terms};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

/// A condition in postfix form; where it has no value, it is false.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// `None` for one on globals alone.
    pub scope: Option<ProcedureId>,
    pub operations: Vec<Operation>,
    /// As users see it.
    pub text: String,
}

impl Predicate {
    /// A condition of a procedure; on globals alone, it belongs to none.
    pub fn new(procedure: ProcedureId, operations: Vec<Operation>, text: String) -> Self {
        let is_local = |variable: VariableId| matches!(variable, VariableId::Local(_));
        let has_locals = cells(&operations).any(is_local);
        Predicate {
            scope: has_locals.then_some(procedure),
            operations,
            text,
        }
    }

    pub fn cells(&self) -> FxHashSet<VariableId> {
        cells(&self.operations).collect()
    }

    /// The truth value as a term over the variables of its procedure.
    pub fn term(&self, program: &Program, symbols: &Symbols, terms: &mut Terms) -> Term {
        let procedure = self.scope.unwrap_or(program.entry);
        let value = translate(terms, &self.operations, &mut |_, variable, _| {
            symbols.term(procedure, variable)
        });
        let truth = terms.as_truth(value.term);
        terms.and(value.defined, truth)
    }
}

fn cells(operations: &[Operation]) -> impl Iterator<Item = VariableId> {
    let reads = operations.iter().filter_map(Operation::cells_read);
    reads.flat_map(|(first, count, _)| (0..count).map(move |k| first.plus(k)))
}

/// A predicate of a [`Predicates`], by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PredicateId(pub u32);

/// The predicates that a program is seen through.
#[derive(Debug, Default)]
pub struct Predicates {
    all: IndexMap<(Option<ProcedureId>, Term), Predicate, FxBuildHasher>,
}

impl Predicates {
    /// Adds one, unless it, or its negation, is there; constants are never of any use.
    pub fn add(&mut self, predicate: Predicate, term: Term, terms: &mut Terms) -> bool {
        let negated = terms.not(term);
        let scope = predicate.scope;
        let is_there = |term: Term| self.all.contains_key(&(scope, term));
        if terms.constant(term).is_some() || is_there(term) || is_there(negated) {
            return false;
        }
        self.all.insert((scope, term), predicate);
        true
    }

    /// The one that has this term, or its negation: then it is not the same.
    pub fn find(
        &self,
        scope: Option<ProcedureId>,
        term: Term,
        terms: &mut Terms,
    ) -> Option<(PredicateId, bool)> {
        let negated = terms.not(term);
        [(term, true), (negated, false)]
            .into_iter()
            .find_map(|(term, is_same)| {
                let place = self.all.get_index_of(&(scope, term))?;
                Some((PredicateId(place as u32), is_same))
            })
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id.0 as usize]
    }

    pub fn term(&self, id: PredicateId) -> Term {
        let (key, _) = self
            .all
            .get_index(id.0 as usize)
            .expect("a predicate that was added");
        key.1
    }

    /// Those of a procedure, or those on globals, by their texts.
    pub fn of(&self, scope: Option<ProcedureId>) -> Vec<PredicateId> {
        let ids = (0..self.all.len() as u32).map(PredicateId);
        let mut ids: Vec<PredicateId> = ids.filter(|id| self.get(*id).scope == scope).collect();
        ids.sort_by(|a, b| self.get(*a).text.cmp(&self.get(*b).text));
        ids
    }
}
