//! One step: what an expression has computed and will write, before anything of it has happened.
//!
//! All terms are over the cells as they are before the step; a cell that the step has written is
//! read as the term that was written. So a full expression is one assignment of all its targets at
//! once, behind one branch for all that must not be. Where that does not do (a call, a choice among
//! targets, an element read after one of its array was written), the step is made and a new
//! one begins; terms that wait and would change are kept in hidden cells.

use super::assembler::{Mark, never};
use super::body::Body;
use super::domain;
use super::origin::{CellOrigin, PointKind};
use super::term::{Scalar, Term};
use crate::program::{
    Action, Expression, Operation, Overflow, Target, Value as Assigned, VariableId,
};
use crate::source::Span;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

/// What an expression gives.
#[derive(Clone, Debug)]
pub enum Value {
    Void,
    Scalar(Term),
    /// The scalars of a struct, in the order of its cells.
    Record(Vec<Term>),
}

impl Value {
    pub fn terms(&mut self) -> &mut [Term] {
        match self {
            Value::Void => &mut [],
            Value::Scalar(term) => std::slice::from_mut(term),
            Value::Record(terms) => terms,
        }
    }

    /// The scalar; of what is none, 0.
    pub fn term(self) -> Term {
        match self {
            Value::Scalar(term) => term,
            _ => Term::number(0),
        }
    }
}

/// Something that must be true before the step.
#[derive(Clone, Debug)]
pub struct Guard {
    pub holds: Term,
    pub kind: PointKind,
    pub span: Span,
}

/// An element that a step writes.
struct ElementWrite {
    first: VariableId,
    count: u32,
    index: Term,
    scalar: Scalar,
    value: Term,
}

/// What happens in the step that is being made.
#[derive(Default)]
pub struct Step {
    pub guards: Vec<Guard>,
    cells: IndexMap<VariableId, (Scalar, Term), FxBuildHasher>,
    elements: Vec<ElementWrite>,
    /// Terms that wait, and the hidden cells from which they are read after the step.
    kept: Vec<(VariableId, Scalar, Term)>,
}

impl Step {
    /// Whether it changes cells that can be read.
    pub fn writes(&self) -> bool {
        !self.cells.is_empty() || !self.elements.is_empty()
    }

    /// Also writes the cell of a row that an index chooses; later writes win.
    pub fn write(
        &mut self,
        first: VariableId,
        count: u32,
        index: Term,
        scalar: Scalar,
        value: Term,
    ) {
        match index.constant() {
            Some(index) => {
                self.cells.insert(first.plus(index as u32), (scalar, value));
            }
            None => self.elements.push(ElementWrite {
                first,
                count,
                index,
                scalar,
                value,
            }),
        }
    }

    /// Whether a cell of a row is written.
    pub fn touches(&self, first: VariableId, count: u32) -> bool {
        (0..count).any(|k| self.cells.contains_key(&first.plus(k)))
            || self.touches_elements(first, count)
    }

    /// Whether one is, by an index.
    pub fn touches_elements(&self, first: VariableId, count: u32) -> bool {
        let meets = |element: &ElementWrite| overlap(element.first, element.count, first, count);
        self.elements.iter().any(meets)
    }
}

fn overlap(a: VariableId, m: u32, b: VariableId, n: u32) -> bool {
    match (a, b) {
        (VariableId::Global(a), VariableId::Global(b))
        | (VariableId::Local(a), VariableId::Local(b)) => a < b + n && b < a + m,
        _ => false,
    }
}

/// A hidden cell for values that wait.
pub struct Temporary {
    pub cell: VariableId,
    scalar: Scalar,
    free: bool,
}

impl Body<'_, '_> {
    /// An expression of the program form.
    pub fn add(&mut self, term: Term) -> Expression {
        self.expressions.add(term.operations().iter().copied())
    }

    pub fn add_truth(&mut self, term: Term) -> Expression {
        self.add(term.into_truth())
    }

    /// A hidden cell that is free until the full expression ends.
    pub fn temporary(&mut self, scalar: Scalar) -> VariableId {
        let mut all = self.temporaries.iter_mut();
        if let Some(found) = all.find(|t| t.free && t.scalar == scalar) {
            found.free = false;
            return found.cell;
        }
        let cell = VariableId::Local(self.locals.len() as u32);
        let name = format!("temporary#{}", self.locals.len());
        let name = self.unit.names.intern(&name);
        self.locals.push(super::cell(name, scalar));
        self.local_origins.push(CellOrigin {
            object: None,
            scalar,
            index: 0,
            key: None,
        });
        self.temporaries.push(Temporary {
            cell,
            scalar,
            free: false,
        });
        cell
    }

