//! Why a program went to *error*, in words.

use super::harmless::{harmless, one_line, shortened};
use crate::interpreter::values::{Cause, Missing};
use crate::names::Name;
use crate::program::{
    Declaration, Domain, Expression, Field, Operation, ProcedureId, Program, Shape, VariableId,
};
use crate::trace::failure::{Failure, Place, Reason};

const LONGEST_TEXT: usize = 60;

/// One line, without a full stop.
pub fn explain(program: &Program, failure: &Failure) -> String {
    let procedure = failure.procedure;
    match &failure.reason {
        Reason::Assertion | Reason::Stated(_) => failure.to_string(),
        Reason::NoValue {
            expression,
            target,
            missing,
        } => {
            let text = match text_of(program, *expression) {
                Some(text) => format!(" in `{text}`"),
                None => String::new(),
            };
            let dimension = dimension_of(program, procedure, *expression, *target, missing);
            match (missing.cause, dimension) {
                (Cause::Outside { index, count }, Some(Dimension { array, low, .. })) => {
                    let low = i128::from(low);
                    let (index, high) = (index + low, low + i128::from(count) - 1);
                    format!("index {index} is outside {array}[{low}..{high}]{text}")
                }
                (cause, _) => format!("{cause}{text}"),
            }
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
    Some(shortened(&one_line(&text), LONGEST_TEXT))
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

/// A dimension of an array.
struct Dimension {
    /// The array as the program speaks of it.
    array: String,
    /// The smallest index.
    low: i64,
    length: u32,
    /// How many cells apart its entries are.
    stride: u32,
}

/// The dimension that an index is used for.
fn dimension_of(
    program: &Program,
    procedure: ProcedureId,
    expression: Expression,
    target: Option<(VariableId, u32)>,
    missing: &Missing,
) -> Option<Dimension> {
    let Cause::Outside { count, .. } = missing.cause else {
        return None;
    };
    let operations = program.expressions.operations(expression);
    let at = missing.at as usize;
    let first = match operations.get(at) {
        Some(Operation::ReadElement { first, .. }) => *first,
        Some(_) => consumer(operations, at).or(target.map(|(first, _)| first))?,
        None => target?.0,
    };
    // An index into rows is multiplied by how far apart they are.
    let stride = match operations.get(at..).unwrap_or_default() {
        [
            Operation::Index { .. },
            Operation::Number(stride),
            Operation::Multiply,
            ..,
        ] => *stride,
        _ => 1,
    };
    let mut dimensions = dimensions(program, procedure, first)?.into_iter();
    dimensions.find(|d| d.length == count && u64::from(d.stride) == stride)
}

/// The first cell of the array that is read with the value of an operation, perhaps after
/// some calculation.
fn consumer(operations: &[Operation], from: usize) -> Option<VariableId> {
    // How many values are above the one that is followed.
    let mut above = 0;
    for operation in operations.get(from + 1..)? {
        let taken = operation.operands();
        if taken > above {
            if let Operation::ReadElement { first, .. } = operation {
                return Some(*first);
            }
            above = 0;
        } else {
            above = above + 1 - taken;
        }
    }
    None
}

/// The dimensions of the array that a cell belongs to.
fn dimensions(
    program: &Program,
    procedure: ProcedureId,
    first: VariableId,
) -> Option<Vec<Dimension>> {
    let (declarations, cell) = match first {
        VariableId::Global(index) => (&program.declarations, index),
        VariableId::Local(index) => (&program.procedure(procedure).declarations, index),
    };
    let contains = |d: &&Declaration| (d.first..d.first + d.shape.cells()).contains(&cell);
    let declaration = declarations.iter().find(contains)?;
    let text = |name: Name| harmless(program.names.text(name));
    let mut array = text(declaration.name);
    let mut dimensions = Vec::new();
    let mut shape = &declaration.shape;
    // How many structs there are, if it is an array of such.
    let mut entries = 1;
    loop {
        match shape {
            Shape::Scalar => return Some(dimensions),
            Shape::Array {
                low,
                length,
                stride,
                element,
            } => {
                dimensions.push(Dimension {
                    array: array.clone(),
                    low: *low,
                    length: *length,
                    stride: *stride,
                });
                entries *= length;
                shape = element;
            }
            Shape::Struct { fields } => {
                let offset = cell - declaration.first;
                let is_in = |field: &&Field| {
                    let cells = field.shape.cells() * entries;
                    (field.offset..field.offset + cells).contains(&offset)
                };
                let field = fields.iter().find(is_in)?;
                array = format!("{array}.{}", text(field.name));
                shape = &field.shape;
            }
        }
    }
}
