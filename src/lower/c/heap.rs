//! `malloc`, `calloc`, `alloca` and `free`.
//!
//! A call that allocates has a few objects, and takes the first one that is not in use. All
//! pointers to its objects are of one class, because they come from that call. Where an
//! object is freed, they become dangling, and it can be used again; or it knows that it was freed.

use super::assembler::Mark;
use super::body::{Body, cells};
use super::layout::NodeKind;
use super::library::Allocation;
use super::origin::PointKind;
use super::points_to::{Region, Target, open_end};
use super::step::Value;
use super::term::{Scalar, Term};
use super::unit::{Home, LENGTH};
use crate::program::Operation;
use crate::source::Span;
use crate::typing::c::tree::{ExpressionId, FunctionId};

impl Body<'_, '_> {
    /// Whether an object was freed, if pointers do not tell.
    pub fn freed(&self, region: Region, slot: u32) -> Option<Term> {
        let Region::Site(site) = region else {
            return None;
        };
        let freed = self.unit.slots(site)?.freed?;
        Some(Term::read(freed.plus(slot), Scalar::Truth))
    }

    pub fn allocate(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        allocation: Allocation,
        arguments: Vec<(ExpressionId, Value)>,
        span: Span,
    ) -> Value {
        let sites = &self.unit.addresses.points.sites;
        let site = sites.iter().position(|site| site.call == id);
        let region = site.map(|site| Region::Site(site as u32));
        let class = self.unit.addresses.class(id).clone();
        let code = region.and_then(|region| class.code(Target::Region(region)));
        let slots = site.and_then(|site| self.unit.slots(site as u32).cloned());
        let (Some(site), Some(code), Some(slots)) = (site, code, slots) else {
            self.outside(span, "memory that is allocated in this way");
            self.flush();
            return self.nothing(self.type_of(id));
        };
        let sizes = arguments.into_iter().map(|(_, value)| value.term());
        let size = sizes.fold(Term::number(1), |size, factor| {
            size.calculate(Operation::Multiply, factor)
        });
        let size = self.short(size);
        let layout = slots.homes.first().map(|home| home.layout.clone());
        let types = &self.unit.typed.types;
        let type_id = layout.as_ref().map(|layout| layout.nodes[0].type_id);
        let whole = type_id.and_then(|id| types.size(id)).unwrap_or(1).max(1);
        // An array without length begins behind the rest.
        let is_open = layout.is_some_and(|layout| layout.open_end.is_some());
        let ended = type_id.filter(|_| is_open);
        let ended = ended.and_then(|id| open_end(self.unit.typed, id));
        let (head, each) = ended.unwrap_or((0, whole));
        let (head, each) = (Term::number(head.into()), Term::number(each.into()));
        if is_open {
            let most = slots.homes.first().and_then(open_length).unwrap_or(0);
            let most = head.clone().add(each.clone().multiply(most.into()));
            self.guard(size.clone().less_equal(most), span, PointKind::Length);
            let least = Term::number(whole.into()).less_equal(size.clone());
            let what = "memory for a part of a struct".to_owned();
            self.guard(least, span, PointKind::Outside { what });
            self.values.push(Value::Scalar(size));
            self.flush();
        } else if self.unit.addresses.points.sites[site].size.is_none() {
            let most = Term::number(self.unit.options.cells.into());
            let few = size
                .clone()
                .less_equal(most.calculate(Operation::Multiply, each.clone()));
            self.guard(few, span, PointKind::Length);
            let rest = size.clone().calculate(Operation::Remainder, each.clone());
            let what = "memory for a part of an element".to_owned();
            let whole = rest.equal(Term::number(0));
            self.guard(whole, span, PointKind::Outside { what });
            self.values.push(Value::Scalar(size));
            self.flush();
        } else {
            self.values.push(Value::Scalar(size));
        }
        let result = self.result_cells(id);
        let (join, fails) = (self.assembler.mark(), self.assembler.mark());
        if self.unit.options.malloc_may_fail && allocation != Allocation::Stack {
            let cell = self.temporary(Scalar::Truth);
            self.havoc(vec![cell], PointKind::Refusal { cell, call: span });
            let goes = self.assembler.mark();
            self.fork(Term::read(cell, Scalar::Truth), fails, goes);
            self.assembler.set(fails);
            self.values.push(Value::Scalar(Term::number(0)));
            self.end_branch(&result, Some(join), goes);
        }
        let full = PointKind::Heap;
        let action = self.failing(&full);
        let none = self.end(span, action, full);
        let marks: Vec<_> = slots.homes.iter().map(|_| self.assembler.mark()).collect();
        let mut arms = Vec::new();
        for (mark, slot) in marks.iter().zip(0..) {
            let used = Term::read(slots.used.plus(slot), Scalar::Truth);
            arms.push((self.add_truth(used.not()), *mark));
        }
        self.assembler.branch(span, arms, none);
        self.assembler.note_last_call(function);
        let size = self.pop_term();
        for ((home, slot), mark) in slots.homes.iter().zip(0..).zip(marks) {
            self.assembler.set(mark);
            match allocation {
                Allocation::Cleared => {
                    for (cell, scalar) in cells(home) {
                        self.write_cell(cell, scalar, Term::number(0));
                    }
                }
                _ => {
                    self.values.push(Value::Scalar(size.clone()));
                    let bits = self.unit.layouts.bits(&home.layout);
                    let fresh = |cells| PointKind::Fresh {
                        cells,
                        bits,
                        call: span,
                    };
                    self.forget_home_as(home, Target::Uninitialised, fresh);
                    self.values.pop();
                }
            }
            if let Some((length, _)) = home.length {
                let length_value = size.clone().subtract(head.clone());
                let length_value = length_value.calculate(Operation::Divide, each.clone());
                self.write_cell(length, LENGTH, length_value);
            }
            self.write_cell(slots.used.plus(slot), Scalar::Truth, Term::truth(true));
            let base = code + i128::from(slot) * i128::from(home.layout.units + 1);
            self.values.push(Value::Scalar(Term::number(base)));
            self.end_branch(&result, None, join);
            self.assembler.jump(join);
        }
        self.assembler.set(join);
        self.value_in(id, &result)
    }

