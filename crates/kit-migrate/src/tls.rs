//! TLS connections to the database, with the `sslmode` values of libpq.
//!
//! | `sslmode` | encrypted | the server's certificate |
//! |---|---|---|
//! | `disable` | no | |
//! | `allow` | only if the server refuses an unencrypted connection | not checked |
//! | `prefer` | if the server supports it, unless it accepts only unencrypted connections | not checked |
//! | `require` | yes | not checked, unless `sslrootcert` names an authority |
//! | `verify-ca` | yes | must come from a known authority |
//! | `verify-full` | yes | must also be for the host of the URL |
//!
//! Known authorities are the certificate authorities in the file that `sslrootcert` names, otherwise the authorities
//! of the operating system. `sslrootcert=system` selects the authorities of the operating system explicitly and, as in
//! libpq, implies `verify-full`: public authorities certify anyone, so only the host name identifies the server. kit
//! does not search for files in `~/.postgresql`, as libpq does.

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
use crate::url::parameters;

/// TLS settings of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Security {
    /// Modes to try, in order: if the server refuses the first, the next is tried. `tokio_postgres` defines
    /// the type.
    pub(crate) modes: &'static [SslMode],
    checks: Checks,
    /// File with the certificates of known authorities; `system` selects the authorities of the operating
    /// system.
    roots: Option<String>,
    /// Paths of the files with the client's certificate and its key.
    identity: Option<(String, String)>,
}

/// Checks of the server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    Nothing,
    Authority,
    AuthorityAndHost,
}

impl Security {
    /// Returns the URL without its TLS settings, and the TLS settings. The parser of `tokio_postgres` supports only
    /// some of these settings.
    pub(crate) fn from_url(url: &str) -> Result<(String, Self), MigrateError> {
        let (base, query) = parameters(url);
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
        let system = roots.as_deref() == Some("system");
        let (modes, checks): (&'static [SslMode], Checks) = match mode.as_deref() {
            None if system => (&[SslMode::Require], Checks::AuthorityAndHost),
            None | Some("prefer") => (&[SslMode::Prefer, SslMode::Disable], Checks::Nothing),
            Some("allow") => (&[SslMode::Disable, SslMode::Require], Checks::Nothing),
            Some("disable") => (&[SslMode::Disable], Checks::Nothing),
            // libpq checks the authority if `sslrootcert` names one.
            Some("require") if roots.is_some() => (&[SslMode::Require], Checks::Authority),
            Some("require") => (&[SslMode::Require], Checks::Nothing),
            Some("verify-ca") => (&[SslMode::Require], Checks::Authority),
            Some("verify-full") => (&[SslMode::Require], Checks::AuthorityAndHost),
            Some(other) => {
                return Err(MigrateError::Tls(format!(
                    "`sslmode={other}` is not known; use disable, allow, prefer, require, verify-ca or verify-full"
                )));
            }
        };
        if system && checks != Checks::AuthorityAndHost {
            return Err(MigrateError::Tls(format!(
                "`sslmode={}` is too weak for `sslrootcert=system`, because these authorities give certificates to anybody; write `sslmode=verify-full`, or remove `sslmode`",
                mode.unwrap_or_default()
            )));
        }
        let identity = match (certificate, key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => {
                return Err(MigrateError::Tls(
                    "`sslcert` and `sslkey` must be used together, but one of the two is missing".to_owned(),
                ));
            }
        };
        let stripped = if rest.is_empty() {
            base.to_owned()
        } else {
            format!("{base}?{}", rest.join("&"))
        };
        let security = Self {
            modes,
            checks,
            roots,
            identity,
        };
        Ok((stripped, security))
    }

    /// Returns a connector with these settings.
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
                let key = private_key(key)?;
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
            (_, inner) => Arc::new(LenientVerifier {
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

/// Reads a private key. Refuses a file that other users may read, as libpq does. A file that belongs to root may be
/// readable by its group.
fn private_key(file: &str) -> Result<PrivateKeyDer<'static>, MigrateError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // A file without readable metadata cannot be read either, which is reported below.
        if let Ok(found) = std::fs::metadata(file) {
            let others = if found.uid() == 0 { 0o037 } else { 0o077 };
            if found.mode() & others != 0 {
                return Err(MigrateError::Tls(format!(
                    "{file} can be read by other users (mode {:03o}), but only the owner may read a private key: chmod 600 {file}",
                    found.mode() & 0o777
                )));
            }
        }
    }
    PrivateKeyDer::from_pem_file(file).map_err(|error| match error {
        rustls::pki_types::pem::Error::NoItemsFound => MigrateError::Tls(format!(
            "{file} does not contain a usable private key in PEM; if the key has a password, decrypt the key first: openssl pkey -in {file} -out plain.key"
        )),
        error => unreadable(file, &error),
    })
}

fn unreadable(file: &str, error: &rustls::pki_types::pem::Error) -> MigrateError {
    MigrateError::Tls(format!("{file} cannot be read: {error}"))
}

/// Certificate check for all modes except `verify-full`. Does not compare the host name.
#[derive(Debug)]
struct LenientVerifier {
    /// Check of the certificate authority; `None` if the certificate is not checked.
    inner: Option<Arc<dyn ServerCertVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LenientVerifier {
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
            // The verifier checks the host name last, so the authority is already verified.
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
    fn removes_the_tls_settings_from_the_url() {
        use SslMode::{Disable, Prefer, Require};
        for (url, rest, modes, checks) in [
            (
                "postgres://h/d",
                "postgres://h/d",
                &[Prefer, Disable][..],
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=allow",
                "postgres://h/d",
                &[Disable, Require][..],
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=disable",
                "postgres://h/d",
                &[Disable][..],
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=require&connect_timeout=3",
                "postgres://h/d?connect_timeout=3",
                &[Require][..],
                Checks::Nothing,
            ),
            (
                "postgres://h/d?sslmode=require&sslrootcert=/a%20b.pem",
                "postgres://h/d",
                &[Require][..],
                Checks::Authority,
            ),
            (
                "postgres://h/d?sslmode=verify-ca",
                "postgres://h/d",
                &[Require][..],
                Checks::Authority,
            ),
            (
                "postgres://h/d?sslrootcert=system",
                "postgres://h/d",
                &[Require][..],
                Checks::AuthorityAndHost,
            ),
            (
                "postgres://u:p?w@h/d?sslmode=verify-full",
                "postgres://u:p?w@h/d",
                &[Require][..],
                Checks::AuthorityAndHost,
            ),
        ] {
            let (found, security) = Security::from_url(url).unwrap();
            assert_eq!(
                (found.as_str(), security.modes, security.checks),
                (rest, modes, checks),
                "{url}"
            );
        }
        let (_, security) = Security::from_url("postgres://h/d?sslrootcert=/a%20b.pem").unwrap();
        assert_eq!(security.roots.as_deref(), Some("/a b.pem"));
    }

    #[test]
    fn refuses_unknown_and_invalid_tls_settings() {
        for url in ["postgres://h/d?sslmode=full", "postgres://h/d?sslcert=/x"] {
            assert!(Security::from_url(url).is_err(), "{url}");
        }
        for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
            let error = Security::from_url(&format!("postgres://h/d?sslmode={mode}&sslrootcert=system"));
            let message = error.unwrap_err().to_string();
            assert!(message.contains("verify-full"), "{mode}: {message}");
        }
        let (_, security) =
            Security::from_url("postgres://h/d?sslmode=verify-full&sslrootcert=/not/there.pem").unwrap();
        let error = security.connector().err().unwrap().to_string();
        assert!(error.contains("/not/there.pem cannot be read"), "{error}");
    }
}
