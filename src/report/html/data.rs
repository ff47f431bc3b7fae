//! The data of a page: everything in a report, as one JSON text in which nothing can end the
//! element that it stands in.

use super::scopes::ScopeRow;
use super::steps::{Codes, Encoder, Number};
use super::tables::{PointRow, Tables};
use crate::check::Verdict;
use crate::report::annotation::{Annotation, Watched};
use crate::report::folded::{Item, items};
use crate::report::json::{FormulaObject, RunObject};
use crate::report::{Evidence, Explanation, Report, ShownTrace, summary, text, trace};
use crate::rules::Subject;
use crate::source::Source;
use crate::trace::{Location, Step};
use serde::Serialize;
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    Unfolded,
    /// Every call that returns.
    Folded,
}

#[derive(Serialize)]
struct Data<'a> {
    version: &'static str,
    input: &'a str,
    is_system: bool,
    /// Whether the names of enumerations spell all values.
    is_spelled: bool,
    source: SourceRow<'a>,
    /// Of several files, the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_sources: Vec<SourceRow<'a>>,
    strings: Vec<&'a String>,
    enumerations: Vec<Vec<&'a str>>,
    scopes: Vec<&'a ScopeRow>,
    relevant: Vec<&'a Vec<usize>>,
    points: Vec<&'a PointRow>,
    results: Vec<ResultRow<'a>>,
}

#[derive(Default, Serialize)]
struct SourceRow<'a> {
    name: &'a str,
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct ResultRow<'a> {
    kind: &'static str,
    text: &'a str,
    name: Option<&'a str>,
    verdict: &'static str,
    reason: Option<&'static str>,
    seconds: f64,
    /// Why the property is violated.
    why: Option<String>,
    /// Why there is no trace, or not all of it.
    remark: Option<String>,
    trace: Option<TraceRow<'a>>,
}

#[derive(Serialize)]
struct TraceRow<'a> {
    stem: usize,
    count: usize,
    /// The number of the globals' scope.
    globals: usize,
    /// The numbers and names of threads, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<(u32, &'a str)>,
    /// The cells of globals of which each thread has its own.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    own: &'a [u32],
    steps: Codes,
    /// What is repeated: its first and its last step, and how often.
    blocks: Vec<(usize, usize, String)>,
    /// What is said after a step.
    notes: Vec<(usize, String)>,
    /// What the loop does.
    #[serde(rename = "loop")]
    cycle: Option<String>,
    #[serde(flatten)]
    annotations: Option<Annotations<'a>>,
}

/// What there is only if nothing is folded.
#[derive(Serialize)]
struct Annotations<'a> {
    formula: Option<FormulaObject<'a>>,
    /// A step, and which subformula is the proposition.
    cause: Vec<(usize, usize)>,
    automaton: Option<RunObject<'a>>,
    watch: Vec<WatchRow<'a>>,
}

#[derive(Serialize)]
struct WatchRow<'a> {
    text: &'a str,
    values: Vec<Option<Number>>,
}

