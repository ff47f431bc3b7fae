//! Programs with threads on the command line: which there are, what is refused, and how they are
//! shown and generated.

mod support;

use support::{Written, assert_bad_input, derny};

const THREADS: &str = "\
decl g;
decl thread_local own;
thread p(0), q()[2];
void init() begin g := 0; end
void p(x) begin
  decl y;
  L: atomic begin y := x; g := !g; end
  start_thread q();
end
void q() begin own := g; M: assume(g); end
";

fn path(program: &Written) -> String {
    program.path().to_string_lossy().into_owned()
}

#[test]
fn properties_of_programs_without_threads_are_refused_by_name() {
    let program = Written::new(THREADS);
    let file = program.path().with_file_name("file");
    std::fs::write(&file, "one: G p\n").expect("it can be written");
    let file = file.to_string_lossy();
    for arguments in [
        &["--ltl", "G p"][..],
        &["--spec", &file],
        &["--never", &file],
        &["--terminates"],
        &["--search", "backward"],
        &["--reach", "L", "--ltl", "F p"],
    ] {
        let run = program.check(arguments);
        let option = arguments.iter().rfind(|word| word.starts_with("--"));
        let option = option.expect("there is one");
        let possible = match *option {
            "--search" => " backward is not for programs with threads: they are searched forward\n",
            _ => {
                " is not for programs with threads: they can be asked whether labels are reached \
                 (--reach) and whether assertions fail (--assertions, --each-assertion)\n"
            }
        };
        assert_bad_input(&run, &format!("error: {option}{possible}"));
    }
    for (command, arguments) in [
        ("post", &[][..]),
        ("pre", &["--to", "error"]),
        ("translate", &[]),
    ] {
        let file = path(&program);
        let mut words = vec![command, file.as_str()];
        words.extend(arguments);
        let run = derny(&words);
        assert_bad_input(
            &run,
            &format!("{command} is not for programs with threads: "),
        );
    }
}

#[test]
fn threads_that_cannot_be() {
    let program = Written::new(THREADS);
    for (threads, message) in [
        ("p", "expected PROC=N, found `p`"),
        ("p=1,q", "expected PROC=N, found `q`"),
        ("=1", "expected a procedure before the `=`"),
        ("p=", "`` is no number of threads of `p`"),
        ("p=-1", "`-1` is no number of threads of `p`"),
        ("p=x", "`x` is no number of threads of `p`"),
        ("p=0", "this is no thread at all"),
        ("", "this is no thread at all"),
        ("p=1,r=1", "there is no procedure `r` for threads"),
        ("p=1,intt=2", "did you mean `--threads init=2`?"),
        ("p=99999999999", "at most 10000 threads are possible"),
    ] {
        assert_bad_input(&program.check(&["--threads", threads]), message);
    }
    let run = program.check(&["--threads", "p=1", "--lang", "rem"]);
    assert_bad_input(&run, "--threads is for boolean programs");
    let run = program.check(&["--entry", "r"]);
    assert_bad_input(&run, "there is no procedure `r` to begin with");
}

/// A procedure that is named on the command line is looked for in the whole file: the place is the
/// one that was meant, or none.
#[test]
fn a_wrong_name_of_the_command_line_has_no_wrong_place() {
    let program = Written::new(THREADS);
    for (option, name) in [("--threads", "zzz=1"), ("--entry", "zzz")] {
        let run = program.check(&[option, name]);
        let expected = format!(
            "-> {}\n = help: the procedures are `init`, `p`, `q`\n",
            path(&program)
        );
        assert_bad_input(&run, &expected);
        assert!(!run.stderr.contains('^'), "{}", run.stderr);
        let run = program.check(&[option, &name.replace("zzz", "inti")]);
        assert_bad_input(&run, ":4:6\n");
        assert!(run.stderr.contains("did you mean `--"), "{}", run.stderr);
    }
    let run = program.check(&["--threads", "p=9999,q=2"]);
    assert_bad_input(&run, "at most 10000 threads are possible");
    assert!(!run.stderr.contains('^'), "{}", run.stderr);
}

