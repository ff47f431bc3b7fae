//! What is known of an expression while some variables are not.
//!
//! A condition is known as the family of the sets of values it may take, each for some of
//! the valuations that are possible; a number as an interval. Both may contain more than
//! there is. Whether there is a value at all may be unknown too.

use crate::interpreter::evaluation::Algebra;
use crate::interpreter::values::{Possible, Values, calculate};
use crate::program::{Domain, Interval, Operation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbstractValue {
    Truth(Family),
    Number(Numbers),
}

/// Sets of truth values, a bit each; the empty set stands for "no value".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family(u8);

/// The numbers between bounds, if there is one, and perhaps no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    range: Option<Interval>,
    may_lack: bool,
}

impl AbstractValue {
    /// A cell with a value that is not known.
    pub fn unknown(domain: Domain) -> Self {
        match domain {
            Domain::Boolean => {
                let either = [Values::only(false), Values::only(true)];
                AbstractValue::Truth(Family::of(either.into_iter()))
            }
            _ => AbstractValue::Number(Numbers::total(Interval::of(domain))),
        }
    }

    pub fn exactly(value: Possible) -> Self {
        match value {
            Possible::Truth(values) => AbstractValue::Truth(Family::only(values)),
            Possible::Number(number) => AbstractValue::Number(Numbers::only(number)),
            Possible::Nothing(_) => AbstractValue::Number(Numbers::NOTHING),
        }
    }

    /// Whether a condition can come out as `value` in every case.
    pub fn always_may_be(self, value: bool) -> bool {
        self.truth().members().all(|set| set.contains(value))
    }

    /// Whether a condition is true in no case.
    pub fn is_never_true(self) -> bool {
        !self.truth().members().any(|set| set.contains(true))
    }

    pub fn never_has_value(self) -> bool {
        match self {
            AbstractValue::Truth(family) => family.members().all(|set| set == Values::NONE),
            AbstractValue::Number(number) => number.range.is_none(),
        }
    }

    /// Whether there is a value in every case.
    pub fn always_has_value(self) -> bool {
        match self {
            AbstractValue::Truth(family) => family.members().all(|set| set != Values::NONE),
            AbstractValue::Number(number) => !number.may_lack,
        }
    }

    /// Whether it is a number in a domain in every case.
    pub fn always_fits(self, domain: Domain) -> bool {
        let inside = Interval::of(domain);
        let range = self.number().range;
        self.always_has_value() && range.is_some_and(|range| range.join(inside) == inside)
    }

    /// Whether there are numbers, all of them outside a domain.
    pub fn never_fits(self, domain: Domain) -> bool {
        let range = self.number().range;
        range.is_some_and(|range| range.misses(Interval::of(domain)))
    }

    /// Whether it is an index into so many places in every case.
    pub fn is_always_index(self, count: u32) -> bool {
        !self.number().index(count).may_lack
    }

    /// Whether it is none in every case.
    pub fn is_never_index(self, count: u32) -> bool {
        self.number().index(count).range.is_none()
    }

    /// Whether it comes out like this in every case.
    pub fn is_always(self, value: Possible) -> bool {
        match value {
            Possible::Nothing(_) => self.never_has_value(),
            _ => self == AbstractValue::exactly(value),
        }
    }

    fn truth(self) -> Family {
        match self {
            AbstractValue::Truth(family) => family,
            AbstractValue::Number(Numbers { range, may_lack }) => {
                let zero = range.is_some_and(|range| !range.misses(Interval::only(0)));
                let other = range.is_some_and(|range| range != Interval::only(0));
                let sets = [
                    (zero, Values::only(false)),
                    (other, Values::only(true)),
                    (may_lack, Values::NONE),
                ];
                Family::of(sets.into_iter().filter(|(is, _)| *is).map(|(_, set)| set))
            }
        }
    }

    fn number(self) -> Numbers {
        match self {
            AbstractValue::Number(number) => number,
            AbstractValue::Truth(family) => {
                let values = family.members().filter(|set| *set != Values::NONE);
                let one = |set: Values| Interval::only(set.contains(true).into());
                Numbers {
                    range: values.map(one).reduce(Interval::join),
                    may_lack: family.members().any(|set| set == Values::NONE),
                }
            }
        }
    }

    /// What is known if either is the case.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (AbstractValue::Truth(a), AbstractValue::Truth(b)) => {
                AbstractValue::Truth(Family(a.0 | b.0))
            }
            (a, b) => AbstractValue::Number(a.number().or(b.number())),
        }
    }

    fn may_lack(self) -> Self {
        match self {
            AbstractValue::Truth(family) => AbstractValue::Truth(Family(family.0 | 1)),
            AbstractValue::Number(number) => AbstractValue::Number(Numbers {
                may_lack: true,
                ..number
            }),
        }
    }
}

impl Family {
    fn only(values: Values) -> Self {
        Family(1 << values.number())
    }

    fn members(self) -> impl Iterator<Item = Values> {
        let sets = Values::ALL_SETS.into_iter();
        sets.filter(move |set| self.0 >> set.number() & 1 == 1)
    }

