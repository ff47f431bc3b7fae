//! The product of a program and a Büchi automaton, step by step.
//!
//! A *head* is what can be seen of a configuration without looking below the top frame,
//! together with a state of the automaton that reads along. The automaton reads the letter
//! of a configuration when the program leaves it: each step of the program, the pop of a
//! frame included, moves the automaton once. *Terminated* and *error* step to themselves.

use super::buchi::{Buchi, Marks, State};
use super::{TooLarge, start_views};
use crate::interpreter::replay::{Location, Step};
use crate::interpreter::step::{Outcome, resumptions, successors};
use crate::interpreter::{Valuation, View, Waiting};
use crate::program::Program;
use crate::property::Atom;

/// What can be seen of a configuration of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    At(View),
    /// The globals; so for *error*.
    Terminated(Vec<u64>),
    Error(Vec<u64>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Head {
    pub control: Control,
    pub state: State,
}

/// How a frame was left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exit {
    pub globals: Vec<u64>,
    /// The return values, if they were fixed.
    pub returns: Option<Box<[u64]>>,
    pub state: State,
}

/// Where a step of the product leads.
#[derive(Debug)]
pub enum Move {
    /// To another head of the same frame, or to an end.
    Step(Head),
    /// To a new frame on top; the old one waits.
    Push(Head, Waiting),
    /// To whatever the frame below makes of it.
    Pop(Exit),
}

/// A program, and an automaton that reads the truth of atoms.
pub struct Product<'a> {
    pub program: &'a Program,
    pub atoms: &'a [Atom],
    pub automaton: &'a Buchi,
    /// How many steps a head may have.
    pub allowed: usize,
}

impl Product<'_> {
    /// The heads that runs begin with.
    pub fn starts(&self) -> Result<Vec<Head>, TooLarge> {
        let views = start_views(self.program, self.allowed)?.into_iter();
        let with = |view: View| {
            self.automaton.initial.iter().map(move |state| Head {
                control: Control::At(view.clone()),
                state: *state,
            })
        };
        Ok(views.flat_map(with).collect())
    }

    /// All steps from a head, with the marks that the automaton sees.
    pub fn moves(&self, head: &Head) -> Result<Vec<(Move, Marks)>, TooLarge> {
        let letter = self.letter(&head.control);
        let read: Vec<_> = self.automaton.read(head.state, &letter).collect();
        if read.is_empty() {
            return Ok(Vec::new());
        }
        let at = |control, state| Head { control, state };
        let mut moves = Vec::new();
        match &head.control {
            Control::At(view) => {
                for outcome in successors(self.program, view, self.allowed)? {
                    for (state, marks) in &read {
                        let next = match outcome.clone() {
                            Outcome::Next(view) => Move::Step(at(Control::At(view), *state)),
                            Outcome::Enter(view, waiting) => {
                                Move::Push(at(Control::At(view), *state), waiting)
                            }
                            Outcome::Error(_) => {
                                let globals = view.valuation.globals().to_vec();
                                Move::Step(at(Control::Error(globals), *state))
                            }
                            Outcome::Leave { globals, returns } => Move::Pop(Exit {
                                globals,
                                returns,
                                state: *state,
                            }),
                        };
                        moves.push((next, *marks));
                    }
                }
            }
            ended => {
                for (state, marks) in read {
                    moves.push((Move::Step(at(ended.clone(), state)), marks));
                }
            }
        }
        Ok(moves)
    }

    /// The heads after a return into a frame that waits.
    pub fn resumed(&self, waiting: &Waiting, exit: &Exit) -> Result<Vec<Head>, TooLarge> {
        let returns = exit.returns.as_deref();
        let outcomes = resumptions(self.program, waiting, &exit.globals, returns, self.allowed)?;
        let head = |outcome| Head {
            control: match outcome {
                Outcome::Next(view) => Control::At(view),
                _ => Control::Error(exit.globals.clone()),
            },
            state: exit.state,
        };
        Ok(outcomes.into_iter().map(head).collect())
    }

    /// The truth of each atom.
    fn letter(&self, control: &Control) -> Vec<bool> {
        let (location, valuation) = match control {
            Control::At(view) => (Location::At(view.at), view.valuation.clone()),
            Control::Terminated(globals) => (Location::Terminated, Valuation::new(globals, &[])),
            Control::Error(globals) => (Location::Error, Valuation::new(globals, &[])),
        };
        let step = Step {
            location,
            depth: 0,
            valuation,
            returns: None,
            folded: None,
        };
        let atoms = self.atoms.iter();
        atoms.map(|atom| atom.holds(self.program, &step)).collect()
    }
}
