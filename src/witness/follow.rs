//! The moves of a walk, made by the rules of its path.
//!
//! Programs and pushdown systems alike: a rule says what becomes of the values, the path tells
//! those that matter, and [`super::values`] finds the others. A call that returns is entered
//! and left here; what happens in between is a walk of its own.

use super::path::{CallUse, Move, Path};
use super::values::{Before, Solver, Told, ToldBelow};
use super::walk::{Diverged, Walk};
use crate::analysis::Analyses;
use crate::program::{ProcedureId, VariableId};
use crate::rules::{Head, Meaning, Right, Rule, Rules};
use crate::spds::Spds;
use crate::spds::copies::Copies;
use crate::trace::{Fold, Location, SegmentId, Step, Valuation};

/// What paths lead through.
pub struct Walker<'a> {
    pub rules: &'a Rules<'a>,
    pub analyses: &'a Analyses,
    pub copies: &'a Copies<'a>,
    pub spds: &'a Spds,
}

/// What can be seen of a configuration without looking below the top frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct View {
    head: Head,
    frame: ProcedureId,
    valuation: Valuation,
    /// The values fixed by a `return`; only where a frame is left.
    returns: Option<Box<[u64]>>,
}

/// A frame that waits below another, and the head at which it will go on.
pub(super) struct Waiting {
    head: Head,
    locals: Box<[u64]>,
}

/// What is left of a frame that was popped: its last view, and the globals after that.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    view: View,
    globals: Box<[u64]>,
}

impl View {
    pub(super) fn step(&self, depth: u64) -> Step {
        let location = Location::At(self.head.0);
        Step {
            thread: 0,
            returns: self.returns.clone(),
            ..Step::new(location, depth, self.valuation.clone())
        }
    }

    fn before(&self) -> Before<'_> {
        Before {
            frame: self.frame,
            valuation: &self.valuation,
            returned: None,
        }
    }
}

