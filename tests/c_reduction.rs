//! C programs before and after they are made smaller: every answer is the same.
//!
//! Random programs over fields of few bits, and over integers of 8 bits and more. Each is asked whether an assertion
//! fails, whether each label and each undefined step can be reached, and whether it ends: as it is (by
//! the explicit twin where fields are small, and by the symbolic engine), and after ranges,
//! constants, narrow cells and slices have changed it, each time for the question that is asked.

#[path = "c_random/dice.rs"]
mod dice;
#[path = "c_random/reading.rs"]
mod reading;

use derny::Engine;
use derny::Verdict;
use derny::internals::check::{Board, Options, check};
use derny::internals::lower::c::{Lowered, Options as Lowering};
use derny::internals::program::PointId;
use derny::internals::property::Property;
use derny::internals::reduction::{Goals, reduce};
use derny::internals::watch::Watch;
use dice::Dice;
use std::fmt::Write as _;
use std::time::Instant;

fn lowered(text: &str) -> Lowered {
    reading::read(text).lowered(&Lowering::default())
}

fn verdict(lowered: &Lowered, property: Property, engine: Engine) -> Option<Verdict> {
    let options = Options {
        trace: false,
        memory: 1 << 29,
        operations: 30_000,
        engine,
        ..Options::default()
    };
    let board = Board::new(Instant::now(), 1);
    // What is out of budget has no verdict.
    let _ = check(
        &lowered.program,
        &[property],
        &options,
        &Watch::default(),
        &board,
    );
    board.verdict(0)
}

/// What can be asked: by name, the property, the points it is about, whether it is about loops.
fn questions(lowered: &Lowered) -> Vec<(String, Property, Vec<PointId>, bool)> {
    let mut all = vec![
        (
            "assertions".to_owned(),
            Property::Assertions,
            Vec::new(),
            false,
        ),
        (
            "terminates".to_owned(),
            Property::Terminates,
            Vec::new(),
            true,
        ),
    ];
    let labels = lowered.program.labels.iter().map(|(point, _)| *point);
    let undefined = lowered.origin.undefined_points().map(|(point, _)| point);
    for point in labels.chain(undefined) {
        let name = format!("point {}", point.0);
        all.push((name, Property::Reach(vec![point]), vec![point], false));
    }
    all
}

/// What differs between a program as it is and reduced; how many answers were compared.
fn compare(text: &str, is_small: bool) -> Result<usize, String> {
    let whole = lowered(text);
    let mut compared = 0;
    for (name, property, points, infinite) in questions(&whole) {
        let mut reduced = lowered(text);
        let goals = Goals {
            points: &points,
            observed: &|_, _| false,
            infinite,
            steps: false,
        };
        reduce(&mut reduced, &goals);
        let found = verdict(&reduced, property.clone(), Engine::Symbolic);
        let mut others = vec![verdict(&whole, property.clone(), Engine::Symbolic)];
        if is_small {
            others.push(verdict(&whole, property, Engine::Explicit));
        }
        for other in others.into_iter().flatten() {
            let Some(found) = found else { continue };
            compared += 1;
            if found != other {
                return Err(format!("{name}: {found:?} instead of {other:?}\n{text}"));
            }
        }
    }
    Ok(compared)
}

const SMALL: [&str; 4] = ["s.a", "s.b", "s.c", "s.d"];
const WIDE: [&str; 6] = ["i", "j", "u", "c", "x", "t[i & 1]"];

struct Writer {
    dice: Dice,
    is_small: bool,
    text: String,
    labels: u32,
}

