//! What tests of folded traces need: a program, a trace of it with everything folded that can
//! be, and the result as scripts see it.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use derny::check::{Board, CheckError, Options, Subject, TraceFinding, check};
use derny::lower::remopla::{RemoplaOptions, remopla};
use derny::program::{Overflow, Program};
use derny::property::{Kind, Request, resolve};
use derny::report::{Checked, ReportedResult, Results, json};
use derny::source::Source;
use derny::watch::Watch;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

pub fn read(text: &str) -> Program {
    let source = Arc::new(Source::new("program.rem", text.as_bytes().to_vec()));
    let options = RemoplaOptions {
        overflow: Overflow::Wrap,
        ..RemoplaOptions::default()
    };
    let (program, diagnostics) = remopla(source, None, &options);
    program.unwrap_or_else(|| panic!("{diagnostics:#?}"))
}

/// Loops are folded at once, and nothing is unfolded.
pub fn folding(trace_limit: u64) -> Options {
    Options {
        trace_limit,
        trace_patience: 0,
        ..Options::default()
    }
}

pub fn find<S: Subject>(subject: &S, kind: Kind, text: &str, options: &Options) -> TraceFinding {
    let request = Request {
        kind,
        text: text.to_owned(),
        name: None,
    };
    let property = resolve(subject, &request, None).expect("the property has a meaning");
    let board = Board::new(Instant::now(), 1);
    let ended: Result<(), CheckError> =
        check(subject, &[property], options, &Watch::default(), &board);
    assert_eq!(ended, Ok(()));
    board.take_findings().remove(0).trace
}

/// The result as scripts see it.
pub fn result(program: &Program, kind: Kind, text: &str, options: &Options) -> Value {
    let mut finding = derny::check::Finding {
        verdict: Some(derny::check::Verdict::Violated),
        ..Default::default()
    };
    finding.trace = find(program, kind, text, options);
    let request = Request {
        kind,
        text: text.to_owned(),
        name: None,
    };
    let results = Results {
        input: "program.rem",
        checked: Some(Checked::Program(program)),
        list: vec![ReportedResult {
            request: &request,
            finding,
            reason: None,
        }],
        measured: None,
    };
    let mut out = Vec::new();
    json::write(&results, &mut out).expect("a vector can be written to");
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
