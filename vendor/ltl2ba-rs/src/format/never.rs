//! Writing Spin's never claims.
//!
//! Labels of states begin with `accept` for accepting ones, as Spin wants. An accepting
//! state that takes every letter and stays is written as `accept_all: skip`. Propositions
//! that are words must be defined symbols of the Promela model; other texts are written as
//! expressions in parentheses, those in braces without their braces.

use crate::automaton::Automaton;
use crate::label::Notation;
use std::fmt::Write;

const NOTATION: Notation = Notation {
    not: "!",
    and: " && ",
    or: " || ",
    truth: "true",
    falsity: "false",
    enclose: true,
};

impl Automaton {
    /// The automaton as a never claim, with `name` in its comment. For a state-based
    /// automaton; of another one, only edges' sources that are accepting are told.
    pub fn to_never(&self, name: &str) -> String {
        let mut out = String::new();
        let comment = name.replace("*/", "* /").replace('\n', " ");
        let _ = writeln!(out, "never {{ /* {comment} */");
        let names: Vec<String> = (0..self.states)
            .map(|state| self.state_name(state))
            .collect();
        // A claim starts in one place: several initial states get one before them.
        if let [only] = self.initial[..] {
            self.write_state(&mut out, only, &names);
            for state in (0..self.states).filter(|&state| state != only) {
                self.write_state(&mut out, state, &names);
            }
        } else {
            out.push_str("T0_start:\n  if\n");
            for &state in &self.initial {
                self.write_edges(&mut out, state, &names);
            }
            out.push_str("  fi;\n");
            for state in 0..self.states {
                self.write_state(&mut out, state, &names);
            }
        }
        out.push_str("}\n");
        out
    }

    fn is_all(&self, state: u32) -> bool {
        let edges = self.edges_from(state);
        self.is_accepting(state)
            && edges
                .iter()
                .any(|edge| edge.target == state && edge.label.is_always())
    }

    fn state_name(&self, state: u32) -> String {
        let initial = self.initial == [state];
        match (self.is_accepting(state), initial) {
            (true, _) if self.is_all(state) && !initial => format!("accept_all_S{state}"),
            (true, true) => "accept_init".to_owned(),
            (true, false) => format!("accept_S{state}"),
            (false, true) => "T0_init".to_owned(),
            (false, false) => format!("T0_S{state}"),
        }
    }

    fn write_state(&self, out: &mut String, state: u32, names: &[String]) {
        let _ = writeln!(out, "{}:", names[state as usize]);
        if self.is_all(state) && self.initial != [state] {
            out.push_str("  skip;\n");
            let _ = writeln!(out, "  goto {};", names[state as usize]);
            return;
        }
        if self.edges_from(state).is_empty() {
            out.push_str("  false;\n");
            return;
        }
        out.push_str("  if\n");
        self.write_edges(out, state, names);
        out.push_str("  fi;\n");
    }

    fn write_edges(&self, out: &mut String, state: u32, names: &[String]) {
        for edge in self.edges_from(state) {
            let label = edge.label.write(&NOTATION, |index| {
                expression(&self.propositions[index as usize])
            });
            let _ = writeln!(
                out,
                "  :: ({label}) -> goto {}",
                names[edge.target as usize]
            );
        }
    }
}

/// A proposition as a Promela expression.
fn expression(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return text.to_owned();
    }
    let inner = text
        .strip_prefix('{')
        .and_then(|inner| inner.strip_suffix('}'));
    format!("({})", inner.unwrap_or(text).trim())
}
