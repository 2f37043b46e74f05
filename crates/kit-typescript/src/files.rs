//! The file system as the compiler sees it: read only, and behind a trait, so that it runs on memory as well as on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use oxc_resolver::{FileMetadata, ResolveError};

use crate::modules::as_newest_typescript_reads;

/// Where source texts come from. `kit-build` implements it on the disk, with its cache.
pub trait FileSystem: Send + Sync {
    /// The text of a file.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// Whether there is a file under that path.
    fn is_file(&self, path: &Path) -> bool;

    /// Whether there is a directory under that path.
    fn is_dir(&self, path: &Path) -> bool;

    /// The names in a directory, sorted; none where there is no such directory. Needed where declarations that nothing
    /// imports are looked for; a file system that lists nothing has none of them.
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let _ = path;
        Ok(Vec::new())
    }

    /// The path with symbolic links followed, so that a package linked into `node_modules` finds its own dependencies.
    /// The path itself where there are no links.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}

/// Files in memory.
///
/// ```
/// use kit_typescript::{FileSystem, MemoryFiles};
/// use std::path::Path;
///
/// let files = MemoryFiles::new([("/app/src/a.ts", "export type A = string;")]);
/// assert!(files.is_dir(Path::new("/app/src")));
/// assert!(files.read(Path::new("/app/src/b.ts")).is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<PathBuf, String>,
}

impl MemoryFiles {
    /// Files by absolute path.
    pub fn new<P: Into<PathBuf>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        Self {
            files: files
                .into_iter()
                .map(|(path, text)| (path.into(), text.into()))
                .collect(),
        }
    }

    /// The files below a directory: they follow it, as paths are ordered by their parts.
    fn below(&self, directory: &Path) -> impl Iterator<Item = &Path> {
        let after = (Bound::Excluded(directory), Bound::Unbounded);
        self.files
            .range::<Path, _>(after)
            .map(|(file, _)| file.as_path())
            .take_while(move |file| file.starts_with(directory))
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) {
        self.files.insert(path.into(), text.into());
    }
}

impl FileSystem for MemoryFiles {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.below(path).next().is_some()
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let inside = self.below(path).filter_map(|file| file.strip_prefix(path).ok());
        let names: BTreeSet<String> = inside
            .filter_map(|rest| rest.components().next())
            .map(|name| name.as_os_str().to_string_lossy().into_owned())
            .collect();
        Ok(names.into_iter().collect())
    }
}

/// A path without `.` and `..`.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// A [`FileSystem`] in the form that the module resolver asks for. Links are not followed here but once at the end, by
/// [`FileSystem::real_path`].
pub(crate) struct ResolverFiles {
    files: Option<Arc<dyn FileSystem>>,
    read: FilesRead,
}

/// The files that a resolver read: `tsconfig.json` and `package.json`, on which its answers depend.
pub(crate) type FilesRead = Arc<Mutex<BTreeSet<PathBuf>>>;

impl ResolverFiles {
    pub(crate) fn on(files: Arc<dyn FileSystem>, read: FilesRead) -> Self {
        Self {
            files: Some(files),
            read,
        }
    }
}

impl oxc_resolver::FileSystem for ResolverFiles {
    /// Demanded by the trait; a file system without files.
    fn new() -> Self {
        Self {
            files: None,
            read: FilesRead::default(),
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_to_string(path).map(String::into_bytes)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let files = self.files.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let text = files.read(path)?;
        // A thread that panicked with the lock left a set that is as good as before.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(path.to_path_buf());
        Ok(if path.ends_with("package.json") {
            as_newest_typescript_reads(text)
        } else {
            text
        })
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        let files = self.files.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let is_file = files.is_file(path);
        let is_dir = !is_file && files.is_dir(path);
        if is_file || is_dir {
            Ok(FileMetadata::new(is_file, is_dir, false))
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.metadata(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        Ok(path.to_path_buf())
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}
