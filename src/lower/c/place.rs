//! Places: which cells they may be, and reading, writing and pointing to them.
//!
//! A place behind a pointer may be one of several: each *alternative* has a condition on the
//! pointer. They are told apart by type alone, so that a pointer that leads to something of another
//! type leads outside.

use super::body::{Body, Task, as_scalar, cells};
use super::layout::{Node, NodeKind};
use super::origin::PointKind;
use super::step::Value;
use super::term::{Scalar, Term};
use super::unit::{Home, STRANGER};
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{ObjectId, Place, PlaceId, PlaceKind, Type, TypeId};

/// One of the places that a place may be.
#[derive(Clone)]
pub struct Alternative {
    /// When it is this one; always if it is the only one.
    when: Option<Term>,
    home: Home,
    /// The address of the object, if it has one.
    base: Option<i128>,
    node: u32,
    /// Which of the equal nodes in arrays it is.
    flat: Term,
}

impl Alternative {
    fn node(&self) -> &Node {
        &self.home.layout.nodes[self.node as usize]
    }
}

/// What a place may be. None of these: nothing gets there.
#[derive(Clone, Default)]
pub struct Spot {
    alternatives: Vec<Alternative>,
}

impl Spot {
    pub fn terms(&mut self) -> impl Iterator<Item = &mut Term> {
        let alternatives = self.alternatives.iter_mut();
        alternatives.flat_map(|a| a.when.iter_mut().chain(std::iter::once(&mut a.flat)))
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
        Spot {
            alternatives: vec![Alternative {
                when: None,
                home,
                base: self.unit.address(id),
                node: 0,
                flat: Term::number(0),
            }],
        }
    }

