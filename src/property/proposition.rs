//! Atomic propositions: what a name in a formula means in a program.
//!
//! A proposition is true or false of a configuration, of which only the top frame is looked
//! at. A bare name that could mean two things is refused, with the ways to write either.

use super::subject::only_meaning;
use super::{PropertyError, remopla};
use crate::analysis::Observed;
use crate::diagnostic::{did_you_mean, suggestion};
use crate::interpreter::evaluation::evaluate;
use crate::interpreter::value_of;
use crate::interpreter::values::Possible;
use crate::names::Name;
use crate::program::{
    Cell, Domain, Language, Operation, PointId, ProcedureId, Program, VariableId,
};
use crate::pushdown::SymbolId;
use crate::rules::Condition;
use crate::source::{Source, Span};
use crate::syntax::boolean::property::{PropertyName, parse_property};
use crate::syntax::boolean::tree::Node;
use crate::trace::{Location, Step};

/// A proposition of one program or pushdown system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    Terminated,
    Error,
    /// Control is at one of these points.
    At(Vec<PointId>),
    /// The top frame belongs to this procedure.
    In(ProcedureId),
    /// A deterministic expression in postfix form is 1. A [`VariableId::Local`] in it is an
    /// index into `locals`. Where its procedure is not on top, a truth value is 0 and a
    /// number has no value.
    Expression {
        operations: Vec<Operation>,
        locals: Vec<(ProcedureId, u32)>,
    },
    /// An expression of a C program, as above, is defined and not 0 at one of these points, or at
    /// any.
    Observed {
        truth: Vec<Operation>,
        value: Vec<Operation>,
        locals: Vec<(ProcedureId, u32)>,
        scope: Option<Vec<PointId>>,
    },
    /// One of these symbols is on top of the stack.
    OnTop(Vec<SymbolId>),
    /// A condition over the symbol on top and the globals, for each group of symbols, is
    /// true.
    Conditions(Vec<Box<[Operation]>>),
}

impl Atom {
    fn variable(observed: Observed) -> Self {
        let (variable, locals) = match observed {
            Observed::Global(index) => (VariableId::Global(index), Vec::new()),
            Observed::Local(procedure, index) => (VariableId::Local(0), vec![(procedure, index)]),
        };
        Atom::Expression {
            operations: vec![Operation::Read(variable)],
            locals,
        }
    }

