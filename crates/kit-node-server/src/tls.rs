//! TLS of a server: options from JavaScript, and certificates that new files replace.

use std::path::PathBuf;

use kit_tls::{Certificates, ClientCertificates, MinimumVersion, Options};
use serde::Deserialize;

use crate::node::Error;

/// Protocols that the engine offers to clients (ALPN).
const HTTP_1_1: &[u8] = b"http/1.1";
const HTTP_2: &[u8] = b"h2";

/// Files and rules of TLS, as JavaScript passes them to `create`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TlsOptions {
    cert: PathBuf,
    key: PathBuf,
    client_ca: Option<PathBuf>,
    /// True if clients without a certificate are refused. Has no effect without `client_ca`.
    #[serde(default)]
    requires_client_certificate: bool,
    #[serde(default)]
    min_version: Version,
    /// True if the engine offers HTTP/2 to clients.
    #[serde(default)]
    http2: bool,
}

/// Lowest version of TLS that clients may use.
#[derive(Clone, Copy, Default, Deserialize)]
enum Version {
    #[default]
    #[serde(rename = "1.2")]
    Tls12,
    #[serde(rename = "1.3")]
    Tls13,
}

impl TlsOptions {
    /// Reads the files. Fails if a file cannot be read or used.
    pub(crate) fn load(&self) -> Result<Certificates, Error> {
        let clients = self.client_ca.clone().map(|authorities| ClientCertificates {
            authorities,
            is_required: self.requires_client_certificate,
        });
        let mut protocols = vec![HTTP_1_1.to_vec()];
        if self.http2 {
            protocols.insert(0, HTTP_2.to_vec());
        }
        Certificates::load(Options {
            certificate: self.cert.clone(),
            key: self.key.clone(),
            clients,
            minimum_version: match self.min_version {
                Version::Tls12 => MinimumVersion::Tls12,
                Version::Tls13 => MinimumVersion::Tls13,
            },
            protocols,
        })
        .map_err(|error| tls_error(&error))
    }
}

/// Returns the error for files that cannot be used. The message has the advice on a second line.
pub(crate) fn tls_error(error: &kit_tls::Error) -> Error {
    Error::new("ERR_KIT_TLS", error.to_string())
}
