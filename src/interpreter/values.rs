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
        self.iter()
            .fold(Values(0), |set, a| Values(set.0 | other.map(|b| f(a, b)).0))
    }

    fn union(self, other: Self) -> Self {
        Values(self.0 | other.0)
    }
}

/// Something that expressions can be evaluated over, given the operations on [`Values`].
pub trait Domain: Copy {
    fn exactly(values: Values) -> Self;
    fn lift1(self, f: impl Fn(Values) -> Values) -> Self;
    fn lift2(self, b: Self, f: impl Fn(Values, Values) -> Values) -> Self;
    fn lift3(self, b: Self, c: Self, f: impl Fn(Values, Values, Values) -> Values) -> Self;
}

impl Domain for Values {
    fn exactly(values: Values) -> Self {
        values
    }
    fn lift1(self, f: impl Fn(Values) -> Values) -> Self {
        f(self)
    }
    fn lift2(self, b: Self, f: impl Fn(Values, Values) -> Values) -> Self {
        f(self, b)
    }
    fn lift3(self, b: Self, c: Self, f: impl Fn(Values, Values, Values) -> Values) -> Self {
        f(self, b, c)
    }
}

/// The [`Values`] that an expression has for each of several valuations: what is known of
/// it while some variables are not. May contain more than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family(u8);

impl Family {
    /// A variable with a value that is not known.
    pub const UNKNOWN: Family = Family(1 << 1 | 1 << 2);

    /// Whether the value is possible in every case.
    pub fn always_contains(self, value: bool) -> bool {
        self.members().all(|values| values.contains(value))
    }

    fn members(self) -> impl Iterator<Item = Values> {
        (1..=3)
            .filter(move |set| self.0 >> set & 1 == 1)
            .map(Values)
    }

    fn of(members: impl Iterator<Item = Values>) -> Self {
        Family(members.fold(0, |family, values| family | 1 << values.0))
    }
}

impl Domain for Family {
    fn exactly(values: Values) -> Self {
        Family(1 << values.0)
    }
    fn lift1(self, f: impl Fn(Values) -> Values) -> Self {
        Family::of(self.members().map(f))
    }
    fn lift2(self, b: Self, f: impl Fn(Values, Values) -> Values) -> Self {
        let f = &f;
        Family::of(
            self.members()
                .flat_map(|a| b.members().map(move |b| f(a, b))),
        )
    }
    fn lift3(self, b: Self, c: Self, f: impl Fn(Values, Values, Values) -> Values) -> Self {
        let f = &f;
        Family::of(self.members().flat_map(|a| {
            b.members()
                .flat_map(move |b| c.members().map(move |c| f(a, b, c)))
        }))
    }
}

/// Evaluates postfix operations over what is known of the variables before and after the
/// step.
pub fn evaluate<D: Domain>(
    operations: &[Operation],
    read: impl Fn(VariableId) -> D,
    read_next: impl Fn(VariableId) -> D,
) -> D {
    let mut stack: Vec<D> = Vec::with_capacity(8);
    for operation in operations {
        let value = match operation {
            Operation::Constant(value) => D::exactly(Values::only(*value)),
            Operation::Read(variable) => read(*variable),
            Operation::ReadNext(variable) => read_next(*variable),
            Operation::Choose => D::exactly(Values::ANY),
            Operation::Not => pop(&mut stack).lift1(Values::not),
            Operation::IfThenElse => {
                let (no, yes, condition) = (pop(&mut stack), pop(&mut stack), pop(&mut stack));
                condition.lift3(yes, no, if_then_else)
            }
            Operation::Schoose => {
                let (b, a) = (pop(&mut stack), pop(&mut stack));
                a.lift2(b, schoose)
            }
            Operation::And => binary(&mut stack, |a, b| a && b),
            Operation::Or => binary(&mut stack, |a, b| a || b),
            Operation::Xor => binary(&mut stack, |a, b| a != b),
            Operation::Equal => binary(&mut stack, |a, b| a == b),
            Operation::Implies => binary(&mut stack, |a, b| !a || b),
            _ => todo!(),
        };
        stack.push(value);
    }
    pop(&mut stack)
}

fn if_then_else(condition: Values, yes: Values, no: Values) -> Values {
    let branch = |c| if c { yes } else { no };
    condition.iter().map(branch).fold(Values(0), Values::union)
}

fn schoose(a: Values, b: Values) -> Values {
    let outcome = |a, b| match (a, b) {
        (true, _) => Values::only(true),
        (false, true) => Values::only(false),
        (false, false) => Values::ANY,
    };
    let outcomes = a.iter().flat_map(|a| b.iter().map(move |b| outcome(a, b)));
    outcomes.fold(Values(0), Values::union)
}

fn binary<D: Domain>(stack: &mut Vec<D>, f: impl Fn(bool, bool) -> bool) -> D {
    let (b, a) = (pop(stack), pop(stack));
    a.lift2(b, |a, b| a.combine(b, &f))
}

/// An expression never takes a value that is not there ([`crate::program::Expression`]).
fn pop<D: Domain>(stack: &mut Vec<D>) -> D {
    stack.pop().expect("expressions are well-formed postfix")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(operations: &[Operation]) -> Vec<bool> {
        let none = |_| Values::ANY;
        evaluate::<Values>(operations, none, none).iter().collect()
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
