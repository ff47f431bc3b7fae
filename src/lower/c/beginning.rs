//! What objects begin with: the globals of a program, the parameters of its entry, arbitrary values.

use super::Parts;
use super::body::{Body, Task, as_scalar, cells};
use super::origin::{Occasion, PointKind};
use super::points_to::Target;
use super::term::{Codes, Scalar, Term, Width};
use super::unit::{Home, Unit};
use crate::program::{Action, Call, Expressions, Operation, ProcedureId, VariableId};
use crate::typing::c::tree::{FunctionId, Initial, ObjectId, Storage};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

impl Body<'_, '_> {
    /// Sets the globals, and chooses the entry's parameters.
    pub fn begin_program(&mut self) {
        let typed = self.unit.typed;
        // Nothing is allocated, and what locals hold before they live does not matter.
        for (cell, scalar) in self.unit.locals() {
            self.write_cell(cell, scalar, Term::number(0));
        }
        for id in &self.unit.reach.statics {
            let object = &typed.objects[id.0 as usize];
            let Some(home) = self.home(*id) else { continue };
            if object.storage != (Storage::Static { defined: true }) {
                self.flush();
                self.restrict(&cells(&home), Target::Stranger);
                self.revive(&home);
                continue;
            }
            for (cell, scalar) in cells(&home) {
                self.write_cell(cell, scalar, Term::number(0));
            }
            match &object.initial {
                Initial::None => {}
                Initial::Writes(list) => {
                    self.tasks.push(Task::Writes(*list, list.start));
                    self.run();
                }
                Initial::Text(text) => {
                    for ((cell, scalar), value) in cells(&home).into_iter().zip(text) {
                        let value = as_scalar(Term::number((*value).into()), scalar);
                        self.write_cell(cell, scalar, value);
                    }
                }
            }
        }
        self.flush_as(PointKind::Start);
        let used = vec![false; self.temporaries.len()];
        self.free_others(&used);
    }

    /// Chooses the parameters of the program.
    fn choose_parameters(&mut self, parameters: &[(VariableId, Scalar)], is_main: bool) {
        if parameters.is_empty() {
            return;
        }
        let cells: Vec<VariableId> = parameters.iter().map(|(cell, _)| *cell).collect();
        let occasion = Occasion::Start;
        self.havoc(cells.clone(), PointKind::Choice { cells, occasion });
        for (index, (cell, scalar)) in parameters.iter().enumerate() {
            match scalar {
                Scalar::Integer(_) if is_main && index == 0 => {
                    let positive = Term::number(0).less(Term::read(*cell, *scalar));
                    self.assume(positive);
                }
                _ => {}
            }
        }
        self.restrict(parameters, Target::Stranger);
    }

    /// The pointers among the cells have any value, uninitialised ones or others: null or a
    /// stranger.
    pub fn restrict(&mut self, cells: &[(VariableId, Scalar)], stranger: Target) {
        let mut all = Term::truth(true);
        for (cell, scalar) in cells {
            let Scalar::Pointer(Codes { class, .. }) = scalar else {
                continue;
            };
            if let Some(class) = self.unit.addresses.class_by_index(*class) {
                let pointer = Term::read(*cell, *scalar);
                all = all.and(class.is_any_value(&pointer, stranger));
            }
            if all.len() > 64 {
                self.assume(std::mem::replace(&mut all, Term::truth(true)));
            }
        }
        self.assume(all);
    }

    /// No member of a union has been written yet.
    pub fn revive(&mut self, home: &Home) {
        for leaf in &home.layout.leaves {
            if let Some(open) = home.layout.open_member(*leaf) {
                for place in 0..home.layout.nodes[leaf.node as usize].count {
                    let cell = home.first.plus(leaf.first + place);
                    self.write_cell(cell, leaf.scalar, Term::number(open));
                }
            }
        }
    }

    /// An object gets arbitrary values: its pointers are uninitialised.
    pub fn forget(&mut self, id: ObjectId, occasion: Occasion) {
        let Some(home) = self.home(id) else { return };
        self.forget_home_as(&home, Target::Uninitialised, |cells| PointKind::Choice {
            cells,
            occasion,
        });
        self.flush();
    }

    /// A call may have changed what is there.
    pub fn forget_home(&mut self, home: &Home) {
        self.forget_home_as(home, Target::Stranger, |cells| PointKind::Choice {
            cells,
            occasion: Occasion::Call,
        });
        self.flush();
    }

    /// What is there gets arbitrary values, at a point of this kind.
    pub fn forget_home_as(
        &mut self,
        home: &Home,
        stranger: Target,
        kind: impl FnOnce(Vec<VariableId>) -> PointKind,
    ) {
        self.flush();
        let row = cells(home);
        let cells: Vec<VariableId> = row.iter().map(|(cell, _)| *cell).collect();
        self.havoc(cells.clone(), kind(cells));
        self.restrict(&row, stranger);
        self.unite(home, &row);
        self.revive(home);
    }

    /// What lies at the same place in several members of a union begins with one value, because memory has
    /// it before it is known which member it is.
    fn unite(&mut self, home: &Home, row: &[(VariableId, Scalar)]) {
        if !home.layout.has_unions() {
            return;
        }
        let mut first = FxHashMap::default();
        for ((cell, scalar), bit) in row.iter().zip(self.unit.layouts.bits(&home.layout)) {
            let Scalar::Integer(Width { bits, .. }) = scalar else {
                continue;
            };
            match first.entry((bit, *bits)) {
                Entry::Vacant(entry) => {
                    entry.insert((*cell, *scalar));
                }
                Entry::Occupied(entry) => {
                    let (other, held) = *entry.get();
                    let value = as_scalar(self.read_cell(other, held), *scalar);
                    self.write_cell(*cell, *scalar, value);
                }
            }
        }
    }

    /// Chooses parameters and begins: only in the function that the program begins with.
    pub fn begin_with_parameters(&mut self) {
        self.begin_program();
        let parameters = self.parameters.clone();
        let is_main = self.is_main();
        self.choose_parameters(&parameters, is_main);
    }
}

/// A procedure that begins the program and calls the entry, which others call, too.
pub fn start(
    unit: &mut Unit<'_>,
    expressions: &mut Expressions,
    procedure: ProcedureId,
    entry: FunctionId,
    base: u32,
) -> Parts {
    let typed = unit.typed;
    let function = &typed.functions[entry.0 as usize];
    let is_main = typed.names.text(function.name) == "main";
    let callee = unit.procedures.get(&entry).copied().unwrap_or(procedure);
    let mut body = Body::new(unit, expressions, None, procedure);
    body.span = function.span;
    body.begin_program();
    let mut passed = Vec::new();
    let parameters = function.body.iter().flat_map(|body| body.parameters.iter());
    for id in parameters {
        let type_id = typed.objects[id.0 as usize].qualified.id;
        let Some(layout) = body.unit.layouts.of(type_id) else {
            continue;
        };
        let home = body.place_local(*id, layout);
        passed.extend(cells(&home));
    }
    body.choose_parameters(&passed, is_main);
    let arguments = passed
        .into_iter()
        .map(|(cell, _)| body.expressions.add([Operation::Read(cell)]))
        .collect();
    let span = body.span;
    body.assembler.step(span, PointKind::Start, |next| {
        Action::Call(Box::new(Call {
            callee,
            arguments,
            assignments: Box::default(),
            targets: Box::default(),
            next,
        }))
    });
    body.into_procedure(base, span).parts
}
