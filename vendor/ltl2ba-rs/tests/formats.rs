//! HOA files good and bad, never claims, drawings.

mod common;

use common::Random;
use ltl2ba_rs::{Automaton, Lasso, Options, accepts, hoa, parse, translate, translate_generalized};

fn automaton(text: &str) -> Automaton {
    translate(&parse(text).unwrap().formula, &Options::default()).unwrap()
}

const GOOD: &str = r#"HOA: v1 /* a comment /* in a comment */ */
tool: "someone's" "1.0"
name: "GF a & GF b"
States: 2
Start: 0 Start: 1
AP: 2 "a" "b"
Alias: @both 0 & 1
Alias: @some @both | (0 | 1)
acc-name: generalized-Buchi 2
Acceptance: 2 (Inf(0) & Inf(1))
properties: trans-labels explicit-labels trans-acc
--BODY--
State: 0 "first"
  [@both] 0 {0 1}
  [!@some] 1
  [0 & !1] 0 {0}
State: 1 {1}
  [t] 0
--END--
"#;

#[test]
fn a_file_with_everything_is_read() {
    let automaton = hoa::read(GOOD).unwrap();
    assert_eq!(automaton.states, 2);
    assert_eq!(automaton.initial, [0, 1]);
    assert_eq!(automaton.propositions, ["a", "b"]);
    assert_eq!(automaton.acceptance_sets, 2);
    assert!(!automaton.state_based);
    let marks: Vec<u128> = automaton.edges.iter().map(|edge| edge.marks.0).collect();
    assert_eq!(marks, [3, 0, 1, 2]);
    let always = |a: bool, b: bool| Lasso {
        stem: Vec::new(),
        cycle: vec![vec![a, b]],
    };
    assert!(accepts(&automaton, &always(true, true)));
    assert!(!accepts(&automaton, &always(true, false)));
    assert!(!accepts(&automaton, &always(false, false)));
}

#[test]
fn implicit_and_state_labels_are_read() {
    let text = "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY--\n\
                State: 0\n 0 0 {0}\n --END--";
    let implicit = hoa::read(text).unwrap();
    assert!(accepts(&implicit, &lasso(true)) && !accepts(&implicit, &lasso(false)));
    let text = "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY--\n\
                State: [0] 0\n 0\n --END--";
    let labelled = hoa::read(text).unwrap();
    assert!(accepts(&labelled, &lasso(true)) && !accepts(&labelled, &lasso(false)));
    let text = "HOA: v1 States: 1 Start: 0 AP: 0 Acceptance: 0 f --BODY--\n\
                State: 0\n [t] 0\n --END--";
    assert!(hoa::read(text).unwrap().is_empty());
}

fn lasso(a: bool) -> Lasso {
    Lasso {
        stem: Vec::new(),
        cycle: vec![vec![a]],
    }
}

