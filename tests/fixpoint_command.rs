//! The fixed-point calculus from outside: `derny solve`, `derny check --algorithm`, and what the
//! library says.

mod support;

use derny::generate::random::{self, Options};
use derny::{Error, Language, Model, Property, Solver};
use std::path::Path;

/// A library does not know how its user's options are called.
#[test]
fn messages_of_the_library_name_no_options() {
    let model = Model::parse(Language::BooleanProgram, support::PROGRAM).expect("no mistakes");
    let solver = || Solver::new(&model, "e.mu", "param N = 1; query q = N = 1;");
    let wrong = [
        (
            solver().define("M", 3),
            "definition:1:1: error: there is no parameter `M` in e.mu",
        ),
        (
            solver().count("Exits"),
            "relation:1:1: error: unknown relation `Exits`",
        ),
        (
            solver().list("Exits"),
            "relation:1:1: error: unknown relation `Exits`",
        ),
        (solver().target(Property::terminates()), "and nothing else"),
    ];
    for (solver, expected) in wrong {
        let message = match solver.solve() {
            Err(Error::Diagnostics(diagnostics)) => diagnostics.to_string(),
            Err(error) => error.to_string(),
            Ok(_) => panic!("{expected}"),
        };
        assert!(message.contains(expected), "{message}");
        assert!(
            !message.contains("--") && !message.contains("-D"),
            "{message}"
        );
    }
}

fn run(arguments: &[&str]) -> support::Run {
    let mut all = vec!["solve"];
    all.extend(arguments);
    support::derny(&all)
}

#[test]
fn the_command_solves() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.bp");
    std::fs::write(&program, support::PROGRAM).expect("it can be written");
    let program = program.to_str().expect("UTF-8");
    let equations = folder.path().join("e.mu");
    let write = |text: &str| std::fs::write(&equations, text).expect("it can be written");
    let file = equations.to_str().expect("UTF-8");
    write("param N = 2; query two = N = 2; query at = exists p: PC. Target(p);");
    let plain = run(&[file, program]);
    assert_eq!(
        (plain.code, plain.stdout.as_str()),
        (0, "true two\nfalse at\n")
    );
    let given = run(&[file, program, "-D", "N=3", "--reach", "L"]);
    assert_eq!(given.stdout, "false two\ntrue at\n", "{}", given.stderr);
    let wrong = run(&[file, program, "-D", "M=3"]);
    support::assert_bad_input(&wrong, "there is no parameter `M`");
    let counted = run(&[
        file, program, "--count", "Exit", "--list", "Exit", "--most", "1",
    ]);
    assert!(
        counted
            .stdout
            .ends_with("2 Exit\n  not_:exit\n  ... and 1 more\n"),
        "{}",
        counted.stdout
    );
    let none = run(&[file, program, "--list", "Exit", "--most", "0"]);
    assert!(
        none.stdout.ends_with("Exit:\n  ... and 2 more\n"),
        "{}",
        none.stdout
    );
    let json = run(&[
        file, program, "--count", "Exit", "--list", "Entry", "--format", "json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(
        json["queries"][0],
        serde_json::json!({"name": "two", "value": true})
    );
    assert_eq!(
        json["relations"],
        serde_json::json!([
            {"name": "Exit", "count": "2", "tuples": null},
            {"name": "Entry", "count": null, "tuples": ["not_:4", "main:9"]},
        ])
    );
    let wrong = run(&[file, program, "--count", "Exits"]);
    support::assert_bad_input(&wrong, "unknown relation `Exits`");
    write("mu A(x: bool) = !A(x); query q = A(0);");
    let unsettled = run(&[file, program]);
    support::assert_bad_input(
        &unsettled,
        "after round 2 it has the value of round 0 again",
    );
    write("mu A(x: bool) = y; query q = z;");
    let wrong = run(&[file, program]);
    support::assert_bad_input(&wrong, "2 errors");
    let wrong = run(&[file, program, "--count", "Exits", "-D", "M=3"]);
    support::assert_bad_input(&wrong, "4 errors");
}

