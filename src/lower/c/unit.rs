//! What all functions of a program share: where objects are, what pointers mean, who is called.
//!
//! Objects of static storage are global cells, and so are locals whose address is taken, if there
//! is one of each at a time (in recursive functions, those of the upper frames, see `levels`), and the
//! objects that a call which allocates memory has.

use super::Options;
use super::addresses::Addresses;
use super::layout::{Layout, Layouts};
use super::lifetime::Lifetimes;
use super::origin::{CellOrigin, Origin};
use super::points_to::{Holder, Region, Target};
use super::reach::Reach;
use super::term::{Scalar, Width};
use super::tracked::{Access, Tracked, Written};
use super::unique::UniqueNames;
use crate::names::Names;
use crate::program::{Cell, PointId, ProcedureId, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{
    ExpressionId, FunctionId, ObjectId, PlaceKind, Program, StatementId, StatementKind, TypeId,
};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::rc::Rc;

/// What counts the elements of objects of no constant size.
pub const LENGTH: Scalar = Scalar::Integer(Width {
    bits: 32,
    signed: false,
});

/// Where an object is.
#[derive(Clone)]
pub struct Home {
    pub first: VariableId,
    pub layout: Rc<Layout>,
    /// What the cells of each leaf hold.
    pub scalars: Rc<[Scalar]>,
    /// How many elements it has, if that is not known, and how many units each.
    pub length: Option<(VariableId, u32)>,
    /// If one cell stands for all elements: which one it is.
    pub tracked: Option<Tracked>,
}

impl Home {
    /// How many units there are before those of which it is not known how many there are.
    pub fn open_begin(&self) -> u32 {
        let array = self.layout.open_end;
        array.map_or(0, |array| self.layout.nodes[array as usize].start)
    }
}

/// The objects of a call that allocates memory.
#[derive(Clone)]
pub struct Slots {
    pub homes: Vec<Home>,
    /// Whether each is in use: the first of so many cells.
    pub used: VariableId,
    /// Whether each was freed, if pointers do not tell.
    pub freed: Option<VariableId>,
}

pub struct Unit<'a> {
    pub typed: &'a Program,
    pub options: &'a Options,
    pub reach: &'a Reach,
    pub layouts: Layouts<'a>,
    pub addresses: Addresses,
    pub lifetimes: Lifetimes,
    pub names: &'a mut Names,
    pub procedures: FxHashMap<FunctionId, ProcedureId>,
    pub assumed: IndexSet<FunctionId, FxBuildHasher>,
    /// Calls whose memory is pointed to by values that wait while others run.
    pub pinned: IndexSet<u32, FxBuildHasher>,
    /// Where objects are; of those with levels, at each level.
    homes: FxHashMap<ObjectId, Vec<Home>>,
    /// The arrays of which one element has a cell.
    pub tracked: IndexMap<ObjectId, Tracked, FxBuildHasher>,
    /// What accesses to them there are, where these are branches.
    pub accesses: Vec<Access>,
    /// Where the conditions of loops are about to be evaluated.
    pub loops: Vec<(StatementId, PointId)>,
    /// The variables that are written where there are such arrays, and whether only constants are
    /// written to them.
    pub written: IndexMap<Written, bool, FxBuildHasher>,
    slots: Vec<Option<Slots>>,
    globals: Vec<Cell>,
    origins: Vec<CellOrigin>,
    /// The names of global cells so far.
    taken: UniqueNames,
    /// The variables that their own initialisers speak of.
    pub initialised_by_themselves: FxHashSet<ObjectId>,
    /// Those whose declarations are jumped over.
    pub skipped: FxHashSet<ObjectId>,
}

