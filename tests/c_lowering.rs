//! C programs in the program form: verdicts of all engines.
//!
//! `lowering.txt`, `pointers.txt` and `recursion.txt` in `tests/c` have small programs, each behind a line of `====` with its verdict, found
//! by hand: `holds`, `violated`, or `outside` if something that is not decided can be reached. Those
//! marked `small` run backwards, too, and those marked `tiny` on the explicit twin, which begins with
//! every value of every local. Benchmarks with known
//! verdicts, where there are any (`DERNY_C_CORPUS`), are decided within a budget: none may come out
//! wrong.

use derny::internals::c::{DataModel, Options as Reading, preprocess};
use derny::internals::check::{Board, Options, check};
use derny::internals::lower::c::{Checks, Externs, Lowered, Options as Lowering, entry, lower};
use derny::internals::property::Property;
use derny::internals::typing::program;
use derny::internals::watch::Watch;
use derny::{Direction, Engine, Verdict};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Holds,
    Violated,
    /// Nothing fails before something that is not decided.
    Outside,
    /// It would take too long.
    Open,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Assertions,
    Overflow,
    Terminates,
}

fn read(name: &str, text: &[u8], model: DataModel, lowering: &Lowering) -> Result<Lowered, String> {
    let options = Reading {
        directories: Vec::new(),
        definitions: Vec::new(),
        model,
        honours_markers: !name.ends_with(".i"),
        reader: &|path: &Path| std::fs::read(path),
    };
    let read = preprocess(vec![(name.to_owned(), text.to_vec())], &options);
    let typed = program(read, model);
    let errors = typed.diagnostics.iter().filter(|one| one.is_error());
    let errors: Vec<&str> = errors.map(|one| one.message.as_str()).collect();
    let tree = typed.program.ok_or(format!("{name}: {errors:?}"))?;
    let main = entry(&tree, "main").ok_or(format!("{name} has no main"))?;
    Ok(lower(Arc::new(typed.source), &tree, main, lowering))
}

fn verdict(lowered: &Lowered, property: Property, options: &Options) -> Option<Verdict> {
    let board = Board::new(Instant::now(), 1);
    let watch = Watch::default();
    // What is out of budget has no verdict.
    let _ = check(&lowered.program, &[property], options, &watch, &board);
    board.verdict(0)
}

fn answer(lowered: &Lowered, question: Question, options: &Options) -> Answer {
    let origin = &lowered.origin;
    let property = match question {
        Question::Assertions => Property::Assertions,
        Question::Overflow => {
            Property::Reach(origin.overflow_points().map(|(point, _)| point).collect())
        }
        Question::Terminates => Property::Terminates,
    };
    match verdict(lowered, property, options) {
        None => Answer::Open,
        Some(Verdict::Violated) => Answer::Violated,
        Some(Verdict::Holds) => {
            let points: Vec<_> = origin.outside_points().map(|(point, _)| point).collect();
            match verdict(lowered, Property::Reach(points), options) {
                None => Answer::Open,
                Some(Verdict::Violated) => Answer::Outside,
                Some(Verdict::Holds) => Answer::Holds,
            }
        }
    }
}

/// Runs on a stack that deep BDDs fit on.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(1 << 29);
    let thread = thread.spawn(work).expect("a thread");
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn engines(words: &[&str]) -> Vec<Options> {
    let options = Options {
        memory: 1 << 30,
        operations: 3_000_000,
        ..Options::default()
    };
    let mut all = vec![options.clone()];
    if words.contains(&"small") {
        all.push(Options {
            direction: Direction::Backward,
            trace: false,
            ..options.clone()
        });
    }
    if words.contains(&"tiny") {
        all.push(Options {
            engine: Engine::Explicit,
            ..options
        });
    }
    all
}

/// How a program is read whose header has these words.
fn lowering(words: &[&str], question: Question) -> Lowering {
    Lowering {
        checks: Checks {
            overflow: question == Question::Overflow,
            ..Checks::default()
        },
        externs: match () {
            () if words.contains(&"havoc") => Externs::Havoc,
            () if words.contains(&"refuse") => Externs::Refuse,
            () => Externs::Pure,
        },
        malloc_may_fail: words.contains(&"may-fail"),
        cells: if words.contains(&"few") { 8 } else { 64 },
        ..Lowering::default()
    }
}

#[test]
fn small_programs_have_their_verdicts() {
    have_their_verdicts("lowering.txt");
}

#[test]
fn small_programs_with_pointers_have_their_verdicts() {
    have_their_verdicts("pointers.txt");
}

#[test]
fn small_programs_with_recursion_have_their_verdicts() {
    have_their_verdicts("recursion.txt");
}

