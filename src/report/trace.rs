//! The steps of a trace as text, made to be read.
//!
//! In the order of execution, indented by call depth, each step with its number, its line in
//! the source, and its text; of a branch, how it goes on. Beside it the values that matter:
//! those in scope on entering a frame, as far as they are news, and afterwards those that
//! changed. Of an array or a struct the cells that changed, or the whole if all did. The steps
//! of a loop are marked.

use super::annotation::{Annotation, StepNote};
use super::columns;
use super::folded::{describe, length};
use super::harmless::{harmless, one_line};
use super::place::{frame_kind, in_scope, left_below, line, text};
use super::selection::{Row, rows};
use super::steps::Annotated;
use super::style::{Paint, TextWriter};
use super::summary::repeated_rounds;
use super::values::{Words, returned};
use crate::program::{PointId, VariableId};
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io::Write;

/// Deeper frames are indented no further, and say how deep they are.
const DEEPEST_INDENT: u64 = 20;
/// Values begin no further to the right.
const LAST_COLUMN: usize = 80;
/// With less room than this beside the text, values go below it.
const VALUE_ROOM: usize = 24;

pub fn write<W: Write>(
    annotated: Annotated<'_>,
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    let Annotated {
        subject,
        trace,
        annotation,
        ..
    } = annotated;
    let lines = lines(annotated);
    if writer.style.columns && !trace.threads.is_empty() {
        return columns::write(annotated, &lines, writer);
    }
    let layout = Layout::new(&lines, writer.style.width);
    for row in rows(annotated, lines.len(), writer.style) {
        match row {
            Row::Context(context) => {
                let title = context.title(trace);
                writer.line(&[(Paint::Plain, "  "), (Paint::Strong, &title)], 4)?;
            }
            Row::Loop => {
                let around = describe_loop(subject, trace);
                writer.line(&[(Paint::Plain, "  "), (Paint::Strong, &around)], 4)?;
            }
            Row::Step(i) => {
                let is_loop = i >= trace.stem.len();
                layout.write(i, &lines[i], is_loop, writer)?;
                if writer.style.choices {
                    layout.below(&chosen(&annotation.steps[i]), is_loop, writer)?;
                }
            }
            Row::Hidden { first, last, what } => {
                let is_loop = first >= trace.stem.len();
                layout.below(&hidden(first, last, &what), is_loop, writer)?;
            }
            Row::Back => {
                let back = format!("back to step {}", trace.stem.len() + 1);
                writer.line(&[(Paint::Plain, "  "), (Paint::Strong, &back)], 4)?;
            }
        }
    }
    Ok(())
}

/// What was chosen at a step.
pub fn chosen(note: &StepNote) -> String {
    let chosen: Vec<_> = note.chosen().map(|choice| harmless(choice)).collect();
    format!("chosen: {}", chosen.join(", "))
}

/// What stands in the place of steps that are not shown.
pub fn hidden(first: usize, last: usize, what: &str) -> String {
    match first == last {
        true => format!("... step {}{what} ...", first + 1),
        false => format!("... steps {} to {}{what} ...", first + 1, last + 1),
    }
}

/// The values of watched expressions that are others than one step before.
fn watched(annotation: &Annotation, at: usize) -> impl Iterator<Item = String> {
    let before = at.checked_sub(1);
    let watches = annotation.watches.iter();
    let changed = watches
        .filter(move |watch| before.is_none_or(|before| watch.values[before] != watch.values[at]));
    changed.map(move |watch| {
        let text = harmless(&watch.text);
        match watch.values[at] {
            Some(value) => format!("{{{text}}}={value}"),
            None => format!("{{{text}}}=?"),
        }
    })
}

/// The steps of a trace as they are written, until the execution stays where it is.
pub fn lines(annotated: Annotated<'_>) -> Vec<Line> {
    let Annotated {
        subject,
        trace,
        annotation,
        ..
    } = annotated;
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let mut known_lines = FxHashMap::default();
    let mut threads: FxHashMap<u32, Known> = FxHashMap::default();
    let mut lines = Vec::with_capacity(steps.len());
    for (i, (step, note)) in steps.iter().zip(&annotation.steps).enumerate() {
        // A program that has stopped stays where it is.
        let stays = i > 0 && steps[i - 1].is_stopped() && steps[i - 1].thread == step.thread;
        if stays && step.is_stopped() {
            break;
        }
        let known = threads.entry(step.thread).or_default();
        let entered = known
            .depth
            .replace(step.depth)
            .is_none_or(|depth| depth < step.depth);
        let shown = ShownValues {
            subject,
            step,
            entered,
            relevant: &note.cells,
        };
        let branch = match &note.branch {
            Some(branch) => goes_on(subject, step, branch),
            None => String::new(),
        };
        lines.push(Line {
            number: line(subject, step, &mut known_lines),
            thread: step.thread,
            depth: step.depth,
            text: text(subject, trace, step) + &branch,
            branch: branch.chars().count(),
            values: {
                let mut parts = shown.parts(&mut known.frames, &mut known.globals);
                parts.extend(watched(annotation, i));
                parts.join(" ")
            },
            after: describe(trace, step),
        });
    }
    lines
}

