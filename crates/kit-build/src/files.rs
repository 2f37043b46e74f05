//! The disk as the compiler sees it.

use std::io;
use std::path::{Path, PathBuf};

use kit_typescript::FileSystem;

use crate::{BuildError, disk};

/// The real file system.
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

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        disk::canonical(path)
    }
}

/// The text of a file; nothing where there is no such file.
pub fn read_text(path: &Path) -> Result<Option<String>, BuildError> {
    disk::read_if_there(path)?
        .map(|bytes| {
            String::from_utf8(bytes)
                .map_err(|error| BuildError::io("read", path)(io::Error::other(error.utf8_error())))
        })
        .transpose()
}

/// Writes a file in one step, together with the directories above it: nobody ever sees a part of it.
pub fn write_text(path: &Path, text: &str) -> Result<(), BuildError> {
    let mut staged = path.as_os_str().to_owned();
    staged.push(format!(".{}.tmp", std::process::id()));
    let staged = PathBuf::from(staged);
    disk::write(&staged, text.as_bytes())
        .and_then(|()| disk::rename(&staged, path))
        .inspect_err(|_| {
            // What went wrong is told; a file that stays behind as well is no news.
            let _ = disk::remove_file(&staged);
        })
}

/// The root of a project: absolute, without symbolic links, so that every path that is derived from it agrees.
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
