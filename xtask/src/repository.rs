//! Paths of files in the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// The repository from which this program was built.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Finds the repository: the parent of `manifest`, the directory of this program's crate.
    pub(crate) fn find(manifest: &Path) -> anyhow::Result<Self> {
        let root = manifest
            .parent()
            .context("xtask has no parent directory")?
            .to_path_buf();
        if !root.join("ARCHITECTURE.md").is_file() {
            bail!(
                "{} is not the repository of kit any more: it was moved after this program was built. Run the command again from its new place with `cargo clean -p xtask` first.",
                root.display()
            );
        }
        Ok(Self { root })
    }

    /// Returns the root directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file or directory in the repository.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns cargo's target directory. The environment variable `CARGO_TARGET_DIR` may set it.
    pub(crate) fn target(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => self.root.join(directory),
            None => self.path("target"),
        }
    }

    /// Returns the directory with the programs that npm installed: Node 24, tsc, oxlint, oxfmt, kit.
    pub(crate) fn bin(&self) -> PathBuf {
        self.path("node_modules/.bin")
    }
}
