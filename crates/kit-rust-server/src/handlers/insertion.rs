//! Insertion of code into Rust files of the user, at places that the syntax tree of the file gives.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ImplItem, Item, ItemImpl, UseTree};

use super::Function;
use crate::print;
use crate::source::{Import, order};

/// Text to insert, with the offset in the file.
pub(super) struct Insertion {
    pub(super) at: usize,
    pub(super) text: String,
}

/// A Rust file that the user owns.
pub(super) struct UserFile {
    items: Vec<Item>,
    /// Names that the file imports or declares, with the paths of imported items. Declared names have no path.
    names: BTreeMap<String, Option<String>>,
    /// Imports at the top level, in the order of the file.
    imports: Vec<KnownImport>,
    /// Offset of the first item.
    first: usize,
}

/// An import of the file.
struct KnownImport {
    /// Block to which rustfmt sorts the import: the standard library, other crates, or the crate itself.
    block: u8,
    /// Path by which rustfmt sorts the imports of a block.
    key: String,
    start: usize,
    end: usize,
}

/// Place at which imports are inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    at: usize,
    block: Block,
}

/// Block of imports that gets an import. A blank line separates the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Block {
    /// A block that the file has.
    Known,
    /// A new block after another one.
    AfterOther,
    /// A new block before another one.
    BeforeOther,
}

/// Implementation of the trait of a contract group.
pub(super) struct Implementation<'f> {
    item: &'f ItemImpl,
    /// Offset of the implementation, with its comments and attributes.
    pub(super) start: usize,
}

impl UserFile {
    /// Parses a file.
    ///
    /// # Errors
    /// Returns a message if the file is not valid Rust.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('\u{feff}') || (text.starts_with("#!") && !text.starts_with("#![")) {
            return Err("the file begins with a byte order mark or with `#!`".to_owned());
        }
        let file = syn::parse_file(text).map_err(|error| {
            let line = error.span().start().line;
            format!("the file has a syntax error in line {line}: {error}")
        })?;
        let mut names = BTreeMap::new();
        let mut imports = Vec::new();
        for item in &file.items {
            if let Item::Use(import) = item {
                bindings(&import.tree, "", &mut names);
                let range = range(item);
                imports.push(KnownImport {
                    block: print::import_block(import),
                    key: key(&import.tree),
                    start: range.start,
                    end: range.end,
                });
            } else if let Some(name) = declared(item) {
                names.insert(name, None);
            }
        }
        Ok(Self {
            first: file.items.first().map_or(text.len(), |item| range(item).start),
            items: file.items,
            names,
            imports,
        })
    }

    /// Returns the implementation of a trait of the generated router, which the file may import with another name.
    pub(super) fn implementation(&self, name: &str) -> Option<Implementation<'_>> {
        let imported = format!("crate::router::{name}");
        self.items.iter().find_map(|item| match item {
            Item::Impl(block) => {
                let (path, _) = block.trait_.as_ref()?;
                let last = path.segments.last()?.ident.to_string();
                let is_imported = || {
                    let known = self.names.get(&last).filter(|_| path.segments.len() == 1);
                    known.is_some_and(|path| path.as_ref() == Some(&imported))
                };
                (last == name || is_imported()).then(|| Implementation {
                    item: block,
                    start: range(item).start,
                })
            }
            _ => None,
        })
    }

    /// Returns the functions of the file, whose names new functions cannot have.
    pub(super) fn functions(&self) -> Vec<Function> {
        let functions = self.items.iter().filter_map(|item| match item {
            Item::Fn(function) => Some(Function {
                name: function.sig.ident.to_string(),
                code: function.to_token_stream(),
            }),
            _ => None,
        });
        functions.collect()
    }

    /// Returns the insertions of imports. Leaves out items that the file imports already.
    ///
    /// # Errors
    /// Returns an import whose name the file uses for another item, and a description of that item.
    pub(super) fn imports<'i>(
        &self,
        text: &str,
        imports: &'i [Import],
    ) -> Result<Vec<Insertion>, (&'i Import, String)> {
        let mut lines: BTreeMap<Place, String> = BTreeMap::new();
        for import in imports {
            match self.names.get(&import.name) {
                Some(Some(path)) if *path == import.path => continue,
                Some(Some(path)) => return Err((import, format!("`{path}`"))),
                Some(None) => return Err((import, "an item of its own".to_owned())),
                None => {}
            }
            let line = print::file(&import.statement.to_token_stream());
            lines.entry(self.place(text, import)).or_default().push_str(&line);
        }
        let insertions = lines.into_iter().map(|(place, lines)| Insertion {
            at: place.at,
            text: match place.block {
                Block::Known => lines,
                Block::AfterOther => format!("\n{lines}"),
                Block::BeforeOther => format!("{lines}\n"),
            },
        });
        Ok(insertions.collect())
    }

    /// Returns the place at which rustfmt expects an import.
    fn place(&self, text: &str, import: &Import) -> Place {
        let block = print::import_block(&import.statement);
        let key = key(&import.statement.tree);
        let of_block = || self.imports.iter().filter(|known| known.block == block);
        let next = of_block().find(|known| order(&known.key) > order(&key));
        let known = |at| Place {
            at,
            block: Block::Known,
        };
        if let Some(next) = next {
            return known(next.start);
        }
        if let Some(last) = of_block().next_back() {
            return known(after_line(text, last.end));
        }
        match self.imports.iter().rfind(|known| known.block < block) {
            Some(last) => Place {
                at: after_line(text, last.end),
                block: Block::AfterOther,
            },
            None => Place {
                at: self.imports.first().map_or(self.first, |first| first.start),
                block: Block::BeforeOther,
            },
        }
    }
}

