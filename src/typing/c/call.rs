//! Calls: arguments, functions that nobody has declared.

use super::Typing;
use super::conversion::Purpose;
use super::declaration::FunctionTraits;
use super::library;
use super::operand::{Operand, OperandKind};
use super::scope::Symbol;
use super::tree::{
    Binary, Callee, ExpressionId, ExpressionKind, FunctionId, Integer, List, Outside, Signature,
    Type, TypeId, Types,
};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;

impl Typing<'_> {
    /// A name before the `(` of a call.
    pub(super) fn callee(&mut self, name: Name, span: Span) {
        if self.symbols.get(name).is_some() {
            return self.identifier(name, span);
        }
        let text = self.program.names.text(name);
        if ["__builtin_", "__sync_", "__atomic_"]
            .iter()
            .any(|prefix| text.starts_with(prefix))
        {
            return self.push(OperandKind::Builtin(name), span);
        }
        let id = self.implicit_function(name, span);
        self.push(OperandKind::Function(id), span);
    }

    /// A function that is called and not declared.
    fn implicit_function(&mut self, name: Name, span: Span) -> FunctionId {
        let text = self.program.names.text(name);
        let is_known = self.linked.contains_key(&name);
        let library = library::find(text);
        let signature = library.map(|function| function.signature(&mut self.program.types));
        if !is_known && !self.collector.is_full(crate::diagnostic::Severity::Warning) {
            let declared = self.symbols.all().filter_map(|(name, meaning)| {
                let is_function = matches!(meaning.symbol, Symbol::Function(_));
                is_function.then(|| self.program.names.text(name))
            });
            let hint = match library {
                Some(_) => None,
                None => suggestion(text, declared),
            };
            let message = format!("`{}` is called and not declared", shorten(text));
            let diagnostic = Diagnostic::warning(span, message).with_hint_if_any(hint);
            self.collector.report(diagnostic);
        }
        let result = library::nondet(self.program.names.text(name)).unwrap_or(Integer::Int);
        let signature = signature.unwrap_or(Signature {
            result: self.program.types.of(result),
            parameters: None,
            variadic: false,
        });
        let type_id = self.program.types.intern(Type::Function(signature));
        let traits = FunctionTraits {
            is_static: false,
            noreturn: library.is_some_and(|function| function.is_noreturn()),
            is_implicit: true,
            is_old: false,
        };
        self.declare_function(name, span, type_id, traits)
    }

    /// A function of C's library under the name that gcc has for it.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> Option<FunctionId> {
        library::find(name)?;
        let name = self.program.names.intern(name);
        match self.symbols.get(name).map(|meaning| meaning.symbol) {
            Some(Symbol::Function(id)) => Some(id),
            Some(_) => None,
            None => {
                let text = self.program.names.text(name);
                let function = library::find(text)?;
                let signature = function.signature(&mut self.program.types);
                let type_id = self.program.types.intern(Type::Function(signature));
                let traits = FunctionTraits {
                    is_static: false,
                    noreturn: function.is_noreturn(),
                    is_implicit: true,
                    is_old: false,
                };
                Some(self.declare_function(name, span, type_id, traits))
            }
        }
    }

    /// After the function and so many arguments.
    pub(super) fn call(&mut self, count: u32, close: Span) {
        let start = self.operands.len().saturating_sub(count as usize);
        let arguments = self.operands.split_off(start);
        let callee = self.pop();
        let whole = callee.span.to(close);
        if let OperandKind::Builtin(name) = callee.kind {
            return self.builtin(name, arguments, whole);
        }
        self.call_operand(callee, arguments, whole);
    }

    pub(super) fn call_operand(&mut self, callee: Operand, arguments: Vec<Operand>, whole: Span) {
        let (target, type_id) = match callee.kind {
            OperandKind::Function(id) => {
                let type_id = self.program.functions[id.0 as usize].type_id;
                (Callee::Function(id), type_id)
            }
            _ => {
                let value = self.value(callee);
                let target = self.program.types.target(self.type_of(value));
                (
                    Callee::Pointer(value),
                    target.map_or(self.type_of(value), |target| target.id),
                )
            }
        };
        let Some(signature) = self.program.types.signature(type_id).cloned() else {
            if type_id != Types::UNKNOWN {
                let shown = self.show(type_id);
                self.error(
                    callee.span,
                    format!("`{shown}` is called, and is no function"),
                );
            }
            for argument in arguments {
                self.value(argument);
            }
            return self.push(OperandKind::Unknown, whole);
        };
        let arguments = match target {
            Callee::Function(id) if self.is_assert(id) => self.truths(arguments),
            _ => self.convert_arguments(&signature, arguments, whole),
        };
        let result = signature.result;
        if result != Types::VOID && self.program.types.is_incomplete(result) {
            let shown = self.show(result);
            self.error(
                whole,
                format!("it returns `{shown}`, which is not complete"),
            );
        }
        let start = self.program.arguments.len();
        self.program.arguments.extend(arguments);
        let list = List::since(start, &self.program.arguments);
        let id = self.compute(ExpressionKind::Call(target, list), result, whole);
        if signature.parameters.is_none() && matches!(target, Callee::Function(_)) {
            self.loose_calls.push(id);
        }
        self.push_value(id, whole);
    }

    /// `assert` takes any scalar, whatever its parameter is declared as.
    fn is_assert(&self, id: FunctionId) -> bool {
        let function = &self.program.functions[id.0 as usize];
        self.program.names.text(function.name) == "assert" && function.body.is_none()
    }

    fn truths(&mut self, arguments: Vec<Operand>) -> Vec<ExpressionId> {
        let int = self.program.types.of(Integer::Int);
        let truth = |typing: &mut Self, operand: Operand| {
            let condition = typing.condition(operand);
            if typing.type_of(condition) == int {
                return condition;
            }
            let zero = typing.number(0, Integer::Int, operand.span);
            typing.operation(Binary::NotEqual, condition, zero, operand.span)
        };
        let arguments = arguments.into_iter();
        arguments.map(|operand| truth(self, operand)).collect()
    }

    fn convert_arguments(
        &mut self,
        signature: &Signature,
        arguments: Vec<Operand>,
        whole: Span,
    ) -> Vec<ExpressionId> {
        let expected = signature
            .parameters
            .as_ref()
            .map(|parameters| parameters.len());
        if let Some(expected) = expected
            && (arguments.len() < expected || (arguments.len() > expected && !signature.variadic))
        {
            let given = arguments.len();
            let more = if given > expected { "many" } else { "few" };
            let plural = if expected == 1 { "" } else { "s" };
            let message = format!(
                "too {more} arguments: {given}, and the function has {expected} parameter{plural}"
            );
            self.error(whole, message);
        }
        let mut converted = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.into_iter().enumerate() {
            let parameters = signature.parameters.as_ref();
            let parameter = parameters.and_then(|parameters| parameters.get(index).copied());
            converted.push(match parameter {
                Some(type_id) => self.assignable(argument, type_id, Purpose::argument(index + 1)),
                None => {
                    let value = self.value(argument);
                    if self.type_of(value) == Types::VOID {
                        self.error(argument.span, "this argument has no value");
                    }
                    self.promote_argument(value)
                }
            });
        }
        converted
    }

    /// Calls that were typed before the function's parameters were known get their conversions.
    pub(super) fn settle_calls(&mut self) {
        for call in std::mem::take(&mut self.loose_calls) {
            let expression = self.program.expressions[call.0 as usize];
            let ExpressionKind::Call(Callee::Function(id), list) = expression.kind else {
                continue;
            };
            let function = &self.program.functions[id.0 as usize];
            let result = self.program.types.signature(function.type_id);
            let result = result.map_or(Types::UNKNOWN, |signature| signature.result);
            let Some(body) = &function.body else {
                continue;
            };
            let objects = body.parameters.iter();
            let parameters: Vec<TypeId> = objects
                .map(|object| self.program.objects[object.0 as usize].qualified.id)
                .collect();
            let fits = parameters.len() == list.len()
                && self.program.types.compatible(result, expression.type_id)
                && list.indices().zip(&parameters).all(|(index, parameter)| {
                    let argument = self.program.arguments[index];
                    self.is_passed(self.type_of(argument), *parameter)
                });
            if fits {
                for (index, parameter) in list.indices().zip(parameters) {
                    let argument = self.program.arguments[index];
                    self.program.arguments[index] = self.convert(argument, parameter);
                }
            } else {
                let kind = ExpressionKind::Outside(Outside::OtherArguments);
                self.program.expressions[call.0 as usize].kind = kind;
            }
        }
    }

    /// Whether a promoted argument arrives at a parameter as what it is.
    fn is_passed(&self, argument: TypeId, parameter: TypeId) -> bool {
        let types = &self.program.types;
        match (types.get(argument), types.get(parameter)) {
            (Type::Pointer(_), Type::Pointer(_)) => true,
            _ => match (types.integer(argument), types.integer(parameter)) {
                (Some(argument), Some(parameter)) => {
                    let width = parameter.bits(types.model).max(32);
                    argument.bits(types.model) == width
                }
                _ => types.compatible(argument, parameter),
            },
        }
    }
}
