//! Reads the automaton that `--format json` writes as its description says, sharing nothing
//! with what wrote it.

use super::explicit::Configuration;
use derny::internals::configurations::ProgramNames;
use derny::internals::program::{Cell, PointId, Program};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Truth values by name.
pub type Values = BTreeMap<String, bool>;

fn list<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key} is a list: {value}"))
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} is text: {value}"))
}

fn index(value: &Value) -> usize {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is a number")) as usize
}

/// The names in a condition's diagram.
fn names(condition: &Value) -> BTreeSet<String> {
    let variables = list(&condition["diagram"], "variables").iter();
    let names = variables.map(|variable| {
        assert_eq!(index(&variable[1]), 0, "truth values have one bit");
        variable[0].as_str().expect("a name").to_owned()
    });
    names.collect()
}

/// Whether a condition holds; its text and its diagram must agree.
fn holds(condition: &Value, values: &Values) -> bool {
    let diagram = &condition["diagram"];
    let (variables, nodes) = (list(diagram, "variables"), list(diagram, "nodes"));
    let mut at = index(&diagram["root"]);
    while at >= 2 {
        let node = &nodes[at - 2];
        let name = variables[index(&node[0])][0].as_str().expect("a name");
        let value = values
            .get(name)
            .unwrap_or_else(|| panic!("{name} has a value"));
        let next = index(&node[1 + usize::from(*value)]);
        assert!(next < 2 || next > at, "nodes refer to later ones");
        at = next;
    }
    let holds = at == 1;
    if let Some(text) = condition["text"].as_str() {
        assert_eq!(evaluate(text, values), holds, "{text} with {values:?}");
    }
    holds
}

/// The value of a condition's text: `|`, `&`, `=`, `!` in rising precedence.
fn evaluate(text: &str, values: &Values) -> bool {
    if text.is_empty() {
        return true;
    }
    let spaced = text
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('!', " ! ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let value = sum(&tokens, &mut at, values);
    assert_eq!(at, tokens.len(), "all of {text} is read");
    value
}

fn chain(
    operator: &str,
    tokens: &[&str],
    at: &mut usize,
    operand: &dyn Fn(&mut usize) -> bool,
    join: fn(bool, bool) -> bool,
) -> bool {
    let mut value = operand(at);
    while tokens.get(*at) == Some(&operator) {
        *at += 1;
        value = join(value, operand(at));
    }
    value
}

fn sum(tokens: &[&str], at: &mut usize, values: &Values) -> bool {
    chain(
        "|",
        tokens,
        at,
        &|at| product(tokens, at, values),
        |a, b| a | b,
    )
}

fn product(tokens: &[&str], at: &mut usize, values: &Values) -> bool {
    chain(
        "&",
        tokens,
        at,
        &|at| equation(tokens, at, values),
        |a, b| a & b,
    )
}

fn equation(tokens: &[&str], at: &mut usize, values: &Values) -> bool {
    chain("=", tokens, at, &|at| factor(tokens, at, values), |a, b| {
        a == b
    })
}

fn factor(tokens: &[&str], at: &mut usize, values: &Values) -> bool {
    let token = tokens[*at];
    *at += 1;
    match token {
        "!" => !factor(tokens, at, values),
        "(" => {
            let value = sum(tokens, at, values);
            assert_eq!(tokens[*at], ")");
            *at += 1;
            value
        }
        name => *values
            .get(name)
            .unwrap_or_else(|| panic!("{name} has a value")),
    }
}

/// All ways to give values to these names, beside those that have some.
fn extensions(values: &Values, names: &BTreeSet<String>) -> Vec<Values> {
    let mut all = vec![values.clone()];
    for name in names.iter().filter(|name| !values.contains_key(*name)) {
        let with = |value: bool| {
            let extended = all.iter().cloned().map(move |mut values| {
                values.insert(name.clone(), value);
                values
            });
            extended.collect::<Vec<_>>()
        };
        all = [with(false), with(true)].concat();
    }
    all
}

fn named(program: &Program, cells: &[Cell], values: &[u64]) -> Values {
    let names = cells
        .iter()
        .map(|cell| program.names.text(cell.name).to_owned());
    names.zip(values.iter().map(|value| *value == 1)).collect()
}

/// Whether the automaton accepts a configuration.
pub fn accepts(names_of: &ProgramNames<'_>, automaton: &Value, wanted: &Configuration) -> bool {
    let program = names_of.program;
    let (view, stack) = match wanted {
        Configuration::Running(view, stack) => (view, stack),
        Configuration::Error(globals) | Configuration::Terminated(globals) => {
            let key = match wanted {
                Configuration::Error(_) => "error",
                _ => "terminated",
            };
            let values = named(program, &program.globals, globals);
            return !automaton[key].is_null() && holds(&automaton[key], &values);
        }
    };
    let locals_at = |point: PointId, values: &[u64]| {
        named(program, &program.procedure_of(point).locals, values)
    };
    let mut top = locals_at(view.at, view.valuation.locals());
    top.extend(named(program, &program.globals, view.valuation.globals()));
    if let Some(returns) = &view.returns {
        let names = (0..).map(|i| format!("returns[{i}]"));
        top.extend(names.zip(returns.iter().map(|value| *value == 1)));
    }
    let below = stack.iter().rev();
    let below = below.map(|waiting| (waiting.at, locals_at(waiting.at, &waiting.locals)));
    let frames = std::iter::once((view.at, top)).chain(below);
    // The states that are come to, each with values of its variables.
    let mut reached: BTreeSet<(usize, Values)> = [(0, Values::new())].into();
    for (point, frame) in frames {
        let mut next = BTreeSet::new();
        for (state, values) in &reached {
            if text(&automaton["states"][*state], "kind") == "any" {
                return true;
            }
            for edge in list(automaton, "edges") {
                let from = index(&edge["from"]);
                if from != *state || text(&edge["symbol"], "name") != names_of.show(point) {
                    continue;
                }
                let mut known = frame.clone();
                known.extend(values.iter().map(|(n, v)| (format!("callee.{n}"), *v)));
                let to = index(&edge["to"]);
                next.extend(targets(automaton, edge, to, &known));
            }
        }
        reached = next;
    }
    reached.iter().any(|(state, values)| {
        let accepts = &automaton["states"][*state]["accepts"];
        let unknown = || names(accepts);
        !accepts.is_null()
            && extensions(values, &unknown())
                .iter()
                .any(|values| holds(accepts, values))
    })
}

/// Where an edge leads with these values.
fn targets(automaton: &Value, edge: &Value, to: usize, known: &Values) -> Vec<(usize, Values)> {
    let state = &automaton["states"][to];
    let prefix = match text(state, "kind") {
        "entered" => "entry.",
        _ => "exit.",
    };
    let variables: Vec<_> = list(state, "variables")
        .iter()
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect();
    let mut open = names(&edge["condition"]);
    open.extend(variables.iter().map(|name| format!("{prefix}{name}")));
    let mut found = Vec::new();
    for values in extensions(known, &open) {
        if holds(&edge["condition"], &values) {
            let of = |name: &String| (name.clone(), values[&format!("{prefix}{name}")]);
            found.push((to, variables.iter().map(of).collect()));
        }
    }
    found
}