/// What is saved at the beginning of an atomic block is there inside of it, and nowhere else.
#[test]
fn states_have_what_is_in_scope_at_their_points() {
    let text =
        "decl g; thread p(); p() begin skip; atomic begin g := 1; if (*) then return; fi end end";
    let model = Model::parse(Language::BooleanProgram, text).expect("a program");
    let equations = "let Any(u: State) = true;
        mu Reach(u: State) = (exists t: Thread. Start(t, u))
          | (exists v: State. (Reach(v) & ProgramInt(v, u)));";
    let solver = Solver::new(&model, "states.mu", equations);
    let solution = solver
        .count("Any")
        .count("Start")
        .count("End")
        .count("Reach");
    let solution = solution.solve().expect("a solution");
    let mut shown = Vec::new();
    solution
        .write_text(&mut shown)
        .expect("memory takes everything");
    // Globals with the exclusive bit have four values. The bit that is saved is there at four points, and not at
    // the first two, the exit point, error and terminated.
    assert_eq!(
        String::from_utf8_lossy(&shown),
        "52 Any\n4 Start\n4 End\n20 Reach\n"
    );
}

#[test]
fn names_in_tuples_are_harmless_on_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (equations, program) = (path("e.mu"), path("p.bp"));
    let text = "decl {a\x1b[31mb}; main() begin skip; end";
    std::fs::write(&program, text).expect("it can be written");
    std::fs::write(&equations, "mu A(u: State) = Init(u.pc);").expect("it can be written");
    let listed = run(&[&equations, &program, "--list", "A"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert!(
        listed.stdout.contains("{a\u{fffd}[31mb}=1"),
        "{}",
        listed.stdout
    );
}

#[test]
fn equations_decide_checks() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.bp");
    std::fs::write(&program, support::PROGRAM).expect("it can be written");
    for algorithm in ["simple", "ef", "efopt"] {
        let run = support::check(
            &program,
            &["--reach", "L", "--reach", "M", "--algorithm", algorithm],
        );
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stdout.starts_with("reachable"), "{}", run.stdout);
        assert!(run.stdout.contains("\nunreachable"), "{}", run.stdout);
    }
    let liar = folder.path().join("liar.mu");
    std::fs::write(&liar, "query always = true;").expect("it can be written");
    let liar = liar.to_str().expect("UTF-8");
    let run = support::check(&program, &["--reach", "M", "--algorithm", liar]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let run = support::check(&program, &["--terminates", "--algorithm", "ef"]);
    support::assert_bad_input(&run, "whether an assertion fails, and nothing else");
}

#[test]
fn limits_leave_what_is_not_done_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("driver.bp");
    let text = random::program(1, &Options::driver());
    std::fs::write(&program, text).expect("it can be written");
    let program = program.to_str().expect("UTF-8");
    let equations = folder.path().join("e.mu");
    let mut text = b"query first = true;\n".to_vec();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/ef.mu");
    text.extend(std::fs::read(shipped).expect("it is shipped"));
    std::fs::write(&equations, text).expect("it can be written");
    let file = equations.to_str().expect("UTF-8");
    for limit in [["--timeout", "0"], ["--memory", "1"]] {
        let mut arguments = vec![file, program, "--count", "Summary"];
        arguments.extend(limit);
        let text = run(&arguments);
        let known: Vec<&str> = text.stdout.split_inclusive(" (").collect();
        assert_eq!(text.code, 3, "{limit:?}: {}", text.stderr);
        assert!(
            text.stdout.starts_with("unknown first ("),
            "{}",
            text.stdout
        );
        assert!(text.stdout.contains("\nunknown reach ("), "{}", text.stdout);
        assert!(
            text.stdout.contains("\nunknown Summary ("),
            "{}",
            text.stdout
        );
        assert_eq!(known.len(), 4, "{}", text.stdout);
    }
    for limit in [["--timeout", "1"], ["--memory", "40"]] {
        let mut arguments = vec![file, program, "--reach", "never"];
        arguments.extend(limit);
        let text = run(&arguments);
        assert_eq!(text.code, 3, "{limit:?}: {}", text.stderr);
        let lines: Vec<&str> = text.stdout.lines().collect();
        assert_eq!(lines.len(), 2, "{limit:?}: {}", text.stdout);
        assert!(lines[1].starts_with("unknown reach ("), "{}", text.stdout);
        arguments.extend(["--format", "json"]);
        let json = run(&arguments);
        assert_eq!(json.code, 3, "{}", json.stderr);
        let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert!(json["queries"][1]["value"].is_null(), "{json}");
    }
}

