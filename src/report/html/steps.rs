//! The steps of a trace as a row of numbers.
//!
//! A step is its place, a word of flags, and for each flag what belongs to it. Values are
//! written where they differ: globals from the step before, locals from what the same frame
//! had when it was on top last, and in a new frame from 0. So a step costs a few bytes,
//! however many variables there are, and a frame that was left is never taken for a later one
//! at the same depth.

use super::scopes::scope;
use super::tables::{PointKey, PointRow, ScopeKey, Tables};
use crate::program::PointId;
use crate::pushdown::step::state_of;
use crate::pushdown::{RuleId, System};
use crate::report::annotation::StepNote;
use crate::report::failure::explain;
use crate::report::place::{frame_kind, in_scope, place};
use crate::report::steps::StepKind;
use crate::report::threads::is_exclusive;
use crate::report::values::{Variables, returned};
use crate::rules::Subject;
use crate::trace::{Fold, Location, Step, Trace, Valuation};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::ser::Serializer;

/// What follows, in this order.
mod flag {
    pub const DEPTH: i128 = 1;
    pub const FRESH: i128 = 2;
    pub const CHANGES: i128 = 4;
    pub const RELEVANT: i128 = 8;
    pub const BRANCH: i128 = 16;
    pub const CHOICE: i128 = 32;
    pub const RETURNS: i128 = 64;
    pub const FOLDED: i128 = 128;
    pub const WAITING: i128 = 256;
    pub const THREAD: i128 = 512;
    pub const EXCLUSIVE: i128 = 1024;
}

/// Up to here scripts have exact numbers.
const EXACT: i128 = 1 << 53;

#[derive(Default)]
pub struct Codes(Vec<i128>);

/// A number; beyond what scripts have exactly it is a string.
pub struct Number(pub i128);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.0) {
            Ok(number) if self.0.abs() < EXACT => serializer.serialize_i64(number),
            _ => serializer.collect_str(&self.0),
        }
    }
}

impl Serialize for Codes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|code| Number(*code)))
    }
}

impl Codes {
    fn push(&mut self, number: usize) {
        self.0.push(number as i128);
    }

    /// How many numbers follow, and these.
    fn list(&mut self, numbers: &[usize]) {
        self.push(numbers.len());
        numbers.iter().for_each(|number| self.push(*number));
    }
}

/// A frame of the stack, as it was when it was on top last.
struct Frame {
    depth: u64,
    scope: usize,
    valuation: Valuation,
}

pub struct Encoder<'a> {
    subject: Subject<'a>,
    trace: &'a Trace,
    tables: &'a mut Tables,
    /// The frames of each thread.
    frames: FxHashMap<u32, Vec<Frame>>,
    /// The running thread.
    thread: u32,
    depth: u64,
    globals: Vec<u64>,
    relevant: Option<usize>,
    codes: Codes,
}

impl<'a> Encoder<'a> {
    pub fn new(subject: Subject<'a>, trace: &'a Trace, tables: &'a mut Tables) -> Self {
        Encoder {
            subject,
            trace,
            tables,
            frames: FxHashMap::default(),
            thread: 0,
            depth: 0,
            globals: Vec::new(),
            relevant: None,
            codes: Codes::default(),
        }
    }

    pub fn finish(self) -> Codes {
        self.codes
    }

    /// The number of the globals' scope.
    pub fn globals(&mut self, step: &Step) -> usize {
        let [globals, _] = in_scope(self.subject, step);
        self.scope(ScopeKey::Globals, "", globals)
    }

    fn scope(&mut self, key: ScopeKey, name: &str, variables: Variables<'_>) -> usize {
        let key = (self.tables.form, key);
        if let Some(number) = self.tables.scopes.get_index_of(&key) {
            return number;
        }
        // Of the execution that is being written, the list is the last one.
        let first = self.tables.enumerations.len().saturating_sub(1);
        self.tables
            .scopes
            .insert_full(key, scope(name, variables, first))
            .0
    }

