//! Expressions that other tools would understand differently.
//!
//! Moped and Getafix, and we, let `=` and `!=` bind tightest of the binary operators. Boppo
//! and SATABS read, from loosest to tightest: `=>`, `=` and `!=` together, grouping to the
//! right; `<=>`; `^`; `|`; `&`. Where operators are mixed without parentheses so that the
//! two tables group differently, the user is warned and shown our reading. Mere regrouping
//! of an associative operator (`a & b & c`, `a = b != c`) makes no difference and no warning.
//!
//! A few bits say which operators an expression has ([`Mix`]). Only where those could differ are
//! its tokens looked at again, in linear time.

use super::lexicon::TokenKind;
use super::parser::{Boolean, Parser};
use super::print;
use super::tree::{BinaryOperator, ExpressionId, Node};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;
use crate::syntax::kit::Lexer;
use crate::syntax::kit::operators::{Infix, LOOSEST};

/// A set of binary operators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mix(u8);

const EQUALITY: u8 = 1;
const EQUIVALENCE: u8 = 2;
const IMPLICATION: u8 = 4;
const OR: u8 = 8;
const XOR: u8 = 16;
const AND: u8 = 32;

impl Mix {
    #[inline]
    pub fn add(&mut self, operator: BinaryOperator) {
        self.0 |= match operator {
            BinaryOperator::Equal | BinaryOperator::NotEqual => EQUALITY,
            BinaryOperator::Equivalent => EQUIVALENCE,
            BinaryOperator::Implies => IMPLICATION,
            BinaryOperator::Or => OR,
            BinaryOperator::Xor => XOR,
            BinaryOperator::And => AND,
        };
    }

    /// Whether two of them are ordered differently in the two tables.
    #[inline]
    pub fn may_differ(self) -> bool {
        let has = |bits: u8| self.0 & bits == bits;
        (has(EQUALITY) && self.0 != EQUALITY) || has(XOR | OR) || has(IMPLICATION | EQUIVALENCE)
    }
}

impl Parser<'_> {
    /// Warns if the expression groups differently in the two tables.
    #[inline]
    pub fn check_other_reading(&mut self, expression: ExpressionId, span: Span) {
        /// Of the shortest expression with two binary operators.
        const NODES: usize = 5;
        let nodes = self.tree.expressions.nodes(expression);
        if nodes.len() < NODES {
            return;
        }
        let mut mix = Mix::default();
        for node in nodes {
            if let Node::Binary(operator) = node {
                mix.add(*operator);
            }
        }
        if mix.may_differ() {
            self.warn_of_other_reading(expression, span);
        }
    }

    #[cold]
    fn warn_of_other_reading(&mut self, expression: ExpressionId, span: Span) {
        if !readings_differ(self.lexer.bytes(), span) {
            return;
        }
        let message = "Boppo and SATABS would read this expression differently";
        let mut warning = Diagnostic::warning(span, message);
        if !self.collector.is_full(Severity::Warning) {
            let nodes = self.tree.expressions.nodes(expression);
            let reading = print::fully_parenthesised(&self.tree.names, nodes);
            warning = warning.with_hint(match reading {
                Some(text) => format!("it is read here as `{text}`; parentheses make it plain"),
                None => "parentheses make it plain".into(),
            });
        }
        self.report(warning);
    }
}

/// Whether the expression at `span`, which is well-formed, groups differently in the two
/// tables.
fn readings_differ(bytes: &[u8], span: Span) -> bool {
    let mut lexer = Lexer::<TokenKind>::within(bytes, span);
    // The binary operators of each open bracket, the innermost last.
    let mut groups: Vec<Vec<BinaryOperator>> = vec![Vec::new()];
    let mut after_operand = false;
    loop {
        let token = lexer.next_token();
        if let (true, Some(infix)) = (after_operand, Infix::<Boolean>::of(token.kind)) {
            if let Some(group) = groups.last_mut() {
                group.push(infix.operator);
            }
            after_operand = false;
            continue;
        }
        match token.kind {
            TokenKind::LeftBrace => {
                // A list in parentheses may end here in the middle: nothing else can fail.
                if lexer.name_in_braces(token).is_err() {
                    return false;
                }
                after_operand = true;
            }
            TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                groups.push(Vec::new());
                after_operand = false;
            }
            TokenKind::RightParenthesis | TokenKind::RightBracket => {
                if groups.pop().is_some_and(|group| groups_differ(&group)) {
                    return true;
                }
                after_operand = true;
            }
            TokenKind::Question if !after_operand => after_operand = true,
            TokenKind::Question | TokenKind::Colon | TokenKind::Comma => {
                if let Some(group) = groups.last_mut()
                    && groups_differ(&std::mem::take(group))
                {
                    return true;
                }
                after_operand = false;
            }
            TokenKind::EndOfFile | TokenKind::OpenComment => {
                return groups.iter().any(|group| groups_differ(group));
            }
            TokenKind::Bang | TokenKind::NotWord | TokenKind::Tick | TokenKind::Schoose => {}
            _ => after_operand = true,
        }
    }
}

