//! Automata against the evaluator: random formulas, all small formulas, the corpus.

mod common;

use common::{Random, compare, corpus, plain_words};
use ltl2ba_rs::{
    Automaton, Formula, Node, NodeId, Options, Proposition, Unary, accepts, degeneralized,
    evaluate, hoa, parse, translate, translate_generalized,
};

fn both(formula: &Formula) -> (Automaton, Automaton) {
    let options = Options::default();
    let automaton = translate(formula, &options).expect("a small formula");
    let negation = translate(&formula.negated(), &options).expect("a small formula");
    (automaton, negation)
}

#[test]
fn random_formulas_agree_with_the_evaluator() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..600 {
        let propositions = 1 + random.below(3);
        let size = 2 + round % 9;
        let formula = match round % 3 {
            0 => random.fairness(propositions, 2 + round % 4),
            _ => random.formula(propositions, size),
        };
        let (automaton, negation) = both(&formula);
        let mut words = plain_words(propositions);
        words.extend((0..60).map(|_| random.word(propositions)));
        compare(&formula, &automaton, &negation, &words);
    }
}

#[test]
fn generalized_and_unreduced_automata_agree_with_the_evaluator() {
    let mut random = Random(0x0ddb_a11c_afe0_0001);
    let unreduced = Options {
        reduce: false,
        ..Options::default()
    };
    for round in 0..300 {
        let formula = random.formula(2, 2 + round % 7);
        let generalized = translate_generalized(&formula, &Options::default()).unwrap();
        let plain = translate(&formula, &unreduced).unwrap();
        let again = degeneralized(&generalized, &Options::default()).unwrap();
        assert!(again.state_based && again.acceptance_sets == 1);
        for _ in 0..50 {
            let word = random.word(2);
            let expected = evaluate(&formula, &word);
            assert_eq!(
                accepts(&generalized, &word),
                expected,
                "generalized {formula} {word:?}"
            );
            assert_eq!(
                accepts(&plain, &word),
                expected,
                "unreduced {formula} {word:?}"
            );
            assert_eq!(
                accepts(&again, &word),
                expected,
                "degeneralized {formula} {word:?}"
            );
        }
    }
}

/// All formulas of up to five nodes over two propositions, each built once; those of five
/// on fewer words.
#[test]
fn all_small_formulas_agree_with_the_evaluator() {
    let unaries = [Unary::Not, Unary::Next, Unary::Finally, Unary::Globally];
    let mut formula = Formula::new();
    let a = formula.add_proposition(Proposition::word("a"));
    let b = formula.add_proposition(Proposition::word("b"));
    let mut by_size: Vec<Vec<NodeId>> = vec![Vec::new()];
    by_size.push(vec![
        formula.add(Node::Proposition(a)),
        formula.add(Node::Proposition(b)),
    ]);
    for size in 2..=5 {
        let mut made = Vec::new();
        for operator in unaries {
            for f in by_size[size - 1].clone() {
                made.push(formula.add(Node::Unary(operator, f)));
            }
        }
        for left in 1..size - 1 {
            for operator in common::BINARIES {
                for f in by_size[left].clone() {
                    for g in by_size[size - 1 - left].clone() {
                        made.push(formula.add(Node::Binary(operator, f, g)));
                    }
                }
            }
        }
        by_size.push(made);
    }
    // Every word with a stem of up to two and a cycle of up to two letters.
    let letters: Vec<Vec<bool>> = (0..4).map(|l| vec![l & 1 == 1, l & 2 == 2]).collect();
    let mut words = Vec::new();
    for stem in 0..=2usize {
        for cycle in 1..=2usize {
            for choice in 0..4usize.pow((stem + cycle) as u32) {
                let letter = |at: usize| letters[choice >> (2 * at) & 3].clone();
                words.push(ltl2ba_rs::Lasso {
                    stem: (0..stem).map(letter).collect(),
                    cycle: (stem..stem + cycle).map(letter).collect(),
                });
            }
        }
    }
    let mut count = 0;
    for made in &by_size[1..] {
        for &root in made {
            formula.set_root(root);
            // A clean arena, so that the evaluator does not work on all of them.
            let one = parse(&formula.to_string())
                .expect("printed formulas parse")
                .formula;
            let order: Vec<usize> = one
                .propositions()
                .iter()
                .map(|p| usize::from(p.text == "b"))
                .collect();
            let automaton = translate(&one, &Options::default()).unwrap();
            for word in words
                .iter()
                .step_by(if count < 638 { 1 } else { 7 + count % 5 })
            {
                let pick = |rows: &Vec<Vec<bool>>| -> Vec<Vec<bool>> {
                    rows.iter()
                        .map(|row| order.iter().map(|&p| row[p]).collect())
                        .collect()
                };
                let word = ltl2ba_rs::Lasso {
                    stem: pick(&word.stem),
                    cycle: pick(&word.cycle),
                };
                assert_eq!(
                    accepts(&automaton, &word),
                    evaluate(&one, &word),
                    "{one} on {word:?}"
                );
            }
            count += 1;
        }
    }
    assert_eq!(count, 2 + 8 + 68 + 560 + 5264);
}

#[test]
fn the_corpus_agrees_with_the_evaluator_and_survives_hoa() {
    let mut random = Random(0xfeed_beef_0bad_f00d);
    for (file, formulas) in corpus() {
        for text in formulas {
            // The great members of the families take seconds without optimisation; the
            // example program `corpus` with `--check` goes through all of them.
            if text.len() > 120 && file.starts_with("fam-") {
                continue;
            }
            let formula = parse(&text).expect("corpus formulas parse").formula;
            let propositions = formula.propositions().len();
            if file.starts_with("fam-") && propositions > 7 {
                continue;
            }
            let (automaton, negation) = both(&formula);
            let mut words = plain_words(propositions);
            words.extend((0..50).map(|_| random.word(propositions)));
            // Checking a word is quadratic in the automaton.
            if automaton.states > 60 || negation.states > 60 {
                words.truncate(10);
            }
            compare(&formula, &automaton, &negation, &words);
            for automaton in [automaton, negation] {
                let again = hoa::read(&automaton.to_hoa(&text)).expect("our own HOA");
                assert_eq!(again, automaton, "{text}");
            }
        }
    }
}

#[test]
fn generalized_automata_survive_hoa() {
    let mut random = Random(0xabcd_ef01_2345_6789);
    for _ in 0..200 {
        let formula = random.formula(3, 6);
        let automaton = translate_generalized(&formula, &Options::default()).unwrap();
        let again = hoa::read(&automaton.to_hoa("x")).expect("our own HOA");
        assert_eq!(again, automaton, "{formula}");
    }
}

#[test]
fn translations_are_deterministic() {
    let text = "G (p -> F q) & (G F r | F G s) & (x U (y R z))";
    let formula = parse(text).unwrap().formula;
    let first = translate(&formula, &Options::default()).unwrap();
    for _ in 0..3 {
        let again = translate(&parse(text).unwrap().formula, &Options::default()).unwrap();
        assert_eq!(first.to_hoa(text), again.to_hoa(text));
    }
}
