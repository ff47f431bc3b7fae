//! The twin of the twin: configurations with their whole stack, for programs that have few.
//!
//! Where the stack stays low, the product is a finite graph of configurations, and needs
//! neither summaries nor heads. Random programs are compared on it. What both share is the
//! single step of the product.

use super::super::buchi::Buchi;
use super::super::cycle::has_fair_cycle;
use super::super::machine::{Machine, Step};
use super::super::product::{Head, Product};
use super::super::program::ProgramMachine;
use super::super::tableau::tableau;
use super::super::{Budget, has_infinite_run, violates};
use super::program;
use crate::generate::random::{Options, labels, program as random_program};
use crate::program::Program;
use crate::property::{Atom, Temporal};
use crate::watch::Abort;
use indexmap::IndexSet;
use proptest::prelude::*;

/// How much the summaries, and how much the unfolding may take.
const ALLOWED: Budget<'static> = Budget::states(20_000);
const CONFIGURATIONS: Budget<'static> = Budget::states(5_000);

/// The top, and the frames that wait below it.
type Configuration<M> = (Head<<M as Machine>::View>, Vec<<M as Machine>::Frame>);

/// Whether there is an accepted run, if there are at most as many configurations as the budget allows.
pub fn unfolded<M: Machine>(product: &Product<'_, M>) -> Result<bool, Abort> {
    let starts = product.starts()?.into_iter();
    let mut configurations: IndexSet<Configuration<M>> =
        starts.map(|head| (head, Vec::new())).collect();
    let mut edges = Vec::new();
    let mut source = 0;
    while let Some((head, stack)) = configurations.get_index(source).cloned() {
        for (next, marks) in product.moves(&head)? {
            let targets = match next {
                Step::Next(next) => vec![(next, stack.clone())],
                Step::Push(callee, frame) => {
                    vec![(callee, [stack.as_slice(), &[frame]].concat())]
                }
                Step::Pop(exit) => match stack.split_last() {
                    None => vec![(product.below(&exit), Vec::new())],
                    Some((frame, below)) => {
                        let resumed = product.resumed(frame, &exit)?.into_iter();
                        resumed.map(|head| (head, below.to_vec())).collect()
                    }
                },
            };
            for target in targets {
                edges.push((source, configurations.insert_full(target).0, marks));
            }
        }
        product.budget.allow(configurations.len())?;
        source += 1;
    }
    Ok(has_fair_cycle(
        configurations.len(),
        &edges,
        product.automaton.all,
    ))
}

/// How `violates` compares with the unfolding, and with itself on the translated automaton.
/// Gives the verdict if the unfolding is small enough.
fn compare(text: &str, program: &Program, formula: &str) -> Option<bool> {
    let temporal = Temporal::from_formula(program, formula).unwrap();
    let verdict = violates(program, &temporal, ALLOWED).ok()?;
    // The same verdict by an automaton that came from elsewhere.
    let given = Temporal {
        formula: None,
        ..temporal.clone()
    };
    if let Ok(again) = violates(program, &given, ALLOWED) {
        assert_eq!(again, verdict, "{formula}\n{text}");
    }
    let automaton = tableau(&temporal.formula.unwrap().negated(), Budget::states(1_000)).ok()?;
    let atoms = &temporal.atoms;
    let product = Product {
        machine: &ProgramMachine {
            program,
            atoms,
            silent: &[],
        },
        automaton: &automaton,
        budget: CONFIGURATIONS,
    };
    let unfolded = unfolded(&product).ok()?;
    assert_eq!(unfolded, verdict, "{formula}\n{text}");
    Some(verdict)
}

