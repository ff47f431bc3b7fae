//! The front end of C: what it accepts and says, against gcc where that is found, and what it
//! makes of texts that mean no good.
//!
//! `tests/c` has small programs, each behind a line of `====`: those that gcc accepts, those that
//! it rejects, with what is said of each (one mistake, one error), and doubtful ones with their
//! warnings. `UPDATE_EXPECTED=1` writes what is said anew.

use derny::internals::c::{DataModel, Options, preprocess};
use derny::internals::typing::{Typed, program};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

mod c;

use c::tree::check_tree;

fn typed_in(name: &str, text: Vec<u8>, model: DataModel) -> Typed {
    let options = Options {
        directories: Vec::new(),
        definitions: Vec::new(),
        model,
        honours_markers: false,
        reader: &|path: &Path| fs::read(path),
    };
    program(preprocess(vec![(name.into(), text)], &options), model)
}

fn typed(text: &str) -> Typed {
    typed_in("t.c", text.into(), DataModel::Lp64)
}

/// All that is said of a program, a line each.
fn said(typed: &Typed) -> String {
    let line = |one: &derny::Diagnostic| {
        let place = typed.source.position(one.span.start);
        format!("-- {}:{}: {one}\n", place.line, place.column)
    };
    typed.diagnostics.iter().map(line).collect()
}

fn errors(typed: &Typed) -> usize {
    let errors = typed.diagnostics.iter().filter(|one| one.is_error());
    errors.count()
}

fn file(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/c").join(name)
}

/// The programs of a file, and what it expects to be said of each.
fn cases(name: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(file(name)).expect("the file is there");
    let case = |text: &str| {
        let is_said = |line: &&str| line.starts_with("-- ");
        let (said, code): (Vec<&str>, Vec<&str>) = text.lines().partition(is_said);
        let join = |lines: Vec<&str>| lines.iter().map(|line| format!("{line}\n")).collect();
        (join(code), join(said))
    };
    text.split("====\n").map(case).collect()
}

/// Compares what is said with what is expected.
fn check_said(name: &str) {
    let cases = cases(name);
    let now: Vec<String> = cases.iter().map(|(code, _)| said(&typed(code))).collect();
    if env::var_os("UPDATE_EXPECTED").is_some() {
        let entries = cases.iter().zip(&now);
        let entries: Vec<_> = entries
            .map(|((code, _), said)| format!("{code}{said}"))
            .collect();
        fs::write(file(name), entries.join("====\n")).expect("it can be written");
        return;
    }
    for ((code, expected), now) in cases.iter().zip(now) {
        assert_eq!(*expected, now, "{code}");
    }
}

#[test]
fn wrong_programs_are_rejected_with_one_error() {
    check_said("rejected.txt");
    for (code, _) in cases("rejected.txt") {
        let typed = typed(&code);
        assert_eq!(errors(&typed), 1, "{code}{}", said(&typed));
        assert!(typed.program.is_none());
    }
}

#[test]
fn doubtful_programs_are_accepted_with_a_warning() {
    check_said("doubtful.txt");
    for (code, said) in cases("doubtful.txt") {
        let typed = typed(&code);
        assert!(errors(&typed) == 0 && said.contains("warning"), "{code}");
        check_tree(&typed.program.expect("there is no error"));
    }
}

#[test]
fn right_programs_are_accepted() {
    for (code, _) in cases("accepted.txt") {
        let typed = typed(&code);
        assert_eq!(errors(&typed), 0, "{code}{}", said(&typed));
        check_tree(&typed.program.expect("there is no error"));
    }
}

#[test]
fn every_mistake_is_reported_in_one_run() {
    let text = "int f(void) { return x }\n\
                struct s { int a b; int c; };\n\
                int g(struct s *p) { return p->a + p->c + p->d; }\n\
                int h(void) { for (;;) { y = 1; } if (1 { } z(; return q; }\n\
                foo v;\n\
                int w = v + ;\n\
                int k(void) { return w; }\n";
    let lines: Vec<u32> = {
        let typed = typed(text);
        let places = typed.diagnostics.iter().filter(|one| one.is_error());
        places
            .map(|one| typed.source.position(one.span.start).line)
            .collect()
    };
    // `p->d` may be a member that could not be read; `w` is declared by what could not be.
    assert_eq!(lines, [1, 1, 2, 4, 4, 4, 4, 5, 6]);
}

