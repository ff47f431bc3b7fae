//! `memset`, `memcpy` and `memmove` where it is known what lies there, and what functions without
//! body may change.

use super::body::Body;
use super::layout::NodeKind;
use super::origin::PointKind;
use super::points_to::{Region, Target, globals};
use super::step::Value;
use super::term::{Scalar, Term};
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{Conversion, ExpressionId, ExpressionKind, FunctionId, Type, TypeId};

/// More elements are not filled or copied.
const MOST_ELEMENTS: u64 = 256;

const UNFIT: &str = "a call with arguments that do not fit the function";

/// How much is filled or copied.
#[derive(Clone, Copy)]
enum Extent {
    /// So many elements.
    Elements(u32),
    /// As many as the size says, and the objects have no more than these.
    UpTo(u32),
}

impl Body<'_, '_> {
    /// The type of what a pointer that was made one to `void` points to, and how many of it so many
    /// bytes are.
    fn elements(&mut self, mut id: ExpressionId, bytes: u64) -> Option<(TypeId, u32)> {
        let typed = self.unit.typed;
        let regions: Vec<Region> = self
            .unit
            .addresses
            .targets(id)
            .into_iter()
            .filter_map(|target| match target {
                Target::Region(region) => Some(region),
                _ => None,
            })
            .collect();
        while let ExpressionKind::Convert(Conversion::Pointer, operand) =
            typed.expressions[id.0 as usize].kind
        {
            id = operand;
        }
        let mut types = Vec::new();
        types.extend(typed.types.target(self.type_of(id)).map(|target| target.id));
        if let [region] = regions[..] {
            // All of an object, or elements of it.
            let first = self.unit.homes_of(region).into_iter().next();
            for node in first.iter().flat_map(|home| &home.layout.nodes) {
                types.push(node.type_id);
            }
        }
        types.into_iter().find_map(|type_id| {
            self.unit.layouts.of(type_id)?;
            let size = typed.types.size(type_id).filter(|size| *size > 0)?;
            let fits = bytes.is_multiple_of(size) && bytes / size <= MOST_ELEMENTS;
            fits.then_some((type_id, (bytes / size) as u32))
        })
    }

    /// The pointer so many elements further on.
    fn further(&mut self, pointer: &Term, by: ExpressionId, type_id: TypeId, index: u32) -> Term {
        let units = self.unit.layouts.size(type_id).map_or(1, |size| size.0);
        let distance = i128::from(index) * i128::from(units);
        let width = self.unit.addresses.class(by).width();
        pointer.clone().add(Term::number(distance)).wrap(width)
    }

    /// Of which type so many bytes behind these pointers are, and how many elements of it; none if
    /// that is not known.
    fn extent(
        &mut self,
        pointers: impl IntoIterator<Item = ExpressionId>,
        size: &Term,
    ) -> Option<(TypeId, Extent)> {
        let size = size.constant().map(u64::try_from);
        pointers.into_iter().find_map(|by| match size {
            Some(size) => {
                let (type_id, count) = self.elements(by, size.ok()?)?;
                Some((type_id, Extent::Elements(count)))
            }
            None => self.open_elements(by),
        })
    }

    /// The type behind a pointer, and how many elements of it the largest object has that it may
    /// point to.
    fn open_elements(&mut self, mut id: ExpressionId) -> Option<(TypeId, Extent)> {
        let typed = self.unit.typed;
        let targets = self.unit.addresses.targets(id);
        while let ExpressionKind::Convert(Conversion::Pointer, operand) =
            typed.expressions[id.0 as usize].kind
        {
            id = operand;
        }
        let type_id = typed.types.target(self.type_of(id))?.id;
        let type_id = typed.types.row_element(type_id);
        let (units, _) = self
            .unit
            .layouts
            .size(type_id)
            .filter(|(units, _)| *units > 0)?;
        let regions = targets.into_iter().filter_map(|target| match target {
            Target::Region(region) => self.unit.homes_of(region).into_iter().next(),
            _ => None,
        });
        let most = regions
            .map(|home| u64::from(home.layout.units) / units)
            .max();
        let most = most.unwrap_or(0);
        (most <= MOST_ELEMENTS).then_some((type_id, Extent::UpTo(most as u32)))
    }

