//! The types of a C program, each kept once, and their layout in memory.
//!
//! A type is an index into a table in which equal types are one entry, so that most comparisons
//! are those of numbers. Structs, unions and enumerations are entries by identity: two with the
//! same members are two types. Sizes, alignments and offsets are those of gcc on x86, by
//! [`DataModel`]. Everything takes time linear in the types' own size; nothing recurses over a
//! type, because a program can nest one as deep as it likes.

use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::DataModel;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A type, an index into [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A struct or union, an index into [`Types::records`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// An enumeration, an index into [`Types::enumerations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumerationId(pub u32);

/// What stands before a type besides itself. It decides what may be written and which pointers
/// fit without a warning; the values are those of the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    /// `const`
    pub constant: bool,
    /// `volatile`
    pub volatile: bool,
    /// `restrict`
    pub restrict: bool,
    /// `_Atomic`
    pub atomic: bool,
}

impl Qualifiers {
    /// Those of either.
    pub fn union(self, other: Self) -> Self {
        Qualifiers {
            constant: self.constant | other.constant,
            volatile: self.volatile | other.volatile,
            restrict: self.restrict | other.restrict,
            atomic: self.atomic | other.atomic,
        }
    }

    /// Whether each of the other is one of these.
    pub fn contain(self, other: Self) -> bool {
        self.union(other) == self
    }
}

/// A type with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Qualified {
    /// The type itself.
    pub id: TypeId,
    /// What stands before it.
    pub qualifiers: Qualifiers,
}

impl From<TypeId> for Qualified {
    fn from(id: TypeId) -> Self {
        Qualified {
            id,
            qualifiers: Qualifiers::default(),
        }
    }
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Integer {
    /// `_Bool`
    Bool,
    /// `char`, which is signed.
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned int`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`: its values are outside.
    Int128,
    /// `unsigned __int128`: its values are outside.
    UnsignedInt128,
}

/// All integers, in the order of their declaration.
const INTEGERS: [Integer; 14] = [
    Integer::Bool,
    Integer::Char,
    Integer::SignedChar,
    Integer::UnsignedChar,
    Integer::Short,
    Integer::UnsignedShort,
    Integer::Int,
    Integer::UnsignedInt,
    Integer::Long,
    Integer::UnsignedLong,
    Integer::LongLong,
    Integer::UnsignedLongLong,
    Integer::Int128,
    Integer::UnsignedInt128,
];

impl Integer {
    /// How it is written.
    pub fn spelling(self) -> &'static str {
        match self {
            Integer::Bool => "_Bool",
            Integer::Char => "char",
            Integer::SignedChar => "signed char",
            Integer::UnsignedChar => "unsigned char",
            Integer::Short => "short",
            Integer::UnsignedShort => "unsigned short",
            Integer::Int => "int",
            Integer::UnsignedInt => "unsigned int",
            Integer::Long => "long",
            Integer::UnsignedLong => "unsigned long",
            Integer::LongLong => "long long",
            Integer::UnsignedLongLong => "unsigned long long",
            Integer::Int128 => "__int128",
            Integer::UnsignedInt128 => "unsigned __int128",
        }
    }

