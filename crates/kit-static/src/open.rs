//! Opens files.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::site::Site;

/// Result of opening a path.
pub(crate) enum Opened {
    File(OpenFile),
    Directory,
}

/// Regular file that is open for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) size: u64,
    /// Time of the last change in nanoseconds since 1970. `None` if the time is before 1970 or unknown.
    pub(crate) modified: Option<u128>,
}

/// Opens the file of a site. Returns `None` if there is no regular file, or if a symbolic link leads out of the directory.
///
/// # Errors
///
/// Errors of the file system that do not mean that the file is missing, such as a lack of permission.
pub(crate) fn open(site: &Site, names: &[Cow<'_, str>]) -> io::Result<Option<Opened>> {
    let mut path = site.root.clone();
    path.extend(names.iter().map(|name| Path::new(name.as_ref())));
    match open_path(site, &path) {
        Err(error) if is_missing(&error) => Ok(None),
        other => other,
    }
}

fn open_path(site: &Site, path: &Path) -> io::Result<Option<Opened>> {
    let file = options().open(path)?;
    let metadata = file.metadata()?;
    if !(metadata.is_file() || metadata.is_dir()) {
        return Ok(None);
    }
    if !site.follow_symlinks && !real_path(&file, path)?.starts_with(&site.root) {
        return Ok(None);
    }
    if metadata.is_dir() {
        return Ok(Some(Opened::Directory));
    }
    let modified = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(Some(Opened::File(OpenFile {
        file,
        size: metadata.len(),
        modified: modified.map(|time| time.as_nanos()),
    })))
}

/// Returns options to read a file. Opening does not wait for the other end of a pipe.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use std::os::unix::fs::OpenOptionsExt;
        /// `O_NONBLOCK` of the operating system.
        const NON_BLOCKING: i32 = if cfg!(target_os = "macos") { 0x4 } else { 0o4000 };
        options.custom_flags(NON_BLOCKING);
    }
    options
}

/// Returns the path of an open file without symbolic links.
fn real_path(file: &File, path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // The link names the file that is open, even if somebody replaces a directory of the path in the meantime.
        if let Ok(target) = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
            return Ok(target);
        }
    }
    let _ = file;
    fs::canonicalize(path)
}

/// Returns true for errors that mean that there is no file: missing, below a file, too many links, a name that is too long,
/// or a socket.
fn is_missing(error: &io::Error) -> bool {
    if matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    ) {
        return true;
    }
    let is_mac = cfg!(target_os = "macos");
    match error.raw_os_error() {
        // ENXIO
        Some(6) => true,
        // ENAMETOOLONG and ELOOP
        Some(63 | 62) => is_mac,
        Some(36 | 40) => !is_mac,
        _ => false,
    }
}
