//! From tokens to a [`Formula`].
//!
//! A state machine with an explicit stack of open parentheses: each frame collects a row
//! of operands and operators, which becomes a tree when the parenthesis closes
//! ([`crate::syntax::precedence`]). Linear in the text, at any nesting depth.
//!
//! `G`, `F`, `X` are operators where an operand may begin, `U`, `R`, `V`, `W`, `M` and
//! `xor` where an operator may stand; elsewhere they are names.

use crate::syntax::error::{ParseError, Warning};
use crate::syntax::formula::{Binary, Formula, Node, NodeId, Unary};
use crate::syntax::lexer::{Token, lex};
use crate::syntax::precedence::{Step, arrange, ours, spins};
use crate::syntax::print::symbol;
use crate::syntax::proposition::{Kind, Proposition, Span};

/// A formula and what is to be said about its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// Mixes of operators that Spin and ltl2ba read differently, at most
    /// [`MAX_WARNINGS`] of them.
    pub warnings: Vec<Warning>,
}

/// After so many warnings further ones are not collected.
pub const MAX_WARNINGS: usize = 20;
/// Longer operands are elided in a warning.
const OPERAND_SHOWN: usize = 40;
/// Rows of more operators are not written out in a warning.
const ROW_SHOWN: usize = 40;

const OPERAND: &str = "a proposition, a constant, `(` or a unary operator";
const OPERATOR: &str = "a binary operator";

/// What stands between one pair of parentheses, as far as it is read.
#[derive(Default)]
struct Frame {
    /// The opening parenthesis; empty for the whole text.
    open: Span,
    /// Unary operators before the operand that is being read.
    pending: Vec<(Unary, Span)>,
    operands: Vec<(NodeId, Span)>,
    operators: Vec<Binary>,
}

struct Parser<'a> {
    text: &'a str,
    formula: Formula,
    warnings: Vec<Warning>,
    frames: Vec<Frame>,
}

/// Reads a formula.
///
/// ```
/// let parsed = ltl2ba_rs::parse("[](request -> <> grant)")?;
/// assert_eq!(parsed.formula.to_string(), "G (request -> F grant)");
/// # Ok::<(), ltl2ba_rs::ParseError>(())
/// ```
///
/// # Errors
/// With the place and, where there is an obvious one, a hint, if the text is no formula.
pub fn parse(text: &str) -> Result<Parsed, ParseError> {
    let tokens = lex(text)?;
    let mut parser = Parser {
        text,
        formula: Formula::new(),
        warnings: Vec::new(),
        frames: vec![Frame::default()],
    };
    let mut operand_next = true;
    for (at, (token, span)) in tokens.iter().enumerate() {
        operand_next = if operand_next {
            parser.operand(token, span)?
        } else {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            parser.operator(token, span, before)?
        };
    }
    if operand_next {
        return Err(parser.at_end(&tokens));
    }
    parser.finish()
}

fn letter_unary(word: &str) -> Option<Unary> {
    match word {
        "G" => Some(Unary::Globally),
        "F" => Some(Unary::Finally),
        "X" => Some(Unary::Next),
        _ => None,
    }
}

fn letter_binary(word: &str) -> Option<Binary> {
    match word {
        "U" => Some(Binary::Until),
        "R" | "V" => Some(Binary::Release),
        "W" => Some(Binary::WeakUntil),
        "M" => Some(Binary::StrongRelease),
        "xor" => Some(Binary::Xor),
        _ => None,
    }
}

