//! The rules of a pushdown system for Graphviz: a box for the frames of each kind, a node a symbol.
//! A rule that pushes leads to the symbol that waits below, and by a dashed arrow to the one on top;
//! one that pops leads to a small circle. Rules with the same ends share an arrow.

use super::RuleGraph;
use crate::analysis::frames::ClassId;
use crate::pushdown::{Right, RuleId, SymbolId};
use crate::report::graph::{LONGEST, calls, cut, dot};
use crate::report::graphviz::{label, quoted};
use crate::report::harmless::{markup, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// How the end of a frame looks.
const POPPED: &str =
    "shape=circle, label=\"\", width=0.12, height=0.12, fillcolor=\"#d3f8df\", tooltip=\"pop\"";

pub fn write(graph: &RuleGraph<'_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(dot::HEAD.as_bytes())?;
    for class in &graph.shown {
        write_frames(graph, *class, out)?;
    }
    for class in &graph.shown {
        write_pushed(graph, *class, out)?;
    }
    writeln!(out, "}}")
}

fn write_frames(graph: &RuleGraph<'_>, class: ClassId, out: &mut impl Write) -> io::Result<()> {
    dot::write_box(
        class.0,
        &format!("frames of {}", graph.title(class)),
        &graph.remarks(class),
        out,
    )?;
    for symbol in graph.symbols(class) {
        write_symbol(graph, *symbol, out)?;
    }
    for symbol in graph.symbols(class) {
        write_rules(graph, *symbol, out)?;
    }
    writeln!(out, "  }}")
}

fn write_symbol(graph: &RuleGraph<'_>, symbol: SymbolId, out: &mut impl Write) -> io::Result<()> {
    let system = graph.system;
    let rights = || system.rules_of(symbol).map(|rule| system.rule(rule).right);
    let fill = match () {
        () if rights().any(|right| right == Right::Pop) => "#d3f8df",
        () if rights().any(|right| right.second().is_some()) => "#d1e9ff",
        () => "white",
    };
    let look = match graph.is_reached(symbol) {
        true => format!("fillcolor=\"{fill}\""),
        false => dot::UNREACHABLE.to_owned(),
    };
    let weight = match symbol == system.start.symbol {
        true => ", penwidth=2",
        false => "",
    };
    let (name, locals) = (graph.name(symbol), graph.locals(symbol));
    let carried = match locals.is_empty() {
        true => String::new(),
        false => {
            let locals = markup(&cut(&locals));
            format!("<br/><font point-size=\"9\" color=\"#667085\">{locals}</font>")
        }
    };
    writeln!(
        out,
        "    s{} [label=<{}{carried}>, {look}{weight}, tooltip=\"{}\"]",
        symbol.0,
        markup(&cut(&name)),
        quoted(&name),
    )
}

fn write_rules(graph: &RuleGraph<'_>, symbol: SymbolId, out: &mut impl Write) -> io::Result<()> {
    let system = graph.system;
    let mut arrows: BTreeMap<Option<SymbolId>, Vec<RuleId>> = BTreeMap::new();
    for rule in system.rules_of(symbol) {
        let right = system.rule(rule).right;
        let stays = right.second().or(right.first());
        arrows.entry(stays).or_default().push(rule);
    }
    for (to, rules) in arrows {
        let texts: Vec<_> = rules.iter().map(|rule| text(graph, *rule)).collect();
        let whole: Vec<_> = rules.iter().map(|rule| graph.rule(*rule)).collect();
        let end = match to {
            Some(to) => format!("s{}", to.0),
            None => format!("o{}", symbol.0),
        };
        if to.is_none() {
            writeln!(out, "    {end} [{POPPED}]")?;
        }
        let is_push = |rule: &RuleId| system.rule(*rule).right.second().is_some();
        let color = match rules.iter().any(is_push) {
            true => ", color=\"#1570ef\"",
            false => "",
        };
        writeln!(
            out,
            "    s{} -> {end} [label=\"{}\", tooltip=\"{}\"{color}]",
            symbol.0,
            label(&texts, LONGEST),
            quoted(&whole.join("\n")),
        )?;
    }
    Ok(())
}

/// A rule on its arrow: the line, what it does to the stack, its text or all of it.
fn text(graph: &RuleGraph<'_>, rule: RuleId) -> String {
    let does = match graph.system.rule(rule).right {
        Right::Pop => "pop: ".to_owned(),
        Right::Step(_) => String::new(),
        Right::Push(first, _) => format!("push {}: ", graph.name(first)),
    };
    let said = match graph.system.rule(rule).text {
        Some(_) => one_line(&graph.system.text_of(rule)),
        None => graph.rule(rule),
    };
    format!(" {} {does}{said}", graph.line(rule))
}

/// Dashed arrows to the symbols that are pushed.
fn write_pushed(graph: &RuleGraph<'_>, class: ClassId, out: &mut impl Write) -> io::Result<()> {
    let mut pushed = BTreeSet::new();
    for symbol in graph.symbols(class) {
        for rule in graph.system.rules_of(*symbol) {
            // What a symbol pushes on itself is said at its arrow.
            if let Right::Push(first, _) = graph.system.rule(rule).right
                && first != *symbol
            {
                pushed.insert((*symbol, first));
            }
        }
    }
    for (from, to) in pushed {
        let Some(below) = graph.class(to).filter(|class| graph.is_shown(*class)) else {
            continue;
        };
        dot::write_call([from.0, to.0], 's', below == class, out)?;
    }
    Ok(())
}

/// Which frames push which.
pub fn write_pushes(graph: &RuleGraph<'_>, out: &mut impl Write) -> io::Result<()> {
    out.write_all(calls::HEAD.as_bytes())?;
    for class in &graph.shown {
        calls::write_node(class.0, &graph.title(*class), &graph.remarks(*class), out)?;
    }
    for class in &graph.shown {
        for (pushed, count) in graph.pushes(*class) {
            if graph.is_shown(pushed) {
                calls::write_arrow([class.0, pushed.0], count, out)?;
            }
        }
    }
    writeln!(out, "}}")
}
