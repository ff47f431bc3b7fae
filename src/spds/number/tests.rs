//! Every operation against plain arithmetic, for all operands of up to 4 bits of both signs.

use super::*;
use crate::bdd::Collection;

/// The operands are variables `0..WIDTH` and `WIDTH..2 * WIDTH`, interleaved.
const WIDTH: usize = 5;

struct Fixture {
    bdds: Bdds,
    a: Number,
    b: Number,
}

fn fixture() -> Fixture {
    let bdds = Bdds::new(2 * WIDTH as u32, 1 << 24, Collection::Rare).expect("small");
    let bits = |offset: usize| -> Vec<Bdd> {
        let levels = (0..WIDTH).map(|i| (2 * i + offset) as u32);
        levels.map(|level| bdds.variable(level)).collect()
    };
    // The highest bit is the sign: from -16 to 15.
    let (a, b) = (bits(0), bits(1));
    Fixture {
        a: Number(a),
        b: Number(b),
        bdds,
    }
}

fn valuation(a: i128, b: i128) -> Vec<bool> {
    let mut values = vec![false; 2 * WIDTH];
    for i in 0..WIDTH {
        values[2 * i] = a >> i & 1 == 1;
        values[2 * i + 1] = b >> i & 1 == 1;
    }
    values
}

fn value(bdds: &Bdds, number: &Number, valuation: &[bool]) -> i128 {
    let mut value = 0;
    for i in 0..100 {
        value |= i128::from(bdds.contains(number.bit(i), valuation)) << i;
    }
    let negative = bdds.contains(number.sign(), valuation);
    if negative { value - (1 << 100) } else { value }
}

fn operands() -> impl Iterator<Item = (i128, i128)> {
    (-16..16).flat_map(|a| (-16..16).map(move |b| (a, b)))
}

#[track_caller]
fn agrees(f: &Fixture, result: Partial, plain: impl Fn(i128, i128) -> Option<i128>) {
    let (number, undefined) = result.expect("small");
    for (a, b) in operands() {
        let at = valuation(a, b);
        let got = !f.bdds.contains(&undefined, &at);
        let got = got.then(|| value(&f.bdds, &number, &at));
        assert_eq!(got, plain(a, b), "of {a} and {b}");
    }
}

fn total(f: &Fixture, result: NumberResult) -> Partial {
    result.map(|number| (number, f.bdds.constant(false)))
}

#[test]
fn sums_differences_and_products_are_exact() {
    let f = fixture();
    agrees(&f, total(&f, f.a.add(&f.bdds, &f.b)), |a, b| Some(a + b));
    agrees(&f, total(&f, f.a.subtract(&f.bdds, &f.b)), |a, b| {
        Some(a - b)
    });
    agrees(&f, total(&f, f.a.multiply(&f.bdds, &f.b)), |a, b| {
        Some(a * b)
    });
}

#[test]
fn quotients_round_towards_zero() {
    let f = fixture();
    agrees(&f, f.a.divide(&f.bdds, &f.b), |a, b| a.checked_div(b));
}

#[test]
fn remainders_have_the_sign_of_the_dividend() {
    let f = fixture();
    agrees(&f, f.a.remainder(&f.bdds, &f.b), |a, b| a.checked_rem(b));
}

#[test]
fn products_and_shifts_modulo_a_power_of_two() {
    let f = fixture();
    for bits in 1..12 {
        let product = f.a.multiply_modulo(&f.bdds, &f.b, bits);
        agrees(&f, total(&f, product), |a, b| {
            Some((a * b).rem_euclid(1 << bits))
        });
        let shifted = f.a.shift_left_modulo(&f.bdds, &f.b, bits);
        agrees(&f, shifted, |a, b| {
            (b >= 0).then(|| (a << b).rem_euclid(1 << bits))
        });
        for signed in [false, true] {
            let sum = f.a.add(&f.bdds, &f.b).expect("small");
            let wrapped = sum.wrap(&f.bdds, bits, signed);
            agrees(&f, total(&f, Ok(wrapped)), |a, b| {
                Some(crate::program::wrap(a + b, bits, signed))
            });
        }
    }
}

