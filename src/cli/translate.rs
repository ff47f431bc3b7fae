//! `derny translate`: a program as a symbolic pushdown system.

use super::console::Console;
use super::input_arguments::InputArguments;
use super::{Exit, input};
use anyhow::bail;
use derny::Language;
use std::io::Write;

pub fn run(arguments: &InputArguments, console: &Console) -> anyhow::Result<Exit> {
    let language = input::language(arguments)?;
    let model = input::read(arguments, language, console);
    if model.is_ok() && language == Language::PushdownSystem {
        bail!(
            "{}: `derny translate` writes programs as pushdown systems, and this is one already",
            input::name(arguments)
        );
    }
    match model.and_then(|model| model.translate()) {
        Ok(text) => {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
            Ok(Exit::Holds)
        }
        Err(error) => Ok(console.complain(error)),
    }
}
