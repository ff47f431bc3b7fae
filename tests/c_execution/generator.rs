//! C programs that note what they compute in an array.
//!
//! They have no undefined step, and nothing in them depends on the order in which a compiler
//! evaluates operands: an expression has one side effect at most.

use derny::internals::execution::Random;
use std::fmt::Write;

const TYPES: [(&str, &str, &str); 11] = [
    ("_Bool", "0", "1"),
    ("char", "-128", "127"),
    ("signed char", "-128", "127"),
    ("unsigned char", "0", "255"),
    ("short", "-32768", "32767"),
    ("unsigned short", "0", "65535"),
    ("int", "(-2147483647 - 1)", "2147483647"),
    ("unsigned", "0", "4294967295u"),
    (
        "long",
        "(sizeof(long) == 4 ? -2147483647 - 1 : (long)(1ull << 63))",
        "(long)(~0ul >> 1)",
    ),
    ("unsigned long", "0", "~0ul"),
    (
        "long long",
        "(-9223372036854775807ll - 1)",
        "9223372036854775807ll",
    ),
];

const NOTE: &str = "unsigned long long out[65536];\nint count;\n\
                    void note(unsigned long long v) { out[count++] = v; }\n";

const OPERATORS: [&str; 16] = [
    "+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "/", "%", "<<", ">>",
];

/// Every operator on every pair of types, at their borders.
pub fn borders() -> String {
    let mut text = NOTE.to_owned();
    for (index, (name, low, high)) in TYPES.iter().enumerate() {
        let _ = writeln!(
            text,
            "{name} v{index}[] = {{ {low}, {high}, 0, 1, (unsigned char){low} / 2 + 3, ({name})-1, \
             ({name})({high} / 2 + 1), 7 }};"
        );
    }
    // One number for each operator and pair of types.
    text += "#define PAIR(a, b, condition, expression) { unsigned long long hash = 1; \\\n\
             for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) if (condition) \\\n\
             hash = hash * 1000003 + (unsigned long long)(expression); note(hash); }\n";
    for left in 0..TYPES.len() {
        let _ = writeln!(text, "void row{left}(void) {{");
        let a = format!("v{left}[i]");
        for (right, (name, ..)) in TYPES.iter().enumerate() {
            let b = format!("v{right}[j]");
            for operator in OPERATORS {
                let condition = match operator {
                    "/" | "%" => format!("{b} != 0 && {b} + 1 != 0"),
                    "<<" | ">>" => format!("{b} >= 0 && {b} < 8 * sizeof(+{a})"),
                    _ => "1".into(),
                };
                let _ = writeln!(text, "PAIR(a, b, {condition}, {a} {operator} {b})");
            }
            let _ = writeln!(text, "PAIR(a, b, 1, ({name}){a})");
            let _ = writeln!(
                text,
                "PAIR(a, b, 1, ({{ {name} x = {b}; x += {a}; x++; --x; x; }}))"
            );
            let _ = writeln!(text, "PAIR(a, b, 1, {a} && {b} || !{a})");
        }
        let _ = writeln!(
            text,
            "PAIR(a, b, 1, -{a}) PAIR(a, b, 1, ~{a}) PAIR(a, b, 1, !{a}) }}"
        );
    }
    text += "void test(void) {";
    for left in 0..TYPES.len() {
        let _ = write!(text, " row{left}();");
    }
    text + " the_end: ; }\n"
}

struct Generator {
    random: Random,
    text: String,
    /// Local integers that can be read.
    locals: Vec<String>,
    /// Local integers that can also be written.
    targets: Vec<String>,
    names: usize,
    functions: usize,
    in_loop: usize,
}

/// Random expressions over variables of all types.
pub fn expressions(seed: u64, number: usize) -> String {
    let mut generator = Generator::new(seed);
    generator.text = NOTE.to_owned();
    for (index, (name, low, high)) in TYPES.iter().enumerate() {
        let value = match generator.below(4) {
            0 => low.to_string(),
            1 => high.to_string(),
            _ => format!("({name}){}ull", generator.random.number()),
        };
        let _ = writeln!(generator.text, "{name} v{index} = {value};");
        generator.locals.push(format!("v{index}"));
    }
    for part in 0..number / 20 {
        let _ = writeln!(generator.text, "void part{part}(void) {{");
        for _ in 0..20 {
            let expression = generator.expression(5);
            let _ = writeln!(generator.text, "  note({expression});");
            if generator.below(3) == 0 {
                let target = generator.below(TYPES.len());
                let value = generator.expression(2);
                let operator = ["=", "+=", "-=", "*=", "^=", "|=", "&="][generator.below(7)];
                let _ = writeln!(generator.text, "  note(v{target} {operator} {value});");
            }
        }
        generator.text += "}\n";
    }
    generator.text += "void test(void) {";
    for part in 0..number / 20 {
        let _ = write!(generator.text, " part{part}();");
    }
    generator.text + " the_end: ; }\n"
}

