//! Which types are compatible, and what two declarations of one thing say together.
//!
//! Pairs of types wait on a list; structs of two files are compared member by member, and a pair
//! that is being compared is taken to be compatible, so that a list's node may point to itself.

use super::types::{Integer, Length, Signature, Type, TypeId, Types};
use rustc_hash::FxHashSet;

impl Types {
    /// Whether a declaration with the one type agrees with one with the other.
    pub fn compatible(&self, one: TypeId, other: TypeId) -> bool {
        if one == other {
            return true;
        }
        let mut work = vec![(one, other)];
        let mut assumed = FxHashSet::default();
        while let Some((one, other)) = work.pop() {
            if one == other || !assumed.insert((one, other)) {
                continue;
            }
            let agree = match (self.get(one), self.get(other)) {
                (Type::Unknown, _) | (_, Type::Unknown) => true,
                (Type::Enumeration(_), Type::Integer(_) | Type::Enumeration(_))
                | (Type::Integer(_), Type::Enumeration(_)) => self.same_integer(one, other),
                (Type::Pointer(one), Type::Pointer(other)) => {
                    work.push((one.id, other.id));
                    one.qualifiers == other.qualifiers
                }
                (Type::Array(one, length), Type::Array(other, other_length)) => {
                    work.push((one.id, other.id));
                    let lengths = match (length, other_length) {
                        (Length::Constant(one), Length::Constant(other)) => one == other,
                        _ => true,
                    };
                    lengths && one.qualifiers == other.qualifiers
                }
                (Type::Function(one), Type::Function(other)) => {
                    work.push((one.result, other.result));
                    self.same_parameters(one, other, &mut work)
                }
                (Type::Record(_), Type::Record(_)) => self.same_members(one, other, &mut work),
                _ => false,
            };
            if !agree {
                return false;
            }
        }
        true
    }

    /// Two enumerations are one type if they are of two files and have the same constants.
    fn same_integer(&self, one: TypeId, other: TypeId) -> bool {
        let constants = match (self.get(one), self.get(other)) {
            (Type::Enumeration(one), Type::Enumeration(other)) => {
                let [one, other] = [one, other].map(|id| &self.enumerations[id.0 as usize]);
                one.tag == other.tag && one.constants == other.constants
            }
            _ => true,
        };
        constants && self.integer(one) == self.integer(other)
    }

    fn same_parameters(
        &self,
        one: &Signature,
        other: &Signature,
        work: &mut Vec<(TypeId, TypeId)>,
    ) -> bool {
        match (&one.parameters, &other.parameters) {
            (None, None) => true,
            (Some(parameters), None) => !one.variadic && self.all_promoted(parameters),
            (None, Some(parameters)) => !other.variadic && self.all_promoted(parameters),
            (Some(parameters), Some(others)) => {
                work.extend(parameters.iter().copied().zip(others.iter().copied()));
                parameters.len() == others.len() && one.variadic == other.variadic
            }
        }
    }

    /// Whether arguments that nothing is known of arrive as these.
    fn all_promoted(&self, parameters: &[TypeId]) -> bool {
        use super::types::Floating;
        parameters.iter().all(|id| match self.get(*id) {
            Type::Integer(integer) => integer.rank() >= Integer::Int.rank(),
            Type::Floating(floating) => *floating != Floating::Float,
            _ => true,
        })
    }

    fn same_members(&self, one: TypeId, other: TypeId, work: &mut Vec<(TypeId, TypeId)>) -> bool {
        let (Some(one), Some(other)) = (self.record(one), self.record(other)) else {
            return false;
        };
        if one.unit == other.unit || one.tag != other.tag || one.is_union != other.is_union {
            return false;
        }
        let (Some(one), Some(other)) = (&one.layout, &other.layout) else {
            return true;
        };
        let fields = one.fields.iter().zip(&other.fields);
        work.extend(
            fields
                .clone()
                .map(|(a, b)| (a.qualified.id, b.qualified.id)),
        );
        let same = |(a, b): (&super::types::Field, &super::types::Field)| {
            a.name == b.name && a.bits == b.bits && a.offset == b.offset
        };
        one.fields.len() == other.fields.len() && fields.into_iter().all(same)
    }

    /// What two compatible declarations say together: the length of an array, and the parameters
    /// of a function, may be in one of them only.
    pub fn composite(&self, one: TypeId, other: TypeId) -> TypeId {
        match (self.get(one), self.get(other)) {
            (Type::Array(_, Length::Incomplete), Type::Array(..)) => other,
            (Type::Function(one), Type::Function(parameters))
                if one.parameters.is_none() && parameters.parameters.is_some() =>
            {
                other
            }
            _ => one,
        }
    }
}
