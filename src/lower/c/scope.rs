//! Where objects end: blocks and calls.
//!
//! Where an object ends, the pointers to it that go on become dangling, one after the other.

use super::addresses::Class;
use super::body::Body;
use super::library::Allocation;
use super::points_to::{Holder, Region, Target};
use super::step::Value;
use super::term::{Scalar, Term};
use super::unit::Home;
use crate::typing::c::tree::{ExpressionId, ObjectId, Origin, StatementId, Storage};

impl Body<'_, '_> {
    /// The pointers that go on when a region ends become dangling, where they are dead.
    pub fn dangle(&mut self, region: Region, is_dead: impl Fn(&Class, &Term) -> Term) {
        let Some(places) = self.unit.lifetimes.outliving.get(&region).cloned() else {
            return;
        };
        for (place, leaf) in places {
            let homes: Vec<Home> = match place {
                // What a rule watches stays the address that it is.
                Region::Object(id) if self.is_watched(id) => continue,
                Region::Object(id) if self.unit.global(id).is_none() => {
                    self.home(id).into_iter().collect()
                }
                Region::Object(_) | Region::Site(_) => self.unit.homes_of(place),
            };
            for home in homes {
                self.dangle_leaf(&home, leaf, &is_dead);
            }
        }
    }

    pub fn is_watched(&self, id: ObjectId) -> bool {
        self.unit.typed.objects[id.0 as usize].origin == Origin::Watch
    }

    fn dangle_leaf(&mut self, home: &Home, leaf: u32, is_dead: impl Fn(&Class, &Term) -> Term) {
        let scalar = home.scalars[leaf as usize];
        let Scalar::Pointer(codes) = scalar else {
            return;
        };
        let Some(class) = self.unit.addresses.class_by_index(codes.class).cloned() else {
            return;
        };
        let Some(dangling) = class.code(Target::Dangling) else {
            return;
        };
        let leaf = home.layout.leaves[leaf as usize];
        for place in 0..home.layout.nodes[leaf.node as usize].count {
            let cell = home.first.plus(leaf.first + place);
            let old = self.read_cell(cell, scalar);
            let dead = is_dead(&class, &old);
            let new = Term::if_then_else(dead, Term::number(dangling), old);
            self.write_cell(cell, scalar, new);
            // All at once, cells that have nothing to do with each other would be one relation.
            self.flush();
        }
    }

    /// A region ends as a whole; of an object with levels, the one of this frame.
    fn end_region(&mut self, region: Region) {
        let homes = self.unit.homes_of(region);
        let units = homes.first().map(|home| i128::from(home.layout.units));
        let is_layered = self.is_layered(region);
        self.dangle(region, |class, pointer| {
            match (class.range(Target::Region(region)), units) {
                (Some((first, _)), Some(units)) if is_layered => {
                    pointer.clone().within(first, first + units)
                }
                _ => is_in(class, pointer, region),
            }
        });
    }

    fn is_layered(&self, region: Region) -> bool {
        let layered = &self.unit.lifetimes.layered;
        matches!(region, Region::Object(id) if layered.contains(&id))
    }

    /// Blocks are left.
    pub fn leave_blocks(&mut self, blocks: &[StatementId]) {
        let typed = self.unit.typed;
        let Some(function) = self.function else {
            return;
        };
        if self.unit.lifetimes.outliving.is_empty() || !self.assembler.is_reachable() {
            return;
        }
        let Some(body) = &typed.functions[function.0 as usize].body else {
            return;
        };
        let ends = |id: &&ObjectId| {
            let block = self.unit.reach.blocks.of_objects.get(id);
            block.is_some_and(|block| blocks.contains(block))
        };
        let ended: Vec<ObjectId> = body.objects.iter().filter(ends).copied().collect();
        for id in ended {
            self.end_region(Region::Object(id));
        }
        self.flush();
    }

    /// The regions that end with a call of the function.
    fn ended(&self) -> Vec<Region> {
        let typed = self.unit.typed;
        let Some(id) = self.function else {
            return Vec::new();
        };
        // Where the program ends, nothing goes on.
        let is_entry = self.unit.reach.functions.first() == Some(&id);
        if is_entry && !self.unit.lifetimes.entry_is_called {
            return Vec::new();
        }
        let body = typed.functions[id.0 as usize].body.iter();
        let objects = body.flat_map(|body| body.parameters.iter().chain(&body.objects));
        let is_local = |id: &&ObjectId| {
            let storage = typed.objects[id.0 as usize].storage;
            !matches!(storage, Storage::Static { .. })
        };
        // What has levels ends where these go up.
        let objects = objects.filter(is_local).map(|id| Region::Object(*id));
        let objects = objects.filter(|region| !self.is_layered(*region));
        let sites = self.unit.addresses.points.sites.iter().zip(0..);
        let own =
            sites.filter(|(site, _)| site.frame == id && site.allocation == Allocation::Stack);
        objects
            .chain(own.map(|(_, site)| Region::Site(site)))
            .collect()
    }

    /// Whether something happens where the function is left.
    pub fn ends_something(&self) -> bool {
        let outliving = &self.unit.lifetimes.outliving;
        let mut ended = self.ended().into_iter();
        self.has_levels()
            || ended
                .any(|region| matches!(region, Region::Site(_)) || outliving.contains_key(&region))
    }

    /// The call ends, with a value that an expression gave, in which no pointer may lead to what
    /// ends.
    pub fn end_call(&mut self, value: Option<(Value, Option<ExpressionId>)>) -> Option<Value> {
        let ended = self.ended();
        let has_value = value.is_some();
        if let Some((mut value, by)) = value {
            if let Some(by) = by {
                self.dangle_value(&mut value, by, &ended);
                self.lift_value(&mut value, by);
            }
            self.values.push(value);
        }
        for region in ended {
            self.end_region(region);
            if let Region::Site(site) = region
                && let Some(slots) = self.unit.slots(site).cloned()
            {
                for slot in 0..slots.homes.len() as u32 {
                    self.write_cell(slots.used.plus(slot), Scalar::Truth, Term::truth(false));
                }
            }
        }
        self.pop_levels();
        self.flush();
        has_value.then(|| self.pop())
    }

    fn dangle_value(&mut self, value: &mut Value, by: ExpressionId, ended: &[Region]) {
        let Some((layout, scalars)) = self.unit.value_scalars(by) else {
            return;
        };
        let mut holders = Vec::new();
        for (leaf, index) in layout.leaves.iter().zip(0..) {
            let count = layout.nodes[leaf.node as usize].count;
            holders.extend((0..count).map(|_| (scalars[index as usize], index)));
        }
        for (term, (scalar, leaf)) in value.terms().iter_mut().zip(holders) {
            let Scalar::Pointer(codes) = scalar else {
                continue;
            };
            let Some(class) = self.unit.addresses.class_by_index(codes.class) else {
                continue;
            };
            let Some(dangling) = class.code(Target::Dangling) else {
                continue;
            };
            let points = &self.unit.addresses.points;
            for target in points.set(Holder::Value(by, leaf)) {
                if let Target::Region(region) = target
                    && ended.contains(&region)
                {
                    let dead = is_in(class, term, region);
                    let old = std::mem::replace(term, Term::number(0));
                    *term = Term::if_then_else(dead, Term::number(dangling), old);
                }
            }
        }
    }
}

/// Whether a pointer points into a region, or behind its last unit.
fn is_in(class: &Class, pointer: &Term, region: Region) -> Term {
    match class.range(Target::Region(region)) {
        Some((first, last)) => pointer.clone().within(first, last),
        None => Term::truth(false),
    }
}
