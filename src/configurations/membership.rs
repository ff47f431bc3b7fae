//! Questions about a P-automaton: does it hold a configuration of a set, how many heads?

use super::automaton::{PAutomaton, StateId, StateKind};
use super::compile::SetAutomaton;
use super::model::Model;
use crate::bdd::{Bdd, Natural, OutOfNodes};
use crate::bits;
use crate::saturation::StackState;
use crate::spds::Head;
use crate::spds::copies::Copy;
use crate::watch::Stop;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Whether some configuration is in both sets.
///
/// The two automata are read side by side; for each pair of states, the valuations of the
/// first one that can be come to.
pub fn meets(
    model: &Model<'_>,
    automaton: &PAutomaton,
    wanted: &SetAutomaton,
) -> Result<bool, Stop> {
    let bdds = model.copies.bdds;
    for (ours, theirs) in [
        (&automaton.error, &wanted.error),
        (&automaton.terminated, &wanted.terminated),
    ] {
        if !bdds.is_false(&bdds.and(ours, theirs)?) {
            return Ok(true);
        }
    }
    let mut search = Search {
        model,
        automaton,
        wanted,
        reached: FxHashMap::default(),
        queue: VecDeque::new(),
        met: false,
    };
    for (head, values, below) in &wanted.heads {
        for edge in automaton.edges_by(StateId(0), *head) {
            let set = bdds.and_exists(&edge.label, values, &model.spds.all_current)?;
            search.reach(edge.to, *below, &set)?;
        }
    }
    while let Some((state, below)) = search.queue.pop_front() {
        model.watch.check()?;
        if search.met {
            break;
        }
        let falsity = bdds.constant(false);
        let entry = search.reached.get_mut(&(state, below));
        let (_, pending) = entry.expect("what is queued was reached");
        let set = std::mem::replace(pending, falsity);
        search.go_on(state, below, &set)?;
    }
    Ok(search.met)
}

struct Search<'a> {
    model: &'a Model<'a>,
    automaton: &'a PAutomaton,
    wanted: &'a SetAutomaton,
    /// All valuations, in entry copies, and those not yet looked at.
    reached: FxHashMap<(StateId, StackState), (Bdd, Bdd)>,
    queue: VecDeque<(StateId, StackState)>,
    met: bool,
}

impl Search<'_> {
    fn reach(&mut self, state: StateId, below: StackState, set: &Bdd) -> Result<(), OutOfNodes> {
        let bdds = self.model.copies.bdds;
        if bdds.is_false(set) {
            return Ok(());
        }
        // Whatever is left of either is accepted by the other.
        let anything = self.automaton.state(state).kind == StateKind::Any;
        if anything || self.wanted.stacks.is_universal(below) {
            self.met = true;
        }
        if self.wanted.stacks.is_accepting(below) {
            let accepting = &self.automaton.state(state).accepting;
            self.met |= !bdds.is_false(&bdds.and(accepting, set)?);
        }
        let falsity = || (bdds.constant(false), bdds.constant(false));
        let (total, pending) = self.reached.entry((state, below)).or_insert_with(falsity);
        let Some(new) = bdds.grow(total, set)? else {
            return Ok(());
        };
        if bdds.is_false(pending) {
            self.queue.push_back((state, below));
        }
        *pending = bdds.or(pending, &new)?;
        Ok(())
    }

    /// Reads the next frame.
    fn go_on(&mut self, state: StateId, below: StackState, set: &Bdd) -> Result<(), OutOfNodes> {
        let (automaton, wanted) = (self.automaton, self.wanted);
        let copies = self.model.copies;
        let bdds = copies.bdds;
        let from = automaton.state(state);
        let source = from.kind.source_copy();
        let levels = |copy| from.variables.iter().map(move |v| copies.level(*v, copy));
        let renaming = copies.renaming(levels(Copy::Entry).zip(levels(source)))?;
        let set = renaming.apply(bdds, set)?;
        let all = 0..copies.data_variables();
        let read = all.map(|v| copies.level(v, Copy::Current));
        let read = match source {
            Copy::Current => copies.cube(read)?,
            _ => copies.cube(read.chain(levels(source)))?,
        };
        for edge in automaton.edges_from(state) {
            for theirs in wanted.stacks.edges_by(below, edge.symbol) {
                let both = bdds.and(&set, &theirs.frame)?;
                let after = bdds.and_exists(&edge.label, &both, &read)?;
                self.reach(edge.to, theirs.to, &after)?;
            }
        }
        Ok(())
    }
}

/// How many heads there are: control points with values of the globals and of the locals in
/// scope; and how many valuations of the globals without a stack.
#[derive(Debug)]
pub struct Count {
    /// Those of configurations with a stack.
    pub heads: Natural,
    /// `None` where nothing fails.
    pub error: Option<Natural>,
    /// Those of configurations with an empty stack.
    pub terminated: Natural,
}

/// Counts the heads that an automaton accepts.
pub fn count(model: &Model<'_>, automaton: &PAutomaton) -> Result<Count, Stop> {
    let (spds, copies, bdds) = (model.spds, model.copies, model.copies.bdds);
    let mut sets: Vec<(Head, Bdd)> = Vec::new();
    for edge in automaton.edges_from(StateId(0)) {
        let values = bdds.exists(&edge.label, &spds.all_entry)?;
        match sets.last_mut() {
            Some((symbol, set)) if *symbol == edge.symbol => *set = bdds.or(set, &values)?,
            _ => sets.push((edge.symbol, values)),
        }
    }
    let mut heads = Natural::from(0_u32);
    for (symbol, set) in sets {
        model.watch.check()?;
        let mut variables = spds.variables(symbol).to_vec();
        // Values to be returned belong to no variable.
        let family = model.family(model.kind(symbol));
        let returned = model.returned(family).into_iter();
        let returned: Vec<_> = returned.flat_map(|variable| variable.bits).collect();
        let cube = copies.cube(returned.iter().map(|v| copies.level(*v, Copy::Current)))?;
        returned
            .iter()
            .for_each(|v| bits::remove(&mut variables, *v));
        let set = bdds.exists(&set, &cube)?;
        heads = heads + bdds.count(&set, bits::members(&variables).count() as u32);
    }
    let globals = model.globals.iter().map(|global| global.bits.len());
    let globals = globals.sum::<usize>() as u32;
    Ok(Count {
        heads,
        error: model.error().map(|_| bdds.count(&automaton.error, globals)),
        terminated: bdds.count(&automaton.terminated, globals),
    })
}
