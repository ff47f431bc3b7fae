//! Atoms of formulas: applications, comparisons, truth values. Those with an index that is a
//! variable become as many as that has values, so many cases are refused.

use super::terms::{Case, Conditions, Meaning};
use super::{Resolver, Scope};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::fixpoint::domain::{BOOL, Domain, DomainId, Leaf, UNKNOWN};
use crate::fixpoint::equations::{Argument, Formula, FormulaId, Kind, LeafRef, RelationId, Scalar};
use crate::fixpoint::supplied::{Supplied, missing};
use crate::fixpoint::tree::{Comparison, Form, Term, Word};
use crate::source::Span;

impl<'a> Resolver<'a> {
    pub(super) fn apply(
        &mut self,
        form: &Form,
        name: &'a Word,
        arguments: &'a [Term],
        scope: &mut Scope<'a>,
    ) -> FormulaId {
        let arguments: Vec<_> = arguments
            .iter()
            .map(|argument| (argument.span, self.term(argument, scope)))
            .collect();
        let id = match self.names.get(name.text.as_str()) {
            Some(Some(id)) => *id,
            Some(None) => return self.add(Formula::Constant(false)),
            None => {
                self.unknown_relation(name);
                return self.add(Formula::Constant(false));
            }
        };
        // With mistakes it is a use all the same: cycles are found in spite of them.
        let wrong = Formula::Apply {
            relation: id,
            arguments: Box::default(),
        };
        let relation = self.equations.relation(id);
        // The variables of the relation that is being defined are in its scope.
        let variables = match name.text == scope.owner && !scope.is_query {
            true => &scope.variables,
            false => &relation.variables,
        };
        let parameters: Vec<_> = variables[..relation.parameters as usize]
            .iter()
            .map(|parameter| parameter.domain)
            .collect();
        if parameters.len() != arguments.len() {
            let count = |n: usize| match n {
                1 => "1 argument".to_owned(),
                _ => format!("{n} arguments"),
            };
            let message = format!(
                "`{}` has {}, and {} given",
                name.text,
                count(parameters.len()),
                match arguments.len() {
                    1 => "1 is".to_owned(),
                    n => format!("{n} are"),
                }
            );
            self.error(Diagnostic::error(form.span, message));
            return self.add(wrong);
        }
        let mut rows = Vec::new();
        for ((span, cases), domain) in arguments.into_iter().zip(parameters) {
            let cases = cases.and_then(|cases| self.fitting(&name.text, span, cases, domain));
            rows.push(cases.map(|cases| (cases, domain)));
        }
        let Some(rows) = rows.into_iter().collect::<Option<Vec<_>>>() else {
            return self.add(wrong);
        };
        let cases = rows.iter().map(|(cases, _)| cases.as_slice()).collect();
        self.cases(form.span, cases, |resolver, meanings| {
            let mut leaves = Vec::new();
            for (meaning, (_, domain)) in meanings.iter().zip(&rows) {
                resolver.argument(meaning, *domain, &mut leaves);
            }
            resolver.applied(id, leaves)
        })
    }

    /// The application of a relation. A return is applied as its two halves: no state at the call
    /// has to stand beside the state that is returned to.
    fn applied(&mut self, relation: RelationId, arguments: Vec<Argument>) -> Formula {
        let relations = &self.equations.relations;
        let supplied = |one| {
            let index = relations.iter().position(|r| r.kind == Kind::Supplied(one));
            index.map(|index| RelationId(index as u32))
        };
        let [whole, halves @ ..] =
            [Supplied::Return, Supplied::ReturnA, Supplied::ReturnB].map(supplied);
        let ([Some(first), Some(second)], true) = (halves, whole == Some(relation)) else {
            return Formula::Apply {
                relation,
                arguments: arguments.into(),
            };
        };
        let leaves_of_state = arguments.len() / 3;
        let [call, exit, after] =
            [0, 1, 2].map(|n| &arguments[n * leaves_of_state..][..leaves_of_state]);
        let halves = [
            (first, [call, &exit[..1], after].concat()),
            (second, [&call[..1], exit, after].concat()),
        ];
        let halves = halves.map(|(relation, arguments)| {
            self.add(Formula::Apply {
                relation,
                arguments: arguments.into(),
            })
        });
        Formula::And(halves.into())
    }

