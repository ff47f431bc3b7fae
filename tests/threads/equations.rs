//! The shipped equations about threads against the twin.

use super::{cheapest, generator, read};
use derny::internals::explicit::Budget;
use derny::internals::explicit::threads::{Measure, explore};
use derny::{Language, Limits, Model, Property, Solver};
use std::time::Duration;

/// Asks `cbr` and `rounds` within each bound about the last label of a program and about its
/// assertions. Gives how often something is reached and how often not, where that is known.
pub fn ask_all(generated: &generator::Program) -> Result<[usize; 2], String> {
    let program = read(&generated.text);
    let model = Model::parse(Language::BooleanProgram, generated.text.as_str());
    let model = model.map_err(|error| error.to_string())?;
    let budget = Budget::states(10_000);
    let label = generated.labels.last().map(String::as_str);
    let mut tally = [0; 2];
    for (measure, bounds) in [(Measure::Switches, 0..=3), (Measure::Rounds, 1..=2)] {
        let twin = explore(&program, measure, 4, budget).map_err(|error| error.to_string())?;
        for most in bounds {
            for question in label.into_iter().chain(["!"]) {
                let is_exact = twin.is_complete || twin.exact.is_some_and(|exact| exact >= most);
                let expected = match cheapest(&program, &twin, question) {
                    Some(found) if found.bound <= most => true,
                    _ if is_exact => false,
                    _ => continue,
                };
                let reached = decide(&model, question, measure, most)?;
                if reached != expected {
                    return Err(format!(
                        "{question}, {measure:?} within {most}: {reached} by equations, \
                         {expected} by the twin"
                    ));
                }
                tally[usize::from(!reached)] += 1;
            }
        }
    }
    Ok(tally)
}

/// What the equations say.
fn decide(model: &Model, question: &str, measure: Measure, most: u32) -> Result<bool, String> {
    let (name, parameter) = match measure {
        Measure::Switches => ("cbr", "K"),
        Measure::Rounds => ("rounds", "R"),
    };
    let target = match question {
        "!" => Property::assertions(),
        label => Property::reach(label),
    };
    let solver = Solver::shipped(model, name).ok_or("it is not shipped")?;
    let timeout = Duration::from_secs(120);
    // (All of the process counts, with what earlier programs have left behind.)
    let limits = Limits::new().memory(1 << 30).timeout(timeout);
    let solver = solver.define(parameter, i128::from(most)).limits(&limits);
    let solution = solver.target(target).solve();
    let solution = solution.map_err(|error| error.to_string())?;
    let value = solution.query("reach");
    value.ok_or_else(|| format!("no value: {:?}", solution.reason()))
}
