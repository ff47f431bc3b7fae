//! Places: which cells `a[i].f[j]` stands for.
//!
//! Indices that are constants lead to a cell at once; for the others there are operations that
//! compute how many cells further on the place lies, and that have no value if an index lies
//! outside its array.

use super::terms::{Environment, Meaning, Remopla, whole};
use crate::diagnostic::{Diagnostic, did_you_mean, nearest};
use crate::lower::expression::{Evaluator, Kind, Value};
use crate::program::{Domain, Interval, Moment, Operation, Shape, VariableId};
use crate::source::Span;
use crate::syntax::remopla::tree::{Identifier, Part, Place, shorten};

/// The operations of an index are moved behind those of the indices inside it; what that may
/// cost in one statement.
const MOST_MOVED: usize = 1 << 26;

/// Where a place lies.
#[derive(Clone, Debug)]
pub struct Location {
    /// The cell, or the first one if its indices are not known.
    pub first: VariableId,
    pub shape: Shape,
    /// The indices that are not known.
    pub indices: Vec<Index>,
    pub may_fail: bool,
    pub span: Span,
}

/// An index of a place that is known only when the program runs.
#[derive(Clone, Debug)]
pub struct Index {
    /// Its value, counted from the smallest index.
    operations: Box<[Operation]>,
    /// How many there are.
    length: u32,
    /// How many cells lie between one entry and the next.
    stride: u32,
    /// It may lie outside.
    unchecked: bool,
}

impl Location {
    /// How many cells from `first` on the indices may lead to.
    pub fn count(&self) -> u32 {
        let steps = self.indices.iter();
        1 + steps.map(|i| (i.length - 1) * i.stride).sum::<u32>()
    }

    /// The operations that compute how many cells from `first` on it lies.
    pub fn offset(&self) -> impl Iterator<Item = Operation> + '_ {
        // The bounds of a single row of cells are checked where it is read or set.
        let alone = matches!(self.indices.as_slice(), [index] if index.stride == 1);
        let terms = self.indices.iter().enumerate();
        terms.flat_map(move |(place, index)| {
            let count = index.length;
            let check = (index.unchecked && !alone).then_some(Operation::Index { count });
            let stride = Operation::Number(u64::from(index.stride));
            let scale = (index.stride != 1).then_some([stride, Operation::Multiply]);
            let add = (place > 0).then_some(Operation::Add);
            let operations = index.operations.iter().copied();
            operations
                .chain(check)
                .chain(scale.into_iter().flatten())
                .chain(add)
        })
    }

    /// The operations that read the cell `further` cells on.
    pub fn read(&self, further: u32) -> impl Iterator<Item = Operation> + '_ {
        let first = self.first.plus(further);
        let read = match self.indices.is_empty() {
            true => Operation::Read(first),
            false => Operation::ReadElement {
                first,
                count: self.count(),
                when: Moment::Before,
            },
        };
        self.offset().chain([read])
    }
}

/// What a place turned out to be.
enum Found {
    Constant(i128),
    Location(Location),
}

