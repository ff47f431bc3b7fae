//! Functions as lists of instructions for a machine with an operand stack.
//!
//! Every expression leaves one value on the stack, `void` ones too. Scalars whose address nobody
//! takes are registers of the frame; all other locals are objects in memory. A place is the
//! address of an object on the stack, or a register.

use super::shape::BitField;
use super::value::Scalar;
use crate::names::Name;
use crate::source::Span;
use crate::typing::c::tree::{
    Binary, Builtin, FunctionId, LabelId, ObjectId, Outside, TypeId, Unary,
};
use rustc_hash::FxHashMap;

/// A register of the frame.
pub type Register = u32;

/// An object of the frame, an index into its slots.
pub type Slot = u32;

/// What the machine does. The comment says what is taken from the stack, and what is left there.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// A step begins, an index into [`Code::steps`].
    Step(u32),
    /// () → integer
    Push(i64),
    /// () → null
    PushNull,
    /// () → function
    PushFunction(FunctionId),
    /// value → ()
    Pop,
    /// value → value value
    Duplicate,
    /// () → value; one that is undetermined is chosen.
    Load(Register),
    /// value → value
    Keep(Register),
    /// value → ()
    Set(Register),
    /// () → address of an object of the frame
    Local(Slot),
    /// () → address of a static object
    Static(ObjectId),
    /// place → place so many bytes further on
    Field(u32),
    /// place index → place of the element: its size, how many there are, and whether the one
    /// behind the last has a place.
    Element {
        size: u32,
        length: u32,
        is_end_allowed: bool,
    },
    /// place index → place; sizes are computed, an index into [`Code::extents`].
    VariableElement {
        extent: u32,
        is_end_allowed: bool,
    },
    /// place index → place of an element of this size; only the object bounds it.
    OpenElement(u32),
    /// index → index; an unsigned one of 64 bits stays as large as it is.
    SignIndex,
    /// place → pointer: the address of a part.
    Settle,
    /// place → value
    Read(Scalar),
    /// place value → value
    Write(Scalar),
    /// place of the record → value
    ReadBits(u32),
    /// place of the record, value → value
    WriteBits(u32),
    /// place → record
    ReadRecord(TypeId),
    /// place record → record
    WriteRecord(TypeId),
    /// place → (): zeros everywhere in it.
    Zero(TypeId),
    /// Records of the expression are no longer needed.
    Forget,
    /// integer → integer of the type
    Wrap(Scalar),
    /// scalar → 0 or 1
    Truth,
    /// integer → pointer
    ToPointer,
    /// pointer → integer
    FromPointer(Scalar),
    /// integer → integer, and of pointers only [`Unary::Not`]
    Unary(Unary, Scalar),
    /// integer integer → integer
    Binary(Binary, Scalar),
    /// pointer pointer → integer
    Compare(Binary),
    /// pointer index → pointer, by elements of this size
    Advance {
        size: u32,
        is_back: bool,
        target: TypeId,
    },
    /// pointer index → pointer, by elements of a size that is computed
    VariableAdvance {
        extent: u32,
        is_back: bool,
    },
    /// pointer pointer → integer, in elements of this size
    Difference(u32),
    /// pointer pointer → integer, in elements of a size that is computed
    VariableDifference(u32),
    Jump(u32),
    /// scalar → ()
    JumpIfFalse(u32),
    /// scalar → ()
    JumpIfTrue(u32),
    /// Out of blocks and into others, an index into [`Code::jumps`].
    Leap(u32),
    /// integer → (); an index into [`Code::switches`]
    Switch(u32),
    /// Objects of the block begin to live, an index into [`Code::blocks`].
    Enter(u32),
    /// Objects of the block end.
    Leave(u32),
    /// The object's value is arbitrary.
    Declare(ObjectId),
    /// The same, but it is written at once.
    Prepare(ObjectId),
    /// An object of variable size begins, an index into [`Code::extents`].
    DeclareVariable(Slot, u32),
    /// The height of the stack is kept.
    Height(Register),
    /// arguments → value
    Call {
        function: FunctionId,
        arguments: u32,
        is_used: bool,
    },
    /// pointer arguments → value
    CallPointer {
        type_id: TypeId,
        arguments: u32,
        is_used: bool,
    },
    /// value → out of the function
    Return,
    /// The end of a function without `return`.
    ReturnNothing,
    /// arguments → value; types in [`Code::builtins`].
    Builtin(Builtin, u32),
    Outside(Outside),
    /// A rule is violated, for this reason.
    Abort(Option<Name>),
    /// A rule cuts the execution off.
    Halt,
}