    fn of(members: impl Iterator<Item = Values>) -> Self {
        Family(members.fold(0, |family, set| family | Family::only(set).0))
    }
}

impl Numbers {
    const NOTHING: Numbers = Numbers {
        range: None,
        may_lack: true,
    };

    fn total(range: Interval) -> Self {
        Numbers {
            range: Some(range),
            may_lack: false,
        }
    }

    fn only(number: i128) -> Self {
        Numbers::total(Interval::only(number))
    }

    fn or(self, other: Self) -> Self {
        let ranges = self.range.into_iter().chain(other.range);
        Numbers {
            range: ranges.reduce(Interval::join),
            may_lack: self.may_lack || other.may_lack,
        }
    }

    /// The part that is an index into so many places.
    fn index(self, count: u32) -> Self {
        let places = (count > 0).then(|| Interval {
            low: 0,
            high: i128::from(count) - 1,
        });
        let range = self.range.zip(places).and_then(|(a, b)| a.meet(b));
        Numbers {
            range,
            may_lack: self.may_lack || range != self.range,
        }
    }
}

/// An operation on numbers that are not both known.
fn estimate(operation: Operation, a: Interval, b: Interval) -> AbstractValue {
    let compared = |always: bool, never: bool| {
        let sets = [(never, Values::only(true)), (always, Values::only(false))];
        let sets = sets.into_iter().filter(|(no, _)| !*no);
        AbstractValue::Truth(Family::of(sets.map(|(_, set)| set)))
    };
    match operation {
        Operation::Less => compared(a.high < b.low, a.low >= b.high),
        Operation::LessEqual => compared(a.high <= b.low, a.low > b.high),
        Operation::NumbersEqual => {
            let same = a.constant().is_some() && a == b;
            compared(same, a.misses(b))
        }
        _ => {
            let outcome = a.apply(operation, b);
            AbstractValue::Number(Numbers {
                range: Some(outcome.map_or(Interval::ALL, |outcome| outcome.interval)),
                may_lack: outcome.is_none_or(|outcome| outcome.may_fail),
            })
        }
    }
}

impl Algebra for AbstractValue {
    fn truth(values: Values) -> Self {
        AbstractValue::Truth(Family::only(values))
    }

    fn number(number: u64) -> Self {
        AbstractValue::Number(Numbers::only(number.into()))
    }

    fn unary(self, operation: Operation, _: u32) -> Self {
        match operation {
            Operation::Not => {
                let members = self.truth();
                AbstractValue::Truth(Family::of(members.members().map(Values::negated)))
            }
            Operation::ToNumber => AbstractValue::Number(self.number()),
            Operation::Wrap { bits, signed } => {
                let numbers = self.number();
                AbstractValue::Number(Numbers {
                    range: numbers.range.map(|range| range.wrapped(bits, signed)),
                    ..numbers
                })
            }
            Operation::ToTruth => AbstractValue::Truth(self.truth()),
            Operation::FalseIfUndefined => {
                let defined = |set| match set {
                    Values::NONE => Values::only(false),
                    set => set,
                };
                AbstractValue::Truth(Family::of(self.truth().members().map(defined)))
            }
            Operation::Index { count } => AbstractValue::Number(self.number().index(count)),
            other => unreachable!("{other:?} takes no single value"),
        }
    }

    fn connect(self, operation: Operation, other: Self) -> Self {
        let (first, second) = (self.truth(), other.truth());
        let pairs = first
            .members()
            .flat_map(|a| second.members().map(move |b| (a, b)));
        AbstractValue::Truth(Family::of(pairs.map(|(a, b)| a.connect(operation, b))))
    }

    fn calculate(self, operation: Operation, other: Self, _: u32) -> Self {
        let (a, b) = (self.number(), other.number());
        let is_comparison = matches!(
            operation,
            Operation::Less | Operation::LessEqual | Operation::NumbersEqual
        );
        let Some((first, second)) = a.range.zip(b.range) else {
            return match is_comparison {
                true => AbstractValue::Truth(Family::only(Values::NONE)),
                false => AbstractValue::Number(Numbers::NOTHING),
            };
        };
        let result = match (first.constant(), second.constant()) {
            (Some(first), Some(second)) => match calculate(operation, first, second) {
                Ok(possible) => AbstractValue::exactly(possible),
                Err(_) => AbstractValue::Number(Numbers::NOTHING),
            },
            _ => estimate(operation, first, second),
        };
        match a.may_lack || b.may_lack {
            true => result.may_lack(),
            false => result,
        }
    }