/// How a branch goes on, behind its text.
fn goes_on(subject: Subject<'_>, step: &Step, branch: &str) -> String {
    let branch = one_line(branch);
    let is_remopla = match (subject, step.at()) {
        (Subject::Program(program), Some(at)) => {
            !program.guards_of(PointId(at)).is_empty() && program.is_select(PointId(at))
        }
        _ => false,
    };
    match is_remopla {
        true => format!(" :: {branch}"),
        false => format!(": {branch}"),
    }
}

/// The text in no more than `most` characters; the last ones, as many as `kept`, stay if they leave
/// room for others.
pub fn cut(text: &str, most: usize, kept: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = if 2 * kept <= most { kept } else { 0 };
    let before = text.chars().take(most.saturating_sub(3 + kept));
    let end = text.chars().skip(length - kept);
    before.chain("...".chars()).chain(end).collect()
}

/// One configuration of a trace.
pub struct Line {
    /// In the source; 0 for none.
    pub number: u32,
    pub thread: u32,
    /// How many frames are below.
    pub depth: u64,
    pub text: String,
    /// How many characters at its end say how a branch goes on.
    pub branch: usize,
    /// Those that are news.
    pub values: String,
    /// What is said between it and the next one.
    pub after: Option<String>,
}

/// Where the columns of a trace are.
struct Layout {
    /// Of step numbers and of line numbers.
    digits: [usize; 2],
    /// The most that text takes.
    column: usize,
    deepest: u64,
    /// Whether values stand below the text.
    is_narrow: bool,
}

impl Layout {
    fn new(lines: &[Line], width: Option<usize>) -> Self {
        let digits = |number: u64| number.to_string().len();
        let last_line = lines.iter().map(|line| line.number).max();
        let mut layout = Layout {
            digits: [
                digits(lines.len() as u64),
                digits(last_line.unwrap_or(0).into()),
            ],
            column: LAST_COLUMN,
            deepest: DEEPEST_INDENT,
            is_narrow: false,
        };
        if let Some(width) = width {
            let room = width.saturating_sub(layout.prefix());
            layout.deepest = DEEPEST_INDENT.min(room as u64 / 8);
            layout.column = LAST_COLUMN.min(room * 3 / 5).max(8);
        }
        let widest = lines.iter().map(|line| layout.text(line).chars().count());
        layout.column = layout.column.min(widest.max().unwrap_or(0));
        if let Some(width) = width {
            let room = width.saturating_sub(layout.prefix());
            layout.is_narrow = room < layout.column + 2 + VALUE_ROOM;
        }
        layout
    }

    /// How many characters stand before the text.
    fn prefix(&self) -> usize {
        3 + self.digits[0] + 2 + self.digits[1] + 2
    }

    fn text(&self, line: &Line) -> String {
        let indent = 2 * line.depth.min(self.deepest) as usize;
        let deep = match line.depth > self.deepest {
            true => format!("[depth {}] ", line.depth),
            false => String::new(),
        };
        format!("{:indent$}{deep}{}", "", line.text)
    }

    fn write<W: Write>(
        &self,
        i: usize,
        line: &Line,
        is_loop: bool,
        writer: &mut TextWriter<'_, W>,
    ) -> std::io::Result<()> {
        let [steps, lines] = self.digits;
        let number = match line.number {
            0 => String::new(),
            number => number.to_string(),
        };
        let mark = if is_loop { '|' } else { ' ' };
        let prefix = format!("  {mark}{:>steps$}  {number:>lines$}  ", i + 1);
        let mut text = self.text(line);
        let column = self.column;
        let is_beside = !line.values.is_empty() && !self.is_narrow;
        if writer.style.width.is_some() && is_beside {
            text = cut(&text, column, line.branch);
        }
        let beside = match is_beside {
            true => format!("{text:<column$}  "),
            false => String::new(),
        };
        let pieces = match beside.is_empty() {
            true => [
                (Paint::Faint, &prefix[..]),
                (Paint::Plain, &text[..]),
                (Paint::Plain, ""),
            ],
            false => [
                (Paint::Faint, &prefix[..]),
                (Paint::Plain, &beside[..]),
                (Paint::Change, &line.values[..]),
            ],
        };
        let under = match beside.is_empty() {
            true => self.prefix() + 4,
            false => self.prefix() + column + 2,
        };
        writer.line(&pieces, under)?;
        if beside.is_empty() && !line.values.is_empty() {
            let before = self.before(is_loop, 4);
            writer.line(
                &[(Paint::Faint, &before), (Paint::Change, &line.values)],
                before.len(),
            )?;
        }
        if let Some(after) = &line.after {
            let indent = 2 * line.depth.min(self.deepest) as usize;
            let before = self.before(is_loop, indent);
            writer.line(
                &[(Paint::Faint, &before), (Paint::Plain, after)],
                before.len(),
            )?;
        }
        Ok(())
    }