/// The instructions of a function.
#[derive(Debug, Default)]
pub struct Code {
    pub instructions: Vec<Instruction>,
    /// Where each instruction comes from.
    pub spans: Vec<Span>,
    pub steps: Vec<StepPoint>,
    pub registers: Vec<RegisterInfo>,
    pub slots: Vec<SlotInfo>,
    /// Where objects of the function are.
    pub homes: FxHashMap<ObjectId, Home>,
    /// How many objects with names were declared before each that has one.
    pub order: FxHashMap<ObjectId, u32>,
    pub blocks: Vec<Block>,
    pub jumps: Vec<Leap>,
    pub switches: Vec<Switch>,
    pub extents: Vec<Extent>,
    pub fields: Vec<BitField>,
    /// The types of builtins' operands.
    pub builtins: Vec<[Scalar; 3]>,
}

/// Where a step begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPoint {
    /// What it is.
    pub kind: StepKind,
    /// Where it stands.
    pub span: Span,
    /// The innermost block.
    pub block: u32,
    /// How many objects of the function have been declared above, in the order of the text.
    pub declared: u32,
    /// Whether no expression is under way: what registers hold that are no object's is not read again.
    pub is_outermost: bool,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A full expression, or what is left of it after a call.
    Expression,
    /// A condition.
    Branch,
    /// `goto`
    Goto,
    /// `;`
    Empty,
    /// A statement with this label.
    Label(LabelId),
    /// A call of a function, if it is not called through a pointer.
    Call(Option<FunctionId>),
    /// `return`, or the end of a function.
    Return,
    /// What a rule does at an event; no machine comes to it.
    Event,
}

/// A register.
#[derive(Clone, Copy, Debug)]
pub struct RegisterInfo {
    /// None if it is hidden.
    pub object: Option<ObjectId>,
    pub scalar: Scalar,
}

/// An object of the frame.
#[derive(Clone, Copy, Debug)]
pub struct SlotInfo {
    pub object: ObjectId,
    pub type_id: TypeId,
    /// None if it is computed: then it begins to live at its declaration.
    pub size: Option<u64>,
}

/// Where an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Register(Register),
    Slot(Slot),
    Static,
}

/// A block of a function.
#[derive(Debug, Default)]
pub struct Block {
    pub parent: Option<u32>,
    /// What is declared in it, for those who look.
    pub objects: Vec<ObjectId>,
    pub registers: Vec<Register>,
    pub slots: Vec<Slot>,
}

/// A jump out of blocks and into others.
#[derive(Debug, Default)]
pub struct Leap {
    pub target: u32,
    /// From the innermost.
    pub left: Vec<u32>,
    /// From the outermost.
    pub entered: Vec<u32>,
    /// The register that has the height of the stack where it leads; none for that of the frame.
    pub height: Option<Register>,
    /// Where the `case` or `default` stands that it leads to.
    pub case: Option<Span>,
}

/// A `switch`.
#[derive(Debug)]
pub struct Switch {
    pub scalar: Scalar,
    /// Smallest, largest, and the jump, by ascending numbers.
    pub cases: Vec<(i128, i128, u32)>,
    pub otherwise: u32,
}

/// The size of something that is computed: the product of all these.
#[derive(Debug)]
pub struct Extent {
    /// In bytes.
    pub size: u64,
    /// The registers that have lengths of arrays.
    pub factors: Vec<Register>,
    /// Of an array: how many elements it has.
    pub length: Option<Result<u64, Register>>,
}
