//! Source text and places in it.
//!
//! A source is kept as bytes, because a comment may hold bytes that are not UTF-8.
//! Everything later refers to it by byte [`Span`]s; lines and columns are computed only
//! where a person or a script sees them.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// One input file (or standard input).
#[derive(Debug, Default)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
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
            line_starts: OnceLock::new(),
            characters: OnceLock::new(),
            visited: AtomicU64::new(0),
        }
    }

    /// The name the user gave: a path, or `-`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
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
        let line = self.line_starts().partition_point(|s| *s <= offset);
        let start = self.line_starts()[line - 1];
        let before = match start > 0 && (offset - start) as usize <= STRIDE {
            true => count(&self.bytes[start as usize..offset as usize]),
            false => self.characters_before(offset) - self.characters_before(start),
        };
        Position {
            line: line as u32,
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
    fn columns_on_long_lines() {
        let text = "é".repeat(3000) + "x";
        let source = Source::new("t", text.clone().into_bytes());
        let x = text.len() as u32 - 1;
        assert_eq!(source.position(x).column, 3001);
        assert_eq!(source.position(x + 1).column, 3002);
    }
}
