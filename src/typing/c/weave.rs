//! Rules woven into a program: at its events the program calls what the rule does there.
//!
//! A call of a function with events becomes one of a *wrapper*, which has the same parameters: it
//! calls what the rule does before, the function, and what the rule does after. Each call has a wrapper of
//! its own, so that places stay what they are; pointers to the function lead to one more. So calls
//! through pointers count, and nothing that comes after needs to know of rules. What a function with a
//! meaning of its own is told by its call is told by the wrapper, too: constants, the types of
//! pointers before they were made others, and the type that its result is made. Where the rule watches
//! something, or the entry has events, a function before the entry chooses it and has them happen.
//! Linear in the program and the wrappers.

use super::rule::{Event, Moment, Rule};
use super::tree::{
    Body, Callee, Conversion, Expression, ExpressionId, ExpressionKind, Function, FunctionId,
    Initial, List, Object, ObjectId, Origin, Outside, Place, PlaceId, PlaceKind, Program, Role,
    Signature, Statement, StatementId, StatementKind, Storage, Type, TypeId, Types, Write, Written,
};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// Weaves a rule into a program. Gives the function that executions begin in instead of `entry`.
pub fn weave(program: &mut Program, rule: &Rule, entry: FunctionId) -> FunctionId {
    let mut weaver = Weaver {
        program,
        rule,
        by_function: FxHashMap::default(),
        pointed: FxHashMap::default(),
        made: FxHashMap::default(),
    };
    for (index, event) in rule.events.iter().enumerate() {
        let events = weaver.by_function.entry(event.function).or_default();
        events.push(index);
    }
    for expression in &weaver.program.expressions {
        if let ExpressionKind::Convert(Conversion::Pointer, operand) = expression.kind {
            weaver.made.insert(operand, expression.type_id);
        }
    }
    for index in 0..weaver.program.expressions.len() {
        weaver.expression(index);
    }
    weaver.start(entry)
}

struct Weaver<'a> {
    program: &'a mut Program,
    rule: &'a Rule,
    /// The events of each function, in the order of the rule.
    by_function: FxHashMap<FunctionId, Vec<usize>>,
    /// What pointers to functions lead to instead.
    pointed: FxHashMap<FunctionId, FunctionId>,
    /// The pointer types that values are converted to.
    made: FxHashMap<ExpressionId, TypeId>,
}

/// A function that is being made.
struct Draft {
    /// Its parameters.
    parameters: Vec<ObjectId>,
    /// Its statements.
    statements: Vec<StatementId>,
    /// Where all of it stands.
    span: Span,
}