#[test]
fn an_arithmetic_shift_rounds_down() {
    let f = fixture();
    agrees(&f, f.a.arithmetic_shift_right(&f.bdds, &f.b), |a, b| {
        (b >= 0).then(|| a.div_euclid(1 << b))
    });
}

#[test]
fn bits_and_shifts_want_natural_numbers() {
    let f = fixture();
    let bdds = &f.bdds;
    let natural = |a: i128, b: i128, value: i128| (a >= 0 && b >= 0).then_some(value);
    agrees(
        &f,
        f.a.bitwise(bdds, &f.b, |a, b| bdds.and(a, b)),
        |a, b| natural(a, b, a & b),
    );
    agrees(&f, f.a.bitwise(bdds, &f.b, |a, b| bdds.or(a, b)), |a, b| {
        natural(a, b, a | b)
    });
    agrees(
        &f,
        f.a.bitwise(bdds, &f.b, |a, b| bdds.xor(a, b)),
        |a, b| natural(a, b, a ^ b),
    );
    agrees(&f, f.a.shift_right(bdds, &f.b), |a, b| {
        natural(a, b, a.checked_shr(b as u32).unwrap_or(0))
    });
    agrees(&f, f.a.shift_left(bdds, &f.b), |a, b| {
        natural(a, b, a.checked_shl(b as u32).unwrap_or(0))
    });
}

#[test]
fn a_shift_has_a_limit() {
    let f = fixture();
    // 8 times b, from -128 to 120.
    let by = Number::constant(&f.bdds, 8).multiply(&f.bdds, &f.b);
    let by = by.expect("small");
    agrees(&f, f.a.shift_left(&f.bdds, &by), |a, b| {
        let result = (a >= 0 && b >= 0).then(|| a << (8 * b).min(120));
        result.filter(|result| {
            *result <= SHIFT_LIMIT && a.checked_shl((8 * b) as u32) == Some(*result)
        })
    });
}

#[test]
fn comparisons() {
    let f = fixture();
    let truth = |bdd: BddResult| {
        let zero = bdd.map(|bit| Number::natural(&f.bdds, vec![bit]));
        total(&f, zero)
    };
    agrees(&f, truth(f.a.less(&f.bdds, &f.b)), |a, b| {
        Some(i128::from(a < b))
    });
    agrees(&f, truth(f.a.less_equal(&f.bdds, &f.b)), |a, b| {
        Some(i128::from(a <= b))
    });
    agrees(&f, truth(f.a.equal(&f.bdds, &f.b)), |a, b| {
        Some(i128::from(a == b))
    });
    agrees(&f, truth(f.a.truth(&f.bdds)), |a, _| {
        Some(i128::from(a != 0))
    });
}

#[test]
fn domains() {
    let f = fixture();
    let mut domains: Vec<_> = (1..6).map(|bits| Domain::Integer { bits }).collect();
    domains.push(Domain::Boolean);
    domains.extend((1..10).map(|size| Domain::Enumeration { id: 0, size }));
    let sum = f.a.add(&f.bdds, &f.b).expect("small");
    for domain in domains {
        let size = domain.size() as i128;
        let fits = sum.fits(&f.bdds, domain).expect("small");
        let outside = f.bdds.not(&fits).expect("small");
        agrees(&f, Ok((sum.clone(), outside)), |a, b| {
            Some(a + b).filter(|n| domain.contains(*n))
        });
        agrees(&f, total(&f, sum.wrapped(&f.bdds, domain)), |a, b| {
            Some((a + b).rem_euclid(size))
        });
    }
}

#[test]
fn elements() {
    let f = fixture();
    let square = |k: u32| Number::constant(&f.bdds, u64::from(k * k));
    let selected = f.a.select(&f.bdds, 7, square);
    agrees(&f, selected, |a, _| (0..7).contains(&a).then_some(a * a));
}
