//! How many bits each cell needs: those of the values it may have where it matters.
//!
//! A cell whose values are small natural numbers keeps its lowest bits; one that may also be negative
//! keeps a sign bit with them, and is extended where it is read. The cells of a row have one width.

use super::cells;
use super::live::Live;
use super::range::Range;
use super::ranges::Ranges;
use crate::program::{Action, Cell, Domain, PointId, ProcedureId, Program, VariableId};

/// A cell that has become narrower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// How many bits it had.
    pub was: u8,
    /// How many it has.
    pub bits: u8,
    /// The uppermost of these is the sign.
    pub signed: bool,
}

/// The width of each cell and of each returned value.
pub struct Narrowing {
    globals: Vec<Option<Width>>,
    locals: Vec<Vec<Option<Width>>>,
    local_domains: Vec<Vec<Domain>>,
    returns: Vec<Vec<Domain>>,
}

impl Narrowing {
    /// Everything stays as it is.
    pub fn none(program: &Program) -> Self {
        let procedures = program.procedures.iter();
        Narrowing {
            globals: vec![None; program.globals.len()],
            locals: procedures
                .clone()
                .map(|procedure| vec![None; procedure.locals.len()])
                .collect(),
            local_domains: procedures
                .clone()
                .map(|procedure| procedure.locals.iter().map(|cell| cell.domain).collect())
                .collect(),
            returns: procedures
                .map(|procedure| procedure.returns.to_vec())
                .collect(),
        }
    }

    /// What suffices. Cells that are observed keep their natural numbers.
    pub fn new(
        program: &Program,
        ranges: &Ranges<'_>,
        live: &Live,
        observed: &dyn Fn(ProcedureId, VariableId) -> bool,
    ) -> Self {
        let needed = needed(program, ranges, live, observed);
        let rows = ranges.rows();
        let mut narrowing = Narrowing::none(program);
        let mut is_observed = vec![false; rows.cells()];
        for_each_cell(program, |procedure, variable| {
            let place = rows.place(procedure, variable);
            let place = rows.row(procedure, variable).unwrap_or(place) as usize;
            is_observed[place] |= observed(procedure, variable);
        });
        for_each_cell(program, |procedure, variable| {
            let place = rows.place(procedure, variable);
            let place = rows.row(procedure, variable).unwrap_or(place) as usize;
            let domain = program.cell(procedure, variable).domain;
            let width = width(domain, needed[place], !is_observed[place]);
            match variable {
                VariableId::Global(index) => narrowing.globals[index as usize] = width,
                VariableId::Local(index) => {
                    let (procedure, index) = (procedure.0 as usize, index as usize);
                    narrowing.locals[procedure][index] = width;
                    narrowing.local_domains[procedure][index] = narrowed(domain, width);
                }
            }
        });
        narrowing.narrow_returns(program, ranges);
        narrowing
    }

    /// A returned value keeps what its targets keep: no more is ever looked at.
    fn narrow_returns(&mut self, program: &Program, ranges: &Ranges<'_>) {
        let mut widest: Vec<Vec<u32>> = program
            .procedures
            .iter()
            .map(|procedure| vec![1; procedure.returns.len()])
            .collect();
        for point in &program.points {
            let Action::Call(call) = &point.action else {
                continue;
            };
            for (index, target) in call.targets.iter().enumerate() {
                if let Some((first, _)) = target.cells() {
                    let bits = self.domain(program, point.procedure, first).bits();
                    let kept = &mut widest[call.callee.0 as usize][index];
                    *kept = bits.max(*kept);
                }
            }
        }
        for id in program.procedure_ids() {
            for (index, kept) in widest[id.0 as usize].iter().enumerate() {
                let domain = &mut self.returns[id.0 as usize][index];
                let Domain::Integer { bits } = *domain else {
                    continue;
                };
                // A natural number that is small needs no more bits than it has.
                let natural = ranges.returned(id, index).map_or(1, |range| {
                    (i128::BITS - range.natural().high.leading_zeros()).max(1)
                });
                let bits = u32::from(bits).min((*kept).min(natural).max(1));
                *domain = Domain::Integer { bits: bits as u8 };
            }
        }
    }

