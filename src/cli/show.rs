//! `derny show`: the control-flow graph of a program, or the rules of a pushdown system as a graph.

use super::arguments::ShowArguments;
use super::console::Console;
use super::progress::ProgressLine;
use super::{Exit, input};
use anyhow::bail;
use derny::Language;
use std::io::{BufWriter, Write};

pub fn run(arguments: &ShowArguments, console: &Console) -> anyhow::Result<Exit> {
    let language = input::language(&arguments.input)?;
    let model = match input::read(
        &arguments.input,
        language,
        None,
        &mut ProgressLine::Silent,
        console,
    ) {
        Ok(model) => model,
        Err(error) => return Ok(console.complain(error)),
    };
    let mut graph = model.graph();
    if let Some(procedure) = &arguments.procedure {
        let Some(one) = graph.procedure(procedure) else {
            let what = match language {
                Language::PushdownSystem => "symbol",
                Language::BooleanProgram | Language::Remopla => "procedure",
            };
            bail!("there is no {what} `{procedure}`: `derny show --calls` lists all of them");
        };
        graph = one;
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match (arguments.calls, arguments.dot) {
        (true, true) => graph.write_calls_dot(&mut out),
        (true, false) => graph.write_calls(&mut out),
        (false, true) => graph.write_dot(&mut out),
        (false, false) => graph.write_text(&mut out),
    };
    match written.and_then(|()| out.flush()) {
        // Whoever reads the first lines only has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Holds),
        other => other.map(|()| Exit::Holds).map_err(Into::into),
    }
}
