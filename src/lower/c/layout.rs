//! Objects as rows of cells.
//!
//! An object is a tree of *nodes*: arrays, structs, and scalars at the leaves. All cells of one
//! leaf stand side by side, however many arrays it is in, so that those an index may choose have
//! one domain: the leaf of a node that stands in arrays of 3 and of 5 elements has 15 cells, and the
//! place of one among them is `5 i + j`. Addresses go by *units* instead, the scalars in the order of
//! the source: a pointer to a struct and one to its first member are one number.
//!
//! The members of a union begin at the same unit, but have cells of their own, and one more cell
//! says which of them is live, counted from 1: 0 if all of them are, because they are zeros, and one
//! more than there are members if that is open, because nothing was written: what is read first is
//! it then. Members of one type, signs aside, are one.
//!
//! Arrays of variable size are rows of as many elements as there may be. Those of several dimensions
//! lie there as in memory, one row after the other, and what is no part of the layout, their rows, is
//! computed where one is asked for (`variable`).
//! Of large arrays of integers only one element has a cell (`tracked`).
//!
//! Trees are built by type, each once, with an explicit stack: linear in their size, which is
//! limited.

use super::term::{Codes, Scalar, Width};
use crate::names::Names;
use crate::typing::c::tree::{Field, Integer, Length, Type, TypeId, Types};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Objects with more cells, or of types with more parts, are outside, but for arrays of integers.
pub const MOST_CELLS: u64 = 1 << 12;

/// Arrays of integers with more elements are outside, ...
const MOST_TRACKED: u64 = 1 << 24;

/// ... and those with more rows: where one ends is asked of pointers row by row.
const MOST_ROWS: u64 = 1 << 10;

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Node {
    pub type_id: TypeId,
    pub kind: NodeKind,
    /// The arrays that it stands in, the outermost first: how many elements, and how many units
    /// lie between them.
    pub arrays: Vec<(u32, u32)>,
    /// How often it is in the object: the product of those lengths.
    pub count: u32,
    /// Where the first one begins, in units.
    pub start: u32,
    /// How many units it has.
    pub units: u32,
    /// Its leaves, in [`Layout::leaves`].
    pub leaves: (u32, u32),
    /// Inside another node, or the array it is an element of.
    pub parent: Option<u32>,
    /// If it is a member: which.
    pub field: Option<u32>,
}

#[derive(Clone, Debug)]
pub enum NodeKind {
    /// A leaf, its index.
    Scalar(u32),
    Struct {
        /// Its members, each a node.
        fields: Vec<u32>,
    },
    Union {
        /// Its members, each a node.
        fields: Vec<u32>,
        /// The leaf that says which one is live.
        live: u32,
    },
    Array {
        length: u32,
        element: u32,
        /// Whether it ends a struct, without a length: there are as many elements as there is memory.
        is_open: bool,
    },
    /// What is never read or written: of a floating type.
    Opaque,
}

/// A scalar, or all those in its place in arrays.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub node: u32,
    pub scalar: Scalar,
    /// The first of its cells, counted from the object's first.
    pub first: u32,
}

/// The cells of an object of some type.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The object itself first.
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf>,
    pub cells: u32,
    /// How many units there are.
    pub units: u32,
    /// Whether its cells hold some of its scalars, each one of them.
    pub is_tracked: bool,
    /// The array without length that ends it, if it is a struct that has one.
    pub open_end: Option<u32>,
}

impl Layout {
    /// How many cells a leaf has.
    pub fn count(&self, leaf: &Leaf) -> u32 {
        match self.is_tracked {
            true => self.cells,
            false => self.nodes[leaf.node as usize].count,
        }
    }

