//! The text of a set of configurations, as a regular expression in postfix form.
//!
//! ```text
//! set      ::= config ("|" config)*
//! config   ::= stack | control stack?
//! control  ::= NAME condition?
//! stack    ::= regular expression, its first symbol on top  |  "<" ">"
//! symbol   ::= "<" name condition? ">"  |  "_"  |  "."
//! condition::= "{" expression "}"
//! ```
//!
//! In the expression stand alternatives `|`, groups, and `*`, `+`, `?` behind what they
//! repeat. A `*` that stands alone, with a blank before it, is any stack, and `<>` is none. What a symbol's
//! name and a condition mean is not known here.
//!
//! Linear, and without recursion: groups may nest as deep as one likes.

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// A set of configurations as it was written.
#[derive(Debug)]
pub struct Pattern {
    pub configurations: Vec<Configuration>,
}

/// One of the alternatives of a set.
#[derive(Debug)]
pub struct Configuration {
    pub span: Span,
    pub control: Option<Control>,
    /// The stack in postfix form. Invariant: empty (so is the stack), or running it leaves exactly one operand
    /// and never takes one that is not there.
    pub stack: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
pub struct Control {
    pub name: Span,
    /// Braces included.
    pub condition: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub span: Span,
    /// `None` for any symbol.
    pub name: Option<Span>,
    /// Braces included.
    pub condition: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
pub enum Node {
    Symbol(Symbol),
    /// The operand before the last one, and then the last one below it.
    Concatenate,
    Either,
    /// Any number of times.
    Star,
    /// At least once.
    Plus,
    /// At most once.
    Optional,
}

/// The automaton of an expression has as many states as symbols, and at worst the square of
/// that of edges.
const MOST_NODES: usize = 4_000;

/// The set that a text describes, or what is wrong with it.
pub fn parse(source: &Source) -> Result<Pattern, Diagnostic> {
    let mut parser = Parser {
        bytes: source.bytes(),
        at: 0,
        configurations: Vec::new(),
        control: None,
        stack: Vec::new(),
        groups: vec![Group::default()],
        start: 0,
        item_end: None,
        empty: None,
        nodes: 0,
    };
    parser.run()?;
    Ok(Pattern {
        configurations: parser.configurations,
    })
}

/// What is open: the whole configuration, or a parenthesis.
#[derive(Default)]
struct Group {
    open: u32,
    /// Whether alternatives of this group are on the output already.
    has_alternatives: bool,
    /// Whether a sequence is on the output already.
    has_sequence: bool,
    /// Whether an item is, which operators may still follow.
    has_item: bool,
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    configurations: Vec<Configuration>,
    control: Option<Control>,
    stack: Vec<Node>,
    /// Never empty: the first one is the configuration itself.
    groups: Vec<Group>,
    /// Where the configuration begins.
    start: u32,
    /// Where the last item ended, operators included.
    item_end: Option<usize>,
    /// Where it is said that there is no stack.
    empty: Option<Span>,
    nodes: usize,
}

fn error(start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Span::new(start as u32, end as u32), message)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Diagnostic> {
        self.skip_blanks();
        self.start = self.at as u32;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let start = self.at;
            match byte {
                b'<' if self.is_empty_stack() => self.empty_stack()?,
                b'<' => {
                    let symbol = self.symbol()?;
                    self.item(symbol)?;
                }
                b'*' => {
                    self.at += 1;
                    if self.item_end == Some(start) {
                        self.operator(Node::Star, start)?;
                    } else {
                        // Alone: any stack.
                        self.item(self.any(start))?;
                        self.operator(Node::Star, start)?;
                    }
                }
                b'+' | b'?' => {
                    self.at += 1;
                    let node = match byte {
                        b'+' => Node::Plus,
                        _ => Node::Optional,
                    };
                    self.operator(node, start)?;
                }
                b'(' => {
                    self.at += 1;
                    self.finish_item();
                    self.groups.push(Group {
                        open: start as u32,
                        ..Group::default()
                    });
                    self.item_end = None;
                }
                b')' => self.close()?,
                b'|' => self.alternative()?,
                b'{' => {
                    return Err(
                        error(start, start + 1, "a condition without a symbol").with_hint(
                            "a condition stands inside the angle brackets: `<main.entry {x}>`",
                        ),
                    );
                }
                b'.' => {
                    self.at += 1;
                    self.item(self.any(start))?;
                }
                _ if is_word(byte) => self.word()?,
                _ => return Err(self.unknown_character()),
            }
            self.skip_blanks();
        }
        self.finish_configuration()
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn group(&mut self) -> &mut Group {
        self.groups.last_mut().expect("the configuration is open")
    }

