//! Files that handlers choose, below a directory that clients cannot leave.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::answer::{FileBody, WHOLE_BYTES};
use crate::open::{Opened, open};
use crate::path::names_of_download;
use crate::range::ByteRange;
use crate::reader::{FileReader, Part};
use crate::site::Site;
use crate::validators::Validators;

/// Maximum number of directories whose paths are kept. An application has few, unless it makes them from data.
const MOST_KEPT: usize = 256;

/// Paths of directories without symbolic links, by their given paths. The target of a directory at its first use is used until the
/// end, as for static files.
static ROOTS: Mutex<BTreeMap<PathBuf, PathBuf>> = Mutex::new(BTreeMap::new());

/// File below a directory that is open for reading.
#[derive(Debug)]
pub struct FileBelow {
    size: u64,
    validators: Validators,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Small file, which is read already.
    Whole(Vec<u8>),
    /// Other file.
    File(fs::File),
}

impl FileBelow {
    /// Opens a file below a directory. `name` may come from a client: it consists of names of directories and of the file, such as
    /// `2026/report.pdf`. Returns `None` if there is no regular file, or if the name would leave the directory or has a part
    /// that begins with a dot. Reads a small file. Blocks.
    ///
    /// ```
    /// use kit_static::{ByteRange, FileBelow, FileBody};
    ///
    /// let file = FileBelow::open("src".as_ref(), "lib.rs")?.ok_or("there is no file")?;
    /// assert!(file.size() > 3 && !file.validators().headers(false).is_empty());
    /// let body = file.into_body(Some(ByteRange { first: 0, last: 2 }));
    /// assert!(matches!(body, FileBody::Whole(bytes) if bytes == b"//!"));
    ///
    /// assert!(FileBelow::open("src".as_ref(), "../Cargo.toml")?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the directory does not exist, or contains the working directory, and for errors of the file system that do not mean that
    /// the file is missing.
    pub fn open(dir: &Path, name: &str) -> io::Result<Option<Self>> {
        let site = Site::new(root_of(dir)?);
        let Some(names) = names_of_download(name) else {
            return Ok(None);
        };
        let Some(Opened::File(opened)) = open(&site, &names)? else {
            return Ok(None);
        };
        let (size, validators) = (opened.size, Validators::of(&opened, None));
        let content = if size > WHOLE_BYTES {
            Content::File(opened.file)
        } else {
            Content::Whole(reader_of(opened.file, size, None).read_all()?)
        };
        Ok(Some(Self {
            size,
            validators,
            content,
        }))
    }

    /// Returns the number of bytes of the file.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the entity tag and the time of the last change, as static files have them.
    #[must_use]
    pub fn validators(&self) -> &Validators {
        &self.validators
    }

    /// Returns the body of a response with the file, or with a range of it.
    #[must_use]
    pub fn into_body(self, range: Option<ByteRange>) -> FileBody {
        match self.content {
            Content::File(file) => FileBody::Stream(reader_of(file, self.size, range)),
            Content::Whole(mut bytes) => {
                if let Some(range) = range {
                    let position = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
                    bytes.truncate(position(range.last).saturating_add(1));
                    bytes.drain(..position(range.first).min(bytes.len()));
                }
                FileBody::Whole(bytes)
            }
        }
    }
}

/// Returns a reader of a file, or of a range of it.
fn reader_of(file: fs::File, size: u64, range: Option<ByteRange>) -> FileReader {
    let whole = size.checked_sub(1).map(|last| ByteRange { first: 0, last });
    let parts = range.or(whole).map(Part::Range).into_iter().collect();
    FileReader::new(file, parts)
}

/// Returns the path of a directory without symbolic links.
///
/// # Errors
///
/// If the directory does not exist, or if it contains the working directory.
fn root_of(dir: &Path) -> io::Result<PathBuf> {
    let roots = || ROOTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(root) = roots().get(dir) {
        return Ok(root.clone());
    }
    let root = Site::new(dir).resolve()?.root;
    if fs::canonicalize(".")?.starts_with(&root) {
        return Err(io::Error::other(format!(
            "the directory {} contains the working directory of the server, so clients could read all files of the server; put the \
             files of downloads into a directory of their own",
            root.display()
        )));
    }
    let mut roots = roots();
    if roots.len() >= MOST_KEPT {
        roots.clear();
    }
    roots.insert(dir.to_owned(), root.clone());
    Ok(root)
}
