//! Pointers as numbers: comparison, arithmetic inside arrays, distances.
//!
//! What C leaves undefined is guarded; what would need to know where objects are, is outside.

use super::body::Body;
use super::layout::Node;
use super::origin::PointKind;
use super::term::{Scalar, Term};
use super::unit::{Home, STRANGER};
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{Binary, TypeId};

impl Body<'_, '_> {
    pub fn compare_pointers(&mut self, operator: Binary, a: Term, b: Term, span: Span) -> Term {
        self.known_pointer(&a, span);
        self.known_pointer(&b, span);
        if matches!(operator, Binary::Equal | Binary::NotEqual) {
            // Two strangers may be equal or not.
            let stranger = |term: &Term| term.clone().equal(Term::number(STRANGER));
            let both = stranger(&a).and(stranger(&b));
            let what = "two pointers from outside the program are compared".to_owned();
            self.guard(both.not(), span, PointKind::Outside { what });
            let equal = a.equal(b);
            return match operator {
                Binary::Equal => equal,
                _ => equal.not(),
            };
        }
        self.same_object(&a, &b, span, "pointers to different objects are compared");
        match operator {
            Binary::Less => a.less(b),
            Binary::LessEqual => a.less_equal(b),
            Binary::Greater => b.less(a),
            _ => b.less_equal(a),
        }
    }

    fn same_object(&mut self, a: &Term, b: &Term, span: Span, what: &str) {
        let mut same = Term::truth(false);
        let objects: Vec<(i128, u32)> = self
            .unit
            .addressed()
            .map(|(_, base, home)| (base, home.layout.nodes.first().map_or(0, |n| n.units)))
            .collect();
        for (base, units) in objects {
            let end = base + i128::from(units);
            let both = a.clone().within(base, end).and(b.clone().within(base, end));
            same = same.or(both);
        }
        let what = what.to_owned();
        self.guard(same, span, PointKind::Outside { what });
    }

    /// How many units what a pointer points to has.
    fn units_behind(&mut self, pointer: TypeId) -> Option<i128> {
        let target = self.unit.typed.types.target(pointer)?;
        let (units, _) = self.unit.layouts.size(target.id)?;
        Some(units.into()).filter(|units| *units > 0)
    }

    pub fn pointer_add(
        &mut self,
        from: Term,
        index: Term,
        subtract: bool,
        pointer: TypeId,
        span: Span,
    ) -> Term {
        if index.constant() == Some(0) {
            return from;
        }
        let Some(units) = self.units_behind(pointer) else {
            self.outside(span, "pointer arithmetic on such a type");
            return from;
        };
        let target = self.unit.typed.types.target(pointer);
        let from = self.short(from.into_number());
        let distance = index.into_number().multiply(units);
        let to = match subtract {
            true => from.clone().subtract(distance),
            false => from.clone().add(distance),
        };
        let valid = Term::number(STRANGER).less(from.clone());
        self.undefined(valid, span, "arithmetic on a pointer to no object");
        // Inside one array, or one object that is no element, its end included.
        let mut inside = Term::truth(false);
        let mut known = Term::truth(false);
        let objects: Vec<(i128, Home)> = self
            .unit
            .addressed()
            .map(|(_, base, home)| (base, home.clone()))
            .collect();
        for (base, home) in objects {
            for node in &home.layout.nodes {
                let fits = target.is_some_and(|target| self.is_same_type(node.type_id, target.id));
                if !fits {
                    continue;
                }
                for (low, high) in arrays(node, base) {
                    let here = from.clone().within(low, high);
                    known = known.or(here.clone());
                    inside = inside.or(here.and(to.clone().within(low, high)));
                }
            }
        }
        let what = "arithmetic on a pointer to something of another type".to_owned();
        self.guard(known, span, PointKind::Outside { what });
        self.undefined(inside, span, "pointer arithmetic outside an array");
        let width = match self.unit.scalar(pointer) {
            Some(Scalar::Pointer(width)) => width,
            _ => return to,
        };
        to.wrap(width)
    }

    pub fn pointer_difference(&mut self, a: Term, b: Term, pointer: TypeId, span: Span) -> Term {
        let Some(units) = self.units_behind(pointer) else {
            self.outside(span, "pointer arithmetic on such a type");
            return Term::number(0);
        };
        self.same_object(&a, &b, span, "pointers to different objects are subtracted");
        a.subtract(b)
            .calculate(Operation::Divide, Term::number(units))
    }
}

/// Where the innermost arrays of a node begin and end, as addresses.
fn arrays(node: &Node, base: i128) -> Vec<(i128, i128)> {
    let start = base + i128::from(node.start);
    let Some(((length, stride), outer)) = node.arrays.split_last() else {
        return vec![(start, start + i128::from(node.units))];
    };
    let mut starts = vec![start];
    for (length, stride) in outer {
        starts = starts
            .into_iter()
            .flat_map(|start| {
                (0..*length).map(move |k| start + i128::from(k) * i128::from(*stride))
            })
            .collect();
    }
    let extent = i128::from(*length) * i128::from(*stride);
    starts
        .into_iter()
        .map(|start| (start, start + extent))
        .collect()
}
