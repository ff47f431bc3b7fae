//! Every program in `examples` says in its first lines what is to be found out about it:
//! `// derny: OPTIONS : first word`. All of it is asked of the real binary, in both
//! directions of search and of the engine that keeps explicit states.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    paths.sort();
    paths
}

/// Options and the expected first word of every line of the output.
fn expectations(text: &str) -> Vec<(Vec<String>, String)> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("// derny:"));
    let split = lines.map(|line| {
        let (options, verdict) = line.rsplit_once(" : ").expect("`options : verdict`");
        let options = options.split_whitespace().map(str::to_owned).collect();
        (options, verdict.trim().to_owned())
    });
    split.collect()
}

#[test]
fn every_example_has_the_verdicts_that_it_announces() {
    let engines: [&[&str]; 3] = [
        &["--search", "forward"],
        &["--search", "backward"],
        &["--engine", "explicit"],
    ];
    let mut failures = String::new();
    for path in examples() {
        let text = fs::read_to_string(&path).expect("it can be read");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let expected = expectations(&text);
        if expected.is_empty() {
            failures += &format!("{name}: no line `// derny: OPTIONS : VERDICT`\n");
        }
        for (options, verdict) in &expected {
            for engine in engines {
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
