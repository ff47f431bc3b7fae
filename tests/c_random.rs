//! Random C programs: the lowered program against the interpreter of C, and the symbolic engine
//! against the explicit twin.
//!
//! What happens in an execution, whatever is chosen, the lowered program can do, too: where one
//! fails, the verdict is `violated`; where one comes to an undefined step or to what is outside, such
//! a place can be reached. Tiny programs get the same verdict from both engines. A program without
//! choices does what its one execution does, and nothing else.

#[path = "c_random/generator.rs"]
mod generator;
#[path = "c_random/reading.rs"]
mod reading;
#[path = "c_random/recursion.rs"]
mod recursion;

use derny::internals::check::{Board, Options, check};
use derny::internals::execution::{self, EndKind, Machine, Random};
use derny::internals::lower::c::{Lowered, Options as Lowering};
use derny::internals::program::PointId;
use derny::internals::property::Property;
use derny::internals::typing::{FunctionId, Program};
use derny::internals::watch::Watch;
use derny::{Engine, Verdict};
use generator::Generator;
use std::time::Instant;

/// How many executions of a program are tried.
const EXECUTIONS: u64 = 40;

/// The seeds: `DERNY_SEEDS=1000+500` is 500 of them from 1000 on.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let given = std::env::var("DERNY_SEEDS").ok();
    let given = given.as_deref().and_then(|text| {
        let (first, count) = text.split_once('+')?;
        Some((first.parse::<u64>().ok()?, count.parse::<u64>().ok()?))
    });
    let (first, count) = given.unwrap_or((1, usual));
    first..first + count
}

fn read(text: &str) -> (Lowered, Program, FunctionId) {
    let read = reading::read(text);
    let lowered = read.lowered(&Lowering::default());
    (lowered, read.tree, read.main)
}

fn verdict(lowered: &Lowered, property: Property, engine: Engine) -> Option<Verdict> {
    let board = Board::new(Instant::now(), 1);
    let options = Options {
        engine,
        trace: false,
        memory: 1 << 29,
        operations: 20_000,
        ..Options::default()
    };
    // What is out of budget has no verdict.
    let _ = check(
        &lowered.program,
        &[property],
        &options,
        &Watch::default(),
        &board,
    );
    board.verdict(0)
}

fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 29);
    let thread = thread.spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// How executions end: whether one fails, and whether one comes to an undefined step or outside.
fn executions(tree: &Program, main: FunctionId) -> (Option<u64>, Option<(u64, EndKind)>) {
    let (mut fails, mut stops) = (None, None);
    for seed in 1..=EXECUTIONS {
        let mut choices = Random::new(seed);
        let options = execution::Options::new(main);
        let mut machine = Machine::new(tree, options, &mut choices);
        match machine.run(2_000).map(|end| end.kind) {
            Some(EndKind::Failed(_)) => fails = fails.or(Some(seed)),
            Some(kind @ (EndKind::Undefined(_) | EndKind::Outside(_))) => {
                stops = stops.or(Some((seed, kind)));
            }
            _ => {}
        }
    }
    (fails, stops)
}

#[test]
fn no_execution_contradicts_a_verdict() {
    on_large_stack(|| {
        let (mut open, mut violated, mut holds, mut stopped) = (0, 0, 0, 0);
        for seed in seeds(11) {
            let text = Generator::program(seed, false);
            let begin = Instant::now();
            if std::env::var("DERNY_SHOW").is_ok_and(|what| what == "text") {
                eprintln!("{text}");
            }
            let (lowered, tree, main) = read(&text);
            if std::env::var_os("DERNY_SHOW").is_some() {
                eprintln!("{seed}: lowered, {:.1} s", begin.elapsed().as_secs_f64());
            }
            let (fails, stops) = executions(&tree, main);
            let found = verdict(&lowered, Property::Assertions, Engine::Symbolic);
            match found {
                None => open += 1,
                Some(Verdict::Violated) => violated += 1,
                Some(Verdict::Holds) => holds += 1,
            }
            if let (Some(Verdict::Holds), Some(by)) = (found, fails) {
                let outside: Vec<PointId> = points(&lowered, false);
                let is_outside = verdict(&lowered, Property::Reach(outside), Engine::Symbolic);
                assert_ne!(
                    is_outside,
                    Some(Verdict::Holds),
                    "program {seed} fails with choices {by}:\n{text}"
                );
            }
            if let Some((by, kind)) = stops {
                stopped += 1;
                let places = points(&lowered, true);
                let reached = verdict(&lowered, Property::Reach(places), Engine::Symbolic);
                assert_ne!(
                    reached,
                    Some(Verdict::Holds),
                    "program {seed} comes to {kind:?} with choices {by}:\n{text}"
                );
            }
            if std::env::var_os("DERNY_SHOW").is_some() {
                let seconds = begin.elapsed().as_secs_f64();
                eprintln!("{seed}: {found:?}, {seconds:.1} s");
            }
        }
        eprintln!("{violated} violated, {holds} hold, {open} open, {stopped} with a stop");
        assert!(violated > 0 && holds > 0 && stopped > 0);
    });
}

