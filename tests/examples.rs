//! Every program in `examples` says in its first lines what is to be found out about it:
//! `// derny: OPTIONS : first word`. All of it is asked of the real binary, in both
//! directions of search and of the engine that keeps explicit states. What has too many
//! states for the latter begins with `derny-symbolic:`, and what is to be searched in the
//! ordinary direction only, with `derny-large:`. In a pushdown system `#` is for `//`.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the examples are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|it| it == "bp" || it == "rem" || it == "pds")
        })
        .collect();
    paths.sort();
    paths
}

/// A question that an example announces, and the expected first word of every line of output.
struct Expectation {
    options: Vec<String>,
    verdict: String,
    engines: &'static [[&'static str; 2]],
}

const ENGINES: [[&str; 2]; 3] = [
    ["--search", "forward"],
    ["--search", "backward"],
    ["--engine", "explicit"],
];

fn expectations(text: &str) -> Vec<Expectation> {
    text.lines().filter_map(expectation).collect()
}

fn expectation(line: &str) -> Option<Expectation> {
    let comment = line.strip_prefix("// ").or(line.strip_prefix("# "))?;
    let kinds = [("derny:", 3), ("derny-symbolic:", 2), ("derny-large:", 1)];
    let mut found = kinds
        .iter()
        .filter_map(|&(kind, engines)| Some((comment.strip_prefix(kind)?, &ENGINES[..engines])));
    let (line, engines) = found.next()?;
    let (options, verdict) = line.rsplit_once(" : ").expect("`options : verdict`");
    Some(Expectation {
        options: words(options),
        verdict: verdict.trim().to_owned(),
        engines,
    })
}

/// As a shell divides them: there may be spaces within single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('\'').enumerate() {
        if number % 2 == 0 {
            words.extend(part.split_whitespace().map(str::to_owned));
        } else {
            words.push(part.to_owned());
        }
    }
    words
}

#[test]
fn every_example_has_the_verdicts_that_it_announces() {
    let mut failures = String::new();
    for path in examples() {
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
