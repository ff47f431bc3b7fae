//! Traces as data: lists of steps, each with its place and its values. Programs walk them, and
//! scripts see them as JSON.
//!
//! A step borrows the names of the model and shares the values of the trace, so that making one
//! costs about as much as looking at it.

use super::annotation::{Annotation, StepNote};
use super::failure::explain;
use super::folded::{Item, items};
use super::place::{Place, in_scope, place, state_of_rule, without_state};
use super::threads;
use super::values::{Value, Words, returned};
use crate::program::{Language, PointId};
use crate::retrace::Input;
use crate::rules::Subject;
use crate::source::Position;
use crate::trace::failure::Reason;
use crate::trace::{self, Location};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};
use std::borrow::Cow;

/// An execution that violates a property: its stem, and if it is infinite a loop that is then
/// repeated for ever.
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// use derny::{Checker, Language, Model, Property, TracePart};
/// let text = "decl g; void main() begin g := 1; L: skip; end";
/// let model = Model::parse(Language::BooleanProgram, text)?;
/// let report = Checker::new(&model).property(Property::reach("L")).check()?;
/// let trace = report.findings().next().and_then(|finding| finding.trace());
/// let trace = trace.expect("the label is reached");
/// let Some(TracePart::Step(last)) = trace.stem().last() else {
///     panic!("nothing is folded");
/// };
/// assert_eq!((last.procedure, &*last.text, last.labels[0]), ("main", "skip;", "L"));
/// assert_eq!(last.value("g").and_then(|value| value.number()), Some(1));
/// assert!(trace.cycle().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Trace<'r> {
    stem: Vec<TracePart<'r>>,
    cycle: Vec<TracePart<'r>>,
    annotated: Annotated<'r>,
}

/// A thread of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TraceThread<'r> {
    /// 0 for the one that runs before the others.
    pub id: u32,
    /// As people see it: `adder`, `adder#2`.
    pub name: &'r str,
    /// What it began in.
    pub procedure: &'r str,
}

/// What a function without body returned in an execution of a C program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceInput<'r> {
    /// Its name.
    pub function: &'r str,
    /// The file in which it is called.
    pub file: &'r str,
    /// The line of the call, from 1.
    pub line: u32,
    /// The value, as it is spelled.
    pub value: &'r str,
}

impl<'r> TraceInput<'r> {
    fn new(input: &'r Input) -> Self {
        TraceInput {
            function: &input.function,
            file: &input.file,
            line: input.line,
            value: &input.value,
        }
    }
}

impl Serialize for TraceInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut input = serializer.serialize_struct("input", 4)?;
        input.serialize_field("function", self.function)?;
        input.serialize_field("file", self.file)?;
        input.serialize_field("line", &self.line)?;
        match (self.value.parse::<i64>(), self.value.parse::<u64>()) {
            (Ok(number), _) => input.serialize_field("value", &number)?,
            (_, Ok(number)) => input.serialize_field("value", &number)?,
            _ => input.serialize_field("value", self.value)?,
        }
        input.end()
    }
}

/// A trace with what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Annotated<'r> {
    pub subject: Subject<'r>,
    pub trace: &'r trace::Trace,
    pub annotation: &'r Annotation,
    /// Of a C program, what functions without body have returned.
    pub inputs: Option<&'r [Input]>,
}

impl<'r> Annotated<'r> {
    fn threads(&self) -> Vec<TraceThread<'r>> {
        let Subject::Program(program) = self.subject else {
            return Vec::new();
        };
        let threads = self.trace.threads.iter();
        let thread = |thread: &'r trace::Thread| TraceThread {
            id: thread.id,
            name: &thread.name,
            procedure: program.names.text(program.procedure(thread.procedure).name),
        };
        threads.map(thread).collect()
    }

    /// What JSON says of a trace of threads as a whole; nothing without threads.
    fn of_threads<S: SerializeStruct>(&self, object: &mut S) -> Result<(), S::Error> {
        let all = self.threads();
        if all.is_empty() {
            return Ok(());
        }
        let [switches, rounds] = threads::bounds(self.trace);
        object.serialize_field("switches", &switches)?;
        object.serialize_field("rounds", &rounds)?;
        object.serialize_field("threads", &all)
    }
}

