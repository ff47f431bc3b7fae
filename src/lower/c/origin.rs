//! What the points and cells of a program are in the C program it was made from.
//!
//! A trace of the program is a list of points with values; with this, the choices in it can be
//! read off and made again in C.

use super::addresses::Class;
use super::points_to::{Region, Target};
use super::term::{Codes, Scalar};
use super::tracked::Access;
use crate::program::{PointId, ProcedureId, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{FunctionId, LabelId, ObjectId, StatementId};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// What each point and cell of a program is in C.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// One for each point.
    pub points: Vec<PointOrigin>,
    /// One for each global cell.
    pub globals: Vec<CellOrigin>,
    /// One for each local cell of each procedure, hidden ones included.
    pub locals: Vec<Vec<CellOrigin>>,
    /// The function of each procedure; none for one that only begins the program.
    pub functions: Vec<Option<FunctionId>>,
    /// Where the scalars of what each procedure returns begin, in bits.
    pub results: Vec<Vec<u64>>,
    /// The accesses to arrays of which one element has a cell, where they are branches.
    pub accesses: Vec<Access>,
    /// Where the conditions of loops are about to be evaluated: of a function that was lowered several
    /// times, there are several places.
    pub loops: Vec<(StatementId, PointId)>,
    /// Of each variable that is written where there are such arrays, whether only constants are
    /// written to it.
    pub written: Vec<bool>,
    /// The functions without body that are assumed to change nothing, in the order of the source.
    pub assumed: Vec<FunctionId>,
    /// What the codes of pointers stand for, by class.
    pub(super) addresses: Arc<[Class]>,
    /// The calls whose memory is not used again.
    pub(super) pinned: IndexSet<u32, FxBuildHasher>,
}

/// What a point is in C.
#[derive(Clone, Debug)]
pub struct PointOrigin {
    /// Where it stands.
    pub span: Span,
    /// What happens there.
    pub kind: PointKind,
    /// The function that is called there, with body or without.
    pub call: Option<FunctionId>,
    /// The label that stands there.
    pub label: Option<LabelId>,
}

/// What happens at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// A step of the program, or a part of one.
    Step,
    /// What the program begins with: its globals get their values.
    Start,
    /// The result of a function without body is chosen: these cells get it.
    Input {
        /// The function.
        function: FunctionId,
        /// Where the result is after the step, one cell for each scalar.
        cells: Vec<VariableId>,
        /// The first bit of each, counted from that of the result.
        bits: Vec<u64>,
    },
    /// These cells get arbitrary values: objects that are not initialised.
    Choice {
        /// What gets a value.
        cells: Vec<VariableId>,
        /// Why.
        occasion: Occasion,
    },
    /// Memory that was allocated has arbitrary values.
    Fresh {
        /// What gets a value.
        cells: Vec<VariableId>,
        /// The first bit of each, counted from that of the object.
        bits: Vec<u64>,
        /// The call.
        call: Span,
    },
    /// The order of the addresses of different objects is chosen: whether the first is smaller.
    Order {
        /// What gets it.
        cell: VariableId,
        /// The comparison.
        comparison: Span,
    },
    /// Whether memory cannot be allocated is chosen.
    Refusal {
        /// What gets it.
        cell: VariableId,
        /// The call.
        call: Span,
    },
    /// An undefined step: no execution gets past it.
    Undefined {
        /// In words.
        what: String,
    },
    /// What is not decided: no execution gets past it.
    Outside {
        /// In words.
        what: String,
    },
    /// More heap objects would be needed.
    Heap,
    /// An object would need more elements.
    Length,
    /// A signed computation overflows.
    Overflow,
    /// A rule is violated.
    Rule {
        /// Why, in words.
        what: String,
    },
    /// The program fails where a condition is false, or always.
    Failure {
        /// What fails, in words.
        what: String,
    },
    /// The program ends.
    End,
}

/// Why objects get arbitrary values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occasion {
    /// The program begins, with what it is called with and what nobody defines.
    Start,
    /// Control comes to their block,
    Block,
    /// jumps into it,
    Jump,
    /// or comes to their declaration.
    Declaration,
    /// A function without body may have changed them.
    Call,
}

