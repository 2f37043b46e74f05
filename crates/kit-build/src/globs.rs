//! Finds the source files of a build with the globs of the configuration, in a fixed order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use globset::GlobMatcher;
use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use walkdir::{DirEntry, WalkDir};

use crate::glob_syntax::compile;
use crate::{BuildError, ResolvedConfig};

/// Source files of a build. Each list contains absolute paths and is sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFiles {
    /// Files that match `typeFiles`.
    pub types: Vec<PathBuf>,
    /// Files that match `routeFiles`. A file may also be in `types`.
    pub routes: Vec<PathBuf>,
    /// All other modules of the application: handlers, middleware, and the module that calls `createApp`. Tests are left out,
    /// because a test may register routes that the application does not have.
    pub entries: Vec<PathBuf>,
    /// Warnings about default globs that match no file. They are for programs without routes.
    pub(crate) unmatched_defaults: Diagnostics,
}

impl SourceFiles {
    /// Adds the files of another list that are not in this list.
    pub(crate) fn add(&mut self, other: &Self) {
        self.entries
            .retain(|entry| !other.types.contains(entry) && !other.routes.contains(entry));
        for (own, other) in [(&mut self.types, &other.types), (&mut self.routes, &other.routes)] {
            own.extend(other.iter().cloned());
            own.sort();
            own.dedup();
        }
    }

    /// Returns the files with types and routes that another list does not have.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let without = |own: &[PathBuf], other: &[PathBuf]| -> Vec<PathBuf> {
            let new = own.iter().filter(|path| !other.contains(path));
            new.cloned().collect()
        };
        Self {
            types: without(&self.types, &other.types),
            routes: without(&self.routes, &other.routes),
            ..Self::default()
        }
    }
}

/// Finds the sources of a project. If no file matches a configured glob, reports a warning with the directories that were
/// searched.
///
/// # Errors
/// Returns an error if a directory cannot be read.
pub fn find_sources(
    root: &Path,
    config: &ResolvedConfig,
    diagnostics: &mut Diagnostics,
) -> Result<SourceFiles, BuildError> {
    let types = GlobList::new(&config.type_files);
    let routes = GlobList::new(&config.route_files);
    let mut found = SourceFiles::default();
    // These paths are relative and match the globs. Below a symbolic link, they differ from the real paths of the files.
    let (mut type_names, mut route_names) = (Vec::new(), Vec::new());
    for base in bases(&[&types, &routes]) {
        walk(root, &base, config, |path, relative| {
            let (is_type, is_route) = (types.matches(relative), routes.matches(relative));
            if is_type {
                found.types.push(path.clone());
                type_names.push(relative.to_owned());
            }
            if is_route {
                found.routes.push(path.clone());
                route_names.push(relative.to_owned());
            }
            if !is_type && !is_route && is_entry(relative) {
                found.entries.push(path);
            }
        })?;
    }
    for list in [&mut found.types, &mut found.routes, &mut found.entries] {
        list.sort();
        list.dedup();
    }
    let nothing = found.types.is_empty() && found.routes.is_empty() && found.entries.is_empty();
    if nothing && !crate::disk::is_file(&root.join("package.json")) {
        diagnostics.push(
            Diagnostic::new(
                codes::NO_SOURCES,
                "this directory is not a project: it has neither sources nor a package.json",
            )
            .note(format!("the directory is {}", root.display()))
            .help(crate::parent_project::project_advice(root)),
        );
        return Ok(found);
    }
    let defaults = ResolvedConfig::default();
    let lists = [
        (
            "typeFiles",
            &types,
            config.type_files == defaults.type_files,
            &type_names,
        ),
        (
            "routeFiles",
            &routes,
            config.route_files == defaults.route_files,
            &route_names,
        ),
    ];
    for (option, globs, is_default, names) in lists {
        let warning = globs.unmatched(option, &config.options_file, is_default, root, names);
        // Types may be declared in the files with the contracts. With the default globs, a project needs no other files
        // with types.
        let is_needless = is_default && option == "typeFiles" && !found.routes.is_empty();
        match warning {
            Some(warning) if is_default && !is_needless => found.unmatched_defaults.push(warning),
            Some(warning) if !is_default => diagnostics.push(warning),
            _ => {}
        }
    }
    Ok(found)
}

/// Returns all tests of a project except for generated contract tests: for each, the absolute path and the
/// path relative to the root. Sorted by absolute path.
///
/// # Errors
/// Returns an error if a directory cannot be read.
pub fn find_tests(root: &Path, config: &ResolvedConfig) -> Result<Vec<(PathBuf, String)>, BuildError> {
    Ok(find_code(root, config)?.tests)
}