    /// The leaves of a node, each with its index.
    pub fn leaves_of(&self, node: u32) -> impl Iterator<Item = (u32, Leaf)> + '_ {
        let (from, to) = self.nodes[node as usize].leaves;
        (from..to).zip(self.leaves[from as usize..to as usize].iter().copied())
    }

    /// The leaves of a node that hold pointers.
    pub fn pointers(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let leaves = self.leaves_of(node);
        let pointers = leaves.filter(|(_, leaf)| matches!(leaf.scalar, Scalar::Pointer(_)));
        pointers.map(|(index, _)| index)
    }

    /// The unions around a node: the leaf that says which member is live, and which it is then.
    pub fn unions(&self, mut node: u32) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        while let Node {
            parent: Some(parent),
            field,
            ..
        } = &self.nodes[node as usize]
        {
            if let (NodeKind::Union { live, .. }, Some(field)) =
                (&self.nodes[*parent as usize].kind, field)
            {
                all.push((*live, field + 1));
            }
            node = *parent;
        }
        all
    }

    /// Whether a node is part of a member of a union.
    pub fn is_in_union<'n>(&'n self, mut node: &'n Node) -> bool {
        while let Some(parent) = node.parent {
            node = &self.nodes[parent as usize];
            if let NodeKind::Union { .. } = node.kind {
                return true;
            }
        }
        false
    }

    /// Whether there are unions in it.
    pub fn has_unions(&self) -> bool {
        let mut kinds = self.nodes.iter().map(|node| &node.kind);
        kinds.any(|kind| matches!(kind, NodeKind::Union { .. }))
    }

    /// What the leaf of a union says as long as it is open which member is live; none for leaves
    /// that say something else.
    pub fn open_member(&self, leaf: Leaf) -> Option<i128> {
        match &self.nodes[leaf.node as usize].kind {
            NodeKind::Union { fields, .. } => Some(fields.len() as i128 + 1),
            _ => None,
        }
    }

    /// The part of a node that a step leads to: a member, or for none an element.
    pub fn part(&self, node: u32, field: Option<u32>) -> Option<u32> {
        match (&self.nodes.get(node as usize)?.kind, field) {
            (NodeKind::Struct { fields } | NodeKind::Union { fields, .. }, Some(field)) => {
                fields.get(field as usize).copied()
            }
            (NodeKind::Array { element, .. }, None) => Some(*element),
            _ => None,
        }
    }
}

/// The layouts of types.
pub struct Layouts<'t> {
    pub(super) types: &'t Types,
    pub(super) names: &'t Names,
    /// How many elements arrays of variable size have at most.
    cells: u32,
    /// Arrays of integers with more of them are tracked.
    most: u64,
    /// How many of their elements have cells.
    followed: u32,
    sizes: FxHashMap<TypeId, Option<(u64, u64)>>,
    known: FxHashMap<TypeId, Option<Rc<Layout>>>,
}

