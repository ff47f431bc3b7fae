//! The functions that gcc computes itself.

use super::Typing;
use super::operand::{Operand, OperandKind};
use super::tree::{
    Builtin, ExpressionId, ExpressionKind, Floating, Integer, List, Outside, Type, TypeId, Types,
};
use crate::names::Name;
use crate::source::Span;

impl Typing<'_> {
    pub(super) fn builtin(&mut self, name: Name, arguments: Vec<Operand>, whole: Span) {
        let text = self.program.names.text(name).to_owned();
        let own = text.strip_prefix("__builtin_").unwrap_or_default();
        let int = self.program.types.of(Integer::Int);
        match own {
            "expect" | "expect_with_probability" if arguments.len() >= 2 => {
                let value = self.value(arguments[0]);
                let long = self.program.types.of(Integer::Long);
                let id = self.scalar_argument(value, arguments[0].span, long);
                return self.push_value(id, whole);
            }
            "constant_p" if arguments.len() == 1 => {
                let value = self.value(arguments[0]);
                let known = self.constant(value).is_some() || self.floats.contains_key(&value);
                let id = self.number(i128::from(known), Integer::Int, whole);
                return self.push_value(id, whole);
            }
            "assume_aligned" if !arguments.is_empty() => {
                let value = self.value(arguments[0]);
                let pointer = self.program.types.pointer_to(Types::VOID);
                let id = self.convert(value, pointer);
                return self.push_value(id, whole);
            }
            "object_size" => {
                let integer = self.program.types.size_integer();
                let most = integer.wrap(-1, self.model());
                let id = self.number(most, integer, whole);
                return self.push_value(id, whole);
            }
            "va_start" | "va_end" | "va_copy" => {
                return self.push_outside(Outside::VariableArguments, Types::VOID, whole);
            }
            "inf" | "nan" | "huge_val" | "inff" | "nanf" => {
                let double = self.program.types.intern(Type::Floating(Floating::Double));
                return self.push_outside(Outside::FloatingPoint, double, whole);
            }
            "unreachable" => {
                let id = self.builtin_node(Builtin::Unreachable, Vec::new(), Types::VOID, whole);
                return self.push_value(id, whole);
            }
            "trap" => {
                let id = self.builtin_node(Builtin::Trap, Vec::new(), Types::VOID, whole);
                return self.push_value(id, whole);
            }
            _ => {}
        }
        if let Some((builtin, integer)) = bits_builtin(own) {
            if arguments.len() != 1 {
                self.error(whole, "this builtin has one argument");
                return self.push(OperandKind::Unknown, whole);
            }
            let value = self.value(arguments[0]);
            let type_id = self.program.types.of(integer);
            let value = self.scalar_argument(value, arguments[0].span, type_id);
            let id = self.builtin_node(builtin, vec![value], int, whole);
            return self.push_value(id, whole);
        }
        if let Some((builtin, fixed)) = overflow_builtin(own) {
            return self.overflow(builtin, fixed, arguments, whole);
        }
        if let Some(function) = self.library_function(own, whole) {
            let callee = Operand {
                kind: OperandKind::Function(function),
                span: whole,
            };
            return self.call_operand(callee, arguments, whole);
        }
        for argument in arguments {
            self.value(argument);
        }
        self.push_outside(Outside::Builtin(name), int, whole);
    }

    fn builtin_node(
        &mut self,
        builtin: Builtin,
        arguments: Vec<ExpressionId>,
        type_id: TypeId,
        span: Span,
    ) -> ExpressionId {
        let start = self.program.arguments.len();
        self.program.arguments.extend(arguments);
        let list = List::since(start, &self.program.arguments);
        self.add(ExpressionKind::Builtin(builtin, list), type_id, span)
    }

    fn scalar_argument(&mut self, value: ExpressionId, span: Span, to: TypeId) -> ExpressionId {
        let type_id = self.type_of(value);
        if type_id != Types::UNKNOWN && !self.program.types.is_scalar(type_id) {
            let shown = self.show(type_id);
            self.error(span, format!("an integer is needed, and this is `{shown}`"));
            return self.unknown(span);
        }
        self.convert(value, to)
    }

    fn overflow(
        &mut self,
        builtin: Builtin,
        fixed: Option<Integer>,
        arguments: Vec<Operand>,
        whole: Span,
    ) {
        let [left, right, target] = arguments[..] else {
            self.error(whole, "this builtin has three arguments");
            return self.push(OperandKind::Unknown, whole);
        };
        let mut values = Vec::with_capacity(3);
        for operand in [left, right] {
            let value = self.value(operand);
            let type_id = self.type_of(value);
            let is_wrong = self.program.types.integer(type_id).is_none();
            if is_wrong && type_id != Types::UNKNOWN {
                self.error(operand.span, "an integer is needed here");
            }
            values.push(match fixed {
                Some(integer) => self.convert(value, self.program.types.of(integer)),
                None => value,
            });
        }
        let pointer = self.value(target);
        let pointed = self.program.types.target(self.type_of(pointer));
        let integer = pointed.and_then(|target| self.program.types.integer(target.id));
        if integer.is_none() && self.type_of(pointer) != Types::UNKNOWN {
            self.error(target.span, "a pointer to an integer is needed here");
        }
        values.push(pointer);
        let outside = values
            .iter()
            .find_map(|value| self.outside(self.type_of(*value)));
        let bool = self.program.types.of(Integer::Bool);
        let id = match outside {
            Some(outside) => self.add(ExpressionKind::Outside(outside), bool, whole),
            None => self.builtin_node(builtin, values, bool, whole),
        };
        self.push_value(id, whole);
    }
}

/// A builtin with one integer, by its suffix.
fn bits_builtin(name: &str) -> Option<(Builtin, Integer)> {
    let names = [
        ("popcount", Builtin::Population),
        ("parity", Builtin::Parity),
        ("ffs", Builtin::FindFirstSet),
        ("clz", Builtin::LeadingZeros),
        ("ctz", Builtin::TrailingZeros),
    ];
    let (suffix, builtin) = names.iter().find_map(|(prefix, builtin)| {
        let suffix = name.strip_prefix(prefix)?;
        Some((suffix, *builtin))
    })?;
    let signed = match suffix {
        "" => Integer::Int,
        "l" => Integer::Long,
        "ll" => Integer::LongLong,
        _ => return None,
    };
    Some(match builtin {
        Builtin::FindFirstSet => (builtin, signed),
        _ => (builtin, signed.unsigned()),
    })
}

/// `add_overflow`, or with the type in its name: `saddl_overflow`.
fn overflow_builtin(name: &str) -> Option<(Builtin, Option<Integer>)> {
    let name = name.strip_suffix("_overflow")?;
    let operations = [
        ("add", Builtin::AddOverflow),
        ("sub", Builtin::SubtractOverflow),
        ("mul", Builtin::MultiplyOverflow),
    ];
    operations.iter().find_map(|(word, builtin)| {
        if name == *word {
            return Some((*builtin, None));
        }
        let (sign, size) = name.split_once(word)?;
        let signed = match size {
            "" => Integer::Int,
            "l" => Integer::Long,
            "ll" => Integer::LongLong,
            _ => return None,
        };
        match sign {
            "s" => Some((*builtin, Some(signed))),
            "u" => Some((*builtin, Some(signed.unsigned()))),
            _ => None,
        }
    })
}