/// Returns the absolute paths of all modules of a project, sorted: its sources, tests and other code, but not its output.
///
/// # Errors
/// Returns an error if a directory cannot be read.
pub fn find_modules(root: &Path, config: &ResolvedConfig) -> Result<Vec<PathBuf>, BuildError> {
    Ok(find_code(root, config)?.modules)
}

/// Code of a project, without its output.
pub(crate) struct Code {
    /// Absolute paths of all modules, sorted.
    pub(crate) modules: Vec<PathBuf>,
    /// Tests as [`find_tests`] returns them.
    pub(crate) tests: Vec<(PathBuf, String)>,
}

/// Finds all modules and tests, and visits each directory once.
pub(crate) fn find_code(root: &Path, config: &ResolvedConfig) -> Result<Code, BuildError> {
    const ENDINGS: [&str; 8] = ["ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx"];
    let (mut modules, mut tests) = (Vec::new(), Vec::new());
    walk(root, "", config, |path, relative| {
        let ending = path.extension();
        if ending.is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            if is_test(relative) {
                tests.push((path.clone(), relative.to_owned()));
            }
            modules.push(path);
        }
    })?;
    modules.sort();
    modules.dedup();
    tests.sort();
    Ok(Code { modules, tests })
}

/// Returns the generated contract tests, each with its absolute path and its path relative to the root.
///
/// # Errors
/// Returns an error if a directory cannot be read.
pub fn find_contract_tests(
    root: &Path,
    config: &ResolvedConfig,
) -> Result<Vec<(PathBuf, String)>, BuildError> {
    let mut found = Vec::new();
    let base = format!("{}/tests", config.output_dir.trim_end_matches('/'));
    walk(root, &base, config, |path, relative| {
        if is_test(relative) && relative.contains(".contract.test.") {
            found.push((path, relative.to_owned()));
        }
    })?;
    found.sort();
    Ok(found)
}

/// Returns true if test runners treat the file as a test: `a.test.ts`, `a.spec.mts`.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        matches!(extension, "ts" | "mts" | "cts" | "js" | "mjs" | "cjs")
            && stem
                .rsplit_once('.')
                .is_some_and(|(_, kind)| matches!(kind, "test" | "spec"))
    })
}

/// A list of globs. A glob with a leading `!` excludes files.
struct GlobList {
    include: Vec<(String, GlobMatcher)>,
    exclude: Vec<GlobMatcher>,
}

impl GlobList {
    fn new(globs: &[String]) -> Self {
        let mut list = Self {
            include: Vec::new(),
            exclude: Vec::new(),
        };
        for glob in globs {
            let body = glob.strip_prefix('!').unwrap_or(glob);
            // Skip an invalid glob. The resolution of the configuration has already reported it as an error.
            let Ok(compiled) = compile(body) else { continue };
            if glob.starts_with('!') {
                list.exclude.push(compiled.compile_matcher());
            } else {
                list.include.push((glob.clone(), compiled.compile_matcher()));
            }
        }
        list
    }

    fn matches(&self, path: &str) -> bool {
        self.include.iter().any(|(_, glob)| glob.is_match(path))
            && !self.exclude.iter().any(|glob| glob.is_match(path))
    }

