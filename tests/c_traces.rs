//! Traces of C programs: executed by the C interpreter, and shown in C.
//!
//! That a trace is an execution of the program is found out before it is shown, so every violation
//! here is one test more; what is pinned is what is shown of it.

mod support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use support::{Run, derny};

/// A C program in a file of its own.
struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        Program { folder }
    }

    fn of(text: &str) -> Self {
        Program::new(&[("p.c", text)])
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("p.c")
    }

    fn check(&self, options: &[&str]) -> Run {
        let path = self.path();
        let path = path.to_str().expect("a path");
        derny(&[&["check", path], options].concat())
    }

    /// The first result, which is a violation.
    fn violation(&self, options: &[&str]) -> Value {
        let run = self.check(&[options, &["--format", "json"]].concat());
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        let report = run.json();
        support::schema::check_report(&report);
        report["results"][0].clone()
    }

    /// Its text below the verdict, without what is at its ends.
    fn text(&self, options: &[&str]) -> String {
        let run = self.check(options);
        assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
        run.stdout
    }
}

fn stem(result: &Value) -> Vec<Value> {
    result["trace"]["stem"].as_array().expect("a stem").clone()
}

fn texts(steps: &[Value]) -> Vec<&str> {
    let text = |step| -> &str { Value::as_str(step).expect("a text") };
    steps.iter().map(|step| text(&step["text"])).collect()
}

fn step<'a>(steps: &'a [Value], text: &str) -> &'a Value {
    let mut found = steps.iter().filter(|step| step["text"] == text);
    found
        .next_back()
        .unwrap_or_else(|| panic!("no step `{text}`"))
}

const ERROR: &str = "void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

#[test]
fn a_trace_is_made_of_steps_of_c() {
    let program = Program::of(
        "int nondet(void);
void assert(int);
int twice(int n) { return n + n; }
int main(void) {
  int x = nondet();
  for (int i = 0; i < 1; i++) { x = twice(x); }
  switch (x) {
    case 4: x = 5; break;
    default: ;
  }
  assert(x != 5);
  return 0;
}
",
    );
    let text = program.text(&[]);
    let expected = "\
violated assertions
  why: `assert(x != 5)` fails (line 11, column 3, step 12)
    1   5  nondet()                    main
    2   5  int x = nondet()
    3   6  int i = 0                   x=X
    4   6  i < 1: true                 i=0
    5   6  twice(x)
    6   3    return n + n              twice: n=X
    7   6  x = twice(x)
    8   6  i++                         x=4
    9   6  i < 1: false                i=1
   10   7  switch (x): case 4
   11   8  x = 5
   12  11  assert(x != 5)              x=5
   13      error: the assertion fails
";
    // There are two numbers with this double.
    let input = program.violation(&[])["trace"]["inputs"][0]["value"].clone();
    let value = input.as_i64().expect("a number");
    assert!(value == 2 || value == 2 - (1 << 31), "{value}");
    let expected = expected.replace('X', &value.to_string());
    assert_eq!(text, expected);
}

#[test]
fn values_are_those_of_c() {
    let program = Program::of(&format!(
        "{ERROR}enum color {{ RED, GREEN = 7 }} c;
struct pair {{ int a; signed char b[3]; }} s = {{ -5, {{ 1, 2, 3 }} }};
unsigned long long big = 18446744073709551615ull;
_Bool yes;
int g, *p = &g;
int (*f)(void) = __VERIFIER_nondet_int;
int main(void) {{
  int *q = &s.a, *n = 0;
  signed char *r = &s.b[2];
  c = GREEN; yes = 4;
  if (c == GREEN) reach_error();
  return 0;
}}
"
    ));
    let result = program.violation(&[]);
    let steps = stem(&result);
    let last = step(&steps, "reach_error()");
    let globals = json!({
        "c": "GREEN",
        "s": { "a": -5, "b": [1, 2, 3] },
        "big": 18446744073709551615_u64,
        "yes": 1,
        "g": 0,
        "p": "&g",
        "f": "&__VERIFIER_nondet_int",
    });
    assert_eq!(last["globals"], globals);
    assert_eq!(
        last["locals"],
        json!({ "q": "&s.a", "n": "null", "r": "&s.b[2]" })
    );
    let end = steps.last().expect("an end");
    assert_eq!(
        (&end["point"], &end["text"]),
        (&json!("error"), &json!("`reach_error` is called"))
    );
    assert_eq!(end["procedure"], "");
}