    /// Which hidden cells are in use, to free those that come later.
    pub fn in_use(&self) -> Vec<bool> {
        self.temporaries.iter().map(|t| !t.free).collect()
    }

    pub fn free_others(&mut self, used: &[bool]) {
        for (index, temporary) in self.temporaries.iter_mut().enumerate() {
            temporary.free = !used.get(index).copied().unwrap_or(false);
        }
    }

    fn is_temporary(&self, variable: VariableId) -> bool {
        self.temporaries.iter().any(|t| t.cell == variable)
    }

    /// What must hold now; nothing goes on where it does not.
    pub fn guard(&mut self, holds: Term, span: Span, kind: PointKind) {
        let holds = holds.into_truth();
        if holds.constant() != Some(1) {
            self.step.guards.push(Guard { holds, kind, span });
        }
    }

    pub fn undefined(&mut self, holds: Term, span: Span, what: &str) {
        let what = what.to_owned();
        self.guard(holds, span, PointKind::Undefined { what });
    }

    /// Nothing gets past this.
    pub fn outside(&mut self, span: Span, what: impl Into<String>) {
        let what = what.into();
        self.guard(Term::truth(false), span, PointKind::Outside { what });
    }

    /// What a cell holds now.
    pub fn read_cell(&mut self, cell: VariableId, scalar: Scalar) -> Term {
        if self.step.touches_elements(cell, 1) {
            self.flush();
        }
        match self.step.cells.get(&cell) {
            Some((_, term)) => term.clone(),
            None => Term::read(cell, scalar),
        }
    }

    /// What the cell of a row holds now that an index chooses. It is guarded.
    pub fn read_element(
        &mut self,
        first: VariableId,
        count: u32,
        index: Term,
        scalar: Scalar,
    ) -> Term {
        if let Some(index) = index.constant() {
            return self.read_cell(first.plus(index as u32), scalar);
        }
        let mut waiting = Value::Scalar(index);
        if self.step.touches(first, count) {
            self.values.push(waiting);
            self.flush();
            waiting = self.pop();
        }
        Term::element(first, count, waiting.term(), scalar)
    }

    pub fn write_cell(&mut self, cell: VariableId, scalar: Scalar, value: Term) {
        let mut value = value;
        if self.step.touches_elements(cell, 1) {
            self.values.push(Value::Scalar(value));
            self.flush();
            value = self.pop().term();
        }
        // What is long must not be read again as a term.
        let is_long = value.len() > 64;
        self.step.cells.insert(cell, (scalar, value));
        if is_long {
            self.flush();
        }
    }

    /// Makes the step as far as it is known. What waits stays what it is.
    pub fn flush(&mut self) {
        self.flush_as(PointKind::Step);
    }

    pub fn flush_as(&mut self, kind: PointKind) {
        self.make_guards();
        if self.step.writes() {
            self.keep_changing();
        }
        if self.step.writes() || !self.step.kept.is_empty() {
            self.make_writes(kind);
        }
    }

    fn make_guards(&mut self) {
        let guards = std::mem::take(&mut self.step.guards);
        let mut arms: Vec<(Expression, Mark)> = Vec::new();
        for Guard { holds, kind, span } in guards {
            let action = self.failing(&kind);
            if holds.constant() == Some(0) && arms.is_empty() {
                self.gate();
                self.assembler.last(span, kind, action);
                return;
            }
            let end = self.end(span, action, kind);
            let fails = self.add_truth(holds.not());
            arms.push((fails, end));
        }
        if !arms.is_empty() {
            let next = self.assembler.mark();
            self.assembler.branch(self.span, arms, next);
            self.assembler.set(next);
        }
    }

    /// A mark for a point past which nothing goes.
    pub fn end(&mut self, span: Span, action: Action, kind: PointKind) -> Mark {
        let end = self.assembler.end(span, action, kind);
        match self.gated() {
            Some(condition) => {
                let next = end.target();
                let gate = Action::Assume { condition, next };
                self.assembler.end(span, gate, PointKind::Step)
            }
            None => end,
        }
    }

