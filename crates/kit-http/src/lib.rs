//! kit-http
