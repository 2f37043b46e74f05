//! Paths of files in the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// The repository from which this program was built.
pub(crate) struct Repository {
    root: PathBuf,
    is_first_build: bool,
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
        let mut repository = Self {
            root,
            is_first_build: false,
        };
        repository.is_first_build = !contains_build(&repository.target());
        Ok(repository)
    }

    /// Returns true if the target directory had no crates of kit when this program started.
    pub(crate) fn is_first_build(&self) -> bool {
        self.is_first_build
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

/// Returns true if cargo has built a crate of kit in this target directory.
fn contains_build(target: &Path) -> bool {
    std::fs::read_dir(target.join("debug/deps")).is_ok_and(|mut files| {
        files.any(|file| {
            file.is_ok_and(|file| {
                let name = file.file_name();
                let name = name.to_string_lossy();
                name.starts_with("libkit_ir-")
                    && Path::new(&*name).extension().is_some_and(|kind| kind == "rmeta")
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::contains_build;

    #[test]
    fn finds_a_build_of_the_crates_but_not_of_xtask_alone() {
        let target = std::env::temp_dir().join(format!("kit-xtask-target-{}", std::process::id()));
        let deps = target.join("debug/deps");
        assert!(!contains_build(&target));
        std::fs::create_dir_all(&deps).unwrap();
        std::fs::write(deps.join("libxtask-0f3a.rmeta"), "").unwrap();
        assert!(!contains_build(&target));
        std::fs::write(deps.join("libkit_ir-0f3a.rmeta"), "").unwrap();
        assert!(contains_build(&target));
        std::fs::remove_dir_all(&target).unwrap();
    }
}