impl<E: Environment> Evaluator<Remopla<'_, E>> {
    /// The value of a place, whose indices are on the stack.
    pub fn read(&mut self, place: u32, index: usize) {
        let place = self.language.tree.places[place as usize];
        let values = self.take_indices(place);
        let (start, term) = match values.first() {
            Some(value) => (value.operations, value.term),
            None => (self.operations.len(), index),
        };
        let found = self.find(place, &values, index);
        self.operations.truncate(start);
        match found {
            None => self.unknown(place.span, term),
            Some(Found::Constant(number)) => self.push_number(number, place.span, term),
            Some(Found::Location(location)) if location.shape == Shape::Scalar => {
                self.operations.extend(location.read(0));
                let absent = self.language.environment.may_be_absent(location.first);
                let (kind, may_fail) = match self.language.environment.domain(location.first) {
                    Domain::Boolean => (Kind::Truth(None), self.settle(location.may_fail)),
                    domain => {
                        let interval = Interval::of(domain);
                        (Kind::Number(interval), location.may_fail || absent)
                    }
                };
                self.push(kind, may_fail, place.span, start, term);
            }
            Some(Found::Location(location)) => {
                // Never run: a whole array or struct is taken cell by cell.
                self.operations.push(Operation::Constant(false));
                self.push(Kind::Whole, location.may_fail, place.span, start, term);
                self.language.whole = Some(location);
            }
        }
    }

    /// The location of a place that is assigned to, whose indices are on the stack.
    pub fn target(&mut self, place: u32, index: usize) -> Option<Location> {
        let place = self.language.tree.places[place as usize];
        let values = self.take_indices(place);
        match self.find(place, &values, index)? {
            Found::Location(location) => Some(location),
            Found::Constant(_) => {
                let message = "a constant cannot be assigned to";
                self.complain(Diagnostic::error(place.span, message));
                None
            }
        }
    }

    fn take_indices(&mut self, place: Place) -> Vec<Value> {
        let parts = self.language.tree.parts(place);
        let count: usize = parts.iter().map(|part| part.indices as usize).sum();
        let rest = self.stack.len().saturating_sub(count);
        self.stack.split_off(rest)
    }

    fn find(&mut self, place: Place, values: &[Value], index: usize) -> Option<Found> {
        let parts = self.language.tree.parts(place);
        let name = parts.first()?.identifier;
        let bound = self.bound_value(name.name, index).map(Meaning::Constant);
        let meaning = bound.or_else(|| self.language.environment.find(self.language.tree, parts));
        if self.has_ended(name.name) && !self.bound.contains_key(&name.name) {
            self.report_ended(name, meaning.is_some());
            meaning.as_ref()?;
        }
        match meaning {
            None => {
                self.language
                    .environment
                    .note_unknown(self.language.tree, parts);
                None
            }
            Some(Meaning::Broken) => None,
            Some(Meaning::Constant(number)) if values.is_empty() && parts.len() == 1 => {
                Some(Found::Constant(number))
            }
            Some(Meaning::Constant(_)) => {
                let text = self.language.tree.shown(name.name);
                let message = format!("`{text}` is a constant: it has no entries and no fields");
                self.complain(Diagnostic::error(place.span, message));
                None
            }
            Some(Meaning::Variable {
                first,
                shape,
                parts: named,
            }) => {
                let parts = &parts[named.saturating_sub(1)..];
                let location = self.walk(place, parts, first, &shape, values);
                location.map(Found::Location)
            }
        }
    }

    /// Goes through the indices and fields of a place. The first part is the variable.
    fn walk(
        &mut self,
        place: Place,
        parts: &[Part],
        first: VariableId,
        shape: &Shape,
        values: &[Value],
    ) -> Option<Location> {
        let mut location = Location {
            first,
            shape: Shape::Scalar,
            indices: Vec::new(),
            may_fail: false,
            span: place.span,
        };
        let mut shape = shape;
        let mut used = 0;
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                shape = self.field(part, &parts[number - 1], shape, &mut location)?;
            }
            for taken in 0..part.indices {
                let Shape::Array { element, .. } = shape else {
                    self.report_dimensions(place, part, taken);
                    return None;
                };
                let end = values.get(used + 1).map(|next| next.operations);
                let end = end.unwrap_or(self.operations.len());
                self.index(*values.get(used)?, end, shape, &mut location)?;
                used += 1;
                shape = element;
            }
            if part.indices > 0 && matches!(shape, Shape::Array { .. }) {
                let text = self.language.tree.shown(part.identifier.name);
                let message = format!("`{text}` has two dimensions, but this has one index");
                let hint = "give both indices, or none for the whole array";
                self.complain(Diagnostic::error(place.span, message).with_hint(hint));
                return None;
            }
        }
        location.shape = shape.clone();
        Some(location)
    }

    fn field<'s>(
        &mut self,
        part: &Part,
        before: &Part,
        shape: &'s Shape,
        location: &mut Location,
    ) -> Option<&'s Shape> {
        let whole = self.language.tree.shown(before.identifier.name);
        let span = self.language.tree.span(part.identifier);
        let text = self.language.tree.names.text(part.identifier.name);
        match shape {
            Shape::Struct { fields } => {
                let found = fields
                    .iter()
                    .find(|field| self.language.environment.is_named(field.name, text));
                if let Some(field) = found {
                    location.first = location.first.plus(field.offset);
                    return Some(&field.shape);
                }
                let message = format!("`{whole}` has no field `{}`", shorten(text));
                let known: Vec<_> = fields
                    .iter()
                    .map(|field| self.language.environment.text(field.name).to_owned())
                    .collect();
                let hint = match nearest(text, known.iter().map(String::as_str)) {
                    Some(near) => did_you_mean(shorten(near)),
                    None => format!("its fields are {}", list(&known)),
                };
                self.complain(Diagnostic::error(span, message).with_hint(hint));
            }
            Shape::Array { .. } => {
                let message = format!("`{whole}` is an array: it has no fields");
                let mut diagnostic = Diagnostic::error(span, message);
                let mut element = shape;
                let mut indices = String::new();
                while let Shape::Array { element: next, .. } = element {
                    element = next;
                    indices.push_str("[i]");
                }
                if matches!(element, Shape::Struct { .. }) {
                    let hint = format!("give an index: `{whole}{indices}.{}`", shorten(text));
                    diagnostic = diagnostic.with_hint(hint);
                }
                self.complain(diagnostic);
            }
            Shape::Scalar => {
                let message = format!("`{whole}` is no struct: it has no fields");
                self.complain(Diagnostic::error(span, message));
            }
        }
        None
    }

    /// One index, whose operations end at `end`, of an array.
    fn index(
        &mut self,
        value: Value,
        end: usize,
        array: &Shape,
        location: &mut Location,
    ) -> Option<()> {
        let Shape::Array {
            low,
            length,
            stride,
            ..
        } = *array
        else {
            return None;
        };
        let interval = match value.kind {
            Kind::Number(interval) => interval,
            Kind::Unknown => return None,
            Kind::Truth(_) => {
                let message = "an index is a number, but this is a truth value";
                self.complain(Diagnostic::error(value.span, message));
                return None;
            }
            Kind::Whole => {
                self.complain(whole(value.span, "used as an index"));
                return None;
            }
        };
        let low = i128::from(low);
        let high = low + i128::from(length) - 1;
        let inside = interval.within(low, high);
        if let Some(number) = value.constant()
            && inside
        {
            let further = (number - low) as u32 * stride;
            location.first = location.first.plus(further);
            return Some(());
        }
        if interval.misses(Interval { low, high }) {
            let which = match value.constant() {
                Some(number) => format!("the index {number}"),
                None => "this index".into(),
            };
            let message = format!(
                "{which} always lies outside the array, whose indices go from {low} to {high}"
            );
            self.complain(Diagnostic::warning(value.span, message));
        }
        self.language.moved += end - value.operations;
        if self.language.moved > MOST_MOVED {
            self.complain(Diagnostic::error(
                value.span,
                "indices are nested too deep here",
            ));
            return None;
        }
        let mut operations = self.operations[value.operations..end].to_vec();
        if low != 0 {
            operations.extend([Operation::Number(low as u64), Operation::Subtract]);
        }
        location.may_fail |= value.may_fail || !inside;
        location.indices.push(Index {
            operations: operations.into(),
            length,
            stride,
            unchecked: !inside,
        });
        Some(())
    }

    #[cold]
    fn report_dimensions(&mut self, place: Place, part: &Part, dimensions: u32) {
        let text = self.language.tree.shown(part.identifier.name);
        let message = match (dimensions, part.indices) {
            (0, _) => format!("`{text}` is no array: it has no entries"),
            (1, _) => format!(
                "`{text}` has one dimension, but this has {} indices",
                part.indices
            ),
            _ => format!(
                "`{text}` has two dimensions, but this has {} indices",
                part.indices
            ),
        };
        self.complain(Diagnostic::error(place.span, message));
    }

    /// The variable of a quantifier that has ended is named again.
    #[cold]
    fn report_ended(&mut self, name: Identifier, known: bool) {
        let text = self.language.tree.shown(name.name);
        let span = self.language.tree.span(name);
        let hint = "parentheses around its condition make the quantifier reach further";
        self.complain(match known {
            true => Diagnostic::warning(
                span,
                format!("the quantifier does not reach here: this is another `{text}`"),
            )
            .with_hint(hint),
            false => Diagnostic::error(
                span,
                format!("the quantifier does not reach here: `{text}` is unknown"),
            )
            .with_hint(hint),
        });
    }
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<_> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", shorten(name)))
        .collect();
    if names.len() > SHOWN {
        text.push(format!("{} more", names.len() - SHOWN));
    }
    text.join(", ")
}
