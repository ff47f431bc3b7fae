//! The constraints of a program on what its pointers point to, and their solution.
//!
//! Each expression, initialiser and `return` adds edges between what holds pointers; what goes
//! through pointers waits for their targets.

use super::layout::{Layout, Layouts};
use super::library::{Allocation, Meaning};
use super::points_to::{Holder, PointsTo, Region, Target, find_site, globals};
use super::reach::{Reach, root};
use super::{Externs, Options};
use crate::typing::c::tree::{
    Callee, Conversion, ExpressionId, ExpressionKind, FunctionId, Initial, List, PlaceId,
    PlaceKind, Program, Role, StatementKind, Storage, Type, TypeId, Written,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What waits for targets of a pointer.
#[derive(Clone, Copy)]
enum Constraint {
    /// What is behind it, of a type and there a node, is in the expression.
    Load(TypeId, u32, ExpressionId),
    Store(TypeId, u32, ExpressionId),
    /// It is called.
    Call(ExpressionId, TypeId, List),
    /// What is behind it becomes zeros, or anything.
    Fill(Target),
    /// What is behind one is copied to what is behind the other.
    Copy(ExpressionId, ExpressionId),
}

pub struct Analysis<'a, 't> {
    program: &'a Program,
    reach: &'a Reach,
    options: &'a Options,
    layouts: &'a mut Layouts<'t>,
    constraints: Vec<Constraint>,
    /// Where pointers are followed: the type, and by which value.
    accesses: Vec<(ExpressionId, TypeId)>,
    site_of: FxHashMap<ExpressionId, u32>,
    pub result: PointsTo,
}

/// Where a place begins, and which node of the layout there it is.
enum Base {
    Region(Region),
    Behind(ExpressionId, TypeId),
    Value(ExpressionId),
}

impl<'a, 't> Analysis<'a, 't> {
    pub fn new(
        program: &'a Program,
        reach: &'a Reach,
        options: &'a Options,
        layouts: &'a mut Layouts<'t>,
        elements: &FxHashMap<ExpressionId, TypeId>,
    ) -> Self {
        let mut analysis = Analysis {
            program,
            reach,
            options,
            layouts,
            constraints: Vec::new(),
            accesses: Vec::new(),
            site_of: FxHashMap::default(),
            result: PointsTo {
                calls: vec![Vec::new(); program.functions.len()],
                ..PointsTo::default()
            },
        };
        for (id, function) in &reach.expressions {
            let element = elements.get(id).copied();
            let found = function.and_then(|function| {
                find_site(
                    program,
                    reach,
                    (*id, function),
                    element,
                    options,
                    analysis.layouts,
                )
            });
            if let Some(site) = found {
                analysis
                    .site_of
                    .insert(*id, analysis.result.sites.len() as u32);
                analysis.result.sites.push(site);
            }
        }
        analysis
    }

    /// The types that memory is accessed as of which none is known, in the order of the program.
    pub fn uses(&mut self) -> Vec<(ExpressionId, TypeId)> {
        let mut uses = Vec::new();
        for (pointer, type_id) in std::mem::take(&mut self.accesses) {
            if self.layouts.size(type_id).is_none() {
                continue;
            }
            for target in self.result.set(Holder::Value(pointer, 0)) {
                if let Target::Region(Region::Site(site)) = target {
                    let site = &self.result.sites[site as usize];
                    if site.element.is_none() {
                        uses.push((site.call, type_id));
                    }
                }
            }
        }
        uses
    }

    fn node(&mut self, holder: Holder) -> u32 {
        let (index, _) = self.result.holders.insert_full(holder);
        self.result.flow.grow(index as u32);
        index as u32
    }

    fn add(&mut self, holder: Holder, target: Target) {
        let (element, _) = self.result.targets.insert_full(target);
        let node = self.node(holder);
        self.result.flow.add(node, element as u32);
    }

    fn connect(&mut self, from: Holder, to: Holder) {
        let (from, to) = (self.node(from), self.node(to));
        self.result.flow.connect(from, to);
    }

    fn watch(&mut self, pointer: ExpressionId, constraint: Constraint) {
        let index = self.constraints.len() as u32;
        self.constraints.push(constraint);
        let node = self.node(Holder::Value(pointer, 0));
        self.result.flow.watch(node, index);
    }

    fn layout(&mut self, region: Region) -> Option<Rc<Layout>> {
        match region {
            Region::Object(id) => {
                let type_id = self.program.objects[id.0 as usize].qualified.id;
                self.layouts.of(type_id)
            }
            Region::Site(site) => self.result.sites[site as usize].layout.clone(),
        }
    }

    /// The pointers in values of a type.
    fn leaves(&mut self, type_id: TypeId) -> Vec<u32> {
        match self.layouts.of(type_id) {
            Some(layout) => layout.pointers(0).collect(),
            None => Vec::new(),
        }
    }

    fn type_of(&self, id: ExpressionId) -> TypeId {
        self.program.expressions[id.0 as usize].type_id
    }

    /// The value of one expression is that of another.
    fn copy(&mut self, from: ExpressionId, to: ExpressionId) {
        for leaf in self.leaves(self.type_of(to)) {
            self.connect(Holder::Value(from, leaf), Holder::Value(to, leaf));
        }
    }

    /// All pointers of a region may be this.
    fn fill(&mut self, region: Region, target: Target) {
        if let Some(layout) = self.layout(region) {
            for leaf in layout.pointers(0) {
                self.add(Holder::Memory(region, leaf), target);
                if target != Target::Null {
                    self.add(Holder::Memory(region, leaf), Target::Null);
                }
            }
        }
    }

    fn resolve(&mut self, place: PlaceId) -> Option<(Base, u32)> {
        let mut steps = Vec::new();
        let mut at = place;
        let (base, layout) = loop {
            let place = self.program.places[at.0 as usize];
            match place.kind {
                PlaceKind::Field(outer, field) => {
                    steps.push(Some(field));
                    at = outer;
                }
                PlaceKind::Element(outer, _) => {
                    // Rows of arrays of variable size are no nodes.
                    let array = self.program.places[outer.0 as usize].type_id;
                    if !self.program.types.has_variable_size(array) {
                        steps.push(None);
                    }
                    at = outer;
                }
                PlaceKind::Object(object) | PlaceKind::Compound(object, _) => {
                    let region = Region::Object(object);
                    break (Base::Region(region), self.layout(region)?);
                }
                PlaceKind::Target(pointer) => {
                    self.accesses.push((pointer, place.type_id));
                    let layout = self.layouts.of(place.type_id)?;
                    break (Base::Behind(pointer, place.type_id), layout);
                }
                PlaceKind::Temporary(value) => {
                    break (Base::Value(value), self.layouts.of(place.type_id)?);
                }
            }
        };
        let mut node = 0;
        for step in steps.into_iter().rev() {
            node = layout.part(node, step)?;
        }
        Some((base, node))
    }

    fn load(&mut self, place: PlaceId, into: ExpressionId) {
        match self.resolve(place) {
            Some((Base::Region(region), node)) => self.between(region, node, into, true),
            Some((Base::Behind(pointer, type_id), node)) => {
                self.watch(pointer, Constraint::Load(type_id, node, into));
            }
            Some((Base::Value(value), node)) => {
                let type_id = self.type_of(value);
                if let Some(layout) = self.layouts.of(type_id) {
                    let first = layout.nodes[node as usize].leaves.0;
                    for leaf in layout.pointers(node) {
                        let from = Holder::Value(value, leaf);
                        self.connect(from, Holder::Value(into, leaf - first));
                    }
                }
            }
            None => {}
        }
    }

    fn store(&mut self, place: PlaceId, from: ExpressionId) {
        match self.resolve(place) {
            Some((Base::Region(region), node)) => self.between(region, node, from, false),
            Some((Base::Behind(pointer, type_id), node)) => {
                self.watch(pointer, Constraint::Store(type_id, node, from));
            }
            _ => {}
        }
    }

    /// The value of an expression is read from a node, or written to it.
    fn between(&mut self, region: Region, node: u32, value: ExpressionId, is_read: bool) {
        let Some(layout) = self.layout(region) else {
            return;
        };
        let first = layout.nodes[node as usize].leaves.0;
        for leaf in layout.pointers(node) {
            let (memory, value) = (
                Holder::Memory(region, leaf),
                Holder::Value(value, leaf - first),
            );
            match is_read {
                true => self.connect(memory, value),
                false => self.connect(value, memory),
            }
        }
    }

    pub fn generate(&mut self, entry: FunctionId) {
        let (program, reach) = (self.program, self.reach);
        for id in &reach.statics {
            let object = &program.objects[id.0 as usize];
            let target = match object.storage == (Storage::Static { defined: true }) {
                true => Target::Null,
                false => Target::Stranger,
            };
            self.fill(Region::Object(*id), target);
            if let Initial::Writes(list) = object.initial {
                self.writes(list);
            }
        }
        let entered = program.functions[entry.0 as usize].body.iter();
        for parameter in entered.flat_map(|body| body.parameters.iter()) {
            self.fill(Region::Object(*parameter), Target::Stranger);
        }
        for list in &reach.writes {
            self.writes(*list);
        }
        for (id, function) in &reach.statements {
            match program.statements[id.0 as usize].kind {
                StatementKind::Declaration(object, _)
                    if program.objects[object.0 as usize].storage == Storage::Automatic =>
                {
                    self.fill(Region::Object(object), Target::Uninitialised);
                }
                StatementKind::Return(Some(value)) => {
                    for leaf in self.leaves(self.type_of(value)) {
                        let to = Holder::Result(*function, leaf);
                        self.connect(Holder::Value(value, leaf), to);
                    }
                }
                _ => {}
            }
        }
        for (id, function) in &reach.expressions {
            self.expression(*id, *function);
        }
    }

    fn writes(&mut self, list: List) {
        let program = self.program;
        let mut last = None;
        for write in &program.writes[list.indices()] {
            match write.value {
                Written::Value(value) => {
                    self.store(write.place, value);
                    last = Some(value);
                }
                Written::Again => {
                    if let Some(value) = last {
                        self.store(write.place, value);
                    }
                }
                Written::Zero => {
                    if let Some(object) = root(program, write.place) {
                        self.fill(Region::Object(object), Target::Null);
                    }
                }
            }
        }
    }

    fn expression(&mut self, id: ExpressionId, function: Option<FunctionId>) {
        let program = self.program;
        let expression = program.expressions[id.0 as usize];
        let is_pointer = matches!(program.types.get(expression.type_id), Type::Pointer(_));
        let own = Holder::Value(id, 0);
        match expression.kind {
            ExpressionKind::Null | ExpressionKind::Convert(Conversion::ToPointer, _) => {
                self.add(own, Target::Null);
            }
            ExpressionKind::Outside(_) if is_pointer => self.add(own, Target::Null),
            ExpressionKind::Function(function) => self.add(own, Target::Function(function)),
            ExpressionKind::Load(place) | ExpressionKind::Old(place) => self.load(place, id),
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                match self.resolve(place) {
                    Some((Base::Behind(pointer, _), _)) => {
                        self.connect(Holder::Value(pointer, 0), own);
                    }
                    _ => {
                        if let Some(object) = root(program, place) {
                            self.add(own, Target::Region(Region::Object(object)));
                        } else if let PlaceKind::Target(pointer) =
                            program.places[place.0 as usize].kind
                        {
                            self.connect(Holder::Value(pointer, 0), own);
                        }
                    }
                }
            }
            ExpressionKind::Convert(Conversion::FromPointer, operand) => {
                self.result.made_integers.push(operand);
            }
            ExpressionKind::Convert(Conversion::Pointer, operand)
            | ExpressionKind::PointerAdd {
                pointer: operand, ..
            }
            | ExpressionKind::Comma(_, operand) => self.copy(operand, id),
            ExpressionKind::Binary(_, a, b) | ExpressionKind::PointerDifference(a, b) => {
                if matches!(program.types.get(self.type_of(a)), Type::Pointer(_)) {
                    self.result.compared.push((a, b));
                }
            }
            ExpressionKind::Assign(place, value) => {
                self.store(place, value);
                self.copy(value, id);
            }
            ExpressionKind::Update { place, value, .. } => {
                self.store(place, value);
                self.copy(value, id);
                self.load(place, id);
            }
            ExpressionKind::Conditional { yes, no, .. } => {
                self.copy(yes, id);
                self.copy(no, id);
            }
            ExpressionKind::Elvis { value, no, .. } => {
                if is_pointer {
                    self.copy(value, id);
                }
                self.copy(no, id);
            }
            ExpressionKind::Statement(statement) => {
                if let StatementKind::Block(list) = program.statements[statement.0 as usize].kind
                    && let Some(last) = program.blocks[list.indices()].last()
                    && let StatementKind::Value(value) = program.statements[last.0 as usize].kind
                {
                    self.copy(value, id);
                }
            }
            ExpressionKind::Call(Callee::Function(callee), list) => {
                self.call(id, callee, list, function);
            }
            ExpressionKind::Call(Callee::Pointer(pointer), list) => {
                if let Some(wanted) = program.types.target(self.type_of(pointer)) {
                    self.watch(pointer, Constraint::Call(id, wanted.id, list));
                }
            }
            _ => {}
        }
    }

    fn call(
        &mut self,
        id: ExpressionId,
        callee: FunctionId,
        list: List,
        function: Option<FunctionId>,
    ) {
        let program = self.program;
        if let Some(function) = function {
            self.result.calls[function.0 as usize].push(callee.0 as usize);
        }
        let arguments = &program.arguments[list.indices()];
        let own = Holder::Value(id, 0);
        match Meaning::of(program, callee) {
            Meaning::Body => self.pass(id, callee, arguments),
            Meaning::Input | Meaning::Nothing | Meaning::Unknown | Meaning::AnyAddress => {
                for leaf in self.leaves(self.type_of(id)) {
                    self.add(Holder::Value(id, leaf), Target::Null);
                    self.add(Holder::Value(id, leaf), Target::Stranger);
                }
                if Meaning::of(program, callee) == Meaning::AnyAddress {
                    for object in &self.reach.addressed {
                        self.add(own, Target::Region(Region::Object(*object)));
                    }
                    for function in &self.reach.function_addresses {
                        self.add(own, Target::Function(*function));
                    }
                }
                // What a rule watches may be anything.
                if program.functions[callee.0 as usize].role == Role::Start {
                    let mut sites: Vec<u32> = self.site_of.values().copied().collect();
                    sites.sort_unstable();
                    for site in sites {
                        self.add(own, Target::Region(Region::Site(site)));
                    }
                }
                let is_unknown = Meaning::of(program, callee) == Meaning::Unknown;
                if is_unknown && self.options.externs == Externs::Havoc {
                    for object in globals(program, self.reach) {
                        self.fill(Region::Object(object), Target::Stranger);
                    }
                    for argument in arguments {
                        if matches!(program.types.get(self.type_of(*argument)), Type::Pointer(_)) {
                            self.watch(*argument, Constraint::Fill(Target::Stranger));
                        }
                    }
                }
            }
            Meaning::Allocation(allocation) => {
                if let Some(site) = self.site_of.get(&id).copied() {
                    let region = Region::Site(site);
                    self.add(own, Target::Region(region));
                    self.fill(
                        region,
                        match allocation {
                            Allocation::Cleared => Target::Null,
                            _ => Target::Uninitialised,
                        },
                    );
                    if self.options.malloc_may_fail && allocation != Allocation::Stack {
                        self.add(own, Target::Null);
                    }
                }
            }
            Meaning::Free => self.result.freed.extend(arguments.first()),
            Meaning::Fill => {
                if let Some(to) = arguments.first() {
                    self.copy(*to, id);
                    self.watch(*to, Constraint::Fill(Target::Null));
                }
            }
            Meaning::Copy { .. } => {
                if let [to, from, ..] = arguments[..] {
                    self.copy(to, id);
                    self.watch(to, Constraint::Copy(to, from));
                    self.watch(from, Constraint::Copy(to, from));
                }
            }
            Meaning::Assume
            | Meaning::Assert
            | Meaning::Failure
            | Meaning::End
            | Meaning::Outside => {}
        }
    }

    fn pass(&mut self, id: ExpressionId, callee: FunctionId, arguments: &[ExpressionId]) {
        let program = self.program;
        let Some(body) = &program.functions[callee.0 as usize].body else {
            return;
        };
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            let type_id = program.objects[parameter.0 as usize].qualified.id;
            let region = Region::Object(*parameter);
            for leaf in self.leaves(type_id) {
                self.connect(Holder::Value(*argument, leaf), Holder::Memory(region, leaf));
            }
        }
        for leaf in self.leaves(self.type_of(id)) {
            self.connect(Holder::Result(callee, leaf), Holder::Value(id, leaf));
        }
    }

    pub fn solve(&mut self) {
        let functions: FxHashMap<ExpressionId, FunctionId> = self
            .reach
            .expressions
            .iter()
            .filter_map(|(id, function)| Some((*id, (*function)?)))
            .collect();
        while let Some((constraint, element)) = self.result.flow.next() {
            let target = self.result.targets[element as usize];
            match (self.constraints[constraint as usize], target) {
                (Constraint::Load(type_id, node, value), Target::Region(region)) => {
                    self.access(region, type_id, node, value, true);
                }
                (Constraint::Store(type_id, node, value), Target::Region(region)) => {
                    self.access(region, type_id, node, value, false);
                }
                (Constraint::Fill(target), Target::Region(region)) => self.fill(region, target),
                (Constraint::Copy(to, from), Target::Region(_)) => self.copy_memory(to, from),
                (Constraint::Call(id, wanted, list), Target::Function(callee)) => {
                    let own = self.program.functions[callee.0 as usize].type_id;
                    let caller = functions.get(&id).copied();
                    if self.program.types.compatible(own, wanted) {
                        self.call(id, callee, list, caller);
                    }
                }
                _ => {}
            }
        }
    }

    fn access(
        &mut self,
        region: Region,
        type_id: TypeId,
        node: u32,
        value: ExpressionId,
        is_read: bool,
    ) {
        let Some(layout) = self.layout(region) else {
            return;
        };
        for (at, index) in layout.nodes.iter().zip(0..) {
            if self.layouts.is_same_type(at.type_id, type_id)
                && ((index + node) as usize) < layout.nodes.len()
            {
                self.between(region, index + node, value, is_read);
            }
        }
    }

    /// Any pointer of any region behind one becomes any of those behind the other.
    fn copy_memory(&mut self, to: ExpressionId, from: ExpressionId) {
        let regions = |analysis: &Self, pointer| {
            let set = analysis.result.set(Holder::Value(pointer, 0));
            let regions = set.filter_map(|target| match target {
                Target::Region(region) => Some(region),
                _ => None,
            });
            regions.collect::<Vec<Region>>()
        };
        for source in regions(self, from) {
            for goal in regions(self, to) {
                let (Some(read), Some(written)) = (self.layout(source), self.layout(goal)) else {
                    continue;
                };
                for one in read.pointers(0) {
                    for other in written.pointers(0) {
                        let one = Holder::Memory(source, one);
                        self.connect(one, Holder::Memory(goal, other));
                    }
                }
            }
        }
    }
}
