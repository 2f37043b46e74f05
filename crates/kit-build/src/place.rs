//! A directory that is made as a whole: of a new project, say.

use std::path::Path;

use crate::{BuildError, disk};

/// What is where a directory is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Nothing, or an empty directory.
    Free,
    /// A directory with something in it: this, among others.
    Taken(String),
    /// A file, or a link that leads nowhere.
    NoDirectory,
}

/// Looks at a place.
pub fn place(path: &Path) -> Result<Place, BuildError> {
    if disk::is_dir(path) {
        let first = disk::names(path)?.into_iter().next();
        return Ok(first.map_or(Place::Free, Place::Taken));
    }
    Ok(if disk::is_there(path) {
        Place::NoDirectory
    } else {
        Place::Free
    })
}

/// The names of what a directory holds, in order; `None` where there is none.
pub fn names(directory: &Path) -> Result<Option<Vec<String>>, BuildError> {
    if !disk::is_dir(directory) {
        return Ok(None);
    }
    disk::names(directory).map(Some)
}

/// Makes a directory with these files, paths with `/` and texts. It appears with all of them or not at all: it is made
/// beside its place, and put there in one step. A place that is not free any more is an error and stays as it is.
pub fn create_tree<'a>(
    target: &Path,
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), BuildError> {
    let mut staged = target.as_os_str().to_owned();
    staged.push(format!(".{}.tmp", std::process::id()));
    let staged = Path::new(&staged);
    disk::remove_tree(staged)?;
    let done = files
        .into_iter()
        .try_for_each(|(path, text)| disk::write(&staged.join(path), text.as_bytes()))
        .and_then(|()| {
            // Some systems put a directory over an empty one, others do not.
            disk::remove_if_empty(target);
            disk::rename(staged, target)
        });
    done.inspect_err(|_| {
        // What went wrong is told; a directory that stays behind as well is no news.
        let _ = disk::remove_tree(staged);
    })
}

/// Writes a new file in one step. A file that is there already is an error and stays as it is.
pub fn create_file(path: &Path, text: &str) -> Result<(), BuildError> {
    if disk::is_there(path) {
        let taken = std::io::ErrorKind::AlreadyExists;
        return Err(BuildError::io("write", path)(taken.into()));
    }
    crate::write_text(path, text)
}

/// Takes back a file that [`create_file`] made.
pub fn remove_created(path: &Path) -> Result<(), BuildError> {
    disk::remove_file(path)
}
