//! Results as JSON, for scripts. The layout is a contract.
//!
//! Written as a stream: a trace of a hundred thousand steps is never copied.

use super::{ReportedResult, Results};
use crate::check::{TraceFinding, Verdict};
use crate::interpreter::replay::{Location, Step, Trace};
use crate::program::{Cell, Program};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, SerializeStruct, Serializer};
use std::io::Write;

/// Writes one object and a line break.
pub fn write(results: &Results<'_>, out: &mut impl Write) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, &Whole(results))?;
    writeln!(out)
}

struct Whole<'a>(&'a Results<'a>);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let results = self.0;
        let mut whole = serializer.serialize_struct("derny", 4)?;
        whole.serialize_field("tool", "derny")?;
        whole.serialize_field("version", env!("CARGO_PKG_VERSION"))?;
        whole.serialize_field("input", results.input)?;
        let list: Vec<_> = results.list.iter().map(|r| One(results, r)).collect();
        whole.serialize_field("results", &list)?;
        whole.end()
    }
}

struct One<'a>(&'a Results<'a>, &'a ReportedResult<'a>);

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let One(results, result) = *self;
        let mut one = serializer.serialize_struct("result", 6)?;
        one.serialize_field("property", &PropertyObject(result))?;
        let verdict = match result.finding.verdict {
            Some(Verdict::Holds) => "holds",
            Some(Verdict::Violated) => "violated",
            None => "unknown",
        };
        one.serialize_field("verdict", verdict)?;
        one.serialize_field("reason", &result.reason.map(|reason| reason.name()))?;
        match (&result.finding.trace, results.program) {
            (TraceFinding::Found(trace), Some(program)) => {
                one.serialize_field("trace", &TraceObject(program, trace))?;
            }
            (TraceFinding::TooLong(steps), _) => {
                one.serialize_field("trace", &())?;
                one.serialize_field("trace_omitted", steps)?;
            }
            _ => one.serialize_field("trace", &())?,
        }
        one.serialize_field("stats", &StatisticsObject(results, result))?;
        one.end()
    }
}

struct PropertyObject<'a>(&'a ReportedResult<'a>);

impl Serialize for PropertyObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let request = self.0.request;
        let mut property = serializer.serialize_struct("property", 3)?;
        property.serialize_field("kind", request.kind.name())?;
        property.serialize_field("text", &request.text)?;
        property.serialize_field("name", &request.name)?;
        property.end()
    }
}

struct StatisticsObject<'a>(&'a Results<'a>, &'a ReportedResult<'a>);

impl Serialize for StatisticsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("seconds", &self.1.finding.time.as_secs_f64())?;
        if let Some(measured) = &self.0.measured {
            let sizes = &measured.statistics;
            map.serialize_entry("peak_live_nodes", &sizes.peak_live_nodes)?;
            map.serialize_entry("operations", &sizes.operations)?;
            map.serialize_entry("procedures", &sizes.procedures)?;
            map.serialize_entry("points", &sizes.points)?;
            map.serialize_entry("rules", &sizes.rules)?;
            map.serialize_entry("edges", &sizes.edges)?;
            map.serialize_entry("reached_points", &sizes.reached_points)?;
            map.serialize_entry("bdd_variables", &sizes.bdd_variables)?;
            map.serialize_entry("phases", &Phases(&measured.phases))?;
        }
        map.end()
    }
}

struct Phases<'a>(&'a [(&'static str, f64)]);

impl Serialize for Phases<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

struct TraceObject<'a>(&'a Program, &'a Trace);

impl Serialize for TraceObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut trace = serializer.serialize_struct("trace", 2)?;
        trace.serialize_field("stem", &Steps(self.0, &self.1.stem))?;
        trace.serialize_field("loop", &Steps(self.0, &self.1.cycle))?;
        trace.end()
    }
}

struct Steps<'a>(&'a Program, &'a [Step]);

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.1.len()))?;
        for step in self.1 {
            list.serialize_element(&StepObject(self.0, step))?;
        }
        list.end()
    }
}

struct StepObject<'a>(&'a Program, &'a Step);

impl Serialize for StepObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let StepObject(program, step) = *self;
        let names = |list: &'_ [Cell]| -> Vec<&str> {
            list.iter()
                .map(|cell| program.names.text(cell.name))
                .collect()
        };
        let mut map = serializer.serialize_map(None)?;
        let mut locals = Vec::new();
        match step.location {
            Location::At(point) => {
                let procedure = program.procedure_of(point);
                let position = program.position_of(point);
                locals = names(&procedure.locals);
                map.serialize_entry("procedure", program.names.text(procedure.name))?;
                let kind = match point == procedure.exit() {
                    true => "exit",
                    false => "statement",
                };
                map.serialize_entry("point", kind)?;
                map.serialize_entry("line", &position.line)?;
                map.serialize_entry("column", &position.column)?;
                map.serialize_entry("labels", &program.labels_of(point).collect::<Vec<_>>())?;
                map.serialize_entry("text", &program.text_of(point))?;
            }
            Location::Error | Location::Terminated => {
                let point = match step.location {
                    Location::Error => "error",
                    _ => "terminated",
                };
                map.serialize_entry("procedure", "")?;
                map.serialize_entry("point", point)?;
                map.serialize_entry("line", &0)?;
                map.serialize_entry("column", &0)?;
                map.serialize_entry("labels", &[""; 0])?;
                map.serialize_entry("text", "")?;
            }
        }
        map.serialize_entry("depth", &step.depth)?;
        let globals = names(&program.globals);
        map.serialize_entry("globals", &Valued(&globals, step.valuation.globals()))?;
        map.serialize_entry("locals", &Valued(&locals, step.valuation.locals()))?;
        if let Some(returns) = &step.returns {
            let returns: Vec<u8> = returns.iter().map(|value| u8::from(*value)).collect();
            map.serialize_entry("returns", &returns)?;
        }
        if step.folded.is_some() {
            map.serialize_entry("folded", &true)?;
        }
        map.end()
    }
}

struct Valued<'a>(&'a [&'a str], &'a [bool]);

impl Serialize for Valued<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.1.iter().map(|value| u8::from(*value));
        serializer.collect_map(self.0.iter().zip(values))
    }
}
