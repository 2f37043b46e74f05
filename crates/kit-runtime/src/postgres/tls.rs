//! TLS client with the certificate checks that a URL requires.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::security::{CertificateChecks, TlsSettings, refused};
use crate::{Error, tls_files};

/// Creates the TLS configuration of a client that checks certificates as `security` says.
pub(super) fn client(security: &TlsSettings) -> Result<Arc<ClientConfig>, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(verifier(security, &provider)?);
    let config = match &security.identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => builder
            .with_client_auth_cert(
                tls_files::certificates(certificate).map_err(refused)?,
                tls_files::private_key(key).map_err(refused)?,
            )
            .map_err(|error| refused(format!("{certificate}: {error}")))?,
    };
    Ok(Arc::new(config))
}

fn verifier(
    security: &TlsSettings,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let authority = match security.checks {
        CertificateChecks::Nothing => None,
        CertificateChecks::Authority | CertificateChecks::AuthorityAndHost => {
            let builder =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots(security)?), Arc::clone(provider));
            Some(builder.build().map_err(|error| refused(error.to_string()))?)
        }
    };
    Ok(match (security.checks, authority) {
        (CertificateChecks::AuthorityAndHost, Some(strict)) => strict,
        (_, authority) => Arc::new(LenientVerifier {
            authority,
            provider: Arc::clone(provider),
        }),
    })
}

/// Returns the trusted authorities from the file in `sslrootcert`, or else from the operating system.
fn roots(security: &TlsSettings) -> Result<RootCertStore, Error> {
    let found = match &security.roots {
        Some(file) => tls_files::roots(file),
        None => {
            tls_files::system_roots().map_err(|reason| format!("{reason}, or name a file with `sslrootcert`"))
        }
    };
    found.map_err(refused)
}

/// Verifier of a server's certificate that ignores the host name. If no authority is given, it accepts every
/// certificate.
#[derive(Debug)]
struct LenientVerifier {
    authority: Option<Arc<WebPkiServerVerifier>>,
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
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authority) = &self.authority else {
            return Ok(ServerCertVerified::assertion());
        };
        match authority.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The host is checked last, so the authority is already verified if only the host is wrong.
            Err(rustls::Error::InvalidCertificate(
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
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
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
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
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
