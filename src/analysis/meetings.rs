//! Which cells meet in sums, comparisons and assignments, directly or through others.
//!
//! Cells that count in the same loop, or in the same recursion, meet as well although nothing
//! compares them: what many rounds do to one is tied to what they do to the other.

use super::frames::{Class, Frames, goes_on};
use crate::components::cyclic_components;
use crate::program::{Expression, Moment, Operation, OperationKind, ProcedureId, VariableId};
use crate::rules::effect::{Assignment, Effect, Place, Source, element};
use crate::rules::{DataVariable, Head, Layout, Right, Rule, Rules};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Which cells meet, as classes of data variables. Two cells meet if their first bits are in
/// one class.
#[derive(Debug)]
pub struct Meetings {
    parents: Vec<DataVariable>,
    /// At the representative of a class: whether its values are ever calculated with.
    counted: Vec<bool>,
    /// First bits of cells that choose among others, and of each of these.
    choices: IndexSet<(DataVariable, DataVariable)>,
}

impl Meetings {
    pub fn new(count: u32) -> Self {
        Meetings {
            parents: (0..count).collect(),
            counted: vec![false; count as usize],
            choices: IndexSet::new(),
        }
    }

    pub fn of(rules: &Rules<'_>) -> Self {
        let frames = Frames::of(rules);
        let mut meetings = Meetings::new(rules.layout.len());
        for class in &frames.classes {
            let mut meeter = Meeter {
                rules,
                class,
                meetings: &mut meetings,
                counters: Vec::new(),
            };
            for head in &class.heads {
                let rules = rules.rules_from(*head).iter();
                rules.for_each(|rule| meeter.meet_in_rule(rule));
            }
            meeter.meet_in_loops();
            if class.is_recursive {
                meeter.meet_in_recursion();
            }
        }
        meetings
    }

    /// Lets meet what a condition compares that is looked at along executions. A local in it is an
    /// index into `locals`.
    pub fn meet_in_condition(
        &mut self,
        layout: &Layout,
        operations: &[Operation],
        locals: &[(ProcedureId, u32)],
    ) {
        self.meet_in(operations, |variable, _| match variable {
            VariableId::Global(index) => layout.global(index),
            VariableId::Local(index) => {
                let (procedure, local) = locals[index as usize];
                layout.cell(procedure, VariableId::Local(local))
            }
        });
    }

    /// The class of a cell with this first bit.
    pub fn class(&self, mut variable: DataVariable) -> DataVariable {
        while self
            .parents
            .get(variable as usize)
            .is_some_and(|p| *p != variable)
        {
            variable = self.parents[variable as usize];
        }
        variable
    }

    /// Whether values of a class are calculated with, not only compared and copied.
    pub fn is_counted(&self, class: DataVariable) -> bool {
        self.counted.get(class as usize).is_some_and(|c| *c)
    }

    /// Each index with each cell that it may choose, by their first bits.
    pub fn choices(&self) -> impl Iterator<Item = (DataVariable, DataVariable)> + '_ {
        self.choices.iter().copied()
    }

    /// Notes that values of the first cells choose among the others.
    fn choose(&mut self, index: &[Range<DataVariable>], among: &[Range<DataVariable>]) {
        for index in index {
            let chosen = among.iter().map(|cell| (index.start, cell.start));
            self.choices.extend(chosen);
        }
    }

    fn count(&mut self, cells: &[Range<DataVariable>]) {
        for cell in cells {
            let class = self.class(cell.start) as usize;
            if let Some(counted) = self.counted.get_mut(class) {
                *counted = true;
            }
        }
    }

    /// Lets cells with these bits meet, as far as they are wider than one bit.
    pub fn meet(&mut self, cells: impl IntoIterator<Item = Range<DataVariable>>) {
        let mut wide = cells.into_iter().filter(|bits| bits.len() > 1);
        let Some(first) = wide.next() else { return };
        let mut root = self.class(first.start);
        for other in wide {
            let other = self.class(other.start);
            // The smaller one, so that chains stay in the order of declaration.
            let (low, high) = (root.min(other), root.max(other));
            self.parents[high as usize] = low;
            self.counted[low as usize] |= self.counted[high as usize];
            root = low;
        }
    }

    /// Lets meet what is added or compared in an expression, and gives the cells whose
    /// values its result is made from. `bits` are those of a cell at a time.
    pub fn meet_in(
        &mut self,
        operations: &[Operation],
        bits: impl Fn(VariableId, Moment) -> Range<DataVariable>,
    ) -> Vec<Range<DataVariable>> {
        let mut stack: Vec<Vec<Range<DataVariable>>> = Vec::new();
        for operation in operations {
            if let Some((first, count, when)) = operation.cells_read() {
                let cells: Vec<_> = (0..count).map(|k| bits(first.plus(k), when)).collect();
                if matches!(operation, Operation::ReadElement { .. }) {
                    let index = stack.pop().unwrap_or_default();
                    self.choose(&index, &cells);
                }
                stack.push(cells);
                continue;
            }
            let mut pop = || stack.pop().unwrap_or_default();
            let result = match operation.kind() {
                OperationKind::Leaf => Vec::new(),
                OperationKind::Unary => match operation {
                    Operation::ToNumber | Operation::Index { .. } | Operation::Wrap { .. } => pop(),
                    _ => {
                        pop();
                        Vec::new()
                    }
                },
                OperationKind::Conditional => {
                    let (mut no, yes) = (pop(), pop());
                    pop();
                    no.extend(yes);
                    no
                }
                OperationKind::Shift => {
                    let (by, shifted) = (pop(), pop());
                    self.count(&by);
                    self.count(&shifted);
                    shifted
                }
                OperationKind::Arithmetic => {
                    let (mut a, b) = (pop(), pop());
                    a.extend(b);
                    self.count(&a);
                    a
                }
                OperationKind::Comparison => {
                    let (a, b) = (pop(), pop());
                    self.meet(a.into_iter().chain(b));
                    Vec::new()
                }
                OperationKind::Connective => {
                    pop();
                    pop();
                    Vec::new()
                }
            };
            self.meet(result.iter().cloned());
            stack.push(result);
        }
        stack.pop().unwrap_or_default()
    }
}

