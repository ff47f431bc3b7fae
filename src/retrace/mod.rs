//! From a trace of a lowered C program to the execution of the C program that it stands for.
//!
//! The choices are read off the trace (`script`, by what cells are in C: `part`), the C interpreter is
//! run with them (`walk`), and it must come to what the trace claims. What is then shown are the steps of C: as a
//! trace of a program whose points are the places of C, and whose cells hold values as they are
//! spelled there (`stage`). For what is known of the lowered trace only, such as which
//! values matter, the steps of both are compared (`alignment`).
//!
//! Linear in the trace, times what is in scope.

mod alignment;
mod events;
mod folding;
mod left_out;
mod part;
mod row;
mod samples;
mod script;
mod stage;
mod walk;

use alignment::align;
pub use part::Parts;
pub use script::{Rounds, Source};

use crate::execution::{Choice, Options, What};
use crate::limits::retrace as limits;
use crate::lower::c::Origin;
use crate::program::{ProcedureId, Program, VariableId};
use crate::trace::{Step, Trace};
use crate::typing::c::tree;
use crate::watch::{Stop, Watch};
use folding::Obstacle;
use rustc_hash::FxHashMap;
use script::{Made, Script};
use std::fmt;
use std::sync::Arc;
use walk::{Bounds, Goal, Moment, Round};

/// What a lowered program was made from.
#[derive(Clone, Copy, Debug)]
pub struct Original<'a> {
    pub typed: &'a tree::Program,
    pub program: &'a Program,
    /// The program before it was made smaller for its properties, with the same points and cells.
    pub whole: &'a Program,
    pub origin: &'a Origin,
    pub options: Options,
}

/// Whoever knows what a lowered program was made from.
pub trait Provenance: fmt::Debug + Send + Sync {
    fn original(&self) -> Original<'_>;
}

/// A trace does not stand for an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    reason: String,
}

impl Mismatch {
    fn new(reason: impl Into<String>) -> Self {
        Mismatch {
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a trace is no execution of the C program: {}",
            self.reason
        )
    }
}

impl std::error::Error for Mismatch {}

/// An execution of a C program.
#[derive(Clone, Debug)]
pub struct Retraced {
    /// The places and the variables of C.
    pub program: Arc<Program>,
    /// The steps of C, over that program.
    pub trace: Trace,
    /// For each step of stem and loop, the one of the lowered trace that it stands for.
    pub aligned: Vec<usize>,
    /// For each step of stem and loop.
    pub notes: Vec<Note>,
    /// What was chosen before the first step.
    pub start: Vec<Chosen>,
    /// What functions without body have returned, in order.
    pub inputs: Vec<Input>,
    /// Whether these are all: those of folded rounds are not if they were not made, or are too many.
    pub is_whole: bool,
    /// `ILP32` or `LP64`.
    pub data_model: &'static str,
    /// The cells of the lowered program, globals and locals of procedures, that are shown: as
    /// which, and in which procedure if it is a local.
    pub cells: FxHashMap<(Option<ProcedureId>, VariableId), (Option<ProcedureId>, VariableId)>,
    /// The procedures of the lowered program's points.
    pub procedures: Vec<ProcedureId>,
}

/// What a step of C did.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// How a branch went on.
    pub branch: Option<String>,
    pub chosen: Vec<Chosen>,
}

/// Something that was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// `x=5`
    pub text: String,
    /// Where the lowered trace has chosen it, if it has.
    pub source: Option<Source>,
}

/// What a function without body has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub function: String,
    pub file: String,
    pub line: u32,
    /// Where the call ends.
    pub end_line: u32,
    pub end_column: u32,
    /// Where it was called from.
    pub caller: String,
    pub value: String,
}

/// Whether an infinite execution is one that the claim is about: the numbers of the lowered steps that
/// its steps stand for, and how many of them are before its loop.
pub type Shows<'a> = dyn Fn(&[usize], usize) -> bool + 'a;

/// Executes the program as a trace says. `Ok(None)` if there are too many steps to be shown.
pub fn retrace(
    original: Original<'_>,
    trace: &Trace,
    most: u64,
    shows: &Shows<'_>,
) -> Result<Option<Retraced>, Mismatch> {
    let parts = Parts::new(original);
    let Some(script) = Script::of(original, &parts, trace, Rounds::All) else {
        return Ok(None);
    };
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let lowered = (&steps[..], trace.stem.len());
    let bounds = Bounds {
        kept: usize::try_from(most).unwrap_or(usize::MAX),
        made: most.saturating_mul(100),
    };
    if !trace.cycle.is_empty() && !trace.has_stopped() {
        let mut aligned = Vec::new();
        let mut says = |moments: &[Moment], (from, to): Round| {
            if aligned.len() <= to {
                aligned = align(original, &steps, trace.stem.len(), moments);
            }
            shows(&aligned[..=to], from + 1)
        };
        let found = walk::walk_round(original, &script, bounds, &mut says)?;
        return Ok(found.map(|(walk, (from, _))| {
            stage::stage(original, lowered, (walk, Some(from + 1)), &parts)
        }));
    }
    let goal = Goal::of(original.origin, trace)
        .ok_or_else(|| Mismatch::new("its end means nothing there"))?;
    let Some(walk) = walk::walk(original, &script, goal, bounds)? else {
        return Ok(None);
    };
    let walk = events::show(original.typed, original.options.entry, walk);
    let mut retraced = stage::stage(original, lowered, (walk, None), &parts);
    if !trace.cycle.is_empty() {
        retraced.stay(steps.len() - 1);
    }
    Ok(Some(retraced))
}