    fn any(&self, start: usize) -> Symbol {
        Symbol {
            span: Span::new(start as u32, self.at as u32),
            name: None,
            condition: None,
        }
    }

    fn emit(&mut self, node: Node) {
        self.nodes += 1;
        self.stack.push(node);
    }

    fn limit(&self, start: usize) -> Result<(), Diagnostic> {
        match self.nodes > MOST_NODES {
            true => {
                let message = format!("more than {MOST_NODES} symbols and operators");
                Err(error(start, self.at, message))
            }
            false => Ok(()),
        }
    }

    /// The last item takes no more operators, and joins its sequence.
    fn finish_item(&mut self) {
        let group = self.group();
        if !std::mem::take(&mut group.has_item) {
            return;
        }
        if std::mem::replace(&mut group.has_sequence, true) {
            self.emit(Node::Concatenate);
        }
    }

    fn item(&mut self, symbol: Symbol) -> Result<(), Diagnostic> {
        self.finish_item();
        self.emit(Node::Symbol(symbol));
        self.group().has_item = true;
        self.item_end = Some(self.at);
        self.limit(symbol.span.start as usize)
    }

    fn operator(&mut self, node: Node, start: usize) -> Result<(), Diagnostic> {
        if !self.group().has_item {
            let sign = char::from(self.bytes[start]);
            return Err(error(start, start + 1, format!("nothing before `{sign}`")));
        }
        self.emit(node);
        self.item_end = Some(self.at);
        self.limit(start)
    }

    fn close(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.at += 1;
        if self.groups.len() == 1 {
            return Err(error(start, self.at, "unmatched `)`"));
        }
        self.finish_sequence(start)?;
        self.groups.pop();
        self.group().has_item = true;
        self.item_end = Some(self.at);
        Ok(())
    }

    /// The sequence up to `end` is complete, and joins the alternatives of its group.
    fn finish_sequence(&mut self, end: usize) -> Result<(), Diagnostic> {
        self.finish_item();
        let group = self.group();
        if !std::mem::take(&mut group.has_sequence) {
            let end = end.min(self.bytes.len());
            return Err(error(end, end + 1, "expected a stack symbol")
                .with_hint("for example `<main.entry>`, `_` for any symbol, `*` for any stack"));
        }
        if std::mem::replace(&mut group.has_alternatives, true) {
            self.emit(Node::Either);
        }
        Ok(())
    }

    fn alternative(&mut self) -> Result<(), Diagnostic> {
        match self.groups.len() {
            1 => self.finish_configuration()?,
            _ => self.finish_sequence(self.at)?,
        }
        self.at += 1;
        self.skip_blanks();
        self.item_end = None;
        if self.groups.len() == 1 {
            self.start = self.at as u32;
            if self.at == self.bytes.len() {
                return self.finish_configuration();
            }
        }
        Ok(())
    }

