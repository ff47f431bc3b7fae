//! Temporal properties of programs nobody wrote: every engine, every direction and every way
//! to search cycles gives the verdict of the naive twin, and the laws of the logic hold
//! between verdicts.
//!
//! The library replays every trace and evaluates the formula on it by its definition, so a
//! violation that is none is an internal error here. A failure is made small, by taking out
//! lines and operators, before it is shown.

#[path = "temporal/formula.rs"]
mod formula;
mod library;
#[path = "temporal/looping.rs"]
mod looping;
#[path = "temporal/random.rs"]
mod random;

use derny::generate::random as generator;
use derny::internals::check::{Options, TraceFinding};
use derny::internals::cycles;
use derny::internals::explicit::{self, Budget};
use derny::internals::program::Program;
use derny::internals::property::Property;
use derny::{Acceleration, CycleMethod as Method, Direction, PropertyKind as Kind, Verdict};
use formula::{Formula, Vocabulary};
use random::Random;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

/// BDD nodes of programs this small take little; a larger store only takes time to make.
const MEMORY: u64 = 16 << 20;
/// What the engine with explicit states may keep, so that no program takes long.
const EXPLICIT_STATES: Budget<'static> = Budget::states(40_000);

fn read(text: &str) -> Option<Arc<Program>> {
    library::boolean_program(text).ok()
}

/// `None` if the text speaks of what the program does not have.
fn property(program: &Program, kind: Kind, text: &str) -> Option<Property> {
    library::property(program, kind, text).ok()
}

/// The ways to decide a property symbolically.
fn ways() -> Vec<Options> {
    let mut ways = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        for method in [
            Method::Auto,
            Method::Owcty,
            Method::EmersonLei,
            Method::Closure,
        ] {
            for rough_components in [true, false] {
                ways.push(Options {
                    direction,
                    memory: MEMORY,
                    cycles: cycles::Options {
                        method,
                        rough_components,
                    },
                    ..Options::default()
                });
            }
        }
        ways.push(Options {
            direction,
            memory: MEMORY,
            trace: false,
            ..Options::default()
        });
    }
    for trace in [true, false] {
        ways.push(Options {
            memory: MEMORY,
            accelerate: Acceleration::Always,
            trace,
            ..Options::default()
        });
    }
    // Folds every call that returns, or has no trace to show.
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

fn way_name(options: &Options) -> String {
    format!(
        "{:?} {:?} {:?} rough {} trace {} limit {}",
        options.direction,
        options.accelerate,
        options.cycles.method,
        options.cycles.rough_components,
        options.trace,
        options.trace_limit
    )
}

/// Whether the property is violated; `None` if the program is too large for the engine.
fn decide(
    program: &Program,
    property: &Property,
    options: &Options,
) -> Result<Option<bool>, String> {
    let properties = std::slice::from_ref(property);
    let run = || library::findings(program, properties, options);
    let finding = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(mut findings)) => findings.remove(0),
        Ok(Err(derny::Error::TooLarge)) => return Ok(None),
        Ok(Err(error)) => return Err(format!("{}: {error:?}", way_name(options))),
        Err(_) => return Err(format!("{}: panicked", way_name(options))),
    };
    let violated = finding.verdict.ok_or("undecided")? == Verdict::Violated;
    let traced = !matches!(finding.trace, TraceFinding::None | TraceFinding::TooDeep);
    let wanted = violated && options.trace;
    match traced == wanted {
        true => Ok(Some(violated)),
        false => Err(format!(
            "{}: violated {violated}, and a trace: {traced}",
            way_name(options)
        )),
    }
}

/// What the naive twin says; `None` if the program and the formula are too large for it.
fn explicitly(program: &Program, property: &Property) -> Result<Option<bool>, String> {
    let run = || match property {
        Property::Temporal(temporal) => explicit::violates(program, temporal, EXPLICIT_STATES),
        Property::Terminates => explicit::has_infinite_run(program, EXPLICIT_STATES),
        _ => explicit::reachable(program, EXPLICIT_STATES).map(|reached| reached.error),
    };
    let found = catch_unwind(AssertUnwindSafe(run));
    found
        .map(Result::ok)
        .map_err(|_| "explicitly: panicked".to_owned())
}

/// What to compare on one program.
enum Claim {
    /// All engines, the ways among those given.
    Engines(Kind, Formula),
    /// `f && g` holds iff both hold.
    And(Formula, Formula),
    /// One property holds iff the other does.
    Same(Kind, &'static str),
}

impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Claim::Engines(kind, formula) => write!(f, "{}: {formula}", kind.name()),
            Claim::And(left, right) => write!(f, "the conjunction of {left} and {right}"),
            Claim::Same(kind, formula) => write!(f, "{} is {formula}", kind.name()),
        }
    }
}

