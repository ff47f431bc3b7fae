//! Whatever comes in as a pushdown system, the front end ends with a result: no panic, no
//! overflow of the stack, in time that grows with the size of the input only.

use derny::internals::lower::{proposition, pushdown_system};
use derny::internals::pushdown::System;
use derny::internals::render;
use derny::internals::source::Source;
use derny::{Advice, Diagnostic};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Far more than any of these needs, and far less than quadratic time would.
const LIMIT: Duration = Duration::from_secs(20);

fn read(bytes: Vec<u8>) -> (Option<System>, Vec<Diagnostic>) {
    let begin = Instant::now();
    let source = Arc::new(Source::new("hostile.pds", bytes));
    let (system, diagnostics) = pushdown_system(source.clone(), &[], Advice::default());
    let drawn = render(&source, &diagnostics, true);
    assert!(drawn.len() < 200_000, "{} bytes drawn", drawn.len());
    let errors = diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(system.is_none(), errors, "{diagnostics:?}");
    for diagnostic in &diagnostics {
        let span = diagnostic.span;
        assert!(span.start <= span.end && span.end as usize <= source.bytes().len());
    }
    assert!(begin.elapsed() < LIMIT, "{:?}", begin.elapsed());
    (system, diagnostics)
}

fn accepted(text: String) -> System {
    let (system, diagnostics) = read(text.into_bytes());
    assert!(system.is_some(), "{:?}", diagnostics.first());
    system.expect("just looked")
}

fn refused(text: String) -> Vec<Diagnostic> {
    let (system, diagnostics) = read(text.into_bytes());
    assert!(system.is_none());
    diagnostics
}

const DEEP: usize = 200_000;
const BEGIN: &str = "global bool b; int x(3), a[8](3); (q <s>) q <s> --> q <s>";

#[test]
fn deep_expressions() {
    for (open, middle, close) in [
        ("(", "b", ")"),
        ("!", "b", ""),
        ("b & (", "b", ")"),
        ("0 = 0 & (b & (", "b", "))"),
        ("A i (1,1) ", "b", ""),
        ("!(E i (1,1) ", "b", ")"),
        ("E i (2,1) ", "b", ""),
        ("a[", "x", "]"),
        ("(x = ", "x", " + 1)"),
    ] {
        let (opened, closed) = (open.repeat(DEEP), close.repeat(DEEP));
        let whole = match open {
            "a[" => format!("{BEGIN} ({opened}{middle}{closed} = 1)"),
            "(x = " => {
                refused(format!("{BEGIN} ({opened}{middle}{closed})"));
                continue;
            }
            _ => format!("{BEGIN} ({opened}{middle}{closed})"),
        };
        accepted(whole);
        refused(format!("{BEGIN} ({opened}"));
    }
    refused(format!("define N {}", "(".repeat(DEEP)));
    accepted(format!(
        "define N {}1{} (q <s>)",
        "(".repeat(DEEP),
        ")".repeat(DEEP)
    ));
}

#[test]
fn long_rows() {
    let sum = "x + ".repeat(DEEP);
    refused(format!("{BEGIN} ({}x = 1)", "x * ".repeat(100)));
    accepted(format!("{BEGIN} ({sum}x = 1)"));
    accepted(format!("{BEGIN} ({}b)", "b & ".repeat(DEEP)));
    accepted(format!("{BEGIN} ({}b)", "b == ".repeat(DEEP)));
    let rules: String = (0..DEEP)
        .map(|i| format!("q <s{i}> --> q <s{}>\n", i + 1))
        .collect();
    assert_eq!(accepted(format!("(q <s0>) {rules}")).rules.len(), DEEP);
    let states: String = (0..DEEP)
        .map(|i| format!("q{i} <s> --> q{} <s>\n", i + 1))
        .collect();
    assert_eq!(
        accepted(format!("(q0 <s>) {states}")).states.len(),
        DEEP + 1
    );
    let names: Vec<String> = (0..60_000).map(|i| format!("v{i}")).collect();
    accepted(format!("global bool {}; (q <s>)", names.join(", ")));
    refused(format!("global int {}(64); (q <s>)", names.join("(1), ")).replace("(64)", "(65)"));
    accepted(format!(
        "(q <s>) atoms s {} q <s> --> q <s>",
        names.join(", ")
    ));
}

#[test]
fn many_mistakes() {
    let diagnostics = refused(format!("(q <s>) {}", "q <s> --> q <s> (z)\n".repeat(DEEP)));
    assert!(diagnostics.len() < 2000);
    refused("q <s> --> ".repeat(DEEP));
    refused("(q <".repeat(DEEP));
    refused("local (s) bool ".repeat(DEEP));
    refused("define N ".repeat(DEEP));
    refused("\"".to_owned());
    refused(format!("(q <s>) {}", "}".repeat(DEEP)));
}

#[test]
fn properties_are_read_as_carefully() {
    let system = accepted(BEGIN.to_owned());
    let begin = Instant::now();
    assert!(proposition(&system, &format!("{}b", "!".repeat(DEEP))).is_ok());
    assert!(proposition(&system, &"(".repeat(DEEP)).is_err());
    assert!(proposition(&system, "A i (1,1<<50) b").is_err());
    assert!(proposition(&system, "").is_err());
    assert!(proposition(&system, "\u{0}").is_err());
    assert!(begin.elapsed() < LIMIT);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read(bytes);
    }

    #[test]
    fn any_tokens(words in proptest::collection::vec(proptest::sample::select(vec![
        "define", "global", "local", "atoms", "bool", "int", "A", "E", "q", "s", "x", "x'", "x''",
        "(", ")", "<", ">", "-->", "[", "]", ",", ";", "&", "|", "!", "^", "==", "=", "!=", "<=",
        "+", "-", "*", "/", "<<", "0", "1", "7", "\"t\"", "# c\n", "(q <s>)",
        "q <s> --> q <s>", "global int x(2);", "local (s) bool y;",
    ]), 0..60)) {
        read(words.join(" ").into_bytes());
    }

    #[test]
    fn a_system_with_a_hole(from in 0_usize..600, length in 0_usize..40) {
        let text = "define N 2 define M (1<<N)-1\nglobal bool g; int a[1,M](N);\n\
            local (s, t) int x(N), y(N);\n(q (g) <s (x = 1)>)\natoms s hot, cold\n\
            q <s> --> p <t s> \"push\" (x' = x + 1 & y'' = y & (A i (1,M) a'[i] = a[i]))\n\
            p <t> --> q <> (E i (1,M) (a[i] > x) & g' == g)\nq <s> --> q <s> (x < y & x' != y')\n";
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        let holed = [&text.as_bytes()[..from], &text.as_bytes()[to..]].concat();
        read(holed);
    }
}
