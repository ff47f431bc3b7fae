//! Properties of pushdown systems: states, symbols, atoms and variables by name.

use super::subject::only_meaning;
use super::{Atom, Property, PropertyError};
use crate::diagnostic::suggestion;
use crate::interpreter::value_of;
use crate::lower::proposition;
use crate::names::Name;
use crate::program::{Domain, Operation, Shape};
use crate::pushdown::{StateId, SymbolId, System, holds};
use crate::trace::Step;

impl System {
    pub(super) fn word(&self, text: &str) -> Result<Atom, PropertyError> {
        // What it could mean, with an unambiguous way to write it.
        let mut meanings: Vec<(Atom, String)> = Vec::new();
        if let Some(state) = self.find_state(text) {
            let written = format!("`state({text})` for the state");
            meanings.push((self.in_state(state), written));
        }
        if let Some(symbol) = self.find_symbol(text) {
            let written = format!("`at({text})` for the symbol");
            meanings.push((Atom::OnTop(vec![symbol]), written));
        }
        if let Some(symbols) = self.find_atom(text) {
            let written = match self.find_symbol(text) {
                Some(_) => format!("another name instead of `{text}` after `atoms`"),
                None => format!("`at({text})` for the symbols with this atom"),
            };
            meanings.push((Atom::OnTop(symbols), written));
        }
        if self.declares(text) {
            let written = format!("`{{{text}}}` for the variable");
            if meanings.is_empty() && !self.is_truth(text) {
                return Err(PropertyError::new(
                    format!("`{text}` is no truth value"),
                    Some(format!("compare it with something, as in `{{{text} = 0}}`")),
                ));
            }
            let atom = match meanings.is_empty() {
                true => self.condition(text, text)?,
                false => Atom::OnTop(Vec::new()),
            };
            meanings.push((atom, written));
        }
        only_meaning(text, meanings)?.ok_or_else(|| {
            PropertyError::new(
                format!("`{text}` is no state, symbol, atom or variable"),
                self.near(text, &self.all_names()),
            )
        })
    }

    pub(super) fn call(&self, operator: &str, argument: &str) -> Result<Atom, PropertyError> {
        match operator {
            "state" => match self.find_state(argument) {
                Some(state) => Ok(self.in_state(state)),
                None => Err(self.no_state(argument)),
            },
            "at" => match self.symbols_called(argument) {
                Some(symbols) => Ok(Atom::OnTop(symbols)),
                None => Err(self.no_symbol(argument)),
            },
            "in" => self.find_atom(argument).map(Atom::OnTop).ok_or_else(|| {
                let names: Vec<_> = self
                    .symbols
                    .iter()
                    .flat_map(|s| &s.atoms)
                    .copied()
                    .collect();
                let message = format!("no symbol has the atom `{argument}`");
                PropertyError::new(message, self.near(argument, &names))
            }),
            other => Err(PropertyError::new(
                format!("`{other}(…)` means nothing in a pushdown system"),
                Some("`state(q)` is a state, `at(s)` a symbol on top".into()),
            )),
        }
    }

    pub(super) fn braces(&self, text: &str) -> Result<Atom, PropertyError> {
        self.condition(text, &text[1..text.len() - 1])
    }

    /// `STATE:SYMBOL` or `SYMBOL`; an atom stands for all symbols that have it.
    pub(super) fn reach(&self, text: &str) -> Result<Property, PropertyError> {
        let (state, symbol) = match text.split_once(':') {
            Some((state, symbol)) => (Some(state.trim()), symbol.trim()),
            None => (None, text.trim()),
        };
        let state = match state {
            None => None,
            Some(name) => Some(self.find_state(name).ok_or_else(|| self.no_state(name))?),
        };
        let symbols = self
            .symbols_called(symbol)
            .ok_or_else(|| self.no_symbol(symbol))?;
        // If there is one state only, nothing needs to be said about it.
        let state = state.filter(|_| self.states.len() > 1);
        Ok(Property::OnTop { symbols, state })
    }

    /// Whether a proposition is true of a configuration.
    pub fn holds(&self, atom: &Atom, step: &Step) -> bool {
        let symbol = step.at().map(SymbolId);
        let group = symbol.map(|symbol| self.symbol(symbol).group);
        match atom {
            Atom::OnTop(symbols) => symbol.is_some_and(|top| symbols.contains(&top)),
            Atom::Conditions(conditions) => {
                // Without a symbol there are no locals: that is the first group.
                let group = group.unwrap_or_default();
                let read = |variable, _| {
                    let bits = step.valuation.find(variable)?;
                    Some(value_of(self.domain(group, variable), bits))
                };
                holds(&conditions[group.0 as usize], read)
            }
            _ => false,
        }
    }

