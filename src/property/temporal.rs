//! Temporal properties: a formula, or an automaton of the forbidden executions.

use super::{Atom, Naming, PropertyError};
use crate::analysis::Observed;
use crate::program::PointId;
use crate::rules::Subject;
use crate::trace::{Step, Trace};
use ltl2ba_rs::hoa::HoaError;
use ltl2ba_rs::{Automaton, Formula, Lasso, Options, ParseError, Parsed, Span, TranslateError};
use std::fmt;

/// A temporal property of one program or pushdown system.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// State-based Büchi automaton of the executions that violate the property.
    pub forbidden: Automaton,
    /// What its propositions mean, by index.
    pub atoms: Vec<Atom>,
    /// The formula itself, if the property was given as one.
    pub formula: Option<Formula>,
    /// What is doubtful about it, and where in its text.
    pub warnings: Vec<(Span, String)>,
    /// Points, sorted, that are only parts of a step: the automaton does not read them. Every
    /// cycle of control has others.
    pub silent: Vec<PointId>,
}

/// Why a property means nothing.
#[derive(Clone, Debug)]
pub enum TemporalError {
    Syntax(ParseError),
    /// A proposition at this place means nothing.
    Proposition(Span, PropertyError),
    /// A text is no automaton.
    Hoa(HoaError),
    /// A proposition of an automaton means nothing.
    Letter(PropertyError),
    /// There is no automaton of a reasonable size.
    Translation(TranslateError),
}

impl fmt::Display for TemporalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemporalError::Syntax(error) => error.fmt(f),
            TemporalError::Proposition(_, error) | TemporalError::Letter(error) => error.fmt(f),
            TemporalError::Hoa(error) => error.fmt(f),
            TemporalError::Translation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TemporalError {}

impl Temporal {
    /// The property that a formula states.
    pub fn from_formula<'s>(
        naming: impl Into<Naming<'s>>,
        text: &str,
    ) -> Result<Self, TemporalError> {
        let naming = naming.into();
        let subject = naming.subject;
        let Parsed { formula, warnings } = ltl2ba_rs::parse(text).map_err(TemporalError::Syntax)?;
        let atoms = formula
            .propositions()
            .iter()
            .map(|proposition| {
                naming
                    .proposition(proposition)
                    .map_err(|error| TemporalError::Proposition(proposition.span.clone(), error))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let forbidden = ltl2ba_rs::translate(&formula.negated(), &Options::default())
            .map_err(TemporalError::Translation)?;
        let mixes = warnings.into_iter();
        let mut warnings: Vec<_> = mixes
            .map(|warning| (warning.span.clone(), warning.to_string()))
            .collect();
        let propositions = formula.propositions().iter();
        warnings.extend(propositions.flat_map(|proposition| subject.warnings(proposition)));
        Ok(Temporal {
            forbidden,
            atoms,
            formula: Some(formula),
            warnings,
            silent: naming.silent(),
        })
    }

    /// Another formula over the same propositions.
    pub fn with_formula(&self, formula: Formula) -> Result<Self, TranslateError> {
        Ok(Temporal {
            forbidden: ltl2ba_rs::translate(&formula.negated(), &Options::default())?,
            atoms: self.atoms.clone(),
            formula: Some(formula),
            warnings: Vec::new(),
            silent: self.silent.clone(),
        })
    }

    /// The property that no execution is accepted by an automaton in the HOA format.
    pub fn from_hoa<'s>(naming: impl Into<Naming<'s>>, text: &str) -> Result<Self, TemporalError> {
        let naming = naming.into();
        let automaton = ltl2ba_rs::hoa::read(text).map_err(TemporalError::Hoa)?;
        let forbidden = ltl2ba_rs::degeneralized(&automaton, &Options::default())
            .map_err(TemporalError::Translation)?;
        let atoms = forbidden
            .propositions
            .iter()
            .map(|name| naming.text(name).map_err(TemporalError::Letter))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Temporal {
            forbidden,
            atoms,
            formula: None,
            warnings: Vec::new(),
            silent: naming.silent(),
        })
    }

    /// The variables that the property speaks of.
    pub fn observed(&self) -> Vec<Observed> {
        let mut observed: Vec<_> = self.atoms.iter().flat_map(Atom::observes).collect();
        observed.sort_unstable();
        observed.dedup();
        observed
    }

    /// The truth of every proposition in a configuration.
    pub fn letter(&self, subject: Subject<'_>, step: &Step) -> Vec<bool> {
        let atoms = self.atoms.iter();
        atoms.map(|atom| subject.holds(atom, step)).collect()
    }

    /// Whether a configuration is only a part of a step.
    pub fn is_silent(&self, step: &Step) -> bool {
        let at = step.at().map(PointId);
        at.is_some_and(|at| self.silent.binary_search(&at).is_ok())
    }

    /// Whether the infinite execution violates the property, by the definition of the
    /// formula, not by the automaton that was searched with. Where calls are folded, the
    /// automaton's runs are followed over them segment by segment.
    pub fn is_violated_by(&self, subject: Subject<'_>, trace: &Trace) -> bool {
        if !trace.segments.is_empty() {
            return super::run::accepts(self, subject, trace);
        }
        let letters = |steps: &[Step]| {
            let read = steps.iter().filter(|step| !self.is_silent(step));
            read.map(|step| self.letter(subject, step)).collect()
        };
        let word = Lasso {
            stem: letters(&trace.stem),
            cycle: letters(&trace.cycle),
        };
        // What is read in each round must be known.
        if word.cycle.is_empty() {
            return false;
        }
        match &self.formula {
            Some(formula) => !ltl2ba_rs::evaluate(formula, &word),
            None => ltl2ba_rs::accepts(&self.forbidden, &word),
        }
    }
}