    fn why_outside(&self, id: ObjectId) -> &'static str {
        let types = &self.unit.typed.types;
        let type_id = self.unit.typed.objects[id.0 as usize].qualified.id;
        match types.get(type_id) {
            _ if types.has_variable_size(type_id) => "an array of variable size",
            Type::Record(_) if types.record(type_id).is_some_and(|record| record.is_union) => {
                "a union"
            }
            Type::Array(..) => "an array that is too large, or of such elements",
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
            PlaceKind::Target(_) => {
                let pointer = self.pop_term();
                self.target(pointer, type_id, span)
            }
            PlaceKind::Temporary(_) => {
                let value = self.pop();
                match self.unit.layouts.of(type_id) {
                    Some(layout) => {
                        let home = self.hidden_row(layout);
                        self.write_row(&home, value);
                        Spot {
                            alternatives: vec![Alternative {
                                when: None,
                                home,
                                base: None,
                                node: 0,
                                flat: Term::number(0),
                            }],
                        }
                    }
                    None => Spot::default(),
                }
            }
            PlaceKind::Field(_, field) => {
                let mut spot = self.spots.pop().unwrap_or_default();
                for alternative in &mut spot.alternatives {
                    if let NodeKind::Struct { fields } = &alternative.node().kind
                        && let Some(node) = fields.get(field as usize)
                    {
                        alternative.node = *node;
                    }
                }
                spot
            }
            PlaceKind::Element(..) => {
                let index = self.pop_term().into_number();
                let index = match self.spots.last().map_or(0, |spot| spot.alternatives.len()) {
                    0 | 1 => index,
                    _ => self.short(index),
                };
                let spot = self.spots.pop().unwrap_or_default();
                self.element(spot, &index, is_address, span)
            }
        };
        self.spots.push(spot);
    }

    fn write_row(&mut self, home: &Home, mut value: Value) {
        for ((cell, scalar), term) in cells(home).into_iter().zip(value.terms()) {
            self.write_cell(cell, scalar, term.clone());
        }
    }

    fn element(&mut self, mut spot: Spot, index: &Term, is_address: bool, span: Span) -> Spot {
        let mut last = None;
        for alternative in &mut spot.alternatives {
            let NodeKind::Array { length, element } = alternative.node().kind else {
                continue;
            };
            let most = i128::from(length) - i128::from(!is_address);
            if last != Some(most) {
                let inside = index.clone().within(0, most);
                self.undefined(inside, span, "index outside the array");
                last = Some(most);
            }
            let flat = std::mem::replace(&mut alternative.flat, Term::number(0));
            alternative.flat = flat.multiply(length.into()).add(index.clone());
            alternative.node = element;
        }
        spot
    }

    /// What a pointer to a type may lead to.
    fn target(&mut self, pointer: Term, type_id: TypeId, span: Span) -> Spot {
        let pointer = self.short(pointer.into_number());
        let valid = Term::number(STRANGER).less_equal(pointer.clone());
        self.undefined(
            valid,
            span,
            "access through a null or uninitialised pointer",
        );
        let mut alternatives = Vec::new();
        let mut ends = Term::truth(false);
        let mut any = Term::truth(false);
        let objects: Vec<(ObjectId, i128, Home)> = self
            .unit
            .addressed()
            .map(|(id, base, home)| (id, base, home.clone()))
            .collect();
        for (_, base, home) in objects {
            let units = home.layout.nodes.first().map_or(0, |node| node.units);
            let end = base + i128::from(units);
            if pointer.interval().misses(crate::program::Interval {
                low: base,
                high: end,
            }) {
                continue;
            }
            ends = ends.or(pointer.clone().equal(Term::number(end)));
            for (node, index) in home.layout.nodes.iter().zip(0..) {
                if !self.is_same_type(node.type_id, type_id) || node.count == 0 {
                    continue;
                }
                if let Some((when, flat)) = at(&pointer, base, node) {
                    any = any.or(when.clone());
                    alternatives.push(Alternative {
                        when: Some(when),
                        home: home.clone(),
                        base: Some(base),
                        node: index,
                        flat,
                    });
                }
            }
        }
        self.undefined(ends.not(), span, "access at the end of an object");
        let what = "access to what is no object of that type".to_owned();
        self.guard(any, span, PointKind::Outside { what });
        if let [only] = &mut alternatives[..] {
            only.when = None;
        }
        Spot { alternatives }
    }

    /// Whether what is stored as one type may be accessed as another.
    pub fn is_same_type(&self, stored: TypeId, accessed: TypeId) -> bool {
        if stored == accessed {
            return true;
        }
        match (self.unit.scalar(stored), self.unit.scalar(accessed)) {
            (Some(Scalar::Integer(a)), Some(Scalar::Integer(b))) => a.bits == b.bits,
            (Some(Scalar::Pointer(_)), Some(Scalar::Pointer(_))) => true,
            _ => false,
        }
    }

    /// What a place holds.
    pub fn load(&mut self, spot: Spot, type_id: TypeId) -> Value {
        let mut spot = spot;
        if spot.alternatives.len() > 1 && self.step.writes() {
            self.spots.push(spot);
            self.flush();
            spot = self.spots.pop().unwrap_or_default();
        }
        let scalar = self.unit.scalar(type_id);
        let mut result: Option<Vec<Term>> = None;
        for alternative in spot.alternatives.into_iter().rev() {
            let terms = self.load_one(&alternative);
            result = Some(match (result, alternative.when) {
                (Some(others), Some(when)) => terms
                    .into_iter()
                    .zip(others)
                    .map(|(term, other)| Term::if_then_else(when.clone(), term, other))
                    .collect(),
                _ => terms,
            });
        }
        match (result, scalar) {
            (None, _) => self.nothing(type_id),
            (Some(terms), None) => Value::Record(terms),
            (Some(terms), Some(scalar)) => {
                let term = terms.into_iter().next().unwrap_or(Term::number(0));
                // What was stored as a signed one may be read as an unsigned one.
                Value::Scalar(as_scalar(term, scalar))
            }
        }
    }

    fn load_one(&mut self, alternative: &Alternative) -> Vec<Term> {
        let mut terms = Vec::new();
        for (leaf, inner, count) in leaves(alternative) {
            let first = alternative.home.first.plus(leaf.first);
            for k in 0..inner {
                let index = alternative.flat.clone().multiply(inner.into());
                let index = index.add(Term::number(k.into()));
                terms.push(self.read_element(first, count, index, leaf.scalar));
            }
        }
        terms
    }

    /// Writes a value to a place; gives what it then holds.
    pub fn store(&mut self, spot: Spot, value: Value, type_id: TypeId) -> Value {
        let mut value = value;
        if spot.alternatives.len() <= 1 {
            let meets = spot.alternatives.iter().any(|one| self.meets_writes(one));
            let (kept, spot) = match meets {
                true => self.after_step(value, spot),
                false => (value, spot),
            };
            value = kept;
            for alternative in spot.alternatives {
                self.store_one(&alternative, &mut value);
            }
            // What is long must not be read again as a term.
            if value.terms().iter().any(|term| term.len() > 64) {
                value = self.after_step(value, Spot::default()).0;
            }
        } else {
            let (kept, spot) = self.after_step(value, spot);
            value = kept;
            // Whichever is written, what else waits must not change.
            self.keep_all();
            let after = self.assembler.mark();
            let marks: Vec<_> = spot
                .alternatives
                .into_iter()
                .map(|alternative| (alternative, self.assembler.mark()))
                .collect();
            let mut arms = Vec::new();
            for (alternative, mark) in &marks {
                let when = alternative.when.clone().unwrap_or(Term::truth(true));
                arms.push((self.add_truth(when), *mark));
            }
            // One of them is the place: that is guarded.
            let last = arms.pop().map_or(after, |(_, mark)| mark);
            self.assembler.branch(self.span, arms, last);
            for (alternative, mark) in marks {
                self.assembler.set(mark);
                let mut written = value.clone();
                self.store_one(&alternative, &mut written);
                self.flush();
                self.assembler.jump(after);
            }
            self.assembler.set(after);
        }
        match (value, self.unit.scalar(type_id)) {
            (Value::Scalar(term), Some(scalar)) => Value::Scalar(as_scalar(term, scalar)),
            (value, _) => value,
        }
    }

    /// Whether a place may be one that the step already writes, in a way that the order counts.
    fn meets_writes(&self, alternative: &Alternative) -> bool {
        leaves(alternative).any(|(leaf, inner, count)| {
            let first = alternative.home.first.plus(leaf.first);
            match alternative.flat.constant() {
                Some(flat) => {
                    let first = first.plus(flat as u32 * inner);
                    self.step.touches_elements(first, inner)
                }
                None => self.step.touches(first, count),
            }
        })
    }

    /// A value and a place, once the step is made.
    fn after_step(&mut self, value: Value, spot: Spot) -> (Value, Spot) {
        self.values.push(value);
        self.spots.push(spot);
        self.flush();
        let spot = self.spots.pop().unwrap_or_default();
        (self.pop(), spot)
    }

    /// The value becomes what the place then holds.
    fn store_one(&mut self, alternative: &Alternative, value: &mut Value) {
        let mut places = Vec::new();
        for (leaf, inner, count) in leaves(alternative) {
            let first = alternative.home.first.plus(leaf.first);
            for k in 0..inner {
                let index = alternative.flat.clone().multiply(inner.into());
                let index = index.add(Term::number(k.into()));
                places.push((first, count, index, leaf.scalar));
            }
        }
        for ((first, count, index, scalar), term) in places.into_iter().zip(value.terms()) {
            *term = as_scalar(term.clone(), scalar);
            self.step.write(first, count, index, scalar, term.clone());
        }
    }

    /// A pointer to a place.
    pub fn address(&mut self, spot: &Spot, span: Span) -> Term {
        let mut result: Option<Term> = None;
        for alternative in spot.alternatives.iter().rev() {
            let Some(base) = alternative.base else {
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
            result = Some(match (result, alternative.when.clone()) {
                (Some(other), Some(when)) => Term::if_then_else(when, address, other),
                _ => address,
            });
        }
        result.unwrap_or(Term::number(0))
    }
}

/// The leaves of an alternative's node: each with how many of its cells are in one such node, and
/// how many there are in all.
fn leaves(
    alternative: &Alternative,
) -> impl Iterator<Item = (super::layout::Leaf, u32, u32)> + use<'_> {
    let node = alternative.node();
    let layout = &alternative.home.layout;
    let range = node.leaves.0 as usize..node.leaves.1 as usize;
    layout.leaves[range].iter().map(move |leaf| {
        let count = layout.nodes[leaf.node as usize].count;
        (*leaf, count / node.count.max(1), count)
    })
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
