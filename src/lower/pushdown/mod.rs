//! From the syntax tree of a pushdown system to its typed form: what names mean, types, and
//! quantifiers and constants worked out.
//!
//! Whatever breaks a rule is reported and the walk goes on, so that one run finds
//! everything; a system comes out only if there was no error.

mod conjuncts;
mod constants;
mod declarations;
mod names;
mod proposition;
mod scope;
mod terms;
#[cfg(test)]
mod tests;

pub use proposition::{condition, proposition};

use crate::diagnostic::{Advice, Diagnostic, suggestion};
use crate::lower::expression::Evaluator;
use crate::names::Name;
use crate::program::{Cell, Domain, Expression, Expressions, Operation, VariableId};
use crate::pushdown::{Group, GroupId, Right, Rule, Start, StateId, Symbol, SymbolId, System};
use crate::source::{Source, Span};
use crate::syntax::pds::tree::{self, ExpressionId, Identifier};
use crate::syntax::pds::{self, Tree};
use conjuncts::conjuncts;
use declarations::Declarations;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};
use scope::{Frame, View};
use std::sync::Arc;
use terms::Relations;

/// The pushdown system in `source`, some of its defined names with other values, if there
/// is no error in it; and all diagnostics, in the order of the source.
pub fn pushdown_system(
    source: Arc<Source>,
    overrides: &[(String, i128)],
    advice: Advice,
) -> (Option<System>, Vec<Diagnostic>) {
    let (tree, collector) = pds::parse(&source);
    let mut names = tree.names.clone();
    let mut machine = Evaluator::of_system(&tree, collector);
    machine.language.scope.define = advice.define;
    machine.define(&mut names, overrides);
    let mut declarations = Declarations {
        tree: &tree,
        names: &mut names,
        machine: &mut machine,
    };
    let (mut globals, global_declarations) =
        declarations.row(&tree.declarations[tree.globals.indices()]);
    // The first group has no variables: it is that of all other symbols.
    let mut groups = vec![Group::default()];
    for group in &tree.groups {
        let (cells, declarations) =
            declarations.row(&tree.declarations[group.declarations.indices()]);
        groups.push(Group {
            cells,
            declarations,
        });
    }
    let scope = &mut machine.language.scope;
    scope.declare(&globals, &global_declarations, &groups);
    let mut lowering = Lowering {
        tree: &tree,
        machine,
        symbols: IndexMap::default(),
        states: IndexMap::default(),
        expressions: Expressions::default(),
        state_cell: VariableId::Global(globals.len() as u32),
    };
    lowering.symbols_and_states();
    let start = lowering.start();
    let rules = tree.rules.iter().map(|rule| {
        source.give_meaning(rule.span.start);
        lowering.rule(rule)
    });
    let rules = rules.collect();
    let Lowering {
        machine,
        states,
        symbols,
        expressions,
        ..
    } = lowering;
    let domain = Domain::Enumeration {
        id: 0,
        size: states.len().max(1) as u32,
    };
    globals.push(Cell::new(names.intern(""), domain));
    let system = start.map(|start| {
        let (rules, symbols) = by_symbol(rules, symbols.into_values().collect());
        System {
            source,
            names,
            globals,
            declarations: global_declarations,
            groups: groups.into(),
            symbols: symbols.into(),
            states: states.into_keys().collect(),
            rules: rules.into(),
            start,
            expressions,
            constants: machine.language.scope.constants(),
        }
    });
    let complete = !machine.collector.has_errors() && !tree.incomplete;
    (system.filter(|_| complete), machine.collector.finish())
}

/// Puts the rules of each symbol side by side.
fn by_symbol(mut rules: Vec<Rule>, mut symbols: Vec<Symbol>) -> (Vec<Rule>, Vec<Symbol>) {
    rules.sort_by_key(|rule| rule.from);
    for (id, symbol) in (0..).map(SymbolId).zip(&mut symbols) {
        let first = rules.partition_point(|rule| rule.from < id);
        let end = rules.partition_point(|rule| rule.from <= id);
        symbol.rules = first as u32..end as u32;
    }
    (rules, symbols)
}

struct Lowering<'t> {
    tree: &'t Tree,
    /// It knows what names mean, and collects the diagnostics.
    machine: Evaluator<Relations<'t>>,
    symbols: IndexMap<Name, Symbol, FxBuildHasher>,
    states: IndexMap<Name, (), FxBuildHasher>,
    expressions: Expressions,
    state_cell: VariableId,
}

