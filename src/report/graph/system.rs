//! The rules of a pushdown system as a graph: its symbols are the nodes, put together by the frames
//! in which they can be, and its rules are the arrows. Linear in the system.
//!
//! A frame begins with a symbol that is pushed (or with which executions begin) and goes on with
//! those that take its place; it is what a procedure is in a program.

pub mod dot;
pub mod listing;

use crate::analysis::frames::{Class, ClassId, Frames};
use crate::index::IndexVec;
use crate::pushdown::{RuleId, SymbolId, System};
use crate::report::harmless::{harmless, one_line};
use crate::report::values::variables;
use crate::rules::{Head, Layout, Rules};
use std::collections::BTreeMap;

/// More symbols than this with which frames begin are not named.
const MOST_ENTRIES: usize = 3;

/// A pushdown system, and the frames in which its symbols can be.
pub struct RuleGraph<'a> {
    system: &'a System,
    frames: Frames,
    /// The symbols of each class of frames.
    symbols: IndexVec<ClassId, Vec<SymbolId>>,
    is_reached: IndexVec<SymbolId, bool>,
    /// Stands for the classes of all symbols that no chain of rules leads to.
    unreached: Option<ClassId>,
    /// The classes that are shown.
    shown: Vec<ClassId>,
}

impl<'a> RuleGraph<'a> {
    pub fn of(system: &'a System) -> Self {
        let rules = Rules::of_system(system, Layout::of_system(system), false);
        let frames = Frames::of(&rules);
        let reached = |class: &Class| class.heads.iter().map(|head| SymbolId(head.0)).collect();
        let mut symbols: IndexVec<ClassId, Vec<SymbolId>> =
            frames.classes.iter().map(reached).collect();
        let mut is_reached = IndexVec::<SymbolId, _>::filled(false, system.symbols.len());
        for symbol in symbols.iter().flatten() {
            is_reached[*symbol] = true;
        }
        let others = system.symbol_ids().filter(|id| !is_reached[*id]);
        let others: Vec<_> = others.collect();
        let other = others.first().and_then(|id| frames.class(Head(id.0)));
        if let Some(class) = other {
            symbols[class] = others;
        }
        let classes = symbols.enumerate().filter(|(_, list)| !list.is_empty());
        RuleGraph {
            system,
            shown: classes.map(|(class, _)| class).collect(),
            frames,
            symbols,
            is_reached,
            unreached: other,
        }
    }

    /// The frames alone in which the symbol of a name can be.
    pub fn frames_with(mut self, name: &str) -> Option<Self> {
        let mut symbols = self.system.symbol_ids();
        let symbol = symbols.find(|symbol| self.system.symbol_name(*symbol) == name)?;
        self.shown = self.class(symbol).into_iter().collect();
        Some(self)
    }

    fn class(&self, symbol: SymbolId) -> Option<ClassId> {
        match self.is_reached(symbol) {
            true => self.frames.class(Head(symbol.0)),
            false => self.unreached,
        }
    }

    fn symbols(&self, class: ClassId) -> &[SymbolId] {
        &self.symbols[class]
    }

    /// Whether some chain of rules leads to a symbol.
    fn is_reached(&self, symbol: SymbolId) -> bool {
        self.is_reached[symbol]
    }

    fn is_shown(&self, class: ClassId) -> bool {
        self.shown.binary_search(&class).is_ok()
    }

    fn name(&self, symbol: SymbolId) -> String {
        harmless(self.system.symbol_name(symbol))
    }

    /// The symbols with which the frames of a class begin; of frames that never come to be, any.
    fn title(&self, class: ClassId) -> String {
        let entries = self.frames.get(class).entries.iter();
        let entries: Vec<_> = entries.map(|head| SymbolId(head.0)).collect();
        let named = match &entries[..] {
            [] => self.symbols(class),
            entries => entries,
        };
        let names = named.iter().take(MOST_ENTRIES);
        let mut names: Vec<_> = names.map(|symbol| self.name(*symbol)).collect();
        if named.len() > MOST_ENTRIES {
            names.push("...".to_owned());
        }
        names.join(", ")
    }

    /// What is to be known of the frames of a class.
    fn remarks(&self, class: ClassId) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.class(self.system.start.symbol) == Some(class) {
            remarks.push("start".to_owned());
        }
        if self.frames.get(class).is_recursive {
            remarks.push("recursive".to_owned());
        }
        if self.unreached == Some(class) {
            remarks.push("never on the stack".to_owned());
        }
        remarks
    }

    /// The locals that a symbol carries.
    fn locals(&self, symbol: SymbolId) -> String {
        let group = &self.system.groups[self.system.symbol(symbol).group];
        let names = variables(&group.cells, &group.declarations);
        let names: Vec<_> = names.map(|variable| self.text(variable.name)).collect();
        names.join(", ")
    }

    fn globals(&self) -> String {
        let globals = variables(self.system.declared_globals(), &self.system.declarations);
        let names: Vec<_> = globals.map(|variable| self.text(variable.name)).collect();
        names.join(", ")
    }

    fn states(&self) -> String {
        let states = self.system.states.iter().map(|state| self.text(*state));
        states.collect::<Vec<_>>().join(", ")
    }

    fn text(&self, name: crate::names::Name) -> String {
        harmless(self.system.names.text(name))
    }

    /// A rule as it is written, on one line.
    fn rule(&self, rule: RuleId) -> String {
        one_line(&self.system.source.text(self.system.rule(rule).span))
    }

    fn line(&self, rule: RuleId) -> u32 {
        self.system.position_of(rule).line
    }

    /// How many rules of a class push a frame of another one.
    fn pushes(&self, class: ClassId) -> BTreeMap<ClassId, usize> {
        let mut pushes = BTreeMap::new();
        for symbol in self.symbols(class) {
            for rule in self.system.rules_of(*symbol) {
                let right = self.system.rule(rule).right;
                if let (Some(first), Some(_)) = (right.first(), right.second())
                    && let Some(pushed) = self.class(first)
                {
                    *pushes.entry(pushed).or_default() += 1;
                }
            }
        }
        pushes
    }
}
