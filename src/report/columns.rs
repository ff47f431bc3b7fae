//! The steps of threads side by side: each thread has a column, and below each step stand the values
//! that are news.

use super::selection::{Row, rows};
use super::steps::Annotated;
use super::style::{Paint, TextWriter};
use super::threads::name;
use super::trace::{Line, chosen, cut, hidden};
use std::io::Write;

/// Wider texts are cut.
const WIDEST: usize = 40;
/// A column is no narrower, whatever the width of all.
const NARROWEST: usize = 10;
/// Deeper frames are indented no further.
const DEEPEST_INDENT: u64 = 5;
/// What lies between two columns.
const GAP: usize = 2;

/// A thread, where its column begins, and its width.
struct Column {
    thread: u32,
    begin: usize,
    width: usize,
}

pub fn write<W: Write>(
    annotated: Annotated<'_>,
    lines: &[Line],
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    let trace = annotated.trace;
    let digits = |number: usize| number.to_string().len();
    let last_line = lines.iter().map(|line| line.number).max();
    let widths = [digits(lines.len()), digits(last_line.unwrap_or(0) as usize)];
    // Two blanks before and between the numbers, and behind them.
    let prefix = widths[0] + widths[1] + 6;
    let columns = columns(annotated, lines, prefix, writer.style.width);
    let mut header = " ".repeat(prefix);
    for Column { thread, width, .. } in &columns {
        let name = cut(&name(trace, *thread), *width, 0);
        header.push_str(&format!("{name:<width$}{:GAP$}", ""));
    }
    writer.line(&[(Paint::Strong, header.trim_end())], prefix)?;
    for row in rows(annotated, lines.len(), writer.style) {
        match row {
            Row::Context(context) => {
                let title = context.title(trace);
                writer.line(&[(Paint::Plain, "  "), (Paint::Strong, &title)], 4)?;
            }
            Row::Step(i) => {
                let line = &lines[i];
                let mut own = columns.iter();
                let Some(column) = own.find(|column| column.thread == line.thread) else {
                    continue;
                };
                write_step(i, line, column, widths, writer)?;
                if writer.style.choices {
                    below(
                        &chosen(&annotated.annotation.steps[i]),
                        column,
                        Paint::Faint,
                        writer,
                    )?;
                }
            }
            Row::Hidden { first, last, what } => {
                let text = hidden(first, last, &what);
                let before = " ".repeat(prefix);
                writer.line(&[(Paint::Plain, &before), (Paint::Faint, &text)], prefix)?;
            }
            // Executions of threads are finite.
            Row::Loop | Row::Back => {}
        }
    }
    Ok(())
}

/// A column for each thread that runs, by number.
fn columns(
    annotated: Annotated<'_>,
    lines: &[Line],
    prefix: usize,
    width: Option<usize>,
) -> Vec<Column> {
    let threads = annotated.trace.threads.iter().map(|thread| thread.id);
    let runs = |id: &u32| lines.iter().any(|line| line.thread == *id);
    let running: Vec<u32> = threads.filter(runs).collect();
    let room = width.map_or(usize::MAX, |width| {
        width.saturating_sub(prefix) / running.len().max(1)
    });
    let most = WIDEST.min(room.saturating_sub(GAP)).max(NARROWEST);
    let mut begin = prefix;
    let column = |thread: u32| {
        let own = lines.iter().filter(|line| line.thread == thread);
        let widest = own.map(|line| indented(line).chars().count()).max();
        let name = name(annotated.trace, thread).chars().count();
        let width = widest.unwrap_or(0).max(name).min(most);
        let column = Column {
            thread,
            begin,
            width,
        };
        begin += width + GAP;
        column
    };
    running.into_iter().map(column).collect()
}

fn indented(line: &Line) -> String {
    let indent = 2 * line.depth.min(DEEPEST_INDENT) as usize;
    format!("{:indent$}{}", "", line.text)
}

fn write_step<W: Write>(
    i: usize,
    line: &Line,
    column: &Column,
    [steps, lines]: [usize; 2],
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    let number = match line.number {
        0 => String::new(),
        number => number.to_string(),
    };
    let numbers = format!("  {:>steps$}  {number:>lines$}", i + 1);
    let before = format!("{numbers:<width$}", width = column.begin);
    let text = cut(&indented(line), column.width, line.branch);
    let pieces = [(Paint::Faint, &before[..]), (Paint::Plain, &text)];
    writer.line(&pieces, column.begin)?;
    if !line.values.is_empty() {
        below(&line.values, column, Paint::Change, writer)?;
    }
    if let Some(after) = &line.after {
        below(after, column, Paint::Plain, writer)?;
    }
    Ok(())
}

/// Writes below a step, in its column.
fn below<W: Write>(
    text: &str,
    column: &Column,
    paint: Paint,
    writer: &mut TextWriter<'_, W>,
) -> std::io::Result<()> {
    let indent = column.begin + 2;
    let before = " ".repeat(indent);
    writer.line(&[(Paint::Plain, &before), (paint, text)], indent)
}
