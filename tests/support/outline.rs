//! The outline of a program: its globals, and of each procedure the names of its variables
//! and where its first statement and its closing token stand.
//!
//! Only for programs without errors. Keywords and braces are told apart by the rules of the
//! language: `{` opens a block after `)` and `else`, anywhere else it opens a name.

use std::collections::BTreeSet;

pub type Place = (u64, u64);

#[derive(Clone, Debug)]
struct Token {
    text: String,
    place: Place,
}

#[derive(Debug)]
pub struct Procedure {
    pub name: String,
    /// Parameters and locals.
    pub variables: BTreeSet<String>,
    pub first: Place,
    pub closing: Place,
}

#[derive(Debug)]
pub struct Outline {
    pub globals: BTreeSet<String>,
    pub procedures: Vec<Procedure>,
    lines: Vec<Vec<char>>,
}

impl Outline {
    pub fn new(program: &str) -> Self {
        let tokens = tokens(program);
        let mut outline = Outline {
            globals: BTreeSet::new(),
            procedures: Vec::new(),
            lines: program.lines().map(|line| line.chars().collect()).collect(),
        };
        let mut at = 0;
        while at < tokens.len() {
            if tokens[at].text == "decl" {
                at = declaration(&tokens, at, &mut outline.globals);
            } else {
                at = outline.procedure(&tokens, at);
            }
        }
        outline
    }

    pub fn of(&self, name: &str) -> &Procedure {
        let found = self.procedures.iter().find(|p| p.name == name);
        found.unwrap_or_else(|| panic!("there is no procedure {name}"))
    }

    /// What stands at a place, to the end of the line.
    pub fn text_at(&self, (line, column): Place) -> String {
        let line = self.lines.get(line as usize - 1).expect("a line there is");
        assert!((column as usize) <= line.len(), "a column there is");
        line[column as usize - 1..].iter().collect()
    }

    /// Reads a procedure that begins at a token; returns the token after it.
    fn procedure(&mut self, tokens: &[Token], begin: usize) -> usize {
        let open = (begin..)
            .find(|&i| tokens[i].text == "(")
            .expect("a header");
        let close = (open..).find(|&i| tokens[i].text == ")").expect("its end");
        let mut variables: BTreeSet<String> = (tokens[open + 1..close].iter())
            .filter(|token| token.text != ",")
            .map(|token| token.text.clone())
            .collect();
        let mut depth = 0;
        let mut at = close + 1;
        let mut first = None;
        let closing = loop {
            let text = tokens[at].text.as_str();
            match text {
                "begin" | "{" => depth += 1,
                "end" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break at;
            }
            if text == "decl" {
                at = declaration(tokens, at, &mut variables);
            } else if text == "enforce" {
                at = (at..).find(|&i| tokens[i].text == ";").expect("its end") + 1;
            } else if first.is_none() && at > close + 1 {
                let label = tokens[at + 1].text == ":";
                if !label {
                    first = Some(tokens[at].place);
                }
                at += if label { 2 } else { 1 };
            } else {
                at += 1;
            }
        };
        let closing_place = tokens[closing].place;
        self.procedures.push(Procedure {
            name: tokens[open - 1].text.clone(),
            variables,
            first: first.unwrap_or(closing_place),
            closing: closing_place,
        });
        closing + 1
    }
}

/// Reads `decl a, b;` (the `;` may be missing); returns the token after it.
fn declaration(tokens: &[Token], decl: usize, names: &mut BTreeSet<String>) -> usize {
    let mut at = decl + 1;
    loop {
        names.insert(tokens[at].text.clone());
        at += 1;
        if tokens[at].text != "," {
            break;
        }
        at += 1;
    }
    match tokens[at].text.as_str() {
        ";" => at + 1,
        _ => at,
    }
}

fn tokens(program: &str) -> Vec<Token> {
    let characters: Vec<char> = program.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut place = (1, 1);
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        let word = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '$';
        let mut blank = false;
        let length = if rest.starts_with(&['/', '/']) {
            blank = true;
            rest.iter().position(|&c| c == '\n').unwrap_or(rest.len())
        } else if rest.starts_with(&['/', '*']) {
            blank = true;
            let end = rest[2..].windows(2).position(|w| w == ['*', '/']);
            end.map_or(rest.len(), |end| end + 4)
        } else if rest[0].is_ascii_whitespace() || rest[0] == '\u{feff}' {
            blank = true;
            1
        } else if rest[0] == '{' && !opens_block(&tokens) {
            let end = rest.iter().position(|&c| c == '}');
            end.expect("a name in braces ends") + 1
        } else if word(&rest[0]) {
            rest.iter().take_while(|c| word(c)).count()
        } else if rest.starts_with(&[':', '=']) {
            2
        } else {
            1
        };
        if !blank {
            let text = rest[..length].iter().collect();
            tokens.push(Token { text, place });
        }
        for c in &rest[..length] {
            place = match c {
                '\n' => (place.0 + 1, 1),
                _ => (place.0, place.1 + 1),
            };
        }
        at += length;
    }
    tokens
}

fn opens_block(before: &[Token]) -> bool {
    let last = before.last().map(|token| token.text.as_str());
    matches!(last, Some(")" | "else"))
}