fn gcc(arguments: &[&str], text: &str) -> Option<bool> {
    let folder = tempfile::tempdir().ok()?;
    let path = folder.path().join("t.c");
    fs::write(&path, text).ok()?;
    let output = Command::new("gcc").args(arguments).arg(&path).output();
    Some(output.ok()?.status.success())
}

const SYNTAX: [&str; 3] = ["-std=gnu11", "-fsyntax-only", "-w"];

#[test]
fn gcc_accepts_and_rejects_the_same() {
    if gcc(&SYNTAX, "int x;") != Some(true) {
        println!("SKIPPED: no gcc");
        return;
    }
    for (name, accepts) in [
        ("accepted.txt", true),
        ("doubtful.txt", true),
        ("rejected.txt", false),
    ] {
        for (code, _) in cases(name) {
            assert_eq!(gcc(&SYNTAX, &code), Some(accepts), "{code}");
        }
    }
}

/// A small generator of numbers, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const SCALARS: [&str; 15] = [
    "char",
    "short",
    "int",
    "long",
    "long long",
    "unsigned char",
    "unsigned long",
    "_Bool",
    "float",
    "double",
    "long double",
    "char *",
    "enum e",
    "void (*",
    "unsigned short",
];

/// A program of structs and unions, with bit-fields, arrays and each other in them.
fn random_records(random: &mut Random) -> String {
    let mut text = String::from("enum e { A, B };\n");
    for index in 0..6 {
        let keyword = random.pick(&["struct", "struct", "struct", "union"]);
        text += &format!("{keyword} s{index} {{\n");
        for member in 0..1 + random.below(6) {
            text += &match random.below(8) {
                0..3 => match random.pick(&SCALARS) {
                    "void (*" => format!("  void (*m{member})(int);\n"),
                    scalar => format!("  {scalar} m{member};\n"),
                },
                3 => format!(
                    "  {} m{member}[{}];\n",
                    random.pick(&SCALARS[..10]),
                    1 + random.below(5)
                ),
                4 if index > 0 => {
                    let other = random.below(index);
                    format!("  __typeof__(v{other}) m{member};\n")
                }
                5 => {
                    let kind =
                        random.pick(&["char", "short", "int", "long long", "unsigned", "_Bool"]);
                    let most = match kind {
                        "char" => 8,
                        "short" => 16,
                        "_Bool" => 1,
                        "long long" => 64,
                        _ => 32,
                    };
                    let name = random.pick(&["", "b"]);
                    let width = random.below(most + 1);
                    match (name, width) {
                        ("", width) => format!("  {kind} : {width};\n"),
                        (_, 0) => format!("  {kind} b{member} : 1;\n"),
                        _ => format!("  {kind} b{member} : {width};\n"),
                    }
                }
                _ => format!("  int b{member} : {};\n", 1 + random.below(32)),
            };
        }
        text += &format!("}} v{index};\n");
    }
    text
}

#[test]
fn sizes_and_offsets_are_those_of_gcc() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (model, option) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let arguments = [&SYNTAX[..], &[option]].concat();
        if gcc(&arguments, "int x;") != Some(true) {
            println!("SKIPPED: no gcc {option}");
            continue;
        }
        for _ in 0..40 {
            let mut text = random_records(&mut random);
            let typed = typed_in("t.c", text.clone().into(), model);
            let read = typed.program.as_ref().expect("there is no error");
            for (index, record) in read.types.records.iter().enumerate() {
                let layout = record.layout.as_ref().expect("it is complete");
                let (size, alignment) = (layout.size, layout.alignment);
                text += &format!("_Static_assert(sizeof(v{index}) == {size}, \"\");\n");
                text += &format!(
                    "_Static_assert(_Alignof(__typeof__(v{index})) == {alignment}, \"\");\n"
                );
                for field in layout.fields.iter().filter(|field| field.bits.is_none()) {
                    let name = read.names.text(field.name.expect("it has one"));
                    let offset = field.offset;
                    text += &format!(
                        "_Static_assert(__builtin_offsetof(__typeof__(v{index}), {name}) == {offset}, \"\");\n"
                    );
                }
            }
            assert_eq!(gcc(&arguments, &text), Some(true), "{option}\n{text}");
        }
    }
}

