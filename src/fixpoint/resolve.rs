//! From the syntax tree to equations: declarations, domains, formulas. All mistakes are found
//! at once; what depends on one is passed over.
//!
//! Linear in the text, but for `all`, `some` and indices that are variables, which are unrolled:
//! the number of formulas is limited.

mod atoms;
mod terms;
mod types;

use super::domain::{BOOL, DomainId, UNKNOWN};
use super::equations::{
    Equations, Formula, FormulaId, Kind, Query, Relation, RelationId, Variable,
};
use super::supplied::{DOMAINS, Place, SUPPLIED};
use super::tree::{Content, Definition, File, Fixpoint, Form, FormKind, Group, Item, Shape, Word};
use crate::diagnostic::{Diagnostic, suggestion};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the program says about names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Vocabulary {
    /// How many threads there are, in a program that has them.
    pub threads: Option<u32>,
}

/// How many formulas there may be once all is unrolled.
const MOST_FORMULAS: usize = 400_000;

/// The equations of a file, and what is wrong with it; then they are good for finding further
/// mistakes alone.
pub fn resolve(
    file: &File,
    vocabulary: Vocabulary,
    values: &[(String, i128)],
) -> (Equations, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        vocabulary,
        equations: Equations::default(),
        parameters: FxHashMap::default(),
        types: FxHashMap::default(),
        known: FxHashMap::default(),
        names: FxHashMap::default(),
        open: Vec::new(),
        diagnostics: Vec::new(),
        reported: FxHashSet::default(),
        has_nameless: file.has_nameless,
        is_too_large: false,
    };
    resolver.declare(file, values);
    resolver.define(file);
    (resolver.equations, resolver.diagnostics)
}

struct Resolver<'a> {
    vocabulary: Vocabulary,
    equations: Equations,
    /// `None` for those with mistakes.
    parameters: FxHashMap<&'a str, Option<i128>>,
    types: FxHashMap<&'a str, &'a Shape>,
    /// The types that are known already; `None` for those with mistakes.
    known: FxHashMap<&'a str, Option<DomainId>>,
    /// Relations by name; `None` for those with mistakes.
    names: FxHashMap<&'a str, Option<RelationId>>,
    /// Types that are being looked at.
    open: Vec<&'a str>,
    diagnostics: Vec<Diagnostic>,
    reported: FxHashSet<(Span, String)>,
    has_nameless: bool,
    is_too_large: bool,
}

#[derive(Clone, Copy, Debug)]
enum Binding {
    Variable(u32),
    /// `None` for one with a mistake.
    Constant(Option<i128>),
}

/// What is in sight inside of one definition or query.
struct Scope<'a> {
    /// The innermost last.
    bindings: Vec<(&'a str, Binding)>,
    variables: Vec<Variable>,
    owner: &'a str,
    is_query: bool,
    /// In a part that is unrolled no times: indices mean nothing.
    is_idle: bool,
}

