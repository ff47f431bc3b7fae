//! Domains and constants by their names: types may be used before they are defined, and are
//! built from each other only so deep.

use super::{Binding, Resolver, Scope};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::fixpoint::domain::{BOOL, Domain, DomainId, GLOBALS, LOCALS, POINT, STATE};
use crate::fixpoint::equations::Variable;
use crate::fixpoint::supplied::DOMAINS;
use crate::fixpoint::tree::{Constant, DomainKind, DomainTree, Shape, Summand, Word};
use rustc_hash::FxHashMap;

/// How many leaves a variable may have.
const MOST_LEAVES: u64 = 10_000;
/// How deep types may be built from each other.
const DEEPEST_TYPE: u32 = 50;

impl<'a> Resolver<'a> {
    pub(super) fn thread_domain(&mut self) -> Option<DomainId> {
        let high = i128::from(self.vocabulary.threads?);
        Some(
            self.equations
                .domains
                .intern(Domain::Range { low: 1, high }),
        )
    }

    pub(super) fn variable(&self, name: &str, domain: DomainId) -> Variable {
        let (mut leaves, mut states) = (Vec::new(), Vec::new());
        let domains = &self.equations.domains;
        if domains.leaves(domain) <= MOST_LEAVES {
            domains.flatten(domain, &mut leaves, &mut states);
        }
        Variable {
            name: name.to_owned(),
            domain,
            leaves,
            states,
        }
    }

    pub(super) fn type_named(&mut self, name: &'a Word) -> Option<DomainId> {
        let text = name.text.as_str();
        match text {
            "PC" => return Some(POINT),
            "Locals" => return Some(LOCALS),
            "Globals" => return Some(GLOBALS),
            "State" => return Some(STATE),
            "Thread" => {
                let domain = self.thread_domain();
                if domain.is_none() {
                    let message = "`Thread` is for programs with threads, and this one has none";
                    self.error(Diagnostic::error(name.span, message));
                }
                return domain;
            }
            _ => {}
        }
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let Some(shape) = self.types.get(text).copied() else {
            let known = self.types.keys().copied();
            let known = known.chain(DOMAINS).chain(["bool"]);
            let hint = suggestion(text, known);
            let message = format!("unknown type `{text}`");
            self.unknown(Diagnostic::error(name.span, message).with_hint_if_any(hint));
            return None;
        };
        if self.open.contains(&text) {
            let message = format!("the type `{text}` is part of itself");
            self.error(Diagnostic::error(name.span, message));
            return None;
        }
        if self.open.len() as u32 > DEEPEST_TYPE {
            return self.too_deep(name);
        }
        self.open.push(text);
        let mut domain = self.shape(shape);
        self.open.pop();
        if domain.is_some_and(|domain| self.equations.domains.depth(domain) > DEEPEST_TYPE) {
            domain = self.too_deep(name);
        }
        self.known.insert(text, domain);
        domain
    }

    fn too_deep(&mut self, name: &Word) -> Option<DomainId> {
        let message = format!("types are built from each other deeper than {DEEPEST_TYPE} times");
        self.error(Diagnostic::error(name.span, message));
        None
    }

    fn shape(&mut self, shape: &'a Shape) -> Option<DomainId> {
        match shape {
            Shape::Domain(domain) => self.plain_domain(domain, None),
            Shape::Record(groups) => {
                let mut fields = Vec::new();
                let mut names = FxHashMap::default();
                for group in groups {
                    let domain = self.plain_domain(&group.domain, None);
                    for name in &group.names {
                        if let Some(first) = names.insert(name.text.as_str(), name.span) {
                            let message = format!("two fields `{}`", name.text);
                            let error = Diagnostic::error(name.span, message);
                            self.error(error.with_related(first, "the first one"));
                        }
                        fields.push((name.text.clone(), domain?));
                    }
                }
                Some(self.equations.domains.intern(Domain::Record(fields.into())))
            }
        }
    }

