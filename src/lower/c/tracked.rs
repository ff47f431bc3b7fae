//! Large arrays of integers, of which one element has a cell, or two.
//!
//! Such an array has two cells: its *key*, an index that is never written, and what the element with
//! that index holds. What is written elsewhere is forgotten. So a read of another element cannot be
//! decided, and there are two ways to go on:
//!
//! - [`Tracking::Exact`]: nothing gets past it. Every execution that is left is one of the program,
//!   because nothing that was forgotten has been read: what is violated is violated.
//! - [`Tracking::Any`]: it gives any value. For every key, all executions of the program are left, and
//!   more: what cannot be reached then cannot be reached. And because it is so for every key, each
//!   execution may have the key that suits it: the index of the last access at one of some chosen
//!   *sites* before the place in question. An array has a flag that each of these accesses sets,
//!   to whether it met the element, and such a place is come to only with all flags set. Whatever
//!   sites are chosen, for an execution of the program to such a place there is one left, with that
//!   key, which has the flags set. (Of objects of one name that live at the same time, or one after
//!   the other, there is one key: it is that of the object that was accessed last.)
//!
//! What fails may have been found out long before it fails: `if (a[i] != b[i]) ok = 0;`. So the last reads
//! before the last write to a chosen variable may be meant ([`Sites::Before`]): what the flags are then is
//! kept, and that is what counts. And it may be about two elements: with [`Sites::LastTwo`] an
//! array has two keys, the index of the last read and that of the one before. The argument is the same: each
//! execution has these accesses, so that for some keys it is left, with all flags set.
//!
//! An access costs a branch.

use super::body::Body;
use super::layout::{Layout, NodeKind};
use super::origin::PointKind;
use super::place::{Alternative, Spot};
use super::step::Value;
use super::term::{Scalar, Term, Width};
use super::unit::Unit;
use crate::program::{Operation, VariableId};
use crate::typing::c::tree::{FunctionId, Initial, ObjectId, Storage, TypeId};
use std::rc::Rc;

/// What reads of elements are that are not tracked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// Outside.
    #[default]
    Exact,
    /// Any value; what must not be reached counts if the last of these accesses met the element.
    Any(Sites),
}

/// Accesses to large arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sites {
    /// None.
    None,
    /// All that read.
    Reads,
    /// The one with this number, in the order in which they are lowered.
    One(u32),
    /// All that read, up to the last write to the variable with this number, in the order in which such
    /// writes are lowered.
    Before(u32),
    /// The last that reads, and the one before it: two elements have cells.
    LastTwo,
}

impl Tracking {
    /// How many elements of an array have cells.
    pub fn followed(self) -> u32 {
        match self {
            Tracking::Any(Sites::LastTwo) => 2,
            Tracking::Exact | Tracking::Any(_) => 1,
        }
    }
}

/// A variable that is written, by its procedure if it is a local.
pub type Written = (Option<FunctionId>, VariableId);

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads an element.
    Read,
    /// It writes one.
    Write,
}

/// Which element of an array has a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// Its index.
    pub key: VariableId,
    scalar: Scalar,
    /// Whether the last of the chosen accesses met it.
    hit: Option<VariableId>,
    /// What `hit` was at the last write to the chosen variable.
    kept: Option<VariableId>,
    second: Option<Second>,
}

/// Which other element has a cell, the one after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Second {
    key: VariableId,
    /// Whether the last read met it.
    last: VariableId,
    /// Whether the read before that did.
    hit: VariableId,
}

impl Tracked {
    /// Whether a cell is one of these.
    pub fn has(self, cell: VariableId) -> bool {
        let second = self.second.iter();
        let mut others = second.flat_map(|second| [second.key, second.last, second.hit]);
        self.key == cell
            || self.hit == Some(cell)
            || self.kept == Some(cell)
            || others.any(|other| other == cell)
    }

