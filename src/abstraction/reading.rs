//! The text of predicates: `expr` on globals, or `f: expr` on the variables of a procedure.
//!
//! Expressions are those of C or Remopla without calls and assignments: comparisons, arithmetic,
//! bits, `! && ||`, conversions of C; names of variables, `a[e]`, `s.f`, and the ghosts of
//! [`super::spelling`]. Operators by precedence on one stack, so that nothing is too deep.

use super::predicate::Predicate;
use super::spelling::{INT, LONG_LONG, TYPES, Type, common, promoted};
use super::symbols::domain;
use super::vocabulary::Vocabulary;
use crate::program::{Domain, Moment, Operation, ProcedureId, Program, VariableId};
use std::ops::Range;

/// What is wrong, and where.
#[derive(Debug)]
pub struct Wrong {
    pub span: Range<usize>,
    pub message: String,
    /// Whether it is a name that means nothing.
    pub is_missing: bool,
}

impl Wrong {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Wrong {
            span,
            message: message.into(),
            is_missing: false,
        }
    }

    fn missing(span: Range<usize>, message: impl Into<String>) -> Self {
        Wrong {
            is_missing: true,
            ..Wrong::new(span, message)
        }
    }
}

/// Reads lines.
pub fn read_predicates(program: &Program, lines: &[String]) -> Vec<Result<Predicate, Wrong>> {
    let vocabulary = Vocabulary::new(program);
    let lines = lines.iter();
    lines
        .map(|line| read_predicate(&vocabulary, line))
        .collect()
}

fn read_predicate(vocabulary: &Vocabulary<'_>, line: &str) -> Result<Predicate, Wrong> {
    let (scope, from) = match scope(line) {
        Some(name) => {
            let wanted = name.trim();
            let found = vocabulary.find_procedure(wanted);
            let message = || format!("there is no procedure `{wanted}`");
            let id = found.ok_or_else(|| Wrong::missing(0..name.len(), message()))?;
            (Some(id), name.len() + 1)
        }
        None => (None, 0),
    };
    let mut reader = Reader {
        vocabulary,
        procedure: scope,
        text: line,
        at: from,
        operands: Vec::new(),
        operators: Vec::new(),
    };
    let operations = reader.run()?;
    let procedure = scope.unwrap_or(vocabulary.program.entry);
    let text = super::spelling::spell(vocabulary, procedure, &operations);
    let text = text.unwrap_or_else(|| line[from..].trim().to_owned());
    Ok(Predicate::new(procedure, operations, text))
}

/// What stands before the `:` of a line: a name, in which `::` may be.
pub fn scope(line: &str) -> Option<&str> {
    let colons = line.match_indices(':').map(|(at, _)| at);
    let is_double = |at: usize| {
        let bytes = line.as_bytes();
        bytes.get(at + 1) == Some(&b':') || (at > 0 && bytes[at - 1] == b':')
    };
    let end = colons.into_iter().find(|at| !is_double(*at))?;
    Some(&line[..end])
}

/// A number as it is written, with its type in C.
fn constant(word: &str, is_c: bool) -> Option<(u64, Type)> {
    let plain = match is_c {
        true => word.trim_end_matches(['u', 'U', 'l', 'L']),
        false => word,
    };
    let hexadecimal = plain.strip_prefix("0x").or(plain.strip_prefix("0X"));
    let (digits, base) = match hexadecimal {
        Some(digits) if is_c => (digits, 16),
        _ if is_c && plain.len() > 1 && plain.starts_with('0') => (plain, 8),
        _ => (plain, 10),
    };
    let number = u64::from_str_radix(digits, base).ok()?;
    let suffix = word[plain.len()..].to_ascii_lowercase();
    let is_unsigned = suffix.contains('u');
    let may_be_unsigned = is_unsigned || base != 10;
    let types = [INT, (32, false), LONG_LONG, (64, false)];
    let mut types = types.into_iter().filter(|(bits, signed)| {
        let most = u64::MAX >> (64 - bits + u8::from(*signed));
        let is_allowed = if *signed {
            !is_unsigned
        } else {
            may_be_unsigned
        };
        is_allowed && number <= most && (*bits == 64 || !suffix.contains('l'))
    });
    Some((number, types.next().unwrap_or(LONG_LONG)))
}

/// A part that was read.
struct Operand {
    operations: Vec<Operation>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Truth,
    Number(Type),
}