impl Walker<'_> {
    fn solver(&self) -> Solver<'_> {
        Solver {
            rules: self.rules,
            copies: self.copies,
        }
    }

    /// What a path tells of the values at a head.
    fn told<'t>(&'t self, head: Head, values: &'t [bool]) -> Told<'t> {
        Told {
            variables: self.analyses.liveness.at(head),
            values,
        }
    }

    fn frame(&self, head: Head) -> Result<ProcedureId, Diverged> {
        self.rules.frame_of(head).ok_or(Diverged)
    }

    /// The rule that a move begins with.
    fn rule_of(&self, step: &Move) -> Result<&Rule, Diverged> {
        let rule = self.spds.rule(step.rule().ok_or(Diverged)?);
        self.rules.rules.get(rule.origin).ok_or(Diverged)
    }

    /// The states of the property's automaton, if there is one, before a call's first step and
    /// after its last.
    pub(super) fn states(&self, call: &CallUse) -> [u32; 2] {
        let (_, after) = call.handed(self.spds);
        [&call.key[..], &after].map(|values| self.rules.layout.state(values))
    }

    pub(super) fn start(&self, path: &Path) -> Result<View, Diverged> {
        let valuation = self.solver().start(self.told(path.head, &path.values));
        Ok(View {
            head: path.head,
            frame: self.frame(path.head)?,
            valuation: valuation.ok_or(Diverged)?,
            returns: None,
        })
    }

    /// The place of a view, with the values that matter where a path begins.
    pub(super) fn jump(&self, view: &View, path: &Path) -> Result<View, Diverged> {
        if path.head != view.head {
            return Err(Diverged);
        }
        let told = self.told(path.head, &path.values);
        let mut view = view.clone();
        let globals = (0..view.valuation.globals().len() as u32).map(VariableId::Global);
        let locals = (0..view.valuation.locals().len() as u32).map(VariableId::Local);
        for variable in globals.chain(locals) {
            if let Some(value) = told.value(self.rules.layout.cell(view.frame, variable)) {
                view.valuation.set(variable, value);
            }
        }
        Ok(view)
    }

    /// Makes a move of the walk's path, in its frame or into one that is never left.
    pub(super) fn make_move(&self, walk: &mut Walk<'_>, step: &Move) -> Result<(), Diverged> {
        walk.made += 1;
        let Some(view) = walk.view.take() else {
            // The program has stopped, and only the automaton moves on.
            return Ok(());
        };
        let rule = self.rule_of(step)?;
        let meaning = self.rules.meaning(step.head);
        if meaning == Meaning::Error {
            walk.take(rule, Box::default());
            walk.stop(Location::Error, view.valuation.globals());
            return Ok(());
        }
        let told = self.told(step.head, &step.values);
        let after = self.solver().after(rule, view.before(), Some(told), None);
        let after = after.ok_or(Diverged)?;
        walk.take(rule, after.below);
        if meaning == Meaning::Empty {
            walk.stop(Location::Terminated, after.valuation.globals());
            return Ok(());
        }
        walk.depth += u64::from(matches!(rule.right, Right::Push { .. }));
        walk.arrive(View {
            head: step.head,
            frame: self.frame(step.head)?,
            valuation: after.valuation,
            returns: after.returns,
        });
        Ok(())
    }

    /// The state in which the frame of a call that returns begins, whose execution
    /// `segment` is; and what waits for it.
    pub(super) fn entered(
        &self,
        walk: &mut Walk<'_>,
        call: &CallUse,
        segment: &Path,
    ) -> Result<(View, Waiting), Diverged> {
        let view = walk.view.as_ref().ok_or(Diverged)?;
        let after = &walk.path.moves[walk.made];
        let rule = self.rule_of(after)?;
        let (handed, _) = call.handed(self.spds);
        let below = ToldBelow {
            told: self.told(after.head, &after.values),
            handed: &handed,
        };
        let told = self.told(segment.head, &segment.values);
        let solved = self
            .solver()
            .after(rule, view.before(), Some(told), Some(below));
        let solved = solved.ok_or(Diverged)?;
        let waiting = Waiting {
            head: after.head,
            locals: solved.below.clone(),
        };
        walk.take(rule, solved.below);
        let view = View {
            head: segment.head,
            frame: self.frame(segment.head)?,
            valuation: solved.valuation,
            returns: None,
        };
        Ok((view, waiting))
    }

    /// Leaves the frame that a walk was made in, as `call` says.
    pub(super) fn left(&self, walk: &mut Walk<'_>, call: &CallUse) -> Result<Exit, Diverged> {
        let view = walk.view.clone().ok_or(Diverged)?;
        let (handed, values) = call.handed(self.spds);
        let told = Told {
            variables: &handed,
            values: &values,
        };
        let pops = self.rules.rules_from(view.head).iter();
        let is_told = |(value, i): (&u64, u32)| {
            let told = told.value(self.rules.layout.global(i));
            told.is_none_or(|told| told == *value)
        };
        for rule in pops.filter(|rule| rule.right == Right::Pop) {
            let after = self.solver().after(rule, view.before(), Some(told), None);
            let globals = after.as_ref().map(|after| after.valuation.globals());
            // Another rule might keep what this one changes.
            if let Some(globals) = globals.filter(|globals| globals.iter().zip(0..).all(is_told)) {
                walk.take(rule, Box::default());
                let globals = globals.into();
                return Ok(Exit { view, globals });
            }
        }
        Err(Diverged)
    }

    /// What is left of a frame by a call, if that is like one that has left `exit`; and the
    /// step with which it ends.
    pub(super) fn left_like(&self, exit: &Exit, call: &CallUse) -> (Exit, Step) {
        let (handed, values) = call.handed(self.spds);
        let told = Told {
            variables: &handed,
            values: &values,
        };
        let layout = &self.rules.layout;
        let Exit {
            mut view,
            mut globals,
        } = exit.clone();
        for (value, i) in globals.iter_mut().zip(0..) {
            *value = told.value(layout.global(i)).unwrap_or(*value);
        }
        for (value, i) in view.returns.iter_mut().flatten().zip(0..) {
            *value = told.value(layout.returned(view.frame, i)).unwrap_or(*value);
        }
        // A procedure has one exit, where it is left with the globals it has.
        let step = match self.rules.is_frame_by_kind {
            true => {
                view.valuation = Valuation::new(&globals, view.valuation.locals());
                view.step(0)
            }
            false => Step::new(Location::Left, 0, Valuation::new(&globals, &[])),
        };
        (Exit { view, globals }, step)
    }

    /// Goes on after a call that has returned.
    pub(super) fn returned(
        &self,
        walk: &mut Walk<'_>,
        segment: SegmentId,
        waiting: &Waiting,
        exit: &Exit,
    ) -> Result<(), Diverged> {
        if let Some(call) = walk.steps.last_mut() {
            call.folded = Some(Fold::Call(segment));
        }
        walk.made += 1;
        let mut view = View {
            head: waiting.head,
            frame: self.frame(waiting.head)?,
            valuation: Valuation::new(&exit.globals, &waiting.locals),
            returns: None,
        };
        if matches!(self.rules.meaning(view.head), Meaning::Returning(_)) {
            // A returning head and its internal rule are part of this step.
            let after = walk.path.moves.get(walk.made).ok_or(Diverged)?;
            walk.made += 1;
            if self.rules.meaning(after.head) == Meaning::Error {
                walk.stop(Location::Error, &exit.globals);
                return Ok(());
            }
            let before = Before {
                returned: Some((exit.view.frame, exit.view.returns.as_deref())),
                ..view.before()
            };
            let told = self.told(after.head, &after.values);
            let rule = self.rule_of(after)?;
            let solved = self.solver().after(rule, before, Some(told), None);
            view.valuation = solved.ok_or(Diverged)?.valuation;
            view.head = after.head;
        }
        walk.arrive(view);
        Ok(())
    }
}
