//! Numbers of inputs for random tests in `cargo xtask test --long`.

use super::jobs::{Group, LONG_TIMEOUT};

/// Names of jobs, each with its `KIT_RUNS`. Without `--long`, each test has a smaller number of its own.
pub(super) const RUNS: &[(&str, u32)] = &[
    ("tests/property/property.test.ts", 20_000),
    ("tests/differential/notes.test.ts", 100_000),
    ("tests/differential/echo.test.ts", 100_000),
    ("tests/garbage/garbage.test.ts", 20_000),
    ("tests/conformance/middleware-first.test.ts", 10_000),
    ("tests/conformance/random-raw.test.ts", 10_000),
    ("tests/conformance/random-raw.test.ts on rust", 10_000),
    ("tests/factories/values.test.ts", 50_000),
    ("packages/plugin-debug/test/guard-fuzz.test.ts", 2_000_000),
    ("cargo test -p kit-migrate corpus", 300),
    ("cargo test -p kit-migrate splitting", 5_000),
    ("cargo test -p kit-migrate patterns", 5_000),
    ("cargo test -p kit-rust-server random_projects", 100),
];

/// Sets `KIT_RUNS` of each job in the list, and its longer timeout.
pub(crate) fn add_inputs(groups: &mut [Group]) {
    for job in groups.iter_mut().flatten() {
        let name = job.to_string();
        if let Some((_, runs)) = RUNS.iter().find(|(listed, _)| name == *listed) {
            job.variables.push(("KIT_RUNS".to_owned(), runs.to_string()));
            job.timeout = LONG_TIMEOUT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::add_inputs;
    use crate::test::jobs::Tests;

    #[test]
    fn sets_kit_runs_of_the_listed_jobs_only() {
        let job = |file: &str, server| {
            vec![
                Tests::NodeFile {
                    file: file.to_owned(),
                    server,
                }
                .into(),
            ]
        };
        let random = "tests/conformance/random-raw.test.ts";
        let mut groups = [
            job(random, None),
            job(random, Some("rust")),
            job(random, Some("hono")),
            job("tests/other.test.ts", None),
        ];
        add_inputs(&mut groups);
        let set = groups.map(|group| group[0].variables.len());
        assert_eq!(set, [1, 1, 0, 0]);
    }
}
