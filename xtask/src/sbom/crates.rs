//! The crates that are compiled into the addons on this platform, from the output of cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use super::cyclonedx::{Bill, Component, Scope};
use crate::repository::Repository;
use crate::{optimized, run};

/// Crates and the dependencies between them. Dependencies of tests are not included.
pub(crate) struct Graph {
    crates: BTreeMap<String, Crate>,
}

struct Crate {
    component: Component,
    /// True for a procedural macro, which runs only in the compiler.
    is_macro: bool,
    /// Ids of its dependencies. The flag is true if the build script needs the dependency.
    needs: Vec<(String, bool)>,
    linked: Linked,
}

/// A crate that is part of an addon, with the facts that notices need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linked {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Licence expression, such as `MIT OR Apache-2.0`.
    pub(crate) licence: String,
    pub(crate) authors: Vec<String>,
    /// Directory of the sources.
    pub(crate) directory: PathBuf,
    /// True for a crate of this repository.
    pub(crate) is_own: bool,
}

impl Graph {
    /// Reads the crates of all addons, as `cargo xtask addons` builds them. `cargo metadata` has the dependencies,
    /// but enables the features of all workspace members. So `cargo tree` tells which crates are really compiled.
    pub(crate) fn read(repository: &Repository, addons: &[&str]) -> anyhow::Result<Self> {
        Self::read_for(repository, addons, &optimized::host()?)
    }

    /// Reads the crates of addons for a target, such as `x86_64-unknown-linux-gnu`.
    pub(crate) fn read_for(repository: &Repository, addons: &[&str], target: &str) -> anyhow::Result<Self> {
        let mut metadata = run::command(repository, "cargo")?;
        metadata.args([
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--filter-platform",
        ]);
        metadata.arg(target);
        let metadata = run::stdout_of("reading the crates", metadata)?;
        let mut tree = run::command(repository, "cargo")?;
        tree.args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none"]);
        tree.args(["--format", "{p}", "--target", target]);
        for addon in addons {
            tree.args(["--package", addon]);
        }
        let tree = run::stdout_of("reading which crates the addons compile", tree)?;
        let metadata =
            serde_json::from_str(&metadata).context("the output of `cargo metadata` is not JSON")?;
        Self::parse(&metadata, &tree)
    }

    fn parse(metadata: &Value, tree: &str) -> anyhow::Result<Self> {
        // A line is `serde v1.0.0 (proc-macro)`, for example.
        let compiled: BTreeSet<(&str, &str)> = tree
            .lines()
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                Some((words.next()?, words.next()?.strip_prefix('v')?))
            })
            .collect();
        let mut crates = BTreeMap::new();
        for package in metadata["packages"]
            .as_array()
            .context("the output of `cargo metadata` has no list `packages`")?
        {
            let text = |field: &str| {
                let found = package[field].as_str();
                found.with_context(|| {
                    format!("the output of `cargo metadata` has a package without `{field}`")
                })
            };
            let (name, version) = (text("name")?, text("version")?);
            if !compiled.contains(&(name, version)) {
                continue;
            }
            let kinds = package["targets"].as_array().into_iter().flatten();
            let component = Component {
                name: name.to_owned(),
                version: version.to_owned(),
                // `+` is the only character of a version that must be escaped in a package URL.
                purl: format!("pkg:cargo/{name}@{}", version.replace('+', "%2B")),
                // Older crates write `MIT/Apache-2.0` for `MIT OR Apache-2.0`.
                licence: package["license"].as_str().map(|text| text.replace('/', " OR ")),
                scope: Scope::Required,
            };
            let is_macro = kinds
                .flat_map(|target| target["kind"].as_array().into_iter().flatten())
                .any(|kind| kind == "proc-macro");
            let authors = package["authors"].as_array().into_iter().flatten();
            let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
            let linked = Linked {
                name: name.to_owned(),
                version: version.to_owned(),
                licence: component.licence.clone().unwrap_or_default(),
                authors: authors.filter_map(Value::as_str).map(str::to_owned).collect(),
                directory: manifest.parent().unwrap_or(manifest).to_path_buf(),
                is_own: package["source"].is_null(),
            };
            let one = Crate {
                component,
                is_macro,
                needs: Vec::new(),
                linked,
            };
            crates.insert(text("id")?.to_owned(), one);
        }
        for node in metadata["resolve"]["nodes"].as_array().into_iter().flatten() {
            let needs = node["deps"].as_array().into_iter().flatten().flat_map(needs);
            let needs: Vec<(String, bool)> = needs.filter(|(id, _)| crates.contains_key(id)).collect();
            if let Some(one) = node["id"].as_str().and_then(|id| crates.get_mut(id)) {
                one.needs = needs;
            }
        }
        Ok(Self { crates })
    }

    /// Returns the bill of materials of one addon. Procedural macros and crates of build scripts have the scope
    /// "excluded", because they are not a part of the addon.
    pub(super) fn bill(&self, addon: &str) -> anyhow::Result<Bill> {
        let (root, subject) = self
            .crates
            .iter()
            .find(|(_, one)| one.component.name == addon)
            .with_context(|| format!("the output of cargo does not contain the crate {addon}"))?;
        let running = self.reached(root, true);
        let mut bill = Bill {
            subject: subject.component.clone(),
            components: Vec::new(),
            dependencies: BTreeMap::new(),
        };
        for id in self.reached(root, false) {
            let one = &self.crates[id];
            let mut component = one.component.clone();
            if !running.contains(id) {
                component.scope = Scope::Excluded;
            }
            let needs = one.needs.iter();
            let needs = needs
                .map(|(id, _)| self.crates[id].component.purl.clone())
                .collect();
            bill.dependencies.insert(component.purl.clone(), needs);
            if id != root {
                bill.components.push(component);
            }
        }
        Ok(bill)
    }

    /// Returns the crates of others that are part of an addon, sorted by name and version.
    pub(crate) fn linked(&self, addon: &str) -> anyhow::Result<Vec<Linked>> {
        let (root, _) = self
            .crates
            .iter()
            .find(|(_, one)| one.component.name == addon)
            .with_context(|| format!("the output of cargo does not contain the crate {addon}"))?;
        let mut found: Vec<Linked> = self
            .reached(root, true)
            .into_iter()
            .map(|id| self.crates[id].linked.clone())
            .filter(|linked| !linked.is_own)
            .collect();
        found.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
        Ok(found)
    }

    /// Returns the ids of a crate and of all its dependencies. If `running` is true, dependencies that are used only
    /// at build time are omitted.
    fn reached<'a>(&'a self, root: &'a str, running: bool) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if !found.insert(id) {
                continue;
            }
            for (need, is_build) in &self.crates[id].needs {
                if !running || !(*is_build || self.crates[need].is_macro) {
                    open.push(need);
                }
            }
        }
        found
    }
}

