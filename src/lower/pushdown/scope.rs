//! What names in expressions mean.

use super::constants::Constants;
use crate::names::Name;
use crate::program::{Cell, Declaration, Domain, Shape, VariableId, When};
use crate::pushdown::{Group, GroupId};
use crate::syntax::pds::tree::Primes;
use rustc_hash::FxHashMap;

/// A declared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its first cell.
    pub first: VariableId,
    /// Of each cell.
    pub domain: Domain,
    /// For an array, its smallest index and its length.
    pub array: Option<(i64, u32)>,
}

impl Variable {
    /// Whether two variables can stand for each other in an expression.
    pub fn is_like(&self, other: &Variable) -> bool {
        let is_truth = |variable: &Variable| variable.domain == Domain::Boolean;
        is_truth(self) == is_truth(other) && self.array.is_some() == other.array.is_some()
    }
}

type Table = FxHashMap<Name, Variable>;

/// All variables of a system, and its constants.
#[derive(Debug)]
pub struct Scope {
    pub constants: Constants,
    globals: Table,
    groups: Vec<Table>,
}

/// The variables that one kind of read may speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub globals: bool,
    /// Whose locals; they hide globals of the same name.
    pub locals: Option<GroupId>,
}

/// What an expression may read: before, after, and below.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub frames: [Option<Frame>; 3],
    /// Whether a variable that other symbols have may be missing here, as in a property.
    pub lenient: bool,
}

pub fn when(primes: Primes) -> When {
    match primes {
        Primes::None => When::Before,
        Primes::One => When::After,
        Primes::Two => When::Below,
    }
}

impl View {
    pub fn frame(&self, primes: Primes) -> Option<Frame> {
        self.frames[primes as usize]
    }

    /// Values before a step only.
    pub fn of_one_configuration(locals: Option<GroupId>) -> Self {
        let frame = Frame {
            globals: true,
            locals,
        };
        View {
            frames: [Some(frame), None, None],
            lenient: false,
        }
    }
}

impl Scope {
    pub fn new(
        constants: Constants,
        globals: &[Cell],
        declarations: &[Declaration],
        groups: &[Group],
    ) -> Self {
        let of_group = |group: &Group| table(&group.cells, &group.declarations, VariableId::Local);
        Scope {
            constants,
            globals: table(globals, declarations, VariableId::Global),
            groups: groups.iter().map(of_group).collect(),
        }
    }

    /// The variable of that name in a frame.
    pub fn find(&self, frame: Frame, name: Name) -> Option<Variable> {
        let local = frame.locals.and_then(|group| self.local(group, name));
        let global = || self.globals.get(&name).filter(|_| frame.globals).copied();
        local.or_else(global)
    }

    pub fn local(&self, group: GroupId, name: Name) -> Option<Variable> {
        self.groups[group.0 as usize].get(&name).copied()
    }

    pub fn is_global(&self, name: Name) -> bool {
        self.globals.contains_key(&name)
    }

    /// The groups that have a local of that name.
    pub fn groups_with(&self, name: Name) -> impl Iterator<Item = GroupId> {
        let groups = (0..).map(GroupId).zip(&self.groups);
        groups.filter_map(move |(id, table)| table.contains_key(&name).then_some(id))
    }

    /// Every variable of that name.
    pub fn all(&self, name: Name) -> impl Iterator<Item = Variable> {
        let tables = std::iter::once(&self.globals).chain(&self.groups);
        tables.filter_map(move |table| table.get(&name).copied())
    }

    /// The names in a frame, for hints.
    pub fn names(&self, frame: Frame) -> impl Iterator<Item = Name> {
        let locals = frame.locals.map(|group| &self.groups[group.0 as usize]);
        let globals = frame.globals.then_some(&self.globals);
        let tables = globals.into_iter().chain(locals);
        tables.flat_map(|table| table.keys().copied())
    }
}

fn table(cells: &[Cell], declarations: &[Declaration], id: impl Fn(u32) -> VariableId) -> Table {
    let variable = |declaration: &Declaration| {
        let domain = cells.get(declaration.first as usize)?.domain;
        let array = match declaration.shape {
            Shape::Array { low, length, .. } => Some((low, length)),
            _ => None,
        };
        let variable = Variable {
            first: id(declaration.first),
            domain,
            array,
        };
        Some((declaration.name, variable))
    };
    declarations.iter().filter_map(variable).collect()
}
