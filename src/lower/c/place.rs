//! Places: which cells they may be, and reading, writing and pointing to them.
//!
//! A place behind a pointer may be one of several: each *alternative* has a condition on the
//! pointer. In an object they are told apart by type, so that a pointer that leads to something of
//! another type leads outside. What must hold of a place is guarded when it is accessed, not when
//! it is named: in `*p = f()` the call comes first.

use super::body::{Body, Task, cells};
use super::layout::{Node, NodeKind};
use super::origin::PointKind;
use super::points_to::{Region, Target};
use super::step::{Guard, Value};
use super::term::Term;
use super::tracked::TOO_LARGE;
use super::unit::{Home, LENGTH};
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{ExpressionId, ObjectId, Place, PlaceId, PlaceKind, Type, TypeId};

/// One of the places that a place may be.
#[derive(Clone)]
pub struct Alternative {
    /// When it is this one; always if it is the only one.
    pub when: Option<Term>,
    pub home: Home,
    /// What it is a part of, if that can have an address, and which object of it.
    region: Option<(Region, u32)>,
    pub node: u32,
    /// Which of the equal nodes in arrays it is.
    pub flat: Term,
}

impl Alternative {
    pub fn node(&self) -> &Node {
        &self.home.layout.nodes[self.node as usize]
    }

    /// Always this one.
    fn only(home: Home, region: Option<(Region, u32)>) -> Self {
        Alternative {
            when: None,
            home,
            region,
            node: 0,
            flat: Term::number(0),
        }
    }
}

/// What a place may be. None of these: nothing gets there.
#[derive(Clone, Default)]
pub struct Spot {
    pub alternatives: Vec<Alternative>,
    /// What must hold where it is accessed.
    guards: Vec<Guard>,
}

impl Spot {
    pub fn terms(&mut self) -> impl Iterator<Item = &mut Term> {
        let alternatives = self.alternatives.iter_mut();
        let places =
            alternatives.flat_map(|a| a.when.iter_mut().chain(std::iter::once(&mut a.flat)));
        places.chain(self.guards.iter_mut().map(|guard| &mut guard.holds))
    }

    /// What is known to be at a place.
    pub fn of(home: Home, region: Region, index: u32) -> Self {
        Spot {
            alternatives: vec![Alternative::only(home, Some((region, index)))],
            guards: Vec::new(),
        }
    }

    pub fn guard(&mut self, holds: Term, span: Span, kind: PointKind) {
        let holds = holds.into_truth();
        if holds.constant() != Some(1) {
            self.guards.push(Guard { holds, kind, span });
        }
    }

    pub fn undefined(&mut self, holds: Term, span: Span, what: &str) {
        let what = what.to_owned();
        self.guard(holds, span, PointKind::Undefined { what });
    }
}

/// The start of a node's arrays and how they are counted through, if all of them lie side by side.
fn stride(node: &Node) -> Option<u32> {
    let mut expected = node.units;
    for (length, stride) in node.arrays.iter().rev() {
        if *stride != expected {
            return None;
        }
        expected *= length;
    }
    Some(node.units)
}

impl Body<'_, '_> {
    fn get_place(&self, id: PlaceId) -> Place {
        self.unit.typed.places[id.0 as usize]
    }

    pub fn place(&mut self, id: PlaceId) {
        let Place { kind, span, .. } = self.get_place(id);
        match kind {
            PlaceKind::Object(object) => {
                let spot = self.object(object, span);
                self.spots.push(spot);
            }
            PlaceKind::Target(pointer) | PlaceKind::Temporary(pointer) => {
                self.tasks.push(Task::FinishPlace(id, false));
                self.tasks.push(Task::Expression(pointer));
            }
            PlaceKind::Field(outer, _) => {
                self.tasks.push(Task::FinishPlace(id, false));
                self.tasks.push(Task::Place(outer));
            }
            PlaceKind::Element(outer, index) => {
                self.tasks.push(Task::FinishPlace(id, false));
                self.tasks.push(Task::Expression(index));
                self.tasks.push(Task::Place(outer));
            }
            PlaceKind::Compound(_, list) => {
                self.tasks.push(Task::FinishPlace(id, false));
                self.tasks.push(Task::Writes(list, list.start));
            }
        }
    }