impl Writer {
    fn variable(&mut self) -> &'static str {
        match self.is_small {
            true => self.dice.pick(&SMALL),
            false => self.dice.pick(&WIDE),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.dice.below(4) == 0 {
            return match self.dice.below(3) {
                0 => self
                    .dice
                    .pick(&["0", "1", "2", "3", "-1", "-2", "5", "100"])
                    .to_owned(),
                _ => self.variable().to_owned(),
            };
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.dice.below(12) {
            0..=3 => format!(
                "({a} {} {b})",
                self.dice.pick(&["+", "-", "+", "-", "^", "|"])
            ),
            4 => format!("({a} & {b})"),
            5 => format!("({a} * {})", self.dice.pick(&["2", "3", "-1"])),
            6 => format!("({a} % {})", self.dice.pick(&["2", "3", "4"])),
            7 => format!("({a} >> 1)"),
            8 => format!("({a} < {b} ? {b} : {a})"),
            9 => format!("(unsigned char)({a})"),
            10 if self.is_small => format!("({a} / {b})"),
            10 => format!("({a} / 3)"),
            _ => format!("({a} == {b})"),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.variable(), self.expression(1));
        let compare = self.dice.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.dice.below(5) {
            0 => "__VERIFIER_nondet_bool()".to_owned(),
            1 => {
                let (c, d) = (self.variable(), self.dice.below(4));
                let connect = self.dice.pick(&["&&", "||"]);
                format!("{a} {compare} {b} {connect} {c} > {d}")
            }
            _ => format!("{a} {compare} {b}"),
        }
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..=self.dice.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        let kind = self.dice.below(if depth == 0 { 6 } else { 10 });
        match kind {
            0..=2 => {
                let (variable, value) = (self.variable(), self.expression(2));
                let _ = writeln!(self.text, "{variable} = {value};");
            }
            3 => {
                let (variable, callee) = (self.variable(), self.dice.pick(&["f", "g"]));
                let value = self.expression(1);
                let _ = writeln!(self.text, "{variable} = {callee}({value});");
            }
            4 => {
                let (what, condition) = (
                    self.dice.pick(&["assert", "__VERIFIER_assume"]),
                    self.condition(),
                );
                let _ = writeln!(self.text, "{what}({condition});");
            }
            5 => {
                self.labels += 1;
                let variable = self.variable();
                let any = self
                    .dice
                    .pick(&["__VERIFIER_nondet_bool()", "__VERIFIER_nondet_char()"]);
                let _ = writeln!(self.text, "L{}: {variable} = {any};", self.labels);
            }
            6 | 7 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                self.block(depth - 1);
                let _ = writeln!(self.text, "}} else {{");
                self.block(depth - 1);
                let _ = writeln!(self.text, "}}");
            }
            8 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "while ({condition}) {{");
                self.block(depth - 1);
                let _ = writeln!(self.text, "}}");
            }
            _ => {
                let (variable, limit) = (self.variable(), self.dice.pick(&["3", "2", "7", "6"]));
                let step = self.dice.pick(&["++", "++", "+= 2"]);
                let _ = writeln!(
                    self.text,
                    "for ({variable} = 0; {variable} < {limit}; {variable} {step}) {{"
                );
                self.block(depth - 1);
                let _ = writeln!(self.text, "}}");
            }
        }
    }
}

/// A program; which one, the seed says.
fn random(seed: u64, is_small: bool) -> String {
    let mut writer = Writer {
        dice: Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        is_small,
        text: String::new(),
        labels: 0,
    };
    for _ in 0..4 {
        writer.dice.below(2);
    }
    writer.text.push_str(
        "extern _Bool __VERIFIER_nondet_bool(void);\nextern char __VERIFIER_nondet_char(void);\n\
         extern void assert(int);\nextern void __VERIFIER_assume(int);\n",
    );
    writer.text.push_str(match is_small {
        true => "struct { signed a : 3; unsigned b : 3; signed c : 2; _Bool d; } s = { 1, 2 };\n",
        false => "signed char i, j = 3; unsigned char u; signed char c = -1; short x; char t[2];\n",
    });
    writer.text.push_str("int g(int n);\nint f(int n) {\n");
    writer.block(1);
    writer
        .text
        .push_str("return n + 1;\n}\nint g(int n) {\nif (n > 0 && n < 4) return f(n - 1) - 1;\n");
    writer.block(1);
    let result = writer.expression(1);
    let _ = writeln!(writer.text, "return {result};\n}}\nint main(void) {{");
    for _ in 0..3 {
        writer.block(2);
    }
    writer.text.push_str("return 0;\n}\n");
    writer.text
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    match std::env::var("DERNY_SEEDS") {
        Ok(text) => {
            let (first, count) = text.split_once('+').expect("FIRST+COUNT");
            let first: u64 = first.parse().expect("a number");
            first..first + count.parse::<u64>().expect("a number")
        }
        Err(_) => 0..count,
    }
}

/// Runs on a stack that deep BDDs fit on.
fn on_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(1 << 29);
    let thread = thread.spawn(work).expect("a thread");
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn all_agree(count: u64, is_small: bool, at_least: usize) {
    let compared = on_large_stack(move || {
        let mut compared = 0;
        for seed in seeds(count) {
            match compare(&random(seed, is_small), is_small) {
                Ok(count) => compared += count,
                Err(wrong) => panic!("seed {seed}: {wrong}"),
            }
        }
        compared
    });
    eprintln!("{compared} answers compared");
    // Some seeds alone may have none.
    let is_chosen = std::env::var_os("DERNY_SEEDS").is_some();
    assert!(
        is_chosen || compared >= at_least,
        "only {compared} answers could be compared"
    );
}

#[test]
fn programs_over_few_bits_keep_their_answers() {
    all_agree(12, true, 50);
}

#[test]
fn programs_over_wide_integers_keep_their_answers() {
    all_agree(12, false, 30);
}
