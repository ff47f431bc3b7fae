//! The rules of a pushdown system as text: a paragraph for the frames of each kind, a row a rule.

use super::RuleGraph;
use crate::analysis::frames::ClassId;
use crate::pushdown::{GroupId, Right, SymbolId};
use crate::report::graph::listing::write_rows;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Names longer than this push the columns beside them out of line.
const WIDEST: [usize; 4] = [24, 24, 32, 0];

pub fn write(graph: &RuleGraph<'_>, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "control states {}", graph.states())?;
    let globals = graph.globals();
    if !globals.is_empty() {
        writeln!(out, "globals {globals}")?;
    }
    for class in &graph.shown {
        writeln!(out)?;
        write_frames(graph, *class, out)?;
    }
    Ok(())
}

fn write_frames(graph: &RuleGraph<'_>, class: ClassId, out: &mut impl Write) -> io::Result<()> {
    write!(out, "frames of {}", graph.title(class))?;
    for remark in graph.remarks(class) {
        write!(out, ", {remark}")?;
    }
    writeln!(out)?;
    for (locals, symbols) in carried(graph, class) {
        match symbols.len() == graph.symbols(class).len() {
            true => writeln!(out, "  carry {locals}")?,
            false => writeln!(out, "  {} carry {locals}", symbols.join(", "))?,
        }
    }
    let symbols = graph.symbols(class).iter();
    let rows: Vec<_> = symbols.flat_map(|symbol| rows(graph, *symbol)).collect();
    write_rows(&rows, WIDEST, out)
}

/// The locals that symbols of a class carry, and which symbols carry them.
fn carried(graph: &RuleGraph<'_>, class: ClassId) -> Vec<(String, Vec<String>)> {
    let mut groups: BTreeMap<GroupId, Vec<SymbolId>> = BTreeMap::new();
    for symbol in graph.symbols(class) {
        let group = graph.system.symbol(*symbol).group;
        groups.entry(group).or_default().push(*symbol);
    }
    let carried = groups.values().map(|symbols| {
        let names = symbols.iter().map(|symbol| graph.name(*symbol));
        (graph.locals(symbols[0]), names.collect())
    });
    carried.filter(|(locals, _)| !locals.is_empty()).collect()
}

/// A row for each rule of a symbol: the symbol (once), the line, where the rule leads, the rule as
/// written.
fn rows(graph: &RuleGraph<'_>, symbol: SymbolId) -> Vec<[String; 4]> {
    let system = graph.system;
    let mut name = graph.name(symbol);
    let rules: Vec<_> = system.rules_of(symbol).collect();
    if rules.is_empty() {
        return vec![[name, String::new(), "no rule".to_owned(), String::new()]];
    }
    let last_line = system.source.position(system.source.bytes().len() as u32);
    let width = last_line.line.to_string().len();
    let row = |rule| {
        let leads = match system.rule(rule).right {
            Right::Pop => "pop".to_owned(),
            Right::Step(to) => format!("-> {}", graph.name(to)),
            Right::Push(first, second) => {
                format!("push {} on {}", graph.name(first), graph.name(second))
            }
        };
        let line = format!("line {:>width$}", graph.line(rule));
        [std::mem::take(&mut name), line, leads, graph.rule(rule)]
    };
    rules.into_iter().map(row).collect()
}

/// Which frames push which, a line each.
pub fn write_pushes(graph: &RuleGraph<'_>, out: &mut impl Write) -> io::Result<()> {
    for class in &graph.shown {
        write!(out, "{}", graph.title(*class))?;
        let remarks = graph.remarks(*class);
        if !remarks.is_empty() {
            write!(out, " ({})", remarks.join(", "))?;
        }
        let pushes = graph.pushes(*class);
        let pushed = pushes.iter().map(|(pushed, count)| match count {
            1 => graph.title(*pushed),
            several => format!("{} ({several} times)", graph.title(*pushed)),
        });
        let pushed: Vec<_> = pushed.collect();
        match pushed.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, " pushes {}", pushed.join("; "))?,
        }
    }
    Ok(())
}
