//! Labels by name.

use super::PropertyError;
use crate::diagnostic::{listed, suggestion};
use crate::program::{PointId, Program};

/// How many labels a hint lists.
const SHOWN: usize = 8;

/// The points with a label, written `L` or `p.L`. A name in braces may hold dots itself, so
/// every way to split the text is tried.
pub fn labelled_points(program: &Program, text: &str) -> Result<Vec<PointId>, PropertyError> {
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
    Err(no_label(text, known))
}

/// There is no such label, but there are these.
pub fn no_label(text: &str, mut known: Vec<String>) -> PropertyError {
    known.sort_unstable();
    known.dedup();
    let near = suggestion(text, known.iter().map(String::as_str));
    let hint = near.unwrap_or_else(|| match known.is_empty() {
        true => "the program has no labels".to_owned(),
        false => format!("the labels are {}", listed(&known, SHOWN)),
    });
    let message = format!("there is no label `{text}`");
    PropertyError::new(message, Some(hint))
}
