//! `derny translate`: a program as a symbolic pushdown system.

use super::arguments::InputArguments;
use super::input::Input;
use super::{Exit, input};
use crate::translate::translate;
use anyhow::bail;
use std::io::Write;

pub fn run(arguments: &InputArguments) -> anyhow::Result<Exit> {
    let language = input::language(arguments)?;
    let source = input::read(arguments)?;
    let program = match input::parse(source.clone(), language, arguments) {
        Some(Input::Program(program)) => program,
        Some(Input::System(_)) => bail!(
            "{}: `derny translate` writes programs as pushdown systems, and this is one already",
            input::name(arguments)
        ),
        None => return Ok(Exit::BadInput),
    };
    match translate(&program) {
        Ok(translation) => {
            let mut out = std::io::stdout().lock();
            out.write_all(translation.text.as_bytes())?;
            out.flush()?;
            Ok(Exit::Holds)
        }
        Err(wrong) => {
            input::complain(&source, &[wrong]);
            Ok(Exit::BadInput)
        }
    }
}