/// Two threads that take turns so often; if they recur, no engine knows when to end.
fn turns(recurs: bool) -> String {
    let again = |name: &str| match recurs {
        true => format!("if (*) then {name}(); fi "),
        false => String::new(),
    };
    format!(
        "decl turn; thread p(), q(); init() begin turn := 0; end \
         p() begin {}{} L: skip; end q() begin {}{} M: skip; if (turn & !turn) then N: skip; fi end",
        again("p"),
        "assume(!turn); turn := 1; ".repeat(6),
        again("q"),
        "assume(turn); turn := 0; ".repeat(6),
    )
}

/// What was looked at within a bound alone is never told like a proof. After k switches, or in
/// round k, a thread has had its turn for the (k + 1)/2-th or k-th time: L needs ten switches and
/// six rounds, M eleven switches.
#[test]
fn a_bound_is_told() {
    let told = |recurs: bool, options: &str| {
        let program = Written::new(&turns(recurs));
        let options: Vec<&str> = options.split(' ').chain(["--no-trace"]).collect();
        let plain = program.check(&options);
        let run = program.check(&[&options[..], &["--format", "json"]].concat());
        let result = run.results().remove(0);
        assert_eq!(run.code, plain.code);
        let reason = result["reason"].as_str().unwrap_or("").to_owned();
        (plain.code, plain.stdout, reason, result["bound"].clone())
    };
    let known = |kind: &str, value: u32, complete: bool| serde_json::json!({ "kind": kind, "value": value, "complete": complete });
    for (recurs, options, text, bound) in [
        (
            true,
            "--reach M --switches 2",
            "unreachable M (within 2 context switches)\n",
            known("switches", 2, false),
        ),
        (
            true,
            "--reach M --switches 10",
            "unreachable M (within 10 context switches)\n",
            known("switches", 10, false),
        ),
        (
            false,
            "--reach M --switches 1",
            "unreachable M (within 1 context switch)\n",
            known("switches", 1, false),
        ),
        (
            false,
            "--reach L --switches 9",
            "unreachable L (within 9 context switches)\n",
            known("switches", 9, false),
        ),
        (
            false,
            "--reach L --rounds 5",
            "unreachable L (within 5 rounds)\n",
            known("rounds", 5, false),
        ),
        (
            false,
            "--reach L --rounds 1",
            "unreachable L (within 1 round)\n",
            known("rounds", 1, false),
        ),
        // More would bring nothing new, and that is known.
        (
            false,
            "--reach N --rounds 20",
            "unreachable N\n",
            known("rounds", 20, true),
        ),
        (
            false,
            "--reach N --switches 30",
            "unreachable N\n",
            known("switches", 30, true),
        ),
    ] {
        let expected = (0, text.to_owned(), String::new(), bound);
        assert_eq!(told(recurs, options), expected, "{options}");
    }
    for options in [
        "--reach M --switches 11",
        "--reach L --switches 10",
        "--reach L --rounds 6",
    ] {
        for recurs in [false, true] {
            let reached = (
                1,
                format!("reachable {}\n", &options[8..9]),
                String::new(),
                serde_json::Value::Null,
            );
            assert_eq!(told(recurs, options), reached, "{options}");
        }
    }
    // Without a bound, the search goes on to eight switches, or to the end of a finite program.
    let (code, text, reason, bound) = told(true, "--reach L");
    assert!(
        text.starts_with("unknown L (nothing found within 8 context switches;"),
        "{text}"
    );
    assert_eq!(
        (code, reason.as_str(), bound),
        (3, "bound", known("switches", 8, false))
    );
    for options in ["--reach L", "--reach L --max-switches 2"] {
        assert_eq!(told(false, options).0, 1, "{options}");
    }
    let (code, text, _, bound) = told(false, "--reach N --max-switches 2");
    assert_eq!(
        (code, text.as_str(), &bound["complete"]),
        (0, "unreachable N\n", &true.into())
    );
}