/// The data of a report.
pub fn write(report: &Report, calls: Calls) -> std::io::Result<String> {
    let mut tables = Tables::default();
    let results = (0..report.conclusions.len()).map(|i| result(report, i, calls, &mut tables));
    let results = results.collect();
    let subject = report.subject();
    let mut sources = subject.map_or(Vec::new(), sources).into_iter();
    let is_spelled = !tables.enumerations.is_empty();
    let enumerations = match is_spelled {
        true => {
            let lists = tables.enumerations.iter();
            lists
                .map(|names| names.iter().map(|name| &**name).collect())
                .collect()
        }
        false => subject.map_or(Vec::new(), enumerations),
    };
    let data = Data {
        version: env!("CARGO_PKG_VERSION"),
        input: &report.input,
        is_system: matches!(subject, Some(Subject::System(_))),
        is_spelled,
        source: sources.next().unwrap_or_default(),
        more_sources: sources.collect(),
        strings: tables.strings.iter().collect(),
        enumerations,
        scopes: tables.scopes.values().collect(),
        relevant: tables.relevant.iter().collect(),
        points: tables.points.values().collect(),
        results,
    };
    let text = serde_json::to_string(&data)?;
    // Inside strings, where alone these can be, the escapes mean the same.
    let text = text.replace('<', "\\u003c");
    Ok(text
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}

fn sources(subject: Subject<'_>) -> Vec<SourceRow<'_>> {
    let source: &Source = match subject {
        Subject::Program(program) => &program.source,
        Subject::System(system) => &system.source,
    };
    let files = source.files().into_iter().map(|(name, text)| SourceRow {
        name,
        // A byte order mark has no column.
        text: match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned().into(),
            None => text,
        },
    });
    files.collect()
}

fn enumerations(subject: Subject<'_>) -> Vec<Vec<&str>> {
    let Subject::Program(program) = subject else {
        return Vec::new();
    };
    let names = program.enumerations.iter().map(|enumeration| {
        let names = enumeration.names.iter();
        names.map(|name| program.names.text(*name)).collect()
    });
    names.collect()
}

fn result<'a>(
    report: &'a Report,
    index: usize,
    calls: Calls,
    tables: &mut Tables,
) -> ResultRow<'a> {
    let conclusion = &report.conclusions[index];
    let mut row = ResultRow {
        kind: conclusion.property.kind.name(),
        text: &conclusion.property.text,
        name: conclusion.property.name.as_deref(),
        verdict: match conclusion.verdict {
            Some(Verdict::Holds) => "holds",
            Some(Verdict::Violated) => "violated",
            None => "unknown",
        },
        reason: conclusion.reason.map(|reason| reason.name()),
        seconds: conclusion.time.as_secs_f64(),
        why: None,
        remark: None,
        trace: None,
    };
    let Evidence::Read(list) = &report.evidence else {
        return row;
    };
    let (subject, explanation) = (list[index].ground.subject(), &list[index]);
    let same = |other: &Explanation| other.ground.form.is(&explanation.ground.form);
    tables.form = list.iter().position(same).unwrap_or(index);
    let execution = explanation
        .shown()
        .and_then(|shown| shown.execution.as_ref());
    if let Some(execution) = execution {
        // The places and spellings of each execution are its own.
        tables.form = list.len() + index;
        for names in enumerations(Subject::Program(&execution.program)) {
            let names = names.into_iter().map(str::to_owned).collect();
            tables.enumerations.push(names);
        }
    }
    row.remark = text::remark(&explanation.trace, report.advice);
    if let Some(shown) = explanation.shown() {
        let subject = shown.subject(subject);
        let (trace, is_folded) = trace_row(subject, shown, calls, tables);
        row.trace = Some(trace);
        if is_folded {
            let remark = "calls that return are folded: the page would be too large";
            row.remark.get_or_insert_with(|| remark.to_owned());
        } else {
            // It names steps by numbers that they have in the whole trace.
            row.why = summary::reason(subject, &shown.trace, &shown.annotation);
        }
    }
    row
}

/// A trace, and whether calls in it had to be folded.
fn trace_row<'a>(
    subject: Subject<'a>,
    shown: &'a ShownTrace,
    calls: Calls,
    tables: &mut Tables,
) -> (TraceRow<'a>, bool) {
    let ShownTrace {
        trace, annotation, ..
    } = shown;
    let mut list = StepList::default();
    list.add(items(trace, &trace.stem, 0, Some(0)));
    let stem = list.steps.len();
    list.add(items(trace, &trace.cycle, 0, Some(trace.stem.len())));
    let is_folded = calls == Calls::Folded && list.blocks.is_empty() && list.notes.is_empty();
    let kept = match is_folded {
        true => list.without_calls(),
        false => (0..list.steps.len()).collect(),
    };
    let mut encoder = Encoder::new(subject, trace, tables);
    for (k, i) in kept.iter().enumerate() {
        let (step, number) = &list.steps[*i];
        let note = number.and_then(|number| annotation.steps.get(number));
        let is_left_out = kept.get(k + 1).is_some_and(|next| next - i > 1);
        encoder.step(step, note, is_left_out);
    }
    let around = trace::describe_loop(subject, trace);
    let row = TraceRow {
        stem: kept.iter().filter(|i| **i < stem).count(),
        count: kept.len(),
        globals: list
            .steps
            .first()
            .map_or(0, |(step, _)| encoder.globals(step)),
        threads: trace
            .threads
            .iter()
            .map(|thread| (thread.id, &thread.name[..]))
            .collect(),
        own: match subject {
            Subject::Program(program) => program.threads.as_ref().map_or(&[], |all| &all.own),
            Subject::System(_) => &[],
        },
        steps: encoder.finish(),
        blocks: list.blocks,
        notes: list.notes,
        cycle: Some(around).filter(|around| !around.is_empty()),
        annotations: (!is_folded).then(|| annotations(annotation)),
    };
    (row, is_folded)
}

