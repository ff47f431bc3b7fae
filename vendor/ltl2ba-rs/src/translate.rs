//! The translation, from a formula to an automaton.
//!
//! 1. Negation normal form and simplification ([`crate::logic`]).
//! 2. The tableau, a transition-based generalised Büchi automaton; once as the term is
//!    and once with its suspendable parts delayed, where that differs.
//! 3. Pruning and simulations in both directions until nothing changes.
//! 4. For an obligation property the minimal weak deterministic automaton.
//! 5. Degeneralisation in several ways, each reduced by simulation again.
//!
//! The smallest of all results is given: which construction wins depends on the formula,
//! and for formulas as people write them all of them together take a few milliseconds.
//! Every step that can take long has a bound of its own, past which the result of the
//! step before is kept.

use crate::automaton::Automaton;
use crate::bdd::{self, Manager};
use crate::buchi::Buchi;
use crate::graph::Graph;
use crate::logic::normal_form::normal_form;
use crate::logic::suspension::suspend;
use crate::logic::terms::{TermId, Terms};
use crate::options::{Options, TranslateError};
use crate::reduce::degeneralize::{Entry, Plan, degeneralize};
use crate::reduce::prune::prune;
use crate::reduce::simulation::{Direction, simulate};
use crate::reduce::weak::{Proof, is_weak, minimal_weak};
use crate::syntax::formula::Formula;
use crate::tableau::{Style, tableau};

/// Automata with more edges than this are degeneralised in one way only.
const SEVERAL_WAYS: usize = 400;
/// Automata with more edges than this are built in one style only.
const PRODUCTS: usize = 100;
/// Once so many edges were reduced, no further degeneralisation is.
const REDUCED_EDGES: usize = 300;
/// Conjunctions of more operands are not searched for valid ones.
const COMPARED_OPERANDS: usize = 8;
/// Automata with more states are not compared with their negation to find out whether
/// they are obligations.
const COMPARED_STATES: usize = 60;

/// A state-based Büchi automaton that accepts exactly the words the formula is true of.
///
/// There is no sink state: a run that cannot go on does not accept. The automaton of an
/// unsatisfiable formula is one state without edges.
///
/// # Errors
/// If the tableau itself exceeds one of the limits in `options`.
pub fn translate(formula: &Formula, options: &Options) -> Result<Automaton, TranslateError> {
    let mut work = Work::new(formula, options);
    let generalized = work.tableaux(formula)?;
    let mut best: Option<Buchi> = None;
    if options.reduce
        && let Some(weak) = work.weak(formula, &generalized)
    {
        best = Some(weak);
    }
    for graph in &generalized {
        work.degeneralized(graph, &mut best)?;
    }
    let limit = options.edge_limit;
    let best = best.ok_or(TranslateError::TooManyEdges { limit })?;
    let mut graph = best.marked(Direction::Forward);
    graph.sets = 1;
    Ok(Automaton::from_graph(
        &graph,
        names(formula),
        true,
        &mut work.bdd,
    ))
}

/// A generalised Büchi automaton with marks on its edges, for the same words.
///
/// # Errors
/// As for [`translate`].
pub fn translate_generalized(
    formula: &Formula,
    options: &Options,
) -> Result<Automaton, TranslateError> {
    let mut work = Work::new(formula, options);
    let graphs = work.tableaux(formula)?;
    let smallest = graphs
        .iter()
        .min_by_key(|graph| (graph.states(), graph.edge_count()));
    let graph = smallest.cloned().unwrap_or_default();
    Ok(Automaton::from_graph(
        &graph,
        names(formula),
        false,
        &mut work.bdd,
    ))
}

/// A state-based Büchi automaton for the same words as any automaton, for instance one
/// that was read from a file.
///
/// # Errors
/// If the result has more edges than the options allow.
pub fn degeneralized(
    automaton: &Automaton,
    options: &Options,
) -> Result<Automaton, TranslateError> {
    let (graph, bdd) = automaton.to_graph();
    let mut work = Work {
        bdd,
        propositions: automaton.propositions.len() as u32,
        options,
    };
    let graph = work.reduced(prune(&graph, false));
    let mut best = None;
    work.degeneralized(&graph, &mut best)?;
    let limit = options.edge_limit;
    let best: Buchi = best.ok_or(TranslateError::TooManyEdges { limit })?;
    let graph = best.marked(Direction::Forward);
    Ok(Automaton::from_graph(
        &graph,
        automaton.propositions.clone(),
        true,
        &mut work.bdd,
    ))
}

