//! Options of the command.

/// Options of the command.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// Image of the application.
    pub image: Option<String>,
    /// Image that applies the migrations.
    pub migration_image: Option<String>,
    /// Minimum number of replicas.
    pub replicas: Option<u32>,
    /// Port of the application.
    pub port: Option<u16>,
    /// True if the application listens with TLS, false if it does not; `None` to read the answer from the source.
    pub tls: Option<bool>,
    /// Port of plain HTTP whose requests a server with TLS redirects, if the source does not contain the port.
    pub redirect_port: Option<u16>,
    /// Rule for clients without a certificate, if the source does not contain the rule. The server then reads the authorities of clients.
    pub client_certificates: Option<ClientCertificates>,
}

/// Rule of a server that reads certificates of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientCertificates {
    /// Clients without a certificate are refused.
    Required,
    /// Clients without a certificate are accepted.
    Optional,
}
