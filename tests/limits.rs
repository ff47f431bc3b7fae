//! Limits of time and memory, and interrupts, through the real binary.

mod support;

use serde_json::Value;
use std::time::{Duration, Instant};
use support::Written;

/// No assertion fails.
const PROGRAM: &str = "decl g;\nmain() begin\n  g := 1;\n  assert(g);\nend\n";

/// Plain rounds: with acceleration a counter takes no time.
const PLAIN: [&str; 2] = ["--accelerate", "never"];

/// `L` is reached after 2^bits rounds.
fn counter(bits: usize) -> String {
    let list = |item: &dyn Fn(usize) -> String, between: &str| {
        let items: Vec<String> = (0..bits).map(item).collect();
        items.join(between)
    };
    let bit = |i: usize| format!("b{i}");
    let carried = |i: usize| {
        let below: Vec<String> = (0..i).map(bit).collect();
        match below.is_empty() {
            true => format!("!b{i}"),
            false => format!("b{i} ^ ({})", below.join(" & ")),
        }
    };
    let bits = list(&bit, ", ");
    format!(
        "decl {bits};\nmain()\nbegin\n  {bits} := {};\n  while (!({})) do\n    {bits} := {};\n  od\n  L: skip;\nend\n",
        list(&|_| "0".to_owned(), ", "),
        list(&bit, " & "),
        list(&carried, ", "),
    )
}

#[test]
fn text_of_unknown() {
    let run = Written::new(&counter(22))
        .check(&[&PLAIN[..], &["--reach", "L", "--timeout", "0.1"]].concat());
    assert_eq!(run.code, 3);
    assert!(run.stdout.starts_with("unknown L"), "{}", run.stdout);
}

#[test]
fn timeout() {
    let program = Written::new(&counter(22));
    for timeout in ["0", "0.3"] {
        let begin = Instant::now();
        let asked = ["--reach", "L", "--format", "json", "--timeout", timeout];
        let run = program.check(&[&PLAIN[..], &asked].concat());
        assert!(begin.elapsed() < Duration::from_millis(2500), "in time");
        assert_eq!(run.code, 3, "{}", run.stderr);
        let result = &run.results()[0];
        assert_eq!(result["verdict"], "unknown");
        assert_eq!(result["reason"], "timeout");
        assert!(result["trace"].is_null());
        let spent = result["stats"]["seconds"].as_f64().expect("a number");
        assert!(spent > 0.0, "the time spent on it");
    }
}

