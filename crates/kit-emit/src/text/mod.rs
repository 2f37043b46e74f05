//! Prints TypeScript: indentation, imports, and escaping.

mod content_hash;
pub(crate) mod literal;
mod module;
mod path;
mod writer;

pub(crate) use module::{
    Exported, Imports, Module, NO_CHECK, PURE, Written, function, header, unchecked_header,
};
pub(crate) use path::Path;
pub(crate) use writer::{Writer, nested};
