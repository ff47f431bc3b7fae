//! Conditions that people can read, from BDDs.
//!
//! First what is fixed, then what is equal, then what concerns one number alone. What is left
//! is told case by case, by the values of a number that has few cases, and without numbers
//! as a sum of products. So a frame condition of a hundred variables is a hundred
//! equalities, and not 2¹⁰⁰ cubes. What would still be too long is left to the diagram.

use super::cover::{Cube, cover};
use super::language::Notation;
use super::legend::Quantity;
use super::range::{Range, ranges, smallest};
use crate::bdd::{Bdd, BddResult, Bdds, Level, OutOfNodes};
use crate::program::Domain;
use rustc_hash::FxHashSet;

/// Larger BDDs, and longer sums, are not written out.
const MOST_NODES: usize = 2_000;
const MOST_VARIABLES: usize = 300;
const MOST_CASES: usize = 24;
/// Above this many values, only those of one name are compared.
const MOST_COMPARED: usize = 16;

/// The condition `f` in words; empty if it is true, `None` if it is too long.
pub fn formula(
    bdds: &Bdds,
    f: &Bdd,
    quantities: &[Quantity],
    notation: Notation,
) -> Result<Option<String>, OutOfNodes> {
    let quantities: Vec<_> = quantities.iter().collect();
    let mut left = MOST_CASES;
    let parts = describe(bdds, notation, f, &quantities, &mut left)?;
    Ok(parts.map(|parts| match parts.as_slice() {
        [one] => without_parentheses(one).to_owned(),
        parts => parts.join(notation.and),
    }))
}

/// A part that stands alone needs no parentheses around it.
fn without_parentheses(part: &str) -> &str {
    let inside = part.strip_prefix('(').and_then(|p| p.strip_suffix(')'));
    inside.filter(|p| !p.contains(['(', ')'])).unwrap_or(part)
}