    /// Does something with each element of so many bytes, from the first or from the last one on:
    /// one more than there may be is undefined.
    fn one_by_one(
        &mut self,
        size: &Term,
        (type_id, most): (TypeId, u32),
        is_backwards: bool,
        span: Span,
        mut does: impl FnMut(&mut Self, u32),
    ) {
        let each = i128::from(self.unit.typed.types.size(type_id).unwrap_or(1).max(1));
        let rest = size
            .clone()
            .calculate(Operation::Remainder, Term::number(each));
        let what = "memory up to a part of an element".to_owned();
        let whole = rest.equal(Term::number(0));
        self.guard(whole, span, PointKind::Outside { what });
        self.flush();
        let end = self.assembler.mark();
        for step in 0..=most {
            let index = if is_backwards { most - step } else { step };
            let is_in = Term::number(i128::from(index) * each).less(size.clone());
            let yes = self.assembler.mark();
            let no = if is_backwards {
                self.assembler.mark()
            } else {
                end
            };
            self.fork(is_in, yes, no);
            self.assembler.set(yes);
            does(self, index);
            self.flush();
            if is_backwards {
                self.assembler.set(no);
            }
        }
        if !is_backwards {
            self.assembler.set(end);
        }
    }

    /// Terms that can be read again and again, whatever is written meanwhile.
    fn all_short<const N: usize>(&mut self, terms: [Term; N]) -> [Term; N] {
        let known = terms.each_ref().map(Term::constant);
        let numbers = terms
            .into_iter()
            .map(|term| Value::Scalar(term.into_number()));
        self.values.extend(numbers);
        self.keep_all();
        let mut kept = [const { None }; N];
        for (kept, known) in kept.iter_mut().zip(known).rev() {
            let term = self.pop_term();
            *kept = Some(known.map_or(term, Term::number));
        }
        kept.map(|term| term.unwrap_or(Term::number(0)))
    }

    fn unclear(&mut self, id: ExpressionId, span: Span, what: &str) -> Value {
        self.outside(span, what);
        self.flush();
        self.nothing(self.type_of(id))
    }

    pub fn fill_memory(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        arguments: Vec<(ExpressionId, Value)>,
        span: Span,
    ) -> Value {
        let Ok([(by, to), (_, byte), (_, size)]) = <[_; 3]>::try_from(arguments) else {
            return self.unclear(id, span, UNFIT);
        };
        let [to, size] = self.all_short([to.term(), size.term()]);
        let Some(byte) = byte.term().constant() else {
            return self.unclear(id, span, "`memset` with a value that is not known");
        };
        let Some((type_id, extent)) = self.extent([by], &size) else {
            return self.unclear(id, span, "`memset` of what is not known");
        };
        let Some(value) = self.filled(type_id, byte as u8) else {
            return self.unclear(id, span, "`memset` with such a value");
        };
        self.values.push(Value::Scalar(to.clone()));
        match extent {
            Extent::Elements(count) => {
                for index in 0..count {
                    let pointer = self.further(&to, by, type_id, index);
                    let spot = self.target(pointer, by, type_id, span);
                    self.store(spot, value.clone(), type_id);
                }
                self.flush();
            }
            Extent::UpTo(most) => {
                self.one_by_one(&size, (type_id, most), false, span, |body, index| {
                    let pointer = body.further(&to, by, type_id, index);
                    let spot = body.target(pointer, by, type_id, span);
                    body.store(spot, value.clone(), type_id);
                });
            }
        }
        let to = self.pop_term();
        self.assembler.skip(span);
        self.assembler.note_call(function);
        Value::Scalar(to)
    }

