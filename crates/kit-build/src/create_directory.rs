//! Creates a directory with all its files in one step, for example for a new project.

use std::path::{Path, PathBuf};

use crate::{BuildError, disk};

/// State of the path at which a directory is to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetState {
    /// The path does not exist or is an empty directory.
    Free,
    /// The path is a directory that is not empty. The value is the name of an entry in the directory.
    NotEmpty(String),
    /// The path is a file, or a symbolic link without a target.
    NotADirectory,
}

/// Checks a path at which a directory is to be created.
///
/// # Errors
/// Returns an error if the directory exists but cannot be read.
pub fn check_target(path: &Path) -> Result<TargetState, BuildError> {
    if disk::is_dir(path) {
        let first = disk::names(path)?.into_iter().next();
        return Ok(first.map_or(TargetState::Free, TargetState::NotEmpty));
    }
    Ok(if disk::exists(path) {
        TargetState::NotADirectory
    } else {
        TargetState::Free
    })
}

/// Returns the names in a directory, sorted; `None` if the directory does not exist.
///
/// # Errors
/// Returns an error if the directory exists but cannot be read.
pub fn entry_names(directory: &Path) -> Result<Option<Vec<String>>, BuildError> {
    if !disk::is_dir(directory) {
        return Ok(None);
    }
    disk::names(directory).map(Some)
}

/// Creates a directory with these files, given as paths with `/` and texts.
///
/// The directory exists with all files or not at all: it is created beside `target` under another name, and
/// renamed.
///
/// # Errors
/// Returns an error if a file cannot be written or `target` is not free. An existing `target` stays unchanged.
pub fn create_tree<'a>(
    target: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), BuildError> {
    let mut staged = target.as_os_str().to_owned();
    staged.push(format!(".{}.tmp", std::process::id()));
    let staged = Path::new(&staged);
    disk::remove_tree(staged)?;
    let done = files
        .into_iter()
        .try_for_each(|(path, text)| disk::write(&staged.join(path), text.as_bytes()))
        .and_then(|()| {
            // On some operating systems, a rename replaces an empty directory. On others it fails.
            disk::remove_if_empty(target);
            disk::rename(staged, target)
        });
    done.inspect_err(|_| {
        // The caller gets the error of the write. A second error from the cleanup would not help.
        let _ = disk::remove_tree(staged);
    })
}

/// Writes these files, given as paths with `/` and texts, into an existing directory.
///
/// The directory gets all files or none: they are created in a directory inside of `target`, and renamed.
///
/// # Errors
/// Returns an error if a file cannot be written, or if `target` already has an entry with the name of a file or of its first
/// directory. Existing entries stay unchanged.
pub fn fill_directory<'a>(
    target: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), BuildError> {
    let staged = target.join(format!(".kit.{}.tmp", std::process::id()));
    disk::remove_tree(&staged)?;
    let mut moved = Vec::new();
    let done = files
        .into_iter()
        .try_for_each(|(path, text)| disk::write(&staged.join(path), text.as_bytes()))
        .and_then(|()| move_entries(&staged, target, &mut moved));
    // The directory may be missing or empty now. If a step failed, the caller gets the error of this step.
    let _ = disk::remove_tree(&staged);
    done.inspect_err(|_| {
        for path in moved {
            let _ = if disk::is_dir(&path) {
                disk::remove_tree(&path)
            } else {
                disk::remove_file(&path)
            };
        }
    })
}

/// Moves the entries of a directory into another one, and appends their new paths to `moved`.
fn move_entries(from: &Path, to: &Path, moved: &mut Vec<PathBuf>) -> Result<(), BuildError> {
    let names = disk::names(from)?;
    for path in names.iter().map(|name| to.join(name)) {
        if disk::exists(&path) {
            return Err(BuildError::io("write", &path)(
                std::io::ErrorKind::AlreadyExists.into(),
            ));
        }
    }
    for name in names {
        let path = to.join(&name);
        disk::rename(&from.join(&name), &path)?;
        moved.push(path);
    }
    Ok(())
}

/// Writes a new file. Other processes never see a partial file.
///
/// # Errors
/// Returns an error if the file exists or cannot be written. An existing file stays unchanged.
pub fn create_file(path: &Path, text: &str) -> Result<(), BuildError> {
    if disk::exists(path) {
        let taken = std::io::ErrorKind::AlreadyExists;
        return Err(BuildError::io("write", path)(taken.into()));
    }
    crate::write_text(path, text)
}

/// Removes a file that [`create_file`] wrote.
///
/// # Errors
/// Returns an error if the file cannot be removed.
pub fn remove_created(path: &Path) -> Result<(), BuildError> {
    disk::remove_file(path)
}