    /// The bits it takes in memory; those of `_Bool` are 8, of which values use one.
    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            Integer::Bool | Integer::Char | Integer::SignedChar | Integer::UnsignedChar => 8,
            Integer::Short | Integer::UnsignedShort => 16,
            Integer::Int | Integer::UnsignedInt => 32,
            Integer::Long | Integer::UnsignedLong => match model {
                DataModel::Ilp32 => 32,
                DataModel::Lp64 => 64,
            },
            Integer::LongLong | Integer::UnsignedLongLong => 64,
            Integer::Int128 | Integer::UnsignedInt128 => 128,
        }
    }

    /// Whether it has negative values.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Integer::Char
                | Integer::SignedChar
                | Integer::Short
                | Integer::Int
                | Integer::Long
                | Integer::LongLong
                | Integer::Int128
        )
    }

    /// The integer of the same rank with the other signedness, or itself.
    pub fn unsigned(self) -> Self {
        match self {
            Integer::Char | Integer::SignedChar => Integer::UnsignedChar,
            Integer::Short => Integer::UnsignedShort,
            Integer::Int => Integer::UnsignedInt,
            Integer::Long => Integer::UnsignedLong,
            Integer::LongLong => Integer::UnsignedLongLong,
            Integer::Int128 => Integer::UnsignedInt128,
            other => other,
        }
    }

    /// The conversion rank: equal for signed and unsigned.
    pub fn rank(self) -> u32 {
        match self {
            Integer::Bool => 0,
            Integer::Char | Integer::SignedChar | Integer::UnsignedChar => 1,
            Integer::Short | Integer::UnsignedShort => 2,
            Integer::Int | Integer::UnsignedInt => 3,
            Integer::Long | Integer::UnsignedLong => 4,
            Integer::LongLong | Integer::UnsignedLongLong => 5,
            Integer::Int128 | Integer::UnsignedInt128 => 6,
        }
    }

    /// The value that a number becomes when it is converted to this type: modulo its width, and
    /// for `_Bool` whether it is not 0.
    pub fn wrap(self, value: i128, model: DataModel) -> i128 {
        match self {
            Integer::Bool => i128::from(value != 0),
            _ => wrap(value, self.bits(model), self.is_signed()),
        }
    }

    /// Whether the number is a value of this type.
    pub fn holds(self, value: i128, model: DataModel) -> bool {
        self.wrap(value, model) == value
    }
}

/// The number modulo 2 to the `bits`, two's complement if `signed`.
pub fn wrap(value: i128, bits: u32, signed: bool) -> i128 {
    if bits >= 128 {
        return value;
    }
    let shift = 128 - bits;
    match signed {
        true => value << shift >> shift,
        false => ((value as u128) << shift >> shift) as i128,
    }
}

/// A floating type: only its size is known, its values are outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Floating {
    /// `float`
    Float,
    /// `double`
    Double,
    /// `long double`
    LongDouble,
    /// `_Float128`
    Float128,
}

/// The length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// So many elements.
    Constant(u64),
    /// As many as this hidden object of type `size_t` says, which is set where the type is met.
    Variable(super::tree::ObjectId),
    /// `[*]`, or a variable size in a prototype: nobody asks.
    Unspecified,
    /// `[]`
    Incomplete,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// An integer.
    Integer(Integer),
    /// An enumeration: its values are those of its integer.
    Enumeration(EnumerationId),
    /// A real floating type.
    Floating(Floating),
    /// A complex type of this kind.
    Complex(Floating),
    /// A pointer to what.
    Pointer(Qualified),
    /// An array of what, and how many.
    Array(Qualified, Length),
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Function(Signature),
    /// What an expression has in which a mistake was reported. A program without errors has none.
    Unknown,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// What it returns.
    pub result: TypeId,
    /// The types of the parameters, arrays and functions as pointers; none if they are not said:
    /// `int f()`.
    pub parameters: Option<Box<[TypeId]>>,
    /// Whether more arguments may follow.
    pub variadic: bool,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name after `struct`.
    pub tag: Option<Name>,
    /// Where it is declared first.
    pub span: Span,
    /// Whether it is a union.
    pub is_union: bool,
    /// Which file it is declared in: those of two files with equal members are compatible.
    pub unit: u32,
    /// Its members and size; none while it is incomplete.
    pub layout: Option<Layout>,
}

/// The members of a struct or union, and what it takes in memory.
#[derive(Clone, Debug)]
pub struct Layout {
    /// In the order of the source. A bit-field without a name is not among them; a struct or
    /// union without a name is.
    pub fields: Box<[Field]>,
    /// In bytes.
    pub size: u64,
    /// In bytes.
    pub alignment: u64,
}

/// A member of a struct or union.
#[derive(Clone, Debug)]
pub struct Field {
    /// None: its own members are seen as members of the whole.
    pub name: Option<Name>,
    /// Where its name stands, or its type.
    pub span: Span,
    /// Its type; of a bit-field, the declared one.
    pub qualified: Qualified,
    /// Where it begins, in bytes; of a bit-field, the byte of its first bit.
    pub offset: u64,
    /// If it is a bit-field.
    pub bits: Option<Bits>,
}

