//! Settings of TLS.

use std::path::PathBuf;

/// Settings of a TLS server: paths of files in PEM, and rules for clients.
#[derive(Debug, Clone)]
pub struct Options {
    /// Path of the server's certificate, followed by the certificates between it and the authority.
    pub certificate: PathBuf,
    /// Path of the certificate's private key, without a password.
    pub key: PathBuf,
    /// Rules for certificates of clients. `None` if the server does not ask for them.
    pub clients: Option<ClientCertificates>,
    /// Lowest version of TLS that clients may use.
    pub minimum_version: MinimumVersion,
    /// Protocols that the server offers (ALPN, RFC 7301), the preferred one first: `http/1.1`.
    pub protocols: Vec<Vec<u8>>,
}

/// Rules for certificates of clients.
#[derive(Debug, Clone)]
pub struct ClientCertificates {
    /// Path of the certificates of the authorities that may sign certificates of clients.
    pub authorities: PathBuf,
    /// True if clients without a certificate are refused. A certificate that is sent must be valid in either case.
    pub is_required: bool,
}

/// Lowest version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MinimumVersion {
    /// TLS 1.2 (RFC 5246) and 1.3.
    #[default]
    Tls12,
    /// TLS 1.3 (RFC 8446) only.
    Tls13,
}
