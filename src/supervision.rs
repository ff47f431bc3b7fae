//! A supervised run as its caller wants it: limits, an observer, and what is known at its end.

use crate::check::Board;
use crate::error::{Error, Reason};
use crate::event::{Event, Progress};
use crate::supervisor::{self, Bounds, Limits, Outcome, Reporter};
use crate::watch::Watch;
use std::time::Duration;

pub struct Supervision<'o> {
    limits: Limits,
    /// Whether the clock of the limits begins to run with the work.
    restarts: bool,
    observer: Box<dyn FnMut(Event) + 'o>,
}

impl<'o> Supervision<'o> {
    /// Without limits, and nobody observes it.
    pub fn new() -> Self {
        Supervision {
            limits: Limits::new(),
            restarts: true,
            observer: Box::new(|_| {}),
        }
    }

    /// All limits, on a clock that runs already.
    pub fn limit(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        self.restarts = false;
    }

    pub fn timeout(&mut self, timeout: Duration) {
        self.limits = self.limits.clone().timeout(timeout);
    }

    /// Calls `observer` with whatever happens, on the thread that calls [`Supervision::run`].
    pub fn observe(&mut self, observer: impl FnMut(Event) + 'o) {
        self.observer = Box::new(observer);
    }

    /// The limits, on a clock that runs.
    pub fn begin(&self) -> Limits {
        match self.restarts {
            true => self.limits.restarted(),
            false => self.limits.clone(),
        }
    }

    /// Runs `work`, which shares the board and the watch. Its result, and the reason if a limit
    /// has passed: without a result there is always one.
    pub fn run<T: Send + 'static>(
        &mut self,
        bounds: &Bounds,
        (board, watch): (&Board, &Watch),
        work: impl FnOnce(&Reporter<'_, Event>) -> Result<T, Error> + Send + 'static,
    ) -> Result<(Option<T>, Option<Reason>), Error> {
        let observe = |event: Option<Event>| {
            let progress = || Event::Progress(Progress::of(board, watch));
            (self.observer)(event.unwrap_or_else(progress));
        };
        let (result, reason) = match supervisor::run(bounds, watch, observe, work)? {
            Outcome::Done(result) => (result, None),
            Outcome::Stopped(reason, None) => return Ok((None, Some(reason))),
            Outcome::Stopped(reason, Some(result)) => (result, Some(reason)),
        };
        match result {
            Ok(value) => Ok((Some(value), reason)),
            Err(Error::Stopped(stopped)) => Ok((None, reason.or(Some(stopped)))),
            Err(error) => Err(error),
        }
    }
}
