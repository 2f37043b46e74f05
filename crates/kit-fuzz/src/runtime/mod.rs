//! Fuzz targets for the input that generated Rust servers read from clients: JSON, and the headers of proxies.

mod json;
mod trust_proxy;

pub use json::json;
pub use trust_proxy::trust_proxy;
