//! What is promised of every random program.

use super::{Options, labels, program};
use crate::lower::{Start, boolean_program};
use crate::report::diagnostics::render;
use crate::source::Source;
use std::sync::Arc;

/// The front end has nothing to say about the program, and it has its labels.
fn accepted(seed: u64, options: &Options) {
    let text = program(seed, options);
    let source = Arc::new(Source::new("random", text.clone().into_bytes()));
    let (program, diagnostics) = boolean_program(source.clone(), &Start::default());
    assert!(
        diagnostics.is_empty(),
        "seed {seed}: {}",
        render(&source, &diagnostics, false)
    );
    let program = program.expect("without diagnostics there is a program");
    for label in labels(seed, options) {
        let name = program.names.find(&label);
        let places = program.labels.iter().filter(|(_, n)| Some(*n) == name);
        assert_eq!(places.count(), 1, "seed {seed}: {label}\n{text}");
    }
}

#[test]
fn small_programs_are_accepted_without_a_word() {
    (0..500).for_each(|seed| accepted(seed, &Options::small()));
}

#[test]
fn programs_with_threads_are_accepted_without_a_word() {
    (0..500).for_each(|seed| accepted(seed, &Options::threaded()));
    let alone = Options {
        procedures: 1,
        ..Options::threaded()
    };
    (0..100).for_each(|seed| accepted(seed, &alone));
    let programs = (0..100).map(|seed| program(seed, &Options::threaded()));
    let all: String = programs.collect();
    for word in [
        "thread f1(",
        "thread_local",
        "start_thread f",
        "start_thread call f",
        "start_thread goto L",
        "end_thread;",
        "atomic begin",
        "atomic {",
        "atomic_begin;",
        "atomic_end;",
        "void init()",
        "void main()",
    ] {
        assert!(all.contains(word), "no program has `{word}`");
    }
}

#[test]
fn drivers_are_accepted_without_a_word() {
    (0..3).for_each(|seed| accepted(seed, &Options::driver()));
}

#[test]
fn programs_without_any_variable_are_accepted() {
    for options in [Options::small(), Options::driver()] {
        let options = Options {
            procedures: 3,
            globals: 0,
            locals: 0,
            parameters: 0,
            returns: 0,
            labels: 0,
            ..options
        };
        (0..100).for_each(|seed| accepted(seed, &options));
        let options = Options {
            procedures: 1,
            returns: 3,
            ..options
        };
        (0..100).for_each(|seed| accepted(seed, &options));
    }
}

#[test]
fn every_kind_of_statement_comes() {
    let all: String = (0..100)
        .map(|seed| program(seed, &Options::small()))
        .collect();
    for word in [
        "skip;",
        "print(",
        "goto ",
        "return",
        "constrain",
        " constrain '",
        "call ",
        "elsif",
        "else if",
        "else\n",
        "} else {",
        "while (",
        "assert(",
        "assume(",
        "constrain(",
        "dead ",
        "abortif(",
        "enforce",
        "schoose[",
        " ? ",
        "_, ",
        "dfs ",
        "void ",
        "bool ",
        "bool<2>",
        "not ",
        "~",
        "=>",
        "<=>",
        "^",
        "{",
    ] {
        assert!(all.contains(word), "no program has `{word}`");
    }
}

#[test]
fn a_seed_stands_for_the_same_bytes_for_ever() {
    let sum = |text: String| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    };
    let small: Vec<u64> = (0..3)
        .map(|seed| sum(program(seed, &Options::small())))
        .collect();
    let expected = [
        4_263_392_180_171_268_963,
        4_511_377_610_140_695_009,
        105_865_066_290_255_893,
    ];
    assert_eq!(small, expected);
    assert_eq!(
        sum(program(1, &Options::driver())),
        13_377_719_470_895_632_912
    );
}
