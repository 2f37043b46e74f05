//! kit-router
