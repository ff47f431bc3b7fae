//! `memset`, `memcpy` and `memmove` where it is known what lies there, and what functions without
//! body may change.

use super::body::Body;
use super::layout::NodeKind;
use super::origin::PointKind;
use super::points_to::{Region, Target, globals};
use super::step::Value;
use super::term::{Scalar, Term};
use crate::source::Span;
use crate::typing::c::tree::{Conversion, ExpressionId, ExpressionKind, FunctionId, Type, TypeId};

/// More elements are not filled or copied.
const MOST_ELEMENTS: u64 = 256;

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
        let mut arguments = arguments.into_iter();
        let (Some((by, to)), Some((_, byte)), Some((_, size))) =
            (arguments.next(), arguments.next(), arguments.next())
        else {
            return self.unclear(
                id,
                span,
                "a call with arguments that do not fit the function",
            );
        };
        let to = self.short(to.term().into_number());
        let (byte, size) = (byte.term().constant(), size.term().constant());
        let (Some(byte), Some(size)) = (byte, size.and_then(|size| u64::try_from(size).ok()))
        else {
            return self.unclear(id, span, "`memset` with a value or size that is not known");
        };
        if size > 0 {
            let Some((type_id, count)) = self.elements(by, size) else {
                return self.unclear(id, span, "`memset` of what is not known");
            };
            let Some(value) = self.filled(type_id, byte as u8) else {
                return self.unclear(id, span, "`memset` with such a value");
            };
            self.values.push(Value::Scalar(to.clone()));
            for index in 0..count {
                let pointer = self.further(&to, by, type_id, index);
                let spot = self.target(pointer, by, type_id, span);
                self.store(spot, value.clone(), type_id);
            }
            self.flush();
            self.values.pop();
        }
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
            terms.extend(std::iter::repeat_n(term, node.count as usize));
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
        let mut arguments = arguments.into_iter();
        let (Some((goal, to)), Some((source, from)), Some((_, size))) =
            (arguments.next(), arguments.next(), arguments.next())
        else {
            return self.unclear(
                id,
                span,
                "a call with arguments that do not fit the function",
            );
        };
        let size = size.term().constant();
        self.values.push(from);
        let to = self.short(to.term().into_number());
        let from = self.pop_term();
        self.values.push(Value::Scalar(to));
        let from = self.short(from.into_number());
        let to = self.pop_term();
        let Some(size) = size.and_then(|size| u64::try_from(size).ok()) else {
            return self.unclear(id, span, "a copy of a size that is not known");
        };
        if size > 0 {
            let found = self.elements(source, size).or(self.elements(goal, size));
            let Some((type_id, count)) = found else {
                return self.unclear(id, span, "a copy of what is not known");
            };
            if !may_overlap {
                self.apart((&to, goal), (&from, source), (type_id, count), span);
            }
            self.values.push(Value::Scalar(to.clone()));
            let mut copied = Vec::new();
            for index in 0..count {
                let pointer = self.further(&from, source, type_id, index);
                let spot = self.target(pointer, source, type_id, span);
                copied.push(self.load(spot, type_id));
            }
            // What is still to be written waits.
            self.values.extend(copied.into_iter().rev());
            for index in 0..count {
                let value = self.pop();
                let pointer = self.further(&to, goal, type_id, index);
                let spot = self.target(pointer, goal, type_id, span);
                self.store(spot, value, type_id);
            }
            self.flush();
            self.values.pop();
        }
        self.assembler.skip(span);
        self.assembler.note_call(function);
        Value::Scalar(to)
    }

    /// What is copied must not overlap.
    fn apart(
        &mut self,
        (to, goal): (&Term, ExpressionId),
        (from, source): (&Term, ExpressionId),
        (type_id, count): (TypeId, u32),
        span: Span,
    ) {
        let units = self.unit.layouts.size(type_id).map_or(1, |size| size.0);
        let extent = Term::number(i128::from(units) * i128::from(count));
        let (one, other) = (
            self.unit.addresses.class(goal).clone(),
            self.unit.addresses.class(source).clone(),
        );
        for target in self.unit.addresses.targets(goal) {
            if !matches!(target, Target::Region(_)) {
                continue;
            }
            let (Some((a, b)), Some((c, d))) = (one.range(target), other.range(target)) else {
                continue;
            };
            let both = to.clone().within(a, b).and(from.clone().within(c, d));
            let to = to.clone().subtract(Term::number(a));
            let from = from.clone().subtract(Term::number(c));
            let behind = to.clone().add(extent.clone()).less_equal(from.clone());
            let apart = behind.or(from.add(extent.clone()).less_equal(to));
            let what = "copy between objects that overlap";
            self.undefined(both.not().or(apart), span, what);
        }
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
                self.forget_home(&home, Target::Stranger);
                self.flush();
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
                        Region::Object(_) => self.forget_home(&home, Target::Stranger),
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