    /// Which element one of the cells holds.
    pub fn key_of(self, place: u32) -> VariableId {
        match (place, self.second) {
            (1, Some(second)) => second.key,
            _ => self.key,
        }
    }
}

/// Why an access to such an array is outside.
pub const TOO_LARGE: &str = "an array that is too large, or of such elements";

impl Unit<'_> {
    /// Gives all arrays that are tracked their keys.
    pub fn track(&mut self) {
        let (typed, reach, tracking) = (self.typed, self.reach, self.options.tracking);
        let functions = reach.functions.iter();
        let bodies = functions.filter_map(|id| typed.functions[id.0 as usize].body.as_ref());
        let is_local = |id: &&ObjectId| {
            let storage = typed.objects[id.0 as usize].storage;
            !matches!(storage, Storage::Static { .. })
        };
        let locals = bodies.flat_map(|body| body.objects.iter().filter(is_local));
        for id in reach.statics.iter().chain(locals) {
            let object = &typed.objects[id.0 as usize];
            let Some(layout) = self.layouts.of(object.qualified.id) else {
                continue;
            };
            // A text has a value for each element at once.
            if !layout.is_tracked || matches!(object.initial, Initial::Text(_)) {
                continue;
            }
            let name = object.name.map_or("literal", |name| typed.names.text(name));
            let bits = (u32::BITS - (layout.units - 1).leading_zeros()).max(1) as u8;
            let scalar = Scalar::Integer(Width {
                bits,
                signed: false,
            });
            let mut cell =
                |what: &str, scalar| self.hidden(&format!("{name}#{what}{}", id.0), scalar);
            let mut tracked = Tracked {
                key: cell("key", scalar),
                scalar,
                hit: None,
                kept: None,
                second: None,
            };
            if let Tracking::Any(sites) = tracking
                && sites != Sites::None
            {
                tracked.hit = Some(cell("hit", Scalar::Truth));
                if let Sites::Before(_) = sites {
                    tracked.kept = Some(cell("kept", Scalar::Truth));
                }
                if sites == Sites::LastTwo {
                    tracked.second = Some(Second {
                        key: cell("second-key", scalar),
                        last: cell("second-last", Scalar::Truth),
                        hit: cell("second-hit", Scalar::Truth),
                    });
                }
            }
            self.tracked.insert(*id, tracked);
        }
    }

    /// Which element of an object has a cell, if not all have one.
    pub fn tracked(&self, id: ObjectId) -> Option<Tracked> {
        self.tracked.get(&id).copied()
    }

    /// The cells of an object; none if it is outside.
    pub fn layout_of(&mut self, id: ObjectId) -> Option<Rc<Layout>> {
        let type_id = self.typed.objects[id.0 as usize].qualified.id;
        let layout = self.layouts.of(type_id)?;
        (!layout.is_tracked || self.tracked.contains_key(&id)).then_some(layout)
    }

    /// Whether the last of the chosen accesses to each array met its element.
    fn hits(&self) -> Term {
        let flags = self.tracked.values().flat_map(|one| {
            let second = one.second.map(|second| second.hit);
            one.kept.or(one.hit).into_iter().chain(second)
        });
        let flags = flags.map(|flag| Term::read(flag, Scalar::Truth));
        flags.fold(Term::truth(true), Term::and)
    }
}

/// How many scalars of an array a place has.
fn scalars(alternative: &Alternative) -> u32 {
    alternative.home.layout.units / alternative.node().count.max(1)
}

impl Body<'_, '_> {
    /// Executions that come here count only if the element of each array is the right one.
    pub fn gate(&mut self) {
        self.gate_unless(Term::truth(false));
    }

    /// The same where a condition is false.
    pub fn gate_unless(&mut self, condition: Term) {
        let hits = self.unit.hits();
        if hits.constant().is_none() {
            self.assume(condition.or(hits));
        }
    }

