//! A whole check by predicates, or by whichever method gets there: verdicts and traces onto the
//! board.
//!
//! `Auto` begins directly, with a budget of BDD operations that is counted and not timed, so
//! that the same method answers on every machine; with a timeout, a third of it is the limit of that
//! attempt. What is open then is for predicates, in the next third, and what these cannot tell is tried
//! directly again, with all there is.

use super::{Conclusion, Loop, Plan};
use crate::abstraction::predicate::Predicate;
use crate::check::{self, Board, Options, Phase, TraceFinding, Verdict};
use crate::error::{Error, Reason};
use crate::limits::abstraction::{
    DIRECT_MEMORY, DIRECT_OPERATIONS, TRACE_NODES, TRACE_REFINEMENTS,
};
use crate::program::{Boundary, BoundaryKind, PointId, Program};
use crate::property::Property;
use crate::retrace::Provenance;
use crate::rules::Subject;
use crate::watch::Watch;
use std::sync::Arc;
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
    /// What is searched directly; it may have been made smaller.
    pub subject: Subject<'a>,
    /// As it was written, with the same points: predicates are about variables as they were declared.
    pub whole: Subject<'a>,
    /// Of a lowered C program, what the whole was made from.
    pub whole_provenance: Option<Arc<dyn Provenance>>,
    pub properties: &'a [Property],
    pub boundaries: &'a [Boundary],
    pub method: Abstraction,
    pub given: Vec<Predicate>,
    /// Where invariants are looked for, in their order, if that is wanted.
    pub loops: Vec<PointId>,
    pub plan: Plan,
    pub options: &'a Options,
    pub watch: &'a Watch,
    pub board: &'a Board,
    /// When a third of the time is over, and when two, if that is limited.
    pub patience: Option<[Instant; 2]>,
}

impl Task<'_> {
    /// Decides every property.
    pub fn run(&self) -> Result<(), Error> {
        let mut kinds = self.boundaries.iter().map(|boundary| boundary.kind);
        if kinds.any(|kind| kind != BoundaryKind::Undefined) {
            (0..self.properties.len()).for_each(|index| self.board.withhold(index));
        }
        match (self.method, self.whole) {
            (Abstraction::Predicates, Subject::Program(program)) => {
                self.by_predicates(program, self.watch, false)
            }
            (Abstraction::Auto, Subject::Program(program)) if program.threads.is_none() => {
                self.by_both(program)
            }
            _ => self.directly(self.options, self.watch),
        }
    }

    /// Decides what is not settled yet on the program as it is.
    fn directly(&self, options: &Options, watch: &Watch) -> Result<(), Error> {
        let numbers = 0..self.properties.len();
        let open = numbers.filter(|index| !self.board.is_settled(*index, options.trace));
        let open: Vec<usize> = open.collect();
        let properties: Vec<Property> = open
            .iter()
            .map(|index| self.properties[*index].clone())
            .collect();
        let (subject, board) = (self.subject, &self.board.part(&open));
        let outcome = check::check(subject, &properties, options, watch, board);
        // Running out of nodes for some of them says nothing about the others.
        if !matches!(outcome, Ok(()) | Err(Error::Stopped(Reason::Memory))) {
            return outcome;
        }
        let count = properties.len();
        check::examine(subject, self.boundaries, count, options, watch, board).and(outcome)
    }

    fn by_both(&self, program: &Program) -> Result<(), Error> {
        let limited = Options {
            operations: self.options.operations.min(DIRECT_OPERATIONS),
            memory: self.options.memory.min(DIRECT_MEMORY),
            trace_nodes: Some(TRACE_NODES),
            ..self.options.clone()
        };
        let [first, second] = match self.patience {
            Some(ends) => ends.map(|end| self.watch.until(end)),
            None => [self.watch, self.watch].map(Watch::clone),
        };
        match self.directly(&limited, &first) {
            Err(Error::Stopped(Reason::Memory)) if !self.watch.is_cancelled() => {}
            other => return other,
        }
        let mut numbers = 0..self.properties.len();
        let what = match numbers.all(|index| self.board.verdict(index).is_some()) {
            true => "the direct search for a trace",
            false => "the direct search",
        };
        self.board
            .warn(format!("{what} looks hopeless: predicates are tried"));
        self.by_predicates(program, &second, true)?;
        self.directly(self.options, self.watch)
    }

    fn by_predicates(
        &self,
        program: &Program,
        watch: &Watch,
        only_open: bool,
    ) -> Result<(), Error> {
        let calls = self.watch.begin_abstraction();
        let options = &Options {
            provenance: self.whole_provenance.clone(),
            ..self.options.clone()
        };
        let mut turn = Loop::new(
            program,
            self.given.clone(),
            self.plan.clone(),
            options,
            watch,
            calls,
        );
        let mut ended = Ok(());
        for (index, property) in self.properties.iter().enumerate() {
            if only_open && self.board.is_settled(index, self.options.trace) {
                continue;
            }
            // It is violated then, and lacks its trace.
            let is_known = self.board.verdict(index).is_some();
            let refinements = self.plan.refinements;
            turn.refine_at_most(match is_known {
                true => refinements.min(TRACE_REFINEMENTS),
                false => refinements,
            });
            self.board.turn_to(index);
            self.board.enter(Phase::Abstraction);
            let concluded = turn.decide(property);
            let mut summary = turn.summary();
            match concluded {
                Ok(Conclusion::Holds) if is_known => {
                    return Err(Error::Internal(
                        "the direct search and predicates disagree about a property".into(),
                    ));
                }
                Ok(Conclusion::Unknown(_)) | Err(Error::Stopped(Reason::Memory)) if is_known => {
                    continue;
                }
                Ok(Conclusion::Holds) => {
                    self.board.decide(index, Verdict::Holds);
                    // What was proved, before other questions add to it.
                    let invariants = match self.plan.invariants {
                        true => turn.invariants(&self.loops).map(Some),
                        false => Ok(None),
                    };
                    let examined = self.examine(&mut turn, index);
                    summary = turn.summary();
                    // A proof stands, whether or not its invariants can be told.
                    match invariants {
                        Ok(invariants) => summary.invariants = invariants,
                        Err(Error::Stopped(Reason::Memory)) => {}
                        Err(error) => return Err(error),
                    }
                    match examined {
                        Ok(()) => {}
                        Err(Error::Stopped(Reason::Memory)) => {
                            // What may lie outside is not known: neither is the verdict.
                            self.board.limit(index, &[], false);
                            ended = Err(Error::Stopped(Reason::Memory));
                        }
                        Err(error) => return Err(error),
                    }
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
                    let is_shown = check::enact(options, self.board, index, &trace, &shows)?;
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
        let mut open = None;
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
                BoundaryKind::Outside | BoundaryKind::Heap | BoundaryKind::Length => {
                    match turn.decide(&Property::Reach(vec![boundary.point]))? {
                        Conclusion::Holds => false,
                        Conclusion::Violated(_) => true,
                        Conclusion::Unknown(reason) => {
                            open.get_or_insert(reason);
                            false
                        }
                    }
                }
            };
            if is_reached {
                reached.push(boundary.clone());
            }
        }
        self.board.limit(index, &reached, open.is_none());
        let is_certain = |one: &Boundary| one.kind != BoundaryKind::Undefined;
        if let Some(reason) = open.filter(|_| !reached.iter().any(is_certain)) {
            self.board.excuse(index, reason);
        }
        Ok(())
    }
}
