//! A module: the types and values that it declares, and its imports and exports.

use std::ops::Deref;
use std::path::PathBuf;
use std::rc::Rc;

use indexmap::IndexMap;
use kit_diagnostics::Diagnostic;
use oxc_ast::ast::{
    Class, Expression, Function, Program, TSEnumDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration,
    VariableDeclarator,
};
use oxc_span::Span;
use rustc_hash::FxHashMap;

use super::{DeclId, ModuleId, Name};
use crate::source::LineIndex;
use crate::stack::StackSize;

/// A parsed file. The file and all its blocks share this data.
pub(crate) struct Source<'a> {
    pub(crate) path: PathBuf,
    /// Path relative to the project's root.
    pub(crate) display: String,
    pub(crate) text: &'a str,
    /// Stack size that code needs to visit the syntax tree of the file.
    pub(crate) stack_size: StackSize,
    pub(crate) lines: LineIndex,
    pub(crate) program: &'a Program<'a>,
    /// First syntax error of the file. After a syntax error, a declaration may seem to be missing because it
    /// was not parsed.
    pub(crate) syntax_error: Option<Diagnostic>,
    /// Locations of doc comments, by the offset of the token that follows the comment.
    docs: FxHashMap<u32, Span>,
}

/// A file or a block with the names that it declares, imports and exports. The maps keep the order of the
/// source.
///
/// A module dereferences to its [`Source`], so that code with a module can show the source text at a
/// location.
pub(crate) struct Module<'a> {
    source: Rc<Source<'a>>,
    pub(crate) kind: ModuleKind<'a>,
    /// Types that the module declares, without the types of nested blocks.
    pub(crate) types: IndexMap<&'a str, DeclId>,
    /// Values that the module declares.
    pub(crate) values: IndexMap<&'a str, Value<'a>>,
    /// All declarations of each function, in the order of the source.
    pub(super) functions: FxHashMap<&'a str, Vec<&'a Function<'a>>>,
    /// Blocks of each namespace in the module.
    pub(super) namespaces: IndexMap<&'a str, Vec<ModuleId>>,
    /// Local names that refer to a name of another module or namespace.
    pub(super) imports: FxHashMap<&'a str, NameTarget<'a>>,
    /// Exported names, with the names that they refer to.
    pub(super) exports: IndexMap<&'a str, NameTarget<'a>>,
    /// Specifiers of `export * from "…"`.
    pub(super) stars: Vec<(&'a str, Span)>,
    /// Target of `export = …`; `None` if the module has no `export =`.
    pub(super) assigned: Option<NameTarget<'a>>,
    /// Name of `export as namespace Name`; `None` if there is no such statement.
    pub(super) global_name: Option<&'a str>,
}

/// Source construct that is a [`Module`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleKind<'a> {
    /// A file. If it is a script and not a module, its names are global.
    File { script: bool },
    /// The block of a namespace.
    Namespace { parent: ModuleId, name: &'a str },
    /// The block of `declare module "specifier"`.
    Ambient { parent: ModuleId, specifier: &'a str },
    /// The block of `declare global`.
    Global { parent: ModuleId },
}

/// A declaration of a type.
#[derive(Clone)]
pub(crate) struct Decl<'a> {
    /// Module in which names in the declaration are resolved.
    pub(crate) module: ModuleId,
    pub(crate) name: &'a str,
    pub(crate) kind: DeclKind<'a>,
    /// Location of the declared name.
    pub(crate) span: Span,
    /// Start offsets of the statements that declare the type, to find the doc comment before each statement.
    pub(crate) statements: Vec<u32>,
}

/// Kind of a type declaration.
#[derive(Clone)]
pub(crate) enum DeclKind<'a> {
    /// All `interface` declarations of one name in one module.
    Interface(Vec<&'a TSInterfaceDeclaration<'a>>),
    /// A type alias: `type Name = …`.
    Alias(&'a TSTypeAliasDeclaration<'a>),
    /// All `enum` declarations of one name in one module. `Graph::enum_members` returns the members.
    Enum(Vec<&'a TSEnumDeclaration<'a>>),
    /// A class. Interfaces with the same name are merged into it, see `Graph::merged`.
    Class(&'a Class<'a>),
}

