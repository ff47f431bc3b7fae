//! Progress on a terminal, for checks that last.

use crate::check::Board;
use crate::watch::Watch;
use indicatif::ProgressBar;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Nothing is shown before this.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on standard error that says what goes on; silent if that is no terminal.
pub struct Progress {
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Self {
        Progress {
            wanted: std::io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// To be called again and again.
    pub fn update(&mut self, board: &Board, watch: &Watch) {
        if !self.wanted || board.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(ProgressBar::new_spinner);
        let phase = board.phase().map_or("starting", |phase| phase.name());
        bar.set_message(format!(
            "{phase} {:.0} s, {} edges waiting, {} BDD nodes",
            board.elapsed().as_secs_f64(),
            watch.worklist.load(Ordering::Relaxed),
            watch.nodes.load(Ordering::Relaxed),
        ));
        bar.tick();
    }

    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
