//! Reading the Hanoi Omega-Automata format, version 1.
//!
//! What is read: nondeterministic automata with Büchi or generalised Büchi acceptance
//! (`Inf(0) & Inf(1) & …`, in any order; `t`; `f`), marks on states or edges, labels on
//! edges, on states or implicit, aliases, several initial states. What is not read is
//! refused with its place: alternation, other acceptance conditions, version 2.
//!
//! Files are not trusted: nothing recurses, and numbers that would make us allocate
//! (`States: 4000000000`) are bounded.

use crate::automaton::{Automaton, Edge, Marks, label_of};
use crate::bdd::{self, Bdd, Manager};
use crate::format::hoa_error::HoaError;
use crate::format::hoa_label::Labels;
use crate::format::hoa_lexer::{Token, lex};
use rustc_hash::FxHashMap;

/// More states than this are refused.
const MAX_STATES: u32 = 10_000_000;
/// More propositions than this are refused: the BDDs of labels recurse once for each.
const MAX_PROPOSITIONS: u32 = 2048;
/// BDD nodes that all labels together may take.
const MAX_NODES: usize = 4_000_000;
/// Implicit labels enumerate letters, so only few propositions may have them.
const MAX_IMPLICIT: usize = 16;

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize)>,
    at: usize,
    bdd: Manager,
    aliases: FxHashMap<String, Bdd>,
    propositions: Option<Vec<String>>,
    states: Option<u32>,
    initial: Vec<(u32, usize)>,
    /// Number of acceptance sets and whether anything is accepted at all.
    acceptance: Option<(u32, bool)>,
    /// Whether the file says that marks are meant for edges.
    transition_based: bool,
}

/// An edge whose target is checked once all states are known.
struct RawEdge {
    source: u32,
    target: u32,
    offset: usize,
    label: Bdd,
    marks: Marks,
}

