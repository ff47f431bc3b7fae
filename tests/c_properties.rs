//! Properties of C programs on the command line: kinds, formulas, labels, property files, and what is said
//! beside the verdicts.

mod support;

use support::c::{Folder, check, summary, verdicts};
use support::{Run, assert_bad_input};

/// Any `x`: `x + 1` overflows for the largest, and 10 is divided by 0 for -1.
const SUCCESSOR: &str = "\
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = x + 1;
  return 10 / y;
}
";

#[test]
fn overflow_and_undefined_steps_are_properties() {
    let options = ["--defined", "--no-overflow", "--terminates", "--assertions"];
    let expected = |assertions: &str| {
        [
            format!("assertions assertions {assertions}"),
            "terminates terminates holds".to_owned(),
            "no-overflow no-overflow violated".to_owned(),
            "defined defined violated".to_owned(),
        ]
    };
    for (overflow, assertions) in [("wrap", "holds"), ("block", "holds"), ("error", "violated")] {
        let options = [&options[..], &["--overflow", overflow]].concat();
        assert_eq!(
            verdicts(SUCCESSOR, &options),
            expected(assertions),
            "{overflow}"
        );
    }
    assert_eq!(check(SUCCESSOR, &["--defined"]).code, 1);
    assert_eq!(check(SUCCESSOR, &[]).code, 0);
}

#[test]
fn conversions_do_not_overflow() {
    let program = "int main(void) { char c = 300; unsigned u = -1; u = u + 1; c = u; return c; }";
    let expected = ["no-overflow no-overflow holds", "defined defined holds"];
    assert_eq!(verdicts(program, &["--no-overflow", "--defined"]), expected);
}

/// The smallest number divided by -1 is an overflow and undefined, whatever overflow does.
#[test]
fn a_quotient_that_does_not_fit() {
    let program = "int f(void); int main(void) { return f() / -1; }";
    let expected = [
        "no-overflow no-overflow violated",
        "defined defined violated",
    ];
    for overflow in ["wrap", "error", "block"] {
        let options = ["--no-overflow", "--defined", "--overflow", overflow];
        assert_eq!(verdicts(program, &options), expected, "{overflow}");
    }
}

#[test]
fn other_languages_have_no_such_properties() {
    let folder = Folder::new(&[("p.bp", "main() begin skip; end")]);
    for option in ["--no-overflow", "--defined"] {
        let run = folder.run(&["check", "p.bp", option]);
        assert_bad_input(&run, &format!("{option} is for C programs"));
    }
}

/// `x` goes round 0, 1, 2, 3; `mode` is `BUSY` from the first step on; `a[0]` stays 0.
const ROUNDS: &str = "\
#define LIMIT 3
int x = 0;
int a[4];
enum mode { IDLE, BUSY } mode;
void step(int by) {
  int old = x;
  {
    int inner = by + 1;
    x = old + by;
    if (inner)
      mode = BUSY;
  }
  a[by & 3] = 1;
}
void unused(int y) { y = 1; }
int main(void) {
  while (1) {
    x = 0;
    mode = IDLE;
  AGAIN:
    step(1);
    if (x < LIMIT)
      goto AGAIN;
  }
}
";

