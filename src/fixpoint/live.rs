//! Variables that matter: where nobody asks for tuples, one that is dead is 0.
//!
//! The direct engine carries along what is live, and so may equations that only follow
//! executions: far less is to be told apart. Of a state at a point p, let its *part* be the same
//! with 0 in every variable that is not live at p. Made of parts, the supplied relations are
//! these, by what liveness means (at a call, what the callee does not change and the caller needs
//! afterwards is live at the call, and not in the callee):
//! * a step leads from one part to another if and only if it does so between some states with
//!   these parts, and then from every state with the first part;
//! * a call likewise;
//! * a return takes from the callee's exit what the callee may change, and all the rest from the
//!   call. A state at that exit that has the part in question, and in what the callee does not
//!   change the values of the call, is one that the call's own execution comes to, since nothing
//!   that the callee does depends on the rest.
//!
//! So parts reach a point if and only if states do, by induction over an execution in each
//! direction, and a query about points has the same answer. That holds for the algorithms that
//! come with the library, not for whatever equations may say: these may compare any two states.
//! With threads everything matters: a thread's frames are not among those that the analysis
//! looks at, and globals are seen by others.

use crate::analysis::Analyses;
use crate::bits::{self, BitRows};
use crate::program::{ProcedureId, Program};
use crate::rules::{DataVariable, Head, Right, Rules};
use rustc_hash::FxHashMap;

/// A set of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LiveSet(u32);

impl LiveSet {
    pub const ALL: LiveSet = LiveSet(0);
    const NONE: LiveSet = LiveSet(1);
}

/// For each control point, the variables that are live there.
pub struct LiveVariables {
    points: Vec<LiveSet>,
    sets: Vec<Vec<u64>>,
    /// For each procedure, what its frames and those above them may change.
    changed: BitRows,
}

impl LiveVariables {
    /// Those of a program, if that is one where the others may be left out.
    pub fn of(program: &Program, rules: &Rules<'_>) -> Option<Self> {
        if program.threads.is_some() {
            return None;
        }
        let analyses = Analyses::of(rules, &[]);
        let width = rules.layout.len() as usize;
        let mut rows = BitRows::new(program.points.len(), width);
        for point in 0..program.points.len() {
            rows.join(point, analyses.liveness.at(Head(point as u32)));
        }
        add_read_on_return(&mut rows, rules);
        let mut changed = BitRows::new(program.procedures.len(), width);
        for (row, procedure) in program.procedures.iter().enumerate() {
            if let Some(class) = analyses.frames.class(Head(procedure.entry().0)) {
                changed.join(row, analyses.modified.by(class));
            }
        }
        let words = bits::words(width);
        let mut sets = vec![vec![u64::MAX; words], vec![0; words]];
        let mut known: FxHashMap<Vec<u64>, LiveSet> = FxHashMap::default();
        let points = (0..program.points.len()).map(|point| {
            let row = rows.row(point).to_vec();
            *known.entry(row).or_insert_with_key(|row| {
                sets.push(row.clone());
                LiveSet(sets.len() as u32 - 1)
            })
        });
        Some(LiveVariables {
            points: points.collect(),
            sets,
            changed,
        })
    }

    /// What is live at a point; nothing at *error* and *terminated*.
    pub fn at(&self, point: u32) -> LiveSet {
        let found = self.points.get(point as usize);
        found.copied().unwrap_or(LiveSet::NONE)
    }

    pub fn contains(&self, set: LiveSet, bit: DataVariable) -> bool {
        bits::contains(&self.sets[set.0 as usize], bit)
    }

    /// Whether a call of a procedure may change a variable.
    pub fn changes(&self, callee: ProcedureId, bit: DataVariable) -> bool {
        bits::contains(self.changed.row(callee.0 as usize), bit)
    }
}

/// What is read between a callee's exit and the point that it returns to counts as live there: a
/// return relates the call, the exit and that point, and nothing in between.
fn add_read_on_return(rows: &mut BitRows, rules: &Rules<'_>) {
    for push in &rules.rules {
        let Right::Push { saved, .. } = push.right else {
            continue;
        };
        if saved.0 < rules.symbols {
            continue;
        }
        for rule in rules.rules_from(saved) {
            if let Right::Step(next) = rule.right
                && next.0 < rules.symbols
            {
                rows.join(next.0 as usize, &rules.footprint(rule).reads);
            }
        }
    }
}
