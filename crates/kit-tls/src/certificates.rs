//! Certificates of a server, which new files replace.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::SystemTime;

use rustls::client::verify_server_name;
use rustls::crypto::CryptoProvider;
use rustls::crypto::ring::{Ticketer, cipher_suite, default_provider};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoClientAuth, ParsedCertificate, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ServerConfig, SupportedCipherSuite, SupportedProtocolVersion, version};

use crate::authorities::Authorities;
use crate::files::{self, FileStates};
use crate::{CertificateFields, ClientCertificates, Error, MinimumVersion, Options};

const TLS_1_2_AND_1_3: &[&SupportedProtocolVersion] = &[&version::TLS13, &version::TLS12];
const TLS_1_3: &[&SupportedProtocolVersion] = &[&version::TLS13];

/// Cipher suites of rustls in the server's order. AES with 128 bits comes before AES with 256 bits: both are out of reach of attackers, and
/// its hash, SHA-256, has instructions on processors of servers, which SHA-384 has not.
const CIPHER_SUITES: [SupportedCipherSuite; 9] = [
    cipher_suite::TLS13_AES_128_GCM_SHA256,
    cipher_suite::TLS13_AES_256_GCM_SHA384,
    cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
    cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

/// Certificate, key and authorities of a server. New files replace them for new connections, while open connections stay open.
///
/// ```no_run
/// use kit_tls::{Certificates, MinimumVersion, Options};
///
/// let certificates = Certificates::load(Options {
///     certificate: "server.pem".into(),
///     key: "server.key".into(),
///     clients: None,
///     minimum_version: MinimumVersion::Tls12,
///     protocols: vec![b"http/1.1".to_vec()],
/// })?;
/// // For each connection:
/// let connection = rustls::ServerConnection::new(certificates.current());
/// // For redirects from plain HTTP, and for a warning:
/// assert!(certificates.covers("example.com"));
/// let (_from, _to) = certificates.validity().unwrap();
/// // Every few seconds:
/// if let Err(error) = certificates.reload_if_changed() {
///     eprintln!("{}; the server keeps the certificate in use; {}", error.message(), error.help());
/// }
/// certificates.reload()?; // At SIGHUP.
/// # Ok::<(), kit_tls::Error>(())
/// ```
pub struct Certificates {
    options: Options,
    current: RwLock<Current>,
    /// States of the files before they were read last.
    states: Mutex<FileStates>,
}

/// Content of the files when they were read last.
struct Current {
    config: Arc<ServerConfig>,
    /// Certificate of the server itself.
    certificate: CertificateDer<'static>,
}

impl Certificates {
    /// Reads all files.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, is not in PEM, or the key does not belong to the certificate.
    pub fn load(options: Options) -> Result<Self, Error> {
        let states = FileStates::read(&options);
        let current = RwLock::new(read(&options)?);
        Ok(Self {
            options,
            current,
            states: Mutex::new(states),
        })
    }

    /// Returns the configuration for a new connection.
    pub fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.locked().config)
    }

    /// Returns true if the certificate is valid for a host: a name, or an IP address without brackets.
    pub fn covers(&self, host: &str) -> bool {
        let current = self.locked();
        let (Ok(name), Ok(certificate)) = (
            ServerName::try_from(host),
            ParsedCertificate::try_from(&current.certificate),
        ) else {
            return false;
        };
        verify_server_name(&certificate, &name).is_ok()
    }

    /// Returns the time from which and the time until which the certificate is valid. Returns `None` if the certificate has no readable
    /// times.
    pub fn validity(&self) -> Option<(SystemTime, SystemTime)> {
        let fields = CertificateFields::read(&self.locked().certificate)?;
        Some((fields.valid_from, fields.valid_to))
    }

    fn locked(&self) -> RwLockReadGuard<'_, Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all files again. Sessions of clients from before are not resumed: their next connection makes a full handshake.
    ///
    /// # Errors
    ///
    /// As [`Certificates::load`]. The certificate in use stays in use then.
    pub fn reload(&self) -> Result<(), Error> {
        // The states are read before the files, so that a change between the two is noticed at the next call.
        let states = FileStates::read(&self.options);
        *self.states.lock().unwrap_or_else(PoisonError::into_inner) = states;
        let read = read(&self.options)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = read;
        Ok(())
    }

    /// Reads all files again if a file was replaced, or if its size, its times or its permissions have changed. Returns true if
    /// the files were read.
    ///
    /// # Errors
    ///
    /// As [`Certificates::reload`]. The next call fails only if a file has changed once more. So a program that writes two files
    /// one after the other causes at most one error.
    pub fn reload_if_changed(&self) -> Result<bool, Error> {
        let states = FileStates::read(&self.options);
        if states == *self.states.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(false);
        }
        self.reload()?;
        Ok(true)
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Certificates")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Reads the files of the options.
fn read(options: &Options) -> Result<Current, Error> {
    let provider = Arc::new(CryptoProvider {
        cipher_suites: CIPHER_SUITES.to_vec(),
        ..default_provider()
    });
    let key = certified_key(options, &provider)?;
    // `CertifiedKey` refuses a list without certificates.
    let certificate = key.cert.first().cloned().unwrap_or_else(|| Vec::new().into());
    let verifier = match &options.clients {
        None => Arc::new(NoClientAuth),
        Some(clients) => verifier(clients, &provider)?,
    };
    let versions = match options.minimum_version {
        MinimumVersion::Tls12 => TLS_1_2_AND_1_3,
        MinimumVersion::Tls13 => TLS_1_3,
    };
    let resolver: Arc<dyn ResolvesServerCert> = Arc::new(SingleCertAndKey::from(key));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .map_err(|error| internal(&error))?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(resolver);
    config.alpn_protocols.clone_from(&options.protocols);
    // The first cipher of the server that the client supports too is used. testssl reports the client's choice as a finding.
    config.ignore_client_order = true;
    // Clients resume sessions with tickets (RFC 8446, 2.2), whose keys the ticketer replaces every six hours.
    config.ticketer = Ticketer::new().map_err(|error| internal(&error))?;
    Ok(Current {
        config: Arc::new(config),
        certificate,
    })
}

