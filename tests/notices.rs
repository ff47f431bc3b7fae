//! `--diagnostics json`: every error and warning of every subcommand is an object a line.

mod support;

use serde_json::{Value, json};
use std::path::PathBuf;
use support::{Run, Written, derny};

/// What stands on standard error, which must be nothing but objects with these keys.
fn notices(run: &Run) -> Vec<Value> {
    let keys = [
        "column",
        "end_column",
        "end_line",
        "file",
        "hint",
        "level",
        "line",
        "message",
    ];
    let read = |line: &str| -> Value {
        let value: Value = serde_json::from_str(line).expect("an object a line");
        let mut found: Vec<_> = value.as_object().expect("an object").keys().collect();
        found.sort();
        assert_eq!(found, keys, "{line}");
        value
    };
    run.stderr.lines().map(read).collect()
}

/// A folder with files, and the path of one of them.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("it is written");
        }
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }
}

fn place(notice: &Value) -> [u64; 4] {
    ["line", "column", "end_line", "end_column"].map(|key| notice[key].as_u64().expect(key))
}

const PROGRAM: &str = "decl g;\nmain() begin\n  g := 1;\n  L: assert(g);\nend\n";

#[test]
fn all_mistakes_of_an_input() {
    let folder = Folder::new(&[(
        "a.bp",
        "decl g;\nmain() begin\n  gg := 1;\n  héé := 0;\nend\n",
    )]);
    let file = folder.name("a.bp");
    for command in [
        vec!["check", &file],
        vec!["show", &file],
        vec!["translate", &file],
        vec!["post", &file],
        vec!["pre", &file, "--to", "error"],
    ] {
        let run = derny(&[&command[..], &["--diagnostics", "json"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        let notices = notices(&run);
        assert!(notices.len() >= 2, "{}", run.stderr);
        assert!(notices.iter().all(|one| one["file"] == json!(file)));
        assert!(notices.iter().all(|one| one["level"] == "error"));
        assert_eq!(place(&notices[0]), [3, 3, 3, 4]);
        assert_eq!(notices[0]["hint"], "did you mean `g`?");
    }
}

#[test]
fn warnings_of_an_input_and_of_a_check() {
    let program = Written::new(
        "decl g;\nmain() begin\n  g := g & g | 1 ^ 0;\n  L: skip;\n  assume(0);\n  N: skip;\nend\n",
    );
    let run = program.check(&["--ltl", "G !N & G (N -> F L)", "--diagnostics", "json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let notices = notices(&run);
    assert!(!notices.is_empty());
    assert!(notices.iter().all(|one| one["level"] == "warning"));
    assert!(run.stdout.starts_with("holds"), "{}", run.stdout);
}

#[test]
fn mistakes_in_properties() {
    let program = Written::new(PROGRAM);
    let asked = ["--ltl", "G nowhere", "--ltl", "G (g", "--reach", "M"];
    let run = program.check(&[&asked[..], &["--diagnostics=json"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let notices = notices(&run);
    assert_eq!(notices.len(), 3, "{}", run.stderr);
    assert_eq!(place(&notices[0]), [1, 3, 1, 9]);
    assert_eq!(place(&notices[1])[..2], [1, 3]);
    assert_eq!(place(&notices[2]), [0, 0, 0, 0]);
    assert!(notices.iter().all(|one| one["file"].is_null()));
}

#[test]
fn mistakes_in_the_files_of_options() {
    let folder = Folder::new(&[
        ("a.bp", PROGRAM),
        ("formulas", "# none\n  one : G (é -> nowhere)\n"),
        ("lines", "one: true\ntwo\n"),
        ("order", "g\nh\n"),
        ("automaton", "HOA: v1\nStates: x\n"),
    ]);
    let check = |arguments: &[&str]| {
        let file = folder.name("a.bp");
        let run = derny(&[&["check", &file, "--diagnostics", "json"], arguments].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        let notices = notices(&run);
        assert_eq!(notices.len(), 1, "{}", run.stderr);
        notices[0].clone()
    };
    let name = |name| folder.name(name);
    let formula = check(&["--spec", &name("formulas")]);
    assert_eq!(formula["file"], json!(name("formulas")));
    assert_eq!(place(&formula)[..2], [2, 12], "{formula}");
    let line = check(&["--spec", &name("lines")]);
    assert_eq!(line["file"], json!(name("lines")));
    assert_eq!(place(&line), [2, 0, 2, 0]);
    let order = check(&["--order", &name("order")]);
    assert_eq!(order["file"], json!(name("order")));
    assert_eq!(place(&order), [2, 0, 2, 0]);
    let automaton = check(&["--never", &name("automaton")]);
    assert_eq!(automaton["file"], json!(name("automaton")));
    assert_eq!(automaton["line"], 2, "{automaton}");
    let missing = check(&["--spec", &name("missing")]);
    assert_eq!(missing["file"], json!(name("missing")));
    assert_eq!(place(&missing), [0, 0, 0, 0]);
}

#[test]
fn what_is_no_text() {
    for arguments in [
        &["check", "no/such.bp"][..],
        &["check", "README.md"],
        &["check", "examples/lock.bp", "--no-such-option"],
        &["ltl", "G (a"],
    ] {
        let run = derny(&[arguments, &["--diagnostics", "json"]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        let notices = notices(&run);
        assert_eq!(notices.len(), 1, "{}", run.stderr);
        assert_eq!(notices[0]["level"], "error");
    }
    let run = derny(&["ltl", "a U b U c", "--diagnostics", "json"]);
    assert_eq!(run.code, 0);
    assert!(notices(&run).iter().all(|one| one["level"] == "warning"));
}

#[test]
fn sets_of_configurations() {
    let arguments = ["--from", "<main.nowhere> *", "--diagnostics", "json"];
    let run = derny(&[&["post", "examples/lock.bp"], &arguments[..]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    let notices = notices(&run);
    assert_eq!(notices.len(), 1, "{}", run.stderr);
    assert!(notices[0]["file"].is_null());
    assert_eq!(notices[0]["line"], 1);
}

#[test]
fn a_place_behind_the_end() {
    for set in ["", "<", "<main"] {
        let arguments = ["--from", set, "--diagnostics", "json"];
        let run = derny(&[&["post", "examples/lock.bp"], &arguments[..]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""));
        assert!(!notices(&run).is_empty());
    }
}

#[test]
fn text_has_one_prefix() {
    let run = derny(&["check", "no/such.bp"]);
    assert!(
        run.stderr.starts_with("error: cannot read"),
        "{}",
        run.stderr
    );
}

#[test]
fn words_of_other_logics_get_a_hint() {
    let program = Written::new(PROGRAM);
    for (formula, hint) in [
        ("always g", "write `G`"),
        ("never (g)", "write `G !`"),
        ("g until L", "write `U`"),
        ("eventually (g)", "write `F`"),
        ("g implies L", "write `->`"),
    ] {
        let run = program.check(&["--ltl", formula, "--diagnostics", "json"]);
        assert_eq!(run.code, 2);
        assert_eq!(notices(&run)[0]["hint"], json!(hint), "{formula}");
    }
}

#[test]
fn several_errors_are_counted_and_no_hint_is_silly() {
    let program = Written::new("decl g;\nmain() begin\n  x := 1;\n  y := 0;\nend\n");
    let run = program.check(&[]);
    assert!(run.stderr.ends_with("2 errors\n"), "{}", run.stderr);
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);
    let one = Written::new("main() begin\n  x := 1;\nend\n").check(&[]);
    assert!(!one.stderr.contains("1 error"), "{}", one.stderr);
}

#[test]
fn a_constant_index_outside_its_array() {
    let folder = Folder::new(&[(
        "a.rem",
        "int a[3](2);\nmodule void main() { a[0] = 1; }\ninit main;\n",
    )]);
    let file = folder.name("a.rem");
    let arguments = ["--ltl", "G !{a[9] == 1}", "--diagnostics", "json"];
    let run = derny(&[&["check", &file], &arguments[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let warning = &notices(&run)[0];
    let message = warning["message"].as_str().expect("a text");
    assert!(
        message.contains("the index 9 always lies outside"),
        "{message}"
    );
    assert_eq!(place(warning), [1, 7, 1, 7]);
}

#[test]
fn executions_that_stay_where_a_translated_program_has_ended() {
    let translated = derny(&["translate", "examples/counter.bp"]).stdout;
    let folder = Folder::new(&[("a.pds", translated.as_str())]);
    let file = folder.name("a.pds");
    let run = derny(&["check", &file, "--terminates", "--no-trace"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("stays in `terminated`"));
    assert!(run.stderr.contains("`F (terminated | error)`"));
    let run = derny(&["check", &file, "--ltl", "F (terminated | error)"]);
    assert_eq!(run.code, 0);
    assert!(!run.stderr.contains("stays in"), "{}", run.stderr);
}
