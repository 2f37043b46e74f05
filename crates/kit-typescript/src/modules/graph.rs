//! All modules that were read.

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
use super::{Decl, DeclId, Module, ModuleId, Place, Symbol};
use crate::docs::Verdicts;
use crate::files::FileSystem;
use crate::source::display_path;

/// The modules. Files are read when a name leads into them, and only then.
pub(crate) struct Graph<'a> {
    allocator: &'a Allocator,
    /// Files that need not be read and parsed any more.
    parsed: &'a ParsedFiles,
    pub(super) root: PathBuf,
    pub(super) files: Arc<dyn FileSystem>,
    pub(super) resolver: Resolver,
    pub(super) modules: Vec<Module<'a>>,
    pub(super) decls: Vec<Decl<'a>>,
    by_path: FxHashMap<PathBuf, Option<ModuleId>>,
    /// Bytes of the files that were read.
    pub(crate) bytes: usize,
    /// What was found behind exported names.
    pub(super) exported: FxHashMap<(ModuleId, &'a str, Meaning), Symbol<'a>>,
    /// The steps of the look-up that runs.
    pub(super) steps: u32,
    /// What specifiers lead to, by the importing file.
    pub(super) targets: FxHashMap<(ModuleId, &'a str, bool), Result<ModuleId, String>>,
    /// Modules that are one: the blocks of a namespace, a module and what augments it.
    pub(super) spaces: Vec<Vec<ModuleId>>,
    /// The space of each module.
    pub(super) space_of: Vec<usize>,
    /// Declarations that another one stands for.
    pub(super) primary: FxHashMap<DeclId, DeclId>,
    /// What each of those stands for besides itself.
    pub(super) merged: FxHashMap<DeclId, Vec<DeclId>>,
    /// Scripts and `declare global` blocks.
    pub(super) globals: Vec<ModuleId>,
    /// `export as namespace`.
    pub(super) global_namespaces: FxHashMap<&'a str, ModuleId>,
    /// `declare module "…"` of scripts.
    pub(super) ambient: IndexMap<&'a str, ModuleId>,
    /// `declare module "…"` of modules, not yet put to what they augment.
    pub(super) augmentations: Vec<(ModuleId, &'a str)>,
    /// `/// <reference … />` that nobody followed yet.
    pub(super) references: Vec<(ModuleId, Reference<'a>)>,
    /// Whether the types that TypeScript includes by itself were read.
    pub(super) included: bool,
    pub(super) enums: Enums<'a>,
    /// Syntax errors of what was read, and what is wrong with `tsconfig.json`.
    pub(crate) diagnostics: Diagnostics,
}

/// `/// <reference … />`.
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

    /// The module of a file that the build names; a file that cannot be read is an error.
    pub(crate) fn entry(&mut self, path: &Path) -> Option<ModuleId> {
        let module = self.load(path);
        self.settle();
        if module.is_none() {
            let error = self.files.read(path).err();
            let help = match error.as_ref().map(std::io::Error::kind) {
                Some(std::io::ErrorKind::InvalidData) => "save it as UTF-8",
                Some(std::io::ErrorKind::NotFound) => {
                    "it was there when the build looked for files: build again"
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

    /// The module of a file whose text holds one of `needles`; other files are not parsed, unless they say something of other
    /// modules or of all.
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

    /// What is known of patterns.
    pub(crate) fn verdicts(&self) -> &Verdicts {
        &self.parsed.verdicts
    }

    /// The module of a file, read and parsed when it is first asked for.
    pub(super) fn load(&mut self, path: &Path) -> Option<ModuleId> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let module = match self.parsed.get(path) {
            Some(tree) => Some(self.plant(tree)),
            None => self.files.read(path).ok().map(|text| {
                let text: &'a str = self.allocator.alloc_str(&text);
                let tree = Tree::new(self.allocator, &self.root, path, text);
                self.plant(&tree)
            }),
        };
        self.by_path.insert(path.to_path_buf(), module);
        module
    }

    fn plant(&mut self, tree: &Tree<'a>) -> ModuleId {
        self.bytes += tree.source.text.len();
        self.diagnostics.extend(tree.diagnostics.clone());
        let id = self.adopt(&tree.source);
        if let Some(data) = tree.data {
            self.modules[id.0 as usize].hold(data);
        }
        id
    }

    /// Takes the modules of a file in.
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

    /// The file that a module is written in.
    pub(crate) fn file(&self, id: ModuleId) -> ModuleId {
        let mut current = id;
        while let Some(parent) = self.module(current).parent() {
            current = parent;
        }
        current
    }

    /// Every file that was read, in the order of reading.
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

    /// Every `tsconfig.json` and `package.json` that was read on the way to the files.
    pub(crate) fn configurations(&self) -> Vec<PathBuf> {
        self.resolver.files_read()
    }

    /// The types that a file declares, those of its namespaces included, in the order of the source.
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

    /// The name under which a declaration can be imported: `Note`, or `Api.Note` for one of a namespace.
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

    /// The name of a declaration as it is written outside of its file: `Note`, or `Api.Note` for one of a namespace.
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

    /// All declarations of a function, in order: its overloads, then the one with the body.
    pub(crate) fn overloads(&self, module: ModuleId, name: &str) -> &[&'a Function<'a>] {
        self.module(module).functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// A label on a place.
    pub(crate) fn label(&self, place: Place) -> Label {
        let module = self.module(place.module);
        let (line, column) = module.lines.position(module.text, place.span.start);
        let length = module.text.len();
        let (start, end) = (
            (place.span.start as usize).min(length),
            (place.span.end as usize).min(length),
        );
        Label::primary(&module.display, start..end.max(start)).at(line, column)
    }
}
