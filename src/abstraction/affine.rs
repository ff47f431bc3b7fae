//! Equations and inequalities that hold of samples: candidates for what holds always.
//!
//! The equations are the null space of the samples, each with a column of ones: Gaussian
//! elimination with fractions, on small numbers only. They are meant modulo the width of their
//! variables, where sums that overflow keep them true.

use super::build::Workshop;
use super::samples::Sample;
use super::spelling::{Type, common, promoted};
use crate::limits::abstraction::SAMPLE_VARIABLES;
use crate::program::{Operation, ProcedureId, VariableId};
use rustc_hash::FxHashSet;

/// Beyond this, what is in a sample is taken for a number that has overflowed.
const LARGE: i128 = 1 << 20;
/// The largest factor of a variable in an equation.
const FACTOR: i128 = 64;
/// Variables in an equation.
const SUMMANDS: usize = 4;

/// A number of a procedure that samples speak of.
struct Column {
    variable: VariableId,
    of: Type,
}

/// Candidates for a procedure, over some of its variables: first equations, then inequalities.
pub fn relations(
    workshop: &Workshop<'_>,
    procedure: ProcedureId,
    variables: &FxHashSet<VariableId>,
    constants: &[i128],
) -> [Vec<Vec<Operation>>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let Some(samples) = &workshop.samples else {
        return found;
    };
    let mut numbers: Vec<Column> = variables
        .iter()
        .filter_map(|variable| {
            Some(Column {
                variable: *variable,
                of: workshop.vocabulary.width(procedure, *variable)?,
            })
        })
        .collect();
    numbers.sort_unstable_by_key(|column| column.variable);
    numbers.truncate(SAMPLE_VARIABLES);
    let value = |column: &Column, raw| {
        let vocabulary = &workshop.vocabulary;
        vocabulary.value(procedure, column.variable, raw)
    };
    for rows in samples.of(workshop, procedure) {
        let rows = small_rows(rows, &numbers, value);
        if rows.len() < 4 {
            continue;
        }
        for equation in null_space(&rows, numbers.len() + 1) {
            found[0].extend(spelled(workshop, procedure, &numbers, &equation));
        }
        let read = |column: &Column| workshop.vocabulary.read(procedure, column.variable);
        for (i, a) in numbers.iter().enumerate() {
            for (j, b) in numbers.iter().enumerate() {
                let is_below = rows.iter().all(|row| row[i] <= row[j]);
                let is_same = rows.iter().all(|row| row[i] == row[j]);
                if i != j && is_below && !is_same && a.of == b.of {
                    found[1].push([read(a), read(b), vec![Operation::LessEqual]].concat());
                }
            }
            for constant in constants.iter().filter(|one| one.abs() <= LARGE) {
                let Some(number) = super::pool::constant(*constant) else {
                    continue;
                };
                let values = || rows.iter().map(|row| row[i]);
                let is_met = values().any(|value| value == *constant);
                if is_met && values().all(|value| value >= *constant) {
                    found[1].push([number.clone(), read(a), vec![Operation::LessEqual]].concat());
                }
                if is_met && values().all(|value| value <= *constant) {
                    found[1].push([read(a), number, vec![Operation::LessEqual]].concat());
                }
            }
        }
    }
    found
}

