//! The interpreter of C: its rules one by one, and gcc as a second opinion.
//!
//! `tests/c/execution.txt` has a small program for each rule, behind a line that says how it ends
//! and in which line. Generated programs note what they compute in an array; where gcc is found, it
//! must compute the same. Programs of the shared corpus that are known not to fail are run with
//! random inputs.

#[path = "c_execution/generator.rs"]
mod generator;

use derny::internals::c::{DataModel, Options as Reading, preprocess};
use derny::internals::execution::{
    Choice, Choices, EndKind, Externs, Listed, Machine, Options, Overflow, Random, Request, Shown,
    State, StepKind,
};
use derny::internals::render;
use derny::internals::source::Source;
use derny::internals::typing::{FunctionId, Program, program};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn typed(name: &str, text: &str, model: DataModel) -> (Program, Source) {
    let options = Reading {
        directories: Vec::new(),
        definitions: Vec::new(),
        model,
        honours_markers: false,
        reader: &|path: &Path| fs::read(path),
    };
    let read = preprocess(vec![(name.into(), text.into())], &options);
    let typed = program(read, model);
    let diagnostics = render(&typed.source, &typed.diagnostics, false);
    match typed.program {
        Some(program) => (program, typed.source),
        None => panic!("{name} has errors:\n{diagnostics}\n{text}"),
    }
}

fn function(program: &Program, name: &str) -> FunctionId {
    let mut functions = program.functions.iter();
    let index = functions.position(|function| program.names.text(function.name) == name);
    FunctionId(index.unwrap_or_else(|| panic!("no function {name}")) as u32)
}

/// How an execution ended, in words, with the line.
fn ending(machine: &Machine<'_>, program: &Program, source: &Source) -> String {
    let Some(end) = machine.end() else {
        return "goes on".into();
    };
    let what = match end.kind {
        EndKind::Ended => "ended".into(),
        EndKind::Failed(failure) => format!("failed: {}", failure.describe(program)),
        EndKind::Undefined(undefined) => format!("undefined: {undefined}"),
        EndKind::Outside(beyond) => format!("outside: {}", beyond.describe(program)),
        EndKind::CutOff => "cut off".into(),
        EndKind::Exhausted => "exhausted".into(),
    };
    format!("{what} @{}", source.position(end.span.start).line)
}

/// Answers from a list, given where locals are declared if `is_early`.
struct Answers {
    listed: Listed,
    is_early: bool,
    asked: Vec<Request>,
}

impl Choices for Answers {
    fn choose(&mut self, request: &Request) -> Choice {
        self.asked.push(*request);
        self.listed.choose(request)
    }

    fn decides_early(&self) -> bool {
        self.is_early
    }
}

/// Runs a case of `execution.txt`; what its first line says, and how it ended.
fn case(header: &str, text: &str) -> (String, String) {
    let (settings, expected) = header.split_once(';').unwrap_or(("", header));
    let mut answers = Answers {
        listed: Listed::default(),
        is_early: false,
        asked: Vec::new(),
    };
    let mut model = DataModel::Lp64;
    let mut entry = "main";
    let (mut overflow, mut externs, mut malloc_may_fail) = Default::default();
    for setting in settings.split_whitespace() {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        match (key, value) {
            ("overflow", "error") => overflow = Overflow::Error,
            ("overflow", _) => overflow = Overflow::Block,
            ("externs", "havoc") => externs = Externs::Havoc,
            ("externs", _) => externs = Externs::Refuse,
            ("malloc", _) => malloc_may_fail = true,
            ("early", _) => answers.is_early = true,
            ("ilp32", _) => model = DataModel::Ilp32,
            ("entry", name) => entry = name,
            ("inputs", list) => {
                let numbers = list
                    .split(',')
                    .map(|number| number.parse().expect("a number"));
                answers.listed = Listed::new(numbers.map(Choice::Number));
            }
            _ => panic!("unknown setting {setting}"),
        }
    }
    let (program, source) = typed("case.c", text, model);
    let options = Options {
        overflow,
        externs,
        malloc_may_fail,
        frames: 10_000,
        ..Options::new(function(&program, entry))
    };
    let mut machine = Machine::new(&program, options, &mut answers);
    machine.run(100_000);
    let mut found = ending(&machine, &program, &source);
    let expected = expected.trim();
    if !expected.contains('@') {
        found.truncate(found.find(" @").unwrap_or(found.len()));
    }
    (expected.to_owned(), found)
}

