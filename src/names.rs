//! Interned names: a program with a hundred thousand procedures keeps each name once.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A name, equal exactly if its text is equal (within one [`Names`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

impl Name {
    /// Dense from 0, for tables that are indexed by name.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, Default)]
pub struct Names(IndexSet<Box<str>, FxBuildHasher>);

impl Names {
    pub fn intern(&mut self, text: &str) -> Name {
        let index = match self.0.get_index_of(text) {
            Some(index) => index,
            None => self.0.insert_full(text.into()).0,
        };
        Name(index as u32)
    }

    /// The name with this text, if there is one.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.0.get_index_of(text).map(|index| Name(index as u32))
    }

    /// The name with this index, if there is one.
    pub fn nth(&self, index: usize) -> Option<Name> {
        (index < self.0.len()).then_some(Name(index as u32))
    }

    /// How many different names there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn text(&self, name: Name) -> &str {
        &self.0[name.0 as usize]
    }
}
