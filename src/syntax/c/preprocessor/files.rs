//! The files that have been read, one after the other in one source.
//!
//! Each is read once, however often it is included, so a place in it is one place.

use crate::names::Name;
use crate::source::{MAX_SOURCE_BYTES, Origin, Source};
use crate::syntax::c::lexer::CleanText;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// A file.
#[derive(Debug)]
pub struct File {
    /// How it is called in messages.
    pub name: Arc<str>,
    /// Where files are that it includes with quotes.
    pub directory: PathBuf,
    /// The directory behind the one that it was found in, among those for included files.
    pub next_directory: usize,
    /// Its offset in the source.
    pub start: u32,
    pub text: Rc<CleanText>,
    bytes: Vec<u8>,
    /// Whether it is not to be read a second time.
    pub is_once: bool,
    /// The macro that makes it empty, if it is defined.
    pub guard: Option<Name>,
    line_starts: OnceLock<Vec<u32>>,
    /// What directives say of its lines, by ascending offset.
    origins: Vec<Origin>,
}

#[derive(Debug, Default)]
pub struct Files {
    list: Vec<File>,
    by_path: FxHashMap<PathBuf, usize>,
}

impl Files {
    /// Adds a file. None if there are too many bytes then.
    pub fn add(&mut self, name: &str, path: &Path, bytes: Vec<u8>) -> Option<usize> {
        const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
        let bytes = match bytes.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => rest.to_vec(),
            None => bytes,
        };
        let start = self.end();
        if u64::from(start) + bytes.len() as u64 >= MAX_SOURCE_BYTES {
            return None;
        }
        self.by_path.insert(path.to_owned(), self.list.len());
        self.list.push(File {
            name: name.into(),
            directory: path.parent().unwrap_or(Path::new("")).to_owned(),
            next_directory: 0,
            start,
            text: Rc::new(CleanText::new(&bytes)),
            bytes,
            is_once: false,
            guard: None,
            line_starts: OnceLock::new(),
            origins: Vec::new(),
        });
        Some(self.list.len() - 1)
    }

    /// Where the next file begins: behind a line break.
    fn end(&self) -> u32 {
        let last = self.list.last();
        last.map_or(0, |last| last.end() + 1)
    }

    pub fn find(&self, path: &Path) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    pub fn get(&self, index: usize) -> &File {
        &self.list[index]
    }

    pub fn get_mut(&mut self, index: usize) -> &mut File {
        &mut self.list[index]
    }

    /// The file that a byte is in.
    pub fn index_of(&self, offset: u32) -> usize {
        let after = self.list.partition_point(|file| file.start <= offset);
        after.saturating_sub(1)
    }

    /// The line and the file that a byte is said to be in.
    pub fn position(&self, offset: u32) -> (u32, &Arc<str>) {
        let file = &self.list[self.index_of(offset)];
        let after = file.origins.partition_point(|one| one.offset <= offset);
        match file.origins[..after].last() {
            Some(origin) => {
                let lines = file.lines_to(offset) - file.lines_to(origin.offset);
                (origin.line + lines, &origin.file)
            }
            None => (file.lines_to(offset), &file.name),
        }
    }

    /// Notes that the line behind `offset` is said to be another one.
    pub fn presume(&mut self, offset: u32, line: u32, name: Option<&str>) {
        let file = match name {
            Some(name) => name.into(),
            None => self.position(offset).1.clone(),
        };
        let index = self.index_of(offset);
        let of = &mut self.list[index];
        let line_starts = of.line_starts();
        let next = line_starts.partition_point(|start| of.start + start <= offset);
        let Some(next) = line_starts.get(next).map(|start| of.start + start) else {
            return;
        };
        if let Err(place) = of.origins.binary_search_by_key(&next, |one| one.offset) {
            let offset = next;
            of.origins.insert(place, Origin { offset, line, file });
        }
    }

    /// All of them as a source.
    pub fn into_source(self) -> Source {
        let mut directives = Vec::new();
        let mut files = Vec::new();
        for file in self.list {
            directives.extend(file.origins);
            files.push((file.name, file.bytes));
        }
        Source::of_files(files, directives)
    }
}

impl File {
    /// How many bytes it has.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The offset behind its last byte.
    pub fn end(&self) -> u32 {
        self.start + self.bytes.len() as u32
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.bytes.iter().enumerate();
            let newlines = newlines.filter(|(_, byte)| **byte == b'\n');
            std::iter::once(0)
                .chain(newlines.map(|(at, _)| at as u32 + 1))
                .collect()
        })
    }

    /// The number of lines up to that of `offset`.
    fn lines_to(&self, offset: u32) -> u32 {
        let offset = offset - self.start;
        self.line_starts().partition_point(|start| *start <= offset) as u32
    }
}
