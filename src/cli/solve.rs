//! `derny solve`: relations that equations define over a program.

use super::arguments::{Format, SolveArguments};
use super::console::Console;
use super::limits::limits;
use super::progress::ProgressLine;
use super::{ADVICE, Exit, input};
use anyhow::{Context, anyhow, bail};
use derny::{Error, Event, Language, Property, Solution, Solver};
use std::io::{BufWriter, Write};

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
    let model = input::read(
        &arguments.input,
        language,
        Some(&limits),
        &mut progress,
        console,
    );
    let model = match model {
        Ok(model) => model,
        Err(Error::Stopped(reason)) => {
            let exit = show(&Solution::unread(reason).advise(ADVICE), arguments)?;
            std::process::exit(exit as i32);
        }
        Err(error) => return Ok(console.complain(error)),
    };
    let name = file.to_string_lossy();
    let mut solver = Solver::new(&model, name, equations)
        .limits(&limits)
        .most(arguments.most)
        .measure(arguments.stats);
    for (name, value) in &arguments.input.defines {
        solver = solver.define(name, *value);
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
    let solution = solver.observe(|event| match event {
        Event::Diagnostics(warnings) => console.show(&warnings),
        Event::Progress(state) => progress.update(&state),
        _ => {}
    });
    let solution = solution.solve();
    progress.finish();
    let exit = match solution {
        Ok(solution) => show(&solution.advise(ADVICE), arguments)?,
        Err(error) => return Ok(console.complain(error)),
    };
    // The worker may still run, and freeing what it made would only take time.
    std::process::exit(exit as i32);
}

fn show(solution: &Solution, arguments: &SolveArguments) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match arguments.format {
        Format::Text => solution.write_text(&mut out),
        Format::Json => solution.write_json(&mut out),
    };
    match written.and_then(|()| out.flush()) {
        // A reader that has seen enough does not change the answer.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(anyhow!("cannot write the result: {error}"));
        }
        _ => {}
    }
    if arguments.stats && arguments.format == Format::Text {
        let _ = solution.write_statistics(std::io::stderr());
    }
    Ok(match solution.reason() {
        Some(_) => Exit::Unknown,
        None => Exit::Holds,
    })
}
