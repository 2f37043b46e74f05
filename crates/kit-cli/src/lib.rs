//! kit-cli
