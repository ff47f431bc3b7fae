//! What the programs in `examples` say in their first lines is to be found out about them:
//! `// derny: OPTIONS : first word`. What has too many states for the explicit engine begins
//! with `derny-symbolic:`, and what is to be searched in the ordinary direction only, with
//! `derny-large:`; `derny-explicit:` is for the explicit engine alone. In a pushdown system `#` is for `//`.

use std::fs;
use std::path::{Path, PathBuf};

/// The programs without threads, in order.
pub fn examples() -> Vec<PathBuf> {
    programs("examples")
}

/// The programs with threads, in order.
pub fn threaded_examples() -> Vec<PathBuf> {
    programs("examples/threads")
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
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
pub struct Expectation {
    pub options: Vec<String>,
    pub verdict: String,
    pub engines: &'static [[&'static str; 2]],
}

pub const ENGINES: [[&str; 2]; 3] = [
    ["--search", "forward"],
    ["--search", "backward"],
    ["--engine", "explicit"],
];

/// What the text of an example announces.
pub fn expectations(text: &str) -> Vec<Expectation> {
    text.lines().filter_map(expectation).collect()
}

fn expectation(line: &str) -> Option<Expectation> {
    let comment = line.strip_prefix("// ").or(line.strip_prefix("# "))?;
    let kinds = [
        ("derny:", 0..3),
        ("derny-symbolic:", 0..2),
        ("derny-large:", 0..1),
        ("derny-explicit:", 2..3),
    ];
    let mut found = kinds
        .into_iter()
        .filter_map(|(kind, engines)| Some((comment.strip_prefix(kind)?, &ENGINES[engines])));
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
