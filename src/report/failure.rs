//! Why a program went to *error*, in words.

use super::excerpt::harmless;
use crate::interpreter::failure::{Failure, Place, Reason};
use crate::interpreter::values::{Missing, Why};
use crate::names::Name;
use crate::program::{
    Declaration, Domain, Expression, Operation, ProcedureId, Program, Shape, VariableId,
};

const LONGEST_TEXT: usize = 60;

/// One line, without a full stop.
pub fn explain(program: &Program, failure: &Failure) -> String {
    let procedure = failure.procedure;
    match &failure.reason {
        Reason::Assertion => "the assertion fails".to_owned(),
        Reason::NoValue {
            expression,
            target,
            missing,
        } => {
            let text = match text_of(program, *expression) {
                Some(text) => format!(" in `{text}`"),
                None => String::new(),
            };
            let what = match missing.why {
                Why::Outside { index, count } => {
                    let array = array_of(program, procedure, *expression, *target, missing);
                    return format!("{}{text}", outside(index, count, array));
                }
                Why::DivisionByZero => "division by 0".to_owned(),
                Why::Negative(number) => format!("bits of a negative number, {number},"),
                Why::TooLarge => "a shift beyond 2^64".to_owned(),
                Why::NotThere => "a variable of another procedure".to_owned(),
            };
            format!("{what}{text}")
        }
        Reason::Misfit {
            number,
            expression,
            place,
        } => {
            let text = expression.and_then(|expression| text_of(program, expression));
            let value = match text {
                Some(text) if text == number.to_string() => format!("{number}"),
                Some(text) => format!("`{text}` is {number}, which"),
                None if expression.is_none() => format!("the result {number}"),
                None => format!("the value {number}"),
            };
            let (name, domain) = place_of(program, procedure, *place);
            format!("{value} does not fit {name} ({})", size_of(program, domain))
        }
    }
}

fn text_of(program: &Program, expression: Expression) -> Option<String> {
    let span = program.expressions.span_of(expression)?;
    let text = program.source.text(span);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = harmless(&words.join(" "));
    if text.chars().count() > LONGEST_TEXT {
        text = text.chars().take(LONGEST_TEXT - 3).collect();
        text.push_str("...");
    }
    Some(text)
}

fn place_of(program: &Program, procedure: ProcedureId, place: Place) -> (String, Domain) {
    let quoted = |name| format!("`{}`", harmless(program.names.text(name)));
    match place {
        Place::Variable(variable) => {
            let cell = program.cell(procedure, variable);
            (quoted(cell.name), cell.domain)
        }
        Place::Parameter(callee, i) => {
            let callee = program.procedure(callee);
            let cell = callee.locals[i as usize];
            let (name, of) = (quoted(cell.name), quoted(callee.name));
            (format!("parameter {name} of {of}"), cell.domain)
        }
        Place::Returned(i) => {
            let procedure = program.procedure(procedure);
            let what = format!("what {} returns", quoted(procedure.name));
            (what, procedure.returns[i as usize])
        }
    }
}

fn size_of(program: &Program, domain: Domain) -> String {
    match domain {
        Domain::Boolean => "0 or 1".to_owned(),
        Domain::Integer { bits: 1 } => "1 bit".to_owned(),
        Domain::Integer { bits } => format!("{bits} bits"),
        Domain::Enumeration { id, size } => {
            let name = program.enumerations.get(id as usize).and_then(|e| e.name);
            let name = name.map_or(String::new(), |name| {
                format!(" {}", harmless(program.names.text(name)))
            });
            format!("enum{name} of {size}")
        }
    }
}

/// An array as the program speaks of it.
struct Array {
    name: String,
    /// The smallest index of the dimension that is spoken of.
    low: i64,
}

fn outside(index: i128, count: u32, array: Option<Array>) -> String {
    match array {
        Some(Array { name, low }) => {
            let low = i128::from(low);
            let high = low + i128::from(count) - 1;
            format!("index {} is outside {name}[{low}..{high}]", index + low)
        }
        None => format!("place {index} of an array of {count}, counted from 0,"),
    }
}