#[test]
fn rules() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/execution.txt");
    let text = fs::read_to_string(path).expect("the cases are there");
    let mut wrong = Vec::new();
    let mut count = 0;
    for part in text.split("\n==== ").skip(1) {
        let (header, body) = part.split_once('\n').expect("a program");
        let (expected, found) = case(header, body);
        count += 1;
        if expected != found {
            wrong.push(format!("expected {expected}\nfound    {found}\n{body}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 100, "only {count} cases were read");
}

/// What a program has noted in its array `out`, as the interpreter computes it.
fn noted(text: &str, model: DataModel) -> Vec<u64> {
    let (program, source) = typed("generated.c", text, model);
    let mut choices = Random::new(1);
    let options = Options::new(function(&program, "test"));
    let mut machine = Machine::new(&program, options, &mut choices);
    let mut last: Option<State> = None;
    while machine.end().is_none() {
        let is_last = machine.next_step().is_some_and(|step| {
            let StepKind::Label(label) = step.kind else {
                return false;
            };
            let name = program.labels[label.0 as usize].name;
            name.is_some_and(|name| program.names.text(name) == "the_end")
        });
        if is_last {
            last = machine.state();
        }
        machine.run(1);
    }
    let end = ending(&machine, &program, &source);
    assert!(end.starts_with("ended"), "{end}\n{text}");
    let state = last.expect("the end has a label");
    let out = state.globals.iter().find(|(name, _)| name == "out");
    let values: Vec<&Shown> = match out.map(|(_, value)| value) {
        Some(Shown::List(values)) => values.iter().collect(),
        Some(Shown::Object(entries)) => entries.iter().map(|(_, value)| value).collect(),
        other => panic!("out is {other:?}"),
    };
    let number = |shown: &&Shown| match shown {
        Shown::Integer(number) => *number as u64,
        other => panic!("{other:?} is no number"),
    };
    values.iter().map(number).collect()
}

fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("SKIPPED: no gcc");
    }
    is_there
}

/// What the compiled program has noted.
fn compiled(text: &str, flag: &str) -> Option<Vec<u64>> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("a.c"), folder.path().join("a"));
    let main = "\n#include <stdio.h>\nint main(void) { test(); for (int i = 0; i < count; i++) \
                printf(\"%llu\\n\", out[i]); return 0; }\n";
    fs::write(&source, format!("{text}{main}")).expect("a file");
    let built = Command::new("gcc")
        .args([
            "-std=gnu11",
            "-w",
            "-fwrapv",
            "-fno-strict-aliasing",
            "-O0",
            flag,
            "-o",
        ])
        .args([&binary, &source])
        .output()
        .expect("gcc runs");
    if !built.status.success() {
        let message = String::from_utf8_lossy(&built.stderr).into_owned();
        // Not every gcc has the libraries of the other data model, and some give up.
        let gives_up = message.contains("internal compiler error");
        assert!(flag == "-m32" || gives_up, "{message}\n{text}");
        return None;
    }
    let output = Command::new(&binary).output().expect("it runs");
    assert!(output.status.success(), "{}\n{text}", output.status);
    let output = String::from_utf8(output.stdout).expect("numbers");
    Some(
        output
            .lines()
            .map(|line| line.parse().expect("a number"))
            .collect(),
    )
}

fn compare(text: &str, model: DataModel, flag: &str) -> usize {
    let Some(expected) = compiled(text, flag) else {
        eprintln!("SKIPPED: gcc cannot compile it with {flag}");
        return 0;
    };
    let found = noted(text, model);
    let differ = expected
        .iter()
        .zip(&found)
        .position(|(one, other)| one != other);
    if let Some(at) = differ {
        let (expected, found) = (expected[at], found[at]);
        panic!("number {at}: gcc {expected} ({expected:#x}), here {found} ({found:#x})\n{text}");
    }
    // Zeros at the end of a long array are not shown.
    assert!(found.len() >= expected.len() || found.len() > 256, "{text}");
    expected.len()
}

#[test]
fn operators_at_the_borders_of_all_types() {
    if !has_gcc() {
        return;
    }
    let text = generator::borders();
    assert!(compare(&text, DataModel::Lp64, "-m64") > 1000);
    compare(&text, DataModel::Ilp32, "-m32");
}

#[test]
fn random_expressions_and_programs() {
    if !has_gcc() {
        return;
    }
    let more = std::env::var("DERNY_MORE_SEEDS").ok();
    let more: u64 = more.and_then(|text| text.parse().ok()).unwrap_or(1);
    let expressions = (0..6 * more).map(|seed| generator::expressions(seed, 400));
    let programs = (0..30 * more).map(generator::program);
    let compared = expressions
        .chain(programs)
        .map(|text| compare(&text, DataModel::Lp64, "-m64"));
    assert!(compared.sum::<usize>() > 5000);
}

