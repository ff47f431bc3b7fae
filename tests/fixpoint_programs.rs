//! The fixed-point calculus on programs: the shipped algorithms against the direct engine and
//! against each other, and control explicit against control in the BDDs.

mod support;

use derny::generate::random::{self, Options};
use derny::{Checker, Error, Language, Limits, Model, Property, Solver, Verdict};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(folder).expect("there is such a folder");
    let paths = files.map(|file| file.expect("a file").path());
    let mut paths: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    paths.sort();
    paths
}

fn shipped(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("specs")
        .join(name);
    std::fs::read(path).expect("it is shipped")
}

/// The value of a shipped file's query with a property's targets; `None` if that takes too long.
fn decide(model: &Model, file: &str, property: &Property, bound: Option<i128>) -> Option<bool> {
    let mut solver = Solver::new(model, file, shipped(file)).target(property.clone());
    if let Some(bound) = bound {
        let parameter = if file == "cbr.mu" { "K" } else { "R" };
        solver = solver.define(parameter, bound);
    }
    let limits = Limits::new().timeout(Duration::from_secs(5));
    match solver.limits(&limits).solve() {
        Ok(solution) => solution.query("reach"),
        Err(error) => panic!("{file}: {error}"),
    }
}

/// The direct engine's verdict, within a bound on context switches or rounds.
fn is_violated(model: &Model, property: &Property, switches: bool, bound: Option<i128>) -> bool {
    let mut checker = Checker::new(model).trace(false).property(property.clone());
    if let Some(bound) = bound {
        checker = match switches {
            true => checker.switches(bound as u32),
            false => checker.rounds(bound as u32),
        };
    }
    let report = checker.check().expect("the program can be checked");
    let mut findings = report.findings();
    let verdict = findings.next().and_then(|finding| finding.verdict());
    verdict.expect("no limit has passed") == Verdict::Violated
}

/// Whether a program is one that no file is for, since it creates threads or has `thread_local`
/// globals.
fn is_refused(model: &Model) -> bool {
    let answer = Solver::new(model, "q", "query q = true;").solve();
    matches!(answer, Err(Error::Unsupported(_) | Error::Diagnostics(_)))
}

/// Every shipped file that is for a program answers as the direct engine does. Gives how many
/// answers were compared, and the files that took too long.
fn assert_shipped_agree(model: &Model, property: &Property) -> (usize, Vec<&'static str>) {
    if is_refused(model) {
        return (0, Vec::new());
    }
    let mut asked: Vec<(&str, bool, Option<i128>)> = Vec::new();
    if model.has_threads() {
        asked.extend((0..=3).map(|k| ("cbr.mu", true, Some(k))));
        asked.extend((1..=2).map(|r| ("rounds.mu", false, Some(r))));
    } else {
        let files = ["simple.mu", "ef.mu", "efopt.mu", "backward.mu"];
        asked.extend(files.map(|file| (file, false, None)));
        let calls = Solver::new(model, "q", "query calls = exists c, r: PC. Across(c, r);");
        let calls = calls.solve().expect("it can be asked").query("calls");
        asked.extend((calls == Some(false)).then_some(("finite.mu", false, None)));
    }
    let (mut compared, mut late) = (0, Vec::new());
    for (file, switches, bound) in asked {
        match decide(model, file, property, bound) {
            Some(decided) => {
                let expected = is_violated(model, property, switches, bound);
                assert_eq!(decided, expected, "{} with {file}, {bound:?}", model.name());
                compared += 1;
            }
            None => late.push(file),
        }
    }
    (compared, late)
}

/// Assertions, and the labels that a program's head asks for.
fn asked_in_head(text: &str) -> Vec<Property> {
    let lines = text.lines().filter(|line| line.starts_with("//"));
    let labels = lines.flat_map(|line| line.split("--reach ").skip(1));
    let mut labels: Vec<_> = labels
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    labels.sort_unstable();
    labels.dedup();
    let assertions = std::iter::once(Property::assertions());
    assertions
        .chain(labels.into_iter().map(Property::reach))
        .collect()
}

