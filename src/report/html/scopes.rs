//! The variables of a scope, as the page knows them: names, and how cells make up their values.
//!
//! A shape is 0 (a number), `["enumeration", ID]`, `["array", LOW, LENGTH, STRIDE, SHAPE]` or
//! `["struct", [[NAME, OFFSET, SHAPE], …]]`.

use crate::program::{Cell, Domain, Shape};
use crate::report::values::{Variables, variables};
use serde_json::{Value, json};

/// Its name, how many cells there are, and the variables: name, first cell, shape.
pub type ScopeRow = (String, usize, Vec<(String, usize, Value)>);

/// `enumerations` is the number of the first one.
pub fn scope(
    name: &str,
    Variables {
        words,
        cells,
        declarations,
        ..
    }: Variables<'_>,
    enumerations: usize,
) -> ScopeRow {
    let declared = variables(cells, declarations).map(|variable| {
        let shape = shape(
            variable.shape,
            variable.first,
            (cells, enumerations),
            &|name| words.names.text(name),
        );
        (
            words.names.text(variable.name).to_owned(),
            variable.first,
            shape,
        )
    });
    (name.to_owned(), cells.len(), declared.collect())
}

/// The shape of what begins at a cell. (Shapes are not deep.)
fn shape<'n>(
    of: &Shape,
    first: usize,
    (cells, enumerations): (&[Cell], usize),
    text: &impl Fn(crate::names::Name) -> &'n str,
) -> Value {
    match of {
        Shape::Scalar => match cells.get(first).map(|cell| cell.domain) {
            Some(Domain::Enumeration { id, .. }) => {
                json!(["enumeration", enumerations + id as usize])
            }
            _ => json!(0),
        },
        Shape::Array {
            low,
            length,
            stride,
            element,
        } => {
            json!([
                "array",
                low,
                length,
                stride,
                shape(element, first, (cells, enumerations), text)
            ])
        }
        Shape::Struct { fields } => {
            let fields = fields.iter().map(|field| {
                let first = first + field.offset as usize;
                json!([
                    text(field.name),
                    field.offset,
                    shape(&field.shape, first, (cells, enumerations), text)
                ])
            });
            json!(["struct", fields.collect::<Vec<_>>()])
        }
    }
}
