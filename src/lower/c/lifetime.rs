//! How long objects live, and which pointers to them may outlive them.
//!
//! Where an object ends, every pointer to it that goes on becomes *dangling*: so what a pointer
//! still points to, lives. That is exact because no frame below can hold a pointer to a local of
//! a function that is not recursive, unless it is in memory that has one place in the program. For
//! memory that is freed, locals that may point to it are given such places. Where that
//! cannot be done, in recursive functions, its objects are not used again, and know whether they
//! were freed.

use super::levels::LEVELS;
use super::library::{Allocation, Meaning};
use super::points_to::{Holder, PointsTo, Region, Target};
use super::reach::Reach;
use crate::components::{components, is_cyclic};
use crate::typing::c::tree::{
    Callee, ExpressionKind, FunctionId, ObjectId, Program, StatementId, Storage,
};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// What becomes of the memory that a call allocates.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fate {
    /// It may be freed.
    pub is_freed: bool,
    /// Then all pointers to it become dangling.
    pub is_forgotten: bool,
    /// It is allocated once.
    pub is_once: bool,
}

pub struct Lifetimes {
    /// The functions that may be called while they run, by [`FunctionId`].
    pub recursive: Vec<bool>,
    /// Whether the entry is called by someone.
    pub entry_is_called: bool,
    /// The functions that may free memory while they run.
    pub freeing: Vec<bool>,
    /// Locals that are globals because they may point to memory that is freed.
    pub promoted: IndexSet<ObjectId, FxBuildHasher>,
    pub sites: Vec<Fate>,
    /// How many objects each call that allocates memory has.
    pub counts: Vec<u32>,
    /// What may hold pointers to a region when it ends, and goes on.
    pub outliving: FxHashMap<Region, Vec<(Region, u32)>>,
    /// The locals of recursive functions that pointers lead to and that have levels.
    pub layered: IndexSet<ObjectId, FxBuildHasher>,
    /// What may hold pointers to those of a function.
    pub pointing: FxHashMap<FunctionId, IndexSet<(Region, u32), FxBuildHasher>>,
}

impl Lifetimes {
    /// Also adds what is dangling to the targets of pointers.
    pub fn new(
        program: &Program,
        reach: &Reach,
        entry: FunctionId,
        points: &mut PointsTo,
        pinned: &IndexSet<u32, FxBuildHasher>,
        heap: u32,
    ) -> Self {
        let calls = &points.calls;
        let mut recursive = vec![false; program.functions.len()];
        for members in components(calls, [entry.0 as usize]) {
            if is_cyclic(calls, &members) {
                members.iter().for_each(|member| recursive[*member] = true);
            }
        }
        let is_entry = |callee: &usize| *callee == entry.0 as usize;
        let mut lifetimes = Lifetimes {
            recursive,
            entry_is_called: calls.iter().flatten().any(is_entry),
            freeing: Vec::new(),
            promoted: IndexSet::default(),
            sites: vec![Fate::default(); points.sites.len()],
            counts: Vec::new(),
            outliving: FxHashMap::default(),
            layered: IndexSet::default(),
            pointing: FxHashMap::default(),
        };
        lifetimes.layered = lifetimes.find_layered(program, points);
        lifetimes.find_sites(program, points, pinned);
        let once = once(program, reach, entry, lifetimes.entry_is_called);
        for (site, fate) in points.sites.iter().zip(&mut lifetimes.sites) {
            fate.is_once = once[site.function.0 as usize]
                && !reach.repeated.contains(&site.call)
                && !reach.jumping.contains(&site.function);
        }
        lifetimes.counts = lifetimes.count(points, heap);
        let age = Age {
            program,
            reach,
            reaches: callees(program, points),
        };
        let is_free = |(id, reached): (u32, &bool)| {
            *reached && Meaning::of(program, FunctionId(id)) == Meaning::Free
        };
        let reaches = age.reaches.iter();
        lifetimes.freeing = reaches
            .map(|reached| (0..).zip(reached).any(is_free))
            .collect();
        let (mut dangling, mut buried) = (Vec::new(), Vec::new());
        for (holder, node) in points.holders.iter().zip(0..) {
            for index in points.flow.set(node) {
                let Target::Region(region) = points.targets[*index as usize] else {
                    continue;
                };
                if !lifetimes.ends(program, points, region) {
                    continue;
                }
                if let Some(function) = lifetimes.function_of_layered(program, region) {
                    dangling.push(node);
                    buried.push(node);
                    if let Holder::Memory(place, leaf) = holder {
                        let pointing = lifetimes.pointing.entry(function).or_default();
                        pointing.insert((*place, *leaf));
                    }
                }
                if lifetimes.outlives(program, &age, *holder, region, points) {
                    dangling.push(node);
                    if let Holder::Memory(place, leaf) = holder {
                        let places = lifetimes.outliving.entry(region).or_default();
                        places.push((*place, *leaf));
                    }
                }
            }
        }
        for (nodes, target) in [(dangling, Target::Dangling), (buried, Target::Buried)] {
            if nodes.is_empty() {
                continue;
            }
            let (element, _) = points.targets.insert_full(target);
            for node in nodes {
                points.flow.add(node, element as u32);
            }
            while points.flow.next().is_some() {}
        }
        lifetimes
    }

