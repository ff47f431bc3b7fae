//! The control points of a procedure, made forwards.
//!
//! Actions lead to *marks*, which stand for points that may not be there yet. A mark is set where
//! the next point will be, or becomes another mark's alias, so that no point is needed only to
//! jump. At the end every mark is replaced by the point it stands for. What nothing leads to is not
//! made at all. Linear time, as good as.

use super::origin::{PointKind, PointOrigin};
use crate::program::{Action, Expression, Expressions, Operation, Point, PointId, ProcedureId};
use crate::source::Span;
use crate::typing::c::tree::{FunctionId, LabelId, StatementId};

/// A place for control to go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark(u32);

impl Mark {
    /// As the target of an action, until the procedure is finished.
    pub fn target(self) -> PointId {
        PointId(self.0)
    }
}

#[derive(Clone, Copy)]
enum Meaning {
    Unset,
    Point(u32),
    Alias(Mark),
}

/// The points of one procedure.
pub struct Assembler {
    procedure: ProcedureId,
    points: Vec<Point>,
    origins: Vec<PointOrigin>,
    marks: Vec<Meaning>,
    /// The marks that the next point is.
    here: Vec<Mark>,
    /// Points that nothing follows, for the end.
    ends: Vec<(Mark, Span, Action, PointKind)>,
    /// Where the conditions of loops are about to be evaluated.
    loops: Vec<(StatementId, Mark)>,
    exit: Mark,
}

/// The points of a procedure, the exit last.
pub struct Assembled {
    pub points: Vec<Point>,
    pub origins: Vec<PointOrigin>,
    /// Where the condition of each loop is about to be evaluated.
    pub loops: Vec<(StatementId, PointId)>,
}

impl Assembler {
    pub fn new(procedure: ProcedureId) -> Self {
        let mut assembler = Assembler {
            procedure,
            points: Vec::new(),
            origins: Vec::new(),
            marks: Vec::new(),
            here: Vec::new(),
            ends: Vec::new(),
            loops: Vec::new(),
            exit: Mark(0),
        };
        assembler.exit = assembler.mark();
        let entry = assembler.mark();
        assembler.set(entry);
        assembler
    }

    /// A new mark.
    pub fn mark(&mut self) -> Mark {
        self.marks.push(Meaning::Unset);
        Mark(self.marks.len() as u32 - 1)
    }

    /// The next point is what the mark stands for.
    pub fn set(&mut self, mark: Mark) {
        self.here.push(mark);
    }

    /// Whether something leads to the next point.
    pub fn is_reachable(&self) -> bool {
        !self.here.is_empty()
    }

    /// Control goes on at a mark, without a step.
    pub fn jump(&mut self, to: Mark) {
        for mark in std::mem::take(&mut self.here) {
            if mark != to {
                self.marks[mark.0 as usize] = Meaning::Alias(to);
            }
        }
    }

    /// A point; what follows it is made next.
    pub fn step(&mut self, span: Span, kind: PointKind, action: impl FnOnce(PointId) -> Action) {
        let next = self.mark();
        if self.last(span, kind, action(next.target())) {
            self.set(next);
        }
    }

    /// A point; nothing follows it unless its action says so. Whether it was made.
    pub fn last(&mut self, span: Span, kind: PointKind, action: Action) -> bool {
        if !self.is_reachable() {
            return false;
        }
        let point = self.points.len() as u32;
        for mark in std::mem::take(&mut self.here) {
            self.marks[mark.0 as usize] = Meaning::Point(point);
        }
        self.points.push(Point {
            procedure: self.procedure,
            span,
            implicit: false,
            saved: 0,
            action,
        });
        self.origins.push(PointOrigin {
            span,
            kind,
            call: None,
            label: None,
        });
        true
    }

    /// A point that does nothing.
    pub fn skip(&mut self, span: Span) {
        self.step(span, PointKind::Step, |next| Action::Goto {
            targets: Box::new([next]),
        });
    }

    /// A point at which control goes to the first mark whose condition is true.
    pub fn branch(&mut self, span: Span, arms: Vec<(Expression, Mark)>, otherwise: Mark) {
        let arms = arms.into_iter().map(|(c, mark)| (c, mark.target()));
        let action = Action::Branch {
            arms: arms.collect(),
            otherwise: otherwise.target(),
        };
        self.last(span, PointKind::Step, action);
    }

    /// A mark for a point past which nothing goes.
    pub fn end(&mut self, span: Span, action: Action, kind: PointKind) -> Mark {
        let mark = self.mark();
        self.ends.push((mark, span, action, kind));
        mark
    }