/// Returns a dependency as its id and the flag for build scripts. If the crate and its build script need the
/// dependency, returns two entries.
fn needs(dependency: &Value) -> Vec<(String, bool)> {
    let Some(id) = dependency["pkg"].as_str() else {
        return Vec::new();
    };
    let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
    kinds
        .filter_map(|kind| match kind["kind"].as_str() {
            None => Some((id.to_owned(), false)),
            Some("build") => Some((id.to_owned(), true)),
            Some(_) => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::super::cyclonedx::Scope;
    use super::Graph;

    fn package(name: &str, kind: &str) -> Value {
        json!({ "id": name, "name": name, "version": "1.0.0+1", "license": "MIT/Apache-2.0",
            "source": "registry", "manifest_path": format!("/crates/{name}/Cargo.toml"),
            "targets": [{ "kind": [kind] }] })
    }

    fn need(name: &str, kind: Option<&str>) -> Value {
        json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] })
    }

    #[test]
    fn omits_test_dependencies_and_other_workspace_members_and_marks_build_dependencies() {
        let metadata = json!({
            "packages": [
                package("addon", "cdylib"), package("used", "lib"), package("derive", "proc-macro"),
                package("parser", "lib"), package("builder", "lib"), package("tester", "lib"),
                package("feature", "lib"),
            ],
            "resolve": { "nodes": [
                { "id": "addon", "deps": [need("used", None), need("derive", None),
                    need("builder", Some("build")), need("tester", Some("dev"))] },
                { "id": "used", "deps": [need("feature", None)] },
                { "id": "derive", "deps": [need("parser", None)] },
            ] },
        });
        let tree = "addon v1.0.0+1 (/kit)\nused v1.0.0+1\nderive v1.0.0+1 (proc-macro)\nparser v1.0.0+1\n\
            builder v1.0.0+1\ntester v1.0.0+1\n\nused v1.0.0+1 (*)\n";
        let graph = Graph::parse(&metadata, tree).unwrap();
        let bill = graph.bill("addon").unwrap();
        let found: Vec<(&str, Scope)> = bill
            .components
            .iter()
            .map(|component| (component.name.as_str(), component.scope))
            .collect();
        assert_eq!(
            found,
            [
                ("builder", Scope::Excluded),
                ("derive", Scope::Excluded),
                ("parser", Scope::Excluded),
                ("used", Scope::Required),
            ]
        );
        assert_eq!(bill.components[0].purl, "pkg:cargo/builder@1.0.0%2B1");
        assert_eq!(bill.components[0].licence.as_deref(), Some("MIT OR Apache-2.0"));
        assert!(bill.dependencies["pkg:cargo/derive@1.0.0%2B1"].contains("pkg:cargo/parser@1.0.0%2B1"));
        assert_eq!(bill.subject.name, "addon");
        let linked = graph.linked("addon").unwrap();
        let names: Vec<&str> = linked.iter().map(|linked| linked.name.as_str()).collect();
        assert_eq!(names, ["addon", "used"]);
        assert_eq!(linked[1].directory, Path::new("/crates/used"));
    }
}
