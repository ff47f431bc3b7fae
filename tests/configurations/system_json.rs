//! Reads the automaton of a pushdown system that `--format json` writes as its description
//! says, sharing nothing with what wrote it.

use super::stacks::Configuration;
use derny::internals::program::Cell;
use derny::internals::pushdown::System;
use derny::internals::pushdown::step::state_of;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Bits of variables; what is not there is open.
type Values = BTreeMap<(String, u64), bool>;

fn list<'v>(value: &'v Value, key: &str) -> &'v Vec<Value> {
    value[key]
        .as_array()
        .unwrap_or_else(|| panic!("{key} is a list: {value}"))
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is a text"))
}

fn index(value: &Value) -> usize {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value} is a number")) as usize
}

/// All ways to make a condition true, beginning with what is known.
fn solutions(condition: &Value, known: &Values) -> Vec<Values> {
    let diagram = &condition["diagram"];
    let mut found = Vec::new();
    let mut todo = vec![(index(&diagram["root"]), known.clone())];
    while let Some((reference, values)) = todo.pop() {
        if reference < 2 {
            found.extend((reference == 1).then_some(values));
            continue;
        }
        let node = &list(diagram, "nodes")[reference - 2];
        let variable = &list(diagram, "variables")[index(&node[0])];
        let variable = (text(&variable[0]).to_owned(), index(&variable[1]) as u64);
        for bit in [false, true] {
            if values.get(&variable).is_none_or(|known| *known == bit) {
                let mut values = values.clone();
                values.insert(variable.clone(), bit);
                todo.push((index(&node[1 + usize::from(bit)]), values));
            }
        }
    }
    found
}

fn named(system: &System, cells: &[Cell], values: &[u64]) -> Values {
    let mut bits = Values::new();
    for (cell, value) in cells.iter().zip(values) {
        for bit in 0..64 {
            let name = system.names.text(cell.name).to_owned();
            bits.insert((name, bit), value >> bit & 1 == 1);
        }
    }
    bits
}

fn is_true(condition: &Value, values: &Values) -> bool {
    !solutions(condition, values).is_empty()
}

/// Whether the automaton accepts a configuration.
pub fn accepts(system: &System, automaton: &Value, wanted: &Configuration) -> bool {
    let state = system.states[state_of(&wanted.globals)];
    let state = system.names.text(state);
    let globals = named(system, system.declared_globals(), &wanted.globals);
    if wanted.stack.is_empty() {
        let mut empty = list(automaton, "empty").iter();
        return empty.any(|empty| {
            text(&empty["control"]) == state && is_true(&empty["condition"], &globals)
        });
    }
    let mut reached: BTreeSet<(usize, Values)> = [(0, Values::new())].into();
    for (depth, frame) in wanted.stack.iter().rev().enumerate() {
        let mut values = named(system, system.locals_of(Some(frame.symbol)), &frame.locals);
        if depth == 0 {
            for (variable, bit) in &globals {
                // A local hides a global.
                let (name, place) = variable;
                let name = match values.contains_key(variable) {
                    true => format!("global.{name}"),
                    false => name.clone(),
                };
                values.insert((name, *place), *bit);
            }
        }
        let mut next = BTreeSet::new();
        for (at, known) in &reached {
            if text(&automaton["states"][*at]["kind"]) == "any" {
                return true;
            }
            for edge in list(automaton, "edges") {
                let control = &edge["control"];
                let fits = index(&edge["from"]) == *at
                    && text(&edge["symbol"]["name"]) == system.symbol_name(frame.symbol)
                    && (control.is_null() || text(control) == state);
                assert!(control.is_null() || edge["from"] == 0);
                if !fits {
                    continue;
                }
                let mut values = values.clone();
                let above = known.iter();
                values.extend(above.map(|((n, i), bit)| ((format!("callee.{n}"), *i), *bit)));
                let to = index(&edge["to"]);
                let prefix = match text(&automaton["states"][to]["kind"]) {
                    "entered" => "entry.",
                    _ => "exit.",
                };
                for solution in solutions(&edge["condition"], &values) {
                    let handed = solution.into_iter().filter_map(|((name, i), bit)| {
                        let name = name.strip_prefix(prefix)?;
                        Some(((name.to_owned(), i), bit))
                    });
                    next.insert((to, handed.collect()));
                }
            }
        }
        reached = next;
    }
    reached.iter().any(|(at, values)| {
        let accepts = &automaton["states"][*at]["accepts"];
        !accepts.is_null() && is_true(accepts, values)
    })
}
