//! Initialisers as lists of writes: designators, lists with missing braces, strings.
//!
//! A cursor stands in each array, struct or union that is being filled, the innermost last. One
//! that stands for braces stays until these are closed; others are there because braces are
//! missing, and go when they are full. Each value costs the cursors that it opens or closes.

use super::Typing;
use super::conversion::Purpose;
use super::operand::{Operand, OperandKind};
use super::tree::{
    ExpressionKind, Initial, Integer, Length, List, ObjectId, Origin, PlaceId, PlaceKind, Storage,
    Type, TypeId, Types, Write, Written,
};
use crate::source::Span;

/// How many writes one initialiser may have.
pub const MOST_WRITES: u64 = 1 << 22;

/// An initialiser that is being read.
#[derive(Debug)]
pub struct Initialising {
    /// None: what is initialised cannot be, and that was reported.
    pub object: Option<ObjectId>,
    pub place: PlaceId,
    pub span: Span,
    pub is_static: bool,
    pub writes: Vec<Write>,
    pub cursors: Vec<Cursor>,
    /// A designator of the next value has been read.
    pub designating: bool,
    pub ranges: Vec<Range>,
    /// How many operands there were before it.
    pub operands: usize,
    /// One more than the largest index of an array without length.
    pub length: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Cursor {
    pub place: PlaceId,
    pub type_id: TypeId,
    /// Of the next element or member.
    pub position: u64,
    /// Where it ends.
    pub limit: Option<u64>,
    pub has_braces: bool,
}

/// `[low ... high]`: what is written to the first element goes to the others, too.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub array: PlaceId,
    pub element: TypeId,
    pub low: u64,
    pub high: u64,
    pub writes: usize,
}

