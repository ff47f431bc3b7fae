//! Progress of the loop: the trace that a round was given is not in the next one, and with few bits
//! there is an end, with the verdict of the direct search. Tried on random boolean programs, and on
//! random ones that calculate; that a path is gone is found out on explicit states.

mod generator;
mod simulation;

use super::{Attempt, Conclusion, Goals, Loop, Plan, Traces, fails};
use crate::abstraction::Origin;
use crate::abstraction::build::Abstract;
use crate::abstraction::path::{Event, Path};
use crate::check::{self, Board, Options, Verdict};
use crate::explicit::{Budget, start_views};
use crate::generate::random;
use crate::interpreter::step::{Outcome, resumptions, successors};
use crate::interpreter::{View, Waiting};
use crate::lower::{self, RemoplaOptions, Start, boolean_program};
use crate::program::{Overflow, Program};
use crate::property::Property;
use crate::source::Source;
use crate::syntax::c as reading;
use crate::typing;
use crate::watch::{Gauge, Watch};
use generator::Dialect;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

const STATES: usize = 20_000;

/// A configuration of a boolean program, and how much of a path is behind it.
type Place = (View, Vec<Waiting>, usize);

/// Whether a boolean program has an execution that goes this way, if there are not too many.
fn goes(boolean: &Abstract, path: &Path) -> Option<bool> {
    let program = &boolean.program;
    let starts = start_views(program, Budget::states(STATES)).ok()?;
    let mut open: Vec<Place> = starts
        .into_iter()
        .map(|view| (view, Vec::new(), 0))
        .collect();
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    while let Some((view, below, mut behind)) = open.pop() {
        if behind == path.events.len() {
            return Some(true);
        }
        if !seen.insert((view.clone(), below.clone(), behind)) {
            continue;
        }
        if seen.len() > STATES {
            return None;
        }
        let event = match boolean.origins[view.at.0 as usize] {
            Origin::Edge(at, number) => Some(Event::Edge(at, number)),
            Origin::Resumed(at, number) => Some(Event::Resumed(at, number)),
            _ => None,
        };
        if let Some(event) = event {
            if event != path.events[behind] {
                continue;
            }
            behind += 1;
        }
        for outcome in successors(program, &view, STATES).ok()? {
            match outcome {
                Outcome::Next(next) => open.push((next, below.clone(), behind)),
                Outcome::Enter(next, waiting) => {
                    open.push((next, [&below[..], &[waiting]].concat(), behind));
                }
                Outcome::Leave { globals, returns } => {
                    let Some((waiting, rest)) = below.split_last() else {
                        continue;
                    };
                    let returns = returns.as_deref();
                    let resumed = resumptions(program, waiting, &globals, returns, STATES).ok()?;
                    open.extend(resumed.into_iter().filter_map(|outcome| match outcome {
                        Outcome::Next(next) => Some((next, rest.to_vec(), behind)),
                        _ => None,
                    }));
                }
                Outcome::Create(..) | Outcome::End(_) | Outcome::Error(_) => {}
            }
        }
    }
    Some(false)
}

/// How the loop ended, and how often a path was seen to be excluded.
struct Followed {
    verdict: Option<Verdict>,
    excluded: usize,
}

/// Goes round until there is an answer; each path is one that no later round has.
fn follow(program: &Program, text: &str) -> Followed {
    let property = Property::Assertions;
    let (options, watch) = (Options::default(), Watch::default());
    let plan = Plan::default();
    let mut turn = Loop::new(
        program,
        Vec::new(),
        plan,
        &options,
        &watch,
        Gauge::default(),
    );
    turn.workshop.lay_blocks(&|_| false);
    let goals = Goals {
        point: &|_| false,
        failure: &|point, assertion| fails(&property, point, assertion),
        divided: true,
        probes: &[],
    };
    let mut excluded = 0;
    let mut given: Vec<(Path, Vec<usize>)> = Vec::new();
    for round in 0..400 {
        let boolean = turn.round(&goals, &given).expect("a boolean program");
        let boolean = boolean.unwrap_or_else(|| panic!("nothing is new in round {round}\n{text}"));
        for (path, _) in &given {
            if let Some(goes) = goes(&boolean, path) {
                assert!(!goes, "round {round} has {path:?}\n{text}");
                excluded += 1;
            }
        }
        let traces = match turn.traces(&boolean).expect("it is decided") {
            Traces::None => {
                let verdict = Some(Verdict::Holds);
                return Followed { verdict, excluded };
            }
            Traces::Some(traces) => traces,
            Traces::Unknown(reason) => panic!("{reason:?}\n{text}"),
        };
        given.clear();
        for trace in traces {
            let path = Path::of(&trace, &boolean).expect("nothing is folded");
            match turn.attempt(&path, false, &property).expect("it is tried") {
                Attempt::Concluded(Conclusion::Violated(_)) => {
                    let verdict = Some(Verdict::Violated);
                    return Followed { verdict, excluded };
                }
                Attempt::Concluded(other) => panic!("{other:?}\n{text}"),
                Attempt::Excluded(core) => given.push((path, core)),
            }
        }
        // One at a time: what excludes one may be all that is found for another.
        given.truncate(1);
    }
    panic!("it does not end\n{text}");
}

