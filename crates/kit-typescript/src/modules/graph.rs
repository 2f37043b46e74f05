//! All modules that were read, and how names lead from one to another.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_diagnostics::{Diagnostic, Diagnostics, Label, closest, codes};
use oxc_allocator::Allocator;
use oxc_resolver::{ResolveOptions, ResolverGeneric};
use oxc_span::Span;

use super::table::{Export, Import};
use super::{Decl, DeclId, Module, ModuleId, Place, Value, parse};
use crate::files::{FileSystem, ResolverFiles};
use crate::source::{LineIndex, display_path};

/// The modules. Files are read when a name leads into them, and only then.
pub(crate) struct Graph<'a> {
    allocator: &'a Allocator,
    root: PathBuf,
    files: Arc<dyn FileSystem>,
    resolver: ResolverGeneric<ResolverFiles>,
    modules: Vec<Module<'a>>,
    decls: Vec<Decl<'a>>,
    by_path: HashMap<PathBuf, Option<ModuleId>>,
    /// Syntax errors of what was read.
    pub(crate) diagnostics: Diagnostics,
}

/// What a name stands for.
pub(crate) enum Symbol<'a> {
    /// A type of the project or of a package.
    Type(DeclId),
    /// A value.
    Value(ModuleId, &'a str, Value<'a>),
    /// `import * as name`.
    Namespace(ModuleId),
    /// An export of one of kit's own packages, which need not be read.
    Kit(&'a str),
    /// Nothing declares it: a global of TypeScript's, or a slip.
    Global,
    /// An import that leads nowhere, explained.
    Broken(Box<Diagnostic>),
}

