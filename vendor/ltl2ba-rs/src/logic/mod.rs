//! Formulas as the translator sees them: negation normal form, simplified.

pub(crate) mod implication;
pub(crate) mod junctions;
pub(crate) mod normal_form;
pub(crate) mod suspension;
pub(crate) mod temporal;
pub(crate) mod terms;
