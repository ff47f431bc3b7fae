//! Properties that hold for a reason the user may not have had in mind.
//!
//! Asked only after a property was found to hold: a proposition that is never true although
//! the formula speaks of it, or a program that has no infinite executions at all, because
//! all are cut off. Both are looked for without the automaton, which may have stopped
//! watching before the proposition came true.
//!
//! Otherwise every occurrence of a subformula is replaced by the constant that makes the formula
//! stronger (Beer, Ben-David, Eisner and Rodeh, 1997; Kupferman and Vardi, 1999), the largest
//! first. If what is left holds, too, that part plays no role. Each is a check of its own, within a
//! budget of BDD operations, so that output is the same from run to run. With wide integers even the
//! first two questions may take far longer than the check did, so that they share this budget.

use super::model::{Model, Observation, with_model};
use super::occurrence::occurrences;
use super::{Board, Direction, Options, Run, Verdict, temporal};
use crate::error::{Error, Reason};
use crate::limits::vacuity::{MEMORY, OCCURRENCES, WIDE_MEMORY};
use crate::property::{Atom, Property, Temporal};
use crate::pushdown::{Right, SymbolId};
use crate::rules::Subject;
use crate::saturation::PostStar;
use crate::spds::truth_at;
use ltl2ba_rs::{Formula, Node, NodeId, Unary};
use std::time::Instant;

/// Puts warnings on the board if the property holds vacuously in an obvious way; true if it does.
/// `budget` are the BDD operations that may be made, if there are wide integers.
pub fn warn(run: &Run<'_>, temporal: &Temporal, budget: &mut u64) -> Result<bool, Error> {
    match run.subject.layout().is_wide() {
        true => within(run, budget, |attempt| {
            warn_within(attempt, temporal, run.board)
        }),
        false => warn_within(run, temporal, run.board),
    }
}

fn warn_within(run: &Run<'_>, temporal: &Temporal, board: &Board) -> Result<bool, Error> {
    let Some(formula) = &temporal.formula else {
        return Ok(false);
    };
    let mut warned = false;
    let mut unseen = Vec::new();
    let observed = Observation {
        variables: temporal.observed(),
        state: false,
    };
    let mut name = "";
    with_model(run, None, observed, |model| {
        let mut post_star = PostStar::new(model.spds, model.bdds, run.watch)?;
        post_star.run(|_| false)?;
        if !runs_for_ever(model, &post_star)? {
            board.warn_of_vacuity(format!(
                "`{formula}` holds because there are no infinite executions: {}",
                model.rules.ending.finite()
            ));
            warned = true;
            return Ok(());
        }
        unseen = unseen_atoms(model, &post_star, temporal)?;
        name = model.rules.ending.subject();
        let ends = model.terminates(&post_star);
        unseen.retain(|atom| match &temporal.atoms[*atom] {
            Atom::Terminated => !ends,
            // A global keeps its value, and what a formula says of the end is meant.
            _ => true,
        });
        Ok(())
    })?;
    for atom in unseen {
        // "Never an error" is what one wants to hear, and whoever writes `!p` says that it
        // may be false.
        if temporal.atoms[atom] != Atom::Error && !is_only_negated(formula, atom) {
            board.warn_of_vacuity(format!(
                "`{}` is never true in this {}, although `{formula}` speaks of it",
                formula.propositions()[atom].source(),
                name
            ));
            warned = true;
        }
    }
    Ok(warned)
}

/// Puts a warning on the board if a formula that holds also holds with a constant in place of
/// one of its parts. `budget` are the BDD operations that may be made.
pub fn warn_of_subformulas(run: &Run<'_>, temporal: &Temporal, budget: &mut u64) {
    let Some(formula) = &temporal.formula else {
        return;
    };
    for occurrence in occurrences(formula, OCCURRENCES) {
        let stronger = temporal.with_formula(occurrence.strengthened(formula));
        let holds = stronger.ok().map(|stronger| holds(run, &stronger, budget));
        match holds {
            Some(Ok(true)) => {
                let reason = occurrence.reason(formula);
                run.board
                    .warn_of_vacuity(format!("`{formula}` holds vacuously: {reason}"));
                return;
            }
            Some(Ok(false)) => {}
            // What is left is more of the same.
            Some(Err(_)) | None => return,
        }
    }
}

