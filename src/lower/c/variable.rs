//! Arrays of variable size: where they begin to live, and their rows.
//!
//! Whatever its dimensions are, such an array is a row of elements of constant size, which lie as in
//! memory: `a[i][j]` of `int a[n][m]` is the element `i m + j`. The lengths are those that the type
//! has which is used: so a pointer `int (*)[m]` may lead to any row of integers, to an array of
//! constant size, say, or to memory that was allocated.

use super::array::run;
use super::body::{Body, cells};
use super::origin::PointKind;
use super::place::{Alternative, Spot};
use super::reach::root;
use super::term::{Term, Width};
use super::unit::LENGTH;
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{Length, ObjectId, PlaceId, Storage, Type, TypeId};

/// No dimension is longer.
const LONGEST: i128 = 1 << 24;

/// The numbers up to that.
const SHORT: Width = Width {
    bits: 25,
    signed: false,
};

impl Body<'_, '_> {
    /// The hidden variable with the length of an array.
    fn variable_length(&self, object: ObjectId) -> Term {
        let home = self.home(object);
        let cell = home.and_then(|home| cells(&home).first().copied());
        match cell {
            Some((cell, scalar)) => Term::read(cell, scalar).into_number(),
            None => Term::number(0),
        }
    }

    /// The dimensions of a type down to what has a constant size, the outermost first.
    fn dimensions(&self, mut id: TypeId) -> Vec<Term> {
        let types = &self.unit.typed.types;
        let mut all = Vec::new();
        while let Type::Array(element, length) = types.get(id)
            && types.has_variable_size(id)
        {
            all.push(match length {
                Length::Constant(length) => Term::number((*length).into()),
                Length::Variable(object) => self.variable_length(*object),
                Length::Unspecified | Length::Incomplete => Term::number(0),
            });
            id = element.id;
        }
        all
    }

    /// How many elements of constant size something of this type has, and whether no dimension is
    /// empty or too large.
    pub fn elements_of(&self, id: TypeId) -> (Term, Term) {
        let (mut count, mut holds) = (Term::number(1), Term::truth(true));
        for dimension in self.dimensions(id) {
            holds = holds.and(dimension.clone().within(1, LONGEST));
            count = count.calculate(Operation::Multiply, dimension.wrap(SHORT));
        }
        (count, holds)
    }

    /// Guards that the dimensions of a type are such that one can count with them.
    pub fn guard_dimensions(&mut self, holds: Term, span: Span) {
        let what = "an array of such a size".to_owned();
        self.guard(holds, span, PointKind::Outside { what });
    }

    /// An array of variable size begins to live: its length is there.
    pub fn begin_variable(&mut self, id: ObjectId, span: Span) {
        let object = &self.unit.typed.objects[id.0 as usize];
        let (type_id, storage) = (object.qualified.id, object.storage);
        let dimensions = self.dimensions(type_id);
        let Some(home) = self.home(id) else { return };
        if dimensions.is_empty() || storage != Storage::Automatic {
            return;
        }
        let most = Term::number(home.layout.nodes[0].count.into());
        let has_several = dimensions.len() > 1;
        let mut all = Term::number(1);
        for length in dimensions {
            let largest = i128::from(u32::MAX >> 1);
            let positive = length
                .clone()
                .within(1, largest.max(length.interval().high >> 1));
            let what = "array of a length that is not positive";
            self.undefined(positive, span, what);
            self.guard(
                length.clone().less_equal(most.clone()),
                span,
                PointKind::Length,
            );
            all = all.calculate(Operation::Multiply, length.wrap(SHORT));
        }
        if has_several {
            self.guard(all.clone().less_equal(most), span, PointKind::Length);
        }
        if let Some((cell, _)) = home.length {
            self.write_cell(cell, LENGTH, all);
        }
        self.flush();
    }

    /// An element of an array of variable size, which is an array itself if it has more dimensions.
    pub fn variable_element(
        &mut self,
        mut spot: Spot,
        index: &Term,
        array: PlaceId,
        is_address: bool,
        span: Span,
    ) -> Spot {
        let type_id = self.place_type(array);
        let types = &self.unit.typed.types;
        let Type::Array(element, _) = types.get(type_id) else {
            return spot;
        };
        let element = element.id;
        let length = self.dimensions(type_id).into_iter().next();
        let length = length.unwrap_or(Term::number(0));
        let last = match is_address {
            true => length.clone(),
            false => length.clone().subtract(Term::number(1)),
        };
        let above = Term::number(0).less_equal(index.clone());
        let what = "index outside the array";
        spot.undefined(above.and(index.clone().less_equal(last)), span, what);
        let (count, holds) = self.elements_of(element);
        // The lengths of an object were looked at where it began.
        let is_own = root(self.unit.typed, array).is_some();
        if !is_own {
            let what = "an array of such a size".to_owned();
            let holds = holds.and(length.within(1, LONGEST));
            spot.guard(holds, span, PointKind::Outside { what });
        }
        let distance = index.clone().wrap(SHORT);
        let distance = distance.calculate(Operation::Multiply, count);
        for at in 0..spot.alternatives.len() {
            let alternative = &mut spot.alternatives[at];
            let from = std::mem::replace(&mut alternative.flat, Term::number(0));
            let to = from.clone().add(distance.clone());
            alternative.flat = to.clone();
            if !is_own {
                let alternative = alternative.clone();
                self.guard_run(&mut spot, &alternative, from, is_address, span);
            }
        }
        spot
    }

    /// A place so many elements behind another one must be in the same row.
    fn guard_run(
        &self,
        spot: &mut Spot,
        alternative: &Alternative,
        from: Term,
        is_address: bool,
        span: Span,
    ) {
        let node = alternative.node();
        let elsewhere = match alternative.when.clone() {
            Some(when) => when.not(),
            None => Term::truth(false),
        };
        let to = alternative.flat.clone();
        let run = run(node, alternative.home.layout.own_arrays(node));
        if run == node.count && node.units * run == alternative.home.layout.units {
            let end = match alternative.home.length {
                Some((length, _)) => Term::read(length, LENGTH),
                None => Term::number(run.into()),
            };
            let inside = match is_address {
                true => to.less_equal(end),
                false => to.less(end),
            };
            let what = "access outside an object";
            spot.undefined(elsewhere.or(inside), span, what);
            return;
        }
        let run_length = Term::number(run.into());
        let rest = from.clone().calculate(Operation::Remainder, run_length);
        let rest = rest.add(to.subtract(from));
        let inside = rest.within(0, i128::from(run) - i128::from(!is_address));
        let what = "an array of variable size that is larger than what is there".to_owned();
        spot.guard(elsewhere.or(inside), span, PointKind::Outside { what });
    }
}
