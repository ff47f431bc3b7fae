//! `batsat`: MiniSat in Rust, the solver of the default build.

use super::{Backend, Literal, Outcome};
use crate::watch::{Abort, Stop, Watch};
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use std::cell::Cell;

/// Clauses of `batsat`.
pub struct Batsat {
    solver: Solver<Supervision>,
}

/// Ends a search that takes too long.
struct Supervision {
    watch: Watch,
    /// Conflicts since the question was asked, and how many there may be.
    conflicts: u64,
    most: u64,
    asked: Cell<u32>,
}

impl Callbacks for Supervision {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        // It is asked before each decision.
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        self.conflicts > self.most || (asked.is_multiple_of(64) && self.watch.is_cancelled())
    }
}

impl Batsat {
    pub fn new(watch: &Watch) -> Self {
        let supervision = Supervision {
            watch: watch.clone(),
            conflicts: 0,
            most: u64::MAX,
            asked: Cell::new(0),
        };
        Batsat {
            solver: Solver::new(SolverOpts::default(), supervision),
        }
    }

    fn lit(&mut self, literal: Literal) -> Lit {
        let variable = self.solver.var_of_int(literal.variable());
        Lit::new(variable, !literal.is_negated())
    }
}

impl Backend for Batsat {
    fn variable(&mut self) -> u32 {
        self.solver.new_var_default().idx()
    }

    fn clause(&mut self, literals: &[Literal]) {
        let mut clause: Vec<Lit> = literals.iter().map(|one| self.lit(*one)).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Outcome, Abort> {
        let assumed: Vec<Lit> = assumptions.iter().map(|one| self.lit(*one)).collect();
        let supervision = self.solver.cb_mut();
        supervision.watch.check()?;
        supervision.conflicts = 0;
        supervision.most = conflicts;
        let answer = self.solver.solve_limited(&assumed);
        if answer == lbool::TRUE {
            return Ok(Outcome::Satisfiable);
        }
        if answer == lbool::FALSE {
            let solver = &self.solver;
            let pairs = assumptions.iter().zip(&assumed);
            // It is a clause: at least one of these is false.
            let core = pairs.filter(|(_, lit)| solver.unsat_core_contains_lit(!**lit));
            return Ok(Outcome::Unsatisfiable(core.map(|(one, _)| *one).collect()));
        }
        match self.solver.cb().watch.is_cancelled() {
            true => Err(Stop::Cancelled.into()),
            false => Err(Abort::OverBudget),
        }
    }

    fn value(&self, variable: u32) -> bool {
        let values = self.solver.get_model();
        values.get(variable as usize) == Some(&lbool::TRUE)
    }
}
