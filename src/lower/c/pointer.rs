//! Pointers as numbers: comparison, arithmetic inside arrays, distances.
//!
//! What C leaves undefined is guarded; what would need to know where objects are, is outside.

use super::addresses::Class;
use super::array::{run, runs};
use super::body::Body;
use super::layout::{Layout, Node};
use super::origin::PointKind;
use super::points_to::{Region, Target};
use super::term::{Scalar, Term};
use super::unit::Home;
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{Binary, ExpressionId, TypeId};

/// An object that a pointer may point to, and its codes.
struct Extent {
    home: Home,
    base: i128,
    end: i128,
    /// Whether it was allocated.
    is_allocated: bool,
}

impl Body<'_, '_> {
    /// The objects that a pointer may point to.
    fn extents(&self, by: ExpressionId, class: &Class) -> Vec<Extent> {
        let mut extents = Vec::new();
        for target in self.unit.addresses.targets(by) {
            let (Target::Region(region), Some(first)) = (target, class.code(target)) else {
                continue;
            };
            for (home, slot) in self.unit.homes_of(region).into_iter().zip(0..) {
                let units = i128::from(home.layout.units);
                let base = first + slot * (units + 1);
                let end = base + units;
                extents.push(Extent {
                    home,
                    base,
                    end,
                    is_allocated: matches!(region, Region::Site(_)),
                });
            }
        }
        extents
    }

    /// Guards that it is known whether two pointers are the same.
    fn comparable(&mut self, class: &Class, a: &Term, b: &Term, span: Span) {
        let both = class
            .is(a, Target::Dangling)
            .and(class.is(b, Target::Dangling));
        let what = "pointers to objects that are no more are compared".to_owned();
        self.guard(both.not(), span, PointKind::Outside { what });
        // What is buried may come up again, and be what the other one points to.
        let buried = |one: &Term, other: &Term| {
            let other = other.clone().into_truth();
            class.is(one, Target::Buried).and(other)
        };
        let unknown = buried(a, b).or(buried(b, a));
        let what = "a pointer to a local of a frame deep in a recursion is compared".to_owned();
        self.guard(unknown.not(), span, PointKind::Outside { what });
    }

    /// Two pointers of one class are compared.
    pub fn compare_pointers(
        &mut self,
        operator: Binary,
        (a, by): (Term, ExpressionId),
        b: Term,
        span: Span,
    ) -> Term {
        let class = self.unit.addresses.class(by).clone();
        self.comparable(&class, &a, &b, span);
        if matches!(operator, Binary::Equal | Binary::NotEqual) {
            let equal = a.equal(b);
            return match operator {
                Binary::Equal => equal,
                _ => equal.not(),
            };
        }
        let (mut a, mut b) = self.both_short(a, b);
        let null = |term: &Term| term.clone().equal(Term::number(0));
        let mut known = null(&a).or(null(&b));
        known = known.or(class.has_number(&a).and(class.has_number(&b)));
        for Extent { base, end, .. } in self.extents(by, &class) {
            let both = a.clone().within(base, end).and(b.clone().within(base, end));
            known = known.or(both);
        }
        let less = a.clone().less(b.clone());
        let less = match known.constant() {
            Some(1) => less,
            _ => {
                // The order of different objects may be any.
                let waiting = [a, b, known, less].map(super::step::Value::Scalar);
                self.values.extend(waiting);
                self.flush();
                let cell = self.temporary(Scalar::Truth);
                let comparison = span;
                self.havoc(vec![cell], PointKind::Order { cell, comparison });
                let (less, known) = (self.pop_term(), self.pop_term());
                (b, a) = (self.pop_term(), self.pop_term());
                // What is chosen is the result.
                let chosen = Term::read(cell, Scalar::Truth);
                let chosen = match operator {
                    Binary::Less | Binary::LessEqual => chosen,
                    _ => chosen.not(),
                };
                Term::if_then_else(known, less, chosen)
            }
        };
        let equal = a.equal(b);
        match operator {
            Binary::Less => equal.not().and(less),
            Binary::LessEqual => equal.or(less),
            Binary::Greater => equal.not().and(less.not()),
            _ => equal.or(less.not()),
        }
    }

    fn both_short(&mut self, a: Term, b: Term) -> (Term, Term) {
        self.values.push(super::step::Value::Scalar(a));
        let b = self.short(b.into_number());
        let a = self.pop_term();
        self.values.push(super::step::Value::Scalar(b));
        let a = self.short(a.into_number());
        (a, self.pop_term())
    }