impl<'a> Unit<'a> {
    pub fn new(
        typed: &'a Program,
        options: &'a Options,
        reach: &'a Reach,
        layouts: Layouts<'a>,
        addresses: Addresses,
        lifetimes: Lifetimes,
        names: &'a mut Names,
    ) -> Self {
        let procedures = reach.functions.iter().copied();
        let procedures = procedures.zip((0..).map(ProcedureId)).collect();
        let mut unit = Unit {
            typed,
            options,
            reach,
            layouts,
            addresses,
            lifetimes,
            names,
            procedures,
            assumed: IndexSet::default(),
            pinned: IndexSet::default(),
            homes: FxHashMap::default(),
            tracked: IndexMap::default(),
            accesses: Vec::new(),
            loops: Vec::new(),
            written: IndexMap::default(),
            slots: Vec::new(),
            globals: Vec::new(),
            origins: Vec::new(),
            taken: UniqueNames::default(),
            initialised_by_themselves: initialised_by_themselves(typed),
            skipped: skipped(typed),
        };
        unit.track();
        for id in &reach.statics {
            unit.place_global(*id);
        }
        let pointed_to = unit.addresses.points.targets.iter();
        let mut locals: Vec<ObjectId> = pointed_to
            .filter_map(|target| match target {
                Target::Region(Region::Object(id)) => Some(*id),
                _ => None,
            })
            .chain(unit.lifetimes.promoted.iter().copied())
            .filter(|id| unit.lifetimes.places(typed, *id) > 0)
            .collect();
        locals.sort();
        for id in locals {
            unit.place_global(id);
        }
        for (count, site) in unit.lifetimes.counts.clone().into_iter().zip(0..) {
            let slots = unit.place_site(site, count);
            unit.slots.push(slots);
        }
        unit
    }

    /// What the leaves of a region hold.
    pub fn scalars(&self, region: Region, layout: &Layout) -> Rc<[Scalar]> {
        let scalar = |(leaf, index): (&super::layout::Leaf, u32)| match leaf.scalar {
            Scalar::Pointer(_) => self.addresses.scalar(Holder::Memory(region, index)),
            scalar => scalar,
        };
        layout.leaves.iter().zip(0..).map(scalar).collect()
    }

    /// What the leaves of a value hold, if there is one.
    pub fn value_scalars(&mut self, id: ExpressionId) -> Option<(Rc<Layout>, Rc<[Scalar]>)> {
        let type_id = self.typed.expressions[id.0 as usize].type_id;
        let layout = self.layouts.of(type_id)?;
        let scalars = self.of_leaves(&layout, |leaf| Holder::Value(id, leaf));
        Some((layout, scalars))
    }

    /// What the leaves of a function's result hold, if it has one.
    pub fn result_scalars(&mut self, id: FunctionId) -> Option<(Rc<Layout>, Rc<[Scalar]>)> {
        let type_id = self.typed.functions[id.0 as usize].type_id;
        let result = self.typed.types.signature(type_id)?.result;
        let layout = self.layouts.of(result)?;
        let scalars = self.of_leaves(&layout, |leaf| Holder::Result(id, leaf));
        Some((layout, scalars))
    }

    fn of_leaves(&self, layout: &Layout, holder: impl Fn(u32) -> Holder) -> Rc<[Scalar]> {
        let leaves = layout.leaves.iter().zip(0..);
        let scalars = leaves.map(|(leaf, index)| match leaf.scalar {
            Scalar::Pointer(_) => self.addresses.scalar(holder(index)),
            scalar => scalar,
        });
        scalars.collect()
    }

    fn place_global(&mut self, id: ObjectId) {
        let Some(layout) = self.layout_of(id) else {
            return;
        };
        if self.homes.contains_key(&id) {
            return;
        }
        let name = self.object_name(id);
        let type_id = self.typed.objects[id.0 as usize].qualified.id;
        let length = match layout.nodes.first() {
            Some(element) if self.typed.types.has_variable_size(type_id) => {
                let cell = self.hidden(&format!("{name}#length"), LENGTH);
                Some((cell, element.units))
            }
            _ => None,
        };
        let first = VariableId::Global(self.globals.len() as u32);
        let scalars = self.scalars(Region::Object(id), &layout);
        let home = Home {
            first,
            layout,
            scalars,
            length,
            tracked: self.tracked(id),
        };
        let mut homes = vec![self.place_cells(Some(id), home, &name)];
        for level in 1..self.lifetimes.places(self.typed, id) {
            let below = Home {
                first: VariableId::Global(self.globals.len() as u32),
                ..homes[0].clone()
            };
            homes.push(self.place_cells(None, below, &format!("{name}#{level} below")));
        }
        self.homes.insert(id, homes);
    }