    /// What a point does past which nothing goes.
    pub fn failing(&mut self, kind: &PointKind) -> Action {
        let condition = never(self.expressions);
        let next = self.assembler.exit().target();
        let options = self.unit.options;
        let fails = match kind {
            PointKind::Failure { .. } | PointKind::Rule { .. } => true,
            PointKind::Overflow => options.checks.overflow || options.overflow == Overflow::Error,
            _ => false,
        };
        match fails {
            true => Action::Assert { condition, next },
            false => Action::Assume { condition, next },
        }
    }

    /// Keeps the terms that wait and read what the step writes.
    fn keep_changing(&mut self) {
        let step = std::mem::take(&mut self.step);
        self.keep(|_, (first, count)| step.touches(first, count));
        let new = std::mem::replace(&mut self.step, step);
        self.step.kept.extend(new.kept);
    }

    /// Keeps all terms that wait and read anything but hidden cells, because what comes next may
    /// change them in one way or another.
    pub fn keep_all(&mut self) {
        self.keep(|body, (first, count)| count != 1 || !body.is_temporary(first));
        self.flush();
    }

    /// Makes the step, and keeps the terms that wait and read cells of these rows.
    pub fn keep_rows(&mut self, rows: &[(VariableId, u32)]) {
        self.flush();
        self.keep(|_, (first, count)| {
            let mut rows = rows.iter();
            rows.any(|(row, length)| overlap(first, count, *row, *length))
        });
        self.flush();
    }

    /// Keeps the terms that wait and read globals.
    pub fn keep_globals(&mut self) {
        self.keep(|_, (first, _)| matches!(first, VariableId::Global(_)));
        self.flush();
    }

    fn keep(&mut self, changes: impl Fn(&Self, (VariableId, u32)) -> bool) {
        let mut values = std::mem::take(&mut self.values);
        let mut spots = std::mem::take(&mut self.spots);
        let mut olds = std::mem::take(&mut self.olds);
        let terms = values.iter_mut().flat_map(|value| value.terms().iter_mut());
        let terms = terms.chain(spots.iter_mut().flat_map(|spot| spot.terms()));
        let terms = terms.chain(olds.iter_mut().flat_map(|(_, old)| old.terms().iter_mut()));
        for term in terms {
            if term.reads().any(|reads| changes(self, reads)) {
                let taken = std::mem::replace(term, Term::number(0));
                *term = self.kept(taken);
            }
        }
        (self.values, self.spots, self.olds) = (values, spots, olds);
    }

    /// The same value, from a hidden cell that the step writes: to be read after it.
    fn kept(&mut self, term: Term) -> Term {
        let scalar = fitting(&term);
        let cell = self.temporary(scalar);
        self.taint(cell, &term);
        self.step.kept.push((cell, scalar, term));
        Term::read(cell, scalar)
    }

    /// Notes that a hidden cell may hold a pointer that a term reads.
    fn taint(&mut self, cell: VariableId, term: &Term) {
        self.tainted.remove(&cell);
        if term.is_truth() {
            return;
        }
        let classes = term
            .reads()
            .filter_map(|(cell, _)| self.pointer_class(cell));
        if let Some(class) = classes.last() {
            self.tainted.insert(cell, class);
        }
    }

    /// The numbering of the pointers that a cell may hold.
    fn pointer_class(&self, cell: VariableId) -> Option<u32> {
        if let Some(class) = self.tainted.get(&cell) {
            return Some(*class);
        }
        let scalar = match cell {
            VariableId::Local(index) => self.local_origins[index as usize].scalar,
            VariableId::Global(index) => self.unit.global_scalar(index),
        };
        match scalar {
            Scalar::Pointer(codes) => Some(codes.class),
            _ => None,
        }
    }

    /// A function is called that may free memory: pointers that wait are not told of it.
    pub fn pin(&mut self) {
        let values = self.values.iter_mut().flat_map(|one| one.terms().iter());
        let spots = self.spots.iter_mut().flat_map(|spot| spot.terms());
        let olds = self.olds.iter_mut().flat_map(|(_, old)| old.terms().iter());
        let terms = values.chain(spots.map(|term| &*term)).chain(olds);
        let reads: Vec<VariableId> = terms
            .filter(|term| !term.is_truth())
            .flat_map(|term| term.reads().map(|(cell, _)| cell).collect::<Vec<_>>())
            .collect();
        for cell in reads {
            if let Some(class) = self.pointer_class(cell) {
                self.unit.pin(class);
            }
        }
    }

