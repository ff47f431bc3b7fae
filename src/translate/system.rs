//! The whole text: names, variables, where executions begin, atoms, rules.

use super::formula::{Formulas, Node};
use super::names::{Atoms, ERROR, Spelling, TERMINATED};
use super::rules::{Rule, Rules, has_returning_symbol};
use super::text::{self, conjunct, constant};
use super::variables::{Variable, Variables};
use super::{Symbol, Translation, Untranslatable};
use crate::diagnostic::Diagnostic;
use crate::program::{Action, Domain, PointId, ProcedureId, Program};
use std::fmt::Write;

/// Rules with more nodes are refused.
const MOST_NODES: u64 = 1 << 20;

/// Statements are shown up to this many characters.
const SHOWN: usize = 60;

/// Lists are broken before this column.
const WIDTH: usize = 96;

pub struct Writer<'p> {
    program: &'p Program,
    atoms: Atoms,
    variables: Variables,
    state: String,
    start: String,
    translation: Translation,
    /// Where the rules of each point begin.
    places: Vec<(usize, PointId)>,
}

impl<'p> Writer<'p> {
    pub fn new(program: &'p Program) -> Self {
        // Atoms and variables may share names: whoever asks tells them apart, as in a program.
        let (mut of_atoms, mut of_variables) = (Spelling::default(), Spelling::default());
        let atoms = Atoms::of(program, &mut of_atoms);
        let variables = Variables::of(program, &atoms, &mut of_variables);
        let mut fresh = |wanted: &str| {
            let mut name = of_atoms.fresh(wanted);
            while of_variables.is_taken(&name) {
                name = of_atoms.fresh(wanted);
            }
            name
        };
        let (state, start) = (fresh("q"), fresh("start"));
        let mut renamed = of_atoms.renamed;
        renamed.extend(of_variables.renamed);
        Writer {
            program,
            atoms,
            variables,
            state,
            start,
            translation: Translation {
                text: String::new(),
                renamed,
            },
            places: Vec::new(),
        }
    }

    /// The text, and where in it the rules of each point begin.
    pub fn write(mut self) -> Result<(Translation, Vec<(usize, PointId)>), Diagnostic> {
        self.head();
        self.declare_globals();
        for procedure in self.program.procedure_ids() {
            self.declare_locals(procedure);
        }
        let entry = self.program.procedure(self.program.entry).span;
        let wrong = |error: Untranslatable| error.diagnostic(entry);
        self.start().map_err(wrong)?;
        self.add_atoms();
        self.first_and_last_rules().map_err(wrong)?;
        for procedure in self.program.procedure_ids() {
            self.procedure(procedure)?;
        }
        Ok((self.translation, self.places))
    }

    fn line(&mut self, line: &str) {
        self.translation.text.push_str(line);
        self.translation.text.push('\n');
    }

    fn head(&mut self) {
        let name = plain(self.program.source.name());
        self.line(&format!("# The symbolic pushdown system of {name}."));
        self.line("#");
        self.line(
            "# --reach, and formulas without X over labels, procedures and globals, have the",
        );
        self.line(
            "# verdicts they have for the program. Assertions are --reach error, termination is",
        );
        self.line("# --ltl '<> (terminated | error)'. Locals are called PROCEDURE.NAME.");
        if self.translation.renamed.is_empty() {
            return;
        }
        self.line("#");
        self.line("# Names that are spelled otherwise than in the program:");
        let renamed = std::mem::take(&mut self.translation.renamed);
        for name in &renamed {
            let (kind, original) = (name.kind, plain(&name.original));
            self.line(&format!("#   {kind:<10} {:<24} {original}", name.spelled));
        }
        self.translation.renamed = renamed;
    }

    fn declare_globals(&mut self) {
        let registers = self.variables.register_range();
        if self.variables.globals.is_empty() && registers.is_empty() {
            return;
        }
        self.line("\nglobal");
        self.declare(self.variables.globals.clone());
        if !registers.is_empty() {
            self.line("  # What calls return.");
            self.declare(registers);
        }
    }

    fn declare(&mut self, variables: std::ops::Range<u32>) {
        for variable in variables {
            let declared = declaration(self.variables.get(variable));
            self.line(&format!("  {declared};"));
        }
    }

