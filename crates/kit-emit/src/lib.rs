//! kit-emit
