//! How configurations of a pushdown system are written: control states, stack symbols, and
//! conditions as in its rules, without primes.
//!
//! Any symbol may stand on any other, and the stack may be empty.

use super::language::{Control, Language, SymbolSet, SymbolText};
use crate::diagnostic;
use crate::lower::{condition, proposition};
use crate::program::{Operation, VariableId};
use crate::property::{Atom, PropertyError};
use crate::pushdown::{GroupId, StateId, SymbolId, System};
use crate::rules::{Head, Subject};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The names of a pushdown system.
pub struct SystemNames<'a> {
    /// Whose names these are.
    pub system: &'a System,
}

/// How many names a hint lists.
const SHOWN: usize = 5;

/// The nearest of some names, or all if they are few.
fn suggestion<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<_> = names.collect();
    let near = diagnostic::suggestion(written, names.iter().copied());
    if near.is_some() {
        return near;
    }
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        1 => Some(format!("there is only {}", names[0])),
        2..=SHOWN => Some(format!("there are {}", names.join(", "))),
        _ => None,
    }
}

impl<'a> SystemNames<'a> {
    /// The names of a pushdown system.
    pub fn new(system: &'a System) -> Self {
        SystemNames { system }
    }

    /// The name of a control state.
    pub fn state_name(&self, state: StateId) -> &'a str {
        self.system.names.text(self.system.states[state])
    }

    /// A condition of the start, in braces and with a blank before it; empty if there is
    /// none.
    fn start_condition(&self, span: Span) -> String {
        let text = self.system.source.text(span);
        let lines = text.lines().map(|line| {
            let comment = line.find(['#', '%']).unwrap_or(line.len());
            line[..comment].trim()
        });
        let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        let text = lines.join(" ");
        let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        inside.map_or(String::new(), |inside| format!(" {{{}}}", inside.trim()))
    }

    /// The groups of symbols, each once; `None` if any symbol is meant.
    fn groups(&self, symbols: &SymbolSet) -> Option<Vec<GroupId>> {
        let mut groups: Vec<_> = match symbols {
            SymbolSet::All => return None,
            SymbolSet::Of(kind) => vec![GroupId(kind.0)],
            SymbolSet::These(symbols) => {
                let symbols = symbols.iter().map(|head| SymbolId(head.0));
                symbols.map(|s| self.system.symbol(s).group).collect()
            }
        };
        groups.sort_unstable();
        groups.dedup();
        Some(groups)
    }

    /// The control state is this one.
    fn in_state(&self, state: StateId) -> Atom {
        let is_there: Box<[_]> = Box::new([
            Operation::Read(self.system.state_cell()),
            Operation::Number(u64::from(state.0)),
            Operation::NumbersEqual,
        ]);
        Atom::Conditions(vec![is_there; self.system.groups.len()])
    }

    /// A condition for each group of symbols that may be there; without a symbol, for the
    /// first group.
    fn of_groups(&self, mut conditions: FxHashMap<GroupId, Box<[Operation]>>) -> Atom {
        let groups = self.system.groups.indices();
        let never = || Box::from([Operation::Constant(false)]);
        let conditions = groups.map(|group| conditions.remove(&group).unwrap_or_else(never));
        Atom::Conditions(conditions.collect())
    }

    /// The first global that an expression reads.
    fn global_read(&self, operations: &[Operation]) -> Option<&'a str> {
        let mut reads = operations.iter().filter_map(Operation::cells_read);
        reads.find_map(|(first, ..)| match first {
            VariableId::Global(index) => {
                let system = self.system;
                let mut declared = system.declarations.iter().rev();
                let declared = declared.find(|declaration| declaration.first <= index)?;
                Some(system.names.text(declared.name))
            }
            VariableId::Local(_) => None,
        })
    }
}

