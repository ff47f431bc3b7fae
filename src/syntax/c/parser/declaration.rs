//! Declarations: specifiers, the list of declarators, function definitions.

use super::super::token::Kind;
use super::super::tree::{Attribute, Context, NodeKind, Qualifier, Specifier};
use super::{Naming, Parser, State};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::token::Token;
use crate::syntax::kit::tree::shorten;
use crate::syntax::kit::{Parsed, Reported};

/// A declaration that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Declaring {
    context: Context,
    is_typedef: bool,
    has_type: bool,
    /// Whether any specifier has been read.
    has_specifier: bool,
    /// Whether a declarator has been read.
    has_declarator: bool,
    start: Span,
}

/// What attributes say to the parser.
#[derive(Clone, Copy, Debug, Default)]
pub struct Attributes {
    pub packed: bool,
}

pub fn qualifier(kind: Kind) -> Option<Qualifier> {
    Some(match kind {
        Kind::Const => Qualifier::Const,
        Kind::Volatile => Qualifier::Volatile,
        Kind::Restrict => Qualifier::Restrict,
        Kind::Atomic => Qualifier::Atomic,
        _ => return None,
    })
}

/// A specifier that is one word, and whether it is a type.
fn specifier(kind: Kind) -> Option<(Specifier, bool)> {
    if let Some(qualifier) = qualifier(kind) {
        return Some((Specifier::Qualifier(qualifier), false));
    }
    let (specifier, is_type) = match kind {
        Kind::Typedef => (Specifier::Typedef, false),
        Kind::Extern => (Specifier::Extern, false),
        Kind::Static => (Specifier::Static, false),
        Kind::Auto => (Specifier::Auto, false),
        Kind::Register => (Specifier::Register, false),
        Kind::ThreadLocal => (Specifier::ThreadLocal, false),
        Kind::Inline => (Specifier::Inline, false),
        Kind::Noreturn => (Specifier::Noreturn, false),
        Kind::Void => (Specifier::Void, true),
        Kind::Bool => (Specifier::Bool, true),
        Kind::Char => (Specifier::Char, true),
        Kind::Short => (Specifier::Short, true),
        Kind::Int => (Specifier::Int, true),
        Kind::Long => (Specifier::Long, true),
        Kind::Signed => (Specifier::Signed, true),
        Kind::Unsigned => (Specifier::Unsigned, true),
        Kind::Int128 => (Specifier::Int128, true),
        Kind::Float | Kind::Float32 => (Specifier::Float, true),
        Kind::Double | Kind::Float64 | Kind::Float32x => (Specifier::Double, true),
        Kind::Float128 | Kind::Float64x => (Specifier::Float128, true),
        Kind::Complex => (Specifier::Complex, true),
        Kind::AutoType => (Specifier::AutoType, true),
        Kind::BuiltinVaList => (Specifier::VaList, true),
        _ => return None,
    };
    Some((specifier, is_type))
}

