//! Members of structs and unions, elements of arrays.

use super::Typing;
use super::operand::{Operand, OperandKind};
use super::tree::{
    Field, FunctionId, ObjectId, PlaceKind, Qualifiers, RecordId, Type, TypeId, Types,
};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::kit::tree::shorten;

impl Typing<'_> {
    /// `p->name`
    pub(super) fn arrow(&mut self, name: Name, span: Span) {
        let operand = self.pop();
        let value = self.value(operand);
        let type_id = self.type_of(value);
        if type_id != Types::UNKNOWN && self.program.types.target(type_id).is_none() {
            let shown = self.show(type_id);
            let record = self.program.types.record(type_id);
            let hint = record.map(|_| "write `.` instead of `->`".to_owned());
            let message = format!("`->` needs a pointer, and this is `{shown}`");
            let diagnostic = Diagnostic::error(operand.span, message).with_hint_if_any(hint);
            self.collector.report(diagnostic);
            return self.push(OperandKind::Unknown, operand.span.to(span));
        }
        self.dereference(value, operand.span);
        self.member(name, span);
    }

    /// `x.name`
    pub(super) fn member(&mut self, name: Name, span: Span) {
        let operand = self.pop();
        let whole = operand.span.to(span);
        if let (true, OperandKind::Function(function)) = (self.observes, operand.kind) {
            let kind = self.variable_of(function, name, span);
            return self.push(kind, whole);
        }
        let type_id = self.operand_type(operand);
        let kind = self.member_of(operand, type_id, name, span, whole);
        self.push(kind.unwrap_or(OperandKind::Unknown), whole);
    }

    /// A variable of a function, by its name: there must be one only.
    fn variable_of(&mut self, function: FunctionId, name: Name, span: Span) -> OperandKind {
        let objects = self.program.objects.iter().zip((0..).map(ObjectId));
        let own = objects.filter(|(object, _)| object.function == Some(function));
        let named = own.filter(|(object, _)| object.name == Some(name));
        let found: Vec<ObjectId> = named.map(|(_, id)| id).collect();
        if let [object] = found[..] {
            return self.object_operand(object, span);
        }
        let of = self.program.functions[function.0 as usize].name;
        let [of, name] = [of, name].map(|name| shorten(self.program.names.text(name)));
        self.error(
            span,
            match found.is_empty() {
                true => format!("`{of}` has no variable `{name}`"),
                false => format!("`{of}` has several variables `{name}`"),
            },
        );
        OperandKind::Unknown
    }

    fn member_of(
        &mut self,
        operand: Operand,
        type_id: TypeId,
        name: Name,
        span: Span,
        whole: Span,
    ) -> Option<OperandKind> {
        let shown = |typing: &Self| shorten(typing.program.names.text(name));
        let record = match self.program.types.get(type_id) {
            Type::Record(record) => *record,
            Type::Unknown => return None,
            _ => {
                let [name, kind] = [shown(self), self.show(type_id)];
                let target = self.program.types.target(type_id);
                let hint = target.map(|_| "write `->` instead of `.`".to_owned());
                let message = format!("`{kind}` has no member `{name}`: it is no struct or union");
                let diagnostic = Diagnostic::error(span, message).with_hint_if_any(hint);
                self.collector.report(diagnostic);
                return None;
            }
        };
        let Some(path) = self.find_member(record, name) else {
            if !self.lost_records.contains(&record) {
                self.no_member(record, type_id, name, span);
            }
            return None;
        };
        let (mut place, mut qualifiers) = match operand.kind {
            OperandKind::Place { id, qualifiers, .. } => (id, qualifiers),
            _ => {
                let value = self.value(operand);
                let kind = PlaceKind::Temporary(value);
                (
                    self.add_place(kind, type_id, operand.span),
                    Qualifiers::default(),
                )
            }
        };
        let mut bits = None;
        for (record, index) in path {
            let field = self.field(record, index)?;
            let (qualified, width) = (field.qualified, field.bits.map(|bits| bits.width));
            qualifiers = qualifiers.union(qualified.qualifiers);
            bits = width;
            place = self.add_place(PlaceKind::Field(place, index), qualified.id, whole);
        }
        Some(OperandKind::Place {
            id: place,
            qualifiers,
            bits,
        })
    }

    pub(super) fn field(&self, record: RecordId, index: u32) -> Option<&Field> {
        let layout = self.program.types.records[record.0 as usize]
            .layout
            .as_ref()?;
        layout.fields.get(index as usize)
    }

    #[cold]
    fn no_member(&mut self, record: RecordId, type_id: TypeId, name: Name, span: Span) {
        let text = self.program.names.text(name);
        let shown = self.show(type_id);
        let message = match &self.program.types.records[record.0 as usize].layout {
            None => format!("the type `{shown}` is not complete here"),
            Some(_) => format!("`{shown}` has no member `{}`", shorten(text)),
        };
        let layout = &self.program.types.records[record.0 as usize].layout;
        let fields = layout.iter().flat_map(|layout| layout.fields.iter());
        let names = fields.filter_map(|field| Some(self.program.names.text(field.name?)));
        let hint = suggestion(text, names);
        let diagnostic = Diagnostic::error(span, message).with_hint_if_any(hint);
        self.collector.report(diagnostic);
    }

    /// The members that lead to a name: itself, behind those without name that it is in.
    pub(super) fn find_member(&self, record: RecordId, name: Name) -> Option<Vec<(RecordId, u32)>> {
        // A record, and by which member of which entry it was found.
        let mut seen: Vec<(RecordId, Option<(usize, u32)>)> = vec![(record, None)];
        let mut next = 0;
        while let Some(&(record, _)) = seen.get(next) {
            if let Some(index) = self.members.get(&(record, Some(name))) {
                let mut path = vec![(record, *index)];
                let mut entry = next;
                while let (_, Some((before, index))) = seen[entry] {
                    path.push((seen[before].0, index));
                    entry = before;
                }
                path.reverse();
                return Some(path);
            }
            let layout = self.program.types.records[record.0 as usize]
                .layout
                .as_ref();
            if let Some(layout) = layout
                && self.members.contains_key(&(record, None))
            {
                for (index, field) in layout.fields.iter().enumerate() {
                    if field.name.is_none()
                        && let Type::Record(inner) = self.program.types.get(field.qualified.id)
                    {
                        seen.push((*inner, Some((next, index as u32))));
                    }
                }
            }
            next += 1;
        }
        None
    }

    /// `a[i]`
    pub(super) fn index(&mut self, span: Span) {
        let mut index = self.pop();
        let mut base = self.pop();
        let whole = base.span.to(index.span).to(span);
        let is_array = |typing: &Self, operand: Operand| {
            let type_id = typing.operand_type(operand);
            let types = &typing.program.types;
            matches!(types.get(type_id), Type::Array(..) | Type::Pointer(_))
        };
        if !is_array(self, base) && is_array(self, index) {
            std::mem::swap(&mut base, &mut index);
        }
        let index_value = self.value(index);
        let [base_type, index_type] = [self.operand_type(base), self.type_of(index_value)];
        if base_type == Types::UNKNOWN || index_type == Types::UNKNOWN {
            return self.push(OperandKind::Unknown, whole);
        }
        let types = &self.program.types;
        if types.integer(index_type).is_none() {
            let shown = self.show(index_type);
            self.error(
                index.span,
                format!("an index is a number, and this is `{shown}`"),
            );
            return self.push(OperandKind::Unknown, whole);
        }
        if let (Type::Array(element, _), OperandKind::Place { id, qualifiers, .. }, None) =
            (types.get(base_type), base.kind, self.outside(index_type))
        {
            let element = *element;
            let kind = OperandKind::Place {
                id: self.add_place(PlaceKind::Element(id, index_value), element.id, whole),
                qualifiers: qualifiers.union(element.qualifiers),
                bits: None,
            };
            return self.push(kind, whole);
        }
        let pointer = self.value(base);
        let pointer_type = self.type_of(pointer);
        if self.program.types.target(pointer_type).is_none() {
            let shown = self.show(pointer_type);
            self.error(base.span, format!("`{shown}` has no elements"));
            return self.push(OperandKind::Unknown, whole);
        }
        let sum = self.pointer_add(pointer, index_value, false, whole);
        self.dereference(sum, whole);
    }
}
