//! The preprocessor of C against gcc's, where that is found, and on texts that mean no good.
//!
//! `tests/c/macros.txt` has small programs, each behind a line of `====`; random ones have macros
//! that use each other, arguments, `#` and `##` in any order. What gcc makes of a program is read
//! like a program without macros, and its tokens are compared with ours. Where gcc finds an error,
//! we must.

use derny::internals::c::{DataModel, Options, Preprocessed, output_of, preprocess};
use derny::internals::render;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, io};

fn read(name: &str, text: Vec<u8>, honours_markers: bool) -> Preprocessed {
    read_for(DataModel::Lp64, name, text, honours_markers)
}

fn read_for(model: DataModel, name: &str, text: Vec<u8>, honours_markers: bool) -> Preprocessed {
    let options = Options {
        directories: Vec::new(),
        definitions: Vec::new(),
        model,
        honours_markers,
        reader: &|path: &Path| fs::read(path),
    };
    preprocess(vec![(name.into(), text)], &options)
}

fn spelled(read: &Preprocessed) -> Vec<String> {
    let tokens = read.units[0].tokens.iter();
    let words = tokens.map(|token| read.vocabulary.spelling(*token).to_owned());
    words.collect()
}

/// What is said of constants, which `gcc -E` does not look into.
const CONSTANTS: [&str; 6] = [
    "suffix",
    "decimal points",
    "exponent",
    "digit",
    "on this line",
    "means nothing",
];

/// The errors, drawn, if they are not about constants.
fn errors(read: Preprocessed) -> String {
    let Preprocessed {
        source, collector, ..
    } = read;
    let mut list = collector.finish();
    let is_constant = |message: &str| CONSTANTS.iter().any(|word| message.contains(word));
    list.retain(|one| one.is_error() && !is_constant(&one.message));
    render(&source, &list, false)
}

fn gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        println!("SKIPPED: no gcc");
    }
    is_there
}

fn flag(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    }
}

/// What gcc makes of a text, or what it says.
fn by_gcc(model: DataModel, text: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("t.c");
    fs::write(&path, text).expect("it can be written");
    let output = Command::new("gcc")
        .args(["-E", "-P", "-w", flag(model), "t.c"])
        .current_dir(folder.path())
        .output()
        .expect("gcc was there");
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn compare(text: &str) {
    compare_for(DataModel::Lp64, text);
}

fn compare_for(model: DataModel, text: &str) {
    let ours = read_for(model, "t.c", text.into(), true);
    let tokens = spelled(&ours);
    let errors = errors(ours);
    match by_gcc(model, text) {
        Ok(output) => {
            assert_eq!(errors, "", "{text}");
            let theirs = spelled(&read_for(model, "t.i", output, false));
            assert_eq!(tokens.join(" "), theirs.join(" "), "{text}");
        }
        Err(messages) => assert_ne!(errors, "", "{text}\n{messages}"),
    }
}

#[test]
fn small_programs() {
    if !gcc() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/macros.txt");
    let text = fs::read_to_string(path).expect("there are programs");
    let programs: Vec<&str> = text.split("====\n").collect();
    assert!(programs.len() > 90, "{}", programs.len());
    for program in programs {
        compare(program);
    }
}

/// What is predefined, in both models.
#[test]
fn predefined_macros() {
    if !gcc() {
        return;
    }
    let path = "src/syntax/c/preprocessor/headers/predefined.h";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(path).expect("there are definitions");
    let names = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("#define ")?;
        let name = rest.split(' ').next()?;
        // A date is always the same here.
        let is_time = ["DATE", "TIME"].iter().any(|word| name.contains(word));
        (!is_time).then(|| name.replace("(c)", "(5)"))
    });
    let program: String = names.map(|name| format!("{name} ;\n")).collect();
    assert!(program.lines().count() > 150);
    compare_for(DataModel::Lp64, &program);
    compare_for(DataModel::Ilp32, &program);
}

