//! Random indices, terms and conditions over what a program has declared.

use super::{Form, Generator, Kind};

impl Generator {
    pub(super) fn index(&mut self, low: u32, length: u32) -> String {
        let constant = (low + self.random.below(length)).to_string();
        if let Some(bound) = self.bound.filter(|_| self.random.percent(40)) {
            return bound.to_owned();
        }
        let variables = self.globals.iter().chain(&self.locals);
        let numbers: Vec<_> = variables
            .filter(|v| matches!(v.form, Form::Scalar(Kind::Int(_) | Kind::Enum)))
            .map(|v| v.name.clone())
            .collect();
        if numbers.is_empty() || self.random.percent(40) {
            return constant;
        }
        let name = self.random.pick(&numbers).clone();
        match self.random.below(4) {
            0 => format!("{name} + {low}"),
            1 => format!("{name} & 1"),
            _ => name,
        }
    }

    pub(super) fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.percent(35) {
            let constant = self.random.below(4).to_string();
            if let Some(bound) = self.bound.filter(|_| self.random.percent(50)) {
                return bound.to_owned();
            }
            return match (self.target(Some(false)), self.random.below(10)) {
                (_, 0) => "two".to_owned(),
                (_, 1) => "blue".to_owned(),
                (Some((place, _)), 2..=8) => place,
                _ => constant,
            };
        }
        let operators = ["+", "+", "-", "-", "*", "/", "<<", ">>", "&", "|", "^"];
        let operator = *self.random.pick(&operators);
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        format!("({a} {operator} {b})")
    }

    pub(super) fn condition(&mut self, depth: u32) -> String {
        let choice = match depth {
            0 => self.random.below(5),
            _ => self.random.below(10),
        };
        match choice {
            0 | 1 => match self.target(Some(true)) {
                Some((place, _)) => place,
                None => "true".to_owned(),
            },
            2..=4 => {
                let operators = ["==", "!=", "<", "<=", ">", ">="];
                let operator = *self.random.pick(&operators);
                let (a, b) = (self.number(1), self.number(depth.min(1)));
                format!("{a} {operator} {b}")
            }
            5 => format!("!({})", self.condition(depth - 1)),
            6 if self.bound.is_none() => {
                let quantifier = if self.random.percent(50) { "A" } else { "E" };
                self.bound = Some("k");
                let inner = self.condition(depth - 1);
                self.bound = None;
                format!("({quantifier} k (0,1) {inner})")
            }
            _ => {
                let operator = *self.random.pick(&["&&", "&&", "||", "||", "^^", "=="]);
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("(({a}) {operator} ({b}))")
            }
        }
    }

    /// A value for something of this form.
    pub(super) fn value(&mut self, form: Form) -> String {
        match form {
            Form::Scalar(Kind::Bool) => self.condition(1),
            Form::Scalar(_) => self.number(2),
            whole => {
                let variables = self.globals.iter().chain(&self.locals);
                let same: Vec<_> = variables.filter(|v| v.form == whole).collect();
                match same.is_empty() {
                    true => "undef".to_owned(),
                    false => self.random.pick(&same).name.clone(),
                }
            }
        }
    }
}
