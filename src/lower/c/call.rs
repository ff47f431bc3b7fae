//! Calls: of functions with a body, of those with a meaning, of those that nothing is known of.

use super::Externs;
use super::body::{Body, Task, row};
use super::library::Meaning;
use super::origin::PointKind;
use super::step::Value;
use super::term::{Scalar, Term};
use super::unit::STRANGER;
use crate::program::{Action, Call, Target, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{Callee, FunctionId, List, Type, TypeId};

impl Body<'_, '_> {
    /// Whether pointers among the arguments of a call are not looked at.
    pub fn ignores_arguments(&self, callee: Callee) -> bool {
        match callee {
            Callee::Function(id) => Meaning::of(self.unit.typed, id).ignores_arguments(),
            Callee::Pointer(_) => false,
        }
    }

    /// The arguments are there, and the pointer below them.
    pub fn call(&mut self, callee: Callee, list: List, type_id: TypeId, span: Span) {
        let typed = self.unit.typed;
        let outer = std::mem::replace(&mut self.span, span);
        let ignores = self.ignores_arguments(callee);
        let arguments = typed.arguments[list.indices()].iter();
        let count = arguments
            .filter(|id| !(ignores && self.unit.reach.is_ignored(typed, **id)))
            .count();
        self.flush();
        let arguments = self
            .values
            .split_off(self.values.len().saturating_sub(count));
        // What else waits must not change while the callee runs.
        self.keep_globals();
        let value = match callee {
            Callee::Function(id) => self.call_function(id, arguments, type_id, span),
            Callee::Pointer(pointer) => {
                let target = self.pop_term();
                self.call_pointer(target, self.type_of(pointer), arguments, type_id, span)
            }
        };
        self.values.push(value);
        self.span = outer;
    }

    fn call_function(
        &mut self,
        id: FunctionId,
        mut arguments: Vec<Value>,
        type_id: TypeId,
        span: Span,
    ) -> Value {
        let typed = self.unit.typed;
        let function = &typed.functions[id.0 as usize];
        let first = |arguments: &mut Vec<Value>| match arguments.is_empty() {
            true => Term::number(0),
            false => arguments.remove(0).term(),
        };
        match Meaning::of(typed, id) {
            Meaning::Body => return self.call_body(id, arguments, type_id, span),
            Meaning::Assume => {
                let condition = first(&mut arguments).into_truth();
                let condition = self.add(condition);
                self.assembler
                    .step(span, PointKind::Step, |next| Action::Assume {
                        condition,
                        next,
                    });
                self.assembler.note_call(id);
            }
            Meaning::Assert => {
                let condition = first(&mut arguments).into_truth();
                let condition = self.add(condition);
                let what = "assertion".to_owned();
                let kind = PointKind::Failure { what };
                self.assembler
                    .step(span, kind, |next| Action::Assert { condition, next });
                self.assembler.note_call(id);
            }
            Meaning::Failure => {
                let what = format!("`{}` is called", typed.names.text(function.name));
                let kind = PointKind::Failure { what };
                let action = self.failing(&kind);
                if self.assembler.last(span, kind, action) {
                    self.assembler.note_last_call(id);
                }
            }
            Meaning::End => {
                if self.end_program(span) {
                    self.assembler.note_last_call(id);
                }
            }
            Meaning::Outside => {
                let what = format!("a call of `{}`", typed.names.text(function.name));
                self.outside(span, what);
                self.flush();
                return self.nothing(type_id);
            }
            Meaning::Unknown if self.unit.options.externs != Externs::Pure => {
                let what = format!(
                    "a call of `{}`, which has no body",
                    typed.names.text(function.name)
                );
                self.outside(span, what);
                self.flush();
                return self.nothing(type_id);
            }
            meaning @ (Meaning::Input | Meaning::Nothing | Meaning::Unknown) => {
                if meaning == Meaning::Unknown {
                    self.unit.assumed.insert(id);
                }
                return self.input(id, type_id, span);
            }
        }
        self.nothing(type_id)
    }

    /// Any value of a type, as the result of a function without body.
    fn input(&mut self, function: FunctionId, type_id: TypeId, span: Span) -> Value {
        if matches!(self.unit.typed.types.get(type_id), Type::Void) {
            self.assembler.skip(span);
            self.assembler.note_call(function);
            return Value::Void;
        }
        let cells = self.result_cells(type_id);
        if cells.is_empty() {
            let what = "a value of this type from a function without body";
            self.outside(span, what);
            self.flush();
            return self.nothing(type_id);
        }
        let is_pointer = |(_, scalar): &&(VariableId, Scalar)| matches!(scalar, Scalar::Pointer(_));
        let pointers: Vec<_> = cells.iter().filter(is_pointer).copied().collect();
        let chosen: Vec<VariableId> = cells.iter().map(|(cell, _)| *cell).collect();
        let kind = PointKind::Input {
            function,
            cells: chosen.clone(),
        };
        self.havoc(chosen, kind);
        self.assembler.note_call(function);
        for (cell, scalar) in pointers {
            self.choose_pointer(cell, scalar);
        }
        self.value_in(type_id, &cells)
    }

    /// What hidden cells hold, as a value of a type.
    fn value_in(&self, type_id: TypeId, cells: &[(VariableId, Scalar)]) -> Value {
        let mut terms = cells
            .iter()
            .map(|(cell, scalar)| Term::read(*cell, *scalar));
        match self.unit.scalar(type_id) {
            Some(_) => terms.next().map_or(Value::Void, Value::Scalar),
            None if cells.is_empty() => Value::Void,
            None => Value::Record(terms.collect()),
        }
    }

    /// Ends the program, whatever the stack. Whether control comes here.
    pub fn end_program(&mut self, span: Span) -> bool {
        self.flush();
        let assignments = Box::default();
        let action = Action::EndThread { assignments };
        self.assembler.last(span, PointKind::End, action)
    }

    fn call_body(
        &mut self,
        id: FunctionId,
        arguments: Vec<Value>,
        type_id: TypeId,
        span: Span,
    ) -> Value {
        let typed = self.unit.typed;
        let function = &typed.functions[id.0 as usize];
        let parameters = function
            .body
            .as_ref()
            .map_or(&[][..], |body| &body.parameters);
        let callee = self.unit.procedures.get(&id).copied();
        let mut passed = Vec::new();
        let mut fits = arguments.len() >= parameters.len() && callee.is_some();
        for (parameter, mut argument) in parameters.iter().zip(arguments) {
            let parameter = typed.objects[parameter.0 as usize].qualified.id;
            let scalars = match self.unit.layouts.of(parameter) {
                Some(layout) => row(&layout),
                None => {
                    fits = false;
                    break;
                }
            };
            let terms = argument.terms();
            fits &= terms.len() == scalars.len();
            for (term, scalar) in terms.iter().zip(scalars) {
                let value = term.clone().for_cell(scalar);
                passed.push(self.expressions.add(value));
            }
        }
        let result = typed.types.signature(function.type_id).map(|s| s.result);
        let is_void = matches!(typed.types.get(type_id), Type::Void);
        let cells = match result {
            Some(result) if !is_void => self.result_cells(result),
            _ => Vec::new(),
        };
        fits &= is_void || !cells.is_empty();
        let Some(callee) = callee.filter(|_| fits) else {
            self.outside(span, "a call with values of such types");
            self.flush();
            return self.nothing(type_id);
        };
        let targets = cells.iter().map(|(cell, _)| Target::Cell(*cell)).collect();
        self.assembler.step(span, PointKind::Step, |next| {
            Action::Call(Box::new(Call {
                callee,
                arguments: passed.into(),
                assignments: Box::default(),
                targets,
                next,
            }))
        });
        self.assembler.note_call(id);
        if function.noreturn {
            self.undefined(
                Term::truth(false),
                span,
                "return from a `noreturn` function",
            );
            self.flush();
        }
        self.value_in(type_id, &cells)
    }

    /// A call of whatever function a pointer points to.
    fn call_pointer(
        &mut self,
        target: Term,
        pointer: TypeId,
        arguments: Vec<Value>,
        type_id: TypeId,
        span: Span,
    ) -> Value {
        let typed = self.unit.typed;
        let wanted = typed.types.target(pointer).map(|target| target.id);
        let count = arguments.len();
        self.values.push(Value::Scalar(target));
        self.values.extend(arguments);
        self.keep_all();
        let arguments = self
            .values
            .split_off(self.values.len().saturating_sub(count));
        let target = self.pop_term();
        let mut arms = Vec::new();
        let mut callees = Vec::new();
        let mut any = Term::truth(false);
        for (function, address) in self.unit.addressed_functions() {
            let is_it = target.clone().equal(Term::number(address));
            let fits = Some(typed.functions[function.0 as usize].type_id) == wanted;
            if fits && is_it.constant() != Some(0) {
                any = any.or(is_it.clone());
                let mark = self.assembler.mark();
                arms.push((self.add_truth(is_it), mark));
                callees.push((function, mark));
            }
        }
        let valid = Term::number(STRANGER).less_equal(target);
        self.undefined(
            valid,
            span,
            "a call through a null or uninitialised pointer",
        );
        // It may be a function of another type that is compatible all the same.
        let what = "a call through a pointer to no function of that very type".to_owned();
        self.guard(any, span, PointKind::Outside { what });
        self.flush();
        let result = self.result_cells(type_id);
        let (join, between) = (self.assembler.mark(), self.assembler.mark());
        let last = arms.pop().map_or(join, |(_, mark)| mark);
        self.assembler.branch(span, arms, last);
        for (function, mark) in callees {
            self.assembler.set(mark);
            let value = self.call_function(function, arguments.clone(), type_id, span);
            self.values.push(value);
            self.end_branch(&result, Some(join), between);
        }
        self.assembler.set(join);
        self.value_in(type_id, &result)
    }

    /// A return of the value on top, if there is one.
    pub fn give_back(&mut self, value: Option<Value>, span: Span) {
        let typed = self.unit.typed;
        let Some(id) = self.function else { return };
        let function = &typed.functions[id.0 as usize];
        let result = typed.types.signature(function.type_id).map(|s| s.result);
        let scalars = match result.and_then(|result| self.unit.layouts.of(result)) {
            Some(layout) => row(&layout),
            None => Vec::new(),
        };
        let mut values = Vec::with_capacity(scalars.len());
        if let Some(mut value) = value {
            for (term, scalar) in value.terms().iter().zip(&scalars) {
                let value = term.clone().for_cell(*scalar);
                values.push(self.expressions.add(value));
            }
        }
        if values.len() < scalars.len() {
            // A value is missing: it is arbitrary.
            self.assembler.skip(span);
            return self.assembler.jump(self.assembler.exit());
        }
        let action = Action::Return {
            values: values.into(),
            assignments: Box::default(),
        };
        self.assembler.last(span, PointKind::Step, action);
    }

    /// Evaluates the expression, and drops what it gives.
    pub fn full(&mut self, id: crate::typing::c::tree::ExpressionId) {
        self.tasks.push(Task::EndFull(self.in_use()));
        self.tasks.push(Task::Drop);
        self.tasks.push(Task::Expression(id));
    }
}