/// A generator of numbers, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Tokens, with calls of macros among them.
    fn tokens(&mut self, words: &[&str], most: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(most) + 1 {
            text.push_str(self.pick(words));
            if self.below(3) == 0 {
                text.push('(');
                for at in 0..self.below(3) {
                    if at > 0 {
                        text.push(',');
                    }
                    text.push_str(self.pick(words));
                    if self.below(4) == 0 {
                        text.push_str(&format!(" {}({})", self.pick(words), self.pick(words)));
                    }
                }
                text.push(')');
            }
            text.push_str(self.pick(&["", " ", " "]));
            text.push_str(self.pick(&["", "", " + ", " - "]));
        }
        text
    }

    fn program(&mut self) -> String {
        const NAMES: [&str; 6] = ["A", "B", "C", "f", "g", "h"];
        let mut text = String::new();
        for name in NAMES {
            let parameters = self.pick(&["x", "x, y", "", "x, ...", "..."]);
            let is_function = name.chars().all(char::is_lowercase);
            let mut words = vec!["A", "B", "C", "f", "g", "h", "1", "z", "q r"];
            if is_function {
                let mut of = vec!["x", "#x", "x ## 1", "z ## x", "x ## x"];
                if parameters.starts_with("x, y") {
                    of.extend(["y", "x ## y", "#y"]);
                }
                if parameters.ends_with("...") {
                    of.extend(["__VA_ARGS__", "#__VA_ARGS__", "k(1, ## __VA_ARGS__)"]);
                }
                if !parameters.contains('x') {
                    of.retain(|word| !word.contains('x'));
                }
                words.extend(of.iter().chain(&of));
            }
            let body = self.tokens(&words, 4);
            match is_function {
                true => text += &format!("#define {name}({parameters}) {body}\n"),
                false => text += &format!("#define {name} {body}\n"),
            }
        }
        for _ in 0..6 {
            text += &self.tokens(&["A", "B", "C", "f", "g", "h", "1", "z", "(f)", "f("], 5);
            text.push_str(" ;\n");
        }
        text
    }
}

#[test]
fn random_programs() {
    if !gcc() {
        return;
    }
    let more = std::env::var("DERNY_MORE_SEEDS").ok();
    let factor: u64 = more.and_then(|more| more.parse().ok()).unwrap_or(1);
    for seed in 0..150 * factor {
        compare(&Random(seed).program());
    }
}

/// All C programs in a folder that lies beside the project, if it is there.
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/c");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
    }
    let mut folders = vec![folder];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("c" | "i") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

#[test]
fn programs_of_others() {
    let has_gcc = gcc();
    for (at, path) in corpus().iter().enumerate() {
        let text = fs::read(path).expect("it can be read");
        let ours = read(&path.to_string_lossy(), text.clone(), false);
        let tokens = spelled(&ours);
        assert_eq!(errors(ours), "");
        if has_gcc && at % 5 == 0 {
            let theirs = by_gcc(DataModel::Lp64, &String::from_utf8_lossy(&text))
                .expect("gcc reads it, too");
            let theirs = spelled(&read("t.i", theirs, false));
            assert_eq!(tokens, theirs, "{}", path.display());
        }
    }
}

/// The built-in headers are C for gcc, too, in both models.
#[test]
fn headers() {
    if !gcc() {
        return;
    }
    let folder = "src/syntax/c/preprocessor/headers";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let names = fs::read_dir(&folder).expect("there are headers");
    let names = names.map(|entry| entry.expect("it can be read").file_name());
    let mut text = String::new();
    for name in names {
        let name = name.to_string_lossy();
        if name.ends_with(".h") && name != "predefined.h" {
            text += &format!("#include <{name}>\n#include <{name}>\n");
        }
    }
    let file = tempfile::NamedTempFile::with_suffix(".c").expect("there is room for files");
    fs::write(file.path(), text).expect("it can be written");
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let output = Command::new("gcc")
            .args([
                flag(model),
                "-nostdinc",
                "-fsyntax-only",
                "-Wall",
                "-Wextra",
                "-Werror",
            ])
            .arg("-I")
            .args([&folder, file.path()])
            .output()
            .expect("gcc was there");
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{model:?}: {messages}");
    }
}

/// A mistake is shown in the file where it is.
#[test]
fn mistakes_in_other_files() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("x.h");
    fs::write(&path, "int a;\n  #endif\n").expect("it can be written");
    let name = folder.path().join("t.c");
    let read = read(
        &name.to_string_lossy(),
        b"#include \"x.h\"\n".to_vec(),
        true,
    );
    let drawn = errors(read);
    let place = format!("--> {}:2:3", path.display());
    assert!(
        drawn.contains(&place) && drawn.contains("2 |   #endif"),
        "{drawn}"
    );
}