    /// What executions that count come to.
    pub fn gated(&mut self) -> Option<crate::program::Expression> {
        let hits = self.unit.hits();
        hits.constant().is_none().then(|| self.add_truth(hits))
    }

    /// Whether a place must be read in steps of its own.
    pub fn is_tracked_apart(&self, spot: &Spot) -> bool {
        let mut places = spot.alternatives.iter();
        self.unit.options.tracking != Tracking::Exact
            && places.any(|one| one.home.tracked.is_some())
    }

    /// Whether a place has several elements of which one is tracked: their values are not known.
    pub fn is_tracked_row(&self, spot: &Spot) -> bool {
        let is_row = |one: &Alternative| {
            one.home.tracked.is_some() && !matches!(one.node().kind, NodeKind::Scalar(_))
        };
        spot.alternatives.iter().any(is_row)
    }

    /// Reads the one place that there is, in steps of its own.
    pub fn load_tracked_apart(&mut self, spot: Spot, type_id: TypeId) -> Value {
        self.spots.push(spot);
        self.flush();
        let spot = self.spots.pop().unwrap_or_default();
        let only = spot.alternatives.first();
        let terms = only.map_or_else(Vec::new, |only| self.load_one(only));
        match terms.into_iter().next() {
            Some(term) => Value::Scalar(term),
            None => self.nothing(type_id),
        }
    }

    /// Writes to the one place that there is, in steps of its own.
    pub fn store_tracked_apart(&mut self, spot: Spot, value: Value) -> Value {
        let (mut value, spot) = self.unchanged(value, spot);
        for alternative in &spot.alternatives {
            self.store_one(alternative, &mut value);
        }
        value
    }

    /// Whether a place is, or has, the element with this key.
    fn has_key(&self, alternative: &Alternative, tracked: Tracked, key: VariableId) -> Term {
        let key = Term::read(key, tracked.scalar);
        let count = Term::number(scalars(alternative).into());
        let row = key.calculate(Operation::Divide, count);
        match alternative.node().count {
            1 => Term::truth(true),
            _ => alternative.flat.clone().equal(row),
        }
    }

    /// What an access sets the flag to, if it is one of the chosen.
    fn note(&mut self, access: Access, tracked: Tracked) -> Option<VariableId> {
        let number = self.unit.accesses.len() as u32;
        self.unit.accesses.push(access);
        let Tracking::Any(sites) = self.unit.options.tracking else {
            return None;
        };
        let is_chosen = match sites {
            Sites::None => false,
            Sites::Reads | Sites::Before(_) | Sites::LastTwo => access == Access::Read,
            Sites::One(one) => one == number,
        };
        tracked.hit.filter(|_| is_chosen)
    }

    /// What an element holds: one scalar.
    pub fn load_tracked(&mut self, alternative: &Alternative, tracked: Tracked) -> Term {
        let (cell, scalar) = (alternative.home.first, alternative.home.scalars[0]);
        let is_it = self.has_key(alternative, tracked, tracked.key);
        if self.unit.options.tracking == Tracking::Exact || self.is_inline() {
            let elsewhere = alternative.when.clone().map(Term::not);
            let holds = elsewhere.unwrap_or(Term::truth(false)).or(is_it);
            let what = TOO_LARGE.to_owned();
            self.guard(holds, self.span, PointKind::Outside { what });
            return self.read_cell(cell, scalar);
        }
        let hit = self.note(Access::Read, tracked);
        let result = self.temporary(scalar);
        let after = self.assembler.mark();
        let mut arms = vec![(is_it, cell)];
        if let Some(second) = tracked.second {
            // What was the last read is now the one before.
            let last = Term::read(second.last, Scalar::Truth);
            self.write_cell(second.hit, Scalar::Truth, last);
            self.flush();
            let is_second = self.has_key(alternative, tracked, second.key);
            self.write_cell(second.last, Scalar::Truth, is_second.clone());
            self.flush();
            arms.push((is_second, cell.plus(1)));
        }
        for ((is_it, cell), meets) in arms.into_iter().zip([true, false]) {
            let [yes, no] = [(); 2].map(|()| self.assembler.mark());
            self.fork(is_it, yes, no);
            self.assembler.set(yes);
            if let Some(hit) = hit {
                self.write_cell(hit, Scalar::Truth, Term::truth(meets));
            }
            self.write_cell(result, scalar, Term::read(cell, scalar));
            self.flush();
            self.assembler.jump(after);
            self.assembler.set(no);
        }
        if let Some(hit) = hit {
            self.write_cell(hit, Scalar::Truth, Term::truth(false));
        }
        self.flush();
        self.havoc(vec![result], PointKind::Step);
        self.flush();
        self.assembler.jump(after);
        self.assembler.set(after);
        Term::read(result, scalar)
    }

