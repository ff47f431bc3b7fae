//! Rules woven into C programs.
//!
//! `tests/slic/cases.txt` has rules with programs and how they end, found by hand. Each is decided by
//! the engine, and an execution that is violated is also run by the interpreter of C, with the inputs
//! given there; without inputs that run must not fail where the rule holds.

mod support;

use derny::Verdict;
use derny::internals::c::{DataModel, Options as Reading, preprocess};
use derny::internals::check::{Board, Options, check};
use derny::internals::execution::{self, Choice, EndKind, Listed, Machine};
use derny::internals::lower::c::{Options as Lowering, PointKind, entry, lower};
use derny::internals::property::Property;
use derny::internals::typing::{Program, program_and, weave};
use derny::internals::watch::Watch;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

struct Woven {
    tree: Program,
    source: Arc<derny::internals::source::Source>,
    entry: derny::internals::typing::FunctionId,
}

/// Errors and warnings, one a line.
fn read(rule: &str, program: &str) -> (Option<Woven>, Vec<String>) {
    let options = Reading {
        directories: Vec::new(),
        definitions: Vec::new(),
        model: DataModel::Lp64,
        honours_markers: true,
        reader: &|path: &Path| std::fs::read(path),
    };
    let files = [("program.c", program), ("rule.slic", rule)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let read = preprocess(files.into(), &options);
    let (typed, following) = program_and(read, (true, false), DataModel::Lp64);
    let rule = following.rule.unwrap_or_default();
    let source = Arc::new(typed.source);
    let diagnostics = typed.diagnostics;
    let woven = typed.program.map(|mut tree| {
        let main = entry(&tree, "main").expect("a main");
        Woven {
            entry: weave(&mut tree, &rule, main),
            tree,
            source: source.clone(),
        }
    });
    let messages = diagnostics.iter().map(|one| {
        let file = source.file_of(one.span.start);
        let line = source.position(one.span.start).line;
        format!("{file}:{line}: {}", one.message)
    });
    (woven, messages.collect())
}

/// Why the rule can be violated, by the engine.
fn decided(woven: &Woven) -> Option<Verdict> {
    let options = Lowering::default();
    let lowered = lower(woven.source.clone(), &woven.tree, woven.entry, &options);
    let points = lowered.origin.points.iter().zip(0..);
    let points = points.filter(|(point, _)| matches!(point.kind, PointKind::Rule { .. }));
    let points = points.map(|(_, id)| derny::internals::program::PointId(id));
    let property = Property::Assertion(points.collect());
    let board = Board::new(Instant::now(), 1);
    let watch = Watch::default();
    check(
        &lowered.program,
        &[property],
        &Options::default(),
        &watch,
        &board,
    )
    .expect("it is decided");
    board.verdict(0)
}

/// Why the rule is violated by an execution with these inputs, if it is.
fn executed(woven: &Woven, inputs: &[i128]) -> Option<String> {
    let mut choices = Listed::new(inputs.iter().copied().map(Choice::Number));
    let options = execution::Options::new(woven.entry);
    let mut machine = Machine::new(&woven.tree, options, &mut choices);
    machine.run(1_000_000);
    match machine.end().expect("it ends").kind {
        EndKind::Failed(failure) => Some(failure.describe(&woven.tree)),
        _ => None,
    }
}

#[test]
fn rules_hold_or_are_violated() {
    // BDDs with many variables need a stack like that of the worker.
    let worker = std::thread::Builder::new().stack_size(1 << 28);
    let worker = worker.spawn(decide_all_cases).expect("a thread");
    worker
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn decide_all_cases() {
    let text = include_str!("slic/cases.txt");
    let mut count = 0;
    for case in text.split("\n==== ").skip(1) {
        let (header, rest) = case.split_once('\n').expect("a header");
        let (rule, program) = rest.split_once("\n----\n").expect("a rule and a program");
        let (woven, messages) = read(rule, program);
        let woven = woven.unwrap_or_else(|| panic!("{case}\n{messages:?}"));
        let decided = decided(&woven).expect("a verdict");
        let (expected, why) = match header.strip_prefix("violated: ") {
            Some(why) => (Verdict::Violated, why),
            None => (Verdict::Holds, ""),
        };
        assert_eq!(decided, expected, "{case}");
        let last = why.rsplit(' ').next().unwrap_or_default();
        let numbers: Option<Vec<i128>> = last.split(',').map(|n| n.parse().ok()).collect();
        let why = match numbers {
            Some(_) => why.strip_suffix(last).unwrap_or(why).trim_end(),
            None => why,
        };
        let found = executed(&woven, &numbers.unwrap_or_default());
        match expected {
            Verdict::Violated => assert_eq!(found.as_deref(), Some(why), "{case}"),
            Verdict::Holds => assert!(
                found.is_none_or(|one| one.contains("reach_error")),
                "{case}"
            ),
        }
        count += 1;
    }
    assert!(count >= 35, "{count} cases");
}

#[test]
fn mistakes_in_rules_are_said() {
    let program = "typedef int number; int g; void f(int x); int h(void); void take(int *); int main(void) { f(1); return h(); }";
    let cases = [
        ("f.called { }", "`called` is no event of a function"),
        ("f call { }", "expected `.`, found `call`"),
        ("f.call { if ($2) abort; }", "`f` has one parameter, `$1`"),
        ("h.call { if ($1) abort; }", "`h` has no parameters"),
        (
            "f.call { if ($return) abort; }",
            "there is a result at `exit` and `return` only",
        ),
        ("f.return { if ($return) abort; }", "`f` returns nothing"),
        (
            "f.call { g = 1; }",
            "a rule changes its own state and nothing else",
        ),
        (
            "f.call { $1 = 1; }",
            "a rule changes its own state and nothing else",
        ),
        (
            "state { int n; } f.call { n = h(); }",
            "a rule calls no functions",
        ),
        (
            "f.call { while (1) ; }",
            "at an event there are assignments, `if`, `abort` and `halt`, no others",
        ),
        (
            "f.call { int x; }",
            "at an event there are assignments, `if`, `abort` and `halt`, no others",
        ),
        (
            "f.call { return; }",
            "at an event there are assignments, `if`, `abort` and `halt`, no others",
        ),
        (
            "watch m; f.call { if ($1 < m) abort; }",
            "what is watched can only be compared, by `==` and `!=`",
        ),
        ("f.call { abort \"a\" }", "expected `;` after `abort`"),
        (
            "watch m; f.call { if (sizeof m == 4) abort; }",
            "what is watched can only be compared, by `==` and `!=`",
        ),
        (
            "watch m; f.call { if (m == $1) abort; } take.call { if ($1 == m) abort; }",
            "this is a number, and elsewhere pointers are compared with what is watched",
        ),
        (
            "state { extern int g; }",
            "the state of a rule is its own, and never `extern`",
        ),
        ("f.call { if ($1) abort;", "this `{` is not closed"),
        (
            "state { int k(void) { return 1; } }",
            "the state of a rule has variables, no functions",
        ),
        (
            "state { int n = g; }",
            "this initial value must be a constant",
        ),
        (
            "f.call { if (missing) abort; }",
            "`missing` is not declared",
        ),
        ("watch m; watch m;", "`m` is declared twice"),
        (
            "{ }",
            "expected `state`, `watch`, or an event such as `f.call`, found `{`",
        ),
    ];
    for (rule, expected) in cases {
        let (woven, messages) = read(rule, program);
        assert!(woven.is_none(), "{rule} is accepted: {messages:?}");
        let wanted = |message: &String| message.starts_with("rule.slic:1: ");
        let all = messages.iter().all(wanted);
        assert!(
            all && messages[0].contains(expected),
            "{rule}: {messages:?}"
        );
        assert_eq!(messages.len(), 1, "{rule}: {messages:?}");
    }
}

/// What `derny check` writes to standard error for a program and a rule, and its exit code.
fn messages(program: &str, rule: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), program).expect("it is written");
    std::fs::write(folder.path().join("r.slic"), rule).expect("it is written");
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_derny"))
        .current_dir(folder.path())
        .args(["check", "p.c", "--slic", "r.slic", "--timeout", "60"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text)
}

#[test]
fn events_that_never_happen_are_warned_of() {
    let program = "void exit(int); void f(int x); void g(void) { f(2); } void h(void) { g(); }
        int never(void) { exit(1); return 1; }
        int main(void) { f(1); if (0) g(); if (f != 0) never(); }";
    let silent = |event: &str| format!("this never happens: no execution comes to `{event}`");
    let cases = [
        (
            "k.call { if ($7) abort; }",
            Some("there is no function `k`: this never happens".to_owned()),
        ),
        // What calls it is called by nobody.
        ("h.call { abort; }", Some(silent("h.call"))),
        ("g.call { abort; }", Some(silent("g.call"))),
        ("main.call { abort; }", Some(silent("main.call"))),
        // It is called and does not come back.
        ("exit.return { abort; }", Some(silent("exit.return"))),
        ("exit.call { }", None),
        ("f.call { }", None),
        ("main.entry, main.exit { }", None),
    ];
    for (rule, expected) in cases {
        let (code, messages) = messages(program, rule);
        assert_eq!(code, Some(0), "{rule}: {messages}");
        match expected {
            Some(expected) => assert!(messages.contains(&expected), "{rule}: {messages}"),
            None => assert!(!messages.contains("never happens"), "{rule}: {messages}"),
        }
    }
}

#[test]
fn a_mistyped_function_gets_the_nearest_name() {
    let program = "void mutex_lock(int m); int main(void) { mutex_lock(1); }";
    let (_, messages) = messages(program, "mutex_lok.call { abort; }");
    let expected = "there is no function `mutex_lok`: this never happens";
    assert!(messages.contains(expected), "{messages}");
    assert!(messages.contains("did you mean `mutex_lock`"), "{messages}");
}

#[test]
fn one_mistake_hides_no_other() {
    let rule = "state { int n; } f.cal { } f.call { n = h(); } ; watch ; f.call { k(); }";
    let (_, messages) = read(rule, "void f(void); int h(void); int main(void) { f(); }");
    let errors = messages.iter().filter(|one| !one.contains("not declared"));
    assert_eq!(errors.count(), 5, "{messages:?}");
}

/// What `derny check` says of a program and a rule, as JSON.
fn checked(program: &Path, rule: &Path, options: &[&str]) -> serde_json::Value {
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_derny"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .arg("check")
        .arg(program)
        .arg("--slic")
        .arg(rule)
        .args(["--format", "json", "--timeout", "60"])
        .args(options)
        .output()
        .expect("the binary runs");
    let json = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&json)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    support::schema::check_report(&report);
    report["results"][0].clone()
}