const GLOBALS: &str = "
typedef struct { signed char a; int b; unsigned c : 5; int d : 7; _Bool e : 1; long long f; short g[3]; } S;
typedef union { unsigned u; int i; long long l; struct { short s[2]; } t; } U;
enum E { E0, E1, E2 = 9 };
int g0 = 3; unsigned char g1 = 250; short g2 = -7; unsigned g3 = 77; long long g4 = -1; enum E g5 = E1;
int ga[8] = { 1, 2, 3, [5] = 9 }; unsigned char gc[8] = \"abc\"; short gm[3][4] = { { 1 }, [2] = { 4, 5 } };
S gs = { 1, 2, 3, -4, 1, 5, { 6, 7, 8 } }; S gsa[3] = { [1].b = 4, [1].g = { 1, 2, 3 } };
U gu; int fuel = 600; int *gp = ga + 2; S *gq = &gsa[1];
int (*table[2])(int, int);
";

/// A random program: arrays, structs, pointers, unions, loops, jumps, recursion.
pub fn program(seed: u64) -> String {
    let mut generator = Generator::new(seed ^ 0xC0FFEE);
    generator.text = NOTE.to_owned() + "#include <string.h>\n#include <stdlib.h>\n" + GLOBALS;
    generator.functions = 4;
    for index in 0..4 {
        let _ = writeln!(generator.text, "int f{index}(int p, int q);");
    }
    generator.text +=
        "S make(int x) { S s = { .b = x, .c = x, .d = x, .f = x * 2ll }; s.g[1] = x; return s; }\n";
    for index in 0..4 {
        generator.function(index);
    }
    generator.text += "void test(void) { table[0] = f0; table[1] = f2;\n";
    for _ in 0..4 {
        let function = generator.below(4);
        let [p, q] = [generator.below(20), generator.below(20)];
        let _ = writeln!(
            generator.text,
            "  note(f{function}({p}, {q})); note(g0); note(g1); note(g2); note(g3); note(g4); note(g5);\n\
             \x20 for (int i = 0; i < 8; i++) {{ note(ga[i]); note(gc[i]); note(gm[i % 3][i % 4]); }}\n\
             \x20 for (int i = 0; i < 3; i++) {{ S *s = i ? &gsa[i] : &gs; note(s->a); note(s->b); note(s->c); \
             note(s->d); note(s->e); note(s->f); note(s->g[0] + s->g[1] * 3 + s->g[2] * 5); }}\n\
             \x20 note(gp - ga); note(gq - gsa); fuel += 150;"
        );
    }
    generator.text + "  the_end: ;\n}\n"
}

