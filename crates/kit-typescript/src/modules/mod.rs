//! Source files as modules: each file is parsed once, and has tables of its declarations, imports and exports.
//!
//! A [`Module`] is anything that contains declarations: a file, the block of a namespace, of `declare module "x"` or of
//! `declare global`. Names are resolved in all of them in the same way, so a name has the same meaning in each of them.
//!
//! `parse` creates the syntax tree of a file, `tables` reads the declarations of a tree (a pure function of the tree), and
//! the [`Graph`] contains the modules, resolves names (`lookup`), merges declarations of several locations (`merge`) and
//! computes the values of enum members (`enums`).

mod enums;
mod graph;
mod lookup;
mod merge;
mod mistakes;
mod module;
mod parse;
mod parsed;
mod path;
mod resolve;
mod tables;
mod target;
mod unresolved;

pub(crate) use enums::EnumValue;
pub(crate) use graph::Graph;
pub(crate) use lookup::Symbol;
pub(crate) use module::{Decl, DeclKind, Module, Value};
pub(crate) use parsed::ParsedFiles;
pub(crate) use path::{Name, expression_path, import_path, type_path};
pub(crate) use resolve::as_newest_typescript_reads;

/// Id of a module of the [`Graph`]: a file, or a block inside of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ModuleId(pub(crate) u32);

/// Id of a type declaration of the [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DeclId(pub(crate) u32);

/// A location in a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Location {
    pub(crate) module: ModuleId,
    pub(crate) span: oxc_span::Span,
}
