//! Structs, unions and enumerations, and their members.

use super::Typing;
use super::layout::{self, Declared};
use super::scope::{Symbol, Tag};
use super::tree::{Enumeration, EnumerationId, Integer, Record, RecordId, Type, TypeId, Types};
use crate::diagnostic::Diagnostic;
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;
use rustc_hash::FxHashMap;

/// A struct or union whose members are being read.
#[derive(Debug)]
pub struct OpenRecord {
    id: RecordId,
    members: Vec<Declared>,
    /// A member could not be read.
    pub lost: bool,
}

/// An enumeration whose constants are being read.
#[derive(Debug)]
pub struct OpenEnumeration {
    id: EnumerationId,
    constants: Vec<(Name, i128)>,
    spans: Vec<Span>,
    next: i128,
    /// The type of the last value, in which the next one is found.
    integer: Integer,
}

impl Typing<'_> {
    pub(super) fn record(&mut self, is_union: bool, tag: Option<Name>, defines: bool, span: Span) {
        let known = tag.and_then(|tag| match defines {
            true => self.tags.get_here(tag),
            false => self.tags.get(tag),
        });
        let id = match known {
            Some(Tag::Record(id))
                if self.program.types.records[id.0 as usize].is_union == is_union =>
            {
                match defines && self.is_defined(id) {
                    true => {
                        self.redefined(tag, self.program.types.records[id.0 as usize].span, span);
                        self.new_record(is_union, None, span)
                    }
                    false => id,
                }
            }
            Some(other) => {
                self.other_tag(tag, other, span);
                if !defines {
                    return self.set_named(Types::UNKNOWN.into());
                }
                self.new_record(is_union, None, span)
            }
            None => self.new_record(is_union, tag, span),
        };
        if defines {
            self.records.push(OpenRecord {
                id,
                members: Vec::new(),
                lost: false,
            });
        }
        let type_id = self.program.types.intern(Type::Record(id));
        self.set_named(type_id.into());
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.has_tag = true;
        }
    }

    fn is_defined(&self, id: RecordId) -> bool {
        let is_open = self.records.iter().any(|open| open.id == id);
        is_open || self.program.types.records[id.0 as usize].layout.is_some()
    }

    fn new_record(&mut self, is_union: bool, tag: Option<Name>, span: Span) -> RecordId {
        let records = &mut self.program.types.records;
        let id = RecordId(records.len() as u32);
        records.push(Record {
            tag,
            span,
            is_union,
            unit: self.unit,
            layout: None,
        });
        if let Some(tag) = tag {
            self.tags.declare(tag, Tag::Record(id));
        }
        id
    }

    fn redefined(&mut self, tag: Option<Name>, before: Span, span: Span) {
        let shown = tag.map_or_else(String::new, |tag| shorten(self.program.names.text(tag)));
        let message = format!("`{shown}` is defined twice");
        let diagnostic =
            Diagnostic::error(span, message).with_related(before, "first defined here");
        self.collector.report(diagnostic);
    }

    fn other_tag(&mut self, tag: Option<Name>, other: Tag, span: Span) {
        let (before, what) = match other {
            Tag::Record(id) => {
                let record = &self.program.types.records[id.0 as usize];
                (
                    record.span,
                    if record.is_union {
                        "a union"
                    } else {
                        "a struct"
                    },
                )
            }
            Tag::Enumeration(id) => {
                let enumeration = &self.program.types.enumerations[id.0 as usize];
                (enumeration.span, "an enumeration")
            }
        };
        let shown = tag.map_or_else(String::new, |tag| shorten(self.program.names.text(tag)));
        let message = format!("`{shown}` is {what}");
        let diagnostic = Diagnostic::error(span, message).with_related(before, "declared here");
        self.collector.report(diagnostic);
    }

    /// After the declarator of a member, and its width.
    pub(super) fn end_member(&mut self, span: Span) {
        let width = self
            .declarations
            .last_mut()
            .and_then(|one| one.width.take());
        let declarator = self.finish_declarator();
        let (name, id) = (declarator.name, declarator.qualified.id);
        let is_array = matches!(self.program.types.get(id), Type::Array(..));
        let types = &self.program.types;
        let wrong = match types.get(id) {
            Type::Function(_) => Some("a member cannot be a function"),
            Type::Unknown => None,
            _ if types.has_variable_size(id) => Some("a member cannot have a variable size"),
            _ if types.is_incomplete(id) && !is_array => {
                Some("the type of a member must be complete")
            }
            _ => None,
        };
        let mut qualified = declarator.qualified;
        if let Some(message) = wrong {
            self.error(span, message);
            qualified = Types::UNKNOWN.into();
        }
        if let Some(width) = width
            && name.is_some()
            && width == 0
        {
            self.error(span, "a bit-field with a name has at least one bit");
        }
        self.add_member(Declared {
            name,
            span,
            qualified,
            width,
        });
    }

    pub(super) fn add_member(&mut self, member: Declared) {
        if let Some(open) = self.records.last_mut() {
            open.members.push(member);
        }
    }

    /// After the width of a bit-field, whose declarator has been read.
    pub(super) fn bit_field(&mut self, span: Span) {
        let operand = self.pop();
        let value = self.value(operand);
        let constant = self.constant(value);
        let base = self.peek_declarator();
        let integer = self.program.types.integer(base);
        let width = match (constant, integer) {
            _ if self.type_of(value) == Types::UNKNOWN || base == Types::UNKNOWN => None,
            (None, _) => {
                self.error(operand.span, "the width of a bit-field must be a constant");
                None
            }
            (_, None) => {
                self.error(span, "a bit-field must have an integer type");
                None
            }
            (Some(width), Some(integer)) => {
                let most = match integer {
                    Integer::Bool => 1,
                    _ => integer.bits(self.model()),
                };
                match u32::try_from(width) {
                    Ok(width) if width <= most => Some(width),
                    _ => {
                        let message = format!("the width must be from 0 to {most}");
                        self.error(operand.span, message);
                        None
                    }
                }
            }
        };
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.width = width;
        }
    }

    pub(super) fn end_record(&mut self, packed: bool, span: Span) {
        let Some(open) = self.records.pop() else {
            return;
        };
        let id = open.id;
        let is_union = self.program.types.records[id.0 as usize].is_union;
        self.check_members(&open, is_union);
        let members: Vec<Declared> = open
            .members
            .iter()
            .copied()
            .map(|mut member| {
                // A member whose type is not known is left out of the layout as far as that goes.
                if member.qualified.id == Types::UNKNOWN {
                    member.qualified = self.program.types.of(Integer::Char).into();
                    self.lost_records.insert(id);
                }
                member
            })
            .collect();
        if open.lost {
            self.lost_records.insert(id);
        }
        let layout = layout::layout(&self.program.types, &members, is_union, packed);
        let Some(layout) = layout else {
            self.error(span, "this type is too large");
            self.lost_records.insert(id);
            return;
        };
        for (index, field) in layout.fields.iter().enumerate() {
            self.members.insert((id, field.name), index as u32);
        }
        self.program.types.records[id.0 as usize].layout = Some(layout);
    }

    fn check_members(&mut self, open: &OpenRecord, is_union: bool) {
        let mut names: FxHashMap<Name, Span> = FxHashMap::default();
        let last = open.members.len().saturating_sub(1);
        for (index, member) in open.members.iter().enumerate() {
            if let Some(name) = member.name {
                if let Some(before) = names.insert(name, member.span) {
                    let shown = shorten(self.program.names.text(name));
                    let message = format!("a second member `{shown}`");
                    let diagnostic = Diagnostic::error(member.span, message);
                    let diagnostic = diagnostic.with_related(before, "the first one");
                    self.collector.report(diagnostic);
                }
            } else if let Type::Record(inner) = self.program.types.get(member.qualified.id) {
                let inner = *inner;
                let layout = self.program.types.records[inner.0 as usize].layout.as_ref();
                let fields = layout.into_iter().flat_map(|layout| layout.fields.iter());
                let inner: Vec<_> = fields
                    .filter_map(|field| Some((field.name?, field.span)))
                    .collect();
                for (name, span) in inner {
                    if names.insert(name, span).is_some() {
                        let shown = shorten(self.program.names.text(name));
                        self.error(span, format!("a second member `{shown}`"));
                    }
                }
            }
            let is_flexible = self.program.types.is_incomplete(member.qualified.id);
            if is_flexible && (index != last || is_union || names.is_empty()) {
                self.error(
                    member.span,
                    "only the last member can be an array without length",
                );
            } else if is_flexible && open.members.len() == 1 {
                self.error(
                    member.span,
                    "an array without length needs another member before it",
                );
            }
        }
    }

    pub(super) fn enumeration(&mut self, tag: Option<Name>, defines: bool, span: Span) {
        let known = tag.and_then(|tag| match defines {
            true => self.tags.get_here(tag),
            false => self.tags.get(tag),
        });
        let id = match known {
            Some(Tag::Enumeration(id)) => {
                let enumeration = &self.program.types.enumerations[id.0 as usize];
                match defines && enumeration.constants.is_some() {
                    true => {
                        self.redefined(tag, enumeration.span, span);
                        self.new_enumeration(None, span)
                    }
                    false => id,
                }
            }
            Some(other) => {
                self.other_tag(tag, other, span);
                if !defines {
                    return self.set_named(Types::UNKNOWN.into());
                }
                self.new_enumeration(None, span)
            }
            None => self.new_enumeration(tag, span),
        };
        if defines {
            self.enumerations.push(OpenEnumeration {
                id,
                constants: Vec::new(),
                spans: Vec::new(),
                next: 0,
                integer: Integer::Int,
            });
        }
        let type_id = self.program.types.intern(Type::Enumeration(id));
        self.set_named(type_id.into());
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.has_tag = true;
        }
    }

    fn new_enumeration(&mut self, tag: Option<Name>, span: Span) -> EnumerationId {
        let enumerations = &mut self.program.types.enumerations;
        let id = EnumerationId(enumerations.len() as u32);
        enumerations.push(Enumeration {
            tag,
            span,
            constants: None,
            integer: Integer::UnsignedInt,
        });
        if let Some(tag) = tag {
            self.tags.declare(tag, Tag::Enumeration(id));
        }
        id
    }

    pub(super) fn enumerator(&mut self, name: Name, has_value: bool, span: Span) {
        let given = has_value.then(|| {
            let operand = self.pop();
            let value = self.value(operand);
            (operand.span, value)
        });
        let open = self.enumerations.last();
        let mut number = open.map_or(0, |open| open.next);
        let mut integer = open.map_or(Integer::Int, |open| open.integer);
        if let Some((place, given)) = given {
            match self.constant(given) {
                Some(value) => {
                    number = value;
                    integer = match Integer::Int.holds(value, self.model()) {
                        true => Integer::Int,
                        false => self.integer_of(given).unwrap_or(integer),
                    };
                }
                None if self.type_of(given) == Types::UNKNOWN => {}
                None => self.error(place, "the value of a constant must be an integer constant"),
            }
        }
        // Behind the largest `long` there are values that are unsigned: programs count on that.
        let is_over = integer.rank() == Integer::Int.rank() && !integer.holds(number, self.model());
        let wide = [Integer::LongLong, Integer::UnsignedLongLong];
        if (is_over && !has_value)
            || !wide
                .iter()
                .any(|integer| integer.holds(number, self.model()))
        {
            self.error(
                span,
                "the value of a constant does not fit any integer type",
            );
            number = 0;
        }
        let type_id = self.constant_type(number);
        self.check_redeclared(name, span);
        self.declare(name, Symbol::Constant(number, type_id), span);
        if let Some(open) = self.enumerations.last_mut() {
            open.constants.push((name, number));
            open.spans.push(span);
            open.next = number + 1;
            open.integer = integer;
        }
    }

    /// `int`, if that holds the value, or the first type that does.
    fn constant_type(&self, value: i128) -> TypeId {
        let integers = [
            Integer::Int,
            Integer::UnsignedInt,
            Integer::Long,
            Integer::UnsignedLong,
            Integer::LongLong,
        ];
        let model = self.model();
        let mut fitting = integers.into_iter().filter(|one| one.holds(value, model));
        let integer = fitting.next().unwrap_or(Integer::UnsignedLongLong);
        self.program.types.of(integer)
    }

    /// The integer is the first of `unsigned int`, `int` and the wider ones that holds all
    /// constants; a constant that is no `int` gets the type of the enumeration.
    pub(super) fn end_enumeration(&mut self, span: Span) {
        let Some(open) = self.enumerations.pop() else {
            return;
        };
        if open.constants.is_empty() {
            self.error(span, "an enumeration needs a constant");
        }
        let model = self.model();
        let candidates = [
            Integer::UnsignedInt,
            Integer::Int,
            Integer::UnsignedLong,
            Integer::Long,
            Integer::UnsignedLongLong,
            Integer::LongLong,
        ];
        let holds_all = |integer: &Integer| {
            let mut values = open.constants.iter();
            values.all(|(_, value)| integer.holds(*value, model))
        };
        let integer = candidates
            .into_iter()
            .find(holds_all)
            .unwrap_or(Integer::LongLong);
        let type_id = self.program.types.of(integer);
        for ((name, value), span) in open.constants.iter().zip(open.spans) {
            if !Integer::Int.holds(*value, model) {
                self.declare(*name, Symbol::Constant(*value, type_id), span);
            }
        }
        let enumeration = &mut self.program.types.enumerations[open.id.0 as usize];
        enumeration.integer = integer;
        enumeration.constants = Some(open.constants.into());
    }
}
