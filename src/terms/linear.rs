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