/// The samples in which all numbers are small, each once, with a 1 at the end.
fn small_rows(
    samples: &[Sample],
    numbers: &[Column],
    value: impl Fn(&Column, i128) -> i128,
) -> Vec<Vec<i128>> {
    let rows = samples.iter().filter_map(|sample| {
        let mut row = Vec::with_capacity(numbers.len() + 1);
        for column in numbers {
            let raw = sample.get(&column.variable).copied().unwrap_or(0);
            let value = value(column, raw);
            if value.abs() > LARGE {
                return None;
            }
            row.push(value);
        }
        row.push(1);
        Some(row)
    });
    let mut rows: Vec<Vec<i128>> = rows.collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Vectors of small whole numbers that are orthogonal to all rows: a basis, as far as it is small.
fn null_space(rows: &[Vec<i128>], columns: usize) -> Vec<Vec<i128>> {
    // Rows in echelon form, without fractions; each has its leading column.
    let mut reduced: Vec<(usize, Vec<i128>)> = Vec::new();
    for row in rows {
        let mut row = row.clone();
        for (lead, other) in &reduced {
            if !eliminate(&mut row, other, *lead) {
                return Vec::new();
            }
        }
        let Some(lead) = row.iter().position(|value| *value != 0) else {
            continue;
        };
        for (_, other) in &mut reduced {
            if !eliminate(other, &row, lead) {
                return Vec::new();
            }
        }
        reduced.push((lead, row));
        if reduced.len() == columns {
            return Vec::new();
        }
    }
    let is_lead = |column: usize| reduced.iter().any(|(lead, _)| *lead == column);
    let mut found = Vec::new();
    for free in (0..columns).filter(|column| !is_lead(*column)) {
        // The free variable is as large as makes the others whole.
        let mut used = reduced.iter().filter(|(_, row)| row[free] != 0);
        let scale = used.try_fold(1_i128, |scale, (lead, row)| {
            let step = row[*lead].abs() / gcd(row[*lead], row[free]);
            (scale / gcd(scale, step)).checked_mul(step)
        });
        let Some(scale) = scale.filter(|scale| *scale <= FACTOR) else {
            continue;
        };
        let mut vector = vec![0; columns];
        vector[free] = scale;
        for (lead, row) in &reduced {
            vector[*lead] = -row[free] * scale / row[*lead];
        }
        let (factors, constant) = vector.split_at(columns - 1);
        let summands = factors.iter().filter(|factor| **factor != 0).count();
        let are_small = factors.iter().all(|factor| factor.abs() <= FACTOR);
        if (1..=SUMMANDS).contains(&summands) && are_small && constant[0].abs() <= LARGE {
            found.push(vector);
        }
    }
    found
}

/// Makes the leading column of `other` 0 in a row; false if numbers become too large.
fn eliminate(row: &mut [i128], other: &[i128], lead: usize) -> bool {
    if row[lead] == 0 {
        return true;
    }
    let divisor = gcd(row[lead], other[lead]);
    let (a, b) = (other[lead] / divisor, row[lead] / divisor);
    for (value, other) in row.iter_mut().zip(other) {
        *value = *value * a - other * b;
    }
    let common = row.iter().fold(0, |all, value| gcd(all, *value));
    if common > 1 {
        row.iter_mut().for_each(|value| *value /= common);
    }
    row.iter().all(|value| value.abs() < 1 << 50)
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// An equation with natural numbers on both sides.
fn spelled(
    workshop: &Workshop<'_>,
    procedure: ProcedureId,
    numbers: &[Column],
    equation: &[i128],
) -> Option<Vec<Operation>> {
    let (constant, factors) = equation.split_last()?;
    let used: Vec<(&Column, i128)> = numbers
        .iter()
        .zip(factors.iter().copied())
        .filter(|(_, factor)| *factor != 0)
        .collect();
    let of = used.iter().map(|(column, _)| column.of).reduce(common)?;
    // A narrower one would not wrap where the others do.
    let is_one_width = used.iter().all(|(column, _)| promoted(column.of).0 == of.0);
    let is_c = workshop.vocabulary.is_c();
    if is_c && !is_one_width {
        return None;
    }
    let wrapped = is_c.then_some(Operation::Wrap {
        bits: of.0,
        signed: of.1,
    });
    // What is narrower than `int` is computed there, and wraps where it is stored.
    let narrow = used.iter().map(|(column, _)| column.of).reduce(|a, b| {
        let signed = a.1 && b.1;
        (a.0.max(b.0), signed)
    })?;
    let stored = (is_c && narrow.0 < of.0).then_some(Operation::Wrap {
        bits: narrow.0,
        signed: narrow.1,
    });
    // Most factors are positive on the left.
    let positive = used.iter().filter(|(_, factor)| *factor > 0).count();
    let flips = 2 * positive < used.len();
    let side = |sign: i128| -> Vec<Operation> {
        let mut sum: Vec<Operation> = Vec::new();
        let mut add = |summand: Vec<Operation>| {
            let is_first = sum.is_empty();
            sum.extend(summand);
            if !is_first {
                sum.push(Operation::Add);
                sum.extend(wrapped);
            }
        };
        for (column, factor) in &used {
            let read = workshop.vocabulary.read(procedure, column.variable);
            match factor * sign {
                1 => add(read),
                factor @ 2.. => {
                    let mut product = vec![Operation::Number(factor as u64)];
                    product.extend(read);
                    product.push(Operation::Multiply);
                    product.extend(wrapped);
                    add(product);
                }
                _ => {}
            }
        }
        if constant * sign > 0 {
            add(vec![Operation::Number((constant * sign) as u64)]);
        }
        match sum.is_empty() {
            true => sum.push(Operation::Number(0)),
            false if sum.len() > 2 => sum.extend(stored),
            false => {}
        }
        sum
    };
    let sides = if flips {
        [side(-1), side(1)]
    } else {
        [side(1), side(-1)]
    };
    Some([sides.concat(), vec![Operation::NumbersEqual]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_hold_of_all_rows() {
        // x + y == 10, z == 2 x.
        let rows: Vec<Vec<i128>> = (0..8).map(|x| vec![x, 10 - x, 2 * x, 1]).collect();
        let found = null_space(&rows, 4);
        assert_eq!(found.len(), 2);
        for vector in found {
            for row in &rows {
                let product: i128 = vector.iter().zip(row).map(|(a, b)| a * b).sum();
                assert_eq!(product, 0);
            }
        }
    }

    #[test]
    fn independent_numbers_have_no_equation() {
        let rows = vec![vec![0, 0, 1], vec![1, 0, 1], vec![0, 1, 1]];
        assert!(null_space(&rows, 3).is_empty());
    }
}
