//! Label expressions of HOA files, read into BDDs.
//!
//! Operator precedence with explicit stacks, so nesting is bounded by memory only. A
//! label whose BDD exceeds the node limit is an error: files are not trusted.

use crate::bdd::{self, Bdd, Manager};
use crate::format::hoa_error::HoaError;
use crate::format::hoa_lexer::Token;
use rustc_hash::FxHashMap;

/// What an expression is read with.
pub(crate) struct Labels<'a> {
    pub(crate) text: &'a str,
    pub(crate) propositions: u32,
    pub(crate) aliases: &'a FxHashMap<String, Bdd>,
    pub(crate) bdd: &'a mut Manager,
}

/// An operator that waits for its right operand, weakest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Waiting {
    Open,
    Or,
    And,
    Not,
}

impl Labels<'_> {
    /// Reads an expression from the front of the tokens: its function and how many tokens
    /// it takes. It ends at the first token that cannot go on, outside parentheses.
    pub(crate) fn read(&mut self, tokens: &[(Token, usize)]) -> Result<(Bdd, usize), HoaError> {
        let mut values: Vec<Bdd> = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut operand_next = true;
        let mut used = 0;
        for (token, offset) in tokens {
            if operand_next {
                match token {
                    Token::Symbol('!') => waiting.push(Waiting::Not),
                    Token::Symbol('(') => waiting.push(Waiting::Open),
                    _ => {
                        values.push(self.atom(token, *offset)?);
                        operand_next = false;
                    }
                }
                used += 1;
                continue;
            }
            match token {
                Token::Symbol('&') => {
                    self.apply(&mut values, &mut waiting, Waiting::And);
                    waiting.push(Waiting::And);
                    operand_next = true;
                }
                Token::Symbol('|') => {
                    self.apply(&mut values, &mut waiting, Waiting::Or);
                    waiting.push(Waiting::Or);
                    operand_next = true;
                }
                Token::Symbol(')') => {
                    self.apply(&mut values, &mut waiting, Waiting::Or);
                    if waiting.pop() != Some(Waiting::Open) {
                        let message = "this parenthesis was never opened";
                        return Err(HoaError::at(self.text, *offset, message));
                    }
                }
                _ => break,
            }
            used += 1;
            if self.bdd.exhausted() {
                return Err(HoaError::at(
                    self.text,
                    *offset,
                    "this label is too complex",
                ));
            }
        }
        let end = tokens
            .get(used)
            .map_or(self.text.len(), |(_, offset)| *offset);
        if operand_next {
            return Err(HoaError::at(self.text, end, "the label ends too early"));
        }
        self.apply(&mut values, &mut waiting, Waiting::Or);
        if !waiting.is_empty() {
            return Err(HoaError::at(self.text, end, "expected `)` in the label"));
        }
        if self.bdd.exhausted() {
            return Err(HoaError::at(self.text, end, "this label is too complex"));
        }
        Ok((values.pop().unwrap_or(bdd::FALSE), used))
    }

    /// Applies waiting operators that bind at least as tightly as `limit`.
    fn apply(&mut self, values: &mut Vec<Bdd>, waiting: &mut Vec<Waiting>, limit: Waiting) {
        while let Some(&operator) = waiting.last() {
            if operator < limit {
                return;
            }
            waiting.pop();
            let right = values.pop().unwrap_or(bdd::FALSE);
            let result = match operator {
                Waiting::Not => self.bdd.not(right),
                Waiting::And | Waiting::Or | Waiting::Open => {
                    let left = values.pop().unwrap_or(bdd::FALSE);
                    if operator == Waiting::And {
                        self.bdd.and(left, right)
                    } else {
                        self.bdd.or(left, right)
                    }
                }
            };
            values.push(result);
        }
    }

    fn atom(&mut self, token: &Token, offset: usize) -> Result<Bdd, HoaError> {
        let message = match token {
            Token::Word(word) if word == "t" => return Ok(bdd::TRUE),
            Token::Word(word) if word == "f" => return Ok(bdd::FALSE),
            Token::Number(index) if *index < self.propositions => {
                return Ok(self.bdd.variable(*index));
            }
            Token::Number(index) => format!(
                "there is no proposition {index}: `AP:` declares {}",
                self.propositions
            ),
            Token::Alias(name) => match self.aliases.get(name) {
                Some(&function) => return Ok(function),
                None => format!("the alias `@{name}` is not defined"),
            },
            _ => "expected a proposition number, `t`, `f`, an alias, `!` or `(`".to_owned(),
        };
        Err(HoaError::at(self.text, offset, message))
    }
}