impl<'r> Trace<'r> {
    pub(super) fn new(annotated: Annotated<'r>) -> Self {
        let trace = annotated.trace;
        let parts = |steps: &[trace::Step], first: usize| {
            parts(annotated, items(trace, steps, 0, Some(first)))
        };
        Trace {
            stem: parts(&trace.stem, 0),
            cycle: parts(&trace.cycle, trace.stem.len()),
            annotated,
        }
    }

    /// From the beginning of the execution: to its end, or to where the loop begins.
    pub fn stem(&self) -> &[TracePart<'r>] {
        &self.stem
    }

    /// What follows the stem for ever; empty for a finite execution.
    pub fn cycle(&self) -> &[TracePart<'r>] {
        &self.cycle
    }

    /// Every thread there is at the end, by number; none without threads.
    pub fn threads(&self) -> Vec<TraceThread<'r>> {
        self.annotated.threads()
    }

    /// What functions without body returned, in the order of their calls; none but of C programs.
    pub fn inputs(&self) -> Vec<TraceInput<'r>> {
        let inputs = self.annotated.inputs.into_iter().flatten();
        inputs.map(TraceInput::new).collect()
    }

    /// How often the running thread changes, not counting the change from thread 0.
    pub fn switches(&self) -> u64 {
        threads::bounds(self.annotated.trace)[0]
    }

    /// One more than the changes to a thread of a smaller number.
    pub fn rounds(&self) -> u64 {
        threads::bounds(self.annotated.trace)[1]
    }
}

/// A step of a trace, or something that is left out between two of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum TracePart<'r> {
    /// A single step.
    Step(Box<TraceStep<'r>>),
    /// Rounds of a loop in the program.
    Rounds {
        /// How many there are.
        count: u64,
        /// The last of them.
        last: Vec<TracePart<'r>>,
    },
    /// So many rounds of calls, each inside the one before.
    Calls(u64),
    /// The returns from so many rounds of calls.
    Returns(u64),
}

/// The parts that items stand for. (Loops are not nested deep.)
fn parts(annotated: Annotated<'_>, items: Vec<Item>) -> Vec<TracePart<'_>> {
    let part = |item| match item {
        Item::Step(step, number) => {
            let note = number.and_then(|number| annotated.annotation.steps.get(number));
            TracePart::Step(Box::new(TraceStep::new(annotated, &step, note)))
        }
        Item::Repeated(count, last) => TracePart::Rounds {
            count,
            last: parts(annotated, last),
        },
        Item::Nested(count) => TracePart::Calls(count),
        Item::Returned(count) => TracePart::Returns(count),
    };
    items.into_iter().map(part).collect()
}

/// A configuration that an execution comes to, and what it does next.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceStep<'r> {
    /// The procedure that control is in, or the control state of a pushdown system; empty where
    /// nothing happens any more.
    pub procedure: &'r str,
    /// What kind of place this is.
    pub kind: StepKind,
    /// Of a C program, the file that it is in.
    pub file: Option<&'r str>,
    /// Where the statement, or the rule that is taken, begins, from 1; 0 if there is none.
    pub line: u32,
    /// The column of that place, in characters from 1; 0 if there is none.
    pub column: u32,
    /// The line of its last character; 0 if there is none.
    pub end_line: u32,
    /// The column of its last character; 0 if there is none.
    pub end_column: u32,
    /// The labels of the statement; in a pushdown system the symbol on top.
    pub labels: Vec<&'r str>,
    /// The statement as it is written, or the text that the rule bears.
    pub text: Cow<'r, str>,
    /// How many frames are below.
    pub depth: u64,
    /// Why the program fails here, unless it is an assertion that does.
    pub reason: Option<String>,
    /// Whether this is a call of which the steps are left out: the next step is after its return.
    pub is_folded: bool,
    /// How a branch goes on: `true`, `false`, or of several guards the one taken, or `else`.
    pub branch: Option<&'r str>,
    /// What was chosen of what matters, where something else could have been; in the first step
    /// the start values that matter come before.
    pub choice: Vec<&'r str>,
    /// The names of the values that matter.
    pub relevant: Vec<&'r str>,
    /// The number of the thread that runs; `None` without threads.
    pub thread: Option<u32>,
    /// Whether no other thread may run.
    pub is_exclusive: bool,
    subject: Subject<'r>,
    step: trace::Step,
}

