//! Pointers as numbers: which numbering each pointer has, and what its codes stand for.
//!
//! Pointers that flow into each other, or are compared, are one *class*, with a numbering of their
//! own of all that they may point to: 0 is null, then come what is dangling or uninitialised and
//! functions, which cannot be accessed; then what is buried and the stranger; then the units of
//! objects, with one more for the end of each. So a pointer has as few bits as its class needs, and copying it is
//! no conversion.
//!
//! Of strangers, one code is enough unless two of them are compared or one is made an integer. Where
//! that happens, codes below the others are the numbers of strangers (with 64 bits: all codes but
//! those of a range that no real address is in).

use super::layout::Layouts;
use super::points_to::{Holder, PointsTo, Region, Target};
use super::term::{Codes, Scalar, Term, Width};
use crate::typing::c::tree::{Conversion, DataModel, ExpressionId, ExpressionKind, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Where the other codes begin in classes with numbers of strangers of 64 bits.
const NO_REAL_ADDRESS: i128 = 0x7a5e_0000_0000_0000;

/// A numbering.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// The code of a target, or of its first unit.
    codes: FxHashMap<Target, i128>,
    /// How many codes each target has.
    extents: FxHashMap<Target, i128>,
    /// Below this no code but that of strangers may be accessed.
    floor: i128,
    /// The codes that are no numbers of strangers, if those have numbers.
    named: Option<(i128, i128)>,
    /// Whether all strangers are uninitialised pointers.
    only_uninitialised: bool,
    bits: u8,
}

impl Class {
    pub fn code(&self, target: Target) -> Option<i128> {
        self.codes.get(&target).copied()
    }

    /// The codes of a target, its end included.
    pub fn range(&self, target: Target) -> Option<(i128, i128)> {
        let first = self.code(target)?;
        Some((first, first + self.extents.get(&target)? - 1))
    }

    /// What a code stands for, and how many codes after the first of that it is; none for the
    /// number of a stranger.
    pub fn meaning(&self, code: i128) -> Option<(Target, i128)> {
        let mut targets = self.codes.iter();
        let is_here = |(target, first): &(&Target, &i128)| {
            let extent = self.extents.get(target).copied().unwrap_or(0);
            (**first..**first + extent).contains(&code)
        };
        let (target, first) = targets.find(is_here)?;
        Some((*target, code - first))
    }

    /// How wide codes are.
    pub fn width(&self) -> Width {
        Width {
            bits: self.bits.max(1),
            signed: false,
        }
    }

    /// Whether strangers have numbers.
    pub fn has_numbers(&self) -> bool {
        self.named.is_some()
    }

    /// Whether a pointer is a stranger, initialised or not, with a number.
    pub fn has_number(&self, pointer: &Term) -> Term {
        match self.named {
            Some((first, last)) => {
                let named = pointer.clone().within(first, last);
                pointer.clone().into_truth().and(named.not())
            }
            None => Term::truth(false),
        }
    }

    /// Whether access through a pointer is undefined, as far as its code alone tells.
    pub fn is_undefined(&self, pointer: &Term) -> Term {
        let Some((first, _)) = self.named else {
            return pointer.clone().less(Term::number(self.floor));
        };
        let mut undefined = pointer.clone().into_truth().not();
        if self.floor > first {
            undefined = undefined.or(pointer.clone().within(first, self.floor - 1));
        }
        match self.only_uninitialised {
            true => undefined.or(self.has_number(pointer)),
            false => undefined,
        }
    }

    /// Whether access through a pointer is outside, as far as its code alone tells.
    pub fn is_stranger(&self, pointer: &Term) -> Term {
        let stranger = match (self.named, self.code(Target::Stranger)) {
            (Some(_), _) if self.only_uninitialised => Term::truth(false),
            (Some(_), _) => self.has_number(pointer),
            (None, Some(code)) => pointer.clone().equal(Term::number(code)),
            (None, None) => Term::truth(false),
        };
        stranger.or(self.is(pointer, Target::Buried))
    }

    /// Whether a pointer is that one.
    pub fn is(&self, pointer: &Term, target: Target) -> Term {
        match self.code(target) {
            Some(code) => pointer.clone().equal(Term::number(code)),
            None => Term::truth(false),
        }
    }

