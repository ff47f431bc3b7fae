//! A trace as text, made to be read.
//!
//! In the order of execution, indented by call depth, each step with its line number and
//! its text. Beside it the values: all in scope at the start and on entering a frame,
//! afterwards only those that changed, and of a program never one that does not matter for
//! this trace. Of an array or a struct the cells that changed, or the whole if all did.

use super::folded::{describe, length};
use super::harmless::harmless;
use super::place::{frame_kind, in_scope, left_below, line, text};
use super::values::{Row, Value, Variables, Words, returned, scalar, variables};
use crate::analysis::Observed;
use crate::program::{PointId, VariableId};
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use crate::witness::relevance::relevant_values;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io::Write;

/// Deeper frames are indented no further, and say how deep they are.
const DEEPEST_INDENT: u64 = 20;
/// Values begin no further to the right.
const LAST_COLUMN: usize = 80;

pub fn write(
    subject: Subject<'_>,
    trace: &Trace,
    observed: &[Observed],
    out: &mut impl Write,
) -> std::io::Result<()> {
    let relevant = match subject {
        Subject::Program(program) => relevant_values(program, trace, observed),
        Subject::System(_) => Vec::new(),
    };
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let mut known_lines = FxHashMap::default();
    // For each frame, the values shown last.
    let mut frames = Frames::default();
    let mut globals = LastValues::default();
    let mut lines = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        if i >= trace.stem.len() && step.at().is_none() {
            break;
        }
        let entered = i == 0 || steps[i - 1].depth < step.depth;
        lines.push(Line {
            number: line(subject, step, &mut known_lines),
            depth: step.depth,
            text: text(subject, trace, step),
            values: values(
                subject,
                step,
                entered,
                relevant.get(i),
                &mut frames,
                &mut globals,
            ),
            after: describe(trace, step),
        });
    }
    let around = describe_loop(subject, trace);
    write_lines(&lines, trace.stem.len(), &around, out)
}

/// One configuration of a trace.
struct Line {
    /// In the source; 0 for none.
    number: u32,
    /// How many frames are below.
    depth: u64,
    text: String,
    values: String,
    /// What is said between it and the next one.
    after: Option<String>,
}

/// Writes the lines in columns, and what `around` says of the loop before those after the
/// stem.
fn write_lines(
    lines: &[Line],
    stem: usize,
    around: &str,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let indent = |line: &Line| 2 * line.depth.min(DEEPEST_INDENT) as usize;
    let deep = |line: &Line| match line.depth > DEEPEST_INDENT {
        true => format!("[depth {}] {}", line.depth, line.text),
        false => line.text.clone(),
    };
    let width = |line: &Line| indent(line) + deep(line).chars().count();
    let widest = lines.iter().map(width).max().unwrap_or(0);
    let column = widest.min(LAST_COLUMN);
    let digits = lines.iter().map(|line| line.number).max();
    let digits = digits.map_or(1, |most| most.to_string().len());
    for (i, line) in lines.iter().enumerate() {
        if i == stem {
            writeln!(out, "  {around}")?;
        }
        let number = match line.number {
            0 => String::new(),
            number => number.to_string(),
        };
        let text = format!("{:2$}{}", "", deep(line), indent(line));
        let row = format!("  {number:>digits$}  {text:<column$}  {}", line.values);
        writeln!(out, "{}", row.trim_end())?;
        if let Some(after) = &line.after {
            writeln!(out, "  {:digits$}  {:2$}{after}", "", "", indent(line))?;
        }
    }
    if lines.len() == stem && !around.is_empty() {
        writeln!(out, "  {around}")?;
    }
    Ok(())
}

/// What is repeated for ever, and what grows meanwhile.
fn describe_loop(subject: Subject<'_>, trace: &Trace) -> String {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return String::new();
    };
    if last.at().is_none() {
        return "loop: the program stays there for ever".to_owned();
    }
    let steps = match length(trace, &trace.cycle) {
        1 => "1 step".to_owned(),
        several => format!("{several} steps"),
    };
    let names = left_on_stack(trace).filter_map(|step| left_below(subject, step));
    let mut names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    names.sort_unstable();
    names.dedup();
    let names = names.join(", ");
    let [one_of, several_of] = match subject {
        Subject::Program(_) => ["frame of ", "frames of "],
        Subject::System(_) => ["", "symbols, "],
    };
    match last.depth - first.depth {
        0 => format!("loop: {steps}"),
        1 => format!("loop: {steps}; each round leaves one more {one_of}{names} on the stack"),
        count => {
            format!(
                "loop: {steps}; each round leaves {count} more {several_of}{names} on the stack"
            )
        }
    }
}

