//! The parser of `.mu` files, by recursive descent.
//!
//! Chains of connectives are read in loops; parentheses, quantifiers and indices nest up to a
//! limit. After a mistake the parser goes on at the next item, so that all mistakes are
//! reported at once; of an item with a mistake the name stays. Linear in the tokens.

use super::token::{Kind, Token, shown, tokens};
use super::tree::{
    Comparison, Constant, Content, Definition, DomainKind, DomainTree, File, Fixpoint, Form,
    FormKind, Group, Item, OrderWish, Part, Shape, Step, Summand, Term, Word,
};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::source::{Source, Span};

/// How deep parentheses, quantifiers and indices may nest.
const MOST_NESTED: usize = 200;

/// The file, as far as it can be read, and what is wrong with it.
pub fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let tokens = tokens(source, &mut diagnostics);
    let mut parser = Parser {
        tokens,
        at: 0,
        nested: 0,
        diagnostics,
    };
    let mut file = File::default();
    while *parser.peek() != Kind::End {
        match parser.item() {
            Some(item) => file.items.push(item),
            None => file.has_nameless = true,
        }
    }
    (file, parser.diagnostics)
}

struct Parser {
    /// The last one is the end.
    tokens: Vec<Token>,
    at: usize,
    nested: usize,
    diagnostics: Vec<Diagnostic>,
}

const ITEMS: [&str; 6] = ["param", "type", "mu", "nu", "let", "query"];

