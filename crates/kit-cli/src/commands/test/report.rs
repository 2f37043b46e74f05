//! Parses the reports of test runners.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Result of a run of the tests.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Report {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
    pub(super) failures: Vec<TestFailure>,
}

/// A failed test.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TestFailure {
    /// Name of the test after the names of its suites.
    pub(super) name: String,
    /// Path of the file, relative to the project's root.
    pub(super) file: Option<String>,
    /// Line of the test's declaration, from 1.
    pub(super) line: Option<u32>,
    pub(super) message: String,
    /// Entries of the application's log that belong to the test.
    #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
    pub(super) log: Vec<Value>,
}

/// Parses the report of kit's reporter for node:test.
pub(super) fn of_node(text: &str, root: &Path) -> Result<Report, String> {
    let mut report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
    for failure in &mut report.failures {
        failure.file = failure.file.take().map(|file| relative(&file, root));
    }
    Ok(report)
}

/// The report of vitest's JSON reporter, with the fields that kit needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestReport {
    test_results: Vec<VitestFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestFile {
    name: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: String,
    assertion_results: Vec<VitestTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VitestTest {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    failure_messages: Option<Vec<String>>,
    location: Option<VitestLocation>,
}

#[derive(Deserialize)]
struct VitestLocation {
    line: u32,
}

/// Parses the report of vitest's JSON reporter.
pub(super) fn of_vitest(text: &str, root: &Path) -> Result<Report, String> {
    let found: VitestReport = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut report = Report::default();
    for file in found.test_results {
        let path = relative(&file.name, root);
        let before = report.failed;
        for test in file.assertion_results {
            match test.status.as_str() {
                "passed" => report.passed += 1,
                "failed" => {
                    report.failed += 1;
                    let mut names = test.ancestor_titles;
                    names.push(test.title);
                    names.retain(|name| !name.is_empty());
                    report.failures.push(TestFailure {
                        name: names.join(" > "),
                        file: Some(path.clone()),
                        line: test.location.map(|location| location.line),
                        message: test.failure_messages.as_deref().map(message).unwrap_or_default(),
                        log: Vec::new(),
                    });
                }
                _ => report.skipped += 1,
            }
        }
        // A file that could not be loaded contains no tests in the report. It counts as one failed
        // test.
        if file.status == "failed" && report.failed == before {
            report.failed += 1;
            report.failures.push(TestFailure {
                name: path.clone(),
                file: Some(path),
                line: None,
                message: file.message,
                log: Vec::new(),
            });
        }
    }
    Ok(report)
}

/// Joins the messages of a failure without stack traces.
fn message(messages: &[String]) -> String {
    let without: Vec<String> = messages
        .iter()
        .map(|text| {
            let lines: Vec<&str> = text
                .lines()
                .take_while(|line| !line.trim_start().starts_with("at "))
                .collect();
            lines.join("\n").trim_end().to_owned()
        })
        .collect();
    without.join("\n")
}

/// Returns a path relative to the project's root, with `/`. A path outside of the root stays
/// unchanged.
fn relative(file: &str, root: &Path) -> String {
    let path = Path::new(file);
    let Ok(below) = path.strip_prefix(root) else {
        return file.to_owned();
    };
    let parts: Vec<_> = below
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}
