//! `derny check`: reads, checks, reports. What was found before a limit passed is reported.

use super::arguments::{CheckArguments, Format};
use super::console::{Console, notices, print};
use super::limits::limits;
use super::progress::{ProgressLine, counters};
use super::replacement::Replacement;
use super::{ADVICE, Exit, input, properties, terminal};
use anyhow::{Context, bail};
use derny::{
    Checker, Direction, Error, Event, Limits, Model, Notice, Order, OrderError, Property, Reason,
    Report, Solver, TextStyle, Verdict,
};
use std::io::Write;
use std::path::PathBuf;
use std::time::SystemTime;

pub fn run(arguments: CheckArguments, console: &Console) -> anyhow::Result<Exit> {
    let prepare = |file: &Option<PathBuf>| file.as_deref().map(Replacement::prepare).transpose();
    let (page, sarif) = (
        prepare(&arguments.files.html)?,
        prepare(&arguments.files.sarif)?,
    );
    let witness = prepare(&arguments.files.witness)?;
    let report = match examine(&arguments, console) {
        Ok(report) => report.advise(ADVICE),
        Err(error) => {
            if let Some(sarif) = sarif {
                sarif.write(|out| write_sarif_of(&error, &arguments, out))?;
            }
            return complain(error, &arguments, console);
        }
    };
    let exit = show(&arguments, &report, console)?;
    if let Some(page) = page {
        page.write(|out| report.write_html(out))?;
    }
    if let Some(sarif) = sarif {
        sarif.write(|out| report.write_sarif(out))?;
    }
    if let Some(witness) = witness {
        let mut text = Vec::new();
        match report.write_witness(SystemTime::now(), &mut text)? {
            true => witness.write(|out| out.write_all(&text))?,
            false if arguments.no_trace && exit == Exit::Violated => console
                .warn("there is no witness of a violation without its trace: leave out --no-trace"),
            false => console.warn(
                "there is no witness: no violation of a C program was found that ends, and \
                     predicates have proved nothing",
            ),
        }
    }
    exit.now()
}

/// Reads the input and checks it.
fn examine(arguments: &CheckArguments, console: &Console) -> anyhow::Result<Report> {
    let limits = limits(&arguments.limits);
    let language = match arguments.algorithm {
        Some(_) => input::plain_language(&arguments.input)?,
        None => input::language(&arguments.input)?,
    };
    let mut asked = properties::properties(arguments, language, console)?;
    let mut progress = ProgressLine::new(arguments.progress);
    let (input, rules) = (&arguments.input, &arguments.slic);
    let model = input::read_within(input, rules, language, &limits, &mut progress, console);
    match model {
        Ok(model) => {
            if model.has_threads() {
                allowed_with_threads(arguments)?;
            }
            properties::add_each_assertion(arguments, &model, &mut asked, console)?;
            check(
                arguments,
                &model,
                &asked.properties,
                &limits,
                progress,
                console,
            )
        }
        Err(Error::Stopped(reason)) => {
            let name = input::name(&arguments.input);
            let report = Report::unread(name, &asked.properties, reason, &limits);
            Ok(report.with_statistics(arguments.stats))
        }
        Err(error) => Err(error.into()),
    }
}

/// Of a program with threads, not everything can be asked.
fn allowed_with_threads(arguments: &CheckArguments) -> anyhow::Result<()> {
    let refused = [
        ("--ltl", !arguments.ltl.is_empty()),
        ("--spec", !arguments.spec.is_empty()),
        ("--never", !arguments.never.is_empty()),
        ("--terminates", arguments.terminates),
    ];
    if let Some((option, _)) = refused.iter().find(|(_, is_given)| *is_given) {
        bail!(
            "{option} is not for programs with threads: they can be asked whether labels are \
             reached (--reach) and whether assertions fail (--assertions, --each-assertion)"
        );
    }
    if arguments.search == Direction::Backward {
        bail!("--search backward is not for programs with threads: they are searched forward");
    }
    let is_bounded = arguments.switches.is_some() || arguments.rounds.is_some();
    let algorithm = arguments.algorithm.as_ref();
    let is_shipped = algorithm.is_some_and(|name| Solver::algorithms().any(|known| known == name));
    if is_shipped && !is_bounded && arguments.input.numbers()?.is_empty() {
        bail!("--algorithm needs a bound for programs with threads: --switches K or --rounds R");
    }
    Ok(())
}

/// Says why there is no report.
fn complain(
    error: anyhow::Error,
    arguments: &CheckArguments,
    console: &Console,
) -> anyhow::Result<Exit> {
    match error.downcast::<Error>()? {
        error @ Error::Order(_) => {
            let order = &arguments.order;
            let text = format!("error: {order}: {error}\n");
            console.say(|| text, order_notices(&error, arguments));
            Ok(Exit::BadInput)
        }
        error => Ok(console.complain(error)),
    }
}

/// What is wrong with the order of variables, in the file that it stands in.
fn order_notices(error: &Error, arguments: &CheckArguments) -> Vec<Notice> {
    let notices = error.notices().into_iter();
    notices
        .map(|notice| notice.in_file(&arguments.order))
        .collect()
}

