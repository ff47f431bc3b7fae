//! A checker of the shape of a JSON trace, against the text of the program.

use super::outline::{Outline, Place};
use serde_json::Value;
use std::collections::BTreeSet;

/// The keys of every step, in their order.
const KEYS: [&str; 12] = [
    "procedure",
    "point",
    "line",
    "column",
    "labels",
    "text",
    "depth",
    "globals",
    "locals",
    "end_line",
    "end_column",
    "relevant",
];

/// What a finite trace must lead to.
pub enum Goal<'a> {
    /// `L` or `p.L`.
    Label(&'a str),
    Error,
}

/// Panics, with the step, unless the trace is well-formed: it begins at the first statement
/// of the entry procedure and comes to the goal, and each step describes a configuration of
/// this program and can follow the one before as far as its depth and point tell.
pub fn assert_shape(program: &str, entry: &str, goal: &Goal, trace: &Value) {
    let outline = Outline::new(program);
    let keys: Vec<&String> = trace.as_object().expect("an object").keys().collect();
    let names: BTreeSet<&str> = keys.iter().map(|key| key.as_str()).collect();
    assert_eq!(names, BTreeSet::from(["stem", "loop"]));
    assert_eq!(
        trace["loop"].as_array().expect("loop is a list").len(),
        0,
        "a finite trace has no loop"
    );
    let stem = trace["stem"].as_array().expect("stem is a list");
    assert!(!stem.is_empty(), "the stem has a step");

    let mut waiting: Vec<(String, BTreeSet<String>)> = Vec::new();
    for (i, step) in stem.iter().enumerate() {
        let last = i + 1 == stem.len();
        assert_step(&outline, step, matches!(goal, Goal::Error) && last);
        let Some(next) = stem.get(i + 1) else { break };
        if next["point"] == "error" {
            assert_eq!(step["point"], "statement", "only a statement fails");
            assert!(string(step, "text").starts_with("assert"), "{step}");
            assert_eq!(step["globals"], next["globals"], "failing changes nothing");
            continue;
        }
        let (depth, next_depth) = (number(step, "depth"), number(next, "depth"));
        if next_depth == depth + 1 {
            assert_eq!(step["point"], "statement", "a call is a statement: {step}");
            assert_eq!(step["globals"], next["globals"], "a call changes no global");
            waiting.push((string(step, "procedure").to_owned(), variables(step)));
            let callee = outline.of(string(next, "procedure"));
            assert_eq!(
                place(next),
                callee.first,
                "a call leads to the first statement"
            );
        } else if next_depth + 1 == depth {
            assert_eq!(
                step["point"], "exit",
                "only the exit point pops a frame: {step}"
            );
            let caller = waiting.pop().expect("a frame waits");
            let back = (string(next, "procedure").to_owned(), variables(next));
            assert_eq!(caller, back, "a call returns to its caller");
        } else {
            assert_eq!(
                depth, next_depth,
                "the depth changes by one at most: {next}"
            );
            assert_eq!(step["procedure"], next["procedure"]);
            assert_eq!(
                step["point"], "statement",
                "nothing follows an exit in its frame"
            );
        }
    }

    let first = &stem[0];
    if first["point"] != "error" {
        assert_eq!(string(first, "procedure"), entry);
        assert_eq!(
            place(first),
            outline.of(entry).first,
            "the start is the first statement"
        );
        assert_eq!(number(first, "depth"), 0);
    }
    let last = &stem[stem.len() - 1];
    match goal {
        Goal::Error => assert_eq!(last["point"], "error"),
        Goal::Label(label) => {
            assert_eq!(last["point"], "statement");
            let (procedure, label) = match label.split_once('.') {
                Some((procedure, label)) => (Some(procedure), label),
                None => (None, *label),
            };
            if let Some(procedure) = procedure {
                assert_eq!(string(last, "procedure"), procedure);
            }
            let labels = last["labels"].as_array().expect("labels is a list");
            assert!(labels.iter().any(|l| l == label), "{label} is at {last}");
        }
    }
}

/// The line and column of each step.
pub fn places(trace: &Value) -> Vec<String> {
    let stem = trace["stem"].as_array().expect("stem is a list");
    let text = |step| {
        let (line, column) = place(step);
        format!("{line}:{column}")
    };
    stem.iter().map(text).collect()
}

fn assert_step(outline: &Outline, step: &Value, error: bool) {
    let object = step.as_object().expect("a step is an object");
    for key in KEYS {
        assert!(object.contains_key(key), "{key} is missing in {step}");
    }
    let returns = object.contains_key("returns");
    let others = ["returns", "branch", "choice"];
    let others = others.iter().filter(|key| object.contains_key(**key));
    assert_eq!(
        object.len(),
        KEYS.len() + others.count(),
        "no key is too many in {step}"
    );
    let globals = names_of_values(&step["globals"]);
    assert_eq!(globals, outline.globals, "every global is in {step}");
    let labels = step["labels"].as_array().expect("labels is a list");
    assert!(labels.iter().all(Value::is_string));
    if error {
        assert_eq!(step["point"], "error");
        assert_eq!(string(step, "procedure"), "");
        assert_eq!(place(step), (0, 0));
        assert_eq!(number(step, "depth"), 0);
        assert_eq!(names_of_values(&step["locals"]), BTreeSet::new());
        assert!(labels.is_empty() && !returns);
        return;
    }
    let procedure = outline.of(string(step, "procedure"));
    assert_eq!(
        variables(step),
        procedure.variables,
        "every local is in {step}"
    );
    let source = outline.text_at(place(step));
    match string(step, "point") {
        "exit" => {
            assert_eq!(
                place(step),
                procedure.closing,
                "an exit is at the closing token"
            );
            assert!(labels.is_empty());
        }
        "statement" => {
            assert!(!returns, "returns is for exits: {step}");
            let head = string(step, "text").chars().next();
            let closers = ["end", "fi", "od", "else", "elsif", "}"];
            let implicit = closers.iter().any(|closer| source.starts_with(closer));
            assert!(
                implicit || head.is_some() && source.chars().next() == head,
                "the statement stands at its place: {step}"
            );
            for label in labels {
                let label = label.as_str().expect("a label is a string");
                assert!(!source.starts_with(&format!("{label}:")));
            }
        }
        other => panic!("a finite trace has no point {other}"),
    }
    if let Some(values) = object.get("returns") {
        let values = values.as_array().expect("returns is a list");
        assert!(values.iter().all(|value| *value == 0 || *value == 1));
    }
}

/// The names in an object whose values are all 0 or 1.
fn names_of_values(values: &Value) -> BTreeSet<String> {
    let values = values.as_object().expect("an object of values");
    for (name, value) in values {
        assert!(*value == 0 || *value == 1, "{name} is {value}");
    }
    values.keys().cloned().collect()
}

fn variables(step: &Value) -> BTreeSet<String> {
    names_of_values(&step["locals"])
}

fn place(step: &Value) -> Place {
    (number(step, "line"), number(step, "column"))
}

fn number(step: &Value, key: &str) -> u64 {
    step[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} is a number in {step}"))
}

fn string<'a>(step: &'a Value, key: &str) -> &'a str {
    step[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} is a string in {step}"))
}
