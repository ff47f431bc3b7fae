//! The header of a HOA file, and what header and body read alike: numbers, labels, marks.
//!
//! Header items that begin with a capital letter may change the meaning of the automaton and
//! are refused if unknown; others are skipped, as the format asks.

use crate::automaton::Marks;
use crate::bdd::{Bdd, Manager};
use crate::format::hoa_error::HoaError;
use crate::format::hoa_label::Labels;
use crate::format::hoa_lexer::{Token, lex};
use rustc_hash::FxHashMap;

/// More states than this are refused.
pub(crate) const MAX_STATES: u32 = 10_000_000;
/// More propositions than this are refused: the BDDs of labels recurse once for each.
const MAX_PROPOSITIONS: u32 = 2048;
/// BDD nodes that all labels together may take.
const MAX_NODES: usize = 4_000_000;

/// What has been read so far, and where.
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: Vec<(Token, usize)>,
    pub(crate) at: usize,
    pub(crate) bdd: Manager,
    pub(crate) aliases: FxHashMap<String, Bdd>,
    pub(crate) propositions: Option<Vec<String>>,
    pub(crate) states: Option<u32>,
    pub(crate) initial: Vec<(u32, usize)>,
    /// Number of acceptance sets and whether anything is accepted at all.
    pub(crate) acceptance: Option<(u32, bool)>,
    /// Whether the file says that marks are meant for edges.
    pub(crate) transition_based: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, HoaError> {
        Ok(Reader {
            text,
            tokens: lex(text)?,
            at: 0,
            bdd: Manager::new(MAX_NODES),
            aliases: FxHashMap::default(),
            propositions: None,
            states: None,
            initial: Vec::new(),
            acceptance: None,
            transition_based: false,
        })
    }

    pub(crate) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    pub(crate) fn offset(&self) -> usize {
        self.tokens
            .get(self.at)
            .map_or(self.text.len(), |&(_, offset)| offset)
    }

    pub(crate) fn error<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        Err(HoaError::at(self.text, self.offset(), message))
    }

    pub(crate) fn take(&mut self, token: &Token) -> bool {
        let same = self.peek() == Some(token);
        self.at += same as usize;
        same
    }

    pub(crate) fn number(&mut self, what: &str) -> Result<u32, HoaError> {
        match self.peek() {
            Some(&Token::Number(number)) => {
                self.at += 1;
                Ok(number)
            }
            _ => self.error(format!("expected {what}, a number")),
        }
    }

    pub(crate) fn header(&mut self) -> Result<(), HoaError> {
        if !self.take(&Token::Header("HOA".to_owned())) {
            return self.error("a HOA file starts with `HOA: v1`");
        }
        if !self.take(&Token::Word("v1".to_owned())) {
            return self.error("only version `v1` of the format is known");
        }
        loop {
            let item = match self.peek() {
                Some(Token::Header(item)) => item.clone(),
                Some(Token::Body) => {
                    self.at += 1;
                    break;
                }
                Some(_) => {
                    return self.error("expected a header item such as `AP:`, or `--BODY--`");
                }
                None => return self.error("the file ends before `--BODY--`"),
            };
            self.at += 1;
            self.item(&item)?;
        }
        if self.acceptance.is_none() {
            return self.error("the header has no `Acceptance:`");
        }
        Ok(())
    }

    fn item(&mut self, item: &str) -> Result<(), HoaError> {
        match item {
            "States" => {
                let offset = self.offset();
                let states = self.number("the number of states")?;
                if states > MAX_STATES {
                    let message = format!("more than {MAX_STATES} states are not read");
                    return Err(HoaError::at(self.text, offset, message));
                }
                self.states = Some(states);
            }
            "Start" => {
                let offset = self.offset();
                let state = self.number("an initial state")?;
                if self.peek() == Some(&Token::Symbol('&')) {
                    return self.error("alternating automata are not read");
                }
                self.initial.push((state, offset));
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let Some(Token::Alias(name)) = self.peek().cloned() else {
                    return self.error("expected an alias name such as `@a`");
                };
                self.at += 1;
                let function = self.expression()?;
                if self.aliases.insert(name.clone(), function).is_some() {
                    return self.error(format!("the alias `@{name}` is defined twice"));
                }
            }
            "Acceptance" => self.acceptance()?,
            "properties" => {
                while let Some(Token::Word(word)) = self.peek() {
                    self.transition_based |= word == "trans-acc";
                    self.at += 1;
                }
                self.skip_item();
            }
            other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                self.at -= 1;
                return self.error(format!("the header item `{other}:` is not known"));
            }
            _ => self.skip_item(),
        }
        Ok(())
    }

    fn skip_item(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Header(_) | Token::Body)) {
            self.at += 1;
        }
    }

    fn propositions(&mut self) -> Result<(), HoaError> {
        if self.propositions.is_some() {
            return self.error("`AP:` occurs twice");
        }
        let count = self.number("the number of propositions")?;
        if count > MAX_PROPOSITIONS {
            return self.error(format!(
                "more than {MAX_PROPOSITIONS} propositions are not read"
            ));
        }
        let mut names = Vec::new();
        while let Some(Token::Text(name)) = self.peek() {
            if names.contains(name) {
                let message = format!("the proposition \"{name}\" is declared twice");
                return self.error(message);
            }
            names.push(name.clone());
            self.at += 1;
        }
        if names.len() != count as usize {
            let message = format!("`AP:` announces {count} names, but {} follow", names.len());
            return self.error(message);
        }
        self.propositions = Some(names);
        Ok(())
    }

    /// A conjunction of `Inf(i)`, or a constant. Parentheses around it are let be.
    fn acceptance(&mut self) -> Result<(), HoaError> {
        let sets = self.number("the number of acceptance sets")?;
        if sets > Marks::CAPACITY {
            let message = format!("more than {} acceptance sets are not read", Marks::CAPACITY);
            return self.error(message);
        }
        let mut used = Marks::NONE;
        let mut satisfiable = true;
        let mut open = 0usize;
        let refused = "only Büchi and generalised Büchi acceptance, `Inf(0) & Inf(1) & …`, is read";
        loop {
            while self.take(&Token::Symbol('(')) {
                open += 1;
            }
            match self.peek() {
                Some(Token::Word(word)) if word == "t" => self.at += 1,
                Some(Token::Word(word)) if word == "f" => {
                    satisfiable = false;
                    self.at += 1;
                }
                Some(Token::Word(word)) if word == "Inf" => {
                    self.at += 1;
                    if !self.take(&Token::Symbol('(')) {
                        return self.error("expected `(` after `Inf`");
                    }
                    if self.peek() == Some(&Token::Symbol('!')) {
                        return self.error(refused);
                    }
                    let set = self.number("an acceptance set")?;
                    if set >= sets {
                        self.at -= 1;
                        return self.error(format!("there is no acceptance set {set}"));
                    }
                    used.0 |= 1 << set;
                    if !self.take(&Token::Symbol(')')) {
                        return self.error("expected `)` after the acceptance set");
                    }
                }
                _ => return self.error(refused),
            }
            while open > 0 && self.take(&Token::Symbol(')')) {
                open -= 1;
            }
            if !self.take(&Token::Symbol('&')) {
                break;
            }
        }
        if open > 0 {
            return self.error("expected `)` in the acceptance condition");
        }
        if self.peek() == Some(&Token::Symbol('|')) {
            return self.error(refused);
        }
        if satisfiable && used != Marks::first(sets) {
            return self.error("an acceptance set is declared but not used by the condition");
        }
        self.acceptance = Some((sets, satisfiable));
        Ok(())
    }

    pub(crate) fn expression(&mut self) -> Result<Bdd, HoaError> {
        let mut labels = Labels {
            text: self.text,
            propositions: self.propositions.as_ref().map_or(0, Vec::len) as u32,
            aliases: &self.aliases,
            bdd: &mut self.bdd,
        };
        let (function, used) = labels.read(&self.tokens[self.at..])?;
        self.at += used;
        Ok(function)
    }

    /// `[label]`, if there is one.
    pub(crate) fn label(&mut self) -> Result<Option<Bdd>, HoaError> {
        if !self.take(&Token::Symbol('[')) {
            return Ok(None);
        }
        let function = self.expression()?;
        if !self.take(&Token::Symbol(']')) {
            return self.error("expected `]` after the label");
        }
        Ok(Some(function))
    }

    /// `{0 1}`, if there are any.
    pub(crate) fn marks(&mut self) -> Result<Marks, HoaError> {
        let mut marks = Marks::NONE;
        if !self.take(&Token::Symbol('{')) {
            return Ok(marks);
        }
        let sets = self.acceptance.map_or(0, |(sets, _)| sets);
        while !self.take(&Token::Symbol('}')) {
            let set = self.number("an acceptance set or `}`")?;
            if set >= sets {
                self.at -= 1;
                return self.error(format!("there is no acceptance set {set}"));
            }
            marks.0 |= 1 << set;
        }
        Ok(marks)
    }
}
