//! Settings of `tsconfig.json` for module resolution, except for paths.

use std::path::{Path, PathBuf};

use oxc_resolver::{ResolveOptions, ResolverGeneric, TsConfig};
use serde_json::Value;

use crate::files::{FileSystem, ResolverFiles, normalize};

/// Maximum number of `extends` from one configuration to the next. A longer chain is a cycle.
const MAX_CHAIN: usize = 32;

/// Way in which TypeScript chooses among the conditions in the `exports` of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// The setting is missing or unknown: kit resolves like an import in Node.
    #[default]
    Unknown,
    /// Like Node: the condition is `import` or `require`, depending on whether the importing file is an ES
    /// module.
    Node,
    /// Like bundlers: the condition is always `import`, and `node` never applies.
    Bundler,
}

/// Settings of the project's `tsconfig.json`.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) mode: Mode,
    /// Setting `customConditions`.
    pub(super) conditions: Vec<String>,
    /// Setting `types`; `None` if `tsconfig.json` does not have it.
    pub(super) types: Option<Vec<String>>,
}

/// Settings of a configuration, combined with the settings of the configurations that it extends. Its own
/// settings take precedence.
#[derive(Default)]
struct MergedSettings {
    module: Option<String>,
    resolution: Option<String>,
    conditions: Option<Vec<String>>,
    types: Option<Vec<String>>,
}

impl Settings {
    /// Reads the settings of a configuration and of the configurations that it extends.
    pub(super) fn read(
        files: &dyn FileSystem,
        resolver: &ResolverGeneric<ResolverFiles>,
        config: &TsConfig,
    ) -> Self {
        let mut merged = MergedSettings::default();
        merged.add(files, resolver, config.path(), 0);
        let mode = match (merged.resolution.as_deref(), merged.module.as_deref()) {
            (Some("node16" | "nodenext"), _) | (None, Some("node16" | "node18" | "node20" | "nodenext")) => {
                Mode::Node
            }
            (Some("bundler"), _) | (None, Some(_)) => Mode::Bundler,
            _ => Mode::Unknown,
        };
        Self {
            mode,
            conditions: merged.conditions.unwrap_or_default(),
            types: merged.types,
        }
    }
}

impl MergedSettings {
    fn add(
        &mut self,
        files: &dyn FileSystem,
        resolver: &ResolverGeneric<ResolverFiles>,
        path: &Path,
        depth: usize,
    ) {
        // The resolver already read this file without an error.
        let Ok(mut text) = files.read(path) else { return };
        let _ = json_strip_comments::strip(&mut text);
        let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
            return;
        };
        let options = &value["compilerOptions"];
        let text = |name: &str| options[name].as_str().map(str::to_lowercase);
        let list = |name: &str| {
            let items = options[name].as_array()?.iter();
            Some(
                items
                    .filter_map(|item| item.as_str().map(str::to_owned))
                    .collect(),
            )
        };
        self.module = self.module.take().or_else(|| text("module"));
        self.resolution = self.resolution.take().or_else(|| text("moduleResolution"));
        self.conditions = self.conditions.take().or_else(|| list("customConditions"));
        self.types = self.types.take().or_else(|| list("types"));
        if depth >= MAX_CHAIN {
            return;
        }
        let bases: Vec<&str> = match &value["extends"] {
            Value::String(base) => vec![base],
            Value::Array(bases) => bases.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        // If `extends` is a list, later configurations override earlier ones.
        for base in bases.into_iter().rev() {
            if let Some(base) = extended(files, resolver, path, base) {
                self.add(files, resolver, &base, depth + 1);
            }
        }
    }
}

/// Returns the file that the setting `extends` refers to.
fn extended(
    files: &dyn FileSystem,
    resolver: &ResolverGeneric<ResolverFiles>,
    from: &Path,
    specifier: &str,
) -> Option<PathBuf> {
    let directory = from.parent()?;
    if specifier.starts_with(['.', '/']) {
        let path = normalize(&directory.join(specifier));
        return if files.is_file(&path) {
            Some(path)
        } else {
            let mut name = path.file_name()?.to_owned();
            name.push(".json");
            Some(path.with_file_name(name))
        };
    }
    let options = ResolveOptions {
        tsconfig: None,
        condition_names: vec!["node".to_owned(), "import".to_owned()],
        extensions: vec![".json".to_owned()],
        main_files: vec!["tsconfig".to_owned()],
        node_path: false,
        symlinks: false,
        ..ResolveOptions::default()
    };
    let found = resolver.clone_with_options(options).resolve(directory, specifier);
    found.ok().map(oxc_resolver::Resolution::into_path_buf)
}
