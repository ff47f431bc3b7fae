//! Why a property is violated, in a line or two: what stands above the steps of a trace.

use super::annotation::{Annotation, Blame, Truth};
use super::failure::explain;
use super::harmless::{harmless, one_line};
use super::place::{in_scope, line};
use super::style::TextStyle;
use super::threads::name;
use crate::program::PointId;
use crate::rules::Subject;
use crate::trace::failure::Reason;
use crate::trace::{Location, Step, Trace};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// More subformulas than this are not shown step by step.
const MOST_LANES: usize = 12;
/// How wide lanes may be where no width is given.
const WIDEST_LANES: usize = 160;

/// One line that says why: from the cause if it is known, otherwise from the truth of
/// subformulas; of a failure, what fails and where.
pub fn reason(subject: Subject<'_>, trace: &Trace, annotation: &Annotation) -> Option<String> {
    if let (Subject::Program(program), Some(failure)) = (subject, &trace.failure)
        && trace.cycle.is_empty()
    {
        let at = trace.stem.len().checked_sub(2)?;
        let point = PointId(trace.stem[at].at()?);
        let position = program.position_of(point);
        let text = one_line(&program.text_of(point));
        let what = match failure.reason {
            Reason::Assertion => format!("`{text}` fails"),
            _ => format!("{}, at `{text}`", explain(program, failure)),
        };
        let (line, column) = (position.line, position.column);
        let thread = match trace.threads.is_empty() {
            true => String::new(),
            false => format!(" of `{}`", name(trace, trace.stem[at].thread)),
        };
        return Some(format!(
            "{what} (line {line}, column {column}, step {}{thread})",
            at + 1
        ));
    }
    let truth = annotation.formula.as_ref()?;
    match &annotation.cause {
        Some(cause) => Some(from_cause(trace, annotation, truth, cause)),
        None => from_truth(trace, truth),
    }
}

/// The values that alone make the formula false, a clause for each proposition.
fn from_cause(trace: &Trace, annotation: &Annotation, truth: &Truth, cause: &[Blame]) -> String {
    if cause.is_empty() {
        return "no execution satisfies this formula".to_owned();
    }
    let mut steps: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
    let first = |proposition| cause.iter().find(|b| b.proposition == proposition);
    for blame in cause {
        let begins = first(blame.proposition).map_or(0, |blame| blame.step);
        let of = steps.entry((begins, blame.proposition)).or_default();
        of.push(blame.step);
    }
    let mut clauses = Vec::new();
    for ((_, proposition), steps) in steps {
        let name = &truth.propositions[proposition as usize];
        let lane = truth.subformulas.iter().position(|text| text == name);
        let value = |step: usize| lane.is_some_and(|lane| truth.truth[lane][step]);
        let (yes, no): (Vec<_>, Vec<_>) = steps.iter().partition(|step| value(**step));
        let name = harmless(name);
        for (steps, holds) in [(yes, true), (no, false)] {
            if !steps.is_empty() {
                clauses.push(clause(trace, &name, holds, &steps));
            }
        }
    }
    let mut text = clauses.join(", and ");
    let starts = cause.iter().any(|blame| blame.step == 0);
    let begin = annotation.steps.first();
    if starts && let Some(chosen) = begin.filter(|note| !note.start.is_empty()) {
        let values: Vec<_> = chosen.start.iter().map(|value| harmless(value)).collect();
        let values = match values.len() {
            0..=4 => values.join(" "),
            _ => format!("{} …", values[..4].join(" ")),
        };
        text.push_str(&format!(" (it begins with arbitrary values: {values})"));
    }
    text
}

/// When a proposition has a value that matters.
fn clause(trace: &Trace, name: &str, holds: bool, steps: &[usize]) -> String {
    let last = trace.stem.len() + trace.cycle.len() - 1;
    let loop_first = trace.stem.len();
    let is_row = steps.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let (first, end) = (steps[0], steps[steps.len() - 1]);
    // The loop's last step is the stem's last again: a row that begins there is for ever.
    let for_ever = is_row && end == last && first <= loop_first;
    match (holds, steps) {
        (true, _) if for_ever && first == 0 => format!("`{name}` always holds"),
        (false, _) if for_ever && first == 0 => format!("`{name}` never holds"),
        (true, _) if for_ever => format!("`{name}` holds from step {} on, for ever", first + 1),
        (false, _) if for_ever => format!("`{name}` never holds from step {} on", first + 1),
        (true, [step]) => format!("`{name}` holds at step {}", step + 1),
        (false, [step]) => format!("`{name}` does not hold at step {}", step + 1),
        (_, _) => {
            let verb = if holds { "holds" } else { "does not hold" };
            format!("`{name}` {verb} at steps {}", ranges(steps))
        }
    }
}

/// Steps as `3-5, 9`, from 1.
fn ranges(steps: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for step in steps {
        match ranges.last_mut().filter(|(_, end)| end + 1 == *step) {
            Some((_, end)) => *end = *step,
            None => ranges.push((*step, *step)),
        }
    }
    let more = ranges.len() > 6;
    let shown = ranges
        .iter()
        .take(6)
        .map(|(first, end)| match first == end {
            true => (first + 1).to_string(),
            false => format!("{}-{}", first + 1, end + 1),
        });
    let text = shown.collect::<Vec<_>>().join(", ");
    if more { format!("{text}, …") } else { text }
}

