//! Requests to an issuer, over HTTP/1.1 with or without TLS.

use std::error::Error;
use std::sync::{Arc, OnceLock};

use axum::http::request::Builder;
use axum::http::uri::Uri;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio_rustls::TlsConnector;

/// Maximum size of the response, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// Hosts that a URL without TLS may name.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

type Failure = Box<dyn Error + Send + Sync>;

/// Address to which requests are sent again and again.
#[derive(Debug)]
pub(crate) struct Location {
    uri: Uri,
    host: String,
    port: u16,
    is_encrypted: bool,
}

impl Location {
    /// Reads a URL. Returns `None` if the URL has a password, or if it is neither HTTPS nor at a loopback host.
    pub(crate) fn read(url: &str) -> Option<Self> {
        let uri: Uri = url.parse().ok()?;
        let authority = uri.authority()?;
        let is_encrypted = match uri.scheme_str()? {
            "https" => true,
            "http" if LOOPBACK.contains(&authority.host()) => false,
            _ => return None,
        };
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        Some(Self {
            host: authority.host().to_owned(),
            port: authority
                .port_u16()
                .unwrap_or(if is_encrypted { 443 } else { 80 }),
            is_encrypted,
            uri,
        })
    }

    /// Returns the host and the port, as the URL has them.
    pub(super) fn authority(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }

    /// Fetches the text at the URL. Redirects are failures.
    pub(crate) async fn fetch(&self) -> Result<String, Failure> {
        let request = self
            .request(Method::GET)
            .header(header::ACCEPT, "application/json, application/jwk-set+json")
            .body(Full::default())?;
        let (status, text) = self.send(request).await?;
        if status != StatusCode::OK {
            return Err(format!("{} answered {}", self.uri, status.as_u16()).into());
        }
        Ok(text)
    }

    /// Sends a form, and returns the status and the text of the response.
    #[cfg(feature = "oidc")]
    pub(crate) async fn post_form(
        &self,
        form: String,
        authorization: Option<&str>,
    ) -> Result<(StatusCode, String), Failure> {
        let mut request = self
            .request(Method::POST)
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(authorization) = authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        self.send(request.body(Full::from(form))?).await
    }

    fn request(&self, method: Method) -> Builder {
        let path = self.uri.path_and_query().map_or("/", |path| path.as_str());
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.authority())
            .header(header::ACCEPT_ENCODING, "identity")
            .header(header::CONNECTION, "close")
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<(StatusCode, String), Failure> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, self.port)).await?;
        if !self.is_encrypted {
            return self.send_over(stream, request).await;
        }
        let name = ServerName::try_from(host.to_owned())?;
        let stream = TlsConnector::from(client()?).connect(name, stream).await?;
        self.send_over(stream, request).await
    }

    async fn send_over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        stream: S,
        request: Request<Full<Bytes>>,
    ) -> Result<(StatusCode, String), Failure> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let task = tokio::spawn(async move {
            // The request reports the failure of its connection.
            let _ = connection.await;
        });
        let _ended = Ended(task.abort_handle());
        let response = sender.send_request(request).await?;
        let status = response.status();
        let mut body = response.into_body();
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            if let Ok(chunk) = frame?.into_data() {
                if bytes.len() + chunk.len() > MOST_BYTES {
                    return Err(format!("{} answered more than {MOST_BYTES} bytes", self.uri).into());
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok((status, String::from_utf8(bytes)?))
    }
}

/// Ends the task of a connection when its response is no longer needed.
struct Ended(AbortHandle);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns a TLS client that trusts the authorities of the operating system. The authorities are read once, because reading
/// their files takes milliseconds in which no other request proceeds.
fn client() -> Result<Arc<ClientConfig>, Failure> {
    static CLIENT: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(known) = CLIENT.get() {
        return Ok(Arc::clone(known));
    }
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(
            "the operating system has no certificates of authorities: install ca-certificates".into(),
        );
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    let client = Arc::new(builder.with_root_certificates(roots).with_no_client_auth());
    Ok(Arc::clone(CLIENT.get_or_init(|| client)))
}

#[cfg(test)]
mod tests {
    use super::Location;

    #[test]
    fn accepts_only_https_and_loopback_hosts_without_passwords() {
        for good in [
            "https://id.example/keys",
            "https://id.example:8443",
            "http://127.0.0.1:80/",
            "http://localhost/k",
            "http://[::1]:9/k",
        ] {
            assert!(Location::read(good).is_some(), "{good}");
        }
        for bad in [
            "http://id.example/keys",
            "https://user:secret@id.example/",
            "ftp://localhost/",
            "/keys",
            "localhost",
            "",
        ] {
            assert!(Location::read(bad).is_none(), "{bad}");
        }
    }
}
