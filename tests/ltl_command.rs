//! `derny ltl`: the Büchi automaton of a formula, in every format, and errors in formulas.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use support::{command, derny, run_command};

fn hoa(arguments: &[&str]) -> String {
    let mut all = vec!["ltl"];
    all.extend(arguments);
    let run = derny(&all);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run.stdout
}

fn header<'a>(text: &'a str, item: &str) -> &'a str {
    let prefix = format!("{item}: ");
    let line = text.lines().find_map(|line| line.strip_prefix(&prefix));
    line.unwrap_or_else(|| panic!("there is no `{item}:` in\n{text}"))
}

/// G (a -> F b) needs a state that waits for b and one that does not.
#[test]
fn hoa_is_the_default_and_state_based() {
    let text = hoa(&["G (a -> F b)"]);
    assert_eq!(text, hoa(&["G (a -> F b)", "--format", "hoa"]));
    assert!(text.starts_with("HOA: v1\n") && text.ends_with("--END--\n"));
    assert_eq!(header(&text, "States"), "2");
    assert_eq!(header(&text, "AP"), "2 \"a\" \"b\"");
    assert_eq!(header(&text, "acc-name"), "Buchi");
    assert_eq!(header(&text, "Acceptance"), "1 Inf(0)");
    assert!(header(&text, "properties").contains("state-acc"));
    let marked: Vec<_> = text.lines().filter(|line| line.contains('{')).collect();
    assert!(
        marked.iter().all(|line| line.starts_with("State:")),
        "{text}"
    );
}

#[test]
fn negation_is_the_automaton_of_the_negated_formula() {
    let body = |text: String| {
        let at = text.find("--BODY--").expect("a body");
        text[at..].to_owned()
    };
    for formula in ["G (a -> F b)", "a U b", "F G a", "X a || b"] {
        let negated = hoa(&[formula, "--negate"]);
        assert_eq!(body(negated), body(hoa(&[&format!("!({formula})")])));
        assert_eq!(
            body(hoa(&[&format!("!({formula})"), "--negate"])),
            body(hoa(&[formula]))
        );
    }
}

/// Two sets and one state; a state-based automaton needs more.
#[test]
fn generalized_acceptance_is_on_transitions() {
    let text = hoa(&["G F a && G F b", "--generalized"]);
    assert_eq!(header(&text, "States"), "1");
    assert_eq!(header(&text, "acc-name"), "generalized-Buchi 2");
    assert_eq!(
        header(&text, "Acceptance").replace(' ', ""),
        "2Inf(0)&Inf(1)"
    );
    assert!(header(&text, "properties").contains("trans-acc"));
    let plain = hoa(&["G F a && G F b"]);
    assert_eq!(header(&plain, "Acceptance"), "1 Inf(0)");
    assert_ne!(header(&plain, "States"), "1");
}

#[test]
fn dot_has_a_node_for_every_state() {
    let text = hoa(&["G F a", "--format", "dot"]);
    assert!(
        text.starts_with("digraph") && text.trim_end().ends_with('}'),
        "{text}"
    );
    let states: usize = header(&hoa(&["G F a"]), "States")
        .parse()
        .expect("a number");
    for state in 0..states {
        assert!(text.contains(&format!("  {state} -> ")), "{text}");
    }
    assert!(text.contains("doublecircle"), "{text}");
    let quoted = hoa(&["F \"a \\\\ b\"", "--format", "dot"]);
    assert!(quoted.contains("\\\\"), "a backslash is escaped: {quoted}");
}

/// Spin takes states whose name begins with `accept` as accepting, and begins in the first.
#[test]
fn a_never_claim_names_its_accepting_states() {
    let text = hoa(&["G (a -> F b)", "--negate", "--format", "never"]);
    assert!(
        text.starts_with("never {") && text.trim_end().ends_with('}'),
        "{text}"
    );
    assert!(
        text.contains("T0_init:") && text.contains("accept_"),
        "{text}"
    );
    assert!(text.contains("(a && !b) -> goto accept_"), "{text}");
    for target in text.split("goto ").skip(1) {
        let target = target.split_whitespace().next().expect("a name");
        assert!(
            text.contains(&format!("{target}:")),
            "{target} is defined: {text}"
        );
    }
    let all = hoa(&["1", "--format", "never"]);
    assert!(all.contains("accept"), "{all}");
}

