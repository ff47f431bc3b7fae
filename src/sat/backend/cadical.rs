//! `cadical`, by Armin Biere and others: C++, and faster where much is to be learnt.

use super::{Backend, Literal, Outcome};
use crate::watch::{Abort, Stop, Watch};
use cadical::{Callbacks, Solver};

/// Clauses of `cadical`, whose variables count from 1.
pub struct Cadical {
    solver: Solver<Supervision>,
    variables: u32,
    watch: Watch,
}

/// Ends a search that is not wanted any more.
struct Supervision(Watch);

impl Callbacks for Supervision {
    fn terminate(&mut self) -> bool {
        self.0.is_cancelled()
    }
}

impl Cadical {
    pub fn new(watch: &Watch) -> Self {
        let mut solver = Solver::new();
        solver.set_callbacks(Some(Supervision(watch.clone())));
        Cadical {
            solver,
            variables: 0,
            watch: watch.clone(),
        }
    }
}

impl Backend for Cadical {
    fn variable(&mut self) -> u32 {
        self.variables += 1;
        self.variables - 1
    }

    fn clause(&mut self, literals: &[Literal]) {
        self.solver.add_clause(literals.iter().map(number));
    }

    fn solve(&mut self, assumptions: &[Literal], conflicts: u64) -> Result<Outcome, Abort> {
        self.watch.check()?;
        let most = i32::try_from(conflicts).unwrap_or(i32::MAX);
        // Only a name that is no limit would be refused.
        let is_limited = self.solver.set_limit("conflicts", most).is_ok();
        debug_assert!(is_limited);
        match self.solver.solve_with(assumptions.iter().map(number)) {
            Some(true) => Ok(Outcome::Satisfiable),
            Some(false) => {
                let blamed = assumptions.iter().copied();
                let blamed = blamed.filter(|one| self.solver.failed(number(one)));
                Ok(Outcome::Unsatisfiable(blamed.collect()))
            }
            None if self.watch.is_cancelled() => Err(Stop::Cancelled.into()),
            None => Err(Abort::OverBudget),
        }
    }

    fn value(&self, variable: u32) -> bool {
        // What no clause mentions has no value in a model.
        variable < self.variables && self.solver.value(variable as i32 + 1) == Some(true)
    }
}

fn number(literal: &Literal) -> i32 {
    let number = literal.variable() as i32 + 1;
    match literal.is_negated() {
        true => -number,
        false => number,
    }
}
