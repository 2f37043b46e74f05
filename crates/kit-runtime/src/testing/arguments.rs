//! Arguments of the test program. cargo and editors pass the arguments of Rust's own test programs.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};

use super::random::Randomness;

/// Number of random requests of a test if only a seed is given, as on Node.
const USUAL_RUNS: u32 = 100;

/// Largest number of random requests of a test.
const MOST_RUNS: u32 = 100_000;

/// Arguments that select tests, and the form of the output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Parts of names: a test runs if its name contains one of them.
    filters: Vec<String>,
    skipped: Vec<String>,
    /// True if `filters` and `skipped` are complete names.
    is_exact: bool,
    /// True to run only tests that are ignored before they run. There are none.
    only_ignored: bool,
    /// Number and seed of the random requests of a test. Without both, there are none.
    runs: Option<u32>,
    seed: Option<u64>,
    pub(super) is_list: bool,
    pub(super) is_quiet: bool,
    /// True if the log of the application is written as it comes, in place of showing it with failed tests.
    pub(super) shows_log: bool,
}

impl Arguments {
    /// Reads the arguments, without the name of the program.
    ///
    /// # Errors
    ///
    /// If there is an unknown option.
    pub(super) fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut read = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, mut value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut next = || value.take().or_else(|| arguments.next()).unwrap_or_default();
            match name.as_str() {
                "--exact" => read.is_exact = true,
                "--ignored" => read.only_ignored = true,
                "--list" => read.is_list = true,
                "--quiet" | "-q" => read.is_quiet = true,
                "--skip" => {
                    let skipped = next();
                    read.skipped.push(skipped);
                }
                "--runs" => read.runs = Some(runs(&next())?),
                "--seed" => {
                    let text = next();
                    let seed = text.parse().map_err(|_| {
                        format!("`--seed {text}` is not valid: write a whole number, such as `--seed 42`")
                    })?;
                    read.seed = Some(seed);
                }
                "--format" => read.is_quiet |= next() == "terse",
                // The tests run one after another.
                "--test-threads" | "--color" | "--logfile" | "-Z" => drop(next()),
                "--nocapture" | "--no-capture" | "--show-output" => read.shows_log = true,
                "--include-ignored" | "--test" => {}
                option if option.starts_with('-') => return Err(format!("unknown option {option}")),
                _ => read.filters.push(name),
            }
        }
        Ok(read)
    }

    /// Returns the number and the seed of random requests. Without an argument, the seed is random. `None` without both arguments.
    pub(super) fn randomness(&self) -> Option<Randomness> {
        let runs = self.runs.or(self.seed.map(|_| USUAL_RUNS))?;
        // A short seed is easier to copy.
        let random = || RandomState::new().build_hasher().finish() >> 33;
        let seed = self.seed.unwrap_or_else(random);
        Some(Randomness { runs, seed })
    }

    /// Returns true if the test with a name runs.
    pub(super) fn selects(&self, name: &str) -> bool {
        let fits = |text: &String| {
            if self.is_exact {
                text == name
            } else {
                name.contains(text)
            }
        };
        let is_wanted = self.filters.is_empty() || self.filters.iter().any(fits);
        is_wanted && !self.only_ignored && !self.skipped.iter().any(fits)
    }

    /// Returns true if the arguments leave out no test by its name.
    pub(super) fn is_complete(&self) -> bool {
        self.filters.is_empty() && self.skipped.is_empty()
    }
}

/// Reads the number of random requests.
fn runs(text: &str) -> Result<u32, String> {
    let runs = text
        .parse::<u32>()
        .ok()
        .filter(|runs| (1..=MOST_RUNS).contains(runs));
    runs.ok_or_else(|| {
        format!(
            "`--runs {text}` is not valid: write a whole number from 1 to {MOST_RUNS}, such as `--runs 20`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Randomness};

    fn read(arguments: &[&str]) -> Result<Arguments, String> {
        Arguments::read(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn selects_tests_by_parts_of_their_names_or_by_complete_names() {
        let part = read(&["GET /notes", "--skip", "refuses"]).unwrap();
        assert!(part.selects("GET /notes: answers a valid request"));
        assert!(!part.selects("GET /notes: refuses POST"));
        assert!(!part.selects("GET /tags: answers a valid request"));
        let exact = read(&["--exact", "a", "--nocapture", "--test-threads=1"]).unwrap();
        assert!(exact.selects("a") && !exact.selects("ab"));
        assert!(exact.shows_log && !part.shows_log);
        assert!(!read(&["--ignored"]).unwrap().selects("a"));
    }

    #[test]
    fn reads_the_number_and_the_seed_of_random_requests() {
        assert_eq!(read(&[]).unwrap().randomness(), None);
        let seed = read(&["--seed", "42"]).unwrap();
        assert_eq!(seed.randomness(), Some(Randomness { runs: 100, seed: 42 }));
        let both = read(&["--runs=20", "--seed", "42"]).unwrap();
        assert_eq!(both.randomness(), Some(Randomness { runs: 20, seed: 42 }));
        assert_eq!(
            read(&["--runs", "3"])
                .unwrap()
                .randomness()
                .map(|random| random.runs),
            Some(3)
        );
        for runs in ["0", "many", "100001", ""] {
            let refused = read(&["--runs", runs]).unwrap_err();
            assert!(refused.contains("from 1 to 100000"), "{refused}");
        }
        assert!(
            read(&["--seed", "-1"])
                .unwrap_err()
                .contains("`--seed -1` is not valid")
        );
    }

    #[test]
    fn refuses_unknown_options() {
        assert_eq!(read(&["--shuffle"]), Err("unknown option --shuffle".to_owned()));
    }
}
