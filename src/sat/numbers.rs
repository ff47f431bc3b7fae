//! Numbers in bits: two's complement from the lowest bit, the last one the sign.
//!
//! A term has as many bits as its interval needs, and an operation computes as many as its result
//! needs; sums and products agree with the exact ones modulo any power of 2. A division is its
//! multiplication: quotient and rest are new bits with one clause after the other that makes them fit.

use super::gates::{Gates, Literal};
use crate::program::{FAR, Interval, Operation, SHIFT_LIMIT};
use crate::terms::{Node, Term, Terms};
use rustc_hash::FxHashMap;

type Bits = Vec<Literal>;

/// How many bits the numbers of an interval need, the sign included.
fn width(interval: Interval) -> usize {
    let of = |number: i128| match number < 0 {
        true => 129 - number.leading_ones(),
        false => 129 - number.leading_zeros(),
    };
    of(interval.low).max(of(interval.high)) as usize
}

fn constant(number: i128, width: usize) -> Bits {
    let bit = |k: usize| number >> k.min(127) & 1 == 1;
    (0..width).map(|k| Literal::constant(bit(k))).collect()
}

/// The same number in at least so many bits; of more bits, the lowest ones.
fn resized(bits: &[Literal], width: usize) -> Bits {
    let sign = bits.last().copied().unwrap_or(Literal::FALSE);
    let bit = |k: usize| bits.get(k).copied().unwrap_or(sign);
    (0..width).map(bit).collect()
}

/// A natural number of all these bits.
fn natural(mut bits: Bits) -> Bits {
    bits.push(Literal::FALSE);
    bits
}

/// The number that the bits have in a model.
pub fn value(bits: &[Literal], bit: impl Fn(&Literal) -> bool) -> i128 {
    let places = bits.iter().zip(0..);
    let sum = places.fold(0_i128, |sum, (one, k)| match bit(one) {
        true => sum | 1 << k,
        false => sum,
    });
    let unused = 128 - bits.len() as u32;
    sum << unused >> unused
}

pub fn same(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let width = a.len().max(b.len());
    let (a, b) = (resized(a, width), resized(b, width));
    let mut all = Literal::TRUE;
    for (x, y) in a.into_iter().zip(b) {
        let different = gates.xor(x, y);
        all = gates.and(all, !different);
    }
    all
}

pub fn less(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Literal {
    let width = a.len().max(b.len());
    let (mut a, mut b) = (resized(a, width), resized(b, width));
    // With signs exchanged, it is the order of natural numbers.
    std::mem::swap(&mut a[width - 1], &mut b[width - 1]);
    let mut is_less = Literal::FALSE;
    for (x, y) in a.into_iter().zip(b) {
        let different = gates.xor(x, y);
        is_less = gates.choose(different, y, is_less);
    }
    is_less
}

fn add(gates: &mut Gates, a: &[Literal], b: &[Literal], mut carry: Literal) -> Bits {
    let mut sums = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b) {
        let (sum, next) = gates.sum(*x, *y, carry);
        sums.push(sum);
        carry = next;
    }
    sums
}

fn inverted(bits: &[Literal]) -> Bits {
    bits.iter().map(|bit| !*bit).collect()
}

fn negated(gates: &mut Gates, bits: &[Literal]) -> Bits {
    let zero = constant(0, bits.len());
    add(gates, &zero, &inverted(bits), Literal::TRUE)
}

fn choose(gates: &mut Gates, condition: Literal, yes: &[Literal], no: &[Literal]) -> Bits {
    let pairs = yes.iter().zip(no);
    pairs
        .map(|(yes, no)| gates.choose(condition, *yes, *no))
        .collect()
}