    /// Evaluates a place that is only pointed to: `&a[n]` may be the end of an array.
    pub fn place_of_address(&mut self, id: PlaceId) {
        match self.get_place(id).kind {
            PlaceKind::Element(outer, index) => {
                self.tasks.push(Task::FinishPlace(id, true));
                self.tasks.push(Task::Expression(index));
                self.tasks.push(Task::Place(outer));
            }
            _ => self.tasks.push(Task::Place(id)),
        }
    }

    fn object(&mut self, id: ObjectId, span: Span) -> Spot {
        let Some(home) = self.home(id) else {
            self.outside(span, self.why_outside(id));
            return Spot::default();
        };
        Spot::of(home, Region::Object(id), 0)
    }

    pub fn why_outside(&self, id: ObjectId) -> &'static str {
        let types = &self.unit.typed.types;
        let type_id = self.unit.typed.objects[id.0 as usize].qualified.id;
        match types.get(type_id) {
            _ if types.has_variable_size(type_id) => "an array of variable size",
            Type::Record(_) if types.record(type_id).is_some_and(|record| record.is_union) => {
                "a union"
            }
            Type::Array(..) => TOO_LARGE,
            _ => "an object of this type",
        }
    }

    pub fn finish_place(&mut self, id: PlaceId, is_address: bool) {
        let Place {
            kind,
            type_id,
            span,
        } = self.get_place(id);
        let spot = match kind {
            PlaceKind::Object(object) | PlaceKind::Compound(object, _) => self.object(object, span),
            PlaceKind::Target(by) => {
                let pointer = self.pop_term();
                self.target(pointer, by, type_id, span)
            }
            PlaceKind::Temporary(of) => {
                let value = self.pop();
                match self.unit.value_scalars(of) {
                    Some((layout, scalars)) => {
                        let home = self.hidden_row(layout, scalars);
                        self.write_row(&home, value);
                        Spot {
                            alternatives: vec![Alternative::only(home, None)],
                            guards: Vec::new(),
                        }
                    }
                    None => Spot::default(),
                }
            }
            PlaceKind::Field(_, field) => {
                let mut spot = self.spots.pop().unwrap_or_default();
                for alternative in &mut spot.alternatives {
                    let layout = &alternative.home.layout;
                    if let Some(node) = layout.part(alternative.node, Some(field)) {
                        alternative.node = node;
                    }
                }
                spot
            }
            PlaceKind::Element(array, _) => {
                let index = self.pop_term().into_number();
                let index = match self.spots.last().map_or(0, |spot| spot.alternatives.len()) {
                    0 | 1 => index,
                    _ => self.short(index),
                };
                let spot = self.spots.pop().unwrap_or_default();
                let array_type = self.place_type(array);
                match self.unit.typed.types.has_variable_size(array_type) {
                    true => self.variable_element(spot, &index, array, is_address, span),
                    false => self.element(spot, &index, is_address, span),
                }
            }
        };
        self.spots.push(spot);
    }

    fn write_row(&mut self, home: &Home, mut value: Value) {
        for ((cell, scalar), term) in cells(home).into_iter().zip(value.terms()) {
            self.write_cell(cell, scalar, term.clone());
        }
    }

    fn element(&self, mut spot: Spot, index: &Term, is_address: bool, span: Span) -> Spot {
        let mut last = None;
        let mut guards = Vec::new();
        let mut open = Vec::new();
        for alternative in &mut spot.alternatives {
            let NodeKind::Array {
                length,
                element,
                is_open,
            } = alternative.node().kind
            else {
                continue;
            };
            let most = i128::from(length) - i128::from(!is_address);
            if is_open {
                open.push(alternative.clone());
            } else if last != Some(most) {
                guards.push(index.clone().within(0, most));
            }
            last = Some(most);
            let flat = std::mem::replace(&mut alternative.flat, Term::number(0));
            alternative.flat = flat.multiply(length.into()).add(index.clone());
            alternative.node = element;
        }
        for alternative in open {
            let elsewhere = match alternative.when {
                Some(when) => when.not(),
                None => Term::truth(false),
            };
            let home = alternative.home;
            let length = home
                .length
                .filter(|_| home.layout.open_end == Some(alternative.node));
            match length {
                Some((length, _)) => {
                    let length = Term::read(length, LENGTH);
                    let above = Term::number(0).less_equal(index.clone());
                    guards.push(elsewhere.or(above.and(match is_address {
                        true => index.clone().less_equal(length),
                        false => index.clone().less(length),
                    })));
                }
                None => {
                    let what = "an array without length of an object that is not allocated";
                    let what = what.to_owned();
                    spot.guard(elsewhere, span, PointKind::Outside { what });
                }
            }
        }
        for inside in guards {
            spot.undefined(inside, span, "index outside the array");
        }
        spot
    }

    /// What a pointer to a type may lead to.
    pub fn target(&mut self, pointer: Term, by: ExpressionId, type_id: TypeId, span: Span) -> Spot {
        let pointer = self.short(pointer.into_number());
        let mut spot = Spot::default();
        let class = self.unit.addresses.class(by).clone();
        let what = "access through a null, dangling or uninitialised pointer";
        spot.undefined(class.is_undefined(&pointer).not(), span, what);
        let what = "access through a pointer of any value".to_owned();
        let stranger = class.is_stranger(&pointer);
        spot.guard(stranger.not(), span, PointKind::Outside { what });
        let mut ends = Term::truth(false);
        let mut any = Term::truth(false);
        for target in self.unit.addresses.targets(by) {
            let (Target::Region(region), Some(first)) = (target, class.code(target)) else {
                continue;
            };
            for (home, slot) in self.unit.homes_of(region).into_iter().zip(0..) {
                let units = i128::from(home.layout.units);
                let base = first + i128::from(slot) * (units + 1);
                if pointer.interval().misses(crate::program::Interval {
                    low: base,
                    high: base + units,
                }) {
                    continue;
                }
                let end = self.end_of(&home, base);
                ends = ends.or(match end.constant() {
                    Some(_) => pointer.clone().equal(end),
                    None => {
                        let here = pointer.clone().within(base, base + units);
                        here.and(end.less_equal(pointer.clone()))
                    }
                });
                if let Some(freed) = self.freed(region, slot) {
                    let here = pointer.clone().within(base, base + units);
                    let what = "access to memory that was freed";
                    spot.undefined(here.and(freed).not(), span, what);
                }
                for (node, index) in home.layout.nodes.iter().zip(0..) {
                    let layouts = &self.unit.layouts;
                    if !layouts.is_same_type(node.type_id, type_id) || node.count == 0 {
                        continue;
                    }
                    // Of members of a union, the first one stands for all.
                    if has_same(&spot, &home, node) {
                        continue;
                    }
                    for (when, flat) in places(&pointer, base, node) {
                        any = any.or(when.clone());
                        spot.alternatives.push(Alternative {
                            when: Some(when),
                            home: home.clone(),
                            region: Some((region, slot)),
                            node: index,
                            flat,
                        });
                    }
                }
            }
        }
        spot.undefined(ends.not(), span, "access at the end of an object");
        let what = "access to what is no object of that type".to_owned();
        spot.guard(any, span, PointKind::Outside { what });
        if let [only] = &mut spot.alternatives[..] {
            only.when = None;
        }
        spot
    }

    /// The code behind the last unit of an object, whose first one is known.
    pub fn end_of(&self, home: &Home, base: i128) -> Term {
        match home.length {
            Some((length, units)) => {
                let length = Term::read(length, LENGTH);
                let begin = base + i128::from(home.open_begin());
                Term::number(begin).add(length.multiply(units.into()))
            }
            None => Term::number(base + i128::from(home.layout.units)),
        }
    }

    /// What must hold of a place where it is accessed.
    pub fn check(&mut self, spot: &mut Spot) {
        self.step.guards.append(&mut spot.guards);
    }

    /// The same where it is read or written. What is certainly not there may be anything: nothing gets
    /// to it.
    pub fn check_access(&mut self, spot: &mut Spot) {
        self.check(spot);
        for alternative in &mut spot.alternatives {
            let all = 0..i128::from(alternative.node().count);
            let known = alternative.flat.constant();
            if known.is_some_and(|flat| !all.contains(&flat)) {
                alternative.flat = Term::number(0);
            }
        }
    }

    /// A pointer to a place, as a value of an expression.
    pub fn address(&mut self, spot: Spot, id: ExpressionId, span: Span) -> Term {
        let mut spot = spot;
        self.check(&mut spot);
        let class = self.unit.addresses.class(id).clone();
        let mut result: Option<Term> = None;
        for alternative in spot.alternatives.iter().rev() {
            let layout = &alternative.home.layout;
            let code = alternative.region.and_then(|(region, slot)| {
                let first = class.code(Target::Region(region))?;
                Some(first + i128::from(slot) * i128::from(layout.units + 1))
            });
            let Some(base) = code else {
                self.outside(span, "the address of a local of a recursive function");
                return Term::number(0);
            };
            let node = alternative.node();
            let start = Term::number(base + i128::from(node.start));
            let address = match stride(node) {
                Some(stride) => start.add(alternative.flat.clone().multiply(stride.into())),
                None => {
                    // From the innermost array outwards.
                    let (mut sum, mut rest) = (start, alternative.flat.clone());
                    for (length, stride) in node.arrays.iter().rev() {
                        let length = Term::number((*length).into());
                        let index = rest.clone().calculate(Operation::Remainder, length.clone());
                        sum = sum.add(index.multiply((*stride).into()));
                        rest = rest.calculate(Operation::Divide, length);
                    }
                    sum
                }
            };
            let object = (&alternative.home, base);
            self.be_one_place(object, &address, alternative.when.as_ref(), span);
            result = Some(match (result, alternative.when.clone()) {
                (Some(other), Some(when)) => Term::if_then_else(when, address, other),
                _ => address,
            });
        }
        result.unwrap_or(Term::number(0))
    }
}

