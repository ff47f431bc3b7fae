//! Long traces of C programs, with rounds folded: every step that is shown is the one in its place of
//! the whole trace, and what lies between is as long as it says.

mod support;

use serde_json::Value;
use support::c::check;

/// The first result of a program that is violated.
fn violation(text: &str, options: &[&str]) -> Value {
    let run = check(text, &[options, &["--format", "json"]].concat());
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let report = run.json();
    support::schema::check_report(&report);
    report["results"][0].clone()
}

/// Where a step is, and what is there.
fn seen(step: &Value) -> [Value; 2] {
    let part = |names: [&str; 3]| Value::from(names.map(|name| step[name].clone()).to_vec());
    [
        part(["text", "line", "depth"]),
        part(["globals", "locals", "point"]),
    ]
}

/// Compares the items of a folded trace with the steps from one on; gives the number of the next step,
/// and how often something was folded.
fn compare(items: &[Value], whole: &[Value], first: usize) -> (usize, usize) {
    let (mut at, mut folds) = (first, 0);
    for item in items {
        let Some(rounds) = item["repeated"].as_u64() else {
            assert_eq!(seen(item), seen(&whole[at]), "step {at}");
            at += 1;
            continue;
        };
        let [head, _] = seen(&whole[at - 1]);
        let steps = item["steps"].as_array().expect("the steps of a round");
        // A round may pass its first place more than once.
        let passes = steps.iter().filter(|step| seen(step)[0] == head).count();
        let heads = (at..whole.len()).filter(|at| seen(&whole[*at])[0] == head);
        let heads: Vec<usize> = [at - 1].into_iter().chain(heads).collect();
        let rounds = rounds as usize;
        let [begin, end] = [heads[(rounds - 1) * passes], heads[rounds * passes]];
        let (after, inner) = compare(steps, whole, begin + 1);
        assert_eq!(after, end + 1, "{rounds} rounds");
        folds += 1 + inner;
        at = after;
    }
    (at, folds)
}

/// Programs, the most steps that are shown, and how often rounds are folded then.
const PROGRAMS: [(&str, &str, usize); 6] = [
    (
        "void reach_error(void); int main(void) { unsigned s = 0; for (unsigned i = 0; i < 300; i++) s += i & 1;\n\
         if (s == 150) reach_error(); return 0; }",
        "200",
        1,
    ),
    // One loop after the other, with calls.
    (
        "void reach_error(void); int nondet(void); int g; void f(int x) { g = x; }\n\
         int main(void) { int n = nondet(), i = 0; if (n != 60) return 0; while (i < n) { f(i); i++; }\n\
         do { i -= 2; } while (i > 0); if (g == 59) { L: reach_error(); } return 0; }",
        "100",
        2,
    ),
    // Choices in each round.
    (
        "void reach_error(void); _Bool nondet(void);\n\
         int main(void) { unsigned n = 0; while (nondet()) { int x; n += x == 3; } if (n == 250) reach_error(); return 0; }",
        "200",
        1,
    ),
    // A loop inside a loop, and one in a function.
    (
        "void reach_error(void); unsigned char n; void add(void) { for (unsigned char j = 0; j < 25; j++) n++; }\n\
         int main(void) { for (unsigned char i = 0; i < 30; i++) { add(); } if (n == 238) reach_error(); return 0; }",
        "80",
        4,
    ),
    (
        "void reach_error(void);\n\
         int main(void) { int n = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 200; j++) n++;\n\
         if (n == 600) reach_error(); return 0; }",
        "300",
        1,
    ),
    // Memory.
    (
        "#include <stdlib.h>\nvoid reach_error(void);\n\
         int main(void) { int n = 0; while (n < 200) { int *p = malloc(4); *p = n; n = *p + 1; free(p); } reach_error(); return 0; }",
        "150",
        1,
    ),
];

#[test]
fn folded_steps_are_those_of_the_whole() {
    for (text, most, expected) in PROGRAMS {
        let whole = violation(text, &["--trace-limit", "1000000"]);
        let folded = violation(text, &["--trace-limit", most]);
        let whole = whole["trace"]["stem"].as_array().expect("a trace").clone();
        assert_eq!(folded["trace"], Value::Null);
        assert_eq!(folded["trace_omitted"], whole.len(), "{text}");
        let items = folded["trace_folded"]["stem"].as_array();
        let items = items.unwrap_or_else(|| panic!("nothing is folded\n{text}"));
        let (after, folds) = compare(items, &whole, 0);
        assert_eq!((after, folds), (whole.len(), expected), "{text}");
    }
}