impl Typing<'_> {
    pub(super) fn begin_initialiser(&mut self, object: Option<ObjectId>, span: Span) {
        let (type_id, is_static) = match object {
            Some(id) => {
                let object = &self.program.objects[id.0 as usize];
                let is_static = matches!(object.storage, Storage::Static { .. });
                (object.qualified.id, is_static)
            }
            None => (Types::UNKNOWN, false),
        };
        let kind = PlaceKind::Object(object.unwrap_or(ObjectId(0)));
        let place = self.add_place(kind, type_id, span);
        self.initialisers.push(Initialising {
            object,
            place,
            span,
            is_static,
            writes: Vec::new(),
            cursors: Vec::new(),
            designating: false,
            ranges: Vec::new(),
            operands: self.operands.len(),
            length: 0,
        });
    }

    pub(super) fn filling(&mut self) -> Option<&mut Initialising> {
        self.initialisers.last_mut()
    }

    pub(super) fn cursor(&self, place: PlaceId, type_id: TypeId, has_braces: bool) -> Cursor {
        let limit = match self.program.types.get(type_id) {
            Type::Array(_, Length::Constant(length)) => Some(*length),
            Type::Array(..) => None,
            Type::Record(id) => {
                let record = &self.program.types.records[id.0 as usize];
                let fields = record
                    .layout
                    .as_ref()
                    .map_or(0, |layout| layout.fields.len());
                let most = if record.is_union {
                    fields.min(1)
                } else {
                    fields
                };
                Some(most as u64)
            }
            Type::Unknown => None,
            _ => Some(1),
        };
        Cursor {
            place,
            type_id,
            position: 0,
            limit,
            has_braces,
        }
    }

    pub(super) fn begin_list(&mut self, span: Span) {
        let Some(filling) = self.filling() else {
            return;
        };
        let (place, is_first) = (filling.place, filling.cursors.is_empty());
        let is_static = filling.is_static;
        let cursor = match is_first {
            true => {
                let type_id = self.program.places[place.0 as usize].type_id;
                if !is_static && self.is_aggregate(type_id) {
                    self.write(place, Written::Zero);
                }
                self.cursor(place, type_id, true)
            }
            false => match self.next_part(span) {
                Some((place, type_id)) => self.cursor(place, type_id, true),
                None => {
                    self.warn(span, "there are more initial values than elements");
                    self.cursor(place, Types::UNKNOWN, true)
                }
            },
        };
        if let Some(filling) = self.filling() {
            filling.cursors.push(cursor);
            filling.designating = false;
        }
    }

    fn is_aggregate(&self, type_id: TypeId) -> bool {
        matches!(
            self.program.types.get(type_id),
            Type::Array(..) | Type::Record(_)
        )
    }

    pub(super) fn end_list(&mut self, span: Span) {
        let Some(filling) = self.filling() else {
            return;
        };
        while let Some(cursor) = filling.cursors.pop() {
            if cursor.has_braces {
                if cursor.position == 0 && self.program.types.is_scalar(cursor.type_id) {
                    self.error(span, "a scalar has no empty initial value");
                }
                return;
            }
        }
    }

    pub(super) fn write(&mut self, place: PlaceId, value: Written) {
        let Some(filling) = self.filling() else {
            return;
        };
        if filling.object.is_some() {
            filling.writes.push(Write { place, value });
        }
    }

    /// The element or member that comes next. None if the braces are full.
    pub(super) fn next_part(&mut self, span: Span) -> Option<(PlaceId, TypeId)> {
        let cursor = loop {
            let filling = self.initialisers.last_mut()?;
            let depth = filling.cursors.len();
            let cursor = filling.cursors.last_mut()?;
            let is_full = cursor.limit.is_some_and(|limit| cursor.position >= limit);
            match (is_full, cursor.has_braces) {
                (true, true) => return None,
                (true, false) => {
                    filling.cursors.pop();
                }
                (false, _) => {
                    let before = *cursor;
                    cursor.position += 1;
                    if depth == 1 {
                        filling.length = filling.length.max(cursor.position);
                    }
                    break before;
                }
            }
        };
        match self.program.types.get(cursor.type_id) {
            Type::Array(element, _) => {
                let element = element.id;
                let place = self.element(cursor.place, cursor.position, element, span);
                Some((place, element))
            }
            Type::Record(id) => {
                let index = cursor.position as u32;
                let field = self.field(*id, index)?.qualified.id;
                let place = self.add_place(PlaceKind::Field(cursor.place, index), field, span);
                Some((place, field))
            }
            _ => Some((cursor.place, cursor.type_id)),
        }
    }

    pub(super) fn element(
        &mut self,
        array: PlaceId,
        index: u64,
        type_id: TypeId,
        span: Span,
    ) -> PlaceId {
        let integer = self.program.types.size_integer();
        let index = self.number(i128::from(index), integer, span);
        self.add_place(PlaceKind::Element(array, index), type_id, span)
    }

    /// After a value or list in braces.
    pub(super) fn item(&mut self) {
        let Some(filling) = self.initialisers.last() else {
            return;
        };
        if self.operands.len() > filling.operands {
            let operand = self.pop();
            self.fill(operand);
        }
        let ranges = match self.filling() {
            Some(filling) => {
                filling.designating = false;
                std::mem::take(&mut filling.ranges)
            }
            None => return,
        };
        for range in ranges.into_iter().rev() {
            self.repeat(range);
        }
    }

    /// Puts a value where it belongs, through as many missing braces as are needed.
    fn fill(&mut self, operand: Operand) {
        let span = operand.span;
        // `{ "abc" }` is `"abc"`.
        let cursor = self
            .initialisers
            .last()
            .and_then(|filling| filling.cursors.last().copied());
        if let Some(cursor) = cursor
            && cursor.has_braces
            && cursor.position == 0
            && self.text_of(operand, cursor.type_id).is_some()
        {
            self.write_text(operand, cursor.place, cursor.type_id);
            if let Some(cursor) = self
                .filling()
                .and_then(|filling| filling.cursors.last_mut())
            {
                cursor.limit = Some(0);
            }
            return;
        }
        loop {
            let Some((place, type_id)) = self.next_part(span) else {
                self.warn(span, "there are more initial values than elements");
                self.value(operand);
                return;
            };
            if self.text_of(operand, type_id).is_some() {
                return self.write_text(operand, place, type_id);
            }
            let is_whole = match self.program.types.get(type_id) {
                Type::Record(_) => {
                    let own = self.operand_type(operand);
                    self.program.types.compatible(own, type_id)
                }
                Type::Array(..) => false,
                _ => true,
            };
            let is_static = self
                .initialisers
                .last()
                .is_some_and(|filling| filling.is_static);
            if is_static && self.copy_literal(operand, place, type_id) {
                return;
            }
            if is_whole || type_id == Types::UNKNOWN {
                let value = self.assignable(operand, type_id, Purpose::INITIALISER);
                return self.write(place, Written::Value(value));
            }
            let cursor = self.cursor(place, type_id, false);
            if cursor.limit == Some(0) {
                // Nothing fits, however many follow in an array without length.
                self.value(operand);
                return;
            }
            if let Some(filling) = self.filling() {
                filling.cursors.push(cursor);
            }
        }
    }

    /// The string that an operand is, if the type is an array of its characters.
    fn text_of(&self, operand: Operand, type_id: TypeId) -> Option<ObjectId> {
        let OperandKind::Place { id, .. } = operand.kind else {
            return None;
        };
        let PlaceKind::Object(object) = self.program.places[id.0 as usize].kind else {
            return None;
        };
        let text = &self.program.objects[object.0 as usize];
        if text.origin != Origin::Text {
            return None;
        }
        let types = &self.program.types;
        let unit = |id| match types.get(id) {
            Type::Array(element, _) => types.integer(element.id),
            _ => None,
        };
        let (own, wanted) = (unit(text.qualified.id)?, unit(type_id)?);
        (own.bits(types.model) == wanted.bits(types.model) && wanted != Integer::Bool)
            .then_some(object)
    }

    fn write_text(&mut self, operand: Operand, place: PlaceId, type_id: TypeId) {
        let Some(object) = self.text_of(operand, type_id) else {
            return;
        };
        let Type::Array(element, length) = self.program.types.get(type_id) else {
            return;
        };
        let (element, length) = (element.id, *length);
        let units = match &self.program.objects[object.0 as usize].initial {
            Initial::Text(units) => units.clone(),
            _ => return,
        };
        let most = match length {
            Length::Constant(length) => length,
            _ => {
                if let Some(filling) = self.filling()
                    && filling.place == place
                {
                    filling.length = units.len() as u64;
                }
                units.len() as u64
            }
        };
        if units.len() as u64 > most.saturating_add(1) {
            self.warn(operand.span, "this string is longer than the array");
        }
        let integer = self.program.types.integer(element).unwrap_or(Integer::Char);
        let model = self.model();
        let units = units
            .iter()
            .enumerate()
            .take(most.min(MOST_WRITES) as usize);
        for (index, unit) in units.filter(|(_, unit)| **unit != 0) {
            let value = integer.wrap(i128::from(*unit), model);
            let value = self.add(ExpressionKind::Constant(value), element, operand.span);
            let place = self.element(place, index as u64, element, operand.span);
            self.write(place, Written::Value(value));
        }
    }

    /// The initialiser has been read: the object, and what is written to it.
    pub(super) fn finish_initialiser(&mut self) -> Option<(ObjectId, List)> {
        let operands = self.initialisers.last()?.operands;
        if self.operands.len() > operands {
            let operand = self.pop();
            self.fill_whole(operand);
        }
        let filling = self.initialisers.pop()?;
        let object = filling.object?;
        let type_id = self.program.places[filling.place.0 as usize].type_id;
        if let Type::Array(element, Length::Incomplete) = self.program.types.get(type_id) {
            let kind = Type::Array(*element, Length::Constant(filling.length));
            let completed = self.program.types.intern(kind);
            self.program.objects[object.0 as usize].qualified.id = completed;
            self.program.places[filling.place.0 as usize].type_id = completed;
        }
        let mut writes = filling.writes;
        if filling.is_static {
            writes.retain(|write| self.check_constant(*write));
        }
        let start = self.program.writes.len();
        self.program.writes.extend(writes);
        let writes = List::since(start, &self.program.writes);
        if filling.is_static {
            self.program.objects[object.0 as usize].initial = Initial::Writes(writes);
        }
        Some((object, writes))
    }

    /// An initial value without braces.
    fn fill_whole(&mut self, operand: Operand) {
        let Some(filling) = self.initialisers.last() else {
            return;
        };
        let (place, is_static) = (filling.place, filling.is_static);
        let is_auto = self
            .declarations
            .last()
            .is_some_and(|declaration| declaration.is_auto);
        if is_auto && let Some(object) = filling.object {
            let value = self.value(operand);
            let type_id = self.type_of(value);
            self.program.objects[object.0 as usize].qualified.id = type_id;
            self.program.places[place.0 as usize].type_id = type_id;
        }
        let type_id = self.program.places[place.0 as usize].type_id;
        if self.text_of(operand, type_id).is_some() {
            if !is_static {
                self.write(place, Written::Zero);
            }
            return self.write_text(operand, place, type_id);
        }
        let is_array = matches!(self.program.types.get(type_id), Type::Array(..));
        if (is_array || is_static) && self.copy_literal(operand, place, type_id) {
            return;
        }
        if is_array {
            self.error(
                operand.span,
                "the initial value of an array must be a list in braces",
            );
            self.give_up();
            return;
        }
        let value = self.assignable(operand, type_id, Purpose::INITIALISER);
        self.write(place, Written::Value(value));
    }

    /// At the end of a declared variable's initial value.
    pub(super) fn end_initialiser(&mut self, span: Span) {
        if let Some((object, writes)) = self.finish_initialiser() {
            let object_span = self.program.objects[object.0 as usize].span;
            if self.program.objects[object.0 as usize].storage == Storage::Automatic {
                self.declaration_statement(object, writes, object_span.to(span));
            }
        }
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.objects = self.program.objects.len();
        }
    }
}
