//! Reading the Hanoi Omega-Automata format, version 1.
//!
//! What is read: nondeterministic automata with Büchi or generalised Büchi acceptance
//! (`Inf(0) & Inf(1) & …`, in any order; `t`; `f`), marks on states or edges, labels on
//! edges, on states or implicit, aliases, several initial states. What is not read is
//! refused with its place: alternation, other acceptance conditions, version 2.
//!
//! Files are not trusted: nothing recurses, and numbers that would make us allocate
//! (`States: 4000000000`) are bounded.

use crate::automaton::{Automaton, Edge, Marks, label_of};
use crate::bdd::{self, Bdd};
use crate::format::hoa_error::HoaError;
use crate::format::hoa_header::{MAX_STATES, Reader};
use crate::format::hoa_token::{header, marker, number, sign, string};
use nom::branch::alt;
use nom::combinator::{value, verify};
use rustc_hash::FxHashMap;

/// Implicit labels enumerate letters, so only few propositions may have them.
const MAX_IMPLICIT: usize = 16;

/// An edge whose target, which stands at `place`, is checked once all states are known.
struct RawEdge<'a> {
    source: u32,
    target: u32,
    place: &'a str,
    label: Bdd,
    marks: Marks,
}

/// Reads the first automaton of a HOA file.
///
/// ```
/// let formula = ltl2ba_rs::parse("a U b").unwrap().formula;
/// let automaton = ltl2ba_rs::translate(&formula, &Default::default()).unwrap();
/// let again = ltl2ba_rs::hoa::read(&automaton.to_hoa("a U b")).unwrap();
/// assert_eq!(again, automaton);
/// ```
///
/// # Errors
/// With line and column, if the text is no HOA automaton of a kind that can be read.
pub fn read(text: &str) -> Result<Automaton, HoaError> {
    let mut reader = Reader::new(text)?;
    reader.header()?;
    reader.body()
}

impl<'a> Reader<'a> {
    fn body(&mut self) -> Result<Automaton, HoaError> {
        let mut edges: Vec<RawEdge<'a>> = Vec::new();
        let mut seen: FxHashMap<u32, Marks> = FxHashMap::default();
        let mut greatest = 0;
        loop {
            if self.take(marker("--END--"))?.is_some() {
                break;
            }
            if self.sees(marker("--ABORT--"))? {
                return self.error("the automaton was aborted by its writer");
            }
            if self.rest.is_empty() {
                return self.error("the file ends before `--END--`");
            }
            let state = verify(header, |item: &str| item == "State");
            if self.take(state)?.is_none() {
                return self.expected("expected `State:` or `--END--`");
            }
            let state_label = self.label()?;
            let place = self.rest;
            let state = self.number("the state")?;
            if state >= self.states.unwrap_or(MAX_STATES) {
                return self.error_at(place, format!("there is no state {state}"));
            }
            self.take(string)?;
            let marks = self.marks()?;
            if seen.insert(state, marks).is_some() {
                return self.error(format!("state {state} is described twice"));
            }
            greatest = greatest.max(state);
            self.edges(state, state_label, marks, &mut edges)?;
        }
        self.assemble(edges, greatest)
    }

    fn edges(
        &mut self,
        source: u32,
        state_label: Option<Bdd>,
        state_marks: Marks,
        edges: &mut Vec<RawEdge<'a>>,
    ) -> Result<(), HoaError> {
        let count = self.propositions.as_ref().map_or(0, Vec::len);
        let mut implicit = 0u64;
        while self.sees(alt((value((), sign("[")), value((), number))))? {
            let own = self.label()?;
            let place = self.rest;
            let label = match (own, state_label) {
                (Some(_), Some(_)) => {
                    return self.error("an edge of a labelled state has a label of its own");
                }
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => {
                    if count > MAX_IMPLICIT || implicit >= 1 << count {
                        return self.error("this edge has no label, and no letter is left for it");
                    }
                    let literals: Vec<(u32, bool)> = (0..count as u32)
                        .map(|p| (p, implicit >> p & 1 == 1))
                        .collect();
                    implicit += 1;
                    self.bdd.product(&literals)
                }
            };
            let target = self.number("the target state")?;
            self.refuse_alternation()?;
            let marks = Marks(self.marks()?.0 | state_marks.0);
            edges.push(RawEdge {
                source,
                target,
                place,
                label,
                marks,
            });
        }
        if implicit > 0 && implicit < 1 << count {
            return self.error(format!(
                "state {source} has too few edges for implicit labels"
            ));
        }
        Ok(())
    }

    fn assemble(&mut self, raw: Vec<RawEdge<'a>>, greatest: u32) -> Result<Automaton, HoaError> {
        let (sets, satisfiable) = self.acceptance.unwrap_or((0, true));
        let mentioned = self.initial.iter().map(|&(state, _)| state);
        let states = self.states.unwrap_or_else(|| {
            let targets = raw.iter().map(|edge| edge.target);
            mentioned
                .chain(targets)
                .fold(greatest, u32::max)
                .saturating_add(1)
        });
        if states > MAX_STATES {
            return self.error(format!("more than {MAX_STATES} states are not read"));
        }
        let targets = raw.iter().map(|edge| (edge.target, edge.place));
        for (state, place) in self.initial.iter().copied().chain(targets) {
            if state >= states {
                return self.error_at(place, format!("there is no state {state}"));
            }
        }
        let mut edges: Vec<Edge> = Vec::with_capacity(raw.len());
        for edge in raw {
            // An edge for no letter is none.
            if edge.label == bdd::FALSE {
                continue;
            }
            edges.push(Edge {
                source: edge.source,
                label: label_of(edge.label, &mut self.bdd),
                target: edge.target,
                marks: if satisfiable { edge.marks } else { Marks::NONE },
            });
        }
        if self.bdd.exhausted() {
            return self.error("the labels are too complex");
        }
        edges.sort_by_key(|edge| edge.source);
        let mut initial: Vec<u32> = Vec::new();
        for &(state, _) in &self.initial {
            if !initial.contains(&state) {
                initial.push(state);
            }
        }
        // Never satisfied: one set that no edge belongs to.
        let acceptance_sets = if satisfiable { sets } else { 1 };
        let uniform = edges
            .chunk_by(|a, b| a.source == b.source)
            .all(|out| out.iter().all(|edge| edge.marks == out[0].marks));
        Ok(Automaton {
            propositions: self.propositions.take().unwrap_or_default(),
            states,
            initial,
            edges,
            acceptance_sets,
            state_based: acceptance_sets == 1 && uniform && !self.transition_based,
        })
    }
}
