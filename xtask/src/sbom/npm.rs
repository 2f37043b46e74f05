//! The npm packages that users install together with each published package, from `package-lock.json`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::{Map, Value};

use super::cyclonedx::{Bill, Component, Scope};
use crate::repository::Repository;
use crate::viewer;

/// npm packages whose code is a part of a published package: the packages in the dashboard of the debug
/// sidecar.
const BUILT_IN: [(&str, &[&str]); 1] = [("packages/plugin-debug", &["preact", "uplot"])];

/// Package that contains the viewer of the API reference as a file.
const VIEWER_IN: &str = "packages/api-docs";

/// Returns the bill of materials of each published package.
pub(super) fn bills(repository: &Repository) -> anyhow::Result<Vec<Bill>> {
    let lock = read(repository, "package-lock.json")?;
    let lock = Lock(
        lock["packages"]
            .as_object()
            .context("package-lock.json has no `packages`")?,
    );
    let mut bills = Vec::new();
    for place in lock.0.keys() {
        let is_package = place
            .strip_prefix("packages/")
            .is_some_and(|name| !name.contains('/'));
        if !is_package || read(repository, &format!("{place}/package.json"))?["private"] == true {
            continue;
        }
        let mut bill = lock.bill(place, built_in(place))?;
        if place == VIEWER_IN {
            add_viewer(repository, &mut bill)?;
        }
        bills.push(bill);
    }
    Ok(bills)
}

fn built_in(place: &str) -> &'static [&'static str] {
    let found = BUILT_IN.iter().find(|(package, _)| *package == place);
    found.map_or(&[], |(_, names)| names)
}

/// Adds the npm package that the viewer comes from. Its file contains the code of further packages, which no lock
/// file lists.
fn add_viewer(repository: &Repository, bill: &mut Bill) -> anyhow::Result<()> {
    let source = read(repository, &format!("{}/source.json", viewer::DIRECTORY))?;
    let field = |name: &str| {
        let text = source[name].as_str();
        text.with_context(|| format!("{}/source.json has no `{name}`", viewer::DIRECTORY))
    };
    let (name, version) = (field("package")?, field("version")?);
    let component = Component {
        name: name.to_owned(),
        version: version.to_owned(),
        purl: purl(name, version),
        licence: source["license"].as_str().map(str::to_owned),
        scope: Scope::Required,
    };
    let direct = bill.dependencies.entry(bill.subject.purl.clone()).or_default();
    direct.insert(component.purl.clone());
    bill.components.push(component);
    Ok(())
}

fn read(repository: &Repository, file: &str) -> anyhow::Result<Value> {
    let text =
        std::fs::read_to_string(repository.path(file)).with_context(|| format!("cannot read {file}"))?;
    serde_json::from_str(&text).with_context(|| format!("{file} is not JSON"))
}

/// `packages` of a lock file: the installed packages by their directories.
struct Lock<'a>(&'a Map<String, Value>);

impl Lock<'_> {
    /// Returns the bill of materials of a package. Follows `dependencies` and `optionalDependencies`. Omits peer
    /// dependencies, because the application chooses their versions.
    fn bill(&self, root: &str, built_in: &[&str]) -> anyhow::Result<Bill> {
        let mut found: BTreeMap<String, Component> = BTreeMap::new();
        let mut dependencies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut open = vec![(root.to_owned(), Scope::Required)];
        while let Some((place, scope)) = open.pop() {
            // Visit a package again only if it was optional and is now required.
            let known = found.get(&place).map(|component| component.scope);
            if known.is_some_and(|known| known == scope || known == Scope::Required) {
                continue;
            }
            let component = self.component(&place, scope)?;
            let direct = dependencies.entry(component.purl.clone()).or_default();
            let mut needs = Vec::new();
            for (field, needs_scope) in [("dependencies", scope), ("optionalDependencies", Scope::Optional)] {
                let names = self.0[&place].get(field).and_then(Value::as_object);
                needs.extend(
                    names
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| (name.as_str(), needs_scope)),
                );
            }
            if place == root {
                needs.extend(built_in.iter().map(|name| (*name, Scope::Required)));
            }
            for (name, scope) in needs {
                let target = self.resolve(&place, name).with_context(|| {
                    format!("package-lock.json has no {name}, which {place} needs; run `npm install`")
                })?;
                direct.insert(self.component(&target, scope)?.purl);
                open.push((target, scope));
            }
            found.insert(place, component);
        }
        let subject = found.remove(root).context("the package itself was not found")?;
        // The same version of a package may be installed in two directories.
        let mut components: BTreeMap<String, Component> = BTreeMap::new();
        for component in found.into_values() {
            let entry = components.entry(component.purl.clone());
            let kept = entry.or_insert_with(|| component.clone());
            if component.scope == Scope::Required {
                kept.scope = Scope::Required;
            }
        }
        Ok(Bill {
            subject,
            components: components.into_values().collect(),
            dependencies,
        })
    }

    /// Finds a package in the same way as Node: in `node_modules` of the directory, then of each parent directory.
    fn resolve(&self, from: &str, name: &str) -> Option<String> {
        let mut above = Some(from);
        loop {
            let place = match above? {
                "" => format!("node_modules/{name}"),
                directory => format!("{directory}/node_modules/{name}"),
            };
            if let Some(entry) = self.0.get(&place) {
                let is_link = entry["link"] == true;
                return if is_link {
                    entry["resolved"].as_str().map(str::to_owned)
                } else {
                    Some(place)
                };
            }
            above = match above? {
                "" => None,
                directory => Some(directory.rsplit_once('/').map_or("", |(parent, _)| parent)),
            };
        }
    }

    fn component(&self, place: &str, scope: Scope) -> anyhow::Result<Component> {
        let entry = self
            .0
            .get(place)
            .with_context(|| format!("package-lock.json has no entry {place}"))?;
        // An entry has a `name` only if it differs from the name of the directory.
        let name = entry["name"]
            .as_str()
            .or_else(|| place.rsplit_once("node_modules/").map(|(_, name)| name))
            .with_context(|| format!("the entry {place} of package-lock.json has no package name"))?;
        let version = entry["version"]
            .as_str()
            .with_context(|| format!("the entry {place} of package-lock.json has no version"))?;
        Ok(Component {
            name: name.to_owned(),
            version: version.to_owned(),
            purl: purl(name, version),
            licence: entry["license"].as_str().map(str::to_owned),
            scope,
        })
    }
}