    /// How many units what a pointer points to has.
    fn units_behind(&mut self, pointer: TypeId, span: Span) -> Option<Term> {
        let target = self.unit.typed.types.target(pointer)?;
        let element = self.unit.typed.types.row_element(target.id);
        if self.unit.layouts.open_element(element).is_some() {
            return None;
        }
        let (units, _) = self.unit.layouts.size(element)?;
        let units = Some(i128::from(units)).filter(|units| *units > 0)?;
        let (count, holds) = self.elements_of(target.id);
        self.guard_dimensions(holds, span);
        Some(count.multiply(units))
    }

    /// Where the arrays of a node begin and end, as addresses, in which a pointer to a type may move:
    /// one to an array of variable size from row to row, too. What is no element is an array of one.
    fn arrays(
        &self,
        layout: &Layout,
        node: &Node,
        target: TypeId,
        base: i128,
    ) -> Vec<(i128, i128)> {
        let own = layout.own_arrays(node);
        let length = match self.unit.typed.types.has_variable_size(target) {
            true => run(node, own),
            false => own.last().map_or(1, |(length, _)| *length),
        };
        runs(node, length, base)
    }

    /// The parts of an object that a pointer to a type may lead to.
    fn parts<'l>(&'l self, layout: &'l Layout, target: TypeId) -> impl Iterator<Item = &'l Node> {
        let layouts = &self.unit.layouts;
        let nodes = layout.nodes.iter();
        nodes.filter(move |node| {
            layouts.is_same_type(node.type_id, target) && !layouts.is_bit_field(layout, node)
        })
    }

    /// How many units, in arrays that a pointer to a type leads to, take at least as many bytes as a declared
    /// object: what goes further leaves it, whatever lies in between.
    fn room(&mut self, home: &Home, target: TypeId) -> Option<i128> {
        let element = self.unit.typed.types.row_element(target);
        let (units, _) = self.unit.layouts.size(element)?;
        let types = &self.unit.typed.types;
        let root = home.layout.nodes.first();
        let object = root.filter(|_| home.length.is_none())?.type_id;
        let [object, bytes] = [object, element].map(|id| types.size(id));
        let (object, bytes) = object.zip(bytes.filter(|bytes| *bytes > 0))?;
        let [object, units, bytes] = [object, units, bytes].map(i128::from);
        Some((object * units + bytes - 1) / bytes)
    }

