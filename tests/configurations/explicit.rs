//! Configurations one by one, by the interpreter: the other source for what `post*` and
//! `pre*` say.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use derny::internals::interpreter::step::{Outcome, resumptions, successors};
use derny::internals::interpreter::{Valuation, View, Waiting};
use derny::internals::program::{Action, Cell, PointId, Program};
use indexmap::IndexSet;

/// A configuration with its whole stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Configuration {
    /// The frame on top; those that wait below it, the lowest first.
    Running(View, Vec<Waiting>),
    Error(Vec<u64>),
    Terminated(Vec<u64>),
}

impl Configuration {
    pub fn depth(&self) -> usize {
        match self {
            Configuration::Running(_, stack) => stack.len(),
            _ => 0,
        }
    }
}

/// More steps than any configuration of a test has.
const STEPS: usize = 10_000;

/// The configurations that follow one.
pub fn steps(program: &Program, configuration: &Configuration) -> Vec<Configuration> {
    let Configuration::Running(view, stack) = configuration else {
        return Vec::new();
    };
    let mut following = Vec::new();
    for outcome in successors(program, view, STEPS).expect("few steps") {
        match outcome {
            Outcome::Next(view) | Outcome::Create(view, _) => {
                following.push(Configuration::Running(view, stack.clone()));
            }
            Outcome::End(globals) => following.push(Configuration::Terminated(globals)),
            Outcome::Enter(entered, waiting) => {
                let mut stack = stack.clone();
                stack.push(waiting);
                following.push(Configuration::Running(entered, stack));
            }
            Outcome::Error(_) => {
                let globals = view.valuation.globals().to_vec();
                following.push(Configuration::Error(globals));
            }
            Outcome::Leave { globals, returns } => match stack.split_last() {
                None => following.push(Configuration::Terminated(globals)),
                Some((waiting, below)) => {
                    let returns = returns.as_deref();
                    let resumed = resumptions(program, waiting, &globals, returns, STEPS);
                    for outcome in resumed.expect("few steps") {
                        following.push(match outcome {
                            Outcome::Next(view) => Configuration::Running(view, below.to_vec()),
                            _ => Configuration::Error(globals.clone()),
                        });
                    }
                }
            },
        }
    }
    following
}

/// What is reachable from some configurations with stacks of at most `depth` frames below
/// the top; and whether that is everything. `None` if there are more than `allowed`.
pub fn reachable(
    program: &Program,
    from: impl IntoIterator<Item = Configuration>,
    depth: usize,
    allowed: usize,
) -> Option<(IndexSet<Configuration>, bool)> {
    let mut found: IndexSet<Configuration> = from.into_iter().collect();
    let mut complete = true;
    let mut at = 0;
    while let Some(configuration) = found.get_index(at).cloned() {
        at += 1;
        for next in steps(program, &configuration) {
            match next.depth() <= depth {
                true => found.insert(next),
                false => {
                    complete = false;
                    continue;
                }
            };
        }
        if found.len() > allowed {
            return None;
        }
    }
    Some((found, complete))
}

/// All values of these cells.
pub fn rows(cells: &[Cell]) -> Vec<Vec<u64>> {
    let mut rows = vec![Vec::new()];
    for cell in cells {
        let size = u64::try_from(cell.domain.size()).expect("few values");
        let extended = rows
            .iter()
            .flat_map(|row: &Vec<u64>| (0..size).map(|value| [row.as_slice(), &[value]].concat()));
        rows = extended.collect();
    }
    rows
}

/// The configurations in which executions begin.
pub fn starts(program: &Program) -> Vec<Configuration> {
    let mut starts = Vec::new();
    for globals in rows(&program.globals) {
        for locals in rows(&program.procedure(program.entry).locals) {
            let view = View {
                at: program.entry_point(),
                valuation: Valuation::new(&globals, &locals),
                returns: None,
            };
            starts.push(Configuration::Running(view, Vec::new()));
        }
    }
    starts
}

/// Every call of a program: the point, its procedure, and the one that it calls.
pub fn calls(program: &Program) -> Vec<(PointId, u32, u32)> {
    let points = program.points.iter().zip((0..).map(PointId));
    let calls = points.filter_map(|(point, id)| match &point.action {
        Action::Call(call) => Some((id, point.procedure.0, call.callee.0)),
        _ => None,
    });
    calls.collect()
}
