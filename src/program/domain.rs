//! What variables may hold, and how composite ones are made of cells.
//!
//! A *cell* is one scalar: a truth value, a natural number of some bits, or one of the names
//! of an enumeration. Arrays and structs are rows of cells, so that everything later, from
//! liveness to BDDs, deals with cells only; a [`Shape`] says how they are shown.

use crate::names::Name;

/// The values of a cell: always the natural numbers from 0 up, as many as there are. Truth
/// values are 0 and 1, the names of an enumeration count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Truth values.
    Boolean,
    /// From 1 to 64 bits.
    Integer {
        /// How many bits a number has.
        bits: u8,
    },
    /// An index into [`super::Program::enumerations`], and how many names there are.
    Enumeration {
        /// The enumeration.
        id: u32,
        /// How many names it has.
        size: u32,
    },
}

impl Domain {
    /// How many values there are.
    pub fn size(self) -> u128 {
        match self {
            Domain::Boolean => 2,
            Domain::Integer { bits } => 1 << bits,
            Domain::Enumeration { size, .. } => u128::from(size),
        }
    }

    /// How many bits a value takes.
    pub fn bits(self) -> u32 {
        u128::BITS - (self.size() - 1).leading_zeros()
    }

    /// Whether every pattern of bits is a value.
    pub fn is_full(self) -> bool {
        self.size().is_power_of_two()
    }

    /// Whether a number is one of the values.
    pub fn contains(self, number: i128) -> bool {
        u128::try_from(number).is_ok_and(|number| number < self.size())
    }
}

/// A scalar variable, or one scalar part of an array or a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// As it is shown: `x`, `a[3]`, `s.f`.
    pub name: Name,
    /// The values it can have.
    pub domain: Domain,
    /// What C means by them, if it is a number of C.
    pub number: Option<Number>,
}

impl Cell {
    /// A cell whose values mean what they are.
    pub fn new(name: Name, domain: Domain) -> Self {
        Cell {
            name,
            domain,
            number: None,
        }
    }

    /// A cell for a truth value.
    pub fn boolean(name: Name) -> Self {
        Cell::new(name, Domain::Boolean)
    }
}

/// A number of C: its type, and how a cell holds it, which may have fewer bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The bits of its type.
    pub bits: u8,
    /// Whether the type has negative numbers.
    pub signed: bool,
    /// Whether the uppermost bit of the cell is a sign, which whoever reads the cell extends. If not, it
    /// holds a natural number.
    pub extended: bool,
}

/// A variable as it was declared: where its cells begin, and how they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub name: Name,
    pub shape: Shape,
    /// The first of its cells.
    pub first: u32,
}

/// How the cells of a variable are shown. The cells of one field of all structs in an array
/// stand side by side, so that those an index may lead to are of one domain: where a part
/// begins, `stride` and `offset` tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Scalar,
    Array {
        /// The smallest index.
        low: i64,
        length: u32,
        /// How many cells lie between the beginnings of one entry and of the next.
        stride: u32,
        element: Box<Shape>,
    },
    Struct {
        fields: Vec<Field>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: Name,
    /// How many cells after the beginning of the struct it begins.
    pub offset: u32,
    pub shape: Shape,
}

impl Shape {
    /// How many cells there are. Shapes are at most five deep: rows, columns, fields, and
    /// the rows and columns of an array in a field.
    pub fn cells(&self) -> u32 {
        match self {
            Shape::Scalar => 1,
            Shape::Array {
                length, element, ..
            } => length * element.cells(),
            Shape::Struct { fields } => fields.iter().map(|field| field.shape.cells()).sum(),
        }
    }
}

/// An enumeration and its names, in the order of their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: Option<Name>,
    pub names: Vec<Name>,
}

/// What happens to a number that does not fit the cell it is assigned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The program fails.
    #[default]
    Error,
    /// The number is taken modulo the size of the domain.
    Wrap,
    /// The execution is cut off; so it is where an expression has no value.
    Block,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_bits() {
        let integer = |bits| Domain::Integer { bits };
        let names = |size| Domain::Enumeration { id: 0, size };
        assert_eq!(Domain::Boolean.bits(), 1);
        assert_eq!(integer(64).bits(), 64);
        assert_eq!(names(1).bits(), 0);
        assert_eq!((names(4).bits(), names(5).bits()), (2, 3));
        assert!(integer(64).contains(i128::from(u64::MAX)));
        assert!(!integer(64).contains(1 << 64) && !integer(3).contains(-1));
    }
}
