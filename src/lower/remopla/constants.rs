//! Constants: the names of enumerations, and defined names.
//!
//! Defines are computed in the order of the source; those that the command line overrides have
//! their values from there, before others are computed from them.

use super::Lowering;
use super::scope::Constant;
use crate::diagnostic::{Diagnostic, Severity, did_you_mean, nearest};
use crate::lower::expression::Kind;
use crate::lower::unknown::Space;
use crate::program::Enumeration;
use crate::source::Span;
use crate::syntax::remopla::tree::{Define, ExpressionId, Identifier, shorten};

/// The define that says how many bits an `int` has if nothing else is said.
const DEFAULT_BITS: &str = "DEFAULT_INT_BITS";

impl Lowering<'_> {
    /// The names of enumerations count from 0.
    pub fn declare_enumerations(&mut self) {
        let tree = self.tree;
        for (index, enumeration) in tree.enumerations.iter().enumerate() {
            let names = &tree.identifiers[enumeration.names.indices()];
            for (name, value) in names.iter().zip(0..) {
                self.declare_constant(*name, value);
            }
            self.enumerations.push(Enumeration {
                name: enumeration.identifier.map(|identifier| identifier.name),
                names: names.iter().map(|name| name.name).collect(),
            });
            if let Some(identifier) = enumeration.identifier
                && let Err(first) = self
                    .scope()
                    .enumerations
                    .insert(identifier.name, index as u32)
                && let Some(first) = tree.enumerations[first as usize].identifier
            {
                self.report_twice("enumeration", identifier, first);
            }
        }
    }

    fn declare_constant(&mut self, identifier: Identifier, value: i128) {
        let scope = self.scope();
        let index = scope.constant_values.len() as u32;
        match scope.constants.insert(identifier.name, index) {
            Ok(()) => scope.constant_values.push(Constant { identifier, value }),
            Err(other) => {
                // Enumerations come first here, but perhaps not in the source.
                let other = scope.constant_values[other as usize].identifier;
                let (first, second) = match identifier.start < other.start {
                    true => (identifier, other),
                    false => (other, identifier),
                };
                self.report_twice("constant", second, first);
            }
        }
    }

    pub fn compute_defines(&mut self) {
        let tree = self.tree;
        for (position, define) in tree.defines.iter().enumerate() {
            let is_bits = tree.names.text(define.identifier.name) == DEFAULT_BITS;
            let given = self.given(define);
            let computed = self.constant(define.value, position);
            let Some(value) = given.or(computed) else {
                // So that its uses are no mistakes as well.
                self.declare_constant(define.identifier, 1);
                continue;
            };
            self.declare_constant(define.identifier, value);
            if is_bits {
                self.set_default_bits(value, tree.expression_span(define.value));
            }
        }
        self.check_overrides();
    }

    /// What the command line says of a define.
    fn given(&self, define: &Define) -> Option<i128> {
        let text = self.tree.names.text(define.identifier.name);
        let overrides = self.options.defines.iter().rev();
        let mut found = overrides.filter(|(name, _)| name == text);
        found.next().map(|(_, value)| *value)
    }

    fn check_overrides(&mut self) {
        let tree = self.tree;
        let known = |name: &str| {
            let mut defines = tree.defines.iter();
            defines.any(|define| tree.names.text(define.identifier.name) == name)
        };
        for (name, value) in &self.options.defines {
            if known(name) {
                continue;
            }
            let end = self.end_of_source;
            if name == DEFAULT_BITS {
                self.set_default_bits(*value, end);
                continue;
            }
            let names = tree.defines.iter();
            let mut names = names.map(|define| tree.names.text(define.identifier.name));
            let near = match tree.defines.len() {
                // Of one name that can be given a value, that one is meant.
                1 => names.next(),
                _ => nearest(name, names.take(10_000)),
            };
            let place = tree
                .defines
                .iter()
                .find(|define| Some(tree.names.text(define.identifier.name)) == near);
            let span = place.map_or(end, |define| tree.span(define.identifier));
            let shown = shorten(name);
            let option = self.options.advice.define;
            let message =
                format!("`{option}{shown}=…` defines a name that the program does not have");
            let diagnostic = Diagnostic::error(span, message);
            self.report(match near {
                Some(near) => diagnostic.with_hint(did_you_mean(format_args!("{option}{near}=…"))),
                None => diagnostic.with_hint(format!("`define {shown} …` would introduce it")),
            });
        }
    }

    fn set_default_bits(&mut self, value: i128, span: Span) {
        if let Some(bits) = self.bits_from(value, span) {
            self.default_bits = bits;
        }
    }

    /// A number of bits, if it is one.
    pub fn bits_from(&mut self, value: i128, span: Span) -> Option<u8> {
        match u8::try_from(value) {
            Ok(bits @ 1..=64) => Some(bits),
            _ => {
                let message = format!("an `int` has from 1 to 64 bits, not {value}");
                self.report(Diagnostic::error(span, message));
                None
            }
        }
    }

    /// The number of an expression that must be a constant. Only defines before `position` may
    /// be used.
    fn constant(&mut self, expression: ExpressionId, position: usize) -> Option<i128> {
        self.scope().constants_only = true;
        self.begin_statement();
        let value = self.machine.expression(expression);
        match (value.kind, value.constant()) {
            (_, Some(number)) => return Some(number),
            (Kind::Unknown, _) => {}
            (Kind::Number(_), _) => {
                let message = "this number cannot be computed";
                let hint =
                    "it divides by 0, shifts too far, or takes the bits of a negative number";
                self.report(Diagnostic::error(value.span, message).with_hint(hint));
            }
            _ => {
                let message = "expected a number, found a condition";
                self.report(Diagnostic::error(value.span, message));
            }
        }
        self.report_unknown_constants(position);
        None
    }

    /// The number of an expression that must be a constant, after all defines.
    pub fn constant_number(&mut self, expression: ExpressionId) -> Option<i128> {
        self.constant(expression, self.tree.defines.len())
    }

    fn report_unknown_constants(&mut self, position: usize) {
        let tree = self.tree;
        let unknown: Vec<_> = self.scope().unknown.take().collect();
        for (space, used) in unknown {
            if space != Space::Constant {
                continue;
            }
            let name = used.first.name;
            let text = tree.shown(name);
            let span = tree.span(used.first);
            let diagnostic = Diagnostic::error(span, format!("unknown constant `{text}`"));
            if self.machine.collector.is_full(Severity::Error) {
                self.report(diagnostic);
                continue;
            }
            let mut later = tree.defines[position..].iter();
            if let Some(define) = later.find(|define| define.identifier.name == name) {
                let message = format!("`{text}` is defined only later");
                let place = tree.span(define.identifier);
                self.report(Diagnostic::error(span, message).with_related(place, "here"));
                continue;
            }
            let mut globals = tree.globals.iter();
            if globals.any(|global| global.identifier.name == name) {
                let message = format!("`{text}` is a variable, but a constant is needed here");
                self.report(Diagnostic::error(span, message));
                continue;
            }
            let scope = &mut self.machine.language.environment;
            let known = scope.constant_values.iter();
            let known = known.map(|constant| tree.names.text(constant.identifier.name));
            let near = scope.unknown.nearest(tree.names.text(name), known);
            self.report(match near {
                Some(near) => diagnostic.with_hint(did_you_mean(shorten(near))),
                None => diagnostic.with_hint(format!("write `define {text} …` before it is used")),
            });
        }
    }
}
