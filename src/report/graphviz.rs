//! Texts in pictures for Graphviz: cut where they would make a box or an arrow too large (the tool
//! tip has all of it), and escaped.

use super::harmless::shortened;

/// Of a list with more lines than this, the others are counted.
const MOST_LINES: usize = 12;

/// Text inside a string in quotes.
pub fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    escaped.replace('\n', "\\n")
}

/// Texts one below the other, for a label in quotes; one alone is in the middle.
pub fn label(texts: &[String], longest: usize) -> String {
    if let [one] = texts {
        return quoted(&shortened(one, longest));
    }
    let shown = texts.iter().take(MOST_LINES);
    let mut lines: String = shown
        .map(|text| quoted(&shortened(text, longest)) + "\\l")
        .collect();
    if texts.len() > MOST_LINES {
        lines.push_str(&format!("... {} more\\l", texts.len() - MOST_LINES));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_program_cannot_end_its_string() {
        assert_eq!(quoted("a\"b\\\nc"), "a\\\"b\\\\\\nc");
    }

    #[test]
    fn long_lists_are_counted() {
        let texts: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        assert_eq!(label(&texts[..1], 9), "0");
        assert_eq!(label(&texts[..2], 9), "0\\l1\\l");
        assert!(label(&texts, 9).ends_with("11\\l... 8 more\\l"));
    }
}
