//! Every message that a program can get, drawn as the user sees it.
//!
//! `tests/diagnostics/NAME.bp` is a program with mistakes, `NAME.txt` beside it what is said
//! about it, word for word; Remopla programs, pushdown systems and equations are in folders of
//! their own. With `UPDATE_EXPECTED=1` in the environment the `.txt` files are written anew; read
//! the difference before committing it. Each program says in its first line how many errors
//! and warnings it has, so that a mistake that sets off another one is noticed.

use derny::internals::fixpoint::{Vocabulary, read};
use derny::internals::lower::{RemoplaOptions, Start, boolean_program, pushdown_system, remopla};
use derny::internals::render;
use derny::internals::source::Source;
use derny::{Advice, Diagnostic};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| {
            let extension = path.extension().and_then(|e| e.to_str());
            extension.is_some_and(|e| ["bp", "rem", "pds", "mu"].contains(&e))
        })
        .collect();
    paths.sort();
    paths
}

/// The counts in `// 2 errors, 1 warning`.
fn announced(text: &str) -> (usize, usize) {
    let line = text.lines().next().unwrap_or_default();
    let words: Vec<_> = line.split([' ', ',']).collect();
    let count = |what: &str| {
        let place = words.iter().position(|word| word.starts_with(what));
        place.map_or(0, |i| words[i - 1].parse().expect("a number"))
    };
    (count("error"), count("warning"))
}

/// Programs that others wrote, for other tools: all are accepted.
#[test]
fn programs_of_other_tools_are_accepted() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let mut seen = 0;
    for folder in ["boppo", "moped1"] {
        let Ok(entries) = fs::read_dir(corpus.join(folder)) else {
            println!("skipped: there is no folder {folder} of programs of other tools");
            continue;
        };
        for entry in entries {
            let path = entry.expect("it can be read").path();
            if path.extension().is_some_and(|extension| extension == "bp") {
                let bytes = fs::read(&path).expect("it can be read");
                let source = Arc::new(Source::new(path.to_string_lossy(), bytes));
                let (program, diagnostics) = boolean_program(source.clone(), &Start::default());
                let drawn = render(&source, &diagnostics, false);
                assert!(program.is_some() && diagnostics.is_empty(), "{drawn}");
                seen += 1;
            }
        }
    }
    println!("{seen} programs accepted");
}

#[test]
fn every_boolean_program_gets_the_expected_diagnostics() {
    compare("tests/diagnostics", |source| {
        let mut start = Start::default();
        start.advice.entry = "--entry ";
        boolean_program(source, &start)
    });
}

#[test]
fn every_remopla_program_gets_the_expected_diagnostics() {
    let options = RemoplaOptions::default();
    compare("tests/diagnostics/remopla", |source| {
        remopla(source, None, &options)
    });
}

#[test]
fn every_pushdown_system_gets_the_expected_diagnostics() {
    compare("tests/diagnostics/pushdown", |source| {
        let advice = Advice {
            define: "-D ",
            ..Advice::default()
        };
        pushdown_system(source, &[], advice)
    });
}

#[test]
fn all_equations_get_the_expected_diagnostics() {
    compare("tests/diagnostics/equations", |source| {
        match read(&source, Vocabulary::default(), &[]) {
            Ok(equations) => (Some(()), equations.warnings),
            Err(errors) => (None, errors),
        }
    });
}

fn compare<T>(folder: &str, read: impl Fn(Arc<Source>) -> (Option<T>, Vec<Diagnostic>)) {
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    let mut failures = String::new();
    for path in programs(folder) {
        let name = path.file_name().expect("it has a name").to_string_lossy();
        let bytes = fs::read(&path).expect("it can be read");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = Arc::new(Source::new(name.clone(), bytes));
        let (program, diagnostics) = read(source.clone());
        let errors = diagnostics.iter().filter(|d| d.is_error()).count();
        assert_eq!(program.is_none(), errors > 0, "{name}");
        let found = render(&source, &diagnostics, false);
        let counts = (errors, diagnostics.len() - errors);
        if counts != announced(&text) {
            failures += &format!("{name}: {counts:?} errors and warnings\n{found}\n");
        }
        let expected_path = path.with_extension("txt");
        if update {
            fs::write(&expected_path, &found).expect("it can be written");
            continue;
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if found != expected {
            failures += &format!("{name}: expected\n{expected}\nfound\n{found}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
