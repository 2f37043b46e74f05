//! Graph of all modules that were read.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use oxc_allocator::Allocator;
use oxc_ast::ast::Function;
use rustc_hash::FxHashMap;

use super::enums::Enums;
use super::lookup::Meaning;
use super::module::{ModuleKind, Source};
use super::parsed::{ParsedFiles, Tree};
use super::resolve::Resolver;
use super::tables::tables;
use super::{Decl, DeclId, Location, Module, ModuleId, Symbol};
use crate::docs::Verdicts;
use crate::files::FileSystem;
use crate::source::display_path;

/// Graph of modules. A file is read only when a name leads into it.
pub(crate) struct Graph<'a> {
    allocator: &'a Allocator,
    /// Files that need not be read and parsed again.
    parsed: &'a ParsedFiles,
    pub(super) root: PathBuf,
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) resolver: Resolver,
    pub(super) modules: Vec<Module<'a>>,
    pub(super) decls: Vec<Decl<'a>>,
    by_path: FxHashMap<PathBuf, Option<ModuleId>>,
    /// Number of bytes of the files that were read.
    pub(crate) bytes: usize,
    /// Cache of exported names.
    pub(super) exported: FxHashMap<(ModuleId, &'a str, Meaning), Symbol<'a>>,
    /// Number of steps of the current lookup.
    pub(super) steps: u32,
    /// Cache of the modules that specifiers resolve to, by importing file.
    pub(super) targets: FxHashMap<(ModuleId, &'a str, bool), Result<ModuleId, String>>,
    /// Groups of modules that count as one: the blocks of a namespace, or a module and its augmentations.
    pub(super) spaces: Vec<Vec<ModuleId>>,
    /// Index of each module's group in `spaces`.
    pub(super) space_of: Vec<usize>,
    /// Primary declaration of each declaration that was merged into another one.
    pub(super) primary: FxHashMap<DeclId, DeclId>,
    /// Declarations that were merged into a primary declaration.
    pub(super) merged: FxHashMap<DeclId, Vec<DeclId>>,
    /// Scripts and `declare global` blocks.
    pub(super) globals: Vec<ModuleId>,
    /// Names of `export as namespace`.
    pub(super) global_namespaces: FxHashMap<&'a str, ModuleId>,
    /// Blocks of `declare module "…"` in scripts.
    pub(super) ambient: IndexMap<&'a str, ModuleId>,
    /// Blocks of `declare module "…"` in modules that are not merged with the augmented module yet.
    pub(super) augmentations: Vec<(ModuleId, &'a str)>,
    /// `/// <reference … />` directives that are not followed yet.
    pub(super) references: Vec<(ModuleId, Reference<'a>)>,
    /// True if the types that TypeScript includes automatically were read.
    pub(super) included: bool,
    pub(super) enums: Enums<'a>,
    /// Syntax errors of the files that were read, and mistakes in `tsconfig.json`.
    pub(crate) diagnostics: Diagnostics,
}

/// A `/// <reference … />` directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reference<'a> {
    Path(&'a str),
    Types(&'a str),
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

    /// Returns the module of a file that the build names. A file that cannot be read is reported as an error.
    pub(crate) fn entry(&mut self, path: &Path) -> Option<ModuleId> {
        let module = self.load(path);
        self.settle();
        if module.is_none() {
            let error = self.files.read(path).err();
            let help = match error.as_ref().map(std::io::Error::kind) {
                Some(std::io::ErrorKind::InvalidData) => "save it as UTF-8",
                Some(std::io::ErrorKind::NotFound) => {
                    "the file existed when the build searched for files: build again"
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

    /// Returns the module of a file if its text contains one of `needles`. Other files are not parsed, unless they may
    /// declare names for other modules or globals.
    pub(crate) fn entry_with(&mut self, path: &Path, needles: &[&str]) -> Option<ModuleId> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let speaks_for_others =
            |text: &str| text.contains("declare module") || text.contains("declare global");
        let text = match self.parsed.text(path) {
            Some(text) => Ok(text.to_owned()),
            None => self.files.read(path),
        };
        match text {
            Ok(text) if !needles.iter().any(|needle| text.contains(needle)) && !speaks_for_others(&text) => {
                None
            }
            _ => self.entry(path),
        }
    }

    /// Reads the declaration files that `tsconfig.json` covers.
    pub(crate) fn ambient(&mut self) {
        for path in self.resolver.ambient_files(&self.files) {
            self.load(&path);
        }
        self.settle();
    }

    /// Returns the cache of verdicts on patterns.
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

    fn add_tree(&mut self, tree: &Tree<'a>) -> ModuleId {
        self.bytes += tree.source.text.len();
        self.diagnostics.extend(tree.diagnostics.clone());
        let id = self.adopt(&tree.source);
        if let Some(data) = tree.data {
            self.modules[id.0 as usize].hold(data);
        }
        id
    }

    /// Adds the modules of a file to the graph.
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

    /// Returns the file module that contains a module.
    pub(crate) fn file(&self, id: ModuleId) -> ModuleId {
        let mut current = id;
        while let Some(parent) = self.module(current).parent() {
            current = parent;
        }
        current
    }

    /// Returns all files that were read, in the order of reading.
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

    /// Returns each `tsconfig.json` and `package.json` that was read to resolve files.
    pub(crate) fn configurations(&self) -> Vec<PathBuf> {
        self.resolver.files_read()
    }

    /// Returns the types that a file declares, including those of its namespaces, in the order of the source.
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

    /// Returns the name of a declaration outside of its file: `Note`, or `Api.Note` for a declaration in a namespace.
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

    /// Returns all declarations of a function in order: its overloads, then the declaration with the body.
    pub(crate) fn overloads(&self, module: ModuleId, name: &str) -> &[&'a Function<'a>] {
        self.module(module).functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Creates a label for a location.
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
}
