//! Directories whose files are served.

use std::fs;
use std::io;
use std::path::PathBuf;

/// Directory whose files are served, from the option `staticFiles` of `createApp`.
///
/// ```
/// use kit_static::Site;
///
/// let site = Site::new("src").prefix("/sources").header("cache-control", "no-cache").resolve()?;
/// # let _ = site;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Site {
    /// Path of the directory. After [`Site::resolve`], without symbolic links.
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
    /// Creates a site that serves a directory for all paths. [`Site::resolve`] looks the directory up.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self {
            root: dir.into(),
            prefix: String::new(),
            headers: Vec::new(),
            precompressed: false,
            spa: None,
            spa_except: Vec::new(),
            dot_files: false,
            follow_symlinks: false,
        }
    }

    /// Looks up the directory, and the file of [`Site::spa`].
    ///
    /// # Errors
    ///
    /// If one of them does not exist. The message names its path.
    pub fn resolve(mut self) -> io::Result<Self> {
        let failure = |what: &str, path: PathBuf, error: &io::Error| {
            io::Error::new(
                error.kind(),
                format!("there is no {what} {}: {error}", path.display()),
            )
        };
        let wanted = std::path::absolute(&self.root).unwrap_or_else(|_| self.root.clone());
        self.root = match fs::canonicalize(&self.root) {
            Ok(root) if root.is_dir() => root,
            Ok(_) => return Err(failure("directory", wanted, &io::ErrorKind::NotADirectory.into())),
            Err(error) => return Err(failure("directory", wanted, &error)),
        };
        if let Some(names) = &self.spa {
            let page = self.root.join(names.join("/"));
            if !page.is_file() {
                return Err(failure("file", page, &io::ErrorKind::NotFound.into()));
            }
        }
        Ok(self)
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
    ///
    /// ```
    /// use kit_static::Site;
    ///
    /// let site = Site::new("public").precompressed();
    /// # let _ = site;
    /// ```
    #[must_use]
    pub fn precompressed(mut self) -> Self {
        self.precompressed = true;
        self
    }

    /// Sends this file for paths without a file, to clients that name `text/html` in the header `accept`. `except` are
    /// paths without this page, with all paths below them.
    ///
    /// ```
    /// use kit_static::Site;
    ///
    /// let site = Site::new("public").spa("index.html", &["/api"]);
    /// # let _ = site;
    /// ```
    #[must_use]
    pub fn spa(mut self, file: &str, except: &[&str]) -> Self {
        self.spa = Some(file.split('/').map(str::to_owned).collect());
        self.spa_except = except.iter().map(|path| (*path).to_owned()).collect();
        self
    }

    /// Serves names that begin with a dot.
    ///
    /// ```
    /// use kit_static::Site;
    ///
    /// let site = Site::new("public").dot_files().follow_symlinks();
    /// # let _ = site;
    /// ```
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
}
