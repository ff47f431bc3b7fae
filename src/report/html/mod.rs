//! A report as one HTML page, for people: every property, and the traces to walk through.
//!
//! The page is one file that needs nothing else and may load nothing else: style, script and
//! data are in it. The script is plain JavaScript, in the files beside this one, put together
//! as they are. The data are one JSON text (`data`), in which nothing can end the element it
//! stands in. What is there without scripts, and is printed, is the text of the report, up to
//! 2,000 lines.
//!
//! Linear in the report. What is too long to be opened in a browser is written again with
//! every call folded that returns.

mod data;
mod scopes;
mod steps;
mod tables;

use super::harmless::{harmless, markup};
use super::style::TextStyle;
use super::{Report, text};
use data::Calls;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::io::Write;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    include_str!("model.js"),
    include_str!("values.js"),
    include_str!("dom.js"),
    include_str!("timeline.js"),
    include_str!("lanes.js"),
    include_str!("threads.js"),
    include_str!("source.js"),
    include_str!("stack.js"),
    include_str!("steps.js"),
    include_str!("automaton.js"),
    include_str!("controls.js"),
    include_str!("page.js"),
);

/// How many lines of text are there without scripts.
const MOST_LINES: usize = 2000;
/// Longer data are written with calls folded.
const MOST_BYTES: usize = 50_000_000;

/// Writes the page.
pub fn write(report: &Report, out: &mut impl Write) -> std::io::Result<()> {
    let mut data = data::write(report, Calls::Unfolded)?;
    if data.len() > MOST_BYTES {
        data = data::write(report, Calls::Folded)?;
    }
    let title = escaped(&format!("derny: {}", report.input));
    let text = escaped(&beginning(report)?);
    // A word by which style and script are known. It is the same from run to run: it depends on
    // what is found, but on no time.
    let mut hasher = FxHasher::default();
    for part in [&title, &text, STYLE, SCRIPT] {
        hasher.write(part.as_bytes());
    }
    let nonce = format!("{:016x}", hasher.finish());
    // Placeholders are `{{name}}`: every other piece of the page is the name of one.
    for (i, piece) in PAGE.split("{{").flat_map(|p| p.split("}}")).enumerate() {
        let piece = match (i % 2, piece) {
            (0, piece) => piece,
            (_, "nonce") => &nonce,
            (_, "title") => &title,
            (_, "style") => STYLE,
            (_, "script") => SCRIPT,
            (_, "text") => &text,
            (_, _) => &data,
        };
        out.write_all(piece.as_bytes())?;
    }
    Ok(())
}

/// The first lines of the report's text.
fn beginning(report: &Report) -> std::io::Result<String> {
    let mut text = Vec::new();
    text::write(report, &TextStyle::default(), &mut text)?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<_> = text.lines().take(MOST_LINES).collect();
    let mut beginning = lines.join("\n");
    if let more @ 1.. = text.lines().skip(MOST_LINES).count() {
        beginning.push_str(&format!("\n... {more} more lines"));
    }
    Ok(beginning)
}

/// Text as HTML, line by line.
fn escaped(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(harmless).collect();
    markup(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_placeholder_is_known() {
        let names: Vec<_> = PAGE.split("{{").skip(1).collect();
        let names: Vec<_> = names.iter().filter_map(|p| p.split("}}").next()).collect();
        let known = ["nonce", "title", "style", "script", "text", "data"];
        assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
        assert!(known.iter().all(|name| names.contains(name)), "{names:?}");
    }

    #[test]
    fn script_and_style_are_small_and_end_no_element() {
        assert!(SCRIPT.len() + STYLE.len() + PAGE.len() <= 150_000);
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
