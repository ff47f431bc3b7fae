//! The variables of a system: their domains, and the cells of arrays.

use super::terms::Relations;
use crate::diagnostic::Diagnostic;
use crate::lower::expression::Evaluator;
use crate::lower::layout::{Dimension, Layout, VariableLayout, cells};
use crate::names::{Name, Names};
use crate::program::{Cell, Declaration, Domain};
use crate::source::Span;
use crate::syntax::pds::Tree;
use crate::syntax::pds::tree;
use rustc_hash::FxHashMap;

/// More cells than this, of the globals or of one group of locals, are refused.
const MOST_CELLS: u32 = 1 << 16;

const WIDEST: i128 = 64;

pub struct Declarations<'d, 't> {
    pub tree: &'t Tree,
    pub names: &'d mut Names,
    pub machine: &'d mut Evaluator<Relations<'t>>,
}

impl Declarations<'_, '_> {
    /// The variables of one row of declarations: their cells, and how they are declared.
    pub fn row(&mut self, list: &[tree::Declaration]) -> (Vec<Cell>, Vec<Declaration>) {
        let mut variables: Vec<VariableLayout> = Vec::new();
        let mut first = 0;
        let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
        for declared in list {
            let name = declared.identifier.name;
            let span = self.tree.span(declared.identifier);
            if let Some(first) = seen.insert(name, span) {
                let text = self.tree.text(declared.identifier);
                let diagnostic = Diagnostic::error(span, format!("`{text}` is declared twice"));
                self.report(diagnostic.with_related(first, "first declared here"));
                continue;
            }
            if self.machine.language.scope.constant(name).is_some() {
                self.report_constant(declared, span);
            }
            let domain = self.domain(declared);
            let dimension = self.dimension(declared.dimension);
            let (Some(domain), Some(dimension)) = (domain, dimension) else {
                continue;
            };
            let layout = Layout::of_scalars(domain, dimension.as_slice());
            let count = layout.domains.len() as u32;
            if first + count > MOST_CELLS {
                let message = format!("these are more than {MOST_CELLS} values");
                self.report(Diagnostic::error(span, message));
                continue;
            }
            variables.push(VariableLayout {
                name,
                layout,
                first,
                broken: false,
            });
            first += count;
        }
        cells(self.names, &variables)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.machine.collector.report(diagnostic);
    }

    fn report_constant(&mut self, declared: &tree::Declaration, span: Span) {
        let text = self.tree.text(declared.identifier);
        let diagnostic = Diagnostic::error(span, format!("`{text}` is a defined name already"));
        let mut defines = self.tree.defines.iter();
        let define = defines.find(|define| define.identifier.name == declared.identifier.name);
        let diagnostic = match define {
            Some(define) => diagnostic.with_related(self.tree.span(define.identifier), "here"),
            None => diagnostic.with_hint(match self.machine.language.scope.define {
                "" => "it was given a value from outside".to_owned(),
                option => format!("`{option}{text}` defines it"),
            }),
        };
        self.report(diagnostic);
    }

    fn domain(&mut self, declared: &tree::Declaration) -> Option<Domain> {
        let Some(expression) = declared.bits else {
            return Some(Domain::Boolean);
        };
        let bits = self.machine.constant(expression)?;
        if !(1..=WIDEST).contains(&bits) {
            let span = self.tree.span_of(expression);
            let message = format!("a number has from 1 to {WIDEST} bits, and not {bits}");
            self.report(Diagnostic::error(span, message));
            return None;
        }
        Some(Domain::Integer { bits: bits as u8 })
    }

    /// The indices of an array; none for what is no array.
    fn dimension(&mut self, dimension: tree::Dimension) -> Option<Option<Dimension>> {
        let (low, high, span) = match dimension {
            tree::Dimension::None => return Some(None),
            tree::Dimension::Length(length) => (
                0,
                self.machine.constant(length)? - 1,
                self.tree.span_of(length),
            ),
            tree::Dimension::Range(low, high) => {
                let span = self.tree.span_of(low).to(self.tree.span_of(high));
                (
                    self.machine.constant(low)?,
                    self.machine.constant(high)?,
                    span,
                )
            }
        };
        let length = high - low + 1;
        let message = match length {
            ..1 => format!("an array has at least one element: this one goes from {low} to {high}"),
            length if length > MOST_CELLS.into() => {
                format!("an array has at most {MOST_CELLS} elements, and not {length}")
            }
            length => match (i64::try_from(low), i64::try_from(high)) {
                (Ok(low), Ok(_)) => {
                    let length = length as u32;
                    return Some(Some(Dimension { low, length }));
                }
                _ => "these indices are too large".to_owned(),
            },
        };
        self.report(Diagnostic::error(span, message));
        None
    }
}