fn annotations(annotation: &Annotation) -> Annotations<'_> {
    let formula = annotation.formula.as_ref();
    let cause = formula
        .zip(annotation.cause.as_ref())
        .map(|(truth, cause)| {
            let row = |proposition: u32| {
                let name = &truth.propositions[proposition as usize];
                truth.subformulas.iter().position(|text| text == name)
            };
            let pairs = cause
                .iter()
                .filter_map(|blame| Some((blame.step, row(blame.proposition)?)));
            pairs.collect()
        });
    Annotations {
        formula: formula.map(FormulaObject),
        cause: cause.unwrap_or_default(),
        automaton: annotation.automaton.as_ref().map(RunObject),
        watch: annotation.watches.iter().map(watch_row).collect(),
    }
}

fn watch_row(watched: &Watched) -> WatchRow<'_> {
    WatchRow {
        text: &watched.text,
        values: watched
            .values
            .iter()
            .map(|value| value.map(Number))
            .collect(),
    }
}

/// The steps of a trace in a row, what is repeated once.
#[derive(Default)]
struct StepList {
    /// With their numbers in the trace, if they are there.
    steps: Vec<(Step, Option<usize>)>,
    blocks: Vec<(usize, usize, String)>,
    notes: Vec<(usize, String)>,
}

impl StepList {
    fn add(&mut self, items: Vec<Item>) {
        // What is left of each block that is open, where it began, and its rounds.
        let mut open = vec![(items.into_iter(), 0, 0)];
        while let Some((rest, from, rounds)) = open.last_mut() {
            match rest.next() {
                Some(Item::Step(step, number)) => self.steps.push((step, number)),
                Some(Item::Repeated(rounds, items)) => {
                    self.say(format!("{rounds} more rounds like this; the last of them:"));
                    open.push((items.into_iter(), self.steps.len(), rounds));
                }
                Some(Item::Nested(rounds)) => {
                    self.say(format!(
                        "{rounds} more rounds of calls, each inside the one before"
                    ));
                }
                Some(Item::Returned(rounds)) => {
                    self.say(format!("{rounds} more rounds of returns"))
                }
                None => {
                    let block = (
                        *from,
                        self.steps.len().saturating_sub(1),
                        rounds.to_string(),
                    );
                    open.pop();
                    if !open.is_empty() {
                        self.blocks.push(block);
                    }
                }
            }
        }
    }

    fn say(&mut self, note: String) {
        self.notes.push((self.steps.len().saturating_sub(1), note));
    }

    /// The steps that are left if every call that returns is left out.
    fn without_calls(&self) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::new();
        for (i, (step, _)) in self.steps.iter().enumerate() {
            if step.location != Location::Error {
                // What is deeper than this, in the same context, has returned by now.
                let has_returned =
                    |last: &Step| last.thread == step.thread && last.depth > step.depth;
                while kept
                    .last()
                    .is_some_and(|last| has_returned(&self.steps[*last].0))
                {
                    kept.pop();
                }
            }
            kept.push(i);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Valuation;

    /// The numbers of the steps that are kept of some with these depths.
    fn kept(depths: &[u64], fails: bool) -> Vec<usize> {
        let step = |(i, depth): (usize, &u64)| {
            let location = match fails && i + 1 == depths.len() {
                true => Location::Error,
                false => Location::At(0),
            };
            (Step::new(location, *depth, Valuation::new(&[], &[])), None)
        };
        let list = StepList {
            steps: depths.iter().enumerate().map(step).collect(),
            ..StepList::default()
        };
        list.without_calls()
    }

    #[test]
    fn calls_that_return_are_left_out_and_others_are_not() {
        assert_eq!(kept(&[0, 1, 2, 2, 1, 0, 1, 1], false), [0, 5, 6, 7]);
        assert_eq!(kept(&[0, 1, 2, 3, 2, 3], false), [0, 1, 2, 4, 5]);
        assert_eq!(kept(&[0, 1, 2, 1, 0], true), [0, 1, 3, 4]);
    }
}
