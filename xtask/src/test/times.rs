//! Report of the time that jobs take.

use std::time::Duration;

use anyhow::Context;

use crate::cpu;
use crate::repository::Repository;

/// Number of jobs that are printed at the end of a run.
const SLOWEST: usize = 10;

/// Times of a job.
pub(crate) struct Times {
    pub(crate) name: String,
    pub(crate) duration: Duration,
    /// CPU time, if known.
    pub(crate) cpu: Option<Duration>,
}

impl Times {
    /// Formats the times of a job in one line.
    fn line(&self) -> String {
        let cpu = self
            .cpu
            .map(|cpu| format!(" {:>6.1} s CPU", cpu.as_secs_f64()))
            .unwrap_or_default();
        format!("{:>6.1} s{cpu}  {}", self.duration.as_secs_f64(), self.name)
    }
}

/// Prints the slowest jobs and the CPU time of the whole command. Writes the times of all jobs to
/// `target/test-times.txt`.
pub(crate) fn report(repository: &Repository, jobs: Vec<Times>) -> anyhow::Result<()> {
    let lines = lines(jobs);
    for line in lines.iter().take(SLOWEST) {
        println!("slow: {line}");
    }
    if !lines.is_empty() {
        let file = repository.target().join("test-times.txt");
        std::fs::write(&file, lines.join("\n") + "\n")
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    if let Some(cpu) = cpu::of_all() {
        println!("CPU time of all programs: {:.0} s", cpu.as_secs_f64());
    }
    Ok(())
}

/// Returns a line for each job, the slowest first.
fn lines(mut jobs: Vec<Times>) -> Vec<String> {
    jobs.sort_by_key(|times| std::cmp::Reverse(times.duration));
    jobs.iter().map(Times::line).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Times, lines};

    #[test]
    fn lists_the_slowest_job_first_with_its_cpu_time_if_known() {
        let job = |name: &str, duration, cpu: Option<u64>| Times {
            name: name.to_owned(),
            duration: Duration::from_millis(duration),
            cpu: cpu.map(Duration::from_millis),
        };
        let jobs = vec![job("a", 1500, None), job("b", 120_000, Some(31_250))];
        assert_eq!(lines(jobs), [" 120.0 s   31.2 s CPU  b", "   1.5 s  a"]);
    }
}
