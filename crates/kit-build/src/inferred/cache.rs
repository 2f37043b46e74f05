//! Declarations that TypeScript emitted, with the files from which TypeScript made them.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::directory;
use super::typescript::{Emitted, Message};
use crate::{disk, read_text, write_text};

/// Version of the format of the cache. A cache with another version is ignored.
const VERSION: u32 = 3;

/// Configurations that TypeScript and the resolution of imports read from the directory of the project or one above.
const CONFIGURATIONS: [&str; 2] = ["tsconfig.json", "package.json"];

/// Lists of installed packages. A change to one of them can change the types of imports, even of imports that
/// failed before.
const LOCK_FILES: [&str; 8] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "node_modules/.package-lock.json",
    "node_modules/.modules.yaml",
];

/// Declarations that TypeScript emitted.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    /// Source files for which TypeScript was run.
    pub(super) requested: BTreeSet<PathBuf>,
    /// Texts of the declaration files, by the path of the source file. Source files that the requested files import
    /// have declarations too.
    pub(super) texts: Arc<BTreeMap<PathBuf, String>>,
    /// Messages of TypeScript about files without declarations.
    pub(super) messages: Vec<Message>,
    /// Hashes of the files from which TypeScript made the declarations. An installed package is represented by its
    /// `package.json`. `None` for a file that does not exist, and would change the declarations if it existed.
    inputs: BTreeMap<PathBuf, Option<u64>>,
    /// True if a file changed while TypeScript ran. TypeScript may have read its earlier text.
    changed_during_run: bool,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    requested: BTreeSet<PathBuf>,
    texts: BTreeMap<PathBuf, String>,
    inputs: BTreeMap<PathBuf, Option<u64>>,
}

impl Declarations {
    /// Takes over the output of TypeScript. `configurations` are other files on which the output depends.
    pub(super) fn new(
        root: &Path,
        requested: &BTreeSet<PathBuf>,
        emitted: Emitted,
        configurations: impl Iterator<Item = PathBuf>,
    ) -> Self {
        let locks = root.ancestors().flat_map(|directory| {
            let names = LOCK_FILES.iter().chain(&CONFIGURATIONS);
            names.map(move |name| directory.join(name))
        });
        let candidates = emitted.read.iter().flat_map(|path| earlier_candidates(path));
        let failed = emitted
            .read
            .iter()
            .flat_map(|path| targets_of_failed_imports(path));
        let files: BTreeSet<PathBuf> = emitted
            .read
            .iter()
            .filter_map(|path| representative(path))
            .chain(configurations)
            .chain(locks)
            .chain(candidates)
            .chain(failed)
            .collect();
        let is_new = |path: &Path| {
            let started = emitted.started;
            started.is_some_and(|start| disk::modified(path).is_some_and(|time| time >= start))
        };
        let is_gone = |path: &PathBuf| !disk::is_file(path);
        let changed_during_run = files.iter().any(|path| is_new(path)) || emitted.read.iter().any(is_gone);
        let inputs = files.into_iter().map(|path| {
            let hash = hash(&path);
            (path, hash)
        });
        Self {
            requested: requested.clone(),
            inputs: inputs.collect(),
            changed_during_run,
            texts: Arc::new(emitted.declarations),
            messages: emitted.messages,
        }
    }

    /// Returns true if no file has changed, appeared or disappeared from which TypeScript made the declarations.
    pub(super) fn is_current(&self) -> bool {
        !self.changed_during_run && self.inputs.iter().all(|(path, known)| hash(path) == *known)
    }

    /// Returns the files of the project from which TypeScript made the declarations.
    pub(super) fn own_inputs(&self) -> impl Iterator<Item = PathBuf> {
        self.inputs
            .iter()
            .filter(|(path, hash)| hash.is_some() && package_directory(path).is_none() && !is_lock_file(path))
            .map(|(path, _)| path.clone())
    }

    /// Reads the declarations of earlier builds from the disk; `None` if there are none, or if they cannot be read.
    pub(super) fn load(root: &Path) -> Option<Self> {
        let text = read_text(&cache_file(root)).ok()??;
        let document: Document = serde_json::from_str(&text).ok()?;
        (document.version == VERSION).then(|| Self {
            requested: document.requested,
            texts: Arc::new(document.texts),
            messages: Vec::new(),
            inputs: document.inputs,
            changed_during_run: false,
        })
    }

    /// Writes the declarations to the disk, unless a file changed while TypeScript ran. If this fails, the next build runs
    /// TypeScript again.
    pub(super) fn save(&self, root: &Path) {
        if self.changed_during_run {
            return;
        }
        let document = Document {
            version: VERSION,
            requested: self.requested.clone(),
            texts: (*self.texts).clone(),
            inputs: self.inputs.clone(),
        };
        if let Ok(text) = serde_json::to_string(&document) {
            let _ = write_text(&cache_file(root), &text);
        }
    }
}

