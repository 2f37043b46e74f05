//! Resolution of import specifiers to files, like in TypeScript: `tsconfig.json`, packages and their
//! `exports`, `@types`.

mod settings;
mod versions;

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError};

use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use oxc_resolver::{ResolveError, ResolveOptions, ResolverGeneric, TsConfig, TsconfigDiscovery};

use crate::files::{FileSystem, FilesRead, ResolverFiles, normalize};
use crate::source::display_path;
use rustc_hash::{FxHashMap, FxHashSet};
use settings::{Mode, Settings};

pub(crate) use versions::as_newest_typescript_reads;

/// Resolver of import specifiers. A file is resolved with the settings of the `tsconfig.json` that includes
/// it, or else with the settings of the project's `tsconfig.json`.
pub(super) struct Resolver {
    root: PathBuf,
    import: ResolverGeneric<ResolverFiles>,
    require: ResolverGeneric<ResolverFiles>,
    /// Project's `tsconfig.json`: the nearest one in the root directory or above it.
    project: Option<Arc<TsConfig>>,
    settings: Settings,
    /// Cache: for each directory, true if its `package.json` has `"type": "module"`.
    esm: FxHashMap<PathBuf, bool>,
    read: FilesRead,
    /// Paths of invalid configurations that were already reported.
    broken: FxHashSet<PathBuf>,
    /// Errors about invalid configurations.
    pub(super) problems: Diagnostics,
}

impl Resolver {
    pub(super) fn new(root: &Path, files: &Arc<dyn FileSystem>, diagnostics: &mut Diagnostics) -> Self {
        let read = FilesRead::default();
        let plain = ResolverGeneric::new_with_file_system(
            ResolverFiles::on(Arc::clone(files), Arc::clone(&read)),
            options(&["types", "import"], &[]),
        );
        let mut resolver = Self {
            root: root.to_path_buf(),
            require: plain.clone_with_options(options(&["types", "require"], &[])),
            import: plain,
            project: None,
            settings: Settings::default(),
            esm: FxHashMap::default(),
            read,
            broken: FxHashSet::default(),
            problems: Diagnostics::default(),
        };
        let path = root
            .ancestors()
            .map(|directory| directory.join("tsconfig.json"))
            .find(|path| files.is_file(path));
        if let Some(path) = path {
            match resolver.import.resolve_tsconfig(&path) {
                Ok(config) => {
                    resolver.settings = Settings::read(files.as_ref(), &resolver.import, &config);
                    resolver.project = Some(config);
                }
                Err(error) => resolver.report(&path, &error),
            }
        }
        let custom = &resolver.settings.conditions;
        let mut import = vec!["types", "import"];
        let mut require = vec!["types", "require"];
        if resolver.settings.mode != Mode::Bundler {
            import.push("node");
            require.push("node");
        }
        resolver.require = resolver.import.clone_with_options(options(&require, custom));
        resolver.import = resolver.import.clone_with_options(options(&import, custom));
        diagnostics.extend(std::mem::take(&mut resolver.problems));
        resolver
    }

    /// Returns the paths and texts of the `tsconfig.json` and `package.json` files that were read so far.
    pub(super) fn files_read(&self) -> Vec<(PathBuf, String)> {
        // A thread that panicked while it held the lock left a valid map.
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.clone().into_iter().collect()
    }

    /// Returns the file that a specifier resolves to, with symbolic links resolved. Returns a help text if
    /// there is no such file.
    pub(super) fn resolve(
        &mut self,
        files: &Arc<dyn FileSystem>,
        from: &Path,
        specifier: &str,
        require: bool,
    ) -> Result<PathBuf, String> {
        if specifier.is_empty() {
            return Err("write the path of a file or the name of a package".to_owned());
        }
        let require = require || self.requires(files.as_ref(), from);
        let relative = specifier.starts_with('.') || specifier.starts_with('/');
        let mut found = None;
        if !relative && !self.is_package(from) {
            found = self.aliased(files.as_ref(), from, specifier, require);
        }
        if found.is_none() {
            found = self.file(files.as_ref(), from, specifier, require);
        }
        if found.is_none() && relative {
            found = self.beside_in_root_dirs(files.as_ref(), from, specifier, require);
        }
        let Some(mut found) = found else {
            return Err(self.not_found(files.as_ref(), from, specifier, relative));
        };
        if !is_typed(&found) && !relative {
            // A package of JavaScript may have its types in a package of `@types`.
            let types =
                types_name(specifier).and_then(|types| self.file(files.as_ref(), from, &types, require));
            if let Some(types) = types.filter(|types| is_typed(types)) {
                found = types;
            }
        }
        let found = files.real_path(&found).unwrap_or(found);
        if is_typed(&found) || is_json(&found) {
            return Ok(found);
        }
        let display = display_path(&self.root, &found);
        Err(if self.is_package(&found) || !relative {
            let name = package_name(specifier);
            let types = types_name(name).unwrap_or_else(|| name.to_owned());
            format!(
                "{display} has no types: `npm i -D {types}`, or declare them with `declare module \"{name}\"`"
            )
        } else {
            format!("{display} is not TypeScript: write it in TypeScript, or put a `.d.ts` file beside it")
        })
    }

