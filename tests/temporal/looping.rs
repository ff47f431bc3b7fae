//! Random programs that run for ever more often than not: loops, recursion with and without
//! an end, few assumptions. One statement a line, so that lines can be taken out.

use super::random::Random;
use std::fmt::Write;

const GLOBALS: [&str; 2] = ["a", "b"];

struct Procedure {
    name: &'static str,
    parameter: bool,
    returns: bool,
    local: bool,
}

struct Writer<'a> {
    random: Random,
    procedures: &'a [Procedure],
    text: String,
    labels: usize,
    /// The labels of this procedure that stand already.
    own_labels: Vec<usize>,
    current: usize,
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 1 + random.below(3);
    let mut procedures = Vec::new();
    for (i, name) in ["main", "p", "q"].into_iter().enumerate().take(count) {
        procedures.push(Procedure {
            name,
            parameter: i > 0 && random.percent(40),
            returns: i > 0 && random.percent(40),
            local: random.percent(50),
        });
    }
    let mut writer = Writer {
        random,
        procedures: &procedures,
        text: "decl a, b;\n".into(),
        labels: 0,
        own_labels: Vec::new(),
        current: 0,
    };
    for current in 0..count {
        writer.current = current;
        writer.procedure();
    }
    writer.text
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn procedure(&mut self) {
        let procedure = &self.procedures[self.current];
        self.own_labels.clear();
        let kind = if procedure.returns { "bool" } else { "void" };
        let parameter = if procedure.parameter { "v" } else { "" };
        self.line(&format!("{kind} {}({parameter})\nbegin", procedure.name));
        if procedure.local {
            self.line("decl x;");
        }
        if self.random.percent(4) {
            let condition = self.expression();
            self.line(&format!("enforce {condition} | a;"));
        }
        let count = 1 + self.random.below(4);
        let for_ever = self.current == 0 && self.random.percent(50);
        if for_ever {
            self.line("while (1) do");
        }
        self.sequence(count, 2);
        if for_ever {
            self.line("od");
        }
        if procedure.returns && self.random.percent(80) {
            let value = self.expression();
            self.line(&format!("return {value};"));
        }
        self.line("end");
    }

    fn variables(&self) -> Vec<&'static str> {
        let procedure = &self.procedures[self.current];
        let mut variables = GLOBALS.to_vec();
        if procedure.parameter {
            variables.push("v");
        }
        if procedure.local {
            variables.push("x");
        }
        variables
    }

    fn variable(&mut self) -> &'static str {
        let variables = self.variables();
        self.random.pick::<&str>(&variables)
    }

    fn expression(&mut self) -> String {
        let (first, second) = (self.variable(), self.variable());
        match self.random.below(10) {
            0 | 1 => "*".into(),
            2 => "1".into(),
            3 => "0".into(),
            4 | 5 => first.into(),
            6 | 7 => format!("!{first}"),
            8 => format!("({first} | {second})"),
            _ => format!("({first} != {second})"),
        }
    }

    fn sequence(&mut self, count: usize, nesting: usize) {
        for _ in 0..count {
            self.statement(nesting);
        }
    }

    fn label(&mut self) {
        if self.random.percent(30) {
            let _ = write!(self.text, "L{}: ", self.labels);
            self.own_labels.push(self.labels);
            self.labels += 1;
        }
    }

    fn statement(&mut self, nesting: usize) {
        self.label();
        let kinds = if nesting > 0 { 20 } else { 15 };
        match self.random.below(kinds) {
            0 => self.line("skip;"),
            1..=4 => {
                let (target, value) = (self.variable(), self.expression());
                self.line(&format!("{target} := {value};"));
            }
            5 => {
                let (first, second) = (self.expression(), self.expression());
                let with = ["", " constrain 'a | b"][usize::from(self.random.percent(30))];
                self.line(&format!("a, b := {first}, {second}{with};"));
            }
            6..=10 => self.call(),
            11 => {
                let condition = self.expression();
                let word = *self.random.pick(&["assume", "assume", "assert", "abortif"]);
                self.line(&format!("{word}({condition});"));
            }
            12 => match self.own_labels.is_empty() {
                true => self.line("skip;"),
                false => {
                    let label = *self.random.pick(&self.own_labels);
                    self.line(&format!("goto L{label};"));
                }
            },
            13 => {
                let name = self.variable();
                self.line(&format!("dead {name};"));
            }
            14 => match self.procedures[self.current].returns {
                true => {
                    let value = self.expression();
                    self.line(&format!("return {value};"));
                }
                false => self.line("return;"),
            },
            15 | 16 => {
                let condition = self.expression();
                self.line(&format!("if ({condition}) then"));
                let count = 1 + self.random.below(2);
                self.sequence(count, nesting - 1);
                if self.random.percent(40) {
                    self.line("else");
                    self.sequence(1, nesting - 1);
                }
                self.line("fi");
            }
            _ => {
                let condition = match self.random.percent(50) {
                    true => "*".into(),
                    false => self.expression(),
                };
                self.line(&format!("while ({condition}) do"));
                let count = 1 + self.random.below(3);
                self.sequence(count, nesting - 1);
                self.line("od");
            }
        }
    }

    fn call(&mut self) {
        if self.procedures.len() == 1 {
            return self.line("skip;");
        }
        // main is seldom called, the others often, by themselves too.
        let index = match self.random.percent(8) {
            true => 0,
            false => 1 + self.random.below(self.procedures.len() - 1),
        };
        let procedures = self.procedures;
        let callee = &procedures[index];
        let argument = match callee.parameter {
            true => self.expression(),
            false => String::new(),
        };
        let target = match callee.returns && self.random.percent(70) {
            true => format!("{} := ", self.variable()),
            false => String::new(),
        };
        self.line(&format!("{target}{}({argument});", callee.name));
    }
}
