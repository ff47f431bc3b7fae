//! The rules of a program (Moped, section 3).
//!
//! Heads are the control points; then the returning heads of calls that must set targets or
//! check an `enforce`; one head for failed assertions and one for termination. Linear in the
//! program.

mod call;
mod creation;

use super::effect::{Assignment, Effect, Outcome, Place, Source};
use super::effects::{Interner, Makers};
use super::{
    Creation, EffectId, Ending, FrameCells, Head, Layout, Right, Rule, Rules, Start, order_rules,
};
use crate::index::{Index, IndexVec};
use crate::program::{
    Action, Domain, Overflow, PointId, ProcedureId, Program, Target, Value, VariableId,
};

/// Arrays with more elements than this are updated by a rule for each.
const LARGE_ARRAY: u32 = 16;

impl<'a> Rules<'a> {
    /// The rules of a program: of all points if `whole`, otherwise of those that some path
    /// through calls and branches leads to.
    pub fn of_program(program: &'a Program, layout: Layout, whole: bool) -> Self {
        let points = match whole {
            true => program.point_ids().collect(),
            false => reachable_points(program),
        };
        let returning: Vec<_> = points
            .iter()
            .filter(|point| has_returning_head(program, &layout, **point))
            .map(|point| point.0)
            .collect();
        let symbols = program.points.len() as u32;
        let error = Head(symbols + returning.len() as u32);
        let empty = Head(error.0 + 1);
        let domain = |procedure, variable| program.cell(procedure, variable).domain;
        let makers = Makers {
            expressions: &program.expressions,
            layout: &layout,
            overflow: program.overflow,
            domain: &domain,
        };
        let mut builder = Builder {
            program,
            layout: &layout,
            returning: &returning,
            error,
            empty,
            interner: Interner::new(makers),
            rules: Vec::with_capacity(points.len() * 2),
            returning_rules: Vec::with_capacity(returning.len()),
            creations: Vec::new(),
        };
        for point in &points {
            builder.add_point(*point);
        }
        let Builder {
            interner,
            mut rules,
            mut returning_rules,
            creations,
            ..
        } = builder;
        rules.append(&mut returning_rules);
        let (rules, by_head) = order_rules(rules, empty.0 as usize + 1);
        let effects = interner.finish();
        let procedures = program.procedures.iter();
        let owner = |point: u32| program.points[point as usize].procedure;
        let entry = program.entry;
        Rules {
            expressions: &program.expressions,
            overflow: program.overflow,
            names: &program.names,
            globals: &program.globals,
            state_cell: None,
            frames: procedures
                .clone()
                .map(|procedure| FrameCells {
                    name: program.names.text(procedure.name),
                    locals: &procedure.locals,
                    returns: &procedure.returns,
                })
                .collect(),
            effects,
            rules,
            by_head,
            creations,
            symbols,
            frame_of: (0..symbols)
                .chain(returning.iter().copied())
                .map(owner)
                .collect(),
            returning,
            entries: procedures
                .map(|procedure| Head(procedure.entry().0))
                .collect(),
            start: Start {
                head: Head(program.entry_point().0),
                conditions: Box::default(),
                cells: partial_cells(program, &layout, entry),
            },
            layout,
            error: Some(error),
            empty: Some(empty),
            ending: Ending::Stays,
            can_be_cut_off: can_be_cut_off(program),
            is_frame_by_kind: true,
            is_whole: whole,
        }
    }
}

fn can_be_cut_off(program: &Program) -> bool {
    let cuts = |action: &Action| match action {
        Action::Assume { .. } => true,
        Action::Assign { constrain, .. } => constrain.is_some(),
        Action::Select { otherwise, .. } => otherwise.is_none(),
        _ => false,
    };
    // With `Block` almost every expression can.
    program.overflow == Overflow::Block
        || program.procedures.iter().any(|p| p.enforce.is_some())
        || program.points.iter().any(|point| cuts(&point.action))
}

