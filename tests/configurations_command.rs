//! `derny post` and `derny pre` as scripts rely on them, through the real binary.

#[path = "configurations/automaton.rs"]
mod automaton;
#[path = "configurations/explicit.rs"]
mod explicit;
mod library;
mod support;

use derny::generate::random;
use derny::internals::configurations::ProgramNames;
use explicit::{Configuration, reachable, starts};
use std::collections::HashSet;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::{PROGRAM, Run, Written, command, derny, run_command};

fn example() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    format!("{folder}/examples/stack-inspection.bp")
}

fn run(program: &Written, command: &str, arguments: &[&str]) -> Run {
    let path = program.path();
    let path = path.to_str().expect("a plain path");
    derny(&[&[command, path], arguments].concat())
}

#[test]
fn membership_is_the_exit_code() {
    let file = example();
    for (arguments, answer) in [
        (["post", "--contains", "<write> * <applet> *"], "yes"),
        (
            [
                "post",
                "--contains",
                "<write> (<save>|<main>|<system>)* <applet> *",
            ],
            "no",
        ),
        (
            ["post", "--contains", "<applet> <applet@41:5>+ <main@56:7>"],
            "yes",
        ),
        (["post", "--contains", "<applet> <main@54:7>"], "no"),
        (
            ["post", "--contains", "<save {allowed & dirty}> <cache> *"],
            "yes",
        ),
        (["post", "--contains", "<save {!allowed}> <cache> *"], "no"),
        (["post", "--contains", "<save> <cache> *|error"], "yes"),
        (["post", "--contains", "error"], "no"),
        (["post", "--contains", "terminated {dirty}"], "yes"),
    ] {
        let run = derny(&[arguments[0], &file, arguments[1], arguments[2]]);
        assert_eq!(
            run.stdout,
            format!("{answer}\n"),
            "{arguments:?} {}",
            run.stderr
        );
        assert_eq!(run.code, i32::from(answer == "no"), "{arguments:?}");
    }
    let backwards = |to: &str, from: &str| {
        let run = derny(&["pre", &file, "--to", to, "--contains", from]);
        (run.code, run.stdout.trim().to_owned())
    };
    let (yes, no) = ((0, "yes".to_owned()), (1, "no".to_owned()));
    assert_eq!(backwards("<write> * <applet> *", "<main.entry>"), yes);
    assert_eq!(backwards("<write> <save> <applet> *", "<main.entry>"), no);
    assert_eq!(
        backwards("terminated {dirty}", "<main.entry {!dirty}>"),
        yes
    );
    assert_eq!(backwards("terminated {dirty}", "terminated {!dirty}"), no);
}

/// A step may end the program whatever its stack: what comes to the end is not only what returns.
#[test]
fn what_ends_the_program_is_before_its_end() {
    let program = Written::new(
        "decl g; main() begin g := 1; f(); A: skip; while (1) do skip; od end f() begin end_thread; end",
    );
    for (configurations, code) in [
        ("<main.entry>", 0),
        ("<f.entry> <main>", 0),
        ("<main.A>", 1),
    ] {
        let inside = run(
            &program,
            "pre",
            &["--to", "terminated", "--contains", configurations],
        );
        assert_eq!(
            inside.code, code,
            "{configurations}: {}{}",
            inside.stdout, inside.stderr
        );
    }
    let reached = run(&program, "post", &["--contains", "terminated {g}"]);
    assert_eq!(reached.code, 0, "{}{}", reached.stdout, reached.stderr);
}

