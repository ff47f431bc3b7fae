//! What properties of C programs speak of: overflow, undefined steps, calls, labels, assertions, and
//! C expressions. Linear in the points of a program.

use super::assertion::assertion_at;
use super::label::no_label;
use super::naming::InC;
use super::{Atom, OTHERS, Property, PropertyError};
use crate::diagnostic::suggestion;
use crate::lower::c::PointKind;
use crate::names::Name;
use crate::program::{Action, PointId};
use crate::typing::c::tree::FunctionId;

impl InC<'_> {
    /// That no signed computation overflows.
    pub fn overflow(self) -> Property {
        let points = self.origin.overflow_points();
        Property::Assertion(points.map(|(point, _)| point).collect())
    }

    /// That the rule that is woven into it is never violated.
    pub fn rule(self) -> Property {
        let points = self.origin.rule_points();
        Property::Assertion(points.map(|(point, _)| point).collect())
    }

    /// That no undefined step is taken.
    pub fn undefined(self) -> Property {
        let points = self.origin.undefined_points();
        let points: Vec<PointId> = points.map(|(point, _)| point).collect();
        Property::Reach(points)
    }

    /// The points that are only parts of a step of C, sorted: those at which only globals or
    /// objects without value begin to be, those that follow others of the same full expression
    /// only, calls that others of it lead straight to, and those from which calls return. But for the last,
    /// control comes to them from points before them alone, of which the first is none, so that no
    /// cycle has only such ones.
    pub fn silent(self) -> Vec<PointId> {
        let count = self.program.points.len();
        let ahead = self.calls_ahead();
        let leads_to = |from: PointId, to: PointId| {
            let call = ahead[from.0 as usize];
            call.is_some() && (call == Some(to) || call == ahead[to.0 as usize])
        };
        let mut is_on_the_way = vec![true; count];
        // Whether control comes there from behind, or from another full expression.
        let mut begins = vec![false; count];
        let mut follows = vec![false; count];
        for (point, id) in self.program.points.iter().zip((0..).map(PointId)) {
            let span = self.origin.point(id).span;
            // A call is a step of its own.
            begins[id.0 as usize] |= matches!(point.action, Action::Call(_));
            let exit = self.program.procedure(point.procedure).exit();
            point.action.for_each_successor(exit, |target| {
                let target_span = self.origin.point(target).span;
                follows[target.0 as usize] = true;
                is_on_the_way[target.0 as usize] &= leads_to(id, target);
                let is_part = target.0 > id.0 && target_span == span;
                let is_begun = self.only_begins(target) && target.0 > id.0;
                if !is_part && !is_begun {
                    begins[target.0 as usize] = true;
                }
            });
        }
        let points = (0..count as u32).map(PointId);
        let silent = points.filter(|id| {
            let at = id.0 as usize;
            // A `return` or the closing bracket was the step; where the entry ends, executions stay.
            let procedure = self.program.point(*id).procedure;
            if self.program.procedure(procedure).exit() == *id {
                return procedure != self.program.entry;
            }
            let only_begins = self.only_begins(*id);
            follows[at] && (is_on_the_way[at] || !begins[at]) || !begins[at] && only_begins
        });
        silent.collect()
    }

    /// Of each point from which control comes to one call of its full expression, whatever happens: that
    /// call, if control comes there only so. The step to the call begins with the first such point.
    fn calls_ahead(self) -> Vec<Option<PointId>> {
        let count = self.program.points.len();
        let mut ahead: Vec<Option<PointId>> = vec![None; count];
        let mut is_straight = vec![true; count];
        let is_call = |id: PointId| {
            let calls = matches!(self.program.point(id).action, Action::Call(_));
            calls || self.origin.point(id).call.is_some()
        };
        for id in (0..count as u32).rev().map(PointId) {
            let point = self.program.point(id);
            let span = self.origin.point(id).span;
            let exit = self.program.procedure(point.procedure).exit();
            let mut targets = Vec::new();
            point.action.for_each_successor(exit, |target| {
                if !self.ends(target) {
                    targets.push(target);
                }
            });
            let over = |target: &PointId| {
                let inner = self.origin.point(*target).span;
                let is_inside = span.start <= inner.start && inner.end <= span.end;
                let call = match is_call(*target) {
                    true => Some(*target),
                    false => ahead[target.0 as usize],
                };
                call.filter(|_| is_inside)
            };
            let first = targets.first().and_then(over);
            let is_same = |target: &PointId| *target > id && over(target) == first;
            let found = first.filter(|_| !is_call(id) && targets.iter().all(is_same));
            ahead[id.0 as usize] = found;
            for target in targets {
                is_straight[target.0 as usize] &= found.is_some();
            }
        }
        for call in &mut ahead {
            *call = call.filter(|call| is_straight[call.0 as usize]);
        }
        ahead
    }

    /// Whether no execution gets past a point.
    fn ends(self, id: PointId) -> bool {
        matches!(
            self.origin.point(id).kind,
            PointKind::Undefined { .. }
                | PointKind::Outside { .. }
                | PointKind::Failure { .. }
                | PointKind::Overflow
                | PointKind::Heap
                | PointKind::Length
        )
    }

    /// Whether objects begin to be at a point, and nothing else happens.
    fn only_begins(self, id: PointId) -> bool {
        let kind = &self.origin.point(id).kind;
        matches!(
            kind,
            PointKind::Start | PointKind::Choice { .. } | PointKind::Fresh { .. }
        )
    }

    /// Everything that can fail, by its place `FILE:LINE:COLUMN`, in the order of the text.
    pub fn assertions(self) -> Vec<(String, PointId)> {
        let points = self.origin.points.iter().zip((0..).map(PointId));
        let failures = points.filter(|(point, id)| {
            let is_assert = matches!(self.program.point(*id).action, Action::Assert { .. });
            is_assert && matches!(point.kind, PointKind::Failure { .. })
        });
        let mut places: Vec<_> = failures.map(|(point, id)| (point.span.start, id)).collect();
        places.sort_unstable();
        let source = &self.program.source;
        let spelled = places.into_iter().map(|(start, id)| {
            let place = source.position(start);
            let file = source.file_of(start);
            (format!("{file}:{}:{}", place.line, place.column), id)
        });
        spelled.collect()
    }

    /// Whether overflow is among what can fail.
    pub fn can_overflow(self) -> bool {
        let mut points = self.origin.overflow_points();
        points.any(|(id, _)| matches!(self.program.point(id).action, Action::Assert { .. }))
    }

    /// That what is at a place does not fail; or, for `others`, that nothing overflows.
    pub fn assertion(self, text: &str) -> Result<Property, PropertyError> {
        if text == OTHERS {
            return Ok(self.overflow());
        }
        assertion_at(self.assertions(), text)
    }

    /// The points at which a function is called.
    pub fn calls(self, name: &str) -> Result<Vec<PointId>, PropertyError> {
        let functions = self.functions(name)?;
        let points = functions.into_iter().flat_map(|id| self.origin.calls(id));
        Ok(points.collect())
    }

    /// The functions of this name: static ones of several files may share it.
    fn functions(self, name: &str) -> Result<Vec<FunctionId>, PropertyError> {
        let names = &self.typed.names;
        let functions = self.typed.functions.iter().zip((0..).map(FunctionId));
        let named = functions.filter(|(one, _)| names.text(one.name) == name);
        let named: Vec<_> = named.map(|(_, id)| id).collect();
        if !named.is_empty() {
            return Ok(named);
        }
        let known = self.typed.functions.iter();
        let near = suggestion(name, known.map(|one| names.text(one.name)));
        let message = format!("there is no function `{name}`");
        Err(PropertyError::new(message, near))
    }

    /// The points with a label, written `L` or `f.L`. One that no execution comes near has none.
    pub fn labelled(self, text: &str) -> Result<Vec<PointId>, PropertyError> {
        let text = text.trim();
        let names = &self.typed.names;
        let (function, label) = match text.split_once('.') {
            Some((function, label)) => (Some(function.trim()), label.trim()),
            None => (None, text),
        };
        let text_of = |name: Name| names.text(name);
        let function_of = |id: FunctionId| text_of(self.typed.functions[id.0 as usize].name);
        let labels = || {
            let labels = self.typed.labels.iter();
            labels.filter_map(|one| Some((function_of(one.function), text_of(one.name?))))
        };
        let is_meant =
            |of: &str, name: &str| name == label && function.is_none_or(|function| function == of);
        if !labels().any(|(of, name)| is_meant(of, name)) {
            let known = labels().map(|(of, name)| match function {
                Some(_) => format!("{of}.{name}"),
                None => name.to_owned(),
            });
            return Err(no_label(text, known.collect()));
        }
        let points = self.program.labels.iter().filter(|(point, name)| {
            let of = self.program.procedure_of(*point).name;
            is_meant(self.program.names.text(of), self.program.names.text(*name))
        });
        Ok(points.map(|(point, _)| *point).collect())
    }

    /// That a label, or a call written `call(f)`, is not reached.
    pub fn reach(self, text: &str) -> Result<Property, PropertyError> {
        let call = text.trim().strip_prefix("call(");
        let function = call.and_then(|rest| rest.strip_suffix(')'));
        let points = match function {
            // Nobody calls what is not there.
            Some(function) => self.calls(function.trim()).unwrap_or_default(),
            None => self.labelled(text)?,
        };
        Ok(Property::Reach(points))
    }

    /// What `operator(argument)` means.
    pub fn call(self, operator: &str, argument: &str) -> Result<Atom, PropertyError> {
        match operator {
            "at" => self.labelled(argument).map(Atom::At),
            "call" => {
                let mut points = self.calls(argument)?;
                points.sort_unstable();
                let is_one = |call: PointId| points.binary_search(&call).is_ok();
                let ahead = (0..).map(PointId).zip(self.calls_ahead());
                let begins = ahead.filter(|(_, call)| call.is_some_and(is_one));
                let begins: Vec<PointId> = begins.map(|(id, _)| id).collect();
                points.extend(begins);
                points.sort_unstable();
                Ok(Atom::At(points))
            }
            "in" => {
                let functions = self.functions(argument)?;
                let is_one = |of: &Option<FunctionId>| of.is_some_and(|of| functions.contains(&of));
                let procedures: Vec<bool> = self.origin.functions.iter().map(is_one).collect();
                let points = self.program.points.iter().zip((0..).map(PointId));
                let inside = points.filter(|(point, _)| procedures[point.procedure.0 as usize]);
                Ok(Atom::At(inside.map(|(_, id)| id).collect()))
            }
            other => Err(PropertyError::new(
                format!("`{other}(…)` means nothing in a C program"),
                Some("`at(L)` is a label, `in(f)` a function, `call(f)` a call".into()),
            )),
        }
    }

    /// What a name means: an end, a label, a function, or else a C expression.
    pub fn word(self, text: &str) -> Result<Atom, PropertyError> {
        match text {
            "terminated" => return Ok(Atom::Terminated),
            "error" => return Ok(Atom::Error),
            _ => {}
        }
        let is_function = self.functions(text).is_ok();
        let label = self.labelled(text).ok();
        match (label, is_function) {
            (Some(_), true) => Err(PropertyError::new(
                format!("`{text}` could mean several things"),
                Some(format!(
                    "write `at({text})` for the label, or `in({text})` for the function"
                )),
            )),
            (Some(points), false) => match self.expression(text) {
                Ok(_) => Err(PropertyError::new(
                    format!("`{text}` could mean several things"),
                    Some(format!(
                        "write `at({text})` for the label, or `{{{text}}}` for the variable"
                    )),
                )),
                Err(_) => Ok(Atom::At(points)),
            },
            (None, true) => self.call("in", text),
            (None, false) => self.expression(text),
        }
    }

    /// What a C expression means.
    pub fn expression(self, text: &str) -> Result<Atom, PropertyError> {
        let text = text.trim();
        let mut observed = self.observed.iter();
        match observed.find(|(known, _)| known == text) {
            Some((_, meaning)) => meaning.clone(),
            None => Err(PropertyError::new(
                format!("`{text}` is not observed"),
                None,
            )),
        }
    }
}
