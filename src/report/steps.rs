//! Traces as scripts see them: lists of steps, each of them an object.

use super::folded::{Item, items};
use crate::trace::{Trace, TraceStep};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// Who knows what a step looks like.
pub trait StepWriter {
    type Step: TraceStep;

    fn write<T: Serializer>(&self, step: &Self::Step, serializer: T) -> Result<T::Ok, T::Error>;
}

/// A trace without folded rounds. Written as a stream: no step is copied.
pub struct TraceObject<'a, W: StepWriter>(pub &'a W, pub &'a Trace<W::Step>);

impl<W: StepWriter> Serialize for TraceObject<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let mut trace = serializer.serialize_struct("trace", 2)?;
        trace.serialize_field("stem", &Steps(self.0, &self.1.stem))?;
        trace.serialize_field("loop", &Steps(self.0, &self.1.cycle))?;
        trace.end()
    }
}

struct Steps<'a, W: StepWriter>(&'a W, &'a [W::Step]);

impl<W: StepWriter> Serialize for Steps<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self.1.iter().map(|step| StepObject(self.0, step)))
    }
}

struct StepObject<'a, W: StepWriter>(&'a W, &'a W::Step);

impl<W: StepWriter> Serialize for StepObject<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.0.write(self.1, serializer)
    }
}

/// A trace with folded rounds.
pub struct FoldedTrace<'a, W: StepWriter>(pub &'a W, pub &'a Trace<W::Step>);

impl<W: StepWriter> Serialize for FoldedTrace<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let FoldedTrace(writer, trace) = *self;
        let mut folded = serializer.serialize_struct("trace_folded", 2)?;
        folded.serialize_field("stem", &Items(writer, &items(trace, &trace.stem, 0)))?;
        folded.serialize_field("loop", &Items(writer, &items(trace, &trace.cycle, 0)))?;
        folded.end()
    }
}

struct Items<'a, W: StepWriter>(&'a W, &'a [Item<W::Step>]);

impl<W: StepWriter> Serialize for Items<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self.1.iter().map(|item| ItemObject(self.0, item)))
    }
}

struct ItemObject<'a, W: StepWriter>(&'a W, &'a Item<W::Step>);

impl<W: StepWriter> Serialize for ItemObject<'_, W> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        match self.1 {
            Item::Step(step) => self.0.write(step, serializer),
            Item::Repeated(rounds, items) => {
                let mut repeated = serializer.serialize_struct("rounds", 2)?;
                repeated.serialize_field("repeated", rounds)?;
                repeated.serialize_field("steps", &Items(self.0, items))?;
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
