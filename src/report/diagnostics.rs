//! Draws diagnostics under their source line.
//!
//! Each is shown with one line of the source, cut to a window where the line is long, so
//! that the cost depends on what is shown, not on the input; what is about the whole of a text is
//! shown without a line of it. Columns on a very long line are counted on from the diagnostic
//! before.

use super::excerpt::Excerpt;
use super::harmless::harmless;
use crate::diagnostic::{Diagnostic, Severity};
use crate::error::Diagnostics;
use crate::source::{Position, Source, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

impl Diagnostics {
    /// Drawn for people, each under its line of the text, in colours if wanted.
    pub fn draw(&self, colors: bool) -> String {
        let texts = self.texts.iter();
        let drawn = texts.map(|(source, list)| render(source, list, colors));
        drawn.collect()
    }
}

/// More are only counted: nobody reads on.
const MOST_SHOWN: usize = 50;

/// The diagnostics as text for people, each followed by a line break.
pub fn render(source: &Source, diagnostics: &[Diagnostic], color: bool) -> String {
    let shown = choose(diagnostics);
    let renderer = match color {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let renderer = renderer.term_width(160);
    let mut places = Places::default();
    let mut text = String::new();
    for diagnostic in &shown {
        let position = places.position(source, diagnostic.span.start);
        text.push_str(&draw(&renderer, source, diagnostic, position));
        text.push_str("\n\n");
    }
    let left_out = |severity| {
        let of = |list: &mut dyn Iterator<Item = &Diagnostic>| {
            list.filter(|d| d.severity == severity).count()
        };
        of(&mut diagnostics.iter()) - of(&mut shown.iter().copied())
    };
    let (errors, warnings) = (left_out(Severity::Error), left_out(Severity::Warning));
    match (errors, warnings) {
        (0, 0) => {}
        (0, _) => text.push_str(&format!("... and {}\n", count(warnings, "more warning"))),
        (_, 0) => text.push_str(&format!("... and {}\n", count(errors, "more error"))),
        _ => text.push_str(&format!(
            "... and {} and {}\n",
            count(errors, "more error"),
            count(warnings, "more warning")
        )),
    }
    text
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// Those to show, in their order: if there are too many, errors first.
fn choose(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    if diagnostics.len() <= MOST_SHOWN {
        return diagnostics.iter().collect();
    }
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    let (mut errors_left, mut warnings_left) = (MOST_SHOWN, MOST_SHOWN.saturating_sub(errors));
    let mut chosen = Vec::new();
    for diagnostic in diagnostics {
        let left = match diagnostic.severity {
            Severity::Error => &mut errors_left,
            Severity::Warning => &mut warnings_left,
        };
        if *left > 0 {
            *left -= 1;
            chosen.push(diagnostic);
        }
    }
    chosen
}

fn draw(
    renderer: &Renderer,
    source: &Source,
    diagnostic: &Diagnostic,
    position: Position,
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    if diagnostic.span == source.whole() && source.position(diagnostic.span.end).line > 1 {
        let group = level
            .primary_title(harmless(&diagnostic.message))
            .element(Origin::path(harmless(source.file_of(0))));
        return renderer.render(&[with_hint(group, diagnostic)]);
    }
    let excerpt = Excerpt::new(source, diagnostic.span, position.line);
    let mut annotation = AnnotationKind::Primary.span(excerpt.marked.clone());
    if let Some(label) = &diagnostic.label {
        annotation = annotation.label(harmless(label));
    }
    let mut annotations = vec![annotation];
    let mut elsewhere = None;
    if let Some((span, note)) = &diagnostic.related {
        match excerpt.find(source, *span) {
            Some(place) => {
                annotations.push(AnnotationKind::Context.span(place).label(harmless(note)));
            }
            None => elsewhere = Some((*span, note)),
        }
    }
    let file_of = |span: Span| harmless(source.file_of(span.start));
    let snippet = Snippet::source(excerpt.text.clone())
        .path(file_of(diagnostic.span))
        .line_start(position.line as usize)
        .annotations(annotations);
    let mut group = level
        .primary_title(harmless(&diagnostic.message))
        .element(snippet);
    let mut columns = vec![(excerpt, position, file_of(diagnostic.span))];
    if let Some((span, note)) = elsewhere {
        let line = line_of(source, span);
        let other = Excerpt::new(source, span, line);
        let annotation = AnnotationKind::Context.span(other.marked.clone());
        group = group.element(
            Snippet::source(other.text.clone())
                .path(file_of(span))
                .line_start(line as usize)
                .annotation(annotation.label(harmless(note))),
        );
        columns.push((other, source.position(span.start), file_of(span)));
    }
    let mut text = renderer.render(&[with_hint(group, diagnostic)]);
    // The renderer knows only what is shown of a line: its columns are put right.
    for (excerpt, position, name) in columns {
        let shown = excerpt.text[..excerpt.marked.start].chars().count() + 1;
        if shown != position.column as usize {
            let place = format!("{name}:{}:", position.line);
            let (wrong, right) = (
                format!("{place}{shown}"),
                format!("{place}{}", position.column),
            );
            text = text.replacen(&wrong, &right, 1);
        }
    }
    text
}

fn with_hint<'a>(group: Group<'a>, diagnostic: &'a Diagnostic) -> Group<'a> {
    match &diagnostic.hint {
        Some(hint) => group.element(Level::HELP.message(harmless(hint))),
        None => group,
    }
}

/// The line alone, without the cost of the column.
fn line_of(source: &Source, span: Span) -> u32 {
    let start = source.line_span(span.start).start;
    source.position(start).line
}

/// Finds positions in ascending order without counting a long line again and again.
#[derive(Default)]
struct Places {
    last: Option<(Span, u32, Position)>,
}

impl Places {
    fn position(&mut self, source: &Source, offset: u32) -> Position {
        let line = source.line_span(offset);
        let (from, mut position) = match self.last {
            Some((last_line, last_offset, position))
                if last_line == line && last_offset <= offset =>
            {
                (last_offset, position)
            }
            _ => (line.start, source.position(line.start)),
        };
        let bytes = &source.bytes()[from as usize..offset as usize];
        position.column += characters(bytes);
        self.last = Some((line, offset, position));
        position
    }
}

/// How many characters `bytes` are shown as; a stretch that is not UTF-8 as one.
fn characters(bytes: &[u8]) -> u32 {
    let counts = bytes
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()));
    counts.sum::<usize>() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_place_the_hint_and_the_other_place() {
        let source = Source::new("a.bp", "decl g;\ndecl g;\n".into());
        let diagnostic = Diagnostic::error(Span::new(13, 14), "two declarations of `g`")
            .with_related(Span::new(5, 6), "first declared here")
            .with_hint("remove one");
        let text = render(&source, &[diagnostic], false);
        assert!(text.contains("a.bp:2:6"), "{text}");
        assert!(text.contains("first declared here"), "{text}");
        assert!(text.contains("remove one"), "{text}");
    }

    #[test]
    fn many_are_counted_and_errors_come_before_warnings() {
        let source = Source::new("a.bp", "x".into());
        let mut list = vec![Diagnostic::warning(Span::new(0, 1), "w"); 60];
        list.push(Diagnostic::error(Span::new(0, 1), "e"));
        let text = render(&source, &list, false);
        assert_eq!(text.matches("warning: w").count(), 49);
        assert_eq!(text.matches("error: e").count(), 1);
        assert!(text.ends_with("... and 11 more warnings\n"), "{text}");
    }

    #[test]
    fn a_line_of_megabytes_is_shown_in_part() {
        let text = "x ".repeat(1_000_000);
        let source = Source::new("a.bp", text.into_bytes());
        let list: Vec<_> = (0..50)
            .map(|i| Diagnostic::error(Span::new(40_000 * i, 40_000 * i + 1), "e"))
            .collect();
        let text = render(&source, &list, false);
        assert!(text.len() < 50 * 400);
        assert!(text.contains("a.bp:1:1960001"));
    }
}