/// Threads that are asked for stand in the place of all that are declared, in the order given.
#[test]
fn threads_may_be_asked_for() {
    let text = "decl g; thread p(1); init() begin g := 0; end p(x) begin if (!x) then L: skip; fi g := 1; end \
                q() begin assume(g); M: skip; end";
    let program = Written::new(text);
    for (options, code) in [
        (&["--reach", "L"][..], 0),
        // Parameters are arbitrary.
        (&["--reach", "L", "--threads", "p=1"], 1),
        (&["--reach", "L", "--threads", "q=3"], 0),
        (&["--reach", "M", "--threads", "q=3,p=0"], 0),
        (
            &["--reach", "M", "--threads", "q=1,p=1", "--rounds", "1"],
            0,
        ),
        (
            &["--reach", "M", "--threads", "q=1,p=1", "--rounds", "2"],
            1,
        ),
        (
            &["--reach", "M", "--threads", "p=1,q=1", "--rounds", "1"],
            1,
        ),
        // The procedure that runs first may be a thread, too.
        (
            &[
                "--reach",
                "M",
                "--threads",
                "init=2,q=1,p=1",
                "--switches",
                "1",
            ],
            1,
        ),
    ] {
        let run = program.check(options);
        assert_eq!(run.code, code, "{options:?}: {}{}", run.stdout, run.stderr);
    }
}

/// Large numbers of threads and of switches end in a verdict, or in a message.
#[test]
fn large_numbers_end() {
    let program = Written::new(
        "decl a, b;\nthread p(), q();\ninit() begin a, b := 0, 0; end\n\
         p() begin a := 1; assume(b); L: skip; end\n\
         q() begin assume(a); b := 1; end\n",
    );
    for options in [
        ["--switches", "1000000"],
        ["--rounds", "1000000"],
        ["--threads", "p=1000,q=1"],
    ] {
        let mut asked = vec!["--reach", "L"];
        asked.extend(options);
        let run = program.check(&asked);
        assert_eq!(run.code, 1, "{options:?}: {}", run.stderr);
    }
    let file = path(&program);
    let cbr = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/cbr.mu");
    let words = ["solve", cbr, &file, "--reach", "L", "-D", "K=1000000"];
    assert_bad_input(&derny(&words), "at most 10000 are possible");
}

