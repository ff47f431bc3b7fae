//! Statements, chosen at random; the shapes that SLAM's programs have where most code is to
//! stay reachable.

use super::body::Body;

#[derive(Clone, Copy)]
enum Kind {
    Skip,
    Print,
    Assign,
    Constrained,
    Dead,
    Assert,
    Assume,
    Call,
    If,
    While,
    /// `goto A, B; A: assume(c); ... goto C; B: assume(!c); ... C: ...`
    Fork,
    Create,
    Atomic,
    /// `atomic_begin; … atomic_end;`
    Exclusive,
    EndThread,
}

impl Body<'_> {
    pub fn statement(&mut self, depth: u32) {
        self.budget = self.budget.saturating_sub(1);
        let options = self.options;
        let nested = u32::from(depth < options.nesting);
        let kinds = [
            (2, Kind::Skip),
            (1, Kind::Print),
            (34, Kind::Assign),
            (options.assumes, Kind::Constrained),
            (options.dead, Kind::Dead),
            (options.asserts, Kind::Assert),
            (options.assumes, Kind::Assume),
            (options.calls, Kind::Call),
            (24 * nested, Kind::If),
            (5 * nested, Kind::While),
            (options.gotos.div_ceil(4) * nested, Kind::Fork),
            (options.creations, Kind::Create),
            (options.atomics * nested, Kind::Atomic),
            (options.atomics.div_ceil(4) * nested, Kind::Exclusive),
            (options.atomics.div_ceil(8), Kind::EndThread),
        ];
        self.maybe_label();
        match self.random.weighted(&kinds) {
            Kind::Skip => self.line("skip;"),
            Kind::Print => {
                let values = self.values(2);
                self.line(&format!("print({values});"));
            }
            Kind::Assign => self.assign(),
            Kind::Constrained => self.constrained(),
            Kind::Dead => self.dead(),
            Kind::Assert => {
                let condition = self.deterministic();
                self.line(&format!("assert({condition});"));
            }
            Kind::Assume => self.assume(),
            Kind::Call => self.any_call(),
            Kind::If => self.if_statement(depth),
            Kind::While => self.while_statement(depth),
            Kind::Fork => self.fork(depth),
            Kind::Create => self.create(),
            Kind::Atomic => self.atomic(depth),
            Kind::Exclusive => {
                self.line("atomic_begin;");
                self.statement(depth + 1);
                self.line("atomic_end;");
            }
            Kind::EndThread => self.line("end_thread;"),
        }
    }

    fn create(&mut self) {
        let last = self.plan.procedures.len() as u32 - 1;
        let labels: Vec<u32> = self.signature.labels.clone().collect();
        if !labels.is_empty() && (last == 0 || self.random.percent(25)) {
            let label = *self.random.pick(&labels);
            return self.line(&format!("start_thread goto L{label};"));
        }
        let callee = self.random.between(last.min(1), last);
        self.start_thread(callee);
    }

    pub fn start_thread(&mut self, callee: u32) {
        let signature = &self.plan.procedures[callee as usize];
        let arguments = self.values(signature.parameters.len());
        let call = match self.random.percent(30) {
            true => "call ",
            false => "",
        };
        self.line(&format!(
            "start_thread {call}{}({arguments});",
            signature.name
        ));
    }

    fn atomic(&mut self, depth: u32) {
        let (open, close) = match self.braces {
            true => ("atomic {", "}"),
            false => ("atomic begin", "end"),
        };
        self.line(open);
        self.atomic += 1;
        self.sequence(depth + 1);
        self.atomic -= 1;
        self.line(close);
    }

    /// Puts a label in front of the next statement, on a line of its own.
    fn maybe_label(&mut self) {
        if !self.unplaced.is_empty() && self.atomic == 0 {
            // So that labels spread over the body, and a few statements have two.
            let share = 100 * self.unplaced.len() as u32 / (self.budget + 1);
            while !self.unplaced.is_empty() && self.random.percent(share.clamp(3, 60)) {
                let label = self.take_label();
                self.line(&format!("{label}:"));
            }
        }
    }

    /// A few statements of a branch or a loop, possibly with a way out at the end; whether
    /// what follows can be reached from there.
    fn sequence(&mut self, depth: u32) -> bool {
        self.indent += 1;
        let count = self.random.weighted(&[(4, 1), (4, 2), (3, 3), (2, 4)]);
        if self.options.motley && self.random.percent(5) {
            // An empty sequence.
            self.indent -= 1;
            return true;
        }
        for _ in 0..count {
            self.statement(depth);
        }
        let goto = self.random.percent(self.options.gotos)
            && !self.signature.labels.is_empty()
            && self.atomic == 0;
        let leave = !goto && self.random.percent(4);
        if goto {
            self.goto();
        } else if leave {
            self.return_statement();
        }
        self.indent -= 1;
        !goto && !leave
    }

    fn goto(&mut self) {
        let labels: Vec<u32> = self.signature.labels.clone().collect();
        let count = self.random.weighted(&[(6, 1), (3, 2), (1, 3)]);
        let targets: Vec<String> = self
            .random
            .sample(&labels, count)
            .iter()
            .map(|label| format!("L{label}"))
            .collect();
        self.line(&format!("goto {};", targets.join(", ")));
    }

    pub fn return_statement(&mut self) {
        let values = self.values(self.signature.returns as usize);
        let text = match (values.is_empty(), self.options.motley) {
            (true, _) => "return;".into(),
            (false, true) if self.random.percent(30) => format!("return({values});"),
            (false, _) => format!("return {values};"),
        };
        self.line(&text);
    }

    /// Up to `count` different variables to be set.
    fn targets(&mut self, count: usize) -> Vec<String> {
        let mut targets = self.random.sample(&self.variable, count);
        if self.options.motley && self.random.percent(6) {
            targets.push("_".into());
        }
        targets
    }

    fn assign(&mut self) {
        let count = self.random.weighted(&[(6, 1), (3, 2), (1, 3)]);
        let targets = self.targets(count);
        if targets.is_empty() {
            return self.line("skip;");
        }
        let values = self.values(targets.len());
        let sign = match self.options.motley && self.random.percent(25) {
            true => "=",
            false => ":=",
        };
        self.line(&format!("{} {sign} {values};", targets.join(", ")));
    }

    /// Two variables get values that are related.
    fn constrained(&mut self) {
        let targets = self.random.sample(&self.variable, 2);
        let [a, b] = &targets[..] else {
            return self.assign();
        };
        let relation = match self.random.below(5) {
            0 => format!("!('{a} & '{b})"),
            1 => format!("'{a} | '{b}"),
            2 => format!("'{a} != '{b}"),
            3 => format!("'{a} => {b}"),
            _ => format!("'{b} = ({a} | '{a})"),
        };
        // Without such statements no number is drawn for them.
        if self.options.relations > 0 && self.random.percent(self.options.relations) {
            return self.line(&format!("constrain({relation});"));
        }
        let values = match self.options.careful {
            true => "*, *".into(),
            false => format!("*, {}", self.value()),
        };
        self.line(&format!("{a}, {b} := {values} constrain {relation};"));
    }

    fn dead(&mut self) {
        let count = self.random.between(1, 3) as usize;
        let variables = self.random.sample(&self.variable, count);
        match variables.is_empty() {
            true => self.line("skip;"),
            false => self.line(&format!("dead {};", variables.join(", "))),
        }
    }

    fn assume(&mut self) {
        let mut variables = self.random.sample(&self.focus, 2);
        if self.options.careful && !self.variable.is_empty() {
            // What is assumed of a value that may be anything cuts nothing off for good.
            let free = self.random.pick(&self.variable).clone();
            self.line(&format!("dead {free};"));
            variables.retain(|variable| *variable != free);
            variables.truncate(1);
            variables.push(free);
        }
        let condition = self.make(|source, random| source.combine(random, &variables));
        let text = match self.random.below(3) {
            0 => format!("assume({condition});"),
            1 => format!("constrain({condition});"),
            _ => format!("abortif({condition});"),
        };
        self.line(&text);
    }

    fn any_call(&mut self) {
        let last = self.plan.procedures.len() as u32 - 1;
        let back = self.index > 0 && self.random.percent(self.options.recursion);
        if back {
            // Large programs call themselves back only over short distances.
            let first = match self.options.careful {
                true => self.index.saturating_sub(3).max(1),
                false => 1,
            };
            let callee = self.random.between(first, self.index);
            // Recursion has a way not taken.
            let condition = match self.options.careful {
                true => "*".into(),
                false => self.condition(),
            };
            self.line(&format!("if ({condition}) then"));
            self.indent += 1;
            self.call(callee);
            self.indent -= 1;
            self.line("fi");
        } else if self.index < last {
            // Mostly one that is not far away.
            let reach = (last - self.index).min(40);
            let callee = self.index + self.random.between(1, reach);
            self.call(callee);
        } else {
            self.assign();
        }
    }

    pub fn call(&mut self, callee: u32) {
        let signature = &self.plan.procedures[callee as usize];
        let arguments = self.values(signature.parameters.len());
        let mut targets = Vec::new();
        if signature.returns > 0 && !self.random.percent(10) {
            targets = self
                .random
                .sample(&self.variable, signature.returns as usize);
            while targets.len() < signature.returns as usize {
                targets.push("_".into());
            }
            if self.random.percent(10) {
                targets[0] = "_".into();
            }
        }
        let mut text = String::new();
        if !targets.is_empty() {
            text = format!("{} := ", targets.join(", "));
        }
        if self.options.motley && self.random.percent(20) {
            text.push_str("call ");
        }
        self.line(&format!("{text}{}({arguments});", signature.name));
    }

    fn if_statement(&mut self, depth: u32) {
        let condition = self.condition();
        // SLAM forks first and then assumes on each side what the fork was about.
        let slam = self.options.careful && self.random.percent(20);
        if slam {
            let condition = self.deterministic();
            self.line("if (*) then");
            self.line(&format!("  assume({condition});"));
            self.sequence(depth + 1);
            self.line("else");
            self.line(&format!("  assume(!({condition}));"));
            self.sequence(depth + 1);
            return self.line("fi");
        }
        let shape = self.random.below(10);
        if self.braces {
            self.line(&format!("if ({condition}) {{"));
            self.sequence(depth + 1);
            if shape >= 8 {
                let condition = self.condition();
                self.line(&format!("}} else if ({condition}) {{"));
                self.sequence(depth + 1);
            }
            if shape >= 4 {
                self.line("} else {");
                self.sequence(depth + 1);
            }
            return self.line("}");
        }
        // The parentheses of a condition may be left out before `then`.
        match self.options.motley && self.random.percent(10) {
            true => self.line(&format!("if {condition} then")),
            false => self.line(&format!("if ({condition}) then")),
        }
        self.sequence(depth + 1);
        if shape >= 8 {
            let condition = self.condition();
            self.line(&format!("elsif ({condition}) then"));
            self.sequence(depth + 1);
        }
        if shape >= 4 {
            self.line("else");
            self.sequence(depth + 1);
        }
        let end = match self.options.motley && self.random.percent(20) {
            true => "fi;",
            false => "fi",
        };
        self.line(end);
    }

    fn while_statement(&mut self, depth: u32) {
        let mut condition = self.condition();
        if self.options.careful && condition != "*" {
            condition = format!("* & ({condition})");
        }
        let (open, close) = match self.braces {
            true => (" {", "}"),
            false => (" do", "od"),
        };
        self.line(&format!("while ({condition}){open}"));
        self.sequence(depth + 1);
        self.line(close);
    }

    fn fork(&mut self, depth: u32) {
        let number = self.forks;
        self.forks += 1;
        let condition = self.deterministic();
        self.line(&format!("goto A{number}, B{number};"));
        self.line(&format!("A{number}: assume({condition});"));
        if self.sequence(depth + 1) {
            self.line(&format!("  goto C{number};"));
        }
        self.line(&format!("B{number}: assume(!({condition}));"));
        self.sequence(depth + 1);
        self.line(&format!("C{number}: skip;"));
    }
}