impl Parser {
    fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn peek_next(&self) -> &Kind {
        let next = (self.at + 1).min(self.tokens.len() - 1);
        &self.tokens[next].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From a place to the last token read.
    fn since(&self, start: Span) -> Span {
        match self.at.checked_sub(1) {
            Some(last) => start.to(self.tokens[last].span),
            None => start,
        }
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn fail<T>(&mut self, expected: &str) -> Option<T> {
        if *self.peek() != Kind::Unknown {
            let found = shown(self.peek());
            let message = format!("expected {expected}, found {found}");
            let error = Diagnostic::error(self.span(), message);
            self.diagnostics.push(error);
        }
        None
    }

    /// Goes on behind the next `;`, or where an item begins.
    fn skip(&mut self) {
        self.nested = 0;
        while *self.peek() != Kind::End && self.keyword_of_item().is_none() {
            if self.has_sign(";") {
                return;
            }
            self.advance();
        }
    }

    /// Goes on behind an item with a mistake. If that is a `;` in its middle, what follows is
    /// skipped too; two names are rather an item whose keyword is misspelt.
    fn recover(&mut self) {
        let is_name = |kind: &Kind| matches!(kind, Kind::Name(_));
        loop {
            self.skip();
            let begins = self.keyword_of_item().is_some()
                || is_name(self.peek()) && is_name(self.peek_next());
            if begins || *self.peek() == Kind::End {
                return;
            }
        }
    }

    fn keyword_of_item(&self) -> Option<&'static str> {
        match self.peek() {
            Kind::Keyword(word) if ITEMS.contains(word) => Some(word),
            _ => None,
        }
    }

    fn has_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Kind::Sign(found) if *found == sign);
        if found {
            self.advance();
        }
        found
    }

    fn sign(&mut self, sign: &str) -> Option<()> {
        match self.has_sign(sign) {
            true => Some(()),
            false => self.fail(&format!("`{sign}`")),
        }
    }

    fn has_keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Kind::Keyword(found) if *found == word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, what: &str) -> Option<Word> {
        match self.peek() {
            Kind::Name(text) => {
                let (text, span) = (text.clone(), self.span());
                self.advance();
                Some(Word { text, span })
            }
            Kind::Keyword(word) => {
                let message = format!("`{word}` is a keyword, not {what}");
                let error = Diagnostic::error(self.span(), message);
                self.diagnostics.push(error);
                self.advance();
                None
            }
            _ => self.fail(what),
        }
    }

    fn number(&mut self) -> Option<i128> {
        match *self.peek() {
            Kind::Number(Some(number)) => {
                self.advance();
                Some(number)
            }
            Kind::Number(None) => {
                let message = "this number is too large: the largest is 18446744073709551615";
                let error = Diagnostic::error(self.span(), message);
                self.diagnostics.push(error);
                None
            }
            _ => self.fail("a number"),
        }
    }

    /// The next item; `None` if its name cannot be read.
    fn item(&mut self) -> Option<Item> {
        let Some(keyword) = self.keyword_of_item() else {
            self.no_item();
            return None;
        };
        self.advance();
        let name = self.word(match keyword {
            "param" => "the name of a parameter",
            "type" => "the name of a type",
            "query" => "the name of a query",
            _ => "the name of a relation",
        });
        let Some(name) = name else {
            self.recover();
            return None;
        };
        let content = match keyword {
            "param" => Content::Parameter(self.rest(Self::value)),
            "type" => Content::Type(self.rest(Self::shape)),
            "query" => Content::Query(self.rest(Self::query)),
            _ => Content::Relation(self.rest(|parser| parser.definition(keyword))),
        };
        Some(Item { name, content })
    }

    /// Skips what does not begin as an item does.
    fn no_item(&mut self) {
        const EXPECTED: &str = "`param`, `type`, `mu`, `nu`, `let` or `query`";
        match self.peek() {
            Kind::Name(name) => {
                let hint = suggestion(name, ITEMS);
                let message = format!("expected {EXPECTED}");
                let error = Diagnostic::error(self.span(), message).with_hint_if_any(hint);
                self.diagnostics.push(error);
            }
            _ => {
                let _: Option<()> = self.fail(EXPECTED);
            }
        }
        self.advance();
        self.skip();
    }

    /// Reads an item from behind its name to the `;` that ends it.
    fn rest<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let content = read(self).and_then(|content| self.sign(";").map(|()| content));
        if content.is_none() {
            self.recover();
        }
        content
    }

    fn value(&mut self) -> Option<i128> {
        self.sign("=")?;
        self.number()
    }

    fn shape(&mut self) -> Option<Shape> {
        self.sign("=")?;
        if !self.has_sign("{") {
            return Some(Shape::Domain(self.domain()?));
        }
        let groups = self.groups()?;
        self.sign("}")?;
        Some(Shape::Record(groups))
    }

    fn query(&mut self) -> Option<Form> {
        self.sign("=")?;
        self.form()
    }

    fn definition(&mut self, keyword: &str) -> Option<Definition> {
        self.sign("(")?;
        let parameters = match self.peek() {
            Kind::Sign(")") => Vec::new(),
            _ => self.groups()?,
        };
        self.sign(")")?;
        let order = match self.has_keyword("order") {
            true => self.order()?,
            false => Vec::new(),
        };
        self.sign("=")?;
        Some(Definition {
            fixpoint: match keyword {
                "mu" => Fixpoint::Least,
                "nu" => Fixpoint::Greatest,
                _ => Fixpoint::Let,
            },
            parameters,
            order,
            body: self.form()?,
        })
    }

    fn order(&mut self) -> Option<Vec<OrderWish>> {
        let mut order = Vec::new();
        loop {
            let left = self.word("a variable")?;
            let is_above = self.has_sign("<");
            if !is_above && !self.has_sign("~") {
                return self.fail("`~` or `<`");
            }
            let right = self.word("a variable")?;
            order.push(OrderWish {
                left,
                is_above,
                right,
            });
            if !self.has_sign(",") {
                return Some(order);
            }
        }
    }

    /// Variables with their domains.
    fn groups(&mut self) -> Option<Vec<Group>> {
        let mut groups = Vec::new();
        loop {
            let mut names = vec![self.word("a name")?];
            while self.has_sign(",") {
                names.push(self.word("a name")?);
            }
            self.sign(":")?;
            let domain = self.domain()?;
            groups.push(Group { names, domain });
            if !self.has_sign(",") {
                return Some(groups);
            }
        }
    }

    fn domain(&mut self) -> Option<DomainTree> {
        let start = self.span();
        let kind = if self.has_keyword("bool") {
            match self.array_bounds()? {
                Some((low, high)) => DomainKind::Array(None, low, high),
                None => DomainKind::Bool,
            }
        } else {
            let is_number = matches!(self.peek(), Kind::Number(_));
            if !is_number && !matches!(self.peek(), Kind::Name(_)) {
                return self
                    .fail("a domain: `bool`, a range such as `0..3`, or the name of a type");
            }
            let low = self.constant()?;
            match (&low.summands[..], self.has_sign("..")) {
                (_, true) => DomainKind::Range(low, self.constant()?),
                ([(false, Summand::Name(name))], false) => {
                    let name = name.clone();
                    match self.array_bounds()? {
                        Some((low, high)) => DomainKind::Array(Some(name), low, high),
                        None => DomainKind::Named(name),
                    }
                }
                _ => return self.fail("`..`"),
            }
        };
        let span = self.since(start);
        Some(DomainTree { span, kind })
    }

    /// `[low..high]`, if it is there.
    fn array_bounds(&mut self) -> Option<Option<(Constant, Constant)>> {
        if !self.has_sign("[") {
            return Some(None);
        }
        let low = self.constant()?;
        self.sign("..")?;
        let high = self.constant()?;
        self.sign("]")?;
        Some(Some((low, high)))
    }

    fn summand(&mut self) -> Option<Summand> {
        match self.peek() {
            Kind::Name(_) => Some(Summand::Name(self.word("a constant")?)),
            Kind::Number(_) => Some(Summand::Number(self.number()?)),
            _ => self.fail("a constant"),
        }
    }

    /// What is added or subtracted from here on.
    fn more_summands(&mut self, summands: &mut Vec<(bool, Summand)>) -> Option<()> {
        loop {
            let minus = match self.peek() {
                Kind::Sign("+") => false,
                Kind::Sign("-") => true,
                _ => return Some(()),
            };
            self.advance();
            summands.push((minus, self.summand()?));
        }
    }

    fn constant(&mut self) -> Option<Constant> {
        let mut summands = vec![(false, self.summand()?)];
        self.more_summands(&mut summands)?;
        Some(Constant { summands })
    }

    /// Reads what nests, one level deeper.
    fn nest<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.nested == MOST_NESTED {
            let message = format!("nested deeper than {MOST_NESTED} levels");
            let hint = "give a part of it a name with `let`";
            let error = Diagnostic::error(self.span(), message).with_hint(hint);
            self.diagnostics.push(error);
            return None;
        }
        self.nested += 1;
        let result = read(self);
        self.nested = self.nested.saturating_sub(1);
        result
    }

    fn form(&mut self) -> Option<Form> {
        self.chain(
            "<->",
            |parser| {
                parser.chain(
                    "->",
                    |parser| {
                        parser.chain(
                            "|",
                            |parser| parser.chain("&", Self::unary, FormKind::And),
                            FormKind::Or,
                        )
                    },
                    FormKind::Implies,
                )
            },
            FormKind::Iff,
        )
    }

    /// Operands with a sign between them; one alone is itself.
    fn chain(
        &mut self,
        sign: &str,
        operand: impl Fn(&mut Self) -> Option<Form>,
        join: impl Fn(Vec<Form>) -> FormKind,
    ) -> Option<Form> {
        let start = self.span();
        let first = operand(self)?;
        if !matches!(self.peek(), Kind::Sign(found) if *found == sign) {
            return Some(first);
        }
        let mut operands = vec![first];
        while self.has_sign(sign) {
            operands.push(operand(self)?);
        }
        let span = self.since(start);
        let kind = join(operands);
        Some(Form { span, kind })
    }

    fn unary(&mut self) -> Option<Form> {
        let start = self.span();
        let mut negated = false;
        let mut is_plain = true;
        while self.has_sign("!") {
            negated = !negated;
            is_plain = false;
        }
        let form = self.primary()?;
        if is_plain || !negated {
            return Some(form);
        }
        Some(Form {
            span: self.since(start),
            kind: FormKind::Not(Box::new(form)),
        })
    }

    fn primary(&mut self) -> Option<Form> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Kind::Sign("(") => {
                self.advance();
                let form = self.nest(Self::form)?;
                self.sign(")")?;
                return Some(form);
            }
            Kind::Keyword(word @ ("exists" | "forall")) => {
                self.advance();
                let variables = self.groups()?;
                self.sign(".")?;
                let body = Box::new(self.nest(Self::form)?);
                FormKind::Quantified {
                    exists: word == "exists",
                    variables,
                    body,
                }
            }
            Kind::Keyword(word @ ("all" | "some")) => {
                self.advance();
                let name = self.word("the name of a constant")?;
                if !self.has_keyword("in") {
                    return self.fail("`in`");
                }
                let low = self.constant()?;
                self.sign("..")?;
                let high = self.constant()?;
                self.sign(".")?;
                let body = Box::new(self.nest(Self::form)?);
                FormKind::Unrolled {
                    all: word == "all",
                    name,
                    low,
                    high,
                    body,
                }
            }
            Kind::Keyword(word @ ("true" | "false")) if !self.is_number() => {
                self.advance();
                FormKind::Constant(word == "true")
            }
            Kind::Name(_) if *self.peek_next() == Kind::Sign("(") => self.application()?,
            Kind::Name(_) | Kind::Number(_) | Kind::Keyword("true" | "false") => {
                let left = self.term()?;
                let comparison = match self.peek() {
                    Kind::Sign("=") => Some(Comparison::Equal),
                    Kind::Sign("!=") => Some(Comparison::Unequal),
                    Kind::Sign("<") => Some(Comparison::Less),
                    Kind::Sign("<=") => Some(Comparison::LessEqual),
                    _ => None,
                };
                match comparison {
                    None => FormKind::Truth(left),
                    Some(comparison) => {
                        self.advance();
                        FormKind::Compare(comparison, left, self.term()?)
                    }
                }
            }
            _ => return self.fail("a formula"),
        };
        let span = self.since(start);
        Some(Form { span, kind })
    }

    /// Whether the token behind the next one says that it is a number.
    fn is_number(&self) -> bool {
        let next = self.peek_next();
        matches!(next, Kind::Sign("=" | "!=" | "<" | "<=" | "+" | "-"))
    }

    fn application(&mut self) -> Option<FormKind> {
        let name = self.word("the name of a relation")?;
        self.sign("(")?;
        let mut arguments = Vec::new();
        if !self.has_sign(")") {
            loop {
                arguments.push(self.term()?);
                if !self.has_sign(",") {
                    break;
                }
            }
            self.sign(")")?;
        }
        Some(FormKind::Apply { name, arguments })
    }

    fn term(&mut self) -> Option<Term> {
        let start = self.span();
        let first = match self.peek() {
            Kind::Number(_) => Part::Number(self.number()?),
            Kind::Keyword(word @ ("true" | "false")) => {
                let number = i128::from(*word == "true");
                self.advance();
                Part::Number(number)
            }
            Kind::Name(_) => {
                let root = self.word("a term")?;
                let mut steps = Vec::new();
                loop {
                    if self.has_sign(".") {
                        steps.push(Step::Field(self.word("the name of a field")?));
                    } else if self.has_sign("[") {
                        let index = self.nest(Self::term)?;
                        self.sign("]")?;
                        steps.push(Step::Index(Box::new(index)));
                    } else {
                        break;
                    }
                }
                Part::Path { root, steps }
            }
            _ => return self.fail("a term"),
        };
        let mut rest = Vec::new();
        self.more_summands(&mut rest)?;
        let span = self.since(start);
        Some(Term { span, first, rest })
    }
}
