//! Progress on a terminal, for checks that last.

use derny::Progress;
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::time::Duration;

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on standard error that says what goes on; silent if that is no terminal.
pub struct ProgressLine {
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl ProgressLine {
    pub fn new() -> Self {
        ProgressLine {
            wanted: std::io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// To be called again and again.
    pub fn update(&mut self, progress: &Progress) {
        if !self.wanted || progress.elapsed < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(ProgressBar::new_spinner);
        bar.set_message(format!(
            "{} {:.0} s, {} edges waiting, {} BDD nodes",
            progress.phase.name(),
            progress.elapsed.as_secs_f64(),
            progress.worklist,
            progress.nodes,
        ));
        bar.tick();
    }

    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
