//! Small programs with formulas whose verdict is proved by hand, in `tests/temporal`.
//!
//! `// property: OPTIONS : holds|violated` asks the real binary, in every direction, with
//! every way to search cycles and on the engine with explicit states; `// why:` before it is
//! the proof. `// error: OPTIONS : TEXT : TEXT...` expects exit code 2 and these texts.
//! Lassos of violated properties are checked here once more, by their shape.

mod support;

#[path = "temporal/lasso.rs"]
mod lasso;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use support::{Run, Written, command, run_command};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn folder() -> PathBuf {
    root().join("tests/temporal")
}

/// The binary, with files named relative to the folder of the programs.
fn derny(arguments: &[&str]) -> Run {
    let mut command = command();
    command.current_dir(folder()).args(arguments);
    run_command(command)
}

/// Every way to decide a property.
const WAYS: [&[&str]; 11] = [
    &[],
    &["--cycles", "owcty"],
    &["--cycles", "emerson-lei"],
    &["--cycles", "closure"],
    &["--no-rough-components"],
    &["--cycles", "closure", "--no-rough-components"],
    &["--search", "backward"],
    &["--search", "backward", "--cycles", "emerson-lei"],
    &["--search", "backward", "--cycles", "closure"],
    &["--search", "backward", "--no-rough-components"],
    &["--engine", "explicit"],
];

/// One `// property:` or `// error:` line.
#[derive(Debug)]
struct Expectation {
    line: usize,
    options: Vec<String>,
    /// The verdict, or what an error says.
    expected: Vec<String>,
}

impl Expectation {
    /// Options, in single quotes where they have blanks, then texts that follow a ` : `.
    fn read(line: usize, text: &str) -> Self {
        let mut options = Vec::new();
        let mut rest = text.trim();
        while !rest.starts_with(": ") && !rest.is_empty() {
            let (word, after) = match rest.strip_prefix('\'') {
                Some(quoted) => quoted.split_once('\'').expect("a quote is closed"),
                None => rest.split_once(' ').unwrap_or((rest, "")),
            };
            options.push(word.to_owned());
            rest = after.trim_start();
        }
        let expected = rest.strip_prefix(": ").expect("`OPTIONS : EXPECTED`");
        Expectation {
            line,
            options,
            expected: expected.split(" : ").map(|e| e.trim().to_owned()).collect(),
        }
    }

    /// The place of its kind in the results.
    fn order(&self) -> usize {
        let kinds = [
            "--ltl",
            "--never",
            "--reach",
            "--assertions",
            "--terminates",
        ];
        let kind = kinds.iter().position(|kind| *kind == self.options[0]);
        kind.unwrap_or_else(|| panic!("line {}: no property", self.line))
    }
}

struct Program {
    name: String,
    text: String,
    /// In the order of results.
    properties: Vec<Expectation>,
    errors: Vec<Expectation>,
}

