//! Metrics for an OpenTelemetry collector, under the names of its semantic conventions.

use std::sync::OnceLock;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter, MeterProvider as _};
use opentelemetry_otlp::MetricExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;

use crate::metrics::{self, BOUNDARIES, Labels, Process};

/// Name of the instrumentation scope of all spans, log records and metrics.
pub(super) const NAME: &str = "kit";

/// Function that returns the number of items that the collector did not accept, by their kind.
type Dropped = fn() -> [(&'static str, u64); 2];

/// Instruments that each request records.
struct Instruments {
    duration: Histogram<f64>,
    errors: Counter<u64>,
}

static INSTRUMENTS: OnceLock<Instruments> = OnceLock::new();

/// Starts to record metrics and to export them. `OTEL_METRIC_EXPORT_INTERVAL` is the time between two exports.
pub(super) fn start(exporter: MetricExporter, resource: Resource, dropped: Dropped) -> SdkMeterProvider {
    let provider = SdkMeterProvider::builder()
        .with_periodic_exporter(exporter)
        .with_resource(resource)
        .build();
    let meter = provider.meter(NAME);
    let duration = meter
        .f64_histogram("http.server.request.duration")
        .with_unit("s")
        .with_description("Duration of requests, from their arrival to their response")
        .with_boundaries(BOUNDARIES.to_vec())
        .build();
    let errors = meter
        .u64_counter("http.server.errors")
        .with_unit("{request}")
        .with_description("Requests that were answered with a status of 400 or above")
        .build();
    observe(&meter, dropped);
    INSTRUMENTS.get_or_init(|| Instruments { duration, errors });
    metrics::record_with(record_request);
    metrics::start();
    provider
}

/// Records a request.
fn record_request(labels: Labels, seconds: f64) {
    let Some(instruments) = INSTRUMENTS.get() else {
        return;
    };
    let mut attributes = vec![
        KeyValue::new("http.request.method", labels.method),
        KeyValue::new("http.response.status_code", i64::from(labels.status)),
    ];
    attributes.extend(labels.route.map(|route| KeyValue::new("http.route", route)));
    if labels.status >= 500 {
        attributes.push(KeyValue::new("error.type", labels.status.to_string()));
    }
    instruments.duration.record(seconds, &attributes);
    if labels.status >= 400 {
        instruments.errors.add(1, &attributes);
    }
}

/// Registers the instruments whose values are read only when metrics are exported.
fn observe(meter: &Meter, dropped: Dropped) {
    meter
        .i64_observable_up_down_counter("http.server.active_requests")
        .with_unit("{request}")
        .with_callback(|result| result.observe(metrics::active_requests(), &[]))
        .build();
    meter
        .i64_observable_up_down_counter("kit.server.connections")
        .with_unit("{connection}")
        .with_callback(|result| result.observe(metrics::connections(), &[]))
        .build();
    meter
        .u64_observable_counter("kit.telemetry.dropped")
        .with_unit("{item}")
        .with_callback(move |result| {
            for (kind, count) in dropped() {
                result.observe(count, &[KeyValue::new("kind", kind)]);
            }
        })
        .build();
    meter
        .f64_observable_counter("process.cpu.time")
        .with_unit("s")
        .with_callback(|result| {
            if let Some((user, system)) = Process::read().cpu {
                result.observe(user, &[KeyValue::new("cpu.mode", "user")]);
                result.observe(system, &[KeyValue::new("cpu.mode", "system")]);
            }
        })
        .build();
    meter
        .u64_observable_gauge("process.memory.usage")
        .with_unit("By")
        .with_callback(|result| {
            if let Some(bytes) = Process::read().memory {
                result.observe(bytes, &[]);
            }
        })
        .build();
    meter
        .f64_observable_gauge("process.uptime")
        .with_unit("s")
        .with_callback(|result| result.observe(Process::read().uptime, &[]))
        .build();
    meter
        .u64_observable_gauge("process.open_file_descriptor.count")
        .with_unit("{file_descriptor}")
        .with_callback(|result| {
            if let Some(files) = Process::read().files {
                result.observe(files, &[]);
            }
        })
        .build();
    meter
        .u64_observable_gauge("db.client.connection.count")
        .with_unit("{connection}")
        .with_callback(|result| {
            if let Some(pool) = metrics::pool() {
                let state = |name: &'static str| [KeyValue::new("db.client.connection.state", name)];
                result.observe(pool.idle, &state("idle"));
                result.observe(pool.used, &state("used"));
            }
        })
        .build();
    meter
        .u64_observable_gauge("db.client.connection.max")
        .with_unit("{connection}")
        .with_callback(|result| {
            if let Some(pool) = metrics::pool() {
                result.observe(pool.max, &[]);
            }
        })
        .build();
}
