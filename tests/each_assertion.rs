//! `--each-assertion`: a verdict and a trace for every assertion.
//!
//! Second sources of the verdicts: the explicit engine, the other direction, and that all
//! assertions together are violated if and only if one of them, or something else, is.

mod support;

use derny::generate::random;
use derny::{Checker, Direction, Engine, Error, Language, Model, Property, Verdict};
use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{Run, Written, derny};

const TWO_FAIL: &str = "decl g;\nmain() begin\n  assert(g);\n  g := 0;\n  assert(!g);\n  L: assert(g);\n  p();\nend\np() begin\n  assert(0);\nend\n";

fn summary(results: &[Value]) -> Vec<String> {
    let line = |result: &Value| {
        let property = &result["property"];
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let words = [&property["kind"], &property["text"], &result["verdict"]];
        words.map(text).join(" ")
    };
    results.iter().map(line).collect()
}

/// The last statement of each violated result, which must be followed by *error*.
fn last_statements(results: &[Value]) -> Vec<String> {
    let violated = results.iter().filter(|one| one["verdict"] == "violated");
    let last = |result: &Value| {
        let stem = result["trace"]["stem"].as_array().expect("a trace");
        let [.., before, error] = &stem[..] else {
            panic!("a trace to an error has two steps");
        };
        assert_eq!(error["point"], "error");
        format!("{}:{}", before["line"], before["column"])
    };
    violated.map(last).collect()
}

#[test]
fn every_assertion_has_its_verdict_and_its_trace() {
    let program = Written::new(TWO_FAIL);
    for direction in ["forward", "backward"] {
        let arguments = ["--each-assertion", "--assertions", "--terminates"];
        let format = ["--format", "json", "--search", direction];
        let run = program.check(&[&arguments[..], &format].concat());
        assert_eq!((run.code, run.stderr.as_str()), (1, ""));
        let results = run.results();
        let expected = [
            "assertions assertions violated",
            "assertion 3:3 violated",
            "assertion 5:3 holds",
            "assertion 6:6 violated",
            "assertion 10:3 holds",
            "terminates terminates holds",
        ];
        assert_eq!(summary(&results), expected);
        assert_eq!(last_statements(&results), ["3:3", "3:3", "6:6"]);
    }
}

#[test]
fn alone_and_as_text() {
    let run = Written::new(TWO_FAIL).check(&["--each-assertion", "--no-trace"]);
    assert_eq!(run.code, 1);
    let expected = "violated assertion 3:3\nholds assertion 5:3\nviolated assertion 6:6\nholds assertion 10:3\n";
    assert_eq!(run.stdout, expected);
}

fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("it is written");
    (folder, path)
}

fn check(path: &Path, arguments: &[&str]) -> Run {
    support::check(path, arguments)
}

#[test]
fn other_failures_of_remopla_are_one_result() {
    let text = "int a[3](2);\nint i(3);\nmodule void main() {\n  assert(i < 4);\n  assert(a[i] == a[i]);\n  a[i] = 1;\n}\ninit main;\n";
    let (_folder, path) = written("program.rem", text);
    let run = check(&path, &["--each-assertion", "--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let results = run.results();
    let expected = [
        "assertion 4:3 violated",
        "assertion 5:3 holds",
        "assertion others violated",
    ];
    assert_eq!(summary(&results), expected, "{}", run.stdout);
    assert_eq!(last_statements(&results), ["4:3", "5:3"]);
    let wrapped = check(&path, &["--each-assertion", "--overflow", "block"]);
    assert!(wrapped.stdout.contains("holds other failures"));
}

#[test]
fn where_there_are_none() {
    let run = derny(&["check", "examples/brackets.pds", "--each-assertion"]);
    let error = derny(&["check", "examples/brackets.pds", "--assertions"]);
    assert_eq!(run.code, 2);
    assert!(error.stderr.contains("has no assertions"));
    assert_eq!(run.stderr, error.stderr);
    let program = Written::new("main() begin skip; end\n");
    let run = program.check(&["--each-assertion"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("no assertions"), "{}", run.stderr);
    for arguments in [&[][..], &["--assertions"]] {
        let run = program.check(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (0, "holds assertions\n"));
        assert!(run.stderr.contains("can fail"), "{}", run.stderr);
    }
    let (_folder, path) = written(
        "program.rem",
        "int i(3);\nmodule void main() { i = i + 1; }\ninit main;\n",
    );
    let run = check(&path, &["--overflow", "error"]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (1, ""),
        "an overflow can fail"
    );
    let run = check(&path, &["--overflow", "wrap"]);
    assert!(run.stderr.contains("can fail"), "{}", run.stderr);
}

#[test]
fn a_place_without_an_assertion() {
    let model = Model::parse(Language::BooleanProgram, TWO_FAIL).expect("a program");
    let asked = Checker::new(&model).property(Property::assertion("4:3"));
    let error = asked.check().expect_err("there is none");
    assert!(error.to_string().contains("3:3"), "{error}");
}

/// The verdicts of all single assertions, then of all together; `None` if the program is too
/// large.
fn verdicts(model: &Model, engine: Engine, direction: Direction) -> Option<Vec<bool>> {
    let each = model.assertions().expect("a program");
    let report = Checker::new(model)
        .properties(each)
        .property(Property::assertions())
        .engine(engine)
        .direction(direction)
        .jobs(1)
        .check();
    let report = match report {
        Ok(report) => report,
        Err(Error::TooLarge) => return None,
        Err(error) => panic!("{error}"),
    };
    let violated = report.findings().map(|finding| {
        let violated = finding.verdict().expect("it is decided") == Verdict::Violated;
        assert_eq!(finding.has_trace(), violated && engine == Engine::Symbolic);
        violated
    });
    Some(violated.collect())
}

/// How many assertions fail, and how many do not, if the engines agree.
fn agree(model: &Model, name: &str) -> [usize; 2] {
    let forward = verdicts(model, Engine::Symbolic, Direction::Forward).expect("never too large");
    let backward = verdicts(model, Engine::Symbolic, Direction::Backward);
    assert_eq!(Some(&forward), backward.as_ref(), "{name}");
    if let Some(explicit) = verdicts(model, Engine::Explicit, Direction::Forward) {
        assert_eq!(forward, explicit, "{name}");
    }
    let (all, each) = forward.split_last().expect("all together come last");
    assert_eq!(*all, each.contains(&true), "{name}");
    let failing = each.iter().filter(|violated| **violated).count();
    [failing, each.len() - failing]
}

#[test]
fn engines_agree_on_random_programs() {
    let mut seen = [0, 0];
    for seed in 0..60 {
        let mut text = Vec::new();
        let options = random::Options::default();
        random::write(seed, &options, &mut text).expect("it is written");
        let model = Model::parse(Language::BooleanProgram, text).expect("a program");
        let counts = agree(&model, &format!("seed {seed}"));
        seen = [seen[0] + counts[0], seen[1] + counts[1]];
    }
    assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
}

#[test]
fn engines_agree_on_the_corpus() {
    let mut seen = [0, 0];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_some_and(|extension| extension == "bp") {
            let model = Model::read(&path).expect("a program without errors");
            let counts = agree(&model, &path.display().to_string());
            seen = [seen[0] + counts[0], seen[1] + counts[1]];
        }
    }
    assert!(seen[0] > 5 && seen[1] > 100, "{seen:?}");
}
