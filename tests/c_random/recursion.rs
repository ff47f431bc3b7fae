//! Random C programs without choices, in which recursive functions hand pointers to their locals up
//! and down: each has one execution.

use super::generator::Generator;

impl Generator {
    /// The program of a seed.
    pub fn recursion(seed: u64) -> String {
        let mut generator = Generator::new(seed);
        generator.recursive();
        generator.text
    }

    fn recursive(&mut self) {
        self.line("extern void reach_error(void);");
        self.line("typedef unsigned char u;");
        self.line("struct s { u b; u *p; };");
        self.line("u g = 1, *gp = &g;");
        self.line("struct s gs = { 2, &g };");
        self.line("u *f1(u n, u *p, struct s *q);");
        for function in 0..2 {
            match function {
                0 => self.line("u f0(u n, u *p, struct s *q) {"),
                _ => self.line("u *f1(u n, u *p, struct s *q) {"),
            }
            self.indent += 1;
            self.line("u x = n, a[2] = { 1, n }, *r = p;");
            self.line("struct s s = { n, p };");
            let (before, after) = (self.below(4), 1 + self.below(4));
            self.steps(before, false);
            self.line("if (n > 0) {");
            self.indent += 1;
            let (first, second) = (1 + self.below(2), self.below(3));
            self.steps(first, true);
            self.steps(second, false);
            self.indent -= 1;
            self.line("}");
            self.steps(after, false);
            match function {
                0 => {
                    let value = self.one_of(&["x", "*p", "a[1]", "g"]);
                    self.line(&format!("return {value} & 7;"));
                }
                _ => {
                    let value = self.one_of(&["p", "r", "&x", "q->p", "a"]);
                    self.line(&format!("return {value};"));
                }
            }
            self.indent -= 1;
            self.line("}");
        }
        self.line("int main(void) {");
        self.line("  u z = 3; struct s t = { 1, &z };");
        let depth = 1 + self.below(3);
        match self.below(2) {
            0 => self.line(&format!("  z += f0({depth}, &z, &t);")),
            _ => self.line(&format!("  z += *f1({depth}, &z, &t);")),
        }
        let value = self.below(8);
        self.line(&format!("  if ((z + g & 7) == {value}) reach_error();"));
        self.line("  return 0;");
        self.line("}");
    }

    fn steps(&mut self, count: u64, calls: bool) {
        for _ in 0..count {
            self.step(calls);
        }
    }

    fn step(&mut self, calls: bool) {
        let target = self.one_of(&["p", "&x", "a", "&a[1]", "r", "&s.b", "q->p", "gp", "s.p"]);
        let record = self.one_of(&["q", "&s", "&gs", "q"]);
        if calls {
            match self.below(3) {
                0 => self.line(&format!("r = f1(n - 1, {target}, {record});")),
                1 => self.line(&format!(
                    "{{ u *k = f1(n - 1, {target}, {record}); if (k) *k = 5; }}"
                )),
                _ => self.line(&format!("x += f0(n - 1, {target}, {record});")),
            }
            return;
        }
        let value = self.one_of(&["x", "*p", "a[0]", "q->b", "*q->p", "*r", "g", "n", "*gp"]);
        match self.below(8) {
            0 => self.line(&format!("r = {target};")),
            1 => self.line(&format!("gp = {target};")),
            2 => self.line(&format!("q->p = {target};")),
            3 => self.line(&format!("s.p = {target};")),
            4 => {
                let other = self.one_of(&["p", "&x", "r", "gp", "q->p"]);
                self.line(&format!("if ({target} == {other}) g ^= 1;"));
            }
            5 => {
                let number = self.below(8);
                self.line(&format!("if (({value} & 7) == {number}) reach_error();"));
            }
            _ => {
                let place =
                    self.one_of(&["x", "*p", "a[n & 1]", "q->b", "*q->p", "*r", "g", "*gp"]);
                self.line(&format!("{place} = {place} + {value} & 7;"));
            }
        }
    }
}