/// The product modulo 2 to the width, which both have.
fn multiply(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> Bits {
    let is_constant = |bit: &&Literal| **bit == Literal::TRUE || **bit == Literal::FALSE;
    let known = |bits: &[Literal]| bits.iter().filter(is_constant).count();
    let (a, b) = match known(a) > known(b) {
        true => (b, a),
        false => (a, b),
    };
    let width = a.len();
    let mut sum = constant(0, width);
    for (k, factor) in b.iter().enumerate() {
        if *factor == Literal::FALSE {
            continue;
        }
        let mut part = constant(0, k);
        for bit in &a[..width - k] {
            part.push(gates.and(*bit, *factor));
        }
        sum = add(gates, &sum, &part, Literal::FALSE);
    }
    sum
}

/// The absolute value, as a natural number.
fn absolute(gates: &mut Gates, bits: &[Literal]) -> Bits {
    let sign = bits.last().copied().unwrap_or(Literal::FALSE);
    let wide = resized(bits, bits.len() + 1);
    let negative = negated(gates, &wide);
    choose(gates, sign, &negative, &wide)
}

/// Quotient and rest of natural numbers; 0 where the divisor is.
fn divide(gates: &mut Gates, a: &[Literal], b: &[Literal]) -> (Bits, Bits) {
    let zero = constant(0, 1);
    let by_zero = same(gates, b, &zero);
    let input = |gates: &mut Gates, bits: usize| -> Bits {
        natural((0..bits).map(|_| gates.input()).collect())
    };
    let quotient = input(gates, a.len() - 1);
    let rest = input(gates, (b.len() - 1).min(a.len() - 1));
    let width = a.len() + b.len();
    let (wide, factor) = (resized(&quotient, width), resized(b, width));
    let product = multiply(gates, &wide, &factor);
    let whole = add(gates, &product, &resized(&rest, width), Literal::FALSE);
    let fits = same(gates, &whole, a);
    let is_rest = less(gates, &rest, b);
    gates.assert(&[by_zero, fits]);
    gates.assert(&[by_zero, is_rest]);
    let masked = |gates: &mut Gates, bits: Bits| -> Bits {
        bits.into_iter()
            .map(|bit| gates.and(bit, !by_zero))
            .collect()
    };
    (masked(gates, quotient), masked(gates, rest))
}

/// Shifts by a natural number; what comes in, and what is left of a shift beyond all bits, is `fill`.
fn shift(gates: &mut Gates, a: &[Literal], by: &[Literal], fill: Literal, left: bool) -> Bits {
    let width = a.len();
    let mut bits = a.to_vec();
    let mut beyond = Literal::FALSE;
    for (stage, bit) in by.iter().enumerate() {
        let distance = 1_usize
            .checked_shl(stage as u32)
            .filter(|d| *d < width && stage < 63);
        let Some(distance) = distance else {
            beyond = gates.or(beyond, *bit);
            continue;
        };
        let source = |k: usize| match left {
            true => k.checked_sub(distance),
            false => Some(k + distance).filter(|k| *k < width),
        };
        let moved: Bits = (0..width)
            .map(|k| source(k).map_or(fill, |k| bits[k]))
            .collect();
        bits = choose(gates, *bit, &moved, &bits);
    }
    let nothing = vec![fill; width];
    choose(gates, beyond, &nothing, &bits)
}

/// The bits of a number with this interval, once those of its operands are written.
pub fn write(
    gates: &mut Gates,
    written: &FxHashMap<Term, Bits>,
    terms: &Terms,
    node: Node,
    interval: Interval,
) -> Bits {
    let width = width(interval);
    let bits = match node {
        Node::Number(number) => constant(number, width),
        Node::Unknown(_) => {
            let bits: Bits = (0..width).map(|_| gates.input()).collect();
            if interval.low >= 0 {
                gates.assert(&[!bits[width - 1]]);
            }
            let (low, high) = (
                constant(interval.low, width),
                constant(interval.high, width),
            );
            let (below, above) = (less(gates, &bits, &low), less(gates, &high, &bits));
            gates.assert(&[!below]);
            gates.assert(&[!above]);
            bits
        }
        Node::ToNumber(truth) => natural(vec![written[&truth][0]]),
        Node::If(condition, yes, no) => {
            let (yes, no) = (
                resized(&written[&yes], width),
                resized(&written[&no], width),
            );
            choose(gates, written[&condition][0], &yes, &no)
        }
        Node::Wrap { bits, signed, of } => {
            let lowest = resized(&written[&of], bits.into());
            match signed {
                true => lowest,
                false => natural(lowest),
            }
        }
        Node::Calculate(operation, a, b) => {
            let (a, b) = (&written[&a], &written[&b]);
            calculate(gates, operation, a, b, width)
        }
        _ => unreachable!(
            "{node:?} is a truth value, of {} terms",
            terms.cone([]).len()
        ),
    };
    let mut bits = resized(&bits, width);
    if interval.low >= 0 {
        bits[width - 1] = Literal::FALSE;
    }
    bits
}

fn calculate(
    gates: &mut Gates,
    operation: Operation,
    a: &[Literal],
    b: &[Literal],
    width: usize,
) -> Bits {
    let sign = |bits: &[Literal]| bits.last().copied().unwrap_or(Literal::FALSE);
    let negative = gates.or(sign(a), sign(b));
    let unless = |gates: &mut Gates, wrong: Literal, bits: Bits| -> Bits {
        bits.into_iter().map(|bit| gates.and(bit, !wrong)).collect()
    };
    let longest = a.len().max(b.len());
    match operation {
        Operation::Add => add(
            gates,
            &resized(a, width),
            &resized(b, width),
            Literal::FALSE,
        ),
        Operation::Subtract => {
            let b = inverted(&resized(b, width));
            add(gates, &resized(a, width), &b, Literal::TRUE)
        }
        Operation::Multiply => multiply(gates, &resized(a, width), &resized(b, width)),
        Operation::MultiplyModulo { bits } => {
            let (a, b) = (resized(a, bits.into()), resized(b, bits.into()));
            natural(multiply(gates, &a, &b))
        }
        Operation::Divide | Operation::Remainder => {
            let (x, y) = (absolute(gates, a), absolute(gates, b));
            let (quotient, rest) = divide(gates, &x, &y);
            let (result, is_negative) = match operation {
                Operation::Divide => (quotient, gates.xor(sign(a), sign(b))),
                _ => (rest, sign(a)),
            };
            let result = resized(&result, width.max(result.len()));
            let opposite = negated(gates, &result);
            choose(gates, is_negative, &opposite, &result)
        }
        Operation::BitAnd | Operation::BitOr | Operation::BitXor => {
            let pairs = resized(a, longest).into_iter().zip(resized(b, longest));
            let bits: Bits = pairs
                .map(|(x, y)| match operation {
                    Operation::BitAnd => gates.and(x, y),
                    Operation::BitOr => gates.or(x, y),
                    _ => gates.xor(x, y),
                })
                .collect();
            unless(gates, negative, bits)
        }
        Operation::ShiftLeftModulo { bits } => {
            let by = &b[..b.len() - 1];
            let shifted = shift(gates, &resized(a, bits.into()), by, Literal::FALSE, true);
            natural(unless(gates, sign(b), shifted))
        }
        Operation::ShiftRight | Operation::ArithmeticShiftRight => {
            let arithmetic = operation == Operation::ArithmeticShiftRight;
            let shifted = shift(gates, a, &b[..b.len() - 1], sign(a), false);
            let wrong = if arithmetic { sign(b) } else { negative };
            unless(gates, wrong, shifted)
        }
        // To the left, to a limit.
        _ => {
            let limit = constant(SHIFT_LIMIT, 66);
            let large = less(gates, &limit, a);
            // No factor that matters is larger than 2 to the power 64.
            let sixty_four = constant(64, 8);
            let far = less(gates, &sixty_four, b);
            let by = resized(b, 7);
            let shifted = shift(gates, &resized(a, 66 + 64), &by, Literal::FALSE, true);
            let over = less(gates, &limit, &shifted);
            let zero = constant(0, 1);
            let is_zero = same(gates, a, &zero);
            let too_large = gates.or(large, far);
            let too_large = gates.or(too_large, over);
            let too_large = gates.and(too_large, !is_zero);
            let shifted = unless(gates, is_zero, resized(&shifted, width.max(67)));
            let otherwise = match operation {
                Operation::ShiftLeftOrFar => constant(FAR, shifted.len().max(127)),
                _ => constant(0, shifted.len()),
            };
            let shifted = resized(&shifted, otherwise.len());
            let bits = choose(gates, too_large, &otherwise, &shifted);
            unless(gates, negative, bits)
        }
    }
}
