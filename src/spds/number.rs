//! Whole numbers as vectors of BDDs.
//!
//! A number is a vector of bits in two's complement, the least significant first, the last
//! one the sign: each bit is a function of BDD variables. Operations are exact: a result has
//! as many bits as it needs, and leading copies of the sign are dropped. Where an operation
//! has no value, it says so by a set of its own, and the bits mean nothing there.

use crate::bdd::{Bdd, BddResult, Bdds, OutOfNodes};
use crate::program::{Domain, FAR, Operation, SHIFT_LIMIT};

/// At least the sign.
#[derive(Clone)]
pub struct Number(Vec<Bdd>);

type NumberResult = Result<Number, OutOfNodes>;

/// A number, and where there is none.
pub type Partial = Result<(Number, Bdd), OutOfNodes>;

impl Number {
    pub fn constant(bdds: &Bdds, value: u64) -> Self {
        let bits = (0..u64::BITS - value.leading_zeros())
            .map(|bit| bdds.constant(value >> bit & 1 == 1))
            .collect();
        Number::natural(bdds, bits)
    }

    /// The natural number with these bits.
    pub fn natural(bdds: &Bdds, mut bits: Vec<Bdd>) -> Self {
        bits.push(bdds.constant(false));
        Number(bits).trimmed()
    }

    fn trimmed(mut self) -> Self {
        while let [.., before, sign] = &self.0[..]
            && before == sign
        {
            self.0.pop();
        }
        self
    }

    /// How many bits there are, the sign among them.
    fn width(&self) -> usize {
        self.0.len()
    }

    fn sign(&self) -> &Bdd {
        &self.0[self.width() - 1]
    }

    /// A bit; those beyond the last are copies of the sign.
    pub fn bit(&self, index: usize) -> &Bdd {
        self.0.get(index).unwrap_or_else(|| self.sign())
    }

    fn is_constant_zero(&self, bdds: &Bdds) -> bool {
        self.width() == 1 && bdds.is_false(self.sign())
    }

    /// An operation of arithmetic, or a shift; with where it has no value.
    pub fn calculate(&self, bdds: &Bdds, operation: Operation, other: &Self) -> Partial {
        let total = |number| Ok((number, bdds.constant(false)));
        match operation {
            Operation::Add => total(self.add(bdds, other)?),
            Operation::Subtract => total(self.subtract(bdds, other)?),
            Operation::Multiply => total(self.multiply(bdds, other)?),
            Operation::MultiplyModulo { bits } => total(self.multiply_modulo(bdds, other, bits)?),
            Operation::Divide => self.divide(bdds, other),
            Operation::Remainder => self.remainder(bdds, other),
            Operation::BitAnd => self.bitwise(bdds, other, |a, b| bdds.and(a, b)),
            Operation::BitOr => self.bitwise(bdds, other, |a, b| bdds.or(a, b)),
            Operation::BitXor => self.bitwise(bdds, other, |a, b| bdds.xor(a, b)),
            Operation::ShiftLeft => self.shift_left(bdds, other),
            Operation::ShiftLeftOrFar => self.shift_left_or_far(bdds, other),
            Operation::ShiftLeftModulo { bits } => self.shift_left_modulo(bdds, other, bits),
            Operation::ShiftRight => self.shift_right(bdds, other),
            Operation::ArithmeticShiftRight => self.arithmetic_shift_right(bdds, other),
            other => unreachable!("{other:?} does not calculate"),
        }
    }

    pub fn add(&self, bdds: &Bdds, other: &Self) -> NumberResult {
        self.sum(bdds, other, false)
    }

    pub fn subtract(&self, bdds: &Bdds, other: &Self) -> NumberResult {
        self.sum(bdds, &other.complement(bdds)?, true)
    }

    fn complement(&self, bdds: &Bdds) -> NumberResult {
        let bits: Result<_, _> = self.0.iter().map(|bit| bdds.not(bit)).collect();
        Ok(Number(bits?))
    }

    fn sum(&self, bdds: &Bdds, other: &Self, carry: bool) -> NumberResult {
        let mut carry = bdds.constant(carry);
        let width = self.width().max(other.width()) + 1;
        let mut bits = Vec::with_capacity(width);
        for i in 0..width {
            let (a, b) = (self.bit(i), other.bit(i));
            let half = bdds.xor(a, b)?;
            bits.push(bdds.xor(&half, &carry)?);
            carry = bdds.if_then_else(&half, &carry, a)?;
        }
        Ok(Number(bits).trimmed())
    }

