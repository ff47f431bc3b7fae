//! Source text and places in it.
//!
//! A source is kept as bytes, because a comment may hold bytes that are not UTF-8.
//! Everything later refers to it by byte [`Span`]s; lines and columns are computed only
//! where a person or a script sees them. Several files can be one source: their bytes stand
//! one after the other, and a sorted table of [`Origin`]s says whose a byte is.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A half-open range of byte offsets in a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Self {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// Line and column, both from 1, the column counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The file and the line that a place is said to be in: where a file begins, or where a directive
/// in it says so. It counts up to the next origin.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The first byte of a line.
    pub offset: u32,
    /// The number of that line, from 1.
    pub line: u32,
    /// The name of the file.
    pub file: Arc<str>,
}

/// An input file (or standard input), with the files that it includes.
#[derive(Debug, Default)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
    /// By ascending offsets; empty for one file that has its own lines.
    origins: Vec<Origin>,
    /// Where files begin, in ascending order; empty for one file.
    files: Vec<u32>,
    line_starts: OnceLock<Vec<u32>>,
    /// How many characters there are before each multiple of [`STRIDE`] bytes, so that a
    /// column on a line of a megabyte is found as fast as on a short one.
    characters: OnceLock<Vec<u32>>,
    /// How many bytes have been parsed and how many given a meaning, together.
    visited: AtomicU64,
}

const STRIDE: usize = 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Spans are 32 bits wide, so longer inputs are refused when they are read.
pub const MAX_SOURCE_BYTES: u64 = u32::MAX as u64;

impl Source {
    /// The caller has made sure that `bytes` is no longer than [`MAX_SOURCE_BYTES`].
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Source {
            name: name.into(),
            bytes,
            ..Source::default()
        }
    }

    /// Several files, the first of which is the one that the user named; a line break that is
    /// in none of them stands between each two. `directives` say where, inside a file, other
    /// lines begin to count. The caller has made sure that all are no longer than
    /// [`MAX_SOURCE_BYTES`] together.
    pub fn of_files(files: Vec<(Arc<str>, Vec<u8>)>, directives: Vec<Origin>) -> Self {
        let mut source = Source::default();
        for (file, bytes) in files {
            if source.origins.is_empty() {
                source.name = file.to_string();
            } else {
                source.bytes.push(b'\n');
            }
            source.files.push(source.bytes.len() as u32);
            source.origins.push(Origin {
                offset: source.bytes.len() as u32,
                line: 1,
                file,
            });
            source.bytes.extend(bytes);
        }
        source.origins.extend(directives);
        source.origins.sort_by_key(|origin| origin.offset);
        source
    }

    /// The name the user gave: a path, or `-`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the file that a byte is said to be in.
    pub fn file_of(&self, offset: u32) -> &str {
        self.origin(offset)
            .map_or(&self.name, |origin| &origin.file)
    }

    /// The number of the file that a byte is in, whatever directives say.
    pub fn file_number(&self, offset: u32) -> usize {
        let after = self.files.partition_point(|start| *start <= offset);
        after.saturating_sub(1)
    }

    /// The bytes of the file that the user named.
    pub fn first_file(&self) -> &[u8] {
        let next = self.files.get(1).map(|next| *next as usize - 1);
        &self.bytes[..next.unwrap_or(self.bytes.len())]
    }

    /// The names and the texts of all files.
    pub fn files(&self) -> Vec<(&str, Cow<'_, str>)> {
        if self.files.is_empty() {
            return vec![(&self.name, String::from_utf8_lossy(&self.bytes))];
        }
        let ends = self.files.iter().skip(1).map(|next| next - 1);
        let ends = ends.chain([self.bytes.len() as u32]);
        let files = self.files.iter().zip(ends);
        let text = |(start, end): (&u32, u32)| {
            let name = self.origins.iter().find(|origin| origin.offset == *start);
            let name = name.map_or(&self.name[..], |origin| &origin.file);
            (name, self.text(Span::new(*start, end)))
        };
        files.map(text).collect()
    }

    fn origin(&self, offset: u32) -> Option<&Origin> {
        let after = self
            .origins
            .partition_point(|origin| origin.offset <= offset);
        self.origins[..after].last()
    }

    /// All of it, for what is wrong nowhere in particular.
    pub fn whole(&self) -> Span {
        Span::new(0, self.bytes.len() as u32)
    }

    /// The whole text, of several files one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where the parser notes how far it has come.
    pub fn visited(&self) -> &AtomicU64 {
        &self.visited
    }

    /// Notes that what stands before `offset` has been given a meaning.
    pub fn give_meaning(&self, offset: u32) {
        let visited = self.bytes.len() as u64 + u64::from(offset);
        self.visited.store(visited, Ordering::Relaxed);
    }

    /// How many bytes are done with: half of a byte's time goes into parsing it, half into its
    /// meaning.
    pub fn bytes_done(&self) -> u64 {
        self.visited.load(Ordering::Relaxed) / 2
    }

    /// The text at `span`; bytes that are not UTF-8 are replaced.
    pub fn text(&self, span: Span) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes[span.start as usize..span.end as usize])
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.bytes.iter().enumerate().filter(|(_, b)| **b == b'\n');
            std::iter::once(0)
                .chain(newlines.map(|(i, _)| i as u32 + 1))
                .collect()
        })
    }

    /// The whole line, without its line break, on which `offset` lies.
    pub fn line_span(&self, offset: u32) -> Span {
        let starts = self.line_starts();
        let line = starts.partition_point(|s| *s <= offset) - 1;
        let end = starts
            .get(line + 1)
            .map_or(self.bytes.len() as u32, |next| next - 1);
        Span::new(starts[line], end)
    }

    /// The number of characters before `offset`, a byte order mark not counted.
    fn characters_before(&self, offset: u32) -> u32 {
        let before = self.characters.get_or_init(|| {
            let mut sum = 0;
            let chunks = self.bytes.chunks(STRIDE);
            let sums = chunks.map(|chunk| {
                let before = sum;
                sum += count(chunk);
                before
            });
            sums.collect()
        });
        let offset = offset as usize;
        let stride = (offset / STRIDE).min(before.len().saturating_sub(1));
        let known = before.get(stride).copied().unwrap_or(0);
        let rest = &self.bytes[stride * STRIDE..offset];
        let mark = self.bytes.starts_with(BYTE_ORDER_MARK) && offset >= BYTE_ORDER_MARK.len();
        known + count(rest) - u32::from(mark)
    }

    /// Where the first and the last character of a span stand; of an empty one, where it is. One
    /// that speaks of the end of the text may lie behind it.
    pub fn ends(&self, span: Span) -> [Position; 2] {
        let length = self.bytes.len() as u32;
        let (start, end) = (span.start.min(length), span.end.min(length));
        let text = &self.bytes[start as usize..end.max(start) as usize];
        let begins = |byte: &u8| byte & 0xC0 != 0x80;
        let last = text.iter().rposition(begins).unwrap_or(0);
        [start, start + last as u32].map(|offset| self.position(offset))
    }

    /// The line and column of a byte.
    pub fn position(&self, offset: u32) -> Position {
        let lines_to = |offset| self.line_starts().partition_point(|s| *s <= offset);
        let line = lines_to(offset);
        let start = self.line_starts()[line - 1];
        let before = match start > 0 && (offset - start) as usize <= STRIDE {
            true => count(&self.bytes[start as usize..offset as usize]),
            false => self.characters_before(offset) - self.characters_before(start),
        };
        let line = match self.origin(offset) {
            Some(origin) => origin.line + (line - lines_to(origin.offset)) as u32,
            None => line as u32,
        };
        Position {
            line,
            column: before + 1,
        }
    }
}

