//! The values an expression may take.
//!
//! Each nondeterministic choice is made on its own, so the set of possible values of an
//! expression follows from those of its operands. Unknown variables may be given as "any
//! value"; the result is then an over-approximation, exact if each occurs at most once.

use crate::program::{Operation, VariableId};

/// A non-empty set of Boolean values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values(u8);

impl Values {
    pub const ANY: Values = Values(3);

    pub fn only(value: bool) -> Self {
        Values(1 << u8::from(value))
    }

    pub fn contains(self, value: bool) -> bool {
        self.0 & Values::only(value).0 != 0
    }

    /// The members, 0 first.
    pub fn iter(self) -> impl Iterator<Item = bool> {
        [false, true].into_iter().filter(move |v| self.contains(*v))
    }

    pub fn smallest(self) -> bool {
        !self.contains(false)
    }

    fn not(self) -> Self {
        self.map(|a| !a)
    }

    fn map(self, f: impl Fn(bool) -> bool) -> Self {
        self.iter()
            .fold(Values(0), |set, a| Values(set.0 | Values::only(f(a)).0))
    }

    fn combine(self, other: Self, f: impl Fn(bool, bool) -> bool) -> Self {
        self.iter().fold(Values(0), |set, a| {
            Values(set.0 | other.map(|b| f(a, b)).0)
        })
    }

    fn union(self, other: Self) -> Self {
        Values(self.0 | other.0)
    }
}

/// Evaluates postfix operations over the values that variables may have before and after
/// the step.
pub fn evaluate(
    operations: &[Operation],
    read: impl Fn(VariableId) -> Values,
    read_next: impl Fn(VariableId) -> Values,
) -> Values {
    let mut stack: Vec<Values> = Vec::with_capacity(8);
    for operation in operations {
        let value = match operation {
            Operation::Constant(value) => Values::only(*value),
            Operation::Read(variable) => read(*variable),
            Operation::ReadNext(variable) => read_next(*variable),
            Operation::Choose => Values::ANY,
            Operation::Not => pop(&mut stack).not(),
            Operation::IfThenElse => {
                let (no, yes, condition) = (pop(&mut stack), pop(&mut stack), pop(&mut stack));
                let branch = |c| if c { yes } else { no };
                condition
                    .iter()
                    .map(branch)
                    .fold(Values(0), Values::union)
            }
            Operation::Schoose => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                let outcome = |a, b| match (a, b) {
                    (true, _) => Values::only(true),
                    (false, true) => Values::only(false),
                    (false, false) => Values::ANY,
                };
                let outcomes = a.iter().flat_map(|a| b.iter().map(move |b| outcome(a, b)));
                outcomes.fold(Values(0), Values::union)
            }
            Operation::And => binary(&mut stack, |a, b| a && b),
            Operation::Or => binary(&mut stack, |a, b| a || b),
            Operation::Xor => binary(&mut stack, |a, b| a != b),
            Operation::Equal => binary(&mut stack, |a, b| a == b),
            Operation::Implies => binary(&mut stack, |a, b| !a || b),
        };
        stack.push(value);
    }
    pop(&mut stack)
}

fn binary(stack: &mut Vec<Values>, f: impl Fn(bool, bool) -> bool) -> Values {
    let (b, a) = (pop(stack), pop(stack));
    a.combine(b, f)
}

/// An expression never takes a value that is not there ([`crate::program::Expression`]).
fn pop(stack: &mut Vec<Values>) -> Values {
    stack.pop().expect("expressions are well-formed postfix")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(operations: &[Operation]) -> Vec<bool> {
        let none = |_| Values::ANY;
        evaluate(operations, none, none).iter().collect()
    }

    #[test]
    fn choices_are_independent() {
        use Operation::*;
        assert_eq!(run(&[Choose, Choose, Equal]), [false, true]);
        assert_eq!(run(&[Choose, Constant(false), And]), [false]);
        assert_eq!(run(&[Choose, Constant(true), Or]), [true]);
        let branch = [Choose, Constant(true), Constant(true), IfThenElse];
        assert_eq!(run(&branch), [true]);
    }

    #[test]
    fn schoose_is_one_if_the_first_and_zero_if_the_second() {
        use Operation::*;
        let schoose = |a, b| run(&[Constant(a), Constant(b), Schoose]);
        assert_eq!(schoose(true, true), [true]);
        assert_eq!(schoose(true, false), [true]);
        assert_eq!(schoose(false, true), [false]);
        assert_eq!(schoose(false, false), [false, true]);
        assert_eq!(run(&[Choose, Constant(true), Schoose]), [false, true]);
    }
}
