//! Saturation, repeating heads and the search for paths against explicit states, on programs
//! with two or three variables.

use super::model::{Model, Observation, with_model};
use super::{Accelerate, Board, Options, Run};
use crate::acceleration::Budget;
use crate::cycles::{self, Attempts, Method, repeating_after};
use crate::explicit;
use crate::generate::random;
use crate::interpreter::View;
use crate::interpreter::step::{Outcome, successors};
use crate::lower::{Start, boolean_program};
use crate::program::{PointId, Program};
use crate::rules::Subject;
use crate::saturation::PreStar;
use crate::source::Source;
use crate::spds::Head;
use crate::watch::Watch;
use crate::witness::find;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;

const SEEDS: u64 = 60;
const ALLOWED: explicit::Budget<'static> = explicit::Budget::states(100_000);

fn program(text: &str) -> Program {
    let source = Arc::new(Source::new("t.bp", text.into()));
    let (program, diagnostics) = boolean_program(source, &Start::default());
    program.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

/// Runs a test on the models of random programs with this many procedures.
fn for_random_programs(procedures: u32, test: impl Fn(&Program, &Model<'_>, &str)) {
    let plain = random::Options::default();
    let shape = random::Options {
        procedures,
        // Alone, a procedure makes no calls.
        recursion: if procedures > 1 { plain.recursion } else { 0 },
        globals: 1,
        locals: 1,
        parameters: 1,
        returns: 1,
        statements: 6,
        nesting: 2,
        ..plain
    };
    for seed in 0..SEEDS {
        let text = random::program(seed, &shape);
        let program = program(&text);
        let options = Options {
            memory: 16 << 20,
            accelerate: Accelerate::Never,
            ..Options::default()
        };
        let (watch, board) = (Watch::default(), Board::new(Instant::now(), 0));
        let run = Run {
            subject: Subject::Program(&program),
            options: &options,
            order: None,
            watch: &watch,
            board: &board,
        };
        let done = with_model(&run, None, Observation::default(), |model| {
            test(&program, model, &text);
            Ok(())
        });
        assert!(done.is_ok(), "{text}");
    }
}

fn points(program: &Program) -> impl Iterator<Item = PointId> + use<> {
    (0..program.points.len() as u32).map(PointId)
}

#[test]
fn post_star_reaches_what_the_twin_reaches_and_pre_star_leads_back() {
    for_random_programs(3, |program, model, text| {
        let reachable = explicit::reachable(program, ALLOWED).expect("a small program");
        let mut post_star = model.post_star().expect("few nodes");
        post_star.run(|_| false).expect("few nodes");
        assert_eq!(model.terminates(&post_star), reachable.terminated, "{text}");
        for point in points(program) {
            let head = Head(point.0);
            let is_reached = reachable.points.contains(&point);
            assert_eq!(post_star.is_reached(head), is_reached, "{point:?}\n{text}");
            let goals = [(head, model.bdds.constant(true))];
            let pre_star = PreStar::new(model.spds, model.bdds, model.watch, goals);
            let leads_back = pre_star.and_then(|mut pre_star| pre_star.run());
            assert_eq!(leads_back, Ok(is_reached), "{point:?}\n{text}");
        }
    });
}

#[test]
fn every_method_finds_a_cycle_if_and_only_if_the_twin_does() {
    for_random_programs(3, |program, model, text| {
        let expected = explicit::has_infinite_run(program, ALLOWED).expect("a small program");
        let mut post_star = model.post_star().expect("few nodes");
        post_star.run(|_| false).expect("few nodes");
        let methods = [
            Method::Auto,
            Method::Owcty,
            Method::EmersonLei,
            Method::Closure,
        ];
        for method in methods {
            for rough_components in [false, true] {
                for budget in [None, Some(Budget::ALWAYS), Some(Budget::auto(true))] {
                    let options = cycles::Options {
                        method,
                        rough_components,
                    };
                    let attempts = budget.map(|budget| Attempts {
                        budget,
                        is_wide: true,
                    });
                    let found = repeating_after(&post_star, model.copies, options, attempts);
                    let found = found.expect("few nodes").is_some();
                    assert_eq!(found, expected, "{options:?} {attempts:?}\n{text}");
                }
            }
        }
    });
}

/// The least number of steps to each point, in a program without calls.
fn distances(program: &Program) -> FxHashMap<PointId, usize> {
    let mut distances = FxHashMap::default();
    let mut seen: Vec<View> = explicit::start_views(program, ALLOWED).expect("a small program");
    let mut ring = seen.clone();
    for distance in 0.. {
        let mut next: Vec<View> = Vec::new();
        for view in ring {
            distances.entry(view.at).or_insert(distance);
            for outcome in successors(program, &view, ALLOWED.states).expect("a small program") {
                if let Outcome::Next(view) = outcome
                    && !seen.contains(&view)
                {
                    seen.push(view.clone());
                    next.push(view);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        ring = next;
    }
    distances
}

#[test]
fn a_path_is_as_short_as_the_shortest_execution() {
    for_random_programs(1, |program, model, text| {
        let distances = distances(program);
        let mut post_star = model.post_star().expect("few nodes");
        post_star.run(|_| false).expect("few nodes");
        let search = model.search(post_star.summaries(), false);
        for point in points(program) {
            let goal = |head: Head| (head.0 == point.0).then(|| model.bdds.constant(true));
            let found = find(&search, goal).expect("few nodes");
            let steps = found.map(|trace| {
                let moves = trace.path.moves.iter();
                moves
                    .filter(|step| !model.spds.is_internal(step.head))
                    .count()
            });
            assert_eq!(steps, distances.get(&point).copied(), "{point:?}\n{text}");
        }
    });
}
