//! The control points of a procedure.
//!
//! Where control goes after a statement is known once what follows it is, so the statements
//! of a procedure are walked backwards, with what is open on an explicit stack. No patching, no
//! recursion, linear time.

use crate::names::Name;
use crate::program::{Action, Expression, Point, PointId, ProcedureId};
use crate::source::Span;
use crate::syntax::kit::tree::Label;

/// The points of all procedures so far. Those of the one that is walked stand in reverse.
pub struct Points {
    pub list: Vec<Point>,
    pub labels: Vec<(PointId, Name)>,
    procedure: ProcedureId,
    /// The first point of the procedure.
    base: u32,
    /// The last point that was made.
    here: PointId,
    /// The point that follows the statement that is looked at.
    pub next: PointId,
    /// How many hidden locals have been set there.
    pub saved: u32,
    open: Vec<Open>,
    /// Where a `break` leads, for each loop that is open.
    breaks: Vec<PointId>,
    /// The arms of all compound statements that are open, those of one side by side, its last
    /// one first.
    arms: Vec<(Expression, PointId, Span)>,
    /// Where the guards of statements with several branches stand.
    guards: Vec<(PointId, Span)>,
}

/// A compound statement whose end has been seen, but not its beginning.
struct Open {
    /// Where the end of a branch leads.
    join: PointId,
    /// What follows the statement.
    after: PointId,
    is_loop: bool,
    otherwise: Option<PointId>,
    /// How many arms there were of those around it.
    arms: usize,
}

/// The branches of a compound statement.
pub struct Branches {
    pub arms: Box<[(Expression, PointId)]>,
    pub otherwise: Option<PointId>,
    /// What follows the statement.
    pub after: PointId,
}

impl Points {
    pub fn with_capacity(points: usize) -> Self {
        Points {
            list: Vec::with_capacity(points),
            labels: Vec::new(),
            procedure: ProcedureId(0),
            base: 0,
            here: PointId(0),
            next: PointId(0),
            saved: 0,
            open: Vec::new(),
            breaks: Vec::new(),
            arms: Vec::new(),
            guards: Vec::new(),
        }
    }

    /// Begins a procedure that has so many points before its exit, which is at `close`.
    pub fn begin(&mut self, procedure: ProcedureId, points: u32, close: Span) {
        self.procedure = procedure;
        self.base = self.list.len() as u32;
        self.here = self.at(points + 1);
        self.saved = 0;
        self.push(close, false, Action::Exit);
    }

    /// The point with this number in the procedure.
    pub fn at(&self, number: u32) -> PointId {
        PointId(self.base + number)
    }

    /// The number in the procedure of the point that is made next.
    pub fn number(&self) -> u32 {
        self.here.0 - 1 - self.base
    }

    /// Makes the point before the last one.
    pub fn push(&mut self, span: Span, implicit: bool, action: Action) {
        self.list.push(Point {
            procedure: self.procedure,
            span,
            implicit,
            saved: self.saved,
            action,
        });
        self.here = PointId(self.here.0 - 1);
        self.next = self.here;
    }

    /// The end of a compound statement; of a loop, the number of its head is given.
    pub fn open(&mut self, head: Option<u32>) {
        let after = self.next;
        if let Some(head) = head {
            self.breaks.push(after);
            self.next = self.at(head);
        }
        self.open.push(Open {
            join: self.next,
            after,
            is_loop: head.is_some(),
            otherwise: None,
            arms: self.arms.len(),
        });
    }

    /// The beginning of a branch, under a condition or else; the guard stands at `span`.
    pub fn branch(&mut self, condition: Option<Expression>, span: Span) {
        if let Some(open) = self.open.last_mut() {
            match condition {
                Some(condition) => self.arms.push((condition, self.next, span)),
                None => open.otherwise = Some(self.next),
            }
            self.next = open.join;
        }
    }

    /// The beginning of a compound statement, all of whose branches have been seen. Guards are
    /// kept if there are several, `else` counted if `counts_else`.
    pub fn close(&mut self, counts_else: bool) -> Branches {
        let Some(open) = self.open.pop() else {
            // The brackets of a tree match: this does not happen.
            return Branches {
                arms: Box::default(),
                otherwise: Some(self.next),
                after: self.next,
            };
        };
        if open.is_loop {
            self.breaks.pop();
        }
        let arms = || self.arms[open.arms..].iter().rev();
        if arms().len() > 1 || counts_else && open.otherwise.is_some() {
            let head = PointId(self.here.0 - 1);
            self.guards.extend(arms().map(|(.., span)| (head, *span)));
        }
        let arms = self.arms.drain(open.arms..).rev();
        Branches {
            arms: arms.map(|(condition, to, _)| (condition, to)).collect(),
            otherwise: open.otherwise,
            after: open.after,
        }
    }

    /// The guards of all procedures, ordered by point.
    pub fn take_guards(&mut self) -> Vec<(PointId, Span)> {
        let mut guards = std::mem::take(&mut self.guards);
        guards.sort_by_key(|(point, _)| *point);
        guards
    }

    /// Where a `break` leads.
    pub fn after_loop(&self) -> Option<PointId> {
        self.breaks.last().copied()
    }

    /// The procedure has been walked: places its labels. Its points.
    pub fn finish<'l>(
        &mut self,
        labels: impl IntoIterator<Item = &'l Label>,
    ) -> std::ops::Range<u32> {
        self.list[self.base as usize..].reverse();
        let base = self.base;
        let placed = labels.into_iter().map(|label| {
            let point = PointId(base + label.point);
            (point, label.identifier.name)
        });
        self.labels.extend(placed);
        base..self.list.len() as u32
    }
}

pub fn goto(next: PointId) -> Action {
    Action::Goto {
        targets: Box::new([next]),
    }
}