#[test]
fn text_is_a_few_lines_for_people() {
    let text = hoa(&["a U b", "--format", "text"]);
    for part in ["a U b", "states", "edges", "terminal", "deterministic"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!(hoa(&["G F a", "--format", "text"]).contains("general"));
    assert!(hoa(&["G a", "--format", "text"]).contains("weak"));
}

/// A never claim marks states; with several sets on edges nothing would be accepted.
#[test]
fn a_never_claim_is_not_generalized() {
    let run = derny(&[
        "ltl",
        "G F a && G F b",
        "--generalized",
        "--format",
        "never",
    ]);
    let accepting = run.stdout.contains("accept_");
    assert!(run.code == 2 || accepting, "{}", run.stdout);
}

/// Every kind of proposition keeps its text, so that it can be fed back.
#[test]
fn propositions_keep_their_text() {
    let text = hoa(&["F \"x y\" && {a & p.x} && at(p.L) || in(q) && p.{n m} && error"]);
    let names = header(&text, "AP");
    for name in ["x y", "{a & p.x}", "at(p.L)", "in(q)", "p.{n m}", "error"] {
        assert!(names.contains(&format!("\"{name}\"")), "{name}: {names}");
    }
    assert!(names.starts_with("6 "));
}

#[test]
fn a_formula_may_begin_with_a_hyphen_or_be_an_error_at_it() {
    let run = derny(&["ltl", "-> a"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains('^'), "{}", run.stderr);
}

#[test]
fn errors_are_underlined_and_nothing_is_printed() {
    for (formula, column) in [
        ("G (a -> ", 8),
        ("a U", 3),
        ("a b", 2),
        ("(a", 0),
        ("a)", 1),
        ("a && && b", 5),
        ("G", 1),
        ("a # b", 2),
        ("\"a", 0),
        ("{a", 0),
        ("", 0),
        ("[]", 2),
        ("a <- b", 2),
        ("\"ä\" U", 5),
    ] {
        let run = derny(&["ltl", formula]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{formula}");
        let caret = run
            .stderr
            .lines()
            .find(|line| line.trim_start_matches([' ', '|']).starts_with('^'));
        let caret = caret.unwrap_or_else(|| panic!("{formula}: no caret in\n{}", run.stderr));
        let above = run.stderr.lines().find(|line| line.contains("| "));
        let above = above.unwrap_or_else(|| panic!("{formula}: no formula in\n{}", run.stderr));
        let begin = above.find("| ").expect("found") + 2;
        assert_eq!(
            caret.find('^'),
            Some(begin + column),
            "{formula}:\n{}",
            run.stderr
        );
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
}

#[test]
fn usage_errors_have_exit_code_2() {
    for arguments in [
        &["ltl"][..],
        &["ltl", "a", "--format", "spin"],
        &["ltl", "a", "b"],
    ] {
        let run = derny(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
    }
}

#[test]
fn what_others_read_differently_is_told_on_standard_error() {
    let run = derny(&["ltl", "a -> b && c"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("warning"), "{}", run.stderr);
    assert!(
        run.stderr.contains("(a -> (b & c))"),
        "our reading: {}",
        run.stderr
    );
    let plain = derny(&["ltl", "a -> (b && c)"]);
    assert_eq!((plain.code, plain.stderr.as_str()), (0, ""));
    assert_eq!(
        plain.stdout.lines().skip(2).collect::<Vec<_>>(),
        run.stdout.lines().skip(2).collect::<Vec<_>>()
    );
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/temporal")
}

/// The formulas of a program's `// property: --ltl 'FORMULA' : VERDICT` lines.
fn formulas(text: &str) -> Vec<(String, String)> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("// property: --ltl '"));
    let split = lines.map(|line| line.rsplit_once("' : ").expect("`'FORMULA' : VERDICT`"));
    split.map(|(f, v)| (f.to_owned(), v.to_owned())).collect()
}

/// The automaton of a formula's negation, read back by `--never`, gives the verdict of the
/// formula.
#[test]
fn automata_can_be_fed_back() {
    let mut failures = String::new();
    for name in [
        "propositions",
        "until",
        "precedence",
        "acceptance-in-callee",
        "growing-stack",
        "terminated",
        "failed",
        "names-in-braces",
        "ambiguous",
    ] {
        let program = folder().join(format!("{name}.bp"));
        let text = fs::read_to_string(&program).expect("it can be read");
        let files = tempfile::tempdir().expect("a folder for automata");
        let mut check = command();
        check.arg("check").arg(&program).arg("--no-trace");
        let mut expected = Vec::new();
        for (i, (formula, verdict)) in formulas(&text).into_iter().enumerate() {
            let mut arguments = vec![formula.as_str(), "--negate"];
            if i % 2 == 1 {
                arguments.push("--generalized");
            }
            let path = files.path().join(format!("{i}.hoa"));
            fs::write(&path, hoa(&arguments)).expect("it is written");
            check.arg("--never").arg(path);
            expected.push((formula, verdict));
        }
        let run = run_command(check);
        assert!(run.code < 2, "{name}: {}", run.stderr);
        assert_eq!(run.stdout.lines().count(), expected.len());
        for ((formula, verdict), line) in expected.iter().zip(run.stdout.lines()) {
            if line.split_whitespace().next() != Some(verdict.as_str()) {
                failures += &format!("{name}: {formula}: {line}\n");
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