    fn negate(&self, bdds: &Bdds) -> NumberResult {
        Number::constant(bdds, 0).subtract(bdds, self)
    }

    pub fn multiply(&self, bdds: &Bdds, other: &Self) -> NumberResult {
        let product = self.low_product(bdds, other, self.width() + other.width())?;
        Ok(Number(product).trimmed())
    }

    /// The product modulo 2 to the power `bits`, whose higher bits are never computed.
    pub fn multiply_modulo(&self, bdds: &Bdds, other: &Self, bits: u8) -> NumberResult {
        let width = usize::from(bits).min(self.width() + other.width());
        let product = self.low_product(bdds, other, width)?;
        Ok(Number(product).wrap(bdds, bits, false))
    }

    /// The lowest bits of the product.
    fn low_product(&self, bdds: &Bdds, other: &Self, width: usize) -> Result<Vec<Bdd>, OutOfNodes> {
        // Sign-extended to the width of the result, the product is right modulo 2^width.
        let mut sum = vec![bdds.constant(false); width];
        for i in 0..width {
            let factor = other.bit(i);
            if bdds.is_false(factor) {
                continue;
            }
            let mut carry = bdds.constant(false);
            for (k, bit) in sum.iter_mut().enumerate().skip(i) {
                let addend = bdds.and(self.bit(k - i), factor)?;
                let half = bdds.xor(bit, &addend)?;
                let before = std::mem::replace(bit, bdds.xor(&half, &carry)?);
                carry = bdds.if_then_else(&half, &carry, &before)?;
            }
        }
        Ok(sum)
    }

    /// Rounded towards 0.
    pub fn divide(&self, bdds: &Bdds, other: &Self) -> Partial {
        let (quotient, _) = self.divide_magnitudes(bdds, other)?;
        let differ = bdds.xor(self.sign(), other.sign())?;
        let signed = quotient.negate(bdds)?.or_else(bdds, &differ, &quotient)?;
        Ok((signed, other.equals_constant(bdds, 0)?))
    }

    /// What the division leaves, with the sign of the dividend.
    pub fn remainder(&self, bdds: &Bdds, other: &Self) -> Partial {
        let (_, rest) = self.divide_magnitudes(bdds, other)?;
        let signed = rest.negate(bdds)?.or_else(bdds, self.sign(), &rest)?;
        Ok((signed, other.equals_constant(bdds, 0)?))
    }

    /// Quotient and rest of the absolute values; without meaning where the divisor is 0.
    fn divide_magnitudes(&self, bdds: &Bdds, other: &Self) -> Result<(Number, Number), OutOfNodes> {
        let (dividend, divisor) = (self.magnitude(bdds)?, other.magnitude(bdds)?);
        let mut rest = Number::constant(bdds, 0);
        let mut quotient = vec![bdds.constant(false); dividend.width()];
        for i in (0..dividend.width()).rev() {
            let mut shifted = vec![dividend.0[i].clone()];
            shifted.extend(rest.0);
            let shifted = Number(shifted).trimmed();
            let fits = divisor.less_equal(bdds, &shifted)?;
            let reduced = shifted.subtract(bdds, &divisor)?;
            rest = reduced.or_else(bdds, &fits, &shifted)?;
            quotient[i] = fits;
        }
        Ok((Number::natural(bdds, quotient), rest))
    }

    fn magnitude(&self, bdds: &Bdds) -> NumberResult {
        self.negate(bdds)?.or_else(bdds, self.sign(), self)
    }

    /// This number where `condition` holds, otherwise `other`.
    pub fn or_else(&self, bdds: &Bdds, condition: &Bdd, other: &Self) -> NumberResult {
        let width = self.width().max(other.width());
        let bits: Result<_, _> = (0..width)
            .map(|i| bdds.if_then_else(condition, self.bit(i), other.bit(i)))
            .collect();
        Ok(Number(bits?).trimmed())
    }

    /// Bit by bit. There is no value where one operand is negative.
    pub fn bitwise(
        &self,
        bdds: &Bdds,
        other: &Self,
        operation: impl Fn(&Bdd, &Bdd) -> BddResult,
    ) -> Partial {
        let width = self.width().max(other.width());
        let bits: Result<_, _> = (0..width)
            .map(|i| operation(self.bit(i), other.bit(i)))
            .collect();
        Ok((Number(bits?).trimmed(), self.either_negative(bdds, other)?))
    }