    /// Adds a step. Calls that are folded by whoever asks are marked by `is_folded`.
    pub fn step(&mut self, step: &Step, note: Option<&StepNote>, is_folded: bool) {
        let point = self.point(step);
        self.codes.push(point);
        let at = self.codes.0.len();
        self.codes.push(0);
        let mut flags = 0;
        if step.thread != self.thread {
            flags |= flag::THREAD;
            self.codes.push(step.thread as usize);
            self.thread = step.thread;
        }
        if step.depth != self.depth {
            flags |= flag::DEPTH;
            self.codes
                .0
                .push(i128::from(step.depth) - i128::from(self.depth));
            self.depth = step.depth;
        }
        let scope = self.tables.points[point].scope;
        let before = self.enter(step, scope);
        if let Frames::Replaced = before {
            flags |= flag::FRESH;
        }
        flags |= self.changes(step, before);
        if let Some(note) = note {
            flags |= self.note(note);
        }
        if let Some(returns) = self.returns(step) {
            flags |= flag::RETURNS;
            let returns = self.tables.string(&returns);
            self.codes.push(returns);
        }
        if is_exclusive(self.subject, step) {
            flags |= flag::EXCLUSIVE;
        }
        if is_folded || matches!(step.folded, Some(Fold::Call(_))) {
            flags |= flag::FOLDED;
        }
        if let Subject::System(system) = self.subject {
            flags |= self.waiting(system, step);
        }
        self.codes.0[at] = flags;
    }

    fn point(&mut self, step: &Step) -> usize {
        let failure = match (self.subject, &self.trace.failure, step.location) {
            (Subject::Program(program), Some(failure), Location::Error) => {
                Some(explain(program, failure))
            }
            _ => None,
        };
        let key = PointKey {
            at: step.at(),
            is_error: step.location == Location::Error,
            state: match self.subject {
                Subject::Program(_) => None,
                Subject::System(_) => Some(state_of(step.valuation.globals()).0.into()),
            },
            rule: step.rule,
            failure,
        };
        let key = (self.tables.form, key);
        if let Some(number) = self.tables.points.get_index_of(&key) {
            return number;
        }
        let row = self.point_row(step, key.1.failure.as_deref());
        self.tables.points.insert_full(key, row).0
    }

    fn point_row(&mut self, step: &Step, failure: Option<&str>) -> PointRow {
        let place = place(self.subject, step);
        let [_, locals] = in_scope(self.subject, step);
        let scope = match frame_kind(self.subject, step) {
            None => self.scope(ScopeKey::Nothing, "", locals),
            Some(kind) => {
                let name = match self.subject {
                    Subject::Program(_) => place.procedure,
                    Subject::System(_) => "locals",
                };
                self.scope(ScopeKey::Frame(kind), name, locals)
            }
        };
        let [first, last] = match place.range {
            Some(range) => range.map(|position| (position.line, position.column)),
            None => [(0, 0); 2],
        };
        // An implicit `skip` is not in the source, nor is the text of a rule all of it.
        let is_written = match (self.subject, step.at()) {
            (Subject::Program(program), Some(point)) => !program.point(PointId(point)).implicit,
            _ => false,
        };
        let text = failure.unwrap_or(&place.text);
        PointRow {
            scope,
            procedure: self.tables.string(place.procedure),
            line: first.0,
            column: first.1,
            lines: last.0 - first.0,
            end_column: last.1,
            kind: match place.kind {
                StepKind::Statement => 0,
                StepKind::Exit => 1,
                StepKind::Error => 2,
                StepKind::Terminated => 3,
                StepKind::Event => 4,
            },
            labels: self.tables.strings(&place.labels),
            text: (!is_written).then(|| self.tables.string(text)),
            file: match (self.subject, step.at()) {
                (Subject::Program(program), Some(at)) => {
                    let start = program.point(PointId(at)).span.start;
                    program.source.file_number(start)
                }
                _ => 0,
            },
        }
    }

    /// Makes the frame of a step the top one.
    fn enter(&mut self, step: &Step, scope: usize) -> Frames {
        // A failure is no frame, and ends none.
        if step.location == Location::Error {
            return Frames::Pushed;
        }
        let frames = self.frames.entry(step.thread).or_default();
        while frames.last().is_some_and(|top| top.depth > step.depth) {
            frames.pop();
        }
        let frame = Frame {
            depth: step.depth,
            scope,
            valuation: step.valuation.clone(),
        };
        match frames.last_mut() {
            Some(top) if top.depth == step.depth => {
                let before = std::mem::replace(top, frame);
                match before.scope == scope {
                    true => Frames::Same(before.valuation),
                    false => Frames::Replaced,
                }
            }
            _ => {
                frames.push(frame);
                Frames::Pushed
            }
        }
    }

