//! Typed C programs in the program form.
//!
//! Objects are rows of cells (`layout`), and a cell holds the bits of a scalar. A full expression is
//! one step where that is possible (`step`): what it computes is a *term* over the cells before the
//! step (`term`), and all its writes are made at once. Calls are steps of their own, and values that
//! must survive one are kept in hidden cells. What is undefined or outside is guarded by a branch to a
//! point that goes nowhere (`origin` says what each point is).
//!
//! Statements, expressions and places are walked by one machine with a stack of tasks (`body`):
//! nothing recurses. Only what the entry can come to is looked at (`reach`).

mod access;
mod addresses;
mod array;
mod assembler;
mod beginning;
mod body;
mod bytes;
mod call;
mod cell;
mod conversion;
mod expression;
mod flow;
mod heap;
mod inclusion;
mod layout;
mod levels;
mod library;
mod lifetime;
mod loops;
mod memory;
mod observation;
mod operators;
pub mod origin;
mod overlap;
mod place;
mod pointer;
mod points_to;
mod reach;
mod scope;
mod statement;
mod step;
mod term;
mod tracked;
mod unique;
mod unit;
mod variable;

pub use loops::{LoopHead, loop_heads};
pub use observation::{Observation, observe, statics};
pub use origin::{CellOrigin, Occasion, Origin, PointKind, PointOrigin, Pointed};
pub use term::{Codes, Scalar, Width};
pub use tracked::{Access, Sites, TOO_LARGE, Tracking};

use crate::names::{Name, Names};
use crate::program::{
    Cell, Domain, Expressions, Language, Number, Overflow, Point, Procedure, ProcedureId, Program,
};
use crate::source::Source;
use crate::typing::c::tree::{self, FunctionId, ObjectId};
use addresses::Addresses;
use body::Body;
use indexmap::IndexSet;
use layout::Layouts;
use lifetime::Lifetimes;
use points_to::Region;
use reach::Reach;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;
use unit::Unit;

/// What functions without body do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Externs {
    /// They return any value and change nothing.
    #[default]
    Pure,
    /// They may also change globals, and what arguments point to.
    Havoc,
    /// They are outside.
    Refuse,
}

/// What is checked besides assertions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// A signed computation that overflows fails, whatever the options say of overflow.
    pub overflow: bool,
    /// What overflows and is undefined is undefined, even if overflow fails.
    pub undefined: bool,
}

/// How a C program is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What signed overflow does.
    pub overflow: Overflow,
    /// What functions without body do.
    pub externs: Externs,
    /// Whether `malloc` may return a null pointer.
    pub malloc_may_fail: bool,
    /// How many objects each call of `malloc` has at a time.
    pub heap: u32,
    /// How many elements objects of no constant size have at most.
    pub cells: u32,
    /// Of arrays of integers with more of them, one element has a cell.
    pub most_cells: u64,
    /// What reads of the others are.
    pub tracking: Tracking,
    /// What is checked.
    pub checks: Checks,
    /// Objects of static storage that are there even if no execution uses them.
    pub observed: Vec<ObjectId>,
    /// Whether each step of C has a point of its own, as formulas need it that say what is next.
    pub keeps_steps: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            overflow: Overflow::Wrap,
            externs: Externs::default(),
            malloc_may_fail: false,
            heap: 4,
            cells: 64,
            most_cells: layout::MOST_CELLS,
            tracking: Tracking::default(),
            checks: Checks::default(),
            observed: Vec::new(),
            keeps_steps: false,
        }
    }
}

/// A C program in the program form.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What its points and cells are in C.
    pub origin: Origin,
}

/// The function with this name, if it has a body.
pub fn entry(typed: &tree::Program, name: &str) -> Option<FunctionId> {
    let functions = typed.functions.iter().zip((0..).map(FunctionId));
    let mut found = functions
        .filter(|(function, _)| function.body.is_some() && typed.names.text(function.name) == name);
    found.next().map(|(_, id)| id)
}

/// The program form of what executions from `entry`, a function with a body, can come to.
pub fn lower(
    source: Arc<Source>,
    typed: &tree::Program,
    entry: FunctionId,
    options: &Options,
) -> Lowered {
    let reach = Reach::new(typed, entry, options);
    let mut pinned = IndexSet::default();
    loop {
        let (lowered, more) = attempt(source.clone(), typed, entry, options, &reach, &pinned);
        let known = pinned.len();
        pinned.extend(more);
        if pinned.len() == known {
            return lowered;
        }
    }
}

