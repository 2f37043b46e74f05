//! Places addons in the packages that load them, for the time of the steps.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::addons::Addon;
use crate::platforms::Platform;
use crate::repository::Repository;

/// Addons of one platform in the packages. When this value is dropped, the earlier files are in their place again, because addons without
/// optimization must not be published.
pub(super) struct Placed {
    files: Vec<PathBuf>,
}

impl Placed {
    pub(super) fn new(
        repository: &Repository,
        platform: &Platform,
        built: &[(&Addon, PathBuf)],
    ) -> anyhow::Result<Self> {
        let mut placed = Self { files: Vec::new() };
        for (addon, library) in built {
            let path = addon.placed_for(repository, platform.name);
            place(library, &path)?;
            placed.files.push(path);
        }
        Ok(placed)
    }

    /// Returns the paths of the addons.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.files
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        for path in &self.files {
            // If a file cannot be moved back, `cargo xtask addons` builds it again.
            let _ = std::fs::remove_file(path);
            let _ = std::fs::rename(earlier(path), path);
        }
    }
}

fn place(library: &Path, path: &Path) -> anyhow::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    // The copy comes first: if the disk is full, the addon stays where it is.
    let fresh = path.with_extension("new");
    std::fs::copy(library, &fresh).with_context(|| format!("cannot copy {}", library.display()))?;
    // An interrupted run may have left the earlier file.
    if path.exists() && !earlier(path).exists() {
        std::fs::rename(path, earlier(path)).with_context(|| format!("cannot move {}", path.display()))?;
    }
    std::fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

fn earlier(path: &Path) -> PathBuf {
    path.with_extension("earlier")
}

#[cfg(test)]
mod tests {
    use super::{Placed, place};

    #[test]
    fn earlier_addons_are_in_their_place_again() {
        let directory = std::env::temp_dir().join(format!("kit-xtask-placed-{}", std::process::id()));
        let addon = directory.join("native/kit.node");
        std::fs::create_dir_all(addon.parent().unwrap()).unwrap();
        std::fs::write(&addon, "earlier").unwrap();
        let library = directory.join("kit.so");
        std::fs::write(&library, "tried").unwrap();
        let absent = directory.join("native/other.node");
        for path in [&addon, &absent] {
            place(&library, path).unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), "tried");
        }
        drop(Placed {
            files: vec![addon.clone(), absent.clone()],
        });
        assert_eq!(std::fs::read_to_string(&addon).unwrap(), "earlier");
        assert!(!absent.exists());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
