//! State of the process, as Linux reports it in `/proc`. Other operating systems have only the time since the start.

#![allow(clippy::disallowed_methods)] // Reason: the operating system reports the state of the process in files.

use std::fs;
use std::sync::LazyLock;
use std::time::Instant;

/// Number of ticks of a second in `/proc/self/stat`. Linux reports these times with the same number on every machine.
const TICKS: f64 = 100.0;

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Notes the time of the start, from which [`Process::read`] counts.
pub(crate) fn started() {
    LazyLock::force(&STARTED);
}

/// State of the process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Process {
    /// Seconds of processor time in the program and in the kernel.
    pub(crate) cpu: Option<(f64, f64)>,
    /// Bytes of memory that are in the machine's memory.
    pub(crate) memory: Option<u64>,
    /// Seconds since the start.
    pub(crate) uptime: f64,
    /// Number of open file descriptors.
    pub(crate) files: Option<u64>,
}

impl Process {
    /// Reads the current state.
    pub(crate) fn read() -> Self {
        let text = |path: &str| fs::read_to_string(path).ok();
        let files = fs::read_dir("/proc/self/fd")
            .ok()
            .map(|entries| entries.count() as u64);
        Self {
            cpu: text("/proc/self/stat").and_then(|stat| cpu(&stat)),
            memory: text("/proc/self/status").and_then(|status| memory(&status)),
            uptime: STARTED.elapsed().as_secs_f64(),
            // The directory itself is open while it is read.
            files: files.map(|count| count.saturating_sub(1)),
        }
    }
}

/// Returns the times of `/proc/self/stat`. The name of the program is in parentheses and may contain spaces.
fn cpu(stat: &str) -> Option<(f64, f64)> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? / TICKS, ticks()? / TICKS))
}

/// Returns the resident set of `/proc/self/status` in bytes.
fn memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::{cpu, memory};

    #[test]
    fn reads_times_behind_a_program_name_with_parentheses_and_spaces() {
        let stat = "7 (my (odd) server) S 1 7 7 0 -1 4194304 500 0 0 0 250 50 0 0 20 0 3 0 1000";
        assert_eq!(cpu(stat), Some((2.5, 0.5)));
    }

    #[test]
    fn reads_the_resident_set_in_bytes() {
        assert_eq!(memory("Name:\tserver\nVmRSS:\t    2048 kB\n"), Some(2_097_152));
    }
}
