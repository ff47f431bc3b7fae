//! Makes instructions of the typed tree, function by function.
//!
//! The tree is walked with a stack of tasks of its own: a task emits instructions, or replaces
//! itself by the tasks for its parts. So an expression nested a hundred thousand deep needs no
//! recursion, and everything takes time linear in the tree.
//!
//! A step begins where a full expression begins. A call is a step of its own, which includes
//! what is computed for it since the last step; what is left of the expression after it is one
//! more, unless nothing is left.

mod expression;
mod place;
mod statement;

use super::code::{
    Block, Code, Extent, Home, Instruction, Leap, Register, RegisterInfo, SlotInfo, StepKind,
    StepPoint,
};
use super::shape::base;
use super::value::Scalar;
use crate::source::Span;
use crate::typing::c::tree::{
    ExpressionId, FunctionId, LabelId, Length, List, ObjectId, Origin, PlaceId, Program,
    StatementId, Storage, Type, TypeId,
};
use rustc_hash::FxHashMap;

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
enum Task {
    Value(ExpressionId),
    /// Its address, if it is in memory.
    Place(PlaceId),
    /// The place, of which the element behind the last may be meant.
    PlaceOrEnd(PlaceId),
    Emit(Instruction, Span),
    Bind(Target),
    /// What comes next may not be reached,
    Suspend,
    /// up to here.
    Resume,
    /// After the arguments.
    Call(ExpressionId),
    Statement(StatementId),
    /// A full expression begins.
    Begin(StepKind, Span),
    /// It ends: nothing but its value is still needed.
    End,
    Writes(List, Span),
    Leave(u32),
    /// The block after `({ … })` is left.
    EndStatementExpression(Span),
}

/// A place in the instructions that may not be known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Target(u32);

/// A jump whose blocks are known when its target is.
#[derive(Debug)]
struct Pending {
    from: u32,
    to: Target,
    case: Option<Span>,
}

/// Where a target is.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    instruction: u32,
    block: u32,
    height: Option<Register>,
}

struct Compiler<'a> {
    program: &'a Program,
    code: Code,
    tasks: Vec<Task>,
    targets: Vec<Position>,
    labels: FxHashMap<LabelId, Target>,
    /// What `break` and `continue` lead to.
    exits: FxHashMap<StatementId, (Target, Option<Target>)>,
    pending: Vec<Pending>,
    block: u32,
    /// Where the last target was bound: what is behind it may be reached by a jump.
    bound: usize,
    /// A step that has begun and is no call yet: its instruction.
    fresh: Option<usize>,
    /// What it was before choices that are open, and how many steps there were.
    suspended: Vec<(Option<usize>, usize)>,
    /// The full expressions that are being compiled, one inside the other.
    full: Vec<(StepKind, Span)>,
    /// The registers that keep the height of the stack, and the value, of each `({ … })` around.
    heights: Vec<(Register, Register)>,
    /// Whether static objects get their initial values.
    is_static: bool,
    /// The registers that keep what updates have read.
    old: FxHashMap<PlaceId, Register>,
    /// Whether the full expression makes records.
    has_records: bool,
    /// An object that is declared by the full expression: not yet in scope, as users see it.
    declaring: bool,
}

/// The code of a function with a body.
pub fn function(program: &Program, id: FunctionId) -> Option<Code> {
    let body = program.functions[id.0 as usize].body.as_ref()?;
    let mut compiler = Compiler::new(program);
    for parameter in &body.parameters {
        compiler.declare(*parameter);
    }
    compiler.code.blocks[0].registers.clear();
    compiler.code.blocks[0].slots.clear();
    compiler.plan([
        Task::Emit(Instruction::Enter(0), body.close),
        Task::Statement(body.block),
        Task::Begin(StepKind::Return, body.close),
        Task::Emit(Instruction::ReturnNothing, body.close),
    ]);
    Some(compiler.finish())
}

/// The code that gives static objects their initial values.
pub fn initialisers(program: &Program) -> Code {
    use crate::typing::c::tree::Initial;
    let mut compiler = Compiler::new(program);
    compiler.is_static = true;
    for object in &program.objects {
        if let (Initial::Writes(writes), Storage::Static { .. }) = (&object.initial, object.storage)
        {
            compiler.plan([Task::Writes(*writes, object.span)]);
            compiler.run();
        }
    }
    compiler.emit(Instruction::ReturnNothing, Span::default());
    compiler.finish()
}

impl<'a> Compiler<'a> {
    fn new(program: &'a Program) -> Self {
        Compiler {
            program,
            code: Code {
                blocks: vec![Block::default()],
                ..Code::default()
            },
            tasks: Vec::new(),
            targets: Vec::new(),
            labels: FxHashMap::default(),
            exits: FxHashMap::default(),
            pending: Vec::new(),
            block: 0,
            bound: 0,
            fresh: None,
            suspended: Vec::new(),
            full: Vec::new(),
            heights: Vec::new(),
            is_static: false,
            old: FxHashMap::default(),
            has_records: false,
            declaring: false,
        }
    }