/// The array that an index is used for, and its dimension.
fn array_of(
    program: &Program,
    procedure: ProcedureId,
    expression: Expression,
    target: Option<(VariableId, u32)>,
    missing: &Missing,
) -> Option<Array> {
    let operations = program.expressions.operations(expression);
    let used = consumer(operations, missing.at as usize);
    let (first, read) = match used {
        Some((place, Operation::ReadElement { first, .. })) => (*first, place),
        _ => (target?.0, operations.len()),
    };
    let (name, dimensions) = dimensions(program, procedure, first)?;
    let count = match operations.get(missing.at as usize) {
        Some(Operation::Index { count }) => *count,
        // The array as a whole, which has one dimension.
        _ => match dimensions.as_slice() {
            [(low, _)] => return Some(Array { name, low: *low }),
            _ => return None,
        },
    };
    // Which of the indices it is; one that is a constant may have been left out.
    let is_index = |(at, operation): (usize, &Operation)| {
        matches!(operation, Operation::Index { .. })
            && consumer(operations, at).map_or(operations.len(), |(place, _)| place) == read
    };
    let indices = operations.iter().enumerate().filter(|pair| is_index(*pair));
    let indices: Vec<usize> = indices.map(|(at, _)| at).collect();
    let by_place = (indices.len() == dimensions.len()).then(|| {
        let place = indices.iter().position(|at| *at == missing.at as usize)?;
        dimensions.get(place).copied()
    });
    let mut by_length = dimensions.iter().filter(|(_, length)| *length == count);
    let found = match by_place.flatten() {
        Some(dimension) => Some(dimension),
        None => by_length
            .next()
            .copied()
            .filter(|_| by_length.next().is_none()),
    };
    found.map(|(low, _)| Array { name, low })
}

/// The element read that takes the value of an operation, perhaps after some calculation.
fn consumer(operations: &[Operation], from: usize) -> Option<(usize, &Operation)> {
    // How many values are above the one that is followed.
    let mut above = 0_i64;
    for (place, operation) in operations.iter().enumerate().skip(from.checked_add(1)?) {
        let taken = operands(operation);
        if taken > above {
            if let Operation::ReadElement { .. } = operation {
                return Some((place, operation));
            }
            above = 0;
        } else {
            above += 1 - taken;
        }
    }
    None
}

fn operands(operation: &Operation) -> i64 {
    match operation {
        Operation::Constant(_)
        | Operation::Number(_)
        | Operation::Read(_)
        | Operation::ReadNext(_)
        | Operation::ReadBelow(_)
        | Operation::Choose => 0,
        Operation::Not
        | Operation::ToNumber
        | Operation::ToTruth
        | Operation::FalseIfUndefined
        | Operation::Index { .. }
        | Operation::ReadElement { .. } => 1,
        Operation::IfThenElse => 3,
        _ => 2,
    }
}

/// The name of the array that a cell begins, and the smallest index and length of each of
/// its dimensions.
fn dimensions(
    program: &Program,
    procedure: ProcedureId,
    first: VariableId,
) -> Option<(String, Vec<(i64, u32)>)> {
    let (declarations, cell) = match first {
        VariableId::Global(index) => (&program.declarations, index),
        VariableId::Local(index) => (&program.procedure(procedure).declarations, index),
    };
    let contains = |d: &&Declaration| (d.first..d.first + d.shape.cells()).contains(&cell);
    let declaration = declarations.iter().find(contains)?;
    let text = |name: Name| harmless(program.names.text(name));
    let mut name = text(declaration.name);
    let mut dimensions = Vec::new();
    let mut offset = cell - declaration.first;
    let mut shape = &declaration.shape;
    loop {
        match shape {
            Shape::Scalar => return Some((name, dimensions)),
            Shape::Array {
                low,
                length,
                element,
                ..
            } => {
                dimensions.push((*low, *length));
                shape = element;
            }
            Shape::Struct { fields } => {
                // The cells of one field of all entries stand side by side.
                let field = fields.iter().rev().find(|field| field.offset <= offset)?;
                offset -= field.offset;
                name = format!("{name}.{}", text(field.name));
                shape = &field.shape;
            }
        }
    }
}
