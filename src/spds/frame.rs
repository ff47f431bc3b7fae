//! Which data variables heads and frames carry.
//!
//! A head's valuations speak of the variables live at its point and of the *rigid* ones of
//! its procedure. A frame takes over its *key* when it is pushed: the live parameters and
//! globals at the procedure's entry; those that nothing in it can change are rigid. When it
//! is popped it *hands over* the globals it may have changed and somebody needs, and its
//! return values. In a product the automaton's state goes with all of them.

use super::assembly::Handing;
use super::copies::{Copies, Copy};
use super::encode::Analyses;
use super::heads::ProgramHeads;
use super::{Head, Interface};
use crate::analysis::{Observed, for_each_write};
use crate::bdd::{Bdd, BddResult, OutOfNodes};
use crate::bits::{self, BitRows};
use crate::program::{Action, Call, PointId, ProcedureId, Program, Target, VariableId};

/// Sets of data variables as bit rows.
pub struct FrameVariables {
    /// For each head.
    pub heads: BitRows,
    /// For each procedure.
    pub keys: BitRows,
    pub rigid: BitRows,
    pub handed: BitRows,
}

impl FrameVariables {
    pub fn choose(program: &Program, analyses: &Analyses<'_>, heads: &ProgramHeads) -> Self {
        let width = analyses.layout.len() as usize;
        let procedures = program.procedures.len();
        let mut variables = FrameVariables {
            heads: BitRows::new(heads.count(), width),
            keys: BitRows::new(procedures, width),
            rigid: BitRows::new(procedures, width),
            handed: BitRows::new(procedures, width),
        };
        for procedure in program.procedure_ids() {
            variables.choose_for_procedure(program, analyses, procedure);
        }
        for (call_point, head) in heads.returning_heads() {
            if let Action::Call(call) = &program.point(call_point).action {
                let caller = program.point(call_point).procedure;
                variables.choose_for_returning(program, analyses, caller, call, head);
            }
        }
        // Once the program has stopped, only what is observed matters.
        for head in [heads.error(), heads.terminated()] {
            let row = variables.heads.row_mut(head.0 as usize);
            for observed in analyses.observed {
                if let Observed::Global(index) = observed {
                    bits::insert_all(row, analyses.layout.global(*index));
                }
            }
            analyses
                .layout
                .state_range()
                .for_each(|bit| bits::insert(row, bit));
        }
        variables
    }

    fn choose_for_procedure(
        &mut self,
        program: &Program,
        analyses: &Analyses<'_>,
        procedure: ProcedureId,
    ) {
        let (layout, liveness) = (&analyses.layout, analyses.liveness);
        let row = procedure.0 as usize;
        let definition = program.procedure(procedure);
        let modified = analyses.mod_ref.modified(procedure);
        let parameters = match definition.parameters.checked_sub(1) {
            Some(last) => layout.cell(procedure, VariableId::Local(last)).end,
            None => 0,
        };
        let is_kept =
            |variable: u32| variable < parameters || layout.global_range().contains(&variable);
        let key = self.keys.row_mut(row);
        bits::members(liveness.at(definition.entry()))
            .filter(|variable| is_kept(*variable))
            .for_each(|variable| bits::insert(key, variable));
        let rigid = self.rigid.row_mut(row);
        bits::join(rigid, key);
        for (word, modified) in rigid.iter_mut().zip(modified) {
            *word &= !modified;
        }
        for point in &liveness.orders[row] {
            for_each_write(&program.point(*point).action, |variable| {
                bits::remove_all(rigid, layout.cell(procedure, variable));
            });
        }
        layout.state_range().for_each(|bit| bits::insert(key, bit));
        let handed = self.handed.row_mut(row);
        let first_returned = layout.returned_range().start;
        bits::members(liveness.at(definition.exit()))
            .filter(|v| *v >= first_returned || bits::contains(modified, *v))
            .for_each(|variable| bits::insert(handed, variable));
        let automaton = layout.state_range().chain(layout.seen_returned());
        automaton.for_each(|variable| bits::insert(handed, variable));
        for point in &liveness.orders[row] {
            let head = self.heads.row_mut(point.0 as usize);
            bits::join(head, liveness.at(*point));
            bits::join(head, rigid);
            let automaton = layout.state_range().chain(layout.seen());
            automaton.for_each(|variable| bits::insert(head, variable));
        }
    }