#[test]
fn shipped_files_agree_with_the_direct_engine() {
    let folders = ["examples", "examples/threads", "tests/corpus"];
    let mut compared = 0;
    for path in folders.iter().flat_map(|folder| programs(folder)) {
        let Ok(model) = Model::read(&path) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        for property in asked_in_head(&text) {
            let (count, late) = assert_shipped_agree(&model, &property);
            assert_eq!(late, [""; 0], "{}: {property:?}", path.display());
            compared += count;
        }
    }
    println!("{compared} answers");
    assert!(compared > 1000, "{compared}");
}

#[test]
fn shipped_files_agree_on_random_programs() {
    let (mut compared, mut undone) = (0, Vec::new());
    for seed in 0..40 {
        let options = Options::small();
        let text = random::program(seed, &options);
        let model = Model::parse(Language::BooleanProgram, text).expect("it has no mistakes");
        let (count, late) = assert_shipped_agree(&model, &Property::assertions());
        compared += count;
        undone.extend(late.into_iter().map(|file| format!("{seed} with {file}")));
    }
    println!("{compared} answers; too late: {undone:?}");
    assert!(compared > 120, "{compared}");
}

/// Equations that are not known to follow executions only tell every value apart; those that come
/// with the library leave out what is dead. Both, and the direct engine, answer alike.
#[test]
fn what_is_dead_changes_no_answer() {
    let decided = |model: &Model, file: &str, property: &Property, text: Vec<u8>| {
        let solver = Solver::new(model, file, text).target(property.clone());
        let limits = Limits::new().timeout(Duration::from_secs(5));
        let solution = solver.limits(&limits).solve();
        solution.expect("it can be asked").query("reach")
    };
    let mut texts: Vec<String> = vec![
        // `g` is the caller's alone, `h` is handed over, `k` is read by the callee only.
        "decl g, h, k; main() begin g := 1; h := 0; k := 1; f(); \
         if (g & h) then L: skip; fi if (!g | !h) then M: skip; fi end \
         f() begin h := k; end"
            .to_owned(),
        // What is returned to is read on the way, and nowhere else.
        "decl g, h; main() begin enforce g; g := 1; h := f(); if (h) then L: skip; else M: skip; fi \
         end bool f() begin g := 0; return 1; end"
            .to_owned(),
        "decl g, h; main() begin enforce g | h; g := 1; h := f(); L: goto L; end \
         bool f() begin if (*) then g := 0; fi M: return !g; end"
            .to_owned(),
        // A target that the callee changes, too, and a return value that nobody needs.
        "decl g; main() begin decl x; x := 1; g, x := f(x); if (g) then L: skip; fi g := 0; f(g); \
         if (g) then M: skip; fi end \
         bool<2> f(a) begin g := 1; if (a) then return 0, 1; fi return 1, 0; end"
            .to_owned(),
        // Recursion: each frame waits with a value that those above it do not know.
        "decl g; main() begin decl x; x := *; g := x; f(1); if (g != x) then L: skip; fi \
         if (g = x) then M: skip; fi end \
         f(a) begin decl y; y := g; if (a) then f(*); else g := !g; fi if (*) then g := y; fi end"
            .to_owned(),
    ];
    texts.extend((100..120).map(|seed| random::program(seed, &Options::small())));
    let mut compared = 0;
    for text in texts {
        let model = Model::parse(Language::BooleanProgram, text.clone());
        let model = model.unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut properties = vec![Property::assertions()];
        if text.contains("L: ") && text.contains("M: ") {
            properties.extend([Property::reach("L"), Property::reach("M")]);
        }
        for property in &properties {
            let expected = is_violated(&model, property, false, None);
            for file in ["simple.mu", "ef.mu", "efopt.mu", "backward.mu"] {
                let exact = [shipped(file), b"# exact\n".to_vec()].concat();
                for text in [shipped(file), exact] {
                    if let Some(answer) = decided(&model, file, property, text) {
                        assert_eq!(answer, expected, "{file} of {property:?}");
                        compared += 1;
                    }
                }
            }
        }
    }
    println!("{compared} answers");
    assert!(compared > 200, "{compared}");
}

