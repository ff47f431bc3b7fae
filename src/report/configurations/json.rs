//! Sets of configurations for scripts. The layout is described in `docs/configurations.md`.

use super::{Answer, SetReport, small};
use crate::bdd::Natural;
use crate::configurations::{
    AutomatonDescription, Condition, Diagram, EdgeDescription, StateDescription, SymbolText,
};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};

pub struct Whole<'a>(pub &'a SetReport);

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let asked = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("tool", "derny")?;
        map.serialize_entry("version", env!("CARGO_PKG_VERSION"))?;
        map.serialize_entry("input", &asked.input)?;
        map.serialize_entry("command", asked.command)?;
        map.serialize_entry("sets", &asked.sets)?;
        if let Some(contains) = &asked.contains {
            map.serialize_entry("configuration", contains)?;
        }
        match &asked.answer {
            Answer::Automaton(shown) => map.serialize_entry("automaton", &Automaton(shown))?,
            Answer::Contains(contains) => map.serialize_entry("contains", contains)?,
            Answer::Count(count) => {
                map.serialize_entry("heads", &Number(&count.heads))?;
                let ended = match &count.error {
                    Some(error) => {
                        map.serialize_entry("error", &Number(error))?;
                        "terminated"
                    }
                    None => "empty",
                };
                map.serialize_entry(ended, &Number(&count.terminated))?;
            }
            Answer::Unknown(reason) => map.serialize_entry("unknown", reason.name())?,
        }
        map.end()
    }
}

/// A number, or its digits where it has too many.
struct Number<'a>(&'a Natural);

impl Serialize for Number<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match small(self.0) {
            Some(number) => serializer.serialize_u64(number),
            None => serializer.collect_str(self.0),
        }
    }
}

struct Automaton<'a>(&'a AutomatonDescription);

impl Serialize for Automaton<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.0;
        let mut object = serializer.serialize_map(None)?;
        let states: Vec<_> = shown.states.iter().map(State).collect();
        object.serialize_entry("states", &states)?;
        let has_control_states = !shown.control_states.is_empty();
        let edge = |edge| Edge {
            edge,
            has_control_states,
        };
        let edges: Vec<_> = shown.edges.iter().map(edge).collect();
        object.serialize_entry("edges", &edges)?;
        if has_control_states {
            let empty: Vec<_> = shown.empty.iter().map(Empty).collect();
            object.serialize_entry("empty", &empty)?;
            object.serialize_entry("control_states", &shown.control_states)?;
        } else {
            let ended = [("error", &shown.error), ("terminated", &shown.terminated)];
            for (name, condition) in ended {
                object.serialize_entry(name, &condition.as_ref().map(ConditionObject))?;
            }
        }
        object.end()
    }
}

struct State<'a>(&'a StateDescription);

impl Serialize for State<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let state = self.0;
        let mut object = serializer.serialize_struct("state", 4)?;
        object.serialize_field("kind", state.kind)?;
        object.serialize_field("of", &state.of)?;
        object.serialize_field("variables", &state.variables)?;
        object.serialize_field("accepts", &state.accepts.as_ref().map(ConditionObject))?;
        object.end()
    }
}

/// An empty stack, in a control state.
struct Empty<'a>(&'a (String, Condition));

impl Serialize for Empty<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (state, condition) = self.0;
        let mut object = serializer.serialize_struct("empty", 2)?;
        object.serialize_field("control", state)?;
        object.serialize_field("condition", &ConditionObject(condition))?;
        object.end()
    }
}

struct Edge<'a> {
    edge: &'a EdgeDescription,
    has_control_states: bool,
}

impl Serialize for Edge<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let edge = self.edge;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("from", &edge.from)?;
        if self.has_control_states {
            object.serialize_entry("control", &edge.control)?;
        }
        object.serialize_entry("symbol", &Symbol(&edge.symbol))?;
        object.serialize_entry("condition", &ConditionObject(&edge.condition))?;
        object.serialize_entry("to", &edge.to)?;
        object.end()
    }
}

struct Symbol<'a>(&'a SymbolText);

impl Serialize for Symbol<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let symbol = self.0;
        let mut object = serializer.serialize_struct("symbol", 5)?;
        object.serialize_field("name", &symbol.name)?;
        object.serialize_field("procedure", &symbol.procedure)?;
        object.serialize_field("line", &symbol.line)?;
        object.serialize_field("column", &symbol.column)?;
        object.serialize_field("labels", &symbol.labels)?;
        object.end()
    }
}

struct ConditionObject<'a>(&'a Condition);

impl Serialize for ConditionObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let condition = self.0;
        let mut object = serializer.serialize_struct("condition", 2)?;
        object.serialize_field("text", &condition.text)?;
        object.serialize_field("diagram", &condition.diagram.as_ref().map(DiagramObject))?;
        object.end()
    }
}

struct DiagramObject<'a>(&'a Diagram);

impl Serialize for DiagramObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let diagram = self.0;
        let mut object = serializer.serialize_struct("diagram", 3)?;
        object.serialize_field("variables", &diagram.variables)?;
        object.serialize_field("nodes", &diagram.nodes)?;
        object.serialize_field("root", &diagram.root)?;
        object.end()
    }
}
