//! The exact symbolic model of a program: every variable is live wherever it is in scope,
//! every procedure reads and changes every global, and frames that wait keep all they have.

use super::names::ProgramNames;
use crate::analysis::meetings::Meetings;
use crate::analysis::order;
use crate::analysis::{CallGraph, DataVariable, Layout, Liveness, ModRef, Observed};
use crate::bdd::{Bdd, BddResult, Bdds, Collection};
use crate::configurations::language::{Family, FrameKind, Model, Notation, SymbolText, Variable};
use crate::program::{Action, Cell, Domain, Language, PointId, ProcedureId, Program, VariableId};
use crate::property::Atom;
use crate::spds::copies::{COPIES, Copies, Copy, Order};
use crate::spds::{
    Analyses, EntryId, Head, HeadMeaning, Place, ProgramHeads, Spds, changes_frames_below, encode,
    proposition_at,
};
use crate::watch::{Stop, Watch};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

pub struct ProgramModel<'a> {
    names: &'a ProgramNames<'a>,
    layout: Layout,
    copies: &'a Copies<'a>,
    spds: Spds,
    heads: ProgramHeads,
    watch: &'a Watch,
    returning: FxHashMap<PointId, Head>,
    globals: Vec<Variable>,
    valid: RefCell<FxHashMap<(Option<ProcedureId>, Valid), Bdd>>,
}

/// Which variables have values of their domains.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Valid {
    Frame,
    Top,
    /// The values to be returned as well.
    Exit,
    /// These and the globals.
    Handed,
}

/// Makes the model of a program and runs `work` on it. BDD nodes may take `memory` bytes.
pub fn with_program_model<T>(
    names: &ProgramNames<'_>,
    memory: u64,
    watch: &Watch,
    work: impl FnOnce(&ProgramModel<'_>) -> Result<T, Stop>,
) -> Result<T, Stop> {
    let program = names.program;
    let layout = Layout::of(program);
    let calls = CallGraph::whole(program);
    let mod_ref = ModRef::everything(program, &layout);
    let liveness = Liveness::everything(program, &layout, &calls);
    let observed: Vec<_> = (0..program.globals.len() as u32)
        .map(Observed::Global)
        .collect();
    let cells = || order::cells_of(program, &layout);
    let meetings = || Meetings::of(program, &layout);
    let order = order::interleaved_bits(&layout, cells, meetings);
    let count = COPIES + u32::from(changes_frames_below(program));
    let bdds = Bdds::new(layout.len() * count, memory, Collection::Rare)?;
    bdds.session(|| {
        let copies = Copies::new(&bdds, Order::new(&layout.order(order.as_deref())), count);
        let analyses = Analyses {
            layout: layout.clone(),
            calls: &calls,
            mod_ref: &mod_ref,
            liveness: &liveness,
            observed: &observed,
            exact: true,
        };
        let (spds, heads) = encode(program, &analyses, &copies, None)?;
        watch.check()?;
        let globals = program.globals.iter().zip(0..);
        let globals = globals.map(|(cell, i)| variable(program, *cell, layout.global(i)));
        work(&ProgramModel {
            names,
            globals: globals.collect(),
            layout,
            copies: &copies,
            spds,
            returning: heads.returning_heads().collect(),
            heads,
            watch,
            valid: RefCell::default(),
        })
    })
}

fn variable(program: &Program, cell: Cell, bits: std::ops::Range<DataVariable>) -> Variable {
    let name = program.names.text(cell.name).to_owned();
    named_variable(program, name, cell.domain, bits)
}

fn named_variable(
    program: &Program,
    name: String,
    domain: Domain,
    bits: std::ops::Range<DataVariable>,
) -> Variable {
    let values = match domain {
        Domain::Enumeration { id, .. } => {
            let names = program.enumerations[id as usize].names.iter();
            names
                .map(|name| program.names.text(*name).to_owned())
                .collect()
        }
        _ => Vec::new(),
    };
    Variable {
        name,
        bits,
        domain,
        values,
    }
}

impl ProgramModel<'_> {
    fn program(&self) -> &Program {
        self.names.program
    }

    fn known_valid(&self, procedure: Option<ProcedureId>, which: Valid) -> BddResult {
        if let Some(known) = self.valid.borrow().get(&(procedure, which)) {
            return Ok(known.clone());
        }
        let mut variables = Vec::new();
        if which != Valid::Frame {
            variables.extend_from_slice(&self.globals);
        }
        if let Some(procedure) = procedure {
            let kind = FrameKind(procedure.0);
            if which != Valid::Handed {
                variables.extend(self.locals(kind));
            }
            if matches!(which, Valid::Exit | Valid::Handed) {
                variables.extend(self.returned(Family(procedure.0)));
            }
        }
        let valid = self.all_valid(&variables)?;
        let mut known = self.valid.borrow_mut();
        known.insert((procedure, which), valid.clone());
        Ok(valid)
    }

    fn all_valid(&self, variables: &[Variable]) -> BddResult {
        let bdds = self.copies.bdds;
        let mut all = bdds.constant(true);
        for Variable { bits, domain, .. } in variables {
            let valid = self.copies.valid(bits.clone(), *domain, Copy::Current)?;
            all = bdds.and(&all, &valid)?;
        }
        Ok(all)
    }
}

