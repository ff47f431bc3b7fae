//! The map of `docs/architecture.md`, checked: the order of the modules in `src/lib.rs` is the
//! order in which they may import each other, and what the page says of "only" and "never" is
//! true of every source file.
//!
//! Text is looked at, not syntax trees: comments and unit tests are taken out, and then every
//! `crate::x` is an import of `x`, wherever it stands.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A source file without comments and unit tests.
struct File {
    path: String,
    /// The top-level module it belongs to.
    module: String,
    code: String,
}

fn source_files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("it can be read").path();
            match path.is_dir() {
                true => folders.push(path),
                false => paths.push(path),
            }
        }
    }
    paths.sort();
    let relative = |path: &Path| path.strip_prefix(&root).expect("below src").to_owned();
    let read = |path: &PathBuf| File {
        path: relative(path).display().to_string(),
        module: {
            let first = relative(path);
            let first = first.components().next().expect("a name");
            let first = first.as_os_str().to_string_lossy();
            first.trim_end_matches(".rs").to_owned()
        },
        code: code(&fs::read_to_string(path).expect("source is UTF-8")),
    };
    // Unit tests are in `tests.rs`, or in a folder of that name.
    let is_test = |path: &&PathBuf| {
        let parts = relative(path);
        parts
            .iter()
            .any(|part| part == "tests" || part == "tests.rs")
    };
    paths
        .iter()
        .filter(|path| !is_test(path))
        .map(read)
        .collect()
}

/// The text without comments, and without what follows `#[cfg(test)]` at the end of a file.
fn code(text: &str) -> String {
    let text = match text.find("\n#[cfg(test)]\nmod tests {") {
        Some(end) => &text[..end],
        None => text,
    };
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

/// The modules of the library, in the order of `src/lib.rs`.
fn modules() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let text = code(&fs::read_to_string(path).expect("the library has a root"));
    let name = |line: &str| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned())
    };
    text.lines().filter_map(name).collect()
}

