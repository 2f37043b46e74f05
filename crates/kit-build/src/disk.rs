//! Access to the disk. All other code of the compiler uses a `FileSystem` or strings.
#![allow(clippy::disallowed_methods)] // Reason: other modules must use the functions of this one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

use crate::BuildError;

pub(crate) fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

pub(crate) fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Returns true if the path exists. A symbolic link without a target counts as existing.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns the bytes of a file, or `None` if the file does not exist.
pub(crate) fn read_optional(path: &Path) -> Result<Option<Vec<u8>>, BuildError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        // If a parent directory is missing or is a file, the file does not exist either. This is not an
        // error.
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

/// Modification time and length of a file, to notice changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: SystemTime,
    length: u64,
}

/// Returns the stamp of a file; `None` if the file does not exist, or if its file system stores no
/// modification times.
pub(crate) fn stamp(path: &Path) -> Option<FileStamp> {
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(FileStamp {
        modified: metadata.modified().ok()?,
        length: metadata.len(),
    })
}

/// Time after which a file system gives a second change of a file another time than the first. The times of FAT have
/// the largest steps.
#[cfg(unix)]
const CLOCK_STEP: Duration = Duration::from_secs(2);

/// Returns a number that changes if a file changes. Returns `None` if the last change of the file is so recent that the next
/// change could have the same time, or if the file system stores no times.
#[cfg(unix)]
pub(crate) fn settled_stamp(path: &Path) -> Option<u128> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?;
    // Tools that copy files may set the modification time, but not the time of the last change.
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).ok()?;
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    let last = modified.max(changed);
    // A time in the future is never settled.
    let is_settled = SystemTime::now()
        .duration_since(last)
        .is_ok_and(|age| age > CLOCK_STEP);
    let since = last.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    is_settled.then(|| since.as_nanos() << 64 | u128::from(metadata.len()))
}

/// Returns `None`: programs can set all times of a file on this system. A file that an archive or a copy replaces by a file of
/// the same length and time would keep its stamp.
#[cfg(not(unix))]
pub(crate) fn settled_stamp(_path: &Path) -> Option<u128> {
    None
}

/// Returns the modification time of a file or directory; `None` if it does not exist, or if its file system
/// stores no modification times.
pub(crate) fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

/// Returns the text of a file. Text that is not UTF-8 is an error of the kind `InvalidData`.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Returns the names of the entries in a directory, sorted. The list is empty if the directory does not
/// exist.
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

/// Returns the names of the entries in a directory, sorted.
pub(crate) fn list(path: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

pub(crate) fn make_dir(path: &Path) -> Result<(), BuildError> {
    fs::create_dir_all(path).map_err(BuildError::io("make the directory", path))
}

/// Writes a file and creates its parent directories.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    if let Some(parent) = path.parent() {
        make_dir(parent)?;
    }
    write_into(path, bytes)
}

/// Writes a file into an existing directory.
pub(crate) fn write_into(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    fs::write(path, bytes).map_err(BuildError::io("write", path))
}

/// Renames a file or directory, after it creates the parent directories of the target.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), BuildError> {
    if let Some(parent) = to.parent() {
        make_dir(parent)?;
    }
    fs::rename(from, to).map_err(BuildError::io("write", to))
}

/// Removes a file. It is not an error if the file does not exist.
pub(crate) fn remove_file(path: &Path) -> Result<(), BuildError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(BuildError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a directory with its contents. It is not an error if the directory does not exist.
pub(crate) fn remove_tree(path: &Path) -> Result<(), BuildError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(BuildError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a directory if it is empty.
pub(crate) fn remove_if_empty(path: &Path) {
    // If this fails, an empty directory remains, which does no harm.
    let _ = fs::remove_dir(path);
}

/// Opens the file that builds lock, and creates it if it does not exist.
pub(crate) fn open_lock(path: &Path) -> Result<File, BuildError> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(BuildError::io("open", path))
}

/// Opens an existing file to which a program appends its output.
pub(crate) fn open_log(path: &Path) -> Result<File, BuildError> {
    File::options()
        .append(true)
        .open(path)
        .map_err(BuildError::io("open", path))
}

/// Returns the absolute path with symbolic links resolved.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Creates a directory that only this user can read. Returns false if the path exists and `may_exist` is true.
pub(crate) fn make_new_private_dir(path: &Path, may_exist: bool) -> Result<bool, BuildError> {
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::DirBuilderExt as _;
        let mut builder = fs::DirBuilder::new();
        builder.mode(0o700);
        builder
    };
    #[cfg(not(unix))]
    let builder = fs::DirBuilder::new();
    match builder.create(path) {
        Ok(()) => Ok(true),
        Err(error) if may_exist && error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(BuildError::io("create", path)(error)),
    }
}

/// Creates a symbolic link to a directory.
pub(crate) fn link_dir(target: &Path, link: &Path) -> Result<(), BuildError> {
    #[cfg(windows)]
    let made = std::os::windows::fs::symlink_dir(target, link);
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(target, link);
    // WebAssembly: no project there has installed packages to link.
    #[cfg(not(any(unix, windows)))]
    let made = {
        let _ = target;
        Err(io::Error::from(io::ErrorKind::Unsupported))
    };
    made.map_err(BuildError::io("create a link at", link))
}