    /// A value whose bytes are all the same.
    fn filled(&mut self, type_id: TypeId, byte: u8) -> Option<Value> {
        let layout = self.unit.layouts.of(type_id)?;
        let mut terms = Vec::new();
        for leaf in &layout.leaves {
            let node = &layout.nodes[leaf.node as usize];
            let term = match leaf.scalar {
                Scalar::Truth => Term::truth(byte != 0),
                Scalar::Pointer(_) if byte != 0 => return None,
                Scalar::Pointer(_) => Term::number(0),
                Scalar::Integer(_) if matches!(node.kind, NodeKind::Union { .. }) => {
                    Term::number(0)
                }
                Scalar::Integer(width) => {
                    // In bit-fields, other bytes depend on where these lie.
                    if width.bits % 8 != 0 && byte != 0 && byte != 0xFF {
                        return None;
                    }
                    let all = u64::from(byte) * 0x0101_0101_0101_0101;
                    let value = crate::program::wrap(all.into(), width.bits, width.signed);
                    Term::number(value)
                }
            };
            terms.extend(std::iter::repeat_n(term, layout.count(leaf) as usize));
        }
        match self.unit.scalar(type_id) {
            Some(_) => terms.into_iter().next().map(Value::Scalar),
            None => Some(Value::Record(terms)),
        }
    }

    pub fn copy_memory(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        arguments: Vec<(ExpressionId, Value)>,
        may_overlap: bool,
        span: Span,
    ) -> Value {
        let Ok([(goal, to), (source, from), (_, size)]) = <[_; 3]>::try_from(arguments) else {
            return self.unclear(id, span, UNFIT);
        };
        let [to, from, size] = self.all_short([to.term(), from.term(), size.term()]);
        let Some((type_id, extent)) = self.extent([source, goal], &size) else {
            return self.unclear(id, span, "a copy of what is not known");
        };
        let read = |body: &mut Self, from: &Term, index: u32| {
            let pointer = body.further(from, source, type_id, index);
            let spot = body.target(pointer, source, type_id, span);
            body.load(spot, type_id)
        };
        let write = |body: &mut Self, to: &Term, index: u32, value: Value| {
            let pointer = body.further(to, goal, type_id, index);
            let spot = body.target(pointer, goal, type_id, span);
            body.store(spot, value, type_id);
        };
        let units = self.unit.layouts.size(type_id).map_or(1, |size| size.0);
        self.values.push(Value::Scalar(to.clone()));
        match extent {
            Extent::Elements(count) => {
                if !may_overlap && count > 0 {
                    let distance = Term::number(i128::from(units) * i128::from(count));
                    self.apart((&to, goal), (&from, source), distance, span);
                }
                let mut copied = Vec::new();
                for index in 0..count {
                    copied.push(read(self, &from, index));
                }
                // What is still to be written waits.
                self.values.extend(copied.into_iter().rev());
                for index in 0..count {
                    // What was read stays what it is only as long as it waits.
                    self.flush();
                    let value = self.pop();
                    write(self, &to, index, value);
                }
                self.flush();
            }
            Extent::UpTo(most) => {
                let mut copy = |body: &mut Self, index: u32| {
                    let value = read(body, &from, index);
                    write(body, &to, index, value);
                };
                let elements = (type_id, most);
                if !may_overlap {
                    let each = self.unit.typed.types.size(type_id).unwrap_or(1);
                    let count = size
                        .clone()
                        .calculate(Operation::Divide, Term::number(each.into()));
                    let extent = count.multiply(units.into());
                    self.apart((&to, goal), (&from, source), extent, span);
                    self.one_by_one(&size, elements, false, span, copy);
                } else {
                    // What is still to be read must not be overwritten.
                    let further_on = self.is_further_on((&to, goal), (&from, source));
                    let marks = [(); 3].map(|()| self.assembler.mark());
                    let [back, forth, after] = marks;
                    self.fork(further_on, back, forth);
                    for (mark, is_backwards) in [(back, true), (forth, false)] {
                        self.assembler.set(mark);
                        self.one_by_one(&size, elements, is_backwards, span, &mut copy);
                        self.assembler.jump(after);
                    }
                    self.assembler.set(after);
                }
            }
        }
        let to = self.pop_term();
        self.assembler.skip(span);
        self.assembler.note_call(function);
        Value::Scalar(to)
    }

