//! Check of certificates of clients.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, RootCertStore, SignatureScheme,
};

use crate::CertificateFields;

/// Accepts the certificate of a client if the authority that signed it is valid now. webpki does not look at the dates of
/// authorities. OpenSSL, which servers on `node:https` use, does.
#[derive(Debug)]
pub(crate) struct Authorities {
    certificates: Vec<CertificateDer<'static>>,
    /// Times from which and until which each authority is valid. `None` if a certificate has no readable times.
    times: Vec<Option<(SystemTime, SystemTime)>>,
    is_required: bool,
    provider: Arc<CryptoProvider>,
    /// Check with all authorities.
    all: Arc<dyn ClientCertVerifier>,
    /// Check with a part of the authorities, from the last handshake at which not all were valid.
    part: Mutex<Option<Part>>,
}

/// Check with the authorities that are valid at a time.
#[derive(Debug, Clone)]
struct Part {
    is_valid: Vec<bool>,
    /// `None` if no authority is valid.
    verifier: Option<Arc<dyn ClientCertVerifier>>,
}

impl Authorities {
    /// Makes a check with these authorities.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no authority, or if a certificate cannot be used as one.
    pub(crate) fn new(
        certificates: Vec<CertificateDer<'static>>,
        is_required: bool,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let times = certificates.iter().map(|certificate| {
            CertificateFields::read(certificate).map(|fields| (fields.valid_from, fields.valid_to))
        });
        Ok(Self {
            times: times.collect(),
            all: verifier(&certificates, is_required, provider)?,
            certificates,
            is_required,
            provider: Arc::clone(provider),
            part: Mutex::new(None),
        })
    }

    /// Returns the check with the authorities that are valid at this time. Returns `None` if there is none.
    fn at(&self, now: SystemTime) -> Option<Arc<dyn ClientCertVerifier>> {
        let is_valid = |times: &Option<(SystemTime, SystemTime)>| {
            times.is_none_or(|(from, to)| from <= now && now <= to)
        };
        if self.times.iter().all(is_valid) {
            return Some(Arc::clone(&self.all));
        }
        let is_valid: Vec<bool> = self.times.iter().map(is_valid).collect();
        let mut part = self.part.lock().unwrap_or_else(PoisonError::into_inner);
        if part.as_ref().is_none_or(|part| part.is_valid != is_valid) {
            let of_now = self.certificates.iter().zip(&is_valid);
            let of_now: Vec<_> = of_now
                .filter(|(_, is_valid)| **is_valid)
                .map(|(certificate, _)| certificate.clone())
                .collect();
            let verifier = verifier(&of_now, self.is_required, &self.provider).ok();
            *part = Some(Part { is_valid, verifier });
        }
        part.as_ref().and_then(|part| part.verifier.clone())
    }
}

/// Returns the check with these authorities.
fn verifier(
    certificates: &[CertificateDer<'static>],
    is_required: bool,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add(certificate.clone())?;
    }
    let builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    let verifier = if is_required {
        builder.build()
    } else {
        builder.allow_unauthenticated().build()
    };
    Ok(verifier?)
}

impl ClientCertVerifier for Authorities {
    fn client_auth_mandatory(&self) -> bool {
        self.is_required
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.all.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(now.as_secs());
        match self.at(time) {
            Some(verifier) => verifier.verify_client_cert(certificate, intermediates, now),
            None => Err(CertificateError::UnknownIssuer.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.all.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.all.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.all.supported_verify_schemes()
    }
}
