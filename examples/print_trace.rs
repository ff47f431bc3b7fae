//! Prints the calls on the way to a violated formula, with the values of what is passed:
//! `cargo run --example print_trace -- FILE FORMULA`

use derny::{Checker, Error, Model, TracePart};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or("examples/lock-broken.bp".into());
    let formula = arguments.next().unwrap_or("G !error".into());
    let model = Model::read(file)?;
    let report = Checker::new(&model).property(formula.parse()?).check()?;
    for trace in report.findings().filter_map(|finding| finding.trace()) {
        print(trace.stem(), 0);
        if !trace.cycle().is_empty() {
            println!("for ever:");
            print(trace.cycle(), 0);
        }
    }
    Ok(())
}

/// Prints where each frame is entered; `known` frames are on the stack already.
fn print(parts: &[TracePart<'_>], known: u64) {
    let mut depth = known;
    for part in parts {
        match part {
            TracePart::Step(step) => {
                if step.depth >= depth {
                    let values: Vec<String> = step
                        .locals()
                        .map(|(name, value)| format!("{name}={value}"))
                        .collect();
                    let (line, name) = (step.line, step.procedure);
                    println!("{line:>5} {name}({})", values.join(", "));
                }
                depth = step.depth + 1;
            }
            TracePart::Rounds { count, last } => {
                println!("      {count} rounds, the last:");
                print(last, depth);
            }
            other => println!("      {other:?}"),
        }
    }
}
