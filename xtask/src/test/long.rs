//! Additional work of `cargo xtask test --long`: tests that other runs leave out, and more inputs for random tests.

use super::job::{Group, LONG_TIMEOUT};

/// Environment variable that is set with `--long`. Tests that only the long run has read the variable.
const LONG_RUN: &str = "KIT_LONG";

/// Reason that a test reports if only the long run has the test.
const LEFT_OUT: &str = "only with --long";

/// Names of jobs, each with its `KIT_RUNS`. Without `--long`, each test has a smaller number of its own.
pub(super) const RUNS: &[(&str, u32)] = &[
    ("tests/property/property.test.ts", 20_000),
    ("tests/oracle/random.test.ts", 8_000),
    ("tests/differential/notes.test.ts", 100_000),
    ("tests/differential/echo.test.ts", 100_000),
    ("tests/differential/bodies.test.ts", 100_000),
    ("tests/garbage/garbage.test.ts", 20_000),
    ("tests/diff/random.test.ts", 2_000),
    ("tests/diff/bodies.test.ts", 1_000),
    ("tests/conformance/middleware-first.test.ts", 10_000),
    ("tests/conformance/random-raw.test.ts", 10_000),
    ("tests/conformance/random-raw.test.ts on rust", 10_000),
    ("tests/database/keyset-writers.test.ts", 100),
    ("tests/conformance/killed-payments.test.ts", 50),
    ("tests/conformance/killed-payments.test.ts on rust", 500),
    ("tests/factories/values.test.ts", 50_000),
    ("packages/plugin-debug/test/guard-fuzz.test.ts", 2_000_000),
    ("cargo test -p kit-migrate corpus", 300),
    ("cargo test -p kit-migrate splitting", 5_000),
    ("cargo test -p kit-migrate patterns", 5_000),
    ("cargo test -p kit-rust-server random_projects", 100),
];

/// Makes all jobs run the tests that only the long run has. Sets `KIT_RUNS` of each job in the list.
pub(crate) fn prepare(groups: &mut [Group]) {
    for job in groups.iter_mut().flatten() {
        job.variables.push((LONG_RUN.to_owned(), "1".to_owned()));
        job.timeout = LONG_TIMEOUT;
        let name = job.to_string();
        if let Some((_, runs)) = RUNS.iter().find(|(listed, _)| name == *listed) {
            job.variables.push(("KIT_RUNS".to_owned(), runs.to_string()));
        }
    }
}

/// Removes the tests that only the long run has from a list of skipped tests. Returns their number.
pub(crate) fn take_left_out(skipped: &mut Vec<String>) -> usize {
    let before = skipped.len();
    skipped.retain(|test| !test.ends_with(LEFT_OUT));
    before - skipped.len()
}

#[cfg(test)]
mod tests {
    use super::{prepare, take_left_out};
    use crate::test::job::Tests;

    #[test]
    fn sets_kit_long_for_all_jobs_and_kit_runs_for_the_listed_jobs() {
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
        prepare(&mut groups);
        let set = groups.map(|group| group[0].variables.len());
        assert_eq!(set, [2, 2, 1, 1]);
    }

    #[test]
    fn counts_the_tests_that_only_the_long_run_has() {
        let mut skipped = vec![
            "a page in Chromium: no browser is installed".to_owned(),
            "compiles the project teams: only with --long".to_owned(),
        ];
        assert_eq!(take_left_out(&mut skipped), 1);
        assert_eq!(skipped, ["a page in Chromium: no browser is installed"]);
    }
}
