//! From the syntax tree of a Remopla program to the program form.
//!
//! First constants, then types and global variables, then the headers of modules, and at last
//! their bodies. As for boolean programs, whatever breaks a rule is reported and the walk
//! goes on; a program comes out only if there was no error.

mod assignment;
mod body;
mod call;
mod constants;
mod modules;
mod place;
mod scope;
pub mod terms;
#[cfg(test)]
mod tests;
mod types;
mod unknown;

use crate::diagnostic::{Advice, Diagnostic, did_you_mean, nearest};
use crate::lower::expression::Evaluator;
use crate::lower::layout::{FieldType, VariableLayout, cells};
use crate::lower::points::Points;
use crate::program::{
    Enumeration, Expressions, Language, Overflow, Procedure, ProcedureId, Program,
};
use crate::source::{Source, Span};
use crate::syntax::Collector;
use crate::syntax::remopla::{Tree, parse};
use modules::Signature;
use scope::Scope;
use std::ops::Range;
use std::sync::Arc;
use terms::Remopla;

/// What a user says besides the text.
#[derive(Clone, Debug, Default)]
pub struct RemoplaOptions {
    /// Names that are defined otherwise than the program says; the last one counts.
    pub defines: Vec<(String, i128)>,
    /// What happens to a number that does not fit.
    pub overflow: Overflow,
    /// How options are called.
    pub advice: Advice,
}

/// The Remopla program in `source` if there is no error in it, and all diagnostics in the
/// order of the source. Executions begin in the module `entry`; if that is not given, in
/// the one after `init`, and otherwise in `main`.
pub fn remopla(
    source: Arc<Source>,
    entry: Option<&str>,
    options: &RemoplaOptions,
) -> (Option<Program>, Vec<Diagnostic>) {
    let (tree, collector) = parse(&source);
    let mut lowering = Lowering::new(&tree, &source, options, collector);
    lowering.declare_enumerations();
    lowering.compute_defines();
    lowering.declare_structs();
    lowering.declare_globals();
    lowering.declare_modules();
    for (index, module) in tree.modules.iter().enumerate() {
        source.give_meaning(module.header.identifier.start);
        lowering.body(ProcedureId(index as u32));
    }
    let entry = lowering.entry(entry);
    let Lowering {
        machine,
        enumerations,
        signatures,
        frames,
        mut points,
        expressions,
        ..
    } = lowering;
    let Evaluator {
        collector,
        language,
        ..
    } = machine;
    let Scope {
        constant_values,
        global_variables,
        ..
    } = language.environment;
    let entry = entry.filter(|_| !collector.has_errors() && !tree.incomplete);
    let Some(entry) = entry else {
        return (None, collector.finish());
    };
    let constants = constant_values
        .iter()
        .map(|constant| (constant.identifier.name, constant.value))
        .collect();
    let mut names = tree.names;
    let (globals, declarations) = cells(&mut names, &global_variables);
    let mut procedures = Vec::with_capacity(signatures.len());
    for (signature, (variables, points)) in signatures.into_iter().zip(frames) {
        let (locals, declarations) = cells(&mut names, &variables);
        let parameters = signature.parameters.iter().flatten();
        let parameters = parameters.map(|layout| layout.domains.len() as u32).sum();
        let returns = signature.returns;
        procedures.push(Procedure {
            name: signature.identifier.name,
            span: signature.identifier.span(&names),
            locals,
            declarations,
            parameters,
            saved: 0,
            return_shapes: returns.iter().map(|layout| layout.shape.clone()).collect(),
            returns: returns
                .map_or_else(Vec::new, |layout| layout.domains)
                .into(),
            enforce: None,
            points,
        });
    }
    let program = Program {
        source,
        names,
        globals,
        declarations,
        enumerations,
        constants,
        language: Language::Remopla,
        overflow: options.overflow,
        procedures,
        guards: points.take_guards(),
        points: points.list,
        labels: points.labels,
        threads: None,
        rule: None,
        expressions,
        entry,
    };
    (Some(program), collector.finish())
}

struct Lowering<'a> {
    tree: &'a Tree,
    source: &'a Source,
    options: &'a RemoplaOptions,
    /// It knows the names that are in scope, and collects the diagnostics.
    machine: Evaluator<Remopla<'a, Scope<'a>>>,
    enumerations: Vec<Enumeration>,
    /// The fields of each struct; nothing of one with a mistake.
    structs: Vec<Option<Vec<FieldType>>>,
    default_bits: u8,
    /// How many cells have been made.
    cells: u64,
    signatures: Vec<Signature>,
    /// The variables of each module, and its points.
    frames: Vec<(Vec<VariableLayout>, Range<u32>)>,
    points: Points,
    expressions: Expressions,
    /// Where something that is not in the source is reported.
    end_of_source: Span,
}

impl<'a> Lowering<'a> {
    fn new(
        tree: &'a Tree,
        source: &'a Source,
        options: &'a RemoplaOptions,
        collector: Collector,
    ) -> Self {
        let end = source.bytes().trim_ascii_end().len() as u32;
        Lowering {
            tree,
            source,
            options,
            machine: Evaluator::new(Remopla::new(tree, Scope::new(tree)), collector),
            enumerations: Vec::new(),
            structs: Vec::new(),
            default_bits: 8,
            cells: 0,
            signatures: Vec::new(),
            frames: Vec::new(),
            points: Points::with_capacity(tree.statements.len()),
            expressions: Expressions::with_capacity(tree.expressions.nodes.len()),
            end_of_source: Span::new(end, end),
        }
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        &mut self.machine.language.environment
    }

    fn begin_statement(&mut self) {
        self.machine.begin_statement();
        self.machine.language.moved = 0;
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.machine.collector.report(diagnostic);
    }

    /// The module in which executions begin.
    fn entry(&mut self, given: Option<&str>) -> Option<ProcedureId> {
        let tree = self.tree;
        let init = tree.init.map(|identifier| tree.names.text(identifier.name));
        let wanted = given.or(init).unwrap_or("main");
        let name = tree.names.find(wanted);
        let found = name.and_then(|name| self.scope().modules.get(name));
        if found.is_some() || tree.incomplete {
            return found.map(ProcedureId);
        }
        let modules = tree.modules.iter().take(10_000);
        let known = modules.map(|module| tree.names.text(module.header.identifier.name));
        let near = nearest(wanted, known);
        let message = format!("there is no module `{wanted}` to begin with");
        let mut all = tree.modules.iter().map(|module| module.header.identifier);
        let place = all.find(|identifier| Some(tree.names.text(identifier.name)) == near);
        let place = place.map_or(self.end_of_source, |identifier| tree.span(identifier));
        let (place, hint) = match (given, tree.init) {
            (None, Some(init)) => (tree.span(init), near.map(did_you_mean)),
            (Some(_), _) => {
                let option = self.options.advice.entry;
                let entry = near.map(|near| did_you_mean(format_args!("{option}{near}")));
                (place, entry)
            }
            (None, None) => {
                let hint = match near {
                    Some(_) => "did you mean `main` here?",
                    None => "`init NAME;` before the modules names another one",
                };
                (place, Some(hint.to_owned()))
            }
        };
        self.report(Diagnostic::error(place, message).with_hint_if_any(hint));
        None
    }
}
