//! C programs on the command line: options, files, messages.

mod support;

use support::c::{Folder, check};
use support::{assert_bad_input, command, run_command};

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
