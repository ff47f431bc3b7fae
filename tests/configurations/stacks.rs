//! Configurations of pushdown systems one by one, by the meaning of their rules: the other
//! source for what `post*` and `pre*` say.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use crate::library;
use derny::internals::program::{Cell, Domain};
use derny::internals::pushdown::step::{Frame, Outcome, Steps, View, state_of};
use derny::internals::pushdown::{SymbolId, System};
use indexmap::IndexSet;
use std::sync::Arc;

pub fn read(text: &str) -> Arc<System> {
    let system = library::pushdown_system(text);
    system.unwrap_or_else(|error| panic!("the system has errors: {error}\n{text}"))
}

/// A configuration with its whole stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The control state last.
    pub globals: Box<[u64]>,
    /// The lowest symbol first.
    pub stack: Vec<Frame>,
}

/// More steps than are tried from one configuration.
const STEPS: usize = 20_000;

impl Configuration {
    /// Its symbol on top, if there is one, with all that a rule looks at.
    pub fn top(&self) -> Option<View> {
        let top = self.stack.last()?;
        Some(View {
            symbol: top.symbol,
            globals: self.globals.clone(),
            locals: top.locals.clone(),
        })
    }

    fn on(view: View, below: &[Frame]) -> Self {
        let mut stack = below.to_vec();
        stack.push(Frame {
            symbol: view.symbol,
            locals: view.locals,
        });
        Configuration {
            globals: view.globals,
            stack,
        }
    }

    /// As a set is written.
    pub fn written(&self, system: &System) -> String {
        let globals = fixed(system, system.declared_globals(), &self.globals);
        let state = system.states[state_of(&self.globals)];
        let mut text = format!("{}{globals}", system.names.text(state));
        for frame in self.stack.iter().rev() {
            let locals = fixed(system, system.locals_of(Some(frame.symbol)), &frame.locals);
            text.push_str(&format!(" <{}{locals}>", system.symbol_name(frame.symbol)));
        }
        text
    }

    /// The same with one value, or the control state, changed.
    pub fn changed(&self, system: &System, number: usize) -> Option<Self> {
        let mut changed = self.clone();
        let globals = changed.globals.iter_mut().zip(&system.globals);
        let locals = changed.stack.iter_mut().flat_map(|frame| {
            let cells = system.locals_of(Some(frame.symbol));
            frame.locals.iter_mut().zip(cells)
        });
        let (value, cell) = globals.chain(locals).nth(number)?;
        *value = (*value + 1) % cell.domain.size() as u64;
        Some(changed)
    }
}

/// A condition that fixes all values, with a blank before it.
fn fixed(system: &System, cells: &[Cell], values: &[u64]) -> String {
    let literals = cells.iter().zip(values).map(|(cell, value)| {
        let name = system.names.text(cell.name);
        match (cell.domain, value) {
            (Domain::Boolean, 0) => format!("!{name}"),
            (Domain::Boolean, _) => name.to_owned(),
            _ => format!("{name} = {value}"),
        }
    });
    let literals: Vec<String> = literals.collect();
    match literals.is_empty() {
        true => String::new(),
        false => format!(" {{{}}}", literals.join(" & ")),
    }
}

/// The configurations in which executions begin; `None` if there are too many.
pub fn starts(system: &System) -> Option<Vec<Configuration>> {
    let views = Steps::new(system).starts(STEPS).ok()?;
    Some(
        views
            .into_iter()
            .map(|view| Configuration::on(view, &[]))
            .collect(),
    )
}

/// What is reachable from some configurations with stacks of at most `height` symbols; and
/// whether that is everything. `None` if there are more than `allowed`.
pub fn reachable(
    system: &System,
    from: impl IntoIterator<Item = Configuration>,
    height: usize,
    allowed: usize,
) -> Option<(IndexSet<Configuration>, bool)> {
    let steps = Steps::new(system);
    let mut found: IndexSet<Configuration> = from.into_iter().collect();
    let mut complete = true;
    let mut at = 0;
    while let Some(configuration) = found.get_index(at).cloned() {
        at += 1;
        let (Some(view), Some((_, below))) =
            (configuration.top(), configuration.stack.split_last())
        else {
            continue;
        };
        for (_, outcome) in steps.successors(&view, STEPS).ok()? {
            let next = match outcome {
                Outcome::Next(view) => Configuration::on(view, below),
                Outcome::Push(view, frame) => Configuration::on(view, &[below, &[frame]].concat()),
                Outcome::Pop(globals) => Configuration {
                    globals,
                    stack: below.to_vec(),
                },
            };
            match next.stack.len() <= height {
                true => {
                    found.insert(next);
                }
                false => complete = false,
            }
        }
        if found.len() > allowed {
            return None;
        }
    }
    Some((found, complete))
}

/// A stack of this height with values below the given bounds, as `next` chooses.
pub fn any_configuration(
    system: &System,
    height: usize,
    mut next: impl FnMut(usize) -> usize,
) -> Configuration {
    let values = |cells: &[Cell], next: &mut dyn FnMut(usize) -> usize| -> Box<[u64]> {
        let values = cells.iter().map(|cell| next(cell.domain.size() as usize));
        values.map(|value| value as u64).collect()
    };
    let globals = values(&system.globals, &mut next);
    let mut stack = Vec::new();
    for _ in 0..height {
        let symbol = SymbolId(next(system.symbols.len()) as u32);
        let locals = values(system.locals_of(Some(symbol)), &mut next);
        stack.push(Frame { symbol, locals });
    }
    Configuration { globals, stack }
}
