//! `--sarif`: a log that is valid, says what the JSON report says, has a place for each of its
//! results, and takes the place of the file as a whole.

mod support;

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use support::expectations::{examples, expectations};
use support::schema::{Schema, check_report};
use support::{Run, Written, check};

/// What the standard says of the objects that are written.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::read("tests/sarif/log.schema.json"));

/// A folder for programs and logs.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("it is written");
        path
    }

    fn log(&self) -> PathBuf {
        self.0.path().join("log.sarif")
    }

    /// Checks a file, and reads the log.
    fn check(&self, file: &Path, options: &[&str]) -> (Run, Log) {
        let log = self.log();
        let sarif = ["--sarif", log.to_str().expect("a plain path")];
        let run = check(file, &[&sarif[..], options].concat());
        (run, Log::read(&log))
    }
}

/// A log with one run.
struct Log(Value);

impl Log {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the log is there");
        assert!(text.len() < 10_000_000, "{} bytes", text.len());
        let log: Value = serde_json::from_str(&text).expect("a log is JSON");
        SCHEMA.check(&log, "the log");
        let log = Log(log);
        let run = log.run();
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        for result in log.results() {
            let rule = &run["tool"]["driver"]["rules"][index(&result["ruleIndex"])];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(result.get("kind").is_none() && result["level"] == "error");
            let place = &result["locations"][0]["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].is_string(), "{result}");
            assert!(index(&place["region"]["startLine"]) >= 1, "{result}");
            assert!(result["partialFingerprints"].as_object().is_some());
        }
        log
    }

    fn run(&self) -> &Value {
        &self.0["runs"][0]
    }

    fn results(&self) -> &[Value] {
        list(&self.run()["results"])
    }

    fn rules(&self) -> Vec<&str> {
        let ids = self.results().iter();
        ids.filter_map(|result| result["ruleId"].as_str()).collect()
    }

