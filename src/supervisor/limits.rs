//! Time, memory and cancellation: what ends a run before it is done.
//!
//! The memory is that of the whole process, as the system tells it (`/proc`, control groups);
//! where it does not, only the BDDs are limited.

use crate::error::Reason;
use crate::watch::Flag;
use std::time::{Duration, Instant};

/// Ends a run from another thread, or from the handler of a signal. A clone cancels the same
/// runs.
///
/// ```
/// let cancellation = derny::Cancellation::new();
/// let handle = cancellation.clone();
/// std::thread::spawn(move || handle.cancel());
/// let limits = derny::Limits::new().cancellation(&cancellation);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Flag);

impl Cancellation {
    /// One that nobody has asked for yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for it; false if that was done before.
    pub fn cancel(&self) -> bool {
        !self.0.raise()
    }

    /// Whether it was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_raised()
    }
}

/// What a run may use. A clone shares the clock and the cancellation, so that several steps
/// can have one limit together.
#[derive(Clone, Debug)]
pub struct Limits {
    begin: Instant,
    timeout: Option<Duration>,
    memory: Option<u64>,
    cancellation: Cancellation,
}

/// Without a limit of memory, this share of what is available.
const SHARE_PERCENT: u64 = 80;
/// Where the system does not tell how much memory there is.
const UNKNOWN_MEMORY: u64 = 4 << 30;

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

impl Limits {
    /// Without a limit of time, and with 80 % of the memory that is available. The clock
    /// begins to run now.
    pub fn new() -> Self {
        Limits {
            begin: Instant::now(),
            timeout: None,
            memory: None,
            cancellation: Cancellation::new(),
        }
    }

    /// So much time, from when this was made.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// So many bytes of resident memory, of the whole process.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Until this is cancelled.
    pub fn cancellation(mut self, cancellation: &Cancellation) -> Self {
        self.cancellation = cancellation.clone();
        self
    }

    /// When the clock began to run.
    pub(crate) fn begin(&self) -> Instant {
        self.begin
    }

    /// With a clock that begins to run now.
    pub(crate) fn restarted(&self) -> Self {
        Limits {
            begin: Instant::now(),
            ..self.clone()
        }
    }

    /// What the limits amount to on this machine, now.
    pub(crate) fn bounds(&self) -> Bounds {
        let share = available_memory().unwrap_or(UNKNOWN_MEMORY) / 100 * SHARE_PERCENT;
        let memory = self.memory.unwrap_or(share);
        Bounds {
            // A time too far away cannot be told apart from never.
            deadline: self
                .timeout
                .and_then(|timeout| self.begin.checked_add(timeout)),
            memory,
            reservable: memory.min(share),
            cancellation: self.cancellation.clone(),
        }
    }
}

/// The limits of one run on one machine.
pub(crate) struct Bounds {
    deadline: Option<Instant>,
    /// Bytes of resident memory.
    memory: u64,
    /// Bytes that can be reserved: no more than the machine has, whatever the limit.
    pub reservable: u64,
    cancellation: Cancellation,
}

impl Bounds {
    /// When a third of what is left of the time is over, and when two are, if that is limited.
    pub fn thirds(&self) -> Option<[Instant; 2]> {
        let now = Instant::now();
        let third = self.deadline?.saturating_duration_since(now) / 3;
        Some([now + third, now + 2 * third])
    }

    /// The limit that has been passed, if any.
    pub fn passed(&self) -> Option<Reason> {
        if self.cancellation.is_cancelled() {
            Some(Reason::Interrupted)
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(Reason::Timeout)
        } else if resident_memory().is_some_and(|used| used > self.memory) {
            Some(Reason::Memory)
        } else {
            None
        }
    }
}

/// A field of a `/proc` file such as `VmRSS:  123 kB`, in bytes.
fn proc_field(file: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let number = line.trim_start_matches(':').trim().trim_end_matches("kB");
    number.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// Bytes of memory that the process has now.
pub(crate) fn resident_memory() -> Option<u64> {
    proc_field("/proc/self/status", "VmRSS")
}

/// What the machine has free, or less where a container allows less.
fn available_memory() -> Option<u64> {
    let machine = proc_field("/proc/meminfo", "MemAvailable");
    let number =
        |file: &str| -> Option<u64> { std::fs::read_to_string(file).ok()?.trim().parse().ok() };
    let containers = [
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ];
    let free = containers.iter().filter_map(|(limit, used)| {
        let limit = number(limit)?;
        Some(limit.saturating_sub(number(used).unwrap_or(0)))
    });
    free.chain(machine).min()
}
