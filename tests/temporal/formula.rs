//! Random formulas over the names of a program.

use super::random::Random;
use derny::internals::program::Program;
use std::fmt;

#[derive(Clone, Debug)]
pub enum Formula {
    Atom(String),
    Unary(&'static str, Box<Formula>),
    Binary(&'static str, Box<Formula>, Box<Formula>),
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Atom(text) => f.write_str(text),
            Formula::Unary(operator, operand) => write!(f, "{operator} ({operand})"),
            Formula::Binary(operator, left, right) => write!(f, "({left}) {operator} ({right})"),
        }
    }
}

impl Formula {
    pub fn unary(operator: &'static str, operand: Formula) -> Self {
        Formula::Unary(operator, Box::new(operand))
    }

    pub fn binary(operator: &'static str, left: Formula, right: Formula) -> Self {
        Formula::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Every formula with one operator less.
    pub fn smaller(&self) -> Vec<Formula> {
        match self {
            Formula::Atom(text) if text == "1" || text == "0" => Vec::new(),
            Formula::Atom(_) => vec![Formula::Atom("1".into()), Formula::Atom("0".into())],
            Formula::Unary(operator, operand) => {
                let mut smaller = vec![(**operand).clone()];
                let inside = operand.smaller().into_iter();
                smaller.extend(inside.map(|o| Formula::unary(operator, o)));
                smaller
            }
            Formula::Binary(operator, left, right) => {
                let mut smaller = vec![(**left).clone(), (**right).clone()];
                let lefts = left.smaller().into_iter();
                smaller.extend(lefts.map(|l| Formula::binary(operator, l, (**right).clone())));
                let rights = right.smaller().into_iter();
                smaller.extend(rights.map(|r| Formula::binary(operator, (**left).clone(), r)));
                smaller
            }
        }
    }
}

/// What a formula may speak of: every row of the table of propositions.
pub struct Vocabulary {
    globals: Vec<String>,
    procedures: Vec<String>,
    /// `p.x`.
    locals: Vec<String>,
    /// `at(p.L)`.
    labels: Vec<String>,
}

impl Vocabulary {
    pub fn of(program: &Program) -> Self {
        let text = |name| program.names.text(name);
        let procedures = || program.procedures.iter();
        Vocabulary {
            globals: program
                .globals
                .iter()
                .map(|g| braced(text(g.name)))
                .collect(),
            procedures: procedures()
                .map(|p| format!("in({})", text(p.name)))
                .collect(),
            locals: procedures()
                .flat_map(|p| {
                    let locals = p.locals.iter();
                    locals.map(move |x| format!("{}.{}", text(p.name), text(x.name)))
                })
                .collect(),
            labels: (program.labels.iter())
                .map(|(point, label)| {
                    let procedure = text(program.procedure_of(*point).name);
                    format!("at({procedure}.{})", text(*label))
                })
                .collect(),
        }
    }

    fn atom(&self, random: &mut Random) -> String {
        let (list, negated) = match random.below(20) {
            0 => return "error".into(),
            1 | 2 => return "terminated".into(),
            3 => return "1".into(),
            4..=8 => (&self.globals, false),
            9..=11 => (&self.locals, false),
            12 => (&self.locals, true),
            13..=16 => (&self.labels, false),
            17 => return self.expression(random),
            _ => (&self.procedures, false),
        };
        match (list.is_empty(), negated) {
            (true, _) => "terminated".into(),
            (false, false) => random.pick(list).clone(),
            (false, true) => format!("{{!{}}}", random.pick(list)),
        }
    }

    /// `{ g & p.x }` and the like.
    fn expression(&self, random: &mut Random) -> String {
        let variable = |random: &mut Random| {
            let list = match random.percent(50) && !self.locals.is_empty() {
                true => &self.locals,
                false => &self.globals,
            };
            match list.is_empty() {
                true => "1".to_owned(),
                false => unbraced(random.pick::<String>(list)).to_owned(),
            }
        };
        let operator = *random.pick(&["&", "|", "=", "!=", "=>"]);
        let (left, right) = (variable(random), variable(random));
        format!("{{ {left} {operator} !{right} }}")
    }

    pub fn formula(&self, random: &mut Random, size: usize) -> Formula {
        if size == 0 {
            return Formula::Atom(self.atom(random));
        }
        let kind = random.below(100);
        if size == 1 || kind < 45 {
            let operator = *random.pick(&["!", "G", "F", "X", "G", "F", "G", "F", "[]", "<>"]);
            return Formula::unary(operator, self.formula(random, size - 1));
        }
        let operators = [
            "U", "R", "V", "W", "M", "U", "&&", "||", "->", "->", "<->", "xor",
        ];
        let left = random.below(size);
        let operator = random.pick(&operators);
        let left_operand = self.formula(random, left);
        Formula::binary(
            operator,
            left_operand,
            self.formula(random, size - 1 - left),
        )
    }
}

/// `{g}`, which is not ambiguous; a name in braces stays as it is.
fn braced(name: &str) -> String {
    match name.starts_with('{') {
        true => name.to_owned(),
        false => format!("{{{name}}}"),
    }
}

/// The name of a global inside an expression.
fn unbraced(name: &str) -> &str {
    let plain = name.strip_prefix('{').and_then(|n| n.strip_suffix('}'));
    let is_word = |n: &&str| n.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain.filter(is_word).unwrap_or(name)
}
