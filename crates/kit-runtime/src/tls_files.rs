//! Certificates and keys of TLS clients, from PEM files and from the operating system. Errors are sentences that name the file.

use rustls::RootCertStore;
#[cfg(any(feature = "otlp", feature = "sqlx"))]
use rustls::pki_types::pem::PemObject as _;
#[cfg(any(feature = "otlp", feature = "sqlx"))]
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Returns the authorities of the operating system.
///
/// # Errors
///
/// If the operating system has none.
pub(crate) fn system_roots() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let reason = found
            .errors
            .first()
            .map_or_else(String::new, |error| format!(": {error}"));
        return Err(format!(
            "the operating system has no certificates of authorities{reason}; install them (ca-certificates)"
        ));
    }
    Ok(roots)
}

/// Returns the authorities of a file.
///
/// # Errors
///
/// If the file cannot be read, or holds no certificate.
#[cfg(any(feature = "otlp", feature = "sqlx"))]
pub(crate) fn roots(file: &str) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(file)? {
        roots
            .add(certificate)
            .map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(roots)
}

/// Returns the certificates of a file.
///
/// # Errors
///
/// If the file cannot be read, or holds no certificate.
#[cfg(any(feature = "otlp", feature = "sqlx"))]
pub(crate) fn certificates(file: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let found: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| format!("{file} cannot be read: {error}"))?;
    if found.is_empty() {
        return Err(format!("{file} holds no certificate in PEM"));
    }
    Ok(found)
}

/// Reads a private key. As in libpq, only its owner may have access to the file. If the owner is root, the group may
/// read it.
///
/// # Errors
///
/// If the file cannot be read, holds no key, or can be read by others.
#[cfg(any(feature = "otlp", feature = "sqlx"))]
pub(crate) fn private_key(file: &str) -> Result<PrivateKeyDer<'static>, String> {
    use std::os::unix::fs::MetadataExt as _;
    // If the metadata cannot be read, the file cannot be read either, and the code below reports that.
    if let Ok(found) = std::fs::metadata(file) {
        let others = if found.uid() == 0 { 0o037 } else { 0o077 };
        if found.mode() & others != 0 {
            return Err(format!(
                "{file} can be read by other users (mode {:03o}), but only the owner may read a private key: chmod 600 {file}",
                found.mode() & 0o777
            ));
        }
    }
    PrivateKeyDer::from_pem_file(file).map_err(|error| match error {
        rustls::pki_types::pem::Error::NoItemsFound => format!(
            "{file} does not contain a usable private key in PEM; if the key has a password, decrypt the key first: openssl pkey -in {file} -out plain.key"
        ),
        error => format!("{file} cannot be read: {error}"),
    })
}