/// The globals, and the locals of a procedure, whose bits need not be a value.
fn partial_cells(
    program: &Program,
    layout: &Layout,
    entry: ProcedureId,
) -> Vec<(Domain, std::ops::Range<u32>)> {
    let globals = program.globals.iter().zip((0..).map(VariableId::Global));
    let locals = program.procedure(entry).locals.iter();
    let cells = globals.chain(locals.zip((0..).map(VariableId::Local)));
    let cells = cells.filter(|(cell, _)| !cell.domain.is_full());
    cells
        .map(|(cell, id)| (cell.domain, layout.cell(entry, id)))
        .collect()
}

/// The points that control can come to as far as branches and calls tell, in rising order.
pub fn reachable_points(program: &Program) -> Vec<PointId> {
    let mut reached = IndexVec::<PointId, _>::filled(false, program.points.len());
    let mut open: Vec<_> = program.starts().collect();
    while let Some(point) = open.pop() {
        if std::mem::replace(&mut reached[point], true) {
            continue;
        }
        let action = &program.point(point).action;
        let exit = program.procedure_of(point).exit();
        action.for_each_successor(exit, |next| open.push(next));
        if let Action::Call(call) = action {
            open.push(program.procedure(call.callee).entry());
        }
    }
    program
        .point_ids()
        .filter(|point| reached[*point])
        .collect()
}

fn has_returning_head(program: &Program, layout: &Layout, point: PointId) -> bool {
    let Action::Call(call) = &program.point(point).action else {
        return false;
    };
    let caller = program.procedure_of(point);
    layout.remembers
        || caller.enforce.is_some()
        || call.targets.iter().any(|target| *target != Target::Discard)
        // What the callee returns must not be taken for its caller's.
        || !caller.returns.is_empty() && call.next == caller.exit()
}

struct Builder<'a> {
    program: &'a Program,
    layout: &'a Layout,
    returning: &'a [u32],
    error: Head,
    empty: Head,
    interner: Interner<'a>,
    rules: Vec<Rule>,
    /// Those of returning heads, which come behind all points.
    returning_rules: Vec<Rule>,
    creations: Vec<Creation>,
}

impl<'a> Builder<'a> {
    fn at(&self, point: PointId) -> Head {
        Head(point.0)
    }

