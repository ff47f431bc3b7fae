//! Checks formulas of a program: `cargo run --example check_formula -- FILE FORMULA...`
//!
//! Without arguments, one formula of `examples/lock.bp`.

use derny::{Checker, Model, Property};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or("examples/lock.bp".into());
    let mut formulas: Vec<String> = arguments.collect();
    if formulas.is_empty() {
        formulas.push("G (acquire -> F release)".into());
    }
    let model = Model::read(file)?;
    let properties: Result<Vec<Property>, _> = formulas.iter().map(|text| text.parse()).collect();
    let report = Checker::new(&model)
        .properties(properties?)
        .timeout(Duration::from_secs(10))
        .check()?;
    for finding in report.findings() {
        println!("{finding}");
    }
    let is_violated =
        |finding: derny::Finding<'_>| finding.verdict() == Some(derny::Verdict::Violated);
    Ok(match report.findings().any(is_violated) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}
