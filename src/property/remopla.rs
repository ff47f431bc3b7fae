//! The conditions of Remopla in properties: `{ a[g] < 3 && p.x == N }`.
//!
//! They are the conditions of programs, over globals, over locals that name their procedure,
//! and over the constants of the program. A comparison that cannot be evaluated is false, and
//! so is one that reads a local whose procedure is not on top.

use super::PropertyError;
use super::proposition::{Atom, find_procedure};
use crate::analysis::Observed;
use crate::diagnostic::{Diagnostic, suggestion};
use crate::lower::expression::{Evaluator, Kind};
use crate::lower::remopla::terms::{Environment, Meaning, Remopla};
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
    expression(program, scope, inner, true).map(|(atom, _)| atom)
}

/// What is doubtful in `{ inner }`, such as an index that always lies outside its array.
pub fn warnings(program: &Program, inner: &str) -> Vec<Diagnostic> {
    let found = expression(program, None, inner, true);
    found.map_or(Vec::new(), |(_, warnings)| warnings)
}

/// An expression whose value is to be shown, which may be a number, and may have none.
pub fn term(program: &Program, text: &str) -> Result<Atom, (Span, PropertyError)> {
    expression(program, None, text, false).map(|(atom, _)| atom)
}

fn expression(
    program: &Program,
    scope: Option<ProcedureId>,
    inner: &str,
    is_condition: bool,
) -> Result<(Atom, Vec<Diagnostic>), (Span, PropertyError)> {
    let source = Source::new("", inner.as_bytes().to_vec());
    let (tree, expression, collector) = parse_condition(&source);
    let names = PropertyNames {
        program,
        scope,
        locals: Vec::new(),
        problem: None,
    };
    let mut evaluator = Evaluator::new(Remopla::new(&tree, names), collector);
    evaluator.total = is_condition;
    let value = expression.map(|expression| evaluator.expression(expression));
    if let Some(value) = value {
        match value.kind {
            Kind::Number(_) if is_condition => {
                return Err((value.span, number(inner.trim())));
            }
            Kind::Number(_) => {}
            _ => evaluator.check_condition(value),
        }
    }
    let Evaluator {
        operations,
        language,
        collector,
        ..
    } = evaluator;
    let environment = language.environment;
    if let Some(problem) = environment.problem {
        return Err(problem);
    }
    let diagnostics = collector.finish();
    if let Some(wrong) = diagnostics.iter().find(|d| d.is_error()) {
        let wrong = wrong.clone();
        return Err((wrong.span, PropertyError::new(wrong.message, wrong.hint)));
    }
    let locals = environment.locals;
    Ok((Atom::Expression { operations, locals }, diagnostics))
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
    PropertyError::new(
        format!("`{text}` is a number, and no condition"),
        Some(format!("compare it, as in `{{{text} == 1}}`")),
    )
}

/// What is wrong with the bare name of an array or a struct.
pub fn composite(program: &Program, text: &str) -> Option<PropertyError> {
    let declaration = declared(program, &program.declarations, text).or_else(|| {
        let (procedure, local) = text.split_once('.')?;
        let procedure = program.procedure(find_procedure(program, procedure)?);
        declared(program, &procedure.declarations, local)
    })?;
    let (what, part) = match &declaration.shape {
        Shape::Array { low, .. } => ("an array", format!("{text}[{low}]")),
        Shape::Struct { fields } => {
            let field = fields.first().map(|field| program.names.text(field.name));
            ("a struct", format!("{text}.{}", field.unwrap_or("x")))
        }
        Shape::Scalar => return None,
    };
    Some(PropertyError::new(
        format!("`{text}` is {what}, and no condition"),
        Some(format!("name a part of it, as in `{{{part} == 1}}`")),
    ))
}