/// The programs of the shared corpus, or nothing where it is not there.
fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/c");
    let mut folders = vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("c" | "i") => found.push(path),
                _ => {}
            }
        }
    }
    if found.is_empty() {
        println!("SKIPPED: no corpus");
    }
    found.sort();
    found
}

#[test]
fn the_corpus_is_read_without_error() {
    for path in corpus() {
        let bytes = fs::read(&path).expect("it can be read");
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let typed = typed_in(&path.display().to_string(), bytes.clone(), model);
            assert_eq!(errors(&typed), 0, "{}\n{}", path.display(), said(&typed));
            check_tree(&typed.program.expect("there is no error"));
        }
    }
}

/// Texts with something cut out, doubled or put in: nothing panics, and what has no error is sound.
#[test]
fn damaged_programs_do_no_harm() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for name in ["accepted.txt", "rejected.txt", "doubtful.txt"] {
        texts.extend(cases(name).into_iter().map(|(code, _)| code.into_bytes()));
    }
    let small = corpus().into_iter().filter_map(|path| fs::read(path).ok());
    texts.extend(small.filter(|bytes| bytes.len() < 3000).take(60));
    let words: [&[u8]; 24] = [
        b"(",
        b")",
        b"{",
        b"}",
        b"[",
        b"]",
        b";",
        b",",
        b"=",
        b"*",
        b"int ",
        b"struct ",
        b"typedef ",
        b"x",
        b"1",
        b"\"",
        b"'",
        b"...",
        b"case ",
        b"if (",
        b"sizeof ",
        b"->",
        b": ",
        b"#",
    ];
    for text in texts {
        for _ in 0..30 {
            let mut damaged = text.clone();
            let place = random.below(damaged.len() + 1);
            match random.below(4) {
                0 => damaged.truncate(place),
                1 => {
                    let end = (place + random.below(20)).min(damaged.len());
                    damaged.drain(place..end);
                }
                2 => {
                    let word = words[random.below(words.len())];
                    damaged.splice(place..place, word.iter().copied());
                }
                _ => {
                    let end = (place + random.below(40)).min(damaged.len());
                    let part = damaged[place..end].to_vec();
                    let other = random.below(damaged.len() + 1);
                    damaged.splice(other..other, part);
                }
            }
            let typed = typed_in("t.c", damaged, DataModel::Lp64);
            if let Some(program) = &typed.program {
                check_tree(program);
            }
        }
    }
}

