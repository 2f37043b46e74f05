//! Graph of the modules of an application, and the files that were read for it.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use oxc_allocator::Allocator;
use oxc_ast::ast::Function;
use rustc_hash::FxHashMap;

use super::enum_member::Enums;
use super::module::{ModuleKind, Source};
use super::parsed::{ParsedFiles, Tree};
use super::resolve::Resolver;
use super::symbol::Meaning;
use super::tables::tables;
use super::{Decl, DeclId, Location, Module, ModuleId, Symbol};
use crate::files::FileSystem;
use crate::pattern_verdicts::Verdicts;
use crate::source::display_path;

/// Graph of modules. A file is read only if the caller of the compiler names it, or if a name can be resolved
/// only with this file.
pub(crate) struct Graph<'a> {
    allocator: &'a Allocator,
    /// Syntax trees of the last build, which need not be parsed again.
    parsed: &'a ParsedFiles,
    pub(super) root: PathBuf,
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) resolver: Resolver,
    pub(super) modules: Vec<Module<'a>>,
    pub(super) decls: Vec<Decl<'a>>,
    by_path: FxHashMap<PathBuf, Option<ModuleId>>,
    /// For each source file, the module of the declaration file that TypeScript emits for it; `None` if
    /// TypeScript was not run for the file.
    declarations: FxHashMap<ModuleId, Option<ModuleId>>,
    /// For each module of such a declaration file, the module of its source file.
    pub(super) originals: FxHashMap<ModuleId, ModuleId>,
    /// Total number of bytes of the files that were read.
    pub(crate) bytes: usize,
    /// Cache of the symbols that modules export.
    pub(super) exported: FxHashMap<(ModuleId, &'a str, Meaning), Symbol<'a>>,
    /// Number of steps of the current name lookup, to stop endless lookups.
    pub(super) steps: u32,
    /// Cache of resolved imports, by importing file and specifier: the module, or the reason of the error.
    pub(super) targets: FxHashMap<(ModuleId, &'a str, bool), Result<ModuleId, String>>,
    /// Groups of modules whose declarations are merged: the blocks of a namespace, or a module and its
    /// augmentations.
    pub(super) spaces: Vec<Vec<ModuleId>>,
    /// Index in `spaces` of the group of each module.
    pub(super) space_of: Vec<usize>,
    /// For each declaration that was merged into another declaration, the id of this other declaration.
    pub(super) primary: FxHashMap<DeclId, DeclId>,
    /// For each declaration, the declarations that were merged into it.
    pub(super) merged: FxHashMap<DeclId, Vec<DeclId>>,
    /// Modules with global names: scripts and `declare global` blocks.
    pub(super) globals: Vec<ModuleId>,
    /// Modules with `export as namespace Name`, by that name.
    pub(super) global_namespaces: FxHashMap<&'a str, ModuleId>,
    /// Blocks of `declare module "…"` in scripts, by specifier. They declare modules that have no file.
    pub(super) ambient: IndexMap<&'a str, ModuleId>,
    /// Blocks of `declare module "…"` in modules, with their specifiers. The blocks must still be merged with
    /// the module that they augment.
    pub(super) augmentations: Vec<(ModuleId, &'a str)>,
    /// `/// <reference … />` directives and imports without names whose files are not read yet, with the modules that contain
    /// them.
    pub(super) references: Vec<(ModuleId, Reference<'a>)>,
    /// True if the packages of types that TypeScript includes without an import (`@types`) were read.
    pub(super) included: bool,
    pub(super) enums: Enums<'a>,
    /// Syntax errors of the files that were read, and errors in `tsconfig.json`.
    pub(crate) diagnostics: Diagnostics,
}

/// A part of a file that names another file without naming its exports: a `/// <reference … />` directive, or an import
/// without names. The other file may declare global names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference<'a> {
    Path(&'a str),
    Types(&'a str),
    Import(&'a str),
}

impl<'a> Graph<'a> {
    pub(crate) fn new(
        allocator: &'a Allocator,
        parsed: &'a ParsedFiles,
        root: &Path,
        files: Arc<dyn FileSystem>,
    ) -> Self {
        let mut diagnostics = Diagnostics::default();
        let resolver = Resolver::new(root, &files, &mut diagnostics);
        Self {
            allocator,
            parsed,
            root: root.to_path_buf(),
            resolver,
            files,
            modules: Vec::new(),
            decls: Vec::new(),
            by_path: FxHashMap::default(),
            declarations: FxHashMap::default(),
            originals: FxHashMap::default(),
            bytes: 0,
            exported: FxHashMap::default(),
            steps: 0,
            targets: FxHashMap::default(),
            spaces: Vec::new(),
            space_of: Vec::new(),
            primary: FxHashMap::default(),
            merged: FxHashMap::default(),
            globals: Vec::new(),
            global_namespaces: FxHashMap::default(),
            ambient: IndexMap::new(),
            augmentations: Vec::new(),
            references: Vec::new(),
            included: false,
            enums: Enums::default(),
            diagnostics,
        }
    }

    /// Returns the module of a file that a caller of the compiler names. Reports an error if the file cannot
    /// be read.
    pub(crate) fn entry(&mut self, path: &Path) -> Option<ModuleId> {
        let module = self.load(path);
        self.read_pending();
        if module.is_none() {
            let error = self.files.read(path).err();
            let help = match error.as_ref().map(std::io::Error::kind) {
                Some(std::io::ErrorKind::InvalidData) => "save the file as UTF-8",
                Some(std::io::ErrorKind::NotFound) => {
                    "the file was deleted while kit was building: build again"
                }
                _ => "check that you may read it",
            };
            let reason = error.map(|error| error.to_string());
            self.diagnostics.push(
                Diagnostic::new(
                    codes::UNREADABLE_FILE,
                    format!("cannot read the file: {}", reason.unwrap_or_default()),
                )
                .label(Label::primary(display_path(&self.root, path), 0..0))
                .help(help),
            );
        }
        module
    }

    /// Returns the module of a file if its text contains one of `needles`. A file without any of them is
    /// parsed only if it may declare global names or names of other modules.
    pub(crate) fn entry_with(&mut self, path: &Path, needles: &[&str]) -> Option<ModuleId> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let is_needed = |text: &str| {
            needles.iter().any(|needle| text.contains(needle))
                || text.contains("declare module")
                || text.contains("declare global")
        };
        let is_skipped = match self.parsed.text(path) {
            Some(text) => !is_needed(text),
            None => self
                .parsed
                .skipped
                .entries
                .contains(path, &*self.files, |text| !is_needed(text)),
        };
        if is_skipped { None } else { self.entry(path) }
    }

    /// Reads the declaration files (`.d.ts`) that `tsconfig.json` includes.
    pub(crate) fn ambient(&mut self) {
        for path in self.resolver.ambient_files(&self.files) {
            if !self.is_generated(&path) {
                self.load(&path);
            }
        }
        self.read_pending();
    }

    /// Returns true if kit generated a file. Such a file declares no global names, and those of large projects are long.
    fn is_generated(&self, path: &Path) -> bool {
        const START: &str = "// Generated by kit from ";
        let is_generated = |text: &str| text.starts_with(START);
        match self.parsed.text(path) {
            Some(text) => is_generated(text),
            None => self
                .parsed
                .skipped
                .generated
                .contains(path, &*self.files, is_generated),
        }
    }

    /// Returns the cached results of checking regular expressions.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        &self.parsed.verdicts
    }

    /// Returns the module of a file. Reads and parses the file on first use.
    pub(super) fn load(&mut self, path: &Path) -> Option<ModuleId> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let module = match self.parsed.get(path) {
            Some(tree) => Some(self.add_tree(tree)),
            None => self.files.read(path).ok().map(|text| {
                let text: &'a str = self.allocator.alloc_str(&text);
                let tree = Tree::new(self.allocator, &self.root, path, text);
                self.add_tree(&tree)
            }),
        };
        self.by_path.insert(path.to_path_buf(), module);
        module
    }

    /// Returns the module of the declaration file that TypeScript emits for a source file; `None` if TypeScript
    /// was not run for the file. The names in the module refer to the types and values of the source file, so
    /// that a type with a doc comment stays the same type.
    pub(crate) fn declarations_of(&mut self, file: ModuleId) -> Option<ModuleId> {
        if let Some(known) = self.declarations.get(&file) {
            return *known;
        }
        let module = self.module(file);
        // The names of a script are global, and its declaration file would declare them again.
        let text = match module.kind {
            ModuleKind::File { script: false } => self.files.declarations(&module.path),
            _ => None,
        };
        let path = declaration_path(&module.path);
        let found = text.zip(path).map(|(text, path)| {
            let text: &'a str = self.allocator.alloc_str(&text);
            let tree = Tree::new(self.allocator, &self.root, &path, text);
            let id = self.add_tree(&tree);
            self.originals.insert(id, file);
            self.read_pending();
            id
        });
        self.declarations.insert(file, found);
        found
    }

    /// Returns true if the module is of a declaration file that TypeScript emits for a source file.
    pub(crate) fn is_declaration_of_source(&self, file: ModuleId) -> bool {
        self.originals.contains_key(&file)
    }

    /// Returns the paths of the source files from whose declaration files types were read.
    pub(crate) fn inferred_files(&self) -> Vec<PathBuf> {
        let files = self.originals.values();
        files.map(|file| self.module(*file).path.clone()).collect()
    }

    fn add_tree(&mut self, tree: &Tree<'a>) -> ModuleId {
        self.bytes += tree.source.text.len();
        self.diagnostics.extend(tree.diagnostics.clone());
        let id = self.adopt(&tree.source);
        if let Some(data) = tree.data {
            self.modules[id.0 as usize].set_json_content(data);
        }
        id
    }

    /// Adds the modules and declarations of a file to the graph.
    fn adopt(&mut self, source: &Rc<Source<'a>>) -> ModuleId {
        let first = self.modules.len();
        let first_decl = self.decls.len();
        let tables = tables(source, first, first_decl);
        self.modules.extend(tables.modules);
        self.decls.extend(tables.decls);
        self.space_of.resize(self.modules.len(), usize::MAX);
        self.register(first, first_decl);
        ModuleId(u32::try_from(first).expect("counted when added"))
    }

    pub(crate) fn module(&self, id: ModuleId) -> &Module<'a> {
        &self.modules[id.0 as usize]
    }

    pub(crate) fn decl(&self, id: DeclId) -> &Decl<'a> {
        &self.decls[id.0 as usize]
    }

    /// Returns the file that contains a block, or the file itself.
    pub(crate) fn file(&self, id: ModuleId) -> ModuleId {
        let mut current = id;
        while let Some(parent) = self.module(current).parent() {
            current = parent;
        }
        current
    }

    /// Returns the modules of all files that were read, in the order of reading.
    pub(crate) fn files(&self) -> impl Iterator<Item = (ModuleId, &Module<'a>)> {
        self.modules
            .iter()
            .enumerate()
            .map(|(index, module)| {
                (
                    ModuleId(u32::try_from(index).expect("counted when added")),
                    module,
                )
            })
            .filter(|(_, module)| matches!(module.kind, ModuleKind::File { .. }))
    }

    /// Returns the paths and texts of all `tsconfig.json` and `package.json` files that were read to resolve imports.
    pub(crate) fn configurations(&self) -> Vec<(PathBuf, String)> {
        self.resolver.files_read()
    }

    /// Returns the types that a file declares, including types in its namespaces, in the order of the source.
    pub(crate) fn declared_in(&self, file: ModuleId) -> Vec<DeclId> {
        let mut decls: Vec<DeclId> = Vec::new();
        let mut open = vec![file];
        while let Some(id) = open.pop() {
            let module = self.module(id);
            decls.extend(module.types.values().map(|decl| self.primary(*decl)));
            open.extend(module.namespaces.values().flatten());
        }
        decls.sort_unstable();
        decls.dedup();
        decls.retain(|decl| self.file(self.decl(*decl).module) == file);
        decls
    }

    /// Returns the name under which a declaration can be imported: `Note`, or `Api.Note` for a declaration in a namespace.
    pub(crate) fn exported_name(&self, id: DeclId) -> Option<String> {
        let decl = self.decl(id);
        let mut name = self.module(decl.module).exported_as(decl.name)?.to_owned();
        let mut current = decl.module;
        loop {
            match self.module(current).kind {
                ModuleKind::File { .. } => return Some(name),
                ModuleKind::Namespace { parent, name: own } => {
                    name = format!("{}.{name}", self.module(parent).exported_as(own)?);
                    current = parent;
                }
                ModuleKind::Ambient { .. } | ModuleKind::Global { .. } => return None,
            }
        }
    }

    /// Returns the name of a declaration with its namespaces: `Note`, or `Api.Note` for a declaration in a
    /// namespace.
    pub(crate) fn qualified_name(&self, id: DeclId) -> String {
        let decl = self.decl(id);
        let mut name = decl.name.to_owned();
        let mut current = decl.module;
        while let ModuleKind::Namespace { parent, name: own } = self.module(current).kind {
            name = format!("{own}.{name}");
            current = parent;
        }
        name
    }

    /// Returns all declarations of a function in the order of the source: its overloads, then the declaration
    /// with the body.
    pub(crate) fn overloads(&self, module: ModuleId, name: &str) -> &[&'a Function<'a>] {
        self.module(module).functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns a diagnostic label for a location.
    pub(crate) fn label(&self, location: Location) -> Label {
        let module = self.module(location.module);
        let (line, column) = module.lines.position(module.text, location.span.start);
        let length = module.text.len();
        let (start, end) = (
            (location.span.start as usize).min(length),
            (location.span.end as usize).min(length),
        );
        Label::primary(&module.display, start..end.max(start)).at(line, column)
    }

    /// Returns the text that replaces a misspelled name at a location by another name, in the same quotes. Returns `None` if
    /// the location contains more than the name.
    pub(crate) fn correction(&self, location: Location, name: &str, other: &str) -> Option<String> {
        let text = self.module(location.module).slice(location.span);
        let quotes = text.split(name).collect::<Vec<_>>();
        match quotes.as_slice() {
            ["", ""] => Some(other.to_owned()),
            ["\"", "\""] | ["'", "'"] => Some(text.replace(name, other)),
            _ => None,
        }
    }

    /// Returns true if a file belongs to an installed package.
    pub(crate) fn is_in_package(&self, file: ModuleId) -> bool {
        self.resolver.is_package(&self.module(file).path)
    }
}

/// Returns the path under which the declaration file of a source file is read; `None` if TypeScript emits no
/// declarations for the file: it is not TypeScript, is a declaration file, or belongs to an installed package.
pub(crate) fn declaration_path(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let installed = path.components().any(|part| part.as_os_str() == "node_modules");
    if Path::new(stem).extension().is_some_and(|ending| ending == "d") || installed {
        return None;
    }
    let ending = match ending {
        "ts" | "tsx" => "d.ts",
        "mts" => "d.mts",
        "cts" => "d.cts",
        _ => return None,
    };
    Some(path.with_file_name(format!("{stem}.inferred.{ending}")))
}
