//! The search on random programs beside the naive twin: the fewest switches and rounds for every
//! point and assertion, and traces that replay. `programs` has answers that are known.

mod programs;

use super::search::Layer;
use super::{Plan, with_product};
use crate::bdd::Collection;
use crate::explicit::Budget;
use crate::explicit::threads::{Found, explore};
use crate::generate::random::Random;
use crate::interpreter::threads::replay::replay;
use crate::lower::{Start, boolean_program};
use crate::program::{Action, PointId, Program};
use crate::property::Property;
use crate::source::Source;
use crate::threads::{Measure, Settings};
use crate::trace::Trace;
use crate::watch::Watch;
use std::fmt::Write;
use std::sync::Arc;

const SEEDS: u64 = 300;

fn program(text: &str) -> Program {
    let source = Arc::new(Source::new("program.bp", text.as_bytes().to_vec()));
    let (program, diagnostics) = boolean_program(source, &Start::default());
    program.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"))
}

/// The bound and the execution by which each property is violated first, if it is; and the last
/// layer.
fn search(
    program: &Program,
    properties: &[Property],
    measure: Measure,
) -> (Vec<Option<(u64, Trace)>>, Layer) {
    let plan = Plan::of(program).expect("it is finite");
    let settings = Settings {
        measure,
        memory: 1 << 26,
        operations: u64::MAX,
        jobs: 1,
        collection: Collection::Rare,
        watch: &Watch::default(),
    };
    let result = with_product(&plan, properties, &settings, |product| {
        let mut found = vec![None; properties.len()];
        loop {
            let layer = product.deepen()?;
            for index in &layer.violated {
                found[*index] = product.trace(*index)?.map(|trace| (layer.bound, trace));
                assert!(found[*index].is_some(), "a violation has a trace");
            }
            if layer.is_complete || found.iter().all(Option::is_some) {
                return Ok((found, layer));
            }
        }
    });
    result.expect("there is no limit")
}

/// The names that a procedure sees.
const CELLS: [&str; 4] = ["g", "h", "own", "x"];

/// A finite program: procedures call only later ones, and create threads outside of loops.
struct Generator {
    random: Random,
    text: String,
    labels: u32,
}

impl Generator {
    fn program(seed: u64) -> String {
        let mut random = Random::new(seed, 0);
        let has_init = random.percent(60);
        let is_declared = has_init || random.percent(50);
        let mut generator = Generator {
            random,
            text: "decl g, h; decl thread_local own;\n".into(),
            labels: 0,
        };
        if has_init {
            generator.text += "void init() begin decl x; g, h := 0, 0;";
            generator.block(0, 1, 0, 20);
            generator.text += "end\n";
        }
        if is_declared {
            generator.text += "thread main(*), p2(1);\n";
        }
        for procedure in 1..=3 {
            let name = ["", "main", "p2", "p3"][procedure];
            write!(generator.text, "bool {name}(x) begin ").expect("a string");
            generator.block(procedure, 3, 0, if is_declared { 40 } else { 90 });
            if generator.random.percent(70) {
                let value = generator.condition();
                write!(generator.text, "return {value};").expect("a string");
            }
            generator.text += "end\n";
        }
        generator.text
    }

    fn condition(&mut self) -> String {
        let (a, b) = (*self.random.pick(&CELLS), *self.random.pick(&CELLS));
        match self.random.below(5) {
            0 => "*".into(),
            1 => format!("!{a}"),
            2 => format!("{a} & !{b}"),
            3 => format!("{a} != {b}"),
            _ => a.into(),
        }
    }

    /// Statements; threads are created this often, in percent, if not inside a loop.
    fn block(&mut self, procedure: usize, most: u32, depth: u32, created: u32) {
        for _ in 0..self.random.between(1, most) {
            self.statement(procedure, depth, created);
        }
    }

