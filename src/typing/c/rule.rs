//! Rules about a program: their state, what they watch, and what they do at events.
//!
//! What a rule does at an event is a function of its own, whose parameters are the arguments of the
//! call, `$1`, `$2` and so on, and `$return`; [`weave`](super::weave) has it called. The state is in
//! a scope inside that of the program's files, so that a rule sees the globals of all of them. The
//! body of an event is typed once for each function of its name.

use super::Typing;
use super::scope::{Declared, Symbol};
use super::tree::{
    Callee, ExpressionKind, Function, FunctionId, Initial, Object, ObjectId, Origin, PlaceId,
    PlaceKind, Role, Signature, StatementKind, Storage, Type, TypeId, Types,
};
use super::watched::Comparison;
use crate::diagnostic::{Diagnostic, suggestion};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::token::{Constant, Kind};
use crate::syntax::kit::tree::shorten;
use crate::syntax::slic;

pub use crate::syntax::slic::Moment;

/// A rule about a typed program.
#[derive(Debug, Default)]
pub struct Rule {
    /// What it does, in the order of the rule.
    pub events: Vec<Event>,
    /// What stands for any one value.
    pub watches: Vec<ObjectId>,
}

/// What a rule does when something happens to a function.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The function that it is about.
    pub function: FunctionId,
    /// When it happens.
    pub moment: Moment,
    /// The function that does it: of the arguments and, once there is one, the result.
    pub body: FunctionId,
    /// Where it is named.
    pub span: Span,
}

/// A rule that is being read.
#[derive(Debug, Default)]
pub struct OpenRule {
    /// The event whose body is read: the function's name, how many parameters it has, when.
    event: Option<(Name, usize, Moment)>,
    /// The comparisons so far with what is watched.
    pub(super) comparisons: Vec<Comparison>,
}

impl<'a> Typing<'a> {
    /// The rule, about what the files have declared.
    pub(super) fn rule(&mut self, rule: &'a slic::Rule, declared: Declared) -> Rule {
        self.unit = self.preprocessed.units.len() as u32;
        self.rule = Some(OpenRule::default());
        self.resume_scope(declared);
        self.open_scope();
        let functions = self.program.functions.len();
        self.state(rule);
        let watches = rule.watches.iter();
        let watches: Vec<ObjectId> = watches
            .map(|(name, span)| self.watch(*name, *span))
            .collect();
        let mut events = Vec::new();
        for clause in &rule.clauses {
            self.tokens = &clause.body.tokens;
            for event in &clause.events {
                let all = self.program.functions[..functions].iter();
                let named = all.zip((0..).map(FunctionId));
                let named = named.filter(|(function, _)| function.name == event.function);
                let named: Vec<FunctionId> = named.map(|(_, id)| id).collect();
                if named.is_empty() {
                    let names = &self.program.names;
                    let text = names.text(event.function);
                    let known = self.program.functions[..functions].iter();
                    let known = known.map(|function| names.text(function.name));
                    let hint = suggestion(text, known);
                    let shown = shorten(text);
                    let message = format!("there is no function `{shown}`: this never happens");
                    let warning = Diagnostic::warning(event.span, message);
                    self.collector.report(warning.with_hint_if_any(hint));
                }
                for function in named {
                    let body = self.event(event, function, clause);
                    events.push(Event {
                        function,
                        moment: event.moment,
                        body,
                        span: event.span,
                    });
                }
            }
        }
        self.settle(&watches);
        self.close_scope();
        self.close_scope();
        self.rule = None;
        Rule { events, watches }
    }

    fn state(&mut self, rule: &'a slic::Rule) {
        let (objects, functions) = (self.program.objects.len(), self.program.functions.len());
        for part in &rule.state {
            self.tokens = &part.tokens;
            for token in &part.tokens {
                if token.kind == Kind::Extern {
                    self.error(
                        token.span,
                        "the state of a rule is its own, and never `extern`",
                    );
                }
            }
            for node in &part.tree.nodes {
                self.node(*node);
            }
        }
        self.complete_globals();
        for object in &mut self.program.objects[objects..] {
            let is_defined = object.storage == (Storage::Static { defined: true });
            if is_defined && object.origin == Origin::Variable && object.function.is_none() {
                object.origin = Origin::State;
            }
        }
        let mut defined = self.program.functions[functions..].iter();
        let defined = defined.find(|function| function.body.is_some());
        if let Some(span) = defined.map(|function| function.span) {
            self.error(span, "the state of a rule has variables, no functions");
        }
    }

    fn watch(&mut self, name: Name, span: Span) -> ObjectId {
        self.check_redeclared(name, span);
        let id = self.add_object(Object {
            name: Some(name),
            span,
            qualified: Types::UNKNOWN.into(),
            storage: Storage::Static { defined: true },
            origin: Origin::Watch,
            function: None,
            initial: Initial::None,
            address_taken: false,
        });
        self.declare(name, Symbol::Object(id), span);
        id
    }

    /// The parameters of a function, as its body, its declaration or the first call says.
    fn parameters_of(&self, id: FunctionId) -> Vec<TypeId> {
        let program = &self.program;
        let function = &program.functions[id.0 as usize];
        if let Some(body) = &function.body {
            let objects = body.parameters.iter();
            return objects
                .map(|object| program.objects[object.0 as usize].qualified.id)
                .collect();
        }
        let signature = program.types.signature(function.type_id);
        if let Some(parameters) = signature.and_then(|signature| signature.parameters.as_ref()) {
            return parameters.to_vec();
        }
        let calls = program.expressions.iter();
        let mut calls = calls.filter_map(|expression| match expression.kind {
            ExpressionKind::Call(Callee::Function(callee), list) if callee == id => Some(list),
            _ => None,
        });
        let arguments = calls.next().map(|list| &program.arguments[list.indices()]);
        let arguments = arguments.unwrap_or_default().iter();
        arguments.map(|argument| self.type_of(*argument)).collect()
    }

