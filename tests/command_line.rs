//! The command line as scripts rely on it, through the real binary.

mod support;

use serde_json::Value;
use support::trace::{Goal, assert_shape};
use support::{FAILS, PROGRAM, Run, Written, assert_bad_input, command, derny, run_command};

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