    /// Adds the cells of an object.
    fn place_cells(&mut self, id: Option<ObjectId>, home: Home, name: &str) -> Home {
        let (cells, origins) = self.cells(id, &home, name);
        self.globals.extend(cells);
        self.origins.extend(origins);
        home
    }

    /// A hidden global cell.
    pub fn hidden(&mut self, name: &str, scalar: Scalar) -> VariableId {
        let cell = VariableId::Global(self.globals.len() as u32);
        let name = self.names.intern(name);
        self.globals.push(super::cell(name, scalar));
        self.origins.push(CellOrigin {
            object: None,
            scalar,
            index: 0,
            key: None,
        });
        cell
    }

    fn place_site(&mut self, site: u32, count: u32) -> Option<Slots> {
        let points = &self.addresses.points;
        let layout = points.sites[site as usize].layout.clone()?;
        let is_open = points.sites[site as usize].size.is_none() || layout.open_end.is_some();
        let fate = self.lifetimes.sites[site as usize];
        let used = VariableId::Global(self.globals.len() as u32);
        for slot in 0..count {
            self.hidden(&format!("heap#{site}.{slot}#used"), Scalar::Truth);
        }
        let mut freed = None;
        if fate.is_freed && !fate.is_forgotten {
            freed = Some(VariableId::Global(self.globals.len() as u32));
            for slot in 0..count {
                self.hidden(&format!("heap#{site}.{slot}#freed"), Scalar::Truth);
            }
        }
        let scalars = self.scalars(Region::Site(site), &layout);
        let repeated = layout.open_end.map_or(0, |array| array + 1);
        let units = layout.nodes.get(repeated as usize);
        let units = units.map_or(1, |node| node.units);
        let homes = (0..count).map(|slot| {
            let name = format!("heap#{site}.{slot}");
            let length = is_open.then(|| {
                let cell = self.hidden(&format!("{name}#length"), LENGTH);
                (cell, units)
            });
            let home = Home {
                first: VariableId::Global(self.globals.len() as u32),
                layout: layout.clone(),
                scalars: scalars.clone(),
                length,
                tracked: None,
            };
            self.place_cells(None, home, &name)
        });
        let homes = homes.collect();
        Some(Slots { homes, used, freed })
    }

    /// How a global object is called: by its name, and if that is one of a function, after it.
    fn object_name(&mut self, id: ObjectId) -> String {
        let object = &self.typed.objects[id.0 as usize];
        let own = object
            .name
            .map_or("literal", |name| self.typed.names.text(name));
        let text = match object.function {
            Some(function) => {
                let function = &self.typed.functions[function.0 as usize];
                format!("{}::{own}", self.typed.names.text(function.name))
            }
            None => own.to_owned(),
        };
        self.taken.own(self.names, &text)
    }

    /// The cells of an object.
    pub fn cells(
        &mut self,
        id: Option<ObjectId>,
        home: &Home,
        name: &str,
    ) -> (Vec<Cell>, Vec<CellOrigin>) {
        let layout = &home.layout;
        let (mut cells, mut origins) = (Vec::new(), Vec::new());
        for (leaf, scalar) in layout.leaves.iter().zip(home.scalars.iter()) {
            let node = &layout.nodes[leaf.node as usize];
            let is_shown = matches!(node.kind, super::layout::NodeKind::Scalar(_));
            for place in 0..layout.count(leaf) {
                let shown = match home.tracked {
                    Some(_) => format!("{name}#element"),
                    None => self.layouts.cell_name(layout, *leaf, place, name),
                };
                cells.push(super::cell(self.names.intern(&shown), *scalar));
                origins.push(CellOrigin {
                    object: id.filter(|_| is_shown),
                    scalar: *scalar,
                    index: origins.len() as u32,
                    key: home.tracked.map(|tracked| tracked.key_of(place)),
                });
            }
        }
        (cells, origins)
    }

    /// The global cells that are no objects of static storage.
    pub fn locals(&self) -> Vec<(VariableId, Scalar)> {
        let fixed: FxHashSet<ObjectId> = self.reach.statics.iter().copied().collect();
        let cells = self.origins.iter().zip((0..).map(VariableId::Global));
        let is_local = |origin: &CellOrigin| origin.object.is_none_or(|id| !fixed.contains(&id));
        // Which elements are tracked, and whether they were met, may be anything.
        let is_chosen = |cell: VariableId| self.tracked.values().any(|one| one.has(cell));
        let cells = cells.filter(|(origin, cell)| is_local(origin) && !is_chosen(*cell));
        cells.map(|(origin, cell)| (cell, origin.scalar)).collect()
    }