fn names(formula: &Formula) -> Vec<String> {
    formula
        .propositions()
        .iter()
        .map(|p| p.text.clone())
        .collect()
}

/// What all steps of one translation share.
struct Work<'a> {
    bdd: Manager,
    propositions: u32,
    options: &'a Options,
}

impl<'a> Work<'a> {
    fn new(formula: &Formula, options: &'a Options) -> Self {
        Work {
            bdd: Manager::new(options.node_limit),
            propositions: formula.propositions().len() as u32,
            options,
        }
    }

    /// The reduced generalised automata of the formula, at least one.
    fn tableaux(&mut self, formula: &Formula) -> Result<Vec<Graph>, TranslateError> {
        let mut terms = Terms::new();
        let term = normal_form(formula, &mut terms);
        let term = self.without_valid(term, &mut terms);
        let delayed = suspend(term, &mut terms);
        let mut ways = vec![(delayed, Style::Letters)];
        if delayed != term {
            ways.push((term, Style::Letters));
        }
        // Obligations are better served by their minimal weak automata.
        if !terms.is_obligation(term) {
            ways.push((term, Style::Products));
        }
        let mut found: Vec<Graph> = Vec::new();
        let mut failure = None;
        for (root, style) in ways {
            match self.tableau(root, style, &terms) {
                Ok(graph) if found.contains(&graph) => {}
                Ok(graph) => found.push(graph),
                Err(error) => failure = failure.or(Some(error)),
            }
            let limit = if style == Style::Letters {
                PRODUCTS
            } else {
                SEVERAL_WAYS
            };
            let large = |graph: &Graph| graph.edge_count() > limit;
            if !self.options.reduce && !found.is_empty() || found.iter().any(large) {
                break;
            }
        }
        match failure {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(found),
        }
    }

    fn tableau(
        &mut self,
        term: TermId,
        style: Style,
        terms: &Terms,
    ) -> Result<Graph, TranslateError> {
        let bdd = &mut self.bdd;
        let graph = tableau(term, terms, self.propositions, style, bdd, self.options)?;
        Ok(self.reduced(prune(&graph, false)))
    }

    /// Drops operands of a conjunction that are true of every word, which shows in their
    /// minimal weak automata: one accepting state for all letters.
    fn without_valid(&mut self, term: TermId, terms: &mut Terms) -> TermId {
        let operands = terms.operands(term, false);
        if operands.len() < 2 || operands.len() > COMPARED_OPERANDS || !self.options.reduce {
            return term;
        }
        let mut kept = Vec::new();
        for &operand in &operands {
            // Of the shapes that can be valid and are not seen to be so at once, only
            // disjunctions occur.
            let suspect = terms.operands(operand, true).len() > 1 && terms.is_obligation(operand);
            if !(suspect && self.is_valid(operand, terms)) {
                kept.push(operand);
            }
        }
        if kept.len() == operands.len() {
            term
        } else {
            terms.and(kept)
        }
    }

    fn is_valid(&mut self, term: TermId, terms: &Terms) -> bool {
        let Ok(graph) = self.tableau(term, Style::Letters, terms) else {
            return false;
        };
        let limit = COMPARED_STATES;
        let weak = minimal_weak(&graph, Proof::Shape, limit, &mut self.bdd);
        weak.is_some_and(|weak| {
            let edges = &weak.graph.edges;
            edges.len() == 1 && edges[0].iter().any(|edge| edge.label == bdd::TRUE)
        })
    }

    /// Simulations in both directions until nothing gets smaller, with the edges between
    /// components unmarked and marked in turn.
    fn reduced(&mut self, graph: Graph) -> Graph {
        let mut best = graph;
        let size = |graph: &Graph| (graph.states(), graph.edge_count());
        // How many of the four kinds of attempt in a row have gained nothing.
        let (mut idle, mut attempt) = (0, 0);
        while self.options.reduce && idle < 4 {
            let between = attempt / 2 % 2 == 1;
            let direction = if attempt % 2 == 0 {
                Direction::Forward
            } else {
                Direction::Backward
            };
            attempt += 1;
            idle += 1;
            let current = prune(&best, between);
            // Without edges between components marking them is nothing new.
            if between && current == prune(&best, false) {
                continue;
            }
            let unmarked = vec![0; current.states()];
            let propositions = self.propositions;
            let bdd = &mut self.bdd;
            let Some(quotient) = simulate(
                &current,
                direction,
                &unmarked,
                propositions,
                bdd,
                self.options,
            ) else {
                break;
            };
            let mut smaller = prune(&quotient.graph, between);
            smaller.merge_edges(bdd);
            if size(&smaller) < size(&best) {
                best = smaller;
                idle = 1;
            }
        }
        prune(&best, false)
    }