/// What is nested a hundred thousand deep is read, typed and dropped.
#[test]
fn anything_nests_as_deep_as_one_likes() {
    const DEPTH: usize = 100_000;
    let nest = |before: &str, middle: &str, after: &str| {
        format!("{}{middle}{}", before.repeat(DEPTH), after.repeat(DEPTH))
    };
    let in_function = |text: String| format!("int f(int x, int *p) {{ return {text}; }}");
    let programs = [
        in_function(nest("(", "x", ")")),
        in_function(nest("- ", "x", "")),
        in_function(nest("!(", "x", ")")),
        in_function(nest("x + (", "x", ")")),
        in_function(nest("x ? x : ", "x", "")),
        in_function(nest("x ? ", "x", " : 0")),
        in_function(nest("(int)", "x", "")),
        in_function(nest("x = ", "x", "")),
        in_function(nest("p[", "x", "]")),
        in_function(nest("f(", "x", ", p)")),
        in_function(nest("({ ", "x", "; })")),
        in_function(nest("sizeof ", "x", "")),
        in_function(nest("x && ", "x", "")),
        in_function(nest("x, ", "x", "")),
        format!("int {};", nest("(", "x", ")")),
        format!("int {}x;", "*".repeat(DEPTH)),
        format!("int x{};", "[1]".repeat(DEPTH)),
        format!("int f{};", nest("(int g", "(int x)", ")")),
        format!(
            "{};",
            nest("struct { ", "int x;", " } x;").trim_end_matches(';')
        ),
        format!(
            "{};",
            nest("struct { ", "int x;", " };").trim_end_matches(';')
        ),
        format!("int x{} = {};", "[1]".repeat(DEPTH), nest("{", "1", "}")),
        format!("int x{} = {{ 1 }};", "[1]".repeat(DEPTH)),
        format!("void f(int x) {}", nest("{", "", "}")),
        format!("void f(int x) {{ {} }}", nest("if (x) ", ";", "")),
        format!("void f(int x) {{ {} }}", nest("if (x) ; else ", ";", "")),
        format!("void f(int x) {{ {} }}", nest("while (x) ", ";", "")),
        format!("void f(int x) {{ {} }}", nest("do ", ";", " while (x);")),
        format!("void f(int x) {{ {} }}", nest("for (;;) ", ";", "")),
        format!(
            "void f(int x) {{ {} }}",
            nest("switch (x) case 1: ", ";", "")
        ),
        format!("int x = {};", nest("_Generic(1, int: ", "1", ")")),
        format!("__typeof__({}) x;", nest("(", "1", ")")),
        format!("int f({} x);", nest("__typeof__(", "int", ")")),
    ];
    for text in programs {
        let start = text.chars().take(40).collect::<String>();
        let typed = typed(&text);
        assert_eq!(errors(&typed), 0, "{start}: {}", said(&typed));
    }
    for open in [
        "(", "{", "[", "f(", "({", "struct {", "if (", "int (", "x = {",
    ] {
        let typed = typed(&format!("int f(void) {{ {} }}", open.repeat(DEPTH)));
        assert!(errors(&typed) > 0);
    }
}

#[test]
fn several_files_are_one_program() {
    let files = |texts: &[&str]| {
        let options = Options {
            directories: Vec::new(),
            definitions: Vec::new(),
            model: DataModel::Lp64,
            honours_markers: false,
            reader: &|path: &Path| fs::read(path),
        };
        let named = texts.iter().enumerate();
        let named = named.map(|(index, text)| (format!("{index}.c"), text.as_bytes().to_vec()));
        program(preprocess(named.collect(), &options), DataModel::Lp64)
    };
    let record = "struct s { int x; struct s *next; };";
    let one = format!(
        "{record} extern struct s v; static int hidden; int f(struct s *p) {{ return p->x + v.x + hidden; }}"
    );
    let two = format!(
        "{record} int f(struct s *); struct s v; static int hidden = 3; int main(void) {{ return f(&v) + hidden; }}"
    );
    let both = files(&[&one, &two]);
    assert_eq!(errors(&both), 0, "{}", said(&both));
    let read = both.program.expect("there is no error");
    check_tree(&read);
    let names = read.objects.iter().filter_map(|object| object.name);
    let names: Vec<&str> = names.map(|name| read.names.text(name)).collect();
    assert_eq!(names.iter().filter(|name| **name == "v").count(), 1);
    assert_eq!(names.iter().filter(|name| **name == "hidden").count(), 2);
    assert_eq!(read.functions.len(), 2);
    for texts in [
        ["int x = 1;", "int x = 2;"],
        ["int x;", "int x;"],
        ["int x;", "extern char x;"],
        ["int f(void) { return 1; }", "int f(void) { return 2; }"],
        ["int f(void);", "char *f(int x) { return 0; }"],
        ["int f(void);", "int f;"],
    ] {
        assert_eq!(errors(&files(&texts)), 1, "{texts:?}");
    }
}