impl Generator {
    fn new(seed: u64) -> Self {
        Generator {
            random: Random::new(seed + 1),
            text: String::new(),
            locals: Vec::new(),
            targets: Vec::new(),
            names: 0,
            functions: 0,
            in_loop: 0,
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.random.number() >> 33) as usize % bound
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn leaf(&mut self) -> String {
        if self.below(3) == 0 || (self.locals.is_empty() && self.functions == 0) {
            let number = self.random.number();
            return match self.below(7) {
                0 => (number % 10).to_string(),
                1 => format!("{}u", number as u32),
                2 => format!("{}ll", number >> 1),
                3 => format!("0x{number:x}ull"),
                4 => "'\\xf0'".into(),
                5 => format!("(short){}", number as u16),
                _ => format!("{}", number as u16),
            };
        }
        if self.functions > 0 && self.below(2) == 0 {
            let index = self.simple();
            let globals = [
                "g0", "g1", "g2", "g3", "g4", "g5", "gs.b", "gs.c", "gs.d", "gs.f", "gs.a", "*gp",
                "gq->b", "gq->d", "gq->e", "gp[0]",
            ];
            return match self.below(5) {
                0 => format!("ga[{index} & 7]"),
                1 => format!("gc[({index}) & 7]"),
                2 => format!("gm[({index}) & 1][({index} >> 2) & 3]"),
                3 => format!("gsa[{index} & 1].g[{index} & 1]"),
                _ => globals[self.below(globals.len())].into(),
            };
        }
        match self.locals.len() {
            0 => "g0".into(),
            number => {
                let index = self.below(number);
                self.locals[index].clone()
            }
        }
    }

    /// Something without side effects that is short.
    fn simple(&mut self) -> String {
        match self.locals.len() {
            0 => self.below(8).to_string(),
            number => {
                let index = self.below(number);
                self.locals[index].clone()
            }
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        match self.below(12) {
            0 => {
                let operator = ["-", "~", "!", "+"][self.below(4)];
                format!("({operator} {a})")
            }
            1 => {
                let (name, ..) = TYPES[self.below(TYPES.len())];
                format!("(({name}){a})")
            }
            2 => {
                let b = self.leaf();
                let operator = ["/", "%"][self.below(2)];
                format!("({a} {operator} ({b} > 0 ? {b} : 3))")
            }
            3 => {
                let b = self.expression(depth - 1);
                let operator = ["<<", ">>"][self.below(2)];
                format!("({a} {operator} ({b} & 31))")
            }
            4 => {
                let [b, c] = [self.expression(depth - 1), self.leaf()];
                format!("({a} ? {b} : {c})")
            }
            5 => {
                let b = self.expression(depth - 1);
                let operator = ["&&", "||"][self.below(2)];
                format!("({a} {operator} {b})")
            }
            6 => {
                let b = self.leaf();
                let operator = [",", "?:"][self.below(2)];
                format!("({a} {operator} {b})")
            }
            7 => format!("__builtin_popcountll({a})"),
            8 => {
                let b = self.leaf();
                format!("({{ int t = {a}; long u = {b}; t ^ u; }})")
            }
            _ => {
                let b = self.expression(depth - 1);
                let operator = OPERATORS[self.below(12)];
                format!("({a} {operator} {b})")
            }
        }
    }

    fn function(&mut self, index: usize) {
        let _ = writeln!(
            self.text,
            "int f{index}(int p, int q) {{\n  if (fuel-- <= 0) return p - q;"
        );
        self.locals = vec!["p".into(), "q".into()];
        self.targets = self.locals.clone();
        self.statements(3);
        let result = self.expression(2);
        let _ = writeln!(self.text, "  return {result};\nend{index}: return q;\n}}");
    }

    fn statements(&mut self, depth: usize) {
        let scope = (self.locals.len(), self.targets.len());
        for _ in 0..2 + self.below(4) {
            self.statement(depth);
        }
        self.locals.truncate(scope.0);
        self.targets.truncate(scope.1);
    }

    fn target(&mut self) -> String {
        let index = self.simple();
        let number = self.targets.len();
        match self.below(12) {
            0 => "g0".into(),
            1 => "g1".into(),
            2 => "g2".into(),
            3 => "g4".into(),
            4 => format!("ga[{index} & 7]"),
            5 => format!("gm[({index} & 1) + 1][{index} & 3]"),
            6 => "gs.c".into(),
            7 => "gs.d".into(),
            8 => "(*gp)".into(),
            9 => "gq->d".into(),
            10 => format!("gsa[{index} & 1].g[({index} & 1) + 1]"),
            _ => {
                let index = self.below(number);
                self.targets[index].clone()
            }
        }
    }

    fn line(&mut self, line: String) {
        self.text += "  ";
        self.text += &line;
        self.text.push('\n');
    }

    fn statement(&mut self, depth: usize) {
        let kind = self.below(if depth == 0 { 14 } else { 22 });
        let e = self.expression(2);
        match kind {
            0..=2 => {
                let target = self.target();
                let operator = ["=", "=", "+=", "-=", "*=", "^=", "|=", "&="][self.below(8)];
                self.line(format!("{target} {operator} {e};"));
            }
            3 => {
                let target = self.target();
                let step = ["++", "--"][self.below(2)];
                let line = match self.below(2) {
                    0 => format!("{target}{step};"),
                    _ => format!("{step}{target};"),
                };
                self.line(line);
            }
            4 => {
                let name = self.fresh();
                let (kind, ..) = TYPES[self.below(TYPES.len())];
                self.line(format!("{kind} {name} = {e};"));
                self.locals.push(name.clone());
                self.targets.push(name);
            }
            5 => {
                let number = self.targets.len();
                let index = self.below(number);
                let target = self.targets[index].clone();
                let function = self.below(self.functions);
                let [a, b] = [self.leaf(), self.leaf()];
                let line = match self.below(4) {
                    0 => format!(
                        "{target} = table[{function} & 1] ? table[{function} & 1]({a}, {b}) : 1;"
                    ),
                    1 => format!("f{function}({a}, {b});"),
                    _ => format!("{target} = f{function}({a}, {b});"),
                };
                self.line(line);
            }
            6 => self.line(format!("gp = &ga[({e}) & 7];")),
            7 => self.line(format!("gq = &gsa[({e}) & 1]; gq++; --gq;")),
            8 => {
                let lines = [
                    format!("gs = gsa[({e}) & 1];"),
                    format!("gsa[({e}) & 1] = make({e});"),
                    format!("*gq = (S){{ .b = {e}, .g = {{ 1, {e} }} }};"),
                    format!("g0 = make({e}).d + make(3).g[1];"),
                    "memcpy(&gs, &gsa[1], sizeof(S));".into(),
                    "memset(ga + 1, 0, 3 * sizeof(int));".into(),
                    "memset(gc, 0x5a, sizeof gc); memcpy(gc + 2, gc, 2);".into(),
                ];
                let index = self.below(lines.len());
                self.line(lines[index].clone());
            }
            9 => {
                let lines = [
                    format!("gu.l = {e}; g4 ^= gu.l;"),
                    format!("gu.i = {e}; g3 += gu.u;"),
                    format!(
                        "gu.t.s[1] = {e}; gu.t.s[0] = 1; {{ U v = gu; g2 = v.t.s[1] + v.t.s[0]; }}"
                    ),
                ];
                let index = self.below(lines.len());
                self.line(lines[index].clone());
            }
            10 => {
                let [p, i] = [self.fresh(), self.fresh()];
                self.line(format!(
                    "{{ int *{p} = malloc(5 * sizeof(int)); for (int {i} = 0; {i} < 5; {i}++) {p}[{i}] = {i} * g0; \
                     g0 += *({p} + (({e}) & 3)) + {p}[4]; free({p}); }}"
                ));
            }
            11 => {
                let [a, i] = [self.fresh(), self.fresh()];
                self.line(format!(
                    "{{ int {i} = 1 + (({e}) & 3); short {a}[{i}][2]; for (int j = 0; j < {i}; j++) {a}[j][0] = {a}[j][1] = j; \
                     g2 += sizeof {a} + {a}[{i} - 1][1]; }}"
                ));
            }
            12 => {
                let local = self.fresh();
                self.line(format!(
                    "{{ S {local} = gs, *r = &{local}; r->b += {e}; r->c++; gs = *r; }}"
                ));
            }
            13 => {
                let lines = [
                    "{ char *t = \"text\" + 1; g1 ^= *t++; g1 += t[1]; }".to_owned(),
                    format!("{{ static int calls; calls += {e}; g0 ^= calls; }}"),
                    format!("g0 = (int[]){{ 1, {e}, 3 }}[1];"),
                    format!("g4 = __builtin_mul_overflow(g0, {e}, &g0);"),
                    "for (unsigned char *b = gc; b < gc + 8; b++) *b ^= b - gc;".into(),
                ];
                let index = self.below(lines.len());
                self.line(lines[index].clone());
            }
            14 => {
                self.line(format!("if ({e}) {{"));
                self.statements(depth - 1);
                self.line("} else {".into());
                self.statements(depth - 1);
                self.line("}".into());
            }
            15 | 16 => {
                let name = self.fresh();
                let head = match self.below(3) {
                    0 => format!(
                        "for (int {name} = 0; {name} < {}; {name}++) {{",
                        1 + self.below(5)
                    ),
                    1 => format!("{{ int {name} = 3; while ({name}-- > 0) {{"),
                    _ => format!("{{ int {name} = 2; do {{"),
                };
                let (is_do, is_for) = (head.ends_with("do {"), head.starts_with("for"));
                self.line(head);
                self.locals.push(name.clone());
                self.in_loop += 1;
                self.line("if (fuel-- <= 0) break;".into());
                self.statements(depth - 1);
                self.in_loop -= 1;
                self.locals.pop();
                self.line(match (is_do, is_for) {
                    (true, _) => format!("}} while ({name}-- > 0); }}"),
                    (_, true) => "}".into(),
                    _ => "} }".into(),
                });
            }
            17 | 18 => {
                self.line(format!("switch (({e}) & 7) {{"));
                for case in [
                    "case 0:",
                    "case 1 ... 2:",
                    "case 3: case 4:",
                    "default:",
                    "case 6:",
                ] {
                    if self.below(4) == 0 {
                        continue;
                    }
                    self.line(case.into());
                    self.line("{".into());
                    self.statements(depth - 1);
                    self.line("}".into());
                    if self.below(2) == 0 {
                        self.line("break;".into());
                    }
                }
                self.line("}".into());
            }
            19 => {
                let label = self.fresh();
                self.line(format!("if ({e}) goto {label};"));
                self.line("{ int hidden = 5; g0 += hidden;".into());
                let scope = (self.locals.len(), self.targets.len());
                self.statement(0);
                self.locals.truncate(scope.0);
                self.targets.truncate(scope.1);
                self.line(format!("{label}: hidden = 6; g2 += hidden; }}"));
            }
            20 if self.in_loop > 0 => {
                let word = ["break", "continue"][self.below(2)];
                self.line(format!("if ({e}) {word};"));
            }
            _ => {
                let n = self.below(4);
                self.line(format!(
                    "{{ int n = {n}, k = 0; switch (n & 1) {{ do {{ case 0: k += 2; case 1: k++; }} while (n-- > 0); }} g0 += k; }}"
                ));
            }
        }
    }
}
