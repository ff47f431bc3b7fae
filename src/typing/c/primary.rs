//! Names, constants, strings, and what chooses by a type.

use super::Typing;
use super::operand::{Operand, OperandKind};
use super::scope::Symbol;
use super::tree::{
    ExpressionKind, Floating, Initial, Integer, Length, Object, ObjectId, Origin, Outside,
    PlaceKind, Qualified, Qualifiers, Storage, Type, TypeId, Types,
};
use crate::diagnostic::{Diagnostic, Severity, suggestion};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::token::{Constant, Encoding, FloatingSize};
use crate::syntax::kit::tree::shorten;

impl Typing<'_> {
    pub(super) fn identifier(&mut self, name: Name, span: Span) {
        let kind = match self.symbols.get(name).map(|meaning| meaning.symbol) {
            Some(Symbol::Object(id)) => self.object_operand(id, span),
            Some(Symbol::Function(id)) => OperandKind::Function(id),
            Some(Symbol::Constant(value, type_id)) => {
                OperandKind::Value(self.add(ExpressionKind::Constant(value), type_id, span))
            }
            Some(Symbol::Typedef(_)) => {
                let shown = shorten(self.program.names.text(name));
                self.error(span, format!("`{shown}` is a type, and a value is needed"));
                OperandKind::Unknown
            }
            Some(Symbol::Lost) => OperandKind::Unknown,
            None => match self.function_name(name, span) {
                Some(object) => self.object_operand(object, span),
                None => {
                    self.undeclared(name, span);
                    OperandKind::Unknown
                }
            },
        };
        self.push(kind, span);
    }

    pub(super) fn object_operand(&mut self, id: ObjectId, span: Span) -> OperandKind {
        if self.program.objects[id.0 as usize].origin == Origin::Watch {
            return OperandKind::Watch(id);
        }
        let qualified = self.program.objects[id.0 as usize].qualified;
        OperandKind::Place {
            id: self.add_place(PlaceKind::Object(id), qualified.id, span),
            qualifiers: qualified.qualifiers,
            bits: None,
        }
    }

    /// `__func__` and its older names are a string of the function.
    fn function_name(&mut self, name: Name, span: Span) -> Option<ObjectId> {
        let text = self.program.names.text(name);
        if !["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].contains(&text) {
            return None;
        }
        let function = self.function.as_ref()?.id;
        let own = self.program.functions[function.0 as usize].name;
        let text = self.program.names.text(own);
        let units: Vec<u32> = text.bytes().map(u32::from).collect();
        let object = self.text_object(&units, Integer::Char, span);
        let entry = &mut self.program.objects[object.0 as usize];
        entry.name = Some(name);
        entry.origin = Origin::Variable;
        entry.qualified.qualifiers.constant = true;
        self.declare(name, Symbol::Object(object), span);
        Some(object)
    }

    #[cold]
    pub(super) fn undeclared(&mut self, name: Name, span: Span) {
        let text = self.program.names.text(name);
        let missing = self.missing_argument(text);
        let message = missing.unwrap_or_else(|| format!("`{}` is not declared", shorten(text)));
        let is_full = self.collector.is_full(Severity::Error);
        let hint = (!is_full).then(|| {
            let names = self.symbols.all().filter_map(|(name, meaning)| {
                let is_value = !matches!(meaning.symbol, Symbol::Typedef(_) | Symbol::Lost);
                is_value.then(|| self.program.names.text(name))
            });
            suggestion(text, names)
        });
        let hint = hint.flatten();
        let diagnostic = Diagnostic::error(span, message).with_hint_if_any(hint);
        self.collector.report(diagnostic);
        // Once is enough.
        self.declare(name, Symbol::Lost, span);
    }

    /// A constant or a string.
    pub(super) fn literal(&mut self, token: u32, span: Span) {
        let preprocessed = self.preprocessed;
        let constant = self.tokens.get(token as usize);
        let constant = constant.and_then(|token| preprocessed.vocabulary.constant(*token));
        let id = match constant {
            Some(Constant::Integer(integer)) => {
                let kind = self.integer_type(integer.value, integer.is_decimal, {
                    (integer.is_unsigned, integer.longs)
                });
                let value = kind.wrap(i128::from(integer.value), self.model());
                self.number(value, kind, span)
            }
            Some(Constant::Character(encoding, value)) => {
                let kind = match encoding {
                    Encoding::Plain => Integer::Int,
                    encoding => unit_type(*encoding),
                };
                let value = kind.wrap(i128::from(*value), self.model());
                self.number(value, kind, span)
            }
            Some(Constant::Floating(floating)) => {
                let kind = match floating.size {
                    FloatingSize::Float => Floating::Float,
                    FloatingSize::Double => Floating::Double,
                    FloatingSize::LongDouble => Floating::LongDouble,
                    FloatingSize::Float128 => Floating::Float128,
                };
                let type_id = self.program.types.intern(match floating.is_imaginary {
                    true => Type::Complex(kind),
                    false => Type::Floating(kind),
                });
                let kind = ExpressionKind::Outside(Outside::FloatingPoint);
                let id = self.add(kind, type_id, span);
                self.floats.insert(id, floating.value);
                id
            }
            Some(Constant::Text(text)) => {
                let object = self.text_object(&text.units, unit_type(text.encoding), span);
                let kind = self.object_operand(object, span);
                return self.push(kind, span);
            }
            None => self.unknown(span),
        };
        self.push_value(id, span);
    }

    /// The first type that holds the value, of those that its spelling allows.
    fn integer_type(&self, value: u64, is_decimal: bool, suffix: (bool, u8)) -> Integer {
        let (is_unsigned, longs) = suffix;
        let ranks = [Integer::Int, Integer::Long, Integer::LongLong];
        let candidates = ranks
            .into_iter()
            .skip(usize::from(longs))
            .flat_map(|signed| {
                let signed_fits = (!is_unsigned).then_some(signed);
                let unsigned_fits = (is_unsigned || !is_decimal).then(|| signed.unsigned());
                [signed_fits, unsigned_fits].into_iter().flatten()
            });
        let mut fitting = candidates.filter(|kind| kind.holds(i128::from(value), self.model()));
        // As gcc does with a decimal number that no signed type holds.
        fitting.next().unwrap_or(Integer::UnsignedLongLong)
    }

    pub(super) fn text_object(&mut self, units: &[u32], unit: Integer, span: Span) -> ObjectId {
        let element = self.program.types.of(unit);
        let length = Length::Constant(units.len() as u64 + 1);
        let type_id = self
            .program
            .types
            .intern(Type::Array(element.into(), length));
        self.add_object(Object {
            name: None,
            span,
            qualified: type_id.into(),
            storage: Storage::Static { defined: true },
            origin: Origin::Text,
            function: self.function.as_ref().map(|function| function.id),
            initial: Initial::Text(units.iter().copied().chain([0]).collect()),
            address_taken: false,
        })
    }

    pub(super) fn add_object(&mut self, object: Object) -> ObjectId {
        self.program.objects.push(object);
        ObjectId(self.program.objects.len() as u32 - 1)
    }

    /// `_Generic (x, …)`: what is not chosen is forgotten.
    pub(super) fn generic(&mut self) {
        let operand = self.pop();
        let value = self.value(operand);
        self.generics.push(super::Generic {
            type_id: self.type_of(value),
            chosen: None,
            default: None,
            span: operand.span,
        });
    }

    pub(super) fn generic_arm(&mut self, span: Span, is_default: bool) {
        let operand = self.pop();
        let tested = match is_default {
            true => None,
            false => Some(self.pop_type().qualified),
        };
        let Some(generic) = self.generics.last_mut() else {
            return;
        };
        match tested {
            None if generic.default.is_some() => self.error(span, "a second `default`"),
            None => generic.default = Some(operand),
            Some(Qualified { id, qualifiers }) => {
                let fits = qualifiers == Qualifiers::default()
                    && self.program.types.compatible(id, generic.type_id);
                if fits && generic.chosen.is_some() {
                    self.error(span, "a second type fits as well");
                } else if fits {
                    generic.chosen = Some(operand);
                }
            }
        }
    }

    pub(super) fn end_generic(&mut self, span: Span) {
        let Some(generic) = self.generics.pop() else {
            return;
        };
        match generic.chosen.or(generic.default) {
            Some(operand) => self.operands.push(operand),
            None => {
                if generic.type_id != Types::UNKNOWN {
                    let shown = self.show(generic.type_id);
                    self.error(
                        generic.span,
                        format!("no type of `_Generic` fits `{shown}`"),
                    );
                }
                self.push(OperandKind::Unknown, span);
            }
        }
    }

    /// `__builtin_choose_expr (c, a, b)`
    pub(super) fn choose(&mut self, span: Span) {
        let no = self.pop();
        let yes = self.pop();
        let condition = self.pop_value();
        let chosen = match self.constant(condition) {
            Some(0) => no,
            Some(_) => yes,
            None => {
                self.error(span, "the first argument must be a constant");
                Operand::unknown(span)
            }
        };
        self.operands.push(chosen);
    }

    pub(super) fn types_compatible(&mut self, span: Span) {
        let other = self.pop_type().qualified.id;
        let one = self.pop_type().qualified.id;
        let compatible = self.program.types.compatible(one, other);
        let id = self.number(i128::from(compatible), Integer::Int, span);
        self.push_value(id, span);
    }

    /// A node that no execution gets past.
    pub(super) fn push_outside(&mut self, outside: Outside, type_id: TypeId, span: Span) {
        let id = self.add(ExpressionKind::Outside(outside), type_id, span);
        self.push_value(id, span);
    }
}

/// The type of a string's elements.
fn unit_type(encoding: Encoding) -> Integer {
    match encoding {
        Encoding::Plain => Integer::Char,
        Encoding::Wide => Integer::Int,
        Encoding::Utf16 => Integer::UnsignedShort,
        Encoding::Utf32 => Integer::UnsignedInt,
    }
}
