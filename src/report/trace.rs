//! A trace as text, made to be read.
//!
//! In the order of execution, indented by call depth, each step with its line number and
//! its text. Beside it the values: all in scope at the start and on entering a procedure,
//! afterwards only those that changed, and never one that does not matter for this trace.
//! Of an array or a struct the cells that changed, or the whole if all did.

use super::failure::explain;
use super::folded::{describe, length};
use super::harmless::harmless;
use super::values::{Row, Valued, Words, returned, scalar, variables};
use crate::analysis::Observed;
use crate::program::{Cell, Declaration, PointId, Program, VariableId};
use crate::trace::Fold;
use crate::trace::{Location, Step, Trace};
use crate::witness::relevance::relevant_values;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io::Write;

/// Deeper frames are indented no further, and say how deep they are.
const DEEPEST_INDENT: u64 = 20;
const LONGEST_TEXT: usize = 60;

pub fn write(
    program: &Program,
    trace: &Trace,
    observed: &[Observed],
    out: &mut impl Write,
) -> std::io::Result<()> {
    let relevant = relevant_values(program, trace, observed);
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let mut numbers = Numbers::new(program);
    // For each frame, the values shown last.
    let mut frames = Frames::default();
    let mut globals = LastValues::default();
    let mut lines = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        if i >= trace.stem.len() && step.at().is_none() {
            break;
        }
        lines.push(Line {
            number: numbers.number(step),
            depth: step.depth,
            text: statement(program, trace, step),
            values: values(program, &steps, i, &relevant[i], &mut frames, &mut globals),
            after: describe(trace, step),
        });
    }
    let around = describe_loop(program, trace);
    write_lines(&lines, trace.stem.len(), &around, out)
}

/// One configuration of a trace.
pub struct Line {
    /// In the source; 0 for none.
    pub number: u32,
    /// How many frames are below.
    pub depth: u64,
    pub text: String,
    pub values: String,
    /// What is said between it and the next one.
    pub after: Option<String>,
}

/// Writes the lines in columns, and what `around` says of the loop before those after the
/// stem.
pub fn write_lines(
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
    let column = widest.min(LONGEST_TEXT + 20);
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
fn describe_loop(program: &Program, trace: &Trace) -> String {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return String::new();
    };
    if last.at().is_none() {
        return "loop: the program stays there for ever".to_owned();
    }
    let name = |frame: &Step| {
        let procedure = program.procedure_of(PointId(frame.at()?));
        Some(program.names.text(procedure.name))
    };
    let left = Left {
        count: last.depth - first.depth,
        names: left_on_stack(trace).filter_map(name).collect(),
    };
    describe_rounds(
        length(trace, &trace.cycle),
        left,
        ["frame of ", "frames of "],
    )
}

/// What a round of a loop leaves on the stack.
pub struct Left<'n> {
    pub count: u64,
    pub names: Vec<&'n str>,
}

/// The last steps in frames that are below the last of a cycle, but were not below the first.
pub fn left_on_stack(trace: &Trace) -> impl Iterator<Item = &Step> {
    let depth = |step: Option<&Step>| step.map_or(0, |step| step.depth);
    let left = depth(trace.stem.last())..depth(trace.cycle.last());
    let mut latest: FxHashMap<u64, &Step> = FxHashMap::default();
    for step in trace.stem.last().into_iter().chain(&trace.cycle) {
        latest.insert(step.depth, step);
    }
    let latest = latest.into_iter();
    latest.filter_map(move |(depth, step)| left.contains(&depth).then_some(step))
}

/// How long a loop is, and what each round leaves on the stack.
pub fn describe_rounds(steps: u64, left: Left<'_>, [one_of, several_of]: [&str; 2]) -> String {
    let steps = match steps {
        1 => "1 step".to_owned(),
        several => format!("{several} steps"),
    };
    let mut names: Vec<_> = left.names.iter().map(|name| format!("`{name}`")).collect();
    names.sort_unstable();
    names.dedup();
    let names = names.join(", ");
    match left.count {
        0 => format!("loop: {steps}"),
        1 => format!("loop: {steps}; each round leaves one more {one_of}{names} on the stack"),
        count => {
            format!(
                "loop: {steps}; each round leaves {count} more {several_of}{names} on the stack"
            )
        }
    }
}

/// Line numbers of points, each counted once.
struct Numbers<'a> {
    program: &'a Program,
    known: FxHashMap<PointId, u32>,
}

impl<'a> Numbers<'a> {
    fn new(program: &'a Program) -> Self {
        Numbers {
            program,
            known: FxHashMap::default(),
        }
    }

    /// 0 if the program has stopped.
    fn number(&mut self, step: &Step) -> u32 {
        match step.at().map(PointId) {
            Some(point) => {
                let line = || self.program.position_of(point).line;
                *self.known.entry(point).or_insert_with(line)
            }
            None => 0,
        }
    }
}