#[test]
fn a_timeout_that_is_not_reached_changes_nothing() {
    let program = Written::new(PROGRAM);
    let run = program.check(&["--timeout", "1e9"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn a_memory_limit_beyond_the_machine_changes_nothing() {
    let run = Written::new(PROGRAM).check(&["--memory", "1000000"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn memory_limit() {
    // Two halves that are equal, one declared behind the other: what the first half was must
    // be remembered, so any BDD of it has more than 2^22 nodes.
    let names = |letter: char| -> Vec<String> { (0..22).map(|i| format!("{letter}{i}")).collect() };
    let (first, second) = (names('a'), names('b'));
    let equal = first
        .iter()
        .zip(&second)
        .map(|(a, b)| format!("({a} = {b})"));
    let program = Written::new(&format!(
        "decl {}, {};\nmain() begin\n  assume({});\n  L: skip;\nend\n",
        first.join(", "),
        second.join(", "),
        equal.collect::<Vec<_>>().join(" & ")
    ));
    let arguments = ["--reach", "L", "--format", "json", "--memory", "1"];
    let run = program.check(&[&arguments[..], &["--timeout", "20"]].concat());
    assert_eq!(run.code, 3, "{}", run.stderr);
    let result = &run.results()[0];
    assert_eq!(result["verdict"], "unknown");
    assert_eq!(result["reason"], "memory");
}

#[test]
fn violations_outweigh_what_is_unknown() {
    // FIRST is reached at once, L only after a very long time.
    let program = counter(22).replacen("begin\n", "begin\n  FIRST: skip;\n", 1);
    let program = Written::new(&program);
    let labels = ["--reach", "L", "--reach", "FIRST", "--format", "json"];
    let run = program.check(&[&PLAIN[..], &labels, &["--timeout", "1"]].concat());
    let results = run.results();
    assert_eq!(results[0]["verdict"], "unknown");
    assert_eq!(results[0]["reason"], "timeout");
    assert_eq!(
        results[1]["verdict"], "violated",
        "a verdict found before the limit is reported"
    );
    assert_eq!(run.code, 1);
}

/// A run that has decided one property and will not decide the other.
#[cfg(unix)]
fn half_done(program: &Written, begin: &[&str]) -> std::process::Child {
    use std::process::{Command, Stdio};
    let arguments = [
        begin,
        &[env!("CARGO_BIN_EXE_derny"), "check", "--timeout", "30"],
    ]
    .concat();
    Command::new(arguments[0])
        .args(&arguments[1..])
        .args(["--ltl", "true", "--reach", "L", "--format", "json"])
        .args(PLAIN)
        .arg(program.path())
        .arg("--html")
        .arg(program.path().with_extension("html"))
        .arg("--sarif")
        .arg(program.path().with_extension("sarif"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// The number in front of a word, where that occurs last.
#[cfg(unix)]
fn number_before(text: &str, word: &str) -> u64 {
    let before = text.rsplit_once(word).map_or("", |(before, _)| before);
    let number = before.rsplit(|c: char| !c.is_ascii_digit()).next();
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The report of such a run, its page and its log have what it had decided.
#[cfg(unix)]
fn assert_reported(program: &Written, output: &std::process::Output) {
    let page = std::fs::read_to_string(program.path().with_extension("html")).expect("a page");
    assert!(page.contains(r#""verdict":"holds""#) && page.ends_with("</html>\n"));
    assert!(page.contains(r#""verdict":"unknown","reason":"interrupted""#));
    let log = std::fs::read(program.path().with_extension("sarif")).expect("a log");
    let log: Value = serde_json::from_slice(&log).expect("a log is JSON");
    assert_eq!(log["runs"][0]["properties"]["holds"][0]["text"], "true");
    let notifications = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(
        notifications[0]["message"]["text"],
        "`L` is undecided: interrupted."
    );
    let json: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(json["results"][0]["verdict"], "holds");
    assert_eq!(json["results"][1]["verdict"], "unknown");
    assert_eq!(json["results"][1]["reason"], "interrupted");
    let summary = String::from_utf8_lossy(&output.stderr);
    assert!(summary.contains("interrupted after"), "{summary}");
    assert!(summary.contains("property 2 of 2"), "{summary}");
    for counter in [" of ", " points reached", " rounds", " BDD nodes", " MiB"] {
        assert!(number_before(&summary, counter) > 0, "{counter}: {summary}");
    }
    let seconds = json["results"][1]["stats"]["seconds"].as_f64();
    assert!(seconds.is_some_and(|spent| spent > 0.1), "{json}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_in_a_summary() {
    use std::process::Command;
    let program = Written::new(&counter(26));
    // One signal, and two within microseconds, as when a group and its members are signalled.
    let signals = ["kill -INT $0", "kill -INT $0; kill -TERM $0"];
    for script in signals.into_iter().cycle().take(8) {
        let child = half_done(&program, &[]);
        std::thread::sleep(Duration::from_millis(700));
        let begin = Instant::now();
        let kill = Command::new("sh")
            .args(["-c", script, &child.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert!(begin.elapsed() < Duration::from_millis(2500), "at once");
        assert_eq!(output.status.code(), Some(3));
        assert_reported(&program, &output);
    }
}

#[cfg(unix)]
#[test]
fn what_was_decided_is_printed_under_timeout() {
    let program = Written::new(&counter(26));
    for _ in 0..6 {
        let child = half_done(&program, &["timeout", "0.8"]);
        assert_reported(&program, &child.wait_with_output().expect("it ends"));
    }
}

#[cfg(unix)]
#[test]
fn accelerated_searches_have_counters_too() {
    let program = derny_generated(&["generate", "quicksort", "--variant", "sorting"]);
    let arguments = ["--ltl", "<> ok", "-D", "N=4", "-D", "M=7", "--lang", "rem"];
    let output = std::process::Command::new("timeout")
        .args(["1.5", env!("CARGO_BIN_EXE_derny"), "check"])
        .args(arguments)
        .arg(program.path())
        .output()
        .expect("it runs");
    let summary = String::from_utf8_lossy(&output.stderr);
    for counter in [" rounds", " BDD nodes", " MiB"] {
        assert!(number_before(&summary, counter) > 0, "{counter}: {summary}");
    }
}

/// A program that the tool writes itself.
#[cfg(unix)]
fn derny_generated(arguments: &[&str]) -> Written {
    Written::new(&support::derny(arguments).stdout)
}
