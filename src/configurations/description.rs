//! A P-automaton in words and lists, as it is reported.

use super::automaton::{PAutomaton, StateId, StateKind};
use super::control::by_control_state;
use super::diagram::{Diagram, diagram};
use super::formula::formula;
use super::language::{Notation, SymbolText};
use super::legend::{Legend, Quantity};
use super::model::Model;
use crate::bdd::{Bdd, OutOfNodes};
use crate::watch::Stop;

/// A condition on values.
#[derive(Clone, Debug)]
pub struct Condition {
    /// In words, empty if it is true; `None` if it would be too long.
    pub text: Option<String>,
    /// How many nodes its decision diagram has.
    pub nodes: usize,
    /// The diagram, if it was asked for.
    pub diagram: Option<Diagram>,
}

#[derive(Clone, Debug)]
pub struct StateDescription {
    pub kind: &'static str,
    /// The procedure that was entered or has returned, or the number of a given state.
    pub of: Option<String>,
    /// What its valuations speak of.
    pub variables: Vec<String>,
    /// When nothing need be below; `None` if something must.
    pub accepts: Option<Condition>,
}

#[derive(Clone, Debug)]
pub struct EdgeDescription {
    pub from: usize,
    /// The control state, of which the condition then says nothing; `None` where there is
    /// none, or any is possible and it makes no difference.
    pub control: Option<String>,
    pub symbol: SymbolText,
    pub condition: Condition,
    pub to: usize,
}

/// A P-automaton; see [`PAutomaton`].
#[derive(Clone, Debug)]
pub struct AutomatonDescription {
    /// The first one is the control state.
    pub states: Vec<StateDescription>,
    /// Ordered by source.
    pub edges: Vec<EdgeDescription>,
    /// The configurations without a stack, if there are any.
    pub error: Option<Condition>,
    pub terminated: Option<Condition>,
    /// With control states, the same for each of them ...
    pub empty: Vec<(String, Condition)>,
    /// ... and all their names, in the order of their values.
    pub control_states: Vec<String>,
}

impl StateDescription {
    pub fn name(&self) -> String {
        match &self.of {
            Some(of) => format!("{} {of}", self.kind),
            None => self.kind.to_owned(),
        }
    }
}

/// Puts a P-automaton into words; the diagrams only if `diagrams`.
pub fn describe(
    model: &Model<'_>,
    automaton: &PAutomaton,
    diagrams: bool,
) -> Result<AutomatonDescription, Stop> {
    let bdds = model.copies.bdds;
    let mut legend = Legend::new(model);
    let condition = |f: &Bdd, quantities: &[Quantity]| -> Result<Condition, OutOfNodes> {
        Ok(Condition {
            text: formula(bdds, f, quantities, Notation::of(model.language.subject()))?,
            nodes: bdds.node_count(f),
            diagram: diagrams.then(|| diagram(bdds, f, quantities)),
        })
    };
    let without_stack = |f: &Bdd, legend: &Legend<'_>| match bdds.is_false(f) {
        true => Ok(None),
        false => condition(f, &legend.globals()).map(Some),
    };
    let error = without_stack(&automaton.error, &legend)?;
    let control_states = model.control_state().map(|state| state.values.clone());
    let control_states = control_states.unwrap_or_default();
    let (mut terminated, mut empty) = (None, Vec::new());
    match control_states.is_empty() {
        true => terminated = without_stack(&automaton.terminated, &legend)?,
        false => {
            for (state, set) in by_control_state(model, &automaton.terminated)?.each() {
                empty.push((state, condition(&set, &legend.globals())?));
            }
        }
    }
    let mut stacks = 0;
    let mut states = Vec::new();
    for state in &automaton.states {
        let (kind, of) = match state.kind {
            StateKind::Control => ("control", None),
            StateKind::Entered(entry) => (
                "entered",
                Some(model.show_entry(model.spds.entry(entry).head)),
            ),
            StateKind::Returned(family) => ("returned", model.show_family(family)),
            StateKind::Stack(_) => {
                stacks += 1;
                ("stack", Some(stacks.to_string()))
            }
            StateKind::Empty => ("empty", None),
            StateKind::Any => ("any", None),
        };
        let accepts = match bdds.is_false(&state.accepting) {
            true => None,
            false => Some(condition(&state.accepting, &legend.state_values(state))?),
        };
        states.push(StateDescription {
            kind,
            of,
            variables: legend.variables(state),
            accepts,
        });
    }
    let mut edges = Vec::new();
    for edge in &automaton.edges {
        model.watch.check()?;
        bdds.safe_point();
        let quantities = legend.edge(automaton, edge);
        let parts = match edge.from == StateId(0) && !control_states.is_empty() {
            true => by_control_state(model, &edge.label)?.together(),
            false => vec![(None, edge.label.clone())],
        };
        for (control, label) in parts {
            edges.push(EdgeDescription {
                from: edge.from.0 as usize,
                control,
                symbol: model.language.show_symbol(edge.symbol),
                condition: condition(&label, &quantities)?,
                to: edge.to.0 as usize,
            });
        }
    }
    Ok(AutomatonDescription {
        states,
        edges,
        error,
        terminated,
        empty,
        control_states,
    })
}