    fn changes(&mut self, step: &Step, before: Frames) -> i128 {
        let [globals, locals] = in_scope(self.subject, step);
        let cells = globals.cells.len();
        let mut changed = Vec::new();
        self.globals.resize(cells, 0);
        for (cell, value) in globals.values.iter().take(cells).enumerate() {
            if std::mem::replace(&mut self.globals[cell], *value) != *value {
                changed.push((cell, *value));
            }
        }
        let known: &[u64] = match &before {
            Frames::Same(valuation) => valuation.locals(),
            Frames::Pushed | Frames::Replaced => &[],
        };
        for (cell, value) in locals.values.iter().take(locals.cells.len()).enumerate() {
            if known.get(cell).copied().unwrap_or(0) != *value {
                changed.push((cells + cell, *value));
            }
        }
        if changed.is_empty() {
            return 0;
        }
        self.pairs(&changed);
        flag::CHANGES
    }

    /// How many pairs follow, and these: a cell and its value.
    fn pairs(&mut self, pairs: &[(usize, u64)]) {
        self.codes.push(pairs.len());
        for (cell, value) in pairs {
            self.codes.push(*cell);
            self.codes.0.push(i128::from(*value));
        }
    }

    fn note(&mut self, note: &StepNote) -> i128 {
        let mut flags = 0;
        let relevant = self.tables.strings(&note.relevant);
        let relevant = self.tables.relevant.insert_full(relevant).0;
        if self.relevant.replace(relevant) != Some(relevant) {
            flags |= flag::RELEVANT;
            self.codes.push(relevant);
        }
        if let Some(branch) = &note.branch {
            flags |= flag::BRANCH;
            let branch = self.tables.string(branch);
            self.codes.push(branch);
        }
        let chosen: Vec<_> = note.start.iter().chain(&note.choice).collect();
        let choice = self.tables.strings(&chosen);
        if !choice.is_empty() {
            flags |= flag::CHOICE;
            self.codes.list(&choice);
        }
        flags
    }

    fn returns(&self, step: &Step) -> Option<String> {
        let Subject::Program(program) = self.subject else {
            return None;
        };
        let procedure = program.procedure_of(PointId(step.at()?));
        let values = step
            .returns
            .as_deref()
            .filter(|values| !values.is_empty())?;
        let [globals, _] = in_scope(self.subject, step);
        let (domains, shapes) = (&procedure.returns, &procedure.return_shapes);
        let values = returned(globals.words, domains, shapes, values);
        let values: Vec<_> = values.iter().map(|value| value.to_string()).collect();
        Some(values.join(", "))
    }

    /// What a push leaves below the top: another symbol than before, with values of its own.
    fn waiting(&mut self, system: &System, step: &Step) -> i128 {
        let rule = step.rule.map(|rule| system.rule(RuleId(rule)));
        let Some(symbol) = rule.and_then(|rule| rule.right.second()) else {
            return 0;
        };
        let group = system.symbol(symbol).group;
        let [globals, _] = in_scope(self.subject, step);
        let locals = Variables {
            cells: &system.groups[group].cells,
            declarations: &system.groups[group].declarations,
            values: &step.below,
            ..globals
        };
        let scope = self.scope(ScopeKey::Frame(group.0), "locals", locals);
        self.codes.push(scope);
        let name = self.tables.string(system.symbol_name(symbol));
        self.codes.push(name);
        let values = step.below.iter().copied().enumerate();
        let values: Vec<_> = values.filter(|(_, value)| *value != 0).collect();
        self.pairs(&values);
        flag::WAITING
    }
}

/// What became of the frames at a step.
enum Frames {
    /// The top one is the same, and had these values.
    Same(Valuation),
    /// It was replaced by one of another kind, at the same depth.
    Replaced,
    /// There is a new one, or none.
    Pushed,
}
