//! Traces as scripts see them: lists of steps, each of them an object.

use super::failure::explain;
use super::folded::{Item, items};
use super::place::{in_scope, place};
use super::values::returned;
use crate::program::PointId;
use crate::rules::Subject;
use crate::trace::failure::Reason;
use crate::trace::{Location, Step, Trace};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};

fn write_step<T: Serializer>(
    subject: Subject<'_>,
    trace: &Trace,
    step: &Step,
    serializer: T,
) -> Result<T::Ok, T::Error> {
    let mut map = serializer.serialize_map(None)?;
    let place = place(subject, step);
    map.serialize_entry("procedure", place.procedure)?;
    map.serialize_entry("point", place.point)?;
    map.serialize_entry("line", &place.position.map_or(0, |position| position.line))?;
    map.serialize_entry(
        "column",
        &place.position.map_or(0, |position| position.column),
    )?;
    map.serialize_entry("labels", &place.labels)?;
    map.serialize_entry("text", &place.text)?;
    map.serialize_entry("depth", &step.depth)?;
    let [globals, locals] = in_scope(subject, step);
    map.serialize_entry("globals", &globals)?;
    map.serialize_entry("locals", &locals)?;
    if let Subject::Program(program) = subject {
        let procedure = step.at().map(|point| program.procedure_of(PointId(point)));
        if let Some((procedure, values)) = procedure.zip(step.returns.as_deref()) {
            let (domains, shapes) = (&procedure.returns, &procedure.return_shapes);
            map.serialize_entry("returns", &returned(globals.words, domains, shapes, values))?;
        }
        // A failed assertion needs no explanation.
        if let Some(failure) = &trace.failure
            && failure.reason != Reason::Assertion
            && step.location == Location::Error
        {
            map.serialize_entry("reason", &explain(program, failure))?;
        }
    }
    if step.folded.is_some() {
        map.serialize_entry("folded", &true)?;
    }
    map.end()
}

/// A trace without folded rounds. Written as a stream: no step is copied.
pub struct TraceObject<'a>(pub Subject<'a>, pub &'a Trace);

impl Serialize for TraceObject<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut trace = serializer.serialize_struct("trace", 2)?;
        trace.serialize_field("stem", &Steps(self.0, self.1, &self.1.stem))?;
        trace.serialize_field("loop", &Steps(self.0, self.1, &self.1.cycle))?;
        trace.end()
    }
}

struct Steps<'a>(Subject<'a>, &'a Trace, &'a [Step]);

impl Serialize for Steps<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Steps(subject, trace, steps) = *self;
        serializer.collect_seq(steps.iter().map(|step| StepObject(subject, trace, step)))
    }
}

struct StepObject<'a>(Subject<'a>, &'a Trace, &'a Step);

impl Serialize for StepObject<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        write_step(self.0, self.1, self.2, serializer)
    }
}

/// A trace with folded rounds.
pub struct FoldedTrace<'a>(pub Subject<'a>, pub &'a Trace);

impl Serialize for FoldedTrace<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let FoldedTrace(subject, trace) = *self;
        let mut folded = serializer.serialize_struct("trace_folded", 2)?;
        folded.serialize_field(
            "stem",
            &Items(subject, trace, &items(trace, &trace.stem, 0)),
        )?;
        folded.serialize_field(
            "loop",
            &Items(subject, trace, &items(trace, &trace.cycle, 0)),
        )?;
        folded.end()
    }
}

struct Items<'a>(Subject<'a>, &'a Trace, &'a [Item]);

impl Serialize for Items<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Items(subject, trace, items) = *self;
        serializer.collect_seq(items.iter().map(|item| ItemObject(subject, trace, item)))
    }
}

struct ItemObject<'a>(Subject<'a>, &'a Trace, &'a Item);

impl Serialize for ItemObject<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let ItemObject(subject, trace, item) = *self;
        match item {
            Item::Step(step) => write_step(subject, trace, step, serializer),
            Item::Repeated(rounds, items) => {
                let mut repeated = serializer.serialize_struct("rounds", 2)?;
                repeated.serialize_field("repeated", rounds)?;
                repeated.serialize_field("steps", &Items(subject, trace, items))?;
                repeated.end()
            }
            Item::Nested(rounds) => one_field("nested", *rounds, serializer),
            Item::Returned(rounds) => one_field("returned", *rounds, serializer),
        }
    }
}

fn one_field<T: Serializer>(name: &'static str, value: u64, to: T) -> Result<T::Ok, T::Error> {
    let mut object = to.serialize_struct(name, 1)?;
    object.serialize_field(name, &value)?;
    object.end()
}
