//! Types: what a declaration says of the cells of a variable.

use super::Lowering;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::lower::layout::{Dimension, FieldType, Layout, VariableLayout};
use crate::program::Domain;
use crate::source::Span;
use crate::syntax::remopla::tree::{BaseType, Identifier, List, Type, TypeName, Variable, shorten};

/// More cells than this are not made: no engine could keep them.
const MOST_CELLS: u64 = 1 << 20;

/// A type, without its dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Scalar(Domain),
    Struct(u32),
}

impl Lowering<'_> {
    pub fn declare_structs(&mut self) {
        let tree = self.tree;
        for (index, declared) in tree.structs.iter().enumerate() {
            if let Some(identifier) = declared.identifier
                && let Err(first) = self.scope().structs.insert(identifier.name, index as u32)
                && let Some(first) = tree.structs[first as usize].identifier
            {
                self.report_twice("struct", identifier, first);
            }
            let fields = self.fields(declared.fields);
            self.structs.push(fields);
        }
    }

    /// The fields of a struct, if none has a mistake.
    fn fields(&mut self, list: List) -> Option<Vec<FieldType>> {
        let variables = &self.tree.fields[list.indices()];
        let mut fields = Vec::with_capacity(variables.len());
        let mut sound = true;
        self.scope().fields.clear();
        for (index, variable) in variables.iter().enumerate() {
            let name = variable.identifier.name;
            if let Err(first) = self.scope().fields.insert(name, index as u32) {
                let first = variables[first as usize].identifier;
                self.report_twice("field", variable.identifier, first);
            }
            let base = self.base(&variable.of);
            let dimensions = self.dimensions(variable.of.dimensions);
            match (base, dimensions) {
                (Some(Base::Scalar(domain)), Some(dimensions)) => fields.push(FieldType {
                    name,
                    domain,
                    dimensions,
                }),
                _ => sound = false,
            }
        }
        // One without fields has been reported by the parser.
        (sound && !fields.is_empty()).then_some(fields)
    }

    /// The cells of a type; nothing if it has a mistake, which is reported.
    pub fn layout(&mut self, of: &Type) -> Option<Layout> {
        let base = self.base(of);
        let dimensions = self.dimensions(of.dimensions)?;
        let entries = dimensions.iter().map(|d| u64::from(d.length));
        let entries = entries.fold(1, u64::saturating_mul);
        let cells = match base? {
            Base::Scalar(_) => 1,
            Base::Struct(index) => {
                let fields = self.structs[index as usize].as_ref()?.iter();
                let cells = fields.map(|field| {
                    let lengths = field.dimensions.iter().map(|d| u64::from(d.length));
                    lengths.fold(1, u64::saturating_mul)
                });
                cells.fold(0, u64::saturating_add)
            }
        };
        let cells = entries.saturating_mul(cells);
        if cells.saturating_add(self.cells) > MOST_CELLS {
            let message = format!(
                "with this the program has more than {MOST_CELLS} variables and array entries"
            );
            self.report(Diagnostic::error(of.span, message));
            return None;
        }
        self.cells += cells;
        Some(match base? {
            Base::Scalar(domain) => Layout::of_scalars(domain, &dimensions),
            Base::Struct(index) => {
                let fields = self.structs[index as usize].as_ref()?;
                Layout::of_structs(fields, &dimensions)
            }
        })
    }

    fn base(&mut self, of: &Type) -> Option<Base> {
        if let Some(bits) = of.bits
            && of.base != BaseType::Int
        {
            let span = self.tree.expression_span(bits);
            self.report(Diagnostic::error(
                span,
                "only an `int` has a number of bits",
            ));
        }
        match of.base {
            BaseType::Bool => Some(Base::Scalar(Domain::Boolean)),
            BaseType::Int => {
                let bits = match of.bits {
                    Some(bits) => {
                        let number = self.constant_number(bits)?;
                        self.bits_from(number, self.tree.expression_span(bits))?
                    }
                    None => self.default_bits,
                };
                Some(Base::Scalar(Domain::Integer { bits }))
            }
            BaseType::Enum(name) => {
                let id = match name {
                    TypeName::Declared(index) => index,
                    TypeName::Named(identifier) => {
                        let found = self.scope().enumerations.get(identifier.name);
                        found.or_else(|| self.unknown_type(false, identifier))?
                    }
                };
                let size = self.enumerations.get(id as usize)?.names.len() as u32;
                Some(Base::Scalar(Domain::Enumeration { id, size }))
            }
            BaseType::Struct(name) => match name {
                TypeName::Declared(index) => Some(Base::Struct(index)),
                TypeName::Named(identifier) => {
                    let found = self.scope().structs.get(identifier.name);
                    let found = found.or_else(|| self.unknown_type(true, identifier));
                    found.map(Base::Struct)
                }
            },
            BaseType::Void | BaseType::Unreadable => None,
        }
    }

    /// Reports an unknown type. Never anything.
    #[cold]
    fn unknown_type(&mut self, is_struct: bool, identifier: Identifier) -> Option<u32> {
        let tree = self.tree;
        if tree.lost_globals {
            return None;
        }
        let (what, other, names): (_, _, Vec<_>) = match is_struct {
            true => {
                let other = self.scope().enumerations.get(identifier.name);
                let names = tree.structs.iter().filter_map(|s| s.identifier);
                ("struct", other.map(|_| "enum"), names.collect())
            }
            false => {
                let other = self.scope().structs.get(identifier.name);
                let names = tree.enumerations.iter().filter_map(|e| e.identifier);
                ("enumeration", other.map(|_| "struct"), names.collect())
            }
        };
        let text = tree.shown(identifier.name);
        let message = format!("unknown {what} `{text}`");
        let mut diagnostic = Diagnostic::error(tree.span(identifier), message);
        let known = names.iter().map(|name| tree.names.text(name.name));
        let wanted = tree.names.text(identifier.name);
        if let Some(word) = other {
            diagnostic = diagnostic.with_hint(format!("write `{word} {text}`"));
        } else if let Some(near) = self.scope().unknown.nearest(wanted, known) {
            diagnostic = diagnostic.with_hint(did_you_mean(shorten(near)));
        }
        self.report(diagnostic);
        None
    }

    fn dimensions(&mut self, list: List) -> Option<Vec<Dimension>> {
        let tree = self.tree;
        let dimensions = tree.dimensions[list.indices()].iter();
        let dimensions: Vec<_> = dimensions
            .map(|dimension| {
                let low = match dimension.low {
                    Some(low) => self.constant_number(low),
                    None => Some(0),
                };
                let high = self.constant_number(dimension.high);
                let (low, high) = low.zip(high)?;
                let high = match dimension.low {
                    Some(_) => high,
                    None => high - 1,
                };
                self.dimension(low, high, dimension.low.is_some(), dimension.span)
            })
            .collect();
        dimensions.into_iter().collect()
    }

    /// The indices from `low` to `high`.
    fn dimension(&mut self, low: i128, high: i128, both: bool, span: Span) -> Option<Dimension> {
        let message = match both {
            false if high < 0 => format!("an array has at least one entry, not {}", high + 1),
            true if low < 0 => format!("the index {low} is negative"),
            true if high < low => format!("there is no index from {low} to {high}"),
            true if i64::try_from(high).is_err() => format!("the index {high} is too large"),
            _ => {
                let length = u32::try_from(high - low + 1).ok();
                let length = length.filter(|length| u64::from(*length) <= MOST_CELLS);
                if let (Ok(low), Some(length)) = (i64::try_from(low), length) {
                    return Some(Dimension { low, length });
                }
                format!("an array has at most {MOST_CELLS} entries")
            }
        };
        self.report(Diagnostic::error(span, message));
        None
    }

    /// A variable whose cells come after `first` others.
    pub fn lay_out(&mut self, variable: &Variable, first: u32) -> VariableLayout {
        let layout = self.layout(&variable.of);
        let broken = layout.is_none();
        VariableLayout {
            name: variable.identifier.name,
            layout: layout.unwrap_or_else(Layout::stand_in),
            first,
            broken,
        }
    }

    pub fn declare_globals(&mut self) {
        let tree = self.tree;
        for (index, global) in tree.globals.iter().enumerate() {
            let name = global.identifier.name;
            self.check_no_constant(global.identifier, "global variable");
            if let Err(first) = self.scope().globals.insert(name, index as u32) {
                let first = tree.globals[first as usize].identifier;
                self.report_twice("global variable", global.identifier, first);
            }
            let cells = self.scope().global_domains.len() as u32;
            let laid = self.lay_out(global, cells);
            let scope = self.scope();
            scope.global_domains.extend(&laid.layout.domains);
            scope.global_variables.push(laid);
        }
    }

    /// A variable cannot have the name of a constant.
    pub fn check_no_constant(&mut self, identifier: Identifier, what: &str) {
        if let Some(constant) = self.scope().constant(identifier.name) {
            let text = self.tree.shown(identifier.name);
            let message = format!("the {what} `{text}` has the name of a constant");
            let place = self.tree.span(constant.identifier);
            self.report(
                Diagnostic::error(self.tree.span(identifier), message)
                    .with_related(place, "the constant is here"),
            );
        }
    }
}