/// Without a target, summaries from reachable entries are the same relation in all three files.
#[test]
fn summaries_are_equal() {
    let all = "let Restricted(u: State, v: State) = EntryReached(u) & Summary(u, v);\n\
               let Late(u: State, v: State) = SummaryEFopt(1, u, v);\n\
               query ef = forall u, v: State. (Restricted(u, v) <-> SummaryEF(u, v));\n\
               query efopt = forall u, v: State. (Late(u, v) <-> SummaryEF(u, v));\n";
    let mut text = Vec::new();
    for file in ["simple.mu", "ef.mu", "efopt.mu"] {
        let spec = String::from_utf8(shipped(file)).expect("it is UTF-8");
        let query = spec.find("query").expect("it has one");
        text.extend_from_slice(&spec.as_bytes()[..query]);
    }
    text.extend_from_slice(all.as_bytes());
    for path in programs("examples").iter().chain(&programs("tests/corpus")) {
        let Ok(model) = Model::read(path) else {
            continue;
        };
        let solver = Solver::new(&model, "equal.mu", text.clone())
            .count("Restricted")
            .count("SummaryEF")
            .count("Late");
        let Ok(solution) = solver.solve() else {
            continue;
        };
        assert!(
            solution.queries().all(|(_, value)| value == Some(true)),
            "{}",
            path.display()
        );
        assert_eq!(solution.count("Restricted"), solution.count("SummaryEF"));
        assert_eq!(solution.count("Late"), solution.count("SummaryEF"));
    }
}

