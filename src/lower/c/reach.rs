//! What of a program the entry can come to: functions, objects, addresses that are taken.
//!
//! A worklist over the typed tree; each function, expression and initialiser is looked at once.
//! Before that, one pass tells which expressions only compute: these become terms, all others
//! steps.

use super::library::Meaning;
use super::{Externs, Options, Tracking};
use crate::typing::c::tree::{
    Binary, Builtin, Callee, Conversion, ExpressionId, ExpressionKind, FunctionId, Initial, List,
    ObjectId, PlaceId, PlaceKind, Program, StatementId, StatementKind, Storage, Type, Written,
};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

type Set<T> = IndexSet<T, FxBuildHasher>;

/// Terms longer than this are put into a cell.
pub const LONGEST_TERM: u32 = 200;

/// Which blocks there are, and what is declared in them.
#[derive(Default)]
pub struct Blocks {
    /// The innermost block around a declaration or compound literal.
    pub of_objects: FxHashMap<ObjectId, StatementId>,
    /// The block around a block.
    pub around: FxHashMap<StatementId, StatementId>,
}

impl Blocks {
    /// Whether one block is the other, or in it.
    pub fn is_in(&self, block: StatementId, outer: StatementId) -> bool {
        let mut at = Some(block);
        while let Some(block) = at {
            if block == outer {
                return true;
            }
            at = self.around.get(&block).copied();
        }
        false
    }
}

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
    /// What is evaluated, and in which function; initial values of statics are in none.
    pub expressions: Vec<(ExpressionId, Option<FunctionId>)>,
    /// The statements of all functions.
    pub statements: Vec<(StatementId, FunctionId)>,
    /// The writes of initialisers.
    pub writes: Vec<List>,
    /// The calls in loops.
    pub repeated: FxHashSet<ExpressionId>,
    /// The functions that jump.
    pub jumping: FxHashSet<FunctionId>,
    /// Where a local is declared, and what is around a block: [`StatementKind::Block`] or `For`.
    pub blocks: Blocks,
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
    pub fn new(program: &Program, entry: FunctionId, options: &Options) -> Self {
        let mut search = Search {
            program,
            externs: options.externs,
            terms: terms(program, options.tracking == Tracking::Exact),
            functions: Set::default(),
            objects: Set::default(),
            addressed: Set::default(),
            function_addresses: Set::default(),
            items: Vec::new(),
            block: None,
            is_repeated: false,
            repeated: FxHashSet::default(),
            jumping: FxHashSet::default(),
            expressions: Vec::new(),
            statements: Vec::new(),
            writes: Vec::new(),
            blocks: Blocks::default(),
        };
        search.functions.insert(entry);
        search.objects.extend(options.observed.iter().copied());
        search.run();
        let Search {
            terms,
            functions,
            objects,
            addressed,
            function_addresses,
            expressions,
            statements,
            writes,
            blocks,
            repeated,
            jumping,
            ..
        } = search;
        let has_body = |id: &FunctionId| program.functions[id.0 as usize].body.is_some();
        let is_static = |id: &ObjectId| {
            matches!(
                program.objects[id.0 as usize].storage,
                Storage::Static { .. }
            )
        };
        Reach {
            functions: functions.into_iter().filter(has_body).collect(),
            statics: objects.into_iter().filter(is_static).collect(),
            addressed,
            function_addresses,
            expressions,
            statements,
            writes,
            blocks,
            repeated,
            jumping,
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
    externs: Externs,
    terms: Vec<u32>,
    functions: Set<FunctionId>,
    objects: Set<ObjectId>,
    addressed: Set<ObjectId>,
    function_addresses: Set<FunctionId>,
    items: Vec<(Item, Option<StatementId>, bool)>,
    /// The innermost block around what is looked at.
    block: Option<StatementId>,
    /// Whether it is in a loop.
    is_repeated: bool,
    repeated: FxHashSet<ExpressionId>,
    jumping: FxHashSet<FunctionId>,
    expressions: Vec<(ExpressionId, Option<FunctionId>)>,
    statements: Vec<(StatementId, FunctionId)>,
    writes: Vec<List>,
    blocks: Blocks,
}

impl Search<'_> {
    fn run(&mut self) {
        let (mut functions, mut objects) = (0, 0);
        loop {
            if let Some(id) = self.functions.get_index(functions).copied() {
                functions += 1;
                if let Some(body) = &self.program.functions[id.0 as usize].body {
                    (self.block, self.is_repeated) = (None, false);
                    self.push(Item::Statement(body.block));
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
        while let Some((item, block, is_repeated)) = self.items.pop() {
            (self.block, self.is_repeated) = (block, is_repeated);
            match item {
                Item::Expression(id) => {
                    self.expressions.push((id, function));
                    if self.is_repeated {
                        self.repeated.insert(id);
                    }
                    self.expression(id);
                }
                Item::Place(id) => self.place(id),
                Item::Statement(id) => {
                    self.statements
                        .extend(function.map(|function| (id, function)));
                    if let StatementKind::Goto(_) = self.program.statements[id.0 as usize].kind {
                        self.jumping.extend(function);
                    }
                    self.statement(id);
                }
            }
        }
    }

    fn push(&mut self, item: Item) {
        self.items.push((item, self.block, self.is_repeated));
    }

    fn expressions(&mut self, list: impl IntoIterator<Item = ExpressionId>) {
        for id in list {
            self.push(Item::Expression(id));
        }
    }

    /// An object is declared here.
    fn declared(&mut self, object: ObjectId) {
        self.objects.insert(object);
        if let Some(block) = self.block {
            self.blocks.of_objects.insert(object, block);
        }
    }

    /// A block begins.
    fn enter(&mut self, block: StatementId) {
        if let Some(around) = self.block {
            self.blocks.around.insert(block, around);
        }
        self.block = Some(block);
    }

    fn writes(&mut self, list: List) {
        let program = self.program;
        self.writes.push(list);
        for write in &program.writes[list.indices()] {
            self.push(Item::Place(write.place));
            if let Written::Value(value) = write.value {
                self.expressions([value]);
            }
        }
    }

    fn expression(&mut self, id: ExpressionId) {
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
                self.push(Item::Place(place));
            }
            ExpressionKind::Load(place) => self.push(Item::Place(place)),
            ExpressionKind::Assign(place, value) | ExpressionKind::Update { place, value, .. } => {
                self.push(Item::Place(place));
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
            ExpressionKind::Statement(statement) => self.push(Item::Statement(statement)),
            ExpressionKind::Builtin(_, list) => {
                self.expressions(program.arguments[list.indices()].iter().copied());
            }
            ExpressionKind::Call(callee, list) => {
                let arguments = program.arguments[list.indices()].iter().copied();
                match callee {
                    Callee::Function(callee) => {
                        self.functions.insert(callee);
                        if Meaning::of(program, callee).ignores_arguments(self.externs) {
                            let ignored: Vec<_> =
                                arguments.filter(|id| !is_ignored(program, *id)).collect();
                            return self.expressions(ignored);
                        }
                    }
                    Callee::Pointer(pointer) => {
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
            PlaceKind::Field(place, _) => self.push(Item::Place(place)),
            PlaceKind::Element(place, index) => {
                self.push(Item::Place(place));
                self.expressions([index]);
            }
            PlaceKind::Compound(object, list) => {
                self.declared(object);
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
                self.declared(object);
                self.writes(list);
            }
            StatementKind::Block(list) => {
                self.enter(id);
                for statement in program.blocks[list.indices()].iter().rev() {
                    self.push(Item::Statement(*statement));
                }
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                if let Some(otherwise) = otherwise {
                    self.push(Item::Statement(otherwise));
                }
                self.push(Item::Statement(then));
                self.expressions([condition]);
            }
            StatementKind::While { condition, body }
            | StatementKind::Do {
                condition, body, ..
            } => {
                self.is_repeated = true;
                self.push(Item::Statement(body));
                self.expressions([condition]);
            }
            StatementKind::For {
                initial,
                condition,
                step,
                body,
            } => {
                self.enter(id);
                let is_repeated = std::mem::replace(&mut self.is_repeated, true);
                self.push(Item::Statement(body));
                self.expressions(step);
                self.expressions(condition);
                self.is_repeated = is_repeated;
                match initial.map(|id| (id, program.statements[id.0 as usize].kind)) {
                    // What is declared there lives as long as the loop.
                    Some((_, StatementKind::Block(list))) => {
                        for statement in program.blocks[list.indices()].iter().rev() {
                            self.push(Item::Statement(*statement));
                        }
                    }
                    Some((initial, _)) => self.push(Item::Statement(initial)),
                    None => {}
                }
            }
            StatementKind::Switch { value, body, .. } => {
                self.push(Item::Statement(body));
                self.expressions([value]);
            }
            StatementKind::Labelled(_, statement) => self.push(Item::Statement(statement)),
        }
    }
}

/// Whether an argument that nobody looks at need not be computed: the address of an object or
/// function.
pub fn is_ignored(program: &Program, mut id: ExpressionId) -> bool {
    loop {
        match program.expressions[id.0 as usize].kind {
            ExpressionKind::Convert(Conversion::Pointer, operand) => id = operand,
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                let kind = program.places[place.0 as usize].kind;
                return matches!(kind, PlaceKind::Object(_));
            }
            kind => return matches!(kind, ExpressionKind::Function(_)),
        }
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
/// what they are part of, so that one pass is enough; places are looked at when they are met. Unless
/// elements are terms, reading one may be a branch.
fn terms(program: &Program, elements: bool) -> Vec<u32> {
    let mut lengths: Vec<u32> = Vec::with_capacity(program.expressions.len());
    let mut places: Vec<u32> = Vec::with_capacity(program.places.len());
    let sum = |parts: &[u32]| match parts.contains(&0) {
        true => 0,
        false => parts
            .iter()
            .fold(1_u32, |sum, part| sum.saturating_add(*part)),
    };
    let is_union = |place: PlaceId| {
        let record = program
            .types
            .record(program.places[place.0 as usize].type_id);
        record.is_some_and(|record| record.is_union)
    };
    for expression in &program.expressions {
        let mut place = |lengths: &[u32], id: PlaceId| {
            let length = |id: ExpressionId| lengths.get(id.0 as usize).copied().unwrap_or(0);
            while places.len() <= id.0 as usize {
                let part = match program.places[places.len()].kind {
                    PlaceKind::Object(_) => 1,
                    PlaceKind::Target(_) | PlaceKind::Element(..) if !elements => 0,
                    PlaceKind::Target(pointer) => length(pointer).saturating_mul(8),
                    // Of a union nobody has written, what is read first is the live member.
                    PlaceKind::Field(outer, _) if is_union(outer) => 0,
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
        let is_pointer = |id: ExpressionId| {
            let type_id = program.expressions[id.0 as usize].type_id;
            matches!(program.types.get(type_id), Type::Pointer(_))
        };
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
            // Which of two addresses is smaller may have to be chosen.
            ExpressionKind::Binary(
                Binary::Less | Binary::LessEqual | Binary::Greater | Binary::GreaterEqual,
                a,
                _,
            ) if is_pointer(a) => 0,
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
