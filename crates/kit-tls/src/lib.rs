//! TLS settings of servers from PEM files. `kit-runtime` uses the crate in Rust servers, and `kit-http` in the native engine.
//!
//! Invariants: no network code, no threads and no timers, so that each caller decides when files are read. Files that cannot be used
//! never replace the configuration in use.

mod authorities;
mod certificate;
mod certificates;
mod der;
mod error;
mod files;
mod name;
mod options;

pub use certificate::CertificateFields;
pub use certificates::Certificates;
pub use error::Error;
pub use options::{ClientCertificates, MinimumVersion, Options};
/// The version of rustls whose types this crate returns.
pub use rustls;
