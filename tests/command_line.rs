//! The command line as scripts rely on it, through the real binary.

mod support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::trace::{Goal, assert_shape};
use support::{Run, Written, command, derny, run_command};

/// `L` is reachable with g = 1, `M` is not, and no assertion fails.
const PROGRAM: &str = "\
decl g;
bool not_(x)
begin
  return !x;
end
main()
begin
  decl h;
  h := not_(g);
  if (g) then
    L: skip;
  fi
  if (g & h) then
    M: skip;
  fi
  assert(g | h);
end
";

/// The assertion fails.
const FAILS: &str = "decl g;\nmain() begin\n  L: skip;\n  assert(g);\nend\n";

/// Procedures that each call the next one twice.
fn doubling(procedures: usize) -> String {
    let mut program = String::from("main()\nbegin\n  p1();\n  L: skip;\nend\n");
    for i in 1..procedures {
        let next = i + 1;
        program += &format!("p{i}()\nbegin\n  p{next}();\n  p{next}();\nend\n");
    }
    program + &format!("p{procedures}()\nbegin\n  skip;\nend\n")
}

fn assert_bad_input(run: &Run, message: &str) {
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(run.stdout, "", "standard output is empty on exit code 2");
    assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
}

fn verdicts(run: &Run) -> Vec<String> {
    let text = |result: &Value| {
        let text = result["property"]["text"].as_str().expect("a text");
        let verdict = result["verdict"].as_str().expect("a verdict");
        format!("{text} {verdict}")
    };
    run.results().iter().map(text).collect()
}

#[test]
fn exit_code_0_where_all_holds() {
    let program = Written::new(PROGRAM);
    for arguments in [
        &[][..],
        &["--assertions"],
        &["--reach", "M"],
        &["--reach", "main.M", "--assertions"],
    ] {
        let run = program.check(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.stdout);
        assert_eq!(run.stderr, "", "nothing on standard error when all is well");
    }
}

#[test]
fn exit_code_1_where_one_is_violated() {
    let program = Written::new(PROGRAM);
    for arguments in [
        &["--reach", "L"][..],
        &["--reach", "L", "--assertions"],
        &["--reach", "M", "--reach", "L"],
        &["--reach", "L", "--no-trace"],
    ] {
        let run = program.check(arguments);
        assert_eq!(run.code, 1, "{arguments:?}: {}", run.stdout);
        assert_eq!(run.stderr, "");
    }
    assert_eq!(Written::new(FAILS).check(&[]).code, 1);
}

#[test]
fn without_properties_assertions_are_checked() {
    let run = Written::new(PROGRAM).check(&["--format", "json"]);
    assert_eq!(verdicts(&run), ["assertions holds"]);
    let run = Written::new(FAILS).check(&["--format", "json"]);
    assert_eq!(verdicts(&run), ["assertions violated"]);
}

