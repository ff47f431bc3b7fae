//! What objects begin with: the globals of a program, the parameters of its entry, arbitrary values.

use super::Parts;
use super::body::{Body, Task, as_scalar, cells};
use super::origin::PointKind;
use super::points_to::Target;
use super::term::{Codes, Scalar, Term};
use super::unit::{Home, Unit};
use crate::program::{Action, Call, Expressions, Operation, ProcedureId, VariableId};
use crate::typing::c::tree::{FunctionId, Initial, ObjectId, Storage};

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
        self.havoc(cells.clone(), PointKind::Choice { cells });
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
    pub fn forget(&mut self, id: ObjectId) {
        let Some(home) = self.home(id) else { return };
        self.forget_home(&home, Target::Uninitialised);
        self.flush();
    }

    /// What is there gets arbitrary values.
    pub fn forget_home(&mut self, home: &Home, stranger: Target) {
        self.forget_home_as(home, stranger, |cells| PointKind::Choice { cells });
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
        self.revive(home);
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
