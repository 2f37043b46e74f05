//! Cache of syntax trees: the next build parses only the files that changed.
//!
//! A syntax tree borrows from its source text and from the arena that contains its nodes. A cache entry owns
//! all three, so that they are moved and dropped together.

use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use kit_diagnostics::Diagnostics;
use oxc_allocator::Allocator;
use oxc_ast::ast::Expression;
use rustc_hash::FxHashMap;
use self_cell::self_cell;

use super::module::Source;
use super::outline::Outline;
use super::parse;
use super::resolve::is_json;
use crate::files::FileSystem;
use crate::pattern_verdicts::Verdicts;
use crate::source::{LineIndex, display_path};
use crate::stack::StackSize;

/// Syntax tree of a file, with the diagnostics of the parser.
pub(super) struct Tree<'a> {
    pub(super) source: Rc<Source<'a>>,
    /// Content of a JSON file as an expression; `None` for any other file.
    pub(super) data: Option<&'a Expression<'a>>,
    pub(super) diagnostics: Diagnostics,
}

impl<'a> Tree<'a> {
    /// Parses a file.
    pub(super) fn new(allocator: &'a Allocator, root: &Path, path: &Path, text: &'a str) -> Self {
        let display = display_path(root, path);
        let lines = LineIndex::new(text);
        let mut diagnostics = Diagnostics::default();
        let data = is_json(path)
            .then(|| parse::parse_json(allocator, &display, text, &lines, &mut diagnostics))
            .flatten();
        let code = if is_json(path) { "" } else { text };
        let stack_size = StackSize::for_text(code);
        let program = parse::parse(
            allocator,
            path,
            &display,
            code,
            stack_size,
            &lines,
            &mut diagnostics,
        );
        let first = diagnostics.iter().next().cloned();
        let source = Source::new(
            path.to_path_buf(),
            display,
            text,
            stack_size,
            lines,
            program,
            first,
        );
        Self {
            source: Rc::new(source),
            data,
            diagnostics,
        }
    }
}

/// Memory that a syntax tree borrows from: the arena of its nodes, and the source text.
struct TreeOwner {
    allocator: Allocator,
    text: String,
}

self_cell!(
    struct Parsed {
        owner: TreeOwner,
        #[covariant]
        dependent: Tree,
    }
);

/// A file in the cache.
pub(crate) struct ParsedFile {
    parsed: Parsed,
    /// Stamp of the file before its text was read, see [`FileSystem::stamp`].
    stamp: Option<u128>,
    outline: OnceCell<Outline>,
}

impl ParsedFile {
    fn new(root: &Path, path: &Path, text: String, stamp: Option<u128>) -> Self {
        let allocator = Allocator::default();
        let parsed = Parsed::new(TreeOwner { allocator, text }, |ground| {
            Tree::new(&ground.allocator, root, path, &ground.text)
        });
        Self {
            parsed,
            stamp,
            outline: OnceCell::new(),
        }
    }

    /// Returns the syntax tree and the text.
    pub(crate) fn source(&self) -> &Source<'_> {
        &self.parsed.borrow_dependent().source
    }

    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::new(self.source()))
    }
}

/// A file whose text differs from its text in the last build.
pub(crate) struct ChangedFile {
    pub(crate) path: PathBuf,
    /// The file in the last build; `None` if the last build did not read the file.
    pub(crate) before: Option<ParsedFile>,
}

/// Syntax trees of the files of the last build, by path.
#[derive(Default)]
pub(crate) struct ParsedFiles {
    root: PathBuf,
    files: FxHashMap<PathBuf, ParsedFile>,
    /// Cached results of checking the regular expressions in the files.
    pub(super) verdicts: Verdicts,
    pub(super) skipped: Skipped,
}

/// Files that builds need not parse.
#[derive(Default)]
pub(super) struct Skipped {
    /// Entry files without the words of kit.
    pub(super) entries: KnownTexts,
    /// Declaration files that kit generated.
    pub(super) generated: KnownTexts,
}

/// Files whose texts fulfil a condition, with their stamps. As long as the stamp of a file stays the same, the file is not read again.
#[derive(Default)]
pub(super) struct KnownTexts(RefCell<FxHashMap<PathBuf, u128>>);

impl KnownTexts {
    /// Returns true if the text of a file fulfils the condition. Returns false if the file cannot be read. All calls must have
    /// the same condition.
    pub(super) fn contains(
        &self,
        path: &Path,
        files: &dyn FileSystem,
        condition: impl FnOnce(&str) -> bool,
    ) -> bool {
        let stamp = files.stamp(path);
        if stamp.is_some() && self.0.borrow().get(path).copied() == stamp {
            return true;
        }
        let is_true = files.read(path).is_ok_and(|text| condition(&text));
        let mut known = self.0.borrow_mut();
        match stamp {
            Some(stamp) if is_true => known.insert(path.to_path_buf(), stamp),
            _ => known.remove(path),
        };
        is_true
    }
}

impl ParsedFiles {
    /// Reads files and parses the files whose text changed. A file with the stamp of the last build is not read. Removes all
    /// other files from the cache. A file that cannot be read is skipped, because the code that needs the file reports the
    /// error. Returns the files that were parsed or removed.
    pub(crate) fn update<'p>(
        &mut self,
        root: &Path,
        paths: impl IntoIterator<Item = &'p PathBuf>,
        files: &dyn FileSystem,
    ) -> Vec<ChangedFile> {
        let mut old = std::mem::take(&mut self.files);
        let mut changed = Vec::new();
        if self.root != root {
            // Diagnostics contain paths relative to the root, so another root makes them wrong.
            old.clear();
            self.root = root.to_path_buf();
        }
        for path in paths {
            if self.files.contains_key(path) {
                continue;
            }
            let stamp = files.stamp(path);
            let mut before = old.remove(path);
            let is_unchanged = |file: &ParsedFile| stamp.is_some() && file.stamp == stamp;
            if let Some(file) = before.take_if(|file| is_unchanged(file)) {
                self.files.insert(path.clone(), file);
                continue;
            }
            let Ok(text) = files.read(path) else {
                // The caller gets the file as a removed file.
                old.extend(before.map(|file| (path.clone(), file)));
                continue;
            };
            let file = match before {
                Some(file) if file.source().text == text => ParsedFile { stamp, ..file },
                before => {
                    let path = path.clone();
                    let file = ParsedFile::new(root, &path, text, stamp);
                    changed.push(ChangedFile { path, before });
                    file
                }
            };
            self.files.insert(path.clone(), file);
        }
        changed.extend(old.into_iter().map(|(path, file)| ChangedFile {
            path,
            before: Some(file),
        }));
        changed
    }

    /// Returns a file; `None` if the cache does not have it.
    pub(crate) fn file(&self, path: &Path) -> Option<&ParsedFile> {
        self.files.get(path)
    }

    /// Returns all files in the cache with their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Path, &ParsedFile)> {
        self.files.iter().map(|(path, file)| (path.as_path(), file))
    }

    /// Returns the syntax tree of a file; `None` if the cache does not have it.
    pub(super) fn get(&self, path: &Path) -> Option<&Tree<'_>> {
        self.files.get(path).map(|file| file.parsed.borrow_dependent())
    }

    /// Returns the source text of a file; `None` if the cache does not have it.
    pub(super) fn text(&self, path: &Path) -> Option<&str> {
        self.files.get(path).map(|file| file.source().text)
    }
}