/// What a cell is in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellOrigin {
    /// The object it is a part of; none for one that is hidden.
    pub object: Option<ObjectId>,
    /// What its bits mean.
    pub scalar: Scalar,
    /// Which of the object's cells it is.
    pub index: u32,
    /// Of the one cell of a large array: the one that says which element it is.
    pub key: Option<VariableId>,
}

impl CellOrigin {
    /// The number that a cell with these bits stands for.
    pub fn value(&self, bits: u64) -> i128 {
        match self.scalar {
            Scalar::Truth | Scalar::Pointer(_) => bits.into(),
            Scalar::Integer(width) => crate::program::wrap(bits.into(), width.bits, width.signed),
        }
    }
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointed {
    /// Nothing.
    Null,
    /// Something that is no object of the program: its number, where that counts.
    Stranger(Option<u64>),
    /// A function.
    Function(FunctionId),
    /// An object: so many scalars behind its beginning, in the order of the source.
    Object(ObjectId, u32),
}

impl Origin {
    /// What a code of a pointer stands for; none if that is no more, or on the heap.
    pub fn pointed(&self, codes: Codes, code: u64) -> Option<Pointed> {
        let class = self.addresses.get(codes.class as usize)?;
        Some(match class.meaning(code.into()) {
            None if class.has_numbers() => Pointed::Stranger(Some(code)),
            None => return None,
            Some((Target::Null, _)) => Pointed::Null,
            Some((Target::Stranger, _)) => Pointed::Stranger(None),
            Some((Target::Function(id), _)) => Pointed::Function(id),
            Some((Target::Region(Region::Object(id)), unit)) => {
                Pointed::Object(id, u32::try_from(unit).ok()?)
            }
            Some((
                Target::Dangling | Target::Buried | Target::Uninitialised | Target::Region(_),
                _,
            )) => return None,
        })
    }

    /// What a point is.
    pub fn point(&self, id: PointId) -> &PointOrigin {
        &self.points[id.0 as usize]
    }

    /// What a cell is, as seen from inside a procedure.
    pub fn cell(&self, procedure: ProcedureId, variable: VariableId) -> CellOrigin {
        match variable {
            VariableId::Global(index) => self.globals[index as usize],
            VariableId::Local(index) => self.locals[procedure.0 as usize][index as usize],
        }
    }

    /// Whether there is an array of which one element has a cell.
    pub fn has_tracked(&self) -> bool {
        let cells = self.globals.iter().chain(self.locals.iter().flatten());
        cells.into_iter().any(|cell| cell.key.is_some())
    }

    /// The points past which nothing is decided, with what they are.
    pub fn outside_points(&self) -> impl Iterator<Item = (PointId, &PointOrigin)> {
        self.points_where(|kind| {
            matches!(
                kind,
                PointKind::Outside { .. } | PointKind::Heap | PointKind::Length
            )
        })
    }

    /// The points that undefined steps lead to.
    pub fn undefined_points(&self) -> impl Iterator<Item = (PointId, &PointOrigin)> {
        self.points_where(|kind| matches!(kind, PointKind::Undefined { .. }))
    }

    /// The points at which a rule is violated.
    pub fn rule_points(&self) -> impl Iterator<Item = (PointId, &PointOrigin)> {
        self.points_where(|kind| matches!(kind, PointKind::Rule { .. }))
    }

    /// The points that signed computations lead to which overflow.
    pub fn overflow_points(&self) -> impl Iterator<Item = (PointId, &PointOrigin)> {
        self.points_where(|kind| *kind == PointKind::Overflow)
    }

    /// The points at which a function is called.
    pub fn calls(&self, function: FunctionId) -> impl Iterator<Item = PointId> {
        let points = self.points.iter().zip(0..);
        let calls = points.filter(move |(point, _)| point.call == Some(function));
        calls.map(|(_, id)| PointId(id))
    }

    fn points_where(
        &self,
        is_wanted: impl Fn(&PointKind) -> bool,
    ) -> impl Iterator<Item = (PointId, &PointOrigin)> {
        let points = (0..).map(PointId).zip(&self.points);
        points.filter(move |(_, point)| is_wanted(&point.kind))
    }
}