#[test]
fn formulas_speak_of_c_expressions() {
    for (formula, expected) in [
        ("G {x <= LIMIT}", "holds"),
        ("G {x < LIMIT}", "violated"),
        ("G \"x >= 0 && x <= 3\"", "holds"),
        ("G F {mode == BUSY}", "holds"),
        ("F G {mode == BUSY}", "violated"),
        ("F mode", "holds"),
        ("G {a[0] == 0}", "holds"),
        ("F {a[x & 0] + a[1] == 1}", "holds"),
        // Where it is undefined it is false.
        ("G {10 / x > 0}", "violated"),
        ("G !{10 / x > 10}", "holds"),
        ("F {10 / x > 0}", "holds"),
        // Variables of a function, where they are in scope.
        ("G F {step.inner == 2}", "holds"),
        ("G !{step.inner != 2}", "holds"),
        ("G ({step.inner == 2} -> in(step))", "holds"),
        ("F {step.old == 2}", "holds"),
        ("G !{step.old > 2}", "holds"),
        ("G !{unused.y == 1 || 1}", "holds"),
        // Control.
        ("G F at(AGAIN)", "holds"),
        ("G F at(main.AGAIN)", "holds"),
        ("G (AGAIN -> in(main))", "holds"),
        ("G F call(step)", "holds"),
        ("G (call(step) -> !in(step))", "holds"),
        ("G !in(unused)", "holds"),
        ("G !terminated & G !error", "holds"),
        ("[](\"x == 0\" ==> <>(\"x == 3\"))", "holds"),
        ("[](\"x == 0\" ==> <>(\"x == 4\"))", "violated"),
    ] {
        let run = check(
            ROUNDS,
            &["--ltl", formula, "--format", "json", "--no-trace"],
        );
        let expected = format!("ltl {formula} {expected}");
        assert_eq!(summary(&run), [expected], "{}", run.stderr);
    }
}

/// Before the first step globals have their values, and a step of C is one step of a formula.
#[test]
fn formulas_count_steps_of_c() {
    let program = "int g = 7, h = 7; int main(void) { g = 1; g = h = 2; g = 3; while (1); }";
    for (formula, expected) in [
        ("{g == 7}", "holds"),
        (
            "{g == 7} & X {g == 1} & X X {g == 2 && h == 2} & X X X {g == 3}",
            "holds",
        ),
        ("G {g == 2 || h != 2 || g == 3}", "holds"),
    ] {
        let run = check(
            program,
            &["--ltl", formula, "--format", "json", "--no-trace"],
        );
        assert_eq!(summary(&run), [format!("ltl {formula} {expected}")]);
    }
}

#[test]
fn what_is_wrong_with_a_condition_is_said() {
    for (formula, message) in [
        ("G {y > 0}", "`y` is not declared"),
        (
            "G {x = 1}",
            "a condition changes nothing and calls no function",
        ),
        (
            "G {x++}",
            "a condition changes nothing and calls no function",
        ),
        ("G {step(1)}", "a condition changes nothing"),
        ("G {step.zzz}", "`step` has no variable `zzz`"),
        ("G {main.x + step.old}", "`main` has no variable `x`"),
        (
            "G {step.old + unused.y}",
            "variables of two functions are never in scope together",
        ),
        ("G {x +}", "expected an expression"),
        ("G {x; x}", "expected `)`"),
        ("G {x); (x}", "this is no C expression"),
        ("G {&x}", "a condition takes no addresses"),
        ("G {1.5 < 2}", "this is not decided: floating point"),
        ("G nothing", "`nothing` is not declared"),
        ("G call(nobody)", "there is no function `nobody`"),
        ("G in(steq)", "did you mean `step`"),
        ("G at(NOWHERE)", "there is no label `NOWHERE`"),
        ("G state(x)", "`state(…)` means nothing in a C program"),
    ] {
        let run = check(ROUNDS, &["--ltl", formula]);
        assert_bad_input(&run, message);
    }
    // All of them are reported.
    let run = check(ROUNDS, &["--ltl", "G {y}", "--ltl", "G {z}"]);
    assert_bad_input(&run, "`y` is not declared");
    assert!(run.stderr.contains("`z` is not declared"), "{}", run.stderr);
}

#[test]
fn labels_of_c() {
    let program = "int f(int n) { L: if (n > 0) return f(n - 1); return 0; }\nvoid g(void) { M: ; }\nint main(void) { return f(3); }\n";
    let text = |label: &str| check(program, &["--reach", label, "--no-trace"]).stdout;
    assert_eq!(text("L"), "reachable L\n");
    assert_eq!(text("f.L"), "reachable f.L\n");
    // Nobody calls `g`.
    assert_eq!(text("M"), "unreachable M\n");
    assert_eq!(text("call(f)"), "reachable call(f)\n");
    assert_eq!(text("call(g)"), "unreachable call(g)\n");
    let run = check(program, &["--reach", "g.L"]);
    assert_bad_input(&run, "there is no label `g.L`");
}