    /// Like the point after the call, but with returned values in the place of targets (in
    /// exact frames, beside them).
    fn choose_for_returning(
        &mut self,
        program: &Program,
        analyses: &Analyses<'_>,
        caller: ProcedureId,
        call: &Call,
        head: Head,
    ) {
        let layout = &analyses.layout;
        let (after, at) = (call.next.0 as usize, head.0 as usize);
        self.heads.join_rows(at, after);
        // Returned values that live after the call are the caller's own.
        bits::remove_all(self.heads.row_mut(at), layout.returned_range());
        for target in &call.targets {
            if let Target::Cell(variable) = target
                && !analyses.exact
            {
                bits::remove_all(self.heads.row_mut(at), layout.cell(caller, *variable));
            }
        }
        let exit = program.procedure(call.callee).exit();
        let needed = self.heads.row(exit.0 as usize).to_vec();
        for (i, target) in call.targets.iter().enumerate() {
            // What liveness has found to matter to some caller.
            for bit in layout.returned(call.callee, i as u32) {
                if *target != Target::Discard && bits::contains(&needed, bit) {
                    bits::insert(self.heads.row_mut(at), bit);
                }
            }
            let index = target.index().into_iter();
            for variable in index.flat_map(|index| program.expressions.reads(index)) {
                bits::insert_all(self.heads.row_mut(at), layout.cell(caller, variable));
            }
        }
        layout
            .seen_returned()
            .into_iter()
            .for_each(|variable| bits::insert(self.heads.row_mut(at), variable));
    }

    pub fn at(&self, point: PointId) -> &[u64] {
        self.heads.row(point.0 as usize)
    }

    /// What a call's frame keeps while it waits to go on at `saved`: what is needed there
    /// and cannot be changed by the callee.
    pub fn kept(&self, analyses: &Analyses<'_>, callee: ProcedureId, saved: Head) -> Vec<u64> {
        let mut kept = self.heads.row(saved.0 as usize).to_vec();
        let modified = analyses.mod_ref.modified(callee);
        for (word, modified) in kept.iter_mut().zip(modified) {
            *word &= !modified;
        }
        let layout = &analyses.layout;
        let automaton = layout.state_range().chain(layout.seen_returned());
        layout
            .returned_range()
            .chain(automaton)
            .for_each(|variable| bits::remove(&mut kept, variable));
        kept
    }
}

/// The interface of frames with these variables; `initial` constrains variables outside
/// the key when a frame is entered.
pub fn make_interface(
    copies: &Copies<'_>,
    handing: &Handing<'_>,
    initial: &Bdd,
) -> Result<Interface, OutOfNodes> {
    let Handing {
        key,
        rigid,
        handed,
        lost,
    } = *handing;
    let bdds = copies.bdds;
    let key_in = |copy| bits::members(key).map(move |v| copies.level(v, copy));
    let handed_in = |copy| bits::members(handed).map(move |v| copies.level(v, copy));
    let next_to_current = || key_in(Copy::Next).zip(key_in(Copy::Current));
    let not_rigid = bits::members(key).filter(|v| !bits::contains(rigid, *v));
    let next_to_entry =
        not_rigid.map(|v| (copies.level(v, Copy::Next), copies.level(v, Copy::Entry)));
    let edge_to_next = bits::members(key).map(|v| {
        let copy = match bits::contains(rigid, v) {
            true => Copy::Current,
            false => Copy::Entry,
        };
        (copies.level(v, copy), copies.level(v, Copy::Next))
    });
    let unchanged = |variables: &[u64]| -> BddResult {
        let mut equal = bdds.constant(true);
        for variable in bits::members(variables) {
            let current = copies.variable(variable, Copy::Current);
            let same = bdds.equivalent(&current, &copies.variable(variable, Copy::Entry))?;
            equal = bdds.and(&equal, &same)?;
        }
        Ok(equal)
    };
    let all_but = |variables: &[u64]| {
        let others = (0..copies.data_variables()).filter(|v| !bits::contains(variables, *v));
        copies.cube(others.map(|v| copies.level(v, Copy::Current)))
    };
    let lost_current = bits::members(lost).map(|v| copies.level(v, Copy::Current));
    let enter = copies.renaming(next_to_current().chain(next_to_entry))?;
    let enter_current = copies.renaming(next_to_current())?;
    Ok(Interface {
        key: bits::members(key).collect(),
        handed: bits::members(handed).collect(),
        rigid: bits::members(rigid).collect(),
        initial: initial.clone(),
        enter: enter.constrained(bdds, initial)?,
        enter_current: enter_current.constrained(bdds, initial)?,
        key_to_next: copies.renaming(key_in(Copy::Current).zip(key_in(Copy::Next)))?,
        leave: copies
            .renaming(edge_to_next)?
            .forgetting(copies, lost_current)?,
        key_next: copies.cube(key_in(Copy::Next))?,
        not_key: all_but(key)?,
        not_handed: all_but(handed)?,
        rigid_equal: unchanged(rigid)?,
        handed_equal: unchanged(handed)?,
        handed_to_next: copies.renaming(handed_in(Copy::Current).zip(handed_in(Copy::Next)))?,
        handed_to_entry: copies.renaming(handed_in(Copy::Current).zip(handed_in(Copy::Entry)))?,
        handed_entry_to_next: copies.renaming(handed_in(Copy::Entry).zip(handed_in(Copy::Next)))?,
        handed_entry_to_current: copies
            .renaming(handed_in(Copy::Entry).zip(handed_in(Copy::Current)))?,
        handed_next: copies.cube(handed_in(Copy::Next))?,
    })
}