    /// These come next, in this order.
    fn plan<const N: usize>(&mut self, tasks: [Task; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Value(id) => self.value(id),
                Task::Place(id) => self.place(id, false),
                Task::PlaceOrEnd(id) => self.place(id, true),
                Task::Emit(instruction, span) => self.emit(instruction, span),
                Task::Bind(target) => self.bind(target),
                Task::Suspend => self
                    .suspended
                    .push((self.fresh.take(), self.code.steps.len())),
                Task::Resume => self.resume(),
                Task::Call(id) => self.call(id),
                Task::Statement(id) => self.statement(id),
                Task::Begin(kind, span) => self.begin(kind, span),
                Task::End => self.end(),
                Task::Writes(list, span) => self.writes(list, span),
                Task::Leave(block) => self.leave(block),
                Task::EndStatementExpression(span) => self.end_statement_expression(span),
            }
        }
    }

    /// Compiles what is planned; jumps then know where they lead.
    fn finish(mut self) -> Code {
        self.run();
        let targets = &self.targets;
        for instruction in &mut self.code.instructions {
            if let Instruction::Jump(to)
            | Instruction::JumpIfFalse(to)
            | Instruction::JumpIfTrue(to) = instruction
            {
                *to = targets[*to as usize].instruction;
            }
        }
        let leaps = self.pending.iter().map(|pending| self.leap(pending));
        self.code.jumps = leaps.collect();
        self.code
    }

    fn leap(&self, pending: &Pending) -> Leap {
        let to = self.targets[pending.to.0 as usize];
        let mut from = pending.from;
        let mut left = Vec::new();
        let mut entered = Vec::new();
        let mut into = to.block;
        // Blocks are numbered from the outside, so the larger number is left first.
        while from != into {
            let (larger, list) = match from > into {
                true => (&mut from, &mut left),
                false => (&mut into, &mut entered),
            };
            list.push(*larger);
            *larger = self.code.blocks[*larger as usize].parent.unwrap_or(0);
        }
        entered.reverse();
        Leap {
            target: to.instruction,
            left,
            entered,
            height: to.height,
            case: pending.case,
        }
    }

    fn emit(&mut self, instruction: Instruction, span: Span) {
        let last = self.code.instructions.last_mut();
        // What is kept only to be thrown away is set.
        if let (Instruction::Pop, Some(last)) = (instruction, last)
            && let Instruction::Keep(register) = *last
            && self.bound != self.code.spans.len()
        {
            *last = Instruction::Set(register);
            return;
        }
        self.code.instructions.push(instruction);
        self.code.spans.push(span);
        // What may not be reached is no part of the step.
        if let Instruction::JumpIfFalse(_) | Instruction::JumpIfTrue(_) = instruction {
            self.fresh = None;
        }
    }

    fn here(&self) -> u32 {
        self.code.instructions.len() as u32
    }

    fn target(&mut self) -> Target {
        self.targets.push(Position::default());
        Target(self.targets.len() as u32 - 1)
    }

    fn bind(&mut self, target: Target) {
        self.targets[target.0 as usize] = Position {
            instruction: self.here(),
            block: self.block,
            height: self.heights.last().map(|(height, _)| *height),
        };
        self.bound = self.code.instructions.len();
        self.fresh = None;
    }

    /// A jump that may cross the borders of blocks.
    fn jump_to(&mut self, to: Target, case: Option<Span>) -> u32 {
        self.pending.push(Pending {
            from: self.block,
            to,
            case,
        });
        self.pending.len() as u32 - 1
    }

    fn label(&mut self, label: LabelId) -> Target {
        match self.labels.get(&label) {
            Some(target) => *target,
            None => {
                let target = self.target();
                self.labels.insert(label, target);
                target
            }
        }
    }

    fn step(&mut self, kind: StepKind, span: Span) {
        self.code.steps.push(StepPoint {
            kind,
            span,
            block: self.block,
            declared: self.code.order.len() as u32 - u32::from(self.declaring),
            is_outermost: self.full.is_empty(),
        });
        let step = self.code.steps.len() as u32 - 1;
        self.emit(Instruction::Step(step), span);
    }

    /// A step that has not done anything yet may become a call's.
    fn fresh_step(&mut self, kind: StepKind, span: Span) {
        self.step(kind, span);
        self.fresh = Some(self.code.instructions.len() - 1);
    }

    fn begin(&mut self, kind: StepKind, span: Span) {
        self.fresh_step(kind, span);
        self.full.push((kind, span));
    }

    /// After a choice without calls the next one may still take the step over.
    fn resume(&mut self) {
        if let Some((fresh, steps)) = self.suspended.pop() {
            self.fresh = fresh.filter(|_| steps == self.code.steps.len());
        }
    }

    /// Nothing was done since the last call: there is no further step.
    fn drop_idle_step(&mut self) {
        if self
            .fresh
            .is_some_and(|fresh| fresh + 1 == self.code.instructions.len())
        {
            self.code.instructions.pop();
            self.code.spans.pop();
        }
        self.fresh = None;
    }

    /// Nothing was done but to see where objects are: what comes next is statements, which are steps themselves.
    fn drop_unfinished_step(&mut self) {
        if let Some(fresh) = self.fresh.take() {
            let is_address =
                |one: &Instruction| matches!(one, Instruction::Static(_) | Instruction::Local(_));
            if self.code.instructions[fresh + 1..].iter().all(is_address) {
                self.code.instructions.remove(fresh);
                self.code.spans.remove(fresh);
            }
        }
    }

    fn end(&mut self) {
        // The first step of an expression stays, even if it does nothing.
        if self.is_after_call() {
            self.drop_idle_step();
        }
        let span = self.full.pop().map_or(Span::default(), |(_, span)| span);
        self.fresh = None;
        self.declaring = false;
        if self.has_records && self.full.is_empty() {
            self.emit(Instruction::Forget, span);
            self.has_records = false;
        }
    }

    fn is_after_call(&self) -> bool {
        let before = self.code.instructions.len().checked_sub(2);
        let before = before.and_then(|index| self.code.instructions.get(index));
        let is_call = |instruction: &Instruction| {
            matches!(
                instruction,
                Instruction::Call { .. } | Instruction::CallPointer { .. }
            )
        };
        before.is_some_and(is_call)
    }

    fn register(&mut self, object: Option<ObjectId>, scalar: Scalar) -> Register {
        self.code.registers.push(RegisterInfo { object, scalar });
        self.code.registers.len() as Register - 1
    }

    fn hidden(&mut self) -> Register {
        self.register(None, Scalar::I64)
    }

    /// The object belongs to the block that is being compiled.
    fn declare(&mut self, id: ObjectId) -> Home {
        if let Some(home) = self.code.homes.get(&id) {
            return *home;
        }
        let object = &self.program.objects[id.0 as usize];
        let type_id = object.qualified.id;
        let is_hidden = object.name.is_none();
        let scalar = Scalar::of(&self.program.types, type_id);
        let block = self.block as usize;
        let home = match (object.storage, scalar) {
            (Storage::Static { .. }, _) => Home::Static,
            (_, Some(scalar)) if !object.address_taken && object.origin != Origin::Compound => {
                let register = self.register(Some(id), scalar);
                self.code.blocks[block].registers.push(register);
                Home::Register(register)
            }
            _ => {
                self.code.slots.push(SlotInfo {
                    object: id,
                    type_id,
                    size: self.program.types.size(type_id),
                });
                let slot = self.code.slots.len() as u32 - 1;
                // Those of variable size begin to live at their declaration.
                self.code.blocks[block].slots.push(slot);
                Home::Slot(slot)
            }
        };
        // Of static objects, those outside functions are seen everywhere.
        if !is_hidden && (home != Home::Static || object.function.is_some()) {
            self.code.blocks[block].objects.push(id);
            let before = self.code.order.len() as u32;
            self.code.order.insert(id, before);
        }
        self.code.homes.insert(id, home);
        home
    }

    /// Where an object is; one that no declaration was seen of lives as long as the call.
    fn home(&mut self, id: ObjectId) -> Home {
        let block = std::mem::replace(&mut self.block, 0);
        let home = self.declare(id);
        self.block = block;
        home
    }

    /// The size of a type, if it is not computed.
    fn size(&self, id: TypeId) -> Option<u32> {
        let size = self.program.types.size(id)?;
        u32::try_from(size).ok()
    }

    /// The size of elements of this type, in arrays of this length.
    fn extent(&mut self, element: TypeId, length: Length) -> u32 {
        let types = &self.program.types;
        let mut size = types.size(base(types, element)).unwrap_or(1);
        let mut factors = Vec::new();
        let mut id = element;
        while let Type::Array(element, length) = types.get(id) {
            match length {
                Length::Constant(length) => size = size.saturating_mul(*length),
                Length::Variable(object) => factors.push(*object),
                Length::Unspecified | Length::Incomplete => {}
            }
            id = element.id;
        }
        let factors = factors
            .into_iter()
            .map(|object| self.length(object))
            .collect();
        let length = match length {
            Length::Constant(length) => Some(Ok(length)),
            Length::Variable(object) => Some(Err(self.length(object))),
            Length::Unspecified | Length::Incomplete => None,
        };
        self.code.extents.push(Extent {
            size,
            factors,
            length,
        });
        self.code.extents.len() as u32 - 1
    }

    /// The register that keeps the length of an array.
    fn length(&mut self, object: ObjectId) -> Register {
        match self.home(object) {
            Home::Register(register) => register,
            Home::Slot(_) | Home::Static => self.hidden(),
        }
    }
}
