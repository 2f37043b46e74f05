//! kit-migrate
