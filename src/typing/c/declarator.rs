//! From the parts of a declarator to the type of what it declares.
//!
//! Parts are kept as they are read. A type is made of them from the outside in: the pointers of
//! a level, then what stands behind its name from right to left, then what is in parentheses.

use super::Typing;
use super::scope::Declared as Names;
use super::tree::{
    ExpressionId, ExpressionKind, Initial, Integer, Length, Object, ObjectId, Origin, Qualified,
    Qualifiers, Signature, Storage, Type, TypeId, Types,
};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::tree::{ArrayLength, Context};

/// What a wrong length is taken for, once it has been reported.
const REPORTED: Length = Length::Constant(1);

#[derive(Debug)]
pub enum Part {
    Pointer(Qualifiers),
    /// Where the part after it in parentheses ends, counted as all parts are.
    Open(usize),
    Close,
    Name(Name, Span),
    Array(Length, Span),
    Function(Box<Header>),
}

/// The parameters of a function.
#[derive(Debug, Default)]
pub struct Header {
    pub parameters: Vec<Parameter>,
    pub variadic: bool,
    /// Names without types, or nothing at all.
    pub is_old: bool,
    /// What they declare.
    pub names: Names,
    pub lengths: Vec<(ObjectId, ExpressionId)>,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    pub name: Option<Name>,
    pub span: Span,
    pub type_id: TypeId,
    /// None of an old-style one, which is not declared yet.
    pub object: Option<ObjectId>,
}

/// What a declarator declares.
#[derive(Debug)]
pub struct Declarator {
    pub name: Option<Name>,
    /// Of the name, or of the declaration.
    pub span: Span,
    pub qualified: Qualified,
    /// If it is a function, its parameters.
    pub header: Option<Box<Header>>,
}

/// A type in parentheses.
#[derive(Debug)]
pub struct TypeOperand {
    pub qualified: Qualified,
    pub lengths: Vec<(ObjectId, ExpressionId)>,
}