impl<'t> Layouts<'t> {
    pub fn new(types: &'t Types, names: &'t Names, cells: u32, most: u64, followed: u32) -> Self {
        Layouts {
            types,
            names,
            cells,
            most,
            followed,
            sizes: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// What values of a type are, if they are one scalar.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        scalar(self.types, id)
    }

    /// How many units a type has, and how many nodes; none if no object of it is laid out.
    pub fn size(&mut self, id: TypeId) -> Option<(u64, u64)> {
        let mut open = vec![id];
        while let Some(top) = open.last().copied() {
            if self.sizes.contains_key(&top) {
                open.pop();
                continue;
            }
            let row_element = self.types.row_element(top);
            let open_element = self.open_element(top);
            let parts: Vec<TypeId> = match self.types.get(top) {
                _ if row_element != top => vec![row_element],
                Type::Array(element, _) => vec![element.id],
                Type::Record(_) => match self.types.record(top).and_then(|r| r.layout.as_ref()) {
                    Some(layout) => {
                        let fields = layout.fields.iter().map(|f| f.qualified.id);
                        let closed = fields.len() - usize::from(open_element.is_some());
                        fields.take(closed).chain(open_element).collect()
                    }
                    None => Vec::new(),
                },
                _ => Vec::new(),
            };
            let missing = parts.iter().filter(|part| !self.sizes.contains_key(part));
            let missing: Vec<TypeId> = missing.copied().collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let part = |part: &TypeId| self.sizes.get(part).copied().flatten();
            let size = match self.types.get(top) {
                _ if row_element != top => part(&row_element).and_then(|(units, nodes)| {
                    Some((units.checked_mul(self.cells.into())?, nodes))
                }),
                Type::Array(element, length) => {
                    let most = self.length(*length);
                    part(&element.id).and_then(|(units, nodes)| {
                        Some((units.checked_mul(most?.into())?, nodes + 1))
                    })
                }
                Type::Record(_) => match self.types.record(top) {
                    Some(record) if record.layout.is_some() => {
                        parts
                            .iter()
                            .try_fold((0_u64, 1_u64), |(units, nodes), field| {
                                let (more, inner) = part(field)?;
                                let units = match record.is_union {
                                    true => units.max(more),
                                    false => units.checked_add(more)?,
                                };
                                Some((units, nodes.checked_add(inner)?))
                            })
                    }
                    _ => None,
                },
                Type::Floating(_) | Type::Complex(_) => Some((1, 1)),
                _ => self.scalar(top).map(|_| (1, 1)),
            };
            let size = size.filter(|(units, nodes)| {
                let is_small = *units <= MOST_CELLS && *nodes <= MOST_CELLS;
                is_small || self.is_integers(top, *units)
            });
            self.sizes.insert(top, size);
            open.pop();
        }
        self.sizes.get(&id).copied().flatten()
    }

    /// Whether an object of so many units is an array of integers, or of such arrays, and not too
    /// large to be tracked.
    fn is_integers(&self, id: TypeId, units: u64) -> bool {
        let mut inner = self.types.row_element(id);
        let (mut rows, mut last) = match inner == id {
            true => (1_u64, 1_u64),
            false => (1, self.cells.into()),
        };
        while let Type::Array(element, Length::Constant(length)) = self.types.get(inner) {
            rows = last.saturating_mul(rows);
            (inner, last) = (element.id, *length);
        }
        let is_integer = matches!(self.scalar(inner), Some(Scalar::Integer(_) | Scalar::Truth));
        inner != id && is_integer && units <= MOST_TRACKED && rows <= MOST_ROWS
    }

    /// How many elements an array has at most.
    fn length(&self, length: Length) -> Option<u32> {
        match length {
            Length::Constant(length) => u32::try_from(length).ok(),
            Length::Variable(_) | Length::Unspecified | Length::Incomplete => None,
        }
    }

    /// The elements of the array without length that ends a struct.
    pub fn open_element(&self, id: TypeId) -> Option<TypeId> {
        let record = self.types.record(id).filter(|record| !record.is_union)?;
        let last = record.layout.as_ref()?.fields.last()?;
        match self.types.get(last.qualified.id) {
            Type::Array(element, Length::Incomplete | Length::Constant(0)) => Some(element.id),
            _ => None,
        }
    }

    /// A struct that ends with an array without length, with so many elements of that.
    pub fn open_ended(&mut self, id: TypeId, count: u32) -> Option<Rc<Layout>> {
        let (units, _) = self.size(id)?;
        let (each, _) = self.size(self.open_element(id)?)?;
        let all = each.checked_mul(count.into())?.checked_add(units)?;
        let fits = count > 0 && all <= MOST_CELLS;
        let layout = fits.then(|| self.build(id, Vec::new(), count))??;
        Some(Rc::new(layout))
    }

    /// Whether what is stored as one type may be accessed as another. An array of variable size is
    /// accessed where its first element is.
    pub fn is_same_type(&self, stored: TypeId, accessed: TypeId) -> bool {
        let accessed = self.types.row_element(accessed);
        if stored == accessed {
            return true;
        }
        match (self.scalar(stored), self.scalar(accessed)) {
            (Some(Scalar::Integer(a)), Some(Scalar::Integer(b))) => a.bits == b.bits,
            (Some(Scalar::Pointer(_)), Some(Scalar::Pointer(_))) => true,
            _ => false,
        }
    }

    /// So many objects of a type, side by side; none if that is outside.
    pub fn row(&mut self, id: TypeId, count: u32) -> Option<Rc<Layout>> {
        let id = self.types.row_element(id);
        let (units, _) = self.size(id).filter(|(units, _)| *units > 0)?;
        let all = units.checked_mul(count.into())?;
        if count == 0 || all > MOST_CELLS {
            return None;
        }
        self.build(id, vec![(count, units as u32)], 1).map(Rc::new)
    }

    /// The cells of an object of this type; none if it is outside.
    pub fn of(&mut self, id: TypeId) -> Option<Rc<Layout>> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let size = self.size(id).filter(|(units, _)| *units > 0);
        let layout = size.and_then(|(units, _)| {
            let mut layout = match self.types.row_element(id) {
                element if element != id => {
                    let (each, _) = self.size(element)?;
                    self.build(element, vec![((units / each) as u32, each as u32)], 1)?
                }
                _ => self.build(id, Vec::new(), 1)?,
            };
            if units > self.most && self.is_integers(id, units) {
                (layout.is_tracked, layout.cells) = (true, self.followed);
            }
            Some(Rc::new(layout))
        });
        self.known.insert(id, layout.clone());
        layout
    }

