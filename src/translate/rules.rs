//! The rules of each control point: what the interpreter does in one step, as conditions.
//!
//! A step that may fail has a second rule, to *error*. A call goes on at a *returning* symbol
//! if something happens on the return: targets are set, an `enforce` must hold, or the caller
//! is at its end and its own return values become arbitrary. That symbol is what is left of
//! the callee's exit point, one step longer: it bears the callee's name.

use super::expression::{Expressions, Number, Truth, Value, number};
use super::formula::{Formulas, Node};
use super::relation::{Frame, Relation, Update};
use super::variables::Variables;
use super::{Symbol, Untranslatable};
use crate::program::Interval;
use crate::program::{
    self, Action, Call, Domain, Expression, Operation, Overflow, PointId, Procedure, ProcedureId,
    Program, Target, VariableId, When,
};
use crate::syntax::pds::tree::BinaryOperator as Operator;

/// A rule, but for its left side.
pub struct Rule {
    pub right: Vec<Symbol>,
    /// All must be true.
    pub conditions: Vec<Node>,
}

pub struct Rules<'r> {
    pub program: &'r Program,
    pub variables: &'r Variables,
    pub formulas: &'r mut Formulas,
    pub procedure: ProcedureId,
    /// What every rule of the symbol requires.
    pub required: Option<Node>,
    pub list: Vec<Rule>,
}

type Outcome<T> = Result<T, Untranslatable>;

/// Cells to be set, and the condition under which that works out.
struct Updates {
    list: Vec<Update>,
    fits: Node,
}

/// Whether something is left to do when a call returns.
pub fn has_returning_symbol(program: &Program, at: PointId, call: &Call) -> bool {
    let caller = program.procedure_of(at);
    let ends = call.next == caller.exit() && !caller.returns.is_empty();
    !call.targets.is_empty() || caller.enforce.is_some() || ends
}

impl<'r> Rules<'r> {
    /// The rules of a point.
    pub fn point(&mut self, at: PointId) -> Outcome<()> {
        let program = self.program;
        if let Some(enforce) = self.owner().enforce {
            self.required = Some(self.condition(enforce)?.yes);
        }
        match &program.point(at).action {
            Action::Goto { targets } => {
                let mut targets = targets.to_vec();
                targets.sort_unstable();
                targets.dedup();
                for target in targets {
                    self.go_on(target, &[], &[]);
                }
            }
            Action::Assign {
                targets,
                values,
                constrain,
                next,
            } => {
                let updates = self.updates(targets.iter().zip(values), When::After)?;
                let constrain = constrain.map(|c| self.condition(c)).transpose()?;
                let mut conditions = vec![updates.fits];
                conditions.extend(constrain.map(|constrain| constrain.yes));
                self.go_on(*next, &conditions, &updates.list);
                self.fail_unless(updates.fits);
            }
            Action::Havoc { variables, next } => {
                let procedure = self.procedure;
                let any = |cell: &VariableId| self.cell_update(procedure, *cell, When::After, None);
                let updates: Vec<_> = variables.iter().map(any).collect();
                self.go_on(*next, &[], &updates);
            }
            Action::Branch { arms, otherwise } => {
                let mut before = self.formulas.truth(true);
                for (condition, target) in arms {
                    let condition = self.condition(*condition)?;
                    self.go_on(*target, &[before, condition.yes], &[]);
                    before = self.formulas.and(before, condition.no);
                }
                self.go_on(*otherwise, &[before], &[]);
            }
            Action::Select { arms, otherwise } => self.select(arms, *otherwise)?,
            Action::Assert { condition, next } => {
                let condition = self.condition(*condition)?;
                self.go_on(*next, &[condition.yes], &[]);
                self.fail(condition.no);
                self.fail_where_missing(condition);
            }
            Action::Assume { condition, next } => {
                let condition = self.condition(*condition)?;
                self.go_on(*next, &[condition.yes], &[]);
                self.fail_where_missing(condition);
            }
            Action::Return { values } => self.give_back(values)?,
            Action::Exit => self.leave(),
            Action::Call(call) => self.call(at, call)?,
        }
        Ok(())
    }

