//! A C program with every name resolved, every type known and every conversion written out.
//!
//! The tree is a few arrays; what is inside something else is named by its index, so that a
//! program nested a hundred thousand deep is walked and dropped without recursion. Several
//! files are one program: what they share by linkage is one object or function here.
//!
//! Who reads it needs no rule of C's types: an operator works on operands of the type that it
//! computes in, and where the types of two nodes differ, a [`ExpressionKind::Convert`] stands
//! between them. What is *outside* is a node of its own, and no execution gets past it.
//!
//! Operands are evaluated from left to right, as they are listed in each variant.

pub use super::outside::Outside;
pub use super::types::{
    Bits, Enumeration, EnumerationId, Field, Floating, Integer, Layout, Length, Qualified,
    Qualifiers, Record, RecordId, Signature, Type, TypeId, Types,
};
pub use crate::syntax::c::DataModel;
pub use crate::syntax::kit::tree::List;

use crate::names::{Name, Names};
use crate::source::Span;

/// An index into [`Program::expressions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpressionId(pub u32);

/// An index into [`Program::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub u32);

/// An index into [`Program::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatementId(pub u32);

/// An index into [`Program::objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// An index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// An index into [`Program::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// A typed program.
#[derive(Debug)]
pub struct Program {
    /// The texts of its names.
    pub names: Names,
    /// Its types.
    pub types: Types,
    /// Variables, parameters, string and compound literals of all functions, and hidden ones.
    pub objects: Vec<Object>,
    /// The functions that are declared or called, with or without body.
    pub functions: Vec<Function>,
    /// What is computed.
    pub expressions: Vec<Expression>,
    /// What is read, written and pointed to.
    pub places: Vec<Place>,
    /// The bodies of functions.
    pub statements: Vec<Statement>,
    /// What `goto` and `switch` lead to.
    pub labels: Vec<Label>,
    /// Arguments; a [`List`] of expressions is a range of these.
    pub arguments: Vec<ExpressionId>,
    /// The statements of blocks; a [`List`] of statements is a range of these.
    pub blocks: Vec<StatementId>,
    /// What initialisers write, one range each.
    pub writes: Vec<Write>,
    /// The cases of `switch` statements, one range each.
    pub cases: Vec<Case>,
}

/// A region of storage.
#[derive(Debug)]
pub struct Object {
    /// None if it is a literal or hidden.
    pub name: Option<Name>,
    /// Where its name stands in the declaration that defines it, or in the first one; of a
    /// literal, the literal.
    pub span: Span,
    /// Its type. It is complete unless it is an `extern` one that nobody defines.
    pub qualified: Qualified,
    /// How long it lives.
    pub storage: Storage,
    /// What it is in the source.
    pub origin: Origin,
    /// The function it is declared in, if it is in one.
    pub function: Option<FunctionId>,
    /// What it holds when the program begins; of automatic storage: nothing, because its
    /// [`StatementKind::Declaration`] or [`PlaceKind::Compound`] says what is written.
    pub initial: Initial,
    /// Whether `&` is applied to it or to a part of it, or an array in it decays other than to
    /// be indexed at once.
    pub address_taken: bool,
}

/// How long an object lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As long as the program. `defined` is false for `extern` ones that no file defines.
    Static {
        /// Whether some file defines it.
        defined: bool,
    },
    /// From where its block is entered to where that is left; its value is arbitrary each time
    /// the block is entered or its declaration passed.
    Automatic,
    /// As long as the call; it begins with the argument's value.
    Parameter,
}

/// What an object is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A variable or parameter, or `__func__`.
    Variable,
    /// A string literal.
    Text,
    /// A compound literal.
    Compound,
    /// The length of an array of variable size.
    Length,
    /// The state of a rule.
    State,
    /// What a rule watches.
    Watch,
}

