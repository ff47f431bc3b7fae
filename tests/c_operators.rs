//! The operators of C on the engines: all operands of 4 bits, and those at the borders of 8 to 64 bits.
//!
//! A program has a block for each operator: operands that may be any of some, and for each pair of
//! them what must come out, computed here with numbers of 128 bits. So one run of the symbolic engine decides
//! thousands of results. Where gcc is found, it executes the same program on all operands.

#[path = "c_random/reading.rs"]
mod reading;

use derny::Verdict;
use derny::internals::check::{Board, Options, check};
use derny::internals::lower::c::Options as Lowering;
use derny::internals::property::Property;
use derny::internals::watch::Watch;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Instant;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Type {
    name: &'static str,
    bits: u32,
    signed: bool,
}

const fn of(name: &'static str, bits: u32, signed: bool) -> Type {
    Type { name, bits, signed }
}

const INT: Type = of("int", 32, true);
const TYPES: [Type; 8] = [
    of("signed char", 8, true),
    of("unsigned char", 8, false),
    of("short", 16, true),
    of("unsigned short", 16, false),
    INT,
    of("unsigned", 32, false),
    of("long", 64, true),
    of("unsigned long", 64, false),
];

impl Type {
    fn wrap(self, number: i128) -> i128 {
        let low = number & ((1 << self.bits) - 1);
        match self.signed && low >> (self.bits - 1) == 1 {
            true => low - (1 << self.bits),
            false => low,
        }
    }

    /// The integer promotions: of a bit-field, by its width.
    fn promoted(self) -> Type {
        match self.bits < 32 {
            true => INT,
            false => self,
        }
    }

    /// The usual arithmetic conversions; `long` holds all values of `unsigned`.
    fn common(self, other: Type) -> Type {
        let (one, other) = (self.promoted(), other.promoted());
        match one.bits.cmp(&other.bits) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Equal if one.signed => other,
            std::cmp::Ordering::Equal => one,
        }
    }

    /// The values at its borders.
    fn borders(self) -> Vec<i128> {
        let low = self.wrap(1 << (self.bits - 1));
        let half = 1_i128 << (self.bits - 1);
        let numbers = [low, low + 1, -1, 0, 1, 3, half - 1, half / 2];
        numbers.map(|number| self.wrap(number)).to_vec()
    }
}

const OPERATORS: [&str; 18] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&",
    "||",
];

/// What an operator gives; none if that is undefined.
fn apply(operator: &str, (a, left): (i128, Type), (b, right): (i128, Type)) -> Option<i128> {
    let truth = |value: bool| Some(i128::from(value));
    match operator {
        "&&" => return truth(a != 0 && b != 0),
        "||" => return truth(a != 0 || b != 0),
        "<<" | ">>" => {
            let shifted = left.promoted();
            let amount = u32::try_from(b)
                .ok()
                .filter(|amount| *amount < shifted.bits)?;
            let value = match operator {
                // At most 127 bits.
                "<<" => a << amount,
                _ => a >> amount,
            };
            return Some(shifted.wrap(value));
        }
        _ => {}
    }
    let common = left.common(right);
    let (a, b) = (common.wrap(a), common.wrap(b));
    let value = match operator {
        "+" => a + b,
        "-" => a - b,
        // At most 128 bits: those below do not depend on what is lost.
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 || common.signed && common.wrap(-a) == a && a != 0 && b == -1 => {
            return None;
        }
        "/" => a / b,
        "%" => a % b,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<" => return truth(a < b),
        "<=" => return truth(a <= b),
        ">" => return truth(a > b),
        ">=" => return truth(a >= b),
        "==" => return truth(a == b),
        _ => return truth(a != b),
    };
    Some(common.wrap(value))
}

fn literal(number: i128) -> String {
    match i64::try_from(number) {
        Ok(i64::MIN) => format!("({}LL - 1)", i64::MIN + 1),
        Ok(number) => format!("{number}LL"),
        Err(_) => format!("{number}ULL"),
    }
}

/// One of some values, chosen by a variable.
fn pick(values: &[i128], kind: Type, by: &str) -> String {
    let mut text = String::new();
    for (index, value) in values.iter().enumerate().skip(1) {
        let _ = write!(text, "{by} == {index} ? {} : ", literal(*value));
    }
    format!("({})({text}{})", kind.name, literal(values[0]))
}

/// A program that is put together block by block.
#[derive(Default)]
struct Program {
    text: String,
    results: usize,
}

/// What is computed of two operands, into `r`, and what it must be; none where it is undefined.
struct Computation<'c> {
    text: String,
    expected: Box<dyn Fn(i128, i128) -> Option<i128> + 'c>,
}

