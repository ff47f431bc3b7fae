//! Leaves out of a P-automaton what no configuration goes through.
//!
//! After `post*` every state can be left. After `pre*` a frame may have returned with values
//! from which nothing wanted can be reached: those are found backwards, by valuations, from
//! the states that accept.

use super::automaton::{Edge, PAutomaton, StateId, StateKind};
use super::model::Model;
use crate::bdd::{Bdd, OutOfNodes};
use crate::index::IndexVec;
use crate::spds::copies::Copy;
use crate::watch::Stop;
use std::collections::VecDeque;

/// An automaton of the set without valuations of *returned* states that accept nothing.
pub fn trim(model: &Model<'_>, mut automaton: PAutomaton) -> Result<PAutomaton, Stop> {
    let bdds = model.copies.bdds;
    let useful = useful(model, &automaton)?;
    for edge in &mut automaton.edges {
        model.watch.check()?;
        edge.label = bdds.and(&edge.label, &useful[edge.to])?;
    }
    automaton.edges.retain(|edge| !bdds.is_false(&edge.label));
    drop_unreachable(&mut automaton);
    Ok(automaton)
}

/// For each state, the valuations, in entry copies, from which some stack is accepted.
fn useful(model: &Model<'_>, automaton: &PAutomaton) -> Result<IndexVec<StateId, Bdd>, Stop> {
    let bdds = model.copies.bdds;
    let is_returned = |id: StateId| matches!(automaton.state(id).kind, StateKind::Returned(_));
    let mut useful: IndexVec<StateId, _> = automaton
        .states
        .iter()
        .map(|state| match state.kind {
            StateKind::Returned(_) => state.accepting.clone(),
            _ => bdds.constant(true),
        })
        .collect();
    let mut into = IndexVec::<StateId, _>::filled(Vec::new(), automaton.states.len());
    for edge in automaton.edges.iter().filter(|edge| is_returned(edge.from)) {
        into[edge.to].push(edge);
    }
    let mut queue: VecDeque<_> = automaton.states.indices().collect();
    let mut queued = IndexVec::<StateId, _>::filled(true, automaton.states.len());
    while let Some(state) = queue.pop_front() {
        queued[state] = false;
        if bdds.is_false(&useful[state]) {
            continue;
        }
        for edge in &into[state] {
            model.watch.check()?;
            let before = before(model, automaton, edge, &useful[state])?;
            let from = edge.from;
            let more = bdds.or(&useful[from], &before)?;
            if more != useful[from] {
                useful[from] = more;
                if !std::mem::replace(&mut queued[from], true) {
                    queue.push_back(from);
                }
            }
        }
    }
    Ok(useful)
}

/// The valuations of an edge's source, in entry copies, from which it leads into `set`.
fn before(
    model: &Model<'_>,
    automaton: &PAutomaton,
    edge: &Edge,
    set: &Bdd,
) -> Result<Bdd, OutOfNodes> {
    let copies = model.copies;
    let state = automaton.state(edge.from);
    let source = state.kind.source_copy();
    let through = copies
        .bdds
        .and_exists(&edge.label, set, &model.spds.all_entry)?;
    let others = (0..copies.data_variables()).filter(|v| !state.variables.contains(v));
    let others = copies.cube(others.map(|v| copies.level(v, Copy::Current)))?;
    let before = copies.bdds.exists(&through, &others)?;
    let pairs = state
        .variables
        .iter()
        .map(|v| (copies.level(*v, source), copies.level(*v, Copy::Entry)));
    copies.renaming(pairs)?.apply(copies.bdds, &before)
}

/// Leaves out states that no path from the control state leads to, and numbers the rest
/// anew, in their order.
pub fn drop_unreachable(automaton: &mut PAutomaton) {
    let mut reached = IndexVec::<StateId, _>::filled(false, automaton.states.len());
    reached[StateId(0)] = true;
    let mut todo = vec![StateId(0)];
    while let Some(state) = todo.pop() {
        for edge in automaton.edges_from(state) {
            if !std::mem::replace(&mut reached[edge.to], true) {
                todo.push(edge.to);
            }
        }
    }
    let mut next = 0;
    let numbers: IndexVec<StateId, _> = reached
        .iter()
        .map(|reached| {
            let number = StateId(next);
            next += u32::from(*reached);
            number
        })
        .collect();
    automaton.edges.retain(|edge| reached[edge.from]);
    for edge in &mut automaton.edges {
        edge.from = numbers[edge.from];
        edge.to = numbers[edge.to];
    }
    automaton.states.retain(|state| reached[state]);
}
