//! What a run may use, and what a signal does to it.

use super::Exit;
use super::arguments::LimitArguments;
use derny::{Cancellation, Limits};
use std::time::{Duration, Instant};

/// A signal sooner after the first one than this is the same wish to end: `timeout`, schedulers
/// and terminals signal a process and then its group, which is the process again.
const SAME_WISH: Duration = Duration::from_secs(1);

/// What a run may use. From now on a signal (Ctrl-C) asks it to end, so that it still says what
/// it has decided; one that comes a second later or more ends it at once.
pub fn limits(arguments: &LimitArguments) -> Limits {
    let cancellation = Cancellation::new();
    let mut limits = Limits::new().cancellation(&cancellation);
    if let Some(timeout) = arguments.timeout {
        limits = limits.timeout(timeout);
    }
    if let Some(mebibytes) = arguments.memory {
        limits = limits.memory(mebibytes.saturating_mul(1 << 20));
    }
    let mut first: Option<Instant> = None;
    // If there can be no handler, Ctrl-C simply ends the process.
    let _ = ctrlc::set_handler(move || {
        cancellation.cancel();
        if first.get_or_insert_with(Instant::now).elapsed() >= SAME_WISH {
            Exit::Unknown.now();
        }
    });
    limits
}