/// How a table orders the operators; a smaller number is looser.
type Table = fn(BinaryOperator) -> u8;

fn our_table(operator: BinaryOperator) -> u8 {
    Infix::<Boolean>::by(operator).map_or(LOOSEST, |infix| infix.precedence)
}

fn their_table(operator: BinaryOperator) -> u8 {
    match operator {
        BinaryOperator::Implies | BinaryOperator::Equal | BinaryOperator::NotEqual => 0,
        BinaryOperator::Equivalent => 1,
        BinaryOperator::Xor => 2,
        BinaryOperator::Or => 3,
        BinaryOperator::And => 4,
    }
}

fn groups_differ(operators: &[BinaryOperator]) -> bool {
    operators.len() > 1 && reaches(operators, our_table) != reaches(operators, their_table)
}

/// For each operator, the stretch of operands that the operator, or the chain of one
/// associative operator that it belongs to, takes in. Two tables group alike exactly if
/// these are equal: operators with one stretch form one chain.
///
/// To the left, an operator is bounded by the nearest one that is looser; `=>` also by an
/// equally loose one, because it groups to the right. `=` and `!=` are one family, and are
/// bounded by an equally loose `=>` likewise.
fn reaches(operators: &[BinaryOperator], table: Table) -> Vec<(usize, usize)> {
    let count = operators.len();
    let mut reaches = vec![(0, count); count];
    // Operators that may still bound a later one, ever tighter.
    let mut bounds: Vec<usize> = Vec::new();
    for (index, operator) in operators.iter().enumerate() {
        while let Some(&last) = bounds.last()
            && table(operators[last]) > table(*operator)
        {
            // Nothing that comes later is in reach of the operator that is taken away.
            reaches[last].1 = index;
            bounds.pop();
        }
        let bound = match bounds.last() {
            Some(&last) if table(operators[last]) < table(*operator) => last + 1,
            Some(&last)
                if *operator == BinaryOperator::Implies
                    || operators[last] == BinaryOperator::Implies =>
            {
                last + 1
            }
            // The same associative family: the chain begins where it began.
            Some(&last) => reaches[last].0,
            None => 0,
        };
        reaches[index].0 = bound;
        bounds.push(index);
    }
    reaches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(text: &str) -> bool {
        readings_differ(text.as_bytes(), Span::new(0, text.len() as u32))
    }

    #[test]
    fn expressions_that_are_read_differently() {
        for text in [
            "a & b = c",
            "a = b | c",
            "a = b => c",
            "a | b ^ c",
            "a ^ b | c",
            "a <=> b = c",
            "a => b <=> c",
            "!a & (b | c) != d",
            "x & (a = b & c)",
            "schoose[a, b = c & d]",
            "a ? b & c = d : e",
            "a = b & c = d",
            "{a=b} & b = c",
            "a = b = c => d",
        ] {
            assert!(differ(text), "{text}");
        }
    }

    #[test]
    fn expressions_that_are_read_alike() {
        for text in [
            "a & b & c",
            "a | b & c",
            "a ^ b & c",
            "a = b = c",
            "a = b != c = d",
            "a => b => c",
            "a => b = c",
            "a => b | c & d",
            "a <=> b | c",
            "a <=> b <=> c",
            "a & (b = c)",
            "(a & b) = c",
            "!a = b",
            "a = !b",
            "a & b ? c = d : ? | e",
            "{a & b = c}",
            "a => b => c = d",
        ] {
            assert!(!differ(text), "{text}");
        }
    }
}
