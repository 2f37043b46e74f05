//! Origins of the values in a module, followed through the modules of the project, to find values that may be clients of the
//! application.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{Declaration, ExportSpecifier, Expression, ImportDeclarationSpecifier};
use oxc_ast_visit::Visit;
use oxc_parser::Parser;
use oxc_span::SourceType;
use rustc_hash::FxHashMap;

use crate::stack::StackSize;

/// Maximum number of names and modules that the search for the origin of a value visits. Names and imports can form cycles.
const MAX_STEPS: usize = 200;

/// Reader of the modules of a project. Keeps the origins of the names in each module that it has read.
pub struct ProjectModules<'r> {
    read: &'r dyn Fn(&Path) -> Option<String>,
    known: RefCell<FxHashMap<PathBuf, Option<Rc<Origins>>>>,
}

impl<'r> ProjectModules<'r> {
    /// Creates a reader. `read` returns the text of a file, or `None` if there is no such file.
    ///
    /// ```
    /// let modules = kit_typescript::ProjectModules::new(&|_| None);
    /// assert!(kit_typescript::route_mentions("src/a.ts".as_ref(), "const a = 1;", &modules).is_empty());
    /// ```
    pub fn new(read: &'r dyn Fn(&Path) -> Option<String>) -> Self {
        Self {
            read,
            known: RefCell::default(),
        }
    }

    /// Returns true if a value in a module may be a client of the application.
    pub(crate) fn may_be_client(&self, path: &Path, origins: &Origins, value: &Expression<'_>) -> bool {
        let mut steps = MAX_STEPS;
        root(value).is_some_and(|name| self.name_may_be_client(path, origins, name, &mut steps))
    }

    /// Returns the module that a relative specifier names. Returns `None` if kit cannot read the module.
    fn module(&self, from: &Path, specifier: &str) -> Option<(PathBuf, Rc<Origins>)> {
        candidates(from, specifier).into_iter().find_map(|path| {
            if let Some(known) = self.known.borrow().get(&path) {
                return known.clone().map(|origins| (path.clone(), origins));
            }
            let origins = (self.read)(&path).map(|text| Rc::new(Origins::read(&path, &text)));
            self.known.borrow_mut().insert(path.clone(), origins.clone());
            origins.map(|origins| (path, origins))
        })
    }

    /// Returns true if a name in a module may be a client of the application. `steps` is the number of names and modules that
    /// the search may still visit.
    fn name_may_be_client(&self, path: &Path, origins: &Origins, name: &str, steps: &mut usize) -> bool {
        let mut name = name;
        while *steps > 0 {
            *steps -= 1;
            if let Some((specifier, imported)) = origins.imports.get(name) {
                return self.export_may_be_client(path, specifier, imported, steps);
            }
            match origins.variables.get(name) {
                Some(Some(made_with)) => name = made_with,
                Some(None) => return false,
                None => return origins.uses_kit,
            }
        }
        false
    }

    fn export_may_be_client(&self, from: &Path, specifier: &str, name: &str, steps: &mut usize) -> bool {
        if is_of_kit(specifier) {
            return true;
        }
        if !specifier.starts_with('.') || *steps == 0 {
            return false;
        }
        *steps -= 1;
        let Some((path, module)) = self.module(from, specifier) else {
            // The module may make a client all the same.
            return true;
        };
        match module.exports.get(name) {
            Some(Export::From(specifier, name)) => self.export_may_be_client(&path, specifier, name, steps),
            Some(Export::Local(local))
                if module.imports.contains_key(local) || module.variables.contains_key(local) =>
            {
                self.name_may_be_client(&path, &module, local, steps)
            }
            None if name != ALL && !module.stars.is_empty() => module
                .stars
                .iter()
                .any(|specifier| self.export_may_be_client(&path, specifier, name, steps)),
            // A function or a class may return a client.
            Some(Export::Local(_)) | None => self.reaches_kit(&path, &module, steps),
        }
    }

    /// Returns true if a module, or a module that it imports, uses kit.
    fn reaches_kit(&self, path: &Path, module: &Origins, steps: &mut usize) -> bool {
        if module.uses_kit {
            return true;
        }
        let specifiers: BTreeSet<&String> = module.imports.values().map(|(specifier, _)| specifier).collect();
        specifiers.into_iter().any(|specifier| {
            if !specifier.starts_with('.') || *steps == 0 {
                return false;
            }
            *steps -= 1;
            self.module(path, specifier)
                .is_none_or(|(path, module)| self.reaches_kit(&path, &module, steps))
        })
    }
}

/// Returns the files that a relative specifier can name, in the order of preference.
fn candidates(from: &Path, specifier: &str) -> Vec<PathBuf> {
    let mut path = from.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                path.pop();
            }
            name => path.push(name),
        }
    }
    let text = path.to_string_lossy().into_owned();
    let mut found = Vec::new();
    for (written, source) in [
        (".js", ".ts"),
        (".mjs", ".mts"),
        (".cjs", ".cts"),
        (".js", ".tsx"),
    ] {
        found.extend(text.strip_suffix(written).map(|stem| format!("{stem}{source}")));
    }
    found.push(text.clone());
    found.extend([".ts", ".tsx", ".mts", "/index.ts"].map(|ending| format!("{text}{ending}")));
    found.into_iter().map(PathBuf::from).collect()
}

