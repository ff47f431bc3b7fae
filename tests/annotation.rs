//! What is said of a trace is true: subformulas by the definition of their operators on the
//! unrolled word, the run by the automaton's text, the cause by trying all other values.
//!
//! Everything is read back from the JSON output, of the examples and of random programs with
//! random formulas.

// Other tests make formulas smaller.
#[allow(dead_code)]
#[path = "temporal/formula.rs"]
mod formula;
mod library;
#[path = "temporal/looping.rs"]
mod looping;
#[path = "temporal/random.rs"]
mod random;

use derny::{Checker, Language, Model, Property};
use formula::Vocabulary;
use ltl2ba_rs::{Binary, Formula, Node, NodeId, Unary};
use random::Random;
use serde_json::Value;

/// The results of a check, as scripts see them.
fn results(model: &Model, formula: &str) -> Vec<Value> {
    let report = Checker::new(model)
        .property(Property::ltl(formula))
        .check()
        .unwrap_or_else(|error| panic!("{formula}: {error}"));
    let mut out = Vec::new();
    report.write_json(&mut out).expect("written to memory");
    let json: Value = serde_json::from_slice(&out).expect("JSON");
    json["results"].as_array().expect("a list").clone()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list").iter();
    list.map(|one| one.as_str().expect("a string").to_owned())
        .collect()
}

/// The truth values of propositions along a lasso, some of them unknown.
struct Word {
    stem: usize,
    /// By proposition, then by position.
    values: Vec<Vec<Option<bool>>>,
    length: usize,
}

impl Word {
    fn next(&self, at: usize) -> usize {
        match at + 1 < self.length {
            true => at + 1,
            false => self.stem,
        }
    }

    /// The positions from one on, each once.
    fn from(&self, at: usize) -> Vec<usize> {
        let mut positions = Vec::new();
        let mut at = at;
        while !positions.contains(&at) {
            positions.push(at);
            at = self.next(at);
        }
        positions
    }
}

fn not(a: Option<bool>) -> Option<bool> {
    a.map(|a| !a)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(and(not(a), not(b)))
}

/// The truth of a subformula at a position, by definition: there is a position at which the
/// second operand of `U` is true, and the first is at all before it.
fn truth(formula: &Formula, id: NodeId, word: &Word, at: usize) -> Option<bool> {
    let of = |id: NodeId, at: usize| truth(formula, id, word, at);
    let until = |f: &dyn Fn(usize) -> Option<bool>, g: &dyn Fn(usize) -> Option<bool>| {
        let mut before = Some(true);
        let mut found = Some(false);
        for at in word.from(at) {
            found = or(found, and(before, g(at)));
            before = and(before, f(at));
        }
        found
    };
    match formula.node(id) {
        Node::Constant(value) => Some(value),
        Node::Proposition(index) => word.values[index as usize][at],
        Node::Unary(Unary::Not, f) => not(of(f, at)),
        Node::Unary(Unary::Next, f) => of(f, word.next(at)),
        Node::Unary(Unary::Finally, f) => until(&|_| Some(true), &|at| of(f, at)),
        Node::Unary(Unary::Globally, f) => not(until(&|_| Some(true), &|at| not(of(f, at)))),
        Node::Binary(Binary::And, f, g) => and(of(f, at), of(g, at)),
        Node::Binary(Binary::Or, f, g) => or(of(f, at), of(g, at)),
        Node::Binary(Binary::Implies, f, g) => or(not(of(f, at)), of(g, at)),
        Node::Binary(Binary::Iff, f, g) => {
            let (f, g) = (of(f, at), of(g, at));
            and(or(not(f), g), or(not(g), f))
        }
        Node::Binary(Binary::Xor, f, g) => {
            let (f, g) = (of(f, at), of(g, at));
            not(and(or(not(f), g), or(not(g), f)))
        }
        Node::Binary(Binary::Until, f, g) => until(&|at| of(f, at), &|at| of(g, at)),
        // `f R g` is not (not f U not g), `f W g` is `g R (f | g)`, `f M g` is `g U (f & g)`.
        Node::Binary(Binary::Release, f, g) => {
            not(until(&|at| not(of(f, at)), &|at| not(of(g, at))))
        }
        Node::Binary(Binary::WeakUntil, f, g) => not(until(&|at| not(of(g, at)), &|at| {
            not(or(of(f, at), of(g, at)))
        })),
        Node::Binary(Binary::StrongRelease, f, g) => {
            until(&|at| of(g, at), &|at| and(of(f, at), of(g, at)))
        }
    }
}

