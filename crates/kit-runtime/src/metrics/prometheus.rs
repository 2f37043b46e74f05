//! Metrics as text for Prometheus (version 0.0.4 of its format). Names follow the compatibility rules of OpenTelemetry.

use std::fmt::{Display, Write as _};
use std::sync::PoisonError;

use super::{BOUNDARIES, Labels, Process, REQUESTS};
use crate::telemetry;

/// Content type of the text.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Text that is being written.
struct Text(String);

impl Text {
    /// Writes the lines that introduce a metric.
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Writes a metric with a single value.
    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.metric(name, kind, help);
        self.value(name, "", value);
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = if labels.is_empty() {
            writeln!(self.0, "{name} {value}")
        } else {
            writeln!(self.0, "{name}{{{labels}}} {value}")
        };
    }
}

impl Labels {
    /// Returns the labels as text, in alphabetical order.
    fn text(self) -> String {
        let mut text = String::new();
        if self.status >= 500 {
            let _ = write!(text, "error_type=\"{}\",", self.status);
        }
        let _ = write!(
            text,
            "http_request_method=\"{}\",http_response_status_code=\"{}\"",
            self.method, self.status
        );
        if let Some(route) = self.route {
            let _ = write!(text, ",http_route=\"{}\"", escaped(route));
        }
        text
    }
}

/// Escapes the value of a label.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// Returns all metrics as text.
pub(super) fn text(service: &str) -> String {
    let mut text = Text(String::new());
    text.metric("target_info", "gauge", "Target metadata");
    text.value(
        "target_info",
        &format!("service_name=\"{}\"", escaped(service)),
        1,
    );
    requests(&mut text);
    text.single(
        "http_server_active_requests",
        "gauge",
        "Requests in progress",
        super::active_requests(),
    );
    text.single(
        "kit_server_connections",
        "gauge",
        "Open connections",
        super::connections(),
    );
    text.metric(
        "kit_telemetry_dropped_total",
        "counter",
        "Telemetry that was lost, because the collector did not accept the data",
    );
    for (kind, count) in telemetry::dropped() {
        text.value("kit_telemetry_dropped_total", &format!("kind=\"{kind}\""), count);
    }
    process(&mut text, &Process::read());
    if let Some(pool) = super::pool() {
        let name = "db_client_connection_count";
        text.metric(name, "gauge", "Connections to the database");
        text.value(name, "db_client_connection_state=\"idle\"", pool.idle);
        text.value(name, "db_client_connection_state=\"used\"", pool.used);
        text.single(
            "db_client_connection_max",
            "gauge",
            "Maximum number of connections to the database",
            pool.max,
        );
    }
    text.0
}

fn requests(text: &mut Text) {
    let mut requests: Vec<_> = {
        let requests = REQUESTS.lock().unwrap_or_else(PoisonError::into_inner);
        requests
            .iter()
            .map(|(labels, durations)| (*labels, durations.clone()))
            .collect()
    };
    requests.sort_by_key(|(labels, _)| *labels);
    let name = "http_server_request_duration_seconds";
    text.metric(
        name,
        "histogram",
        "Duration of requests, from their arrival to their response",
    );
    for (labels, durations) in &requests {
        let labels = labels.text();
        let mut below = 0;
        for (bound, count) in BOUNDARIES.iter().zip(durations.buckets) {
            below += count;
            text.value(
                &format!("{name}_bucket"),
                &format!("{labels},le=\"{bound}\""),
                below,
            );
        }
        let count = durations.count();
        text.value(&format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), count);
        text.value(&format!("{name}_sum"), &labels, durations.seconds);
        text.value(&format!("{name}_count"), &labels, count);
    }
    let name = "http_server_errors_total";
    text.metric(
        name,
        "counter",
        "Requests that were answered with a status of 400 or above",
    );
    for (labels, durations) in requests.iter().filter(|(labels, _)| labels.status >= 400) {
        text.value(name, &labels.text(), durations.count());
    }
}

fn process(text: &mut Text, process: &Process) {
    if let Some((user, system)) = process.cpu {
        let name = "process_cpu_time_seconds_total";
        text.metric(name, "counter", "Processor time of the process");
        text.value(name, "cpu_mode=\"user\"", user);
        text.value(name, "cpu_mode=\"system\"", system);
    }
    if let Some(bytes) = process.memory {
        text.single(
            "process_memory_usage_bytes",
            "gauge",
            "Memory of the process that is in the machine's memory",
            bytes,
        );
    }
    text.single(
        "process_uptime_seconds",
        "gauge",
        "Time since the start of the process",
        process.uptime,
    );
    if let Some(files) = process.files {
        text.single(
            "process_open_file_descriptor_count",
            "gauge",
            "Open file descriptors",
            files,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Labels, escaped};

    #[test]
    fn labels_of_a_request_name_the_error_only_for_failures_of_the_server() {
        let labels = |status, route| {
            Labels {
                route,
                method: "GET",
                status,
            }
            .text()
        };
        assert_eq!(
            labels(503, Some("/notes/:id")),
            "error_type=\"503\",http_request_method=\"GET\",http_response_status_code=\"503\",http_route=\"/notes/:id\""
        );
        assert_eq!(
            labels(404, None),
            "http_request_method=\"GET\",http_response_status_code=\"404\""
        );
    }

    #[test]
    fn escapes_values_of_labels() {
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
