//! Requests to an issuer, over HTTP/1.1 with or without TLS.

use std::sync::{Arc, OnceLock};

use axum::http::request::Builder;
use axum::http::uri::Uri;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::Full;
use hyper::body::Bytes;
use rustls::ClientConfig;

use crate::outgoing::{self, Failure, Target};
use crate::tls_files;

/// Maximum size of the response, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// Hosts that a URL without TLS may name.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

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
        let tls = if self.is_encrypted { Some(client()?) } else { None };
        let target = Target {
            host: &self.host,
            port: self.port,
            tls: tls.as_ref(),
            most_bytes: MOST_BYTES,
        };
        let sent = target.send(request).await;
        let (status, body) = sent.map_err(|error| format!("{}: {error}", self.uri))?;
        Ok((status, String::from_utf8(body)?))
    }
}

/// Returns a TLS client that trusts the authorities of the operating system. The authorities are read once, because reading
/// their files takes milliseconds in which no other request proceeds.
fn client() -> Result<Arc<ClientConfig>, Failure> {
    static CLIENT: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(known) = CLIENT.get() {
        return Ok(Arc::clone(known));
    }
    let client = outgoing::client(tls_files::system_roots()?)?;
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
