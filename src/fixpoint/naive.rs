//! Section 3's procedure on plain sets of tuples, word by word: the reference that the symbolic
//! evaluation is compared with. For equations about numbers alone, and small ones: every tuple
//! of every domain is looked at in every round.

use super::domain::Leaf;
use super::equations::{
    Argument, Equations, Formula, FormulaId, Kind, LeafRef, Relation, RelationId, Scalar,
};
use super::tree::Fixpoint;
use std::collections::{BTreeMap, BTreeSet};

/// The values of all leaves, in their order.
pub type Tuple = Vec<i128>;
/// A relation.
pub type Tuples = BTreeSet<Tuple>;

/// A relation that has the same value after these two rounds, and others between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    pub relation: RelationId,
    pub rounds: [usize; 2],
}

type Values = BTreeMap<RelationId, Tuples>;
/// For each variable the values of its leaves.
type Environment = BTreeMap<u32, Tuple>;

/// The tuples of a relation.
pub fn evaluate(equations: &Equations, relation: RelationId) -> Result<Tuples, Unsettled> {
    compute(equations, relation, &Values::new())
}

/// Evaluate(R, Eq), where relations that have a value are replaced by it.
fn compute(equations: &Equations, id: RelationId, fixed: &Values) -> Result<Tuples, Unsettled> {
    let relation = equations.relation(id);
    let Some(body) = relation.body else {
        return Ok(Tuples::new());
    };
    let parameters: Vec<u32> = (0..relation.parameters).collect();
    let uses = used(equations, body);
    let is_iterated = relation.kind != Kind::Defined(Fixpoint::Let);
    let mut value = match relation.kind {
        Kind::Defined(Fixpoint::Greatest) => {
            everything(relation, &parameters).into_iter().collect()
        }
        _ => Tuples::new(),
    };
    let mut earlier: Vec<Tuples> = Vec::new();
    loop {
        let mut known = fixed.clone();
        if is_iterated {
            known.insert(id, value.clone());
        }
        let mut values = known.clone();
        for used in &uses {
            if !known.contains_key(used) {
                values.insert(*used, compute(equations, *used, &known)?);
            }
        }
        let next: Tuples = everything(relation, &parameters)
            .into_iter()
            .filter(|tuple| {
                let mut environment = Environment::new();
                bind(relation, &parameters, tuple, &mut environment);
                holds(equations, relation, body, &mut environment, &values)
            })
            .collect();
        if next == value || !is_iterated {
            return Ok(next);
        }
        earlier.push(std::mem::replace(&mut value, next));
        if let Some(first) = earlier.iter().position(|one| *one == value) {
            let rounds = [first, earlier.len()];
            return Err(Unsettled {
                relation: id,
                rounds,
            });
        }
    }
}

/// The relations that a formula uses, those that `let`s stand for included.
fn used(equations: &Equations, body: FormulaId) -> BTreeSet<RelationId> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![body];
    while let Some(id) = open.pop() {
        let formula = equations.formula(id);
        open.extend(formula.parts().into_iter().map(|(part, _)| part));
        if let Formula::Apply { relation, .. } = formula {
            let used = equations.relation(*relation);
            match (used.kind, used.body) {
                (Kind::Defined(Fixpoint::Let), Some(body)) if seen.insert(*relation) => {
                    open.push(body);
                }
                (Kind::Defined(Fixpoint::Let), _) => {}
                _ => {
                    found.insert(*relation);
                }
            }
        }
    }
    found
}

/// All values of some variables together.
fn everything(relation: &Relation, variables: &[u32]) -> Vec<Tuple> {
    let mut all = vec![Tuple::new()];
    for variable in variables {
        for leaf in &relation.variables[*variable as usize].leaves {
            let (low, high) = match leaf {
                Leaf::Number { low, high } => (*low, *high),
                Leaf::Point | Leaf::Locals | Leaf::Globals => (0, -1),
            };
            let longer = all.iter().flat_map(|tuple| {
                (low..=high).map(move |value| {
                    let mut tuple = tuple.clone();
                    tuple.push(value);
                    tuple
                })
            });
            all = longer.collect();
        }
    }
    all
}

fn bind(relation: &Relation, variables: &[u32], tuple: &[i128], environment: &mut Environment) {
    let mut rest = tuple;
    for variable in variables {
        let count = relation.variables[*variable as usize].leaves.len();
        let (mine, others) = rest.split_at(count);
        environment.insert(*variable, mine.to_vec());
        rest = others;
    }
}

fn leaf(environment: &Environment, leaf: LeafRef) -> i128 {
    let values = environment.get(&leaf.variable);
    values.map_or(0, |values| values[leaf.leaf as usize])
}

fn number(environment: &Environment, scalar: &Scalar) -> i128 {
    scalar.offset + scalar.leaf.map_or(0, |of| leaf(environment, of))
}

/// (Formulas are not deep.)
fn holds(
    equations: &Equations,
    relation: &Relation,
    id: FormulaId,
    environment: &mut Environment,
    values: &Values,
) -> bool {
    let part = |id: FormulaId, environment: &mut Environment| {
        holds(equations, relation, id, environment, values)
    };
    match equations.formula(id) {
        Formula::Constant(value) => *value,
        Formula::Not(of) => !part(*of, environment),
        Formula::And(parts) => parts.iter().all(|of| part(*of, environment)),
        Formula::Or(parts) => parts.iter().any(|of| part(*of, environment)),
        Formula::Iff(left, right) => part(*left, environment) == part(*right, environment),
        Formula::Quantified {
            exists,
            variables,
            body,
        } => {
            let mut tuples = everything(relation, variables).into_iter();
            let mut is_true = |tuple: Tuple| {
                bind(relation, variables, &tuple, environment);
                part(*body, environment)
            };
            match exists {
                true => tuples.any(is_true),
                false => tuples.all(&mut is_true),
            }
        }
        Formula::Apply {
            relation: applied,
            arguments,
        } => {
            let arguments = arguments.iter().map(|argument| match argument {
                Argument::Leaf(of) => leaf(environment, *of),
                Argument::Number(number) => *number,
            });
            let arguments: Tuple = arguments.collect();
            let called = equations.relation(*applied);
            let ranges = called.parameter_leaves().zip(&arguments);
            let fits = ranges.into_iter().all(|((_, kind), value)| match kind {
                Leaf::Number { low, high } => low <= *value && *value <= high,
                _ => false,
            });
            match (values.get(applied), called.body) {
                _ if !fits => false,
                (Some(tuples), _) => tuples.contains(&arguments),
                (None, Some(body)) => {
                    let parameters: Vec<u32> = (0..called.parameters).collect();
                    let mut inside = Environment::new();
                    bind(called, &parameters, &arguments, &mut inside);
                    holds(equations, called, body, &mut inside, values)
                }
                (None, None) => false,
            }
        }
        Formula::Compare(comparison, left, right) => {
            comparison.of_numbers(number(environment, left), number(environment, right))
        }
        Formula::Same(left, right) => leaf(environment, *left) == leaf(environment, *right),
    }
}
