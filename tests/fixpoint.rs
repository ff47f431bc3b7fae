//! The fixed-point calculus: the symbolic evaluation against the naive one, the shipped
//! algorithms against the direct engine and against each other, and every message.

mod support;

use derny::generate::random::{self, Options};
use derny::internals::fixpoint::{
    Equations, Failure, RelationId, Session, Targets, Task, Vocabulary, evaluate, read,
    with_session,
};
use derny::internals::source::Source;
use derny::internals::watch::Watch;
use derny::{Checker, Error, Language, Limits, Model, Property, Solver, Verdict};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A generator of numbers (xorshift), the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// A formula over these variables; `depth` bounds its size.
    fn form(&mut self, variables: &[&str], depth: u32) -> String {
        let term = |random: &mut Self| match random.below(4) {
            0 => random.below(4).to_string(),
            _ => random.pick(variables).to_owned(),
        };
        if depth == 0 || self.below(5) == 0 {
            let (one, other) = (term(self), term(self));
            return match self.below(7) {
                0 => format!("{one} = {other} + 1"),
                1 => format!("{one} < {other}"),
                2 => format!("{one} != {other}"),
                3 | 4 => format!("A({one}, {other})"),
                5 => format!("B({one})"),
                _ => format!("C({one}, {other})"),
            };
        }
        let depth = depth - 1;
        match self.below(8) {
            0 => format!("!({})", self.form(variables, depth)),
            1 | 2 => {
                let (one, other) = (self.form(variables, depth), self.form(variables, depth));
                format!("({one}) & ({other})")
            }
            3 | 4 => {
                let (one, other) = (self.form(variables, depth), self.form(variables, depth));
                format!("({one}) | ({other})")
            }
            5 => {
                let (one, other) = (self.form(variables, depth), self.form(variables, depth));
                format!("({one}) <-> ({other})")
            }
            quantifier => {
                let name = ["p", "q", "r"][depth as usize % 3];
                let domain = self.pick(&["0..2", "1..3", "bool"]);
                let mut inner = variables.to_vec();
                inner.push(name);
                let word = if quantifier == 6 { "exists" } else { "forall" };
                format!("{word} {name}: {domain}. ({})", self.form(&inner, depth))
            }
        }
    }

    fn equations(&mut self) -> String {
        let mut keyword = || ["mu", "mu", "nu", "let"][self.below(4) as usize];
        let (a, b, c) = (keyword(), keyword(), keyword());
        let (one, two) = (["x", "y"], ["x"]);
        format!(
            "{a} A(x: 0..2, y: 1..3) = {};\n{b} B(x: 0..3) = {};\n{c} C(x: bool, y: 0..2) = {};\n",
            self.form(&one, 3),
            self.form(&two, 3),
            self.form(&one, 2),
        )
    }
}