    /// What is copied must not overlap.
    fn apart(
        &mut self,
        (to, goal): (&Term, ExpressionId),
        (from, source): (&Term, ExpressionId),
        extent: Term,
        span: Span,
    ) {
        for (both, to, from) in self.in_one((to, goal), (from, source)) {
            let behind = to.clone().add(extent.clone()).less_equal(from.clone());
            let apart = behind.or(from.add(extent.clone()).less_equal(to));
            let what = "copy between objects that overlap";
            self.undefined(both.not().or(apart), span, what);
        }
    }

    /// For each region that two pointers may both point into: whether they do, and how many units
    /// behind its beginning they are then.
    fn in_one(
        &self,
        (to, goal): (&Term, ExpressionId),
        (from, source): (&Term, ExpressionId),
    ) -> Vec<(Term, Term, Term)> {
        let addresses = &self.unit.addresses;
        let (one, other) = (addresses.class(goal), addresses.class(source));
        let targets = addresses.targets(goal).into_iter();
        let regions = targets.filter(|target| matches!(target, Target::Region(_)));
        let places = regions.filter_map(|target| {
            let ((a, b), (c, d)) = (one.range(target)?, other.range(target)?);
            let both = to.clone().within(a, b).and(from.clone().within(c, d));
            let to = to.clone().subtract(Term::number(a));
            Some((both, to, from.clone().subtract(Term::number(c))))
        });
        places.collect()
    }

    /// Whether the first of two pointers is further on in the object that both point into.
    fn is_further_on(&self, to: (&Term, ExpressionId), from: (&Term, ExpressionId)) -> Term {
        let places = self.in_one(to, from).into_iter();
        let further_on = places.map(|(both, to, from)| both.and(from.less(to)));
        further_on.fold(Term::truth(false), Term::or)
    }

    /// A function without body may change globals, and what arguments point to.
    pub fn havoc_memory(&mut self, arguments: Vec<(ExpressionId, Value)>, call: Span) {
        let typed = self.unit.typed;
        let count = arguments.len();
        let (passed, values): (Vec<ExpressionId>, Vec<Value>) = arguments.into_iter().unzip();
        self.values.extend(values);
        self.keep_all();
        let values = self
            .values
            .split_off(self.values.len().saturating_sub(count));
        for object in globals(typed, self.unit.reach) {
            if let Some(home) = self.home(object) {
                self.forget_home(&home);
            }
        }
        for (by, value) in passed.into_iter().zip(values) {
            if !matches!(typed.types.get(self.type_of(by)), Type::Pointer(_)) {
                continue;
            }
            let pointer = value.term().into_number();
            let class = self.unit.addresses.class(by).clone();
            let what = "a local of a frame deep in a recursion".to_owned();
            let seen = class.is(&pointer, Target::Buried).not();
            self.guard(seen, self.span, PointKind::Outside { what });
            for target in self.unit.addresses.targets(by) {
                let (Target::Region(region), Some(first)) = (target, class.code(target)) else {
                    continue;
                };
                for (home, slot) in self.unit.homes_of(region).into_iter().zip(0..) {
                    let units = i128::from(home.layout.units);
                    let base = first + i128::from(slot) * (units + 1);
                    let mut here = pointer.clone().within(base, base + units);
                    if let Some(freed) = self.freed(region, slot) {
                        here = here.and(freed.not());
                    }
                    let (yes, no) = (self.assembler.mark(), self.assembler.mark());
                    self.fork(here, yes, no);
                    self.assembler.set(yes);
                    match region {
                        Region::Object(_) => self.forget_home(&home),
                        Region::Site(_) => {
                            let bits = self.unit.layouts.bits(&home.layout);
                            let fresh = |cells| PointKind::Fresh { cells, bits, call };
                            self.forget_home_as(&home, Target::Stranger, fresh);
                        }
                    }
                    self.flush();
                    self.assembler.set(no);
                }
            }
        }
    }
}
