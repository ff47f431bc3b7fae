//! Pushdown systems nobody wrote: every way to decide a property symbolically gives the
//! verdict of the explicit engine, and every violation comes with a trace that was replayed.
//!
//! A failure is made small, by taking out lines, before it is shown.

mod library;
#[path = "temporal/random.rs"]
mod random;
#[path = "pushdown/system.rs"]
mod system;

use derny::internals::check::{Options, Subject, TraceFinding};
use derny::internals::cycles;
use derny::internals::explicit::Budget;
use derny::internals::property::Property;
use derny::internals::pushdown::System;
use derny::{Acceleration, CycleMethod as Method, Direction, PropertyKind as Kind, Verdict};
use random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

const MEMORY: u64 = 16 << 20;
/// What the engine with explicit states may keep, so that no system takes long.
const EXPLICIT_STATES: Budget<'static> = Budget::states(30_000);

fn read(text: &str) -> Option<Arc<System>> {
    library::pushdown_system(text).ok()
}

fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        for method in [
            Method::Auto,
            Method::Owcty,
            Method::EmersonLei,
            Method::Closure,
        ] {
            ways.push(Options {
                direction,
                memory: MEMORY,
                cycles: cycles::Options {
                    method,
                    rough_components: method != Method::Owcty,
                },
                trace: method != Method::EmersonLei,
                ..Options::default()
            });
        }
    }
    ways.push(Options {
        memory: MEMORY,
        accelerate: Acceleration::Always,
        ..Options::default()
    });
    // Folds what returns, or has no trace to show.
    ways.push(Options {
        memory: MEMORY,
        trace_limit: 3,
        ..Options::default()
    });
    // Folds the rounds of loops.
    ways.push(Options {
        memory: MEMORY,
        trace_limit: 9,
        trace_patience: 2,
        ..Options::default()
    });
    ways
}

fn decide(system: &System, property: &Property, options: &Options) -> Result<bool, String> {
    let name = format!(
        "{:?} {:?} {:?} trace {}",
        options.direction, options.accelerate, options.cycles.method, options.trace
    );
    let properties = std::slice::from_ref(property);
    let run = || library::findings(system, properties, options);
    let finding = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(mut findings)) => findings.remove(0),
        Ok(Err(error)) => return Err(format!("{name}: {error:?}")),
        Err(_) => return Err(format!("{name}: panicked")),
    };
    let violated = finding.verdict.ok_or("undecided")? == Verdict::Violated;
    let traced = !matches!(finding.trace, TraceFinding::None | TraceFinding::TooDeep);
    match traced == (violated && options.trace) {
        true => Ok(violated),
        false => Err(format!(
            "{name}: violated {violated}, and a trace: {traced}"
        )),
    }
}

/// Whether a property is violated; `None` if that is too much for explicit states.
fn compare(text: &str, kind: Kind, asked: &str, ways: &[Options]) -> Result<Option<bool>, String> {
    let system = read(text).ok_or("the system has errors")?;
    let property = library::property(&*system, kind, asked)?;
    let explicit = catch_unwind(AssertUnwindSafe(|| {
        Subject::System(&system).violates(&property, EXPLICIT_STATES)
    }));
    let Ok(expected) = explicit.map_err(|_| "explicitly: panicked")? else {
        return Ok(None);
    };
    for way in ways {
        let found = decide(&system, &property, way)?;
        if found != expected {
            return Err(format!(
                "{:?} {:?} {:?}: not {expected}",
                way.direction, way.accelerate, way.cycles.method
            ));
        }
    }
    Ok(Some(expected))
}

/// Takes out lines as long as the comparison still fails in the same way.
fn shrink(mut text: String, kind: Kind, asked: &str, ways: &[Options], error: &str) -> String {
    let deadline = Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let lines: Vec<&str> = text.lines().collect();
        let without = (0..lines.len()).map(|i| {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != i);
            kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
        });
        let smaller = without
            .into_iter()
            .filter(|_| Instant::now() < deadline)
            .find(|smaller| compare(smaller, kind, asked, ways).err().as_deref() == Some(error));
        match smaller {
            Some(smaller) => text = smaller,
            None => return text,
        }
    }
}

fn formula(random: &mut Random, vocabulary: &[String]) -> String {
    let shapes = [
        "F A",
        "G A",
        "G F A",
        "F G A",
        "A U B",
        "G (A -> F B)",
        "G F A && G F B",
        "F (A && X B)",
        "G (A -> X (B R !A))",
        "!(G F A && G F B && F G C)",
        "F A || G F B",
        "(G F A) -> G F B",
        "G (A -> X X B)",
        "!A U (B && F C)",
        "F G (A || B)",
    ];
    let mut text = String::new();
    for c in random.pick(&shapes).chars() {
        match c {
            'A' | 'B' | 'C' => text.push_str(random.pick::<String>(vocabulary)),
            _ => text.push(c),
        }
    }
    text
}

fn compare_seeds(seeds: std::ops::Range<u64>) {
    let all = ways();
    let (mut violated, mut held, mut beyond) = (0, 0, 0);
    let mut failures = Vec::new();
    for seed in seeds {
        let (text, vocabulary) = system::system(seed);
        let random = &mut Random::new(seed ^ 0x5eed);
        let mut asked: Vec<(Kind, String)> = vec![(Kind::Terminates, String::new())];
        let symbols: Vec<_> = vocabulary
            .iter()
            .filter(|w| w.starts_with('s') && !w.contains('('))
            .collect();
        let symbol = random.pick(&symbols);
        asked.push((Kind::Reach, (*symbol).clone()));
        asked.push((Kind::Reach, format!("{}:{symbol}", system::STATES[0])));
        for _ in 0..4 {
            asked.push((Kind::Ltl, formula(random, &vocabulary)));
        }
        // Two ways each, so that all are covered by few systems.
        for (kind, asked) in asked {
            let first = random.below(all.len());
            let second = random.below(all.len());
            let ways = [all[first].clone(), all[second].clone()];
            match compare(&text, kind, &asked, &ways) {
                Ok(Some(true)) => violated += 1,
                Ok(Some(false)) => held += 1,
                Ok(None) => beyond += 1,
                Err(error) if failures.len() < 5 => {
                    let text = shrink(text.clone(), kind, &asked, &ways, &error);
                    failures.push(format!(
                        "seed {seed}: {error}\n{}: {asked}\n{text}\n",
                        kind.name()
                    ));
                }
                Err(_) => failures.push(format!("seed {seed}")),
            }
        }
    }
    println!("{violated} violated, {held} held, {beyond} too large");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        violated > 20 && held > 20,
        "not all alike: {violated} violated, {held} held"
    );
    assert!(beyond < violated + held, "{beyond} were too large");
}

/// More seeds can be asked for.
#[test]
fn engines_agree() {
    let factor = std::env::var("DERNY_MORE_SEEDS").ok();
    let factor: u64 = factor.and_then(|f| f.parse().ok()).unwrap_or(1);
    compare_seeds(0..120 * factor);
}
