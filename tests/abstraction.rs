//! Predicate abstraction against the direct engine and the explicit twin, on random programs.

mod library;
#[path = "remopla/random.rs"]
mod random;

use derny::internals::check::Options;
use derny::internals::check::Subject;
use derny::internals::explicit::Budget;
use derny::internals::program::{Domain, Program};
use derny::internals::property::Property;
use derny::internals::refinement::{Conclusion, Loop, Plan};
use derny::internals::watch::{Gauge, Watch};
use derny::{Abstraction, Checker, Language, Overflow, PropertyKind as Kind, Reader, Verdict};
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
    first..first + 240 * more
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
            let (found, rounds) = decide(&program, &property, 200);
            if let Some(found) = violated(&found) {
                decided += 1;
                assert_eq!(found, expected, "seed {seed}, {text}\n{}", generated.text);
            } else if let Conclusion::Unknown(reason) = found {
                println!("seed {seed}, {text}: {reason:?} after {rounds} rounds");
            }
        }
    }
    println!("{decided} of {asked}");
    assert_eq!(decided, asked, "programs with few bits are always decided");
}

/// Formulas and termination: what is decided is what the twin says, and a lasso that is found is one.
#[test]
fn infinite_executions_are_those_of_the_twin() {
    let shapes = [
        "G A",
        "F A",
        "G F A",
        "F G A",
        "G (A -> X B)",
        "A U B",
        "X X A",
        "G (A -> F B)",
        "X (A | X B)",
        "G (A -> X !A)",
    ];
    let [mut asked, mut holding, mut violated, mut open] = [0; 4];
    for seed in seeds() {
        let generated = random::program(seed);
        let overflow = [Overflow::Error, Overflow::Wrap, Overflow::Block][(seed % 3) as usize];
        let program = read(&generated.text, overflow);
        let subject = Subject::Program(&program);
        let mut atoms = generated.conditions.clone();
        atoms.extend(generated.labels.iter().map(|label| format!("at({label})")));
        atoms.extend([
            "in(main)".to_owned(),
            "terminated".to_owned(),
            "error".to_owned(),
        ]);
        let pick = |k: u64| &atoms[(seed.wrapping_mul(7) + k) as usize % atoms.len()];
        let mut properties = vec![(Kind::Terminates, String::new())];
        for k in 0..3 {
            let shape = shapes[(seed + 3 * k) as usize % shapes.len()];
            let formula = shape.replace('A', "\u{1}").replace('B', "\u{2}");
            let formula = formula
                .replace('\u{1}', pick(k))
                .replace('\u{2}', pick(k + 3));
            properties.push((Kind::Ltl, formula));
        }
        for (kind, text) in properties {
            let property = library::property(&*program, kind, &text).expect("it is there");
            let Ok(expected) = subject.violates(&property, Budget::states(5_000)) else {
                continue;
            };
            asked += 1;
            let (found, _) = decide(&program, &property, 30);
            let place = format!("seed {seed}, {kind:?} {text}\n{}", generated.text);
            match found {
                Conclusion::Holds => {
                    holding += 1;
                    assert!(!expected, "{place}");
                }
                Conclusion::Violated(trace) => {
                    violated += 1;
                    assert!(expected && !trace.cycle.is_empty(), "{place}");
                }
                Conclusion::Unknown(reason) => {
                    open += 1;
                    println!("{reason:?}, {expected}: seed {seed}, {kind:?} {text}");
                }
            }
        }
    }
    println!("{asked} asked: {holding} hold, {violated} are violated, {open} are open");
    assert!(holding > asked / 8 && violated > asked / 8);
    assert!(open * 4 < asked, "{open} of {asked} are open");
}

/// A check by the library: its verdict, how many rounds it took, and the predicates it ended with.
fn check(
    text: &str,
    refinements: u64,
    predicates: &[String],
) -> (Option<Verdict>, u64, Vec<String>) {
    let reader = Reader::new()
        .language(Language::Remopla)
        .overflow(Overflow::Wrap);
    let model = reader.read_from("p.rem", std::io::Cursor::new(text.to_owned()));
    let model = model.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let report = Checker::new(&model)
        .abstraction(Abstraction::Predicates)
        .refinements(refinements)
        .predicates(predicates.iter().cloned())
        .check()
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    let finding = report.findings().next().expect("one property");
    let summary = finding
        .abstraction()
        .expect("it was looked at through predicates");
    (finding.verdict(), summary.rounds, summary.lines().collect())
}