impl Weaver<'_> {
    fn expression(&mut self, index: usize) {
        let expression = self.program.expressions[index];
        match expression.kind {
            ExpressionKind::Call(Callee::Function(id), list)
                if self.by_function.contains_key(&id) =>
            {
                let made = self.made.get(&ExpressionId(index as u32)).copied();
                let made = made.filter(|_| !self.is_entered(id));
                let given = match self.is_entered(id) {
                    true => Vec::new(),
                    false => self.simplify(list),
                };
                let arguments = self.program.arguments[list.indices()].iter();
                let types = arguments.map(|id| self.type_of(*id)).collect();
                let wrapper = self.wrapper(id, types, (&given, made), expression.span);
                let kind = ExpressionKind::Call(Callee::Function(wrapper), list);
                self.program.expressions[index].kind = kind;
            }
            ExpressionKind::Function(id) if self.by_function.contains_key(&id) => {
                let wrapper = match self.pointed.get(&id) {
                    Some(wrapper) => *wrapper,
                    None => {
                        let wrapper = self.pointed_wrapper(id);
                        self.pointed.insert(id, wrapper);
                        wrapper
                    }
                };
                self.program.expressions[index].kind = ExpressionKind::Function(wrapper);
            }
            _ => {}
        }
    }

    /// Passes pointers as they were before they were made others; what the arguments were.
    fn simplify(&mut self, list: List) -> Vec<Expression> {
        let mut given = Vec::new();
        for index in list.indices() {
            let mut id = self.program.arguments[index];
            given.push(self.program.expressions[id.0 as usize]);
            while let ExpressionKind::Convert(Conversion::Pointer, operand) =
                self.program.expressions[id.0 as usize].kind
            {
                id = operand;
            }
            self.program.arguments[index] = id;
        }
        given
    }

    fn type_of(&self, id: ExpressionId) -> TypeId {
        self.program.expressions[id.0 as usize].type_id
    }

    fn result(&self, id: FunctionId) -> TypeId {
        let type_id = self.program.functions[id.0 as usize].type_id;
        let signature = self.program.types.signature(type_id);
        signature.map_or(Types::VOID, |signature| signature.result)
    }

    /// Whether control comes to the function itself: it has a body that counts.
    fn is_entered(&self, id: FunctionId) -> bool {
        let function = &self.program.functions[id.0 as usize];
        let name = self.program.names.text(function.name);
        function.body.is_some() && !matches!(name, "reach_error" | "__VERIFIER_error")
    }

    /// The events of a function at some moments, in the order in which they happen.
    fn events(&self, id: FunctionId, moments: [Moment; 2]) -> Vec<Event> {
        let all = self.by_function.get(&id).map_or(&[][..], Vec::as_slice);
        let all = all.iter().map(|index| self.rule.events[*index]);
        let mut events: Vec<Event> = all.filter(|e| moments.contains(&e.moment)).collect();
        if self.is_entered(id) {
            events.sort_by_key(|event| event.moment != moments[0]);
        }
        events
    }

    /// What a pointer to a function leads to.
    fn pointed_wrapper(&mut self, id: FunctionId) -> FunctionId {
        let function = &self.program.functions[id.0 as usize];
        let (type_id, span) = (function.type_id, function.span);
        let signature = self.program.types.signature(type_id);
        let known = signature.filter(|signature| !signature.variadic);
        let known = known.and_then(|signature| signature.parameters.as_ref());
        let own = function.body.as_ref().map(|body| body.parameters.iter());
        let own = own.map(|objects| {
            let objects = objects.map(|object| &self.program.objects[object.0 as usize]);
            objects.map(|object| object.qualified.id).collect()
        });
        let types = known.map(|parameters| parameters.to_vec()).or(own);
        let types: Option<Vec<TypeId>> =
            types.filter(|_| known.is_some() || signature.is_some_and(|s| !s.variadic));
        let wrapper = match types {
            Some(types) => self.wrapper(id, types, (&[], None), span),
            None => {
                let mut draft = self.draft(Vec::new(), span);
                let outside = StatementKind::Outside(Outside::VariableArguments);
                self.add(&mut draft, outside);
                self.finish(draft, id, Role::Wrapper)
            }
        };
        self.program.functions[wrapper.0 as usize].type_id = type_id;
        wrapper
    }

    /// A function that calls another, with its events. What it passes on may be known from its call.
    fn wrapper(
        &mut self,
        id: FunctionId,
        types: Vec<TypeId>,
        known: (&[Expression], Option<TypeId>),
        span: Span,
    ) -> FunctionId {
        let mut draft = self.draft(types, span);
        self.happen(&mut draft, id, [Moment::Call, Moment::Entry], None);
        let result = self.run(&mut draft, id, known);
        self.happen(&mut draft, id, [Moment::Exit, Moment::Return], result);
        self.give_back(&mut draft, id, result);
        self.finish(draft, id, Role::Wrapper)
    }

    /// Where executions begin.
    fn start(&mut self, entry: FunctionId) -> FunctionId {
        let has_events = [Moment::Entry, Moment::Exit].iter().any(|moment| {
            let events = self.events(entry, [*moment, *moment]);
            !events.is_empty()
        });
        if !has_events && self.rule.watches.is_empty() {
            return entry;
        }
        let function = &self.program.functions[entry.0 as usize];
        let span = function.span;
        let parameters = function.body.as_ref().map(|body| body.parameters.iter());
        let types = parameters.into_iter().flatten();
        let types = types.map(|object| self.program.objects[object.0 as usize].qualified.id);
        let types = types.collect();
        let mut draft = self.draft(types, span);
        for watch in &self.rule.watches {
            self.choose(&mut draft, *watch);
        }
        self.happen(&mut draft, entry, [Moment::Entry; 2], None);
        let result = self.run(&mut draft, entry, (&[], None));
        self.happen(&mut draft, entry, [Moment::Exit; 2], result);
        self.give_back(&mut draft, entry, result);
        self.finish(draft, entry, Role::Start)
    }

    /// What is watched is any one value.
    fn choose(&mut self, draft: &mut Draft, watch: ObjectId) {
        let object = &self.program.objects[watch.0 as usize];
        let (type_id, span) = (object.qualified.id, object.span);
        let name = match self.program.types.target(type_id) {
            Some(_) => "__VERIFIER_nondet_pointer",
            None => "__VERIFIER_nondet_watch",
        };
        let name = self.program.names.intern(name);
        let signature = Signature {
            result: type_id,
            parameters: Some(Box::default()),
            variadic: false,
        };
        let function = FunctionId(self.program.functions.len() as u32);
        let function_type = self.program.types.intern(Type::Function(signature));
        self.program.functions.push(Function {
            name,
            span,
            type_id: function_type,
            is_static: true,
            noreturn: false,
            body: None,
            role: Role::Start,
        });
        let value = self.call(function, Vec::new(), type_id, draft.span);
        let place = self.place(watch, draft.span);
        let kind = ExpressionKind::Assign(place, value);
        let chosen = self.compute(kind, type_id, draft.span);
        self.add(draft, StatementKind::Expression(chosen));
    }

    /// What the rule does at some moments.
    fn happen(
        &mut self,
        draft: &mut Draft,
        id: FunctionId,
        moments: [Moment; 2],
        result: Option<ObjectId>,
    ) {
        for event in self.events(id, moments) {
            let type_id = self.program.functions[event.body.0 as usize].type_id;
            let signature = self.program.types.signature(type_id);
            let wanted = signature.and_then(|signature| signature.parameters.as_ref());
            let mut wanted: Vec<TypeId> = wanted.map_or(Vec::new(), |types| types.to_vec());
            let last = result.and_then(|result| Some((result, wanted.pop()?)));
            let mut arguments = Vec::new();
            let fits = wanted.len() <= draft.parameters.len();
            let objects = draft.parameters.clone();
            let objects = objects.into_iter().zip(wanted).chain(last);
            for (object, type_id) in objects {
                arguments.extend(self.converted(object, type_id, draft.span));
            }
            let count = self.program.types.signature(type_id);
            let count = count.and_then(|signature| Some(signature.parameters.as_ref()?.len()));
            let kind = match fits && Some(arguments.len()) == count {
                true => {
                    let call = self.call(event.body, arguments, Types::VOID, draft.span);
                    StatementKind::Expression(call)
                }
                false => StatementKind::Outside(Outside::OtherArguments),
            };
            self.add(draft, kind);
        }
    }

    /// What an object holds, as a value of a type; none if it is no such thing.
    fn converted(&mut self, object: ObjectId, to: TypeId, span: Span) -> Option<ExpressionId> {
        let from = self.program.objects[object.0 as usize].qualified.id;
        let value = self.load(object, span);
        if from == to {
            return Some(value);
        }
        let types = &self.program.types;
        let is_pointer = |id| types.target(id).is_some();
        let conversion = match (types.integer(from), types.integer(to)) {
            (Some(_), Some(super::tree::Integer::Bool)) => Conversion::Truth,
            (Some(_), Some(_)) => Conversion::Integer,
            _ if is_pointer(from) && is_pointer(to) => Conversion::Pointer,
            _ if types.compatible(from, to) => return Some(value),
            _ => return None,
        };
        let kind = ExpressionKind::Convert(conversion, value);
        Some(self.compute(kind, to, span))
    }

    /// Calls the function itself, with what is known of the call; gives where its result is.
    fn run(
        &mut self,
        draft: &mut Draft,
        id: FunctionId,
        (given, made): (&[Expression], Option<TypeId>),
    ) -> Option<ObjectId> {
        let mut arguments = Vec::new();
        for (object, number) in draft.parameters.clone().into_iter().zip(0..) {
            let passed = self.program.objects[object.0 as usize].qualified.id;
            arguments.push(match given.get(number) {
                Some(Expression { kind, type_id, .. })
                    if matches!(kind, ExpressionKind::Constant(_) | ExpressionKind::Null) =>
                {
                    self.compute(*kind, *type_id, draft.span)
                }
                Some(given) if given.type_id != passed => {
                    let value = self.load(object, draft.span);
                    let kind = ExpressionKind::Convert(Conversion::Pointer, value);
                    self.compute(kind, given.type_id, draft.span)
                }
                _ => self.load(object, draft.span),
            });
        }
        let result = self.result(id);
        let mut call = self.call(id, arguments, result, draft.span);
        if result == Types::VOID {
            self.add(draft, StatementKind::Expression(call));
            return None;
        }
        if let Some(made) = made {
            let kind = ExpressionKind::Convert(Conversion::Pointer, call);
            call = self.compute(kind, made, draft.span);
        }
        let object = self.object(made.unwrap_or(result), Storage::Automatic, draft.span);
        let place = self.place(object, draft.span);
        let start = self.program.writes.len();
        self.program.writes.push(Write {
            place,
            value: Written::Value(call),
        });
        let writes = List::since(start, &self.program.writes);
        self.add(draft, StatementKind::Declaration(object, writes));
        Some(object)
    }

    fn give_back(&mut self, draft: &mut Draft, id: FunctionId, result: Option<ObjectId>) {
        let type_id = self.result(id);
        let value = result.and_then(|result| self.converted(result, type_id, draft.span));
        self.add(draft, StatementKind::Return(value));
    }

    fn draft(&mut self, types: Vec<TypeId>, span: Span) -> Draft {
        let parameters = types.into_iter();
        let parameters = parameters.map(|type_id| self.object(type_id, Storage::Parameter, span));
        Draft {
            parameters: parameters.collect(),
            statements: Vec::new(),
            span,
        }
    }

    /// The function of a draft, which stands for another.
    fn finish(&mut self, draft: Draft, stands_for: FunctionId, role: Role) -> FunctionId {
        let Draft {
            parameters,
            statements,
            span,
        } = draft;
        let id = FunctionId(self.program.functions.len() as u32);
        let start = self.program.blocks.len();
        self.program.blocks.extend(&statements);
        let list = List::since(start, &self.program.blocks);
        let block = self.statement(StatementKind::Block(list), span);
        let declared = statements.iter();
        let declared =
            declared.filter_map(|id| match self.program.statements[id.0 as usize].kind {
                StatementKind::Declaration(object, _) => Some(object),
                _ => None,
            });
        let objects: Box<[ObjectId]> = declared.collect();
        for object in parameters.iter().chain(&objects) {
            self.program.objects[object.0 as usize].function = Some(id);
        }
        let types = parameters.iter();
        let types = types.map(|object| self.program.objects[object.0 as usize].qualified.id);
        let signature = Signature {
            result: self.result(stands_for),
            parameters: Some(types.collect()),
            variadic: false,
        };
        let type_id = self.program.types.intern(Type::Function(signature));
        let name = self.program.functions[stands_for.0 as usize].name;
        self.program.functions.push(Function {
            name,
            span,
            type_id,
            is_static: true,
            noreturn: false,
            body: Some(Body {
                parameters: parameters.into(),
                block,
                objects,
                close: span,
            }),
            role,
        });
        id
    }

    fn object(&mut self, type_id: TypeId, storage: Storage, span: Span) -> ObjectId {
        self.program.objects.push(Object {
            name: None,
            span,
            qualified: type_id.into(),
            storage,
            origin: Origin::Variable,
            function: None,
            initial: Initial::None,
            address_taken: false,
        });
        ObjectId(self.program.objects.len() as u32 - 1)
    }

    fn place(&mut self, object: ObjectId, span: Span) -> PlaceId {
        let type_id = self.program.objects[object.0 as usize].qualified.id;
        self.program.places.push(Place {
            kind: PlaceKind::Object(object),
            type_id,
            span,
        });
        PlaceId(self.program.places.len() as u32 - 1)
    }

    fn load(&mut self, object: ObjectId, span: Span) -> ExpressionId {
        let place = self.place(object, span);
        let type_id = self.program.places[place.0 as usize].type_id;
        self.compute(ExpressionKind::Load(place), type_id, span)
    }

    fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<ExpressionId>,
        type_id: TypeId,
        span: Span,
    ) -> ExpressionId {
        let start = self.program.arguments.len();
        self.program.arguments.extend(arguments);
        let list = List::since(start, &self.program.arguments);
        let kind = ExpressionKind::Call(Callee::Function(function), list);
        self.compute(kind, type_id, span)
    }

    fn compute(&mut self, kind: ExpressionKind, type_id: TypeId, span: Span) -> ExpressionId {
        self.program.expressions.push(Expression {
            kind,
            type_id,
            span,
        });
        ExpressionId(self.program.expressions.len() as u32 - 1)
    }

    fn statement(&mut self, kind: StatementKind, span: Span) -> StatementId {
        self.program.statements.push(Statement { kind, span });
        StatementId(self.program.statements.len() as u32 - 1)
    }

    fn add(&mut self, draft: &mut Draft, kind: StatementKind) {
        let statement = self.statement(kind, draft.span);
        draft.statements.push(statement);
    }
}
