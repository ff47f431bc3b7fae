//! Time, memory and Ctrl-C: what ends a run before it is done.

use crate::report::Reason;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a run may use.
pub struct Limits {
    pub deadline: Option<Instant>,
    /// Bytes of resident memory.
    pub memory: u64,
    /// Bytes that can be reserved: no more than the machine has, whatever the limit.
    pub reservable: u64,
}

/// Without `--memory`, this share of what is available.
const SHARE_PERCENT: u64 = 80;
/// Where the system does not tell how much memory there is.
const UNKNOWN_MEMORY: u64 = 4 << 30;

impl Limits {
    pub fn new(begin: Instant, timeout: Option<Duration>, memory_mib: Option<u64>) -> Self {
        let share = available_memory().unwrap_or(UNKNOWN_MEMORY) / 100 * SHARE_PERCENT;
        let memory = memory_mib.map_or(share, |mib| mib.saturating_mul(1 << 20));
        Limits {
            // A time too far away to be told apart from never.
            deadline: timeout.and_then(|timeout| begin.checked_add(timeout)),
            memory,
            reservable: memory.min(share),
        }
    }

    /// The limit that has been passed, if any.
    pub fn passed(&self) -> Option<Reason> {
        if INTERRUPTED.load(Ordering::Relaxed) {
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

/// From now on Ctrl-C asks the run to end; a second one ends it at once.
pub fn watch_interrupts() {
    // If there can be no handler, Ctrl-C simply ends the process.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(super::Exit::Unknown as i32);
        }
    });
}

/// A field of a `/proc` file such as `VmRSS:  123 kB`, in bytes.
fn proc_field(file: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let number = line.trim_start_matches(':').trim().trim_end_matches("kB");
    number.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

fn resident_memory() -> Option<u64> {
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