/// A violation ends where the rule aborts, and every step has the rule's state.
fn assert_shows_the_rule(result: &serde_json::Value, rule: &Path) {
    let steps = result["trace"]["stem"].as_array().expect("a trace");
    let rule = rule.to_string_lossy();
    let events = steps.iter().filter(|step| step["point"] == "event");
    let events: Vec<_> = events.collect();
    assert!(!events.is_empty(), "{result}");
    for event in &events {
        assert_eq!(event["file"], *rule, "{event}");
        let text = event["text"].as_str().expect("a text");
        let moments = [".call", ".entry", ".exit", ".return"];
        assert!(
            moments.iter().any(|moment| text.ends_with(moment)),
            "{event}"
        );
    }
    assert!(
        steps.iter().all(|step| step["state"].is_object()),
        "{result}"
    );
    let last = &steps[steps.len() - 1];
    assert_eq!(last["point"], "error");
    assert_eq!(steps[steps.len() - 2]["point"], "event");
}

#[test]
fn examples_keep_or_violate_their_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rules");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 10);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("// derny: --slic "));
        let (rule, verdict) = line
            .and_then(|line| line.split_once(" : "))
            .expect("a verdict");
        let result = checked(&path, Path::new(rule), &[]);
        assert_eq!(result["verdict"], verdict, "{}: {result}", path.display());
        assert_eq!(result["property"]["kind"], "slic");
        assert_eq!(result["property"]["text"], rule);
        if verdict == "violated" {
            assert_shows_the_rule(&result, Path::new(rule));
        }
    }
}

