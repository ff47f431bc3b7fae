//! P-automata with BDDs on their edges: sets of configurations as a saturation leaves them.
//!
//! A configuration is read from the top of its stack down, beginning in the control state
//! with the values that belong to no frame. Most states stand for many, one for each
//! valuation of the state's variables:
//!
//! * the *control* state, with the values of the globals;
//! * after `post*`, frames that were *entered*: with what they took over when pushed;
//! * after `pre*`, frames that have *returned*: with what they handed over when popped;
//! * states of the given stacks, among them "nothing" and "any stack"; they have no values.
//!
//! So the BDD of an edge relates the values of the state it leaves, those of the frame that
//! is read, and those of the state it leads to.

use super::compile::SetAutomaton;
use super::language::Family;
use super::model::Model;
use crate::acceleration::{Accelerator, Budget};
use crate::analysis::DataVariable;
use crate::bdd::{Bdd, OutOfNodes};
use crate::index::{IndexVec, indices};
use crate::saturation::{PostStar, PostTarget, PreStar, PreTarget, StackState, Stacks};
use crate::spds::copies::Copy;
use crate::spds::{EntryId, Head, Right};
use crate::watch::Stop;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateKind {
    Control,
    Entered(EntryId),
    Returned(Family),
    Stack(StackState),
    /// Nothing is below.
    Empty,
    /// Any stack is accepted.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

indices!(StateId);

#[derive(Clone, Debug)]
pub struct State {
    pub kind: StateKind,
    /// What its valuations speak of; of the control state, left to the symbols.
    pub variables: Box<[DataVariable]>,
    /// The valuations, in entry copies, in which nothing need be below.
    pub accepting: Bdd,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub from: StateId,
    pub symbol: Head,
    pub to: StateId,
    /// The frame's values in current copies, those of `to` in entry ones, those of `from` in
    /// the copies that [`StateKind::source_copy`] says.
    pub label: Bdd,
}

/// A P-automaton: it accepts the configurations of a regular set.
pub struct PAutomaton {
    /// The first one is the control state.
    pub states: IndexVec<StateId, State>,
    /// Ordered by source, symbol and target.
    pub edges: Vec<Edge>,
    /// The configurations without a stack: values of the globals, in current copies.
    pub error: Bdd,
    /// The values of configurations with an empty stack, in current copies.
    pub terminated: Bdd,
}

impl StateKind {
    /// Where an edge has the values of the state it leaves. Those of an entered frame would
    /// meet the locals of the frame that is read.
    pub fn source_copy(self) -> Copy {
        match self {
            StateKind::Entered(_) => Copy::Next,
            _ => Copy::Current,
        }
    }
}

impl PAutomaton {
    /// The state of a number.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id]
    }

    /// The edges that leave a state.
    pub fn edges_from(&self, state: StateId) -> &[Edge] {
        let first = self.edges.partition_point(|edge| edge.from < state);
        let count = self.edges[first..].partition_point(|edge| edge.from == state);
        &self.edges[first..first + count]
    }

    /// The edges of a state by this symbol.
    pub fn edges_by(&self, state: StateId, symbol: Head) -> &[Edge] {
        let edges = self.edges_from(state);
        let first = edges.partition_point(|edge| edge.symbol < symbol);
        let count = edges[first..].partition_point(|edge| edge.symbol == symbol);
        &edges[first..first + count]
    }
}

