//! The whole text: names, variables, where executions begin, atoms, rules.

use super::formula::{Formulas, Node};
use super::names::{Atoms, ERROR, Spelling, TERMINATED};
use super::relation::{Frame, Relation};
use super::text::{self, conjunct, constant};
use super::variables::{Variable, Variables};
use super::{Translation, Untranslatable};
use crate::diagnostic::Diagnostic;
use crate::program::{Action, Domain, Moment, PointId, ProcedureId, Program};
use crate::rules::effect::{Effect, Place};
use crate::rules::{Head, Meaning, Right, Rule, Rules};
use indexmap::IndexSet;
use std::fmt::Write;

/// Rules with more nodes are refused.
const MOST_NODES: u64 = 1 << 20;

/// Statements are shown up to this many characters.
const SHOWN: usize = 60;

/// Lists are broken before this column.
const WIDTH: usize = 96;

pub struct Writer<'p> {
    program: &'p Program,
    rules: &'p Rules<'p>,
    atoms: Atoms,
    variables: Variables,
    state: String,
    start: String,
    translation: Translation,
    /// Where the rules of each point begin.
    places: Vec<(usize, PointId)>,
}

impl<'p> Writer<'p> {
    pub fn new(program: &'p Program, rules: &'p Rules<'p>) -> Self {
        // Atoms and variables may share names: whoever asks tells them apart, as in a program.
        let (mut of_atoms, mut of_variables) = (Spelling::default(), Spelling::default());
        let atoms = Atoms::of(program, &mut of_atoms);
        let variables = Variables::of(program, &rules.layout, &atoms, &mut of_variables);
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
            rules,
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
        let registers = self.variables.registers.clone();
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
        let is_entry = procedure == self.program.entry;
        let mut names: Vec<_> = is_entry.then(|| self.start.clone()).into_iter().collect();
        for at in self
            .program
            .procedure(procedure)
            .points
            .clone()
            .map(PointId)
        {
            names.extend(self.heads_of(at).map(|head| self.symbol(head)));
        }
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

    /// The symbols of a point: its own, and perhaps that at which its call goes on.
    fn heads_of(&self, at: PointId) -> impl Iterator<Item = Head> + use<> {
        [Head(at.0)].into_iter().chain(self.rules.returning(at.0))
    }

    fn symbol(&self, head: Head) -> String {
        let point = |number: u32| {
            let procedure = self.program.point(PointId(number)).procedure;
            let first = self.program.procedure(procedure).points.start;
            format!("{}.{}", self.atoms.procedure(procedure), number - first)
        };
        match self.rules.meaning(head) {
            Meaning::Error => ERROR.to_owned(),
            Meaning::Empty => TERMINATED.to_owned(),
            Meaning::Symbol(at) => point(at),
            Meaning::Returning(at) => point(at) + ".return",
        }
    }

    fn relation<'e>(&'e self, effect: &'e Effect, frames: [ProcedureId; 3]) -> Relation<'e> {
        Relation {
            formulas: Formulas::default(),
            rules: self.rules,
            variables: &self.variables,
            effect,
            frames,
            callee: frames[0],
            now: Moment::Before,
        }
    }

    /// The conditions that describe these variables of the entry procedure where nothing is
    /// set.
    fn frames(&self, frames: &[Frame]) -> Result<String, Untranslatable> {
        let entry = self.program.entry;
        let effect = Effect::of(entry);
        let mut relation = self.relation(&effect, [entry; 3]);
        let conditions = relation.frames(frames, &[]);
        self.conditions(&relation.formulas, &conditions)
    }

    fn start(&mut self) -> Result<(), Untranslatable> {
        let locals = self.variables.locals(self.program.entry);
        let globals = self.frames(&[(self.variables.globals.clone(), Moment::Before, false)])?;
        let locals = self.frames(&[(locals, Moment::Before, false)])?;
        let line = format!("\n({}{globals} <{}{locals}>)", self.state, self.start);
        self.line(&line);
        Ok(())
    }

    /// Conditions in parentheses, after a blank; nothing if there are none.
    fn conditions(&self, formulas: &Formulas, list: &[Node]) -> Result<String, Untranslatable> {
        let list = list.iter().filter(|node| !formulas.is_truth(**node, true));
        let list: Vec<_> = list.copied().collect();
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
            for head in self.heads_of(at) {
                let atoms = match (self.rules.meaning(head), &program.point(at).action) {
                    (Meaning::Returning(_), Action::Call(call)) => {
                        self.atoms.procedure(call.callee).to_owned()
                    }
                    _ => self.atoms_at(at),
                };
                self.line(&format!("atoms {} {atoms}", self.symbol(head)));
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

    /// The rule that puts the entry point on top of what is left in the end, and those that
    /// stay there.
    fn first_and_last_rules(&mut self) -> Result<(), Untranslatable> {
        let globals = (self.variables.globals.clone(), Moment::After, true);
        let locals = self.variables.locals(self.program.entry);
        let entry = self.symbol(self.rules.start.head);
        let kept = self.frames(&[globals.clone(), (locals, Moment::After, true)])?;
        let (state, start) = (&self.state, &self.start);
        let mut lines = format!("\n{state} <{start}> --> {state} <{entry} {TERMINATED}>{kept}\n");
        let kept = self.frames(&[globals])?;
        for end in [ERROR, TERMINATED] {
            let _ = writeln!(lines, "{state} <{end}> --> {state} <{end}>{kept}");
        }
        self.translation.text.push_str(&lines);
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
        let text = plain(&self.program.text_of(at));
        let text = format!("{}: {text}", self.program.position_of(at).line);
        for (head, suffix) in self.heads_of(at).zip(["", " (return)"]) {
            self.add_rules(head, &format!("{text}{suffix}"))?;
        }
        Ok(())
    }

    /// Writes the rules of a symbol, each once, without those that can never be taken; but
    /// each symbol has a rule, so that it is known.
    fn add_rules(&mut self, from: Head, text: &str) -> Result<(), Untranslatable> {
        let (state, symbol) = (&self.state, self.symbol(from));
        let mut possible = IndexSet::new();
        let mut impossible = None;
        for rule in self.rules.rules_from(from) {
            let effect = self.rules.effects.get(rule.effect);
            if is_for_later_element(effect) {
                continue;
            }
            let mut relation = self.relation(effect, self.frames_of(rule));
            if let Action::Call(call) = &self.program.point(PointId(rule.origin)).action {
                relation.callee = call.callee;
            }
            let mut conditions = relation.of_rule(rule)?;
            let formulas = &relation.formulas;
            let mut all = conditions.iter().copied();
            let never = all.find(|condition| formulas.is_truth(*condition, false));
            if let Some(never) = never {
                conditions = vec![never];
            }
            let right = match rule.right {
                Right::Pop => String::new(),
                Right::Step(to) => self.symbol(to),
                Right::Push { first, saved, .. } => {
                    format!("{} {}", self.symbol(first), self.symbol(saved))
                }
            };
            let shown = self.conditions(formulas, &conditions)?;
            let line = format!("{state} <{symbol}> --> {state} <{right}> \"{text}\"{shown}\n");
            match never.is_some() {
                true => _ = impossible.get_or_insert(line),
                false => _ = possible.insert(line),
            }
        }
        possible.extend(impossible.filter(|_| possible.is_empty()));
        self.translation.text.extend(possible);
        Ok(())
    }

    /// The kinds of the frames before a step, after it and below.
    fn frames_of(&self, rule: &Rule) -> [ProcedureId; 3] {
        let before = self.rules.frame_of(rule.from).unwrap_or(self.program.entry);
        let after = match rule.right {
            Right::Push { first, .. } => self.rules.frame_of(first),
            Right::Step(_) | Right::Pop => None,
        };
        [before, after.unwrap_or(before), before]
    }
}

/// Whether a rule is for one element of an array, and not for the first: a quantifier over
/// indices says what there are many rules for.
fn is_for_later_element(effect: &Effect) -> bool {
    let mut places = effect
        .assignments
        .iter()
        .map(|assignment| &assignment.place);
    places.any(|place| {
        matches!(
            place,
            Place::Element {
                only: Some(1..),
                ..
            }
        )
    })
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
