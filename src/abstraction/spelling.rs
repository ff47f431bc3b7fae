//! Predicates as users write them: in the syntax that C and Remopla share.
//!
//! Ghosts are `$return` (of several values `$return1`, …) and `$1`, `$2`, …, what a parameter was at
//! the entry. Numbers of C have types, and sums that the program does not wrap are written with
//! numbers of 64 bits, so that what is written means the same.

use super::symbols::domain;
use super::vocabulary::Vocabulary;
use crate::program::{Domain, Operation, ProcedureId, VariableId};
use std::iter::Peekable;

const ATOM: u8 = 20;
const UNARY: u8 = 15;
const SUM: u8 = 11;
const BITS: u8 = 7;

/// The operations that are still to be written.
type Left<'o> = Peekable<std::slice::Iter<'o, Operation>>;

/// A type of C's numbers: its bits, and whether it is signed.
pub type Type = (u8, bool);

pub const INT: Type = (32, true);
pub const LONG_LONG: Type = (64, true);

/// The types of C's integers, as they are written.
pub const TYPES: [(&str, Type); 8] = [
    ("signed char", (8, true)),
    ("unsigned char", (8, false)),
    ("short", (16, true)),
    ("unsigned short", (16, false)),
    ("int", INT),
    ("unsigned", (32, false)),
    ("long long", LONG_LONG),
    ("unsigned long long", (64, false)),
];

/// What an operand has, at least, in an operation of C.
pub fn promoted((bits, signed): Type) -> Type {
    match bits < 32 {
        true => INT,
        false => (bits, signed),
    }
}

/// What two operands of C become.
pub fn common(a: Type, b: Type) -> Type {
    let (a, b) = (promoted(a), promoted(b));
    match a.0.cmp(&b.0) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal => (a.0, a.1 && b.1),
    }
}

struct Spelled {
    text: String,
    binds: u8,
    /// Of numbers of C.
    of: Type,
}

impl Spelled {
    fn new(text: impl Into<String>, binds: u8, of: Type) -> Self {
        let text = text.into();
        Spelled { text, binds, of }
    }