/// Returns the text with all insertions. Insertions at the same offset keep their order.
pub(super) fn insert(text: &str, mut insertions: Vec<Insertion>) -> String {
    insertions.retain(|insertion| !insertion.text.is_empty());
    insertions.sort_by_key(|insertion| insertion.at);
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut edited = String::with_capacity(text.len());
    let mut done = 0;
    for Insertion { at, text: inserted } in insertions {
        edited.push_str(&text[done..at]);
        edited.push_str(&inserted.replace('\n', line_end));
        done = at;
    }
    edited.push_str(&text[done..]);
    edited
}

impl Implementation<'_> {
    /// Returns true if the block has neither items nor comments.
    pub(super) fn is_empty(&self, text: &str) -> bool {
        let braces = self.item.brace_token.span;
        let (open, close) = (braces.open().byte_range().end, braces.close().byte_range().start);
        text[open..close].trim().is_empty()
    }

    /// Returns the names of the methods.
    pub(super) fn methods(&self) -> impl Iterator<Item = String> {
        self.item.items.iter().filter_map(|item| match item {
            ImplItem::Fn(method) => Some(method.sig.ident.to_string()),
            _ => None,
        })
    }

    /// Returns the insertion of methods at the end of the block.
    pub(super) fn append(&self, text: &str, methods: &str) -> Insertion {
        let brace = self.item.brace_token.span.close().byte_range().start;
        let line = text[..brace].rfind('\n').map_or(0, |end| end + 1);
        if line > 0 && text[line..brace].trim().is_empty() {
            return Insertion {
                at: line,
                text: methods.to_owned(),
            };
        }
        Insertion {
            at: brace,
            text: format!("\n{methods}"),
        }
    }
}

/// Returns the offset of the line after the one that contains an offset.
fn after_line(text: &str, offset: usize) -> usize {
    text[offset..]
        .find('\n')
        .map_or(text.len(), |end| offset + end + 1)
}

/// Returns the offsets of an item, with its comments and attributes.
fn range(item: &Item) -> std::ops::Range<usize> {
    let tokens: TokenStream = item.to_token_stream();
    let mut spans = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => group.span().byte_range(),
        token => token.span().byte_range(),
    });
    let first = spans.next().unwrap_or_default();
    let end = spans.last().map_or(first.end, |last| last.end);
    first.start..end
}

/// Returns the path by which rustfmt sorts an import.
fn key(tree: &UseTree) -> String {
    match tree {
        UseTree::Path(path) => format!("{}::{}", path.ident, key(&path.tree)),
        UseTree::Name(name) => name.ident.to_string(),
        UseTree::Rename(rename) => rename.ident.to_string(),
        UseTree::Glob(_) => "*".to_owned(),
        UseTree::Group(_) => "{".to_owned(),
    }
}

/// Adds the names that an import binds, with the paths of the items. A glob binds unknown names, which a later import replaces.
fn bindings(tree: &UseTree, path: &str, names: &mut BTreeMap<String, Option<String>>) {
    let below = |name: &str| match path {
        "" => name.to_owned(),
        path => format!("{path}::{name}"),
    };
    match tree {
        UseTree::Path(next) => bindings(&next.tree, &below(&next.ident.to_string()), names),
        UseTree::Name(name) if name.ident == "self" => {
            let name = path.rsplit("::").next().unwrap_or(path);
            names.insert(name.to_owned(), Some(path.to_owned()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            names.insert(name.clone(), Some(below(&name)));
        }
        UseTree::Rename(rename) => {
            names.insert(rename.rename.to_string(), Some(below(&rename.ident.to_string())));
        }
        UseTree::Glob(_) => {}
        UseTree::Group(group) => {
            for tree in &group.items {
                bindings(tree, path, names);
            }
        }
    }
}

/// Returns the name of a type, trait, module or constant that an item declares. Functions have names of their own, which
/// imports of types and modules do not hide.
fn declared(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