impl Typing<'_> {
    pub(super) fn begin_declarator(&mut self) {
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.parts = self.parts.len();
        }
    }

    pub(super) fn pointer_qualifier(&mut self, qualifiers: Qualifiers) {
        if let Some(Part::Pointer(own)) = self.parts.last_mut() {
            *own = own.union(qualifiers);
        }
    }

    pub(super) fn open_part(&mut self) {
        self.opens.push(self.parts.len());
        self.parts.push(Part::Open(0));
    }

    pub(super) fn close_part(&mut self) {
        let close = self.parts.len();
        if let Some(open) = self.opens.pop()
            && let Some(Part::Open(end)) = self.parts.get_mut(open)
        {
            *end = close;
        }
        self.parts.push(Part::Close);
    }

    pub(super) fn array_part(&mut self, length: ArrayLength, span: Span) {
        let length = match length {
            ArrayLength::None => Length::Incomplete,
            ArrayLength::Star => Length::Unspecified,
            ArrayLength::Expression => self.array_length(),
        };
        self.parts.push(Part::Array(length, span));
    }

    fn array_length(&mut self) -> Length {
        let operand = self.pop();
        let value = self.value(operand);
        let type_id = self.type_of(value);
        if type_id == Types::UNKNOWN {
            return REPORTED;
        }
        if self.program.types.integer(type_id).is_none() {
            self.error(operand.span, "the length of an array must be an integer");
            return REPORTED;
        }
        match self.constant(value) {
            Some(length) => match u64::try_from(length) {
                Ok(length) => Length::Constant(length),
                Err(_) => {
                    self.error(operand.span, "the length of an array cannot be negative");
                    REPORTED
                }
            },
            None => self.variable_length(value, operand.span),
        }
    }

    /// A hidden object holds the length from where the type is met.
    fn variable_length(&mut self, value: ExpressionId, span: Span) -> Length {
        let context = self
            .declarations
            .last()
            .map(|declaration| declaration.context);
        if self.at_file_scope() || context == Some(Context::Member) {
            self.error(span, "the length of an array must be a constant here");
            return REPORTED;
        }
        let integer = self.program.types.size_integer();
        let type_id = self.program.types.of(integer);
        let object = self.add_object(Object {
            name: None,
            span,
            qualified: type_id.into(),
            storage: Storage::Automatic,
            origin: Origin::Length,
            function: self.function.as_ref().map(|function| function.id),
            initial: Initial::None,
            address_taken: false,
        });
        let value = self.convert(value, type_id);
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.lengths.push((object, value));
        }
        Length::Variable(object)
    }

    pub(super) fn begin_parameters(&mut self) {
        self.open_scope();
        self.headers.push(Header::default());
    }

    pub(super) fn old_parameters(&mut self) {
        self.parts.push(Part::Function(Box::new(Header {
            is_old: true,
            ..Header::default()
        })));
    }

    pub(super) fn old_parameter(&mut self, name: Name, span: Span) {
        if let Some(Part::Function(header)) = self.parts.last_mut() {
            header.parameters.push(Parameter {
                name: Some(name),
                span,
                type_id: self.program.types.of(Integer::Int),
                object: None,
            });
        }
    }

    pub(super) fn parameter(&mut self, span: Span) {
        let declarator = self.finish_declarator();
        let Some(mut declaration) = self.declarations.pop() else {
            return;
        };
        let type_id = self.adjusted(declarator.qualified.id);
        let is_register = declaration.storage.is_some();
        let object = self.add_object(Object {
            name: declarator.name,
            span: declarator.span,
            qualified: Qualified {
                id: type_id,
                qualifiers: match type_id == declarator.qualified.id {
                    true => declarator.qualified.qualifiers,
                    false => Qualifiers::default(),
                },
            },
            storage: Storage::Parameter,
            origin: Origin::Variable,
            function: None,
            initial: Initial::None,
            address_taken: false,
        });
        if is_register {
            self.registers.insert(object);
        }
        if let Some(name) = declarator.name {
            self.check_redeclared(name, declarator.span);
            self.declare(name, super::scope::Symbol::Object(object), declarator.span);
        }
        if let Some(header) = self.headers.last_mut() {
            header.lengths.append(&mut declaration.lengths);
            header.parameters.push(Parameter {
                name: declarator.name,
                span: match declarator.name {
                    Some(_) => declarator.span,
                    None => span,
                },
                type_id,
                object: Some(object),
            });
        }
    }

    /// Arrays and functions as parameters are pointers.
    fn adjusted(&mut self, id: TypeId) -> TypeId {
        match self.program.types.get(id) {
            Type::Array(element, _) => {
                let element = *element;
                self.program.types.pointer_to(element)
            }
            Type::Function(_) => self.program.types.pointer_to(id),
            _ => id,
        }
    }

    pub(super) fn end_parameters(&mut self, variadic: bool) {
        let Some(mut header) = self.headers.pop() else {
            return;
        };
        header.names = self.suspend_scope();
        header.variadic = variadic;
        let is_void = |parameter: &Parameter| parameter.type_id == Types::VOID;
        if let [only] = header.parameters[..]
            && is_void(&only)
            && only.name.is_none()
            && !variadic
        {
            header.parameters.clear();
        }
        if let Some(wrong) = header.parameters.iter().find(|one| is_void(one)).copied() {
            self.error(wrong.span, "a parameter cannot be `void`");
        }
        self.parts.push(Part::Function(Box::new(header)));
    }

    /// The type of the declarator that is being read, as a bit-field needs it: words only.
    pub(super) fn peek_declarator(&self) -> TypeId {
        let declaration = self.declarations.last();
        let parts = declaration.map_or(0, |declaration| declaration.parts);
        let is_plain = |part: &Part| matches!(part, Part::Name(..));
        match self.parts[parts..].iter().all(is_plain) {
            true => declaration.map_or(Types::UNKNOWN, |declaration| declaration.base.id),
            false => Types::VOID,
        }
    }

    /// What the declarator that has been read declares.
    pub(super) fn finish_declarator(&mut self) -> Declarator {
        let Some(declaration) = self.declarations.last_mut() else {
            return Declarator {
                name: None,
                span: Span::default(),
                qualified: Types::UNKNOWN.into(),
                header: None,
            };
        };
        declaration.declarators += 1;
        let (base, start, place) = (declaration.base, declaration.parts, declaration.span);
        let mut parts = self.parts.split_off(start);
        let named = parts.iter().find_map(|part| match part {
            Part::Name(name, span) => Some((*name, *span)),
            _ => None,
        });
        let span = named.map_or(place, |(_, span)| span);
        let (mut low, mut high) = (0, parts.len());
        let mut current = base;
        let mut last = None;
        loop {
            while let Some(Part::Pointer(qualifiers)) = parts.get(low)
                && low < high
            {
                current = Qualified {
                    id: self.program.types.pointer_to(current),
                    qualifiers: *qualifiers,
                };
                last = Some(low);
                low += 1;
            }
            let (inner, suffixes) = match parts.get(low) {
                Some(Part::Open(close)) if low < high => {
                    let close = close - start;
                    (Some((low + 1, close)), close + 1)
                }
                Some(Part::Name(..)) if low < high => (None, low + 1),
                _ => (None, low),
            };
            for index in (suffixes..high).rev() {
                current = self.suffix(&parts[index], current, span);
                last = Some(index);
            }
            match inner {
                Some(range) => (low, high) = range,
                None => break,
            }
        }
        let header = last.and_then(|index| match parts.swap_remove(index) {
            Part::Function(header) => Some(header),
            _ => None,
        });
        Declarator {
            name: named.map(|(name, _)| name),
            span,
            qualified: current,
            header,
        }
    }

    /// An array of, or a function that returns, what has been made so far.
    fn suffix(&mut self, part: &Part, current: Qualified, span: Span) -> Qualified {
        let kind = match part {
            Part::Array(length, place) => match self.check_element(current.id, *length, *place) {
                true => Type::Array(current, *length),
                false => Type::Unknown,
            },
            Part::Function(header) => {
                let result = current.id;
                match self.program.types.get(result) {
                    Type::Array(..) => {
                        self.error(span, "a function cannot return an array");
                        Type::Unknown
                    }
                    Type::Function(_) => {
                        self.error(span, "a function cannot return a function");
                        Type::Unknown
                    }
                    _ => {
                        let types = header.parameters.iter().map(|one| one.type_id);
                        Type::Function(Signature {
                            result,
                            parameters: (!header.is_old).then(|| types.collect()),
                            variadic: header.variadic,
                        })
                    }
                }
            }
            _ => return current,
        };
        self.program.types.intern(kind).into()
    }

    fn check_element(&mut self, element: TypeId, length: Length, span: Span) -> bool {
        let types = &self.program.types;
        let message = match types.get(element) {
            Type::Unknown => return false,
            Type::Function(_) => "the elements of an array cannot be functions",
            Type::Void => "the elements of an array cannot be `void`",
            _ if types.is_incomplete(element) => "the elements of an array must be complete",
            _ => {
                let size = types.size(element).unwrap_or(1);
                let total = match length {
                    Length::Constant(length) => size.checked_mul(length),
                    _ => Some(0),
                };
                let most = match types.pointer_size() {
                    4 => i32::MAX as u64,
                    _ => i64::MAX as u64,
                };
                match total.is_some_and(|total| total <= most) {
                    true => return true,
                    false => "this array is too large",
                }
            }
        };
        self.error(span, message);
        false
    }

    pub(super) fn type_name(&mut self) {
        let declarator = self.finish_declarator();
        let declaration = self.declarations.pop();
        self.types.push(TypeOperand {
            qualified: declarator.qualified,
            lengths: declaration.map_or_else(Vec::new, |declaration| declaration.lengths),
        });
    }

    pub(super) fn pop_type(&mut self) -> TypeOperand {
        self.types.pop().unwrap_or(TypeOperand {
            qualified: Types::UNKNOWN.into(),
            lengths: Vec::new(),
        })
    }

    /// The value, after the lengths of its type have been set.
    pub(super) fn wrap_lengths(
        &mut self,
        lengths: Vec<(ObjectId, ExpressionId)>,
        id: ExpressionId,
    ) -> ExpressionId {
        let mut id = id;
        for (object, value) in lengths.into_iter().rev() {
            let (type_id, span) = (
                self.type_of(value),
                self.program.expressions[id.0 as usize].span,
            );
            let place = self.add_place(super::tree::PlaceKind::Object(object), type_id, span);
            let set = self.add(ExpressionKind::Assign(place, value), type_id, span);
            let whole = self.type_of(id);
            id = self.add(ExpressionKind::Comma(set, id), whole, span);
        }
        id
    }
}
