//! Exports spans, log records and metrics to a collector with the packages of OpenTelemetry: in batches, with OTLP over HTTP
//! (protobuf), with or without TLS, from separate threads. The standard variables specify the destination:
//! <https://opentelemetry.io/docs/specs/otel/protocol/exporter/>.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use opentelemetry::InstrumentationScope;
use opentelemetry::logs::{AnyValue, LogRecord as _, Logger as _, LoggerProvider as _, Severity};
use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry_otlp::{
    LogExporter, MetricExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::logs::{LogBatch, SdkLogger, SdkLoggerProvider};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanData, SpanProcessor as _};
use serde_json::{Map, Value};
use tracing::Level;

use super::client::Client;
use super::request_metrics::NAME;
use super::{convert, request_metrics};
use crate::Error;
use crate::variables::{given_service_name, program_name};

/// Timeout for sending the last batch when the server shuts down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// OpenTelemetry processors that send spans, log records and metrics to the collector.
struct Exporter {
    spans: Option<BatchSpanProcessor>,
    logs: Option<(SdkLoggerProvider, SdkLogger)>,
    metrics: Option<SdkMeterProvider>,
    scope: InstrumentationScope,
}

static EXPORTER: OnceLock<Exporter> = OnceLock::new();

/// Guard that sends the remaining data on drop.
pub(crate) struct Exporting;

impl Drop for Exporting {
    fn drop(&mut self) {
        let Some(exporter) = EXPORTER.get() else { return };
        // Errors are already logged, and a shutdown cannot handle them.
        if let Some(spans) = &exporter.spans {
            let _ = spans.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
        }
        if let Some((provider, _)) = &exporter.logs {
            let _ = provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
        }
        if let Some(provider) = &exporter.metrics {
            let _ = provider.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
        }
    }
}

/// Starts the export if environment variables name a collector.
///
/// # Errors
///
/// If a variable has a value that this server does not support.
pub(crate) fn start() -> Result<Exporting, Error> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(Exporting);
    }
    let spans_client = client(variable, "TRACES")?;
    let logs_client = client(variable, "LOGS")?;
    let metrics_client = client(variable, "METRICS")?;
    if spans_client.is_none() && logs_client.is_none() && metrics_client.is_none() {
        return Ok(Exporting);
    }
    let resource = resource(variable);
    let mut spans = None;
    if let Some(client) = spans_client {
        let exporter = SpanExporter::builder().with_http().with_http_client(client);
        let exporter = exporter.with_protocol(Protocol::HttpBinary).build();
        let exporter =
            LoggingExporter::new(exporter.map_err(|error| refused(&error))?, "traces", &LOST_SPANS);
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        processor.set_resource(&resource);
        spans = Some(processor);
    }
    let mut logs = None;
    if let Some(client) = logs_client {
        let exporter = LogExporter::builder().with_http().with_http_client(client);
        let exporter = exporter.with_protocol(Protocol::HttpBinary).build();
        let exporter = LoggingExporter::new(
            exporter.map_err(|error| refused(&error))?,
            "log records",
            &LOST_LOGS,
        );
        let provider = SdkLoggerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.clone())
            .build();
        let logger = provider.logger(NAME);
        logs = Some((provider, logger));
    }
    let mut metrics = None;
    if let Some(client) = metrics_client {
        let exporter = MetricExporter::builder().with_http().with_http_client(client);
        let exporter = exporter.with_protocol(Protocol::HttpBinary).build();
        metrics = Some(request_metrics::start(
            exporter.map_err(|error| refused(&error))?,
            resource,
            dropped,
        ));
    }
    let scope = InstrumentationScope::builder(NAME).build();
    let _ = EXPORTER.set(Exporter {
        spans,
        logs,
        metrics,
        scope,
    });
    Ok(Exporting)
}

static LOST_SPANS: AtomicU64 = AtomicU64::new(0);
static LOST_LOGS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of items that the collector did not accept, by their kind.
pub(crate) fn dropped() -> [(&'static str, u64); 2] {
    [
        ("spans", LOST_SPANS.load(Ordering::Relaxed)),
        ("logs", LOST_LOGS.load(Ordering::Relaxed)),
    ]
}

/// Returns the HTTP client of a signal (`TRACES`, `LOGS` or `METRICS`). Returns `None` if the signal is not exported.
/// Unsupported settings are an error at the start of the server, so that data is not silently lost later.
fn client(variable: impl Fn(&str) -> Option<String>, signal: &str) -> Result<Option<Client>, Error> {
    if variable(&format!("OTEL_{signal}_EXPORTER")).as_deref() == Some("none") {
        return Ok(None);
    }
    let of = |what: &str| {
        let names = [
            format!("OTEL_EXPORTER_OTLP_{signal}_{what}"),
            format!("OTEL_EXPORTER_OTLP_{what}"),
        ];
        names
            .into_iter()
            .find_map(|name| variable(&name).map(|value| (name, value)))
    };
    let Some((name, endpoint)) = of("ENDPOINT") else {
        return Ok(None);
    };
    if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
        return Err(Error::internal(format!(
            "{name} is `{endpoint}`, which is not a URL with http:// or https://"
        )));
    }
    match of("PROTOCOL") {
        Some((name, protocol)) if protocol != "http/protobuf" => Err(Error::internal(format!(
            "{name} is `{protocol}`: this server supports only http/protobuf; collectors receive this protocol on port 4318"
        ))),
        _ => Client::new(&variable, signal, &endpoint).map(Some),
    }
}