/// The variable of this name, among those that a program or a procedure declares.
fn declared<'d>(
    program: &Program,
    declarations: &'d [Declaration],
    text: &str,
) -> Option<&'d Declaration> {
    let name = program.names.find(text)?;
    declarations.iter().find(|d| d.name == name)
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
    fn constant(&self, text: &str) -> Option<i128> {
        let name = self.program.names.find(text)?;
        let mut constants = self.program.constants.iter();
        constants.find(|(n, _)| *n == name).map(|(_, value)| *value)
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
        let span = tree.span(part.identifier);
        self.problem
            .get_or_insert((span, PropertyError::new(message, hint)));
    }

    fn near<'n>(&self, text: &str, names: impl Iterator<Item = &'n Declaration>) -> Option<String> {
        suggestion(text, names.map(|d| self.program.names.text(d.name)))
    }
}

impl Environment for PropertyNames<'_> {
    fn find(&mut self, tree: &Tree, parts: &[Part]) -> Option<Meaning> {
        let program = self.program;
        let first = parts.first()?;
        let text = tree.names.text(first.identifier.name);
        if let Some(scope) = self.scope
            && let Some(local) = declared(program, &program.procedure(scope).declarations, text)
        {
            return Some(Meaning::Variable {
                first: VariableId::Local(self.observe(scope, local)),
                shape: local.shape.clone(),
                parts: 1,
            });
        }
        let global = declared(program, &program.declarations, text);
        let second = parts.get(1).filter(|_| first.indices == 0);
        let second = second.map(|part| tree.names.text(part.identifier.name));
        let local = second.and_then(|second| {
            let procedure = find_procedure(program, text)?;
            let declarations = &program.procedure(procedure).declarations;
            Some((procedure, declared(program, declarations, second)?))
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
        let procedure = find_procedure(program, text);
        if let (Some(procedure), Some(second)) = (procedure, parts.get(1)) {
            let second = tree.names.text(second.identifier.name);
            let hint = self.near(second, program.procedure(procedure).declarations.iter());
            let message = format!("the module `{text}` has no variable `{second}`");
            return self.complain(tree, first, message, hint);
        }
        let local = program.procedure_ids().find(|id| {
            let declarations = &program.procedure(*id).declarations;
            declared(program, declarations, text).is_some()
        });
        let of_scope = self
            .scope
            .map(|scope| &program.procedure(scope).declarations);
        let known = of_scope.into_iter().flatten().chain(&program.declarations);
        let hint = match (local, self.near(text, known)) {
            (Some(local), _) => {
                let module = program.names.text(program.procedure(local).name);
                format!("a local is written with its module: `{module}.{text}`")
            }
            (None, Some(near)) => near,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{RemoplaOptions, remopla};
    use crate::program::Operation;
    use crate::rules::Subject;
    use std::sync::Arc;

    fn program() -> Program {
        let text = "define N 2 enum { red, green } color; struct s { int x; bool y; };
            int g, a[3], m[2][2]; bool b, c[2]; struct s t, ts[2];
            module void main() { p(1); L: skip; }
            module void p(int n) { int l[3]; bool q; struct s u; skip; }";
        let source = Arc::new(Source::new("t.rem", text.into()));
        let (program, diagnostics) = remopla(source, None, &RemoplaOptions::default());
        program.unwrap_or_else(|| panic!("{diagnostics:?}"))
    }

    /// The operations of a condition, with the names of cells.
    fn shown(text: &str) -> String {
        let program = program();
        let atom = Subject::Program(&program)
            .text(text)
            .unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let Atom::Expression { operations, locals } = atom else {
            panic!("{text}");
        };
        let name = |cell: VariableId| match cell {
            VariableId::Global(_) => program.variable_name(program.entry, cell).to_owned(),
            VariableId::Local(index) => {
                let (procedure, local) = locals[index as usize];
                let cell = program.variable_name(procedure, VariableId::Local(local));
                let procedure = program.names.text(program.procedure(procedure).name);
                format!("{procedure}.{cell}")
            }
        };
        let words: Vec<_> = operations
            .iter()
            .map(|operation| match *operation {
                Operation::Read(cell) => name(cell),
                Operation::ReadElement { first, count, .. } => format!("{}+{count}", name(first)),
                Operation::Number(number) => number.to_string(),
                Operation::FalseIfUndefined => "?".into(),
                other => format!("{other:?}"),
            })
            .collect();
        words.join(" ")
    }

    fn wrong(text: &str) -> (String, String) {
        let program = program();
        let error = Subject::Program(&program).text(text).expect_err(text);
        (error.message, error.hint.unwrap_or_default())
    }

    #[test]
    fn globals_locals_and_constants() {
        assert_eq!(shown("b"), "b");
        assert_eq!(shown("t.y"), "t.y");
        assert_eq!(shown("p.q"), "p.q");
        assert_eq!(shown("p.u.y"), "p.u.y");
        assert_eq!(shown("{g == N}"), "g 2 NumbersEqual");
        assert_eq!(
            shown("{color == green && !b}"),
            "color 1 NumbersEqual b Not And"
        );
        assert_eq!(
            shown("{A i (0,1) a[i] < a[i+1]}"),
            "a[0] a[1] Less a[1] a[2] Less And"
        );
        assert_eq!(shown("{ts[1].x != 3}"), "ts[1].x 3 NumbersEqual Not");
        assert_eq!(shown("{p.q || p.u.y}"), "p.q p.u.y Or");
    }

    #[test]
    fn what_cannot_be_evaluated_is_false() {
        assert_eq!(shown("{a[g] == 1}"), "g a[0]+3 1 NumbersEqual ?");
        assert_eq!(shown("{!(a[g] != 1)}"), "g a[0]+3 1 NumbersEqual Not ? Not");
        assert_eq!(shown("{c[g]}"), "g c[0]+2 ?");
        assert_eq!(shown("{7 / g > 1}"), "7 g Divide 1 LessEqual Not ?");
        assert_eq!(shown("{p.n == 0}"), "p.n 0 NumbersEqual ?");
        assert_eq!(shown("{p.l[p.n] < p.l[0]}"), "p.n p.l[0]+3 p.l[0] Less ?");
        assert_eq!(shown("{ts[p.n].y}"), "p.n ts[0].y+2 ?");
    }

    #[test]
    fn mistakes_say_what_to_write() {
        let suggestion = |text: &str| wrong(text).1;
        assert_eq!(suggestion("g"), "compare it, as in `{g == 1}`");
        assert_eq!(suggestion("{g}"), "compare it, as in `{g == 1}`");
        assert_eq!(suggestion("{ g + 1 }"), "compare it, as in `{g + 1 == 1}`");
        assert_eq!(suggestion("p.n"), "compare it, as in `{p.n == 1}`");
        assert_eq!(suggestion("t.x"), "compare it, as in `{t.x == 1}`");
        assert_eq!(suggestion("a"), "name a part of it, as in `{a[0] == 1}`");
        assert_eq!(suggestion("t"), "name a part of it, as in `{t.x == 1}`");
        assert_eq!(
            suggestion("p.l"),
            "name a part of it, as in `{p.l[0] == 1}`"
        );
        assert_eq!(suggestion("{color == 1 && gg == 1}"), "did you mean `g`?");
        assert_eq!(
            suggestion("{n == 1}"),
            "a local is written with its module: `p.n`"
        );
        assert_eq!(suggestion("{p.nn == 1}"), "did you mean `n`?");
        assert_eq!(suggestion("{g = 1}"), "`==` compares, here too");
        assert_eq!(suggestion("{b & b}"), "`&&` joins conditions");
        let (message, _) = wrong("{a}");
        assert_eq!(
            message,
            "in `{a}`: a whole array or struct cannot be used as a condition"
        );
        let (message, _) = wrong("{zzzzzz == 1}");
        assert_eq!(message, "in `{zzzzzz == 1}`: there is no variable `zzzzzz`");
    }
}
