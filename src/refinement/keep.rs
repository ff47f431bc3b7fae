//! Rounds as files: `N.bp`, `N.predicates`, and, if the boolean program fails, `N.trace.json`.

use crate::abstraction::build::Abstract;
use crate::abstraction::text::text;
use crate::abstraction::{Origin, Summary};
use crate::error::Error;
use crate::program::{PointId, Program};
use crate::trace::{Step, Trace};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where rounds are written to.
pub struct Keeper<'k> {
    pub folder: &'k Path,
    pub round: u64,
    /// The program that is looked at.
    pub program: &'k Program,
}

/// A step of an abstract trace.
#[derive(Serialize)]
struct StepObject<'s> {
    function: &'s str,
    line: u32,
    column: u32,
    text: String,
    depth: u64,
    /// By the name of the variable of the boolean program.
    values: BTreeMap<&'s str, bool>,
}

impl Keeper<'_> {
    fn write(&self, extension: &str, content: &[u8]) -> Result<(), Error> {
        let path: PathBuf = self.folder.join(format!("{}.{extension}", self.round));
        std::fs::write(&path, content).map_err(|error| Error::Read(path, error))
    }

    /// Before a round is decided.
    pub fn begin(&self, boolean: &Abstract, summary: &Summary) -> Result<(), Error> {
        self.write("bp", text(boolean).as_bytes())?;
        let lines: String = summary.lines().map(|line| line + "\n").collect();
        self.write("predicates", lines.as_bytes())
    }

    /// The trace of a boolean program that fails.
    pub fn trace(&self, boolean: &Abstract, trace: &Trace) -> Result<(), Error> {
        let steps = trace.stem.iter().chain(&trace.cycle);
        let steps: Vec<StepObject<'_>> =
            steps.filter_map(|step| self.step(boolean, step)).collect();
        let json = serde_json::to_vec_pretty(&steps);
        let json = json.map_err(|error| Error::Internal(error.to_string()))?;
        self.write("trace.json", &json)
    }

    fn step<'s>(&'s self, boolean: &'s Abstract, step: &Step) -> Option<StepObject<'s>> {
        let at = PointId(step.at()?);
        let point = match boolean.origins[at.0 as usize] {
            Origin::Goal(point)
            | Origin::Fork(point)
            | Origin::Edge(point, _)
            | Origin::Call(point)
            | Origin::ForkResumed(point)
            | Origin::Resumed(point, _) => point,
            Origin::Failed | Origin::Leaving => return None,
        };
        let position = self.program.position_of(point);
        let procedure = boolean.program.point(at).procedure;
        let cells = boolean.program.globals.iter().zip(step.valuation.globals());
        let locals = &boolean.program.procedure(procedure).locals;
        let cells = cells.chain(locals.iter().zip(step.valuation.locals()));
        let values =
            cells.map(|(cell, value)| (boolean.program.names.text(cell.name), *value != 0));
        Some(StepObject {
            function: self
                .program
                .names
                .text(self.program.procedure(procedure).name),
            line: position.line,
            column: position.column,
            text: self.program.text_of(point).into_owned(),
            depth: step.depth,
            values: values.collect(),
        })
    }
}