    /// The width of a cell that has become narrower.
    pub fn width(&self, procedure: ProcedureId, variable: VariableId) -> Option<Width> {
        match variable {
            VariableId::Global(index) => self.globals[index as usize],
            VariableId::Local(index) => self.locals[procedure.0 as usize][index as usize],
        }
    }

    /// The values of a cell now.
    pub fn domain(
        &self,
        program: &Program,
        procedure: ProcedureId,
        variable: VariableId,
    ) -> Domain {
        let domain = program.cell(procedure, variable).domain;
        narrowed(domain, self.width(procedure, variable))
    }

    /// The values of a procedure's locals now.
    pub fn locals(&self, procedure: ProcedureId) -> impl Iterator<Item = Domain> + '_ {
        self.local_domains[procedure.0 as usize].iter().copied()
    }

    /// The values of what a procedure returns now.
    pub fn returns(&self, procedure: ProcedureId) -> impl Iterator<Item = Domain> + '_ {
        self.returns[procedure.0 as usize].iter().copied()
    }

    /// Gives the cells of a program these widths; its expressions must have been rewritten.
    pub fn apply(&self, program: &mut Program) {
        let narrow = |cell: &mut Cell, width: Option<Width>| {
            cell.domain = narrowed(cell.domain, width);
            if let (Some(number), Some(width)) = (&mut cell.number, width) {
                number.extended = width.signed;
            }
        };
        for (cell, width) in program.globals.iter_mut().zip(&self.globals) {
            narrow(cell, *width);
        }
        for (index, procedure) in program.procedures.iter_mut().enumerate() {
            for (cell, width) in procedure.locals.iter_mut().zip(&self.locals[index]) {
                narrow(cell, *width);
            }
            procedure.returns = self.returns[index].clone().into();
        }
    }
}

fn narrowed(domain: Domain, width: Option<Width>) -> Domain {
    width.map_or(domain, |width| Domain::Integer { bits: width.bits })
}

/// How many bits hold the values of a range; `None` if all are needed.
fn width(domain: Domain, needed: Option<Range>, may_be_signed: bool) -> Option<Width> {
    let Domain::Integer { bits: was } = domain else {
        return None;
    };
    let Some(range) = needed else {
        // It is never looked at.
        return (was > 1).then_some(Width {
            was,
            bits: 1,
            signed: false,
        });
    };
    let natural = (i128::BITS - range.natural().high.leading_zeros()).max(1);
    let signed = range.signed();
    // -1 needs no bit beside the sign, nor does 0.
    let magnitude = signed.high.max(-1 - signed.low);
    let signed = i128::BITS - magnitude.leading_zeros() + 1;
    let (bits, signed) = match natural <= signed || !may_be_signed {
        true => (natural as u8, false),
        false => (signed as u8, true),
    };
    (bits < was).then_some(Width { was, bits, signed })
}

/// What each cell may hold where it matters, by its place or that of its row.
fn needed(
    program: &Program,
    ranges: &Ranges<'_>,
    live: &Live,
    observed: &dyn Fn(ProcedureId, VariableId) -> bool,
) -> Vec<Option<Range>> {
    let rows = ranges.rows();
    let mut needed: Vec<Option<Range>> = vec![None; rows.cells()];
    for (point, id) in program.points.iter().zip((0..).map(PointId)) {
        if !ranges.is_reached(id) {
            continue;
        }
        for number in 0..cells::count(program, point.procedure) as u32 {
            let variable = cells::variable(program, number);
            if !live.at(program, id, variable) && !observed(point.procedure, variable) {
                continue;
            }
            let place = rows.place(point.procedure, variable);
            let place = rows.row(point.procedure, variable).unwrap_or(place);
            let range = ranges.at(id, variable);
            let all = &mut needed[place as usize];
            *all = Some(all.map_or(range, |all| all.join(range)));
        }
    }
    needed
}

fn for_each_cell(program: &Program, mut visit: impl FnMut(ProcedureId, VariableId)) {
    for index in 0..program.globals.len() as u32 {
        visit(program.entry, VariableId::Global(index));
    }
    for id in program.procedure_ids() {
        for index in 0..program.procedure(id).locals.len() as u32 {
            visit(id, VariableId::Local(index));
        }
    }
}
