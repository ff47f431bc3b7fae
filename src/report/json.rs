//! Results as JSON, for scripts. The layout is a contract.
//!
//! Written as a stream: a trace of a hundred thousand steps is never copied.

use super::annotation::{Annotation, Blame, Run, Truth, Watched};
use super::steps::{Trace, TraceObject};
use super::{CRemarks, Conclusion, Evidence, Explanation, Report, ShownTrace};
use crate::abstraction::Summary;
use crate::check::{Phase, TraceFinding, Verdict};
use crate::program::{Boundary, BoundaryKind};
use crate::property::Request;
use crate::rules::Subject;
use crate::threads::{Bound, Measure};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

/// Writes one object and a line break.
pub fn write(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, &Whole(report))?;
    writeln!(out)
}

struct Whole<'a>(&'a Report);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let mut whole = serializer.serialize_struct("derny", 5)?;
        whole.serialize_field("tool", "derny")?;
        whole.serialize_field("version", env!("CARGO_PKG_VERSION"))?;
        // Another number only when a key goes or changes its meaning.
        whole.serialize_field("schema", &1)?;
        whole.serialize_field("input", &report.input)?;
        if let Some(CRemarks { files, assumed }) = &report.c {
            whole.serialize_field("files", files)?;
            whole.serialize_field("assumed", assumed)?;
        }
        let list: Vec<_> = (0..report.conclusions.len())
            .map(|i| One(report, i))
            .collect();
        whole.serialize_field("results", &list)?;
        whole.end()
    }
}

struct One<'a>(&'a Report, usize);

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let One(report, index) = *self;
        let conclusion = &report.conclusions[index];
        let mut one = serializer.serialize_struct("result", 6)?;
        one.serialize_field("property", &PropertyObject(&conclusion.property))?;
        let verdict = match conclusion.verdict {
            Some(Verdict::Holds) => "holds",
            Some(Verdict::Violated) => "violated",
            None => "unknown",
        };
        one.serialize_field("verdict", verdict)?;
        one.serialize_field("reason", &conclusion.reason.map(|reason| reason.name()))?;
        one.serialize_field("bound", &conclusion.bound.map(BoundObject))?;
        let of = |is_outside: bool| {
            let boundaries = conclusion.boundaries.iter();
            let boundaries =
                boundaries.filter(move |one| (one.kind != BoundaryKind::Undefined) == is_outside);
            boundaries.map(BoundaryObject).collect::<Vec<_>>()
        };
        for (key, list) in [("outside", of(true)), ("cut_off", of(false))] {
            match list.is_empty() {
                true => one.skip_field(key)?,
                false => one.serialize_field(key, &list)?,
            }
        }
        let summary = conclusion.abstraction.as_ref();
        one.serialize_field("abstraction", &summary.map(SummaryObject))?;
        match &report.evidence {
            Evidence::Unread => one.serialize_field("trace", &())?,
            Evidence::Read(list) => {
                let subject = list[index].ground.subject();
                explanation(subject, &list[index], list[index].shown(), &mut one)?;
            }
        }
        one.serialize_field("stats", &StatisticsObject(report, conclusion))?;
        one.end()
    }
}

struct BoundaryObject<'a>(&'a Boundary);

impl Serialize for BoundaryObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Boundary {
            file,
            line,
            column,
            what,
            ..
        } = self.0;
        let mut place = serializer.serialize_struct("place", 4)?;
        place.serialize_field("file", file)?;
        place.serialize_field("line", line)?;
        place.serialize_field("column", column)?;
        place.serialize_field("what", what)?;
        place.end()
    }
}

struct SummaryObject<'a>(&'a Summary);

impl Serialize for SummaryObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Summary {
            rounds,
            predicates,
            solver_calls,
            seconds,
            ..
        } = self.0;
        let mut summary = serializer.serialize_struct("abstraction", 5)?;
        summary.serialize_field("method", "predicates")?;
        summary.serialize_field("rounds", rounds)?;
        let scopes = predicates.iter().map(|(scope, texts)| (scope, texts));
        summary.serialize_field("predicates", &BTreeMap::from_iter(scopes))?;
        summary.serialize_field("solver_calls", solver_calls)?;
        let parts = [
            ("abstraction", seconds.abstraction),
            ("check", seconds.check),
            ("path", seconds.path),
            ("discovery", seconds.discovery),
        ];
        let parts = parts.map(|(name, time)| (name, time.as_secs_f64()));
        summary.serialize_field("seconds", &BTreeMap::from(parts))?;
        summary.end()
    }
}

struct BoundObject(Bound);

impl Serialize for BoundObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bound = serializer.serialize_struct("bound", 3)?;
        let kind = match self.0.measure {
            Measure::Switches => "switches",
            Measure::Rounds => "rounds",
        };
        bound.serialize_field("kind", kind)?;
        bound.serialize_field("value", &self.0.value)?;
        bound.serialize_field("complete", &self.0.complete)?;
        bound.end()
    }
}

