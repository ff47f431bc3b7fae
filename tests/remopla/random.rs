//! Small random Remopla programs: few bits, but every construct of the language.
//!
//! What values there are is kept so few that explicit states can be listed; what is done with
//! them often does not fit, lies outside an array or divides by 0.

#[path = "terms.rs"]
mod terms;

use derny::generate::random::Random;
use std::fmt::Write;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    /// Of so many bits.
    Int(u32),
    Enum,
}

impl Kind {
    fn is_bool(self) -> bool {
        self == Kind::Bool
    }

    fn bits(self) -> u32 {
        match self {
            Kind::Bool => 1,
            Kind::Int(bits) => bits,
            Kind::Enum => 2,
        }
    }
}

/// A variable: scalar, array from `low` on, struct or array of structs.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Scalar(Kind),
    Array(Kind, u32, u32),
    /// Two rows and so many columns.
    Table(Kind, u32),
    /// `p` is a bool, `q` an int of one bit, `r` an array of two bits if it is `large`.
    Struct {
        large: bool,
    },
    /// Two structs, which are not large.
    Structs,
}

impl Form {
    fn bits(self) -> u32 {
        match self {
            Form::Scalar(kind) => kind.bits(),
            Form::Array(kind, _, length) => kind.bits() * length,
            Form::Table(kind, columns) => kind.bits() * 2 * columns,
            Form::Struct { large: false } => 2,
            Form::Struct { large: true } => 3,
            Form::Structs => 4,
        }
    }
}

struct Module {
    name: &'static str,
    parameters: Vec<Variable>,
    returns: Option<Form>,
}

pub struct Generator {
    random: Random,
    text: String,
    globals: Vec<Variable>,
    modules: Vec<Module>,
    /// Of the module that is being written.
    locals: Vec<Variable>,
    current: usize,
    indent: usize,
    labels: Vec<String>,
    /// Labels that a `goto` may name, all of which will be there.
    targets: Vec<String>,
    loops: u32,
    statements: u32,
    /// A quantified variable in scope.
    bound: Option<&'static str>,
    /// What the present statement assigns to.
    assigned: Vec<String>,
}

/// A program, its labels and conditions that propositions can be made of.
pub struct Generated {
    pub text: String,
    pub labels: Vec<String>,
    pub conditions: Vec<String>,
}

pub fn program(seed: u64) -> Generated {
    let mut generator = Generator {
        random: Random::new(seed, 77),
        text: String::new(),
        globals: Vec::new(),
        modules: Vec::new(),
        locals: Vec::new(),
        current: 0,
        indent: 0,
        labels: Vec::new(),
        targets: Vec::new(),
        loops: 0,
        statements: 0,
        bound: None,
        assigned: Vec::new(),
    };
    generator.declare();
    let mut conditions = Vec::new();
    for module in 0..generator.modules.len() {
        generator.module(module);
        for _ in 0..2 {
            conditions.push(generator.proposition());
        }
    }
    Generated {
        text: generator.text,
        labels: generator.labels,
        conditions,
    }
}