#[test]
fn equations_about_threads_decide_checks_within_bounds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/threads/bluetooth.bp");
    let bounded = |options: &[&str]| support::check(&path, options);
    for (options, code) in [
        (["--algorithm", "cbr", "--switches", "2"], 0),
        (["--algorithm", "cbr", "--switches", "3"], 1),
        (["--algorithm", "rounds", "--rounds", "1"], 0),
        (["--algorithm", "rounds", "--rounds", "2"], 1),
    ] {
        let run = bounded(&options);
        assert_eq!(run.code, code, "{options:?}: {}", run.stderr);
    }
    let wrong = |options: &[&str], message| support::assert_bad_input(&bounded(options), message);
    wrong(&["--algorithm", "cbr"], "--switches K or --rounds R");
    wrong(
        &["--algorithm", "cbr", "--rounds", "2"],
        "have no parameter `R`",
    );
    wrong(
        &["--algorithm", "ef", "--switches", "2"],
        "have no parameter `K`",
    );
    wrong(
        &["--algorithm", "cbr", "--switches", "2", "-D", "K=3"],
        "given twice",
    );
    wrong(
        &["--algorithm", "cbr", "--switches", "1000000"],
        "at most 10000 are possible",
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/cbr.mu");
    let file = file.to_str().expect("UTF-8");
    let servers = path.with_file_name("server.bp");
    let creates = run(&[file, servers.to_str().expect("UTF-8")]);
    support::assert_bad_input(&creates, "equations know no `start_thread`");
    // A parameter that is given is the bound.
    assert_eq!(bounded(&["--algorithm", file, "-D", "K=2"]).code, 0);
    assert_eq!(bounded(&["--algorithm", file, "-D", "K=3"]).code, 1);
    wrong(&["--algorithm", file], "need a bound on context switches");
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    // Equations without such a parameter decide without a bound.
    let always = write(
        "always.mu",
        "query q = exists p: PC. (InitReaches(p) & !InitReaches(p)) | n = 3;",
    );
    assert_eq!(bounded(&["--algorithm", &always]).code, 1);
    // Without threads the parameter is set all the same.
    let least = write("least.mu", "param K = 0; query q = K = 5;");
    let sequential = write("sequential.bp", "main() begin L: skip; end");
    let decided = support::derny(&[
        "check",
        &sequential,
        "--reach",
        "L",
        "--algorithm",
        &least,
        "--switches",
        "5",
    ]);
    assert_eq!(decided.code, 1, "{}", decided.stderr);
    let own = folder.path().join("own.bp");
    let text = "decl thread_local o; thread p(); void p() begin o := 1; end";
    std::fs::write(&own, text).expect("it can be written");
    let own = run(&[file, own.to_str().expect("UTF-8")]);
    support::assert_bad_input(&own, "equations know no `thread_local` globals");
    let alone = path.with_file_name("../lock.bp");
    let alone = run(&[file, alone.to_str().expect("UTF-8")]);
    support::assert_bad_input(&alone, "`Thread` is for programs with threads");
}

