//! What a rule does, as steps of its own among those of the program.
//!
//! A rule is woven into the program: wrappers around functions call what it does at their events. Of
//! all this one step is shown for each event, in the function that the wrapper was called from, with the
//! variables that are seen there. Linear in the execution.

use super::walk::{Moment, Walk};
use crate::execution::{State, StepKind};
use crate::typing::c::tree::{FunctionId, Program, Role};

/// The execution without what only weaves the rule in.
pub fn show(typed: &Program, entry: FunctionId, walk: Walk) -> Walk {
    let last = typed.functions.last();
    if last.is_none_or(|last| last.role == Role::Program) {
        return walk;
    }
    let mut shown = Walk {
        moments: Vec::with_capacity(walk.moments.len()),
        ..walk
    };
    // What was last seen in each frame of the program that is open.
    let mut frames: Vec<State> = Vec::new();
    let mut is_open = false;
    for mut moment in walk.moments {
        let function = &typed.functions[moment.state.function.0 as usize];
        let below = moment.state.depth - moment.state.hidden;
        match function.role {
            Role::Program => {
                is_open = false;
                frames.truncate(below);
                frames.push(moment.state.clone());
                shown.moments.push(moment);
            }
            Role::Event(_) if !is_open => {
                is_open = true;
                let caller = below.checked_sub(1).and_then(|index| frames.get(index));
                let state = &mut moment.state;
                state.function = caller.map_or(entry, |caller| caller.function);
                state.locals = caller.map_or(Vec::new(), |caller| caller.locals.clone());
                state.depth = below.saturating_sub(1) + state.hidden;
                state.step.kind = StepKind::Event;
                state.step.span = function.span;
                moment.outcome = None;
                shown.moments.push(moment);
            }
            role => {
                is_open = matches!(role, Role::Event(_));
                let before: Option<&mut Moment> = shown.moments.last_mut();
                let made = before.map_or(&mut shown.begin, |before| &mut before.made);
                made.extend(moment.made);
            }
        }
    }
    shown
}
