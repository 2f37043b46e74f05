//! Output of the test program, which has the form of Rust's own test programs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Instant;

use super::document::Table;
use super::outcome::{Checked, Stop};
use super::random::Randomness;

/// Maximum number of responses that the report of the coverage lists.
const MAX_LISTED: usize = 20;

/// A failed test.
struct Failure {
    name: String,
    /// Place of the contract.
    place: String,
    message: String,
    /// Lines that the application logged during the test.
    log: Vec<String>,
}

/// Counts of the results, and the failures.
pub(super) struct Report {
    begun: Instant,
    is_quiet: bool,
    passed: usize,
    ignored: usize,
    failures: Vec<Failure>,
}

impl Report {
    /// Starts a report of a number of tests.
    pub(super) fn new(count: usize, is_quiet: bool) -> Self {
        print(&format!(
            "\nrunning {count} test{}\n",
            if count == 1 { "" } else { "s" }
        ));
        Self {
            begun: Instant::now(),
            is_quiet,
            passed: 0,
            ignored: 0,
            failures: Vec::new(),
        }
    }

    /// Adds the result of a test. `log` has the lines that the application logged during the test.
    pub(super) fn add(&mut self, name: &str, place: &str, result: Checked, log: Vec<String>) {
        let (word, letter) = match result {
            Ok(()) => {
                self.passed += 1;
                ("ok".to_owned(), ".")
            }
            Err(Stop::Ignored(reason)) => {
                self.ignored += 1;
                (format!("ignored, {reason}"), "i")
            }
            Err(Stop::Failed(message)) => {
                self.failures.push(Failure {
                    name: name.to_owned(),
                    place: place.to_owned(),
                    message,
                    log,
                });
                ("FAILED".to_owned(), "F")
            }
        };
        if self.is_quiet {
            print(letter);
        } else {
            print(&format!("test {name} ... {word}\n"));
        }
    }

    /// Prints the failures and the counts. Returns true if no test failed.
    pub(super) fn finish(self, filtered: usize) -> bool {
        print(&self.summary(filtered));
        self.failures.is_empty()
    }

    /// Returns the failures with their logs, and the counts.
    fn summary(&self, filtered: usize) -> String {
        let mut text = String::new();
        if !self.failures.is_empty() {
            text.push_str("\nfailures:\n");
            for Failure {
                name,
                place,
                message,
                log,
            } in &self.failures
            {
                let _ = write!(text, "\n---- {name} ----\ncontract: {place}\n{message}\n");
                if !log.is_empty() {
                    let _ = writeln!(text, "log of the application:\n{}", log.join("\n"));
                }
            }
            text.push_str("\nfailures:\n");
            for Failure { name, place, .. } in &self.failures {
                let _ = writeln!(text, "    {name} ({place})");
            }
        }
        let passes = self.failures.is_empty();
        let _ = writeln!(
            text,
            "\ntest result: {}. {} passed; {} failed; {} ignored; 0 measured; {filtered} filtered out; finished in {:.2}s\n",
            if passes { "ok" } else { "FAILED" },
            self.passed,
            self.failures.len(),
            self.ignored,
            self.begun.elapsed().as_secs_f64()
        );
        text
    }
}

/// Prints the options of the configuration that only the tests on Node use.
pub(super) fn print_unused(options: &[String]) {
    let names: Vec<_> = options.iter().map(|name| format!("`tests.{name}`")).collect();
    if !names.is_empty() {
        print(&format!(
            "note: {} of kit.config.ts {} for the tests on Node only: tests/contract.rs creates the application and its fixtures\n",
            names.join(" and "),
            if names.len() == 1 { "is" } else { "are" },
        ));
    }
}

/// Prints the number and the seed of random requests, with which the tests repeat them.
pub(super) fn print_randomness(randomness: Option<Randomness>) {
    if let Some(Randomness { runs, seed }) = randomness {
        let plural = if runs == 1 { "run" } else { "runs" };
        print(&format!("random requests: {runs} {plural} a test, seed {seed}\n"));
    }
}

/// Prints how many routes and declared responses the tests have seen. `seen` has the routes with the statuses and codes of their responses.
pub(super) fn print_coverage(tables: &[Table], seen: &BTreeSet<(String, String)>) {
    let mut declared: BTreeSet<(&str, String)> = BTreeSet::new();
    let mut routes: BTreeSet<&str> = BTreeSet::new();
    let mut successful: BTreeSet<&str> = BTreeSet::new();
    let is_seen = |route: &str, name: &str| seen.contains(&(route.to_owned(), name.to_owned()));
    let is_counted = |table: &&Table| table.socket.is_none() && table.skip.is_none();
    for table in tables.iter().filter(is_counted) {
        let route = table.route.as_str();
        routes.insert(route);
        for reply in &table.replies {
            let status = reply.status.to_string();
            if is_seen(route, &status) {
                successful.insert(route);
            }
            declared.insert((route, status));
        }
        declared.extend(table.errors.iter().map(|error| (route, error.clone())));
    }
    let missing: Vec<_> = declared
        .iter()
        .filter(|(route, name)| !is_seen(route, name))
        .collect();
    let mut text = format!(
        "contracts covered: {} of {} routes, {} of {} declared responses\n",
        successful.len(),
        routes.len(),
        declared.len() - missing.len(),
        declared.len()
    );
    if !missing.is_empty() {
        text.push_str("not covered:\n");
    }
    for (route, name) in missing.iter().take(MAX_LISTED) {
        let _ = writeln!(text, "  {route}: no request got the response {name}");
    }
    if missing.len() > MAX_LISTED {
        let _ = writeln!(text, "  and {} more", missing.len() - MAX_LISTED);
    }
    print(&text);
}

/// Prints a text. A closed standard output is no error: the exit code has the result.
pub(super) fn print(text: &str) {
    let mut output = io::stdout().lock();
    let _ = output.write_all(text.as_bytes());
    let _ = output.flush();
}

#[cfg(test)]
mod tests {
    use super::{Report, Stop};

    #[test]
    fn shows_the_log_of_failed_tests_only() {
        let mut report = Report::new(2, true);
        let log = |line: &str| vec![line.to_owned()];
        report.add(
            "passes",
            "api/notes.routes.ts:3",
            Ok(()),
            log("of the passing test"),
        );
        let failed = Err(Stop::Failed("answered 500".to_owned()));
        report.add(
            "fails",
            "api/notes.routes.ts:3",
            failed,
            log("of the failing test"),
        );
        let text = report.summary(0);
        let expected = "---- fails ----\ncontract: api/notes.routes.ts:3\nanswered 500\nlog of the application:\nof the failing test\n";
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("of the passing test"), "{text}");
    }
}
