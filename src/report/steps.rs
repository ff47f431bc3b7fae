//! Traces as scripts see them: lists of steps, each of them an object.

use super::folded::{Item, items};
use crate::analysis::Observed;
use crate::trace::{Step, Trace};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use std::io::Write;

/// What traces are of, and knows what they look like.
pub trait TraceWriter {
    /// Writes a trace for people. The values of what is observed matter everywhere.
    fn write_text(
        &self,
        trace: &Trace,
        observed: &[Observed],
        out: &mut impl Write,
    ) -> std::io::Result<()>;

    /// Writes a step of a trace for scripts.
    fn write_step<T: Serializer>(
        &self,
        trace: &Trace,
        step: &Step,
        serializer: T,
    ) -> Result<T::Ok, T::Error>;
}

/// A trace without folded rounds. Written as a stream: no step is copied.
pub struct TraceObject<'a, W: TraceWriter>(pub &'a W, pub &'a Trace);

impl<W: TraceWriter> Serialize for TraceObject<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut trace = serializer.serialize_struct("trace", 2)?;
        trace.serialize_field("stem", &Steps(self.0, self.1, &self.1.stem))?;
        trace.serialize_field("loop", &Steps(self.0, self.1, &self.1.cycle))?;
        trace.end()
    }
}

struct Steps<'a, W: TraceWriter>(&'a W, &'a Trace, &'a [Step]);

impl<W: TraceWriter> Serialize for Steps<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Steps(writer, trace, steps) = *self;
        serializer.collect_seq(steps.iter().map(|step| StepObject(writer, trace, step)))
    }
}

struct StepObject<'a, W: TraceWriter>(&'a W, &'a Trace, &'a Step);

impl<W: TraceWriter> Serialize for StepObject<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.0.write_step(self.1, self.2, serializer)
    }
}

/// A trace with folded rounds.
pub struct FoldedTrace<'a, W: TraceWriter>(pub &'a W, pub &'a Trace);

impl<W: TraceWriter> Serialize for FoldedTrace<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let FoldedTrace(writer, trace) = *self;
        let mut folded = serializer.serialize_struct("trace_folded", 2)?;
        folded.serialize_field("stem", &Items(writer, trace, &items(trace, &trace.stem, 0)))?;
        folded.serialize_field(
            "loop",
            &Items(writer, trace, &items(trace, &trace.cycle, 0)),
        )?;
        folded.end()
    }
}

struct Items<'a, W: TraceWriter>(&'a W, &'a Trace, &'a [Item]);

impl<W: TraceWriter> Serialize for Items<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Items(writer, trace, items) = *self;
        serializer.collect_seq(items.iter().map(|item| ItemObject(writer, trace, item)))
    }
}

struct ItemObject<'a, W: TraceWriter>(&'a W, &'a Trace, &'a Item);

impl<W: TraceWriter> Serialize for ItemObject<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let ItemObject(writer, trace, item) = *self;
        match item {
            Item::Step(step) => writer.write_step(trace, step, serializer),
            Item::Repeated(rounds, items) => {
                let mut repeated = serializer.serialize_struct("rounds", 2)?;
                repeated.serialize_field("repeated", rounds)?;
                repeated.serialize_field("steps", &Items(writer, trace, items))?;
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
