//! Expressions that a user wants to see along a trace.

use super::Watched;
use crate::property::Atom;
use crate::rules::Subject;
use crate::trace::Step;

/// An expression of one program or pushdown system.
#[derive(Clone, Debug)]
pub struct Watch {
    pub text: String,
    pub term: Atom,
}

impl Watch {
    /// Its value at each step.
    pub fn along(&self, subject: Subject<'_>, steps: &[&Step]) -> Watched {
        let values = steps.iter().map(|step| subject.value(&self.term, step));
        Watched {
            text: self.text.clone(),
            values: values.collect(),
        }
    }
}