/// The program form, and the calls whose memory is pointed to by values that wait while others
/// run: their objects cannot be used again.
fn attempt(
    source: Arc<Source>,
    typed: &tree::Program,
    entry: FunctionId,
    options: &Options,
    reach: &Reach,
    pinned: &IndexSet<u32, FxBuildHasher>,
) -> (Lowered, IndexSet<u32, FxBuildHasher>) {
    let mut names = typed.names.clone();
    let mut unit = unit(typed, entry, options, reach, pinned, &mut names);
    let mut expressions = Expressions::with_capacity(typed.expressions.len());
    let mut procedures = Vec::new();
    let mut points = Vec::new();
    let mut labels = Vec::new();
    let mut origin = Origin::default();
    let functions = unit.reach.functions.clone();
    let starts_apart = unit.lifetimes.entry_is_called;
    for (function, index) in functions.iter().zip(0..) {
        let id = ProcedureId(index);
        let result = unit.result_scalars(*function);
        let bits = result.map(|(layout, _)| unit.layouts.bits(&layout));
        origin.results.push(bits.unwrap_or_default());
        let mut body = Body::new(&mut unit, &mut expressions, Some(*function), id);
        if *function == entry && !starts_apart {
            body.begin_with_parameters();
        }
        let lowered = body.lower(points.len() as u32);
        labels.extend(lowered.labels);
        origin.functions.push(Some(*function));
        add(&mut origin, &mut points, &mut procedures, lowered.parts);
    }
    let mut first = ProcedureId(0);
    if starts_apart {
        first = ProcedureId(functions.len() as u32);
        let parts = beginning::start(
            &mut unit,
            &mut expressions,
            first,
            entry,
            points.len() as u32,
        );
        origin.functions.push(None);
        origin.results.push(Vec::new());
        add(&mut origin, &mut points, &mut procedures, parts);
    }
    let more = unit.pinned.clone();
    origin.pinned = pinned.clone();
    let globals = unit.into_globals(&mut origin);
    labels.sort_by_key(|(point, _)| *point);
    let program = Program {
        source,
        names,
        globals,
        declarations: Vec::new(),
        enumerations: Vec::new(),
        constants: Vec::new(),
        language: Language::C,
        overflow: Overflow::Wrap,
        procedures,
        points,
        labels,
        guards: Vec::new(),
        expressions,
        entry: first,
        threads: None,
        rule: None,
    };
    (Lowered { program, origin }, more)
}

/// What all functions share, before any is lowered.
fn unit<'a>(
    typed: &'a tree::Program,
    entry: FunctionId,
    options: &'a Options,
    reach: &'a Reach,
    pinned: &IndexSet<u32, FxBuildHasher>,
    names: &'a mut Names,
) -> Unit<'a> {
    let mut layouts = Layouts::new(
        &typed.types,
        &typed.names,
        options.cells,
        options.most_cells,
        options.tracking.followed(),
    );
    let mut points = points_to::points_to(typed, reach, entry, options, &mut layouts);
    let lifetimes = Lifetimes::new(typed, reach, entry, &mut points, pinned, options.heap);
    let count = |region: Region| match region {
        Region::Object(id) => lifetimes.places(typed, id),
        Region::Site(site) => lifetimes.counts[site as usize],
    };
    let addresses = Addresses::new(typed, points, &mut layouts, count);
    Unit::new(typed, options, reach, layouts, addresses, lifetimes, names)
}

/// A procedure with its points, and what they are.
struct Parts {
    procedure: Procedure,
    points: Vec<Point>,
    origins: Vec<PointOrigin>,
    locals: Vec<CellOrigin>,
}

fn add(
    origin: &mut Origin,
    points: &mut Vec<Point>,
    procedures: &mut Vec<Procedure>,
    parts: Parts,
) {
    origin.points.extend(parts.origins);
    origin.locals.push(parts.locals);
    points.extend(parts.points);
    procedures.push(parts.procedure);
}

/// The values of a cell.
fn domain(scalar: Scalar) -> Domain {
    match scalar {
        Scalar::Truth => Domain::Boolean,
        Scalar::Integer(Width { bits, .. }) | Scalar::Pointer(Codes { bits, .. }) => {
            Domain::Integer { bits }
        }
    }
}

/// A cell of a name.
fn cell(name: Name, scalar: Scalar) -> Cell {
    let number = match scalar {
        Scalar::Integer(Width { bits, signed }) => Some(Number {
            bits,
            signed,
            extended: signed,
        }),
        Scalar::Truth | Scalar::Pointer(_) => None,
    };
    Cell {
        number,
        ..Cell::new(name, domain(scalar))
    }
}
