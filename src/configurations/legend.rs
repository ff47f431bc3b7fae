//! What the BDD variables on the edges of a P-automaton are called.
//!
//! A plain name is a variable of the frame that is read, or a global where control is. With
//! `callee.` it is the value that the frame above was entered with, or has returned with;
//! with `entry.` and `exit.` the same of the frame itself. A global that a local of the frame
//! hides has `global.` before its name.

use super::automaton::{Edge, PAutomaton, State, StateKind};
use super::language::{Family, FrameKind, Variable};
use super::model::Model;
use crate::bdd::Level;
use crate::program::Domain;
use crate::spds::copies::{Copies, Copy};
use rustc_hash::{FxHashMap, FxHashSet};

/// A named value on an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    pub name: String,
    /// The name without what says whose value it is.
    pub variable: String,
    /// The BDD variables, the least significant bit first.
    pub levels: Vec<Level>,
    pub domain: Domain,
    /// For an enumeration, its names.
    pub values: Vec<String>,
}

/// The names of a model's variables, looked up once for each kind of frame and each family.
pub struct Legend<'a> {
    model: &'a Model<'a>,
    kinds: FxHashMap<FrameKind, Frame>,
    returned: FxHashMap<Family, Vec<Variable>>,
}

struct Frame {
    /// The globals as they are seen from such a frame.
    globals: Vec<Variable>,
    locals: Vec<Variable>,
}

impl<'a> Legend<'a> {
    pub fn new(model: &'a Model<'a>) -> Self {
        Legend {
            model,
            kinds: FxHashMap::default(),
            returned: FxHashMap::default(),
        }
    }

    fn frame(&mut self, kind: FrameKind) -> &Frame {
        let model = self.model;
        self.kinds.entry(kind).or_insert_with(|| {
            let locals = model.locals(kind);
            let hidden: FxHashSet<_> = locals.iter().map(|local| local.name.as_str()).collect();
            let mut globals = model.globals.to_vec();
            for global in &mut globals {
                if hidden.contains(global.name.as_str()) {
                    global.name.insert_str(0, "global.");
                }
            }
            Frame { globals, locals }
        })
    }

    fn returned(&mut self, family: Family) -> &[Variable] {
        let model = self.model;
        let known = self.returned.entry(family);
        known.or_insert_with(|| model.returned(family))
    }

    /// The values on an edge.
    pub fn edge(&mut self, automaton: &PAutomaton, edge: &Edge) -> Vec<Quantity> {
        let model = self.model;
        let copies = model.copies;
        let (from, to) = (automaton.state(edge.from), automaton.state(edge.to));
        let on_top = from.kind == StateKind::Control;
        let mut list = Vec::new();
        let kind = model.kind(edge.symbol);
        let frame = self.frame(kind);
        if on_top {
            add(copies, "", &frame.globals, Copy::Current, &mut list);
        }
        add(copies, "", &frame.locals, Copy::Current, &mut list);
        if on_top {
            let returned = self.returned(model.family(kind));
            add(copies, "", returned, Copy::Current, &mut list);
        }
        self.state(from, "callee.", from.kind.source_copy(), &mut list);
        let prefix = match to.kind {
            StateKind::Entered(_) => "entry.",
            _ => "exit.",
        };
        self.state(to, prefix, Copy::Entry, &mut list);
        list
    }

    /// The values of a state, in entry copies.
    pub fn state_values(&mut self, state: &State) -> Vec<Quantity> {
        let mut list = Vec::new();
        self.state(state, "", Copy::Entry, &mut list);
        list
    }

    /// The names of a state's variables.
    pub fn variables(&mut self, state: &State) -> Vec<String> {
        let values = match state.kind {
            StateKind::Control => self.globals(),
            _ => self.state_values(state),
        };
        values.into_iter().map(|quantity| quantity.name).collect()
    }

    /// The globals, where there is no stack.
    pub fn globals(&self) -> Vec<Quantity> {
        let mut list = Vec::new();
        let globals = &self.model.globals;
        add(self.model.copies, "", globals, Copy::Current, &mut list);
        list
    }

    fn state(&mut self, state: &State, prefix: &str, copy: Copy, list: &mut Vec<Quantity>) {
        let model = self.model;
        let (globals, others) = match state.kind {
            StateKind::Entered(entry) => {
                let frame = self.frame(model.entered(entry));
                (&frame.globals[..], &frame.locals[..])
            }
            StateKind::Returned(family) => (&model.globals[..], self.returned(family)),
            _ => return,
        };
        let variables: FxHashSet<_> = state.variables.iter().collect();
        let has = |variable: &&Variable| variables.contains(&variable.bits.start);
        // Variables without bits have one value only.
        let named = globals.iter().chain(others);
        let named = named.filter(|v| !v.bits.is_empty()).filter(has);
        add(model.copies, prefix, named, copy, list);
    }
}

fn add<'v>(
    copies: &Copies<'_>,
    prefix: &str,
    variables: impl IntoIterator<Item = &'v Variable>,
    copy: Copy,
    list: &mut Vec<Quantity>,
) {
    list.extend(variables.into_iter().map(|variable| {
        Quantity {
            name: format!("{prefix}{}", variable.name),
            variable: variable.name.clone(),
            levels: variable
                .bits
                .clone()
                .map(|bit| copies.level(bit, copy))
                .collect(),
            domain: variable.domain,
            values: variable.values.clone(),
        }
    }));
}