    /// A domain that variables are to have.
    pub(super) fn domain(
        &mut self,
        tree: &'a DomainTree,
        scope: Option<&Scope<'a>>,
    ) -> Option<DomainId> {
        let domain = self.plain_domain(tree, scope)?;
        let leaves = self.equations.domains.leaves(domain);
        if leaves > MOST_LEAVES {
            let message = format!(
                "a value of this domain has {leaves} parts: at most {MOST_LEAVES} are possible"
            );
            self.error(Diagnostic::error(tree.span, message));
            return None;
        }
        Some(domain)
    }

    fn plain_domain(
        &mut self,
        tree: &'a DomainTree,
        scope: Option<&Scope<'a>>,
    ) -> Option<DomainId> {
        match &tree.kind {
            DomainKind::Bool => Some(BOOL),
            DomainKind::Named(name) => self.type_named(name),
            DomainKind::Range(low, high) => {
                let (low, high) = (self.constant(low, scope), self.constant(high, scope));
                let (low, high) = (low?, high?);
                if high.saturating_sub(low) > i128::from(u64::MAX) {
                    let message = "this range has more than 18446744073709551616 values";
                    self.error(Diagnostic::error(tree.span, message));
                    return None;
                }
                Some(self.equations.domains.intern(Domain::Range { low, high }))
            }
            DomainKind::Array(element, low, high) => {
                let element = match element {
                    None => Some(BOOL),
                    Some(name) => self.type_named(name),
                };
                let (low, high) = (self.constant(low, scope), self.constant(high, scope));
                let (element, low, high) = (element?, low?, high?);
                let domain = Domain::Array { low, high, element };
                Some(self.equations.domains.intern(domain))
            }
        }
    }

    pub(super) fn constant(
        &mut self,
        constant: &Constant,
        scope: Option<&Scope<'a>>,
    ) -> Option<i128> {
        self.sum(0, &constant.summands, scope)
    }

    /// What `start` is with the summands.
    pub(super) fn sum(
        &mut self,
        start: i128,
        summands: &[(bool, Summand)],
        scope: Option<&Scope<'a>>,
    ) -> Option<i128> {
        let mut sum = Some(start);
        for (minus, summand) in summands {
            let value = match summand {
                Summand::Number(number) => Some(*number),
                Summand::Name(name) => self.constant_named(name, scope),
            };
            // Numbers have 64 bits: no text is long enough for an overflow.
            sum = match (sum, value) {
                (Some(sum), Some(value)) if *minus => sum.checked_sub(value),
                (Some(sum), Some(value)) => sum.checked_add(value),
                _ => None,
            };
        }
        sum
    }

    /// What a name stands for that is no relation or type.
    pub(super) fn binding(&self, name: &str, scope: Option<&Scope<'a>>) -> Option<Binding> {
        let bindings = scope.map_or(&[][..], |scope| &scope.bindings);
        let bound = bindings.iter().rev().find(|(bound, _)| *bound == name);
        let threads = self.vocabulary.threads.filter(|_| name == "n");
        let constant = self.parameters.get(name).copied();
        let constant = constant.or(threads.map(|count| Some(i128::from(count))));
        let bound = bound.map(|(_, binding)| *binding);
        bound.or(constant.map(Binding::Constant))
    }

    fn constant_named(&mut self, name: &Word, scope: Option<&Scope<'a>>) -> Option<i128> {
        match self.binding(&name.text, scope) {
            Some(Binding::Constant(value)) => return value,
            Some(Binding::Variable(_)) => {
                let message = format!("`{}` is a variable, and a constant is needed", name.text);
                self.error(Diagnostic::error(name.span, message));
            }
            None if name.text == "n" => {
                let message = "`n` is for programs with threads, and this one has none";
                self.error(Diagnostic::error(name.span, message));
            }
            None => {
                let message = format!("unknown constant `{}`", name.text);
                let hint = suggestion(&name.text, self.parameters.keys().copied());
                self.unknown(Diagnostic::error(name.span, message).with_hint_if_any(hint));
            }
        }
        None
    }
}
