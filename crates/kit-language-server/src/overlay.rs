//! Files of the disk with the texts of open documents in place of the saved texts.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_build::{Disk, FileSystem};

/// File system in which open documents have the text of the editor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Overlay {
    texts: Arc<BTreeMap<PathBuf, Arc<str>>>,
}

impl Overlay {
    pub(crate) fn new(texts: impl IntoIterator<Item = (PathBuf, Arc<str>)>) -> Self {
        Self {
            texts: Arc::new(texts.into_iter().collect()),
        }
    }
}

impl FileSystem for Overlay {
    fn read(&self, path: &Path) -> io::Result<String> {
        match self.texts.get(path) {
            Some(text) => Ok(text.to_string()),
            None => Disk.read(path),
        }
    }

    fn is_file(&self, path: &Path) -> bool {
        self.texts.contains_key(path) || Disk.is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        Disk.is_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        Disk.list(path)
    }

    fn stamp(&self, path: &Path) -> Option<u128> {
        (!self.texts.contains_key(path))
            .then(|| Disk.stamp(path))
            .flatten()
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        match Disk.real_path(path) {
            // The file is not saved yet.
            Err(_) if self.texts.contains_key(path) => Ok(path.to_path_buf()),
            result => result,
        }
    }
}