/// Returns the path of the cache. Projects may share `node_modules` through a symbolic link, so the name of the file contains
/// the path of the project.
fn cache_file(root: &Path) -> PathBuf {
    let project = root
        .to_string_lossy()
        .replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let start = project.len().saturating_sub(100);
    directory(root).join(format!("{}.inferred.json", &project[start..]))
}

fn is_lock_file(path: &Path) -> bool {
    LOCK_FILES.iter().any(|name| path.ends_with(name))
}

/// Returns the file whose change means that a file has changed: the file itself, or the `package.json` of the
/// installed package that contains the file.
fn representative(path: &Path) -> Option<PathBuf> {
    match package_directory(path) {
        Some(package) => Some(package.join("package.json")).filter(|manifest| disk::is_file(manifest)),
        None => Some(path.to_owned()),
    }
}

/// Endings of the files that TypeScript reads for an import, the preferred ones first.
const ENDINGS: [&str; 6] = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".json"];

/// Returns the files that relative imports of a file of the project would read, for imports that find no file. TypeScript
/// gives such imports the type `any`, until one of these files exists.
fn targets_of_failed_imports(path: &Path) -> Vec<PathBuf> {
    let (Some(directory), None) = (path.parent(), package_directory(path)) else {
        return Vec::new();
    };
    let Ok(Some(text)) = read_text(path) else {
        return Vec::new();
    };
    relative_texts(&text)
        .into_iter()
        .map(|specifier| targets(directory, specifier))
        .filter(|targets| !targets.iter().any(|target| disk::is_file(target)))
        .flatten()
        .collect()
}

/// Returns the texts in quotes that begin like relative imports. Other texts of this form do no harm: the cache is out of date
/// if a file with this name appears.
fn relative_texts(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for quote in ['"', '\''] {
        for start in ["./", "../"] {
            let opening = format!("{quote}{start}");
            for (at, _) in text.match_indices(opening.as_str()) {
                let inside = &text[at + 1..];
                // Not the end of the line: a file may be one long line with many imports.
                let end = inside.find([quote, '\n']);
                if let Some(end) = end.filter(|end| inside[*end..].starts_with(quote)) {
                    found.insert(&inside[..end]);
                }
            }
        }
    }
    found
}

/// Returns the files that a relative import can read.
fn targets(directory: &Path, specifier: &str) -> Vec<PathBuf> {
    let mut base = directory.to_owned();
    for part in specifier.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                base.pop();
            }
            part => base.push(part),
        }
    }
    let with = |base: &Path, ending: &str| {
        let mut name = base.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    // `./data` does not read `data.json`.
    let endings = || ENDINGS.iter().filter(|ending| **ending != ".json");
    let mut found: Vec<PathBuf> = endings().map(|ending| with(&base, ending)).collect();
    found.extend(endings().map(|ending| base.join(format!("index{ending}"))));
    // `./a.js` reads `a.ts`.
    let swapped = [
        (".mjs", ".mts"),
        (".cjs", ".cts"),
        (".js", ".ts"),
        (".js", ".tsx"),
        (".jsx", ".tsx"),
    ];
    for (output, source) in swapped {
        if let Some(stem) = base.to_str().and_then(|base| base.strip_suffix(output)) {
            found.push(PathBuf::from(format!("{stem}{source}")));
        }
    }
    found.push(base);
    found
}

/// Returns the files that TypeScript prefers to a file of the project if they exist: `a.ts` to `a.d.ts` and to `a/index.ts`.
fn earlier_candidates(path: &Path) -> Vec<PathBuf> {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let (Some(directory), None) = (path.parent(), package_directory(path)) else {
        return Vec::new();
    };
    // `.d.ts` ends with `.ts` too.
    let Some(ending) = [".d.ts"]
        .iter()
        .chain(&ENDINGS)
        .find(|ending| name.ends_with(**ending))
    else {
        return Vec::new();
    };
    let stem = &name[..name.len() - ending.len()];
    let earlier = ENDINGS.iter().take_while(|known| *known != ending);
    let mut found: Vec<PathBuf> = earlier
        .map(|ending| directory.join(format!("{stem}{ending}")))
        .collect();
    if let ("index", Some(parent), Some(name)) = (stem, directory.parent(), directory.file_name()) {
        let name = name.to_string_lossy();
        found.extend(
            ENDINGS
                .iter()
                .map(|ending| parent.join(format!("{name}{ending}"))),
        );
    }
    found
}