impl<'a> Model for ProgramModel<'a> {
    type Language = ProgramNames<'a>;

    fn language(&self) -> &Self::Language {
        self.names
    }

    fn spds(&self) -> &Spds {
        &self.spds
    }

    fn copies(&self) -> &Copies<'_> {
        self.copies
    }

    fn watch(&self) -> &Watch {
        self.watch
    }

    fn is_wide(&self) -> bool {
        self.layout.is_wide()
    }

    fn saved(&self, symbol: Head) -> Head {
        let point = PointId(symbol.0);
        match (
            self.returning.get(&point),
            &self.program().point(point).action,
        ) {
            (Some(returning), _) => *returning,
            (None, Action::Call(call)) => self.heads.at(call.next),
            (None, _) => symbol,
        }
    }

    fn error(&self) -> Option<Head> {
        Some(self.heads.error())
    }

    fn terminated(&self) -> Option<Head> {
        Some(self.heads.terminated())
    }

    fn entered(&self, entry: EntryId) -> FrameKind {
        FrameKind(entry.0)
    }

    fn handed(&self, family: Family) -> &[DataVariable] {
        &self.spds.interface(EntryId(family.0)).handed
    }

    fn holds(&self, condition: &Atom, kind: Option<FrameKind>) -> BddResult {
        let program = self.program();
        let place = match kind {
            Some(kind) => Place::At(program.procedure(ProcedureId(kind.0)).entry()),
            None => Place::Terminated,
        };
        proposition_at(program, &self.layout, self.copies, condition, place)
    }

    fn valid(&self, head: Head, of_frame: bool) -> BddResult {
        let program = self.program();
        let (procedure, which) = match self.heads.meaning(head) {
            HeadMeaning::At(point) | HeadMeaning::Returning(point) => {
                let which = match (of_frame, program.procedure_of(point).exit() == point) {
                    (true, _) => Valid::Frame,
                    (false, true) => Valid::Exit,
                    (false, false) => Valid::Top,
                };
                (Some(program.point(point).procedure), which)
            }
            HeadMeaning::Error | HeadMeaning::Terminated => (None, Valid::Top),
        };
        self.known_valid(procedure, which)
    }

    fn valid_handed(&self, family: Family) -> BddResult {
        self.known_valid(Some(ProcedureId(family.0)), Valid::Handed)
    }

    fn notation(&self) -> Notation {
        match self.program().language {
            Language::BooleanProgram => Notation::PLAIN,
            Language::Remopla => Notation::DOUBLED,
        }
    }

    fn show_symbol(&self, symbol: Head) -> SymbolText {
        let program = self.program();
        let point = PointId(symbol.0);
        let position = program.position_of(point);
        SymbolText {
            name: self.names.show(point),
            procedure: program
                .names
                .text(program.procedure_of(point).name)
                .to_owned(),
            line: position.line,
            column: position.column,
            labels: program.labels_of(point).map(str::to_owned).collect(),
        }
    }

    fn show_family(&self, family: Family) -> Option<String> {
        Some(self.show_entry(EntryId(family.0)))
    }

    fn show_entry(&self, entry: EntryId) -> String {
        let procedure = self.program().procedure(ProcedureId(entry.0));
        self.program().names.text(procedure.name).to_owned()
    }

    fn globals(&self) -> &[Variable] {
        &self.globals
    }

    fn control_state(&self) -> Option<&Variable> {
        None
    }

    fn locals(&self, kind: FrameKind) -> Vec<Variable> {
        let (program, id) = (self.program(), ProcedureId(kind.0));
        let locals = program.procedure(id).locals.iter().zip(0..);
        let bits = |i| self.layout.cell(id, VariableId::Local(i));
        locals
            .map(|(cell, i)| variable(program, *cell, bits(i)))
            .collect()
    }

    fn returned(&self, family: Family) -> Vec<Variable> {
        let (program, id) = (self.program(), ProcedureId(family.0));
        let returns = program.procedure(id).returns.iter().zip(0..);
        let returned = returns.map(|(domain, i)| {
            let name = format!("returns[{i}]");
            named_variable(program, name, *domain, self.layout.returned(id, i))
        });
        returned.collect()
    }
}
