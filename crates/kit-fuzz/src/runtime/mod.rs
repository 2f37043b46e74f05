//! Fuzz targets for the input that generated Rust servers read from clients: JSON,
//! multipart bodies, and the headers of proxies.

mod json;
mod multipart;
mod trust_proxy;

pub use json::json;
pub use multipart::multipart;
pub use trust_proxy::trust_proxy;
