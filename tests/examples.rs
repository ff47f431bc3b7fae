//! Every program in `examples` says in its first lines what is to be found out about it. All
//! of it is asked of the real binary, in both directions of search and of the engine that keeps
//! explicit states.

mod support;

use assert_cmd::Command;
use std::fs;
use support::expectations::{ENGINES, Expectation, examples, expectations, threaded_examples};

#[test]
fn every_example_has_the_verdicts_that_it_announces() {
    let mut failures = String::new();
    // Threads are searched forward only.
    let threaded = threaded_examples().into_iter().map(|path| (path, true));
    let all = examples().into_iter().map(|path| (path, false));
    for (path, threaded) in all.chain(threaded) {
        let text = fs::read_to_string(&path).expect("it can be read");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let expected = expectations(&text);
        if expected.is_empty() {
            failures += &format!("{name}: no line `derny: OPTIONS : VERDICT`\n");
        }
        for Expectation {
            options,
            verdict,
            engines,
        } in &expected
        {
            for engine in *engines {
                if threaded && *engine == ENGINES[1] {
                    continue;
                }
                let output = Command::new(env!("CARGO_BIN_EXE_derny"))
                    .args(["check", "--no-trace"])
                    .arg(&path)
                    .args(options)
                    .args(engine)
                    .output()
                    .expect("the binary runs");
                let printed = String::from_utf8_lossy(&output.stdout);
                let words: Vec<_> = printed.lines().map(first_word).collect();
                let code = match verdict.as_str() {
                    "holds" | "unreachable" => 0,
                    _ => 1,
                };
                let agrees = !words.is_empty() && words.iter().all(|word| word == verdict);
                if !agrees || output.status.code() != Some(code) {
                    failures += &format!(
                        "{name} {options:?} {engine:?}: expected {verdict}, found {}\n{printed}{}\n",
                        output.status,
                        String::from_utf8_lossy(&output.stderr),
                    );
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}
