//! Whatever the predicates are, the boolean program has every execution: each configuration that the program
//! can be in has its abstract one, with the truth values that the predicates have there, and each step
//! its abstract step. Both sides are explored by the explicit twin.

use super::generator::{self, Dialect};
use super::{Goals, Loop, Plan, remopla};
use crate::abstraction::build::Abstract;
use crate::abstraction::predicate::{PredicateId, Predicates};
use crate::abstraction::reading::read_predicates;
use crate::check::Options;
use crate::explicit::{Budget, reachable_views};
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::step::{Outcome, successors};
use crate::interpreter::{View, value_of};
use crate::program::{Overflow, PointId, ProcedureId, Program};
use crate::watch::{Gauge, Watch};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many path edges a program may have, and its boolean program.
const EDGES: usize = 3_000;
const ABSTRACT_EDGES: usize = 30_000;

/// A point of the program, and the truth values of the predicates that are in scope there.
type Seen = (PointId, Vec<bool>);

/// The procedure of a point.
fn owner(program: &Program, at: PointId) -> ProcedureId {
    let owns = |id: &ProcedureId| program.procedure(*id).points.contains(&at.0);
    let owner = program.procedure_ids().find(owns);
    owner.expect("each point is in a procedure")
}

/// The predicates that are in scope at a point.
fn in_scope(program: &Program, predicates: &Predicates, at: PointId) -> Vec<PredicateId> {
    let ids = (0..predicates.len() as u32).map(PredicateId);
    let procedure = Some(owner(program, at));
    let in_scope = |id: &PredicateId| {
        let scope = predicates.get(*id).scope;
        scope.is_none() || scope == procedure
    };
    ids.filter(in_scope).collect()
}

/// What the predicates are in a configuration of the program, by its interpreter.
fn seen(program: &Program, predicates: &Predicates, view: &View) -> Seen {
    let procedure = owner(program, view.at);
    let values = in_scope(program, predicates, view.at)
        .into_iter()
        .map(|id| {
            let operations = &predicates.get(id).operations;
            let value = evaluate(operations, |variable, _| {
                let domain = program.cell(procedure, variable).domain;
                value_of(domain, view.valuation.get(variable))
            });
            value.may_be(true)
        });
    (view.at, values.collect())
}

/// The points of the program by their places in a boolean program.
struct Map<'a> {
    program: &'a Program,
    predicates: &'a Predicates,
    boolean: &'a Abstract,
    points: FxHashMap<PointId, PointId>,
}

impl Map<'_> {
    /// Where a configuration of the boolean program is, if it is between two steps.
    fn seen(&self, view: &View) -> Option<Seen> {
        let at = *self.points.get(&view.at)?;
        let ids = in_scope(self.program, self.predicates, at).into_iter();
        let values = ids.map(|id| {
            let variable = self.boolean.variables[id.0 as usize];
            view.valuation.get(variable) != 0
        });
        Some((at, values.collect()))
    }

    /// Where one step within a frame leads to.
    fn after(&self, view: &View) -> FxHashSet<Seen> {
        let mut after = FxHashSet::default();
        let mut open = vec![view.clone()];
        let mut known: FxHashSet<View> = FxHashSet::default();
        while let Some(view) = open.pop() {
            let all = successors(&self.boolean.program, &view, ABSTRACT_EDGES);
            for outcome in all.expect("it is small") {
                let Outcome::Next(next) = outcome else {
                    continue;
                };
                if !known.insert(next.clone()) {
                    continue;
                }
                match self.seen(&next) {
                    Some(seen) => {
                        after.insert(seen);
                    }
                    None => open.push(next),
                }
            }
        }
        after
    }
}

/// Whether all of a program was compared, which is not too large then; how many steps.
fn compare(program: &Program, lines: &[String], text: &str) -> Option<usize> {
    let concrete = reachable_views(program, Budget::states(EDGES)).ok()?;
    let given = read_predicates(program, lines).into_iter();
    let given = given.filter_map(Result::ok).collect();
    let (options, watch) = (Options::default(), Watch::default());
    let (plan, calls) = (Plan::default(), Gauge::default());
    let mut turn = Loop::new(program, given, plan, &options, &watch, calls);
    turn.workshop.lay_blocks(&|_| true);
    let goals = Goals {
        point: &|_| false,
        failure: &|_, _| true,
        divided: false,
        probes: &[],
    };
    let boolean = turn.workshop.build(&turn.predicates, &goals);
    let boolean = boolean.expect("a boolean program");
    let places = boolean.places.iter().zip((0..).map(PointId));
    let map = Map {
        program,
        predicates: &turn.predicates,
        boolean: &boolean,
        points: places.map(|(place, at)| (*place, at)).collect(),
    };
    let budget = Budget::states(ABSTRACT_EDGES);
    let mut steps: FxHashMap<Seen, FxHashSet<Seen>> = FxHashMap::default();
    for view in reachable_views(&boolean.program, budget).ok()? {
        if let Some(seen) = map.seen(&view) {
            steps.entry(seen).or_default().extend(map.after(&view));
        }
    }
    let mut count = 0;
    for view in concrete {
        let before = seen(program, &turn.predicates, &view);
        let after = steps.get(&before);
        let after = after.unwrap_or_else(|| panic!("{before:?} is missing\n{lines:?}\n{text}"));
        for outcome in successors(program, &view, EDGES).ok()? {
            if let Outcome::Next(next) = outcome {
                let next = seen(program, &turn.predicates, &next);
                let place = || format!("{before:?} to {next:?}\n{lines:?}\n{text}");
                assert!(after.contains(&next), "{}", place());
                count += 1;
            }
        }
    }
    Some(count)
}

#[test]
fn every_execution_has_its_abstract_one() {
    let seeds = std::env::var("DERNY_MORE_SEEDS").ok();
    let more: u64 = seeds.and_then(|text| text.parse().ok()).unwrap_or(1);
    let [mut programs, mut steps] = [0; 2];
    for seed in 0..4_400 * more {
        let text = generator::program(seed, Dialect::Remopla);
        let overflow = [Overflow::Wrap, Overflow::Error, Overflow::Block];
        let program = remopla(&text, overflow[seed as usize % 3]);
        let lines = generator::predicates(seed);
        if let Some(count) = compare(&program, &lines, &text) {
            programs += 1;
            steps += count;
        }
    }
    println!("{programs} programs, {steps} steps");
    assert!(programs > 2_000 && steps > 100_000, "{programs}, {steps}");
}
