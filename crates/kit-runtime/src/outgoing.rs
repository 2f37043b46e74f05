//! Requests of the server to other servers, over HTTP/1.1 with or without TLS. Each request has a connection of its own.

use std::error::Error;
use std::sync::Arc;

use axum::http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio_rustls::TlsConnector;

use crate::host::without_brackets;

pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// Server to which requests are sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    /// Name or address. An IPv6 address may have brackets.
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    /// Settings of TLS. `None` for a connection without TLS.
    pub(crate) tls: Option<&'a Arc<ClientConfig>>,
    /// Maximum size of the body of a response, in bytes.
    pub(crate) most_bytes: usize,
}

impl Target<'_> {
    /// Sends a request. Returns the status and the body of the response. The request needs the header `host`.
    pub(crate) async fn send(self, request: Request<Full<Bytes>>) -> Result<(StatusCode, Vec<u8>), Failure> {
        let host = without_brackets(self.host);
        let stream = TcpStream::connect((host, self.port)).await?;
        match self.tls {
            None => self.send_over(stream, request).await,
            Some(tls) => {
                let name = ServerName::try_from(host.to_owned())?;
                let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?;
                self.send_over(stream, request).await
            }
        }
    }

    async fn send_over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        self,
        stream: S,
        request: Request<Full<Bytes>>,
    ) -> Result<(StatusCode, Vec<u8>), Failure> {
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
                if bytes.len() + chunk.len() > self.most_bytes {
                    return Err(format!("the response has more than {} bytes", self.most_bytes).into());
                }
                bytes.extend_from_slice(&chunk);
            }
        }
        Ok((status, bytes))
    }
}

/// Ends the task of a connection when its response is no longer needed.
struct Ended(AbortHandle);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Begins the settings of a TLS client.
fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
}

/// Returns the settings of a TLS client that trusts these authorities and has no certificate of its own.
pub(crate) fn client(roots: RootCertStore) -> Result<Arc<ClientConfig>, Failure> {
    Ok(Arc::new(
        builder()?.with_root_certificates(roots).with_no_client_auth(),
    ))
}

/// Returns the settings of a TLS client that trusts these authorities and has a certificate.
#[cfg(feature = "otlp")]
pub(crate) fn client_with_certificate(
    roots: RootCertStore,
    certificate: &str,
    key: &str,
) -> Result<Arc<ClientConfig>, Failure> {
    let chain = crate::tls_files::certificates(certificate)?;
    let key = crate::tls_files::private_key(key)?;
    Ok(Arc::new(
        builder()?
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)?,
    ))
}
