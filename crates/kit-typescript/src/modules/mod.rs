//! Source files as modules: reads and parses files, and resolves the names in them to declarations.
//!
//! A [`Module`] is anything that contains declarations: a file, or the block of a namespace, of `declare
//! module "x"` or of `declare global`. Names are resolved in all modules in the same way.
//!
//! `parse` creates the syntax tree of a file. `tables` lists the declarations in a tree. The [`Graph`]
//! contains the modules, resolves names (`lookup`), merges declarations from several locations (`merge`) and
//! computes the values of enum members (`enums`).

mod enum_member;
mod enums;
mod graph;
mod lookup;
mod merge;
mod mistakes;
mod module;
mod name;
mod outline;
mod parse;
mod parsed;
mod path;
mod resolve;
mod symbol;
mod tables;
mod target;
mod unresolved;

pub(crate) use enum_member::EnumValue;
pub(crate) use graph::{Graph, declaration_path};
pub(crate) use module::{Decl, DeclKind, Module, Value};
pub(crate) use name::{Name, expression_path, import_path, type_path};
pub(crate) use outline::{Chunk, ChunkKind, Outline, Word};
pub(crate) use parsed::{ChangedFile, ParsedFile, ParsedFiles};
pub(crate) use resolve::as_newest_typescript_reads;
pub(crate) use symbol::Symbol;

/// Index of a module in the [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ModuleId(pub(crate) u32);

/// Index of a type declaration in the [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DeclId(pub(crate) u32);

/// A range of the source text of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Location {
    pub(crate) module: ModuleId,
    pub(crate) span: oxc_span::Span,
}
