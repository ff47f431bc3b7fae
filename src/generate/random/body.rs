//! One procedure: header, declarations, the frame of its body.

use super::expression::Source;
use super::options::Options;
use super::plan::{Beginning, Plan, Signature};
use super::randomness::Random;
use std::ops::Range;

/// A global of careful programs that `main` sets when all is over. Nobody else touches it,
/// so the label `never` behind it is unreachable; to know that, one has to see everything.
pub const UNLOADED: &str = "{driver->unloaded}";

pub struct Body<'a> {
    pub options: &'a Options,
    pub plan: &'a Plan,
    pub index: u32,
    pub signature: &'a Signature,
    pub random: Random,
    pub out: String,
    pub indent: usize,
    /// Whether blocks are written with braces.
    pub braces: bool,
    /// Labels that have no statement yet.
    pub unplaced: Range<u32>,
    /// How many forks have been made of gotos.
    pub forks: u32,
    /// How many atomic blocks are open: no label is in one, and no `goto` leads out of one.
    pub atomic: u32,
    /// How many statements are still to be written.
    pub budget: u32,
    /// Calls that this procedure still has to make.
    pub duties: Vec<u32>,
    /// The variables that the next statements are about.
    pub focus: Vec<String>,
    /// Those of them that are set.
    pub variable: Vec<String>,
}

pub fn write(seed: u64, options: &Options, plan: &Plan, index: usize) -> String {
    let signature = &plan.procedures[index];
    let mut random = Random::new(seed, index as u64 + 1);
    let average = options.statements.max(1);
    let mut body = Body {
        options,
        plan,
        index: index as u32,
        signature,
        braces: random.percent(options.braces),
        budget: random.between(average.div_ceil(2), average + average / 2),
        random,
        out: String::new(),
        indent: 0,
        unplaced: signature.labels.clone(),
        forks: 0,
        atomic: 0,
        duties: signature.duties.clone(),
        focus: Vec::new(),
        variable: Vec::new(),
    };
    body.procedure();
    body.out
}