/// Returns the OpenTelemetry resource that identifies this service, from `OTEL_SERVICE_NAME` and
/// `OTEL_RESOURCE_ATTRIBUTES`. If they contain no name, takes the name of the program.
fn resource(variable: impl Fn(&str) -> Option<String>) -> Resource {
    let is_named = given_service_name(variable).is_some();
    let builder = Resource::builder();
    match program_name() {
        Some(name) if !is_named => builder.with_service_name(name).build(),
        _ => builder.build(),
    }
}

fn refused(error: &dyn std::error::Error) -> Error {
    Error::internal(format!("OpenTelemetry's exporter cannot be made: {error}"))
}

/// Returns true if spans are exported.
pub(super) fn exports_spans() -> bool {
    EXPORTER.get().is_some_and(|exporter| exporter.spans.is_some())
}

pub(super) fn scope() -> InstrumentationScope {
    EXPORTER
        .get()
        .map(|exporter| exporter.scope.clone())
        .unwrap_or_default()
}

pub(super) fn span(span: SpanData) {
    if let Some(spans) = EXPORTER.get().and_then(|exporter| exporter.spans.as_ref()) {
        spans.on_end(span);
    }
}

/// Exports a log entry. Its message becomes the body of the record, its trace id and span id become the ids of
/// the record, and all other fields become attributes.
pub(crate) fn log(level: Level, entry: &Map<String, Value>) {
    let Some((_, logger)) = EXPORTER.get().and_then(|exporter| exporter.logs.as_ref()) else {
        return;
    };
    let (severity, text) = match level {
        Level::TRACE => (Severity::Trace, "TRACE"),
        Level::DEBUG => (Severity::Debug, "DEBUG"),
        Level::INFO => (Severity::Info, "INFO"),
        Level::WARN => (Severity::Warn, "WARN"),
        Level::ERROR => (Severity::Error, "ERROR"),
    };
    let mut record = logger.create_log_record();
    let now = SystemTime::now();
    record.set_timestamp(now);
    record.set_observed_timestamp(now);
    record.set_severity_number(severity);
    record.set_severity_text(text);
    for (name, value) in entry {
        match (name.as_str(), value) {
            ("level" | "timestamp" | "traceId" | "spanId", _) => {}
            ("message", Value::String(message)) => record.set_body(AnyValue::String(message.clone().into())),
            _ => {
                if let Some(value) = convert::field(value) {
                    record.add_attribute(name.clone(), value);
                }
            }
        }
    }
    let id = |name: &str| entry.get(name).and_then(Value::as_str);
    if let Some(trace) = id("traceId").and_then(|id| TraceId::from_hex(id).ok()) {
        let span = id("spanId").and_then(|id| SpanId::from_hex(id).ok());
        record.set_trace_context(trace, span.unwrap_or(SpanId::INVALID), None);
    }
    logger.emit(record);
}

/// An exporter that logs the first error of the collector. Logs another error only after an export has
/// succeeded.
#[derive(Debug)]
struct LoggingExporter<E> {
    inner: E,
    what: &'static str,
    /// Number of items that the collector did not accept.
    lost: &'static AtomicU64,
    is_failing: AtomicBool,
}

impl<E> LoggingExporter<E> {
    const fn new(inner: E, what: &'static str, lost: &'static AtomicU64) -> Self {
        Self {
            inner,
            what,
            lost,
            is_failing: AtomicBool::new(false),
        }
    }

    fn log_result(&self, result: OTelSdkResult, count: usize) -> OTelSdkResult {
        if result.is_err() {
            self.lost.fetch_add(count as u64, Ordering::Relaxed);
        }
        let was_failing = self.is_failing.swap(result.is_err(), Ordering::Relaxed);
        match &result {
            Err(error) if !was_failing => {
                tracing::warn!(
                    "The collector does not accept {}; this data is lost: {error}",
                    self.what
                );
            }
            Ok(()) if was_failing => tracing::info!("The collector accepts {} again", self.what),
            _ => {}
        }
        result
    }
}

impl opentelemetry_sdk::trace::SpanExporter for LoggingExporter<SpanExporter> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        self.log_result(self.inner.export(batch).await, count)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl opentelemetry_sdk::logs::LogExporter for LoggingExporter<LogExporter> {
    async fn export(&self, batch: LogBatch<'_>) -> OTelSdkResult {
        let count = batch.iter().count();
        self.log_result(self.inner.export(batch).await, count)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}
