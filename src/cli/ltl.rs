//! `derny ltl`: the Büchi automaton of a formula.

use super::Exit;
use super::arguments::{AutomatonFormat, LtlArguments};
use super::console::Console;
use anyhow::bail;
use derny::Property;
use ltl2ba_rs::{Automaton, Options};
use std::io::Write;

pub fn run(arguments: &LtlArguments, console: &Console) -> anyhow::Result<Exit> {
    if arguments.generalized && arguments.format == AutomatonFormat::Never {
        bail!("a never claim has its acceptance on states: leave out --generalized");
    }
    let property = match arguments.formula.parse::<Property>() {
        Ok(property) => property,
        Err(error) => return Ok(console.complain(error)),
    };
    for warning in property.warnings() {
        console.say(|| warning.to_string(), [warning.notice()]);
    }
    let formula = ltl2ba_rs::parse(&arguments.formula)?.formula;
    let formula = match arguments.negate {
        true => formula.negated(),
        false => formula,
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