    /// The nodes are numbered as they are met: depth first, parts in their order, because leaves of
    /// one node must be neighbours. An array without length at the end of the whole has so many
    /// elements.
    fn build(&mut self, id: TypeId, around: Vec<(u32, u32)>, open_length: u32) -> Option<Layout> {
        let mut layout = Layout {
            nodes: Vec::new(),
            leaves: Vec::new(),
            cells: 0,
            units: 0,
            is_tracked: false,
            open_end: None,
        };
        struct Open {
            type_id: TypeId,
            parent: Option<u32>,
            field: Option<u32>,
            /// Of a bit-field.
            bits: Option<u32>,
            /// Of an array without length at the end of a struct.
            length: Option<u32>,
            arrays: Vec<(u32, u32)>,
            start: u32,
        }
        enum Task {
            Enter(Open),
            Leave(u32),
            /// A member of this union is like another one.
            Share(u32, u32),
        }
        let mut tasks = vec![Task::Enter(Open {
            type_id: id,
            parent: None,
            field: None,
            bits: None,
            length: None,
            arrays: around,
            start: 0,
        })];
        while let Some(task) = tasks.pop() {
            let open = match task {
                Task::Leave(node) => {
                    layout.nodes[node as usize].leaves.1 = layout.leaves.len() as u32;
                    continue;
                }
                Task::Share(union, like) => {
                    if let NodeKind::Union { fields, .. } = &mut layout.nodes[union as usize].kind {
                        fields.extend(fields.get(like as usize).copied());
                    }
                    continue;
                }
                Task::Enter(open) => open,
            };
            let index = layout.nodes.len() as u32;
            if let (Some(parent), Some(_)) = (open.parent, open.field)
                && let NodeKind::Struct { fields } | NodeKind::Union { fields, .. } =
                    &mut layout.nodes[parent as usize].kind
            {
                fields.push(index);
            }
            let open_element = self.open_element(open.type_id);
            let open_length = if index == 0 { open_length } else { 1 };
            let units = match (open.length, self.types.get(open.type_id), open_element) {
                (Some(length), Type::Array(element, _), _) => {
                    self.size(element.id)?.0 * u64::from(length)
                }
                (_, _, Some(element)) => {
                    self.size(open.type_id)?.0 + self.size(element)?.0 * u64::from(open_length - 1)
                }
                _ => self.size(open.type_id)?.0,
            };
            let count = open.arrays.iter().map(|(length, _)| length).product();
            tasks.push(Task::Leave(index));
            let kind = match self.types.get(open.type_id) {
                Type::Array(element, declared) => {
                    let length = open.length.or_else(|| self.length(*declared))?;
                    let (inner, _) = self.size(element.id)?;
                    let mut arrays = open.arrays.clone();
                    arrays.push((length, inner as u32));
                    tasks.push(Task::Enter(Open {
                        type_id: element.id,
                        parent: Some(index),
                        field: None,
                        bits: None,
                        length: None,
                        arrays,
                        start: open.start,
                    }));
                    NodeKind::Array {
                        length,
                        element: index + 1,
                        is_open: open.length.is_some(),
                    }
                }
                Type::Record(_) => {
                    let record = self.types.record(open.type_id)?;
                    let fields = &record.layout.as_ref()?.fields;
                    let mut start = open.start;
                    let mut parts = Vec::with_capacity(fields.len());
                    for (field, number) in fields.iter().zip(1..) {
                        let is_open = open_element.is_some() && number == fields.len();
                        let number = number as u32 - 1;
                        let inner = match is_open {
                            true => 0,
                            false => self.size(field.qualified.id)?.0,
                        };
                        let is_like = |other: &Field| {
                            self.is_same_type(other.qualified.id, field.qualified.id)
                                && other.bits.is_none()
                                && field.bits.is_none()
                        };
                        if let Some(like) = fields[..number as usize].iter().position(is_like)
                            && record.is_union
                        {
                            parts.push(Task::Share(index, like as u32));
                            continue;
                        }
                        parts.push(Task::Enter(Open {
                            type_id: field.qualified.id,
                            parent: Some(index),
                            field: Some(number),
                            bits: field.bits.map(|bits| bits.width),
                            length: is_open.then_some(open_length),
                            arrays: open.arrays.clone(),
                            start,
                        }));
                        if !record.is_union {
                            start += inner as u32;
                        }
                    }
                    let members = parts.len();
                    tasks.extend(parts.into_iter().rev());
                    let fields = Vec::new();
                    match record.is_union {
                        true => {
                            layout.leaves.push(Leaf {
                                node: index,
                                scalar: Scalar::Integer(Width {
                                    bits: (usize::BITS - (members + 1).leading_zeros()) as u8,
                                    signed: false,
                                }),
                                first: layout.cells,
                            });
                            layout.cells += count;
                            let live = layout.leaves.len() as u32 - 1;
                            NodeKind::Union { fields, live }
                        }
                        false => NodeKind::Struct { fields },
                    }
                }
                _ => match self.scalar(open.type_id) {
                    Some(scalar) => {
                        let scalar = match (scalar, open.bits) {
                            (Scalar::Integer(width), Some(bits)) => Scalar::Integer(Width {
                                bits: bits as u8,
                                ..width
                            }),
                            (scalar, _) => scalar,
                        };
                        layout.leaves.push(Leaf {
                            node: index,
                            scalar,
                            first: layout.cells,
                        });
                        layout.cells += count;
                        NodeKind::Scalar(layout.leaves.len() as u32 - 1)
                    }
                    None => NodeKind::Opaque,
                },
            };
            let first = match kind {
                NodeKind::Scalar(leaf) | NodeKind::Union { live: leaf, .. } => leaf,
                _ => layout.leaves.len() as u32,
            };
            layout.nodes.push(Node {
                type_id: open.type_id,
                kind,
                arrays: open.arrays,
                count,
                start: open.start,
                units: units as u32,
                leaves: (first, first),
                parent: open.parent,
                field: open.field,
            });
        }
        let is_open_end = |node: &Node| {
            node.parent == Some(0) && matches!(node.kind, NodeKind::Array { is_open: true, .. })
        };
        let open_end = layout.nodes.iter().position(is_open_end);
        layout.open_end = open_end.map(|node| node as u32);
        let first = layout.nodes.first()?;
        layout.units = first.units * first.count;
        Some(layout)
    }
}

/// What values of a type are, if they are one scalar.
pub fn scalar(types: &Types, id: TypeId) -> Option<Scalar> {
    match types.get(id) {
        Type::Pointer(_) => Some(Scalar::Pointer(Codes::OPEN)),
        _ => match types.integer(id)? {
            Integer::Bool => Some(Scalar::Truth),
            Integer::Int128 | Integer::UnsignedInt128 => None,
            integer => Some(Scalar::Integer(Width {
                bits: integer.bits(types.model) as u8,
                signed: integer.is_signed(),
            })),
        },
    }
}