    /// Writes an element, or the same value to several. Nothing is left of the step before it.
    pub fn store_tracked(
        &mut self,
        alternative: &Alternative,
        tracked: Tracked,
        value: &mut Value,
    ) {
        let (cell, scalar) = (alternative.home.first, alternative.home.scalars[0]);
        let known = value.terms().first().map(|term| term.constant());
        let is_same = |term: &Term| Some(term.constant()) == known && known != Some(None);
        if let Value::Record(terms) = value
            && !terms.iter().all(is_same)
        {
            self.outside(self.span, TOO_LARGE);
            return;
        }
        for term in value.terms() {
            *term = super::body::as_scalar(term.clone(), scalar);
        }
        let Some(written) = value.terms().first().cloned() else {
            return;
        };
        let hit = self.note(Access::Write, tracked);
        self.store_element(
            alternative,
            tracked,
            tracked.key,
            (cell, written.clone()),
            hit,
        );
        if let Some(second) = tracked.second {
            let written = (cell.plus(1), written);
            self.store_element(alternative, tracked, second.key, written, None);
        }
    }

    /// Writes a value to the cell of the element with a key, if a place is, or has, that.
    fn store_element(
        &mut self,
        alternative: &Alternative,
        tracked: Tracked,
        key: VariableId,
        (cell, written): (VariableId, Term),
        hit: Option<VariableId>,
    ) {
        let scalar = alternative.home.scalars[0];
        let is_it = self.has_key(alternative, tracked, key);
        let marks = [(); 3].map(|()| self.assembler.mark());
        let [yes, no, after] = marks;
        self.fork(is_it, yes, no);
        self.assembler.set(yes);
        self.write_cell(cell, scalar, written);
        if let Some(hit) = hit {
            self.write_cell(hit, Scalar::Truth, Term::truth(true));
        }
        self.flush();
        self.assembler.jump(after);
        self.assembler.set(no);
        if let Some(hit) = hit {
            self.write_cell(hit, Scalar::Truth, Term::truth(false));
        }
        self.flush();
        self.assembler.jump(after);
        self.assembler.set(after);
    }

    /// A variable is written: what the flags are may be kept.
    pub fn keep_hits(&mut self, alternative: &Alternative, value: &Term) {
        let home = &alternative.home;
        if self.unit.tracked.is_empty() || home.layout.cells != 1 {
            return;
        }
        let function = match home.first {
            VariableId::Global(_) => None,
            VariableId::Local(_) => self.function,
        };
        let entry = self.unit.written.entry((function, home.first));
        let number = entry.index() as u32;
        *entry.or_insert(true) &= value.constant().is_some();
        if self.unit.options.tracking != Tracking::Any(Sites::Before(number)) {
            return;
        }
        let flags: Vec<_> = self
            .unit
            .tracked
            .values()
            .filter_map(|one| one.hit.zip(one.kept))
            .collect();
        for (hit, kept) in flags {
            self.write_cell(kept, Scalar::Truth, Term::read(hit, Scalar::Truth));
        }
    }
}
