//! What the names and conditions in a set of configurations mean in a system; still without
//! any BDD.

use super::language::{Control, Language, SymbolSet};
use super::model::Model;
use super::positions::Positions;
use super::syntax::{self, Configuration};
use crate::diagnostic::Diagnostic;
use crate::property::{Atom, PropertyError};
use crate::source::{Source, Span};

/// A set of configurations of one system. Conditions in a list hold together.
#[derive(Default)]
pub struct ConfigurationSet {
    /// Configurations with a stack.
    pub parts: Vec<Part>,
    /// Configurations that failed, and those with an empty stack: the conditions on each.
    pub error: Vec<Vec<Atom>>,
    /// The conditions on configurations with an empty stack.
    pub terminated: Vec<Vec<Atom>>,
}

/// Configurations with a stack: an automaton over places, each with symbols and a condition.
pub struct Part {
    pub span: Span,
    pub control: Vec<Atom>,
    pub positions: Positions,
    /// For each position.
    pub places: Vec<Place>,
}

pub struct Place {
    pub symbols: SymbolSet,
    pub condition: Option<Atom>,
}

impl ConfigurationSet {
    /// Adds the configurations of another set.
    pub fn join(&mut self, other: Self) {
        self.parts.extend(other.parts);
        self.error.extend(other.error);
        self.terminated.extend(other.terminated);
    }
}

impl Part {
    /// Why no stack is like this, if two places that must stand one upon the other cannot.
    pub fn never_stands(&self, model: &Model<'_>) -> Option<String> {
        let families = |symbols: &SymbolSet| match symbols {
            SymbolSet::All => None,
            SymbolSet::Of(kind) => Some(vec![model.family(*kind)]),
            SymbolSet::These(symbols) => {
                let kinds = symbols.iter().map(|symbol| model.kind(*symbol));
                Some(kinds.map(|kind| model.family(kind)).collect())
            }
        };
        for (above, follow) in self.places.iter().zip(&self.positions.follow) {
            let Some(families) = families(&above.symbols) else {
                continue;
            };
            for below in follow.iter().map(|below| &self.places[*below as usize]) {
                let mut waiting = model.waiting.iter();
                let stands = waiting.any(|waiting| {
                    let is_below = below.symbols.contains(waiting.symbol, waiting.kind);
                    is_below && families.contains(&waiting.above)
                });
                if !stands {
                    return Some(model.language.never_above(&above.symbols, &below.symbols));
                }
            }
        }
        None
    }
}

/// Reads a set of configurations. On an error, all that is wrong with it.
pub fn resolve(
    language: &dyn Language,
    source: &Source,
) -> Result<ConfigurationSet, Vec<Diagnostic>> {
    let pattern = syntax::parse(source).map_err(|wrong| vec![wrong])?;
    let mut resolver = Resolver {
        language,
        source,
        set: ConfigurationSet::default(),
        diagnostics: Vec::new(),
    };
    for configuration in &pattern.configurations {
        if let Err((span, wrong)) = resolver.configuration(configuration) {
            resolver.wrong(span, wrong);
        }
    }
    match resolver.diagnostics.is_empty() {
        true => Ok(resolver.set),
        false => Err(resolver.diagnostics),
    }
}

struct Resolver<'a> {
    language: &'a dyn Language,
    source: &'a Source,
    set: ConfigurationSet,
    diagnostics: Vec<Diagnostic>,
}

type Wrong = (Span, PropertyError);

impl Resolver<'_> {
    fn wrong(&mut self, span: Span, PropertyError { message, hint }: PropertyError) {
        let mut diagnostic = Diagnostic::error(span, message);
        diagnostic.hint = hint;
        self.diagnostics.push(diagnostic);
    }

    fn configuration(&mut self, configuration: &Configuration) -> Result<(), Wrong> {
        let span = configuration.span;
        let mut control = Vec::new();
        if let Some(written) = configuration.control {
            let name = self.source.text(written.name);
            let meaning = self.language.control(&name);
            let meaning = meaning.map_err(|wrong| (written.name, wrong))?;
            let condition = written
                .condition
                .map(|text| self.condition(None, true, text));
            let condition = condition.transpose()?;
            let has_stack = !configuration.stack.is_empty();
            match meaning {
                Control::Error | Control::Terminated if has_stack => {
                    let message = format!("`{name}` has no stack");
                    let hint = Some(format!("write `{name}` alone"));
                    return Err((span, PropertyError { message, hint }));
                }
                Control::Error => {
                    self.set.error.push(condition.into_iter().collect());
                    return Ok(());
                }
                Control::Terminated => {
                    self.set.terminated.push(condition.into_iter().collect());
                    return Ok(());
                }
                Control::State(state) => {
                    control.push(state);
                    control.extend(condition);
                }
            }
        }
        let stack = &configuration.stack;
        let positions = (!stack.is_empty()).then(|| Positions::of(stack));
        if positions.as_ref().is_none_or(|stack| stack.nullable) {
            let allowed = self.language.may_be_empty();
            allowed.map_err(|wrong| (span, wrong))?;
            self.set.terminated.push(control.clone());
        }
        let Some(positions) = positions else {
            return Ok(());
        };
        // Every place is looked at, so that all mistakes are found.
        let places: Vec<_> = (0..positions.symbols.len())
            .map(|position| match self.place(&positions, position) {
                Ok(place) => Some(place),
                Err((span, wrong)) => {
                    self.wrong(span, wrong);
                    None
                }
            })
            .collect();
        if let Some(places) = places.into_iter().collect() {
            self.set.parts.push(Part {
                span,
                control,
                positions,
                places,
            });
        }
        Ok(())
    }

    fn place(&self, positions: &Positions, position: usize) -> Result<Place, Wrong> {
        let symbol = positions.symbols[position];
        let symbols = match symbol.name {
            None => SymbolSet::All,
            Some(name) => {
                let found = self.language.symbols(&self.source.text(name));
                found.map_err(|wrong| (name, wrong))?
            }
        };
        let is_below = positions.below[position];
        if is_below && symbols != SymbolSet::All {
            let allowed = self.language.may_wait(&symbols);
            allowed.map_err(|wrong| (symbol.span, wrong))?;
        }
        let condition = symbol
            .condition
            .map(|text| self.condition(Some(&symbols), !is_below, text));
        Ok(Place {
            condition: condition.transpose()?,
            symbols,
        })
    }

    fn condition(
        &self,
        symbols: Option<&SymbolSet>,
        on_top: bool,
        text: Span,
    ) -> Result<Atom, Wrong> {
        let written = self.source.text(text);
        let condition = self.language.condition(symbols, on_top, &written);
        condition.map_err(|(place, wrong)| {
            let start = (text.start + place.start).min(text.end);
            let end = (text.start + place.end).clamp(start, text.end);
            (Span::new(start, end), wrong)
        })
    }
}