/// Without a target, and without calls, both find the same states.
#[test]
fn finite_systems_have_the_states_of_summaries() {
    let mut text = Vec::new();
    for file in ["finite.mu", "ef.mu"] {
        let spec = String::from_utf8(shipped(file)).expect("it is UTF-8");
        let query = spec.find("query").expect("it has one");
        text.extend_from_slice(&spec.as_bytes()[..query]);
    }
    let queries = "query calls = exists c, r: PC. Across(c, r);\n\
        query same = forall v: State. (Reach(v) <-> (exists u: State. SummaryEF(u, v)));\n";
    text.extend_from_slice(queries.as_bytes());
    let mut compared = 0;
    for path in programs("examples").iter().chain(&programs("tests/corpus")) {
        let Ok(model) = Model::read(path) else {
            continue;
        };
        let Ok(solution) = Solver::new(&model, "same.mu", text.clone()).solve() else {
            continue;
        };
        if solution.query("calls") == Some(false) {
            assert_eq!(solution.query("same"), Some(true), "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The states that summaries reach are the heads that `post` counts, those without a frame
/// aside.
#[test]
fn states_are_those_of_the_direct_engine() {
    for path in programs("examples") {
        let Ok(model) = Model::read(&path) else {
            continue;
        };
        let text = String::from_utf8(shipped("simple.mu")).expect("it is UTF-8")
            + "let Framed(v: State) = Reachable(v) & InProcedure(v.pc, v.pc);";
        let solver = Solver::new(&model, "simple.mu", text).count("Framed");
        let Ok(solution) = solver.solve() else {
            continue;
        };
        let heads = derny::SetQuery::post().count().ask(&model);
        let heads = heads.expect("the program can be explored").to_string();
        let framed = solution.count("Framed").expect("it is counted");
        assert_eq!(framed, heads, "{}", path.display());
    }
}

#[test]
fn boppo() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/boppo");
    let Ok(verdicts) = std::fs::read_to_string(folder.join("VERDICTS.txt")) else {
        println!("skipped: there is no folder {}", folder.display());
        return;
    };
    let (mut compared, mut undone) = (0, Vec::new());
    for line in verdicts.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, verdict, options @ ..] = &words[..] else {
            continue;
        };
        let property = match options {
            ["-l", label, ..] => Property::reach(*label),
            _ => Property::assertions(),
        };
        let path = folder.join(format!("{name}.bp"));
        let Ok(model) = Model::read(&path) else {
            continue;
        };
        let (count, late) = assert_shipped_agree(&model, &property);
        let is_violated = is_violated(&model, &property, true, None);
        assert_eq!(is_violated, *verdict == "violated", "{name}");
        compared += count;
        undone.extend(late.into_iter().map(|file| format!("{name} with {file}")));
    }
    println!("{compared} answers; too late: {undone:?}");
    assert!(compared > 0);
}

/// The text of a shipped file, with another clause in a relation's definition.
fn with_clause(file: &str, definition: &str, clause: &str) -> String {
    let text = String::from_utf8(shipped(file)).expect("it is UTF-8");
    assert!(text.contains(definition), "{file}");
    text.replacen(definition, &format!("{definition}\n    {clause} |"), 1)
}

/// Relations are the same, tuple by tuple, whether control is explicit, in the BDDs, or rounds are
/// computed as they are written. A clause that adds nothing, but joins points that have nothing to
/// do with each other, keeps control in the BDDs; a query about what is new keeps the rounds.
#[test]
fn control_may_be_explicit() {
    let ef = "mu SummaryEF(u: State, v: State) =";
    let efopt = "mu SummaryEFopt(fr: bool, u: State, v: State) =";
    let summary = "mu Summary(u: State, v: State) =";
    let seen = "\nquery new = exists p: PC. Relevant(p);\n";
    let text = |file: &str| String::from_utf8(shipped(file)).expect("it is UTF-8");
    let twins = [
        (
            "SummaryEF",
            text("ef.mu"),
            with_clause("ef.mu", ef, "(exists q: PC. (SummaryEF(u, v) & Entry(q)))"),
        ),
        (
            "Summary",
            text("simple.mu"),
            with_clause(
                "simple.mu",
                summary,
                "(exists q: PC. (Summary(u, v) & Entry(q)))",
            ),
        ),
        ("SummaryEFopt", text("efopt.mu"), text("efopt.mu") + seen),
        (
            "SummaryEFopt",
            text("efopt.mu"),
            with_clause(
                "efopt.mu",
                efopt,
                "(fr = 1 & (exists q: PC. (SummaryEFopt(1, u, v) & Entry(q))))",
            ),
        ),
    ];
    let mut models: Vec<Model> = Vec::new();
    for path in programs("examples").iter().chain(&programs("tests/corpus")) {
        models.extend(Model::read(path));
    }
    models.extend((200..215).map(|seed| {
        let text = random::program(seed, &Options::small());
        Model::parse(Language::BooleanProgram, text).expect("it has no mistakes")
    }));
    let mut compared = 0;
    for model in models.iter().filter(|model| !model.has_threads()) {
        for (relation, text, twin) in &twins {
            let answers = [text, twin].map(|text| {
                let solver = Solver::new(model, "t.mu", text.clone());
                let limits = Limits::new().timeout(Duration::from_secs(5));
                let solver = solver.target(Property::assertions()).limits(&limits);
                let solution = solver.count(*relation).list(*relation).solve();
                let solution = solution.expect("it can be asked");
                let tuples = solution.tuples(relation).map(<[_]>::to_vec);
                (
                    solution.count(relation).zip(tuples),
                    solution.query("reach"),
                )
            });
            let [one, other] = answers;
            if one.0.is_some() && other.0.is_some() {
                assert_eq!(one, other, "{} with {relation}", model.name());
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}