/// The trace, and why it is not there or not complete.
fn explanation<S: SerializeStruct>(
    subject: Subject<'_>,
    explanation: &Explanation,
    shown: Option<&ShownTrace>,
    one: &mut S,
) -> Result<(), S::Error> {
    let annotated = shown.map(|shown| shown.annotated(subject));
    match (&explanation.trace, annotated) {
        (TraceFinding::Found(_), Some(annotated)) => {
            one.serialize_field("trace", &TraceObject(annotated))?;
            return annotations(annotated.annotation, one);
        }
        _ => one.serialize_field("trace", &())?,
    }
    match &explanation.trace {
        TraceFinding::None | TraceFinding::Found(_) => {}
        TraceFinding::TooLong(steps) => one.serialize_field("trace_omitted", steps)?,
        TraceFinding::TooDeep => one.serialize_field("trace_too_deep", &true)?,
        TraceFinding::Repeating(steps, _) => {
            one.serialize_field("trace_omitted", steps)?;
            if let Some(annotated) = annotated {
                one.serialize_field("trace_folded", &Trace::new(annotated))?;
            }
        }
    }
    Ok(())
}

/// What is known of a trace as a whole.
fn annotations<S: SerializeStruct>(annotation: &Annotation, one: &mut S) -> Result<(), S::Error> {
    if let Some(formula) = &annotation.formula {
        one.serialize_field("formula", &FormulaObject(formula))?;
        if let Some(cause) = &annotation.cause {
            let name = |blame: &Blame| &formula.propositions[blame.proposition as usize];
            let pairs: Vec<_> = cause
                .iter()
                .map(|blame| (blame.step, name(blame)))
                .collect();
            one.serialize_field("cause", &pairs)?;
        }
    }
    if let Some(run) = &annotation.automaton {
        one.serialize_field("automaton", &RunObject(run))?;
    }
    if !annotation.watches.is_empty() {
        let watches: Vec<_> = annotation.watches.iter().map(WatchObject).collect();
        one.serialize_field("watch", &watches)?;
    }
    Ok(())
}

/// The truth of a formula's subformulas.
pub struct FormulaObject<'a>(pub &'a Truth);

impl Serialize for FormulaObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = |values: &Vec<bool>| -> String {
            let digit = |value: &bool| if *value { '1' } else { '0' };
            values.iter().map(digit).collect()
        };
        let truth: Vec<_> = self.0.truth.iter().map(digits).collect();
        let mut formula = serializer.serialize_struct("formula", 2)?;
        formula.serialize_field("subformulas", &self.0.subformulas)?;
        formula.serialize_field("truth", &truth)?;
        formula.end()
    }
}

/// An automaton and its run.
pub struct RunObject<'a>(pub &'a Run);

impl Serialize for RunObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut automaton = serializer.serialize_struct("automaton", 2)?;
        automaton.serialize_field("hoa", &self.0.hoa)?;
        automaton.serialize_field("run", &self.0.states)?;
        automaton.end()
    }
}

struct WatchObject<'a>(&'a Watched);

impl Serialize for WatchObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut watch = serializer.serialize_struct("watch", 2)?;
        watch.serialize_field("text", &self.0.text)?;
        watch.serialize_field("values", &self.0.values)?;
        watch.end()
    }
}

struct PropertyObject<'a>(&'a Request);

impl Serialize for PropertyObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut property = serializer.serialize_struct("property", 3)?;
        property.serialize_field("kind", self.0.kind.name())?;
        property.serialize_field("text", &self.0.text)?;
        property.serialize_field("name", &self.0.name)?;
        property.end()
    }
}

struct StatisticsObject<'a>(&'a Report, &'a Conclusion);

impl Serialize for StatisticsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StatisticsObject(report, conclusion) = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seconds", &conclusion.time.as_secs_f64())?;
        if report.is_measured {
            let sizes = &report.statistics;
            map.serialize_entry("peak_live_nodes", &sizes.peak_live_nodes)?;
            map.serialize_entry("operations", &sizes.operations)?;
            map.serialize_entry("procedures", &sizes.procedures)?;
            map.serialize_entry("points", &sizes.points)?;
            map.serialize_entry("rules", &sizes.rules)?;
            map.serialize_entry("edges", &sizes.edges)?;
            map.serialize_entry("reached_points", &sizes.reached_points)?;
            map.serialize_entry("bdd_variables", &sizes.bdd_variables)?;
            map.serialize_entry("phases", &Phases(&report.phases))?;
        }
        map.end()
    }
}

struct Phases<'a>(&'a [(Phase, Duration)]);

impl Serialize for Phases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let phases = self.0.iter();
        serializer.collect_map(phases.map(|(phase, time)| (phase.name(), time.as_secs_f64())))
    }
}