    /// Returns the file of `/// <reference types="name" />`. If the package and a package of `@types` have
    /// types, returns the file of `@types`.
    pub(super) fn types_package(&self, from: &Path, name: &str) -> Option<PathBuf> {
        let types = types_name(name);
        [types.as_deref(), Some(name)]
            .into_iter()
            .flatten()
            .find_map(|name| {
                let found = self.import.resolve_dts(from, name).ok()?.into_path_buf();
                is_typed(&found).then_some(found)
            })
    }

    /// Returns true if a file belongs to an installed package.
    #[allow(clippy::unused_self)] // Reason: only the resolver decides which files are packages.
    pub(super) fn is_package(&self, path: &Path) -> bool {
        path.components()
            .any(|part| part == Component::Normal("node_modules".as_ref()))
    }

    /// Returns the files that TypeScript reads without an import: the files of the packages in the setting
    /// `types`, or else of all packages of `@types`.
    pub(super) fn included_types(&self, files: &Arc<dyn FileSystem>) -> Vec<PathBuf> {
        let from = self.root.join("index.ts");
        let names = match &self.settings.types {
            Some(names) => names.clone(),
            // Without the setting `types`, TypeScript includes all packages of `@types`.
            None => self
                .root
                .ancestors()
                .flat_map(|directory| {
                    let types = directory.join("node_modules/@types");
                    files.list(&types).unwrap_or_default()
                })
                .collect(),
        };
        names
            .iter()
            .filter_map(|name| self.types_package(&from, name))
            .map(|path| files.real_path(&path).unwrap_or(path))
            .collect()
    }