    /// A short term with this value, after the step that is made for it if need be.
    pub fn short(&mut self, term: Term) -> Term {
        if term.len() <= 3 || self.is_inline() {
            return term;
        }
        let short = self.kept(term);
        self.flush();
        short
    }

    fn make_writes(&mut self, kind: PointKind) {
        let cells = std::mem::take(&mut self.step.cells);
        let elements = std::mem::take(&mut self.step.elements);
        let kept = std::mem::take(&mut self.step.kept);
        let moves_one = elements.is_empty() && kept.is_empty() && cells.len() == 1;
        let moves_one = moves_one && !self.unit.options.keeps_steps;
        if kind == PointKind::Step && moves_one && self.redirect(&cells) {
            return;
        }
        let mut targets = Vec::with_capacity(cells.len() + elements.len() + kept.len());
        let mut values = Vec::with_capacity(targets.capacity());
        let kept = kept
            .into_iter()
            .map(|(cell, scalar, term)| (cell, (scalar, term)));
        for (cell, (scalar, term)) in cells.into_iter().chain(kept) {
            targets.push(Target::Cell(cell));
            let value = self.expressions.add(term.for_cell(scalar));
            values.push(Assigned::Of(value));
        }
        for element in elements {
            targets.push(Target::Element {
                first: element.first,
                count: element.count,
                index: self.add(element.index.into_number()),
            });
            let value = self.expressions.add(element.value.for_cell(element.scalar));
            values.push(Assigned::Of(value));
        }
        self.assembler.step(self.span, kind, |next| Action::Assign {
            targets: targets.into(),
            values: values.into(),
            constrain: None,
            next,
        });
    }

    /// Where the step only moves a result that has just come into a hidden cell, the result goes
    /// there at once. Whether that was done.
    fn redirect(&mut self, cells: &IndexMap<VariableId, (Scalar, Term), FxBuildHasher>) -> bool {
        let Some((cell, (scalar, term))) = cells.first() else {
            return false;
        };
        let [Operation::Read(from)] = term.clone().for_cell(*scalar)[..] else {
            return false;
        };
        let Some(temporary) = self.temporaries.iter().find(|t| t.cell == from) else {
            return false;
        };
        let (is_same, cell) = (domain(temporary.scalar) == domain(*scalar), *cell);
        if !is_same || self.is_waiting(from) {
            return false;
        }
        let Some((action, origin)) = self.assembler.straight() else {
            return false;
        };
        match action {
            Action::Havoc { variables, .. } if variables[..] == [from] => {
                variables[0] = cell;
                if let PointKind::Input { cells, .. } = &mut origin.kind {
                    *cells = vec![cell];
                }
                true
            }
            Action::Call(call) if call.targets[..] == [Target::Cell(from)] => {
                call.targets[0] = Target::Cell(cell);
                true
            }
            _ => false,
        }
    }

    /// Whether a value that waits is read from a cell.
    fn is_waiting(&mut self, cell: VariableId) -> bool {
        let values = self
            .values
            .iter_mut()
            .flat_map(|value| value.terms().iter());
        let spots = self.spots.iter_mut().flat_map(|spot| spot.terms());
        let olds = self.olds.iter_mut().flat_map(|(_, old)| old.terms().iter());
        let mut terms = values.chain(spots.map(|term| &*term)).chain(olds);
        terms.any(|term| term.reads().any(|(first, _)| first == cell))
    }
}

/// What a cell must hold to keep a term.
fn fitting(term: &Term) -> Scalar {
    let interval = term.interval();
    if term.is_truth() {
        return Scalar::Truth;
    }
    let signed = interval.low < 0;
    if !signed && interval.high < 256 {
        let bits = (i128::BITS - interval.high.leading_zeros()).max(1) as u8;
        return Scalar::Integer(super::term::Width { bits, signed });
    }
    let widths = [8_u8, 16, 32, 64].map(|bits| super::term::Width { bits, signed });
    let fits = |width: &&super::term::Width| {
        let all = width.interval();
        interval.within(all.low, all.high)
    };
    Scalar::Integer(*widths.iter().find(fits).unwrap_or(&widths[3]))
}