#[test]
fn rules_of_others_are_decided_as_published() {
    let Some((folder, published)) = support::c::published() else {
        return;
    };
    let mut count = 0;
    for case in &published {
        let Some(rule) = case.property.strip_prefix("slic:") else {
            continue;
        };
        let file = &case.file;
        let program = folder.join(file);
        let rule = program.with_file_name(rule);
        let result = checked(&program, &rule, &["--model", &case.model]);
        assert_eq!(result["verdict"], case.verdict, "{file}: {result}");
        if case.verdict == "violated" {
            assert_shows_the_rule(&result, &rule);
        }
        count += 1;
    }
    assert_eq!(count, 36);
}

#[test]
fn rules_watch_addresses_of_locals_and_say_what_they_cannot() {
    let folder = tempfile::tempdir().expect("a folder");
    let [program, rule] = ["p.c", "r.slic"].map(|name| folder.path().join(name));
    let text = "state { int held; } watch m;
        take.call { if ($1 == m) { if (held) abort \"twice\"; held = 1; } }
        give.call { if ($1 == m) held = 0; }";
    std::fs::write(&rule, text).expect("it can be written");
    let cases = [
        (
            "void work(void) { int a, b; take(&a); take(&b); give(&a); }",
            "holds",
        ),
        (
            "void work(void) { int a, b; take(&a); take(&b); take(&a); }",
            "violated",
        ),
        // The local of the second call may be where that of the first was.
        (
            "void once(void) { int a; take(&a); } void work(void) { once(); once(); }",
            "violated",
        ),
        (
            "void work(void) { static int a[2]; take(&a[1]); take(&a[0]); take(a + 1); }",
            "violated",
        ),
        ("void work(void) { take(0); give(0); take(0); }", "holds"),
        (
            "void *malloc(unsigned long); void work(void) { int *p = malloc(4); take(p); take(p); }",
            "unknown",
        ),
    ];
    for (body, expected) in cases {
        let text =
            format!("void take(int *p); void give(int *p); {body} int main(void) {{ work(); }}");
        std::fs::write(&program, text).expect("it can be written");
        let result = checked(&program, &rule, &[]);
        assert_eq!(result["verdict"], expected, "{body}: {result}");
        if expected == "violated" {
            assert_shows_the_rule(&result, &rule);
        }
    }
}
