//! The guard in front of an HTTP/1.1 parser: validates each head, parses the framing of each body, and passes only
//! bytes that all parsers interpret in the same way.
//!
//! The guard stands between the socket and hyper, in kit's own engine (`kit-http`) and in the Rust servers that kit
//! generates (`kit-runtime`), which contain a copy of its sources. The guard does no input or output.
//!
//! Invariants:
//! - The output is a sequence of complete heads, each followed by its body. A head passes only after all of it was
//!   validated.
//! - The rejected bytes and the reason do not depend on how the input was split.
//! - The guard stores at most one head and one line of a chunked body.
//! - After a bounded number of bytes, the guard passes some on or rejects them. So a server that reads until bytes pass reads a bounded
//!   number of bytes.

mod authority;
mod characters;
mod chunk_extension;
mod chunked;
mod guard;
mod head;
mod lines;
mod origin;
mod pace;
mod path;
mod rejection;
mod rejections;
mod transfer_coding;

pub use characters::trim;
pub use chunked::{PlainChunks, PlainEnd};
pub use guard::{Guard, guard_stream};
pub use head::{Layout, Limits, check_parts};
pub use lines::Lines;
pub use origin::is_origin;
pub use pace::{Pace, READ_RATE};
pub use path::{has_dot_segment, normal_path, normal_target};
pub use rejection::Rejection;
pub use rejections::REJECTIONS;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