#[test]
fn places_are_what_the_user_wrote() {
    let header = "#define FAIL_IF(c) do { if (c) reach_error(); } while (0)\nint seven(void);\n";
    let program = Program::new(&[
        (
            "p.c",
            &format!(
                "{ERROR}#include \"h.h\"\n#include \"b.h\"\nint main(void) {{\n  FAIL_IF(seven() == 7);\n}}\n"
            ),
        ),
        ("h.h", header),
        ("b.h", "int seven(void) { return 7; }\n"),
    ]);
    let result = program.violation(&[]);
    let steps = stem(&result);
    let file = |name: &str| json!(program.folder.path().join(name).to_str());
    let inside = step(&steps, "return 7");
    assert_eq!(
        (&inside["file"], &inside["line"], &inside["procedure"]),
        (&file("b.h"), &json!(1), &json!("seven"))
    );
    let used = step(&steps, "FAIL_IF(seven() == 7)");
    assert_eq!(
        (&used["file"], &used["line"], &used["column"]),
        (&file("p.c"), &json!(6), &json!(3))
    );
    assert_eq!(
        (&used["end_line"], &used["end_column"]),
        (&json!(6), &json!(23))
    );
}

#[test]
fn inputs_come_in_the_order_of_the_calls() {
    let program = Program::of(&format!(
        "{ERROR}long unknown(void);
int main(void) {{
  int a = __VERIFIER_nondet_int();
  long b = unknown();
  int c = __VERIFIER_nondet_int();
  if (a == 3 && b == -70000000000 && c == 4) reach_error();
}}
"
    ));
    let result = program.violation(&[]);
    let inputs = &result["trace"]["inputs"];
    let file = program.path();
    let input = |function: &str, line: u32, value: i64| json!({ "function": function, "file": file.to_str(), "line": line, "value": value });
    let nondet = "__VERIFIER_nondet_int";
    let expected = [
        input(nondet, 5, 3),
        input("unknown", 6, -70_000_000_000),
        input(nondet, 7, 4),
    ];
    assert_eq!(*inputs, json!(expected));
    let steps = stem(&result);
    let call = step(&steps, "unknown()");
    assert_eq!(call["choice"], json!(["unknown()=-70000000000"]));
}

#[test]
fn what_nobody_wrote_is_chosen() {
    let program = Program::of(&format!(
        "{ERROR}extern int outside;
int none(int n) {{ if (n) return 1; }}
int main(int argc, char **argv) {{
  int x, a[2];
  struct {{ short s; char c; }} r;
  goto in;
  {{
    int hidden;
in:
    if (x == 12 && a[1] == -1 && r.c == 'c' && hidden == 6 && outside == 5 && none(0) == 8 && argc == 3)
      reach_error();
  }}
}}
"
    ));
    let result = program.violation(&[]);
    let steps = stem(&result);
    let last = step(&steps, "reach_error()");
    let locals = &last["locals"];
    assert_eq!((&locals["x"], &locals["a"][1]), (&json!(12), &json!(-1)));
    assert_eq!(
        (&locals["r"]["c"], &locals["hidden"]),
        (&json!(99), &json!(6))
    );
    assert_eq!(
        (&locals["argc"], &last["globals"]["outside"]),
        (&json!(3), &json!(5))
    );
    let label = steps.iter().find(|step| step["labels"] == json!(["in"]));
    assert!(label.is_some(), "{:?}", texts(&steps));
}

#[test]
fn a_label_or_call_is_where_a_trace_ends() {
    let program = Program::of(
        "int nondet(void);
void touch(int n) { n = n; }
int main(void) { if (nondet()) goto L; return 0; L: touch(1); return 1; }
",
    );
    let result = program.violation(&["--reach", "L"]);
    let steps = stem(&result);
    let last = steps.last().expect("a step");
    assert_eq!(
        (&last["labels"], &last["procedure"]),
        (&json!(["L"]), &json!("main"))
    );
    assert_eq!(last["point"], "statement");
}

