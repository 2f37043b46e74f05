//! The log that the application wrote during the tests.

use serde_json::Value;

use super::report::TestFailure;
use crate::ProgramLog;

/// Maximum number of entries that are shown with a failed test.
const MAX_ENTRIES: usize = 20;

/// Maximum number of lines of the stack of an error.
const MAX_STACK: usize = 8;

/// Maximum number of characters of a line.
const MAX_WIDTH: usize = 1000;

/// Entries of the log, by the process that wrote them.
pub(super) struct CapturedLog {
    programs: Vec<(String, Vec<Value>)>,
}

impl CapturedLog {
    /// Reads the logs of all processes. Lines that are no entries are left out.
    pub(super) fn new(logs: &[ProgramLog]) -> Self {
        let programs = logs.iter().map(|log| {
            let entries = log
                .text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            let entries =
                entries.filter(|entry: &Value| entry["level"].is_string() && entry["message"].is_string());
            (log.program.replace('\\', "/"), entries.collect())
        });
        Self {
            programs: programs.collect(),
        }
    }

    /// Returns the last entries of all processes.
    pub(super) fn end(&self) -> Vec<Value> {
        last(self.programs.iter().flat_map(|(_, entries)| entries))
    }

    /// Returns the entries that belong to a failed test, at most [`MAX_ENTRIES`].
    ///
    /// The message of a contract test has the error response with its trace ID, so these are the entries of one request. Other tests get the
    /// last entries of their file, or of all files if the runner has no process for each file, as vitest.
    pub(super) fn of(&self, failure: &TestFailure) -> Vec<Value> {
        let of_request = self
            .programs
            .iter()
            .flat_map(|(_, entries)| entries)
            .filter(|entry| {
                let trace = entry["traceId"].as_str().unwrap_or_default();
                !trace.is_empty() && failure.message.contains(trace)
            });
        let of_request = last(of_request);
        if !of_request.is_empty() || failure.message.contains(r#""traceId""#) {
            return of_request;
        }
        let is_own = |program: &str| {
            let file = failure.file.as_deref().unwrap_or_default();
            let before = program.strip_suffix(file);
            !file.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let own: Vec<_> = self
            .programs
            .iter()
            .filter(|(program, _)| is_own(program))
            .collect();
        let has_own = self.programs.iter().any(|(program, _)| is_test(program));
        match (own.as_slice(), has_own) {
            ([], true) => Vec::new(),
            ([], false) => self.end(),
            (own, _) => last(own.iter().flat_map(|(_, entries)| entries)),
        }
    }
}

/// Returns true if a program is a test file, which node:test starts as a process.
fn is_test(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.contains(".test.") || name.contains(".spec.")
}

fn last<'a>(entries: impl Iterator<Item = &'a Value>) -> Vec<Value> {
    let entries: Vec<&Value> = entries.collect();
    let first = entries.len().saturating_sub(MAX_ENTRIES);
    entries.into_iter().skip(first).cloned().collect()
}

/// Returns the lines that show entries below a failed test.
pub(super) fn lines(entries: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    if !entries.is_empty() {
        lines.push("  log of the application:".to_owned());
    }
    for entry in entries {
        lines.extend(lines_of(entry).map(|line| format!("    {line}")));
    }
    lines
}

/// Returns an entry in one line, and the stacks of its errors.
fn lines_of(entry: &Value) -> impl Iterator<Item = String> {
    let text = |name: &str| entry[name].as_str().unwrap_or_default();
    let mut first = format!("{:5} {}", text("level").to_uppercase(), text("message"));
    for name in ["route", "phase"] {
        if !text(name).is_empty() {
            first.push_str("  ");
            first.push_str(text(name));
        }
    }
    let mut stacks = Vec::new();
    if let Value::Object(data) = &entry["data"] {
        let mut data = data.clone();
        data.retain(|_, value| {
            let stack = value["stack"].as_str();
            stacks.extend(
                stack
                    .into_iter()
                    .flat_map(|stack| stack.lines().take(MAX_STACK))
                    .map(clean),
            );
            stack.is_none()
        });
        if !data.is_empty() {
            first.push_str("  ");
            first.push_str(&Value::Object(data).to_string());
        }
    }
    std::iter::once(clean(&first)).chain(stacks.into_iter().map(|line| format!("  {line}")))
}

