//! Types as text, as C writes them.

use super::types::{Floating, Length, Qualified, Qualifiers, Type, TypeId, Types};
use crate::names::Names;
use crate::syntax::kit::tree::shorten;

/// How many parts of a type are shown, and how deep parameters are.
const PARTS: usize = 20;
const DEPTH: usize = 2;

impl Types {
    /// The type for a message.
    pub fn show(&self, id: TypeId, names: &Names) -> String {
        self.text(id.into(), names, DEPTH)
    }

    /// The declarator grows from the inside while the type is taken apart from the outside.
    fn text(&self, qualified: Qualified, names: &Names, depth: usize) -> String {
        let mut declarator = String::new();
        let mut qualified = qualified;
        for _ in 0..PARTS {
            let enclose = |declarator: &mut String| {
                if declarator.starts_with('*') {
                    *declarator = format!("({declarator})");
                }
            };
            match self.get(qualified.id) {
                Type::Pointer(target) => {
                    let own = spell(qualified.qualifiers);
                    declarator = format!("*{own}{declarator}");
                    qualified = *target;
                }
                Type::Array(element, length) => {
                    enclose(&mut declarator);
                    match length {
                        Length::Constant(length) => declarator += &format!("[{length}]"),
                        Length::Incomplete => declarator += "[]",
                        Length::Variable(_) | Length::Unspecified => declarator += "[*]",
                    }
                    qualified = *element;
                }
                Type::Function(signature) => {
                    enclose(&mut declarator);
                    let parameters = match &signature.parameters {
                        None => String::new(),
                        Some(_) if depth == 0 => "…".into(),
                        Some(list) if list.is_empty() => "void".into(),
                        Some(list) => {
                            let shown = list.iter();
                            let shown = shown.map(|id| self.text((*id).into(), names, depth - 1));
                            let mut shown: Vec<String> = shown.collect();
                            if signature.variadic {
                                shown.push("...".into());
                            }
                            shown.join(", ")
                        }
                    };
                    declarator += &format!("({parameters})");
                    qualified = signature.result.into();
                }
                _ => {
                    let base = self.base(qualified.id, names);
                    let blank = if declarator.is_empty() { "" } else { " " };
                    return format!("{}{base}{blank}{declarator}", spell(qualified.qualifiers));
                }
            }
        }
        format!("… {declarator}")
    }

    /// A type that is no pointer, array or function.
    fn base(&self, id: TypeId, names: &Names) -> String {
        let floating = |floating: Floating| match floating {
            Floating::Float => "float",
            Floating::Double => "double",
            Floating::LongDouble => "long double",
            Floating::Float128 => "_Float128",
        };
        let tagged = |keyword: &str, tag: Option<_>| match tag {
            Some(tag) => format!("{keyword} {}", shorten(names.text(tag))),
            None => format!("{keyword} {{…}}"),
        };
        match self.get(id) {
            Type::Integer(integer) => integer.spelling().into(),
            Type::Floating(kind) => floating(*kind).into(),
            Type::Complex(kind) => format!("_Complex {}", floating(*kind)),
            Type::Enumeration(id) => tagged("enum", self.enumerations[id.0 as usize].tag),
            Type::Record(id) => {
                let record = &self.records[id.0 as usize];
                tagged(if record.is_union { "union" } else { "struct" }, record.tag)
            }
            _ => "void".into(),
        }
    }
}

fn spell(qualifiers: Qualifiers) -> String {
    let words = [
        (qualifiers.constant, "const "),
        (qualifiers.volatile, "volatile "),
        (qualifiers.restrict, "restrict "),
        (qualifiers.atomic, "_Atomic "),
    ];
    let words = words.iter().filter(|(has, _)| *has);
    words.map(|(_, word)| *word).collect()
}
