//! Locals of recursive functions that pointers lead to.
//!
//! There is one such object for each frame. Those of the upper frames of a function have global cells,
//! the first *level* those of the frame that was entered last. Where the function is entered,
//! the objects of each level go one level down, and those of the last one into hidden cells
//! of the frame; where it is left, they come back. A pointer says which level it means, as seen
//! from where it is: so all that are in sight move with their objects, in globals, in memory
//! and in parameters. Those in frames below stay, because they are looked at again when the
//! levels are as they were. What is below the last level is *buried*: access is outside.
//!
//! So a function may write through a pointer to a local of the frame that called it, however deep
//! the recursion, and nothing is lost. The cost is a step for each cell and pointer at both ends of
//! a call.

use super::addresses::Class;
use super::body::{Body, cells};
use super::points_to::{Region, Target};
use super::step::Value;
use super::term::{Scalar, Term};
use super::unit::Home;
use crate::typing::c::tree::{ExpressionId, ObjectId};

/// How many there are.
pub const LEVELS: u32 = 2;

/// Where pointers move to.
#[derive(Clone, Copy)]
enum Direction {
    Down,
    Up,
}

impl Body<'_, '_> {
    /// The locals of the function that have levels.
    fn own_levels(&self) -> Vec<ObjectId> {
        let layered = &self.unit.lifetimes.layered;
        let is_own = |id: &&ObjectId| {
            let function = self.unit.typed.objects[id.0 as usize].function;
            function.is_some() && function == self.function
        };
        layered.iter().filter(is_own).copied().collect()
    }

    /// The function is entered, with parameters that are not yet where they are kept.
    pub fn push_levels(&mut self) {
        let own = self.own_levels();
        for id in &own {
            let homes = self.unit.homes_of(Region::Object(*id));
            let Some(last) = homes.last() else { continue };
            let saved = self.hidden_row(last.layout.clone(), last.scalars.clone());
            self.copy_row(last, &saved);
            for pair in homes.windows(2).rev() {
                self.copy_row(&pair[0], &pair[1]);
            }
            self.saved.push((*id, saved));
        }
        self.move_pointers(&own, Direction::Down);
    }

    /// Whether there is something to come back when the function is left.
    pub fn has_levels(&self) -> bool {
        !self.saved.is_empty()
    }

    /// The function is left.
    pub fn pop_levels(&mut self) {
        let own = self.own_levels();
        self.move_pointers(&own, Direction::Up);
        for (id, saved) in self.saved.clone() {
            let homes = self.unit.homes_of(Region::Object(id));
            for pair in homes.windows(2) {
                self.copy_row(&pair[1], &pair[0]);
            }
            if let Some(last) = homes.last() {
                self.copy_row(&saved, last);
            }
        }
    }

    fn copy_row(&mut self, from: &Home, to: &Home) {
        for ((from, scalar), (to, _)) in cells(from).into_iter().zip(cells(to)) {
            let value = self.read_cell(from, scalar);
            self.write_cell(to, scalar, value);
            self.flush();
        }
    }

    /// The pointers in sight mean another level.
    fn move_pointers(&mut self, own: &[ObjectId], direction: Direction) {
        let Some(function) = self.function.filter(|_| !own.is_empty()) else {
            return;
        };
        let holders = self.unit.lifetimes.pointing.get(&function);
        for (place, leaf) in holders.cloned().unwrap_or_default() {
            let mut homes = self.unit.homes_of(place);
            if let Region::Object(id) = place {
                if self.is_watched(id) {
                    continue;
                }
                if let Direction::Down = direction {
                    homes.extend(self.parameter_home(id));
                }
            }
            for home in homes {
                self.move_leaf(&home, leaf, own, direction);
            }
        }
    }

    fn move_leaf(&mut self, home: &Home, leaf: u32, own: &[ObjectId], direction: Direction) {
        let scalar = home.scalars[leaf as usize];
        let Scalar::Pointer(codes) = scalar else {
            return;
        };
        let Some(class) = self.unit.addresses.class_by_index(codes.class).cloned() else {
            return;
        };
        let leaf = home.layout.leaves[leaf as usize];
        for place in 0..home.layout.nodes[leaf.node as usize].count {
            let cell = home.first.plus(leaf.first + place);
            let pointer = self.read_cell(cell, scalar);
            let moved = self.moved(&class, pointer, own, direction);
            self.write_cell(cell, scalar, moved);
            self.flush();
        }
    }

    /// A pointer as the levels are then.
    fn moved(&self, class: &Class, pointer: Term, own: &[ObjectId], to: Direction) -> Term {
        let mut moved = pointer.clone();
        for id in own {
            let region = Region::Object(*id);
            let Some((first, last)) = class.range(Target::Region(region)) else {
                continue;
            };
            let each = (last - first + 1) / i128::from(LEVELS);
            let (ends, end, stay, further) = match to {
                Direction::Down => (
                    (last - each + 1, last),
                    Target::Buried,
                    (first, last - each),
                    each,
                ),
                Direction::Up => (
                    (first, first + each - 1),
                    Target::Dangling,
                    (first + each, last),
                    -each,
                ),
            };
            let within = |(low, high): (i128, i128)| pointer.clone().within(low, high);
            let next = pointer.clone().add(Term::number(further));
            moved = Term::if_then_else(within(stay), next.wrap(class.width()), moved);
            // Every class that has such a target has these.
            let code = Term::number(class.code(end).unwrap_or(0));
            moved = Term::if_then_else(within(ends), code, moved);
        }
        moved
    }

    /// What the function gives back, as the levels are then.
    pub fn lift_value(&mut self, value: &mut Value, by: ExpressionId) {
        let own = self.own_levels();
        let Some((layout, scalars)) = self.unit.value_scalars(by).filter(|_| !own.is_empty())
        else {
            return;
        };
        let mut leaves = Vec::new();
        for (leaf, scalar) in layout.leaves.iter().zip(scalars.iter()) {
            let count = layout.nodes[leaf.node as usize].count;
            leaves.extend((0..count).map(|_| *scalar));
        }
        for (term, scalar) in value.terms().iter_mut().zip(leaves) {
            if let Scalar::Pointer(codes) = scalar
                && let Some(class) = self.unit.addresses.class_by_index(codes.class)
            {
                let pointer = std::mem::replace(term, Term::number(0)).into_number();
                *term = self.moved(class, pointer, &own, Direction::Up);
            }
        }
    }
}
