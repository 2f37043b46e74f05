//! What an earlier build of this process left in the output directory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::OutputFile;
use crate::disk::{self, Stamp};

/// Files with what they held and their stamps then. A file whose stamp is still the same needs no reading.
///
/// The clock of a file system may be coarse: an edit within milliseconds of the writing that keeps the size goes unseen.
/// The files are generated, and nobody edits them that fast.
#[derive(Debug, Default)]
pub(crate) struct Known {
    directory: PathBuf,
    files: HashMap<String, (Arc<String>, Stamp)>,
}

impl Known {
    /// Whether a file of a directory surely holds this text.
    pub(super) fn holds(&self, directory: &Path, file: &OutputFile) -> bool {
        self.directory == directory
            && self.files.get(&file.path).is_some_and(|(text, stamp)| {
                (Arc::ptr_eq(text, &file.text) || *text == file.text)
                    && disk::stamp(&directory.join(&file.path)).as_ref() == Some(stamp)
            })
    }

    /// Learns what a directory holds now. `changed` are the files that were written.
    pub(super) fn learn(&mut self, directory: &Path, files: &[OutputFile], changed: &[String]) {
        if self.directory != directory {
            self.files.clear();
            directory.clone_into(&mut self.directory);
        }
        for path in changed {
            self.files.remove(path);
        }
        let mut before = std::mem::take(&mut self.files);
        let learned = kit_parallel::map(files, |file| match before.get(&file.path) {
            Some((text, stamp)) if Arc::ptr_eq(text, &file.text) => Some(stamp.clone()),
            _ => disk::stamp(&directory.join(&file.path)),
        });
        before.clear();
        self.files = files
            .iter()
            .zip(learned)
            .filter_map(|(file, stamp)| Some((file.path.clone(), (Arc::clone(&file.text), stamp?))))
            .collect();
    }
}
