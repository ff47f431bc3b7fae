//! Constants: the defined names, and arithmetic over numbers and these.

use crate::diagnostic::{Diagnostic, did_you_mean, nearest, suggestion};
use crate::names::{Name, Names};
use crate::program::{FAR, NUMBER_BITS, shift_left};
use crate::source::Span;
use crate::syntax::Collector;
use crate::syntax::pds::Tree;
use crate::syntax::pds::tree::{BinaryOperator, ExpressionId, NodeKind};
use rustc_hash::FxHashMap;

#[derive(Clone, Debug, Default)]
pub struct Constants {
    values: FxHashMap<Name, i128>,
}

/// Reported already.
#[derive(Debug)]
pub struct NoConstant;

impl Constants {
    pub fn of(values: impl IntoIterator<Item = (Name, i128)>) -> Self {
        Constants {
            values: values.into_iter().collect(),
        }
    }

    /// All of them, by the order of the names.
    pub fn list(&self) -> Vec<(Name, i128)> {
        let mut list: Vec<_> = self
            .values
            .iter()
            .map(|(name, value)| (*name, *value))
            .collect();
        list.sort_unstable();
        list
    }

    pub fn get(&self, name: Name) -> Option<i128> {
        self.values.get(&name).copied()
    }

    /// The constants that a text defines, those of `overrides` with the values given there.
    pub fn define(
        tree: &Tree,
        names: &mut Names,
        overrides: &[(String, i128)],
        collector: &mut Collector,
    ) -> Self {
        let mut constants = Constants::default();
        for (text, value) in overrides {
            if let Some(wrong) = wrong_override(tree, text, *value) {
                collector.report(wrong);
                continue;
            }
            constants.values.insert(names.intern(text), *value);
        }
        let mut defined: FxHashMap<Name, Span> = FxHashMap::default();
        for define in &tree.defines {
            let name = define.identifier.name;
            let span = tree.span(define.identifier);
            if let Some(first) = defined.insert(name, span) {
                let text = tree.text(define.identifier);
                let diagnostic = Diagnostic::error(span, format!("`{text}` is defined twice"));
                collector.report(diagnostic.with_related(first, "first defined here"));
                continue;
            }
            if overrides
                .iter()
                .any(|(text, _)| text == tree.text(define.identifier))
            {
                continue;
            }
            // What has no value was reported; what depends on it is not reported again.
            let value = constants.value(tree, define.value, collector);
            constants.values.insert(name, value.unwrap_or(1));
        }
        constants
    }

    /// The value of an expression over numbers and defined names.
    pub fn value(
        &self,
        tree: &Tree,
        expression: ExpressionId,
        collector: &mut Collector,
    ) -> Result<i128, NoConstant> {
        let mut stack: Vec<(i128, Span)> = Vec::new();
        for node in tree.nodes_of(expression) {
            let value = match node.kind {
                NodeKind::Number(number) => (number.into(), node.span),
                NodeKind::Name(name, _) => match self.get(name) {
                    Some(value) => (value, node.span),
                    None => {
                        collector.report(self.unknown(tree, name, node.span));
                        return Err(NoConstant);
                    }
                },
                NodeKind::Binary(operator) => {
                    // The parser leaves both operands there.
                    let (Some((b, right)), Some((a, left))) = (stack.pop(), stack.pop()) else {
                        return Err(NoConstant);
                    };
                    let span = left.to(right);
                    match calculate(operator, a, b) {
                        Ok(value) => (value, span),
                        Err(why) => {
                            collector.report(Diagnostic::error(span, why));
                            return Err(NoConstant);
                        }
                    }
                }
                _ => return Err(NoConstant),
            };
            stack.push(value);
        }
        stack.pop().map(|(value, _)| value).ok_or(NoConstant)
    }

    fn unknown(&self, tree: &Tree, name: Name, span: Span) -> Diagnostic {
        let text = tree.names.text(name);
        let mut later = tree.defines.iter();
        if let Some(define) = later.find(|define| define.identifier.name == name) {
            let message = format!("`{text}` is defined only later");
            return Diagnostic::error(span, message)
                .with_related(tree.span(define.identifier), "here");
        }
        let diagnostic = Diagnostic::error(span, format!("`{text}` is not defined"));
        let known = tree
            .defines
            .iter()
            .map(|define| tree.text(define.identifier));
        diagnostic.with_hint(
            suggestion(text, known)
                .unwrap_or_else(|| format!("write `define {text} …` before, or use `-D {text}=…`")),
        )
    }
}

/// What is wrong with an option `-D`, if anything is.
fn wrong_override(tree: &Tree, text: &str, value: i128) -> Option<Diagnostic> {
    let nowhere = Span::new(0, 0);
    if value.unsigned_abs() >> NUMBER_BITS != 0 {
        return Some(Diagnostic::error(
            nowhere,
            format!("`-D {text}`: {TOO_LARGE}"),
        ));
    }
    // A name that is used and not defined is meant to be defined there.
    if tree.names.find(text).is_some() {
        return None;
    }
    let diagnostic = Diagnostic::error(nowhere, format!("`-D {text}`: there is no such name here"));
    let known = tree
        .defines
        .iter()
        .map(|define| tree.text(define.identifier));
    let near = nearest(text, known).map(|near| did_you_mean(format_args!("-D {near}")));
    Some(diagnostic.with_hint_if_any(near))
}

const TOO_LARGE: &str = "this number is too large";

/// Arithmetic on exact numbers, or what is wrong with it.
pub fn calculate(operator: BinaryOperator, a: i128, b: i128) -> Result<i128, &'static str> {
    let result = match operator {
        BinaryOperator::Plus => a.checked_add(b),
        BinaryOperator::Minus => a.checked_sub(b),
        BinaryOperator::Times => a.checked_mul(b),
        BinaryOperator::Divide if b == 0 => return Err("division by 0"),
        BinaryOperator::Divide => a.checked_div(b),
        BinaryOperator::ShiftLeft if a < 0 || b < 0 => {
            return Err("only natural numbers are shifted, and by natural numbers");
        }
        BinaryOperator::ShiftLeft => Some(shift_left(a, b).unwrap_or(FAR)),
        _ => return Err("this is no arithmetic"),
    };
    match result {
        Some(number) if number.unsigned_abs() >> NUMBER_BITS == 0 => Ok(number),
        _ => Err(TOO_LARGE),
    }
}
