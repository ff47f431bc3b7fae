//! The machine that walks a function: tasks on a stack, values and places on two others.
//!
//! A task is something to evaluate, or what remains to be done once its parts are there. Each
//! expression pushes one value, each place one spot. Linear in the tree, up to the copies of terms,
//! whose length is limited.

use super::assembler::{Assembled, Assembler, Mark};
use super::layout::Layout;
use super::origin::{CellOrigin, PointKind};
use super::place::Spot;
use super::points_to::Region;
use super::step::{Step, Temporary, Value};
use super::term::{Scalar, Term};
use super::unique::UniqueNames;
use super::unit::{Home, Unit};
use super::{Parts, domain};
use crate::names::Name;
use crate::program::{Action, Cell, Expressions, PointId, Procedure, ProcedureId, VariableId};
use crate::source::Span;
use crate::typing::c::tree::{
    ExpressionId, FunctionId, LabelId, List, ObjectId, PlaceId, Role, StatementId, Storage,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is to be done.
#[derive(Clone, Debug)]
pub enum Task {
    Expression(ExpressionId),
    /// The operands are there.
    Finish(ExpressionId),
    /// The first operand of an expression is there that may not need the others.
    Second(ExpressionId),
    /// The first branch of a `?:` is there.
    Third(ExpressionId),
    /// The value to be updated is to be read.
    Old(ExpressionId),
    /// The value on top goes into these cells, and control to the mark.
    EndBranch(Vec<(VariableId, Scalar)>, Option<Mark>, Mark),
    /// The cells have got their values: they are the value.
    Join(Vec<(VariableId, Scalar)>, ExpressionId, Mark),
    Drop,
    /// The value on top becomes a truth value.
    Truth,
    Place(PlaceId),
    /// The parts are there; `true` if only the address is wanted, which may be the end.
    FinishPlace(PlaceId, bool),
    Statement(StatementId),
    /// Part of a statement has been done.
    Resume(StatementId),
    /// The condition on top decides.
    Branch(Mark, Mark),
    /// A step that does nothing.
    Skip,
    /// The step ends of an expression whose value nobody needs: how many points there were before, and whether it is
    /// nothing but a call.
    EndStep(u32, bool),
    /// The full expression ends; hidden cells that were in use before it.
    EndFull(Vec<bool>),
    /// The writes of an initialiser from the index on.
    Writes(List, u32),
    /// The value of that write is there.
    Write(u32),
    LeaveBlock,
    SetMark(Mark),
    Jump(Mark),
    Span(Span),
}

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
pub struct Loop {
    pub after: Mark,
    pub again: Mark,
    /// How many blocks are around it.
    pub depth: usize,
}

pub struct Body<'u, 'a> {
    pub unit: &'u mut Unit<'a>,
    pub expressions: &'u mut Expressions,
    pub assembler: Assembler,
    pub function: Option<FunctionId>,
    pub tasks: Vec<Task>,
    pub values: Vec<Value>,
    pub spots: Vec<Spot>,
    /// What the updates that are open have read.
    pub olds: Vec<(PlaceId, Value)>,
    pub step: Step,
    /// How many guards there were where each open branch of a term began, and its condition.
    pub branches: Vec<(usize, Term)>,
    pub temporaries: Vec<Temporary>,
    /// Hidden cells that may hold pointers, and their numberings.
    pub tainted: FxHashMap<VariableId, u32>,
    pub locals: Vec<Cell>,
    pub local_origins: Vec<CellOrigin>,
    homes: FxHashMap<ObjectId, Home>,
    /// The full expression that is lowered.
    pub span: Span,
    pub loops: FxHashMap<StatementId, Loop>,
    pub label_marks: FxHashMap<LabelId, Mark>,
    /// The blocks around the statement that is lowered.
    pub blocks: Vec<StatementId>,
    /// The blocks around each label.
    pub label_blocks: FxHashMap<LabelId, Vec<StatementId>>,
    pub named: Vec<(u32, Name)>,
    /// The value that the last write of an initialiser wrote.
    pub last_written: Option<Value>,
    /// Parameters whose address is taken, and where they are kept.
    copies: Vec<(Home, Home)>,
    /// Where parameters arrive.
    arrivals: FxHashMap<ObjectId, Home>,
    /// What was at the last level of the function's locals when it was entered.
    pub saved: Vec<(ObjectId, Home)>,
    taken: UniqueNames,
    pub parameters: Vec<(VariableId, Scalar)>,
}

/// A lowered function.
pub struct Finished {
    pub parts: Parts,
    pub labels: Vec<(PointId, Name)>,
}

impl<'u, 'a> Body<'u, 'a> {
    pub fn new(
        unit: &'u mut Unit<'a>,
        expressions: &'u mut Expressions,
        function: Option<FunctionId>,
        procedure: ProcedureId,
    ) -> Self {
        let mut body = Body {
            unit,
            expressions,
            assembler: Assembler::new(procedure),
            function,
            tasks: Vec::new(),
            values: Vec::new(),
            spots: Vec::new(),
            olds: Vec::new(),
            step: Step::default(),
            branches: Vec::new(),
            temporaries: Vec::new(),
            tainted: FxHashMap::default(),
            locals: Vec::new(),
            local_origins: Vec::new(),
            homes: FxHashMap::default(),
            span: Span::new(0, 0),
            loops: FxHashMap::default(),
            label_marks: FxHashMap::default(),
            blocks: Vec::new(),
            label_blocks: FxHashMap::default(),
            named: Vec::new(),
            last_written: None,
            copies: Vec::new(),
            arrivals: FxHashMap::default(),
            saved: Vec::new(),
            taken: UniqueNames::default(),
            parameters: Vec::new(),
        };
        body.place_locals();
        body
    }

    /// Gives parameters and local objects their cells, parameters first. One whose address is taken
    /// is a global: its parameter is copied.
    fn place_locals(&mut self) {
        let typed = self.unit.typed;
        let Some(function) = self.function else {
            return;
        };
        let function = &typed.functions[function.0 as usize];
        self.span = function.span;
        let Some(body) = &function.body else { return };
        for id in &body.parameters {
            let object = &typed.objects[id.0 as usize];
            let Some(layout) = self.unit.layouts.of(object.qualified.id) else {
                continue;
            };
            let home = self.place_local(*id, layout);
            for (cell, scalar) in cells(&home) {
                self.parameters.push((cell, scalar));
            }
            self.arrivals.insert(*id, home.clone());
            match self.unit.global(*id).cloned() {
                Some(global) => self.copies.push((home, global)),
                None => {
                    self.homes.insert(*id, home);
                }
            }
        }
        for id in &body.objects {
            let object = &typed.objects[id.0 as usize];
            let is_static = matches!(object.storage, Storage::Static { .. });
            if is_static || self.unit.global(*id).is_some() {
                continue;
            }
            if let Some(layout) = self.unit.layout_of(*id) {
                let home = self.place_local(*id, layout);
                self.homes.insert(*id, home);
            }
        }
    }

    /// Where a parameter of the function arrives.
    pub fn parameter_home(&self, id: ObjectId) -> Option<Home> {
        self.arrivals.get(&id).cloned()
    }

    fn copy_parameters(&mut self) {
        for (from, to) in std::mem::take(&mut self.copies) {
            for ((from, scalar), (to, _)) in cells(&from).into_iter().zip(cells(&to)) {
                self.write_cell(to, scalar, Term::read(from, scalar));
            }
        }
        self.flush();
    }

    pub fn place_local(&mut self, id: ObjectId, layout: Rc<Layout>) -> Home {
        let first = VariableId::Local(self.locals.len() as u32);
        let object = &self.unit.typed.objects[id.0 as usize];
        let own = object
            .name
            .map_or("literal", |name| self.unit.typed.names.text(name));
        let text = self.taken.own(self.unit.names, own);
        let scalars = self.unit.scalars(Region::Object(id), &layout);
        let home = Home {
            first,
            layout,
            scalars,
            length: None,
            tracked: self.unit.tracked(id),
        };
        let (cells, origins) = self.unit.cells(Some(id), &home, &text);
        self.locals.extend(cells);
        self.local_origins.extend(origins);
        home
    }

    /// A row of hidden cells for a value of its own.
    pub fn hidden_row(&mut self, layout: Rc<Layout>, scalars: Rc<[Scalar]>) -> Home {
        let first = VariableId::Local(self.locals.len() as u32);
        for (leaf, scalar) in layout.leaves.iter().zip(scalars.iter()) {
            for index in 0..layout.count(leaf) {
                let name = format!("temporary#{}", self.locals.len());
                let name = self.unit.names.intern(&name);
                self.locals.push(super::cell(name, *scalar));
                self.local_origins.push(CellOrigin {
                    object: None,
                    scalar: *scalar,
                    index,
                    key: None,
                });
            }
        }
        Home {
            first,
            layout,
            scalars,
            length: None,
            tracked: None,
        }
    }

    /// Where an object is; none if it is outside.
    pub fn home(&self, id: ObjectId) -> Option<Home> {
        let local = self.homes.get(&id);
        local.or_else(|| self.unit.global(id)).cloned()
    }

    pub fn pop(&mut self) -> Value {
        self.values.pop().unwrap_or(Value::Void)
    }

    pub fn pop_term(&mut self) -> Term {
        self.pop().term()
    }

    /// Whether a branch of a term is open, in which no step can be made.
    pub fn is_inline(&self) -> bool {
        !self.branches.is_empty()
    }

    pub fn assume(&mut self, condition: Term) {
        let condition = condition.into_truth();
        if condition.constant() == Some(1) {
            return;
        }
        let condition = self.add(condition);
        self.assembler
            .step(self.span, PointKind::Step, |next| Action::Assume {
                condition,
                next,
            });
    }

    /// The cells get any values; what was computed before has been done.
    pub fn havoc(&mut self, cells: Vec<VariableId>, kind: PointKind) {
        if let PointKind::Choice {
            cells: chosen,
            occasion,
        } = &kind
            && let Some((Action::Havoc { variables, .. }, origin)) = self.assembler.straight()
            && let PointKind::Choice {
                cells: before,
                occasion: other,
            } = &mut origin.kind
            && occasion == other
        {
            before.extend(chosen.iter().copied());
            *variables = before.clone().into();
            return;
        }
        let variables = cells.into();
        self.assembler
            .step(self.span, kind, |next| Action::Havoc { variables, next });
    }

    /// Does all tasks.
    pub fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Expression(id) => self.expression(id),
                Task::Finish(id) => self.finish(id),
                Task::Second(id) => self.second(id),
                Task::Third(id) => self.third(id),
                Task::Old(id) => self.read_old(id),
                Task::EndBranch(cells, jump, mark) => self.end_branch(&cells, jump, mark),
                Task::Join(cells, id, mark) => self.join(cells, id, mark),
                Task::Drop => {
                    self.pop();
                }
                Task::Truth => self.truth(),
                Task::Place(id) => self.place(id),
                Task::FinishPlace(id, is_address) => self.finish_place(id, is_address),
                Task::Statement(id) => self.statement(id),
                Task::Resume(id) => self.resume(id),
                Task::Branch(yes, no) => self.branch(yes, no),
                Task::Skip => self.assembler.skip(self.span),
                Task::EndStep(before, is_call) => {
                    let is_left = !is_call && self.assembler.ends_with_call();
                    if is_left || self.assembler.count() == before {
                        self.assembler.skip(self.span);
                    }
                }
                Task::EndFull(used) => {
                    self.flush();
                    self.free_others(&used);
                }
                Task::Writes(list, from) => self.writes(list, from),
                Task::Write(index) => self.write(index),
                Task::LeaveBlock => {
                    if let Some(block) = self.blocks.pop() {
                        self.leave_blocks(&[block]);
                    }
                }
                Task::SetMark(mark) => self.assembler.set(mark),
                Task::Jump(mark) => self.assembler.jump(mark),
                Task::Span(span) => self.span = span,
            }
        }
    }

    /// The procedure, whose first point has the number `base`.
    pub fn lower(mut self, base: u32) -> Finished {
        let typed = self.unit.typed;
        let mut close = self.span;
        if let Some(id) = self.function
            && let Some(body) = &typed.functions[id.0 as usize].body
        {
            close = body.close;
            self.push_levels();
            self.copy_parameters();
            self.find_labels(body.block);
            self.tasks.push(Task::Statement(body.block));
            self.run();
            self.fall_off(close);
        }
        self.into_procedure(base, close)
    }

    pub fn is_main(&self) -> bool {
        let name = self
            .function
            .map(|id| self.unit.typed.functions[id.0 as usize].name);
        name.is_some_and(|name| self.unit.typed.names.text(name) == "main")
    }

    pub fn into_procedure(self, base: u32, close: Span) -> Finished {
        let Body {
            unit,
            assembler,
            function,
            locals,
            local_origins,
            named,
            parameters,
            ..
        } = self;
        let typed = unit.typed;
        let (name, span, returns) = match function {
            Some(id) => {
                let function = &typed.functions[id.0 as usize];
                let result = unit.result_scalars(id);
                let returns =
                    result.map_or_else(Vec::new, |(layout, scalars)| row(&layout, &scalars));
                // Predicates tell apart what rules have added.
                let name = match function.role {
                    Role::Program | Role::Event(_) => function.name,
                    Role::Wrapper | Role::Start => {
                        let what = if function.role == Role::Start {
                            "start"
                        } else {
                            "events"
                        };
                        let text = format!("{}.{what}", typed.names.text(function.name));
                        unit.names.intern(&text)
                    }
                };
                (name, function.span, returns)
            }
            None => (unit.names.intern("start#"), close, Vec::new()),
        };
        let Assembled {
            points,
            origins,
            loops,
        } = assembler.finish(base, close);
        unit.loops.extend(loops);
        let shown = local_origins.iter().rposition(|cell| cell.object.is_some());
        let shown = shown.map_or(0, |last| last + 1);
        let procedure = Procedure {
            name,
            span,
            saved: (locals.len() - shown) as u32,
            locals,
            declarations: Vec::new(),
            parameters: parameters.len() as u32,
            returns: returns.into_iter().map(domain).collect(),
            return_shapes: Box::default(),
            enforce: None,
            points: base..base + points.len() as u32,
        };
        let labels = named.into_iter();
        let labels = labels
            .map(|(point, name)| (PointId(base + point), name))
            .collect();
        Finished {
            parts: Parts {
                procedure,
                points,
                origins,
                locals: local_origins,
            },
            labels,
        }
    }
}

/// The cells of an object, and what they hold.
pub fn cells(home: &Home) -> Vec<(VariableId, Scalar)> {
    let all = row(&home.layout, &home.scalars);
    (0..).map(|k| home.first.plus(k)).zip(all).collect()
}

/// What the cells of a layout hold.
pub fn row(layout: &Layout, scalars: &[Scalar]) -> Vec<Scalar> {
    let leaves = layout.leaves.iter().zip(scalars);
    let each =
        leaves.flat_map(|(leaf, scalar)| std::iter::repeat_n(*scalar, layout.count(leaf) as usize));
    each.collect()
}

/// A number as a scalar of some type holds it.
pub fn as_scalar(term: Term, scalar: Scalar) -> Term {
    match scalar {
        Scalar::Truth => term.into_truth(),
        Scalar::Integer(width) => term.wrap(width),
        Scalar::Pointer(_) => term.into_number(),
    }
}
