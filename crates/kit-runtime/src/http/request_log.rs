//! Log with one entry for each request. The counterpart for Node is `packages/core/src/request/request-log.ts`; both
//! pass `conformance/request-log.json`.

use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context as Task, Poll};
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::http::{Method, StatusCode};
use hyper::body::{Body as _, Frame, SizeHint};
use kit_guard::normal_path;
use tracing::Level;

use super::Context;
use crate::log_level::is_enabled;
use crate::settings::settings;

/// Longest `user-agent` in the log, in characters.
const MAX_USER_AGENT: usize = 256;

/// Set if requests are logged. Belongs to the process and not to a router, because a server also responds to
/// bytes that reach no router.
static IS_ON: OnceLock<()> = OnceLock::new();

/// Rules of the request log. `kit build` generates the value from the option `requestLog` of `createApp`, and validates
/// it.
///
/// ```
/// use kit_runtime::{Application, RequestLog, Routes};
///
/// fn with_log<A: Application>(routes: Routes<A>) -> Routes<A> {
///     routes.request_log(RequestLog::new().skip_paths(&["/ping"]).sample_rate(0.1).user_agent())
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RequestLog {
    skip_paths: &'static [&'static str],
    sample_rate: f64,
    user_agent: bool,
}

impl Default for RequestLog {
    fn default() -> Self {
        Self::new()
    }
}

impl RequestLog {
    /// Logs each request, except health checks.
    pub const fn new() -> Self {
        Self {
            skip_paths: &[],
            sample_rate: 1.0,
            user_agent: false,
        }
    }

    /// Leaves out requests of these paths.
    #[must_use]
    pub const fn skip_paths(mut self, paths: &'static [&'static str]) -> Self {
        self.skip_paths = paths;
        self
    }

    /// Logs only this part of the successful requests, from 0 to 1. Other requests are always logged.
    #[must_use]
    pub const fn sample_rate(mut self, rate: f64) -> Self {
        self.sample_rate = rate;
        self
    }

    /// Logs the header `user-agent` too.
    #[must_use]
    pub const fn user_agent(mut self) -> Self {
        self.user_agent = true;
        self
    }

    /// Starts to log refusals of the HTTP engine too. Returns the rules with their paths in the normal form.
    /// The memory of the paths is never freed, because the program needs them until its end.
    pub(super) fn start(mut self) -> Self {
        IS_ON.get_or_init(|| ());
        let paths = self.skip_paths.iter().map(|path| {
            let path = without_final_slash(path);
            let normal = normal_path(path).map_or_else(|| path.to_owned(), std::borrow::Cow::into_owned);
            &*String::leak(normal)
        });
        self.skip_paths = Vec::leak(paths.collect());
        self
    }

    /// Logs a request with its response. A stream is logged after its end.
    pub(super) fn apply(
        self,
        context: &Context,
        begun: Instant,
        response: axum::response::Response,
    ) -> axum::response::Response {
        let Some(entry) = self.entry(context, begun, response.status()) else {
            return response;
        };
        let length = if context.method() == Method::HEAD {
            Some(0)
        } else {
            response.body().size_hint().exact()
        };
        if let Some(bytes) = length {
            Entry { bytes, ..entry }.write(false);
            return response;
        }
        response.map(|inner| {
            Body::new(LoggedBody {
                inner,
                entry: Some(entry),
            })
        })
    }

    /// Returns the log entry for a response. Returns `None` if the response is not logged.
    pub(super) fn entry(self, context: &Context, begun: Instant, status: StatusCode) -> Option<Entry> {
        (is_enabled(Level::INFO) && !self.is_skipped(context, status)).then(|| Entry {
            log: self,
            context: context.clone(),
            status: status.as_u16(),
            begun,
            bytes: 0,
        })
    }

    fn is_skipped(self, context: &Context, status: StatusCode) -> bool {
        let path = without_final_slash(context.path());
        let is_health = matches!(path, "/healthz" | "/readyz")
            && context.route().is_none()
            && status != StatusCode::METHOD_NOT_ALLOWED;
        is_health || self.skip_paths.contains(&path)
    }

    fn is_sampled(self) -> bool {
        if self.sample_rate >= 1.0 {
            return true;
        }
        // A new state of the hash function is random.
        let random = u32::try_from(RandomState::new().hash_one(()) >> 32).unwrap_or(0);
        f64::from(random) / f64::from(u32::MAX) < self.sample_rate
    }
}

/// Returns the path without its final slash. The path `/` is returned unchanged.
fn without_final_slash(path: &str) -> &str {
    path.strip_suffix('/')
        .filter(|path| !path.is_empty())
        .unwrap_or(path)
}

/// Log entry that waits for the end of the response.
pub(super) struct Entry {
    log: RequestLog,
    context: Context,
    status: u16,
    begun: Instant,
    /// Number of bytes of the body, or of the messages of a WebSocket.
    pub(super) bytes: u64,
}

impl Entry {
    /// Writes the entry. `is_cut` is true if the client did not receive the whole response.
    pub(super) fn write(self, is_cut: bool) {
        let Self {
            log,
            context,
            status,
            begun,
            bytes,
        } = self;
        if !is_cut && status < 400 && !log.is_sampled() {
            return;
        }
        let microseconds = begun.elapsed().as_micros();
        let duration = f64::from(u32::try_from(microseconds).unwrap_or(u32::MAX)) / 1000.0;
        let ip = context.ip().map(|ip| ip.to_string());
        let agent = log.user_agent.then(|| context.header("user-agent")).flatten();
        let agent = agent.map(|agent| agent.chars().take(MAX_USER_AGENT).collect::<String>());
        context.scope_part(|| {
            tracing::info!(
                method = context.method().as_str(),
                path = &*context.shown_path(),
                status,
                durationMs = duration,
                bytes,
                ip,
                userAgent = agent,
                cut = is_cut.then_some(true),
                "Request completed"
            );
        });
    }
}

/// Body of a stream. It counts the bytes, and writes the log entry when it ends or is dropped.
struct LoggedBody {
    inner: Body,
    /// Log entry to write. `None` after the entry was written.
    entry: Option<Entry>,
}

impl hyper::body::Body for LoggedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.inner).poll_frame(task);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let length = frame.data_ref().map_or(0, Bytes::len);
                if let Some(entry) = &mut this.entry {
                    entry.bytes += u64::try_from(length).unwrap_or(0);
                }
            }
            Poll::Ready(None) => {
                if let Some(entry) = this.entry.take() {
                    entry.write(false);
                }
            }
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for LoggedBody {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            entry.write(true);
        }
    }
}

/// Logs a response to bytes that the guard rejects, so that no request reaches the router.
pub(crate) fn log_refusal(status: u16, code: &str, trace: &str, peer: IpAddr) {
    if IS_ON.get().is_some() {
        // The headers were not read. So if the peer is a trusted proxy, the address of the client is not known, as with a
        // malformed header.
        let ip = settings().trust_proxy.client(peer, |_| Some("?".into()));
        let ip = ip.map(|ip| ip.to_string());
        tracing::info!(status, code, ip, traceId = trace, "Request completed");
    }
}