/// What is known with some refinements is known with more, and what was used, given back, is enough.
#[test]
fn more_refinements_know_more_and_shown_predicates_suffice() {
    let mut given_back = 0;
    for seed in seeds().step_by(12) {
        let text = random::program(seed).text;
        let (verdict, rounds, predicates) = check(&text, 200, &[]);
        let mut known = None;
        for refinements in 0..4 {
            let (found, ..) = check(&text, refinements, &[]);
            assert!(known.is_none() || found == known, "seed {seed}\n{text}");
            assert!(found.is_none() || found == verdict, "seed {seed}\n{text}");
            known = found;
        }
        let (again, fewer, _) = check(&text, 200, &predicates);
        assert_eq!(again, verdict, "seed {seed}\n{text}");
        assert!(
            fewer <= rounds,
            "seed {seed}: {fewer} after {rounds}\n{predicates:?}\n{text}"
        );
        given_back += u32::from(fewer < rounds);
    }
    assert!(given_back > 0);
}

/// Whatever predicates there are: the boolean program of one round never says that something holds
/// which does not.
#[test]
fn any_predicates_are_sound() {
    for seed in seeds() {
        let generated = random::program(seed);
        let program = read(&generated.text, Overflow::Wrap);
        let property = library::property(&*program, Kind::Assertions, "").expect("it is there");
        let subject = Subject::Program(&program);
        let Ok(expected) = subject.violates(&property, Budget::states(20_000)) else {
            continue;
        };
        // Conditions of the generator, where they are on globals, and some comparisons of those.
        let mut lines: Vec<String> = Vec::new();
        for (number, cell) in program.globals.iter().enumerate() {
            let name = program.names.text(cell.name);
            lines.push(match (cell.domain, (seed as usize + number) % 3) {
                (Domain::Boolean, _) => name.to_owned(),
                (_, 0) => format!("{name} <= 1"),
                (_, 1) => format!("{name} == {}", seed % 2),
                _ => format!("({name} & 1) == 0"),
            });
        }
        let (found, ..) = check(&generated.text, seed % 3, &lines);
        let expected = if expected {
            Verdict::Violated
        } else {
            Verdict::Holds
        };
        assert!(
            found.is_none() || found == Some(expected),
            "seed {seed} {lines:?}\n{}",
            generated.text
        );
    }
}

/// Each boolean program that is kept is decided by the binary as in its round.
#[test]
fn kept_rounds_are_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let derny = env!("CARGO_BIN_EXE_derny");
    let run = |arguments: &[&str]| {
        let output = std::process::Command::new(derny)
            .args(arguments)
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let keep = folder.path().to_str().expect("a name");
    let shown = run(&[
        "check",
        "examples/packets.c",
        "--abstraction",
        "predicates",
        "--show-predicates",
        "--keep",
        keep,
    ]);
    assert_eq!(
        shown,
        "holds assertions\nlock == 0\nlock == 1\nmain: packets == old\n"
    );
    let rounds = (1..)
        .take_while(|n| folder.path().join(format!("{n}.bp")).exists())
        .count();
    assert_eq!(rounds, 3);
    for round in 1..=rounds {
        let file = folder.path().join(format!("{round}.bp"));
        let verdict = run(&["check", file.to_str().expect("a name"), "--no-trace"]);
        let expected = if round == rounds { "holds" } else { "violated" };
        assert!(verdict.starts_with(expected), "{round}: {verdict}");
        let trace = folder.path().join(format!("{round}.trace.json"));
        assert_eq!(trace.exists(), round != rounds);
    }
    let given = folder.path().join("3.predicates");
    let again = run(&[
        "check",
        "examples/packets.c",
        "--predicates",
        given.to_str().expect("a name"),
        "--refinements",
        "0",
    ]);
    assert_eq!(again, "holds assertions\n");
}

#[test]
fn other_languages_have_no_predicates() {
    let model =
        derny::Model::parse(Language::BooleanProgram, "main() begin skip; end").expect("a program");
    let refused = Checker::new(&model)
        .abstraction(Abstraction::Predicates)
        .check();
    assert!(matches!(refused, Err(derny::Error::Unsupported(_))));
}

#[test]
fn mistakes_in_predicates_are_told() {
    let text = "define DEFAULT_INT_BITS 4\nint x;\nmodule void main() { x = 1; assert(x == 1); }";
    let model = Reader::new()
        .language(Language::Remopla)
        .read_from("p.rem", std::io::Cursor::new(text));
    let model = model.expect("a program");
    for wrong in [
        "y == 1",
        "x ==",
        "f: x == 1",
        "(x == 1",
        "x == 1)",
        "x 1",
        "",
    ] {
        let refused = Checker::new(&model).predicates([wrong]).check();
        assert!(
            matches!(refused, Err(derny::Error::Properties(_))),
            "{wrong}"
        );
    }
}