/// All inputs are there, those of folded rounds included, unless they are more than the steps may be.
#[test]
fn inputs_of_folded_rounds_are_listed() {
    let text = "void reach_error(void); _Bool nondet(void);\n\
                int main(void) { unsigned n = 0; while (nondet()) n++; if (n == 500) reach_error(); return 0; }";
    let inputs = |most| -> Vec<u64> {
        let folded = violation(text, &["--trace-limit", most]);
        let inputs = folded["trace_folded"]["inputs"].as_array();
        let values = inputs.expect("inputs").iter();
        values.filter_map(|input| input["value"].as_u64()).collect()
    };
    let values = inputs("600");
    assert_eq!(values.len(), 501);
    assert_eq!(values.iter().sum::<u64>(), 500);
    assert_eq!(values.last(), Some(&0));
    let shown = inputs("300");
    assert!((2..20).contains(&shown.len()), "{shown:?}");
    assert_eq!(shown.last(), Some(&0));
}

/// The most steps that are shown.
const MOST: &str = "300";

/// Programs in which what a round chooses depends on how many there were, so that an execution is made of
/// the samples alone, and how often rounds are folded where `MOST` steps are shown.
const SAMPLED: [(&str, usize); 6] = [
    (
        "void reach_error(void); int nondet(void);\n\
         int main(void) { for (int i = 0; i < 500; i++) { if (nondet() != i) return 0; } reach_error(); return 0; }",
        1,
    ),
    // A call in each round, a global, and one loop after the other.
    (
        "void reach_error(void); int nondet(void); unsigned g; int f(int x) { return x != nondet(); }\n\
         int main(void) { int n = 0; while (n < 300) { g += 2; if (f(n)) return 0; n++; }\n\
         do { n -= 3; } while (n > 0); if (g == 600) reach_error(); return 0; }",
        2,
    ),
    // A loop inside a loop.
    (
        "void reach_error(void); int nondet(void);\n\
         int main(void) { int i, j, n = 0; for (i = 0; i < 60; i++) { for (j = 0; j < 25; j++) n++; if (nondet() != n) return 0; }\n\
         if (n == 1500) reach_error(); return 0; }",
        1,
    ),
    // Members, bit-fields, elements.
    (
        "void reach_error(void); int nondet(void); struct { char c; unsigned a : 13; int b[3]; } s[2];\n\
         int main(void) { while (s[1].a < 500) { s[1].a++; s[1].b[2] -= 2; if (nondet() != s[1].b[2]) return 0; }\n\
         if (s[1].b[2] == -1000) reach_error(); return 0; }",
        1,
    ),
    // Pointers, and a local whose address is taken.
    (
        "void reach_error(void); int nondet(void);\n\
         int main(void) { unsigned short a = 0, b = 0, *p = &a; while (a < 200) { ++*p; p = p == &a ? &b : &a; if (nondet() != a + b) return 0; }\n\
         if (p == &b && b == 199) reach_error(); return 0; }",
        1,
    ),
    // Values that nobody has written.
    (
        "void reach_error(void);\n\
         int main(void) { short n = 0; while (n < 500) { short x; if (x != n) return 0; n++; } reach_error(); return 0; }",
        1,
    ),
];

#[test]
fn samples_of_folded_rounds_are_in_their_places() {
    for (text, expected) in SAMPLED {
        let whole = violation(text, &["--trace-limit", "1000000"]);
        let folded = violation(text, &["--trace-limit", MOST]);
        let whole = whole["trace"]["stem"].as_array().expect("a trace").clone();
        assert_eq!(folded["trace"], Value::Null);
        assert_eq!(folded["trace_omitted"], whole.len(), "{text}");
        let items = folded["trace_folded"]["stem"].as_array();
        let items = items.unwrap_or_else(|| panic!("nothing is folded\n{text}"));
        let (after, folds) = compare(items, &whole, 0);
        assert_eq!((after, folds), (whole.len(), expected), "{text}");
    }
}