/// Returns the package URL of a version. The `@` of a scope is escaped.
fn purl(name: &str, version: &str) -> String {
    format!(
        "pkg:npm/{}@{}",
        name.replace('@', "%40"),
        version.replace('+', "%2B")
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use serde_json::json;

    use super::super::cyclonedx::Scope;
    use super::{Lock, bills, built_in};
    use crate::dashboard;
    use crate::repository::Repository;

    #[test]
    fn finds_packages_in_the_same_directories_as_node() {
        let packages = json!({
            "packages/a": { "name": "@kit/a", "version": "1.0.0", "license": "MIT",
                "dependencies": { "@kit/b": "1.0.0", "x": "1.0.0" },
                "devDependencies": { "unused": "1.0.0" },
                "optionalDependencies": { "y": "1.0.0" } },
            "packages/a/node_modules/x": { "version": "2.0.0", "license": "ISC" },
            "packages/b": { "name": "@kit/b", "version": "1.0.0", "dependencies": { "x": "1.0.0" },
                "devDependencies": { "x": "1.0.0" } },
            "node_modules/@kit/b": { "resolved": "packages/b", "link": true },
            "node_modules/x": { "version": "1.0.0", "dependencies": { "z": "1.0.0" } },
            "node_modules/y": { "version": "1.0.0", "dependencies": { "z": "1.0.0", "x": "1.0.0" } },
            "node_modules/z": { "name": "real-z", "version": "1.0.0" },
            "node_modules/unused": { "version": "1.0.0" },
            "node_modules/inside": { "version": "1.0.0" },
        });
        let lock = Lock(packages.as_object().unwrap());
        let bill = lock.bill("packages/a", &["inside"]).unwrap();
        let found: Vec<(&str, Scope)> = bill
            .components
            .iter()
            .map(|component| (component.purl.as_str(), component.scope))
            .collect();
        assert_eq!(
            found,
            [
                ("pkg:npm/%40kit/b@1.0.0", Scope::Required),
                ("pkg:npm/inside@1.0.0", Scope::Required),
                ("pkg:npm/real-z@1.0.0", Scope::Required),
                ("pkg:npm/x@1.0.0", Scope::Required),
                ("pkg:npm/x@2.0.0", Scope::Required),
                ("pkg:npm/y@1.0.0", Scope::Optional),
            ]
        );
        assert!(bill.dependencies["pkg:npm/%40kit/b@1.0.0"].contains("pkg:npm/x@1.0.0"));
        assert_eq!(bill.subject.name, "@kit/a");
        let packages =
            json!({ "packages/a": { "name": "a", "version": "1.0.0", "dependencies": { "x": "1" } } });
        let error = Lock(packages.as_object().unwrap())
            .bill("packages/a", &[])
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "package-lock.json has no x, which packages/a needs; run `npm install`"
        );
    }

    #[test]
    fn lists_all_packages_that_users_install_or_that_are_bundled() {
        let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let bills = bills(&repository).unwrap();
        let has = |package: &str, component: &str| {
            let bill = bills.iter().find(|bill| bill.subject.name == package).unwrap();
            bill.components.iter().any(|found| found.name == component)
        };
        // `@kit/otel` needs it too, although another package lists it in `devDependencies`.
        assert!(has("@kit/otel", "@opentelemetry/api"));
        assert!(has("@kit/plugin-debug", "@kit/core"));
        assert!(has("@kit/plugin-debug", "preact"));
        assert!(has("@kit/api-docs", "@scalar/api-reference"));
        assert!(!has("@kit/core", "typescript"));
        for bill in &bills {
            for component in &bill.components {
                assert!(
                    component.licence.is_some(),
                    "{}: {}",
                    bill.subject.name,
                    component.purl
                );
            }
        }
    }

    #[test]
    fn lists_every_package_that_the_dashboard_imports() {
        let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut open = vec![repository.path(dashboard::SOURCES).join("src")];
        let mut imported = BTreeSet::new();
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(path).unwrap();
                for rest in text.split(" from \"").skip(1) {
                    let specifier = rest.split('"').next().unwrap();
                    // `preact/hooks` is a file of `preact`. Types of kit add no code to the page.
                    if !specifier.starts_with('.') && specifier != "@kit/types" {
                        imported.insert(specifier.split('/').next().unwrap().to_owned());
                    }
                }
            }
        }
        let listed: BTreeSet<String> = built_in("packages/plugin-debug")
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        assert_eq!(imported, listed);
    }
}