impl Program {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("it can be read");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut properties = Vec::new();
        let mut errors = Vec::new();
        let mut proved = false;
        for (number, line) in text.lines().enumerate() {
            if let Some(rest) = line.strip_prefix("// property:") {
                assert!(proved, "{name}: line {} has no `why` before it", number + 1);
                properties.push(Expectation::read(number + 1, rest));
            } else if let Some(rest) = line.strip_prefix("// error:") {
                errors.push(Expectation::read(number + 1, rest));
            }
            proved |= line.starts_with("// why:");
        }
        properties.sort_by_key(Expectation::order);
        Program {
            name: name.into_owned(),
            properties,
            errors,
            text,
        }
    }

    /// What is wrong with the answers to all properties at once.
    fn wrong(&self, way: &[&str]) -> Vec<String> {
        let mut arguments = vec!["check", self.name.as_str(), "--format", "json"];
        let options = self.properties.iter().flat_map(|p| &p.options);
        arguments.extend(options.map(String::as_str));
        arguments.extend(way);
        let run = derny(&arguments);
        let violated = self.properties.iter().any(|p| p.expected[0] == "violated");
        let mut wrong = Vec::new();
        if run.code > 1 {
            wrong.extend(self.properties_that_fail(way));
            assert!(!wrong.is_empty(), "exit code {}: {}", run.code, run.stderr);
            return wrong;
        }
        if run.code != i32::from(violated) {
            wrong.push(format!("exit code {}", run.code));
        }
        let results = run.results();
        assert_eq!(results.len(), self.properties.len());
        for (property, result) in self.properties.iter().zip(&results) {
            if let Some(what) = self.wrong_result(property, result, way) {
                wrong.push(format!(
                    "line {}, {:?}: {what}",
                    property.line, property.options
                ));
            }
        }
        wrong
    }

    /// Nothing came of all properties at once: which of them is to blame?
    fn properties_that_fail(&self, way: &[&str]) -> Vec<String> {
        let mut wrong = Vec::new();
        for property in &self.properties {
            let mut arguments = vec!["check", self.name.as_str()];
            arguments.extend(property.options.iter().map(String::as_str));
            arguments.extend(way);
            let run = derny(&arguments);
            if run.code > 1 {
                let options = &property.options;
                wrong.push(format!(
                    "{options:?}: exit code {}: {}",
                    run.code, run.stderr
                ));
            }
        }
        wrong
    }

    fn wrong_result(&self, property: &Expectation, result: &Value, way: &[&str]) -> Option<String> {
        let text = property.options.get(1).unwrap_or(&property.options[0]);
        let asked = &result["property"];
        if asked["kind"] != property.options[0][2..]
            || asked["text"] != text.trim_start_matches("--")
        {
            return Some(format!("the results are out of order: {asked}"));
        }
        if result["verdict"] != *property.expected[0] {
            return Some(format!("found {}", result["verdict"]));
        }
        let lasso = result["verdict"] == "violated"
            && matches!(
                property.options[0].as_str(),
                "--ltl" | "--never" | "--terminates"
            )
            && !way.contains(&"explicit");
        match lasso {
            false => None,
            true => lasso::wrong(&self.text, &result["trace"])
                .map(|what| format!("the trace is wrong: {what}")),
        }
    }
}

