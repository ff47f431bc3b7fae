//! `derny post` and `derny pre`: sets of configurations.

use super::arguments::{PostArguments, PreArguments, SetArguments, SetFormat};
use super::console::Console;
use super::limits::limits;
use super::progress::ProgressLine;
use super::{ADVICE, Exit, input};
use anyhow::{anyhow, bail};
use derny::{Error, Event, Limits, Model, SetQuery, SetReport};
use std::io::{BufWriter, Write};

pub fn post(arguments: PostArguments, console: &Console) -> anyhow::Result<Exit> {
    let query = SetQuery::post().titles("--from", "--contains");
    run(query, &arguments.sets, &arguments.from, console)
}

pub fn pre(arguments: PreArguments, console: &Console) -> anyhow::Result<Exit> {
    let query = SetQuery::pre().titles("--to", "--contains");
    run(query, &arguments.sets, &arguments.to, console)
}

fn run(
    mut query: SetQuery<'_>,
    arguments: &SetArguments,
    sets: &[String],
    console: &Console,
) -> anyhow::Result<Exit> {
    let limits = limits(&arguments.limits);
    if arguments.format == SetFormat::Dot && (arguments.count || arguments.contains.is_some()) {
        bail!("--format dot is for the whole automaton: leave out --count and --contains");
    }
    for set in sets {
        query = query.set(set);
    }
    if let Some(configurations) = &arguments.contains {
        query = query.contains(configurations);
    } else if arguments.count {
        query = query.count();
    } else if arguments.format == SetFormat::Json {
        query = query.with_diagrams();
    }
    let language = input::language(&arguments.input)?;
    let mut progress = ProgressLine::new(arguments.progress);
    let model = input::read(
        &arguments.input,
        language,
        Some(&limits),
        &mut progress,
        console,
    );
    let report = match model {
        Ok(model) => ask(query, &model, &limits, progress, console),
        Err(Error::Stopped(reason)) => Ok(query.unknown(&input::name(&arguments.input), reason)),
        Err(error) => Err(error),
    };
    let exit = match report {
        Ok(mut report) => {
            if let Some(procedure) = &arguments.procedure {
                report = report.of_procedure(procedure);
            }
            show(&report.advise(ADVICE), arguments.format)?
        }
        Err(error) => return Ok(console.complain(error)),
    };
    // The worker may still run, and freeing what it made would only take time.
    std::process::exit(exit as i32);
}

fn ask(
    query: SetQuery<'_>,
    model: &Model,
    limits: &Limits,
    mut progress: ProgressLine,
    console: &Console,
) -> Result<SetReport, Error> {
    let report = query.limits(limits).observe(|event| match event {
        Event::Diagnostics(warnings) => console.show(&warnings),
        Event::Progress(state) => progress.update(&state),
        _ => {}
    });
    let report = report.ask(model);
    progress.finish();
    report
}

fn show(report: &SetReport, format: SetFormat) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match format {
        SetFormat::Text => report.write_text(&mut out),
        SetFormat::Json => report.write_json(&mut out),
        SetFormat::Dot => report.write_dot(&mut out),
    };
    match written.and_then(|()| out.flush()) {
        // A reader that has seen enough does not change the answer.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(anyhow!("cannot write the result: {error}"));
        }
        _ => {}
    }
    Ok(match (report.contains(), report.reason()) {
        (_, Some(_)) => Exit::Unknown,
        (Some(false), None) => Exit::Violated,
        (Some(true) | None, None) => Exit::Holds,
    })
}
