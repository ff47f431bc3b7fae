//! Designators: `.x`, `[3]`, `[0 ... 9]`.

use super::Typing;
use super::initialiser::{Cursor, MOST_WRITES, Range};
use super::operand::Operand;
use super::tree::{PlaceId, PlaceKind, Type, Types, Write, Written};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;

impl Typing<'_> {
    /// Makes the cursors stand at what a designator begins with.
    fn designate(&mut self, span: Span) -> Option<Cursor> {
        let filling = self.initialisers.last_mut()?;
        if filling.designating {
            let (place, type_id) = self.next_part(span)?;
            let cursor = self.cursor(place, type_id, false);
            self.filling()?.cursors.push(cursor);
        } else {
            filling.designating = true;
            while let Some(cursor) = filling.cursors.last()
                && !cursor.has_braces
            {
                filling.cursors.pop();
            }
        }
        self.initialisers.last()?.cursors.last().copied()
    }

    fn set_position(&mut self, position: u64) {
        if let Some(cursor) = self
            .filling()
            .and_then(|filling| filling.cursors.last_mut())
        {
            cursor.position = position;
            cursor.limit = cursor.limit.map(|limit| limit.max(position + 1));
        }
    }

    pub(super) fn designate_field(&mut self, name: Name, span: Span) {
        let Some(cursor) = self.designate(span) else {
            return;
        };
        let shown = shorten(self.program.names.text(name));
        let record = match self.program.types.get(cursor.type_id) {
            Type::Record(record) => *record,
            Type::Unknown => return,
            _ => {
                self.error(
                    span,
                    format!("there is no member `{shown}` here: it is no struct"),
                );
                return self.give_up();
            }
        };
        let Some(path) = self.find_member(record, name) else {
            let kind = self.show(cursor.type_id);
            if !self.lost_records.contains(&record) {
                self.error(span, format!("`{kind}` has no member `{shown}`"));
            }
            return self.give_up();
        };
        for (step, (_, index)) in path.iter().enumerate() {
            if step > 0
                && let Some((place, type_id)) = self.next_part(span)
            {
                let cursor = self.cursor(place, type_id, false);
                if let Some(filling) = self.filling() {
                    filling.cursors.push(cursor);
                }
            }
            self.set_position(u64::from(*index));
        }
    }

    /// After a wrong designator nothing is known of the values that follow.
    pub(super) fn give_up(&mut self) {
        if let Some(filling) = self.filling() {
            filling.object = None;
            for cursor in &mut filling.cursors {
                cursor.type_id = Types::UNKNOWN;
                cursor.limit = None;
            }
        }
    }

    pub(super) fn designate_index(&mut self, is_range: bool, span: Span) {
        let high = is_range.then(|| self.pop());
        let low = self.pop();
        let [low, high] = [Some(low), high].map(|operand| self.designator(operand?));
        let Some(cursor) = self.designate(span) else {
            return;
        };
        let element = match self.program.types.get(cursor.type_id) {
            Type::Array(element, _) => element.id,
            Type::Unknown => return,
            _ => {
                self.error(span, "there are no elements here: it is no array");
                return self.give_up();
            }
        };
        let Some(low) = low else {
            return self.give_up();
        };
        let last = if is_range { high } else { Some(low) };
        let Some(last) = last else {
            return self.give_up();
        };
        if last < low || cursor.limit.is_some_and(|limit| last >= limit) {
            self.error(span, "this index is outside of the array");
            return self.give_up();
        }
        self.set_position(low);
        if is_range && let Some(filling) = self.filling() {
            let range = Range {
                array: cursor.place,
                element,
                low,
                high: last,
                writes: filling.writes.len(),
            };
            filling.ranges.push(range);
        }
    }

    fn designator(&mut self, operand: Operand) -> Option<u64> {
        let value = self.value(operand);
        let index = self.constant(value).map(u64::try_from);
        if let Some(Ok(index)) = index {
            return Some(index);
        }
        if self.type_of(value) != Types::UNKNOWN {
            self.error(
                operand.span,
                "an index here must be a constant, and not negative",
            );
        }
        None
    }

    /// Writes to the other elements of a range what was written to the first.
    pub(super) fn repeat(&mut self, range: Range) {
        let Some(filling) = self.initialisers.last() else {
            return;
        };
        let span = filling.span;
        let first: Vec<Write> = filling.writes[range.writes.min(filling.writes.len())..].to_vec();
        let count = (range.high - range.low).saturating_mul(first.len() as u64);
        if filling.writes.len() as u64 + count > MOST_WRITES {
            self.error(span, "this initialiser is too large");
            return;
        }
        for index in range.low + 1..=range.high {
            let element = self.element(range.array, index, range.element, span);
            for write in &first {
                let place = self.moved(write.place, Some(range.array), element);
                let value = match write.value {
                    Written::Value(_) if first.len() == 1 => Written::Again,
                    value => value,
                };
                self.write(place, value);
            }
        }
        if let Some(filling) = self.filling() {
            let is_outermost = filling.place == range.array;
            if is_outermost {
                filling.length = filling.length.max(range.high + 1);
            }
            if let Some(cursor) = filling
                .cursors
                .iter_mut()
                .find(|one| one.place == range.array)
            {
                cursor.position = range.high + 1;
            }
        }
    }

    /// The same part of another element of the array, or of another object.
    pub(super) fn moved(
        &mut self,
        place: PlaceId,
        array: Option<PlaceId>,
        element: PlaceId,
    ) -> PlaceId {
        let mut path = Vec::new();
        let mut place = place;
        loop {
            let part = self.program.places[place.0 as usize];
            match part.kind {
                PlaceKind::Element(base, _) if Some(base) == array => break,
                PlaceKind::Element(base, _) | PlaceKind::Field(base, _) => {
                    path.push(part);
                    place = base;
                }
                _ => break,
            }
        }
        let mut moved = element;
        for part in path.into_iter().rev() {
            let kind = match part.kind {
                PlaceKind::Field(_, index) => PlaceKind::Field(moved, index),
                PlaceKind::Element(_, index) => PlaceKind::Element(moved, index),
                other => other,
            };
            moved = self.add_place(kind, part.type_id, part.span);
        }
        moved
    }
}
