//! Traces of programs with threads, in every form in which they are drawn.

mod support;

use serde_json::{Value, json};
use support::schema::check_report;
use support::{Run, THREADS, Written};

fn json(program: &Written, options: &[&str]) -> Value {
    let run = program.check(&[options, &["--format", "json"]].concat());
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    check_report(&report);
    report["results"][0].clone()
}

fn text(program: &Written, options: &[&str]) -> Run {
    let run = program.check(options);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    run
}

fn steps(result: &Value) -> &[Value] {
    let steps = result["trace"]["stem"].as_array();
    steps.map_or(&[], |steps| steps)
}

#[test]
fn json_says_who_runs() {
    let result = json(&Written::new(THREADS), &[]);
    let trace = &result["trace"];
    assert_eq!(
        (&trace["switches"], &trace["rounds"]),
        (&json!(2), &json!(2))
    );
    let threads = json!([
        { "id": 0, "name": "init", "procedure": "init" },
        { "id": 1, "name": "adder", "procedure": "adder" },
        { "id": 2, "name": "stopper", "procedure": "stopper" },
        { "id": 3, "name": "adder#2", "procedure": "adder" },
    ]);
    assert_eq!(trace["threads"], threads);
    let steps = steps(&result);
    let mut runs: Vec<_> = steps.iter().map(|step| step["thread"].clone()).collect();
    runs.dedup();
    assert_eq!(runs.len(), 4, "{runs:?}");
    assert_eq!((&runs[0], &runs[2]), (&json!(0), &json!(2)));
    assert_eq!(runs[1], runs[3]);
    for pair in steps.windows(2) {
        if pair[0]["thread"] != pair[1]["thread"] {
            // What is shared stays; neither a branch is taken nor anything chosen.
            for shared in ["x", "stop"] {
                assert_eq!(pair[0]["globals"][shared], pair[1]["globals"][shared]);
            }
            assert!(pair[0].get("branch").is_none() && pair[0].get("choice").is_none());
        }
    }
    let exclusive = steps.iter().filter(|step| step["exclusive"] == true);
    assert!(exclusive.count() > 0, "the atomic section is seen");
    for step in steps {
        let shown = |scope: &str| step[scope].as_object().expect("values").len();
        assert_eq!(shown("globals"), 3, "{step}");
        assert_eq!(shown("locals"), 0, "{step}");
    }
    let last = steps.last().expect("a step");
    assert_eq!(
        (&last["point"], &last["thread"]),
        (&json!("error"), &runs[1])
    );
}

/// A thread is exclusive where it fails inside a section, and is listed though it never ran.
#[test]
fn json_says_how_threads_end() {
    let text = "decl g; thread p(), q()[2]; init() begin g := 0; end \
                p() begin atomic begin g := 1; assert(!g); end end q() begin skip; end";
    let result = json(&Written::new(text), &[]);
    let told: Vec<_> = steps(&result)
        .iter()
        .map(|step| (&step["thread"], &step["point"], &step["exclusive"]))
        .collect();
    let (zero, one, yes) = (json!(0), json!(1), json!(true));
    let points = ["statement", "exit", "terminated", "error"].map(|point| json!(point));
    let [statement, exit, terminated, error] = &points;
    let expected = [
        (&zero, statement, &Value::Null),
        (&zero, exit, &Value::Null),
        (&zero, terminated, &Value::Null),
        (&one, statement, &Value::Null),
        (&one, statement, &yes),
        (&one, statement, &yes),
        (&one, error, &yes),
    ];
    assert_eq!(told, expected);
    let trace = &result["trace"];
    assert_eq!((&trace["switches"], &trace["rounds"]), (&zero, &one));
    let names = trace["threads"].as_array().expect("a list").iter();
    let names: Vec<_> = names.map(|thread| thread["name"].clone()).collect();
    assert_eq!(names, ["init", "p", "q", "q#2"]);
}

/// Where a thread is left for ever, nothing is shown that it would have done in vain.
#[test]
fn a_thread_that_is_left_for_ever_stops_at_once() {
    let text = "decl g; thread p(), q(); init() begin g := 0; end \
                p() begin decl x; g := 1; x := 0; x := 1; x := 0; end q() begin assume(g); L: skip; end";
    let result = json(&Written::new(text), &["--reach", "L"]);
    let count = |thread: u64| {
        let steps = steps(&result).iter();
        steps.filter(|step| step["thread"] == thread).count()
    };
    assert_eq!([0, 1, 2].map(count), [3, 2, 2], "{result}");
    assert_eq!(result["trace"]["switches"], 1);
}

#[test]
fn text_begins_each_context_with_a_line() {
    let program = Written::new(THREADS);
    let shown = text(&program, &[]).stdout;
    assert!(
        shown.contains("fails (line 11, column 5, step 14 of `adder"),
        "{shown}"
    );
    let contexts: Vec<_> = shown.lines().filter(|line| line.contains("-- ")).collect();
    let [init, first, away, back] = contexts[..] else {
        panic!("{shown}");
    };
    assert_eq!(init, "  -- start: init");
    let adder = first.strip_prefix("  -- start: ").expect("a thread");
    assert_eq!(away, format!("  -- switch 1: {adder} -> stopper"));
    assert_eq!(back, format!("  -- switch 2: stopper -> {adder}"));
    // What another thread has changed meanwhile is shown when one goes on.
    let after = shown.split("-- switch 2").nth(1).expect("a context");
    let next = after.lines().nth(1).expect("a step");
    assert!(next.contains("stop=1"), "{shown}");
    let choices = text(&program, &["--choices"]).stdout;
    assert!(choices.contains("-- switch 2"), "{choices}");
}

