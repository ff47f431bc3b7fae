//! Three engines that share little agree on programs nobody wrote: `post*` and `pre*` on BDDs,
//! and the naive twin on explicit states.
//!
//! Programs come from two sources: the generator of the library, whose programs are motley,
//! and trees that proptest makes, which shrink to a small program when something goes wrong.

mod library;
#[path = "agreement/tree.rs"]
mod tree;

use derny::generate::random;
use derny::internals::check::{Options, TraceFinding};
use derny::internals::program::Program;
use derny::internals::property::Property;
use derny::{Direction, Engine, PropertyKind as Kind, Verdict};
use library::{findings, property, read};
use proptest::prelude::*;

/// BDD nodes of programs this small take little; a larger store only takes time to make.
const MEMORY: u64 = 16 << 20;

/// Every label and the assertions.
fn properties(program: &Program, labels: &[String]) -> Vec<Property> {
    let property = |kind, text: &str| property(program, kind, text).expect("there is one");
    let mut properties: Vec<Property> = (labels.iter())
        .map(|label| property(Kind::Reach, label))
        .collect();
    properties.push(property(Kind::Assertions, "assertions"));
    properties
}

/// Whether each property is violated; `None` if the program is too large for the engine.
fn verdicts(
    program: &Program,
    properties: &[Property],
    engine: Engine,
    direction: Direction,
) -> Result<Option<Vec<bool>>, String> {
    let options = Options {
        engine,
        direction,
        memory: MEMORY,
        ..Options::default()
    };
    let findings = match findings(program, properties, &options) {
        Ok(findings) => findings,
        Err(derny::Error::TooLarge) => return Ok(None),
        Err(error) => return Err(format!("{engine:?} {direction:?}: {error:?}")),
    };
    let mut violated = Vec::new();
    for finding in findings {
        let verdict = finding.verdict.ok_or("a property is undecided")?;
        let traced = !matches!(finding.trace, TraceFinding::None | TraceFinding::TooDeep);
        if engine == Engine::Symbolic && traced != (verdict == Verdict::Violated) {
            return Err(format!("{verdict:?}, and a trace: {traced}"));
        }
        violated.push(verdict == Verdict::Violated);
    }
    Ok(Some(violated))
}

/// Compares the engines on one program; whether it was small enough for all of them, and how
/// many properties are violated.
fn compare(text: &str, labels: &[String]) -> Result<Option<(usize, usize)>, String> {
    let program = read(text);
    let properties = properties(&program, labels);
    let symbolic = |direction| {
        let found = verdicts(&program, &properties, Engine::Symbolic, direction)?;
        found.ok_or_else(|| "too large for BDDs".to_owned())
    };
    let forward = symbolic(Direction::Forward)?;
    let backward = symbolic(Direction::Backward)?;
    if forward != backward {
        return Err(format!("forward {forward:?}\nbackward {backward:?}"));
    }
    let explicit = verdicts(&program, &properties, Engine::Explicit, Direction::Forward)?;
    let Some(explicit) = explicit else {
        return Ok(None);
    };
    if forward != explicit {
        return Err(format!("symbolic {forward:?}\nexplicit {explicit:?}"));
    }
    let violated = forward.iter().filter(|violated| **violated).count();
    Ok(Some((violated, forward.len() - violated)))
}

/// As [`compare`], where a panic of an engine is a failure like any other.
fn compare_all(text: &str, labels: &[String]) -> Result<Option<(usize, usize)>, String> {
    let run = || compare(text, labels);
    std::panic::catch_unwind(run).unwrap_or_else(|_| Err("an engine panicked".to_owned()))
}

fn compare_seeds(seeds: std::ops::Range<u64>, options: &random::Options) {
    let mut failures = Vec::new();
    let (mut compared, mut violated, mut held) = (0, 0, 0);
    for seed in seeds.clone() {
        let text = random::program(seed, options);
        match compare_all(&text, &random::labels(seed, options)) {
            Ok(Some((v, h))) => {
                compared += 1;
                violated += v;
                held += h;
            }
            Ok(None) => {}
            Err(error) => {
                println!("seed {seed}: {error}\n{text}\n");
                failures.push(seed);
            }
        }
    }
    assert!(failures.is_empty(), "seeds that fail: {failures:?}");
    let programs = seeds.count();
    assert!(
        compared * 10 >= programs * 9,
        "{compared} of {programs} are small enough"
    );
    assert!(
        violated * 10 >= compared && held * 10 >= compared,
        "not all alike: {violated} violated, {held} hold"
    );
}

#[test]
fn small_random_programs() {
    compare_seeds(0..400, &random::Options::small());
}

#[test]
fn recursive_random_programs() {
    let options = random::Options {
        procedures: 3,
        globals: 2,
        statements: 5,
        recursion: 90,
        calls: 40,
        ..random::Options::small()
    };
    compare_seeds(0..150, &options);
}

#[test]
fn random_programs_with_many_jumps_and_dead_variables() {
    let options = random::Options {
        procedures: 2,
        globals: 2,
        statements: 6,
        gotos: 60,
        dead: 25,
        ..random::Options::small()
    };
    compare_seeds(0..150, &options);
}

#[test]
fn random_programs_with_relations_between_old_and_new_values() {
    let options = random::Options {
        procedures: 3,
        globals: 3,
        statements: 6,
        assumes: 25,
        relations: 80,
        ..random::Options::small()
    };
    let texts: String = (0..50)
        .map(|seed| random::program(seed, &options))
        .collect();
    assert!(texts.contains("constrain('") && texts.contains("constrain(!('"));
    compare_seeds(0..150, &options);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn trees(program in tree::program()) {
        let text = program.to_string();
        let outcome = compare_all(&text, &program.labels());
        prop_assert!(outcome.is_ok(), "{}\n{}", outcome.unwrap_err(), text);
    }
}
