//! File systems that the compiler reads from: the trait, and files in memory. The compiler never writes
//! files.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use oxc_resolver::{FileMetadata, ResolveError};

use crate::modules::as_newest_typescript_reads;

/// Provider of file contents for the compiler. `kit-build` implements it for the disk, with a cache.
pub trait FileSystem: Send + Sync {
    /// Returns the contents of a file.
    ///
    /// # Errors
    ///
    /// Fails if the file does not exist or cannot be read.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// Returns true if the path is a file.
    fn is_file(&self, path: &Path) -> bool;

    /// Returns true if the path is a directory.
    fn is_dir(&self, path: &Path) -> bool;

    /// Returns the sorted names of the entries in a directory; an empty list if the directory does not exist.
    /// The compiler uses it to find declaration files that no file imports. The default implementation
    /// returns an empty list.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be read.
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let _ = path;
        Ok(Vec::new())
    }

    /// Returns a number that changes if the contents of the file change. A session then need not read the file again. Returns
    /// `None` if a change could be missed, for example because the file was written just now. The default implementation
    /// returns `None`.
    fn stamp(&self, path: &Path) -> Option<u128> {
        let _ = path;
        None
    }

    /// Returns the path with symbolic links resolved, so that a package that is linked into `node_modules`
    /// finds its dependencies. The default implementation returns the path unchanged.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist or cannot be read.
    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }

    /// Returns the text of the declaration file that TypeScript emits for a source file. The compiler reads
    /// from this text the types that the source file does not write out, see [`Output::uninferred`]. The
    /// default implementation returns `None`: TypeScript was not run for any file.
    ///
    /// [`Output::uninferred`]: crate::Output::uninferred
    fn declarations(&self, path: &Path) -> Option<String> {
        let _ = path;
        None
    }
}

/// A file system of files in memory, for tests and fuzzing.
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
    declarations: BTreeMap<PathBuf, String>,
}

impl MemoryFiles {
    /// Creates a file system from pairs of an absolute path and the content of a file.
    pub fn new<P: Into<PathBuf>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        Self {
            files: files
                .into_iter()
                .map(|(path, text)| (path.into(), text.into()))
                .collect(),
            declarations: BTreeMap::new(),
        }
    }

    /// Sets the text of the declaration file that TypeScript emits for a source file.
    ///
    /// ```
    /// use kit_typescript::{FileSystem, MemoryFiles};
    /// use std::path::Path;
    ///
    /// let mut files = MemoryFiles::new([("/app/a.ts", "export const words = \"a b\".split(\" \");")]);
    /// files.declare("/app/a.ts", "export declare const words: string[];");
    /// assert!(files.declarations(Path::new("/app/a.ts")).is_some());
    /// ```
    pub fn declare(&mut self, path: impl Into<PathBuf>, text: impl Into<String>) {
        self.declarations.insert(path.into(), text.into());
    }

    /// Returns the files in a directory and its subdirectories. They directly follow the directory in the
    /// sorted map.
    fn below(&self, directory: &Path) -> impl Iterator<Item = &Path> {
        let after = (Bound::Excluded(directory), Bound::Unbounded);
        self.files
            .range::<Path, _>(after)
            .map(|(file, _)| file.as_path())
            .take_while(move |file| file.starts_with(directory))
    }

    /// Adds a file, or replaces its content.
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

    fn declarations(&self, path: &Path) -> Option<String> {
        self.declarations.get(path).cloned()
    }
}

/// Removes the components `.` and `..` from a path: `/a/./b/../c` gives `/a/c`.
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

/// Adapter from a [`FileSystem`] to the interface of the module resolver. The adapter does not resolve
/// symbolic links; this is done once for the result, with [`FileSystem::real_path`].
pub(crate) struct ResolverFiles {
    files: Option<Arc<dyn FileSystem>>,
    read: FilesRead,
}

/// The `tsconfig.json` and `package.json` files that a resolver read, with their texts. Its results depend on them.
pub(crate) type FilesRead = Arc<Mutex<BTreeMap<PathBuf, String>>>;

impl ResolverFiles {
    pub(crate) fn on(files: Arc<dyn FileSystem>, read: FilesRead) -> Self {
        Self {
            files: Some(files),
            read,
        }
    }
}

impl oxc_resolver::FileSystem for ResolverFiles {
    /// Creates an adapter without files. The trait of the resolver requires this function.
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
        // A thread that panicked while it held the lock left a valid map.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert(path.to_path_buf(), text.clone());
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