    fn if_then_else(self, yes: Self, no: Self) -> Self {
        let cases = self.truth().members().map(|set| {
            let branches = set.iter().map(|value| if value { yes } else { no });
            let nothing = match yes {
                AbstractValue::Truth(_) => AbstractValue::Truth(Family::only(Values::NONE)),
                AbstractValue::Number(_) => AbstractValue::Number(Numbers::NOTHING),
            };
            // A choice between the two may come out as either.
            match (set == Values::ANY, yes, no) {
                (true, AbstractValue::Truth(yes), AbstractValue::Truth(no)) => {
                    let union = |a, b| match (a, b) {
                        (Values::NONE, _) | (_, Values::NONE) => Values::NONE,
                        (a, b) => a.union(b),
                    };
                    let pairs = yes
                        .members()
                        .flat_map(|a| no.members().map(move |b| union(a, b)));
                    AbstractValue::Truth(Family::of(pairs))
                }
                _ => branches.reduce(AbstractValue::or).unwrap_or(nothing),
            }
        });
        cases.reduce(AbstractValue::or).unwrap_or(self)
    }

    fn element(self, count: u32, _: u32, element: impl Fn(u32) -> Self) -> Self {
        let index = self.number().index(count);
        let places = index.range.into_iter().flat_map(|r| r.low..=r.high);
        let cases = places.map(|k| element(k as u32));
        match (cases.reduce(AbstractValue::or), index.may_lack) {
            (Some(value), false) => value,
            (Some(value), true) => value.may_lack(),
            (None, _) => AbstractValue::Number(Numbers::NOTHING),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::evaluation::evaluate;
    use crate::interpreter::value_of;
    use crate::program::VariableId;
    use proptest::prelude::*;

    const BITS: Domain = Domain::Integer { bits: 2 };

    /// Postfix numbers over the cells 0 (a truth value), 1 and 2 (numbers of two bits).
    fn numbers() -> impl Strategy<Value = Vec<Operation>> {
        let leaf = prop_oneof![
            (0_u64..4).prop_map(Operation::Number),
            (1_u32..3).prop_map(|i| Operation::Read(VariableId::Global(i))),
        ];
        leaf.prop_map(|operation| vec![operation])
            .prop_recursive(3, 12, 2, |inner| {
                use Operation::*;
                let binary = vec![
                    Add, Subtract, Multiply, Divide, BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight,
                ];
                let index = Index { count: 3 };
                prop_oneof![
                    (
                        inner.clone(),
                        inner.clone(),
                        proptest::sample::select(binary)
                    )
                        .prop_map(|(a, b, operation)| [a, b, vec![operation]].concat()),
                    inner.prop_map(move |a| [a, vec![index]].concat()),
                ]
            })
    }

    fn few_shifts(operations: &[Operation]) -> bool {
        let shifts = operations.iter().filter(|o| **o == Operation::ShiftLeft);
        shifts.count() < 2
    }

    fn conditions() -> impl Strategy<Value = Vec<Operation>> {
        use Operation::*;
        let comparisons = vec![Less, LessEqual, NumbersEqual];
        let compared = (numbers(), numbers(), proptest::sample::select(comparisons))
            .prop_map(|(a, b, operation)| [a, b, vec![operation]].concat());
        let leaf = prop_oneof![
            compared,
            Just(vec![Read(VariableId::Global(0))]),
            Just(vec![Choose]),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            let binary = proptest::sample::select(vec![And, Or, Implies, Xor, Equal, Schoose]);
            let unary = proptest::sample::select(vec![Not, FalseIfUndefined]);
            prop_oneof![
                (inner.clone(), inner.clone(), binary).prop_map(|(a, b, operation)| [
                    a,
                    b,
                    vec![operation]
                ]
                .concat()),
                (inner.clone(), unary).prop_map(|(a, operation)| [a, vec![operation]].concat()),
                (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| [
                    c,
                    a,
                    b,
                    vec![IfThenElse]
                ]
                .concat()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        /// Whatever the unknown cells are, what comes out is among what is known.
        #[test]
        fn nothing_comes_out_that_is_not_known(
            operations in prop_oneof![numbers(), conditions()]
                .prop_filter("numbers stay small", |operations| few_shifts(operations)),
            known in 0_u8..8,
            values in (0_u64..2, 0_u64..4, 0_u64..4),
        ) {
            let values = [values.0, values.1, values.2];
            let domain = |i: u32| if i == 0 { Domain::Boolean } else { BITS };
            let index = |variable| match variable {
                VariableId::Global(i) => i,
                VariableId::Local(_) => unreachable!(),
            };
            let concrete = evaluate(&operations, |variable, _| {
                let i = index(variable);
                value_of(domain(i), values[i as usize])
            });
            let estimate = evaluate(&operations, |variable, _| {
                let i = index(variable);
                match known >> i & 1 {
                    1 => AbstractValue::exactly(value_of(domain(i), values[i as usize])),
                    _ => AbstractValue::unknown(domain(i)),
                }
            });
            match concrete {
                Possible::Truth(set) => {
                    prop_assert!(estimate.truth().members().any(|member| member == set));
                }
                Possible::Number(number) => {
                    let range = estimate.number().range;
                    let contains = |range: Interval| !range.misses(Interval::only(number));
                    prop_assert!(range.is_some_and(contains));
                }
                Possible::Nothing(_) => prop_assert!(!estimate.always_has_value()),
            }
            if known == 7 {
                prop_assert!(estimate.is_always(concrete));
            }
        }
    }
}
