//! Certificate with which a client has proved its identity in the TLS handshake.

use std::fmt;
use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::Arc;

use kit_tls::CertificateFields;
use sha2_v10::{Digest as _, Sha256};

use crate::{Timestamp, bytes};

/// Certificate with which a client has proved its identity in the TLS handshake. The server has verified it with the authorities of
/// `TLS_CLIENT_CA`. [`Context::client_certificate`](crate::Context::client_certificate) returns it.
///
/// `Debug` shows subject and fingerprint only.
///
/// ```
/// use kit_runtime::{Context, Error, StatusCode};
///
/// fn require_billing(context: &Context) -> Result<(), Error> {
///     let uris = context.client_certificate().map_or(&[][..], |found| found.uris());
///     if uris.iter().any(|uri| uri == "spiffe://example.com/billing") {
///         return Ok(());
///     }
///     Err(Error::new(StatusCode::FORBIDDEN, "WRONG_CLIENT", "This client may not send such requests"))
/// }
/// ```
///
/// ```
/// use kit_runtime::ClientCertificate;
///
/// fn describe(found: &ClientCertificate) -> String {
///     let owner = format!("{} ({:?}), signed by {}", found.subject(), found.common_name(), found.issuer());
///     let names = format!("{:?}, {:?}, {:?}", found.dns_names(), found.emails(), found.ip_addresses());
///     let times = format!("from {} to {}", found.valid_from(), found.valid_to());
///     let number = format!("{}, {}", found.serial_number(), found.fingerprint256());
///     format!("{owner}: {names}, {times}, {number}\n{}", found.pem())
/// }
/// ```
#[derive(Clone)]
pub struct ClientCertificate(Arc<Inner>);

struct Inner {
    fields: CertificateFields,
    der: Vec<u8>,
}

impl ClientCertificate {
    /// Reads a certificate in DER. Returns `None` if the fields cannot be read.
    pub(crate) fn read(der: &[u8]) -> Option<Self> {
        let fields = CertificateFields::read(der)?;
        let der = der.to_vec();
        Some(Self(Arc::new(Inner { fields, der })))
    }

    /// Returns the name of the owner in the form of RFC 4514: `CN=billing,O=Example`. The name may be empty.
    pub fn subject(&self) -> &str {
        &self.0.fields.subject
    }

    /// Returns `CN` of the subject. Returns `None` if there is none, or more than one.
    pub fn common_name(&self) -> Option<&str> {
        self.0.fields.common_name.as_deref()
    }

    /// Returns the name of the authority that signed the certificate, in the form of [`ClientCertificate::subject`].
    pub fn issuer(&self) -> &str {
        &self.0.fields.issuer
    }

    /// Returns the number that the authority gave to the certificate, as hexadecimal digits in upper case.
    pub fn serial_number(&self) -> &str {
        &self.0.fields.serial_number
    }

    /// Returns the SHA-256 of the certificate as `openssl x509 -fingerprint -sha256` prints it: `AB:CD:…`.
    pub fn fingerprint256(&self) -> String {
        let mut text = String::with_capacity(95);
        for byte in Sha256::digest(&self.0.der) {
            let separator = if text.is_empty() { "" } else { ":" };
            let _ = write!(text, "{separator}{byte:02X}");
        }
        text
    }

    /// Returns the host names of the extension `subjectAltName`.
    pub fn dns_names(&self) -> &[String] {
        &self.0.fields.dns_names
    }

    /// Returns the URIs of this extension, such as SPIFFE ids.
    pub fn uris(&self) -> &[String] {
        &self.0.fields.uris
    }

    /// Returns the email addresses of this extension.
    pub fn emails(&self) -> &[String] {
        &self.0.fields.emails
    }

    /// Returns the IP addresses of this extension.
    pub fn ip_addresses(&self) -> &[IpAddr] {
        &self.0.fields.ip_addresses
    }

    /// Returns the time from which the certificate is valid.
    pub fn valid_from(&self) -> Timestamp {
        self.0.fields.valid_from.into()
    }

    /// Returns the time until which the certificate is valid.
    pub fn valid_to(&self) -> Timestamp {
        self.0.fields.valid_to.into()
    }

    /// Returns the certificate in PEM.
    pub fn pem(&self) -> String {
        let base64 = bytes::encode(&self.0.der);
        let mut text = "-----BEGIN CERTIFICATE-----\n".to_owned();
        let mut rest = base64.as_str();
        while !rest.is_empty() {
            let (line, after) = rest.split_at(rest.len().min(64));
            text.push_str(line);
            text.push('\n');
            rest = after;
        }
        text.push_str("-----END CERTIFICATE-----\n");
        text
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientCertificate")
            .field("subject", &self.subject())
            .field("fingerprint256", &self.fingerprint256())
            .finish_non_exhaustive()
    }
}
