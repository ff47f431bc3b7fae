//! From the words before declarators to a type, a storage class and qualifiers.

use super::Typing;
use super::scope::Symbol;
use super::tree::{
    ExpressionId, Floating, Integer, Length, ObjectId, Qualified, Qualifiers, Type, TypeId, Types,
};
use crate::names::Name;
use crate::source::Span;
use crate::syntax::c::tree::{Attribute, Context, Qualifier, Specifier};

/// A declaration that is being read.
#[derive(Debug)]
pub struct Declaration {
    pub context: Context,
    pub span: Span,
    pub storage: Option<StorageClass>,
    pub inline: bool,
    pub noreturn: bool,
    words: Words,
    /// A type that is no word: by its name, a struct, `typeof`.
    named: Option<Qualified>,
    /// What stands where a type should, and was reported.
    is_unknown: bool,
    /// `__auto_type`: the type is that of the initial value.
    pub is_auto: bool,
    qualifiers: Qualifiers,
    mode: Option<Name>,
    /// Whether the words were a struct, union or enumeration.
    pub has_tag: bool,
    /// What the words say, once they have all been read.
    pub base: Qualified,
    /// Where the parts of the declarator that is being read begin.
    pub parts: usize,
    /// How many declarators have been read.
    pub declarators: usize,
    /// The width of the bit-field that is being read.
    pub width: Option<u32>,
    /// The lengths of arrays of variable size, and the hidden objects that hold them.
    pub lengths: Vec<(ObjectId, ExpressionId)>,
    /// How many objects there were before.
    pub objects: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// How often each word of a type was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    void: u8,
    bool: u8,
    char: u8,
    short: u8,
    int: u8,
    long: u8,
    signed: u8,
    unsigned: u8,
    int128: u8,
    float: u8,
    double: u8,
    float128: u8,
    complex: u8,
    va_list: u8,
}

