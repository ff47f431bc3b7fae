//! Traces and graphs as people and scripts see them, through the real binary.

mod support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{FAILS, PROGRAM, Written, assert_bad_input};

/// Procedures that each call the next one twice.
fn doubling(procedures: usize) -> String {
    let mut program = String::from("main()\nbegin\n  p1();\n  L: skip;\nend\n");
    for i in 1..procedures {
        let next = i + 1;
        program += &format!("p{i}()\nbegin\n  p{next}();\n  p{next}();\nend\n");
    }
    program + &format!("p{procedures}()\nbegin\n  skip;\nend\n")
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

/// Symbols are nodes, rules are arrows that say whether they push or pop.
#[test]
fn rules_of_a_pushdown_system_as_a_graph() {
    let text = "local (f, g) bool b;\n(q <m>)\nq <m> --> q <f n>\nq <n> --> q <n> \"stay\"\n\
                q <f> --> q <f g>\n  (b)\nq <g> --> q <>\nq <u> --> q <v>\n";
    let system = Written::new(text);
    let path = system.path();
    let path = path.to_str().expect("a path in UTF-8");
    let show = |arguments: &[&str]| {
        let run = support::derny(&[&["show", path, "--lang", "pds"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    assert_eq!(
        show(&[]),
        "\
control states q

frames of m, start
  m  line 3  push f on n  q <m> --> q <f n>
  n  line 4  -> n         q <n> --> q <n> \"stay\"

frames of f, recursive
  carry b
  f  line 5  push f on g  q <f> --> q <f g> (b)
  g  line 7  pop          q <g> --> q <>

frames of u, v, never on the stack
  u  line 8  -> v     q <u> --> q <v>
  v          no rule
"
    );
    let one = show(&["--procedure", "g"]);
    assert!(one.contains("frames of f") && !one.contains("frames of m"));
    let calls = "m (start) pushes f\nf (recursive) pushes f\nu, v (never on the stack)\n";
    assert_eq!(show(&["--calls"]), calls);
    let dot = show(&["--dot"]);
    for part in [
        "s0 -> s2 [label=\" 3 push f: q <m> --> q <f n>\"",
        "s0 -> s1 [style=dashed",
        "label=\" 4 stay\"",
        "s3 -> o3 [label=\" 7 pop: ",
        "<b>frames of f</b>",
    ] {
        assert!(dot.contains(part), "{part}: {dot}");
    }
    assert!(show(&["--calls", "--dot"]).contains("c0 -> c1"));
    let missing = support::derny(&["show", path, "--lang", "pds", "--procedure", "x"]);
    assert_bad_input(&missing, "no symbol `x`");
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
