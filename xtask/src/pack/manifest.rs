//! Reads `package.json` files of the repository, and converts them to the form that is published.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};

/// Content of a `package.json`.
#[derive(Clone)]
pub(super) struct Manifest(Map<String, Value>);

/// Fields with paths of code. In the repository these are paths of sources; in a published package, of compiled
/// files.
const LEADING: [&str; 3] = ["exports", "imports", "bin"];
/// Directories that are published unchanged if a package lists them: files that it serves to browsers.
pub(super) const DATA_DIRECTORIES: [&str; 2] = ["viewer", "dist-dashboard"];

/// Address of the repository, from the manifest of the workspace.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
/// Words by which users find the packages in a registry.
const KEYWORDS: [&str; 6] = ["api", "http", "kit", "openapi", "server", "typescript"];

impl Manifest {
    pub(super) fn read(directory: &Path) -> anyhow::Result<Self> {
        let path = directory.join("package.json");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let manifest = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a JSON object", path.display()))?;
        Ok(Self(manifest))
    }

    pub(super) fn name(&self) -> &str {
        self.text("name")
    }

    pub(super) fn version(&self) -> &str {
        self.text("version")
    }

    fn text(&self, field: &str) -> &str {
        self.0.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns true if others import code from the package.
    pub(super) fn has_exports(&self) -> bool {
        self.0.contains_key("exports")
    }

    pub(super) fn is_private(&self) -> bool {
        self.0.get("private") == Some(&Value::Bool(true))
    }

    /// Returns the names of the packages whose types this package may use.
    pub(super) fn needs(&self) -> impl Iterator<Item = &str> {
        ["dependencies", "peerDependencies"]
            .into_iter()
            .filter_map(|field| self.0.get(field)?.as_object())
            .flat_map(|names| names.keys().map(String::as_str))
    }

    /// Returns the names by which other packages can import from this package, each with the path of its
    /// compiled declarations.
    pub(super) fn declarations(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for (place, target) in self
            .0
            .get("exports")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let target = target
                .as_str()
                .with_context(|| format!("an export of {} is not the path of a file", self.name()))?;
            if !target.starts_with("./src/") {
                continue;
            }
            let specifier = format!("{}{}", self.name(), place.trim_start_matches('.'));
            found.push((specifier, compiled(target, ".d.ts")));
        }
        Ok(found)
    }

    /// Returns the manifest in the form that is published.
    pub(super) fn published(&self) -> anyhow::Result<Self> {
        let mut manifest = self.0.clone();
        for field in ["private", "devDependencies", "scripts"] {
            manifest.shift_remove(field);
        }
        for field in LEADING {
            if let Some(Value::Object(places)) = manifest.get_mut(field) {
                for target in places.values_mut() {
                    let Some(path) = target.as_str() else {
                        bail!("{}: a value of `{field}` is not the path of a file", self.name());
                    };
                    if path.starts_with("./src/") {
                        let code = compiled(path, ".js");
                        *target = match field {
                            "exports" => json!({ "types": compiled(path, ".d.ts"), "default": code }),
                            _ => Value::String(code),
                        };
                    }
                }
            }
        }
        let mut files = vec![json!("dist")];
        // Sources are compiled. Directories with data are published unchanged.
        let named = manifest.get("files").and_then(Value::as_array);
        for data in DATA_DIRECTORIES {
            if named.is_some_and(|named| named.contains(&json!(data))) {
                files.push(json!(data));
            }
        }
        if manifest.contains_key("bin") {
            files.push(json!("bin"));
        }
        files.extend(self.data().into_iter().map(|path| json!(path)));
        manifest.insert("files".to_owned(), Value::Array(files));
        Ok(Self(manifest))
    }

    /// Creates the manifest for the package with the addon of one platform.
    pub(super) fn of_addon(of: &Self, name: &str, files: &[&str; 2], platform: &[(&str, String)]) -> Self {
        let mut manifest = Map::new();
        manifest.insert("name".to_owned(), json!(name));
        for field in ["version", "license", "engines"] {
            if let Some(value) = of.0.get(field) {
                manifest.insert(field.to_owned(), value.clone());
            }
        }
        manifest.insert(
            "description".to_owned(),
            json!(format!("The native addon of {}.", of.name())),
        );
        for (field, value) in platform {
            manifest.insert((*field).to_owned(), json!([value]));
        }
        // An addon is loaded with `require`.
        manifest.insert("type".to_owned(), json!("commonjs"));
        manifest.insert("main".to_owned(), json!(files[0]));
        manifest.insert("files".to_owned(), json!(files));
        Self(manifest)
    }

    /// Adds the addresses and words by which users find the package and report problems. They are equal in all packages
    /// except for the directory, so they are written here and not in each manifest.
    pub(super) fn with_addresses(mut self, directory: &str) -> Self {
        let path = format!("packages/{directory}");
        for (field, value) in [
            (
                "repository",
                json!({ "type": "git", "url": format!("git+{REPOSITORY}.git"), "directory": path }),
            ),
            ("homepage", json!(format!("{REPOSITORY}/tree/main/{path}#readme"))),
            ("bugs", json!({ "url": format!("{REPOSITORY}/issues") })),
            ("keywords", json!(KEYWORDS)),
            // Without this setting, npm refuses to publish a package with a scope for everybody.
            ("publishConfig", json!({ "access": "public" })),
        ] {
            self.0.entry(field).or_insert(value);
        }
        self
    }

