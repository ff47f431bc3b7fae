//! Where the members of structs and unions lie, as gcc lays them out on x86.
//!
//! A member begins at the next multiple of its alignment. A bit-field follows the one before it,
//! unless it would lie in two units of its type: then it begins with the next one. Linear.

use super::types::{Bits, Field, Layout, Qualified, TypeId, Types};
use crate::names::Name;
use crate::source::Span;

/// A member as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    pub name: Option<Name>,
    pub span: Span,
    pub qualified: Qualified,
    /// Of a bit-field; 0 ends the unit.
    pub width: Option<u32>,
}

/// The layout of a struct or union with complete members, the last one of which may be an array
/// without length. None if it is larger than anything in memory.
pub fn layout(types: &Types, members: &[Declared], is_union: bool, packed: bool) -> Option<Layout> {
    let mut fields = Vec::with_capacity(members.len());
    // In bits.
    let mut end = 0_u64;
    let mut size = 0_u64;
    let mut alignment = 1_u64;
    for member in members {
        if is_union {
            end = 0;
        }
        let id = member.qualified.id;
        let own = if packed { 1 } else { types.alignment(id)? };
        let bits = match member.width {
            None => {
                end = end.checked_next_multiple_of(own * 8)?;
                None
            }
            Some(0) => {
                end = end.checked_next_multiple_of(types.alignment(id)? * 8)?;
                continue;
            }
            Some(width) => {
                let unit = types.size(id)? * 8;
                let first = end / (own * 8) * (own * 8);
                if !packed && end + u64::from(width) - first > unit {
                    end = end.checked_next_multiple_of(own * 8)?;
                }
                Some(Bits { start: end, width })
            }
        };
        // A bit-field without a name takes place, and aligns nothing.
        if member.name.is_some() || member.width.is_none() {
            alignment = alignment.max(own);
            fields.push(Field {
                name: member.name,
                span: member.span,
                qualified: member.qualified,
                offset: end / 8,
                bits,
            });
        }
        let length = match bits {
            Some(bits) => u64::from(bits.width),
            None => flexible_size(types, id)?.checked_mul(8)?,
        };
        end = end.checked_add(length)?;
        size = size.max(end);
    }
    let size = size.div_ceil(8).checked_next_multiple_of(alignment)?;
    Some(Layout {
        fields: fields.into(),
        size: Some(size).filter(|size| *size <= i64::MAX as u64 / 8)?,
        alignment,
    })
}

/// The size of a member: an array without length takes none.
fn flexible_size(types: &Types, id: TypeId) -> Option<u64> {
    match types.is_incomplete(id) {
        true => Some(0),
        false => types.size(id),
    }
}
