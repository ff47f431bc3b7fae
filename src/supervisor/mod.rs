//! A worker thread does the work, the calling thread supervises it: limits, cancellation,
//! events, progress.
//!
//! The worker has a large stack, since BDD operations recurse once for each BDD variable. A
//! BDD operation that is under way cannot be stopped from outside. So when a limit has
//! passed, the worker is asked to stop, and if it does not soon, the caller goes on without
//! it; it ends by itself after that operation.

mod limits;

pub(crate) use limits::{Bounds, resident_memory};
pub use limits::{Cancellation, Limits};

use crate::error::{Error, Reason};
use crate::watch::Watch;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The worker's stack: BDD operations recurse once for each BDD variable.
const WORKER_STACK: usize = 1 << 30;
/// A block of memory that glibc maps by itself, and the largest one from which it learns (its
/// `DEFAULT_MMAP_THRESHOLD_MAX`, less its own header).
const LARGE_BLOCK: usize = (32 << 20) - (64 << 10);
/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long the worker may take to stop by itself.
const GRACE: Duration = Duration::from_millis(400);

/// How a run ended.
pub(crate) enum Outcome<T> {
    Done(T),
    /// A limit has passed. The worker's result, if it stopped by itself soon after.
    Stopped(Reason, Option<T>),
}

/// What the worker sends.
enum Message<E, T> {
    Event(E),
    Done(T),
}

/// Where the worker reports events to.
pub(crate) struct Reporter<'s, E>(&'s dyn Fn(E));

impl<E> Reporter<'_, E> {
    pub fn report(&self, event: E) {
        (self.0)(event);
    }
}

/// Runs `work` until it is done or a limit has passed. Events are handed to `observe` on the
/// calling thread, and `None` now and then in between.
pub(crate) fn run<E: Send + 'static, T: Send + 'static>(
    bounds: &Bounds,
    watch: &Watch,
    mut observe: impl FnMut(Option<E>),
    work: impl FnOnce(&Reporter<'_, E>) -> T + Send + 'static,
) -> Result<Outcome<T>, Error> {
    let (sender, receiver) = channel();
    keep_freed_memory();
    std::thread::Builder::new()
        .name("derny".into())
        .stack_size(WORKER_STACK)
        .spawn(move || perform(&sender, work))
        .map_err(Error::Thread)?;
    let panicked = || Error::Internal("the check panicked".into());
    if let Some(reason) = bounds.passed() {
        // Passed before anything was done; the worker is not waited for.
        watch.cancel();
        return Ok(Outcome::Stopped(reason, None));
    }
    let mut stopped: Option<(Reason, Instant)> = None;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Message::Event(event)) => observe(Some(event)),
            Ok(Message::Done(done)) => {
                return Ok(match stopped {
                    None => Outcome::Done(done),
                    Some((reason, _)) => Outcome::Stopped(reason, Some(done)),
                });
            }
            Err(RecvTimeoutError::Disconnected) => return Err(panicked()),
            Err(RecvTimeoutError::Timeout) => observe(None),
        }
        match stopped {
            None => {
                stopped = bounds.passed().map(|reason| (reason, Instant::now()));
                if stopped.is_some() {
                    watch.cancel();
                }
            }
            Some((reason, since)) if since.elapsed() >= GRACE => {
                return Ok(Outcome::Stopped(reason, None));
            }
            Some(_) => {}
        }
    }
}

/// Has the allocator keep what is freed for what is allocated next: one stage after the other
/// makes large vectors, and of large programs an eighth of all pages would be fetched anew.
///
/// glibc gives a large block back to the system when it is freed, and takes as a sign that blocks
/// of that size come and go: smaller ones it keeps from then on. This one is never touched, so that
/// it takes no memory. Elsewhere it does nothing.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE_BLOCK)));
}

fn perform<E, T>(sender: &Sender<Message<E, T>>, work: impl FnOnce(&Reporter<'_, E>) -> T) {
    // Nobody listens any more if a limit has passed.
    let report = |event| drop(sender.send(Message::Event(event)));
    let done = work(&Reporter(&report));
    drop(sender.send(Message::Done(done)));
}
