//! How arrays and structs are laid out as cells.
//!
//! Arrays row by row; structs field by field. In an array of structs the cells of one field of
//! all entries stand side by side, so that the cells which an index may lead to are of one
//! domain.

use crate::names::{Name, Names};
use crate::program::{Cell, Declaration, Domain, Field, Shape};

/// The bounds of one dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub low: i64,
    pub length: u32,
}

/// A field of a struct: its name, domain and dimensions.
#[derive(Clone, Debug)]
pub struct FieldType {
    pub name: Name,
    pub domain: Domain,
    pub dimensions: Vec<Dimension>,
}

/// The cells of a value: how they are shown, and the domain of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub shape: Shape,
    pub domains: Vec<Domain>,
}

/// How many entries there are; the caller has made sure that they are not too many.
fn entries(dimensions: &[Dimension]) -> u32 {
    dimensions.iter().map(|d| d.length).product()
}

/// An array of entries with this shape, `unit` cells apart.
fn array(dimensions: &[Dimension], element: Shape, unit: u32) -> Shape {
    let mut stride = unit;
    let mut shape = element;
    for dimension in dimensions.iter().rev() {
        shape = Shape::Array {
            low: dimension.low,
            length: dimension.length,
            stride,
            element: Box::new(shape),
        };
        stride *= dimension.length;
    }
    shape
}

impl Layout {
    pub fn of_scalars(domain: Domain, dimensions: &[Dimension]) -> Self {
        Layout {
            shape: array(dimensions, Shape::Scalar, 1),
            domains: vec![domain; entries(dimensions) as usize],
        }
    }

    /// Of something whose type has a mistake in it.
    pub fn stand_in() -> Self {
        Layout::of_scalars(Domain::Boolean, &[])
    }

    pub fn of_structs(fields: &[FieldType], dimensions: &[Dimension]) -> Self {
        let count = entries(dimensions);
        let mut domains = Vec::new();
        let mut laid_out = Vec::new();
        for field in fields {
            let offset = domains.len() as u32;
            let cells = entries(&field.dimensions) * count;
            domains.extend(std::iter::repeat_n(field.domain, cells as usize));
            laid_out.push(Field {
                name: field.name,
                offset,
                shape: array(&field.dimensions, Shape::Scalar, count),
            });
        }
        Layout {
            shape: array(dimensions, Shape::Struct { fields: laid_out }, 1),
            domains,
        }
    }
}

/// Where the scalars of a shape lie, in the order in which they are shown.
pub fn leaves(shape: &Shape) -> Vec<u32> {
    let mut found = Vec::new();
    collect_leaves(shape, 0, &mut found);
    found
}

// Shapes are at most five deep, so these may call themselves.
fn collect_leaves(shape: &Shape, base: u32, found: &mut Vec<u32>) {
    match shape {
        Shape::Scalar => found.push(base),
        Shape::Array {
            length,
            stride,
            element,
            ..
        } => (0..*length).for_each(|k| collect_leaves(element, base + k * stride, found)),
        Shape::Struct { fields } => fields
            .iter()
            .for_each(|field| collect_leaves(&field.shape, base + field.offset, found)),
    }
}

/// Whether values of one shape can be assigned to the other: the same indices, the same
/// fields.
pub fn conform(a: &Shape, b: &Shape) -> bool {
    match (a, b) {
        (Shape::Scalar, Shape::Scalar) => true,
        (
            Shape::Array {
                low,
                length,
                element,
                ..
            },
            Shape::Array {
                low: other_low,
                length: other_length,
                element: other,
                ..
            },
        ) => low == other_low && length == other_length && conform(element, other),
        (Shape::Struct { fields }, Shape::Struct { fields: others }) => {
            fields.len() == others.len()
                && fields
                    .iter()
                    .zip(others)
                    .all(|(a, b)| a.name == b.name && conform(&a.shape, &b.shape))
        }
        _ => false,
    }
}

/// The shape in words, for messages; `domain` is that of its first cell.
pub fn describe(shape: &Shape, domain: Domain) -> String {
    let mut text = String::new();
    let mut shape = shape;
    let mut dimensions = Vec::new();
    while let Shape::Array {
        low,
        length,
        element,
        ..
    } = shape
    {
        dimensions.push(format!("[{low},{}]", low + i64::from(*length) - 1));
        shape = element;
    }
    if !dimensions.is_empty() {
        text = format!("an array {} of ", dimensions.concat());
    }
    let one = dimensions.is_empty();
    text + match (shape, domain) {
        (Shape::Struct { .. }, _) if one => "a struct",
        (Shape::Struct { .. }, _) => "structs",
        (_, Domain::Boolean) if one => "a truth value",
        (_, Domain::Boolean) => "truth values",
        _ if one => "a number",
        _ => "numbers",
    }
}