    fn event(
        &mut self,
        event: &slic::Event,
        function: FunctionId,
        clause: &slic::Clause,
    ) -> FunctionId {
        let name = self.program.names.text(event.function);
        let text = format!("{name}.{}", event.moment.word());
        let text = self.program.names.intern(&text);
        let types = self.parameters_of(function);
        let count = types.len();
        let mut parameters: Vec<(Name, TypeId)> = types
            .into_iter()
            .zip(1..)
            .map(|(type_id, k)| (self.program.names.intern(&format!("${k}")), type_id))
            .collect();
        let whole = self.program.functions[function.0 as usize].type_id;
        let result = self.program.types.signature(whole).map(|s| s.result);
        if let Some(result) = result.filter(|result| *result != Types::VOID)
            && event.moment.has_result()
        {
            parameters.push((self.program.names.intern("$return"), result));
        }
        let signature = Signature {
            result: Types::VOID,
            parameters: Some(parameters.iter().map(|(_, type_id)| *type_id).collect()),
            variadic: false,
        };
        let id = FunctionId(self.program.functions.len() as u32);
        let type_id = self.program.types.intern(Type::Function(signature));
        self.program.functions.push(Function {
            name: text,
            span: event.span,
            type_id,
            is_static: true,
            noreturn: false,
            body: None,
            role: Role::Event(text),
        });
        if let Some(rule) = &mut self.rule {
            rule.event = Some((event.function, count, event.moment));
        }
        let starts = [
            self.program.expressions.len(),
            self.program.statements.len(),
        ];
        self.begin_event(id, &parameters, event.span);
        for node in &clause.body.tree.nodes {
            self.node(*node);
        }
        let close = clause.body.tokens.last().map(|token| token.span);
        self.end_function(close.unwrap_or(event.span));
        if let Some(rule) = &mut self.rule {
            rule.event = None;
        }
        self.restrict(starts);
        id
    }

    /// What an event does is decided by what it sees, and changes the state alone.
    fn restrict(&mut self, [expressions, statements]: [usize; 2]) {
        let mut wrong: Vec<(Span, &str)> = Vec::new();
        for expression in &self.program.expressions[expressions..] {
            let what = match expression.kind {
                ExpressionKind::Call(..) | ExpressionKind::Builtin(..) => {
                    "a rule calls no functions"
                }
                ExpressionKind::Statement(_) => "a rule has no blocks in expressions",
                ExpressionKind::Assign(place, _) | ExpressionKind::Update { place, .. }
                    if !self.is_state(place) =>
                {
                    "a rule changes its own state and nothing else"
                }
                _ => continue,
            };
            wrong.push((expression.span, what));
        }
        for statement in &self.program.statements[statements..] {
            let is_allowed = matches!(
                statement.kind,
                StatementKind::Empty
                    | StatementKind::Expression(_)
                    | StatementKind::Block(_)
                    | StatementKind::If { .. }
                    | StatementKind::Abort(_)
                    | StatementKind::Halt
            );
            if !is_allowed {
                let what = "at an event there are assignments, `if`, `abort` and `halt`, no others";
                wrong.push((statement.span, what));
            }
        }
        for (span, message) in wrong {
            self.error(span, message);
        }
    }

    fn is_state(&self, place: PlaceId) -> bool {
        let mut place = place;
        loop {
            match self.program.places[place.0 as usize].kind {
                PlaceKind::Object(id) => {
                    return self.program.objects[id.0 as usize].origin == Origin::State;
                }
                PlaceKind::Field(outer, _) | PlaceKind::Element(outer, _) => place = outer,
                _ => return false,
            }
        }
    }

    /// Why there is no argument or result of this name, if a name is one.
    pub(super) fn missing_argument(&self, text: &str) -> Option<String> {
        let number = text.strip_prefix('$')?;
        let (function, count, moment) = self.rule.as_ref()?.event?;
        let function = shorten(self.program.names.text(function));
        Some(match (number, moment.has_result()) {
            ("return", true) => format!("`{function}` returns nothing"),
            ("return", false) => "there is a result at `exit` and `return` only".into(),
            _ => match count {
                0 => format!("`{function}` has no parameters"),
                1 => format!("`{function}` has one parameter, `$1`"),
                _ => format!("`{function}` has {count} parameters, `$1` to `${count}`"),
            },
        })
    }

    /// `abort`, with the token of its text.
    pub(super) fn abort(&mut self, text: Option<u32>, span: Span) {
        let token = text.and_then(|index| self.tokens.get(index as usize).copied());
        let constant = token.and_then(|token| self.preprocessed.vocabulary.constant(token));
        let text = match constant {
            Some(Constant::Text(text)) => {
                let bytes: Vec<u8> = text.units.iter().map(|unit| *unit as u8).collect();
                let text = String::from_utf8_lossy(&bytes);
                Some(self.program.names.intern(&text))
            }
            _ => None,
        };
        self.emit(StatementKind::Abort(text), span);
    }
}