/// What kind of place a step of a trace is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepKind {
    /// A statement, or in a pushdown system any place.
    Statement,
    /// The end of a procedure.
    Exit,
    /// An event of a rule.
    Event,
    /// The program has failed.
    Error,
    /// The program has ended.
    Terminated,
}

impl StepKind {
    /// As scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            StepKind::Statement => "statement",
            StepKind::Exit => "exit",
            StepKind::Event => "event",
            StepKind::Error => "error",
            StepKind::Terminated => "terminated",
        }
    }
}

impl<'r> TraceStep<'r> {
    fn new(annotated: Annotated<'r>, step: &trace::Step, note: Option<&'r StepNote>) -> Self {
        let subject = annotated.subject;
        let Place {
            procedure,
            kind,
            file,
            range,
            labels,
            text,
        } = place(subject, step);
        let nowhere = Position { line: 0, column: 0 };
        let [first, last] = range.unwrap_or([nowhere; 2]);
        // A failed assertion needs no explanation.
        let failure = annotated.trace.failure.as_ref().filter(|failure| {
            step.location == Location::Error && failure.reason != Reason::Assertion
        });
        let mut reason = match (subject, failure) {
            (Subject::Program(program), Some(failure)) => Some(explain(program, failure)),
            _ => None,
        };
        let is_c = matches!(subject, Subject::Program(program) if program.language == Language::C);
        let text = match (
            is_c && step.location == Location::Error,
            &annotated.trace.failure,
        ) {
            // In C the end says itself what happened.
            (true, Some(failure)) => {
                reason = None;
                failure.to_string().into()
            }
            _ => text,
        };
        TraceStep {
            procedure,
            kind,
            file,
            line: first.line,
            column: first.column,
            end_line: last.line,
            end_column: last.column,
            labels,
            text,
            depth: step.depth,
            reason,
            is_folded: step.folded.is_some(),
            branch: note.and_then(|note| note.branch.as_deref()),
            choice: texts(note.into_iter().flat_map(StepNote::chosen)),
            relevant: texts(note.iter().flat_map(|note| note.relevant.iter())),
            thread: (!annotated.trace.threads.is_empty()).then_some(step.thread),
            is_exclusive: threads::is_exclusive(subject, step),
            subject,
            step: step.clone(),
        }
    }

    /// The global variables with their values, as they are declared.
    pub fn globals(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        let [globals, _] = in_scope(self.subject, &self.step);
        without_state(self.subject, globals).iter()
    }

    /// The state of the rule that is woven into the program, if one is.
    pub fn state(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        let [globals, _] = in_scope(self.subject, &self.step);
        let state = state_of_rule(self.subject, globals);
        state.into_iter().flat_map(|state| state.iter())
    }

    /// The parameters and local variables of the top frame with their values.
    pub fn locals(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        let [_, locals] = in_scope(self.subject, &self.step);
        locals.iter()
    }

    /// The value of a variable by its name; a local one hides a global one.
    pub fn value(&self, name: &str) -> Option<Value<'_>> {
        let mut variables = self.locals().chain(self.globals());
        variables.find_map(|(known, value)| (known == name).then_some(value))
    }

    /// At the end of a procedure, what it returns, if that is fixed.
    pub fn returns(&self) -> Option<Vec<Value<'_>>> {
        let Subject::Program(program) = self.subject else {
            return None;
        };
        let procedure = program.procedure_of(PointId(self.step.at()?));
        let values = self.step.returns.as_deref()?;
        let words = Words::of(self.subject);
        let shapes = &procedure.return_shapes;
        Some(returned(words, &procedure.returns, shapes, values))
    }
}

