//! Directories whose files are served.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directory whose files are served, from the option `staticFiles` of `createApp`.
///
/// ```
/// use kit_static::Site;
///
/// let site = Site::new(".")?.prefix("/assets").header("cache-control", "no-cache").dot_files();
/// # let _ = site;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Site {
    /// Path of the directory without symbolic links.
    pub(crate) root: PathBuf,
    /// Path below which the files are served. Empty for all paths.
    pub(crate) prefix: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) precompressed: bool,
    /// Names of the directories and of the file that stands for paths without a file.
    pub(crate) spa: Option<Vec<String>>,
    pub(crate) spa_except: Vec<String>,
    pub(crate) dot_files: bool,
    pub(crate) follow_symlinks: bool,
}

impl Site {
    /// Creates a site that serves the directory for all paths.
    ///
    /// # Errors
    ///
    /// If the directory does not exist, or if the path is not that of a directory.
    pub fn new(dir: impl AsRef<Path>) -> io::Result<Self> {
        let root = fs::canonicalize(dir)?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self {
            root,
            prefix: String::new(),
            headers: Vec::new(),
            precompressed: false,
            spa: None,
            spa_except: Vec::new(),
            dot_files: false,
            follow_symlinks: false,
        })
    }

    /// Sets the path below which the files are served, such as `/assets`.
    #[must_use]
    pub fn prefix(mut self, prefix: &str) -> Self {
        prefix.trim_end_matches('/').clone_into(&mut self.prefix);
        self
    }

    /// Adds a header to the responses. The name is in lower case.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends files such as `app.js.br` to clients that accept their coding.
    #[must_use]
    pub fn precompressed(mut self) -> Self {
        self.precompressed = true;
        self
    }

    /// Sends this file for paths without a file, to clients that name `text/html` in the header `accept`. `except` are
    /// paths without this page, with all paths below them.
    #[must_use]
    pub fn spa(mut self, file: &str, except: &[&str]) -> Self {
        self.spa = Some(file.split('/').map(str::to_owned).collect());
        self.spa_except = except.iter().map(|path| (*path).to_owned()).collect();
        self
    }

    /// Serves names that begin with a dot.
    #[must_use]
    pub fn dot_files(mut self) -> Self {
        self.dot_files = true;
        self
    }

    /// Follows symbolic links that lead out of the directory.
    #[must_use]
    pub fn follow_symlinks(mut self) -> Self {
        self.follow_symlinks = true;
        self
    }

    /// Returns true if the file of [`Site::spa`] exists, or if the site has none.
    #[must_use]
    pub fn has_page(&self) -> bool {
        let page = |names: &Vec<String>| self.root.join(names.join("/")).is_file();
        self.spa.as_ref().is_none_or(page)
    }
}
