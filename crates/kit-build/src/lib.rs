//! kit-build
