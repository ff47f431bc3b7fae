//! Random pushdown systems, small enough for explicit states.
//!
//! Each rule says of every variable after it one of: that it is kept, that it has some value
//! computed from those before, that it stands in some relation, or nothing.

use super::random::Random;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Truth,
    /// With this many bits.
    Number(u32),
    /// An array of two truth values, or of two numbers of one bit.
    Truths,
    Numbers,
}

#[derive(Clone)]
struct Variable {
    name: &'static str,
    kind: Kind,
}

struct Shape {
    states: usize,
    symbols: usize,
    globals: Vec<Variable>,
    /// The locals of groups of symbols, and the group of each symbol.
    groups: Vec<Vec<Variable>>,
    group_of: Vec<usize>,
}

pub const STATES: [&str; 3] = ["p", "q", "r"];

/// A system, and what formulas may speak of.
pub fn system(seed: u64) -> (String, Vec<String>) {
    let mut random = Random::new(seed);
    let shape = shape(&mut random);
    let mut text = String::new();
    declare(&mut text, "global", &shape.globals);
    for (number, group) in shape.groups.iter().enumerate().skip(1) {
        let members = (0..shape.symbols).filter(|s| shape.group_of[*s] == number);
        let members: Vec<_> = members.map(|s| format!("s{s}")).collect();
        if !members.is_empty() {
            declare(&mut text, &format!("local ({})", members.join(", ")), group);
        }
    }
    let start = random.percent(50);
    let condition = match shape.globals.first() {
        Some(global) if start => format!(" ({})", truth(&mut random, &[(global.clone(), "")], 1)),
        _ => String::new(),
    };
    text.push_str(&format!("({}{condition} <s0>)\n", STATES[0]));
    for symbol in 0..shape.symbols {
        if random.percent(30) {
            text.push_str(&format!("atoms s{symbol} hot\n"));
        }
    }
    for symbol in 0..shape.symbols {
        for _ in 0..=random.below(3) {
            rule(&mut random, &shape, symbol, &mut text);
        }
    }
    let vocabulary = vocabulary(&shape, &text);
    (text, vocabulary)
}

fn shape(random: &mut Random) -> Shape {
    let variable = |name, kind| Variable { name, kind };
    let mut globals = Vec::new();
    if random.percent(60) {
        globals.push(variable("g", Kind::Truth));
    }
    if random.percent(30) {
        globals.push(variable("h", Kind::Number(2)));
    }
    if random.percent(15) {
        globals.push(variable("a", Kind::Numbers));
    }
    let mut groups = vec![Vec::new()];
    for _ in 0..random.below(3) {
        let mut locals = Vec::new();
        if random.percent(60) {
            locals.push(variable("x", Kind::Truth));
        }
        if random.percent(40) {
            locals.push(variable("y", Kind::Number(1 + random.below(2) as u32)));
        }
        if random.percent(15) {
            locals.push(variable("b", Kind::Truths));
        }
        if random.percent(20) {
            locals.push(variable("z", Kind::Truth));
        }
        if !locals.is_empty() {
            groups.push(locals);
        }
    }
    let symbols = 2 + random.below(5);
    Shape {
        states: 1 + random.below(3),
        symbols,
        globals,
        group_of: (0..symbols).map(|_| random.below(groups.len())).collect(),
        groups,
    }
}

fn declare(text: &mut String, keyword: &str, variables: &[Variable]) {
    if variables.is_empty() {
        return;
    }
    text.push_str(keyword);
    for variable in variables {
        let name = variable.name;
        text.push_str(&match variable.kind {
            Kind::Truth => format!(" bool {name};"),
            Kind::Number(bits) => format!(" int {name}({bits});"),
            Kind::Truths => format!(" bool {name}[2];"),
            Kind::Numbers => format!(" int {name}[1,2](1);"),
        });
    }
    text.push('\n');
}