fn compute<'c>(
    text: impl Into<String>,
    expected: impl Fn(i128, i128) -> Option<i128> + 'c,
) -> Computation<'c> {
    Computation {
        text: text.into(),
        expected: Box::new(expected),
    }
}

impl Program {
    /// A block: what is computed of the operands, which `i` and `j` choose, and what each must be
    /// for each pair of them; nothing is, where one of them is undefined.
    fn block(&mut self, [left, right]: [&[i128]; 2], computations: &[Computation<'_>]) {
        let width = right.len();
        let (mut undefined, mut cases) = (String::new(), String::new());
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                let number = i * width + j;
                let values = computations.iter().map(|one| (one.expected)(*a, *b));
                let Some(values) = values.collect::<Option<Vec<i128>>>() else {
                    let _ = write!(undefined, "case {number}: ");
                    continue;
                };
                self.results += values.len();
                let wrong = values.iter().enumerate();
                let wrong = wrong.map(|(at, value)| format!("r{at} != {}ULL", *value as u64));
                let wrong: Vec<String> = wrong.collect();
                let wrong = wrong.join(" || ");
                let _ = write!(cases, "case {number}: if ({wrong}) reach_error(); break; ");
            }
        }
        let (mut results, mut text) = (String::new(), String::new());
        for (at, computation) in computations.iter().enumerate() {
            let _ = write!(results, "unsigned long long r{at} = 0; ");
            text += &computation.text.replace("r =", &format!("r{at} ="));
        }
        let [most, other] = [left.len() - 1, width - 1];
        let _ = writeln!(
            self.text,
            "{{ unsigned i = nd() & {most}, j = nd() & {other}, k = i * {width} + j; {results}\n\
             switch (k) {{ {undefined}case -1: break; default: {text} switch (k) {{ {cases}}} }} }}"
        );
    }

    fn whole(&self, types: &str) -> String {
        format!(
            "void reach_error(void);\nunsigned nd(void);\n{types}\nint main(void) {{\n{}return 0;\n}}\n",
            self.text
        )
    }
}

/// Whether an operator may be undefined: it gets a block of its own.
fn is_partial(operator: &&str) -> bool {
    ["/", "%", "<<", ">>"].contains(operator)
}

/// All operators on two types, at their borders.
fn borders(left: Type, right: Type) -> Program {
    let mut program = Program::default();
    let (a, b) = (left.borders(), right.borders());
    let binary = |operator: &'static str, b: &[i128]| {
        let operands = [pick(&a, left, "i"), pick(b, right, "j")];
        let text = format!("r = {} {operator} {};", operands[0], operands[1]);
        compute(text, move |a, b| apply(operator, (a, left), (b, right)))
    };
    for operator in OPERATORS.into_iter().filter(is_partial) {
        let b = match operator {
            "<<" | ">>" => vec![0, 1, 2, 7, 31, 63, 15, 8],
            _ => b.clone(),
        };
        program.block([&a, &b], &[binary(operator, &b)]);
    }
    let total = OPERATORS.into_iter().filter(|one| !is_partial(one));
    let total: Vec<_> = total.map(|operator| binary(operator, &b)).collect();
    program.block([&a, &b], &total);
    let operand = pick(&a, left, "i");
    let kind = left.promoted();
    let mut unary = vec![
        compute(format!("r = -{operand};"), |a, _| Some(kind.wrap(-a))),
        compute(format!("r = ~{operand};"), |a, _| Some(kind.wrap(!a))),
        compute(format!("r = +{operand};"), |a, _| Some(a)),
        compute(format!("r = !{operand};"), |a, _| Some(i128::from(a == 0))),
        compute(format!("r = (_Bool){operand};"), |a, _| {
            Some(i128::from(a != 0))
        }),
    ];
    let conversions = TYPES.map(|to| {
        compute(format!("r = ({}){operand};", to.name), move |a, _| {
            Some(to.wrap(a))
        })
    });
    unary.extend(conversions);
    program.block([&a, &[0, 0]], &unary);
    program
}

