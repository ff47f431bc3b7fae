//! How far a run has come, for those that last: a line that changes on a terminal, and if asked
//! for a line now and then in a log.

use derny::Progress;
use indicatif::ProgressBar;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Nothing is shown on a terminal before this.
const PATIENCE: Duration = Duration::from_secs(1);
/// How much time lies between two lines of a log.
const INTERVAL: Duration = Duration::from_secs(30);

/// Says on standard error what goes on.
pub enum ProgressLine {
    Silent,
    /// On a terminal.
    Bar(Option<ProgressBar>),
    /// In a log: when the next line is due.
    Log(Duration),
}

impl ProgressLine {
    /// On a terminal always, elsewhere if it is wanted.
    pub fn new(wanted: bool) -> Self {
        match std::io::stderr().is_terminal() {
            true => ProgressLine::Bar(None),
            false if wanted => ProgressLine::Log(INTERVAL),
            false => ProgressLine::Silent,
        }
    }

    /// To be called again and again.
    pub fn update(&mut self, progress: &Progress) {
        match self {
            ProgressLine::Bar(bar) if progress.elapsed >= PATIENCE => {
                let bar = bar.get_or_insert_with(ProgressBar::new_spinner);
                bar.set_message(line(progress));
                bar.tick();
            }
            ProgressLine::Log(due) => {
                let is_due = is_due(due, progress.elapsed);
                if is_due {
                    let _ = writeln!(std::io::stderr(), "progress: {}", line(progress));
                }
            }
            _ => {}
        }
    }

    pub fn finish(self) {
        if let ProgressLine::Bar(Some(bar)) = self {
            bar.finish_and_clear();
        }
    }
}

/// Whether it is time for a line of a log; then the next one is due later.
fn is_due(due: &mut Duration, elapsed: Duration) -> bool {
    let is_due = elapsed >= *due;
    while elapsed >= *due {
        *due += INTERVAL;
    }
    is_due
}

fn line(progress: &Progress) -> String {
    let (phase, seconds) = (progress.phase.name(), progress.elapsed.as_secs_f64());
    format!("{phase} {seconds:.0} s, {}", counters(progress))
}

/// The numbers that tell how far a run has come.
pub fn counters(progress: &Progress) -> String {
    let property = match progress.properties {
        0 => String::new(),
        all => format!("property {} of {all}, ", progress.property),
    };
    format!(
        "{property}{} of {} points reached, {} rounds, {} edges waiting, {} BDD nodes, {} MiB",
        progress.reached,
        progress.points,
        progress.rounds,
        progress.worklist,
        progress.nodes,
        progress.memory >> 20,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_log_every_half_minute() {
        let mut due = INTERVAL;
        let times = [0, 29, 30, 31, 59, 100, 101, 119, 120];
        let lines = times.map(|time| is_due(&mut due, Duration::from_secs(time)));
        let expected = [false, false, true, false, false, true, false, false, true];
        assert_eq!(lines, expected);
    }

    #[test]
    fn every_number_has_its_word() {
        let mut progress = Progress::default();
        progress.elapsed = Duration::from_secs(31);
        (progress.property, progress.properties) = (2, 5);
        (progress.reached, progress.points) = (3, 7);
        (progress.rounds, progress.worklist) = (11, 13);
        (progress.nodes, progress.memory) = (17, 19 << 20);
        let expected = "reading 31 s, property 2 of 5, 3 of 7 points reached, 11 rounds, \
                        13 edges waiting, 17 BDD nodes, 19 MiB";
        assert_eq!(line(&progress), expected);
    }
}
