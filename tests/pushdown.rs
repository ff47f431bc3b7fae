//! Every pushdown system in `tests/pushdown/corpus`, on every engine, against the verdicts in
//! its header; and what is special about `.pds` on the command line.
//!
//! A header is made of comment lines:
//!
//! - `# property: --reach s : reachable`: what is asked and the answer;
//! - `# why: …`: a sentence of proof, one for each property;
//! - `# options: -D N=3`: further options;
//! - `# warning: text`: standard error has this text; without such a line it is empty.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use support::{Run, check};

struct Case {
    path: PathBuf,
    text: String,
    options: Vec<String>,
    /// The option, and whether it is violated.
    properties: Vec<(Vec<String>, bool)>,
    warnings: Vec<String>,
}

impl Case {
    fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).expect("a system is UTF-8");
        let mut case = Case {
            path,
            text,
            options: Vec::new(),
            properties: Vec::new(),
            warnings: Vec::new(),
        };
        let mut reasons = 0;
        for line in case.text.lines() {
            let header = line
                .strip_prefix("# ")
                .and_then(|line| line.split_once(": "));
            let Some((key, value)) = header else {
                break;
            };
            match key {
                "property" => {
                    let (property, verdict) = value.rsplit_once(" : ").expect("a verdict");
                    let violated = match verdict {
                        "reachable" | "violated" => true,
                        "unreachable" | "holds" => false,
                        _ => panic!("{line}"),
                    };
                    let words = property.splitn(2, ' ');
                    let words = words.map(|word| word.trim_matches('\'').to_owned());
                    case.properties.push((words.collect(), violated));
                }
                "why" => reasons += 1,
                "options" => case.options.extend(value.split(' ').map(str::to_owned)),
                "warning" => case.warnings.push(value.to_owned()),
                _ => panic!("{line} in {}", case.path.display()),
            }
        }
        assert_eq!(reasons, case.properties.len(), "{}", case.path.display());
        assert!(reasons > 0, "{} says nothing", case.path.display());
        case
    }

    fn run(&self, property: &[String], more: &[&str]) -> Run {
        let arguments = self.options.iter().chain(property).map(String::as_str);
        check(
            &self.path,
            &arguments.chain(more.iter().copied()).collect::<Vec<_>>(),
        )
    }
}

#[test]
fn every_engine_gives_the_verdicts_of_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pushdown/corpus");
    let entries = std::fs::read_dir(folder).expect("the corpus is there");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        let case = Case::read(path);
        for (property, violated) in &case.properties {
            let place = format!("{} {property:?}", case.path.display());
            let ways: [&[&str]; 5] = [
                &["--format", "json"],
                &["--search", "backward"],
                &["--engine", "explicit"],
                &["--no-trace"],
                &["--accelerate", "always", "--cycles", "closure"],
            ];
            for way in ways {
                let run = case.run(property, way);
                let expected = i32::from(*violated);
                assert_eq!(
                    run.code, expected,
                    "{place} {way:?}\n{}{}",
                    run.stdout, run.stderr
                );
                if way == ways[0] {
                    for warning in &case.warnings {
                        let warned =
                            property[0] != "--ltl" || run.stderr.contains(warning.as_str());
                        assert!(warned, "{place}: {}", run.stderr);
                    }
                    if case.warnings.is_empty() {
                        assert_eq!(run.stderr, "", "{place}");
                    }
                    let result = &run.results()[0];
                    match violated {
                        true => assert_trace(&case.text, property, &result["trace"], &place),
                        false => assert!(result["trace"].is_null(), "{place}"),
                    }
                }
            }
        }
    }
}

/// The left and right sides of the rule at a place of the text.
struct Rule {
    state: String,
    symbol: String,
    to: String,
    right: Vec<String>,
}

fn rule_at(text: &str, line: u64, column: u64) -> Rule {
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines[line as usize - 1].chars().skip(column as usize - 1);
    let rest = lines[line as usize..].iter().flat_map(|line| line.chars());
    let rule: String = begin.chain(rest).collect();
    let mut parts = rule.splitn(5, ['<', '>']);
    let mut next = || parts.next().expect("a rule").trim().to_owned();
    let (state, symbol, arrow) = (next(), next(), next());
    assert_eq!(arrow, "--", "a rule begins at {line}:{column}");
    // What follows the arrow's own `>`.
    let (to, rest) = (next(), next());
    let right = rest.split('>').next().expect("a right side");
    Rule {
        state,
        symbol,
        to,
        right: right.split_whitespace().map(str::to_owned).collect(),
    }
}