    /// The cases of an argument, if they have the domain that is needed, and that is known.
    fn fitting(
        &mut self,
        relation: &str,
        span: Span,
        cases: Vec<Case>,
        domain: DomainId,
    ) -> Option<Vec<Case>> {
        let domains = &self.equations.domains;
        let is_range = |domain| matches!(domains.get(domain), Domain::Range { .. });
        let given = cases.first().map(|case| case.meaning);
        let message = match given {
            _ if domain == UNKNOWN => return None,
            None => None,
            Some(Meaning::Place { offset, .. }) if offset != 0 => {
                Some("a sum with a variable can only be compared, not be an argument".to_owned())
            }
            Some(Meaning::Place { domain: given, .. })
                if given == domain || is_range(given) && is_range(domain) =>
            {
                None
            }
            Some(Meaning::Number(_)) if is_range(domain) => None,
            Some(meaning) => Some(format!(
                "`{relation}` needs an argument of domain {} here, and this is {}",
                domains.show(domain),
                self.show(&meaning)
            )),
        };
        match message {
            None => Some(cases),
            Some(message) => {
                self.error(Diagnostic::error(span, message));
                None
            }
        }
    }

    fn argument(&self, meaning: &Meaning, domain: DomainId, leaves: &mut Vec<Argument>) {
        match *meaning {
            Meaning::Number(number) => leaves.push(Argument::Number(number)),
            Meaning::Place {
                variable, first, ..
            } => {
                let count = self.equations.domains.leaves(domain) as u32;
                let of = |leaf| Argument::Leaf(LeafRef { variable, leaf });
                leaves.extend((first..first + count).map(of));
            }
        }
    }

    fn unknown_relation(&mut self, name: &Word) {
        if let Some(why) = missing(&name.text, self.vocabulary.threads.is_some()) {
            let message = format!("there is no `{}` here: {why}", name.text);
            self.error(Diagnostic::error(name.span, message));
            return;
        }
        let hint = suggestion(&name.text, self.names.keys().copied());
        let message = format!("unknown relation `{}`", name.text);
        self.unknown(Diagnostic::error(name.span, message).with_hint_if_any(hint));
    }

    pub(super) fn truth(&mut self, term: &'a Term, scope: &mut Scope<'a>) -> FormulaId {
        let Some(cases) = self.term(term, scope) else {
            return self.add(Formula::Constant(false));
        };
        let first = cases.first().map(|case| case.meaning);
        let is_truth = match first {
            None => true,
            Some(Meaning::Number(number)) => number == 0 || number == 1,
            Some(Meaning::Place { domain, offset, .. }) => domain == BOOL && offset == 0,
        };
        if let (false, Some(meaning)) = (is_truth, first) {
            let message = format!(
                "a formula is needed here, and this is {}",
                self.show(&meaning)
            );
            self.error(Diagnostic::error(term.span, message));
            return self.add(Formula::Constant(false));
        }
        self.cases(term.span, vec![&cases], |_, meanings| {
            let one = Scalar {
                leaf: None,
                offset: 1,
            };
            Formula::Compare(Comparison::Equal, meanings[0].scalar(), one)
        })
    }

