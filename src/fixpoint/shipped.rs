//! The algorithms that come with the tool.

/// Names, and their equations.
pub const SHIPPED: [(&str, &str); 5] = [
    ("simple", include_str!("../../specs/simple.mu")),
    ("ef", include_str!("../../specs/ef.mu")),
    ("efopt", include_str!("../../specs/efopt.mu")),
    ("cbr", include_str!("../../specs/cbr.mu")),
    ("rounds", include_str!("../../specs/rounds.mu")),
];

/// The equations of an algorithm by its name.
pub fn shipped(name: &str) -> Option<&'static str> {
    let found = SHIPPED.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