    fn add_point(&mut self, point: PointId) {
        let program = self.program;
        let procedure = program.point(point).procedure;
        let enforce = program.procedure(procedure).enforce;
        // What the point's rules do, one after the other.
        let mut effect = Effect::of(procedure);
        effect
            .conditions
            .extend(enforce.map(|e| (e, Outcome::True)));
        match &program.point(point).action {
            Action::Goto { targets } => {
                for target in targets {
                    self.add_step(point, *target, &mut effect);
                }
            }
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => {
                effect.constrain = constrain.iter().copied().collect();
                let pairs = targets.iter().zip(values.iter().copied());
                self.add_assignments(point, *next, effect, pairs);
            }
            Action::Havoc { variables, next } => {
                let targets = variables.iter().map(|variable| Target::Cell(*variable));
                let targets: Vec<_> = targets.collect();
                let pairs = targets.iter().map(|target| (target, Value::Any));
                self.add_assignments(point, *next, effect, pairs);
            }
            Action::Branch { arms, otherwise } => {
                for (condition, target) in arms {
                    effect.conditions.push((*condition, Outcome::True));
                    self.add_step(point, *target, &mut effect);
                    effect.conditions.pop();
                    effect.conditions.push((*condition, Outcome::False));
                }
                self.add_step(point, *otherwise, &mut effect);
            }
            Action::Select { arms, otherwise } => {
                let enforced = effect.conditions.len();
                for (condition, target) in arms {
                    effect.conditions.truncate(enforced);
                    effect.conditions.push((*condition, Outcome::True));
                    self.add_step(point, *target, &mut effect);
                    self.add_failing_rule(self.at(point), point, &effect, false);
                }
                if let Some(otherwise) = otherwise {
                    effect.conditions.truncate(enforced);
                    let others = arms.iter().map(|(arm, _)| (*arm, Outcome::NotTrue));
                    effect.conditions.extend(others);
                    self.add_step(point, *otherwise, &mut effect);
                }
            }
            Action::Assert { condition, next } => {
                effect.conditions.push((*condition, Outcome::True));
                self.add_step(point, *next, &mut effect);
                self.add_failing_rule(self.at(point), point, &effect, false);
                effect.conditions.pop();
                effect.conditions.push((*condition, Outcome::False));
                self.add_rule(point, Right::Step(self.error), &effect, false);
            }
            Action::Assume { condition, next } => {
                effect.conditions.push((*condition, Outcome::True));
                self.add_step(point, *next, &mut effect);
                self.add_failing_rule(self.at(point), point, &effect, false);
            }
            Action::Return {
                values,
                assignments: changes,
            } => {
                let domains = &program.procedure(procedure).returns;
                let returned = (0..).map(|i| self.layout.returned(procedure, i));
                let assignments = returned.zip(domains).zip(values);
                let assignments = assignments.map(|((bits, domain), value)| Assignment {
                    place: Place::Cell(bits),
                    domain: *domain,
                    source: Source::Of(*value),
                    below: false,
                });
                effect.assignments.extend(assignments);
                effect.assignments.extend(self.changes(procedure, changes));
                let exit = self.at(program.procedure(procedure).exit());
                self.add_rule(point, Right::Step(exit), &effect, false);
                self.add_failing_rule(self.at(point), point, &effect, false);
            }
            Action::StartThread { thread, next } => {
                self.add_step(point, *next, &mut effect);
                self.add_creation(procedure, point, thread);
            }
            Action::EndThread { assignments } => {
                effect
                    .assignments
                    .extend(self.changes(procedure, assignments));
                self.add_rule(point, Right::Step(self.empty), &effect, false);
            }
            Action::Call(call) => self.add_call(point, call, effect),
            Action::Exit => self.add_rule(point, Right::Pop, &effect, false),
        }
    }

    /// A step that changes nothing but the place, and returned values where it leads off the
    /// end.
    fn add_step(&mut self, from: PointId, to: PointId, effect: &mut Effect) {
        let procedure = self.program.point(from).procedure;
        effect
            .assignments
            .extend(self.arbitrary_off_the_end(procedure, to));
        self.add_rule(from, Right::Step(self.at(to)), effect, false);
        effect.assignments.clear();
    }

    fn add_assignments<'t>(
        &mut self,
        from: PointId,
        to: PointId,
        mut effect: Effect,
        pairs: impl ExactSizeIterator<Item = (&'t Target, Value)>,
    ) {
        let procedure = self.program.point(from).procedure;
        // What is assigned wins over what is arbitrary.
        let arbitrary = self.arbitrary_off_the_end(procedure, to);
        effect.assignments.extend(arbitrary);
        let arbitrary = effect.assignments.len();
        effect.assignments.reserve(pairs.len());
        let changes = pairs.filter_map(|(target, value)| self.assignment(procedure, target, value));
        effect.assignments.extend(changes);
        let right = Right::Step(self.at(to));
        match large_array(&effect.assignments) {
            None => self.add_rule(from, right, &effect, false),
            Some((large, count)) => {
                for k in 0..count {
                    set_only(&mut effect.assignments[large].place, Some(k));
                    self.add_rule(from, right, &effect, false);
                }
                set_only(&mut effect.assignments[large].place, None);
            }
        }
        effect.assignments.drain(..arbitrary);
        effect.constrain = Box::default();
        self.add_failing_rule(self.at(from), from, &effect, false);
    }