/// Panics unless each step follows by the rule it names, as far as states, symbols and depths
/// tell, and the loop closes.
fn assert_trace(text: &str, property: &[String], trace: &Value, place: &str) {
    let list = |key: &str| trace[key].as_array().expect("a list").clone();
    let (stem, cycle) = (list("stem"), list("loop"));
    let steps: Vec<Value> = stem.iter().chain(&cycle).cloned().collect();
    let number = |step: &Value, key: &str| step[key].as_u64().expect("a number");
    let string = |step: &Value, key: &str| step[key].as_str().expect("a string").to_owned();
    let top = |step: &Value| {
        let labels = step["labels"].as_array().expect("a list");
        labels
            .first()
            .map(|label| label.as_str().expect("a string").to_owned())
    };
    // The symbols below the top.
    let mut stack: Vec<String> = Vec::new();
    for pair in steps.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        assert_eq!(before["point"], "statement");
        let rule = rule_at(text, number(before, "line"), number(before, "column"));
        assert_eq!(rule.state, string(before, "procedure"), "{place}: {before}");
        assert_eq!(Some(rule.symbol), top(before), "{place}: {before}");
        assert_eq!(rule.to, string(after, "procedure"), "{place}: {after}");
        assert_eq!(
            number(before, "depth"),
            stack.len() as u64,
            "{place}: {before}"
        );
        let expected = match &rule.right[..] {
            [] => stack.pop(),
            [only] => Some(only.clone()),
            [first, second] => {
                stack.push(second.clone());
                Some(first.clone())
            }
            _ => panic!("too many symbols"),
        };
        assert_eq!(top(after), expected, "{place}: {after}");
        assert_eq!(
            number(after, "depth"),
            stack.len() as u64,
            "{place}: {after}"
        );
    }
    let last = steps.last().expect("a step");
    match property[0].as_str() {
        "--reach" => {
            let (state, symbol) = match property[1].split_once(':') {
                Some((state, symbol)) => (Some(state), symbol),
                None => (None, property[1].as_str()),
            };
            assert!(cycle.is_empty());
            assert_eq!(top(last).as_deref(), Some(symbol));
            assert!(state.is_none_or(|state| last["procedure"] == state));
            assert_eq!((number(last, "line"), number(last, "column")), (0, 0));
            assert_eq!(last["text"], "");
        }
        _ => {
            let first = stem.last().expect("a step");
            for key in [
                "procedure",
                "labels",
                "globals",
                "locals",
                "line",
                "column",
                "text",
            ] {
                assert_eq!(first[key], last[key], "{place}: the loop closes");
            }
            let lowest = number(first, "depth");
            assert!(!cycle.is_empty() && cycle.iter().all(|s| number(s, "depth") >= lowest));
        }
    }
}

fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("system.pds");
    std::fs::write(&path, text).expect("the system is written");
    (folder, path)
}

/// Runs `check` on a system that must be refused.
#[track_caller]
fn refused(text: &str, arguments: &[&str]) -> String {
    let (_folder, path) = written(text);
    let run = check(&path, arguments);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
    run.stderr
}

const SMALL: &str = "global bool x; int n(2), s(1); local (l) bool y;
(q <s>) atoms l hot, q
q <s> --> q <l>  p <l> --> q <>";

#[test]
fn what_is_asked_must_be_said() {
    let nothing = refused(SMALL, &[]);
    for option in ["--reach", "--ltl", "--terminates"] {
        assert!(nothing.contains(option), "{nothing}");
    }
    assert!(refused(SMALL, &["--assertions", "--terminates"]).contains("no assertions"));
    assert!(refused(SMALL, &["--terminates", "--entry", "main"]).contains("--entry"));
    assert!(refused(SMALL, &["--terminates", "--overflow", "wrap"]).contains("--overflow"));
}

#[test]
fn names_that_mean_nothing_or_too_much() {
    let cases = [
        ("q", "several things", "state(q)"),
        ("s", "several things", "at(s)"),
        ("F z", "is no state, symbol, atom or variable", ""),
        ("n", "is no truth value", "{n = 0}"),
        ("state(r)", "there is no state `r`", ""),
        ("at(m)", "there is no stack symbol `m`", ""),
        ("in(cold)", "no symbol has the atom `cold`", ""),
        ("{n' = 1}", "names have no primes", ""),
        (
            "{x = 1}",
            "a truth value stands where a number is expected",
            "==",
        ),
        ("{n +}", "expected an expression", ""),
    ];
    for (formula, message, hint) in cases {
        let said = refused(SMALL, &["--ltl", formula]);
        assert!(
            said.contains(message) && said.contains(hint),
            "{formula}: {said}"
        );
    }
    assert!(refused(SMALL, &["--reach", "m"]).contains("there is no stack symbol `m`"));
    assert!(refused(SMALL, &["--reach", "r:l"]).contains("there is no state `r`"));
    assert!(refused(SMALL, &["--reach", "p"]).contains("`p` is a state"));
    assert!(refused(SMALL, &["--terminates", "-D", "N=3"]).contains("-D N"));
}

