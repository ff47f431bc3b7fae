//! What properties and users observe of a C program: expressions, typed in the program's own scope.
//!
//! The program is read once more, with a further file in which each expression is a function of
//! its own. It sees the globals, types and macros of the program, and `f.x`, the variable `x` of a
//! function. What is wrong with one expression leaves the others as they are.

use super::c::{Unit, Variant};
use crate::lower::c::{
    self as lowering, Lowered, Observation, Options as Lowering, observe, statics,
};
use crate::property::{Atom, PropertyError};
use crate::syntax::c::{DataModel, Options, preprocess_following};
use crate::typing::c::tree::FunctionId;
use crate::typing::c::weave::weave;
use crate::typing::c::{Following, Typed, program_and};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a C program was read from.
#[derive(Debug)]
pub(crate) struct Input {
    pub files: Vec<(String, Vec<u8>)>,
    /// The rule that is woven into it.
    pub rule: Option<(String, Vec<u8>)>,
    pub directories: Vec<PathBuf>,
    pub definitions: Vec<String>,
    pub model: DataModel,
    pub entry: String,
}

impl Input {
    /// The files of the program, and the rule.
    pub fn all_files(&self) -> Vec<(String, Vec<u8>)> {
        self.files.iter().chain(&self.rule).cloned().collect()
    }
}

/// What is observed: texts, and what they mean or why they mean nothing. Of each, its truth and its
/// value.
pub(crate) type Observed = Vec<(String, Result<Atom, PropertyError>)>;

const FILE: &str = "<observed>";

impl Unit {
    /// The same program, in which these expressions are observed, in one of its variants.
    pub fn observing(
        &self,
        texts: &[String],
        variant: Variant,
    ) -> Option<(Arc<Unit>, Arc<Lowered>)> {
        let mut wrong: Vec<Option<PropertyError>> = vec![None; texts.len()];
        // The first reading finds the wrong ones, the second is without them.
        for _ in 0..2 {
            let input = self.input.as_ref()?;
            let (typed, following) = read(input, texts, &wrong);
            let Some(mut program) = typed.program else {
                let errors = typed.diagnostics.iter().filter(|one| one.is_error());
                for error in errors {
                    let (file, at) = (
                        typed.source.file_of(error.span.start),
                        typed.source.position(error.span.start),
                    );
                    let Some(entry) = wrong.get_mut(at.line as usize - 1) else {
                        continue;
                    };
                    if file == FILE && entry.is_none() {
                        let hint = error.hint.clone();
                        *entry = Some(PropertyError::new(error.message.clone(), hint));
                    }
                }
                continue;
            };
            let mut entry = lowering::entry(&program, &input.entry)?;
            if let Some(rule) = &following.rule {
                entry = weave(&mut program, rule, entry);
            }
            let observers = following.observers.iter();
            let options = Lowering {
                observed: observers
                    .flat_map(|observer| statics(&program, *observer))
                    .collect(),
                ..self.options.clone()
            };
            let mut unit = Unit::new(
                Arc::new(typed.source),
                self.files.clone(),
                program,
                entry,
                options,
            );
            let lowered = unit.lowered(variant).clone();
            // Other texts may have declared functions, too.
            let names = &unit.typed.names;
            let of = |number: usize| {
                let named = |id: &&FunctionId| {
                    let function = &unit.typed.functions[id.0 as usize];
                    names.text(function.name) == observer(number)
                };
                following.observers.iter().find(named)
            };
            let mut observed = Observed::new();
            for (number, (text, wrong)) in texts.iter().zip(wrong).enumerate() {
                let meaning = match (wrong, of(number)) {
                    (Some(wrong), _) => Err(wrong),
                    (None, Some(function)) => {
                        observe(&unit.typed, entry, &unit.options, &lowered, *function)
                            .map(atom)
                            .map_err(|message| PropertyError::new(message, None))
                    }
                    (None, None) => continue,
                };
                observed.push((text.clone(), meaning));
            }
            unit.observed = observed;
            return Some((Arc::new(unit), lowered));
        }
        None
    }
}

/// The name of the function that an expression becomes.
fn observer(number: usize) -> String {
    format!("__derny_observed_{number}")
}

fn read(input: &Input, texts: &[String], wrong: &[Option<PropertyError>]) -> (Typed, Following) {
    let mut observers = String::new();
    for (number, (text, wrong)) in texts.iter().zip(wrong).enumerate() {
        // A line for each: a message's line says which one it is about.
        let text = match wrong {
            Some(_) => "0".to_owned(),
            None => text.replace(['\n', '\r'], " "),
        };
        let name = observer(number);
        observers.push_str(&format!("void {name}(void) {{ ({text}); }}\n"));
    }
    let mut files = input.all_files();
    files.push((FILE.to_owned(), observers.into_bytes()));
    let options = Options {
        directories: input.directories.clone(),
        definitions: input.definitions.clone(),
        model: input.model,
        honours_markers: true,
        reader: &|path: &Path| std::fs::read(path),
    };
    let read = preprocess_following(files, &options);
    program_and(read, (input.rule.is_some(), true), input.model)
}

/// A proposition that is true where the expression is in scope, defined and not 0.
fn atom(observation: Observation) -> Atom {
    let Observation {
        truth,
        value,
        procedure,
        locals,
        scope,
    } = observation;
    let locals: Vec<_> = match procedure {
        Some(procedure) => (0..locals).map(|local| (procedure, local)).collect(),
        None => Vec::new(),
    };
    Atom::Observed {
        truth,
        value,
        locals,
        scope,
    }
}
