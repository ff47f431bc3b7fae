//! The heads of a program's pushdown system, and what they stand for.

use super::Head;
use super::encode::Analyses;
use crate::program::{Action, PointId, Program, Target};

/// Which head stands for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMeaning {
    At(PointId),
    /// A call has popped its frame and has yet to set its targets.
    Returning(PointId),
    /// An assertion has failed.
    Error,
    /// The lowest frame was popped.
    Terminated,
}

/// The heads of a program's pushdown system.
#[derive(Clone, Debug)]
pub struct ProgramHeads {
    points: u32,
    /// The call of each returning head.
    returning: Vec<PointId>,
}

impl ProgramHeads {
    pub(super) fn new(program: &Program, analyses: &Analyses<'_>) -> Self {
        let mut returning = Vec::new();
        for procedure in program.procedure_ids() {
            for point in &analyses.liveness.orders[procedure.0 as usize] {
                if let Action::Call(call) = &program.point(*point).action
                    && (analyses.layout.remembers
                        || program.procedure(procedure).enforce.is_some()
                        || call.targets.iter().any(|target| *target != Target::Discard)
                        // What the callee returns must not be taken for its caller's.
                        || !program.procedure(procedure).returns.is_empty()
                            && call.next == program.procedure(procedure).exit())
                {
                    returning.push(*point);
                }
            }
        }
        ProgramHeads {
            points: program.points.len() as u32,
            returning,
        }
    }

    pub fn at(&self, point: PointId) -> Head {
        Head(point.0)
    }

    pub fn error(&self) -> Head {
        Head(self.points + self.returning.len() as u32)
    }

    pub fn terminated(&self) -> Head {
        Head(self.error().0 + 1)
    }

    pub fn meaning(&self, head: Head) -> HeadMeaning {
        if head.0 < self.points {
            HeadMeaning::At(PointId(head.0))
        } else if let Some(call) = self.returning.get((head.0 - self.points) as usize) {
            HeadMeaning::Returning(*call)
        } else if head == self.error() {
            HeadMeaning::Error
        } else {
            HeadMeaning::Terminated
        }
    }

    /// Each call that has a returning head, and that head.
    pub fn returning_heads(&self) -> impl Iterator<Item = (PointId, Head)> {
        let heads = (self.points..).map(Head);
        self.returning.iter().copied().zip(heads)
    }

    pub fn count(&self) -> usize {
        self.terminated().0 as usize + 1
    }
}