#[test]
fn another_preprocessor() {
    if !gcc() {
        return;
    }
    let text = b"#define X 1\n\n\nint a = X;\n";
    let output = output_of("gcc -E -x c -", Path::new(""), text).expect("gcc runs");
    let read = read("a.c", output, true);
    let token = read.units[0].tokens[0];
    assert_eq!(read.source.file_of(token.span.start), "<stdin>");
    assert_eq!(read.source.position(token.span.start).line, 4);
    assert!(output_of("exit 3", Path::new(""), text).is_err());
    let large = vec![b' '; 1 << 20];
    assert_eq!(
        output_of("cat", Path::new(""), &large).expect("cat runs"),
        large
    );
    assert!(output_of("true", Path::new(""), &large).is_ok());
}

/// Reads any bytes; all that comes out must be fit to be drawn.
fn survive(bytes: &[u8]) {
    let begin = Instant::now();
    let nothing = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let options = Options {
        directories: Vec::new(),
        definitions: Vec::new(),
        model: DataModel::Ilp32,
        honours_markers: true,
        reader: &nothing,
    };
    let read = preprocess(vec![("t.c".into(), bytes.to_vec())], &options);
    let length = read.source.bytes().len();
    for token in &read.units[0].tokens {
        let span = token.span;
        assert!(span.start <= span.end && span.end as usize <= length);
        let whole = read.whole(span);
        assert!(whole.start <= span.start && span.end <= whole.end);
    }
    let (source, list) = (read.source, read.collector.finish());
    for diagnostic in &list {
        let span = diagnostic.span;
        assert!(
            span.start <= span.end && span.end as usize <= length,
            "{diagnostic}"
        );
    }
    render(&source, &list, true);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn any_bytes() {
    let mut random = Random(7);
    let pieces: [&[u8]; 40] = [
        b"#",
        b"##",
        b"#define",
        b"#undef f",
        b"#if",
        b"#ifdef",
        b"#ifndef f",
        b"#elif",
        b"#else",
        b"#endif",
        b"#include",
        b"<stdio.h>",
        b"\"x.h\"",
        b"#line",
        b"#error",
        b"f",
        b"f(",
        b"(",
        b")",
        b",",
        b"x",
        b"__VA_ARGS__",
        b"...",
        b"defined",
        b"__has_include",
        b"\n",
        b"\n",
        b"\n",
        b"\\\n",
        b"\\",
        b"\"",
        b"'",
        b"/*",
        b"*/",
        b"//",
        b"1",
        b"0x",
        b"__LINE__",
        b"\xff\x80",
        b"?",
    ];
    for _ in 0..3000 {
        let mut text = Vec::new();
        for _ in 0..random.below(60) {
            text.extend(pieces[random.below(pieces.len())]);
            if random.below(2) == 0 {
                text.push(b' ');
            }
        }
        survive(&text);
    }
    for _ in 0..300 {
        let length = random.below(400);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        survive(&bytes);
    }
}

#[test]
fn parts_of_programs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/macros.txt");
    let text = fs::read(path).expect("there are programs");
    for end in (0..text.len()).step_by(41) {
        survive(&text[..end]);
        survive(&text[end..]);
    }
}

/// In linear time: so much text takes seconds if it is read by an optimised program.
#[test]
fn large_programs() {
    let begin = Instant::now();
    let function = "static int f(int a, int b) { /* a comment */ return MAX(a + 1, b) * 17; }\n";
    let text = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n".to_owned() + &function.repeat(14_000);
    let count = read("t.c", text.into_bytes(), true).units[0].tokens.len();
    assert_eq!(count, 14_000 * 37 + 1);
    println!("1 MB in {:?}", begin.elapsed());
    assert!(begin.elapsed() < Duration::from_secs(5));
    let many = 200_000;
    let texts = [
        "(".repeat(many),
        "#define f(x) x\n".to_owned() + &"f ".repeat(many),
        "#define f(x) x\nf".to_owned() + &"\n".repeat(many) + "f",
        "#define f(x) x\n".to_owned() + &"f(1)".repeat(many),
        "#define f(x) #x\nf(".to_owned() + &"x ".repeat(many) + ")",
        "#define f(".to_owned() + &(0..many).map(|i| format!("a{i},")).collect::<String>() + "z) 1",
        "#if ".to_owned() + &"(".repeat(many),
        "\"a\" ".repeat(many),
        "\\\n".repeat(many) + "x",
        "#define f(x) x ".to_owned() + &"x\\\n".repeat(many) + "\nf(1)",
        "#line 5\n".repeat(many),
        "'".repeat(many),
        "/* ".repeat(many),
        "#define x y\n#undef x\n".repeat(many / 4),
        "#ifdef x\n#else\n#endif\n".repeat(many / 4),
        "#include <stdlib.h>\n".repeat(many),
    ];
    for text in texts {
        survive(text.as_bytes());
    }
}
