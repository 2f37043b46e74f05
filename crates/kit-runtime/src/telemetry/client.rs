//! HTTP client of the exporters, with or without TLS.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderValue, Request, Response, header};
use http_body_util::Full;
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use rustls::ClientConfig;
use tokio::runtime::Runtime;

use crate::outgoing::{self, Target};
use crate::{Error, tls_files};

/// Maximum size of a response of the collector, in bytes.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Default of `OTEL_EXPORTER_OTLP_TIMEOUT`.
const TIMEOUT: Duration = Duration::from_secs(10);

/// HTTP client of one exporter. The exporter calls it from a thread of its own, so the client may block this thread.
pub(super) struct Client {
    runtime: Mutex<Runtime>,
    tls: Option<Arc<ClientConfig>>,
    timeout: Duration,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Creates the client of a signal (`TRACES`, `METRICS` or `LOGS`) for its endpoint. The variables
    /// `OTEL_EXPORTER_OTLP_CERTIFICATE`, `…_CLIENT_CERTIFICATE` and `…_CLIENT_KEY` name PEM files; without the first one, the
    /// client trusts the authorities of the operating system.
    ///
    /// # Errors
    ///
    /// If a file cannot be used, or the timeout is no number.
    pub(super) fn new(
        variable: impl Fn(&str) -> Option<String>,
        signal: &str,
        endpoint: &str,
    ) -> Result<Self, Error> {
        let of = |what: &str| {
            let own = variable(&format!("OTEL_EXPORTER_OTLP_{signal}_{what}"));
            own.or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{what}")))
        };
        let timeout = match of("TIMEOUT") {
            None => TIMEOUT,
            Some(text) => Duration::from_millis(text.parse().map_err(|_| {
                Error::internal(format!(
                    "OTEL_EXPORTER_OTLP_TIMEOUT is `{text}`, which is not a number of milliseconds"
                ))
            })?),
        };
        let tls = if endpoint.starts_with("https://") {
            let files = [of("CERTIFICATE"), of("CLIENT_CERTIFICATE"), of("CLIENT_KEY")];
            Some(
                tls(files)
                    .map_err(|reason| Error::internal(format!("OTEL_EXPORTER_OTLP_ENDPOINT: {reason}")))?,
            )
        } else {
            None
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Self {
            runtime: Mutex::new(runtime),
            tls,
            timeout,
        })
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (mut parts, body) = request.into_parts();
        let uri = std::mem::take(&mut parts.uri);
        let authority = uri.authority().ok_or("the endpoint has no host")?;
        let target = Target {
            host: authority.host(),
            port: authority
                .port_u16()
                .unwrap_or(if self.tls.is_some() { 443 } else { 80 }),
            tls: self.tls.as_ref(),
            most_bytes: MOST_BYTES,
        };
        // Names and passwords before the `@` do not belong to the host.
        let host = authority.as_str().rsplit('@').next().unwrap_or_default();
        parts.headers.insert(header::HOST, HeaderValue::from_str(host)?);
        parts
            .headers
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        parts.uri = path.parse()?;
        let request = Request::from_parts(parts, Full::new(body));
        let runtime = self.runtime.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = runtime.block_on(async { tokio::time::timeout(self.timeout, target.send(request)).await });
        let (status, body) =
            sent.map_err(|_| format!("no response within {} ms", self.timeout.as_millis()))??;
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = status;
        Ok(response)
    }
}

fn tls([authorities, certificate, key]: [Option<String>; 3]) -> Result<Arc<ClientConfig>, outgoing::Failure> {
    let roots = match authorities {
        Some(file) => tls_files::roots(&file)?,
        None => tls_files::system_roots()?,
    };
    match (certificate, key) {
        (None, None) => outgoing::client(roots),
        (Some(certificate), Some(key)) => outgoing::client_with_certificate(roots, &certificate, &key),
        _ => Err("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY belong together: set both".into()),
    }
}

impl HttpClient for Client {
    fn send_bytes<'client, 'future>(
        &'client self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'future>>
    where
        'client: 'future,
        Self: 'future,
    {
        Box::pin(async move { self.send(request) })
    }
}
