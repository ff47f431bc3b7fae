//! What of a program the entry can come to: functions, objects, addresses that are taken.
//!
//! A worklist over the typed tree; each function, expression and initialiser is looked at once.
//! Before that, one pass tells which expressions only compute: these become terms, all others
//! steps.

use super::library::Meaning;
use crate::components::{components, is_cyclic};
use crate::typing::c::tree::{
    Builtin, Callee, Conversion, ExpressionId, ExpressionKind, FunctionId, Initial, List, ObjectId,
    PlaceId, PlaceKind, Program, StatementId, StatementKind, Storage, Type, Written,
};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

type Set<T> = IndexSet<T, FxBuildHasher>;

/// Terms longer than this are put into a cell.
pub const LONGEST_TERM: u32 = 200;

/// What the entry can come to.
pub struct Reach {
    /// The functions with a body, the entry first.
    pub functions: Vec<FunctionId>,
    /// The objects of static storage that are named.
    pub statics: Vec<ObjectId>,
    /// The objects whose address is a value somewhere.
    pub addressed: Set<ObjectId>,
    /// The functions whose address is a value somewhere.
    pub function_addresses: Set<FunctionId>,
    /// The functions that may be called while they run, by [`FunctionId`].
    pub recursive: Vec<bool>,
    /// Whether the entry is called by someone.
    pub entry_is_called: bool,
    /// How long the term of an expression is; 0 if it is none.
    terms: Vec<u32>,
}

#[derive(Clone, Copy)]
enum Item {
    Expression(ExpressionId),
    Place(PlaceId),
    Statement(StatementId),
}

impl Reach {
    pub fn new(program: &Program, entry: FunctionId) -> Self {
        let mut search = Search {
            program,
            terms: terms(program),
            functions: Set::default(),
            objects: Set::default(),
            addressed: Set::default(),
            function_addresses: Set::default(),
            calls: vec![Vec::new(); program.functions.len()],
            through_pointers: Vec::new(),
            items: Vec::new(),
        };
        search.functions.insert(entry);
        search.run();
        let Search {
            terms,
            functions,
            objects,
            addressed,
            function_addresses,
            mut calls,
            through_pointers,
            ..
        } = search;
        for caller in through_pointers {
            let callees = function_addresses.iter().map(|callee| callee.0 as usize);
            calls[caller].extend(callees);
        }
        let mut recursive = vec![false; program.functions.len()];
        for members in components(&calls, [entry.0 as usize]) {
            if is_cyclic(&calls, &members) {
                members.iter().for_each(|member| recursive[*member] = true);
            }
        }
        let has_body = |id: &FunctionId| program.functions[id.0 as usize].body.is_some();
        let is_static = |id: &ObjectId| {
            matches!(
                program.objects[id.0 as usize].storage,
                Storage::Static { .. }
            )
        };
        let is_entry = |callee: &usize| *callee == entry.0 as usize;
        Reach {
            functions: functions.into_iter().filter(has_body).collect(),
            statics: objects.into_iter().filter(is_static).collect(),
            addressed,
            function_addresses,
            recursive,
            entry_is_called: calls.iter().flatten().any(is_entry),
            terms,
        }
    }

    /// Whether an expression only computes, in a term that is not too long.
    pub fn is_term(&self, id: ExpressionId) -> bool {
        (1..=LONGEST_TERM).contains(&self.terms[id.0 as usize])
    }
}

struct Search<'a> {
    program: &'a Program,
    terms: Vec<u32>,
    functions: Set<FunctionId>,
    objects: Set<ObjectId>,
    addressed: Set<ObjectId>,
    function_addresses: Set<FunctionId>,
    calls: Vec<Vec<usize>>,
    /// Who calls through pointers.
    through_pointers: Vec<usize>,
    items: Vec<Item>,
}

