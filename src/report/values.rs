//! Values as they are shown: cells put together to the variables that were declared.
//!
//! Truth values are 0 and 1, numbers themselves, enumerations their names; arrays are
//! lists, structs have fields. In traces of C programs every value is a name of an enumeration, which
//! spells it: a name that is a number means that number, `?` is not known, and what has the empty
//! name is not there.

use crate::names::{Name, Names};
use crate::program::{Cell, Declaration, Domain, Enumeration, Field, Language, Shape};
use crate::rules::Subject;
use serde::Serialize;
use serde::ser::Serializer;
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Range;

/// What is not known, of a value that is spelled.
const UNKNOWN: &str = "?";

/// How names and the values of enumerations are spelled.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub names: &'a Names,
    enumerations: &'a [Enumeration],
    /// Whether names spell values.
    is_spelled: bool,
}

impl fmt::Debug for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").finish_non_exhaustive()
    }
}

impl<'a> Words<'a> {
    pub fn of(subject: Subject<'a>) -> Self {
        match subject {
            Subject::Program(program) => Words {
                names: &program.names,
                enumerations: &program.enumerations,
                is_spelled: program.language == Language::C && !program.enumerations.is_empty(),
            },
            Subject::System(system) => Words {
                names: &system.names,
                enumerations: &[],
                is_spelled: false,
            },
        }
    }
}

/// A row of cells: those of variables, or of what is returned.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    Cells(&'a [Cell]),
    Domains(&'a [Domain]),
}

impl Row<'_> {
    fn domain(self, index: usize) -> Domain {
        match self {
            Row::Cells(cells) => cells[index].domain,
            Row::Domains(domains) => domains[index],
        }
    }
}

/// The value of a variable: a number or a name, or an array or a struct of values. Displayed, an
/// array is a list in brackets and a struct one in braces.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    pub(super) words: Words<'a>,
    pub(super) row: Row<'a>,
    /// Of the whole row.
    pub(super) values: &'a [u64],
    pub(super) shape: &'a Shape,
    /// Where its cells begin.
    pub(super) first: usize,
}

/// One variable among a row of cells.
pub struct Variable<'a> {
    pub name: Name,
    pub shape: &'a Shape,
    pub first: usize,
}

impl Variable<'_> {
    pub fn cells(&self) -> Range<usize> {
        self.first..self.first + self.shape.cells() as usize
    }
}

/// The variables that cells belong to.
pub fn variables<'a>(
    cells: &'a [Cell],
    declarations: &'a [Declaration],
) -> impl Iterator<Item = Variable<'a>> {
    let declared = declarations.iter().map(|declaration| Variable {
        name: declaration.name,
        shape: &declaration.shape,
        first: declaration.first as usize,
    });
    let plain = match declarations {
        [] => cells,
        _ => &[],
    };
    let scalars = plain.iter().enumerate().map(|(first, cell)| Variable {
        name: cell.name,
        shape: &Shape::Scalar,
        first,
    });
    declared.chain(scalars)
}

/// The value of one cell as text.
pub fn scalar(words: Words<'_>, domain: Domain, value: u64) -> Cow<'_, str> {
    match name_of(words, domain, value) {
        Some(name) => name.into(),
        None => value.to_string().into(),
    }
}

fn name_of(words: Words<'_>, domain: Domain, value: u64) -> Option<&str> {
    let Domain::Enumeration { id, .. } = domain else {
        return None;
    };
    let names = &words.enumerations.get(id as usize)?.names;
    Some(words.names.text(*names.get(value as usize)?))
}

impl<'a> Value<'a> {
    fn part(&self, shape: &'a Shape, first: usize) -> Value<'a> {
        Value {
            shape,
            first,
            ..*self
        }
    }

    fn cell(&self) -> Option<u64> {
        match self.shape {
            Shape::Scalar => Some(self.values[self.first]),
            Shape::Array { .. } | Shape::Struct { .. } => None,
        }
    }

    /// The number, if it is one: 0 or 1 for a truth value, its place for a name of an
    /// enumeration of Remopla.
    pub fn number(&self) -> Option<i128> {
        let cell = self.cell()?;
        match self.words.is_spelled {
            true => self.spelling()?.parse().ok(),
            false => Some(cell.into()),
        }
    }

    /// The name, if it is one of an enumeration, or a pointer.
    pub fn name(&self) -> Option<&'a str> {
        let spelled = self.words.is_spelled;
        let is_name = |name: &&str| !spelled || name.parse::<i128>().is_err() && *name != UNKNOWN;
        self.spelling().filter(is_name)
    }

    fn spelling(&self) -> Option<&'a str> {
        name_of(self.words, self.row.domain(self.first), self.cell()?)
    }

    /// Whether nothing of it is there.
    fn is_absent(&self) -> bool {
        let cells = self.first..self.first + self.shape.cells() as usize;
        self.words.is_spelled && self.values[cells].iter().all(|value| *value == 0)
    }

    /// The elements, if it is an array.
    pub fn elements(&self) -> impl Iterator<Item = Value<'a>> {
        let (length, stride, element) = match self.shape {
            Shape::Array {
                length,
                stride,
                element,
                ..
            } => (*length, *stride, &**element),
            shape => (0, 0, shape),
        };
        let (value, first) = (*self, self.first);
        let elements = (0..length).map(move |k| value.part(element, first + (k * stride) as usize));
        elements.filter(|element| !element.is_absent())
    }

    /// The fields with their names, if it is a struct.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let fields: &[Field] = match self.shape {
            Shape::Struct { fields } => fields,
            _ => &[],
        };
        let value = *self;
        let fields = fields.iter().map(move |field| {
            let part = value.part(&field.shape, value.first + field.offset as usize);
            (value.words.names.text(field.name), part)
        });
        fields.filter(|(_, field)| !field.is_absent())
    }
}

