//! Integer arithmetic of C: two's complement in the width of the type, with what overflows and
//! what has no result.
//!
//! Operands and results are as [`Value::Integer`](super::value::Value) has them.

use super::stop::Undefined;
use super::value::Scalar;
use crate::typing::c::tree::{Binary, Builtin, Unary};

/// A result modulo the type's width, and whether a signed one is not the exact result.
pub type Outcome = (i64, bool);

/// `-a` or `~a`
pub fn unary(operator: Unary, scalar: Scalar, a: i64) -> Outcome {
    match operator {
        Unary::Minus => sum(scalar, 0_i64.overflowing_sub(a)),
        Unary::Complement => (scalar.wrap(!a), false),
        Unary::Not => (i64::from(a == 0), false),
    }
}

/// The result in a type of what was computed on 64 bits, with its overflow there.
#[inline]
fn sum(scalar: Scalar, (exact, overflows): Outcome) -> Outcome {
    let result = scalar.wrap(exact);
    (result, scalar.is_signed() && (overflows || result != exact))
}

#[inline]
pub fn binary(operator: Binary, scalar: Scalar, a: i64, b: i64) -> Result<Outcome, Undefined> {
    Ok(match operator {
        Binary::Add => sum(scalar, a.overflowing_add(b)),
        Binary::Subtract => sum(scalar, a.overflowing_sub(b)),
        Binary::Multiply => sum(scalar, a.overflowing_mul(b)),
        Binary::Divide | Binary::Remainder => return divide(operator, scalar, a, b),
        Binary::ShiftLeft | Binary::ShiftRight => return shift(operator, scalar, a, b),
        Binary::BitAnd => (a & b, false),
        Binary::BitXor => (a ^ b, false),
        Binary::BitOr => (a | b, false),
        Binary::Equal => (i64::from(a == b), false),
        Binary::NotEqual => (i64::from(a != b), false),
        Binary::Less => (i64::from(less(scalar, a, b)), false),
        Binary::LessEqual => (i64::from(!less(scalar, b, a)), false),
        Binary::Greater => (i64::from(less(scalar, b, a)), false),
        Binary::GreaterEqual => (i64::from(!less(scalar, a, b)), false),
    })
}

#[inline]
fn less(scalar: Scalar, a: i64, b: i64) -> bool {
    match scalar {
        Scalar::U64 => (a as u64) < (b as u64),
        _ => a < b,
    }
}

fn divide(operator: Binary, scalar: Scalar, a: i64, b: i64) -> Result<Outcome, Undefined> {
    if b == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let is_quotient = operator == Binary::Divide;
    if !scalar.is_signed() {
        let (a, b) = (a as u64, b as u64);
        let result = if is_quotient { a / b } else { a % b };
        return Ok((result as i64, false));
    }
    // Neither has a result for the smallest number and -1, though the remainder would be 0.
    if b == -1 && sum(scalar, 0_i64.overflowing_sub(a)).1 {
        return Err(Undefined::DivisionOverflow);
    }
    Ok((if is_quotient { a / b } else { a % b }, false))
}

fn shift(operator: Binary, scalar: Scalar, a: i64, amount: i64) -> Result<Outcome, Undefined> {
    let bits = scalar.bits();
    if amount < 0 || amount >= i64::from(bits) {
        return Err(Undefined::Shift);
    }
    Ok(match (operator, scalar.is_signed()) {
        (Binary::ShiftLeft, true) => {
            let exact = i128::from(a) << amount;
            let result = scalar.wrap(exact as i64);
            (result, i128::from(result) != exact)
        }
        (Binary::ShiftLeft, false) => (scalar.wrap(a << amount), false),
        (_, true) => (a >> amount, false),
        (_, false) => ((a as u64 >> amount) as i64, false),
    })
}

/// What gcc computes of one integer.
pub fn count(builtin: Builtin, scalar: Scalar, a: i64) -> Result<i64, Undefined> {
    let bits = scalar.bits();
    let a = a as u64 & (u64::MAX >> (64 - bits));
    let is_zero = a == 0;
    Ok(i64::from(match builtin {
        Builtin::Population => a.count_ones(),
        Builtin::Parity => a.count_ones() % 2,
        Builtin::FindFirstSet if is_zero => 0,
        Builtin::FindFirstSet => a.trailing_zeros() + 1,
        _ if is_zero => return Err(Undefined::ZeroBits),
        Builtin::LeadingZeros => a.leading_zeros() - (64 - bits),
        _ => a.trailing_zeros(),
    }))
}

/// The exact result of two numbers of up to 64 bits.
pub fn exact(builtin: Builtin, a: i128, b: i128) -> i128 {
    match builtin {
        Builtin::AddOverflow => a + b,
        Builtin::SubtractOverflow => a - b,
        // Both unsigned and of 64 bits: less than 2 to the 128, and no value of any type if it is
        // not a number here.
        _ => a.checked_mul(b).unwrap_or(i128::MAX),
    }
}
