//! Small random programs with threads, small enough for explicit configurations: the same seed gives the
//! same text. Half of them are finite; in the others procedures call each other in circles, and
//! threads are created in loops.

use derny::generate::random::Random;
use std::fmt::Write;

/// A program and what may be asked of it.
pub struct Program {
    pub text: String,
    /// Each stands once.
    pub labels: Vec<String>,
    /// Whether threads may be created in a circle.
    pub creates_for_ever: bool,
}

/// How procedures are called.
const NAMES: [&str; 3] = ["p", "q", "r"];

struct Generator {
    random: Random,
    out: String,
    labels: Vec<String>,
    is_finite: bool,
    /// Whether threads are created.
    creates: bool,
    globals: Vec<&'static str>,
    /// For each procedure: whether it has a parameter, and whether it returns a value.
    headers: Vec<(bool, bool)>,
    /// What is written now: which procedure, and its variables.
    procedure: usize,
    locals: Vec<&'static str>,
    /// How many loops and atomic blocks are around.
    loops: u32,
    atomic: u32,
    /// Where a thread may begin with `start_thread goto`.
    targets: Vec<String>,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    generate(seed, true)
}

/// One whose threads are all declared, and share all globals.
pub fn declared_program(seed: u64) -> Program {
    generate(seed, false)
}

fn generate(seed: u64, creates: bool) -> Program {
    let mut random = Random::new(seed, 7);
    let is_finite = random.percent(50);
    let mut globals = vec!["g"];
    globals.extend(random.percent(60).then_some("h"));
    let own = random.percent(35) && creates;
    let count = random.between(1, 3) as usize;
    let headers = (0..count).map(|_| (random.percent(30), random.percent(30)));
    let mut generator = Generator {
        headers: headers.collect(),
        random: Random::new(seed, 8),
        out: String::new(),
        labels: Vec::new(),
        is_finite,
        creates,
        globals,
        procedure: 0,
        locals: Vec::new(),
        loops: 0,
        atomic: 0,
        targets: Vec::new(),
    };
    let shared = generator.globals.join(", ");
    generator.line(format_args!("decl {shared};"));
    if own {
        generator.line(format_args!("decl thread_local o;"));
        generator.globals.push("o");
    }
    let declared = random.percent(65) || !creates;
    match declared {
        true => generator.declared(&mut random),
        false => generator.main(),
    }
    for procedure in 0..count {
        generator.procedure(procedure);
    }
    Program {
        creates_for_ever: !is_finite && generator.out.contains("start_thread"),
        text: generator.out,
        labels: generator.labels,
    }
}