    /// Adds an optional dependency: a package that npm installs only on the platform that its manifest names.
    pub(super) fn add_optional(&mut self, name: &str, version: &str) {
        let optional = self
            .0
            .entry("optionalDependencies")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(optional) = optional {
            optional.insert(name.to_owned(), json!(version));
        }
    }

    /// Returns the exported files that need no compilation, such as a JSON schema.
    pub(super) fn data(&self) -> Vec<&str> {
        let exports = self.0.get("exports").and_then(Value::as_object);
        let targets = exports
            .into_iter()
            .flat_map(Map::values)
            .filter_map(Value::as_str);
        targets
            .filter(|target| !target.starts_with("./src/"))
            .map(|target| target.trim_start_matches("./"))
            .collect()
    }

    /// Returns the paths of all files that the manifest points to.
    pub(super) fn targets(&self) -> Vec<String> {
        let mut targets = Vec::new();
        for field in LEADING {
            collect(self.0.get(field).unwrap_or(&Value::Null), &mut targets);
        }
        targets
    }

    pub(super) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(&self.0)?;
        text.push('\n');
        std::fs::write(directory.join("package.json"), text)?;
        Ok(())
    }
}

fn collect(value: &Value, targets: &mut Vec<String>) {
    match value {
        Value::String(path) => targets.push(path.clone()),
        Value::Object(map) => map.values().for_each(|value| collect(value, targets)),
        _ => {}
    }
}

/// Returns the path of the file that a source is compiled to: `./src/codec/index.ts` gives `./dist/codec/index.js`.
fn compiled(path: &str, ending: &str) -> String {
    let inner = path.strip_prefix("./src/").unwrap_or(path);
    format!("./dist/{}{ending}", inner.strip_suffix(".ts").unwrap_or(inner))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Manifest;

    fn manifest(value: Value) -> Manifest {
        match value {
            Value::Object(map) => Manifest(map),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn publishes_a_manifest_with_the_paths_of_compiled_files() {
        let own = manifest(json!({
            "name": "@kit/a", "version": "1.0.0", "files": ["src", "native", "dist-dashboard"],
            "exports": { ".": "./src/index.ts", "./codec": "./src/codec/index.ts", "./a.json": "./a.json" },
            "imports": { "#main": "./src/main.ts" }, "bin": { "a": "./bin/a.js" },
            "devDependencies": { "b": "1" }, "dependencies": { "@kit/types": "1.0.0" },
        }));
        let mut published = own.published().unwrap();
        published.add_optional("@kit/a-linux-x64-gnu", "1.0.0");
        assert_eq!(
            Value::Object(published.0.clone()),
            json!({
                "name": "@kit/a", "version": "1.0.0", "files": ["dist", "dist-dashboard", "bin", "a.json"],
                "exports": {
                    ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" },
                    "./codec": { "types": "./dist/codec/index.d.ts", "default": "./dist/codec/index.js" },
                    "./a.json": "./a.json",
                },
                "imports": { "#main": "./dist/main.js" }, "bin": { "a": "./bin/a.js" },
                "dependencies": { "@kit/types": "1.0.0" },
                "optionalDependencies": { "@kit/a-linux-x64-gnu": "1.0.0" },
            })
        );
        assert_eq!(published.targets().len(), 7);
        // A file that is not code has no type declarations.
        assert_eq!(
            own.declarations().unwrap()[1..],
            [("@kit/a/codec".to_owned(), "./dist/codec/index.d.ts".to_owned())]
        );
    }

    #[test]
    fn packages_name_their_repository_and_directory() {
        let own = manifest(json!({ "name": "@kit/a", "keywords": ["own"] }));
        let Manifest(published) = own.with_addresses("a");
        assert_eq!(published["repository"]["directory"], "packages/a");
        assert!(published["bugs"]["url"].as_str().unwrap().ends_with("/issues"));
        assert_eq!(published["publishConfig"], json!({ "access": "public" }));
        // A field that the manifest has already is not replaced.
        assert_eq!(published["keywords"], json!(["own"]));
    }

    #[test]
    fn a_package_with_an_addon_is_commonjs_and_contains_the_notices() {
        let of = manifest(json!({ "name": "@kit/a", "version": "1.0.0", "license": "MIT" }));
        let platform = [("os", "linux".to_owned())];
        let Manifest(made) = Manifest::of_addon(&of, "@kit/a-linux", &["a.node", "NOTICES.txt"], &platform);
        assert_eq!(
            (&made["type"], &made["main"], &made["os"]),
            (&json!("commonjs"), &json!("a.node"), &json!(["linux"]))
        );
        assert_eq!(made["files"], json!(["a.node", "NOTICES.txt"]));
    }
}
