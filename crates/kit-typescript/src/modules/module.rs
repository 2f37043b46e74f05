//! What one module declares, imports and exports.

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
use crate::stack::Room;

/// A parsed file, which all modules in it share.
pub(crate) struct Source<'a> {
    pub(crate) path: PathBuf,
    /// Path relative to the project's root.
    pub(crate) display: String,
    pub(crate) text: &'a str,
    /// What walks over the program need.
    pub(crate) room: Room,
    pub(crate) lines: LineIndex,
    pub(crate) program: &'a Program<'a>,
    /// The first syntax error. What such a file seems not to declare may only not have been understood.
    pub(crate) syntax_error: Option<Diagnostic>,
    /// The last doc comment in front of each token that has one.
    docs: FxHashMap<u32, Span>,
}

/// A file or a block with its symbol tables. Iterating any of them follows the source.
///
/// It dereferences to its [`Source`]: whoever has a module can show the text around a place in it.
pub(crate) struct Module<'a> {
    source: Rc<Source<'a>>,
    pub(crate) kind: ModuleKind<'a>,
    /// Types declared in it, not in the blocks inside of it.
    pub(crate) types: IndexMap<&'a str, DeclId>,
    /// Values declared in it.
    pub(crate) values: IndexMap<&'a str, Value<'a>>,
    /// Every declaration of each function, in order.
    pub(super) functions: FxHashMap<&'a str, Vec<&'a Function<'a>>>,
    /// The blocks of its namespaces.
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

/// What holds the declarations of a [`Module`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModuleKind<'a> {
    /// A file. A script's names are everybody's.
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
    /// Where its names are looked up.
    pub(crate) module: ModuleId,
    pub(crate) name: &'a str,
    pub(crate) kind: DeclKind<'a>,
    /// Of the name.
    pub(crate) span: Span,
    /// Starts of the declaring statements, where doc comments attach.
    pub(crate) statements: Vec<u32>,
}

/// How a type is declared.
#[derive(Clone)]
pub(crate) enum DeclKind<'a> {
    /// One or more merged `interface`s of one module.
    Interface(Vec<&'a TSInterfaceDeclaration<'a>>),
    /// A `type`.
    Alias(&'a TSTypeAliasDeclaration<'a>),
    /// One or more merged `enum`s of one module. `Graph::enum_members` has its members.
    Enum(Vec<&'a TSEnumDeclaration<'a>>),
    /// A class; interfaces of its name are merged into it, see `Graph::merged`.
    Class(&'a Class<'a>),
}

/// A value of a module.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A variable that holds the expression for good, as only `const` does.
    Const(&'a VariableDeclarator<'a>),
    /// A variable whose value may change.
    Variable(&'a VariableDeclarator<'a>),
    /// A function: the declaration that has a body, if there is one. `Graph::overloads` has all of them.
    Function(&'a Function<'a>),
    /// A class or an enum, as a value.
    Declared(DeclId),
    /// The expression of `export default` or `export =`.
    Default(&'a Expression<'a>),
    /// Anything else: a destructuring.
    Opaque,
}

/// Where a name leads.
#[derive(Debug, Clone)]
pub(super) enum Link<'a> {
    /// To something of the module itself.
    Local(&'a str),
    /// To what a path of names means in the module: `import A = B.C`, `export default B.C`.
    Path(Vec<Name<'a>>),
    /// To something of another module.
    From(From<'a>),
}

/// Something of another module.
#[derive(Debug, Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) source: &'a str,
    /// The exported name there; nothing for the module as a whole.
    pub(super) name: Option<&'a str>,
    pub(super) span: Span,
    /// `import x = require("…")`, which packages may answer with other files than an `import`.
    pub(super) require: bool,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        path: PathBuf,
        display: String,
        text: &'a str,
        room: Room,
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
            room,
            lines,
            program,
            syntax_error,
            docs,
        }
    }

    /// The doc comment in front of the token at that offset.
    pub(crate) fn doc(&self, offset: u32) -> Option<Span> {
        self.docs.get(&offset).copied()
    }

    /// A stretch of the text.
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

    /// Makes it the module of a JSON file, which is a value: imported as `default` and as a whole.
    pub(super) fn hold(&mut self, data: &'a Expression<'a>) {
        self.values.insert("default", Value::Default(data));
        self.exports.insert("default", Link::Local("default"));
        self.assigned = Some(Link::Local("default"));
    }

    /// The module around it.
    pub(crate) fn parent(&self) -> Option<ModuleId> {
        match self.kind {
            ModuleKind::File { .. } => None,
            ModuleKind::Namespace { parent, .. }
            | ModuleKind::Ambient { parent, .. }
            | ModuleKind::Global { parent } => Some(parent),
        }
    }

    /// The specifier of the import that a local name comes from: `zod` after `import { z } from "zod"`.
    pub(crate) fn imported_from(&self, local: &str) -> Option<&'a str> {
        match self.imports.get(local)? {
            Link::From(from) => Some(from.source),
            Link::Local(_) | Link::Path(_) => None,
        }
    }

    /// The name under which a local name is exported, `default` last.
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
