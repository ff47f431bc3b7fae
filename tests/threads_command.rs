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