/// Whether a step has a proposition, as far as the step alone tells.
fn holds_at(step: &Value, proposition: &str) -> Option<bool> {
    match proposition {
        "terminated" => return Some(step["point"] == "terminated"),
        "error" => return Some(step["point"] == "error"),
        _ => {}
    }
    if let Some(procedure) = proposition.strip_prefix("in(") {
        let procedure = procedure.strip_suffix(')')?;
        return Some(step["procedure"] == procedure);
    }
    let name = proposition.strip_prefix('{').unwrap_or(proposition);
    let name = name.strip_suffix('}').unwrap_or(name).trim();
    let value = step["globals"].get(name)?.as_u64()?;
    (value < 2).then_some(value == 1)
}

/// Checks everything that is said of one violation.
fn check(result: &Value) {
    let text = result["property"]["text"].as_str().expect("a text");
    let trace = &result["trace"];
    let list = |part: &str| trace[part].as_array().expect("a list").clone();
    let (stem, cycle) = (list("stem"), list("loop"));
    let steps: Vec<Value> = stem.iter().chain(&cycle).cloned().collect();
    if steps.iter().any(|step| step.get("folded").is_some()) {
        assert!(result.get("formula").is_none() && result.get("automaton").is_none());
        return;
    }
    let subformulas = strings(&result["formula"]["subformulas"]);
    let rows = strings(&result["formula"]["truth"]);
    let parsed = ltl2ba_rs::parse(text).expect("a formula").formula;
    let order = parsed.subformulas();
    assert_eq!(subformulas.len(), order.len(), "{text}");
    assert_eq!(rows.len(), order.len(), "{text}");
    let row = |name: &str| {
        let at = subformulas.iter().position(|one| one == name);
        &rows[at.unwrap_or_else(|| panic!("{name} is in {subformulas:?}"))]
    };
    let bits = |row: &str| row.chars().map(|bit| Some(bit == '1')).collect::<Vec<_>>();
    let propositions = parsed.propositions().iter();
    let word = Word {
        stem: stem.len(),
        length: steps.len(),
        values: propositions.map(|p| bits(row(&p.source()))).collect(),
    };
    for (proposition, values) in parsed.propositions().iter().zip(&word.values) {
        for (step, value) in steps.iter().zip(values) {
            if let Some(expected) = holds_at(step, &proposition.text) {
                assert_eq!(*value, Some(expected), "{} at {step}", proposition.text);
            }
        }
    }
    for ((id, name), row) in order.iter().zip(&subformulas).zip(&rows) {
        assert_eq!(row.len(), steps.len(), "{name}");
        let again = ltl2ba_rs::parse(name).expect("a subformula is a formula");
        assert_eq!(again.formula.to_string(), *name, "{text}");
        for (at, value) in bits(row).into_iter().enumerate() {
            assert_eq!(truth(&parsed, *id, &word, at), value, "{name} at {at}");
        }
    }
    assert!(rows[0].starts_with('0'), "{text}");
    assert!(result.get("automaton").is_some(), "{text} on {trace:#}");
    check_run(&result["automaton"], &parsed, &word);
    check_cause(result, &parsed, word);
}

/// The run begins in an initial state, takes edges that its letters allow, and comes back by
/// an accepting way.
fn check_run(automaton: &Value, formula: &Formula, word: &Word) {
    let hoa = automaton["hoa"].as_str();
    let hoa = hoa.unwrap_or_else(|| panic!("a run over {}", word.length));
    let read = ltl2ba_rs::hoa::read(hoa).expect("an automaton");
    let run = automaton["run"].as_array().expect("a list").iter();
    let run: Vec<u32> = run
        .map(|state| state.as_u64().expect("a number") as u32)
        .collect();
    assert_eq!(run.len(), word.length);
    assert!(read.initial.contains(&run[0]), "{hoa}");
    let index = |name: &String| {
        let mut known = formula.propositions().iter();
        known.position(|p| p.text == *name).expect("it is known")
    };
    for at in 0..word.length {
        let letter: Vec<bool> = (read.propositions.iter())
            .map(|name| word.values[index(name)][at] == Some(true))
            .collect();
        let next = run[word.next(at)];
        let mut edges = read.edges_from(run[at]).iter();
        assert!(
            edges.any(|edge| edge.target == next && edge.label.holds(&letter)),
            "no edge at {at} of {run:?} in\n{hoa}"
        );
    }
    let around = &run[word.stem - 1..];
    assert_eq!(around.first(), around.last(), "{run:?}");
    assert!(
        around.iter().any(|state| read.is_accepting(*state)),
        "{hoa}"
    );
}