    pub(super) fn compare(
        &mut self,
        span: Span,
        comparison: Comparison,
        left: &'a Term,
        right: &'a Term,
        scope: &mut Scope<'a>,
    ) -> FormulaId {
        let (left, right) = (self.term(left, scope), self.term(right, scope));
        let (Some(left), Some(right)) = (left, right) else {
            return self.add(Formula::Constant(false));
        };
        if let (Some(one), Some(other)) = (left.first(), right.first()) {
            let (one, other) = (&one.meaning, &other.meaning);
            let domain = one.domain().filter(|one| other.domain() == Some(*one));
            let whole = matches!(comparison, Comparison::Equal | Comparison::Unequal);
            let message = match domain {
                _ if self.is_number(one) && self.is_number(other) => None,
                Some(_) if whole => None,
                Some(domain) => Some(format!(
                    "only numbers are ordered, and these are of domain {}",
                    self.equations.domains.show(domain)
                )),
                None => Some(format!(
                    "{} cannot be compared with {}",
                    self.show(one),
                    self.show(other)
                )),
            };
            if let Some(message) = message {
                self.error(Diagnostic::error(span, message));
                return self.add(Formula::Constant(false));
            }
        }
        self.cases(span, vec![&left, &right], |resolver, meanings| {
            let (one, other) = (&meanings[0], &meanings[1]);
            match one.domain() {
                Some(domain) if !resolver.is_number(one) => {
                    let equal = resolver.equal_leaves(domain, one, other);
                    match comparison {
                        Comparison::Unequal => Formula::Not(resolver.add(equal)),
                        _ => equal,
                    }
                }
                _ => Formula::Compare(comparison, one.scalar(), other.scalar()),
            }
        })
    }

    /// Two values of a domain are equal: leaf by leaf.
    fn equal_leaves(&mut self, domain: DomainId, one: &Meaning, other: &Meaning) -> Formula {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.argument(one, domain, &mut left);
        self.argument(other, domain, &mut right);
        let (mut kinds, mut states) = (Vec::new(), Vec::new());
        let domains = &self.equations.domains;
        domains.flatten(domain, &mut kinds, &mut states);
        let mut parts = Vec::new();
        for ((left, right), kind) in left.into_iter().zip(right).zip(kinds) {
            let (Argument::Leaf(left), Argument::Leaf(right)) = (left, right) else {
                continue;
            };
            let number = |leaf| Scalar {
                leaf: Some(leaf),
                offset: 0,
            };
            parts.push(self.add(match kind {
                Leaf::Number { .. } => {
                    Formula::Compare(Comparison::Equal, number(left), number(right))
                }
                _ => Formula::Same(left, right),
            }));
        }
        Formula::And(parts.into())
    }

    /// An atom for each combination of cases, with its conditions; all of them together.
    fn cases(
        &mut self,
        span: Span,
        rows: Vec<&[Case]>,
        mut atom: impl FnMut(&mut Self, &[Meaning]) -> Formula,
    ) -> FormulaId {
        if let Some(meanings) = rows
            .iter()
            .map(|row| match row {
                [only] if only.conditions.is_empty() => Some(only.meaning),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()
        {
            let formula = atom(self, &meanings);
            return self.add(formula);
        }
        let mut combined: Vec<(Conditions, Vec<Meaning>)> = vec![Default::default()];
        for row in rows {
            let count = combined.len().saturating_mul(row.len()) as u64;
            if !self.has_room(span, count.saturating_mul(3)) {
                return self.add(Formula::Constant(false));
            }
            let before = std::mem::take(&mut combined);
            for (conditions, meanings) in &before {
                for case in row.iter().filter(|case| !case.is_impossible()) {
                    let (mut conditions, mut meanings) = (conditions.clone(), meanings.clone());
                    conditions.extend(&case.conditions);
                    meanings.push(case.meaning);
                    combined.push((conditions, meanings));
                }
            }
        }
        let mut parts = Vec::new();
        for (conditions, meanings) in combined {
            let mut all = Vec::new();
            for (index, value) in conditions {
                let value = Scalar {
                    leaf: None,
                    offset: value,
                };
                all.push(self.add(Formula::Compare(Comparison::Equal, index, value)));
            }
            let formula = atom(self, &meanings);
            all.push(self.add(formula));
            parts.push(self.add(Formula::And(all.into())));
        }
        self.add(Formula::Or(parts.into()))
    }
}
