//! Test helper: a collector that listens on a socket and decodes what it receives.

#![allow(dead_code, unreachable_pub)] // each test binary uses only a part, and has no public API
#![allow(clippy::unwrap_used)] // test helpers may panic like tests

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Starts a collector. Returns its URL and a channel with the paths and bodies of the requests that it receives.
pub fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let (port, receiver) = listen(|stream| stream);
    (format!("http://127.0.0.1:{port}"), receiver)
}

/// Starts a collector with TLS. The certificate is for `localhost`.
pub fn encrypted_collector(certificate: &str, key: &str) -> (String, Receiver<(String, Vec<u8>)>) {
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let (port, receiver) =
        listen(move |stream| StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream));
    (format!("https://localhost:{port}"), receiver)
}

/// Listens on a port, and answers requests. `open` begins TLS on a connection.
fn listen<S: Read + Write>(
    open: impl Fn(TcpStream) -> S + Clone + Send + 'static,
) -> (u16, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (sender, open) = (sender.clone(), open.clone());
            std::thread::spawn(move || {
                let mut stream = BufReader::new(open(stream.unwrap()));
                let mut line = String::new();
                while stream.read_line(&mut line).unwrap_or(0) > 0 {
                    let path = line.split(' ').nth(1).unwrap().to_owned();
                    let mut length = 0;
                    loop {
                        line.clear();
                        stream.read_line(&mut line).unwrap();
                        let (name, value) = line.trim_end().split_once(": ").unwrap_or_default();
                        if name.eq_ignore_ascii_case("content-length") {
                            length = value.parse().unwrap();
                        }
                        if line == "\r\n" {
                            break;
                        }
                    }
                    let mut body = vec![0; length];
                    stream.read_exact(&mut body).unwrap();
                    let _ = sender.send((path, body));
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
                    stream.get_mut().write_all(answer).unwrap();
                    line.clear();
                }
            });
        }
    });
    (port, receiver)
}

/// Returns the received spans, log records and service names.
pub fn received(receiver: &Receiver<(String, Vec<u8>)>) -> (Vec<Span>, Vec<LogRecord>, Vec<String>) {
    let (mut spans, mut records, mut services) = (Vec::new(), Vec::new(), Vec::new());
    for (path, body) in receiver.try_iter() {
        let mut names = |attributes: &[KeyValue]| {
            services.extend(values(attributes).get("service.name").cloned());
        };
        match path.as_str() {
            "/v1/traces" => {
                for one in ExportTraceServiceRequest::decode(body.as_slice())
                    .unwrap()
                    .resource_spans
                {
                    names(&one.resource.unwrap().attributes);
                    spans.extend(one.scope_spans.into_iter().flat_map(|scope| scope.spans));
                }
            }
            "/v1/logs" => {
                for one in ExportLogsServiceRequest::decode(body.as_slice())
                    .unwrap()
                    .resource_logs
                {
                    names(&one.resource.unwrap().attributes);
                    records.extend(one.scope_logs.into_iter().flat_map(|scope| scope.log_records));
                }
            }
            // `metrics_of` reads these.
            "/v1/metrics" => {}
            other => panic!("{other}"),
        }
    }
    (spans, records, services)
}

/// Returns the names of the metrics in the body of a request to `/v1/metrics`.
pub fn metrics_of(body: &[u8]) -> Vec<Metric> {
    let request = ExportMetricsServiceRequest::decode(body).unwrap();
    let scopes = request
        .resource_metrics
        .into_iter()
        .flat_map(|resource| resource.scope_metrics);
    scopes.flat_map(|scope| scope.metrics).collect()
}

/// Returns attributes as a map from their names to their values as strings.
pub fn values(attributes: &[KeyValue]) -> BTreeMap<String, String> {
    let shown = attributes
        .iter()
        .map(|KeyValue { key, value, .. }| (key.clone(), show(value.as_ref())));
    shown.collect()
}

/// Formats the value of an attribute.
pub fn show(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