    /// Whether a pointer has no value that an object, a function or nothing has: it is null or a
    /// stranger, one that is uninitialised or another.
    pub fn is_any_value(&self, pointer: &Term, stranger: Target) -> Term {
        let null = pointer.clone().into_truth().not();
        match self.code(stranger).filter(|_| self.named.is_none()) {
            Some(code) => null.or(pointer.clone().equal(Term::number(code))),
            None => null.or(self.has_number(pointer)),
        }
    }
}

/// The numberings of all pointers of a program.
pub struct Addresses {
    pub points: PointsTo,
    class_of: Vec<u32>,
    classes: Vec<Class>,
    nothing: Class,
    /// Whether what a holder has may have been a pointer to something else before it was made one
    /// to characters.
    views: Vec<bool>,
}

impl Addresses {
    /// So many objects of a region have codes as `count` says.
    pub fn new(
        program: &Program,
        points: PointsTo,
        layouts: &mut Layouts<'_>,
        count: impl Fn(Region) -> u32,
    ) -> Self {
        let mut union = Union::new(points.holders.len());
        for (from, to) in points.flow.edges() {
            union.join(from, to);
        }
        let value = |id: ExpressionId| points.holders.get_index_of(&Holder::Value(id, 0));
        for (a, b) in &points.compared {
            if let (Some(a), Some(b)) = (value(*a), value(*b)) {
                union.join(a as u32, b as u32);
            }
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut sets: Vec<BTreeSet<Target>> = Vec::new();
        let mut class_of = Vec::with_capacity(points.holders.len());
        for node in 0..points.holders.len() as u32 {
            let next = sets.len() as u32;
            let class = *numbers.entry(union.find(node)).or_insert(next);
            if class == next {
                sets.push(BTreeSet::new());
            }
            let targets = points.flow.set(node).iter();
            sets[class as usize].extend(targets.map(|index| points.targets[*index as usize]));
            class_of.push(class);
        }
        let is_stranger = |id: &ExpressionId| {
            points
                .set(Holder::Value(*id, 0))
                .any(|target| matches!(target, Target::Stranger | Target::Uninitialised))
        };
        let mut numbered = vec![false; sets.len()];
        let compared = points.compared.iter();
        let compared = compared.filter(|(a, b)| is_stranger(a) && is_stranger(b));
        let integers = points.made_integers.iter().filter(|id| is_stranger(id));
        for id in compared.map(|(a, _)| a).chain(integers) {
            if let Some(node) = value(*id) {
                numbered[class_of[node] as usize] = true;
            }
        }
        let mut unit = |region: Region| {
            let units = match region {
                Region::Object(id) => {
                    let type_id = program.objects[id.0 as usize].qualified.id;
                    layouts.of(type_id)?.units
                }
                Region::Site(site) => points.sites[site as usize].layout.as_ref()?.units,
            };
            let count = count(region);
            (count > 0).then_some(i128::from(count) * i128::from(units + 1))
        };
        let model = program.types.model;
        let classes = sets.into_iter().zip(numbered);
        let classes = classes
            .map(|(set, numbered)| number(&set, numbered, model, &mut unit))
            .collect();
        let views = views(program, &points);
        Addresses {
            points,
            class_of,
            classes,
            nothing: Class::default(),
            views,
        }
    }

    /// Whether an expression may be a pointer to the bytes of something that is no array of
    /// characters.
    pub fn is_view(&self, id: ExpressionId) -> bool {
        let node = self.points.holders.get_index_of(&Holder::Value(id, 0));
        node.is_some_and(|node| self.views[node])
    }

    fn class_at(&self, holder: Holder) -> Option<u32> {
        let node = self.points.holders.get_index_of(&holder)?;
        Some(self.class_of[node])
    }

    /// The numbering of an expression's value.
    pub fn class(&self, id: ExpressionId) -> &Class {
        let class = self.class_at(Holder::Value(id, 0));
        class.map_or(&self.nothing, |class| &self.classes[class as usize])
    }

    /// All numberings.
    pub fn into_classes(self) -> Vec<Class> {
        self.classes
    }

    /// A numbering by its index.
    pub fn class_by_index(&self, index: u32) -> Option<&Class> {
        self.classes.get(index as usize)
    }

    /// What a pointer holds.
    pub fn scalar(&self, holder: Holder) -> Scalar {
        let Some(class) = self.class_at(holder) else {
            return Scalar::Pointer(Codes::OPEN);
        };
        let numbering = &self.classes[class as usize];
        let (mut low, mut high) = (i128::MAX, 0);
        if numbering.has_numbers() {
            (low, high) = (0, (1 << numbering.bits) - 1);
        }
        for target in self.points.set(holder) {
            if let Some((first, last)) = numbering.range(target) {
                (low, high) = (low.min(first), high.max(last));
            }
        }
        Scalar::Pointer(Codes {
            class,
            bits: numbering.bits,
            low: low.min(high) as u64,
            high: high as u64,
        })
    }

    /// What an expression may point to.
    pub fn targets(&self, id: ExpressionId) -> Vec<Target> {
        self.points.set(Holder::Value(id, 0)).collect()
    }
}

/// Where pointers come to that were made pointers to characters.
fn views(program: &Program, points: &PointsTo) -> Vec<bool> {
    let types = &program.types;
    let is_of_bytes = |id: ExpressionId| {
        let pointer = program.expressions[id.0 as usize].type_id;
        types
            .target(pointer)
            .is_some_and(|target| types.is_byte(target.id))
    };
    let mut successors = vec![Vec::new(); points.holders.len()];
    for (from, to) in points.flow.edges() {
        successors[from as usize].push(to);
    }
    let mut views = vec![false; points.holders.len()];
    let mut open = Vec::new();
    for (node, holder) in (0..).zip(&points.holders) {
        let Holder::Value(id, 0) = *holder else {
            continue;
        };
        if let ExpressionKind::Convert(Conversion::Pointer, operand) =
            program.expressions[id.0 as usize].kind
            && is_of_bytes(id)
            && !is_of_bytes(operand)
        {
            open.push(node);
        }
    }
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut views[node as usize], true) {
            open.extend(&successors[node as usize]);
        }
    }
    views
}

