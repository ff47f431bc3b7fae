//! Trees of small texts, and what is said about broken ones.

use super::tree::{NodeKind, Tree};
use super::{Pds, parse, parse_expression};
use crate::names::Names;
use crate::source::Source;
use crate::syntax::kit::operators::Infix;

fn tree(text: &str) -> Tree {
    let (tree, collector) = parse(&Source::new("t.pds", text.into()));
    let diagnostics = collector.finish();
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    tree
}

/// An expression with all its parentheses.
fn read(text: &str) -> String {
    let source = Source::new("t.pds", text.into());
    let (tree, expression, collector) = parse_expression(&source, Names::default());
    let diagnostics = collector.finish();
    let Some(expression) = expression else {
        panic!("{text}: {diagnostics:?}");
    };
    let mut stack: Vec<String> = Vec::new();
    let mut quantifiers = Vec::new();
    for node in tree.nodes(expression) {
        let pushed = match node.kind {
            NodeKind::Number(value) => value.to_string(),
            NodeKind::Read(read) => {
                let primed = format!("{}{}", tree.names.text(read.name), read.when.primes());
                match read.is_element {
                    true => format!("{primed}[{}]", stack.pop().unwrap()),
                    false => primed,
                }
            }
            NodeKind::Truth(_) => panic!("{text}: there are no truth constants"),
            NodeKind::Not => format!("!{}", stack.pop().unwrap()),
            NodeKind::Binary(operator) => {
                let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
                format!("({a} {} {b})", Infix::<Pds>::sign(operator))
            }
            NodeKind::Quantify(number) => {
                quantifiers.push(tree.quantifiers[number as usize]);
                continue;
            }
            NodeKind::EndQuantify { .. } => {
                let quantifier = quantifiers.pop().unwrap();
                let name = tree.text(quantifier.variable);
                let sign = if quantifier.for_all { "A" } else { "E" };
                format!("{{{sign} {name} {}}}", stack.pop().unwrap())
            }
        };
        stack.push(pushed);
    }
    assert_eq!(stack.len(), 1, "{text}");
    stack.remove(0)
}

#[test]
fn operators_bind_as_the_table_says() {
    assert_eq!(read("a | b & !c ^ d == e"), "(((a | (b & !c)) ^ d) == e)");
    assert_eq!(read("!a = b & c"), "(!(a = b) & c)");
    assert_eq!(
        read("a - b - c << 1 * d < 2"),
        "(((a - b) - ((c << 1) * d)) < 2)"
    );
    assert_eq!(read("(a+1)*b < c & (d)"), "((((a + 1) * b) < c) & d)");
    assert_eq!(read("a <=> b == !!c"), "((a == b) == !!c)");
}

#[test]
fn a_body_reaches_as_far_as_it_can() {
    assert_eq!(
        read("a & A i (1,N) b | c == d"),
        "(a & {A i ((b | c) == d)})"
    );
    assert_eq!(read("(E i (1,2) a) & b"), "({E i a} & b)");
    assert_eq!(
        read("!E i (0,1) A j (0,1) a[i+j] = b'[c''[j]] ^ d"),
        "!{E i {A j ((a[(i + j)] = b'[c''[j]]) ^ d)}}"
    );
}

#[test]
fn a_whole_system() {
    let tree = tree(
        "define N 3 # bits\n define M (1<<N)-2\n
         global bool l, r[2]; int a[1,M](N);
         local proc (g0, g1) bool x;
         local (h) int y(N), z[3](2);
         (q (l & !r[0]) <main0 (x)>)
         atoms g0 hot, cold
         atoms h hot
         q <main0> --> p <g0 h> \"call\" (l' == l & y'' = 1)
         p <g0> --> p <>
         p <h> --> q <main0> (A i (1,M) a'[i] = a[i])",
    );
    assert_eq!(tree.defines.len(), 2);
    assert_eq!(tree.globals.indices(), 0..3);
    assert_eq!(tree.groups.len(), 2);
    assert_eq!(tree.groups[0].symbols.len(), 2);
    assert_eq!(tree.groups[1].declarations.indices(), 4..6);
    assert_eq!(tree.atoms.len(), 2);
    assert_eq!(tree.rules.len(), 3);
    let start = tree.start.unwrap();
    assert_eq!(tree.text(start.symbol), "main0");
    assert!(start.state_condition.is_some() && start.symbol_condition.is_some());
    assert!(tree.rules[0].right[1].is_some());
    assert!(tree.rules[1].right[0].is_none());
    assert!(tree.rules[1].relation.is_none());
}

#[test]
fn rules_may_share_a_line() {
    let tree = tree("(q <a>) q <a> --> q <b>  q <b> --> q <> (x) q<c>-->q<a b>\"t\"");
    assert_eq!(tree.rules.len(), 3);
}

/// One mistake gives one error, and what follows is read.
#[test]
fn goes_on_after_a_mistake() {
    for (text, rules) in [
        ("(q <a>) q <a> --> q <b (x) q <b> --> q <>", 1),
        ("(q <a>) q <a> -> q <b> q <b> --> q <>", 1),
        ("(q <a>) q <a> --> q <b> (x & ) q <b> --> q <>", 1),
        ("(q <a>) q <a> --> q <b> (x && y) q <b> --> q <>", 1),
        ("(q <a>) q <a> --> q <b> (x) & (y) q <b> --> q <>", 2),
        ("(q <a>) q <a> --> q <b c d> q <b> --> q <>", 1),
        ("global int x; bool y; (q <a>) q <b> --> q <>", 1),
        ("global bool A; (q <a>) q <b> --> q <>", 1),
        ("global bool x (q <a>) q <b> --> q <>", 1),
        ("local a bool x; (q <a>) q <b> --> q <>", 1),
        ("int x(3); (q <a>) q <b> --> q <>", 1),
        ("(q <a b>) q <b> --> q <>", 1),
        ("(q <a>) (q <a>) q <b> --> q <>", 1),
        ("(q <a>) define N 3 q <b> --> q <>", 1),
        ("define N define M 3 (q <a>) q <b> --> q <>", 1),
        ("(q <a>) q <b> --> q <> \"open", 1),
        ("(q <a>) q <b> --> q <> { q <b> --> q <>", 2),
        ("(q <a>) q <b> --> q <> (x''' = 1) q <b> --> q <>", 1),
        ("(q <a>) q <b> --> q <> (x[1 = 1) q <b> --> q <>", 1),
        (
            "(q <a>) q <b> --> q <> (99999999999999999999 = x) q <b> --> q <>",
            2,
        ),
        ("(q <a>) q <b> --> q <> (A i (1) x) q <b> --> q <>", 1),
        ("(q <a>) q <b> --> q <> (x = -1) q <b> --> q <>", 1),
    ] {
        let (tree, collector) = parse(&Source::new("t.pds", text.into()));
        let diagnostics = collector.finish();
        assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:?}");
        assert_eq!(tree.rules.len(), rules, "{text}: {diagnostics:?}");
    }
}

#[test]
fn deep_nesting_takes_no_stack() {
    for unit in ["(", "!", "A i (0,1) ", "a[", "(!A i (0,1) b["] {
        let text = format!("(q <a>) q <a> --> q <> ({}", unit.repeat(200_000));
        let (_, collector) = parse(&Source::new("t.pds", text.into()));
        assert_eq!(collector.finish().len(), 1, "{unit}");
    }
}
