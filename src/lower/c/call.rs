//! Calls: of functions with a body, of those with a meaning, of those that nothing is known of.

use super::Externs;
use super::body::{Body, Task, row};
use super::library::Meaning;
use super::origin::PointKind;
use super::points_to::{Region, Target as Pointee};
use super::reach::is_ignored;
use super::step::Value;
use super::term::{Scalar, Term};
use crate::program::{Action, Call, Target, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{
    Callee, Conversion, ExpressionId, ExpressionKind, FunctionId, List, Program, Role, Type,
};

impl Body<'_, '_> {
    /// Whether pointers among the arguments of a call are not looked at.
    pub fn ignores_arguments(&self, callee: Callee) -> bool {
        match callee {
            Callee::Function(id) => {
                let externs = self.unit.options.externs;
                Meaning::of(self.unit.typed, id).ignores_arguments(externs)
            }
            Callee::Pointer(_) => false,
        }
    }

    /// The arguments are there, and the pointer below them.
    pub fn call(&mut self, id: ExpressionId, callee: Callee, list: List, span: Span) {
        let typed = self.unit.typed;
        let outer = std::mem::replace(&mut self.span, span);
        let ignores = self.ignores_arguments(callee);
        let passed: Vec<ExpressionId> = typed.arguments[list.indices()]
            .iter()
            .copied()
            .filter(|id| !(ignores && is_ignored(typed, *id)))
            .collect();
        self.flush();
        let values = self
            .values
            .split_off(self.values.len().saturating_sub(passed.len()));
        let arguments = passed.into_iter().zip(values).collect();
        let value = match callee {
            Callee::Function(function) => {
                // What else waits must not change while the callee runs.
                self.keep_globals();
                self.call_function(id, function, arguments, span)
            }
            Callee::Pointer(pointer) => {
                let target = self.pop_term();
                self.call_pointer(id, (target, pointer), arguments, span)
            }
        };
        self.values.push(value);
        self.span = outer;
    }

    fn call_function(
        &mut self,
        id: ExpressionId,
        function_id: FunctionId,
        arguments: Vec<(ExpressionId, Value)>,
        span: Span,
    ) -> Value {
        let typed = self.unit.typed;
        let type_id = self.type_of(id);
        let function = &typed.functions[function_id.0 as usize];
        let name = typed.names.text(function.name);
        let first = |arguments: Vec<(ExpressionId, Value)>| {
            let first = arguments.into_iter().next();
            first.map_or(Term::number(0), |(_, value)| value.term())
        };
        match Meaning::of(typed, function_id) {
            Meaning::Body => return self.call_body(id, function_id, arguments, span),
            Meaning::Assume => {
                let condition = first(arguments).into_truth();
                let condition = self.add(condition);
                self.assembler
                    .step(span, PointKind::Step, |next| Action::Assume {
                        condition,
                        next,
                    });
                self.assembler.note_call(function_id);
            }
            Meaning::Assert => {
                let condition = first(arguments).into_truth();
                self.gate_unless(condition.clone());
                let condition = self.add(condition);
                let what = "assertion".to_owned();
                let kind = PointKind::Failure { what };
                self.assembler
                    .step(span, kind, |next| Action::Assert { condition, next });
                self.assembler.note_call(function_id);
            }
            Meaning::Failure => {
                let what = format!("`{name}` is called");
                let kind = PointKind::Failure { what };
                self.gate();
                let action = self.failing(&kind);
                if self.assembler.last(span, kind, action) {
                    self.assembler.note_last_call(function_id);
                }
            }
            Meaning::End => {
                if self.end_program(span) {
                    self.assembler.note_last_call(function_id);
                }
            }
            Meaning::Allocation(allocation) => {
                return self.allocate(id, function_id, allocation, arguments, span);
            }
            Meaning::Free => {
                self.free(arguments, span);
                self.assembler.note_call(function_id);
            }
            Meaning::Fill => return self.fill_memory(id, function_id, arguments, span),
            Meaning::Copy { may_overlap } => {
                return self.copy_memory(id, function_id, arguments, may_overlap, span);
            }
            Meaning::Outside => {
                self.outside(span, format!("the library function `{name}`"));
                self.flush();
                return self.nothing(type_id);
            }
            Meaning::Unknown if self.unit.options.externs == Externs::Refuse => {
                self.outside(span, format!("`{name}`, which has no body"));
                self.flush();
                return self.nothing(type_id);
            }
            meaning @ (Meaning::Input
            | Meaning::AnyAddress
            | Meaning::Nothing
            | Meaning::Unknown) => {
                if meaning == Meaning::Unknown {
                    self.unit.assumed.insert(function_id);
                    if self.unit.options.externs == Externs::Havoc {
                        self.havoc_memory(arguments, span);
                    }
                }
                return self.input(id, function_id, meaning == Meaning::AnyAddress, span);
            }
        }
        self.nothing(type_id)
    }

    /// Any value of a type, as the result of a function without body.
    fn input(
        &mut self,
        id: ExpressionId,
        function: FunctionId,
        is_any_address: bool,
        span: Span,
    ) -> Value {
        if matches!(self.unit.typed.types.get(self.type_of(id)), Type::Void) {
            self.assembler.skip(span);
            self.assembler.note_call(function);
            return Value::Void;
        }
        let value = self.unit.value_scalars(id);
        let cells = self.hidden_cells(value.clone());
        let Some((layout, _)) = value.filter(|_| !cells.is_empty()) else {
            let what = "a value of this type from a function without body";
            self.outside(span, what);
            self.flush();
            return self.nothing(self.type_of(id));
        };
        let chosen: Vec<VariableId> = cells.iter().map(|(cell, _)| *cell).collect();
        let kind = PointKind::Input {
            function,
            cells: chosen.clone(),
            bits: self.unit.layouts.bits(&layout),
        };
        self.havoc(chosen, kind);
        self.assembler.note_call(function);
        match (is_any_address, &cells[..]) {
            (true, [(cell, scalar)]) => {
                // What a rule watches may come to live later.
                let role = self.unit.typed.functions[function.0 as usize].role;
                let is_watch = role == Role::Start;
                self.any_address(id, Term::read(*cell, *scalar), is_watch, span);
            }
            _ => self.restrict(&cells, Pointee::Stranger),
        }
        // No member of a union in it has been written.
        for leaf in &layout.leaves {
            if let Some(open) = layout.open_member(*leaf) {
                for place in 0..layout.nodes[leaf.node as usize].count {
                    let (cell, scalar) = cells[(leaf.first + place) as usize];
                    self.write_cell(cell, scalar, Term::number(open));
                }
            }
        }
        self.flush();
        self.value_in(id, &cells)
    }

    /// A pointer may be any address that the program takes, of what lives.
    fn any_address(&mut self, id: ExpressionId, pointer: Term, is_watch: bool, span: Span) {
        let typed = self.unit.typed;
        let class = self.unit.addresses.class(id).clone();
        let mut any = class.is_any_value(&pointer, Pointee::Stranger);
        let mut unclear = Term::truth(false);
        for target in self.unit.addresses.targets(id) {
            let Some((first, last)) = class.range(target) else {
                continue;
            };
            let here = pointer.clone().within(first, last);
            match target {
                Pointee::Function(_) => any = any.or(here),
                Pointee::Region(Region::Object(object)) => {
                    let is_layered = self.unit.lifetimes.layered.contains(&object);
                    let object = &typed.objects[object.0 as usize];
                    any = any.or(here.clone());
                    if (!is_watch || is_layered)
                        && object.function.is_some()
                        && !matches!(
                            object.storage,
                            crate::typing::c::tree::Storage::Static { .. }
                        )
                    {
                        unclear = unclear.or(here);
                    }
                }
                Pointee::Region(Region::Site(_)) if is_watch => {
                    any = any.or(here.clone());
                    unclear = unclear.or(here);
                }
                _ => {}
            }
        }
        self.assume(any);
        let what = match is_watch {
            true => "a rule that watches memory from the heap, or locals in a recursion",
            false => "any address, perhaps of a local that is no more",
        };
        let what = what.to_owned();
        self.guard(unclear.not(), span, PointKind::Outside { what });
        self.flush();
    }

    /// What hidden cells hold, as a value of a type.
    pub fn value_in(&self, id: ExpressionId, cells: &[(VariableId, Scalar)]) -> Value {
        let mut terms = cells
            .iter()
            .map(|(cell, scalar)| Term::read(*cell, *scalar));
        match self.unit.scalar(self.type_of(id)) {
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
        id: ExpressionId,
        function_id: FunctionId,
        arguments: Vec<(ExpressionId, Value)>,
        span: Span,
    ) -> Value {
        let typed = self.unit.typed;
        let type_id = self.type_of(id);
        if self.unit.lifetimes.freeing[function_id.0 as usize] {
            self.pin();
        }
        let function = &typed.functions[function_id.0 as usize];
        let parameters = function
            .body
            .as_ref()
            .map_or(&[][..], |body| &body.parameters);
        let callee = self.unit.procedures.get(&function_id).copied();
        let mut passed = Vec::new();
        let mut fits = arguments.len() >= parameters.len() && callee.is_some();
        for (parameter, (_, mut argument)) in parameters.iter().zip(arguments) {
            let type_id = typed.objects[parameter.0 as usize].qualified.id;
            let Some(layout) = self.unit.layouts.of(type_id) else {
                fits = false;
                break;
            };
            let scalars = self.unit.scalars(Region::Object(*parameter), &layout);
            let scalars = row(&layout, &scalars);
            let terms = argument.terms();
            fits &= terms.len() == scalars.len();
            for (term, scalar) in terms.iter().zip(scalars) {
                let value = term.clone().for_cell(scalar);
                passed.push(self.expressions.add(value));
            }
        }
        let is_void = matches!(typed.types.get(type_id), Type::Void);
        let cells = match is_void {
            true => Vec::new(),
            false => {
                let result = self.unit.result_scalars(function_id);
                self.hidden_cells(result)
            }
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
        self.assembler.note_call(function_id);
        if function.noreturn {
            self.undefined(
                Term::truth(false),
                span,
                "return from a `noreturn` function",
            );
            self.flush();
        }
        self.value_in(id, &cells)
    }

    /// A call of whatever function a pointer points to.
    fn call_pointer(
        &mut self,
        id: ExpressionId,
        (target, by): (Term, ExpressionId),
        arguments: Vec<(ExpressionId, Value)>,
        span: Span,
    ) -> Value {
        let typed = self.unit.typed;
        let wanted = typed.types.target(self.type_of(by)).map(|one| one.id);
        let count = arguments.len();
        let (passed, values): (Vec<ExpressionId>, Vec<Value>) = arguments.into_iter().unzip();
        self.values.push(Value::Scalar(target.into_number()));
        self.values.extend(values);
        self.keep_all();
        let values = self
            .values
            .split_off(self.values.len().saturating_sub(count));
        let arguments: Vec<(ExpressionId, Value)> = passed.into_iter().zip(values).collect();
        let target = self.pop_term();
        let class = self.unit.addresses.class(by).clone();
        let mut arms = Vec::new();
        let mut callees = Vec::new();
        let mut any = class.is_stranger(&target);
        for pointee in self.unit.addresses.targets(by) {
            let (Pointee::Function(function), Some(code)) = (pointee, class.code(pointee)) else {
                continue;
            };
            let is_it = target.clone().equal(Term::number(code));
            let own = &typed.functions[function.0 as usize];
            let body = own.body.as_ref();
            let fits = body.is_none_or(|body| body.parameters.len() <= count);
            let fits = fits && wanted.is_some_and(|id| typed.types.compatible(own.type_id, id));
            if fits && is_it.constant() != Some(0) {
                any = any.or(is_it.clone());
                let mark = self.assembler.mark();
                arms.push((self.add_truth(is_it), mark));
                callees.push((function, mark));
            }
        }
        let what = "a call through a pointer to no function of that type";
        self.undefined(any, span, what);
        let what = "a call through a pointer of any value".to_owned();
        let stranger = class.is_stranger(&target);
        self.guard(stranger.not(), span, PointKind::Outside { what });
        self.flush();
        let result = self.result_cells(id);
        let (join, between) = (self.assembler.mark(), self.assembler.mark());
        let last = arms.pop().map_or(join, |(_, mark)| mark);
        match arms.is_empty() {
            true => self.assembler.jump(last),
            false => self.assembler.branch(span, arms, last),
        }
        for (function, mark) in callees {
            self.assembler.set(mark);
            let value = self.call_function(id, function, arguments.clone(), span);
            self.values.push(value);
            self.end_branch(&result, Some(join), between);
        }
        self.assembler.set(join);
        self.value_in(id, &result)
    }

    /// A return of the value on top, if there is one, which an expression gave.
    pub fn give_back(&mut self, value: Option<(Value, Option<ExpressionId>)>, span: Span) {
        let Some(id) = self.function else { return };
        let scalars = match self.unit.result_scalars(id) {
            Some((layout, scalars)) => row(&layout, &scalars),
            None => Vec::new(),
        };
        let value = self.end_call(value);
        let mut values = Vec::with_capacity(scalars.len());
        if let Some(mut value) = value {
            for (term, scalar) in value.terms().iter().zip(&scalars) {
                let value = term.clone().for_cell(*scalar);
                values.push(self.expressions.add(value));
            }
        }
        if values.len() < scalars.len() {
            // A value is missing: it is arbitrary.
            if scalars.iter().any(|one| matches!(one, Scalar::Pointer(_))) {
                self.outside(span, "a pointer that is not returned");
                self.flush();
            }
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
    pub fn full(&mut self, id: ExpressionId) {
        if self.unit.options.keeps_steps && !self.is_inline() {
            let is_call = ends_in_call(self.unit.typed, id);
            self.tasks
                .push(Task::EndStep(self.assembler.count(), is_call));
        }
        self.tasks.push(Task::EndFull(self.in_use()));
        self.tasks.push(Task::Drop);
        self.tasks.push(Task::Expression(id));
    }
}

/// Whether a call is the last that an expression does whose value nobody needs.
fn ends_in_call(program: &Program, mut id: ExpressionId) -> bool {
    loop {
        match program.expressions[id.0 as usize].kind {
            ExpressionKind::Convert(Conversion::Void, operand) => id = operand,
            ExpressionKind::Comma(_, right) => id = right,
            kind => return matches!(kind, ExpressionKind::Call(..)),
        }
    }
}