/// Whether a place may be a node of the same object that begins where another one does: members of
/// a union.
fn has_same(spot: &Spot, home: &Home, node: &Node) -> bool {
    spot.alternatives.iter().any(|alternative| {
        let other = alternative.node();
        alternative.home.first == home.first
            && other.start == node.start
            && other.arrays == node.arrays
    })
}

/// Up to so many equal nodes of several units are told apart one by one: the place of one among them
/// would be a quotient.
const FEW: u32 = 8;

/// When an address is that of a node, and which of the equal ones it is then.
fn places(pointer: &Term, base: i128, node: &Node) -> Vec<(Term, Term)> {
    if node.count == 1 || node.count > FEW || (node.units == 1 && stride(node).is_some()) {
        return at(pointer, base, node).into_iter().collect();
    }
    let mut places = Vec::new();
    for flat in 0..node.count {
        // From the innermost array outwards.
        let (mut start, mut rest) = (base + i128::from(node.start), flat);
        for (length, stride) in node.arrays.iter().rev() {
            start += i128::from(rest % length) * i128::from(*stride);
            rest /= length;
        }
        let when = pointer.clone().equal(Term::number(start));
        if when.constant() != Some(0) {
            places.push((when, Term::number(flat.into())));
        }
    }
    places
}

/// When an address is that of a node, and which of the equal ones it is; none if it cannot be.
fn at(pointer: &Term, base: i128, node: &Node) -> Option<(Term, Term)> {
    let start = base + i128::from(node.start);
    if node.count == 1 {
        let when = pointer.clone().equal(Term::number(start));
        return (when.constant() != Some(0)).then_some((when, Term::number(0)));
    }
    let distance = pointer.clone().subtract(Term::number(start));
    let mut flat = Term::number(0);
    let (mut when, mut rest) = (Term::truth(true), distance.clone());
    match stride(node) {
        Some(units) => {
            let all = i128::from(units) * i128::from(node.count);
            when = when.and(pointer.clone().within(start, start + all - 1));
            flat = rest
                .clone()
                .calculate(Operation::Divide, Term::number(units.into()));
            rest = rest.calculate(Operation::Remainder, Term::number(units.into()));
        }
        None => {
            when = when.and(Term::number(start).less_equal(pointer.clone()));
            for (length, stride) in &node.arrays {
                let units = Term::number((*stride).into());
                let index = rest.clone().calculate(Operation::Divide, units.clone());
                when = when.and(index.clone().less(Term::number((*length).into())));
                flat = flat.multiply((*length).into()).add(index);
                rest = rest.calculate(Operation::Remainder, units);
            }
        }
    }
    let when = when.and(rest.equal(Term::number(0)));
    (when.constant() != Some(0)).then_some((when, flat))
}
