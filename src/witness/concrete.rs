//! Paths of programs: the interpreter walks along.
//!
//! Where the path leaves a value open the interpreter takes the smallest that is possible.

use super::path::{CallUse, Move, Path};
use super::walk::{Diverged, Walk, Walker};
use crate::bits;
use crate::interpreter::step::{Outcome, Wish, choose, choose_resumption};
use crate::interpreter::{Valuation, View, Waiting};
use crate::program::{PointId, ProcedureId, Program, VariableId};
use crate::rules::{Layout, Meaning, Rules};
use crate::spds::{Head, Spds};
use crate::trace::{Fold, SegmentId};
use crate::trace::{Location, Step};
use std::ops::Range;

pub struct Concretizer<'a> {
    pub program: &'a Program,
    pub rules: &'a Rules<'a>,
    pub spds: &'a Spds,
}

/// The program stops, in *error* or *terminated*.
fn stop(walk: &mut Walk<'_, Concretizer<'_>>, location: Location, globals: &[u64]) {
    walk.view = None;
    let valuation = Valuation::new(globals, &[]);
    walk.steps.push(Step::new(location, 0, valuation));
}

impl Concretizer<'_> {
    /// The live values at a head that a path goes through.
    fn wish<'w>(&'w self, head: Head, values: &'w [bool]) -> Live<'w> {
        Live {
            top: LiveAt {
                layout: &self.rules.layout,
                procedure: self.rules.frame_of(head),
                live: self.spds.variables(head),
                values,
            },
            below: None,
        }
    }

    fn point_of(&self, head: Head) -> Option<PointId> {
        match self.rules.meaning(head) {
            Meaning::Symbol(point) => Some(PointId(point)),
            Meaning::Returning(_) | Meaning::Error | Meaning::Empty => None,
        }
    }
}