fn statement(program: &Program, trace: &Trace, step: &Step) -> String {
    let point = match step.location {
        Location::At(point) => PointId(point),
        Location::Terminated | Location::Left => return "terminated".to_owned(),
        Location::Error => {
            let reason = trace.failure.as_ref().map(|f| explain(program, f));
            return format!("error: {}", reason.unwrap_or_default());
        }
    };
    let mut text = String::new();
    for label in program.labels_of(point) {
        text.push_str(label);
        text.push_str(": ");
    }
    let source = program.text_of(point);
    for word in source.split_whitespace() {
        if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(word);
        if text.len() > LONGEST_TEXT {
            break;
        }
    }
    if text.chars().count() > LONGEST_TEXT {
        text = text.chars().take(LONGEST_TEXT - 3).collect();
        text.push_str("...");
    }
    if let Some(Fold::Call(_)) = step.folded {
        text.push_str("  (folded)");
    }
    harmless(&text)
}

/// What was shown last in each frame, by depth.
#[derive(Default)]
pub struct Frames(BTreeMap<u64, LastValues>);

impl Frames {
    /// The frame at this depth, now that it is the top one.
    pub fn top(&mut self, depth: u64) -> &mut LastValues {
        while self.0.last_key_value().is_some_and(|(top, _)| *top > depth) {
            self.0.pop_last();
        }
        self.0.entry(depth).or_default()
    }
}

/// The values of some cells when they were shown last.
#[derive(Default)]
pub struct LastValues {
    values: Vec<Option<u64>>,
    /// Whose cells they are.
    owner: u32,
}

impl LastValues {
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Forgets what belonged to another owner.
    pub fn belong_to(&mut self, owner: u32) {
        if std::mem::replace(&mut self.owner, owner) != owner {
            self.clear();
        }
    }

    /// True if this is news.
    pub fn show(&mut self, index: usize, value: u64) -> bool {
        if self.values.len() <= index {
            self.values.resize(index + 1, None);
        }
        self.values[index].replace(value) != Some(value)
    }
}

fn values(
    program: &Program,
    steps: &[&Step],
    at: usize,
    relevant: &FxHashSet<VariableId>,
    frames: &mut Frames,
    globals: &mut LastValues,
) -> String {
    let step = steps[at];
    let Some(point) = step.at().map(PointId) else {
        return String::new();
    };
    let procedure = program.procedure_of(point);
    let frame = frames.top(step.depth);
    let entered = at == 0 || steps[at - 1].depth < step.depth;
    let mut parts = Vec::new();
    if entered {
        globals.clear();
        parts.push(harmless(program.names.text(procedure.name)));
    }
    let (cells, declared) = (&program.globals, &program.declarations);
    let is_relevant = |i: usize| relevant.contains(&VariableId::Global(i as u32));
    let mut is_news = |i, value| is_relevant(i) && globals.show(i, value);
    let all = step.valuation.globals();
    show_changes(
        program.into(),
        cells,
        declared,
        all,
        &mut is_news,
        &mut parts,
    );
    let (cells, declared) = (&procedure.locals, &procedure.declarations);
    let is_relevant = |i: usize| relevant.contains(&VariableId::Local(i as u32));
    let mut is_news = |i, value| is_relevant(i) && frame.show(i, value);
    let all = step.valuation.locals();
    show_changes(
        program.into(),
        cells,
        declared,
        all,
        &mut is_news,
        &mut parts,
    );
    if let Some(returns) = step
        .returns
        .as_deref()
        .filter(|returns| !returns.is_empty())
        && procedure.exit() == point
    {
        let shapes = &procedure.return_shapes;
        let values = returned(program.into(), &procedure.returns, shapes, returns);
        let values: Vec<_> = values.iter().map(text_of).collect();
        parts.push(format!("returns {}", values.join(", ")));
    }
    // The procedure's name comes first, and a colon if there is more to say.
    if entered && parts.len() > 1 {
        parts[0].push(':');
    }
    parts.join(" ")
}

fn text_of(value: &Valued<'_>) -> String {
    let mut text = String::new();
    value.write(&mut text);
    harmless(&text)
}

/// The cells that are news; put together where all of a variable are.
pub fn show_changes(
    words: Words<'_>,
    cells: &[Cell],
    declarations: &[Declaration],
    values: &[u64],
    is_news: &mut impl FnMut(usize, u64) -> bool,
    parts: &mut Vec<String>,
) {
    for variable in variables(cells, declarations) {
        let news: Vec<usize> = variable
            .cells()
            .filter(|i| is_news(*i, values[*i]))
            .collect();
        if !news.is_empty() && news.len() == variable.cells().len() {
            let value = Valued {
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