fn rule(random: &mut Random, shape: &Shape, symbol: usize, text: &mut String) {
    let state = STATES[random.below(shape.states)];
    let to = STATES[random.below(shape.states)];
    let count = *random.pick(&[0, 1, 1, 1, 2, 2]);
    let right: Vec<usize> = (0..count).map(|_| random.below(shape.symbols)).collect();
    let names: Vec<_> = right.iter().map(|s| format!("s{s}")).collect();
    text.push_str(&format!(
        "{state} <s{symbol}> --> {to} <{}>",
        names.join(" ")
    ));
    if random.percent(10) {
        text.push('\n');
        return;
    }
    let locals = |symbol: usize| shape.groups[shape.group_of[symbol]].clone();
    let before: Vec<Variable> = [shape.globals.clone(), locals(symbol)].concat();
    let mut after: Vec<(Variable, &str)> = Vec::new();
    after.extend(shape.globals.iter().map(|v| (v.clone(), "'")));
    if let Some(first) = right.first() {
        after.extend(locals(*first).into_iter().map(|v| (v, "'")));
    }
    if let Some(second) = right.get(1) {
        after.extend(locals(*second).into_iter().map(|v| (v, "''")));
    }
    let old: Vec<_> = before.iter().map(|v| (v.clone(), "")).collect();
    let mut conditions: Vec<String> = Vec::new();
    if random.percent(40) && !old.is_empty() {
        conditions.push(truth(random, &old, 2));
    }
    for (variable, primes) in &after {
        let same = before
            .iter()
            .find(|b| b.name == variable.name && b.kind == variable.kind);
        let new = format!("{}{primes}", variable.name);
        let choice = random.below(10);
        match variable.kind {
            _ if choice >= 8 => {}
            Kind::Truth => conditions.push(match same {
                Some(_) if choice < 4 => format!("({new} == {})", variable.name),
                _ if choice < 6 => format!("({new} == ({}))", truth(random, &old, 1)),
                _ => format!("({new} | {})", truth(random, &old, 1)),
            }),
            Kind::Number(_) => conditions.push(match same {
                Some(_) if choice < 4 => format!("{new} = {}", variable.name),
                _ if choice < 7 => format!("{new} = {}", number(random, &old, 1)),
                _ => format!("{new} <= {}", number(random, &old, 1)),
            }),
            Kind::Truths => conditions.push(match same {
                Some(_) if choice < 5 => format!("(A i (0,1) ({new}[i] == {}[i]))", variable.name),
                _ => format!(
                    "({new}[{}] == ({}))",
                    number(random, &old, 0),
                    truth(random, &old, 1)
                ),
            }),
            Kind::Numbers => conditions.push(match same {
                Some(_) if choice < 4 => format!("(A i (1,2) {new}[i] = {}[i])", variable.name),
                Some(_) if choice < 6 => {
                    let index = number(random, &old, 0);
                    let kept = format!(
                        "(A i (1,2) (i = {index} | {new}[i] = {}[i]))",
                        variable.name
                    );
                    format!("{kept} & {new}[{index}] = {}", number(random, &old, 1))
                }
                _ => format!(
                    "{new}[{}] = {}",
                    number(random, &old, 0),
                    number(random, &old, 1)
                ),
            }),
        }
    }
    // Something about several values after the step.
    if random.percent(15) && !after.is_empty() {
        conditions.push(truth(random, &[old, after].concat(), 2));
    }
    if !conditions.is_empty() {
        let middle = random.below(conditions.len());
        let joined = match random.percent(8) {
            true if middle > 0 => format!(
                "({}) | ({})",
                conditions[..middle].join(" & "),
                conditions[middle..].join(" & ")
            ),
            _ => conditions.join(" & "),
        };
        text.push_str(&format!(" ({joined})"));
    }
    text.push('\n');
}

fn truth(random: &mut Random, known: &[(Variable, &str)], depth: u32) -> String {
    let truths: Vec<_> = known
        .iter()
        .filter(|(v, _)| v.kind == Kind::Truth)
        .collect();
    let arrays: Vec<_> = known
        .iter()
        .filter(|(v, _)| v.kind == Kind::Truths)
        .collect();
    match random.below(10) {
        0..3 if depth > 0 => {
            let (a, b) = (
                truth(random, known, depth - 1),
                truth(random, known, depth - 1),
            );
            format!("({a} {} {b})", random.pick(&["&", "|", "^", "=="]))
        }
        3 => format!("!{}", truth(random, known, depth.saturating_sub(1))),
        4..7 if !truths.is_empty() => {
            let (variable, primes) = random.pick(&truths);
            format!("{}{primes}", variable.name)
        }
        7 if !arrays.is_empty() => {
            let (variable, primes) = random.pick(&arrays);
            format!("{}{primes}[{}]", variable.name, number(random, known, 0))
        }
        _ => {
            let (a, b) = (number(random, known, depth), number(random, known, depth));
            format!(
                "({a} {} {b})",
                random.pick(&["=", "!=", "<", "<=", ">", ">="])
            )
        }
    }
}

fn number(random: &mut Random, known: &[(Variable, &str)], depth: u32) -> String {
    let is_number = |kind| matches!(kind, Kind::Number(_));
    let numbers: Vec<_> = known.iter().filter(|(v, _)| is_number(v.kind)).collect();
    let arrays: Vec<_> = known
        .iter()
        .filter(|(v, _)| v.kind == Kind::Numbers)
        .collect();
    match random.below(10) {
        0..3 if depth > 0 => {
            let (a, b) = (
                number(random, known, depth - 1),
                number(random, known, depth - 1),
            );
            format!("({a} {} {b})", random.pick(&["+", "-", "*", "/", "<<"]))
        }
        3..7 if !numbers.is_empty() => {
            let (variable, primes) = random.pick(&numbers);
            format!("{}{primes}", variable.name)
        }
        7 if !arrays.is_empty() => {
            let (variable, primes) = random.pick(&arrays);
            let index = 1 + random.below(2);
            format!("{}{primes}[{index}]", variable.name)
        }
        _ => random.below(4).to_string(),
    }
}

/// What formulas may speak of: of the states, those that some rule has.
fn vocabulary(shape: &Shape, text: &str) -> Vec<String> {
    let occurs = |state: &&&str| **state == STATES[0] || text.contains(&format!("{state} <"));
    let states = STATES[..shape.states].iter().filter(occurs);
    let states = states.map(|s| format!("state({s})"));
    let symbols = (0..shape.symbols).map(|s| format!("s{s}"));
    let groups = shape.groups.iter().enumerate();
    let used = groups.filter(|(number, _)| shape.group_of.contains(number));
    let locals = used.flat_map(|(_, group)| group);
    let variables = locals.chain(&shape.globals);
    let conditions = variables.map(|variable| match variable.kind {
        Kind::Truth => format!("{{{}}}", variable.name),
        Kind::Number(_) => format!("{{{} > 1}}", variable.name),
        Kind::Truths => format!("{{{}[1]}}", variable.name),
        Kind::Numbers => format!("{{{0}[1] = {0}[2]}}", variable.name),
    });
    states.chain(symbols).chain(conditions).collect()
}
