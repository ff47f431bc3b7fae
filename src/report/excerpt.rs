//! One line of a source, fit to be shown: a window around the place if the line is long,
//! and nothing in it that a terminal would obey.

use super::harmless::harmless_character;
use crate::source::{Source, Span};

/// How much of a line is shown, in characters.
const WIDTH: usize = 120;
/// How much of a long line is shown before the place.
const BEFORE: usize = 40;

/// A line, or the part of it around a span.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// The line of the span's beginning, from 1.
    pub line: u32,
    /// The bytes of `text` that show the span; what lies on later lines is left out.
    pub marked: std::ops::Range<usize>,
    /// The part of the source that is shown.
    shown: Span,
}

impl Excerpt {
    pub fn new(source: &Source, span: Span, line: u32) -> Self {
        let whole = source.line_span(span.start);
        let span = Span::new(span.start.min(whole.end), span.end.min(whole.end));
        let shown = window(source.bytes(), whole, span);
        let mut text = String::new();
        if shown.start > whole.start {
            text.push_str("... ");
        }
        let marked_start = text.len() + push(&mut text, source, shown.start, span.start);
        let marked_end =
            marked_start + push(&mut text, source, span.start, span.end.min(shown.end));
        push(&mut text, source, span.end.min(shown.end), shown.end);
        if shown.end < whole.end {
            text.push_str(" ...");
        }
        Excerpt {
            text,
            line,
            marked: marked_start..marked_end,
            shown,
        }
    }

    /// The bytes of `text` that show another span, if it lies wholly in what is shown.
    pub fn find(&self, source: &Source, span: Span) -> Option<std::ops::Range<usize>> {
        if span.start < self.shown.start || span.end > self.shown.end {
            return None;
        }
        // The dots before a window are not part of the source.
        let offset = |place: u32| {
            let dots = if self.text.starts_with("... ") && self.shown.start > 0 {
                self.dots(source)
            } else {
                0
            };
            dots + push(&mut String::new(), source, self.shown.start, place)
        };
        Some(offset(span.start)..offset(span.end))
    }

    fn dots(&self, source: &Source) -> usize {
        let begins_line = source.bytes().get(self.shown.start as usize - 1) == Some(&b'\n');
        if begins_line { 0 } else { 4 }
    }
}

/// The part of the line `whole` to show for `span`.
fn window(bytes: &[u8], whole: Span, span: Span) -> Span {
    if (whole.end - whole.start) as usize <= WIDTH {
        return whole;
    }
    // A character has at most four bytes: measured in bytes the window is no wider.
    let mut start = whole.start.max(span.start.saturating_sub(BEFORE as u32));
    let mut end = whole.end.min(start + WIDTH as u32);
    if end == whole.end {
        start = whole
            .start
            .max(end.saturating_sub(WIDTH as u32))
            .min(span.start);
    }
    while start > whole.start && is_continuation(bytes, start) {
        start -= 1;
    }
    while end < whole.end && is_continuation(bytes, end) {
        end += 1;
    }
    Span::new(start, end)
}

fn is_continuation(bytes: &[u8], offset: u32) -> bool {
    bytes
        .get(offset as usize)
        .is_some_and(|byte| byte & 0xc0 == 0x80)
}

/// Adds the source from `start` to `end` to `text`; how many bytes came to it.
fn push(text: &mut String, source: &Source, start: u32, end: u32) -> usize {
    let before = text.len();
    // The renderer widens tabs itself, and counts them as one column.
    text.extend(
        source
            .text(Span::new(start, end.max(start)))
            .chars()
            .map(|character| {
                if character == '\t' {
                    '\t'
                } else {
                    harmless_character(character)
                }
            }),
    );
    text.len() - before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_whole() {
        let source = Source::new("t", "a\n\tbé c\nd".into());
        let excerpt = Excerpt::new(&source, Span::new(3, 6), 2);
        assert_eq!(excerpt.text, "\tbé c");
        assert_eq!(&excerpt.text[excerpt.marked.clone()], "bé");
        let other = excerpt.find(&source, Span::new(7, 8));
        assert_eq!(&excerpt.text[other.expect("it is shown")], "c");
        assert_eq!(excerpt.find(&source, Span::new(0, 1)), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let mut text = "é".repeat(1000);
        text.push('x');
        text.push_str(&"ö".repeat(1000));
        let source = Source::new("t", text.into_bytes());
        let excerpt = Excerpt::new(&source, Span::new(2000, 2001), 1);
        assert_eq!(&excerpt.text[excerpt.marked.clone()], "x");
        assert!(excerpt.text.starts_with("... é") && excerpt.text.ends_with("ö ..."));
        assert!(excerpt.text.len() < 200);
        let found = excerpt.find(&source, Span::new(2000, 2001));
        assert_eq!(found, Some(excerpt.marked));
    }
}