/// All operators on all operands of 4 bits, with and without sign, and what becomes of them in 4 bits.
fn nibbles(left: Type, right: Type) -> Program {
    let mut program = Program::default();
    let all = |kind: Type| -> Vec<i128> { (0..16).map(|number| kind.wrap(number)).collect() };
    let values = [&all(left)[..], &all(right)[..]];
    let set = "s.a = i; s.b = j;";
    let binary = |operator: &'static str| {
        let text = format!("{set} r = s.a {operator} s.b;");
        compute(text, move |a, b| apply(operator, (a, left), (b, right)))
    };
    let assigning = |operator: &'static str| {
        let text = format!("{set} s.a {operator}= s.b; r = s.a;");
        compute(text, move |a, b| {
            Some(left.wrap(apply(operator, (a, left), (b, right))?))
        })
    };
    for operator in OPERATORS.into_iter().filter(is_partial) {
        program.block(values, &[binary(operator), assigning(operator)]);
    }
    let total = OPERATORS.into_iter().filter(|one| !is_partial(one));
    let mut total: Vec<_> = total.map(binary).collect();
    total.extend(["+", "-", "*", "&", "|", "^"].map(assigning));
    for half in total.chunks(10) {
        program.block(values, half);
    }
    let changed = |a: i128, by: i128| left.wrap(a + by);
    let steps = [
        compute("s.a = i; r = s.a++ * 100 + s.a;", |a, _| {
            Some(a * 100 + changed(a, 1))
        }),
        compute("s.a = i; r = s.a-- * 100 + s.a;", |a, _| {
            Some(a * 100 + changed(a, -1))
        }),
        compute("s.a = i; r = ++s.a;", |a, _| Some(changed(a, 1))),
        compute("s.a = i; r = --s.a;", |a, _| Some(changed(a, -1))),
    ];
    program.block([values[0], &[0, 0]], &steps);
    program
}

fn verdict(text: &str) -> Option<Verdict> {
    let lowered = reading::read(text).lowered(&Lowering::default());
    let board = Board::new(Instant::now(), 1);
    let options = Options {
        trace: false,
        ..Options::default()
    };
    let checked = check(
        &lowered.program,
        &[Property::Assertions],
        &options,
        &Watch::default(),
        &board,
    );
    checked.expect("there are no limits");
    board.verdict(0)
}

/// What gcc says: whether no result is another. None if there is no gcc.
fn by_gcc(text: &str, name: &str) -> Option<bool> {
    let driver = "#include <stdlib.h>\nstatic unsigned first, second, turn;\n\
                  unsigned nd(void) { return turn++ & 1 ? second : first; }\n\
                  void reach_error(void) { exit(1); }\n";
    let text = text.replace("int main(void)", "static int once(void)");
    let text = format!(
        "{driver}{text}\nint main(void) {{ for (first = 0; first < 16; first++) \
         for (second = 0; second < 16; second++) once(); return 0; }}\n"
    );
    let target =
        std::env::temp_dir().join(format!("derny-operators-{}-{name}", std::process::id()));
    let mut gcc = Command::new("gcc")
        .args(["-w", "-O0", "-fwrapv", "-x", "c", "-", "-o"])
        .arg(&target)
        .stdin(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = gcc.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("gcc reads");
    drop(input);
    assert!(gcc.wait().expect("gcc ends").success(), "{text}");
    let run = Command::new(&target).status().expect("the program runs");
    let _ = std::fs::remove_file(&target);
    Some(run.success())
}

/// All results of a program are as expected, and if one is expected otherwise, that is seen.
fn decide(name: &str, types: &str, program: &Program) {
    let text = program.whole(types);
    let begin = Instant::now();
    assert_eq!(verdict(&text), Some(Verdict::Holds), "{name}\n{text}");
    match by_gcc(&text, name) {
        None => eprintln!("SKIPPED: no gcc"),
        Some(agrees) => assert!(agrees, "gcc: {name}\n{text}"),
    }
    let seconds = begin.elapsed().as_secs_f64();
    eprintln!("{name}: {} results, {seconds:.1} s", program.results);
}

#[test]
fn operands_at_the_borders() {
    for (index, left) in TYPES.into_iter().enumerate() {
        // With its own type, with one of the other sign, and with another width.
        for other in [index, index ^ 1, (index + 3) % TYPES.len()] {
            let right = TYPES[other];
            let name = format!("{}-{}", left.name, right.name).replace(' ', "_");
            decide(&name, "", &borders(left, right));
        }
    }
}

#[test]
fn all_operands_of_4_bits() {
    let kinds = [of("int", 4, true), of("unsigned", 4, false)];
    for left in kinds {
        for right in kinds {
            let types = format!("struct {{ {} a : 4; {} b : 4; }} s;", left.name, right.name);
            let name = format!("4-{}-{}", left.name, right.name);
            decide(&name, &types, &nibbles(left, right));
        }
    }
}

/// The tests above can fail: one wrong result among thousands is found.
#[test]
fn one_wrong_result_is_found() {
    let kind = of("int", 4, true);
    let text = nibbles(kind, kind).whole("struct { int a : 4; int b : 4; } s;");
    let at = text
        .rfind("!= 18446744073709551609ULL")
        .expect("-7 is a result");
    let wrong = format!(
        "{}{}",
        &text[..at],
        text[at..].replacen("609ULL", "608ULL", 1)
    );
    assert_eq!(verdict(&wrong), Some(Verdict::Violated));
}
