//! Properties that are decided together, on one form of the model.
//!
//! Which form a property needs is the model's to say; those that need the same one share it, and all
//! that was found out about it. This is also the place to make a form smaller for the properties that
//! it is to decide.

use super::resolution::{explanation, resolve_watches};
use crate::check::{Board, Verdict};
use crate::diagnostic::Diagnostic;
use crate::error::{Diagnostics, Error, PropertyError, PropertyWarning};
use crate::event::Event;
use crate::lower::c::{Externs, Lowered, Sites, Tracking};
use crate::model::{Form, Model};
use crate::program::{Boundary, BoundaryKind, PointId, ProcedureId, VariableId};
use crate::property::{Property, Request, resolve};
use crate::reduction::{Goals, reduce};
use crate::report::Ground;
use crate::report::annotation::Watch;
use crate::rules::{Observed, reachable_points};
use crate::source::{Source, Span};
use crate::supervisor::Reporter;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Some of the properties, and what they are decided on.
pub struct Task {
    /// It may have been made smaller for them.
    pub form: Form,
    /// As it was before that, with the same points.
    pub whole: Form,
    /// Their numbers among all that were asked for.
    pub numbers: Vec<usize>,
    /// What they mean in the form.
    pub properties: Vec<Property>,
    /// Expressions whose values are shown along traces.
    watches: Arc<[Watch]>,
}

impl Task {
    /// What the property with this number was decided on, if it is one of these.
    pub fn ground(&self, number: usize, is_whole: bool) -> Option<Ground> {
        let at = self.numbers.iter().position(|one| *one == number)?;
        let form = match is_whole {
            true => &self.whole,
            false => &self.form,
        };
        Some(Ground {
            form: form.clone(),
            property: self.properties[at].clone(),
            watches: self.watches.clone(),
        })
    }
}

impl Task {
    /// The places that no execution gets past, but for those that none comes to, as far as branches
    /// and calls tell.
    pub fn boundaries(&self) -> Vec<Boundary> {
        let mut boundaries = self.form.boundaries();
        if let Form::C(_, lowered) = &self.form {
            let points = reachable_points(&lowered.program);
            boundaries.retain(|boundary| points.binary_search(&boundary.point).is_ok());
        }
        boundaries
    }

    /// Where the conditions of its loops are about to be evaluated.
    pub fn loops(&self) -> Vec<PointId> {
        let Form::C(_, lowered) = &self.whole else {
            return Vec::new();
        };
        let loops = lowered.origin.loops.iter();
        let mut heads: Vec<PointId> = loops.map(|(_, head)| *head).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }

    /// Says where executions are cut off although properties hold: each place once.
    pub fn warn_of_cut_offs(
        &self,
        board: &Board,
        known: &mut FxHashSet<(Span, String)>,
        events: &Reporter<'_, Event>,
    ) {
        let Form::C(unit, lowered) = &self.form else {
            return;
        };
        for property in 0..self.properties.len() {
            if board.verdict(property) != Some(Verdict::Holds) {
                continue;
            }
            let boundaries = board.boundaries(property).into_iter();
            for boundary in boundaries.filter(|one| one.kind == BoundaryKind::Undefined) {
                let span = lowered.origin.point(boundary.point).span;
                if known.insert((span, boundary.what.clone())) {
                    let message = format!(
                        "executions that come to this are cut off: {}",
                        boundary.what
                    );
                    let warning = Diagnostic::warning(span, message);
                    let warnings = Diagnostics::new(unit.source.clone(), vec![warning]);
                    events.report(Event::Diagnostics(warnings));
                }
            }
        }
    }

    /// One of the properties, on the program in which reads of elements of large arrays give any value
    /// if they are not followed. None if there is no such array.
    pub fn tracked(&self, request: &Request, sites: Sites) -> Option<Task> {
        let Form::C(unit, _) = &self.whole else {
            return None;
        };
        let variant = unit.variant(request.kind());
        let lowered = unit.lowered_as(variant, Tracking::Any(sites))?;
        let form = Form::C(unit.clone(), Arc::new(lowered));
        let property = resolve(form.naming(), request).ok()?;
        let mut task = Task {
            watches: Arc::new([]),
            whole: form.clone(),
            form,
            numbers: vec![0],
            properties: vec![property],
        };
        task.reduce();
        Some(task)
    }

