//! Where a step of a trace is, and what can be seen there.
//!
//! A program is at a statement of a procedure; a pushdown system is in a control state, with
//! a symbol on top, and about to take a rule.

use super::failure::explain;
use super::harmless::{harmless, one_line};
use super::steps::StepKind;
use super::values::{Variables, Words};
use crate::program::{Cell, Declaration, Language, PointId, ProcedureId, Program};
use crate::pushdown::step::state_of;
use crate::pushdown::{GroupId, RuleId, SymbolId, System};
use crate::rules::Subject;
use crate::source::Position;
use crate::trace::{Fold, Location, Step, Trace};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

const LONGEST_TEXT: usize = 60;

/// A place, as scripts see it.
pub struct Place<'a> {
    /// The procedure, or the control state.
    pub procedure: &'a str,
    pub kind: StepKind,
    /// Of several files, the one that it is in.
    pub file: Option<&'a str>,
    /// Of the first and the last character of the statement, or of the rule that is taken next.
    pub range: Option<[Position; 2]>,
    /// The labels, or the symbol on top.
    pub labels: Vec<&'a str>,
    pub text: Cow<'a, str>,
}

/// The locals that a frame has.
struct Locals<'a> {
    cells: &'a [Cell],
    declarations: &'a [Declaration],
}

/// The symbol on top, if there is one.
fn symbol_of(step: &Step) -> Option<SymbolId> {
    step.at().map(SymbolId)
}

fn state_name<'a>(system: &'a System, step: &Step) -> &'a str {
    let state = state_of(step.valuation.globals());
    let state = system.states.get(state);
    state.map_or("", |state| system.names.text(*state))
}

pub fn place<'a>(subject: Subject<'a>, step: &Step) -> Place<'a> {
    match subject {
        Subject::Program(program) => match step.at().map(PointId) {
            Some(point) => {
                let procedure = program.procedure_of(point);
                Place {
                    procedure: program.names.text(procedure.name),
                    kind: match point == procedure.exit() {
                        true => StepKind::Exit,
                        false if is_event(program, point) => StepKind::Event,
                        false => StepKind::Statement,
                    },
                    file: match program.language {
                        Language::C => {
                            let start = program.point(point).span.start;
                            Some(program.source.file_of(start))
                        }
                        Language::BooleanProgram | Language::Remopla => None,
                    },
                    range: Some(program.source.ends(program.point(point).span)),
                    labels: program.labels_of(point).collect(),
                    text: program.text_of(point),
                }
            }
            None => Place {
                procedure: "",
                kind: match step.location {
                    Location::Error => StepKind::Error,
                    _ => StepKind::Terminated,
                },
                file: match program.language {
                    Language::C => Some(program.source.name()),
                    Language::BooleanProgram | Language::Remopla => None,
                },
                range: None,
                labels: Vec::new(),
                text: "".into(),
            },
        },
        Subject::System(system) => {
            let rule = step.rule.map(RuleId);
            let symbol = symbol_of(step).map(|symbol| system.symbol_name(symbol));
            Place {
                procedure: state_name(system, step),
                kind: StepKind::Statement,
                file: None,
                range: rule.map(|rule| system.source.ends(system.rule(rule).span)),
                labels: symbol.into_iter().collect(),
                text: rule.map_or("".into(), |rule| system.text_of(rule)),
            }
        }
    }
}

fn is_event(program: &Program, point: PointId) -> bool {
    let rule = program.rule.as_ref();
    rule.is_some_and(|rule| rule.events.binary_search(&point).is_ok())
}

/// The line of the statement, or of the rule that is taken next; 0 if there is none.
/// `known` has the lines that were asked for before.
pub fn line(subject: Subject<'_>, step: &Step, known: &mut FxHashMap<u32, u32>) -> u32 {
    let number = match subject {
        Subject::Program(_) => step.at(),
        Subject::System(_) => step.rule,
    };
    let Some(number) = number else {
        return 0;
    };
    *known.entry(number).or_insert_with(|| match subject {
        Subject::Program(program) => program.position_of(PointId(number)).line,
        Subject::System(system) => system.position_of(RuleId(number)).line,
    })
}