    pub fn free(&mut self, arguments: Vec<(ExpressionId, Value)>, span: Span) {
        let Some((by, value)) = arguments.into_iter().next() else {
            return;
        };
        let class = self.unit.addresses.class(by).clone();
        let pointer = self.short(value.term().into_number());
        let mut allowed = class.is_any_value(&pointer, Target::Stranger);
        allowed = allowed.or(class.is_any_value(&pointer, Target::Uninitialised));
        let mut frees = Vec::new();
        for target in self.unit.addresses.targets(by) {
            let Target::Region(region @ Region::Site(site)) = target else {
                continue;
            };
            let (Some(first), Some(slots)) = (class.code(target), self.unit.slots(site).cloned())
            else {
                continue;
            };
            if self.unit.addresses.points.sites[site as usize].allocation == Allocation::Stack {
                continue;
            }
            for (home, slot) in slots.homes.iter().zip(0..) {
                let units = i128::from(home.layout.units);
                let base = first + i128::from(slot) * (units + 1);
                let mut here = pointer.clone().equal(Term::number(base));
                if let Some(freed) = self.freed(region, slot) {
                    here = here.and(freed.not());
                }
                if here.constant() == Some(0) {
                    continue;
                }
                allowed = allowed.or(here.clone());
                let (flag, value) = match slots.freed {
                    Some(freed) => (freed.plus(slot), true),
                    None => (slots.used.plus(slot), false),
                };
                frees.push((here, region, (base, base + units), (flag, value)));
            }
        }
        self.undefined(allowed, span, "`free` of what is not allocated");
        self.flush();
        // For each object a step of its own, in which all that is looked for is known.
        let (join, other) = (self.assembler.mark(), self.assembler.mark());
        let mut arms = Vec::new();
        for (here, ..) in &frees {
            let mark = self.assembler.mark();
            arms.push((self.add_truth(here.clone()), mark));
        }
        let marks: Vec<Mark> = arms.iter().map(|(_, mark)| *mark).collect();
        self.assembler.branch(span, arms, other);
        for ((_, region, (first, last), (flag, value)), mark) in frees.into_iter().zip(marks) {
            self.assembler.set(mark);
            self.dangle(region, |_, pointer| pointer.clone().within(first, last));
            self.write_cell(flag, Scalar::Truth, Term::truth(value));
            self.flush();
            self.assembler.jump(join);
        }
        self.assembler.set(other);
        self.assembler.skip(span);
        self.assembler.set(join);
    }
}

/// How many elements the array without length has at most that ends an object.
fn open_length(home: &Home) -> Option<u32> {
    match home.layout.nodes[home.layout.open_end? as usize].kind {
        NodeKind::Array { length, .. } => Some(length),
        _ => None,
    }
}
