//! Property files: a named formula a line, `name: FORMULA`; `#` begins a comment. Linear but for
//! the search for a name that occurs twice.

use super::Request;
use super::request::Origin;
use nom::bytes::complete::{tag, take_until, take_while};
use nom::sequence::separated_pair;
use nom::{IResult, Parser};
use std::cell::Cell;
use std::fmt;
use std::path::Path;

/// What is wrong with a property file, and in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecificationError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong in it.
    pub message: String,
}

impl fmt::Display for SpecificationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl std::error::Error for SpecificationError {}

/// The properties of a file, from its text.
pub fn parse_specification(file: &Path, text: &str) -> Result<Vec<Request>, SpecificationError> {
    let mut requests: Vec<Request> = Vec::new();
    for (whole, line) in text.lines().zip(1..) {
        let text = whole.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |message| Err(SpecificationError { line, message });
        let Ok((_, (name, formula))) = property(text) else {
            return wrong(format!("expected `name: FORMULA`, found `{text}`"));
        };
        let (name, formula) = (name.trim(), formula.trim());
        let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || !name.chars().all(is_name) {
            return wrong(format!("`{name}` is no name: expected `name: FORMULA`"));
        }
        if formula.is_empty() {
            return wrong(format!("`{name}` has no formula"));
        }
        if requests.iter().any(|r| r.name() == Some(name)) {
            return wrong(format!("there are two properties `{name}`"));
        }
        let behind_colon = whole.split_once(':').map_or(whole, |(_, rest)| rest);
        let before = whole.len() - behind_colon.trim_start().len();
        let origin = Origin {
            file: file.to_owned(),
            line: line as u32,
            column: whole[..before].chars().count() as u32 + 1,
        };
        requests.push(Request::ltl(formula).named(name).written_at(origin));
    }
    Ok(requests)
}

fn property(line: &str) -> IResult<&str, (&str, &str)> {
    separated_pair(take_until(":"), tag(":"), formula).parse(line)
}

/// What stands before a `#` that is not part of quoted text or of braces.
fn formula(text: &str) -> IResult<&str, &str> {
    let quoted = Cell::new(false);
    let braces = Cell::new(0_u32);
    let goes_on = |c| {
        match c {
            '"' => quoted.set(!quoted.get()),
            '{' if !quoted.get() => braces.set(braces.get() + 1),
            '}' if !quoted.get() => braces.set(braces.get().saturating_sub(1)),
            _ => {}
        }
        c != '#' || quoted.get() || braces.get() > 0
    };
    take_while(goes_on).parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match parse_specification(Path::new("p.ltl"), text) {
            Ok(requests) => requests
                .iter()
                .map(|r| format!("{}={}", r.name().unwrap_or_default(), r.text()))
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_formula_a_line() {
        let text = "# all\n\n a.b-1 : G {x # y} # why\nq: F \"#\" & {\"}#\"}#x\n";
        assert_eq!(shown(text), "a.b-1=G {x # y} q=F \"#\" & {\"}#\"}");
    }

    #[test]
    fn mistakes_have_their_line() {
        for (text, expected) in [
            ("\nG a", "2: expected `name: FORMULA`, found `G a`"),
            ("a b: G a", "1: `a b` is no name: expected `name: FORMULA`"),
            (": G a", "1: `` is no name: expected `name: FORMULA`"),
            ("a: # F b", "1: `a` has no formula"),
            ("a: F b\na: F c", "2: there are two properties `a`"),
        ] {
            assert_eq!(shown(text), expected);
        }
        let deep = format!("a: {}#{}", "{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(shown(&deep).len(), 200_003);
    }
}
