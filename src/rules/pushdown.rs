//! The rules of a pushdown system, nearly as they are written.
//!
//! A condition "`x'` is `x`", of the same bits, keeps `x`. Every other cell after the step
//! may become anything that the other conditions allow. Rules keep their order; those of
//! returning heads, which there are if frames remember acceptance, come after them.

use super::effect::{Assignment, Assignments, Conditions, Effect, Outcome, Place, Source};
use super::effects::{Interner, Makers};
use super::{Ending, FrameCells, Head, Layout, Right, Rule, Rules, Start, order_rules};
use crate::bits::{self, BitSet};
use crate::index::IndexVec;
use crate::program::{Domain, Moment, Operation, Overflow, ProcedureId, VariableId};
use crate::pushdown::{self, RuleId, SymbolId, System};

impl<'a> Rules<'a> {
    /// The rules of a pushdown system: all if `whole`, otherwise those of symbols that some
    /// chain of rules leads to.
    pub fn of_system(system: &'a System, layout: Layout, whole: bool) -> Self {
        let reached = match whole {
            true => IndexVec::filled(true, system.symbols.len()),
            false => reachable_symbols(system),
        };
        let is_used = |rule: &RuleId| reached[system.rule(*rule).from];
        let used: Vec<_> = system.rule_ids().filter(is_used).collect();
        let pushes = used.iter().filter(|rule| pushes(system, **rule));
        let returning: Vec<_> = match layout.remembers {
            true => pushes.clone().map(|rule| rule.0).collect(),
            false => Vec::new(),
        };
        let symbols = system.symbols.len() as u32;
        let domain = |group: ProcedureId, variable| domain(system, group, variable);
        let makers = Makers {
            expressions: &system.expressions,
            layout: &layout,
            overflow: Overflow::Block,
            domain: &domain,
        };
        let mut builder = Builder {
            system,
            layout: &layout,
            interner: Interner::new(makers),
        };
        let mut rules = Vec::with_capacity(used.len() + returning.len());
        for id in &used {
            let index = returning.binary_search(&id.0).ok();
            let head = index.map(|index| Head(symbols + index as u32));
            rules.push(builder.rule(*id, head));
            if let (Some(from), pushdown::Right::Push(_, second)) = (head, system.rule(*id).right) {
                let effect = Effect::of(frame(system, second));
                rules.push(Rule {
                    from,
                    right: Right::Step(Head(second.0)),
                    effect: builder.interner.intern(&effect),
                    is_failure: false,
                    internal: true,
                    is_return: false,
                    origin: id.0,
                });
            }
        }
        let mut entries: Vec<_> = pushes
            .filter_map(|rule| system.rule(*rule).right.first())
            .chain([system.start.symbol])
            .map(|symbol| Head(symbol.0))
            .collect();
        entries.sort_unstable();
        entries.dedup();
        let below = |rule: &u32| system.rule(RuleId(*rule)).right.second();
        let behind = returning.iter().filter_map(below);
        let frame_of = system.symbol_ids().chain(behind);
        let frame_of = frame_of.map(|symbol| frame(system, symbol)).collect();
        let empty = whole.then_some(Head(symbols + returning.len() as u32));
        let heads = symbols as usize + returning.len() + usize::from(whole);
        let carrier = |group: u32| {
            let mut symbols = system.symbol_ids();
            let symbol = symbols.find(|symbol| system.symbol(*symbol).group.0 == group);
            symbol.map_or("", |symbol| system.symbol_name(symbol))
        };
        let groups = system.groups.iter().zip(0..);
        let effects = builder.interner.finish();
        let (rules, by_head) = order_rules(rules, heads);
        Rules {
            expressions: &system.expressions,
            overflow: Overflow::Block,
            names: &system.names,
            globals: &system.globals,
            state_cell: Some(system.globals.len() as u32 - 1),
            frames: groups
                .map(|(group, number)| FrameCells {
                    name: carrier(number),
                    locals: &group.cells,
                    returns: &[],
                })
                .collect(),
            effects,
            rules,
            by_head,
            creations: Vec::new(),
            symbols,
            returning,
            frame_of,
            entries: entries.into(),
            start: Start {
                head: Head(system.start.symbol.0),
                conditions: system.start.conditions.clone(),
                cells: Vec::new(),
            },
            layout,
            error: None,
            empty,
            ending: Ending::Finite,
            // A configuration that no rule fits ends the execution.
            can_be_cut_off: true,
            is_frame_by_kind: false,
            is_whole: whole,
        }
    }
}

/// The kind of frame that a symbol is in: its group.
fn frame(system: &System, symbol: SymbolId) -> ProcedureId {
    ProcedureId(system.symbol(symbol).group.0)
}