/// Statements of the procedure `p` and a number: the global `c` and calls of later ones.
fn statements(number: usize) -> impl Strategy<Value = String> {
    let plain = vec!["skip;", "c := !c;", "c := *;", "c := 0;"];
    let plain = proptest::sample::select(plain).prop_map(str::to_owned);
    let call = (number + 1..4).prop_map(|callee| format!("p{callee}();"));
    let leaf = match number {
        3 => plain.boxed(),
        _ => prop_oneof![plain, call].boxed(),
    };
    leaf.prop_recursive(2, 6, 3, |inner| {
        let several = proptest::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            several.prop_map(|all| all.join(" ")),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("if (*) then {a} else {b} fi")),
            inner.clone().prop_map(|a| format!("if (c) then {a} fi")),
            inner.prop_map(|a| format!("while (*) do {a} od")),
        ]
    })
}

/// A loop around calls, with the labels `a` and `b` in the callees.
fn looping_programs() -> impl Strategy<Value = String> {
    let bodies = (statements(0), statements(1), statements(2), statements(3));
    bodies.prop_map(|(main, p1, p2, p3)| {
        format!(
            "decl c;
            void main() begin while (1) do {main} if (*) then p1(); fi od end
            void p1() begin {p1} if (*) then a: skip; fi p2(); end
            void p2() begin if (*) then p3(); fi {p2} end
            void p3() begin {p3} if (*) then b: skip; fi end"
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn marks_inside_calls_agree_with_whole_stacks(
        text in looping_programs(),
        formula in super::super::tableau::tests::formulas()
    ) {
        let program = program(&text);
        // Alone, many random formulas are settled by the first few letters.
        let infinitely = format!("!(G F a && G F b && G F ({formula}))");
        for formula in [&formula, &infinitely, "F G !a", "G (a -> F b)", "F G !a || F G !b"] {
            compare(&text, &program, formula);
        }
    }
}

#[test]
fn summaries_agree_with_whole_stacks() {
    let options = Options {
        globals: 2,
        locals: 1,
        parameters: 1,
        returns: 1,
        statements: 5,
        predicates: 0,
        ..Options::small()
    };
    let shapes = [
        "G F A",
        "F G A",
        "F A",
        "G (A -> F B)",
        "A U B",
        "F (A && X (!A U B))",
        "(G F A) -> G F B",
        "F (B && X X X A)",
        "G F A && G F B",
        "G (A -> X (B R !A))",
        "F terminated || F A",
        "F G (A || B)",
        "G !error",
        "F B W A",
    ];
    // Verdicts that were compared with the unfolding: held, violated.
    let mut verdicts = [0, 0];
    for seed in 0..40 {
        let text = random_program(seed, &options);
        let program = program(&text);
        let mut atoms = labels(seed, &options);
        atoms.truncate(6);
        atoms.extend(
            program
                .globals
                .iter()
                .map(|g| format!("{{{}}}", program.names.text(g.name))),
        );
        let atom = |number: usize| atoms[number % atoms.len()].clone();
        for turn in 0..3 {
            let number = seed as usize + 5 * turn;
            let shape = shapes[number % shapes.len()];
            let formula: String = shape
                .split(' ')
                .map(|word| match word.trim_matches(['(', ')', '!']) {
                    "A" => word.replace('A', &atom(number)),
                    "B" => word.replace('B', &atom(number + 1 + turn)),
                    _ => word.to_owned(),
                } + " ")
                .collect();
            if let Some(violated) = compare(&text, &program, &formula) {
                verdicts[usize::from(violated)] += 1;
            }
        }
        let ends = Temporal::from_formula(&program, "F (terminated || error)").unwrap();
        let infinite = has_infinite_run(&program, ALLOWED);
        if let (Ok(violated), Ok(infinite)) = (violates(&program, &ends, ALLOWED), infinite) {
            assert_eq!(violated, infinite, "{text}");
        }
        let running = Product {
            machine: &ProgramMachine {
                program: &program,
                atoms: &[Atom::Terminated, Atom::Error],
                silent: &[],
            },
            automaton: &Buchi::never(2),
            budget: CONFIGURATIONS,
        };
        if let (Ok(unfolded), Ok(infinite)) = (unfolded(&running), infinite) {
            assert_eq!(unfolded, infinite, "{text}");
        }
    }
    assert!(verdicts.iter().all(|count| *count > 10), "{verdicts:?}");
}