/// Returns the directory of the installed package that contains a file: `node_modules/zod`, or
/// `node_modules/@scope/name`. Returns `None` for a file outside of `node_modules`.
fn package_directory(path: &Path) -> Option<PathBuf> {
    let parts: Vec<_> = path.components().collect();
    let last = parts
        .iter()
        .rposition(|part| part.as_os_str() == "node_modules")?;
    let name = parts.get(last + 1)?.as_os_str().to_str()?;
    let length = if name.starts_with('@') { 3 } else { 2 };
    (parts.len() > last + length).then(|| parts[..last + length].iter().collect())
}

/// Returns a hash of the contents of a file; `None` if the file cannot be read.
fn hash(path: &Path) -> Option<u64> {
    let bytes = disk::read_optional(path).ok()??;
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    use super::{Declarations, Emitted, earlier_candidates, package_directory, relative_texts, targets};
    use crate::disk;

    #[test]
    fn relative_imports_of_a_text_can_read_files_with_several_endings() {
        let text = "import { a } from \"./a.ts\";\nconst b = await import('../b');\nimport c from \"zod\";\n// \"./open\n";
        assert_eq!(
            relative_texts(text).into_iter().collect::<Vec<_>>(),
            ["../b", "./a.ts"]
        );
        let found = targets(Path::new("/app/src"), "../b");
        for expected in ["/app/b.ts", "/app/b.d.ts", "/app/b/index.ts", "/app/b"] {
            assert!(found.contains(&PathBuf::from(expected)), "{expected}: {found:?}");
        }
        assert!(!found.contains(&PathBuf::from("/app/b.json")));
        assert!(targets(Path::new("/app"), "./d.json").contains(&PathBuf::from("/app/d.json")));
        assert!(targets(Path::new("/app"), "./c.js").contains(&PathBuf::from("/app/c.ts")));
    }

    #[test]
    fn imports_of_one_long_line_are_found_in_little_time() {
        let imports: Vec<String> = (0..200_000)
            .map(|number| format!("import './{number}';"))
            .collect();
        assert_eq!(relative_texts(&imports.concat()).len(), 200_000);
    }

    #[test]
    fn declarations_are_out_of_date_if_a_file_changed_while_typescript_ran() {
        let root = std::env::temp_dir().join(format!("kit-changed-during-run-{}", std::process::id()));
        let file = root.join("src/a.ts");
        disk::make_dir(&root.join("src")).unwrap();
        disk::write(&file, b"export const a = 1;").unwrap();
        let declarations = |started: SystemTime, read: Vec<PathBuf>| {
            let emitted = Emitted {
                declarations: BTreeMap::new(),
                read,
                messages: Vec::new(),
                started: Some(started),
            };
            Declarations::new(&root, &BTreeSet::new(), emitted, std::iter::empty())
        };
        let written = disk::modified(&file).unwrap();
        let second = Duration::from_secs(1);
        assert!(declarations(written + second, vec![file.clone()]).is_current());
        let changed = declarations(written - second, vec![file.clone()]);
        assert!(!changed.is_current());
        changed.save(&root);
        assert!(Declarations::load(&root).is_none());
        let gone = declarations(written + second, vec![file, root.join("src/gone.ts")]);
        assert!(!gone.is_current());
        disk::remove_tree(&root).unwrap();
    }

    #[test]
    fn files_that_typescript_prefers_to_a_file_are_candidates() {
        let found = |path: &str| -> Vec<String> {
            let all = earlier_candidates(Path::new(path));
            all.iter()
                .map(|path| path.to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(found("/app/src/a.ts"), Vec::<String>::new());
        assert_eq!(found("/app/src/a.d.ts"), ["/app/src/a.ts", "/app/src/a.tsx"]);
        assert_eq!(
            found("/app/src/a/index.ts")[..2],
            ["/app/src/a.ts", "/app/src/a.tsx"]
        );
        assert_eq!(found("/app/node_modules/zod/index.d.ts"), Vec::<String>::new());
    }

    #[test]
    fn files_of_an_installed_package_belong_to_the_directory_of_the_package() {
        let found = |path: &str| package_directory(Path::new(path));
        assert_eq!(
            found("/app/node_modules/zod/v4/index.d.ts"),
            Some(PathBuf::from("/app/node_modules/zod"))
        );
        assert_eq!(
            found("/app/node_modules/.pnpm/a@1/node_modules/@b/c/d.ts"),
            Some(PathBuf::from("/app/node_modules/.pnpm/a@1/node_modules/@b/c"))
        );
        assert_eq!(found("/app/src/a.ts"), None);
        assert_eq!(found("/app/node_modules/.package-lock.json"), None);
    }
}
