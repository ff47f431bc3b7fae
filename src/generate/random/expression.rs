//! Conditions and values.
//!
//! A condition is a random tree over a few *different* variables, so that one over two
//! variables really is. Parentheses are around every operand that has an operator, so that
//! nothing depends on precedence and no reading is in doubt.

use super::options::Options;
use super::randomness::Random;

/// Makes expressions over a set of variables.
pub struct Source<'a> {
    pub options: &'a Options,
    pub variables: &'a [String],
}

/// Binary operators with how often they come, plain and other spelling.
const OPERATORS: [(u32, (&str, &str)); 7] = [
    (36, ("&", "&&")),
    (32, ("|", "||")),
    (13, ("=", "==")),
    (10, ("!=", "!=")),
    (5, ("^", "^")),
    (2, ("=>", "=>")),
    (2, ("<=>", "<=>")),
];

impl Source<'_> {
    /// A condition; `*` as often as the options say.
    pub fn condition(&self, random: &mut Random) -> String {
        if self.variables.is_empty() || random.percent(self.options.nondeterminism) {
            return self.choice(random).into();
        }
        self.deterministic(random)
    }

    /// A condition without any nondeterminism, unless there is no variable.
    pub fn deterministic(&self, random: &mut Random) -> String {
        let count = match random.percent(self.options.wide) {
            true => random.weighted(&[(75, 2), (25, 3)]),
            false => 1,
        };
        let variables = random.sample(self.variables, count);
        self.combine(random, &variables)
    }

    /// What a variable may be set to.
    pub fn value(&self, random: &mut Random) -> String {
        if self.variables.is_empty() {
            return self.constant(random).into();
        }
        if random.percent(self.options.schoose) {
            return self.schoose(random);
        }
        if random.percent(self.options.nondeterminism) {
            return self.choice(random).into();
        }
        match random.below(10) {
            0..=2 => self.constant(random).into(),
            3..=6 => {
                let variables = random.sample(self.variables, 1);
                self.combine(random, &variables)
            }
            _ => self.deterministic(random),
        }
    }

    /// As SLAM makes them: one condition that implies 1, another that implies 0.
    fn schoose(&self, random: &mut Random) -> String {
        let positive = self.deterministic(random);
        let negative = match random.below(3) {
            0 => format!("!({positive})"),
            1 => self.constant(random).into(),
            _ => self.deterministic(random),
        };
        format!("schoose[{positive}, {negative}]")
    }

    /// An expression over exactly these variables, without parentheses around it.
    pub fn combine(&self, random: &mut Random, variables: &[String]) -> String {
        match variables {
            [] => self.constant(random).into(),
            [variable] => match random.below(2) {
                0 => variable.clone(),
                _ => format!("{}{variable}", self.negation(random)),
            },
            [a, b, c] if random.percent(25) => {
                let condition = self.literal(random, a);
                let (then, otherwise) = (self.literal(random, b), self.literal(random, c));
                format!("{condition} ? {then} : {otherwise}")
            }
            _ => {
                let middle = random.between(1, variables.len() as u32 - 1) as usize;
                let left = self.operand(random, &variables[..middle]);
                let right = self.operand(random, &variables[middle..]);
                let (plain, other) = random.weighted(&OPERATORS);
                let operator = match self.options.motley && random.percent(40) {
                    true => other,
                    false => plain,
                };
                let whole = format!("{left} {operator} {right}");
                match random.percent(15) {
                    true => format!("{}({whole})", self.negation(random)),
                    false => whole,
                }
            }
        }
    }

    fn literal(&self, random: &mut Random, variable: &String) -> String {
        self.combine(random, std::slice::from_ref(variable))
    }

    fn operand(&self, random: &mut Random, variables: &[String]) -> String {
        let text = self.combine(random, variables);
        match variables.len() {
            1 => text,
            _ => format!("({text})"),
        }
    }

    fn negation(&self, random: &mut Random) -> &'static str {
        match self.options.motley {
            true => random.weighted(&[(8, "!"), (1, "~"), (1, "not ")]),
            false => "!",
        }
    }

    pub fn constant(&self, random: &mut Random) -> &'static str {
        let spellings = [["0", "F", "false", "False"], ["1", "T", "true", "TRUE"]];
        let list = random.pick(&spellings);
        let spelling = match self.options.motley && random.percent(30) {
            true => random.below(list.len() as u32) as usize,
            false => 0,
        };
        list[spelling]
    }

    fn choice(&self, random: &mut Random) -> &'static str {
        match self.options.motley && random.percent(20) {
            true => "?",
            false => "*",
        }
    }
}
