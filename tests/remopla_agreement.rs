//! On random Remopla programs, `post*`, `pre*` and the explicit engine agree, whatever happens
//! to numbers that do not fit; and every trace replays.

mod library;
#[path = "remopla/random.rs"]
mod random;

use derny::internals::check::{Finding, Options, Subject, TraceFinding};
use derny::internals::explicit::{self, Budget};
use derny::internals::program::Program;
use derny::internals::property::{Property, assertions, spelling};
use derny::internals::{cycles, order};
use derny::{Acceleration, CycleMethod as Method, Direction, Order, Overflow};
use derny::{PropertyKind as Kind, Verdict};
use library::read_remopla as read;
use random::Generated;
use std::sync::Arc;

const MEMORY: u64 = 16 << 20;

/// How many path edges the explicit engine may have, and how many in a product.
const STATES: Budget<'static> = Budget::states(60_000);

/// What is asked: text for messages, and the property.
fn properties(program: &Program, generated: &Generated, seed: u64) -> Vec<(String, Property)> {
    let mut asked = vec![
        (Kind::Assertions, "assertions".to_owned()),
        (Kind::Terminates, "terminates".to_owned()),
        (Kind::Assertion, "others".to_owned()),
    ];
    let places = assertions(program).into_iter();
    asked.extend(places.map(|(place, _)| (Kind::Assertion, spelling(place))));
    asked.extend(generated.labels.iter().map(|l| (Kind::Reach, l.clone())));
    let mut atoms = generated.conditions.clone();
    atoms.extend(generated.labels.iter().take(3).cloned());
    atoms.push("in(main)".to_owned());
    let shapes = [
        "G F A",
        "F G A",
        "F A",
        "G A",
        "G (A -> F B)",
        "A U B",
        "F (A && X B)",
        "(G F A) -> G F B",
        "X X A",
        "F error || G A",
        "F terminated || G F A",
        "F (error && A)",
        "G (A -> X (B R !A))",
    ];
    for turn in 0..3 {
        let pick = |k: u64| {
            let number = seed.wrapping_mul(7).wrapping_add(turn * 3 + k);
            atoms[(number % atoms.len() as u64) as usize].clone()
        };
        let shape = shapes[((seed + 5 * turn) % shapes.len() as u64) as usize];
        let formula = shape.replace('A', "\u{1}").replace('B', "\u{2}");
        let formula = formula
            .replace('\u{1}', &pick(0))
            .replace('\u{2}', &pick(1));
        asked.push((Kind::Ltl, formula));
    }
    let resolved =
        asked.into_iter().map(
            |(kind, text)| match library::property(program, kind, &text) {
                Ok(property) => (text, property),
                Err(error) => panic!("{error}\n{}", generated.text),
            },
        );
    resolved.collect()
}

/// Options that should not matter, one mixture for each number.
fn options(program: &Program, direction: Direction, mixture: u64) -> Options {
    let pick = |share: u64, count: usize| (mixture / share % count as u64) as usize;
    let methods = [
        Method::Auto,
        Method::Owcty,
        Method::EmersonLei,
        Method::Closure,
    ];
    let accelerate = [
        Acceleration::Auto,
        Acceleration::Always,
        Acceleration::Never,
    ];
    // As if each trace was too long to be unfolded, or even to be shown.
    let limits = [100_000, 20, 0];
    // Rounds are folded where a trace is longer than that.
    let patience = [2_000, 3, 0];
    // All bits the other way round.
    let subject = Subject::Program(program);
    let cells = order::cells_of(&subject.rules(subject.layout(), false));
    let mut groups = order::sequential(&cells);
    groups.reverse();
    groups.iter_mut().for_each(|group| group.high_first = true);
    let backwards = Order::Given(order::show(&cells, &groups));
    Options {
        direction,
        memory: MEMORY,
        trace_limit: limits[pick(1, 3)],
        trace_patience: patience[pick(2, 3)],
        accelerate: accelerate[pick(3, 3)],
        order: [Order::Interleaved, backwards][pick(9, 2)].clone(),
        cycles: cycles::Options {
            method: methods[pick(18, 4)],
            rough_components: pick(72, 2) == 0,
        },
        ..Options::default()
    }
}

/// Whether each property is violated.
fn symbolic(
    program: &Arc<Program>,
    properties: &[(String, Property)],
    options: &Options,
) -> Result<Vec<bool>, String> {
    let list: Vec<Property> = properties.iter().map(|(_, p)| p.clone()).collect();
    let findings = library::findings(&**program, &list, options);
    let findings = findings.map_err(|error| format!("{error:?} with {options:?}"))?;
    report(program, properties, &findings);
    let mut violated = Vec::new();
    for (finding, (text, _)) in findings.into_iter().zip(properties) {
        let verdict = finding.verdict.ok_or("a property is undecided")?;
        let traced = !matches!(finding.trace, TraceFinding::None | TraceFinding::TooDeep);
        if traced != (verdict == Verdict::Violated) {
            return Err(format!("{text}: {verdict:?}, and a trace: {traced}"));
        }
        violated.push(verdict == Verdict::Violated);
    }
    Ok(violated)
}

/// What is found can be shown.
fn report(program: &Arc<Program>, properties: &[(String, Property)], findings: &[Finding]) {
    let properties = properties
        .iter()
        .map(|(text, _)| derny::Property::ltl(text));
    let report = derny::internals::report(program, properties.zip(findings.iter().cloned()));
    let (mut text, mut json) = (Vec::new(), Vec::new());
    report.write_text(&mut text).unwrap();
    report.write_json(&mut json).unwrap();
    let _: serde_json::Value = serde_json::from_slice(&json).unwrap();
}