/// The last steps in frames that are below the last of a cycle, but were not below the first.
fn left_on_stack(trace: &Trace) -> impl Iterator<Item = &Step> {
    let depth = |step: Option<&Step>| step.map_or(0, |step| step.depth);
    let left = depth(trace.stem.last())..depth(trace.cycle.last());
    let mut latest: FxHashMap<u64, &Step> = FxHashMap::default();
    for step in trace.stem.last().into_iter().chain(&trace.cycle) {
        latest.insert(step.depth, step);
    }
    let latest = latest.into_iter();
    latest.filter_map(move |(depth, step)| left.contains(&depth).then_some(step))
}

/// What was shown last in each frame, by depth.
#[derive(Default)]
struct Frames(BTreeMap<u64, LastValues>);

impl Frames {
    /// The frame at this depth, now that it is the top one.
    fn top(&mut self, depth: u64) -> &mut LastValues {
        while self.0.last_key_value().is_some_and(|(top, _)| *top > depth) {
            self.0.pop_last();
        }
        self.0.entry(depth).or_default()
    }
}

/// The values of some cells when they were shown last.
#[derive(Default)]
struct LastValues {
    values: Vec<Option<u64>>,
    /// Whose cells they are.
    owner: u32,
}

impl LastValues {
    fn clear(&mut self) {
        self.values.clear();
    }

    /// Forgets what belonged to another owner.
    fn belong_to(&mut self, owner: u32) {
        if std::mem::replace(&mut self.owner, owner) != owner {
            self.clear();
        }
    }

    /// True if this is news.
    fn show(&mut self, index: usize, value: u64) -> bool {
        if self.values.len() <= index {
            self.values.resize(index + 1, None);
        }
        self.values[index].replace(value) != Some(value)
    }
}

fn values(
    subject: Subject<'_>,
    step: &Step,
    entered: bool,
    relevant: Option<&FxHashSet<VariableId>>,
    frames: &mut Frames,
    globals: &mut LastValues,
) -> String {
    let procedure = match (subject, step.at().map(PointId)) {
        (Subject::Program(_), None) => return String::new(),
        (Subject::Program(program), Some(point)) => Some((program, program.procedure_of(point))),
        (Subject::System(_), _) => None,
    };
    let frame = frames.top(step.depth);
    let mut parts = Vec::new();
    if entered {
        globals.clear();
        let name = procedure.map(|(program, procedure)| program.names.text(procedure.name));
        parts.extend(name.map(harmless));
    }
    let is_named = !parts.is_empty();
    let is_relevant = |variable| relevant.is_none_or(|relevant| relevant.contains(&variable));
    let [all_globals, all_locals] = in_scope(subject, step);
    let mut is_news =
        |i, value| is_relevant(VariableId::Global(i as u32)) && globals.show(i, value);
    show_changes(all_globals, &mut is_news, &mut parts);
    if let Some(kind) = frame_kind(subject, step) {
        // Another symbol in the same place may have other variables.
        frame.belong_to(kind);
        let mut is_news =
            |i, value| is_relevant(VariableId::Local(i as u32)) && frame.show(i, value);
        show_changes(all_locals, &mut is_news, &mut parts);
    }
    if let Some((program, procedure)) = procedure
        && let Some(returns) = step.returns.as_deref()
        && !returns.is_empty()
        && step.at() == Some(procedure.exit().0)
    {
        let shapes = &procedure.return_shapes;
        let words = Words::of(Subject::Program(program));
        let values = returned(words, &procedure.returns, shapes, returns);
        let values: Vec<_> = values.iter().map(text_of).collect();
        parts.push(format!("returns {}", values.join(", ")));
    }
    // The procedure's name comes first, and a colon if there is more to say.
    if is_named && parts.len() > 1 {
        parts[0].push(':');
    }
    parts.join(" ")
}

fn text_of(value: &Value<'_>) -> String {
    harmless(&value.to_string())
}

/// The cells that are news; put together where all of a variable are.
fn show_changes(
    shown: Variables<'_>,
    is_news: &mut impl FnMut(usize, u64) -> bool,
    parts: &mut Vec<String>,
) {
    let Variables {
        words,
        cells,
        declarations,
        values,
    } = shown;
    for variable in variables(cells, declarations) {
        let news: Vec<usize> = variable
            .cells()
            .filter(|i| is_news(*i, values[*i]))
            .collect();
        if !news.is_empty() && news.len() == variable.cells().len() {
            let value = Value {
                words,
                row: Row::Cells(cells),
                values,
                shape: variable.shape,
                first: variable.first,
            };
            let name = harmless(words.names.text(variable.name));
            parts.push(format!("{name}={}", text_of(&value)));
            continue;
        }
        for i in news {
            let name = harmless(words.names.text(cells[i].name));
            let value = scalar(words, cells[i].domain, values[i]);
            parts.push(format!("{name}={}", harmless(&value)));
        }
    }
}