/// Returns the certificate with its key.
fn certified_key(options: &Options, provider: &CryptoProvider) -> Result<CertifiedKey, Error> {
    let (certificate, key) = (options.certificate.display(), options.key.display());
    let chain = files::certificates("certificate file", &options.certificate)?;
    let found = CertifiedKey::from_der(chain, files::private_key(&options.key)?, provider);
    found.map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => Error::new(
            format!("the key of {key} does not belong to the first certificate of {certificate}"),
            "write the server's own certificate first in the certificate file, and give the key with which it was requested"
                .to_owned(),
        ),
        error => Error::new(
            format!("{certificate} and {key} cannot be used: {error}"),
            "use a key of RSA with at least 2048 bits, of ECDSA on P-256 or P-384, or of Ed25519".to_owned(),
        ),
    })
}

/// Returns the check for certificates of clients.
fn verifier(
    clients: &ClientCertificates,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Error> {
    let purpose = "file of authorities for clients";
    let unusable = |error: &dyn fmt::Display| Error::unreadable(purpose, &clients.authorities, error);
    let certificates = files::certificates(purpose, &clients.authorities)?;
    let authorities = Authorities::new(certificates, clients.is_required, provider);
    Ok(Arc::new(authorities.map_err(|error| unusable(&error))?))
}

/// Returns the error for a failure that no file causes, such as a system without random numbers.
fn internal(error: &dyn fmt::Display) -> Error {
    Error::new(
        format!("TLS cannot start: {error}"),
        "report this error: no setting of TLS should cause it".to_owned(),
    )
}