#[test]
fn bad_files_are_refused_with_their_place() {
    let head = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\n";
    for (text, line, column, message) in [
        (String::new(), 1, 1, "starts with `HOA: v1`"),
        ("HOA: v2".into(), 1, 6, "only version `v1`"),
        ("HOA: v1\nStates: x".into(), 2, 9, "number of states"),
        ("HOA: v1\nStates: 4000000000".into(), 2, 9, "more than"),
        ("HOA: v1\nStates: 99999999999".into(), 2, 9, "too large"),
        ("HOA: v1\nAP: 2 \"a\"\n".into(), 3, 1, "announces 2 names"),
        (
            "HOA: v1\nAP: 2 \"a\" \"a\"\n".into(),
            2,
            11,
            "declared twice",
        ),
        (
            "HOA: v1\nAcceptance: 1 Fin(0)".into(),
            2,
            15,
            "generalised Büchi",
        ),
        (
            "HOA: v1\nAcceptance: 2 Inf(0) | Inf(1)".into(),
            2,
            22,
            "generalised Büchi",
        ),
        (
            "HOA: v1\nAcceptance: 1 Inf(1)".into(),
            2,
            19,
            "no acceptance set 1",
        ),
        ("HOA: v1\n--BODY--".into(), 2, 9, "no `Acceptance:`"),
        ("HOA: v1\nStart: 0 & 1".into(), 2, 10, "alternating"),
        ("HOA: v1\nMagic: 1".into(), 2, 1, "not known"),
        (format!("{head}State: 1"), 7, 8, "no state 1"),
        (format!("{head}State: 0\n[1] 0"), 8, 2, "no proposition 1"),
        (format!("{head}State: 0\n[@x] 0"), 8, 2, "not defined"),
        (format!("{head}State: 0\n[0"), 8, 3, "expected `]`"),
        (format!("{head}State: 0\n[(0] 0"), 8, 4, "expected `)`"),
        (
            format!("{head}State: 0\n[0 &] 0"),
            8,
            5,
            "expected a proposition number",
        ),
        (
            format!("{head}State: 0\n[0] 5\n--END--"),
            8,
            5,
            "no state 5",
        ),
        (
            format!("{head}State: 0\n[0] 0 {{7}}"),
            8,
            8,
            "no acceptance set 7",
        ),
        (format!("{head}State: 0\n[0] 0&0"), 8, 6, "alternating"),
        (format!("{head}State: 0\n0\n--END--"), 9, 1, "too few edges"),
        (format!("{head}State: 0\nState: 0"), 8, 9, "described twice"),
        (format!("{head}State: 0\n"), 8, 1, "before `--END--`"),
        (format!("{head}--ABORT--"), 7, 1, "aborted"),
        ("HOA: v1 /* open".into(), 1, 9, "never closed"),
        ("HOA: v1 \"open".into(), 1, 9, "never closed"),
        ("HOA: v1 \u{e4}".into(), 1, 9, "unexpected character"),
    ] {
        let error = hoa::read(&text).expect_err(&text);
        assert!(error.message.contains(message), "{text:?}: {error}");
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn mangled_files_never_panic() {
    let mut random = Random(0x5151_5151_abab_abab);
    for _ in 0..5_000 {
        let mut bytes = GOOD.as_bytes().to_vec();
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.next() as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[random.below(bytes.len())]),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(automaton) = hoa::read(&text) {
            let _ = automaton.to_dot("x");
        }
    }
}

#[test]
fn deeply_nested_labels_are_read() {
    let depth = 100_000;
    let text = format!(
        "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0\n\
         [{}0{}] 0 {{0}} --END--",
        "!(".repeat(depth),
        ")".repeat(depth)
    );
    assert!(accepts(&hoa::read(&text).unwrap(), &lasso(true)));
}

#[test]
fn hoa_is_written_as_documented() {
    assert_eq!(
        automaton("a U b").to_hoa("a U b"),
        "HOA: v1\nname: \"a U b\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\n\
         Acceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc \
         deterministic terminal\n--BODY--\nState: 0\n  [0&!1] 0\n  [1] 1\nState: 1 {0}\n  [t] 1\n\
         --END--\n"
    );
    let parsed = parse("G F a & G F b").unwrap();
    let text = translate_generalized(&parsed.formula, &Options::default())
        .unwrap()
        .to_hoa("x");
    assert!(text.contains("acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0) & Inf(1)\n"));
    assert!(text.contains("trans-acc"));
}

#[test]
fn never_claims_are_written_as_documented() {
    assert_eq!(
        automaton("a U b").to_never("a U b"),
        "never { /* a U b */\nT0_init:\n  if\n  :: (a && !b) -> goto T0_init\n  :: (b) -> goto \
         accept_all_S1\n  fi;\naccept_all_S1:\n  skip;\n  goto accept_all_S1;\n}\n"
    );
    assert!(automaton("false").to_never("false").contains("false;"));
    assert!(
        automaton("G {x > 1}")
            .to_never("*/ x")
            .contains(":: ((x > 1)) ->")
    );
}

#[test]
fn drawings_name_every_state() {
    let drawing = automaton("G (a -> F b)").to_dot("G (a -> F \"b\")");
    assert!(drawing.contains("doublecircle") && drawing.contains("start0 -> 0"));
    assert!(drawing.contains("F \\\"b\\\""));
}