/// What an object holds when the program begins.
#[derive(Clone, Debug)]
pub enum Initial {
    /// Zeros and null pointers; where it is not [`Storage::Static`] and defined: any value.
    None,
    /// Zeros and null pointers, then these writes. Each value is an integer constant, a null
    /// pointer, the address of a function or of a place with constant indices, or a
    /// [`ExpressionKind::PointerAdd`] of these and a constant, or a pointer conversion of them.
    Writes(List),
    /// The elements of an array of characters, with the 0 at the end.
    Text(Box<[u32]>),
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Where its name stands in its definition, or in its first declaration.
    pub span: Span,
    /// Its type: a [`Type::Function`].
    pub type_id: TypeId,
    /// Whether it is known in one file only.
    pub is_static: bool,
    /// Whether it is declared not to return.
    pub noreturn: bool,
    /// What it does.
    pub body: Option<Body>,
    /// Who wrote it.
    pub role: Role,
}

/// Whether a function is one of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It is.
    #[default]
    Program,
    /// It does what a rule does at an event, which is called like this: `f.call`.
    Event(Name),
    /// It calls a function and, before and after, what rules do at its events. It has that
    /// function's name.
    Wrapper,
    /// It chooses what rules watch, and begins the program. It has the name of the entry.
    Start,
}

/// What a function does.
#[derive(Debug)]
pub struct Body {
    /// One object for each parameter, with a name or without, of [`Storage::Parameter`].
    pub parameters: Box<[ObjectId]>,
    /// The block. Where its end is reached, the function returns; a value that it should have
    /// returned is arbitrary then, but `main` returns 0.
    pub block: StatementId,
    /// All other objects that are declared in it, static ones too.
    pub objects: Box<[ObjectId]>,
    /// The `}` at the end.
    pub close: Span,
}

/// Something that has a value, or is evaluated for what it does.
#[derive(Clone, Copy, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its type: never an array or a function, those are pointers here.
    pub type_id: TypeId,
    /// Where it stands; of a conversion: its operand.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, Copy, Debug)]
pub enum ExpressionKind {
    /// An integer, a value of the type.
    Constant(i128),
    /// The null pointer.
    Null,
    /// What a place holds: a scalar, or a whole struct or union.
    Load(PlaceId),
    /// A pointer to the place.
    Address(PlaceId),
    /// A pointer to the first element of the array at the place.
    Decay(PlaceId),
    /// A pointer to the function.
    Function(FunctionId),
    /// The value in another type.
    Convert(Conversion, ExpressionId),
    /// An operator with one operand, of the same type except for [`Unary::Not`].
    Unary(Unary, ExpressionId),
    /// An operator with two operands of one type, which is the expression's, too; comparisons
    /// give an `int`, and the right operand of a shift has its own type.
    Binary(Binary, ExpressionId, ExpressionId),
    /// The element so many places further on: `pointer + index`, or `pointer - index`. Indices
    /// are of any integer type.
    PointerAdd {
        /// Where it begins.
        pointer: ExpressionId,
        /// How far.
        index: ExpressionId,
        /// Whether it goes back.
        subtract: bool,
    },
    /// How many elements lie between two pointers of one type.
    PointerDifference(ExpressionId, ExpressionId),
    /// Writes the value, which has the place's type; gives what the place then holds.
    Assign(PlaceId, ExpressionId),
    /// `a += b`, `a++`: the place is evaluated once, and its value read first; `value` is
    /// computed, in which [`ExpressionKind::Old`] is what was read, and written.
    Update {
        /// What is changed.
        place: PlaceId,
        /// What it becomes, of the place's type.
        value: ExpressionId,
        /// Which value the expression has: `a++` that from before, all others what the place
        /// then holds.
        gives: Moment,
    },
    /// What the innermost [`ExpressionKind::Update`] of this place, of which it is a part, has
    /// read.
    Old(PlaceId),
    /// `a && b`, an `int`. The operands are scalars, true if they are not 0 or null; the second
    /// is not evaluated if the first is false.
    And(ExpressionId, ExpressionId),
    /// `a || b`, an `int`. The second is not evaluated if the first is true.
    Or(ExpressionId, ExpressionId),
    /// `condition ? yes : no`; both have the expression's type.
    Conditional {
        /// A scalar.
        condition: ExpressionId,
        /// If it is true.
        yes: ExpressionId,
        /// If it is false.
        no: ExpressionId,
    },
    /// `value ?: no`: the value is evaluated once, and tested before it is converted to the
    /// expression's type.
    Elvis {
        /// A scalar.
        value: ExpressionId,
        /// How it becomes one of the expression's type, if the types differ.
        conversion: Option<Conversion>,
        /// If the value is 0 or null.
        no: ExpressionId,
    },
    /// The first is evaluated and forgotten, the second is the value.
    Comma(ExpressionId, ExpressionId),
    /// Arguments have the parameters' types; those that no parameter stands for are promoted.
    Call(Callee, List),
    /// `({ … })`: a [`StatementKind::Block`], and then the value in it, if it has one: a
    /// [`StatementKind::Value`] is the last statement of the block.
    Statement(StatementId),
    /// What gcc computes. The arguments have the types that each [`Builtin`] says.
    Builtin(Builtin, List),
    /// No execution gets past it.
    Outside(Outside),
}