/// What waits for its right operand, or its end.
#[derive(Clone)]
enum Operator {
    Binary(&'static str, u8, usize),
    Not,
    Minus,
    Cast(Type),
    Open(usize),
    /// An index: the name of the array.
    Index(String, usize),
}

const BINARY: [(&str, u8); 18] = [
    ("<<", 10),
    (">>", 10),
    ("<=", 9),
    (">=", 9),
    ("==", 8),
    ("!=", 8),
    ("&&", 4),
    ("||", 3),
    ("*", 12),
    ("/", 12),
    ("%", 12),
    ("+", 11),
    ("-", 11),
    ("<", 9),
    (">", 9),
    ("&", 7),
    ("^", 6),
    ("|", 5),
];

struct Reader<'r, 'p> {
    vocabulary: &'r Vocabulary<'p>,
    procedure: Option<ProcedureId>,
    text: &'r str,
    at: usize,
    operands: Vec<Operand>,
    operators: Vec<Operator>,
}

impl Reader<'_, '_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong<T>(&self, from: usize, message: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong::new(from..self.text.len().max(from), message))
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest().len() - self.rest().trim_start().len();
        self.at += blanks;
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    fn run(&mut self) -> Result<Vec<Operation>, Wrong> {
        let begin = self.at;
        let mut wants_operand = true;
        loop {
            self.skip_blanks();
            let from = self.at;
            if self.rest().is_empty() {
                break;
            }
            if wants_operand {
                wants_operand = self.operand()?;
                continue;
            }
            if self.take(")") || self.take("]") {
                let is_index = self.text[from..].starts_with(']');
                self.close(is_index, from)?;
                continue;
            }
            let Some((operator, binds)) = BINARY
                .iter()
                .find(|(operator, _)| self.rest().starts_with(operator))
            else {
                return self.wrong(from, "here an operator is expected");
            };
            self.at += operator.len();
            self.reduce(*binds)?;
            self.operators
                .push(Operator::Binary(operator, *binds, from));
            wants_operand = true;
        }
        if wants_operand {
            return self.wrong(begin, "here an expression is expected");
        }
        self.reduce(0)?;
        if let Some(Operator::Open(from) | Operator::Index(_, from)) = self.operators.last() {
            return self.wrong(*from, "this is not closed");
        }
        let Some(whole) = self.operands.pop() else {
            return self.wrong(begin, "here an expression is expected");
        };
        Ok(self.truth(whole).operations)
    }