/// Replaces control characters, which could move the cursor: texts may come from clients. Cuts long lines.
fn clean(text: &str) -> String {
    let mut cleaned = String::new();
    for character in text.chars().take(MAX_WIDTH) {
        if character.is_control() {
            cleaned.extend(character.escape_default());
        } else {
            cleaned.push(character);
        }
    }
    if text.chars().nth(MAX_WIDTH).is_some() {
        cleaned.push('…');
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CapturedLog, MAX_ENTRIES, lines};
    use crate::ProgramLog;
    use crate::commands::test::report::TestFailure;

    fn failure(file: &str, message: &str) -> TestFailure {
        TestFailure {
            name: "fails".to_owned(),
            file: Some(file.to_owned()),
            line: None,
            message: message.to_owned(),
            log: Vec::new(),
        }
    }

    fn log(program: &str, entries: &[(&str, &str)]) -> ProgramLog {
        let lines = entries.iter().map(|(trace, message)| {
            format!(
                "{}\n",
                json!({ "level": "error", "message": message, "traceId": trace })
            )
        });
        ProgramLog {
            program: program.to_owned(),
            text: format!(
                "{{\"program\":\"{program}\"}}\n{}half a li",
                lines.collect::<String>()
            ),
        }
    }

    fn messages(captured: &CapturedLog, failure: &TestFailure) -> Vec<String> {
        let entries = captured.of(failure);
        entries
            .iter()
            .map(|entry| entry["message"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn a_failure_with_a_trace_id_gets_the_entries_of_its_request() {
        let captured = CapturedLog::new(&[
            log("/app/src/a.test.ts", &[("11", "first"), ("22", "second")]),
            log("/app/src/b.test.ts", &[("33", "third")]),
        ]);
        let found = messages(
            &captured,
            &failure("src/b.test.ts", "answered: 500 {\"traceId\":\"22\"}"),
        );
        assert_eq!(found, ["second"]);
    }

    #[test]
    fn other_failures_get_the_last_entries_of_their_file() {
        let many: Vec<(&str, String)> = (0..30).map(|index| ("", index.to_string())).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(trace, text)| (*trace, text.as_str())).collect();
        let captured = CapturedLog::new(&[
            log("/app/src/other/a.test.ts", &many),
            log("C:\\app\\src\\b.test.ts", &[("", "own")]),
        ]);
        assert_eq!(
            messages(&captured, &failure("src/b.test.ts", "500 !== 200")),
            ["own"]
        );
        let last = messages(&captured, &failure("src/other/a.test.ts", ""));
        assert_eq!(
            (last.len(), last.last().map(String::as_str)),
            (MAX_ENTRIES, Some("29"))
        );
        assert!(messages(&captured, &failure("src/c.test.ts", "")).is_empty());
        // The name of another file ends with the same letters.
        assert!(messages(&captured, &failure("a.test.tsx", "")).is_empty());
    }

    #[test]
    fn failures_of_a_runner_without_a_process_for_each_file_get_the_last_entries_of_all() {
        let captured = CapturedLog::new(&[log("/app/node_modules/tinypool/worker.js", &[("", "one")])]);
        assert_eq!(messages(&captured, &failure("src/a.test.ts", "")), ["one"]);
    }

    #[test]
    fn lines_have_the_place_the_data_and_the_stack_without_control_characters() {
        let entry = json!({
            "level": "error", "message": "failed\u{1b}[2J", "route": "GET /notes", "phase": "handler",
            "data": { "id": 7, "error": { "message": "no", "stack": "Error: no\n    at handler" } },
        });
        assert_eq!(
            lines(&[entry]),
            [
                "  log of the application:",
                "    ERROR failed\\u{1b}[2J  GET /notes  handler  {\"id\":7}",
                "      Error: no",
                "          at handler",
            ]
        );
        assert!(lines(&[]).is_empty());
    }
}
