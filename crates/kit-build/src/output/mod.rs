//! The output directory: what an earlier build left there, and how the next one replaces it.
//!
//! Invariants:
//! - Only bytes that differ are written, so that watchers and caches see only real changes.
//! - A file goes into its place in one step. Modules come before `routes/index.ts`, through which an application reaches
//!   them, so that a build that dies half-way leaves old entry points on old or new modules, never on missing ones.
//! - Only files that a build wrote are ever removed. The manifest names them; while files change it names old and new
//!   ones, so that a build after a crash knows all of them.

use std::sync::Arc;

mod known;
mod manifest;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use known::Known;
pub(crate) use writer::{OutputDirectory, check_path};

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputFile {
    /// Relative to the output directory, with `/`.
    pub(crate) path: String,
    /// Its content.
    pub(crate) text: Arc<String>,
    /// The time that the content carries, where it carries one.
    pub(crate) generated_at: Option<String>,
}

/// What writing changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// New or with other bytes than before, sorted.
    pub written: Vec<String>,
    /// As they were.
    pub unchanged: usize,
    /// Written by an earlier build and no longer made, sorted.
    pub removed: Vec<String>,
    /// Files outside of the output directory that plugins own, relative to the root: new or with other bytes, sorted.
    pub project: Vec<String>,
}
