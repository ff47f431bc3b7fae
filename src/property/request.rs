//! Properties as users write them.

use super::naming::{Naming, expression_in};
use super::{Property, PropertyError, Temporal, TemporalError};
use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a property is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A formula of linear temporal logic.
    Ltl,
    /// An automaton of forbidden executions.
    Never,
    /// A label, or in a pushdown system a stack symbol, that may be reached.
    Reach,
    /// All assertions together.
    Assertions,
    /// One assertion.
    Assertion,
    /// That every execution ends.
    Terminates,
    /// That no signed computation of a C program overflows.
    NoOverflow,
    /// That no step of a C program is undefined.
    Defined,
    /// What a property file of the verification competition asks that is not decided.
    Prp,
    /// That a rule about a C program is never violated.
    Slic,
}

impl Kind {
    /// As scripts see it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Ltl => "ltl",
            Kind::Never => "never",
            Kind::Reach => "reach",
            Kind::Assertions => "assertions",
            Kind::Assertion => "assertion",
            Kind::Terminates => "terminates",
            Kind::NoOverflow => "no-overflow",
            Kind::Defined => "defined",
            Kind::Prp => "prp",
            Kind::Slic => "slic",
        }
    }
}

/// The text of the property about failures that are no assertion's.
pub(crate) const OTHERS: &str = "others";

/// A property as it is given, before it is known what its names mean in a model. Text alone
/// is a formula:
///
/// ```
/// # fn main() -> Result<(), derny::Error> {
/// use derny::{Checker, Model, Property};
/// let model = Model::read("examples/lock.bp")?;
/// let report = Checker::new(&model)
///     .property("G (acquire -> F release)".parse()?)
///     .property(Property::assertions())
///     .check()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) kind: Kind,
    /// The label or formula as given, the automaton's file, or the name of the kind.
    pub(crate) text: String,
    /// From a property file.
    pub(crate) name: Option<String>,
    /// The automaton, unless it is in a file.
    automaton: Option<String>,
    /// Where it was written, if that was in a property file.
    pub(crate) origin: Option<Origin>,
}

/// Where the text of a property begins in a property file; line and column from 1.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub file: PathBuf,
    pub line: u32,
    pub column: u32,
}

