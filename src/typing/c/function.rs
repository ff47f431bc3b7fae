//! Functions with their bodies.

use super::Typing;
use super::declaration::FunctionTraits;
use super::declarator::{Declarator, Parameter};
use super::scope::Symbol;
use super::specifiers::StorageClass;
use super::tree::{
    Body, ExpressionId, FunctionId, Initial, Integer, LabelId, Object, ObjectId, Origin, Storage,
    Type, TypeId, Types,
};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;
use rustc_hash::FxHashMap;

/// A function whose body is being read.
#[derive(Debug)]
pub struct OpenFunction {
    pub id: FunctionId,
    pub result: TypeId,
    parameters: Vec<Parameter>,
    /// The lengths of parameters' types.
    lengths: Vec<(ObjectId, ExpressionId)>,
    /// Whether the body has begun.
    pub begun: bool,
    /// How many objects there were before its own.
    objects: usize,
    pub labels: FxHashMap<Name, OpenLabel>,
    /// Something in it could not be read: a label may have been in there.
    pub lost: bool,
    is_second: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct OpenLabel {
    pub id: LabelId,
    pub is_defined: bool,
    /// Where it is used first, or defined.
    pub span: Span,
}

impl Typing<'_> {
    pub(super) fn begin_function(&mut self, span: Span) {
        let declarator = self.finish_declarator();
        let Some(declaration) = self.declarations.pop() else {
            return;
        };
        let Declarator {
            name,
            qualified,
            header,
            ..
        } = declarator;
        self.preprocessed.source.give_meaning(span.start);
        match declaration.storage {
            None | Some(StorageClass::Static | StorageClass::Extern) => {}
            Some(_) => self.error(span, "this storage class is not for functions"),
        }
        let header = header.unwrap_or_default();
        let type_id = match self.program.types.get(qualified.id) {
            Type::Function(_) => qualified.id,
            _ => {
                let unknown = super::tree::Signature {
                    result: Types::UNKNOWN,
                    parameters: None,
                    variadic: false,
                };
                self.program.types.intern(Type::Function(unknown))
            }
        };
        let name = name.unwrap_or_else(|| self.program.names.intern("?"));
        let traits = FunctionTraits {
            is_static: declaration.storage == Some(StorageClass::Static),
            noreturn: declaration.noreturn,
            is_implicit: false,
            is_old: header.is_old,
        };
        let id = self.declare_function(name, span, type_id, traits);
        let function = &mut self.program.functions[id.0 as usize];
        let before = function.span;
        let is_second = function.body.is_some();
        function.span = span;
        if is_second {
            let shown = shorten(self.program.names.text(name));
            let diagnostic = Diagnostic::error(span, format!("`{shown}` is defined twice"));
            let diagnostic = diagnostic.with_related(before, "first defined here");
            self.collector.report(diagnostic);
        }
        let result = self.program.types.signature(type_id);
        let result = result.map_or(Types::UNKNOWN, |signature| signature.result);
        if result != Types::VOID && self.program.types.is_incomplete(result) {
            let shown = self.show(result);
            self.error(span, format!("it returns `{shown}`, which is not complete"));
        }
        self.resume_scope(header.names);
        let mut parameters = header.parameters;
        for parameter in &mut parameters {
            self.begin_parameter(id, parameter);
        }
        for (length, _) in &header.lengths {
            self.program.objects[length.0 as usize].function = Some(id);
        }
        self.function = Some(OpenFunction {
            id,
            result,
            parameters,
            lengths: header.lengths,
            begun: false,
            objects: declaration.objects,
            labels: FxHashMap::default(),
            lost: false,
            is_second,
        });
    }

    /// What a rule does at an event follows, with these parameters.
    pub(super) fn begin_event(&mut self, id: FunctionId, named: &[(Name, TypeId)], span: Span) {
        let objects = self.program.objects.len();
        self.open_scope();
        let mut parameters = Vec::with_capacity(named.len());
        for (name, type_id) in named {
            let object = self.parameter_object(*name, span, *type_id, Some(id));
            self.declare(*name, Symbol::Object(object), span);
            parameters.push(Parameter {
                name: Some(*name),
                span,
                type_id: *type_id,
                object: Some(object),
            });
        }
        self.function = Some(OpenFunction {
            id,
            result: Types::VOID,
            parameters,
            lengths: Vec::new(),
            begun: false,
            objects,
            labels: FxHashMap::default(),
            lost: false,
            is_second: false,
        });
    }

