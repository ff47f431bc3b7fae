//! What is asked, as the user wrote it and as the engines take it.

use crate::diagnostic::nearest;
use crate::program::{PointId, Program};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Reach,
    Assertions,
}

impl Kind {
    /// As scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reach => "reach",
            Kind::Assertions => "assertions",
        }
    }
}

/// A property as given on the command line.
#[derive(Clone, Debug)]
pub struct Request {
    pub kind: Kind,
    /// The label as given, or the name of the kind.
    pub text: String,
}

/// A property of one program.
#[derive(Clone, Debug)]
pub enum Property {
    /// Can control come to one of these points?
    Reach(Vec<PointId>),
    /// Can an assertion fail?
    Assertions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyError {
    pub message: String,
    pub hint: Option<String>,
}

/// Finds what a request speaks of in a program.
pub fn resolve(program: &Program, request: &Request) -> Result<Property, PropertyError> {
    match request.kind {
        Kind::Assertions => Ok(Property::Assertions),
        Kind::Reach => labelled_points(program, &request.text).map(Property::Reach),
    }
}

/// The points with a label, written `L` or `p.L`. A name in braces may hold dots itself, so
/// every way to split the text is tried.
fn labelled_points(program: &Program, text: &str) -> Result<Vec<PointId>, PropertyError> {
    let text = text.trim();
    let of_procedure = |point: PointId| program.names.text(program.procedure_of(point).name);
    let labels = || {
        let labels = program.labels.iter();
        labels.map(|(point, name)| (*point, program.names.text(*name)))
    };
    let points: Vec<_> = labels()
        .filter(|(point, label)| {
            let qualified = text.strip_suffix(label);
            let procedure = qualified.and_then(|rest| rest.strip_suffix('.'));
            *label == text || procedure.is_some_and(|p| p.trim() == of_procedure(*point))
        })
        .map(|(point, _)| point)
        .collect();
    if !points.is_empty() {
        return Ok(points);
    }
    let mut known: Vec<String> = labels().map(|(_, label)| label.to_owned()).collect();
    if text.contains('.') {
        known = labels()
            .map(|(point, label)| format!("{}.{label}", of_procedure(point)))
            .collect();
    }
    known.sort_unstable();
    known.dedup();
    let hint = match nearest(text, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "the program has no labels".to_owned(),
        None => labels_there_are(&known),
    };
    Err(PropertyError {
        message: format!("there is no label `{text}`"),
        hint: Some(hint),
    })
}

fn labels_there_are(known: &[String]) -> String {
    const SHOWN: usize = 8;
    let first: Vec<_> = known.iter().take(SHOWN).map(|l| format!("`{l}`")).collect();
    let more = known.len().saturating_sub(SHOWN);
    match more {
        0 => format!("the labels are {}", first.join(", ")),
        _ => format!("the labels are {} and {more} more", first.join(", ")),
    }
}
