//! Input of a build.

use std::path::Path;
use std::sync::Arc;

use kit_typescript::FileSystem;

use crate::{BuildTime, ResolvedConfig};

/// Input of a build.
#[derive(Clone)]
pub struct BuildRequest<'a> {
    /// Root of the project, as returned by [`project_root`](crate::project_root).
    pub root: &'a Path,
    /// Configuration of the project.
    pub config: &'a ResolvedConfig,
    /// File system with the source files. Artifacts are always written to the disk.
    pub files: Arc<dyn FileSystem>,
    /// Time of the build, which is written into changed files.
    pub time: &'a BuildTime,
}
