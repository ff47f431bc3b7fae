//! Configurations one by one, by the interpreter: the other source for what `post*` and
//! `pre*` say.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use derny::interpreter::step::{Anything, Outcome, resume, successors};
use derny::interpreter::{Valuation, View};
use derny::program::{Action, PointId, Program};
use indexmap::IndexSet;

/// A configuration with its whole stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Configuration {
    /// The frame on top; the calls that wait below it, the lowest first, with their locals.
    Running(View, Vec<(PointId, Vec<bool>)>),
    Error(Vec<bool>),
    Terminated(Vec<bool>),
}

impl Configuration {
    pub fn depth(&self) -> usize {
        match self {
            Configuration::Running(_, stack) => stack.len(),
            _ => 0,
        }
    }
}

/// The configurations that follow one.
pub fn steps(program: &Program, configuration: &Configuration) -> Vec<Configuration> {
    let Configuration::Running(view, stack) = configuration else {
        return Vec::new();
    };
    let mut following = Vec::new();
    for outcome in successors(program, view) {
        match outcome {
            Outcome::Next(view) => following.push(Configuration::Running(view, stack.clone())),
            Outcome::Enter(entered) => {
                let mut stack = stack.clone();
                stack.push((view.at, view.valuation.locals().to_vec()));
                following.push(Configuration::Running(entered, stack));
            }
            Outcome::Error => {
                let globals = view.valuation.globals().to_vec();
                following.push(Configuration::Error(globals));
            }
            Outcome::Leave { globals, returns } => match stack.split_last() {
                None => following.push(Configuration::Terminated(globals)),
                Some(((call, locals), below)) => resume(
                    program,
                    *call,
                    locals,
                    &globals,
                    returns.as_deref(),
                    &Anything,
                    &mut |view| {
                        following.push(Configuration::Running(view, below.to_vec()));
                        true
                    },
                ),
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

/// All rows of this many truth values.
pub fn rows(length: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1_u64 << length).map(move |bits| (0..length).map(|i| bits >> i & 1 == 1).collect())
}

/// The configurations in which executions begin.
pub fn starts(program: &Program) -> Vec<Configuration> {
    let entry = program.entry_point();
    let locals = program.procedure(program.entry).locals.len();
    let mut starts = Vec::new();
    for globals in rows(program.globals.len()) {
        for locals in rows(locals) {
            let view = View {
                at: entry,
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