/// (Shapes are not deep.)
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            Shape::Scalar => {
                let domain = self.row.domain(self.first);
                f.write_str(&scalar(self.words, domain, self.values[self.first]))
            }
            Shape::Array { .. } => {
                f.write_char('[')?;
                for (i, element) in self.elements().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    element.fmt(f)?;
                }
                f.write_char(']')
            }
            Shape::Struct { .. } => {
                f.write_char('{')?;
                for (i, (name, field)) in self.fields().enumerate() {
                    f.write_str(if i == 0 { "" } else { "," })?;
                    write!(f, "{name}={field}")?;
                }
                f.write_char('}')
            }
        }
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.shape {
            Shape::Scalar => match (self.name(), self.number()) {
                (Some(name), _) => serializer.serialize_str(name),
                (None, Some(number)) => match i64::try_from(number) {
                    Ok(number) => serializer.serialize_i64(number),
                    Err(_) => serializer.serialize_u64(number as u64),
                },
                (None, None) => serializer.serialize_none(),
            },
            Shape::Array { .. } => serializer.collect_seq(self.elements()),
            Shape::Struct { .. } => serializer.collect_map(self.fields()),
        }
    }
}

/// What a procedure returns: the values and their shapes.
pub fn returned<'a>(
    words: Words<'a>,
    domains: &'a [Domain],
    shapes: &'a [Shape],
    values: &'a [u64],
) -> Vec<Value<'a>> {
    let scalars = domains.iter().map(|_| &Shape::Scalar);
    let shapes: Vec<&Shape> = match shapes {
        [] => scalars.collect(),
        _ => shapes.iter().collect(),
    };
    let mut first = 0;
    let part = |shape: &'a Shape| {
        let part = Value {
            words,
            row: Row::Domains(domains),
            values,
            shape,
            first,
        };
        first += shape.cells() as usize;
        part
    };
    shapes.into_iter().map(part).collect()
}

/// Variables and their values, as an object.
#[derive(Clone, Copy)]
pub struct Variables<'a> {
    pub words: Words<'a>,
    pub cells: &'a [Cell],
    pub declarations: &'a [Declaration],
    pub values: &'a [u64],
}

impl<'a> Variables<'a> {
    pub fn iter(self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let all = variables(self.cells, self.declarations).map(move |variable| {
            let value = Value {
                words: self.words,
                row: Row::Cells(self.cells),
                values: self.values,
                shape: variable.shape,
                first: variable.first,
            };
            (self.words.names.text(variable.name), value)
        });
        all.filter(|(_, value)| !value.is_absent())
    }

    /// The names and values of the cells that are asked for; put together where that are all
    /// of a variable.
    pub fn for_each_part(
        self,
        mut is_wanted: impl FnMut(usize) -> bool,
        mut visit: impl FnMut(&str, &str),
    ) {
        let Variables {
            words,
            cells,
            declarations,
            values,
        } = self;
        for variable in variables(cells, declarations) {
            let is_there = |i: &usize| *i < values.len() && !(words.is_spelled && values[*i] == 0);
            let there = variable.cells().filter(is_there).count();
            let wanted: Vec<usize> = variable
                .cells()
                .filter(|i| is_there(i) && is_wanted(*i))
                .collect();
            if !wanted.is_empty() && wanted.len() == there {
                let value = Value {
                    words,
                    row: Row::Cells(cells),
                    values,
                    shape: variable.shape,
                    first: variable.first,
                };
                visit(words.names.text(variable.name), &value.to_string());
                continue;
            }
            for i in wanted {
                let value = scalar(words, cells[i].domain, values[i]);
                visit(words.names.text(cells[i].name), &value);
            }
        }
    }
}

impl Serialize for Variables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
