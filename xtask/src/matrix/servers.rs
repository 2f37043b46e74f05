//! Runs tests of the servers on a platform.

use std::process::Command;

use super::cell::Cell;
use super::runner::Runner;
use super::{error_in, timed};
use crate::platforms::Platform;
use crate::repository::Repository;

/// Files of tests whose results are in one column.
pub(super) struct Group {
    files: Vec<&'static str>,
    /// True if the tests make certificates with the command `openssl`.
    needs_openssl: bool,
}

/// Returns the groups in the order of their columns. Files that need the native server are left out if the platform does not have it.
pub(super) fn groups(platform: &Platform) -> [Group; 3] {
    let mut tls = vec!["tests/conformance/tls.test.ts"];
    if platform.has_engine {
        tls.extend([
            "tests/conformance/http2.test.ts",
            "packages/server-native/test/tls.test.ts",
        ]);
    }
    tls.push("packages/server-native/test/tls-fallback.test.ts");
    [
        (vec!["tests/conformance/http.test.ts"], false),
        (vec!["tests/conformance/bodies.test.ts"], false),
        (tls, true),
    ]
    .map(|(files, needs_openssl)| Group { files, needs_openssl })
}

impl Group {
    /// Runs the files one after the other. The first file that fails ends the group.
    pub(super) fn run(
        &self,
        repository: &Repository,
        platform: &Platform,
        runner: &Runner,
    ) -> anyhow::Result<Cell> {
        if self.needs_openssl && !finds_openssl(runner.node(repository)?) {
            return Ok(Cell::Untried(
                "Node of this platform finds no program `openssl`, which makes the certificates".to_owned(),
            ));
        }
        let mut total = Total::default();
        for file in &self.files {
            let mut node = runner.node(repository)?;
            node.args(["--test-reporter=tap", file]);
            let ended = timed(&format!("{file} on {}", platform.name), node)?;
            if let Err(reason) = total.add(&ended) {
                return Ok(Cell::Bad(format!("{file}: {reason}")));
            }
        }
        Ok(Cell::Good(format!("{} pass, {:.1} s", total.pass, total.seconds)))
    }
}

/// Returns true if Node can start `openssl`. Under Wine, this must be a program for Windows.
fn finds_openssl(mut node: Command) -> bool {
    let script = "require('node:child_process').execFileSync('openssl', ['version'])";
    let output = node.args(["--eval", script]).output();
    output.is_ok_and(|output| output.status.success())
}

#[derive(Default)]
struct Total {
    pass: u64,
    seconds: f64,
}

impl Total {
    /// Adds the result of a file, or returns the reason why the file fails.
    fn add(&mut self, ended: &Result<(String, f64), String>) -> Result<(), String> {
        let (Ok((output, _)) | Err(output)) = ended;
        match (ended, count(output, "# pass "), count(output, "# fail ")) {
            (Ok((_, seconds)), Some(pass), Some(0)) if pass > 0 => {
                self.pass += pass;
                self.seconds += seconds;
                Ok(())
            }
            (_, Some(pass), Some(fail)) if fail > 0 => {
                let first = output
                    .lines()
                    .map(str::trim)
                    .find(|line| line.starts_with("not ok "));
                Err(format!(
                    "{pass} pass, {fail} fail; the first: {}",
                    first.unwrap_or_default()
                ))
            }
            (Ok(_), Some(0), _) => Err("no test ran".to_owned()),
            _ => Err(error_in(output)),
        }
    }
}

/// Returns the number in the last line that starts with a text.
fn count(output: &str, start: &str) -> Option<u64> {
    output
        .lines()
        .filter_map(|line| line.trim().strip_prefix(start))
        .filter_map(|number| number.parse().ok())
        .next_back()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Total, finds_openssl, groups};
    use crate::platforms;
    use crate::repository::Repository;

    #[test]
    fn openssl_is_searched_in_the_path_of_node() {
        let manifest = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let node = || Command::new(Repository::find(&manifest).unwrap().bin().join("node"));
        assert!(finds_openssl(node()));
        let mut without = node();
        without.env("PATH", "/nowhere");
        assert!(!finds_openssl(without));
    }

    #[test]
    fn files_of_a_column_are_added() {
        let mut total = Total::default();
        for pass in [2, 3] {
            let output = format!("# Subtest: native\n# tests 9\n# pass {pass}\n# fail 0\n");
            total.add(&Ok((output, 1.5))).unwrap();
        }
        assert_eq!(
            (total.pass, format!("{:.1}", total.seconds)),
            (5, "3.0".to_owned())
        );
    }

    #[test]
    fn a_file_that_fails_or_runs_no_test_has_a_reason() {
        let add = |ended| Total::default().add(&ended).unwrap_err();
        let failed = "not ok 2 - closes\n# pass 2\n# fail 1\n".to_owned();
        assert_eq!(add(Err(failed)), "2 pass, 1 fail; the first: not ok 2 - closes");
        assert_eq!(add(Err("killed\n".to_owned())), "killed");
        assert_eq!(add(Ok(("# pass 0\n# fail 0\n".to_owned(), 0.1))), "no test ran");
    }

    #[test]
    fn all_files_exist_and_windows_has_no_tests_of_the_native_server() {
        let files = |name| {
            let of_platform = groups(platforms::of(name).unwrap());
            of_platform.map(|group| group.files).concat()
        };
        let linux = files("linux-arm64-musl");
        for file in &linux {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
            assert!(std::path::Path::new(path).join(file).is_file(), "{file}");
        }
        assert_eq!((linux.len(), files("win32-x64").len()), (6, 4));
    }
}
