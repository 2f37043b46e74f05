//! Runs test binaries and test files side by side, and counts their results.
//!
//! All wait in one queue, because each of them waits for databases, sockets and timers for a part of its time. Groups
//! that take long start first, so that no single file runs alone at the end.

use std::collections::VecDeque;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::job::{Group, Job, Tests};
use super::times::Times;
use super::{Outcome, crates, node, section, unsteady};
use crate::progress::Step;
use crate::repository::Repository;
use crate::run;

/// Maximum number of failed jobs that run again, because the load of the machine may be the reason. If more have
/// failed, the code is the reason.
const MAX_UNSTEADY: usize = 4;

/// Names of the jobs that take longest, one on each line, the longest first.
const SLOW: &str = include_str!("slow.txt");

/// Result of a job.
struct JobResult {
    job: Job,
    finished: run::Finished,
    outcome: Outcome,
    duration: Duration,
}

impl JobResult {
    fn passed(&self) -> bool {
        self.outcome.failed == 0
    }
}

/// Runs all groups. If only a few jobs fail, they run again, one after another and without other tests: sockets,
/// databases and browsers share the machine, so a test may fail because of the load. A job that passes the second
/// time is listed as unsteady and counts as passed, unless it was unsteady in an earlier run on this machine too.
pub(crate) fn run_all(repository: &Repository, groups: Vec<Group>) -> anyhow::Result<Outcome> {
    let total = groups.iter().map(Vec::len).sum();
    let step = Step::start(format!("running {total} test files"));
    let progress = Progress::new(total);
    let mut results = run_groups(repository, start_order(groups, SLOW), &step, &progress)?;
    let mut outcome = Outcome::default();
    let mut failed: Vec<&mut JobResult> = results.iter_mut().filter(|result| !result.passed()).collect();
    if failed.len() <= MAX_UNSTEADY {
        // A job that was stopped after its timeout does not run again: it would take that time once more.
        for first in failed.iter_mut().filter(|result| !result.finished.timed_out) {
            let second = run_job(repository, &first.job, &step, total)?;
            if second.passed() {
                let name = first.job.to_string();
                let title = format!("{name}: failed once, passed when run again");
                outcome.report.push_str(&section(&title, &first.finished.output));
                outcome.unsteady.push(name);
                **first = second;
            }
        }
    }
    for result in results {
        let name = result.job.to_string();
        if !result.passed() {
            outcome.report.push_str(&section(&name, &result.finished.output));
        }
        outcome.files.push(Times {
            name,
            duration: result.duration,
            cpu: result.finished.cpu,
        });
        outcome.add(result.outcome);
    }
    unsteady::fail_repeated(&unsteady::record(repository), &mut outcome)?;
    let remark = outcome.counts();
    if outcome.failed == 0 {
        step.done(&remark);
    } else {
        step.failed(&remark);
    }
    Ok(outcome)
}

/// Sorts groups: groups with a job in the list of slow jobs come first, in the order of the list. The other groups
/// keep their order.
fn start_order(mut groups: Vec<Group>, slow: &str) -> Vec<Group> {
    let slow: Vec<&str> = slow.lines().collect();
    groups.sort_by_key(|group| {
        group
            .iter()
            .filter_map(|job| {
                let name = job.to_string();
                slow.iter().position(|slow| name == *slow)
            })
            .min()
            .unwrap_or(slow.len())
    });
    groups
}

fn run_groups(
    repository: &Repository,
    groups: Vec<Group>,
    step: &Step,
    progress: &Progress,
) -> anyhow::Result<Vec<JobResult>> {
    // A job waits for about half of its time. With two additional threads, two processors were idle for 17 % of the time.
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get) + 3;
    let groups = Mutex::new(VecDeque::from(groups));
    let next_report = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let group = groups.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(group) = group else { return Ok(results) };
            for job in group {
                let result = run_job(
                    repository,
                    &job,
                    step,
                    next_report.fetch_add(1, Ordering::Relaxed),
                )?;
                progress.add(step, &result);
                results.push(result);
            }
        }
    };
    let results: Vec<anyhow::Result<Vec<JobResult>>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles
            .into_iter()
            .map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread of the runner panicked")))
            })
            .collect()
    });
    let mut all = Vec::new();
    for result in results {
        all.extend(result?);
    }
    Ok(all)
}