/// The verdict of the direct search.
fn directly(program: &Program) -> Option<Verdict> {
    let board = Board::new(Instant::now(), 1);
    let options = Options {
        trace: false,
        ..Options::default()
    };
    let asked = [Property::Assertions];
    check::check(program, &asked, &options, &Watch::default(), &board).expect("it is small");
    board.verdict(0)
}

#[test]
fn each_round_excludes_the_trace_it_was_given() {
    let shape = random::Options {
        procedures: 3,
        globals: 2,
        locals: 1,
        parameters: 1,
        returns: 1,
        statements: 8,
        nesting: 2,
        asserts: 30,
        ..random::Options::default()
    };
    let mut count = 0;
    for seed in 0..600 {
        let text = random::program(seed, &shape);
        let source = Arc::new(Source::new("t.bp", text.clone().into()));
        let (program, wrong) = boolean_program(source, &Start::default());
        let program = program.unwrap_or_else(|| panic!("{text}\n{wrong:?}"));
        let found = follow(&program, &text);
        assert_eq!(found.verdict, directly(&program), "{text}");
        count += found.excluded;
    }
    assert!(count > 100, "{count} were excluded");
}

fn remopla(text: &str, overflow: Overflow) -> Program {
    let source = Arc::new(Source::new("t.rem", text.as_bytes().to_vec()));
    let options = RemoplaOptions {
        overflow,
        ..RemoplaOptions::default()
    };
    let (program, wrong) = lower::remopla(source, None, &options);
    program.unwrap_or_else(|| panic!("{text}\n{wrong:?}"))
}

fn c(text: &str) -> Program {
    let model = reading::DataModel::Lp64;
    let options = reading::Options {
        directories: Vec::new(),
        definitions: Vec::new(),
        model,
        honours_markers: true,
        reader: &|path| std::fs::read(path),
    };
    let file = ("t.c".to_owned(), text.as_bytes().to_vec());
    let typed = typing::c::program(reading::preprocess(vec![file], &options), model);
    let tree = typed.program.unwrap_or_else(|| panic!("{text}"));
    let main = lower::c::entry(&tree, "main").expect("a function to begin with");
    let options = lower::c::Options::default();
    lower::c::lower(Arc::new(typed.source), &tree, main, &options).program
}

/// Programs that calculate with few bits, each followed to its end.
fn with_few_bits(dialect: Dialect) {
    let seeds = std::env::var("DERNY_MORE_SEEDS").ok();
    let more: u64 = seeds.and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut excluded = 0;
    let mut verdicts = [0; 2];
    for seed in 0..120 * more {
        let text = generator::program(seed, dialect);
        let program = match dialect {
            Dialect::Remopla => {
                let overflow = [Overflow::Wrap, Overflow::Error, Overflow::Block];
                remopla(&text, overflow[seed as usize % 3])
            }
            Dialect::C => c(&text),
        };
        let expected = directly(&program);
        let found = follow(&program, &text);
        assert_eq!(found.verdict, expected, "seed {seed}\n{text}");
        excluded += found.excluded;
        verdicts[usize::from(expected == Some(Verdict::Violated))] += 1;
    }
    assert!(excluded > 30, "{excluded} were excluded");
    assert!(verdicts.iter().all(|count| *count > 10), "{verdicts:?}");
}

#[test]
fn remopla_with_few_bits_comes_to_an_end() {
    with_few_bits(Dialect::Remopla);
}

#[test]
fn c_with_few_bits_comes_to_an_end() {
    with_few_bits(Dialect::C);
}

/// Both calls lie on the path: what one returns is known only by what it was given.
#[test]
fn what_a_call_was_given_is_told_of_its_result() {
    let text = "int x(4);
module int(4) f(int a(4)) { x = a; if :: a > 3 -> return 1; :: else -> return 0; fi; }
init main;
module void main() { int r(4); r = f(5); assert(r == 1); r = f(x - 4); assert(r == 0 && x == 1); }";
    let program = remopla(text, Overflow::Error);
    assert_eq!(follow(&program, text).verdict, Some(Verdict::Holds));
}