/// Everything reachable from the given configurations.
pub fn post(model: &Model<'_>, given: &SetAutomaton) -> Result<PAutomaton, Stop> {
    let (spds, bdds) = (model.spds, model.copies.bdds);
    let heads = given.heads.iter().cloned();
    let stacks = given.stacks.clone();
    let mut post_star = PostStar::from_configurations(spds, bdds, model.watch, stacks, heads)?;
    let budget = Budget::auto(model.is_wide());
    post_star.shorten_loops(Accelerator::new(spds, model.copies, model.watch, budget));
    post_star.run(|_| false)?;
    let mut builder = Builder::new(model, post_star.stacks(), given);
    let reached = |head: Option<Head>, given: &Bdd| match head {
        Some(head) => Ok(bdds.or(&post_star.reached_set(head, &spds.all_entry)?, given)?),
        None => Ok::<_, Stop>(given.clone()),
    };
    builder.error = reached(model.error(), &given.error)?;
    builder.terminated = reached(model.terminated(), &given.terminated)?;
    // Rigid variables have no entry copy of their own.
    let explicit = |target: PostTarget, label: &Bdd| match target {
        PostTarget::Stack(_) => Ok(label.clone()),
        PostTarget::Entry(entry) => bdds.and(label, &spds.interface(entry).rigid_equal),
    };
    let kind = |target: PostTarget| match target {
        PostTarget::Stack(state) => StateKind::Stack(state),
        PostTarget::Entry(entry) => StateKind::Entered(entry),
    };
    for (head, target, label) in post_star.edges() {
        if builder.is_configuration(head) {
            let label = explicit(target, label)?;
            builder.add(StateKind::Control, head, kind(target), label)?;
        }
    }
    for (rule, target, label) in post_star.waiting() {
        if let Right::Push { entry, below, .. } = spds.rule(rule).right {
            let label = explicit(target, label)?;
            builder.add(StateKind::Entered(entry), below, kind(target), label)?;
        }
    }
    builder.finish()
}

/// Everything from which a given configuration can be reached.
pub fn pre(model: &Model<'_>, given: &SetAutomaton) -> Result<PAutomaton, Stop> {
    let (spds, bdds) = (model.spds, model.copies.bdds);
    // A failure throws the stack away, and so does a step that ends the program: they can be
    // reached from above any.
    let mut stacks = given.stacks.clone();
    let anything = stacks.add_state(true, true);
    let stopped = [
        (model.error(), &given.error),
        (model.terminated(), &given.terminated),
    ];
    let stopped = stopped
        .into_iter()
        .filter_map(|(head, set)| Some((head?, set.clone(), anything)));
    let heads = given.heads.iter().cloned().chain(stopped);
    let mut pre_star = PreStar::to_configurations(spds, bdds, model.watch, stacks, heads)?;
    pre_star.saturate()?;
    let mut builder = Builder::new(model, pre_star.stacks(), given);
    let target_kind = |symbol: Head, target: PreTarget| match target {
        PreTarget::Popped => StateKind::Returned(model.family(model.kind(symbol))),
        PreTarget::Stack(state) => StateKind::Stack(state),
    };
    let mut edges_of: FxHashMap<Head, Vec<(PreTarget, &Bdd)>> = FxHashMap::default();
    for (head, target, label) in pre_star.edges() {
        edges_of.entry(head).or_default().push((target, label));
        if builder.is_configuration(head) {
            // Backwards, nothing keeps variables inside their domains.
            let label = bdds.and(label, &model.valid(head, false)?)?;
            let target = target_kind(head, target);
            builder.add(StateKind::Control, head, target, label)?;
        }
    }
    // Below the top, a symbol is read as the head that its frame goes on at.
    for waiting in &model.waiting {
        for (target, label) in edges_of
            .get(&model.saved(waiting.symbol))
            .into_iter()
            .flatten()
        {
            let handed = model.valid_handed(waiting.above)?;
            let valid = bdds.and(&handed, &model.valid(waiting.symbol, true)?)?;
            let from = StateKind::Returned(waiting.above);
            let target = target_kind(waiting.symbol, *target);
            builder.add(from, waiting.symbol, target, bdds.and(label, &valid)?)?;
        }
    }
    let automaton = builder.finish()?;
    super::trim::trim(model, automaton)
}

struct Builder<'a> {
    model: &'a Model<'a>,
    stacks: &'a Stacks,
    labels: FxHashMap<(StateKind, Head, StateKind), Bdd>,
    error: Bdd,
    terminated: Bdd,
    /// Of the given configurations, those with an empty stack.
    given_terminated: Bdd,
}