    /// The smallest automaton found by way of the minimal weak deterministic one.
    fn weak(&mut self, formula: &Formula, graphs: &[Graph]) -> Option<Buchi> {
        let graph = graphs
            .iter()
            .min_by_key(|graph| (graph.states(), graph.edge_count()))?;
        let mut terms = Terms::new();
        let term = normal_form(formula, &mut terms);
        let limit = self.options.subset_limit;
        let weak = if terms.is_obligation(term) {
            minimal_weak(graph, Proof::Shape, limit, &mut self.bdd)?
        } else {
            // In a deterministic automaton a component with accepting and rejecting cycles
            // proves that the property is no obligation.
            let mixed = !is_weak(graph) && graph.is_deterministic(&mut self.bdd);
            if graph.states() > COMPARED_STATES || mixed {
                return None;
            }
            let term = normal_form(&formula.negated(), &mut terms);
            let negation = self.tableau(term, Style::Letters, &terms).ok()?;
            if negation.states() > COMPARED_STATES {
                return None;
            }
            let limit = limit.min(8 * graph.states() + 64);
            minimal_weak(graph, Proof::Negation(&negation), limit, &mut self.bdd)?
        };
        Some(weak.reduce(self.propositions, &mut self.bdd, self.options))
    }

    /// Degeneralises in several ways and keeps the smallest in `best`.
    fn degeneralized(
        &mut self,
        graph: &Graph,
        best: &mut Option<Buchi>,
    ) -> Result<(), TranslateError> {
        let several = self.options.reduce && graph.edge_count() <= SEVERAL_WAYS;
        let mut found: Vec<Buchi> = Vec::new();
        for plan in plans(graph, several) {
            let limit = self.options.edge_limit;
            if let Some(buchi) = degeneralize(graph, &plan, limit, &mut self.bdd)
                && !found.contains(&buchi)
            {
                found.push(buchi);
            }
        }
        // The smallest before reduction are likely the smallest after it; of large ones
        // only few are reduced.
        found.sort_by_key(Buchi::size);
        let mut effort = 0;
        for buchi in found {
            if effort > REDUCED_EDGES {
                break;
            }
            effort += buchi.graph.edge_count();
            let buchi = if self.options.reduce {
                buchi.reduce(self.propositions, &mut self.bdd, self.options)
            } else {
                buchi
            };
            if best.as_ref().is_none_or(|best| buchi.size() < best.size()) {
                *best = Some(buchi);
            }
        }
        Ok(())
    }
}

/// Ways to degeneralise that are worth trying.
fn plans(graph: &Graph, several: bool) -> Vec<Plan> {
    let ascending: Vec<u32> = (0..graph.sets).collect();
    let mut plans = Vec::new();
    if !several {
        plans.push(Plan {
            order: ascending,
            entry: Entry::First,
            early: true,
        });
        return plans;
    }
    let orders = if is_weak(graph) {
        vec![ascending]
    } else {
        orders(&ascending)
    };
    for order in orders {
        for entry in [Entry::First, Entry::Last, Entry::Existing] {
            for early in [true, false] {
                plans.push(Plan {
                    order: order.clone(),
                    entry,
                    early,
                });
            }
        }
    }
    plans
}

/// All orders of up to three sets; of more, both directions.
fn orders(sets: &[u32]) -> Vec<Vec<u32>> {
    if sets.len() > 3 {
        return vec![sets.to_vec(), sets.iter().rev().copied().collect()];
    }
    let mut orders = vec![Vec::new()];
    for &set in sets {
        orders = orders
            .iter()
            .flat_map(|order: &Vec<u32>| {
                (0..=order.len()).map(|at| {
                    let mut longer = order.clone();
                    longer.insert(at, set);
                    longer
                })
            })
            .collect();
    }
    orders
}
