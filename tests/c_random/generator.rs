//! Random C programs with pointers, structs, arrays, unions, the heap, recursion and jumps. Numbers
//! are small, most steps are defined, and some conditions are asserted.

use std::fmt::Write;

pub struct Generator {
    state: u64,
    pub text: String,
    pub indent: usize,
    /// The functions that may be called: their number.
    callees: u32,
    labels: u32,
    loops: u32,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        Generator {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            text: String::new(),
            indent: 0,
            callees: 0,
            labels: 0,
            loops: 0,
        }
    }

    /// The program of a seed; a tiny one has only truth values, a few of them.
    pub fn program(seed: u64, is_tiny: bool) -> String {
        let mut generator = Generator::new(seed);
        match is_tiny {
            true => generator.tiny(),
            false => generator.whole(),
        }
        generator.text
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 2);
    }

    fn whole(&mut self) {
        self.line("extern unsigned char __VERIFIER_nondet_uchar(void);");
        self.line("extern void reach_error(void);");
        self.line("extern void *malloc(unsigned long);");
        self.line("extern void free(void *);");
        self.line("extern struct s *any(void);");
        self.line("typedef unsigned char u;");
        self.line("struct s { unsigned f : 2; u b; u *p; struct s *n; };");
        self.line("union v { u c; unsigned short w; u *p; };");
        self.line("u g, ga[3];");
        self.line("u *gp;");
        self.line("struct s gs, *gq;");
        self.line("union v gv;");
        let functions = 1 + self.below(3) as u32;
        for function in 0..functions {
            self.function(function);
            self.callees = function + 1;
        }
        self.line("int main(void) {");
        self.indent += 1;
        self.line("u x = __VERIFIER_nondet_uchar() & 3, y = 1, a[2] = { 0, 1 };");
        self.line("u *p = &x, *r;");
        self.line("struct s s, t = { 1, 2, &y, &s }, *q = &t, *h = 0;");
        self.line("union v v;");
        let count = 3 + self.below(5);
        self.statements(count, 3);
        self.indent -= 1;
        self.line("  return 0;");
        self.line("}");
    }

    fn function(&mut self, number: u32) {
        let header = match number {
            0 => "u f0(u x, u *p) {",
            1 => "u *f1(struct s *q, u y) {",
            _ => "struct s *f2(struct s *q, u x) {",
        };
        self.line(header);
        self.indent += 1;
        match number {
            0 => self.line("u y = 2, a[2] = { 1 }, *r = a;"),
            1 => self.line("u x = y, a[2], *p = &q->b, *r = gp;"),
            _ => self.line("u y = 0, a[2] = { 3, 3 }, *p = a, *r = 0;"),
        }
        if number == 0 {
            self.line("struct s *q = gq, *h = 0;");
        } else {
            self.line("struct s *h = q;");
        }
        self.line("struct s s, t = gs;");
        self.line("union v v = gv;");
        // Calls of itself are in the middle: the argument becomes smaller.
        let count = 1 + self.below(4);
        self.statements(count, 2);
        if number != 1 && self.below(2) == 0 {
            match number {
                0 => self.line("if (x & 3) { g = f0((x & 3) - 1, p); }"),
                _ => self.line("if (x & 3) { q = f2(q, (x & 3) - 1); }"),
            }
            let count = self.below(3);
            self.statements(count, 2);
        }
        let value = match number {
            0 => self.number(1),
            1 => self.pointer(1),
            _ => self.record(1),
        };
        self.line(&format!("return {value};"));
        self.indent -= 1;
        self.line("}");
    }

    fn statements(&mut self, count: u64, depth: u32) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn block(&mut self, head: &str, depth: u32) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        if self.below(4) == 0 {
            self.line("u z = 1;");
            match self.below(3) {
                0 => self.line("p = &z;"),
                1 => self.line("gp = &z;"),
                _ => self.line("z++;"),
            }
        }
        let count = 1 + self.below(3);
        self.statements(count, depth - 1);
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self, depth: u32) {
        match self.below(if depth > 0 { 24 } else { 16 }) {
            0..=4 => {
                let (place, value) = (self.place(2), self.number(2));
                let operator = self.one_of(&["=", "=", "=", "+=", "^=", "&=", "-="]);
                self.line(&format!("{place} {operator} {value} & 3;"));
            }
            5..=7 => {
                let place = self.one_of(&["p", "r", "gp", "s.p", "q->p", "p"]);
                let value = self.pointer(2);
                self.line(&format!("{place} = {value};"));
            }
            8 | 9 => {
                let place = self.one_of(&["q", "h", "gq", "q->n", "s.n"]);
                let value = self.record(2);
                self.line(&format!("{place} = {value};"));
            }
            10 => {
                let (to, from) = (
                    self.one_of(&["s", "gs", "*q", "t"]),
                    self.one_of(&["t", "*q", "gs", "s"]),
                );
                self.line(&format!("{to} = {from};"));
            }
            11 => {
                let place = self.place(1);
                let step = self.one_of(&["++", "--"]);
                self.line(&format!("{place}{step};"));
            }
            12 => self.line("if (h) { free(h); }"),
            13 => {
                let condition = self.condition(2);
                self.line(&format!("if (!({condition})) reach_error();"));
            }
            14 => match self.below(3) {
                0 => self.line("v.c = x; y = v.c & 3;"),
                1 => self.line("gv.w = 300; gv.p = p;"),
                _ => self.line("p = v.p;"),
            },
            15 => {
                let value = self.number(1);
                self.line(&format!("{value};"));
            }
            16..=18 => {
                let condition = self.condition(2);
                self.block(&format!("if ({condition})"), depth);
                if self.below(2) == 0 {
                    self.block("else", depth);
                }
            }
            19 | 20 => {
                let counter = format!("i{}", self.loops);
                self.loops += 1;
                let bound = 1 + self.below(3);
                let head = format!("for (u {counter} = 0; {counter} < {bound}; {counter}++)");
                self.line(&format!("{head} {{"));
                self.indent += 1;
                let condition = self.condition(1);
                let jump = self.one_of(&["break;", "continue;", ";"]);
                self.line(&format!("if ({condition}) {jump}"));
                self.block("", depth);
                self.indent -= 1;
                self.line("}");
            }
            21 => {
                let value = self.number(1);
                self.line(&format!("switch ({value} & 3) {{"));
                self.indent += 1;
                self.line("case 0:");
                self.statement(depth - 1);
                self.line("case 1: { u z = 2; gp = &z; }");
                self.line("break;");
                self.line("default:");
                self.statement(depth - 1);
                self.indent -= 1;
                self.line("}");
            }
            22 => {
                let label = self.labels;
                self.labels += 1;
                let condition = self.condition(1);
                self.line(&format!("if ({condition}) goto l{label};"));
                self.statement(depth - 1);
                self.line(&format!("l{label}: ;"));
            }
            _ => self.line("h = malloc(sizeof(struct s)); h->n = q; h->b = x;"),
        }
    }

    /// Something that holds a number.
    fn place(&mut self, depth: u32) -> String {
        match self.below(if depth > 0 { 12 } else { 4 }) {
            0 | 1 => self.one_of(&["x", "y"]).to_owned(),
            2 => "g".to_owned(),
            3 => self.one_of(&["s.b", "t.f", "gs.b", "gs.f"]).to_owned(),
            4 => format!("a[{} & 1]", self.number(depth - 1)),
            5 => format!("ga[{} & 3]", self.number(depth - 1)),
            6 | 7 => self.one_of(&["*p", "*gp", "*p", "p[0]"]).to_owned(),
            8 => format!("p[{} & 1]", self.number(depth - 1)),
            9 => self.one_of(&["q->b", "q->f", "h->b"]).to_owned(),
            10 => self.one_of(&["*q->p", "q->n->b", "gq->b"]).to_owned(),
            _ => "(*q).f".to_owned(),
        }
    }

    fn number(&mut self, depth: u32) -> String {
        match self.below(if depth > 0 { 12 } else { 4 }) {
            0 => self.below(4).to_string(),
            1..=3 => self.place(depth),
            4 | 5 => {
                let operator = self.one_of(&["+", "-", "^", "|", "&", "*", "<", "=="]);
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                format!("({a} {operator} {b})")
            }
            6 => {
                let (c, a, b) = (
                    self.condition(depth - 1),
                    self.number(depth - 1),
                    self.number(depth - 1),
                );
                format!("({c} ? {a} : {b})")
            }
            7 => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                let operator = self.one_of(&["/", "%", "<<", ">>"]);
                format!("({a} {operator} ({b} & 3))")
            }
            8 => format!("(x = {} & 3)", self.number(depth - 1)),
            9 if self.callees > 0 => {
                let (a, p) = (self.number(depth - 1), self.pointer(depth - 1));
                format!("f0({a} & 3, {p})")
            }
            10 if self.callees > 1 => {
                let (q, a) = (self.record(depth - 1), self.number(depth - 1));
                format!("*f1({q}, {a} & 3)")
            }
            _ => "(__VERIFIER_nondet_uchar() & 3)".to_owned(),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.below(if depth > 0 { 9 } else { 2 }) {
            0 => format!("{} < 3", self.number(depth)),
            1 => format!("{} == {}", self.number(0), self.number(depth)),
            2 => {
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                let operator = self.one_of(&["&&", "||"]);
                format!("({a} {operator} {b})")
            }
            3 => self
                .one_of(&["p", "q", "gp", "h", "q->n", "s.p"])
                .to_owned(),
            4 => format!("{} == {}", self.pointer(1), self.pointer(1)),
            5 => format!("{} != {}", self.record(1), self.record(1)),
            6 => format!("!({})", self.condition(depth - 1)),
            7 => format!("{} != {}", self.number(depth - 1), self.number(depth - 1)),
            _ => format!("({} <= {})", self.pointer(0), self.pointer(0)),
        }
    }

    /// A pointer to a number.
    fn pointer(&mut self, depth: u32) -> String {
        match self.below(if depth > 0 { 12 } else { 6 }) {
            0 => self.one_of(&["&x", "&y"]).to_owned(),
            1 => self.one_of(&["a", "ga", "&a[1]", "&ga[2]"]).to_owned(),
            2 | 3 => self.one_of(&["p", "gp", "p"]).to_owned(),
            4 => self.one_of(&["&s.b", "&gs.b", "&g"]).to_owned(),
            5 => self.one_of(&["0", "r"]).to_owned(),
            6 => format!("(p + ({} & 1))", self.number(depth - 1)),
            7 => self.one_of(&["q->p", "s.p", "gs.p", "&q->b"]).to_owned(),
            8 => format!("&a[{} & 1]", self.number(depth - 1)),
            9 if self.callees > 1 => {
                let (q, a) = (self.record(depth - 1), self.number(depth - 1));
                format!("f1({q}, {a} & 3)")
            }
            10 => "(p - 1)".to_owned(),
            _ => "&h->b".to_owned(),
        }
    }

    /// A pointer to a struct.
    fn record(&mut self, depth: u32) -> String {
        match self.below(if depth > 0 { 8 } else { 4 }) {
            0 => self.one_of(&["&s", "&t"]).to_owned(),
            1 => "&gs".to_owned(),
            2 | 3 => self.one_of(&["q", "gq", "q"]).to_owned(),
            4 => self.one_of(&["q->n", "s.n", "gs.n"]).to_owned(),
            5 if self.callees > 2 => format!("f2({}, {} & 3)", self.record(0), self.number(0)),
            6 => self.one_of(&["any()", "h"]).to_owned(),
            _ => "q".to_owned(),
        }
    }

    fn tiny(&mut self) {
        self.line("extern void reach_error(void);");
        self.line("typedef _Bool b;");
        self.line("b g, *gp;");
        let swaps = self.below(2) == 0;
        if swaps {
            self.line("void f(b *p) { b z = *p; *p = g; g = z; gp = &z; }");
        }
        self.line("int main(void) {");
        self.indent += 1;
        self.line("b x, a[2], *p = &x;");
        for _ in 0..2 + self.below(5) {
            let place = self
                .one_of(&["x", "g", "*p", "a[x]", "a[1]", "*gp"])
                .to_owned();
            let value = self.one_of(&["!x", "*p", "a[g]", "g ^ x", "a[0] && g", "1", "p == gp"]);
            let value = value.to_owned();
            match self.below(7) {
                0 => self.line(&format!("if ({value}) {place} = !{place};")),
                1 => {
                    let value = self.one_of(&["&x", "&g", "a", "&a[1]", "&a[x]", "0"]);
                    self.line(&format!("p = {value};"));
                }
                2 => self.line("gp = p;"),
                3 if swaps => self.line("f(p);"),
                4 => self.line(&format!("while ({place}) {place} = {value};")),
                5 => self.line(&format!("if (!({value})) reach_error();")),
                _ => self.line(&format!("{place} = {value};")),
            }
        }
        self.line("if (x && !g) reach_error();");
        self.indent -= 1;
        self.line("}");
    }
}
