//! Conditions that people can read, from BDDs.
//!
//! First what is fixed, then what is equal, then what concerns one number alone; what is
//! left becomes a sum of products. So a frame condition of a hundred variables is a hundred
//! equalities, and not 2¹⁰⁰ cubes. What would still be too long is left to the diagram.

use super::cover::{Cube, cover};
use super::legend::Quantity;
use super::range::{Range, ranges};
use crate::bdd::{Bdd, BddResult, Bdds, Level, OutOfNodes};
use crate::program::Domain;
use rustc_hash::FxHashSet;

/// Larger BDDs, and longer sums, are not written out.
const MOST_NODES: usize = 2_000;
const MOST_VARIABLES: usize = 300;
const MOST_CUBES: usize = 24;
/// Above this many truth values, only those of one name are compared.
const MOST_COMPARED: usize = 16;

/// The condition `f` in words; empty if it is true, `None` if it is too long.
pub fn formula(
    bdds: &Bdds,
    f: &Bdd,
    quantities: &[Quantity],
) -> Result<Option<String>, OutOfNodes> {
    let Some(support) = support(bdds, f) else {
        return Ok(None);
    };
    let in_support = |quantity: &&Quantity| quantity.levels.iter().any(|l| support.contains(l));
    let mut writer = Writer {
        bdds,
        rest: f.clone(),
        quantities: quantities.iter().filter(in_support).collect(),
        parts: Vec::new(),
    };
    writer.fixed()?;
    writer.equal()?;
    writer.alone()?;
    Ok(match writer.sum()? {
        true => Some(writer.parts.join(" & ")),
        false => None,
    })
}

/// The variables that `f` depends on, if it is not too large.
fn support(bdds: &Bdds, f: &Bdd) -> Option<FxHashSet<Level>> {
    let nodes = bdds.nodes(f, MOST_NODES)?.nodes;
    let support: FxHashSet<_> = nodes.iter().map(|(level, ..)| *level).collect();
    (support.len() <= MOST_VARIABLES).then_some(support)
}

struct Writer<'a> {
    bdds: &'a Bdds,
    /// What the parts do not say yet.
    rest: Bdd,
    /// What it may speak of.
    quantities: Vec<&'a Quantity>,
    parts: Vec<String>,
}

impl<'a> Writer<'a> {
    fn implies(&self, condition: &Bdd) -> Result<bool, OutOfNodes> {
        let exception = self.bdds.difference(&self.rest, condition)?;
        Ok(self.bdds.is_false(&exception))
    }

    fn without(&self, quantity: &Quantity) -> BddResult {
        let cube = self.bdds.cube(quantity.levels.iter().copied())?;
        self.bdds.exists(&self.rest, &cube)
    }

    fn says(&mut self, part: String, quantity: &'a Quantity) -> Result<(), OutOfNodes> {
        self.parts.push(part);
        self.rest = self.without(quantity)?;
        self.quantities
            .retain(|other| !std::ptr::eq(*other, quantity));
        Ok(())
    }

    /// What has one value only.
    fn fixed(&mut self) -> Result<(), OutOfNodes> {
        for quantity in self.quantities.clone() {
            let mut value = Some(0_u64);
            for (level, bit) in quantity.levels.iter().zip(0..) {
                let variable = self.bdds.variable(*level);
                if self.implies(&variable)? {
                    value = value.map(|value| value | 1 << bit);
                } else if !self.implies(&self.bdds.not(&variable)?)? {
                    value = None;
                    break;
                }
            }
            if let Some(value) = value {
                let part = match quantity.domain {
                    Domain::Boolean => literal(quantity, value == 1),
                    _ => format!("{} = {}", quantity.name, shown(quantity, value)),
                };
                self.says(part, quantity)?;
            }
        }
        Ok(())
    }

    /// What is always equal, or always different.
    fn equal(&mut self) -> Result<(), OutOfNodes> {
        let mut first = 0;
        while let Some(one) = self.quantities.get(first).copied() {
            let compares_all = self.quantities.len() <= MOST_COMPARED;
            let others = self.quantities[first + 1..].to_vec();
            for other in others {
                let is_truth = one.domain == Domain::Boolean;
                let may_compare = one.variable == other.variable || (compares_all && is_truth);
                if one.domain != other.domain || !may_compare {
                    continue;
                }
                if self.implies(&self.equality(one, other)?)? {
                    self.says(format!("{} = {}", one.name, other.name), other)?;
                } else if is_truth && self.implies(&self.bdds.not(&self.equality(one, other)?)?)? {
                    self.says(format!("{} = !{}", one.name, other.name), other)?;
                }
            }
            first += 1;
        }
        Ok(())
    }

