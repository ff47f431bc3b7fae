//! Sums modulo a power of two in one form: each summand once, in order, with a factor, and one constant.
//!
//! A wrapped sum is a number modulo 2ⁿ, and so is each part of it that was wrapped to no fewer bits. So
//! `(a - 1) + (b + 1)` is the same term as `a + b`, which a solver has to find out bit by bit. Large sums
//! stay as they are: each would repeat what the one before it consists of.

use super::{Node, Term, Terms};
use crate::program::{Operation, wrap};
use std::collections::BTreeMap;

/// The nodes of a sum, ...
const NODES: usize = 32;
/// ... its summands, ...
const SUMMANDS: usize = 6;
/// ... their factors, ...
const LARGEST_FACTOR: i128 = 1 << 16;
/// ... and the bits that it is wrapped to: then all numbers on the way are those of terms.
const NUMBER_BITS: u8 = 64;

/// The summands of a number, with their factors between -2ⁿ⁻¹ and 2ⁿ⁻¹, and the constant among them.
struct Sum {
    factors: BTreeMap<Term, i128>,
    constant: i128,
}

impl Terms {
    /// A number that is the same modulo 2ⁿ; equal sums are equal terms, as long as they are small.
    pub(super) fn modulo(&mut self, number: Term, bits: u8) -> Term {
        let Some(sum) = self.summands(number, bits) else {
            return number;
        };
        let (positive, negative): (Vec<_>, Vec<_>) =
            sum.factors.into_iter().partition(|(_, factor)| *factor > 0);
        let mut whole = self.number(0);
        for (operation, summands) in [(Operation::Add, positive), (Operation::Subtract, negative)] {
            for (term, factor) in summands {
                let factor = self.number(factor.abs());
                let product = self.calculate(Operation::Multiply, factor, term);
                whole = self.calculate(operation, whole, product);
            }
        }
        let constant = self.number(sum.constant.abs());
        match sum.constant < 0 {
            true => self.calculate(Operation::Subtract, whole, constant),
            false => self.calculate(Operation::Add, whole, constant),
        }
    }

    /// What a number is the sum of modulo 2ⁿ, unless that is too much.
    fn summands(&self, number: Term, bits: u8) -> Option<Sum> {
        if bits > NUMBER_BITS {
            return None;
        }
        // Between -2ⁿ⁻¹ and 2ⁿ⁻¹, so that products of two fit.
        let rest = |number: i128| wrap(number, bits, true);
        let mut factors: BTreeMap<Term, i128> = BTreeMap::new();
        let mut constant = 0;
        let mut open = vec![(number, 1)];
        let mut nodes = 0;
        while let Some((term, factor)) = open.pop() {
            nodes += 1;
            if nodes > NODES || factors.len() > SUMMANDS {
                return None;
            }
            match self.get(term) {
                Node::Number(number) => constant = rest(constant + rest(factor * rest(number))),
                Node::Calculate(Operation::Add, a, b) => open.extend([(a, factor), (b, factor)]),
                Node::Calculate(Operation::Subtract, a, b) => {
                    open.extend([(a, factor), (b, rest(-factor))]);
                }
                Node::Calculate(Operation::Multiply, a, b) => {
                    match (self.constant(a), self.constant(b)) {
                        (Some(number), _) => open.push((b, rest(factor * rest(number)))),
                        (_, Some(number)) => open.push((a, rest(factor * rest(number)))),
                        _ => add(&mut factors, term, factor, bits),
                    }
                }
                Node::Wrap { bits: more, of, .. } if more >= bits => open.push((of, factor)),
                _ => add(&mut factors, term, factor, bits),
            }
        }
        factors.retain(|_, factor| *factor != 0);
        let are_small = factors
            .values()
            .all(|factor| factor.abs() <= LARGEST_FACTOR);
        are_small.then_some(Sum { factors, constant })
    }
}

fn add(factors: &mut BTreeMap<Term, i128>, term: Term, factor: i128, bits: u8) {
    let sum = factors.entry(term).or_default();
    *sum = wrap(*sum + factor, bits, true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random::Random;
    use crate::program::Interval;
    use crate::terms::{Assignment, Sort, Unknown};

    /// Random sums of wrapped sums: in one form where they are equal, and worth what they were.
    #[test]
    fn sums_keep_their_values_and_have_one_form() {
        let mut random = Random::new(1, 9);
        let mut terms = Terms::default();
        let sort = Sort::Number(Interval::of_bits(8, false));
        let unknowns = [0; 3].map(|_| terms.unknown(sort));
        for _ in 0..500 {
            let bits = random.between(3, 8) as u8;
            let values = [0; 3].map(|_| i128::from(random.below(256)));
            let all = (0..).map(Unknown).zip(values);
            let assignment = Assignment(all.collect());
            // Of each unknown so many, and a constant, in random order and parts.
            let mut factors = [0; 3];
            let mut constant = 0;
            let mut sum = terms.number(0);
            for _ in 0..random.between(1, 4) {
                let which = random.below(4) as usize;
                let factor = i128::from(random.between(1, 3));
                let number = terms.number(factor);
                let summand = match unknowns.get(which) {
                    Some(unknown) => terms.calculate(Operation::Multiply, *unknown, number),
                    None => number,
                };
                let (operation, sign) = match random.percent(50) {
                    true => (Operation::Add, 1),
                    false => (Operation::Subtract, -1),
                };
                sum = terms.calculate(operation, sum, summand);
                match factors.get_mut(which) {
                    Some(known) => *known += sign * factor,
                    None => constant += sign * factor,
                }
                if random.percent(40) {
                    sum = terms.wrap(sum, bits + random.below(3) as u8, random.percent(50));
                }
            }
            let found = terms.wrap(sum, bits, true);
            let products = factors
                .iter()
                .zip(values)
                .map(|(factor, value)| factor * value);
            let expected = wrap(products.sum::<i128>() + constant, bits, true);
            assert_eq!(terms.evaluate(&[found], &assignment), [expected]);
            let mut again = terms.number(constant);
            for (unknown, factor) in unknowns.iter().zip(factors).rev() {
                let factor = terms.number(factor);
                let product = terms.calculate(Operation::Multiply, factor, *unknown);
                again = terms.calculate(Operation::Add, product, again);
            }
            assert_eq!(terms.wrap(again, bits, true), found);
        }
    }
}
