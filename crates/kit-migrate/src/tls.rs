//! TLS to the database, as libpq's `sslmode` has it.
//!
//! | `sslmode` | encrypted | the server's certificate |
//! |---|---|---|
//! | `disable` | no | |
//! | `prefer` (and `allow`) | where the server can | not checked |
//! | `require` | yes | not checked, unless `sslrootcert` names an authority |
//! | `verify-ca` | yes | must come from a known authority |
//! | `verify-full` | yes | must also be for the host of the URL |
//!
//! Known authorities are those of the file in `sslrootcert`, else the operating system's.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::Verifier;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::MigrateError;

/// What a URL says of TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Security {
    /// Whether to encrypt, in the words of the connection's own parser.
    pub(crate) mode: SslMode,
    checks: Checks,
    /// A file of certificates; `system` where the operating system's are meant.
    roots: Option<String>,
    /// Files of this side's certificate and its key.
    identity: Option<(String, String)>,
}

/// What of a server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    Nothing,
    Authority,
    AuthorityAndHost,
}

impl Security {
    /// Takes what a URL says of TLS out of it, since the connection's parser knows only half of it.
    pub(crate) fn of(url: &str) -> Result<(String, Self), MigrateError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut rest = Vec::new();
        let (mut mode, mut roots, mut certificate, mut key) = (None, None, None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let place = match name {
                "sslmode" => &mut mode,
                "sslrootcert" => &mut roots,
                "sslcert" => &mut certificate,
                "sslkey" => &mut key,
                _ => {
                    rest.push(pair);
                    continue;
                }
            };
            *place = Some(percent_decode(value));
        }
        let said = mode.as_deref();
        let (mode, checks) = match said {
            None if roots.as_deref() == Some("system") => (SslMode::Require, Checks::AuthorityAndHost),
            None | Some("prefer" | "allow") => (SslMode::Prefer, Checks::Nothing),
            Some("disable") => (SslMode::Disable, Checks::Nothing),
            // libpq checks where it was told an authority.
            Some("require") if roots.is_some() => (SslMode::Require, Checks::Authority),
            Some("require") => (SslMode::Require, Checks::Nothing),
            Some("verify-ca") => (SslMode::Require, Checks::Authority),
            Some("verify-full") => (SslMode::Require, Checks::AuthorityAndHost),
            Some(other) => {
                return Err(MigrateError::Tls(format!(
                    "`sslmode={other}` is not known; there are disable, prefer, require, verify-ca and verify-full"
                )));
            }
        };
        let identity = match (certificate, key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => {
                return Err(MigrateError::Tls(
                    "`sslcert` and `sslkey` belong together, and one is missing".to_owned(),
                ));
            }
        };
        let stripped = if rest.is_empty() {
            base.to_owned()
        } else {
            format!("{base}?{}", rest.join("&"))
        };
        let security = Self {
            mode,
            checks,
            roots,
            identity,
        };
        Ok((stripped, security))
    }

    /// The connector that does it.
    pub(crate) fn connector(&self) -> Result<MakeRustlsConnect, MigrateError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| MigrateError::Tls(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(self.verifier(&provider)?);
        let config = match &self.identity {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let chain = certificates(certificate)?;
                let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| MigrateError::Tls(format!("{certificate}: {error}")))?
            }
        };
        Ok(MakeRustlsConnect::new(config))
    }

    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, MigrateError> {
        let inner: Option<Arc<dyn ServerCertVerifier>> = match (self.checks, self.roots.as_deref()) {
            (Checks::Nothing, _) => None,
            (_, None | Some("system")) => Some(Arc::new(
                Verifier::new(Arc::clone(provider))
                    .map_err(|error| MigrateError::Tls(format!("the system's authorities: {error}")))?,
            )),
            (_, Some(file)) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(file)? {
                    roots
                        .add(certificate)
                        .map_err(|error| MigrateError::Tls(format!("{file}: {error}")))?;
                }
                let verifier =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
                        .build()
                        .map_err(|error| MigrateError::Tls(format!("{file}: {error}")))?;
                Some(verifier)
            }
        };
        Ok(match (self.checks, inner) {
            (Checks::AuthorityAndHost, Some(inner)) => inner,
            (_, inner) => Arc::new(Lenient {
                inner,
                provider: Arc::clone(provider),
            }),
        })
    }
}

fn certificates(file: &str) -> Result<Vec<CertificateDer<'static>>, MigrateError> {
    let found: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unreadable(file, &error))?;
    if found.is_empty() {
        return Err(MigrateError::Tls(format!("{file} holds no certificate in PEM")));
    }
    Ok(found)
}

fn unreadable(file: &str, error: &rustls::pki_types::pem::Error) -> MigrateError {
    MigrateError::Tls(format!("{file} cannot be read: {error}"))
}

/// Checks less than the rules of the web do, since that is what was asked for.
#[derive(Debug)]
struct Lenient {
    /// Who looks at the authority; nobody where nothing is checked.
    inner: Option<Arc<dyn ServerCertVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(inner) = &self.inner else {
            return Ok(ServerCertVerified::assertion());
        };
        match inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: the authority is a known one.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

fn percent_decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test
mod tests {
    use tokio_postgres::config::SslMode;

    use super::{Checks, Security};

    #[test]
    fn what_is_said_of_tls_is_taken_out() {
        for (url, rest, mode, checks) in [
            (
                "postgres://h/d",
                "postgres://h/d",
                SslMode::Prefer,
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=disable",
                "postgres://h/d",
                SslMode::Disable,
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=require&connect_timeout=3",
                "postgres://h/d?connect_timeout=3",
                SslMode::Require,
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=require&sslrootcert=/a%20b.pem",
                "postgres://h/d",
                SslMode::Require,
                Checks::Authority,
            ),
            (
                "postgres://h/d?sslmode=verify-ca",
                "postgres://h/d",
                SslMode::Require,
                Checks::Authority,
            ),
            (
                "postgres://h/d?sslrootcert=system",
                "postgres://h/d",
                SslMode::Require,
                Checks::AuthorityAndHost,
            ),
        ] {
            let (found, security) = Security::of(url).unwrap();
            assert_eq!(
                (found.as_str(), security.mode, security.checks),
                (rest, mode, checks),
                "{url}"
            );
        }
        let (_, security) = Security::of("postgres://h/d?sslrootcert=/a%20b.pem").unwrap();
        assert_eq!(security.roots.as_deref(), Some("/a b.pem"));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for url in ["postgres://h/d?sslmode=full", "postgres://h/d?sslcert=/x"] {
            assert!(Security::of(url).is_err(), "{url}");
        }
        let (_, security) =
            Security::of("postgres://h/d?sslmode=verify-full&sslrootcert=/not/there.pem").unwrap();
        let error = security.connector().err().unwrap().to_string();
        assert!(error.contains("/not/there.pem cannot be read"), "{error}");
    }
}