#[test]
fn programs_that_never_fail() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/c");
    let Ok(verdicts) = fs::read_to_string(root.join("VERDICTS.txt")) else {
        eprintln!("SKIPPED: no corpus");
        return;
    };
    let mut count = 0;
    for line in verdicts.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [file, property, "true", model] = words[..] else {
            continue;
        };
        if !["unreach-call", "no-overflow"].contains(&property) {
            continue;
        }
        let model = match model {
            "lp64" => DataModel::Lp64,
            _ => DataModel::Ilp32,
        };
        let text = fs::read_to_string(root.join(file)).expect("the file is there");
        let (program, source) = typed(file, &text, model);
        count += 1;
        for seed in 0..8 {
            let mut choices = Random::new(seed);
            let options = Options::new(function(&program, "main"));
            let mut machine = Machine::new(&program, options, &mut choices);
            machine.run(30_000);
            let end = ending(&machine, &program, &source);
            let overflows = machine.take_overflows();
            match property {
                "unreach-call" => assert!(!end.starts_with("failed"), "{file}, {seed}: {end}"),
                _ => assert!(overflows.is_empty(), "{file}, {seed}: overflow, {end}"),
            }
        }
    }
    assert!(count > 50, "only {count} programs");
}

/// Whatever is executed, with whatever options, it ends or goes on, and can be looked at.
#[test]
fn every_function_can_be_the_entry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/c");
    let Ok(verdicts) = fs::read_to_string(root.join("VERDICTS.txt")) else {
        eprintln!("SKIPPED: no corpus");
        return;
    };
    let files = verdicts.lines().filter(|line| !line.starts_with('#'));
    let files = files.filter_map(|line| line.split_whitespace().next());
    let files: BTreeSet<&str> = files.filter(|file| file.contains('.')).collect();
    let mut ended = 0;
    for file in files {
        let text = fs::read_to_string(root.join(file)).expect("the file is there");
        let (program, _) = typed(file, &text, DataModel::Lp64);
        for index in 0..program.functions.len() {
            for (seed, externs) in [(1, Externs::Pure), (2, Externs::Havoc)] {
                let mut choices = Random::new(seed);
                let options = Options {
                    externs,
                    malloc_may_fail: true,
                    frames: 1000,
                    ..Options::new(FunctionId(index as u32))
                };
                let mut machine = Machine::new(&program, options, &mut choices);
                for _ in 0..20 {
                    machine.run(50);
                    let state = machine.state();
                    assert_eq!(state.is_none(), machine.end().is_some(), "{file}");
                }
                ended += usize::from(machine.end().is_some());
            }
        }
    }
    assert!(ended > 100);
}

/// Each step: its line, its text, how deep it is, and the value of a variable there.
fn trace(text: &str, variable: &str) -> Vec<String> {
    let (program, source) = typed("trace.c", text, DataModel::Lp64);
    let mut choices = Listed::new([7, 8, 9].map(Choice::Number));
    let options = Options::new(function(&program, "main"));
    let mut machine = Machine::new(&program, options, &mut choices);
    let mut lines = Vec::new();
    while let Some(state) = machine.state() {
        let mut all = state.locals.iter().chain(&state.globals);
        let value = all.find(|(name, _)| name == variable);
        let value = value.map(|(_, value)| serde_json::to_string(value).expect("JSON"));
        lines.push(format!(
            "{} {} {} {}",
            source.position(state.step.span.start).line,
            state.depth,
            source.text(state.step.span),
            value.unwrap_or_default(),
        ));
        machine.run(1);
    }
    lines
}

#[test]
fn steps_are_those_of_the_language() {
    let text = "int g;\nint f(int a) {\n  g = a;\n  return a + 1;\n}\nint main(void) {\n  int x = f(1) + f(2);\n  for (int i = 0; i < 1; i++)\n    ;\n  if (x > 3 && f(x)) goto out;\n  f(9);\nout:\n  return 0;\n}\n";
    let expected = [
        "7 0 f(1) 0",
        "3 1 g = a 0",
        "4 1 return a + 1 1",
        "7 0 f(2) 1",
        "3 1 g = a 1",
        "4 1 return a + 1 2",
        "7 0 int x = f(1) + f(2) 2",
        "8 0 int i = 0 2",
        "8 0 i < 1 2",
        "9 0 ; 2",
        "8 0 i++ 2",
        "8 0 i < 1 2",
        "10 0 if (x > 3 && f(x)) 2",
        "10 0 f(x) 2",
        "3 1 g = a 2",
        "4 1 return a + 1 5",
        "10 0 if (x > 3 && f(x)) 5",
        "10 0 goto out 5",
        "12 0 out 5",
        "13 0 return 0 5",
    ];
    assert_eq!(trace(text, "g"), expected);
}

