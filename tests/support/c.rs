//! C programs through the real binary.

use super::{Run, command, run_command};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Files in a folder, in which the command runs: places are said as they are written here.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        Folder(folder)
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = command();
        command.current_dir(self.0.path()).args(arguments);
        run_command(command)
    }
}

/// Checks one file `p.c`.
pub fn check(text: &str, arguments: &[&str]) -> Run {
    let folder = Folder::new(&[("p.c", text)]);
    folder.run(&[&["check", "p.c"], arguments].concat())
}

/// Kind, text and verdict of each result, and the reason if there is one.
pub fn summary(run: &Run) -> Vec<String> {
    let line = |result: &Value| {
        let property = &result["property"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let words = [
            &property["kind"],
            &property["text"],
            &result["verdict"],
            &result["reason"],
        ];
        words.map(word).join(" ").trim_end().to_owned()
    };
    run.results().iter().map(line).collect()
}

pub fn verdicts(text: &str, arguments: &[&str]) -> Vec<String> {
    summary(&check(text, &[&["--format", "json"], arguments].concat()))
}

/// A program that others wrote, a property of it, and what is published.
pub struct Published {
    pub file: String,
    pub property: String,
    pub verdict: &'static str,
    pub model: String,
}

/// The folder of such programs and what is in it; nothing, loudly, where there is none.
pub fn published() -> Option<(PathBuf, Vec<Published>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/c");
    let Ok(verdicts) = std::fs::read_to_string(folder.join("VERDICTS.txt")) else {
        eprintln!("SKIPPED: no corpus of C programs");
        return None;
    };
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [file, property, expected, model] = words[..] else {
            return None;
        };
        Some(Published {
            file: file.to_owned(),
            property: property.to_owned(),
            verdict: match expected {
                "true" => "holds",
                _ => "violated",
            },
            model: model.to_owned(),
        })
    };
    Some((folder, verdicts.lines().filter_map(line).collect()))
}
