//! A temporary directory for a command, for example for an earlier state of a project.

use std::path::{Path, PathBuf};

use crate::{BuildError, disk};

/// Maximum number of names that are tried.
const MAX_TRIES: u32 = 1000;

/// A temporary directory. It is removed with its content when the value is dropped.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
}

impl TemporaryDirectory {
    /// Creates an empty directory among the temporary files of the machine. Only this user can read the directory. Its name
    /// contains the name of the command, such as `diff`.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created.
    ///
    /// ```
    /// let directory = kit_build::TemporaryDirectory::create("diff")?;
    /// let path = directory.path().to_owned();
    /// assert!(path.is_dir());
    /// drop(directory);
    /// assert!(!path.exists());
    /// # Ok::<(), kit_build::BuildError>(())
    /// ```
    pub fn create(command: &str) -> Result<Self, BuildError> {
        // Compilers compare paths without symbolic links, and the directory of temporary files can be one.
        let base = std::env::temp_dir();
        let base = disk::canonical(&base).map_err(BuildError::io("read", &base))?;
        let mut number = 0;
        loop {
            let path = base.join(format!("kit-{command}-{}-{number}", std::process::id()));
            if disk::make_new_private_dir(&path, number < MAX_TRIES)? {
                return Ok(Self { path });
            }
            number += 1;
        }
    }

    /// Returns the absolute path, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the directory before the value is dropped.
    pub fn remove(&self) {
        // The result of the command is complete. The operating system removes temporary files that remain.
        let _ = disk::remove_tree(&self.path);
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        self.remove();
    }
}
