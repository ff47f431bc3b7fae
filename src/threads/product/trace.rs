//! From a path to an execution: the values of every thread, step by step.
//!
//! A path has values only as far as they matter. So it is gone along once more with one
//! valuation of everything, by moves that keep what does not matter any more.

use super::path::Hop;
use super::plan::Place;
use super::search::Product;
use crate::bdd::Bdd;
use crate::interpreter::replay::why_it_fails;
use crate::program::{PointId, VariableId};
use crate::property::Property;
use crate::rules::{DataVariable, Head};
use crate::trace::{Location, Step, Trace, Valuation};
use crate::watch::Stop;
use std::ops::Range;

/// A whole configuration.
struct State {
    /// By BDD variable.
    values: Vec<bool>,
    /// For each thread, whether its exit was come to by a `return`.
    returns: Vec<bool>,
}

impl Product<'_> {
    /// An execution that violates a property which was found to be violated: with as few
    /// switches, or rounds, as possible. Which threads there are at its end, is left to who
    /// replays it.
    pub fn trace(&mut self, property: usize) -> Result<Option<Trace>, Stop> {
        let Some(hops) = self.path(property)? else {
            return Ok(None);
        };
        let (Some(first), Some(last)) = (hops.first(), hops.last()) else {
            return Ok(None);
        };
        let begin = self.bdds.and(&self.declared()?, &first.values)?;
        let mut state = State {
            values: vec![false; self.plan.levels as usize],
            returns: vec![false; self.plan.slots.len()],
        };
        self.choose(&mut state, &begin)?;
        let mut trace = Trace::default();
        let nexts = hops.iter().skip(1).map(Some).chain([None]);
        for (hop, next) in hops.iter().zip(nexts) {
            self.check()?;
            trace.stem.push(self.step(&state, hop));
            if let Some(next) = next {
                self.advance(&mut state, hop, next)?;
            }
        }
        if !matches!(self.properties[property], Property::Reach(_)) {
            let mut error = self.step(&state, last);
            error.location = Location::Error;
            error.depth = 0;
            error.returns = None;
            error.valuation = Valuation::new(error.valuation.globals(), &[]);
            trace.stem.push(error);
        }
        let property = &self.properties[property];
        let wanted = |failure: &_| property.names(Some(failure));
        trace.failure = why_it_fails(self.plan.program, &trace, &wanted);
        Ok(Some(trace))
    }

    /// Goes on to the next configuration.
    fn advance(&self, state: &mut State, hop: &Hop, next: &Hop) -> Result<(), Stop> {
        let (bdds, plan) = (self.bdds, self.plan);
        let Some(step) = hop.step else {
            for (level, value) in plan.at(hop.slot, hop.head) {
                state.values[level as usize] = value;
            }
            if hop.slot == 0 {
                for slot in 1..plan.first_created() {
                    for (new, old) in plan.own(slot).zip(plan.own(0)) {
                        state.values[new as usize] = state.values[old as usize];
                    }
                }
            }
            return Ok(());
        };
        let mut moves = self.maker.from(hop.slot, hop.head, true)?;
        let taken = moves.swap_remove(step);
        let levels = (0..plan.levels).zip(state.values.iter().copied());
        let is_old = |(level, _): &(u32, bool)| taken.fresh.binary_search(level).is_err();
        let before = bdds.minterm(levels.filter(is_old))?;
        let after = taken.image(bdds, &before)?;
        for level in &taken.stale {
            state.values[*level as usize] = false;
        }
        self.choose(state, &bdds.and(&after, &next.values)?)?;
        state.returns[hop.slot] = taken.is_return;
        Ok(())
    }

    /// Takes over the values of one member of a set; others stay.
    fn choose(&self, state: &mut State, set: &Bdd) -> Result<(), Stop> {
        let chosen = self.bdds.smallest(set).unwrap_or_default();
        for (value, chosen) in state.values.iter_mut().zip(chosen) {
            *value = chosen.unwrap_or(*value);
        }
        Ok(())
    }

    /// The configuration as a trace has it.
    fn step(&self, state: &State, hop: &Hop) -> Step {
        let plan = self.plan;
        let (program, layout) = (plan.program, &plan.rules.layout);
        let head = plan.kind(hop.slot).heads[hop.head];
        let value = |place, bits: Range<DataVariable>| -> u64 {
            let bits = bits.zip(0..).map(|(bit, weight)| {
                let level = plan.level(place, bit).map(|level| level as usize);
                u64::from(level.is_some_and(|level| state.values[level])) << weight
            });
            bits.sum()
        };
        let place = plan.place(hop.slot, head);
        let procedure = place.map_or(program.entry, |place| place.procedure);
        let of = Place {
            slot: hop.slot,
            procedure,
        };
        let globals = 0..program.globals.len() as u32;
        let globals: Vec<_> = globals.map(|i| value(of, layout.global(i))).collect();
        let mut step = match place {
            None => Step::new(Location::Terminated, 0, Valuation::new(&globals, &[])),
            Some(place) => {
                let locals = 0..program.procedure(procedure).locals.len() as u32;
                let cell = |i| layout.cell(procedure, VariableId::Local(i));
                let locals: Vec<_> = locals.map(|i| value(place, cell(i))).collect();
                let depth = self.depth(state, place);
                let valuation = Valuation::new(&globals, &locals);
                Step::new(Location::At(head.0), depth, valuation)
            }
        };
        step.thread = hop.slot as u32;
        let is_exit = Head(program.procedure(procedure).exit().0) == head;
        if is_exit && state.returns[hop.slot] {
            let returns = 0..program.procedure(procedure).returns.len() as u32;
            let returns = returns.map(|i| value(of, layout.returned(procedure, i)));
            step.returns = Some(returns.collect());
        }
        step
    }

    /// How many frames are below one.
    fn depth(&self, state: &State, mut place: Place) -> u64 {
        let plan = self.plan;
        let mut depth = 0;
        while let Some(site) = self.site(state, place) {
            place.procedure = plan.program.point(site).procedure;
            depth += 1;
        }
        depth
    }

    /// The call that a frame returns to; none for the lowest.
    fn site(&self, state: &State, place: Place) -> Option<PointId> {
        let plan = self.plan;
        let sites = &plan.kind(place.slot).frame(place.procedure).sites;
        let is_here = |site: &&Option<PointId>| {
            let mut code = plan.site(place, **site).into_iter();
            code.all(|(level, value)| state.values[level as usize] == value)
        };
        *sites.iter().find(is_here)?
    }
}
