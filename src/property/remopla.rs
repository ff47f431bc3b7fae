//! The conditions of Remopla in properties: `{ a[g] < 3 && p.x == N }`.
//!
//! They are the conditions of programs, over globals, over locals that name their procedure,
//! and over the constants of the program. A comparison that cannot be evaluated is false, and
//! so is one that reads a local whose procedure is not on top.

use super::PropertyError;
use super::proposition::{Atom, error};
use crate::analysis::Observed;
use crate::diagnostic::nearest;
use crate::lower::remopla::evaluator::{Environment, Evaluator, Kind, Meaning};
use crate::names::Name;
use crate::program::{Declaration, Domain, ProcedureId, Program, Shape, VariableId};
use crate::source::{Source, Span};
use crate::syntax::remopla::tree::Part;
use crate::syntax::remopla::{Tree, parse_condition};

/// The proposition that is written `{ inner }`, or a condition on a frame of `scope`, whose
/// locals need no module. What is wrong is told with its place.
pub fn condition(
    program: &Program,
    scope: Option<ProcedureId>,
    inner: &str,
) -> Result<Atom, (Span, PropertyError)> {
    let source = Source::new("", inner.as_bytes().to_vec());
    let (tree, expression, collector) = parse_condition(&source);
    let names = PropertyNames {
        program,
        scope,
        locals: Vec::new(),
        problem: None,
    };
    let mut evaluator = Evaluator::new(&tree, names, collector);
    evaluator.total = true;
    let value = expression.map(|expression| evaluator.evaluate(expression));
    if let Some(value) = value {
        match value.kind {
            Kind::Number(_) => {
                return Err((value.span, number(inner.trim())));
            }
            _ => evaluator.check_condition(value),
        }
    }
    let Evaluator {
        operations,
        environment,
        collector,
        ..
    } = evaluator;
    if let Some(problem) = environment.problem {
        return Err(problem);
    }
    if let Some(wrong) = collector.finish().into_iter().find(|d| d.is_error()) {
        return Err((wrong.span, error(wrong.message, wrong.hint)));
    }
    let locals = environment.locals;
    Ok(Atom::Expression { operations, locals })
}

/// The atom of a bare name, if that is a truth value.
pub fn truth_value(program: &Program, text: &str, atom: Atom) -> Result<Atom, PropertyError> {
    let is_number = |observed: &Observed| {
        let domain = match observed {
            Observed::Global(index) => program.globals[*index as usize].domain,
            Observed::Local(procedure, index) => {
                program.procedure(*procedure).locals[*index as usize].domain
            }
        };
        domain != Domain::Boolean
    };
    match atom.observes().iter().any(is_number) {
        true => Err(number(text)),
        false => Ok(atom),
    }
}

fn number(text: &str) -> PropertyError {
    error(
        format!("`{text}` is a number, and no condition"),
        Some(format!("compare it, as in `{{{text} == 1}}`")),
    )
}

/// What is wrong with the bare name of an array or a struct.
pub fn composite(program: &Program, text: &str) -> Option<PropertyError> {
    let named = |declarations: &[Declaration], text: &str| {
        let name = program.names.find(text)?;
        let mut found = declarations.iter().filter(|d| d.name == name);
        found.next().map(|declaration| declaration.shape.clone())
    };
    let global = named(&program.declarations, text);
    let shape = global.or_else(|| {
        let (procedure, local) = text.split_once('.')?;
        let procedure = program.names.find(procedure)?;
        let procedure = program.procedures.iter().find(|p| p.name == procedure)?;
        named(&procedure.declarations, local)
    })?;
    let (what, part) = match shape {
        Shape::Array { low, .. } => ("an array", format!("{text}[{low}]")),
        Shape::Struct { fields } => {
            let field = fields.first().map(|field| program.names.text(field.name));
            ("a struct", format!("{text}.{}", field.unwrap_or("x")))
        }
        Shape::Scalar => return None,
    };
    Some(error(
        format!("`{text}` is {what}, and no condition"),
        Some(format!("name a part of it, as in `{{{part} == 1}}`")),
    ))
}

struct PropertyNames<'a> {
    program: &'a Program,
    /// Whose locals need no module.
    scope: Option<ProcedureId>,
    /// The cells of procedures that are read, those of one variable side by side.
    locals: Vec<(ProcedureId, u32)>,
    problem: Option<(Span, PropertyError)>,
}