    fn finish_configuration(&mut self) -> Result<(), Diagnostic> {
        if let [_, .., group] = self.groups.as_slice() {
            let open = group.open as usize;
            return Err(error(open, open + 1, "this `(` is never closed"));
        }
        let is_empty = !self.group().has_item && !self.group().has_sequence;
        match self.empty.take() {
            Some(empty) if !is_empty => {
                let (start, end) = (empty.start as usize, empty.end as usize);
                return Err(error(start, end, "`<>` is a stack without symbols")
                    .with_hint("leave it out where there are others; `<_>` is any symbol"));
            }
            None if !is_empty || self.control.is_none() => self.finish_sequence(self.at)?,
            _ => {}
        }
        let mut end = self.at;
        while end > self.start as usize && self.bytes[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        self.configurations.push(Configuration {
            span: Span::new(self.start, end as u32),
            control: self.control.take(),
            stack: std::mem::take(&mut self.stack),
        });
        self.groups[0] = Group::default();
        Ok(())
    }

    /// Whether this `<` is closed with nothing inside.
    fn is_empty_stack(&self) -> bool {
        let mut rest = self.bytes[self.at + 1..].iter();
        rest.find(|byte| !byte.is_ascii_whitespace()) == Some(&b'>')
    }

    fn empty_stack(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        while self.bytes[self.at] != b'>' {
            self.at += 1;
        }
        self.at += 1;
        if self.groups.len() > 1 || self.empty.is_some() {
            return Err(error(start, self.at, "`<>` is a stack without symbols")
                .with_hint("`?` says that a symbol may be missing; `<_>` is any symbol"));
        }
        self.empty = Some(Span::new(start as u32, self.at as u32));
        Ok(())
    }

    /// `_`, or the control state that a configuration begins with.
    fn word(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|byte| is_word(*byte)) {
            self.at += 1;
        }
        if &self.bytes[start..self.at] == b"_" {
            return self.item(self.any(start));
        }
        if start != self.start as usize || self.groups.len() > 1 {
            let word = String::from_utf8_lossy(&self.bytes[start..self.at]).into_owned();
            return Err(error(start, self.at, format!("unexpected `{word}`"))
                .with_hint(format!("a stack symbol is written `<{word}>`")));
        }
        let name = Span::new(start as u32, self.at as u32);
        self.skip_blanks();
        let condition = match self.bytes.get(self.at) {
            Some(b'{') => Some(self.braces()?),
            _ => None,
        };
        self.control = Some(Control { name, condition });
        Ok(())
    }