impl Generator {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").expect("strings take everything");
    }

    /// Declared threads, and often a procedure before them.
    fn declared(&mut self, random: &mut Random) {
        let starts = random.between(1, 2);
        let mut left: u32 = random.between(2, 3);
        let starts: Vec<String> = (0..starts)
            .map(|i| {
                let index = random.below(self.headers.len() as u32) as usize;
                let argument = match self.headers[index].0 {
                    true => *random.pick(&["0", "1", "*"]),
                    false => "",
                };
                let times = if i + 1 == starts { left } else { 1 };
                left -= times;
                let times = match times {
                    1 => String::new(),
                    n => format!("[{n}]"),
                };
                format!("{}({argument}){times}", NAMES[index])
            })
            .collect();
        if random.percent(70) {
            let values: Vec<&str> = self.globals.iter().map(|_| "0").collect();
            let targets = self.globals.join(", ");
            let values = values.join(", ");
            self.line(format_args!("void init() begin {targets} := {values};"));
            self.locals = Vec::new();
            self.procedure = self.headers.len();
            if random.percent(40) {
                self.statement(0);
            }
            self.line(format_args!("end"));
        }
        self.line(format_args!("thread {};", starts.join(", ")));
    }

    /// Nothing declared: `main` creates.
    fn main(&mut self) {
        self.procedure = self.headers.len();
        self.locals = Vec::new();
        let targets = self.globals.join(", ");
        let values: Vec<&str> = self.globals.iter().map(|_| "0").collect();
        let values = values.join(", ");
        self.line(format_args!("void main() begin {targets} := {values};"));
        for _ in 0..self.random.between(1, 2) {
            self.creation();
        }
        self.statements(1, 3);
        self.line(format_args!("end"));
    }

    fn procedure(&mut self, procedure: usize) {
        let (parameter, returns) = self.headers[procedure];
        let name = NAMES[procedure];
        let kind = if returns { "bool" } else { "void" };
        self.procedure = procedure;
        self.locals = Vec::new();
        self.locals.extend(parameter.then_some("a"));
        self.targets = Vec::new();
        let parameters = if parameter { "a" } else { "" };
        self.line(format_args!("{kind} {name}({parameters}) begin"));
        if self.random.percent(25) {
            self.line(format_args!("decl b;"));
            self.locals.push("b");
        }
        if self.random.percent(8) {
            let condition = self.condition();
            self.line(format_args!("enforce {condition};"));
        }
        self.statements(1, 4);
        if returns {
            let value = self.condition();
            self.line(format_args!("return {value};"));
        }
        self.line(format_args!("end"));
    }

    fn statements(&mut self, least: u32, most: u32) {
        for _ in 0..self.random.between(least, most) {
            self.statement(0);
        }
    }

    fn variable(&mut self) -> &'static str {
        let all: Vec<&'static str> = self.globals.iter().chain(&self.locals).copied().collect();
        let picked: &&'static str = self.random.pick(&all);
        picked
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.variable(), self.variable());
        match self.random.below(10) {
            0..=2 => x.to_owned(),
            3..=5 => format!("!{x}"),
            6 => format!("{x} & !{y}"),
            7 => format!("{x} != {y}"),
            8 => "*".to_owned(),
            _ => format!("{x} | {y}"),
        }
    }

    /// A procedure that may be called, or created, here.
    fn callee(&mut self) -> Option<usize> {
        let is_written_below = self.procedure == self.headers.len();
        let first = match self.is_finite && !is_written_below {
            true => self.procedure + 1,
            false => 0,
        };
        let all: Vec<usize> = (first..self.headers.len()).collect();
        (!all.is_empty()).then(|| *self.random.pick(&all))
    }

    fn arguments(&mut self, callee: usize) -> String {
        match self.headers[callee].0 {
            true => self.condition(),
            false => String::new(),
        }
    }

    fn label(&mut self) {
        if self.random.percent(35) {
            let label = format!("L{}", self.labels.len());
            write!(self.out, "{label}: ").expect("strings take everything");
            if self.atomic == 0 && self.loops == 0 {
                self.targets.push(label.clone());
            }
            self.labels.push(label);
        }
    }

    fn creation(&mut self) {
        let may_create = !self.is_finite || self.loops == 0;
        let Some(callee) = self.callee().filter(|_| may_create && self.creates) else {
            return self.line(format_args!("skip;"));
        };
        let arguments = self.arguments(callee);
        let call = *self.random.pick(&["", "call "]);
        let name = NAMES[callee];
        self.line(format_args!("start_thread {call}{name}({arguments});"));
    }

    fn statement(&mut self, depth: u32) {
        self.label();
        let x = self.variable();
        let condition = self.condition();
        let nests = if depth < 2 { 1 } else { 0 };
        match self.random.weighted(&[
            (22, 0),
            (6, 1),
            (8, 2),
            (8, 3),
            (10 * nests, 4),
            (5 * nests, 5),
            (8 * nests, 6),
            (3, 7),
            (3, 8),
            (10, 9),
            (4, 10),
            (2, 11),
            (2, 12),
            (2, 13),
            (3, 14),
        ]) {
            0 => self.line(format_args!("{x} := {condition};")),
            1 => {
                let y = self.variable();
                match x == y {
                    true => self.line(format_args!("{x} := !{x};")),
                    false => self.line(format_args!("{x}, {y} := {y}, !{x};")),
                }
            }
            2 => self.line(format_args!("assume({condition});")),
            3 => self.line(format_args!("assert({condition});")),
            4 => {
                self.line(format_args!("if ({condition}) then"));
                self.statement(depth + 1);
                if self.random.percent(50) {
                    self.line(format_args!("else"));
                    self.statement(depth + 1);
                }
                self.line(format_args!("fi"));
            }
            5 => {
                self.line(format_args!("while ({condition}) do"));
                self.loops += 1;
                self.statement(depth + 1);
                self.loops -= 1;
                self.line(format_args!("od"));
            }
            6 => {
                let braces = self.random.percent(40);
                let (open, close) = if braces { ("{", "}") } else { ("begin", "end") };
                self.line(format_args!("atomic {open}"));
                self.atomic += 1;
                self.statement(depth + 1);
                self.statement(depth + 1);
                self.atomic -= 1;
                self.line(format_args!("{close}"));
            }
            7 => self.line(format_args!("atomic_begin;")),
            8 => self.line(format_args!("atomic_end;")),
            9 => match self.callee() {
                Some(callee) => {
                    let arguments = self.arguments(callee);
                    let target = match self.headers[callee].1 && self.random.percent(70) {
                        true => format!("{x} := "),
                        false => String::new(),
                    };
                    let name = NAMES[callee];
                    self.line(format_args!("{target}{name}({arguments});"));
                }
                None => self.line(format_args!("skip;")),
            },
            10 => self.creation(),
            11 => self.line(format_args!("end_thread;")),
            12 => match self.headers.get(self.procedure) {
                Some((_, true)) => self.line(format_args!("return {condition};")),
                _ => self.line(format_args!("return;")),
            },
            13 => self.line(format_args!("{x} := * constrain ({condition});")),
            _ => {
                // Only forwards a finite program stays one: the labels so far are behind.
                let behind = self.targets.clone();
                match behind.is_empty() || self.is_finite || !self.creates {
                    true => self.line(format_args!("skip;")),
                    false => {
                        let label = self.random.pick(&behind).clone();
                        self.line(format_args!("start_thread goto {label};"));
                    }
                }
            }
        }
    }
}