/// For long traces: the first step from which on the part of the formula is false that has to
/// hold always.
fn from_truth(trace: &Trace, truth: &Truth) -> Option<String> {
    let (part, values) = truth.subformulas.iter().zip(&truth.truth).nth(1)?;
    let step = values.iter().position(|value| !value)?;
    let place = match step >= trace.stem.len() {
        true => ", in the loop",
        false => "",
    };
    let part = harmless(part);
    Some(format!("`{part}` is false at step {}{place}", step + 1))
}

/// The truth of subformulas, a character a step, `|` where the loop begins; nothing if that
/// is too wide.
pub fn lanes(trace: &Trace, annotation: &Annotation, width: Option<usize>) -> Vec<String> {
    let Some(truth) = &annotation.formula else {
        return Vec::new();
    };
    let rows: Vec<_> = truth.subformulas.iter().zip(&truth.truth).collect();
    // That the formula itself is false is known.
    let rows = match rows.len() {
        1 => &rows[..],
        _ => &rows[1..],
    };
    let names: Vec<_> = rows.iter().map(|(name, _)| harmless(name)).collect();
    let label = names.iter().map(|name| name.chars().count()).max();
    let label = label.unwrap_or(0);
    let steps = trace.stem.len() + trace.cycle.len();
    let widest = width.unwrap_or(WIDEST_LANES);
    if rows.len() > MOST_LANES || label + steps + 5 > widest {
        return Vec::new();
    }
    let lanes = names.iter().zip(rows).map(|(name, (_, values))| {
        let mut lane = format!("{name:<label$}  ");
        for (i, value) in values.iter().enumerate() {
            if i == trace.stem.len() {
                lane.push('|');
            }
            lane.push(if *value { '#' } else { '.' });
        }
        lane
    });
    lanes.collect()
}

/// From so many steps on there is more than one look takes in.
const LONG_TRACE: usize = 100;

/// Of a long trace that is shown step by step: how long it is, how deep, and how many choices
/// are in it.
pub fn overview(trace: &Trace, annotation: &Annotation, style: &TextStyle) -> Option<String> {
    let steps = annotation.steps.len();
    if steps < LONG_TRACE || style.fold.is_some() || style.choices {
        return None;
    }
    let all = || trace.stem.iter().chain(&trace.cycle);
    let deepest = all().map(|step| step.depth).max().unwrap_or(0);
    let chosen = annotation
        .steps
        .iter()
        .filter(|note| !note.choice.is_empty());
    let choices = match chosen.count() {
        0 => "nothing chosen on the way".to_owned(),
        1 => "1 choice".to_owned(),
        several => format!("{several} choices"),
    };
    let depth = match deepest {
        0 => String::new(),
        1 => ", up to 1 call deep".to_owned(),
        several => format!(", up to {several} calls deep"),
    };
    Some(format!("{steps} steps{depth}, {choices}"))
}

/// Why the loop is longer than its statements: how often these are repeated, and the values
/// that are not back before. Only if all rounds take the same way.
pub fn repeated_rounds(subject: Subject<'_>, trace: &Trace) -> Option<String> {
    let cycle = &trace.cycle;
    let steps = cycle.len();
    let base = trace.stem.last()?.depth;
    let grows = cycle.last()?.depth - base;
    let is_stopped = cycle
        .iter()
        .any(|step| step.location == Location::Terminated);
    if is_stopped || cycle.iter().any(|step| step.folded.is_some()) {
        return None;
    }
    let repeats = |period: usize| {
        let rounds = steps / period;
        let growth = grows / rounds as u64;
        let same = |i: usize| {
            cycle[i].location == cycle[i - period].location
                && cycle[i].depth == cycle[i - period].depth + growth
        };
        steps.is_multiple_of(period)
            && grows.is_multiple_of(rounds as u64)
            && (period..steps).all(same)
    };
    let times = |rounds: usize| match rounds {
        2 => "twice".to_owned(),
        _ => format!("{rounds} times"),
    };
    let period = (1..steps).find(|period| repeats(*period));
    if let Some(period) = period {
        let ends: Vec<&Step> = cycle.iter().skip(period - 1).step_by(period).collect();
        let names = differing(subject, &ends)?;
        let times = times(steps / period);
        return Some(format!("{times} the same {period}, until {names}"));
    }
    // The way is another in each round, but comes to the same place.
    let last = cycle.last()?;
    let is_end = |step: &&Step| step.location == last.location && step.depth == last.depth;
    let ends: Vec<&Step> = cycle.iter().filter(is_end).collect();
    if ends.len() < 2 || grows > 0 {
        return None;
    }
    let names = differing(subject, &ends)?;
    let place = match line(subject, last, &mut FxHashMap::default()) {
        0 => "there".to_owned(),
        line => format!("line {line}"),
    };
    Some(format!(
        "{} through {place}, until {names}",
        times(ends.len())
    ))
}

/// That the cells which have not the same value in all of these steps are as before.
fn differing(subject: Subject<'_>, steps: &[&Step]) -> Option<String> {
    let (first, rest) = steps.split_first()?;
    let mut names = Vec::new();
    let others: Vec<_> = rest.iter().map(|step| in_scope(subject, step)).collect();
    for (i, shown) in in_scope(subject, first).iter().enumerate() {
        for (k, cell) in shown.cells.iter().enumerate() {
            if others
                .iter()
                .any(|other| other[i].values[k] != shown.values[k])
            {
                let name = shown.words.names.text(cell.name);
                names.push(format!("`{}`", harmless(name)));
            }
        }
    }
    match names.len() {
        0 => None,
        1 => Some(format!("{} is as before", names[0])),
        2..=4 => Some(format!("{} are as before", names.join(", "))),
        _ => Some(format!("{}, … are as before", names[..4].join(", "))),
    }
}
