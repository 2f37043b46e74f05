//! Notices files that appear or disappear beside the files of a program. Such a file can change the target of an import
//! although no file that the compiler read is different.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::disk;

/// Directories in which the compiler may find files, with their modification times and the names in them.
#[derive(Debug, Default)]
pub(crate) struct Directories(BTreeMap<PathBuf, Listed>);

#[derive(Debug)]
struct Listed {
    modified: Option<SystemTime>,
    names: Vec<String>,
}

impl Listed {
    fn new(path: &Path) -> Self {
        let modified = disk::modified(path);
        let mut names = disk::list(path).unwrap_or_default();
        // Editors create such files while they save. No import names them.
        names.retain(|name| !name.starts_with('.') && !name.ends_with('~'));
        Self { modified, names }
    }
}

impl Directories {
    /// Returns true if a directory contains other names than in the last call of [`Directories::update`].
    pub(crate) fn have_changed(&mut self) -> bool {
        let mut have_changed = false;
        // All changed directories are listed now. Otherwise, each of the next builds would find one of them.
        for (path, listed) in &mut self.0 {
            if listed.modified.is_some() && listed.modified == disk::modified(path) {
                continue;
            }
            let before = std::mem::replace(listed, Listed::new(path));
            have_changed |= before.names != listed.names;
        }
        have_changed
    }

    /// Lists the directories with the files that the compiler read, and those above them in the project.
    pub(crate) fn update(&mut self, root: &Path, dependencies: &[PathBuf]) {
        let mut wanted = BTreeSet::from([
            root.to_path_buf(),
            root.join("node_modules"),
            root.join("node_modules/@types"),
        ]);
        for parent in dependencies.iter().filter_map(|path| path.parent()) {
            for directory in parent.ancestors() {
                // The directories above are already in the set.
                if !wanted.insert(directory.to_path_buf())
                    || directory == root
                    || !directory.starts_with(root)
                {
                    break;
                }
            }
        }
        self.0.retain(|path, _| wanted.contains(path));
        for path in wanted {
            self.0.entry(path).or_insert_with_key(|path| Listed::new(path));
        }
    }
}
