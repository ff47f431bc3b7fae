//! What no jump leads into: the scope of a declaration whose type has a variable size in it, and a
//! statement expression.
//!
//! Barriers form a tree. A jump may lead to a label if that is behind no barrier that the jump is
//! not behind, too. One look at the ancestors of a place for each jump.

use super::Typing;
use super::tree::{LabelId, Type, TypeId};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Each barrier is behind another one; 0 is behind none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarrierId(u32);

#[derive(Clone, Copy, Debug)]
struct Barrier {
    around: BarrierId,
    depth: u32,
    what: &'static str,
}

/// The barriers of a function, and the jumps in it.
#[derive(Debug, Default)]
pub struct Barriers {
    all: Vec<Barrier>,
    here: BarrierId,
    /// What was there before each open scope.
    before: Vec<BarrierId>,
    labels: FxHashMap<LabelId, BarrierId>,
    jumps: Vec<(LabelId, BarrierId, Span)>,
}

impl Barriers {
    pub fn here(&self) -> BarrierId {
        self.here
    }

    pub fn open(&mut self) {
        self.before.push(self.here);
    }

    pub fn close(&mut self) {
        self.here = self.before.pop().unwrap_or_default();
    }

    fn get(&self, id: BarrierId) -> Option<Barrier> {
        self.all.get(id.0.checked_sub(1)? as usize).copied()
    }

    fn depth(&self, id: BarrierId) -> u32 {
        self.get(id).map_or(0, |barrier| barrier.depth)
    }

    fn raise(&mut self, what: &'static str) {
        self.all.push(Barrier {
            around: self.here,
            depth: self.depth(self.here) + 1,
            what,
        });
        self.here = BarrierId(self.all.len() as u32);
    }

    /// What is between two places, the second of which a jump leads to.
    fn between(&self, from: BarrierId, to: BarrierId) -> Option<&'static str> {
        let target = self.get(to)?;
        let mut around = from;
        while let Some(barrier) = self.get(around)
            && barrier.depth > target.depth
        {
            around = barrier.around;
        }
        (around != to).then_some(target.what)
    }
}

impl Typing<'_> {
    /// Something of this type is declared.
    pub(super) fn raise_for(&mut self, type_id: TypeId) {
        let types = &self.program.types;
        let mut id = type_id;
        while !types.has_variable_size(id) {
            id = match types.get(id) {
                Type::Pointer(target) => target.id,
                Type::Array(element, _) => element.id,
                _ => return,
            };
        }
        if self.function.is_some() {
            self.barriers
                .raise("the scope of an array of variable size");
        }
    }

    pub(super) fn begin_statement_expression(&mut self) {
        self.barriers.open();
        self.barriers.raise("a statement expression");
    }

    pub(super) fn place_label(&mut self, label: LabelId) {
        self.barriers.labels.insert(label, self.barriers.here);
    }

    pub(super) fn note_jump(&mut self, label: LabelId, span: Span) {
        self.barriers.jumps.push((label, self.barriers.here, span));
    }

    /// A case of a `switch` that stands there.
    pub(super) fn check_case(&mut self, switch: BarrierId, span: Span) {
        if let Some(what) = self.barriers.between(switch, self.barriers.here) {
            self.error(span, format!("the `switch` leads into {what}"));
        }
    }

    /// At the end of a function.
    pub(super) fn check_jumps(&mut self) {
        let barriers = std::mem::take(&mut self.barriers);
        for (label, from, span) in &barriers.jumps {
            let to = barriers.labels.get(label).copied().unwrap_or_default();
            if let Some(what) = barriers.between(*from, to) {
                self.error(*span, format!("this `goto` leads into {what}"));
            }
        }
        self.barriers.before = barriers.before;
    }
}
