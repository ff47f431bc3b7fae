//! What sets of configurations need to know of the language of a system: names on the one
//! side, symbolic meaning on the other.
//!
//! A stack symbol is known by its [`Head`], the one it has on top. A frame that waits may be
//! of another head once it is uncovered: a call goes on behind itself.

use crate::analysis::DataVariable;
use crate::bdd::BddResult;
use crate::program::Domain;
use crate::property::PropertyError;
use crate::source::Span;
use crate::spds::copies::Copies;
use crate::spds::{EntryId, Head, Spds};
use crate::watch::Watch;
use std::ops::Range;

/// Frames with the same variables: in a program, those of one procedure; in a pushdown
/// system, those whose symbols carry the same locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameKind(pub u32);

/// Frames that hand over the same values, and that the same symbols may wait for: in a
/// program, those of one procedure; in a pushdown system, all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Family(pub u32);

/// The symbols that one place of an expression stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolSet {
    All,
    /// All symbols of a frame.
    Of(FrameKind),
    /// In rising order.
    These(Vec<Head>),
}

/// A symbol that may wait below others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub symbol: Head,
    /// Whose frame it is.
    pub kind: FrameKind,
    /// For which frames it waits.
    pub above: Family,
}

/// What a name before the stack means.
#[derive(Clone, Debug)]
pub enum Control<C> {
    /// The system has failed, and whatever was on the stack is gone.
    Error,
    /// The lowest frame was popped.
    Terminated,
    /// A condition on the values that belong to no frame; the stack may be empty.
    State(C),
}

/// The names of a system, and what may stand on what.
pub trait Language {
    /// A condition on the values of a frame, or of those that belong to none.
    type Condition: Clone;

    /// The configurations in which executions begin, as a set is written.
    fn start(&self) -> String;

    /// The symbols of this name.
    fn symbols(&self, name: &str) -> Result<SymbolSet, PropertyError>;

    /// What a name before the stack means.
    fn control(&self, name: &str) -> Result<Control<Self::Condition>, PropertyError>;

    /// A condition, in braces, on frames with these symbols (`None`: there is no frame).
    /// `on_top`: they are nowhere but on top. What is wrong is told with its place.
    fn condition(
        &self,
        symbols: Option<&SymbolSet>,
        on_top: bool,
        text: &str,
    ) -> Result<Self::Condition, (Span, PropertyError)>;

    /// Every symbol that may be on top, in rising order.
    fn symbols_on_top(&self) -> Vec<Head>;

    /// Every symbol that may wait, in rising order.
    fn waiting(&self) -> &[Waiting];

    /// Whose frame a symbol is.
    fn kind(&self, symbol: Head) -> FrameKind;

    fn family(&self, kind: FrameKind) -> Family;

    /// Whether a set may hold configurations with an empty stack, written as a stack that
    /// can be empty.
    fn may_be_empty(&self) -> Result<(), PropertyError>;

    /// Why none of these symbols may wait.
    fn never_waits(&self, symbols: &SymbolSet) -> PropertyError;

    /// Why none of `above` can be right above any of `below`.
    fn never_above(&self, above: &SymbolSet, below: &SymbolSet) -> String;
}

/// A symbol as people and scripts see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolText {
    /// As it is written in a set of configurations.
    pub name: String,
    /// The procedure; empty where there are none.
    pub procedure: String,
    pub line: u32,
    pub column: u32,
    pub labels: Vec<String>,
}

/// A variable, or one scalar part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    /// The least significant bit first.
    pub bits: Range<DataVariable>,
    pub domain: Domain,
    /// For an enumeration, its names.
    pub values: Vec<String>,
}

/// How conditions are put together in a language, blanks included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notation {
    pub and: &'static str,
    pub or: &'static str,
    /// Between numbers, and between truth values.
    pub equal: &'static str,
    pub truth_equal: &'static str,
    /// Whether the latter binds less tightly than the others.
    pub is_truth_equal_loose: bool,
}

impl Notation {
    pub const PLAIN: Notation = Notation {
        and: " & ",
        or: " | ",
        equal: " = ",
        truth_equal: " = ",
        is_truth_equal_loose: false,
    };
    pub const DOUBLED: Notation = Notation {
        and: " && ",
        or: " || ",
        equal: " == ",
        truth_equal: " == ",
        is_truth_equal_loose: false,
    };
    pub const PUSHDOWN: Notation = Notation {
        truth_equal: " == ",
        is_truth_equal_loose: true,
        ..Notation::PLAIN
    };
}

/// The conditions of a model's language.
pub type ConditionOf<M> = <<M as Model>::Language as Language>::Condition;

/// A system as the symbolic engine has it. Every variable matters wherever it is in scope.
pub trait Model {
    type Language: Language;

    fn language(&self) -> &Self::Language;
    fn spds(&self) -> &Spds;
    fn copies(&self) -> &Copies<'_>;
    fn watch(&self) -> &Watch;

    /// Whether there are numbers of several bits.
    fn is_wide(&self) -> bool;

    /// Where the frame of a waiting symbol goes on.
    fn saved(&self, symbol: Head) -> Head;

    /// The heads without a stack: of failed configurations, and of the empty stack.
    fn error(&self) -> Option<Head>;
    fn terminated(&self) -> Option<Head>;

    /// The kind of frames that an entry pushes.
    fn entered(&self, entry: EntryId) -> FrameKind;

    /// What frames of a family hand over when they are popped.
    fn handed(&self, family: Family) -> &[DataVariable];

    /// Where a condition holds, over current variables, of a frame of this kind.
    fn holds(&self, condition: &ConditionOf<Self>, kind: Option<FrameKind>) -> BddResult;

    /// Where all variables of a head (only those of its frame, if `of_frame`) have values of
    /// their domains.
    fn valid(&self, head: Head, of_frame: bool) -> BddResult;

    /// The same of what frames of a family hand over.
    fn valid_handed(&self, family: Family) -> BddResult;

    fn notation(&self) -> Notation;
    fn show_symbol(&self, symbol: Head) -> SymbolText;
    /// What is said of a family where there are several.
    fn show_family(&self, family: Family) -> Option<String>;
    fn show_entry(&self, entry: EntryId) -> String;

    /// The variables that belong to no frame.
    fn globals(&self) -> &[Variable];
    /// That among them, if any, which is the control state.
    fn control_state(&self) -> Option<&Variable>;
    /// The variables of a frame, and the values that frames of a family return.
    fn locals(&self, kind: FrameKind) -> Vec<Variable>;
    fn returned(&self, family: Family) -> Vec<Variable>;
}

impl SymbolSet {
    pub fn contains(&self, symbol: Head, kind: FrameKind) -> bool {
        match self {
            SymbolSet::All => true,
            SymbolSet::Of(wanted) => *wanted == kind,
            SymbolSet::These(symbols) => symbols.binary_search(&symbol).is_ok(),
        }
    }
}
