//! The output directory: reads the state that an earlier build left, and replaces its files.
//!
//! Invariants:
//! - A build writes only files whose bytes differ, so watchers and caches see only real changes.
//! - A build moves each file to its final path in one step. Modules come before `routes/index.ts`, through which an
//!   application imports them. So after a crash, old entry points find old or new modules, but no module is missing.
//! - A build removes only files that a build wrote. The manifest lists them. While files change, the manifest lists old and
//!   new files, so the next build after a crash knows all of them.

use std::sync::Arc;

mod javascript;
mod manifest;
mod output_cache;
mod paths;
#[cfg(test)]
mod tests;
mod writer;

pub use javascript::{Uncompiled, copy_uncompiled};
pub(crate) use output_cache::OutputCache;
pub(crate) use paths::check_path;
pub(crate) use writer::OutputDirectory;

/// A generated file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputFile {
    /// Path, relative to the output directory, with `/`.
    pub(crate) path: String,
    /// Content of the file.
    pub(crate) text: Arc<String>,
    /// Time in the content; `None` if the content contains no time.
    pub(crate) generated_at: Option<String>,
}

/// Files that a build wrote and removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// Paths of new files, and of files whose content changed, sorted.
    pub written: Vec<String>,
    /// Number of unchanged files.
    pub unchanged: usize,
    /// Paths of files that an earlier build wrote and this build no longer generates, sorted.
    pub removed: Vec<String>,
    /// Paths of the files that plugins wrote outside of the output directory, because they are new or their content
    /// changed. The paths are relative to the project's root and sorted.
    pub project: Vec<String>,
}