    /// In parentheses, unless it binds tightly enough.
    fn within(&self, binds: u8) -> String {
        match self.binds >= binds {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }

    /// Its lowest bits as a number: by a conversion if C has such a type, else by arithmetic.
    fn wrapped(self, of: Type) -> Option<Self> {
        if self.of == of {
            return Some(self);
        }
        if let Some((name, _)) = TYPES.iter().find(|(_, one)| *one == of) {
            let text = format!("({name}){}", self.within(UNARY));
            return Some(Spelled::new(text, UNARY, of));
        }
        let (bits, signed) = of;
        if bits > 62 {
            return None;
        }
        let mask = (1_u64 << bits) - 1;
        let wide = common(self.of, if bits < 32 { INT } else { LONG_LONG });
        let lowest = format!("{} & {mask}", self.within(BITS));
        let Some(sign) = signed.then(|| 1_u64 << (bits - 1)) else {
            return Some(Spelled::new(lowest, BITS, wide));
        };
        let text = format!("(({lowest}) ^ {sign}) - {sign}");
        wide.1.then(|| Spelled::new(text, SUM, wide))
    }
}

/// A variable, called by `text`, and as much of its extension as comes next.
fn variable(
    vocabulary: &Vocabulary<'_>,
    procedure: ProcedureId,
    cell: VariableId,
    text: String,
    left: &mut Left<'_>,
) -> Option<Spelled> {
    let Domain::Integer { bits } = domain(vocabulary.program, procedure, cell) else {
        return Some(Spelled::new(text, ATOM, INT));
    };
    let Some(number) = vocabulary.number(procedure, cell) else {
        return Some(Spelled::new(text, ATOM, (bits, false)));
    };
    let own = Spelled::new(text, ATOM, (number.bits, number.signed));
    if !number.extended {
        return Some(own);
    }
    let mut takes = |bits, signed| {
        let wrap = Operation::Wrap { bits, signed };
        left.next_if(|next| **next == wrap).is_some()
    };
    if !takes(bits, true) {
        return own.wrapped((bits, false));
    }
    match number.signed || takes(number.bits, false) {
        true => Some(own),
        false => own.wrapped((number.bits, true)),
    }
}

/// A condition as text; `None` if there is no way to write it.
pub fn spell(
    vocabulary: &Vocabulary<'_>,
    procedure: ProcedureId,
    operations: &[Operation],
) -> Option<String> {
    let is_c = vocabulary.is_c();
    let mut stack: Vec<Spelled> = Vec::new();
    let mut left = operations.iter().peekable();
    while let Some(operation) = left.next() {
        let spelled = match *operation {
            Operation::Constant(value) if is_c => {
                Spelled::new(u8::from(value).to_string(), ATOM, INT)
            }
            Operation::Constant(value) => Spelled::new(value.to_string(), ATOM, INT),
            Operation::Number(number) => {
                let of = if number <= i32::MAX as u64 {
                    INT
                } else {
                    LONG_LONG
                };
                if is_c && i64::try_from(number).is_err() {
                    return None;
                }
                Spelled::new(number.to_string(), ATOM, of)
            }
            Operation::Read(cell) => {
                let name = vocabulary.name(procedure, cell);
                variable(vocabulary, procedure, cell, name, &mut left)?
            }
            Operation::ReadElement { first, .. } => {
                let index = stack.pop()?;
                // `a[0]` is the first cell of `a`.
                let cell = vocabulary.name(procedure, first);
                let array = cell.strip_suffix("[0]")?;
                let element = format!("{array}[{}]", index.text);
                variable(vocabulary, procedure, first, element, &mut left)?
            }
            Operation::Not => {
                let a = stack.pop()?;
                Spelled::new(format!("!{}", a.within(UNARY)), UNARY, INT)
            }
            Operation::ToNumber | Operation::ToTruth | Operation::FalseIfUndefined => {
                stack.pop()?
            }
            Operation::Wrap { bits, signed } if is_c => {
                let a = stack.pop()?;
                a.wrapped((bits, signed))?
            }
            Operation::Add | Operation::Subtract | Operation::Multiply if is_c => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                if *operation == Operation::Subtract
                    && a.text == "0"
                    && b.binds == ATOM
                    && b.text.parse::<u32>().is_ok()
                {
                    stack.push(Spelled::new(format!("-{}", b.text), UNARY, INT));
                    continue;
                }
                let of = common(a.of, b.of);
                let (bits, signed) = of;
                let is_wrapped = left.peek() == Some(&&Operation::Wrap { bits, signed });
                let a = match is_wrapped || of == LONG_LONG {
                    true => a,
                    false if bits < 64 => a.wrapped(LONG_LONG)?,
                    false => return None,
                };
                spelled_binary(*operation, &a, &b, common(a.of, b.of))?
            }
            Operation::Less | Operation::LessEqual | Operation::NumbersEqual if is_c => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                // What a conversion to unsigned would change is compared with more bits.
                let of = common(a.of, b.of);
                let changes = !of.1 && (promoted(a.of).1 || promoted(b.of).1);
                let is_number =
                    |one: &Spelled| one.binds == ATOM && one.text.parse::<u32>().is_ok();
                let a = match changes && !is_number(&a) && !is_number(&b) {
                    true if of.0 < 64 => a.wrapped(LONG_LONG)?,
                    true => return None,
                    false => a,
                };
                spelled_binary(*operation, &a, &b, INT)?
            }
            Operation::Divide
            | Operation::Remainder
            | Operation::BitAnd
            | Operation::BitOr
            | Operation::BitXor
                if is_c =>
            {
                let (b, a) = (stack.pop()?, stack.pop()?);
                let of = common(a.of, b.of);
                if !of.1
                    && (promoted(a.of).1 && a.text.parse::<u32>().is_err()
                        || promoted(b.of).1 && b.text.parse::<u32>().is_err())
                {
                    return None;
                }
                spelled_binary(*operation, &a, &b, of)?
            }
            Operation::And | Operation::Or | Operation::Xor | Operation::Equal => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                spelled_binary(*operation, &a, &b, INT)?
            }
            Operation::Less
            | Operation::LessEqual
            | Operation::NumbersEqual
            | Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::Divide
            | Operation::BitAnd
            | Operation::BitOr
            | Operation::BitXor
            | Operation::ShiftLeft
            | Operation::ShiftRight
                if !is_c =>
            {
                let (b, a) = (stack.pop()?, stack.pop()?);
                spelled_binary(*operation, &a, &b, INT)?
            }
            _ => return None,
        };
        stack.push(spelled);
    }
    Some(stack.pop()?.text)
}

fn spelled_binary(operation: Operation, a: &Spelled, b: &Spelled, of: Type) -> Option<Spelled> {
    let (operator, binds) = match operation {
        Operation::Multiply => ("*", 12),
        Operation::Divide => ("/", 12),
        Operation::Remainder => ("%", 12),
        Operation::Add => ("+", 11),
        Operation::Subtract => ("-", 11),
        Operation::ShiftLeft => ("<<", 10),
        Operation::ShiftRight => (">>", 10),
        Operation::Less => ("<", 9),
        Operation::LessEqual => ("<=", 9),
        Operation::NumbersEqual | Operation::Equal => ("==", 8),
        Operation::Xor => ("!=", 8),
        Operation::BitAnd => ("&", 7),
        Operation::BitXor => ("^", 6),
        Operation::BitOr => ("|", 5),
        Operation::And => ("&&", 4),
        Operation::Or => ("||", 3),
        _ => return None,
    };
    // Parentheses where a reader might wonder.
    let inner = if binds <= 8 || binds == 10 { 11 } else { binds };
    let (left, right) = (a.within(inner), b.within(inner + 1));
    Some(Spelled::new(
        format!("{left} {operator} {right}"),
        binds,
        of,
    ))
}
