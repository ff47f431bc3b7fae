//! C programs on the command line: options, properties, results, messages.

mod support;

use serde_json::Value;
use support::{Run, assert_bad_input, command, run_command};

/// Files in a folder, in which the command runs: places are said as they are written here.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        Folder(folder)
    }

    fn run(&self, arguments: &[&str]) -> Run {
        let mut command = command();
        command.current_dir(self.0.path()).args(arguments);
        run_command(command)
    }
}

/// Checks one file `p.c`.
fn check(text: &str, arguments: &[&str]) -> Run {
    let folder = Folder::new(&[("p.c", text)]);
    folder.run(&[&["check", "p.c"], arguments].concat())
}

/// Kind, text and verdict of each result, and the reason if there is one.
fn summary(run: &Run) -> Vec<String> {
    let line = |result: &Value| {
        let property = &result["property"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let words = [
            &property["kind"],
            &property["text"],
            &result["verdict"],
            &result["reason"],
        ];
        words.map(word).join(" ").trim_end().to_owned()
    };
    run.results().iter().map(line).collect()
}

fn verdicts(text: &str, arguments: &[&str]) -> Vec<String> {
    summary(&check(text, &[&["--format", "json"], arguments].concat()))
}

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

const ASSERTS: &str = "#include <assert.h>\n";

fn asserting(condition: &str) -> String {
    format!("{ASSERTS}int main(void) {{ assert({condition}); return 0; }}\n")
}

#[test]
fn integers_are_as_wide_as_the_model_says() {
    let long = asserting("sizeof(long) == 8 && sizeof(int *) == 8 && sizeof(int) == 4");
    assert_eq!(check(&long, &[]).code, 0);
    assert_eq!(check(&long, &["--model", "lp64"]).code, 0);
    assert_eq!(check(&long, &["--model", "ilp32"]).code, 1);
    let macros = asserting("sizeof(long) == 4 && __SIZEOF_LONG__ == 4");
    assert_eq!(check(&macros, &["--model", "ilp32"]).code, 0);
    assert_bad_input(&check(&long, &["--model", "llp64"]), "llp64");
}

#[test]
fn macros_are_text() {
    let program = asserting("X 2 && Y");
    assert_eq!(check(&program, &["-D", "X=1 ==", "-DY"]).code, 1);
    assert_eq!(check(&program, &["-D", "X=2 ==", "-DY"]).code, 0);
    assert_eq!(check(&program, &["-D", "X=2 ==", "-DY=0"]).code, 1);
    assert_bad_input(&check(&program, &["-D", "=1"]), "expected a name");
    assert_bad_input(&check(&program, &[]), "expected `)`, found `2`");
}

#[test]
fn included_files_are_looked_for_in_directories() {
    let folder = Folder::new(&[
        (
            "p.c",
            "#include <assert.h>\n#include \"h.h\"\nint main(void) { assert(H == 1); return 0; }",
        ),
        ("one/h.h", "#define H 1\n"),
        ("two/h.h", "#define H 2\n"),
    ]);
    let code = |arguments: &[&str]| folder.run(&[&["check", "p.c"], arguments].concat()).code;
    assert_eq!(code(&["-I", "one"]), 0);
    assert_eq!(code(&["-Ione", "-Itwo"]), 0);
    assert_eq!(code(&["-I", "two", "-I", "one"]), 1);
    assert_bad_input(&folder.run(&["check", "p.c"]), "there is no file `h.h`");
}

#[test]
fn another_preprocessor_can_be_used() {
    let program = "#include <assert.h>\nint main(void) {\n  assert(HERE);\n  return 0;\n}\n";
    // What it writes is read; nothing else has to be there.
    let run = check(program, &["--cpp", "sed -e s/HERE/0/"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert_eq!(check(program, &["--cpp", "sed -e s/HERE/1/"]).code, 0);
    let run = check(program, &["--cpp", "exit 3"]);
    assert_bad_input(&run, "cannot read p.c: `exit 3` failed");
    // Markers count, and otherwise the lines of what it writes.
    let run = check(
        "int main(void) { return x; }",
        &["--cpp", "printf '# 70 \"y.y\"\\n'; cat"],
    );
    assert_bad_input(&run, "p.c:1:25");
    let run = check(
        "int main(void) { return x; }",
        &["--cpp", "sed 's/^int/# 70 \"y.y\"\\nint/'"],
    );
    assert_bad_input(&run, "y.y:70:25");
    let gcc = std::process::Command::new("gcc").arg("--version").output();
    if gcc.is_err() {
        eprintln!("SKIPPED: no gcc");
        return;
    }
    let folder = Folder::new(&[
        (
            "sub/p.c",
            "#include \"h.h\"\n#include \"i.h\"\nint main(void) {\n  return H + I + D + x;\n}\n",
        ),
        ("sub/h.h", "#define H 1\n"),
        ("other/i.h", "#define I 1\n"),
    ]);
    let options = ["--cpp", "gcc -E -x c -", "-I", "other", "-D", "D=(1 + 1)"];
    let run = folder.run(&[&["check", "sub/p.c"], &options[..]].concat());
    assert_bad_input(&run, "sub/p.c:4:28");
    assert!(run.stderr.contains("`x` is not declared"), "{}", run.stderr);
}

#[test]
fn a_preprocessed_file_has_its_own_lines() {
    let text = "# 70 \"y.y\"\nint main(void) { return x; }\n";
    for (name, place) in [("p.i", "p.i:2:25"), ("p.c", "y.y:70:25")] {
        let folder = Folder::new(&[(name, text)]);
        assert_bad_input(&folder.run(&["check", name]), place);
    }
    // It is not preprocessed again.
    let folder = Folder::new(&[("p.i", "int main(void) { return 0; }")]);
    assert_eq!(folder.run(&["check", "p.i", "--cpp", "exit 3"]).code, 0);
}

const CALLER: &str = "\
#include <assert.h>
int twice(int);
extern int count;
static int own = 1;
int main(void) { assert(twice(own) == 2 && count == 1); return 0; }
";
const CALLEE: &str = "\
int count;
static int own = 2;
int twice(int x) { count++; return own - 1 + x; }
";

#[test]
fn several_files_are_one_program() {
    let folder = Folder::new(&[("a.c", CALLER), ("b.c", CALLEE)]);
    let run = folder.run(&["check", "a.c", "b.c", "--format", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let json = run.json();
    assert_eq!(json["input"], "a.c");
    assert_eq!(json["files"], serde_json::json!(["a.c", "b.c"]));
    assert_eq!(json["assumed"], serde_json::json!([]));
    let run = folder.run(&["check", "b.c", "a.c", "--format", "json", "--assertions"]);
    assert_eq!(run.json()["input"], "b.c");
    assert_eq!(run.code, 0);
    // What is wrong is said with both places.
    let wrong = Folder::new(&[
        ("a.c", CALLER),
        ("b.c", "char count;\nlong twice(int x) { return x; }"),
    ]);
    let run = wrong.run(&["check", "a.c", "b.c"]);
    assert_bad_input(&run, "`count` is `char` here and was `int` before");
    assert!(run.stderr.contains("b.c:1:6"), "{}", run.stderr);
    assert!(run.stderr.contains("a.c:3:12"), "{}", run.stderr);
    assert!(
        run.stderr.contains("`twice` is `long (int)` here"),
        "{}",
        run.stderr
    );
    let twice = Folder::new(&[
        ("a.c", "int main(void) { return 0; }"),
        ("b.c", "int main(void) { return 0; }"),
    ]);
    assert_bad_input(
        &twice.run(&["check", "a.c", "b.c"]),
        "`main` is defined twice",
    );
}

#[test]
fn files_that_do_not_go_together() {
    let folder = Folder::new(&[("a.c", CALLER), ("b.bp", "main() begin end"), ("c.bp", "")]);
    let run = folder.run(&["check", "a.c", "b.bp"]);
    assert_bad_input(&run, "a.c and b.bp are in different languages");
    let run = folder.run(&["check", "b.bp", "c.bp"]);
    assert_bad_input(&run, "several files are for C programs");
    let run = folder.run(&["check", "a.c", "-", "--lang", "c"]);
    assert_bad_input(&run, "standard input is a program of one file");
    let run = folder.run(&["check", "a.c", "missing.c"]);
    assert_bad_input(&run, "cannot read missing.c");
}

#[test]
fn standard_input_needs_a_language() {
    let mut with = command();
    with.args(["check", "-", "--lang", "c"]);
    with.write_stdin(asserting("1"));
    assert_eq!(run_command(with).code, 0);
    let mut without = command();
    without.args(["check", "-"]).write_stdin("");
    assert_bad_input(&run_command(without), "say --lang bp, rem, pds or c");
}

#[test]
fn parameters_of_the_entry_are_arbitrary() {
    let program = format!(
        "{ASSERTS}void f(int x, unsigned char c) {{ assert(x != 7 || c != 200); }}\nint main(int argc, char **argv) {{ assert(argc > 0); return 0; }}\n"
    );
    assert_eq!(check(&program, &["--entry", "f"]).code, 1);
    assert_eq!(check(&program, &[]).code, 0);
    let run = check(&program, &["--entry", "mian"]);
    assert_bad_input(&run, "there is no function `mian` to begin with");
    assert!(run.stderr.contains("did you mean `main`"), "{}", run.stderr);
}

/// `f` and `g` have no body.
const WITHOUT_BODY: &str = "\
#include <assert.h>
int f(int);
void g(void);
int x;
int main(void) {
  int y = f(1);
  g();
  assert(x == 0);
  return f(y);
}
";

#[test]
fn functions_without_body_are_named() {
    let run = check(WITHOUT_BODY, &["--format", "json"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.json()["assumed"], serde_json::json!(["f", "g"]));
    assert_eq!(run.stderr.matches("warning").count(), 2, "{}", run.stderr);
    assert!(run.stderr.contains("p.c:2:5"), "{}", run.stderr);
    let said = "`g` has no body: it is assumed that it may return any value and changes nothing";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    let run = check(WITHOUT_BODY, &["--externs", "refuse", "--format", "json"]);
    assert_eq!(run.code, 3);
    let result = &run.results()[0];
    assert_eq!(result["reason"], "unsupported");
    let outside = serde_json::json!([{
        "file": "p.c", "line": 6, "column": 11, "what": "`f`, which has no body"
    }]);
    assert_eq!(result["outside"], outside);
    // Nothing is assumed of the functions that tests of verifiers use.
    let inputs =
        "int __VERIFIER_nondet_int(void); int main(void) { return __VERIFIER_nondet_int(); }";
    let run = check(inputs, &["--format", "json"]);
    assert_eq!(run.json()["assumed"], serde_json::json!([]));
    assert!(!run.stderr.contains("body"), "{}", run.stderr);
}

#[test]
fn options_of_c_are_for_c() {
    let folder = Folder::new(&[
        ("p.bp", "main() begin end"),
        ("p.rem", "module void main() {}"),
    ]);
    for option in [
        &["--model", "ilp32"][..],
        &["-I", "x"],
        &["--cpp", "cat"],
        &["--externs", "pure"],
        &["--malloc", "may-fail"],
        &["--heap", "2"],
        &["--cells", "8"],
    ] {
        for file in ["p.bp", "p.rem"] {
            let run = folder.run(&[&["check", file], option].concat());
            assert_bad_input(&run, &format!("{} is for C programs", option[0]));
        }
    }
    let run = folder.run(&["check", "p.rem", "-D", "N"]);
    assert_bad_input(&run, "-D N: expected NAME=VALUE");
    let run = folder.run(&["check", "p.rem", "-D", "N=x"]);
    assert_bad_input(&run, "`x` is no number");
    let run = check(CALLER, &["--threads", "main=2"]);
    assert_bad_input(&run, "--threads is for boolean programs");
    for option in ["--heap", "--cells"] {
        assert_bad_input(&check(CALLER, &[option, "0"]), "is not in 1..");
    }
    let run = check(CALLER, &["--algorithm", "ef"]);
    assert_bad_input(&run, "equations are about boolean programs");
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