/// The same by the explicit engine; `None` where it meets too many states.
fn explicit(program: &Program, properties: &[(String, Property)]) -> Vec<Option<bool>> {
    let reachable = explicit::reachable(program, STATES).ok();
    let decide = |property: &Property| match property {
        Property::Reach(points) => {
            let reached = &reachable.as_ref()?.points;
            Some(points.iter().any(|point| reached.contains(point)))
        }
        Property::Assertions => Some(reachable.as_ref()?.error),
        Property::Assertion(points) => {
            let failed = &reachable.as_ref()?.failed;
            Some(points.iter().any(|point| failed.contains(&Some(*point))))
        }
        Property::OtherFailures => Some(reachable.as_ref()?.failed.contains(&None)),
        Property::Terminates => explicit::has_infinite_run(program, STATES).ok(),
        Property::Temporal(temporal) => explicit::violates(program, temporal, STATES).ok(),
        Property::OnTop { .. } | Property::Unsupported => unreachable!("not in Remopla"),
    };
    properties.iter().map(|(_, p)| decide(p)).collect()
}

/// How many verdicts were compared: held, violated.
fn compare(seed: u64, overflow: Overflow) -> Result<[usize; 2], String> {
    let generated = random::program(seed);
    let program = read(&generated.text, overflow);
    let properties = properties(&program, &generated, seed);
    let run = |direction, mixture| {
        let options = options(&program, direction, mixture);
        symbolic(&program, &properties, &options)
    };
    let forward = run(Direction::Forward, seed)?;
    let backward = run(Direction::Backward, seed / 2 + 1)?;
    let explicit = explicit(&program, &properties);
    let mut verdicts = [0, 0];
    for (i, (text, _)) in properties.iter().enumerate() {
        if forward[i] != backward[i] || explicit[i].is_some_and(|found| found != forward[i]) {
            return Err(format!(
                "{text}: violated forward {}, backward {}, explicit {:?}",
                forward[i], backward[i], explicit[i]
            ));
        }
        if explicit[i].is_some() {
            verdicts[usize::from(forward[i])] += 1;
        }
    }
    Ok(verdicts)
}

fn compare_all(seeds: std::ops::Range<u64>) {
    let mut failures = Vec::new();
    let mut verdicts = [0, 0];
    for seed in seeds {
        for overflow in [Overflow::Error, Overflow::Wrap, Overflow::Block] {
            let run = || compare(seed, overflow);
            let found = std::panic::catch_unwind(run);
            match found.unwrap_or_else(|_| Err("a panic".to_owned())) {
                Ok(found) => (0..2).for_each(|i| verdicts[i] += found[i]),
                Err(failure) => {
                    // One program is enough to begin with.
                    let text = match failures.is_empty() {
                        true => random::program(seed).text,
                        false => String::new(),
                    };
                    failures.push(format!("seed {seed} {overflow:?}: {failure}\n{text}"));
                }
            }
        }
    }
    eprintln!("{verdicts:?}");
    let count = failures.len();
    failures.truncate(12);
    assert!(
        failures.is_empty(),
        "{count} failures:\n{}",
        failures.join("\n")
    );
}

#[test]
fn engines_agree_on_random_programs() {
    let (first, count) = match std::env::var("DERNY_SEEDS") {
        Ok(text) => {
            let (first, count) = text.split_once('+').unwrap_or((&text, "1"));
            (first.parse().unwrap(), count.parse().unwrap())
        }
        Err(_) => (0, 60),
    };
    compare_all(first..first + count);
}

/// Programs and properties of which a hand proof says whether they are violated, whatever
/// happens to numbers that do not fit.
#[test]
fn hand_made_programs() {
    let cases = [
        // The callee sees the same arbitrary value that its caller finds afterwards.
        (
            "bool b, seen;
            module void f() { seen = b; }
            module void main() { f(), b = undef; assert (seen == b); }",
            Kind::Assertions,
            "assertions",
            false,
        ),
        (
            "bool b, seen;
            module void f() { seen = b; }
            module void main() { b = true; f(), b = undef; if :: b -> Y: skip; :: else -> N: skip; fi }",
            Kind::Reach,
            "N",
            true,
        ),
        // The value that is chosen names the element, and is overwritten by the result.
        (
            "module int(1) f() { return 1; }
            module void main() {
              int a[2](1);
              a[1] = 0; a[a[0]] = f(), a[0] = undef; assert (a[0] == 0 || a[1] == 0);
            }",
            Kind::Assertions,
            "assertions",
            true,
        ),
        (
            "module int(1) f() { return 1; }
            module void main() {
              int a[2](1);
              a[1] = 0; a[a[0]] = f(), a[0] = undef; skip (a[1] == 0); assert (a[0] == 1);
            }",
            Kind::Assertions,
            "assertions",
            false,
        ),
    ];
    for (text, kind, property, violated) in cases {
        for overflow in [Overflow::Error, Overflow::Wrap, Overflow::Block] {
            let program = read(text, overflow);
            let Ok(resolved) = library::property(&*program, kind, property) else {
                panic!("there is no {property}: {text}");
            };
            let properties = [(property.to_owned(), resolved)];
            for direction in [Direction::Forward, Direction::Backward] {
                for mixture in 0..9 {
                    let options = options(&program, direction, mixture);
                    let found = symbolic(&program, &properties, &options);
                    assert_eq!(found, Ok(vec![violated]), "{overflow:?} {options:?} {text}");
                }
            }
            assert_eq!(explicit(&program, &properties), [Some(violated)], "{text}");
        }
    }
}
