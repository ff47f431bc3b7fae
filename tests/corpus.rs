//! Every program in `tests/corpus`, on every engine, against the verdicts in its header.
//!
//! A header is made of comment lines:
//!
//! - `// property: --reach L : reachable` (or `unreachable`; `--assertions : holds` or
//!   `violated`): what is asked and the answer;
//! - `// why: …`: where the answer comes from, a sentence of proof or a paper;
//! - `// path: L : 6:3 7:3`: line and column of each step of the trace to `L`, for programs
//!   that have only one;
//! - `// options: --entry start`: further options;
//! - `// warning: text`: standard error has this text; without such a line it is empty.

mod support;

use std::path::{Path, PathBuf};
use support::trace::{Goal, assert_shape, places};

struct Case {
    path: PathBuf,
    program: String,
    options: Vec<String>,
    /// Label, or nothing for the assertions; and whether it is violated.
    properties: Vec<(Option<String>, bool)>,
    /// Label and places.
    paths: Vec<(String, Vec<String>)>,
    warnings: Vec<String>,
}

impl Case {
    fn read(path: PathBuf) -> Self {
        let program = std::fs::read_to_string(&path).expect("a program is UTF-8");
        let mut case = Case {
            path,
            program,
            options: Vec::new(),
            properties: Vec::new(),
            paths: Vec::new(),
            warnings: Vec::new(),
        };
        let mut why = false;
        for line in case.program.clone().lines() {
            let Some((key, value)) = line
                .strip_prefix("// ")
                .and_then(|line| line.split_once(": "))
            else {
                break;
            };
            match key {
                "property" => {
                    let (property, verdict) = value.rsplit_once(" : ").expect("a verdict");
                    let label = match property {
                        "--assertions" => None,
                        _ => Some(property.strip_prefix("--reach ").expect("a property")),
                    };
                    let violated = match (label, verdict) {
                        (Some(_), "reachable") | (None, "violated") => true,
                        (Some(_), "unreachable") | (None, "holds") => false,
                        _ => panic!("{line} in {}", case.path.display()),
                    };
                    case.properties.push((label.map(str::to_owned), violated));
                }
                "path" => {
                    let (label, places) = value.split_once(" : ").expect("places");
                    let places = places.split_whitespace().map(str::to_owned).collect();
                    case.paths.push((label.to_owned(), places));
                }
                "options" => case.options = value.split_whitespace().map(str::to_owned).collect(),
                "warning" => case.warnings.push(value.to_owned()),
                "why" => why = true,
                _ => panic!("{line} in {}", case.path.display()),
            }
        }
        assert!(
            why && !case.properties.is_empty(),
            "{} says what and why",
            case.path.display()
        );
        // Results come in this order, whatever the order of the options.
        case.properties.sort_by_key(|(label, _)| label.is_none());
        case
    }

    fn entry(&self) -> &str {
        let at = self.options.iter().position(|option| option == "--entry");
        at.map_or("main", |at| &self.options[at + 1])
    }

    fn run(&self, engine: &[&str], traces: bool) {
        let mut arguments = vec!["--format", "json"];
        arguments.extend(engine);
        arguments.extend(self.options.iter().map(String::as_str));
        for (label, _) in &self.properties {
            match label {
                Some(label) => arguments.extend(["--reach", label]),
                None => arguments.push("--assertions"),
            }
        }
        let run = support::check(&self.path, &arguments);
        let violated = self.properties.iter().any(|(_, violated)| *violated);
        assert_eq!(run.code, i32::from(violated), "exit code; {}", run.stderr);
        for warning in &self.warnings {
            assert!(run.stderr.contains(warning), "{warning}: {}", run.stderr);
        }
        if self.warnings.is_empty() {
            assert_eq!(run.stderr, "", "no warning is expected");
        }
        let results = run.results();
        assert_eq!(results.len(), self.properties.len());
        for ((label, violated), result) in self.properties.iter().zip(&results) {
            let text = label.as_deref().unwrap_or("assertions");
            assert_eq!(result["property"]["text"], text);
            let verdict = if *violated { "violated" } else { "holds" };
            assert_eq!(result["verdict"], verdict, "{text}");
            assert!(result["reason"].is_null());
            if !violated {
                assert!(result["trace"].is_null(), "what holds has no trace");
            } else if traces {
                let goal = label.as_deref().map_or(Goal::Error, Goal::Label);
                assert_shape(&self.program, self.entry(), &goal, &result["trace"]);
                let path = self.paths.iter().find(|(path, _)| path == text);
                if let Some((_, path)) = path {
                    assert_eq!(places(&result["trace"]), *path, "the only path to {text}");
                }
            }
        }
    }
}

fn run_corpus(engine: &[&str], traces: bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> = (std::fs::read_dir(folder).expect("the corpus is there"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 60, "the corpus is complete");
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_name().expect("a name").to_owned();
        let run = || Case::read(path).run(engine, traces);
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
            failures.push(name);
        }
    }
    assert!(failures.is_empty(), "with {engine:?}: {failures:?}");
}

#[test]
fn forward() {
    run_corpus(&["--search", "forward"], true);
}

#[test]
fn backward() {
    run_corpus(&["--search", "backward"], true);
}

/// The naive twin finds no traces.
#[test]
fn explicit() {
    run_corpus(&["--engine", "explicit"], false);
}
