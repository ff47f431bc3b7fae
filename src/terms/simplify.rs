//! How terms are made: with what is known at once left out.
//!
//! Only what is true of whole numbers within their intervals is used. Nothing is simplified as if
//! wrapped arithmetic were exact.

use super::{Node, Sort, Term, Terms, calculate};
use crate::program::{Domain, Interval, Operation, Overflow, wrap};

impl Terms {
    pub fn number(&mut self, number: i128) -> Term {
        self.node(Node::Number(number), Sort::Number(Interval::only(number)))
    }

    /// The number, if a term is one.
    pub fn constant(&self, term: Term) -> Option<i128> {
        match self.get(term) {
            Node::Number(number) => Some(number),
            Node::Truth(value) => Some(value.into()),
            _ => None,
        }
    }

    pub fn not(&mut self, a: Term) -> Term {
        match self.get(a) {
            Node::Truth(value) => Term::constant(!value),
            Node::Not(inner) => inner,
            _ => self.node(Node::Not(a), Sort::Truth),
        }
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        let are_opposite = self.get(b) == Node::Not(a) || self.get(a) == Node::Not(b);
        if a == Term::FALSE || are_opposite {
            return Term::FALSE;
        }
        if a == Term::TRUE || a == b {
            return b;
        }
        self.node(Node::And(a, b), Sort::Truth)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(a, b);
        self.not(neither)
    }

