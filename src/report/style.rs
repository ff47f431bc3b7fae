//! How text is laid out: how wide it may be, its colours, and which steps are shown.

use std::io::Write;

/// How a report is written as text.
///
/// ```
/// use derny::TextStyle;
/// let style = TextStyle::default().width(80).fold(1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TextStyle {
    pub(crate) width: Option<usize>,
    pub(crate) color: bool,
    pub(crate) fold: Option<u64>,
    pub(crate) choices: bool,
    pub(crate) columns: bool,
}

impl TextStyle {
    /// No line has more characters than this.
    pub fn width(mut self, characters: usize) -> Self {
        self.width = Some(characters.max(1));
        self
    }

    /// With colours, as terminals understand them.
    pub fn color(mut self, color: bool) -> Self {
        self.color = color;
        self
    }

    /// Calls that return are folded where more frames than this are below them.
    pub fn fold(mut self, depth: u64) -> Self {
        self.fold = Some(depth);
        self
    }

    /// Each thread has a column of its own.
    pub fn columns(mut self, columns: bool) -> Self {
        self.columns = columns;
        self
    }

    /// Only steps are shown at which something was chosen.
    pub fn choices(mut self, only: bool) -> Self {
        self.choices = only;
        self
    }
}

/// What a piece of a line is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Good,
    Bad,
    Unsure,
    /// What a reader looks for.
    Strong,
    /// What changes.
    Change,
    /// What stands beside.
    Faint,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Good => "\u{1b}[1;32m",
            Paint::Bad => "\u{1b}[1;31m",
            Paint::Unsure => "\u{1b}[1;33m",
            Paint::Strong => "\u{1b}[1m",
            Paint::Change => "\u{1b}[36m",
            Paint::Faint => "\u{1b}[2m",
        }
    }
}

/// Writes lines, none wider than allowed.
pub struct TextWriter<'a, W: Write> {
    pub out: W,
    pub style: &'a TextStyle,
}

impl<W: Write> TextWriter<'_, W> {
    /// Writes pieces as one line; what does not fit goes on below, so far indented.
    pub fn line(&mut self, pieces: &[(Paint, &str)], indent: usize) -> std::io::Result<()> {
        let length = || -> usize { pieces.iter().map(|(_, text)| text.chars().count()).sum() };
        let width = self.style.width.unwrap_or(usize::MAX);
        if width == usize::MAX || length() <= width {
            for (paint, text) in pieces {
                self.piece(*paint, text)?;
            }
            return writeln!(self.out);
        }
        let characters = pieces
            .iter()
            .flat_map(|(paint, text)| text.chars().map(|character| (*paint, character)));
        let characters: Vec<_> = characters.collect();
        let mut rest = &characters[..];
        let mut indent_now = 0;
        while !rest.is_empty() {
            let room = width - indent_now;
            let (mut line, mut after) = rest.split_at(break_at(rest, room));
            while let [others @ .., (_, ' ')] = line {
                line = others;
            }
            while let [(_, ' '), others @ ..] = after {
                after = others;
            }
            write!(
                self.out,
                "{:1$}",
                "",
                if line.is_empty() { 0 } else { indent_now }
            )?;
            self.characters(line)?;
            writeln!(self.out)?;
            rest = after;
            indent_now = indent.min(width * 3 / 4);
        }
        Ok(())
    }

    fn characters(&mut self, characters: &[(Paint, char)]) -> std::io::Result<()> {
        let runs = characters.chunk_by(|a, b| a.0 == b.0);
        for run in runs {
            let text: String = run.iter().map(|(_, character)| character).collect();
            self.piece(run[0].0, &text)?;
        }
        Ok(())
    }

    fn piece(&mut self, paint: Paint, text: &str) -> std::io::Result<()> {
        match self.style.color && paint != Paint::Plain && !text.trim().is_empty() {
            true => write!(self.out, "{}{text}\u{1b}[0m", paint.code()),
            false => self.out.write_all(text.as_bytes()),
        }
    }
}

/// How many characters go on a line: up to the last blank, if there is one.
fn break_at(characters: &[(Paint, char)], room: usize) -> usize {
    let room = room.max(1);
    if characters.len() <= room {
        return characters.len();
    }
    let blank = |i: &usize| characters[*i].1 == ' ';
    let first_word = characters.iter().position(|(_, c)| *c != ' ').unwrap_or(0);
    (first_word + 1..=room).rev().find(blank).unwrap_or(room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(pieces: &[(Paint, &str)], style: &TextStyle, indent: usize) -> String {
        let mut writer = TextWriter {
            out: Vec::new(),
            style,
        };
        writer.line(pieces, indent).expect("written to memory");
        String::from_utf8(writer.out).expect("text")
    }

    proptest! {
        /// No line is too wide, and no character but blanks is lost.
        #[test]
        fn lines_fit_and_lose_nothing(
            text in "[a-zé ]{0,60}",
            more in "[a-z=,\\[\\]]{0,60}",
            width in 1..50_usize,
            indent in 0..60_usize,
        ) {
            let style = TextStyle::default().width(width);
            let pieces = [(Paint::Plain, &text[..]), (Paint::Change, &more[..])];
            let written = written(&pieces, &style, indent);
            prop_assert!(written.lines().all(|line| line.chars().count() <= width));
            let solid = |text: &str| -> String {
                text.chars().filter(|c| !c.is_whitespace()).collect()
            };
            prop_assert_eq!(solid(&written), solid(&format!("{text}{more}")));
        }
    }

    #[test]
    fn colours_take_no_room() {
        let style = TextStyle::default().width(9).color(true);
        let pieces = [(Paint::Bad, "violated"), (Paint::Plain, " G a")];
        let expected = "\u{1b}[1;31mviolated\u{1b}[0m\n  G a\n";
        assert_eq!(written(&pieces, &style, 2), expected);
    }
}