fn write_sarif_of(
    error: &anyhow::Error,
    arguments: &CheckArguments,
    out: impl Write,
) -> std::io::Result<()> {
    let input = input::name(&arguments.input);
    match error.downcast_ref::<Error>() {
        Some(error @ Error::Order(_)) => {
            Notice::write_sarif(&order_notices(error, arguments), &input, out)
        }
        Some(error) => error.write_sarif(&input, out),
        None => Notice::write_sarif(&notices(error), &input, out),
    }
}

fn check(
    arguments: &CheckArguments,
    model: &Model,
    properties: &[Property],
    limits: &Limits,
    mut progress: ProgressLine,
    console: &Console,
) -> anyhow::Result<Report> {
    let mut checker = Checker::new(model)
        .properties(properties.iter().cloned())
        .limits(limits)
        .engine(arguments.engine)
        .direction(arguments.search)
        .trace(!arguments.no_trace)
        .watches(arguments.watch.iter().cloned())
        .trace_limit(arguments.trace_limit)
        .order(order(&arguments.order)?)
        .acceleration(arguments.accelerate)
        .cycles(arguments.cycles)
        .rough_components(!arguments.no_rough_components)
        .max_switches(arguments.max_switches)
        .measure(arguments.stats)
        .leak_memory();
    checker = arguments.abstraction.apply(checker)?;
    checker = checker.invariants(arguments.files.witness.is_some());
    if let Some(most) = arguments.switches {
        checker = checker.switches(most);
    }
    if let Some(most) = arguments.rounds {
        checker = checker.rounds(most);
    }
    if let Some(jobs) = arguments.jobs {
        checker = checker.jobs(jobs);
    }
    if arguments.show_order {
        checker = checker.show_order();
    }
    if let Some(algorithm) = &arguments.algorithm {
        let text = match Solver::algorithms().any(|name| name == algorithm) {
            true => None,
            false => Some(std::fs::read(algorithm).with_context(|| {
                let names: Vec<_> = Solver::algorithms().collect();
                let names = names.join(", ");
                format!(
                    "cannot read the algorithm `{algorithm}` (it is no file, nor one of {names})"
                )
            })?),
        };
        checker = checker.algorithm(algorithm, text)?;
        for (name, value) in arguments.input.numbers()? {
            checker = checker.define(name, value);
        }
    }
    let report = checker.observe(|event| match event {
        Event::Explanation(_) if !arguments.explain => {}
        Event::Explanation(text) | Event::Order(text) => {
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        event => console.observe(event, &mut progress),
    });
    let report = report.check();
    progress.finish();
    Ok(report.map_err(|mut error| {
        if let Error::Order(OrderError::Unknown { suggestion, .. }) = &mut error {
            suggestion.get_or_insert_with(|| "`--show-order` lists them all".to_owned());
        }
        error
    })?)
}

/// The variable order that was asked for.
fn order(name: &str) -> anyhow::Result<Order> {
    match name {
        "interleaved" => Ok(Order::Interleaved),
        "sequential" => Ok(Order::Sequential),
        file => {
            let text = std::fs::read_to_string(file);
            let text = text.with_context(|| {
                format!(
                    "cannot read the order `{file}` (it is no file, `interleaved` or `sequential`)"
                )
            })?;
            Ok(Order::Given(text))
        }
    }
}

fn show(arguments: &CheckArguments, report: &Report, console: &Console) -> anyhow::Result<Exit> {
    for warning in report.warnings() {
        console.warn(warning);
    }
    print("the results", |out| match arguments.format {
        Format::Json => report.write_json(out),
        Format::Text => report.write_styled_text(&style(arguments), out),
    })?;
    if arguments.format == Format::Text {
        arguments.abstraction.show(report)?;
    }
    if arguments.stats && arguments.format == Format::Text {
        let _ = report.write_statistics(std::io::stderr());
    }
    if report.reason() == Some(Reason::Interrupted) {
        summarize(report);
    }
    let verdicts = || report.findings().map(|finding| finding.verdict());
    Ok(if verdicts().any(|v| v == Some(Verdict::Violated)) {
        Exit::Violated
    } else if verdicts().any(|v| v.is_none()) {
        Exit::Unknown
    } else {
        Exit::Holds
    })
}

/// How text is laid out here.
fn style(arguments: &CheckArguments) -> TextStyle {
    let mut style = TextStyle::default()
        .choices(arguments.choices)
        .columns(arguments.columns)
        .color(terminal::has_color(arguments.color));
    if let Some(width) = terminal::width() {
        style = style.width(width);
    }
    match arguments.fold {
        Some(depth) => style.fold(depth),
        None => style,
    }
}

/// What was done before Ctrl-C.
fn summarize(report: &Report) {
    let (progress, sizes) = (report.progress(), report.statistics());
    let _ = writeln!(
        std::io::stderr(),
        "interrupted after {:.1} s in phase {}: {} control points, {} rules, {}",
        progress.elapsed.as_secs_f64(),
        progress.phase.name(),
        sizes.points,
        sizes.rules,
        counters(progress),
    );
}
