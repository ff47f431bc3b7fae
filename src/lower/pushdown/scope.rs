//! What names in expressions mean.

use crate::diagnostic::listed;
use crate::names::{Name, Names};
use crate::program::{Cell, Declaration, Domain, Moment, Shape, VariableId};
use crate::pushdown::{Group, GroupId, Symbol};
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
#[derive(Debug, Default)]
pub struct Scope {
    constants: FxHashMap<Name, i128>,
    /// What stands before a name that gets its value from outside.
    pub define: &'static str,
    globals: Table,
    groups: Vec<Table>,
    /// The symbols with locals, each with its group.
    symbols: Vec<(Name, GroupId)>,
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

impl View {
    pub fn frame(&self, when: Moment) -> Option<Frame> {
        self.frames[when as usize]
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
    pub fn define(&mut self, name: Name, value: i128) {
        self.constants.insert(name, value);
    }

    pub fn constant(&self, name: Name) -> Option<i128> {
        self.constants.get(&name).copied()
    }

    /// All constants, by the order of the names.
    pub fn constants(&self) -> Vec<(Name, i128)> {
        let constants = self.constants.iter();
        let mut list: Vec<_> = constants.map(|(name, value)| (*name, *value)).collect();
        list.sort_unstable();
        list
    }

    pub fn declare(&mut self, globals: &[Cell], declarations: &[Declaration], groups: &[Group]) {
        let of_group = |group: &Group| table(&group.cells, &group.declarations, VariableId::Local);
        self.globals = table(globals, declarations, VariableId::Global);
        self.groups = groups.iter().map(of_group).collect();
    }

    /// Tells which symbols have which locals.
    pub fn assign<'s>(&mut self, symbols: impl Iterator<Item = &'s Symbol>) {
        let symbols = symbols.map(|symbol| (symbol.name, symbol.group));
        self.symbols = symbols.filter(|(_, group)| *group != GroupId(0)).collect();
    }

    /// The variable of that name in a frame.
    pub fn find(&self, frame: Frame, name: Name) -> Option<Variable> {
        let local = frame
            .locals
            .and_then(|group| self.groups[group.0 as usize].get(&name).copied());
        let global = || self.globals.get(&name).filter(|_| frame.globals).copied();
        local.or_else(global)
    }

    pub fn is_global(&self, name: Name) -> bool {
        self.globals.contains_key(&name)
    }

    /// Which symbols have a local of that name, in words.
    pub fn carriers(&self, name: Name, names: &Names) -> Option<String> {
        const SHOWN: usize = 4;
        let has_it = |group: GroupId| self.groups[group.0 as usize].contains_key(&name);
        let carriers = self.symbols.iter().filter(|(_, group)| has_it(*group));
        let carriers: Vec<_> = carriers.map(|(name, _)| names.text(*name)).collect();
        (!carriers.is_empty()).then(|| listed(&carriers, SHOWN))
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