    /// Reads an operand, or what stands before one: then another is wanted.
    fn operand(&mut self) -> Result<bool, Wrong> {
        let from = self.at;
        if self.take("(") {
            let close = self
                .rest()
                .find(')')
                .map(|end| self.rest()[..end].trim().to_owned());
            let of = close.and_then(|name| {
                let name = match name.as_str() {
                    "unsigned int" => "unsigned",
                    "long" | "signed long" => "long long",
                    "unsigned long" => "unsigned long long",
                    "char" => "signed char",
                    other => other,
                };
                TYPES.iter().find(|(one, _)| *one == name)
            });
            match of {
                Some((_, of)) => {
                    self.at += self.rest().find(')').map_or(0, |end| end + 1);
                    self.operators.push(Operator::Cast(*of));
                }
                None => self.operators.push(Operator::Open(from)),
            }
            return Ok(true);
        }
        if self.rest().starts_with('!') && !self.rest().starts_with("!=") {
            self.at += 1;
            self.operators.push(Operator::Not);
            return Ok(true);
        }
        if self.take("-") {
            self.operators.push(Operator::Minus);
            return Ok(true);
        }
        let is_word = |c: char| c.is_alphanumeric() || "_$.#:".contains(c);
        let length = self
            .rest()
            .find(|c| !is_word(c))
            .unwrap_or(self.rest().len());
        if length == 0 {
            return self.wrong(from, "here a variable or a number is expected");
        }
        let mut word = self.rest()[..length].to_owned();
        self.at += length;
        if let Some((number, of)) = constant(&word, self.vocabulary.is_c()) {
            self.operands.push(Operand {
                operations: vec![Operation::Number(number)],
                kind: Kind::Number(of),
            });
            return Ok(false);
        }
        match word.as_str() {
            "true" | "false" => {
                self.operands.push(Operand {
                    operations: vec![Operation::Constant(word == "true")],
                    kind: Kind::Truth,
                });
                return Ok(false);
            }
            _ => {}
        }
        // A cell of an array has its constant index in its name.
        while self.rest().starts_with('[') {
            let Some(end) = self.rest().find(']') else {
                break;
            };
            let inside = self.rest()[1..end].trim();
            if inside.parse::<u32>().is_err() {
                break;
            }
            word = format!("{word}[{inside}]");
            self.at += end + 1;
            let length = self
                .rest()
                .find(|c| !is_word(c))
                .unwrap_or(self.rest().len());
            word.push_str(&self.text[self.at..self.at + length]);
            self.at += length;
        }
        if self.take("[") {
            self.operators.push(Operator::Index(word, from));
            return Ok(true);
        }
        let program = self.vocabulary.program;
        if let Some((_, value)) = program
            .constants
            .iter()
            .find(|(name, _)| program.names.text(*name) == word)
        {
            let number = u64::try_from(*value)
                .map_err(|_| Wrong::new(from..self.at, "this constant is negative"))?;
            self.operands.push(Operand {
                operations: vec![Operation::Number(number)],
                kind: Kind::Number(INT),
            });
            return Ok(false);
        }
        for enumeration in &program.enumerations {
            let names = enumeration.names.iter();
            let found = names
                .zip(0..)
                .find(|(name, _)| program.names.text(**name) == word);
            if let Some((_, value)) = found {
                self.operands.push(Operand {
                    operations: vec![Operation::Number(value)],
                    kind: Kind::Number(INT),
                });
                return Ok(false);
            }
        }
        let Some(variable) = self.vocabulary.find(self.procedure, &word) else {
            let message = format!("there is no variable `{word}` here");
            return Err(Wrong::missing(from..self.at, message));
        };
        let operand = self.read(variable, vec![Operation::Read(variable)]);
        self.operands.push(operand);
        Ok(false)
    }

    /// A variable, or an element of its array.
    fn read(&self, variable: VariableId, mut operations: Vec<Operation>) -> Operand {
        let procedure = self.procedure.unwrap_or(self.vocabulary.program.entry);
        operations.extend(self.vocabulary.extension(procedure, variable));
        let kind = match domain(self.vocabulary.program, procedure, variable) {
            Domain::Boolean => Kind::Truth,
            Domain::Integer { bits } => {
                let number = self.vocabulary.number(procedure, variable);
                Kind::Number(number.map_or((bits, false), |n| (n.bits, n.signed)))
            }
            Domain::Enumeration { .. } => Kind::Number(INT),
        };
        Operand { operations, kind }
    }

    fn close(&mut self, is_index: bool, from: usize) -> Result<(), Wrong> {
        self.reduce(0)?;
        match (self.operators.pop(), is_index) {
            (Some(Operator::Open(_)), false) => Ok(()),
            (Some(Operator::Index(array, begin)), true) => {
                let found = self.vocabulary.find(self.procedure, &format!("{array}[0]"));
                let Some(first) = found else {
                    let message = format!("there is no array `{array}` that begins at 0 here");
                    return Err(Wrong::missing(begin..begin + array.len(), message));
                };
                let count = (1..).find(|k| {
                    let cell = self
                        .vocabulary
                        .find(self.procedure, &format!("{array}[{k}]"));
                    cell != Some(first.plus(*k))
                });
                let count = count.unwrap_or(1);
                let Some(index) = self.operands.pop() else {
                    return self.wrong(begin, "here an index is expected");
                };
                let mut operations = self.number(index).operations;
                let when = Moment::Before;
                operations.push(Operation::ReadElement { first, count, when });
                let operand = self.read(first, operations);
                self.operands.push(operand);
                Ok(())
            }
            _ => self.wrong(from, "this closes nothing"),
        }
    }