/// A megabyte of C, in tests without optimisation, too.
#[test]
fn long_programs_are_read_in_linear_time() {
    let function = |index: usize| {
        format!(
            "struct s{index} {{ int a, b[4]; struct s{index} *next; }};\n\
             static int f{index}(struct s{index} *p, int n) {{\n  \
             int sum = 0;\n  for (int i = 0; i < n && p; i++) {{\n    \
             if (p->a > {index}) sum += p->b[i % 4] * (i + 3) - (p->a << 2);\n    \
             else {{ sum = sum ? sum / 2 : -1; p = p->next; }}\n  }}\n  return sum;\n}}\n"
        )
    };
    let text: String = (0..4000).map(function).collect();
    assert!(text.len() > 1_000_000);
    let start = Instant::now();
    let typed = typed(&text);
    assert_eq!(errors(&typed), 0);
    println!("{} bytes in {:?}", text.len(), start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// What is changed in no fixed order gets a warning, and so does what gcc warns of, where it is found.
#[test]
fn changes_in_no_fixed_order_are_doubtful() {
    let doubtful = [
        "i = i++",
        "i = ++i",
        "i += i++",
        "i = (i = 5)",
        "f(i++, i++)",
        "f(i++, i)",
        "a[i] = i++",
        "a[i++] = i",
        "i++ + i++",
        "i + i++",
        "i = i-- - --i",
        "a[i] = a[i++]",
        "a[i]++ + a[i]",
        "a[1] = a[1]++",
        "s.x = s.x++",
        "p->x = p->x++",
        "*q++ = *q",
        "i = j++ + j",
        "i << i++",
        "f(i = 1, i = 2)",
        "(i = 1) + (i = 2)",
        "i == i++",
        "f(f(i++, 0), i)",
        "*(q + i) = i++",
        "j = i = i++",
        "x ? i++ : (i = i++)",
        "i = (3, i++)",
        "f(i++, f(i++, 1))",
        "-i + i++",
        "i = a[i++]",
        "i = i || i++",
    ];
    let clear = [
        "i = i + 1",
        "i = f(i++, 1)",
        "i++ && i++",
        "i++, i++",
        "i ? i++ : i--",
        "a[i] = a[j]++",
        "*q = *q + 1",
        "f(i, i)",
        "a[i] = i",
        "i = a[i]++",
        "(i = 1) + (j = 2)",
        "i || i++",
        "i = (i++, 5)",
        "i = f(i = 2, 3)",
        "(i ?: i++) + 1",
    ];
    let has_gcc = Command::new("gcc").arg("--version").output().is_ok();
    if !has_gcc {
        eprintln!("SKIPPED: no gcc");
    }
    let mut whole = String::from(
        "struct t { int x; } s, *p; int a[9], i, j, x, *q; int f(int k, int l) { return k; }\n",
    );
    for (index, expression) in doubtful.iter().chain(&clear).enumerate() {
        whole += &format!("void g{index}(void) {{ {expression}; }}\n");
    }
    let lines = |text: &str, word: &str| -> Vec<usize> {
        let said = text.lines().filter(|line| line.contains(word));
        let mut lines: Vec<usize> = said
            .filter_map(|line| line.split(':').find_map(|part| part.trim().parse().ok()))
            .collect();
        lines.dedup();
        lines
    };
    let expected: Vec<usize> = (2..2 + doubtful.len()).collect();
    let typed = typed(&whole);
    assert_eq!(errors(&typed), 0);
    let ours = said(&typed).replace("-- ", "");
    assert_eq!(lines(&ours, "no fixed order"), expected, "{ours}");
    if has_gcc {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("t.c");
        fs::write(&file, &whole).expect("a file");
        let gcc = Command::new("gcc")
            .args(["-std=gnu11", "-fsyntax-only", "-Wsequence-point"])
            .arg(&file)
            .output()
            .expect("gcc runs");
        let theirs = String::from_utf8_lossy(&gcc.stderr).into_owned();
        assert_eq!(lines(&theirs, "-Wsequence-point"), expected, "{theirs}");
    }
    // No order, although one of them has been made before the value is known.
    let typed = crate::typed("int i; int g(void) { return (i++, 2) + i; }");
    assert!(said(&typed).contains("no fixed order"));
}
