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
