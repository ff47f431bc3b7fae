//! Sizes and classes that must not get worse. The sums are those of the lists of pattern
//! formulas; the single automata are minimal by hand.

mod common;

use common::corpus;
use ltl2ba_rs::{Automaton, Class, Options, TranslateError, parse, translate};

fn automaton(text: &str) -> Automaton {
    translate(&parse(text).unwrap().formula, &Options::default()).unwrap()
}

#[test]
fn small_automata_have_their_known_size_and_class() {
    for (text, states, edges, class) in [
        ("true", 1, 1, Class::Terminal),
        ("false", 1, 0, Class::Terminal),
        ("a", 2, 2, Class::Terminal),
        ("F a", 2, 3, Class::Terminal),
        ("a U b", 2, 3, Class::Terminal),
        ("G a", 1, 1, Class::Weak),
        ("F G a", 2, 3, Class::Weak),
        ("G F a", 2, 4, Class::General),
        ("G (a -> F b)", 2, 4, Class::General),
        ("F G a | G F b", 4, 8, Class::General),
        // Two guarantees of which one implies the other.
        ("F a & F (a & b)", 2, 3, Class::Terminal),
        // Valid and unsatisfiable formulas that no rule sees.
        ("(X a U b) | !X (a U (a & b))", 1, 1, Class::Terminal),
        ("G F a & F G !a", 1, 0, Class::Terminal),
    ] {
        let automaton = automaton(text);
        let size = (automaton.states, automaton.edges.len(), automaton.class());
        assert_eq!(size, (states, edges, class), "{text}");
    }
}

#[test]
fn the_pattern_lists_stay_small() {
    let goals = [
        ("beem", 56, 122),
        ("dac", 213, 587),
        ("eh", 43, 97),
        ("liberouter", 227, 1114),
        ("sb", 83, 158),
    ];
    for (file, formulas) in corpus() {
        let Some(&(_, states, edges)) = goals.iter().find(|(name, ..)| *name == file) else {
            continue;
        };
        let automata: Vec<Automaton> = formulas.iter().map(|text| automaton(text)).collect();
        let sum_states: u32 = automata.iter().map(|automaton| automaton.states).sum();
        let sum_edges: usize = automata.iter().map(|automaton| automaton.edges.len()).sum();
        assert!(sum_states <= states, "{file}: {sum_states} states");
        assert!(sum_edges <= edges, "{file}: {sum_edges} edges");
    }
}

#[test]
fn there_is_no_sink() {
    for text in ["G a", "a U b", "G (a -> X b)", "a & X !a"] {
        let automaton = automaton(text);
        for state in 0..automaton.states {
            let stuck = automaton
                .edges_from(state)
                .iter()
                .all(|edge| edge.target == state);
            assert!(!stuck || automaton.is_accepting(state), "{text}");
        }
    }
}

#[test]
fn limits_are_named() {
    let formula = parse("F a & F b & F c & F d").unwrap().formula;
    let options = Options {
        state_limit: 3,
        ..Options::default()
    };
    let error = translate(&formula, &options).unwrap_err();
    assert_eq!(error, TranslateError::TooManyStates { limit: 3 });
    assert!(error.to_string().contains("state_limit"));
}
