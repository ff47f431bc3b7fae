//! Properties of C programs with large arrays that hold although reads of these were not decided.
//!
//! Of such an array one element is followed, and a read of another one is where executions are not
//! gone on with (`lower::c::tracked`). If a property is open for that reason alone, this looks at the
//! program again in which such reads give any value: if it holds there, it holds. Which accesses
//! choose the element is tried in turn: all that read, those before a variable was written, each by itself, the
//! last two. Every try is a direct search with a budget.

use super::task::Task;
use super::work::Work;
use crate::check::{self, Board, Engine, Options, Verdict};
use crate::error::{Error, Reason};
use crate::limits::tracking::{OPERATIONS, TRIES, VARIABLES};
use crate::lower::c::{Access, Lowered, Sites, TOO_LARGE};
use crate::model::Form;
use crate::program::{Boundary, BoundaryKind};
use crate::property::Property;
use crate::refinement::Abstraction;

impl Work {
    /// Looks again at the properties that are open because of large arrays.
    pub fn prove(&self, task: &Task) -> Result<(), Error> {
        let is_direct =
            self.options.engine == Engine::Symbolic && self.method != Abstraction::Predicates;
        for (at, number) in task.numbers.iter().enumerate() {
            let board = self.board.part(&[*number]);
            if is_direct && is_open(&board) {
                self.prove_one(task, at, &board)?;
            }
        }
        Ok(())
    }

    fn prove_one(&self, task: &Task, at: usize, board: &Board) -> Result<(), Error> {
        let request = &self.properties[task.numbers[at]];
        let again = |sites: Sites| task.tracked(request, sites);
        let first = match task.properties[at] {
            Property::Temporal(_) | Property::Unsupported => return Ok(()),
            // Where an infinite execution comes to is no place.
            Property::Terminates => Sites::None,
            _ => Sites::Reads,
        };
        let Some(one) = again(first) else {
            return Ok(());
        };
        let mut open = Vec::new();
        if let Form::C(_, lowered) = &one.form
            && first == Sites::Reads
        {
            open = others(lowered);
        }
        let mut next = Some(one);
        open.reverse();
        while let Some(one) = next {
            if let Some(boundaries) = self.try_proof(&one)? {
                // They are shown where the others are.
                let known = task.whole.boundaries();
                let shown: Option<Vec<Boundary>> = boundaries
                    .iter()
                    .map(|one| known.iter().find(|other| is_same(one, other)).cloned())
                    .collect();
                if let Some(shown) = shown {
                    board.decide(0, Verdict::Holds);
                    board.limit(0, &shown, true);
                }
                return Ok(());
            }
            next = open.pop().and_then(again);
        }
        Ok(())
    }

    /// Whether the one property of a task holds, and then which undefined steps are not excluded.
    fn try_proof(&self, task: &Task) -> Result<Option<Vec<Boundary>>, Error> {
        let (subject, boundaries) = (task.form.subject(), task.boundaries());
        let options = Options {
            trace: false,
            operations: self.options.operations.min(OPERATIONS),
            ..self.options.clone()
        };
        let board = Board::new(self.board.begin(), 1);
        let watch = &self.watch;
        let checked = check::check(subject, &task.properties, &options, watch, &board)
            .and_then(|()| check::examine(subject, &boundaries, 1, &options, watch, &board));
        match checked {
            Err(Error::Stopped(Reason::Memory)) if !watch.is_cancelled() => Ok(None),
            Err(error) => Err(error),
            Ok(()) => {
                let holds = board.verdict(0) == Some(Verdict::Holds);
                Ok(holds.then(|| board.boundaries(0)))
            }
        }
    }
}

/// Whether nothing but large arrays is in the way of a verdict.
fn is_open(board: &Board) -> bool {
    let boundaries = board.boundaries(0);
    let mut outside = boundaries
        .iter()
        .filter(|one| one.kind != BoundaryKind::Undefined)
        .peekable();
    board.verdict(0).is_none()
        && outside.peek().is_some()
        && outside.all(|one| one.what == TOO_LARGE)
}

/// What may choose the elements if it is not all that read: what was read before a variable was set to a
/// constant; an access alone, those first that write, which have not been tried; the last two that read.
fn others(lowered: &Lowered) -> Vec<Sites> {
    let origin = &lowered.origin;
    let accesses = || origin.accesses.iter().zip(0..);
    let of = |wanted: Access| {
        let those = accesses().filter(move |(access, _)| **access == wanted);
        those.map(|(_, number)| Sites::One(number))
    };
    let written = origin.written.iter().zip(0..);
    let told = written.filter(|(is_constant, _)| **is_constant);
    let told = told.map(|(_, number)| Sites::Before(number));
    let reads: Vec<Sites> = of(Access::Read).collect();
    let several = reads.len() > 1;
    let singles = of(Access::Write).chain(reads.into_iter().filter(|_| several));
    let two = several.then_some(Sites::LastTwo);
    told.take(VARIABLES)
        .chain(singles.take(TRIES))
        .chain(two)
        .collect()
}

fn is_same(one: &Boundary, other: &Boundary) -> bool {
    let place = |boundary: &Boundary| (boundary.line, boundary.column, boundary.kind);
    place(one) == place(other) && one.file == other.file && one.what == other.what
}