impl Parser<'_> {
    /// Whether a type, or a declaration, begins with this token.
    pub(super) fn is_type(&self, token: Token) -> bool {
        match token.kind {
            Kind::Identifier => {
                let name = self.vocabulary.name(token);
                name.is_some_and(|name| self.names_type(name))
            }
            Kind::Struct
            | Kind::Union
            | Kind::Enum
            | Kind::Typeof
            | Kind::Alignas
            | Kind::Attribute => true,
            // Before an expression, it is taken there.
            Kind::Extension => false,
            kind => specifier(kind).is_some(),
        }
    }

    pub(super) fn names_type(&self, name: Name) -> bool {
        self.typedefs.get(name).unwrap_or(false)
    }

    pub(super) fn starts_type(&self) -> bool {
        let mut ahead = 0;
        while self.nth(ahead).kind == Kind::Extension {
            ahead += 1;
        }
        self.is_type(self.nth(ahead))
    }

    /// A declaration or `_Static_assert`, in a file, a block, or among members.
    pub(super) fn declaration_or_assertion(&mut self, context: Context) -> Parsed<()> {
        match self.token().kind {
            Kind::StaticAssert => self.static_assert(),
            Kind::Asm if context == Context::File => {
                self.advance();
                self.skip_parentheses()?;
                self.semicolon("`asm`")
            }
            _ => {
                self.declaration(context);
                Ok(())
            }
        }
    }

    pub(super) fn static_assert(&mut self) -> Parsed<()> {
        self.advance();
        let open = self.expect(Kind::LeftParenthesis)?;
        self.push(State::Semicolon("`_Static_assert`"));
        self.push(State::StaticAssert(open));
        self.push_constant();
        Ok(())
    }

    pub(super) fn end_static_assert(&mut self, open: Span) -> Parsed<()> {
        let mut message = None;
        if self.take(Kind::Comma) {
            message = Some(self.position as u32);
            if !self.take(Kind::Text) {
                return Err(self.unexpected("a string"));
            }
        }
        self.close(Kind::RightParenthesis, open)?;
        self.emit(NodeKind::StaticAssert { message }, open);
        Ok(())
    }

    pub(super) fn declaration(&mut self, context: Context) {
        let start = self.token().span;
        self.emit(NodeKind::Declaration(context), start);
        self.declarations.push(Declaring {
            context,
            is_typedef: false,
            has_type: false,
            has_specifier: false,
            has_declarator: false,
            start,
        });
        self.push(State::AfterSpecifiers);
        self.push(State::Specifiers);
    }

    fn declaring(&mut self) -> Parsed<&mut Declaring> {
        self.declarations.last_mut().ok_or(Reported)
    }

    /// A type has been met among the specifiers.
    fn read_type(&mut self) -> Parsed<()> {
        let declaring = self.declaring()?;
        declaring.has_type = true;
        declaring.has_specifier = true;
        Ok(())
    }

    pub(super) fn specifiers(&mut self) -> Parsed<()> {
        loop {
            let token = self.token();
            let declaring = *self.declaring()?;
            let mut is_type = true;
            match token.kind {
                Kind::Identifier => {
                    let Some(name) = self.name().filter(|_| !declaring.has_type) else {
                        return Ok(());
                    };
                    if self.names_type(name) {
                        self.advance();
                        self.emit(NodeKind::TypedefName(name), token.span);
                    } else if self.is_unknown_type(declaring) {
                        self.advance();
                        self.unknown_type(name, token.span);
                        self.emit(NodeKind::UnknownType, token.span);
                    } else {
                        return Ok(());
                    }
                }
                Kind::Extension => {
                    self.advance();
                    continue;
                }
                Kind::Attribute => {
                    self.attributes(true)?;
                    continue;
                }
                Kind::Atomic if self.nth(1).kind == Kind::LeftParenthesis => {
                    self.advance();
                    let open = self.advance();
                    self.read_type()?;
                    self.push(State::Specifiers);
                    self.emit_later(NodeKind::Atomic, token.span);
                    self.push(State::Close(Kind::RightParenthesis, open));
                    return self.type_name();
                }
                Kind::Typeof => {
                    self.read_type()?;
                    let nodes = [NodeKind::Typeof, NodeKind::TypeofExpression];
                    return self.type_or_expression(nodes);
                }
                Kind::Alignas => {
                    let nodes = [NodeKind::Alignas, NodeKind::AlignasExpression];
                    return self.type_or_expression(nodes);
                }
                Kind::Struct | Kind::Union => {
                    self.read_type()?;
                    self.push(State::Specifiers);
                    return self.record(token.kind == Kind::Union);
                }
                Kind::Enum => {
                    self.read_type()?;
                    self.push(State::Specifiers);
                    return self.enumeration();
                }
                kind => {
                    let Some((specifier, names_type)) = specifier(kind) else {
                        return Ok(());
                    };
                    is_type = names_type;
                    self.advance();
                    self.declaring()?.is_typedef |= specifier == Specifier::Typedef;
                    self.emit(NodeKind::Specifier(specifier), token.span);
                }
            }
            let declaring = self.declaring()?;
            declaring.has_specifier = true;
            declaring.has_type |= is_type;
        }
    }

    /// `typeof ( … )` or `_Alignas ( … )`, among specifiers.
    fn type_or_expression(&mut self, [of_type, of_expression]: [NodeKind; 2]) -> Parsed<()> {
        self.declaring()?.has_specifier = true;
        let span = self.advance();
        let open = self.expect(Kind::LeftParenthesis)?;
        self.push(State::Specifiers);
        let is_type = self.starts_type();
        self.emit_later(if is_type { of_type } else { of_expression }, span);
        self.push(State::Close(Kind::RightParenthesis, open));
        match is_type {
            true => self.push(State::TypeName),
            false => self.push_expression(),
        }
        Ok(())
    }

    /// Whether the name, which is no type, stands where only a type can.
    fn is_unknown_type(&self, declaring: Declaring) -> bool {
        match (declaring.context, self.nth(1).kind) {
            (Context::OldParameter, _) => false,
            (_, Kind::Identifier) => true,
            (Context::Parameter | Context::Member, _) => !declaring.has_specifier,
            (Context::File, Kind::Star) => !declaring.has_specifier,
            _ => false,
        }
    }

    #[cold]
    fn unknown_type(&mut self, name: Name, span: Span) {
        let text = self.vocabulary.names.text(name);
        let types = self.typedefs.all().filter(|(_, is_type)| *is_type);
        let known = types.map(|(name, _)| self.vocabulary.names.text(name));
        let hint = suggestion(text, known.chain(TYPES));
        let message = format!("unknown type `{}`", shorten(text));
        let diagnostic = Diagnostic::error(span, message).with_hint_if_any(hint);
        self.collector.report(diagnostic);
    }

    pub(super) fn after_specifiers(&mut self) -> Parsed<()> {
        let declaring = *self.declaring()?;
        let token = self.token();
        if !declaring.has_specifier {
            let names = matches!(
                token.kind,
                Kind::Identifier | Kind::LeftParenthesis | Kind::Star
            );
            match declaring.context {
                Context::File if names => {}
                Context::File => return Err(self.unexpected("a declaration")),
                Context::Member => return Err(self.unexpected("a member")),
                Context::Parameter => return Err(self.unexpected("a parameter")),
                _ => return Err(self.unexpected("a type")),
            }
        }
        self.emit(NodeKind::Specifiers, declaring.start);
        match declaring.context {
            Context::TypeName => {
                self.push(State::EndTypeName);
                self.push(State::Declarator(Naming::Abstract));
            }
            Context::Parameter => {
                self.push(State::EndDeclarator);
                self.push(State::Declarator(Naming::Optional));
            }
            _ if token.kind == Kind::Semicolon => self.end_declaration(),
            Context::Member if token.kind == Kind::RightBrace => return self.end_members(),
            Context::Member if token.kind == Kind::Colon => {
                self.unnamed_declarator(token.span);
                self.push(State::AfterDeclarator);
            }
            _ => {
                self.push(State::AfterDeclarator);
                self.push(State::Declarator(Naming::Named));
            }
        }
        Ok(())
    }

    /// At the `;` of a declaration.
    fn end_declaration(&mut self) {
        let span = self.advance();
        self.emit(NodeKind::EndDeclaration, span);
        self.declarations.pop();
    }

    /// At the `}` behind members whose `;` is missing, which gcc understands.
    fn end_members(&mut self) -> Parsed<()> {
        let span = self.previous().span;
        let place = Span::new(span.end, span.end);
        let message = "expected `;` at the end of the members";
        self.collector.report(Diagnostic::warning(place, message));
        self.emit(NodeKind::EndDeclaration, span);
        self.declarations.pop();
        Ok(())
    }

    pub(super) fn end_type_name(&mut self) {
        self.declarators.pop();
        let declaring = self.declarations.pop();
        let start = declaring.map_or_else(Span::default, |declaring| declaring.start);
        self.emit(NodeKind::TypeName, start.to(self.previous().span));
    }

    /// After a declarator, in a file, a block, a `for`, or among members.
    pub(super) fn after_declarator(&mut self) -> Parsed<()> {
        if self.take(Kind::Asm) {
            self.skip_parentheses()?;
        }
        self.attributes(true)?;
        let declaring = *self.declaring()?;
        if declaring.context == Context::Member {
            if self.take(Kind::Colon) {
                self.push(State::AfterBitField);
                self.push_constant();
                return Ok(());
            }
            return self.end_declarator();
        }
        let token = self.token();
        let is_function = match self.declarators.last() {
            Some(declared) => declared.parameters.is_some(),
            None => false,
        };
        let begins_body = token.kind == Kind::LeftBrace || self.is_type(token);
        if is_function && begins_body && !declaring.has_declarator {
            return self.function(declaring);
        }
        self.end_declarator()
    }

    pub(super) fn after_bit_field(&mut self) -> Parsed<()> {
        self.emit(NodeKind::BitField, self.previous().span);
        self.attributes(true)?;
        self.end_declarator()
    }

    /// A declarator is complete, and what it declares is known from here on.
    pub(super) fn end_declarator(&mut self) -> Parsed<()> {
        let declared = self.declarators.pop();
        let name = declared.and_then(|declared| declared.name);
        let declaring = *self.declaring()?;
        self.declaring()?.has_declarator = true;
        let span = name.map_or(declaring.start, |(_, span)| span);
        if declaring.context != Context::Member
            && let Some((name, _)) = name
        {
            self.typedefs.declare(name, declaring.is_typedef);
        }
        match declaring.context {
            Context::Parameter => {
                self.attributes(true)?;
                self.emit(NodeKind::Parameter, span);
                self.declarations.pop();
                return Ok(());
            }
            Context::Member => self.emit(NodeKind::EndMember, span),
            _ => {
                let initialised = self.at(Kind::Assign);
                self.emit(NodeKind::Declare { initialised }, span);
                if initialised {
                    let span = self.advance();
                    self.push(State::NextDeclarator);
                    self.emit_through(NodeKind::Initialiser, span);
                    self.push(State::Initialiser);
                    return Ok(());
                }
            }
        }
        self.next_declarator()
    }

    /// `,` and another declarator, or `;`.
    pub(super) fn next_declarator(&mut self) -> Parsed<()> {
        let declaring = *self.declaring()?;
        match self.token().kind {
            Kind::Comma => {
                self.advance();
                self.attributes(true)?;
                self.push(State::AfterDeclarator);
                match (declaring.context, self.token().kind) {
                    (Context::Member, Kind::Colon) => self.unnamed_declarator(self.token().span),
                    _ => self.push(State::Declarator(Naming::Named)),
                }
                Ok(())
            }
            Kind::Semicolon => {
                self.end_declaration();
                Ok(())
            }
            Kind::RightBrace if declaring.context == Context::Member => self.end_members(),
            _ => {
                self.semicolon("a declaration")?;
                self.emit(NodeKind::EndDeclaration, self.previous().span);
                self.declarations.pop();
                Ok(())
            }
        }
    }

    /// At the body of a function, or the declarations of its parameters.
    fn function(&mut self, declaring: Declaring) -> Parsed<()> {
        let Some(declared) = self.declarators.pop() else {
            return Err(Reported);
        };
        let span = declared.name.map_or(declaring.start, |(_, span)| span);
        if declaring.context != Context::File {
            let message = "a function cannot be defined inside another";
            return Err(self.error(Diagnostic::error(span, message)));
        }
        if let Some((name, _)) = declared.name {
            self.typedefs.declare(name, false);
        }
        self.declarations.pop();
        self.emit(NodeKind::Function, span);
        self.typedefs.open();
        for name in declared.parameters.unwrap_or_default() {
            self.typedefs.declare(name, false);
        }
        self.push(State::EndFunction);
        self.old_declarations()
    }

    /// The declarations of an old-style function's parameters, then the body.
    pub(super) fn old_declarations(&mut self) -> Parsed<()> {
        if !self.at(Kind::LeftBrace) {
            if !self.starts_type() {
                return Err(self.unexpected("`{`"));
            }
            self.push(State::OldDeclarations);
            self.declaration(Context::OldParameter);
            return Ok(());
        }
        let brace = self.advance();
        self.emit(NodeKind::Block, brace);
        self.typedefs.open();
        self.push(State::Block(brace));
        Ok(())
    }

    pub(super) fn end_function(&mut self) {
        self.typedefs.close();
        self.emit(NodeKind::EndFunction, self.previous().span);
    }

    /// All attributes that stand here. Those with a meaning become nodes, if `counts`.
    pub(super) fn attributes(&mut self, counts: bool) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        while self.at(Kind::Attribute) {
            self.advance();
            let start = self.position;
            self.skip_parentheses()?;
            for position in start..self.position {
                let token = self.tokens[position];
                let text = self.vocabulary.spelling(token);
                match text.trim_matches('_') {
                    "noreturn" if counts => {
                        self.emit(NodeKind::Attribute(Attribute::Noreturn), token.span);
                    }
                    "packed" => found.packed = true,
                    "mode" if counts => {
                        let argument = self.tokens.get(position + 2).copied();
                        let name = argument.and_then(|token| self.vocabulary.name(token));
                        if let Some(name) = name {
                            let mode = NodeKind::Attribute(Attribute::Mode(name));
                            self.emit(mode, token.span);
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Leaves out `( … )`.
    pub(super) fn skip_parentheses(&mut self) -> Parsed<()> {
        while matches!(
            self.token().kind,
            Kind::Volatile | Kind::Goto | Kind::Inline
        ) {
            self.advance();
        }
        let open = self.expect(Kind::LeftParenthesis)?;
        let mut depth = 1_usize;
        loop {
            match self.token().kind {
                Kind::LeftParenthesis => depth += 1,
                Kind::RightParenthesis => depth -= 1,
                Kind::EndOfFile => return self.close(Kind::RightParenthesis, open),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// The types that a misspelt one may have meant.
const TYPES: [&str; 12] = [
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool",
    "struct", "union",
];
