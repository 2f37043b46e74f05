//! Source files as modules: parsed once, with tables of what they declare, import and export.
//!
//! A [`Module`] is anything that holds declarations: a file, the block of a namespace, of `declare module "x"` or of
//! `declare global`. All of them are looked into in the same way, so that a name means the same wherever it is written.
//!
//! `parse` makes a syntax tree of a text, `tables` reads what a tree declares (a pure function of the tree), and the
//! [`Graph`] holds the modules, leads from name to name (`lookup`), puts together what is declared in several places
//! (`merge`) and computes the values of enum members (`enums`).

mod enums;
mod graph;
mod lookup;
mod merge;
mod missing;
mod mistakes;
mod module;
mod parse;
mod parsed;
mod path;
mod resolve;
mod tables;
mod target;

pub(crate) use enums::EnumValue;
pub(crate) use graph::Graph;
pub(crate) use lookup::Symbol;
pub(crate) use module::{Decl, DeclKind, Module, Value};
pub(crate) use parsed::ParsedFiles;
pub(crate) use path::{Name, expression_path, import_path, type_path};
pub(crate) use resolve::as_newest_typescript_reads;

/// A module of the [`Graph`]: a file, or a block inside of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ModuleId(pub(crate) u32);

/// A type declaration of the [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DeclId(pub(crate) u32);

/// A place in a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) module: ModuleId,
    pub(crate) span: oxc_span::Span,
}
