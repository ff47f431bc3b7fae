//! Declarations: defines, types, variables.

use super::lexicon::TokenKind;
use super::parser::Parser;
use super::tree::{
    BaseType, Define, Dimension, Enumeration, Identifier, List, Struct, Type, TypeName, Variable,
};
use crate::diagnostic::{Diagnostic, nearest};
use crate::source::Span;
use crate::syntax::kit::{Parsed, Reported};

/// Where the variables of a declaration belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Program,
    Struct,
    Module,
}

impl Parser<'_> {
    pub fn program(&mut self) {
        while !self.at_end() {
            match self.token.kind {
                TokenKind::Define => self.define(),
                TokenKind::Init => self.init(),
                TokenKind::Module => self.module(),
                TokenKind::Semicolon => self.superfluous_semicolons(),
                kind if kind.begins_declaration() => self.globals(),
                TokenKind::Name if self.at_unsigned() => self.globals(),
                _ => {
                    self.report_outside();
                    self.advance();
                    self.recover_outside();
                }
            }
        }
        // Anything may have stood in a comment that does not end.
        self.tree.incomplete |= self.cut_short;
        self.tree.lost_globals |= self.cut_short;
    }

    #[cold]
    fn report_outside(&mut self) {
        const WORDS: [&str; 9] = [
            "define", "module", "init", "shared", "bool", "int", "enum", "struct", "unsigned",
        ];
        match nearest(&self.text(), WORDS) {
            Some(word) if self.at(TokenKind::Name) => {
                let message = format!("unknown word `{}`", self.text());
                let hint = format!("did you mean `{word}`?");
                self.error_with_hint(self.token.span(), message, hint);
            }
            _ => {
                self.unexpected("a declaration or a module");
            }
        }
    }

    /// All integers are natural numbers, so that `unsigned int` is `int`.
    fn at_unsigned(&self) -> bool {
        self.at(TokenKind::Name) && self.text() == "unsigned" && self.peek().kind == TokenKind::Int
    }

    fn define(&mut self) {
        self.advance();
        let read = self
            .identifier("the name to define")
            .and_then(|identifier| {
                let value = self.expression()?;
                Ok(Define { identifier, value })
            });
        match read {
            Ok(define) => {
                self.tree.defines.push(define);
                self.take(TokenKind::Semicolon);
            }
            Err(Reported) => self.recover_outside(),
        }
    }

    fn init(&mut self) {
        let start = self.token.start;
        self.advance();
        let Ok(identifier) = self.identifier("the module in which executions begin") else {
            self.recover_outside();
            return;
        };
        if !self.take(TokenKind::Semicolon) && !self.semicolon_is_understood("`init`") {
            self.recover_outside();
        }
        if let Some(first) = self.tree.init.replace(identifier) {
            let first = self.span_of(first);
            self.report(
                Diagnostic::error(self.span_from(start), "a second `init`")
                    .with_related(first, "the first one"),
            );
        }
    }

    fn globals(&mut self) {
        if self.declaration(Owner::Program).is_err() {
            self.tree.lost_globals = true;
            self.recover_declaration();
        }
    }

    /// A declaration in the body of a module.
    pub fn locals(&mut self) {
        if self.points > 0 {
            let message = "a declaration must stand before the first statement of its module";
            let hint = "move it to the beginning of the body";
            self.error_with_hint(self.token.span(), message, hint);
        }
        if self.declaration(Owner::Module).is_err() {
            self.lost.variables = true;
            self.recover_declaration();
        }
    }

    /// Goes behind the `;` of a declaration, and over what stands in braces before it.
    fn recover_declaration(&mut self) {
        let mut braces = 0_u32;
        while !self.at_end() && !self.token.kind.begins_outside() {
            match self.token.kind {
                TokenKind::LeftBrace => braces += 1,
                // This one closes the body of the module.
                TokenKind::RightBrace if braces == 0 => return,
                TokenKind::RightBrace => braces -= 1,
                TokenKind::Semicolon if braces == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Variables of one type, or an enumeration or a struct, up to the `;`.
    fn declaration(&mut self, owner: Owner) -> Parsed<()> {
        let start = self.token.start;
        self.take(TokenKind::Shared);
        let (base, declares) = self.base_type(owner)?;
        if declares && self.at(TokenKind::Semicolon) {
            self.advance();
            return Ok(());
        }
        let word = self.span_from(start);
        self.list(|parser| {
            let variable = parser.variable(base, word)?;
            match owner {
                Owner::Program => parser.tree.globals.push(variable),
                Owner::Struct => parser.tree.fields.push(variable),
                Owner::Module => parser.tree.locals.push(variable),
            }
            Ok(())
        })?;
        if self.take(TokenKind::Semicolon) {
            return Ok(());
        }
        if self.at(TokenKind::Assign) {
            return Err(self.unexpected_with_hint(
                "`,` or `;`",
                "a variable has any value at first; assign to it in a statement",
            ));
        }
        if self.at(TokenKind::Name)
            && matches!(self.peek().kind, TokenKind::Comma | TokenKind::Semicolon)
        {
            return Err(self.unexpected("`,` or `;`"));
        }
        match self.semicolon_is_understood("the declaration") {
            true => Ok(()),
            false => Err(Reported),
        }
    }

    /// `bool`, `int`, `enum E`, `struct S`, or an enumeration or a struct that is declared on
    /// the spot; whether it is one of these.
    fn base_type(&mut self, owner: Owner) -> Parsed<(BaseType, bool)> {
        match self.token.kind {
            TokenKind::Bool => {
                self.advance();
                Ok((BaseType::Bool, false))
            }
            TokenKind::Name if self.at_unsigned() => {
                self.advance();
                self.advance();
                Ok((BaseType::Int, false))
            }
            TokenKind::Int => {
                self.advance();
                Ok((BaseType::Int, false))
            }
            TokenKind::Struct if owner == Owner::Struct => {
                let message = "a struct cannot stand in a struct";
                Err(self.error(self.token.span(), message))
            }
            keyword @ (TokenKind::Enum | TokenKind::Struct) => {
                self.advance();
                let (named, declares) = self.type_name(keyword, owner)?;
                let base = match keyword {
                    TokenKind::Enum => BaseType::Enum(named),
                    _ => BaseType::Struct(named),
                };
                Ok((base, declares))
            }
            _ => Err(self.unexpected("`bool`, `int`, `enum` or `struct`")),
        }
    }

    /// What stands after `enum` or `struct`, and whether it is declared on the spot.
    fn type_name(&mut self, keyword: TokenKind, owner: Owner) -> Parsed<(TypeName, bool)> {
        let identifier = self.at(TokenKind::Name).then(|| self.take_name());
        if self.at(TokenKind::LeftBrace) {
            self.check_declared_outside(owner);
            let declared = match keyword {
                TokenKind::Enum => self.enumeration(identifier)?,
                _ => self.structure(identifier)?,
            };
            return Ok((TypeName::Declared(declared), true));
        }
        let what = match keyword {
            TokenKind::Enum => "enumeration",
            _ => "struct",
        };
        match identifier {
            Some(identifier) => Ok((TypeName::Named(identifier), false)),
            None => Err(self.unexpected(&format!("the name of the {what}, or `{{`"))),
        }
    }

    fn check_declared_outside(&mut self, owner: Owner) {
        if owner != Owner::Program {
            let message = "enumerations and structs are declared outside of modules and structs";
            let hint = "declare it before, with a name, and use that here";
            self.error_with_hint(self.token.span(), message, hint);
        }
    }

    /// `{ a, b, c }`.
    fn enumeration(&mut self, identifier: Option<Identifier>) -> Parsed<u32> {
        self.advance();
        let names = self.identifier_list("a name of the enumeration");
        let names = self.close_braces(names)?;
        self.tree
            .enumerations
            .push(Enumeration { identifier, names });
        Ok(self.tree.enumerations.len() as u32 - 1)
    }

    /// `{ declarations }`. There is no struct in a struct, so this does not go deeper.
    fn structure(&mut self, identifier: Option<Identifier>) -> Parsed<u32> {
        let open = self.token.span();
        self.advance();
        let start = self.tree.fields.len();
        let mut lost = false;
        while self.token.kind.begins_declaration() || self.at_unsigned() {
            if self.declaration(Owner::Struct).is_err() {
                lost = true;
                self.recover_declaration();
            }
        }
        self.close_braces(Ok(()))?;
        self.tree.lost_globals |= lost;
        let fields = List::since(start, &self.tree.fields);
        if fields.is_empty() && !lost {
            self.error(open, "a struct needs a field");
        }
        self.tree.structs.push(Struct { identifier, fields });
        Ok(self.tree.structs.len() as u32 - 1)
    }

    /// Takes the `}` of a declaration; after a mistake, all that stands before it too.
    fn close_braces<T>(&mut self, read: Parsed<T>) -> Parsed<T> {
        if read.is_ok() {
            if self.take(TokenKind::RightBrace) {
                return read;
            }
            self.unexpected("`}`");
        }
        while !(self.at(TokenKind::RightBrace) || self.token.kind.begins_outside() || self.at_end())
        {
            self.advance();
        }
        self.take(TokenKind::RightBrace);
        Err(Reported)
    }

    /// A name with its dimensions and bits.
    fn variable(&mut self, base: BaseType, word: Span) -> Parsed<Variable> {
        let identifier = self.identifier("the name of a variable")?;
        let dimensions = self.dimensions()?;
        let bits = self.bits()?;
        let span = word.to(self.span_from(identifier.start));
        let of = Type {
            base,
            dimensions,
            bits,
            span,
        };
        Ok(Variable { identifier, of })
    }

    fn dimensions(&mut self) -> Parsed<List> {
        let first = self.tree.dimensions.len();
        while self.at(TokenKind::LeftBracket) {
            let start = self.token.start;
            self.advance();
            let length = self.expression()?;
            let (low, high) = match self.take(TokenKind::Comma) {
                true => (Some(length), self.expression()?),
                false => (None, length),
            };
            self.expect(TokenKind::RightBracket)?;
            let span = self.span_from(start);
            if self.tree.dimensions.len() - first == 2 {
                return Err(self.error(span, "an array has at most two dimensions"));
            }
            self.tree.dimensions.push(Dimension { low, high, span });
        }
        Ok(List::since(first, &self.tree.dimensions))
    }

    fn bits(&mut self) -> Parsed<Option<super::tree::ExpressionId>> {
        if !self.take(TokenKind::LeftParenthesis) {
            return Ok(None);
        }
        let bits = self.expression()?;
        self.expect(TokenKind::RightParenthesis)?;
        Ok(Some(bits))
    }

    /// A parameter: its type, then its name.
    pub fn parameter(&mut self) -> Parsed<Variable> {
        let start = self.token.start;
        let (base, _) = self.base_type(Owner::Module)?;
        let word = self.span_from(start);
        self.variable(base, word)
    }

    /// The type of a module.
    pub fn return_type(&mut self) -> Parsed<Type> {
        let start = self.token.start;
        let base = match self.token.kind {
            TokenKind::Void => {
                self.advance();
                BaseType::Void
            }
            kind if kind.begins_declaration() || self.at_unsigned() => {
                self.base_type(Owner::Module)?.0
            }
            TokenKind::Name if self.peek().kind == TokenKind::LeftParenthesis => {
                return Err(self.unexpected_with_hint(
                    "the type of the module",
                    "a module that returns nothing is `module void …`",
                ));
            }
            _ => return Err(self.unexpected("`void`, `bool`, `int`, `enum` or `struct`")),
        };
        let dimensions = self.dimensions()?;
        let bits = self.bits()?;
        Ok(Type {
            base,
            dimensions,
            bits,
            span: self.span_from(start),
        })
    }
}