/// Before or after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// Who is called.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// This function.
    Function(FunctionId),
    /// The one that a value points to, which is evaluated before the arguments.
    Pointer(ExpressionId),
}

/// How a value becomes one of another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// From integer to integer, not `_Bool`: modulo the new type's width. Enumerations count as
    /// their integers.
    Integer,
    /// From a scalar to `_Bool`: whether it is not 0 or null.
    Truth,
    /// From pointer to pointer: the same address, another type behind it, or other qualifiers.
    Pointer,
    /// From an integer to a pointer.
    ToPointer,
    /// From a pointer to an integer, not `_Bool`.
    FromPointer,
    /// To `void`: the value is forgotten.
    Void,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-a`, of an integer.
    Minus,
    /// `~a`
    Complement,
    /// `!a`, an `int`: whether the scalar is 0 or null.
    Not,
}

/// An operator with two operands, which are integers; those of comparisons may be pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

/// Something that can be read, written or pointed to.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Its type. Of a bit-field it is the declared one; values have its width.
    pub type_id: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// Which place it is.
#[derive(Clone, Copy, Debug)]
pub enum PlaceKind {
    /// An object.
    Object(ObjectId),
    /// What a value points to.
    Target(ExpressionId),
    /// A member of the struct or union at a place: an index into [`Layout::fields`].
    Field(PlaceId, u32),
    /// An element of the array at a place; the index is of any integer type.
    Element(PlaceId, ExpressionId),
    /// A compound literal in a function: the object, of automatic storage. The writes are made
    /// each time it is evaluated, after zeros where [`Write`] says so.
    Compound(ObjectId, List),
    /// A place of its own that holds this value, a struct or union: `f().x`.
    Temporary(ExpressionId),
}

/// One scalar, or one struct or union as a whole, of an initialiser.
#[derive(Clone, Copy, Debug)]
pub struct Write {
    /// What is written: the object, or its fields and elements with constant indices.
    pub place: PlaceId,
    /// What is written, of the place's type.
    pub value: Written,
}

/// What an initialiser writes.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// This value.
    Value(ExpressionId),
    /// What the write before this one has written, which is not evaluated again: `[0 ... 9] = x`.
    Again,
    /// Zeros and null pointers, everywhere in the place: the first write of an initialiser in
    /// braces or by a string, of an array, struct or union.
    Zero,
}

/// What gcc computes without a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `__builtin_unreachable()`: undefined.
    Unreachable,
    /// `__builtin_trap()`: ends the program as `abort` does.
    Trap,
    /// How many bits of an unsigned integer are 1; an `int`, as the next four.
    Population,
    /// Whether that number is odd.
    Parity,
    /// The place of the lowest 1 of a signed integer, from 1; of 0 it is 0.
    FindFirstSet,
    /// How many zeros an unsigned integer begins with; of 0 it is undefined.
    LeadingZeros,
    /// How many zeros an unsigned integer ends with; of 0 it is undefined.
    TrailingZeros,
    /// Of two integers, of any types, and a pointer to an integer, of any type: writes the sum
    /// there, modulo its width, and gives whether the exact sum is another, a `_Bool`.
    AddOverflow,
    /// Of the difference.
    SubtractOverflow,
    /// Of the product.
    MultiplyOverflow,
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// All of it, without its labels; of a compound statement, its head: `while (x)`. Of `do`, it
    /// is the word, and of a block its `{`.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Copy, Debug)]
pub enum StatementKind {
    /// `;`
    Empty,
    /// Evaluates it, and forgets the value.
    Expression(ExpressionId),
    /// The last expression of a `({ … })`, whose value that has.
    Value(ExpressionId),
    /// The object gets an arbitrary value, then the writes are made. Objects of static storage
    /// have none. One of variable size begins to live here.
    Declaration(ObjectId, List),
    /// The statements one after the other, in [`Program::blocks`]. Objects that are declared
    /// among them live as long as control is in it.
    Block(List),
    /// `if`
    If {
        /// A scalar, as in all of these: true if it is not 0 or null.
        condition: ExpressionId,
        /// If it is true.
        then: StatementId,
        /// If it is false.
        otherwise: Option<StatementId>,
    },
    /// `while`
    While {
        /// As long as it is true,
        condition: ExpressionId,
        /// this is repeated.
        body: StatementId,
    },
    /// `do`
    Do {
        /// It is repeated,
        body: StatementId,
        /// until this is false.
        condition: ExpressionId,
        /// Where the `while` and its condition stand.
        end: Span,
    },
    /// `for`; what `initial` declares lives as long as the loop.
    For {
        /// A [`StatementKind::Block`] of declarations, an expression, or nothing.
        initial: Option<StatementId>,
        /// As long as it is true, or for ever if there is none.
        condition: Option<ExpressionId>,
        /// After each round, and after `continue`.
        step: Option<ExpressionId>,
        /// The round.
        body: StatementId,
    },
    /// `switch`: goes to the label of the case that the value is in, else to `default`, else
    /// behind the statement.
    Switch {
        /// An integer, promoted.
        value: ExpressionId,
        /// In [`Program::cases`]: they do not overlap, and none is empty.
        cases: List,
        /// `default:`
        default: Option<LabelId>,
        /// Where the labels are.
        body: StatementId,
    },
    /// A statement that can be jumped to. Several labels are one in the other.
    Labelled(LabelId, StatementId),
    /// `goto`, to any block of the function.
    Goto(LabelId),
    /// Leaves this loop or `switch`.
    Break(StatementId),
    /// Goes on with the next round of this loop.
    Continue(StatementId),
    /// Leaves the function; the value has its result's type.
    Return(Option<ExpressionId>),
    /// No execution gets past it.
    Outside(Outside),
    /// A rule is violated, for this reason.
    Abort(Option<Name>),
    /// A rule cuts the execution off.
    Halt,
}

/// A range of values of a `switch`.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The smallest, a value of the type that is switched on.
    pub low: i128,
    /// The largest.
    pub high: i128,
    /// Where it leads.
    pub label: LabelId,
    /// Where it stands.
    pub span: Span,
}

/// What can be jumped to.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// None for `case` and `default`.
    pub name: Option<Name>,
    /// Where it stands.
    pub span: Span,
    /// Whose it is.
    pub function: FunctionId,
    /// The [`StatementKind::Labelled`].
    pub statement: StatementId,
}