    fn equality(&self, one: &Quantity, other: &Quantity) -> BddResult {
        let bdds = self.bdds;
        let mut equal = bdds.constant(true);
        for (one, other) in one.levels.iter().zip(&other.levels).rev() {
            let same = bdds.equivalent(&bdds.variable(*one), &bdds.variable(*other))?;
            equal = bdds.and(&equal, &same)?;
        }
        Ok(equal)
    }

    /// Numbers whose values depend on nothing else.
    fn alone(&mut self) -> Result<(), OutOfNodes> {
        for quantity in self.quantities.clone() {
            let others = self
                .quantities
                .iter()
                .filter(|q| !std::ptr::eq(**q, quantity));
            let others = self
                .bdds
                .cube(others.flat_map(|q| q.levels.iter().copied()))?;
            let own = self.bdds.exists(&self.rest, &others)?;
            let without = self.without(quantity)?;
            if self.bdds.and(&own, &without)? != self.rest {
                continue;
            }
            if let Some(part) = self.set(quantity, &own)? {
                self.says(part, quantity)?;
                self.parts.retain(|part| !part.is_empty());
            }
        }
        Ok(())
    }

    /// "The number is in this set"; empty if that is all there is.
    fn set(&self, quantity: &Quantity, set: &Bdd) -> Result<Option<String>, OutOfNodes> {
        if quantity.domain == Domain::Boolean {
            return Ok(None);
        }
        let largest = quantity.domain.size() - 1;
        let found = ranges(self.bdds, &quantity.levels, largest as u64, set)?;
        Ok(found.map(|ranges| {
            let texts: Vec<_> = ranges
                .iter()
                .map(|r| range(quantity, *r, largest))
                .collect();
            match texts.as_slice() {
                [one] => one.clone(),
                several => format!("({})", several.join(" | ")),
            }
        }))
    }

    /// What is left, as a sum; false if it is too long.
    fn sum(&mut self) -> Result<bool, OutOfNodes> {
        if self.bdds.is_true(&self.rest) {
            return Ok(true);
        }
        let Some(cubes) = cover(self.bdds, &self.rest, MOST_CUBES)? else {
            return Ok(false);
        };
        let mut products = Vec::new();
        for cube in &cubes {
            let Some(product) = self.product(cube)? else {
                return Ok(false);
            };
            products.push(product);
        }
        match products.as_slice() {
            [] => self.parts.push("0".to_owned()),
            [one] => self.parts.push(one.clone()),
            several if self.parts.is_empty() => self.parts.push(several.join(" | ")),
            several => self.parts.push(format!("({})", several.join(" | "))),
        }
        Ok(true)
    }

    fn product(&self, cube: &Cube) -> Result<Option<String>, OutOfNodes> {
        let mut factors = Vec::new();
        for quantity in &self.quantities {
            let literals = cube.iter().copied();
            let own: Cube = literals
                .filter(|(level, _)| quantity.levels.contains(level))
                .collect();
            match (own.as_slice(), quantity.domain) {
                ([], _) => {}
                ([(_, value)], Domain::Boolean) => factors.push(literal(quantity, *value)),
                _ => match self.set(quantity, &self.bdds.minterm(own)?)? {
                    Some(factor) if factor.is_empty() => {}
                    Some(factor) => factors.push(factor),
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(match factors.is_empty() {
            true => "1".to_owned(),
            false => factors.join(" & "),
        }))
    }
}

fn literal(quantity: &Quantity, value: bool) -> String {
    match value {
        true => quantity.name.clone(),
        false => format!("!{}", quantity.name),
    }
}

fn shown(quantity: &Quantity, value: u64) -> String {
    let name = usize::try_from(value).ok();
    match name.and_then(|value| quantity.values.get(value)) {
        Some(name) => name.clone(),
        None => value.to_string(),
    }
}

fn range(quantity: &Quantity, range: Range, largest: u128) -> String {
    let (name, show) = (&quantity.name, |value| shown(quantity, value));
    let is_last = u128::from(range.last) == largest;
    match (range.first, range.last) {
        (0, _) if is_last => String::new(),
        (first, last) if first == last => format!("{name} = {}", show(first)),
        (0, last) => format!("{name} <= {}", show(last)),
        (first, _) if is_last => format!("{name} >= {}", show(first)),
        (first, last) => format!("{name} >= {} & {name} <= {}", show(first), show(last)),
    }
}
