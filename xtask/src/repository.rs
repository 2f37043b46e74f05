//! Paths of the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// The repository that this program was built from.
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Finds the repository from the directory of this program's manifest.
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

    /// Returns the target directory of cargo, which `CARGO_TARGET_DIR` may change.
    pub(crate) fn target(&self) -> PathBuf {
        match std::env::var_os("CARGO_TARGET_DIR") {
            Some(directory) => self.root.join(directory),
            None => self.path("target"),
        }
    }

    /// Returns the directory of the commands that npm installed: Node 24, tsc, oxlint, oxfmt, kit.
    pub(crate) fn bin(&self) -> PathBuf {
        self.path("node_modules/.bin")
    }
}
