//! What is checked as a graph, as text to read and as a Graphviz graph to look at: of a program its
//! control flow (`flow`), of a pushdown system its rules (`system`).
//!
//! Both forms show the same, in linear time but for the sets of live variables. Of a large input
//! one procedure can be shown, or only who calls whom.

mod calls;
mod dot;
mod flow;
mod listing;
mod system;

use crate::model::Model;
use crate::report::harmless::shortened;
use crate::rules::Subject;
use flow::ControlFlow;
use std::io::{self, Write};
use system::RuleGraph;

/// Longer texts are cut in pictures.
const LONGEST: usize = 48;

fn cut(text: &str) -> String {
    shortened(text, LONGEST)
}

/// The graph of a model, before any of its states is looked at.
pub struct Graph<'a>(Kind<'a>);

enum Kind<'a> {
    Flow(Box<ControlFlow<'a>>),
    Rules(RuleGraph<'a>),
}

impl Model {
    /// The control-flow graph of a program, or the rules of a pushdown system as a graph.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = derny::Model::read("examples/brackets.pds")?;
    /// let mut text = Vec::new();
    /// model.graph().write_text(&mut text)?;
    /// assert!(String::from_utf8(text)?.contains("push"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn graph(&self) -> Graph<'_> {
        Graph(match self.subject() {
            Subject::Program(program) => Kind::Flow(Box::new(ControlFlow::of(program))),
            Subject::System(system) => Kind::Rules(RuleGraph::of(system)),
        })
    }
}

impl Graph<'_> {
    /// Writes it as text to read.
    pub fn write_text(&self, mut out: impl Write) -> io::Result<()> {
        match &self.0 {
            Kind::Flow(flow) => listing::write(flow, &mut out),
            Kind::Rules(rules) => system::listing::write(rules, &mut out),
        }
    }

    /// Writes it for Graphviz.
    pub fn write_dot(&self, mut out: impl Write) -> io::Result<()> {
        match &self.0 {
            Kind::Flow(flow) => dot::write(flow, &mut out),
            Kind::Rules(rules) => system::dot::write(rules, &mut out),
        }
    }

    /// The graph of one procedure alone, or of the frames of a pushdown system in which a symbol
    /// can be; `None` if there is none of that name.
    pub fn procedure(self, name: &str) -> Option<Self> {
        Some(Graph(match self.0 {
            Kind::Flow(flow) => Kind::Flow(Box::new(flow.procedure(name)?)),
            Kind::Rules(rules) => Kind::Rules(rules.frames_with(name)?),
        }))
    }

    /// Writes who calls whom, a line a procedure; of a pushdown system, which frames push which.
    pub fn write_calls(&self, mut out: impl Write) -> io::Result<()> {
        match &self.0 {
            Kind::Flow(flow) => calls::write_text(flow, &mut out),
            Kind::Rules(rules) => system::listing::write_pushes(rules, &mut out),
        }
    }

    /// Writes who calls whom, for Graphviz.
    pub fn write_calls_dot(&self, mut out: impl Write) -> io::Result<()> {
        match &self.0 {
            Kind::Flow(flow) => calls::write_dot(flow, &mut out),
            Kind::Rules(rules) => system::dot::write_pushes(rules, &mut out),
        }
    }
}