    fn either_negative(&self, bdds: &Bdds, other: &Self) -> BddResult {
        bdds.or(self.sign(), other.sign())
    }

    /// Has no value where an operand is negative or the result above [`SHIFT_LIMIT`].
    pub fn shift_left(&self, bdds: &Bdds, by: &Self) -> Partial {
        const WIDTH: usize = SHIFT_LIMIT.ilog2() as usize;
        let zero = Number::constant(bdds, 0);
        let is_zero = self.equal(bdds, &zero)?;
        let mut result = zero;
        // Of what is not 0, a shift by more is above the limit.
        let limit = Number::constant(bdds, WIDTH as u64);
        let mut undefined = bdds.difference(&limit.less(bdds, by)?, &is_zero)?;
        for k in 0..=WIDTH {
            let here = by.equals_constant(bdds, k as u64)?;
            if bdds.is_false(&here) {
                continue;
            }
            let mut bits = vec![bdds.constant(false); k];
            bits.extend_from_slice(&self.0);
            let shifted = Number(bits);
            // Above the limit: a bit beyond the last one, or that one with another.
            let mut beyond = bdds.constant(false);
            for bit in (WIDTH + 1)..shifted.width() {
                beyond = bdds.or(&beyond, shifted.bit(bit))?;
            }
            let mut below = bdds.constant(false);
            for bit in 0..WIDTH.min(shifted.width()) {
                below = bdds.or(&below, shifted.bit(bit))?;
            }
            beyond = bdds.or(&beyond, &bdds.and(shifted.bit(WIDTH), &below)?)?;
            undefined = bdds.or(&undefined, &bdds.and(&here, &beyond)?)?;
            result = shifted.or_else(bdds, &here, &result)?;
        }
        let undefined = bdds.or(&undefined, &self.either_negative(bdds, by)?)?;
        Ok((result, undefined))
    }

    /// As [`Number::shift_left`], but [`FAR`] above the limit.
    pub fn shift_left_or_far(&self, bdds: &Bdds, by: &Self) -> Partial {
        let (result, undefined) = self.shift_left(bdds, by)?;
        let negative = self.either_negative(bdds, by)?;
        let bits = (0..=FAR.ilog2()).map(|bit| bdds.constant(bit == FAR.ilog2()));
        let far = Number::natural(bdds, bits.collect());
        let is_far = bdds.difference(&undefined, &negative)?;
        Ok((far.or_else(bdds, &is_far, &result)?, negative))
    }

    /// Has no value where an operand is negative.
    pub fn shift_right(&self, bdds: &Bdds, by: &Self) -> Partial {
        let mut result = Number::constant(bdds, 0);
        for k in 0..self.width() {
            let here = by.equals_constant(bdds, k as u64)?;
            if !bdds.is_false(&here) {
                let shifted = Number(self.0[k..].to_vec());
                result = shifted.or_else(bdds, &here, &result)?;
            }
        }
        Ok((result, self.either_negative(bdds, by)?))
    }

    /// Times a power of 2, modulo 2 to the power `bits`. Has no value where `by` is negative.
    pub fn shift_left_modulo(&self, bdds: &Bdds, by: &Self, bits: u8) -> Partial {
        let mut result = Number::constant(bdds, 0);
        for k in 0..usize::from(bits) {
            let here = by.equals_constant(bdds, k as u64)?;
            if bdds.is_false(&here) {
                continue;
            }
            let mut shifted = vec![bdds.constant(false); k];
            shifted.extend_from_slice(&self.0);
            let shifted = Number(shifted).wrap(bdds, bits, false);
            result = shifted.or_else(bdds, &here, &result)?;
        }
        Ok((result, by.sign().clone()))
    }

    /// Divided by a power of 2 and rounded down. Has no value where `by` is negative.
    pub fn arithmetic_shift_right(&self, bdds: &Bdds, by: &Self) -> Partial {
        let mut result = Number(vec![self.sign().clone()]);
        for k in 0..self.width() {
            let here = by.equals_constant(bdds, k as u64)?;
            if !bdds.is_false(&here) {
                let shifted = Number(self.0[k..].to_vec());
                result = shifted.or_else(bdds, &here, &result)?;
            }
        }
        Ok((result, by.sign().clone()))
    }