#[test]
fn text_output() {
    let program = Written::new(PROGRAM);
    let run = program.check(&["--reach", "M", "--reach", "L", "--assertions", "--no-trace"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stdout);
    for (line, begin) in lines
        .iter()
        .zip(["unreachable M", "reachable L", "holds assertions"])
    {
        assert!(line.starts_with(begin), "{begin}: {line}");
    }
    let run = program.check(&["--reach", "L", "--assertions"]);
    assert!(run.stdout.starts_with("reachable L"), "{}", run.stdout);
    let holds = run.stdout.lines().filter(|l| l.starts_with("holds"));
    assert_eq!(holds.count(), 1, "the other property comes after the trace");
    assert!(run.stdout.contains("h := not_(g);"), "{}", run.stdout);
    let run = Written::new(FAILS).check(&[]);
    assert!(
        run.stdout.starts_with("violated assertions"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("assert(g)"), "the trace is there");
}

#[test]
fn results_come_as_reach_in_order_then_assertions() {
    let program = Written::new(PROGRAM);
    let run = program.check(&[
        "--assertions",
        "--reach",
        "M",
        "--format",
        "json",
        "--reach",
        "L",
        "--reach",
        "main.L",
    ]);
    assert_eq!(
        verdicts(&run),
        [
            "M holds",
            "L violated",
            "main.L violated",
            "assertions holds"
        ]
    );
}

#[test]
fn json_layout() {
    let program = Written::new(PROGRAM);
    let path = program.path();
    let run = program.check(&["--reach", "L", "--assertions", "--format", "json"]);
    let json = run.json();
    assert_eq!(json["tool"], "derny");
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["input"], path.to_str().expect("a path in UTF-8"));
    let object = json.as_object().expect("an object");
    assert_eq!(json["schema"], 1);
    assert_eq!(object.len(), 5);
    let results = run.results();
    for result in &results {
        assert!(result["stats"]["seconds"].as_f64().expect("seconds") >= 0.0);
        assert!(result["reason"].is_null());
        for key in ["property", "verdict", "reason", "trace", "stats"] {
            let object = result.as_object().expect("an object");
            assert!(object.contains_key(key), "{key} is in {result}");
        }
    }
    let property = json!({ "kind": "reach", "text": "L", "name": null });
    assert_eq!(results[0]["property"], property);
    let property = json!({ "kind": "assertions", "text": "assertions", "name": null });
    assert_eq!(results[1]["property"], property);
    assert!(results[1]["trace"].is_null());
}

#[test]
fn json_trace() {
    let run = Written::new(PROGRAM).check(&["--reach", "L", "--format", "json"]);
    let trace = &run.results()[0]["trace"];
    // h may begin with either value: nothing reads it before it is set.
    let h = &trace["stem"][0]["locals"]["h"];
    assert_eq!(
        *trace,
        json!({ "loop": [], "stem": [
            { "procedure": "main", "point": "statement", "line": 9, "column": 3, "labels": [],
              "end_line": 9, "end_column": 15, "choice": ["g=1"], "relevant": ["g"],
              "text": "h := not_(g);", "depth": 0, "globals": { "g": 1 }, "locals": { "h": h } },
            { "procedure": "not_", "point": "statement", "line": 4, "column": 3, "labels": [],
              "end_line": 4, "end_column": 12, "relevant": ["g"],
              "text": "return !x;", "depth": 1, "globals": { "g": 1 }, "locals": { "x": 1 } },
            { "procedure": "not_", "point": "exit", "line": 5, "column": 1, "labels": [],
              "end_line": 5, "end_column": 3, "relevant": ["g"],
              "text": "end", "depth": 1, "globals": { "g": 1 }, "locals": { "x": 1 },
              "returns": [0] },
            { "procedure": "main", "point": "statement", "line": 10, "column": 3, "labels": [],
              "end_line": 10, "end_column": 8, "branch": "true", "relevant": ["g"],
              "text": "if (g)", "depth": 0, "globals": { "g": 1 }, "locals": { "h": 0 } },
            { "procedure": "main", "point": "statement", "line": 11, "column": 8,
              "end_line": 11, "end_column": 12, "relevant": [],
              "labels": ["L"], "text": "skip;", "depth": 0, "globals": { "g": 1 },
              "locals": { "h": 0 } },
        ] })
    );
}

#[test]
fn json_trace_to_an_error() {
    let run = Written::new(FAILS).check(&["--format", "json"]);
    assert_eq!(
        run.results()[0]["trace"],
        json!({ "loop": [], "stem": [
            { "procedure": "main", "point": "statement", "line": 3, "column": 6, "labels": ["L"],
              "end_line": 3, "end_column": 10, "choice": ["g=0"], "relevant": ["g"],
              "text": "skip;", "depth": 0, "globals": { "g": 0 }, "locals": {} },
            { "procedure": "main", "point": "statement", "line": 4, "column": 3, "labels": [],
              "end_line": 4, "end_column": 12, "relevant": ["g"],
              "text": "assert(g);", "depth": 0, "globals": { "g": 0 }, "locals": {} },
            { "procedure": "", "point": "error", "line": 0, "column": 0, "labels": [],
              "end_line": 0, "end_column": 0, "relevant": [],
              "text": run.results()[0]["trace"]["stem"][2]["text"], "depth": 0,
              "globals": { "g": 0 }, "locals": {} },
        ] })
    );
}

#[test]
fn columns_are_in_characters() {
    let program = "main() begin\n  /* äöü€𝔸 */ L: skip;\nend\n";
    let run = Written::new(program).check(&["--reach", "L", "--format", "json"]);
    let step = &run.results()[0]["trace"]["stem"][0];
    assert_eq!((&step["line"], &step["column"]), (&json!(2), &json!(18)));
}

#[test]
fn byte_order_mark_is_skipped_and_comments_need_not_be_utf8() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.bp");
    let mut bytes = b"\xef\xbb\xbfmain() begin // \xff\xfe\r\n\x0c\tL: skip;\r\nend".to_vec();
    std::fs::write(&path, &bytes).expect("written");
    assert_eq!(support::check(&path, &["--reach", "L"]).code, 1);
    bytes.extend(b"\xff");
    std::fs::write(&path, &bytes).expect("written");
    assert_bad_input(&support::check(&path, &["--reach", "L"]), "");
}

