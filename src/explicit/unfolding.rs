//! The twin of the twin: configurations with their whole stack, for programs that have few.
//!
//! Where the stack stays low, the product is a finite graph of configurations, and needs
//! neither summaries nor heads. Random programs are compared on it. What both share is the
//! single step of the product.

use super::buchi::Buchi;
use super::cycle::has_fair_cycle;
use super::heads::{Control, Head, Move, Product};
use super::tableau::tableau;
use super::tests::program;
use super::{TooLarge, has_infinite_run, violates};
use crate::generate::random::{Options, labels, program as random_program};
use crate::interpreter::View;
use crate::program::Program;
use crate::property::{Atom, Temporal};
use indexmap::IndexSet;

/// The top, and the calls that wait below it.
type Configuration = (Head, Vec<View>);

/// Whether there is an accepted run, if there are at most `allowed` configurations.
fn unfolded(product: &Product<'_>, allowed: usize) -> Result<bool, TooLarge> {
    let starts = product.starts(allowed)?.into_iter();
    let mut configurations: IndexSet<Configuration> =
        starts.map(|head| (head, Vec::new())).collect();
    let mut edges = Vec::new();
    let mut source = 0;
    while let Some((head, stack)) = configurations.get_index(source).cloned() {
        for (next, marks) in product.moves(&head) {
            let targets = match next {
                Move::Step(next) => vec![(next, stack.clone())],
                Move::Push(callee) => {
                    let Control::At(call) = &head.control else {
                        panic!("an end calls nothing");
                    };
                    vec![(callee, [stack.as_slice(), &[call.clone()]].concat())]
                }
                Move::Pop(exit) => match stack.split_last() {
                    None => {
                        let control = Control::Terminated(exit.globals);
                        let state = exit.state;
                        vec![(Head { control, state }, Vec::new())]
                    }
                    Some((call, below)) => {
                        let resumed = product.resumed(call, &exit).into_iter();
                        resumed.map(|head| (head, below.to_vec())).collect()
                    }
                },
            };
            for target in targets {
                edges.push((source, configurations.insert_full(target).0, marks));
            }
        }
        if configurations.len() > allowed {
            return Err(TooLarge);
        }
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
    let verdict = violates(program, &temporal, 200_000).ok()?;
    // The same verdict by an automaton that came from elsewhere.
    let given = Temporal {
        formula: None,
        ..temporal.clone()
    };
    assert_eq!(
        violates(program, &given, 200_000),
        Ok(verdict),
        "{formula}\n{text}"
    );
    let automaton = tableau(&temporal.formula.unwrap().negated(), 1_000).ok()?;
    let product = Product {
        program,
        atoms: &temporal.atoms,
        automaton: &automaton,
    };
    let unfolded = unfolded(&product, 5_000).ok()?;
    assert_eq!(unfolded, verdict, "{formula}\n{text}");
    Some(verdict)
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
    for seed in 0..150 {
        let text = random_program(seed, &options);
        let program = program(&text);
        let mut atoms = labels(seed, &options);
        atoms.truncate(6);
        atoms.extend(
            program
                .globals
                .iter()
                .map(|g| format!("{{{}}}", program.names.text(*g))),
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
        let infinite = has_infinite_run(&program, 200_000);
        assert_eq!(violates(&program, &ends, 200_000), infinite, "{text}");
        let running = Product {
            program: &program,
            atoms: &[Atom::Terminated, Atom::Error],
            automaton: &Buchi::never(2),
        };
        if let (Ok(unfolded), Ok(infinite)) = (unfolded(&running, 5_000), infinite) {
            assert_eq!(unfolded, infinite, "{text}");
        }
    }
    println!("{verdicts:?}");
    assert!(verdicts.iter().all(|count| *count > 50), "{verdicts:?}");
}
