//! The types of functions of C's library, for programs that call one without declaring it.
//!
//! gcc knows them all the same, with these types.

use super::tree::{Integer, Qualified, Qualifiers, Signature, TypeId, Types};

/// A name, and a letter for the result and for each parameter; a dot if more may follow.
#[derive(Clone, Copy, Debug)]
pub struct LibraryFunction {
    name: &'static str,
    letters: &'static str,
}

/// `v` is `void`, `i` is `int`, `l` is `long`, `z` is `size_t`, `p` is `void *`, `q` is
/// `const void *`, `s` is `char *`, `t` is `const char *`.
const FUNCTIONS: &[(&str, &str)] = &[
    ("_Exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("alloca", "pz"),
    ("calloc", "pzz"),
    ("exit", "vi"),
    ("free", "vp"),
    ("labs", "ll"),
    ("malloc", "pz"),
    ("memchr", "pqiz"),
    ("memcmp", "iqqz"),
    ("memcpy", "ppqz"),
    ("memmove", "ppqz"),
    ("memset", "ppiz"),
    ("printf", "it."),
    ("putchar", "ii"),
    ("puts", "it"),
    ("realloc", "ppz"),
    ("snprintf", "iszt."),
    ("sprintf", "ist."),
    ("strcat", "sst"),
    ("strchr", "sti"),
    ("strcmp", "itt"),
    ("strcpy", "sst"),
    ("strlen", "zt"),
    ("strncmp", "ittz"),
    ("strncpy", "sstz"),
];

pub fn find(name: &str) -> Option<LibraryFunction> {
    let index = FUNCTIONS
        .binary_search_by_key(&name, |(name, _)| name)
        .ok()?;
    let (name, letters) = FUNCTIONS[index];
    Some(LibraryFunction { name, letters })
}

/// What `__VERIFIER_nondet_T` returns that nobody has declared, if T is an integer type other than
/// `int`.
pub fn nondet(name: &str) -> Option<Integer> {
    Some(match name.strip_prefix("__VERIFIER_nondet_")? {
        "bool" | "_Bool" => Integer::Bool,
        "char" => Integer::Char,
        "schar" => Integer::SignedChar,
        "uchar" | "unsigned_char" | "u8" => Integer::UnsignedChar,
        "short" => Integer::Short,
        "ushort" | "unsigned_short" | "u16" => Integer::UnsignedShort,
        "uint" | "unsigned" | "unsigned_int" | "u32" => Integer::UnsignedInt,
        "long" => Integer::Long,
        "ulong" | "unsigned_long" | "size_t" => Integer::UnsignedLong,
        "longlong" => Integer::LongLong,
        "ulonglong" => Integer::UnsignedLongLong,
        _ => return None,
    })
}

impl LibraryFunction {
    pub fn is_noreturn(self) -> bool {
        ["_Exit", "abort", "exit"].contains(&self.name)
    }

    pub fn signature(self, types: &mut Types) -> Signature {
        let variadic = self.letters.ends_with('.');
        let letters = self.letters.trim_end_matches('.').chars();
        let mut all = letters.map(|letter| type_of(letter, types));
        let result = all.next().unwrap_or(Types::VOID);
        Signature {
            result,
            parameters: Some(all.collect()),
            variadic,
        }
    }
}

fn type_of(letter: char, types: &mut Types) -> TypeId {
    let char = types.of(Integer::Char);
    let constant = |id: TypeId| Qualified {
        id,
        qualifiers: Qualifiers {
            constant: true,
            ..Qualifiers::default()
        },
    };
    match letter {
        'i' => types.of(Integer::Int),
        'l' => types.of(Integer::Long),
        'z' => types.of(types.size_integer()),
        'p' => types.pointer_to(Types::VOID),
        'q' => types.pointer_to(constant(Types::VOID)),
        's' => types.pointer_to(char),
        't' => types.pointer_to(constant(char)),
        _ => Types::VOID,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(FUNCTIONS.is_sorted_by_key(|(name, _)| *name));
        assert!(find("malloc").is_some());
        assert!(find("mallo").is_none());
    }
}
