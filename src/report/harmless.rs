//! Text of a user's, made fit for a terminal: nothing in it is obeyed.

/// The text with what would move the cursor, change colours or turn the direction of
/// writing replaced.
pub fn harmless(text: &str) -> String {
    text.chars().map(harmless_character).collect()
}

/// The text on one line, blanks between its words, fit for a terminal.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    harmless(&words.join(" "))
}

/// The text, cut if it has more characters than `longest`.
pub fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(longest - 3).collect();
    short.push_str("...");
    short
}

/// The character itself, or what is shown in its place.
pub fn harmless_character(character: char) -> char {
    match character {
        '\t' | '\r' => ' ',
        _ if character.is_control() => '\u{fffd}',
        // Marks that are not seen, among them those that turn the direction.
        '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => '\u{fffd}',
        _ => character,
    }
}

/// Text between the tags of HTML, or in a label of Graphviz.
pub fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        assert_eq!(
            harmless("a\x1b[31mb\u{202e}\x07"),
            "a\u{fffd}[31mb\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn text_stays_text_between_tags() {
        assert_eq!(
            markup("a<b && \"c\">"),
            "a&lt;b &amp;&amp; &quot;c&quot;&gt;"
        );
    }
}
