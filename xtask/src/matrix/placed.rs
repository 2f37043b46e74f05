//! Places addons in the packages that load them, for the time of the steps.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

use crate::addons::Addon;
use crate::platforms::Platform;
use crate::repository::Repository;

/// Time of tried addons. A later run recognizes addons by this time that a run left because it was ended by force.
const TRIED: SystemTime = SystemTime::UNIX_EPOCH;

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
    restore_after_interruption(path)?;
    // The copy comes first: if the disk is full, the addon stays where it is.
    let fresh = path.with_extension("new");
    std::fs::copy(library, &fresh).with_context(|| format!("cannot copy {}", library.display()))?;
    let file = File::options().write(true).open(&fresh);
    file.and_then(|file| file.set_modified(TRIED))
        .with_context(|| format!("cannot change the time of {}", fresh.display()))?;
    if path.exists() {
        std::fs::rename(path, earlier(path)).with_context(|| format!("cannot move {}", path.display()))?;
    }
    std::fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes what a run left that was ended by force. If the addon is a tried one, the earlier addon replaces it. If not, somebody has built the
/// addon since then, and the earlier one is of no use.
fn restore_after_interruption(path: &Path) -> anyhow::Result<()> {
    let earlier = earlier(path);
    let is_tried = std::fs::metadata(path)
        .and_then(|found| found.modified())
        .is_ok_and(|time| time == TRIED);
    let result = match (is_tried, earlier.exists()) {
        (true, false) => std::fs::remove_file(path),
        (false, true) if path.exists() => std::fs::remove_file(&earlier),
        (true | false, true) => std::fs::rename(&earlier, path),
        (false, false) => Ok(()),
    };
    result.with_context(|| format!("cannot restore {}", path.display()))
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

    #[test]
    fn a_run_after_one_that_was_ended_by_force_restores_the_newest_addons() {
        let directory = std::env::temp_dir().join(format!("kit-xtask-ended-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let library = directory.join("kit.so");
        std::fs::write(&library, "tried").unwrap();
        let text = |path: &std::path::Path| std::fs::read_to_string(path).ok();
        let paths = ["kept", "rebuilt", "absent"].map(|name| directory.join(format!("{name}.node")));
        let [kept, rebuilt, absent] = &paths;
        std::fs::write(kept, "earlier").unwrap();
        std::fs::write(rebuilt, "earlier").unwrap();
        // No value is dropped after these, as if the run was ended.
        for path in &paths {
            place(&library, path).unwrap();
        }
        std::fs::remove_file(rebuilt).unwrap();
        std::fs::write(rebuilt, "new").unwrap();
        for path in &paths {
            place(&library, path).unwrap();
        }
        assert_eq!(text(rebuilt).as_deref(), Some("tried"));
        drop(Placed {
            files: paths.to_vec(),
        });
        assert_eq!(text(kept).as_deref(), Some("earlier"));
        assert_eq!(text(rebuilt).as_deref(), Some("new"));
        assert_eq!(text(absent), None);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