/// Runs a job to its end. `report` is the number of its report file; no other job that runs has the same.
fn run_job(repository: &Repository, job: &Job, step: &Step, report: usize) -> anyhow::Result<JobResult> {
    let report = repository
        .target()
        .join("test-reports")
        .join(format!("{report}.tap"));
    let mut command = command(repository, job, &report)?;
    command.envs(job.variables.iter().map(|(name, value)| (name, value)));
    let started = Instant::now();
    let finished = run::finish_within(command, step, job.timeout)?;
    let duration = started.elapsed();
    let mut outcome = match job.tests {
        Tests::Binary { .. } | Tests::Documentation => crates::count(&finished.output),
        Tests::NodeFile { .. } => node::count(&std::fs::read_to_string(&report).unwrap_or_default()),
    };
    // If a file crashes, no test has failed, but the job has. A test file without tests is a mistake; a test binary
    // of a crate may have none.
    let is_empty = outcome.passed + outcome.failed + outcome.skipped.len() == 0;
    let needs_tests = matches!(job.tests, Tests::NodeFile { .. });
    if outcome.failed == 0 && (!finished.success || is_empty && needs_tests) {
        outcome.failed = 1;
    }
    Ok(JobResult {
        job: job.clone(),
        finished,
        outcome,
        duration,
    })
}

fn command(repository: &Repository, job: &Job, report: &Path) -> anyhow::Result<Command> {
    match &job.tests {
        Tests::Binary { directory, path } => crates::binary_command(repository, directory, path),
        Tests::Documentation => crates::doc_tests_command(repository),
        Tests::NodeFile { file, server } => node::command(repository, file, *server, report),
    }
}

/// Counts finished jobs and prints the count, so that a person sees that the run continues.
struct Progress {
    total: usize,
    started: Instant,
    finished: AtomicUsize,
    failed: AtomicUsize,
}

impl Progress {
    fn new(total: usize) -> Self {
        Self {
            total,
            started: Instant::now(),
            finished: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
        }
    }

    /// Counts a finished job. Prints its name if it failed, and the count after each tenth of all jobs.
    fn add(&self, step: &Step, result: &JobResult) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        if !result.passed() {
            self.failed.fetch_add(1, Ordering::Relaxed);
            step.print(&format!("FAIL {}", result.job));
        }
        let tenth = self.total.div_ceil(10).max(1);
        if finished.is_multiple_of(tenth) {
            let failed = self.failed.load(Ordering::Relaxed);
            let seconds = self.started.elapsed().as_secs();
            step.print(&format!(
                "     {finished} of {} test files, {failed} failed, {seconds} s",
                self.total
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Group, Job, SLOW, Tests, start_order};
    use crate::repository::Repository;
    use crate::test::long;

    /// Returns true if the test file of a job exists.
    fn exists(repository: &Repository, name: &str) -> bool {
        let is_file = |path: String| repository.path(path).is_file();
        let binary = name
            .strip_prefix("cargo test -p ")
            .and_then(|rest| rest.split_once(' '));
        match binary {
            Some((of_crate, binary)) => {
                is_file(format!("crates/{of_crate}/tests/{binary}.rs"))
                    || is_file(format!("crates/{of_crate}/tests/{binary}/main.rs"))
            }
            None => is_file(name.split(" on ").next().unwrap_or(name).to_owned()),
        }
    }

    #[test]
    fn every_job_in_the_lists_of_slow_and_long_jobs_exists() {
        let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let missing: Vec<&str> = SLOW
            .lines()
            .chain(long::RUNS.iter().map(|(name, _)| *name))
            .filter(|name| !exists(&repository, name))
            .collect();
        assert!(missing.is_empty(), "these jobs do not exist: {missing:?}");
    }

    fn file(name: &str) -> Group {
        vec![
            Tests::NodeFile {
                file: name.to_owned(),
                server: None,
            }
            .into(),
        ]
    }

    fn binaries(names: &[&str]) -> Group {
        let job = |name: &&str| -> Job {
            Tests::Binary {
                directory: "/crate".into(),
                path: format!("/target/{name}").into(),
            }
            .into()
        };
        names.iter().map(job).collect()
    }

    #[test]
    fn starts_slow_groups_first_and_keeps_the_order_of_other_groups() {
        let groups = vec![
            file("b"),
            file("a"),
            binaries(&["fast-01", "slow-02"]),
            file("slowest"),
        ];
        let ordered = start_order(groups, "slowest\ncargo test -p crate slow\n");
        let names: Vec<String> = ordered.iter().map(|group| group[0].to_string()).collect();
        assert_eq!(names, ["slowest", "cargo test -p crate fast", "b", "a"]);
    }

    #[test]
    fn adds_the_server_to_the_name_of_a_job() {
        let job: Job = Tests::NodeFile {
            file: "tests/a.test.ts".to_owned(),
            server: Some("hono"),
        }
        .into();
        assert_eq!(job.to_string(), "tests/a.test.ts on hono");
    }
}
