//! Code that handlers share: rules of the application, independent of HTTP.

pub mod articles;
pub mod comments;
pub mod errors;
pub mod profiles;
pub mod tokens;
