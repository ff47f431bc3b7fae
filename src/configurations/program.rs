//! How configurations of a program are written: control points, conditions, and what may
//! stand on what.
//!
//! A frame that waits is at its call, and only a frame of the called procedure can be right
//! above it.

use super::language::{Control, FrameKind, Language, SymbolSet, SymbolText};
use crate::analysis::Observed;
use crate::diagnostic::{listed, suggestion};
use crate::program::{Action, Call, PointId, Procedure, ProcedureId, Program};
use crate::property::{Atom, PropertyError, find_procedure, resolve_condition};
use crate::rules::{Head, Subject};
use crate::source::{Position, Span};

/// The names of a program.
pub struct ProgramNames<'a> {
    /// Whose names these are.
    pub program: &'a Program,
}

/// How many things a hint lists.
const SHOWN: usize = 5;

impl<'a> ProgramNames<'a> {
    /// The names of a program.
    pub fn new(program: &'a Program) -> Self {
        ProgramNames { program }
    }

    /// All calls: the symbols of frames that wait, in rising order.
    fn calls(&self) -> impl Iterator<Item = (PointId, FrameKind, &'a Call)> {
        let points = self.program.points.iter().zip((0..).map(PointId));
        points.filter_map(|(point, id)| match &point.action {
            Action::Call(call) => Some((id, FrameKind(point.procedure.0), &**call)),
            _ => None,
        })
    }

    /// A control point as it is written.
    pub fn show(&self, point: PointId) -> String {
        let program = self.program;
        let procedure = program.procedure_of(point);
        let name = program.names.text(procedure.name);
        let label = program
            .labels_of(point)
            .find(|label| *label != ENTRY && *label != EXIT);
        if let Some(label) = label {
            return format!("{name}.{label}");
        }
        if point == procedure.exit() {
            return format!("{name}.{EXIT}");
        }
        if point == procedure.entry() {
            return format!("{name}.{ENTRY}");
        }
        let Position { line, column } = program.position_of(point);
        format!("{name}@{line}:{column}")
    }

    fn points(&self, procedure: &Procedure) -> impl Iterator<Item = PointId> + use<> {
        procedure.points.clone().map(PointId)
    }

