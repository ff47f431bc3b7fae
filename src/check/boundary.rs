//! Places that no execution gets past, and what they mean for a verdict.
//!
//! Behind a place that is *outside* an execution of the real program goes on, but nothing is known
//! of it: if one can be reached, nothing that was not violated before it can be said to hold. An
//! *undefined* step ends the execution; a property that holds does so as far as it is not taken,
//! and whoever reads the verdict has to know. Which places can be reached is one more search, and
//! only for properties that hold.

use super::{Board, Options, Verdict, check};
use crate::error::Error;
use crate::program::{Action, Boundary, BoundaryKind, PointId};
use crate::property::Property;
use crate::rules::Subject;
use crate::watch::Watch;

/// Looks which boundaries can be reached, if some property holds, and notes them there. Where
/// something outside can be reached, or that is not known, it does not hold any more.
pub fn examine(
    subject: Subject<'_>,
    boundaries: &[Boundary],
    properties: usize,
    options: &Options,
    watch: &Watch,
    board: &Board,
) -> Result<(), Error> {
    let holds = |property: &usize| board.verdict(*property) == Some(Verdict::Holds);
    let holding: Vec<usize> = (0..properties).filter(holds).collect();
    if boundaries.is_empty() || holding.is_empty() {
        return Ok(());
    }
    let questions = boundaries.iter();
    let mut questions: Vec<Property> = questions
        .map(|boundary| Property::Reach(vec![boundary.point]))
        .collect();
    questions.push(Property::Reach(ends(subject)));
    let options = Options {
        trace: false,
        ..options.clone()
    };
    let answers = Board::new(board.begin(), questions.len());
    let outcome = check(subject, &questions, &options, watch, &answers);
    let mut reached = Vec::new();
    let mut is_known = true;
    for (boundary, index) in boundaries.iter().zip(0..) {
        match (answers.verdict(index), boundary.kind) {
            (Some(Verdict::Holds), _) => {}
            (None, BoundaryKind::Outside | BoundaryKind::Heap | BoundaryKind::Length) => {
                is_known = false;
            }
            // What is not excluded has to be known to whoever reads the verdict.
            (Some(Verdict::Violated), _) | (None, BoundaryKind::Undefined) => {
                reached.push(boundary.clone());
            }
        }
    }
    let is_cut_off = |one: &Boundary| one.kind == BoundaryKind::Undefined;
    let goes_on = answers.verdict(boundaries.len()) == Some(Verdict::Holds);
    if goes_on && !reached.is_empty() && reached.iter().all(is_cut_off) {
        let warning = "no execution comes to an end: those that do not go on for ever are cut off";
        board.warn_of_vacuity(warning.into());
    }
    for property in holding {
        board.limit(property, &reached, is_known);
    }
    outcome
}

/// Where executions come to an end.
fn ends(subject: Subject<'_>) -> Vec<PointId> {
    let Subject::Program(program) = subject else {
        return Vec::new();
    };
    let exit = program.procedures[program.entry.0 as usize].points.end - 1;
    let points = program.points.iter().zip(0..);
    let ends = points
        .filter(|(point, id)| *id == exit || matches!(point.action, Action::EndThread { .. }));
    ends.map(|(_, id)| PointId(id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{Start, boolean_program};
    use crate::source::Source;
    use std::sync::Arc;
    use std::time::Instant;

    /// What becomes of "no assertion fails" if the label is such a place.
    fn judged(text: &str, kind: BoundaryKind) -> (Option<Verdict>, usize) {
        let source = Arc::new(Source::new("p.bp", text.as_bytes().to_vec()));
        let (program, _) = boolean_program(source, &Start::default());
        let program = program.expect("it has no mistakes");
        let boundary = Boundary {
            point: program.labels[0].0,
            what: "a label".into(),
            kind,
            file: "p.bp".into(),
            line: 1,
            column: 1,
        };
        let (board, watch) = (Board::new(Instant::now(), 1), Watch::default());
        let subject = Subject::Program(&program);
        let options = Options::default();
        let properties = [Property::Assertions];
        check(subject, &properties, &options, &watch, &board).expect("it is small");
        let examined = examine(subject, &[boundary], 1, &options, &watch, &board);
        examined.expect("it is small");
        let finding = board.take_findings().remove(0);
        (finding.verdict, finding.boundaries.len())
    }

    #[test]
    fn only_what_is_outside_and_reached_takes_a_verdict_back() {
        let reached = "decl a; main() begin if (a) then L: assume(0); fi end";
        let never = "decl a; main() begin a := 0; if (a) then L: assume(0); fi end";
        let fails = "decl a; main() begin if (a) then L: assume(0); fi assert(a); end";
        let (outside, undefined) = (BoundaryKind::Outside, BoundaryKind::Undefined);
        assert_eq!(judged(reached, outside), (None, 1));
        assert_eq!(judged(reached, undefined), (Some(Verdict::Holds), 1));
        assert_eq!(judged(never, outside), (Some(Verdict::Holds), 0));
        assert_eq!(judged(fails, outside), (Some(Verdict::Violated), 0));
    }
}
