//! Atoms of formulas: applications, comparisons, truth values. What a term is, leaf by leaf, and
//! the cases of an index that is a variable.

use super::domain::{BOOL, Domain, DomainId, length};
use super::equations::{Argument, Formula, FormulaId, LeafRef, Scalar};
use super::resolve::{Binding, Resolver, Scope};
use super::supplied::SUPPLIED;
use super::tree::{Comparison, Form, Part, Step, Term, Word};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::source::Span;

/// Values of indices.
type Conditions = Vec<(Scalar, i128)>;

/// What a term is in one case.
#[derive(Clone, Debug)]
struct Case {
    /// The indices that are variables have these values.
    conditions: Conditions,
    meaning: Meaning,
}

#[derive(Clone, Copy, Debug)]
enum Meaning {
    Number(i128),
    /// Part of a variable, and for a number what is added to it.
    Place {
        variable: u32,
        first: u32,
        domain: DomainId,
        offset: i128,
    },
}

/// How many cases an atom may have.
const MOST_CASES: usize = 100_000;

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
        let Some(id) = self.names.get(name.text.as_str()).copied() else {
            self.unknown_relation(name);
            return self.add(Formula::Constant(false));
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
            return self.add(Formula::Constant(false));
        }
        let mut rows = Vec::new();
        for ((span, cases), domain) in arguments.into_iter().zip(parameters) {
            let cases = cases.and_then(|cases| self.fitting(&name.text, span, cases, domain));
            rows.push(cases.map(|cases| (cases, domain)));
        }
        let Some(rows) = rows.into_iter().collect::<Option<Vec<_>>>() else {
            return self.add(Formula::Constant(false));
        };
        let cases = rows.iter().map(|(cases, _)| cases.as_slice()).collect();
        self.cases(form.span, cases, |resolver, meanings| {
            let mut leaves = Vec::new();
            for (meaning, (_, domain)) in meanings.iter().zip(&rows) {
                resolver.argument(meaning, *domain, &mut leaves);
            }
            Formula::Apply {
                relation: id,
                arguments: leaves.into(),
            }
        })
    }

    /// The cases of an argument, if they have the domain that is needed.
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
        let entry = SUPPLIED.iter().find(|entry| entry.name == name.text);
        let has_threads = self.vocabulary.threads.is_some();
        let message = match entry.and_then(|entry| entry.missing(has_threads)) {
            Some(why) => format!("there is no `{}` here: {why}", name.text),
            None => format!("unknown relation `{}`", name.text),
        };
        let hint = match entry {
            Some(_) => None,
            None => suggestion(&name.text, self.names.keys().copied()),
        };
        self.error(Diagnostic::error(name.span, message).with_hint_if_any(hint));
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
            Formula::Compare(Comparison::Equal, scalar(&meanings[0]), one)
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
        let pair = left.first().zip(right.first());
        if let Some((one, other)) = pair {
            let (one, other) = (one.meaning, other.meaning);
            let numbers = [one, other].map(|meaning| self.is_number(&meaning));
            let whole = matches!(comparison, Comparison::Equal | Comparison::Unequal);
            let same = match (one, other) {
                (
                    Meaning::Place {
                        domain, offset: 0, ..
                    },
                    Meaning::Place {
                        domain: with,
                        offset: 0,
                        ..
                    },
                ) => domain == with && whole,
                _ => false,
            };
            if numbers != [true, true] && !same {
                let message = match one {
                    Meaning::Place { domain, .. }
                        if !whole
                            && matches!(other, Meaning::Place { domain: with, .. } if with == domain) =>
                    {
                        format!(
                            "only numbers are ordered, and these are of domain {}",
                            self.equations.domains.show(domain)
                        )
                    }
                    _ => format!(
                        "{} cannot be compared with {}",
                        self.show(&one),
                        self.show(&other)
                    ),
                };
                self.error(Diagnostic::error(span, message));
                return self.add(Formula::Constant(false));
            }
        }
        self.cases(span, vec![&left, &right], |resolver, meanings| {
            let (one, other) = (&meanings[0], &meanings[1]);
            match resolver.is_number(one) {
                true => Formula::Compare(comparison, scalar(one), scalar(other)),
                false => resolver.compare_leaves(comparison, one, other),
            }
        })
    }

    /// Whether two values with several leaves are equal, or are not.
    fn compare_leaves(
        &mut self,
        comparison: Comparison,
        one: &Meaning,
        other: &Meaning,
    ) -> Formula {
        let (&Meaning::Place { domain, .. }, _) = (one, other) else {
            return Formula::Constant(false);
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.argument(one, domain, &mut left);
        self.argument(other, domain, &mut right);
        let (mut kinds, mut states) = (Vec::new(), Vec::new());
        self.equations
            .domains
            .flatten(domain, &mut kinds, &mut states);
        let pairs = left.into_iter().zip(right).zip(kinds);
        let parts: Vec<_> = pairs
            .filter_map(|((left, right), kind)| match (left, right) {
                (Argument::Leaf(left), Argument::Leaf(right)) => Some((left, right, kind)),
                _ => None,
            })
            .collect();
        let parts = parts.into_iter().map(|(left, right, kind)| {
            let number = |leaf| Scalar {
                leaf: Some(leaf),
                offset: 0,
            };
            self.add(match kind {
                super::domain::Leaf::Number { .. } => {
                    Formula::Compare(Comparison::Equal, number(left), number(right))
                }
                _ => Formula::Same(left, right),
            })
        });
        let equal = Formula::And(parts.collect());
        match comparison {
            Comparison::Unequal => Formula::Not(self.add(equal)),
            _ => equal,
        }
    }

    fn is_number(&self, meaning: &Meaning) -> bool {
        match meaning {
            Meaning::Number(_) => true,
            Meaning::Place { domain, .. } => {
                matches!(self.equations.domains.get(*domain), Domain::Range { .. })
            }
        }
    }

    fn show(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::Number(number) => format!("the number {number}"),
            Meaning::Place { domain, .. } => {
                format!("of domain {}", self.equations.domains.show(*domain))
            }
        }
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
                for case in row {
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

    /// The cases of a term, all of one domain; `None` if it has mistakes.
    fn term(&mut self, term: &'a Term, scope: &mut Scope<'a>) -> Option<Vec<Case>> {
        let offset = self.sum(0, &term.rest, Some(scope));
        let mut cases = match &term.first {
            Part::Number(number) => vec![Case {
                conditions: Vec::new(),
                meaning: Meaning::Number(*number),
            }],
            Part::Path { root, steps } => self.path(root, steps, scope)?,
        };
        let offset = offset?;
        if term.rest.is_empty() {
            return Some(cases);
        }
        for case in &mut cases {
            match &mut case.meaning {
                Meaning::Number(number) => *number += offset,
                Meaning::Place {
                    domain,
                    offset: added,
                    ..
                } => {
                    if !matches!(self.equations.domains.get(*domain), Domain::Range { .. }) {
                        let domain = self.equations.domains.show(*domain);
                        let message =
                            format!("only numbers have sums, and this is of domain {domain}");
                        self.error(Diagnostic::error(term.span, message));
                        return None;
                    }
                    *added = offset;
                }
            }
        }
        Some(cases)
    }

    fn path(
        &mut self,
        root: &'a Word,
        steps: &'a [Step],
        scope: &mut Scope<'a>,
    ) -> Option<Vec<Case>> {
        let bound = scope.bindings.iter().rev();
        let bound = bound
            .clone()
            .find(|(name, _)| *name == root.text)
            .map(|(_, binding)| *binding);
        let constant = || self.known_constant(&root.text).map(Binding::Constant);
        let variable = match bound.or_else(constant) {
            Some(Binding::Variable(variable)) => variable,
            Some(Binding::Constant(number)) => {
                if let Some(step) = steps.first() {
                    let message = format!("`{}` is a constant: it has no parts", root.text);
                    let span = match step {
                        Step::Field(field) => field.span,
                        Step::Index(index) => index.span,
                    };
                    self.error(Diagnostic::error(root.span.to(span), message));
                    return None;
                }
                let meaning = Meaning::Number(number);
                return Some(vec![Case {
                    conditions: Vec::new(),
                    meaning,
                }]);
            }
            None => {
                self.unknown_variable(root, scope);
                return None;
            }
        };
        let mut cases = vec![Case {
            conditions: Vec::new(),
            meaning: Meaning::Place {
                variable,
                first: 0,
                domain: scope.variables[variable as usize].domain,
                offset: 0,
            },
        }];
        for step in steps {
            cases = match step {
                Step::Field(field) => self.field(cases, field)?,
                Step::Index(index) => self.index(cases, index, scope)?,
            };
        }
        Some(cases)
    }

    fn unknown_variable(&mut self, root: &Word, scope: &Scope<'a>) {
        let message = match scope.is_query {
            true => format!(
                "the query `{}` is open: `{}` is a free variable in it",
                scope.owner, root.text
            ),
            false => format!("unknown variable `{}`: it is free here", root.text),
        };
        let known = scope.bindings.iter().map(|(name, _)| *name);
        let mut hint = suggestion(&root.text, known);
        if root.text == "n" && self.vocabulary.threads.is_none() {
            hint = Some("`n` is for programs with threads, and this one has none".to_owned());
        }
        self.error(Diagnostic::error(root.span, message).with_hint_if_any(hint));
    }

    fn field(&mut self, mut cases: Vec<Case>, field: &Word) -> Option<Vec<Case>> {
        for case in &mut cases {
            let Meaning::Place { first, domain, .. } = &mut case.meaning else {
                return None;
            };
            let domains = &self.equations.domains;
            let shown = domains.show(*domain);
            let fields = match domains.get(*domain) {
                Domain::Record(fields) => &fields[..],
                _ => &[],
            };
            let mut offset = 0;
            let mut found = None;
            for (name, part) in fields {
                if *name == field.text {
                    found = Some((offset, *part));
                    break;
                }
                offset += domains.leaves(*part) as u32;
            }
            let Some((offset, part)) = found else {
                let message = format!("there is no field `{}` in {shown}", field.text);
                let hint = suggestion(&field.text, fields.iter().map(|(name, _)| name.as_str()));
                self.error(Diagnostic::error(field.span, message).with_hint_if_any(hint));
                return None;
            };
            *first += offset;
            *domain = part;
        }
        Some(cases)
    }

    fn index(
        &mut self,
        cases: Vec<Case>,
        index: &'a Term,
        scope: &mut Scope<'a>,
    ) -> Option<Vec<Case>> {
        let indices = self.term(index, scope)?;
        let mut result = Vec::new();
        for case in &cases {
            let Meaning::Place {
                variable,
                first,
                domain,
                ..
            } = case.meaning
            else {
                return None;
            };
            let domains = &self.equations.domains;
            let &Domain::Array { low, high, element } = domains.get(domain) else {
                let message = format!("{} has no elements", domains.show(domain));
                self.error(Diagnostic::error(index.span, message));
                return None;
            };
            let width = domains.leaves(element) as u32;
            let at = |place: i128, conditions: Vec<(Scalar, i128)>| Case {
                conditions,
                meaning: Meaning::Place {
                    variable,
                    first: first + (place - low) as u32 * width,
                    domain: element,
                    offset: 0,
                },
            };
            for place in &indices {
                let mut conditions = case.conditions.clone();
                conditions.extend(&place.conditions);
                if !self.is_number(&place.meaning) {
                    let message = format!(
                        "an index is a number, and this is {}",
                        self.show(&place.meaning)
                    );
                    self.error(Diagnostic::error(index.span, message));
                    return None;
                }
                match place.meaning {
                    Meaning::Number(number) if number < low || number > high => {
                        if scope.is_idle {
                            return None;
                        }
                        let message = format!("the index {number} is outside of {low}..{high}");
                        self.error(Diagnostic::error(index.span, message));
                        return None;
                    }
                    Meaning::Number(number) => result.push(at(number, conditions)),
                    meaning @ Meaning::Place { .. } => {
                        let count = result.len() as u64 + length(low, high);
                        if count > MOST_CASES as u64 {
                            let message = format!("this index has more than {MOST_CASES} cases");
                            self.error(Diagnostic::error(index.span, message));
                            return None;
                        }
                        for number in low..=high {
                            let mut conditions = conditions.clone();
                            conditions.push((scalar(&meaning), number));
                            result.push(at(number, conditions));
                        }
                    }
                }
            }
        }
        Some(result)
    }
}

fn scalar(meaning: &Meaning) -> Scalar {
    match *meaning {
        Meaning::Number(offset) => Scalar { leaf: None, offset },
        Meaning::Place {
            variable,
            first,
            offset,
            ..
        } => Scalar {
            leaf: Some(LeafRef {
                variable,
                leaf: first,
            }),
            offset,
        },
    }
}