#[test]
fn a_graph_of_one_procedure_and_of_calls() {
    let program = Written::new(PROGRAM);
    let path = program.path();
    let path = path.to_str().expect("a path in UTF-8");
    let calls = support::derny(&["show", path, "--calls"]);
    assert_eq!(calls.stdout, "not_\nmain (entry) calls not_\n");
    let one = support::derny(&["show", path, "--procedure", "not_"]);
    assert!(one.stdout.contains("not_(x)"), "{}", one.stdout);
    assert!(!one.stdout.contains("main"), "{}", one.stdout);
    let dot = support::derny(&["show", path, "--calls", "--dot"]);
    assert!(dot.stdout.contains("c1 -> c0"), "{}", dot.stdout);
    let missing = support::derny(&["show", path, "--procedure", "nowhere"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.stderr.contains("no procedure `nowhere`"),
        "{}",
        missing.stderr
    );
}

#[test]
fn guards_are_shown_in_traces_and_graphs() {
    let text = "module void main() { int x(2);
  if :: x == 0 -> skip; :: x > 1 && x < 3 -> L: skip; :: else -> skip; fi }
init main;
";
    let program = Written::new(text);
    let run = program.check(&["--lang", "rem", "--reach", "L"]);
    assert!(
        run.stdout.contains("if :: x > 1 && x < 3"),
        "{}",
        run.stdout
    );
    let path = program.path();
    let path = path.to_str().expect("a path in UTF-8");
    let graph = support::derny(&["show", path, "--lang", "rem"]);
    assert!(
        graph.stdout.contains("x == 0 1, x > 1 && x < 3 2, else 3"),
        "{}",
        graph.stdout
    );
}

#[test]
fn a_folded_trace_and_one_of_choices_alone() {
    let program = Written::new(PROGRAM);
    let folded = program.check(&["--reach", "L", "--fold", "0"]);
    assert!(
        folded
            .stdout
            .contains("... steps 2 to 3, in a call that returns ..."),
        "{}",
        folded.stdout
    );
    let choices = program.check(&["--reach", "L", "--choices", "--watch", "g & !g"]);
    assert!(choices.stdout.contains("chosen: g=1"), "{}", choices.stdout);
    assert!(choices.stdout.contains("{g & !g}=0"), "{}", choices.stdout);
    assert!(
        choices.stdout.contains("... steps 2 to 5 ..."),
        "{}",
        choices.stdout
    );
    let colored = program.check(&["--reach", "L", "--color", "always"]);
    assert!(
        colored
            .stdout
            .starts_with("\u{1b}[1;31mreachable\u{1b}[0m L\n")
    );
    let wrong = program.check(&["--reach", "L", "--watch", "nothing"]);
    assert_bad_input(&wrong, "nothing");
}

#[test]
fn a_loop_says_which_values_make_it_long() {
    let program = "decl flipped;
void main() begin
  flipped := 0;
  while (1) do flipped := !flipped; od
end
";
    let run = Written::new(program).check(&["--terminates"]);
    let expected = "loop: 4 steps (twice the same 2, until `flipped` is as before)";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
    assert!(run.stdout.contains("back to step"), "{}", run.stdout);
}

