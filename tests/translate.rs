//! `derny translate`: a program and the pushdown system that is written for it have the same
//! verdicts.

#[path = "translate/comparison.rs"]
mod comparison;
#[path = "remopla/random.rs"]
mod remopla_random;
mod support;

use comparison::{Count, Pair};
use derny::generate::random;
use derny::lower::remopla::{RemoplaOptions, remopla};
use derny::program::{Overflow, Program};
use derny::property::{Kind, Request, Subject, resolve};
use derny::source::Source;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn boolean_program(text: &str, entry: &str) -> Program {
    let source = Arc::new(Source::new("program.bp", text.as_bytes().to_vec()));
    let (program, diagnostics) = derny::lower::boolean_program(source, entry);
    program.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
}

fn remopla_program(text: &str, entry: Option<&str>, options: &RemoplaOptions) -> Program {
    let source = Arc::new(Source::new("program.rem", text.as_bytes().to_vec()));
    let (program, diagnostics) = remopla(source, entry, options);
    program.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
}

fn overflowing(overflow: Overflow) -> RemoplaOptions {
    RemoplaOptions {
        overflow,
        ..RemoplaOptions::default()
    }
}

const OVERFLOWS: [Overflow; 3] = [Overflow::Error, Overflow::Wrap, Overflow::Block];

/// Compares one program after the other; a panic is a failure like any other.
#[derive(Default)]
struct Comparisons {
    count: Count,
    failures: Vec<String>,
}

impl Comparisons {
    fn run(&mut self, name: &str, compare: impl FnOnce() -> Result<Count, String>) {
        let outcome = catch_unwind(AssertUnwindSafe(compare));
        match outcome.unwrap_or_else(|_| Err("it panicked".to_owned())) {
            Ok(count) => self.count.add(count),
            Err(error) => {
                println!("{name}: {error}\n");
                self.failures.push(name.to_owned());
            }
        }
    }

    /// All agree, and both verdicts occur.
    fn finish(self) {
        assert!(self.failures.is_empty(), "{:?}", self.failures);
        let Count { asked, violated } = self.count;
        println!("{asked} questions, {violated} violations");
        assert!(violated * 10 >= asked && (asked - violated) * 10 >= asked);
    }
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = (std::fs::read_dir(folder).expect("the folder is there"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    paths.sort();
    paths
}

/// The word after each of these options in a line.
fn values<'l>(line: &'l str, option: &str) -> Vec<&'l str> {
    let words: Vec<_> = line.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == option);
    pairs.map(|pair| pair[1]).collect()
}

#[test]
fn every_program_of_the_corpus() {
    let mut comparisons = Comparisons::default();
    let paths = files("tests/corpus", "bp");
    assert!(paths.len() >= 60, "the corpus is complete");
    for (path, seed) in paths.into_iter().chain(files("examples", "bp")).zip(0..) {
        let text = std::fs::read_to_string(&path).expect("a program is UTF-8");
        let header = text.lines().take_while(|line| line.starts_with("//"));
        let entry = header.flat_map(|line| values(line, "--entry")).next();
        comparisons.run(&path.display().to_string(), || {
            let pair = Pair::new(boolean_program(&text, entry.unwrap_or("main")))?;
            pair.compare(seed, 12, seed % 4 == 0)
        });
    }
    comparisons.finish();
}

/// With the small constants that the examples announce for the explicit engine.
#[test]
fn every_remopla_example() {
    let mut comparisons = Comparisons::default();
    for path in files("examples", "rem") {
        let text = std::fs::read_to_string(&path).expect("a program is UTF-8");
        let mut seen: Vec<String> = Vec::new();
        for line in text.lines().filter(|line| line.starts_with("// derny: ")) {
            let define = |text: &str| {
                let (name, value) = text.split_once('=').expect("NAME=VALUE");
                (name.to_owned(), value.parse().expect("a number"))
            };
            let options = RemoplaOptions {
                defines: values(line, "-D").into_iter().map(define).collect(),
                overflow: match values(line, "--overflow").first() {
                    Some(&"wrap") => Overflow::Wrap,
                    Some(&"block") => Overflow::Block,
                    _ => Overflow::Error,
                },
            };
            let entry = values(line, "--entry").first().copied();
            let name = format!("{} {options:?} {entry:?}", path.display());
            if seen.contains(&name) {
                continue;
            }
            comparisons.run(&name, || {
                Pair::new(remopla_program(&text, entry, &options))?.compare(3, 6, false)
            });
            seen.push(name);
        }
        assert!(!seen.is_empty(), "{}", path.display());
    }
    comparisons.finish();
}

fn compare_seeds(seeds: std::ops::Range<u64>, options: &random::Options) {
    let mut comparisons = Comparisons::default();
    for seed in seeds {
        let text = random::program(seed, options);
        comparisons.run(&format!("seed {seed}:\n{text}"), || {
            Pair::new(boolean_program(&text, "main"))?.compare(seed, 6, seed % 8 == 0)
        });
    }
    comparisons.finish();
}

#[test]
fn small_random_programs() {
    compare_seeds(0..200, &random::Options::small());
}

#[test]
fn recursive_random_programs() {
    let options = random::Options {
        procedures: 3,
        globals: 2,
        statements: 5,
        recursion: 90,
        calls: 40,
        ..random::Options::small()
    };
    compare_seeds(1000..1100, &options);
}

#[test]
fn random_remopla_programs() {
    let mut comparisons = Comparisons::default();
    for seed in 0..210 {
        let generated = remopla_random::program(seed);
        let overflow = OVERFLOWS[(seed % 3) as usize];
        let name = format!("seed {seed} {overflow:?}:\n{}", generated.text);
        comparisons.run(&name, || {
            let program = remopla_program(&generated.text, None, &overflowing(overflow));
            Pair::new(program)?.compare(seed, 5, seed % 8 == 0)
        });
    }
    comparisons.finish();
}
