//! Plain HTTP beside a server with TLS: each request gets a redirect to that server.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::connection::{self, ConnectionState, Timeouts};
use crate::host::{without_brackets, without_port};
use crate::http::{make_normal, random_trace_id};
use crate::listener::{Listener, url};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
use crate::tls::Tls;
use crate::tls_settings::RedirectSettings;
use crate::{Error, Serve, start_error, stdout};

/// Starts the redirects. `secure_port` is the port of the server with TLS.
///
/// # Errors
///
/// If the port cannot be used.
pub(crate) async fn start(
    settings: &'static Settings,
    redirect: &'static RedirectSettings,
    tls: Tls,
    secure_port: u16,
) -> Result<(), Error> {
    let (host, port) = (settings.host.as_deref(), redirect.port);
    let listener = Listener::bind(host, port, settings.connections).await;
    let listener = listener.map_err(|error| {
        start_error::failure(
            &format!("plain HTTP cannot be redirected from port {port}: {error}"),
            "in TLS_REDIRECT_PORT",
            "make the port available to this program, choose another port, or remove the variable",
        )
    })?;
    let address = listener.local_addr()?;
    stdout::line(&format!("Redirecting from {}", url(address, false)));
    let redirects = Redirects(Arc::new(Inner {
        tls,
        to: redirect.to.as_deref(),
        secure_port,
    }));
    tokio::spawn(accept(listener, redirects, settings.timeouts));
    Ok(())
}

/// Accepts connections until the shutdown begins.
async fn accept(mut listener: Listener, redirects: Redirects, timeouts: Timeouts) {
    let mut shutdown = Shutdown::of_server();
    loop {
        tokio::select! {
            (stream, peer, permit) = listener.accept() => {
                connection::serve(stream, peer, redirects.clone(), timeouts, permit, Shutdown::of_server());
            }
            () = shutdown.begun() => return,
        }
    }
}

/// Responds to all requests with redirects.
#[derive(Clone)]
struct Redirects(Arc<Inner>);

struct Inner {
    tls: Tls,
    /// `TLS_REDIRECT_TO`.
    to: Option<&'static str>,
    secure_port: u16,
}

impl Serve for Redirects {
    async fn respond<B>(
        &self,
        mut request: axum::http::Request<B>,
        _: &Arc<ConnectionState>,
    ) -> axum::response::Response
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError> + Send> + Send + Unpin + 'static,
    {
        make_normal(request.uri_mut());
        let target = request
            .uri()
            .path_and_query()
            .map_or("/", |target| target.as_str());
        // `OPTIONS *` has no path.
        let target = if target.starts_with('/') { target } else { "/" };
        let host = request.headers().get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
        let location = self.origin(host).map(|origin| origin + target);
        let location = location.and_then(|location| HeaderValue::try_from(location).ok());
        let mut response = location.map_or_else(misdirected, moved);
        if !request.body().is_end_stream() {
            // The body is not read.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        response
    }
}

impl Redirects {
    /// Returns the origin with TLS for a header `host`. Returns `None` if the certificate is not valid for the host.
    fn origin(&self, host: &str) -> Option<String> {
        let Inner { tls, to, secure_port } = &*self.0;
        if let Some(to) = to {
            return Some((*to).to_owned());
        }
        let name = without_port(host);
        if !tls.covers(without_brackets(name)) {
            return None;
        }
        Some(match secure_port {
            443 => format!("https://{name}"),
            port => format!("https://{name}:{port}"),
        })
    }
}

fn moved(location: HeaderValue) -> axum::response::Response {
    let mut response = axum::response::Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    // Caches must not store the response: the port of the server may change.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the response to a request for a host that the server does not have.
fn misdirected() -> axum::response::Response {
    const MESSAGE: &str = "the certificate of this server is not valid for the host of the request";
    let trace = random_trace_id();
    // Programs that look for open ports send such requests to each server of the internet.
    tracing::debug!(code = "MISDIRECTED_REQUEST", trace, "{MESSAGE}");
    let error = json!({ "code": "MISDIRECTED_REQUEST", "message": MESSAGE, "traceId": trace });
    let mut response = axum::response::Response::new(Body::from(json!({ "error": error }).to_string()));
    *response.status_mut() = StatusCode::MISDIRECTED_REQUEST;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