#[test]
fn no_trace() {
    let program = Written::new(FAILS);
    let run = program.check(&["--format", "json", "--no-trace"]);
    assert_eq!(run.code, 1);
    assert!(run.results()[0]["trace"].is_null());
    let run = program.check(&["--no-trace"]);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    let run = program.check(&["--format", "json", "--trace"]);
    assert!(run.results()[0]["trace"].is_object());
}

#[test]
fn standard_input() {
    let mut reading = command();
    reading.args(["check", "-", "--lang", "bp", "--format", "json"]);
    let run = run_command({
        reading.write_stdin(FAILS);
        reading
    });
    assert_eq!(run.code, 1);
    assert_eq!(run.json()["input"], "-");
    assert_eq!(verdicts(&run), ["assertions violated"]);
}

#[test]
fn standard_input_needs_a_language() {
    let mut reading = command();
    reading.args(["check", "-"]).write_stdin(FAILS);
    assert_bad_input(&run_command(reading), "--lang");
}

#[test]
fn language_by_extension_or_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.txt");
    std::fs::write(&path, FAILS).expect("written");
    assert_bad_input(&support::check(&path, &[]), "--lang");
    assert_eq!(support::check(&path, &["--lang", "bp"]).code, 1);
}

#[test]
fn options_of_remopla() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program.rem");
    let program = "define N 2 int x(N); module void main() { x = 4; assert(x == 4); }";
    std::fs::write(&path, program).expect("written");
    let code = |arguments: &[&str]| support::check(&path, arguments).code;
    assert_eq!(code(&[]), 1);
    assert_eq!(code(&["-D", "N=3"]), 0);
    assert_eq!(code(&["-DN=2", "-DN=3"]), 0);
    assert_eq!(code(&["--overflow", "error"]), 1);
    assert_eq!(code(&["--overflow", "wrap"]), 1);
    assert_eq!(code(&["--overflow", "block"]), 0);
    let bad = |arguments: &[&str], word: &str| {
        assert_bad_input(&support::check(&path, arguments), word);
    };
    bad(&["-D", "M=3"], "did you mean `-D N=…`?");
    bad(&["-D", "N"], "NAME=VALUE");
    bad(&["-D", "N=x"], "no number");
    bad(&["-D", "N=99999999999999999999"], "too large");
    bad(&["-D", "N=0"], "from 1 to 64 bits");
    bad(&["--overflow", "maybe"], "wrap");
    bad(&["--entry", "mian"], "--entry main");
    bad(&["--ltl", "F x"], "{x == 1}");
    let boolean = Written::new(FAILS);
    assert_bad_input(&boolean.check(&["-D", "N=1"]), "-D");
    assert_bad_input(&boolean.check(&["--overflow", "wrap"]), "--overflow");
}

#[test]
fn unknown_label_with_suggestion() {
    let program = Written::new("main() begin\n  ERROR: skip;\nend\n");
    for label in ["ERRROR", "main.EROR"] {
        let run = program.check(&["--reach", label, "--format", "json"]);
        assert_bad_input(&run, "did you mean");
        assert!(run.stderr.contains("ERROR"), "{}", run.stderr);
    }
    // A procedure is no label.
    assert_bad_input(&program.check(&["--reach", "main"]), "main");
    // Nothing is decided, though one label is known.
    assert_bad_input(&program.check(&["--reach", "ERROR", "--reach", "x"]), "x");
}

#[test]
fn entry() {
    let program = Written::new("main() begin L: skip; end\nother() begin M: skip; end\n");
    let labels = ["--reach", "L", "--reach", "M", "--format", "json"];
    assert_eq!(verdicts(&program.check(&labels)), ["L violated", "M holds"]);
    let other = [&labels[..], &["--entry", "other"]].concat();
    let run = program.check(&other);
    assert_eq!(verdicts(&run), ["L holds", "M violated"]);
    let trace = &run.results()[1]["trace"];
    let text = std::fs::read_to_string(program.path()).expect("the program");
    assert_shape(&text, "other", &Goal::Label("M"), trace);
    assert_bad_input(&program.check(&["--entry", "others"]), "others");
}

#[test]
fn missing_main() {
    assert_bad_input(&Written::new("").check(&[]), "main");
    assert_bad_input(&Written::new("f() begin skip; end").check(&[]), "main");
}