impl<'a> Resolver<'a> {
    fn error(&mut self, diagnostic: Diagnostic) {
        let key = (diagnostic.span, diagnostic.message.clone());
        if self.reported.insert(key) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a name that nothing has, unless that may be due to another mistake.
    fn unknown(&mut self, diagnostic: Diagnostic) {
        if !self.has_nameless {
            self.error(diagnostic);
        }
    }

    fn add(&mut self, formula: Formula) -> FormulaId {
        let formulas = &mut self.equations.formulas;
        formulas.push(formula);
        FormulaId(formulas.len() as u32 - 1)
    }

    /// Whether there may be more formulas; if not, that is reported once.
    fn has_room(&mut self, span: Span, more: u64) -> bool {
        let there = self.equations.formulas.len() as u64;
        let fits = there.saturating_add(more) <= MOST_FORMULAS as u64;
        if !fits && !self.is_too_large {
            self.is_too_large = true;
            let message = format!("unrolled, there are more than {MOST_FORMULAS} formulas");
            self.error(Diagnostic::error(span, message));
        }
        fits
    }

    /// Names first, since they may be used before they are defined.
    fn declare(&mut self, file: &'a File, values: &[(String, i128)]) {
        for entry in SUPPLIED {
            if entry.missing(self.vocabulary.threads.is_some()).is_none() {
                let parameters = entry.parameters.iter().map(|(name, place)| {
                    let domain = match place {
                        Place::Of(domain) => *domain,
                        Place::Thread => self.thread_domain().unwrap_or(BOOL),
                    };
                    (*name, domain)
                });
                let parameters: Vec<_> = parameters.collect();
                let variables: Vec<_> = parameters
                    .into_iter()
                    .map(|(name, domain)| self.variable(name, domain))
                    .collect();
                let id = RelationId(self.equations.relations.len() as u32);
                self.names.insert(entry.name, Some(id));
                self.equations.relations.push(Relation {
                    name: entry.name.to_owned(),
                    span: Span::default(),
                    kind: Kind::Supplied(entry.relation),
                    parameters: variables.len() as u32,
                    variables,
                    above: Vec::new(),
                    body: None,
                });
            }
        }
        let mut places: FxHashMap<(u8, &str), Span> = FxHashMap::default();
        for Item { name, content } in &file.items {
            let (space, what) = match content {
                Content::Parameter(_) => (0, "parameter"),
                Content::Type(_) => (1, "type"),
                Content::Relation(_) => (2, "relation"),
                Content::Query(_) => (3, "query"),
            };
            let supplied = match space {
                0 => name.text == "n" && self.vocabulary.threads.is_some(),
                1 => DOMAINS.contains(&name.text.as_str()),
                2 => SUPPLIED.iter().any(|entry| entry.name == name.text),
                _ => false,
            };
            if supplied {
                let message = format!("the {what} `{}` is supplied by the program", name.text);
                let hint = "take another name";
                self.error(Diagnostic::error(name.span, message).with_hint(hint));
                continue;
            }
            if let Some(first) = places.get(&(space, name.text.as_str())) {
                let message = format!("two definitions of the {what} `{}`", name.text);
                let error = Diagnostic::error(name.span, message);
                self.error(error.with_related(*first, "first defined here"));
                continue;
            }
            places.insert((space, &name.text), name.span);
            match content {
                Content::Parameter(value) => {
                    let given = values.iter().rev().find(|(given, _)| *given == name.text);
                    let value = given.map(|(_, value)| *value).or(*value);
                    self.parameters.insert(&name.text, value);
                }
                Content::Type(Some(shape)) => {
                    self.types.insert(&name.text, shape);
                }
                Content::Type(None) => {
                    self.known.insert(&name.text, None);
                }
                Content::Relation(None) => {
                    self.names.insert(&name.text, None);
                }
                Content::Relation(Some(_)) | Content::Query(_) => {}
            }
        }
        for item in &file.items {
            if let Content::Type(_) = item.content {
                self.type_named(&item.name);
            }
        }
        for Item { name, content } in &file.items {
            if let Content::Relation(Some(definition)) = content
                && !self.names.contains_key(name.text.as_str())
            {
                self.declare_relation(name, definition);
            }
        }
    }

    fn declare_relation(&mut self, name: &'a Word, definition: &'a Definition) {
        let mut variables = Vec::new();
        let mut names = FxHashMap::default();
        for group in &definition.parameters {
            let domain = self.domain(&group.domain, None);
            for name in &group.names {
                self.declare_once(&mut names, name);
                let variable = self.variable(&name.text, domain.unwrap_or(UNKNOWN));
                variables.push(variable);
            }
        }
        let id = RelationId(self.equations.relations.len() as u32);
        self.names.insert(&name.text, Some(id));
        self.equations.relations.push(Relation {
            name: name.text.clone(),
            span: name.span,
            kind: Kind::Defined(definition.fixpoint),
            parameters: variables.len() as u32,
            variables,
            above: Vec::new(),
            body: None,
        });
    }

    fn declare_once(&mut self, names: &mut FxHashMap<&'a str, Span>, name: &'a Word) {
        if let Some(first) = names.insert(&name.text, name.span) {
            let message = format!("two variables `{}`", name.text);
            let error = Diagnostic::error(name.span, message);
            self.error(error.with_related(first, "the first one"));
        }
    }

    fn define(&mut self, file: &'a File) {
        for Item { name, content } in &file.items {
            match content {
                Content::Relation(Some(definition)) => self.define_relation(name, definition),
                Content::Query(Some(form)) => {
                    let mut scope = Scope {
                        bindings: Vec::new(),
                        variables: Vec::new(),
                        owner: &name.text,
                        is_query: true,
                        is_idle: false,
                    };
                    let body = self.form(form, &mut scope);
                    let id = RelationId(self.equations.relations.len() as u32);
                    self.equations.relations.push(Relation {
                        name: name.text.clone(),
                        span: name.span,
                        kind: Kind::Defined(Fixpoint::Let),
                        variables: scope.variables,
                        parameters: 0,
                        above: Vec::new(),
                        body: Some(body),
                    });
                    self.equations.queries.push(Query {
                        name: name.text.clone(),
                        relation: id,
                    });
                }
                _ => {}
            }
        }
    }

    fn define_relation(&mut self, name: &'a Word, definition: &'a Definition) {
        let Some(Some(id)) = self.names.get(name.text.as_str()).copied() else {
            return;
        };
        let index = id.0 as usize;
        // A second definition, or one of a supplied name, was reported.
        if self.equations.relations[index].span != name.span {
            return;
        }
        let names = definition.parameters.iter().flat_map(|group| &group.names);
        let bindings = names.zip(0..);
        let bindings = bindings.map(|(name, i)| (name.text.as_str(), Binding::Variable(i)));
        let mut scope = Scope {
            bindings: bindings.collect(),
            variables: std::mem::take(&mut self.equations.relations[index].variables),
            owner: &name.text,
            is_query: false,
            is_idle: false,
        };
        let body = self.form(&definition.body, &mut scope);
        let find = |word: &Word| {
            let position = scope.variables.iter().position(|v| v.name == word.text);
            position.map(|position| position as u32)
        };
        let mut above = Vec::new();
        for wish in &definition.order {
            match (find(&wish.left), find(&wish.right)) {
                (Some(left), Some(right)) if wish.is_above => above.push((left, right)),
                (Some(_), Some(_)) => {}
                (left, _) => {
                    let word = if left.is_none() {
                        &wish.left
                    } else {
                        &wish.right
                    };
                    let known = scope.variables.iter().map(|v| v.name.as_str());
                    let hint = suggestion(&word.text, known);
                    let message = format!("unknown variable `{}`", word.text);
                    self.error(Diagnostic::error(word.span, message).with_hint_if_any(hint));
                }
            }
        }
        let relation = &mut self.equations.relations[index];
        relation.variables = scope.variables;
        relation.above = above;
        relation.body = Some(body);
    }

    fn bind(&mut self, groups: &'a [Group], scope: &mut Scope<'a>) -> Box<[u32]> {
        let mut bound = Vec::new();
        let mut names = FxHashMap::default();
        for group in groups {
            let domain = self.domain(&group.domain, Some(scope)).unwrap_or(UNKNOWN);
            for name in &group.names {
                self.declare_once(&mut names, name);
                let index = scope.variables.len() as u32;
                scope.variables.push(self.variable(&name.text, domain));
                scope.bindings.push((&name.text, Binding::Variable(index)));
                bound.push(index);
            }
        }
        bound.into()
    }

    /// (Formulas nest no deeper than the parser allows.)
    fn form(&mut self, form: &'a Form, scope: &mut Scope<'a>) -> FormulaId {
        if !self.has_room(form.span, 1) {
            return self.add(Formula::Constant(false));
        }
        let formula = match &form.kind {
            FormKind::Constant(value) => Formula::Constant(*value),
            FormKind::Not(part) => Formula::Not(self.form(part, scope)),
            FormKind::And(parts) => Formula::And(self.forms(parts, scope)),
            FormKind::Or(parts) => Formula::Or(self.forms(parts, scope)),
            FormKind::Iff(parts) => return self.iff(parts, scope),
            FormKind::Implies(parts) => {
                let mut parts = self.forms(parts, scope).into_vec();
                let last = parts.len() - 1;
                for part in &mut parts[..last] {
                    *part = self.add(Formula::Not(*part));
                }
                Formula::Or(parts.into())
            }
            FormKind::Quantified {
                exists,
                variables,
                body,
            } => {
                let before = scope.bindings.len();
                let variables = self.bind(variables, scope);
                let body = self.form(body, scope);
                scope.bindings.truncate(before);
                Formula::Quantified {
                    exists: *exists,
                    variables,
                    body,
                }
            }
            FormKind::Unrolled {
                all,
                name,
                low,
                high,
                body,
            } => {
                let bounds = (
                    self.constant(low, Some(scope)),
                    self.constant(high, Some(scope)),
                );
                let range = match bounds {
                    (Some(low), Some(high)) => Some((low, high)),
                    _ => None,
                };
                self.unroll(*all, name, range, body, scope)
            }
            FormKind::Apply { name, arguments } => return self.apply(form, name, arguments, scope),
            FormKind::Compare(comparison, left, right) => {
                return self.compare(form.span, *comparison, left, right, scope);
            }
            FormKind::Truth(term) => return self.truth(term, scope),
        };
        self.add(formula)
    }

    fn forms(&mut self, parts: &'a [Form], scope: &mut Scope<'a>) -> Box<[FormulaId]> {
        parts.iter().map(|part| self.form(part, scope)).collect()
    }

    fn iff(&mut self, parts: &'a [Form], scope: &mut Scope<'a>) -> FormulaId {
        let parts = self.forms(parts, scope);
        let mut parts = parts.iter().copied();
        let mut all = parts.next().unwrap_or(FormulaId(0));
        for part in parts {
            all = self.add(Formula::Iff(all, part));
        }
        all
    }

    fn unroll(
        &mut self,
        all: bool,
        name: &'a Word,
        range: Option<(i128, i128)>,
        body: &'a Form,
        scope: &mut Scope<'a>,
    ) -> Formula {
        let (low, high) = range.unwrap_or((0, -1));
        let count = super::domain::length(low, high);
        if !self.has_room(name.span, count) {
            return Formula::Constant(all);
        }
        let mut parts = Vec::new();
        for value in low..=high {
            let constant = Binding::Constant(Some(value));
            scope.bindings.push((&name.text, constant));
            parts.push(self.form(body, scope));
            scope.bindings.pop();
            if self.is_too_large {
                break;
            }
        }
        if count == 0 {
            // Mistakes in it are to be found all the same.
            let was_idle = std::mem::replace(&mut scope.is_idle, true);
            let constant = Binding::Constant(range.map(|(low, _)| low));
            scope.bindings.push((&name.text, constant));
            self.form(body, scope);
            scope.bindings.pop();
            scope.is_idle = was_idle;
        }
        match all {
            true => Formula::And(parts.into()),
            false => Formula::Or(parts.into()),
        }
    }
}