    /// What a global cell holds.
    pub fn global_scalar(&self, index: u32) -> Scalar {
        self.origins[index as usize].scalar
    }

    /// Memory that pointers of a class may point to cannot be used again once it is freed.
    pub fn pin(&mut self, class: u32) {
        if let Some(class) = self.addresses.class_by_index(class) {
            for (fate, site) in self.lifetimes.sites.iter().zip(0..) {
                let target = Target::Region(Region::Site(site));
                if fate.is_forgotten && class.code(target).is_some() {
                    self.pinned.insert(site);
                }
            }
        }
    }

    /// Where a global object is, or a local one that pointers lead to; the one of the upper frame.
    pub fn global(&self, id: ObjectId) -> Option<&Home> {
        self.homes.get(&id)?.first()
    }

    /// The objects of a call that allocates memory.
    pub fn slots(&self, site: u32) -> Option<&Slots> {
        self.slots[site as usize].as_ref()
    }

    /// The places that a region may be, one unit after the last of each before the next.
    pub fn homes_of(&self, region: Region) -> Vec<Home> {
        match region {
            Region::Object(id) => self.homes.get(&id).cloned().unwrap_or_default(),
            Region::Site(site) => match self.slots(site) {
                Some(slots) => slots.homes.clone(),
                None => Vec::new(),
            },
        }
    }

    /// What values of a type are, if they are one scalar; of pointers, it is open which.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        self.layouts.scalar(id)
    }

    /// The global cells, with what else is known of them in C.
    pub fn into_globals(self, origin: &mut Origin) -> Vec<Cell> {
        origin.assumed = self.assumed.into_iter().collect();
        origin.assumed.sort();
        origin.accesses = self.accesses;
        origin.loops = self.loops;
        origin.written = self.written.into_values().collect();
        origin.globals = self.origins;
        origin.addresses = self.addresses.into_classes().into();
        self.globals
    }
}

/// The variables that stand in their own initialisers, behind their names: there they have any
/// value.
fn initialised_by_themselves(typed: &Program) -> FxHashSet<ObjectId> {
    let declarations = typed.statements.iter();
    let declarations = declarations.filter_map(|statement| match statement.kind {
        StatementKind::Declaration(object, _) => Some((object, statement.span)),
        _ => None,
    });
    let declarations: FxHashMap<ObjectId, Span> = declarations.collect();
    let places = typed.places.iter().filter_map(|place| match place.kind {
        PlaceKind::Object(object) => Some((object, place.span)),
        _ => None,
    });
    let own = places.filter(|(object, span)| {
        let name = typed.objects[object.0 as usize].span;
        let whole = declarations.get(object);
        whole.is_some_and(|whole| span.start >= name.end && span.end <= whole.end)
    });
    own.map(|(object, _)| object).collect()
}

/// The variables whose declarations stand between a jump and its label.
fn skipped(typed: &Program) -> FxHashSet<ObjectId> {
    // Where jumps begin and end, and how many more are over what follows.
    let mut ends: Vec<(u32, i64)> = Vec::new();
    for statement in &typed.statements {
        if let StatementKind::Goto(label) = statement.kind {
            let label = typed.labels[label.0 as usize].span;
            if statement.span.start <= label.start {
                ends.extend([(statement.span.start, 1), (label.start + 1, -1)]);
            }
        }
    }
    ends.sort_unstable();
    let mut over = 0;
    let counts = ends.into_iter().map(|(at, more)| {
        over += more;
        (at, over)
    });
    let counts: Vec<(u32, i64)> = counts.collect();
    let is_over = |span: Span| {
        let after = counts.partition_point(|(at, _)| *at <= span.start);
        after.checked_sub(1).is_some_and(|last| counts[last].1 > 0)
    };
    let declarations = typed.statements.iter();
    let declarations = declarations.filter_map(|statement| match statement.kind {
        StatementKind::Declaration(object, _) if is_over(statement.span) => Some(object),
        _ => None,
    });
    declarations.collect()
}