    fn declare_locals(&mut self, procedure: ProcedureId) {
        let locals = self.variables.locals(procedure);
        if locals.is_empty() {
            return;
        }
        let symbols = self.symbols_of(procedure);
        let names: Vec<_> = symbols.into_iter().map(|s| self.symbol(s)).collect();
        let mut line = "\nlocal (".to_owned();
        for (k, name) in names.iter().enumerate() {
            let comma = if k + 1 < names.len() { ", " } else { ")" };
            if line.len() + name.len() > WIDTH {
                self.line(line.trim_end());
                line = "  ".to_owned();
            }
            line.push_str(name);
            line.push_str(comma);
        }
        self.line(&line);
        self.declare(locals);
    }

    /// The symbols that carry the locals of a procedure.
    fn symbols_of(&self, procedure: ProcedureId) -> Vec<Symbol> {
        let program = self.program;
        let mut symbols = Vec::new();
        if procedure == program.entry {
            symbols.push(Symbol::Start);
        }
        for at in program.procedure(procedure).points.clone().map(PointId) {
            symbols.push(Symbol::Point(at));
            symbols.extend(self.returning(at));
        }
        symbols
    }

    fn returning(&self, at: PointId) -> Option<Symbol> {
        match &self.program.point(at).action {
            Action::Call(call) if has_returning_symbol(self.program, at, call) => {
                Some(Symbol::Returning(at))
            }
            _ => None,
        }
    }

    fn symbol(&self, symbol: Symbol) -> String {
        let point = |at: PointId| {
            let procedure = self.program.point(at).procedure;
            let first = self.program.procedure(procedure).points.start;
            format!("{}.{}", self.atoms.procedure(procedure), at.0 - first)
        };
        match symbol {
            Symbol::Start => self.start.clone(),
            Symbol::Error => ERROR.to_owned(),
            Symbol::Terminated => TERMINATED.to_owned(),
            Symbol::Point(at) => point(at),
            Symbol::Returning(at) => point(at) + ".return",
        }
    }

    fn rules<'f>(&'f self, formulas: &'f mut Formulas, procedure: ProcedureId) -> Rules<'f> {
        Rules {
            program: self.program,
            variables: &self.variables,
            formulas,
            procedure,
            required: None,
            list: Vec::new(),
        }
    }

    fn start(&mut self) -> Result<(), Untranslatable> {
        let mut formulas = Formulas::default();
        let conditions = self
            .rules(&mut formulas, self.program.entry)
            .start_conditions();
        let [globals, locals] = conditions.map(|list| self.conditions(&formulas, &list));
        let (globals, locals) = (globals?, locals?);
        let line = format!("\n({}{globals} <{}{locals}>)", self.state, self.start);
        self.line(&line);
        Ok(())
    }

    /// Conditions in parentheses, after a blank; nothing if there are none.
    fn conditions(&self, formulas: &Formulas, list: &[Node]) -> Result<String, Untranslatable> {
        let sizes = list.iter().map(|node| formulas.size(*node));
        if sizes.fold(0, u64::saturating_add) > MOST_NODES {
            return Err(Untranslatable::TooLong);
        }
        let context = if list.len() > 1 { conjunct() } else { 0 };
        let mut text = String::new();
        for (k, condition) in list.iter().enumerate() {
            text.push_str(if k == 0 { " (" } else { " & " });
            text::write(formulas, &self.variables, *condition, context, &mut text);
        }
        if !list.is_empty() {
            text.push(')');
        }
        Ok(text)
    }

    fn add_atoms(&mut self) {
        let program = self.program;
        self.line("");
        let entry = self.atoms_at(program.entry_point());
        self.line(&format!("atoms {} {entry}", self.start));
        for at in (0..program.points.len() as u32).map(PointId) {
            let line = format!(
                "atoms {} {}",
                self.symbol(Symbol::Point(at)),
                self.atoms_at(at)
            );
            self.line(&line);
            if let (Some(symbol), Action::Call(call)) =
                (self.returning(at), &program.point(at).action)
            {
                let callee = self.atoms.procedure(call.callee);
                let line = format!("atoms {} {callee}", self.symbol(symbol));
                self.line(&line);
            }
        }
    }

