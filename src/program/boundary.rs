//! Places that no execution of a program gets past, although the program it was made from might.

use super::PointId;

/// Why no execution gets past a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundaryKind {
    /// What happens there is not decided.
    Outside,
    /// More objects would be needed than there are.
    Heap,
    /// More elements of an object would be needed than it has.
    Length,
    /// The step is undefined.
    Undefined,
}

/// A place that no execution gets past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Executions end at this point.
    pub point: PointId,
    /// What is there, in words.
    pub what: String,
    /// Why it is one.
    pub kind: BoundaryKind,
    /// Where it stands in the source.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}