    /// The rules of the symbol at which a call goes on.
    pub fn returning(&mut self, call: &Call) -> Outcome<()> {
        let program = self.program;
        let returns = &program.procedure(call.callee).returns;
        let mut updates = self.no_updates();
        for (i, (target, returned)) in call.targets.iter().zip(returns).enumerate() {
            let register = self.variables.register_of(i, *returned);
            let cell = self.formulas.read(register, When::Before);
            let value = match self.expressions(When::Before).as_value(register, cell) {
                // It holds no more than what the callee may return.
                Value::Number(number) => Value::Number(Number {
                    interval: Interval::of(*returned),
                    ..number
                }),
                truth => truth,
            };
            self.add(&mut updates, target, When::After, Some(value))?;
        }
        let mut conditions = vec![updates.fits];
        if let Some(enforce) = self.owner().enforce {
            let operations = program.expressions.operations(enforce);
            conditions.push(self.expressions(When::After).condition(operations)?.yes);
        }
        self.go_on(call.next, &conditions, &updates.list);
        self.fail_unless(updates.fits);
        Ok(())
    }

    /// The rule of the symbol that executions begin with: it puts the entry point on top of
    /// what is left in the end.
    pub fn start(&mut self) {
        let entry = self.program.entry_point();
        let mut conditions = self.frames(&[(self.own(), When::After, true)], &[]);
        conditions.extend(self.arrival(entry));
        let right = vec![Symbol::Point(entry), Symbol::Terminated];
        self.list.push(Rule { right, conditions });
    }

    /// The conditions on all values that executions begin with: of globals, and of locals.
    pub fn start_conditions(&mut self) -> [Vec<Node>; 2] {
        let ranges = [self.variables.globals.clone(), self.own()];
        ranges.map(|variables| {
            let frame = Frame {
                variables,
                when: When::Before,
                kept: false,
            };
            self.relation().frame(&frame, &[])
        })
    }

    /// The rule of `error` and `terminated`.
    pub fn stay(&mut self, symbol: Symbol) {
        let conditions = self.frames(&[], &[]);
        let right = vec![symbol];
        self.list.push(Rule { right, conditions });
    }