impl Body<'_> {
    fn procedure(&mut self) {
        // Without values on the way out there is nothing to infer their number from.
        let falls_off = self.options.motley && self.random.percent(12);
        self.header(falls_off);
        self.line(if self.braces { "{" } else { "begin" });
        self.indent += 1;
        let late = self.declarations();
        self.refocus();
        match self.index == 0 {
            true => self.main(),
            false => self.statements_of_budget(),
        }
        if let Some(variable) = late {
            self.line(&format!("decl {variable};"));
        }
        while !self.unplaced.is_empty() {
            let label = self.take_label();
            let text = format!("{label}: skip;");
            self.line(&text);
        }
        if !falls_off {
            self.last_return();
        }
        self.indent -= 1;
        self.line(if self.braces { "}" } else { "end" });
    }

    fn header(&mut self, falls_off: bool) {
        let typed = falls_off || !self.options.motley || self.random.percent(70);
        let kind = match (typed, self.signature.returns) {
            (false, _) => String::new(),
            (true, 0) => "void ".into(),
            (true, 1) if self.random.percent(70) => "bool ".into(),
            (true, count) => format!("bool<{count}> "),
        };
        let dfs = match self.options.motley && self.random.percent(5) {
            true => "dfs ",
            false => "",
        };
        let Signature {
            name, parameters, ..
        } = self.signature;
        self.out.push('\n');
        self.line(&format!("{dfs}{kind}{name}({})", parameters.join(", ")));
    }

    /// Declares the locals; returns one that is left to be declared at the end of the body.
    fn declarations(&mut self) -> Option<String> {
        let mut locals = self.signature.locals.clone();
        let late = match self.options.motley && self.random.percent(8) {
            true => locals.pop(),
            false => None,
        };
        for some in locals.chunks(6) {
            self.line(&format!("decl {};", some.join(", ")));
        }
        // Locals begin with any value, so a condition on two of them can hold.
        if self.signature.locals.len() >= 2 && self.random.percent(self.options.assumes) {
            let pair = self.random.sample(&self.signature.locals, 2);
            self.line(&format!("enforce !({} & {});", pair[0], pair[1]));
        }
        late
    }

    fn main(&mut self) {
        if !self.options.careful {
            let globals = &self.plan.globals;
            let share = self.random.below(globals.len() as u32 + 1) as usize;
            let targets = self.random.sample(globals, share);
            if !targets.is_empty() {
                let values: Vec<&str> = targets
                    .iter()
                    .map(|_| self.make(|source, random| source.constant(random)))
                    .collect();
                self.line(&format!("{} := {};", targets.join(", "), values.join(", ")));
            }
            match self.plan.begins {
                Beginning::Init => return,
                Beginning::Main => {
                    for callee in &self.plan.threads {
                        self.start_thread(*callee);
                    }
                }
                Beginning::Thread => {}
            }
            return self.statements_of_budget();
        }
        // The harness of a driver: any of its entry points, any number of times.
        self.line(&format!("{UNLOADED} := 0;"));
        let globals = self.plan.globals.len().div_ceil(2);
        for global in &self.plan.globals[..globals] {
            self.line(&format!("{global} := 0;"));
        }
        self.line("while (*) do");
        self.indent += 1;
        for (number, callee) in std::mem::take(&mut self.duties).into_iter().enumerate() {
            self.line(if number == 0 {
                "if (*) then"
            } else {
                "elsif (*) then"
            });
            self.indent += 1;
            self.refocus();
            self.call(callee);
            self.indent -= 1;
        }
        if self.plan.procedures.len() > 1 {
            self.line("fi");
        }
        self.line(&format!("if ({UNLOADED}) then"));
        self.line("  never: skip;");
        self.line("fi");
        self.indent -= 1;
        self.line("od");
        self.statements_of_budget();
        self.line(&format!("{UNLOADED} := 1;"));
    }

    fn statements_of_budget(&mut self) {
        while self.budget > 0 {
            // What must be called is called at the outermost level, spread over the body.
            let share = 100 * self.duties.len() as u32 / self.budget.max(1);
            if !self.duties.is_empty() && self.random.percent(share.max(5)) {
                self.duty();
            }
            if self.random.percent(30) {
                self.refocus();
            }
            self.statement(0);
        }
        while !self.duties.is_empty() {
            self.duty();
        }
    }

    fn duty(&mut self) {
        if let Some(callee) = self.duties.pop() {
            self.call(callee);
        }
    }

    fn last_return(&mut self) {
        if self.signature.returns > 0 || self.options.motley && self.random.percent(20) {
            self.return_statement();
        }
    }

    /// Chooses the variables that the next statements are about. Where few are in play at a
    /// time, as in programs that people write, sets of states stay describable.
    pub fn refocus(&mut self) {
        let mut names = self.signature.parameters.clone();
        names.extend_from_slice(&self.signature.locals);
        let (own, shared) = match self.options.careful {
            true => (3, 2),
            false => (names.len(), self.plan.globals.len()),
        };
        self.focus = self.random.sample(&names, own);
        // A driver's globals are looked at more often than they are changed.
        self.variable = self.focus.clone();
        let globals = self.random.sample(&self.signature.globals, shared);
        if !self.options.careful || self.random.percent(25) || self.variable.is_empty() {
            self.variable.extend_from_slice(&globals);
        }
        self.focus.extend(globals);
    }

    pub fn condition(&mut self) -> String {
        self.make(|source, random| source.condition(random))
    }

    /// A condition without nondeterminism, unless there is no variable at all.
    pub fn deterministic(&mut self) -> String {
        match self.focus.is_empty() {
            true => "*".into(),
            false => self.make(|source, random| source.deterministic(random)),
        }
    }

    pub fn value(&mut self) -> String {
        self.make(|source, random| source.value(random))
    }

    pub fn make<T>(&mut self, make: impl FnOnce(&Source<'_>, &mut Random) -> T) -> T {
        let source = Source {
            options: self.options,
            variables: &self.focus,
        };
        make(&source, &mut self.random)
    }

    pub fn values(&mut self, count: usize) -> String {
        let values: Vec<String> = (0..count).map(|_| self.value()).collect();
        values.join(", ")
    }

    pub fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// The next label of this procedure; there is one.
    pub fn take_label(&mut self) -> String {
        let number = self.unplaced.start;
        self.unplaced.start += 1;
        format!("L{number}")
    }
}
