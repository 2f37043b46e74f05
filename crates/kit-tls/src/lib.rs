#![doc = include_str!("../README.md")]

mod certificates;
mod error;
mod files;
mod options;

pub use certificates::Certificates;
pub use error::Error;
pub use options::{ClientCertificates, MinimumVersion, Options};
/// The version of rustls whose types this crate returns.
pub use rustls;
