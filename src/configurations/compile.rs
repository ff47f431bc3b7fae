//! From a set of configurations to its P-automaton: the heads it begins with and the
//! automaton of the stacks below them, with BDDs.
//!
//! The states of the latter are positions of the expression together with the family of the
//! frame right above, since a frame can only wait for one that it has called. States from
//! which no stack is accepted are left out, so that whatever leads to a state is there.

use super::language::{Family, FrameKind, SymbolSet};
use super::model::Model;
use super::resolve::{ConfigurationSet, Part, Place};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits;
use crate::index::IndexVec;
use crate::property::Atom;
use crate::saturation::{StackEdge, StackState, Stacks};
use crate::spds::Head;
use crate::spds::copies::Copy;
use crate::watch::Stop;
use rustc_hash::FxHashMap;

/// A set of configurations as a P-automaton.
pub struct SetAutomaton {
    /// The valuations over current variables, and the state below.
    pub heads: Vec<(Head, Bdd, StackState)>,
    /// The states and edges below the top.
    pub stacks: Stacks,
    /// The values, over current variables, of configurations without a stack.
    pub error: Bdd,
    /// The values of configurations with an empty stack.
    pub terminated: Bdd,
    /// For each part of the set, whether it holds any configuration.
    pub occupied: Vec<bool>,
}

/// Part and position.
type At = (u32, u32);

/// Part and position, and the family of the frame that was read there.
type State = (u32, u32, Family);

struct Compiler<'m> {
    model: &'m Model<'m>,
    set: &'m ConfigurationSet,
    /// By the family that they wait for: indices into [`Model::waiting`].
    waiting_for: FxHashMap<Family, Vec<u32>>,
    numbers: FxHashMap<State, StackState>,
    states: IndexVec<StackState, State>,
    /// For each state, its edges, to states by number.
    edges: IndexVec<StackState, Vec<StackEdge>>,
    conditions: FxHashMap<(At, FrameKind), Bdd>,
}

/// The automaton of a set.
pub fn compile(model: &Model<'_>, set: &ConfigurationSet) -> Result<SetAutomaton, Stop> {
    let mut waiting_for: FxHashMap<_, Vec<u32>> = FxHashMap::default();
    for (waiting, i) in model.waiting.iter().zip(0..) {
        waiting_for.entry(waiting.above).or_default().push(i);
    }
    let mut compiler = Compiler {
        model,
        set,
        waiting_for,
        numbers: FxHashMap::default(),
        states: IndexVec::new(),
        edges: IndexVec::new(),
        conditions: FxHashMap::default(),
    };
    let heads = compiler.heads()?;
    compiler.add_edges()?;
    compiler.finish(heads)
}

