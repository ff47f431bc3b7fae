//! Rules that a C program is read with: each gives a program of its own, into which it is woven.

use super::c::Variant;
use super::observation::Input;
use super::{Reader, Unit};
use crate::diagnostic::Diagnostic;
use crate::error::{Diagnostics, Error};
use crate::lower::c as lowering;
use crate::rules::reachable_points;
use crate::source::Span;
use crate::syntax::c::{Options, preprocess};
use crate::typing::c::rule::Rule;
use crate::typing::c::tree::FunctionId;
use crate::typing::c::{program_and, weave::weave};
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::Arc;

impl Reader {
    /// The rules, each with the program that it is woven into. What is doubtful about them is
    /// added to what is known.
    pub(super) fn weave(
        &self,
        files: &[(String, Vec<u8>)],
        options: &Options<'_>,
        unit: &Unit,
        doubtful: &mut Diagnostics,
    ) -> Result<Vec<(String, Arc<Unit>)>, Error> {
        let entry = self.entry.as_deref().unwrap_or("main");
        let mut rules = Vec::new();
        let mut wrong = Vec::new();
        for file in &self.rules {
            match woven(files.to_vec(), file, options, entry, unit) {
                Ok((unit, own)) => {
                    doubtful.texts.extend(own.texts);
                    rules.push((file.to_string_lossy().into_owned(), Arc::new(unit)));
                }
                Err(Error::Diagnostics(own)) => wrong.extend(own.texts),
                Err(other) => return Err(other),
            }
        }
        match wrong.is_empty() {
            true => Ok(rules),
            false => Err(Error::Diagnostics(Diagnostics { texts: wrong })),
        }
    }
}

/// The program that these files make, with the rule woven in, and what is doubtful about the rule.
fn woven(
    files: Vec<(String, Vec<u8>)>,
    rule: &Path,
    options: &Options<'_>,
    entry: &str,
    plain: &Unit,
) -> Result<(Unit, Diagnostics), Error> {
    let bytes = std::fs::read(rule).map_err(|error| Error::Read(rule.to_owned(), error))?;
    let name = rule.to_string_lossy().into_owned();
    let input = Input {
        files,
        rule: Some((name.clone(), bytes)),
        directories: options.directories.clone(),
        definitions: options.definitions.clone(),
        model: options.model,
        entry: entry.to_owned(),
    };
    let files = input.all_files();
    let (typed, following) = program_and(preprocess(files, options), (true, false), options.model);
    let rule = following.rule.unwrap_or_default();
    let source = Arc::new(typed.source);
    // What is said of the program has been said.
    let all = typed.diagnostics.into_iter();
    let own = all.filter(|one| source.file_of(one.span.start) == name);
    let mut own: Vec<_> = own.collect();
    let entered = typed.program.and_then(|program| {
        let entry = lowering::entry(&program, entry)?;
        Some((program, entry))
    });
    let Some((mut program, entry)) = entered else {
        return Err(Error::Diagnostics(Diagnostics::new(source, own)));
    };
    let entry = weave(&mut program, &rule, entry);
    let (files, options) = (plain.files.clone(), plain.options.clone());
    let mut unit = Unit::new(source.clone(), files, program, entry, options);
    unit.input = Some(Arc::new(input));
    own.extend(silent_events(&unit, &rule));
    Ok((unit, Diagnostics::new(source, own)))
}

/// Warnings about events that never happen, as far as branches and calls tell.
fn silent_events(unit: &Unit, rule: &Rule) -> Vec<Diagnostic> {
    let lowered = unit.lowered(Variant::Plain);
    let points = reachable_points(&lowered.program).into_iter();
    let procedures = points.map(|point| lowered.program.point(point).procedure.0);
    let entered = procedures.filter_map(|id| lowered.origin.functions[id as usize]);
    let entered: FxHashSet<FunctionId> = entered.collect();
    let happened = rule.events.iter().filter(|one| entered.contains(&one.body));
    // Several files may have a function of the name.
    let mut told: FxHashSet<Span> = happened.map(|one| one.span).collect();
    let silent = rule.events.iter().filter(|one| told.insert(one.span));
    let names = &unit.typed.names;
    let warnings = silent.map(|event| {
        let name = names.text(unit.typed.functions[event.body.0 as usize].name);
        let message = format!("this never happens: no execution comes to `{name}`");
        Diagnostic::warning(event.span, message)
    });
    warnings.collect()
}
