//! From files to the tokens of translation units.

use super::DataModel;
use super::token::{Token, Vocabulary};
use crate::source::{Source, Span};
use crate::syntax::Collector;
use std::io;
use std::path::{Path, PathBuf};

/// How files are read.
pub struct Options<'a> {
    /// Where included files are looked for, in this order.
    pub directories: Vec<PathBuf>,
    /// Macros that are defined before the first line: `NAME` or `NAME=VALUE`.
    pub definitions: Vec<String>,
    /// What predefined macros say of the sizes of types.
    pub model: DataModel,
    /// Whether markers like `# 12 "file.c"` in the text tell lines and files; otherwise they are
    /// skipped.
    pub honours_markers: bool,
    /// Reads an included file.
    pub reader: &'a dyn Fn(&Path) -> io::Result<Vec<u8>>,
}

/// Translation units, with all that was read for them.
#[derive(Debug)]
pub struct Preprocessed {
    /// All files: those given, and those included.
    pub source: Source,
    /// One for each file given.
    pub units: Vec<Unit>,
    /// What the tokens of all units say.
    pub vocabulary: Vocabulary,
    /// What is wrong so far.
    pub collector: Collector,
    /// Where macros are used, by ascending places. No two overlap.
    pub(super) uses: Vec<Span>,
}

/// A translation unit.
#[derive(Debug)]
pub struct Unit {
    /// Its tokens; the last one is the end of the file.
    pub tokens: Vec<Token>,
}

impl Preprocessed {
    /// The span, with the whole of each use of a macro that it lies in or cuts. An argument's
    /// tokens stand where they are written, so what begins with one begins inside the use.
    pub fn whole(&self, span: Span) -> Span {
        let first = self.uses.partition_point(|one| one.end <= span.start);
        let behind = self.uses.partition_point(|one| one.start < span.end);
        let cut = self.uses.get(first..behind).unwrap_or_default();
        cut.iter().fold(span, |span, one| span.to(*one))
    }
}
