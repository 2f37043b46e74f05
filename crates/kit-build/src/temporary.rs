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

/// Makes the installed packages of a directory visible in its copy, if the copy has no `node_modules`. A package that is a
/// link to another directory of the repository, as in workspaces, becomes a link to the copy of this directory.
///
/// # Errors
/// Returns an error if a link cannot be created.
pub fn link_packages(
    from: &Path,
    copy: &Path,
    (repository, copy_of_repository): (&Path, &Path),
) -> Result<(), BuildError> {
    let (packages, links) = (from.join("node_modules"), copy.join("node_modules"));
    if !disk::is_dir(&packages) || !disk::is_dir(copy) || disk::exists(&links) {
        return Ok(());
    }
    let repository = disk::canonical(repository).map_err(BuildError::io("read", repository))?;
    for name in disk::names(&packages)? {
        let package = packages.join(&name);
        if name.starts_with('@') {
            for inner in disk::names(&package)? {
                link(
                    &package.join(&inner),
                    &links.join(&name).join(inner),
                    (&repository, copy_of_repository),
                )?;
            }
        } else {
            link(&package, &links.join(name), (&repository, copy_of_repository))?;
        }
    }
    Ok(())
}

fn link(package: &Path, link: &Path, (repository, copy): (&Path, &Path)) -> Result<(), BuildError> {
    if !disk::is_dir(package) {
        return Ok(());
    }
    let target = disk::canonical(package).map_err(BuildError::io("read", package))?;
    let is_installed = target.components().any(|part| part.as_os_str() == "node_modules");
    let own = target.strip_prefix(repository).ok().filter(|_| !is_installed);
    let target = match own.map(|own| copy.join(own)) {
        Some(own) if disk::is_dir(&own) => own,
        // The package did not exist in the other state, or it is not a part of the repository.
        _ => target,
    };
    if let Some(parent) = link.parent() {
        disk::make_dir(parent)?;
    }
    disk::link_dir(&target, link)
}
