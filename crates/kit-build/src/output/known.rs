//! What an earlier build of this process left in the output directory.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::OutputFile;
use super::manifest::Manifest;
use crate::disk::{self, Stamp};

/// Files with what they held, and when their directories last changed.
///
/// Thousands of files are not asked one by one: a directory's own time tells when a file came, went or was replaced, which
/// is how builds and most editors write. A file that somebody overwrote in place is believed to be as it was until its text
/// is to change, or its directory does; a build of its own compares every byte.
///
/// The clock of a file system may be coarse: a change within milliseconds of the writing goes unseen. The files are
/// generated, and nobody edits them that fast.
#[derive(Debug, Default)]
pub(crate) struct Known {
    directory: PathBuf,
    manifest: Option<(Stamp, Arc<Manifest>)>,
    /// When each directory of files, by its path within the output directory, last changed.
    times: HashMap<String, SystemTime>,
    files: HashMap<String, Arc<String>>,
}

impl Known {
    /// The manifest, where its file is the one that the last build left.
    pub(super) fn manifest(&self, directory: &Path, file: &Path) -> Option<Arc<Manifest>> {
        let (stamp, manifest) = self.manifest.as_ref()?;
        (self.directory == directory && disk::stamp(file).as_ref() == Some(stamp))
            .then(|| Arc::clone(manifest))
    }

    /// The directories in which no file came, went or was replaced since the last build.
    pub(super) fn untouched(&self, directory: &Path) -> HashSet<&str> {
        if self.directory != directory {
            return HashSet::new();
        }
        let times = self.times.iter();
        times
            .filter(|(name, time)| disk::modified(&directory.join(name)) == Some(**time))
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// Whether this is the text that a file was left with.
    pub(super) fn left(&self, file: &OutputFile) -> bool {
        let left = self.files.get(&file.path);
        left.is_some_and(|text| Arc::ptr_eq(text, &file.text) || *text == file.text)
    }

    /// Learns what a directory holds now, which nobody else writes to meanwhile. `changed` are the files that were written.
    pub(super) fn learn(
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

/// The directory of a file; nothing for the output directory itself.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}
