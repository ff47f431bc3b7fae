//! Answers against enumeration.

use super::*;
use crate::program::{Domain, Operation, VariableId};
use crate::terms::Unknown;
use crate::terms::translate::translate;

fn prover() -> Prover {
    Prover::new(&Watch::default(), u64::MAX)
}

fn variables(terms: &mut Terms, bits: u8, count: usize) -> Vec<Term> {
    let sort = Sort::of(Domain::Integer { bits });
    (0..count).map(|_| terms.unknown(sort)).collect()
}

fn is_satisfiable(prover: &mut Prover, terms: &Terms, assumptions: &[Term]) -> bool {
    match prover.solve(terms, assumptions).expect("it is small") {
        Answer::Satisfiable(model) => {
            assert!(assumptions.iter().all(|term| terms.holds(*term, &model)));
            true
        }
        Answer::Unsatisfiable(_) => false,
    }
}

/// For each operation and all operands: exactly one result is possible, the right one.
#[test]
fn operators_in_bits_are_those_of_terms() {
    let arithmetic = [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::MultiplyModulo { bits: 3 },
        Operation::Divide,
        Operation::Remainder,
        Operation::BitAnd,
        Operation::BitOr,
        Operation::BitXor,
        Operation::ShiftLeft,
        Operation::ShiftLeftOrFar,
        Operation::ShiftLeftModulo { bits: 4 },
        Operation::ShiftRight,
        Operation::ArithmeticShiftRight,
    ];
    for operation in arithmetic {
        let mut terms = Terms::default();
        let sort = Sort::Number(crate::program::Interval { low: -5, high: 6 });
        let (a, b) = (terms.unknown(sort), terms.unknown(sort));
        let result = terms.calculate(operation, a, b);
        let mut prover = prover();
        for (x, y) in (-5..=6).flat_map(|x| (-5..=6).map(move |y| (x, y))) {
            let (x_term, y_term) = (terms.number(x), terms.number(y));
            let (is_x, is_y) = (terms.same(a, x_term), terms.same(b, y_term));
            let assignment = [(Unknown(0), x), (Unknown(1), y)].into_iter().collect();
            let expected = terms.evaluate(&[result], &Assignment(assignment))[0];
            let expected = terms.number(expected);
            let is_right = terms.same(result, expected);
            let is_wrong = terms.not(is_right);
            let right = is_satisfiable(&mut prover, &terms, &[is_x, is_y, is_right]);
            let wrong = is_satisfiable(&mut prover, &terms, &[is_x, is_y, is_wrong]);
            assert!(right && !wrong, "{operation:?} {x} {y}");
        }
    }
}

#[test]
fn wide_numbers_are_exact() {
    let mut terms = Terms::default();
    let of = variables(&mut terms, 64, 2);
    let sum = terms.calculate(Operation::Add, of[0], of[1]);
    let product = terms.calculate(Operation::MultiplyModulo { bits: 64 }, of[0], of[1]);
    let wrapped = terms.wrap(sum, 64, true);
    let (three, far) = (terms.number(3), terms.number(i128::from(u64::MAX) + 3));
    let lowest = terms.number(i128::from(i64::MIN));
    let mut prover = prover();
    let questions = [
        (terms.same(sum, far), true),
        (terms.same(wrapped, lowest), true),
        (terms.same(product, three), true),
    ];
    for (question, expected) in questions {
        assert_eq!(is_satisfiable(&mut prover, &terms, &[question]), expected);
    }
    let above = terms.number(1 << 65);
    let never = terms.less_equal(above, sum);
    assert_eq!(never, Term::FALSE);
}

/// Cores of random conjunctions: impossible by enumeration, and without any member possible.
#[test]
fn cores_are_impossible_and_minimal() {
    let mut seed = 1_u64;
    let mut random = |below: u64| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) % below
    };
    let mut unsatisfiable = 0;
    for _ in 0..60 {
        let mut terms = Terms::default();
        let of = variables(&mut terms, 2, 3);
        let mut assumptions = Vec::new();
        for _ in 0..6 {
            let operations = [
                Operation::Read(VariableId::Global(random(3) as u32)),
                Operation::Read(VariableId::Global(random(3) as u32)),
                [Operation::Add, Operation::Subtract, Operation::Multiply][random(3) as usize],
                Operation::Number(random(6)),
                [
                    Operation::Less,
                    Operation::NumbersEqual,
                    Operation::LessEqual,
                ][random(3) as usize],
            ];
            let read = &mut |_: &mut Terms, variable, _| match variable {
                VariableId::Global(index) => of[index as usize],
                VariableId::Local(_) => Term::FALSE,
            };
            let term = translate(&mut terms, &operations, read).term;
            assumptions.push(match random(2) {
                0 => term,
                _ => terms.not(term),
            });
        }
        let possible = |chosen: &[Term]| {
            (0..64_i128).any(|values| {
                let value = |k: u32| values >> (2 * k) & 3;
                let assignment = (0..3).map(|k| (Unknown(k), value(k))).collect();
                let found = terms.evaluate(chosen, &Assignment(assignment));
                found.iter().all(|value| *value == 1)
            })
        };
        let mut prover = prover();
        let core = prover
            .minimal_core(&terms, &assumptions)
            .expect("it is small");
        assert_eq!(core.is_none(), possible(&assumptions));
        let Some(core) = core else { continue };
        unsatisfiable += 1;
        let members: Vec<Term> = core.iter().map(|place| assumptions[*place]).collect();
        assert!(!possible(&members));
        for left_out in 0..members.len() {
            let mut others = members.clone();
            others.remove(left_out);
            assert!(possible(&others));
        }
    }
    assert!(unsatisfiable > 10);
}

#[test]
fn a_budget_ends_a_search() {
    let mut terms = Terms::default();
    let of = variables(&mut terms, 24, 2);
    let product = terms.calculate(Operation::Multiply, of[0], of[1]);
    // A product of two primes.
    let number = terms.number(9_999_991 * 9_999_973);
    let one = terms.number(1);
    let question = [
        terms.same(product, number),
        terms.less(one, of[0]),
        terms.less(of[0], of[1]),
    ];
    let mut prover = Prover::new(&Watch::default(), 10);
    let answer = prover.solve(&terms, &question);
    assert!(matches!(answer, Err(Abort::OverBudget)));
    let watch = Watch::default();
    watch.cancel();
    let mut prover = Prover::new(&watch, u64::MAX);
    assert!(matches!(
        prover.solve(&terms, &question),
        Err(Abort::Stop(_))
    ));
}