impl Language for SystemNames<'_> {
    fn subject(&self) -> Subject<'_> {
        Subject::System(self.system)
    }

    fn start(&self) -> String {
        let start = &self.system.start;
        let [of_state, of_symbol] = start.written.map(|span| self.start_condition(span));
        let (state, symbol) = (
            self.state_name(start.state),
            self.system.symbol_name(start.symbol),
        );
        format!("{state}{of_state} <{symbol}{of_symbol}>")
    }

    /// A symbol, or all that have an atom.
    fn symbols(&self, name: &str) -> Result<SymbolSet, PropertyError> {
        let system = self.system;
        let symbols = match system.find_symbol(name) {
            Some(symbol) => vec![symbol],
            None => system.symbols_with_atom(name),
        };
        if !symbols.is_empty() {
            let heads = symbols.into_iter().map(|symbol| Head(symbol.0));
            return Ok(SymbolSet::These(heads.collect()));
        }
        let hint = match system.find_state(name) {
            Some(_) => Some(format!(
                "`{name}` is a control state, and is written before the stack: `{name} <_> *`"
            )),
            None => suggestion(name, system.symbol_ids().map(|s| system.symbol_name(s))),
        };
        Err(PropertyError::new(
            format!("there is no stack symbol `{name}`"),
            hint,
        ))
    }

    fn control(&self, name: &str) -> Result<Control, PropertyError> {
        let system = self.system;
        if let Some(state) = system.find_state(name) {
            return Ok(Control::State(self.in_state(state)));
        }
        let hint = match (name, self.symbols(name)) {
            (_, Ok(_)) => Some(format!("a stack symbol is written `<{name}>`")),
            ("terminated" | "empty", _) => Some("the empty stack is written `<>`".to_owned()),
            _ => suggestion(name, system.states.iter().map(|s| system.names.text(*s))),
        };
        Err(PropertyError::new(
            format!("there is no control state `{name}`"),
            hint,
        ))
    }

    fn condition(
        &self,
        symbols: Option<&SymbolSet>,
        on_top: bool,
        text: &str,
    ) -> Result<Atom, (Span, PropertyError)> {
        let system = self.system;
        let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        let groups = match symbols {
            None => Some(vec![GroupId(0)]),
            Some(symbols) => self.groups(symbols),
        };
        let conditions = match groups.as_deref() {
            Some([group]) => condition(system, symbols.map(|_| *group), inside)
                .map(|condition| FxHashMap::from_iter([(*group, condition)])),
            // What some of the symbols do not have is false there.
            _ => proposition(system, inside).map(|conditions| {
                let mut all: FxHashMap<_, _> = (0..).map(GroupId).zip(conditions).collect();
                all.retain(|group, _| groups.as_ref().is_none_or(|some| some.contains(group)));
                all
            }),
        };
        let conditions = conditions.map_err(|wrong| {
            let place = Span::new(wrong.span.start + 1, wrong.span.end + 1);
            (place, PropertyError::new(wrong.message, wrong.hint))
        })?;
        let global = conditions
            .values()
            .filter_map(|c| self.global_read(c))
            .min();
        match global {
            Some(name) if !on_top => Err((
                Span::new(0, text.len() as u32),
                PropertyError::new(
                    format!("`{name}` is global, and no part of a symbol below the top"),
                    Some(
                        "conditions on globals belong to the control state, or to the symbol on top"
                            .to_owned(),
                    ),
                ),
            )),
            _ => Ok(self.of_groups(conditions)),
        }
    }

    fn may_be_empty(&self) -> Result<(), PropertyError> {
        Ok(())
    }

    fn may_wait(&self, _: &SymbolSet) -> Result<(), PropertyError> {
        Ok(())
    }

    fn never_above(&self, _: &SymbolSet, _: &SymbolSet) -> String {
        "its symbols cannot all be there".to_owned()
    }

    /// The place is that of the symbol's first rule.
    fn show_symbol(&self, symbol: Head) -> SymbolText {
        let (system, symbol) = (self.system, SymbolId(symbol.0));
        let rule = system.rules_of(symbol).next();
        let place = rule.map(|rule| system.position_of(rule));
        let atoms = system.symbol(symbol).atoms.iter();
        SymbolText {
            name: system.symbol_name(symbol).to_owned(),
            procedure: String::new(),
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
            labels: atoms
                .map(|atom| system.names.text(*atom).to_owned())
                .collect(),
        }
    }
}