#[test]
fn values_are_shown_as_they_are_written() {
    let text = "
        #include <stdlib.h>
        enum color { RED, GREEN = 5 };
        struct point { int x; short y[2]; struct { unsigned char z; }; unsigned bits : 3; };
        union any { int number; char *text; };
        int f(void) { return 1; }
        int a[4] = { 1, 2, 3 };
        int matrix[2][2];
        int big[1000];
        int extern_int(void);
        int main(void) {
            enum color c = GREEN;
            enum color odd = 7;
            struct point s = { 1, { 2, 3 }, { 4 }, 5 };
            union any u;
            u.text = 0;
            int *p = &a[3];
            short *q = &s.y[1];
            int (*g)(void) = f;
            int *n = 0;
            void *v = &s;
            int *row = matrix[1];
            int *end = a + 4;
            int *h = malloc(12);
            h = h + 1;
            int *stranger = (int *)(long)0 ? 0 : ({ int *any; any; });
            unsigned long long large = -1;
            big[900] = 4;
            int unknown;
            ;
            return 0;
        }";
    let (program, _) = typed("shown.c", text, DataModel::Lp64);
    let mut choices = Listed::new([17].map(Choice::Number));
    let options = Options::new(function(&program, "main"));
    let mut machine = Machine::new(&program, options, &mut choices);
    while machine
        .next_step()
        .is_some_and(|step| step.kind != StepKind::Empty)
    {
        machine.run(1);
    }
    let state = machine.state().expect("it goes on");
    let all = state.locals.iter().chain(&state.globals);
    let shown: Vec<String> = all
        .map(|(name, value)| format!("{name}={}", serde_json::to_string(value).expect("JSON")))
        .collect();
    let expected = [
        r#"c="GREEN""#,
        r#"odd=7"#,
        r#"s={"x":1,"y":[2,3],"z":4,"bits":5}"#,
        r#"u={"text":"null"}"#,
        r#"p="&a[3]""#,
        r#"q="&main.s.y[1]""#,
        r#"g="&f""#,
        r#"n="null""#,
        r#"v="&main.s""#,
        r#"row="&matrix[1][0]""#,
        r#"end="&a[4]""#,
        r#"h="heap#1+1""#,
        r#"stranger="stranger 17""#,
        r#"large=18446744073709551615"#,
        r#"unknown=null"#,
        r#"a=[1,2,3,0]"#,
        r#"matrix=[[0,0],[0,0]]"#,
        r#"big={"900":4}"#,
    ];
    assert_eq!(shown, expected);
}

#[test]
fn nothing_nested_is_too_deep() {
    let depth = 100_000;
    let parentheses = "(".repeat(depth) + "1" + &")".repeat(depth);
    let minus = "- ".repeat(depth) + "x";
    let blocks = "{".repeat(depth) + "x++;" + &"}".repeat(depth);
    let text = format!(
        "int down(int n) {{ return n == 0 ? 0 : 1 + down(n - 1); }}\n\
         int main(void) {{ int x = {parentheses}; x = {minus}; {blocks}\n\
         if (down(500000) != 500000 || x != 2) __VERIFIER_error(); return 0; }}"
    );
    let (program, source) = typed("deep.c", &text, DataModel::Lp64);
    let mut choices = Random::new(1);
    let options = Options::new(function(&program, "main"));
    let mut machine = Machine::new(&program, options, &mut choices);
    machine.run(10_000_000);
    assert_eq!(ending(&machine, &program, &source), "ended @3");
}

/// Not a test of a number, which depends on the machine, but what is printed can be looked at.
#[test]
fn many_steps_are_fast() {
    let text = "int main(void) { unsigned a = 0, i; for (i = 0; i < 1000000; i++) \
                { if (a & 1) a = a * 3 + 1; else a = a / 2 + i; } return a; }";
    let (program, source) = typed("loop.c", text, DataModel::Lp64);
    let mut choices = Random::new(1);
    let options = Options::new(function(&program, "main"));
    let mut machine = Machine::new(&program, options, &mut choices);
    let start = Instant::now();
    machine.run(u64::MAX);
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{:.1} million steps a second",
        machine.steps() as f64 / seconds / 1e6
    );
    assert_eq!(ending(&machine, &program, &source), "ended @1");
    assert!(machine.steps() >= 4_000_000);
    assert!(seconds < 60.0);
}
