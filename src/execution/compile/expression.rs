//! Expressions: each leaves its value on the stack.

use super::{Compiler, Task};
use crate::execution::code::{Instruction, StepKind};
use crate::execution::value::Scalar;
use crate::source::Span;
use crate::typing::c::tree::{
    Builtin, Callee, Conversion, Expression, ExpressionId, ExpressionKind, Length, List, Moment,
    PlaceId, PlaceKind, Type, TypeId, Types, Unary,
};

impl Compiler<'_> {
    pub(super) fn expression(&self, id: ExpressionId) -> &Expression {
        &self.program.expressions[id.0 as usize]
    }

    /// The scalar type of an expression; of what is no scalar nobody asks.
    pub(super) fn scalar_of(&self, id: ExpressionId) -> Scalar {
        self.scalar(self.expression(id).type_id)
    }

    pub(super) fn scalar(&self, type_id: TypeId) -> Scalar {
        Scalar::of(&self.program.types, type_id).unwrap_or(Scalar::I64)
    }

    pub(super) fn value(&mut self, id: ExpressionId) {
        let Expression {
            kind,
            type_id,
            span,
        } = *self.expression(id);
        let emit = |instruction| Task::Emit(instruction, span);
        match kind {
            ExpressionKind::Constant(value) => self.emit(Instruction::Push(value as i64), span),
            ExpressionKind::Null => self.emit(Instruction::PushNull, span),
            ExpressionKind::Function(function) => {
                self.emit(Instruction::PushFunction(function), span);
            }
            ExpressionKind::Load(place) => self.load(place, span),
            ExpressionKind::Address(place) | ExpressionKind::Decay(place) => {
                let kind = self.program.places[place.0 as usize].kind;
                let is_part = matches!(kind, PlaceKind::Field(..) | PlaceKind::Element(..));
                self.tasks
                    .extend(is_part.then_some(emit(Instruction::Settle)));
                self.plan([Task::PlaceOrEnd(place)]);
            }
            ExpressionKind::Convert(conversion, operand) => {
                self.tasks
                    .extend(self.conversion(conversion, operand, type_id).map(emit));
                self.plan([Task::Value(operand)]);
            }
            ExpressionKind::Unary(operator, operand) => {
                let scalar = self.scalar_of(operand);
                let instruction = match operator {
                    Unary::Not => Instruction::Unary(Unary::Not, Scalar::I32),
                    operator => Instruction::Unary(operator, scalar),
                };
                self.plan([Task::Value(operand), emit(instruction)]);
            }
            ExpressionKind::Binary(operator, left, right) => {
                let instruction = match self.scalar_of(left) {
                    Scalar::Pointer => Instruction::Compare(operator),
                    scalar => Instruction::Binary(operator, scalar),
                };
                self.plan([Task::Value(left), Task::Value(right), emit(instruction)]);
            }
            ExpressionKind::PointerAdd {
                pointer,
                index,
                subtract,
            } => self.advance(pointer, index, subtract, span),
            ExpressionKind::PointerDifference(left, right) => {
                let target = self.pointed_to(left);
                let instruction = match self.size(target) {
                    Some(size) => Instruction::Difference(size),
                    None => {
                        Instruction::VariableDifference(self.extent(target, Length::Incomplete))
                    }
                };
                self.plan([Task::Value(left), Task::Value(right), emit(instruction)]);
            }
            ExpressionKind::Assign(place, value) => {
                let write = self.write(place, span);
                self.plan([Task::Place(place), Task::Value(value), write]);
            }
            ExpressionKind::Update {
                place,
                value,
                gives,
            } => self.update(place, value, gives, span),
            ExpressionKind::Old(place) => match self.old.get(&place) {
                Some(register) => self.emit(Instruction::Load(*register), span),
                None => self.load(place, span),
            },
            ExpressionKind::And(left, right) => self.logical(left, right, true, span),
            ExpressionKind::Or(left, right) => self.logical(left, right, false, span),
            ExpressionKind::Conditional { condition, yes, no } => {
                let [otherwise, end] = [self.target(), self.target()];
                self.plan([
                    Task::Value(condition),
                    Task::Suspend,
                    emit(Instruction::JumpIfFalse(otherwise.0)),
                    Task::Value(yes),
                    emit(Instruction::Jump(end.0)),
                    Task::Bind(otherwise),
                    Task::Value(no),
                    Task::Bind(end),
                    Task::Resume,
                ]);
            }
            ExpressionKind::Elvis {
                value,
                conversion,
                no,
            } => {
                let [otherwise, end] = [self.target(), self.target()];
                let conversion =
                    conversion.and_then(|conversion| self.conversion(conversion, value, type_id));
                self.plan([
                    Task::Bind(otherwise),
                    emit(Instruction::Pop),
                    Task::Value(no),
                    Task::Bind(end),
                    Task::Resume,
                ]);
                self.plan([emit(Instruction::Jump(end.0))]);
                self.tasks.extend(conversion.map(emit));
                self.plan([
                    Task::Value(value),
                    Task::Suspend,
                    emit(Instruction::Duplicate),
                    emit(Instruction::JumpIfFalse(otherwise.0)),
                ]);
            }
            ExpressionKind::Comma(left, right) => {
                self.plan([
                    Task::Value(left),
                    emit(Instruction::Pop),
                    Task::Value(right),
                ]);
            }
            ExpressionKind::Call(callee, arguments) => {
                self.plan([Task::Call(id)]);
                self.values(arguments);
                if let Callee::Pointer(pointer) = callee {
                    self.plan([Task::Value(pointer)]);
                }
            }
            ExpressionKind::Statement(block) => {
                self.drop_unfinished_step();
                let [height, result] = [self.hidden(), self.hidden()];
                self.emit(Instruction::Height(height), span);
                self.emit(Instruction::Push(0), span);
                self.emit(Instruction::Set(result), span);
                self.heights.push((height, result));
                self.plan([Task::Statement(block), Task::EndStatementExpression(span)]);
            }
            ExpressionKind::Builtin(builtin, arguments) => {
                let instruction = self.builtin(builtin, arguments);
                self.plan([emit(instruction)]);
                self.values(arguments);
            }
            ExpressionKind::Outside(outside) => self.emit(Instruction::Outside(outside), span),
        }
    }

    /// Values one after the other.
    fn values(&mut self, list: List) {
        let arguments = &self.program.arguments[list.start as usize..list.end as usize];
        self.tasks
            .extend(arguments.iter().rev().map(|id| Task::Value(*id)));
    }

    fn load(&mut self, place: PlaceId, span: Span) {
        let entry = self.program.places[place.0 as usize];
        if let Some(register) = self.register_of(place) {
            return self.emit(Instruction::Load(register), span);
        }
        let read = match self.program.types.get(entry.type_id) {
            Type::Record(_) => {
                self.has_records = true;
                Instruction::ReadRecord(entry.type_id)
            }
            // `*p` of a pointer to `void`, which nobody reads.
            Type::Void => return self.plan([Task::Place(place)]),
            _ => self.read(place),
        };
        self.plan([Task::Place(place), Task::Emit(read, span)]);
    }

    /// What reads a scalar that is no register.
    fn read(&mut self, place: PlaceId) -> Instruction {
        let type_id = self.program.places[place.0 as usize].type_id;
        match self.bit_field(place) {
            Some(field) => Instruction::ReadBits(field),
            None => Instruction::Read(self.scalar(type_id)),
        }
    }

    /// What writes the value on the stack to a place.
    pub(super) fn write(&mut self, place: PlaceId, span: Span) -> Task {
        let entry = self.program.places[place.0 as usize];
        let instruction = match (
            self.register_of(place),
            self.program.types.get(entry.type_id),
        ) {
            (Some(register), _) => Instruction::Keep(register),
            (None, Type::Record(_)) => {
                self.has_records = true;
                Instruction::WriteRecord(entry.type_id)
            }
            (None, _) => match self.bit_field(place) {
                Some(field) => Instruction::WriteBits(field),
                None => Instruction::Write(self.scalar(entry.type_id)),
            },
        };
        Task::Emit(instruction, span)
    }

    fn update(&mut self, place: PlaceId, value: ExpressionId, gives: Moment, span: Span) {
        let old = self.hidden();
        self.old.insert(place, old);
        let emit = |instruction| Task::Emit(instruction, span);
        let write = self.write(place, span);
        if gives == Moment::Before {
            self.plan([emit(Instruction::Pop), emit(Instruction::Load(old))]);
        }
        self.plan([emit(Instruction::Set(old)), Task::Value(value), write]);
        match self.register_of(place) {
            Some(register) => self.plan([emit(Instruction::Load(register))]),
            None => {
                let read = self.read(place);
                self.plan([Task::Place(place), emit(Instruction::Duplicate), emit(read)]);
            }
        }
    }

    fn logical(&mut self, left: ExpressionId, right: ExpressionId, is_and: bool, span: Span) {
        let [decided, end] = [self.target(), self.target()];
        let emit = |instruction| Task::Emit(instruction, span);
        let jump = match is_and {
            true => Instruction::JumpIfFalse(decided.0),
            false => Instruction::JumpIfTrue(decided.0),
        };
        self.plan([
            Task::Value(left),
            Task::Suspend,
            emit(jump),
            Task::Value(right),
            emit(Instruction::Truth),
            emit(Instruction::Jump(end.0)),
            Task::Bind(decided),
            emit(Instruction::Push(i64::from(!is_and))),
            Task::Bind(end),
            Task::Resume,
        ]);
    }

    /// What makes a value one of another type; nothing if its bits stay as they are.
    fn conversion(
        &self,
        conversion: Conversion,
        operand: ExpressionId,
        to: TypeId,
    ) -> Option<Instruction> {
        let to = self.scalar(to);
        match conversion {
            Conversion::Integer => {
                let from = self.scalar_of(operand);
                let keeps = to.bits() == 64
                    || (to.bits() > from.bits() && (to.is_signed() || !from.is_signed()))
                    || (to.bits() == from.bits() && to.is_signed() == from.is_signed());
                (!keeps).then_some(Instruction::Wrap(to))
            }
            Conversion::Truth => Some(Instruction::Truth),
            Conversion::Pointer | Conversion::Void => None,
            Conversion::ToPointer => Some(Instruction::ToPointer),
            Conversion::FromPointer => Some(Instruction::FromPointer(to)),
        }
    }

    /// The type that a pointer points to.
    fn pointed_to(&self, pointer: ExpressionId) -> TypeId {
        let type_id = self.expression(pointer).type_id;
        let target = self.program.types.target(type_id);
        target.map_or(type_id, |target| target.id)
    }

    fn advance(&mut self, pointer: ExpressionId, index: ExpressionId, is_back: bool, span: Span) {
        let target = self.pointed_to(pointer);
        let instruction = match self.size(target) {
            Some(size) => Instruction::Advance {
                size,
                is_back,
                target: match self.is_of_bytes(pointer) {
                    true => Types::VOID,
                    false => target,
                },
            },
            None => Instruction::VariableAdvance {
                extent: self.extent(target, Length::Incomplete),
                is_back,
            },
        };
        let sign = self.sign_index(index);
        self.plan([Task::Emit(instruction, span)]);
        self.tasks
            .extend(sign.map(|instruction| Task::Emit(instruction, span)));
        self.plan([Task::Value(pointer), Task::Value(index)]);
    }

    /// Whether a pointer to characters is seen to be one to something else, through the bytes of
    /// which it leads, whatever arrays are there.
    fn is_of_bytes(&self, mut pointer: ExpressionId) -> bool {
        let types = &self.program.types;
        let is_byte = |id: TypeId| types.is_byte(id);
        if !is_byte(self.pointed_to(pointer)) {
            return false;
        }
        while is_byte(self.pointed_to(pointer)) {
            let ExpressionKind::Convert(Conversion::Pointer, operand) =
                self.expression(pointer).kind
            else {
                return false;
            };
            pointer = operand;
        }
        true
    }

    /// Indices are signed numbers of 64 bits.
    pub(super) fn sign_index(&self, index: ExpressionId) -> Option<Instruction> {
        (self.scalar_of(index) == Scalar::U64).then_some(Instruction::SignIndex)
    }

    /// A call whose arguments are on the stack.
    pub(super) fn call(&mut self, id: ExpressionId) {
        let Expression {
            kind,
            type_id,
            span,
        } = *self.expression(id);
        let ExpressionKind::Call(callee, arguments) = kind else {
            return;
        };
        let function = match callee {
            Callee::Function(function) => Some(function),
            Callee::Pointer(_) => None,
        };
        match self.fresh.take() {
            Some(fresh) => {
                if let Instruction::Step(step) = self.code.instructions[fresh] {
                    let step = &mut self.code.steps[step as usize];
                    (step.kind, step.span) = (StepKind::Call(function), span);
                }
            }
            None => self.step(StepKind::Call(function), span),
        }
        if matches!(self.program.types.get(type_id), Type::Record(_)) {
            self.has_records = true;
        }
        let arguments = arguments.len() as u32;
        // What comes next says what becomes of the value.
        let mut next = self.tasks.iter().rev();
        let next = next.find(|task| !matches!(task, Task::End));
        let is_used = !matches!(next, Some(Task::Emit(Instruction::Pop, _)));
        let instruction = match callee {
            Callee::Function(function) => Instruction::Call {
                function,
                arguments,
                is_used,
            },
            Callee::Pointer(pointer) => Instruction::CallPointer {
                type_id: self.pointed_to(pointer),
                arguments,
                is_used,
            },
        };
        self.emit(instruction, span);
        if let Some((kind, span)) = self.full.last().copied() {
            self.fresh_step(kind, span);
        }
    }

    fn builtin(&mut self, builtin: Builtin, list: List) -> Instruction {
        let arguments = &self.program.arguments[list.start as usize..list.end as usize];
        let mut scalars = [Scalar::I32; 3];
        for (scalar, argument) in scalars.iter_mut().zip(arguments) {
            let type_id = match self.scalar_of(*argument) {
                Scalar::Pointer => self.pointed_to(*argument),
                _ => self.expression(*argument).type_id,
            };
            *scalar = self.scalar(type_id);
        }
        self.code.builtins.push(scalars);
        Instruction::Builtin(builtin, self.code.builtins.len() as u32 - 1)
    }
}