    fn owner(&self) -> &'r Procedure {
        self.program.procedure(self.procedure)
    }

    /// The variables of this procedure.
    fn own(&self) -> std::ops::Range<u32> {
        self.variables.locals(self.procedure)
    }

    fn expressions(&mut self, now: When) -> Expressions<'_> {
        Expressions {
            formulas: &mut *self.formulas,
            variables: self.variables,
            procedure: self.procedure,
            now,
        }
    }

    fn relation(&mut self) -> Relation<'_> {
        Relation {
            formulas: &mut *self.formulas,
            variables: self.variables,
            overflow: self.program.overflow,
        }
    }

    fn operations(&self, expression: Expression) -> &'r [Operation] {
        self.program.expressions.operations(expression)
    }

    fn condition(&mut self, expression: Expression) -> Outcome<Truth> {
        let operations = self.operations(expression);
        self.expressions(When::Before).condition(operations)
    }

    fn value(&mut self, expression: Expression) -> Outcome<Value> {
        let operations = self.operations(expression);
        self.expressions(When::Before).value(operations)
    }

    /// What is said of the globals, and of locals in other places, after these updates.
    fn frames(
        &mut self,
        locals: &[(std::ops::Range<u32>, When, bool)],
        updates: &[Update],
    ) -> Vec<Node> {
        let globals = (self.variables.globals.clone(), When::After, true);
        let mut conditions = Vec::new();
        for (variables, when, kept) in [globals].iter().chain(locals).cloned() {
            let frame = Frame {
                variables,
                when,
                kept,
            };
            conditions.extend(self.relation().frame(&frame, updates));
        }
        conditions
    }

    fn push(&mut self, right: Vec<Symbol>, first: &[Node], rest: Vec<Node>) {
        let required = self.required.into_iter();
        let conditions = required.chain(first.iter().copied()).chain(rest);
        let conditions = conditions
            .filter(|condition| !self.formulas.is_truth(*condition, true))
            .collect();
        self.list.push(Rule { right, conditions });
    }

    /// A step to a point of the same procedure.
    fn go_on(&mut self, to: PointId, conditions: &[Node], updates: &[Update]) {
        let mut rest = self.frames(&[(self.own(), When::After, true)], updates);
        rest.extend(self.arrival(to));
        self.push(vec![Symbol::Point(to)], conditions, rest);
    }

    /// What is said of return values that nobody has fixed: at an exit they may be anything
    /// that the procedure may return.
    fn arrival(&mut self, at: PointId) -> Vec<Node> {
        let procedure = self.program.procedure_of(at);
        if at != procedure.exit() {
            return Vec::new();
        }
        let mut conditions = Vec::new();
        for (i, domain) in procedure.returns.iter().enumerate() {
            let register = self.variables.register_of(i, *domain);
            let size = self.variables.get(register).domain.size();
            if domain.size() < size {
                let cell = self.formulas.read(register, When::After);
                let last = self.formulas.constant(domain.size() as i128 - 1);
                conditions.push(self.formulas.binary(Operator::LessEqual, cell, last));
            }
        }
        conditions
    }

    fn fail(&mut self, condition: Node) {
        if !self.formulas.is_truth(condition, false) {
            let kept = self.frames(&[], &[]);
            self.push(vec![Symbol::Error], &[condition], kept);
        }
    }

    /// The same for what is cut off under [`Overflow::Block`].
    fn fail_unless(&mut self, fits: Node) {
        if self.program.overflow != Overflow::Block {
            let misfits = self.formulas.not(fits);
            self.fail(misfits);
        }
    }

    fn fail_where_missing(&mut self, condition: Truth) {
        if self.program.overflow != Overflow::Block {
            let missing = condition.missing(self.formulas);
            self.fail(missing);
        }
    }

    fn select(
        &mut self,
        arms: &[(Expression, PointId)],
        otherwise: Option<PointId>,
    ) -> Outcome<()> {
        let mut none = self.formulas.truth(true);
        for (condition, target) in arms {
            let condition = self.condition(*condition)?;
            self.go_on(*target, &[condition.yes], &[]);
            self.fail_where_missing(condition);
            let mut not_true = self.formulas.not(condition.yes);
            if !condition.is_determined(self.formulas) {
                not_true = self.formulas.or(condition.no, not_true);
            }
            none = self.formulas.and(none, not_true);
        }
        if let Some(otherwise) = otherwise {
            self.go_on(otherwise, &[none], &[]);
        }
        Ok(())
    }

    fn no_updates(&mut self) -> Updates {
        Updates {
            list: Vec::new(),
            fits: self.formulas.truth(true),
        }
    }

    fn updates<'t>(
        &mut self,
        pairs: impl Iterator<Item = (&'t Target, &'t program::Value)>,
        locals: When,
    ) -> Outcome<Updates> {
        let mut updates = self.no_updates();
        for (target, value) in pairs {
            if *target == Target::Discard {
                continue;
            }
            let value = value.expression().map(|e| self.value(e)).transpose()?;
            self.add(&mut updates, target, locals, value)?;
        }
        Ok(updates)
    }

    /// Adds what happens to a target. Globals are seen after the step, locals where they are.
    fn add(
        &mut self,
        updates: &mut Updates,
        target: &Target,
        locals: When,
        value: Option<Value>,
    ) -> Outcome<()> {
        let Some((first, _)) = target.cells() else {
            return Ok(());
        };
        let when = match first {
            VariableId::Global(_) => When::After,
            VariableId::Local(_) => locals,
        };
        let update = match target {
            Target::Element {
                first,
                count,
                index,
            } => {
                let place = number(self.value(*index)?)?;
                let mut expressions = self.expressions(When::Before);
                let (variable, index) = expressions.index(*first, *count, place);
                updates.fits = self.formulas.and(updates.fits, index.defined);
                Update {
                    variable,
                    when,
                    index: Some(index.term),
                    value,
                }
            }
            _ => self.cell_update(self.procedure, first, when, value),
        };
        let domain = self.variables.get(update.variable).domain;
        self.must_fit(updates, value, domain);
        updates.list.push(update);
        Ok(())
    }

    /// What happens to a cell of some procedure.
    fn cell_update(
        &mut self,
        procedure: ProcedureId,
        cell: VariableId,
        when: When,
        value: Option<Value>,
    ) -> Update {
        let (variable, place) = self.variables.cell(procedure, cell);
        let array = self.variables.get(variable).array;
        let index = array.map(|(low, _)| {
            let index = i128::from(low) + i128::from(place);
            self.formulas.constant(index)
        });
        Update {
            variable,
            when,
            index,
            value,
        }
    }

    /// Adds that a value is there, and fits what it goes into.
    fn must_fit(&mut self, updates: &mut Updates, value: Option<Value>, domain: Domain) {
        let fits = match value {
            None => return,
            Some(Value::Truth(truth)) => {
                let missing = truth.missing(self.formulas);
                self.formulas.not(missing)
            }
            Some(Value::Number(number)) if self.program.overflow == Overflow::Wrap => {
                number.defined
            }
            Some(Value::Number(number)) => {
                let last = domain.size() as i128 - 1;
                let mut expressions = self.expressions(When::Before);
                expressions.within(number, 0, last).defined
            }
        };
        updates.fits = self.formulas.and(updates.fits, fits);
    }

    /// A `return`.
    fn give_back(&mut self, values: &[Expression]) -> Outcome<()> {
        let owner = self.owner();
        let mut updates = self.no_updates();
        let mut returned = Vec::new();
        for (i, (value, domain)) in values.iter().zip(&owner.returns).enumerate() {
            let value = self.value(*value)?;
            self.must_fit(&mut updates, Some(value), *domain);
            let register = self.variables.register_of(i, *domain);
            let cell = self.formulas.read(register, When::After);
            returned.push(self.relation().set(*domain, cell, Some(value)));
        }
        returned.extend(self.frames(&[(self.own(), When::After, true)], &[]));
        let exit = Symbol::Point(owner.exit());
        self.push(vec![exit], &[updates.fits], returned);
        self.fail_unless(updates.fits);
        Ok(())
    }

    /// Leaves an exit point.
    fn leave(&mut self) {
        let mut kept = self.frames(&[], &[]);
        for (i, domain) in self.owner().returns.iter().enumerate() {
            let register = self.variables.register_of(i, *domain);
            let frame = Frame {
                variables: register..register + 1,
                when: When::After,
                kept: true,
            };
            kept.extend(self.relation().frame(&frame, &[]));
        }
        self.push(Vec::new(), &[], kept);
    }

    fn call(&mut self, at: PointId, call: &Call) -> Outcome<()> {
        let callee = self.program.procedure(call.callee);
        let assignments = call.assignments.iter().map(|(t, v)| (t, v));
        let mut updates = self.updates(assignments, When::Below)?;
        for ((argument, cell), i) in call.arguments.iter().zip(&callee.locals).zip(0..) {
            let value = Some(self.value(*argument)?);
            self.must_fit(&mut updates, value, cell.domain);
            let parameter = VariableId::Local(i);
            let update = self.cell_update(call.callee, parameter, When::After, value);
            updates.list.push(update);
        }
        let locals = [
            (self.variables.locals(call.callee), When::After, false),
            (self.own(), When::Below, true),
        ];
        let mut rest = self.frames(&locals, &updates.list);
        rest.extend(self.arrival(callee.entry()));
        let next = match has_returning_symbol(self.program, at, call) {
            true => Symbol::Returning(at),
            false => Symbol::Point(call.next),
        };
        let right = vec![Symbol::Point(callee.entry()), next];
        self.push(right, &[updates.fits], rest);
        self.fail_unless(updates.fits);
        Ok(())
    }
}