    /// Applies what binds at least so tightly.
    fn reduce(&mut self, binds: u8) -> Result<(), Wrong> {
        while let Some(operator) = self.operators.last().cloned() {
            match operator {
                Operator::Open(_) | Operator::Index(..) => return Ok(()),
                Operator::Binary(_, other, _) if other < binds => return Ok(()),
                _ => {}
            }
            self.operators.pop();
            let Some(b) = self.operands.pop() else {
                return self.wrong(self.at, "here an expression is expected");
            };
            let operand = match operator {
                Operator::Not => {
                    let mut b = self.truth(b);
                    b.operations.push(Operation::Not);
                    b
                }
                Operator::Minus => {
                    let zero = Operand {
                        operations: vec![Operation::Number(0)],
                        kind: Kind::Number(INT),
                    };
                    self.calculate(Operation::Subtract, zero, b)
                }
                Operator::Cast(of) => {
                    let b = self.number(b);
                    self.converted(b, of)
                }
                Operator::Binary(text, _, from) => {
                    let Some(a) = self.operands.pop() else {
                        return self.wrong(from, "an operand is missing");
                    };
                    self.binary(text, a, b)
                }
                Operator::Open(_) | Operator::Index(..) => b,
            };
            self.operands.push(operand);
        }
        Ok(())
    }

    fn truth(&self, mut a: Operand) -> Operand {
        if a.kind != Kind::Truth {
            a.operations.push(Operation::ToTruth);
            a.kind = Kind::Truth;
        }
        a
    }

    fn number(&self, mut a: Operand) -> Operand {
        if a.kind == Kind::Truth {
            a.operations.push(Operation::ToNumber);
            a.kind = Kind::Number(INT);
        }
        a
    }

    fn converted(&self, mut a: Operand, (bits, signed): Type) -> Operand {
        a.operations.push(Operation::Wrap { bits, signed });
        a.kind = Kind::Number((bits, signed));
        a
    }

    fn type_of(&self, a: &Operand) -> Type {
        match a.kind {
            Kind::Truth => INT,
            Kind::Number(of) => of,
        }
    }

    /// Both as numbers of their common type of C.
    fn balanced(&self, a: Operand, b: Operand) -> (Operand, Operand, Type) {
        let (a, b) = (self.number(a), self.number(b));
        let of = common(self.type_of(&a), self.type_of(&b));
        if !self.vocabulary.is_c() {
            return (a, b, of);
        }
        let convert = |one: Operand| match !of.1 && promoted(self.type_of(&one)).1 {
            true => self.converted(one, of),
            false => one,
        };
        (convert(a), convert(b), of)
    }

    fn calculate(&self, operation: Operation, a: Operand, b: Operand) -> Operand {
        let (a, b, of) = self.balanced(a, b);
        let mut operations = [a.operations, b.operations].concat();
        operations.push(operation);
        let is_constant = operations.iter().all(|one| one.cells_read().is_none());
        if self.vocabulary.is_c() && !is_constant {
            operations.push(Operation::Wrap {
                bits: of.0,
                signed: of.1,
            });
        }
        Operand {
            operations,
            kind: Kind::Number(of),
        }
    }

    fn binary(&self, text: &str, a: Operand, b: Operand) -> Operand {
        let truths = a.kind == Kind::Truth && b.kind == Kind::Truth;
        let join = |a: Operand, b: Operand, last: &[Operation]| Operand {
            operations: [&a.operations[..], &b.operations, last].concat(),
            kind: Kind::Truth,
        };
        match text {
            "&&" => join(self.truth(a), self.truth(b), &[Operation::And]),
            "||" => join(self.truth(a), self.truth(b), &[Operation::Or]),
            "==" if truths => join(a, b, &[Operation::Equal]),
            "!=" if truths => join(a, b, &[Operation::Xor]),
            "==" | "!=" | "<" | "<=" | ">" | ">=" => {
                let (a, b, _) = self.balanced(a, b);
                match text {
                    "==" => join(a, b, &[Operation::NumbersEqual]),
                    "!=" => join(a, b, &[Operation::NumbersEqual, Operation::Not]),
                    "<" => join(a, b, &[Operation::Less]),
                    "<=" => join(a, b, &[Operation::LessEqual]),
                    ">" => join(b, a, &[Operation::Less]),
                    _ => join(b, a, &[Operation::LessEqual]),
                }
            }
            _ => {
                let operation = match text {
                    "*" => Operation::Multiply,
                    "/" => Operation::Divide,
                    "%" => Operation::Remainder,
                    "+" => Operation::Add,
                    "-" => Operation::Subtract,
                    "<<" => Operation::ShiftLeft,
                    ">>" => Operation::ShiftRight,
                    "&" => Operation::BitAnd,
                    "^" => Operation::BitXor,
                    _ => Operation::BitOr,
                };
                self.calculate(operation, a, b)
            }
        }
    }
}
