//! What all functions of a program share: where objects are, what addresses are, who is called.
//!
//! An address is a number: 0 is null, 1 what an uninitialised pointer holds, 2 a stranger; then come
//! the functions whose address is taken, and the units of the objects whose address is taken, with one
//! number more for the end of each.

use super::layout::{Layout, Layouts};
use super::origin::CellOrigin;
use super::reach::Reach;
use super::term::{Scalar, Width};
use super::{Options, domain};
use crate::names::{Name, Names};
use crate::program::{Cell, ProcedureId, VariableId};
use crate::typing::c::tree::{FunctionId, ObjectId, Program, Storage, TypeId};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::rc::Rc;

/// The address that an uninitialised pointer holds.
pub const UNINITIALISED: i128 = 1;
/// The address of what is not an object of the program.
pub const STRANGER: i128 = 2;
const FIRST_FUNCTION: i128 = 3;

/// Where an object is.
#[derive(Clone)]
pub struct Home {
    pub first: VariableId,
    pub layout: Rc<Layout>,
}

pub struct Unit<'a> {
    pub typed: &'a Program,
    pub options: &'a Options,
    pub reach: Reach,
    pub layouts: Layouts<'a>,
    pub names: &'a mut Names,
    pub procedures: FxHashMap<FunctionId, ProcedureId>,
    pub assumed: IndexSet<FunctionId, FxBuildHasher>,
    homes: FxHashMap<ObjectId, Home>,
    globals: Vec<Cell>,
    origins: Vec<CellOrigin>,
    addresses: FxHashMap<ObjectId, i128>,
    /// The names of global cells so far.
    taken: FxHashSet<Name>,
}

impl<'a> Unit<'a> {
    pub fn new(
        typed: &'a Program,
        options: &'a Options,
        reach: Reach,
        names: &'a mut Names,
    ) -> Self {
        // Sizes do not depend on how wide addresses are.
        let mut pointer = Width {
            bits: 2,
            signed: false,
        };
        let mut layouts = Layouts::new(&typed.types, &typed.names, pointer);
        let mut next = FIRST_FUNCTION + reach.function_addresses.len() as i128;
        let mut addresses = FxHashMap::default();
        for id in &reach.addressed {
            let object = &typed.objects[id.0 as usize];
            // Of what can be there several times at once, no address is known.
            let is_one = match (object.storage, object.function) {
                (Storage::Static { .. }, _) => true,
                (_, Some(function)) => !reach.recursive[function.0 as usize],
                (_, None) => false,
            };
            if let Some((units, _)) = layouts.size(object.qualified.id).filter(|_| is_one) {
                addresses.insert(*id, next);
                next += i128::from(units) + 1;
            }
        }
        pointer.bits = (i128::BITS - (next - 1).leading_zeros()).max(2) as u8;
        let layouts = Layouts::new(&typed.types, &typed.names, pointer);
        let procedures = reach.functions.iter().copied();
        let procedures = procedures.zip((0..).map(ProcedureId)).collect();
        let mut unit = Unit {
            typed,
            options,
            reach,
            layouts,
            names,
            procedures,
            assumed: IndexSet::default(),
            homes: FxHashMap::default(),
            globals: Vec::new(),
            origins: Vec::new(),
            addresses,
            taken: FxHashSet::default(),
        };
        let statics = unit.reach.statics.clone();
        let addressed: Vec<ObjectId> = unit.reach.addressed.iter().copied().collect();
        let addressed = addressed.into_iter();
        let addressed = addressed.filter(|id| unit.addresses.contains_key(id));
        for id in statics.into_iter().chain(addressed.collect::<Vec<_>>()) {
            unit.place_global(id);
        }
        unit
    }

    fn place_global(&mut self, id: ObjectId) {
        let object = &self.typed.objects[id.0 as usize];
        let Some(layout) = self.layouts.of(object.qualified.id) else {
            return;
        };
        if self.homes.contains_key(&id) {
            return;
        }
        let first = VariableId::Global(self.globals.len() as u32);
        let name = self.object_name(id);
        let mut cells = Vec::new();
        let mut origins = Vec::new();
        self.cells(id, &layout, &name, &mut cells, &mut origins);
        self.globals.extend(cells);
        self.origins.extend(origins);
        self.homes.insert(id, Home { first, layout });
    }

    /// How a global object is called: by its name, and if that is one of a function, after it.
    fn object_name(&mut self, id: ObjectId) -> String {
        let object = &self.typed.objects[id.0 as usize];
        let own = object
            .name
            .map_or("literal", |name| self.typed.names.text(name));
        let mut text = match object.function {
            Some(function) => {
                let function = &self.typed.functions[function.0 as usize];
                format!("{}::{own}", self.typed.names.text(function.name))
            }
            None => own.to_owned(),
        };
        let plain = text.clone();
        let mut number = 2;
        while !self.taken.insert(self.names.intern(&text)) {
            text = format!("{plain}#{number}");
            number += 1;
        }
        text
    }

    /// Adds the cells of an object.
    pub fn cells(
        &mut self,
        id: ObjectId,
        layout: &Layout,
        name: &str,
        cells: &mut Vec<Cell>,
        origins: &mut Vec<CellOrigin>,
    ) {
        let mut index = 0;
        for leaf in &layout.leaves {
            for place in 0..layout.nodes[leaf.node as usize].count {
                let shown = self.layouts.cell_name(layout, *leaf, place, name);
                cells.push(Cell {
                    name: self.names.intern(&shown),
                    domain: domain(leaf.scalar),
                });
                origins.push(CellOrigin {
                    object: Some(id),
                    scalar: leaf.scalar,
                    index,
                });
                index += 1;
            }
        }
    }

    /// Where a global object is, or a local one whose address is taken.
    pub fn global(&self, id: ObjectId) -> Option<&Home> {
        self.homes.get(&id)
    }

    /// The address of an object's first unit.
    pub fn address(&self, id: ObjectId) -> Option<i128> {
        self.addresses.get(&id).copied()
    }

    /// The objects that pointers can lead to, with their addresses.
    pub fn addressed(&self) -> impl Iterator<Item = (ObjectId, i128, &Home)> {
        self.reach.addressed.iter().filter_map(|id| {
            let home = self.homes.get(id)?;
            Some((*id, self.address(*id)?, home))
        })
    }

    pub fn function_address(&self, id: FunctionId) -> Option<i128> {
        let index = self.reach.function_addresses.get_index_of(&id)?;
        Some(FIRST_FUNCTION + index as i128)
    }

    /// The functions whose address is taken, with their addresses.
    pub fn addressed_functions(&self) -> Vec<(FunctionId, i128)> {
        let functions = self.reach.function_addresses.iter().copied();
        functions.zip(FIRST_FUNCTION..).collect()
    }

    /// What values of a type are, if they are one scalar.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        self.layouts.scalar(id)
    }

    /// The global cells, what they are, and the functions that are assumed to change nothing.
    pub fn into_globals(self) -> (Vec<Cell>, Vec<CellOrigin>, Vec<FunctionId>) {
        let mut assumed: Vec<FunctionId> = self.assumed.into_iter().collect();
        assumed.sort();
        (self.globals, self.origins, assumed)
    }
}
