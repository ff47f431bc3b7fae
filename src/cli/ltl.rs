//! `derny ltl`: the Büchi automaton of a formula.

use super::Exit;
use super::arguments::{AutomatonFormat, LtlArguments};
use anyhow::bail;
use ltl2ba_rs::{Automaton, Options};
use std::io::Write;

pub fn run(arguments: &LtlArguments) -> anyhow::Result<Exit> {
    if arguments.generalized && arguments.format == AutomatonFormat::Never {
        bail!("a never claim has its acceptance on states: leave out --generalized");
    }
    let parsed = match ltl2ba_rs::parse(&arguments.formula) {
        Ok(parsed) => parsed,
        Err(error) => {
            let text = error.render(&arguments.formula);
            let _ = std::io::stderr().write_all(text.as_bytes());
            return Ok(Exit::BadInput);
        }
    };
    for warning in &parsed.warnings {
        let text = warning.render(&arguments.formula);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    let formula = match arguments.negate {
        true => parsed.formula.negated(),
        false => parsed.formula,
    };
    let name = formula.to_string();
    let options = Options::default();
    let automaton = match arguments.generalized {
        true => ltl2ba_rs::translate_generalized(&formula, &options)?,
        false => ltl2ba_rs::translate(&formula, &options)?,
    };
    let text = match arguments.format {
        AutomatonFormat::Hoa => automaton.to_hoa(&name),
        AutomatonFormat::Dot => automaton.to_dot(&name),
        AutomatonFormat::Never => automaton.to_never(&name),
        AutomatonFormat::Text => describe(&automaton, &formula.parenthesized()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Holds)
}

fn describe(automaton: &Automaton, formula: &str) -> String {
    format!(
        "formula        {formula}\nstates         {}\nedges          {}\nacceptance     {}\nclass          {}\ndeterministic  {}\n",
        automaton.states,
        automaton.edges.len(),
        match (automaton.state_based, automaton.acceptance_sets) {
            (true, _) => "Büchi, on states".to_owned(),
            (false, 1) => "Büchi, on edges".to_owned(),
            (false, sets) => format!("generalised Büchi, {sets} sets on edges"),
        },
        automaton.class(),
        match automaton.is_deterministic() {
            true => "yes",
            false => "no",
        },
    )
}
