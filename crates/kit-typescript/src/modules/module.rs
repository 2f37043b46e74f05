//! Declarations, imports and exports of one module.

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

/// A parsed file, shared by all modules in the file.
pub(crate) struct Source<'a> {
    pub(crate) path: PathBuf,
    /// Path relative to the project's root.
    pub(crate) display: String,
    pub(crate) text: &'a str,
    /// Stack size for visitors of the program.
    pub(crate) stack_size: StackSize,
    pub(crate) lines: LineIndex,
    pub(crate) program: &'a Program<'a>,
    /// First syntax error. A declaration that seems to be missing in a file with a syntax error may only be unparsed.
    pub(crate) syntax_error: Option<Diagnostic>,
    /// Last doc comment before each token that has one.
    docs: FxHashMap<u32, Span>,
}

/// A file or a block with its symbol tables. Iterating any of them follows the source.
///
/// A module dereferences to its [`Source`], so code that has a module can show the source text around a location.
pub(crate) struct Module<'a> {
    source: Rc<Source<'a>>,
    pub(crate) kind: ModuleKind<'a>,
    /// Types that the module declares; those of nested blocks are not included.
    pub(crate) types: IndexMap<&'a str, DeclId>,
    /// Values that the module declares.
    pub(crate) values: IndexMap<&'a str, Value<'a>>,
    /// All declarations of each function, in order.
    pub(super) functions: FxHashMap<&'a str, Vec<&'a Function<'a>>>,
    /// Blocks of the module's namespaces.
    pub(super) namespaces: IndexMap<&'a str, Vec<ModuleId>>,
    /// Local names that stand for something else.
    pub(super) imports: FxHashMap<&'a str, Link<'a>>,
    /// Exported names.
    pub(super) exports: IndexMap<&'a str, Link<'a>>,
    /// `export * from "…"`.
    pub(super) stars: Vec<(&'a str, Span)>,
    /// `export = …`.
    pub(super) assigned: Option<Link<'a>>,
    /// `export as namespace …`.
    pub(super) global_name: Option<&'a str>,
}

/// Source construct that contains the declarations of a [`Module`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleKind<'a> {
    /// A file. The names of a script are global.
    File { script: bool },
    /// The block of a namespace.
    Namespace { parent: ModuleId, name: &'a str },
    /// The block of `declare module "specifier"`.
    Ambient { parent: ModuleId, specifier: &'a str },
    /// The block of `declare global`.
    Global { parent: ModuleId },
}

/// A declared type.
#[derive(Clone)]
pub(crate) struct Decl<'a> {
    /// Module in which the names of the declaration are resolved.
    pub(crate) module: ModuleId,
    pub(crate) name: &'a str,
    pub(crate) kind: DeclKind<'a>,
    /// Span of the name.
    pub(crate) span: Span,
    /// Start offsets of the declaring statements, where doc comments attach.
    pub(crate) statements: Vec<u32>,
}

/// Kind of a type declaration.
#[derive(Clone)]
pub(crate) enum DeclKind<'a> {
    /// One or more merged `interface`s of one module.
    Interface(Vec<&'a TSInterfaceDeclaration<'a>>),
    /// A `type` alias.
    Alias(&'a TSTypeAliasDeclaration<'a>),
    /// One or more merged `enum`s of one module. `Graph::enum_members` returns the members.
    Enum(Vec<&'a TSEnumDeclaration<'a>>),
    /// A class. Interfaces with the same name are merged into the class, see `Graph::merged`.
    Class(&'a Class<'a>),
}

/// A value of a module.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A variable that never changes its value, declared with `const`.
    Const(&'a VariableDeclarator<'a>),
    /// A variable whose value may change.
    Variable(&'a VariableDeclarator<'a>),
    /// A function: the declaration with the body, if there is one. `Graph::overloads` returns all declarations.
    Function(&'a Function<'a>),
    /// A class or an enum, used as a value.
    Declared(DeclId),
    /// The expression of `export default` or `export =`.
    Default(&'a Expression<'a>),
    /// Any other value, such as a destructured one.
    Opaque,
}

/// Target of a name.
#[derive(Debug, Clone)]
pub(super) enum Link<'a> {
    /// A name of the same module.
    Local(&'a str),
    /// A path of names that is resolved in the module: `import A = B.C`, `export default B.C`.
    Path(Vec<Name<'a>>),
    /// An export of another module.
    From(From<'a>),
}

/// An export of another module.
#[derive(Debug, Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) source: &'a str,
    /// Name of the export; `None` for the module as a whole.
    pub(super) name: Option<&'a str>,
    pub(super) span: Span,
    /// True for `import x = require("…")`, for which a package may have other files than for an `import`.
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

    /// Returns the doc comment before the token at the given offset.
    pub(crate) fn doc(&self, offset: u32) -> Option<Span> {
        self.docs.get(&offset).copied()
    }

    /// Returns a range of the source text.
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

    /// Makes the module that of a JSON file. The file is a value: the default export, and the module as a whole.
    pub(super) fn hold(&mut self, data: &'a Expression<'a>) {
        self.values.insert("default", Value::Default(data));
        self.exports.insert("default", Link::Local("default"));
        self.assigned = Some(Link::Local("default"));
    }

    /// Returns the enclosing module.
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
            Link::From(from) => Some(from.source),
            Link::Local(_) | Link::Path(_) => None,
        }
    }

    /// Returns the name under which a local name is exported. The name `default` is used only if there is no other.
    pub(crate) fn exported_as(&self, local: &str) -> Option<&'a str> {
        let mut names = self
            .exports
            .iter()
            .filter(|(_, link)| matches!(link, Link::Local(name) if *name == local))
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
