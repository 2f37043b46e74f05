//! Source files as modules: parsed once, with tables of what they declare, import and export.

mod graph;
mod parse;
mod table;

pub(crate) use graph::{Graph, Symbol};
pub(crate) use table::{Decl, DeclKind, Module, Value};

/// A module of the [`Graph`].
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
