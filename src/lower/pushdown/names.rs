//! Which variable a name in an expression means, and what to say if it means none.

use super::scope::Variable;
use super::terms::Relations;
use crate::diagnostic::{Diagnostic, did_you_mean, nearest};
use crate::names::Name;
use crate::program::{Domain, Moment};
use crate::source::Span;
use crate::syntax::pds::tree::Reference;

/// What a name stands for.
pub enum Found {
    There(Variable),
    /// A variable, but of other symbols only.
    Absent(Domain),
}

impl Relations<'_> {
    /// The variable that is meant, or what is wrong.
    pub fn variable(&self, place: Reference, span: Span) -> Result<Found, Diagnostic> {
        let Reference { name, when, .. } = place;
        let text = self.tree.names.text(name);
        if self.constants_only {
            return Err(self.scope.unknown_constant(self.tree, name, span));
        }
        let here = self.view.frame(when);
        let here = here.and_then(|frame| self.scope.find(frame, name));
        // In a property, it may be a variable that other symbols have.
        let lenient = self.view.lenient && when == Moment::Before;
        let first = match lenient {
            true => self.scope.all(name).next(),
            false => here,
        };
        let Some(first) = first else {
            return Err(self.unknown(name, when, span));
        };
        if lenient && !self.scope.all(name).all(|other| other.is_like(&first)) {
            let message = format!("`{text}` is declared with different types");
            let hint = "a property needs a name that means the same everywhere";
            return Err(Diagnostic::error(span, message).with_hint(hint));
        }
        match (here.unwrap_or(first).array, place.is_element) {
            (Some((low, _)), false) => {
                let message = format!("`{text}` is an array: which element?");
                let marks = when.primes();
                Err(Diagnostic::error(span, message)
                    .with_hint(format!("write `{text}{marks}[{low}]`, for example")))
            }
            (None, true) => Err(Diagnostic::error(span, format!("`{text}` is no array"))),
            _ => Ok(here.map_or(Found::Absent(first.domain), Found::There)),
        }
    }

    fn unknown(&self, name: Name, when: Moment, span: Span) -> Diagnostic {
        let text = self.tree.names.text(name);
        let marks = when.primes();
        let error = |message: String| Diagnostic::error(span, message);
        let Some(frame) = self.view.frame(when) else {
            return error(match when {
                Moment::Below if self.view.frame(Moment::After).is_some() => {
                    format!("`{text}''` belongs to a second symbol on the right, and there is none")
                }
                _ => "there is no step here, so names have no primes".to_owned(),
            });
        };
        if when == Moment::Below && self.scope.is_global(name) {
            return error(format!(
                "`{text}` is a global, and the symbol below has locals only"
            ))
            .with_hint(format!("after the step it is `{text}'`"));
        }
        if let Some(carriers) = self.scope.carriers(name, &self.tree.names) {
            return error(format!("`{text}{marks}` is no variable here"))
                .with_hint(format!("`{text}` is a local of {carriers}"));
        }
        let known = self.scope.names(frame).map(|n| self.tree.names.text(n));
        let hint = match nearest(text, known) {
            Some(near) => Some(did_you_mean(format_args!("{near}{marks}"))),
            None if matches!(text, "true" | "false") => Some(
                "there are no truth constants: leave the condition out, or write `0 = 0`".into(),
            ),
            None => None,
        };
        error(format!("unknown variable `{text}`")).with_hint_if_any(hint)
    }
}