    fn begin_parameter(&mut self, function: FunctionId, parameter: &mut Parameter) {
        let Some(object) = parameter.object else {
            return;
        };
        self.program.objects[object.0 as usize].function = Some(function);
        if parameter.name.is_none() {
            self.warn(parameter.span, "this parameter has no name");
        }
        let type_id = parameter.type_id;
        if type_id != Types::VOID && self.program.types.is_incomplete(type_id) {
            let shown = self.show(type_id);
            self.error(
                parameter.span,
                format!("the type `{shown}` is not complete"),
            );
        }
    }

    /// A declaration between the header of an old-style function and its body.
    pub(super) fn old_parameter_type(&mut self, declarator: &Declarator) {
        let Some(name) = declarator.name else {
            return;
        };
        let type_id = match self.program.types.get(declarator.qualified.id) {
            Type::Array(element, _) => {
                let element = *element;
                self.program.types.pointer_to(element)
            }
            Type::Function(_) => self.program.types.pointer_to(declarator.qualified.id),
            _ => declarator.qualified.id,
        };
        let id = self.function.as_ref().map(|function| function.id);
        let object = self.parameter_object(name, declarator.span, type_id, id);
        let parameters = self
            .function
            .as_mut()
            .map(|function| &mut function.parameters);
        let mut parameters = parameters.into_iter().flatten();
        let parameter = parameters.find(|parameter| parameter.name == Some(name));
        let shown = shorten(self.program.names.text(name));
        match parameter {
            Some(parameter) if parameter.object.is_none() => {
                parameter.object = Some(object);
                parameter.type_id = type_id;
                self.declare(name, Symbol::Object(object), declarator.span);
            }
            Some(_) => self.error(declarator.span, format!("`{shown}` is declared twice")),
            None => {
                let message = format!("`{shown}` is no parameter of this function");
                self.error(declarator.span, message);
            }
        }
    }

    fn parameter_object(
        &mut self,
        name: Name,
        span: Span,
        type_id: TypeId,
        function: Option<FunctionId>,
    ) -> ObjectId {
        self.add_object(Object {
            name: Some(name),
            span,
            qualified: type_id.into(),
            storage: Storage::Parameter,
            origin: Origin::Variable,
            function,
            initial: Initial::None,
            address_taken: false,
        })
    }

    /// At the `{` of the body: what old-style parameters have no declaration are `int`.
    pub(super) fn begin_body(&mut self) {
        let Some(function) = self.function.as_mut() else {
            return;
        };
        function.begun = true;
        let id = function.id;
        let lengths = std::mem::take(&mut function.lengths);
        let parameters = function.parameters.clone();
        let int = self.program.types.of(Integer::Int);
        let mut missing = Vec::new();
        for (index, parameter) in parameters.iter().enumerate() {
            if let (None, Some(name)) = (parameter.object, parameter.name) {
                let object = self.parameter_object(name, parameter.span, int, Some(id));
                self.check_redeclared(name, parameter.span);
                self.declare(name, Symbol::Object(object), parameter.span);
                self.warn(parameter.span, "the type is missing: `int` is meant");
                missing.push((index, object));
            }
        }
        if let Some(function) = self.function.as_mut() {
            for (index, object) in missing {
                function.parameters[index].object = Some(object);
            }
        }
        self.emit_lengths(lengths);
    }

    pub(super) fn end_function(&mut self, close: Span) {
        let block = self.pending.pop();
        self.close_scope();
        self.check_jumps();
        let Some(function) = self.function.take() else {
            return;
        };
        let id = function.id;
        let mut labels: Vec<_> = function.labels.iter().collect();
        labels.sort_by_key(|(_, label)| label.id);
        for (name, label) in labels {
            if !label.is_defined && !function.lost {
                let shown = shorten(self.program.names.text(*name));
                self.collector.report(Diagnostic::error(
                    label.span,
                    format!("there is no label `{shown}` in this function"),
                ));
            }
        }
        let Some(block) = block else {
            return;
        };
        let own = (function.objects..self.program.objects.len()).filter(|index| {
            let object = &self.program.objects[*index];
            object.function == Some(id) && object.storage != Storage::Parameter
        });
        let objects = own.map(|index| ObjectId(index as u32)).collect();
        let parameters = function.parameters.iter();
        let parameters = parameters
            .filter_map(|parameter| parameter.object)
            .collect();
        if !function.is_second {
            self.program.functions[id.0 as usize].body = Some(Body {
                parameters,
                block,
                objects,
                close,
            });
        }
    }
}