    /// The procedure of a point and its labels, with and without the procedure's name.
    fn atoms_at(&self, at: PointId) -> String {
        let procedure = self.atoms.procedure(self.program.point(at).procedure);
        let mut atoms = procedure.to_owned();
        for name in self.program.label_names_of(at) {
            let label = self.atoms.label(name);
            let _ = write!(atoms, ", {label}, {procedure}.{label}");
        }
        atoms
    }

    fn first_and_last_rules(&mut self) -> Result<(), Untranslatable> {
        let entry = self.program.entry;
        self.line("");
        for symbol in [Symbol::Start, Symbol::Error, Symbol::Terminated] {
            let mut formulas = Formulas::default();
            let mut rules = self.rules(&mut formulas, entry);
            match symbol {
                Symbol::Start => rules.start(),
                symbol => rules.stay(symbol),
            }
            let list = rules.list;
            self.add_rules(&formulas, symbol, &list, "")?;
        }
        Ok(())
    }

    fn procedure(&mut self, id: ProcedureId) -> Result<(), Diagnostic> {
        let program = self.program;
        let procedure = program.procedure(id);
        let line = program.source.position(procedure.span.start).line;
        let name = plain(program.names.text(procedure.name));
        self.line(&format!("\n# {name}, line {line}"));
        for at in procedure.points.clone().map(PointId) {
            self.places.push((self.translation.text.len(), at));
            let written = self.point(at);
            written.map_err(|error| error.diagnostic(program.point(at).span))?;
        }
        Ok(())
    }

    fn point(&mut self, at: PointId) -> Result<(), Untranslatable> {
        let program = self.program;
        let point = program.point(at);
        let text = plain(&program.text_of(at));
        let text = format!("{}: {text}", program.position_of(at).line);
        let mut formulas = Formulas::default();
        let mut rules = self.rules(&mut formulas, point.procedure);
        rules.point(at)?;
        let list = rules.list;
        self.add_rules(&formulas, Symbol::Point(at), &list, &text)?;
        if let (Some(symbol), Action::Call(call)) = (self.returning(at), &point.action) {
            let mut formulas = Formulas::default();
            let mut rules = self.rules(&mut formulas, point.procedure);
            rules.returning(call)?;
            let list = rules.list;
            self.add_rules(&formulas, symbol, &list, &format!("{text} (return)"))?;
        }
        Ok(())
    }

    /// Writes the rules of a symbol, without those that can never be taken; but each symbol
    /// has a rule, so that it is known.
    fn add_rules(
        &mut self,
        formulas: &Formulas,
        from: Symbol,
        rules: &[Rule],
        text: &str,
    ) -> Result<(), Untranslatable> {
        let can_be = |rule: &&Rule| {
            let mut conditions = rule.conditions.iter();
            conditions.all(|condition| !formulas.is_truth(*condition, false))
        };
        let mut possible: Vec<&Rule> = rules.iter().filter(can_be).collect();
        if possible.is_empty() {
            possible.extend(rules.first());
        }
        let from = self.symbol(from);
        for rule in possible {
            let conditions = self.conditions(formulas, &rule.conditions)?;
            let right: Vec<_> = rule.right.iter().map(|s| self.symbol(*s)).collect();
            let (state, right) = (&self.state, right.join(" "));
            let text = match text {
                "" => String::new(),
                text => format!(" \"{text}\""),
            };
            let line = format!("{state} <{from}> --> {state} <{right}>{text}{conditions}");
            self.line(&line);
        }
        Ok(())
    }
}

/// Text that can stand in a comment or between quotes, on one line.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(&word.replace('"', "'"));
    }
    if plain.chars().count() > SHOWN {
        plain = plain.chars().take(SHOWN - 1).chain(['…']).collect();
    }
    plain
}

fn declaration(variable: &Variable) -> String {
    let mut text = match variable.domain {
        Domain::Boolean => format!("bool {}", variable.name),
        _ => format!("int {}", variable.name),
    };
    if let Some((low, length)) = variable.array {
        let (low, high) = (i128::from(low), i128::from(low) + i128::from(length) - 1);
        let _ = write!(text, "[{}, {}]", constant(low), constant(high));
    }
    if variable.domain != Domain::Boolean {
        let _ = write!(text, "({})", variable.domain.bits().max(1));
    }
    text
}