impl Parser<'_> {
    /// The innermost open frame; the outermost is never popped.
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Takes a token where an operand may begin; tells whether one is still to come.
    fn operand(&mut self, token: &Token, span: &Span) -> Result<bool, ParseError> {
        let node = match token {
            Token::Open => {
                self.frames.push(Frame {
                    open: span.clone(),
                    ..Frame::default()
                });
                return Ok(true);
            }
            Token::Unary(operator) => {
                self.frame().pending.push((*operator, span.clone()));
                return Ok(true);
            }
            Token::Name(Kind::Word, word) if letter_unary(word).is_some() => {
                if let Some(operator) = letter_unary(word) {
                    self.frame().pending.push((operator, span.clone()));
                }
                return Ok(true);
            }
            Token::Name(kind, text) => {
                let proposition = self.formula.add_proposition(Proposition {
                    text: text.clone(),
                    kind: *kind,
                    span: span.clone(),
                });
                Node::Proposition(proposition)
            }
            Token::Constant(value) => Node::Constant(*value),
            Token::Close | Token::Binary(_) => return Err(self.no_operand(span)),
        };
        let node = self.formula.add(node);
        self.complete(node, span.clone());
        Ok(false)
    }

    fn no_operand(&mut self, span: &Span) -> ParseError {
        let found = &self.text[span.clone()];
        let error = ParseError::new(span.clone(), format!("`{found}` cannot stand here"));
        let error = error.expecting(OPERAND);
        self.quote_hint(error)
    }

    /// Adds how to name a proposition after an operator, where one stands just before.
    fn quote_hint(&mut self, error: ParseError) -> ParseError {
        let Some((_, span)) = self.frame().pending.last().cloned() else {
            return error;
        };
        let letter = &self.text[span];
        if !letter.starts_with(char::is_alphabetic) {
            return error;
        }
        error.hinting(format!(
            "`{letter}` is an operator here; a proposition of that name is written `\"{letter}\"`"
        ))
    }

    /// Takes a token where an operator may stand; tells whether an operand is to come.
    fn operator(
        &mut self,
        token: &Token,
        span: &Span,
        before: Option<&(Token, Span)>,
    ) -> Result<bool, ParseError> {
        let operator = match token {
            Token::Binary(operator) => *operator,
            Token::Name(Kind::Word, word) if letter_binary(word).is_some() => {
                letter_binary(word).unwrap_or(Binary::Until)
            }
            Token::Close if self.frames.len() > 1 => {
                if let Some(frame) = self.frames.pop() {
                    let whole = frame.open.start..span.end;
                    let node = self.close(frame);
                    self.complete(node, whole);
                }
                return Ok(false);
            }
            Token::Close => {
                return Err(
                    ParseError::new(span.clone(), "this parenthesis was never opened")
                        .expecting(OPERATOR),
                );
            }
            _ => return Err(self.no_operator(token, span, before)),
        };
        self.frame().operators.push(operator);
        Ok(true)
    }

    fn no_operator(
        &self,
        token: &Token,
        span: &Span,
        before: Option<&(Token, Span)>,
    ) -> ParseError {
        let found = &self.text[span.clone()];
        let error = ParseError::new(span.clone(), format!("`{found}` cannot stand here"));
        let error = error.expecting(OPERATOR);
        match before {
            Some((Token::Name(Kind::Word, word), _)) if *token == Token::Open => {
                match spaced_operators(word) {
                    Some(spaced) => {
                        error.hinting(format!("`{word}` is one name; did you mean `{spaced} (`?"))
                    }
                    None => match spelled_out(word) {
                        Some(hint) => error.hinting(hint),
                        None => error.hinting(format!("`{word}` takes no argument")),
                    },
                }
            }
            Some((Token::Name(Kind::Word, word), _)) if spelled_out(word).is_some() => ParseError {
                hint: spelled_out(word),
                ..error
            },
            _ => ParseError {
                hint: spelled_out(found),
                ..error
            },
        }
    }

    /// Applies the pending unary operators to an operand and puts it into the row.
    fn complete(&mut self, node: NodeId, span: Span) {
        let pending = std::mem::take(&mut self.frame().pending);
        let start = pending.first().map_or(span.start, |(_, first)| first.start);
        let mut node = node;
        for (operator, _) in pending.into_iter().rev() {
            node = self.formula.add(Node::Unary(operator, node));
        }
        self.frame().operands.push((node, start..span.end));
    }

    /// The tree of a finished row.
    fn close(&mut self, frame: Frame) -> NodeId {
        let bindings: Vec<_> = frame.operators.iter().map(|&op| ours(op)).collect();
        let steps = arrange(&bindings);
        self.compare(&frame, &steps);
        let mut trees: Vec<NodeId> = Vec::new();
        for step in steps {
            match step {
                Step::Operand(index) => trees.push(frame.operands[index].0),
                Step::Operator(index) => {
                    if let (Some(right), Some(left)) = (trees.pop(), trees.pop()) {
                        let node = Node::Binary(frame.operators[index], left, right);
                        trees.push(self.formula.add(node));
                    }
                }
            }
        }
        trees.pop().unwrap_or(self.formula.root())
    }

    /// Warns if Spin and ltl2ba build another tree from the row.
    fn compare(&mut self, frame: &Frame, steps: &[Step]) {
        if frame.operators.len() < 2 || self.warnings.len() >= MAX_WARNINGS {
            return;
        }
        let bindings: Option<Vec<_>> = frame.operators.iter().map(|&op| spins(op)).collect();
        let Some(theirs) = bindings.map(|bindings| arrange(&bindings)) else {
            return;
        };
        if theirs == steps {
            return;
        }
        let span = frame.operands[0].1.start..frame.operands[frame.operands.len() - 1].1.end;
        self.warnings.push(Warning {
            span,
            reading: self.written(frame, steps),
            spin_reading: self.written(frame, &theirs),
        });
    }

    /// A row with all its parentheses.
    fn written(&self, frame: &Frame, steps: &[Step]) -> String {
        if frame.operators.len() > ROW_SHOWN {
            return "…".to_owned();
        }
        let mut texts: Vec<String> = Vec::new();
        for step in steps {
            match *step {
                Step::Operand(index) => {
                    let operand = &self.text[frame.operands[index].1.clone()];
                    let short = operand.len() <= OPERAND_SHOWN;
                    texts.push(if short {
                        operand.to_owned()
                    } else {
                        "…".to_owned()
                    });
                }
                Step::Operator(index) => {
                    if let (Some(right), Some(left)) = (texts.pop(), texts.pop()) {
                        let operator = symbol(frame.operators[index]);
                        texts.push(format!("({left} {operator} {right})"));
                    }
                }
            }
        }
        texts.pop().unwrap_or_default()
    }

    fn at_end(&mut self, tokens: &[(Token, Span)]) -> ParseError {
        let end = self.text.len();
        if tokens.is_empty() {
            return ParseError::new(0..end, "the formula is empty").expecting(OPERAND);
        }
        let message = "the formula ends too early";
        let error = ParseError::new(end..end, message).expecting(OPERAND);
        self.quote_hint(error)
    }

    fn finish(mut self) -> Result<Parsed, ParseError> {
        if self.frames.len() > 1 {
            let open = self.frame().open.clone();
            return Err(ParseError::new(open, "this parenthesis is never closed"));
        }
        let frame = std::mem::take(self.frame());
        let root = self.close(frame);
        self.formula.set_root(root);
        Ok(Parsed {
            formula: self.formula,
            warnings: self.warnings,
        })
    }
}