#[test]
fn recursion_goes_down_and_up() {
    let program = Program::of(&format!(
        "{ERROR}int down(int n) {{ if (n <= 0) return 0; return 1 + down(n - 1); }}
int main(void) {{ if (down(3) == 3) reach_error(); }}
"
    ));
    let result = program.violation(&[]);
    let steps = stem(&result);
    let depths: Vec<_> = steps
        .iter()
        .filter_map(|step| step["depth"].as_u64())
        .collect();
    assert_eq!(depths, [0, 1, 1, 2, 2, 3, 3, 4, 4, 3, 2, 1, 0, 0, 0]);
    let deepest = steps
        .iter()
        .find(|step| step["depth"] == 4)
        .expect("a step");
    assert_eq!(deepest["locals"], json!({ "n": 0 }));
}

/// A loop that is as `cli.md` has it: its last step is the stem's last, perhaps deeper.
fn check_loop(result: &Value) -> (Vec<Value>, Vec<Value>) {
    let stem = stem(result);
    let cycle = result["trace"]["loop"].as_array().expect("a loop").clone();
    let (first, last) = (stem.last().expect("a step"), cycle.last().expect("a step"));
    for key in [
        "procedure",
        "file",
        "line",
        "column",
        "text",
        "globals",
        "locals",
    ] {
        assert_eq!(first[key], last[key], "{key}");
    }
    let depth = |step: &Value| step["depth"].as_u64().expect("a depth");
    assert!(cycle.iter().all(|step| depth(step) >= depth(first)));
    (stem, cycle)
}

#[test]
fn endless_executions_come_back() {
    let endless = "int nondet(void);
int main(void) { int x = nondet(); while (x != 3) { x = x == 5 ? 6 : 5; int *p = &x; *p = *p; } }
";
    let (_, cycle) = check_loop(&Program::of(endless).violation(&["--terminates"]));
    assert!(cycle.len() >= 4);
    let deeper = "int f(int n) { return f(n) + 1; }\nint main(void) { return f(3); }\n";
    let (stem, cycle) = check_loop(&Program::of(deeper).violation(&["--terminates"]));
    let depth = |steps: &[Value]| steps.last().and_then(|step| step["depth"].as_u64());
    assert!(depth(&cycle) > depth(&stem));
}

#[test]
fn formulas_are_evaluated_on_steps_of_c() {
    let program = Program::of(
        "int nondet(void);
int ready;
int main(void) { int x = nondet(); while (x > 0) { ready = 1; ready = 0; } return 0; }
",
    );
    let result = program.violation(&["--ltl", "F G {ready == 0}"]);
    let (stem, cycle) = check_loop(&result);
    let steps: Vec<Value> = stem.into_iter().chain(cycle).collect();
    let formula = &result["formula"];
    assert_eq!(formula["subformulas"][2], "{ready == 0}");
    let truth = formula["truth"][2].as_str().expect("a row");
    let shown: String = steps
        .iter()
        .map(|step| {
            if step["globals"]["ready"] == 0 {
                '1'
            } else {
                '0'
            }
        })
        .collect();
    assert_eq!(truth, shown);
    let run = result["automaton"]["run"].as_array().expect("a run");
    assert_eq!(run.len(), steps.len());
    assert!(result["cause"].is_array());
}

#[test]
fn a_program_that_has_ended_stays_there() {
    let program = Program::of("int g;\nint main(void) { g = 1; g = 0; return 0; }\n");
    let result = program.violation(&["--ltl", "F G {g == 1}"]);
    let cycle = result["trace"]["loop"].as_array().expect("a loop");
    assert!(cycle.iter().all(|step| step["point"] == "terminated"));
    let steps = stem(&result).len() + cycle.len();
    let truth = result["formula"]["truth"].as_array().expect("truth");
    assert!(
        truth
            .iter()
            .all(|row| row.as_str().is_some_and(|row| row.len() == steps))
    );
    let run = result["automaton"]["run"].as_array().expect("a run");
    assert_eq!(run.len(), steps);
}

