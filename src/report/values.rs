//! Values as they are shown: cells put together to the variables that were declared.
//!
//! Truth values are 0 and 1, numbers themselves, enumerations their names; arrays are
//! lists, structs have fields.

use crate::names::{Name, Names};
use crate::program::{Cell, Declaration, Domain, Enumeration, Field, Shape};
use crate::rules::Subject;
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use std::borrow::Cow;
use std::ops::Range;

/// How names and the values of enumerations are spelled.
#[derive(Clone, Copy)]
pub struct Words<'a> {
    pub names: &'a Names,
    enumerations: &'a [Enumeration],
}

impl<'a> Words<'a> {
    pub fn of(subject: Subject<'a>) -> Self {
        match subject {
            Subject::Program(program) => Words {
                names: &program.names,
                enumerations: &program.enumerations,
            },
            Subject::System(system) => Words {
                names: &system.names,
                enumerations: &[],
            },
        }
    }
}

/// A row of cells: those of variables, or of what is returned.
#[derive(Clone, Copy)]
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

/// The value of a variable.
#[derive(Clone, Copy)]
pub struct Valued<'a> {
    pub words: Words<'a>,
    pub row: Row<'a>,
    /// Of the whole row.
    pub values: &'a [u64],
    pub shape: &'a Shape,
    /// Where its cells begin.
    pub first: usize,
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

impl Valued<'_> {
    fn part<'a>(&'a self, shape: &'a Shape, first: usize) -> Valued<'a> {
        Valued {
            shape,
            first,
            ..*self
        }
    }

    /// The elements of an array, so many cells apart.
    fn elements<'a>(
        &'a self,
        length: u32,
        stride: u32,
        element: &'a Shape,
    ) -> impl Iterator<Item = Valued<'a>> {
        let begins = (0..length).map(move |k| self.first + (k * stride) as usize);
        begins.map(|first| self.part(element, first))
    }

    /// The fields of a struct.
    fn fields<'a>(&'a self, fields: &'a [Field]) -> impl Iterator<Item = (&'a str, Valued<'a>)> {
        fields.iter().map(|field| {
            let part = self.part(&field.shape, self.first + field.offset as usize);
            (self.words.names.text(field.name), part)
        })
    }

    /// As text, which is added. (Shapes are not deep.)
    pub fn write(&self, out: &mut String) {
        match self.shape {
            Shape::Scalar => {
                let domain = self.row.domain(self.first);
                out.push_str(&scalar(self.words, domain, self.values[self.first]));
            }
            Shape::Array {
                length,
                stride,
                element,
                ..
            } => {
                out.push('[');
                for (i, element) in self.elements(*length, *stride, element).enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    element.write(out);
                }
                out.push(']');
            }
            Shape::Struct { fields } => {
                out.push('{');
                for (i, (name, field)) in self.fields(fields).enumerate() {
                    out.push_str(if i == 0 { "" } else { "," });
                    out.push_str(name);
                    out.push('=');
                    field.write(out);
                }
                out.push('}');
            }
        }
    }
}

impl Serialize for Valued<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.shape {
            Shape::Scalar => {
                let value = self.values[self.first];
                match name_of(self.words, self.row.domain(self.first), value) {
                    Some(name) => serializer.serialize_str(name),
                    None => serializer.serialize_u64(value),
                }
            }
            Shape::Array {
                length,
                stride,
                element,
                ..
            } => {
                let mut list = serializer.serialize_seq(Some(*length as usize))?;
                for element in self.elements(*length, *stride, element) {
                    list.serialize_element(&element)?;
                }
                list.end()
            }
            Shape::Struct { fields } => {
                let mut object = serializer.serialize_map(Some(fields.len()))?;
                for (name, field) in self.fields(fields) {
                    object.serialize_entry(name, &field)?;
                }
                object.end()
            }
        }
    }
}

/// What a procedure returns: the values and their shapes.
pub fn returned<'a>(
    words: Words<'a>,
    domains: &'a [Domain],
    shapes: &'a [Shape],
    values: &'a [u64],
) -> Vec<Valued<'a>> {
    let scalars = domains.iter().map(|_| &Shape::Scalar);
    let shapes: Vec<&Shape> = match shapes {
        [] => scalars.collect(),
        _ => shapes.iter().collect(),
    };
    let mut first = 0;
    let part = |shape: &'a Shape| {
        let part = Valued {
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

impl Serialize for Variables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = variables(self.cells, self.declarations).map(|variable| {
            let value = Valued {
                words: self.words,
                row: Row::Cells(self.cells),
                values: self.values,
                shape: variable.shape,
                first: variable.first,
            };
            (self.words.names.text(variable.name), value)
        });
        serializer.collect_map(entries)
    }
}
