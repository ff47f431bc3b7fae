//! Progress of the loop: the trace that a round was given is not in the next one. Tried on random
//! boolean programs, which have few truth values. It is not so of every program: where the relations
//! of steps are given by parts, a path may come back, and in the end nothing is known.

use super::{Attempt, Goals, Loop, Plan, Traces, fails};
use crate::abstraction::Origin;
use crate::abstraction::build::Abstract;
use crate::abstraction::path::{Event, Path};
use crate::check::Options;
use crate::explicit::{Budget, start_views};
use crate::generate::random;
use crate::interpreter::step::{Outcome, resumptions, successors};
use crate::interpreter::{View, Waiting};
use crate::lower::{Start, boolean_program};
use crate::program::Program;
use crate::property::Property;
use crate::source::Source;
use crate::watch::{Gauge, Watch};
use rustc_hash::FxHashSet;
use std::sync::Arc;

const STATES: usize = 100_000;

/// A configuration of a boolean program, and how much of a path is behind it.
type Followed = (View, Vec<Waiting>, usize);

/// Whether a boolean program has an execution that goes this way, if there are not too many.
fn goes(boolean: &Abstract, path: &Path) -> Option<bool> {
    let program = &boolean.program;
    let starts = start_views(program, Budget::states(STATES)).ok()?;
    let mut open: Vec<Followed> = starts
        .into_iter()
        .map(|view| (view, Vec::new(), 0))
        .collect();
    let mut seen: FxHashSet<Followed> = FxHashSet::default();
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

/// Goes round until there is an answer; how often a path was seen to be excluded.
fn follow(program: &Program, text: &str) -> usize {
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
    let mut count = 0;
    let mut all: Vec<Path> = Vec::new();
    for round in 0..50 {
        let boolean = turn.round(&goals).expect("a boolean program");
        for path in &all {
            let Some(goes) = goes(&boolean, path) else {
                return count;
            };
            assert!(!goes, "round {round} has {path:?}\n{text}");
            count += 1;
        }
        let mut given: Vec<(Path, Vec<usize>)> = Vec::new();
        let Traces::Some(traces) = turn.traces(&boolean).expect("it is decided") else {
            return count;
        };
        for trace in traces {
            let path = Path::of(&trace, &boolean).expect("nothing is folded");
            match turn.attempt(&path, false, &property).expect("it is tried") {
                Attempt::Concluded(_) => return count,
                Attempt::Excluded(core) => given.push((path, core)),
            }
        }
        // One at a time: what excludes one may be all that is found for another.
        given.truncate(1);
        all.extend(given.iter().map(|(path, _)| path.clone()));
        assert!(turn.refine(&given).expect("it is refined"), "{text}");
    }
    panic!("it does not end\n{text}");
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
        count += follow(&program, &text);
    }
    assert!(count > 100, "{count} were excluded");
}