    /// Its condition on values, if it has one, with the locals that it speaks of.
    pub fn condition(&self) -> Option<Condition<'_>> {
        match self {
            Atom::Expression { operations, locals } => Some((operations, locals)),
            Atom::Observed { truth, locals, .. } => Some((truth, locals)),
            _ => None,
        }
    }

    /// The variables it reads, with repetitions.
    pub fn observes(&self) -> Vec<Observed> {
        let (operations, locals) = match self {
            Atom::Conditions(conditions) => return observed_by(conditions),
            _ => match self.condition() {
                Some(condition) => condition,
                None => return Vec::new(),
            },
        };
        let reads = operations.iter().filter_map(Operation::cells_read);
        let cells = reads.flat_map(|(first, count, _)| (0..count).map(move |k| first.plus(k)));
        let observed = cells.map(|variable| match variable {
            VariableId::Global(index) => Observed::Global(index),
            VariableId::Local(index) => {
                let (procedure, local) = locals[index as usize];
                Observed::Local(procedure, local)
            }
        });
        observed.collect()
    }

    /// Whether it is true of a configuration.
    pub fn holds(&self, program: &Program, step: &Step) -> bool {
        let top = step.at().map(PointId);
        let procedure = top.map(|point| program.point(point).procedure);
        match self {
            Atom::Terminated => step.location == Location::Terminated,
            Atom::Error => step.location == Location::Error,
            Atom::At(points) => top.is_some_and(|top| points.contains(&top)),
            Atom::In(wanted) => procedure == Some(*wanted),
            Atom::OnTop(_) | Atom::Conditions(_) => false,
            Atom::Expression { operations, locals } => {
                evaluated(program, operations, locals, step).may_be(true)
            }
            Atom::Observed { truth, locals, .. } => {
                self.is_in_scope(top) && evaluated(program, truth, locals, step).may_be(true)
            }
        }
    }

    /// Whether what it speaks of is in scope.
    pub fn is_in_scope(&self, at: Option<PointId>) -> bool {
        match self {
            Atom::Observed {
                scope: Some(points),
                ..
            } => at.is_some_and(|at| points.binary_search(&at).is_ok()),
            _ => true,
        }
    }

    /// The value of an expression in a configuration; none if it reads a variable of a
    /// procedure that is not on top.
    pub fn value(&self, program: &Program, step: &Step) -> Option<i128> {
        let (operations, locals) = match self {
            Atom::Expression { operations, locals } => (operations, locals),
            Atom::Observed { value, locals, .. } => {
                if !self.is_in_scope(step.at().map(PointId)) {
                    return None;
                }
                (value, locals)
            }
            _ => return Some(self.holds(program, step).into()),
        };
        let top = step.at().map(|at| program.point(PointId(at)).procedure);
        let is_there = |observed| match observed {
            Observed::Global(_) => true,
            Observed::Local(of, _) => Some(of) == top,
        };
        if !self.observes().into_iter().all(is_there) {
            return None;
        }
        match evaluated(program, operations, locals, step) {
            Possible::Truth(values) => Some(values.contains(true).into()),
            Possible::Number(number) => Some(number),
            Possible::Nothing(_) => None,
        }
    }
}

/// What an expression comes out as in a configuration.
fn evaluated(
    program: &Program,
    operations: &[Operation],
    locals: &[(ProcedureId, u32)],
    step: &Step,
) -> Possible {
    let procedure = step.at().map(|at| program.point(PointId(at)).procedure);
    evaluate(operations, |variable, _| {
        let (of, variable) = match variable {
            VariableId::Global(_) => (procedure, variable),
            VariableId::Local(index) => {
                let (of, local) = locals[index as usize];
                (Some(of), VariableId::Local(local))
            }
        };
        let domain = program.cell(of.unwrap_or(program.entry), variable).domain;
        match (domain, of == procedure) {
            (_, true) => value_of(domain, step.valuation.get(variable)),
            (Domain::Boolean, false) => value_of(domain, 0),
            (_, false) => Possible::not_there(),
        }
    })
}

/// What conditions for each group of symbols read. Groups stand in the place of procedures.
fn observed_by(conditions: &[Box<[Operation]>]) -> Vec<Observed> {
    let mut observed = Vec::new();
    for (operations, group) in conditions.iter().zip((0..).map(ProcedureId)) {
        for (first, count, _) in operations.iter().filter_map(Operation::cells_read) {
            observed.extend((0..count).map(|k| match first.plus(k) {
                VariableId::Global(index) => Observed::Global(index),
                VariableId::Local(index) => Observed::Local(group, index),
            }));
        }
    }
    observed
}