impl PropertyNames<'_> {
    fn declared<'d>(&self, declarations: &'d [Declaration], text: &str) -> Option<&'d Declaration> {
        let name = self.program.names.find(text)?;
        declarations.iter().find(|d| d.name == name)
    }

    fn constant(&self, text: &str) -> Option<i128> {
        let name = self.program.names.find(text)?;
        let mut constants = self.program.constants.iter();
        constants.find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    fn procedure(&self, text: &str) -> Option<ProcedureId> {
        let name = self.program.names.find(text)?;
        let mut ids = self.program.procedure_ids();
        ids.find(|id| self.program.procedure(*id).name == name)
    }

    /// Where the cells of a local variable are among those that are read.
    fn observe(&mut self, procedure: ProcedureId, declaration: &Declaration) -> u32 {
        let cell = (procedure, declaration.first);
        if let Some(known) = self.locals.iter().position(|local| *local == cell) {
            return known as u32;
        }
        let first = self.locals.len() as u32;
        let cells = declaration.first..declaration.first + declaration.shape.cells();
        self.locals.extend(cells.map(|cell| (procedure, cell)));
        first
    }

    fn complain(&mut self, tree: &Tree, part: &Part, message: String, hint: Option<String>) {
        let identifier = part.identifier;
        let length = tree.names.text(identifier.name).len() as u32;
        let span = Span::new(identifier.start, identifier.start + length);
        self.problem.get_or_insert((span, error(message, hint)));
    }

    fn near<'n>(&self, text: &str, names: impl Iterator<Item = &'n Declaration>) -> Option<String> {
        let known = names.map(|d| self.program.names.text(d.name));
        nearest(text, known).map(|near| format!("did you mean `{near}`?"))
    }
}

impl Environment for PropertyNames<'_> {
    fn find(&mut self, tree: &Tree, parts: &[Part]) -> Option<Meaning> {
        let program = self.program;
        let first = parts.first()?;
        let text = tree.names.text(first.identifier.name);
        if let Some(scope) = self.scope
            && let Some(local) = self.declared(&program.procedure(scope).declarations, text)
        {
            return Some(Meaning::Variable {
                first: VariableId::Local(self.observe(scope, local)),
                shape: local.shape.clone(),
                parts: 1,
            });
        }
        let global = self.declared(&program.declarations, text);
        let second = parts.get(1).filter(|_| first.indices == 0);
        let second = second.map(|part| tree.names.text(part.identifier.name));
        let local = second.and_then(|second| {
            let procedure = self.procedure(text)?;
            let declarations = &program.procedure(procedure).declarations;
            Some((procedure, self.declared(declarations, second)?))
        });
        let is_field = |declaration: &Declaration| match &declaration.shape {
            Shape::Struct { fields } => {
                let mut names = fields.iter().map(|field| program.names.text(field.name));
                names.any(|name| Some(name) == second)
            }
            _ => false,
        };
        match (local, global) {
            (Some(_), Some(global)) if is_field(global) => {
                let second = second.unwrap_or_default();
                let message = format!(
                    "`{text}.{second}` could be a field, or a variable of the module `{text}`"
                );
                self.complain(tree, first, message, Some("rename one of them".into()));
                Some(Meaning::Broken)
            }
            (Some((procedure, declaration)), _) => {
                let first = VariableId::Local(self.observe(procedure, declaration));
                Some(Meaning::Variable {
                    first,
                    shape: declaration.shape.clone(),
                    parts: 2,
                })
            }
            (None, Some(global)) => Some(Meaning::Variable {
                first: VariableId::Global(global.first),
                shape: global.shape.clone(),
                parts: 1,
            }),
            (None, None) => self.constant(text).map(Meaning::Constant),
        }
    }

    fn note_unknown(&mut self, tree: &Tree, parts: &[Part]) {
        let program = self.program;
        let Some(first) = parts.first() else {
            return;
        };
        let text = tree.names.text(first.identifier.name);
        let procedure = self.procedure(text);
        if let (Some(procedure), Some(second)) = (procedure, parts.get(1)) {
            let second = tree.names.text(second.identifier.name);
            let hint = self.near(second, program.procedure(procedure).declarations.iter());
            let message = format!("the module `{text}` has no variable `{second}`");
            return self.complain(tree, first, message, hint);
        }
        let local = program.procedure_ids().find(|id| {
            let declarations = &program.procedure(*id).declarations;
            self.declared(declarations, text).is_some()
        });
        let of_scope = self
            .scope
            .map(|scope| &program.procedure(scope).declarations);
        let known = of_scope.into_iter().flatten().chain(&program.declarations);
        let hint = match (self.near(text, known), local) {
            (Some(near), _) => near,
            (None, Some(local)) => {
                let module = program.names.text(program.procedure(local).name);
                format!("a local is written with its module: `{module}.{text}`")
            }
            (None, None) => "a local is written `p.x`, with its module".into(),
        };
        self.complain(
            tree,
            first,
            format!("there is no variable `{text}`"),
            Some(hint),
        );
    }

    fn domain(&self, variable: VariableId) -> Domain {
        match variable {
            VariableId::Global(index) => self.program.globals[index as usize].domain,
            VariableId::Local(index) => {
                let (procedure, local) = self.locals[index as usize];
                self.program.procedure(procedure).locals[local as usize].domain
            }
        }
    }

    fn may_be_absent(&self, variable: VariableId) -> bool {
        matches!(variable, VariableId::Local(_))
    }

    fn text(&self, name: Name) -> &str {
        self.program.names.text(name)
    }
}
