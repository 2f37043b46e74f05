//! `kit inspect jobs`: jobs of a running application.

use serde_json::Value;

use super::runtime::{cell_text, unexpected};
use super::sidecar::request;
use super::table::table;
use crate::context::Context;
use crate::failure::CommandError;

/// Prints the jobs by name and state, the schedules, the workers, and the last failures.
pub(super) fn run(port: u16, context: &Context<'_>) -> Result<(), CommandError> {
    let answer = request("/_debug/jobs", &[], port, context)?;
    let console = context.console;
    if answer["hasJobs"] == Value::Bool(false) {
        console.json(&answer);
        console.result(
            "the application has no jobs, or `plugins` of `createApp` does not contain `jobs.plugin`",
        );
        return Ok(());
    }
    let Some(queues) = answer["queues"].as_array() else {
        return Err(unexpected("a list of jobs"));
    };
    console.json(&answer);
    let rows = |list: &[Value], columns: &[&str]| -> Vec<Vec<String>> {
        let row = |item: &Value| columns.iter().map(|name| cell_text(&item[*name])).collect();
        list.iter().map(row).collect()
    };
    let columns = [
        "name",
        "waiting",
        "later",
        "active",
        "completed",
        "failed",
        "oldestSeconds",
    ];
    let headings = ["JOB", "WAITING", "LATER", "ACTIVE", "DONE", "FAILED", "OLDEST s"];
    let mut parts = vec![table(&headings, &rows(queues, &columns))];
    let others: [(&str, &[&str], &[&str]); 3] = [
        (
            "schedules",
            &["name", "key", "cron", "timeZone"],
            &["SCHEDULE", "KEY", "CRON", "TIME ZONE"],
        ),
        (
            "workers",
            &["host", "pid", "active", "startedAt"],
            &["WORKER", "PID", "ACTIVE", "STARTED"],
        ),
        (
            "failures",
            &["name", "id", "attempts", "at", "message"],
            &["FAILURE", "ID", "ATTEMPTS", "AT", "MESSAGE"],
        ),
    ];
    for (name, columns, headings) in others {
        let list = answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
        if !list.is_empty() {
            parts.push(table(headings, &rows(list, columns)));
        } else if name == "workers" {
            parts.push("no worker runs".to_owned());
        }
    }
    console.result(&parts.join("\n\n"));
    Ok(())
}