/// A place, as people see it.
pub fn text(subject: Subject<'_>, trace: &Trace, step: &Step) -> String {
    let mut text = match subject {
        Subject::Program(program) => {
            let point = match step.location {
                Location::At(point) => PointId(point),
                Location::Terminated | Location::Left => return "terminated".to_owned(),
                Location::Error => {
                    let reason = trace.failure.as_ref().map(|f| explain(program, f));
                    return format!("error: {}", reason.unwrap_or_default());
                }
            };
            let labels = program.labels_of(point).map(|label| format!("{label}: "));
            shortened(labels.collect(), &program.text_of(point))
        }
        Subject::System(system) => {
            let symbol = symbol_of(step).map_or("", |symbol| system.symbol_name(symbol));
            let rule = step.rule.map(|rule| system.text_of(RuleId(rule)));
            let rule = rule.filter(|rule| !rule.is_empty());
            let words = rule.map_or(String::new(), |rule| format!("  {}", one_line(&rule)));
            let state = state_name(system, step);
            format!("{state} <{symbol}>{words}")
        }
    };
    if let Some(Fold::Call(_)) = step.folded {
        text.push_str("  (folded)");
    }
    harmless(&text)
}

/// Text behind what stands before it, on one line that is not too long.
fn shortened(mut text: String, source: &str) -> String {
    for word in source.split_whitespace() {
        if !text.is_empty() && !text.ends_with(' ') {
            text.push(' ');
        }
        text.push_str(word);
        if text.len() > LONGEST_TEXT {
            break;
        }
    }
    if text.chars().count() > LONGEST_TEXT {
        text = text.chars().take(LONGEST_TEXT - 3).collect();
        text.push_str("...");
    }
    text
}

/// What stays below a frame that was pushed at this step: a procedure, or a symbol.
pub fn left_below<'a>(subject: Subject<'a>, step: &Step) -> Option<&'a str> {
    match subject {
        Subject::Program(program) => {
            let procedure = program.procedure_of(PointId(step.at()?));
            Some(program.names.text(procedure.name))
        }
        Subject::System(system) => {
            let second = system.rule(RuleId(step.rule?)).right.second()?;
            Some(system.symbol_name(second))
        }
    }
}

/// The kind of frame on top: a procedure, or a group of symbols.
pub fn frame_kind(subject: Subject<'_>, step: &Step) -> Option<u32> {
    Some(match subject {
        Subject::Program(program) => program.point(PointId(step.at()?)).procedure.0,
        Subject::System(system) => system.symbol(symbol_of(step)?).group.0,
    })
}

fn locals<'a>(subject: Subject<'a>, step: &Step) -> Option<Locals<'a>> {
    let kind = frame_kind(subject, step)?;
    Some(match subject {
        Subject::Program(program) => Locals {
            cells: program.shown_locals(ProcedureId(kind)),
            declarations: &program.procedure(ProcedureId(kind)).declarations,
        },
        Subject::System(system) => Locals {
            cells: system.locals(GroupId(kind)),
            declarations: &system.groups[GroupId(kind)].declarations,
        },
    })
}

/// The globals, and the locals of the frame on top, with their values.
pub fn in_scope<'a>(subject: Subject<'a>, step: &'a Step) -> [Variables<'a>; 2] {
    let (cells, declarations) = match subject {
        Subject::Program(program) => (program.shown_globals(), &program.declarations[..]),
        Subject::System(system) => (system.declared_globals(), &system.declarations[..]),
    };
    let globals = Variables {
        words: Words::of(subject),
        cells,
        declarations,
        values: step.valuation.globals(),
    };
    let locals = locals(subject, step);
    let locals = Variables {
        cells: locals.as_ref().map_or(&[], |locals| locals.cells),
        declarations: locals.as_ref().map_or(&[], |locals| locals.declarations),
        values: step.valuation.locals(),
        ..globals
    };
    [globals, locals]
}

/// The declared globals that are no state of a rule.
pub fn without_state<'a>(subject: Subject<'a>, globals: Variables<'a>) -> Variables<'a> {
    let count = state_count(subject).unwrap_or(0);
    Variables {
        declarations: &globals.declarations[..globals.declarations.len() - count],
        // Without declarations each cell would be a variable.
        cells: match globals.declarations.len() == count && count > 0 {
            true => &[],
            false => globals.cells,
        },
        ..globals
    }
}

/// Those that are, if a rule is woven into the program.
pub fn state_of_rule<'a>(subject: Subject<'a>, globals: Variables<'a>) -> Option<Variables<'a>> {
    let count = state_count(subject)?;
    Some(Variables {
        declarations: &globals.declarations[globals.declarations.len() - count..],
        cells: match count {
            0 => &[],
            _ => globals.cells,
        },
        ..globals
    })
}

fn state_count(subject: Subject<'_>) -> Option<usize> {
    match subject {
        Subject::Program(program) => program.rule.as_ref().map(|rule| rule.state),
        Subject::System(_) => None,
    }
}
