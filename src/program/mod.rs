//! The one program form that every source language is translated to.
//!
//! A program is a set of procedures over global variables; a procedure is a control-flow
//! graph whose nodes are *control points*: one for each statement and one exit point. The
//! action of a point says what one step from it does and where it leads. All points of all
//! procedures stand in one array, those of a procedure side by side, so that a point is a
//! plain index everywhere later.
//!
//! Invariants: every variable, point and procedure index is in range; a point's action
//! mentions only globals and the locals of its own procedure, and leads only to points of
//! its own procedure; a call has as many arguments as its callee has parameters, and as
//! many targets as its callee has return values, or none.
//!
//! Where a value goes into a cell (an assignment, an argument, a return value, a result),
//! it is *fitted*: a number outside the cell's domain is dealt with as [`Overflow`] says. A
//! step that needs an expression without value leads to *error*, or under
//! [`Overflow::Block`] does not exist.

mod boundary;
mod domain;
mod expression;
mod interval;
mod threads;

pub use boundary::{Boundary, BoundaryKind};
pub use domain::{Cell, Declaration, Domain, Enumeration, Field, Number, Overflow, Shape};
pub use expression::{
    Expression, Expressions, FAR, Moment, NUMBER_BITS, Operation, OperationKind, SHIFT_LIMIT,
    arithmetic_shift_right, is_one_value, shift_left, shift_left_modulo, wrap,
};
pub use interval::Interval;
pub use threads::{NewThread, ThreadStart, Threads};

use crate::index::{self, indices};
use crate::names::{Name, Names};
use crate::source::{Position, Source, Span};
use std::ops::Range;
use std::sync::Arc;

/// A procedure, an index into [`Program::procedures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcedureId(pub u32);

/// A control point, an index into [`Program::points`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointId(pub u32);

indices!(ProcedureId, PointId);

/// A variable, to be exact a cell, as seen from inside a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableId {
    /// An index into [`Program::globals`].
    Global(u32),
    /// An index into the locals of the procedure it is used in.
    Local(u32),
}

impl VariableId {
    /// The cell `k` places further on.
    pub fn plus(self, k: u32) -> Self {
        match self {
            VariableId::Global(index) => VariableId::Global(index + k),
            VariableId::Local(index) => VariableId::Local(index + k),
        }
    }
}

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Boolean programs.
    BooleanProgram,
    /// Remopla.
    Remopla,
    /// C.
    C,
}

/// A program without errors, in the form that all stages after the front ends take.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it was read from.
    pub source: Arc<Source>,
    /// The texts of its names.
    pub names: Names,
    /// The cells of the global variables.
    pub globals: Vec<Cell>,
    /// The global variables as declared; empty if each is one cell of the same name.
    pub declarations: Vec<Declaration>,
    /// The enumerations that cells have values of.
    pub enumerations: Vec<Enumeration>,
    /// The names of numbers that conditions in properties may use.
    pub constants: Vec<(Name, i128)>,
    /// How conditions in properties are written.
    pub language: Language,
    /// What happens to a number that does not fit.
    pub overflow: Overflow,
    /// The procedures, in the order of the source.
    pub procedures: Vec<Procedure>,
    /// The control points of all procedures.
    pub points: Vec<Point>,
    /// The labels, ordered by point, those of one point in the order of the source.
    pub labels: Vec<(PointId, Name)>,
    /// Where the guards of statements with several stand, ordered by point, those of one point
    /// in the order of its arms.
    pub guards: Vec<(PointId, Span)>,
    /// The operations of all expressions.
    pub expressions: Expressions,
    /// Where executions begin; with threads, where the first of them do.
    pub entry: ProcedureId,
    /// If it has threads.
    pub threads: Option<Threads>,
    /// If it shows how a rule is kept or violated.
    pub rule: Option<Ruled>,
}

/// What a rule adds to a program that is only shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruled {
    /// The points that are events of the rule, in rising order.
    pub events: Vec<PointId>,
    /// How many of the declared globals, the last ones, are its state.
    pub state: usize,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: Name,
    /// Where the name stands in the header.
    pub span: Span,
    /// Parameters first, in their order, then the other local variables.
    pub locals: Vec<Cell>,
    /// The local variables as declared; empty if each is one cell of the same name.
    pub declarations: Vec<Declaration>,
    /// How many of the locals are parameters.
    pub parameters: u32,
    /// How many of the locals, the last ones, are hidden: what the exclusive bit was before each
    /// atomic block around a point.
    pub saved: u32,
    /// The cells of the return values.
    pub returns: Box<[Domain]>,
    /// How the return values are shown; empty if each is one cell.
    pub return_shapes: Box<[Shape]>,
    /// No step is taken from a state of this procedure in which this is false.
    pub enforce: Option<Expression>,
    /// Its control points. The first one is where a call begins, the last one is the exit.
    pub points: Range<u32>,
}

impl Procedure {
    pub fn entry(&self) -> PointId {
        PointId(self.points.start)
    }

