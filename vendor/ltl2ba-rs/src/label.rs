//! Labels of the public automata: sums of cubes over proposition indices.
//!
//! Labels stay symbolic; nothing here enumerates valuations.

/// A proposition, positive or negated.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal {
    /// Index into the automaton's propositions.
    pub proposition: u32,
    /// Whether the proposition must be true.
    pub positive: bool,
}

/// A conjunction of literals on different propositions, ascending. Empty is true.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Cube {
    /// The literals.
    pub literals: Vec<Literal>,
}

impl Cube {
    /// Whether the cube is true of a valuation, given as the truth of each proposition.
    /// Propositions beyond its end are false.
    pub fn holds(&self, valuation: &[bool]) -> bool {
        self.literals.iter().all(|literal| {
            let value = valuation
                .get(literal.proposition as usize)
                .copied()
                .unwrap_or(false);
            value == literal.positive
        })
    }
}

/// A disjunction of cubes. No cube is false; one empty cube is true.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Label {
    /// The cubes.
    pub cubes: Vec<Cube>,
}

impl Label {
    /// The label that holds of every valuation.
    pub fn always() -> Self {
        Label {
            cubes: vec![Cube::default()],
        }
    }

    /// Whether the label is written as true.
    pub fn is_always(&self) -> bool {
        self.cubes.iter().any(|cube| cube.literals.is_empty())
    }

    /// Whether the label is true of a valuation.
    pub fn holds(&self, valuation: &[bool]) -> bool {
        self.cubes.iter().any(|cube| cube.holds(valuation))
    }

    /// The label as text in some notation; `atom` writes a proposition.
    pub(crate) fn write(&self, notation: &Notation, atom: impl Fn(u32) -> String) -> String {
        if self.is_always() {
            return notation.truth.to_owned();
        }
        if self.cubes.is_empty() {
            return notation.falsity.to_owned();
        }
        let several = self.cubes.len() > 1;
        let cubes = self.cubes.iter().map(|cube| {
            let literals = cube.literals.iter().map(|literal| {
                let sign = if literal.positive { "" } else { notation.not };
                format!("{sign}{}", atom(literal.proposition))
            });
            let product = literals.collect::<Vec<_>>().join(notation.and);
            let enclosed = notation.enclose && several && cube.literals.len() > 1;
            if enclosed {
                format!("({product})")
            } else {
                product
            }
        });
        cubes.collect::<Vec<_>>().join(notation.or)
    }
}

/// How a label is written in some format.
pub(crate) struct Notation {
    pub(crate) not: &'static str,
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    pub(crate) truth: &'static str,
    pub(crate) falsity: &'static str,
    /// Whether products in a sum get parentheses.
    pub(crate) enclose: bool,
}