/// Executes the program as a trace says of which parts are folded, to where it ends or comes round, and
/// shows rounds of it folded if there are too many steps. Gives also how many steps there are. `Ok(None)` if there are too many of
/// them still, or the choices that the trace has do not lead there: of those of folded rounds it has samples.
pub fn retrace_folded(
    original: Original<'_>,
    trace: &Trace,
    (rounds, most): (Rounds, u64),
    watch: &Watch,
) -> Result<Option<(Retraced, u64)>, Stop> {
    let parts = Parts::new(original);
    let functions = &original.typed.functions;
    let is_plain = functions.iter().all(|one| one.role == tree::Role::Program);
    let comes_round = !trace.cycle.is_empty() && !trace.has_stopped();
    let goal = match comes_round {
        true => None,
        false => Goal::of(original.origin, trace),
    };
    let script = Script::of(original, &parts, trace, rounds).filter(|_| is_plain);
    let Some(script) = script.filter(|_| comes_round || goal.is_some()) else {
        return Ok(None);
    };
    let bounds = Bounds {
        kept: usize::try_from(most).unwrap_or(usize::MAX),
        made: limits::FOLDED_STEPS,
    };
    let walked = match (rounds, goal) {
        (Rounds::All, None) => return Ok(None),
        (Rounds::All, Some(goal)) => folding::walk_folded(original, &script, goal, bounds, watch)
            .map(|(folded, length)| (folded, None, length)),
        (Rounds::Samples, goal) => {
            let Some(marks) = samples::marks(original, &parts, trace) else {
                return Ok(None);
            };
            folding::walk_sampled(original, (&script, &marks), goal, bounds, watch)
        }
    };
    let ((walk, gaps), cycle, length) = match walked {
        Ok(walked) => walked,
        Err(Obstacle::Unfit) => return Ok(None),
        Err(Obstacle::Stopped(stop)) => return Err(stop),
    };
    let steps: Vec<&Step> = trace.stem.iter().chain(&trace.cycle).collect();
    let lowered = (&steps[..], trace.stem.len());
    let is_whole = walk.all.is_some();
    let mut retraced = stage::stage(original, lowered, (walk, None), &parts);
    retraced.is_whole = is_whole;
    folding::fold(&mut retraced, &gaps, cycle);
    if !comes_round && !trace.cycle.is_empty() {
        retraced.stay(steps.len() - 1);
    }
    Ok(Some((retraced, length)))
}

impl Retraced {
    /// What has stopped stays where it is, at this lowered step.
    fn stay(&mut self, lowered: usize) {
        if let Some(last) = self.trace.stem.last() {
            self.trace.cycle = vec![last.clone()];
            self.aligned.push(lowered);
            self.notes.push(Note::default());
        }
    }
}

/// The number or address that was chosen, as it is spelled.
fn spelled(typed: &tree::Program, made: &Made) -> String {
    use crate::execution::Kind;
    match (made.request.kind, made.answer) {
        (Kind::Pointer, Choice::Number(0)) => "null".into(),
        (Kind::Pointer, Choice::Number(number)) => format!("stranger {}", number as u64),
        (Kind::Integer { low, high }, Choice::Number(number)) => {
            let number = number.clamp(low, high);
            let result = match made.request.what {
                What::Input(function) => {
                    let type_id = typed.functions[function.0 as usize].type_id;
                    typed.types.signature(type_id).map(|one| one.result)
                }
                _ => None,
            };
            let name = result.and_then(|result| typed.types.constant(result, number));
            name.map_or_else(
                || number.to_string(),
                |name| typed.names.text(name).to_owned(),
            )
        }
        (_, Choice::Function(function)) => {
            let name = typed.functions[function.0 as usize].name;
            format!("&{}", typed.names.text(name))
        }
        (_, Choice::Object(object, _)) => {
            let name = typed.objects[object.0 as usize].name;
            format!("&{}", name.map_or("literal", |name| typed.names.text(name)))
        }
    }
}

/// What was chosen, by its name.
fn chosen(
    original: Original<'_>,
    parts: &Parts<'_>,
    steps: &[&Step],
    made: &Made,
) -> Option<Chosen> {
    let typed = original.typed;
    let name = match made.request.what {
        What::Input(function) | What::Missing(function) => {
            let name = typed.functions[function.0 as usize].name;
            format!("{}()", typed.names.text(name))
        }
        What::Initial { cause, .. } => {
            let source = made.source.and_then(|source| {
                let step = steps.get(source.step)?;
                let point = crate::program::PointId(step.at()?);
                let procedure = original.program.point(point).procedure;
                Some(parts.name(procedure, source.cell)?.1)
            });
            let own = cause
                .object()
                .and_then(|id| typed.objects[id.0 as usize].name);
            source.or(own.map(|own| typed.names.text(own).to_owned()))?
        }
        What::Order | What::Failure => return None,
    };
    Some(Chosen {
        text: format!("{name}={}", spelled(typed, made)),
        source: made.source,
    })
}
