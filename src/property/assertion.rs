//! Assertions by their places. Linear in the points of a program.

use super::{OTHERS, Property, PropertyError};
use crate::diagnostic::listed;
use crate::program::{Action, PointId, Program};
use crate::source::Position;

/// How many places a hint lists.
const SHOWN: usize = 8;

/// Every assertion of a program with its place, in the order of the text.
pub fn assertions(program: &Program) -> Vec<(Position, PointId)> {
    let asserts = program.point_ids().filter(|point| {
        let action = &program.point(*point).action;
        matches!(action, Action::Assert { .. })
    });
    let mut places: Vec<_> = asserts
        .map(|point| (program.position_of(point), point))
        .collect();
    places.sort_unstable();
    places
}

/// A place as properties name it.
pub fn spelling(place: Position) -> String {
    format!("{}:{}", place.line, place.column)
}

/// What is asked by `LINE:COLUMN`, or by `others`.
pub fn failure_at(program: &Program, text: &str) -> Result<Property, PropertyError> {
    if text == OTHERS {
        return Ok(Property::OtherFailures);
    }
    let all = assertions(program).into_iter();
    assertion_at(
        all.map(|(place, point)| (spelling(place), point)).collect(),
        text,
    )
}

/// What is asked by a place, of these assertions with their places.
pub fn assertion_at(all: Vec<(String, PointId)>, text: &str) -> Result<Property, PropertyError> {
    let here = all.iter().filter(|(place, _)| place == text);
    let here: Vec<_> = here.map(|(_, point)| *point).collect();
    if !here.is_empty() {
        return Ok(Property::Assertion(here));
    }
    let mut places: Vec<_> = all.into_iter().map(|(place, _)| place).collect();
    places.dedup();
    let hint = match places.is_empty() {
        true => "the program has no assertions".to_owned(),
        false => format!("the assertions are at {}", listed(&places, SHOWN)),
    };
    let message = format!("there is no assertion at `{text}`");
    Err(PropertyError::new(message, Some(hint)))
}