fn programs() -> Vec<Program> {
    let mut paths: Vec<_> = fs::read_dir(folder())
        .expect("the programs are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    paths.sort();
    paths.iter().map(|path| Program::read(path)).collect()
}

#[test]
fn every_way_gives_the_proved_verdicts() {
    let mut failures = String::new();
    let mut count = 0;
    for program in programs() {
        count += program.properties.len();
        assert!(!program.properties.is_empty(), "{}", program.name);
        for way in WAYS {
            for what in program.wrong(way) {
                failures += &format!("{} {way:?}: {what}\n", program.name);
            }
        }
    }
    assert!(count > 200, "only {count} properties");
    assert!(failures.is_empty(), "{failures}");
}

/// Without traces a search may stop early.
#[test]
fn the_verdicts_are_the_same_without_traces() {
    let mut failures = String::new();
    for program in programs() {
        for direction in ["forward", "backward"] {
            let mut arguments = vec!["check", &program.name, "--no-trace", "--search", direction];
            let options = program.properties.iter().flat_map(|p| &p.options);
            arguments.extend(options.map(String::as_str));
            let run = derny(&arguments);
            assert_eq!(run.stdout.lines().count(), program.properties.len());
            for (property, line) in program.properties.iter().zip(run.stdout.lines()) {
                let found = match line.split_whitespace().next() {
                    Some("holds" | "unreachable") => "holds",
                    Some("violated" | "reachable") => "violated",
                    _ => "neither",
                };
                if found != property.expected[0] {
                    failures += &format!("{} {direction} {property:?}: {line}\n", program.name);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Traces longer than the limit fold calls that return; the lasso is still one.
#[test]
fn folded_lassos_have_the_shape_of_lassos() {
    let mut failures = String::new();
    let mut folded = 0;
    for mut program in programs() {
        let temporal = |p: &Expectation| p.order() != 2 && p.options[0] != "--assertions";
        program.properties.retain(temporal);
        for limit in ["1", "8", "20"] {
            let mut arguments = vec!["check", &program.name, "--format", "json"];
            arguments.extend(["--trace-limit", limit]);
            let options = program.properties.iter().flat_map(|p| &p.options);
            arguments.extend(options.map(String::as_str));
            let run = derny(&arguments);
            assert!(run.code < 2, "{}: {}", program.name, run.stderr);
            for (property, result) in program.properties.iter().zip(run.results()) {
                if result["verdict"] != "violated" {
                    continue;
                }
                let omitted = result["trace_omitted"].as_u64();
                folded += usize::from(result["trace"].to_string().contains("\"folded\":true"));
                let what = match (result["trace"].is_null(), omitted) {
                    (true, Some(_)) => None,
                    (true, None) => Some("no trace, and not how long it is".to_owned()),
                    (false, _) => lasso::wrong(&program.text, &result["trace"]),
                };
                if let Some(what) = what {
                    let name = &program.name;
                    failures += &format!("{name} limit {limit} {:?}: {what}\n", property.options);
                }
            }
        }
    }
    assert!(folded > 5, "only {folded} traces are folded");
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn errors_say_what_to_write() {
    let mut failures = String::new();
    for program in programs() {
        for error in &program.errors {
            let mut arguments = vec!["check", program.name.as_str()];
            arguments.extend(error.options.iter().map(String::as_str));
            let run = derny(&arguments);
            let missing = error.expected.iter().find(|e| !run.stderr.contains(*e));
            if run.code != 2 || !run.stdout.is_empty() || missing.is_some() {
                failures += &format!(
                    "{} line {}, exit code {}, missing {missing:?}:\n{}{}\n",
                    program.name, error.line, run.code, run.stdout, run.stderr
                );
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Moped's lock program: nobody takes the lock twice. In a variant that goes on for ever at
/// the end of main, that end is reached, and the lock is free then.
#[test]
fn the_lock_program_of_moped() {
    let path = root().join("../shared/corpus/moped1/lock.bp");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return;
    };
    let with_loop = text.replacen("unlock();\nend", "unlock();\n\tY: goto Y;\nend", 1);
    assert_ne!(text, with_loop, "the end of main is where it was");
    let lock = Written::new(&text);
    let looping = Written::new(&with_loop);
    for way in WAYS {
        let verdict = |program: &Written, formula: &str| {
            let mut arguments = vec!["--ltl", formula, "--format", "json"];
            arguments.extend(way);
            let result = program.check(&arguments).results().remove(0);
            if result["verdict"] == "violated" && !way.contains(&"explicit") {
                let what = lasso::wrong(&with_loop, &result["trace"]);
                assert_eq!(what, None, "{formula} {way:?}");
            }
            result["verdict"].as_str().unwrap_or("none").to_owned()
        };
        assert_eq!(verdict(&lock, "[] !E"), "holds", "{way:?}");
        assert_eq!(verdict(&looping, "[] !E"), "holds", "{way:?}");
        assert_eq!(verdict(&looping, "<> Y"), "holds", "{way:?}");
        assert_eq!(verdict(&looping, "<>[] !l"), "holds", "{way:?}");
        assert_eq!(verdict(&looping, "<>[] l"), "violated", "{way:?}");
    }
}

/// The property files of the examples: `// spec: NAME holds|violated` in the file itself
/// would be read as a formula, so verdicts stand in its comments: `# NAME: VERDICT, because`.
#[test]
fn the_property_files_have_the_verdicts_that_they_announce() {
    let mut paths: Vec<_> = fs::read_dir(root().join("specs"))
        .expect("the property files are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ltl"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut failures = String::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("it can be read");
        let announced: Vec<(&str, &str)> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# ")?.split_once(": "))
            .filter_map(|(name, rest)| {
                let verdict = rest.split([',', ' ']).next()?;
                matches!(verdict, "holds" | "violated").then_some((name, verdict))
            })
            .collect();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let program = format!("../../examples/{name}.bp");
        for way in WAYS {
            let spec = path.to_string_lossy();
            let mut arguments = vec!["check", &program, "--spec", &spec, "--format", "json"];
            arguments.extend(way);
            let run = derny(&arguments);
            assert!(run.code < 2, "{name}: {}", run.stderr);
            let results = run.results();
            let found: Vec<(&str, &str)> = (results.iter())
                .map(|result| {
                    assert_eq!(result["property"]["kind"], "ltl");
                    let name = result["property"]["name"].as_str().unwrap_or("unnamed");
                    (name, result["verdict"].as_str().unwrap_or("none"))
                })
                .collect();
            if found != announced {
                failures += &format!("{name} {way:?}: announced {announced:?}, found {found:?}\n");
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn spec(text: &str) -> Run {
    let folder = tempfile::tempdir().expect("a folder for a file");
    let path = folder.path().join("properties.ltl");
    fs::write(&path, text).expect("it is written");
    let path = path.to_string_lossy();
    derny(&["check", "terminated.bp", "--no-trace", "--spec", &path])
}

#[test]
fn property_files_may_have_comments_and_names_of_all_kinds() {
    let run = spec(
        "# a comment\n\n  ends : F terminated # not text\nby-2.words: F \"terminated\"\nkeeps_g:X G {g} \n",
    );
    assert_eq!(
        (run.code, run.stdout.lines().count()),
        (0, 3),
        "{}",
        run.stderr
    );
    let run = spec("# nothing\n");
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    let windows = spec("ends: F terminated\r\nnever: G !terminated\r\n");
    assert_eq!(windows.code, 1, "{}", windows.stderr);
}

#[test]
fn bad_property_files_are_refused_with_their_line() {
    for (text, expected) in [
        ("F terminated\n", &[":1:", "name: FORMULA"][..]),
        ("\nends: F terminated\nends: G g\n", &[":3:", "ends"]),
        ("# x\nends:\n", &[":2:", "ends"]),
        ("ends: # nothing\n", &[":1:", "ends"]),
        ("two words: F g\n", &[":1:", "two words"]),
        (": F g\n", &[":1:"]),
        ("ends: F (g\n", &["ends", "^"]),
        ("ends: F nobody\n", &["ends", "nobody"]),
        ("good: F g\nbad: F nobody\nworse: F (g\n", &["bad", "worse"]),
    ] {
        let run = spec(text);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (2, ""),
            "{text}{}",
            run.stderr
        );
        for expected in expected {
            assert!(
                run.stderr.contains(expected),
                "{text}{expected}:\n{}",
                run.stderr
            );
        }
    }
    let run = derny(&["check", "terminated.bp", "--spec", "missing.ltl"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    assert!(run.stderr.contains("missing.ltl"), "{}", run.stderr);
}

/// Formulas, property files, automata, labels, assertions, termination; each in the order
/// given.
#[test]
fn results_come_in_the_order_of_kinds() {
    let folder = tempfile::tempdir().expect("a folder for a file");
    let path = folder.path().join("properties.ltl");
    fs::write(&path, "second: F g\nthird: F terminated\n").expect("it is written");
    let path = path.to_string_lossy();
    let run = derny(&[
        "check",
        "terminated.bp",
        "--format",
        "json",
        "--terminates",
        "--reach",
        "L",
        "--assertions",
        "--never",
        "gf-terminated.hoa",
        "--spec",
        &path,
        "--ltl",
        "G g",
        "--ltl",
        "G h",
    ]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let results = run.results();
    let found: Vec<[&str; 3]> = (results.iter())
        .map(|result| {
            let of = |key: &str| result["property"][key].as_str().unwrap_or("-");
            [of("kind"), of("text"), of("name")]
        })
        .collect();
    let expected = [
        ["ltl", "G g", "-"],
        ["ltl", "G h", "-"],
        ["ltl", "F g", "second"],
        ["ltl", "F terminated", "third"],
        ["never", "gf-terminated.hoa", "-"],
        ["reach", "L", "-"],
        ["assertions", "assertions", "-"],
        ["terminates", "terminates", "-"],
    ];
    assert_eq!(found, expected);
}

#[test]
fn formulas_that_others_read_differently_get_a_warning() {
    let run = derny(&[
        "check",
        "precedence.bp",
        "--no-trace",
        "--ltl",
        "a -> b U a || b && a",
    ]);
    assert!(run.code < 2, "{}", run.stderr);
    let run = derny(&["check", "until.bp", "--no-trace", "--ltl", "X a U b"]);
    assert!(run.code < 2, "{}", run.stderr);
    let plain = derny(&["check", "until.bp", "--no-trace", "--ltl", "X (a U b)"]);
    assert_eq!((plain.code, plain.stderr.as_str()), (0, ""));
}

/// What stands on standard error when a formula that holds is checked.
fn warning_of(formula: &str) -> String {
    let program = "decl a, b;\nvoid main() begin\n  a := 1;\n  b := 0;\n  p: skip;\n  while (1) do\n    q: skip;\n    r: b := !b;\n  od\nend\n";
    let program = support::Written::new(program);
    let run = program.check(&["--ltl", formula]);
    assert_eq!(run.code, 0, "{formula}: {}{}", run.stdout, run.stderr);
    let again = program.check(&["--ltl", formula]);
    assert_eq!(
        run.stderr, again.stderr,
        "output is the same from run to run"
    );
    run.stderr
}

#[test]
fn parts_that_play_no_role_get_a_warning() {
    for (formula, expected) in [
        (
            "G q -> F p",
            "`F p`, too, because `G q` is never true at the start",
        ),
        ("G (p -> F q) | F G p", "`false` in place of `F G p`, too"),
        ("G ((p & q) -> F r)", "because `p & q` is never true\n"),
        ("F r & G (G p -> p)", "holds vacuously"),
    ] {
        let warning = warning_of(formula);
        assert!(warning.contains(expected), "{formula}: {warning}");
        assert_eq!(
            warning.lines().count(),
            1,
            "the largest part only: {warning}"
        );
    }
    for formula in [
        "G (p -> F q)",
        "G F q",
        "G (q -> X r)",
        "F p & G F r",
        "true",
    ] {
        assert_eq!(warning_of(formula), "", "{formula}");
    }
}

/// Wide integers are no reason to say nothing: what is asked is cheap, or given up.
#[test]
fn vacuity_with_wide_integers() {
    let text = "int x(16), y(16);
module void main() {
  x = 7;
  do :: x > 3 -> acquire: x = x - 1; :: x < 2 -> never: y = 1; :: else -> release: x = 9; od;
}
init main;
";
    let program = support::Written::new(text);
    let warning = |formula: &str| {
        let run = program.check(&["--lang", "rem", "--ltl", formula]);
        assert_eq!(run.code, 0, "{formula}: {}{}", run.stdout, run.stderr);
        run.stderr
    };
    let unseen = warning("G (never -> F release)");
    assert!(
        unseen.contains("`never` is never true in this program"),
        "{unseen}"
    );
    let assumed = warning("G (acquire & {x < 2} -> F release)");
    assert!(
        assumed.contains("because `acquire & {x < 2}` is never true"),
        "{assumed}"
    );
    assert_eq!(warning("G (acquire -> F release)"), "");
}
