//! Sets of configurations of pushdown systems against single ones: what `post*` and `pre*` of
//! a regular set hold is what the rules say, step by step, with whole stacks.

mod library;
#[path = "temporal/random.rs"]
mod random;
#[path = "configurations/sets.rs"]
mod sets;
#[path = "configurations/stacks.rs"]
mod stacks;
mod support;
#[path = "pushdown/system.rs"]
mod system;
#[path = "configurations/system_json.rs"]
mod system_json;

use derny::internals::configurations::{
    Language as _, PAutomaton, SystemNames, compile, with_model,
};
use derny::internals::pushdown::System;
use derny::internals::watch::{Stop, Watch};
use indexmap::IndexSet;
use proptest::prelude::*;
use random::Random;
use sets::{MEMORY, read_or_refused};
use stacks::{Configuration, any_configuration, reachable, read, starts};
use support::{Run, Written, derny};

/// A pushdown system with its exact model.
type Sets<'a> = sets::Sets<'a, SystemNames<'a>>;

/// How many heads there are, and how many configurations with an empty stack.
fn counts(sets: &Sets<'_>, automaton: &PAutomaton) -> [String; 2] {
    let count = sets.count(automaton);
    [count.heads.to_string(), count.terminated.to_string()]
}

fn with_sets<T>(system: &System, work: impl FnOnce(&Sets<'_>) -> T) -> T {
    let names = SystemNames::new(system);
    let watch = Watch::default();
    let result: Result<T, Stop> = with_model(&names, MEMORY, &watch, |model| {
        let names = &names;
        Ok(work(&Sets { names, model }))
    });
    result.unwrap()
}

/// Compares `post*` of some configurations with what was found step by step.
fn compare_post(
    text: &str,
    sets: &Sets<'_>,
    from: &str,
    found: &IndexSet<Configuration>,
    complete: bool,
) {
    let system = sets.names.system;
    let automaton = sets.post(from);
    let step = (found.len() / 40).max(1);
    for configuration in found.iter().step_by(step) {
        let written = configuration.written(system);
        let contained = sets.contains(&automaton, &written);
        assert!(contained, "{written} from {from}\n{text}");
        for number in (0..12).filter(|_| complete) {
            if let Some(other) = configuration.changed(system, number) {
                let written = other.written(system);
                let contained = sets.contains(&automaton, &written);
                let expected = found.contains(&other);
                assert_eq!(contained, expected, "{written} from {from}\n{text}");
            }
        }
    }
    if complete {
        let heads: IndexSet<_> = found.iter().filter_map(Configuration::top).collect();
        let empty = found.iter().filter(|c| c.stack.is_empty()).count();
        let expected = [heads.len().to_string(), empty.to_string()];
        assert_eq!(counts(sets, &automaton), expected, "{from}\n{text}");
    }
}

/// Locals of several kinds, symbols without any, arrays, several control states, pushes that
/// change the symbol below, values left open, pops to the empty stack.
const SYSTEMS: [&str; 6] = [
    "global int g(3); local (fac0, fac1) int n(3);
     (q (g = 1) <main0>)
     q <main0> --> q <fac0 main1> (n' = 3 & g' = g)
     q <fac0> --> q <> (n = 0 & g' = g)
     q <fac0> --> r <fac0 fac1> (n > 0 & n' = n-1 & n'' = n & g' = g)
     r <fac0> --> q <fac0> (g' = g & n' = n)
     q <fac1> --> q <> (g' = g * n)
     q <main1> --> p <> (g' = g)",
    // Below the pushed symbol nothing is kept, and neither is the global.
    "global bool g; local (a, b) bool x, y; local (c) int z(2);
     (p (g) <a (x & y)>)
     p <a> --> q <c b> (z' <= 1 & (x'' == y))
     q <c> --> q <c> (z' = z + 1)
     q <c> --> r <> (z = 2)
     r <b> --> p <> (x)
     r <b> --> q <b> (g' == x & y' == x)",
    // Arrays, and a local that hides a global.
    "global int a[1,2](1); bool h; local (s, t) bool h; int i(2);
     (p (A k (1,2) a[k] = 0 & !h) <s (i = 1 & h)>)
     p <s> --> p <t s> (A k (1,2) (k = i | a'[k] = a[k]) & a'[i] = 1 & i'' = i + 1 & h' ^ h)
     p <t> --> q <> (A k (1,2) a'[k] = a[k])
     q <s> --> p <s> (A k (1,2) a'[k] = a[k] & i' = i & (h' == h))",
    "global bool g; local (s) bool g;
     (p (g) <s (!g)>)
     p <s> --> q <t s> ((g' == g) & (g'' == g))
     q <t> --> r <> (g' == !g)
     r <s> --> r <>",
    // Three control states take two bits, of which one value means nothing.
    "(p <s>) p <s> --> q <s t> q <s> --> r <> r <t> --> p <> r <t> --> q <t t>",
    // Symbols and states that no execution from the start has.
    "global bool g; local (u, v) bool x;
     (p <s>) p <s> --> p <s> (g' == g)
     o <u> --> o <v u> (x' == x & (x'' == !x) & g' == g) o <v> --> n <> (g' == x) n <u> --> n <>",
];

#[test]
fn from_the_start() {
    let mut complete_systems = 0;
    for text in SYSTEMS {
        let system = read(text);
        let from = starts(&system).expect("few starts");
        let (found, complete) = reachable(&system, from, 5, 20_000).expect("few configurations");
        with_sets(&system, |sets| {
            compare_post(text, sets, &sets.names.start(), &found, complete);
        });
        complete_systems += usize::from(complete);
    }
    assert!(complete_systems > 2, "{complete_systems}");
    let (mut complete_systems, mut all) = (0, 0);
    for seed in 0..300 {
        let (text, _) = system::system(seed);
        let system = read(&text);
        let found = starts(&system).and_then(|from| reachable(&system, from, 4, 2_000));
        if let Some((found, complete)) = found {
            with_sets(&system, |sets| {
                compare_post(&text, sets, &sets.names.start(), &found, complete);
            });
            all += 1;
            complete_systems += usize::from(complete);
        }
    }
    assert!(
        complete_systems > 30 && all > 60,
        "{complete_systems} {all}"
    );
}

#[test]
fn from_anywhere() {
    let (mut complete_sets, mut all) = (0, 0);
    let random_systems = (0..200).map(|seed| system::system(seed).0);
    let texts: Vec<_> = SYSTEMS
        .map(str::to_owned)
        .into_iter()
        .chain(random_systems)
        .collect();
    for (seed, text) in texts.iter().enumerate() {
        let system = read(text);
        let mut random = Random::new(seed as u64);
        with_sets(&system, |sets| {
            for height in 0..4 {
                let from = any_configuration(&system, height, |below| random.below(below));
                let written = from.written(&system);
                let found = reachable(&system, [from], height + 2, 1_000);
                if let Some((found, complete)) = found {
                    compare_post(text, sets, &written, &found, complete);
                    all += 1;
                    complete_sets += usize::from(complete);
                }
            }
        });
    }
    assert!(complete_sets > 100 && all > 200, "{complete_sets} {all}");
}

#[test]
fn backwards_is_the_converse_of_forwards() {
    let mut answers = [0, 0];
    let random_systems = (0..120).map(|seed| system::system(seed).0);
    let systems: Vec<_> = SYSTEMS
        .map(str::to_owned)
        .into_iter()
        .chain(random_systems)
        .collect();
    for (seed, text) in systems.iter().enumerate() {
        let system = read(text);
        let mut random = Random::new(seed as u64);
        let mut texts: Vec<String> = Vec::new();
        for height in 0..3 {
            let from = any_configuration(&system, height, |below| random.below(below));
            texts.push(from.written(&system));
            if let Some((found, _)) = reachable(&system, [from], height + 2, 300) {
                texts.extend(found.iter().rev().take(2).map(|c| c.written(&system)));
            }
        }
        let state = system.names.text(system.states[system.start.state]);
        let symbol = system.symbol_name(system.start.symbol);
        texts.extend(["<>", "_ _", "<_>+"].map(str::to_owned));
        texts.push(state.to_owned());
        texts.push(format!("{state} <{symbol}> *"));
        texts.push(format!("<{symbol}> (_ <{symbol}>)*"));
        texts.dedup();
        with_sets(&system, |sets| {
            sets.compare_directions(&texts, text, &mut answers);
        });
    }
    assert!(answers.iter().all(|count| *count > 1_000), "{answers:?}");
}

/// Every control state with every value is a head, and no other number is one.
#[test]
fn all_configurations_are_counted() {
    for text in SYSTEMS {
        let system = read(text);
        let values = |cells: &[derny::internals::program::Cell]| {
            let sizes = cells.iter().map(|cell| cell.domain.size());
            sizes.product::<u128>()
        };
        let globals = values(&system.globals);
        let symbols = system.symbol_ids();
        let heads = symbols.map(|symbol| values(system.locals_of(Some(symbol))) * globals);
        let expected = [heads.sum::<u128>(), globals].map(|count| count.to_string());
        with_sets(&system, |sets| {
            assert_eq!(counts(sets, &sets.post("*")), expected, "{text}");
            assert_eq!(counts(sets, &sets.pre("*")), expected, "{text}");
            assert_eq!(counts(sets, &sets.pre("_* | <>")), expected, "{text}");
            let nothing = ["0", "0"].map(str::to_owned);
            assert_eq!(counts(sets, &sets.post("<_ {0 = 1}>")), nothing, "{text}");
        });
    }
}

/// What each symbol does not have is false there, if any may be meant.
#[test]
fn conditions_on_any_symbol() {
    let system = read(SYSTEMS[1]);
    with_sets(&system, |sets| {
        let given = |set: &str| {
            let heads = sets.given(set).heads;
            heads.iter().map(|(head, ..)| head.0).collect::<Vec<_>>()
        };
        let symbol = |name: &str| system.find_symbol(name).expect("a symbol").0;
        let (a, b, c) = (symbol("a"), symbol("b"), symbol("c"));
        let mut carriers = vec![a, b];
        carriers.sort_unstable();
        assert_eq!(given("<_ {x}>"), carriers);
        assert_eq!(given("<_ {z > 1}>"), [c]);
        assert_eq!(given("<_ {!x}>").len(), 3);
        assert_eq!(given("p {g} <_ {!g}>"), [0; 0]);
    });
}

fn run(system: &Written, command: &str, arguments: &[&str]) -> Run {
    let path = system.path();
    let path = path.to_str().expect("a plain path");
    derny(&[&[command, path, "--lang", "pds"], arguments].concat())
}

/// The JSON automaton, read as its description says, accepts what is reachable.
#[test]
fn the_automaton_in_json_accepts_what_is_reachable() {
    let (mut accepted, mut refused) = (0, 0);
    let random_systems = (0..60).map(|seed| system::system(seed).0);
    for text in SYSTEMS.map(str::to_owned).into_iter().chain(random_systems) {
        let system = read(&text);
        let found = starts(&system).and_then(|from| reachable(&system, from, 4, 300));
        let Some((found, complete)) = found else {
            continue;
        };
        let written = Written::new(&text);
        let json = run(&written, "post", &["--format", "json"]).json();
        let ends = run(&written, "pre", &["--to", "<>", "--format", "json"]).json();
        for configuration in found.iter().step_by((found.len() / 12).max(1)) {
            let contained = system_json::accepts(&system, &json["automaton"], configuration);
            assert!(contained, "{configuration:?}\n{text}");
            accepted += 1;
            if let Some((later, true)) = reachable(&system, [configuration.clone()], 6, 2_000) {
                let can_end = later.iter().any(|c| c.stack.is_empty());
                let contained = system_json::accepts(&system, &ends["automaton"], configuration);
                assert_eq!(contained, can_end, "{configuration:?}\n{text}");
            }
            for number in (0..6).filter(|_| complete) {
                if let Some(other) = configuration.changed(&system, number) {
                    let contained = system_json::accepts(&system, &json["automaton"], &other);
                    assert_eq!(contained, found.contains(&other), "{other:?}\n{text}");
                    refused += usize::from(!contained);
                }
            }
        }
    }
    assert!(accepted > 80 && refused > 100, "{accepted} {refused}");
}

/// Parts of sets, and what does not belong there.
fn fragments() -> impl Strategy<Value = String> {
    let parts = vec![
        "p",
        "q {g}",
        "p <",
        "<a>",
        "<>",
        "< >",
        "<c {z = 1}>",
        "<a {x &",
        ">",
        "{",
        "}",
        "(",
        ")",
        "|",
        "*",
        " *",
        "+",
        "?",
        "_",
        ".",
        " ",
        "<_ {x' }>",
        "<a {x''}>",
        "<hot>",
        "terminated",
        "{g = 1}",
        "<c {z < 99999999999999999999}>",
        "<c {z}>",
        "<a {A i (0,9) i = 1}>",
        "# ",
        "<a {g[0]}>",
        "é",
        "\u{0}",
        "<a b>",
        "<_ {1/0 = z}>",
        "\n",
        "state()",
        "<p>",
        "<a {#}>",
    ];
    let parts = prop_oneof![
        4 => proptest::sample::select(parts).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ];
    proptest::collection::vec(parts, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    /// Whatever is written is read, or refused with a place inside of it (or right behind).
    #[test]
    fn nothing_that_is_written_panics(text in fragments()) {
        let system = read(&SYSTEMS[1].replacen("p <a>", "atoms a hot atoms c hot p <a>", 1));
        let names = SystemNames::new(&system);
        if let Some(set) = read_or_refused(&names, &text) {
            let watch = Watch::default();
            let compiled = with_model(&names, MEMORY, &watch, |model| {
                compile(model, &set).map(|_| ())
            });
            prop_assert!(compiled.is_ok());
        }
    }
}

#[test]
fn membership_is_the_exit_code() {
    let file = format!("{}/examples/brackets.pds", env!("CARGO_MANIFEST_DIR"));
    for (set, answer) in [
        ("closed <bracket> <bottom>", "yes"),
        ("<bracket {kind}> <bracket {!kind}>+ <bottom>", "yes"),
        ("<bottom> <bracket> *", "no"),
        ("closed {last} <bottom> | <>", "yes"),
        ("<>", "no"),
        ("open | closed", "no"),
        ("* <bottom>", "yes"),
        ("_* <bracket>", "no"),
    ] {
        let run = derny(&["post", &file, "--contains", set]);
        assert_eq!(run.stdout, format!("{answer}\n"), "{set} {}", run.stderr);
        assert_eq!(run.code, i32::from(answer == "no"), "{set}");
    }
    let backwards =
        |to: &str, from: &str| derny(&["pre", &file, "--to", to, "--contains", from]).code;
    // The kind of the bracket that is closed last is that of the lowest.
    assert_eq!(backwards("closed {last} <>", "open <bracket {kind}>"), 0);
    assert_eq!(backwards("closed {last} <>", "open <bracket {!kind}>"), 1);
    let lowest = "open <bracket {!kind}> <bracket {kind}>";
    assert_eq!(backwards("closed {last} <>", lowest), 0);
    assert_eq!(backwards("open <>", "open <_> *"), 1);
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let system = Written::new(&SYSTEMS[1].replacen("p <a>", "atoms c warm p <a>", 1));
    for (set, place, message) in [
        ("pp <a>", "1:1", "there is no control state `pp`"),
        ("terminated", "1:1", "the empty stack is written `<>`"),
        ("a", "1:1", "a stack symbol is written `<a>`"),
        ("p <aa>", "1:4", "there is no stack symbol `aa`"),
        ("<p>", "1:2", "written before the stack: `p <_> *`"),
        ("p <warn>", "1:4", "there are `a`, `c`, `b`"),
        ("<warm {x}>", "1:8", "`x` is a local of `a`, `b`"),
        ("p {x} <a>", "1:4", "`x` is a local of `a`, `b`"),
        ("p <a {w}>", "1:7", "unknown variable `w`"),
        ("p <a {x'}>", "1:7", "names have no primes"),
        ("p <c {z}>", "1:7", "z"),
        ("p <c {z = }>", "1:11", "expected"),
        ("p <a> <b {g}>", "1:10", "`g` is global"),
        ("p <a b>", "1:6", "each symbol has brackets of its own"),
        ("p <a> <>", "1:7", "`<>` is a stack without symbols"),
    ] {
        for (command, option) in [("post", "--from"), ("pre", "--to")] {
            let run = run(&system, command, &[option, set]);
            let shown = format!("{set}:\n{}", run.stderr);
            assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{shown}");
            assert!(run.stderr.contains(&format!("{option}:{place}")), "{shown}");
            assert!(run.stderr.contains(message), "{message}: {shown}");
        }
        let run = run(&system, "post", &["--contains", set]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{set}");
    }
    let nothing = run(&system, "post", &["--from", "p <a {x & !x}>"]);
    assert_eq!(nothing.code, 0);
    assert!(nothing.stdout.ends_with("\nnone\n"), "{}", nothing.stdout);
    assert!(
        nothing.stderr.contains("cannot all hold"),
        "{}",
        nothing.stderr
    );
}

/// What is listed can be given back, as far as it speaks of the symbols that are read.
#[test]
fn listings_are_written_as_sets_are() {
    let system = Written::new(SYSTEMS[0]);
    let listed = run(&system, "post", &[]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let expected = "\
configurations reachable from q {g = 1} <main0>

control: control state and symbol on top
";
    assert!(listed.stdout.starts_with(expected), "{}", listed.stdout);
    assert!(
        listed.stdout.ends_with("\n\np {g = 6} <>\n"),
        "{}",
        listed.stdout
    );
    let alone = listed
        .stdout
        .lines()
        .filter_map(|line| line.strip_suffix(" -> empty"));
    let alone: Vec<_> = alone.filter(|line| !line.contains("callee")).collect();
    assert!(alone.len() > 1, "{}", listed.stdout);
    for set in alone.into_iter().chain(["p {g = 6} <>"]) {
        let contained = run(&system, "post", &["--contains", set.trim()]);
        assert_eq!(contained.stdout, "yes\n", "{set}: {}", contained.stderr);
    }
    // Here a local hides a global.
    let hidden = run(&Written::new(SYSTEMS[3]), "post", &[]).stdout;
    assert!(
        hidden.contains("p <s {global.g & !g}> -> empty"),
        "{hidden}"
    );
    let counted = run(&system, "post", &["--count", "--format", "json"]).json();
    assert_eq!(counted["empty"], 1);
    assert!(counted["terminated"].is_null());
    let graph = run(&system, "post", &["--format", "dot"]).stdout;
    assert!(graph.contains("label=\"p {g = 6} <>\""), "{graph}");
}