/// The modules that `code` names after `crate::`.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let word = |text: &str| -> String {
            let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
            text.trim_start().chars().take_while(is_word).collect()
        };
        match rest.strip_prefix('{') {
            None => found.extend([word(rest)]),
            Some(list) => {
                // Names at the first level of the braces.
                let mut depth = 0;
                let mut start = 0;
                for (at, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth > 0 => depth -= 1,
                        ',' | '}' if depth == 0 => {
                            found.extend([word(&list[start..at])]);
                            start = at + 1;
                            if c == '}' {
                                break;
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found.remove("");
    found
}

/// Imports of a file that point downwards in the list of modules.
fn backwards(file: &File, modules: &[String]) -> Vec<String> {
    let place = |name: &str| modules.iter().position(|module| module == name);
    let Some(own) = place(&file.module) else {
        return Vec::new();
    };
    let is_below = |name: &String| place(name).is_some_and(|other| other > own);
    let below = imports(&file.code).into_iter().filter(is_below);
    below
        .map(|name| format!("{} imports `{name}`, which is below it", file.path))
        .collect()
}

/// What must not stand in the files that `is_meant` picks.
struct Rule {
    why: &'static str,
    is_meant: fn(&File) -> bool,
    forbidden: &'static [&'static str],
}

const FRONT_ENDS: [&str; 13] = [
    "syntax",
    "typing",
    "lower",
    "program",
    "analysis",
    "reduction",
    "property",
    "interpreter",
    "pushdown",
    "translate",
    "terms",
    "sat",
    "abstraction",
];

const RULES: &[Rule] = &[
    Rule {
        why: "only `bdd` names the BDD library",
        is_meant: |file| file.module != "bdd",
        forbidden: &["oxidd"],
    },
    Rule {
        why: "only `sat::backend` names the SAT library",
        is_meant: |file| !file.path.starts_with("sat/backend/"),
        forbidden: &["batsat", "cadical"],
    },
    Rule {
        why: "front ends never touch a BDD",
        is_meant: |file| FRONT_ENDS.contains(&file.module.as_str()),
        forbidden: &["crate::bdd", "crate::spds"],
    },
    Rule {
        why: "`execution` shares nothing with `lower`",
        is_meant: |file| file.module == "execution",
        forbidden: &[
            "crate::lower",
            "crate::program",
            "crate::interpreter",
            "crate::bdd",
        ],
    },
    Rule {
        why: "`saturation` knows rules only",
        is_meant: |file| file.module == "saturation",
        forbidden: &[
            "crate::program",
            "crate::pushdown",
            "crate::property",
            "crate::source",
            "crate::names",
            "crate::interpreter",
            "ltl2ba_rs",
        ],
    },
    Rule {
        why: "the explicit engine shares no code with the symbolic one",
        is_meant: |file| file.module == "explicit",
        forbidden: &[
            "crate::spds",
            "crate::bdd",
            "crate::saturation",
            "crate::cycles",
            "crate::witness",
            "crate::relations",
            "crate::acceleration",
        ],
    },
    Rule {
        why: "only the command line opens the standard streams",
        is_meant: |file| file.module != "cli",
        forbidden: &["stdin()", "stdout()", "stderr()", "print!(", "println!("],
    },
    Rule {
        why: "only the command line knows terminals, arguments, signals and untyped errors",
        is_meant: |file| file.module != "cli",
        forbidden: &["anyhow", "clap", "indicatif", "ctrlc", "process::exit"],
    },
    Rule {
        why: "only the command line knows how its options are called",
        // Comments in what is written for files speak of the command line.
        is_meant: |file| {
            let speaks = ["cli", "generate", "translate"].contains(&file.module.as_str());
            file.path.ends_with(".rs") && !speaks
        },
        forbidden: &["`--", "`-D"],
    },
    Rule {
        why: "only one file draws diagnostics",
        is_meant: |file| file.path != "report/diagnostics.rs",
        forbidden: &["annotate_snippets"],
    },
    Rule {
        why: "the command line sees what any other program sees",
        is_meant: |file| file.module == "cli",
        forbidden: &["internals", "crate::report", "#[path"],
    },
];

fn broken(file: &File) -> Vec<String> {
    let rules = RULES.iter().filter(|rule| (rule.is_meant)(file));
    let found = rules.flat_map(|rule| {
        let there = rule
            .forbidden
            .iter()
            .filter(|word| file.code.contains(**word));
        there.map(|word| format!("{}: `{word}`, but {}", file.path, rule.why))
    });
    let mut found: Vec<String> = found.collect();
    if file.module == "interpreter" {
        let allowed = ["interpreter", "names", "program", "trace"];
        let others = imports(&file.code);
        let others = others
            .iter()
            .filter(|name| !allowed.contains(&name.as_str()));
        found.extend(others.map(|name| format!("{} imports `{name}`", file.path)));
    }
    found
}

#[test]
fn imports_point_upwards() {
    let modules = modules();
    assert!(modules.len() > 20, "{modules:?}");
    let files = source_files();
    let unlisted = |file: &&File| {
        let roots = ["lib", "main", "cli"];
        !modules.contains(&file.module) && !roots.contains(&file.module.as_str())
    };
    assert_eq!(files.iter().filter(unlisted).count(), 0);
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|file| backwards(file, &modules))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn invariants_hold() {
    let wrong: Vec<String> = source_files().iter().flat_map(broken).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_about_and_is_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in source_files() {
        let text = fs::read_to_string(root.join(&file.path)).expect("source is UTF-8");
        let opening = match file.path.rsplit('.').next() {
            Some("js") => "// ",
            Some("css" | "h") => "/* ",
            Some("html") => "<!DOCTYPE html>",
            _ => "//!",
        };
        assert!(text.starts_with(opening), "{}", file.path);
        assert!(text.lines().count() <= 600, "{}", file.path);
    }
}

/// The map names every module.
#[test]
fn the_map_is_complete() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let page = fs::read_to_string(page).expect("there is a page");
    let map = page.split("## Invariants").next().unwrap_or_default();
    let is_missing = |module: &&String| !map.contains(&format!("`{module}`"));
    let missing: Vec<String> = modules().iter().filter(is_missing).cloned().collect();
    assert!(missing.is_empty(), "not on the map: {missing:?}");
}

/// A test that cannot fail is none.
#[test]
fn what_is_wrong_is_found() {
    let file = |module: &str, text: &str| File {
        path: format!("{module}/made_up.rs"),
        module: module.to_owned(),
        code: code(text),
    };
    let modules = modules();
    let wrong = [
        ("syntax", "use crate::lower::Program;"),
        ("watch", "use crate::{bits, check::{Board, Finding}};"),
        ("program", "fn f() { crate::report::text::write() }"),
    ];
    for (module, text) in wrong {
        assert_eq!(
            backwards(&file(module, text), &modules).len(),
            1,
            "{module}: {text}"
        );
    }
    let allowed =
        "// use crate::cli;\nuse crate::bits;\n#[cfg(test)]\nmod tests {\nuse crate::lower;";
    assert!(backwards(&file("syntax", allowed), &modules).is_empty());
    let wrong = [
        ("spds", "use oxidd::bdd::BDDFunction;"),
        ("property", "use crate::bdd::Bdd;"),
        ("saturation", "use crate::program::Program;"),
        ("explicit", "use crate::spds::Spds;"),
        ("report", "std::io::stdout().flush()"),
        ("check", "use anyhow::Result;"),
        ("lower", "\"did you mean `--entry main`?\""),
        ("cli", "use derny::internals::check::check;"),
        ("interpreter", "use crate::property::Property;"),
    ];
    for (module, text) in wrong {
        assert_eq!(broken(&file(module, text)).len(), 1, "{module}: {text}");
    }
}
