//! What is read and has no meaning here: no execution gets past it.

use crate::names::{Name, Names};
use std::fmt;

/// What is not part of the language that is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// A value of a floating or complex type.
    FloatingPoint,
    /// A value of type `__int128`.
    WideInteger,
    /// `va_start` and the like.
    VariableArguments,
    /// `asm`
    Assembly,
    /// `goto *p`, or `&&label`.
    ComputedGoto,
    /// A call with other arguments than the function has parameters.
    OtherArguments,
    /// A function of gcc, `__builtin_…`, that has no meaning here.
    Builtin(Name),
}

impl Outside {
    /// What it is, in words.
    pub fn describe(self, names: &Names) -> String {
        match self {
            Outside::Builtin(name) => format!("`{}`", names.text(name)),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outside::FloatingPoint => "floating point",
            Outside::WideInteger => "`__int128`",
            Outside::VariableArguments => "variable arguments",
            Outside::Assembly => "inline assembly",
            Outside::ComputedGoto => "computed `goto`",
            Outside::OtherArguments => "a call with arguments that do not fit the function",
            Outside::Builtin(_) => "a builtin function",
        })
    }
}
