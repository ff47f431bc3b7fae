//! Domains: finite sets of values, equal if they are built alike.
//!
//! Each is kept once, so that structural equality is equality of numbers. A value consists of
//! *leaves*: numbers, control points, rows of bits. How many leaves there are is known without
//! listing them, so that an array of a million elements costs nothing until it is used.

use super::tree::Comparison;
use indexmap::IndexSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DomainId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// Empty if `high` is below `low`.
    Range {
        low: i128,
        high: i128,
    },
    Point,
    Locals,
    Globals,
    Record(Box<[(String, DomainId)]>),
    Array {
        low: i128,
        high: i128,
        element: DomainId,
    },
    /// That of a variable whose type has a mistake.
    Unknown,
}

/// What a value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    Number { low: i128, high: i128 },
    Point,
    Locals,
    Globals,
}

/// All domains met so far, those that have a name first.
#[derive(Clone, Debug)]
pub struct Domains {
    known: IndexSet<Domain>,
    /// For each domain, how many leaves its values have, and how deep it nests.
    sizes: Vec<(u64, u32)>,
}

pub const BOOL: DomainId = DomainId(0);
pub const POINT: DomainId = DomainId(1);
pub const LOCALS: DomainId = DomainId(2);
pub const GLOBALS: DomainId = DomainId(3);
pub const STATE: DomainId = DomainId(4);
pub const UNKNOWN: DomainId = DomainId(5);

impl Default for Domains {
    fn default() -> Self {
        let mut domains = Domains {
            known: IndexSet::new(),
            sizes: Vec::new(),
        };
        domains.intern(Domain::Range { low: 0, high: 1 });
        domains.intern(Domain::Point);
        domains.intern(Domain::Locals);
        domains.intern(Domain::Globals);
        let fields = [("pc", POINT), ("L", LOCALS), ("G", GLOBALS)];
        let fields = fields.map(|(name, domain)| (name.to_owned(), domain));
        domains.intern(Domain::Record(fields.into()));
        domains.intern(Domain::Unknown);
        domains
    }
}

impl Domains {
    pub fn intern(&mut self, domain: Domain) -> DomainId {
        let size = match &domain {
            Domain::Range { .. } | Domain::Point | Domain::Locals | Domain::Globals => (1, 0),
            Domain::Unknown => (0, 0),
            Domain::Record(fields) => {
                let sizes = fields.iter().map(|(_, field)| self.sizes[field.0 as usize]);
                sizes.fold((0, 1), |(leaves, depth): (u64, u32), field| {
                    (leaves.saturating_add(field.0), depth.max(field.1 + 1))
                })
            }
            Domain::Array { low, high, element } => {
                let (leaves, depth) = self.sizes[element.0 as usize];
                (leaves.saturating_mul(length(*low, *high)), depth + 1)
            }
        };
        let (index, is_new) = self.known.insert_full(domain);
        if is_new {
            self.sizes.push(size);
        }
        DomainId(index as u32)
    }

    pub fn get(&self, id: DomainId) -> &Domain {
        &self.known[id.0 as usize]
    }

    /// How many leaves a value has.
    pub fn leaves(&self, id: DomainId) -> u64 {
        self.sizes[id.0 as usize].0
    }

    /// How deep records and arrays nest in it.
    pub fn depth(&self, id: DomainId) -> u32 {
        self.sizes[id.0 as usize].1
    }

    /// The leaves of a value, and where states begin among them. (Domains are not deep.)
    pub fn flatten(&self, id: DomainId, leaves: &mut Vec<Leaf>, states: &mut Vec<u32>) {
        if id == STATE {
            states.push(leaves.len() as u32);
        }
        match self.get(id) {
            Domain::Range { low, high } => leaves.push(Leaf::Number {
                low: *low,
                high: *high,
            }),
            Domain::Point => leaves.push(Leaf::Point),
            Domain::Locals => leaves.push(Leaf::Locals),
            Domain::Globals => leaves.push(Leaf::Globals),
            Domain::Unknown => {}
            Domain::Record(fields) => {
                for (_, field) in fields {
                    self.flatten(*field, leaves, states);
                }
            }
            Domain::Array { low, high, element } => {
                for _ in 0..length(*low, *high) {
                    self.flatten(*element, leaves, states);
                }
            }
        }
    }

    /// As messages show it.
    pub fn show(&self, id: DomainId) -> String {
        match self.get(id) {
            _ if id == BOOL => "bool".to_owned(),
            _ if id == STATE => "State".to_owned(),
            Domain::Range { low, high } => format!("{low}..{high}"),
            Domain::Point => "PC".to_owned(),
            Domain::Locals => "Locals".to_owned(),
            Domain::Globals => "Globals".to_owned(),
            Domain::Unknown => "unknown".to_owned(),
            Domain::Record(fields) => {
                let fields = fields.iter();
                let fields: Vec<_> = fields
                    .map(|(name, field)| format!("{name}: {}", self.show(*field)))
                    .collect();
                format!("{{ {} }}", fields.join(", "))
            }
            Domain::Array { low, high, element } => {
                format!("{}[{low}..{high}]", self.show(*element))
            }
        }
    }
}

/// How many numbers a range has.
pub fn length(low: i128, high: i128) -> u64 {
    match high >= low {
        true => u64::try_from(high - low)
            .unwrap_or(u64::MAX)
            .saturating_add(1),
        false => 0,
    }
}

impl Comparison {
    pub fn of_numbers(self, left: i128, right: i128) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Unequal => left != right,
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
        }
    }
}