fn domain(system: &System, group: ProcedureId, variable: VariableId) -> Domain {
    system.domain(pushdown::GroupId(group.0), variable)
}

fn pushes(system: &System, rule: RuleId) -> bool {
    system.rule(rule).right.second().is_some()
}

/// For each symbol, whether rules lead to it.
fn reachable_symbols(system: &System) -> IndexVec<SymbolId, bool> {
    let mut reached = IndexVec::filled(false, system.symbols.len());
    let mut open = vec![system.start.symbol];
    while let Some(symbol) = open.pop() {
        if std::mem::replace(&mut reached[symbol], true) {
            continue;
        }
        for rule in system.rules_of(symbol) {
            let right = system.rule(rule).right;
            open.extend(right.first().into_iter().chain(right.second()));
        }
    }
    reached
}

struct Builder<'a> {
    system: &'a System,
    layout: &'a Layout,
    interner: Interner<'a>,
}

impl Builder<'_> {
    fn rule(&mut self, id: RuleId, returning: Option<Head>) -> Rule {
        let rule = self.system.rule(id);
        let effect = self.effect(rule);
        let head = |symbol: SymbolId| Head(symbol.0);
        Rule {
            from: head(rule.from),
            right: match rule.right {
                pushdown::Right::Pop => Right::Pop,
                pushdown::Right::Step(to) => Right::Step(head(to)),
                pushdown::Right::Push(first, second) => Right::Push {
                    first: head(first),
                    saved: returning.unwrap_or(head(second)),
                    below: head(second),
                },
            },
            effect: self.interner.intern(&effect),
            is_failure: false,
            internal: false,
            is_return: false,
            origin: id.0,
        }
    }

    fn effect(&self, rule: &pushdown::Rule) -> Effect {
        let system = self.system;
        let nothing = BitSet::new(self.layout.len() as usize);
        let mut kept = [nothing.clone(), nothing];
        let mut conditions = Conditions::new();
        let mut constrain = Vec::new();
        let groups = system.groups_of(rule);
        let frames = groups.map(|group| ProcedureId(group.0));
        for condition in &rule.relation {
            let place = |variable: VariableId, when: Moment| {
                let group = groups[when as usize];
                let frame = frames[when as usize];
                (
                    self.layout.cell(frame, variable),
                    system.domain(group, variable),
                )
            };
            let keeps = system
                .kept_by(*condition)
                .filter(|kept| place(kept.before, Moment::Before) == place(kept.after, kept.when));
            if let Some(keeps) = keeps {
                let (cell, _) = place(keeps.after, keeps.when);
                bits::insert_all(&mut kept[usize::from(keeps.when == Moment::Below)], cell);
                continue;
            }
            let operations = system.expressions.operations(*condition);
            let mut reads = operations.iter().filter_map(Operation::cells_read);
            match reads.any(|(.., when)| when != Moment::Before) {
                true => constrain.push(*condition),
                false => conditions.push((*condition, Outcome::True)),
            }
        }
        Effect {
            frames,
            conditions,
            assignments: self.assignments(rule, &kept),
            constrain: constrain.into(),
            afterwards: None,
        }
    }

    /// Any value for each cell that a rule does not keep. The locals of a frame that is
    /// pushed keep nothing unless they are copied.
    fn assignments(&self, rule: &pushdown::Rule, kept: &[BitSet; 2]) -> Assignments {
        let system = self.system;
        let [_, first, second] = system.groups_of(rule);
        let is_push = rule.right.second().is_some();
        let globals = (0..system.globals.len() as u32).map(VariableId::Global);
        let locals = |group| (0..system.locals(group).len() as u32).map(VariableId::Local);
        let after = globals.chain(locals(first)).map(|v| (v, first, false));
        let below = locals(second).map(|v| (v, second, true));
        let mut assignments = Assignments::new();
        for (variable, group, below) in after.chain(below.filter(|_| is_push)) {
            let cell = self.layout.cell(ProcedureId(group.0), variable);
            if cell.is_empty() {
                continue;
            }
            let is_kept = bits::contains(&kept[usize::from(below)], cell.start);
            let is_new = is_push && !below && matches!(variable, VariableId::Local(_));
            // A control state is always told by a condition, and every number is a value.
            let domain = match system.domain(group, variable) {
                Domain::Enumeration { .. } => Domain::Integer {
                    bits: cell.len() as u8,
                },
                domain => domain,
            };
            let source = match (is_kept, is_new) {
                (true, false) => continue,
                (true, true) => Source::Bits(cell.clone(), domain),
                (false, _) => Source::Any,
            };
            assignments.push(Assignment {
                place: Place::Cell(cell),
                domain,
                source,
                below,
            });
        }
        assignments
    }
}
