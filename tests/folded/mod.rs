//! What tests of folded traces need: a program, a trace of it with everything folded that can
//! be, and the result as scripts see it.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use crate::library;
use derny::internals::check::{Finding, Options, TraceFinding};
use derny::internals::program::Program;
use derny::{Overflow, PropertyKind as Kind};
use serde_json::Value;
use std::sync::Arc;

pub fn read(text: &str) -> Arc<Program> {
    library::read_remopla(text, Overflow::Wrap)
}

/// Loops are folded at once, and nothing is unfolded.
pub fn folding(trace_limit: u64) -> Options {
    Options {
        trace_limit,
        trace_patience: 0,
        ..Options::default()
    }
}

fn finding(program: &Program, kind: Kind, text: &str, options: &Options) -> Finding {
    let property = library::property(program, kind, text).expect("the property has a meaning");
    let findings = library::findings(program, &[property], options);
    findings.expect("nothing ends the check").remove(0)
}

pub fn find(program: &Program, kind: Kind, text: &str, options: &Options) -> TraceFinding {
    finding(program, kind, text, options).trace
}

/// The result as scripts see it.
pub fn result(program: &Arc<Program>, kind: Kind, text: &str, options: &Options) -> Value {
    let found = (
        derny::Property::new(kind, text),
        finding(program, kind, text, options),
    );
    let mut out = Vec::new();
    let report = derny::internals::report(program, [found]);
    report
        .write_json(&mut out)
        .expect("a vector can be written to");
    let whole: Value = serde_json::from_slice(&out).expect("this is JSON");
    whole["results"][0].clone()
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// Numbers that look as if made by chance.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    pub fn one_of<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

/// A step without what depends on the steps around it.
pub fn without_notes(step: &Value) -> Value {
    let mut step = step.clone();
    if let Some(object) = step.as_object_mut() {
        for key in ["branch", "choice", "relevant"] {
            object.remove(key);
        }
    }
    step
}