    /// The locals of recursive functions that pointers lead to, of constant size.
    fn find_layered(
        &self,
        program: &Program,
        points: &PointsTo,
    ) -> IndexSet<ObjectId, FxBuildHasher> {
        let objects = points.targets.iter().filter_map(|target| match target {
            Target::Region(Region::Object(id)) => Some(*id),
            _ => None,
        });
        let mut layered: Vec<ObjectId> = objects
            .filter(|id| {
                let object = &program.objects[id.0 as usize];
                object.function.is_some()
                    && !self.has_one_place(program, *id)
                    && !program.types.has_variable_size(object.qualified.id)
            })
            .collect();
        layered.sort();
        layered.into_iter().collect()
    }

    /// The function that a region is a local of, with levels.
    fn function_of_layered(&self, program: &Program, region: Region) -> Option<FunctionId> {
        match region {
            Region::Object(id) if self.layered.contains(&id) => {
                program.objects[id.0 as usize].function
            }
            _ => None,
        }
    }

    /// Whether what holds a pointer to a region may still be there when that ends. What has levels
    /// may be that of a frame below.
    fn outlives(
        &self,
        program: &Program,
        age: &Age<'_>,
        holder: Holder,
        region: Region,
        points: &PointsTo,
    ) -> bool {
        let is_below = match holder {
            Holder::Memory(place, _) => {
                self.function_of_layered(program, place).is_some()
                    && self.function_of_layered(program, region).is_some()
            }
            Holder::Value(..) | Holder::Result(..) => false,
        };
        is_below || age.outlives(holder, region, points)
    }

    /// How many objects of a declaration have cells at a time.
    pub fn places(&self, program: &Program, id: ObjectId) -> u32 {
        match self.layered.contains(&id) {
            true => LEVELS,
            false => self.has_one_place(program, id).into(),
        }
    }

    /// Whether a region ends before the program does, and pointers to it may be there then.
    fn ends(&self, program: &Program, points: &PointsTo, region: Region) -> bool {
        match region {
            Region::Object(id) => {
                let object = &program.objects[id.0 as usize];
                !matches!(object.storage, Storage::Static { .. }) && self.places(program, id) > 0
            }
            Region::Site(site) => {
                let is_on_stack = points.sites[site as usize].allocation == Allocation::Stack;
                is_on_stack || self.sites[site as usize].is_forgotten
            }
        }
    }

    /// Whether there is at most one object of a declaration at a time.
    pub fn has_one_place(&self, program: &Program, id: ObjectId) -> bool {
        let object = &program.objects[id.0 as usize];
        match (object.storage, object.function) {
            (Storage::Static { .. }, _) => true,
            (_, Some(function)) => !self.recursive[function.0 as usize],
            (_, None) => false,
        }
    }

    fn count(&self, points: &PointsTo, usual: u32) -> Vec<u32> {
        let sites = points.sites.iter().zip(&self.sites);
        let counts = sites.map(|(site, fate)| {
            let is_recursive = self.recursive[site.frame.0 as usize];
            match site.allocation {
                Allocation::Stack if is_recursive => 0,
                _ if fate.is_once => 1,
                _ => usual,
            }
        });
        counts.collect()
    }

