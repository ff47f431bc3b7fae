//! What properties speak of: programs and pushdown systems.

use super::{Atom, Property, PropertyError};
use crate::trace::Step;
use ltl2ba_rs::{Kind, Proposition};

pub trait Subject {
    /// What a name means.
    fn word(&self, text: &str) -> Result<Atom, PropertyError>;

    /// What an expression means, its braces included.
    fn braces(&self, text: &str) -> Result<Atom, PropertyError>;

    /// What `operator(argument)` means.
    fn call(&self, operator: &str, argument: &str) -> Result<Atom, PropertyError>;

    /// The property that a place, named by the user, is not reached.
    fn reach(&self, text: &str) -> Result<Property, PropertyError>;

    /// The property that no assertion fails.
    fn assertions(&self) -> Result<Property, PropertyError>;

    /// Whether a proposition is true of a configuration.
    fn holds(&self, atom: &Atom, step: &Step) -> bool;

    /// What a proposition of a formula means.
    fn proposition(&self, proposition: &Proposition) -> Result<Atom, PropertyError> {
        let text = proposition.text.trim();
        match proposition.kind {
            Kind::Word => self.word(text),
            Kind::Braces => self.braces(text),
            Kind::Call => {
                let (operator, argument) = divide_call(text);
                self.call(operator, argument)
            }
            Kind::Quoted => self.text(text),
        }
    }

    /// What quoted text means, or the name of a proposition in a HOA file: any of these.
    fn text(&self, text: &str) -> Result<Atom, PropertyError> {
        let text = text.trim();
        if text.starts_with('{') && text.ends_with('}') {
            return self.braces(text);
        }
        match divide_call(text) {
            (operator @ ("at" | "in" | "state"), argument) if text.ends_with(')') => {
                self.call(operator, argument)
            }
            _ => self.word(text),
        }
    }
}

fn divide_call(text: &str) -> (&str, &str) {
    let (operator, rest) = text.split_once('(').unwrap_or((text, ""));
    let argument = rest.trim_end().trim_end_matches(')');
    (operator.trim(), argument.trim())
}

/// The one thing that a name means, of all that it could mean, each with another way to write
/// it; `None` if it means nothing.
pub fn only_meaning(
    text: &str,
    mut meanings: Vec<(Atom, String)>,
) -> Result<Option<Atom>, PropertyError> {
    if meanings.len() > 1 {
        let ways: Vec<_> = meanings.into_iter().map(|(_, way)| way).collect();
        return Err(PropertyError::new(
            format!("`{text}` could mean several things"),
            Some(format!("write {}", ways.join(", or "))),
        ));
    }
    Ok(meanings.pop().map(|(atom, _)| atom))
}