/// Each way to write what is ambiguous as a bare name is accepted.
#[test]
fn every_name_can_be_written() {
    let (_folder, path) = written(SMALL);
    for formula in [
        "state(q)",
        "at(s)",
        "{s = 1}",
        "hot",
        "in(hot)",
        "x",
        "{y}",
        "\"{n < 2}\"",
        "p",
    ] {
        let run = check(&path, &["--ltl", formula]);
        assert_ne!(run.code, 2, "{formula}: {}", run.stderr);
    }
}

#[test]
fn arrays_are_lists_and_folded_calls_say_so() {
    let (_folder, path) = written(
        "global int a[2,3](2); local (s, t) bool b[2];
         (q (a[2] = 1 & a[3] = 2) <m>)
         q <m> --> q <s n> (a'[2] = 1 & a'[3] = 2 & b'[0] & !b'[1])
         q <s> --> q <t> \"one\" (A i (2,3) a'[i] = a[i])
         q <t> --> q <> \"two\" (A i (2,3) a'[i] = a[i])
         q <n> --> q <end>",
    );
    let run = check(&path, &["--reach", "end", "--format", "json"]);
    let stem = run.results()[0]["trace"]["stem"].clone();
    assert_eq!(stem[1]["globals"], serde_json::json!({ "a": [1, 2] }));
    assert_eq!(stem[1]["locals"], serde_json::json!({ "b": [1, 0] }));
    assert_eq!(stem[1]["text"], "one");
    assert_eq!(stem[4]["labels"], serde_json::json!(["end"]));
    let folded = check(
        &path,
        &["--reach", "end", "--format", "json", "--trace-limit", "4"],
    );
    let stem = folded.results()[0]["trace"]["stem"].clone();
    assert_eq!(stem[0]["folded"], true);
    assert_eq!(stem[1]["labels"], serde_json::json!(["n"]));
    assert_eq!(stem.as_array().expect("a list").len(), 3);
    let text = check(&path, &["--reach", "end"]);
    assert!(text.stdout.contains("q <s>  one"), "{}", text.stdout);
    // No value matters for it.
    assert!(!text.stdout.contains("a="), "{}", text.stdout);
}

#[test]
fn standard_input_needs_the_language() {
    let mut command = support::command();
    command.args(["check", "-", "--lang", "pds", "--terminates"]);
    command.write_stdin("(q <s>) q <s> --> q <s s>");
    let run = support::run_command(command);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stdout
            .contains("each round leaves one more `s` on the stack"),
        "{}",
        run.stdout
    );
}

/// The very files that were distributed with Moped 1, and the answers they announce.
#[test]
fn moped_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/moped1");
    if !folder.exists() {
        println!("skipped: the examples of Moped 1 are not there");
        return;
    }
    let ask = |file: &str, arguments: &[&str], code: i32| {
        let run = check(&folder.join(file), arguments);
        assert_eq!(
            run.code, code,
            "{file} {arguments:?}\n{}{}",
            run.stdout, run.stderr
        );
    };
    for direction in ["forward", "backward"] {
        let search = ["--search", direction];
        ask(
            "lock.pds",
            &[&["--reach", "q:err"][..], &search].concat(),
            0,
        );
        ask(
            "lock.pds",
            &[&["--reach", "main5"][..], &search].concat(),
            1,
        );
        ask("plot.pds", &[&["--terminates"][..], &search].concat(), 1);
        ask(
            "plot.pds",
            &[&["--reach", "main1"][..], &search].concat(),
            1,
        );
    }
    ask("plot.pds", &["--ltl", "G (up0 -> F (right0 || down0))"], 1);
    ask("plot.pds", &["--ltl", "G (up0 -> X !up0)"], 0);
    for n in 3..=6 {
        let bits = format!("N={n}");
        ask("quicksort_error.pds", &["-D", &bits, "--ltl", "<>main1"], 1);
        ask(
            "quicksort_correct.pds",
            &["-D", &bits, "--ltl", "<>main1"],
            0,
        );
    }
    ask(
        "quicksort_correct.pds",
        &["--search", "backward", "--ltl", "<>main1"],
        0,
    );
    for file in ["quicksort_withvars.pds", "quicksort_random.pds"] {
        ask(file, &["-D", "M=4", "--ltl", "<>ok", "--reach", "error"], 0);
        ask(file, &["-D", "M=5", "--ltl", "<>ok"], 0);
    }
    ask("quicksort_withvars.pds", &["-D", "M=6", "--ltl", "<>ok"], 0);
    ask(
        "quicksort_withvars.pds",
        &["-D", "N=4", "-D", "M=4", "--ltl", "<>ok"],
        0,
    );
}