    /// The point made last, if what is made next follows it alone, and only it.
    pub fn straight(&mut self) -> Option<(&mut Action, &mut PointOrigin)> {
        let [only] = self.here[..] else {
            return None;
        };
        let point = self.points.last_mut()?;
        let origin = self.origins.last_mut()?;
        let follows = match &point.action {
            Action::Havoc { next, .. } => *next == only.target(),
            Action::Call(call) => call.next == only.target(),
            _ => false,
        };
        follows.then_some((&mut point.action, origin))
    }

    /// Notes a call at the point made last.
    pub fn note_call(&mut self, function: FunctionId) {
        if self.is_reachable() {
            self.note_last_call(function);
        }
    }

    /// Notes a call at the point made last, which nothing follows.
    pub fn note_last_call(&mut self, function: FunctionId) {
        if let Some(origin) = self.origins.last_mut() {
            origin.call = Some(function);
        }
    }

    /// Whether a call was the last that was done.
    pub fn ends_with_call(&self) -> bool {
        let calls = |point: &Point| matches!(point.action, Action::Call(_));
        let is_noted = |origin: &PointOrigin| origin.call.is_some();
        self.is_reachable()
            && (self.points.last().is_some_and(calls) || self.origins.last().is_some_and(is_noted))
    }

    /// How many points there are.
    pub fn count(&self) -> u32 {
        self.points.len() as u32
    }

    /// Notes the label that stands at the point made last.
    pub fn note_label(&mut self, label: LabelId) {
        if let Some(origin) = self.origins.last_mut() {
            origin.label = Some(label);
        }
    }

    /// The condition of a loop is evaluated from this mark on.
    pub fn note_loop(&mut self, statement: StatementId, head: Mark) {
        self.loops.push((statement, head));
    }

    /// Where the procedure is left.
    pub fn exit(&self) -> Mark {
        self.exit
    }

    /// All points, the first of which has the number `base`.
    pub fn finish(mut self, base: u32, close: Span) -> Assembled {
        if self.points.is_empty() {
            self.skip(close);
        }
        self.jump(self.exit);
        for (mark, span, action, kind) in std::mem::take(&mut self.ends) {
            self.set(mark);
            self.last(span, kind, action);
        }
        self.set(self.exit);
        self.last(close, PointKind::Step, Action::Exit);
        // Aliases are made before what they lead to is known, but never in a circle: every loop
        // has a point.
        let exit = self.points.len() as u32 - 1;
        let mut found = vec![None; self.marks.len()];
        for mark in 0..self.marks.len() {
            let mut path = Vec::new();
            let mut at = mark;
            let point = loop {
                if let Some(known) = found[at] {
                    break known;
                }
                path.push(at);
                match self.marks[at] {
                    Meaning::Point(point) => break point,
                    Meaning::Alias(other) if path.len() <= self.marks.len() => {
                        at = other.0 as usize
                    }
                    _ => break exit,
                }
            };
            for at in path {
                found[at] = Some(point);
            }
        }
        let resolve = |target: &mut PointId| {
            let point = found[target.0 as usize].unwrap_or(exit);
            *target = PointId(base + point);
        };
        for point in &mut self.points {
            for_each_target(&mut point.action, resolve);
        }
        let loops = self.loops.into_iter().map(|(statement, head)| {
            let mut point = head.target();
            resolve(&mut point);
            (statement, point)
        });
        // Nothing leads to the others.
        let loops = loops.filter(|(_, head)| head.0 != base + exit);
        let loops = loops.collect();
        Assembled {
            points: self.points,
            origins: self.origins,
            loops,
        }
    }
}

/// Adds a condition that is always false.
pub fn never(expressions: &mut Expressions) -> Expression {
    expressions.add([Operation::Constant(false)])
}

fn for_each_target(action: &mut Action, visit: impl Fn(&mut PointId)) {
    match action {
        Action::Goto { targets } => targets.iter_mut().for_each(visit),
        Action::Branch { arms, otherwise } => {
            arms.iter_mut().for_each(|(_, target)| visit(target));
            visit(otherwise);
        }
        Action::Select { arms, otherwise } => {
            arms.iter_mut().for_each(|(_, target)| visit(target));
            otherwise.iter_mut().for_each(visit);
        }
        Action::Assign { next, .. }
        | Action::Havoc { next, .. }
        | Action::Assert { next, .. }
        | Action::Assume { next, .. }
        | Action::StartThread { next, .. } => visit(next),
        Action::Call(call) => visit(&mut call.next),
        Action::Return { .. } | Action::Exit | Action::EndThread { .. } => {}
    }
}