/// A set in words, as parts that hold together. `left` cases may still be told.
fn describe(
    bdds: &Bdds,
    notation: Notation,
    f: &Bdd,
    quantities: &[&Quantity],
    left: &mut usize,
) -> Result<Option<Vec<String>>, OutOfNodes> {
    let Some(support) = support(bdds, f) else {
        return Ok(None);
    };
    let in_support = |quantity: &&&Quantity| quantity.levels.iter().any(|l| support.contains(l));
    let mut writer = Writer {
        bdds,
        notation,
        rest: f.clone(),
        quantities: quantities.iter().filter(in_support).copied().collect(),
        parts: Vec::new(),
    };
    writer.fixed()?;
    writer.equal()?;
    writer.alone()?;
    Ok(match writer.cases(left)? {
        true => Some(writer.parts),
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
    notation: Notation,
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

    /// The variables of all other quantities.
    fn others(&self, quantity: &Quantity) -> BddResult {
        let others = self.quantities.iter();
        let others = others.filter(|other| !std::ptr::eq(**other, quantity));
        let levels = others.flat_map(|other| other.levels.iter().copied());
        self.bdds.cube(levels)
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
                    _ => self.comparison(quantity, self.notation.equal, value),
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
                let may_compare = compares_all || one.variable == other.variable;
                if one.domain != other.domain || !may_compare {
                    continue;
                }
                let equality = self.equality(one, other)?;
                if self.implies(&equality)? {
                    self.says(self.equation(one, "", other), other)?;
                } else if is_truth && self.implies(&self.bdds.not(&equality)?)? {
                    self.says(self.equation(one, "!", other), other)?;
                }
            }
            first += 1;
        }
        Ok(())
    }

    fn equation(&self, one: &Quantity, sign: &str, other: &Quantity) -> String {
        let equal = match one.domain {
            Domain::Boolean => self.notation.truth_equal,
            _ => self.notation.equal,
        };
        let equation = format!("{}{equal}{sign}{}", one.name, other.name);
        match one.domain == Domain::Boolean && self.notation.is_truth_equal_loose {
            true => format!("({equation})"),
            false => equation,
        }
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
            let own = self.bdds.exists(&self.rest, &self.others(quantity)?)?;
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
                .map(|r| self.range(quantity, *r, largest))
                .collect();
            match texts.as_slice() {
                [] => "0".to_owned(),
                [one] => one.clone(),
                several => format!("({})", several.join(self.notation.or)),
            }
        }))
    }

    fn comparison(&self, quantity: &Quantity, operator: &str, value: u64) -> String {
        format!("{}{operator}{}", quantity.name, shown(quantity, value))
    }

    fn range(&self, quantity: &Quantity, range: Range, largest: u128) -> String {
        let compare = |operator, value| self.comparison(quantity, operator, value);
        let is_last = u128::from(range.last) == largest;
        match (range.first, range.last) {
            (0, _) if is_last => String::new(),
            (first, last) if first == last => compare(self.notation.equal, first),
            (0, last) => compare(" <= ", last),
            (first, _) if is_last => compare(" >= ", first),
            (first, last) => {
                let (from, to) = (compare(" >= ", first), compare(" <= ", last));
                format!("{from}{}{to}", self.notation.and)
            }
        }
    }

    /// What is left, case by case; false if there are too many.
    fn cases(&mut self, left: &mut usize) -> Result<bool, OutOfNodes> {
        if self.bdds.is_true(&self.rest) {
            return Ok(true);
        }
        let terms = match self.fewest_cases(*left)? {
            Some((quantity, sets)) => self.by_value(quantity, &sets, left)?,
            None => self.products(left)?,
        };
        let Some(terms) = terms else {
            return Ok(false);
        };
        match terms.as_slice() {
            [] => self.parts.push("0".to_owned()),
            [one] => self.parts.push(one.clone()),
            several => {
                let sum = several.join(self.notation.or);
                self.parts.push(match self.parts.is_empty() {
                    true => sum,
                    false => format!("({sum})"),
                });
            }
        }
        Ok(true)
    }

    /// The number whose values make the fewest differences to the rest, and the sets of
    /// values that make none; `None` if there are no numbers.
    fn fewest_cases(&self, most: usize) -> Result<Option<(&'a Quantity, Vec<Bdd>)>, OutOfNodes> {
        let mut fewest: Option<(&Quantity, Vec<Bdd>)> = None;
        for quantity in &self.quantities {
            if quantity.domain == Domain::Boolean {
                continue;
            }
            let most = fewest.as_ref().map_or(most, |(_, sets)| sets.len() - 1);
            let sets = self.alike(quantity, most + 1)?;
            if fewest.is_none() || sets.len() <= most {
                fewest = Some((quantity, sets));
            }
        }
        Ok(fewest)
    }

    /// The values of a number, those with the same consequences together; at most `most`
    /// sets of them.
    fn alike(&self, quantity: &Quantity, most: usize) -> Result<Vec<Bdd>, OutOfNodes> {
        let bdds = self.bdds;
        let own = bdds.cube(quantity.levels.iter().copied())?;
        let others = self.others(quantity)?;
        let mut values = bdds.exists(&self.rest, &others)?;
        let mut sets = Vec::new();
        while let Some(smallest) = smallest(bdds, &quantity.levels, &values)?
            && sets.len() < most
        {
            let bits = quantity.levels.iter().zip(0..);
            let value = bdds.minterm(bits.map(|(level, i)| (*level, smallest >> i & 1 == 1)))?;
            let consequence = bdds.and_exists(&self.rest, &value, &own)?;
            let differs = bdds.exists(&bdds.xor(&self.rest, &consequence)?, &others)?;
            let alike = bdds.difference(&values, &differs)?;
            values = bdds.and(&values, &differs)?;
            sets.push(alike);
        }
        Ok(sets)
    }

    /// What each set of values has for a consequence.
    fn by_value(
        &self,
        quantity: &Quantity,
        sets: &[Bdd],
        left: &mut usize,
    ) -> Result<Option<Vec<String>>, OutOfNodes> {
        let own = self.bdds.cube(quantity.levels.iter().copied())?;
        let mut terms = Vec::new();
        for set in sets {
            if *left == 0 {
                return Ok(None);
            }
            *left -= 1;
            let Some(values) = self.set(quantity, set)? else {
                return Ok(None);
            };
            let consequence = self.bdds.and_exists(&self.rest, set, &own)?;
            let parts = describe(
                self.bdds,
                self.notation,
                &consequence,
                &self.quantities,
                left,
            )?;
            let Some(parts) = parts else {
                return Ok(None);
            };
            let mut factors = vec![values];
            match parts.as_slice() {
                [one] if one.contains(self.notation.or) => factors.push(format!("({one})")),
                parts => factors.extend_from_slice(parts),
            }
            factors.retain(|factor| !factor.is_empty());
            terms.push(match factors.is_empty() {
                true => "1".to_owned(),
                false => factors.join(self.notation.and),
            });
        }
        Ok(Some(terms))
    }

    /// A sum of products of truth values.
    fn products(&self, left: &mut usize) -> Result<Option<Vec<String>>, OutOfNodes> {
        let Some(cubes) = cover(self.bdds, &self.rest, *left)? else {
            return Ok(None);
        };
        *left -= cubes.len();
        let product = |cube: &Cube| {
            let factors = self.quantities.iter().filter_map(|quantity| {
                let mut literals = cube.iter();
                let found = literals.find(|(level, _)| quantity.levels.contains(level));
                found.map(|(_, value)| literal(quantity, *value))
            });
            factors.collect::<Vec<_>>().join(self.notation.and)
        };
        Ok(Some(cubes.iter().map(product).collect()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Collection;
    use crate::interpreter::value_of;
    use crate::program::VariableId;

    /// Two numbers of two bits, the second of three values only, and two truth values.
    fn quantities() -> Vec<Quantity> {
        let quantity = |name: &str, levels: &[Level], domain, values: &[&str]| Quantity {
            name: name.to_owned(),
            variable: name.to_owned(),
            levels: levels.to_vec(),
            domain,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let names = Domain::Enumeration { id: 0, size: 3 };
        vec![
            quantity("x", &[0, 2], Domain::Integer { bits: 2 }, &[]),
            quantity("y", &[1, 3], names, &["R", "S", "T"]),
            quantity("b", &[4], Domain::Boolean, &[]),
            quantity("c", &[5], Domain::Boolean, &[]),
        ]
    }

    /// The values of x, y, b and c.
    type Valuation = [u64; 4];

    fn valuations() -> impl Iterator<Item = Valuation> {
        (0..48).map(|i| [i % 4, i / 4 % 3, i / 12 % 2, i / 24])
    }

    fn term(token: &str, [x, y, b, c]: Valuation) -> u64 {
        match token {
            "x" => x,
            "y" => y,
            "b" => b,
            "c" => c,
            "R" => 0,
            "S" => 1,
            "T" => 2,
            number => number.parse().expect("a number"),
        }
    }

    fn evaluate(
        tokens: &mut std::iter::Peekable<std::vec::IntoIter<String>>,
        v: Valuation,
    ) -> bool {
        let mut sum = false;
        loop {
            let mut product = true;
            loop {
                product &= factor(tokens, v);
                if tokens.next_if(|token| token == "&").is_none() {
                    break;
                }
            }
            sum |= product;
            if tokens.next_if(|token| token == "|").is_none() {
                return sum;
            }
        }
    }

    fn factor(tokens: &mut std::iter::Peekable<std::vec::IntoIter<String>>, v: Valuation) -> bool {
        let token = tokens.next().expect("an operand");
        match token.as_str() {
            "!" => return !factor(tokens, v),
            "(" => {
                let value = evaluate(tokens, v);
                assert_eq!(tokens.next().as_deref(), Some(")"));
                return value;
            }
            _ => {}
        }
        let left = term(&token, v);
        let operator = tokens.next_if(|t| matches!(t.as_str(), "=" | "<=" | ">="));
        let Some(operator) = operator else {
            return left == 1;
        };
        let negated = tokens.next_if(|token| token == "!").is_some();
        let right = term(&tokens.next().expect("a term"), v);
        match operator.as_str() {
            "<=" => left <= right,
            ">=" => left >= right,
            _ if negated => left == 1 - right,
            _ => left == right,
        }
    }

    fn holds(text: &str, valuation: Valuation) -> bool {
        let spaced = text
            .replace('(', " ( ")
            .replace(')', " ) ")
            .replace('!', " ! ");
        let tokens: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
        let mut tokens = tokens.into_iter().peekable();
        let value = text.is_empty() || evaluate(&mut tokens, valuation);
        assert!(tokens.peek().is_none(), "{text}");
        value
    }

    /// Whether the text, read as a condition of a pushdown system, is true of a valuation.
    fn holds_in(system: &crate::pushdown::System, text: &str, valuation: Valuation) -> bool {
        let read = |variable, _| match variable {
            VariableId::Global(i) => {
                let value = valuation[i as usize];
                Some(value_of(system.globals[i as usize].domain, value))
            }
            VariableId::Local(_) => None,
        };
        let condition = crate::lower::condition(system, None, text);
        let condition = condition.unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
        crate::pushdown::holds(&condition, read)
    }

    #[test]
    fn words_and_diagrams_agree() {
        let text = "define R 0 define S 1 define T 2 \
                    global int x(2), y(2); bool b, c; (q <s>) q <s> --> q <s>";
        let source = std::sync::Arc::new(crate::source::Source::new("", text.into()));
        let system = crate::lower::pushdown_system(source, &[], Default::default())
            .0
            .unwrap();
        let bdds = Bdds::new(6, 1 << 20, Collection::Rare).unwrap();
        let quantities = quantities();
        let member = |valuation: Valuation| {
            let bits = quantities
                .iter()
                .zip(valuation)
                .flat_map(|(quantity, value)| {
                    let levels = quantity.levels.iter().zip(0..);
                    levels.map(move |(level, i)| (*level, value >> i & 1 == 1))
                });
            bdds.minterm(bits).unwrap()
        };
        let mut random = 1_u64;
        let mut written = 0;
        for round in 0..300 {
            // Some functions of few values, some of many.
            let few = round % 8;
            let mut f = bdds.constant(false);
            let mut members = Vec::new();
            for valuation in valuations() {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let chosen = match few {
                    0 => valuation[0] <= random >> 60,
                    1 => valuation[0] == valuation[1],
                    2 => (valuation[2] == valuation[3]) == (round % 16 == 2),
                    _ => (random >> 33) % 8 < few,
                };
                if chosen {
                    f = bdds.or(&f, &member(valuation)).unwrap();
                    members.push(valuation);
                }
            }
            if let Some(text) = formula(&bdds, &f, &quantities, Notation::PLAIN).unwrap() {
                written += 1;
                for valuation in valuations() {
                    let expected = members.contains(&valuation);
                    assert_eq!(holds(&text, valuation), expected, "{text} {valuation:?}");
                }
            }
            let pushdown = formula(&bdds, &f, &quantities, Notation::PUSHDOWN).unwrap();
            if let Some(text) = pushdown.filter(|text| !text.is_empty() && text != "0") {
                for valuation in valuations() {
                    let holds = holds_in(&system, &text, valuation);
                    assert_eq!(holds, members.contains(&valuation), "{text} {valuation:?}");
                }
            }
        }
        assert!(written > 250, "{written}");
    }
}
