//! Results as JSON, for scripts. The layout is a contract.
//!
//! Written as a stream: a trace of a hundred thousand steps is never copied.

use super::failure::explain;
use super::folded::shown;
use super::steps::{FoldedTrace, StepWriter, TraceObject};
use super::values::{Variables, Words, returned};
use super::{Checked, ReportedResult, Results};
use crate::check::{Execution, TraceFinding, Verdict};
use crate::interpreter::failure::Reason;
use crate::interpreter::trace::{Location, Step, Trace};
use crate::program::Program;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};
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
        match (&result.finding.trace, results.checked) {
            (TraceFinding::Found(Execution::Program(trace)), Some(Checked::Program(program))) => {
                let steps = ProgramSteps::new(program, trace);
                one.serialize_field("trace", &TraceObject(&steps, trace))?;
            }
            (TraceFinding::Found(Execution::System(trace)), Some(Checked::System(system))) => {
                one.serialize_field("trace", &TraceObject(system, trace))?;
            }
            (TraceFinding::TooLong(steps), _) => {
                one.serialize_field("trace", &())?;
                one.serialize_field("trace_omitted", steps)?;
            }
            (TraceFinding::TooDeep, _) => {
                one.serialize_field("trace", &())?;
                one.serialize_field("trace_too_deep", &true)?;
            }
            (TraceFinding::Repeating(steps, execution), checked) => {
                one.serialize_field("trace", &())?;
                one.serialize_field("trace_omitted", steps)?;
                match (execution, checked) {
                    (Execution::Program(trace), Some(Checked::Program(program))) => {
                        let trace = &*shown(trace, true);
                        let steps = ProgramSteps::new(program, trace);
                        one.serialize_field("trace_folded", &FoldedTrace(&steps, trace))?;
                    }
                    (Execution::System(trace), Some(Checked::System(system))) => {
                        one.serialize_field(
                            "trace_folded",
                            &FoldedTrace(system, &shown(trace, true)),
                        )?;
                    }
                    _ => {}
                }
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

/// Writes the steps of a program.
struct ProgramSteps<'a> {
    program: &'a Program,
    /// Why the program is in *error*, if it is.
    reason: Option<String>,
}

impl<'a> ProgramSteps<'a> {
    fn new(program: &'a Program, trace: &Trace) -> Self {
        // A failed assertion needs no explanation.
        let failure = trace.failure.as_ref();
        let failure = failure.filter(|failure| failure.reason != Reason::Assertion);
        ProgramSteps {
            program,
            reason: failure.map(|failure| explain(program, failure)),
        }
    }
}

impl StepWriter for ProgramSteps<'_> {
    type Step = Step;

    fn write<S: Serializer>(&self, step: &Step, serializer: S) -> Result<S::Ok, S::Error> {
        let ProgramSteps { program, reason } = self;
        let mut map = serializer.serialize_map(None)?;
        let procedure = match step.location {
            Location::At(point) => Some(program.procedure_of(point)),
            Location::Error | Location::Terminated => None,
        };
        match step.location {
            Location::At(point) => {
                let procedure = program.procedure_of(point);
                let position = program.position_of(point);
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
        let globals = Variables {
            words: Words::from(*program),
            cells: &program.globals,
            declarations: &program.declarations,
            values: step.valuation.globals(),
        };
        map.serialize_entry("globals", &globals)?;
        let locals = Variables {
            cells: procedure.map_or(&[], |procedure| &procedure.locals),
            declarations: procedure.map_or(&[], |procedure| &procedure.declarations),
            values: step.valuation.locals(),
            ..globals
        };
        map.serialize_entry("locals", &locals)?;
        if let Some((procedure, values)) = procedure.zip(step.returns.as_deref()) {
            let (domains, shapes) = (&procedure.returns, &procedure.return_shapes);
            map.serialize_entry("returns", &returned(globals.words, domains, shapes, values))?;
        }
        if let Some(reason) = reason.as_ref().filter(|_| step.location == Location::Error) {
            map.serialize_entry("reason", reason)?;
        }
        if step.folded.is_some() {
            map.serialize_entry("folded", &true)?;
        }
        map.end()
    }
}