fn have_their_verdicts(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let text = std::fs::read_to_string(path.join(file)).expect("the programs");
    let wrong = on_large_stack(move || {
        let mut wrong = Vec::new();
        for case in text.split("==== ").skip(1) {
            let (header, program) = case.split_once('\n').expect("a header");
            let words: Vec<&str> = header.split_whitespace().collect();
            let question = match words[0] {
                "overflow" => Question::Overflow,
                "terminates" => Question::Terminates,
                _ => Question::Assertions,
            };
            let expected = match () {
                () if words.contains(&"holds") => Answer::Holds,
                () if words.contains(&"violated") => Answer::Violated,
                () => Answer::Outside,
            };
            if std::env::var_os("DERNY_SHOW").is_some() {
                eprintln!("{header}");
            }
            let begin = Instant::now();
            let model = match words.contains(&"ilp32") {
                true => DataModel::Ilp32,
                false => DataModel::Lp64,
            };
            let lowering = lowering(&words, question);
            let lowered = match read("case.c", program.as_bytes(), model, &lowering) {
                Ok(lowered) => lowered,
                Err(error) => {
                    wrong.push(format!("{header}: {error}"));
                    continue;
                }
            };
            for options in engines(&words) {
                let found = answer(&lowered, question, &options);
                // Backwards, much more than can be reached is looked at.
                let may_be_open = options.direction == Direction::Backward;
                if found != expected && !(may_be_open && found == Answer::Open) {
                    let engine = (options.engine, options.direction);
                    wrong.push(format!("{header}: {found:?} by {engine:?}\n{program}"));
                }
            }
            if begin.elapsed() > Duration::from_secs(5) {
                eprintln!("{header}: {:.1} s", begin.elapsed().as_secs_f64());
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_benchmark_has_a_wrong_verdict() {
    let Ok(corpus) = std::env::var("DERNY_C_CORPUS") else {
        eprintln!("SKIPPED: no DERNY_C_CORPUS");
        return;
    };
    let list = Path::new(&corpus).join("VERDICTS.txt");
    let list = std::fs::read_to_string(list).expect("a list of verdicts");
    let only = std::env::var("DERNY_C_ONLY").unwrap_or_default();
    let (mut right, mut open, mut all, mut wrong) = (0, 0, 0, Vec::new());
    for line in list.lines().filter(|line| line.contains(&only)) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let [file, kind, expected, model] = &words[..] else {
            continue;
        };
        let question = match kind.as_str() {
            "unreach-call" | "assertions" => Question::Assertions,
            "no-overflow" => Question::Overflow,
            "termination" => Question::Terminates,
            _ => continue,
        };
        all += 1;
        let path = Path::new(&corpus).join(file);
        let text = std::fs::read(&path).expect("a benchmark");
        let model = match model.as_str() {
            "ilp32" => DataModel::Ilp32,
            _ => DataModel::Lp64,
        };
        let name = path.to_string_lossy().into_owned();
        let begin = Instant::now();
        let found = on_large_stack(move || {
            let lowered = read(&name, &text, model, &lowering(&[], question))?;
            let options = Options {
                trace: false,
                memory: 1 << 30,
                operations: 3_000_000,
                ..Options::default()
            };
            let found = answer(&lowered, question, &options);
            let mut outside = String::new();
            if found == Answer::Outside {
                for (point, origin) in lowered.origin.outside_points() {
                    let reach = Property::Reach(vec![point]);
                    if verdict(&lowered, reach, &options) != Some(Verdict::Holds) {
                        outside = format!("{:?}", origin.kind);
                        break;
                    }
                }
            }
            Ok::<_, String>((found, outside))
        });
        let time = begin.elapsed();
        match (found, expected.as_str()) {
            (Ok((Answer::Holds, _)), "true") | (Ok((Answer::Violated, _)), "false") => right += 1,
            (Ok((Answer::Holds | Answer::Violated, _)), _) => wrong.push(line.to_owned()),
            (found, _) => {
                open += 1;
                eprintln!("{line}: {found:?} ({:.1} s)", time.as_secs_f64());
            }
        }
        if time > Duration::from_secs(5) {
            eprintln!("{line}: {:.1} s", time.as_secs_f64());
        }
    }
    eprintln!("{right} right, {open} open of {all}");
    assert!(wrong.is_empty(), "wrong: {wrong:#?}");
}

/// What can be reached and is not decided takes a verdict back; an undefined step is named.
#[test]
fn places_that_no_execution_gets_past_are_told() {
    let check = |text: &str| {
        let model = derny::Model::parse(derny::Language::C, text).expect("a program");
        let report = derny::Checker::new(&model).check().expect("a report");
        let mut findings = report.findings();
        let finding = findings.next().expect("one property");
        let mut json = Vec::new();
        report
            .write_json(&mut json)
            .expect("memory takes everything");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        let result = json["results"][0].clone();
        (
            finding.verdict(),
            finding.reason().map(|reason| reason.name()),
            result,
        )
    };
    let text = "int main(void) { double d = 1.5; return d > 1; }";
    let (verdict, reason, json) = check(text);
    assert_eq!((verdict, reason), (None, Some("unsupported")));
    assert_eq!(json["outside"][0]["what"], "floating point", "{json}");
    let text = "int main(int argc) { return 10 / (argc - 1); }";
    let (verdict, reason, json) = check(text);
    assert_eq!((verdict, reason), (Some(Verdict::Holds), None));
    assert_eq!(json["cut_off"][0]["line"], 1, "{json}");
    let text = "int main(void) { if (0) { double d = 1.5; return d > 1; } return 1 / 2; }";
    let (verdict, _, json) = check(text);
    assert_eq!(verdict, Some(Verdict::Holds));
    assert!(
        json["outside"].is_null() && json["cut_off"].is_null(),
        "{json}"
    );
}