    fn procedure_name(&self, procedure: ProcedureId) -> &'a str {
        let program = self.program;
        program.names.text(program.procedure(procedure).name)
    }

    /// `p.entry`, `p.exit`, `p.LABEL`.
    fn named_point(&self, id: ProcedureId, name: &str) -> Result<Vec<PointId>, PropertyError> {
        let program = self.program;
        let procedure = program.procedure(id);
        let shown = self.procedure_name(id);
        let mut points: Vec<_> = self
            .points(procedure)
            .filter(|point| program.labels_of(*point).any(|label| label == name))
            .collect();
        match name {
            ENTRY => points.push(procedure.entry()),
            EXIT => points.push(procedure.exit()),
            _ => {}
        }
        points.sort_unstable();
        points.dedup();
        if points.is_empty() {
            let labels = self.points(procedure).flat_map(|p| program.labels_of(p));
            let known: Vec<String> = labels
                .chain([ENTRY, EXIT])
                .map(|label| format!("{shown}.{label}"))
                .collect();
            let written = format!("{shown}.{name}");
            let hint =
                suggestion(&written, known.iter().map(String::as_str)).unwrap_or_else(|| {
                    format!(
                        "there are {}, and `{shown}@LINE:COLUMN`",
                        listed(&known, SHOWN)
                    )
                });
            let message = format!("`{shown}` has no label `{name}`");
            return Err(PropertyError::new(message, Some(hint)));
        }
        if let [first, second, ..] = points.as_slice() {
            let place = |point: PointId| {
                let Position { line, column } = program.position_of(point);
                format!("`{shown}@{line}:{column}`")
            };
            return Err(PropertyError::new(
                format!("`{shown}.{name}` is a label, too"),
                Some(format!("write {} or {}", place(*first), place(*second))),
            ));
        }
        Ok(points)
    }

    /// `p@LINE:COLUMN`, or `p@LINE`.
    fn placed_points(&self, id: ProcedureId, text: &str) -> Result<Vec<PointId>, PropertyError> {
        let program = self.program;
        let procedure = program.procedure(id);
        let shown = self.procedure_name(id);
        let (line, column) = match text.split_once(':') {
            Some((line, column)) => (line, Some(column)),
            None => (text, None),
        };
        let number = |text: &str| text.parse::<u32>().ok();
        let (Some(line), Some(column)) = (
            number(line),
            column.map_or(Some(None), |column| number(column).map(Some)),
        ) else {
            return Err(PropertyError::new(
                format!("`{text}` is no place"),
                Some(format!("a place is written `{shown}@LINE:COLUMN`")),
            ));
        };
        let position = |point: &PointId| program.position_of(*point);
        let on_line: Vec<_> = self
            .points(procedure)
            .filter(|point| position(point).line == line)
            .collect();
        let mut points = on_line.clone();
        points.retain(|point| column.is_none_or(|column| position(point).column == column));
        if !points.is_empty() {
            return Ok(points);
        }
        let places = match on_line.is_empty() {
            false => on_line,
            true => {
                let mut all: Vec<_> = self.points(procedure).collect();
                all.sort_by_key(|point| position(point).line.abs_diff(line));
                all.truncate(1);
                all
            }
        };
        let places = places.iter().map(|point| {
            let Position { line, column } = position(point);
            format!("{shown}@{line}:{column}")
        });
        let places: Vec<String> = places.collect();
        Err(PropertyError::new(
            format!("no statement of `{shown}` begins at {text}"),
            Some(format!("did you mean {}?", listed(&places, SHOWN))),
        ))
    }

    /// The procedure whose frames these are, if it is the same for all.
    fn scope(&self, symbols: &SymbolSet) -> Option<ProcedureId> {
        match symbols {
            SymbolSet::All => None,
            SymbolSet::Of(kind) => Some(ProcedureId(kind.0)),
            SymbolSet::These(symbols) => {
                let first = symbols.first()?;
                Some(self.program.point(PointId(first.0)).procedure)
            }
        }
    }

    fn unknown_procedure(&self, name: &str, whole: &str) -> PropertyError {
        let program = self.program;
        let names = program
            .procedures
            .iter()
            .map(|p| program.names.text(p.name));
        let of_label = program
            .labels
            .iter()
            .find(|(_, label)| program.names.text(*label) == whole);
        let hint = match of_label {
            Some((point, _)) => {
                let procedure = self.procedure_name(program.point(*point).procedure);
                Some(format!(
                    "a label is written with its procedure: `{procedure}.{whole}`"
                ))
            }
            None => suggestion(name, names),
        };
        PropertyError::new(format!("there is no procedure `{name}`"), hint)
    }
}

const ENTRY: &str = "entry";
const EXIT: &str = "exit";

/// Splits a symbol's name behind its procedure, which may be in braces.
fn split(name: &str) -> (&str, &str) {
    let in_braces = name.starts_with('{');
    let end = match in_braces {
        true => name.find('}').map_or(name.len(), |at| at + 1),
        false => name.find(['.', '@']).unwrap_or(name.len()),
    };
    name.split_at(end)
}

fn head(point: PointId) -> Head {
    Head(point.0)
}