    /// From `{` to the brace that closes it.
    fn braces(&mut self) -> Result<Span, Diagnostic> {
        let start = self.at;
        let mut depth = 0_u32;
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(Span::new(start as u32, self.at as u32));
            }
        }
        Err(error(start, start + 1, "this `{` is never closed"))
    }

    /// From `<` to `>`. A brace at the beginning of a name, or behind a dot, opens a part of
    /// the name; any other the condition.
    fn symbol(&mut self) -> Result<Symbol, Diagnostic> {
        let open = self.at;
        let never_closed = || error(open, open + 1, "this `<` is never closed");
        self.at += 1;
        self.skip_blanks();
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'{' if self.at == start || self.bytes[self.at - 1] == b'.' => {
                    self.braces()?;
                }
                b'{' | b'>' | b'<' => break,
                byte if byte.is_ascii_whitespace() => break,
                _ => self.at += 1,
            }
        }
        let name = Span::new(start as u32, self.at as u32);
        self.skip_blanks();
        let condition = match self.bytes.get(self.at) {
            Some(b'{') => Some(self.braces()?),
            _ => None,
        };
        self.skip_blanks();
        match self.bytes.get(self.at) {
            None | Some(b'<') => return Err(never_closed()),
            Some(b'>') => self.at += 1,
            Some(byte) => {
                let hint = match is_word(*byte) {
                    true => "each symbol has brackets of its own: `<top> <below>`",
                    false => "a condition is written in braces: `<main.entry {x & !y}>`",
                };
                return Err(error(self.at, self.at + 1, "expected `>`").with_hint(hint));
            }
        }
        let is_any = matches!(&self.bytes[start..name.end as usize], b"_" | b".");
        Ok(Symbol {
            span: Span::new(open as u32, self.at as u32),
            name: (!is_any).then_some(name),
            condition,
        })
    }

    fn unknown_character(&self) -> Diagnostic {
        let text = String::from_utf8_lossy(&self.bytes[self.at..]);
        let character = text.chars().next().unwrap_or('?');
        let end = (self.at + character.len_utf8()).min(self.bytes.len());
        error(self.at, end, format!("unexpected `{character}`"))
            .with_hint("a configuration is written `<top> <below> …`; see docs/configurations.md")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The set in prefix notation.
    fn shown(text: &str) -> String {
        let source = Source::new("--from", text.into());
        let of = |span: Span| source.text(span).into_owned();
        let pattern = match parse(&source) {
            Ok(pattern) => pattern,
            Err(error) => {
                let (start, end) = (error.span.start, error.span.end);
                return format!("{start}-{end}: {}", error.message);
            }
        };
        let configurations = pattern.configurations.iter().map(|configuration| {
            let mut operands: Vec<String> = Vec::new();
            for node in &configuration.stack {
                let mut pop = || operands.pop().unwrap();
                let operand = match node {
                    Node::Symbol(symbol) => {
                        let name = symbol.name.map_or("_".to_owned(), of);
                        name + &symbol.condition.map_or(String::new(), of)
                    }
                    Node::Concatenate | Node::Either => {
                        let (right, left) = (pop(), pop());
                        match node {
                            Node::Either => format!("({left}|{right})"),
                            _ => format!("({left} {right})"),
                        }
                    }
                    Node::Star => format!("{}*", pop()),
                    Node::Plus => format!("{}+", pop()),
                    Node::Optional => format!("{}?", pop()),
                };
                operands.push(operand);
            }
            assert!(operands.len() <= 1);
            let control = configuration.control.map_or(String::new(), |control| {
                of(control.name) + &control.condition.map_or(String::new(), of) + ":"
            });
            control + &operands.concat()
        });
        configurations.collect::<Vec<_>>().join(" || ")
    }

    #[test]
    fn precedence_and_the_star_that_stands_alone() {
        assert_eq!(shown("<main.entry>"), "main.entry");
        assert_eq!(shown(" <a> * "), "(a _*)");
        assert_eq!(shown("<a> <b>*"), "(a b*)");
        assert_eq!(shown("<a> <b> *"), "((a b) _*)");
        assert_eq!(shown("<a>(<b>|<c> <d>)+ <e> ?"), "((a (b|(c d))+) e?)");
        assert_eq!(shown("<a> (( _ . ))*"), "(a (_ _)*)");
        assert_eq!(shown("<a>|<b> *|error {g}"), "a || (b _*) || error{g}:");
        assert_eq!(shown("q {x} <s {y}> *"), "q{x}:(s{y} _*)");
        assert_eq!(shown("(<a>|<b>) *"), "((a|b) _*)");
        assert_eq!(shown("_*?+"), "_*?+");
        assert_eq!(shown("q {x} < > | <> | r"), "q{x}: ||  || r:");
    }

    #[test]
    fn names_and_conditions_in_braces() {
        assert_eq!(shown("< p.L {x > y} >"), "p.L{x > y}");
        assert_eq!(shown("<{a > b}.{x y} {{c} & d}>"), "{a > b}.{x y}{{c} & d}");
        assert_eq!(shown("<p@3:5{x}>"), "p@3:5{x}");
        assert_eq!(shown("<_ {g}> <.>"), "(_{g} _)");
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, expected) in [
            ("", "0-1: expected a stack symbol"),
            ("<a> |", "5-6: expected a stack symbol"),
            ("| <a>", "0-1: expected a stack symbol"),
            ("()", "1-2: expected a stack symbol"),
            ("(<a>", "0-1: this `(` is never closed"),
            ("<a>)", "3-4: unmatched `)`"),
            ("<a", "0-1: this `<` is never closed"),
            ("<a <b>", "0-1: this `<` is never closed"),
            ("<a {x>", "3-4: this `{` is never closed"),
            ("<a x>", "3-4: expected `>`"),
            ("(<>)", "1-3: `<>` is a stack without symbols"),
            ("q <> <a>", "2-4: `<>` is a stack without symbols"),
            ("<a>|<b> < >", "8-11: `<>` is a stack without symbols"),
            ("<>*", "0-2: `<>` is a stack without symbols"),
            ("<>+", "2-3: nothing before `+`"),
            ("+", "0-1: nothing before `+`"),
            ("<a> q", "4-5: unexpected `q`"),
            ("(q)", "1-2: unexpected `q`"),
            ("<a> {x}", "4-5: a condition without a symbol"),
            ("<a> é", "4-6: unexpected `é`"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_no_problem_and_length_is_refused() {
        let deep = "(".repeat(100_000) + "<a>" + &")".repeat(100_000);
        assert_eq!(shown(&deep), "a");
        let long = "<a>".repeat(100_000);
        assert!(shown(&long).ends_with("more than 4000 symbols and operators"));
        let stars = "<a>".to_owned() + &"*+".repeat(100_000) + "<b>";
        assert!(shown(&stars).ends_with("more than 4000 symbols and operators"));
    }
}