    /// Returns a warning about globs that match no file. Every glob of the configuration must match. The default globs are
    /// alternatives: the warning is returned only if none of them matches.
    fn unmatched(
        &self,
        option: &str,
        place: &str,
        default: bool,
        root: &Path,
        found: &[String],
    ) -> Option<Diagnostic> {
        let unmatched: Vec<&str> = self
            .include
            .iter()
            .filter(|(_, glob)| !found.iter().any(|path| glob.is_match(path)))
            .map(|(text, _)| text.as_str())
            .collect();
        if unmatched.is_empty() || (default && unmatched.len() < self.include.len()) {
            return None;
        }
        let globs = unmatched
            .iter()
            .map(|glob| format!("`{glob}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let mut diagnostic =
            Diagnostic::warning(codes::NO_SOURCES, format!("no file matches `{option}`: {globs}"));
        let looked: BTreeSet<String> = unmatched.iter().map(|glob| base(glob)).collect();
        for directory in looked {
            let name = if directory.is_empty() {
                "the project's root".to_owned()
            } else {
                format!("`{directory}/`")
            };
            diagnostic = diagnostic.note(if crate::disk::is_dir(&root.join(&directory)) {
                format!("kit searched {name}, but not node_modules, output directories and names that begin with a dot")
            } else {
                format!("there is no directory {name}")
            });
        }
        Some(diagnostic.help(format!(
            "add such a file, or set `{option}` in {place} to the globs of your files"
        )))
    }
}

/// Returns the part of a glob before its first wildcard, a directory that contains all matches: `src` for
/// `src/**/*.ts`.
fn base(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let directories = glob.rsplit_once('/').map_or("", |(directories, _)| directories);
    directories
        .split('/')
        .take_while(|part| !part.contains(['*', '?', '[', '{']))
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns the directories to search, of which none contains another, so that every file is visited once.
/// `src` is always searched, because it contains the handlers.
fn bases(lists: &[&GlobList]) -> BTreeSet<String> {
    let all: BTreeSet<String> = lists
        .iter()
        .flat_map(|list| list.include.iter().map(|(glob, _)| base(glob)))
        .chain(["src".to_owned()])
        .collect();
    all.iter()
        .filter(|inner| {
            !all.iter()
                .any(|outer| outer != *inner && (outer.is_empty() || inner.starts_with(&format!("{outer}/"))))
        })
        .cloned()
        .collect()
}

fn walk(
    root: &Path,
    base: &str,
    config: &ResolvedConfig,
    mut visit: impl FnMut(PathBuf, &str),
) -> Result<(), BuildError> {
    let start = root.join(base);
    if !crate::disk::is_dir(&start) {
        return Ok(());
    }
    let linked = start.is_symlink();
    let skipped = [root.join(&config.output_dir), root.join(&config.dist_dir)];
    let enter = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0
            || !(name.starts_with('.')
                || name == "node_modules"
                || skipped.iter().any(|path| path == entry.path()))
    };
    let entries = WalkDir::new(&start).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(enter) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(&start).to_owned();
            let source = error
                .into_io_error()
                .unwrap_or_else(|| std::io::Error::other("a loop of symbolic links"));
            BuildError::io("list", path)(source)
        })?;
        // Do not follow symbolic links to directories: they can form loops, or give one type two paths. Follow symbolic links
        // to files.
        let is_file =
            entry.file_type().is_file() || (entry.path_is_symlink() && crate::disk::is_file(entry.path()));
        if is_file {
            let relative = relative(root, entry.path());
            let is_link = linked || entry.path_is_symlink();
            let path = entry.into_path();
            // Imports resolve to real paths. If a module were listed under another path, the program would contain it twice.
            let real = is_link.then(|| crate::disk::canonical(&path));
            visit(real.and_then(Result::ok).unwrap_or(path), &relative);
        }
    }
    Ok(())
}

pub(crate) fn relative(root: &Path, path: &Path) -> String {
    let parts: Vec<_> = path
        .strip_prefix(root)
        .unwrap_or(path)
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

fn is_entry(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    matches!(extension, "ts" | "mts" | "cts")
        && ![".d", ".test", ".spec", ".test-d", ".bench"]
            .iter()
            .any(|suffix| stem.ends_with(suffix))
        && !directories
            .split('/')
            .enumerate()
            .any(|(depth, part)| part == "__tests__" || (depth == 0 && matches!(part, "test" | "tests")))
}

#[cfg(test)]
mod tests {
    use super::{GlobList, base, bases, is_entry};

    #[test]
    fn search_directory_of_a_glob_ends_before_the_first_wildcard() {
        assert_eq!(base("src/**/*.types.ts"), "src");
        assert_eq!(base("./src/api/types.ts"), "src/api");
        assert_eq!(base("{src,lib}/*.ts"), "");
        assert_eq!(base("types.ts"), "");
    }

    #[test]
    fn searches_a_directory_inside_of_another_directory_only_once() {
        let list = |globs: &[&str]| GlobList::new(&globs.iter().map(ToString::to_string).collect::<Vec<_>>());
        let walked = |globs: &[&str]| bases(&[&list(globs)]).into_iter().collect::<Vec<_>>();
        assert_eq!(walked(&["src/a/*.ts", "lib/**/x.ts"]), ["lib", "src"]);
        assert_eq!(walked(&["**/*.ts", "lib/x.ts"]), [""]);
    }

    #[test]
    fn glob_star_does_not_match_a_slash_and_an_excluded_file_never_matches() {
        let globs = ["src/*.ts".to_owned(), "!src/old.ts".to_owned()];
        let list = GlobList::new(&globs);
        assert!(list.matches("src/a.ts"));
        assert!(!list.matches("src/deep/a.ts"));
        assert!(!list.matches("src/old.ts"));
    }

    #[test]
    fn tests_and_declaration_files_are_not_modules_of_the_application() {
        for (path, entry) in [
            ("src/app.ts", true),
            ("src/tests/tests.handlers.ts", true),
            ("src/app.test.ts", false),
            ("src/__tests__/app.ts", false),
            ("tests/app.ts", false),
            ("src/env.d.ts", false),
            ("src/readme.md", false),
            ("src/Makefile", false),
        ] {
            assert_eq!(is_entry(path), entry, "{path}");
        }
    }
}