fn equations(text: &str) -> Result<Equations, Vec<String>> {
    let source = Source::new("test.mu", text.as_bytes().to_vec());
    let read = read(&source, Vocabulary::default(), &[]);
    read.map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// Runs `work` on the equations, without a program.
fn compute<T>(
    equations: &Equations,
    relation: RelationId,
    work: impl FnOnce(&mut Session<'_, '_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (watch, targets) = (Watch::default(), Targets::default());
    let task = Task {
        program: None,
        threads: None,
        equations,
        targets: &targets,
        asked: &[relation],
        memory: 1 << 28,
        follows_executions: false,
        measures: false,
        watch: &watch,
    };
    with_session(&task, work)
}

/// Both evaluations agree on a relation: on each tuple near its domain, or on the rounds after
/// which it is known never to settle.
fn assert_agree(text: &str, equations: &Equations, relation: RelationId) -> bool {
    let naive = evaluate(equations, relation);
    let arity = equations.relation(relation).parameters;
    let symbolic = compute(equations, relation, |session| {
        session.relation(relation)?;
        let mut found = Vec::new();
        for code in 0..4_i128.pow(arity) {
            let tuple: Vec<i128> = (0..arity).map(|i| code / 4_i128.pow(i) % 4).collect();
            let is_value = match (relation_name(equations, relation), &tuple[..]) {
                ("A", [x, y]) => *x <= 2 && *y >= 1,
                ("C", [x, y]) => *x <= 1 && *y <= 2,
                _ => true,
            };
            if is_value && session.contains(relation, &tuple)? {
                found.push(tuple);
            }
        }
        let count = session.count(relation)?;
        assert_eq!(count.to_string(), found.len().to_string(), "{text}");
        Ok(found)
    });
    match (naive, symbolic) {
        (Ok(naive), Ok(symbolic)) => {
            assert_eq!(naive, symbolic.into_iter().collect(), "{text}");
            true
        }
        (Err(naive), Err(Failure::Unsettled(other, rounds))) => {
            // Where several never settle, either may be met first.
            if naive.relation == relation && other == relation {
                assert_eq!(naive.rounds, rounds, "{text}");
            }
            false
        }
        (naive, symbolic) => panic!("{text}: {naive:?} and {symbolic:?}"),
    }
}

fn relation_name(equations: &Equations, relation: RelationId) -> &str {
    &equations.relation(relation).name
}

#[test]
fn random_equations_have_the_values_of_the_naive_evaluation() {
    let mut random = Random(88_172_645_463_325_252);
    let [mut settled, mut unsettled, mut monotone] = [0, 0, 0];
    for _ in 0..400 {
        let text = random.equations();
        // A cycle of `let`s alone is refused.
        let Ok(equations) = equations(&text) else {
            continue;
        };
        monotone += usize::from(equations.warnings.is_empty());
        for name in ["A", "B", "C"] {
            let relation = equations.find(name).expect("it is defined");
            match assert_agree(&text, &equations, relation) {
                true => settled += 1,
                false => unsettled += 1,
            }
        }
    }
    assert!(settled > 300, "{settled}");
    assert!(unsettled > 30, "{unsettled}");
    assert!(monotone > 30, "{monotone}");
}

#[test]
fn messages() {
    let cases = [
        ("mu A(x: bool) = B(x);", "unknown relation `B`"),
        ("mu Abc(x: bool) = Abd(x);", "did you mean `Abc`?"),
        (
            "mu A(x: bool) = y;",
            "unknown variable `y`: it is free here",
        ),
        (
            "query q = x = 1;",
            "the query `q` is open: `x` is a free variable in it",
        ),
        (
            "mu A(x: bol) = x;",
            "unknown type `bol` (did you mean `bool`?)",
        ),
        (
            "mu A(x: bool) = A(x, x);",
            "`A` has 1 argument, and 2 are given",
        ),
        (
            "mu A(u: State) = A(1);",
            "`A` needs an argument of domain State here, and this is the number 1",
        ),
        (
            "mu A(u: State) = Entry(u);",
            "`Entry` needs an argument of domain PC here, and this is of domain State",
        ),
        (
            "mu A(x: bool) = x; nu A(x: bool) = x;",
            "two definitions of the relation `A`",
        ),
        (
            "mu Entry(x: bool) = x;",
            "the relation `Entry` is supplied by the program",
        ),
        (
            "type State = bool;",
            "the type `State` is supplied by the program",
        ),
        (
            "mu A(a: bool[0..2]) = a[3];",
            "the index 3 is outside of 0..2",
        ),
        (
            "mu A(u: State) = u.pq = u.pc;",
            "there is no field `pq` in State (did you mean `pc`?)",
        ),
        (
            "let A(x: bool) = B(x); let B(x: bool) = A(x);",
            "a cycle of `let`s alone has no meaning: `A`, `B`",
        ),
        (
            "mu A(u: State, t: bool) = Start(t, u);",
            "there is no `Start` here: it is for programs with threads",
        ),
        (
            "mu A(t: Thread) = true;",
            "`Thread` is for programs with threads",
        ),
        (
            "mu A(u: State) = u.pc < u.pc;",
            "only numbers are ordered, and these are of domain PC",
        ),
        (
            "mu A(u: State) = u.pc = u.L;",
            "of domain PC cannot be compared with of domain Locals",
        ),
        (
            "mu A(x: 0..3) = A(x + 1);",
            "a sum with a variable can only be compared",
        ),
        (
            "mu A(x: 0..3) = x;",
            "a formula is needed here, and this is of domain 0..3",
        ),
        ("mu A(x: bool) order y ~ x = x;", "unknown variable `y`"),
        ("type T = { a: T };", "the type `T` is part of itself"),
        (
            "mu A(x: bool) = x",
            "expected `;`, found the end of the file",
        ),
        ("mu A(x, x: bool) = x;", "two variables `x`"),
        (
            "mu A(x: 0..99999999999999999999) = true;",
            "this number is too large",
        ),
        ("mu A(x: bool) = some i in 0..K. x;", "unknown constant `K`"),
        ("mu mu(x: bool) = x;", "`mu` is a keyword"),
        ("mu A(x: bool) = x @ x;", "unknown character `@`"),
    ];
    for (text, message) in cases {
        let errors = equations(text).map(|_| ()).expect_err(text).join("\n");
        assert!(errors.contains(message), "{text}: {errors}");
    }
    let two = equations("mu A(x: bool) = y | B(x); query q = z;").map(|_| ());
    assert_eq!(two.expect_err("three errors").len(), 3);
}

#[test]
fn empty_ranges_are_no_errors() {
    let text = "param K = 0;\n\
                mu A(a: bool[1..K]) = (all i in 1..K. a[i]) & !(some i in 1..K. a[i]);\n\
                mu B(x: 1..0) = true;\n";
    let equations = equations(text).expect("nothing is wrong");
    let count = |name: &str| count(&equations, name);
    assert_eq!([count("A"), count("B")], ["1", "0"]);
}

fn count(equations: &Equations, name: &str) -> String {
    let relation = equations.find(name).expect("it is defined");
    let count = compute(equations, relation, |session| session.count(relation));
    count.expect("it has a value").to_string()
}

#[test]
fn arithmetic_is_exact() {
    let text = "type Big = 0..18446744073709551615;\n\
                mu A(x: Big, y: Big) = x = y + 1;\n\
                mu B(x: 0..3, y: 5..9) = x + 5 = y;\n\
                mu C(x: 0..3) = x = x + 1;\n\
                mu D(x: 2..5) = E(x); mu E(x: 0..3) = true;\n\
                mu F(a: bool[0..3], t: 0..7) = a[t];\n";
    let equations = equations(text).expect("nothing is wrong");
    let expected = [
        ("A", "18446744073709551615"),
        ("B", "4"),
        ("C", "0"),
        ("D", "2"),
        ("F", "32"),
    ];
    for (name, expected) in expected {
        assert_eq!(count(&equations, name), expected, "{name}");
    }
}

#[test]
fn hostile_texts_are_refused_or_read() {
    let deep = "(".repeat(100_000) + "true" + &")".repeat(100_000);
    let chain = vec!["true"; 100_000].join(" -> ");
    let nots = "!".repeat(100_000) + "true";
    let types: String = (0..10_000)
        .map(|i| format!("type T{} = {{ a, b: T{i} }};\n", i + 1))
        .collect();
    let texts = [
        format!("query q = {deep};"),
        format!("query q = {chain};"),
        format!("query q = {nots};"),
        format!("type T0 = bool;\n{types}mu A(x: T9999) = true;"),
        "mu A(a: bool[0..1000000]) = a[0];".to_owned(),
        "query q = all i in 0..18446744073709551615. true;".to_owned(),
        "query q = all i in 0..999. all j in 0..999. all k in 0..999. i = j;".to_owned(),
        "exists exists exists . . . ;;; } { ] [".to_owned(),
        "mu".to_owned(),
        String::from_utf8_lossy(&[0xff, 0, 1, 2, b'\n', 0xc3, 0x28]).into_owned(),
    ];
    for text in &texts {
        let _ = equations(text);
    }
    let source = Source::new("bytes", (0..=255).cycle().take(10_000).collect());
    assert!(read(&source, Vocabulary::default(), &[]).is_err());
}

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

#[test]
fn shipped_files_agree_with_the_direct_engine() {
    let folders = ["examples", "examples/threads", "tests/corpus"];
    let mut compared = 0;
    for path in folders.iter().flat_map(|folder| programs(folder)) {
        let Ok(model) = Model::read(&path) else {
            continue;
        };
        let (count, late) = assert_shipped_agree(&model, &Property::assertions());
        assert_eq!(late, [""; 0], "{}", path.display());
        compared += count;
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.contains("\n  L:") && text.contains("--reach L ") {
            assert_shipped_agree(&model, &Property::reach("L"));
        }
    }
    println!("{compared} answers");
    assert!(compared > 100, "{compared}");
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

/// A library does not know how its user's options are called.
#[test]
fn messages_of_the_library_name_no_options() {
    let model = Model::parse(Language::BooleanProgram, support::PROGRAM).expect("no mistakes");
    let solver = || Solver::new(&model, "e.mu", "param N = 1; query q = N = 1;");
    let wrong = [
        (
            solver().define("M", 3),
            "definition:1:1: error: there is no parameter `M` in e.mu",
        ),
        (
            solver().count("Exits"),
            "relation:1:1: error: unknown relation `Exits`",
        ),
        (
            solver().list("Exits"),
            "relation:1:1: error: unknown relation `Exits`",
        ),
        (solver().target(Property::terminates()), "and nothing else"),
    ];
    for (solver, expected) in wrong {
        let message = match solver.solve() {
            Err(Error::Diagnostics(diagnostics)) => diagnostics.to_string(),
            Err(error) => error.to_string(),
            Ok(_) => panic!("{expected}"),
        };
        assert!(message.contains(expected), "{message}");
        assert!(
            !message.contains("--") && !message.contains("-D"),
            "{message}"
        );
    }
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

fn run(arguments: &[&str]) -> support::Run {
    let mut all = vec!["solve"];
    all.extend(arguments);
    support::derny(&all)
}

#[test]
fn the_command_solves() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.bp");
    std::fs::write(&program, support::PROGRAM).expect("it can be written");
    let program = program.to_str().expect("UTF-8");
    let equations = folder.path().join("e.mu");
    let write = |text: &str| std::fs::write(&equations, text).expect("it can be written");
    let file = equations.to_str().expect("UTF-8");
    write("param N = 2; query two = N = 2; query at = exists p: PC. Target(p);");
    let plain = run(&[file, program]);
    assert_eq!(
        (plain.code, plain.stdout.as_str()),
        (0, "true two\nfalse at\n")
    );
    let given = run(&[file, program, "-D", "N=3", "--reach", "L"]);
    assert_eq!(given.stdout, "false two\ntrue at\n", "{}", given.stderr);
    let wrong = run(&[file, program, "-D", "M=3"]);
    support::assert_bad_input(&wrong, "there is no parameter `M`");
    let counted = run(&[
        file, program, "--count", "Exit", "--list", "Exit", "--most", "1",
    ]);
    assert!(
        counted
            .stdout
            .ends_with("2 Exit\n  not_:exit\n  ... and 1 more\n"),
        "{}",
        counted.stdout
    );
    let json = run(&[
        file, program, "--count", "Exit", "--list", "Entry", "--format", "json",
    ]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(
        json["queries"][0],
        serde_json::json!({"name": "two", "value": true})
    );
    assert_eq!(
        json["relations"],
        serde_json::json!([
            {"name": "Exit", "count": "2", "tuples": null},
            {"name": "Entry", "count": null, "tuples": ["not_:4", "main:9"]},
        ])
    );
    let wrong = run(&[file, program, "--count", "Exits"]);
    support::assert_bad_input(&wrong, "unknown relation `Exits`");
    write("mu A(x: bool) = !A(x); query q = A(0);");
    let unsettled = run(&[file, program]);
    support::assert_bad_input(
        &unsettled,
        "after round 2 it has the value of round 0 again",
    );
    write("mu A(x: bool) = y; query q = z;");
    let wrong = run(&[file, program]);
    support::assert_bad_input(&wrong, "2 errors");
}

#[test]
fn names_in_tuples_are_harmless_on_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (equations, program) = (path("e.mu"), path("p.bp"));
    let text = "decl {a\x1b[31mb}; main() begin skip; end";
    std::fs::write(&program, text).expect("it can be written");
    std::fs::write(&equations, "mu A(u: State) = Init(u.pc);").expect("it can be written");
    let listed = run(&[&equations, &program, "--list", "A"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert!(
        listed.stdout.contains("{a\u{fffd}[31mb}=1"),
        "{}",
        listed.stdout
    );
}

#[test]
fn equations_decide_checks() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.bp");
    std::fs::write(&program, support::PROGRAM).expect("it can be written");
    for algorithm in ["simple", "ef", "efopt"] {
        let run = support::check(
            &program,
            &["--reach", "L", "--reach", "M", "--algorithm", algorithm],
        );
        assert_eq!(run.code, 1, "{}", run.stderr);
        assert!(run.stdout.starts_with("reachable"), "{}", run.stdout);
        assert!(run.stdout.contains("\nunreachable"), "{}", run.stdout);
    }
    let liar = folder.path().join("liar.mu");
    std::fs::write(&liar, "query always = true;").expect("it can be written");
    let liar = liar.to_str().expect("UTF-8");
    let run = support::check(&program, &["--reach", "M", "--algorithm", liar]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    let run = support::check(&program, &["--terminates", "--algorithm", "ef"]);
    support::assert_bad_input(&run, "whether an assertion fails, and nothing else");
}

/// Interleaved, two equal numbers take few nodes; one above the other, one for each value.
#[test]
fn a_definition_may_ask_for_an_order() {
    let nodes = |order: &str| {
        let text = format!("mu A(x: 0..4095, y: 0..4095) order {order} = x = y;\nquery q = true;");
        let model = Model::parse(Language::BooleanProgram, "main() begin skip; end");
        let solver = Solver::new(&model.expect("a program"), "order.mu", text);
        let solution = solver.count("A").measure(true).solve().expect("a solution");
        let mut json = Vec::new();
        solution
            .write_json(&mut json)
            .expect("memory takes everything");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["relations"][0]["count"], "4096");
        json["stats"]["relations"][0]["nodes"]
            .as_u64()
            .expect("a number")
    };
    let (together, apart) = (nodes("x ~ y"), nodes("x < y"));
    assert!(together < 100 && apart > 4096, "{together}, {apart}");
    // Variables that a quantifier binds may be named, too, and wishes may contradict each other.
    let text = "mu A(x: 0..3) order x < y, y < x = exists y: 0..3. (x = y);\n";
    let equations = equations(text).expect("nothing is wrong");
    assert_eq!(count(&equations, "A"), "4");
}

#[test]
fn limits_leave_what_is_not_done_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("driver.bp");
    let text = random::program(1, &Options::driver());
    std::fs::write(&program, text).expect("it can be written");
    let program = program.to_str().expect("UTF-8");
    let equations = folder.path().join("e.mu");
    let mut text = b"query first = true;\n".to_vec();
    text.extend(shipped("ef.mu"));
    std::fs::write(&equations, text).expect("it can be written");
    let file = equations.to_str().expect("UTF-8");
    for limit in [["--timeout", "1"], ["--memory", "40"]] {
        let mut arguments = vec![file, program, "--reach", "never"];
        arguments.extend(limit);
        let text = run(&arguments);
        assert_eq!(text.code, 3, "{limit:?}: {}", text.stderr);
        let lines: Vec<&str> = text.stdout.lines().collect();
        assert_eq!(lines.len(), 2, "{limit:?}: {}", text.stdout);
        assert!(lines[1].starts_with("unknown reach ("), "{}", text.stdout);
        arguments.extend(["--format", "json"]);
        let json = run(&arguments);
        assert_eq!(json.code, 3, "{}", json.stderr);
        let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert!(json["queries"][1]["value"].is_null(), "{json}");
    }
}

#[test]
fn equations_about_threads_decide_checks_within_bounds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/threads/bluetooth.bp");
    let bounded = |options: &[&str]| support::check(&path, options);
    for (options, code) in [
        (["--algorithm", "cbr", "--switches", "2"], 0),
        (["--algorithm", "cbr", "--switches", "3"], 1),
        (["--algorithm", "rounds", "--rounds", "1"], 0),
        (["--algorithm", "rounds", "--rounds", "2"], 1),
    ] {
        let run = bounded(&options);
        assert_eq!(run.code, code, "{options:?}: {}", run.stderr);
    }
    let wrong = |options: &[&str], message| support::assert_bad_input(&bounded(options), message);
    wrong(&["--algorithm", "cbr"], "--switches K or --rounds R");
    wrong(
        &["--algorithm", "cbr", "--rounds", "2"],
        "have no parameter `R`",
    );
    wrong(
        &["--algorithm", "ef", "--switches", "2"],
        "have no parameter `K`",
    );
    wrong(
        &["--algorithm", "cbr", "--switches", "2", "-D", "K=3"],
        "given twice",
    );
    wrong(
        &["--algorithm", "cbr", "--switches", "1000000"],
        "at most 10000 are possible",
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/cbr.mu");
    let file = file.to_str().expect("UTF-8");
    let servers = path.with_file_name("server.bp");
    let creates = run(&[file, servers.to_str().expect("UTF-8")]);
    support::assert_bad_input(&creates, "equations know no `start_thread`");
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("own.bp");
    let text = "decl thread_local o; thread p(); void p() begin o := 1; end";
    std::fs::write(&own, text).expect("it can be written");
    let own = run(&[file, own.to_str().expect("UTF-8")]);
    support::assert_bad_input(&own, "equations know no `thread_local` globals");
    let alone = path.with_file_name("../lock.bp");
    let alone = run(&[file, alone.to_str().expect("UTF-8")]);
    support::assert_bad_input(&alone, "`Thread` is for programs with threads");
}

/// What `init` leaves, and where it comes to, calls and recursion included.
#[test]
fn threads_begin_with_what_init_leaves() {
    let text = "decl g, h; thread p();
        void init() begin g := 0; h := *; again(); if (h) then end_thread; fi g := 1; end
        void again() begin if (*) then L: again(); fi M: skip; end
        void p() begin skip; end";
    let model = Model::parse(Language::BooleanProgram, text).expect("a program");
    let equations = "let A(g: Globals) = StartGlobals(g);\n\
        query reaches = exists p: PC. (InitReaches(p) & Target(p));\n";
    let solve = |target: &str| {
        let solver = Solver::new(&model, "init.mu", equations).target(Property::reach(target));
        solver.count("A").list("A").solve().expect("a solution")
    };
    let solution = solve("M");
    assert_eq!(solution.query("reaches"), Some(true));
    let mut shown = Vec::new();
    solution
        .write_json(&mut shown)
        .expect("memory takes everything");
    let json: serde_json::Value = serde_json::from_slice(&shown).expect("JSON");
    assert_eq!(json["relations"][0]["count"], "2", "{json}");
}
