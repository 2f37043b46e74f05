//! Numbers of inputs for random tests in `cargo xtask test --long`.

use super::jobs::Group;

/// Names of jobs, each with its `KIT_RUNS`. Without `--long`, each test has a smaller number of its own.
const RUNS: &[(&str, u32)] = &[
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

/// Sets `KIT_RUNS` of each job in the list. Fails if no job has a name of the list although all parts run, because
/// the test was probably renamed.
pub(crate) fn add_inputs(groups: &mut [Group], are_all_parts: bool) -> anyhow::Result<()> {
    for (name, runs) in RUNS {
        let mut found = false;
        for job in groups.iter_mut().flatten() {
            if job.to_string() == *name {
                job.variables.push(("KIT_RUNS".to_owned(), runs.to_string()));
                found = true;
            }
        }
        if !found && are_all_parts {
            anyhow::bail!(
                "no test file is called `{name}`, which xtask/src/test/long.rs lists; write its new name there"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{RUNS, add_inputs};
    use crate::test::jobs::Tests;

    #[test]
    fn fails_if_the_list_has_a_job_that_does_not_exist() {
        let error = add_inputs(&mut [], true).unwrap_err().to_string();
        assert!(error.contains(RUNS[0].0), "{error}");
    }

    #[test]
    fn sets_kit_runs_of_the_listed_jobs_only() {
        let job = |name: &str| -> crate::test::jobs::Job {
            match name
                .strip_prefix("cargo test -p ")
                .and_then(|rest| rest.split_once(' '))
            {
                Some((of_crate, binary)) => Tests::Binary {
                    directory: format!("/crates/{of_crate}").into(),
                    path: format!("/target/{binary}-0f").into(),
                },
                None => match name.strip_suffix(" on rust") {
                    Some(file) => Tests::NodeFile {
                        file: file.to_owned(),
                        server: Some("rust"),
                    },
                    None => Tests::NodeFile {
                        file: name.to_owned(),
                        server: None,
                    },
                },
            }
            .into()
        };
        let mut groups: Vec<_> = RUNS.iter().map(|(name, _)| vec![job(name)]).collect();
        groups.push(vec![job("tests/other.test.ts")]);
        add_inputs(&mut groups, true).unwrap();
        let set: Vec<usize> = groups.iter().map(|group| group[0].variables.len()).collect();
        assert_eq!(set.iter().sum::<usize>(), RUNS.len());
        assert_eq!(set.last(), Some(&0));
    }
}
