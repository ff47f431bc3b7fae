//! Property files of the verification competition: `CHECK(init(main()), LTL(G ! call(f())))`, one or
//! more of them. What they ask is read off the formula; one that is none of the known ones is a
//! formula of linear temporal logic, whose propositions are C expressions in quotes. Linear.

use super::file::SpecificationError;
use super::request::Origin;
use super::{Kind, Request};
use std::path::Path;

/// What a file asks for.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    /// The function in which executions are to begin, if the file has any property.
    pub entry: Option<String>,
    /// The properties, in the order of the file.
    pub requests: Vec<Request>,
}

/// The properties in the text of a file.
pub fn parse_checks(file: &Path, text: &str) -> Result<Checks, SpecificationError> {
    let mut cursor = Cursor { text, at: 0 };
    let mut checks = Checks::default();
    while !cursor.is_at_end() {
        for part in ["CHECK", "(", "init", "("] {
            cursor.expect(part)?;
        }
        let entry = cursor.name()?;
        for part in ["(", ")", ")", ",", "LTL"] {
            cursor.expect(part)?;
        }
        match &checks.entry {
            Some(other) if *other != entry => {
                let message = format!("executions begin in `{other}` above, and in `{entry}` here");
                return Err(cursor.wrong(message));
            }
            _ => checks.entry = Some(entry.to_owned()),
        }
        let (formula, begin) = cursor.parenthesised()?;
        cursor.expect(")")?;
        let (line, column) = cursor.place(begin);
        let origin = Origin {
            file: file.to_owned(),
            line,
            column,
        };
        checks
            .requests
            .push(request(file, formula).written_at(origin));
    }
    Ok(checks)
}

/// What a formula asks for.
fn request(file: &Path, formula: &str) -> Request {
    let plain: String = formula.split_whitespace().collect();
    let negated = plain.strip_prefix("G!").or(plain.strip_prefix("[]!"));
    let argument = |text: &str, operator: &str| {
        let inner = text.strip_prefix(operator)?.strip_suffix(')')?;
        let name = inner.strip_suffix("()").unwrap_or(inner);
        is_name(name).then(|| name.to_owned())
    };
    if let Some(negated) = negated {
        if let Some(function) = argument(negated, "call(") {
            return Request::reach(format!("call({function})"));
        }
        if let Some(label) = argument(negated, "label(") {
            return Request::reach(label);
        }
        if negated == "overflow" {
            return Request::no_overflow();
        }
    }
    match &plain[..] {
        "Fend" | "<>end" => Request::terminates(),
        _ if is_about_memory(&plain) => {
            Request::new(Kind::Prp, file.to_string_lossy()).named(formula)
        }
        _ => Request::ltl(formula),
    }
}

/// What no formula over C expressions can say.
fn is_about_memory(formula: &str) -> bool {
    let words = [
        "valid-",
        "def-behavior",
        "data-race",
        "deadlock",
        "COVER",
        "@",
    ];
    words.iter().any(|word| formula.contains(word))
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    text.starts_with(|c: char| c == '_' || c.is_alphabetic()) && text.chars().all(is_part)
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    fn expect(&mut self, part: &str) -> Result<(), SpecificationError> {
        self.skip_blanks();
        match self.rest().starts_with(part) {
            true => {
                self.at += part.len();
                Ok(())
            }
            false => {
                let found: String = self.rest().chars().take(20).collect();
                let found = found.lines().next().unwrap_or_default().to_owned();
                let wanted = "`CHECK( init(main()), LTL(FORMULA) )`";
                Err(self.wrong(match found.is_empty() {
                    true => format!("the file ends in the middle of {wanted}"),
                    false => format!("expected `{part}` of {wanted}, found `{found}`"),
                }))
            }
        }
    }

    fn name(&mut self) -> Result<&'a str, SpecificationError> {
        self.skip_blanks();
        let rest = self.rest();
        let is_part = |c: char| c == '_' || c.is_alphanumeric();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.wrong("expected the name of a function".to_owned()));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// What stands in parentheses, and where it begins; those in quotes do not count.
    fn parenthesised(&mut self) -> Result<(&'a str, usize), SpecificationError> {
        self.expect("(")?;
        self.skip_blanks();
        let begin = self.at;
        let (mut depth, mut is_quoted) = (0, false);
        for (offset, c) in self.rest().char_indices() {
            match c {
                '"' => is_quoted = !is_quoted,
                _ if is_quoted => {}
                '(' => depth += 1,
                ')' if depth == 0 => {
                    let formula = self.rest()[..offset].trim_end();
                    self.at += offset + 1;
                    return Ok((formula, begin));
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
        Err(self.wrong("the parenthesis after `LTL` is not closed".to_owned()))
    }

    fn place(&self, offset: usize) -> (u32, u32) {
        let before = &self.text[..offset];
        let line = before.matches('\n').count() as u32 + 1;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        (line, before[start..].chars().count() as u32 + 1)
    }

    fn wrong(&self, message: String) -> SpecificationError {
        let (line, _) = self.place(self.at);
        SpecificationError {
            line: line as usize,
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let checks = parse_checks(Path::new("x.prp"), text);
        let checks = checks.map_err(|error| error.to_string())?;
        let shown = checks.requests.iter();
        Ok(shown
            .map(|one| format!("{} {}", one.kind().name(), one.text()))
            .collect())
    }

    fn check(formula: &str) -> String {
        format!("CHECK( init(main()), LTL({formula}) )\n")
    }

    #[test]
    fn formulas_say_what_is_asked() {
        for (formula, expected) in [
            ("G ! call(reach_error())", "reach call(reach_error)"),
            ("G! call( f() )", "reach call(f)"),
            ("[] ! label(ERROR)", "reach ERROR"),
            ("G ! overflow", "no-overflow no-overflow"),
            ("F end", "terminates terminates"),
            ("G valid-free", "prp x.prp"),
            ("G ! data-race", "prp x.prp"),
            (
                "[](\"f(x) > (0\" ==> <>(\"y\"))",
                "ltl [](\"f(x) > (0\" ==> <>(\"y\"))",
            ),
        ] {
            assert_eq!(
                read(&check(formula)),
                Ok(vec![expected.to_owned()]),
                "{formula}"
            );
        }
        let two = format!("\n{}{}", check("F end"), check("G ! overflow"));
        assert_eq!(read(&two).map(|list| list.len()), Ok(2));
        assert_eq!(read(" \n"), Ok(vec![]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("\nCHEK", "2: expected `CHECK` of"),
            (
                "CHECK( init(main()), LTL(G p)",
                "1: the file ends in the middle",
            ),
            (
                "CHECK( init(main()), LTL(G p",
                "1: the parenthesis after `LTL`",
            ),
            (
                "CHECK( init(+()), LTL(G p) )",
                "1: expected the name of a function",
            ),
        ] {
            let error = read(text).expect_err("it is wrong");
            assert!(error.starts_with(expected), "{error}");
        }
        let other = "CHECK( init(f()), LTL(F end) )";
        let error = read(&(check("F end") + other)).expect_err("it is wrong");
        assert!(
            error.contains("executions begin in `main` above"),
            "{error}"
        );
    }
}
