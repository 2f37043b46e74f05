//! kit-database
