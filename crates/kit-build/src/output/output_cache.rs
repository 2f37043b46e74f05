//! Cache of the state in which the last build of this process left the output directory.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::OutputFile;
use super::manifest::Manifest;
use crate::disk::{self, FileStamp};

/// Content of the written files, and the modification times of their directories.
///
/// Reading thousands of files would be slow. If a file is created, removed or replaced, which is how builds
/// and most editors write, the modification time of its directory changes. A file that was overwritten in
/// place counts as unchanged until its generated text or its directory changes. A build without this cache
/// compares every byte.
///
/// The clock of a file system may be coarse, so a change within milliseconds after a build can stay
/// unnoticed. Nobody edits generated files this fast.
#[derive(Debug, Default)]
pub(crate) struct OutputCache {
    directory: PathBuf,
    manifest: Option<(FileStamp, Arc<Manifest>)>,
    /// Modification time of each directory that contains files, by its path relative to the output directory.
    times: HashMap<String, SystemTime>,
    files: HashMap<String, Arc<String>>,
}

impl OutputCache {
    /// Returns the manifest from the cache if the file was not changed since the last build.
    pub(super) fn manifest(&self, directory: &Path, file: &Path) -> Option<Arc<Manifest>> {
        let (stamp, manifest) = self.manifest.as_ref()?;
        (self.directory == directory && disk::stamp(file).as_ref() == Some(stamp))
            .then(|| Arc::clone(manifest))
    }

    /// Returns the directories in which no file was created, removed or replaced since the last build.
    pub(super) fn unchanged_directories(&self, directory: &Path) -> HashSet<&str> {
        if self.directory != directory {
            return HashSet::new();
        }
        let times = self.times.iter();
        times
            .filter(|(name, time)| disk::modified(&directory.join(name)) == Some(**time))
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// Returns the text that the last build wrote into a file, or found in the file.
    pub(super) fn text(&self, path: &str) -> Option<&Arc<String>> {
        self.files.get(path)
    }

    /// Stores the current state of the directory, while it is still locked. `changed` are the files that the
    /// build wrote.
    pub(super) fn update(
        &mut self,
        directory: &Path,
        files: &[OutputFile],
        changed: &[&OutputFile],
        (path, manifest): (&Path, Arc<Manifest>),
    ) {
        let entry = |file: &OutputFile| (file.path.clone(), Arc::clone(&file.text));
        let same_names = self.manifest.as_ref();
        let same_names = same_names.is_some_and(|(_, before)| Arc::ptr_eq(before, &manifest));
        if same_names && self.directory == directory {
            self.files.extend(changed.iter().map(|file| entry(file)));
        } else {
            self.files = files.iter().map(entry).collect();
            directory.clone_into(&mut self.directory);
        }
        let names: HashSet<&str> = files.iter().map(|file| parent(&file.path)).collect();
        self.times = names
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), disk::modified(&directory.join(name))?)))
            .collect();
        self.manifest = disk::stamp(path).map(|stamp| (stamp, manifest));
    }
}

/// Returns the directory of a path. The directory is empty for a file directly in the output directory.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}