impl Program {
    /// What a name means.
    pub(super) fn word(&self, text: &str) -> Result<Atom, PropertyError> {
        match text {
            "terminated" => return Ok(Atom::Terminated),
            "error" => return Ok(Atom::Error),
            _ => {}
        }
        let name = PropertyName::of(text);
        // What it could mean, with an unambiguous way to write it.
        let mut meanings: Vec<(Atom, String)> = Vec::new();
        match name.procedure {
            None => {
                if let Some(global) = find_global(self, text) {
                    let written = match text.starts_with('{') {
                        true => text.to_owned(),
                        false => format!("{{{text}}}"),
                    };
                    meanings.push((
                        Atom::variable(global),
                        format!("`{written}` for the global"),
                    ));
                }
                if let Some(procedure) = find_procedure(self, text) {
                    let written = format!("`in({text})` for the procedure");
                    meanings.push((Atom::In(procedure), written));
                }
                let points = find_label(self, None, text);
                if points.len() > 1 && meanings.is_empty() {
                    return Err(label_in_several(self, text, &points));
                }
                if !points.is_empty() {
                    meanings.push((Atom::At(points), format!("`at({text})` for the label")));
                }
            }
            Some(procedure_name) => {
                // A field of a global struct.
                if let Some(field) = find_global(self, text) {
                    let written = format!("`{{{text}}}` for the field");
                    meanings.push((Atom::variable(field), written));
                }
                let Some(procedure) = find_procedure(self, procedure_name) else {
                    return match meanings.pop() {
                        Some((atom, _)) => remopla::truth_value(self, text, atom),
                        None => Err(remopla::composite(self, text)
                            .unwrap_or_else(|| unknown_procedure(self, procedure_name))),
                    };
                };
                if let Some(local) = find_local(self, procedure, name.name) {
                    let written = format!("`{{{text}}}` for the variable");
                    meanings.push((Atom::variable(local), written));
                }
                let points = find_label(self, Some(procedure), name.name);
                if !points.is_empty() {
                    meanings.push((Atom::At(points), format!("`at({text})` for the label")));
                }
            }
        }
        match only_meaning(text, meanings)? {
            Some(atom) => remopla::truth_value(self, text, atom),
            None => Err(remopla::composite(self, text).unwrap_or_else(|| unknown_word(self, text))),
        }
    }

    /// The global of that very name if there is one, otherwise an expression.
    pub(super) fn braces(&self, text: &str) -> Result<Atom, PropertyError> {
        resolve_condition(self, None, text).map_err(|(_, wrong)| PropertyError {
            message: format!("in `{text}`: {}", wrong.message),
            hint: wrong.hint,
        })
    }

    /// What `operator(argument)` means.
    pub(super) fn call(&self, operator: &str, argument: &str) -> Result<Atom, PropertyError> {
        match operator {
            "at" => at(self, argument),
            "in" => match find_procedure(self, argument) {
                Some(procedure) => Ok(Atom::In(procedure)),
                None => Err(unknown_procedure(self, argument)),
            },
            other => Err(PropertyError::new(
                format!("`{other}(…)` means nothing in a program with procedures"),
                Some("`at(L)` is a label, `in(p)` a procedure".into()),
            )),
        }
    }
}

/// The procedure of this name.
pub fn find_procedure(program: &Program, name: &str) -> Option<ProcedureId> {
    let name = program.names.find(name)?;
    let index = program.procedures.iter().position(|p| p.name == name)?;
    Some(ProcedureId(index as u32))
}

fn find_global(program: &Program, name: &str) -> Option<Observed> {
    let name = program.names.find(name)?;
    let index = program.globals.iter().position(|g| g.name == name)?;
    Some(Observed::Global(index as u32))
}

fn find_local(program: &Program, procedure: ProcedureId, name: &str) -> Option<Observed> {
    let name = program.names.find(name)?;
    let locals = &program.procedure(procedure).locals;
    let index = locals.iter().position(|l| l.name == name)?;
    Some(Observed::Local(procedure, index as u32))
}

/// The points with a label, of one procedure or of any.
fn find_label(program: &Program, procedure: Option<ProcedureId>, name: &str) -> Vec<PointId> {
    let Some(name) = program.names.find(name) else {
        return Vec::new();
    };
    let labels = program.labels.iter().filter(|(point, label)| {
        *label == name && procedure.is_none_or(|p| program.point(*point).procedure == p)
    });
    labels.map(|(point, _)| *point).collect()
}

/// `at(L)` and `at(p.L)`.
fn at(program: &Program, text: &str) -> Result<Atom, PropertyError> {
    let name = PropertyName::of(text);
    let procedure = match name.procedure {
        None => None,
        Some(procedure) => match find_procedure(program, procedure) {
            Some(procedure) => Some(procedure),
            None => return Err(unknown_procedure(program, procedure)),
        },
    };
    let points = find_label(program, procedure, name.name);
    match points.as_slice() {
        [] => Err(unknown_label(program, text)),
        [_] => Ok(Atom::At(points)),
        several => Err(label_in_several(program, text, several)),
    }
}

