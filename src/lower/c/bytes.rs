//! Steps by bytes through objects of other types: `(char *)p - offsetof(struct s, f)`.
//!
//! Addresses count scalars, not bytes. But where the scalars of an object lie is known, so that a step
//! of so many bytes from one of them to another is a step of a known number of scalars.

use super::body::Body;
use super::layout::{Node, NodeKind};
use super::term::Term;
use super::unit::Home;
use crate::typing::c::tree::{Conversion, ExpressionId, ExpressionKind, TypeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Larger objects are not looked at.
const MOST_UNITS: u32 = 1 << 10;

/// Steps that begin in more ranges are outside.
const MOST_RANGES: usize = 64;

/// A step of a pointer to characters.
pub struct ByteStep {
    /// How far it goes.
    bytes: i128,
    /// What the pointer pointed to before it was made one to characters, if that is seen.
    pub source: Option<TypeId>,
}

/// Pointers to one of these scalars, and how many further on the step leads; none if it leads out of
/// the object.
pub struct Move {
    units: (u32, u32),
    distance: Option<i128>,
}

impl Move {
    /// Whether a pointer to an object that begins with this code is one of those.
    pub fn begins(&self, pointer: &Term, base: i128) -> Term {
        let (first, last) = self.units;
        let pointer = pointer.clone();
        pointer.within(base + i128::from(first), base + i128::from(last))
    }

    /// Where it leads, if that is in the object.
    pub fn end(&self, pointer: Term) -> Option<Term> {
        Some(pointer.add(Term::number(self.distance?)))
    }
}

/// How many units behind the first of equal nodes each of them begins.
pub fn offset(node: &Node, mut place: u32) -> u32 {
    let mut offset = 0;
    for (length, stride) in node.arrays.iter().rev() {
        offset += place % length * stride;
        place /= length;
    }
    offset
}

impl Body<'_, '_> {
    /// What an addition to a pointer is, if it is a step of a known number of bytes.
    pub fn byte_step(&self, by: ExpressionId, index: &Term, subtract: bool) -> Option<ByteStep> {
        let typed = self.unit.typed;
        let target = |id: ExpressionId| typed.types.target(self.type_of(id)).map(|one| one.id);
        if !typed.types.is_byte(target(by)?) {
            return None;
        }
        let bytes = index.constant()?;
        let (mut by, mut source) = (by, None);
        while let ExpressionKind::Convert(Conversion::Pointer, operand) =
            typed.expressions[by.0 as usize].kind
            && source.is_none()
        {
            source = target(operand).filter(|id| !typed.types.is_byte(*id));
            by = operand;
        }
        Some(ByteStep {
            bytes: if subtract { -bytes } else { bytes },
            source: source.map(|id| typed.types.row_element(id)),
        })
    }

    /// Where a step leads in an object. What it may begin at is what the pointer pointed to; if that
    /// is not seen, anything but the elements of arrays of characters.
    pub fn moves(&self, home: &Home, step: &ByteStep) -> Vec<Move> {
        let layout = &home.layout;
        if layout.units > MOST_UNITS || layout.is_tracked {
            return Vec::new();
        }
        let typed = self.unit.typed;
        let mut begins = vec![false; layout.units as usize + 1];
        for node in &layout.nodes {
            let is_here = match step.source {
                Some(source) => self.unit.layouts.is_same_type(node.type_id, source),
                None => matches!(node.kind, NodeKind::Scalar(_)),
            };
            for place in (0..node.count).filter(|_| is_here) {
                begins[(node.start + offset(node, place)) as usize] = true;
            }
        }
        for node in &layout.nodes {
            let is_element = !layout.own_arrays(node).is_empty();
            let is_text = step.source.is_none() && is_element && typed.types.is_byte(node.type_id);
            for place in (0..node.count).filter(|_| is_text) {
                begins[(node.start + offset(node, place)) as usize] = false;
            }
        }
        let bits = self.bits_of_units(home);
        let places = bits.iter().zip(0..);
        let units: FxHashMap<i128, u32> = places
            .filter_map(|(bit, unit)| Some(((*bit)?.into(), unit)))
            .collect();
        let end = bits[layout.units as usize].filter(|_| layout.open_end.is_none());
        let mut moves: BTreeMap<(Option<i128>, u32), u32> = BTreeMap::new();
        let mut last: Option<(Option<i128>, u32, u32)> = None;
        for (unit, bit) in (0..).zip(&bits).filter(|(unit, _)| begins[*unit as usize]) {
            let Some(bit) = bit else { continue };
            let to = i128::from(*bit) + 8 * step.bytes;
            let distance = match units.get(&to) {
                Some(to) => Some(i128::from(*to) - i128::from(unit)),
                None if to < 0 || end.is_some_and(|end| to > i128::from(end)) => None,
                None => continue,
            };
            let first = match last {
                Some((same, first, before)) if same == distance && before + 1 == unit => first,
                _ => unit,
            };
            moves.insert((distance, first), unit);
            last = Some((distance, first, unit));
        }
        if moves.len() > MOST_RANGES {
            return Vec::new();
        }
        let moves = moves.into_iter();
        let moves = moves.map(|((distance, first), last)| Move {
            units: (first, last),
            distance,
        });
        moves.collect()
    }

    /// Where the scalars of an object begin, in bits, and where it ends; none where members of a
    /// union with one number begin at different places.
    fn bits_of_units(&self, home: &Home) -> Vec<Option<u64>> {
        let layout = &home.layout;
        let mut found: Vec<Option<Option<u64>>> = vec![None; layout.units as usize + 1];
        for (leaf, place, bit) in self.unit.layouts.places(layout) {
            let node = &layout.nodes[leaf.node as usize];
            if !matches!(node.kind, NodeKind::Scalar(_)) {
                continue;
            }
            let unit = &mut found[(node.start + offset(node, place)) as usize];
            *unit = match *unit {
                Some(other) if other != Some(bit) => Some(None),
                _ => Some(Some(bit)),
            };
        }
        let whole = &layout.nodes[0];
        let size = self.unit.typed.types.size(whole.type_id);
        if let (None, Some(size)) = (home.length, size) {
            found[layout.units as usize] = Some(Some(size * 8 * u64::from(whole.count)));
        }
        found.into_iter().map(Option::flatten).collect()
    }
}