const ERROR: &str = "\
extern void reach_error(void);
int x;
int main(void) {
  int n = 0;
  while (n < 3)
    n = n + 1;
  if (n == 4)
    reach_error();
  x = n;
  ERROR: return x - 3;
}
";

/// Checks `p.c` by the property file `p.prp`.
fn by_file(program: &str, file: &str, options: &[&str]) -> Run {
    let folder = Folder::new(&[("p.c", program), ("p.prp", file)]);
    let arguments = [
        "check",
        "p.c",
        "--prp",
        "p.prp",
        "--format",
        "json",
        "--no-trace",
    ];
    folder.run(&[&arguments[..], options].concat())
}

#[test]
fn property_files_of_the_competition() {
    let file = "CHECK( init(main()), LTL(G ! call(reach_error())) )
CHECK( init(main()), LTL(G ! label(ERROR)) )
CHECK( init(main()), LTL(G ! overflow) )
CHECK( init(main()), LTL(F end) )
CHECK( init(main()), LTL(G valid-deref) )
CHECK( init(main()), LTL( [](\"x != 5\") ) )
CHECK( init(main()), LTL( <>(\"x == 3\") ) )
";
    let run = by_file(ERROR, file, &["--assertions", "--defined"]);
    let expected = [
        "assertions assertions holds",
        "defined defined holds",
        "reach call(reach_error) holds",
        "reach ERROR violated",
        "no-overflow no-overflow holds",
        "terminates terminates holds",
        "prp p.prp unknown unsupported",
        "ltl [](\"x != 5\") holds",
        "ltl <>(\"x == 3\") holds",
    ];
    assert_eq!(summary(&run), expected);
    assert_eq!(run.code, 1);
    let only = "CHECK( init(main()), LTL(G valid-free) )";
    let run = by_file(ERROR, only, &[]);
    assert_eq!(run.code, 3);
    assert_eq!(run.results()[0]["property"]["name"], "G valid-free");
    let other = "CHECK( init(start()), LTL(F end) )";
    let run = by_file(ERROR, other, &[]);
    assert_bad_input(&run, "say --entry start");
    let run = by_file(ERROR, "CHECK( init(main()), LTL(F end )", &[]);
    assert_bad_input(&run, "p.prp:1: the file ends in the middle");
    let run = by_file(ERROR, "CHECK( init(main()), LTL([](\"z\")) )", &[]);
    assert_bad_input(&run, "`z` is not declared");
    let folder = Folder::new(&[("p.bp", "main() begin end"), ("p.prp", only)]);
    let run = folder.run(&["check", "p.bp", "--prp", "p.prp"]);
    assert_bad_input(&run, "--prp is for C programs");
}

#[test]
fn each_assertion_has_its_place() {
    let folder = Folder::new(&[
        (
            "a.c",
            "#include <assert.h>\nvoid f(int);\nvoid reach_error(void);\nint main(void) {\n  int x = 1;\n  assert(x == 1);\n  f(x);\n  if (x) reach_error();\n}\n",
        ),
        (
            "b.c",
            "#include <assert.h>\nvoid f(int x) {\n  assert(x + 1 == 2);\n}\n",
        ),
    ]);
    let arguments = [
        "check",
        "a.c",
        "b.c",
        "--each-assertion",
        "--no-overflow",
        "--format",
        "json",
    ];
    let run = folder.run(&arguments);
    let expected = [
        "assertion a.c:6:3 holds",
        "assertion a.c:8:10 violated",
        "assertion b.c:3:3 holds",
        "no-overflow no-overflow holds",
    ];
    assert_eq!(summary(&run), expected);
    let run = folder.run(&[&arguments[..], &["--overflow", "error"]].concat());
    assert_eq!(summary(&run)[3], "assertion others holds");
}

/// What the programs in `examples/c` say in their first lines is to be found out about them.
#[test]
fn every_example_has_the_verdicts_that_it_announces() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/c");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut count = 0;
    for path in entries.map(|entry| entry.expect("it can be read").path()) {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let expected = support::expectations::expectations(&text);
        assert!(!expected.is_empty(), "{}", path.display());
        for one in expected {
            let options: Vec<&str> = one.options.iter().map(String::as_str).collect();
            let run = support::check(&path, &[&["--no-trace"], &options[..]].concat());
            let mut words = run.stdout.lines().map(|line| line.split(' ').next());
            let is_right = words.all(|word| word == Some(&one.verdict));
            assert!(
                is_right && !run.stdout.is_empty(),
                "{options:?}: {}",
                run.stdout
            );
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

/// Where executions are cut off, and a property holds, that is said once for each place.
#[test]
fn a_warning_says_where_executions_are_cut_off() {
    let program = "\
int nondet(void);
int main(void) {
  int x = nondet();
  int a[2] = { 10 / x, 1 };
  return x > 0 ? a[x] : 0;
}
";
    let said = |run: &Run| {
        let lines = run.stderr.lines();
        let cut_off =
            lines.filter(|line| line.contains("executions that come to this are cut off"));
        cut_off.map(str::to_owned).collect::<Vec<_>>()
    };
    let run = check(
        program,
        &["--assertions", "--terminates", "--format", "json"],
    );
    let expected = [
        "warning: executions that come to this are cut off: division by 0",
        "warning: executions that come to this are cut off: index outside the array",
    ];
    assert_eq!(said(&run), expected, "{}", run.stderr);
    assert!(run.stderr.contains("p.c:4:16"), "{}", run.stderr);
    let place = serde_json::json!({
        "file": "p.c", "line": 4, "column": 16, "what": "division by 0"
    });
    for result in run.results() {
        assert_eq!(result["cut_off"][0], place);
        assert_eq!(result["verdict"], "holds");
    }
    // A verdict of its own, or none: nothing is cut off without notice.
    let run = check(program, &["--defined"]);
    assert_eq!((run.code, said(&run).len()), (1, 0), "{}", run.stderr);
    // Through predicates, what is not excluded.
    let run = check(program, &["--abstraction", "predicates"]);
    assert_eq!(said(&run), expected, "{}", run.stderr);
}

#[test]
fn a_warning_says_that_everything_is_cut_off() {
    let warning = "no execution comes to an end";
    let all = "int main(void) { int x = 0; return 10 / x; }";
    let some = "int f(void); int main(void) { int x = f(); return 10 / x; }";
    let run = check(all, &[]);
    assert!(
        run.code == 0 && run.stderr.contains(warning),
        "{}",
        run.stderr
    );
    let run = check(some, &[]);
    assert!(
        run.code == 0 && !run.stderr.contains(warning),
        "{}",
        run.stderr
    );
}

/// What is not known does not hold for a bad reason.
#[test]
fn nothing_is_said_of_why_a_property_holds_that_is_unknown() {
    let program = "int main(void) { double d = 1.5; return d > 1; }";
    for option in ["--assertions", "--terminates"] {
        let run = check(program, &[option]);
        assert_eq!(run.code, 3);
        assert!(!run.stderr.contains("because"), "{}", run.stderr);
        assert!(!run.stderr.contains("cut off"), "{}", run.stderr);
        assert!(
            run.stdout.contains("p.c:1:29: not decided"),
            "{}",
            run.stdout
        );
    }
}

/// Traces through locals of several frames are executed before they are shown.
#[test]
fn pointers_into_a_recursion_are_followed() {
    let dangling = "\
int *g;
void f(int n) { int x = n; if (n == 0) { g = &x; return; } f(n - 1); *g = 1; }
int main(void) { f(2); return 0; }
";
    let run = check(dangling, &["--defined", "--format", "json"]);
    assert_eq!(
        summary(&run),
        ["defined defined violated"],
        "{}",
        run.stderr
    );
    let through = "\
void reach_error(void);
void f(int n, int *p) { int x = n; if (n > 0) { f(n - 1, &x); if (x == 9) reach_error(); } else *p = 9; }
int main(void) { int r; f(3, &r); return 0; }
";
    let run = check(through, &["--format", "json"]);
    assert_eq!(
        summary(&run),
        ["assertions assertions violated"],
        "{}",
        run.stderr
    );
    let stem = run.results()[0]["trace"]["stem"].as_array().cloned();
    let deepest = stem
        .iter()
        .flatten()
        .filter_map(|step| step["depth"].as_u64());
    assert_eq!(deepest.max(), Some(4));
}

#[test]
fn memory_of_sizes_that_are_not_constant() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/memory.txt");
    let text = std::fs::read_to_string(path).expect("the programs");
    for case in text.split("==== ").skip(1) {
        let (header, program) = case.split_once('\n').expect("a header");
        let (code, what) = header.split_once(' ').expect("a code");
        let run = check(program, &[]);
        assert_eq!(
            run.code.to_string(),
            code,
            "{what}: {}{}",
            run.stdout,
            run.stderr
        );
    }
}

/// Statements between `g = 1;` and `g = 2;`, of one way to go: what formulas count is what traces show.
const STATEMENTS: [&str; 29] = [
    "f();",
    "x = f();",
    "x = f() + 1;",
    "int y = f();",
    "(void)f();",
    "h();",
    "i();",
    "x = e();",
    "e();",
    "int y = e(), z = 3;",
    "x = f(), h();",
    "if (f()) x = 1; else x = 2;",
    "e(k && k);",
    "x = id(k ? k : 2);",
    "x = id(k || k) + id(2);",
    "x = k && id(1);",
    "x = id(id(3));",
    "while (x < 2) x = id(x) + 1;",
    "switch (id(2)) { case 2: x++; break; default: x--; }",
    "for (int j = 0; j < 2; j++) h();",
    "x = ({ int t = f(); t + 1; });",
    "p = &x; *p = id(4); x += *p;",
    "id(x++);",
    "k; k + 1; (void)k; ; k = 1;",
    "for (k, f(); x < 1; x++, id(x)) ;",
    "e(x = 2, f());",
    "while (1) { x++; if (x < 2) continue; break; }",
    "id(x++) + id(x++);",
    "*(f() ? p : &x) = id(x++);",
];

#[test]
fn formulas_count_the_steps_that_traces_show() {
    for statement in STATEMENTS {
        let text = format!(
            "int k = 1, g, x, *p; int e(); int f(void) {{ return 0; }} int id(int a) {{ return a; }}\n\
             void h(void) {{}} void i(void) {{ return; }}\n\
             int main(void) {{ g = 1; {{ {statement} }} g = 2; E: while (1) k = k; }}"
        );
        let found = check(&text, &["--reach", "E", "--format", "json"]).results();
        let steps = found[0]["trace"]["stem"].as_array();
        let steps = steps.unwrap_or_else(|| panic!("no trace\n{text}"));
        let values: Vec<i64> = steps
            .iter()
            .map(|step| step["globals"]["g"].as_i64().expect("a number"))
            .collect();
        let last = values.iter().position(|value| *value == 2);
        let last = last.unwrap_or_else(|| panic!("{values:?}\n{text}"));
        let formulas = (0..=last).map(|n| format!("{}{{g == {}}}", "X ".repeat(n), values[n]));
        let mut options = Vec::new();
        let formulas: Vec<String> = formulas.collect();
        for formula in &formulas {
            options.extend(["--ltl", formula]);
        }
        for method in ["none", "predicates"] {
            options.extend(["--abstraction", method]);
            for (verdict, formula) in verdicts(&text, &options).iter().zip(&formulas) {
                assert!(
                    verdict.ends_with("holds"),
                    "{method} {formula}: {verdict}\n{text}"
                );
            }
            options.truncate(options.len() - 2);
        }
    }
}