/// Does something within a budget of BDD operations, without a trace of it on the board.
fn within<R>(run: &Run<'_>, budget: &mut u64, work: impl FnOnce(&Run<'_>) -> R) -> R {
    let board = Board::new(Instant::now(), 1);
    let memory = match run.subject.layout().is_wide() {
        true => WIDE_MEMORY,
        false => MEMORY,
    };
    let options = Options {
        direction: Direction::Forward,
        trace: false,
        memory: memory.min(run.options.memory),
        operations: *budget,
        jobs: 1,
        process_ends: false,
        measure: false,
        ..run.options.clone()
    };
    let attempt = Run {
        subject: run.subject,
        options: &options,
        order: run.order.clone(),
        watch: run.watch,
        board: &board,
    };
    let result = work(&attempt);
    *budget = budget.saturating_sub(board.statistics().operations);
    result
}

/// Whether a property holds, if that is found within a budget of BDD operations.
fn holds(run: &Run<'_>, temporal: &Temporal, budget: &mut u64) -> Result<bool, Error> {
    let observed = Observation {
        variables: temporal.observed(),
        state: false,
    };
    within(run, budget, |attempt| {
        let result = with_model(attempt, Some(temporal), observed, |model| {
            temporal::check(model, 0, temporal).map(|_| ())
        });
        match attempt.board.verdict(0) {
            Some(verdict) => Ok(verdict == Verdict::Holds),
            None => result.and(Err(Error::Stopped(Reason::Memory))),
        }
    })
}

/// Puts a warning on the board if it is asked whether assertions hold, and nothing can fail.
pub fn warn_of_no_failures<'p>(
    mut properties: impl Iterator<Item = &'p Property>,
    can_fail: impl FnOnce() -> bool,
    board: &Board,
) {
    let is_asked = properties.any(|property| matches!(property, Property::Assertions));
    if is_asked && !can_fail() {
        let warning = "`assertions` holds because control comes to nothing that can fail";
        board.warn_of_vacuity(warning.to_owned());
    }
}

/// Puts a warning on the board if a pushdown system does not terminate, and has the symbol in
/// which the executions of a translated program stay for ever once they have ended.
pub fn warn_of_ends_that_go_on(subject: Subject<'_>, properties: &[Property], board: &Board) {
    let Subject::System(system) = subject else {
        return;
    };
    let is_violated = |(index, property): (usize, &Property)| {
        matches!(property, Property::Terminates) && board.verdict(index) == Some(Verdict::Violated)
    };
    if !properties.iter().enumerate().any(is_violated) {
        return;
    }
    let is_end = |symbol: &SymbolId| {
        let mut rules = system.rules_of(*symbol).peekable();
        system.symbol_name(*symbol) == TERMINATED
            && rules.peek().is_some()
            && rules.all(|id| system.rule(id).right == Right::Step(*symbol))
    };
    if system.symbol_ids().any(|symbol| is_end(&symbol)) {
        board.warn(format!(
            "an execution that stays in `{TERMINATED}` counts as one that does not end; whether a \
             translated program ends is `F ({TERMINATED} | error)`"
        ));
    }
}

/// Where a translated program has ended.
const TERMINATED: &str = "terminated";

/// The propositions that are true nowhere that `post*` comes to, by their numbers.
pub fn unseen_atoms(
    model: &Model<'_>,
    post_star: &PostStar<'_>,
    temporal: &Temporal,
) -> Result<Vec<usize>, Error> {
    let mut unseen: Vec<usize> = (0..temporal.atoms.len()).collect();
    for head in post_star.reached_heads() {
        if unseen.is_empty() {
            break;
        }
        if !model.is_configuration(head) {
            continue;
        }
        let mut still = Vec::new();
        for atom in unseen {
            let holds = truth_at(model.rules, model.copies, &temporal.atoms[atom], head)?;
            // Most propositions are false at most places, whatever the data.
            let is_seen = !model.bdds.is_false(&holds) && {
                let set = post_star.reached_set(head, &model.spds.all_entry)?;
                !model.bdds.is_false(&model.bdds.and(&set, &holds)?)
            };
            if !is_seen {
                still.push(atom);
            }
        }
        unseen = still;
    }
    Ok(unseen)
}

/// Whether a proposition occurs only as `!p`.
fn is_only_negated(formula: &Formula, atom: usize) -> bool {
    let is_atom = |id: NodeId| formula.node(id) == Node::Proposition(atom as u32);
    let elsewhere = formula.nodes().iter().any(|node| match node {
        Node::Constant(_) | Node::Proposition(_) | Node::Unary(Unary::Not, _) => false,
        Node::Unary(_, operand) => is_atom(*operand),
        Node::Binary(_, left, right) => is_atom(*left) || is_atom(*right),
    });
    !elsewhere && !is_atom(formula.root())
}

fn runs_for_ever(model: &Model<'_>, post_star: &PostStar<'_>) -> Result<bool, Error> {
    // A program that can stop stays there for ever.
    if model.stays() && (!model.rules.can_be_cut_off || model.ends(post_star)) {
        return Ok(true);
    }
    Ok(model.repeating(post_star)?.is_some())
}