impl Walker for Concretizer<'_> {
    type View = View;
    type Waiting = Waiting;
    /// The view at the exit point.
    type Exit = View;

    fn layout(&self) -> &Layout {
        &self.rules.layout
    }

    fn states(&self, call: &CallUse) -> [u32; 2] {
        let (_, after) = call.handed(self.spds);
        [&call.key[..], &after].map(|values| self.rules.layout.state(values))
    }

    fn start(&self, path: &Path) -> Result<View, Diverged> {
        let program = self.program;
        let wish = self.wish(path.head, &path.values);
        let value = |variable| wish.variable(variable).unwrap_or(0);
        let globals = (0..program.globals.len() as u32).map(VariableId::Global);
        let locals = program.procedure(program.entry).locals.len() as u32;
        let locals = (0..locals).map(VariableId::Local);
        Ok(View {
            at: program.entry_point(),
            valuation: Valuation::new(
                &globals.map(value).collect::<Vec<_>>(),
                &locals.map(value).collect::<Vec<_>>(),
            ),
            returns: None,
        })
    }

    fn step(&self, view: &View, depth: u64) -> Step {
        Step {
            returns: view.returns.clone(),
            ..Step::new(Location::At(view.at.0), depth, view.valuation.clone())
        }
    }

    fn jump(&self, view: &View, path: &Path) -> Result<View, Diverged> {
        if self.point_of(path.head) != Some(view.at) {
            return Err(Diverged);
        }
        let wish = self.wish(path.head, &path.values);
        let mut view = view.clone();
        let globals = (0..view.valuation.globals().len() as u32).map(VariableId::Global);
        let locals = (0..view.valuation.locals().len() as u32).map(VariableId::Local);
        for variable in globals.chain(locals) {
            if let Some(value) = wish.variable(variable) {
                view.valuation.set(variable, value);
            }
        }
        Ok(view)
    }

    fn make_move(&self, walk: &mut Walk<'_, Self>, step: &Move) -> Result<(), Diverged> {
        let Some(view) = walk.view.as_ref() else {
            // The program has stopped, and only the automaton moves on.
            walk.made += 1;
            return Ok(());
        };
        let at = self.point_of(step.head);
        let wish = self.wish(step.head, &step.values);
        let outcome = choose(self.program, view, &wish, |outcome| match outcome {
            Outcome::Next(view) | Outcome::Enter(view, _) => Some(view.at) == at,
            Outcome::Error(_) => self.rules.meaning(step.head) == Meaning::Error,
            Outcome::Leave { .. } => self.rules.meaning(step.head) == Meaning::Empty,
        });
        walk.made += 1;
        match outcome.ok_or(Diverged)? {
            Outcome::Next(view) => walk.arrive(self, view),
            Outcome::Enter(view, _) => {
                walk.depth += 1;
                walk.arrive(self, view);
            }
            Outcome::Error(failure) => {
                walk.failure = Some(failure);
                let globals = view.valuation.globals().to_vec();
                stop(walk, Location::Error, &globals);
            }
            Outcome::Leave { globals, .. } => stop(walk, Location::Terminated, &globals),
        }
        Ok(())
    }

    fn entered(
        &self,
        walk: &mut Walk<'_, Self>,
        segment: &Path,
    ) -> Result<(View, Waiting), Diverged> {
        let view = walk.view.as_ref().ok_or(Diverged)?;
        let after = &walk.path.moves[walk.made];
        let wish = Live {
            below: Some(self.wish(after.head, &after.values).top),
            ..self.wish(segment.head, &segment.values)
        };
        let enter = |outcome: &Outcome| matches!(outcome, Outcome::Enter(..));
        match choose(self.program, view, &wish, enter) {
            Some(Outcome::Enter(view, waiting)) => Ok((view, waiting)),
            _ => Err(Diverged),
        }
    }

    fn left(&self, walk: &mut Walk<'_, Self>, _: &CallUse) -> Result<View, Diverged> {
        walk.view.clone().ok_or(Diverged)
    }

    fn left_like(&self, exit: &View, _: &Step, call: &CallUse) -> (View, Step) {
        let (handed, values) = call.handed(self.spds);
        let procedure = self.program.point(exit.at).procedure;
        let wish = Live {
            top: LiveAt {
                layout: &self.rules.layout,
                procedure: Some(procedure),
                live: &handed,
                values: &values,
            },
            below: None,
        };
        let mut exit = exit.clone();
        for i in 0..exit.valuation.globals().len() as u32 {
            if let Some(value) = wish.variable(VariableId::Global(i)) {
                exit.valuation.set(VariableId::Global(i), value);
            }
        }
        for (value, i) in exit.returns.iter_mut().flatten().zip(0..) {
            *value = wish.returned(i).unwrap_or(*value);
        }
        let step = self.step(&exit, 0);
        (exit, step)
    }

    fn returned(
        &self,
        walk: &mut Walk<'_, Self>,
        segment: SegmentId,
        waiting: &Waiting,
        exit: &View,
    ) -> Result<(), Diverged> {
        // A returning head and its internal rule are part of this step.
        let moves = &walk.path.moves;
        let internal = self.point_of(moves[walk.made].head).is_none();
        walk.made += usize::from(internal);
        let after = moves.get(walk.made).ok_or(Diverged)?;
        walk.made += 1;
        let wish = self.wish(after.head, &after.values);
        let fails = self.rules.meaning(after.head) == Meaning::Error;
        let globals = exit.valuation.globals();
        let returns = exit.returns.as_deref();
        let accept = |outcome: &Outcome| matches!(outcome, Outcome::Error(_)) == fails;
        let outcome = choose_resumption(self.program, waiting, globals, returns, &wish, accept);
        if let Some(call) = walk.steps.last_mut() {
            call.folded = Some(Fold::Call(segment));
        }
        match outcome {
            Some(Outcome::Next(view)) => walk.arrive(self, view),
            Some(Outcome::Error(failure)) => {
                walk.failure = Some(failure);
                stop(walk, Location::Error, globals);
            }
            _ => return Err(Diverged),
        }
        Ok(())
    }
}

/// Wants the live values of a path.
struct Live<'a> {
    top: LiveAt<'a>,
    /// After a call that returns: where the frame goes on that waits meanwhile.
    below: Option<LiveAt<'a>>,
}

/// The live values at a head.
struct LiveAt<'a> {
    layout: &'a Layout,
    /// `None` if no frame is left.
    procedure: Option<ProcedureId>,
    live: &'a [u64],
    values: &'a [bool],
}

impl LiveAt<'_> {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        self.value(match variable {
            VariableId::Global(index) => self.layout.global(index),
            VariableId::Local(_) => self.layout.cell(self.procedure?, variable),
        })
    }

    /// Either all bits of a cell are live or none.
    fn value(&self, cell: Range<u32>) -> Option<u64> {
        let bits = cell.clone().zip(0..);
        let value = bits.map(|(bit, place)| u64::from(self.values[bit as usize]) << place);
        let is_live = cell.start < cell.end && bits::contains(self.live, cell.start);
        is_live.then(|| value.sum())
    }
}

impl Wish for Live<'_> {
    fn variable(&self, variable: VariableId) -> Option<u64> {
        self.top.variable(variable)
    }

    fn returned(&self, index: u32) -> Option<u64> {
        let LiveAt {
            layout, procedure, ..
        } = self.top;
        self.top.value(layout.returned(procedure?, index))
    }

    fn waiting(&self, variable: VariableId) -> Option<u64> {
        self.below.as_ref()?.variable(variable)
    }
}
