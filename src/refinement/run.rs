//! A whole check by predicates, or by whichever method gets there: verdicts and traces onto the
//! board.
//!
//! `Auto` begins directly, with a budget of BDD operations that is counted and not timed, so that
//! the same method answers on every machine; with a timeout, a third of it is the limit of that
//! attempt. What is open then is for predicates, and what these cannot tell is tried directly again, as long as it takes.

use super::{Conclusion, Loop, Plan};
use crate::abstraction::predicate::Predicate;
use crate::check::{self, Board, Options, Phase, TraceFinding, Verdict};
use crate::error::{Error, Reason};
use crate::limits::abstraction::DIRECT_OPERATIONS;
use crate::program::{Boundary, BoundaryKind, Program};
use crate::property::Property;
use crate::rules::Subject;
use crate::watch::Watch;
use std::time::Instant;

/// How a program is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abstraction {
    /// As it is, bit by bit.
    #[default]
    None,
    /// Through predicates, which are found on the way.
    Predicates,
    /// As it is, and through predicates where that looks hopeless.
    Auto,
}

/// What is asked, and by which means.
pub struct Task<'a> {
    pub subject: Subject<'a>,
    pub properties: &'a [Property],
    pub boundaries: &'a [Boundary],
    pub method: Abstraction,
    pub given: Vec<Predicate>,
    pub plan: Plan,
    pub options: &'a Options,
    pub watch: &'a Watch,
    pub board: &'a Board,
    /// When a third of the time is over, if that is limited.
    pub patience: Option<Instant>,
}

impl Task<'_> {
    /// Decides every property.
    pub fn run(&self) -> Result<(), Error> {
        match (self.method, self.subject) {
            (Abstraction::Predicates, Subject::Program(program)) => {
                self.by_predicates(program, false)
            }
            (Abstraction::Auto, Subject::Program(program)) if program.threads.is_none() => {
                self.by_both(program)
            }
            _ => self.directly(self.options, self.watch),
        }
    }

    fn directly(&self, options: &Options, watch: &Watch) -> Result<(), Error> {
        let (subject, board) = (self.subject, self.board);
        check::check(subject, self.properties, options, watch, board)?;
        let count = self.properties.len();
        check::examine(subject, self.boundaries, count, options, watch, board)
    }

    fn by_both(&self, program: &Program) -> Result<(), Error> {
        let limited = Options {
            operations: self.options.operations.min(DIRECT_OPERATIONS),
            ..self.options.clone()
        };
        let watch = match self.patience {
            Some(instant) => self.watch.until(instant),
            None => self.watch.clone(),
        };
        match self.directly(&limited, &watch) {
            Err(Error::Stopped(Reason::Memory)) if !self.watch.is_cancelled() => {}
            other => return other,
        }
        self.board
            .warn("the direct search looks hopeless: predicates are tried".into());
        self.by_predicates(program, true)?;
        match self.has_open() {
            true => self.directly(self.options, self.watch),
            false => Ok(()),
        }
    }

    fn has_open(&self) -> bool {
        (0..self.properties.len()).any(|index| self.board.verdict(index).is_none())
    }

    fn by_predicates(&self, program: &Program, only_open: bool) -> Result<(), Error> {
        let calls = self.watch.begin_abstraction();
        let mut turn = Loop::new(
            program,
            self.given.clone(),
            self.plan.clone(),
            self.options,
            self.watch,
            calls,
        );
        let mut ended = Ok(());
        for (index, property) in self.properties.iter().enumerate() {
            if only_open && self.board.verdict(index).is_some() {
                continue;
            }
            self.board.turn_to(index);
            self.board.enter(Phase::Abstraction);
            let concluded = turn.decide(property);
            let mut summary = turn.summary();
            match concluded {
                Ok(Conclusion::Holds) => {
                    self.board.decide(index, Verdict::Holds);
                    // What was proved, before other questions add to it.
                    let invariants = match self.plan.invariants {
                        true => Some(turn.invariants()?),
                        false => None,
                    };
                    self.examine(&mut turn, index)?;
                    summary = turn.summary();
                    summary.invariants = invariants;
                }
                Ok(Conclusion::Violated(trace)) => {
                    let steps = (trace.stem.len() + trace.cycle.len()) as u64;
                    let temporal = match property {
                        Property::Temporal(temporal) => Some(&**temporal),
                        _ => None,
                    };
                    let shows = |steps: &[usize], stem: usize| {
                        let subject = Subject::Program(program);
                        check::still_violates(subject, temporal, &trace, steps, stem)
                    };
                    let is_shown = check::enact(self.options, self.board, index, &trace, &shows)?;
                    self.board.decide(index, Verdict::Violated);
                    if self.options.trace {
                        self.board.explain(
                            index,
                            match is_shown {
                                true => TraceFinding::Found(*trace),
                                false => TraceFinding::TooLong(steps),
                            },
                        );
                    }
                }
                Ok(Conclusion::Unknown(reason)) => self.board.excuse(index, reason),
                Err(Error::Stopped(Reason::Memory)) => {
                    ended = Err(Error::Stopped(Reason::Memory));
                }
                Err(error) => {
                    self.board.summarize(index, summary);
                    return Err(error);
                }
            }
            self.board.summarize(index, summary);
        }
        match only_open {
            true => Ok(()),
            false => ended,
        }
    }

    /// Looks which boundaries can be reached, of a property that holds.
    fn examine(&self, turn: &mut Loop<'_>, index: usize) -> Result<(), Error> {
        if self.boundaries.is_empty() {
            return Ok(());
        }
        let mut reached = Vec::new();
        let mut is_known = true;
        let undefined: Vec<&Boundary> = self
            .boundaries
            .iter()
            .filter(|boundary| boundary.kind == BoundaryKind::Undefined)
            .collect();
        let points = undefined.iter().map(|boundary| boundary.point).collect();
        let not_excluded = turn.not_excluded(points)?;
        for boundary in self.boundaries {
            let is_reached = match boundary.kind {
                BoundaryKind::Undefined => not_excluded.contains(&boundary.point),
                BoundaryKind::Outside | BoundaryKind::Heap => {
                    match turn.decide(&Property::Reach(vec![boundary.point]))? {
                        Conclusion::Holds => false,
                        Conclusion::Violated(_) => true,
                        Conclusion::Unknown(_) => {
                            is_known = false;
                            false
                        }
                    }
                }
            };
            if is_reached {
                reached.push(boundary.clone());
            }
        }
        self.board.limit(index, &reached, is_known);
        if !is_known {
            self.board.excuse(index, Reason::Predicates);
        }
        Ok(())
    }
}