fn label_in_several(program: &Program, label: &str, points: &[PointId]) -> PropertyError {
    let qualified: Vec<_> = points
        .iter()
        .map(|point| {
            let procedure = program.names.text(program.procedure_of(*point).name);
            format!("`at({procedure}.{label})`")
        })
        .collect();
    PropertyError::new(
        format!("`{label}` is a label in {} procedures", points.len()),
        Some(format!("write {}", qualified.join(" or "))),
    )
}

/// The variable of that very name if there is one, otherwise an expression: a condition on a
/// frame of the procedure `scope`, whose locals may be written without it. What is wrong is
/// told with its place in the text, braces included.
pub fn resolve_condition(
    program: &Program,
    scope: Option<ProcedureId>,
    text: &str,
) -> Result<Atom, (Span, PropertyError)> {
    let local = scope.and_then(|scope| find_local(program, scope, text));
    if let Some(variable) = local.or_else(|| find_global(program, text)) {
        return Ok(Atom::variable(variable));
    }
    let source = Source::new("", text.as_bytes().to_vec());
    let inner = Span::new(1, text.len() as u32 - 1);
    if program.language == Language::Remopla {
        return remopla::condition(program, scope, &text[1..text.len() - 1])
            .map_err(|(place, wrong)| (Span::new(place.start + 1, place.end + 1), wrong));
    }
    let (tree, diagnostics) = parse_property(&source, inner);
    if let Some(wrong) = diagnostics.into_iter().find(|d| d.is_error()) {
        return Err((wrong.span, PropertyError::new(wrong.message, wrong.hint)));
    }
    let mut locals = Vec::new();
    let mut operations = Vec::new();
    for node in &tree.expressions.nodes {
        let operation = match node {
            Node::Constant(value) => Operation::Constant(*value),
            Node::Not => Operation::Not,
            Node::IfThenElse => Operation::IfThenElse,
            Node::Binary(operator) => (*operator).into(),
            Node::Read(identifier) => {
                let written = tree.names.text(identifier.name);
                let place = Span::new(
                    identifier.start,
                    (identifier.start + written.len() as u32).min(inner.end),
                );
                let observed = observed(program, scope, PropertyName::of(written));
                Operation::Read(match observed.map_err(|wrong| (place, wrong))? {
                    Observed::Global(index) => VariableId::Global(index),
                    Observed::Local(procedure, index) => {
                        locals.push((procedure, index));
                        VariableId::Local(locals.len() as u32 - 1)
                    }
                })
            }
            Node::Choose | Node::Schoose | Node::ReadNext(_) => {
                let message = "a property cannot choose, and has no next values";
                return Err((inner, PropertyError::new(message, None)));
            }
        };
        operations.push(operation);
    }
    Ok(Atom::Expression { operations, locals })
}

fn observed(
    program: &Program,
    scope: Option<ProcedureId>,
    name: PropertyName<'_>,
) -> Result<Observed, PropertyError> {
    let found = match name.procedure {
        None => scope
            .and_then(|scope| find_local(program, scope, name.name))
            .or_else(|| find_global(program, name.name)),
        Some(procedure) => match find_procedure(program, procedure) {
            Some(procedure) => find_local(program, procedure, name.name),
            None => return Err(unknown_procedure(program, procedure)),
        },
    };
    found.ok_or_else(|| {
        let qualified = name.procedure.and_then(|p| find_procedure(program, p));
        let locals = qualified.or(scope).into_iter();
        let mut known: Vec<String> = locals
            .flat_map(|procedure| cell_names(program, program.shown_locals(procedure)))
            .collect();
        if qualified.is_none() {
            known.extend(cell_names(program, program.shown_globals()));
        }
        let hint = near_hint(name.name, &known).or_else(|| match name.procedure {
            None => Some("a local is written `p.x`, with its procedure".to_owned()),
            Some(_) => None,
        });
        PropertyError::new(format!("there is no variable `{}`", name.name), hint)
    })
}

