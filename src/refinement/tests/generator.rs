//! Small random programs that calculate, as Remopla and as C: numbers of two or three bits, calls that pass
//! them, loops, and assertions of what is mostly so.

use crate::generate::random::Random;
use std::fmt::Write;

/// The languages that they are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Remopla,
    C,
}

struct Generator {
    random: Random,
    dialect: Dialect,
    text: String,
    /// What may be read and set.
    variables: Vec<&'static str>,
    /// The functions that may be called.
    callees: Vec<&'static str>,
    bits: u32,
}

/// The program of a seed.
pub fn program(seed: u64, dialect: Dialect) -> String {
    let mut random = Random::new(seed, 5);
    let bits = random.between(2, 3);
    let mut generator = Generator {
        random,
        dialect,
        text: String::new(),
        variables: Vec::new(),
        callees: Vec::new(),
        bits,
    };
    generator.all();
    generator.text
}

/// Some lines of predicates on the variables of such programs in Remopla; of functions that one does not have, too.
pub fn predicates(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed, 7);
    let bits = random.between(2, 3);
    let mut generator = Generator {
        random,
        dialect: Dialect::Remopla,
        text: String::new(),
        variables: Vec::new(),
        callees: Vec::new(),
        bits,
    };
    let scopes: [(&str, &[&str]); 4] = [
        ("", &["x", "y"]),
        ("f: ", &["x", "a", "l"]),
        ("g: ", &["y", "a", "l"]),
        ("main: ", &["x", "y", "r", "s"]),
    ];
    let count = generator.random.between(1, 5);
    let lines = (0..count).map(|_| {
        let (scope, variables) = *generator.random.pick(&scopes);
        generator.variables = variables.to_vec();
        format!("{scope}{}", generator.condition(1))
    });
    lines.collect()
}

impl Generator {
    fn is_c(&self) -> bool {
        self.dialect == Dialect::C
    }

    fn declaration(&self, name: &str) -> String {
        match self.is_c() {
            true => format!("unsigned char {name}"),
            false => format!("int {name}({})", self.bits),
        }
    }

    fn all(&mut self) {
        if self.is_c() {
            self.text
                .push_str("void assert(int); unsigned char any(void);\n");
        } else {
            let bits = self.bits;
            let _ = writeln!(self.text, "define DEFAULT_INT_BITS {bits}");
        }
        let functions = match self.random.below(3) {
            0 => &["f"][..],
            _ => &["g", "f"][..],
        };
        for name in ["x", "y"] {
            let _ = writeln!(self.text, "{};", self.declaration(name));
        }
        for name in functions {
            let parameter = self.declaration("a");
            let _ = match self.is_c() {
                true => writeln!(self.text, "unsigned char {name}({parameter}) {{"),
                false => writeln!(
                    self.text,
                    "module int({}) {name}({parameter}) {{",
                    self.bits
                ),
            };
            // Some call themselves.
            if self.random.percent(25) {
                self.callees.push(name);
            }
            self.body(&["x", "y", "a", "l"], "l");
            let value = self.value(2);
            let _ = writeln!(self.text, "return {value};\n}}");
            self.callees.retain(|other| other != name);
            self.callees.push(name);
        }
        let _ = match self.is_c() {
            true => writeln!(self.text, "int main(void) {{"),
            false => writeln!(self.text, "init main;\nmodule void main() {{"),
        };
        self.body(&["x", "y", "r", "s"], "r");
        self.text.push_str("}\n");
    }

    /// A body whose locals are the last of these variables, from this one on.
    fn body(&mut self, variables: &[&'static str], first: &str) {
        self.variables = variables.to_vec();
        let own = variables.iter().skip_while(|name| **name != first);
        let own: Vec<&str> = own.copied().collect();
        for name in &own {
            let _ = writeln!(self.text, "{};", self.declaration(name));
        }
        let is_main = first == "r";
        for name in variables
            .iter()
            .filter(|name| is_main || own.contains(name))
        {
            if self.random.percent(80) {
                let value = self.constant();
                let _ = writeln!(self.text, "{name} = {value};");
            }
        }
        let count = self.random.between(2, 4);
        (0..count).for_each(|_| self.statement(1));
    }

    fn statement(&mut self, nesting: u32) {
        let what = self.random.weighted(&[
            (5, 0),
            (if self.callees.is_empty() { 0 } else { 5 }, 1),
            (3, 2),
            (3 * nesting, 3),
            (2 * nesting, 4),
        ]);
        let variables = self.variables.clone();
        let target = *self.random.pick(&variables);
        match what {
            0 if self.is_c() && self.random.percent(15) => {
                let mask = (1 << self.bits) - 1;
                let _ = writeln!(self.text, "{target} = any() & {mask};");
            }
            0 => {
                let value = self.value(2);
                let _ = writeln!(self.text, "{target} = {value};");
            }
            1 => {
                let callees = self.callees.clone();
                let callee = *self.random.pick(&callees);
                let argument = self.value(1);
                let _ = writeln!(self.text, "{target} = {callee}({argument});");
            }
            2 => {
                let [a, b] = [0, 1].map(|_| match self.random.percent(50) {
                    true => format!("{} != {}", self.number(1), self.constant()),
                    false => self.condition(0),
                });
                let _ = writeln!(self.text, "assert({a} || {b});");
            }
            _ => {
                let condition = self.condition(1);
                let is_loop = what == 4;
                let _ = match (self.is_c(), is_loop) {
                    (true, true) => writeln!(self.text, "while ({condition}) {{"),
                    (true, false) => writeln!(self.text, "if ({condition}) {{"),
                    (false, true) => writeln!(self.text, "do :: {condition} ->"),
                    (false, false) => writeln!(self.text, "if :: {condition} ->"),
                };
                (0..self.random.between(1, 2)).for_each(|_| self.statement(nesting - 1));
                let end = match (self.is_c(), is_loop) {
                    (true, _) => "}",
                    (false, true) => ":: else -> break; od;",
                    (false, false) => ":: else -> skip; fi;",
                };
                let _ = writeln!(self.text, "{end}");
            }
        }
    }

    fn constant(&mut self) -> u32 {
        self.random.below(1 << self.bits)
    }

    /// A number that fits.
    fn value(&mut self, depth: u32) -> String {
        let value = self.number(depth);
        match self.is_c() {
            true => format!("({value}) & {}", (1 << self.bits) - 1),
            false => value,
        }
    }

    fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.percent(30) {
            let variables = self.variables.clone();
            return match self.random.percent(60) {
                true => (*self.random.pick(&variables)).to_owned(),
                false => self.constant().to_string(),
            };
        }
        let operator = self.random.weighted(&[(4, "+"), (4, "-"), (1, "*")]);
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        format!("({a} {operator} {b})")
    }

    fn condition(&mut self, depth: u32) -> String {
        if depth > 0 && self.random.percent(25) {
            let operator = self.random.pick(&["&&", "||"]);
            let (a, b) = (self.condition(0), self.condition(0));
            return format!("({a} {operator} {b})");
        }
        let operator = self.random.pick(&["<", "<=", "==", "!=", ">"]);
        let (a, b) = (self.number(1), self.number(1));
        format!("{a} {operator} {b}")
    }
}