/// The values suffice, and none of them can be left out.
fn check_cause(result: &Value, formula: &Formula, mut word: Word) {
    let pairs = result["cause"].as_array().expect("a list");
    let known = |name: &str| {
        let mut known = formula.propositions().iter();
        known.position(|p| p.source() == name).expect("it is known")
    };
    let mut cause: Vec<(usize, usize)> = Vec::new();
    for pair in pairs {
        let step = pair[0].as_u64().expect("a step") as usize;
        cause.push((step, known(pair[1].as_str().expect("a name"))));
    }
    assert!(cause.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    let whole = word.values.clone();
    for (proposition, values) in word.values.iter_mut().enumerate() {
        for (step, value) in values.iter_mut().enumerate() {
            if !cause.contains(&(step, proposition)) {
                *value = None;
            }
        }
    }
    let root = formula.root();
    assert_eq!(truth(formula, root, &word, 0), Some(false), "{cause:?}");
    for (step, proposition) in &cause {
        word.values[*proposition][*step] = None;
        assert_ne!(truth(formula, root, &word, 0), Some(false), "{cause:?}");
        word.values[*proposition][*step] = whole[*proposition][*step];
    }
    let mut unknown = Vec::new();
    for (proposition, values) in word.values.iter().enumerate() {
        let steps = (0..values.len()).filter(|step| values[*step].is_none());
        unknown.extend(steps.map(|step| (proposition, step)));
    }
    if unknown.len() > 12 {
        return;
    }
    for fill in 0..1_u32 << unknown.len() {
        for (i, (proposition, step)) in unknown.iter().enumerate() {
            word.values[*proposition][*step] = Some(fill >> i & 1 == 1);
        }
        assert_eq!(truth(formula, root, &word, 0), Some(false), "{cause:?}");
    }
}

/// A formula of an example, and how long its trace may be for the naive evaluation.
const EXAMPLES: [(&str, &str); 6] = [
    ("fair-scheduler.bp", "[](left -> <> right)"),
    ("fair-scheduler.bp", "[]<> left"),
    ("fair-scheduler.bp", "<>[] !left || <>[] !right"),
    ("server-loop.bp", "[](req -> <> ack)"),
    ("lock.bp", "F terminated"),
    ("lock.bp", "G (acquire -> X (!acquire W release))"),
];

#[test]
fn what_is_said_of_the_examples_is_true() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut violations = 0;
    for (file, formula) in EXAMPLES {
        let model = Model::read(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
        for result in results(&model, formula) {
            if result["verdict"] == "violated" {
                check(&result);
                violations += 1;
            }
        }
    }
    assert!(violations >= 4, "{violations} violations");
}

#[test]
fn what_is_said_of_random_violations_is_true() {
    let mut violations = 0;
    for seed in 0..2000 {
        let text = looping::program(seed);
        let Ok(model) = Model::parse(Language::BooleanProgram, text.as_str()) else {
            continue;
        };
        let program = library::read(&text);
        let vocabulary = Vocabulary::of(&program);
        let mut random = Random::new(seed ^ 0xa110);
        let formula = vocabulary.formula(&mut random, 4).to_string();
        if library::property(&*program, derny::PropertyKind::Ltl, &formula).is_err() {
            continue;
        }
        for result in results(&model, &formula) {
            let steps = |part: &str| result["trace"][part].as_array().map_or(0, Vec::len);
            if result["verdict"] == "violated" && steps("stem") + steps("loop") <= 60 {
                check(&result);
                violations += 1;
            }
        }
        if violations >= 100 {
            return;
        }
    }
    panic!("only {violations} violations");
}
