//! Where intervals that grow come to rest, and after how many changes.
//!
//! A loop that counts makes an interval grow round after round. After a few changes it is widened to the
//! next number that the program mentions, since conditions compare with these; then to powers of 2, which
//! are the ends of types; then to everything. So each interval changes a bounded number of times.

use super::cells;
use super::range::Thresholds;
use crate::program::{Operation, PointId, Program};

/// After this many changes at a point it is widened to the program's numbers.
const NUMBERS_AFTER: u32 = 4;
/// After this many, to powers of 2.
const POWERS_AFTER: u32 = 16;
/// After this many, to everything.
const ALL_AFTER: u32 = 48;
/// Above this many different numbers, a program's numbers are no thresholds.
const MOST_NUMBERS: usize = 500;

/// How far to widen.
pub struct Widening {
    numbers: Thresholds,
    powers: Thresholds,
    all: Thresholds,
}

impl Widening {
    pub fn new(program: &Program) -> Self {
        Widening {
            numbers: Thresholds::new(numbers(program)),
            powers: Thresholds::new(powers()),
            all: Thresholds::new(Vec::new()),
        }
    }

    /// How far to widen after so many changes, if at all.
    pub fn after(&self, changes: u32) -> Option<&Thresholds> {
        match changes {
            0..NUMBERS_AFTER => None,
            NUMBERS_AFTER..POWERS_AFTER => Some(&self.numbers),
            POWERS_AFTER..ALL_AFTER => Some(&self.powers),
            ALL_AFTER.. => Some(&self.all),
        }
    }
}

/// Entries, exits, and one point of each cycle at least: those that a depth-first search comes to
/// while it is still at them.
pub fn widened_points(program: &Program) -> Vec<bool> {
    let mut is_widened = vec![false; program.points.len()];
    let mut state = vec![0_u8; program.points.len()];
    let mut stack: Vec<(PointId, Vec<PointId>)> = Vec::new();
    let successors = |point: PointId| {
        let mut found = Vec::new();
        let exit = program.procedure_of(point).exit();
        let action = &program.point(point).action;
        action.for_each_successor(exit, |next| found.push(next));
        found
    };
    for procedure in &program.procedures {
        is_widened[procedure.entry().0 as usize] = true;
        is_widened[procedure.exit().0 as usize] = true;
        state[procedure.entry().0 as usize] = 1;
        stack.push((procedure.entry(), successors(procedure.entry())));
        while let Some((point, left)) = stack.last_mut() {
            match left.pop() {
                Some(next) => match state[next.0 as usize] {
                    0 => {
                        state[next.0 as usize] = 1;
                        stack.push((next, successors(next)));
                    }
                    1 => is_widened[next.0 as usize] = true,
                    _ => {}
                },
                None => {
                    state[point.0 as usize] = 2;
                    stack.pop();
                }
            }
        }
    }
    is_widened
}

/// The numbers that a program mentions, with their neighbours, of either sign.
fn numbers(program: &Program) -> Vec<i128> {
    let mut found: Vec<i128> = Vec::new();
    for point in &program.points {
        for expression in cells::expressions(&point.action) {
            for operation in program.expressions.operations(expression) {
                if let Operation::Number(number) = operation {
                    found.push((*number).into());
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    if found.len() > MOST_NUMBERS {
        found.clear();
    }
    let near = found.iter().flat_map(|n| [n - 1, *n, n + 1]);
    let both = near.flat_map(|n| [n, -n]).collect::<Vec<_>>();
    both.into_iter().chain(powers()).collect()
}

fn powers() -> Vec<i128> {
    let powers = (0..=64).map(|power| 1_i128 << power);
    powers.flat_map(|n| [n - 1, n, -n]).collect()
}