    pub fn pointer_add(
        &mut self,
        (from, by): (Term, ExpressionId),
        index: Term,
        subtract: bool,
        span: Span,
    ) -> Term {
        if index.constant() == Some(0) {
            return from;
        }
        let pointer = self.type_of(by);
        let target = self.unit.typed.types.target(pointer);
        let bytes = self.byte_step(by, &index, subtract);
        let units = match &bytes {
            Some(_) => Some(Term::number(1)),
            None => self.units_behind(pointer, span),
        };
        let (Some(units), Some(target)) = (units, target) else {
            self.outside(span, "pointer arithmetic on such a type");
            return from;
        };
        let class = self.unit.addresses.class(by).clone();
        let (from, index) = self.both_short(from, index);
        let is_moved = index.clone().into_truth();
        let distance = index.into_number();
        let distance = distance.calculate(Operation::Multiply, units);
        let to = match subtract {
            true => from.clone().subtract(distance),
            false => from.clone().add(distance),
        };
        let undefined = class.is_undefined(&from).and(is_moved.clone());
        self.undefined(
            undefined.not(),
            span,
            "arithmetic on a pointer to no object",
        );
        let stranger = class.is_stranger(&from).and(is_moved.clone());
        let what = "arithmetic on a pointer of any value".to_owned();
        self.guard(stranger.not(), span, PointKind::Outside { what });
        // Inside one array, its end included; what is no element is part of its object.
        let mut known = is_moved.clone().not();
        let mut inside = is_moved.not();
        let mut whole = inside.clone();
        let (mut moved, mut led) = (Term::truth(false), to.clone());
        // Behind a member of a union another one may go on.
        let mut behind = Term::truth(false);
        let mut astray = Term::truth(false);
        let is_text = self.unit.typed.types.is_byte(target.id);
        let is_view = is_text && self.unit.addresses.is_view(by);
        let is_variable = self.unit.typed.types.has_variable_size(target.id);
        for extent in self.extents(by, &class) {
            let Extent {
                home,
                base,
                end,
                is_allocated,
            } = extent;
            for one in bytes.iter().flat_map(|step| self.moves(&home, step)) {
                let here = one.begins(&from, base);
                match one.end(from.clone()) {
                    Some(end) => {
                        led = Term::if_then_else(here.clone(), end, led);
                        moved = moved.or(here);
                    }
                    None => astray = astray.or(here),
                }
            }
            // What was made a pointer to characters is none to an element of their arrays.
            if bytes.as_ref().is_some_and(|step| step.source.is_some()) {
                continue;
            }
            let last = self.end_of(&home, base);
            let room = self
                .room(&home, target.id)
                .filter(|_| !is_allocated && !is_text);
            for node in self.parts(&home.layout, target.id) {
                let own = home.layout.own_arrays(node).len();
                let is_element = own > 0;
                // What memory is used as that is allocated, and seen through bytes, is nothing that is
                // declared: there a pointer that leaves an array may be one to another part.
                let is_seen = is_text && (!is_element || is_view);
                let is_loose = is_seen || (is_allocated || is_variable) && node.parent.is_some();
                for (low, high) in self.arrays(&home.layout, node, target.id, base) {
                    let here = from.clone().within(low, high);
                    if here.constant() == Some(0) {
                        continue;
                    }
                    known = known.or(here.clone());
                    if high < end && home.layout.is_in_union(node) {
                        let is_end = to.clone().equal(Term::number(high));
                        behind = behind.or(here.clone().and(is_end));
                    }
                    let reached = match (home.length, own) {
                        (Some(_), 1)
                            if node.arrays.len() == 1 && node.start >= home.open_begin() =>
                        {
                            let above = Term::number(low).less_equal(to.clone());
                            above.and(to.clone().less_equal(last.clone()))
                        }
                        _ => to.clone().within(low, high),
                    };
                    inside = inside.or(here.clone().and(reached.clone()));
                    whole = whole.or(here.and(match (is_loose, room) {
                        (true, None) => Term::truth(true),
                        (true, Some(room)) => to.clone().within(low - room, high + room),
                        (false, _) => reached,
                    }));
                }
            }
        }
        let [known, whole, inside] = [known, whole, inside].map(|one| one.or(moved.clone()));
        let outside_array = "pointer arithmetic outside an array";
        self.undefined(astray.not(), span, outside_array);
        let what = "arithmetic on a pointer to something of another type".to_owned();
        self.guard(known, span, PointKind::Outside { what });
        self.undefined(whole, span, outside_array);
        let what = "arithmetic on a pointer to what is no element of an array".to_owned();
        self.guard(inside, span, PointKind::Outside { what });
        let what = "a pointer behind a member of a union".to_owned();
        self.guard(behind.not(), span, PointKind::Outside { what });
        for Extent { home, base, .. } in self.extents(by, &class) {
            self.be_one_place((&home, base), &led, None, span);
        }
        led.wrap(class.width())
    }

    pub fn pointer_difference(
        &mut self,
        (a, by): (Term, ExpressionId),
        b: Term,
        span: Span,
    ) -> Term {
        let pointer = self.type_of(by);
        let target = self.unit.typed.types.target(pointer);
        let (Some(units), Some(target)) = (self.units_behind(pointer, span), target) else {
            self.outside(span, "pointer arithmetic on such a type");
            return Term::number(0);
        };
        let class = self.unit.addresses.class(by).clone();
        let (a, b) = self.both_short(a, b);
        self.comparable(&class, &a, &b, span);
        let mut same = a.clone().equal(b.clone());
        let mut inside = same.clone();
        let strangers = class.has_number(&a).and(class.has_number(&b));
        let strangers = strangers.and(same.clone().not());
        let what = "pointers of any value are subtracted".to_owned();
        self.guard(strangers.not(), span, PointKind::Outside { what });
        let both = |low: i128, high: i128| {
            let a = a.clone().within(low, high);
            a.and(b.clone().within(low, high))
        };
        for Extent {
            home, base, end, ..
        } in self.extents(by, &class)
        {
            same = same.or(both(base, end));
            // Units are a measure of distance only between elements of one array.
            for node in self.parts(&home.layout, target.id) {
                for (low, high) in self.arrays(&home.layout, node, target.id, base) {
                    inside = inside.or(both(low, high));
                }
            }
        }
        self.undefined(same, span, "difference of pointers to different objects");
        let what = "difference of pointers to what are no elements of one array".to_owned();
        self.guard(inside, span, PointKind::Outside { what });
        let distance = a.subtract(b);
        if units.constant() != Some(1) {
            let rest = distance
                .clone()
                .calculate(Operation::Remainder, units.clone());
            let what = "difference of pointers between elements";
            self.undefined(rest.equal(Term::number(0)), span, what);
        }
        distance.calculate(Operation::Divide, units)
    }
}
