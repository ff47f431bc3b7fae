//! A worker does the work, this thread watches limits.
//!
//! A BDD operation cannot be stopped from outside. So when a limit has passed, the worker is
//! asked to stop, and if it does not soon, the report is made without it and the process
//! ends over its head.

use super::limits::Limits;
use super::progress::Progress;
use crate::check::Board;
use crate::report::Reason;
use crate::watch::Watch;
use anyhow::Context;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The worker's stack: BDD operations recurse once for each BDD variable.
const WORKER_STACK: usize = 1 << 30;
/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long the worker may take to stop by itself.
const GRACE: Duration = Duration::from_millis(400);

/// How the worker ended.
pub enum Ended<T> {
    Done(T),
    Panicked,
    /// It did not, in time.
    Late,
}

/// Runs `work` until it is done or a limit has passed; then also says which one. After that
/// the worker may still run.
pub fn run<T: Send + 'static>(
    limits: &Limits,
    watch: &Watch,
    board: &Board,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<(Ended<T>, Option<Reason>)> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name("worker".into())
        .stack_size(WORKER_STACK)
        .spawn(move || {
            let done = work();
            // Nobody listens any more if a limit has passed.
            let _ = sender.send(done);
        })
        .context("cannot start a thread")?;
    if let Some(reason) = limits.passed() {
        // Passed before anything was done; the worker is not waited for.
        watch.cancel();
        return Ok((Ended::Late, Some(reason)));
    }
    let mut progress = Progress::new();
    let ended = loop {
        match receiver.recv_timeout(TICK) {
            Ok(done) => break (Ended::Done(done), None),
            Err(RecvTimeoutError::Disconnected) => break (Ended::Panicked, None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(reason) = limits.passed() {
            watch.cancel();
            let ended = match receiver.recv_timeout(GRACE) {
                Ok(done) => Ended::Done(done),
                Err(RecvTimeoutError::Disconnected) => Ended::Panicked,
                Err(RecvTimeoutError::Timeout) => Ended::Late,
            };
            break (ended, Some(reason));
        }
        progress.update(board, watch);
    };
    progress.finish();
    Ok(ended)
}