impl<'a> Builder<'a> {
    fn new(model: &'a Model<'a>, stacks: &'a Stacks, given: &SetAutomaton) -> Self {
        Builder {
            model,
            stacks,
            labels: FxHashMap::default(),
            error: given.error.clone(),
            terminated: given.terminated.clone(),
            given_terminated: given.terminated.clone(),
        }
    }

    /// Whether a head on top makes a configuration: internal ones do not, and those without
    /// a stack are kept apart.
    fn is_configuration(&self, head: Head) -> bool {
        let stopped = [self.model.error(), self.model.terminated()];
        !stopped.contains(&Some(head)) && !self.model.spds.is_internal(head)
    }

    fn add(
        &mut self,
        from: StateKind,
        symbol: Head,
        to: StateKind,
        label: Bdd,
    ) -> Result<(), OutOfNodes> {
        let bdds = self.model.copies.bdds;
        let to = match to {
            StateKind::Stack(state) if self.stacks.is_universal(state) => StateKind::Any,
            StateKind::Stack(state) if self.stacks.edges(state).is_empty() => StateKind::Empty,
            other => other,
        };
        if bdds.is_false(&label) {
            return Ok(());
        }
        let known = self.labels.entry((from, symbol, to));
        let known = known.or_insert_with(|| bdds.constant(false));
        *known = bdds.or(known, &label)?;
        Ok(())
    }

    /// The variables of a state.
    fn variables(&self, kind: StateKind) -> Box<[DataVariable]> {
        match kind {
            StateKind::Entered(entry) => self.model.spds.interface(entry).key.clone(),
            StateKind::Returned(family) => self.model.handed(family).into(),
            _ => Box::default(),
        }
    }

    fn accepting(&self, kind: StateKind) -> Result<Bdd, OutOfNodes> {
        let copies = self.model.copies;
        let constant = |value| Ok(copies.bdds.constant(value));
        match kind {
            StateKind::Control | StateKind::Entered(_) => constant(false),
            StateKind::Empty | StateKind::Any => constant(true),
            StateKind::Stack(state) => constant(self.stacks.is_accepting(state)),
            // The frame was the lowest one, and the program ends as is wanted.
            StateKind::Returned(family) => {
                let handed = self.model.handed(family).iter();
                let pairs = handed.map(|v| {
                    let level = |copy| copies.level(*v, copy);
                    (level(Copy::Current), level(Copy::Entry))
                });
                copies
                    .renaming(pairs)?
                    .apply(copies.bdds, &self.given_terminated)
            }
        }
    }

    /// The states that can be come to, and everything in order.
    fn finish(mut self) -> Result<PAutomaton, Stop> {
        let states: Vec<_> = self.stacks.states().collect();
        for from in states {
            if !self.stacks.is_universal(from) {
                for i in 0..self.stacks.edges(from).len() {
                    let edge = &self.stacks.edges(from)[i];
                    let (below, frame) = (edge.below, edge.frame.clone());
                    let to = StateKind::Stack(edge.to);
                    self.add(StateKind::Stack(from), below, to, frame)?;
                }
            }
        }
        let mut kinds: Vec<_> = self.labels.keys().flat_map(|(a, _, b)| [*a, *b]).collect();
        kinds.push(StateKind::Control);
        kinds.sort_unstable();
        kinds.dedup();
        let states = kinds.iter().map(|kind| {
            Ok(State {
                kind: *kind,
                variables: self.variables(*kind),
                accepting: self.accepting(*kind)?,
            })
        });
        let states = states.collect::<Result<_, OutOfNodes>>()?;
        let numbers: FxHashMap<_, _> = kinds.into_iter().zip((0..).map(StateId)).collect();
        let edges = self.labels.into_iter();
        let mut edges: Vec<_> = edges
            .map(|((from, symbol, to), label)| Edge {
                from: numbers[&from],
                symbol,
                to: numbers[&to],
                label,
            })
            .collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.symbol, edge.to));
        let mut automaton = PAutomaton {
            states,
            edges,
            error: self.error,
            terminated: self.terminated,
        };
        super::trim::drop_unreachable(&mut automaton);
        Ok(automaton)
    }
}
