//! Services that handlers and middleware share.

pub mod accounts;
pub mod cart;
pub mod catalogue;
pub mod limits;
pub mod orders;
pub mod sessions;