/// Which of its meanings a name is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Type,
    Value,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(allocator: &'a Allocator, root: &Path, files: Arc<dyn FileSystem>) -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let options = ResolveOptions {
            condition_names: names(&["types", "import", "node", "default"]),
            extensions: names(&[".ts", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts"]),
            extension_alias: vec![
                (".js".to_owned(), names(&[".ts", ".d.ts", ".js"])),
                (".mjs".to_owned(), names(&[".mts", ".d.mts", ".mjs"])),
                (".cjs".to_owned(), names(&[".cts", ".d.cts", ".cjs"])),
            ],
            main_fields: names(&["types", "typings", "main"]),
            symlinks: false,
            ..ResolveOptions::default()
        };
        Self {
            allocator,
            root: root.to_path_buf(),
            resolver: ResolverGeneric::new_with_file_system(ResolverFiles::on(Arc::clone(&files)), options),
            files,
            modules: Vec::new(),
            decls: Vec::new(),
            by_path: HashMap::new(),
            diagnostics: Diagnostics::default(),
        }
    }

    /// The module of a file that the build names; a file that cannot be read is an error.
    pub(crate) fn entry(&mut self, path: &Path) -> Option<ModuleId> {
        let module = self.load(path);
        if module.is_none() {
            let reason = self.files.read(path).err().map(|error| error.to_string());
            self.diagnostics.push(
                Diagnostic::new(
                    codes::UNREADABLE_FILE,
                    format!("cannot read the file: {}", reason.unwrap_or_default()),
                )
                .label(Label::primary(display_path(&self.root, path), 0..0)),
            );
        }
        module
    }

    /// The module of a file whose text holds `needle`; other files are not parsed.
    pub(crate) fn entry_with(&mut self, path: &Path, needle: &str) -> Option<ModuleId> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        match self.files.read(path) {
            Ok(text) if !text.contains(needle) => None,
            _ => self.entry(path),
        }
    }

    fn load(&mut self, path: &Path) -> Option<ModuleId> {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let module = self.files.read(path).ok().map(|text| {
            let text: &'a str = self.allocator.alloc_str(&text);
            let id = ModuleId(u32::try_from(self.modules.len()).expect("fewer than 2^32 modules"));
            let display = display_path(&self.root, path);
            let lines = LineIndex::new(text);
            let mut errors = Diagnostics::default();
            let program = parse::parse(self.allocator, path, &display, text, &lines, &mut errors);
            let decls = &mut self.decls;
            let mut module = Module::new(id, path.to_path_buf(), display, text, lines, program, decls);
            module.syntax_error = errors.iter().next().cloned();
            self.diagnostics.extend(errors);
            self.modules.push(module);
            id
        });
        self.by_path.insert(path.to_path_buf(), module);
        module
    }

    pub(crate) fn module(&self, id: ModuleId) -> &Module<'a> {
        &self.modules[id.0 as usize]
    }

    pub(crate) fn decl(&self, id: DeclId) -> &Decl<'a> {
        &self.decls[id.0 as usize]
    }

    /// Every module that was read, in the order of reading.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (ModuleId, &Module<'a>)> {
        self.modules.iter().enumerate().map(|(index, module)| {
            (
                ModuleId(u32::try_from(index).expect("counted when added")),
                module,
            )
        })
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

    /// What a type name means in a module.
    pub(crate) fn type_symbol(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        self.local(module, name, Meaning::Type, &mut Vec::new())
    }

    /// What a name means in an expression of a module.
    pub(crate) fn value_symbol(&mut self, module: ModuleId, name: &'a str) -> Symbol<'a> {
        self.local(module, name, Meaning::Value, &mut Vec::new())
    }

    /// What a module exports as a type under a name: the right side of `namespace.Name`.
    pub(crate) fn exported_type(&mut self, module: ModuleId, name: &'a str) -> Option<Symbol<'a>> {
        self.exported(module, name, Meaning::Type, &mut Vec::new())
    }

    fn local(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Vec<(ModuleId, String)>,
    ) -> Symbol<'a> {
        let module = self.module(id);
        let declared = match meaning {
            Meaning::Type => module.types.get(name).map(|decl| Symbol::Type(*decl)),
            Meaning::Value => module
                .values
                .get_key_value(name)
                .map(|(name, value)| Symbol::Value(id, name, *value)),
        };
        if let Some(symbol) = declared {
            return symbol;
        }
        match module.imports.get(name) {
            Some(&Import { source, name, span }) => self.follow(id, source, name, span, meaning, visited),
            None => Symbol::Global,
        }
    }

    /// Follows an import, or an export from elsewhere, of `id`.
    fn follow(
        &mut self,
        id: ModuleId,
        source: &'a str,
        name: Option<&'a str>,
        span: Span,
        meaning: Meaning,
        visited: &mut Vec<(ModuleId, String)>,
    ) -> Symbol<'a> {
        if source.starts_with("@kit/") {
            return Symbol::Kit(name.unwrap_or("*"));
        }
        let place = Place { module: id, span };
        let target = match self.resolve(id, source) {
            Ok(target) => target,
            Err(reason) => {
                return Symbol::Broken(Box::new(
                    Diagnostic::new(
                        codes::UNRESOLVED_IMPORT,
                        format!("cannot find the module `{source}`"),
                    )
                    .label(self.label(place).message("imported here"))
                    .help(reason),
                ));
            }
        };
        let Some(name) = name else {
            return Symbol::Namespace(target);
        };
        if let Some(symbol) = self.exported(target, name, meaning, visited) {
            return symbol;
        }
        let module = self.module(target);
        if let Some(error) = &module.syntax_error {
            return Symbol::Broken(Box::new(error.clone()));
        }
        let mut diagnostic = Diagnostic::new(
            codes::UNKNOWN_EXPORT,
            format!("`{source}` does not export `{name}`"),
        )
        .label(self.label(place));
        if let Some(near) = closest(name, module.exports.keys().copied()) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else if module.types.contains_key(name) {
            diagnostic = diagnostic.help(format!("write `export` before `{name}` in {}", module.display));
        }
        Symbol::Broken(Box::new(diagnostic))
    }

    fn exported(
        &mut self,
        id: ModuleId,
        name: &'a str,
        meaning: Meaning,
        visited: &mut Vec<(ModuleId, String)>,
    ) -> Option<Symbol<'a>> {
        let step = (id, name.to_owned());
        if visited.contains(&step) {
            return None;
        }
        visited.push(step);
        match self.module(id).exports.get(name) {
            Some(Export::Local(local)) => {
                let local = *local;
                return match self.local(id, local, meaning, visited) {
                    Symbol::Global => None,
                    symbol => Some(symbol),
                };
            }
            Some(&Export::From { source, name, span }) => {
                return Some(self.follow(id, source, name, span, meaning, visited));
            }
            None => {}
        }
        if name == "default" {
            return None;
        }
        let mut broken = None;
        for (source, span) in self.module(id).stars.clone() {
            match self.follow(id, source, Some(name), span, meaning, visited) {
                Symbol::Kit(_) => {}
                // The name may still come from another star; an export that no star has is reported by the importer.
                Symbol::Broken(diagnostic) if diagnostic.code == codes::UNKNOWN_EXPORT => {}
                Symbol::Broken(diagnostic) => broken = Some(Symbol::Broken(diagnostic)),
                symbol => return Some(symbol),
            }
        }
        broken
    }

    /// The module that a specifier leads to, or what to do about it.
    fn resolve(&mut self, from: ModuleId, specifier: &str) -> Result<ModuleId, String> {
        let path = self.module(from).path.clone();
        let directory = path.parent().unwrap_or(&self.root);
        let found = self
            .resolver
            .resolve(directory, specifier)
            .ok()
            .map(|resolution| {
                let path = resolution.into_path_buf();
                self.files.real_path(&path).unwrap_or(path)
            });
        let Some(found) = found else {
            return Err(if specifier.starts_with('.') {
                format!("there is no such file beside {}", self.module(from).display)
            } else {
                "install the package, or correct the import".to_owned()
            });
        };
        let typed = found.extension().is_some_and(|extension| {
            ["ts", "mts", "cts", "tsx"]
                .iter()
                .any(|known| extension == *known)
        });
        if !typed {
            return Err(format!(
                "{} holds no TypeScript",
                display_path(&self.root, &found)
            ));
        }
        self.load(&found)
            .ok_or_else(|| format!("{} cannot be read", display_path(&self.root, &found)))
    }
}
