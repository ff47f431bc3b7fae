//! What is not determined by the program, and who decides it.
//!
//! Every choice of an execution is a [`Request`] to [`Choices`]; with the same answers it is the
//! same execution. [`Listed`] has the answers in their order, [`Random`] makes them up.

use super::value::Cause;
use crate::source::Span;
use crate::typing::c::tree::{FunctionId, ObjectId};
use std::collections::VecDeque;

/// A choice that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is chosen.
    pub what: What,
    /// Where it is needed.
    pub span: Span,
    /// Which answers there are.
    pub kind: Kind,
}

/// What is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// What a function without body, or one that stands for any value, returns.
    Input(FunctionId),
    /// What a function returns that ended without `return`.
    Missing(FunctionId),
    /// The value that a part of an object has before it is written.
    Initial {
        /// Why it has no value yet.
        cause: Cause,
        /// How often this was the cause before.
        number: u32,
        /// Its first bit in the object that it was a part of then.
        bit: u64,
    },
    /// The result of a comparison of addresses of different objects.
    Order,
    /// Whether `malloc` fails.
    Failure,
}

/// Which answers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Integer {
        /// The smallest.
        low: i128,
        /// The largest.
        high: i128,
    },
    /// Pointers.
    Pointer,
}

impl Kind {
    /// The numbers of so many bits.
    pub(super) fn integer(is_signed: bool, bits: u32) -> Self {
        let values = 1_i128 << bits;
        let low = match is_signed {
            true => -values / 2,
            false => 0,
        };
        Kind::Integer {
            low,
            high: low + values - 1,
        }
    }
}

/// An answer. One that is not among those that there are is changed to one that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A number; of a pointer: 0 for null, or a stranger.
    Number(i128),
    /// So many bytes behind the beginning of the youngest object of this name that lives.
    Object(ObjectId, u32),
    /// A function.
    Function(FunctionId),
}

/// Who decides.
pub trait Choices {
    /// Makes a choice.
    fn choose(&mut self, request: &Request) -> Choice;

    /// Whether locals without initialiser are chosen where they are declared, and not when they
    /// are read for the first time.
    fn decides_early(&self) -> bool {
        false
    }
}

/// Answers in their order; after the last, 0.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    answers: VecDeque<Choice>,
}

impl Listed {
    /// These answers.
    pub fn new(answers: impl IntoIterator<Item = Choice>) -> Self {
        Listed {
            answers: answers.into_iter().collect(),
        }
    }

    /// How many answers were not asked for.
    pub fn left(&self) -> usize {
        self.answers.len()
    }
}

impl Choices for Listed {
    fn choose(&mut self, _: &Request) -> Choice {
        self.answers.pop_front().unwrap_or(Choice::Number(0))
    }
}

/// Random answers, small numbers and borders more often than others.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The answers of a seed.
    pub fn new(seed: u64) -> Self {
        Random {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
        }
    }

    /// A random number (xorshift, by Marsaglia).
    pub fn number(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

impl Choices for Random {
    fn choose(&mut self, request: &Request) -> Choice {
        let random = self.number();
        let small = i128::from(self.number() % 16);
        let (low, high) = match request.kind {
            Kind::Integer { low, high } => (low, high),
            Kind::Pointer => (0, 1 << 16),
        };
        Choice::Number(match random >> 60 {
            0 => low,
            1 => high,
            2..=9 => small.clamp(low, high),
            10 | 11 => (-small).clamp(low, high),
            _ => {
                let width = high.saturating_sub(low).saturating_add(1).max(1);
                low + i128::from(self.number()) % width
            }
        })
    }
}
