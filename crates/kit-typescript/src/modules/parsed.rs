//! Syntax trees that outlive a build, so that the next one parses only what changed.
//!
//! A tree borrows from its arena and its text; the three live and move together here, and whoever asks gets the tree for as
//! long as the cache is borrowed.

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
use crate::docs::Verdicts;
use crate::files::FileSystem;
use crate::source::{LineIndex, display_path};
use crate::stack::Room;

/// A file's tree with what was said about it.
pub(super) struct Tree<'a> {
    pub(super) source: Rc<Source<'a>>,
    /// The content of a JSON file.
    pub(super) data: Option<&'a Expression<'a>>,
    pub(super) diagnostics: Diagnostics,
}

impl<'a> Tree<'a> {
    /// Parses a text.
    pub(super) fn new(allocator: &'a Allocator, root: &Path, path: &Path, text: &'a str) -> Self {
        let display = display_path(root, path);
        let lines = LineIndex::new(text);
        let mut diagnostics = Diagnostics::default();
        let data = is_json(path)
            .then(|| parse::parse_json(allocator, &display, text, &lines, &mut diagnostics))
            .flatten();
        let code = if is_json(path) { "" } else { text };
        let room = Room::of(code);
        let program = parse::parse(allocator, path, &display, code, room, &lines, &mut diagnostics);
        let first = diagnostics.iter().next().cloned();
        let source = Source::new(path.to_path_buf(), display, text, room, lines, program, first);
        Self {
            source: Rc::new(source),
            data,
            diagnostics,
        }
    }
}

/// What a tree borrows from.
struct Ground {
    allocator: Allocator,
    text: String,
}

self_cell!(
    struct Parsed {
        owner: Ground,
        #[covariant]
        dependent: Tree,
    }
);

/// The trees of the last build by path.
#[derive(Default)]
pub(crate) struct ParsedFiles {
    root: PathBuf,
    files: FxHashMap<PathBuf, Parsed>,
    /// Of the patterns in them.
    pub(super) verdicts: Verdicts,
}

impl ParsedFiles {
    /// Reads files and parses those whose text is another one than before; forgets all others. A file that cannot be read
    /// is left out: whoever needs it finds out.
    pub(crate) fn update<'p>(
        &mut self,
        root: &Path,
        paths: impl IntoIterator<Item = &'p PathBuf>,
        files: &dyn FileSystem,
    ) {
        let mut old = std::mem::take(&mut self.files);
        if self.root != root {
            // Diagnostics name files relative to the root.
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
                    Parsed::new(Ground { allocator, text }, |ground| {
                        Tree::new(&ground.allocator, root, path, &ground.text)
                    })
                }
            };
            self.files.insert(path.clone(), parsed);
        }
    }

    /// The tree of a file.
    pub(super) fn get(&self, path: &Path) -> Option<&Tree<'_>> {
        self.files.get(path).map(Parsed::borrow_dependent)
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &Path) -> Option<&str> {
        self.files
            .get(path)
            .map(|parsed| parsed.borrow_owner().text.as_str())
    }
}