impl Compiler<'_> {
    fn part(&self, at: At) -> (&Part, usize) {
        (&self.set.parts[at.0 as usize], at.1 as usize)
    }

    fn number(&mut self, state: State) -> StackState {
        let states = &mut self.states;
        let number = self.numbers.entry(state);
        *number.or_insert_with(|| states.push(state))
    }

    /// The heads on top, with states that are not yet known to accept anything.
    fn heads(&mut self) -> Result<Vec<(Head, Bdd, StackState)>, Stop> {
        let (model, set) = (self.model, self.set);
        let bdds = model.copies.bdds;
        let mut heads = Vec::new();
        for (part, number) in set.parts.iter().zip(0..) {
            let control = self.all_hold(&part.control, None)?;
            for position in 0..part.places.len() as u32 {
                if !part.positions.first[position as usize] {
                    continue;
                }
                for symbol in on_top(model, &part.places[position as usize].symbols) {
                    model.watch.check()?;
                    let kind = model.kind(symbol);
                    let state = (number, position, model.family(kind));
                    let condition = self.condition((number, position), kind)?;
                    let valid = bdds.and(&model.valid(symbol, false)?, &control)?;
                    let values = bdds.and(&condition, &valid)?;
                    if !bdds.is_false(&values) {
                        heads.push((symbol, values, self.number(state)));
                    }
                }
            }
        }
        Ok(heads)
    }

    fn add_edges(&mut self) -> Result<(), Stop> {
        let model = self.model;
        let copies = model.copies;
        while let Some(state) = self.states.as_slice().get(self.edges.len()).copied() {
            model.watch.check()?;
            let (part, position) = self.part((state.0, state.1));
            let follow = part.positions.follow[position].clone();
            let waiting = self.waiting_for.get(&state.2).cloned().unwrap_or_default();
            let mut edges = Vec::new();
            for next in follow {
                for waiting in &waiting {
                    let waiting = model.waiting[*waiting as usize];
                    let at = (state.0, next);
                    let Place { symbols, .. } = &self.part(at).0.places[next as usize];
                    if !symbols.contains(waiting.symbol, waiting.kind) {
                        continue;
                    }
                    let condition = self.condition(at, waiting.kind)?;
                    let valid = model.valid(waiting.symbol, true)?;
                    let frame = copies.bdds.and(&condition, &valid)?;
                    if copies.bdds.is_false(&frame) {
                        continue;
                    }
                    let saved = model.saved(waiting.symbol);
                    edges.push(StackEdge {
                        below: waiting.symbol,
                        saved,
                        frame,
                        forget: self.meaningless_at(saved)?,
                        to: self.number((at.0, at.1, model.family(waiting.kind))),
                    });
                }
            }
            self.edges.push(edges);
        }
        Ok(())
    }

    /// The current variables that a head does not speak of.
    fn meaningless_at(&self, head: Head) -> BddResult {
        let copies = self.model.copies;
        let known = self.model.spds.variables(head);
        let others = (0..copies.data_variables()).filter(|v| !bits::contains(known, *v));
        copies.cube(others.map(|v| copies.level(v, Copy::Current)))
    }

    /// Where the condition of a place holds, of frames of a kind.
    fn condition(&mut self, at: At, kind: FrameKind) -> BddResult {
        if let Some(known) = self.conditions.get(&(at, kind)) {
            return Ok(known.clone());
        }
        let (part, position) = self.part(at);
        let condition = match &part.places[position].condition {
            Some(condition) => self.model.holds(condition, Some(kind))?,
            None => self.model.copies.bdds.constant(true),
        };
        self.conditions.insert((at, kind), condition.clone());
        Ok(condition)
    }

    fn all_hold(&self, conditions: &[Atom], kind: Option<FrameKind>) -> BddResult {
        let bdds = self.model.copies.bdds;
        let mut all = bdds.constant(true);
        for condition in conditions {
            all = bdds.and(&all, &self.model.holds(condition, kind)?)?;
        }
        Ok(all)
    }

    /// The values of configurations without a stack.
    fn without_stack(&self, lists: &[Vec<Atom>], head: Option<Head>) -> Result<Bdd, OutOfNodes> {
        let bdds = self.model.copies.bdds;
        let mut values = bdds.constant(false);
        let Some(head) = head else {
            return Ok(values);
        };
        for conditions in lists {
            values = bdds.or(&values, &self.all_hold(conditions, None)?)?;
        }
        bdds.and(&values, &self.model.valid(head, false)?)
    }

    fn accepts(&self, state: State) -> bool {
        let (part, position) = self.part((state.0, state.1));
        part.positions.last[position]
    }

    /// Leaves out what accepts nothing, and numbers the rest anew.
    fn finish(self, heads: Vec<(Head, Bdd, StackState)>) -> Result<SetAutomaton, Stop> {
        let mut before = IndexVec::<StackState, _>::filled(Vec::new(), self.states.len());
        for (from, edges) in self.edges.enumerate() {
            for edge in edges {
                before[edge.to].push(from);
            }
        }
        let accepts = self.states.iter().map(|state| self.accepts(*state));
        let mut live: IndexVec<StackState, bool> = accepts.collect();
        let mut todo: Vec<_> = live.indices().filter(|state| live[*state]).collect();
        while let Some(state) = todo.pop() {
            for from in &before[state] {
                if !std::mem::replace(&mut live[*from], true) {
                    todo.push(*from);
                }
            }
        }
        let mut stacks = Stacks::default();
        let renumbered: IndexVec<StackState, _> = (self.states.iter().zip(&live))
            .map(|(state, live)| {
                let (part, _) = self.part((state.0, state.1));
                let universal = part.positions.is_universal(state.1);
                live.then(|| stacks.add_state(self.accepts(*state), universal))
            })
            .collect();
        let mut occupied = vec![false; self.set.parts.len()];
        let heads = heads.into_iter().filter_map(|(head, values, state)| {
            let part = self.states[state].0;
            let below = renumbered[state]?;
            occupied[part as usize] = true;
            Some((head, values, below))
        });
        let heads = heads.collect();
        let error = self.without_stack(&self.set.error, self.model.error())?;
        let terminated = self.without_stack(&self.set.terminated, self.model.terminated())?;
        for (edges, from) in self.edges.iter().zip(&renumbered) {
            let Some(from) = from else { continue };
            let edges = edges.iter().filter_map(|edge| {
                let to = renumbered[edge.to]?;
                Some(StackEdge { to, ..edge.clone() })
            });
            stacks.set_edges(*from, edges.collect());
        }
        Ok(SetAutomaton {
            heads,
            stacks,
            error,
            terminated,
            occupied,
        })
    }
}

/// The symbols of a set that may be on top.
fn on_top(model: &Model<'_>, symbols: &SymbolSet) -> Vec<Head> {
    match symbols {
        SymbolSet::These(symbols) => symbols.clone(),
        SymbolSet::All => model.symbols().collect(),
        SymbolSet::Of(kind) => {
            let is_one = |symbol: &Head| model.kind(*symbol) == *kind;
            model.symbols().filter(is_one).collect()
        }
    }
}