    fn find_sites(
        &mut self,
        program: &Program,
        points: &PointsTo,
        pinned: &IndexSet<u32, FxBuildHasher>,
    ) {
        for pointer in &points.freed {
            for target in points.set(Holder::Value(*pointer, 0)) {
                if let Target::Region(Region::Site(site)) = target {
                    let is_forgotten = !pinned.contains(&site);
                    self.sites[site as usize] = Fate {
                        is_freed: true,
                        is_forgotten,
                        is_once: false,
                    };
                }
            }
        }
        let is_local = |id: ObjectId| {
            let storage = program.objects[id.0 as usize].storage;
            !matches!(storage, Storage::Static { .. })
        };
        let holders = |points: &PointsTo, site: u32| {
            let element = points
                .targets
                .get_index_of(&Target::Region(Region::Site(site)));
            let holders = points.holders.iter().zip(0..);
            let holds = holders.filter(|(_, node)| {
                element.is_some_and(|element| points.flow.set(*node).contains(&(element as u32)))
            });
            let locals = holds.filter_map(|(holder, _)| match holder {
                Holder::Memory(Region::Object(id), _) if is_local(*id) => Some(*id),
                _ => None,
            });
            locals.collect::<Vec<ObjectId>>()
        };
        for site in 0..self.sites.len() as u32 {
            if !self.sites[site as usize].is_forgotten {
                continue;
            }
            let locals = holders(points, site);
            match locals.iter().all(|id| self.has_one_place(program, *id)) {
                true => self.promoted.extend(locals),
                false => self.sites[site as usize].is_forgotten = false,
            }
        }
    }
}

/// The functions that are called at most once in an execution, as far as that is easily seen: by one
/// call in another one, outside loops.
fn once(program: &Program, reach: &Reach, entry: FunctionId, is_called: bool) -> Vec<bool> {
    let mut calls = vec![Vec::new(); program.functions.len()];
    for (id, function) in &reach.expressions {
        if let ExpressionKind::Call(Callee::Function(callee), _) =
            program.expressions[id.0 as usize].kind
        {
            calls[callee.0 as usize].push((*id, *function));
        }
    }
    let mut once = vec![false; program.functions.len()];
    once[entry.0 as usize] = !is_called;
    loop {
        let before = once.clone();
        for (callee, calls) in calls.iter().enumerate() {
            if let [(call, Some(caller))] = calls[..]
                && before[caller.0 as usize]
                && !reach.repeated.contains(&call)
                && !reach.jumping.contains(&caller)
                && !reach
                    .function_addresses
                    .contains(&FunctionId(callee as u32))
            {
                once[callee] = true;
            }
        }
        if once == before {
            return once;
        }
    }
}

/// Which functions each function may come to, by calls.
fn callees(program: &Program, points: &PointsTo) -> Vec<Vec<bool>> {
    let count = program.functions.len();
    let from = |function: usize| {
        let mut reached = vec![false; count];
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            for callee in &points.calls[function] {
                if !std::mem::replace(&mut reached[*callee], true) {
                    open.push(*callee);
                }
            }
        }
        reached
    };
    (0..count).map(from).collect()
}

struct Age<'a> {
    program: &'a Program,
    reach: &'a Reach,
    reaches: Vec<Vec<bool>>,
}

impl Age<'_> {
    /// The function that a region ends with, and the block in it; for a whole call none.
    fn home(&self, region: Region, points: &PointsTo) -> Option<(FunctionId, Option<StatementId>)> {
        match region {
            Region::Object(id) => {
                let object = &self.program.objects[id.0 as usize];
                let function = object.function?;
                match object.storage {
                    Storage::Static { .. } => None,
                    Storage::Parameter => Some((function, None)),
                    Storage::Automatic => {
                        let block = self.reach.blocks.of_objects.get(&id).copied();
                        let around = block.and_then(|block| self.reach.blocks.around.get(&block));
                        // What is in the outermost block ends with the call.
                        Some((function, block.filter(|_| around.is_some())))
                    }
                }
            }
            Region::Site(site) => {
                let site = &points.sites[site as usize];
                let is_on_stack = site.allocation == Allocation::Stack;
                is_on_stack.then_some((site.frame, None))
            }
        }
    }

    /// Whether what holds a pointer to a region may still be there when that ends.
    fn outlives(&self, holder: Holder, region: Region, points: &PointsTo) -> bool {
        let place = match holder {
            Holder::Memory(place, _) => Some(self.home(place, points)),
            Holder::Result(..) | Holder::Value(..) => None,
        };
        let Some((function, block)) = self.home(region, points) else {
            // It ends anywhere.
            return place.is_some();
        };
        let is_above = |other: FunctionId| {
            other == function || self.reaches[other.0 as usize][function.0 as usize]
        };
        match (holder, place) {
            (Holder::Result(other, _), _) => is_above(other),
            (_, None) => false,
            // Static or allocated.
            (_, Some(None)) => true,
            (_, Some(Some((other, _)))) if other != function => is_above(other),
            (_, Some(Some((_, inner)))) => match (block, inner) {
                (None, _) => false,
                (Some(_), None) => true,
                (Some(outer), Some(inner)) => !self.reach.blocks.is_in(inner, outer),
            },
        }
    }
}
