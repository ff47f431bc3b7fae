//! Traces of pushdown systems, as text and as JSON.
//!
//! As text each configuration is a line: control state and top symbol, the text of the rule
//! that is taken next, and the values, all where a symbol was pushed, afterwards those that
//! changed.

use super::folded::{describe, length};
use super::harmless::harmless;
use super::steps::TraceWriter;
use super::trace::{
    Frames, LastValues, Left, Line, describe_rounds, left_on_stack, show_changes, write_lines,
};
use super::values::{Variables, Words};
use crate::analysis::Observed;
use crate::pushdown::step::state_of;
use crate::pushdown::{GroupId, RuleId, SymbolId, System};
use crate::trace::{Fold, Step, Trace};
use rustc_hash::FxHashMap;
use serde::ser::{SerializeMap, Serializer};
use std::io::Write;

fn write(system: &System, trace: &Trace, out: &mut impl Write) -> std::io::Result<()> {
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let mut numbers: FxHashMap<RuleId, u32> = FxHashMap::default();
    // For each symbol on the stack, the values shown last.
    let mut frames = Frames::default();
    let mut globals = LastValues::default();
    let mut lines = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        let number = rule_of(step).map_or(0, |rule| {
            let line = || system.position_of(rule).line;
            *numbers.entry(rule).or_insert_with(line)
        });
        let entered = i == 0 || steps[i - 1].depth < step.depth;
        lines.push(Line {
            number,
            depth: step.depth,
            text: text(system, step),
            values: values(system, step, entered, &mut frames, &mut globals),
            after: describe(trace, step),
        });
    }
    let around = describe_loop(system, trace);
    write_lines(&lines, trace.stem.len(), &around, out)
}

/// The symbol on top, if there is one.
fn symbol_of(step: &Step) -> Option<SymbolId> {
    step.at().map(SymbolId)
}

/// The rule that is taken next, if there is one.
fn rule_of(step: &Step) -> Option<RuleId> {
    step.rule.map(RuleId)
}

fn text(system: &System, step: &Step) -> String {
    let state = system
        .states
        .get(state_of(step.valuation.globals()).0 as usize);
    let mut text = state
        .map_or("", |state| system.names.text(*state))
        .to_owned();
    let symbol = symbol_of(step).map_or("", |symbol| system.symbol_name(symbol));
    text.push_str(&format!(" <{symbol}>"));
    let rule = rule_of(step).map_or("".into(), |rule| system.text_of(rule));
    if !rule.is_empty() {
        text.push_str("  ");
        text.push_str(&rule.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    if let Some(Fold::Call(_)) = step.folded {
        text.push_str("  (folded)");
    }
    harmless(&text)
}

fn values(
    system: &System,
    step: &Step,
    entered: bool,
    frames: &mut Frames,
    globals: &mut LastValues,
) -> String {
    let shown = frames.top(step.depth);
    if entered {
        globals.clear();
    }
    let mut parts = Vec::new();
    let words = Words::from(system);
    let declared = &system.declarations;
    let mut is_news = |i, value| globals.show(i, value);
    show_changes(
        words,
        system.declared_globals(),
        declared,
        step.valuation.globals(),
        &mut is_news,
        &mut parts,
    );
    if let Some(symbol) = symbol_of(step) {
        let group: GroupId = system.symbol(symbol).group;
        // Another symbol in the same place may have other variables.
        shown.belong_to(group.0);
        let group = &system.groups[group.0 as usize];
        let mut is_news = |i, value| shown.show(i, value);
        let declared = &group.declarations;
        show_changes(
            words,
            &group.cells,
            declared,
            step.valuation.locals(),
            &mut is_news,
            &mut parts,
        );
    }
    parts.join(" ")
}

fn describe_loop(system: &System, trace: &Trace) -> String {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return String::new();
    };
    let name = |step: &Step| {
        let second = system.rule(rule_of(step)?).right.second()?;
        Some(system.symbol_name(second))
    };
    let left = Left {
        count: last.depth - first.depth,
        names: left_on_stack(trace).filter_map(name).collect(),
    };
    describe_rounds(length(trace, &trace.cycle), left, ["", "symbols, "])
}

impl TraceWriter for System {
    fn write_text(
        &self,
        trace: &Trace,
        _: &[Observed],
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        write(self, trace, out)
    }

    fn write_step<S: Serializer>(
        &self,
        _: &Trace,
        step: &Step,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let system = self;
        let state = system
            .states
            .get(state_of(step.valuation.globals()).0 as usize);
        let state = state.map_or("", |state| system.names.text(*state));
        let position = rule_of(step).map(|rule| system.position_of(rule));
        let symbol: Vec<_> = symbol_of(step)
            .map(|s| system.symbol_name(s))
            .into_iter()
            .collect();
        let text = rule_of(step).map_or("".into(), |rule| system.text_of(rule));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("procedure", state)?;
        map.serialize_entry("point", "statement")?;
        map.serialize_entry("line", &position.map_or(0, |position| position.line))?;
        map.serialize_entry("column", &position.map_or(0, |position| position.column))?;
        map.serialize_entry("labels", &symbol)?;
        map.serialize_entry("text", &text)?;
        map.serialize_entry("depth", &step.depth)?;
        let globals = Variables {
            words: Words::from(system),
            cells: system.declared_globals(),
            declarations: &system.declarations,
            values: step.valuation.globals(),
        };
        map.serialize_entry("globals", &globals)?;
        let group = symbol_of(step).map(|symbol| system.symbol(symbol).group);
        let group = &system.groups[group.unwrap_or_default().0 as usize];
        let locals = Variables {
            cells: &group.cells,
            declarations: &group.declarations,
            values: step.valuation.locals(),
            ..globals
        };
        map.serialize_entry("locals", &locals)?;
        if step.folded.is_some() {
            map.serialize_entry("folded", &true)?;
        }
        map.end()
    }
}
