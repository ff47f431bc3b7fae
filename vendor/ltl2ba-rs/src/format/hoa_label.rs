//! Label expressions of HOA files, read into BDDs.
//!
//! Operator precedence with explicit stacks, so nesting is bounded by memory only. A
//! label whose BDD exceeds the node limit is an error: files are not trusted.

use crate::bdd::{self, Bdd};
use crate::format::hoa_error::HoaError;
use crate::format::hoa_header::Reader;
use crate::format::hoa_token::{alias, number, sign, word};

/// An operator that waits for its right operand, weakest first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Waiting {
    Open,
    Or,
    And,
    Not,
}

impl Reader<'_> {
    /// The function of an expression. It ends at the first token that cannot go on, outside
    /// parentheses.
    pub(crate) fn expression(&mut self) -> Result<Bdd, HoaError> {
        let mut values: Vec<Bdd> = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        loop {
            while let Some(prefix) = self.take(sign("!("))? {
                waiting.push(match prefix {
                    '!' => Waiting::Not,
                    _ => Waiting::Open,
                });
            }
            values.push(self.atom()?);
            // Closes parentheses, until an operator asks for the next operand.
            loop {
                let place = self.rest;
                let operator = match self.take(sign("&|)"))? {
                    Some('&') => Waiting::And,
                    Some('|') => Waiting::Or,
                    Some(_) => Waiting::Open,
                    None => return self.whole(values, waiting),
                };
                self.apply(&mut values, &mut waiting, operator.max(Waiting::Or));
                match operator {
                    Waiting::Open if waiting.pop().is_none() => {
                        return self.error_at(place, "this parenthesis was never opened");
                    }
                    Waiting::Open => {}
                    _ => waiting.push(operator),
                }
                if self.bdd.exhausted() {
                    return self.error_at(place, "this label is too complex");
                }
                if operator != Waiting::Open {
                    break;
                }
            }
        }
    }

    /// The value of a whole expression, once nothing goes on with it.
    fn whole(&mut self, mut values: Vec<Bdd>, mut waiting: Vec<Waiting>) -> Result<Bdd, HoaError> {
        self.apply(&mut values, &mut waiting, Waiting::Or);
        if !waiting.is_empty() {
            return self.expected("expected `)` in the label");
        }
        if self.bdd.exhausted() {
            return self.error("this label is too complex");
        }
        Ok(values.pop().unwrap_or(bdd::FALSE))
    }

    /// Applies waiting operators that bind at least as tightly as `limit`.
    fn apply(&mut self, values: &mut Vec<Bdd>, waiting: &mut Vec<Waiting>, limit: Waiting) {
        while let Some(operator) = waiting.pop_if(|operator| *operator >= limit) {
            let right = values.pop().unwrap_or(bdd::FALSE);
            let result = match operator {
                Waiting::Not => self.bdd.not(right),
                _ => {
                    let left = values.pop().unwrap_or(bdd::FALSE);
                    match operator {
                        Waiting::And => self.bdd.and(left, right),
                        _ => self.bdd.or(left, right),
                    }
                }
            };
            values.push(result);
        }
    }

    fn atom(&mut self) -> Result<Bdd, HoaError> {
        let place = self.rest;
        if let Some(index) = self.take(number)? {
            let count = self.propositions.as_ref().map_or(0, Vec::len) as u32;
            if index < count {
                return Ok(self.bdd.variable(index));
            }
            let message = format!("there is no proposition {index}: `AP:` declares {count}");
            return self.error_at(place, message);
        }
        if let Some(name) = self.take(alias)? {
            return match self.aliases.get(name) {
                Some(function) => Ok(*function),
                None => self.error_at(place, format!("the alias `@{name}` is not defined")),
            };
        }
        let wanted = "expected a proposition number, `t`, `f`, an alias, `!` or `(`";
        match self.take(word)? {
            Some("t") => Ok(bdd::TRUE),
            Some("f") => Ok(bdd::FALSE),
            Some(_) => self.error_at(place, wanted),
            None if place.is_empty() => self.error("the label ends too early"),
            None => self.expected(wanted),
        }
    }
}