impl Claim {
    fn smaller(&self) -> Vec<Claim> {
        match self {
            Claim::Engines(Kind::Ltl, formula) => {
                let smaller = formula.smaller().into_iter();
                smaller.map(|f| Claim::Engines(Kind::Ltl, f)).collect()
            }
            Claim::And(left, right) => {
                let lefts = left.smaller().into_iter();
                let lefts = lefts.map(|l| Claim::And(l, right.clone()));
                let rights = right.smaller().into_iter();
                let rights = rights.map(|r| Claim::And(left.clone(), r));
                lefts.chain(rights).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the property of the claim is violated; `None` if that is not to be found out.
    fn test(&self, program: &Program, ways: &[Options]) -> Result<Option<bool>, String> {
        match self {
            Claim::Engines(kind, formula) => {
                let Some(property) = property(program, *kind, &formula.to_string()) else {
                    return Ok(None);
                };
                let Some(expected) = explicitly(program, &property)? else {
                    return Ok(None);
                };
                let mut wrong = Vec::new();
                for way in ways {
                    match decide(program, &property, way) {
                        Ok(found) if found == Some(expected) => {}
                        Ok(_) => wrong.push(format!("{}: not {expected}", way_name(way))),
                        Err(error) => wrong.push(error),
                    }
                }
                match wrong.is_empty() {
                    true => Ok(Some(expected)),
                    false => Err(wrong.join("\n")),
                }
            }
            Claim::And(left, right) => {
                let both = Formula::binary("&&", left.clone(), right.clone());
                let mut found = Vec::new();
                for formula in [left, right, &both] {
                    let Some(property) = property(program, Kind::Ltl, &formula.to_string()) else {
                        return Ok(None);
                    };
                    found.push(decide(program, &property, &ways[0])?);
                }
                let [Some(left), Some(right), Some(both)] = found[..] else {
                    return Err("undecided".into());
                };
                match (left || right) == both {
                    true => Ok(Some(both)),
                    false => Err(format!("violated: {left}, {right}, together {both}")),
                }
            }
            Claim::Same(kind, formula) => {
                let found = property(program, *kind, "").zip(property(program, Kind::Ltl, formula));
                let Some((plain, temporal)) = found else {
                    return Ok(None);
                };
                for way in ways {
                    let plain = decide(program, &plain, way)?;
                    let temporal = decide(program, &temporal, way)?;
                    if plain != temporal {
                        let name = way_name(way);
                        return Err(format!("{name}: violated {plain:?}, {temporal:?}"));
                    }
                }
                decide(program, &plain, &ways[0])
            }
        }
    }

    /// Whether it fails in the very same way.
    fn fails(&self, text: &str, ways: &[Options], error: &str) -> bool {
        let test = |program: Arc<Program>| self.test(&program, ways).err();
        read(text).and_then(test).as_deref() == Some(error)
    }
}

/// Takes out lines and operators as long as the claim still fails in the same way.
fn shrink(mut text: String, mut claim: Claim, ways: &[Options], error: &str) -> (String, Claim) {
    let fails = |claim: &Claim, text: &str| claim.fails(text, ways, error);
    let deadline = Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let lines: Vec<&str> = text.lines().collect();
        let mut candidates = Vec::new();
        for length in [8, 4, 2, 1] {
            for begin in 0..=lines.len().saturating_sub(length) {
                candidates
                    .push([&lines[..begin], &lines[(begin + length).min(lines.len())..]].concat());
            }
        }
        // The two lines around a block.
        for first in 0..lines.len() {
            for second in first + 1..lines.len() {
                let kept = (0..lines.len()).filter(|i| *i != first && *i != second);
                candidates.push(kept.map(|i| lines[i]).collect());
            }
        }
        let smaller = candidates
            .into_iter()
            .map(|lines| lines.join("\n"))
            .find(|smaller| Instant::now() < deadline && fails(&claim, smaller));
        if let Some(smaller) = smaller {
            text = smaller;
            continue;
        }
        let smaller = claim.smaller().into_iter();
        let mut failing = smaller.filter(|c| Instant::now() < deadline && fails(c, &text));
        match failing.next() {
            Some(smaller) => claim = smaller,
            None => return (text, claim),
        }
    }
}

/// Failures, and how often a property was violated and held.
#[derive(Default)]
struct Tally {
    failures: Vec<String>,
    violated: usize,
    held: usize,
    beyond: usize,
    /// Seconds, and what took them.
    slowest: (f64, String),
}

impl Tally {
    fn test(&mut self, seed: u64, text: &str, claim: Claim, ways: &[Options]) {
        let program = read(text).unwrap_or_else(|| panic!("the program has errors:\n{text}"));
        let begin = Instant::now();
        let outcome = claim.test(&program, ways);
        let seconds = begin.elapsed().as_secs_f64();
        if seconds > self.slowest.0 {
            self.slowest = (seconds, format!("seed {seed}, {claim}"));
        }
        match outcome {
            Ok(Some(true)) => self.violated += 1,
            Ok(Some(false)) => self.held += 1,
            Ok(None) => self.beyond += 1,
            Err(_) if self.failures.len() >= 6 => self.failures.push(format!("seed {seed}")),
            Err(error) => {
                let (text, claim) = shrink(text.to_owned(), claim, ways, &error);
                let failure = format!("seed {seed}:\n{error}\n{claim}\n{text}\n");
                self.failures.push(failure);
            }
        }
    }

    fn finish(self) {
        let all = self.violated + self.held + self.beyond;
        println!(
            "{} violated, {} held, {} too large, slowest {:?}",
            self.violated, self.held, self.beyond, self.slowest
        );
        assert!(
            self.failures.is_empty(),
            "{} failures:\n{}",
            self.failures.len(),
            self.failures.join("\n")
        );
        assert!(self.beyond * 5 <= all, "{} are too large", self.beyond);
        assert!(
            self.violated * 20 >= all && self.held * 20 >= all,
            "not all alike: {} violated, {} hold",
            self.violated,
            self.held
        );
    }
}

/// How many seeds each test takes; more can be asked for.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let factor = std::env::var("DERNY_MORE_SEEDS").ok();
    let factor = factor.and_then(|f| f.parse().ok()).unwrap_or(1);
    0..usual * factor
}

fn library_options() -> generator::Options {
    generator::Options {
        procedures: 3,
        globals: 2,
        locals: 1,
        parameters: 1,
        statements: 5,
        recursion: 60,
        calls: 30,
        assumes: 3,
        asserts: 3,
        ..generator::Options::small()
    }
}

/// Some of the ways: all are used over a few seeds.
fn some_ways(seed: u64) -> Vec<Options> {
    let ways = ways();
    let mut chosen = vec![ways[0].clone()];
    for i in 0..4 {
        chosen.push(ways[(seed as usize * 5 + i * 4) % ways.len()].clone());
    }
    chosen
}

fn formulas(program: &Program, seed: u64, count: usize) -> Vec<Formula> {
    let vocabulary = Vocabulary::of(program);
    let mut random = Random::new(seed ^ 0x5eed);
    let size = |random: &mut Random| 1 + random.below(5);
    (0..count)
        .map(|_| {
            let size = size(&mut random);
            vocabulary.formula(&mut random, size)
        })
        .collect()
}

#[test]
fn looping_programs() {
    let mut tally = Tally::default();
    for seed in seeds(500) {
        let text = looping::program(seed);
        let program = read(&text).unwrap_or_else(|| panic!("seed {seed} has errors:\n{text}"));
        for formula in formulas(&program, seed, 2) {
            tally.test(
                seed,
                &text,
                Claim::Engines(Kind::Ltl, formula),
                &some_ways(seed),
            );
        }
    }
    tally.finish();
}

#[test]
fn programs_of_the_generator() {
    let options = library_options();
    let mut tally = Tally::default();
    for seed in seeds(200) {
        let text = generator::program(seed, &options);
        let program = read(&text).unwrap_or_else(|| panic!("seed {seed} has errors:\n{text}"));
        for formula in formulas(&program, seed, 2) {
            tally.test(
                seed,
                &text,
                Claim::Engines(Kind::Ltl, formula),
                &some_ways(seed),
            );
        }
    }
    tally.finish();
}

#[test]
fn every_way_agrees_on_termination() {
    let mut tally = Tally::default();
    for seed in seeds(150) {
        let text = looping::program(seed + 10_000);
        let nothing = Formula::Atom("terminates".into());
        tally.test(
            seed,
            &text,
            Claim::Engines(Kind::Terminates, nothing),
            &some_ways(seed),
        );
    }
    tally.finish();
}

#[test]
fn termination_is_a_formula() {
    let mut tally = Tally::default();
    for seed in seeds(100) {
        let text = looping::program(seed + 20_000);
        let claim = Claim::Same(Kind::Terminates, "F (terminated || error)");
        tally.test(seed, &text, claim, &some_ways(seed)[..2]);
    }
    tally.finish();
}

/// An execution that failed stays in *error* for ever, so no `assume` cuts it off.
#[test]
fn assertions_are_a_formula() {
    let options = generator::Options {
        asserts: 12,
        ..library_options()
    };
    let mut tally = Tally::default();
    for seed in seeds(60) {
        let text = generator::program(seed + 30_000, &options);
        let claim = Claim::Same(Kind::Assertions, "G !error");
        tally.test(seed, &text, claim, &some_ways(seed)[..2]);
    }
    tally.finish();
}

#[test]
fn a_conjunction_holds_iff_both_hold() {
    let mut tally = Tally::default();
    for seed in seeds(100) {
        let text = looping::program(seed + 40_000);
        let program = read(&text).unwrap_or_else(|| panic!("seed {seed} has errors:\n{text}"));
        let mut pair = formulas(&program, seed + 40_000, 2);
        let (left, right) = (pair.remove(0), pair.remove(0));
        tally.test(seed, &text, Claim::And(left, right), &some_ways(seed));
    }
    tally.finish();
}

/// What the tests above are made of: each way is among those of some seed.
#[test]
fn no_way_is_left_out() {
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for way in (0..20).flat_map(some_ways) {
        *used.entry(way_name(&way)).or_default() += 1;
    }
    assert_eq!(used.len(), ways().len());
}