/// The codes of a set of targets.
fn number(
    set: &BTreeSet<Target>,
    numbered: bool,
    model: DataModel,
    units: &mut impl FnMut(Region) -> Option<i128>,
) -> Class {
    let mut class = Class::default();
    let mut next = 1;
    if numbered {
        next = match model {
            DataModel::Ilp32 => 1 << 32,
            DataModel::Lp64 => NO_REAL_ADDRESS,
        };
    }
    let first = next;
    let mut put = |class: &mut Class, target: Target, extent: i128| {
        class.codes.insert(target, next);
        class.extents.insert(target, extent);
        next += extent;
        next
    };
    class.codes.insert(Target::Null, 0);
    class.extents.insert(Target::Null, 1);
    let has = |target: Target| set.contains(&target);
    class.floor = first;
    if has(Target::Dangling) {
        class.floor = put(&mut class, Target::Dangling, 1);
    }
    if has(Target::Uninitialised) && !numbered {
        class.floor = put(&mut class, Target::Uninitialised, 1);
    }
    for target in set.iter().filter(|one| matches!(one, Target::Function(_))) {
        class.floor = put(&mut class, *target, 1);
    }
    let mut end = class.floor;
    if has(Target::Buried) {
        end = put(&mut class, Target::Buried, 1);
    }
    if has(Target::Stranger) && !numbered {
        end = put(&mut class, Target::Stranger, 1);
    }
    for target in set {
        if let Target::Region(region) = target
            && let Some(extent) = units(*region)
        {
            end = put(&mut class, *target, extent);
        }
    }
    class.only_uninitialised = has(Target::Uninitialised) && !has(Target::Stranger);
    class.bits = (i128::BITS - (end - 1).max(1).leading_zeros()) as u8;
    if numbered {
        class.named = Some((first, end - 1));
        if model == DataModel::Lp64 {
            class.bits = 64;
        }
    }
    class
}

/// Classes of nodes, by union and find.
struct Union {
    parents: Vec<u32>,
}

impl Union {
    fn new(size: usize) -> Self {
        Union {
            parents: (0..size as u32).collect(),
        }
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[self.parents[node as usize] as usize];
            self.parents[node as usize] = above;
            node = above;
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        // The smaller number stays: the result does not depend on the order.
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
