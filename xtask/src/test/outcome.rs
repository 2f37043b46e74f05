//! Results of tests.

use super::times::Times;

/// Results of one part of the run, or of all parts.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Tests that could not run, each as `name: reason`.
    pub(crate) skipped: Vec<String>,
    /// Names of the jobs that failed, and passed when they ran again.
    pub(crate) unsteady: Vec<String>,
    /// Times of each job.
    pub(crate) files: Vec<Times>,
    /// Output of the failed jobs, which is printed at the end. Empty if there are none.
    pub(crate) report: String,
}

impl Outcome {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self.unsteady.extend(other.unsteady);
        self.files.extend(other.files);
        self.report.push_str(&other.report);
    }

    pub(crate) fn counts(&self) -> String {
        let Self {
            passed,
            failed,
            skipped,
            ..
        } = self;
        match skipped.len() {
            0 => format!("{passed} passed, {failed} failed"),
            skipped => format!("{passed} passed, {failed} failed, {skipped} skipped"),
        }
    }
}