/// What to write instead of an English word, or of an operator of other logics.
fn spelled_out(word: &str) -> Option<String> {
    let operator = match word.to_ascii_lowercase().as_str() {
        "always" | "globally" | "henceforth" => "`G`",
        "eventually" | "finally" | "sometime" => "`F`",
        "next" | "nexttime" => "`X`",
        "never" => "`G !`",
        "until" => "`U`",
        "release" | "releases" => "`R`",
        "unless" | "weakuntil" => "`W`",
        "implies" => "`->`",
        "iff" => "`<->`",
        "and" => "`&&`",
        "or" => "`||`",
        "not" => "`!`",
        _ => return None,
    };
    Some(format!("write {operator}"))
}

/// `GF` as `G F`, for words that consist of unary letters only.
fn spaced_operators(word: &str) -> Option<String> {
    let letters = !word.is_empty() && word.chars().all(|c| matches!(c, 'G' | 'F' | 'X'));
    letters.then(|| {
        let letters: Vec<String> = word.chars().map(String::from).collect();
        letters.join(" ")
    })
}

/// Reads an unknown word as unary operators run together with a known name: `GFp` as
/// `G F p` if `known("p")`. For hints: names are whole words, so this is never done
/// silently.
///
/// ```
/// let known = |name: &str| name == "p";
/// assert_eq!(ltl2ba_rs::split_operators("GFp", known).as_deref(), Some("G F p"));
/// assert_eq!(ltl2ba_rs::split_operators("Goal", known), None);
/// ```
pub fn split_operators(word: &str, known: impl Fn(&str) -> bool) -> Option<String> {
    let letters = word
        .find(|c| !matches!(c, 'G' | 'F' | 'X'))
        .unwrap_or(word.len());
    (1..=letters).find_map(|length| {
        let (operators, name) = word.split_at(length);
        if name.is_empty() || !known(name) {
            return None;
        }
        Some(format!("{} {name}", spaced_operators(operators)?))
    })
}