impl Request {
    /// A property of some kind: the text is the formula, the label or the automaton's file, and
    /// for other kinds the title.
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Request {
            kind,
            text: text.into(),
            name: None,
            automaton: None,
            origin: None,
        }
    }

    /// Every execution satisfies this formula.
    pub fn ltl(formula: impl Into<String>) -> Self {
        Self::new(Kind::Ltl, formula)
    }

    /// No execution is accepted by the automaton in this file, in the HOA format. The file is
    /// read when the property is checked.
    pub fn never(file: impl AsRef<Path>) -> Self {
        Self::new(Kind::Never, file.as_ref().to_string_lossy())
    }

    /// No execution is accepted by this automaton, in the HOA format. The title stands for it
    /// in reports.
    pub fn never_automaton(title: impl Into<String>, automaton: impl Into<String>) -> Self {
        Request {
            automaton: Some(automaton.into()),
            ..Self::new(Kind::Never, title)
        }
    }

    /// No statement with this label is reached: `L` in any procedure, or `p.L`. In a pushdown
    /// system no symbol `s`, or `q:s`, comes to be on top.
    pub fn reach(label: impl Into<String>) -> Self {
        Self::new(Kind::Reach, label)
    }

    /// No assertion fails.
    pub fn assertions() -> Self {
        Self::new(Kind::Assertions, Kind::Assertions.name())
    }

    /// The assertion at this place, `LINE:COLUMN`, never fails; or, for `others`, nothing else
    /// does: every number fits, every index is inside its array, no divisor is 0.
    /// [`Model::assertions`](crate::Model::assertions) has all of a model.
    pub fn assertion(place: impl Into<String>) -> Self {
        Self::new(Kind::Assertion, place)
    }

    /// Every execution ends.
    pub fn terminates() -> Self {
        Self::new(Kind::Terminates, Kind::Terminates.name())
    }

    /// No signed computation of a C program overflows, whatever overflow does there.
    pub fn no_overflow() -> Self {
        Self::new(Kind::NoOverflow, Kind::NoOverflow.name())
    }

    /// No execution of a C program comes to an undefined step.
    pub fn defined() -> Self {
        Self::new(Kind::Defined, Kind::Defined.name())
    }

    /// The rule in this file is never violated: one that the C program was read with, by
    /// [`Reader::rule`](crate::Reader::rule).
    pub fn slic(file: impl AsRef<Path>) -> Self {
        Self::new(Kind::Slic, file.as_ref().to_string_lossy())
    }

    /// With a name, by which it stands in reports.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Where this byte of the text stands, as `file:line:column`, if it was read from a line of a file.
    pub(crate) fn place(&self, offset: usize) -> Option<String> {
        let Origin { file, line, column } = self.origin.as_ref()?;
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let column = *column as usize + before.chars().count();
        Some(format!("{}:{line}:{column}", file.display()))
    }

    pub(crate) fn written_at(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// What it is about.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The formula or label as given, the automaton's file, or the name of the kind.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its name, if it was given one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// As it is shown to people.
    pub(crate) fn title(&self) -> Cow<'_, str> {
        match self.kind {
            Kind::Assertion if self.text == OTHERS => "other failures".into(),
            Kind::Assertion => format!("assertion {}", self.text).into(),
            _ => self.text.as_str().into(),
        }
    }

    /// The texts in it that may be expressions of a C program.
    pub(crate) fn expressions(&self) -> Vec<String> {
        let texts: Vec<String> = match self.kind {
            Kind::Ltl => {
                let parsed = ltl2ba_rs::parse(&self.text);
                let formula = parsed.ok().map(|parsed| parsed.formula);
                let propositions = formula.iter().flat_map(|formula| formula.propositions());
                let texts = propositions.filter(|one| one.kind != ltl2ba_rs::Kind::Call);
                texts.map(|one| one.text.clone()).collect()
            }
            Kind::Never => {
                let automaton = self.automaton().ok();
                let automaton = automaton.and_then(|text| ltl2ba_rs::hoa::read(&text).ok());
                automaton.map_or(Vec::new(), |automaton| automaton.propositions.to_vec())
            }
            _ => Vec::new(),
        };
        let mut texts: Vec<String> = texts
            .iter()
            .map(|text| expression_in(text).to_owned())
            .filter(|text| !["terminated", "error"].contains(&&text[..]))
            .collect();
        texts.dedup();
        texts
    }

    fn automaton(&self) -> Result<String, PropertyError> {
        if let Some(automaton) = &self.automaton {
            return Ok(automaton.clone());
        }
        match std::fs::read(&self.text) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => {
                let message = format!("cannot read {}: {error}", self.text);
                Err(PropertyError::new(message, None))
            }
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}: {}", self.title()),
            None => f.write_str(&self.title()),
        }
    }
}

/// What a request means in a program or pushdown system.
pub fn resolve<'s>(
    naming: impl Into<Naming<'s>>,
    request: &Request,
) -> Result<Property, TemporalError> {
    let naming = naming.into();
    let subject = naming.subject;
    let boxed = |temporal| Property::Temporal(Box::new(temporal));
    let wrong = |error| TemporalError::Proposition(0..0, error);
    match request.kind {
        Kind::Assertions => subject.assertions().map_err(wrong),
        Kind::Assertion => match naming.c {
            Some(c) => c.assertion(&request.text).map_err(wrong),
            None => subject.assertion(&request.text).map_err(wrong),
        },
        Kind::Prp => Ok(Property::Unsupported),
        Kind::Terminates => Ok(Property::Terminates),
        Kind::Ltl => Temporal::from_formula(naming, &request.text).map(boxed),
        Kind::Never => {
            let automaton = request.automaton().map_err(wrong)?;
            Temporal::from_hoa(naming, &automaton).map(boxed)
        }
        Kind::Reach => match naming.c {
            Some(c) => c.reach(&request.text).map_err(wrong),
            None => subject.reach(&request.text).map_err(wrong),
        },
        Kind::NoOverflow | Kind::Defined | Kind::Slic => {
            let points = naming.in_c().map_err(wrong)?;
            Ok(match request.kind {
                Kind::NoOverflow => points.overflow(),
                Kind::Slic => points.rule(),
                _ => points.undefined(),
            })
        }
    }
}