/// Name of a namespace import, which has all exports of a module.
const ALL: &str = "*";

/// Name of the export that has no name in its module.
const DEFAULT: &str = "default";

/// Origins of the names in a module.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// Specifiers of the modules from which names are imported, with the names there.
    imports: FxHashMap<String, (String, String)>,
    /// Names from which variables are made: `createClient` for `const api = createClient()`. `None` if a variable is made
    /// of something else, such as `new Map()`.
    variables: FxHashMap<String, Option<String>>,
    exports: FxHashMap<String, Export>,
    /// Specifiers of the modules whose exports the module exports too.
    stars: Vec<String>,
    /// True if the module imports from the generated code or from a package of kit.
    uses_kit: bool,
}

/// Origin of an export.
#[derive(Debug)]
enum Export {
    /// A name of the module.
    Local(String),
    /// A name of another module: its specifier and the name there.
    From(String, String),
}

impl Origins {
    fn read(path: &Path, text: &str) -> Self {
        let allocator = Allocator::default();
        let kind = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
        StackSize::for_text(text).run(|| {
            let parsed = Parser::new(&allocator, text, kind).parse();
            let mut origins = Self::default();
            origins.visit_program(&parsed.program);
            origins
        })
    }

    /// Adds exports of names. `source` is the specifier of the module that has the names; `None` for the module itself.
    fn add_exports(&mut self, specifiers: &[ExportSpecifier<'_>], source: Option<&str>) {
        self.uses_kit |= source.is_some_and(is_of_kit);
        for specifier in specifiers {
            let local = specifier.local.name().to_string();
            let origin = match source {
                Some(source) => Export::From(source.to_owned(), local),
                None => Export::Local(local),
            };
            self.exports.insert(specifier.exported.name().to_string(), origin);
        }
    }

    fn add_declaration(&mut self, declaration: &Declaration<'_>) {
        let Declaration::VariableDeclaration(variables) = declaration else {
            return;
        };
        for variable in &variables.declarations {
            for name in variable.id.get_binding_identifiers() {
                let name = name.name.to_string();
                self.exports.insert(name.clone(), Export::Local(name));
            }
        }
    }
}

/// Returns true for the generated code and for packages of kit.
fn is_of_kit(specifier: &str) -> bool {
    specifier.starts_with("@kit/") || specifier.contains(".kit/")
}

/// Returns the name at the start of an expression such as `await make(a).b.c`. Returns `None` if there is no name.
fn root<'a>(expression: &Expression<'a>) -> Option<&'a str> {
    let mut current = expression;
    loop {
        current = match current.get_inner_expression() {
            Expression::Identifier(name) => return Some(name.name.as_str()),
            Expression::AwaitExpression(awaited) => &awaited.argument,
            Expression::CallExpression(call) => &call.callee,
            Expression::StaticMemberExpression(member) => &member.object,
            Expression::ComputedMemberExpression(member) => &member.object,
            _ => return None,
        };
    }
}

impl<'a> Visit<'a> for Origins {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::ImportDeclaration(import) => {
                let source = import.source.value.as_str();
                self.uses_kit |= is_of_kit(source);
                for specifier in import.specifiers.iter().flatten() {
                    let imported = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                            specifier.imported.name().to_string()
                        }
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => DEFAULT.to_owned(),
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => ALL.to_owned(),
                    };
                    let local = specifier.local().name.to_string();
                    self.imports.insert(local, (source.to_owned(), imported));
                }
            }
            AstKind::VariableDeclarator(variable) => {
                let Some(init) = &variable.init else { return };
                for name in variable.id.get_binding_identifiers() {
                    self.variables
                        .insert(name.name.to_string(), root(init).map(str::to_owned));
                }
            }
            AstKind::ExportNamedDeclaration(export) => self.add_exports(&export.specifiers, None),
            AstKind::ExportFromDeclaration(export) => {
                self.add_exports(&export.specifiers, Some(export.source.value.as_str()));
            }
            AstKind::ExportDeclaration(export) => self.add_declaration(&export.declaration),
            AstKind::ExportAllDeclaration(export) => {
                let source = export.source.value.to_string();
                self.uses_kit |= is_of_kit(&source);
                match &export.exported {
                    Some(name) => {
                        let name = name.name().to_string();
                        self.exports.insert(name, Export::From(source, ALL.to_owned()));
                    }
                    None => self.stars.push(source),
                }
            }
            AstKind::ExportDefaultDeclaration(export) => {
                if let Some(value) = export.declaration.as_expression() {
                    let name = root(value).map(str::to_owned);
                    self.variables.insert(DEFAULT.to_owned(), name);
                }
                self.exports
                    .insert(DEFAULT.to_owned(), Export::Local(DEFAULT.to_owned()));
            }
            _ => {}
        }
    }
}