struct Meeter<'a> {
    rules: &'a Rules<'a>,
    class: &'a Class,
    meetings: &'a mut Meetings,
    /// Cells that get a value made from their own, and where.
    counters: Vec<(Head, Range<DataVariable>)>,
}

impl Meeter<'_> {
    /// Lets meet what counts in the same loop.
    fn meet_in_loops(&mut self) {
        if self.counters.len() < 2 {
            return;
        }
        let heads = self.class.heads.iter().copied().zip(0..);
        let places: FxHashMap<Head, usize> = heads.collect();
        let successors = self.class.heads.iter().map(|head| {
            let rules = self.rules.rules_from(*head).iter();
            let next = rules.filter_map(|rule| goes_on(rule.right));
            next.filter_map(|next| places.get(&next).copied()).collect()
        });
        let successors: Vec<Vec<usize>> = successors.collect();
        for component in cyclic_components(&successors) {
            let counters = self.counters.iter();
            let inside = counters.filter(|(head, _)| component.contains(&places[head]));
            self.meetings.meet(inside.map(|(_, cell)| cell.clone()));
        }
    }

    /// Lets meet what counts from one frame to the next, and back.
    fn meet_in_recursion(&mut self) {
        let layout = &self.rules.layout;
        let heads = self.class.heads.iter();
        let mut kinds: Vec<_> = heads
            .filter_map(|head| self.rules.frame_of(*head))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut cells = Vec::new();
        for kind in kinds {
            let frame = self.rules.cells(kind);
            let locals = (0..frame.locals.len() as u32).map(VariableId::Local);
            cells.extend(locals.map(|local| layout.cell(kind, local)));
            let returns = 0..frame.returns.len() as u32;
            cells.extend(returns.map(|i| layout.returned(kind, i)));
        }
        cells.extend(self.counters.iter().map(|(_, cell)| cell.clone()));
        cells.retain(|cell| self.meetings.is_counted(self.meetings.class(cell.start)));
        self.meetings.meet(cells);
    }

    fn meet_in_rule(&mut self, rule: &Rule) {
        let rules = self.rules;
        let effect = rules.effects.get(rule.effect);
        for (condition, _) in &effect.conditions {
            self.read(effect, *condition);
        }
        for assignment in &effect.assignments {
            self.assign(rule, effect, assignment);
        }
        for constrain in &effect.constrain {
            self.read(effect, *constrain);
        }
    }

    fn assign(&mut self, rule: &Rule, effect: &Effect, assignment: &Assignment) {
        let cells = match &assignment.place {
            Place::Cell(cell) => vec![cell.clone()],
            Place::Element { first, count, .. } => (0..*count).map(|k| element(first, k)).collect(),
        };
        if let Some(index) = assignment.place.index() {
            let index = self.read(effect, index);
            self.meetings.choose(&index, &cells);
        }
        let read = match &assignment.source {
            Source::Of(value) => self.read(effect, *value),
            Source::Bits(bits, _) => vec![bits.clone()],
            Source::Any => return,
        };
        // The locals of a frame that is pushed are other ones than those read.
        let is_new = matches!(rule.right, Right::Push { .. })
            && !assignment.below
            && cells
                .iter()
                .all(|cell| cell.end <= self.rules.layout.locals);
        if let [cell] = cells.as_slice()
            && read.contains(cell)
            && !is_new
        {
            self.counters.push((rule.from, cell.clone()));
        }
        self.meetings.meet(cells.into_iter().chain(read));
    }

    /// The cells an expression's value is made from.
    fn read(&mut self, effect: &Effect, expression: Expression) -> Vec<Range<DataVariable>> {
        let operations = self.rules.expressions.operations(expression);
        let bits = |variable, when| effect.bits(&self.rules.layout, variable, when);
        self.meetings.meet_in(operations, bits)
    }
}