    /// What stands before a line that is no step.
    fn before(&self, is_loop: bool, indent: usize) -> String {
        let mark = if is_loop { '|' } else { ' ' };
        format!("  {mark}{:1$}", "", self.prefix() - 3 + indent)
    }

    fn below<W: Write>(
        &self,
        text: &str,
        is_loop: bool,
        writer: &mut TextWriter<'_, W>,
    ) -> std::io::Result<()> {
        let before = self.before(is_loop, 0);
        writer.line(
            &[(Paint::Faint, &before), (Paint::Faint, text)],
            before.len(),
        )
    }
}

/// What is repeated for ever, and what grows meanwhile.
pub fn describe_loop(subject: Subject<'_>, trace: &Trace) -> String {
    let (Some(first), Some(last)) = (trace.stem.last(), trace.cycle.last()) else {
        return String::new();
    };
    if last.at().is_none() {
        return "loop: the program stays there for ever".to_owned();
    }
    let mut steps = match length(trace, &trace.cycle) {
        1 => "1 step".to_owned(),
        several => format!("{several} steps"),
    };
    if let Some(rounds) = repeated_rounds(subject, trace) {
        steps = format!("{steps} ({rounds})");
    }
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

/// What was shown last of a thread: its depth, its frames, and the globals as it has seen them, so
/// that what others have changed meanwhile is news.
#[derive(Default)]
struct Known {
    depth: Option<u64>,
    frames: Frames,
    globals: LastValues,
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
    /// Forgets what belonged to another owner.
    fn belong_to(&mut self, owner: u32) {
        if std::mem::replace(&mut self.owner, owner) != owner {
            self.values.clear();
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

/// What is said of the values of a step.
struct ShownValues<'a> {
    subject: Subject<'a>,
    step: &'a Step,
    entered: bool,
    relevant: &'a [VariableId],
}

impl ShownValues<'_> {
    fn parts(&self, frames: &mut Frames, globals: &mut LastValues) -> Vec<String> {
        let (subject, step) = (self.subject, self.step);
        let procedure = match (subject, step.at().map(PointId)) {
            (Subject::Program(_), None) => return Vec::new(),
            (Subject::Program(program), Some(at)) => Some((program, program.procedure_of(at))),
            (Subject::System(_), _) => None,
        };
        let frame = frames.top(step.depth);
        let mut parts = Vec::new();
        if self.entered {
            let name = procedure.map(|(program, procedure)| program.names.text(procedure.name));
            parts.extend(name.map(harmless));
        }
        let is_named = !parts.is_empty();
        let is_relevant = |variable| self.relevant.binary_search(&variable).is_ok();
        let [all_globals, all_locals] = in_scope(subject, step);
        let mut add = |name: &str, value: &str| {
            parts.push(format!("{}={}", harmless(name), harmless(value)));
        };
        let is_news = |i: usize| {
            is_relevant(VariableId::Global(i as u32)) && globals.show(i, all_globals.values[i])
        };
        all_globals.for_each_part(is_news, &mut add);
        if let Some(kind) = frame_kind(subject, step) {
            // Another symbol in the same place may have other variables.
            frame.belong_to(kind);
            let is_news = |i: usize| {
                is_relevant(VariableId::Local(i as u32)) && frame.show(i, all_locals.values[i])
            };
            all_locals.for_each_part(is_news, &mut add);
        }
        if let Some((program, procedure)) = procedure
            && let Some(returns) = step.returns.as_deref()
            && !returns.is_empty()
            && step.at() == Some(procedure.exit().0)
        {
            let shapes = &procedure.return_shapes;
            let words = Words::of(Subject::Program(program));
            let values = returned(words, &procedure.returns, shapes, returns);
            let values: Vec<_> = values
                .iter()
                .map(|value| harmless(&value.to_string()))
                .collect();
            parts.push(format!("returns {}", values.join(", ")));
        }
        // The procedure's name comes first, and a colon if there is more to say.
        if is_named && parts.len() > 1 {
            parts[0].push(':');
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn what_is_cut_keeps_how_it_goes_on() {
        assert_eq!(cut("if (a & b & c): true", 20, 6), "if (a & b & c): true");
        assert_eq!(cut("if (a & b & c): true", 14, 6), "if (a...: true");
        assert_eq!(cut("if (a & b & c): true", 10, 6), "if (a &...");
    }
}
