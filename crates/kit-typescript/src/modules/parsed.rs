//! Cache of syntax trees: the next build parses only the files that changed.
//!
//! A syntax tree borrows from its source text and from the arena that contains its nodes. A cache entry owns
//! all three, so that they are moved and dropped together.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use kit_diagnostics::Diagnostics;
use oxc_allocator::Allocator;
use oxc_ast::ast::Expression;
use rustc_hash::FxHashMap;
use self_cell::self_cell;

use super::module::Source;
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

/// Syntax trees of the files of the last build, by path.
#[derive(Default)]
pub(crate) struct ParsedFiles {
    root: PathBuf,
    files: FxHashMap<PathBuf, Parsed>,
    /// Cached results of checking the regular expressions in the files.
    pub(super) verdicts: Verdicts,
}

impl ParsedFiles {
    /// Reads files and parses the files whose text changed. Removes all other files from the cache. A file
    /// that cannot be read is skipped, because the code that needs the file reports the error.
    pub(crate) fn update<'p>(
        &mut self,
        root: &Path,
        paths: impl IntoIterator<Item = &'p PathBuf>,
        files: &dyn FileSystem,
    ) {
        let mut old = std::mem::take(&mut self.files);
        if self.root != root {
            // Diagnostics contain paths relative to the root, so another root makes them wrong.
            old.clear();
            self.root = root.to_path_buf();
        }
        for path in paths {
            if self.files.contains_key(path) {
                continue;
            }
            let Ok(text) = files.read(path) else { continue };
            let parsed = match old.remove(path) {
                Some(parsed) if parsed.borrow_owner().text == text => parsed,
                _ => {
                    let allocator = Allocator::default();
                    Parsed::new(TreeOwner { allocator, text }, |ground| {
                        Tree::new(&ground.allocator, root, path, &ground.text)
                    })
                }
            };
            self.files.insert(path.clone(), parsed);
        }
    }

    /// Returns the syntax tree of a file; `None` if the cache does not have it.
    pub(super) fn get(&self, path: &Path) -> Option<&Tree<'_>> {
        self.files.get(path).map(Parsed::borrow_dependent)
    }

    /// Returns the source text of a file; `None` if the cache does not have it.
    pub(super) fn text(&self, path: &Path) -> Option<&str> {
        self.files
            .get(path)
            .map(|parsed| parsed.borrow_owner().text.as_str())
    }
}
