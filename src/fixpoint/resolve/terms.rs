//! What a term is, leaf by leaf: a number, or part of a variable. An index that is a variable
//! makes a case of each of its values.

use super::{Binding, Resolver, Scope};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::fixpoint::domain::{Domain, DomainId, UNKNOWN, length};
use crate::fixpoint::equations::{LeafRef, Scalar};
use crate::fixpoint::tree::{Part, Step, Term, Word};

/// Values of indices.
pub(super) type Conditions = Vec<(Scalar, i128)>;

/// What a term is in one case.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// The indices that are variables have these values.
    pub conditions: Conditions,
    pub meaning: Meaning,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
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

impl Meaning {
    /// `None` for a number, which is in many domains.
    pub fn domain(&self) -> Option<DomainId> {
        match self {
            Meaning::Number(_) => None,
            Meaning::Place { domain, .. } => Some(*domain),
        }
    }

    /// It as a number.
    pub fn scalar(&self) -> Scalar {
        match *self {
            Meaning::Number(offset) => Scalar { leaf: None, offset },
            Meaning::Place {
                variable,
                first: leaf,
                offset,
                ..
            } => Scalar {
                leaf: Some(LeafRef { variable, leaf }),
                offset,
            },
        }
    }
}

impl Case {
    /// Whether no value of an index makes it true.
    pub fn is_impossible(&self) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|(index, value)| index.leaf.is_none() && index.offset != *value)
    }
}

impl<'a> Resolver<'a> {
    pub(super) fn is_number(&self, meaning: &Meaning) -> bool {
        match meaning {
            Meaning::Number(_) => true,
            Meaning::Place { domain, .. } => {
                matches!(self.equations.domains.get(*domain), Domain::Range { .. })
            }
        }
    }

    pub(super) fn show(&self, meaning: &Meaning) -> String {
        match meaning {
            Meaning::Number(number) => format!("the number {number}"),
            Meaning::Place { domain, .. } => {
                format!("a value of domain {}", self.equations.domains.show(*domain))
            }
        }
    }

    /// The cases of a term, all of one domain; `None` if it has mistakes.
    pub(super) fn term(&mut self, term: &'a Term, scope: &mut Scope<'a>) -> Option<Vec<Case>> {
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
        let variable = match self.binding(&root.text, Some(scope)) {
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
                return Some(vec![Case {
                    conditions: Vec::new(),
                    meaning: Meaning::Number(number?),
                }]);
            }
            None => {
                self.unknown_variable(root, scope);
                return None;
            }
        };
        let domain = scope.variables[variable as usize].domain;
        if domain == UNKNOWN {
            return None;
        }
        let mut cases = vec![Case {
            conditions: Vec::new(),
            meaning: Meaning::Place {
                variable,
                first: 0,
                domain,
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
        let error = Diagnostic::error(root.span, message);
        if root.text == "n" && self.vocabulary.threads.is_none() {
            let hint = "`n` is for programs with threads, and this one has none";
            self.error(error.with_hint(hint));
            return;
        }
        let known = scope.bindings.iter().map(|(name, _)| *name);
        let known = known.chain(self.parameters.keys().copied());
        self.unknown(error.with_hint_if_any(suggestion(&root.text, known)));
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
            // An element that there is not: what is said of it is looked at, and never holds.
            let nowhere = |mut conditions: Conditions| {
                conditions.push((Meaning::Number(0).scalar(), 1));
                at(low, conditions)
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
                        if scope.is_idle && !index.is_literal() {
                            result.push(nowhere(conditions));
                            continue;
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
                        if low > high {
                            result.push(nowhere(conditions.clone()));
                        }
                        for number in low..=high {
                            let mut conditions = conditions.clone();
                            conditions.push((meaning.scalar(), number));
                            result.push(at(number, conditions));
                        }
                    }
                }
            }
        }
        Some(result)
    }
}