    /// The control state of this name.
    pub fn find_state(&self, text: &str) -> Option<StateId> {
        let name = self.names.find(text)?;
        let index = self.states.iter().position(|state| *state == name)?;
        Some(StateId(index as u32))
    }

    /// The stack symbol of this name.
    pub fn find_symbol(&self, text: &str) -> Option<SymbolId> {
        let name = self.names.find(text)?;
        let index = self.symbols.iter().position(|symbol| symbol.name == name)?;
        Some(SymbolId(index as u32))
    }

    /// The symbols that have a name as an atom.
    pub fn symbols_with_atom(&self, text: &str) -> Vec<SymbolId> {
        let Some(name) = self.names.find(text) else {
            return Vec::new();
        };
        let has_atom = |symbol: &SymbolId| self.symbol(*symbol).atoms.contains(&name);
        self.symbol_ids().filter(has_atom).collect()
    }

    fn find_atom(&self, text: &str) -> Option<Vec<SymbolId>> {
        let symbols = self.symbols_with_atom(text);
        (!symbols.is_empty()).then_some(symbols)
    }

    /// The symbol of that name, or else those that have it as an atom.
    fn symbols_called(&self, text: &str) -> Option<Vec<SymbolId>> {
        let symbol = self.find_symbol(text).map(|symbol| vec![symbol]);
        symbol.or_else(|| self.find_atom(text))
    }

    fn declares(&self, text: &str) -> bool {
        let Some(name) = self.names.find(text) else {
            return false;
        };
        let locals = self.groups.iter().flat_map(|group| &group.declarations);
        let mut declarations = self.declarations.iter().chain(locals);
        declarations.any(|declaration| declaration.name == name)
    }

    /// Whether every variable of that name is one truth value.
    fn is_truth(&self, text: &str) -> bool {
        let name = self.names.find(text);
        let groups = self.groups.iter().map(|g| (&g.cells, &g.declarations));
        let mut rows = std::iter::once((&self.globals, &self.declarations)).chain(groups);
        rows.all(|(cells, declarations)| {
            let mut named = declarations.iter().filter(|d| Some(d.name) == name);
            named.all(|declaration| {
                let domain = cells
                    .get(declaration.first as usize)
                    .map(|cell| cell.domain);
                declaration.shape == Shape::Scalar && domain == Some(Domain::Boolean)
            })
        })
    }

    fn in_state(&self, state: StateId) -> Atom {
        let operations: Box<[Operation]> = match self.states.len() {
            1 => [Operation::Constant(true)].into(),
            _ => [
                Operation::Read(self.state_cell()),
                Operation::Number(state.0.into()),
                Operation::NumbersEqual,
            ]
            .into(),
        };
        Atom::Conditions(vec![operations; self.groups.len()])
    }

    fn condition(&self, text: &str, inner: &str) -> Result<Atom, PropertyError> {
        match proposition(self, inner) {
            Ok(conditions) => Ok(Atom::Conditions(conditions)),
            Err(wrong) => Err(PropertyError::new(
                format!("in `{text}`: {}", wrong.message),
                wrong.hint.clone(),
            )),
        }
    }

    fn all_names(&self) -> Vec<Name> {
        let symbols = self.symbols.iter().map(|symbol| symbol.name);
        let atoms = self.symbols.iter().flat_map(|s| s.atoms.iter().copied());
        let locals = self.groups.iter().flat_map(|group| &group.declarations);
        let variables = self.declarations.iter().chain(locals).map(|d| d.name);
        let states = self.states.iter().copied();
        states
            .chain(symbols)
            .chain(atoms)
            .chain(variables)
            .collect()
    }

    fn near<'n>(&self, text: &str, names: impl IntoIterator<Item = &'n Name>) -> Option<String> {
        let names = names.into_iter();
        suggestion(text, names.map(|name| self.names.text(*name)))
    }

    fn no_state(&self, text: &str) -> PropertyError {
        PropertyError::new(
            format!("there is no state `{text}`"),
            self.near(text, &self.states),
        )
    }

    fn no_symbol(&self, text: &str) -> PropertyError {
        let names: Vec<_> = self.symbols.iter().map(|symbol| symbol.name).collect();
        let hint = match self.find_state(text) {
            Some(_) => Some(format!("`{text}` is a state: write `{text}:SYMBOL`")),
            None => self.near(text, &names),
        };
        PropertyError::new(format!("there is no stack symbol `{text}`"), hint)
    }
}
