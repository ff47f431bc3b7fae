//! Does some infinite execution violate a temporal property? Does some run for ever?
//!
//! An execution violates a formula iff the tableau of the negated formula accepts it, and a
//! property given as an automaton of the forbidden executions iff that one does. There is
//! such an execution iff the graph of heads of the product has a cycle with all marks: all
//! heads in it are reachable. An execution that is cut off has no next step, so it is on no
//! cycle.
//!
//! An execution that neither terminates nor fails is one that never comes to *terminated*
//! or *error*, which is an automaton of one state. Its product has a cycle iff there is an
//! infinite loop, or an infinite recursion, which is a cycle through a call.

use super::Budget;
use super::buchi::Buchi;
use super::cycle::has_fair_cycle;
use super::heads::head_graph;
use super::machine::Machine;
use super::product::Product;
use super::program::ProgramMachine;
use super::tableau::tableau;
use crate::program::Program;
use crate::property::{Atom, Temporal};
use crate::watch::Abort;

/// Whether some infinite execution violates the property. Fails if the tableau, the path
/// edges of the product or the edges of its head graph are more than the budget allows.
pub fn violates(program: &Program, temporal: &Temporal, budget: Budget<'_>) -> Result<bool, Abort> {
    let atoms = &temporal.atoms;
    let silent = &temporal.silent;
    let machine = ProgramMachine {
        program,
        atoms,
        silent,
    };
    violates_on(&machine, temporal, budget)
}

/// Whether some infinite execution of a machine, which must show the truth of the property's
/// propositions, violates the property.
pub fn violates_on(
    machine: &impl Machine,
    temporal: &Temporal,
    budget: Budget<'_>,
) -> Result<bool, Abort> {
    let forbidden = match &temporal.formula {
        Some(formula) => tableau(&formula.negated(), budget)?,
        None => Buchi::given(&temporal.forbidden),
    };
    has_accepted_run(machine, &forbidden, budget)
}

/// Whether some execution neither terminates, nor fails, nor is cut off. Fails as
/// [`violates`] does.
pub fn has_infinite_run(program: &Program, budget: Budget<'_>) -> Result<bool, Abort> {
    let atoms = &[Atom::Terminated, Atom::Error];
    let machine = ProgramMachine {
        program,
        atoms,
        silent: &[],
    };
    has_accepted_run(&machine, &Buchi::never(2), budget)
}

/// Whether the automaton accepts some infinite execution of a machine.
pub fn has_accepted_run<M: Machine>(
    machine: &M,
    automaton: &Buchi,
    budget: Budget<'_>,
) -> Result<bool, Abort> {
    let product = Product {
        machine,
        automaton,
        budget,
    };
    let graph = head_graph(&product)?;
    Ok(has_fair_cycle(
        graph.heads.len(),
        &graph.edges,
        automaton.all,
    ))
}