    /// Returns the declaration files (`.d.ts`) that the project's `tsconfig.json` includes, in a fixed order.
    /// The declaration files may declare global names.
    pub(super) fn ambient_files(&mut self, files: &Arc<dyn FileSystem>) -> Vec<PathBuf> {
        let Some(project) = self.project.clone() else {
            return Vec::new();
        };
        let mut found: Vec<PathBuf> = project.files.iter().flatten().cloned().collect();
        found.retain(|path| is_declaration(path));
        let everything = vec![project.directory().to_path_buf()];
        let mut open = match (&project.include, &project.files) {
            (Some(patterns), _) => patterns.iter().map(|pattern| literal_part(pattern)).collect(),
            (None, Some(_)) => Vec::new(),
            (None, None) => everything,
        };
        let mut seen = FxHashSet::default();
        while let Some(path) = open.pop() {
            // Compares paths without symbolic links, because the links may form cycles.
            let real = files.real_path(&path).unwrap_or_else(|_| path.clone());
            if !seen.insert(real) {
                continue;
            }
            if is_declaration(&path) {
                let owner = self.owner(&path);
                if owner.is_some_and(|owner| owner.path() == project.path()) {
                    found.push(path);
                }
                continue;
            }
            for name in files.list(&path).unwrap_or_default() {
                let inner = path.join(&name);
                // A name with a file extension is not a directory. Checking this on the disk would be slow
                // for thousands of files.
                let file = has_extension(&inner, &["ts", "tsx", "js", "jsx", "json", "md", "map", "css"]);
                let hidden = file || name.starts_with('.') || name == "node_modules";
                if is_declaration(&inner) || (!hidden && files.is_dir(&inner)) {
                    open.push(inner);
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns true if the imports of a file are compiled to `require` calls. Packages may have other files
    /// for `require`.
    fn requires(&mut self, files: &dyn FileSystem, from: &Path) -> bool {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".cts") {
            return true;
        }
        if name.ends_with(".mts") || self.settings.mode != Mode::Node {
            return false;
        }
        let directory = from.parent().unwrap_or(from).to_path_buf();
        if let Some(known) = self.esm.get(&directory) {
            return !known;
        }
        let package = directory
            .ancestors()
            .find_map(|above| files.read(&above.join("package.json")).ok());
        let esm = package.is_some_and(|text| {
            let value: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            value.is_some_and(|value| value["type"] == "module")
        });
        self.esm.insert(directory, esm);
        !esm
    }

    /// Resolves a specifier to a file without `paths`, `baseUrl` and `rootDirs` of `tsconfig.json`.
    fn file(&self, files: &dyn FileSystem, from: &Path, specifier: &str, require: bool) -> Option<PathBuf> {
        if is_json(Path::new(specifier)) && (specifier.starts_with('.') || specifier.starts_with('/')) {
            let path = normalize(&from.parent()?.join(specifier));
            if files.is_file(&path) {
                return Some(path);
            }
        }
        let resolver = if require { &self.require } else { &self.import };
        let found = resolver.resolve_dts(from, specifier).ok()?.into_path_buf();
        if is_typed(&found) {
            return Some(found);
        }
        // `exports` and `imports` may name a JavaScript file, whose types are in the same directory.
        let beside = resolver.resolve_dts(from, &found.to_string_lossy()).ok();
        beside
            .map(oxc_resolver::Resolution::into_path_buf)
            .filter(|beside| is_typed(beside))
            .or(Some(found))
            .filter(|found| files.is_file(found))
    }

    /// Resolves a specifier with `paths` and `baseUrl` of the `tsconfig.json` that includes the importing
    /// file.
    fn aliased(
        &mut self,
        files: &dyn FileSystem,
        from: &Path,
        specifier: &str,
        require: bool,
    ) -> Option<PathBuf> {
        let own = self.owner(from);
        let project = self
            .project
            .clone()
            .filter(|project| own.as_ref().is_none_or(|own| own.path() != project.path()));
        for config in [own, project].into_iter().flatten() {
            let mut candidates = config.resolve_path_alias_or_base_url(specifier);
            // If `paths` does not resolve the specifier, `baseUrl` may.
            if let Some(base) = &config.compiler_options.base_url {
                candidates.push(base.join(specifier));
            }
            for candidate in candidates {
                let found = self.file(files, from, &candidate.to_string_lossy(), require);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Resolves a relative specifier of a file in one of the `rootDirs`, as if the file were in another of
    /// these directories.
    fn beside_in_root_dirs(
        &mut self,
        files: &dyn FileSystem,
        from: &Path,
        specifier: &str,
        require: bool,
    ) -> Option<PathBuf> {
        let config = self.owner(from).or_else(|| self.project.clone())?;
        let roots = config.compiler_options.root_dirs.as_ref()?;
        let wanted = normalize(&from.parent()?.join(specifier));
        let inside = roots
            .iter()
            .filter(|root| wanted.starts_with(root))
            .max_by_key(|root| root.components().count())?;
        let rest = wanted.strip_prefix(inside).ok()?;
        roots.iter().filter(|root| *root != inside).find_map(|root| {
            let candidate = root.join(rest);
            self.file(files, from, &candidate.to_string_lossy(), require)
        })
    }

    /// Returns the `tsconfig.json` that includes a file; `None` if there is no such configuration.
    fn owner(&mut self, path: &Path) -> Option<Arc<TsConfig>> {
        match self.import.find_tsconfig(path) {
            Ok(found) => found,
            Err(error) => {
                self.report(path, &error);
                None
            }
        }
    }

    /// Reports an invalid configuration. Each configuration is reported once.
    fn report(&mut self, asked: &Path, error: &ResolveError) {
        let (path, reason) = match error {
            ResolveError::TsconfigLoadFailed { path, source } => (path.as_path(), source.as_ref()),
            other => (asked, other),
        };
        let (path, line, column, what) = match reason {
            ResolveError::Json(json) => (
                json.path.as_path(),
                json.line,
                json.column,
                without_location(&json.message),
            ),
            ResolveError::TsconfigNotFound(missing) => {
                let missing = display_path(&self.root, missing);
                (
                    path,
                    1,
                    1,
                    format!("the file refers to {missing}, which does not exist"),
                )
            }
            ResolveError::TsconfigCircularExtend(circle) => {
                let names: Vec<String> = circle
                    .paths()
                    .iter()
                    .map(|path| display_path(&self.root, path))
                    .collect();
                let names = names.join(", ");
                (path, 1, 1, format!("the file extends itself: {names}"))
            }
            other => (path, 1, 1, other.to_string()),
        };
        if !self.broken.insert(path.to_path_buf()) {
            return;
        }
        let number = |value: usize| u32::try_from(value).unwrap_or(1).max(1);
        let display = display_path(&self.root, path);
        self.problems.push(
            Diagnostic::new(
                codes::CONFIGURATION_INVALID,
                format!("{display} cannot be read: {what}"),
            )
            .label(Label::primary(display, 0..0).at(number(line), number(column)))
            .help("correct the file: kit needs its `paths` and `baseUrl` to resolve imports"),
        );
    }

    fn not_found(&self, files: &dyn FileSystem, from: &Path, specifier: &str, relative: bool) -> String {
        if relative {
            let path = normalize(&from.parent().unwrap_or(from).join(specifier));
            if files.is_file(&path) {
                return format!("{} has no types", display_path(&self.root, &path));
            }
            let from = display_path(&self.root, from);
            return format!("the path is relative to {from}, but there is no file with this path");
        }
        if specifier.starts_with('#') {
            return "add this name to `imports` in package.json, or correct the import".to_owned();
        }
        let name = package_name(specifier);
        let installed = from
            .ancestors()
            .map(|directory| directory.join("node_modules").join(name))
            .find(|package| files.is_dir(package));
        match installed {
            Some(package) => {
                let display = display_path(&self.root, &package);
                let types = types_name(name).unwrap_or_default();
                if specifier == name {
                    format!(
                        "{display} contains neither types nor a file that kit can read: install types with `npm i -D {types}`, or reinstall the package"
                    )
                } else {
                    format!(
                        "the package is installed in {display}, but the package has no file with this path, and its `exports` do not list the path: correct the import"
                    )
                }
            }
            None if specifier.starts_with("node:") => {
                "install the types of Node: `npm i -D @types/node`".to_owned()
            }
            None => "install the package, or correct the import".to_owned(),
        }
    }
}

fn options(conditions: &[&str], custom: &[String]) -> ResolveOptions {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let mut condition_names = names(conditions);
    condition_names.extend(custom.iter().cloned());
    ResolveOptions {
        tsconfig: Some(TsconfigDiscovery::Auto),
        condition_names,
        extensions: names(&[".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts"]),
        extension_alias: vec![
            (".js".to_owned(), names(&[".ts", ".tsx", ".d.ts", ".js"])),
            (".mjs".to_owned(), names(&[".mts", ".d.mts", ".mjs"])),
            (".cjs".to_owned(), names(&[".cts", ".d.cts", ".cjs"])),
        ],
        main_fields: names(&["types", "typings", "main"]),
        symlinks: false,
        // The environment variable `NODE_PATH` must not change the result.
        node_path: false,
        ..ResolveOptions::default()
    }
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension()
        .is_some_and(|extension| extensions.iter().any(|known| extension == *known))
}

fn is_typed(path: &Path) -> bool {
    has_extension(path, &["ts", "mts", "cts", "tsx"])
}

pub(super) fn is_json(path: &Path) -> bool {
    has_extension(path, &["json"])
}

pub(super) fn is_declaration(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    [".d.ts", ".d.mts", ".d.cts"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns the name of the package in a specifier: `@scope/name` for `@scope/name/path`.
fn package_name(specifier: &str) -> &str {
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier
        .match_indices('/')
        .nth(parts - 1)
        .map_or(specifier.len(), |(index, _)| index);
    &specifier[..end]
}

/// Returns the package with the types of another package: `@types/a__b/path` for `@a/b/path`. Returns `None`
/// for a specifier that starts with `@types/` or `#`.
fn types_name(specifier: &str) -> Option<String> {
    if specifier.starts_with("@types/") || specifier.starts_with('#') {
        return None;
    }
    Some(match specifier.strip_prefix('@') {
        Some(scoped) => format!("@types/{}", scoped.replacen('/', "__", 1)),
        None => format!("@types/{specifier}"),
    })
}

/// Removes the location from a message of the JSON parser, because the label shows the location.
fn without_location(message: &str) -> String {
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Returns the part of a glob before its first wildcard: `src/types` for `src/types/**/*.ts`.
fn literal_part(pattern: &Path) -> PathBuf {
    pattern
        .components()
        .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?']))
        .collect()
}
