//! Log of the application during a test.

use std::collections::VecDeque;
use std::sync::Mutex;

use super::run::lock;

/// Maximum number of lines that are kept for a test. The first lines are dropped.
const MAX_LINES: usize = 50;

/// Lines of the log since the start of the test. `None` if the log is not captured.
static CAPTURED: Mutex<Option<VecDeque<String>>> = Mutex::new(None);

/// Keeps the lines of the log from now on, in place of writing them to standard output.
pub(super) fn start() {
    *lock(&CAPTURED) = Some(VecDeque::new());
}

/// Returns the lines since the start, or since the last call.
pub(super) fn take() -> Vec<String> {
    let mut captured = lock(&CAPTURED);
    captured.as_mut().map(std::mem::take).unwrap_or_default().into()
}

/// Writes further lines to standard output again. Returns the lines that were kept.
pub(super) fn stop() -> Vec<String> {
    lock(&CAPTURED).take().unwrap_or_default().into()
}

/// Keeps a line. Returns false if the log is not captured.
pub(crate) fn keep(line: &str) -> bool {
    let mut captured = lock(&CAPTURED);
    let Some(lines) = captured.as_mut() else {
        return false;
    };
    if lines.len() == MAX_LINES {
        lines.pop_front();
    }
    lines.push_back(line.to_owned());
    true
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINES, keep, start, stop, take};

    #[test]
    fn keeps_the_last_lines_of_a_test_until_the_end() {
        assert!(!keep("before"));
        start();
        assert!(keep("first"));
        // Other tests of this program may log at the same time.
        assert!(take().contains(&"first".to_owned()));
        for index in 0..=MAX_LINES {
            keep(&index.to_string());
        }
        let lines = stop();
        assert!(
            lines.len() == MAX_LINES && !lines.contains(&"0".to_owned()),
            "{lines:?}"
        );
        assert!(!keep("after"));
    }
}