#[test]
fn threads_side_by_side() {
    let program = Written::new(THREADS);
    let shown = text(&program, &["--columns"]).stdout;
    let header = shown
        .lines()
        .find(|line| line.contains("init") && line.contains("stopper"));
    let header = header.expect("each thread has a column");
    assert!(
        !header.contains("adder  adder"),
        "only those that run: {header}"
    );
    let column = header.find("stopper").expect("its column");
    let step = shown.lines().find(|line| line.contains("stop := 1;"));
    assert_eq!(
        step.and_then(|step| step.find("stop := 1;")),
        Some(column),
        "{shown}"
    );
    let mut command = support::command();
    command
        .env("COLUMNS", "50")
        .arg("check")
        .arg(program.path());
    command.arg("--columns");
    let narrow = support::run_command(command).stdout;
    let fits = |line: &str| line.chars().count() <= 50;
    assert!(narrow.lines().all(fits), "{narrow}");
}

#[test]
fn sarif_has_a_flow_for_each_thread_that_runs() {
    let program = Written::new(THREADS);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.sarif");
    text(
        &program,
        &["--sarif", log.to_str().expect("a path in UTF-8")],
    );
    let log = std::fs::read_to_string(&log).expect("a log");
    let log: Value = serde_json::from_str(&log).expect("JSON");
    support::schema::Schema::read("tests/sarif/log.schema.json").check(&log, "the log");
    let flows = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
    let flows = flows.as_array().expect("flows");
    let ids: Vec<_> = flows.iter().map(|flow| flow["id"].clone()).collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
    assert!(
        ids.contains(&json!("init")) && ids.contains(&json!("stopper")),
        "{ids:?}"
    );
    let locations = flows
        .iter()
        .flat_map(|flow| flow["locations"].as_array().expect("a list"));
    let mut order: Vec<_> = locations
        .map(|location| location["executionOrder"].as_u64().expect("a number"))
        .collect();
    order.sort_unstable();
    let count = steps(&json(&program, &[])).len() as u64;
    assert_eq!(order, (1..=count).collect::<Vec<_>>());
    for flow in flows {
        let levels = flow["locations"].as_array().expect("a list").iter();
        let least = levels
            .map(|location| location["nestingLevel"].as_u64())
            .min();
        assert_eq!(least, Some(Some(0)));
    }
}

/// A program without threads has no word of them.
#[test]
fn without_threads_nothing_is_said_of_them() {
    let result = json(&Written::new(support::FAILS), &[]);
    assert_eq!(result["bound"], Value::Null);
    let trace = result["trace"].as_object().expect("a trace");
    assert_eq!(trace.keys().collect::<Vec<_>>(), ["loop", "stem"]);
    assert!(
        steps(&result)
            .iter()
            .all(|step| step.get("thread").is_none())
    );
}

/// Among the executions with the fewest switches a short one is shown, whichever thread is looked at
/// first.
#[test]
fn traces_are_short() {
    let text = |p: &str| {
        format!(
            "decl g; thread p(), q(); p() begin {p} f(); end q() begin M: skip; f(); end \
             f() begin L: skip; assert(0); end"
        )
    };
    let skips = "skip; ".repeat(20);
    for text in [text(&skips), text(&format!("if (*) then p(); fi {skips}"))] {
        for (arguments, expected) in [
            (&["--reach", "L"][..], 3),
            (&["--reach", "L", "--reach", "M"], 3),
            (&["--assertions"], 5),
            (&["--reach", "L", "--rounds", "1"], 3),
        ] {
            let result = json(&Written::new(&text), arguments);
            assert_eq!(steps(&result).len(), expected, "{result}");
            assert_eq!(result["trace"]["switches"], 0, "{result}");
        }
    }
}

/// What comes before the last context counts, too, even if all contexts are looked at for another property.
#[test]
fn traces_are_short_as_a_whole() {
    let skips = "skip; ".repeat(20);
    let text = format!(
        "decl g, h; thread p(), q(); init() begin g, h := 0, 0; end
         p() begin skip; skip; skip; skip; L: skip; {skips} g := 1; end
         q() begin assume(g); L: skip; if (h) then never: skip; fi end"
    );
    for others in [&[][..], &["--reach", "never"]] {
        let arguments = [&["--reach", "L", "--rounds", "1"], others].concat();
        let result = json(&Written::new(&text), &arguments);
        assert_eq!(result["trace"]["switches"], 0, "{result}");
        assert!(steps(&result).len() < 12, "{result}");
    }
}

#[test]
fn assertions_that_are_not_there_are_noticed() {
    let warning = "`assertions` holds because control comes to nothing that can fail";
    for (text, warns) in [
        (
            "thread p(); p() begin L: assert(1); end q() begin assert(0); end",
            true,
        ),
        (
            "decl g; thread p(); p() begin g := 1; assert(g); end",
            false,
        ),
    ] {
        let run = Written::new(text).check(&[]);
        assert_eq!((run.code, run.stdout.as_str()), (0, "holds assertions\n"));
        assert_eq!(run.stderr.contains(warning), warns, "{}", run.stderr);
    }
}
