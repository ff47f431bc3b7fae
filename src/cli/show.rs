//! `derny show`: the control-flow graph of a program, or the rules of a pushdown system as a graph.

use super::arguments::ShowArguments;
use super::console::{Console, print};
use super::{Exit, input};
use anyhow::bail;
use derny::Language;

pub fn run(arguments: &ShowArguments, console: &Console) -> anyhow::Result<Exit> {
    let language = input::language(&arguments.input)?;
    let model = match input::read(&arguments.input, language, console) {
        Ok(model) => model,
        Err(error) => return Ok(console.complain(error)),
    };
    let mut graph = model.graph();
    if let Some(procedure) = &arguments.procedure {
        let Some(one) = graph.procedure(procedure) else {
            let what = match language {
                Language::PushdownSystem => "symbol",
                Language::BooleanProgram | Language::Remopla | Language::C => "procedure",
            };
            bail!("there is no {what} `{procedure}`: `derny show --calls` lists all of them");
        };
        graph = one;
    }
    print("the graph", |out| match (arguments.calls, arguments.dot) {
        (true, true) => graph.write_calls_dot(out),
        (true, false) => graph.write_calls(out),
        (false, true) => graph.write_dot(out),
        (false, false) => graph.write_text(out),
    })?;
    Ok(Exit::Holds)
}