    pub fn exit(&self) -> PointId {
        PointId(self.points.end - 1)
    }
}

#[derive(Clone, Debug)]
pub struct Point {
    pub procedure: ProcedureId,
    /// The statement without its labels (of a compound statement: its head), or the token
    /// that closes the body for an exit, or its sequence for an implicit `skip`.
    pub span: Span,
    /// True for a `skip` that stands for an empty sequence of statements.
    pub implicit: bool,
    /// How many of the procedure's hidden locals, the first ones, have been set here.
    pub saved: u32,
    pub action: Action,
}

/// What one step from a point does. A condition with a nondeterministic choice in it may
/// come out either way, each time it is evaluated.
#[derive(Clone, Debug)]
pub enum Action {
    /// Goes on to any one of these (never empty) and changes nothing.
    Goto {
        /// Where it may go.
        targets: Box<[PointId]>,
    },
    /// All values are computed in the old state, then all targets are set at once.
    /// Where two targets meet, the later one wins.
    Assign {
        /// What is set.
        targets: Box<[Target]>,
        /// What each target is set to.
        values: Box<[Value]>,
        /// Only outcomes that make this true happen; it may read new values.
        constrain: Option<Expression>,
        /// Where control is afterwards.
        next: PointId,
    },
    /// The variables get arbitrary values.
    Havoc {
        /// What changes.
        variables: Box<[VariableId]>,
        /// Where control is afterwards.
        next: PointId,
    },
    /// Goes to the first arm whose condition comes out true, otherwise to `otherwise`.
    Branch {
        /// The conditions, and where each leads.
        arms: Box<[(Expression, PointId)]>,
        /// Where it goes if none is true.
        otherwise: PointId,
    },
    /// Goes to any arm whose condition is true; to `otherwise` where none is. A condition
    /// without a value is not true, and gives one more step, to *error*.
    Select {
        /// The conditions, and where each leads.
        arms: Box<[(Expression, PointId)]>,
        /// Where it goes if none is true; without one the execution is cut off.
        otherwise: Option<PointId>,
    },
    /// Goes on where the condition is true; where it is false the program fails.
    Assert {
        /// What must be true.
        condition: Expression,
        /// Where control is afterwards.
        next: PointId,
    },
    /// Goes on where the condition is true; the execution is cut off where it is not.
    Assume {
        /// What must be true.
        condition: Expression,
        /// Where control is afterwards.
        next: PointId,
    },
    /// Pushes a frame.
    Call(Box<Call>),
    /// Fixes the return values and goes to the exit point.
    Return {
        /// What is returned.
        values: Box<[Expression]>,
        /// Evaluated with the values, in effect at the exit point.
        assignments: Box<[(Target, Value)]>,
    },
    /// Creates a thread. Only in a program with threads.
    StartThread {
        /// The one that is created.
        thread: NewThread,
        /// Where control is afterwards.
        next: PointId,
    },
    /// The thread ends, whatever its stack; without threads, the program.
    EndThread {
        /// In effect when it has ended.
        assignments: Box<[(Target, Value)]>,
    },
    /// Pops the frame. Only the last point of a procedure has this action.
    Exit,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// It is thrown away.
    Discard,
    Cell(VariableId),
    /// The cell `index` places after `first`. There is no such target unless
    /// `0 <= index < count`.
    Element {
        first: VariableId,
        count: u32,
        index: Expression,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Of(Expression),
    /// Any value of the target's domain.
    Any,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub callee: ProcedureId,
    pub arguments: Box<[Expression]>,
    /// Evaluated with the arguments; in effect before the callee's first step.
    pub assignments: Box<[(Target, Value)]>,
    /// Empty if the return values are thrown away. Indices are evaluated on the return.
    pub targets: Box<[Target]>,
    /// Where control is after the return.
    pub next: PointId,
}

impl Program {
    /// The procedure of a number.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.0 as usize]
    }

