//! Writing TypeScript: indentation, imports, and escaping that cannot be forgotten.

pub(crate) mod literal;
mod module;
mod path;
mod writer;

pub(crate) use module::{Imports, Module, Written, header};
pub(crate) use path::Path;
pub(crate) use writer::{Writer, nested};
