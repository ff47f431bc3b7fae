//! The automaton of a regular expression whose states are its symbols' positions (Glushkov,
//! 1961): it has no empty steps, and to be in a position is to have read its symbol.
//!
//! Quadratic in the number of symbols at worst, when everything can follow everything.

use super::syntax::{Node, Symbol};
use crate::bits::{self, BitRows, BitSet};

/// The positions of one stack expression, counted from 0.
pub struct Positions {
    pub symbols: Vec<Symbol>,
    /// Whether a position's symbol may be on top.
    pub first: Vec<bool>,
    /// Whether it may be below another one.
    pub below: Vec<bool>,
    /// Whether it may be the lowest.
    pub last: Vec<bool>,
    /// Which positions may be right below it.
    pub follow: Vec<Vec<u32>>,
    /// Whether there may be no symbol at all.
    pub nullable: bool,
}

/// A part of the expression: where it begins and ends, and whether it can be empty.
struct Part {
    first: BitSet,
    last: BitSet,
    nullable: bool,
}

impl Positions {
    /// Of an expression in postfix form, not empty.
    pub fn of(nodes: &[Node]) -> Self {
        let is_symbol = |node: &&Node| matches!(node, Node::Symbol(_));
        let count = nodes.iter().filter(is_symbol).count();
        let mut symbols = Vec::with_capacity(count);
        let mut follow = BitRows::new(count, count);
        let mut parts: Vec<Part> = Vec::new();
        let pop = |parts: &mut Vec<Part>| parts.pop().expect("well-formed postfix");
        for node in nodes {
            let part = match node {
                Node::Symbol(symbol) => {
                    let mut only = BitSet::new(count);
                    bits::insert(&mut only, symbols.len() as u32);
                    symbols.push(*symbol);
                    Part {
                        first: only.clone(),
                        last: only,
                        nullable: false,
                    }
                }
                Node::Concatenate => {
                    let (below, above) = (pop(&mut parts), pop(&mut parts));
                    join(&mut follow, &above.last, &below.first);
                    concatenate(above, below)
                }
                Node::Either => {
                    let (right, mut left) = (pop(&mut parts), pop(&mut parts));
                    bits::join(&mut left.first, &right.first);
                    bits::join(&mut left.last, &right.last);
                    left.nullable |= right.nullable;
                    left
                }
                Node::Star | Node::Plus => {
                    let mut part = pop(&mut parts);
                    join(&mut follow, &part.last, &part.first);
                    part.nullable |= matches!(node, Node::Star);
                    part
                }
                Node::Optional => {
                    let part = pop(&mut parts);
                    Part {
                        nullable: true,
                        ..part
                    }
                }
            };
            parts.push(part);
        }
        let whole = pop(&mut parts);
        let list = |set: &[u64]| (0..count as u32).map(|i| bits::contains(set, i)).collect();
        let followers = |position| bits::members(follow.row(position)).collect();
        let mut below = BitSet::new(count);
        (0..count).for_each(|position| {
            bits::join(&mut below, follow.row(position));
        });
        Positions {
            first: list(&whole.first),
            below: list(&below),
            last: list(&whole.last),
            follow: (0..count).map(followers).collect(),
            nullable: whole.nullable,
            symbols,
        }
    }

    /// Whether every stack may be below a position: it may be the lowest, and any symbol may
    /// follow it, again and again.
    pub fn is_universal(&self, position: u32) -> bool {
        let is_any = |symbol: &Symbol| symbol.name.is_none() && symbol.condition.is_none();
        let goes_on = |next: &u32| {
            let i = *next as usize;
            is_any(&self.symbols[i]) && self.last[i] && self.follow[i].contains(next)
        };
        self.last[position as usize] && self.follow[position as usize].iter().any(goes_on)
    }
}

fn join(follow: &mut BitRows, from: &[u64], to: &[u64]) {
    for position in bits::members(from) {
        follow.join(position as usize, to);
    }
}

fn concatenate(mut above: Part, mut below: Part) -> Part {
    if above.nullable {
        bits::join(&mut above.first, &below.first);
    }
    if below.nullable {
        bits::join(&mut below.last, &above.last);
    }
    Part {
        first: above.first,
        last: below.last,
        nullable: above.nullable && below.nullable,
    }
}

#[cfg(test)]
mod tests {
    use super::super::syntax::parse;
    use super::*;
    use crate::source::Source;

    fn positions(text: &str) -> Positions {
        let source = Source::new("--from", text.into());
        Positions::of(&parse(&source).unwrap().configurations[0].stack)
    }

    /// Whether a word over positions' names is accepted.
    fn accepts(text: &str, word: &str) -> bool {
        let source = Source::new("--from", text.into());
        let automaton = positions(text);
        let name = |i: u32| {
            let name = automaton.symbols[i as usize].name;
            name.map_or("_".to_owned(), |name| source.text(name).into_owned())
        };
        let all: Vec<u32> = (0..automaton.symbols.len() as u32).collect();
        let mut letters = word.split_whitespace().peekable();
        if letters.peek().is_none() {
            return automaton.nullable;
        }
        let is_first = |i: &u32| automaton.first[*i as usize];
        let mut next: Vec<u32> = all.iter().copied().filter(is_first).collect();
        let mut at: Vec<u32> = Vec::new();
        for letter in letters {
            at = next
                .iter()
                .copied()
                .filter(|i| name(*i) == letter)
                .collect();
            next = at
                .iter()
                .flat_map(|i| automaton.follow[*i as usize].clone())
                .collect();
        }
        at.iter().any(|i| automaton.last[*i as usize])
    }

    #[test]
    fn words() {
        for (text, yes, no) in [
            ("<a> <b>", vec!["a b"], vec!["", "a", "b", "a b b"]),
            ("<a> <b>*", vec!["a", "a b", "a b b"], vec!["", "b", "a a"]),
            ("(<a>|<b>)+", vec!["a", "b", "b a b"], vec![""]),
            ("<a> <b>? <c>", vec!["a c", "a b c"], vec!["a b", "a b b c"]),
            ("(<a>? <b>?)*", vec!["", "a", "b b", "b a b"], vec!["c"]),
            (
                "(<a> <b>* <c>)+",
                vec!["a c", "a b b c a c"],
                vec!["a b", "a c b"],
            ),
        ] {
            for word in yes {
                assert!(accepts(text, word), "{text} accepts {word}");
            }
            for word in no {
                assert!(!accepts(text, word), "{text} does not accept {word}");
            }
        }
    }

    #[test]
    fn what_accepts_everything() {
        assert!(positions("<a> *").is_universal(0));
        assert!(positions("<a> * *").is_universal(0));
        assert!(positions("<a> _*").is_universal(1));
        assert!(!positions("<a> _+").is_universal(0));
        assert!(positions("<a> _+").is_universal(1));
        assert!(!positions("<a> * <b>").is_universal(0));
        assert!(!positions("<a> <_ {g}>*").is_universal(0));
        assert!(!positions("<a>").is_universal(0));
    }
}
