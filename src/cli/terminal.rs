//! What the terminal is like that standard output goes to.

use super::arguments::ColorArgument;
use std::io::IsTerminal;

/// How many characters a line may have: what `COLUMNS` says, or else the terminal; `None` if
/// there is neither.
pub fn width() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok();
    let told = told.and_then(|columns| columns.trim().parse().ok());
    let columns = told.filter(|columns| *columns > 0);
    columns.or_else(|| {
        let (_, columns) = console::Term::stdout().size_checked()?;
        Some(usize::from(columns)).filter(|_| std::io::stdout().is_terminal())
    })
}

/// Whether colours are wanted.
pub fn has_color(when: ColorArgument) -> bool {
    match when {
        ColorArgument::Always => true,
        ColorArgument::Never => false,
        ColorArgument::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            std::io::stdout().is_terminal() && !refused
        }
    }
}
