//! C programs through the real binary.

use super::{Run, command, run_command};
use serde_json::Value;

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
