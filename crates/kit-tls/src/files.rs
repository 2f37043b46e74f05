//! Certificates and keys from PEM files, and the state of these files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::{Error, Options};

/// State of each file. Different values mean that a file was replaced, or that its permissions have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStates(Vec<Option<State>>);

/// State of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    size: u64,
    modified: SystemTime,
    identity: Identity,
}

/// Number of the file, and the time of its last change in seconds and nanoseconds, which `chmod` changes too. Systems other than Unix
/// have neither.
type Identity = (u64, i64, i64);

impl FileStates {
    /// Reads the states of all files of the options. A file that does not exist has the state `None`.
    pub(crate) fn read(options: &Options) -> Self {
        let authorities = options.clients.as_ref().map(|clients| &clients.authorities);
        let files = [Some(&options.certificate), Some(&options.key), authorities];
        Self(files.into_iter().flatten().map(state).collect())
    }
}

/// Returns the state of a file. `fs::metadata` follows symbolic links, which Kubernetes replaces to renew a secret.
fn state(file: &PathBuf) -> Option<State> {
    let found = fs::metadata(file).ok()?;
    Some(State {
        size: found.len(),
        modified: found.modified().ok()?,
        identity: identity(&found),
    })
}

#[cfg(unix)]
fn identity(found: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;

    (found.ino(), found.ctime(), found.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Identity {
    (0, 0, 0)
}

/// Returns the certificates of a file. There is at least one.
pub(crate) fn certificates(purpose: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let found: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| Error::unreadable(purpose, file, &error))?;
    if found.is_empty() {
        return Err(Error::new(
            format!("the {purpose} {} contains no certificate in PEM", file.display()),
            "give a file with lines `-----BEGIN CERTIFICATE-----`; `openssl x509 -inform der -in FILE` converts a file in DER".to_owned(),
        ));
    }
    Ok(found)
}

/// Returns the private key of a file.
pub(crate) fn private_key(file: &Path) -> Result<PrivateKeyDer<'static>, Error> {
    PrivateKeyDer::from_pem_file(file).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            let file = file.display();
            Error::new(
                format!("the key file {file} contains no private key without a password in PEM"),
                format!(
                    "if the key has a password, decrypt the key: `openssl pkey -in {file} -out plain.key`"
                ),
            )
        }
        error => Error::unreadable("key file", file, &error),
    })
}