impl Lowering<'_> {
    /// Symbols and states are numbered as they come: those of the start first, then those
    /// of the rules.
    fn symbols_and_states(&mut self) {
        let tree = self.tree;
        if let Some(start) = &tree.start {
            self.state(start.state);
            self.symbol(start.symbol);
        }
        for rule in &tree.rules {
            self.state(rule.state);
            self.state(rule.to);
            self.symbol(rule.symbol);
            rule.right.into_iter().flatten().for_each(|symbol| {
                self.symbol(symbol);
            });
        }
        self.groups();
        self.atoms();
        self.machine.language.scope.assign(self.symbols.values());
    }

    fn state(&mut self, identifier: Identifier) -> StateId {
        StateId(self.states.insert_full(identifier.name, ()).0 as u32)
    }

    fn symbol(&mut self, identifier: Identifier) -> SymbolId {
        let name = identifier.name;
        let entry = self.symbols.entry(name);
        let id = SymbolId(entry.index() as u32);
        entry.or_insert(Symbol {
            name,
            group: GroupId(0),
            atoms: Vec::new(),
            rules: 0..0,
        });
        id
    }

    /// Tells symbols which locals they carry.
    fn groups(&mut self) {
        let tree = self.tree;
        let mut first_place: IndexMap<Name, Span, FxBuildHasher> = IndexMap::default();
        for (group, id) in tree.groups.iter().zip((1..).map(GroupId)) {
            for identifier in &tree.identifiers[group.symbols.indices()] {
                let (text, span) = (tree.text(*identifier), tree.span(*identifier));
                if let Some(first) = first_place.insert(identifier.name, span) {
                    let message = format!("`{text}` has its locals already");
                    let diagnostic = Diagnostic::error(span, message);
                    self.machine
                        .collector
                        .report(diagnostic.with_related(first, "from here"));
                }
                match self.symbols.get_mut(&identifier.name) {
                    Some(symbol) => symbol.group = id,
                    None => self.warn_unused(*identifier),
                }
            }
        }
    }

    fn warn_unused(&mut self, identifier: Identifier) {
        if self.tree.incomplete {
            return;
        }
        let text = self.tree.text(identifier);
        let message = format!("no rule speaks of the symbol `{text}`");
        let warning = Diagnostic::warning(self.tree.span(identifier), message);
        let known = self.symbols.keys().map(|name| self.tree.names.text(*name));
        let hint = suggestion(text, known);
        self.machine
            .collector
            .report(warning.with_hint_if_any(hint));
    }

    fn atoms(&mut self) {
        let tree = self.tree;
        for atoms in &tree.atoms {
            let names = tree.identifiers[atoms.names.indices()]
                .iter()
                .map(|i| i.name);
            match self.symbols.get_mut(&atoms.symbol.name) {
                Some(symbol) => symbol.atoms.extend(names),
                None => self.warn_unused(atoms.symbol),
            }
        }
    }

    fn start(&mut self) -> Option<Start> {
        let tree = self.tree;
        let Some(start) = &tree.start else {
            if !tree.incomplete {
                let first = tree.rules.first().map_or(Span::new(0, 0), |rule| rule.span);
                let diagnostic = Diagnostic::error(first, "it is not said where executions begin");
                let hint = "write `(state <symbol>)` before the rules";
                self.machine.collector.report(diagnostic.with_hint(hint));
            }
            return None;
        };
        let symbol = self.symbol(start.symbol);
        let state = self.state(start.state);
        let mut conditions = Vec::new();
        self.add_state(&mut conditions, Operation::Read(self.state_cell), state);
        let group = self.symbols[symbol.0 as usize].group;
        let parts = [
            (start.state_condition, None),
            (start.symbol_condition, Some(group)),
        ];
        for (condition, locals) in parts {
            if let Some(condition) = condition {
                let view = View::of_one_configuration(locals);
                self.condition(condition, view, &mut conditions);
            }
        }
        Some(Start {
            state,
            symbol,
            written: start.conditions,
            conditions: conditions.into(),
        })
    }

    /// "The control state is this one."
    fn add_state(&mut self, conditions: &mut Vec<Expression>, read: Operation, state: StateId) {
        if self.states.len() > 1 {
            let state = Operation::Number(state.0.into());
            let condition = [read, state, Operation::NumbersEqual];
            conditions.push(self.expressions.add(condition));
        }
    }

    fn rule(&mut self, rule: &tree::Rule) -> Rule {
        let from = self.symbol(rule.symbol);
        let [first, second] = rule.right.map(|symbol| symbol.map(|s| self.symbol(s)));
        let right = match (first, second) {
            (Some(first), Some(second)) => Right::Push(first, second),
            (Some(first), None) => Right::Step(first),
            (None, _) => Right::Pop,
        };
        let group = |symbol: SymbolId| self.symbols[symbol.0 as usize].group;
        let frame = |globals, symbol: Option<SymbolId>| Frame {
            globals,
            locals: symbol.map(group),
        };
        let view = View {
            frames: [
                Some(frame(true, Some(from))),
                Some(frame(true, first)),
                second.map(|second| frame(false, Some(second))),
            ],
            lenient: false,
        };
        let mut relation = Vec::new();
        let (before, after) = (self.state(rule.state), self.state(rule.to));
        self.add_state(&mut relation, Operation::Read(self.state_cell), before);
        let next = Operation::ReadNext(self.state_cell);
        if before == after && self.states.len() > 1 {
            let kept = [
                next,
                Operation::Read(self.state_cell),
                Operation::NumbersEqual,
            ];
            relation.push(self.expressions.add(kept));
        } else {
            self.add_state(&mut relation, next, after);
        }
        if let Some(expression) = rule.relation {
            self.condition(expression, view, &mut relation);
        }
        Rule {
            from,
            right,
            relation: relation.into(),
            text: rule.text,
            span: rule.span,
        }
    }

    /// Adds the parts of a condition.
    fn condition(&mut self, id: ExpressionId, view: View, conditions: &mut Vec<Expression>) {
        let sound = self.machine.condition(id, view);
        // No system comes out of a text with errors.
        if sound.is_none() || self.machine.collector.has_errors() {
            return;
        }
        // The same part comes again where a body reaches further than was meant.
        let mut known: FxHashSet<&[Operation]> = FxHashSet::default();
        for part in conjuncts(&self.machine.operations) {
            if known.insert(part) {
                conditions.push(self.expressions.add(part.iter().copied()));
            }
        }
    }
}
