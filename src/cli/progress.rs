//! How far a run has come, for those that last: a line that changes on a terminal, and if asked
//! for a line now and then in a log.

use derny::{Phase, Progress, Reading};
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

    /// To be called again and again while the input is checked.
    pub fn update(&mut self, progress: &Progress) {
        self.say(progress.elapsed, || line(progress));
    }

    /// To be called again and again while the input is read.
    pub fn read(&mut self, reading: &Reading) {
        self.say(reading.elapsed, || reading_line(reading));
    }

    fn say(&mut self, elapsed: Duration, line: impl FnOnce() -> String) {
        match self {
            ProgressLine::Bar(bar) if elapsed >= PATIENCE => {
                let bar = bar.get_or_insert_with(ProgressBar::new_spinner);
                bar.set_message(line());
                bar.tick();
            }
            ProgressLine::Log(due) => {
                let is_due = is_due(due, elapsed);
                if is_due {
                    let _ = writeln!(std::io::stderr(), "progress: {}", line());
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

fn reading_line(reading: &Reading) -> String {
    let seconds = reading.elapsed.as_secs_f64();
    let (phase, done, word) = match reading.parsed {
        Some(parsed) => ("parsing", parsed, "parsed"),
        None => ("reading", reading.read, "read"),
    };
    match reading.length {
        Some(length) => format!("{phase} {seconds:.0} s, {done} of {length} bytes {word}"),
        None => format!("{phase} {seconds:.0} s, {done} bytes {word}"),
    }
}

/// The numbers that tell how far a run has come.
pub fn counters(progress: &Progress) -> String {
    let replay = match progress.phase {
        Phase::Replay => format!(
            "{} of {} steps replayed, ",
            progress.replayed, progress.steps
        ),
        _ => String::new(),
    };
    let property = match progress.properties {
        0 => String::new(),
        all => format!("property {} of {all}, ", progress.property),
    };
    let abstraction = match progress.abstractions {
        0 => String::new(),
        turn => format!(
            "boolean program {turn} of {} predicates, {} solver calls, ",
            progress.predicates, progress.solver_calls
        ),
    };
    format!(
        "{replay}{property}{abstraction}{} of {} points reached, {} rounds, {} edges waiting, {} BDD nodes, {} MiB",
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
        (progress.abstractions, progress.predicates) = (41, 43);
        progress.solver_calls = 47;
        let expected = "reading 31 s, property 2 of 5, boolean program 41 of 43 predicates, \
                        47 solver calls, 3 of 7 points reached";
        assert!(line(&progress).starts_with(expected));
        progress.abstractions = 0;
        progress.phase = Phase::Replay;
        (progress.replayed, progress.steps) = (23, 29);
        assert!(line(&progress).starts_with("replay 31 s, 23 of 29 steps replayed, property 2"));
        let mut reading = Reading::default();
        reading.read = 37;
        assert_eq!(reading_line(&reading), "reading 0 s, 37 bytes read");
        reading.length = Some(41);
        assert_eq!(reading_line(&reading), "reading 0 s, 37 of 41 bytes read");
        reading.parsed = Some(31);
        assert_eq!(reading_line(&reading), "parsing 0 s, 31 of 41 bytes parsed");
    }
}
