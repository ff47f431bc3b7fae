//! The syntax tree of a C translation unit, flat.
//!
//! The tree is one array of nodes in the order of the source, in which nothing points to
//! anything: expressions are in postfix form, everything else is a bracket around its parts. C
//! nests declarations in expressions and expressions in declarations, so that they share the
//! array. A program nested as deep as one likes is read, walked and dropped without recursion.
//!
//! The grammar of the array, with what is optional in brackets and `…` for "any number":
//!
//! ```text
//! unit         = (declaration | function | StaticAssert | ; )…
//! declaration  = Declaration specifier… Specifiers (declarator Declare [initialiser])… EndDeclaration
//! function     = Declaration specifier… Specifiers declarator Function declaration… block EndFunction
//! specifier    = Specifier | TypedefName | expression TypeofExpression | type Typeof | type Atomic
//!              | Record [{ member… EndRecord] | Enumeration [{ ([expression] Enumerator)… EndEnumeration]
//!              | type Alignas | expression AlignasExpression | Attribute
//! member       = Declaration specifier… Specifiers (declarator [expression BitField] EndMember)… EndDeclaration
//! declarator   = Declarator part…
//! part         = Pointer Qualifier… | Open part… Close | DeclaredName | [expression] Array | parameters
//! parameters   = Parameters (Declaration specifier… Specifiers declarator Parameter)… EndParameters
//!              | OldParameters OldParameter…
//! type         = Declaration specifier… Specifiers declarator TypeName
//! initialiser  = expression Initialiser | list Initialiser
//! list         = List (designator… (expression Item | list Item))… EndList
//! ```
//!
//! Statements and expressions are as each [`NodeKind`] says. Invariants: brackets match; every
//! expression leaves exactly one operand. What could not be read is taken out whole, up to the
//! statement, member or declaration it was part of, and an [`NodeKind::Lost`] for each name in
//! it remains.

use crate::names::Name;
use crate::source::Span;

/// The tree of a translation unit.
#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// The names that are types at its end.
    pub types: Vec<Name>,
}

/// A node, and the word or sign that it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub kind: NodeKind,
    pub span: Span,
}

/// What a declaration is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    File,
    Block,
    /// The first part of a `for`.
    For,
    Member,
    Parameter,
    /// Those between the header and the body of an old-style function.
    OldParameter,
    /// A type in parentheses.
    TypeName,
}

/// A word before a declarator that has no parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Specifier {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
    ThreadLocal,
    Inline,
    Noreturn,
    Void,
    Bool,
    Char,
    Short,
    Int,
    Long,
    Signed,
    Unsigned,
    Int128,
    Float,
    Double,
    Float128,
    Complex,
    AutoType,
    VaList,
    Qualifier(Qualifier),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Qualifier {
    Const,
    Volatile,
    Restrict,
    Atomic,
}

/// The attributes that mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    Noreturn,
    /// The name of the machine mode.
    Mode(Name),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Plus,
    Minus,
    Complement,
    Not,
    Dereference,
    Address,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    Real,
    Imaginary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
    Comma,
}

#[derive(Clone, Copy, Debug)]
pub enum NodeKind {
    // Expressions.
    Identifier(Name),
    /// A name before the `(` of a call.
    Callee(Name),
    /// The constant or string of this token.
    Constant(u32),
    /// Both parentheses: the operand's place is wider than itself.
    Parentheses,
    Unary(UnaryOperator),
    Binary(BinaryOperator),
    Assign,
    CompoundAssign(BinaryOperator),
    /// After condition, yes and no.
    Conditional,
    /// After value and no.
    Elvis,
    Index,
    /// After the function and so many arguments; the span is the `)`.
    Call(u32),
    Member(Name),
    Arrow(Name),
    /// After the type and the operand.
    Cast,
    SizeofExpression,
    Sizeof,
    AlignofExpression,
    Alignof,
    /// After a type; a [`NodeKind::List`] follows.
    CompoundLiteral,
    EndCompoundLiteral,
    /// After the type: an operand that its members and elements are taken of.
    Offsetof,
    EndOffsetof,
    /// After the controlling expression come a type, an expression and an arm, as often as there
    /// are some.
    Generic,
    GenericArm,
    GenericDefault,
    EndGeneric,
    /// After three expressions.
    ChooseExpression,
    /// After two types.
    TypesCompatible,
    /// After an expression and a type.
    VaArg,
    LabelAddress(Name),
    /// A block in parentheses follows.
    StatementExpression,
    EndStatementExpression,

    // Declarations.
    Declaration(Context),
    Specifier(Specifier),
    TypedefName(Name),
    /// What stands where a type must, and is none; it has been reported.
    UnknownType,
    TypeofExpression,
    Typeof,
    Atomic,
    Alignas,
    AlignasExpression,
    Attribute(Attribute),
    Record {
        is_union: bool,
        tag: Option<Name>,
        /// Whether members follow.
        defines: bool,
    },
    EndRecord {
        packed: bool,
    },
    Enumeration {
        tag: Option<Name>,
        defines: bool,
    },
    Enumerator {
        name: Name,
        has_value: bool,
    },
    EndEnumeration,
    Specifiers,
    Declarator,
    Pointer,
    /// Of the pointer before it.
    Qualifier(Qualifier),
    Open,
    Close,
    DeclaredName(Name),
    Array(ArrayLength),
    Parameters,
    Parameter,
    EndParameters {
        variadic: bool,
    },
    /// `()` if no names follow.
    OldParameters,
    OldParameter(Name),
    BitField,
    EndMember,
    Declare {
        initialised: bool,
    },
    Initialiser,
    TypeName,
    EndDeclaration,
    Function,
    EndFunction,
    /// After a constant expression.
    StaticAssert {
        /// The token of the message.
        message: Option<u32>,
    },

    // Initialisers.
    List,
    EndList,
    Item,
    DesignateField(Name),
    DesignateIndex,
    DesignateRange,

    // Statements.
    Block,
    EndBlock,
    ExpressionStatement,
    Empty,
    /// The condition follows, then [`NodeKind::Then`] and a statement, perhaps
    /// [`NodeKind::Else`] and another.
    If,
    Then,
    Else,
    EndIf,
    /// The condition follows, then [`NodeKind::Body`] and a statement.
    While,
    Body,
    EndWhile,
    /// A statement follows, then [`NodeKind::DoWhile`] and the condition.
    Do,
    DoWhile,
    EndDo,
    /// A declaration or an expression may follow, then [`NodeKind::ForCondition`] and perhaps an
    /// expression, [`NodeKind::ForStep`] and perhaps an expression, [`NodeKind::Body`] and a
    /// statement.
    For,
    ForCondition,
    ForStep,
    EndFor,
    /// The value follows, then [`NodeKind::Body`] and a statement.
    Switch,
    EndSwitch,
    /// After one constant, or two.
    Case {
        is_range: bool,
    },
    Default,
    Label(Name),
    /// Behind the statement of a `case`, `default` or label.
    EndLabel,
    /// `__label__ x;`
    LocalLabel(Name),
    Goto(Name),
    /// After an expression.
    ComputedGoto,
    Break,
    Continue,
    Return {
        has_value: bool,
    },
    Assembly,
    /// Of a rule: `abort`, with the token of its text.
    Abort {
        text: Option<u32>,
    },
    /// Of a rule: `halt`.
    Halt,
    /// A name in something that could not be read, which may have declared it.
    Lost(Name),
    /// A statement that could not be read.
    Unreadable,
}

/// What stands between the brackets of an array's declarator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayLength {
    None,
    /// `*`
    Star,
    /// The expression before it.
    Expression,
}