    pub fn all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let terms = terms.into_iter();
        terms.fold(Term::TRUE, |all, term| self.and(all, term))
    }

    /// Of two truth values.
    pub fn different(&mut self, a: Term, b: Term) -> Term {
        // Negations go outside, so that each pair is there once.
        let (a, a_negated) = self.without_negation(a);
        let (b, b_negated) = self.without_negation(b);
        let (a, b) = (a.min(b), a.max(b));
        let difference = match a {
            Term::FALSE => b,
            Term::TRUE => self.not(b),
            _ if a == b => Term::FALSE,
            _ => self.node(Node::Different(a, b), Sort::Truth),
        };
        match a_negated != b_negated {
            true => self.not(difference),
            false => difference,
        }
    }

    fn without_negation(&self, a: Term) -> (Term, bool) {
        match self.get(a) {
            Node::Not(inner) => (inner, true),
            _ => (a, false),
        }
    }

    /// One of two terms of the same kind.
    pub fn choose(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        if let Node::Not(inner) = self.get(condition) {
            return self.choose(inner, no, yes);
        }
        match condition {
            Term::TRUE => return yes,
            Term::FALSE => return no,
            _ if yes == no => return yes,
            _ => {}
        }
        if self.sort(yes) == Sort::Truth && self.sort(no) == Sort::Truth {
            match (yes, no) {
                (Term::TRUE, _) => return self.or(condition, no),
                (Term::FALSE, _) => {
                    let not = self.not(condition);
                    return self.and(not, no);
                }
                (_, Term::FALSE) => return self.and(condition, yes),
                (_, Term::TRUE) => {
                    let not = self.not(condition);
                    return self.or(not, yes);
                }
                _ => return self.node(Node::If(condition, yes, no), Sort::Truth),
            }
        }
        let (yes, no) = (self.as_number(yes), self.as_number(no));
        let interval = self.interval(yes).join(self.interval(no));
        self.node(Node::If(condition, yes, no), Sort::Number(interval))
    }

    pub fn less(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.as_number(a), self.as_number(b));
        let (left, right) = (self.interval(a), self.interval(b));
        if left.high < right.low {
            return Term::TRUE;
        }
        if left.low >= right.high || a == b {
            return Term::FALSE;
        }
        self.node(Node::Less(a, b), Sort::Truth)
    }

    pub fn less_equal(&mut self, a: Term, b: Term) -> Term {
        let above = self.less(b, a);
        self.not(above)
    }

    /// Of two numbers.
    pub fn same(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.as_number(a), self.as_number(b));
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            return Term::TRUE;
        }
        if self.interval(a).misses(self.interval(b)) {
            return Term::FALSE;
        }
        for (number, other) in [(a, b), (b, a)] {
            let Some(number) = self.constant(number) else {
                continue;
            };
            match self.get(other) {
                Node::Number(other) => return Term::constant(number == other),
                Node::ToNumber(truth) if number == 1 => return truth,
                Node::ToNumber(truth) if number == 0 => return self.not(truth),
                // A choice between two constants is its condition.
                Node::If(condition, yes, no) => {
                    if let (Some(yes), Some(no)) = (self.constant(yes), self.constant(no)) {
                        return match (yes == number, no == number) {
                            (true, true) => Term::TRUE,
                            (false, false) => Term::FALSE,
                            (true, false) => condition,
                            (false, true) => self.not(condition),
                        };
                    }
                }
                _ => {}
            }
        }
        self.node(Node::Same(a, b), Sort::Truth)
    }

    /// A truth value as 0 or 1; numbers stay what they are.
    pub fn as_number(&mut self, a: Term) -> Term {
        if matches!(self.sort(a), Sort::Number(_)) {
            return a;
        }
        match self.get(a) {
            Node::Truth(value) => self.number(value.into()),
            _ => self.node(
                Node::ToNumber(a),
                Sort::Number(Interval { low: 0, high: 1 }),
            ),
        }
    }

    /// A number as a truth value; truth values stay what they are.
    pub fn as_truth(&mut self, a: Term) -> Term {
        if self.sort(a) == Sort::Truth {
            return a;
        }
        let zero = self.number(0);
        let is_zero = self.same(a, zero);
        self.not(is_zero)
    }

    pub fn wrap(&mut self, number: Term, bits: u8, signed: bool) -> Term {
        let number = self.as_number(number);
        let interval = self.interval(number);
        let range = Interval::of_bits(bits, signed);
        if interval.within(range.low, range.high) {
            return number;
        }
        let number = self.modulo(number, bits);
        let interval = self.interval(number);
        if interval.within(range.low, range.high) {
            return number;
        }
        match self.get(number) {
            Node::Number(constant) => return self.number(wrap(constant, bits, signed)),
            // Fewer bits of what was wrapped to more of them, or to as many.
            Node::Wrap { bits: more, of, .. } if more >= bits => {
                return self.wrap(of, bits, signed);
            }
            _ => {}
        }
        let node = Node::Wrap {
            bits,
            signed,
            of: number,
        };
        self.node(node, Sort::Number(interval.wrapped(bits, signed)))
    }

    /// An operation of arithmetic, 0 where it has no value.
    pub fn calculate(&mut self, operation: Operation, a: Term, b: Term) -> Term {
        let (a, b) = (self.as_number(a), self.as_number(b));
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.number(calculate(operation, a, b).unwrap_or(0));
        }
        match (operation, self.constant(a), self.constant(b)) {
            (Operation::Add | Operation::Subtract, _, Some(0)) => return a,
            (Operation::Add, Some(0), _) => return b,
            (Operation::Multiply, _, Some(1)) | (Operation::Divide, _, Some(1)) => return a,
            (Operation::Multiply, Some(1), _) => return b,
            (Operation::Subtract, _, _) if a == b => return self.number(0),
            _ => {}
        }
        let outcome = self.interval(a).apply(operation, self.interval(b));
        // Front ends refuse what might need more bits than there are.
        let interval = outcome.map_or(Interval::ALL, |outcome| match outcome.may_fail {
            true => outcome.interval.join(Interval::only(0)),
            false => outcome.interval,
        });
        if let Some(constant) = interval.constant() {
            return self.number(constant);
        }
        self.node(Node::Calculate(operation, a, b), Sort::Number(interval))
    }

    /// A value on its way into a cell: what arrives, and where it fits.
    pub fn fit(&mut self, overflow: Overflow, value: Term, domain: Domain) -> (Term, Term) {
        if domain == Domain::Boolean {
            let (value, fits) = match (self.sort(value), overflow) {
                (Sort::Truth, _) => (value, Term::TRUE),
                (_, Overflow::Wrap) => (self.wrap(value, 1, false), Term::TRUE),
                _ => (value, self.fits(value, domain)),
            };
            return (self.as_truth(value), fits);
        }
        let value = self.as_number(value);
        match (overflow, domain) {
            (Overflow::Wrap, Domain::Integer { bits }) => {
                (self.wrap(value, bits, false), Term::TRUE)
            }
            (Overflow::Wrap, _) => {
                let size = self.number(domain.size() as i128);
                let rest = self.calculate(Operation::Remainder, value, size);
                let zero = self.number(0);
                let is_negative = self.less(rest, zero);
                let lifted = self.calculate(Operation::Add, rest, size);
                (self.choose(is_negative, lifted, rest), Term::TRUE)
            }
            _ => {
                let fits = self.fits(value, domain);
                // What does not fit arrives nowhere: any value in range will do.
                (self.within(value, Interval::of(domain)), fits)
            }
        }
    }

    fn fits(&mut self, value: Term, domain: Domain) -> Term {
        let (zero, size) = (self.number(0), self.number(domain.size() as i128));
        let from = self.less_equal(zero, value);
        let to = self.less(value, size);
        self.and(from, to)
    }

    /// The same number where it is within an interval of natural numbers, otherwise another one
    /// of that.
    fn within(&mut self, value: Term, interval: Interval) -> Term {
        if self.interval(value).within(interval.low, interval.high) {
            return value;
        }
        let bits = 128 - interval.high.leading_zeros();
        match bits {
            0 => self.number(0),
            _ => self.wrap(value, bits as u8, false),
        }
    }
}