    /// The number that is the same modulo 2 to the power `bits`, natural or of two's complement.
    pub fn wrap(&self, bdds: &Bdds, bits: u8, signed: bool) -> Number {
        let low = (0..usize::from(bits))
            .map(|i| self.bit(i).clone())
            .collect();
        match signed {
            true => Number(low).trimmed(),
            false => Number::natural(bdds, low),
        }
    }

    pub fn equal(&self, bdds: &Bdds, other: &Self) -> BddResult {
        let mut equal = bdds.constant(true);
        for i in (0..self.width().max(other.width())).rev() {
            let same = bdds.equivalent(self.bit(i), other.bit(i))?;
            equal = bdds.and(&same, &equal)?;
        }
        Ok(equal)
    }

    pub fn equals_constant(&self, bdds: &Bdds, value: u64) -> BddResult {
        self.equal(bdds, &Number::constant(bdds, value))
    }

    pub fn less(&self, bdds: &Bdds, other: &Self) -> BddResult {
        self.compare(bdds, other, false)
    }

    pub fn less_equal(&self, bdds: &Bdds, other: &Self) -> BddResult {
        self.compare(bdds, other, true)
    }

    /// Less, or as `if_equal` says where the two are equal: the highest bit in which they
    /// differ decides.
    fn compare(&self, bdds: &Bdds, other: &Self, if_equal: bool) -> BddResult {
        let mut less = bdds.constant(if_equal);
        let last = self.width().max(other.width()) - 1;
        for i in 0..last {
            let differ = bdds.xor(self.bit(i), other.bit(i))?;
            less = bdds.if_then_else(&differ, other.bit(i), &less)?;
        }
        // A number with the sign bit is the smaller one.
        let differ = bdds.xor(self.bit(last), other.bit(last))?;
        bdds.if_then_else(&differ, self.bit(last), &less)
    }

    /// Where the number is in a domain.
    pub fn fits(&self, bdds: &Bdds, domain: Domain) -> BddResult {
        let mut outside = bdds.constant(false);
        for bit in domain.bits() as usize..self.width() {
            outside = bdds.or(&outside, self.bit(bit))?;
        }
        if self.width() <= domain.bits() as usize {
            outside = self.sign().clone();
        }
        let inside = bdds.not(&outside)?;
        match domain.is_full() {
            true => Ok(inside),
            false => {
                let size = Number::constant(bdds, domain.size() as u64);
                bdds.and(&inside, &self.less(bdds, &size)?)
            }
        }
    }

    /// The number modulo the size of a domain.
    pub fn wrapped(&self, bdds: &Bdds, domain: Domain) -> NumberResult {
        if domain.is_full() {
            let bits = (0..domain.bits() as usize).map(|i| self.bit(i).clone());
            return Ok(Number::natural(bdds, bits.collect()));
        }
        let size = Number::constant(bdds, domain.size() as u64);
        let (quotient, _) = self.divide(bdds, &size)?;
        let rest = self.subtract(bdds, &quotient.multiply(bdds, &size)?)?;
        let raised = rest.add(bdds, &size)?;
        raised.or_else(bdds, rest.sign(), &rest)
    }

    /// The element that `self` names, counted from 0, of a row that gives each one's value;
    /// where there is no such element there is no value.
    pub fn select(&self, bdds: &Bdds, count: u32, element: impl Fn(u32) -> Number) -> Partial {
        let mut result = Number::constant(bdds, 0);
        for k in 0..count {
            let here = self.equals_constant(bdds, u64::from(k))?;
            if !bdds.is_false(&here) {
                result = element(k).or_else(bdds, &here, &result)?;
            }
        }
        Ok((result, self.outside(bdds, count)?))
    }

    /// Where the number is no index into `count` places.
    pub fn outside(&self, bdds: &Bdds, count: u32) -> BddResult {
        let count = Number::constant(bdds, u64::from(count));
        bdds.or(self.sign(), &count.less_equal(bdds, self)?)
    }

    /// Where the number is not 0.
    pub fn truth(&self, bdds: &Bdds) -> BddResult {
        match self.is_constant_zero(bdds) {
            true => Ok(bdds.constant(false)),
            false => bdds.not(&self.equals_constant(bdds, 0)?),
        }
    }
}

#[cfg(test)]
mod tests;
