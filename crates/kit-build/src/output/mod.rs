//! The output directory: reads the state that an earlier build left, and replaces its files.
//!
//! Invariants:
//! - A build writes only files whose bytes differ, so watchers and caches see only real changes.
//! - A build moves each file to its final path in one step. Modules come before `routes/index.ts`, through which an
//!   application imports them. After a crash, old entry points therefore find old or new modules, but never miss one.
//! - A build removes only files that a build wrote. The manifest lists them. While files change, the manifest lists old and
//!   new files, so the next build after a crash knows all of them.

use std::sync::Arc;

mod manifest;
mod output_cache;
mod paths;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use output_cache::OutputCache;
pub(crate) use paths::check_path;
pub(crate) use writer::OutputDirectory;

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputFile {
    /// Path, relative to the output directory, with `/`.
    pub(crate) path: String,
    /// Content of the file.
    pub(crate) text: Arc<String>,
    /// Time in the content; `None` if the content contains no time.
    pub(crate) generated_at: Option<String>,
}

/// Changes that a build made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChanges {
    /// New files and files with changed bytes, sorted.
    pub written: Vec<String>,
    /// Number of unchanged files.
    pub unchanged: usize,
    /// Files that an earlier build wrote and this one no longer generates, sorted.
    pub removed: Vec<String>,
    /// Files of plugins outside of the output directory, relative to the root: new or with changed bytes, sorted.
    pub project: Vec<String>,
}