fn texts<'r>(texts: impl Iterator<Item = &'r String>) -> Vec<&'r str> {
    texts.map(String::as_str).collect()
}

impl Serialize for TraceStep<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(thread) = self.thread {
            map.serialize_entry("thread", &thread)?;
        }
        if self.is_exclusive {
            map.serialize_entry("exclusive", &true)?;
        }
        map.serialize_entry("procedure", self.procedure)?;
        map.serialize_entry("point", self.kind.name())?;
        if let Some(file) = self.file {
            map.serialize_entry("file", file)?;
        }
        map.serialize_entry("line", &self.line)?;
        map.serialize_entry("column", &self.column)?;
        map.serialize_entry("end_line", &self.end_line)?;
        map.serialize_entry("end_column", &self.end_column)?;
        map.serialize_entry("labels", &self.labels)?;
        map.serialize_entry("text", &self.text)?;
        map.serialize_entry("depth", &self.depth)?;
        let [globals, locals] = in_scope(self.subject, &self.step);
        map.serialize_entry("globals", &without_state(self.subject, globals))?;
        map.serialize_entry("locals", &locals)?;
        if let Some(state) = state_of_rule(self.subject, globals) {
            map.serialize_entry("state", &state)?;
        }
        if let Some(returns) = self.returns() {
            map.serialize_entry("returns", &returns)?;
        }
        if let Some(reason) = &self.reason {
            map.serialize_entry("reason", reason)?;
        }
        if self.is_folded {
            map.serialize_entry("folded", &true)?;
        }
        if let Some(branch) = self.branch {
            map.serialize_entry("branch", branch)?;
        }
        if !self.choice.is_empty() {
            map.serialize_entry("choice", &self.choice)?;
        }
        map.serialize_entry("relevant", &self.relevant)?;
        map.end()
    }
}

impl Serialize for TracePart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TracePart::Step(step) => step.serialize(serializer),
            TracePart::Rounds { count, last } => {
                let mut rounds = serializer.serialize_struct("rounds", 2)?;
                rounds.serialize_field("repeated", count)?;
                rounds.serialize_field("steps", last)?;
                rounds.end()
            }
            TracePart::Calls(count) => one_field("nested", *count, serializer),
            TracePart::Returns(count) => one_field("returned", *count, serializer),
        }
    }
}

fn one_field<T: Serializer>(name: &'static str, value: u64, to: T) -> Result<T::Ok, T::Error> {
    let mut object = to.serialize_struct(name, 1)?;
    object.serialize_field(name, &value)?;
    object.end()
}

impl Serialize for Trace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut trace = serializer.serialize_struct("trace", 2)?;
        trace.serialize_field("stem", &self.stem)?;
        trace.serialize_field("loop", &self.cycle)?;
        self.annotated.of_threads(&mut trace)?;
        if self.annotated.inputs.is_some() {
            trace.serialize_field("inputs", &self.inputs())?;
        }
        trace.end()
    }
}

/// A trace without folded rounds. Written as a stream: there is never more than one step.
pub(super) struct TraceObject<'a>(pub Annotated<'a>);

impl Serialize for TraceObject<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Annotated {
            trace, annotation, ..
        } = self.0;
        let (stem, cycle) = annotation.steps.split_at(trace.stem.len());
        let mut object = serializer.serialize_struct("trace", 2)?;
        object.serialize_field("stem", &Steps(self.0, &trace.stem, stem))?;
        object.serialize_field("loop", &Steps(self.0, &trace.cycle, cycle))?;
        self.0.of_threads(&mut object)?;
        if let Some(inputs) = self.0.inputs {
            let inputs: Vec<_> = inputs.iter().map(TraceInput::new).collect();
            object.serialize_field("inputs", &inputs)?;
        }
        object.end()
    }
}

struct Steps<'a>(Annotated<'a>, &'a [trace::Step], &'a [StepNote]);

impl Serialize for Steps<'_> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let Steps(annotated, steps, notes) = *self;
        let objects = steps.iter().zip(notes);
        serializer
            .collect_seq(objects.map(|(step, note)| TraceStep::new(annotated, step, Some(note))))
    }
}