/// The place of a bit-field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Its lowest bit, counted from the beginning of the record.
    pub start: u64,
    /// How many it has.
    pub width: u32,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The name after `enum`.
    pub tag: Option<Name>,
    /// Where it is declared first.
    pub span: Span,
    /// Its constants with their values, in the order of the source; none while it is incomplete.
    pub constants: Option<Box<[(Name, i128)]>>,
    /// Whose values it has.
    pub integer: Integer,
}

/// The types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// How wide integers are.
    pub model: DataModel,
    /// The structs and unions.
    pub records: Vec<Record>,
    /// The enumerations.
    pub enumerations: Vec<Enumeration>,
    all: IndexSet<Type, FxBuildHasher>,
    /// The sizes of arrays, so that none is computed by going through all its dimensions.
    array_sizes: Vec<Option<u64>>,
}

impl Types {
    /// `void`
    pub const VOID: TypeId = TypeId(0);
    /// What an expression has in which a mistake was reported.
    pub const UNKNOWN: TypeId = TypeId(1);

    /// The types that need no declaration.
    pub fn new(model: DataModel) -> Self {
        let mut types = Types {
            model,
            records: Vec::new(),
            enumerations: Vec::new(),
            all: IndexSet::default(),
            array_sizes: Vec::new(),
        };
        // In the order that `VOID`, `UNKNOWN` and `of` rely on.
        types.intern(Type::Void);
        types.intern(Type::Unknown);
        for integer in INTEGERS {
            types.intern(Type::Integer(integer));
        }
        types
    }

    /// The type of an integer.
    pub fn of(&self, integer: Integer) -> TypeId {
        TypeId(2 + integer as u32)
    }

    /// A pointer to what.
    pub fn pointer_to(&mut self, target: impl Into<Qualified>) -> TypeId {
        self.intern(Type::Pointer(target.into()))
    }

    /// The type, which is new or known.
    pub fn intern(&mut self, kind: Type) -> TypeId {
        let index = match self.all.get_index_of(&kind) {
            Some(index) => index,
            None => {
                self.array_sizes.push(match &kind {
                    // The elements are complete, and stay as they are.
                    Type::Array(element, Length::Constant(length)) => {
                        let size = self.size(element.id);
                        size.and_then(|size| size.checked_mul(*length))
                    }
                    _ => None,
                });
                self.all.insert_full(kind).0
            }
        };
        TypeId(index as u32)
    }