impl Typing<'_> {
    pub(super) fn begin_declaration(&mut self, context: Context, span: Span) {
        self.declarations.push(Declaration {
            context,
            span,
            storage: None,
            inline: false,
            noreturn: false,
            words: Words::default(),
            named: None,
            is_unknown: false,
            is_auto: false,
            qualifiers: Qualifiers::default(),
            mode: None,
            has_tag: false,
            base: Types::UNKNOWN.into(),
            parts: self.parts.len(),
            declarators: 0,
            width: None,
            lengths: Vec::new(),
            objects: self.program.objects.len(),
        });
    }

    pub(super) fn specifier(&mut self, specifier: Specifier, span: Span) {
        let Some(declaration) = self.declarations.last_mut() else {
            return;
        };
        let words = &mut declaration.words;
        let count = match specifier {
            Specifier::Typedef => return self.storage_class(StorageClass::Typedef, span),
            Specifier::Extern => return self.storage_class(StorageClass::Extern, span),
            Specifier::Static => return self.storage_class(StorageClass::Static, span),
            Specifier::Auto => return self.storage_class(StorageClass::Auto, span),
            Specifier::Register => return self.storage_class(StorageClass::Register, span),
            Specifier::ThreadLocal => return,
            Specifier::Inline => {
                declaration.inline = true;
                return;
            }
            Specifier::Noreturn => {
                declaration.noreturn = true;
                return;
            }
            Specifier::Qualifier(qualifier) => {
                declaration.qualifiers = declaration.qualifiers.union(one(qualifier));
                return;
            }
            Specifier::AutoType => {
                declaration.is_auto = true;
                return;
            }
            Specifier::Void => &mut words.void,
            Specifier::Bool => &mut words.bool,
            Specifier::Char => &mut words.char,
            Specifier::Short => &mut words.short,
            Specifier::Int => &mut words.int,
            Specifier::Long => &mut words.long,
            Specifier::Signed => &mut words.signed,
            Specifier::Unsigned => &mut words.unsigned,
            Specifier::Int128 => &mut words.int128,
            Specifier::Float => &mut words.float,
            Specifier::Double => &mut words.double,
            Specifier::Float128 => &mut words.float128,
            Specifier::Complex => &mut words.complex,
            Specifier::VaList => &mut words.va_list,
        };
        *count = count.saturating_add(1);
    }

    fn storage_class(&mut self, class: StorageClass, span: Span) {
        let Some(declaration) = self.declarations.last_mut() else {
            return;
        };
        let context = declaration.context;
        let wrong = match (declaration.storage.replace(class), context) {
            (Some(_), _) => Some("a declaration has one storage class at most"),
            (_, Context::Parameter | Context::OldParameter) => {
                (class != StorageClass::Register).then_some("a parameter has no storage class")
            }
            (_, Context::Member | Context::TypeName) => Some("no storage class is allowed here"),
            (_, Context::File) if matches!(class, StorageClass::Auto | StorageClass::Register) => {
                Some("this storage class is for variables of functions")
            }
            _ => None,
        };
        if let Some(message) = wrong {
            self.error(span, message);
        }
    }

    pub(super) fn typedef_name(&mut self, name: Name) {
        let meaning = self.symbols.get(name);
        match meaning.map(|meaning| meaning.symbol) {
            Some(Symbol::Typedef(qualified)) => self.set_named(qualified),
            _ => self.unknown_type(),
        }
    }

    pub(super) fn unknown_type(&mut self) {
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.is_unknown = true;
        }
    }

    /// A type that is no word has been read.
    pub(super) fn set_named(&mut self, qualified: Qualified) {
        let Some(declaration) = self.declarations.last_mut() else {
            return;
        };
        let span = declaration.span;
        if declaration.named.replace(qualified).is_some() {
            self.error(span, "two types in one declaration");
        }
    }

    pub(super) fn typeof_expression(&mut self) {
        let operand = self.pop();
        if let super::operand::OperandKind::Watch(_) = operand.kind {
            self.value(operand);
        }
        let id = self.operand_type(operand);
        let qualifiers = match operand.kind {
            super::operand::OperandKind::Place { qualifiers, .. } => qualifiers,
            _ => Qualifiers::default(),
        };
        self.set_named(Qualified { id, qualifiers });
    }

    pub(super) fn typeof_type(&mut self) {
        let operand = self.pop_type();
        if let Some(declaration) = self.declarations.last_mut() {
            declaration.lengths.extend(operand.lengths);
        }
        self.set_named(operand.qualified);
    }

    pub(super) fn atomic_type(&mut self) {
        let mut qualified = self.pop_type().qualified;
        qualified.qualifiers.atomic = true;
        self.set_named(qualified);
    }

    pub(super) fn attribute(&mut self, attribute: Attribute, span: Span) {
        let Some(declaration) = self.declarations.last_mut() else {
            return;
        };
        match attribute {
            Attribute::Noreturn => declaration.noreturn = true,
            Attribute::Mode(name) => {
                declaration.mode = Some(name);
                // Behind the words it changes what they have said.
                if declaration.base.id != Types::UNKNOWN {
                    let base = declaration.base;
                    let id = self.in_mode(base.id, name, span);
                    if let Some(declaration) = self.declarations.last_mut() {
                        declaration.base.id = id;
                    }
                }
            }
        }
    }

    /// An integer of the width that a machine mode has.
    fn in_mode(&mut self, id: TypeId, mode: Name, span: Span) -> TypeId {
        let Some(integer) = self.program.types.integer(id) else {
            return id;
        };
        let text = self.program.names.text(mode).trim_matches('_');
        let wide = match self.program.types.size_integer() {
            Integer::UnsignedLong => Integer::Long,
            _ => Integer::LongLong,
        };
        let signed = match text {
            "QI" | "byte" => Integer::SignedChar,
            "HI" => Integer::Short,
            "SI" => Integer::Int,
            "DI" => wide,
            "TI" => Integer::Int128,
            "word" | "pointer" | "unwind_word" => self.program.types.difference_integer(),
            _ => {
                let message = format!("unknown machine mode `{text}`");
                self.error(span, message);
                return id;
            }
        };
        self.program.types.of(match integer.is_signed() {
            true => signed,
            false => signed.unsigned(),
        })
    }

    /// All words have been read.
    pub(super) fn end_specifiers(&mut self) {
        let Some(declaration) = self.declarations.last() else {
            return;
        };
        let (words, span, mode) = (declaration.words, declaration.span, declaration.mode);
        let mut qualified = match declaration.named {
            Some(named) if words == Words::default() => named,
            Some(named) => {
                self.error(span, "two types in one declaration");
                named
            }
            None if declaration.is_unknown || declaration.is_auto => Types::UNKNOWN.into(),
            None => self.words_type(words, span).into(),
        };
        if let Some(mode) = mode {
            qualified.id = self.in_mode(qualified.id, mode, span);
        }
        if let Some(declaration) = self.declarations.last_mut() {
            qualified.qualifiers = qualified.qualifiers.union(declaration.qualifiers);
            declaration.base = qualified;
        }
    }

    fn words_type(&mut self, words: Words, span: Span) -> TypeId {
        let mut rest = words;
        let take = |count: &mut u8, most: u8| -> u8 {
            let taken = (*count).min(most);
            *count -= taken;
            taken
        };
        let signed = take(&mut rest.signed, 1);
        let unsigned = take(&mut rest.unsigned, 1);
        let is_complex = take(&mut rest.complex, 1) == 1;
        let int = take(&mut rest.int, 1);
        let long = take(&mut rest.long, 2);
        let base = Words { signed: 0, ..rest };
        let only = |words: Words| base == words;
        let none = Words::default();
        let has_sign = signed + unsigned > 0;
        let plain = int == 0 && !has_sign;
        let floating = match long {
            0 if plain && only(Words { float: 1, ..none }) => Some(Floating::Float),
            0 if plain && only(Words { double: 1, ..none }) => Some(Floating::Double),
            1 if plain && only(Words { double: 1, ..none }) => Some(Floating::LongDouble),
            0 if plain
                && only(Words {
                    float128: 1,
                    ..none
                }) =>
            {
                Some(Floating::Float128)
            }
            0 if plain && is_complex && only(none) => Some(Floating::Double),
            _ => None,
        };
        if let Some(floating) = floating {
            return self.program.types.intern(match is_complex {
                true => Type::Complex(floating),
                false => Type::Floating(floating),
            });
        }
        let integer = if signed + unsigned > 1 || is_complex {
            None
        } else if only(none) {
            match long {
                0 => Some(Integer::Int),
                1 => Some(Integer::Long),
                _ => Some(Integer::LongLong),
            }
        } else if long > 0 {
            None
        } else if only(Words { char: 1, ..none }) && int == 0 {
            Some(if signed == 1 {
                Integer::SignedChar
            } else {
                Integer::Char
            })
        } else if only(Words { short: 1, ..none }) {
            Some(Integer::Short)
        } else if only(Words { int128: 1, ..none }) && int == 0 {
            Some(Integer::Int128)
        } else if only(Words { bool: 1, ..none }) && plain {
            Some(Integer::Bool)
        } else if only(Words { void: 1, ..none }) && plain {
            return Types::VOID;
        } else if only(Words { va_list: 1, ..none }) && plain {
            return self.va_list();
        } else {
            None
        };
        let Some(integer) = integer else {
            self.error(span, "these words do not make a type");
            return Types::UNKNOWN;
        };
        if words == none {
            self.warn(span, "the type is missing: `int` is meant");
        }
        self.program.types.of(match unsigned {
            1 => integer.unsigned(),
            _ => integer,
        })
    }

    /// As large as gcc's: on x86-64 an array of one struct of 24 bytes.
    fn va_list(&mut self) -> TypeId {
        let types = &mut self.program.types;
        match types.pointer_size() {
            4 => types.pointer_to(Types::VOID),
            _ => {
                let element = types.of(Integer::UnsignedLong);
                types.intern(Type::Array(element.into(), Length::Constant(3)))
            }
        }
    }
}

/// One qualifier.
pub fn one(qualifier: Qualifier) -> Qualifiers {
    let mut qualifiers = Qualifiers::default();
    match qualifier {
        Qualifier::Const => qualifiers.constant = true,
        Qualifier::Volatile => qualifiers.volatile = true,
        Qualifier::Restrict => qualifiers.restrict = true,
        Qualifier::Atomic => qualifiers.atomic = true,
    }
    qualifiers
}
