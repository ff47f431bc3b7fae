//! Arithmetic of Remopla programs against whole numbers of 128 bits: what a term is, whether it
//! has a value, and what is left of it in a variable.

mod library;

use derny::generate::random::Random;
use derny::internals::check::Options;
use derny::internals::property::Property;
use derny::{Overflow, Verdict};

/// The variables: their name, bits, and value.
const WIDTHS: [(&str, u32); 3] = [("a", 5), ("b", 3), ("c", 64)];

struct Terms {
    random: Random,
    values: [u64; 3],
}

/// The text of a term and its value, if it has one.
type Term = (String, Option<i128>);

impl Terms {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, 5);
        let mut value = |bits: u32| {
            let word = u64::from(random.below(u32::MAX)) << 32 | u64::from(random.below(u32::MAX));
            // Often near one of the ends.
            let value = match random.below(4) {
                0 => u64::MAX - u64::from(random.below(3)),
                1 => u64::from(random.below(3)),
                _ => word,
            };
            value >> (64 - bits)
        };
        let values = WIDTHS.map(|(_, bits)| value(bits));
        Terms { random, values }
    }

    fn variable(&self, index: usize) -> Term {
        (WIDTHS[index].0.to_owned(), Some(self.values[index].into()))
    }

    /// A term over the small variables.
    fn small(&mut self, depth: u32) -> Term {
        if depth == 0 || self.random.percent(25) {
            return match self.random.below(3) {
                0 => {
                    let number = self.random.below(10);
                    (number.to_string(), Some(number.into()))
                }
                index => self.variable(index as usize - 1),
            };
        }
        let operators = ["+", "-", "*", "/", "<<", ">>", "&", "|", "^"];
        let operator = *self.random.pick(&operators);
        let (a, b) = (self.small(depth - 1), self.small(depth - 1));
        apply(operator, a, b)
    }

    /// A term with the wide variable in it; nothing that takes a large BDD.
    fn wide(&mut self) -> Term {
        let operators = ["+", "-", "&", "|", "^", "<<", ">>"];
        let operator = *self.random.pick(&operators);
        let wide = self.variable(2);
        // A relation remembers as many bits as it moves them.
        let shifts = operator.len() == 2;
        let number = match self.random.percent(50) {
            true => self.random.below(6),
            false => 60 + self.random.below(8),
        };
        let small = match !shifts && self.random.percent(50) {
            true => self.variable(0),
            false => (number.to_string(), Some(number.into())),
        };
        apply(operator, wide, small)
    }
}

fn apply(operator: &str, (a, x): Term, (b, y): Term) -> Term {
    let natural = |x: i128, y: i128| (x >= 0 && y >= 0).then_some((x, y));
    let calculate = |x: i128, y: i128| match operator {
        "+" => Some(x + y),
        "-" => Some(x - y),
        "*" => Some(x * y),
        "/" => x.checked_div(y),
        "&" => natural(x, y).map(|(x, y)| x & y),
        "|" => natural(x, y).map(|(x, y)| x | y),
        "^" => natural(x, y).map(|(x, y)| x ^ y),
        ">>" => natural(x, y).map(|(x, y)| if y > 126 { 0 } else { x >> y }),
        _ => {
            let (x, y) = natural(x, y)?;
            let power = |y| u32::try_from(y).ok().and_then(|y| 2_i128.checked_pow(y));
            match x {
                0 => Some(0),
                _ => power(y)
                    .and_then(|p| x.checked_mul(p))
                    .filter(|z| *z <= 1 << 64),
            }
        }
    };
    let value = x.zip(y).and_then(|(x, y)| calculate(x, y));
    (format!("({a} {operator} {b})"), value)
}

/// Whether an assertion can fail; `None` if the program is refused.
fn fails(text: &str, overflow: Overflow) -> Option<bool> {
    let program = library::remopla(text, overflow).ok()?;
    let options = Options {
        memory: 8 << 20,
        ..Options::default()
    };
    let findings = library::findings(&*program, &[Property::Assertions], &options);
    let findings = findings.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    Some(findings[0].verdict == Some(Verdict::Violated))
}

#[test]
fn terms_are_exact() {
    // Those without a value, those that do not fit, those that do.
    let mut kinds = [0, 0, 0];
    for seed in 0..200 {
        let mut terms = Terms::new(seed);
        let (term, value) = match seed % 3 {
            0 => terms.wide(),
            _ => terms.small(3),
        };
        let [a, b, c] = terms.values;
        // What is wide goes back where it came from, which takes a small relation.
        let (x, bits) = match seed % 3 {
            0 => ("c", 64),
            _ => ("x", *terms.random.pick(&[1_u32, 4, 7])),
        };
        let size = 1_i128 << bits;
        let declared = if x == "x" {
            format!(", x({bits})")
        } else {
            String::new()
        };
        let program = |assertion: &str| {
            format!(
                "module void main() {{ int a(5), b(3), c(64){declared};
                a = {a}; b = {b}; c = {c}; {x} = {term}; assert ({assertion}); }}"
            )
        };
        let fits = value.is_some_and(|value| (0..size).contains(&value));
        let Some(found) = fails(&program("true"), Overflow::Error) else {
            continue;
        };
        assert_eq!(found, !fits, "{}", program("true"));
        let kind = usize::from(value.is_some()) + usize::from(fits);
        kinds[kind] += 1;
        let kept = value.map(|value| value.rem_euclid(size));
        let (equal, different) = match kept {
            Some(kept) => (format!("{x} == {kept}"), format!("{x} != {kept}")),
            None => ("true".to_owned(), "false".to_owned()),
        };
        // Wrapped: an error only if there is no value.
        let wrapped = fails(&program(&equal), Overflow::Wrap);
        assert_eq!(wrapped, Some(value.is_none()), "{}", program(&equal));
        assert_eq!(fails(&program(&different), Overflow::Wrap), Some(true));
        // Blocked: no execution comes to the assertion unless the value fits.
        assert_eq!(fails(&program(&different), Overflow::Block), Some(fits));
    }
    assert!(kinds.iter().all(|count| *count > 20), "{kinds:?}");
}
