//! A trace as text, made to be read.
//!
//! In the order of execution, indented by call depth, each step with its line number and
//! its text. Beside it the values: all in scope at the start and on entering a procedure,
//! afterwards only those that changed, and never one that does not matter for this trace.

use crate::interpreter::replay::{Location, Step, Trace};
use crate::program::{PointId, Program, VariableId};
use crate::report::excerpt::harmless;
use crate::witness::relevance::relevant_values;
use rustc_hash::FxHashSet;
use std::io::Write;

/// Deeper frames are indented no further, and say how deep they are.
const DEEPEST_INDENT: u32 = 20;
const LONGEST_TEXT: usize = 60;

pub fn write(program: &Program, trace: &Trace, out: &mut impl Write) -> std::io::Result<()> {
    let relevant = relevant_values(program, trace);
    let statements: Vec<String> = trace.stem.iter().map(|s| statement(program, s)).collect();
    let width = |step: &Step, text: &String| 2 * indent(step) as usize + text.chars().count();
    let widest = trace.stem.iter().zip(&statements).map(|(s, t)| width(s, t));
    let column = widest.max().unwrap_or(0).min(LONGEST_TEXT + 20);
    let line = |step: &Step| match step.location {
        Location::At(point) => program.position_of(point).line,
        _ => 0,
    };
    let digits = trace.stem.iter().map(line).max().unwrap_or(0).to_string().len();
    // For each frame, the values shown last.
    let mut frames: Vec<Shown> = Vec::new();
    let mut globals = Shown::default();
    for (i, step) in trace.stem.iter().enumerate() {
        let values = values(program, trace, i, &relevant[i], &mut frames, &mut globals);
        let number = match line(step) {
            0 => String::new(),
            number => number.to_string(),
        };
        let text = format!("{:2$}{}", "", statements[i], 2 * indent(step) as usize);
        let row = format!("  {number:>digits$}  {text:<column$}  {values}");
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

fn indent(step: &Step) -> u32 {
    step.depth.min(DEEPEST_INDENT)
}

fn statement(program: &Program, step: &Step) -> String {
    let Location::At(point) = step.location else {
        return match step.location {
            Location::Error => "error: the assertion fails".to_owned(),
            _ => "terminated".to_owned(),
        };
    };
    let mut text = String::new();
    if step.depth > DEEPEST_INDENT {
        text.push_str(&format!("[depth {}] ", step.depth));
    }
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
    if step.folded.is_some() {
        text.push_str("  (folded)");
    }
    harmless(&text)
}

/// The values of some variables when they were shown last.
#[derive(Default)]
struct Shown(Vec<Option<bool>>);

impl Shown {
    /// True if this is news.
    fn show(&mut self, index: usize, value: bool) -> bool {
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        self.0[index].replace(value) != Some(value)
    }
}

fn values(
    program: &Program,
    trace: &Trace,
    at: usize,
    relevant: &FxHashSet<VariableId>,
    frames: &mut Vec<Shown>,
    globals: &mut Shown,
) -> String {
    let step = &trace.stem[at];
    let Location::At(point) = step.location else {
        return String::new();
    };
    let procedure = program.point(point).procedure;
    let depth = step.depth as usize;
    let entered = at == 0 || trace.stem[at - 1].depth < step.depth;
    frames.truncate(depth + 1);
    while frames.len() <= depth {
        frames.push(Shown::default());
    }
    let mut parts = Vec::new();
    if entered {
        globals.0.clear();
        let name = program.names.text(program.procedure(procedure).name);
        parts.push(format!("{}:", harmless(name)));
    }
    let mut show = |variable: VariableId, shown: &mut Shown, index: usize| {
        let value = step.valuation.get(variable);
        if relevant.contains(&variable) && shown.show(index, value) {
            let name = program.variable_name(procedure, variable);
            parts.push(format!("{}={}", harmless(name), u8::from(value)));
        }
    };
    for i in 0..step.valuation.globals().len() {
        show(VariableId::Global(i as u32), globals, i);
    }
    for i in 0..step.valuation.locals().len() {
        show(VariableId::Local(i as u32), &mut frames[depth], i);
    }
    if let Some(returns) = &step.returns
        && is_exit(program, point)
    {
        let values: Vec<_> = returns.iter().map(|v| u8::from(*v).to_string()).collect();
        if !values.is_empty() {
            parts.push(format!("returns {}", values.join(", ")));
        }
    }
    parts.join(" ")
}

fn is_exit(program: &Program, point: PointId) -> bool {
    program.procedure_of(point).exit() == point
}
