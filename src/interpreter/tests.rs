//! Steps of small programs, one rule each.

use super::step::{Outcome, TooMany, Wish, choose, resumptions, successors};
use super::values::Cause;
use super::{Valuation, View, Waiting};
use crate::lower::remopla::{RemoplaOptions, remopla};
use crate::program::{Overflow, PointId, Program, VariableId};
use crate::source::Source;
use crate::trace::failure::{Place, Reason};
use std::sync::Arc;

fn program(text: &str, overflow: Overflow) -> Program {
    let source = Arc::new(Source::new("t", text.as_bytes().to_vec()));
    let options = RemoplaOptions {
        overflow,
        ..RemoplaOptions::default()
    };
    let (program, diagnostics) = remopla(source, None, &options);
    program.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// The first statement of the entry module.
fn start(program: &Program, globals: &[u64], locals: &[u64]) -> View {
    View {
        at: program.entry_point(),
        valuation: Valuation::new(globals, locals),
        returns: None,
    }
}

fn steps(program: &Program, view: &View) -> Vec<Outcome> {
    successors(program, view, 100).unwrap()
}

/// The globals after each step that does not fail.
fn globals(outcomes: &[Outcome]) -> Vec<Vec<u64>> {
    let views = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Next(view) | Outcome::Enter(view, _) => Some(view),
        _ => None,
    });
    views
        .map(|view| view.valuation.globals().to_vec())
        .collect()
}

fn reasons(outcomes: Vec<Outcome>) -> Vec<Reason> {
    let failures = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::Error(failure) => Some(failure.reason),
        _ => None,
    });
    failures.collect()
}

struct Wants(u64);

impl Wish for Wants {
    fn variable(&self, _: VariableId) -> Option<u64> {
        Some(self.0)
    }
    fn returned(&self, _: u32) -> Option<u64> {
        None
    }
    fn waiting(&self, _: VariableId) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn what_does_not_fit_fails_or_wraps_or_blocks() {
    let text = "int x(3); module void main() { x = x - 1; }";
    let from = |overflow, x| {
        let program = program(text, overflow);
        steps(&program, &start(&program, &[x], &[]))
    };
    assert_eq!(globals(&from(Overflow::Error, 1)), [[0]]);
    let failed = reasons(from(Overflow::Error, 0));
    let place = Place::Variable(VariableId::Global(0));
    assert!(
        matches!(&failed[..], [Reason::Misfit { number: -1, place: p, .. }] if *p == place),
        "{failed:?}"
    );
    assert_eq!(globals(&from(Overflow::Wrap, 0)), [[7]]);
    assert_eq!(from(Overflow::Block, 0), []);
}

#[test]
fn an_index_outside_fails_even_where_values_wrap() {
    let text = "int i(2), a[2](1); module void main() { a[i] = 1; }";
    let from = |overflow, i| {
        let program = program(text, overflow);
        steps(&program, &start(&program, &[i, 0, 0], &[]))
    };
    assert_eq!(globals(&from(Overflow::Wrap, 1)), [[1, 0, 1]]);
    let failed = reasons(from(Overflow::Wrap, 2));
    let Some(Reason::NoValue { missing, .. }) = failed.first() else {
        panic!("{failed:?}");
    };
    assert_eq!(missing.cause, Cause::Outside { index: 2, count: 2 });
    assert_eq!(from(Overflow::Block, 2), []);
}

#[test]
fn a_guard_without_value_fails_beside_the_others() {
    let text = "int x(2); module void main() {
        if :: 1 / x == 1 -> skip; :: x == 0 -> x = 1; :: else -> x = 2; fi }";
    let program = program(text, Overflow::Error);
    let zero = steps(&program, &start(&program, &[0], &[]));
    assert_eq!((globals(&zero).len(), reasons(zero).len()), (1, 1));
    // The other two are not true.
    let two = steps(&program, &start(&program, &[2], &[]));
    assert_eq!((globals(&two).len(), reasons(two).len()), (1, 0));
}

#[test]
fn wide_values_are_chosen_without_listing_them() {
    let program = program(
        "int x(64); module void main() { x = undef; }",
        Overflow::Error,
    );
    let view = start(&program, &[5], &[]);
    assert_eq!(successors(&program, &view, 1_000), Err(TooMany));
    let wanted = u64::MAX - 3;
    let found = choose(&program, &view, &Wants(wanted), |_| true);
    assert_eq!(globals(found.as_slice()), [[wanted]]);
}

#[test]
fn assignments_come_into_effect_with_their_call() {
    let text = "int g(2); module void f(int p(2)) { skip; }
        module void main() { int l(2); f(g), g = g + 1, l = g; }";
    let program = program(text, Overflow::Error);
    let view = start(&program, &[2], &[0]);
    let Some(Outcome::Enter(entered, waiting)) = steps(&program, &view).pop() else {
        panic!("no call");
    };
    // The argument is the old value.
    assert_eq!(entered.valuation, Valuation::new(&[3], &[2]));
    let expected = Waiting {
        at: view.at,
        locals: [2].into(),
    };
    assert_eq!(waiting, expected);
}

#[test]
fn a_result_goes_where_its_index_leads_after_the_call() {
    let text = "int i(2), a[2](1); module int(2) f() { i = 1; return 3; }
        module void main() { a[i] = f(); }";
    let program = program(text, Overflow::Wrap);
    let waiting = Waiting {
        at: program.entry_point(),
        locals: [].into(),
    };
    let after = |i: u64, returns: Option<&[u64]>| {
        resumptions(&program, &waiting, &[i, 0, 0], returns, 100).unwrap()
    };
    assert_eq!(globals(&after(1, Some(&[3]))), [[1, 0, 1]]);
    assert_eq!(reasons(after(2, Some(&[3]))).len(), 1);
    // Control ran off the end: any value, as far as it fits.
    assert_eq!(globals(&after(0, None)), [[0, 0, 0], [0, 1, 0]]);
}

#[test]
fn off_the_end_a_result_may_fit_or_not() {
    let text = "int a(1); module int(2) f() { skip; } module void main() { a = f(); }";
    let after = |overflow| {
        let program = program(text, overflow);
        let waiting = Waiting {
            at: PointId(program.entry_point().0),
            locals: [].into(),
        };
        resumptions(&program, &waiting, &[0], None, 100).unwrap()
    };
    for (overflow, failing) in [
        (Overflow::Error, 1),
        (Overflow::Wrap, 0),
        (Overflow::Block, 0),
    ] {
        let outcomes = after(overflow);
        assert_eq!(globals(&outcomes), [[0], [1]]);
        assert_eq!(reasons(outcomes).len(), failing);
    }
}
