//! The syntax tree of a `.mu` file: parameters, types, equations and queries as they were
//! written. Chains of one connective are lists, so that only parentheses and quantifiers nest,
//! and these no deeper than the parser allows.

use crate::source::Span;

#[derive(Debug, Default)]
pub struct File {
    pub items: Vec<Item>,
    /// Whether an item is missing because its name could not be read: a name that nothing has
    /// may be that of it.
    pub has_nameless: bool,
}

/// A name at a place.
#[derive(Clone, Debug)]
pub struct Word {
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub struct Item {
    pub name: Word,
    pub content: Content,
}

/// What a name stands for; `None` if there is a mistake in the text that says so.
#[derive(Debug)]
pub enum Content {
    Parameter(Option<i128>),
    Type(Option<Shape>),
    Relation(Option<Definition>),
    Query(Option<Form>),
}

#[derive(Debug)]
pub enum Shape {
    Record(Vec<Group>),
    Domain(DomainTree),
}

/// Names that share a domain.
#[derive(Debug)]
pub struct Group {
    pub names: Vec<Word>,
    pub domain: DomainTree,
}

#[derive(Debug)]
pub struct DomainTree {
    pub span: Span,
    pub kind: DomainKind,
}

#[derive(Debug)]
pub enum DomainKind {
    Bool,
    Range(Constant, Constant),
    Named(Word),
    /// `None` for elements of domain `bool`.
    Array(Option<Word>, Constant, Constant),
}

/// A sum of numbers and names of numbers; the first flag says what is subtracted.
#[derive(Clone, Debug)]
pub struct Constant {
    pub summands: Vec<(bool, Summand)>,
}

#[derive(Clone, Debug)]
pub enum Summand {
    Number(i128),
    Name(Word),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixpoint {
    Least,
    Greatest,
    /// Stands for its text.
    Let,
}

#[derive(Debug)]
pub struct Definition {
    pub fixpoint: Fixpoint,
    pub parameters: Vec<Group>,
    pub order: Vec<OrderWish>,
    pub body: Form,
}

/// `u ~ v` or `u < v`.
#[derive(Debug)]
pub struct OrderWish {
    pub left: Word,
    pub is_above: bool,
    pub right: Word,
}

#[derive(Debug)]
pub struct Form {
    pub span: Span,
    pub kind: FormKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Unequal,
    Less,
    LessEqual,
}

#[derive(Debug)]
pub enum FormKind {
    Constant(bool),
    Quantified {
        exists: bool,
        variables: Vec<Group>,
        body: Box<Form>,
    },
    /// `all` or `some` over constants.
    Unrolled {
        all: bool,
        name: Word,
        low: Constant,
        high: Constant,
        body: Box<Form>,
    },
    /// From the left.
    Iff(Vec<Form>),
    /// From the right.
    Implies(Vec<Form>),
    Or(Vec<Form>),
    And(Vec<Form>),
    Not(Box<Form>),
    Apply {
        name: Word,
        arguments: Vec<Term>,
    },
    Compare(Comparison, Term, Term),
    Truth(Term),
}

/// A first part, and constants that are added or subtracted.
#[derive(Debug)]
pub struct Term {
    pub span: Span,
    pub first: Part,
    pub rest: Vec<(bool, Summand)>,
}

impl Term {
    /// Whether it is a number as it is written.
    pub fn is_literal(&self) -> bool {
        matches!(self.first, Part::Number(_)) && self.rest.is_empty()
    }
}

#[derive(Debug)]
pub enum Part {
    Number(i128),
    /// A variable, or a constant if there are no steps.
    Path {
        root: Word,
        steps: Vec<Step>,
    },
}

#[derive(Debug)]
pub enum Step {
    Field(Word),
    Index(Box<Term>),
}