impl Search<'_> {
    fn run(&mut self) {
        let (mut functions, mut objects) = (0, 0);
        loop {
            if let Some(id) = self.functions.get_index(functions).copied() {
                functions += 1;
                if let Some(body) = &self.program.functions[id.0 as usize].body {
                    self.items.push(Item::Statement(body.block));
                    self.objects.extend(body.parameters.iter().copied());
                    self.walk(Some(id));
                }
            } else if let Some(id) = self.objects.get_index(objects).copied() {
                objects += 1;
                if let Initial::Writes(list) = &self.program.objects[id.0 as usize].initial {
                    self.writes(*list);
                    self.walk(None);
                }
            } else {
                return;
            }
        }
    }

    fn walk(&mut self, function: Option<FunctionId>) {
        while let Some(item) = self.items.pop() {
            match item {
                Item::Expression(id) => self.expression(id, function),
                Item::Place(id) => self.place(id),
                Item::Statement(id) => self.statement(id),
            }
        }
    }

    fn expressions(&mut self, list: impl IntoIterator<Item = ExpressionId>) {
        self.items.extend(list.into_iter().map(Item::Expression));
    }

    fn writes(&mut self, list: List) {
        let program = self.program;
        for write in &program.writes[list.indices()] {
            self.items.push(Item::Place(write.place));
            if let Written::Value(value) = write.value {
                self.expressions([value]);
            }
        }
    }

    fn expression(&mut self, id: ExpressionId, function: Option<FunctionId>) {
        let program = self.program;
        match program.expressions[id.0 as usize].kind {
            ExpressionKind::Constant(_)
            | ExpressionKind::Null
            | ExpressionKind::Old(_)
            | ExpressionKind::Outside(_) => {}
            ExpressionKind::Function(function) => {
                self.function_addresses.insert(function);
                self.functions.insert(function);
            }
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                self.addressed.extend(root(program, place));
                self.items.push(Item::Place(place));
            }
            ExpressionKind::Load(place) => self.items.push(Item::Place(place)),
            ExpressionKind::Assign(place, value) | ExpressionKind::Update { place, value, .. } => {
                self.items.push(Item::Place(place));
                self.expressions([value]);
            }
            ExpressionKind::Convert(_, a) | ExpressionKind::Unary(_, a) => self.expressions([a]),
            ExpressionKind::Binary(_, a, b)
            | ExpressionKind::PointerAdd {
                pointer: a,
                index: b,
                ..
            }
            | ExpressionKind::PointerDifference(a, b)
            | ExpressionKind::And(a, b)
            | ExpressionKind::Or(a, b)
            | ExpressionKind::Comma(a, b)
            | ExpressionKind::Elvis {
                value: a, no: b, ..
            } => self.expressions([a, b]),
            ExpressionKind::Conditional { condition, yes, no } => {
                self.expressions([condition, yes, no]);
            }
            ExpressionKind::Statement(statement) => self.items.push(Item::Statement(statement)),
            ExpressionKind::Builtin(_, list) => {
                self.expressions(program.arguments[list.indices()].iter().copied());
            }
            ExpressionKind::Call(callee, list) => {
                let arguments = program.arguments[list.indices()].iter().copied();
                let caller = function.map(|function| function.0 as usize);
                match callee {
                    Callee::Function(callee) => {
                        self.functions.insert(callee);
                        if let Some(caller) = caller {
                            self.calls[caller].push(callee.0 as usize);
                        }
                        if Meaning::of(program, callee).ignores_arguments() {
                            let ignored: Vec<_> = arguments
                                .filter(|id| !is_ignored(program, &self.terms, *id))
                                .collect();
                            return self.expressions(ignored);
                        }
                    }
                    Callee::Pointer(pointer) => {
                        self.through_pointers.extend(caller);
                        self.expressions([pointer]);
                    }
                }
                self.expressions(arguments);
            }
        }
    }

    fn place(&mut self, id: PlaceId) {
        match self.program.places[id.0 as usize].kind {
            PlaceKind::Object(object) => {
                self.objects.insert(object);
            }
            PlaceKind::Target(pointer) | PlaceKind::Temporary(pointer) => {
                self.expressions([pointer]);
            }
            PlaceKind::Field(place, _) => self.items.push(Item::Place(place)),
            PlaceKind::Element(place, index) => {
                self.items.push(Item::Place(place));
                self.expressions([index]);
            }
            PlaceKind::Compound(object, list) => {
                self.objects.insert(object);
                self.writes(list);
            }
        }
    }

    fn statement(&mut self, id: StatementId) {
        let program = self.program;
        match program.statements[id.0 as usize].kind {
            StatementKind::Empty
            | StatementKind::Goto(_)
            | StatementKind::Break(_)
            | StatementKind::Continue(_)
            | StatementKind::Return(None)
            | StatementKind::Abort(_)
            | StatementKind::Halt
            | StatementKind::Outside(_) => {}
            StatementKind::Expression(e)
            | StatementKind::Value(e)
            | StatementKind::Return(Some(e)) => self.expressions([e]),
            StatementKind::Declaration(object, list) => {
                self.objects.insert(object);
                self.writes(list);
            }
            StatementKind::Block(list) => {
                let statements = &program.blocks[list.indices()];
                let statements = statements.iter().rev().copied();
                self.items.extend(statements.map(Item::Statement));
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.items.extend(otherwise.map(Item::Statement));
                self.items.push(Item::Statement(then));
                self.expressions([condition]);
            }
            StatementKind::While { condition, body }
            | StatementKind::Do {
                condition, body, ..
            } => {
                self.items.push(Item::Statement(body));
                self.expressions([condition]);
            }
            StatementKind::For {
                initial,
                condition,
                step,
                body,
            } => {
                self.items.push(Item::Statement(body));
                self.expressions(step);
                self.expressions(condition);
                self.items.extend(initial.map(Item::Statement));
            }
            StatementKind::Switch { value, body, .. } => {
                self.items.push(Item::Statement(body));
                self.expressions([value]);
            }
            StatementKind::Labelled(_, statement) => self.items.push(Item::Statement(statement)),
        }
    }
}