/// The number of characters: each has one byte that does not continue another.
fn count(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|b| **b & 0xC0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = Source::new("t", "a\n// é x\nb".into());
        let x = source.bytes().iter().position(|b| *b == b'x').unwrap() as u32;
        assert_eq!(source.position(x), Position { line: 2, column: 6 });
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.text(source.line_span(x)), "// é x");
        assert_eq!(source.text(source.line_span(x + 2)), "b");
    }

    #[test]
    fn a_byte_order_mark_has_no_column() {
        let source = Source::new("t", "\u{FEFF}decl g;".into());
        assert_eq!(source.position(3), Position { line: 1, column: 1 });
    }

    #[test]
    fn each_file_has_its_own_lines() {
        let files = [("a.c", "1\n2"), ("b.h", "3\n4\n5\n"), ("c.h", "")];
        let files = files.map(|(name, text)| (name.into(), text.into()));
        let directive = Origin {
            offset: 6,
            line: 70,
            file: "y.y".into(),
        };
        let source = Source::of_files(files.into(), vec![directive]);
        assert_eq!(source.name(), "a.c");
        assert_eq!(source.bytes(), b"1\n2\n3\n4\n5\n\n");
        let place = |offset| (source.file_of(offset), source.position(offset).line);
        let places = [0, 2, 3, 4, 6, 8, 10, 11].map(place);
        let expected = [
            ("a.c", 1),
            ("a.c", 2),
            ("a.c", 2),
            ("b.h", 1),
            ("y.y", 70),
            ("y.y", 71),
            ("y.y", 72),
            ("c.h", 1),
        ];
        assert_eq!(places, expected);
        let files = source.files();
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        assert_eq!(files, [("a.c", "1\n2"), ("b.h", "3\n4\n5\n"), ("c.h", "")]);
        assert_eq!(
            [0, 3, 4, 10, 11].map(|at| source.file_number(at)),
            [0, 0, 1, 1, 2]
        );
        assert_eq!(source.text(source.line_span(2)), "2");
    }

    #[test]
    fn columns_on_long_lines() {
        let text = "é".repeat(3000) + "x";
        let source = Source::new("t", text.clone().into_bytes());
        let x = text.len() as u32 - 1;
        assert_eq!(source.position(x).column, 3001);
        assert_eq!(source.position(x + 1).column, 3002);
    }
}