/// Reads the first automaton of a HOA file.
///
/// ```
/// let formula = ltl2ba_rs::parse("a U b").unwrap().formula;
/// let automaton = ltl2ba_rs::translate(&formula, &Default::default()).unwrap();
/// let again = ltl2ba_rs::hoa::read(&automaton.to_hoa("a U b")).unwrap();
/// assert_eq!(again, automaton);
/// ```
///
/// # Errors
/// With line and column, if the text is no HOA automaton of a kind that can be read.
pub fn read(text: &str) -> Result<Automaton, HoaError> {
    let mut reader = Reader {
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
    };
    reader.header()?;
    reader.body()
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn offset(&self) -> usize {
        self.tokens
            .get(self.at)
            .map_or(self.text.len(), |&(_, offset)| offset)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        Err(HoaError::at(self.text, self.offset(), message))
    }

    fn take(&mut self, token: &Token) -> bool {
        let same = self.peek() == Some(token);
        self.at += same as usize;
        same
    }

    fn number(&mut self, what: &str) -> Result<u32, HoaError> {
        match self.peek() {
            Some(&Token::Number(number)) => {
                self.at += 1;
                Ok(number)
            }
            _ => self.error(format!("expected {what}, a number")),
        }
    }

    fn header(&mut self) -> Result<(), HoaError> {
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
            // Names that begin with a capital letter may change the meaning; others not.
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

    fn expression(&mut self) -> Result<Bdd, HoaError> {
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
    fn label(&mut self) -> Result<Option<Bdd>, HoaError> {
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
    fn marks(&mut self) -> Result<Marks, HoaError> {
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

    fn body(&mut self) -> Result<Automaton, HoaError> {
        let mut edges: Vec<RawEdge> = Vec::new();
        let mut seen: FxHashMap<u32, Marks> = FxHashMap::default();
        let mut greatest = 0;
        loop {
            match self.peek() {
                Some(Token::Header(word)) if word == "State" => self.at += 1,
                Some(Token::End) => break,
                Some(Token::Abort) => return self.error("the automaton was aborted by its writer"),
                Some(_) => return self.error("expected `State:` or `--END--`"),
                None => return self.error("the file ends before `--END--`"),
            }
            let state_label = self.label()?;
            let state = self.number("the state")?;
            if state >= self.states.unwrap_or(MAX_STATES) {
                self.at -= 1;
                return self.error(format!("there is no state {state}"));
            }
            if matches!(self.peek(), Some(Token::Text(_))) {
                self.at += 1;
            }
            let marks = self.marks()?;
            if seen.insert(state, marks).is_some() {
                return self.error(format!("state {state} is described twice"));
            }
            greatest = greatest.max(state);
            self.edges(state, state_label, marks, &mut edges)?;
        }
        self.assemble(edges, greatest)
    }

    fn edges(
        &mut self,
        source: u32,
        state_label: Option<Bdd>,
        state_marks: Marks,
        edges: &mut Vec<RawEdge>,
    ) -> Result<(), HoaError> {
        let count = self.propositions.as_ref().map_or(0, Vec::len);
        let mut implicit = 0u64;
        while matches!(self.peek(), Some(Token::Symbol('[') | Token::Number(_))) {
            let own = self.label()?;
            let offset = self.offset();
            let label = match (own, state_label) {
                (Some(_), Some(_)) => {
                    return self.error("an edge of a labelled state has a label of its own");
                }
                (Some(label), None) | (None, Some(label)) => label,
                (None, None) => {
                    if count > MAX_IMPLICIT || implicit >= 1 << count {
                        return self.error("this edge has no label, and no letter is left for it");
                    }
                    let literals: Vec<(u32, bool)> = (0..count as u32)
                        .map(|p| (p, implicit >> p & 1 == 1))
                        .collect();
                    implicit += 1;
                    self.bdd.product(&literals)
                }
            };
            let target = self.number("the target state")?;
            if self.peek() == Some(&Token::Symbol('&')) {
                return self.error("alternating automata are not read");
            }
            let marks = Marks(self.marks()?.0 | state_marks.0);
            edges.push(RawEdge {
                source,
                target,
                offset,
                label,
                marks,
            });
        }
        if implicit > 0 && implicit < 1 << count {
            return self.error(format!(
                "state {source} has too few edges for implicit labels"
            ));
        }
        Ok(())
    }

    fn assemble(&mut self, raw: Vec<RawEdge>, greatest: u32) -> Result<Automaton, HoaError> {
        let (sets, satisfiable) = self.acceptance.unwrap_or((0, true));
        let mentioned = self.initial.iter().map(|&(state, _)| state);
        let states = self.states.unwrap_or_else(|| {
            let targets = raw.iter().map(|edge| edge.target);
            mentioned
                .chain(targets)
                .fold(greatest, u32::max)
                .saturating_add(1)
        });
        if states > MAX_STATES {
            return self.error(format!("more than {MAX_STATES} states are not read"));
        }
        let targets = raw.iter().map(|edge| (edge.target, edge.offset));
        for (state, offset) in self.initial.iter().copied().chain(targets) {
            if state >= states {
                let message = format!("there is no state {state}");
                return Err(HoaError::at(self.text, offset, message));
            }
        }
        let mut edges: Vec<Edge> = Vec::with_capacity(raw.len());
        for edge in raw {
            // An edge for no letter is none.
            if edge.label == bdd::FALSE {
                continue;
            }
            edges.push(Edge {
                source: edge.source,
                label: label_of(edge.label, &mut self.bdd),
                target: edge.target,
                marks: if satisfiable { edge.marks } else { Marks::NONE },
            });
        }
        if self.bdd.exhausted() {
            return self.error("the labels are too complex");
        }
        edges.sort_by_key(|edge| edge.source);
        let mut initial: Vec<u32> = Vec::new();
        for &(state, _) in &self.initial {
            if !initial.contains(&state) {
                initial.push(state);
            }
        }
        // Never satisfied: one set that no edge belongs to.
        let acceptance_sets = if satisfiable { sets } else { 1 };
        let uniform = edges
            .chunk_by(|a, b| a.source == b.source)
            .all(|out| out.iter().all(|edge| edge.marks == out[0].marks));
        Ok(Automaton {
            propositions: self.propositions.take().unwrap_or_default(),
            states,
            initial,
            edges,
            acceptance_sets,
            state_based: acceptance_sets == 1 && uniform && !self.transition_based,
        })
    }
}
