//! The guard before an HTTP/1.1 parser: checks each head, follows the framing of each body, and lets only bytes through that every
//! other party reads in the same way.
//!
//! Where it stands: between the socket and hyper, in kit's own engine (`kit-http`) and in the Rust servers that kit generates
//! (`kit-runtime`), which carry its sources. It does no input or output.
//!
//! Invariants:
//! - What passes is a sequence of whole heads, each followed by its body; a head passes only after all of it was checked.
//! - What is refused, and why, does not depend on how the bytes were cut.
//! - It keeps no more than one head and one line of a chunked body.

mod authority;
mod chunked;
mod coding;
mod extension;
mod guard;
mod head;
mod path;
mod rejection;

pub use guard::{Guard, screen};
pub use head::{Layout, Limits, Lines, trim};
pub use path::{has_dot_segment, normal_path, normal_target};
pub use rejection::Rejection;
