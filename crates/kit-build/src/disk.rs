//! The one module that touches files. Everything else of the compiler sees a `FileSystem` or plain text.
#![allow(clippy::disallowed_methods)] // Reason: this is the module that the rule leads everybody to.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::BuildError;

pub(crate) fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

pub(crate) fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Whether there is anything under that path, a link that leads nowhere included.
pub(crate) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The bytes of a file, or nothing where there is no such file.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, BuildError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        // A missing directory on the way, or a file in its place, is a missing file as well.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(BuildError::io("read", path)(error)),
    }
}

/// When a file was last written, and how long it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: SystemTime,
    length: u64,
}

/// The stamp of a file; nothing where there is none, or where the system keeps no times.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(Stamp {
        modified: metadata.modified().ok()?,
        length: metadata.len(),
    })
}

/// When a directory's entries, or a file's bytes, last changed; nothing where there is none, or where the system keeps no
/// times.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

/// The text of a file. Text that is not UTF-8 is an error of the kind `InvalidData`.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// The names in a directory, sorted; empty where there is no such directory.
pub(crate) fn names(path: &Path) -> Result<Vec<String>, BuildError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(BuildError::io("list", path)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(BuildError::io("list", path))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The names in a directory, sorted.
pub(crate) fn list(path: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

pub(crate) fn make_dir(path: &Path) -> Result<(), BuildError> {
    fs::create_dir_all(path).map_err(BuildError::io("make the directory", path))
}

/// Writes a file together with the directories above it.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    if let Some(parent) = path.parent() {
        make_dir(parent)?;
    }
    write_into(path, bytes)
}

/// Writes a file into a directory that is there.
pub(crate) fn write_into(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    fs::write(path, bytes).map_err(BuildError::io("write", path))
}

/// Puts a file or directory into its place in one step.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), BuildError> {
    if let Some(parent) = to.parent() {
        make_dir(parent)?;
    }
    fs::rename(from, to).map_err(BuildError::io("write", to))
}

/// Removes a file that may be gone already.
pub(crate) fn remove_file(path: &Path) -> Result<(), BuildError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(BuildError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a directory with all that is in it; it may be gone already.
pub(crate) fn remove_tree(path: &Path) -> Result<(), BuildError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(BuildError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a directory where it is empty; leaves it where it is not.
pub(crate) fn remove_if_empty(path: &Path) {
    // Every failure means the same here: the directory stays, and an empty directory does no harm.
    let _ = fs::remove_dir(path);
}

/// Opens the file that builds lock, making it where it is missing.
pub(crate) fn open_lock(path: &Path) -> Result<File, BuildError> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(BuildError::io("open", path))
}

/// The path with symbolic links followed.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}
