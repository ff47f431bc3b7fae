//! `derny show`: the control-flow graph of a program.

use super::arguments::ShowArguments;
use super::input::Input;
use super::{Exit, input};
use crate::report::graph::{Graph, write_dot, write_listing};
use anyhow::bail;
use std::io::{BufWriter, Write};

pub fn run(arguments: &ShowArguments) -> anyhow::Result<Exit> {
    let language = input::language(&arguments.input)?;
    let source = input::read(&arguments.input)?;
    let program = match input::parse(source, language, &arguments.input) {
        Some(Input::Program(program)) => program,
        Some(Input::System(_)) => {
            bail!("`derny show` draws programs: the rules of a pushdown system are its graph")
        }
        None => return Ok(Exit::BadInput),
    };
    let graph = Graph::of(&program);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let written = match arguments.dot {
        true => write_dot(&graph, &mut out),
        false => write_listing(&graph, &mut out),
    };
    match written.and_then(|()| out.flush()) {
        // Whoever reads the first lines only has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Holds),
        other => other.map(|()| Exit::Holds).map_err(Into::into),
    }
}