/// A variable of a program or a module.
#[derive(Clone, Debug)]
pub struct VariableLayout {
    pub name: Name,
    pub layout: Layout,
    /// The first of its cells, among those of the program or the module.
    pub first: u32,
    /// Its type has a mistake in it, so that its layout means nothing.
    pub broken: bool,
}

/// The cells of these variables, and the variables as declared.
pub fn cells(names: &mut Names, variables: &[VariableLayout]) -> (Vec<Cell>, Vec<Declaration>) {
    let mut all = Vec::new();
    let mut declarations = Vec::new();
    for variable in variables {
        let Layout { shape, domains } = &variable.layout;
        let mut texts = vec![String::new(); domains.len()];
        name_cells(names, shape, 0, &mut String::new(), &mut texts);
        let text = names.text(variable.name).to_owned();
        for (suffix, domain) in texts.into_iter().zip(domains) {
            let name = names.intern(&(text.clone() + &suffix));
            let domain = *domain;
            all.push(Cell::new(name, domain));
        }
        declarations.push(Declaration {
            name: variable.name,
            shape: shape.clone(),
            first: variable.first,
        });
    }
    (all, declarations)
}

fn name_cells(names: &Names, shape: &Shape, base: u32, path: &mut String, texts: &mut [String]) {
    let length_before = path.len();
    match shape {
        Shape::Scalar => texts[base as usize] = path.clone(),
        Shape::Array {
            low,
            length,
            stride,
            element,
        } => {
            for k in 0..*length {
                path.push_str(&format!("[{}]", low + i64::from(k)));
                name_cells(names, element, base + k * stride, path, texts);
                path.truncate(length_before);
            }
        }
        Shape::Struct { fields } => {
            for field in fields {
                path.push('.');
                path.push_str(names.text(field.name));
                name_cells(names, &field.shape, base + field.offset, path, texts);
                path.truncate(length_before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(low: i64, length: u32) -> Dimension {
        Dimension { low, length }
    }

    #[test]
    fn the_cells_of_a_field_stand_side_by_side() {
        let mut names = Names::default();
        let integer = Domain::Integer { bits: 3 };
        let fields = [
            FieldType {
                name: names.intern("x"),
                domain: integer,
                dimensions: Vec::new(),
            },
            FieldType {
                name: names.intern("y"),
                domain: Domain::Boolean,
                dimensions: vec![dimension(1, 2)],
            },
        ];
        let layout = Layout::of_structs(&fields, &[dimension(0, 3)]);
        let laid = VariableLayout {
            name: names.intern("s"),
            layout,
            first: 0,
            broken: false,
        };
        let order = leaves(&laid.layout.shape);
        let (cells, declarations) = cells(&mut names, &[laid]);
        let texts: Vec<_> = cells.iter().map(|cell| names.text(cell.name)).collect();
        assert_eq!(
            texts,
            [
                "s[0].x",
                "s[1].x",
                "s[2].x",
                "s[0].y[1]",
                "s[1].y[1]",
                "s[2].y[1]",
                "s[0].y[2]",
                "s[1].y[2]",
                "s[2].y[2]"
            ]
        );
        assert_eq!(declarations[0].shape.cells(), 9);
        let shown: Vec<_> = order.iter().map(|leaf| texts[*leaf as usize]).collect();
        assert_eq!(shown[..4], ["s[0].x", "s[0].y[1]", "s[0].y[2]", "s[1].x"]);
        assert!(cells[3..].iter().all(|cell| cell.domain == Domain::Boolean));
    }

    #[test]
    fn arrays_row_by_row() {
        let layout = Layout::of_scalars(Domain::Boolean, &[dimension(0, 2), dimension(1, 3)]);
        assert_eq!(leaves(&layout.shape), [0, 1, 2, 3, 4, 5]);
        let other = Layout::of_scalars(Domain::Boolean, &[dimension(1, 2), dimension(1, 3)]);
        assert!(conform(&layout.shape, &layout.shape) && !conform(&layout.shape, &other.shape));
        assert_eq!(
            describe(&layout.shape, Domain::Boolean),
            "an array [0,1][1,3] of truth values"
        );
    }
}
