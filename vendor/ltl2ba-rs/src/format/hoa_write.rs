//! Writing the Hanoi Omega-Automata format, version 1.
//!
//! Babiak, Blahoudek, Duret-Lutz, Klein, Křetínský, Müller, Parker, Strejček, *The Hanoi
//! Omega-Automata Format*, CAV 2015. State-based automata get their marks on states.

use crate::automaton::{Automaton, Class, Marks};
use crate::label::Notation;
use std::fmt::Write;

const NOTATION: Notation = Notation {
    not: "!",
    and: "&",
    or: " | ",
    truth: "t",
    falsity: "f",
    enclose: false,
};

impl Automaton {
    /// The automaton in HOA v1, with `name` as its name (usually the formula).
    pub fn to_hoa(&self, name: &str) -> String {
        // Writing to a string cannot fail, so results of `write!` are not looked at.
        let mut out = String::from("HOA: v1\n");
        let _ = writeln!(out, "name: {}", quoted(name));
        let _ = writeln!(out, "States: {}", self.states);
        for state in &self.initial {
            let _ = writeln!(out, "Start: {state}");
        }
        let _ = write!(out, "AP: {}", self.propositions.len());
        for proposition in &self.propositions {
            let _ = write!(out, " {}", quoted(proposition));
        }
        out.push('\n');
        self.write_acceptance(&mut out);
        self.write_properties(&mut out);
        out.push_str("--BODY--\n");
        for state in 0..self.states {
            let _ = write!(out, "State: {state}");
            if self.state_based && self.is_accepting(state) {
                out.push_str(" {0}");
            }
            out.push('\n');
            for edge in self.edges_from(state) {
                let label = edge
                    .label
                    .write(&NOTATION, |proposition| proposition.to_string());
                let _ = write!(out, "  [{label}] {}", edge.target);
                if !self.state_based {
                    write_marks(&mut out, edge.marks);
                }
                out.push('\n');
            }
        }
        out.push_str("--END--\n");
        out
    }

    fn write_acceptance(&self, out: &mut String) {
        let sets = self.acceptance_sets;
        let (name, condition) = match sets {
            0 => ("all".to_owned(), "t".to_owned()),
            1 => ("Buchi".to_owned(), "Inf(0)".to_owned()),
            _ => {
                let parts: Vec<String> = (0..sets).map(|set| format!("Inf({set})")).collect();
                (format!("generalized-Buchi {sets}"), parts.join(" & "))
            }
        };
        let _ = writeln!(out, "acc-name: {name}");
        let _ = writeln!(out, "Acceptance: {sets} {condition}");
    }

    fn write_properties(&self, out: &mut String) {
        out.push_str("properties: trans-labels explicit-labels");
        out.push_str(if self.state_based {
            " state-acc"
        } else {
            " trans-acc"
        });
        if self.is_deterministic() {
            out.push_str(" deterministic");
        }
        match self.class() {
            Class::Terminal => out.push_str(" terminal"),
            Class::Weak => out.push_str(" weak"),
            Class::General => {}
        }
        out.push('\n');
    }
}

fn write_marks(out: &mut String, marks: Marks) {
    if marks == Marks::NONE {
        return;
    }
    let sets: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    let _ = write!(out, " {{{}}}", sets.join(" "));
}

/// A HOA string: only quotes and backslashes are escaped.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