    /// The rule for the case that an expression of a step has no value, or a value does not
    /// fit; none if that cannot be, or such executions are cut off.
    fn add_failing_rule(&mut self, from: Head, origin: PointId, effect: &Effect, internal: bool) {
        let expressions = &self.program.expressions;
        if self.program.overflow == Overflow::Block || !effect.may_fail(expressions) {
            return;
        }
        let effect = self.interner.intern(effect);
        self.push(Rule {
            from,
            right: Right::Step(self.error),
            effect,
            is_failure: true,
            internal,
            is_return: false,
            origin: origin.0,
        });
    }

    fn add_rule(&mut self, from: PointId, right: Right, effect: &Effect, internal: bool) {
        let effect = self.interner.intern(effect);
        self.add(self.at(from), from, right, effect, internal);
    }

    fn add(&mut self, from: Head, origin: PointId, right: Right, effect: EffectId, internal: bool) {
        self.push(Rule {
            from,
            right,
            effect,
            is_failure: false,
            internal,
            is_return: matches!(self.program.point(origin).action, Action::Return { .. }),
            origin: origin.0,
        });
    }

    fn push(&mut self, rule: Rule) {
        let is_at_point = rule.from.index() < self.program.points.len();
        match is_at_point {
            true => self.rules.push(rule),
            false => self.returning_rules.push(rule),
        }
    }

    fn changes(
        &self,
        procedure: ProcedureId,
        assignments: &[(Target, Value)],
    ) -> impl Iterator<Item = Assignment> {
        let assignments = assignments.iter();
        assignments.filter_map(move |(target, value)| self.assignment(procedure, target, *value))
    }

    /// An assignment inside `procedure`; `None` if its value is thrown away. (Its value may
    /// then still be missing: front ends give such a value a place.)
    fn assignment(
        &self,
        procedure: ProcedureId,
        target: &Target,
        value: Value,
    ) -> Option<Assignment> {
        let source = match value {
            Value::Of(expression) => Source::Of(expression),
            Value::Any => Source::Any,
        };
        self.assignment_of(procedure, target, source)
    }

    fn assignment_of(
        &self,
        procedure: ProcedureId,
        target: &Target,
        source: Source,
    ) -> Option<Assignment> {
        let (first, _) = target.cells()?;
        let bits = self.layout.cell(procedure, first);
        Some(Assignment {
            domain: self.program.cell(procedure, first).domain,
            place: match *target {
                Target::Element { count, index, .. } => Place::Element {
                    first: bits,
                    count,
                    index,
                    only: None,
                },
                Target::Cell(_) | Target::Discard => Place::Cell(bits),
            },
            source,
            below: false,
        })
    }

    /// Any values for what is returned, if a step leads to the exit without fixing them.
    fn arbitrary_off_the_end(
        &self,
        id: ProcedureId,
        to: PointId,
    ) -> impl Iterator<Item = Assignment> + use<'a> {
        let (procedure, layout) = (self.program.procedure(id), self.layout);
        let returns = match to == procedure.exit() {
            true => &*procedure.returns,
            false => &[],
        };
        returns.iter().zip(0..).map(move |(domain, i)| Assignment {
            place: Place::Cell(layout.returned(id, i)),
            domain: *domain,
            source: Source::Any,
            below: false,
        })
    }
}

/// Makes a rule for one element of an array, or for all.
fn set_only(place: &mut Place, element: Option<u32>) {
    if let Place::Element { only, .. } = place {
        *only = element;
    }
}

/// The first assignment to an element of a large array, and how many elements that has. Its
/// rule is made once for each element: a relation for all of them would have to say of each
/// other element that it keeps its value.
fn large_array(assignments: &[Assignment]) -> Option<(usize, u32)> {
    let mut places = assignments.iter().map(|a| &a.place).enumerate();
    places.find_map(|(i, place)| match place {
        Place::Element { count, .. } if *count > LARGE_ARRAY => Some((i, *count)),
        _ => None,
    })
}
