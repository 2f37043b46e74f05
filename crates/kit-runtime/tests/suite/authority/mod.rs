//! Test helper: certificates for TLS.

#![allow(dead_code, unreachable_pub)] // each feature of the crate uses only a part, and a test program has no public API
#![allow(clippy::incompatible_msrv)] // the minimum Rust version applies to the sources, not to the tests

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// A certificate authority.
pub struct Authority {
    /// Certificate of the certificate authority, in PEM.
    pub certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// Creates an authority with a new key.
    pub fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate").pem();
        Self {
            certificate,
            issuer: Issuer::new(parameters, key),
        }
    }

    /// Creates a certificate and its key for a host or a user, both in PEM.
    pub fn certify(&self, name: &str) -> (String, String) {
        self.certify_with(name, |_| ())
    }

    /// Creates a certificate and its key as [`Authority::certify`] does, after `change` has changed the parameters.
    pub fn certify_with(&self, name: &str, change: impl FnOnce(&mut CertificateParams)) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let mut parameters = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        change(&mut parameters);
        parameters.distinguished_name.push(DnType::CommonName, name);
        let certificate = parameters.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }
}