/// Loops whose invariants are sums and multiples of variables; `T` is a type of integers.
const SUMS: [&str; 6] = [
    // x + y == n
    "int main(void) { T n = nondet(), x = 0, y = n; while (x != n) { x++; y--; } assert(y == 0); }",
    // i + j == k
    "int main(void) { T i = 0, j = 0, k = 0; while (nondet()) { if (nondet()) i++; else j++; k++; }
     assert((T)(i + j) == k); }",
    // x == 2 * i
    "int main(void) { T n = nondet(), x = 0, i = 0; while (i != n) { i++; x += 2; }
     assert(x == (T)(2 * n)); }",
    // x == y + 3
    "int main(void) { T x = nondet(), y = x - 3; while (nondet()) { x += 2; y++; y++; }
     assert((T)(y + 3) == x); }",
    // a + b + c == 7
    "int main(void) { T a = nondet(), b = nondet(), c = 7 - a - b;
     while (nondet()) { if (nondet()) { a--; b++; } else { b--; c++; } }
     assert((T)(a + b + c) == 7); }",
    // r == 2 * i, and what a call returns
    "T twice(T x) { T r = 0, i = 0; while (i != x) { r += 2; i++; } return r; }
     int main(void) { T x = nondet(), y = twice(x); assert(y == (T)(x + x)); }",
];

/// With narrow numbers, what predicates say is what the direct engine says; with wide ones, they prove
/// it in a few rounds.
#[test]
fn sums_are_found() {
    for text in SUMS {
        for (of, abstraction) in [
            ("unsigned char", Abstraction::None),
            ("unsigned char", Abstraction::Predicates),
            ("unsigned", Abstraction::Predicates),
            ("int", Abstraction::Predicates),
        ] {
            let header = "unsigned nondet(void);";
            let program = format!("#include <assert.h>\n{header}\ntypedef {of} T;\n{text}\n");
            let model = Reader::new()
                .language(Language::C)
                .read_from("p.c", std::io::Cursor::new(program.clone()));
            let model = model.unwrap_or_else(|error| panic!("{error}\n{program}"));
            let report = Checker::new(&model)
                .abstraction(abstraction)
                .refinements(20)
                .check()
                .unwrap_or_else(|error| panic!("{error}\n{program}"));
            let finding = report.findings().next().expect("one property");
            assert_eq!(
                finding.verdict(),
                Some(Verdict::Holds),
                "{abstraction:?}\n{program}\n{:?}",
                finding.abstraction()
            );
        }
    }
}

/// Formulas about C programs, with numbers that are too wide for anything but predicates.
#[test]
fn formulas_about_wide_numbers() {
    let program = "#include <assert.h>
unsigned nondet(void);
unsigned a, b, busy;
int main(void) {
  while (1) {
    a = nondet();
    b = a + 7;
    busy = 1;
    if (b - 7 == a)
      busy = 0;
  }
}";
    let model = Reader::new()
        .language(Language::C)
        .read_from("p.c", std::io::Cursor::new(program));
    let model = model.expect("a program");
    for (kind, formula, expected) in [
        (
            Kind::Ltl,
            "G ({busy == 1} -> F {busy == 0})",
            Verdict::Holds,
        ),
        (Kind::Ltl, "G F {busy == 1}", Verdict::Holds),
        (Kind::Ltl, "F G {busy == 0}", Verdict::Violated),
        (
            Kind::Ltl,
            "G ({busy == 1} -> X {busy == 0})",
            Verdict::Violated,
        ),
        (
            Kind::Ltl,
            "G ({busy == 1} -> (X {busy == 0} || X X {busy == 0}))",
            Verdict::Holds,
        ),
        (Kind::Terminates, "", Verdict::Violated),
    ] {
        let report = Checker::new(&model)
            .abstraction(Abstraction::Predicates)
            .property(derny::Property::new(kind, formula))
            .check()
            .unwrap_or_else(|error| panic!("{error}: {formula}"));
        let finding = report.findings().next().expect("one property");
        assert_eq!(finding.verdict(), Some(expected), "{formula}");
        let has_trace = finding.trace().is_some();
        assert_eq!(has_trace, expected == Verdict::Violated, "{formula}");
    }
}
