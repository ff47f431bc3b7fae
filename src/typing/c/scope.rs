//! What names mean: objects, functions, types, constants, tags.

use super::Typing;
use super::tree::{EnumerationId, FunctionId, ObjectId, Qualified, RecordId, TypeId};
use crate::names::Name;
use crate::source::Span;
use rustc_hash::FxHashSet;

/// What a name means, and where it got that meaning.
#[derive(Clone, Copy, Debug)]
pub struct Meaning {
    pub symbol: Symbol,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symbol {
    Object(ObjectId),
    Function(FunctionId),
    Typedef(Qualified),
    /// Of an enumeration.
    Constant(i128, TypeId),
    /// Its declaration could not be read, or it has none and that was reported.
    Lost,
}

/// What the name after `struct`, `union` or `enum` means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tag {
    Record(RecordId),
    Enumeration(EnumerationId),
}

/// What the parameters of a function declare, kept for its body.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    symbols: Vec<(Name, Meaning)>,
    tags: Vec<(Name, Tag)>,
}

impl Declared {
    /// Adds what is not declared yet.
    pub fn extend(&mut self, other: Declared) {
        let known: FxHashSet<Name> = self.symbols.iter().map(|(name, _)| *name).collect();
        let tags: FxHashSet<Name> = self.tags.iter().map(|(name, _)| *name).collect();
        let symbols = other.symbols.into_iter();
        self.symbols
            .extend(symbols.filter(|(name, _)| !known.contains(name)));
        let others = other.tags.into_iter();
        self.tags
            .extend(others.filter(|(name, _)| !tags.contains(name)));
    }
}

impl Typing<'_> {
    pub(super) fn declare(&mut self, name: Name, symbol: Symbol, span: Span) {
        self.symbols.declare(name, Meaning { symbol, span });
    }

    pub(super) fn open_scope(&mut self) {
        self.symbols.open();
        self.tags.open();
        self.barriers.open();
    }

    pub(super) fn close_scope(&mut self) {
        self.symbols.close();
        self.tags.close();
        self.barriers.close();
    }

    /// Closes a scope, to be opened again.
    pub(super) fn suspend_scope(&mut self) -> Declared {
        let declared = Declared {
            symbols: self.symbols.here().collect(),
            tags: self.tags.here().collect(),
        };
        self.close_scope();
        declared
    }

    pub(super) fn resume_scope(&mut self, declared: Declared) {
        self.open_scope();
        for (name, meaning) in declared.symbols {
            self.symbols.declare(name, meaning);
        }
        for (name, tag) in declared.tags {
            self.tags.declare(name, tag);
        }
    }

    /// Whether no block or list of parameters is open. What a rule declares is in a scope inside
    /// the program's.
    pub(super) fn at_file_scope(&self) -> bool {
        self.symbols.depth() <= 1 + usize::from(self.rule.is_some())
    }
}
