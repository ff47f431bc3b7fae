//! Which method answers where none is asked for.

use assert_cmd::Command;
use std::fs;

const MCCARTHY: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
int f91(int x) {
  if (x > 100) return x - 10;
  return f91(f91(x + 11));
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  int result = f91(x);
  if (!(result == 91 || (x > 101 && result == x - 10))) __VERIFIER_error();
  return 0;
}
";

/// What is said of a program, as JSON, and what on standard error.
fn check(text: &str) -> (serde_json::Value, String) {
    let folder = tempfile::tempdir().expect("a folder for a test");
    let file = folder.path().join("prog.c");
    fs::write(&file, text).expect("a file for a test");
    let mut command = Command::cargo_bin("derny").expect("it was built");
    let output = command
        .args(["check", "--format", "json", "--timeout", "300"])
        .arg(&file)
        .output()
        .expect("it runs");
    let json = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    (json, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The function's summaries on all inputs are too wide for the search on bits, whose closures would
/// not end if they had no budget.
#[test]
fn a_hopeless_search_is_left_for_predicates() {
    let (json, messages) = check(MCCARTHY);
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "holds", "{json}");
    assert_eq!(result["abstraction"]["method"], "predicates", "{json}");
    assert!(messages.contains("predicates are tried"), "{messages}");
}

/// With a mistake at one border, the trace is one of the program as it was written.
#[test]
fn violations_behind_a_hopeless_search_have_their_trace() {
    let (json, _) = check(&MCCARTHY.replace("x > 101 &&", "x > 102 &&"));
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "violated", "{json}");
    let inputs = &result["trace"]["inputs"];
    assert_eq!(inputs[0]["value"], 102, "{json}");
}

/// The search on bits finds the violation soon, and its shortest execution not for a long time: that
/// is looked for through predicates.
#[test]
fn violations_without_a_trace_get_it_through_predicates() {
    let (json, messages) = check(
        "extern int __VERIFIER_nondet_int(void);
         extern void __VERIFIER_error(void);
         int main(void) {
           int bytes = __VERIFIER_nondet_int(), room = __VERIFIER_nondet_int();
           int blocks = __VERIFIER_nondet_int();
           if (blocks != bytes / 64) return 0;
           for (int i = 0; i < bytes / 8 && i < room; i++)
             if (i / 8 >= blocks) __VERIFIER_error();
           return 0;
         }",
    );
    assert!(messages.contains("predicates are tried"), "{messages}");
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "violated", "{json}");
    assert!(!result["trace"].is_null(), "{json}");
}

/// The midpoint that overflows is seen in the first rounds, and all ways of a search among 2³² ranges are far more
/// than that: the verdict does not wait for them, and neither does its trace.
#[test]
fn traces_do_not_wait_for_all_that_is_reachable() {
    let mut command = Command::cargo_bin("derny").expect("it was built");
    let output = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["check", "examples/c/binary_search.c", "--no-overflow"])
        .args(["--format", "json"])
        .output()
        .expect("it runs");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "violated", "{json}");
    assert!(!result["trace"].is_null(), "{json}");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(
        messages.contains("direct search for a trace looks hopeless"),
        "{messages}"
    );
}

#[test]
fn what_is_decided_directly_names_no_method() {
    let (json, messages) = check("int main(void) { int x = 1; if (x) return 0; return 1; }");
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "holds", "{json}");
    assert!(result["abstraction"].is_null(), "{json}");
    assert!(!messages.contains("predicates"), "{messages}");
}
