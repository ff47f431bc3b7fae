//! Collects diagnostics, and keeps a hostile input from making millions of them.
//!
//! Warnings and errors are counted apart, so that a flood of the one does not hide the
//! other.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// How many errors, and how many warnings, are kept; the others are only counted.
const KEPT: usize = 1000;

#[derive(Debug, Default)]
pub struct Collector {
    kept: Vec<Diagnostic>,
    errors: Count,
    warnings: Count,
}

#[derive(Debug, Default)]
struct Count {
    kept: usize,
    left_out: usize,
    first_left_out: Span,
}

impl Collector {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        if count.kept < KEPT {
            count.kept += 1;
            self.kept.push(diagnostic);
        } else {
            if count.left_out == 0 {
                count.first_left_out = diagnostic.span;
            }
            count.left_out += 1;
        }
    }

    pub fn has_errors(&self) -> bool {
        self.errors.kept > 0
    }

    /// Whether an error has been kept that begins where the span does. Looks through all of them.
    pub fn has_error_at(&self, span: Span) -> bool {
        let mut kept = self.kept.iter();
        kept.any(|one| one.is_error() && one.span.start == span.start)
    }

    /// Whether another error, or warning, would only be counted: then its words need not
    /// be found.
    pub fn is_full(&self, severity: Severity) -> bool {
        match severity {
            Severity::Error => self.errors.kept >= KEPT,
            Severity::Warning => self.warnings.kept >= KEPT,
        }
    }

    /// All that were kept, in the order of the source, and what was left out.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut list = self.kept;
        list.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        if self.errors.left_out > 0 {
            let message = format!("{} more errors are not listed", self.errors.left_out);
            list.push(Diagnostic::error(self.errors.first_left_out, message));
        }
        if self.warnings.left_out > 0 {
            let message = format!("{} more warnings are not listed", self.warnings.left_out);
            list.push(Diagnostic::warning(self.warnings.first_left_out, message));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_warnings_hides_no_error() {
        let mut collector = Collector::default();
        for place in (0..10_000).rev() {
            collector.report(Diagnostic::warning(Span::new(place, place), "w"));
        }
        collector.report(Diagnostic::error(Span::new(5, 6), "e"));
        let list = collector.finish();
        assert_eq!(list.len(), KEPT + 2);
        assert!(list[0].is_error());
        assert_eq!(list[KEPT + 1].message, "9000 more warnings are not listed");
    }
}
