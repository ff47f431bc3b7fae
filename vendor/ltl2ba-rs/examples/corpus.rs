//! Translates files of formulas, one formula a line, and prints the sizes.
//!
//! ```text
//! cargo run --release --example corpus -- [--each] [--not] [--check WORDS] FILE.ltl …
//! ```
//!
//! For each file: the summed states and edges of the state-based automata, an edge being
//! a pair of states with one label, and the longest time for one formula. `--each` prints
//! a line a formula too, `--not` takes the formulas negated, `--check` compares each
//! automaton with the evaluator on that many random words. `#` starts a comment.

use ltl2ba_rs::{Lasso, Options, accepts, evaluate, parse, translate};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let (mut each, mut negated, mut words) = (false, false, 0);
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--each" => each = true,
            "--not" => negated = true,
            "--check" => match arguments.next().map(|count| count.parse()) {
                Some(Ok(count)) => words = count,
                _ => {
                    eprintln!("--check needs a number of words");
                    return ExitCode::FAILURE;
                }
            },
            _ => files.push(argument),
        }
    }
    let mut failed = false;
    let options = Options::default();
    println!(
        "{:32} {:>8} {:>7} {:>8} {:>10}",
        "file", "formulas", "states", "edges", "slowest"
    );
    for file in files {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                failed = true;
                continue;
            }
        };
        let (mut count, mut states, mut edges) = (0, 0, 0);
        let mut slowest = Duration::ZERO;
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let start = Instant::now();
            let formula = match parse(line) {
                Ok(parsed) => parsed.formula,
                Err(error) => {
                    eprint!("{file}: {}", error.render(line));
                    failed = true;
                    continue;
                }
            };
            let formula = if negated { formula.negated() } else { formula };
            let automaton = match translate(&formula, &options) {
                Ok(automaton) => automaton,
                Err(error) => {
                    eprintln!("{file}: {line}: {error}");
                    failed = true;
                    continue;
                }
            };
            let mut time = start.elapsed();
            // The best of three, for times that a busy machine would blur.
            for _ in 0..2 {
                if time < Duration::from_millis(100) {
                    let start = Instant::now();
                    let _ = translate(&formula, &options);
                    time = time.min(start.elapsed());
                }
            }
            slowest = slowest.max(time);
            count += 1;
            states += automaton.states;
            edges += automaton.edges.len();
            if each {
                let (s, e) = (automaton.states, automaton.edges.len());
                let shown: String = line.chars().take(90).collect();
                println!(
                    "  {s:5} {e:6} {:9.3} ms {:8} {shown}",
                    millis(time),
                    automaton.class()
                );
            }
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            for _ in 0..words {
                let word = random.word(formula.propositions().len());
                if evaluate(&formula, &word) != accepts(&automaton, &word) {
                    eprintln!("{file}: WRONG AUTOMATON for {line}");
                    failed = true;
                    break;
                }
            }
        }
        let name = file.rsplit('/').next().unwrap_or(&file);
        println!(
            "{name:32} {count:8} {states:7} {edges:8} {:7.2} ms",
            millis(slowest)
        );
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Xorshift: the same words on every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn word(&mut self, propositions: usize) -> Lasso {
        let density = self.next() % 4;
        let row = |random: &mut Random| {
            (0..propositions)
                .map(|_| random.next() >> 20 & 3 >= density)
                .collect::<Vec<bool>>()
        };
        let (stem, cycle) = (self.next() % 6, self.next() % 4 + 1);
        Lasso {
            stem: (0..stem).map(|_| row(self)).collect(),
            cycle: (0..cycle).map(|_| row(self)).collect(),
        }
    }
}
