//! Few and short cubes that together are a Boolean function: an irredundant sum of products
//! (Minato, *Fast generation of irredundant sum-of-products forms from binary decision
//! diagrams*, 1992).
//!
//! As many steps as there are cubes, times the number of variables.

use crate::bdd::{Bdd, Bdds, Level, OutOfNodes};

/// A conjunction of literals, topmost variable first.
pub type Cube = Vec<(Level, bool)>;

/// Cubes whose union is `f`; `None` if there would be more than `most`. The depth of the
/// recursion is the number of variables that `f` depends on.
pub fn cover(bdds: &Bdds, f: &Bdd, most: usize) -> Result<Option<Vec<Cube>>, OutOfNodes> {
    let mut cubes = Vec::new();
    let complete = Cover { bdds, most }.between(f, f, &mut Vec::new(), &mut cubes)?;
    Ok(complete.map(|_| cubes))
}

struct Cover<'a> {
    bdds: &'a Bdds,
    most: usize,
}

impl Cover<'_> {
    /// Adds cubes, each beginning with `prefix`, whose union lies between the two; and gives
    /// that union, without the prefix.
    fn between(
        &self,
        lower: &Bdd,
        upper: &Bdd,
        prefix: &mut Cube,
        cubes: &mut Vec<Cube>,
    ) -> Result<Option<Bdd>, OutOfNodes> {
        let bdds = self.bdds;
        if bdds.is_false(lower) {
            return Ok(Some(bdds.constant(false)));
        }
        if bdds.is_true(upper) {
            if cubes.len() == self.most {
                return Ok(None);
            }
            cubes.push(prefix.clone());
            return Ok(Some(bdds.constant(true)));
        }
        let level = |f: &Bdd| bdds.branch(f).map_or(Level::MAX, |(level, ..)| level);
        let top = level(lower).min(level(upper));
        let halves = |f: &Bdd| match bdds.branch(f) {
            Some((level, no, yes)) if level == top => (no, yes),
            _ => (f.clone(), f.clone()),
        };
        let ((lower_no, lower_yes), (upper_no, upper_yes)) = (halves(lower), halves(upper));
        // What only one half allows must say so; the rest need not mention the variable.
        let mut half = |value: bool, lower: &Bdd, upper: &Bdd, cubes: &mut Vec<Cube>| {
            prefix.push((top, value));
            let covered = self.between(lower, upper, prefix, cubes);
            prefix.pop();
            covered
        };
        let only_no = bdds.difference(&lower_no, &upper_yes)?;
        let Some(no) = half(false, &only_no, &upper_no, cubes)? else {
            return Ok(None);
        };
        let only_yes = bdds.difference(&lower_yes, &upper_no)?;
        let Some(yes) = half(true, &only_yes, &upper_yes, cubes)? else {
            return Ok(None);
        };
        let rest = bdds.or(
            &bdds.difference(&lower_no, &no)?,
            &bdds.difference(&lower_yes, &yes)?,
        )?;
        let both = bdds.and(&upper_no, &upper_yes)?;
        let Some(either) = self.between(&rest, &both, prefix, cubes)? else {
            return Ok(None);
        };
        let split = bdds.if_then_else(&bdds.variable(top), &yes, &no)?;
        bdds.or(&split, &either).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Collection;

    /// Every function of three variables is the union of its cubes, and none is superfluous.
    #[test]
    fn all_functions_of_three_variables() {
        let bdds = Bdds::new(3, 1 << 20, Collection::Rare).unwrap();
        let minterm = |number: u32| {
            let literals = (0..3).map(|level| (level, number >> level & 1 == 1));
            bdds.minterm(literals).unwrap()
        };
        let union = |sets: &[Bdd]| {
            let join = |a: Bdd, b: &Bdd| bdds.or(&a, b).unwrap();
            sets.iter().fold(bdds.constant(false), join)
        };
        for truth in 0..256_u32 {
            let members: Vec<_> = (0..8)
                .filter(|i| truth >> i & 1 == 1)
                .map(minterm)
                .collect();
            let f = union(&members);
            let cubes = cover(&bdds, &f, 8).unwrap().expect("at most 8 cubes");
            let mut sets: Vec<_> = cubes
                .iter()
                .map(|cube| bdds.minterm(cube.iter().copied()).unwrap())
                .collect();
            assert!(union(&sets) == f);
            for _ in 0..sets.len() {
                let without = sets.pop().unwrap();
                assert!(union(&sets) != f);
                sets.insert(0, without);
            }
            let fewer = cover(&bdds, &f, cubes.len().saturating_sub(1)).unwrap();
            assert_eq!(fewer.is_none(), !cubes.is_empty());
        }
    }
}
