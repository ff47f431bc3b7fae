//! The product of a machine and a Büchi automaton, step by step.
//!
//! A *head* is what can be seen of a configuration without looking below the top frame,
//! together with a state of the automaton that reads along. The automaton reads the letter
//! of a configuration when the machine leaves it: each step of the machine, the pop of a
//! frame included, moves the automaton once.

use super::Budget;
use super::buchi::{Buchi, Marks, State};
use super::machine::{Machine, Step};
use crate::watch::Abort;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Head<View> {
    pub view: View,
    pub state: State,
}

/// How a frame was left, and the state of the automaton then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exit<E> {
    pub exit: E,
    pub state: State,
}

/// Where a step of the product leads, with the marks that the automaton sees.
pub type Move<M> = (
    Step<Head<<M as Machine>::View>, <M as Machine>::Frame, Exit<<M as Machine>::Exit>>,
    Marks,
);

/// A machine, and an automaton that reads its letters.
pub struct Product<'a, M> {
    pub machine: &'a M,
    pub automaton: &'a Buchi,
    pub budget: Budget<'a>,
}

impl<M: Machine> Product<'_, M> {
    /// The heads that runs begin with.
    pub fn starts(&self) -> Result<Vec<Head<M::View>>, Abort> {
        let views = self.machine.starts(self.budget)?.into_iter();
        let with = |view: M::View| {
            self.automaton.initial.iter().map(move |state| Head {
                view: view.clone(),
                state: *state,
            })
        };
        Ok(views.flat_map(with).collect())
    }

    /// All steps from a head.
    pub fn moves(&self, head: &Head<M::View>) -> Result<Vec<Move<M>>, Abort> {
        let read: Vec<_> = match self.machine.is_silent(&head.view) {
            true => vec![(head.state, 0)],
            false => {
                let letter = self.machine.letter(&head.view);
                self.automaton.read(head.state, &letter).collect()
            }
        };
        let mut moves = Vec::new();
        if read.is_empty() {
            return Ok(moves);
        }
        for step in self.machine.steps(&head.view, self.budget)? {
            for (state, marks) in &read {
                let state = *state;
                let next = match step.clone() {
                    Step::Next(view) => Step::Next(Head { view, state }),
                    Step::Push(view, frame) => Step::Push(Head { view, state }, frame),
                    Step::Pop(exit) => Step::Pop(Exit { exit, state }),
                };
                moves.push((next, *marks));
            }
        }
        Ok(moves)
    }

    /// The heads after a return into a frame.
    pub fn resumed(
        &self,
        frame: &M::Frame,
        exit: &Exit<M::Exit>,
    ) -> Result<Vec<Head<M::View>>, Abort> {
        let views = self.machine.resumed(frame, &exit.exit, self.budget)?;
        let state = exit.state;
        let heads = views.into_iter().map(|view| Head { view, state });
        Ok(heads.collect())
    }

    /// The head after the lowest frame was popped.
    pub fn below(&self, exit: &Exit<M::Exit>) -> Head<M::View> {
        Head {
            view: self.machine.below(&exit.exit),
            state: exit.state,
        }
    }
}