    fn notifications(&self) -> &[Value] {
        list(&self.run()["invocations"][0]["toolExecutionNotifications"])
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn message(value: &Value) -> &str {
    value["message"]["text"].as_str().expect("a message")
}

fn flow(result: &Value) -> &[Value] {
    let flows = list(&result["codeFlows"]);
    assert!(
        flows.len() <= 1
            && flows
                .iter()
                .all(|flow| list(&flow["threadFlows"]).len() == 1)
    );
    let locations = list(&result["codeFlows"][0]["threadFlows"][0]["locations"]);
    assert!(locations.len() <= 1000);
    locations
}

/// A region of a log, from the place of a step or notice.
fn region(step: &Value) -> Value {
    json!({
        "startLine": step["line"],
        "startColumn": step["column"],
        "endLine": step["end_line"],
        "endColumn": index(&step["end_column"]) + 1,
    })
}

/// The regions of all steps; where there is none, the last one before.
fn regions(steps: &[&Value]) -> Vec<Value> {
    let mut regions: Vec<Value> = Vec::new();
    for step in steps {
        let before = regions.last().cloned();
        regions.push(match (index(&step["line"]), before) {
            (0, Some(before)) => before,
            (0, None) => json!({ "startLine": 1 }),
            _ => region(step),
        });
    }
    regions
}

/// The flow of a result says what the trace of the JSON report says.
fn compare(result: &Value, expected: &Value) {
    let (stem, cycle) = (
        list(&expected["trace"]["stem"]),
        list(&expected["trace"]["loop"]),
    );
    let steps: Vec<&Value> = stem.iter().chain(cycle).collect();
    let all_regions = regions(&steps);
    // The loop's first statement, or the end.
    let shown = stem.len() - usize::from(cycle.is_empty());
    let place = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*place, all_regions[shown], "{result}");
    // A program that has stopped stays where it is.
    let is_stopped = |step: &Value| {
        ["error", "terminated"]
            .iter()
            .any(|it| step["point"] == *it)
    };
    let stays = steps
        .windows(2)
        .position(|two| two.iter().all(|step| is_stopped(step)));
    let count = stays.map_or(steps.len(), |last| last + 1);
    let locations = flow(result);
    let is_cut = message(result).contains(" are shown: ");
    assert_eq!(is_cut, count > 1000, "{}", message(result));
    assert!(is_cut || locations.len() == count);
    let cause: BTreeSet<usize> = list(&expected["cause"])
        .iter()
        .map(|pair| index(&pair[0]))
        .collect();
    for location in locations {
        let i = index(&location["executionOrder"]) - 1;
        let step = steps[i];
        assert_eq!(
            location["location"]["physicalLocation"]["region"],
            all_regions[i]
        );
        assert_eq!(location["nestingLevel"], step["depth"]);
        let kinds: Vec<_> = list(&location["kinds"])
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let next = steps.get(i + 1).map(|next| index(&next["depth"]));
        if let Some(next) = next {
            let calls = next > index(&step["depth"]) || step.get("folded").is_some();
            assert_eq!(kinds.contains(&"call"), calls, "{location}");
        }
        let returns = step["point"] == "exit";
        assert!(!returns || kinds.contains(&"return"), "{location}");
        assert_eq!(
            kinds.contains(&"branch"),
            step.get("branch").is_some(),
            "{location}"
        );
        let is_essential = cause.contains(&i) || i + 1 == count;
        assert_eq!(
            location["importance"] == "essential",
            is_essential,
            "{location}"
        );
        compare_state(&location["state"], step);
    }
    let orders: Vec<_> = locations
        .iter()
        .map(|one| index(&one["executionOrder"]))
        .collect();
    assert!(orders.windows(2).all(|pair| pair[0] < pair[1]));
}

fn compare_state(state: &Value, step: &Value) {
    let names: BTreeSet<_> = list(&step["relevant"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let state = state.as_object().expect("a state");
    let found: BTreeSet<_> = state.keys().map(String::as_str).collect();
    assert_eq!(found, names, "{step}");
    for (name, value) in state {
        let value = value["text"].as_str().expect("a value is text");
        let known = step["locals"].get(name).or(step["globals"].get(name));
        match known {
            Some(Value::Number(number)) => assert_eq!(value, number.to_string()),
            Some(Value::String(text)) => assert_eq!(value, text),
            _ => {}
        }
    }
}

/// Checks a file, and compares the log with the report; the log.
fn agree(file: &Path, options: &[&str]) -> Log {
    let folder = Folder::new();
    let (run, log) = folder.check(file, &[options, &["--format", "json"]].concat());
    check_report(&run.json());
    let results = run.results();
    let with = |verdict: &str| -> Vec<&Value> {
        let results = results.iter();
        results
            .filter(|result| result["verdict"] == verdict)
            .collect()
    };
    let (violated, holds) = (with("violated"), with("holds"));
    assert_eq!(log.results().len(), violated.len());
    for (result, expected) in log.results().iter().zip(violated) {
        assert_eq!(result["properties"]["property"], expected["property"]);
        if expected["trace"].is_object() {
            compare(result, expected);
        }
    }
    let holds: Vec<_> = holds
        .iter()
        .map(|result| result["property"].clone())
        .collect();
    assert_eq!(log.run()["properties"]["holds"], json!(holds));
    let unknown = with("unknown");
    assert_eq!(log.notifications().len(), unknown.len());
    for (notification, expected) in log.notifications().iter().zip(&unknown) {
        assert_eq!(notification["properties"]["property"], expected["property"]);
    }
    let is_complete = &log.run()["invocations"][0]["executionSuccessful"];
    assert_eq!(*is_complete, unknown.is_empty());
    log
}

#[test]
fn every_example_has_in_its_log_what_is_in_its_report() {
    let mut violated = 0;
    for path in examples() {
        let text = fs::read_to_string(&path).expect("it can be read");
        for expectation in expectations(&text) {
            let holds = ["holds", "unreachable"].contains(&expectation.verdict.as_str());
            if holds && expectation.engines.len() < 2 {
                continue;
            }
            let options: Vec<_> = expectation.options.iter().map(String::as_str).collect();
            violated += agree(&path, &options).results().len();
        }
    }
    assert!(violated > 20, "{violated}");
}

const PROGRAM: &str = "decl g;\nvoid main() begin\n  g := *;\n  L: skip;\n  while (g) do\n    \
                       skip;\n  od\n  assert(g);\nend\n";

#[test]
fn each_kind_of_property_has_its_rule_and_its_place() {
    let folder = Folder::new();
    let program = folder.write("a.bp", PROGRAM);
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nacc-name: all\nAcceptance: 0 t\n--BODY--\n\
               State: 0\n[t] 0\n--END--\n";
    let never = folder.write("a.hoa", hoa);
    let spec = folder.write("a.spec", "named: F {!g & g}\nfine: true\n");
    let (never, spec) = (
        never.to_str().expect("plain"),
        spec.to_str().expect("plain"),
    );
    let asked = [
        "--spec",
        spec,
        "--never",
        never,
        "--reach",
        "L",
        "--assertions",
        "--terminates",
    ];
    let log = agree(&program, &asked);
    assert_eq!(
        log.rules(),
        ["ltl", "never", "reach", "assertion", "termination"]
    );
    let line =
        |i: usize| &log.results()[i]["locations"][0]["physicalLocation"]["region"]["startLine"];
    assert_eq!((line(2), line(3)), (&json!(4), &json!(8)));
    assert!(message(&log.results()[0]).starts_with("`named: F {{!g & g}}` is violated"));
    assert!(message(&log.results()[3]).contains("`assert(g);` fails"));
    let uri = &log.results()[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(
        uri.as_str().is_some_and(|uri| uri.starts_with("file:///")),
        "{uri}"
    );
    // An assertion that is asked for by itself has a text with its line.
    let each = agree(&program, &["--each-assertion"]);
    assert_eq!(each.rules(), ["assertion"]);
    let prints = [&each.results()[0], &log.results()[3]].map(|one| &one["partialFingerprints"]);
    assert_eq!(prints[0], prints[1]);
    // Without a trace, too, there is a place.
    let log = agree(&program, &[&asked[..], &["--no-trace"]].concat());
    assert_eq!(log.results().len(), 5);
    assert!(log.results().iter().all(|result| flow(result).is_empty()));
    let place = &log.results()[2]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&place["startLine"], &place["startColumn"]),
        (&json!(4), &json!(6))
    );
}

#[test]
fn fingerprints_do_not_depend_on_lines() {
    let folder = Folder::new();
    let prints = |text: &str| -> Vec<Value> {
        let program = folder.write("a.bp", text);
        let (_, log) = folder.check(&program, &["--ltl", "F {!g & g}", "--assertions"]);
        let prints = log.results().iter();
        prints
            .map(|result| result["partialFingerprints"].clone())
            .collect()
    };
    let here = prints(PROGRAM);
    assert_eq!(here, prints(&format!("// a\n\n{PROGRAM}")));
    assert_ne!(here[0], here[1]);
    assert_ne!(
        here[1],
        prints(&PROGRAM.replace("assert(g)", "assert(g & g)"))[1]
    );
}

#[test]
fn pushdown_systems_and_folded_traces() {
    let folder = Folder::new();
    let program = folder.write("a.bp", PROGRAM);
    let system = support::derny(&["translate", program.to_str().expect("plain")]).stdout;
    let system = folder.write("a.pds", &system);
    let log = agree(&system, &["--terminates", "--ltl", "F {g & !g}"]);
    assert_eq!(log.rules(), ["ltl", "termination"]);
    let counter = "define N 20\nint x(N);\nmodule void main() {\n  x = 0;\n  do\n    :: x < 1000000 \
                   -> x = x + 1;\n    :: else -> break;\n  od;\n  L: skip;\n}\n";
    let counter = folder.write("a.rem", counter);
    let log = agree(&counter, &["--reach", "L", "--trace-limit", "50"]);
    assert!(
        message(&log.results()[0]).contains("what is repeated is folded"),
        "{:?}",
        log.results()
    );
    let locations = flow(&log.results()[0]).iter();
    let texts: Vec<_> = locations.map(|one| message(&one["location"])).collect();
    assert!(
        texts
            .iter()
            .any(|text| text.contains("more rounds like this")),
        "{texts:?}"
    );
    let recursive = "decl g;\nvoid main() begin\n  f(); f(); L: skip;\nend\nvoid f() begin\n  skip; \
                     skip; skip;\nend\n";
    let log = agree(
        &folder.write("b.bp", recursive),
        &["--reach", "L", "--trace-limit", "5"],
    );
    let locations = flow(&log.results()[0]);
    assert!(
        locations
            .iter()
            .any(|one| list(&one["kinds"]).contains(&json!("call")))
    );
}

#[test]
fn a_long_trace_is_folded_and_cut() {
    let folder = Folder::new();
    let level = support::derny(&["generate", "level", "3200"]).stdout;
    let (run, log) = folder.check(&folder.write("level.bp", &level), &["--reach", "reach"]);
    assert_eq!(run.code, 1);
    let result = &log.results()[0];
    assert!(
        flow(result).len() > 100 && message(result).contains("are shown"),
        "{}",
        message(result)
    );
    // Statements in a row, without calls: only the middle can be left out.
    let row = format!(
        "decl g;\nvoid main() begin\n{}  L: skip;\nend\n",
        "  g := !g;\n".repeat(3000)
    );
    let log = agree(&folder.write("row.bp", &row), &["--reach", "L"]);
    let result = &log.results()[0];
    assert!(message(result).contains("Of 3001 steps 1000 are shown: the middle is left out"));
    let last = flow(result).last().expect("there are locations");
    assert_eq!(last["executionOrder"], 3001);
    // Many long traces together have less in each.
    let (_, log) = folder.check(&folder.write("row.bp", &row), &["--reach", "L"].repeat(60));
    assert_eq!(log.results().len(), 60);
    assert_eq!(flow(&log.results()[59]).len(), 200);
}

#[test]
fn hostile_names_stay_text_and_the_log_stays_small() {
    let names = [
        "{0}".replace(['{', '}'], ""),
        "](javascript:alert(1))".to_owned(),
        "</script><img src=x onerror=alert(1)>".to_owned(),
        "\"'\\u0000\\".to_owned(),
        "a\u{2028}b\u{2029}\u{202e}c".to_owned(),
        "𝒳 é\u{301}".to_owned(),
        "n".repeat(20_000),
    ];
    let folder = Folder::new();
    for name in &names {
        let body = format!("  {{{name}}} := !{{{name}}};\n").repeat(1200);
        let text = format!(
            "decl {{{name}}};\nvoid main() begin\n{body}  L: assert({{{name}}} & !{{{name}}});\nend\n"
        );
        let program = folder.write("a b#ü%:[x].bp", &text);
        let (run, log) = folder.check(&program, &["--assertions", "--reach", "L"]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert_eq!(log.rules(), ["reach", "assertion"]);
        for result in log.results() {
            assert!(!message(result).contains("](") && !message(result).contains('\u{202e}'));
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
            assert!(uri.ends_with("/a%20b%23%C3%BC%25%3A%5Bx%5D.bp"), "{uri}");
        }
    }
}

#[test]
fn every_error_of_an_input_is_a_result_at_its_place() {
    let folder = Folder::new();
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let mut seen = 0;
    for entry in fs::read_dir(inputs).expect("inputs with errors") {
        let path = entry.expect("it can be read").path();
        let is_input =
            |extension: &std::ffi::OsStr| ["bp", "rem", "pds"].iter().any(|e| extension == *e);
        if !path.extension().is_some_and(is_input) {
            continue;
        }
        let (run, log) = folder.check(&path, &["--diagnostics", "json", "--terminates"]);
        if run.code != 2 {
            continue;
        }
        let notices = run
            .stderr
            .lines()
            .map(|line| -> Value { serde_json::from_str(line).expect("an object a line") });
        let errors: Vec<_> = notices
            .filter(|notice| notice["level"] == "error")
            .collect();
        assert_eq!(log.results().len(), errors.len(), "{}", path.display());
        for (result, error) in log.results().iter().zip(&errors) {
            assert_eq!(result["ruleId"], "input");
            let place = &result["locations"][0]["physicalLocation"];
            // What is wrong with the question, not with the input, has no place there.
            let expected = match error["line"] == 0 {
                true => json!({ "startLine": 1 }),
                false => region(error),
            };
            assert_eq!(place["region"], expected, "{}", path.display());
            seen += 1;
        }
        assert_eq!(log.run()["invocations"][0]["executionSuccessful"], false);
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn errors_without_a_place_in_the_input() {
    let folder = Folder::new();
    let program = folder.write("a.bp", PROGRAM);
    let spec = folder.write("a.spec", "one: true\ntwo\n");
    let spec = spec.to_str().expect("plain");
    let cases: [(&Path, &[&str], usize); 6] = [
        (
            &program,
            &["--ltl", "G nowhere", "--ltl", "G (g", "--reach", "M"],
            3,
        ),
        (&program, &["--spec", spec], 1),
        (&program, &["--order", spec], 1),
        (&program, &["--watch", "nothing"], 1),
        (&folder.0.path().join("missing.bp"), &[], 1),
        (&folder.0.path().join("what.txt"), &[], 1),
    ];
    for (file, options, count) in cases {
        let (run, log) = folder.check(file, options);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{options:?}");
        assert_eq!(log.rules(), vec!["input"; count], "{options:?}");
    }
    let (_, log) = folder.check(&program, &["--spec", spec]);
    let place = &log.results()[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"], json!({ "startLine": 2 }));
    assert!(
        place["artifactLocation"]["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with("a.spec"))
    );
}

#[test]
fn what_is_undecided_is_a_notification() {
    let folder = Folder::new();
    let level = support::derny(&["generate", "level", "2000"]).stdout;
    let log = agree(
        &folder.write("level.bp", &level),
        &["--reach", "reach", "--timeout", "0.01"],
    );
    assert!(log.results().is_empty() && log.notifications().len() == 1);
    let notification = &log.notifications()[0];
    assert_eq!(notification["descriptor"]["id"], "unknown");
    assert_eq!(notification["associatedRule"]["id"], "reach");
}

#[test]
fn the_file_is_opened_first_and_replaced_as_a_whole() {
    let program = Written::new(PROGRAM);
    let run = program.check(&["--sarif", "/nowhere/at/all.sarif"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.contains("/nowhere/at/all.sarif"),
        "{}",
        run.stderr
    );
    let folder = Folder::new();
    let file = folder.write("a.bp", PROGRAM);
    fs::write(folder.log(), "x".repeat(100_000)).expect("it is written");
    let (run, log) = folder.check(&file, &[]);
    assert_eq!(run.stdout, check(&file, &[]).stdout);
    assert_eq!(log.rules(), ["assertion"]);
    let names = fs::read_dir(folder.0.path()).expect("a folder");
    assert_eq!(names.count(), 2);
    let first = fs::read(folder.log()).expect("the log");
    folder.check(&file, &[]);
    assert!(first == fs::read(folder.log()).expect("the log"));
}