    fn statement(&mut self, procedure: usize, depth: u32, created: u32) {
        let condition = self.condition();
        let cell = *self.random.pick(&CELLS);
        let callee = self.random.between(3.min(procedure as u32 + 1), 3);
        let callee = ["", "main", "p2", "p3"][callee as usize];
        let may_call = procedure > 0 && procedure < 3;
        self.labels += 1;
        write!(self.text, "L{}: ", self.labels).expect("a string");
        let label = self.labels;
        let text = match self.random.below(16) {
            0 if depth < 2 => {
                write!(self.text, "if ({condition}) then ").expect("a string");
                self.block(procedure, 2, depth + 1, created);
                self.text += "else ";
                self.block(procedure, 2, depth + 1, created);
                "fi".into()
            }
            1 if depth < 2 => {
                write!(self.text, "while ({condition}) do ").expect("a string");
                self.block(procedure, 2, depth + 1, 0);
                "od".into()
            }
            2 | 3 if depth < 2 => {
                self.text += "atomic begin ";
                self.block(procedure, 2, depth + 1, created);
                "end".into()
            }
            4 => format!("assume({condition});"),
            5 => format!("assert({condition});"),
            6 if may_call => format!("{cell} := {callee}({condition});"),
            7 if may_call && created > 0 => format!("call {callee}({condition});"),
            8 | 13 if self.random.percent(created) && procedure < 3 => {
                format!("start_thread call {callee}({condition});")
            }
            9 | 14 if self.random.percent(created) && depth == 0 => {
                format!("start_thread goto N{label}; {cell} := 0; N{label}: skip;")
            }
            10 if self.random.percent(30) => "end_thread;".into(),
            11 if self.random.percent(30) => "atomic_begin;".into(),
            12 if cell != "g" => format!("{cell}, g := g, {condition};"),
            _ => format!("{cell} := {condition};"),
        };
        writeln!(self.text, "{text}").expect("a string");
    }
}

#[test]
fn random_programs() {
    let (mut compared, mut violated, mut lengths) = (0, 0, [0, 0]);
    for seed in 0..SEEDS {
        let text = Generator::program(seed);
        let program = program(&text);
        if program.threads.is_none() {
            continue;
        }
        let points = (0..program.points.len() as u32).map(PointId);
        let is_assertion =
            |point: &PointId| matches!(program.point(*point).action, Action::Assert { .. });
        let assertions = points.clone().filter(is_assertion);
        let reach = points.map(|point| (point, Property::Reach(vec![point])));
        let fail = assertions.map(|point| (point, Property::Assertion(vec![point])));
        let asked: Vec<(PointId, Property)> = reach.chain(fail).collect();
        let properties: Vec<_> = asked.iter().map(|(_, property)| property.clone()).collect();
        for measure in [Measure::Switches, Measure::Rounds] {
            let Ok(expected) = explore(&program, measure, u32::MAX, Budget::states(3_000)) else {
                continue;
            };
            if !expected.is_complete {
                continue;
            }
            compared += 1;
            let (found, _) = search(&program, &properties, measure);
            for ((point, property), found) in asked.iter().zip(found) {
                let expected: Option<&Found> = match property {
                    Property::Reach(_) => expected.points.get(point),
                    _ => expected.failed.get(point),
                };
                let what = format!("seed {seed}, {measure:?}, {property:?}:\n{text}");
                assert_eq!(
                    found.as_ref().map(|(bound, _)| *bound),
                    expected.map(|found| u64::from(found.bound)),
                    "{what}"
                );
                let Some(((bound, trace), expected)) = found.zip(expected) else {
                    continue;
                };
                let replayed = replay(&program, &trace)
                    .unwrap_or_else(|mismatch| panic!("{mismatch}: {trace:#?}\n{what}"));
                let counted = match measure {
                    Measure::Switches => replayed.switches,
                    Measure::Rounds => replayed.rounds,
                };
                assert_eq!(counted, bound, "{what}");
                assert!(property.asks_for(&trace), "{trace:#?}\n{what}");
                violated += 1;
                lengths[0] += trace.stem.len();
                lengths[1] += expected.steps as usize + 1;
            }
        }
    }
    assert!(
        compared > SEEDS && violated > 10 * SEEDS,
        "{compared}, {violated}"
    );
    // Each context is as short as can be, which is not the same for all of them together.
    let [found, shortest] = lengths;
    assert!(found * 10 < shortest * 12, "{found}, {shortest}");
}