#[test]
fn graphs_show_threads_and_hide_what_is_hidden() {
    let program = Written::new(THREADS);
    let file = path(&program);
    let run = derny(&["show", &file]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for line in [
        "globals g, own",
        "init(), entry",
        "p(x), thread",
        "q(), 2 threads",
        "locals y",
    ] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    assert!(run.stdout.contains("creates q"), "{}", run.stdout);
    for hidden in ["exclusive", "never called"] {
        assert!(!run.stdout.contains(hidden), "{hidden}: {}", run.stdout);
    }
    let run = derny(&["show", "--dot", &file]);
    assert!(run.stdout.contains("style=dotted"), "{}", run.stdout);
    assert!(!run.stdout.contains("exclusive"), "{}", run.stdout);
    let run = derny(&["show", "--calls", "--threads", "q=1,p=1", &file]);
    assert!(run.stdout.contains("q (thread)"), "{}", run.stdout);
}

#[test]
fn generated_programs_are_read() {
    for arguments in [
        &["bluetooth"][..],
        &["bluetooth", "--adders", "2", "--stoppers", "3"],
        &["random", "--threaded", "--seed", "1"],
        &[
            "random",
            "--seed",
            "3",
            "--threads",
            "4",
            "--creations",
            "5",
            "--atomics",
            "9",
        ],
    ] {
        let mut words = vec!["generate"];
        words.extend(arguments);
        let run = derny(&words);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(derny(&words).stdout, run.stdout);
        let written = Written::new(&run.stdout);
        let shown = derny(&["show", &path(&written)]);
        assert_eq!(
            (shown.code, shown.stderr.as_str()),
            (0, ""),
            "{arguments:?}"
        );
        assert!(
            shown.stdout.contains("thread"),
            "{arguments:?}: {}",
            run.stdout
        );
    }
    let run = derny(&["generate", "bluetooth", "--adders", "2"]);
    assert!(
        run.stdout.contains("thread adder()[2], stopper();\n"),
        "{}",
        run.stdout
    );
}

/// Many threads are no trouble for the front end.
#[test]
fn many_threads_are_read() {
    let program = Written::new("decl g; thread p()[9999]; void p() begin g := !g; end");
    let run = derny(&["show", &path(&program)]);
    assert!(
        run.stdout.contains("p(), 9999 threads"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn bounds_that_cannot_be() {
    let program = Written::new(THREADS);
    for (arguments, message) in [
        (
            &["--switches", "1", "--rounds", "1"][..],
            "cannot be used with",
        ),
        (&["--rounds", "0"], "0 is not in 1.."),
        (&["--switches", "-1"], "unexpected argument"),
        (&["--switches", "x"], "invalid value"),
    ] {
        assert_bad_input(&program.check(arguments), message);
    }
    for text in [
        "void main() begin while (*) do start_thread p(); od end void p() begin skip; end",
        "void main() begin L: start_thread goto L; end",
        "void main() begin start_thread p(); end void p() begin start_thread p(); end",
        "void main() begin while (*) do p(); od end void p() begin start_thread q(); end
         void q() begin skip; end",
    ] {
        let program = Written::new(text);
        let run = program.check(&["--rounds", "2"]);
        assert_bad_input(
            &run,
            "rounds cannot be counted: threads may be created here for ever",
        );
        assert_bad_input(&run, "bound the context switches instead");
        let run = program.check(&["--switches", "2"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    }
    // Without threads they have no effect.
    let plain = Written::new("void main() begin assert(1); end");
    for arguments in [
        &["--switches", "0"][..],
        &["--rounds", "1"],
        &["--max-switches", "0"],
        &["--columns"],
    ] {
        let run = plain.check(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (0, "holds assertions\n"));
    }
}

#[test]
fn what_is_unknown_says_how_far_was_looked() {
    let program = Written::new(
        "decl turn; thread p(), q();
         void p() begin if (*) then p(); fi assume(!turn); turn := 1; assume(!turn); L: skip; end
         void q() begin if (*) then q(); fi assume(turn); turn := 0; end",
    );
    for (most, bound) in [("0", "0 context switches"), ("1", "1 context switch")] {
        let run = program.check(&["--reach", "L", "--max-switches", most]);
        let expected = format!(
            "unknown L (nothing found within {bound}; with more context switches it might be \
             different: --max-switches N looks further)\n"
        );
        assert_eq!((run.code, run.stdout), (3, expected), "{}", run.stderr);
    }
}

/// By calls, jumps and constant conditions alone: no search is made for these.
#[test]
fn what_has_no_target_holds_for_every_bound() {
    let program = Written::new(
        "decl g; thread p()[3]; void p() begin if (*) then p(); fi assert(1); if (0) then L: skip; fi
         while (1) do g := !g; od M: assert(g); end void q() begin N: assert(0); end",
    );
    for arguments in [
        &["--assertions"][..],
        &["--reach", "L", "--reach", "M", "--reach", "N"],
    ] {
        let mut arguments = arguments.to_vec();
        arguments.extend(["--format", "json"]);
        let run = program.check(&arguments);
        for result in run.results() {
            assert_eq!(result["verdict"], "holds", "{}", run.stdout);
            let bound = &result["bound"];
            assert_eq!(
                (&bound["value"], &bound["complete"]),
                (&0.into(), &true.into())
            );
        }
    }
}

#[test]
fn what_is_hidden_is_never_suggested() {
    let program = Written::new(THREADS);
    let run = program.check(&["--reach", "L", "--watch", "exclusive"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("no variable `exclusive`"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("(exclusive)"), "{}", run.stderr);
}

/// The JSON of a check of a text.
fn json(text: &str, arguments: &[&str]) -> serde_json::Value {
    let program = Written::new(text);
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let run = program.check(&all);
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr))
}

/// Declared threads are there from the start, though none of them has run.
#[test]
fn a_trace_that_ends_in_init_lists_all_threads() {
    let text = "decl g; thread p()[2], q(); init() begin g := 0; assert(g); end \
                p() begin skip; end q() begin skip; end";
    let json = json(text, &["--assertions"]);
    let threads = json["results"][0]["trace"]["threads"].as_array();
    let names: Vec<_> = threads.expect("there are threads").iter().collect();
    let names: Vec<_> = names.iter().map(|one| one["name"].as_str()).collect();
    let expected = ["init", "p", "p#2", "q"].map(Some);
    assert_eq!(names, expected, "{json}");
}

/// Two threads, one of which calls; the other waits for it. `rec` makes it recursive.
const CALLS: &str = "decl g, go; thread a(), b(); init() begin g := 0; go := 0; end \
    a() begin if (*) then rec(); fi f(); f(); go := 1; end \
    rec() begin if (*) then rec(); fi end \
    f() begin h(); h(); end h() begin skip; skip; skip; g := !g; end \
    b() begin assume(go); L: skip; end";

/// Calls that return within their context are folded where a trace is too long, whichever engine
/// has found it; if that is not enough, it is left out.
#[test]
fn calls_are_folded_within_their_context() {
    let finite = CALLS.replace("if (*) then rec(); fi end", "skip; end");
    for (text, engine) in [
        (CALLS, "symbolic"),
        (&finite, "symbolic"),
        (&finite, "explicit"),
    ] {
        let asked = |limit: &str| {
            let arguments = ["--reach", "L", "--engine", engine, "--trace-limit", limit];
            json(text, &arguments)["results"][0].clone()
        };
        let whole = asked("1000")["trace"]["stem"]
            .as_array()
            .map_or(0, Vec::len);
        assert!(whole > 30, "{whole} steps by the {engine} engine");
        let folded = asked("20");
        let stem = folded["trace"]["stem"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let is_folded = |step: &&serde_json::Value| step["folded"] == true;
        assert_eq!(stem.iter().filter(is_folded).count(), 2, "{folded}");
        assert!(
            stem.len() <= 20 && folded["verdict"] == "violated",
            "{folded}"
        );
        let omitted = asked("5");
        assert_eq!(omitted["verdict"], "violated", "{omitted}");
        assert_eq!(omitted["trace"], serde_json::Value::Null, "{omitted}");
        assert_eq!(omitted["trace_omitted"], whole, "{omitted}");
    }
}

/// One thread counts to 2^16 before the other goes on: nobody sees that many steps.
#[test]
fn a_long_trace_of_recursive_threads_is_left_out() {
    let bits: Vec<String> = (0..16).map(|i| format!("b{i}")).collect();
    let next = (0..16).map(|i| match i {
        0 => "!b0".to_owned(),
        _ => format!("b{i} != ({})", bits[..i].join(" & ")),
    });
    let next: Vec<_> = next.collect();
    let zeros: String = bits.iter().map(|bit| format!("{bit} := 0; ")).collect();
    let text = format!(
        "decl {all}, go; thread count(), other(); init() begin {zeros} go := 0; end \
         count() begin if (*) then rec(); fi while (!({every})) do {all} := {next}; od go := 1; end \
         rec() begin if (*) then rec(); fi end other() begin assume(go); L: skip; end",
        all = bits.join(", "),
        every = bits.join(" & "),
        next = next.join(", "),
    );
    let json = json(&text, &["--reach", "L", "--trace-limit", "1000"]);
    let result = &json["results"][0];
    assert_eq!(result["verdict"], "violated", "{json}");
    assert_eq!(result["trace"], serde_json::Value::Null, "{json}");
    let omitted = result["trace_omitted"].as_u64().unwrap_or(0);
    assert!(omitted > 1 << 16, "{json}");
}

/// Without a bound the explicit engine goes on to the end of a finite program, too.
#[test]
fn the_explicit_engine_needs_no_bound() {
    let text = format!(
        "decl t; thread a(), b(); init() begin t := 0; end \
         a() begin {} end b() begin {} M: skip; if (t & !t) then L: skip; fi end",
        "assume(!t); t := 1; ".repeat(6),
        "assume(t); t := 0; ".repeat(6),
    );
    for engine in ["symbolic", "explicit"] {
        let reached = json(&text, &["--reach", "M", "--engine", engine, "--no-trace"]);
        assert_eq!(reached["results"][0]["verdict"], "violated", "{reached}");
        let holds = json(&text, &["--reach", "L", "--engine", engine]);
        let bound = &holds["results"][0]["bound"];
        assert_eq!(bound["complete"], true, "{holds}");
        assert!(
            bound["value"].as_u64().is_some_and(|value| value >= 11),
            "{holds}"
        );
    }
}