    /// Makes a C program smaller, for these properties. Where values are to be shown, all stay.
    fn reduce(&mut self) {
        let Form::C(unit, lowered) = &self.form else {
            return;
        };
        let mut points: Vec<PointId> = Vec::new();
        let mut cells = Vec::new();
        let (mut infinite, mut steps) = (false, false);
        for property in &self.properties {
            match property {
                Property::Reach(asked) => points.extend(asked),
                Property::Terminates => infinite = true,
                Property::Temporal(temporal) => {
                    cells.extend(temporal.observed());
                    (infinite, steps) = (true, true);
                }
                Property::OnTop { .. }
                | Property::Assertions
                | Property::Assertion(_)
                | Property::OtherFailures
                | Property::Unsupported => {}
            }
        }
        points.extend(self.form.boundaries().iter().map(|boundary| boundary.point));
        points.sort_unstable();
        points.dedup();
        let is_watched = !self.watches.is_empty();
        let observed = |procedure: ProcedureId, variable: VariableId| {
            let cell = match variable {
                VariableId::Global(index) => Observed::Global(index),
                VariableId::Local(index) => Observed::Local(procedure, index),
            };
            is_watched || cells.contains(&cell)
        };
        let mut smaller = Lowered::clone(lowered);
        let goals = Goals {
            points: &points,
            observed: &observed,
            infinite,
            steps: steps || is_watched,
        };
        reduce(&mut smaller, &goals);
        self.form = Form::C(unit.clone(), Arc::new(smaller));
    }
}

/// What all properties mean, each on the form that it needs, or everything that is wrong with them. If
/// `reduces`, forms are made smaller.
pub fn tasks(
    model: &Model,
    requests: &[Request],
    watches: &[String],
    reduces: bool,
    events: &Reporter<'_, Event>,
) -> Result<Vec<Task>, Error> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut errors = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        let form = model.form_for(request, watches)?;
        let property = match resolve(form.naming(), request) {
            Ok(property) => property,
            Err(error) => {
                let property = request.clone();
                errors.push(PropertyError { property, error });
                continue;
            }
        };
        if let Property::Temporal(temporal) = &property {
            for (span, message) in &temporal.warnings {
                events.report(Event::Warning(PropertyWarning {
                    property: request.clone(),
                    span: span.clone(),
                    message: message.clone(),
                }));
            }
        }
        events.report(Event::Explanation(explanation(request, &property)));
        match tasks.iter_mut().find(|task| task.form.is(&form)) {
            Some(task) => {
                task.numbers.push(number);
                task.properties.push(property);
            }
            None => tasks.push(Task {
                watches: Arc::new([]),
                whole: form.clone(),
                form,
                numbers: vec![number],
                properties: vec![property],
            }),
        }
    }
    if !errors.is_empty() {
        return Err(Error::Properties(errors));
    }
    for task in &mut tasks {
        task.watches = resolve_watches(task.form.naming(), watches)?.into();
        if reduces {
            task.reduce();
        }
    }
    Ok(tasks)
}

/// The functions without body that something is assumed of: their names, and warnings.
pub fn assumed(tasks: &[Task]) -> Vec<(String, (Arc<Source>, Diagnostic))> {
    let mut assumed: Vec<(String, (Arc<Source>, Diagnostic))> = Vec::new();
    for task in tasks {
        let Form::C(unit, lowered) = &task.form else {
            continue;
        };
        for (name, span) in unit.assumed(&lowered.origin) {
            if assumed.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let does = match unit.options.externs {
                Externs::Havoc => "may return any value and change what it can reach",
                Externs::Pure | Externs::Refuse => "may return any value and changes nothing",
            };
            let message = format!("`{name}` has no body: it is assumed that it {does}");
            let warning = Diagnostic::warning(span, message);
            assumed.push((name, (unit.source.clone(), warning)));
        }
    }
    assumed
}

/// Says what was assumed.
pub fn warn_of_assumptions(tasks: &[Task], events: &Reporter<'_, Event>) {
    for (_, (source, warning)) in assumed(tasks) {
        let warnings = Diagnostics::new(source, vec![warning]);
        events.report(Event::Diagnostics(warnings));
    }
}
