//! Programs that other tools come with, where a folder with them lies beside the project.
//!
//! `corpus/boppo/VERDICTS.txt` has a line for each program: its name, `holds` or `violated`,
//! and possibly `-l LABEL`, which asks for a label instead of the assertions.

mod support;

use std::path::{Path, PathBuf};
use support::trace::{Goal, assert_shape};

const ENGINES: [&[&str]; 2] = [&["--search", "forward"], &["--search", "backward"]];

/// The folder of a tool's programs, if it is there.
fn folder(tool: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../shared/corpus").join(tool);
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(folder)
}

fn assert_verdict(path: &Path, label: Option<&str>, verdict: &str) {
    let program = std::fs::read_to_string(path).expect("a program is UTF-8");
    for engine in ENGINES {
        let mut arguments = vec!["--format", "json"];
        arguments.extend(engine);
        if let Some(label) = label {
            arguments.extend(["--reach", label]);
        }
        let run = support::check(path, &arguments);
        let name = path.display();
        assert!(run.code <= 1, "{name}: {}", run.stderr);
        let result = &run.results()[0];
        assert_eq!(result["verdict"], verdict, "{name} with {engine:?}");
        if verdict == "violated" {
            let goal = label.map_or(Goal::Error, Goal::Label);
            assert_shape(&program, "main", &goal, &result["trace"]);
        }
    }
}

#[test]
fn boppo() {
    let Some(folder) = folder("boppo") else {
        return;
    };
    let verdicts = std::fs::read_to_string(folder.join("VERDICTS.txt")).expect("the verdicts");
    for line in verdicts.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, verdict, options @ ..] = &words[..] else {
            continue;
        };
        let label = options.iter().position(|option| *option == "-l");
        let label = label.map(|at| options[at + 1]);
        assert_verdict(&folder.join(format!("{name}.bp")), label, verdict);
    }
}

#[test]
fn moped() {
    let Some(folder) = folder("moped1") else {
        return;
    };
    // Every lock is taken once and given back.
    assert_verdict(&folder.join("lock.bp"), Some("E"), "holds");
}