#[test]
fn witnesses_have_a_waypoint_for_each_input() {
    let program = Program::of(&format!(
        "{ERROR}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  if (x == 42) reach_error();\n}}\n"
    ));
    let file = program.folder.path().join("w.yml");
    let run = program.check(&["--witness", file.to_str().expect("a path")]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let text = std::fs::read_to_string(&file).expect("a witness");
    let wanted = [
        "- entry_type: violation_sequence\n",
        "    format_version: \"2.0\"\n",
        "      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n",
        "      data_model: LP64\n",
        "        type: function_return\n",
        "          value: \"\\\\result == 42\"\n",
        "          line: 4\n          column: 33\n          function: \"main\"\n",
        "        type: target\n",
        "          line: 5\n          column: 16\n          function: \"main\"\n",
    ];
    for wanted in wanted {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    let endless = Program::of("int main(void) { for (;;) ; }\n");
    let run = endless.check(&["--terminates", "--witness", file.to_str().expect("a path")]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no witness"), "{}", run.stderr);
    let after = std::fs::read_to_string(&file).expect("a witness");
    assert_eq!(after, text, "the file is as it was");
}

#[test]
fn pages_and_logs_know_every_file() {
    let program = Program::new(&[
        (
            "p.c",
            &format!("{ERROR}#include \"b.h\"\nint main(void) {{ fail(3); }}\n"),
        ),
        ("b.h", "void fail(int n) { if (n == 3) reach_error(); }\n"),
    ]);
    let [page, log] = ["page.html", "log.sarif"].map(|name| program.folder.path().join(name));
    let files = [&page, &log].map(|file| file.to_str().expect("a path").to_owned());
    let run = program.check(&["--html", &files[0], "--sarif", &files[1]]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let page = std::fs::read_to_string(page).expect("a page");
    let data = page
        .split("id=\"data\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next());
    let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
    assert_eq!(data["is_spelled"], true);
    let more = data["more_sources"].as_array().expect("files");
    let is_it = |file: &Value| {
        file["name"]
            .as_str()
            .is_some_and(|name| name.ends_with("b.h"))
    };
    let number = more.iter().position(is_it).expect("the other file");
    let more = &more[number];
    assert!(
        more["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("void fail"))
    );
    let points = data["points"].as_array().expect("points");
    assert!(
        points.iter().any(|point| point[9] == number + 1),
        "{points:?}"
    );
    let log = std::fs::read_to_string(log).expect("a log");
    let log: Value = serde_json::from_str(&log).expect("JSON");
    let result = &log["runs"][0]["results"][0];
    let location = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(
        location.as_str().is_some_and(|uri| uri.ends_with("b.h")),
        "{location}"
    );
}

/// Every violation that is found in public programs within seconds is executed: an exit code of 4
/// would be one that is not.
#[test]
fn traces_of_public_programs_are_executions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/c");
    if !folder.is_dir() {
        eprintln!("SKIPPED: no public C programs");
        return;
    }
    let mut violations = 0;
    for name in [
        "locks",
        "recursive-simple",
        "recursive",
        "bitvector-regression",
        "loop-new",
        "loop-lit",
        "cpa-simple",
        "loop-crafted",
    ] {
        let Ok(entries) = std::fs::read_dir(folder.join(name)) else {
            continue;
        };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.retain(|file| file.extension().is_some_and(|end| end == "c" || end == "i"));
        files.sort();
        for file in files.iter().take(6) {
            let file = file.to_str().expect("a path");
            let options = ["check", file, "--timeout", "2", "--format", "json"];
            let run = derny(&options);
            assert!(
                matches!(run.code, 0 | 1 | 3),
                "{file}: {}{}",
                run.code,
                run.stderr
            );
            if run.code == 1 {
                support::schema::check_report(&run.json());
                violations += 1;
            }
        }
    }
    assert!(violations >= 5, "{violations} violations");
}