    /// The control point of a number.
    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id.0 as usize]
    }

    /// The points that executions or threads begin at, the entry first.
    pub fn starts(&self) -> impl Iterator<Item = PointId> {
        let declared = self.threads.iter().flat_map(|threads| &threads.declared);
        let declared = declared.map(|start| start.procedure);
        let created = self.points.iter().filter_map(|point| match &point.action {
            Action::StartThread { thread, .. } => Some(self.begin_of(thread)),
            _ => None,
        });
        let entries = std::iter::once(self.entry).chain(declared);
        entries.map(|id| self.procedure(id).entry()).chain(created)
    }

    /// Where a thread begins that a step creates.
    pub fn begin_of(&self, thread: &NewThread) -> PointId {
        match thread {
            NewThread::Call { callee, .. } => self.procedure(*callee).entry(),
            NewThread::Copy { at, .. } => *at,
        }
    }

    /// The locals of a procedure that are shown to users.
    pub fn shown_locals(&self, id: ProcedureId) -> &[Cell] {
        let procedure = self.procedure(id);
        &procedure.locals[..procedure.locals.len() - procedure.saved as usize]
    }

    /// The globals that are shown to users: the one that is hidden is the last one.
    pub fn shown_globals(&self) -> &[Cell] {
        &self.globals[..self.globals.len() - usize::from(self.threads.is_some())]
    }

    /// All procedures.
    pub fn procedure_ids(&self) -> impl DoubleEndedIterator<Item = ProcedureId> + use<> {
        index::first(self.procedures.len())
    }

    /// All control points.
    pub fn point_ids(&self) -> impl DoubleEndedIterator<Item = PointId> + use<> {
        index::first(self.points.len())
    }

    /// The procedure a point belongs to.
    pub fn procedure_of(&self, id: PointId) -> &Procedure {
        self.procedure(self.point(id).procedure)
    }

    /// The point that executions begin at.
    pub fn entry_point(&self) -> PointId {
        self.procedure(self.entry).entry()
    }

    /// The labels of a point, in the order of the source.
    pub fn labels_of(&self, id: PointId) -> impl Iterator<Item = &str> {
        self.label_names_of(id).map(|name| self.names.text(name))
    }

    /// The labels of a point, in the order of the source.
    pub fn label_names_of(&self, id: PointId) -> impl Iterator<Item = Name> {
        let first = self.labels.partition_point(|(point, _)| *point < id);
        self.labels[first..]
            .iter()
            .take_while(move |(point, _)| *point == id)
            .map(|(_, name)| *name)
    }

    /// Whether a point goes on with any of its guards that is true, as in Remopla.
    pub fn is_select(&self, id: PointId) -> bool {
        matches!(self.point(id).action, Action::Select { .. })
    }

    /// The guards of a point, in the order of its arms; none if it has one condition only.
    pub fn guards_of(&self, id: PointId) -> &[(PointId, Span)] {
        let first = self.guards.partition_point(|(point, _)| *point < id);
        let rest = &self.guards[first..];
        &rest[..rest.partition_point(|(point, _)| *point == id)]
    }

    /// The statement at a point as the user wrote it.
    pub fn text_of(&self, id: PointId) -> std::borrow::Cow<'_, str> {
        let point = self.point(id);
        if point.implicit {
            "skip".into()
        } else {
            self.source.text(point.span)
        }
    }

    /// Where the statement at a point begins.
    pub fn position_of(&self, id: PointId) -> Position {
        self.source.position(self.point(id).span.start)
    }

    /// The points that control comes back to: where loops have their heads, in order.
    pub fn loop_heads(&self) -> Vec<PointId> {
        let mut heads = Vec::new();
        for (point, id) in self.points.iter().zip((0..).map(PointId)) {
            let exit = self.procedure(point.procedure).exit();
            point.action.for_each_successor(exit, |target| {
                heads.extend((target <= id).then_some(target));
            });
        }
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// The name of a variable of `procedure`.
    pub fn variable_name(&self, procedure: ProcedureId, variable: VariableId) -> &str {
        self.names.text(self.cell(procedure, variable).name)
    }

    /// A cell as seen from inside `procedure`.
    pub fn cell(&self, procedure: ProcedureId, variable: VariableId) -> Cell {
        match variable {
            VariableId::Global(index) => self.globals[index as usize],
            VariableId::Local(index) => self.procedure(procedure).locals[index as usize],
        }
    }
}

impl Target {
    /// The cells that might be set: the first one, and how many.
    pub fn cells(&self) -> Option<(VariableId, u32)> {
        match self {
            Target::Discard => None,
            Target::Cell(variable) => Some((*variable, 1)),
            Target::Element { first, count, .. } => Some((*first, *count)),
        }
    }

    pub fn index(&self) -> Option<Expression> {
        match self {
            Target::Element { index, .. } => Some(*index),
            Target::Discard | Target::Cell(_) => None,
        }
    }
}

impl Value {
    pub fn expression(&self) -> Option<Expression> {
        match self {
            Value::Of(expression) => Some(*expression),
            Value::Any => None,
        }
    }
}

impl Action {
    /// The points of the same procedure that control may be at next; for a call, once it
    /// has returned.
    pub fn for_each_successor(&self, exit: PointId, mut visit: impl FnMut(PointId)) {
        match self {
            Action::Goto { targets } => targets.iter().copied().for_each(visit),
            Action::Branch { arms, otherwise } => {
                arms.iter().for_each(|(_, target)| visit(*target));
                visit(*otherwise);
            }
            Action::Select { arms, otherwise } => {
                arms.iter().for_each(|(_, target)| visit(*target));
                otherwise.iter().copied().for_each(visit);
            }
            Action::Assign { next, .. }
            | Action::Havoc { next, .. }
            | Action::Assert { next, .. }
            | Action::Assume { next, .. }
            | Action::StartThread { next, .. } => visit(*next),
            Action::Call(call) => visit(call.next),
            Action::Return { .. } => visit(exit),
            Action::Exit | Action::EndThread { .. } => {}
        }
    }
}
