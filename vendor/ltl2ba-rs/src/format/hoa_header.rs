//! The header of a HOA file, and what header and body read alike: numbers, labels, marks.
//!
//! Header items that begin with a capital letter may change the meaning of the automaton and
//! are refused if unknown; others are skipped, as the format asks.

use crate::automaton::Marks;
use crate::bdd::{Bdd, Manager};
use crate::format::hoa_error::HoaError;
use crate::format::hoa_token::{
    Stop, alias, blank, header, marker, number, plain, sign, string, unexpected, word,
};
use nom::Parser;
use nom::combinator::{opt, peek, verify};
use nom::multi::many0_count;
use rustc_hash::FxHashMap;

/// More states than this are refused.
pub(crate) const MAX_STATES: u32 = 10_000_000;
/// More propositions than this are refused: the BDDs of labels recurse once for each.
const MAX_PROPOSITIONS: u32 = 2048;
/// BDD nodes that all labels together may take.
const MAX_NODES: usize = 4_000_000;

/// What has been read so far, and what is left.
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    pub(crate) rest: &'a str,
    pub(crate) bdd: Manager,
    pub(crate) aliases: FxHashMap<&'a str, Bdd>,
    pub(crate) propositions: Option<Vec<String>>,
    pub(crate) states: Option<u32>,
    /// The initial states, and the text from each of them on.
    pub(crate) initial: Vec<(u32, &'a str)>,
    /// Number of acceptance sets and whether anything is accepted at all.
    pub(crate) acceptance: Option<(u32, bool)>,
    /// Whether the file says that marks are meant for edges.
    pub(crate) transition_based: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, HoaError> {
        let mut reader = Reader {
            text,
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            bdd: Manager::new(MAX_NODES),
            aliases: FxHashMap::default(),
            propositions: None,
            states: None,
            initial: Vec::new(),
            acceptance: None,
            transition_based: false,
        };
        reader.take(blank)?;
        Ok(reader)
    }

    /// What a parser finds here, if it does.
    pub(crate) fn take<T>(
        &mut self,
        parser: impl Parser<&'a str, Output = T, Error = Stop<'a>>,
    ) -> Result<Option<T>, HoaError> {
        match opt(parser).parse(self.rest) {
            Ok((rest, found)) => {
                self.rest = rest;
                Ok(found)
            }
            Err(nom::Err::Error(stop) | nom::Err::Failure(stop)) => {
                self.error_at(stop.rest, stop.message)
            }
            Err(nom::Err::Incomplete(_)) => self.error("the file ends too early"),
        }
    }

    /// Whether a parser would find something here.
    pub(crate) fn sees<T>(
        &mut self,
        parser: impl Parser<&'a str, Output = T, Error = Stop<'a>>,
    ) -> Result<bool, HoaError> {
        Ok(self.take(peek(parser))?.is_some())
    }

    /// The error at what is left of the text.
    pub(crate) fn error<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        self.error_at(self.rest, message)
    }

    /// The error at the beginning of `rest`, which is the end of the text.
    pub(crate) fn error_at<T>(
        &self,
        rest: &str,
        message: impl Into<String>,
    ) -> Result<T, HoaError> {
        let offset = self.text.len() - rest.len();
        Err(HoaError::at(self.text, offset, message))
    }

    /// The error that something else is expected here.
    pub(crate) fn expected<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        let Stop { rest, message } = unexpected(self.rest, message.into());
        self.error_at(rest, message)
    }

    pub(crate) fn number(&mut self, what: &str) -> Result<u32, HoaError> {
        match self.take(number)? {
            Some(number) => Ok(number),
            None => self.expected(format!("expected {what}, a number")),
        }
    }

    /// The sign that must come here.
    fn sign(&mut self, wanted: &'static str, message: &str) -> Result<(), HoaError> {
        match self.take(sign(wanted))? {
            Some(_) => Ok(()),
            None => self.expected(message),
        }
    }

    /// Alternation is not read.
    pub(crate) fn refuse_alternation(&mut self) -> Result<(), HoaError> {
        match self.sees(sign("&"))? {
            true => self.error("alternating automata are not read"),
            false => Ok(()),
        }
    }

    pub(crate) fn header(&mut self) -> Result<(), HoaError> {
        if self
            .take(verify(header, |item: &str| item == "HOA"))?
            .is_none()
        {
            return self.expected("a HOA file starts with `HOA: v1`");
        }
        if self
            .take(verify(word, |word: &str| word == "v1"))?
            .is_none()
        {
            return self.expected("only version `v1` of the format is known");
        }
        while self.take(marker("--BODY--"))?.is_none() {
            let start = self.rest;
            match self.take(header)? {
                Some(item) => self.item(item, start)?,
                None if start.is_empty() => return self.error("the file ends before `--BODY--`"),
                None => {
                    return self.expected("expected a header item such as `AP:`, or `--BODY--`");
                }
            }
        }
        if self.acceptance.is_none() {
            return self.error("the header has no `Acceptance:`");
        }
        Ok(())
    }

    /// A header item whose name stood at `start`.
    fn item(&mut self, item: &str, start: &str) -> Result<(), HoaError> {
        let place = self.rest;
        match item {
            "States" => {
                let states = self.number("the number of states")?;
                if states > MAX_STATES {
                    let message = format!("more than {MAX_STATES} states are not read");
                    return self.error_at(place, message);
                }
                self.states = Some(states);
            }
            "Start" => {
                let state = self.number("an initial state")?;
                self.refuse_alternation()?;
                self.initial.push((state, place));
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let Some(name) = self.take(alias)? else {
                    return self.expected("expected an alias name such as `@a`");
                };
                let function = self.expression()?;
                if self.aliases.insert(name, function).is_some() {
                    return self.error(format!("the alias `@{name}` is defined twice"));
                }
            }
            "Acceptance" => self.acceptance()?,
            "properties" => {
                while let Some(word) = self.take(word)? {
                    self.transition_based |= word == "trans-acc";
                }
                self.take(many0_count(plain))?;
            }
            other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let message = format!("the header item `{other}:` is not known");
                return self.error_at(start, message);
            }
            _ => {
                self.take(many0_count(plain))?;
            }
        }
        Ok(())
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
        loop {
            let place = self.rest;
            let Some(name) = self.take(string)? else {
                break;
            };
            if names.contains(&name) {
                let message = format!("the proposition \"{name}\" is declared twice");
                return self.error_at(place, message);
            }
            names.push(name);
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
            while self.take(sign("("))?.is_some() {
                open += 1;
            }
            let place = self.rest;
            match self.take(word)? {
                Some("t") => {}
                Some("f") => satisfiable = false,
                Some("Inf") => {
                    self.sign("(", "expected `(` after `Inf`")?;
                    if self.sees(sign("!"))? {
                        return self.error(refused);
                    }
                    used.0 |= self.set("an acceptance set", sets)?.0;
                    self.sign(")", "expected `)` after the acceptance set")?;
                }
                Some(_) => return self.error_at(place, refused),
                None => return self.expected(refused),
            }
            while open > 0 && self.take(sign(")"))?.is_some() {
                open -= 1;
            }
            if self.take(sign("&"))?.is_none() {
                break;
            }
        }
        if open > 0 {
            return self.expected("expected `)` in the acceptance condition");
        }
        if self.sees(sign("|"))? {
            return self.error(refused);
        }
        if satisfiable && used != Marks::first(sets) {
            return self.error("an acceptance set is declared but not used by the condition");
        }
        self.acceptance = Some((sets, satisfiable));
        Ok(())
    }

    /// `[label]`, if there is one.
    pub(crate) fn label(&mut self) -> Result<Option<Bdd>, HoaError> {
        if self.take(sign("["))?.is_none() {
            return Ok(None);
        }
        let function = self.expression()?;
        self.sign("]", "expected `]` after the label")?;
        Ok(Some(function))
    }

    /// `{0 1}`, if there are any.
    pub(crate) fn marks(&mut self) -> Result<Marks, HoaError> {
        let mut marks = Marks::NONE;
        if self.take(sign("{"))?.is_none() {
            return Ok(marks);
        }
        let sets = self.acceptance.map_or(0, |(sets, _)| sets);
        while self.take(sign("}"))?.is_none() {
            marks.0 |= self.set("an acceptance set or `}`", sets)?.0;
        }
        Ok(marks)
    }

    /// The number of one of so many acceptance sets.
    fn set(&mut self, what: &str, sets: u32) -> Result<Marks, HoaError> {
        let place = self.rest;
        match self.number(what)? {
            set if set < sets => Ok(Marks(1 << set)),
            set => self.error_at(place, format!("there is no acceptance set {set}")),
        }
    }
}