    /// What it is.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id.0 as usize]
    }

    /// The first constant of an enumeration that has a value.
    pub fn constant(&self, id: TypeId, value: i128) -> Option<Name> {
        let Type::Enumeration(id) = self.get(id) else {
            return None;
        };
        let constants = &self.enumerations[id.0 as usize].constants;
        let mut constants = constants.iter().flatten();
        let found = constants.find(|(_, known)| *known == value);
        found.map(|(name, _)| *name)
    }

    /// The integer whose values it has, if it is an integer or an enumeration.
    pub fn integer(&self, id: TypeId) -> Option<Integer> {
        match self.get(id) {
            Type::Integer(integer) => Some(*integer),
            Type::Enumeration(id) => Some(self.enumerations[id.0 as usize].integer),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn target(&self, id: TypeId) -> Option<Qualified> {
        match self.get(id) {
            Type::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    /// The struct or union.
    pub fn record(&self, id: TypeId) -> Option<&Record> {
        match self.get(id) {
            Type::Record(id) => Some(&self.records[id.0 as usize]),
            _ => None,
        }
    }

    /// The type of a function.
    pub fn signature(&self, id: TypeId) -> Option<&Signature> {
        match self.get(id) {
            Type::Function(signature) => Some(signature),
            _ => None,
        }
    }

    /// The integer type as wide as a pointer, unsigned: `size_t`.
    pub fn size_integer(&self) -> Integer {
        match self.model {
            DataModel::Ilp32 => Integer::UnsignedInt,
            DataModel::Lp64 => Integer::UnsignedLong,
        }
    }

    /// The type of the difference of pointers: `ptrdiff_t`.
    pub fn difference_integer(&self) -> Integer {
        match self.model {
            DataModel::Ilp32 => Integer::Int,
            DataModel::Lp64 => Integer::Long,
        }
    }

    /// The bytes of a pointer.
    pub fn pointer_size(&self) -> u64 {
        match self.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// What `sizeof` gives: none if the type is incomplete, of variable size, or too large. Of
    /// `void` and of functions it is 1, as gcc has it.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        Some(match self.get(id) {
            Type::Array(..) => self.array_sizes[id.0 as usize]?,
            Type::Unknown => return None,
            Type::Void | Type::Function(_) => 1,
            Type::Integer(integer) => u64::from(integer.bits(self.model) / 8),
            Type::Enumeration(id) => {
                let enumeration = &self.enumerations[id.0 as usize];
                enumeration.constants.as_ref()?;
                u64::from(enumeration.integer.bits(self.model) / 8)
            }
            Type::Floating(floating) => self.floating_size(*floating),
            Type::Complex(floating) => 2 * self.floating_size(*floating),
            Type::Pointer(_) => self.pointer_size(),
            Type::Record(id) => self.records[id.0 as usize].layout.as_ref()?.size,
        })
    }

    fn floating_size(&self, floating: Floating) -> u64 {
        match (floating, self.model) {
            (Floating::Float, _) => 4,
            (Floating::Double, _) => 8,
            (Floating::LongDouble, DataModel::Ilp32) => 12,
            (Floating::LongDouble, DataModel::Lp64) | (Floating::Float128, _) => 16,
        }
    }

    /// What `_Alignof` gives: none if the type is incomplete.
    pub fn alignment(&self, mut id: TypeId) -> Option<u64> {
        while let Type::Array(element, _) = self.get(id) {
            id = element.id;
        }
        let alignment = match self.get(id) {
            Type::Record(id) => {
                return Some(self.records[id.0 as usize].layout.as_ref()?.alignment);
            }
            Type::Complex(floating) => self.floating_size(*floating),
            Type::Floating(Floating::LongDouble) => self.pointer_size() * 2,
            _ => self.size(id)?,
        };
        // Nothing but what needs vector registers is aligned to more than 4 on i386.
        Some(match (self.model, self.get(id)) {
            (DataModel::Lp64, _) | (_, Type::Floating(Floating::Float128)) => alignment,
            (DataModel::Ilp32, _) => alignment.min(4),
        })
    }

    /// Whether it has values that are numbers or addresses.
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || matches!(self.get(id), Type::Pointer(_))
    }

    /// Whether its values are numbers.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        matches!(
            self.get(id),
            Type::Integer(_) | Type::Enumeration(_) | Type::Floating(_) | Type::Complex(_)
        )
    }

    /// Whether its size is not known yet, and objects of it cannot be made.
    pub fn is_incomplete(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Void | Type::Array(_, Length::Incomplete) => true,
            Type::Record(id) => self.records[id.0 as usize].layout.is_none(),
            Type::Enumeration(id) => self.enumerations[id.0 as usize].constants.is_none(),
            _ => false,
        }
    }

    /// What an array of variable size is a row of, however many dimensions it has: the first type in
    /// it that has a constant size. Every other type is a row of itself.
    pub fn row_element(&self, mut id: TypeId) -> TypeId {
        while let Type::Array(element, _) = self.get(id)
            && self.has_variable_size(id)
        {
            id = element.id;
        }
        id
    }

    /// Whether its objects are bytes.
    pub fn is_byte(&self, id: TypeId) -> bool {
        let is_plain = *self.get(id) == Type::Void || self.integer(id).is_some();
        is_plain && self.size(id) == Some(1)
    }

    /// Whether its size is computed when the program runs.
    pub fn has_variable_size(&self, mut id: TypeId) -> bool {
        while let Type::Array(element, length) = self.get(id) {
            if matches!(length, Length::Variable(_) | Length::Unspecified) {
                return true;
            }
            id = element.id;
        }
        false
    }
}