/// Whether an argument that nobody looks at need not be computed: a pointer, made without effect.
fn is_ignored(program: &Program, terms: &[u32], id: ExpressionId) -> bool {
    let type_id = program.expressions[id.0 as usize].type_id;
    terms[id.0 as usize] > 0 && matches!(program.types.get(type_id), Type::Pointer(_))
}

impl Reach {
    /// Whether an argument that nobody looks at need not be computed.
    pub fn is_ignored(&self, program: &Program, id: ExpressionId) -> bool {
        is_ignored(program, &self.terms, id)
    }
}

/// The object that a place is in, unless it is behind a pointer.
pub fn root(program: &Program, mut place: PlaceId) -> Option<ObjectId> {
    loop {
        match program.places[place.0 as usize].kind {
            PlaceKind::Object(object) | PlaceKind::Compound(object, _) => return Some(object),
            PlaceKind::Field(outer, _) | PlaceKind::Element(outer, _) => place = outer,
            PlaceKind::Target(_) | PlaceKind::Temporary(_) => return None,
        }
    }
}

/// How long the term of each expression is, 0 for those that are no terms. Operands stand before
/// what they are part of, so that one pass is enough; places are looked at when they are met.
fn terms(program: &Program) -> Vec<u32> {
    let mut lengths: Vec<u32> = Vec::with_capacity(program.expressions.len());
    let mut places: Vec<u32> = Vec::with_capacity(program.places.len());
    let sum = |parts: &[u32]| match parts.contains(&0) {
        true => 0,
        false => parts
            .iter()
            .fold(1_u32, |sum, part| sum.saturating_add(*part)),
    };
    for expression in &program.expressions {
        let mut place = |lengths: &[u32], id: PlaceId| {
            let length = |id: ExpressionId| lengths.get(id.0 as usize).copied().unwrap_or(0);
            while places.len() <= id.0 as usize {
                let part = match program.places[places.len()].kind {
                    PlaceKind::Object(_) => 1,
                    PlaceKind::Target(pointer) => length(pointer).saturating_mul(8),
                    PlaceKind::Field(outer, _) => places[outer.0 as usize],
                    PlaceKind::Element(outer, index) => {
                        sum(&[places[outer.0 as usize], length(index)])
                    }
                    PlaceKind::Compound(..) | PlaceKind::Temporary(_) => 0,
                };
                places.push(part);
            }
            places[id.0 as usize]
        };
        let length = |id: ExpressionId| lengths.get(id.0 as usize).copied().unwrap_or(0);
        let is_record = program.types.record(expression.type_id).is_some();
        let own = match expression.kind {
            _ if is_record => 0,
            ExpressionKind::Constant(_)
            | ExpressionKind::Null
            | ExpressionKind::Function(_)
            | ExpressionKind::Old(_)
            | ExpressionKind::Outside(_) => 1,
            ExpressionKind::Load(id) | ExpressionKind::Address(id) | ExpressionKind::Decay(id) => {
                place(&lengths, id)
            }
            ExpressionKind::Convert(Conversion::Void, _) => 0,
            ExpressionKind::Convert(_, a) | ExpressionKind::Unary(_, a) => sum(&[length(a)]),
            ExpressionKind::Binary(_, a, b)
            | ExpressionKind::And(a, b)
            | ExpressionKind::Or(a, b) => sum(&[length(a), length(b)]),
            ExpressionKind::PointerAdd {
                pointer: a,
                index: b,
                ..
            }
            | ExpressionKind::PointerDifference(a, b) => sum(&[length(a), length(b), 8]),
            ExpressionKind::Conditional { condition, yes, no } => {
                sum(&[length(condition), length(yes), length(no)])
            }
            ExpressionKind::Elvis { value, no, .. } => {
                sum(&[length(value), length(value), length(no)])
            }
            ExpressionKind::Builtin(Builtin::Population | Builtin::Parity, _)
            | ExpressionKind::Assign(..)
            | ExpressionKind::Update { .. }
            | ExpressionKind::Comma(..)
            | ExpressionKind::Call(..)
            | ExpressionKind::Statement(_)
            | ExpressionKind::Builtin(..) => 0,
        };
        lengths.push(own);
    }
    lengths
}
