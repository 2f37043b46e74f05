//! Writing TypeScript: indentation, imports, and escaping that cannot be forgotten.

pub(crate) mod literal;
mod module;
mod writer;

pub(crate) use module::{Module, header};
pub(crate) use writer::Writer;