#[test]
fn every_error_is_reported() {
    let program = "main()\nbegin\n  nowhere := 1;\n  goto NOWHERE;\n  nobody();\nend\n";
    let run = Written::new(program).check(&["--format", "json"]);
    for name in ["nowhere", "NOWHERE", "nobody"] {
        assert_bad_input(&run, name);
    }
    for place in ["program.bp:3:3", "program.bp:4:8", "program.bp:5:3"] {
        assert_bad_input(&run, place);
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.bp");
    assert_bad_input(&support::check(&missing, &[]), "missing.bp");
    let directory = folder.path().join("directory.bp");
    std::fs::create_dir(&directory).expect("made");
    assert_bad_input(&support::check(&directory, &[]), "directory.bp");
}

#[test]
fn bad_usage() {
    let program = Written::new(FAILS);
    assert_bad_input(&program.check(&["--no-such-option"]), "--no-such-option");
    assert_bad_input(&program.check(&["--format", "xml"]), "xml");
    assert_bad_input(&program.check(&["--timeout", "soon"]), "soon");
    assert_bad_input(&program.check(&["--timeout", "-1"]), "");
    assert_bad_input(&program.check(&["--memory", "lots"]), "lots");
    assert_bad_input(&program.check(&["--reach"]), "--reach");
    assert_bad_input(&derny(&["check"]), "FILE");
    assert_bad_input(&derny(&["no-such-command"]), "no-such-command");
    assert_bad_input(&derny(&[]), "");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let run = derny(&["--version"]);
    assert_eq!(run.code, 0);
    let version = format!("derny {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(run.stdout.trim(), version);
    let run = derny(&["check", "--help"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for option in ["--reach", "--assertions", "--entry", "--timeout"] {
        assert!(run.stdout.contains(option), "{option}");
    }
}

#[test]
fn warnings_leave_the_verdict_alone() {
    let program = "decl g;\nmain() begin\n  decl g;\n  g := 1;\n  assert(g);\nend\n";
    let run = Written::new(program).check(&["--format", "json"]);
    assert_eq!(verdicts(&run), ["assertions holds"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("program.bp:3:8"), "{}", run.stderr);
}

#[test]
fn trace_limit_folds_then_omits() {
    let program = Written::new("main() begin\n  f();\n  L: skip;\nend\nf() begin\n  skip;\nend\n");
    let check = |limit| {
        let arguments = ["--reach", "L", "--format", "json", "--trace-limit", limit];
        let run = program.check(&arguments);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""));
        run.results()[0].clone()
    };
    // The call, the skip, the exit, and L.
    let unfolded = check("4");
    let stem = unfolded["trace"]["stem"].as_array().expect("a stem");
    assert_eq!(stem.len(), 4);
    assert!(stem.iter().all(|step| step.get("folded").is_none()));
    assert!(unfolded.get("trace_omitted").is_none_or(Value::is_null));
    for limit in ["3", "2"] {
        let folded = check(limit);
        let stem = folded["trace"]["stem"].as_array().expect("a stem");
        assert_eq!(stem.len(), 2, "limit {limit}: {folded}");
        assert_eq!(stem[0]["folded"], true);
        assert_eq!(stem[0]["text"], "f();");
        assert_eq!(stem[1]["labels"], json!(["L"]));
        assert!(stem[1].get("folded").is_none());
    }
    let omitted = check("1");
    assert_eq!(omitted["verdict"], "violated");
    assert!(omitted["trace"].is_null());
    assert!(omitted["trace_omitted"].as_u64().expect("a number") >= 2);
}

#[test]
fn messages_name_the_options_that_help() {
    let program = Written::new("main() begin\n  f();\n  L: skip;\nend\nf() begin\n  skip;\nend\n");
    let file = program.path().to_string_lossy().into_owned();
    let order = program.path().with_file_name("order");
    std::fs::write(&order, "nothing").expect("the folder is there");
    let order = order.to_string_lossy().into_owned();
    let says = |arguments: &[&str], text: &str| {
        let run = derny(arguments);
        let shown = run.stdout.clone() + &run.stderr;
        assert!(shown.contains(text), "{text}: {shown}");
    };
    let reach = ["check", &file, "--reach", "L"];
    says(
        &[&reach[..], &["--timeout", "0"]].concat(),
        "unknown L (out of time: --timeout gives more)",
    );
    says(
        &[&reach[..], &["--trace-limit", "1"]].concat(),
        " steps: --trace-limit allows longer ones to be shown)",
    );
    says(
        &[&reach[..], &["--order", &order]].concat(),
        "order: line 1: no variable `nothing`; `--show-order` lists them all",
    );
    says(
        &["post", &file, "--timeout", "0"],
        "unknown (out of time: --timeout gives more)",
    );
    says(&["post", &file, "--from", "<"], " --from:1:1");
    says(&["pre", &file, "--to", "<"], " --to:1:1");
    says(&["post", &file, "--contains", "<"], " --contains:1:1");
}

#[test]
fn a_trace_of_more_steps_than_atoms_is_folded() {
    let program = Written::new(&doubling(60));
    let begin = Instant::now();
    let run = program.check(&["--reach", "L", "--format", "json"]);
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(run.code, 1, "{}", run.stderr);
    let result = &run.results()[0];
    let stem = result["trace"]["stem"].as_array().expect("a stem");
    assert_eq!(stem.len(), 2);
    assert_eq!(stem[0]["folded"], true);
    assert_eq!(stem[1]["labels"], json!(["L"]));

    let run = program.check(&["--reach", "L", "--format", "json", "--trace-limit", "1"]);
    let result = &run.results()[0];
    assert_eq!(result["verdict"], "violated");
    assert!(result["trace"].is_null());
    assert!(result["trace_omitted"].as_u64().expect("a number") >= 2);
    let run = program.check(&["--reach", "L", "--trace-limit", "1"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("reachable L"), "{}", run.stdout);
}

#[test]
fn output_is_the_same_from_run_to_run() {
    let program = derny::generate::random::program(7, &Default::default());
    let labels = derny::generate::random::labels(7, &Default::default());
    let program = Written::new(&program);
    let mut arguments = vec!["--assertions"];
    for label in &labels {
        arguments.extend(["--reach", label]);
    }
    let text: Vec<String> = (0..3).map(|_| program.check(&arguments).stdout).collect();
    assert!(text.iter().all(|t| *t == text[0]));
    arguments.extend(["--format", "json"]);
    let json = || {
        let mut json = program.check(&arguments).json();
        for result in json["results"].as_array_mut().expect("a list") {
            result["stats"] = Value::Null;
        }
        json.to_string()
    };
    assert_eq!(json(), json());
}

#[test]
fn statistics_go_to_standard_error() {
    let program = Written::new(PROGRAM);
    let run = program.check(&["--stats", "--reach", "M"]);
    assert_eq!(run.code, 0);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    assert!(run.stderr.contains("peak live"), "{}", run.stderr);
    let run = program.check(&["--stats", "--reach", "M", "--format", "json"]);
    let stats = &run.results()[0]["stats"];
    assert!(stats["peak_live_nodes"].as_u64().expect("a number") > 0);
}

#[test]
fn generated_levels_are_reachable() {
    for n in ["1", "2", "60"] {
        let program = derny(&["generate", "level", n]);
        assert_eq!((program.code, program.stderr.as_str()), (0, ""));
        let program = Written::new(&program.stdout);
        let run = program.check(&["--reach", "reach", "--format", "json"]);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "level {n}");
        assert!(!run.results()[0]["trace"].is_null());
    }
    assert_bad_input(&derny(&["generate", "level", "0"]), "");
    for n in ["1", "2", "60"] {
        let program = derny(&["generate", "level", n, "--int"]);
        assert_eq!((program.code, program.stderr.as_str()), (0, ""));
        let mut reading = command();
        let arguments = ["check", "-", "--lang", "rem", "--reach", "reach"];
        reading.args(arguments).write_stdin(program.stdout);
        let run = run_command(reading);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "level {n}");
    }
}

#[test]
fn completions() {
    for shell in ["bash", "zsh"] {
        let run = derny(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("--reach"), "{shell}");
    }
}

#[test]
fn a_closed_pipe_is_no_crash() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_derny"))
        .args(["generate", "level", "20000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!message.contains("panicked"), "{message}");
}
