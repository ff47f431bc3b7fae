//! Units of unions that are no one place in memory.
//!
//! All members of a union begin at the same unit. What comes behind its first scalar lies elsewhere in each of
//! them if their scalars are of different sizes: `i[1]` and `b[1]` of `union { int i[4]; char b[16]; }`. A pointer
//! to such a unit would be one to several places, so that none is made: that is outside.

use super::body::Body;
use super::bytes::offset;
use super::layout::NodeKind;
use super::origin::PointKind;
use super::term::Term;
use super::unit::Home;
use crate::source::Span;
use rustc_hash::FxHashMap;

impl Body<'_, '_> {
    /// Guards that an address is not that of such a unit of an object that begins at `base`; `when` says
    /// whether it is one of that object, if not always.
    pub fn be_one_place(
        &mut self,
        (home, base): (&Home, i128),
        address: &Term,
        when: Option<&Term>,
        span: Span,
    ) {
        for (first, last) in self.overlaps(home) {
            let (first, last) = (base + i128::from(first), base + i128::from(last));
            let here = address.clone().within(first, last);
            let here = match when {
                Some(when) => when.clone().and(here),
                None => here,
            };
            let what = "a pointer into a union whose members are of different sizes".to_owned();
            self.guard(here.not(), span, PointKind::Outside { what });
        }
    }

    /// The ranges of such units, in rising order.
    fn overlaps(&self, home: &Home) -> Vec<(u32, u32)> {
        let layout = &home.layout;
        if !layout.has_unions() || layout.is_tracked {
            return Vec::new();
        }
        let mut bits: FxHashMap<u32, u64> = FxHashMap::default();
        let mut overlaps = Vec::new();
        for (leaf, place, bit) in self.unit.layouts.places(layout) {
            let node = &layout.nodes[leaf.node as usize];
            if matches!(node.kind, NodeKind::Scalar(_)) {
                let unit = node.start + offset(node, place);
                overlaps.extend((*bits.entry(unit).or_insert(bit) != bit).then_some(unit));
            }
        }
        overlaps.sort_unstable();
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for unit in overlaps {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 >= unit => *last = unit,
                _ => ranges.push((unit, unit)),
            }
        }
        ranges
    }
}
