//! What all traces of a page share, each once and by number: strings, sets of values that
//! matter, places, and scopes.

use super::scopes::ScopeRow;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::hash::Hash;

/// Distinct things, numbered in the order in which they are first met.
type Set<T> = IndexSet<T, FxBuildHasher>;

/// Things by what they are made from, numbered likewise.
pub type Rows<K, T> = IndexMap<K, T, FxBuildHasher>;

#[derive(Default)]
pub struct Tables {
    pub strings: Set<String>,
    /// Numbers of strings: the names of values that matter.
    pub relevant: Set<Vec<usize>>,
    /// Of executions of C programs, all values that occur, a list for each.
    pub enumerations: Vec<Vec<String>>,
    pub points: Rows<(usize, PointKey), PointRow>,
    pub scopes: Rows<(usize, ScopeKey), ScopeRow>,
    /// The form that points and scopes are of: with its number they are different ones.
    pub form: usize,
}

/// What a step's place depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PointKey {
    /// The control point, or the symbol on top.
    pub at: Option<u32>,
    pub is_error: bool,
    /// Of a pushdown system: the control state, and the rule that is taken next.
    pub state: Option<u64>,
    pub rule: Option<u32>,
    /// Where the program has failed: why.
    pub failure: Option<String>,
}

/// Whose variables these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScopeKey {
    Globals,
    /// A procedure, or a group of symbols.
    Frame(u32),
    /// Where there is no frame.
    Nothing,
}

/// A place. Its text is left out where it is what the source says from begin to end.
pub struct PointRow {
    pub scope: usize,
    pub procedure: usize,
    pub line: u32,
    pub column: u32,
    /// How many lines further on it ends.
    pub lines: u32,
    pub end_column: u32,
    /// In the order of the contract: a statement is 0.
    pub kind: u32,
    pub labels: Vec<usize>,
    pub text: Option<usize>,
    /// Of several files, which.
    pub file: usize,
}

impl Serialize for PointRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_seq(None)?;
        row.serialize_element(&self.scope)?;
        row.serialize_element(&self.procedure)?;
        for number in [self.line, self.column, self.lines, self.end_column] {
            row.serialize_element(&number)?;
        }
        // Most places are statements without labels, and say nothing more.
        let has_more = self.text.is_some() || self.file > 0;
        if self.kind > 0 || !self.labels.is_empty() || has_more {
            row.serialize_element(&self.kind)?;
            row.serialize_element(&self.labels)?;
        }
        if has_more {
            row.serialize_element(&self.text)?;
        }
        if self.file > 0 {
            row.serialize_element(&self.file)?;
        }
        row.end()
    }
}

impl Tables {
    /// The number of a string.
    pub fn string(&mut self, text: &str) -> usize {
        match self.strings.get_index_of(text) {
            Some(number) => number,
            None => self.strings.insert_full(text.to_owned()).0,
        }
    }

    /// The numbers of several.
    pub fn strings(&mut self, texts: &[impl AsRef<str>]) -> Vec<usize> {
        texts
            .iter()
            .map(|text| self.string(text.as_ref()))
            .collect()
    }
}