/// What no execution gets past: what is outside, and what is undefined, too, if that is asked.
fn points(lowered: &Lowered, with_undefined: bool) -> Vec<PointId> {
    let origin = &lowered.origin;
    let outside = origin.outside_points().map(|(point, _)| point);
    let undefined = origin.undefined_points().map(|(point, _)| point);
    outside
        .chain(undefined.filter(|_| with_undefined))
        .collect()
}

#[test]
fn both_engines_agree_on_tiny_programs() {
    on_large_stack(|| {
        let (mut compared, mut violated) = (0, 0);
        for seed in seeds(60) {
            let text = Generator::program(seed, true);
            let (lowered, _, _) = read(&text);
            for places in [None, Some(false), Some(true)] {
                let property = || match places {
                    None => Property::Assertions,
                    Some(undefined) => Property::Reach(points(&lowered, undefined)),
                };
                let symbolic = verdict(&lowered, property(), Engine::Symbolic);
                let explicit = verdict(&lowered, property(), Engine::Explicit);
                if let (Some(one), Some(other)) = (symbolic, explicit) {
                    compared += 1;
                    violated += usize::from(one == Verdict::Violated);
                    assert_eq!(one, other, "program {seed}, {places:?}:\n{text}");
                }
            }
        }
        eprintln!("{compared} compared, {violated} violated");
        assert!(compared > 60 && violated > 10);
    });
}

/// What the one execution of a program does, no more and no less, unless it comes to what is outside.
#[test]
fn programs_without_choices_do_what_they_do() {
    on_large_stack(|| {
        let mut counts = std::collections::BTreeMap::new();
        for seed in seeds(50) {
            let text = Generator::recursion(seed);
            let (lowered, tree, main) = read(&text);
            let mut choices = Random::new(seed);
            let options = execution::Options::new(main);
            let end = Machine::new(&tree, options, &mut choices).run(5_000);
            let reaches = |undefined: bool| {
                let places = match undefined {
                    true => lowered
                        .origin
                        .undefined_points()
                        .map(|(id, _)| id)
                        .collect(),
                    false => points(&lowered, false),
                };
                verdict(&lowered, Property::Reach(places), Engine::Symbolic)
            };
            let name = match (&end.map(|end| end.kind), reaches(false)) {
                (None, _) | (_, None) => "open",
                (_, Some(Verdict::Violated)) => "outside",
                (Some(EndKind::Failed(_)), _) => "fails",
                (Some(EndKind::Undefined(_)), _) => "undefined",
                (Some(EndKind::Outside(kind)), _) => panic!("program {seed} is {kind:?}:\n{text}"),
                _ => "ends",
            };
            *counts.entry(name).or_insert(0) += 1;
            if name == "open" || name == "outside" {
                continue;
            }
            let of = |is: bool| match is {
                true => Some(Verdict::Violated),
                false => Some(Verdict::Holds),
            };
            let fails = verdict(&lowered, Property::Assertions, Engine::Symbolic);
            assert_eq!(fails, of(name == "fails"), "program {seed}:\n{text}");
            assert_eq!(
                reaches(true),
                of(name == "undefined"),
                "program {seed}:\n{text}"
            );
        }
        eprintln!("{counts:?}");
        for name in ["fails", "undefined", "ends"] {
            assert!(
                counts.get(name).is_some_and(|count| *count > 2),
                "{counts:?}"
            );
        }
    });
}