#[test]
fn sets_are_taken_together_and_counted() {
    let program = Written::new(PROGRAM);
    let count = |arguments: &[&str]| {
        let run = run(&program, "post", &[&["--count"], arguments].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout.trim().to_owned()
    };
    assert_eq!(count(&["--from", "<main.exit>"]), "4");
    assert_eq!(count(&["--from", "<main.exit {g}>"]), "2");
    let two = [
        "--from",
        "<main.exit {g & h}>",
        "--from",
        "<main.exit {!g}>",
    ];
    assert_eq!(count(&two), "3");
    // Executions begin at the entry of `main`, if nothing is said.
    assert_eq!(count(&[]), count(&["--from", "<main.entry>"]));
    let run = run(
        &program,
        "post",
        &["--from", "<main.exit>", "--count", "--format", "json"],
    );
    let json = run.json();
    assert_eq!(json["heads"], 4);
    assert_eq!(json["error"], 0);
    assert_eq!(json["terminated"], 2);
    assert_eq!(json["command"], "post");
    assert_eq!(json["sets"], serde_json::json!(["<main.exit>"]));
}

#[test]
fn numbers_of_heads_may_be_huge() {
    let names: Vec<String> = (0..100).map(|i| format!("x{i}")).collect();
    let program = Written::new(&format!(
        "decl {};\nmain() begin skip; end\n",
        names.join(", ")
    ));
    let counted = run(&program, "post", &["--count"]);
    // Two points, 2^100 valuations each.
    assert_eq!(counted.stdout, "2535301200456458802993406410752\n");
    let counted = run(&program, "post", &["--count", "--format", "json"]);
    assert_eq!(counted.json()["heads"], "2535301200456458802993406410752");
}

#[test]
fn bad_input_is_pointed_at() {
    let program = Written::new(PROGRAM);
    for (set, place, message) in [
        ("<main.etnry>", "1:2", "did you mean `main.entry`?"),
        ("<main.entry> <mian@9:3>", "1:15", "did you mean `main`?"),
        ("<main@9:4>", "1:2", "did you mean `main@9:3`?"),
        ("<main.entry {hh}>", "1:14", "did you mean `h`?"),
        ("<main.entry {h &}>", "1:17", "expected an expression"),
        ("<not_> <main {g}>", "1:14", "belong to the symbol on top"),
        ("<main.entry> <main.L>", "1:14", "`main.L` is no call"),
        ("<main.entry>*", "1:1", "this stack can be empty"),
        ("error <main>", "1:1", "`error` has no stack"),
        ("<main.entry", "1:1", "never closed"),
        (
            "main.entry",
            "1:1",
            "a stack symbol is written `<main.entry>`",
        ),
        ("<main {not_.x}>", "1:7", "no variable of a frame of `main`"),
        ("", "1:1", "expected a stack symbol"),
    ] {
        for (command, option) in [("post", "--from"), ("pre", "--to")] {
            let run = run(&program, command, &[option, set]);
            assert_eq!(
                (run.code, run.stdout.as_str()),
                (2, ""),
                "{set}: {}",
                run.stderr
            );
            let place = format!("{option}:{place}");
            assert!(
                run.stderr.contains(&place),
                "{set}: {place}\n{}",
                run.stderr
            );
            assert!(
                run.stderr.contains(message),
                "{set}: {message}\n{}",
                run.stderr
            );
        }
        let run = run(&program, "post", &["--contains", set]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{set}");
    }
    let missing = run(&program, "pre", &[]);
    assert_eq!(missing.code, 2);
    let both = run(&program, "post", &["--count", "--contains", "_"]);
    assert_eq!(both.code, 2);
    let graph = run(&program, "post", &["--count", "--format", "dot"]);
    assert_eq!((graph.code, graph.stdout.as_str()), (2, ""));
}

#[test]
fn sets_that_hold_nothing_are_noticed() {
    let program = Written::new(PROGRAM);
    for (set, hint) in [
        ("<main.L> <main.entry>", "calls `not_`"),
        ("<main.L {g & !g}>", "cannot all hold"),
    ] {
        let run = run(&program, "post", &["--from", set]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.ends_with("\nnone\n"), "{}", run.stdout);
        assert!(
            run.stderr.contains("warning") && run.stderr.contains(hint),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn limits_leave_the_answer_unknown() {
    let program = Written::new(&derny(&["generate", "random", "--driver", "--seed", "1"]).stdout);
    let begin = Instant::now();
    let late = run(&program, "post", &["--timeout", "0.3"]);
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(late.code, 3, "{}", late.stderr);
    assert!(
        late.stdout.starts_with("unknown (out of time"),
        "{}",
        late.stdout
    );
    let late = run(
        &program,
        "pre",
        &["--to", "<main.exit>", "--timeout", "0", "--format", "json"],
    );
    assert_eq!(
        (late.code, &late.json()["unknown"]),
        (3, &serde_json::json!("timeout"))
    );
    let full = run(&program, "post", &["--memory", "1"]);
    assert_eq!(full.code, 3, "{}", full.stderr);
    assert!(
        full.stdout.starts_with("unknown (out of memory"),
        "{}",
        full.stdout
    );
}

#[test]
fn a_thousand_procedures() {
    let program = Written::new(&derny(&["generate", "level", "1000"]).stdout);
    let begin = Instant::now();
    let post = run(&program, "post", &["--from", "<main.entry> *"]);
    assert_eq!(post.code, 0);
    assert!(post.stdout.lines().count() > 10_000);
    let contains = "<level1000.entry> * <level1@20:5 {g}> *";
    let wrong = run(&program, "post", &["--contains", contains]);
    assert_eq!(
        wrong.code, 2,
        "a frame that waits has no globals: {}",
        wrong.stderr
    );
    let deep = run(
        &program,
        "post",
        &["--contains", "<level1000.entry> * <main>"],
    );
    assert_eq!(deep.stdout, "yes\n", "{}", deep.stderr);
    let pre = run(
        &program,
        "pre",
        &["--to", "<main.reach>", "--contains", "<main.entry>"],
    );
    assert_eq!(pre.stdout, "yes\n");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn output_is_the_same_each_time_and_standard_input_works() {
    let program = Written::new(PROGRAM);
    for format in ["text", "json", "dot"] {
        for (command, arguments) in [
            ("post", vec!["--from", "<not_> *"]),
            ("pre", vec!["--to", "error"]),
        ] {
            let arguments = [arguments.as_slice(), &["--format", format]].concat();
            let first = run(&program, command, &arguments);
            assert_eq!(first.code, 0, "{}", first.stderr);
            assert_eq!(run(&program, command, &arguments).stdout, first.stdout);
        }
    }
    let mut command = command();
    command
        .args(["post", "-", "--lang", "bp", "--count"])
        .write_stdin(PROGRAM);
    let piped = run_command(command);
    assert_eq!(piped.stdout, run(&program, "post", &["--count"]).stdout);
}

/// Between two states there is one arrow, and one procedure can be shown alone.
#[test]
fn graphs_join_arrows_and_show_one_procedure() {
    let program = Written::new(PROGRAM);
    let graph = run(&program, "post", &["--format", "dot"]).stdout;
    let arrows = graph.lines().filter(|line| line.contains(" -> "));
    let mut ends: Vec<_> = arrows.filter_map(|line| line.split(" [").next()).collect();
    assert!(!ends.is_empty());
    let count = ends.len();
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends.len(), count, "{graph}");
    let main = graph
        .split("subgraph cluster_")
        .find(|part| part.contains("label=\"main\""));
    let main = main.and_then(|part| part.split("\n  }\n").next());
    let main = main.expect("each procedure has a box");
    assert!(
        main.contains("<main.entry") && !main.contains("<not_"),
        "{graph}"
    );
    let one = run(&program, "post", &["--procedure", "main"]).stdout;
    let frames: Vec<_> = one.lines().filter(|line| line.contains('<')).collect();
    assert!(frames.len() > 1, "{one}");
    assert!(frames.iter().all(|line| line.contains("<main")), "{one}");
}

/// Where Graphviz is there, it reads what is written; quotes match anyway.
#[test]
fn graphs_are_well_formed() {
    let named = "\
decl {a \"quoted\\\" name};
void {p \"1\"}() begin {the \\ label}: skip; end
main() begin {p \"1\"}(); end
";
    for text in [PROGRAM, named] {
        let program = Written::new(text);
        for (command, arguments) in [
            ("post", vec!["--from", "_ *", "--format", "dot"]),
            (
                "pre",
                vec!["--to", "<main.exit> _*|terminated|error", "--format", "dot"],
            ),
        ] {
            let run = run(&program, command, &arguments);
            assert_eq!(run.code, 0, "{}", run.stderr);
            let graph = run.stdout;
            assert!(graph.starts_with("digraph configurations {\n") && graph.ends_with("}\n"));
            for line in graph.lines() {
                let unescaped = line.replace("\\\\", "").replace("\\\"", "");
                assert_eq!(unescaped.matches('"').count() % 2, 0, "{line}");
            }
            let dot = std::process::Command::new("dot")
                .arg("-Tplain")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn();
            if let Ok(mut dot) = dot {
                let mut input = dot.stdin.take().expect("a pipe");
                input.write_all(graph.as_bytes()).expect("it reads");
                drop(input);
                let output = dot.wait_with_output().expect("it ends");
                let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(
                    output.status.success() && complaint.is_empty(),
                    "{complaint}\n{graph}"
                );
            }
        }
    }
}

/// The JSON automaton, read as its description says, accepts what the interpreter finds.
#[test]
fn the_automaton_in_json_accepts_what_is_reachable() {
    let options = random::Options {
        globals: 1,
        locals: 1,
        parameters: 1,
        returns: 1,
        procedures: 3,
        statements: 5,
        predicates: 0,
        ..random::Options::small()
    };
    let (mut compared, mut refused) = (0, 0);
    for seed in 0..12 {
        let text = random::program(seed, &options);
        let program = library::read(&text);
        let Some((found, true)) = reachable(&program, starts(&program), 4, 400) else {
            continue;
        };
        let names = ProgramNames::new(&program);
        let written = Written::new(&text);
        let json = run(&written, "post", &["--format", "json"]).json();
        let ends = run(
            &written,
            "pre",
            &["--to", "terminated|error", "--format", "json"],
        )
        .json();
        let shown: HashSet<_> = found.iter().cloned().map(without_returns).collect();
        for configuration in found.iter().step_by(7) {
            let accepted = automaton::accepts(&names, &json["automaton"], configuration);
            assert!(accepted, "{configuration:?}\n{text}");
            compared += 1;
            let later = reachable(&program, [configuration.clone()], 4, 400);
            let (later, _) = later.expect("no more than from the start");
            let can_end = later
                .iter()
                .any(|c| !matches!(c, Configuration::Running(..)));
            let accepted = automaton::accepts(&names, &ends["automaton"], configuration);
            assert_eq!(accepted, can_end, "{configuration:?}\n{text}");
            refused += usize::from(!accepted);
            // The same with other globals.
            if let Configuration::Running(view, stack) = configuration.clone() {
                let mut view = view;
                view.returns = None;
                for (global, _) in program.globals.iter().enumerate() {
                    let variable = derny::internals::program::VariableId::Global(global as u32);
                    let value = view.valuation.get(variable);
                    view.valuation.set(variable, 1 - value);
                }
                let other = Configuration::Running(view, stack);
                let accepted = automaton::accepts(&names, &json["automaton"], &other);
                assert_eq!(accepted, shown.contains(&other), "{other:?}\n{text}");
                refused += usize::from(!accepted);
            }
        }
    }
    assert!(compared > 100 && refused > 20, "{compared} {refused}");
}

fn without_returns(configuration: Configuration) -> Configuration {
    match configuration {
        Configuration::Running(mut view, stack) => {
            view.returns = None;
            Configuration::Running(view, stack)
        }
        other => other,
    }
}
