//! `derny post` and `derny pre`: sets of configurations.

use super::arguments::{PostArguments, PreArguments, SetArguments, SetFormat};
use super::console::{Console, print};
use super::limits::limits;
use super::progress::ProgressLine;
use super::{ADVICE, Exit, input};
use anyhow::bail;
use derny::{Error, Limits, Model, SetQuery, SetReport};

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
    let model = input::read_within(
        &arguments.input,
        &[],
        language,
        &limits,
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
    exit.now()
}

fn ask(
    query: SetQuery<'_>,
    model: &Model,
    limits: &Limits,
    mut progress: ProgressLine,
    console: &Console,
) -> Result<SetReport, Error> {
    let query = query.limits(limits);
    let query = query.observe(|event| console.observe(event, &mut progress));
    let report = query.ask(model);
    progress.finish();
    report
}

fn show(report: &SetReport, format: SetFormat) -> anyhow::Result<Exit> {
    print("the result", |out| match format {
        SetFormat::Text => report.write_text(out),
        SetFormat::Json => report.write_json(out),
        SetFormat::Dot => report.write_dot(out),
    })?;
    Ok(match (report.contains(), report.reason()) {
        (_, Some(_)) => Exit::Unknown,
        (Some(false), None) => Exit::Violated,
        (Some(true) | None, None) => Exit::Holds,
    })
}
