//! `derny solve`: relations that equations define over a program.

use super::arguments::{Format, SolveArguments};
use super::console::{Console, print};
use super::limits::limits;
use super::progress::ProgressLine;
use super::{ADVICE, Exit, input};
use anyhow::{Context, bail};
use derny::{Error, Language, Property, Solution, Solver};

pub fn run(arguments: &SolveArguments, console: &Console) -> anyhow::Result<Exit> {
    let limits = limits(&arguments.limits);
    let file = &arguments.equations;
    let equations = std::fs::read(file);
    let equations = equations.with_context(|| format!("cannot read {}", file.display()))?;
    let language = input::plain_language(&arguments.input)?;
    if language != Language::BooleanProgram {
        bail!("`derny solve` is for boolean programs (.bp)");
    }
    let mut progress = ProgressLine::new(arguments.progress);
    let model = input::read_within(
        &arguments.input,
        &[],
        language,
        &limits,
        &mut progress,
        console,
    );
    let model = match model {
        Ok(model) => model,
        Err(Error::Stopped(reason)) => {
            let relations = arguments.count.iter().chain(&arguments.list);
            let solution = Solver::unread(equations, relations, reason);
            show(&solution.advise(ADVICE), arguments)?.now();
        }
        Err(error) => return Ok(console.complain(error)),
    };
    let name = file.to_string_lossy();
    let mut solver = Solver::new(&model, name, equations)
        .limits(&limits)
        .most(arguments.most)
        .measure(arguments.stats);
    for (name, value) in arguments.input.numbers()? {
        solver = solver.define(name, value);
    }
    if let Some(label) = &arguments.reach {
        solver = solver.target(Property::reach(label));
    } else if arguments.assertions {
        solver = solver.target(Property::assertions());
    }
    for relation in &arguments.count {
        solver = solver.count(relation);
    }
    for relation in &arguments.list {
        solver = solver.list(relation);
    }
    let solver = solver.observe(|event| console.observe(event, &mut progress));
    let solution = solver.solve();
    progress.finish();
    let exit = match solution {
        Ok(solution) => show(&solution.advise(ADVICE), arguments)?,
        Err(error) => return Ok(console.complain(error)),
    };
    exit.now()
}

fn show(solution: &Solution, arguments: &SolveArguments) -> anyhow::Result<Exit> {
    print("the result", |out| match arguments.format {
        Format::Text => solution.write_text(out),
        Format::Json => solution.write_json(out),
    })?;
    if arguments.stats && arguments.format == Format::Text {
        let _ = solution.write_statistics(std::io::stderr());
    }
    Ok(match solution.reason() {
        Some(_) => Exit::Unknown,
        None => Exit::Holds,
    })
}