/// A declaration of a value.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A `const` variable.
    Const(&'a VariableDeclarator<'a>),
    /// A `let` or `var` variable.
    Variable(&'a VariableDeclarator<'a>),
    /// A function: its declaration with a body, or else its first declaration. `Graph::overloads` returns all
    /// declarations.
    Function(&'a Function<'a>),
    /// A class or an enum, used as a value.
    Declared(DeclId),
    /// The expression of `export default` or `export =`.
    Default(&'a Expression<'a>),
    /// A variable in a destructuring declaration: `user` in `const { user } = schemas`.
    Destructured(&'a VariableDeclarator<'a>),
}

/// Target of an imported or exported name.
#[derive(Debug, Clone)]
pub(super) enum NameTarget<'a> {
    /// A name in the same module.
    Local(&'a str),
    /// A name with dots, resolved in the same module: `B.C` in `import A = B.C` or `export default B.C`.
    Path(Vec<Name<'a>>),
    /// A name that another module exports.
    Imported(ImportedName<'a>),
}

/// An imported name of another module.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImportedName<'a> {
    pub(super) source: &'a str,
    /// Name that the imported module exports; `None` for all exports of the module (`import * as`).
    pub(super) name: Option<&'a str>,
    pub(super) span: Span,
    /// True for `import x = require("…")`. A package may have other files for `require` than for `import`.
    pub(super) require: bool,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        path: PathBuf,
        display: String,
        text: &'a str,
        stack_size: StackSize,
        lines: LineIndex,
        program: &'a Program<'a>,
        syntax_error: Option<Diagnostic>,
    ) -> Self {
        let docs = program
            .comments
            .iter()
            .filter(|comment| comment.is_block() && comment.is_leading())
            .filter(|comment| text[comment.span.start as usize..].starts_with("/**"))
            .map(|comment| (comment.attached_to, comment.span))
            .collect();
        Self {
            path,
            display,
            text,
            stack_size,
            lines,
            program,
            syntax_error,
            docs,
        }
    }

    /// Returns the location of the doc comment before the token at the given offset; `None` if there is no
    /// comment.
    pub(crate) fn doc(&self, offset: u32) -> Option<Span> {
        self.docs.get(&offset).copied()
    }

    /// Returns the source text in a range.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}

impl<'a> Module<'a> {
    pub(super) fn new(source: Rc<Source<'a>>, kind: ModuleKind<'a>) -> Self {
        Self {
            source,
            kind,
            types: IndexMap::new(),
            values: IndexMap::new(),
            functions: FxHashMap::default(),
            namespaces: IndexMap::new(),
            imports: FxHashMap::default(),
            exports: IndexMap::new(),
            stars: Vec::new(),
            assigned: None,
            global_name: None,
        }
    }

    /// Makes this the module of a JSON file. The content of the file is its default export and its
    /// `export =`.
    pub(super) fn set_json_content(&mut self, data: &'a Expression<'a>) {
        self.values.insert("default", Value::Default(data));
        self.exports.insert("default", NameTarget::Local("default"));
        self.assigned = Some(NameTarget::Local("default"));
    }

    /// Returns the module that contains this block; `None` for a file.
    pub(crate) fn parent(&self) -> Option<ModuleId> {
        match self.kind {
            ModuleKind::File { .. } => None,
            ModuleKind::Namespace { parent, .. }
            | ModuleKind::Ambient { parent, .. }
            | ModuleKind::Global { parent } => Some(parent),
        }
    }

    /// Returns the specifier of the import that declares a local name: `zod` for `import { z } from "zod"`.
    pub(crate) fn imported_from(&self, local: &str) -> Option<&'a str> {
        match self.imports.get(local)? {
            NameTarget::Imported(from) => Some(from.source),
            NameTarget::Local(_) | NameTarget::Path(_) => None,
        }
    }

    /// Returns the name under which a local name is exported. Returns `default` only if there is no other
    /// name.
    pub(crate) fn exported_as(&self, local: &str) -> Option<&'a str> {
        let mut names = self
            .exports
            .iter()
            .filter(|(_, link)| matches!(link, NameTarget::Local(name) if *name == local))
            .map(|(name, _)| *name);
        let first = names.next()?;
        if first == "default" {
            names.next().or(Some(first))
        } else {
            Some(first)
        }
    }
}

impl<'a> Deref for Module<'a> {
    type Target = Source<'a>;

    fn deref(&self) -> &Source<'a> {
        &self.source
    }
}
