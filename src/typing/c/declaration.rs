//! Declarations of types, variables and functions, and what several of one name say together.

use super::Typing;
use super::declarator::Declarator;
use super::library;
use super::scope::{Meaning, Symbol};
use super::specifiers::StorageClass;
use super::tree::{
    Function, FunctionId, Initial, Length, Object, ObjectId, Origin, Qualified, Role, Storage,
    Type, TypeId, Types,
};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::tree::Context;
use crate::syntax::kit::tree::shorten;

/// What is known of an object or function with linkage besides what the tree says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linkage {
    /// The file that defines it, and whether with an initial value.
    pub defined: Option<(u32, bool)>,
    pub is_static: bool,
    /// The file that calls a function before it is declared anywhere.
    pub called_in: Option<u32>,
}

/// What a declaration says of a function besides its type.
#[derive(Clone, Copy, Debug, Default)]
pub struct FunctionTraits {
    pub is_static: bool,
    pub noreturn: bool,
    pub is_implicit: bool,
    /// An old-style definition: a declaration before it knows the parameters better.
    pub is_old: bool,
}

impl Typing<'_> {
    /// After a declarator, before its initial value.
    pub(super) fn declare_declarator(&mut self, initialised: bool) {
        let declarator = self.finish_declarator();
        let Some(declaration) = self.declarations.last_mut() else {
            return;
        };
        let lengths = std::mem::take(&mut declaration.lengths);
        let (context, storage) = (declaration.context, declaration.storage);
        let (objects, noreturn) = (declaration.objects, declaration.noreturn);
        self.forget_parameters(objects, &declarator);
        if context == Context::OldParameter {
            self.old_parameter_type(&declarator);
        } else if let Some(name) = declarator.name {
            self.emit_lengths(lengths);
            self.raise_for(declarator.qualified.id);
            let is_function = {
                let types = &self.program.types;
                matches!(types.get(declarator.qualified.id), Type::Function(_))
            };
            let is_variable = match storage {
                Some(StorageClass::Typedef | StorageClass::Static | StorageClass::Extern) => false,
                _ => !is_function,
            };
            if context == Context::For && !is_variable {
                let message = "the first part of `for` declares nothing but local variables";
                self.error(declarator.span, message);
            }
            match storage {
                Some(StorageClass::Typedef) => {
                    if initialised {
                        self.error(declarator.span, "a type has no initial value");
                    }
                    self.declare_typedef(name, declarator.qualified, declarator.span);
                }
                _ if is_function => {
                    if initialised {
                        self.error(declarator.span, "a function has no initial value");
                    }
                    let is_static = storage == Some(StorageClass::Static);
                    if is_static && context != Context::File {
                        self.error(declarator.span, "a function in a block cannot be `static`");
                    }
                    let traits = FunctionTraits {
                        is_static,
                        noreturn,
                        ..FunctionTraits::default()
                    };
                    let type_id = declarator.qualified.id;
                    self.declare_function(name, declarator.span, type_id, traits);
                }
                _ => {
                    let object = self.declare_variable(name, &declarator, storage, initialised);
                    return self.begin_value(object, initialised);
                }
            }
        }
        if initialised {
            self.begin_initialiser(None, declarator.span);
        }
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.objects = self.program.objects.len();
        }
    }

    /// The parameters of what is only declared are no objects.
    fn forget_parameters(&mut self, objects: usize, declarator: &Declarator) {
        let is_plain = |header: &super::declarator::Header| header.lengths.is_empty();
        if declarator.header.as_deref().is_none_or(is_plain) {
            let made = &self.program.objects[objects..];
            if made
                .iter()
                .all(|object| object.storage == Storage::Parameter)
            {
                for index in objects..self.program.objects.len() {
                    self.registers.remove(&ObjectId(index as u32));
                }
                self.program.objects.truncate(objects);
            }
        }
    }

    /// The initial value of a variable follows, or its declaration is complete.
    fn begin_value(&mut self, object: ObjectId, initialised: bool) {
        let span = self.program.objects[object.0 as usize].span;
        if initialised {
            self.begin_initialiser(Some(object), span);
        } else if self.program.objects[object.0 as usize].storage == Storage::Automatic {
            self.declaration_statement(object, Default::default(), span);
        }
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.objects = self.program.objects.len();
        }
    }

    pub(super) fn end_declaration(&mut self, span: Span) {
        let Some(declaration) = self.declarations.pop() else {
            return;
        };
        if declaration.declarators > 0 {
            return;
        }
        self.emit_lengths(declaration.lengths);
        let is_anonymous = match self.program.types.record(declaration.base.id) {
            Some(record) => record.tag.is_none() && declaration.has_tag,
            None => false,
        };
        if declaration.context == Context::Member && is_anonymous {
            self.add_member(super::layout::Declared {
                name: None,
                span: declaration.span,
                qualified: declaration.base,
                width: None,
            });
        } else if !declaration.has_tag {
            self.warn(declaration.span.to(span), "this declares nothing");
        }
    }

    /// Reports that the innermost scope has something of this name.
    pub(super) fn check_redeclared(&mut self, name: Name, span: Span) {
        if let Some(Meaning {
            symbol,
            span: before,
        }) = self.symbols.get_here(name)
            && symbol != Symbol::Lost
        {
            self.conflict(name, "is declared twice", before, span);
        }
    }

    #[cold]
    fn conflict(&mut self, name: Name, what: &str, before: Span, span: Span) {
        let shown = shorten(self.program.names.text(name));
        let diagnostic = Diagnostic::error(span, format!("`{shown}` {what}"));
        let diagnostic = diagnostic.with_related(before, "declared here before");
        self.collector.report(diagnostic);
    }

    fn declare_typedef(&mut self, name: Name, qualified: Qualified, span: Span) {
        if let Some(meaning) = self.symbols.get_here(name) {
            match meaning.symbol {
                Symbol::Typedef(before)
                    if before.qualifiers == qualified.qualifiers
                        && self.program.types.compatible(before.id, qualified.id) => {}
                Symbol::Lost => {}
                _ => self.conflict(name, "is declared as something else", meaning.span, span),
            }
        }
        self.declare(name, Symbol::Typedef(qualified), span);
    }

    /// A function is declared, defined or called.
    pub(super) fn declare_function(
        &mut self,
        name: Name,
        span: Span,
        type_id: TypeId,
        traits: FunctionTraits,
    ) -> FunctionId {
        let here = match self.at_file_scope() {
            true => self.symbols.get_here(name),
            // In a block it is the function that is seen from there.
            false => self.symbols.get_here(name).or_else(|| {
                let outer = self.symbols.get(name);
                outer.filter(|meaning| matches!(meaning.symbol, Symbol::Function(_)))
            }),
        };
        let known = match here {
            Some(Meaning {
                symbol: Symbol::Function(id),
                span,
            }) => Some((id, span)),
            Some(Meaning {
                symbol: Symbol::Lost,
                ..
            })
            | None => None,
            Some(other) => {
                self.conflict(name, "is declared as something else", other.span, span);
                None
            }
        };
        let known = known.or_else(|| match self.linked.get(&name) {
            Some(Symbol::Function(id)) if !traits.is_static && here.is_none() => {
                Some((*id, self.program.functions[id.0 as usize].span))
            }
            _ => None,
        });
        if let Some(Symbol::Function(id)) = self.linked.get(&name)
            && traits.is_static
            && here.is_none()
            && self.function_linkage.get(id).and_then(|one| one.called_in) == Some(self.unit)
        {
            let before = self.program.functions[id.0 as usize].span;
            self.conflict(name, "is `static` here and was not before", before, span);
        }
        if let Some(Symbol::Object(id)) = self.linked.get(&name)
            && !traits.is_static
            && here.is_none()
        {
            let before = self.program.objects[id.0 as usize].span;
            self.conflict(name, "is declared as something else", before, span);
        }
        let id = match known {
            Some((id, before)) => {
                self.merge_function(id, name, type_id, traits, before, span);
                id
            }
            None => {
                let id = FunctionId(self.program.functions.len() as u32);
                self.program.functions.push(Function {
                    name,
                    span,
                    type_id,
                    is_static: traits.is_static,
                    noreturn: traits.noreturn,
                    body: None,
                    role: Role::default(),
                });
                if !traits.is_static {
                    self.linked.insert(name, Symbol::Function(id));
                }
                self.function_linkage.insert(
                    id,
                    Linkage {
                        called_in: traits.is_implicit.then_some(self.unit),
                        ..Linkage::default()
                    },
                );
                id
            }
        };
        self.declare(name, Symbol::Function(id), span);
        id
    }

    fn merge_function(
        &mut self,
        id: FunctionId,
        name: Name,
        type_id: TypeId,
        traits: FunctionTraits,
        before: Span,
        span: Span,
    ) {
        let known = &self.program.functions[id.0 as usize];
        let (known_type, was_static) = (known.type_id, known.is_static);
        let linkage = self.function_linkage.get(&id);
        let called_in = linkage.and_then(|linkage| linkage.called_in);
        let mut merged = known_type;
        if traits.is_implicit {
            // A call says nothing that a declaration has not said.
        } else if self.program.types.compatible(known_type, type_id)
            || (traits.is_old && self.same_result(known_type, type_id))
        {
            merged = self.program.types.composite(type_id, known_type);
        } else if called_in.is_some_and(|unit| self.may_differ(unit, name, type_id)) {
            let shown = shorten(self.program.names.text(name));
            let message = format!("`{shown}` was called before it was declared, with another type");
            self.collector
                .report(Diagnostic::warning(span, message).with_related(before, "called here"));
            merged = type_id;
        } else {
            let [one, other] = [known_type, type_id].map(|id| self.show(id));
            let what = format!("is `{other}` here and was `{one}` before");
            self.conflict(name, &what, before, span);
        }
        if traits.is_static && !was_static {
            self.conflict(name, "is `static` here and was not before", before, span);
        }
        if !traits.is_implicit
            && let Some(linkage) = self.function_linkage.get_mut(&id)
        {
            linkage.called_in = None;
        }
        let known = &mut self.program.functions[id.0 as usize];
        known.type_id = merged;
        known.noreturn |= traits.noreturn;
    }

    /// Whether a function that a file calls may be declared after that with another type: as gcc
    /// does, one that returns nothing, and one that only other files call.
    fn may_differ(&self, unit: u32, name: Name, type_id: TypeId) -> bool {
        let signature = self.program.types.signature(type_id);
        unit != self.unit
            || signature.is_some_and(|signature| signature.result == Types::VOID)
            || library::nondet(self.program.names.text(name)).is_some()
    }

    fn same_result(&self, one: TypeId, other: TypeId) -> bool {
        let types = &self.program.types;
        match (types.signature(one), types.signature(other)) {
            (Some(one), Some(other)) => types.compatible(one.result, other.result),
            _ => false,
        }
    }

    fn declare_variable(
        &mut self,
        name: Name,
        declarator: &Declarator,
        storage: Option<StorageClass>,
        initialised: bool,
    ) -> ObjectId {
        let mut declarator_type = declarator.qualified;
        if declarator_type.id == Types::VOID && !self.at_file_scope() {
            let shown = shorten(self.program.names.text(name));
            self.error(declarator.span, format!("`{shown}` is declared `void`"));
            declarator_type = Types::UNKNOWN.into();
        }
        let span = declarator.span;
        if self.at_file_scope() {
            return self.global(name, declarator_type, storage, initialised, span);
        }
        match storage {
            Some(StorageClass::Extern) => {
                if initialised {
                    self.error(span, "what is `extern` in a block has no initial value");
                }
                self.extern_in_block(name, declarator_type, span)
            }
            _ => self.local(name, declarator_type, storage, initialised, span),
        }
    }

    fn new_object(
        &mut self,
        name: Name,
        qualified: Qualified,
        storage: Storage,
        span: Span,
    ) -> ObjectId {
        self.add_object(Object {
            name: Some(name),
            span,
            qualified,
            storage,
            origin: Origin::Variable,
            function: self.function.as_ref().map(|function| function.id),
            initial: Initial::None,
            address_taken: false,
        })
    }

    fn local(
        &mut self,
        name: Name,
        qualified: Qualified,
        storage: Option<StorageClass>,
        initialised: bool,
        span: Span,
    ) -> ObjectId {
        let types = &self.program.types;
        let is_static = storage == Some(StorageClass::Static);
        let is_variable = types.has_variable_size(qualified.id);
        let is_open_array = matches!(types.get(qualified.id), Type::Array(_, Length::Incomplete));
        if types.is_incomplete(qualified.id) && !(is_open_array && initialised) {
            let shown = self.show(qualified.id);
            self.error(span, format!("the type `{shown}` is not complete"));
        } else if is_variable && is_static {
            self.error(span, "an array of variable size cannot be `static`");
        } else if is_variable && initialised {
            self.error(span, "an array of variable size has no initial value");
        }
        self.check_redeclared(name, span);
        let kind = match is_static {
            true => Storage::Static { defined: true },
            false => Storage::Automatic,
        };
        let object = self.new_object(name, qualified, kind, span);
        if storage == Some(StorageClass::Register) {
            self.registers.insert(object);
        }
        self.declare(name, Symbol::Object(object), span);
        object
    }

    fn extern_in_block(&mut self, name: Name, qualified: Qualified, span: Span) -> ObjectId {
        let visible = self.symbols.get(name).map(|meaning| meaning.symbol);
        let linked = self.linked.get(&name).copied();
        let known = [visible, linked]
            .into_iter()
            .flatten()
            .find_map(|symbol| match symbol {
                Symbol::Object(id) if self.object_linkage.contains_key(&id) => Some(id),
                _ => None,
            });
        if let Some(here) = self.symbols.get_here(name)
            && !matches!(here.symbol, Symbol::Object(id) if self.object_linkage.contains_key(&id))
            && here.symbol != Symbol::Lost
        {
            self.conflict(name, "is declared twice", here.span, span);
        }
        let id = match known {
            Some(id) => {
                self.merge_type(id, name, qualified, span);
                id
            }
            None => self.linked_object(name, qualified, span),
        };
        self.declare(name, Symbol::Object(id), span);
        id
    }

    /// A new object with linkage, which nobody has defined yet.
    fn linked_object(&mut self, name: Name, qualified: Qualified, span: Span) -> ObjectId {
        let id = self.new_object(name, qualified, Storage::Static { defined: false }, span);
        self.program.objects[id.0 as usize].function = None;
        self.linked.insert(name, Symbol::Object(id));
        self.object_linkage.insert(id, Linkage::default());
        id
    }

    fn merge_type(&mut self, id: ObjectId, name: Name, qualified: Qualified, span: Span) {
        let known = &self.program.objects[id.0 as usize];
        let (before, known) = (known.span, known.qualified);
        let agree = known.qualifiers == qualified.qualifiers
            && self.program.types.compatible(known.id, qualified.id);
        if agree {
            let merged = self.program.types.composite(known.id, qualified.id);
            self.program.objects[id.0 as usize].qualified.id = merged;
        } else {
            let [one, other] = [known.id, qualified.id].map(|id| self.show(id));
            let what = match one == other {
                true => "is declared with other qualifiers before".into(),
                false => format!("is `{other}` here and was `{one}` before"),
            };
            self.conflict(name, &what, before, span);
        }
    }

    fn global(
        &mut self,
        name: Name,
        qualified: Qualified,
        storage: Option<StorageClass>,
        initialised: bool,
        span: Span,
    ) -> ObjectId {
        // The state of a rule is its own.
        let is_static = storage == Some(StorageClass::Static) || self.rule.is_some();
        let is_extern = storage == Some(StorageClass::Extern);
        let here = self.symbols.get_here(name);
        let known = match here.map(|meaning| meaning.symbol) {
            Some(Symbol::Object(id)) => Some(id),
            Some(Symbol::Lost) | None => None,
            Some(_) => {
                let before = here.map_or(span, |meaning| meaning.span);
                self.conflict(name, "is declared as something else", before, span);
                None
            }
        };
        let known = known.or_else(|| match self.linked.get(&name) {
            Some(Symbol::Object(id)) if !is_static => Some(*id),
            _ => None,
        });
        if let Some(Symbol::Function(id)) = self.linked.get(&name)
            && !is_static
            && here.is_none()
        {
            let before = self.program.functions[id.0 as usize].span;
            self.conflict(name, "is declared as something else", before, span);
        }
        let id = match known {
            Some(id) => {
                self.merge_type(id, name, qualified, span);
                id
            }
            None if is_static => {
                let kind = Storage::Static { defined: true };
                let id = self.new_object(name, qualified, kind, span);
                let linkage = Linkage {
                    is_static: true,
                    ..Linkage::default()
                };
                self.object_linkage.insert(id, linkage);
                id
            }
            None => self.linked_object(name, qualified, span),
        };
        let linkage = self.object_linkage.get(&id).copied().unwrap_or_default();
        let before = self.program.objects[id.0 as usize].span;
        if known.is_some() && is_static != linkage.is_static && !is_extern {
            let what = match is_static {
                true => "is `static` here and was not before",
                false => "was `static` before",
            };
            self.conflict(name, what, before, span);
        }
        self.declare(name, Symbol::Object(id), span);
        if !is_extern || initialised {
            self.define_global(id, name, initialised, span);
        }
        id
    }

    /// A declaration that is a definition, perhaps only for want of another.
    fn define_global(&mut self, id: ObjectId, name: Name, initialised: bool, span: Span) {
        let unit = self.unit;
        let before = self.program.objects[id.0 as usize].span;
        let linkage = self.object_linkage.entry(id).or_default();
        let (was_defined, had_value) = match linkage.defined {
            Some((file, value)) => (file != unit, value),
            None => (false, false),
        };
        linkage.defined = Some((unit, initialised || had_value));
        if was_defined || (initialised && had_value) {
            self.conflict(name, "is defined twice", before, span);
        }
        let object = &mut self.program.objects[id.0 as usize];
        object.storage = Storage::Static { defined: true };
        if initialised || !had_value {
            object.span = span;
        }
        if !self.tentative.contains(&id) {
            self.tentative.push(id);
        }
    }

    /// At the end of a file, what it has defined must have a size.
    pub(super) fn complete_globals(&mut self) {
        for id in std::mem::take(&mut self.tentative) {
            let object = &self.program.objects[id.0 as usize];
            let (type_id, span) = (object.qualified.id, object.span);
            if !self.program.types.is_incomplete(type_id) {
                continue;
            }
            if let Type::Array(element, Length::Incomplete) = self.program.types.get(type_id) {
                let kind = Type::Array(*element, Length::Constant(1));
                let completed = self.program.types.intern(kind);
                self.program.objects[id.0 as usize].qualified.id = completed;
                self.warn(
                    span,
                    "this array has no length: it is taken to have one element",
                );
            } else if type_id == Types::VOID {
                self.warn(span, "this variable is declared `void`");
            } else {
                let shown = self.show(type_id);
                self.error(span, format!("the type `{shown}` is not complete"));
            }
        }
    }
}
