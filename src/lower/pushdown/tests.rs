//! What comes out of small texts, and what is said about wrong ones.

use super::{proposition, pushdown_system};
use crate::program::{Operation, VariableId};
use crate::pushdown::{RuleId, System};
use crate::source::Source;
use std::sync::Arc;

fn system(text: &str) -> System {
    overridden(text, &[])
}

fn overridden(text: &str, overrides: &[(String, i128)]) -> System {
    let source = Arc::new(Source::new("t.pds", text.into()));
    let (system, diagnostics) = pushdown_system(source, overrides, Default::default());
    system.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

/// The one error in a text.
#[track_caller]
fn error(text: &str) -> String {
    let source = Arc::new(Source::new("t.pds", text.into()));
    let (system, diagnostics) = pushdown_system(source, &[], Default::default());
    assert!(system.is_none(), "{text}");
    let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).collect();
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    errors[0].message.clone()
}

fn operations(system: &System, rule: u32) -> Vec<Vec<Operation>> {
    let conditions = system.rule(RuleId(rule)).relation.iter();
    conditions
        .map(|condition| system.expressions.operations(*condition).to_vec())
        .collect()
}

use Operation::*;
const X: VariableId = VariableId::Global(0);

#[test]
fn conjunctions_are_split_and_quantifiers_written_out() {
    let system = system(
        "define N 2 global int x(N), a[1,N](3); (q <s>)
         q <s> --> q <s> (x' = x & (A i (1,N) a'[i] = a[i]) & !(x > 2) & x' = x)",
    );
    let cell = VariableId::Global;
    assert_eq!(
        operations(&system, 0),
        [
            vec![ReadNext(X), Read(X), NumbersEqual],
            vec![ReadNext(cell(1)), Read(cell(1)), NumbersEqual],
            vec![ReadNext(cell(2)), Read(cell(2)), NumbersEqual],
            vec![Read(X), Number(2), LessEqual, Not, Not],
        ]
    );
    let kept = system.kept_by(system.rule(RuleId(0)).relation[1]).unwrap();
    assert_eq!((kept.before, kept.after), (cell(1), cell(1)));
}

