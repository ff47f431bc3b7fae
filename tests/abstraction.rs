//! Predicate abstraction against the direct engine and the explicit twin, on random programs.

mod library;
#[path = "remopla/random.rs"]
mod random;

use derny::internals::check::Options;
use derny::internals::check::Subject;
use derny::internals::explicit::Budget;
use derny::internals::program::Program;
use derny::internals::property::Property;
use derny::internals::refinement::{Conclusion, Loop, Plan};
use derny::internals::watch::{Gauge, Watch};
use derny::{Overflow, PropertyKind as Kind};
use library::read_remopla as read;

fn decide(program: &Program, property: &Property, refinements: u64) -> (Conclusion, u64) {
    let options = Options {
        memory: 64 << 20,
        ..Options::default()
    };
    let plan = Plan {
        refinements,
        ..Plan::default()
    };
    let watch = Watch::default();
    let mut turn = Loop::new(
        program,
        Vec::new(),
        plan,
        &options,
        &watch,
        Gauge::default(),
    );
    let conclusion = turn.decide(property).expect("it is small");
    (conclusion, turn.rounds)
}

fn violated(conclusion: &Conclusion) -> Option<bool> {
    match conclusion {
        Conclusion::Holds => Some(false),
        Conclusion::Violated(_) => Some(true),
        Conclusion::Unknown(_) => None,
    }
}

fn seeds() -> std::ops::Range<u64> {
    let more = std::env::var("DERNY_MORE_SEEDS").ok();
    let more: u64 = more.and_then(|text| text.parse().ok()).unwrap_or(1);
    let first = std::env::var("DERNY_FIRST").ok();
    let first: u64 = first.and_then(|text| text.parse().ok()).unwrap_or(0);
    first..first + 60 * more
}

#[test]
fn verdicts_are_those_of_the_twin() {
    let mut decided = 0;
    let mut asked = 0;
    for seed in seeds() {
        let generated = random::program(seed);
        let overflow = [Overflow::Error, Overflow::Wrap, Overflow::Block][(seed % 3) as usize];
        let program = read(&generated.text, overflow);
        let mut properties = vec![(Kind::Assertions, "assertions".to_owned())];
        properties.extend(
            generated
                .labels
                .iter()
                .map(|label| (Kind::Reach, label.clone())),
        );
        for (kind, text) in properties {
            let property = library::property(&*program, kind, &text).expect("it is there");
            let subject = Subject::Program(&program);
            let Ok(expected) = subject.violates(&property, Budget::states(20_000)) else {
                continue;
            };
            asked += 1;
            let begin = std::time::Instant::now();
            let (found, rounds) = decide(&program, &property, 40);
            if std::env::var("DERNY_TALK").is_ok() {
                println!(
                    "{seed} {text}: {:?} in {rounds} rounds, {:?}",
                    violated(&found),
                    begin.elapsed()
                );
            }
            if let Some(found) = violated(&found) {
                decided += 1;
                assert_eq!(found, expected, "seed {seed}, {text}\n{}", generated.text);
            } else if let Conclusion::Unknown(reason) = found {
                println!("seed {seed}, {text}: {reason:?} after {rounds} rounds");
            }
        }
    }
    println!("{decided} of {asked}");
    assert!(decided * 10 >= asked * 9);
}
