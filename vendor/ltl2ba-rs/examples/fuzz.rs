//! Compares automata of random formulas with the evaluator, for as many as one likes.
//!
//! ```text
//! cargo run --release --example fuzz -- [FORMULAS] [SEED]
//! ```
//!
//! Each formula is translated as it is and negated, reduced and not, generalised and
//! degeneralised again, and each automaton is asked about 60 words. Prints the first
//! formula that goes wrong and fails, or the number of formulas compared.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Random, plain_words};
use ltl2ba_rs::{Options, accepts, degeneralized, evaluate, translate, translate_generalized};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>());
    let count = arguments.next().and_then(Result::ok).unwrap_or(10_000);
    let seed = arguments.next().and_then(Result::ok).unwrap_or(1);
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let options = Options::default();
    let unreduced = Options {
        reduce: false,
        ..Options::default()
    };
    for done in 0..count {
        let propositions = 1 + random.below(4);
        let size = 2 + random.below(14);
        let formula = match random.below(2) {
            0 => random.formula(propositions, size),
            _ => random.fairness(propositions, 1 + size / 2),
        };
        let generalized = translate_generalized(&formula, &options);
        let results = [
            ("reduced", false, translate(&formula, &options)),
            ("unreduced", false, translate(&formula, &unreduced)),
            ("negated", true, translate(&formula.negated(), &options)),
            ("generalized", false, generalized.clone()),
            (
                "again",
                false,
                generalized.and_then(|automaton| degeneralized(&automaton, &options)),
            ),
        ];
        let mut words = plain_words(propositions);
        words.extend((0..60).map(|_| random.word(propositions)));
        for (what, negated, result) in results {
            let automaton = match result {
                Ok(automaton) => automaton,
                Err(error) => {
                    println!("{formula}: {error}");
                    continue;
                }
            };
            // Checking a word is quadratic in the automaton.
            let shown = if automaton.states > 100 {
                5
            } else {
                words.len()
            };
            for word in &words[..shown] {
                if accepts(&automaton, word) != evaluate(&formula, word) ^ negated {
                    println!("WRONG after {done} formulas, {what}: {formula}\non {word:?}");
                    return ExitCode::FAILURE;
                }
            }
        }
    }
    println!("{count} formulas compared");
    ExitCode::SUCCESS
}