/// What `init` leaves, and where it comes to, calls and recursion included.
#[test]
fn threads_begin_with_what_init_leaves() {
    let text = "decl g, h; thread p();
        void init() begin g := 0; h := *; again(); if (h) then end_thread; fi g := 1; end
        void again() begin if (*) then L: again(); fi M: skip; end
        void p() begin skip; end";
    let model = Model::parse(Language::BooleanProgram, text).expect("a program");
    let equations = "let A(g: Globals) = StartGlobals(g);\n\
        query reaches = exists p: PC. (InitReaches(p) & Target(p));\n";
    let solve = |target: &str| {
        let solver = Solver::new(&model, "init.mu", equations).target(Property::reach(target));
        solver.count("A").list("A").solve().expect("a solution")
    };
    let solution = solve("M");
    assert_eq!(solution.query("reaches"), Some(true));
    let mut shown = Vec::new();
    solution
        .write_json(&mut shown)
        .expect("memory takes everything");
    let json: serde_json::Value = serde_json::from_slice(&shown).expect("JSON");
    assert_eq!(json["relations"][0]["count"], "2", "{json}");
}

/// Relations that other programs have are no unknown names, whatever else is wrong.
#[test]
fn relations_of_other_programs_say_why_they_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let plain = write("plain.bp", "void main() begin skip; end");
    let threads = write("threads.bp", "thread p(); void p() begin skip; end");
    let right = write("right.mu", "query q = true;");
    let wrong = write("wrong.mu", "query q = x;");
    for (program, name, why) in [
        (&plain, "Start", "it is for programs with threads"),
        (&threads, "Init", "it is for programs without threads"),
    ] {
        let message = format!("there is no `{name}` here: {why}");
        for option in ["--count", "--list"] {
            support::assert_bad_input(&run(&[&right, program, option, name]), &message);
            let both = run(&[&wrong, program, option, name]);
            support::assert_bad_input(&both, &message);
            support::assert_bad_input(&both, "2 errors");
        }
    }
}

/// What `check --algorithm` cannot do is said by name.
#[test]
fn what_equations_do_not_decide() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let plain = write("plain.bp", "void main() begin L: skip; end");
    let threads = write("threads.bp", "thread p(); void p() begin L: skip; end");
    let own = write(
        "own.bp",
        "decl thread_local g; thread p(); void p() begin L: skip; end",
    );
    let created = write(
        "created.bp",
        "void main() begin start_thread p(); end void p() begin L: skip; end",
    );
    let no_query = write("no-query.mu", "mu A(x: bool) = x;");
    let never_settles = write("never.mu", "mu A(x: bool) = !A(x); query q = A(0);");
    let bounded = ["--switches", "1"];
    let twice = ["--switches", "1", "-D", "K=2"];
    for (program, algorithm, options, message) in [
        (
            &plain,
            no_query.as_str(),
            &[][..],
            "the equations have no query, which is to decide about the property",
        ),
        (
            &plain,
            &never_settles,
            &[],
            "`A` never settles: after round 2 it has the value of round 0 again",
        ),
        (
            &plain,
            "ef",
            &["--terminates"],
            "equations decide whether a label is reached and whether an assertion fails",
        ),
        (
            &threads,
            "cbr",
            &[],
            "--algorithm needs a bound for programs with threads",
        ),
        (
            &threads,
            "cbr",
            &twice,
            "the bound on the executions is a parameter of the equations, and is given twice",
        ),
        (
            &own,
            "cbr",
            &bounded,
            "equations know no `thread_local` globals",
        ),
        (
            &created,
            "cbr",
            &bounded,
            "equations know no `start_thread`: all threads are to be declared",
        ),
    ] {
        let begin = ["check", program, "--reach", "L", "--algorithm", algorithm];
        let all = [&begin, options].concat();
        support::assert_bad_input(&support::derny(&all), message);
    }
}
