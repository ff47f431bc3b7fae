//! Reading and writing places: all their cells at once, or one of several places in a step of its
//! own. Of unions, which member is live.

use super::assembler::Mark;
use super::body::{Body, as_scalar};
use super::domain;
use super::layout::Leaf;
use super::origin::PointKind;
use super::place::{Alternative, Spot};
use super::step::Value;
use super::term::{Scalar, Term};
use super::tracked::TOO_LARGE;
use crate::program::{Operation, VariableId};
use crate::typing::c::tree::TypeId;

/// Values of more bits are not chosen among in a term.
const NARROW: u32 = 8;

/// Why a struct as a whole is outside.
const OPEN: &str = "a struct that ends with an array without length, as a whole";

impl Body<'_, '_> {
    /// What a place holds.
    pub fn load(&mut self, spot: Spot, type_id: TypeId) -> Value {
        let mut spot = spot;
        self.check_access(&mut spot);
        let meets = spot
            .alternatives
            .iter()
            .any(|one| self.meets_any_writes(one));
        if meets || (spot.alternatives.len() > 1 && self.step.writes()) {
            self.spots.push(spot);
            self.flush();
            spot = self.spots.pop().unwrap_or_default();
        }
        if self.is_tracked_row(&spot) {
            self.outside(self.span, TOO_LARGE);
            return self.nothing(type_id);
        }
        if self.unit.layouts.open_element(type_id).is_some() {
            self.outside(self.span, OPEN);
            return self.nothing(type_id);
        }
        let scalar = self.unit.scalar(type_id);
        if self.is_tracked_apart(&spot) && spot.alternatives.len() == 1 && !self.is_inline() {
            let value = self.load_tracked_apart(spot, type_id);
            return match (value, scalar) {
                (Value::Scalar(term), Some(scalar)) => Value::Scalar(as_scalar(term, scalar)),
                (value, _) => value,
            };
        }
        let is_apart = self.is_wide(&spot) || self.is_tracked_apart(&spot);
        if is_apart && !self.is_inline() {
            return self.load_apart(spot, type_id);
        }
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

    /// Whether a choice among wide values is to be made: as one term, it would relate them all.
    fn is_wide(&self, spot: &Spot) -> bool {
        let bits = |alternative: &Alternative| {
            let leaves = leaves(alternative);
            leaves
                .map(|(leaf, inner, _)| inner * domain(leaf.scalar).bits())
                .sum()
        };
        spot.alternatives.len() > 1 && spot.alternatives.iter().map(bits).max() > Some(NARROW)
    }

    /// Reads one of several places, each in a step of its own.
    fn load_apart(&mut self, spot: Spot, type_id: TypeId) -> Value {
        self.spots.push(spot);
        self.keep_all();
        let spot = self.spots.pop().unwrap_or_default();
        let mut row: Vec<Scalar> = Vec::new();
        for alternative in &spot.alternatives {
            let scalars = leaves(alternative)
                .flat_map(|(leaf, inner, _)| std::iter::repeat_n(leaf.scalar, inner as usize));
            for (index, scalar) in scalars.enumerate() {
                match row.get_mut(index) {
                    Some(known) => *known = known.join(scalar),
                    None => row.push(scalar),
                }
            }
        }
        let result: Vec<(VariableId, Scalar)> = row
            .into_iter()
            .map(|scalar| (self.temporary(scalar), scalar))
            .collect();
        let after = self.assembler.mark();
        for (alternative, mark) in self.fork_places(spot, after) {
            self.assembler.set(mark);
            let terms = self.load_one(&alternative);
            for ((cell, scalar), term) in result.iter().zip(terms) {
                self.write_cell(*cell, *scalar, as_scalar(term, *scalar));
            }
            self.flush();
            self.assembler.jump(after);
        }
        self.assembler.set(after);
        let mut terms = result
            .into_iter()
            .map(|(cell, scalar)| Term::read(cell, scalar));
        match self.unit.scalar(type_id) {
            Some(scalar) => {
                let term = terms.next().unwrap_or(Term::number(0));
                Value::Scalar(as_scalar(term, scalar))
            }
            None => Value::Record(terms.collect()),
        }
    }

    /// Control goes to the mark of the place that is meant.
    fn fork_places(&mut self, spot: Spot, none: Mark) -> Vec<(Alternative, Mark)> {
        let places: Vec<_> = spot
            .alternatives
            .into_iter()
            .map(|alternative| (alternative, self.assembler.mark()))
            .collect();
        let mut arms = Vec::new();
        for (alternative, mark) in &places {
            let when = alternative.when.clone().unwrap_or(Term::truth(true));
            arms.push((self.add_truth(when), *mark));
        }
        // One of them is the place: that is guarded.
        let last = arms.pop().map_or(none, |(_, mark)| mark);
        self.assembler.branch(self.span, arms, last);
        places
    }

    pub fn load_one(&mut self, alternative: &Alternative) -> Vec<Term> {
        if let Some(tracked) = alternative.home.tracked {
            return vec![self.load_tracked(alternative, tracked)];
        }
        let mut terms = Vec::new();
        self.live_member(alternative);
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
        let mut spot = spot;
        self.check_access(&mut spot);
        if self.unit.layouts.open_element(type_id).is_some() {
            self.outside(self.span, OPEN);
            return value;
        }
        let is_tracked = |one: &Alternative| one.home.tracked.is_some();
        let is_only = spot.alternatives.len() <= 1;
        if is_only && spot.alternatives.iter().any(is_tracked) {
            value = self.store_tracked_apart(spot, value);
        } else if is_only {
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
            // Whichever is written, neither the value nor what else waits must change.
            let (kept, spot) = self.unchanged(value, spot);
            value = kept;
            self.keep_all();
            let after = self.assembler.mark();
            let marks = self.fork_places(spot, after);
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

    /// Whether a place that is not known may be one that the step already writes.
    fn meets_any_writes(&self, alternative: &Alternative) -> bool {
        alternative.flat.constant().is_none()
            && alternative.home.tracked.is_none()
            && self.step.writes()
            && leaves(alternative).any(|(leaf, _, count)| {
                let first = alternative.home.first.plus(leaf.first);
                self.step.touches(first, count)
            })
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

    /// A value and a place that stay what they are while the place is written, once the step is
    /// made.
    pub fn unchanged(&mut self, value: Value, spot: Spot) -> (Value, Spot) {
        let rows = spot.alternatives.iter();
        let rows: Vec<_> = rows
            .map(|one| (one.home.first, one.home.layout.cells))
            .collect();
        self.values.push(value);
        self.spots.push(spot);
        self.keep_rows(&rows);
        let spot = self.spots.pop().unwrap_or_default();
        (self.pop(), spot)
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
    pub fn store_one(&mut self, alternative: &Alternative, value: &mut Value) {
        if let Some(tracked) = alternative.home.tracked {
            return self.store_tracked(alternative, tracked, value);
        }
        let mut places = Vec::new();
        for (leaf, inner, count) in leaves(alternative) {
            let first = alternative.home.first.plus(leaf.first);
            for k in 0..inner {
                let index = alternative.flat.clone().multiply(inner.into());
                let index = index.add(Term::number(k.into()));
                places.push((first, count, index, leaf.scalar));
            }
        }
        self.make_live(alternative);
        for ((first, count, index, scalar), term) in places.into_iter().zip(value.terms()) {
            *term = as_scalar(term.clone(), scalar);
            self.step.write(first, count, index, scalar, term.clone());
            self.keep_hits(alternative, term);
        }
    }

    /// The cells that say which members of the unions around a place are live.
    fn members(&self, alternative: &Alternative) -> Vec<Member> {
        let layout = &alternative.home.layout;
        let unions = layout.unions(alternative.node).into_iter();
        let cells = unions.map(|(live, member)| {
            let leaf = layout.leaves[live as usize];
            let count = layout.nodes[leaf.node as usize].count;
            // So many of the place are in one union.
            let inner = alternative.node().count / count.max(1);
            let index = match inner {
                0 | 1 => alternative.flat.clone(),
                _ => {
                    let inner = Term::number(inner.into());
                    alternative.flat.clone().calculate(Operation::Divide, inner)
                }
            };
            Member {
                first: alternative.home.first.plus(leaf.first),
                count,
                index,
                scalar: leaf.scalar,
                number: member.into(),
                open: layout.open_member(leaf).unwrap_or(0),
            }
        });
        cells.collect()
    }

    /// Which member of a union is live.
    fn live(&mut self, member: &Member) -> Term {
        let index = member.index.clone();
        self.read_element(member.first, member.count, index, member.scalar)
    }

    /// A member of a union is read: it must be live. Where that is open, it is from now on.
    fn live_member(&mut self, alternative: &Alternative) {
        for member in self.members(alternative) {
            let live = self.live(&member);
            let is = |number: i128| live.clone().equal(Term::number(number));
            let mut is_live = is(0).or(is(member.number));
            let mut is_open = is(member.open);
            let can_write = !self.is_inline();
            if can_write {
                is_live = is_live.or(is_open.clone());
            }
            if let Some(when) = &alternative.when {
                is_live = when.clone().not().or(is_live);
                is_open = when.clone().and(is_open);
            }
            let what = "a member of a union that is not the one written".to_owned();
            self.guard(is_live, self.span, PointKind::Outside { what });
            if can_write {
                let number = Term::number(member.number);
                let live = Term::if_then_else(is_open, number, live);
                let (first, count) = (member.first, member.count);
                self.step
                    .write(first, count, member.index, member.scalar, live);
            }
        }
    }

    /// A member of a union is written. If another one was, it must be written as a whole, because
    /// the rest of it has no value.
    fn make_live(&mut self, alternative: &Alternative) {
        for member in self.members(alternative) {
            let layout = &alternative.home.layout;
            let parts = layout.leaves_of(alternative.node).count();
            let whole = layout
                .unions(alternative.node)
                .first()
                .is_some_and(|(live, _)| {
                    let union = layout.leaves[*live as usize].node;
                    let field = layout.part(union, Some(member.number as u32 - 1));
                    field.is_some_and(|field| {
                        let node = &layout.nodes[field as usize];
                        layout.leaves_of(field).count() == parts
                            && node.count == layout.nodes[alternative.node as usize].count
                    })
                });
            if !whole {
                let live = self.live(&member);
                let is = |number: i128| live.clone().equal(Term::number(number));
                let is_live = is(0).or(is(member.number)).or(is(member.open));
                let what = "a part of a member of a union that is not the one written".to_owned();
                self.guard(is_live, self.span, PointKind::Outside { what });
            }
            let number = Term::number(member.number);
            let (first, count) = (member.first, member.count);
            self.step
                .write(first, count, member.index, member.scalar, number);
        }
    }
}

/// The cell of a union that says which member is live, and one of its members.
struct Member {
    /// The first of the cells of all equal unions, and how many there are.
    first: VariableId,
    count: u32,
    index: Term,
    scalar: Scalar,
    number: i128,
    /// What the cell holds as long as it is open which one is live.
    open: i128,
}

/// The leaves of an alternative's node: each with how many of its cells are in one such node, and
/// how many there are in all.
fn leaves(alternative: &Alternative) -> impl Iterator<Item = (Leaf, u32, u32)> + use<'_> {
    let node = alternative.node();
    let layout = &alternative.home.layout;
    layout
        .leaves_of(alternative.node)
        .map(move |(index, leaf)| {
            let count = layout.nodes[leaf.node as usize].count;
            let scalar = alternative.home.scalars[index as usize];
            let leaf = Leaf { scalar, ..leaf };
            (leaf, count / node.count.max(1), count)
        })
}
