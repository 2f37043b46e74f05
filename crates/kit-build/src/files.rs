//! Files on the disk, for the compiler and for commands.

use std::io;
use std::path::{Path, PathBuf};

use kit_typescript::FileSystem;

use crate::{BuildError, disk};

/// The file system of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn read(&self, path: &Path) -> io::Result<String> {
        disk::read_text(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        disk::is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        disk::is_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        disk::list(path)
    }

    fn stamp(&self, path: &Path) -> Option<u128> {
        disk::settled_stamp(path)
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        disk::canonical(path)
    }
}

/// Returns the text of a file, or `None` if the file does not exist.
///
/// # Errors
///
/// Returns an error if the file exists but cannot be read, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<Option<String>, BuildError> {
    disk::read_optional(path)?
        .map(|bytes| {
            String::from_utf8(bytes)
                .map_err(|error| BuildError::io("read", path)(io::Error::other(error.utf8_error())))
        })
        .transpose()
}

/// Writes a file and creates its parent directories. Other processes never see a partial file, because the file
/// is written under another name and renamed.
///
/// # Errors
///
/// Returns an error if the file cannot be written. After an error, an existing file is unchanged.
pub fn write_text(path: &Path, text: &str) -> Result<(), BuildError> {
    let mut staged = path.as_os_str().to_owned();
    staged.push(format!(".{}.tmp", std::process::id()));
    let staged = PathBuf::from(staged);
    disk::write(&staged, text.as_bytes())
        .and_then(|()| disk::rename(&staged, path))
        .inspect_err(|_| {
            // The caller gets the error of the write. A second error from the cleanup would not help.
            let _ = disk::remove_file(&staged);
        })
}

/// Returns the root of a project as an absolute path without symbolic links. All other paths of the project
/// start with it.
///
/// # Errors
///
/// Returns an error if `path` is not a directory.
pub fn project_root(path: &Path) -> Result<PathBuf, BuildError> {
    match disk::canonical(path) {
        Ok(root) if disk::is_dir(&root) => Ok(root),
        Ok(_) => Err(BuildError::NoProject {
            root: path.to_owned(),
        }),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(BuildError::NoProject {
                root: path.to_owned(),
            })
        }
        Err(error) => Err(BuildError::io("open the project", path)(error)),
    }
}