/// Rounds by the billion, which leave out what the property does not depend on.
fn with_rounds(begin: &str, round: &str, end: &str) -> String {
    format!(
        "#include <stdlib.h>\nvoid reach_error(void); int nondet(void); unsigned a[2];\n\
         int main(void) {{ unsigned k = 0, n = 7, x = 0; {begin}\n\
         for (unsigned i = 0; i < 3000000000u; i++) {{ {round} if (nondet() < 0) return 0; }}\n\
         {end} reach_error(); return x; }}"
    )
}

/// What was not looked at, and may have been changed by rounds that were not executed, has no value after them.
#[test]
fn nothing_is_said_of_what_is_not_known() {
    for round in ["k++;", "k = -k * 3 / 2 + x;", "if (i == 77) k = 5;"] {
        let folded = violation(&with_rounds("", round, ""), &[]);
        let items = folded["trace_folded"]["stem"].as_array();
        let items = items.unwrap_or_else(|| panic!("nothing is folded\n{round}"));
        let last = items.iter().rev().find(|item| item["line"] == 5);
        let locals = last.map(|step| &step["locals"]).expect("the last step");
        assert_eq!(
            (&locals["k"], &locals["n"]),
            (&Value::Null, &Value::from(7)),
            "{round}"
        );
    }
}

/// An execution is not shown whose steps depend on that.
#[test]
fn executions_are_not_guessed() {
    let heap = "unsigned *p = malloc(4); *p = 0;";
    for (begin, round, end) in [
        ("", "k++;", "if (k == 64) x = 1; else x = 2;"),
        ("", "if (i == 77) k = 5;", "x = k ? 1 : 2;"),
        ("", "k++;", "switch (k) { case 64: x = 1; }"),
        ("", "k++;", "x = a[k & 1];"),
        ("", "a[0] += 2; a[1]++;", "if (a[0] == a[1]) x = 1;"),
        (heap, "++*p;", "if (*p == 64) x = 1;"),
        (
            "unsigned *p = &x;",
            "p = k ? &x : &n; k++;",
            "if (p == &x) n = 1;",
        ),
    ] {
        let text = with_rounds(begin, round, end);
        let folded = violation(&text, &[]);
        assert_eq!(folded["trace_folded"], Value::Null, "{text}");
        assert!(folded["trace_omitted"].is_u64(), "{text}");
    }
}

/// Loops of infinite executions that take billions of rounds to come back to where they were.
#[test]
fn long_loops_are_folded() {
    for (text, rounds) in [
        (
            "unsigned nondet(void); int main(void) { unsigned x = nondet() | 1; while (x != 0) x += 2; return 0; }",
            1 << 31,
        ),
        (
            "int nondet(void); int main(void) { unsigned x = 0, y = 0; while (x + y != 1) { x++; y--; } return 0; }",
            1 << 32,
        ),
    ] {
        let folded = violation(text, &["--terminates"]);
        let items = folded["trace_folded"]["loop"].as_array();
        let items = items.unwrap_or_else(|| panic!("nothing is folded\n{text}"));
        let repeated: u64 = items
            .iter()
            .filter_map(|item| item["repeated"].as_u64())
            .sum();
        assert!(
            rounds - 4 < repeated && repeated <= rounds,
            "{repeated} of {rounds}\n{text}"
        );
        let stem = folded["trace_folded"]["stem"].as_array();
        let before = stem.and_then(|stem| stem.last()).map(seen);
        assert_eq!(items.last().map(seen), before, "{text}");
    }
}

/// A witness tells inputs only if it can tell all.
#[test]
fn witnesses_of_samples_have_a_target_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let witness = folder.path().join("witness.yml");
    let path = witness.to_str().expect("a name");
    let (text, _) = SAMPLED[0];
    violation(text, &["--trace-limit", MOST, "--witness", path]);
    let text = std::fs::read_to_string(&witness).expect("a witness");
    assert!(text.contains("type: target"), "{text}");
    assert!(!text.contains("function_return"), "{text}");
}

/// A million rounds are executed one by one.
#[test]
fn millions_of_steps_are_executed() {
    let text = "void reach_error(void);\n\
                int main(void) { unsigned s = 0; for (unsigned i = 0; i < 1000000u; i++) s += i & 1;\n\
                if (s == 500000u) reach_error(); return 0; }";
    let run = check(text, &[]);
    let text = run.stdout;
    assert!(
        text.contains("(the trace has 3000006 steps: what is repeated is folded)"),
        "{text}"
    );
    assert!(
        text.contains("... 999998 more rounds like this ..."),
        "{text}"
    );
    assert!(text.contains("i=1000000"), "{text}");
}