impl Generator {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.indent);
    }

    fn kind(&mut self) -> Kind {
        let one = Kind::Int(1);
        let kinds = [
            (3, Kind::Bool),
            (3, one),
            (4, Kind::Int(2)),
            (2, Kind::Enum),
        ];
        self.random.weighted(&kinds)
    }

    fn form(&mut self) -> Form {
        let kind = self.kind();
        let large = self.random.percent(30);
        let one = [Kind::Bool, Kind::Int(1)];
        let bit = *self.random.pick(&one);
        let low = self.random.below(2);
        let length = self.random.between(1, 3);
        self.random.weighted(&[
            (10, Form::Scalar(kind)),
            (4, Form::Array(bit, low, length)),
            (1, Form::Table(bit, 2)),
            (2, Form::Struct { large }),
            (1, Form::Structs),
        ])
    }

    /// Variables of at most so many bits together.
    fn variables(&mut self, prefix: &str, mut bits: u32, most: u32) -> Vec<Variable> {
        let mut all = Vec::new();
        for i in 0..most {
            let form = self.form();
            if form.bits() <= bits {
                bits -= form.bits();
                let name = format!("{prefix}{i}");
                all.push(Variable { name, form });
            }
        }
        all
    }

    fn declaration(variable: &Variable, shared: &str) -> String {
        let name = &variable.name;
        let of = |kind, dimensions: &str| match kind {
            Kind::Bool => format!("{shared}bool {name}{dimensions}"),
            Kind::Int(bits) => format!("{shared}int {name}{dimensions}({bits})"),
            Kind::Enum => format!("{shared}enum E {name}{dimensions}"),
        };
        match variable.form {
            Form::Scalar(kind) => of(kind, ""),
            Form::Array(kind, 0, length) => of(kind, &format!("[{length}]")),
            Form::Array(kind, low, length) => of(kind, &format!("[{low},{}]", low + length - 1)),
            Form::Table(kind, columns) => of(kind, &format!("[2][{columns}]")),
            Form::Struct { large: false } => format!("{shared}struct S {name}"),
            Form::Struct { large: true } => format!("{shared}struct T {name}"),
            Form::Structs => format!("{shared}struct S {name}[2]"),
        }
    }

    fn declare(&mut self) {
        self.line("define two 2");
        self.line("enum E { red, green, blue };");
        self.line("struct S { bool p; int q(1); };");
        self.line("struct T { bool p; int q(1); int r[1](1); };");
        let most = self.random.between(1, 4);
        self.globals = self.variables("g", 5, most);
        for variable in self.globals.clone() {
            let shared = if self.random.percent(20) {
                "shared "
            } else {
                ""
            };
            let text = Self::declaration(&variable, shared) + ";";
            self.line(&text);
        }
        let names = ["f", "h", "main"];
        let count = self.random.between(1, 3) as usize;
        for name in &names[names.len() - count..] {
            let most = self.random.below(3);
            let parameters = match *name {
                "main" if self.random.percent(70) => Vec::new(),
                _ => self.variables("p", 3, most),
            };
            let form = match self.form() {
                form if form.bits() <= 2 => form,
                _ => Form::Scalar(Kind::Int(2)),
            };
            // A module cannot return an array, other than in a struct.
            let form = match form {
                Form::Array(kind, ..) | Form::Table(kind, _) => Form::Scalar(kind),
                Form::Structs => Form::Struct { large: false },
                form => form,
            };
            let returns = self.random.percent(60).then_some(form);
            self.modules.push(Module {
                name,
                parameters,
                returns,
            });
        }
    }

    fn header(module: &Module) -> String {
        let kind = match module.returns {
            None => "void".to_owned(),
            Some(Form::Scalar(Kind::Bool)) => "bool".to_owned(),
            Some(Form::Scalar(Kind::Int(bits))) => format!("int({bits})"),
            Some(Form::Scalar(Kind::Enum)) => "enum E".to_owned(),
            Some(Form::Struct { large: true }) => "struct T".to_owned(),
            _ => "struct S".to_owned(),
        };
        let parameters = module.parameters.iter();
        let parameters: Vec<_> = parameters.map(|p| Self::declaration(p, "")).collect();
        format!("module {kind} {}({})", module.name, parameters.join(", "))
    }

    fn module(&mut self, index: usize) {
        if index == 0 {
            let headers: Vec<_> = self.modules.iter().map(Self::header).collect();
            headers
                .iter()
                .for_each(|header| self.line(&format!("{header};")));
        }
        self.current = index;
        self.locals = self.modules[index].parameters.clone();
        let used: u32 = self.locals.iter().map(|p| p.form.bits()).sum();
        let most = self.random.below(3);
        let more = self.variables("l", 4_u32.saturating_sub(used), most);
        let header = Self::header(&self.modules[index]);
        self.line(&format!("{header} {{"));
        self.indent += 1;
        for variable in &more {
            let text = Self::declaration(variable, "") + ";";
            self.line(&text);
        }
        self.locals.extend(more);
        let name = self.modules[index].name;
        self.targets = (0..self.random.below(3))
            .map(|i| format!("{name}_{i}"))
            .collect();
        let targets = self.targets.clone();
        if name == "main" {
            for variable in self.globals.clone() {
                if self.random.percent(60) {
                    self.initialise(&variable);
                }
            }
        }
        self.statements = 9;
        let count = self.random.between(1, 4);
        (0..count).for_each(|_| self.statement(2));
        for target in targets {
            self.labels.push(target.clone());
            let _ = write!(self.text, "{:1$}{target}: ", "", 2 * self.indent);
            self.statements = 3;
            self.simple();
        }
        if let Some(form) = self.modules[index].returns
            && self.random.percent(85)
        {
            let value = self.value(form);
            if value != "undef" {
                self.line(&format!("return {value};"));
            }
        }
        self.indent -= 1;
        self.line("}");
    }

    fn initialise(&mut self, variable: &Variable) {
        let name = &variable.name;
        let text = match variable.form {
            Form::Scalar(Kind::Bool) => format!("{name} = false;"),
            Form::Scalar(Kind::Enum) => format!("{name} = green;"),
            Form::Scalar(_) => format!("{name} = 1;"),
            Form::Array(kind, low, length) => {
                let value = if kind.is_bool() { "true" } else { "0" };
                format!("A i ({low},{}) {name}[i] = {value};", low + length - 1)
            }
            Form::Table(kind, columns) => {
                let value = if kind.is_bool() { "i == j" } else { "i" };
                let last = columns - 1;
                format!("A i (0,1) A j (0,{last}) {name}[i][j] = {value};")
            }
            Form::Struct { .. } => format!("{name}.p = true, {name}.q = 0;"),
            Form::Structs => format!("A i (0,1) {name}[i].q = i;"),
        };
        self.line(&text);
    }

    /// An assignment's target, and what goes into it.
    fn target(&mut self, only: Option<bool>) -> Option<(String, Kind)> {
        let places = self.places(only);
        match places.is_empty() {
            true => None,
            false => Some(self.random.pick(&places).clone()),
        }
    }

    /// All scalar places, with random indices; of truth values, of others, or all.
    fn places(&mut self, only: Option<bool>) -> Vec<(String, Kind)> {
        let variables: Vec<_> = self.globals.iter().chain(&self.locals).cloned().collect();
        let mut all = Vec::new();
        for Variable { name, form } in variables {
            let q = Kind::Int(1);
            match form {
                Form::Scalar(kind) => all.push((name, kind)),
                Form::Array(kind, low, length) => {
                    let index = self.index(low, length);
                    all.push((format!("{name}[{index}]"), kind));
                }
                Form::Table(kind, columns) => {
                    let (row, column) = (self.index(0, 2), self.index(0, columns));
                    all.push((format!("{name}[{row}][{column}]"), kind));
                }
                Form::Struct { large } => {
                    all.push((format!("{name}.p"), Kind::Bool));
                    all.push((format!("{name}.q"), q));
                    if large {
                        let index = self.index(0, 1);
                        all.push((format!("{name}.r[{index}]"), q));
                    }
                }
                Form::Structs => {
                    let (one, two) = (self.index(0, 2), self.index(0, 2));
                    all.push((format!("{name}[{one}].p"), Kind::Bool));
                    all.push((format!("{name}[{two}].q"), q));
                }
            }
        }
        all.retain(|(_, kind)| only.is_none_or(|only| kind.is_bool() == only));
        all
    }

    /// Whether this may be assigned to beside the rest: not if that is certainly twice.
    fn assigns(&mut self, target: &str) -> bool {
        let base = |text: &str| text.split(['[', '.']).next().map(str::to_owned);
        let is_range = |text: &str| text.contains("[i]");
        // What has one entry only.
        let is_single = |text: &str| {
            let mut variables = self.globals.iter().chain(&self.locals);
            let name = base(text);
            let found = variables.find(|v| name.as_ref() == Some(&v.name));
            text.contains(".r[") || matches!(found.map(|v| v.form), Some(Form::Array(_, _, 1)))
        };
        let meets = |other: &String| {
            base(other) == base(target)
                && (!target.contains(['[', '.'])
                    || is_single(target)
                    || !other.contains(['[', '.'])
                    || is_range(target)
                    || is_range(other)
                    || other == target)
        };
        if self.assigned.iter().any(meets) || self.bound.is_some() && !is_range(target) {
            return false;
        }
        self.assigned.push(target.to_owned());
        true
    }

    fn assignment(&mut self) -> Option<String> {
        if self.bound.is_none() && self.random.percent(20) {
            self.bound = Some("i");
            let inner = self.assignment();
            self.bound = None;
            return inner.map(|inner| format!("A i (0,1) {inner}"));
        }
        let variables: Vec<_> = self.globals.iter().chain(&self.locals).cloned().collect();
        if self.bound.is_none() && !variables.is_empty() && self.random.percent(10) {
            let variable = self.random.pick(&variables).clone();
            let value = match self.random.percent(30) {
                true => "undef".to_owned(),
                false => self.value(variable.form),
            };
            let text = format!("{} = {value}", variable.name);
            return self.assigns(&variable.name).then_some(text);
        }
        let (place, kind) = self.target(None)?;
        let value = match self.random.percent(15) {
            true => "undef".to_owned(),
            false => self.value(Form::Scalar(kind)),
        };
        self.assigns(&place).then(|| format!("{place} = {value}"))
    }

    fn assignments(&mut self) -> String {
        let count = self.random.weighted(&[(6, 1), (3, 2), (1, 3)]);
        let all: Vec<_> = (0..count).filter_map(|_| self.assignment()).collect();
        all.join(", ")
    }

    fn call(&mut self) -> Option<String> {
        let index = self.random.below(self.modules.len() as u32) as usize;
        // Recursion now and then.
        if index <= self.current && self.random.percent(50) {
            return None;
        }
        let Module { name, returns, .. } = self.modules[index];
        let forms: Vec<_> = self.modules[index]
            .parameters
            .iter()
            .map(|p| p.form)
            .collect();
        let mut arguments = Vec::new();
        for form in forms {
            match self.value(form) {
                undef if undef == "undef" => return None,
                value => arguments.push(value),
            }
        }
        let call = format!("{name}({})", arguments.join(", "));
        let target = match returns {
            Some(Form::Scalar(kind)) if self.random.percent(80) => {
                self.target(Some(kind.is_bool()))
            }
            _ => None,
        };
        let mut text = match target {
            Some((place, _)) if self.assigns(&place) => format!("{place} = {call}"),
            _ => call,
        };
        if self.random.percent(40)
            && let Some(more) = self.assignment()
        {
            text = format!("{text}, {more}");
        }
        Some(text)
    }

    /// A statement without others in it.
    fn simple(&mut self) {
        self.assigned.clear();
        let text = match self.random.below(12) {
            0 => Some("skip".to_owned()),
            1 => Some(format!("skip ({})", self.condition(1))),
            2 => Some(format!("assert ({})", self.condition(2))),
            3 if self.random.percent(50) => Some(format!("assume ({})", self.condition(1))),
            4 if !self.targets.is_empty() => {
                let target = self.random.pick(&self.targets).clone();
                let more = match self.random.percent(50) {
                    true => self.assignment(),
                    false => None,
                };
                let more = more.map_or(String::new(), |more| format!(", {more}"));
                Some(format!("goto {target}{more}"))
            }
            5 if self.loops > 0 => Some("break".to_owned()),
            6 => match self.modules[self.current].returns {
                None => Some("return".to_owned()),
                Some(form) => match self.value(form) {
                    undef if undef == "undef" => None,
                    value => Some(format!("return {value}")),
                },
            },
            7 | 8 => self.call(),
            _ => Some(self.assignments()).filter(|text| !text.is_empty()),
        };
        let text = text.unwrap_or_else(|| "skip".to_owned()) + ";";
        self.line(&text);
    }

    fn statement(&mut self, depth: u32) {
        self.statements = self.statements.saturating_sub(1);
        if depth == 0 || self.statements == 0 || self.random.percent(60) {
            if self.random.percent(20) {
                let label = format!("L{}", self.labels.len());
                let _ = write!(self.text, "{:1$}{label}: ", "", 2 * self.indent);
                self.labels.push(label);
            }
            self.simple();
            return;
        }
        let (open, close) = match self.random.percent(50) {
            true => ("if", "fi;"),
            false => ("do", "od;"),
        };
        self.loops += u32::from(open == "do");
        self.line(open);
        self.indent += 1;
        let branches = self.random.between(1, 3);
        for branch in 0..branches {
            let last = branch > 0 && branch + 1 == branches;
            let condition = match last && self.random.percent(60) {
                true => "else".to_owned(),
                false => self.condition(2),
            };
            self.line(&format!(":: {condition} ->"));
            self.indent += 1;
            let count = self.random.between(1, 2);
            (0..count).for_each(|_| self.statement(depth - 1));
            if open == "do" && self.random.percent(25) {
                self.line("break;");
            }
            self.indent -= 1;
        }
        self.indent -= 1;
        self.line(close);
        self.loops -= u32::from(open == "do");
    }

    /// A condition over globals and locals of this module, as properties write it.
    fn proposition(&mut self) -> String {
        let module = self.modules[self.current].name;
        for local in &mut self.locals {
            local.name = format!("{module}.{}", local.name);
        }
        let text = format!("{{{}}}", self.condition(1));
        self.locals.clear();
        text
    }
}