impl Language for ProgramNames<'_> {
    fn subject(&self) -> Subject<'_> {
        Subject::Program(self.program)
    }

    fn start(&self) -> String {
        let procedure = self.program.procedure(self.program.entry);
        format!("<{}.entry>", self.program.names.text(procedure.name))
    }

    fn symbols(&self, name: &str) -> Result<SymbolSet, PropertyError> {
        let (procedure_name, rest) = split(name);
        let Some(procedure) = find_procedure(self.program, procedure_name) else {
            return Err(self.unknown_procedure(procedure_name, name));
        };
        let points = match rest.chars().next() {
            None => return Ok(SymbolSet::Of(FrameKind(procedure.0))),
            Some('.') => self.named_point(procedure, &rest[1..])?,
            Some('@') => self.placed_points(procedure, &rest[1..])?,
            Some(_) => {
                let hint =
                    format!("write `{procedure_name}.entry` or `{procedure_name}@LINE:COLUMN`");
                return Err(PropertyError::new(
                    format!("unexpected `{rest}`"),
                    Some(hint),
                ));
            }
        };
        let heads = points.into_iter().map(head);
        Ok(SymbolSet::These(heads.collect()))
    }

    fn control(&self, name: &str) -> Result<Control, PropertyError> {
        match name {
            "error" => Ok(Control::Error),
            "terminated" => Ok(Control::Terminated),
            _ => {
                let hint = match self.symbols(name) {
                    Ok(_) => format!("a stack symbol is written `<{name}>`"),
                    Err(_) => suggestion(name, ["error", "terminated"]).unwrap_or_else(|| {
                        "before a stack nothing is written in a program; without one there are \
                         `error` and `terminated`"
                            .to_owned()
                    }),
                };
                Err(PropertyError::new(
                    format!("there is no control state `{name}`"),
                    Some(hint),
                ))
            }
        }
    }

    fn condition(
        &self,
        symbols: Option<&SymbolSet>,
        on_top: bool,
        text: &str,
    ) -> Result<Atom, (Span, PropertyError)> {
        let program = self.program;
        let scope = symbols.and_then(|symbols| self.scope(symbols));
        let atom = resolve_condition(program, scope, text)?;
        let wrong = |message: String, hint: String| {
            Err((
                Span::new(0, text.len() as u32),
                PropertyError::new(message, Some(hint)),
            ))
        };
        for observed in atom.observes() {
            match observed {
                Observed::Global(index) if !on_top => {
                    let name = program.names.text(program.globals[index as usize].name);
                    return wrong(
                        format!("`{name}` is global, and no part of a frame that waits"),
                        "conditions on globals belong to the symbol on top".into(),
                    );
                }
                Observed::Local(of, index) => {
                    let local = program.procedure(of).locals[index as usize].name;
                    let (of, local) = (self.procedure_name(of), program.names.text(local));
                    if symbols.is_none() {
                        return wrong(
                            format!("there is no frame left, and no `{of}.{local}`"),
                            "only globals have values here".into(),
                        );
                    }
                    if let Some(scope) = scope.map(|scope| self.procedure_name(scope))
                        && scope != of
                    {
                        return wrong(
                            format!("`{of}.{local}` is no variable of a frame of `{scope}`"),
                            format!("put the condition on the frame of `{of}`"),
                        );
                    }
                }
                Observed::Global(_) => {}
            }
        }
        Ok(atom)
    }

    fn may_be_empty(&self) -> Result<(), PropertyError> {
        Err(PropertyError::new(
            "a configuration has a symbol on top, and this stack can be empty",
            Some(
                "`<main.entry> *` is any stack below `<main.entry>`; a program whose lowest \
                  frame has returned is `terminated`"
                    .into(),
            ),
        ))
    }

    fn may_wait(&self, symbols: &SymbolSet) -> Result<(), PropertyError> {
        let waits = |(call, kind, _)| symbols.contains(head(call), kind);
        if self.calls().any(waits) {
            return Ok(());
        }
        let Some(scope) = self.scope(symbols) else {
            return Err(PropertyError::new(
                "nothing is called in this program",
                None,
            ));
        };
        let name = self.procedure_name(scope);
        let calls = self.calls().filter(|(_, kind, _)| kind.0 == scope.0);
        let calls: Vec<_> = calls.map(|(call, ..)| self.show(call)).collect();
        let hint = match calls.is_empty() {
            true => format!("there are no calls in `{name}`"),
            false => format!("the calls of `{name}` are {}", listed(&calls, SHOWN)),
        };
        let message = match symbols {
            SymbolSet::These(symbols) if !symbols.is_empty() => {
                let shown = self.show(PointId(symbols[0].0));
                format!("a frame below the top waits at its call, and `{shown}` is no call")
            }
            _ => "a frame below the top waits at its call".to_owned(),
        };
        Err(PropertyError::new(message, Some(hint)))
    }

    fn never_above(&self, above: &SymbolSet, below: &SymbolSet) -> String {
        let above = self.scope(above).map(|scope| self.procedure_name(scope));
        let mut calls = self.calls();
        let call = calls.find(|(call, kind, _)| below.contains(head(*call), *kind));
        match (above, call) {
            (Some(above), Some((point, _, call))) => {
                let callee = self.procedure_name(call.callee);
                let call = self.show(point);
                format!("`{call}` calls `{callee}`: no frame of `{above}` can be right above it")
            }
            _ => "no frame can be right above one that does not call it".to_owned(),
        }
    }

    fn show_symbol(&self, symbol: Head) -> SymbolText {
        let program = self.program;
        let point = PointId(symbol.0);
        let Position { line, column } = program.position_of(point);
        SymbolText {
            name: self.show(point),
            procedure: self
                .procedure_name(program.point(point).procedure)
                .to_owned(),
            line,
            column,
            labels: program.labels_of(point).map(str::to_owned).collect(),
        }
    }
}