#[test]
fn constants_are_worked_out() {
    let system = system(
        "global int a[3](4); (q <s>)
         q <s> --> q <s> (A i (0,2) (i = 1 | a'[i] = a[i + 1 - 1]))
         q <s> --> q <s> (E i (0,2) (i = 7 & a[i] = 1))
         q <s> --> q <s> (A i (2,1) a[i] = 1)
         q <s> --> q <s> (a[3] = 1 | a[a[0]] != 1 << 70)",
    );
    let cell = VariableId::Global;
    assert_eq!(
        operations(&system, 0),
        [
            [ReadNext(cell(0)), Read(cell(0)), NumbersEqual],
            [ReadNext(cell(2)), Read(cell(2)), NumbersEqual],
        ]
    );
    assert_eq!(operations(&system, 1), [[Constant(false)]]);
    assert!(operations(&system, 2).is_empty());
    let conditions = operations(&system, 3);
    assert_eq!(conditions.len(), 1);
    let count = conditions[0].iter().filter(|o| **o == FalseIfUndefined);
    assert_eq!(count.count(), 2);
}

#[test]
fn states_are_a_cell_unless_there_is_only_one() {
    let one = system("(q <s>) q <s> --> q <>");
    assert!(one.rule(RuleId(0)).relation.is_empty());
    assert!(one.start.conditions.is_empty());
    let two = system("(q <s>) q <s> --> q <> p <s> --> q <s>");
    assert_eq!(
        operations(&two, 0),
        [
            [Read(X), Number(0), NumbersEqual],
            [ReadNext(X), Read(X), NumbersEqual]
        ]
    );
    assert_eq!(
        operations(&two, 1),
        [
            [Read(X), Number(1), NumbersEqual],
            [ReadNext(X), Number(0), NumbersEqual]
        ]
    );
}

#[test]
fn locals_hide_globals_and_primes_tell_whose() {
    let system = system(
        "global bool x; local (a) bool y, x; local (b) bool x; (q <a>)
         q <a> --> q <b a> (x & x' & x'')
         q <c> --> q <c> (x & x')",
    );
    let local = VariableId::Local;
    assert_eq!(
        operations(&system, 0),
        [
            [Read(local(1))],
            [ReadNext(local(0))],
            [ReadBelow(local(1))]
        ]
    );
    assert_eq!(operations(&system, 1), [[Read(X)], [ReadNext(X)]]);
}

#[test]
fn options_come_before_dependent_defines() {
    let text = "define N 3 define M (1<<N)-2 global int x(M); (q <s>) q <s> --> q <s>";
    let bits = |system: &System| system.globals[0].domain.bits();
    assert_eq!(bits(&system(text)), 6);
    assert_eq!(bits(&overridden(text, &[("N".into(), 4)])), 14);
    assert_eq!(bits(&overridden(text, &[("M".into(), 1)])), 1);
    let undefined = "global int x(K); (q <s>) q <s> --> q <s>";
    assert_eq!(bits(&overridden(undefined, &[("K".into(), 5)])), 5);
}

#[test]
fn one_mistake_one_error() {
    let rule = |relation: &str| {
        format!(
            "define N 2 global bool b; int x(3), a[1,4](2); local (s) bool l; int y(2);
             (q <s>) q <s> --> q <t s> ({relation})"
        )
    };
    for (relation, message) in [
        ("x' = z", "unknown variable `z`"),
        ("b = b'", "`=` compares numbers, and these are truth values"),
        (
            "b != b'",
            "`!=` compares numbers, and these are truth values",
        ),
        (
            "x == x'",
            "`==` compares truth values, and these are numbers",
        ),
        ("x", "a number stands where a condition is expected"),
        ("b & 3", "a number stands where a condition is expected"),
        (
            "b + 1 = x",
            "a truth value stands where a number is expected",
        ),
        (
            "1 < x < 3",
            "a truth value stands where a number is expected",
        ),
        ("a = 1", "`a` is an array: which element?"),
        ("x[1] = 1", "`x` is no array"),
        (
            "a[b] = 1",
            "a truth value stands where a number is expected",
        ),
        (
            "x'' = 1",
            "`x` is a global, and the symbol below has locals only",
        ),
        ("y' = 1", "`y'` is no variable here"),
        ("N' = 1", "`N` is a constant: it has no primes"),
        ("E i (1,M) x = i", "`M` is not defined"),
        ("E i (1,1/0) x = i", "division by 0"),
        ("A i (1,1 << 60) x = i", super::terms::TOO_LONG),
        ("(1<<70)*4 = x", "this number may need more than 126 bits"),
        ("true", "unknown variable `true`"),
    ] {
        assert_eq!(error(&rule(relation)), message, "{relation}");
    }
    for (text, message) in [
        (
            "(q <s>) q <s> --> q <s> (x'' = 1)",
            "`x''` belongs to a second symbol on the right, and there is none",
        ),
        (
            "(q (x' = 1) <s>) q <s> --> q <s>",
            "there is no step here, so names have no primes",
        ),
        ("q <s> --> q <s>", "it is not said where executions begin"),
        ("define N 1 define N 2 (q <s>)", "`N` is defined twice"),
        ("define N M define M 1 (q <s>)", "`M` is defined only later"),
        (
            "define N 1 global int N(2); (q <s>)",
            "`N` is a defined name already",
        ),
        (
            "global int x(0); (q <s>)",
            "a number has from 1 to 64 bits, and not 0",
        ),
        (
            "global int x(65); (q <s>)",
            "a number has from 1 to 64 bits, and not 65",
        ),
        ("global bool x, x; (q <s>)", "`x` is declared twice"),
        (
            "global bool x[0]; (q <s>)",
            "an array has at least one element: this one goes from 0 to -1",
        ),
        (
            "global bool x[100000]; (q <s>)",
            "an array has at most 65536 elements, and not 100000",
        ),
        (
            "local (s) bool x; local (s) bool y; (q <s>)",
            "`s` has its locals already",
        ),
        ("local (s) bool x; (q (x) <s>)", "`x` is no variable here"),
        ("", "it is not said where executions begin"),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn propositions_know_what_each_symbol_has() {
    let system = system(
        "define N 2 global int x(3); local (a) int y(3); bool b, x; local (c) bool b;
         (q <a>) q <a> --> q <c> q <c> --> q <d>",
    );
    let of = |text: &str| proposition(&system, text).map(|list| list.to_vec());
    let list = of("y > N").unwrap();
    assert_eq!(list.len(), 3);
    assert_eq!(list[0].last(), Some(&FalseIfUndefined));
    assert_eq!(list[1].len(), 4);
    let list = of("b").unwrap();
    assert_eq!(*list[0], [Constant(false)]);
    assert_eq!(*list[1], [Read(VariableId::Local(1))]);
    assert_eq!(*list[2], [Read(VariableId::Local(0))]);
    let message = |text| of(text).unwrap_err().message;
    assert_eq!(message("x = 1"), "`x` is declared with different types");
    assert_eq!(message("z = 1"), "unknown variable `z`");
    assert_eq!(
        message("b'"),
        "there is no step here, so names have no primes"
    );
    assert_eq!(
        message("b &"),
        "expected an expression, found the end of the file"
    );
}