fn cell_names(program: &Program, cells: &[Cell]) -> Vec<String> {
    names_of(program, cells.iter().map(|cell| cell.name))
}

fn names_of(program: &Program, names: impl Iterator<Item = Name>) -> Vec<String> {
    names.map(|n| program.names.text(n).to_owned()).collect()
}

fn procedure_names(program: &Program) -> Vec<String> {
    names_of(program, program.procedures.iter().map(|p| p.name))
}

fn label_names(program: &Program) -> Vec<String> {
    names_of(program, program.labels.iter().map(|(_, name)| *name))
}

fn near_hint(text: &str, known: &[String]) -> Option<String> {
    suggestion(text, known.iter().map(String::as_str))
}

fn unknown_procedure(program: &Program, name: &str) -> PropertyError {
    PropertyError::new(
        format!("there is no procedure `{name}`"),
        near_hint(name, &procedure_names(program)),
    )
}

fn unknown_label(program: &Program, name: &str) -> PropertyError {
    let mut known = label_names(program);
    known.extend(program.labels.iter().map(|(point, label)| {
        let procedure = program.names.text(program.procedure_of(*point).name);
        format!("{procedure}.{}", program.names.text(*label))
    }));
    PropertyError::new(
        format!("there is no label `{name}`"),
        near_hint(name, &known),
    )
}

fn unknown_word(program: &Program, text: &str) -> PropertyError {
    let name = PropertyName::of(text);
    let known = match name.procedure.and_then(|p| find_procedure(program, p)) {
        Some(procedure) => {
            let mut known = cell_names(program, program.shown_locals(procedure));
            let labels = program.labels.iter();
            let labels = labels.filter(|(point, _)| program.point(*point).procedure == procedure);
            known.extend(labels.map(|(_, label)| program.names.text(*label).to_owned()));
            let prefix = program.names.text(program.procedure(procedure).name);
            known.iter().map(|k| format!("{prefix}.{k}")).collect()
        }
        None => {
            let mut known = cell_names(program, program.shown_globals());
            known.extend(procedure_names(program));
            known.extend(label_names(program));
            known.extend(["terminated".to_owned(), "error".to_owned()]);
            known
        }
    };
    // `GFp` is one word; if that is nothing, `G F p` was meant, even if `p` is mistyped too.
    let is_known = |name: &str| known.iter().any(|k| k == name);
    let operators = text.find(|c| !"GFX".contains(c)).unwrap_or(0);
    let split = ltl2ba_rs::split_operators(text, is_known).or_else(|| {
        let any = ltl2ba_rs::split_operators(text, |name| !name.starts_with(['G', 'F', 'X']));
        any.filter(|_| operators >= 2)
    });
    let hint = match split {
        Some(split) => Some(did_you_mean(split)),
        None => near_hint(text, &known)
            .or_else(|| local_elsewhere(program, text))
            .or_else(|| not_a_local(program, name)),
    };
    PropertyError::new(format!("`{text}` is nothing in this program"), hint)
}

/// A bare local's name wants its procedure.
fn local_elsewhere(program: &Program, text: &str) -> Option<String> {
    let procedure = program
        .procedure_ids()
        .find(|procedure| find_local(program, *procedure, text).is_some())?;
    let name = program.names.text(program.procedure(procedure).name);
    Some(format!(
        "a local is written with its procedure: `{name}.{text}`"
    ))
}

/// A global is written without a procedure.
fn not_a_local(program: &Program, name: PropertyName<'_>) -> Option<String> {
    name.procedure?;
    find_global(program, name.name)?;
    Some(format!(
        "a global is written without a procedure: `{}`",
        name.name
    ))
}
